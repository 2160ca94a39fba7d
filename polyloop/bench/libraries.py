"""All libraries that one row needs, built side by side: compilers take longer over some files than their code runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyloop.bench.rows import REPRODUCIBLE
from polyloop.bench.sampling import OURS
from polyloop.bench.toolchain import Toolchain, build_shared
from polyloop.support.compilers import NO_CONTRACTION, SHARED, BuildError, Compiler, build


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


def plain_compilers(tools: Toolchain) -> list[Compiler]:
    """clang and gcc, the reference first."""
    found = [compiler for name, compiler in tools.compilers.items() if name != "polly"]
    return sorted(found, key=lambda compiler: compiler.name != tools.reference.name)


def our_name(tools: Toolchain, compiler: Compiler) -> str:
    """What the emitted C is called under a compiler: just "ours" under the reference."""
    return OURS if compiler.name == tools.reference.name else f"{OURS} {compiler.name}"


def exact(name: str) -> str:
    """What a library without contraction is called."""
    return f"{name} {NO_CONTRACTION}"


def reproducible_name(tools: Toolchain, compiler: Compiler) -> str:
    """What the reproducible C is called under a compiler: just "reproducible" under the reference."""
    return REPRODUCIBLE if compiler.name == tools.reference.name else f"{REPRODUCIBLE} {compiler.name}"


def build_libraries(tools: Toolchain, original: Path, emitted: Path, reproducible: Path | None = None) -> Libraries:
    """Build the original and the emitted C by everyone.

    Args:
        reproducible: another emitted file, which is built as it is: it says itself how it is to be rounded.
    """
    tasks = list(_tasks(tools, original, emitted))
    if reproducible is not None:
        for compiler in plain_compilers(tools):
            name, output = reproducible_name(tools, compiler), emitted.with_name(f"{compiler.name}-reproducible.so")
            tasks.append(_Task(name, compiler, reproducible, ("-Wall",), output))
    libraries = Libraries({}, {}, [])
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for task, future in [(task, pool.submit(task.run)) for task in _longest_first(tasks)]:
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
    for compiler in plain_compilers(tools):
        ours, stem = our_name(tools, compiler), str(emitted.with_name(compiler.name))
        yield _Task(ours, compiler, emitted, ("-Wall",), Path(f"{stem}.so"))
        yield _Task(exact(ours), compiler, emitted, (NO_CONTRACTION,), Path(f"{stem}-exact.so"))
        yield _Task(exact(compiler.name), compiler, original, (NO_CONTRACTION,))


def _longest_first(tasks: Sequence[_Task]) -> list[_Task]:
    """Emitted C by gcc takes longest: explicit vectors, unrolled."""
    return sorted(tasks, key=lambda task: (task.output is None, task.compiler.name != "gcc"))
