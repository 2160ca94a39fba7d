"""Walks over nests and programs that know at every place what loops, conditions and Binds around it say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.loop_nest import Guard, Loop, Node, children, map_children
from polyloop.backend.ir.vector_program import Statement
from polyloop.backend.planning.facts import Facts


def children_with(node: Node, facts: Facts) -> Iterator[tuple[Node, Facts]]:
    """The nodes directly below one, each with what holds there."""
    match node:
        case Loop(variable, lower, upper, _, body):
            yield body, facts.with_loop(variable, lower, upper)
        case Guard(condition, body, orelse):
            yield body, facts.with_condition(condition)
            yield orelse, facts.with_condition(condition, holds=False)
        case _:
            yield from ((child, facts) for child in children(node))


def map_children_with(node: Node, facts: Facts, visit: Callable[[Node, Facts], Node]) -> Node:
    """The node with every child as `visit` returns it, which is told what holds there."""
    inside = children_with(node, facts)
    return map_children(node, lambda _: visit(*next(inside)))


def with_facts(statements: Iterable[Statement], facts: Facts) -> Iterator[tuple[Statement, Facts]]:
    """The statements, each with what holds there: what Binds in front of it say, too."""
    for statement in statements:
        yield statement, facts
        if isinstance(statement, v.Bind):
            facts = facts.with_equal(statement.variable, statement.value)


def map_bodies_with(
    statement: Statement, facts: Facts, visit: Callable[[tuple[Statement, ...], Facts], tuple[Statement, ...]]
) -> Statement:
    """A loop or conditional with its bodies as `visit` returns them; other statements as they are."""
    match statement:
        case v.For(variable, lower, upper, _, body):
            return replace(statement, body=visit(body, facts.with_loop(variable, lower, upper)))
        case v.If(condition, then, orelse):
            first = visit(then, facts.with_condition(condition))
            return v.If(condition, first, visit(orelse, facts.with_condition(condition, holds=False)))
        case _:
            return statement
