"""Tables and plots of ``polyloop bench searches``: LoopTune's figures 8 (speed of what is found), 9 (time until it is
found) and 10 (the best so far, over time)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from rich.console import Console

from polyloop.backend.run.timing import Ratio
from polyloop.bench.harness import Summary
from polyloop.bench.report import closing, number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.search.cursor.searches import UNTUNED
from polyloop.terminal.document import geometric_mean

Rows = Sequence[Row]

_POINTS = 60


def summarize_searches(rows: Rows) -> Summary:
    """Of all rows so far. "speedup" and "worst" are times of everything else over those of the best search, or of the
    default schedule where that is faster in the mean."""
    timed = [row for row in rows if row.failed is None]
    names = list(dict.fromkeys(name for row in timed for name in row.seconds))
    rivals = {name for row in timed for name in row.facts["libraries"]}
    shares = {n: geometric_mean(r.facts["peak_fraction"][n] for r in timed if n in r.seconds) for n in names}
    ours = max((n for n in names if n not in rivals), key=lambda n: shares[n] or 0.0, default=None)
    tuned = {n: [r.facts["tuning_seconds"][n] for r in timed if n in r.facts["tuning_seconds"]] for n in rivals}
    untuned = {n: [r.seconds[UNTUNED] / r.seconds[n] for r in timed if n in r.seconds] for n in names}
    return summarize([_against(row, ours) for row in rows]) | {
        "ours": ours,
        "peak_fraction": shares,
        "over_untuned": {name: geometric_mean(ratios) for name, ratios in untuned.items()},
        "tuning_seconds": {name: float(median(each)) for name, each in tuned.items() if each},
        "searches": {name: _search(timed, name) for name in names if name not in rivals and name != UNTUNED},
    }


def _against(row: Row, ours: str | None) -> Row:
    """With the ratios of all times to that of one contestant, where the row has it."""
    if ours is None or ours not in row.seconds:
        return row
    ratios = {name: seconds / row.seconds[ours] for name, seconds in row.seconds.items() if name != ours}
    return replace(row, ratios={name: Ratio(value, value, value) for name, value in ratios.items()})


def _search(rows: Rows, name: str) -> dict[str, Any]:
    """Medians over the problems, and on how many the search was the best one, within one percent."""
    facts = [row.facts["searches"][name] for row in rows if name in row.facts["searches"]]
    best = [r for r in rows if name in r.facts["searches"] and r.seconds[name] <= 1.01 * _fastest(r)]

    def middle(key: str) -> float | None:
        values = [fact[key] for fact in facts if fact.get(key) is not None]
        return float(median(values)) if values else None

    return {
        "seconds": middle("seconds"),
        "seconds_to_best": middle("seconds_to_best"),
        "evaluations": middle("evaluations"),
        "evaluations_per_second": _rate(facts),
        "best_on": len(best),
    }


def _fastest(row: Row) -> float:
    return min(row.seconds[name] for name in row.facts["searches"] if name in row.seconds)


def _rate(facts: Sequence[Mapping[str, Any]]) -> float | None:
    seconds = sum(fact["seconds"] for fact in facts)
    evaluations = sum(fact["evaluations"] for fact in facts)
    return evaluations / seconds if seconds and evaluations else None


# --- tables -----------------------------------------------------------------------------------------------------------


def print_report(console: Console, rows: Rows, summary: Summary) -> None:
    """One line for each contestant, then the summary in words."""
    header = ["contestant", "of peak", "x untuned", "median s", "s to best", "nests", "nests/s", "best on"]
    cells = []
    for name, share in sorted(summary["peak_fraction"].items(), key=lambda item: -(item[1] or 0.0)):
        facts = summary["searches"].get(name, {})
        line = [name, "-" if share is None else f"{share:.1%}", number(summary["over_untuned"].get(name))]
        line += [number(facts.get(key)) for key in ("seconds", "seconds_to_best")]
        line += [number(facts.get(key), 0) for key in ("evaluations", "evaluations_per_second")]
        cells.append([*line, str(facts["best_on"]) if facts else "-"])
    print_table(console, header, cells)
    lines = [f"{len(rows)} problems; figures are geometric means"]
    for name, mean in summary["speedup"].items():
        if name not in summary["searches"]:
            worst = summary["worst"][name]
            lines.append(f"{summary['ours']} x {name}: {mean:.2f}, worst {worst['ratio']:.2f} ({worst['row']})")
    lines += [f"{name} tuned for {each:.0f} s in the median" for name, each in summary["tuning_seconds"].items()]
    print_lines(console, [*lines, *closing(summary)])


# --- plots ------------------------------------------------------------------------------------------------------------


def drawings(rows: Rows, summary: Summary) -> Mapping[str, Callable[[Any], None]]:
    """The figures by name; see `report.write_plots`."""
    timed = [row for row in rows if row.failed is None]
    return {
        "quality": lambda axes: _draw_quality(axes, timed, summary),
        "time": lambda axes: _draw_time(axes, summary),
        "progress": lambda axes: _draw_progress(axes, timed, summary),
    }


def _draw_quality(axes: Any, rows: Rows, summary: Summary) -> None:
    """Shares of the peak of every problem, one line a contestant."""
    ordered = sorted(rows, key=lambda row: float(row.facts["flops"]))
    for name in summary["peak_fraction"]:
        axes.plot([row.facts["peak_fraction"].get(name) for row in ordered], marker=".", linewidth=0.8, label=name)
    axes.set(xlabel="problems, by operations", ylabel="share of the peak")
    axes.legend(fontsize="small", ncols=2)


def _draw_time(axes: Any, summary: Summary) -> None:
    names = [name for name, facts in summary["searches"].items() if facts["seconds"]]
    axes.bar(range(len(names)), [summary["searches"][n]["seconds"] for n in names], 0.7, label="until it ended")
    found = [summary["searches"][n]["seconds_to_best"] or summary["searches"][n]["seconds"] for n in names]
    axes.bar(range(len(names)), found, 0.4, label="until the best was found")
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set(yscale="log", ylabel="seconds, median")
    axes.legend()


def _draw_progress(axes: Any, rows: Rows, summary: Summary) -> None:
    longest = max((f["seconds"] for row in rows for f in row.facts["searches"].values()), default=1.0)
    grid = [longest * 10 ** (-3 * (1 - k / _POINTS)) for k in range(_POINTS + 1)]
    for name in summary["searches"]:
        curves = [
            (row.facts["searches"][name]["curve"], row.facts["peak_gflops"])
            for row in rows
            if "curve" in row.facts["searches"].get(name, {})
        ]
        if curves:
            means = [geometric_mean(max(_best_at(curve, t) / peak, 1e-3) for curve, peak in curves) for t in grid]
            axes.plot(grid, means, label=name)
    axes.set(xscale="log", xlabel="seconds", ylabel="best so far, share of the peak")
    axes.legend(fontsize="small", ncols=2)


def _best_at(curve: Sequence[Mapping[str, float]], seconds: float) -> float:
    return max((point["best"] for point in curve if point["seconds"] <= seconds), default=0.0)
