"""Pointers that a condition chooses: what follows is written for either.

float *v = k == 0 ? q : r;               if (k == 0) {
v[i] = -v[i];                  ->            float *v = q;
                                             v[i] = -v[i];
                                         } else {
                                             float *v = r;
                                             v[i] = -v[i];
                                         }
"""

from __future__ import annotations

from typing import TypeAlias

from pycparser import c_ast

from polyloop.frontend.scopes import assigned_name, does_anything, kinds_in, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, map_children, statements_of, with_parts

_MOST_NODES = 400
"""Of what is written twice; each of several choices doubles what follows."""


def split_choices(items: Items, around: Surroundings) -> Items:
    """The statements behind every choice between pointers once for each of them."""
    if not any(isinstance(node, c_ast.TernaryOp | c_ast.PtrDecl) for item in items for node in walk_nodes(item)):
        return items
    pointers = {n.name for item in items for n in walk_nodes(item) if _is_pointer(n)}
    after = {n.name for item in around.found.after[0] for n in walk_nodes(item) if isinstance(n, c_ast.ID)}
    if any(isinstance(item, c_ast.Decl) and item.name in after for item in items):
        return tuple(_inside(item, pointers) for item in items)
    return tuple(_block(list(items), pointers))


def _is_pointer(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.PtrDecl)


def _inside(node: c_ast.Node, pointers: set[str | None]) -> c_ast.Node:
    if c_ast.Compound not in kinds_in(node):
        return node
    inner = map_children(node, lambda child: _inside(child, pointers))
    if not isinstance(inner, c_ast.Compound) or not inner.block_items:
        return inner
    return with_parts(inner, block_items=_block(inner.block_items, pointers, seen=True))


def _block(items: list[c_ast.Node], pointers: set[str | None], seen: bool = False) -> list[c_ast.Node]:
    """A block's statements, the first choice among them split; `seen`: those inside of them are already."""
    items = items if seen else [_inside(item, pointers) for item in items]
    for position, item in enumerate(items):
        choice = _choice(item, pointers)
        if choice is None:
            continue
        rest = items[position + 1 :]
        if sum(1 for other in rest for _ in walk_nodes(other)) > _MOST_NODES or _jumps_about(rest):
            return items
        condition, *sides = choice
        before = items[:position]
        names = {name for side in sides for n in side if (name := assigned_name(n)) is not None}
        declared = {n.name: n for n in before if isinstance(n, c_ast.Decl) and n.name in names and n.init is None}
        used = {n.name for other in before for n in walk_nodes(other) if isinstance(n, c_ast.ID)}
        declared = {name: n for name, n in declared.items() if name not in used}
        sides = [[_declared(n, declared) for n in side] for side in sides]
        branches = [c_ast.Compound(_block([*side, *rest], pointers, seen=True), item.coord) for side in sides]
        return [*(n for n in before if n not in declared.values()), c_ast.If(condition, *branches, item.coord)]
    return items


def _jumps_about(items: list[c_ast.Node]) -> bool:
    return any(isinstance(n, c_ast.Label | c_ast.Goto) for item in items for n in walk_nodes(item))


def _declared(node: c_ast.Node, declared: dict[str, c_ast.Decl]) -> c_ast.Node:
    """The assignment, as a declaration if it gives the variable its first value."""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ID(name=name)) if name in declared:
            return with_parts(declared[name], init=node.rvalue)
    return node


_Choice: TypeAlias = "tuple[c_ast.Node, list[c_ast.Node], list[c_ast.Node]]"


def _choice(node: c_ast.Node, pointers: set[str | None]) -> _Choice | None:
    """The condition of a choice between pointers that a statement makes, and the statements for either one."""
    match node:
        case c_ast.Decl(init=c_ast.TernaryOp() as value) if _is_pointer(node):
            sides = [[with_parts(node, init=side)] for side in (value.iftrue, value.iffalse)]
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.TernaryOp() as value):
            if name not in pointers:
                return None
            sides = [[with_parts(node, rvalue=side)] for side in (value.iftrue, value.iffalse)]
        case c_ast.If(iffalse=otherwise) if otherwise is not None:
            value, sides = node, [statements_of(branch) for branch in (node.iftrue, otherwise)]
            if not all(_only_sets(side, pointers) for side in sides) or _names(sides[0]) != _names(sides[1]):
                return None
        case _:
            return None
    if does_anything(value.cond):
        return None
    return value.cond, sides[0], sides[1]


def _only_sets(items: list[c_ast.Node], pointers: set[str | None]) -> bool:
    return bool(items) and all(
        isinstance(item, c_ast.Assignment)
        and item.op == "="
        and isinstance(item.lvalue, c_ast.ID)
        and item.lvalue.name in pointers
        for item in items
    )


def _names(items: list[c_ast.Node]) -> set[str]:
    return {item.lvalue.name for item in items}
