"""Loops that data end: an iteration that leaves nothing to do for those behind it is the last.

A search, or an iteration until a point escapes, is a loop whose statements all stand behind a variable that says
whether it goes on (`polyloop.frontend.searches`). Once that is zero in every lane, nothing is stored any more and every
carried value stays as it is. That is proven here for a loop by running its body with the variable's zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import COMPARISONS, I32
from polyloop.backend.ir.traversal import map_bodies, operands, walk
from polyloop.backend.planning.values import Emitter, Names


def leave_early(statements: tuple[v.Statement, ...], names: Names) -> tuple[v.Statement, ...]:
    """The statements with the value that ends it for every such loop."""
    lets = [s for s in walk(statements) if isinstance(s, v.Let)]
    return _Exits(names, {let.name: let.operation.value for let in lets if isinstance(let.operation, v.Constant)}).run(
        statements
    )


@dataclass
class _Exits:
    names: Names
    constants: dict[str, int | float]

    def run(self, statements: Iterable[v.Statement]) -> tuple[v.Statement, ...]:
        return tuple(self._statement(statement) for statement in statements)

    def _statement(self, statement: v.Statement) -> v.Statement:
        inner = map_bodies(statement, self.run)
        if not isinstance(inner, v.For) or not inner.carried or inner.unroll > 1:
            return inner
        lets = [s.operation for s in inner.body if isinstance(s, v.Let)]
        tested = {o.name for operation in lets if isinstance(operation, v.Test) for o in operands(operation)}
        found = (c for c in inner.carried if c.name in tested and not c.type.element.is_float)
        going = next((c for c in found if self._ends(inner, c)), None)
        return inner if going is None else _leaving(inner, going, self.names)

    def _ends(self, loop: v.For, going: v.Carried) -> bool:
        """Does an iteration at whose beginning the carried integer is zero do nothing?"""
        run = Run({**self.constants, going.name: 0})
        return run.does_nothing(loop.body) and all(run.stays(c) for c in loop.carried)


def _leaving(loop: v.For, going: v.Carried, names: Names) -> v.For:
    """The loop with a test of the carried integer at its end."""
    emit = Emitter(names, [*loop.body])
    goes = emit.test("!=", going.next, emit.constant(0, going.type), I32)
    return replace(loop, going=emit.in_some_lane(goes), body=tuple(emit.statements))


@dataclass
class Run:
    """What a body's values are worth.

    Attributes:
        known: values that are the same number in all lanes.
        same: values that are others.
        loaded: where values come from in memory, which nothing has changed.
    """

    known: dict[str, int | float]
    same: dict[str, str] = field(default_factory=dict)
    loaded: dict[str, v.Load] = field(default_factory=dict)

    def stays(self, carried: v.Carried) -> bool:
        """Is a carried value behind an iteration what it was before it?"""
        name = self._first(carried.next)
        return name == carried.name or (name in self.known and self.known[name] == self.known.get(carried.name))

    def does_nothing(self, statements: Iterable[v.Statement]) -> bool:
        """Runs statements; False if they may store anything."""
        return all(self._does_nothing(statement) for statement in statements)

    def _does_nothing(self, statement: v.Statement) -> bool:
        match statement:
            case v.Let(name, operation):
                self.let(name, operation)
                return True
            case v.Store(address, value, active, where):
                stays = self.loaded.get(self._first(value)) == v.Load(address, value.type, active, where)
                return stays or (where is not None and self._number(where) == 0)
            case v.When(condition, body):
                return self._number(condition) == 0 or self.does_nothing(body)
            case v.If(_, then, orelse):
                return self.does_nothing(then) and self.does_nothing(orelse)
            case v.For(body=body, carried=carried):
                for c in carried:  # as it is before the loop, if no iteration changes that
                    self._is(c.name, c.initial)
                outer = Run(dict(self.known), dict(self.same), dict(self.loaded))
                if not self.does_nothing(body):
                    return False
                if not all(self._are_same(c.next, c.initial) for c in carried):
                    self.known, self.same, self.loaded = outer.known, outer.same, outer.loaded
                    for c in carried:
                        self.known.pop(c.name, None)
                        self.same.pop(c.name, None)
                    return self.does_nothing(body)
                for c in carried:
                    self._is(c.result, c.initial)
                return True
            case v.Prefetch() | v.Bind() | v.BindValue():
                return True

    def worth(self, value: v.Value) -> v.Value | int | float | None:
        """The number that a value is, or the other value; None where neither is known."""
        if (number := self._number(value)) is not None:
            return number
        first = self._first(value)
        return v.Value(first, value.type) if first != value.name else None

    def is_zero(self, value: v.Value) -> bool:
        return self._number(value) == 0

    def let(self, name: str, operation: v.Operation) -> None:
        """What a value is worth."""
        match operation:
            case v.Constant(value):
                self.known[name] = value
            case v.Load():
                first = next((other for other, load in self.loaded.items() if load == operation), name)
                self.loaded[first] = operation
                self.same[name] = first
            case v.Test(operator, left, right):
                a, b = self._number(left), self._number(right)
                if a is not None and b is not None:
                    self.known[name] = int(COMPARISONS[operator](a, b))
            case v.Arithmetic("&" | "*", values) if not operation.type.element.is_float:
                if any(self._number(value) == 0 for value in values):
                    self.known[name] = 0
            case v.Arithmetic("|", (left, right)):
                for zero, other in ((left, right), (right, left)):
                    if self._number(zero) == 0:
                        self._is(name, other)
            case v.Broadcast(operand):
                if (number := self._number(operand)) is not None:
                    self.known[name] = number
            case v.Convert(operand) if not operand.type.element.is_float:
                if self._number(operand) == 0:
                    self.known[name] = 0
            case v.Horizontal("|", operand):
                if self._number(operand) == 0:
                    self.known[name] = 0
            case v.Pick(condition, then, otherwise):
                number = self._number(condition)
                if number is not None:
                    self._is(name, then if number else otherwise)
                elif self._are_same(then, otherwise):
                    self._is(name, then)
            case v.LazyPick(condition, then, then_value, otherwise, otherwise_value):
                number = self._number(condition)
                if number is not None:
                    for statement in then if number else otherwise:
                        self._does_nothing(statement)
                    self._is(name, then_value if number else otherwise_value)

    def _is(self, name: str, value: v.Value) -> None:
        first = self._first(value)
        self.same[name] = first
        if first in self.known:
            self.known[name] = self.known[first]

    def _first(self, value: v.Value) -> str:
        """The name that all those that are the same have in common."""
        return self.same.get(value.name, value.name)

    def _are_same(self, first: v.Value, second: v.Value) -> bool:
        number = self._number(first)
        return self._first(first) == self._first(second) or (number is not None and number == self._number(second))

    def _number(self, value: v.Value) -> int | float | None:
        return self.known.get(value.name)
