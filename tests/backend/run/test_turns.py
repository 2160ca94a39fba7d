"""`compare`: what runs in turn meets the same numbers."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from polyloop.backend.run.timing import compare


def test_all_batches_between_two_resets_are_equally_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one that is short enough to be repeated, and one that is not: numbers updated in place drift."""
    batches: list[list[str]] = []
    now = 0

    def contestant(name: str, nanoseconds: int) -> Callable[[], None]:
        def run() -> None:
            nonlocal now
            batches[-1].append(name)
            now += nanoseconds

        return run

    for clock in ("perf_counter_ns", "thread_time_ns"):
        monkeypatch.setattr(time, clock, lambda: now)
    contestants = {"short": contestant("short", 300), "long": contestant("long", 30_000)}
    compare(contestants, rounds=6, reset=lambda: batches.append([]))
    measured = batches[-12:]  # six rounds of two
    assert {name for batch in measured for name in batch} == {"short", "long"}
    assert len({len(batch) for batch in measured}) == 1
    assert len(measured[0]) > 1


@pytest.mark.parametrize(("warm_seconds", "before"), [(0.0, "other"), (1e-3, "own")])
def test_short_runs_are_timed_behind_one_of_their_own(
    monkeypatch: pytest.MonkeyPatch, warm_seconds: float, before: str
) -> None:
    """What a contestant finds in the caches is what it has left there."""
    called: list[str] = []
    now = 0

    def contestant(name: str) -> Callable[[], None]:
        def run() -> None:
            nonlocal now
            called.append(name)
            now += 500_000

        return run

    for clock in ("perf_counter_ns", "thread_time_ns"):
        monkeypatch.setattr(time, clock, lambda: now)
    contestants = {"one": contestant("one"), "two": contestant("two")}
    duel = compare(contestants, rounds=6, reset=lambda: None, warm_seconds=warm_seconds)
    assert set(duel.rounds["one"]) == {5e-4}
    assert called[-4:] == {"other": ["one", "two", "two", "one"], "own": ["two", "two", "one", "one"]}[before]
