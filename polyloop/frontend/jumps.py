"""``continue`` and ``break`` as conditions: what they leave out stands behind an ``if``.

    for (i = 0; i < n; i++) {        for (i = 0; i < n && !(a(i)); i++) {
        if (a(i)) break;                 if (b(i)) { S; } else { T; }
        if (b(i)) { S; continue; }   }
        T;
    }

A ``break`` further down sets a variable that ends the loop before its next iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.frontend.naming import own_name
from polyloop.frontend.scopes import assigned_name, walk_nodes
from polyloop.frontend.syntax import map_children, number, operation, opposite, statements_of

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass
class Jumps:
    """Rewrites loops.

    Attributes:
        kept: loops (by number, in source order) whose jumps stay.
        flags: by the variable that a ``break`` sets, the loop's number.
    """

    kept: frozenset[int] = frozenset()
    flags: dict[str, int] = field(default_factory=dict)
    count: int = 0

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        """The statement without the jumps that conditions can say."""
        if not isinstance(node, _LOOPS):
            return map_children(node, self.visit)
        self.count += 1
        index = self.count
        node = map_children(node, self.visit)
        if index in self.kept or not any(jumps_of(node.stmt)):
            return node
        flag = own_name("stop", index)
        front, body = ([], statements_of(node.stmt)) if isinstance(node, c_ast.DoWhile) else _front(node.stmt)
        rest = _without(body, flag)
        if rest is None:
            return node
        condition = node.cond
        for stop in front:
            going = opposite(stop)
            condition = going if condition is None else operation("&&", condition, going)
        if any(isinstance(jump, c_ast.Break) for item in body for jump in jumps_of(item)):
            self.flags[flag] = index
        return _with(node, condition, c_ast.Compound(rest, node.stmt.coord))


def _with(node: c_ast.Node, condition: c_ast.Node, body: c_ast.Node) -> c_ast.Node:
    match node:
        case c_ast.For():
            return c_ast.For(node.init, condition, node.next, body, node.coord)
        case c_ast.While():
            return c_ast.While(condition, body, node.coord)
    return c_ast.DoWhile(condition, body, node.coord)


def jumps_of(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """The jumps of the loop whose body this is."""
    match node:
        case None:
            return
        case c_ast.Break() | c_ast.Continue():
            yield node
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            return
        case c_ast.Switch():
            yield from (jump for jump in jumps_of(node.stmt) if isinstance(jump, c_ast.Continue))
        case _:
            for _, child in node.children():
                yield from jumps_of(child)


def _front(body: c_ast.Node) -> tuple[list[c_ast.Node], list[c_ast.Node]]:
    """The conditions under which the loop is left before anything else is done, and what follows."""
    items = statements_of(body)
    front: list[c_ast.Node] = []
    while items and isinstance(items[0], c_ast.If):
        branch = statements_of(items[0].iftrue)
        only = len(branch) == 1 and isinstance(branch[0], c_ast.Break)
        if not only or any(assigned_name(n) is not None for n in walk_nodes(items[0].cond)):
            break
        front.append(items[0].cond)
        items = statements_of(items[0].iffalse) + items[1:]
    return front, items


def _without(items: list[c_ast.Node], flag: str) -> list[c_ast.Node] | None:
    """The statements without jumps of their loop; None where that would need some of them twice."""
    for k, item in enumerate(items):
        if not any(jumps_of(item)):
            continue
        rest = items[k + 1 :]
        match item:
            case c_ast.Break():
                return [*items[:k], c_ast.Assignment("=", c_ast.ID(flag, item.coord), number(1, item), item.coord)]
            case c_ast.Continue():
                return items[:k]
            case c_ast.Compound():
                inner = _without([*(item.block_items or ()), *rest], flag)
                return None if inner is None else [*items[:k], c_ast.Compound(inner, item.coord)]
            case c_ast.If():
                branches = [statements_of(b) for b in (item.iftrue, item.iffalse)]
                if rest and not any(_always_jumps(b) for b in branches):
                    return None
                new = [_without(b if _always_jumps(b) else [*b, *rest], flag) for b in branches]
                then, otherwise = (None if b is None else c_ast.Compound(b, item.coord) for b in new)
                if then is None or otherwise is None:
                    return None
                if not then.block_items:
                    return [*items[:k], c_ast.If(opposite(item.cond), otherwise, None, item.coord)]
                return [*items[:k], c_ast.If(item.cond, then, otherwise if otherwise.block_items else None, item.coord)]
            case _:
                return None
    return items


def _always_jumps(items: list[c_ast.Node]) -> bool:
    match items[-1:]:
        case [c_ast.Break() | c_ast.Continue()]:
            return True
        case [c_ast.Compound(block_items=inner)]:
            return _always_jumps(inner or [])
        case [c_ast.If(iftrue=then, iffalse=otherwise)]:
            return _always_jumps(statements_of(then)) and _always_jumps(statements_of(otherwise))
    return False
