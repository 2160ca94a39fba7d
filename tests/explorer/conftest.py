"""Subjects of explorers as the command line opens them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import pytest

from polyloop.cli.arguments import parse
from polyloop.explorer.opening import Subject, open_subject
from polyloop.explorer.session import Session
from tests.helpers.commands import _in_an_empty_folder, fixed_optimizer, run, scale

__all__ = ["_in_an_empty_folder", "fixed_optimizer", "run", "scale"]

Act = Callable[..., Session]

collect_ignore = [] if find_spec("textual") is not None else ["test_app.py", "test_terminal.py"]
"""What needs the extra tui."""


@pytest.fixture
def opened() -> Callable[..., Subject]:
    """What ``polyloop explore`` opens for some arguments."""

    def one(*arguments: str) -> Subject:
        return open_subject(parse(["explore", *arguments]))

    return one


@pytest.fixture
def product(opened: Callable[..., Subject]) -> Subject:
    """A small matrix product."""
    return opened("C[m, n] += A[m, k] * B[k, n]", "m=32", "n=16", "k=24")


@pytest.fixture
def act() -> Act:
    """Takes actions by name, all of which have to be legal."""

    def several(session: Session, *names: str) -> Session:
        for name in names:
            assert session.act(session.process.names.index(name)) is None, name
        return session

    return several
