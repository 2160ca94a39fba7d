"""The PolyBench/C 4.2.1 tree as published: its programs, how they are built, what they print.

Every program is a folder with a C file of the same name, built together with ``utilities/polybench.c``; macros choose
the dataset, a dump of all results on standard error (POLYBENCH_DUMP_ARRAYS), or the kernel's seconds on standard
output (POLYBENCH_TIME).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyloop.bench import ours
from polyloop.errors import PolyloopError
from polyloop.support.compilers import Compiler, build
from polyloop.terminal.errors import UsageError

_SUPPORT = Path("utilities", "polybench.c")
_DUMP_END = b"==END"

PASSIVE = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
"""gcc's and clang's OpenMP each keep their threads; those of the one must not spin while the other is timed."""


class RunError(PolyloopError):
    """A program that was built did not run to its end."""


@dataclass(frozen=True)
class Program:
    """One program of the tree.

    Attributes:
        path: its C file.
        support: ``utilities/polybench.c``.
    """

    name: str
    path: Path
    support: Path

    @property
    def include_dirs(self) -> tuple[str, ...]:
        """Where its headers and the common one are."""
        return str(self.path.parent), str(self.support.parent)

    def build(self, compiler: Compiler, source: Path, output: Path, dataset: str, flags: Sequence[str]) -> str:
        """Build the program, or a rewritten form of it; returns the warnings.

        Raises:
            BuildError: if the compiler refuses it.
        """
        options = [*(f"-I{folder}" for folder in self.include_dirs), f"-D{dataset}_DATASET", *flags]
        # With OpenMP the common file looks for omp.h, which not every compiler with OpenMP comes with; it needs none.
        sequential = replace(compiler, command=tuple(flag for flag in compiler.command if flag != "-fopenmp"))
        common = output.with_name(f"{output.name}-common.o")
        build(sequential, [self.support], common, [*options, "-c"])
        return build(compiler, [source, common], output, options)


@dataclass(frozen=True)
class Job:
    """What a worker makes a row of: a shipped kernel, or a published program.

    Attributes:
        against: contestants.
        budget: seconds of the search, or None for its default.
        rounds: timed runs of each contestant, or None for as many as fit.
        reproducible: with our own reproducible result as a contestant.
    """

    kernel: str
    dataset: str
    against: tuple[str, ...] = ()
    budget: float | None = None
    rounds: int | None = None
    threads: int = 1
    program: Program | None = None
    reproducible: bool = False

    @property
    def published(self) -> Program:
        """The program, of a job that has one."""
        assert self.program is not None
        return self.program

    def request(self, threads: int) -> ours.Request:
        """What polyloop is asked for: the sizes are those of the array declarations."""
        program, defines = self.published, (f"{self.dataset}_DATASET",)
        return ours.Request(program.path, None, self.budget, threads, defines, program.include_dirs)


def find_programs(folder: Path) -> dict[str, Program]:
    """All programs of a tree, by name.

    Raises:
        UsageError: if there is none.
    """
    roots = [folder, *sorted(path for path in folder.glob("*") if path.is_dir())] if folder.is_dir() else []
    root = next((path for path in roots if (path / _SUPPORT).is_file()), None)
    if root is None:
        raise UsageError(f"--sources: {folder} has no {_SUPPORT}; give the folder of PolyBench/C as it was published")
    files = sorted(path.resolve() for path in root.glob("**/*.c") if path.parent.name == path.stem)
    support = (root / _SUPPORT).resolve()
    programs = {path.stem: Program(path.stem, path, support) for path in files if b"#pragma scop" in path.read_bytes()}
    if not programs:
        raise UsageError(f"--sources: no file NAME/NAME.c under {root} has a #pragma scop")
    return programs


def dump(executable: Path, threads: int, seconds: float) -> bytes:
    """What a program built with POLYBENCH_DUMP_ARRAYS prints.

    Raises:
        RunError: if it crashes, takes too long, or prints no dump.
    """
    errors = _run(executable, threads, seconds).stderr
    if _DUMP_END not in errors:
        raise RunError(f"{executable.name} printed no dump")
    return errors


def own_seconds(executable: Path, threads: int, seconds: float) -> float:
    """What a program built with POLYBENCH_TIME measured; its clock counts microseconds.

    Raises:
        RunError: if it crashes, takes too long, or prints no number.
    """
    printed = _run(executable, threads, seconds).stdout
    try:
        return max(float(printed), 1e-6)
    except ValueError:
        raise RunError(f"{executable.name} printed {printed[:40]!r} instead of its time") from None


def _run(executable: Path, threads: int, seconds: float) -> subprocess.CompletedProcess[bytes]:
    # Threads keep to the cores that they start on: where a system moves those that spin is not measured.
    environment = os.environ | {"OMP_PROC_BIND": "true", "OMP_NUM_THREADS": str(threads)}
    try:
        run = subprocess.run([str(executable)], capture_output=True, timeout=seconds, env=environment, check=False)
    except subprocess.TimeoutExpired:
        raise RunError(f"{executable.name} took more than {seconds:g} s") from None
    if run.returncode:
        raise RunError(f"{executable.name} ended with status {run.returncode}")
    return run
