"""Which names a piece of a vector program mentions: values, integer variables, arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from polyloop.backend.ir.affine import Affine, condition_variables
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.traversal import bodies, operands
from polyloop.backend.ir.vector_program import (
    Address,
    Bind,
    For,
    If,
    IndexValue,
    LazyPick,
    Let,
    Load,
    Operation,
    Prefetch,
    Statement,
    Store,
    Value,
    VectorProgram,
)


@dataclass
class NamesUsed:
    """Everything mentioned, also what is defined in the same piece; the bodies of the loops `skip` are left out.

    Attributes:
        defined: the values that the piece defines itself.
    """

    skip: tuple[For, ...] = ()
    values: dict[str, Value] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)

    def visit(self, statements: Iterable[Statement]) -> NamesUsed:
        for statement in statements:
            self._statement(statement)
        return self

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Let(name, operation):
                self.defined.add(name)
                self._operation(operation)
            case Store(address, value, active):
                self._address(address)
                self._values(value)
                self._affine(active)
            case Prefetch(address):
                self._address(address)
            case For(_, lower, upper, _, body, carried):
                self._affine(lower)
                self._affine(upper)
                for c in carried:
                    self._values(c.initial, c.next)
                    self.defined |= {c.name, c.result}
                if not any(statement is loop for loop in self.skip):
                    self.visit(body)
            case If(condition, then, orelse):
                self.integers |= condition_variables(condition)
                self.visit(then)
                self.visit(orelse)
            case Bind(_, value):
                self._affine(value)

    def _operation(self, operation: Operation) -> None:
        match operation:
            case Load(address, _, active):
                self._address(address)
                self._affine(active)
            case IndexValue(value, _, _):
                self._affine(value)
            case _:
                self._values(*operands(operation))
                if isinstance(operation, LazyPick):
                    self.visit((*operation.then, *operation.otherwise))

    def _address(self, address: Address) -> None:
        self.arrays.add(address.array)
        for subscript in address.subscripts:
            self._affine(subscript)

    def _affine(self, value: Affine | None) -> None:
        if value is not None:
            self.integers |= value.variables()

    def _values(self, *values: Value) -> None:
        self.values.update((v.name, v) for v in values)


def private_arrays(program: VectorProgram, loop: For) -> frozenset[str]:
    """LOCAL arrays of which every thread of a parallel loop has its own: those that this loop mentions and nothing else
    does, and scratch arrays that only parallel loops mention."""
    here = NamesUsed().visit(loop.body).arrays
    elsewhere = NamesUsed(skip=(loop,)).visit(program.body).arrays
    outside = NamesUsed(skip=tuple(parallel_loops(program.body))).visit(program.body).arrays
    local = [array for array in program.arrays if array.storage is Storage.LOCAL and array.name in here]
    return frozenset(a.name for a in local if a.name not in (outside if a.scratch else elsewhere))


def parallel_loops(statements: Iterable[Statement]) -> Iterator[For]:
    """The outermost parallel loops."""
    for statement in statements:
        if isinstance(statement, For) and statement.parallel:
            yield statement
        else:
            for body in bodies(statement):
                yield from parallel_loops(body)
