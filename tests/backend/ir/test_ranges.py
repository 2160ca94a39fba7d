"""Between which numbers values lie: whatever the operands are, inside of what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I8,
    I32,
    U8,
    U16,
    U32,
    Access,
    Binary,
    Call,
    Cast,
    Comparison,
    Expression,
    Literal,
    Logical,
    Read,
    ScalarType,
    Select,
    Unary,
    reads,
    rewrite,
)
from polyloop.backend.ir.interpreter import Environment, evaluate
from polyloop.backend.ir.ranges import Known, Range, bounds_where, value_bounds, without_cuts

INTEGERS, FLOATS = {"i": (-9, 7), "j": (2, 30)}, {"x": (-2.5, 3.0), "y": (0.25, 6.0)}
TYPES = {"i": I32, "j": I32, "x": F32, "y": F64}
FUNCTIONS = ("floor", "ceil", "trunc", "rint", "nearbyint", "round", "fabs", "sqrt")
OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
COMPARED = ("<", "<=", ">", ">=", "==", "!=")


def known(access: Access) -> Range:
    return {**INTEGERS, **FLOATS}[access.array]


def read(name: str, type_: ScalarType) -> Expression:
    value = Read(Access(name), TYPES[name])
    return value if TYPES[name] == type_ else Cast(value, type_)


@st.composite
def conditions(draw: Callable[[st.SearchStrategy[Any]], Any], depth: int) -> Expression:
    if depth and draw(st.booleans()):
        first, second = (draw(conditions(depth - 1)) for _ in range(2))
        made: list[Expression] = [Logical("&&", first, second), Logical("||", first, second), Unary("!", first, I32)]
        which: int = draw(st.integers(0, 2))
        return made[which]
    type_ = draw(st.sampled_from((I32, F64)))
    sides = [draw(values(type_, depth)) for _ in range(2)]
    return Comparison(draw(st.sampled_from(COMPARED)), *sides)


@st.composite
def values(draw: Callable[[st.SearchStrategy[Any]], Any], type_: ScalarType, depth: int) -> Expression:
    kind = draw(st.sampled_from(("read", "number", "operation", "choice", "other"))) if depth else "read"
    if kind == "operation":
        operators = "+-*/" if type_.is_float else "+-*/%&"
        left, right = (draw(values(type_, depth - 1)) for _ in range(2))
        square = draw(st.booleans())
        return (
            Binary("*", left, left, type_) if square else Binary(draw(st.sampled_from(operators)), left, right, type_)
        )
    if kind == "choice":
        condition = draw(conditions(depth - 1))
        asked = [node for node in (getattr(condition, "left", None), getattr(condition, "right", None)) if node]
        same = [node for node in asked if node.type == type_]
        if len(same) == 2:
            same.append(Binary("-", same[0], same[1], type_))
        same += [Unary("-", node, type_) for node in same]
        sides = [
            draw(st.sampled_from(same) if same and draw(st.booleans()) else values(type_, depth - 1)) for _ in "ab"
        ]
        return Select(condition, sides[0], sides[1], type_)
    if kind == "other" and type_.is_float:
        suffix = "f" if type_ == F32 else ""
        return Call(draw(st.sampled_from(FUNCTIONS)) + suffix, (draw(values(type_, depth - 1)),), type_)
    if kind == "other":
        return Cast(draw(values(draw(st.sampled_from((F32, F64))), depth - 1)), type_)
    if kind == "number":
        return Literal(draw(st.integers(-4, 4)), type_)
    return (
        read(draw(st.sampled_from(sorted(TYPES))), type_) if type_.is_float else read(draw(st.sampled_from("ij")), I32)
    )


@st.composite
def data(draw: Any) -> Environment:
    numbers = {name: draw(st.integers(*ends)) for name, ends in INTEGERS.items()}
    numbers |= {name: draw(st.sampled_from(ends) | st.floats(*ends)) for name, ends in FLOATS.items()}
    dtypes = {"i": np.int32, "j": np.int32, "x": np.float32, "y": np.float64}
    return Environment({}, {name: np.array(number, dtypes[name]) for name, number in numbers.items()}, contract=False)


@settings(max_examples=300)
@given(st.sampled_from((I32, F32, F64)).flatmap(lambda type_: values(type_, 3)), conditions(1), data())
def test_values_lie_between_their_bounds(value: Expression, condition: Expression, environment: Environment) -> None:
    names = {each.access.array for each in (*reads(value), *reads(condition))}
    try:
        found, holds = float(evaluate(value, environment)), bool(evaluate(condition, environment))
    except BackendError:
        return  # C does not say what it is
    assert names <= TYPES.keys()
    low, high = value_bounds(value, Known(known))
    assert not low > found
    assert not high < found
    limits = bounds_where(value, condition, holds, Known(known))
    assert limits is not None
    assert not limits[0] > found
    assert not limits[1] < found


def test_what_is_clamped_is_inside() -> None:
    x: Expression = Cast(Call("floorf", (read("x", F32),), F32), I32)
    clamped = Select(Comparison("<", x, Literal(0, I32)), Literal(0, I32), x, I32)
    assert value_bounds(clamped, Known(known)) == (0, 3)
    positive = Select(Comparison("<", x, Literal(0, I32)), Unary("-", x, I32), x, I32)
    low, high = value_bounds(x, Known(known))
    assert low < 0
    assert value_bounds(positive, Known(known)) == (0, max(-low, high))
    wrapped = Binary("-", read("i", I32), read("j", I32), I32)
    before = Comparison(">=", read("i", I32), read("j", I32))
    assert bounds_where(wrapped, before, True, Known(known)) == (0, 5)
    never = Comparison(">", read("j", I32), Literal(30, I32))
    assert bounds_where(wrapped, never, True, Known(known)) is None


def test_a_choice_knows_what_its_condition_says_of_what_is_read() -> None:
    x = read("x", F32)
    eight, scale = Literal(8.0, F32), Literal(4.0, F32)
    place = Binary("*", Binary("+", x, eight, F32), scale, F32)
    outside = Logical("||", Comparison("<=", x, Unary("-", eight, F32)), Comparison(">=", x, eight))
    anything = Known(lambda access: (-inf, inf))
    low, high = value_bounds(Cast(Select(outside, Literal(0.0, F32), place, F32), I32), anything)
    assert (low, high) == (0, 64)
    inside = Select(Unary("!", outside, I32), place, Literal(0.0, F32), F32)
    assert value_bounds(Cast(inside, I32), anything) == (0, 64)


def cut(value: Expression, type_: ScalarType) -> Expression:
    return Cast(Cast(value, type_), value.type)


def test_conversions_that_cut_nothing_off_go() -> None:
    """x < 0 ? 0 : x > 255 ? 255 : (u8)x, and what looks like it."""
    x, (zero, one, most) = read("i", I32), (Literal(k, I32) for k in (0, 1, 255))

    def clamped(low: Expression, high: Expression, last: Expression) -> Expression:
        inner = Select(Comparison(">", last, high), high, cut(last, U8), I32)
        return Select(Comparison("<", x, low), low, inner, I32)

    plain = Select(Comparison("<", x, zero), zero, Select(Comparison(">", x, most), most, x, I32), I32)
    assert without_cuts(clamped(zero, most, x)) == plain
    assert without_cuts(cut(cut(read("i", U8), U16), U32)) == read("i", U8)
    assert without_cuts(cut(Cast(read("i", U8), I32), U8)) == Cast(read("i", U8), I32)
    for kept in (
        clamped(zero, Literal(256, I32), x),
        clamped(Literal(-1, I32), most, x),
        clamped(zero, most, Binary("+", x, one, I32)),
        cut(x, U8),
        cut(Cast(read("i", I8), I32), U8),
        cut(read("x", F32), I32),
    ):
        assert without_cuts(kept) is kept


@settings(max_examples=300)
@given(st.sampled_from((I32, F32, F64)).flatmap(lambda type_: values(type_, 4)), data(), st.sampled_from((I8, U8, U16)))
def test_values_are_the_same_without_conversions(
    value: Expression, environment: Environment, type_: ScalarType
) -> None:
    value = rewrite(value, lambda node: cut(node, type_) if node.type == I32 else node)
    try:
        found = evaluate(value, environment)
    except BackendError:
        return  # C does not say what it is
    assert evaluate(without_cuts(value), environment) == found or found != found


def test_conditions_on_what_is_added_to_a_value() -> None:
    x = Cast(read("x", F32), I32)
    wide = Known(lambda access: (-(2.0**40), 2.0**40))
    last = Comparison("<", Binary("+", x, Literal(1, I32), I32), Literal(16, I32))
    assert bounds_where(x, last, True, replace(wide, exact=True)) == (-(2**31), 14)
    assert bounds_where(x, last, True, wide) == value_bounds(x, wide)  # it may wrap
    small = Known(lambda access: (0, 100))
    assert bounds_where(x, last, True, small) == (0, 14)
    assert bounds_where(x, last, False, small) == (15, 100)
    before = Comparison(">=", Binary("-", x, Literal(5, I32), I32), Literal(0, I32))
    assert bounds_where(x, before, True, small) == (5, 100)
