"""The suite itself: it does not depend on how busy the machine is, and its lists name what is there."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent


def test_drawn_cases_may_take_their_time() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


def test_slow_tests_exist() -> None:
    """Whoever renames one of tests/slow.txt renames it there, or `make check` takes longer."""
    files = TESTS.rglob("test_*.py")
    found = {f"{path.name}::{name}" for path in files for name in re.findall(r"def (test_\w+)", path.read_text())}
    assert [entry for entry in (TESTS / "slow.txt").read_text().split() if entry not in found] == []
