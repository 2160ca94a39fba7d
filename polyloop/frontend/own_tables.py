"""Constants that blocks inside of a region declare ``static``: they are there before it, as if the function had them.

    for (i = 0; i < n; i++) {                          double weights[3];
        static const double weights[] = {1, 2, 1};     weights[0] = 1; weights[1] = 2; weights[2] = 1;
        for (k = 0; k < 3; k++)                 ->     for (i = 0; i < n; i++)
            y[i] += weights[k] * x[i + k];                 for (k = 0; k < 3; k++)
    }                                                          y[i] += weights[k] * x[i + k];

In between, loops over tables of integers are written out (`polyloop.frontend.tables`), which may leave nothing of them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType
from polyloop.frontend.scopes import Refusal, assigned_name, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, c_text, map_children, number, unset, variables, with_parts
from polyloop.frontend.tables import escapes, extent_of, part_of

_MOST_NUMBERS = 64
"""Of a table: each becomes a statement."""


def lift_tables(items: Items, around: Surroundings) -> Items:
    """The statements without such declarations of tables, which become names of the region's surroundings; of numbers,
    as plain constants."""
    static = [n for item in items for n in walk_nodes(item) if isinstance(n, c_ast.Decl) and "static" in n.storage]
    for node in static:
        table = _as_array(node, items)
        others = [n for item in items for n in walk_nodes(item) if isinstance(n, c_ast.Decl) and n.name == node.name]
        alone = around.scope.lookup(node.name) is None and len({c_text(other) for other in others}) == 1
        type_ = around.declarations.resolve(table.type, around.scope)
        if alone and "const" in node.quals and _is_of_numbers(type_) and table.init is not None:
            around.declarations.declare(table, around.scope, "local")
            around.tables[node.name] = table

    def visit(node: c_ast.Node) -> c_ast.Node:
        if not isinstance(node, c_ast.Decl) or "static" not in node.storage:
            return map_children(node, visit)
        if node.name in around.tables:
            return c_ast.EmptyStatement(node.coord)
        if "const" in node.quals and isinstance(around.declarations.resolve(node.type, around.scope), Arithmetic):
            node = copy.copy(node)
            node.storage = [word for word in node.storage if word != "static"]
        return node

    return tuple(map(visit, items)) if static else items


def fill_tables(items: Items, around: Surroundings) -> Items:
    """The statements behind others that make the tables which they still name.

    Raises:
        Refusal: where one is too large for that.
    """
    named = {node.name for item in items for node in variables(item)}
    first: list[c_ast.Node] = []
    for name, table in around.tables.items():
        symbol = around.scope.names.pop(name, None)
        if name not in named or symbol is None:
            continue
        numbers = list(_numbers(c_ast.ID(name, table.coord), symbol.type, symbol.initial, around))
        if not 0 < len(numbers) <= _MOST_NUMBERS or any(value is None for value in numbers):
            raise Refusal("declaration", f"the table {name} is declared inside the region; declare it before", table)
        assert isinstance(symbol.type, ArrayOf)
        count = extent_of(symbol.type, symbol.initial, around)
        assert count is not None
        made = unset(table)
        made.storage, made.type = [], with_parts(table.type, dim=number(count, table))
        first += [made, *(value for value in numbers if value is not None)]
    return (*first, *items)


def _as_array(node: c_ast.Decl, items: Items) -> c_ast.Decl:
    """The declaration, of a pointer to a string that nothing moves as one of the string."""
    is_string = isinstance(node.init, c_ast.Constant) and node.init.type == "string"
    if not isinstance(node.type, c_ast.PtrDecl) or not is_string:
        return node
    if any((assigned_name(n) or ("",))[0] == node.name for item in items for n in walk_nodes(item)):
        return node
    if any(escapes(node.name, item) for item in items):
        return node
    array = copy.copy(node)
    array.type = c_ast.ArrayDecl(node.type.type, None, [], node.type.coord)
    return array


def _is_of_numbers(type_: CType) -> bool:
    """Is it an array of numbers, or one of these?"""
    while isinstance(type_, ArrayOf):
        type_ = type_.element
        if isinstance(type_, Arithmetic):
            return not type_.volatile and not type_.boolean
    return False


def _numbers(
    target: c_ast.Node, type_: CType, initial: c_ast.Node | None, around: Surroundings
) -> Iterator[c_ast.Node | None]:
    """An assignment for each number of a table; None where it is not plain to see what it is."""
    if not isinstance(type_, ArrayOf):
        yield c_ast.Assignment("=", target, number(0, target) if initial is None else initial, target.coord)
        return
    count = extent_of(type_, initial, around)
    if count is None:
        yield None
        return
    for at in range(min(count, _MOST_NUMBERS + 1)):
        part = part_of(initial, at)
        if part is None or (isinstance(type_.element, ArrayOf) and not isinstance(part[0], c_ast.InitList | None)):
            yield None
            return
        yield from _numbers(c_ast.ArrayRef(target, number(at, target), target.coord), type_.element, part[0], around)
