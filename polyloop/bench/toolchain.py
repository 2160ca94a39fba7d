"""C compilers: which are installed, what each contestant is called with, and building with them.

A contestant is a compiler and its flags: ``clang`` and ``gcc`` at -O3 -march=native, ``polly`` the same clang with
Polly switched on as its documentation does for users ("-O3 -mllvm -polly"). Where ``POLYLOOP_TARGET`` narrows the code
that we generate, compilers get the same instruction set.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from polyloop.backend.config import cache_directory, chosen_target
from polyloop.backend.machine.target import INSTRUCTION_SETS
from polyloop.backend.run.kept_files import is_private
from polyloop.errors import PolyloopError
from polyloop.support.compilers import OPENMP, OPTIMIZE, SHARED, BuildError, Compiler, build, find_executable, probe
from polyloop.support.files import WorkFolder

CONTESTANTS = ("clang", "gcc", "polly")
_POLLY = ("-mllvm", "-polly")


def optimizing_flags() -> tuple[str, ...]:
    """What every compiler is called with."""
    target = chosen_target()
    return (*OPTIMIZE, *(INSTRUCTION_SETS[target].compiler_flags if target in INSTRUCTION_SETS else ()))


@dataclass(frozen=True)
class Toolchain:
    """The contestants that are installed, by name, and why the others are missing."""

    compilers: dict[str, Compiler]
    missing: dict[str, str]

    @property
    def reference(self) -> Compiler:
        """The compiler whose results count as the original's: clang, or gcc where there is no clang."""
        return self.plain[0]

    @property
    def plain(self) -> list[Compiler]:
        """clang and gcc, the reference first."""
        return [self.compilers[name] for name in ("clang", "gcc") if name in self.compilers]

    def named(self, stem: str, compiler: Compiler) -> str:
        """What something of ours is called under a compiler: just the stem under the reference."""
        return stem if compiler == self.reference else f"{stem} {compiler.name}"


def find_toolchain(names: Iterable[str], threads: int = 1) -> Toolchain:
    """Look for clang, gcc and Polly.

    Args:
        names: contestants that were asked for. clang and gcc are always looked for, since the emitted C is built
            by both; they are missing only if they were asked for.
        threads: with more than 1, compilers get ``-fopenmp``, and those that cannot link with it are missing.
    Raises:
        PolyloopError: for an unknown contestant, or if there is no C compiler at all.
    """
    wanted = list(dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in CONTESTANTS]:
        raise PolyloopError(f"no contestant is called {unknown[0]!r}; there are {', '.join(CONTESTANTS)}")
    found: dict[str, Compiler] = {}
    missing: dict[str, str] = {}
    for name in CONTESTANTS:
        if name not in wanted and name == "polly":
            continue
        outcome = _find(name, threads)
        if isinstance(outcome, Compiler):
            found[name] = outcome
        elif name in wanted:
            missing[name] = outcome
    if not {"clang", "gcc"} & set(found):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in missing.items())
        raise PolyloopError(f"a benchmark needs clang or gcc, and neither works ({reasons or 'none on PATH'})")
    return Toolchain(found, missing)


def _find(name: str, threads: int) -> Compiler | str:
    """The contestant, or why it is missing."""
    family = "gcc" if name == "gcc" else "clang"
    path = find_executable(family)
    if path is None:
        return f"{family} is not installed"
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    flags = (*optimizing_flags(), *(_POLLY if name == "polly" else ()), *((OPENMP,) if threads > 1 else ()))
    compiler = Compiler(name, (path, *flags), version.split("\n", 1)[0])
    try:
        probe(compiler)
    except BuildError as error:
        return str(error)
    return compiler


def build_shared(compiler: Compiler, source: Path, flags: Sequence[str] = ()) -> Path:
    """A shared library of one self-contained C file, from the cache if the same text was built before.

    Raises:
        BuildError: as :func:`build`.
    """
    text = source.read_text(encoding="utf-8")
    identity = "\0".join([*compiler.command, compiler.version, *flags, processor(), text])
    kept = cache_directory() / "bench"
    library = (kept if is_private(kept) else _own_folder()) / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.so"
    if not library.exists():
        library.parent.mkdir(0o700, parents=True, exist_ok=True)
        # Two processes may build the same library at once; whoever is last wins, and both are the same.
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            fresh = Path(folder, "library.so")
            build(compiler, [source], fresh, (*flags, *SHARED))
            os.replace(fresh, library)
    return library


@cache
def _own_folder() -> Path:
    """For this process, where the cache cannot be trusted."""
    folder = WorkFolder()
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def processor() -> str:
    """The processor's model and instruction sets: what -march=native depends on."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    lines = [line for line in text.split("\n\n", 1)[0].splitlines() if re.match(r"model|flags|Features", line)]
    return "\n".join(lines)
