"""C's numbers: constants, conditions and folds are computed as the machine does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.arithmetic import (
    choose_value,
    compare,
    compute,
    convert,
    in_own_type,
    logical,
    logical_not,
    reduction_of,
    truth,
    value_range,
)
from polyloop.backend.ir.expressions import (
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Access,
    Binary,
    Cast,
    Comparison,
    Literal,
    Logical,
    Read,
    ScalarType,
    Select,
    Unary,
    dtype_of,
)
from polyloop.backend.ir.interpreter import Environment, evaluate

OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
COMPARED = ("<", "<=", ">", ">=", "==", "!=")


@st.composite
def literals(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Literal:
    type_ = draw(st.sampled_from((I32, U32, I64, U64)))
    low, high = value_range(type_)
    near = st.sampled_from((low, low + 1, 0, 1, 2, 31, high - 1, high))
    return Literal(draw(st.one_of(near, st.integers(max(low, -40), 40), st.integers(low, high))), type_)


@settings(max_examples=400, deadline=None)
@given(left=literals(), right=literals(), operator=st.sampled_from(OPERATORS))
def test_constants_are_computed_as_the_machine_does(left: Literal, right: Literal, operator: str) -> None:
    """What is left of them C leaves undefined."""
    found = compute(operator, left, right)
    if not isinstance(found, Literal):
        assert isinstance(found, Binary)
        low, high = value_range(found.type)
        assert isinstance(found.left, Literal)
        assert isinstance(found.right, Literal)
        a, b = int(found.left.value), int(found.right.value)
        if operator in "/%":
            assert b == 0 or (b == -1 and a == low)
        elif operator in ("<<", ">>"):
            assert not 0 <= b < found.type.bits or (operator == "<<" and (a < 0 or a << b > high))
        else:
            exact = {"+": a + b, "-": a - b, "*": a * b}[operator]
            assert found.type.kind == "int"
            assert not low <= exact <= high
        return
    plain = Binary(operator, Cast(left, found.type), Cast(right, found.type), found.type)
    assert int(found.value) == int(evaluate(plain, Environment({}, {})))
    for sign in COMPARED:
        tested = compare(sign, left, right)
        assert isinstance(tested, Literal)
        common = compute("+", Literal(0, left.type), Literal(0, right.type)).type
        assert tested.value == evaluate(Comparison(sign, Cast(left, common), Cast(right, common)), Environment({}, {}))


def test_what_is_known_of_conditions_is_settled() -> None:
    x, one, zero = Read(Access("i"), I32), Literal(5, I32), Literal(0, I32)
    condition = Comparison("<", x, one)
    assert logical("&&", one, condition) == logical("||", zero, condition) == logical("&&", condition, one) == condition
    assert logical("&&", zero, x) == logical("&&", x, zero) == Literal(0, I32)
    assert logical("||", one, x) == logical("||", x, one) == Literal(1, I32) == truth(one) == logical_not(zero)
    assert logical("&&", one, x) == truth(x) == Comparison("!=", x, zero)
    assert choose_value(one, x, Literal(2.0, F64)) == Cast(x, F64)
    assert choose_value(zero, x, one) == one
    half = Literal(0.5, F64)
    assert logical("&&", half, x) == Logical("&&", half, x)
    assert logical_not(half) == Unary("!", half, I32)


@settings(max_examples=300, deadline=None)
@given(
    types=st.tuples(st.sampled_from((U8, U16, I8, I16, U32)), st.sampled_from((U8, I8, I16, I32, I64))),
    numbers=st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)),
    operator=st.sampled_from(OPERATORS),
    first=st.booleans(),
    chosen=st.booleans(),
)
def test_folds_of_narrow_types_are_the_same_in_their_own_type(
    types: tuple[ScalarType, ScalarType], numbers: tuple[int, int], operator: str, first: bool, chosen: bool
) -> None:
    own, other = types
    target, folded = Read(Access("t"), own), Read(Access("x"), other)
    wide = compute(operator, *((target, folded) if first else (folded, target)))
    value = convert(wide, own)
    if chosen:
        value = Select(Comparison("<", folded, Literal(3, other)), value, target, own)
    found = in_own_type(target.access, value)
    arrays = {
        name: np.array(number, np.uint64).astype(dtype_of(type_))
        for name, type_, number in zip("tx", types, numbers, strict=True)
    }
    shifts = operator in ("<<", ">>")
    if not shifts and (operator not in "/%" or arrays["x" if first else "t"] != 0):
        assert evaluate(found, Environment({}, arrays)) == evaluate(value, Environment({}, arrays))
    exact = operator in "&|^" or (operator in "+-*" and own.kind == "uint")
    folds = wide.type.bits > own.bits and exact and (first or operator != "-")
    assert (found != value) == folds
    if folds:
        assert reduction_of(target.access, found) == operator.replace("-", "+")
