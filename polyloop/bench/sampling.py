"""Interleaved runs of several contestants, and what can be said of their ratios afterwards.

A machine has slow and fast spells of some seconds. Contestants that take turns share them, so the ratio of two runs
of the same round is steadier than either time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, TypeAlias

Runs: TypeAlias = dict[str, list[float]]

SLOW_SECONDS = 5.0
"""A contestant whose first run takes longer is run twice in all."""

_RESAMPLES = 2000


def interleave(
    contestants: Mapping[str, Callable[[], float]],
    rounds: int | None = None,
    target_seconds: float = 3.0,
    limits: tuple[int, int] = (5, 40),
) -> Runs:
    """Run A B C A B C ..., after one round to warm up, which counts only for contestants that are slow.

    Args:
        contestants: each call runs once and returns its seconds; preparing the data belongs into the call, too.
        rounds: how many to time; chosen so that all take about `target_seconds`, within `limits`, if None.
    Returns:
        The seconds of every timed run in order, by contestant.
    """
    first = {name: run() for name, run in contestants.items()}
    if rounds is None:
        one_round = sum(seconds for seconds in first.values() if seconds <= SLOW_SECONDS)
        rounds = max(limits[0], min(limits[1], int(target_seconds / max(one_round, 1e-9))))
    runs: Runs = {name: [seconds] if seconds > SLOW_SECONDS else [] for name, seconds in first.items()}
    for number in range(rounds):
        for name, run in contestants.items():
            if first[name] <= SLOW_SECONDS or number == 0:
                runs[name].append(run())
    return runs


def summarize(seconds: Sequence[float]) -> dict[str, Any]:
    """Minimum, median and number of runs."""
    return {"minimum": min(seconds), "median": median(seconds), "runs": len(seconds)}


def ratios(numerator: Sequence[float], denominator: Sequence[float]) -> list[float]:
    """Round by round; rounds that only one of the two ran are left out."""
    return [a / b for a, b in zip(numerator, denominator, strict=False)]


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """A 95% percentile-bootstrap interval of the median (Efron and Tibshirani 1993, chapter 13), seeded."""
    generator = random.Random(seed)
    medians = sorted(median(generator.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return medians[int(0.025 * _RESAMPLES)], medians[math.ceil(0.975 * _RESAMPLES) - 1]


def geometric_mean(values: Iterable[float]) -> float | None:
    """None of no values."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None
