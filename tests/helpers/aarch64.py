"""Code for AArch64, run on any machine: compiled and linked by Debian's cross compiler, executed by qemu.

Many programs are linked into one executable, which reads their arrays from a file and writes them back: starting a
compiler and an emulator takes longer than all that the programs do.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.c.printer import prelude, print_c
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.target import Target
from polyloop.backend.run.jit import emit
from tests.helpers.running import Arrays, copied

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
COMPILERS = ((COMPILER,), *((c, "--target=aarch64-linux-gnu") for c in ("clang", "clang-22") if shutil.which(c)))
"""clang compiles for any processor, and links with the libraries of gcc's."""

needs_aarch64 = pytest.mark.skipif(
    shutil.which(COMPILER) is None or shutil.which(EMULATOR) is None, reason=f"{COMPILER} or {EMULATOR} is missing"
)

_READER = """\
#include <stdio.h>
#include <stdlib.h>
static FILE *file;
static void *next(size_t bytes)
{
    char *place = malloc(bytes);
    if (place == NULL || fread(place, 1, bytes, file) != bytes)
        exit(3);
    return place;
}
"""


@dataclass(frozen=True)
class Call:
    """A program that is run once, on these arrays."""

    program: VectorProgram
    sizes: Mapping[str, int]
    arrays: Arrays

    @property
    def passed(self) -> list[str]:
        """Names of arrays in the order of the function's parameters."""
        return [spec.name for spec in self.program.arrays if spec.storage is Storage.ARGUMENT]


def run_c(calls: Sequence[Call], folder: Path, compiler: tuple[str, ...]) -> list[Arrays]:
    """Through the C printer and a compiler.

    Args:
        compiler: the command, with flags.
    Raises:
        AssertionError: with the compiler's words, if it refuses or warns.
    """
    printed = [print_c(call.program, f"kernel{number}", qualifiers="") for number, call in enumerate(calls)]
    helpers = frozenset().union(*(function.helpers for function in printed))
    source = folder / "kernels.c"
    parts = ["#include <math.h>", prelude(helpers), *(function.text for function in printed)]
    source.write_text("\n".join(parts), encoding="utf-8")
    return _linked(
        calls,
        folder,
        [source],
        *compiler,
        "-Wall",
        "-Werror",
        "-Wno-unknown-warning-option",  # of clang 14, which has no such warning yet
        "-Wno-deprecated-non-prototype",
        "-Wno-tautological-compare",
    )


def run_objects(calls: Sequence[Call], folder: Path, target: Target) -> list[Arrays]:
    """Through LLVM."""
    objects = []
    for number, call in enumerate(calls):
        code = emit(replace(call.program, name=f"kernel{number}"), target, "obj")
        assert isinstance(code, bytes)
        objects.append(folder / f"kernel{number}.o")
        objects[-1].write_bytes(code)
    return _linked(calls, folder, objects, COMPILER)


def build(inputs: Iterable[Path], program: Path, *compiler: str) -> None:
    """Compile and link, without shared libraries, so that the emulator needs no others than the host's.

    Raises:
        AssertionError: with the compiler's words, if it refuses.
    """
    name, *flags = compiler
    command = [name, "-std=gnu11", "-O1", *flags, "-static", *map(str, inputs), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def execute(program: Path, *arguments: str) -> str:
    """What the program prints.

    Raises:
        AssertionError: if it fails.
    """
    done = subprocess.run([EMULATOR, program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{program} ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def _linked(calls: Sequence[Call], folder: Path, inputs: Sequence[Path], *compiler: str) -> list[Arrays]:
    """Call kernel0, kernel1, ... in one executable, each on its arrays."""
    main, program, data = folder / "main.c", folder / "program", folder / "data"
    main.write_text(_driver(calls), encoding="utf-8")
    build([main, *inputs], program, *compiler)
    data.write_bytes(b"".join(call.arrays[name].tobytes() for call in calls for name in call.passed))
    execute(program, str(data))
    return _read_back(calls, data)


def _driver(calls: Sequence[Call]) -> str:
    """Functions are declared without their parameters: both printers have them as longs, then pointers."""
    lines = [_READER, *(f"int kernel{number}();" for number in range(len(calls)))]
    lines += ["int main(int count, char **arguments)", "{", "    if (count != 2 || !(file = fopen(arguments[1], "]
    lines[-1] += '"r+b")))\n        return 2;'
    kept: list[tuple[str, int]] = []
    for number, call in enumerate(calls):
        given = [f"{call.sizes[name]}L" for name in call.program.parameters]
        for position, name in enumerate(call.passed):
            place, size = f"a{number}_{position}", call.arrays[name].nbytes
            lines.append(f"    void *{place} = next({size});")
            kept.append((place, size))
            given.append(place)
        lines.append(f"    kernel{number}({', '.join(given)});")
    lines.append("    rewind(file);")
    lines += [f"    if (fwrite({place}, 1, {size}, file) != {size})\n        return 4;" for place, size in kept]
    return "\n".join([*lines, "    return fclose(file);", "}", ""])


def _read_back(calls: Sequence[Call], data: Path) -> list[Arrays]:
    content, position, results = data.read_bytes(), 0, []
    for call in calls:
        result = copied(call.arrays)
        for name in call.passed:
            array = result[name]
            found = np.frombuffer(content, array.dtype, array.size, position)
            result[name] = found.reshape(array.shape).copy()
            position += array.nbytes
        results.append(result)
    return results
