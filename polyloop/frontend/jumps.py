"""``continue``, ``break``, ``goto`` and ``switch`` as conditions: what they leave out stands behind an ``if``.

    for (i = 0; i < n; i++) {        for (i = 0; i < n && !(a(i)); i++) {
        if (a(i)) break;                 if (b(i)) { S; } else { T; }
        if (b(i)) { S; continue; }   }
        T;
    }

A ``break`` further down sets a variable that ends the loop before its next iteration. What would have to stand in both
branches of an ``if``, and is long, stands behind it, and asks a variable of the iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

from pycparser import c_ast

from polyloop.backend.ir.expressions import I32
from polyloop.frontend.naming import own_name
from polyloop.frontend.scopes import (
    STATEMENTS,
    assigned_name,
    children,
    does_anything,
    is_once,
    kept,
    kinds_in,
    walk_nodes,
)
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    declaration,
    map_children,
    number,
    operation,
    opposite,
    statements_of,
    unset,
    variables,
    with_parts,
)

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass
class Jumps:
    """Rewrites loops.

    Attributes:
        kept: loops (by number, in source order) whose jumps stay.
        flags: by the variable that a ``break`` sets, the loop's number.
        count, skips: of loops, and of variables that say what an iteration leaves out.
    """

    kept: frozenset[int] = frozenset()
    flags: dict[str, int] = field(default_factory=dict)
    count: int = 0
    skips: int = 0

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        """The statement without the jumps that conditions can say."""
        if kinds_in(node).isdisjoint((c_ast.Break, c_ast.Continue)):
            self.count += sum(isinstance(n, LOOPS) for n in walk_nodes(node))
            return node
        if not isinstance(node, LOOPS):
            return map_children(node, self.visit)
        self.count += 1
        index = self.count
        node = map_children(node, self.visit)
        if index in self.kept or not any(jumps_of(node.stmt)):
            return node
        flag = own_name("stop", index)
        front, body = ([], statements_of(node.stmt)) if isinstance(node, c_ast.DoWhile) else _front(node.stmt)
        rest = Leaving(jumps_of, partial(_set, flag), self._skip).without(body)
        if rest is None:
            return node
        condition = node.cond
        for stop in front:
            going = opposite(stop)
            condition = going if condition is None else operation("&&", condition, going)
        if any(isinstance(jump, c_ast.Break) for item in body for jump in jumps_of(item)):
            self.flags[flag] = index
        return with_parts(node, cond=condition, stmt=c_ast.Compound(rest, node.stmt.coord))

    def _skip(self) -> str:
        self.skips += 1
        return own_name("skip", self.skips)


def _set(flag: str, jump: c_ast.Node) -> list[c_ast.Node]:
    """A ``continue`` leaves out the rest of the iteration, a ``break`` all further ones, too."""
    return [] if isinstance(jump, c_ast.Continue) else [set_to(flag, 1, jump)]


def set_to(name: str, value: int, place: c_ast.Node) -> c_ast.Node:
    """``name = value``, where `place` stands."""
    return c_ast.Assignment("=", c_ast.ID(name, place.coord), number(value, place), place.coord)


def jumps_of(node: c_ast.Node | None) -> Sequence[c_ast.Node]:
    """The jumps of the loop whose body this is."""
    if node is None or node.__class__ is c_ast.ID or node.__class__ is c_ast.Constant:
        return ()
    return _jumps_of_statement(node) if node.__class__ in STATEMENTS else _jumps_of(node)


def _jumps_of(node: c_ast.Node) -> Sequence[c_ast.Node]:
    match node:
        case c_ast.Break() | c_ast.Continue():
            return (node,)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            return ()
        case c_ast.Switch():
            return [jump for jump in jumps_of(node.stmt) if isinstance(jump, c_ast.Continue)]
    return [jump for child in children(node) for jump in jumps_of(child)]


_jumps_of_statement = kept(_jumps_of)


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


@dataclass(frozen=True)
class Leaving:
    """Statements that leave out what follows in their block.

    Attributes:
        found: those inside of a statement.
        instead: what is left of one.
        flag: gives a new variable to ask behind a statement; None: nothing is asked.
    """

    found: Callable[[c_ast.Node], Iterable[c_ast.Node]]
    instead: Callable[[c_ast.Node], list[c_ast.Node]] = lambda jump: []
    flag: Callable[[], str] | None = None

    def without(self, items: list[c_ast.Node]) -> list[c_ast.Node] | None:
        """The statements without them; None where that would need many statements twice, or put some where their names
        are those of other variables."""
        for k, item in enumerate(items):
            jumps = list(self.found(item))
            if not jumps:
                continue
            if item in jumps:
                return [*items[:k], *self.instead(item)]
            rest = self._around(item, items[k + 1 :])
            return None if rest is None else [*items[:k], *rest]
        return items

    def _around(self, item: c_ast.Node, rest: list[c_ast.Node]) -> list[c_ast.Node] | None:
        """A statement that such ones are inside of, and what follows it."""
        match item:
            case c_ast.Compound():
                inside = list(item.block_items or ())
                inner = None if _hides(inside, rest) else self.without([*inside, *rest])
                return None if inner is None else [c_ast.Compound(inner, item.coord)]
            case c_ast.If():
                branches = [statements_of(b) for b in (item.iftrue, item.iffalse)]
                going_on = [b for b in branches if not self.always(b)]
                if len(going_on) > 1 and not _is_short(rest):
                    return None if self.flag is None else self._asked(item, rest, self.flag())
                if any(_hides(b, rest) for b in going_on):
                    return None
                new = [self.without([*b, *rest] if b in going_on else b) for b in branches]
                then, otherwise = (None if b is None else c_ast.Compound(b, item.coord) for b in new)
                if then is None or otherwise is None:
                    return None
                if not then.block_items:
                    return [c_ast.If(opposite(item.cond), otherwise, None, item.coord)]
                return [c_ast.If(item.cond, then, otherwise if otherwise.block_items else None, item.coord)]
        return None

    def _asked(self, item: c_ast.If, rest: list[c_ast.Node], flag: str) -> list[c_ast.Node] | None:
        """A statement that such ones are inside of, and what follows it once, behind a question whether it was one."""
        setting = replace(self, instead=lambda jump: [*self.instead(jump), set_to(flag, 1, jump)])
        before, behind = setting._around(item, []), self.without(rest)
        if before is None or behind is None:
            return None
        going_on = operation("==", c_ast.ID(flag, item.coord), number(0, item))
        asking = c_ast.If(going_on, c_ast.Compound(behind, item.coord), None, item.coord)
        return [declaration(flag, I32, number(0, item), item), *before, asking]

    def always(self, items: list[c_ast.Node]) -> bool:
        """Do these statements always end with one?"""
        match items[-1:]:
            case [c_ast.Compound(block_items=inner)]:
                return self.always(inner or [])
            case [c_ast.If(iftrue=then, iffalse=otherwise)]:
                return self.always(statements_of(then)) and self.always(statements_of(otherwise))
            case [last]:
                return last in self.found(last)
        return False


_MOST_TWICE = 40
"""Nodes of the syntax tree that stand in both branches."""


def _is_short(items: list[c_ast.Node]) -> bool:
    nodes = [node for item in items for node in walk_nodes(item)]
    return len(nodes) <= _MOST_TWICE and not any(isinstance(node, LOOPS) for node in nodes)


def _hides(inside: list[c_ast.Node], rest: list[c_ast.Node]) -> bool:
    """Whether a block's statements declare what the ones behind it know under the same name."""
    declared = {item.name for item in inside if isinstance(item, c_ast.Decl | c_ast.Typedef)}
    return bool(declared) and not declared.isdisjoint(
        name for item in rest for node in walk_nodes(item) for name in _names(node)
    )


def _names(node: c_ast.Node) -> list[str]:
    match node:
        case c_ast.ID(name=name):
            return [name]
        case c_ast.IdentifierType(names=names):
            return list(names)
    return []


# --- return -----------------------------------------------------------------------------------------------------------


def has_return(node: c_ast.Node | None) -> bool:
    """Is there a ``return`` in it?"""
    return any(map(_is_return, walk_nodes(node)))


def _is_return(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Return)


@dataclass(frozen=True)
class LoopExits:
    """Takes ``return``, or another way out, out of loops: each becomes a ``break``, as what follows an inner loop does
    where it was left.

    Attributes:
        flag: the variable that is not 0 where such a way was taken.
        instead: what is done in the place of one, before its loop ends; it sets the flag.
        is_exit: what leads out.
        asked: what follows outside of loops asks for the flag, so that such a way may begin there, too.
    """

    flag: str
    instead: Callable[[Any], list[c_ast.Node]]
    is_exit: Callable[[c_ast.Node], bool] = _is_return
    asked: bool = False

    def has_exit(self, node: c_ast.Node | None) -> bool:
        """Does one stand inside?"""
        return any(map(self.is_exit, walk_nodes(node)))

    def block(self, items: list[c_ast.Node], loop: c_ast.Node | None) -> list[c_ast.Node] | None:
        """Statements of a block inside of a loop, or of none."""
        result: list[c_ast.Node] = []
        for position, item in enumerate(items):
            if not self.has_exit(item):
                result.append(item)
                continue
            new = self.statement(item, loop)
            if new is None or (loop is None and position < len(items) - 1):
                return None  # outside of loops all that follows would have to ask
            result += new
            if self.is_exit(item):
                break
        return result

    def statement(self, node: c_ast.Node, loop: c_ast.Node | None) -> list[c_ast.Node] | None:
        """What a statement with such a way becomes; None where it cannot."""
        match node:
            case _ if self.is_exit(node):
                if loop is None:
                    return self.instead(node) if self.asked else None
                return [*self.instead(node), c_ast.Break(node.coord)]
            case c_ast.Compound():
                inner = self.block(list(node.block_items or ()), loop)
                return None if inner is None else [c_ast.Compound(inner, node.coord)]
            case c_ast.If():
                branches = [self.block(statements_of(branch), loop) for branch in (node.iftrue, node.iffalse)]
                if None in branches:
                    return None
                then, otherwise = (c_ast.Compound(branch, node.coord) for branch in branches)
                return [c_ast.If(node.cond, then, otherwise if otherwise.block_items else None, node.coord)]
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                body = self.block(statements_of(node.stmt), node)
                if body is None:
                    return None
                new = with_parts(node, stmt=c_ast.Compound(body, node.stmt.coord))
                if loop is None:
                    return [new]
                asked = operation("!=", c_ast.ID(self.flag, node.coord), number(0, node))
                return [new, c_ast.If(asked, c_ast.Compound([c_ast.Break(node.coord)]), None, node.coord)]
        return None


# --- goto -------------------------------------------------------------------------------------------------------------


def structured(items: Items, around: Surroundings) -> Items:
    """The statements with conditions for every ``goto`` to a label behind it in the same block, also out of loops, and
    for ``switch``; a ``do`` that is there once for the sake of a macro is a block, and so is a block whose value is
    assigned."""
    nodes = [node for item in items for node in walk_nodes(item)]
    jumps = any(isinstance(node, c_ast.Goto | c_ast.Switch | c_ast.DoWhile) for node in nodes)
    if not jumps and all(_valued(node) is None for node in nodes):
        return items
    return tuple(_block([new for item in items for new in _opened(_structured(item))]))


def _structured(node: c_ast.Node) -> c_ast.Node:
    inner = map_children(node, _structured)
    if isinstance(inner, c_ast.Assignment) and _valued(inner) is not None:
        return _opened(inner)[0]
    if isinstance(inner, c_ast.Switch):
        return _chain(inner) or inner
    if isinstance(inner, c_ast.DoWhile) and is_once(inner) and not any(jumps_of(inner.stmt)):
        return inner.stmt
    if isinstance(inner, c_ast.DoWhile):
        return _stepped(inner)
    if not isinstance(inner, c_ast.Compound) or not inner.block_items:
        return inner
    return with_parts(inner, block_items=_block([new for item in inner.block_items for new in _opened(item)]))


def _stepped(node: c_ast.DoWhile) -> c_ast.DoWhile:
    """A loop whose condition moves a variable first, ``while (++p != end)``, with that at the end of its body."""
    match node.cond:
        case c_ast.BinaryOp(left=c_ast.UnaryOp(op="++" | "--", expr=c_ast.ID() as moved) as step):
            pass
        case c_ast.BinaryOp(left=c_ast.Assignment(lvalue=c_ast.ID() as moved) as step):
            pass
        case _:
            return node
    if node.cond.op in ("&&", "||") or moved.name in {n.name for n in variables(node.cond.right)}:
        return node
    if any(jumps_of(node.stmt)) or sum(assigned_name(n) is not None for n in walk_nodes(node.cond)) > 1:
        return node
    condition = c_ast.BinaryOp(node.cond.op, moved, node.cond.right, node.cond.coord)
    return c_ast.DoWhile(condition, c_ast.Compound([*statements_of(node.stmt), step], node.coord), node.coord)


def _valued(node: c_ast.Node) -> c_ast.Compound | None:
    """The block whose value is that of a statement: ``v = ({ double t = x; t * t; });``, a GNU extension."""
    match node:
        case c_ast.Assignment(rvalue=c_ast.Compound() as block) | c_ast.Decl(init=c_ast.Compound() as block):
            declared = {item.name for item in block.block_items or () if isinstance(item, c_ast.Decl)}
            named = {node.name} if isinstance(node, c_ast.Decl) else {n.name for n in variables(node.lvalue)}
            return block if block.block_items and declared.isdisjoint(named) else None
    return None


def _opened(node: c_ast.Node) -> list[c_ast.Node]:
    """A statement whose value is a block's, as that block with an assignment at its end."""
    block = _valued(node)
    if block is None:
        return [node]
    *items, value = block.block_items
    target, operator, before = getattr(node, "lvalue", None), getattr(node, "op", "="), list[c_ast.Node]()
    if isinstance(node, c_ast.Decl):
        target = c_ast.ID(node.name, node.coord)
        before = [unset(node)]
    return [*before, c_ast.Compound([*items, c_ast.Assignment(operator, target, value, node.coord)], node.coord)]


def _block(items: list[c_ast.Node]) -> list[c_ast.Node]:
    for k, item in enumerate(items):
        if not isinstance(item, c_ast.Label):
            continue
        loop = _back(items, k)
        if loop is not None:
            return _block(loop)
        leaving = Leaving(partial(_gotos, item.name))
        declares = any(isinstance(n, c_ast.Decl) for i in items[:k] if leaving.found(i) for n in walk_nodes(i))
        before = None if declares else leaving.without(items[:k])
        before = before or _out_of_loops(item.name, items[:k])
        after = [item.stmt, *items[k + 1 :]]
        if before is not None and before != items[:k] and not any(n for i in after for n in _gotos(item.name, i)):
            return _block([*before, *after])
    return items


def _back(items: list[c_ast.Node], at: int) -> list[c_ast.Node] | None:
    """The block with a loop for the label at one of its statements, if the only way back to it is at the end of its
    statement's only branch, or is such a branch."""
    label = items[at]
    if sum(len(_gotos(label.name, item)) for item in items) != 1:
        return None
    match label.stmt:
        case c_ast.If(iffalse=None) as choice if len(inside := statements_of(choice.iftrue)) > 1:
            if inside[-1] in _gotos(label.name, inside[-1]):
                body = c_ast.Compound(inside[:-1], choice.coord)
                return [*items[:at], c_ast.While(choice.cond, body, choice.coord), *items[at + 1 :]]
    for end in range(at + 1, len(items)):
        match items[end]:
            case c_ast.If(iffalse=None) as choice if statements_of(choice.iftrue) == _gotos(label.name, choice):
                inside = [label.stmt, *items[at + 1 : end]]
                if any(isinstance(item, c_ast.Decl) for item in inside):
                    return None  # it may be used behind the loop
                loop = c_ast.DoWhile(choice.cond, c_ast.Compound(inside, choice.coord), choice.coord)
                return [*items[:at], loop, *items[end + 1 :]]
    return None


def _out_of_loops(label: str, items: list[c_ast.Node]) -> list[c_ast.Node] | None:
    """The statements before a label without the ways to it out of loops: what such a way leaves out asks for it."""

    def leads_there(node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.Goto) and node.name == label

    flag = f"polyloop_to_{label}"
    exits = LoopExits(flag, lambda jump: [set_to(flag, 1, jump)], leads_there, asked=True)

    def without(items: list[c_ast.Node]) -> list[c_ast.Node] | None:
        at = next((k for k, item in enumerate(items) if exits.has_exit(item)), len(items))
        if at == len(items):
            return items
        new, rest = exits.statement(items[at], None), without(items[at + 1 :])
        if new is None or rest is None or any(isinstance(item, c_ast.Decl | c_ast.DeclList) for item in rest):
            return None
        if rest:
            there = operation("==", c_ast.ID(flag, items[at].coord), number(0, items[at]))
            rest = [c_ast.If(there, c_ast.Compound(rest, rest[0].coord), None, rest[0].coord)]
        return [*items[:at], *new, *rest]

    found = without(items)
    if found is None or found == items:
        return None
    return [declaration(flag, I32, number(0, items[0]), items[0]), *found]


def _gotos(label: str, node: c_ast.Node) -> list[c_ast.Node]:
    return [inner for inner in walk_nodes(node) if isinstance(inner, c_ast.Goto) and inner.name == label]


# --- switch -----------------------------------------------------------------------------------------------------------


_MOST_REPEATED = 64
"""Statements of cases, those that go on into others once for each of these."""


def _chain(node: c_ast.Switch) -> c_ast.Node | None:
    """A switch as ``if`` and ``else``; None where the value has effects, or a jump leaves a case in the middle. A case
    that goes on has what follows it, too."""
    if does_anything(node.cond):
        return None
    leaving = Leaving(lambda item: [jump for jump in jumps_of(item) if isinstance(jump, c_ast.Break)])
    items = statements_of(node.stmt)
    nested = (n for item in items for inner in item for n in walk_nodes(inner))
    if not all(isinstance(i, c_ast.Case | c_ast.Default) for i in items) or any(
        isinstance(n, c_ast.Case | c_ast.Default) for n in nested
    ):
        return None
    cases: list[tuple[list[c_ast.Node | None], c_ast.Node]] = []
    labels: list[c_ast.Node | None] = []
    for position, item in enumerate(items):
        labels.append(item.expr if isinstance(item, c_ast.Case) else None)
        if not item.stmts:
            continue
        whole: list[c_ast.Node] = []
        for following in items[position:]:
            whole += following.stmts or ()
            if Leaving(jumps_of).always(whole):
                break
        body = leaving.without(whole)
        if body is None:
            return None
        cases.append((labels, c_ast.Compound(body, item.coord)))
        labels = []
    if sum(len(body.block_items) for _, body in cases) > _MOST_REPEATED:
        return None
    otherwise = next((body for values, body in cases if None in values), None)
    result = otherwise
    for values, body in reversed(cases):
        tests = [operation("==", node.cond, value) for value in values if value is not None]
        if body is not otherwise:
            result = c_ast.If(reduce(partial(operation, "||"), tests), body, result, node.coord)
    return result
