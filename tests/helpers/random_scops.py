"""Random small programs: up to five statements, up to three loops deep, in bounds and free of undefined behaviour by
construction.

The same code is driven by a seed (`random_program`) or by hypothesis (`programs`), which then shrinks what fails.

In bounds: every iterator's smallest and largest value is known as an affine form of the parameters; a subscript is
shifted until its smallest value is at least 0, and the array's extent grows to hold its largest.
Defined: integer arrays hold values of -128..127 throughout, intermediate integers are kept below 2**28, divisors are
positive, and a float becomes an integer only after it was clamped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hypothesis import strategies as st

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Atom, Compare, FloorDiv, affine, at_least, equal
from polyloop.backend.ir.expressions import F32, F64, I32, Access, Expression, ScalarType
from polyloop.scop.model import Array
from tests.helpers.programs import Assign, For, Item, Program, When

T = TypeVar("T")


class Source(Protocol):
    """Where decisions come from; smaller numbers mean simpler programs."""

    def integer(self, low: int, high: int) -> int: ...


@dataclass(frozen=True)
class Seeded:
    rng: random.Random

    def integer(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)


def seeded(seed: int) -> Source:
    """The same decisions for the same seed."""
    return Seeded(random.Random(seed))


@dataclass(frozen=True)
class _Drawn:
    draw: Callable[[st.SearchStrategy[int]], int]

    def integer(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


def random_program(seed: int, statements: int = 5) -> Program:
    """The program of this seed, with at most so many statements."""
    return _Maker(seeded(seed), f"program{seed}", statements).program()


@st.composite
def programs(draw: Callable[[st.SearchStrategy[int]], int], statements: int = 5) -> Program:
    return _Maker(_Drawn(draw), "program", statements).program()


@dataclass(frozen=True)
class _Range:
    """An iterator with its smallest and largest value, affine in the parameters."""

    name: str
    low: Affine
    high: Affine


_Scope = tuple[_Range, ...]


class _Maker:
    """State of one program in the making."""

    def __init__(self, source: Source, name: str, statements: int) -> None:
        self.source = source
        self.name = name
        self.left = source.integer(1, statements)
        self.made = 0
        self.parameters = ("n", "m")[: source.integer(1, 2)]
        self.types: dict[str, ScalarType] = {}
        self.extents: dict[str, list[Affine]] = {}
        self.readable: list[str] = []
        for k in range(source.integer(1, 4)):
            self._new_array("ABCD"[k], source.integer(0, 3))
        self.locals: list[str] = []

    def program(self) -> Program:
        body: tuple[Item, ...] = ()
        while self.left:
            body += self._block((), 0)
        arrays = tuple(
            Array(name, self.types[name], tuple(shape), may_alias=bool(shape), local=name in self.locals)
            for name, shape in self.extents.items()
        )
        return Program(self.name, self.parameters, arrays, body)

    def _new_array(self, name: str, rank: int) -> None:
        self.types[name] = self._one_of((F64, F64, F64, F32, I32))
        self.extents[name] = [affine(1)] * rank
        self.readable.append(name)

    def _one_of(self, options: Sequence[T]) -> T:
        return options[self.source.integer(0, len(options) - 1)]

    def _chance(self, percent: int) -> bool:
        return self.source.integer(0, 99) >= 100 - percent

    # --- loops and conditions -----------------------------------------------------------------------------------------

    def _block(self, scope: _Scope, conditions: int) -> tuple[Item, ...]:
        items: list[Item] = []
        outside = list(self.readable)
        if scope and self.left > 1 and self._chance(20):
            items.append(self._local(scope))
        for _ in range(self.source.integer(1, 3)):
            if not self.left:
                break
            if len(scope) < 3 and self._chance(80 if not scope else 45):
                items.append(self._loop(scope, conditions))
            elif scope and conditions < 1 and self._chance(15):
                items.append(When(self._condition(scope), self._block(scope, conditions + 1)))
            else:
                items.append(self._assign(scope, self._one_of(self.readable)))
        self.readable = outside
        return tuple(items)

    def _loop(self, scope: _Scope, conditions: int) -> For:
        name = "ijk"[len(scope)]
        lower, upper = [self._lower(scope)], [self._upper(scope)]
        step = self._one_of((1, 1, 1, 1, 2, 3))
        if step == 1 and self._chance(10):
            lower.append(self._lower(scope))
        if step == 1 and self._chance(10):
            upper.append(self._upper(scope))
        inside = _Range(name, _bound(lower[0], scope, low=True), _bound(upper[0], scope, low=False) - 1)
        down = self._chance(20)
        return For(name, tuple(lower), tuple(upper), self._block((*scope, inside), conditions), step, down)

    def _lower(self, scope: _Scope) -> Affine:
        options = [affine(0), affine(0), affine(1), affine(2), affine(-1)]
        options += [affine(r.name) + shift for r in scope[-1:] for shift in (0, 1, -1)]
        return self._one_of(options)

    def _upper(self, scope: _Scope) -> Affine:
        sizes = [affine(p) for p in self.parameters]
        options = [*sizes, *sizes, sizes[0] - 1, sizes[-1] + 1, affine(5), affine(8)]
        options += [
            bound for r in scope[-1:] for bound in (affine(r.name), affine(r.name) + 2, sizes[0] - affine(r.name))
        ]
        return self._one_of(options)

    def _condition(self, scope: _Scope) -> Compare:
        i, j = affine(self._one_of(scope).name), affine(self._one_of(scope).name)
        n = affine(self.parameters[0])
        options = (at_least(i, 2), at_least(n - 2, i + j), at_least(i, j), equal(i, 1), equal((i + 4) % 2, 0))
        return self._one_of(options)

    # --- assignments --------------------------------------------------------------------------------------------------

    def _local(self, scope: _Scope) -> Assign:
        """The first assignment to a new scalar of the block."""
        name = f"t{len(self.locals)}"
        readable = self.readable
        self._new_array(name, 0)
        self.locals.append(name)
        self.readable = [r for r in readable if r != name]
        assign = self._assign(scope, name, fresh=True)
        self.readable = [*readable, *([name] if name not in readable else [])]
        return assign

    def _assign(self, scope: _Scope, array: str, fresh: bool = False) -> Assign:
        self.left -= 1
        name, type_ = f"S{self.made}", self.types[array]
        self.made += 1
        target = self._access(array, scope)
        if not fresh and self._chance(25):
            others = [r for r in self.readable if r != array]
            operator = self._one_of("+" if type_.is_float else "^&|")
            operand = self._expression(type_, 2, scope, others)
            return Assign(name, target, e.Binary(operator, e.Read(target, type_), operand, type_), operator)
        return Assign(name, target, self._expression(type_, 3, scope, self.readable))

    def _access(self, array: str, scope: _Scope) -> Access:
        return Access(array, tuple(self._subscript(array, k, scope) for k in range(len(self.extents[array]))))

    def _subscript(self, array: str, dimension: int, scope: _Scope) -> Affine:
        if not scope or self._chance(5):
            value = affine(self.source.integer(0, 2))
        else:
            value = self._shifted(self._form(scope), self._one_of(scope), scope)
        largest = _bound(value, scope, low=False) + 1
        self.extents[array][dimension] = _upper_hull(self.extents[array][dimension], largest)
        return value

    def _form(self, scope: _Scope) -> Affine:
        i, j = affine(self._one_of(scope).name), affine(self._one_of(scope).name)
        n = affine(self.parameters[0])
        if self._chance(75):
            return self._one_of((i, i, i, i + 1, i - 1))
        return self._one_of((i + j, 2 * i, n - 1 - i, i - j + n, 2 * i + j, self._half(i + 1, scope)))

    def _half(self, dividend: Affine, scope: _Scope) -> Affine:
        """Half of it, or all where it may be negative: C's division rounds towards zero, the program's down."""
        smallest = _bound(dividend, scope, low=True)
        positive = all(c >= 0 for _, c in smallest.terms) and smallest.evaluate(dict.fromkeys(self.parameters, 1)) >= 0
        return dividend // 2 if positive else dividend

    def _shifted(self, form: Affine, simple: _Range, scope: _Scope) -> Affine:
        """`form` plus a constant so that it is never negative, or an iterator where no constant does it."""
        for candidate in (form, affine(simple.name)):
            smallest = _bound(candidate, scope, low=True)
            if all(c >= 0 for _, c in smallest.terms):
                return candidate + max(0, -smallest.evaluate(dict.fromkeys(self.parameters, 1)))
        return affine(0)

    # --- expressions --------------------------------------------------------------------------------------------------

    def _expression(self, type_: ScalarType, depth: int, scope: _Scope, readable: list[str]) -> Expression:
        if type_.is_float:
            return self._float(type_, depth, scope, readable)
        value, size = self._integer(depth, scope, readable)
        return value if size <= 127 else e.Binary("%", value, e.Literal(113, I32), I32)

    def _read(self, type_: ScalarType, scope: _Scope, readable: list[str]) -> Expression | None:
        names = [name for name in readable if self.types[name] == type_]
        return e.Read(self._access(self._one_of(names), scope), type_) if names else None

    def _float(self, type_: ScalarType, depth: int, scope: _Scope, readable: list[str]) -> Expression:
        if depth == 0 or self._chance(20):
            return self._float_leaf(type_, scope, readable)

        def operand() -> Expression:
            return self._float(type_, depth - 1, scope, readable)

        match self._one_of(("+", "*", "-", "+", "*", "-", "/", "neg", "min", "max", "select", "call", "cast", "guard")):
            case "+" | "*" | "-" as operator:
                return e.Binary(operator, operand(), operand(), type_)
            case "/":
                bottom = operand()
                square = e.Binary("*", bottom, bottom, type_)
                return e.Binary("/", operand(), e.Binary("+", square, e.Literal(1.5, type_), type_), type_)
            case "neg":
                return e.Unary("-", operand(), type_)
            case "min" | "max" as which:
                left, right = operand(), operand()
                return e.Select(e.Comparison("<" if which == "min" else ">", left, right), left, right, type_)
            case "select":
                return e.Select(self._truth(depth - 1, scope, readable), operand(), operand(), type_)
            case "call":
                suffix = "f" if type_ == F32 else ""
                root = e.Call(f"fabs{suffix}", (operand(),), type_)
                return self._one_of((root, e.Call(f"sqrt{suffix}", (root,), type_)))
            case "cast":
                other = F32 if type_ == F64 else F64
                return e.Cast(self._float(other, depth - 1, scope, readable), type_)
            case _:
                return self._guarded(type_, scope, readable)

    def _float_leaf(self, type_: ScalarType, scope: _Scope, readable: list[str]) -> Expression:
        kind = self._one_of(("read", "read", "read", "read", "literal", "index", "integer"))
        read = self._read(type_, scope, readable)
        if kind == "read" and read is not None:
            return read
        if kind == "index" and scope:
            return e.Index(self._index(scope), type_)
        if kind == "integer":
            return e.Cast(self._integer(0, scope, readable)[0], type_)
        return e.Literal(self._one_of((0.5, 0.25, 1.0, 3.0, 0.0, -0.0)), type_)

    def _guarded(self, type_: ScalarType, scope: _Scope, readable: list[str]) -> Expression:
        """``i >= 1 ? A[i - 1] : 0.5``: the subscript is in bounds only where it is evaluated."""
        arrays = [n for n in readable if self.types[n] == type_ and len(self.extents[n]) == 1]
        starts = [r for r in scope if r.low.is_constant and 0 <= r.low.constant < 2]
        if not arrays or not starts:
            return self._float_leaf(type_, scope, readable)
        array, iterator = self._one_of(arrays), self._one_of(starts)
        self.extents[array][0] = _upper_hull(self.extents[array][0], iterator.high)
        inside = e.Comparison(">=", e.Index(affine(iterator.name), I32), e.Literal(1, I32))
        read = e.Read(Access(array, (affine(iterator.name) - 1,)), type_)
        return e.Select(inside, read, e.Literal(0.5, type_), type_)

    def _index(self, scope: _Scope) -> Affine:
        i, j = affine(self._one_of(scope).name), affine(self._one_of(scope).name)
        return self._one_of((i, i + 1, i + 2 * j, affine(self.parameters[0]) - i))

    def _truth(self, depth: int, scope: _Scope, readable: list[str]) -> Expression:
        def comparison() -> Expression:
            type_ = self._one_of((F64, F32, I32))
            operator = self._one_of(("<", ">", "<=", ">=", "==", "!="))
            sides = (self._expression(type_, min(depth, 1), scope, readable) for _ in range(2))
            return e.Comparison(operator, *sides)

        match self._one_of(("one", "one", "one", "&&", "||", "!")):
            case "&&" | "||" as operator:
                return e.Logical(operator, comparison(), comparison())
            case "!":
                return e.Unary("!", comparison(), I32)
            case _:
                return comparison()

    def _integer(self, depth: int, scope: _Scope, readable: list[str]) -> tuple[Expression, int]:
        """An I32 and a bound of its magnitude."""
        if depth == 0 or self._chance(20):
            return self._integer_leaf(scope, readable)
        left, size = self._integer(depth - 1, scope, readable)
        match self._one_of(("+", "-", "*", "/", "%", "&", "min", "max", "neg", "~", "truth", "clamp")):
            case "+" | "-" | "*" as operator:
                right, other = self._integer(depth - 1, scope, readable)
                total = size * other if operator == "*" else size + other
                value = e.Binary(operator, left, right, I32)
                return (value, total) if total < 1 << 14 else (e.Binary("%", value, e.Literal(1009, I32), I32), 1008)
            case "/" | "%" as operator:
                by, other = self._integer(depth - 1, scope, readable)
                small = e.Binary("&", by, e.Literal(7, I32), I32)
                choices: tuple[Expression, ...] = (e.Literal(3, I32), e.Binary("+", small, e.Literal(1, I32), I32))
                divisor = self._one_of(choices)
                return e.Binary(operator, left, divisor, I32), size
            case "&":
                return e.Binary("&", left, e.Literal(63, I32), I32), 63
            case "min" | "max" as which:
                right, other = self._integer(depth - 1, scope, readable)
                test = e.Comparison("<" if which == "min" else ">=", left, right)
                return e.Select(test, left, right, I32), max(size, other)
            case "neg":
                return e.Unary("-", left, I32), size
            case "~":
                return e.Unary("~", left, I32), size + 1
            case "truth":
                return self._truth(depth - 1, scope, readable), 1
            case _:
                return self._clamped(self._float(F64, 1, scope, readable)), 100

    def _integer_leaf(self, scope: _Scope, readable: list[str]) -> tuple[Expression, int]:
        read = self._read(I32, scope, readable)
        if read is not None and not self._chance(20):
            return read, 128
        if scope and self._chance(50):
            return e.Index(self._index(scope), I32), 200
        return e.Literal(self.source.integer(0, 9), I32), 9

    def _clamped(self, value: Expression) -> Expression:
        """A float as an integer of -100..100; 0 for NaN."""
        above = e.Comparison(">", value, e.Literal(-100.0, F64))
        below = e.Comparison("<", value, e.Literal(100.0, F64))
        zero = e.Literal(0.0, F64)
        return e.Cast(e.Select(below, e.Select(above, value, zero, F64), zero, F64), I32)


def _bound(value: Affine, scope: _Scope, low: bool) -> Affine:
    """The smallest or largest value of an affine form (divisions by positive numbers included)."""

    ranges = {r.name: r for r in scope}
    result = affine(value.constant)
    for part, coefficient in value.terms:
        smallest = low == (coefficient > 0)
        if isinstance(part, str):
            chosen = ranges.get(part)
            edge = affine(part) if chosen is None else (chosen.low if smallest else chosen.high)
        else:
            edge = _division_bound(part, scope, smallest)
        result = result + edge * coefficient
    return result


def _division_bound(part: Atom, scope: _Scope, low: bool) -> Affine:
    """floor(x / d) lies between min(x, 0) and max(x, 0)."""
    assert isinstance(part, FloorDiv)
    inner = _bound(part.dividend, scope, low)
    if low:
        return affine(min(0, inner.constant)) if inner.is_constant else inner
    return _upper_hull(affine(0), inner)


def _upper_hull(first: Affine, second: Affine) -> Affine:
    """An affine form that is at least both for all positive parameters."""
    names = first.variables() | second.variables()
    result = affine(max(first.constant, second.constant))
    for name in sorted(names):
        result = result + affine(name) * max(first.coefficient(name), second.coefficient(name), 0)
    return result
