"""The suite ``blas``: loops of linear algebra, as they are written, beside the library that one would call instead.

A row is a kernel of `data/kernels` (or the published file of its name): `polyloop optimize`'s kernel in memory and the
library's calls (`polyloop.bench.blas_calls`) work on the same arrays in C order, in turn, on one thread of one process.
Both are warm: arrays stay in the caches as the contestant before has left them, and only those that the kernel writes
are restored before every run. Our results are those of the loops as written, bit for bit; the library's are compared
with them within a tolerance.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from polyloop.backend.run.kernel import Kernel
from polyloop.backend.run.worker import Worker
from polyloop.bench import ours
from polyloop.bench.blas_calls import CALLS, LEVELS, c_text, open_to_all
from polyloop.bench.calling import Arrays, Bench, Run, make_bench
from polyloop.bench.harness import MEMORY, RowBench, Summary, chosen, isolated, listed, refusing
from polyloop.bench.library_settings import held_back, kernels_of, library_of, variables
from polyloop.bench.report import closing, means, print_lines, print_table, ratio_cells, summarize
from polyloop.bench.rows import Check, Row
from polyloop.bench.sampling import OURS, interleave, timed_row
from polyloop.bench.sources import Job, find_programs
from polyloop.bench.toolchain import build_shared, find_toolchain
from polyloop.frontend import read_source
from polyloop.measure.jobs import compare
from polyloop.shipped.kernels import KernelInfo, kernel
from polyloop.support.files import WorkFolder
from polyloop.terminal.document import geometric_mean

AGAINST = ("openblas",)
TOLERANCE = 1e-10
"""Relative to the largest element of an array: sums of some thousand terms in another order."""

_ROW_SECONDS = 600.0
_TARGET_SECONDS, _ROUNDS = 2.0, (7, 200)


def bench(arguments: Namespace) -> Blas:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown kernel or contestant, or where there are no published files.
    """
    listed("--against", arguments.against or ",".join(AGAINST), AGAINST, "contestant ")
    names = chosen(arguments.kernels, CALLS, arguments.limit, arguments.seed)
    dataset = arguments.dataset or "MEDIUM"
    programs = find_programs(Path(arguments.sources)) if arguments.sources is not None else {}
    settings = {"kernels": names, "dataset": dataset, "sources": arguments.sources, "budget": arguments.budget}
    settings |= {"rounds": arguments.rounds, "against": list(AGAINST)}
    more = AGAINST, arguments.budget, arguments.rounds, 1
    return Blas({name: Job(name, dataset, *more, programs.get(name)) for name in names}, settings)


class Blas(RowBench):
    """Rows of worker processes, which are started with the library's setting for the instructions that we generate."""

    def __init__(self, jobs: Mapping[str, Job], settings: Mapping[str, Any]) -> None:
        super().__init__(list(jobs), settings)
        self.jobs = jobs
        library = library_of(AGAINST[0])
        assert library is not None
        self.environment = {} if library.given else variables(library.candidates()[0])

    def measure(self, name: str) -> Row:
        with Worker(MEMORY, environment=self.environment) as worker:
            row = isolated(worker, "polyloop.bench.blas_kernels:measure", self.jobs[name], seconds=_ROW_SECONDS)
        assert isinstance(row, Row)
        return row

    def in_short(self, row: Row) -> str:
        return f"{row.ratios[AGAINST[0]].value:.2f} x {AGAINST[0]}, {row.facts['gflops'][OURS]:.1f} GFLOPS"

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize(rows) | {
            "levels": {
                level: geometric_mean(row.ratios[AGAINST[0]].value for row in rows if row.row in names and row.ratios)
                for level, names in LEVELS.items()
            }
        }

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        header = ["kernel", "ours us", "GFLOPS", "library us", "GFLOPS", "ratio", "95%", "check", "library's", "ours"]
        print_table(console, header, [[row.row, *_cells(row)] for row in rows], left=("check", "library's", "ours"))
        lines = [f"{name}: geometric mean {mean:.2f}" for name, mean in summary["levels"].items() if mean is not None]
        kernels = ", ".join(dict.fromkeys(str(row.facts["kernels"]) for row in rows if row.failed is None))
        said = [f"{AGAINST[0]}'s kernels: {kernels}; one thread, both warm"] if kernels else []
        print_lines(console, [*means(summary), *lines, *said, *held_back(AGAINST), *closing(summary)])


def _cells(row: Row) -> list[str]:
    if row.failed is not None:
        return ["failed"]
    library, rates = AGAINST[0], row.facts["gflops"]
    ratio = row.ratios[library]
    figures = [text for name in (OURS, library) for text in (f"{1e6 * row.seconds[name]:.1f}", f"{rates[name]:.1f}")]
    words = [row.verdict("agree"), row.facts["functions"], "; ".join(row.facts["done"])]
    return [*figures, *ratio_cells(ratio), *words]


# --- in the worker ----------------------------------------------------------------------------------------------------


@dataclass
class _Contest:
    """Two contestants on the same arrays.

    Attributes:
        written: arrays that are restored before every run.
        results: of each contestant's first run.
    """

    bench: Bench
    written: frozenset[str]
    results: dict[str, Arrays] = field(default_factory=dict)

    def turn(self, name: str, run: Run) -> Run:
        """A run of a contestant on restored arrays, whose first results are kept."""

        def call() -> float:
            for array in self.written:
                np.copyto(self.bench.working[array], self.bench.pristine[array])
            seconds = run()
            if name not in self.results:
                self.results[name] = {array: self.bench.working[array].copy() for array in self.bench.info.outputs}
            return seconds

        return call


@refusing
def measure(job: Job) -> Row:
    """The row of one kernel.

    Raises:
        PolyloopError: if there is none: no OpenBLAS, no compiler for the calls, a file that cannot be read, ...
    """
    open_to_all()
    info = kernel(job.kernel)
    sizes = info.resolve(job.dataset)
    compiler = find_toolchain(()).reference
    start = time.perf_counter()
    request = ours.Request(info.path, sizes, job.budget) if job.program is None else job.request(1)
    outcome = ours.optimize_text(request)
    facts: dict[str, Any] = {
        "sizes": sizes,
        "optimize_seconds": time.perf_counter() - start,
        "done": list(outcome.steps),
        "functions": CALLS[info.name].functions,
        "kernels": kernels_of(AGAINST[0]),
    }
    assert outcome.kernel is not None  # files of linear algebra have one region
    with WorkFolder() as folder:
        calls = Path(folder) / "calls.c"
        calls.write_text(c_text(info.name, info.function, parameters(info)), encoding="utf-8")
        made = make_bench(info, sizes)
        library = made.shared(build_shared(compiler, calls))
        contest = _Contest(made, _written(info))
        runs = {OURS: _with_published_names(made, outcome.kernel).jit(outcome.kernel), AGAINST[0]: library}
        turns = {name: contest.turn(name, run) for name, run in runs.items()}
        timed = interleave(turns, job.rounds, _TARGET_SECONDS, _ROUNDS)
    found = compare(contest.results[OURS], as_written(info.name, contest.results[AGAINST[0]]), TOLERANCE, by_array=True)
    check = Check(
        AGAINST[0], found.compared, found.passed, OURS, found.different, largest=found.largest, tolerance=TOLERANCE
    )
    return timed_row(info.name, timed, AGAINST, info.flops(sizes), [check], facts)


def _written(info: KernelInfo) -> frozenset[str]:
    """The arrays that a kernel writes, and so do the library's calls."""
    (scop,) = read_source(str(info.path)).scops
    return scop.written & frozenset(a.name for a in info.arguments if a.shape)


def parameters(info: KernelInfo) -> str:
    return ", ".join(f"{a.ctype} {'*' if a.shape else ''}{a.name}" for a in info.arguments)


def _with_published_names(bench: Bench, kernel: Kernel) -> Bench:
    """The published files call some arrays otherwise: y_1 is y1."""
    names = [spec.name for spec in kernel.signature.arguments]
    plain = {name: name.replace("_", "") for name in names}
    return replace(bench, working={n: bench.working[plain[n]] for n in names if plain[n] in bench.working})


def as_written(name: str, results: Arrays) -> Arrays:
    """The library's results as the loops have them. LAPACK factors the transpose of an array in C order, so that the
    diagonal of ones is the other triangle's; the inputs are dominated by their diagonals, so that it exchanges no rows.
    """
    if name != "lu":
        return results
    factors = results["A"]
    diagonal = np.diag(factors)
    return {"A": np.tril(factors, -1) / diagonal + np.diag(diagonal) + np.triu(factors, 1) * diagonal[:, None]}
