"""What arrays are filled with where code asks how large their elements are: numbers on both sides of what it compares
them with.

    if (v[i] < 1000) ...        v between 1 and 2000
    if (text[i] == 'x') ...     that character and the next
    if (is_wall[i]) ...         0 and 1
    if (f[i] > 0) ...           f between -1 and 1
    if (f[i] - limit > 0) ...   limit in the middle of what f holds

On other numbers a condition would always go one way: a processor predicts such a branch, and a measurement would say
nothing of code that has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import (
    Binary,
    Cast,
    Comparison,
    Expression,
    Fold,
    Index,
    Literal,
    Logical,
    Read,
    ScalarType,
    Select,
    Unary,
    reads,
    walk,
    walk_values,
)
from polyloop.backend.ir.ranges import range_of
from polyloop.scop.affine_isl import ends_of
from polyloop.scop.check_data import is_defined
from polyloop.scop.data import ORDINARY_FLOATS, ORDINARY_INTEGERS, Fill
from polyloop.scop.model import Scop, Statement

_MOST = 1 << 13
"""What is compared with longer integers is no larger: sums of some products of two such stay in 32 bits. Sentinels, the
largest numbers of their types, are no thresholds. Of floats likewise."""

_ROUNDS = 4
"""So many scalars are followed, one computed from the other, to the array that they come from."""

Ends: TypeAlias = tuple[float, float]
Origin: TypeAlias = tuple[str, float]
"""The array that a value comes from, and what it has to be multiplied by to be as large as its elements."""


def on_both_sides(scop: Scop, data: tuple[Fill, ...]) -> tuple[Fill, ...]:
    """The arrays with ordinary numbers on both sides of what the Scop compares them with; as they are where floats end
    loops, which have `Fill.scale`."""
    if scop.is_endless or scop.ends_by_floats:
        return data
    found = thresholds(scop)
    return tuple(replace(spec, range=found.get(spec.name, spec.range)) for spec in data)


@lru_cache(8)
def thresholds(scop: Scop) -> Mapping[str, Ends]:
    """For arrays whose elements are compared with numbers: the smallest and the largest value for them.

    Divisors are left out, which must not be zero, and what subscripts are computed from, which have to name elements.
    None where C would not define what is done with such values.
    """
    given = _given(scop)
    origins = _origins(given)
    written = {statement.target.array for statement in scop.statements}
    asked: dict[str, list[tuple[Ends, bool]]] = {}
    middles: dict[str, str] = {}
    for statement in scop.statements:
        for node in _comparisons(statement.value):
            left, right = _sides(node, given)
            for value, limit in ((left, right), (right, left)):
                origin, ends = _origin(value, origins), _interval(limit, statement)
                if origin is not None and (scalar := _scalar(limit)) is not None and scalar not in written:
                    middles[scalar] = origin[0]
                if origin is not None and ends is not None:
                    name, factor = origin
                    scaled = (ends[0] * factor, ends[1] * factor)
                    asked.setdefault(name, []).append((scaled, node.operator in ("==", "!=")))
    types = {array.name: array.type for array in scop.arrays if not array.local}
    left_out = _bound_to_other_values(scop)
    found = {
        name: ends for name in types.keys() & asked.keys() - left_out if (ends := _around(asked[name], types[name]))
    }
    placed = _bound_to_other_values(scop, divisors=False)
    for scalar, name in middles.items():
        if {scalar, name} <= types.keys() and scalar not in placed | asked.keys():
            low, high = found.get(name, ORDINARY_FLOATS if types[name].is_float else ORDINARY_INTEGERS)
            middle = (low + high) / 2 if types[scalar].is_float else (low + high) // 2
            found[scalar] = middle, middle
    plain = tuple(Fill(name, type_, (), 0) for name, type_ in types.items())
    wanted = tuple(replace(spec, range=found.get(spec.name)) for spec in plain)
    return found if is_defined(scop, wanted) or not is_defined(scop, plain) else {}


def _comparisons(value: Expression) -> Iterator[Comparison]:
    """Those in a value; of what is a condition itself, that with zero."""
    for node in walk_values(value):
        asked: tuple[Expression, ...] = ()
        match node:
            case Comparison():
                yield node
            case Select(condition, _, _):
                asked = (condition,)
            case Logical(_, left, right):
                asked = (left, right)
            case Unary("!", operand):
                asked = (operand,)
        for each in asked:
            if isinstance(each, (Read, Cast, Binary)) and not each.type.is_float:
                yield Comparison("!=", each, Literal(0, each.type))


def _around(asked: list[tuple[Ends, bool]], type_: ScalarType) -> Ends | None:
    """Values on both sides of what elements of this type are compared with, for equality or not."""
    if type_.is_float:
        numbers = [end for ends, _ in asked for end in ends if end == 0 or ORDINARY_FLOATS[0] <= abs(end) <= _MOST]
        if not numbers or all(ORDINARY_FLOATS[0] < number < ORDINARY_FLOATS[1] for number in numbers):
            return None
        low, high = min(numbers), max(numbers)
        return (2 * low if low < 0 else -max(1.0, 2 * high) if low == 0 else 0.0), max(1.0, 2 * high)
    signed = type_.kind == "int"
    last = (1 << (type_.bits - signed)) - 1
    usable = [(ends, equal) for ends, equal in asked if type_.bits <= 16 or max(map(abs, ends)) <= _MOST]
    same = [end for ends, equal in usable if equal for end in ends]
    limits = [end for ends, equal in usable if not equal for end in ends]
    if same and not limits:  # as many equal one of them as do not, where it is one
        return (min(same), max(same) + 1) if max(same) < last else (min(same) - 1, max(same))
    if not limits:
        return None
    least, most = ORDINARY_INTEGERS
    high = max([most, *same, *(2 * limit for limit in limits)])
    low = min([least, *same])
    if signed and min(limits) <= 0:
        low = min(low, -high)
    return max(low, -last - 1 if signed else 0), min(high, last)


def _sides(node: Comparison, given: Mapping[str, list[Expression]]) -> tuple[Expression, Expression]:
    """What is compared: of a difference and zero, what it is the difference of."""
    for value, zero in ((node.left, node.right), (node.right, node.left)):
        if isinstance(value, Read) and len(values := given.get(value.access.array, [])) == 1:
            value = values[0]
        match value, zero:
            case Binary("-", left, right), Literal(0) | Cast(Literal(0)) if _scalar(left) or _scalar(right):
                return left, right
    return node.left, node.right


def _scalar(value: Expression) -> str | None:
    """The scalar that a value is."""
    while isinstance(value, Cast):
        value = value.operand
    return value.access.array if isinstance(value, Read) and not value.access.subscripts else None


def _given(scop: Scop) -> dict[str, list[Expression]]:
    """What scalars are set to."""
    given: dict[str, list[Expression]] = {}
    for statement in scop.statements:
        if not statement.target.subscripts:
            given.setdefault(statement.target.array, []).append(statement.value)
    return given


def _origins(given: Mapping[str, list[Expression]]) -> dict[str, Origin]:
    """Of scalars of the Scop's own that hold elements of one array, or what is computed from one of them."""
    known: dict[str, Origin] = {}
    for _ in range(_ROUNDS):
        for name, values in given.items():
            origins = [origin for value in values if (origin := _origin(value, known)) is not None]
            if origins and len({array for array, _ in origins}) == 1:
                known.setdefault(name, origins[0])
    return known


def _origin(value: Expression, origins: Mapping[str, Origin]) -> Origin | None:
    """Where a value comes from, if that is one element of an array, but for numbers that it is computed with."""
    match value:
        case Read(access):
            return (access.array, 1.0) if access.subscripts else origins.get(access.array)
        case Cast(operand) | Unary("-", operand):
            return _origin(operand, origins)
        case Select(_, then, otherwise) | Binary("+" | "-", then, otherwise):
            sides = [origin for side in (then, otherwise) if (origin := _origin(side, origins)) is not None]
            return sides[0] if sides and len({array for array, _ in sides}) == 1 else None
        case Binary("*" | "/" as operator, operand, Literal(number)) if number and (
            origin := _origin(operand, origins)
        ):
            return origin[0], origin[1] * number if operator == "/" else origin[1] / number
        case Binary(">>" | "<<" as operator, operand, Literal(number)) if origin := _origin(operand, origins):
            return origin[0], origin[1] * 2.0 ** (number if operator == ">>" else -number)
    return None


def _bound_to_other_values(scop: Scop, divisors: bool = True) -> set[str]:
    """The arrays that subscripts, bounds of loops and divisors are computed from, be it through others."""
    found: set[str] = set()
    for statement in scop.statements:
        values = [datum.value for access in statement.accesses for datum in access.data]
        for node in walk(statement.value):
            match node:
                case Binary("/" | "%", _, divisor) if divisors:
                    values.append(divisor)
                case Fold(_, lower, upper):
                    values += (lower, upper)
        found |= {read.access.array for value in values for read in reads(value)}
    while more := {a.array for s in scop.statements if s.target.array in found for a in s.operands} - found:
        found |= more
    return found


def _interval(value: Expression, statement: Statement) -> Ends | None:
    """The least and the greatest that numbers and counters make; None of what depends on others."""
    match value:
        case Literal(number):
            return float(number), float(number)
        case Cast(operand):
            return _interval(operand, statement)
        case Unary("-", operand):
            inner = _interval(operand, statement)
            return None if inner is None else (-inner[1], -inner[0])
        case Index(number):
            return _range_of(number, statement)
        case Binary("+" | "-" | "*" | "<<" as operator, left, right, type_):
            sides = _interval(left, statement), _interval(right, statement)
            if sides[0] is not None and sides[1] is not None:
                return range_of(operator, sides[0], sides[1], type_)
    return None


def _range_of(number: Affine, statement: Statement) -> Ends | None:
    """Of a counter that runs between numbers."""
    if not number.terms:
        return float(number.constant), float(number.constant)
    (name, factor), *more = number.terms
    if more or name not in statement.iterators:
        return None
    ends = ends_of(statement.domain.project_out_all_params(), statement.iterators.index(str(name)))
    values = [number.constant + factor * end for end in ends or ()]
    return (float(min(values)), float(max(values))) if values else None
