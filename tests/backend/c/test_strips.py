"""Loops over vectors and what is left behind them stand in a text once, and compute the same."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.c.printer import c_source, print_c
from polyloop.backend.c.text import BEFORE_C99
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least, maximum
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import Let, Load, Statement, Store, Value, ValueType, VectorProgram
from tests.helpers.vector_programs import N, at, program

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
WIDTH, FIRST = 4, 3
TYPE = ValueType(F64, WIDTH)


def body(place: str, name: str, active: Affine | None = None, operator: str = "*") -> tuple[Statement, ...]:
    """B[place] = A[place] times itself."""
    value = Value(f"{name}1", TYPE)
    return (
        Let(f"{name}0", Load(at("A", place), TYPE, active)),
        Let(f"{name}1", v.Arithmetic(operator, (Value(f"{name}0", TYPE), Value(f"{name}0", TYPE)), TYPE)),
        Store(at("B", place), value, active),
    )


def whole_and_rest(operator: str = "*", begin: Affine | None = None, after: Affine | None = None) -> VectorProgram:
    """From FIRST on, vector by vector."""
    count = maximum(affine(0), N - FIRST)
    rest = affine("rest")
    arrays = tuple(ArraySpec(name, F64, (N,), read_only=name == "A") for name in "AB")
    return program(
        arrays,
        v.For("j", affine(FIRST), N - WIDTH + 1, WIDTH, body("j", "x")),
        v.Bind("rest", begin or affine(FIRST) + count // WIDTH * WIDTH),
        v.If(at_least(N, rest + 1), body("rest", "y", after or N - rest, operator)),
    )


def test_they_stand_there_once() -> None:
    text = print_c(whole_and_rest()).text
    assert text.count("polyloop_strips(j, lanes, 3, N, 4)") == 1
    assert text.count("polyloop_store_f64x4(") == text.count("polyloop_load_f64x4(") == 1


@pytest.mark.parametrize(
    "other",
    [whole_and_rest("+"), whole_and_rest(begin=affine(FIRST)), whole_and_rest(after=affine(1))],
    ids=["another operation", "another begin", "another number of lanes"],
)
def test_what_is_no_rest_stays(other: VectorProgram) -> None:
    assert "polyloop_strips" not in print_c(other).text


def test_where_the_rest_begins_may_matter_to_others() -> None:
    whole = whole_and_rest()
    used = replace(whole, body=(*whole.body, v.If(at_least(affine("rest"), 9), body("rest", "z", affine(0)))))
    assert "polyloop_strips" not in print_c(used).text


def test_counters_are_declared_in_no_head_before_1999() -> None:
    assert "polyloop_strips" not in print_c(whole_and_rest(), reserved=[BEFORE_C99]).text


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_they_compute_the_same(compiler: str, level: str, tmp_path: Path) -> None:
    compare(whole_and_rest(), compiler, level, tmp_path)


def compare(kernel: VectorProgram, compiler: str, level: str, tmp_path: Path) -> None:
    """It leaves squares from FIRST on, and all else as it was, whatever the size."""
    path, library = tmp_path / "kernel.c", tmp_path / "kernel.so"
    path.write_text(c_source(kernel, "kernel"))
    command = [compiler, level, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(path), "-o", str(library)]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).kernel
    for size in range(2 * WIDTH + FIRST + 2):
        a, b = np.arange(1.0, size + 1), np.full(size + WIDTH, -1.0)
        function(ctypes.c_long(size), ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data))
        expected = np.full(size + WIDTH, -1.0)
        expected[FIRST:size] = a[FIRST:] ** 2
        assert b.tobytes() == expected.tobytes(), size


def once_more(again: Affine = N - WIDTH, operator: str = "*") -> VectorProgram:
    """The same, whose last vector begins where it is whole, if there is room for one."""
    plain = whole_and_rest()
    last, first = v.Bind("last", again), v.Bind("first", affine(FIRST))
    full = (last, *body("last", "w", operator=operator))
    part = (first, *body("first", "y", N - affine("first")))
    rest = v.If(at_least(N - FIRST, WIDTH), full, part)
    return replace(plain, body=(*plain.body[:-1], v.If(at_least(N, affine("rest") + 1), (rest,))))


def test_the_last_vector_may_be_whole() -> None:
    text = print_c(once_more()).text
    assert text.count("polyloop_strips_again(j, lanes, 3, N, 4)") == 1
    assert text.count("polyloop_store_f64x4(") == text.count("polyloop_load_f64x4(") == 1
    for other in (once_more(N - 2 * WIDTH), once_more(operator="+")):
        assert "strips" not in print_c(other).text


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_the_last_vector_computes_the_same(compiler: str, level: str, tmp_path: Path) -> None:
    compare(once_more(), compiler, level, tmp_path)
