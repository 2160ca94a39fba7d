"""`compare`: what runs in turn meets the same numbers."""

from __future__ import annotations

import time
from collections.abc import Callable

from polyloop.backend.run.timing import compare


def test_all_batches_between_two_resets_are_equally_many_calls() -> None:
    """Of one that is short enough to be repeated, and one that is not: numbers updated in place drift."""
    batches: list[list[str]] = []

    def contestant(name: str, seconds: float) -> Callable[[], None]:
        def run() -> None:
            batches[-1].append(name)
            until = time.thread_time() + seconds
            while time.thread_time() < until:
                pass

        return run

    contestants = {"short": contestant("short", 0.0), "long": contestant("long", 30e-6)}
    compare(contestants, rounds=6, reset=lambda: batches.append([]))
    measured = batches[-12:]  # six rounds of two
    assert {name for batch in measured for name in batch} == {"short", "long"}
    assert len({len(batch) for batch in measured}) == 1
    assert len(measured[0]) > 1
