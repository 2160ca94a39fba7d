"""The suite ``real``: functions as engineers write them (data/real), under the compilers that they are built with.

Each row is a function: the region as it stands in its file and what `polyloop optimize --cc` finds for it, both built
by one compiler and run in turn. What no candidate makes faster is left as it is: its ratio is 1.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from rich.console import Console

from polyloop.backend.config import default_threads
from polyloop.backend.run.timing import Ratio
from polyloop.bench.harness import RowBench, Summary, chosen, listed
from polyloop.bench.report import closing, means, print_lines, ratio_cells, summarize
from polyloop.bench.rows import Row
from polyloop.bench.turns import Compilers, checks_of, judged_results, ours, print_by_compiler
from polyloop.frontend import read_source
from polyloop.measure.result import Result
from polyloop.scop.model import Scop

FOLDER = Path(__file__).parents[1] / "data" / "real"
AGAINST = ("gcc", "clang")
REASSOCIATED = " --reassociate"
"""Ends the names of rows whose sums may be reordered, and whose functions of numbers may be those for vectors."""

SIZES = {
    "bilateral": {"height": 240, "width": 320},
    "black_scholes": {"count": 100_000},
    "blur": {"h": 720, "w": 1280},
    "bodies_forces": {"n": 2000},
    "body_forces": {"n": 2000},
    "collide": {"ny": 200, "nx": 200},
    "histogram": {"height": 720, "width": 1280, "stride": 1280},
    "price_options": {"count": 64},
    "sad_window": {"range_y": 48, "range_x": 48, "block_stride": 16, "window_stride": 64},
    "smith_waterman": {"m": 1000, "n": 1000},
    "sobel": {"height": 720, "width": 1280, "stride": 1280},
    "spmv": {"rows": 20_000},
    "stream": {"ny": 200, "nx": 200},
    "update_e": {"g_size_x": 300, "g_size_y": 300},
    "update_h": {"g_size_x": 300, "g_size_y": 300},
}
"""What the functions are measured with: images, grids and sets as they are common, of which few fit a near cache."""

_LOOSE = ("bilateral", "black_scholes")


@cache
def regions() -> Mapping[str, Scop]:
    """Those of data/real, by function."""
    files = (read_source(path, auto=True) for path in sorted(FOLDER.glob("*.c")))
    return {scop.name: scop for file in files for scop in file.scops}


def bench(arguments: Namespace) -> Real:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown function or contestant, or if there is none of the compilers.
    """
    against = listed("--against", arguments.against or ",".join(AGAINST), AGAINST, "contestant ")
    names = [*SIZES, *(f"{name}{REASSOCIATED}" for name in _LOOSE)]
    return Real(
        chosen(arguments.kernels, names, arguments.limit, arguments.seed),
        against,
        arguments.budget,
        arguments.threads or default_threads(),
    )


class Real(RowBench):
    """One row for each function, and one more where reassociation pays.

    Raises:
        UsageError: if none of the compilers is installed.
    """

    def __init__(self, names: Sequence[str], against: Sequence[str], budget: float | None, threads: int) -> None:
        settings = {"against": list(against), "budget": budget, "threads": threads, "kernels": list(names)}
        super().__init__(names, settings)
        self.budget, self.threads = budget, threads
        self.compilers = Compilers.named(against)

    def measure(self, name: str) -> Row:
        function = name.removesuffix(REASSOCIATED)
        results = judged_results(
            regions()[function], self.compilers, SIZES[function], self.budget, self.threads, name != function
        )
        return _row(name, results, self.compilers.missing)

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize(rows, self.compilers.missing)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        print_by_compiler(console, rows, self.compilers, ("{} ms", "ours ms", "x {}", "95%"), _cells)
        print_lines(console, [*means(summary), *closing(summary)])


def _cells(row: Row, compiler: str) -> list[str]:
    milliseconds = [f"{1e3 * row.seconds[name]:.3f}" for name in (compiler, ours(compiler))]
    return [*milliseconds, *ratio_cells(row.ratios[compiler])]


def _row(name: str, results: dict[str, Result], missing: Mapping[str, str]) -> Row:
    seconds: dict[str, float] = {}
    ratios: dict[str, Ratio] = {}
    for compiler, result in results.items():
        judged = result.judged
        assert judged is not None
        seconds |= {compiler: judged.before.median, ours(compiler): result.timing.median}
        kept = result.is_original
        ratios[compiler] = Ratio(1.0, 1.0, 1.0) if kept else Ratio(judged.ratio, judged.low, judged.high)
    rival = min(ratios, key=lambda compiler: ratios[compiler].value)
    chosen_by = {compiler: "" if result.is_original else result.best.name for compiler, result in results.items()}
    facts = {"sizes": dict(next(iter(results.values())).sizes), "schedules": chosen_by}
    return Row(name, seconds, ratios, rival, checks_of(results), missing, facts=facts)
