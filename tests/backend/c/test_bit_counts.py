"""The number of bits that are 1: one operation in every lane, whatever the processor has for it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.vector_program import Apply, VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.transforms import Vectorize
from tests.backend.planning.programs import operations

TEXT = """
void f(int n, unsigned TYPE a[n], int d[n])
{
    for (int i = 0; i < n; i++)
        d[i] = __builtin_popcountSUFFIX(a[i]) - 1;
}
"""
N = 37


def program(suffix: str) -> VectorProgram:
    text = TEXT.replace("TYPE", {"": "int", "l": "long", "ll": "long long"}[suffix]).replace("SUFFIX", suffix)
    (scop,) = read_source("f.c", text=text, auto=True).scops
    return plan(lower(scop, Vectorize((), 0).apply(original_tree(scop))), host_target())


def numbers(bits: int) -> NDArray[np.unsignedinteger[Any]]:
    drawn = np.random.default_rng(0).integers(0, 1 << bits, N, dtype=f"u{bits // 8}")
    drawn[:2] = 0, (1 << bits) - 1
    return drawn


@pytest.mark.parametrize("suffix", ["", "l", "ll"])
def test_all_lanes_count_at_once(suffix: str) -> None:
    made = program(suffix)
    assert max(apply.type.lanes for apply in operations(made.body, Apply)) > 1
    given, found = numbers(64 if suffix else 32), np.zeros(N, "i4")
    compile_program(made)(n=N, a=given, d=found)
    assert found.tolist() == [int(number).bit_count() - 1 for number in given]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("suffix", ["", "l"])
@pytest.mark.parametrize("flags", [("-march=native",), ("-msse2",)], ids=" ".join)
def test_emitted_code_counts_the_same(tmp_path: Path, suffix: str, flags: tuple[str, ...]) -> None:
    text = c_source(program(suffix))
    assert "polyloop_popcount" in text
    source, library = tmp_path / "f.c", tmp_path / "f.so"
    source.write_text(text)
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", *flags, "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)
    given, found = numbers(64 if suffix else 32), np.zeros(N, "i4")
    f = ctypes.CDLL(str(library)).f
    f(ctypes.c_long(N), ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(found.ctypes.data))
    assert found.tolist() == [int(number).bit_count() - 1 for number in given]
