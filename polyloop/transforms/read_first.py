"""ReadFirst: values that a loop's body would lose are read at its begin (node splitting)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir.expressions import Access, Expression, Fold, Logical, Read, Select, children, rewrite
from polyloop.scop.dependence import flow, memory_dependences
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopTransform, fresh_name, names_of, order_of


class IllegalReadFirstError(IllegalScopTransformError):
    """A read that cannot stand at the begin of its loop's body; says why."""


@dataclass(frozen=True)
class ReadFirst(ScopTransform):
    """Read an element where the innermost loop's body begins.

    Rewrite:
        for i: { a[i] = f(i);  b[i] = g(a[i+1]); }   ->   for i: { r = a[i+1];  a[i] = f(i);  b[i] = g(r); }

    Iterations that run as lanes store all of a before b is computed; with the read in front of that they still load
    what the next iterations will overwrite. The new scalar is private to an iteration.

    Attributes:
        statement: its name.
        access: what it reads, in any iteration.
    References:
        Kuck et al., "Dependence Graphs and Compiler Optimizations", POPL 1981, who call it node splitting.
    """

    statement: str
    access: Access

    error = IllegalReadFirstError

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Reads of elements that a later iteration overwrites in a statement that comes before."""
        for source in scop.statements:
            before = [s for s in scop.statements if _same_loop(source, s) and order_of(s) < order_of(source)]
            for access in _certain(source) if before else ():
                if any(_overwrites(scop, source, access, target) for target in before):
                    yield cls(source.name, access)

    @property
    def action(self) -> str:
        return f"read {self.access} of {self.statement} first"

    def changed(self, scop: Scop) -> Scop:
        """As `ScopTransform.changed`."""
        statement = next((s for s in scop.statements if s.name == self.statement), None)
        if statement is None:
            raise self.refused(scop, "there is no such statement")
        if not statement.depth or self.access not in _certain(statement):
            raise self.refused(scop, "it does not surely read that in every iteration")
        array, names = scop.array(self.access.array), names_of(scop)
        name, place = fresh_name(f"{statement.name}_first", names), fresh_name(f"{array.name}_first", names)
        inside = [s for s in scop.statements if _same_loop(s, statement)]
        row = statement.schedule[-1] + (min(map(order_of, inside)) - 1 - order_of(statement))
        value = Read(self.access, array.type)
        first = replace(
            statement,
            name=name,
            domain=statement.domain.set_tuple_name(name),
            target=Access(place),
            value=value,
            schedule=(*statement.schedule[:-1], row),
            reduction=None,
        )

        def one(node: Expression) -> Expression:
            return Read(first.target, array.type) if node == value else node

        changed = replace(statement, value=rewrite(statement.value, one), reduction=None)
        statements: list[Statement] = []
        for other in scop.statements:
            if other is inside[0]:
                statements.append(first)
            statements.append(changed if other is statement else other)
        arrays = (*scop.arrays, Array(place, array.type, (), local=True))
        new = replace(scop, arrays=arrays, statements=tuple(statements))
        self._prove(scop, statement, new, first)
        return new

    def _prove(self, scop: Scop, statement: Statement, new: Scop, first: Statement) -> None:
        """The value that is read comes from where it came from.

        Raises:
            IllegalReadFirstError: if it does not.
        """
        (sources, before), (found, still) = flow(scop, statement, self.access), flow(new, first, self.access)
        out = isl.dim_type.out
        same = set(sources) == set(found) and before.is_equal(still.set_tuple_name(statement.name))
        for writer, relation in sources.items() if same else ():
            same = same and relation.is_equal(found[writer].set_tuple_name(out, statement.name))
        if not same:
            raise self.refused(scop, "it is written between there and the statement")


def _same_loop(one: Statement, other: Statement) -> bool:
    """Whether the same innermost loop has both in its body itself."""
    mine, its = one.schedule, other.schedule
    return 0 < one.depth == other.depth and mine[:-1:2] == its[:-1:2] and one.iterators == other.iterators


def _overwrites(scop: Scop, source: Statement, access: Access, target: Statement) -> bool:
    """Whether a later instance of a statement overwrites what another one reads."""
    if access.array != target.target.array or access == target.target:
        return False
    pair = replace(scop, statements=(target, source))
    touched = scop.access_map(source, access).apply_range(scop.access_map(target, target.target).reverse())
    return any(
        (d.source, d.target) == (source.name, target.name) and not (touched & d.relation).is_empty()
        for d in memory_dependences(pair)
    )


def _certain(statement: Statement) -> tuple[Access, ...]:
    """What is read whatever data there are."""
    if statement.conditional:
        return ()
    found: list[Access] = []

    def walk(node: Expression) -> None:
        match node:
            case Read(access, _) if access.subscripts and not access.data:
                found.append(access)
            case Read() | Fold():
                return
            case Select(condition, _, _, _):
                walk(condition)
            case Logical(_, left, _):
                walk(left)
            case _:
                for child in children(node):
                    walk(child)

    walk(statement.value)
    return tuple(dict.fromkeys(found))
