"""From the seconds of all contestants to the figures of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polyloop.bench.sampling import Runs, interval, ratios, summarize

OURS, JIT = "ours", "jit"


def figures(timed: Runs, rivals: Sequence[str], flops: int | None) -> dict[str, Any]:
    """Seconds, rates, the ratios of the others' times to ours, and an interval for the ratio to the best compiler.

    Args:
        timed: seconds by contestant; "ours" is missing if it could not be built.
        rivals: the compilers among which the best is looked for.
        flops: operations of one run, where they are known.
    """
    known: dict[str, Any] = {
        "seconds": {name: summarize(seconds) for name, seconds in timed.items()},
        "gflops": {name: 1e-9 * flops / min(seconds) for name, seconds in timed.items()} if flops else {},
    }
    present = [name for name in rivals if name in timed]
    if OURS not in timed or not present:
        return known | {"speedup": {}, "best_speedup": None, "interval": None}
    speedup = {
        name: summarize(ratios(seconds, timed[OURS]))["median"] for name, seconds in timed.items() if name != OURS
    }
    best = min(present, key=lambda name: min(timed[name]))
    low, high = interval(ratios(timed[best], timed[OURS]))
    found = {"against": best, "low": low, "high": high}
    return known | {"speedup": speedup, "best_speedup": speedup[best], "interval": found}
