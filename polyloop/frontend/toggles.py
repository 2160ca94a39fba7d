"""Numbers of two buffers that take turns, in the one form of which the closed form is known: ``now = 1 - now``.

``now = !now``, ``now ^= 1`` and ``now = (now + 1) % 2`` do the same where it only ever is 0 or 1; and ``u[!now]`` is
``u[1 - now]`` there.
"""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.frontend.scopes import Symbol, assigned_name, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, map_children, number, operation


def plain_toggles(items: Items, around: Surroundings) -> Items:
    """The statements with ``1 - v`` for all ways to say the other one of 0 and 1."""
    nodes = list(walk_nodes(around.found.function.body))
    names = {name for item in items for node in walk_nodes(item) if (name := _toggled(node)) is not None}
    found = {name for name in names if _is_bit(name, nodes, around)}
    if not found:
        return items

    def visit(node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.Assignment) and node.op == "^=" and _toggled(node) in found:
            return c_ast.Assignment("=", node.lvalue, _other(node.lvalue, node), node.coord)
        variable = _opposite(node)
        if variable is not None and variable.name in found:
            return _other(variable, node)
        return map_children(node, visit)

    return tuple(map(visit, items))


def _other(variable: c_ast.ID, place: c_ast.Node) -> c_ast.Node:
    return operation("-", number(1, place), variable)


def _toggled(node: c_ast.Node) -> str | None:
    """The variable that a node sets to the other one of 0 and 1, if it is one of them."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=str() as name), rvalue=value):
            variable = _opposite(value)
            return name if variable is not None and variable.name == name else None
        case c_ast.Assignment(op="^=", lvalue=c_ast.ID(name=str() as name), rvalue=value) if _is(value, 1):
            return name
    return None


def _opposite(node: c_ast.Node) -> c_ast.ID | None:
    """The variable of which an expression is the other value."""
    match node:
        case c_ast.UnaryOp(op="!", expr=c_ast.ID() as variable):
            return variable
        case c_ast.BinaryOp(op="-", left=one, right=c_ast.ID() as variable) if _is(one, 1):
            return variable
        case c_ast.BinaryOp(op="^", left=left, right=right):
            sides = [(left, right), (right, left)]
            return next((a for a, b in sides if isinstance(a, c_ast.ID) and _is(b, 1)), None)
        case c_ast.BinaryOp(op="%" | "&" as operator, left=c_ast.BinaryOp(op="+", left=left, right=right), right=last):
            sides = [(left, right), (right, left)]
            next_ = next((a for a, b in sides if isinstance(a, c_ast.ID) and _is(b, 1)), None)
            return next_ if _is(last, 2 if operator == "%" else 1) else None
        case c_ast.TernaryOp(cond=c_ast.ID() as variable, iftrue=then, iffalse=otherwise):
            return variable if _is(then, 0) and _is(otherwise, 1) else None
    return None


def _is_bit(name: str, nodes: Iterable[c_ast.Node], around: Surroundings) -> bool:
    """Whether a variable of the function's own never is anything but 0 or 1."""
    symbol: Symbol | None = around.scope.lookup(name)
    taken = around.declarations.names_of(around.found.function).address_taken
    if symbol is None or symbol.kind != "local" or symbol.static or name in taken:
        return False
    if not isinstance(symbol.type, Arithmetic) or symbol.type.scalar.is_float or symbol.type.volatile:
        return False
    for node in nodes:
        match node:
            case c_ast.Decl(name=declared, init=value) if declared == name and value is not None:
                fits = _is(value, 0) or _is(value, 1)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value) if target == name:
                fits = _is(value, 0) or _is(value, 1) or _toggled(node) == name
            case _:
                fits = assigned_name(node) != name or _toggled(node) == name
        if not fits:
            return False
    return True


def _is(node: c_ast.Node, value: int) -> bool:
    return isinstance(node, c_ast.Constant) and node.type.endswith("int") and node.value.rstrip("uUlL") == str(value)
