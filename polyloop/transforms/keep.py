"""Keep: what each iteration makes of a scalar, apart from what the next one takes over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from polyloop.backend.ir import expressions as e
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    ScopTransform,
    beside,
    fresh_name,
    in_place_of,
    names_of,
    order_of,
    reads_own_iteration,
    redirected,
    together,
)


@dataclass(frozen=True)
class Keep(ScopTransform):
    """Keep a recurrence's values in a scalar of one iteration.

    Rewrite:
        for i: { v = f(v);  a[i] = g(v); }   ->   for i: { k = f(v);  v = k;  a[i] = g(k); }

    A scalar that the next iteration takes over cannot be expanded over a block of iterations, as the first one of a
    block reads what the last one of the block before has left; k can be, and then g runs in lanes. Legal where every
    reader that is redirected reads the value of its own iteration.

    Attributes:
        statement: the name of the one that writes the scalar.
    References:
        Allen and Kennedy, "Optimizing Compilers for Modern Architectures", 2002, section 5.3, who copy such scalars
        for renaming.
    """

    statement: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Statements that compute a scalar from what it was before, and whose loop reads it elsewhere, too."""
        for statement in scop.statements:
            if _carries(scop, statement) and _readers(scop, statement):
                yield cls(statement.name)

    @property
    def action(self) -> str:
        return f"keep what {self.statement} computes"

    def changed(self, scop: Scop) -> Scop:
        statement = self.statement_of(scop, self.statement)
        if not _carries(scop, statement):
            raise self.refused(scop, "it does not compute a scalar from what it was before in every iteration")
        readers = [s for s in _readers(scop, statement) if reads_own_iteration(scop, statement, s)]
        if not readers:
            raise self.refused(scop, "no other statement reads what the same iteration computes")
        array, names = scop.array(statement.target.array), names_of(scop)
        kept = e.Read(e.Access(fresh_name(f"{array.name}_kept", names)), array.type)
        name = fresh_name(f"{statement.name}_back", names)
        first = replace(statement, target=kept.access, reduction=None)
        back = beside(statement, name, statement.target, kept, 1)
        changed = {
            s.name: redirected(s, lambda access: kept.access if access == statement.target else access) for s in readers
        }
        others = (changed.get(s.name, s) for s in scop.statements)
        local = Array(kept.access.array, array.type, (), local=True)
        statements = in_place_of(others, statement, (first, back), 1)
        return replace(scop, arrays=(*scop.arrays, local), statements=statements)


def _carries(scop: Scop, statement: Statement) -> bool:
    """Whether a statement in a loop always makes a scalar's next value of the one before, and nothing else in the
    innermost loop around it does."""
    if statement.target.subscripts or not statement.depth or statement.conditional:
        return False
    if statement.target not in statement.reads or any(isinstance(n, e.OutsideCall) for n in e.walk(statement.value)):
        return False
    same = together(scop, statement, statement.depth)
    return all(s is statement or s.target.array != statement.target.array for s in same)


def _readers(scop: Scop, statement: Statement) -> list[Statement]:
    """The statements behind it in the same body that read what it computes."""
    same = [s for s in together(scop, statement, statement.depth) if s.depth == statement.depth]
    behind = (s for s in same if s is not statement and order_of(s) > order_of(statement))
    return [s for s in behind if statement.target in s.reads and s.iterators == statement.iterators]
