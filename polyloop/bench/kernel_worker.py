"""One shipped kernel from C to a row of the report: a process of its own, so that a crash ends only this row.

All libraries that one row needs, built side by side: compilers take longer over some files than their code runs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from polyloop.backend.run.kernel import Kernel
from polyloop.bench import ours
from polyloop.bench.calling import Arrays, Bench, Run, make_bench
from polyloop.bench.harness import refusing
from polyloop.bench.rows import REPRODUCIBLE, Check, Row
from polyloop.bench.sampling import JIT, OURS, SLOW_SECONDS, interleave, timed_row
from polyloop.bench.sources import PASSIVE, Job
from polyloop.bench.toolchain import Toolchain, build_shared, find_toolchain
from polyloop.measure.jobs import compare
from polyloop.shipped.kernels import kernel
from polyloop.support.compilers import NO_CONTRACTION, SHARED, BuildError, Compiler, build
from polyloop.support.files import WorkFolder


@dataclass(frozen=True)
class Libraries:
    """What was built.

    Attributes:
        built: shared libraries by name: contestants, "ours", "ours gcc", and both without contraction.
        failures: what could not be built, with the compilers' words.
        warnings: what -Wall says of the emitted C.
    """

    built: dict[str, Path]
    failures: dict[str, str]
    warnings: list[str]


@dataclass(frozen=True)
class _Task:
    """One library. Originals are the same at every run of a benchmark and come from the cache."""

    name: str
    compiler: Compiler
    source: Path
    flags: tuple[str, ...]
    output: Path | None = None

    def run(self) -> tuple[Path, str]:
        if self.output is None:
            return build_shared(self.compiler, self.source, self.flags), ""
        return self.output, build(self.compiler, [self.source], self.output, (*self.flags, *SHARED))


def exact(name: str) -> str:
    """What a library without contraction is called."""
    return f"{name} {NO_CONTRACTION}"


def build_libraries(tools: Toolchain, original: Path, emitted: Path, reproducible: Path | None = None) -> Libraries:
    """Build the original and the emitted C by everyone.

    Args:
        reproducible: another emitted file, which is built as it is: it says itself how it is to be rounded.
    """
    tasks = list(_tasks(tools, original, emitted))
    if reproducible is not None:
        for compiler in tools.plain:
            name, output = tools.named(REPRODUCIBLE, compiler), emitted.with_name(f"{compiler.name}-reproducible.so")
            tasks.append(_Task(name, compiler, reproducible, ("-Wall",), output))
    libraries = Libraries({}, {}, [])
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        # Emitted C by gcc takes longest: explicit vectors, unrolled.
        tasks.sort(key=lambda task: (task.output is None, task.compiler.name != "gcc"))
        for task, future in [(task, pool.submit(task.run)) for task in tasks]:
            try:
                path, printed = future.result()
            except BuildError as error:
                libraries.failures[task.name] = str(error)
                continue
            libraries.built[task.name] = path
            libraries.warnings.extend(line for line in printed.splitlines() if "warning:" in line)
    return libraries


def _tasks(tools: Toolchain, original: Path, emitted: Path) -> Iterator[_Task]:
    for compiler in tools.compilers.values():
        yield _Task(compiler.name, compiler, original, ())
    for compiler in tools.plain:
        ours, stem = tools.named(OURS, compiler), str(emitted.with_name(compiler.name))
        yield _Task(ours, compiler, emitted, ("-Wall",), Path(f"{stem}.so"))
        yield _Task(exact(ours), compiler, emitted, (NO_CONTRACTION,), Path(f"{stem}-exact.so"))
        yield _Task(exact(compiler.name), compiler, original, (NO_CONTRACTION,))


EXACT = 0.0


@dataclass
class _Contest:
    """What is known so far: the runs to time, the comparisons of their results, and what could not be built."""

    bench: Bench
    runs: dict[str, Run] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
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


@refusing
def measure(job: Job) -> Row:
    """The row of one kernel.

    Raises:
        PolyloopError: if there is no row: a compiler is missing, the kernel cannot be read, ...
    """
    os.environ.update(PASSIVE)
    info = kernel(job.kernel)
    sizes = info.resolve(job.dataset)
    tools = find_toolchain(job.against, job.threads)
    start = time.perf_counter()
    request = ours.Request(info.path, sizes, job.budget, job.threads)
    outcome = ours.optimize_text(request)
    facts: dict[str, Any] = {
        "kernel": info.name,
        "dataset": job.dataset,
        "sizes": sizes,
        "flops": info.flops(sizes),
        "optimize_seconds": time.perf_counter() - start,
        "floating": info.is_floating,
        "done": list(outcome.steps),
        "original": outcome.is_original,
    }
    with WorkFolder() as name:
        folder = Path(name)
        emitted = folder / "emitted.c"
        emitted.write_text(outcome.text, encoding="utf-8")
        reproducible = folder / "reproducible.c" if job.reproducible else None
        if reproducible is not None:
            separate = ours.optimize_text(replace(request, reproducible=True))
            reproducible.write_text(separate.text, encoding="utf-8")
            facts["reproducible"] = list(separate.steps)
        start = time.perf_counter()
        libraries = build_libraries(tools, info.path, emitted, reproducible)
        facts |= {"build_seconds": time.perf_counter() - start, "warnings": libraries.warnings}
        contest = _Contest(make_bench(info, sizes, job.threads))
        _enter(contest, tools, libraries, outcome.kernel)
        timed = interleave(contest.runs, job.rounds)
        # What is slow is not run once more for a comparison.
        if min(timed[tools.reference.name]) <= SLOW_SECONDS:
            _check_without_contraction(contest, tools, libraries)
    facts["not_built"] = libraries.failures
    rivals = [compiler.name for compiler in tools.plain]
    return timed_row(info.name, timed, rivals, facts["flops"], contest.checks, facts)


def _enter(contest: _Contest, tools: Toolchain, libraries: Libraries, kernel: Kernel | None) -> None:
    """Everything that is timed: the reference first, the other originals, the emitted C, the kernel in memory.

    gcc by default fuses across statements as it likes, so its results are only told; `_check_without_contraction`
    holds it to exact ones.
    """
    plain = tools.plain
    tolerances: dict[str, float | None] = {compiler.name: None for compiler in plain}
    tolerances |= dict.fromkeys(tools.compilers)
    tolerances |= {tools.named(OURS, compiler): EXACT if compiler.name == "clang" else None for compiler in plain}
    for name, tolerance in tolerances.items():
        if name in libraries.built:
            contest.add(name, contest.bench.shared(libraries.built[name]), tolerance)
    if REPRODUCIBLE in libraries.built:
        contest.add(REPRODUCIBLE, contest.bench.shared(libraries.built[REPRODUCIBLE]), None)
    if kernel is not None:
        contest.add(JIT, contest.bench.jit(kernel), EXACT if tools.reference.name == "clang" else None)


def _check_without_contraction(contest: _Contest, tools: Toolchain, libraries: Libraries) -> None:
    """With no multiply-adds fused, every compiler has to give the same bits as it gives for the original."""
    for compiler in tools.plain:
        original, *others = (
            exact(compiler.name),
            exact(tools.named(OURS, compiler)),
            tools.named(REPRODUCIBLE, compiler),
        )
        present = [name for name in others if name in libraries.built]
        if original not in libraries.built:
            continue
        results = {}
        for name in (original, *present):
            contest.bench.restore()
            contest.bench.shared(libraries.built[name])()
            results[name] = contest.bench.results()
        for name in present:
            contest.checks.append(_comparison(name, original, results[original], results[name], EXACT))


def _comparison(name: str, against: str, expected: Arrays, actual: Arrays, tolerance: float | None) -> Check:
    """Without a tolerance it is for information: the result is not ours."""
    found = compare(expected, actual, tolerance or 0.0)
    passed = None if tolerance is None else found.passed
    return Check(name, found.compared, passed, against, found.different, largest=found.largest, tolerance=tolerance)
