"""Data to compare results on, beside the ordinary numbers that are timed.

Ordinary numbers are mostly positive: on them no zero has a sign and nothing overflows, so that code that is wrong there
would pass. Where what C leaves undefined could happen (a division by zero, a number that does not
fit into the integer it is converted to, an overflow), compilers do as they like and a comparison says nothing; so
the range of every value is bounded first, and a program gets only data with which all it does is defined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil, inf, isfinite
from sys import float_info
from typing import TypeAlias

from polyloop.arithmetic import SIGNATURES
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import Expression, ScalarType
from polyloop.backend.ir.ranges import Range, any_value, fits, range_of
from polyloop.backend.ir.ranges import value_range as integers_of
from polyloop.backend.planning.values import as_extremum
from polyloop.scop.data import Fill, Kind, SizeError, checked_sizes, fills, loop_parameters, shape_of, value_range, work
from polyloop.scop.model import Scop

INSTANCES = 2e6
"""A check runs at smaller sizes where more statement instances would run: some milliseconds."""

LEAST = 24
"""Sizes are not reduced below this: tiles have to be full, and have borders, here as well."""

SMALL = (2, 5, 1, 3, 9, 17)
"""Sizes with which blocks of 4, 8 and 16 are not full, in any way, or just overfull, ..."""

MOST_SMALL = 24
"""... and how many combinations of them at most a check runs at, some milliseconds each."""

SEED = 1000

Kinds: TypeAlias = tuple[Kind, Kind]
"""Of floats, and of integers."""

EXACT: tuple[tuple[Kinds, ...], ...] = (
    (("signed", "signed"), ("signed", "ordinary")),
    (("extreme", "extreme"), ("extreme", "signed"), ("signed", "extreme"), ("extreme", "ordinary")),
)
"""What results are compared on bit by bit: of every row the first that is defined."""

ROUNDED: tuple[tuple[Kinds, ...], ...] = ((("negative", "signed"), ("negative", "ordinary")),)
"""The same where sums may be reordered: numbers of both signs would cancel, and differences mean nothing any more."""


def check_runs(scop: Scop, sizes: Mapping[str, int], exact: bool) -> Iterator[tuple[dict[str, int], tuple[Fill, ...]]]:
    """Sizes and data to compare results on: `check_sizes` with all of `check_fills`, then small sizes, at which blocks
    are not full and loops not entered, with the first of these each."""
    large = check_sizes(scop, sizes)
    yield from ((large, data) for data in check_fills(scop, large, exact))
    for small in _small_sizes(scop, large):
        yield from ((small, data) for data in check_fills(scop, small, exact)[:1])


def _small_sizes(scop: Scop, sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """All parameters that bound loops small together, and each by itself."""
    names = loop_parameters(scop)
    seen = [dict(sizes)]
    for least in SMALL:
        for chosen in dict.fromkeys(((*names,), *((name,) for name in names))):
            small = {name: min(value, least) if name in chosen else value for name, value in sizes.items()}
            with suppress(SizeError):
                small = checked_sizes(scop, small)
                for array in scop.arrays:
                    shape_of(scop, array, small)  # rows of w - 2, say, which nothing makes when w is 1
                if small not in seen and len(seen) <= MOST_SMALL:
                    seen.append(small)
                    yield small


def check_fills(scop: Scop, sizes: Mapping[str, int], exact: bool) -> tuple[tuple[Fill, ...], ...]:
    """Ways to fill the arrays for a check, as far as the program defines what happens then.

    Args:
        exact: results are to be equal bit for bit.
    """
    found: list[tuple[Fill, ...]] = []
    for row in EXACT if exact else ROUNDED:
        tried = (fills(scop, sizes, SEED, *kinds) for kinds in row)
        chosen = next((data for data in tried if is_defined(scop, data)), None)
        if chosen is not None and chosen not in found:
            found.append(chosen)
    return tuple(found)


def check_sizes(scop: Scop, sizes: Mapping[str, int]) -> dict[str, int]:
    """These sizes, or smaller ones where a run would take long."""
    current = dict(sizes)
    for step in range(1, 60):
        if work(scop, current) <= INSTANCES:
            break
        smaller = {name: max(min(LEAST, value), round(value * 0.85**step)) for name, value in sizes.items()}
        try:
            smaller = checked_sizes(scop, smaller)
        except SizeError:
            continue
        if work(scop, smaller) > 0:
            current = smaller
    return current


def is_defined(scop: Scop, data: tuple[Fill, ...]) -> bool:
    """Whether C defines all that the program does with such data, as far as ranges of values tell.

    Sums of ordinary and of signed integers are taken to fit: as many numbers of that size as there are elements do not
    overflow. Extreme ones have to be seen not to.
    """
    ranges = _Ranges({fill.name: value_range(fill) for fill in data})
    ranges.run(scop)
    fits = ranges.fits or all(fill.kind != "extreme" or fill.type.is_float for fill in data)
    return ranges.defined and fits


# --- ranges of values -------------------------------------------------------------------------------------------------

ANY = (-inf, inf)
"""Of floats, also what is not a number."""

ROUNDS = 8
"""What still grows after so many rounds over all statements may have any value of its type."""

_INDEX = 1 << 24
"""No index is taken to be larger."""

_NO_LARGER = frozenset(
    name + suffix
    for name in ("fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "copysign")
    for suffix in ("", "f")
)
"""Functions whose values are at most the next whole number from what they are given first."""


@dataclass
class _Ranges:
    """Ranges of what arrays hold, and whether everything that was computed is defined, and fits its type."""

    arrays: dict[str, Range]
    defined: bool = True
    fits: bool = True
    _grown: set[str] = field(default_factory=set)

    def run(self, scop: Scop) -> None:
        """Until nothing grows any more; a local array counts as holding 1 before it is written."""
        types = {array.name: array.type for array in scop.arrays}
        for array in types.keys() - self.arrays.keys():
            self.arrays[array] = (1, 1)
        for number in range(2 * ROUNDS + len(types)):
            self._grown.clear()
            for statement in scop.statements:
                name = statement.target.array
                self._store(name, self.of(statement.value))
            if not self._grown:
                return
            if number >= ROUNDS:
                self.arrays.update({name: any_value(types[name]) for name in self._grown})

    def _store(self, array: str, value: Range) -> None:
        joined = _join(self.arrays[array], value)
        if joined != self.arrays[array]:
            self.arrays[array] = joined
            self._grown.add(array)

    def of(self, node: Expression) -> Range:
        """The range of an expression's value."""
        match node:
            case e.Literal(value, _):
                return (value, value) if isfinite(value) else ANY
            case e.Read(access, _):
                return self.arrays[access.array]
            case e.Index(_, type_):
                low, high = integers_of(type_) if not type_.is_float else ANY
                return (max(low, -_INDEX), min(high, _INDEX))
            case e.Unary("!", operand, _):
                self.of(operand)
                return (0, 1)
            case e.Unary(operator, operand, type_):
                low, high = self.of(operand)
                return self._held((-high, -low) if operator == "-" else (-high - 1, -low - 1), type_)
            case e.Binary(operator, left, right, type_):
                return self._binary(operator, self.of(left), self.of(right), type_)
            case e.Comparison() | e.Logical():
                for operand in e.children(node):
                    self.of(operand)
                return (0, 1)
            case e.Select():
                return self._choice(node)
            case e.Cast(operand, type_):
                return self._converted(self.of(operand), operand.type, type_)
            case e.Partial(_, type_):
                return any_value(type_)
            case e.Fold():
                for operand in e.children(node):
                    self.of(operand)
                return any_value(node.type)
            case e.Call(function, arguments, type_):
                return self._called(function, [self.of(a) for a in arguments], type_)

    def _choice(self, node: e.Select) -> Range:
        self.of(node.condition)
        then, otherwise = self.of(node.then), self.of(node.otherwise)
        extremum = as_extremum(node)
        if extremum is None or ANY in (then, otherwise):
            return _join(then, otherwise)
        pick = min if extremum[0] == "min" else max
        return (pick(then[0], otherwise[0]), pick(then[1], otherwise[1]))

    def _converted(self, value: Range, from_: ScalarType, to: ScalarType) -> Range:
        if to.is_float:
            return value
        low, high = integers_of(to)
        inside = low - 1 < value[0] and value[1] < high + 1
        if from_.is_float and not inside:
            self.defined = False
        # Towards zero; between integers the number wraps.
        return (max(value[0], low), min(value[1], high)) if inside else (low, high)

    def _called(self, function: str, given: list[Range], type_: ScalarType) -> Range:
        # Of functions that we do not know, and of conversions to integers, anything may be expected; copysign shows the
        # sign of a NaN, which nothing defines.
        unknown = function not in SIGNATURES or not type_.is_float
        if unknown or (function.startswith("copysign") and ANY in given):
            self.defined = False
        if function in _NO_LARGER:
            if ANY in given:
                return ANY
            largest = ceil(max(map(abs, given[0])))
            return (0 if function.startswith("fabs") else -largest, largest)
        return ANY

    def _binary(self, operator: str, left: Range, right: Range, type_: ScalarType) -> Range:
        divides, shifts = operator in ("/", "%"), operator in ("<<", ">>")
        if not type_.is_float and divides and right[0] <= 0 <= right[1]:
            self.defined = False
        if shifts and (right[0] < 0 or right[1] >= type_.bits):
            self.defined = False
        return self._held(range_of(operator, left, right, type_), type_)

    def _held(self, value: Range, type_: ScalarType) -> Range:
        """What the type makes of it; signed integers must not overflow."""
        if type_.is_float:
            return value if all(abs(end) <= float_info.max for end in value) else ANY  # ends may be integers beyond
        if fits(value, type_):
            return value
        self.fits = self.fits and type_.kind == "uint"
        return any_value(type_)


def _join(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])
