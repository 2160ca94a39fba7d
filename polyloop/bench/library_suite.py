"""What the benchmarks against libraries have in common: rows from a worker process, their summary, table and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console

from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.worker import Worker
from polyloop.bench.blas import mkl_version
from polyloop.bench.harness import RowBench, Summary, isolated, listed
from polyloop.bench.report import best_rival, closing, means, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.bench.tvm import TUNING_SECONDS, TVM
from polyloop.terminal.document import geometric_mean

_ROW_SECONDS = 300.0


def contestants(given: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names given with --against; by default all known ones, save one that is installed and tunes for minutes on
    every row.

    Raises:
        UsageError: for a name that is not known.
    """
    if given is None:
        return tuple(name for name in known if name != TVM or find_spec(name) is None)
    return tuple(listed("--against", given, known, "contestant "))


class LibraryBench(RowBench):
    """Rows of a worker process, beside libraries.

    Args:
        jobs: by name of each row, what the worker's function is called with.
        function: "module:function", called in a process of its own; a crash or a hang fails one row.
        settings: among them "against".
    """

    def __init__(self, jobs: Mapping[str, object], function: str, settings: Mapping[str, Any], dtype: str) -> None:
        super().__init__(list(jobs), settings)
        self.jobs, self.function = jobs, function
        self.machine = {"peak_gflops": peak_gflops(dtype, fresh=True)}
        self.machine |= {"libraries": {"numpy": np.__version__, "mkl": mkl_version()}}
        # What tunes in processes of its own gets the machine's memory, not a worker's.
        self.worker = Worker(memory_bytes=None)

    def measure(self, name: str) -> Row:
        limit = _ROW_SECONDS + (TUNING_SECONDS if TVM in self.settings["against"] else 0.0)
        row = isolated(self.worker, self.function, name, self.jobs[name], seconds=limit)
        assert isinstance(row, Row)
        return row

    def close(self) -> None:
        self.worker.close()

    def in_short(self, row: Row) -> str:
        ratios = ", ".join(f"{ratio.value:.2f} x {name}" for name, ratio in row.ratios.items())
        return f"{row.facts['peak_fraction']:.0%} of the peak" + (f", {ratios}" if ratios else "")

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_libraries(rows)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        names = list(summary["speedup"])
        header = ["row", "us", "GFLOPS", "peak", *(f"x {name}" for name in names), "compile ms", "check"]
        print_table(console, header, [[row.row, *_cells(row, names)] for row in rows])
        print_lines(console, _words(summary))


def summarize_libraries(rows: Sequence[Row]) -> Summary:
    """Of all rows so far: also the ratios without what calling a library takes, the share of the peak, compilation."""
    timed = [row for row in rows if row.failed is None]
    known = summarize(rows)
    calling = [row.facts["without_calling"] for row in timed]
    shares = [row.facts["peak_fraction"] for row in timed]
    return known | {
        "without_calling": {n: geometric_mean(each[n] for each in calling if each.get(n)) for n in known["speedup"]},
        "best_library": best_rival(timed),
        "peak_fraction": geometric_mean(shares),
        "lowest_peak_fraction": min(shares, default=None),
        "compile_seconds": median(row.facts["compile_seconds"] for row in timed) if timed else None,
    }


def _cells(row: Row, names: Sequence[str]) -> list[str]:
    if row.failed is not None:
        return ["failed"]
    wrong = [check.result for check in row.verdicts if not check.passed]
    found = [row.ratios.get(name) for name in names]
    return [
        f"{1e6 * row.seconds['ours']:.4g}",
        f"{row.facts['gflops']['ours']:.1f}",
        f"{row.facts['peak_fraction']:.1%}",
        *("-" if ratio is None else f"{ratio.value:.2f} ({ratio.low:.2f}..{ratio.high:.2f})" for ratio in found),
        f"{1e3 * row.facts['compile_seconds']:.1f}",
        f"DIFFERENT: {', '.join(wrong)}" if wrong else f"{len(row.verdicts)} agree",
    ]


def _words(summary: Summary) -> list[str]:
    lines = means(summary, 3)
    for name, mean in summary["without_calling"].items():
        if mean is not None:
            lines.append(f"x {name}, the cost of its call taken away: geometric mean {mean:.3f}")
    if summary["best_library"]:
        lines.append(f"x the fastest library: geometric mean {summary['best_library']:.3f}")
    if summary["slower"]:
        lines.append(f"slower than the fastest library: {', '.join(summary['slower'])}")
    if summary["peak_fraction"]:
        lines.append(
            f"of the peak: geometric mean {summary['peak_fraction']:.1%}, lowest {summary['lowest_peak_fraction']:.1%}"
        )
    return lines + closing(summary)
