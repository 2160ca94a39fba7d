"""What a function's text says about its names before any region is read: who is written, who is a counter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.frontend.scopes import walk_nodes

_INCREMENTS = ("++", "--", "p++", "p--")


@dataclass(frozen=True)
class Uses:
    """Names by their use inside a region.

    Attributes:
        written: assigned, incremented or decremented by statements (not as loop counters).
        counters: the counters of for loops.
        affine: used in bounds, conditions or subscripts.
    """

    written: frozenset[str] = frozenset()
    counters: frozenset[str] = frozenset()
    affine: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RegionNames:
    """The uses of variables declared outside the region, and of those declared inside, which may shadow them."""

    outer: Uses = Uses()
    inner: Uses = Uses()


@dataclass(frozen=True)
class FunctionNames:
    """Uses in a whole function.

    Attributes:
        assignments: (name, token number) of every assignment to a scalar.
        address_taken: names behind the operator &, each with the token number of the last place.
        fewest_subscripts: for every name, the least number of subscripts that it has anywhere: an array with fewer
            than its dimensions gives its address away.
        calls: token numbers of calls.
    """

    assignments: tuple[tuple[str, int], ...]
    address_taken: Mapping[str, int]
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
class _Uses:
    written: set[str] = field(default_factory=set)
    counters: set[str] = field(default_factory=set)
    affine: set[str] = field(default_factory=set)

    def frozen(self) -> Uses:
        return Uses(frozenset(self.written), frozenset(self.counters), frozenset(self.affine))


class _Collector:
    """Walks a region with the names that its own declarations bring in."""

    def __init__(self) -> None:
        self.outer, self.inner = _Uses(), _Uses()
        self._declared: list[set[str]] = [set()]

    def _of(self, name: str) -> _Uses:
        return self.inner if any(name in block for block in self._declared) else self.outer

    def visit(self, node: c_ast.Node | None) -> None:
        match node:
            case None:
                return
            case c_ast.For():
                self._for(node)
            case c_ast.If():
                self.note_affine(node.cond)
                self.visit(node.iftrue)
                self.visit(node.iffalse)
            case c_ast.Compound():
                self._declared.append(set())
                for item in node.block_items or ():
                    self.visit(item)
                self._declared.pop()
            case c_ast.Decl():
                # An integer that is set where it is declared may stand in a subscript later.
                self.note_affine(node.init)
                self.visit(node.init)
                self._declared[-1].add(node.name)
            case _:
                assigned = assigned_name(node)
                if assigned is not None:
                    self._of(assigned[0]).written.add(assigned[0])
                if isinstance(node, c_ast.ArrayRef):
                    self.note_affine(node.subscript)
                for _, child in node.children():
                    self.visit(child)

    def _for(self, node: c_ast.For) -> None:
        self._declared.append(set())
        if isinstance(node.init, c_ast.DeclList):
            for declaration in node.init.decls:
                self.visit(declaration)
        else:
            self.note_affine(node.init)
        counter = loop_counter(node)
        if counter is not None:
            self._of(counter).counters.add(counter)
        else:
            self.visit(node.init)
        self.note_affine(node.cond)
        self.note_affine(node.next)
        self.visit(node.stmt)
        self._declared.pop()

    def note_affine(self, node: c_ast.Node | None) -> None:
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.ID):
                self._of(inner.name).affine.add(inner.name)


def region_names(items: Iterable[c_ast.Node]) -> RegionNames:
    """How the statements of a region use names."""
    collector = _Collector()
    for item in items:
        collector.visit(item)
    return RegionNames(collector.outer.frozen(), collector.inner.frozen())


def function_names(function: c_ast.FuncDef, index: Callable[[c_ast.Node], int]) -> FunctionNames:
    """How a whole function uses names."""
    assignments: list[tuple[str, int]] = []
    calls: list[int] = []
    taken: dict[str, int] = {}
    fewest: dict[str, int] = {}
    for node in walk_nodes(function.body):
        assigned = assigned_name(node)
        if assigned is not None:
            assignments.append((assigned[0], index(assigned[1])))
        match node:
            case c_ast.FuncCall():
                calls.append(index(node))
            case c_ast.UnaryOp(op="&", expr=expr):
                # The base comes first: in &a[i] it is a whose address goes out, not i's.
                base = next((n for n in walk_nodes(expr) if isinstance(n, c_ast.ID)), None)
                if base is not None:
                    taken[base.name] = index(base)
    _count_subscripts(function.body, 0, fewest)
    return FunctionNames(tuple(assignments), taken, fewest, tuple(calls))


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
