"""From samples to the figures of PolyGym's paper: the distribution of speedups, the best of every kernel, and the mean
of the best by the number of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil, exp, log
from random import Random
from statistics import fmean, median
from typing import Any, TypeAlias

from polyloop.backend.run.timing import Ratio
from polyloop.bench.polygym_store import Store
from polyloop.bench.polygym_worker import ORIGINAL
from polyloop.bench.report import summarize
from polyloop.bench.rows import Row
from polyloop.measure.result import Fate
from polyloop.measure.schedules import TIMES_SLOWER
from polyloop.models.scores import spearman
from polyloop.terminal.document import geometric_mean

Rows: TypeAlias = Sequence[Row]

_RESAMPLES = 1000

ISL = "isl, separate fusion"
"""isl's scheduler as Polly calls it by default: strongly connected components apart."""

BEST = "best of all"

LEFT_OUT = ("adi", "heat-3d", "ludcmp")
"""What the paper could not build spaces for."""

SLOWEST = 1 / TIMES_SLOWER
"""The speedup of schedules that are at least as slow as counts."""

SHOWN = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Numbers of samples that the table of means has columns for."""

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


def kernel_row(store: Store, kernel: str, heuristics: Sequence[str]) -> Row:
    """All figures of a kernel. Speedups are over LLVM -O3 of the original loops; isl's are medians over the rounds."""
    isl = {
        name: median(values)
        for name in dict.fromkeys(name for entry in store.rounds[kernel] for name in entry["seconds"])
        if name != ORIGINAL and (values := _round_speedups(store, kernel, name))
    }
    facts: dict[str, Any] = {
        "kernel": kernel,
        "sizes": store.sizes[kernel],
        "seconds": median(entry["seconds"][ORIGINAL] for entry in store.rounds[kernel]),
        "isl": isl,
        "heuristics": {},
    }
    for heuristic in heuristics:
        samples = store.samples[kernel, heuristic]
        if samples:
            speedups = [sample["speedup"] for sample in samples]
            facts["heuristics"][heuristic] = {
                "samples": len(samples),
                "failed": sum(sample["seconds"] is None for sample in samples),
                "stopped": sum(s["seconds"] is not None and s["speedup"] <= SLOWEST for s in samples),
                "different": sum(sample["kind"] == Fate.WRONG_RESULTS for sample in samples),
                "quantiles": quantiles(speedups),
                "best": max(speedups),
                "best_so_far": list(accumulate(speedups, max)),
                "model_rank_correlation": model_correlation(samples),
            }
    # The best of many samples was lucky: what it took when it was measured once more counts.
    if kernel in store.finals:
        seconds = store.finals[kernel]["seconds"]
        facts["again"] = {name: seconds[ORIGINAL] / value for name, value in seconds.items() if name != ORIGINAL}
        facts["spread"] = store.finals[kernel].get("spread", {})
    row = Row(kernel, {ORIGINAL: facts["seconds"]}, facts=facts)
    best = best_of(row, BEST) if ISL in isl else None
    if best:
        others = {"llvm -O3": best, "isl": best / isl_speedup(row), "best isl": best / best_isl(row)}
        row = replace(row, ratios={name: Ratio(value, value, value) for name, value in others.items()})
    return row


def _round_speedups(store: Store, kernel: str, name: str) -> list[float]:
    times = ((entry["seconds"][ORIGINAL], entry["seconds"].get(name)) for entry in store.rounds[kernel])
    return [original / seconds for original, seconds in times if seconds is not None]


def best_samples(store: Store, kernel: str, heuristics: Sequence[str]) -> dict[str, int]:
    """The index of every heuristic's best sample."""
    found = {}
    for heuristic in heuristics:
        ran = [sample for sample in store.samples[kernel, heuristic] if sample["seconds"] is not None]
        if ran:
            found[heuristic] = max(ran, key=lambda sample: float(sample["speedup"]))["index"]
    return found


def summarize_kernels(rows: Rows, heuristics: Sequence[str], failed: Mapping[str, str]) -> dict[str, Any]:
    """Of all kernels, and of those that the paper had."""
    paper = [row for row in rows if row.row not in LEFT_OUT]
    each = [found for row in rows for found in row.facts["heuristics"].values()]
    have = [h for h in heuristics if any(h in row.facts["heuristics"] for row in rows)]
    return summarize(rows) | {
        "verified": {
            "compared": sum(found["samples"] - found["failed"] + found["different"] for found in each),
            "different": sum(found["different"] for found in each),
        },
        "failed": dict(failed),
        "distribution": {heuristic: _distribution(rows, heuristic) for heuristic in have},
        "all": means(rows, heuristics),
        "without_" + "_".join(LEFT_OUT): means(paper, heuristics),
        "curves": {h: curve(rows, h) for h in heuristics if _shared_samples(rows, h)},
        "model_rank_correlation": _correlations(rows),
    }


def means(rows: Rows, heuristics: Sequence[str]) -> dict[str, Any]:
    """Geometric means over the kernels that have a figure for both sides.

    Returns:
        "kernels"; "isl": over -O3; for every heuristic "over_o3", "over_isl", "over_best_isl" (of three fusions),
        "interval" (of "over_isl", 95%, over the choice of kernels, by bootstrap), "better_than_isl" (kernels) and
        "crosses_isl_after" (samples, None if it does not).
    """
    known = [row for row in rows if ISL in row.facts["isl"]]
    result: dict[str, Any] = {"kernels": len(known), "isl": geometric_mean(isl_speedup(row) for row in known)}
    for heuristic in (*heuristics, BEST):
        mine = [row for row in known if best_of(row, heuristic) is not None]
        if mine:
            best = [(row, float(best_of(row, heuristic) or 0.0)) for row in mine]
            result[heuristic] = {
                "kernels": len(mine),
                "over_o3": geometric_mean(value for _, value in best),
                "over_isl": geometric_mean(value / isl_speedup(row) for row, value in best),
                "interval": _interval([value / isl_speedup(row) for row, value in best]),
                "over_best_isl": geometric_mean(value / best_isl(row) for row, value in best),
                "better_than_isl": sum(value > 1.02 * isl_speedup(row) for row, value in best),
                "crosses_isl_after": crossing(known, heuristic),
            }
    return result


def isl_speedup(row: Row) -> float:
    """isl's over -O3, measured in turn with the best samples where it was."""
    return float(row.facts.get("again", {}).get(ISL, row.facts["isl"][ISL]))


def best_isl(row: Row) -> float:
    """The best of isl's three fusions."""
    again = {name: value for name, value in row.facts.get("again", {}).items() if name in row.facts["isl"]}
    return float(max((again or row.facts["isl"]).values()))


def best_of(row: Row, heuristic: str) -> float | None:
    """A heuristic's best speedup over -O3, measured once more where it was; of all heuristics for `BEST`."""
    if heuristic == BEST:
        return max((v for name in row.facts["heuristics"] if (v := best_of(row, name)) is not None), default=None)
    if heuristic not in row.facts["heuristics"]:
        return None
    return float(row.facts.get("again", {}).get(heuristic, row.facts["heuristics"][heuristic]["best"]))


def curve(rows: Rows, heuristic: str) -> list[float]:
    """The geometric mean over the kernels of the best of the first 1, 2, ... samples.

    No sample counts for more than the best of them did when it was measured once more, in turn with isl's schedules.
    """
    mine = [_confirmed(row, heuristic) for row in rows if heuristic in row.facts["heuristics"]]
    count = _shared_samples(rows, heuristic)
    return [geometric_mean(best[k] for best in mine) or 0.0 for k in range(count)]


def _confirmed(row: Row, heuristic: str) -> list[float]:
    best: list[float] = row.facts["heuristics"][heuristic]["best_so_far"]
    again = row.facts.get("again", {}).get(heuristic)
    return best if again is None else [min(value, max(again, SLOWEST)) for value in best]


def crossing(rows: Rows, heuristic: str) -> int | None:
    """After how many samples the mean of the best reaches isl's mean."""
    mine = [row for row in rows if heuristic in row.facts["heuristics"]]
    isl = geometric_mean(isl_speedup(row) for row in mine) or 0.0
    return next((k for k, value in enumerate(curve(mine, heuristic), 1) if value >= (1 - 1e-9) * isl), None)


def _interval(ratios: Sequence[float]) -> tuple[float, float]:
    """Of their geometric mean."""
    logarithms, generator = [log(ratio) for ratio in ratios], Random(0)
    means = sorted(fmean(generator.choices(logarithms, k=len(logarithms))) for _ in range(_RESAMPLES))
    return exp(means[int(0.025 * _RESAMPLES)]), exp(means[ceil(0.975 * _RESAMPLES) - 1])


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Of the sorted values, the nearest below."""
    ranked = sorted(values)
    return {f"{q:g}": round(ranked[int(q * (len(ranked) - 1))], 4) for q in QUANTILES}


def model_correlation(samples: Sequence[dict[str, Any]]) -> float | None:
    """The cost model's seconds against the measured ones, of samples that ran."""
    ran = [sample for sample in samples if sample["seconds"] is not None]
    return spearman([sample["model"] for sample in ran], [sample["seconds"] for sample in ran])


def _distribution(rows: Rows, heuristic: str) -> dict[str, Any]:
    mine = [row.facts["heuristics"][heuristic] for row in rows if heuristic in row.facts["heuristics"]]
    return {
        "samples": sum(each["samples"] for each in mine),
        "failed": sum(each["failed"] for each in mine),
        "stopped": sum(each["stopped"] for each in mine),
        "mean_quantiles": {f"{q:g}": geometric_mean(each["quantiles"][f"{q:g}"] for each in mine) for q in QUANTILES},
    }


def _shared_samples(rows: Rows, heuristic: str) -> int:
    counts = [row.facts["heuristics"][heuristic]["samples"] for row in rows if heuristic in row.facts["heuristics"]]
    return min(counts, default=0)


def _correlations(rows: Rows) -> dict[str, float | None]:
    """By heuristic: the mean over the kernels."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for heuristic, each in row.facts["heuristics"].items():
            if each["model_rank_correlation"] is not None:
                found.setdefault(heuristic, []).append(each["model_rank_correlation"])
    return {heuristic: sum(values) / len(values) for heuristic, values in found.items()}
