"""Between which numbers the value of an expression lies: what is known of a subscript that comes from data, and how
narrow the lanes of a vector may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import islice, product
from math import inf
from typing import TypeAlias

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine

Range: TypeAlias = "tuple[float, float]"
"""Smallest and largest value; infinite where there is no limit."""


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of operands.

    Attributes:
        element, index: what an element that is read, and an affine expression may be; None: anything of their type.
        found: limits of expressions that were asked about, by identity, and these, so that they live as long.
        inside: on sides of how many choices.
        exact: signed numbers do not wrap.
    """

    element: Callable[[e.Access], Range | None] = lambda access: None
    index: Callable[[Affine], Range | None] = lambda value: None
    found: dict[int, tuple[e.Expression, Range]] = field(default_factory=dict)
    inside: int = 0
    exact: bool = False


def value_range(type_: e.ScalarType) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    if type_.kind == "uint":
        return 0, (1 << type_.bits) - 1
    return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1


def any_value(type_: e.ScalarType) -> Range:
    """Smallest and largest value of a type."""
    return (-inf, inf) if type_.is_float else value_range(type_)


def fits(limits: Range, type_: e.ScalarType) -> bool:
    """Whether all numbers between limits are of a type."""
    least, most = any_value(type_)
    return least <= limits[0] and limits[1] <= most


def range_of(operator: str, left: Range, right: Range, type_: e.ScalarType) -> Range:
    """Limits of what an operator comes to, as if its type had no limits, and floats were exact; any value of the type
    where nothing is known."""
    anything = any_value(type_)
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
        case "/" if type_.is_float and (right[0] > 0 or right[1] < 0):
            quotients = [a / b for a in left for b in right]
            return (min(quotients), max(quotients))
        case "/" if right[0] > 0 or right[1] < 0:
            quotients = [abs(a) // abs(b) * (1 if (a >= 0) == (b > 0) else -1) for a in left for b in right]
            return (min(quotients), max(quotients))
        case "%" if right[0] > 0:
            return (max(left[0], 1 - right[1]) if left[0] < 0 else 0, min(max(left[1], 0), right[1] - 1))
        case _:
            return anything


def value_bounds(node: e.Expression, known: Known | None = None) -> Range:
    """Limits of the expression's value. They hold wherever C says what the value is."""
    known = known or Known()
    if id(node) not in known.found:
        limits = _limits(node, known)
        known.found[id(node)] = node, limits if fits(limits, node.type) else any_value(node.type)
    return known.found[id(node)][1]


def _limits(node: e.Expression, known: Known) -> Range:
    match node:
        case e.Literal(value, _):
            return (value, value)
        case e.Read(access, type_):
            return known.element(access) or any_value(type_)
        case e.Index(value, type_):
            return known.index(value) or any_value(type_)
        case e.Comparison() | e.Logical() | e.Unary("!", _, _):
            return (0, 1)
        case e.Select(condition, then, otherwise, _):
            sides = [_side(then, condition, True, known), _side(otherwise, condition, False, known)]
            found = [side for side in sides if side is not None]
            return (min(low for low, _ in found), max(high for _, high in found)) if found else any_value(node.type)
        case e.Cast(operand, type_):
            low, high = value_bounds(operand, known)
            return _rounded((low, high), type_) if type_.is_float else _truncated(low, high)
        case e.Unary("-", operand, _):
            low, high = value_bounds(operand, known)
            return (-high, -low)
        case e.Unary("~", operand, _):
            low, high = value_bounds(operand, known)
            return (-high - 1, -low - 1)
        case e.Binary("*", left, right, type_) if left == right:
            low, high = value_bounds(left, known)
            near, far = sorted((abs(low), abs(high)))
            square = (0 if low <= 0 <= high else near * near, far * far)
            return any_value(type_) if far == inf else _rounded(square, type_)
        case e.Binary("+", left, right) if (mixed := _mixed(left, right, known)) is not None:
            return mixed
        case e.Binary(operator, left, right, type_):
            return _rounded(range_of(operator, value_bounds(left, known), value_bounds(right, known), type_), type_)
        case e.Call(function, _, type_) if function in e.BIT_COUNTS:
            return (0, type_.bits)
        case e.Call("sqrt" | "sqrtf", (operand,), type_):
            low, high = value_bounds(operand, known)
            return _rounded((math.sqrt(low), math.sqrt(high)), type_) if 0 <= low <= high < inf else any_value(type_)
        case e.Call(function, (operand,), _) if function.removesuffix("f") in _LIMITS_OF:
            ends = value_bounds(operand, known)
            return ends if inf in map(abs, ends) else _LIMITS_OF[function.removesuffix("f")](*ends)
        case _:
            return any_value(node.type)


def _side(value: e.Expression, condition: e.Expression, holds: bool, known: Known) -> Range | None:
    """What a choice may be on one side, where its condition says something of what is read there; None: never. Of a
    choice on a side of a choice, and so on, only some conditions are looked at: each has what is on its sides anew."""
    nodes = list(islice(e.walk(condition), _FEW))
    asked = {node.access: node for node in nodes if isinstance(node, e.Read)}
    if not asked or len(nodes) == _FEW or known.inside == _DEEP:
        return bounds_where(value, condition, holds, known)
    limits = {access: bounds_where(read, condition, holds, known) for access, read in asked.items()}
    if None in limits.values():
        return None

    def element(access: e.Access) -> Range | None:
        return limits.get(access) or known.element(access)

    inner = Known(element, known.index, inside=known.inside + 1, exact=known.exact)
    return bounds_where(value, condition, holds, inner)


_FEW, _DEEP = 64, 3
"""Nodes of a condition, fewer of which are looked at; and so many conditions one inside the other."""


def minus_of(value: e.Expression) -> e.Expression | None:
    """What a value is the negative of, as it is written; of unsigned numbers, which wrap, nothing is said."""
    if value.type.kind == "uint":
        return None
    match value:
        case e.Unary("-", operand):
            return operand
        case e.Index(index, type_):
            return e.Index(-index, type_)
    return None


def bounds_where(value: e.Expression, condition: e.Expression, holds: bool, known: Known | None = None) -> Range | None:
    """As `value_bounds`, where a condition holds, or does not; None: that is never so."""
    known = known or Known()
    low, high = value_bounds(value, known)
    match condition:
        case e.Logical("&&" | "||" as both, first, second) if (both == "&&") == holds:
            sides = [bounds_where(value, side, holds, known) for side in (first, second)]
            if sides[0] is None or sides[1] is None:
                return None
            low, high = max(low, *(side[0] for side in sides if side)), min(high, *(side[1] for side in sides if side))
        case e.Unary("!", operand, _):
            return bounds_where(value, operand, not holds, known)
        case e.Comparison(operator, left, right):
            operator = operator if holds else OPPOSITES[operator]
            if operator in (">", ">="):
                operator, left, right = "<" + operator[1:], right, left
            (least, most), (lower, upper) = value_bounds(left, known), value_bounds(right, known)
            # Of numbers that are not, nothing holds, whatever their bounds; where these are finite, there are none.
            apart = int(operator == "<" and not left.type.is_float)
            below = operator in ("<", "<=", "==")
            if (below and least > upper - apart) or (operator == "==" and lower > most):
                return None
            if below and (added := _added(value, left, known)) is not None:
                high = min(high, upper - apart - added)
            if below and (added := _added(value, right, known)) is not None:
                low = max(low, least + apart - added)
            if below and minus_of(value) == left:
                low = max(low, apart - upper)
            if below and minus_of(value) == right:
                high = min(high, -least - apart)
            match value:
                case e.Binary("-", first, second, e.ScalarType("int" | "float")) if below and {first, second} == {
                    left,
                    right,
                }:
                    low, high = (max(low, 0), high) if first == right else (low, min(high, 0))
            if operator == "==" and value in (left, right):
                low, high = max(low, least, lower), min(high, most, upper)
    return (low, high) if low <= high else None


def _added(value: e.Expression, total: e.Expression, known: Known) -> int | None:
    """What is added to a value, or subtracted as a negative number, to get another one; None where it may wrap, too."""
    match total:
        case e.Binary(
            "+" | "-" as sign, operand, e.Literal(int() as constant), e.ScalarType("int" | "uint") as type_
        ) if operand == value:
            added = constant if sign == "+" else -constant
            low, high = value_bounds(value, known)
            exact = (known.exact and type_.kind == "int") or fits((low + added, high + added), type_)
            return added if exact else None
    return 0 if value == total else None


def is_never_negative_zero(node: e.Expression, known: Collection[str] = ()) -> bool:
    """Whether a floating-point value is a positive number or zero, a negative number or NaN, but never -0.0.

    Args:
        known: arrays that hold no -0.0.
    """
    match node:
        case e.Literal(value, type_):
            return not type_.is_float or value != 0 or math.copysign(1, value) > 0
        case e.Read(access, type_):
            return not type_.is_float or access.array in known
        case e.Call("fabs" | "fabsf" | "exp" | "expf", _, _) | e.Index():
            return True
        case e.Call("sqrt" | "sqrtf", (operand,), _):
            return is_never_negative_zero(operand, known)
        case e.Cast(operand, type_):  # to a narrower type, small negative numbers become -0.0
            return operand.type.bits <= type_.bits and is_never_negative_zero(operand, known)
        case e.Binary("*", left, right, _):
            return left == right
        case e.Binary("+", left, right, _):  # -0.0 where both are; with a product in it, also where that is too small
            sides = [is_never_negative_zero(side, known) for side in (left, right)]
            fused = (side for side in (left, right) if isinstance(side, e.Binary) and side.operator == "*")
            return any(sides) and all(is_never_negative_zero(side, known) for side in fused)
        case e.Select(_, then, otherwise, _):
            return is_never_negative_zero(then, known) and is_never_negative_zero(otherwise, known)
    return not node.type.is_float


def are_never_negative_zero(stores: Iterable[tuple[str, e.Expression]]) -> frozenset[str]:
    """Of the arrays that get such values those that hold no -0.0, unless they did before."""
    by_array: dict[str, list[e.Expression]] = {}
    for array, value in stores:
        by_array.setdefault(array, []).append(value)
    found = frozenset(by_array)
    while True:
        still = frozenset(a for a in found if all(is_never_negative_zero(value, found) for value in by_array[a]))
        if still == found:
            return found
        found = still


def chooses_exactly(value: e.Expression, target: e.Access, known: Collection[str] = ()) -> bool:
    """Whether an extremum of the target and another number comes to the same bits in any order: no zeros differ, and
    what is not a number is never chosen, as it is where the target stands first, ``most > x ? most : x``.

    Args:
        known: arrays that hold no -0.0.
    """
    if not isinstance(value, e.Select):
        return False
    return value.otherwise == e.Read(target, value.type) and is_never_negative_zero(value.then, known)


def without_cuts(node: e.Expression, path: tuple[tuple[e.Expression, bool], ...] = ()) -> e.Expression:
    """The same value without conversions to a narrow type and back that change nothing, as in
    ``x < 0 ? 0 : x > 255 ? 255 : (u8)x``: what is left may be the smaller and the larger of two.

    Args:
        path: conditions around it that hold, or do not.
    """
    match node:
        case e.Select(condition, then, otherwise, type_, eager):
            asked = without_cuts(condition, path)
            first, second = (
                without_cuts(side, (*path, (condition, holds))) for side, holds in ((then, True), (otherwise, False))
            )
            same = asked is condition and first is then and second is otherwise
            return node if same else e.Select(asked, first, second, type_, eager)
        case e.Cast(e.Cast(operand, small), wide) if operand.type == wide and not (wide.is_float or small.is_float):
            found = [bounds_where(operand, condition, holds) for condition, holds in path]
            ends = [value_bounds(operand), *(limits for limits in found if limits is not None)]
            if fits((max(low for low, _ in ends), min(high for _, high in ends)), small):
                return without_cuts(operand, path)
    before = tuple(e.children(node))
    after = tuple(without_cuts(child, path) for child in before)
    return node if all(new is old for new, old in zip(after, before, strict=True)) else e.with_children(node, after)


OPPOSITES = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
"""The comparison that holds where one does not."""

_LIMITS_OF: dict[str, Callable[[float, float], Range]] = {
    "floor": lambda low, high: (math.floor(low), math.floor(high)),
    "ceil": lambda low, high: (math.ceil(low), math.ceil(high)),
    "trunc": lambda low, high: (math.trunc(low), math.trunc(high)),
    "rint": lambda low, high: (round(low), round(high)),
    "nearbyint": lambda low, high: (round(low), round(high)),
    "round": lambda low, high: (math.ceil(low - 0.5), math.floor(high + 0.5)),
    "fabs": lambda low, high: (max(low, -high, 0), max(-low, high)),
}
"""Limits of functions from those of the argument, as long as these are finite."""


def _rounded(limits: Range, type_: e.ScalarType) -> Range:
    """With what floats of a type may differ from exact numbers by, in one operation and in its operands."""
    if not type_.is_float:
        return limits
    share = 2.0 ** (-22 if type_.bits == 32 else -51)
    return limits[0] - share * abs(limits[0]), limits[1] + share * abs(limits[1])


def _mixed(left: e.Expression, right: e.Expression, known: Known) -> Range | None:
    """Of ``x * a + y * (c - a)`` with a from 0 to c, no farther out than c * x and c * y; None of others."""
    for (first, weight), (second, rest) in product(_factors(left), _factors(right)):
        for one, other in ((weight, rest), (rest, weight)):
            match other:
                case e.Binary("-", e.Literal(int() as whole), part, _) if part == one:
                    least, most = value_bounds(one, known)
                    if least >= 0 and most <= whole:
                        ends = [whole * end for operand in (first, second) for end in value_bounds(operand, known)]
                        return (min(ends), max(ends))
    return None


def _factors(node: e.Expression) -> tuple[tuple[e.Expression, e.Expression], ...]:
    """Both orders of a product's factors, of integers; () of what is none."""
    match node:
        case e.Binary("*", left, right, type_) if not type_.is_float:
            return (left, right), (right, left)
    return ()


def _truncated(low: float, high: float) -> Range:
    return (low if low == -inf else int(low), high if high == inf else int(high))
