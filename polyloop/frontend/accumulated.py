"""Loops between bounds from data that add up several numbers, each of which gets a loop of its own.

    for (k = start[i]; k < start[i + 1]; k++) {          for (k = start[i]; k < start[i + 1]; k++)
        int j = next[k];                                     s = x[i] - x[next[k]] < r ? s + w[k] : s;
        double d = x[i] - x[j];                   ->     for (k = start[i]; k < start[i + 1]; k++)
        if (d >= r) continue;                                m = x[i] - x[next[k]] < r ? m + 1 : m;
        s += w[k];
        m++;
    }

Such loops are one assignment each (`polyloop.frontend.folds`). What an iteration computes on the way is put in its
place, as many times as it is used: nothing is stored in between, and what stands behind a condition is evaluated where
C does, or not at all. A number may be read where it is added to and nowhere else. One in memory has to be written in
every iteration, as it is in C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.frontend.induction import Polynomials
from polyloop.frontend.regions import exposed_read, names_at
from polyloop.frontend.scopes import Scope, base_name, children, is_element, set_names, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    as_one,
    c_text,
    cast,
    header_of,
    map_children,
    mentions,
    number,
    operation,
    replaced,
    statements_of,
    variables,
    with_parts,
)
from polyloop.frontend.values import APART, does_more

_LARGEST = 2000
"""Nodes of what one loop computes, written out."""


def accumulate_one_by_one(items: Items, around: Surroundings) -> Items:
    """The statements with a loop for every number that such a loop adds up."""
    if not any(_is_between_data(node) for item in items for node in walk_nodes(item)):
        return items
    loops = _Loops(items, around)
    return tuple(loops.visit(item) for item in items)


def _is_between_data(node: c_ast.Node) -> bool:
    header = header_of(node) if isinstance(node, c_ast.For) else None
    ends = (header.first, header.limit) if header is not None and header.counts_up else ()
    return any(is_element(n) for end in ends for n in walk_nodes(end))


class _NoSumsError(Exception):
    """The loop is none of these."""


@dataclass
class _Loops:
    items: Items
    around: Surroundings

    def __post_init__(self) -> None:
        nodes = [node for item in self.items for node in walk_nodes(item)]
        self.mentioned = Counter(node.name for item in self.items for node in variables(item))
        self.scope = Scope(self.around.scope)
        declared = [node for node in nodes if isinstance(node, c_ast.Decl) and node.name is not None]
        for node in declared:
            self.around.declarations.declare(node, self.scope, "local")
        self.twice = {name for name, count in Counter(node.name for node in declared).items() if count > 1}
        self.addressed = names_at(self.around.found, self.around.declarations).address_taken.keys()

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if not isinstance(node, c_ast.For) or not _is_between_data(node):
            return map_children(node, self.visit)
        body = statements_of(node.stmt)
        if len(body) == 1 and isinstance(body[0], c_ast.Assignment):
            return node
        try:
            sums = self._sums(node, body)
        except _NoSumsError:
            return map_children(node, self.visit)
        loops: list[c_ast.Node] = [with_parts(node, stmt=_addition(target, value)) for target, value in sums]
        return as_one(loops, node)

    def _sums(self, node: c_ast.For, body: list[c_ast.Node]) -> list[tuple[c_ast.Node, c_ast.Node]]:
        """What the loop adds up, and what an iteration makes of each."""
        header = header_of(node)
        assert header is not None
        iteration = _Iteration(self, set_names(body) | {header.counter})
        iteration.block(body)
        inside = Counter(n.name for n in variables(node))
        kept = {key: value for key, value in iteration.values.items() if not self._ends_inside(key, inside, body)}
        named = {n.name for end in (header.first, header.limit) for n in variables(end)}
        if not kept or not (named | {header.counter}).isdisjoint(set_names(body)):
            raise _NoSumsError
        sums: list[tuple[c_ast.Node, c_ast.Node]] = []
        for key, value in kept.items():
            target = iteration.targets[key]
            if value is None or any(_names(value, other) for name, other in iteration.targets.items() if name != key):
                raise _NoSumsError
            if key in iteration.conditional and not self._is_own(target):
                raise _NoSumsError
            sums.append((target, value))
        if sum(1 for _, value in sums for _ in walk_nodes(value)) > _LARGEST:
            raise _NoSumsError
        self._check_cells([target for target, _ in sums], [value for _, value in sums])
        return sums

    def _ends_inside(self, name: str, inside: Counter[str], body: list[c_ast.Node]) -> bool:
        """Is this a variable that every iteration sets before it reads it, and that nothing else reads?"""
        if name in {n.name for item in body for n in walk_nodes(item) if isinstance(n, c_ast.Decl)}:
            return True
        symbol = self.scope.lookup(name)
        if symbol is None or symbol.kind not in ("local", "parameter") or name in self.addressed or symbol.static:
            return False
        return inside[name] == self.mentioned[name] and exposed_read(name, self.around.found) is None

    def _is_own(self, target: c_ast.Node) -> bool:
        """Whether this is a scalar that nothing but the function can see."""
        if not isinstance(target, c_ast.ID) or target.name in self.addressed:
            return False
        symbol = self.scope.lookup(target.name)
        return symbol is not None and symbol.kind in ("local", "parameter") and not symbol.static

    def _check_cells(self, targets: list[c_ast.Node], values: list[c_ast.Node]) -> None:
        """Elements that are added to are different ones, and read by themselves alone."""
        polynomials = Polynomials(self.scope, self.around.declarations)
        cells = [target for target in targets if isinstance(target, c_ast.ArrayRef)]
        for place, cell in enumerate(cells):
            for other in cells[:place]:
                if base_name(cell) != base_name(other):
                    continue
                distance = polynomials.read(operation("-", cell.subscript, other.subscript))
                if c_text(cell.name) != c_text(other.name) or distance is None or not distance.constant:
                    raise _NoSumsError
        arrays = {base_name(cell) for cell in cells}
        for target, value in zip(targets, values, strict=True) if cells else ():
            for element in _elements(value):
                if base_name(element) in {*arrays, None} and c_text(element) != c_text(target):
                    raise _NoSumsError

    def type_of(self, name: str) -> Arithmetic:
        symbol = self.scope.lookup(name)
        type_ = symbol.type if symbol is not None and name not in self.twice else None
        if not isinstance(type_, Arithmetic) or type_.boolean or type_.volatile:
            raise _NoSumsError
        return type_


@dataclass
class _Iteration:
    """One iteration, run with what variables were worth at its beginning.

    Attributes:
        changing: what the body sets, and the counter.
        values: by name, or by the text of an element, what it is worth now; None where that is not known.
        targets: what is set, by the same keys.
        conditional: what is set behind a condition.
    """

    loops: _Loops
    changing: set[str]
    values: dict[str, c_ast.Node | None] = field(default_factory=dict)
    targets: dict[str, c_ast.Node] = field(default_factory=dict)
    conditional: set[str] = field(default_factory=set)
    depth: int = 0

    def block(self, items: list[c_ast.Node]) -> None:
        for item in items:
            self.statement(item)

    def statement(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Compound() | c_ast.EmptyStatement():
                self.block(statements_of(node))
            case c_ast.DeclList():
                self.block(node.decls)
            case c_ast.Decl() if not {"static", "extern"} & set(node.storage):
                self.set(c_ast.ID(node.name, node.coord), node.init)
            case c_ast.Assignment(op="="):
                self.set(node.lvalue, node.rvalue)
            case c_ast.Assignment():
                self.set(node.lvalue, operation(node.op[:-1], node.lvalue, node.rvalue))
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                self.set(node.expr, operation(node.op.strip("p")[0], node.expr, number(1, node)))
            case c_ast.If():
                self.choice(node)
            case _:
                raise _NoSumsError

    def choice(self, node: c_ast.If) -> None:
        condition = self.value(node.cond)
        before = dict(self.values)
        self.depth += 1
        self.block(statements_of(node.iftrue))
        then, self.values = self.values, dict(before)
        self.block(statements_of(node.iffalse))
        self.depth -= 1
        for key in dict.fromkeys((*then, *self.values)):
            first, second = (env.get(key, self.targets[key]) for env in (then, self.values))
            if first is None or second is None:
                self.values[key] = None
            else:
                self.values[key] = first if first is second else c_ast.TernaryOp(condition, first, second, node.coord)

    def set(self, target: c_ast.Node, value: c_ast.Node | None) -> None:
        match target:
            case c_ast.ID():
                key, type_ = target.name, self.loops.type_of(target.name)
                new = None if value is None else self.whole(cast(self.value(value), type_.scalar), type_)
            case c_ast.ArrayRef() if value is not None and self._is_fixed(target):
                key, new = c_text(target), self.value(value)
            case _:
                raise _NoSumsError
        self.targets.setdefault(key, target)
        self.values[key] = new
        if self.depth:
            self.conditional.add(key)

    def _is_fixed(self, target: c_ast.ArrayRef) -> bool:
        return self.changing.isdisjoint(n.name for n in variables(target.subscript)) and not any(
            is_element(n) for n in walk_nodes(target.subscript)
        )

    def whole(self, value: c_ast.Node, type_: Arithmetic) -> c_ast.Node:
        """A value that was stored in a variable: a product in it is rounded by itself."""
        inner = value
        while isinstance(inner, c_ast.Cast) or (isinstance(inner, c_ast.UnaryOp) and inner.op in "+-"):
            inner = inner.expr
        if type_.scalar.is_float and isinstance(inner, c_ast.BinaryOp) and inner.op == "*":
            return c_ast.FuncCall(c_ast.ID(APART), c_ast.ExprList([value]), value.coord)
        return value

    def value(self, node: c_ast.Node) -> c_ast.Node:
        """An expression with what is known for variables and elements."""
        if does_more(node, self.loops.scope):
            raise _NoSumsError
        known = {key: value for key, value in self.values.items() if isinstance(self.targets[key], c_ast.ID)}
        if any(known.get(n.name, n) is None for n in variables(node)):
            raise _NoSumsError
        result = replaced(node, {key: value for key, value in known.items() if value is not None})
        return self._with_elements(result)

    def _with_elements(self, node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.ArrayRef) and (known := self.values.get(c_text(node))) is not None:
            return known
        return map_children(node, self._with_elements)


def _addition(target: c_ast.Node, value: c_ast.Node) -> c_ast.Assignment:
    """The assignment, as ``target += rest`` where it is that: its reader knows the target for itself there."""
    match value:
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/" | "&" | "|" | "^", left=left) if isinstance(
            target, c_ast.ArrayRef
        ) and c_text(left) == c_text(target):
            return c_ast.Assignment(f"{value.op}=", target, value.right, value.coord)
    return c_ast.Assignment("=", target, value, value.coord)


def _elements(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The elements that an expression reads, those in subscripts included."""
    if isinstance(node, c_ast.ArrayRef | c_ast.StructRef) or is_element(node):
        yield node
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            if isinstance(node, c_ast.ArrayRef):
                yield from _elements(node.subscript)
            node = node.name
    for child in children(node):
        yield from _elements(child)


def _names(value: c_ast.Node, target: c_ast.Node) -> bool:
    """Does an expression read this scalar?"""
    return isinstance(target, c_ast.ID) and mentions(value, target.name)
