"""Pointers that a condition chooses: what follows is written for either; where data choose one that is only read
through, and in no loop, what it leads to is chosen at every place.

float *v = k == 0 ? q : r;               if (k == 0) {
v[i] = -v[i];                  ->            float *v = q;
                                             v[i] = -v[i];
                                         } else {
                                             float *v = r;
                                             v[i] = -v[i];
                                         }

const double *w = s >= 0 ? l : r;        int chosen = s >= 0 ? 1 : 0;
f[0] = w[0] * w[1];               ->     f[0] = (chosen ? l[0] : r[0]) * (chosen ? l[1] : r[1]);
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import I32
from polyloop.frontend.scopes import (
    assigned_name,
    children,
    does_anything,
    is_element,
    stored_into,
    walk_nodes,
)
from polyloop.frontend.searches import fresh_variable
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    declaration,
    map_blocks,
    map_children,
    number,
    statements_of,
    variables,
    with_parts,
)

_MOST_NODES = 400
"""Of what is written twice; each of several choices doubles what follows."""


def split_choices(items: Items, around: Surroundings) -> Items:
    """The statements behind every choice between pointers once for each of them."""
    if not any(isinstance(node, c_ast.TernaryOp | c_ast.PtrDecl) for item in items for node in walk_nodes(item)):
        return items
    values = _Values(around)
    items = tuple(values.block([map_blocks(item, values.block) for item in items]))
    pointers = {n.name for item in items for n in walk_nodes(item) if _is_pointer(n)}
    after = {n.name for item in around.found.after[0] for n in walk_nodes(item) if isinstance(n, c_ast.ID)}
    inside = [map_blocks(item, partial(_block, pointers=pointers)) for item in items]
    if any(isinstance(item, c_ast.Decl) and item.name in after for item in items):
        return tuple(inside)
    return tuple(_block(inside, pointers))


def _is_pointer(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.PtrDecl)


def _block(items: list[c_ast.Node], pointers: set[str | None]) -> list[c_ast.Node]:
    """A block's statements, the first choice among them split; those inside of them are already."""
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
        branches = [c_ast.Compound(_block([*side, *rest], pointers), item.coord) for side in sides]
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


@dataclass
class _Values:
    """Chooses values where data choose a pointer that is only read through."""

    around: Surroundings
    taken: set[str] = field(default_factory=set)

    def block(self, items: list[c_ast.Node]) -> list[c_ast.Node]:
        for position, item in enumerate(items):
            rest = items[position + 1 :]
            if not isinstance(item, c_ast.Decl) or not _is_pointer(item) or not isinstance(item.init, c_ast.TernaryOp):
                continue
            value = item.init
            if not self._is_of_data(value.cond, items) or not _is_only_read(item.name, rest):
                continue
            sides = (value.iftrue, value.iffalse)
            names = {side.name for side in sides if isinstance(side, c_ast.ID)}
            if len(names) != len(sides) or any(_sets(names, node) for other in rest for node in walk_nodes(other)):
                continue
            chosen = c_ast.ID(fresh_variable("chosen", self.around, self.taken), item.coord)
            truth = c_ast.TernaryOp(value.cond, number(1, item), number(0, item), item.coord)
            flag = declaration(chosen.name, I32, truth, item)
            return [*items[:position], flag, *self.block([_chosen(o, item.name, chosen, sides) for o in rest])]
        return items

    def _is_of_data(self, condition: c_ast.Node, items: list[c_ast.Node]) -> bool:
        """Does it compare floats, or what memory holds, and nothing else?"""
        if does_anything(condition):
            return False
        declared = {n.name: n for item in items for n in walk_nodes(item) if isinstance(n, c_ast.Decl)}
        for node in walk_nodes(condition):
            if is_element(node) or isinstance(node, c_ast.StructRef):
                return True
            if isinstance(node, c_ast.ID):
                found, scope = declared.get(node.name), self.around.scope
                symbol = scope.lookup(node.name)
                type_ = self.around.declarations.resolve(found.type, scope) if found is not None else None
                type_ = type_ if type_ is not None or symbol is None else symbol.type
                if isinstance(type_, Arithmetic) and type_.scalar.is_float:
                    return True
        return False


def _is_only_read(name: str, items: list[c_ast.Node]) -> bool:
    """Do statements nothing with a pointer but read elements that it leads to, outside of loops?"""

    def only_read(node: c_ast.Node) -> bool:
        target = stored_into(node)
        if (target is not None and _leads(target, name)) or (
            isinstance(node, c_ast.UnaryOp) and node.op in ("&", "sizeof")
        ):
            return not any(n.name == name for n in variables(node))
        if _leads(node, name):
            return not isinstance(node, c_ast.ArrayRef) or only_read(node.subscript)
        if isinstance(node, c_ast.ID):
            return bool(node.name != name)
        return all(only_read(child) for child in children(node))

    nodes = [node for item in items for node in walk_nodes(item)]
    if any(isinstance(n, c_ast.Decl) and n.name == name for n in nodes):
        return False
    # What loops read is chosen once before them: either one has lanes of its own.
    loops = (n for n in nodes if isinstance(n, c_ast.For | c_ast.While | c_ast.DoWhile))
    return all(map(only_read, items)) and not any(v.name == name for loop in loops for v in variables(loop))


def _leads(node: c_ast.Node, name: str) -> bool:
    """``w[k]`` or ``*w``."""
    match node:
        case c_ast.ArrayRef(name=c_ast.ID(name=base)) | c_ast.UnaryOp(op="*", expr=c_ast.ID(name=base)):
            return bool(base == name)
    return False


def _sets(names: set[str], node: c_ast.Node) -> bool:
    """Does a node give one of some variables another value, or declare another one of its name?"""
    target = stored_into(node)
    changes = isinstance(target, c_ast.ID) and target.name in names
    return changes or (isinstance(node, c_ast.Decl) and node.name in names)


def _chosen(node: c_ast.Node, name: str, chosen: c_ast.ID, sides: tuple[c_ast.Node, c_ast.Node]) -> c_ast.Node:
    """With the values that one of two pointers leads to where a third one was read through."""
    inner = map_children(node, lambda child: _chosen(child, name, chosen, sides))
    if not _leads(node, name):
        return inner
    parts = ("name",) if isinstance(inner, c_ast.ArrayRef) else ("expr",)
    values = [with_parts(inner, **dict.fromkeys(parts, side)) for side in sides]
    return c_ast.TernaryOp(chosen, *values, node.coord)


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
