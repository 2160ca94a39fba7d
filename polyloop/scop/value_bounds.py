"""Between which numbers the value of an integer expression lies: what is known of a subscript that comes from data."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

from polyloop.arithmetic import value_range
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Expression, ScalarType

Range: TypeAlias = "tuple[float, float]"
"""Smallest and largest value; infinite where there is no limit."""

Of: TypeAlias = "tuple[Callable[[str], Range | None], Callable[[Affine], Range | None]]"
"""What an array's elements, and what an affine expression may be; None: anything of their type."""

_UNKNOWN: Of = (lambda array: None), (lambda value: None)


def value_bounds(node: Expression, of: Of = _UNKNOWN) -> Range:
    """Limits of the expression's value. They hold wherever C says what the value is."""
    low, high = _bounds(node, of)
    least, most = _of_type(node.type)
    return (low, high) if least <= low and high <= most else (least, most)


def _bounds(node: Expression, of: Of) -> Range:
    match node:
        case e.Literal(value, _):
            return (value, value)
        case e.Read(access, type_):
            return of[0](access.array) or _of_type(type_)
        case e.Index(value, type_):
            return of[1](value) or _of_type(type_)
        case e.Comparison() | e.Logical() | e.Unary("!", _, _):
            return (0, 1)
        case e.Select(_, then, otherwise, _):
            return _join(value_bounds(then, of), value_bounds(otherwise, of))
        case e.Cast(operand, type_):
            low, high = value_bounds(operand, of)
            return (low, high) if type_.is_float else _towards_zero(low, high)
        case e.Unary("-", operand, _):
            low, high = value_bounds(operand, of)
            return (-high, -low)
        case e.Unary("~", operand, _):
            low, high = value_bounds(operand, of)
            return (-high - 1, -low - 1)
        case e.Binary(operator, left, right, type_):
            return _binary(operator, value_bounds(left, of), value_bounds(right, of), type_)
        case _:
            return _of_type(node.type)


def _binary(operator: str, left: Range, right: Range, type_: ScalarType) -> Range:
    anything = _of_type(type_)
    if inf in map(abs, (*left, *right)):
        return anything
    match operator:
        case "+":
            return (left[0] + right[0], left[1] + right[1])
        case "-":
            return (left[0] - right[1], left[1] - right[0])
        case "*":
            products = [a * b for a in left for b in right]
            return (min(products), max(products))
        case "&" if right[0] >= 0 or left[0] >= 0:
            return (0, min(side[1] for side in (left, right) if side[0] >= 0))
        case "|" | "^" if left[0] >= 0 and right[0] >= 0:
            return (0, (1 << int(max(left[1], right[1])).bit_length()) - 1)
        case ">>" if right[0] >= 0 and right[1] < type_.bits:
            shifted = [int(a) >> int(b) for a in left for b in right]
            return (min(shifted), max(shifted))
        case "<<" if right[0] >= 0 and right[1] < type_.bits:
            return (min(left[0], left[0] * 2 ** right[1]), max(left[1], left[1] * 2 ** right[1]))
        case "/" if not type_.is_float and right[0] > 0:
            quotients = [abs(a) // b * (1 if a >= 0 else -1) for a in left for b in right]
            return (min(quotients), max(quotients))
        case "%" if right[0] > 0:
            return (max(left[0], 1 - right[1]) if left[0] < 0 else 0, min(max(left[1], 0), right[1] - 1))
        case _:
            return anything


def _towards_zero(low: float, high: float) -> Range:
    return (low if low == -inf else int(low), high if high == inf else int(high))


def _join(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])


def _of_type(type_: ScalarType) -> Range:
    return (-inf, inf) if type_.is_float else value_range(type_)
