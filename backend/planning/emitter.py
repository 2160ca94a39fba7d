"""Writing straight-line code: fresh names, nested statement lists, lanes made equal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import ScalarType


@dataclass
class Names:
    """Fresh names: a stem and a number, each used once in a program."""

    taken: set[str] = field(default_factory=set)
    _next: dict[str, int] = field(default_factory=dict)

    def fresh(self, stem: str) -> str:
        number = self._next.get(stem, 0)
        while (name := f"{stem}{number}") in self.taken:
            number += 1
        self._next[stem] = number + 1
        return name


@dataclass
class Emitter:
    """Appends statements to the innermost open list."""

    names: Names
    statements: list[v.Statement] = field(default_factory=list)
    _constants: dict[str, v.Constant] = field(default_factory=dict)

    def append(self, statement: v.Statement) -> None:
        self.statements.append(statement)

    def let(self, operation: v.Operation) -> v.Value:
        name = self.names.fresh("v")
        if isinstance(operation, v.Constant):
            self._constants[name] = operation
        self.statements.append(v.Let(name, operation))
        return v.Value(name, operation.type)

    def constant(self, value: int | float, type_: v.ValueType) -> v.Value:
        return self.let(v.Constant(value, type_))

    def widen(self, value: v.Value, lanes: int) -> v.Value:
        """The value in every lane; vectors pass through."""
        if value.type.lanes == lanes:
            return value
        type_ = v.ValueType(value.type.element, lanes)
        known = self._constants.get(value.name)
        if known is not None:
            return self.let(replace(known, type=type_))
        return self.let(v.Broadcast(value, type_))

    def lanewise(self, *values: v.Value) -> tuple[v.Value, ...]:
        lanes = max([value.type.lanes for value in values])
        return tuple([self.widen(value, lanes) for value in values])

    def arithmetic(self, operator: str, *operands: v.Value) -> v.Value:
        operands = self.lanewise(*operands)
        return self.let(v.Arithmetic(operator, operands, operands[0].type))

    def test(self, operator: str, left: v.Value, right: v.Value, result: ScalarType) -> v.Value:
        left, right = self.lanewise(left, right)
        return self.let(v.Test(operator, left, right, v.ValueType(result, left.type.lanes)))

    def pick(self, condition: v.Value, then: v.Value, otherwise: v.Value) -> v.Value:
        condition, then, otherwise = self.lanewise(condition, then, otherwise)
        return self.let(v.Pick(condition, then, otherwise, then.type))

    def convert(self, operand: v.Value, element: ScalarType) -> v.Value:
        if operand.type.element == element:
            return operand
        return self.let(v.Convert(operand, v.ValueType(element, operand.type.lanes)))

    @contextmanager
    def nested(self) -> Iterator[list[v.Statement]]:
        """What is emitted inside the context goes to the list it yields."""
        outer, self.statements = self.statements, []
        try:
            yield self.statements
        finally:
            self.statements = outer
