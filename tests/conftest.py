"""Options of the whole test suite. Trees, nests and programs are verified between all passes, in workers too."""

from __future__ import annotations

import os

import pytest

from tests.helpers.golden import Golden

os.environ.setdefault("POLYLOOP_VERIFY", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew from what the code says now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares texts with golden files."""
    return Golden(request.config.getoption("--update-golden"))
