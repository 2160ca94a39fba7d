"""The tables and plots of the suite ``polygym``: PolyGym's figures 8 (distribution), 9 (kernels) and 10 (samples)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polyloop.cli.benchmarks.plots import write_svgs
from polyloop.cli.benchmarks.polygym_figures import LEFT_OUT, QUANTILES, best_isl, best_of, isl_speedup

Rows = Sequence[dict[str, Any]]


def print_tables(
    console: Console, rows: Rows, summary: Mapping[str, Any], heuristics: Sequence[str], correlation: bool
) -> None:
    """Everything that was found, as text."""
    console.print("Speedups over LLVM -O3 of the original loops; all schedules get the same post-processing.")
    _print(console, "distribution", *_distribution(summary))
    _print(console, "best of each kernel", *_kernels(rows, heuristics))
    for title, key in (("all kernels", "all"), (f"without {', '.join(LEFT_OUT)}", "without_" + "_".join(LEFT_OUT))):
        known = summary[key]
        if known["isl"] is not None:
            title = f"{title}: {known['kernels']}, isl {known['isl']:.2f} x -O3"
            _print(console, title, *_means(known, heuristics))
    if correlation:
        _print(console, "rank correlation of the cost model with the measurement", *_correlations(rows, heuristics))
    for name, value in summary["model_rank_correlation"].items():
        console.print(f"cost model's rank correlation, mean over the kernels, {name}: {value:.2f}", markup=False)
    for kernel, reason in summary["failed"].items():
        console.print(f"failed: {kernel}: {reason}", markup=False, soft_wrap=True)


def _distribution(summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    header = ["heuristic", "samples", "failed", *(f"{q:.0%}" for q in QUANTILES)]
    cells = [
        [
            name,
            str(d["samples"]),
            f"{d['failed'] / d['samples']:.0%}",
            *(f"{v:.2f}" for v in d["mean_quantiles"].values()),
        ]
        for name, d in summary["distribution"].items()
    ]
    return header, cells


def _kernels(rows: Rows, heuristics: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    header = ["kernel", "ms", "isl", "isl's best", *heuristics, "best / isl"]
    cells = []
    for row in rows:
        if not row["isl"]:
            continue
        best = best_of(row, "best of all")
        cells.append(
            [
                row["kernel"],
                f"{1e3 * row['seconds']:.1f}",
                f"{isl_speedup(row):.2f}",
                f"{best_isl(row):.2f}",
                *(_number(best_of(row, heuristic)) for heuristic in heuristics),
                _number(None if best is None else best / isl_speedup(row)),
            ]
        )
    return header, cells


def _means(known: Mapping[str, Any], heuristics: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    header = ["heuristic", "kernels", "x -O3", "x isl", "x isl's best", "better than isl", "crosses isl after"]
    cells = []
    for name in (*heuristics, "best of all"):
        if name in known:
            each = known[name]
            after = each["crosses_isl_after"]
            ratios = [_number(each[key]) for key in ("over_o3", "over_isl", "over_best_isl")]
            crossed = "" if name == "best of all" else "-" if after is None else str(after)
            cells.append([name, str(each["kernels"]), *ratios, str(each["better_than_isl"]), crossed])
    return header, cells


def _correlations(rows: Rows, heuristics: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    cells = []
    for row in rows:
        known = row["heuristics"]
        values = [known[h]["model_rank_correlation"] if h in known else None for h in heuristics]
        cells.append([row["kernel"], *map(_number, values)])
    return ["kernel", *heuristics], cells


def _print(console: Console, title: str, header: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for number, name in enumerate(header):
        table.add_column(name, justify="left" if number == 0 else "right", no_wrap=True)
    for line in cells:
        table.add_row(*map(escape, line))
    console.print()
    console.print(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


# --- plots ------------------------------------------------------------------------------------------------------------


def write_plots(folder: Path, rows: Rows, summary: Mapping[str, Any]) -> list[str]:
    """The figures as SVG files; see `plots.write_svgs`."""
    return write_svgs(
        folder,
        {
            "distribution": lambda axes: _draw_distribution(axes, summary),
            "kernels": lambda axes: _draw_kernels(axes, rows),
            "samples": lambda axes: _draw_samples(axes, summary),
        },
    )


def _draw_distribution(axes: Any, summary: Mapping[str, Any]) -> None:
    names = list(summary["distribution"])
    quantiles = [list(summary["distribution"][name]["mean_quantiles"].values()) for name in names]
    for position, values in enumerate(quantiles):
        axes.plot([position] * len(values), values, marker="_", markersize=24, linewidth=1)
    axes.set_xticks(range(len(names)), names)
    axes.set_yscale("log")
    axes.axhline(1.0, color="grey", linewidth=0.5)
    axes.set_ylabel("speedup over -O3: 10, 25, 50, 75, 90%")


def _draw_kernels(axes: Any, rows: Rows) -> None:
    known = [row for row in rows if row["isl"] and best_of(row, "best of all") is not None]
    places = range(len(known))
    axes.bar([p - 0.2 for p in places], [isl_speedup(row) for row in known], 0.4, label="isl")
    axes.bar([p + 0.2 for p in places], [best_of(row, "best of all") for row in known], 0.4, label="best sample")
    axes.set_xticks(places, [row["kernel"] for row in known], rotation=60, ha="right")
    axes.set_yscale("log")
    axes.axhline(1.0, color="grey", linewidth=0.5)
    axes.set_ylabel("speedup over -O3")
    axes.legend()


def _draw_samples(axes: Any, summary: Mapping[str, Any]) -> None:
    for name, values in summary["curves"].items():
        axes.plot(range(1, len(values) + 1), values, label=name)
    if summary["all"]["isl"] is not None:
        axes.axhline(summary["all"]["isl"], color="black", linestyle="--", linewidth=0.8, label="isl")
    axes.set_xlabel("samples")
    axes.set_ylabel("geometric mean of the best speedup")
    axes.legend()
