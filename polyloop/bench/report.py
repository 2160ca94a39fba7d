"""What a benchmark says at its end: the summary, the table, the JSON file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polyloop.bench.sampling import geometric_mean
from polyloop.config import use_color

Row: TypeAlias = Mapping[str, Any]

LOWEST_RATIO = 0.97
"""A row whose interval lies below this is slower than the best compiler, beyond doubt."""

_WIDTH = 200  # where standard output is no terminal


def summarize_rows(rows: Sequence[Row], missing: Mapping[str, str], peak_gflops: float | None) -> dict[str, Any]:
    """The summary of all rows so far.

    Args:
        rows: as the workers return them, failed ones included.
        missing: contestants that were asked for and are not installed, with reasons.
        peak_gflops: what the cores that were used reach together.
    """
    timed = [row for row in rows if row.get("speedup")]
    names = list(dict.fromkeys(name for row in timed for name in row["speedup"]))
    # Contestants were built from the original; "jit" and "ours gcc" are other forms of our own result.
    rivals = [name for name in names if name != "jit" and not name.startswith("ours")]
    return {
        "speedup": {name: geometric_mean(_ratios(timed, name)) for name in rivals},
        "best_compiler": geometric_mean(row["best_speedup"] for row in timed),
        "worst": {name: _worst(timed, name) for name in rivals},
        "slower": [row["kernel"] for row in timed if row["interval"]["high"] < LOWEST_RATIO],
        "emitted_over_jit": _over_jit(timed),
        "peak_gflops": peak_gflops,
        "peak_fraction": geometric_mean(f for row in timed if (f := fraction(row, peak_gflops)) is not None),
        "verified": _verified(rows),
        "failed": {row["kernel"]: row["failed"] for row in rows if "failed" in row},
        "not_built": {row["kernel"]: row["not_built"] for row in rows if row.get("not_built")},
        "warnings": sum(len(row.get("warnings", ())) for row in rows),
        "missing": dict(missing),
    }


def fraction(row: Row, peak_gflops: float | None) -> float | None:
    """The share of the peak that our code reaches; None where operations are on integers."""
    rate = row.get("gflops", {}).get("ours")
    return rate / peak_gflops if rate and peak_gflops and row.get("floating") else None


def _ratios(rows: Iterable[Row], name: str) -> list[float]:
    return [row["speedup"][name] for row in rows if name in row["speedup"]]


def _worst(rows: Iterable[Row], name: str) -> dict[str, Any]:
    row = min((row for row in rows if name in row["speedup"]), key=lambda row: float(row["speedup"][name]))
    return {"ratio": row["speedup"][name], "row": row["kernel"]}


def _over_jit(rows: Iterable[Row]) -> dict[str, Any]:
    """How fast the emitted C is under each compiler, relative to the kernel in memory: mean and worst."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        jit = row["seconds"].get("jit")
        for name, timing in row["seconds"].items():
            if jit and name.startswith("ours"):
                found.setdefault(name, {})[row["kernel"]] = jit["median"] / timing["median"]
    return {
        name: {
            "mean": geometric_mean(ratios.values()),
            "worst": min(ratios.values()),
            "row": min(ratios, key=ratios.__getitem__),
        }
        for name, ratios in found.items()
    }


def _verified(rows: Iterable[Row]) -> dict[str, int]:
    """Results of ours that had to be equal: how many, how many were not, and the elements behind them."""
    checks = [check for row in rows for check in row.get("checks", ()) if check["passed"] is not None]
    return {
        "compared": len(checks),
        "different": sum(not check["passed"] for check in checks),
        "elements": sum(check["compared"] for check in checks),
    }


def console_for_tables(errors: bool = False) -> Console:
    """Standard output (or error); as wide as a table needs where nobody looks at it directly."""
    stream = sys.stderr if errors else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else _WIDTH, no_color=not use_color(), highlight=False)


def print_table(console: Console, rows: Sequence[Row], summary: Mapping[str, Any]) -> None:
    """One line for each row, then the summary in words."""
    rivals = list(summary["speedup"])
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in (
        "kernel",
        "seconds",
        *(f"x {name}" for name in rivals),
        "95% of best",
        "GFLOPS",
        "peak",
        "x jit",
        "check",
    ):
        table.add_column(name, justify="left" if name in ("kernel", "check") else "right", no_wrap=True)
    table.add_column("what was done")
    for row in rows:
        cells = [row["kernel"], *_cells(row, rivals, summary["peak_gflops"])]
        table.add_row(*map(escape, cells))
    console.print(table)
    for line in _closing(summary):
        console.print(escape(line), soft_wrap=True)


def _cells(row: Row, rivals: Sequence[str], peak: float | None) -> list[str]:
    if "failed" in row:
        return [*[""] * (len(rivals) + 5), "failed", str(row["failed"]).partition("\n")[0]]
    ours, share = row["seconds"].get("ours"), fraction(row, peak)
    if ours is None:
        return [*[""] * (len(rivals) + 5), "not built", str(row["not_built"].get("ours", ""))]
    low, high = row["interval"]["low"], row["interval"]["high"]
    checks = [check for check in row["checks"] if check["passed"] is not None]
    wrong = [check["result"] for check in checks if not check["passed"]]
    return [
        f"{ours['minimum']:.3g}",
        *(f"{row['speedup'][name]:.2f}" if name in row["speedup"] else "-" for name in rivals),
        f"{low:.2f}..{high:.2f} {row['interval']['against']}",
        f"{row['gflops']['ours']:.1f}" if row["gflops"] else "-",
        "" if share is None else f"{share:.0%}",
        f"{row['speedup']['jit']:.2f}" if "jit" in row["speedup"] else "-",
        f"{len(checks)} equal" if not wrong else f"DIFFERENT: {', '.join(wrong)}",
        "; ".join(row["done"]),
    ]


def _closing(summary: Mapping[str, Any]) -> list[str]:
    lines = [
        f"x {name}: geometric mean {mean:.2f}, worst {summary['worst'][name]['ratio']:.2f} "
        f"({summary['worst'][name]['row']})"
        for name, mean in summary["speedup"].items()
    ]
    if summary["best_compiler"]:
        lines.append(f"x the better of gcc and clang: geometric mean {summary['best_compiler']:.2f}")
    if summary["slower"]:
        lines.append(f"slower than the better of gcc and clang: {', '.join(summary['slower'])}")
    if summary["peak_fraction"]:
        lines.append(
            f"of the peak of {summary['peak_gflops']:.0f} GFLOPS: geometric mean {summary['peak_fraction']:.1%}"
        )
    for name, ratio in summary["emitted_over_jit"].items():
        lines.append(f"{name} over jit: {ratio['mean']:.2f}, worst {ratio['worst']:.2f} ({ratio['row']})")
    verified = summary["verified"]
    lines.append(f"results compared: {verified['compared']}, different: {verified['different']}")
    lines += [f"missing: {name}: {reason}" for name, reason in summary["missing"].items()]
    lines += [
        f"not built: {kernel}, {name}: {reason.splitlines()[0]}"
        for kernel, names in summary["not_built"].items()
        for name, reason in names.items()
    ]
    return lines


def document(suite: str, machine: Row, settings: Row, rows: Sequence[Row], summary: Row) -> bytes:
    """The JSON file."""
    content = {"suite": suite, "machine": machine, "settings": settings, "rows": list(rows), "summary": summary}
    return (json.dumps(content, indent=1) + "\n").encode()
