"""One shipped kernel from C to a row of the report: a process of its own, so that a crash ends only this row.

``python -m polyloop.cli.benchmarks.kernel_worker JOB ROW`` reads a job and writes the row, both JSON files.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyloop.cli.benchmarks import ours
from polyloop.cli.benchmarks.calling import Arrays, Bench, Run, make_bench
from polyloop.cli.benchmarks.figures import JIT, OURS, figures
from polyloop.cli.benchmarks.isolation import serve
from polyloop.cli.benchmarks.sampling import SLOW_SECONDS, interleave
from polyloop.cli.benchmarks.toolchain import (
    NO_CONTRACTION,
    SHARED,
    BuildError,
    Compiler,
    Toolchain,
    build,
    build_shared,
    find_toolchain,
)
from polyloop.kernels import kernel
from polyloop.measurement import compare

# gcc by default fuses across statements as it likes; its results are held to the exact ones with contraction off.
EXACT = 0.0


@dataclass
class _Contest:
    """What is known so far: the runs to time, the comparisons of their results, and what could not be built."""

    bench: Bench
    runs: dict[str, Run] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    expected: Arrays = field(default_factory=dict)

    def add(self, name: str, run: Run, tolerance: float | None) -> None:
        """A contestant; its first result is compared with the first contestant's, which is the reference."""
        first = True

        def call() -> float:
            nonlocal first
            self.bench.restore()
            seconds = run()
            if first:
                self._check(name, tolerance)
            first = False
            return seconds

        self.runs[name] = call

    def _check(self, name: str, tolerance: float | None) -> None:
        if not self.expected:
            self.expected = self.bench.results()
            return
        self.checks.append(_comparison(name, next(iter(self.runs)), self.expected, self.bench.working, tolerance))


def measure(job: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one kernel.

    Args:
        job: "kernel", "dataset", "against" (names), "budget" (seconds or None), "rounds" (or None), "threads".
    Raises:
        PolyloopError: if there is no row: a compiler is missing, the kernel cannot be read, ...
    """
    info = kernel(job["kernel"])
    sizes = info.resolve(job["dataset"])
    tools = find_toolchain(job["against"], job["threads"])
    start = time.perf_counter()
    outcome = ours.optimize_text(ours.Request(info.path, sizes, job["budget"], job["threads"]))
    row: dict[str, Any] = {
        "kernel": info.name,
        "dataset": job["dataset"],
        "sizes": sizes,
        "flops": info.flops(sizes),
        "optimize_seconds": time.perf_counter() - start,
        "floating": info.is_floating,
        "done": list(outcome.steps),
        "original": outcome.is_original,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contest = _Contest(make_bench(info, sizes, tools.reference, folder, job["threads"] > 1))
        _add_originals(contest, tools, info.path)
        row["warnings"] = _add_ours(contest, tools, outcome, folder)
        timed = interleave(contest.runs, job["rounds"])
        if min(timed[tools.reference.name]) <= SLOW_SECONDS:
            _check_without_contraction(contest, tools, info.path, folder)
    return (
        row
        | figures(timed, [c.name for c in _plain(tools)], row["flops"])
        | {"checks": contest.checks, "not_built": contest.failures}
    )


def _add_originals(contest: _Contest, tools: Toolchain, source: Path) -> None:
    for compiler in sorted(tools.compilers.values(), key=lambda c: c.name != tools.reference.name):
        try:
            library = build_shared(compiler, source)
        except BuildError as error:
            contest.failures[compiler.name] = str(error)
            continue
        contest.add(compiler.name, contest.bench.shared(library), None)


def _add_ours(contest: _Contest, tools: Toolchain, outcome: ours.Outcome, folder: Path) -> list[str]:
    """The emitted C under every C compiler, and the kernel in memory; returns the warnings of -Wall."""
    source = folder / "emitted.c"
    source.write_text(outcome.text, encoding="utf-8")
    warnings: list[str] = []
    for compiler in _plain(tools):
        name = OURS if compiler.name == tools.reference.name else f"{OURS} {compiler.name}"
        try:
            library = folder / f"{compiler.name}.so"
            printed = build(compiler, [source], library, ("-Wall", *SHARED))
        except BuildError as error:
            contest.failures[name] = str(error)
            continue
        warnings += [line for line in printed.splitlines() if "warning:" in line]
        contest.add(name, contest.bench.shared(library), EXACT if compiler.name == "clang" else None)
    if outcome.kernel is not None:
        contest.add(JIT, contest.bench.jit(outcome.kernel), EXACT if tools.reference.name == "clang" else None)
    return warnings


def _check_without_contraction(contest: _Contest, tools: Toolchain, original: Path, folder: Path) -> None:
    """With no multiply-adds fused, every compiler has to give the same bits as it gives for the original."""
    for compiler in _plain(tools):
        if OURS in contest.failures or f"{OURS} {compiler.name}" in contest.failures:
            continue
        library = folder / f"{compiler.name}-exact.so"
        build(compiler, [folder / "emitted.c"], library, (NO_CONTRACTION, *SHARED))
        results = []
        for path in (build_shared(compiler, original, (NO_CONTRACTION,)), library):
            contest.bench.restore()
            contest.bench.shared(path)()
            results.append(contest.bench.results())
        name = f"{OURS}, {compiler.name} {NO_CONTRACTION}"
        expected, actual = results
        contest.checks.append(_comparison(name, f"{compiler.name} {NO_CONTRACTION}", expected, actual, EXACT))


def _plain(tools: Toolchain) -> list[Compiler]:
    return [compiler for name, compiler in tools.compilers.items() if name != "polly"]


def _comparison(name: str, against: str, expected: Arrays, actual: Arrays, tolerance: float | None) -> dict[str, Any]:
    """A comparison as the report has it; without a tolerance it is for information: the result is not ours."""
    check = compare(expected, actual, tolerance or 0.0)
    row: dict[str, Any] = {"result": name, "against": against, "compared": check.compared}
    row |= {"different": check.different, "largest": check.largest, "tolerance": tolerance}
    return row | {"passed": None if tolerance is None else check.passed}


if __name__ == "__main__":
    serve(measure, Path(sys.argv[1]), Path(sys.argv[2]))
