"""Which memory a statement touches, and whether two accesses can meet.

Distinct arrays never overlap. Two accesses of one array are apart if in some dimension their subscripts differ by a
constant other than 0, by a sign that the surrounding bounds fix, or modulo a common factor; the lanes of vector
accesses are part of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import NamedTuple, TypeVar

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, maximum, minimum
from polyloop.backend.ir.loop_nest import ArraySpec, Loop, Origin, Storage
from polyloop.backend.ir.traversal import bound_variables
from polyloop.backend.ir.vector_program import Statement, ValueType
from polyloop.backend.machine import core
from polyloop.backend.planning.facts import Facts

T = TypeVar("T")


class Cell(NamedTuple):
    """What one load or store touches; equal cells are the same memory with the same meaning of lanes."""

    address: v.Address
    type: ValueType
    active: Affine | None = None
    where: v.Value | None = None

    @classmethod
    def loaded(cls, load: v.Load) -> Cell:
        return cls(load.address, load.type, load.active, load.where)

    @classmethod
    def stored(cls, store: v.Store) -> Cell:
        return cls(store.address, store.value.type, store.active, store.where)

    @classmethod
    def of(cls, statement: Statement) -> Cell | None:
        """What a statement loads or stores itself; None where it does neither."""
        match statement:
            case v.Let(_, v.Load() as load):
                return cls.loaded(load)
            case v.Store():
                return cls.stored(statement)
        return None

    @property
    def array(self) -> str:
        return self.address.array

    def substitute(self, values: Mapping[str, Affine]) -> Cell:
        """The cell where variables have other values."""
        subscripts = tuple(s.substitute(values) for s in self.address.subscripts)
        active = None if self.active is None else self.active.substitute(values)
        return Cell(self.address._replace(subscripts=subscripts), self.type, active, self.where)

    def last_lane(self) -> Affine:
        return affine(self.type.lanes if self.active is None else self.active) - 1


class Touch(NamedTuple):
    """One access, where it stands.

    Attributes:
        facts: what is known there, inner loops and conditions included.
        nested: inside an inner loop, a condition, or a lazy side.
    """

    cell: Cell
    stores: bool
    facts: Facts
    nested: bool


def touches(statements: Iterable[Statement], facts: Facts, nested: bool = False) -> Iterator[Touch]:
    """Every load and store, in order."""
    for statement in statements:
        match statement:
            case v.Let(_, v.Load() as load):
                yield Touch(Cell.loaded(load), False, facts, nested)
            case v.Let(_, v.LazyPick(_, then, _, otherwise, _, _)):
                yield from touches((*then, *otherwise), facts, True)
            case v.Store():
                yield Touch(Cell.stored(statement), True, facts, nested)
            case v.For(variable, lower, upper, _, body):
                yield from touches(body, facts.with_loop(variable, lower, upper), True)
            case v.If(condition, then, orelse):
                yield from touches(then, facts.with_condition(condition), True)
                yield from touches(orelse, facts.with_condition(condition, holds=False), True)
            case v.When(_, body):
                yield from touches(body, facts, True)
            case v.Bind(variable, value):
                facts = facts.with_equal(variable, value)
            case v.Let() | v.Prefetch() | v.BindValue():
                pass


def may_overlap(first: Cell, second: Cell, facts: Facts) -> bool:
    """Whether the accesses might share an element; the facts are those of the inner one's place."""
    one, two = first.address, second.address
    if one.array != two.array:
        return False
    for dimension, (here, there) in enumerate(zip(one.subscripts, two.subscripts, strict=True)):
        if here == there:
            continue
        # Rows of a register tile: this is asked for every two of its cells.
        if here.terms == there.terms and one.lane_strides[dimension] == two.lane_strides[dimension] == 0:
            return False
        if _apart(first, second, dimension, facts):
            return False
    return True


class Known(dict[Cell, T]):
    """What is known of cells of one array; those of other rows of a register tile are not looked at one by one."""

    def __init__(self, known: Mapping[Cell, T] | None = None) -> None:
        super().__init__()
        self._rows: dict[object, dict[tuple[int, ...], dict[Cell, None]]] = {}
        for cell, value in (known or {}).items():
            self[cell] = value

    def __setitem__(self, cell: Cell, value: T) -> None:
        if cell not in self:
            alike, row = _row_of(cell)
            self._rows.setdefault(alike, {}).setdefault(row, {})[cell] = None
        super().__setitem__(cell, value)

    def __delitem__(self, cell: Cell) -> None:
        alike, row = _row_of(cell)
        del self._rows[alike][row][cell]
        super().__delitem__(cell)

    def meeting(self, cell: Cell, facts: Facts) -> list[Cell]:
        """Those that might share an element with a cell, which may be one of them."""
        alike, row = _row_of(cell)
        found: list[Cell] = []
        for other, rows in self._rows.items():
            for near in (rows.get(row, {}),) if other == alike else rows.values():
                found += [each for each in near if may_overlap(each, cell, facts)]
        return found


def _row_of(cell: Cell) -> tuple[object, tuple[int, ...]]:
    """What cells of one array have in common if they can be told apart by the constants of the dimensions that lanes do
    not move in; and these."""
    _, subscripts, strides = cell.address
    constants = [s.constant for s, stride in zip(subscripts, strides, strict=True) if not stride]
    return (tuple([s.terms for s in subscripts]), strides), tuple(constants)


def _apart(first: Cell, second: Cell, dimension: int, facts: Facts) -> bool:
    one, two = first.address, second.address
    here, there = one.subscripts[dimension], two.subscripts[dimension]
    strides = one.lane_strides[dimension], two.lane_strides[dimension]
    if here.terms == there.terms and first.active is None and second.active is None:
        return _gap_is_free(here.constant - there.constant, first, second, strides)
    difference = here - there
    if difference.is_constant and not any(strides):
        return difference.constant != 0
    factor = gcd(*(c for _, c in difference.terms), *strides)
    if factor > 1 and difference.constant % factor:
        return True
    low1, high1 = _reach(first, strides[0])
    low2, high2 = _reach(second, strides[1])
    return facts.nonnegative(difference + low1 - high2 - 1) or facts.nonnegative(low2 - high1 - difference - 1)


def _gap_is_free(gap: int, first: Cell, second: Cell, strides: tuple[int, int]) -> bool:
    """The same answer from numbers alone, for the many pairs within a register tile."""
    if strides == (0, 0):
        return gap != 0
    spans = (first.type.lanes - 1) * strides[0], (second.type.lanes - 1) * strides[1]
    if gap % gcd(*strides):
        return True
    return gap + max(0, spans[0]) < min(0, spans[1]) or max(0, spans[1]) < gap + min(0, spans[0])


def _reach(cell: Cell, stride: int) -> tuple[Affine, Affine]:
    """How far the lanes reach below and above lane 0."""
    span = cell.last_lane() * stride if stride else affine(0)
    return (affine(0), span) if stride >= 0 else (span, affine(0))


def is_there(array: ArraySpec) -> bool:
    """Whether all elements within the extents are memory whatever C does: scalars, and arrays of the nest's own."""
    return not array.shape or array.storage is Storage.LOCAL


def in_bounds(cell: Cell, array: ArraySpec, facts: Facts) -> bool:
    """Whether every active lane is provably inside the array."""
    for subscript, stride, extent in zip(cell.address.subscripts, cell.address.lane_strides, array.shape, strict=True):
        low, high = _reach(cell, stride)
        if not facts.nonnegative(subscript + low):
            return False
        if extent is None or not facts.nonnegative(extent - 1 - subscript - high):
            return False
    return True


# --- Prefetches -------------------------------------------------------------------------------------------------------
# Software prefetch: what a loop's loads will read some iterations later.
#
# What stands in the loop's own body is asked for at the body's begin. Loads inside of inner loops are asked for
# there, one iteration of the inner loop after the other: while a tile works on one panel, the next one comes, without
# waiting.


LINE_BYTES = 64


@dataclass(frozen=True)
class Ahead:
    """What a loop around asks for: the array, its variable, and how far the variable's value lies ahead.

    Attributes:
        between: loops from there to the innermost one: variable, first value, and how many there are, if that is known.
    """

    array: str
    variable: str
    step: int
    between: tuple[tuple[str, Affine, int | None], ...] = ()

    def inside(self, variable: str, lower: Affine, trips: int | None) -> Ahead:
        return replace(self, between=(*self.between, (variable, lower, trips)))

    def moved(self, subscripts: tuple[Affine, ...], loop: Loop, trips: int | None) -> tuple[Affine, ...]:
        """What stands at these subscripts so many iterations later, asked for by a loop inside of a known number of
        them: iterations of loops between the two that find the same there share the work."""
        used = frozenset[str]().union(*(s.variables() for s in subscripts))
        values = {self.variable: affine(self.variable) + self.step}
        number, count = affine(0), 1
        for variable, lower, times in self.between:
            if variable not in used and times is not None:
                number, count = number * times + (affine(variable) - lower), count * times
        parts = 1
        while trips is not None and loop.step == 1 and 2 * parts <= min(count - 1, trips, core.PARTS):
            parts *= 2
        if parts > 1 and trips is not None:
            part = minimum(maximum(number - 1, 0), parts - 1)
            inside = (affine(loop.variable) - loop.lower) // parts
            values[loop.variable] = loop.lower + part * (-(-trips // parts)) + inside
        return tuple(s.substitute(values) for s in subscripts)


def asked_by(loop: Loop) -> tuple[Ahead, ...]:
    return tuple(Ahead(array, loop.variable, distance * loop.step) for array, distance in loop.prefetch)


def prefetches(
    body: Iterable[v.Statement],
    loop: Loop,
    trips: int | None,
    outer: Iterable[Ahead],
    is_aligned: Callable[[str], bool],
    copies: Mapping[str, Origin],
    made: Collection[str] = (),
) -> list[v.Statement]:
    """One prefetch for every cache line that the loop's body touches of the arrays that are asked for.

    Lines are counted from the first element. Vectors of an array whose rows start anywhere reach into one line more,
    that of the last element.

    Args:
        trips: how often the loop runs, if that is known.
        outer: what loops around ask for; served here where the addresses change with this loop, innermost.
        is_aligned: whether all rows of an array start alike at a line's border, or are streams that go on.
        copies: what local arrays are copies of: of that, loads from the copy ask for what comes next.
        made: local arrays that hold copies: their panels lie one behind the other.
    """
    body = tuple(body)
    inner = frozenset(bound_variables(body))
    copied = {origin.array for origin in copies.values()}
    result: list[v.Statement] = []
    seen: set[tuple[Affine, ...]] = set()
    ends: dict[tuple[Affine, ...], v.Address] = {}
    for ahead in (*asked_by(loop), *outer):
        for address, width, lanes in _addresses(body, ahead.array, copies):
            used = frozenset[str]().union(*(s.variables() for s in address.subscripts))
            if not inner.isdisjoint(used) or not {loop.variable, ahead.variable} <= used:
                continue
            shared = ahead.array in copied or ahead.array in made
            first = ahead.moved(address.subscripts, loop, trips if shared else None)
            line = (*first[:-1], first[-1] - first[-1].constant % max(1, LINE_BYTES // width))
            if line not in seen:
                seen.add(line)
                result.append(v.Prefetch(v.Address(address.array, first, (0,) * len(first))))
            moved = 0 if ahead.variable == loop.variable else first[-1].coefficient(ahead.variable) * width
            starts_anywhere = bool(moved % LINE_BYTES) or not is_aligned(ahead.array)
            own = ahead.variable == loop.variable or ahead.array in copied
            if any(address.lane_strides) and own and starts_anywhere:
                row = (*first[:-1], first[-1] - first[-1].constant)
                last = v.Address(address.array, (*first[:-1], first[-1] + lanes - 1), (0,) * len(first))
                if row not in ends or ends[row].subscripts[-1].constant < last.subscripts[-1].constant:
                    ends[row] = last
    return [*result, *map(v.Prefetch, ends.values())]


def _addresses(
    body: Iterable[v.Statement], array: str, copies: Mapping[str, Origin]
) -> Iterator[tuple[v.Address, int, int]]:
    """Addresses of loads and stores of the array, or of loads from its copies, the bytes of its elements, and lanes."""
    copied = array in {origin.array for origin in copies.values()}
    for touch in touches(body, Facts()):
        address, type_ = touch.cell.address, touch.cell.type
        if touch.cell.array == array and not copied:
            yield address, type_.element.bytes, type_.lanes
        elif (origin := copies.get(touch.cell.array)) and origin.array == array and not touch.stores:
            axes = dict(zip(origin.order, zip(address.subscripts, address.lane_strides, strict=True), strict=True))
            there = tuple(low + axes[dimension][0] for dimension, low in enumerate(origin.low))
            strides = tuple(axes[dimension][1] for dimension in range(len(there)))
            yield v.Address(array, there, strides), type_.element.bytes, type_.lanes
