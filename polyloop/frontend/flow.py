"""Which variables are read behind a region before they are set again: the flow of control of a function in C.

Every expression and every declaration is a point, with the points that may come next; a jump is no point but where it
leads. What a region leaves in a variable is of no use where every way from its end sets it first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias

from pycparser import c_ast

from polyloop.arithmetic import integer_literal
from polyloop.frontend.scopes import address_taken, addresses_taken, assigned_name, children, parameters_of, walk_nodes

SET = object()
"""What happens to a variable that is given a value before anything reads it."""


@dataclass
class _Point:
    """An expression, and what may come next.

    Attributes:
        effects: by name, the first read of a variable, or that it is set before.
        asks: whether it is the condition of an ``if``: the first of the next points is where it holds, the second where
            it does not.
    """

    atom: c_ast.Node | None
    following: list[_Point]
    effects: dict[str, object] | None = None
    asks: bool = False


Taken: TypeAlias = "Callable[[c_ast.Node | None], set[str]]"
"""The variables whose addresses an expression takes."""


@dataclass
class _Flow:
    """Of one function, built from its end.

    Attributes:
        begin, behind: for every statement the points at which it begins, and behind it.
        points: all that have an expression.
        labels: points that jumps lead to.
        hidden: names that stand for several variables, of which nobody knows which one is set.
        automatic: names of parameters, and of variables that do not outlive a call of the function.
    """

    hidden: frozenset[str]
    automatic: frozenset[str]
    begin: dict[int, _Point] = field(default_factory=dict)
    behind: dict[int, _Point] = field(default_factory=dict)
    points: list[_Point] = field(default_factory=list)
    labels: dict[str, _Point] = field(default_factory=dict)
    end: _Point = field(default_factory=lambda: _Point(None, []))
    cases: list[list[_Point]] = field(default_factory=list)
    leave: list[_Point] = field(default_factory=list)
    again: list[_Point] = field(default_factory=list)
    _taking: dict[Taken, list[tuple[_Point, set[str]]]] = field(default_factory=dict)
    _held: dict[tuple[int, Taken], frozenset[str]] = field(default_factory=dict)

    def row(self, nodes: Sequence[c_ast.Node], behind: _Point) -> _Point:
        for node in reversed(nodes):
            behind = self.statement(node, behind)
        return behind

    def statement(self, node: c_ast.Node | None, behind: _Point) -> _Point:
        """The point at which a statement begins."""
        self.behind[id(node)] = behind
        begin = self.begin[id(node)] = self._statement(node, behind)
        return begin

    def _statement(self, node: c_ast.Node | None, behind: _Point) -> _Point:
        match node:
            case None | c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.Typedef():
                return behind
            case c_ast.Compound():
                return self.row(node.block_items or (), behind)
            case c_ast.DeclList():
                return self.row(node.decls, behind)
            case c_ast.If():
                branches = [self.statement(branch, behind) for branch in (node.iftrue, node.iffalse)]
                begin = self.expression(node.cond, *branches)
                begin.asks = len(begin.following) == len(branches)
                return begin
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                return self.loop(node, behind)
            case c_ast.Switch():
                self.cases.append([])
                self.leave.append(behind)
                self.statement(node.stmt, behind)
                self.leave.pop()
                items = node.stmt.block_items or () if isinstance(node.stmt, c_ast.Compound) else (node.stmt,)
                chosen = any(isinstance(item, c_ast.Default) for item in items)
                return self.expression(node.cond, *self.cases.pop(), *(() if chosen else (behind,)))
            case c_ast.Case() | c_ast.Default():
                begin = self.row(node.stmts or (), behind)
                if self.cases:
                    self.cases[-1].append(begin)
                return begin
            case c_ast.Label():
                self.label(node.name).following.append(self.statement(node.stmt, behind))
                return self.label(node.name)
            case c_ast.Goto():
                return self.label(node.name)
            case c_ast.Break():
                return self.leave[-1] if self.leave else self.end
            case c_ast.Continue():
                return self.again[-1] if self.again else self.end
            case c_ast.Return():
                return self.expression(node.expr, self.end)
        return self.expression(node, behind)

    def loop(self, node: c_ast.Node, behind: _Point) -> _Point:
        test = _Point(None, [])
        step = self.expression(node.next, test) if isinstance(node, c_ast.For) else test
        self.leave.append(behind)
        self.again.append(step)
        body = self.statement(node.stmt, step)
        self.leave.pop()
        self.again.pop()
        test.following.append(body if node.cond is None else self.expression(node.cond, body, behind))
        if isinstance(node, c_ast.DoWhile):
            return body
        return self.statement(node.init, test) if isinstance(node, c_ast.For) else test

    def label(self, name: str) -> _Point:
        return self.labels.setdefault(name, _Point(None, []))

    def expression(self, node: c_ast.Node | None, *following: _Point) -> _Point:
        if node is None:
            return _Point(None, list(following))
        # Blocks inside of expressions, which GNU has, may jump out of them.
        jumps = [self.statement(n, self.end) for n in walk_nodes(node) if isinstance(n, _JUMPS)]
        self.points.append(_Point(node, [*following, *jumps]))
        return self.points[-1]

    def effects(self, point: _Point) -> dict[str, object]:
        if point.effects is None:
            names = {n.name for n in walk_nodes(point.atom) if isinstance(n, c_ast.ID | c_ast.Decl) and n.name}
            found = {name: _effect(name, point.atom) for name in names} if point.atom is not None else {}
            point.effects = {
                name: effect
                for name, effect in found.items()
                if effect is not None and not (effect is SET and name in self.hidden)
            }
        return point.effects

    def first_read(self, name: str, begin: _Point) -> c_ast.Node | None:
        """The nearest read of what a variable is worth at a point."""
        effects = (self._effect(name, p) for p in _onwards(begin, lambda p: self._effect(name, p) is not SET))
        return next((effect for effect in effects if isinstance(effect, c_ast.Node)), None)

    def _effect(self, name: str, point: _Point) -> object | None:
        array = _array_of(name)
        known = self.effects(point).get(array)
        if array == name or known is None or known is SET or point.atom is None or array in self.hidden:
            return known
        return _effect(name, point.atom)

    def held(self, begin: _Point, taken: Taken) -> frozenset[str]:
        """The names of variables whose addresses are taken on ways to a point."""
        if (id(begin), taken) not in self._held:
            if taken not in self._taking:
                self._taking[taken] = [(point, names) for point in self.points if (names := taken(point.atom))]
            self._held[id(begin), taken] = frozenset(
                name for point, names in self._taking[taken] if _leads_to(begin, point) for name in names
            )
        return self._held[id(begin), taken]


def _onwards(begin: _Point, goes_on: Callable[[_Point], bool] = lambda point: True) -> Iterator[_Point]:
    """The points on all ways from one, the nearest first; behind those that do not go on none."""
    waiting, seen = [begin], {id(begin)}
    for point in waiting:
        yield point
        for following in point.following if goes_on(point) else ():
            if id(following) not in seen:
                seen.add(id(following))
                waiting.append(following)


def _leads_to(end: _Point, begin: _Point) -> bool:
    return any(following is end for point in _onwards(begin) for following in point.following)


_JUMPS = (c_ast.Goto, c_ast.Break, c_ast.Continue, c_ast.Return)


@lru_cache(maxsize=8)
def _flow(function: c_ast.FuncDef) -> _Flow:
    declared = [n for n in walk_nodes(function) if isinstance(n, c_ast.Decl)]
    names = Counter(n.name for n in declared)
    lasting = {n.name for n in declared if {"static", "extern"} & set(n.storage)}
    hidden = frozenset(name for name, count in names.items() if name is not None and count > 1)
    flow = _Flow(hidden, frozenset(names.keys() - lasting))
    flow.statement(function.body, flow.end)
    return flow


def use_of(name: str, node: c_ast.Node) -> c_ast.Node | None:
    """Where a tree first has a name; for an element, that of its array."""
    name = _array_of(name)
    return next((n for n in walk_nodes(node) if isinstance(n, c_ast.ID) and n.name == name), None)


def _array_of(name: str) -> str:
    """The array of an element, or else the variable itself."""
    return name.partition("[")[0]


def element_name(node: c_ast.Node) -> str | None:
    """``a[2]`` of an element of a variable that a constant leads to: the name of a variable for `read_behind`."""
    match node:
        case c_ast.ArrayRef(name=c_ast.ID(name=name), subscript=c_ast.Constant(type="int", value=value)):
            read = integer_literal(value)
            return None if read is None else f"{name}[{read[0]}]"
    return None


def read_behind(name: str, function: c_ast.FuncDef, last: c_ast.Node) -> c_ast.Node | None:
    """A read of a variable, or of one element of an array whose address goes nowhere, that its value behind a statement
    of the function may reach."""
    flow = _flow(function)
    behind = flow.behind.get(id(last))
    if behind is None:  # a block inside of an expression, whose own ways are not followed
        return use_of(name, function.body)
    return flow.first_read(name, behind)


def held_at(
    function: c_ast.FuncDef, statement: c_ast.Node, names: Iterable[str], taken: Taken = addresses_taken
) -> set[str]:
    """Those variables that pointers may lead to when a statement of the function runs: addresses are taken there, or on
    a way to there. Those of variables that outlive the function may have been taken in an earlier call.

    Args:
        taken: the variables of which an expression takes the addresses that count.
    """
    flow = _flow(function)
    begin = flow.begin.get(id(statement))
    if begin is None:
        return set(names)
    held = flow.held(begin, taken) | addresses_taken(statement)
    return {name for name in names if name in held or name not in flow.automatic}


def read_before(
    name: str,
    function: c_ast.FuncDef,
    statement: c_ast.Node,
    may_end: Callable[[c_ast.Node], bool],
    is_number: Callable[[c_ast.Node], bool],
) -> bool:
    """Whether what a parameter points to is certainly read, or a part of it, on every way to a statement, with no call
    behind that after which it might be gone. What a parameter that nothing sets points to is the caller's: it outlives
    blocks. So is what a variable points to that is declared as such a parameter.

    Ways are told apart by variables that are zero, or are not: ``if (*m < 0) info = 1; ... if (info != 0) return;``.

    Args:
        may_end: whether a node is a call that may free memory.
        is_number: whether an lvalue is a number or a pointer, and no array or structure, which nothing reads as such.
    """
    flow = _flow(function)
    begin, entry = flow.begin.get(id(statement)), flow.begin.get(id(function.body))
    nodes = list(walk_nodes(function.body))
    if begin is None or entry is None or not _is_the_callers(name, function, nodes, statement):
        return False
    ends = [point for point in flow.points if any(map(may_end, walk_nodes(point.atom)))]
    fickle = {n.name for n in walk_nodes(function) if isinstance(n, c_ast.Decl) and "volatile" in n.quals}
    known = flow.automatic - flow.hidden - fickle
    nothing: frozenset[tuple[str, bool]] = frozenset()
    waiting = [(entry, nothing), *((following, nothing) for point in ends for following in point.following)]
    seen = {(id(point), facts) for point, facts in waiting}
    gone = {id(point) for point in ends}
    for point, facts in waiting:
        if point is begin or len(waiting) > _MOST_WAYS:
            return False
        following = point.following
        if point.atom is not None:
            if id(point) in gone:
                continue  # what follows it is there already
            if _surely_reads(name, point.atom, is_number):
                continue
            outcome = _outcome(point.atom, dict(facts)) if point.asks else None
            if outcome is not None:
                following = [following[0 if outcome else 1]]
            facts = _facts_behind(point.atom, facts, known)
        for after in following:
            if (id(after), facts) not in seen:
                seen.add((id(after), facts))
                waiting.append((after, facts))
    return True


_MOST_WAYS = 5000


def _outcome(condition: c_ast.Node, facts: Mapping[str, bool]) -> bool | None:
    """Whether a condition holds, if it asks for a variable of which it is known whether it is zero."""
    match condition:
        case c_ast.ID(name=name):
            return facts.get(name)
        case c_ast.UnaryOp(op="!", expr=inner):
            outcome = _outcome(inner, facts)
            return None if outcome is None else not outcome
        case c_ast.BinaryOp(op="!=" | "==", left=c_ast.ID() as left, right=c_ast.Constant(value="0")):
            outcome = _outcome(left, facts)
            return outcome if outcome is None or condition.op == "!=" else not outcome
    return None


def _facts_behind(
    node: c_ast.Node, facts: frozenset[tuple[str, bool]], known: frozenset[str]
) -> frozenset[tuple[str, bool]]:
    """Which variables are zero, and which are not, behind an expression or a declaration."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.Constant(type="int") as value):
            pass
        case c_ast.Decl(name=name, init=c_ast.Constant(type="int") as value):
            pass
        case _:
            # What stores to memory or calls something may change what has an address.
            nodes = list(walk_nodes(node))
            if any(isinstance(n, c_ast.FuncCall) or _stores_to_memory(n) for n in nodes):
                return frozenset()
            changed = {n.name if isinstance(n, c_ast.Decl) else assigned_name(n) for n in nodes}
            return frozenset(fact for fact in facts if fact[0] not in changed)
    others = frozenset(fact for fact in facts if fact[0] != name)
    # Small numbers stay what they are in any type.
    if name not in known or not re.fullmatch(r"[0-9]{1,2}", value.value):
        return others
    return others | {(name, int(value.value, 8 if value.value.startswith("0") else 10) != 0)}


def _stores_to_memory(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.Assignment):
        return not isinstance(node.lvalue, c_ast.ID)
    stepping = isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--")
    return stepping and not isinstance(node.expr, c_ast.ID)


def _sets(name: str, node: c_ast.Node) -> bool:
    """Does a node set a pointer, or let others do that? ``&p->x`` and ``&p[i]`` lead to what it points to."""
    taken = address_taken(node)
    if taken is None or taken.name != name:
        return assigned_name(node) == name
    return not any(
        isinstance(n, c_ast.ArrayRef) or (isinstance(n, c_ast.StructRef) and n.type == "->")
        for n in walk_nodes(node)
        if getattr(n, "name", None) is taken
    )


def _is_the_callers(name: str, function: c_ast.FuncDef, nodes: Sequence[c_ast.Node], user: c_ast.Node) -> bool:
    """Is a variable that a statement uses a parameter that nothing sets, or declared in the function's own block as the
    value of one, and set nowhere else?"""
    parameters = {parameter.name for parameter in parameters_of(function)}
    declared = [n for n in nodes if isinstance(n, c_ast.Decl) and n.name == name]
    if any(not isinstance(n, c_ast.Decl) and _sets(name, n) for n in nodes):
        return False
    if not declared:
        return name in parameters
    above = takewhile(lambda item: all(n is not user for n in walk_nodes(item)), function.body.block_items or ())
    if len(declared) > 1 or name in parameters or declared[0].storage or all(n is not declared[0] for n in above):
        return False
    value = declared[0].init
    while isinstance(value, c_ast.Cast):
        value = value.expr
    given = value.name if isinstance(value, c_ast.ID) else name
    return given in parameters and _is_the_callers(given, function, nodes, user)


def _surely_reads(name: str, node: c_ast.Node, is_number: Callable[[c_ast.Node], bool]) -> bool:
    """Does evaluating an expression access ``*name``, or a part of it, whatever the data are?"""
    match node:
        case c_ast.UnaryOp(op="&" | "sizeof" | "_Alignof") | c_ast.Typename() | c_ast.Compound():
            return False
        case c_ast.UnaryOp() | c_ast.ArrayRef() | c_ast.StructRef() if _is_inside(name, node) and is_number(node):
            return True
        case c_ast.BinaryOp(op="&&" | "||"):
            return _surely_reads(name, node.left, is_number)
        case c_ast.TernaryOp():
            both = all(_surely_reads(name, each, is_number) for each in (node.iftrue, node.iffalse))
            return both or _surely_reads(name, node.cond, is_number)
    return any(_surely_reads(name, child, is_number) for child in children(node))


def _is_inside(name: str, node: c_ast.Node) -> bool:
    """Is an lvalue the first element that a pointer leads to, or a part of it?"""
    match node:
        case c_ast.UnaryOp(op="*", expr=c_ast.ID() as pointer) | c_ast.StructRef(type="->", name=c_ast.ID() as pointer):
            return bool(pointer.name == name)
        case c_ast.ArrayRef(name=c_ast.ID(name=pointer), subscript=c_ast.Constant(value="0")):
            return bool(pointer == name)
        case c_ast.StructRef(type=".", name=inner) | c_ast.ArrayRef(name=inner):
            return _is_inside(name, inner)
    return False


def _effect(name: str, node: c_ast.Node) -> object | None:
    """The first read of a variable in an expression, `SET` where it certainly is set before, or None."""
    match node:
        case c_ast.ID():
            found: object = node if node.name == _array_of(name) else None
            return found
        case c_ast.StructRef():
            return _effect(name, node.name)
        case c_ast.ArrayRef() if "[" in name and (element := element_name(node)) is not None:
            return node if element == name else None
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target)) if target == name:
            return _effect(name, node.rvalue) or SET
        case c_ast.Assignment(op="=", lvalue=c_ast.ArrayRef() as target) if element_name(target) == name:
            return _effect(name, node.rvalue) or SET
        case c_ast.Decl(name=target) if target == _array_of(name):
            return (_effect(name, node.init) if node.init is not None else None) or SET
        case c_ast.BinaryOp(op="&&" | "||"):
            return _effect(name, node.left) or _read(_effect(name, node.right))
        case c_ast.TernaryOp():
            branches = [_effect(name, branch) for branch in (node.iftrue, node.iffalse)]
            read = next((b for b in branches if isinstance(b, c_ast.Node)), None)
            return _effect(name, node.cond) or read or (SET if branches == [SET, SET] else None)
        case c_ast.Compound() | c_ast.Label() | c_ast.If() | c_ast.For() | c_ast.While() | c_ast.DoWhile():
            return use_of(name, node)
    return next((e for child in children(node) if (e := _effect(name, child)) is not None), None)


def _read(effect: object | None) -> object | None:
    return None if effect is SET else effect
