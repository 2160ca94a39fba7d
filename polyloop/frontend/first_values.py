"""What pointers point to where a region begins, as far as the function says so."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pycparser import c_ast

from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import assigned_name, parameters_of, walk_nodes
from polyloop.frontend.syntax import variables

_ENTRIES = (c_ast.Label, c_ast.Case, c_ast.Default)


def first_value(name: str, found: Found, own: Collection[str], constant: bool) -> c_ast.Node | None:
    """The expression that a variable was set to before a region, which has the same value where the region begins; None
    if that is not plain to see.

    Args:
        name: one of `own`.
        own: variables that only the function's own assignments change.
        constant: nothing in the region sets it.
    """
    between: list[c_ast.Node] = []
    for statement in reversed(found.before[-1] if found.before else ()):
        value = _given(statement, name)
        if value is not None:
            return value if _lasts(value, between, between, found, own) else None
        inside = list(walk_nodes(statement))
        if any(isinstance(n, _ENTRIES) or _sets(n, name) for n in inside):
            return None
        between += inside
    return _only_value(name, found, own) if constant else None


def _only_value(name: str, found: Found, own: Collection[str]) -> c_ast.Node | None:
    """The value of a variable that is set once in all of the function."""
    nodes = list(walk_nodes(found.function.body))
    given = [value for node in nodes if (value := _given(node, name)) is not None]
    declared = [node for node in nodes if isinstance(node, c_ast.Decl) and node.name == name]
    if len(given) != 1 or sum(_sets(node, name) for node in nodes) + sum(d.init is not None for d in declared) != 1:
        return None
    inside = {id(n) for item in found.items for n in walk_nodes(item)}
    # The region may come more than once; its own stores are looked at where it is followed.
    return given[0] if _lasts(given[0], nodes, [n for n in nodes if id(n) not in inside], found, own) else None


def _lasts(
    value: c_ast.Node, setting: Sequence[c_ast.Node], storing: Sequence[c_ast.Node], found: Found, own: Collection[str]
) -> bool:
    """Whether nothing leaves an expression with another value: what may set its variables, and store what it loads."""
    nodes = list(walk_nodes(value))
    if any(isinstance(n, c_ast.FuncCall) or assigned_name(n) is not None for n in nodes):
        return False
    names = {n.name for n in variables(value)}
    declared = [n.name for n in (*walk_nodes(found.function.body), *parameters_of(found.function)) if _declares(n)]
    if any(name not in own or declared.count(name) != 1 or any(_sets(n, name) for n in setting) for name in names):
        return False
    loads = any(isinstance(n, c_ast.ArrayRef | c_ast.StructRef | c_ast.UnaryOp) for n in nodes)
    return not (loads and any(map(_may_store, storing)))


def _declares(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl)


def _given(node: c_ast.Node, name: str) -> c_ast.Node | None:
    match node:
        case c_ast.Decl(name=declared, init=value) if declared == name and not {"static", "extern"} & set(node.storage):
            return None if isinstance(value, c_ast.InitList) else value
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value) if target == name:
            return value
    return None


def _sets(node: c_ast.Node, name: str) -> bool:
    assigned = assigned_name(node)
    return assigned is not None and assigned[0] == name


def _may_store(node: c_ast.Node) -> bool:
    """Whether it may change memory that is no variable of the function's own."""
    if isinstance(node, c_ast.FuncCall):
        return True
    changed = getattr(node, "lvalue", None)
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        changed = node.expr
    return changed is not None and not isinstance(changed, c_ast.ID)
