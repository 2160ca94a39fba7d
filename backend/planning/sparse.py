"""Every second element computed where it lies: vectors as they are in memory, of whose lanes every second one counts.

    x = A[2*i], A[2*i + 2], ..;  y = B[2*i], B[2*i + 2], ..;  C[2*i], C[2*i + 2], .. = x + y
    ->  two vectors A[2*i ..] + B[2*i ..];  the lanes of those that are wanted are stored one by one, or under a mask

Sweeps over points of one colour, lifting steps in place: half of the lanes compute what nobody asks for, and no load
needs shuffles, which take longer as long as little is computed. What lies between the elements is loaded and never
stored. Only floating-point numbers are computed so, without divisions: nothing that is undefined, or slow, becomes of
what lies between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import I32
from polyloop.backend.ir.traversal import operands, uses, walk, with_operands
from polyloop.backend.ir.vector_program import Let, Load, Operation, Statement, Store, Value, ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.reuse import map_straight
from polyloop.backend.planning.spread import groups_of, moved
from polyloop.backend.planning.values import Emitter, Names
from polyloop.backend.planning.vectors import spread_access

_STRIDE = 2
"""Elements further apart would leave most lanes unused."""

_SHUFFLES = 2
"""Of a vector that takes every second element of two others: within halves, and across them."""

_OPERATORS = frozenset(("+", "-", "*", "neg", "fma", "min", "max"))


@dataclass(frozen=True)
class SparseLanes:
    """The pass over a whole program.

    Attributes:
        uniform: values that are the same in all lanes.
        uses: how often each value is used.
    """

    names: Names
    target: Target
    uniform: frozenset[str]
    uses: Counter[str]

    @classmethod
    def of(cls, program: Sequence[Statement], names: Names, target: Target) -> SparseLanes:
        """The pass for one program, and for no other."""
        uniform = set[str]()
        for statement in walk(program):
            if isinstance(statement, Let) and _is_uniform(statement.operation, uniform):
                uniform.add(statement.name)
        return cls(names, target, frozenset(uniform), Counter(value.name for value in uses(program)))

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        return map_straight(statements, facts, self._region, self.run)

    def _region(self, region: list[Statement], facts: Facts) -> list[Statement]:
        stores = [region[place] for place in _left_out(region, facts)]
        inside = self._behind(region, [store for store in stores if isinstance(store, Store)]) if stores else {}
        loads = sum(isinstance(operation, Load) for operation in inside.values())
        if not inside or len(inside) - loads > _SHUFFLES * loads or not self._alone(inside, stores):
            return region
        emit = Emitter(self.names)
        parts: dict[str, tuple[Value, Value]] = {}
        for statement in region:
            match statement:
                case Let(name, operation) if name in inside:
                    made = [_part(operation, start, self._renaming(parts, k)) for k, start in _starts(operation.type)]
                    parts[name] = emit.let(made[0]), emit.let(made[1])
                case Store(address, value) if any(statement is store for store in stores):
                    for k, start in _starts(value.type):
                        self._put(emit, address, start, parts[value.name][k], k)
                case _:
                    emit.append(statement)
        return emit.statements

    def _behind(self, region: Sequence[Statement], stores: Sequence[Store]) -> dict[str, Operation]:
        """The operations that stores get their values from, but for what is the same in all lanes; none if one of them
        cannot be done where the elements lie."""
        defined = {statement.name: statement for statement in region if isinstance(statement, Let)}
        found: dict[str, Operation] = {}
        left = [store.value.name for store in stores]
        while left:
            name = left.pop()
            if name in found or name in self.uniform:
                continue
            let = defined.get(name)
            if let is None or not _stays_in_place(let):
                return {}
            found[name] = let.operation
            left += [value.name for value in operands(let.operation)]
        return found

    def _alone(self, inside: dict[str, Operation], stores: Sequence[Statement]) -> bool:
        """Whether nothing else uses any of the values."""
        own = Counter(value.name for operation in inside.values() for value in operands(operation))
        own.update(value.name for value in uses(stores))
        return all(own[name] == self.uses[name] for name in inside)

    @staticmethod
    def _renaming(parts: dict[str, tuple[Value, Value]], k: int) -> Callable[[Value], Value]:
        return lambda value: parts[value.name][k] if value.name in parts else value

    def _put(self, emit: Emitter, address: v.Address, start: int, value: Value, first: int) -> None:
        """Store every second lane, from the first that counts on."""
        element, lanes = value.type
        if self.target.masks:
            flags = ValueType(I32, lanes)
            every = emit.constant(1, flags), emit.constant(0, flags)
            chosen = tuple(lane + lanes * ((lane - first) % _STRIDE) for lane in range(lanes))
            emit.append(Store(moved(address, start), value, None, emit.let(v.Shuffle(every, chosen, flags))))
            return
        nowhere = (0,) * len(address.lane_strides)
        for lane in range(first, lanes, _STRIDE):
            one = emit.let(v.Lane(value, lane, ValueType(element)))
            emit.append(Store(moved(address, start + lane)._replace(lane_strides=nowhere), one))


def _starts(type_: ValueType) -> Iterator[tuple[int, int]]:
    """The two vectors: the first lane of each that counts, and where it begins. The second one ends with the last
    element that is wanted: what lies behind that may not be there."""
    return enumerate((0, type_.lanes - 1))


def _part(operation: Operation, start: int, rename: Callable[[Value], Value]) -> Operation:
    if isinstance(operation, Load):
        return Load(moved(operation.address, start), operation.type)
    return with_operands(operation, rename)


def _left_out(region: Sequence[Statement], facts: Facts) -> list[int]:
    """Where every second element is stored and those between are not; nothing if there are stores without gaps, too,
    or others that cannot be done where their elements lie."""
    found: list[int] = []
    for group in groups_of(region, facts):
        store = region[min(group.places.values())]
        if isinstance(store, Store):
            if len(group.places) > 1 or store.address.lane_strides[-1] != _STRIDE or store.where is not None:
                return []
            found += group.places.values()
    return found


def _is_uniform(operation: Operation, known: set[str]) -> bool:
    match operation:
        case v.Constant() | v.Broadcast():
            return True
        case v.Arithmetic(_, values):
            return all(value.name in known for value in values)
        case _:
            return False


def _stays_in_place(let: Let) -> bool:
    match let.operation:
        case Load():
            address = spread_access(let)
            return address is not None and address.lane_strides[-1] == _STRIDE
        case v.Arithmetic(operator, _, (element, _)):
            return element.is_float and operator in _OPERATORS
        case v.Test(_, left):
            return left.type.element.is_float
        case v.Pick():
            return True
        case _:
            return False
