"""Pointers of the function's own that every iteration of a loop sets anew, as C of all times declares them: at its top.

    float *row;                                  for (i = 0; i < n; i++) {
    for (i = 0; i < n; i++) {                        float *row = a[i];
        row = a[i];                      ->          for (j = 0; j < m; j++)
        for (j = 0; j < m; j++)                          row[j] = 0;
            row[j] = 0;                          }
    }

A pointer that nothing reads behind the region, and of which every use stands in a block behind a statement that sets
it, has one value for each time that the block is entered: it might as well be declared there.
"""

from __future__ import annotations

from collections import Counter

from pycparser import c_ast

from polyloop.arithmetic import Pointer
from polyloop.frontend.expression_types import variable_type
from polyloop.frontend.regions import exposed_read, flat, names_at
from polyloop.frontend.scopes import changed_names, declared_names, parameters_of, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, map_children, mentions, unset

_JUMPS = (c_ast.Goto, c_ast.Label, c_ast.Switch)
"""With these, what stands first in a block need not come first."""


def declare_own_pointers(items: Items, around: Surroundings) -> Items:
    """The statements with declarations where such pointers are set inside of loops or branches."""
    if any(isinstance(n, _JUMPS) for item in items for n in walk_nodes(item)):
        return items
    for name, node in sorted((_outside(items, around) | _unset(items, around)).items()):
        changed = [_inside(item, name, node) for item in items if item is not node]
        if all(item is not None for item in changed):
            items = tuple(item for item in changed if item is not None)
    return items


def _outside(items: Items, around: Surroundings) -> dict[str, c_ast.Decl]:
    """The declarations of pointers that come from outside of the region, are set in it, and are not read behind it."""
    found = around.found
    inside = declared_names(items)
    taken = names_at(found, around.declarations).address_taken
    result: dict[str, c_ast.Decl] = {}
    for name in changed_names(items) - inside - taken.keys():
        symbol = around.scope.lookup(name)
        if symbol is None or not symbol.automatic:
            continue
        if isinstance(variable_type(symbol), Pointer) and exposed_read(name, found) is None:
            blocks = (*reversed(found.before), parameters_of(found.function))
            nodes = (node for block in blocks for node in flat(block))
            node = next((n for n in nodes if isinstance(n, c_ast.Decl) and n.name == name), None)
            if node is not None and isinstance(node.type, c_ast.PtrDecl | c_ast.TypeDecl):
                result[name] = node
    return result


def _unset(items: Items, around: Surroundings) -> dict[str, c_ast.Decl]:
    """Those of pointers that the region's own top level declares without a value, and nothing reads behind it."""
    declared = Counter(n.name for item in items for n in walk_nodes(item) if isinstance(n, c_ast.Decl))

    def is_alone(node: c_ast.Decl) -> bool:
        """Nothing else has its name; where the region was read as it stands, the declaration is known already."""
        known = around.scope.lookup(node.name)
        return declared[node.name] == 1 and (known is None or known.index == around.declarations.index(node))

    return {
        node.name: node
        for node in items
        if isinstance(node, c_ast.Decl) and node.init is None and not node.storage and is_alone(node)
        if exposed_read(node.name, around.found) is None
        if isinstance(around.declarations.resolve(node.type, around.scope), Pointer)
        if node.name not in names_at(around.found, around.declarations).address_taken
    }


def _inside(node: c_ast.Node, name: str, declared: c_ast.Decl) -> c_ast.Node | None:
    """The statement with declarations in its blocks for all that it does with a pointer; None where some other value
    may get to a use."""
    if not mentions(node, name):
        return node
    parts: list[c_ast.Node | None] = []
    match node:
        case c_ast.Compound():
            return _block(node, name, declared)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            headers, parts = [node.cond, getattr(node, "init", None), getattr(node, "next", None)], [node.stmt]
        case c_ast.If():
            headers, parts = [node.cond], [node.iftrue, node.iffalse]
        case _:
            return None
    if any(mentions(header, name) for header in headers):
        return None
    new = {id(part): _inside(part, name, declared) for part in parts if part is not None}
    if any(part is None for part in new.values()):
        return None
    return map_children(node, lambda child: new.get(id(child)) or child)


def _block(node: c_ast.Compound, name: str, declared: c_ast.Decl) -> c_ast.Node | None:
    items = list(node.block_items)
    at = next(k for k, item in enumerate(items) if mentions(item, name))
    match items[at]:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value) if target == name:
            if mentions(value, name):
                return None
            first = unset(declared)
            first.storage, first.init, first.coord = [], value, items[at].coord
            return c_ast.Compound([*items[:at], first, *items[at + 1 :]], node.coord)
    inner = [_inside(item, name, declared) for item in items]
    return None if None in inner else c_ast.Compound(inner, node.coord)
