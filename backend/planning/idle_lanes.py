"""What conditions on data keep from doing anything in all lanes of a vector is left out there.

    d = x[i ..] - w                                d = x[i ..] - w
    c = d < 0                             ->       c = d < 0
    f[i ..] = sqrt(k[i ..]) / d, where c           if any lane of c:  f[i ..] = sqrt(k[i ..]) / d, where c

So that conditions that rarely hold, as those of particles that touch a wall, cost the lanes no more than they cost the
loops as written, which jump. A branch on data goes the other way than the core expects as often as it changes; so it
pays where what is left out takes longer than that costs, however often that is.

What such a part leaves for others, ``s = c ? s + x : s``, is known where no lane counts: the part becomes a loop of one
iteration or none that carries it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import PRODUCTS
from polyloop.backend.ir.traversal import map_bodies, renamed, uses, walk
from polyloop.backend.ir.vector_program import Statement
from polyloop.backend.machine.core import MISTAKEN_BRANCH
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.exits import Run
from polyloop.backend.planning.facts import Facts, map_bodies_with, with_facts
from polyloop.backend.planning.memory import may_overlap, touches
from polyloop.backend.planning.registers import registers_of
from polyloop.backend.planning.values import Emitter, Names


@dataclass(frozen=True)
class _Part:
    """What does nothing where no lane counts.

    Attributes:
        places: of its statements in the body.
        behind: those of others that stand between them, and use what they leave.
        left: what others need of it, with what that is where no lane counts: another value, or a number.
    """

    places: frozenset[int]
    behind: frozenset[int]
    left: Mapping[str, v.Value | int | float]


def without_idle_lanes(
    statements: tuple[Statement, ...], names: Names, target: Target, facts: Facts
) -> tuple[Statement, ...]:
    """The statements, and those inside of them, with what no lane may need behind branches."""
    lets = (statement for statement in walk(statements) if isinstance(statement, v.Let))
    constants = {let.name: let.operation.value for let in lets if isinstance(let.operation, v.Constant)}
    return _IdleLanes(names, target, constants).run(statements, facts)


@dataclass(frozen=True)
class _IdleLanes:
    names: Names
    target: Target
    constants: Mapping[str, int | float]

    def run(
        self, statements: Iterable[Statement], facts: Facts, last: frozenset[str] = frozenset(), again: bool = False
    ) -> tuple[Statement, ...]:
        """Args:
        last: names of values that count behind the statements.
        again: they are run in every iteration of a loop.
        """
        inside = (
            map_bodies_with(
                statement,
                known,
                partial(self.run, last=_last(statement), again=again or isinstance(statement, v.For)),
            )
            for statement, known in with_facts(statements, facts)
        )
        body = tuple(inside)
        return self._apart(body, facts, last) if again else body

    def _apart(
        self, body: tuple[Statement, ...], facts: Facts, last: frozenset[str], above: frozenset[str] = frozenset()
    ) -> tuple[Statement, ...]:
        """A body with such parts of it behind branches; `above`: masks that have one around it."""
        for mask in _masks(body, last):
            part = None if mask.name in above else self._part(body, mask, facts, last)
            if part is not None:
                body = self._behind_branch(body, mask, part, facts, above | {mask.name})
        return body

    def _part(self, body: tuple[Statement, ...], mask: v.Value, facts: Facts, last: frozenset[str]) -> _Part | None:
        """What does nothing where no lane of a mask counts, if leaving that out is worth a branch."""
        always, run, idle = Run({**self.constants}), Run({**self.constants}), set[int]()
        for place, statement in enumerate(body):
            if isinstance(statement, v.Let):
                always.let(statement.name, statement.operation)
                run.let(statement.name, statement.operation)
                run.known |= {mask.name: 0} if statement.name == mask.name else {}
            elif run.does_nothing([statement]) and isinstance(statement, v.Store | v.When | v.For):
                idle.add(place)
            else:
                run.loaded.clear()
        # From the end on: what others need stays in front of the branch, unless it is known where no lane counts.
        needed, left = {*last, mask.name}, dict[str, v.Value | int | float]()
        for place in reversed(range(len(body))):
            statement = body[place]
            match statement:
                case v.Let(name, operation) if name != mask.name:
                    value = v.Value(name, operation.type)
                    known = run.worth(value) if name in needed and always.worth(value) is None else None
                    if known is not None:
                        left[name] = known
                    if known is not None or name not in needed:
                        idle.add(place)
                        needed |= {known.name} if isinstance(known, v.Value) else set()
                        continue
                case v.For(carried=carried) if not needed.isdisjoint(c.result for c in carried):
                    idle.discard(place)
            if place not in idle:
                needed |= {value.name for value in uses([statement])}
        part = [body[place] for place in sorted(idle)]
        if not any(isinstance(s, v.Let) for s in part) or (all(isinstance(s, v.Let) for s in part) and not left):
            return None
        # Of many lanes some count more often, and for more of them there is more to do.
        registers = max(registers_of(s.operation.type, self.target) for s in part if isinstance(s, v.Let))
        rare = mask.name in _rare(body)  # so that the core expects it
        if not rare and _cycles(part, self.target) < MISTAKEN_BRANCH * registers:
            return None
        behind = _using(body[: max(idle)], idle, left)
        if (behind and not rare) or not all(isinstance(body[place], v.Let | v.Store) for place in behind):
            return None
        return _Part(frozenset(idle), behind, left) if self._may_wait(body, idle, behind, facts) else None

    def _may_wait(
        self, body: tuple[Statement, ...], idle: Collection[int], behind: Collection[int], facts: Facts
    ) -> bool:
        """Whether the statements of a part may stand behind all others in front of its last one, but for some that
        stand behind them all."""
        order = (*(place for place in range(max(idle)) if place not in idle and place not in behind), *sorted(idle))
        new = {place: number for number, place in enumerate((*order, *sorted(behind)))}
        found = {place: list(touches([body[place]], facts)) for place in new}
        return not any(
            (first.stores or second.stores) and may_overlap(first.cell, second.cell, second.facts)
            for place in (*idle, *behind)
            for other in new
            if other > place and new[other] < new[place]
            for first in found[place]
            for second in found[other]
        )

    def _behind_branch(
        self, body: tuple[Statement, ...], mask: v.Value, part: _Part, facts: Facts, above: frozenset[str]
    ) -> tuple[Statement, ...]:
        end = max(part.places)
        before = (s for place, s in enumerate(body[:end]) if place not in part.places | part.behind)
        emit, rest = Emitter(self.names, [*before]), (*(body[place] for place in sorted(part.behind)), *body[end + 1 :])
        inner = tuple(body[place] for place in sorted(part.places))
        some = emit.in_some_lane(mask)
        if not part.left:
            inner = self._apart(inner, facts, frozenset(), above)
            return (*emit.statements, v.When(some, inner), *rest)
        # What is left has its name behind the part, and another one inside of it.
        types = {s.name: s.operation.type for s in inner if isinstance(s, v.Let)}
        names = {name: v.Value(self.names.fresh("v"), types[name]) for name in part.left}
        inner = _defined(renamed(inner, lambda value: names.get(value.name, value)), names)
        carried: list[v.Carried] = []
        for name, known in part.left.items():
            known = known if isinstance(known, v.Value) else emit.constant(known, types[name])
            carried.append(v.Carried(self.names.fresh("v"), types[name], known, names[name], name))
        needed = frozenset(value.name for value in names.values())
        emit.once(some, tuple(carried), lambda: self._apart(inner, facts, needed, above))
        return (*emit.statements, *rest)


def _last(statement: Statement) -> frozenset[str]:
    """The names of values of a loop's body that count behind it."""
    if not isinstance(statement, v.For):
        return frozenset()
    going = frozenset() if statement.going is None else frozenset((statement.going.name,))
    return going | {c.next.name for c in statement.carried}


def _masks(body: tuple[Statement, ...], last: frozenset[str]) -> list[v.Value]:
    """The values of a body that choose the lanes which it stores, or whose `last` values change, and the rare ones, in
    order."""
    choose: set[str] = set()
    rare = _rare(body)
    for statement in body:
        match statement:
            case v.Let(_, v.Pick(condition)) if condition.name in rare:
                choose.add(condition.name)
            case v.Let(name, v.Pick(condition)) if name in last:
                choose.add(condition.name)
            case v.Store(where=v.Value(name)):
                choose.add(name)
    made = [s.value for s in body if isinstance(s, v.Let) and s.name in choose]
    return [value for value in made if value.type.lanes > 1]


def _using(body: tuple[Statement, ...], idle: Collection[int], left: Collection[str]) -> frozenset[int]:
    """The places of statements, no idle ones, that use what is left, or what others compute of it."""
    names, found = set(left), set[int]()
    for place, statement in enumerate(body):
        if place not in idle and any(value.name in names for value in uses([statement])):
            found.add(place)
            names |= {statement.name} if isinstance(statement, v.Let) else set()
    return frozenset(found)


def _rare(body: tuple[Statement, ...]) -> set[str]:
    """The masks of a body for products of complex numbers that are computed otherwise, which almost none is."""
    lets = [s for s in body if isinstance(s, v.Let)]
    again = {s.name for s in lets if isinstance(s.operation, v.Apply) and s.operation.function in PRODUCTS}
    picks = (s.operation for s in lets if isinstance(s.operation, v.Pick))
    return {pick.condition.name for pick in picks if pick.then.name in again}


def _defined(statements: Iterable[Statement], names: Mapping[str, v.Value]) -> tuple[Statement, ...]:
    """The statements with other names for the values that they define."""

    def one(statement: Statement) -> Statement:
        if isinstance(statement, v.Let) and statement.name in names:
            return v.Let(names[statement.name].name, statement.operation)
        return map_bodies(statement, lambda body: tuple(map(one, body)))

    return tuple(map(one, statements))


def _cycles(statements: Iterable[Statement], target: Target) -> float:
    """How long a core is busy with the vectors of a part, one operation after the other."""
    machine, cycles = target.machine, 0.0
    for statement in walk(statements):
        match statement:
            case v.Let(_, v.Load(address, type_)):
                near = address.along in (-1, 0, 1)
                cycles += registers_of(type_, target) / (machine.load if near else machine.gather).per_cycle
            case v.Let(_, v.Arithmetic("/" | "%", _, type_)):
                cycles += registers_of(type_, target) / machine.divide.per_cycle
            case v.Let(_, v.Apply("sqrt" | "sqrtf", _, type_)):
                cycles += registers_of(type_, target) / machine.square_root.per_cycle
            case v.Let(_, v.Apply(_, _, type_)):
                cycles += type_.lanes / machine.divide.per_cycle
            case v.Let(_, operation) if not isinstance(operation, v.Constant | v.Broadcast):
                cycles += registers_of(operation.type, target) / machine.add.per_cycle
            case v.Store(_, value):
                cycles += registers_of(value.type, target) / machine.store.per_cycle
    return cycles
