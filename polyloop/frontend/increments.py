"""Counters that statements move on their way: ``a[m++] = b[i];`` becomes ``{ a[m] = b[i]; m++; }``.

Only where the statement uses the counter, or the array that it stands in, nowhere else and moves it whatever its values
are: then it makes no difference when it moves. Emitted code tests that arrays do not overlap. What has a closed form
has been replaced before (`polyloop.frontend.scalars`); where a call's body is to take its place, variables that the
body cannot see are moved before or behind the call even earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pycparser import c_ast

from polyloop.frontend.scopes import stored_into, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    first_parts,
    map_bodies,
    map_children,
    operation,
    unset,
    variables,
    with_parts,
)


def separate_increments(items: Items, around: Surroundings) -> Items:
    """The statements with such steps behind them, or in front where C takes the new value."""
    return tuple(_block(items))


def _block(items: Iterable[c_ast.Node]) -> Iterator[c_ast.Node]:
    for item in items:
        if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.TypeDecl) and item.init is not None:
            first = c_ast.Assignment("=", c_ast.ID(item.name, item.coord), item.init, item.coord)
            if (apart := _separated(first)) is not first:
                yield from (unset(item), apart)
                continue
        yield _statement(item)


def _statement(node: c_ast.Node) -> c_ast.Node:
    match node:
        case c_ast.Compound():
            return with_parts(node, block_items=list(_block(node.block_items or ())))
        case c_ast.If() | c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Label():
            return map_bodies(node, _statement)
        case c_ast.Assignment():
            return _separated(node)
    return node


def steps_apart(
    node: c_ast.Node, movable: Callable[[str], bool]
) -> tuple[list[c_ast.Node], c_ast.Node, list[c_ast.Node]]:
    """A statement without the steps of variables that it names nowhere else, ``p++``, ``--q``, ``r += 2``, where it
    makes them for certain; with what is to be done before it and behind it.

    Args:
        movable: whether no other name reaches the variable.
    """
    names = [n.name for n in variables(node)]
    before: list[c_ast.Node] = []
    behind: list[c_ast.Node] = []

    def visit(child: c_ast.Node) -> c_ast.Node:
        match child:
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
                if names.count(name) > 1 or not movable(name):
                    return child
                alone = c_ast.UnaryOp(f"p{child.op[-2:]}", child.expr, child.coord)
                (behind if child.op.startswith("p") else before).append(alone)
                return child.expr
            case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID(name=name), rvalue=c_ast.Constant()) if (
                child is not node and names.count(name) == 1 and movable(name)
            ):
                before.append(child)
                return child.lvalue
            case c_ast.BinaryOp(op="&&" | "||"):
                left = visit(child.left)
                return child if left is child.left else operation(child.op, left, child.right)
            case c_ast.TernaryOp():
                cond = visit(child.cond)
                return child if cond is child.cond else c_ast.TernaryOp(cond, child.iftrue, child.iffalse, child.coord)
            case c_ast.ExprList() if child is node:
                return child
            case c_ast.Typename():
                return child
        return map_children(child, visit)

    rest = node if isinstance(node, c_ast.UnaryOp) else visit(node)
    return before, rest, behind


def evaluated(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The parts of an expression that C evaluates in any case."""
    yield node
    for child in first_parts(node):
        yield from evaluated(child)


def _separated(node: c_ast.Assignment) -> c_ast.Node:
    steps = [n for n in walk_nodes(node) if isinstance(n, c_ast.UnaryOp) and stored_into(n) is not None]
    chain = (node, node.rvalue) if isinstance(node.rvalue, c_ast.Assignment) else (node,)
    others = (c_ast.ExprList, c_ast.FuncCall, c_ast.Assignment)
    if any(isinstance(n, others) for n in walk_nodes(node) if not any(n is each for each in chain)):
        return node
    if len(steps) != 1 or not any(n is steps[0] for n in evaluated(node)):
        return node
    (step,) = steps
    moved = [n.name for n in variables(step.expr)]
    plain = isinstance(step.expr, c_ast.ID | c_ast.ArrayRef) and [n.name for n in variables(node)].count(moved[0]) == 1
    if not plain or next(variables(node.lvalue)).name in moved[1:]:
        return node

    def without(child: c_ast.Node) -> c_ast.Node:
        return step.expr if child is step else map_children(child, without)

    rest, alone = without(node), c_ast.UnaryOp(f"p{step.op[-2:]}", step.expr, step.coord)
    return c_ast.Compound([rest, alone] if step.op.startswith("p") else [alone, rest], node.coord)
