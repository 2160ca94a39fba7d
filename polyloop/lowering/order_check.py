"""Whether generated code does what a Scop does, seen at small sizes.

Where loops move in steps (S[j] -> [11 j], T[j] -> [8 j]), isl's AST has statements in a wrong order at times, although
the schedule is proven. So such code is run once beside the original loops, on symbols instead of numbers, which no
rounding, division by zero or NaN makes equal: elements of a field of 2^61 - 1, where every element of an array begins
as one of its own. Sums, products, minima, conditions and bitwise operators are what they are, so that reassociated
reductions are equal; any other operation gives an element that depends on the operation and its operands, and on
nothing else.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TypeAlias
from zlib import crc32

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import affine, evaluate_condition
from polyloop.backend.ir.expressions import COMPARISONS, Access, Expression, affine_access
from polyloop.backend.ir.loop_nest import ENDLESS, Block, Compute, Guard, Loop, LoopNest, Node
from polyloop.errors import PolyloopError
from polyloop.scop.data import work
from polyloop.scop.model import Scop

Cells: TypeAlias = dict[tuple[str, tuple[int, ...]], int]
"""Symbols of the elements that were written."""

_RANGES = ((4, 7), (1, 40))
"""Parameters are looked for in these."""

_MOST_POINTS = 20_000
"""Beyond so many statement instances nothing is checked: sizes that are written into the loops."""

_FIELD = (1 << 61) - 1

_INDICES = 5
"""So many numbers come from data."""

_EXACT: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: (a + b) % _FIELD,
    "-": lambda a, b: (a - b) % _FIELD,
    "*": lambda a, b: a * b % _FIELD,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    **COMPARISONS,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
    "fmin": min,
    "fminf": min,
    "fmax": max,
    "fmaxf": max,
}
"""Operations whose laws reductions and conditions rely on."""


def same_results(scop: Scop, original: LoopNest, nest: LoopNest) -> bool:
    """Whether two nests of a Scop leave the same in its arrays at small sizes; True where nothing small is found."""
    sizes = _small(scop)
    if sizes is None:
        return True
    try:
        if work(scop, sizes) > _MOST_POINTS:
            return True
    except PolyloopError:
        return True
    expected, found = _Symbols(sizes), _Symbols(sizes)
    expected.run(original.body)
    found.run(nest.body)
    return all(
        expected.cells.get(cell) == found.cells.get(cell)
        for cell in expected.cells.keys() | found.cells.keys()
        if cell[0] in scop.results
    )


class _Symbols:
    """A run of a nest on symbols.

    Args:
        integers: values of the parameters.
    """

    def __init__(self, integers: Mapping[str, int]) -> None:
        self._integers = dict(integers)
        self.cells: Cells = {}
        self._partials: dict[str, int] = {}

    def run(self, node: Node) -> None:
        match node:
            case Loop(variable, lower, upper, step, body, _):
                first, end = lower.evaluate(self._integers), upper.evaluate(self._integers)
                if end - first >= ENDLESS >> 20:  # symbols end no loop
                    end = first + _INDICES * step
                for value in range(first, end, step):
                    self._integers[variable] = value
                    self.run(body)
            case Block(children):
                for child in children:
                    self.run(child)
            case Guard(condition, body, orelse):
                self.run(body if evaluate_condition(condition, self._integers) else orelse)
            case Compute(_, target, expression):
                self.cells[self._cell(target)] = self._value(expression)

    def _cell(self, access: Access) -> tuple[str, tuple[int, ...]]:
        # Few different numbers, so that what data say is the same element here and there.
        plain = affine_access(access, [affine(self._value(datum.value) % _INDICES) for datum in access.data])
        return access.array, tuple(subscript.evaluate(self._integers) for subscript in plain.subscripts)

    def _value(self, expression: Expression) -> int:
        match expression:
            case e.Literal(value, _):
                return int(value) % _FIELD if value == value // 1 else _mixed(str(value))
            case e.Read(access, _):
                cell = self._cell(access)
                return self.cells[cell] if cell in self.cells else _mixed(cell[0], *cell[1])
            case e.Index(value, _):
                return value.evaluate(self._integers) % _FIELD
            case e.Cast(operand, _):
                return self._value(operand)
            case e.Unary("-", operand, _):
                return -self._value(operand) % _FIELD
            case e.Unary("!", operand, _):
                return int(not self._value(operand))
            case e.Unary(name, operand, _):
                return _mixed(name, self._value(operand))
            case e.Binary(name, left, right, _) | e.Comparison(name, left, right) | e.Logical(name, left, right):
                return _applied(name, self._value(left), self._value(right))
            case e.Select(condition, then, otherwise, _):
                return self._value(then if self._value(condition) else otherwise)
            case e.Partial(variable, _):
                return self._partials[variable]
            case e.Fold():
                return self._fold(expression)
            case e.Call(name, arguments, _):
                return _applied(name, *map(self._value, arguments))

    def _fold(self, fold: e.Fold) -> int:
        """So many iterations, and from where on, as the symbols of the bounds say."""
        lower, upper = (self._value(end) % _INDICES for end in (fold.lower, fold.upper))
        result = self._value(fold.initial)
        for number in range(lower, lower + upper):
            self._integers[fold.variable], self._partials[fold.variable] = number, result
            result = self._value(fold.value)
        return result


def _applied(name: str, *operands: int) -> int:
    exact = _EXACT.get(name)
    return _mixed(name, *operands) if exact is None else int(exact(*operands))


def _mixed(name: str, *numbers: int) -> int:
    """An element of the field for a name and numbers, the same in every process."""
    result = crc32(name.encode()) + 1
    for number in numbers:
        result = (result * 6364136223846793005 + number + 1442695040888963407) % _FIELD
        result = (result ^ result >> 31) * 3935559000370003845 % _FIELD
    return result


def _small(scop: Scop) -> dict[str, int] | None:
    names = scop.parameters
    known = scop.known.params()
    for low, high in _RANGES:
        bounds = " and ".join(f"{low} <= {name} <= {high}" for name in names)
        point = (known & isl.Set(f"[{', '.join(names)}] -> {{ : {bounds or '1 = 1'} }}").params()).sample_point()
        if not point.is_void():
            place = {known.get_dim_name(isl.dim_type.param, k): k for k in range(known.dim(isl.dim_type.param))}
            values = {n: point.get_coordinate_val(isl.dim_type.param, place[n]).to_python() for n in names}
            return {name: int(value) for name, value in values.items()}
    return None
