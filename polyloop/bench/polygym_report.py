"""The tables and plots of the suite ``polygym``: PolyGym's figures 8 (distribution), 9 (kernels) and 10 (samples)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console

from polyloop.bench.polygym_figures import BEST, LEFT_OUT, QUANTILES, SHOWN, Rows, best_isl, best_of, isl_speedup
from polyloop.bench.report import closing, number, print_lines, print_table
from polyloop.measure.schedules import TIMES_SLOWER

_LEGEND = (
    "-O3: LLVM's of the original loops; isl: its scheduler, strongly connected components apart; isl's best: of its",
    "three ways of fusion. All schedules get the same post-processing. no code: isl's code generation was given up;",
    f"stopped: {TIMES_SLOWER:g} x slower than -O3, and counted so. The best were measured once more, in turn with -O3",
    "and isl's: those figures count. [low, high]: 95% over the choice of kernels.",
)


def print_tables(
    console: Console, rows: Rows, summary: Mapping[str, Any], heuristics: Sequence[str], correlation: bool
) -> None:
    """Everything that was found, as text."""
    print_lines(console, _LEGEND)
    _print(console, "distribution of the samples' speedups over -O3", *_distribution(summary))
    _print(console, "speedup over -O3 of the best of each kernel", *_kernels(rows, heuristics))
    _print(console, "geometric mean over the kernels of the best speedup, by number of samples", *_curves(summary))
    sets = [("all kernels", "all")]
    if absent := [row.row for row in rows if row.row in LEFT_OUT]:
        sets.append((f"without {', '.join(absent)}", "without_" + "_".join(LEFT_OUT)))
    for title, key in sets:
        known = summary[key]
        if known["isl"] is not None:
            title = f"{title}: geometric mean of the best of {known['kernels']}; isl {known['isl']:.2f} x -O3"
            _print(console, title, *_means(known, heuristics))
    if correlation:
        _print(console, "rank correlation of the cost model with the measurement", *_correlations(rows, heuristics))
    correlations = summary["model_rank_correlation"].items()
    lines = [
        f"cost model's rank correlation, mean over the kernels, {name}: {value:.2f}" for name, value in correlations
    ]
    print_lines(console, [*lines, *closing(summary)])


def _distribution(summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    header = ["heuristic", "samples", "no code", "stopped", *(f"{q:.0%} x" for q in QUANTILES)]
    cells = [
        [
            name,
            str(d["samples"]),
            f"{d['failed'] / d['samples']:.0%}",
            f"{d['stopped'] / d['samples']:.0%}",
            *(f"{v:.2f}" for v in d["mean_quantiles"].values()),
        ]
        for name, d in summary["distribution"].items()
    ]
    return header, cells


def _kernels(rows: Rows, heuristics: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    header = ["kernel", "-O3 ms", "isl x", "isl's best x", *(f"{name} x" for name in heuristics), "best / isl"]
    cells = []
    for row in rows:
        if not row.facts["isl"]:
            continue
        best = best_of(row, BEST)
        cells.append(
            [
                row.row,
                f"{1e3 * row.facts['seconds']:.1f}",
                f"{isl_speedup(row):.2f}",
                f"{best_isl(row):.2f}",
                *(number(best_of(row, heuristic)) for heuristic in heuristics),
                number(None if best is None else best / isl_speedup(row)),
            ]
        )
    return header, cells


def _curves(summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    curves: Mapping[str, Sequence[float]] = summary["curves"]
    counts = [n for n in SHOWN if any(len(values) >= n for values in curves.values())]
    cells = [
        [name, *(number(values[n - 1] if len(values) >= n else None) for n in counts)]
        for name, values in curves.items()
    ]
    if cells and summary["all"]["isl"] is not None:
        cells.append(["isl", *(number(summary["all"]["isl"]) for _ in counts)])
    return ["heuristic", *(f"{n}" for n in counts)], cells


def _means(known: Mapping[str, Any], heuristics: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    header = ["heuristic", "kernels", "x -O3", "x isl", "[low, high]", "x isl's best", "better than isl on"]
    header.append("crosses isl after samples")
    cells = []
    for name in (*heuristics, BEST):
        if name in known:
            each = known[name]
            after = each["crosses_isl_after"]
            ratios = [number(each[key]) for key in ("over_o3", "over_isl", "over_best_isl")]
            crossed = "" if name == BEST else "-" if after is None else str(after)
            low, high = each["interval"]
            ratios.insert(2, f"[{low:.2f}, {high:.2f}]")
            cells.append([name, str(each["kernels"]), *ratios, str(each["better_than_isl"]), crossed])
    return header, cells


def _correlations(rows: Rows, heuristics: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    cells = []
    for row in rows:
        known = row.facts["heuristics"]
        values = [known[h]["model_rank_correlation"] if h in known else None for h in heuristics]
        cells.append([row.row, *map(number, values)])
    return ["kernel", *heuristics], cells


def _print(console: Console, title: str, header: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    console.print()
    print_table(console, header, cells, title=title)


# --- plots ------------------------------------------------------------------------------------------------------------


def drawings(rows: Rows, summary: Mapping[str, Any]) -> Mapping[str, Callable[[Any], None]]:
    """The figures by name; see `report.write_plots`."""
    return {
        "distribution": lambda axes: _draw_distribution(axes, summary),
        "kernels": lambda axes: _draw_kernels(axes, rows),
        "samples": lambda axes: _draw_samples(axes, summary),
    }


def _draw_distribution(axes: Any, summary: Mapping[str, Any]) -> None:
    names = list(summary["distribution"])
    quantiles = [list(summary["distribution"][name]["mean_quantiles"].values()) for name in names]
    for position, values in enumerate(quantiles):
        axes.plot([position] * len(values), values, marker="_", markersize=24, linewidth=1)
    axes.set_xticks(range(len(names)), names)
    axes.axhline(1.0, color="grey", linewidth=0.5)
    axes.set(yscale="log", ylabel="speedup over -O3: 10, 25, 50, 75, 90%")


def _draw_kernels(axes: Any, rows: Rows) -> None:
    known = [row for row in rows if row.facts["isl"] and best_of(row, BEST) is not None]
    places = range(len(known))
    axes.bar([p - 0.2 for p in places], [isl_speedup(row) for row in known], 0.4, label="isl")
    axes.bar([p + 0.2 for p in places], [best_of(row, BEST) for row in known], 0.4, label="best sample")
    axes.set_xticks(places, [row.row for row in known], rotation=60, ha="right")
    axes.axhline(1.0, color="grey", linewidth=0.5)
    axes.set(yscale="log", ylabel="speedup over -O3")
    axes.legend()


def _draw_samples(axes: Any, summary: Mapping[str, Any]) -> None:
    for name, values in summary["curves"].items():
        axes.plot(range(1, len(values) + 1), values, label=name)
    if summary["all"]["isl"] is not None:
        axes.axhline(summary["all"]["isl"], color="black", linestyle="--", linewidth=0.8, label="isl")
    axes.set(xlabel="samples", ylabel="geometric mean of the best speedup")
    axes.legend()
