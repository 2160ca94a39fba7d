"""Assignments inside of expressions, before a comma as f2c writes them, or of a loop's first values: on their own.

    if ((d1 = v[j], fabs(d1)) > 1 && (d2 = w[j], fabs(d2)) > 1) S;          for (i = k = 0; i < n; i++) S;

    { d1 = v[j]; if (fabs(d1) > 1) { d2 = w[j]; if (fabs(d2) > 1) S; } }    for (k = 0, i = 0; i < n; i++) S;

    if ((m = x[i]) > best) best = m;        { m = x[i]; if (m > best) best = m; }
    if (++s->p == n) s->p = 0;              { s->p += 1; if (s->p == n) s->p = 0; }
    if (k++ == n) S;                        { k += 1; if (k - 1 == n) S; }
    *q++ = (v = *p++) > t ? v : t;          { v = *p++; *q++ = v > t ? v : t; }
    if (a && (v = x[i]) > t) S; else T;     { int h = 0; if (a) { v = x[i]; if (v > t) h = 1; } if (h) S; else T; }
    for (i = n; i > 0 && i--;) S;           for (i = n; i > 0;) { i--; S; }
    for (i = 0; i < n && *++p > t; i++) S;  for (i = 0; i < n; i++) { if (!(*++p > t)) break; S; }

Only what C evaluates in any case, and where the expression has no other side effects but steps of variables that it
names once: C leaves the order open otherwise, or gives a value that is used elsewhere in it no meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, Pointer
from polyloop.backend.ir.expressions import I32
from polyloop.frontend.expression_types import type_of, variable_type
from polyloop.frontend.flow import read_behind
from polyloop.frontend.predicates import conjuncts
from polyloop.frontend.scopes import Scope, assigned_name, stored_into, stored_names, walk_nodes
from polyloop.frontend.searches import fresh_variable
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    declaration,
    first_parts,
    is_zero,
    map_bodies,
    map_children,
    number,
    operation,
    replaced,
    statements_of,
    variables,
    with_parts,
)
from polyloop.frontend.values import does_more, has_effects


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
        case c_ast.For() | c_ast.While() if (asked := _asked_first(node, around)) is not None:
            return _statement(asked, around)
        case c_ast.Compound():
            items = [new for item in node.block_items or () for new in _declared(item, around)]
            return map_bodies(with_parts(node, block_items=items), lambda child: _statement(child, around))
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Label() | c_ast.Switch():
            return map_bodies(node, lambda child: _statement(child, around))
        case c_ast.If():
            return _choice(node, around)
        case c_ast.Assignment(op="=", rvalue=c_ast.Assignment()) if _sets_pointers(node, scope) and _chain(node):
            return c_ast.Compound(_chain(node), node.coord)
        case c_ast.Assignment(lvalue=target, rvalue=value) if not _is_row(node):
            first, rest = _split(value, around, target=target)
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


def _asked_first(
    node: c_ast.For | c_ast.While, around: Surroundings, written: c_ast.Node | None = None
) -> c_ast.Node | None:
    """The loop of ``i > 0 && i--``, whose second part holds where C gets to it, with that in front of its body; of
    ``i > k && i--``, too, where nothing asks whether an i of 0 has become -1. Another second part that does something,
    ``i < n && *++p > t``, is asked in front of the body."""
    match node.cond:
        case c_ast.BinaryOp(op="&&", left=left, right=c_ast.UnaryOp(op="p--", expr=c_ast.ID(name=name)) as step):
            test = left
            if does_more(left, around.scope):
                return None
            if not any(_is_not_zero(part, name) for part in conjuncts(left)):
                if read_behind(name, around.found.function, written or node) is not None:
                    return None
                test = operation("&&", left, operation("!=", step.expr, number(0, step)))
            body = c_ast.Compound([step, *statements_of(node.stmt)], node.stmt.coord)
            return with_parts(node, cond=test, stmt=body)
        case c_ast.UnaryOp(op="p--", expr=c_ast.ID(name=name) as counter) as step if (
            isinstance(node, c_ast.For)
            and node.next is None
            and any(isinstance(n, c_ast.Break) for n in walk_nodes(node.stmt))
            and name
            not in {
                *stored_names(walk_nodes(node.stmt)),
                *around.declarations.names_of(around.found.function).address_taken,
            }
            and read_behind(name, around.found.function, written or node) is None
        ):
            body = replaced(node.stmt, {name: operation("-", counter, number(1, step))})
            return with_parts(node, cond=operation("!=", counter, number(0, step)), next=step, stmt=body)
        case c_ast.BinaryOp(op="&&", left=left, right=right) if does_more(right, around.scope) or (
            isinstance(left, c_ast.BinaryOp) and left.op == "&&" and does_more(left, around.scope)
        ):
            leave = c_ast.If(c_ast.UnaryOp("!", right, right.coord), c_ast.Break(right.coord), None, right.coord)
            asked = with_parts(
                node, cond=left, stmt=c_ast.Compound([leave, *statements_of(node.stmt)], node.stmt.coord)
            )
            return _asked_first(asked, around, node) or asked
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


def _is_row(node: c_ast.Assignment) -> bool:
    """``a = b = c``, which is read as it is."""
    value = node.rvalue
    if node.op != "=" or not isinstance(value, c_ast.Assignment):
        return False
    while isinstance(value, c_ast.Assignment) and value.op == "=":
        value = value.rvalue
    return not any(isinstance(n, c_ast.Assignment) for n in walk_nodes(value))


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
        case c_ast.UnaryOp(op="!", expr=c_ast.BinaryOp(op="&&" | "||" as op, left=left, right=right)) if _assigns(
            right, around
        ):
            left, right = (c_ast.UnaryOp("!", side, side.coord) for side in (left, right))
            return _chosen(node, operation("||" if op == "&&" else "&&", left, right), then, otherwise, around)
        case c_ast.BinaryOp(op="&&", left=left, right=right) if otherwise is None and _assigns(right, around):
            return _chosen(node, left, _chosen(node, right, then, None, around), None, around)
        case c_ast.BinaryOp(op="&&" | "||" as op, left=left, right=right) if _assigns(right, around):
            inside = {n.name for branch in (then, otherwise) if branch is not None for n in variables(branch)}
            holds = c_ast.ID(fresh_variable("holds", around, inside), node.coord)
            asked = condition if op == "&&" else c_ast.UnaryOp("!", condition, condition.coord)
            last = c_ast.Assignment("=", holds, number(int(op == "&&"), node), node.coord)
            known = declaration(holds.name, I32, number(int(op == "||"), node), node)
            whole = c_ast.If(holds, then, otherwise, node.coord)
            return c_ast.Compound([known, _chosen(node, asked, last, None, around), whole], node.coord)
    first, rest = _split(condition, around, behind=True)
    return _block(first, with_parts(node, cond=rest, iftrue=then, iffalse=otherwise))


def _assigns(condition: c_ast.Node, around: Surroundings) -> bool:
    """Has a condition assignments that can be taken out where it is asked?"""
    match condition:
        case c_ast.UnaryOp(op="!", expr=inner):
            return _assigns(inner, around)
        case c_ast.BinaryOp(op="&&" | "||") if _assigns(condition.left, around) or _assigns(condition.right, around):
            return True
    return bool(_split(condition, around, behind=True)[0])


def _block(first: list[c_ast.Node], last: c_ast.Node) -> c_ast.Node:
    return c_ast.Compound([*first, last], last.coord) if first else last


def _split(
    value: c_ast.Node, around: Surroundings, behind: bool = False, target: c_ast.Node | None = None
) -> tuple[list[c_ast.Node], c_ast.Node]:
    """The assignments of an expression, and what it is without them; none, where not all can be taken out.

    Args:
        behind: steps that are made behind the value are taken out, too.
        target: what the value is assigned to, in no order with it.
    """
    if not any(isinstance(n, c_ast.ExprList) or stored_into(n) is not None for n in walk_nodes(value)):
        return [], value
    given, value = value, _stepped(value, around, behind)
    found = list(_commas(value))
    if not found:
        return [], given
    groups: list[list[c_ast.Node]] = []
    inside: dict[int, c_ast.Node] = {}
    for node in found:
        if isinstance(node, c_ast.ExprList):
            group, inside[id(node)] = node.exprs[:-1], node.exprs[-1]
        elif (
            assigned := _assigned(node, around, {n.name for g in groups for n in g if isinstance(n, c_ast.Decl)})
        ) is not None:
            group, inside[id(node)] = assigned
        else:
            return [], given
        groups.append(group)
    first = [part for group in groups for part in group]
    targets = list(filter(None, map(assigned_name, first)))
    if len(set(targets)) < len(targets) or not all(isinstance(part, c_ast.Assignment | c_ast.Decl) for part in first):
        return [], given

    def without(node: c_ast.Node) -> c_ast.Node:
        return without(inside[id(node)]) if id(node) in inside else map_children(node, without)

    rest = without(value)
    last = [rest] if target is None else [rest, target]
    if not _only_step(last, first, around.scope):
        return [], given
    at_once = [v.name for node in last for v in _at_once(node)]
    for node, group in zip(found, groups, strict=True):
        if isinstance(node, c_ast.ExprList):
            continue  # its last part comes behind the others
        beside = {v.name for other in groups if other is not group for part in other for v in variables(_value(part))}
        names = [n.lvalue.name for n in group if isinstance(n, c_ast.Assignment) and isinstance(n.lvalue, c_ast.ID)]
        if any(at_once.count(name) > 1 or name in beside for name in names):
            return [], given
    return first, rest


def _assigned(
    node: c_ast.Assignment, around: Surroundings, taken: set[str]
) -> tuple[list[c_ast.Node], c_ast.Node] | None:
    """What an assignment becomes on its own, behind those of its value, and what then names what it stored: a variable
    of its own where the target does not. None where the target's type is not known."""
    before, value = _split(node.rvalue, around)
    if _is_plain(node.lvalue):
        return [*before, c_ast.Assignment(node.op, node.lvalue, value, node.coord)], node.lvalue
    type_ = type_of(node.lvalue, around.scope, around.declarations)
    if node.op != "=" or not isinstance(type_, Arithmetic) or type_.boolean:
        return None
    taken = taken | {n.name for n in before if isinstance(n, c_ast.Decl)}
    name = c_ast.ID(fresh_variable("stored", around, taken), node.coord)
    stored = c_ast.Assignment("=", node.lvalue, name, node.coord)
    return [*before, declaration(name.name, type_.scalar, value, node), stored], name


def _value(node: c_ast.Node) -> c_ast.Node:
    return node.init if isinstance(node, c_ast.Decl) else node.rvalue


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
    """Is a place in memory a number, or a variable that the region may declare to be one; an integer of at least so
    many bits, of which one more and one less is the same again?"""
    if isinstance(node, c_ast.ID) and around.scope.lookup(node.name) is None:
        return not least
    type_ = type_of(node, around.scope, around.declarations) if _is_plain(node) else None
    return isinstance(type_, Arithmetic) and (not least or (not type_.scalar.is_float and type_.scalar.bits >= least))


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
            for child in first_parts(node):
                yield from _commas(child)


def _at_once(node: c_ast.Node) -> Iterator[c_ast.ID]:
    """The variables that C reads in any case, and in no order."""
    match node:
        case c_ast.ID():
            yield node
        case c_ast.StructRef():
            yield from _at_once(node.name)
        case _:
            for child in first_parts(node):
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


def _only_step(last: list[c_ast.Node], first: list[c_ast.Node], scope: Scope) -> bool:
    """Do the parts of a statement, beside the assignments in front of it, change nothing but variables that they step
    and that all of it names once?"""
    targets = [part.lvalue for part in first if isinstance(part, c_ast.Assignment)]
    parts = [*last, *map(_value, first), *(target for target in targets if not _is_plain(target))]
    named = [v.name for node in (*last, *map(_value, first), *targets) for v in variables(node)]
    changes = [n for part in parts for n in walk_nodes(part) if has_effects(n, scope) or stored_into(n) is not None]
    return all(
        isinstance(n, c_ast.UnaryOp) and isinstance(n.expr, c_ast.ID) and named.count(n.expr.name) == 1 for n in changes
    )
