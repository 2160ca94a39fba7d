"""Constants that blocks inside of a region declare ``static``: they are there before it, as variables of its own.

for (i = 0; i < n; i++) {                          double weights[] = {1, 2, 1};
    static const double weights[] = {1, 2, 1};     for (i = 0; i < n; i++)
    for (k = 0; k < 3; k++)                 ->         for (k = 0; k < 3; k++)
        y[i] += weights[k] * x[i + k];                     y[i] += weights[k] * x[i + k];
}
"""

from __future__ import annotations

import copy

from pycparser import c_ast

from polyloop.frontend.function_bodies import automatic, fixed_statics, without_statics
from polyloop.frontend.scopes import assigned_name, children, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings
from polyloop.frontend.tables import characters, escapes


def lift_statics(items: Items, around: Surroundings) -> Items:
    """The statements behind declarations of the static variables in them that keep their first values."""
    nodes = [node for item in items for node in walk_nodes(item)]
    static = [node for node in nodes if isinstance(node, c_ast.Decl) and "static" in node.storage]
    if not static:
        return items
    body = around.found.function.body
    fixed = {id(node) for node in fixed_statics(body)}
    lifted: dict[str, c_ast.Node] = {}
    for node in static:
        made = node if id(node) in fixed else _as_array(node, body)
        if made is not None and around.scope.lookup(node.name) is None:
            lifted[node.name] = automatic(made, node.name, node)
    return (*lifted.values(), *(without_statics(item, lifted) for item in items if item not in static))


def _as_array(node: c_ast.Decl, body: c_ast.Node) -> c_ast.Decl | None:
    """A pointer to a string that nothing moves as the string; None for others."""
    is_string = isinstance(node.init, c_ast.Constant) and node.init.type == "string"
    if not isinstance(node.type, c_ast.PtrDecl) or not is_string or "const" not in node.quals:
        return None
    declared = [n for n in walk_nodes(body) if isinstance(n, c_ast.Decl) and n.name == node.name]
    if len(declared) > 1 or any(assigned_name(n) == node.name for n in walk_nodes(body)):
        return None
    if any(escapes(node.name, child) for child in children(body)):
        return None
    array = copy.copy(node)
    array.type = c_ast.ArrayDecl(node.type.type, None, [], node.type.coord)
    values = ["\\'" if written == "'" else written for written in characters(node.init) or ()]
    array.init = c_ast.InitList([c_ast.Constant("char", f"'{value}'") for value in (*values, "\\0")], node.init.coord)
    return array if values else None
