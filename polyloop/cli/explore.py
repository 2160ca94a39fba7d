"""``polyloop explore``: a program's loops in the terminal, changed by hand and measured as they change."""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib.util import find_spec

from polyloop.backend.config import use_color
from polyloop.explorer.meter import Meter, ModelMeter, WorkerMeter
from polyloop.explorer.opening import open_subject
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import MissingExtraError

INTERNAL = 70
"""Exit status for a bug in polyloop, as of every command."""


def run(arguments: Namespace) -> int:
    """Open the explorer; returns when it is closed.

    Raises:
        MissingExtraError: if textual is not installed.
        UsageError: without a terminal, or for options that do not go together.
        PolyloopError: if there is nothing to explore.
    """
    if find_spec("textual") is None:
        raise MissingExtraError("polyloop explore needs textual; pip install 'polyloop[tui]'")
    subject = open_subject(arguments)
    if on_terminal() and not draws_on_terminal():
        raise UsageError("explore draws on standard error, which does not go to a terminal here; leave it where it is")
    if not on_terminal():
        raise UsageError("explore is for a terminal; polyloop optimize and polyloop explain work without one")
    from polyloop.explorer.app import Explorer  # needs textual

    problem = subject.process.problem
    meter: Meter = ModelMeter(problem) if arguments.evaluator == "model" else WorkerMeter(problem)
    try:
        explorer = Explorer(subject, meter, arguments.evaluator, plain=not use_color())
        explorer.run()
    finally:
        meter.close()
    # textual prints what went wrong by itself.
    return INTERNAL if explorer.return_code else 0


def on_terminal() -> bool:
    """Whether somebody sits in front of it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def draws_on_terminal() -> bool:
    """Whether textual, which draws on standard error, draws for anybody."""
    return sys.stderr.isatty()
