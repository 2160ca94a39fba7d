"""Rows of a recurrence, each some columns behind the one above, in the lanes of vectors.

    for c:  A[r][c] = f(A[r-1][c+1], A[r][c-1], A[r+1][c+1]);  A[r+1][c-2] = f(A[r][c-1], A[r+1][c-3], A[r+2][c-1]);  ..
    ->  last = A[r][lower-1], A[r+1][lower-3], ..
        for c:  above = A[r-1][c+1], (last, moved by a lane);  below = A[r+1][c+1], A[r+2][c-1], ..
                last = f(above, last, below);  A[r][c], A[r+1][c-2], .. = last

Statements that a loop makes of unrolled rows, alike but for places that differ by the same step from row to row, are
computed side by side. Their elements lie apart in memory, so that most of them are kept: what an iteration needs, the
one before it has stored or loaded in the same lanes, or this one has in the lane beside. The others are loaded and
stored one by one. Loads and stores of a row are not moved across each other where they may meet.

Lamport, "The Parallel Execution of DO Loops", CACM 1974, for the wavefronts; Larsen and Amarasinghe, "Exploiting
Superword Level Parallelism with Multimedia Instruction Sets", PLDI 2000, for packing statements that are alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from operator import add, sub
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least
from polyloop.backend.ir.vector_program import Carried, For, If, Let, Load, Shuffle, Statement, Store, Value, ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, map_bodies_with
from polyloop.backend.planning.lanes import FEWEST_TURNED
from polyloop.backend.planning.reuse import is_straight
from polyloop.backend.planning.sweeps import is_left_alone
from polyloop.backend.planning.values import Emitter, Names

FULL = 2
"""Vectors at least: a single one is a chain that nothing hides."""

PAYS = 2
"""Operations in lanes for each vector whose elements are loaded or stored one by one, at least."""

Offset: TypeAlias = "tuple[int, ...]"


@dataclass(frozen=True)
class Wavefronts:
    """The pass over a whole program."""

    names: Names
    target: Target

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        done = [map_bodies_with(statement, facts, self.run) for statement in statements]
        result: list[Statement] = []
        for place, statement in enumerate(done):
            changed = None
            if isinstance(statement, For) and _is_plain(statement) and is_left_alone(statement, done[place + 1 :]):
                changed = self._in_lanes(statement)
            result.append(statement if changed is None else changed)
        return tuple(result)

    def _in_lanes(self, loop: For) -> Statement | None:
        rows = _Rows.of(loop, self.target)
        if rows is None:
            return None
        try:
            return _Rebuilt(rows, self.names).result()
        except _UnlikeError:
            return None


class _UnlikeError(Exception):
    """Rows that cannot be computed side by side."""


def _is_plain(loop: For) -> bool:
    """Whether the loop has scalar statements only, and stores enough for a vector."""
    if loop.step != 1 or loop.parallel or loop.going is not None or not all(map(is_straight, loop.body)):
        return False
    stores = [statement for statement in loop.body if isinstance(statement, Store)]
    if len(stores) < FEWEST_TURNED or len({store.address.array for store in stores}) > 1:
        return False
    return all(store.value.type.lanes == 1 and store.active is None and store.where is None for store in stores)


@dataclass(frozen=True)
class _Place:
    """An element, seen from the iteration that is being executed.

    Attributes:
        base: the array, and the subscripts without their constants, which are the `offset`.
    """

    base: tuple[str, tuple[Affine, ...]]
    offset: Offset

    @classmethod
    def of(cls, address: v.Address) -> _Place:
        subscripts = address.subscripts
        return cls((address.array, tuple(s - s.constant for s in subscripts)), tuple(s.constant for s in subscripts))

    def moved(self, by: Offset, times: int = 1) -> _Place:
        return _Place(self.base, tuple(one + times * step for one, step in zip(self.offset, by, strict=True)))

    @property
    def address(self) -> v.Address:
        array, subscripts = self.base
        return v.Address(array, tuple(map(add, subscripts, self.offset)), (0,) * len(subscripts))


@dataclass(frozen=True)
class _Lanes:
    """Elements in the lanes of a vector: the first one, the step from lane to lane."""

    first: _Place
    step: Offset

    def moved(self, by: Offset, times: int = 1) -> _Lanes:
        return _Lanes(self.first.moved(by, times), self.step)


@dataclass(frozen=True)
class _Rows:
    """A loop whose stores are rows that lie apart by the same step.

    Attributes:
        stores: in order.
        step: from a store to the next one.
        advance: of the stores, from iteration to iteration.
        lanes: of a vector; the stores are some vectors.
    """

    loop: For
    stores: tuple[Store, ...]
    step: Offset
    advance: Offset
    lanes: int

    @classmethod
    def of(cls, loop: For, target: Target) -> _Rows | None:
        stores = tuple(statement for statement in loop.body if isinstance(statement, Store))
        places = [_Place.of(store.address) for store in stores]
        if len({place.base for place in places}) > 1 or len({store.value.type for store in stores}) > 1:
            return None
        step = _distance(places[0], places[1])
        if any(_distance(one, other) != step for one, other in pairwise(places)):
            return None
        advance = _advance(loop, places[0])
        lanes = target.lanes(stores[0].value.type.element)
        while len(stores) % lanes or len(stores) < FULL * lanes:
            lanes //= 2
        if lanes < FEWEST_TURNED or advance is None or _are_parallel(step, advance):
            return None
        rows = cls(loop, stores, step, advance, lanes)
        return None if rows._meet(places[0].base) else rows

    def _meet(self, base: tuple[str, tuple[Affine, ...]]) -> bool:
        """Whether a load may need what a store in front of it has stored in the same iteration."""
        stored: set[_Place] = set()
        for statement in self.loop.body:
            match statement:
                case Let(_, Load(address, type_, active, where)):
                    place = _Place.of(address)
                    if type_.lanes > 1 or active is not None or where is not None or place in stored:
                        return True
                    if address.array == base[0] and place.base != base:
                        return True
                case Store(address):
                    stored.add(_Place.of(address))
        return False

    @property
    def type(self) -> ValueType:
        return ValueType(self.stores[0].value.type.element, self.lanes)

    @property
    def groups(self) -> list[tuple[Store, ...]]:
        """The stores of every vector."""
        return [self.stores[k : k + self.lanes] for k in range(0, len(self.stores), self.lanes)]


def _distance(one: _Place, other: _Place) -> Offset:
    return tuple(map(sub, other.offset, one.offset))


def _advance(loop: For, place: _Place) -> Offset | None:
    """How the element moves with the loop; None where that is not constant."""
    found = []
    for subscript in place.base[1]:
        factor = subscript.coefficient(loop.variable)
        if loop.variable in (subscript - affine(loop.variable) * factor).variables():
            return None
        found.append(factor)
    return tuple(found)


def _are_parallel(one: Offset, other: Offset) -> bool:
    """Whether iterations of one lane meet elements of the others in more than one way."""
    pairs = [(k, j) for k in range(len(one)) for j in range(k)]
    return all(one[k] * other[j] == one[j] * other[k] for k, j in pairs)


@dataclass(frozen=True)
class _Node:
    """An operation in lanes."""

    operator: str
    operands: tuple[_Tree, ...]


@dataclass(frozen=True)
class _Same:
    """The same in all lanes: a value from outside of the loop, or what is done for one."""

    value: Value
    operation: v.Constant | Load | None


_Tree: TypeAlias = "_Node | _Same | _Lanes"


@dataclass
class _Rebuilt:
    """A loop in its new form, with what stands before it."""

    rows: _Rows
    names: Names
    trees: dict[tuple[str, ...], _Tree] = field(default_factory=dict)
    first: dict[_Lanes, tuple[Value, ...]] = field(default_factory=dict)
    values: dict[_Tree, Value] = field(default_factory=dict)
    kept: dict[_Lanes, tuple[Value, _Tree]] = field(default_factory=dict)
    single: int = 0

    def __post_init__(self) -> None:
        loop, rows = self.rows.loop, self.rows
        self.before, self.body = Emitter(self.names), Emitter(self.names)
        self.operations = {s.name: s.operation for s in loop.body if isinstance(s, Let)}
        self.carried = {carried.name: carried for carried in loop.carried}
        back = tuple(-step for step in rows.advance)
        stored = {store.value.name: _Place.of(store.address) for store in rows.stores}
        if any(carried.next.name not in stored for carried in loop.carried):
            raise _UnlikeError
        self.places = {carried.name: stored[carried.next.name].moved(back) for carried in loop.carried}
        self.places |= {
            name: _Place.of(operation.address)
            for name, operation in self.operations.items()
            if isinstance(operation, Load)
        }

    def result(self) -> Statement:
        rows, loop = self.rows, self.rows.loop
        trees = [self._tree(tuple(store.value for store in group)) for group in rows.groups]
        self.stored = {_Lanes(_Place.of(g[0].address), rows.step): t for g, t in zip(rows.groups, trees, strict=True)}
        if len(self.stored) < len(trees) or not self._keep():
            raise _UnlikeError
        for tree, group in zip(trees, rows.groups, strict=True):
            vector = self._value(tree)
            for lane, store in enumerate(group):
                scalar = self.body.let(v.Lane(vector, lane, store.value.type))
                self.body.append(Store(store.address, scalar))
        if sum(isinstance(tree, _Node) for tree in self.values) < PAYS * (self.single + len(trees)):
            raise _UnlikeError
        carried = []
        for lanes, (value, following) in self.kept.items():
            initial = self.before.let(v.Pack(tuple(map(self._on_entry, self.first[lanes])), rows.type))
            carried.append(Carried(value.name, rows.type, initial, self.values[following], self.names.fresh("v")))
        inside = For(loop.variable, loop.lower, loop.upper, 1, tuple(self.body.statements), tuple(carried))
        return If(at_least(loop.upper, loop.lower + 1), (*self.before.statements, inside))

    # --- what is computed side by side --------------------------------------------------------------------------------

    def _tree(self, values: tuple[Value, ...]) -> _Tree:
        names = tuple(value.name for value in values)
        if names not in self.trees:
            self.trees[names] = self._made(values)
        return self.trees[names]

    def _made(self, values: tuple[Value, ...]) -> _Tree:
        type_ = self.rows.stores[0].value.type
        operations = [self.operations.get(value.name) for value in values]
        first, name = operations[0], values[0].name
        if any(value.type != type_ for value in values):
            raise _UnlikeError
        same = all(value.name == name for value in values) and name not in self.carried
        if same and (first is None or isinstance(first, Load)):
            return _Same(values[0], first)
        if isinstance(first, v.Constant) and all(operation == first for operation in operations):
            return _Same(values[0], first)
        if isinstance(first, v.Arithmetic):
            alike = [o for o in operations if isinstance(o, v.Arithmetic) and o.operator == first.operator]
            if len(alike) == len(operations):
                return _Node(first.operator, tuple(map(self._tree, zip(*(o.operands for o in alike), strict=True))))
        return self._elements(values)

    def _elements(self, values: tuple[Value, ...]) -> _Lanes:
        if any(value.name not in self.places for value in values):
            raise _UnlikeError
        places = [self.places[value.name] for value in values]
        step = _distance(places[0], places[1])
        alike = all(one.base == places[0].base for one in places)
        if not alike or any(place != places[0].moved(step, lane) for lane, place in enumerate(places)):
            raise _UnlikeError
        if places[0].base == _Place.of(self.rows.stores[0].address).base and step != self.rows.step:
            raise _UnlikeError
        lanes = _Lanes(places[0], step)
        self.first.setdefault(lanes, values)
        return lanes

    # --- where elements come from -------------------------------------------------------------------------------------

    def _keep(self) -> bool:
        """Carry what the iteration before has stored or loaded; whether something is."""
        for lanes in self.first:
            advance = _advance(self.rows.loop, lanes.first)
            if advance is None:
                raise _UnlikeError
            ahead = lanes.moved(advance)
            following: _Tree | None = self.stored.get(ahead)
            if following is None and ahead in self.first and any(advance) and not self._was_stored(lanes):
                following = ahead
            if following is not None:
                value = Value(self.names.fresh("v"), self.rows.type)
                self.kept[lanes], self.values[lanes] = (value, following), value
        waiting = [lanes for lanes in self.first if lanes not in self.kept]
        while waiting:
            found = next((lanes for lanes in waiting if self._from_beside(lanes)), waiting[0])
            if found not in self.values:
                self._load(found)
            waiting.remove(found)
        return bool(self.kept)

    def _was_stored(self, lanes: _Lanes) -> bool:
        """Whether the iteration before has stored some of the elements."""
        rows = self.rows
        return any(
            other.first.base == lanes.first.base
            and lanes.first.moved(rows.advance).moved(rows.step, shift) == other.first
            for other in self.stored
            for shift in range(1 - rows.lanes, rows.lanes)
        )

    def _from_beside(self, lanes: _Lanes) -> bool:
        """Take elements from a vector that has all but one of them, a lane further."""
        last = self.rows.lanes - 1
        for times, lane, missing in ((1, 0, -last), (-1, last, last)):
            beside = self.values.get(lanes.moved(lanes.step, times))
            if beside is None or not any(lanes.step):
                continue
            other = self.values.get(lanes.moved(lanes.step, missing))
            scalar = self.first[lanes][lane]
            if other is None:
                if scalar.name in self.carried:
                    continue
                other = self.body.let(v.Broadcast(self._loaded(scalar), self.rows.type))
            operands, start = ((other, beside), last) if times == 1 else ((beside, other), 1)
            order = tuple(range(start, start + last + 1))
            self.values[lanes] = self.body.let(Shuffle(operands, order, self.rows.type))
            return True
        return False

    def _load(self, lanes: _Lanes) -> None:
        """Take elements one by one."""
        if any(scalar.name in self.carried for scalar in self.first[lanes]):
            raise _UnlikeError
        self.single += 1
        scalars = tuple(map(self._loaded, self.first[lanes]))
        self.values[lanes] = self.body.let(v.Pack(scalars, self.rows.type))

    def _loaded(self, scalar: Value) -> Value:
        return self.body.let(self.operations[scalar.name])

    def _on_entry(self, scalar: Value) -> Value:
        """What the first iteration reads."""
        if scalar.name in self.carried:
            return self.carried[scalar.name].initial
        loop, address = self.rows.loop, self.places[scalar.name].address
        subscripts = tuple(s.substitute({loop.variable: loop.lower}) for s in address.subscripts)
        return self.before.let(Load(address._replace(subscripts=subscripts), scalar.type))

    def _value(self, tree: _Tree) -> Value:
        if tree not in self.values:
            self.values[tree] = self._computed(tree)
        return self.values[tree]

    def _computed(self, tree: _Tree) -> Value:
        type_ = self.rows.type
        match tree:
            case _Node(operator, operands):
                return self.body.let(v.Arithmetic(operator, tuple(map(self._value, operands)), type_))
            case _Same(_, v.Constant(number)):
                return self.before.let(v.Constant(number, type_))
            case _Same(value, None):
                return self.before.let(v.Broadcast(value, type_))
            case _Same(value):
                return self.body.let(v.Broadcast(self._loaded(value), type_))
            case _:
                raise AssertionError("elements have been found before")
