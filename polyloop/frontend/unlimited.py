"""Loops that nothing counts and only data end: as many iterations as nobody can wait for, one of which is the last.

    while (v) {                for (long step = 0; step < LIMIT; step++) {
        v &= v - 1;      ->        if (!v) break;
        bits++;                    v &= v - 1; bits++;
    }                          }

At a thousand million iterations in a second `LIMIT` takes 36 years (`polyloop.backend.ir.loop_nest.ENDLESS`). What such
a ``break`` leaves out is read as that of any loop that data end (`polyloop.frontend.searches`). Only what the
iterations compute from scalars is read so: an array that they walk through has no end to be seen.
"""

from __future__ import annotations

import islpy as isl
from pycparser import c_ast

from polyloop.backend.ir.expressions import reads
from polyloop.backend.ir.loop_nest import ENDLESS
from polyloop.frontend.commas import without_commas
from polyloop.frontend.jumps import jumps_of
from polyloop.frontend.scopes import Refusal, children, is_once, walk_nodes
from polyloop.frontend.searches import as_for_loops, fresh_variable
from polyloop.frontend.syntax import (
    Items,
    Rewrite,
    Surroundings,
    counting_up,
    map_children,
    number,
    opposite,
    statements_of,
)
from polyloop.scop.model import Scop

REASONS = frozenset(("while", "for-header", "counter-value", "data-dependent", "non-affine"))
"""Why loops that may be such are refused."""


def may_have_such(items: Items) -> bool:
    """Whether there is such a loop inside of another one, or a call, whose function may have one."""
    nodes = [node for item in items for node in walk_nodes(item)]
    loops = [node for node in nodes if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)]
    inside = (inner for loop in loops for inner in walk_nodes(loop.stmt))
    return any(isinstance(node, c_ast.FuncCall) for node in nodes) or any(_body(inner) is not None for inner in inside)


def with_limits(rewrites: tuple[Rewrite, ...]) -> tuple[Rewrite, ...]:
    """The rewrites, with that of such loops behind that of those that count."""
    place = rewrites.index(as_for_loops) + 1
    return (*rewrites[:place], limited, without_commas, *rewrites[place:])


def limited(items: Items, around: Surroundings) -> Items:
    """The statements with a counter for every loop that has none.

    Raises:
        Refusal: if each has one, so that there is nothing to try, or if what is read would be of no use (`is_of_use`).
    """
    if any(_is_outer(item) for item in items):
        raise Refusal("while", "an outer loop has no counter")
    taken: set[str] = set()

    def visit(node: c_ast.Node) -> c_ast.Node:
        inner = map_children(node, visit)
        body = _body(inner)
        if body is None:
            return inner
        counter = c_ast.ID(fresh_variable("step", around, taken), inner.coord)
        loop = counting_up(counter, number(ENDLESS, inner), c_ast.Compound(body, inner.coord), inner)
        first = inner.init if isinstance(inner, c_ast.For) else None
        if first is None:
            return loop
        before = list(first.decls) if isinstance(first, c_ast.DeclList) else [first]
        return c_ast.Compound([*before, loop], inner.coord)

    result = tuple(map(visit, items))
    if all(new is old for new, old in zip(result, items, strict=True)):
        raise Refusal("while", "all loops count")
    return result


def _body(node: c_ast.Node) -> list[c_ast.Node] | None:
    """What every iteration does; None for what is no loop, or may count."""
    match node:
        case c_ast.While(cond=condition, stmt=body):
            return [*_unless(condition), *statements_of(body)]
        case c_ast.DoWhile(cond=condition, stmt=body) if not _continues(body):
            return [*statements_of(body), *_unless(condition)]
        case c_ast.For(cond=condition, stmt=body, next=step) if not _continues(body) and not _counts(node):
            return [
                *(_unless(condition) if condition is not None else ()),
                *statements_of(body),
                *([step] if step is not None else ()),
            ]
    return None


def _is_outer(node: c_ast.Node, counted: bool = False) -> bool:
    """Whether there is such a loop in no other one, or in another such loop.

    Args:
        counted: there are loops around, which all count.
    """
    if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile) and not is_once(node):
        endless = _body(node) is not None
        if endless and not counted:
            return True
        counted = not endless
    return any(_is_outer(child, counted) for child in children(node))


def _unless(condition: c_ast.Node) -> list[c_ast.Node]:
    if isinstance(condition, c_ast.Constant) and condition.value.strip("uUlL") not in ("0", ""):
        return []
    return [c_ast.If(opposite(condition), c_ast.Compound([c_ast.Break(condition.coord)]), None, condition.coord)]


def _continues(body: c_ast.Node) -> bool:
    return any(isinstance(jump, c_ast.Continue) for jump in jumps_of(body))


def _counts(node: c_ast.For) -> bool:
    """Whether a header may be that of a counter: it asks for something that is neither an element nor a product."""
    parts = list(walk_nodes(node.cond)) if node.cond is not None else []
    if not any(isinstance(n, c_ast.BinaryOp) and n.op in ("<", "<=", ">", ">=", "!=") for n in parts):
        return False
    return not any(isinstance(n, c_ast.ArrayRef) or (isinstance(n, c_ast.BinaryOp) and n.op == "*") for n in parts)


def is_of_use(scop: Scop) -> bool:
    """Whether loops around such a loop may be changed, and what it computes addresses no elements: nothing would limit
    these, so that no data could be made to measure with."""
    endless = {s.name: [n for k, n in enumerate(s.iterators) if _is_endless(s.domain, k)] for s in scop.statements}
    made = {s.target.array for s in scop.statements if endless[s.name]}
    for statement in scop.statements:
        names, accesses = endless[statement.name], (statement.target, *statement.reads)
        if len(names) > 1 or not {*names}.isdisjoint(statement.iterators[:1]):
            return False  # what one inside of another leaves behind keeps the outer one from ending
        for access in accesses:
            looked_up = {read.access.array for datum in access.data for read in reads(datum.value)}
            if (names and access.data) or not made.isdisjoint(looked_up):
                return False
            if any(not subscript.variables().isdisjoint(names) for subscript in access.subscripts):
                return False
    return True


def _is_endless(domain: isl.Set, place: int) -> bool:
    most = domain.project_out_all_params().dim_max_val(place)
    return bool(most.is_int()) and int(most.to_python()) == ENDLESS - 1
