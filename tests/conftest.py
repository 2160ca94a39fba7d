"""Options of the whole test suite, and what every test finds.

Trees, nests and programs are verified between all passes, in workers too.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.helpers.golden import Golden

os.environ.setdefault("POLYLOOP_VERIFY", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew from what the code says now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares texts with golden files."""
    return Golden(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """Python's own handler of SIGINT, which is ignored where the tests were started with nohup or in the background.

    Child processes inherit that a signal is ignored, but not its handler: they get Python's own in this way, too.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
