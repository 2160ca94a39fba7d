"""Bodies of functions as statements of another: parameters as variables, returns as assignments at the ends of paths, a
body that only chooses as one expression."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from pycparser import c_ast, c_parser

from polyloop.frontend import scopes
from polyloop.frontend.jumps import LOOPS, LoopExits, has_return, set_to
from polyloop.frontend.scopes import address_taken, base_name, children, walk_nodes
from polyloop.frontend.syntax import map_children, replaced, statements_of, variables
from polyloop.frontend.tables import escapes


class StaysError(Exception):
    """A call cannot be replaced; the message says why."""


def parameters_of(function: c_ast.FuncDef) -> list[c_ast.Decl]:
    """
    Raises:
        StaysError: where there may be more of them than are named.
    """
    if function.param_decls:
        return scopes.parameters_of(function)
    declarator = function.decl.type
    parameters = declarator.args.params if declarator.args is not None else []
    if any(isinstance(p, c_ast.EllipsisParam) for p in parameters):
        raise StaysError("it takes any number of arguments")
    return [p for p in parameters if isinstance(p, c_ast.Decl) and p.name is not None]


def expression_of(statements: list[c_ast.Node], function: c_ast.FuncDef) -> c_ast.Node | None:
    """The value of a body that only chooses among expressions."""
    match statements:
        case [c_ast.Return(expr=value), *_] if value is not None:
            return converted(value, function.decl.type.type)
        case [c_ast.If() as choice, *rest]:
            then = expression_of(statements_of(choice.iftrue), function)
            otherwise = expression_of([*statements_of(choice.iffalse), *rest], function)
            if then is not None and otherwise is not None:
                return c_ast.TernaryOp(choice.cond, then, otherwise, choice.coord)
        case [c_ast.Compound() as block, *_]:
            return expression_of(statements_of(block), function)
        case [c_ast.Decl(init=None) as variable, c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)) as first, *rest]:
            return _with_value(variable, first.rvalue, rest, function) if name == variable.name else None
        case [c_ast.Decl(init=value) as variable, *rest] if value is not None:
            return _with_value(variable, value, rest, function)
    return None


def _with_value(
    variable: c_ast.Decl, value: c_ast.Node, rest: list[c_ast.Node], function: c_ast.FuncDef
) -> c_ast.Node | None:
    """The value of what follows a variable that is used once at most, its own in its place."""
    found = expression_of(rest, function)
    plain = isinstance(variable.type, c_ast.TypeDecl) and isinstance(variable.type.type, c_ast.IdentifierType)
    plain = plain and "volatile" not in variable.quals
    if found is None or not plain or sum(node.name == variable.name for node in variables(found)) > 1:
        return None
    return replaced(found, {variable.name: converted(value, variable.type)})


def fixed_statics(body: c_ast.Node) -> list[c_ast.Decl]:
    """The static variables of a body that are numbers, or arrays of some, and keep their first values: no statement
    can change them, as nothing else knows their names."""
    nodes = list(walk_nodes(body))
    names = Counter(node.name for node in nodes if isinstance(node, c_ast.Decl))
    taken = {base.name for node in nodes if (base := address_taken(node)) is not None}
    changed = {base_name(target) for node in nodes if (target := _changed(node)) is not None}

    def is_read(node: c_ast.Decl) -> bool:
        """Do statements read its elements only, or does its type keep pointers from changing them?"""
        is_array = isinstance(node.type, c_ast.ArrayDecl)
        return not is_array or "const" in node.quals or not any(escapes(node.name, each) for each in children(body))

    return [
        node
        for node in nodes
        if isinstance(node, c_ast.Decl) and "static" in node.storage and "volatile" not in node.quals
        if node.init is not None
        if names[node.name] == 1 and node.name not in taken | changed and _is_of_numbers(node.type)
        if not any(variable.name in names for variable in variables(node))
        if is_read(node)
    ]


def without_statics(node: c_ast.Node, names: Collection[str]) -> c_ast.Node:
    """The body without declarations of these variables."""
    inner = map_children(node, lambda child: without_statics(child, names))
    if not isinstance(inner, c_ast.Compound):
        return inner
    kept = [item for item in inner.block_items or () if not (isinstance(item, c_ast.Decl) and item.name in names)]
    return inner if len(kept) == len(inner.block_items or ()) else c_ast.Compound(kept, inner.coord)


def automatic(node: c_ast.Decl, name: str, place: c_ast.Node) -> c_ast.Decl:
    """A static variable that keeps its first value as a variable of a block."""
    storage = [word for word in node.storage if word != "static"]
    return c_ast.Decl(
        name, node.quals, node.align, storage, node.funcspec, renamed(node.type, name), node.init, None, place.coord
    )


def _is_of_numbers(type_: c_ast.Node) -> bool:
    while isinstance(type_, c_ast.ArrayDecl):
        type_ = type_.type
    return isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType)


def _changed(node: c_ast.Node) -> c_ast.Node | None:
    """What a node assigns to, or steps."""
    match node:
        case c_ast.Assignment(lvalue=target) | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=target):
            return target
    return None


FEW_NODES = 24
"""Of what follows a choice that returns on some of its paths only: so much is written at the end of each other path."""


@dataclass(frozen=True)
class Returns:
    """What a function's returns become.

    Attributes:
        give: the statements for one.
        again: makes a copy of a statement for a second place.
        flag: a variable that is 0, and not where a loop has returned.
    """

    give: Callable[[c_ast.Node | None, c_ast.Node], list[c_ast.Node]]
    again: Callable[[c_ast.Node], c_ast.Node]
    flag: str

    def leave(self, asked: bool, node: c_ast.Return) -> list[c_ast.Node]:
        """The statements for one inside of a loop, behind which it is asked whether there was one, or not."""
        return [*self.give(node.expr, node), *([set_to(self.flag, 1, node)] if asked else ())]


def with_returns(statements: list[c_ast.Node], returns: Returns) -> list[c_ast.Node] | None:
    """The statements without returns, and what follows only where nothing was returned; None where that takes some
    that are too long a second time."""
    for k, node in enumerate(statements):
        rest = statements[k + 1 :]
        match node:
            case _ if not has_return(node):
                continue
            case c_ast.Return():
                return [*statements[:k], *returns.give(node.expr, node)]
            case c_ast.Compound():
                inner = with_returns([*statements_of(node), *rest], returns)
                return None if inner is None else [*statements[:k], c_ast.Compound(inner, node.coord)]
            case c_ast.If():
                then, otherwise = statements_of(node.iftrue), statements_of(node.iffalse)
                ends = _always_returns(then), _always_returns(otherwise)
                twice = rest
                if rest and not any(ends):
                    if not _is_short(rest):
                        return None
                    twice = list(map(returns.again, rest))
                branches = [with_returns([*then, *(() if ends[0] else rest)], returns)]
                branches.append(with_returns([*otherwise, *(() if ends[1] else twice)], returns))
                if any(branch is None for branch in branches):
                    return None
                blocks = [c_ast.Compound(branch, node.coord) if branch else None for branch in branches]
                then_block = blocks[0] or c_ast.Compound([], node.coord)
                return [*statements[:k], c_ast.If(node.cond, then_block, blocks[1], node.coord)]
            case c_ast.Switch():
                cases = _cases_with_returns(node, rest, returns)
                if cases is None:
                    return None
                return [*statements[:k], c_ast.Switch(node.cond, c_ast.Compound(cases, node.coord), node.coord)]
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                loops = (n for n in walk_nodes(node.stmt) if isinstance(n, LOOPS))
                asked = bool(rest) or any(map(has_return, loops))
                loop = LoopExits(returns.flag, partial(returns.leave, asked)).statement(node, None)
                following = with_returns(rest, returns)
                if loop is None or following is None:
                    return None
                going = c_ast.UnaryOp("!", c_ast.ID(returns.flag, node.coord), node.coord)
                unless = [c_ast.If(going, c_ast.Compound(following, node.coord), None, node.coord)]
                return [*statements[:k], *loop, *(unless if following else ())]
            case _:
                return None
    return statements


def _cases_with_returns(node: c_ast.Switch, rest: list[c_ast.Node], returns: Returns) -> list[c_ast.Node] | None:
    """The cases of a switch, none of which goes on in the next one, with what follows at the ends of those that do not
    return."""
    groups = statements_of(node.stmt)
    if not all(isinstance(group, c_ast.Case | c_ast.Default) for group in groups):
        return None
    if not any(isinstance(group, c_ast.Default) for group in groups):
        groups = [*groups, c_ast.Default([], node.coord)]
    used, made = False, list[c_ast.Node]()
    for position, group in enumerate(groups):
        body = list(group.stmts or [])
        last = position == len(groups) - 1
        if not body and not last:  # the next case has a second label
            made.append(group)
            continue
        ended = bool(body) and isinstance(body[-1], c_ast.Break)
        body = body[:-1] if ended else body
        returned = _always_returns(body)
        if any(_breaks(part) for part in body) or not (ended or returned or last):
            return None
        if not returned:
            if used and not _is_short(rest):
                return None
            body += list(map(returns.again, rest)) if used else rest
            used = True
        inner = with_returns(body, returns)
        if inner is None:
            return None
        inner = [*inner, c_ast.Break(group.coord)]
        is_case = isinstance(group, c_ast.Case)
        made.append(c_ast.Case(group.expr, inner, group.coord) if is_case else c_ast.Default(inner, group.coord))
    return made


def _is_short(rest: list[c_ast.Node]) -> bool:
    """Whether it may be written twice."""
    inside = [n for part in rest for n in walk_nodes(part)]
    return len(inside) <= FEW_NODES and not any(isinstance(n, c_ast.Decl) for n in inside)


def _breaks(node: c_ast.Node) -> bool:
    """Whether there is a break for what is around the statement."""
    match node:
        case c_ast.Break():
            return True
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch():
            return False
    return any(_breaks(child) for child in children(node))


def _always_returns(statements: list[c_ast.Node]) -> bool:
    match statements[-1:]:
        case [c_ast.Return()]:
            return True
        case [c_ast.Compound() as block]:
            return _always_returns(statements_of(block))
        case [c_ast.If() as choice]:
            return _always_returns(statements_of(choice.iftrue)) and _always_returns(statements_of(choice.iffalse))
        case [c_ast.Switch() as choice] if not any(map(_breaks, statements_of(choice.stmt))):
            groups = statements_of(choice.stmt)
            whole = any(isinstance(group, c_ast.Default) for group in groups)
            return whole and _always_returns(list(groups[-1].stmts or []))
    return False


def declared_parameter(name: str, parameter: c_ast.Decl, value: c_ast.Node, place: c_ast.Node) -> c_ast.Decl:
    """A parameter as a variable at the place of the call."""
    quals = [word for word in parameter.quals if word != "const"]
    type_ = renamed(parameter.type, name)
    return c_ast.Decl(name, quals, [], [], [], type_, value, None, place.coord)


def renamed(type_: c_ast.Node, name: str | None) -> c_ast.Node:
    """A declarator of another name."""
    result = copy.copy(type_)
    if isinstance(result, c_ast.TypeDecl):
        result.declname = name
    else:
        result.type = renamed(result.type, name)
    if isinstance(result, c_ast.PtrDecl):
        # What restrict promises ends with the call; the region may have others.
        result.quals = [word for word in result.quals if word != "restrict"]
    return result


def copied(node: c_ast.Node, number: int, place: c_ast.Node) -> c_ast.Node:
    """A copy with a place of its own for every node: its token's number and, as a column, the copy's. Declarations
    get the place of the call, which is inside of the region."""
    inner = map_children(node, lambda child: copied(child, number, place))
    result = copy.copy(node) if inner is node else inner
    if node.coord is not None:
        result.coord = c_parser.Coord(node.coord.file, node.coord.line, number)
    if isinstance(node, c_ast.Decl):
        result.coord = place.coord
    return result


def converted(value: c_ast.Node, declarator: c_ast.Node) -> c_ast.Node:
    """The conversion that a return or a parameter of this declarator is."""
    if not isinstance(declarator, c_ast.TypeDecl):
        raise StaysError("its value is no number")
    type_ = renamed(declarator, None)
    assert isinstance(type_, c_ast.TypeDecl)
    type_.quals = []
    return c_ast.Cast(c_ast.Typename(None, [], None, type_, value.coord), value, value.coord)
