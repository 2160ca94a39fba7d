"""Sweeps one behind the other in registers: a loop's loads of what it has stored itself, an element further.

    for i by 8:  B[i..] = A[i-1..] + A[i..] + A[i+1..];  A[i-1..] = B[i-2..] + B[i-1..] + B[i..]
    ->  a = A[lower-1..], b = B[lower-2..], moved into the last lanes
        for i by 8:  a' = A[i+1..];  b' = (a, a')[6..13] + (a, a')[7..14] + a';  B[i..] = b'
                     A[i-1..] = (b, b')[6..13] + (b, b')[7..14] + b';  a = a';  b = b'

What a sweep loads, the one before it has stored just now, and in the loop's last iteration: a load would wait until
both vectors have reached the cache. What later sweeps store over all of it is stored once, behind the loop.

Callahan, Carr and Kennedy, "Improving Register Allocation for Subscripted Variables", PLDI 1990, do so with scalars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least
from polyloop.backend.ir.traversal import arrays_touched, renamed, uses
from polyloop.backend.ir.vector_program import Carried, For, If, Let, Load, Shuffle, Statement, Store, Value, ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, map_bodies_with
from polyloop.backend.planning.reuse import is_straight, load_cycles, shuffle_cycles
from polyloop.backend.planning.values import Emitter, Names


@dataclass(frozen=True)
class KeptSweeps:
    """The pass over a whole program."""

    names: Names
    target: Target

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        done = [map_bodies_with(statement, facts, self.run) for statement in statements]
        return tuple(
            self._kept(statement)
            if isinstance(statement, For) and is_left_alone(statement, done[place + 1 :])
            else statement
            for place, statement in enumerate(done)
        )

    def _kept(self, loop: For) -> Statement:
        straight = all(is_straight(s) or isinstance(s, v.Prefetch) for s in loop.body)
        if loop.parallel or loop.going or not straight:
            return loop
        loaded, stored = arrays_touched(loop.body)
        found = [_rows(loop, name) for name in sorted(loaded)]
        if not any(rows.keeps_stores for rows in found if rows is not None and rows.name in stored):
            return loop
        cheap = load_cycles(self.target) >= 2 * shuffle_cycles(self.target)
        used = [rows for rows in found if rows is not None and (cheap or rows.keeps_stores)]
        return _Rebuilt(loop, used, self.names).result()


def is_left_alone(loop: For, following: Iterable[Statement]) -> bool:
    """Whether nothing behind the loop uses what it carries, so that it may stand under a condition."""
    results = {carried.result for carried in loop.carried}
    return not results or results.isdisjoint(value.name for value in uses(following))


@dataclass(frozen=True, eq=False)
class _Access:
    """A vector of neighbouring elements that the loop's body loads or stores.

    Attributes:
        place: in the body.
        alike: what has to be the same for two of one array, so that constants say which elements they share.
        row, offset: the constants of the subscripts, the last one's apart.
        value: what is loaded or stored.
    """

    place: int
    alike: tuple[tuple[Affine, ...], int, ValueType]
    row: tuple[int, ...]
    offset: int
    value: Value
    address: v.Address
    stores: bool

    @property
    def lanes(self) -> int:
        return self.value.type.lanes

    def covers(self, element: int) -> bool:
        return 0 <= element - self.offset < self.lanes

    def meets(self, other: _Access, later: int = 0) -> bool:
        """Whether they share elements, this one so much further along the row."""
        return self.row == other.row and abs(self.offset + later - other.offset) < self.lanes

    def at(self, variable: str, value: Affine) -> v.Address:
        subscripts = tuple(s.substitute({variable: value}) for s in self.address.subscripts)
        return self.address._replace(subscripts=subscripts)


_Source: TypeAlias = "tuple[_Access, bool]"
"""An access, and whether its value is that of the iteration before."""


@dataclass(frozen=True)
class _Taken:
    """What a load is taken from: lanes of its sources, one behind the other."""

    sources: tuple[_Source, ...]
    lanes: tuple[int, ...]

    def is_whole(self) -> bool:
        return self.lanes == tuple(range(len(self.lanes)))


def _rows(loop: For, name: str) -> _Rows | None:
    """The accesses of an array; None where constants do not say which elements they share."""
    found: list[_Access] = []
    for place, statement in enumerate(loop.body):
        match statement:
            case Let(value, Load(address, type_, active, where)) if address.array == name:
                access = _access(loop, place, address, Value(value, type_), False)
            case Store(address, stored, active, where) if address.array == name:
                access = _access(loop, place, address, stored, True)
            case _:
                continue
        if access is None or active is not None or where is not None or access.alike != (found or [access])[0].alike:
            return None
        found.append(access)
    return _Rows(name, tuple(found), found[0].alike[1]) if found else None


def _access(loop: For, place: int, address: v.Address, value: Value, stores: bool) -> _Access | None:
    """The access; None where it is no vector that moves along its row with the loop."""
    if not address.subscripts or value.type.lanes < 2:
        return None
    *outer, inner = address.subscripts
    factor = inner.coefficient(loop.variable)
    rest = (*outer, inner - affine(loop.variable) * factor)
    if address.along != 1 or factor <= 0 or any(loop.variable in s.variables() for s in rest):
        return None
    alike = tuple(s - s.constant for s in address.subscripts), factor * loop.step, value.type
    return _Access(place, alike, tuple(s.constant for s in outer), inner.constant, value, address, stores)


@dataclass(frozen=True)
class _Rows:
    """The accesses of one array in the order of the body, which move along its rows by `advance` in an iteration."""

    name: str
    accesses: tuple[_Access, ...]
    advance: int

    @cached_property
    def keeps_stores(self) -> bool:
        """Whether a load needs something of what the iteration before has stored, and other lanes of it."""
        stores, loads = ([a for a in self.accesses if a.stores == kind] for kind in (True, False))
        if not any(a.meets(b, -self.advance) for a in stores for b in loads):
            return False
        return any(a.stores and late for taken in self.taken.values() for a, late in taken.sources)

    @cached_property
    def leaders(self) -> list[_Access]:
        """Of the loads of a row that no store stands in front of the one furthest along it, where there are several:
        they go first."""
        free: dict[tuple[int, ...], list[_Access]] = {}
        for k, access in enumerate(self.accesses):
            if not access.stores and not any(a.stores and a.meets(access) for a in self.accesses[:k]):
                free.setdefault(access.row, []).append(access)
        return [max(loads, key=lambda a: a.offset) for loads in free.values() if len(loads) > 1]

    @cached_property
    def _ordered(self) -> list[_Access]:
        return [*self.leaders, *(a for a in self.accesses if a not in self.leaders)]

    @cached_property
    def taken(self) -> dict[_Access, _Taken]:
        """What loads are taken from: from stores, and from loads that stay, which are as few as possible."""
        staying = set(self.leaders)
        while True:
            found = {a: self._sources(a, staying) for a in self.accesses if not a.stores and a not in staying}
            lost = [load for load, taken in found.items() if taken is None]
            if not lost:
                return {load: taken for load, taken in found.items() if taken is not None}
            staying.add(max(lost, key=lambda a: a.offset))

    def _sources(self, load: _Access, staying: set[_Access]) -> _Taken | None:
        """The last ones that have touched each of its elements, in this iteration or in the one before; None where
        there are none, or more than a shuffle brings together. From the iteration before come the first elements, so
        that the load furthest behind has, on entry, what others need of the same source, too."""
        here = self._ordered.index(load)
        row = [(k, a) for k, a in enumerate(self._ordered) if a.row == load.row and (a.stores or a in staying)][::-1]
        sources: list[_Source] = []
        lanes: list[int] = []
        for element in range(load.offset, load.offset + load.lanes):
            source = next(((a, False) for k, a in row if k < here and a.covers(element)), None)
            source = source or next(((a, True) for _, a in row if a.covers(element + self.advance)), None)
            if source is None:
                return None
            access, late = source
            if source not in sources:
                if late and sources:
                    return None
                sources.append(source)
            lanes.append(sources.index(source) * load.lanes + element + late * self.advance - access.offset)
        return _Taken(tuple(sources), tuple(lanes)) if len(sources) <= 2 else None

    @cached_property
    def sunk(self) -> list[_Access]:
        """Stores that nothing reads before others have overwritten them, in this iteration or in the next one."""
        return [a for a in self.accesses if a.stores and self._is_overwritten(a) and not self._is_read(a)]

    def _is_overwritten(self, store: _Access) -> bool:
        stores = [a for a in self.accesses if a.stores and a.row == store.row]
        later = stores[stores.index(store) + 1 :]
        elements = range(store.offset, store.offset + store.lanes)
        return all(any(a.covers(e) for a in later) or any(a.covers(e - self.advance) for a in stores) for e in elements)

    def _is_read(self, store: _Access) -> bool:
        loads = [(k, a) for k, a in enumerate(self._ordered) if not a.stores and a not in self.taken]
        here = self._ordered.index(store)
        return any(a.meets(store, self.advance) or (k > here and a.meets(store)) for k, a in loads)

    def behind(self) -> Iterator[_Access]:
        """Stores of the last iteration that have to stand behind the loop, in order: those that were left out, and
        what is stored over them."""
        rows: set[tuple[int, ...]] = set()
        for access in self.accesses:
            rows |= {access.row} if access in self.sunk else set()
            if access.stores and access.row in rows:
                yield access


@dataclass
class _Rebuilt:
    """A loop in its new form, with what stands before and behind it."""

    loop: For
    found: Sequence[_Rows]
    names: Names
    carried: dict[_Access, Carried] = field(default_factory=dict)
    same: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.before = Emitter(self.names)

    def result(self) -> Statement:
        taken = {load.value.name: (load, what) for rows in self.found for load, what in rows.taken.items()}
        for rows in self.found:
            # The first load along a row needs most of what was touched before.
            for load in sorted(rows.taken, key=lambda a: a.offset):
                for access, late in rows.taken[load].sources:
                    if late and access not in self.carried:
                        self._enter(load, access, rows.advance)
        behind = [self._stored_behind(access) for rows in self.found for access in rows.behind()]
        leaders = [access.place for rows in self.found for access in rows.leaders]
        moved = {*leaders, *(access.place for rows in self.found for access in rows.sunk)}
        known: dict[_Taken, Value] = {}
        body = [self.loop.body[place] for place in leaders]
        for place, statement in enumerate(self.loop.body):
            match statement:
                case Let(name) if name in taken:
                    load, what = taken[name]
                    if what in known or what.is_whole():
                        self.same[name] = known.get(what) or self._value(what.sources[0])
                    else:
                        known[what] = load.value
                        operands = tuple(map(self._value, (what.sources * 2)[:2]))
                        body.append(Let(name, Shuffle(operands, what.lanes, load.value.type)))
                case _ if place not in moved:
                    body.append(statement)
        carried = dict.fromkeys((*self.loop.carried, *self.carried.values()))
        loop = replace(self.loop, body=tuple(body), carried=tuple(carried))
        changed = renamed((*self.before.statements, loop, *behind), lambda value: self.same.get(value.name, value))
        return If(at_least(loop.upper, loop.lower + 1), changed)

    def _value(self, source: _Source) -> Value:
        access, late = source
        value = Value(self.carried[access].name, access.value.type) if late else access.value
        return self.same.get(value.name, value)

    def _enter(self, load: _Access, access: _Access, advance: int) -> None:
        """What the first iteration finds kept of an access, for a load: the load's own elements, moved to where the
        access would have them."""
        known = next((carried for carried in self.loop.carried if carried.next == access.value), None)
        if known is not None:
            self.carried[access] = known
            return
        type_ = access.value.type
        lanes = tuple((access.offset - advance + k - load.offset) % type_.lanes for k in range(type_.lanes))
        first = self.before.let(Load(load.at(self.loop.variable, self.loop.lower), type_))
        self._carry(access, first if lanes[0] == 0 else self.before.let(Shuffle((first, first), lanes, type_)))

    def _carry(self, access: _Access, initial: Value) -> None:
        names, type_ = self.names, access.value.type
        self.carried[access] = Carried(names.fresh("v"), type_, initial, access.value, names.fresh("v"))

    def _stored_behind(self, access: _Access) -> Store:
        loop = self.loop
        last = loop.lower + (loop.upper - loop.lower - 1) // loop.step * loop.step
        if access not in self.carried:
            self._carry(access, self.before.let(v.Constant(0.0, access.value.type)))
        return Store(access.at(loop.variable, last), Value(self.carried[access].result, access.value.type))
