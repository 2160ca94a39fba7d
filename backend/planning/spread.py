"""Vectors of every second, third or fourth element: whole vectors from memory, and shuffles.

    x = A[2*i], A[2*i + 2], ..                 (a gather)
    ->  two vectors A[2*i ..];  their even lanes by a shuffle
    A[2*i], A[2*i + 2], .. = x                 (a scatter)
    ->  x spread out over two vectors;  each stored under a mask that leaves the elements between as they are

Loads of elements that lie between each other's share their vectors; stores that leave none out need no masks. Where
masks are vectors and not registers of their own, scatters stay what they are, a store for every lane: masked moves of
vectors take longer, on some processors many times as long. The
last vector ends with the last element that is wanted: nothing is touched behind it, neither what is not there nor what
the next iteration is about to load.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import I32
from polyloop.backend.ir.vector_program import Let, Load, Statement, Store, Value, ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.memory import Cell, may_overlap
from polyloop.backend.planning.reuse import map_straight
from polyloop.backend.planning.values import Emitter, Names
from polyloop.backend.planning.vectors import spread_access

_Place: TypeAlias = "tuple[bool, str, tuple[Affine, ...], int, ValueType]"


@dataclass
class Group:
    """Statements whose elements lie between each other's.

    Attributes:
        places: where they stand in their region, by the offset of their first element.
        passed: of loads, what has been stored since the first of them: a load of the same elements stays behind that.
    """

    places: dict[int, int] = field(default_factory=dict)
    passed: list[Cell] = field(default_factory=list)

    def takes(self, cell: Cell, facts: Facts) -> bool:
        offset, stride = cell.address.subscripts[-1].constant, cell.address.lane_strides[-1]
        offsets = (*self.places, offset)
        near = offset not in self.places and max(offsets) - min(offsets) < stride
        return near and not any(may_overlap(cell, other, facts) for other in self.passed)


@dataclass(frozen=True)
class SpreadAccesses:
    """The pass over a whole program."""

    names: Names
    target: Target

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        return map_straight(statements, facts, self._region, self.run)

    def _region(self, region: list[Statement], facts: Facts) -> list[Statement]:
        new: dict[int, list[Statement]] = {}
        for group in groups_of(region, facts):
            members = [region[group.places[offset]] for offset in sorted(group.places)]
            offsets = [offset - min(group.places) for offset in sorted(group.places)]
            new |= {place: [] for place in group.places.values()}
            if isinstance(members[0], Let):
                new[min(group.places.values())] = self._loads(members, offsets)
            else:
                new[max(group.places.values())] = self._stores(members)
        return [one for place, statement in enumerate(region) for one in new.get(place, [statement])]

    def _loads(self, members: Sequence[Statement], offsets: Sequence[int]) -> list[Statement]:
        emit = Emitter(self.names)
        lets = [member for member in members if isinstance(member, Let)]
        load = lets[0].operation
        assert isinstance(load, Load)
        lanes, stride = load.type.lanes, load.address.lane_strides[-1]
        span = stride * (lanes - 1) + 1 + offsets[-1]
        starts = [*range(0, span - lanes, lanes), span - lanes]
        vectors = [emit.let(Load(moved(load.address, start), load.type)) for start in starts]
        if stride == QUARTERS and len(starts) == stride and len(lets) > 2:
            for let, operation in zip(lets, _quarters(emit, vectors, starts, offsets), strict=True):
                emit.append(Let(let.name, operation))
            return emit.statements
        for let, offset in zip(lets, offsets, strict=True):
            wanted = [offset + stride * lane for lane in range(lanes)]
            sources = [min(place // lanes, len(starts) - 1) for place in wanted]
            picked = [place - starts[source] for place, source in zip(wanted, sources, strict=True)]
            emit.append(Let(let.name, _merged(emit, vectors, sources, picked)))
        return emit.statements

    def _stores(self, members: Sequence[Statement]) -> list[Statement]:
        emit = Emitter(self.names)
        stores = [member for member in members if isinstance(member, Store)]
        address, type_ = stores[0].address, stores[0].value.type
        lanes, stride = type_.lanes, address.lane_strides[-1]
        if len(stores) < stride:
            for store in stores:
                if self.target.masks or store.where is not None:
                    self._masked(emit, store)
                else:
                    emit.append(store)
            return emit.statements
        values = [store.value for store in stores]
        if stride == QUARTERS:
            pairs = [(_woven(emit, values[k], values[k + 1], 1)) for k in (0, 2)]
            woven = [whole for one, other in zip(*pairs, strict=True) for whole in _woven(emit, one, other, 2)]
            for number, whole in enumerate(woven):
                emit.append(Store(moved(address, number * lanes), whole))
            return emit.statements
        for start in range(0, stride * lanes, lanes):
            places = range(start, start + lanes)
            merged = _merged(emit, values, [p % stride for p in places], [p // stride for p in places])
            emit.append(Store(moved(address, start), emit.let(merged)))
        return emit.statements

    def _masked(self, emit: Emitter, store: Store) -> None:
        lanes, stride = store.value.type.lanes, store.address.lane_strides[-1]
        flags = ValueType(I32, lanes)
        where = store.where if store.where is not None else emit.constant(1, flags)
        nowhere = emit.constant(0, flags)
        span, done = stride * (lanes - 1) + 1, 0
        for start in (*range(0, span - lanes, lanes), span - lanes):
            places = range(start, start + lanes)
            here = [place // stride if place >= done and place % stride == 0 else None for place in places]
            done = start + lanes
            value = v.Shuffle((store.value, store.value), tuple(lane or 0 for lane in here), store.value.type)
            mask = v.Shuffle((where, nowhere), tuple(lanes if lane is None else lane for lane in here), flags)
            emit.append(Store(moved(store.address, start), emit.let(value), None, emit.let(mask)))


def groups_of(region: Sequence[Statement], facts: Facts) -> list[Group]:
    """Those that may be done at once: stores only where they leave nothing out, and nobody asks for them before."""
    found: list[Group] = []
    open_: dict[_Place, Group] = {}
    for place, statement in enumerate(region):
        cell = Cell.of(statement)
        if cell is None:
            continue
        for key, group in [*open_.items()]:
            is_load, array, *_ = key
            if array == cell.array and isinstance(statement, Store) and is_load:
                group.passed.append(cell)
            elif array == cell.array and not is_load and _meets(region, group, cell, facts):
                del open_[key]
        if spread_access(statement) is None:
            continue
        key, alone = _key(statement, cell.address), cell.where is not None
        if alone or key not in open_ or not open_[key].takes(cell, facts):
            found.append(group := Group())
            if not alone:
                open_[key] = group
        else:
            group = open_[key]
        group.places[cell.address.subscripts[-1].constant] = place
    return [part for group in found for part in _parts(region, group)]


def _meets(region: Sequence[Statement], group: Group, cell: Cell, facts: Facts) -> bool:
    """Whether an access needs what a group stores to be there, or may not be before it."""
    return any(may_overlap(cell, Cell.stored(_stored(region[place])), facts) for place in group.places.values())


def _parts(region: Sequence[Statement], group: Group) -> list[Group]:
    """The group; its members one by one, if they are stores that leave elements out."""
    first = region[min(group.places.values())]
    if isinstance(first, Store) and len(group.places) < first.address.lane_strides[-1]:
        return [Group({offset: place}) for offset, place in group.places.items()]
    return [group]


def _key(statement: Statement, address: v.Address) -> _Place:
    *outer, inner = address.subscripts
    is_load = isinstance(statement, Let)
    type_ = statement.operation.type if isinstance(statement, Let) else _stored(statement).value.type
    return is_load, address.array, (*outer, inner - inner.constant), address.lane_strides[-1], type_


def _stored(statement: Statement) -> Store:
    assert isinstance(statement, Store)
    return statement


def moved(address: v.Address, distance: int) -> v.Address:
    """So many elements further on, one after the other."""
    *outer, inner = address.subscripts
    return v.Address(address.array, (*outer, inner + distance), (*address.lane_strides[:-1], 1))


QUARTERS = 4
"""The distance of elements that go through registers in two steps, each of which shuffles two vectors at a time."""


def _quarters(
    emit: Emitter, vectors: Sequence[Value], starts: Sequence[int], offsets: Sequence[int]
) -> list[v.Operation]:
    """For each of some offsets the elements from there on, each the fourth behind the one before: sorted within the
    vectors first, of which pieces are then put one behind the other.

    Args:
        vectors: four, which begin at the `starts`; the last one may begin before the one in front of it ends.
    """
    type_ = vectors[0].type
    piece = type_.lanes // QUARTERS
    sorted_ = []
    for number, (vector, start) in enumerate(zip(vectors, starts, strict=True)):
        places = [
            offset + QUARTERS * (number * piece + lane) if offset in offsets else start
            for offset in range(QUARTERS)
            for lane in range(piece)
        ]
        lanes = tuple(place - start for place in places)
        in_order = lanes == tuple(range(type_.lanes))
        sorted_.append(vector if in_order else emit.let(v.Shuffle((vector, vector), lanes, type_)))
    lows, highs = zip(*(_woven(emit, sorted_[k], sorted_[k + 1], piece) for k in (0, 2)), strict=True)
    half, whole = type_.lanes // 2, type_.lanes
    halves = [(both, part) for both in (lows, highs) for part in (0, half)]
    return [
        v.Shuffle((first, second), (*range(part, part + half), *range(whole + part, whole + part + half)), type_)
        for offset in offsets
        for (first, second), part in [halves[offset]]
    ]


def _woven(emit: Emitter, first: Value, second: Value, piece: int) -> tuple[Value, Value]:
    """Pieces of so many lanes of two vectors in turn: those of their first halves, and those of the others."""
    lanes = first.type.lanes
    turns = [
        number * lanes + start + lane for start in range(0, lanes, piece) for number in (0, 1) for lane in range(piece)
    ]
    low, high = (v.Shuffle((first, second), tuple(part), first.type) for part in (turns[:lanes], turns[lanes:]))
    return emit.let(low), emit.let(high)


def _merged(emit: Emitter, vectors: Sequence[Value], sources: Sequence[int], lanes: Sequence[int]) -> v.Operation:
    """Lane l is lane lanes[l] of vector sources[l]."""
    type_ = vectors[0].type
    wanted = list(zip(sources, lanes, strict=True))
    first = (lane + source * type_.lanes if source < 2 else 0 for source, lane in wanted)
    merged = v.Shuffle((vectors[0], vectors[1]), tuple(first), type_)
    for number in range(2, len(vectors)):
        here = (lane + type_.lanes if source == number else own for own, (source, lane) in enumerate(wanted))
        merged = v.Shuffle((emit.let(merged), vectors[number]), tuple(here), type_)
    return merged
