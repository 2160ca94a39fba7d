"""Interleaved runs of several contestants, and what can be said of their ratios afterwards.

A machine has slow and fast spells of some seconds. Contestants that take turns share them, so the ratio of two runs
of the same round is steadier than either time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, TypeAlias

from polyloop.backend.run.timing import Duel
from polyloop.bench.rows import Check, Row

Runs: TypeAlias = dict[str, list[float]]

SLOW_SECONDS = 5.0
"""A contestant whose first run takes longer is run twice in all."""


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


# --- a row ------------------------------------------------------------------------------------------------------------

OURS, JIT = "ours", "jit"


def timed_row(
    name: str, timed: Runs, rivals: Sequence[str], flops: int | None, checks: Sequence[Check], facts: Mapping[str, Any]
) -> Row:
    """A row of the seconds of all contestants: rates, the ratios of the others' times to ours with their intervals.

    Args:
        timed: seconds by contestant; "ours" is missing if it could not be built.
        rivals: the compilers among which the best is looked for.
        flops: operations of one run, where they are known.
    """
    more: dict[str, Any] = {
        "seconds": {each: summarize(seconds) for each, seconds in timed.items()},
        "gflops": {each: 1e-9 * flops / min(seconds) for each, seconds in timed.items()} if flops else {},
        "speedup": {},
        "best_speedup": None,
        "interval": None,
    }
    medians = {each: median(seconds) for each, seconds in timed.items()}
    present = [each for each in rivals if each in timed]
    if OURS not in timed or not present:
        return Row(name, medians, checks=checks, facts={**facts, **more})
    duel = Duel({each: tuple(seconds) for each, seconds in timed.items()})
    ratios = {each: duel.ratio(each, OURS) for each in timed if each != OURS}
    best = min(present, key=lambda each: min(timed[each]))
    # Contestants were built from the original; "jit" and "ours gcc" are other forms of our own result.
    found = {each: ratio for each, ratio in ratios.items() if each != JIT and not each.startswith(OURS)}
    more["speedup"] = {each: ratio.value for each, ratio in ratios.items()}
    more["best_speedup"] = found[best].value
    more["interval"] = {"against": best, "low": found[best].low, "high": found[best].high}
    return Row(name, medians, found, best, checks, facts={**facts, **more})
