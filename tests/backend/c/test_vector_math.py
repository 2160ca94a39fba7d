"""Functions of math.h on vectors: the C library's where results need not be exact, else lane by lane."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.ir.vector_program_text import parse_program, program_text
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.transforms import Vectorize

TEXT = """#include <math.h>
void f(int n, TYPE x[n], TYPE e[n], TYPE l[n], TYPE p[n], TYPE s[n])
{
    for (int i = 0; i < n; i++) {
        e[i] = exp(x[i]);
        l[i] = log(x[i]);
        p[i] = pow(x[i], x[i]);
        s[i] = sin(x[i]) + cos(x[i]);
    }
}
"""
FUNCTIONS = ("exp", "log", "pow", "sin", "cos")
N = 37


def program(type_: str, reassociate: bool) -> VectorProgram:
    """Of float, of double, or of doubles between floats ("mixed"), which take several registers."""
    text = TEXT.replace("TYPE", type_.replace("mixed", "float"))
    for name in FUNCTIONS if type_ == "float" else ():
        text = text.replace(f"{name}(", f"{name}f(")
    (scop,) = read_source("f.c", text=text, auto=True).scops
    nest = lower(scop, Vectorize((), 0).apply(original_tree(scop)))
    return plan(nest, host_target(), reassociate=reassociate)


def test_exact_results_take_exact_functions() -> None:
    assert not program("double", False).loose_math
    assert "_ZGV" not in c_source(program("double", False))


def test_the_text_of_a_program_says_so() -> None:
    loose = program("float", True)
    assert loose.loose_math
    assert parse_program(program_text(loose)) == loose


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize(("type_", "tolerance"), [("double", 1e-14), ("float", 1e-6)])
@pytest.mark.parametrize("flags", [("-march=native",), ("-msse2",)])
def test_they_are_right(tmp_path: Path, type_: str, tolerance: float, flags: tuple[str, ...]) -> None:
    text = c_source(program(type_, True))
    for name in FUNCTIONS:
        assert f"_{name}{'f' if type_ == 'float' else ''}(__m" in text
    (tmp_path / "f.c").write_text(text)
    command = ["gcc", "-std=gnu11", "-Wall", "-Werror", "-Wno-psabi", "-O1", *flags, "-shared", "-fPIC", "f.c"]
    done = subprocess.run([*command, "-o", "f.so", "-lm"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    kind = np.float64 if type_ == "double" else np.float32
    x = np.random.default_rng(1).uniform(0.1, 5, N).astype(kind)
    results = [np.zeros(N, kind) for _ in range(4)]
    kernel = ctypes.CDLL(str(tmp_path / "f.so")).f
    kernel(ctypes.c_long(N), *(ctypes.c_void_p(array.ctypes.data) for array in (x, *results)))
    assert_right(x, results, tolerance)


@pytest.mark.parametrize(("type_", "tolerance"), [("double", 1e-14), ("float", 1e-6), ("mixed", 1e-7)])
def test_our_own_code_is_right(type_: str, tolerance: float) -> None:
    loose = program(type_, True)
    text = print_llvm(loose, host_target(), vector_library=True)
    called = set(re.findall(r"@_ZGV\w+_([a-z]+)\(", text))
    assert called == {name + "f" * (type_ == "float") for name in FUNCTIONS}
    assert "@_ZGV" not in print_llvm(loose, host_target())
    assert "@_ZGV" not in print_llvm(program(type_, False), host_target(), vector_library=True)
    x = np.random.default_rng(1).uniform(0.1, 5, N).astype(np.float64 if type_ == "double" else np.float32)
    results = {name: np.zeros_like(x) for name in "elps"}
    compile_program(loose)(n=N, x=x, **results)
    assert_right(x, list(results.values()), tolerance)


def assert_right(x: NDArray[Any], results: Sequence[NDArray[Any]], tolerance: float) -> None:
    wide = x.astype(np.float64)
    wanted = (np.exp(wide), np.log(wide), wide**wide, np.sin(wide) + np.cos(wide))
    for found, expected in zip(results, wanted, strict=True):
        np.testing.assert_allclose(found.astype(np.float64), expected, rtol=tolerance, atol=tolerance)
