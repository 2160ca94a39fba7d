"""Types, literals without a type of their own, and the functions of the language, as value expressions.

Arithmetic follows C: the usual conversions between types, integer division towards zero, wrapping integers.
A literal takes the type of what it meets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from polyloop.arithmetic import compute, convert, negative, round_to_float32, usual
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import Expression, Literal, ScalarType
from polyloop.backend.ir.ranges import value_range
from polyloop.errors import PolyloopError

_MOST_NODES = 2000

TYPES: dict[str, ScalarType] = {
    name: type_
    for type_ in (e.F32, e.F64, e.I8, e.I16, e.I32, e.I64, e.U8, e.U16, e.U32, e.U64)
    for name in (str(type_), type_.kind + str(type_.bits))
}
"""Names of types: "f32" and numpy's "float32"."""


class Misfit(PolyloopError):
    """Operands do not fit; the caller knows where."""


@dataclass(frozen=True)
class Weak:
    """A number whose type is that of what it meets."""

    value: int | float


Value: TypeAlias = "Expression | Weak"


def typed(value: Value, type_: ScalarType) -> Expression:
    """The value as this type.

    Raises:
        Misfit: for a literal that the type cannot hold.
    """
    if not isinstance(value, Weak):
        return convert(value, type_)
    number = value.value
    if type_.is_float:
        real = float(number)
        return Literal(round_to_float32(real) if type_ == e.F32 else real, type_)
    low, high = value_range(type_)
    if not math.isfinite(number) or int(number) != number or not low <= number <= high:
        raise Misfit(f"{number!r} is no value of the integer type {type_}")
    return Literal(int(number), type_)


def neutral(operator: str, type_: ScalarType) -> Literal:
    """What a reduction starts from."""
    match operator:
        case "+" | "*":
            start: float = 0 if operator == "+" else 1
        case _ if type_.is_float:
            start = -math.inf if operator == "max" else math.inf
        case _:
            start = value_range(type_)[0 if operator == "max" else 1]
    return Literal(float(start) if type_.is_float else int(start), type_)


def combine(operator: str, left: Value, right: Value, default: ScalarType) -> Value:
    """+, -, *, /, max or min of two values.

    A literal that is no integer takes the type `default` where it meets an integer.

    ``max(a, b)`` is ``a < b ? b : a`` and ``min(a, b)`` is ``b < a ? b : a``: a NaN on the left stays, one on the right
    is passed over.
    """
    match left, right:
        case Weak(a), Weak(b):
            if operator == "/" and b == 0:
                raise Misfit("division by zero")
            return Weak(_FOLD[operator](a, b))
        case Weak() as literal, _:
            left = _met(literal, right, default)
        case _, Weak() as literal:
            right = _met(literal, left, default)
    assert not isinstance(left, Weak)
    assert not isinstance(right, Weak)
    if operator not in ("max", "min"):
        return compute(operator, left, right)
    type_ = usual(left.type, right.type)
    left, right = convert(left, type_), convert(right, type_)
    compared = e.Comparison("<", left, right) if operator == "max" else e.Comparison("<", right, left)
    chosen = e.Select(compared, right, left, type_)
    if _count(chosen, {}) > _MOST_NODES:
        # Each operand stands there twice, so that nesting doubles it.
        raise Misfit("this expression is too large; split it into statements")
    return chosen


def _met(literal: Weak, other: Value, default: ScalarType) -> Expression:
    assert not isinstance(other, Weak)
    if other.type.is_float:
        return typed(literal, other.type)
    fraction = literal.value % 1 != 0
    return typed(literal, default if fraction and default.is_float else usual(other.type, e.I32))


def _count(expression: Expression, known: dict[int, int]) -> int:
    """Nodes of the tree; what stands there twice is counted once and added twice."""
    if id(expression) not in known:
        known[id(expression)] = 1 + sum(_count(child, known) for child in e.children(expression))
    return known[id(expression)]


def minus(value: Value) -> Value:
    """The value negated; numbers that have no type yet stay without one."""
    return Weak(-value.value) if isinstance(value, Weak) else negative(value)


def apply(function: str, arguments: tuple[Value, ...], default: ScalarType) -> Value:
    """A function of the language.

    Args:
        default: the type of literals that meet nothing else.
    Raises:
        Misfit: for an unknown function, another number of arguments, and integers where it takes none.
    """
    if function not in _FUNCTIONS:
        raise Misfit(f"unknown function {function}; there are {', '.join(sorted(FUNCTION_NAMES))}")
    count, make = _FUNCTIONS[function]
    if len(arguments) != count:
        raise Misfit(f"{function} takes {count} argument{'s' * (count > 1)}, not {len(arguments)}")
    return make(arguments, default)


def _call(name: str) -> Callable[[tuple[Value, ...], ScalarType], Value]:
    def make(arguments: tuple[Value, ...], default: ScalarType) -> Value:
        types = [a.type for a in arguments if not isinstance(a, Weak)]
        type_ = usual(types[0], types[-1]) if types else default
        if not type_.is_float:
            raise Misfit(f"{name} takes floating-point values, not {type_}; declare another type")
        operands = tuple(typed(a, type_) for a in arguments)
        return e.Call(_C_NAMES.get(name, name) + ("f" if type_ == e.F32 else ""), operands, type_)

    return make


def _sigmoid(arguments: tuple[Value, ...], default: ScalarType) -> Value:
    try:
        power = _call("exp")((minus(arguments[0]),), default)
    except Misfit as misfit:
        raise Misfit(str(misfit).replace("exp", "sigmoid", 1)) from misfit
    return combine("/", Weak(1), combine("+", Weak(1), power, default), default)


def _absolute(arguments: tuple[Value, ...], default: ScalarType) -> Value:
    (value,) = arguments
    if isinstance(value, Weak):
        return Weak(abs(value.value))
    return _call("abs")(arguments, default) if value.type.is_float else combine("max", value, minus(value), default)


def _extremum(operator: str) -> Callable[[tuple[Value, ...], ScalarType], Value]:
    def make(arguments: tuple[Value, ...], default: ScalarType) -> Value:
        left, right = arguments
        return combine(operator, left, right, default)

    return make


def _clamp(arguments: tuple[Value, ...], default: ScalarType) -> Value:
    value, low, high = arguments
    return combine("min", combine("max", value, low, default), high, default)


_FOLD: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "max": max,
    "min": min,
}
_C_NAMES = {"abs": "fabs"}
_FUNCTIONS: dict[str, tuple[int, Callable[[tuple[Value, ...], ScalarType], Value]]] = {
    "relu": (1, lambda arguments, default: combine("max", arguments[0], Weak(0), default)),
    "sigmoid": (1, _sigmoid),
    "clamp": (3, _clamp),
    "max": (2, _extremum("max")),
    "min": (2, _extremum("min")),
    "abs": (1, _absolute),
    "pow": (2, _call("pow")),
    **{name: (1, _call(name)) for name in ("tanh", "exp", "log", "sqrt", "erf", "sin", "cos", "floor", "ceil")},
}
FUNCTION_NAMES = frozenset(_FUNCTIONS) | {"concat", "pad"}
