"""Tables and plots of ``polyloop bench searches``: LoopTune's figures 8 (speed of what is found), 9 (time until it is
found) and 10 (the best so far, over time)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polyloop.bench.plots import write_svgs
from polyloop.bench.sampling import geometric_mean
from polyloop.search.cursor.searches import UNTUNED

Rows = Sequence[Mapping[str, Any]]

_POINTS = 60


def summarize(rows: Rows) -> dict[str, Any]:
    """Of all rows so far. "speedup" and "worst" are times of everything else over those of the best search, or of the
    default schedule where that is faster in the mean."""
    timed = [row for row in rows if "seconds" in row]
    names = list(dict.fromkeys(name for row in timed for name in row["seconds"]))
    rivals = {name for row in timed for name in row["libraries"]}
    shares = {
        name: geometric_mean(row["peak_fraction"][name] for row in timed if name in row["seconds"]) for name in names
    }
    ours = max((n for n in names if n not in rivals), key=lambda n: shares[n] or 0.0, default=None)
    ratios = {
        name: {r["row"]: r["seconds"][name] / r["seconds"][ours] for r in timed if {name, ours} <= r["seconds"].keys()}
        for name in names
        if name != ours
    }
    checks = [check for row in timed for check in row["checks"]]
    tuned = {name: [r["tuning_seconds"][name] for r in timed if name in r["tuning_seconds"]] for name in rivals}
    return {
        "ours": ours,
        "speedup": {name: geometric_mean(found.values()) for name, found in ratios.items()},
        "worst": {name: _worst(found) for name, found in ratios.items() if found},
        "peak_fraction": shares,
        "over_untuned": {
            n: geometric_mean(r["seconds"][UNTUNED] / r["seconds"][n] for r in timed if n in r["seconds"])
            for n in names
        },
        "tuning_seconds": {name: float(median(each)) for name, each in tuned.items() if each},
        "searches": {name: _search(timed, name) for name in names if name not in rivals and name != UNTUNED},
        "verified": {
            "compared": len(checks),
            "different": sum(not check["passed"] for check in checks),
            "elements": sum(check["compared"] for check in checks),
        },
        "failed": {row["row"]: row["failed"] for row in rows if "failed" in row},
        "missing": {name: reason for row in timed for name, reason in row["missing"].items()},
    }


def _worst(found: Mapping[str, float]) -> dict[str, Any]:
    row = min(found, key=found.__getitem__)
    return {"ratio": found[row], "row": row}


def _search(rows: Rows, name: str) -> dict[str, Any]:
    """Medians over the problems, and on how many the search was the best one, within one percent."""
    facts = [row["searches"][name] for row in rows if name in row["searches"]]
    best = [r for r in rows if name in r["searches"] and r["seconds"][name] <= 1.01 * _fastest(r)]

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


def _fastest(row: Mapping[str, Any]) -> float:
    return min(float(row["seconds"][name]) for name in row["searches"] if name in row["seconds"])


def _rate(facts: Sequence[Mapping[str, Any]]) -> float | None:
    seconds = sum(fact["seconds"] for fact in facts)
    evaluations = sum(fact["evaluations"] for fact in facts)
    return evaluations / seconds if seconds and evaluations else None


# --- tables -----------------------------------------------------------------------------------------------------------


def print_report(console: Console, rows: Rows, summary: Mapping[str, Any]) -> None:
    """One line for each contestant, then the summary in words."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("contestant", no_wrap=True)
    for title in ("of peak", "x untuned", "median s", "s to best", "nests", "nests/s", "best on"):
        table.add_column(title, justify="right", no_wrap=True)
    ranked = sorted(summary["peak_fraction"].items(), key=lambda item: -(item[1] or 0.0))
    for name, share in ranked:
        facts = summary["searches"].get(name, {})
        cells = [_percent(share), _number(summary["over_untuned"].get(name), 2)]
        cells += [_number(facts.get(key), 2) for key in ("seconds", "seconds_to_best")]
        cells += [_number(facts.get("evaluations"), 0), _number(facts.get("evaluations_per_second"), 0)]
        cells += [str(facts["best_on"]) if facts else "-"]
        table.add_row(*map(escape, (name, *cells)))
    console.print(table)
    for line in _closing(rows, summary):
        console.print(escape(line), soft_wrap=True)


def _closing(rows: Rows, summary: Mapping[str, Any]) -> list[str]:
    ours = summary["ours"]
    lines = [f"{len(rows)} problems; figures are geometric means"]
    for name, mean in summary["speedup"].items():
        worst = summary["worst"].get(name)
        if name not in summary["searches"] and mean is not None and worst is not None:
            lines.append(f"{ours} x {name}: {mean:.2f}, worst {worst['ratio']:.2f} ({worst['row']})")
    for name, seconds in summary["tuning_seconds"].items():
        lines.append(f"{name} tuned for {seconds:.0f} s in the median")
    verified = summary["verified"]
    lines.append(f"results compared: {verified['compared']}, different: {verified['different']}")
    lines += [f"failed: {row}: {str(reason).partition(chr(10))[0]}" for row, reason in summary["failed"].items()]
    lines += [f"missing: {name}: {reason}" for name, reason in summary["missing"].items()]
    return lines


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


# --- plots ------------------------------------------------------------------------------------------------------------


def write_plots(folder: Path, rows: Rows, summary: Mapping[str, Any]) -> list[str]:
    """The figures as SVG files; see `plots.write_svgs`."""
    timed = [row for row in rows if "seconds" in row]
    return write_svgs(
        folder,
        {
            "quality": lambda axes: _draw_quality(axes, timed, summary),
            "time": lambda axes: _draw_time(axes, summary),
            "progress": lambda axes: _draw_progress(axes, timed, summary),
        },
    )


def _draw_quality(axes: Any, rows: Rows, summary: Mapping[str, Any]) -> None:
    """Shares of the peak of every problem, one line a contestant."""
    ordered = sorted(rows, key=lambda row: float(row["flops"]))
    for name in summary["peak_fraction"]:
        axes.plot([row["peak_fraction"].get(name) for row in ordered], marker=".", linewidth=0.8, label=name)
    axes.set_xlabel("problems, by operations")
    axes.set_ylabel("share of the peak")
    axes.legend(fontsize="small", ncols=2)


def _draw_time(axes: Any, summary: Mapping[str, Any]) -> None:
    names = [name for name, facts in summary["searches"].items() if facts["seconds"]]
    axes.bar(range(len(names)), [summary["searches"][n]["seconds"] for n in names], 0.7, label="until it ended")
    found = [summary["searches"][n]["seconds_to_best"] or summary["searches"][n]["seconds"] for n in names]
    axes.bar(range(len(names)), found, 0.4, label="until the best was found")
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yscale("log")
    axes.set_ylabel("seconds, median")
    axes.legend()


def _draw_progress(axes: Any, rows: Rows, summary: Mapping[str, Any]) -> None:
    longest = max((f["seconds"] for row in rows for f in row["searches"].values()), default=1.0)
    grid = [longest * 10 ** (-3 * (1 - k / _POINTS)) for k in range(_POINTS + 1)]
    for name in summary["searches"]:
        curves = [
            (row["searches"][name]["curve"], row["peak_gflops"])
            for row in rows
            if "curve" in row["searches"].get(name, {})
        ]
        if curves:
            means = [geometric_mean(max(_best_at(curve, t) / peak, 1e-3) for curve, peak in curves) for t in grid]
            axes.plot(grid, means, label=name)
    axes.set_xscale("log")
    axes.set_xlabel("seconds")
    axes.set_ylabel("best so far, share of the peak")
    axes.legend(fontsize="small", ncols=2)


def _best_at(curve: Sequence[Mapping[str, float]], seconds: float) -> float:
    return max((point["best"] for point in curve if point["seconds"] <= seconds), default=0.0)
