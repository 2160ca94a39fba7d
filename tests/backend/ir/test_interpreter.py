"""The oracle itself, on what C says and numpy can confirm."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyloop.backend.errors import InterpreterError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import affine, at_least
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I8,
    I32,
    I64,
    U8,
    U32,
    Access,
    Expression,
    Literal,
    Read,
    ScalarType,
)
from polyloop.backend.ir.interpreter import Environment, Number, binary, convert, evaluate, interpret, unary
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopNest, Storage


def value(expression: Expression) -> Number:
    return evaluate(expression, Environment({"n": 5}, {"x": np.array(2.5), "k": np.array(-7, np.int32)}))


@pytest.mark.parametrize(
    ("operator", "left", "right", "type_", "expected"),
    [
        ("/", -7, 2, I32, -3),
        ("%", -7, 2, I32, -1),
        ("/", 7, -2, I32, -3),
        ("%", 7, -2, I32, 1),
        ("+", 2**31 - 1, 1, I32, -(2**31)),
        ("*", 200, 2, U8, 144),
        ("-", 3, 5, U32, 2**32 - 2),
        ("<<", 1, 7, I8, -128),
        (">>", -8, 1, I32, -4),
        (">>", 2**32 - 8, 1, U32, 2**31 - 4),
        ("^", 6, 3, I32, 5),
        ("+", 2.0**24, 1.0, F32, 2.0**24),
        ("+", 2.0**24, 1.0, F64, 2.0**24 + 1),
        ("*", 1e30, 1e30, F32, math.inf),
        ("/", 1.0, -0.0, F64, -math.inf),
        ("/", -1.0, 0.0, F32, -math.inf),
    ],
)
def test_binary(operator: str, left: Number, right: Number, type_: ScalarType, expected: Number) -> None:
    assert binary(operator, left, right, type_) == expected


def test_zero_over_zero_is_no_number() -> None:
    assert math.isnan(float(binary("/", 0.0, 0.0, F64)))
    assert math.isnan(float(binary("/", math.nan, 0.0, F64)))


@pytest.mark.parametrize(
    ("operator", "operand", "type_", "expected"),
    [
        ("-", 5, I32, -5),
        ("-", 1, U32, 2**32 - 1),
        ("~", 0, U8, 255),
        ("~", 5, I32, -6),
        ("!", 0, I32, 1),
        ("!", 0.5, I32, 0),
    ],
)
def test_unary(operator: str, operand: Number, type_: ScalarType, expected: Number) -> None:
    assert unary(operator, operand, type_) == expected


def test_negation_keeps_the_sign_of_zero() -> None:
    assert math.copysign(1, unary("-", 0.0, F64)) == -1


@pytest.mark.parametrize(
    ("number", "type_", "expected"),
    [
        (-2.9, I32, -2),
        (300, U8, 44),
        (-1, U32, 2**32 - 1),
        (0.1, F32, float(np.float32(0.1))),
        (2**53 + 1, F64, 2.0**53),
        # Rounded to double first, this would fall on the wrong side of a tie.
        (2**54 + 2**30 + 1, F32, 2.0**54 + 2.0**31),
        (2**64 - 1, F32, 2.0**64),
        (1e300, F32, math.inf),
    ],
)
def test_conversions(number: Number, type_: ScalarType, expected: Number) -> None:
    assert convert(number, type_) == expected


def test_lazy_operators_leave_the_other_side_alone() -> None:
    broken = Read(Access("missing"), F64)
    zero, one = Literal(0, I32), Literal(1.5, F64)
    assert value(e.Logical("&&", zero, broken)) == 0
    assert value(e.Logical("||", one, broken)) == 1
    assert value(e.Logical("&&", one, one)) == 1
    assert value(e.Select(zero, broken, one, F64)) == 1.5
    assert value(e.Select(one, one, broken, F64)) == 1.5


def test_comparisons_with_no_number_are_false_but_for_inequality() -> None:
    nan = Literal(math.nan, F64)
    found = {op: value(e.Comparison(op, nan, Literal(1.0, F64))) for op in ("<", "<=", ">", ">=", "==", "!=")}
    assert found == {"<": 0, "<=": 0, ">": 0, ">=": 0, "==": 0, "!=": 1}


def test_functions() -> None:
    x = Read(Access("x"), F64)
    assert value(e.Call("sqrt", (Literal(2.0, F64),), F64)) == math.sqrt(2)
    assert value(e.Call("sqrtf", (Literal(2.0, F32),), F32)) == float(np.sqrt(np.float32(2)))
    assert value(e.Call("abs", (Read(Access("k"), I32),), I32)) == 7
    with pytest.raises(InterpreterError, match="no function 'twice'"):
        value(e.Call("twice", (x,), F64))


def test_index_and_cast() -> None:
    assert value(e.Index(3 * affine("n") - 20, U32)) == 2**32 - 5
    assert value(e.Cast(Read(Access("x"), F64), I32)) == 2


def nest(body: Loop | Block | Guard | Compute, *arrays: ArraySpec) -> LoopNest:
    return LoopNest("nest", ("n",), arrays, body)


def test_loops_guards_and_local_arrays() -> None:
    i, j, n = affine("i"), affine("j"), affine("n")
    shifted = Compute("S", Access("t", (i,)), e.Binary("*", Read(Access("x", (i,)), I64), Literal(2, I64), I64))
    negated = Compute("R", Access("t", (i,)), e.Unary("-", Read(Access("x", (i,)), I64), I64))
    summed = Compute("T", Access("x", (j,)), Read(Access("t", (n - 1 - j,)), I64))
    body = Block(
        (
            Loop("i", affine(0), n, 1, Guard(at_least(i, 2), shifted, negated)),
            Loop("j", affine(0), n, 2, summed),
        )
    )
    x = np.arange(1, 6)
    interpret(nest(body, ArraySpec("x", I64, (n,)), ArraySpec("t", I64, (n,), Storage.LOCAL)), {"n": 5}, {"x": x})
    # t = -1, -2, 6, 8, 10, taken backwards at every second place
    assert x.tolist() == [10, 2, 6, 4, -1]


def test_reading_a_local_array_before_it_is_written_shows() -> None:
    x = np.zeros(())
    body = Compute("S", Access("x"), Read(Access("t"), F64))
    interpret(nest(body, ArraySpec("x", F64), ArraySpec("t", F64, (), Storage.LOCAL)), {"n": 0}, {"x": x})
    assert math.isnan(x)


@pytest.mark.parametrize("index", [-1, 5])
def test_subscripts_out_of_bounds_are_refused(index: int) -> None:
    body = Compute("S", Access("x", (affine(index),)), Literal(1, I64))
    with pytest.raises(
        InterpreterError, match=rf"x\[{index}\] is at \[{index}\], outside of the array's extents \[5\]"
    ):
        interpret(nest(body, ArraySpec("x", I64, (affine("n"),))), {"n": 5}, {"x": np.zeros(5, np.int64)})


def test_integer_division_by_zero_is_refused() -> None:
    with pytest.raises(InterpreterError, match="integer division by zero: 3 % 0"):
        value(e.Binary("%", Literal(3, I32), Literal(0, I32), I32))
