"""C's conversions on value expressions: explicit Cast nodes, folded on literals, carried into Index nodes."""

from __future__ import annotations

import math

from polyloop.arithmetic.c_types import promote, usual, value_range
from polyloop.arithmetic.literals import round_to_float32
from polyloop.backend.ir.expressions import (
    F32,
    Binary,
    Cast,
    Comparison,
    Expression,
    Index,
    Literal,
    ScalarType,
    Select,
    Unary,
)


def convert(value: Expression, to: ScalarType) -> Expression:
    """The value as type `to`; nothing where it has that type."""
    if value.type == to:
        return value
    match value:
        case Literal(number, from_):
            folded = _fold(number, from_, to)
            if folded is not None:
                return folded
        # Signed values do not wrap in C, so that the wider number is the same.
        case Index(index, ScalarType("int", bits)) if to.kind == "int" and to.bits > bits:
            return Index(index, to)
    return Cast(value, to)


def promoted(value: Expression) -> Expression:
    """The value after C's integer promotions (C17 6.3.1.1)."""
    return convert(value, promote(value.type))


def truth(value: Expression) -> Expression:
    """The conversion to _Bool, as an int of 0 or 1."""
    if isinstance(value, Comparison):
        return value
    zero: Literal = Literal(0.0 if value.type.is_float else 0, value.type)
    return Comparison("!=", value, zero)


def compute(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` with the usual arithmetic conversions; affine integers stay one Index node."""
    if operator in ("<<", ">>"):
        left = promoted(left)
        return Binary(operator, left, convert(promoted(right), left.type), left.type)
    common = usual(left.type, right.type)
    left, right = convert(left, common), convert(right, common)
    if not common.is_float:
        folded = _fold_index(operator, left, right, common)
        if folded is not None:
            return folded
    return Binary(operator, left, right, common)


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """A comparison of two values in their common type."""
    common = usual(left.type, right.type)
    return Comparison(operator, convert(left, common), convert(right, common))


def choose_value(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """A choice between two values in their common type."""
    common = usual(then.type, otherwise.type)
    return Select(condition, convert(then, common), convert(otherwise, common), common)


def negative(value: Expression) -> Expression:
    """The value negated, after integer promotion; literals are folded."""
    value = promoted(value)
    match value:
        case Literal(number, type_) if type_.is_float:
            return Literal(-number, type_)
        case Literal(number, type_) if type_.kind == "int" and number:
            return Literal(-number, type_)
        case Index(index, type_) if type_.kind == "int":
            return Index(-index, type_)
    return Unary("-", value, value.type)


def _fold(number: int | float, from_: ScalarType, to: ScalarType) -> Literal | None:
    if to.is_float:
        value = float(number)
        if not from_.is_float and int(value) != number:
            return None
        rounded = round_to_float32(value) if to == F32 else value
        # An integer that float32 cannot hold is left to the machine's own rounding.
        return Literal(rounded, to) if from_.is_float or rounded == number else None
    if from_.is_float:
        if not math.isfinite(number):
            return None
        whole = math.trunc(number)
        low, high = value_range(to)
        return Literal(whole, to) if low <= whole <= high else None
    low, _ = value_range(to)
    return Literal((int(number) - low) % (1 << to.bits) + low, to)


def _fold_index(operator: str, left: Expression, right: Expression, type_: ScalarType) -> Expression | None:
    """Sums, differences and multiples of affine values are affine, in signed types without wrapping."""
    if type_.kind != "int":
        return None
    match operator, left, right:
        case "+", Index(a), Index(b):
            return Index(a + b, type_)
        case "-", Index(a), Index(b):
            return Index(a - b, type_)
        case "+", Index(a), Literal(n):
            return Index(a + int(n), type_)
        case "-", Index(a), Literal(n):
            return Index(a - int(n), type_)
        case "+", Literal(n), Index(b):
            return Index(b + int(n), type_)
        case "-", Literal(n), Index(b):
            return Index(-b + int(n), type_)
        case "*", Index(a), Literal(n):
            return Index(a * int(n), type_)
        case "*", Literal(n), Index(b):
            return Index(b * int(n), type_)
    return None
