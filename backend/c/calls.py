"""Calls in the place of statements that a program has several times over (`polyloop.backend.c.sharing` makes them)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, And
from polyloop.backend.ir.vector_program import Statement, Value


@dataclass(frozen=True, slots=True)
class Call(v.If):
    """A call in the place of a copy. What it passes is also in `then`, as statements that read it.

    Attributes:
        function: which one.
        arguments: integers, arrays by name, and scalars, in the order of the parameters.
        copy: what it stands for.
    """

    function: int = 0
    integers: tuple[Affine, ...] = ()
    arrays: tuple[str, ...] = ()
    scalars: tuple[Value, ...] = ()
    copy: tuple[Statement, ...] = ()


def with_copies(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements as they were before calls took the place of some."""
    return tuple(_with_copies(statement) for statement in body)


def _with_copies(statement: Statement) -> Statement:
    match statement:
        case Call(copy=copy):
            return v.If(And(()), with_copies(copy))
        case v.For(body=body) | v.When(_, body):
            return replace(statement, body=with_copies(body))
        case v.If(_, then, orelse):
            return replace(statement, then=with_copies(then), orelse=with_copies(orelse))
        case _:
            return statement
