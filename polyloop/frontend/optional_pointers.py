"""Arrays that may be missing, through which a pointer moves where they are not: ``if (bias) sum = *bias++;``.

    if (bias) {                      if (has_bias > 0) {
        a = *bias++;                     a = bias[0];
        b = *bias++;        ->           b = bias[1];
    }                                }
                                     bias += 2;

A null pointer would stay null, and is not asked for anything: so it may move, too, where nothing reads it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pycparser import c_ast

from polyloop.arithmetic import Pointer
from polyloop.frontend.increments import evaluated
from polyloop.frontend.members import Names, names_of
from polyloop.frontend.null_tests import null_test, tested_pointer
from polyloop.frontend.regions import exposed_read, names_at
from polyloop.frontend.scopes import assigned_name, children, declared_names, kinds_in, set_names, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, as_one, map_children, number, operation, with_parts

_STEPS = ("p++", "++")
_JUMPS = frozenset((c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Return))


def move_optional_pointers(items: Items, around: Surroundings) -> Items:
    """The statements with numbers for such tests, and with the steps of these pointers behind them."""
    tests = [node for item in items for node in walk_nodes(item) if isinstance(node, c_ast.If | c_ast.TernaryOp)]
    moved = set_names(items) - declared_names(items)
    for name in sorted(moved & {tested_pointer(node.cond) for node in tests}):
        if not _is_own(name, around):
            continue
        new = _Optional(name, names_of(items, around)).block(items)
        items = tuple(new) if new is not None else items
    return items


def _is_own(name: str, around: Surroundings) -> bool:
    symbol = around.scope.lookup(name)
    own = symbol is not None and symbol.automatic and isinstance(symbol.type, Pointer) and not symbol.type.volatile
    unseen = name not in names_at(around.found, around.declarations).address_taken
    return own and unseen and exposed_read(name, around.found) is None


@dataclass
class _Optional:
    """Rewrites all uses of one pointer; None where it is used in another way."""

    name: str
    names: Names

    def block(self, nodes: Iterable[c_ast.Node]) -> list[c_ast.Node] | None:
        result: list[c_ast.Node] = []
        for node in nodes:
            new = self._statement(node)
            if new is None:
                return None
            result += new
        return result

    def _uses(self, node: c_ast.Node) -> int:
        return sum(isinstance(n, c_ast.ID) and n.name == self.name for n in walk_nodes(node))

    def _statement(self, node: c_ast.Node) -> list[c_ast.Node] | None:
        if not self._uses(node):
            return [node]
        match node:
            case c_ast.Compound():
                inner = self.block(node.block_items or ())
                return None if inner is None else [with_parts(node, block_items=inner)]
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                header = (getattr(node, name, None) for name in ("init", "cond", "next"))
                body = self._statement(node.stmt) if not any(map(self._uses, filter(None, header))) else None
                return None if body is None else [with_parts(node, stmt=as_one(body, node))]
            case c_ast.If() if tested_pointer(node.cond) == self.name:
                return self._guarded(node)
            case c_ast.If() if not self._uses(node.cond):
                branches = [self._statement(each) if each is not None else [] for each in (node.iftrue, node.iffalse)]
                if branches[0] is None or branches[1] is None:
                    return None
                then, otherwise = (as_one(each, node) if each else None for each in branches)
                return [with_parts(node, iftrue=then, iffalse=otherwise)]
            case c_ast.Assignment() | c_ast.Decl():
                return self._choice(node)
        return None

    def _guarded(self, node: c_ast.If) -> list[c_ast.Node] | None:
        """``if (bias) ...``: each statement has the pointer's place by then."""
        found = _Placed(self.name)
        body = node.iftrue.block_items or [] if isinstance(node.iftrue, c_ast.Compound) else [node.iftrue]
        new = [found.statement(each) for each in body]
        if found.unclear or (node.iffalse is not None and self._uses(node.iffalse)):
            return None
        if not _JUMPS.isdisjoint(kinds_in(node)):  # which leave what is put behind it out
            return None
        guarded = c_ast.If(self._test(node.cond), c_ast.Compound(new, node.coord), node.iffalse, node.coord)
        return [guarded, *self._step(found.steps, node)]

    def _choice(self, node: c_ast.Node) -> list[c_ast.Node] | None:
        """``sum = bias ? *bias++ : 0``"""
        steps = 0

        def visit(child: c_ast.Node) -> c_ast.Node:
            nonlocal steps
            if not isinstance(child, c_ast.TernaryOp) or tested_pointer(child.cond) != self.name:
                return map_children(child, visit)
            found = _Placed(self.name)
            value = found.statement(child.iftrue)
            if found.unclear or self._uses(child.iffalse):
                return child
            steps += found.steps
            return c_ast.TernaryOp(self._test(child.cond), value, child.iffalse, child.coord)

        uses = [n for n in walk_nodes(node) if isinstance(n, c_ast.TernaryOp) and tested_pointer(n.cond) == self.name]
        new = visit(node)
        moved = any(assigned_name(n) == self.name for n in walk_nodes(new))
        once = len(uses) == 1 and self._uses(node) == sum(map(self._uses, children(uses[0])))
        return [new, *self._step(steps, node)] if once and not moved else None

    def _test(self, node: c_ast.Node) -> c_ast.Node:
        symbol = self.names.around.scope.lookup(self.name)
        assert symbol is not None
        return null_test(symbol, self.names, node)

    def _step(self, steps: int, node: c_ast.Node) -> Iterator[c_ast.Node]:
        if steps:
            yield c_ast.Assignment("+=", c_ast.ID(self.name, node.coord), number(steps, node), node.coord)


@dataclass
class _Placed:
    """Statements behind each other, with elements for what a pointer leads to that moves in them.

    Attributes:
        steps: how far it has moved.
        unclear: something else is done with it.
    """

    name: str
    steps: int = 0
    unclear: bool = False

    def statement(self, node: c_ast.Node) -> c_ast.Node:
        uses = [n for n in walk_nodes(node) if isinstance(n, c_ast.ID) and n.name == self.name]
        moves = [n for n in walk_nodes(node) if assigned_name(n) == self.name]
        if not uses:
            return node
        # A step in a statement of its own, or of an expression that has the pointer nowhere else.
        known = isinstance(node, c_ast.Assignment | c_ast.Decl | c_ast.UnaryOp) and len(uses) == 1
        known = known and all(any(n is move for n in evaluated(node)) for move in moves)
        known = known and all(isinstance(move, c_ast.UnaryOp) and move.op in _STEPS for move in moves)
        self.unclear = self.unclear or (bool(moves) and not known)
        result = self._expression(node)
        self.steps += len(moves)
        return result

    def _expression(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.UnaryOp(op="*", expr=c_ast.UnaryOp(op="p++" | "++" as op, expr=c_ast.ID(name=self.name) as p)):
                return c_ast.ArrayRef(p, number(self.steps + (op == "++"), node), node.coord)
            case c_ast.UnaryOp(op="*", expr=c_ast.ID(name=self.name) as p):
                return c_ast.ArrayRef(p, number(self.steps, node), node.coord)
            case c_ast.ArrayRef(name=c_ast.ID(name=self.name) as p, subscript=subscript):
                index = self._expression(subscript)
                index = operation("+", index, number(self.steps, node)) if self.steps else index
                return c_ast.ArrayRef(p, index, node.coord)
            case c_ast.UnaryOp(expr=c_ast.ID(name=self.name)) if node.op in _STEPS:
                return c_ast.EmptyStatement(node.coord)
            case c_ast.ID(name=self.name):
                self.unclear = True
                return node
        return map_children(node, self._expression)
