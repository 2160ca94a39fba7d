"""Assignments inside of expressions, before a comma as f2c writes them, or of a loop's first values: on their own.

    if ((d1 = v[j], fabs(d1)) > 1 && (d2 = w[j], fabs(d2)) > 1) S;          for (i = k = 0; i < n; i++) S;

    { d1 = v[j]; if (fabs(d1) > 1) { d2 = w[j]; if (fabs(d2) > 1) S; } }    for (k = 0, i = 0; i < n; i++) S;

    if ((m = x[i]) > best) best = m;        { m = x[i]; if (m > best) best = m; }
    if (++s->p == n) s->p = 0;              { s->p += 1; if (s->p == n) s->p = 0; }
    if (k++ == n) S;                        { k += 1; if (k - 1 == n) S; }
    for (i = n; i > 0 && i--;) S;           for (i = n; i > 0;) { i--; S; }

Only what C evaluates in any case, and where the expression has no other side effects: C leaves the order open then, or
gives a value that is used elsewhere in it no meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, Pointer
from polyloop.frontend.expression_types import type_of, variable_type
from polyloop.frontend.flow import read_behind
from polyloop.frontend.predicates import conjuncts
from polyloop.frontend.scopes import Scope, assigned_name, children, stored_into, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    is_zero,
    map_bodies,
    map_children,
    number,
    operation,
    statements_of,
    variables,
    with_parts,
)
from polyloop.frontend.values import has_effects


def without_commas(items: Items, around: Surroundings) -> Items:
    """The statements with such assignments in front of them."""
    if not any(
        isinstance(n, c_ast.ExprList | c_ast.For | c_ast.While | c_ast.If | c_ast.Assignment)
        for item in items
        for n in walk_nodes(item)
    ):
        return items
    return tuple(_statement(item, around) for item in items)


def _statement(node: c_ast.Node, around: Surroundings) -> c_ast.Node:
    scope = around.scope
    match node:
        case c_ast.For(init=c_ast.Assignment(op="=", rvalue=c_ast.Assignment())) if _chain(node.init):
            return _statement(with_parts(node, init=c_ast.ExprList(_chain(node.init), node.init.coord)), around)
        case c_ast.For() | c_ast.While() if (counting := _counting_down(node, around)) is not None:
            return _statement(counting, around)
        case c_ast.Compound():
            items = [new for item in node.block_items or () for new in _declared(item, around)]
            return map_bodies(with_parts(node, block_items=items), lambda child: _statement(child, around))
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Label() | c_ast.Switch():
            return map_bodies(node, lambda child: _statement(child, around))
        case c_ast.If():
            return _choice(node, around)
        case c_ast.Assignment(op="=", rvalue=c_ast.Assignment()) if _sets_pointers(node, scope) and _chain(node):
            return c_ast.Compound(_chain(node), node.coord)
        case c_ast.Assignment(lvalue=target, rvalue=value) if not (
            isinstance(value, c_ast.Assignment) or _changes(target, scope)
        ):
            first, rest = _split(value, around)
            return _block(first, c_ast.Assignment(node.op, target, rest, node.coord)) if first else node
        case c_ast.Return(expr=c_ast.Assignment(lvalue=target) as value) if _is_plain(target):  # of a body put in
            return _block([value], c_ast.Return(target, node.coord))
        case c_ast.Return(expr=value) if value is not None:
            first, rest = _split(value, around)
            return _block(first, c_ast.Return(rest, node.coord)) if first else node
        case c_ast.ExprList(exprs=[*first, last]):
            parts = [_statement(part, around) for part in (*first, last)]
            return node if parts == node.exprs else c_ast.Compound(parts, node.coord)
    return node


def _declared(node: c_ast.Node, around: Surroundings) -> list[c_ast.Node]:
    """``int v = (u.f = x, u.i);`` with what stands before the comma in front of it."""
    if not isinstance(node, c_ast.Decl) or node.init is None or isinstance(node.init, c_ast.InitList):
        return [node]
    first, rest = _split(node.init, around)
    return [*first, with_parts(node, init=rest)]


def _counting_down(node: c_ast.For | c_ast.While, around: Surroundings) -> c_ast.Node | None:
    """The loop of ``i > 0 && i--``, whose second part holds where C gets to it, with that in front of its body; of
    ``i > k && i--``, too, where nothing asks whether an i of 0 has become -1."""
    match node.cond:
        case c_ast.BinaryOp(op="&&", left=left, right=c_ast.UnaryOp(op="p--", expr=c_ast.ID(name=name)) as step):
            test = left
            if _changes(left, around.scope):
                return None
            if not any(_is_not_zero(part, name) for part in conjuncts(left)):
                if read_behind(name, around.found.function, node) is not None:
                    return None
                test = operation("&&", left, operation("!=", step.expr, number(0, step)))
            body = c_ast.Compound([step, *statements_of(node.stmt)], node.stmt.coord)
            return with_parts(node, cond=test, stmt=body)
    return None


def _is_not_zero(condition: c_ast.Node, name: str) -> bool:
    match condition:
        case c_ast.ID():
            return bool(condition.name == name)
        case c_ast.BinaryOp(op=">" | "!=", left=c_ast.ID() as left, right=right):
            return bool(left.name == name) and is_zero(right)
    return False


def _chain(node: c_ast.Assignment) -> list[c_ast.Node]:
    """``i = k = 0`` as one assignment after the other; none where they are not plain."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.Assignment() as inner):
            first = _chain(inner)
            value = first[-1].rvalue if first and isinstance(first[-1].rvalue, c_ast.Constant) else inner.lvalue
            return [*first, c_ast.Assignment("=", node.lvalue, value, node.coord)] if first else []
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=value):
            small = isinstance(value, c_ast.Constant) and value.value in _IN_ALL_TYPES
            return [node] if small or not isinstance(value, c_ast.Constant) else []
    return []


def _sets_pointers(node: c_ast.Assignment, scope: Scope) -> bool:
    """Whether the first of several assignments in a row is to a pointer; numbers are read so anyway."""
    symbol = scope.lookup(node.lvalue.name) if isinstance(node.lvalue, c_ast.ID) else None
    return symbol is not None and isinstance(variable_type(symbol), Pointer)


_IN_ALL_TYPES = ("0", "1")
"""What is the same in every type of number, so that it needs no variable to have passed through."""


def _choice(node: c_ast.If, around: Surroundings) -> c_ast.Node:
    then, otherwise = (None if b is None else _statement(b, around) for b in (node.iftrue, node.iffalse))
    return _chosen(node, node.cond, then, otherwise, around)


def _chosen(
    node: c_ast.If, condition: c_ast.Node, then: c_ast.Node, otherwise: c_ast.Node | None, around: Surroundings
) -> c_ast.Node:
    """An ``if`` with this condition, whose branches have been looked at."""
    match condition:
        case c_ast.BinaryOp(op="&&", left=left, right=right) if (
            otherwise is None and _split(right, around, behind=True)[0]
        ):
            return _chosen(node, left, _chosen(node, right, then, None, around), None, around)
    first, rest = _split(condition, around, behind=True)
    return _block(first, with_parts(node, cond=rest, iftrue=then, iffalse=otherwise))


def _block(first: list[c_ast.Node], last: c_ast.Node) -> c_ast.Node:
    return c_ast.Compound([*first, last], last.coord) if first else last


def _split(value: c_ast.Node, around: Surroundings, behind: bool = False) -> tuple[list[c_ast.Node], c_ast.Node]:
    """The assignments of an expression, and what it is without them; none, where not all can be taken out.

    Args:
        behind: steps that are made behind the value are taken out, too.
    """
    if not any(isinstance(n, c_ast.ExprList) or stored_into(n) is not None for n in walk_nodes(value)):
        return [], value
    scope = around.scope
    given, value = value, _stepped(value, around, behind)
    found = list(_commas(value))
    if not found:
        return [], given
    commas = [node for node in found if isinstance(node, c_ast.ExprList)]
    assigned = [node for node in found if isinstance(node, c_ast.Assignment)]
    first = [part for node in found for part in (node.exprs[:-1] if isinstance(node, c_ast.ExprList) else [node])]
    targets = list(filter(None, map(assigned_name, first)))
    if len(set(targets)) < len(targets) or not all(isinstance(part, c_ast.Assignment) for part in first):
        return [], given
    inside: dict[int, c_ast.Node] = {id(comma): comma.exprs[-1] for comma in commas}
    inside |= {id(node): node.lvalue for node in assigned}

    def without(node: c_ast.Node) -> c_ast.Node:
        return without(inside[id(node)]) if id(node) in inside else map_children(node, without)

    rest = without(value)
    if _changes(rest, scope) or any(_changes(part.rvalue, scope) for part in first):
        return [], given
    others = [variable.name for variable in _at_once(rest)]
    for node in assigned:
        beside = (variable for part in first if part is not node for variable in variables(part.rvalue))
        if not _is_plain(node.lvalue) or (
            isinstance(node.lvalue, c_ast.ID)
            and (others.count(node.lvalue.name) > 1 or node.lvalue.name in (v.name for v in beside))
        ):
            return [], given
    return first, rest


def _stepped(node: c_ast.Node, around: Surroundings, behind: bool) -> c_ast.Node:
    """The expression with steps of numbers as assignments: ``++p`` is ``p += 1``, and ``p++`` one less. Pointers that
    move on their way are read as they are."""
    match node:
        case c_ast.UnaryOp(op="*"):
            return node
        case c_ast.UnaryOp(op="++" | "--", expr=variable) if _is_number(variable, around):
            return c_ast.Assignment(f"{node.op[0]}=", variable, number(1, node), node.coord)
        case c_ast.UnaryOp(op="p++" | "p--", expr=variable) if behind and _is_number(variable, around, least=32):
            step = c_ast.Assignment(f"{node.op[1]}=", variable, number(1, node), node.coord)
            return operation("-" if node.op == "p++" else "+", step, number(1, node))
    return map_children(node, lambda child: _stepped(child, around, behind))


def _is_number(node: c_ast.Node, around: Surroundings, least: int = 0) -> bool:
    """Is a place in memory a number of at least so many bits, or a variable that the region may declare to be one?"""
    if isinstance(node, c_ast.ID) and around.scope.lookup(node.name) is None:
        return not least
    type_ = type_of(node, around.scope, around.declarations) if _is_plain(node) else None
    return isinstance(type_, Arithmetic) and type_.scalar.bits >= least


def _commas(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """Those that C evaluates whatever values it finds, and assignments; not those between the arguments of calls."""
    match node:
        case c_ast.ExprList():
            yield node
            yield from _commas(node.exprs[-1])
        case c_ast.Assignment():
            yield node
        case c_ast.FuncCall(args=c_ast.ExprList(exprs=arguments)):
            for argument in arguments:
                yield from _commas(argument)
        case c_ast.FuncCall() | c_ast.Typename():
            return
        case _:
            for child in _first_parts(node):
                yield from _commas(child)


def _first_parts(node: c_ast.Node) -> list[c_ast.Node]:
    """What C evaluates of an expression in any case, and in no order."""
    match node:
        case c_ast.BinaryOp(op="&&" | "||"):
            return [node.left]
        case c_ast.TernaryOp():
            return [node.cond]
    return children(node)


def _at_once(node: c_ast.Node) -> Iterator[c_ast.ID]:
    """The variables that C reads in any case, and in no order."""
    match node:
        case c_ast.ID():
            yield node
        case c_ast.StructRef():
            yield from _at_once(node.name)
        case _:
            for child in _first_parts(node):
                yield from _at_once(child)


def _is_plain(target: c_ast.Node) -> bool:
    """Does it name the same place when it has been written to?"""
    match target:
        case c_ast.ID():
            return True
        case c_ast.StructRef(name=inner):
            return _is_plain(inner)
        case c_ast.UnaryOp(op="*", expr=c_ast.ID()):
            return True
        case c_ast.ArrayRef(name=inner, subscript=c_ast.ID() | c_ast.Constant() | c_ast.BinaryOp() as subscript):
            nodes = list(walk_nodes(subscript))
            return _is_plain(inner) and all(isinstance(n, c_ast.ID | c_ast.Constant | c_ast.BinaryOp) for n in nodes)
    return False


def _changes(node: c_ast.Node, scope: Scope) -> bool:
    """Has evaluating this an effect besides its value?"""
    return any(has_effects(n, scope) or stored_into(n) is not None for n in walk_nodes(node))
