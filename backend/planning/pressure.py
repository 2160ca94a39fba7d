"""How many vector registers live values take; scalar floats live in vector registers, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from polyloop.backend import vector_program as v
from polyloop.backend.planning.traversal import definitions, operands
from polyloop.backend.target import Target
from polyloop.backend.vector_program import Carried, Statement, ValueType


def registers_of(type_: ValueType, target: Target) -> int:
    """Vector registers that a value takes; integers in a single lane take none."""
    if type_.lanes == 1:
        return int(type_.element.is_float)
    return -(-type_.lanes * type_.element.bits // target.vector_bits)


def pressure(loop: v.For, target: Target) -> int:
    """Registers taken during the whole loop: carried values and values from outside; or more, in an inner loop."""
    survey = _Survey(target)
    survey.add(loop.body)
    return survey.registers(loop.carried)


@dataclass
class _Survey:
    """What statements use and define, nested ones included, gathered in one walk."""

    target: Target
    used: dict[str, ValueType] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    inner: int = 0  # the largest pressure of a loop among them

    def add(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case v.Let(name, operation):
                    self.used.update(operands(operation))
                    self.defined.add(name)
                    if isinstance(operation, v.LazyPick):
                        self.defined.update(definitions(operation.then), definitions(operation.otherwise))
                case v.Store(_, value):
                    self.used.update((value,))
                case v.For():
                    self._add_loop(statement)
                case v.If(_, then, orelse):
                    self.add(then)
                    self.add(orelse)

    def _add_loop(self, loop: v.For) -> None:
        inside = _Survey(self.target)
        inside.add(loop.body)
        self.inner = max(self.inner, inside.registers(loop.carried))
        self.used |= inside.used
        self.defined |= inside.defined
        for c in loop.carried:
            self.used.update((c.initial, c.next))
            self.defined.update((c.name, c.result))

    def registers(self, carried: Iterable[Carried]) -> int:
        """The pressure of a loop that carries these values around the statements."""
        here = 0
        own = set(self.defined)
        for c in carried:
            own.add(c.name)
            here += registers_of(c.type, self.target)
        here += sum(registers_of(type_, self.target) for name, type_ in self.used.items() if name not in own)
        return max(here, self.inner)
