"""One published program: original and result built in every configuration, their dumps compared byte for byte."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloop.backend.errors import BackendError
from polyloop.bench import ours
from polyloop.bench.harness import refusing
from polyloop.bench.rows import Row
from polyloop.bench.sources import Job, Program, RunError, dump
from polyloop.bench.toolchain import find_toolchain
from polyloop.errors import PolyloopError
from polyloop.support.compilers import NO_CONTRACTION, BuildError, Compiler
from polyloop.support.files import WorkFolder

# gcc by default fuses across statements as it likes, so only without contraction do its results have to be equal.
FLAGS = {"clang": ((), (NO_CONTRACTION,)), "gcc": ((NO_CONTRACTION,),)}
THREADS = (1, 2)
_DUMP = "-DPOLYBENCH_DUMP_ARRAYS"
_RUN_SECONDS = 300.0


@dataclass(frozen=True)
class Configuration:
    """How original and result are built and run. `compiler` is the sequential one, `parallel` has ``-fopenmp``."""

    compiler: Compiler
    parallel: Compiler | str
    flags: tuple[str, ...]
    threads: int

    @property
    def name(self) -> str:
        flags = "".join(f" {flag}" for flag in self.flags)
        return f"{self.compiler.name}{flags}, {self.threads} thread{'s' if self.threads > 1 else ''}"


@dataclass(frozen=True)
class _Files:
    """A program, the folder in which its emitted forms are, and the warnings that they bring."""

    program: Program
    folder: Path
    dataset: str
    warnings: list[str]


@refusing
def verify(job: Job) -> Row:
    """The row of one program."""
    program = job.published
    row: dict[str, Any] = {"kernel": job.kernel, "dataset": job.dataset, "results": [], "warnings": [], "done": {}}
    row["remarks"] = []
    with WorkFolder() as name:
        folder = Path(name)
        outcomes = {threads: _optimize(job, threads) for threads in THREADS}
        for threads, outcome in outcomes.items():
            if isinstance(outcome, str):
                continue
            (folder / f"emitted{threads}.c").write_text(outcome.text, encoding="utf-8", newline="")
            row["done"][str(threads)] = ["original"] if outcome.is_original else list(outcome.steps)
            row["remarks"] = list(outcome.remarks)
        files = _Files(program, folder, job.dataset, row["warnings"])
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            tried = [pool.submit(_try, files, how, outcomes[how.threads]) for how in configurations()]
            row["results"] = [future.result() for future in tried]
    row["warnings"].sort()
    return Row(job.kernel, facts=row)


def configurations() -> Iterator[Configuration]:
    """Every compiler that is installed, with each of its flags, sequential and in two threads."""
    sequential = find_toolchain(("clang", "gcc"))
    parallel = find_toolchain(("clang", "gcc"), max(THREADS))
    for name, compiler in sequential.compilers.items():
        for flags in FLAGS[name]:
            yield Configuration(compiler, compiler, flags, 1)
            yield Configuration(compiler, parallel.compilers.get(name) or parallel.missing[name], flags, max(THREADS))


def _optimize(job: Job, threads: int) -> ours.Outcome | str:
    """The result, or why there is none."""
    try:
        return ours.optimize_text(job.request(threads))
    except (PolyloopError, BackendError) as error:
        return str(error)


def _try(files: _Files, how: Configuration, outcome: ours.Outcome | str) -> dict[str, str]:
    """The result of one configuration."""
    result = {"configuration": how.name}
    if isinstance(outcome, str):
        return result | {"outcome": "refused", "reason": outcome}
    if isinstance(how.parallel, str):
        return result | {"outcome": "missing", "reason": how.parallel}
    return result | _compare(files, how, how.parallel)


def _compare(files: _Files, how: Configuration, builder: Compiler) -> dict[str, str]:
    """Build and run both; the outcome of the comparison."""
    program, folder, dataset = files.program, files.folder, files.dataset
    flags = (*how.flags, _DUMP, "-Wall")
    stem = how.name.replace(" ", "_")
    original, emitted = folder / f"{stem}-original", folder / f"{stem}-result"
    try:
        before = program.build(how.compiler, program.path, original, dataset, flags)
        after = program.build(builder, folder / f"emitted{how.threads}.c", emitted, dataset, flags)
        added = _messages(after) - _messages(before)
        files.warnings.extend(f"{how.name}: {text}" for text in added.elements())
        expected = dump(original, 1, _RUN_SECONDS)
    except (BuildError, RunError) as error:
        return {"outcome": "failed", "reason": str(error)}
    try:
        actual = dump(emitted, how.threads, _RUN_SECONDS)
    except RunError as error:
        return {"outcome": "different", "reason": str(error)}
    return {"outcome": "equal"} if actual == expected else {"outcome": "different", "reason": _first(expected, actual)}


def _messages(printed: str) -> Counter[str]:
    """A compiler's warnings without their places; pragmas that are not its own are none of ours."""
    texts = (line.partition("warning: ")[2] for line in printed.splitlines() if "warning: " in line)
    return Counter(text for text in texts if "pragma" not in text)


def _first(expected: bytes, actual: bytes) -> str:
    """Where two dumps begin to differ."""
    words, others = expected.split(), actual.split()
    pairs = enumerate(zip(words, others, strict=False))
    at = next((k for k, (one, other) in pairs if one != other), min(len(words), len(others)))
    count = sum(one != other for one, other in zip(words, others, strict=False)) + abs(len(words) - len(others))
    return f"{count} of {len(words)} words differ, first {words[at : at + 1]} and {others[at : at + 1]}"
