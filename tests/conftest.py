"""Options of the whole test suite, and what every test finds.

Trees, nests and programs are verified between all passes, in workers too, nothing is measured of the machine, and
nothing is remembered.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.golden import Golden

os.environ.setdefault("POLYLOOP_VERIFY", "1")
os.environ.setdefault("POLYLOOP_RECORDS", "off")  # what one test finds is not to change another
os.environ.setdefault("POLYLOOP_MACHINE", "shipped")  # choices depend on figures, and figures on neighbours

# Threads that wait leave the cores to other tests: waiting took torch's five times as long as computing.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("KMP_BLOCKTIME", "0")

# Tests start hundreds of processes: without bytecode on disk each one compiles what it imports, for three seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

gc.disable()  # until all is collected

# How long a case takes, and how long drawing it, is the machine's affair.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

SLOW = Path(__file__).parent / "slow.txt"
"""Test functions, as file::function, that `make check` leaves out: all cases of one take more than a quarter of a
second together on a quiet core (``pytest --durations=0`` tells)."""


def pytest_configure() -> None:
    """However busy the machine is, no search is ended before it has something."""
    import polyloop.api  # reads what stands above

    polyloop.api.BEYOND = 600.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew from what the code says now")
    parser.addoption(
        "--allowed-skips",
        metavar="REGEX",
        help="fail where a test is skipped for any other reason: where everything that tests need should be installed",
    )


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = set(SLOW.read_text(encoding="utf-8").split())
    for item in items:
        if f"{item.path.name}::{getattr(item, 'originalname', item.name)}" in slow:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end, so that nobody looks for garbage in it: that took a fifth of
    the time."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000)  # there is memory enough for some more of it


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that is skipped where it has to run is a failure."""
    allowed = session.config.getoption("--allowed-skips")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")  # xdist's workers have none
    if allowed is None or reporter is None:
        return
    reasons = {str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", ())}
    if missing := sorted(reason for reason in reasons if re.search(allowed, reason) is None):
        reporter.write_line(f"\nskipped although it has to run here: {'; '.join(missing)}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares texts with golden files."""
    return Golden(request.config.getoption("--update-golden"))


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test finds nothing that others have kept."""
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def shared_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test of this run has kept serves the next."""
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """Python's own handler of SIGINT, which is ignored where the tests were started with nohup or in the background.

    Child processes inherit that a signal is ignored, but not its handler: they get Python's own in this way, too.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
