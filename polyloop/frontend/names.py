"""What a function's text says about its names before any region is read: who is written, who is a counter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.frontend.scopes import walk_nodes

_INCREMENTS = ("++", "--", "p++", "p--")


@dataclass(frozen=True)
class RegionNames:
    """Names by their use inside a region.

    Attributes:
        written: assigned, incremented or decremented by statements (not as loop counters).
        counters: the counters of its for loops.
        affine: used in bounds, conditions or subscripts.
        declared: declared inside.
    """

    written: frozenset[str]
    counters: frozenset[str]
    affine: frozenset[str]
    declared: frozenset[str]


@dataclass(frozen=True)
class FunctionNames:
    """Uses in a whole function.

    Attributes:
        assignments: (name, token number) of every assignment to a scalar.
        address_taken: names behind the operator &.
        fewest_subscripts: for every name, the least number of subscripts that it has anywhere: an array with fewer
            than its dimensions gives its address away.
        calls: token numbers of calls.
    """

    assignments: tuple[tuple[str, int], ...]
    address_taken: frozenset[str]
    fewest_subscripts: Mapping[str, int]
    calls: tuple[int, ...]


def assigned_name(node: c_ast.Node) -> tuple[str, c_ast.Node] | None:
    """The scalar that a node assigns to, with the node that names it."""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ID() as target):
            return target.name, target
        case c_ast.UnaryOp(expr=c_ast.ID() as target) if node.op in _INCREMENTS:
            return target.name, target
    return None


def loop_counter(node: c_ast.For) -> str | None:
    """The name that a for loop's first part sets."""
    match node.init:
        case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            return str(name)
        case c_ast.DeclList(decls=[c_ast.Decl() as declaration]):
            return str(declaration.name)
    return None


@dataclass
class _Collector:
    written: set[str] = field(default_factory=set)
    counters: set[str] = field(default_factory=set)
    affine: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)

    def visit(self, node: c_ast.Node | None) -> None:
        match node:
            case None:
                return
            case c_ast.For():
                counter = loop_counter(node)
                if counter is not None:
                    self.counters.add(counter)
                else:
                    self.visit(node.init)
                if isinstance(node.init, c_ast.DeclList):
                    self.declared.update(d.name for d in node.init.decls if isinstance(d, c_ast.Decl))
                for part in (node.init, node.cond, node.next):
                    self.note_affine(part)
                self.visit(node.stmt)
            case c_ast.If():
                self.note_affine(node.cond)
                self.visit(node.iftrue)
                self.visit(node.iffalse)
            case _:
                assigned = assigned_name(node)
                if assigned is not None:
                    self.written.add(assigned[0])
                if isinstance(node, c_ast.ArrayRef):
                    self.note_affine(node.subscript)
                if isinstance(node, c_ast.Decl):
                    self.declared.add(node.name)
                    # An integer that is set where it is declared may stand in a subscript later.
                    self.note_affine(node.init)
                for _, child in node.children():
                    self.visit(child)

    def note_affine(self, node: c_ast.Node | None) -> None:
        self.affine.update(n.name for n in walk_nodes(node) if isinstance(n, c_ast.ID))


def region_names(items: Iterable[c_ast.Node]) -> RegionNames:
    collector = _Collector()
    for item in items:
        collector.visit(item)
    return RegionNames(
        frozenset(collector.written),
        frozenset(collector.counters),
        frozenset(collector.affine),
        frozenset(collector.declared),
    )


def function_names(function: c_ast.FuncDef, index: Callable[[c_ast.Node], int]) -> FunctionNames:
    assignments: list[tuple[str, int]] = []
    calls: list[int] = []
    taken: set[str] = set()
    fewest: dict[str, int] = {}
    for node in walk_nodes(function.body):
        assigned = assigned_name(node)
        if assigned is not None:
            assignments.append((assigned[0], index(assigned[1])))
        match node:
            case c_ast.FuncCall():
                calls.append(index(node))
            case c_ast.UnaryOp(op="&", expr=expr):
                taken.update(n.name for n in walk_nodes(expr) if isinstance(n, c_ast.ID))
    _count_subscripts(function.body, 0, fewest)
    return FunctionNames(tuple(assignments), frozenset(taken), fewest, tuple(calls))


def _count_subscripts(node: c_ast.Node | None, count: int, fewest: dict[str, int]) -> None:
    match node:
        case None:
            return
        case c_ast.ID(name=name):
            fewest[name] = min(count, fewest.get(name, count))
        case c_ast.ArrayRef():
            _count_subscripts(node.name, count + 1, fewest)
            _count_subscripts(node.subscript, 0, fewest)
        case c_ast.UnaryOp(op="*", expr=expr):
            _count_subscripts(expr, count + 1, fewest)
        case c_ast.UnaryOp(op="sizeof"):
            return
        case _:
            for _, child in node.children():
                _count_subscripts(child, 0, fewest)
