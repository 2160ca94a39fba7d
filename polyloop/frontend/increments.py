"""Counters that statements move on their way: ``a[m++] = b[i];`` becomes ``{ a[m] = b[i]; m++; }``.

Only where the statement uses the counter, or the array that it stands in, nowhere else and moves it whatever its values
are: then it makes no difference when it moves. Emitted code tests that arrays do not overlap. What has a closed form
has been replaced before (`polyloop.frontend.scalars`).
"""

from __future__ import annotations

from pycparser import c_ast

from polyloop.frontend.scopes import walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, map_children, variables

_STEPS = ("++", "--", "p++", "p--")


def separate_increments(items: Items, around: Surroundings) -> Items:
    """The statements with such steps behind them, or in front where C takes the new value."""
    found = tuple(map(_statement, items))
    return items if all(new is old for new, old in zip(found, items, strict=True)) else found


def _statement(node: c_ast.Node) -> c_ast.Node:
    match node:
        case c_ast.Compound() | c_ast.If() | c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Label():
            headers = [getattr(node, name, None) for name in ("cond", "init", "next")]
            return map_children(node, lambda child: child if any(child is h for h in headers) else _statement(child))
        case c_ast.Assignment():
            return _separated(node)
    return node


def _separated(node: c_ast.Assignment) -> c_ast.Node:
    steps = [n for n in walk_nodes(node) if isinstance(n, c_ast.UnaryOp) and n.op in _STEPS]
    lazy = (c_ast.TernaryOp, c_ast.ExprList, c_ast.FuncCall, c_ast.Assignment)
    inside = [n for n in walk_nodes(node) if n is not node]
    if len(steps) != 1 or any(isinstance(n, lazy) for n in inside):
        return node
    if any(isinstance(n, c_ast.BinaryOp) and n.op in ("&&", "||") for n in inside):
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
