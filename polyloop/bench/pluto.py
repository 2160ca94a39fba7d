"""Pluto as a contestant: the published programs as its ``polycc`` rewrites them, in the best of its modes.

Pluto (Bondhugula, Hartono, Ramanujam and Sadayappan, "A Practical Automatic Polyhedral Parallelizer and Locality
Optimizer", PLDI 2008) writes C from C. What it writes is built by clang and gcc, and the build that ran fastest once is
the contestant, if it computes at small sizes what the original does but for roundings.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from itertools import product
from math import isclose
from pathlib import Path

from polyloop.bench.sources import Program, RunError, dump, own_seconds
from polyloop.errors import PolyloopError
from polyloop.support.compilers import BuildError, Compiler

PLUTO = "pluto"
MODES = (("--notile",), ("--tile",), ("--tile", "--maxfuse"), ("--tile", "--nofuse"))
"""Tiles and fusion, as Pluto's own experiments vary them."""

_WRITING_SECONDS = 60.0
_BEHIND = 3.0
"""A build that takes so many times as long as the best one is not the best in another run, either."""


def polycc() -> str | None:
    """Where Pluto's script is."""
    return shutil.which("polycc")


def best_build(
    program: Program, compilers: Sequence[Compiler], folder: Path, dataset: str, threads: int, seconds: float
) -> tuple[Path, str]:
    """The executable that ran fastest, and what it is: Pluto's options and the compiler.

    Args:
        threads: with more than one, loops are made parallel.
        seconds: that one run may take.
    Raises:
        PolyloopError: if the original does not run, or none was built that does; the message says what became of the
            last one.
    """
    best, found, reason = seconds / _BEHIND, None, "nothing was tried"
    originals = {each.name: _results(program, each, program.path, folder) for each in compilers}
    for mode, compiler in product(MODES, compilers):
        options = (*mode, "--parallel") if threads > 1 else mode
        words = f"{' '.join(options)}, {compiler.name}"
        executable = folder / f"{PLUTO}{''.join(options)}-{compiler.name}"
        try:
            written = _written(program, folder, options)
            if not _alike(originals[compiler.name], _results(program, compiler, written, folder)):
                raise RunError("its results are others")
            program.build(compiler, written, executable, dataset, ("-DPOLYBENCH_TIME",))
            took = own_seconds(executable, threads, _BEHIND * best)
        except (BuildError, RunError) as error:
            reason = f"{words}: {error}"
            continue
        if took < best:
            best, found = took, (executable, words)
    if found is None:
        raise PolyloopError(reason)
    return found


def _results(program: Program, compiler: Compiler, source: Path, folder: Path) -> list[bytes]:
    """What a form of the program prints at small sizes."""
    executable = folder / f"{PLUTO}-small"
    program.build(compiler, source, executable, "MINI", ("-DPOLYBENCH_DUMP_ARRAYS",))
    return dump(executable, 1, _WRITING_SECONDS).split()


def _alike(expected: list[bytes], found: list[bytes]) -> bool:
    """Whether dumps are equal up to the last digits that they print, of which there are few."""
    return len(expected) == len(found) and all(map(_near, expected, found))


def _near(one: bytes, other: bytes) -> bool:
    try:
        return one == other or isclose(float(one), float(other), rel_tol=1e-3, abs_tol=0.02)
    except ValueError:
        return False


def _written(program: Program, folder: Path, options: Sequence[str]) -> Path:
    """What Pluto makes of the program.

    Raises:
        BuildError: if it makes nothing of it.
    """
    # It leaves files in the folder where it is started.
    written = folder / f"{PLUTO}{''.join(options)}.c"
    if not written.exists():
        command = [polycc() or "polycc", str(program.path), *options, "-o", written.name]
        try:
            run = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=_WRITING_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise BuildError(f"polycc took more than {_WRITING_SECONDS:g} s") from None
        if run.returncode or not written.exists() or not written.stat().st_size:
            said = (run.stderr or run.stdout).strip().splitlines()
            written.write_text("", encoding="utf-8")
            raise BuildError(f"polycc ended with status {run.returncode}: {said[-1] if said else 'it said nothing'}")
    if not written.stat().st_size:
        raise BuildError("polycc made nothing of it")
    return written
