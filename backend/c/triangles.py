"""Triangles of a register tile as loops again: rows each of which has one step more, or one less, than the one before.

    x1 = A[1][0] * x0 + x1;  x2 = A[2][0] * x0 + x2;  ..          for t in [0, 4):
    x2 = A[2][1] * x1 + x2;  x3 = A[3][1] * x1 + x3;  ..   ->         x[r] = A[r][t] * x[t] + x[r]  for r in [t + 1, 4)
    ..

What a group of stores writes starts with what is loaded from there, and goes on by steps that do the same with other
operands. Compilers unroll the loops, whose ends are constants; every element is computed by the same operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Condition, affine, says, through
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.traversal import nameless, operands, uses, walk, with_operands
from polyloop.backend.ir.vector_program import Address, Let, Statement, Store, Value, ValueType

LEAST_STEPS = 10
"""Fewer are as short one by one."""

_Point = tuple[int, int, int]
"""A step's time, and its row and column."""


class Tiles(Protocol):
    """What is asked of the work on a program (`rolling.Rolling`): names, arrays of values, and groups of stores."""

    count: Counter[str]
    shared: set[str]
    variables: tuple[str, str]
    known: list[Condition]

    def groups(self, body: tuple[Statement, ...]) -> list[list[int]]: ...
    def fresh(self, stem: str) -> str: ...
    def tile_of(self, stem: str, type_: ValueType, rows: int, columns: int) -> str: ...
    def element(self, name: str, row: Affine, column: Affine) -> Address: ...
    def state(self) -> tuple[list[ArraySpec], set[str]]: ...
    def back_to(self, state: tuple[list[ArraySpec], set[str]]) -> None: ...


class _OtherError(Exception):
    """The statements are no triangle."""


@dataclass(frozen=True)
class _Row:
    """An element of the tile, by its steps.

    Attributes:
        value: what it is at the end.
        steps: names of the values on the way, the first step's first; `accumulated`: each one's operand that goes on.
        load: of what it starts with; `store`: the position of its store, None where it is only read.
    """

    value: str
    load: v.Load
    steps: tuple[str, ...]
    accumulated: tuple[int, ...]
    store: int | None


def with_triangles(rolling: Tiles, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements, straight-line code, with triangles among them as loops."""
    for group in rolling.groups(body):
        if len(group) > 2 and isinstance(body[group[0]], Store):
            for made in _attempts(rolling, body, group):
                return with_triangles(rolling, made)
    return body


def _attempts(rolling: Tiles, body: tuple[Statement, ...], group: list[int]) -> Iterator[tuple[Statement, ...]]:
    """The statements with the stores of a group as a triangle, in whatever way that is possible."""
    try:
        rows = [_row(body, position) for position in group]
    except _OtherError:
        return
    lengths = [len(row.steps) for row in rows]
    if sum(lengths) < LEAST_STEPS or min(lengths) == max(lengths):
        return
    columns = next(k for k, length in enumerate([*lengths, -1]) if length != lengths[0])
    if len(rows) % columns:
        return
    for every in ([*_before(body, rows, columns), *rows], rows):
        for later in (1, 0):  # what rows have in common at a time, they share
            before = rolling.state()
            try:
                yield _Triangle(rolling, body, every, columns, later).made()
                return
            except _OtherError:
                rolling.back_to(before)


def _row(body: Sequence[Statement], position: int) -> _Row:
    """What a store writes, as steps from what is there."""
    store, lets = body[position], {s.name: s.operation for s in body if isinstance(s, Let)}
    assert isinstance(store, Store)
    if store.active is not None:
        raise _OtherError
    name, steps, accumulated = store.value.name, list[str](), list[int]()
    while True:
        match lets.get(name):
            case v.Load(address, _, None, None) as load if address == store.address:
                return _Row(store.value.name, load, tuple(steps[::-1]), tuple(accumulated[::-1]), position)
            case v.Arithmetic("fma" | "+" | "-" | "*" | "/" as operator, values):
                place = 2 if operator == "fma" else 0
                steps.append(name)
                accumulated.append(place)
                name = values[place].name
            case _:
                raise _OtherError


def _before(body: Sequence[Statement], rows: Sequence[_Row], columns: int) -> list[_Row]:
    """The row that would stand in front of the first one, if it is loaded: the steps of others may need it."""
    if len(rows) < 2 * columns:
        return []
    found = []
    for first, second in zip(rows[:columns], rows[columns : 2 * columns], strict=True):
        pairs = zip(first.load.address.subscripts, second.load.address.subscripts, strict=True)
        there = replace(first.load, address=first.load.address._replace(subscripts=tuple(a + a - b for a, b in pairs)))
        name = next((s.name for s in body if isinstance(s, Let) and s.operation == there), None)
        if name is None:
            return []
        found.append(_Row(name, there, (), (), None))
    return found


@dataclass
class _Triangle:
    """The work on one group of stores.

    Attributes:
        rows: row by row, so many `columns` each.
        later: row r starts its steps at the time r, not at 0.
        moved: positions of the loads that the loops do instead.
    """

    rolling: Tiles
    body: tuple[Statement, ...]
    rows: Sequence[_Row]
    columns: int
    later: int
    moved: set[int] = field(default_factory=set)
    template: list[Statement] = field(default_factory=list)
    fills: list[Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lets = {s.name: (p, s.operation) for p, s in enumerate(self.body) if isinstance(s, Let)}
        self._places = {row.value: divmod(k, self.columns) for k, row in enumerate(self.rows)}
        self._time = self.rolling.fresh("step")
        here = Counter(value.name for value in uses(self.body))
        self._used_elsewhere = {name for name, count in self.rolling.count.items() if count > here[name]}

    def made(self) -> tuple[Statement, ...]:
        """
        Raises:
            _OtherError: if that is no triangle.
        """
        self._split()
        height = len(self.rows) // self.columns
        stores = [row.store for row in self.rows if row.store is not None]
        row, column = map(affine, self.rolling.variables)
        spec = self.rows[0].load
        self._array = self.rolling.tile_of(f"{spec.address.array}_tile", spec.type, height, self.columns)
        place = self.rolling.element(self._array, row, column)
        filled = Value(self.rolling.fresh("t"), spec.type)
        points = [(0, *divmod(k, self.columns)) for k in range(len(self.rows))]
        address = self._address([r.load.address for r in self.rows], points)
        fill = self._over(0, height, [Let(filled.name, replace(spec, address=address)), Store(place, filled)])
        loop = self._steps(place)
        begin = height - len(stores) // self.columns
        final = Value(self.rolling.fresh("t"), spec.type)
        last = self._over(begin, height, [Let(final.name, v.Load(place, spec.type)), Store(address, final)])
        self._check(stores)
        made = [fill, *loop, last]
        kept = {id(s) for s in self._needed(made, stores)}
        rest = [[s for s in part if id(s) in kept] for part in (self.body[: stores[-1]], self.body[stores[-1] :])]
        return (*rest[0], *made, *rest[1])

    def _split(self) -> None:
        """How many steps each row has, and when; the last one may be of another kind."""
        longest = max(self.rows, key=lambda r: len(r.steps))
        kind = self._kind(longest, 0)
        self.ends = 0
        while self.ends < len(longest.steps) and self._kind(longest, len(longest.steps) - 1 - self.ends) != kind:
            self.ends += 1
        finishing = [self._kind(longest, len(longest.steps) - self.ends + k) for k in range(self.ends)]
        self.lengths = []
        for each in self.rows:
            count = len(each.steps) - self.ends if each.store is not None else 0
            kinds = [self._kind(each, k) for k in range(len(each.steps))]
            if count < 0 or (each.store is not None and kinds != [kind] * count + finishing):
                raise _OtherError
            self.lengths.append(count)
        heads = self.lengths[:: self.columns]
        if any(self.lengths[k] != heads[k // self.columns] for k in range(len(self.rows))) or len(heads) < 2:
            raise _OtherError
        self.slope = heads[1] - heads[0]
        if abs(self.slope) != 1 or any(b - a != self.slope for a, b in pairwise(heads)):
            raise _OtherError
        self.first = heads[0]
        if (self.later and self.slope > 0) or (self.ends and (self.later or self.slope < 0 or self.first)):
            raise _OtherError

    def _kind(self, row: _Row, step: int) -> v.Operation:
        return nameless(self._lets[row.steps[step]][1])

    def _points(self) -> list[tuple[_Point, str, int]]:
        """When each row has which step, and which operand of it goes on."""
        return [
            ((self.later * (k // self.columns) + step, *divmod(k, self.columns)), row.steps[step], accumulated)
            for k, row in enumerate(self.rows)
            for step, accumulated in enumerate(row.accumulated[: self.lengths[k]])
        ]

    def _end(self, row: int) -> int:
        """The time behind a row's last step."""
        return self.later * row + self.first + self.slope * row

    def _steps(self, place: Address) -> list[Statement]:
        """The loop over times."""
        points = self._points()
        at = [point for point, _, _ in points]
        times = max(t for t, _, _ in at) + 1
        operations = [self._lets[name][1] for _, name, _ in points]
        accumulated = points[0][2]
        columns = list(zip(*map(operands, operations), strict=True))
        values = [
            self._own(place) if k == accumulated else self._merged([x.name for x in column], at)
            for k, column in enumerate(columns)
        ]
        step = self._with(operations[0], values)
        time = affine(self._time)
        height = len(self.rows) // self.columns
        lower, upper = affine(0), affine(height)
        if self.later:
            upper = time + 1
        elif self.slope > 0:
            lower = time - self.first + 1
        else:
            upper = affine(self.first) - time
        ends = [end.substitute({self._time: affine(t)}).constant for end in (lower, upper) for t in range(times)]
        if min(ends) < 0 or max(ends) > height:
            raise _OtherError
        inner = [*self.fills, self._over(lower, upper, [*self.template, Store(place, step)])]
        if self.ends:
            inner = [*self._finish(), *inner]
            times = height
        return [v.For(self._time, affine(0), affine(times), 1, tuple(inner), unroll=max(times, 2))]

    def _finish(self) -> list[Statement]:
        """What happens to the row whose steps are over, its number being the time."""
        self.template, self.fills = [], []
        points = [(k // self.columns, k // self.columns, k % self.columns) for k in range(len(self.rows))]
        column = affine(self.rolling.variables[1])
        place = self.rolling.element(self._array, affine(self._time), column)
        value = self._own(place)
        for step in range(self.ends):
            names = [row.steps[len(row.steps) - self.ends + step] for row in self.rows]
            operations = [self._lets[name][1] for name in names]
            going = self.rows[0].accumulated[len(self.rows[0].steps) - self.ends + step]
            columns = list(zip(*map(operands, operations), strict=True))
            # The row is the time here: nothing depends on a row's own variable.
            values = [
                value if k == going else self._merged([x.name for x in each], [(t, 0, c) for t, _, c in points])
                for k, each in enumerate(columns)
            ]
            value = self._with(operations[0], values)
        if self.fills:
            raise _OtherError
        body: list[Statement] = [*self.template, Store(place, value)]
        return [self._columns(tuple(body))] if self.columns > 1 else body

    def _own(self, place: Address) -> Value:
        return self._let(v.Load(place, self.rows[0].load.type))

    def _with(self, operation: v.Operation, values: Sequence[Value]) -> Value:
        following = iter(values)
        return self._let(with_operands(operation, lambda _: next(following)))

    def _let(self, operation: v.Operation) -> Value:
        name = self.rolling.fresh("t")
        self.template.append(Let(name, operation))
        return Value(name, operation.type)

    def _merged(self, names: Sequence[str], points: Sequence[_Point]) -> Value:
        """One value that is each of these at its time and place."""
        if len(set(names)) == 1 and names[0] not in self._places:
            if names[0] not in self._lets:
                raise _OtherError  # a loop carries it, or it stands in a statement around
            return Value(names[0], self._lets[names[0]][1].type)
        if all(name in self._places for name in names):
            return self._final(names, points)
        if not all(name in self._lets for name in names):
            raise _OtherError
        operations = [self._lets[name][1] for name in names]
        first = operations[0]
        kinds = {nameless(o) if operands(o) else type(o) for o in operations}
        if len(kinds) > 1 or any(o.type != first.type for o in operations):
            raise _OtherError
        loads = [o for o in operations if isinstance(o, v.Load)]
        if loads:
            return self._loaded(names, loads, points)
        if not operands(first) or isinstance(first, v.LazyPick):
            raise _OtherError
        columns = zip(*map(operands, operations), strict=True)
        return self._with(first, [self._merged([x.name for x in column], points) for column in columns])

    def _final(self, names: Sequence[str], points: Sequence[_Point]) -> Value:
        """Rows that are through with their steps."""
        for name, (time, _, _) in zip(names, points, strict=True):
            if self._end(self._places[name][0]) > time:
                raise _OtherError
        row, column = (self._even([self._places[name][k] for name in names], points) for k in range(2))
        return self._own(self.rolling.element(self._array, row, column))

    def _loaded(self, names: Sequence[str], loads: Sequence[v.Load], points: Sequence[_Point]) -> Value:
        if any(load.active is not None or load.where is not None for load in loads):
            raise _OtherError
        self.moved |= {self._lets[name][0] for name in names}
        load = replace(loads[0], address=self._address([load.address for load in loads], points))
        used = {name for subscript in load.address.subscripts for name in subscript.variables()}
        if load.type.lanes == 1 or self.rolling.variables[0] in used:
            return self._let(load)
        # Vectors that all rows use are loaded once.
        part = self.rolling.tile_of(f"{load.address.array}_part", load.type, self.columns, 1)
        self.rolling.shared.add(part)
        column = affine(self.rolling.variables[1])
        filled = Value(self.rolling.fresh("t"), load.type)
        body = (Let(filled.name, load), Store(self.rolling.element(part, column, affine(0)), filled))
        if self.columns == 1:
            raise _OtherError
        self.fills.append(self._columns(body))
        return self._let(v.Load(self.rolling.element(part, column, affine(0)), load.type))

    def _over(self, lower: Affine | int, upper: Affine | int, inside: Sequence[Statement]) -> v.For:
        """The statements for rows and their columns."""
        row, _ = self.rolling.variables
        body = (self._columns(tuple(inside)),) if self.columns > 1 else tuple(inside)
        return v.For(row, affine(lower), affine(upper), 1, body, unroll=max(2, len(self.rows) // self.columns))

    def _columns(self, body: tuple[Statement, ...]) -> v.For:
        return v.For(self.rolling.variables[1], affine(0), affine(self.columns), 1, body, unroll=self.columns)

    def _even(self, numbers: Sequence[int], points: Sequence[_Point]) -> Affine:
        """The numbers as a function of time, row and column."""
        found = through(points, numbers, (self._time, *self.rolling.variables))
        if found is None:
            raise _OtherError
        return found

    def _address(self, addresses: Sequence[Address], points: Sequence[_Point]) -> Address:
        first = addresses[0]
        if any((a.array, a.lane_strides) != (first.array, first.lane_strides) for a in addresses):
            raise _OtherError
        subscripts = []
        for each in zip(*(a.subscripts for a in addresses), strict=True):
            if any(subscript.terms != each[0].terms for subscript in each):
                raise _OtherError
            subscripts.append(Affine(each[0].terms, 0) + self._even([x.constant for x in each], points))
        return Address(first.array, tuple(subscripts), first.lane_strides)

    def _needed(self, made: Sequence[Statement], stores: Sequence[int]) -> list[Statement]:
        """The other statements, without what only the steps use.

        Raises:
            _OtherError: if others use a step.
        """
        gone = {name for row in self.rows for name in row.steps}
        left = [s for p, s in enumerate(self.body) if p not in stores]
        kept: list[Statement] = []
        while len(left) != len(kept):
            kept = left
            used = {value.name for value in uses((*kept, *made))} | (self._used_elsewhere - gone)
            left = [s for s in kept if not (isinstance(s, Let) and s.name not in used)]
        if any(isinstance(s, Let) and s.name in gone for s in kept):
            raise _OtherError
        return kept

    def _check(self, stores: Sequence[int]) -> None:
        """No access may pass another one of the same element.

        Loads come before all of the stores now, at the place of the last one.
        """
        moved = self.moved | {next(p for p, x in self._lets.values() if x == row.load) for row in self.rows}
        arrays = {self._load_at(p).address.array for p in moved}
        own = self.rows[0].load.address.array
        for position, statement in enumerate(self.body[: stores[-1]]):
            others = [x.address for x in walk((statement,)) if isinstance(x, Store)] if position not in stores else []
            if any(a.array == own for a in others) and position > stores[0]:
                raise _OtherError
            if any(a.array in arrays for a in others) and any(p < position for p in moved):
                raise _OtherError
        written = [(position, self.body[position]) for position in stores]
        for position, statement in enumerate(self.body[: stores[-1]]):
            for x in walk((statement,)):
                match x:
                    case Let(_, v.Load(address)) if address.array == own:
                        for at, store in written:
                            assert isinstance(store, Store)
                            if at < position and not self._apart(address, store.address, x.operation.type.lanes):
                                raise _OtherError

    def _load_at(self, position: int) -> v.Load:
        statement = self.body[position]
        assert isinstance(statement, Let)
        assert isinstance(statement.operation, v.Load)
        return statement.operation

    def _apart(self, a: Address, b: Address, lanes: int) -> bool:
        """Whether two accesses of one array, of so many lanes at most, have no element in common for sure."""
        for left, right, one, other in zip(a.subscripts, b.subscripts, a.lane_strides, b.lane_strides, strict=True):
            distance, least = left - right, lanes if one or other else 1
            for away in (distance - least, -distance - least):
                if away.constant >= 0 if away.is_constant else any(says(c, away) for c in self.rolling.known):
                    return True
        return False
