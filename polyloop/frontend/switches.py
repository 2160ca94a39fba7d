"""``switch`` as a row of ``if``.

switch (k) { case 1: case 2: S; break;  case 5: T; break;  default: U; }
->  if (k == 1 || k == 2) S; else if (k == 5) T; else U;
"""

from __future__ import annotations

from pycparser import c_ast

from polyloop.frontend.jumps import jumps_of
from polyloop.frontend.scopes import assigned_name, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, map_children, operation, statements_of


def ladders(items: Items, around: Surroundings) -> Items:
    """The statements with comparisons for every ``switch`` whose cases end with ``break``."""
    if not any(isinstance(node, c_ast.Switch) for item in items for node in walk_nodes(item)):
        return items
    return tuple(_visited(item) for item in items)


def _visited(node: c_ast.Node) -> c_ast.Node:
    node = map_children(node, _visited)
    return (_ladder(node) or node) if isinstance(node, c_ast.Switch) else node


def _ladder(node: c_ast.Switch) -> c_ast.Node | None:
    """The choice as a row of comparisons; None where a case goes on into the next one, or the value has an effect."""
    effects = any(assigned_name(inner) or isinstance(inner, c_ast.FuncCall) for inner in walk_nodes(node.cond))
    groups = None if effects else _groups(node)
    if groups is None:
        return None
    otherwise: c_ast.Node | None = None
    ladder: c_ast.Node | None = None
    for values, statements in groups:
        if None in values:
            otherwise = c_ast.Compound(statements, node.coord)
    ladder = otherwise
    for values, statements in reversed(groups):
        tests = [operation("==", node.cond, value) for value in values if value is not None]
        if None in values or not tests:
            continue
        condition = tests[0]
        for test in tests[1:]:
            condition = operation("||", condition, test)
        ladder = c_ast.If(condition, c_ast.Compound(statements, node.coord), ladder, node.coord)
    return ladder or c_ast.EmptyStatement(node.coord)


def _groups(node: c_ast.Switch) -> list[tuple[list[c_ast.Node | None], list[c_ast.Node]]] | None:
    """The values of every case, None for the default, with its statements."""
    groups: list[tuple[list[c_ast.Node | None], list[c_ast.Node]]] = []
    values: list[c_ast.Node | None] = []
    cases = statements_of(node.stmt)
    for number, case in enumerate(cases):
        if not isinstance(case, c_ast.Case | c_ast.Default):
            return None
        values.append(case.expr if isinstance(case, c_ast.Case) else None)
        statements = list(case.stmts or [])
        if len(statements) == 1 and isinstance(statements[0], c_ast.Compound):
            statements = list(statements[0].block_items or [])
        if not statements and number < len(cases) - 1:
            continue
        if statements and isinstance(statements[-1], c_ast.Break):
            statements.pop()
        elif number < len(cases) - 1:
            return None
        if any(isinstance(jump, c_ast.Break) for item in statements for jump in jumps_of(item)):
            return None
        groups.append((values, statements))
        values = []
    return groups
