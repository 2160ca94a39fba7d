"""Value numbering inside and across straight-line code: no load, broadcast or operation twice.

A load takes the value that an earlier load or store of the same cell left, if no store between them may overlap; a
store that the next one overwrites unread disappears; so do values that nobody uses and stores to local arrays that
nobody loads. Operations are pure, so an equal operation over equal operands is the same value. What a nested loop or
condition stores to is forgotten by whole arrays: what pays there is carried in registers by `registers`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.traversal import operands, with_operands
from polyloop.backend.ir.vector_program import Operation, Statement, Value
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.memory import Cell, arrays_touched, may_overlap


def reuse_values(statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
    """The same program with repeated loads and operations taken from where they are known."""
    return _Numbering().run(statements, facts)


@dataclass
class _Numbering:
    """What is known at one point of the program. Inner scopes start from a copy; `names` is shared by all.

    Attributes:
        memory: by array, the values of its cells.
        unread: by array, where in `out` stores stand that nobody has read yet.
    """

    names: dict[str, Value] = field(default_factory=dict)
    pure: dict[Operation, Value] = field(default_factory=dict)
    memory: dict[str, dict[Cell, Value]] = field(default_factory=dict)
    unread: dict[str, dict[Cell, int]] = field(default_factory=dict)
    out: list[Statement | None] = field(default_factory=list)

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        for statement in statements:
            self._statement(statement, facts)
            if isinstance(statement, v.Bind):
                facts = facts.with_equal(statement.variable, statement.value)
        return tuple(statement for statement in self.out if statement is not None)

    def name(self, value: Value) -> Value:
        return self.names.get(value.name, value)

    def _inner(self) -> _Numbering:
        memory = {array: dict(cells) for array, cells in self.memory.items()}
        return _Numbering(self.names, dict(self.pure), memory)

    def _statement(self, statement: Statement, facts: Facts) -> None:
        match statement:
            case v.Let():
                self._let(statement, facts)
            case v.Store(address, value, active):
                self._store(v.Store(address, self.name(value), active), facts)
            case v.For():
                self._for(statement, facts)
            case v.If(condition, then, orelse):
                stored = self._enter(statement)
                first = self._inner().run(then, facts.with_condition(condition))
                second = self._inner().run(orelse, facts.with_condition(condition, holds=False))
                self._forget_arrays(stored)
                self.out.append(v.If(condition, first, second))
            case v.Prefetch() | v.Bind():
                self.out.append(statement)

    def _let(self, let: v.Let, facts: Facts) -> None:
        operation = let.operation
        value = known = Value(let.name, operation.type)
        match operation:
            case v.Load(address, type_, active):
                cell = Cell(address, type_, active)
                known = self.memory.setdefault(address.array, {}).setdefault(cell, value)
                if known is value:
                    self._read(cell, facts)
            case v.LazyPick():
                self._enter(let)
                let = v.Let(let.name, self._lazy(operation, facts))
            case _:
                renamed = with_operands(operation, self.name)
                known = self.pure.setdefault(renamed, value)
                if renamed is not operation:
                    let = v.Let(let.name, renamed)
        if known is value:
            self.out.append(let)
        else:
            self.names[let.name] = known

    def _lazy(self, pick: v.LazyPick, facts: Facts) -> v.LazyPick:
        then = self._inner().run(pick.then, facts)
        otherwise = self._inner().run(pick.otherwise, facts)
        return replace(
            pick,
            condition=self.name(pick.condition),
            then=then,
            then_value=self.name(pick.then_value),
            otherwise=otherwise,
            otherwise_value=self.name(pick.otherwise_value),
        )

    def _store(self, store: v.Store, facts: Facts) -> None:
        cell = Cell(store.address, store.value.type, store.active)
        unread = self.unread.setdefault(cell.array, {})
        overwritten = unread.pop(cell, None)
        if overwritten is not None:
            self.out[overwritten] = None
        cells = self.memory.setdefault(cell.array, {})
        for known in [c for c in cells if c != cell and may_overlap(c, cell, facts)]:
            del cells[known]
        cells[cell] = store.value
        unread[cell] = len(self.out)
        self.out.append(store)

    def _for(self, loop: v.For, facts: Facts) -> None:
        self._forget_arrays(self._enter(loop))
        initial = tuple(self.name(c.initial) for c in loop.carried)
        inner = self._inner()
        body = inner.run(loop.body, facts.with_loop(loop.variable, loop.lower, loop.upper))
        carried = tuple(
            v.Carried(c.name, c.type, first, self.name(c.next), c.result)
            for c, first in zip(loop.carried, initial, strict=True)
        )
        self.out.append(replace(loop, body=body, carried=carried))

    def _read(self, cell: Cell, facts: Facts) -> None:
        """A store that somebody reads has to stay."""
        unread = self.unread.get(cell.array, {})
        for known in [c for c in unread if c == cell or may_overlap(c, cell, facts)]:
            del unread[known]

    def _enter(self, statement: Statement) -> frozenset[str]:
        """Before a statement with others inside: earlier stores to its arrays stay. Returns what it stores to, of what
        is known."""
        if not self.memory and not self.unread:
            return frozenset()
        loaded, stored = arrays_touched((statement,))
        for array in loaded | stored:
            self.unread.pop(array, None)
        return stored

    def _forget_arrays(self, stored: frozenset[str]) -> None:
        """After a statement with others inside: nothing is known any more of the arrays that it stores to."""
        for array in stored:
            self.memory.pop(array, None)


def without_dead_code(statements: Iterable[Statement], arrays: Iterable[ArraySpec]) -> tuple[Statement, ...]:
    """Drop values that nobody uses, loops and conditions that do nothing, stores to local arrays that nobody loads."""
    statements = tuple(statements)
    unloaded = {a.name for a in arrays if a.storage is Storage.LOCAL}
    if unloaded:
        loaded, _ = arrays_touched(statements)
        unloaded -= loaded
    return _live(statements, set(), unloaded)


def _live(statements: tuple[Statement, ...], wanted: set[str], unloaded: set[str]) -> tuple[Statement, ...]:
    """Backwards: a definition stays if something behind it wants it. Adds to `wanted` what the rest wants."""
    kept: list[Statement] = []
    for statement in reversed(statements):
        match statement:
            case v.Let(name, operation):
                if name not in wanted:
                    continue
                if isinstance(operation, v.LazyPick):
                    wanted |= {operation.then_value.name, operation.otherwise_value.name}
                    statement = v.Let(
                        name,
                        replace(
                            operation,
                            then=_live(operation.then, wanted, unloaded),
                            otherwise=_live(operation.otherwise, wanted, unloaded),
                        ),
                    )
                    wanted.add(operation.condition.name)
                else:
                    wanted.update([value.name for value in operands(operation)])
            case v.Store(address, value, _):
                if address.array in unloaded:
                    continue
                wanted.add(value.name)
            case v.For():
                statement = _live_loop(statement, wanted, unloaded)
                if not statement.body and not statement.carried:
                    continue
            case v.If(condition, then, orelse):
                statement = v.If(condition, _live(then, wanted, unloaded), _live(orelse, wanted, unloaded))
                if not statement.then and not statement.orelse:
                    continue
            case v.Prefetch() | v.Bind():
                pass
        kept.append(statement)
    return tuple(reversed(kept))


def _live_loop(loop: v.For, wanted: set[str], unloaded: set[str]) -> v.For:
    """A carried value stays if its result or its value inside is wanted; what it carries is then wanted, too."""
    carried = {c for c in loop.carried if c.result in wanted}
    while True:
        inside = wanted | {c.next.name for c in carried}
        body = _live(loop.body, inside, unloaded)
        more = {c for c in loop.carried if c.name in inside} - carried
        if not more:
            break
        carried |= more
    wanted |= inside | {c.initial.name for c in carried}
    return replace(loop, body=body, carried=tuple(c for c in loop.carried if c in carried))
