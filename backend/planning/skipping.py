"""Masked stores behind a branch, which is not taken where no lane is to be stored, and loops that do not run there.

    A[i ..] = x, where c        ->        if any lane of c:  A[i ..] = x, where c

For processors whose masks are vectors: a masked move to memory takes many cycles on some of them, and conditions such
as that of a shorter path, a new extremum or a number that is out of range rarely hold. Where they often hold, they do
in some lane of nearly every vector, so that the branch goes one way either way.

    for k in [0, n): s = c ? s + x[k] : s        ->        for k in [0, c ? n : 0): s = c ? s + x[k] : s

What a condition from outside of a loop keeps from doing anything has no iterations where it does not hold; what the
loop carries stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import I64
from polyloop.backend.ir.traversal import map_bodies, renamed, uses
from polyloop.backend.ir.vector_program import Statement, Store
from polyloop.backend.planning.exits import Run
from polyloop.backend.planning.values import Emitter, Names


def skips(statement: Statement) -> v.Value | None:
    """The lanes that a statement stores, where data choose them; None of others."""
    return statement.where if isinstance(statement, Store) else None


def with_branches(statements: Iterable[Statement], names: Names) -> tuple[Statement, ...]:
    """The statements, and those inside of them, with a branch around neighbouring stores of the same lanes."""
    emit = Emitter(names)
    for where, group in groupby(statements, skips):
        if where is None:
            emit.statements += (map_bodies(s, partial(with_branches, names=names)) for s in group)
        elif where.type.lanes == 1:
            emit.statements += group
        else:
            emit.append(v.When(emit.in_some_lane(where), tuple(group)))
    return tuple(emit.statements)


def without_idle_loops(statements: Iterable[Statement], names: Names) -> tuple[Statement, ...]:
    """The statements with no iterations of loops that would do nothing."""
    return _Idle(names).run(statements, (), frozenset())


_FEW = 16
"""A loop of no more iterations than this, where that is known, stays one that a compiler can write out."""


@dataclass(frozen=True)
class _Idle:
    names: Names

    def run(
        self, statements: Iterable[Statement], before: tuple[v.Let, ...], last: frozenset[str]
    ) -> tuple[Statement, ...]:
        """Args:
        before: values that are known where the statements begin.
        last: names of values that count behind them, for a loop that carries these.
        """
        result: list[Statement] = []
        whole = tuple(statements)
        for position, statement in enumerate(whole):
            if isinstance(statement, v.Let):
                before = (*before, statement)
            if isinstance(statement, v.For) and not _ends_soon(statement):
                choice = self._choice(statement, before, whole[position + 1 :], last)
                if choice is not None:
                    result += self._bounded(statement, choice, before)
                    continue
            result.append(map_bodies(statement, partial(self.run, before=before, last=_carried(statement))))
        return tuple(result)

    def _choice(
        self, loop: v.For, before: tuple[v.Let, ...], after: tuple[Statement, ...], last: frozenset[str]
    ) -> v.Value | None:
        """The value from before a loop that keeps all its iterations from doing anything where it is zero."""
        used = {value.name for value in uses(loop.body)}
        for let in reversed(before):
            match let.operation:
                case v.Broadcast(operand) if let.name in used:
                    used.add(operand.name)
                case v.Test() | v.Pick() if let.name in used and _keeps(let, loop, before, after, last):
                    return v.Value(let.name, let.operation.type)
        return None

    def _bounded(self, loop: v.For, choice: v.Value, before: tuple[v.Let, ...]) -> list[Statement]:
        """The loop with its beginning for its end where that is zero."""
        emit, body, carried = Emitter(self.names), loop.body, loop.carried
        some = emit.in_some_lane(choice)
        if some is choice:
            chosen = {x.name for x in before if isinstance(x.operation, v.Broadcast) and x.operation.operand == choice}
            body, carried = _where_holds(loop, {choice.name, *chosen})
        first, last = (emit.let(v.IndexValue(end, 0, v.ValueType(I64))) for end in (loop.lower, loop.upper))
        end = emit.let(v.Pick(some, last, first, v.ValueType(I64)))
        limit = self.names.fresh(f"{loop.variable}_end")
        emit.append(v.BindValue(limit, end))
        bounded = replace(loop, upper=affine(limit), carried=carried)
        emit.append(replace(bounded, body=self.run(body, (), _carried(bounded))))
        return emit.statements


def _carried(statement: Statement) -> frozenset[str]:
    """The names of what a loop carries on from the end of its body."""
    return frozenset(c.next.name for c in statement.carried) if isinstance(statement, v.For) else frozenset()


def _ends_soon(loop: v.For) -> bool:
    """Whether a loop is one that sees by itself that there is nothing left to do, runs on threads, or is short."""
    count = loop.upper - loop.lower
    return loop.parallel or loop.going is not None or (count.is_constant and count.constant // loop.step <= _FEW)


def _keeps(
    choice: v.Let, loop: v.For, before: tuple[v.Let, ...], after: tuple[Statement, ...], last: frozenset[str]
) -> bool:
    """Does a loop do nothing where this value is zero, and leave nothing that counts?

    What it carries stays as it was, or is only stored in lanes that are none then.
    """
    run = Run({})
    for let in before:
        if not isinstance(let.operation, v.Load):  # what it has loaded may have changed
            run.let(let.name, let.operation)
        if let is choice:
            run.known[let.name] = 0
    if not run.does_nothing(loop.body):
        return False
    changed = {c.result for c in loop.carried if not run.stays(c)}
    counting = (s for s in after if not (isinstance(s, v.Store) and s.where is not None and run.is_zero(s.where)))
    return changed.isdisjoint((*last, *(value.name for value in uses(counting))))


def _where_holds(loop: v.For, choices: set[str]) -> tuple[tuple[Statement, ...], tuple[v.Carried, ...]]:
    """The body of a loop, and what it carries, where these conditions hold."""
    same: dict[str, v.Value] = {}

    def known(value: v.Value) -> v.Value:
        return same.get(value.name, value)

    def inside(statements: Iterable[Statement]) -> Iterator[Statement]:
        for statement in statements:
            match statement:
                case v.Let(name, v.Pick(condition, then)) if condition.name in choices:
                    same[name] = known(then)
                    continue
                case v.When(condition, body) if condition.name in choices:
                    yield from inside(body)
                    continue
                case v.Let(name, v.Broadcast(operand)) if operand.name in choices:
                    choices.add(name)
                    continue
                case v.Let(name, v.Load(where=v.Value(where)) as load) if where in choices:
                    statement = v.Let(name, replace(load, where=None))
                case v.Store(where=v.Value(where)) if where in choices:
                    statement = replace(statement, where=None)
            yield map_bodies(statement, lambda body: tuple(inside(body)))

    body = tuple(inside(loop.body))
    return renamed(body, known), tuple(replace(c, next=known(c.next)) for c in loop.carried)
