"""Loops, conditionals, threads and local memory of vector programs, compiled and run, against Python and numpy."""

from __future__ import annotations

import ctypes
import math
from ctypes.util import find_library
from itertools import product

import numpy as np
import pytest

from polyloop.backend.ir.affine import affine, at_least, equal
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I32,
    I64,
    Access,
    Call,
    Literal,
    Read,
)
from polyloop.backend.ir.expressions import Binary as Bin
from polyloop.backend.ir.interpreter import Number, interpret
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Loop, LoopNest, Storage
from polyloop.backend.ir.vector_program import (
    Address,
    Arithmetic,
    Bind,
    Carried,
    Constant,
    For,
    If,
    IndexValue,
    LazyPick,
    Let,
    Load,
    Prefetch,
    Statement,
    Store,
    ValueType,
    VectorProgram,
)
from polyloop.backend.ir.vector_program import Test as Comparing
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import scalar_program
from polyloop.backend.run.kernel import compile_program
from tests.helpers.machine import fuses
from tests.helpers.vector_programs import COLUMN, ROW, N, at, program, run, same, v


def fibonacci(lower: int, upper: int, step: int) -> list[int]:
    a, b = 0, 1
    for i in range(lower, upper, step):
        a, b = b, a + b + i
    return [a, b]


@pytest.mark.parametrize("unroll", [1, 2, 3, 4])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("fixed", [False, True])
def test_carried_values(unroll: int, step: int, fixed: bool) -> None:
    number = ValueType(I64)
    names = {"a": "b", "b": "s"}
    carried = tuple(Carried(n, number, v(f"{n}0", I64), v(nxt, I64), f"{n}1") for n, nxt in names.items())
    for upper in (-5, 0, 1, 2, 3, 4, 7, 12, 13):
        body = (
            Let("i", IndexValue(ROW, 0, number)),
            Let("t", Arithmetic("+", (v("a", I64), v("b", I64)), number)),
            Let("s", Arithmetic("+", (v("t", I64), v("i", I64)), number)),
        )
        statements = (
            Let("a0", Constant(0, number)),
            Let("b0", Constant(1, number)),
            For("i", affine(0), affine(upper) if fixed else N, step, body, carried, unroll=unroll),
            Store(at("out", 0), v("a1", I64)),
            Store(at("out", 1), v("b1", I64)),
        )
        out = np.zeros(2, np.int64)
        run(program((ArraySpec("out", I64, (None,)),), *statements), N=upper, out=out)
        assert out.tolist() == fibonacci(0, upper, step)


def test_lazy_pick_evaluates_one_side() -> None:
    """The division by zero on the other side would end the process."""
    number = ValueType(I32)
    zero = (Let("zero", Constant(0, number)), Let("positive", Comparing("!=", v("x", I32), v("zero", I32), number)))
    divide = (Let("h", Constant(100, number)), Let("q", Arithmetic("/", (v("h", I32), v("x", I32)), number)))
    other = (Let("m", Constant(-1, number)),)
    body = (
        Let("x", Load(at("x", "i"), number)),
        *zero,
        Let("r", LazyPick(v("positive", I32), divide, v("q", I32), other, v("m", I32), number)),
        Store(at("out", "i"), v("r", I32)),
    )
    x, out = np.array([5, 0, -3, 0], np.int32), np.zeros(4, np.int32)
    specs = (ArraySpec("x", I32, (N,), read_only=True), ArraySpec("out", I32, (N,)))
    run(program(specs, For("i", affine(0), N, 1, body)), x=x, out=out)
    assert out.tolist() == [20, -1, -33, -1]


def test_conditionals_nested_in_loops() -> None:
    """Address arithmetic of either side is hoisted in front of the conditional, never behind its branch."""
    one = ValueType(I32)

    def add(amount: int, suffix: str, row: object) -> tuple[Statement, ...]:
        place = Address("out", (affine(row), COLUMN), (0, 0))  # type: ignore[arg-type]
        return (
            Let("c" + suffix, Constant(amount, one)),
            Let("o" + suffix, Load(place, one)),
            Let("n" + suffix, Arithmetic("+", (v("o" + suffix, I32), v("c" + suffix, I32)), one)),
            Store(place, v("n" + suffix, I32)),
        )

    inner = If(
        at_least(ROW, COLUMN),
        add(1, "1", ROW // 2),
        (If(equal(COLUMN % 2, 0), add(10, "2", ROW)), *add(100, "3", N - 1 - ROW)),
    )
    loops = For("i", affine(0), N, 1, (For("j", affine(0), N, 1, (inner,)),))
    out = np.zeros((5, 5), np.int32)
    run(program((ArraySpec("out", I32, (N, N)),), loops), out=out)
    expected = np.zeros((5, 5), np.int32)
    for i, j in product(range(5), range(5)):
        if i >= j:
            expected[i // 2, j] += 1
        else:
            if j % 2 == 0:
                expected[i, j] += 10
            expected[4 - i, j] += 100
    same(out, expected)


@pytest.mark.parametrize("size", [3, 70])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("local_extent", ["N", 100])
def test_local_arrays_and_parallel_loops(size: int, threads: int, local_extent: str | int) -> None:
    """Rows are transformed through a LOCAL buffer, which each thread must have for itself; N = 70 needs the heap."""
    number = ValueType(F64)
    shape = (affine(local_extent), affine(40))
    specs = (ArraySpec("x", F64, (N, N)), ArraySpec("t", F64, shape, Storage.LOCAL))
    fill = (
        Let("v", Load(at("x", ROW, COLUMN), number)),
        Let("s", Arithmetic("*", (v("v", F64), v("scale", F64)), number)),
        Store(at("t", COLUMN, 0), v("s", F64)),
    )
    take = (Let("w", Load(at("t", N - 1 - COLUMN, 0), number)), Store(at("x", ROW, COLUMN), v("w", F64)))
    rows = (For("j", affine(0), N, 1, fill), For("j", affine(0), N, 1, take))
    body = (
        Let("scale", IndexValue(N, 0, number)),
        Bind("first", affine(0)),
        For("i", affine("first"), N, 1, rows, parallel=True),
    )
    x = np.random.default_rng(0).random((size, size))
    expected = x[:, ::-1] * size
    run(program(specs, *body), threads=threads, x=x)
    same(x, expected.copy())


def test_a_parallel_loop_covers_each_iteration_once() -> None:
    number = ValueType(I64)
    loop = For(
        "i",
        affine(3),
        N,
        4,
        (
            Let("o", Load(at("x", ROW), number)),
            Let("k", IndexValue(ROW + 1, 0, number)),
            Let("s", Arithmetic("+", (v("o", I64), v("k", I64)), number)),
            Store(at("x", ROW), v("s", I64)),
        ),
        parallel=True,
    )
    for size, threads in product((0, 3, 4, 7, 8, 41), (2, 5)):
        x = np.zeros(50, np.int64)
        run(program((ArraySpec("x", I64, (None,)),), loop), threads=threads, N=size, x=x)
        expected = np.zeros(50, np.int64)
        expected[3:size:4] = np.arange(3, size, 4) + 1
        same(x, expected)


@pytest.mark.parametrize("unroll", [1, 3])
def test_a_parallel_loop_takes_nothing_of_finished_bodies(unroll: int) -> None:
    """Loop variables, bound names and values of bodies before it have the names of its own."""
    number = ValueType(I64)

    def store(array: str) -> tuple[Statement, ...]:
        value = Let("v", IndexValue(affine("b") + 1, 0, number))
        return Bind("b", 10 * ROW + COLUMN), value, Store(at(array, ROW, COLUMN), v("v", I64))

    columns = For("j", affine(0), N, 1, store("y"), unroll=unroll)
    first = For("i", affine(0), N, 1, (For("j", affine(0), N, 1, store("x"), unroll=unroll),), unroll=unroll)
    guarded = If(at_least(N, 2), (Bind("i", affine(1)), Bind("j", affine(1)), *store("x")))
    second = For("i", affine(0), N, 1, (columns,), parallel=True)
    x, y = (np.zeros((7, 7), np.int64) for _ in range(2))
    specs = (ArraySpec("x", I64, (N, N)), ArraySpec("y", I64, (N, N)))
    run(program(specs, guarded, first, second), threads=2, x=x, y=y)
    expected = 10 * np.arange(7)[:, None] + np.arange(7) + 1
    same(x, expected)
    same(y, expected)


def test_prefetches_change_nothing() -> None:
    x = np.arange(4.0)
    run(program((ArraySpec("x", F64, (None,)),), Prefetch(at("x", 5000))), N=0, x=x)
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("auto_vectorize", [False, True])
def test_a_matrix_product_equals_the_interpreter(auto_vectorize: bool) -> None:
    extents = {"n": 7, "m": 9, "l": 5}
    n, m, depth = (affine(x) for x in extents)
    i, j, k = (affine(x) for x in "ijk")
    arrays = (
        ArraySpec("c", F32, (n, m)),
        ArraySpec("a", F32, (n, depth), read_only=True),
        ArraySpec("b", F32, (depth, m), read_only=True),
    )
    value = Bin("+", Read(Access("c", (i, j)), F32), _product(Access("a", (i, k)), Access("b", (k, j))), F32)
    nest: object = Compute("S", Access("c", (i, j)), value)
    for variable, extent in (("k", depth), ("j", m), ("i", n)):
        nest = Loop(variable, affine(0), extent, 1, nest)  # type: ignore[arg-type]
    number = ValueType(F32)
    body: tuple[Statement, ...] = (
        Let("x", Load(at("c", i, j), number)),
        Let("y", Load(at("a", i, k), number)),
        Let("z", Load(at("b", k, j), number)),
        Let("r", Arithmetic("fma", (v("y", F32), v("z", F32), v("x", F32)), number)),
        Store(at("c", i, j), v("r", F32)),
    )
    for variable, extent in (("k", depth), ("j", m), ("i", n)):
        body = (For(variable, affine(0), extent, 1, body),)
    random = np.random.default_rng(3)
    data = {"c": random.random((7, 9)), "a": random.random((7, 5)), "b": random.random((5, 9))}
    ours = {name: array.astype(np.float32) for name, array in data.items()}
    theirs = {name: array.copy() for name, array in ours.items()}
    same_nest = LoopNest("k", ("n", "m", "l"), arrays, nest)  # type: ignore[arg-type]
    interpret(same_nest, extents, theirs, contract=fuses())
    run(VectorProgram("k", ("n", "m", "l"), arrays, body, auto_vectorize=auto_vectorize), **ours)
    same(ours["c"], theirs["c"])


def _product(left: Access, right: Access) -> Bin:
    return Bin("*", Read(left, F32), Read(right, F32), F32)


def test_the_text_says_what_is_promised() -> None:
    specs = (ArraySpec("x", F64, (N,), read_only=True), ArraySpec("y", F64, (N,)))
    body = (Let("v", Load(at("x", ROW), ValueType(F64, 4))), Store(at("y", ROW), v("v", F64, 4)))
    text = print_llvm(program(specs, For("i", affine(0), N, 4, body)), host_target())
    assert 'ptr noalias nocapture noundef readonly align 8 %"a.x"' in text
    assert "llvm.loop.unroll.disable" in text
    assert "<4 x double>" in text
    scalar = print_llvm(program(specs, auto_vectorize=True), host_target())
    assert "llvm.loop" not in scalar
    assert "prefer-vector-width" not in scalar


def test_literal_bits_survive() -> None:
    values: list[Number] = [0.1, -0.0, math.inf, 5e-324, 1.7976931348623157e308]
    body = [
        statement
        for n, value in enumerate(values)
        for statement in (Let(f"c{n}", Constant(value, ValueType(F64))), Store(at("x", n), v(f"c{n}", F64)))
    ]
    x = np.ones(5)
    run(program((ArraySpec("x", F64, (None,)),), *body), N=0, x=x)
    same(x, np.array(values))
    assert Literal(0.1, F64).value == x[0]


def test_functions_of_constants_are_those_of_the_library() -> None:
    """Rounded results of the functions of doubles are others: glibc's sinf(0x1.2d97c8p-2) is no nearest float."""
    angles = [float(np.float32(6.28318531 * k / 64)) for k in range(64)]
    sines = (Call("sinf", (Literal(angle, F32),), F32) for angle in angles)
    body = Block(tuple(Compute("S", Access("y", (affine(k),)), sine) for k, sine in enumerate(sines)))
    found = np.empty(64, np.float32)
    compile_program(scalar_program(LoopNest("sines", (), (ArraySpec("y", F32, (affine(64),)),), body)))(y=found)
    sinf = ctypes.CDLL(find_library("m")).sinf
    sinf.restype, sinf.argtypes = ctypes.c_float, [ctypes.c_float]
    assert found.tolist() == [sinf(angle) for angle in angles]
