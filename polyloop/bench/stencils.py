"""The suite ``stencils``: sweeps over grids, and recurrences along them, against compilers.

The rows are PolyBench's (the shipped kernels, or the published files) as in the suite ``polybench``, and grids as
engineers write them (data/real) as in the suite ``real``.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence

from rich.console import Console

from polyloop.bench import polybench
from polyloop.bench.harness import RowBench, Summary, chosen
from polyloop.bench.polybench import Timed
from polyloop.bench.real import AGAINST as COMPILERS
from polyloop.bench.real import Real
from polyloop.bench.report import closing, means, print_lines, print_table, ratio_cells, summarize
from polyloop.bench.rows import Row
from polyloop.terminal.errors import UsageError

KERNELS = ("jacobi-1d", "jacobi-2d", "heat-3d", "fdtd-2d", "seidel-2d", "adi", "deriche")
GRIDS = ("stream", "collide", "update_e", "update_h")
"""A lattice-Boltzmann method's two halves, and those of a field solver, in data/real."""


def bench(arguments: Namespace) -> Stencils:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for unknown kernels and contestants, and options that do not go together.
        PolyloopError: if there is no C compiler.
    """
    names = chosen(arguments.kernels, (*KERNELS, *GRIDS), arguments.limit, arguments.seed)
    kernels = [name for name in names if name in KERNELS]
    given = {**vars(arguments), "kernels": ",".join(kernels) or KERNELS[0], "limit": None, "verify": False}
    timed = polybench.bench(Namespace(**given))
    assert isinstance(timed, Timed)
    compilers = [name for name in COMPILERS if name in timed.tools.compilers and name in timed.settings["against"]]
    if not compilers and len(kernels) < len(names):
        raise UsageError(
            f"--against: {', '.join(set(names) - set(kernels))} take gcc or clang; leave them out, or add one"
        )
    real = Real([], compilers, arguments.budget, timed.settings["threads"]) if compilers else None
    return Stencils(names, timed, real)


class Stencils(RowBench):
    """Rows of two suites side by side."""

    def __init__(self, names: Sequence[str], timed: Timed, real: Real | None) -> None:
        super().__init__(names, {**timed.settings, "kernels": ",".join(names), "limit": None})
        self.timed, self.real, self.machine = timed, real, timed.machine

    def measure(self, name: str) -> Row:
        if name in KERNELS:
            return self.timed.measure(name)
        assert self.real is not None
        return self.real.measure(name)

    def summary(self, rows: Sequence[Row]) -> Summary:
        """What all suites say, and under ``ratios`` those of every row."""
        found: Mapping[str, Mapping[str, float]] = {
            row.row: {name: ratio.value for name, ratio in row.ratios.items()} for row in rows if row.failed is None
        }
        return summarize(rows, self.timed.tools.missing) | {"ratios": found}

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        rivals = list(summary["speedup"])
        header = ["stencil", *(text for name in rivals for text in (f"x {name}", "95%")), "check"]
        print_table(console, header, [_cells(row, rivals) for row in rows], left=("check",))
        print_lines(console, [*means(summary), *closing(summary)])


def _cells(row: Row, rivals: Sequence[str]) -> list[str]:
    cells = [text for name in rivals for text in ratio_cells(row.ratios.get(name))]
    return [row.row, *cells, row.verdict() if row.failed is None else "failed"]
