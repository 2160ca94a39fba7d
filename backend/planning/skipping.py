"""Masked stores behind a branch, which is not taken where no lane is to be stored.

    A[i ..] = x, where c        ->        if any lane of c:  A[i ..] = x, where c

For processors whose masks are vectors: a masked move to memory takes many cycles on some of them, and conditions such
as that of a shorter path, a new extremum or a number that is out of range rarely hold. Where they often hold, they do
in some lane of nearly every vector, so that the branch goes one way either way.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import I32
from polyloop.backend.ir.vector_program import Statement, Store
from polyloop.backend.planning.facts import Facts, map_bodies_with
from polyloop.backend.planning.values import Names


def skips(statement: Statement) -> v.Value | None:
    """The lanes that a statement stores, where data choose them; None of others."""
    return statement.where if isinstance(statement, Store) else None


def with_branches(statements: Iterable[Statement], names: Names) -> tuple[Statement, ...]:
    """The statements, and those inside of them, with a branch around neighbouring stores of the same lanes."""
    result: list[Statement] = []
    for where, group in groupby(statements, skips):
        if where is None:
            result += (map_bodies_with(s, Facts(), lambda body, _: with_branches(body, names)) for s in group)
        elif where.type.lanes == 1:
            result += group
        else:
            some = v.Let(names.fresh("v"), v.Horizontal("|", where, v.ValueType(I32)))
            result += (some, v.When(some.value, tuple(group)))
    return tuple(result)
