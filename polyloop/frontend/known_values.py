"""What is known of variables from statements before the region: ``int now = 0, C3 = 3 * C;``, ``double *p = a + n;``.

A definition counts where C certainly comes from it to the region, with nothing between that might change the variable,
or what its value is computed from.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, integer_literal, is_integer
from polyloop.backend.ir.expressions import I32, I64
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.frontend.expression_types import number_type
from polyloop.frontend.regions import Found, names_at
from polyloop.frontend.scopes import Symbol, assigned_name, changed_names, declared_names, stored_into, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, c_text, cast, replaced, variables

_Terms = dict[str, int]
"""Factors by name; "" has the constant."""


def known_values(found: Found, parameters: Mapping[str, Symbol], addressed: frozenset[str]) -> dict[str, Polynomial]:
    """The values of parameters in terms of other ones, by name; those that others are computed from first.

    Args:
        parameters: the region's.
        addressed: variables whose address is taken somewhere.
    """
    if _jumps(found):
        return {}
    own = {name: symbol for name, symbol in parameters.items() if name not in addressed and _is_own(symbol)}
    before = _Before(found, own)
    values = {name: terms for name in own if (terms := before.value(name)) is not None}
    result: dict[str, Polynomial] = {}
    while ready := [
        n for n, terms in values.items() if n not in result and not terms.keys() & values.keys() - result.keys()
    ]:
        for name in ready:
            result[name] = tuple(((other,) if other else (), factor) for other, factor in values[name].items())
    return result


def computed_values(found: Found, texts: Mapping[str, str], own: Collection[str]) -> dict[str, tuple[Polynomial, int]]:
    """Parameters that statements before the region compute from other ones, ``cx = g->nx / 2``, by name: a sum of
    products, and what it is divided by.

    Args:
        texts: the parameters by C's expression of them.
        own: as `first_value` has it.
    """
    asked = [] if _jumps(found) else [name for text, name in texts.items() if text == name and name in own]
    values = {name: value for name in asked if (value := first_value(name, found, own)) is not None}
    result: dict[str, tuple[Polynomial, int]] = {}
    for name, value in values.items():
        by = _divisor(value)
        terms = _products(value if by == 1 else value.left, found, texts.keys() - {name}, own, _DEEPEST)
        if terms is not None:
            result[name] = tuple((tuple(texts[t] for t in names), factor) for names, factor in terms.items()), by
    return result


_Products = dict[tuple[str, ...], int]
"""Factors by C's expressions that are multiplied."""

_DEEPEST = 4
"""So many variables, each computed from the next one, are followed."""


def _divisor(node: c_ast.Node) -> int:
    """The number that an expression is divided by, also by a shift; 1 where there is none."""
    match node:
        case c_ast.BinaryOp(op="/" | ">>", right=c_ast.Constant(value=written)):
            literal = integer_literal(written)
            number = 0 if literal is None else literal[0]
            if node.op == ">>":
                number = 1 << number if number <= _MOST_BITS else 0
            return max(number, 1)
    return 1


_MOST_BITS = 62
"""Of shifts: further ones leave nothing of a size."""


def _products(
    node: c_ast.Node, found: Found, texts: Collection[str], own: Collection[str], depth: int
) -> _Products | None:
    """An expression as a sum of products of what has a text, or was computed from that; None for others."""

    def inner(part: c_ast.Node) -> _Products | None:
        return _products(part, found, texts, own, depth)

    match node:
        case c_ast.Constant() if "int" in node.type:
            literal = integer_literal(node.value)
            return None if literal is None else {(): literal[0]}
        case c_ast.ID() | c_ast.StructRef() if c_text(node) in texts:
            return {(c_text(node),): 1}
        case c_ast.ID(name=name) if depth and (value := first_value(name, found, own)) is not None:
            return _products(value, found, texts, own, depth - 1)
        case c_ast.BinaryOp(op="+" | "-" | "*" as operator):
            left, right = inner(node.left), inner(node.right)
            if left is None or right is None:
                return None
            if operator != "*":
                sign = 1 if operator == "+" else -1
                return {key: left.get(key, 0) + sign * right.get(key, 0) for key in {**left, **right}}
            terms: _Products = {}
            for (one, factor), (other, more) in product(left.items(), right.items()):
                terms[*one, *other] = terms.get((*one, *other), 0) + factor * more
            return terms
    return None


def first_value(name: str, found: Found, own: Collection[str]) -> c_ast.Node | None:
    """The expression that a variable was set to, which still has that value where the region begins; None if that is
    not plain to see.

    Args:
        own: variables of the function that no other name reaches; the expression is of such ones.
    """
    before = _Before(found, {})
    defined = None if _jumps(found) else before.definition(name)
    if defined is None:
        return None
    value, since = defined
    nodes = list(walk_nodes(value))
    if any(isinstance(n, c_ast.FuncCall | c_ast.InitList) or assigned_name(n) is not None for n in nodes):
        return None
    names = {n.name for n in variables(value)}
    if not names <= set(own) or not before.changed(since).isdisjoint((name, *names)):
        return None
    loads = any(isinstance(n, c_ast.ArrayRef | c_ast.StructRef | c_ast.UnaryOp) for n in nodes)
    between = (n for item in before.between(since) for n in walk_nodes(item))
    return None if loads and any(map(_may_store, between)) else value


def value_before(name: str, around: Surroundings) -> c_ast.Node | None:
    """The same for a variable of the function whose address nobody takes."""
    taken = names_at(around.found, around.declarations).address_taken

    def is_own(other: str) -> bool:
        symbol = around.scope.lookup(other)
        return symbol is not None and symbol.automatic and other not in taken

    if not is_own(name):
        return None
    nodes = (n for n in walk_nodes(around.found.function) if isinstance(n, c_ast.ID))
    return first_value(name, around.found, {name, *(n.name for n in nodes if is_own(n.name))})


def values_for_copies(items: Items, around: Surroundings) -> Items:
    """The statements with members of structures in the places of variables that were set to them before the region, as
    in ``int nx = grid->nx;``, if the region names both: they are one number then, and not two. Variables that are
    computed from what the region names are what they are computed from, ``plane = nx * ny``: how far apart elements
    lie says how they are arranged.
    """
    nodes = [node for item in items for node in walk_nodes(item)]
    set_here = changed_names(items) | declared_names(items)
    stored = {node.field.name for node in map(stored_into, nodes) if isinstance(node, c_ast.StructRef)}
    members = {c_text(n) for n in nodes if isinstance(n, c_ast.StructRef) and n.field.name not in stored}
    named = dict.fromkeys(v.name for item in items for v in variables(item) if v.name not in set_here)
    values = {name: value for name in named if (value := value_before(name, around)) is not None}
    known: dict[str, c_ast.Node] = {}

    def is_told(value: c_ast.Node) -> bool:
        match value:
            case c_ast.ID(name=name):
                return name in named
            case c_ast.StructRef():
                return c_text(value) in members
            case c_ast.BinaryOp(op="*" | "+" | "-"):
                return is_told(value.left) and is_told(value.right)
            case c_ast.Cast():
                return is_told(value.expr)
            case c_ast.Constant():
                return "int" in value.type
        return False

    def told(name: str, value: c_ast.Node) -> c_ast.Node | None:
        type_ = _integer_type(name, around)
        has = number_type(value, around.scope, around.declarations)
        arranges = isinstance(value, c_ast.ID | c_ast.StructRef) or any(_is_product(n) for n in walk_nodes(value))
        if type_ is None or has is None or has.is_float or has.bits > type_.scalar.bits or not arranges:
            return None
        return (value if has == type_.scalar else cast(value, type_.scalar)) if is_told(value) else None

    while more := {
        name: whole
        for name, value in values.items()
        if name not in known and (whole := told(name, replaced(value, known))) is not None
    }:
        known = {name: replaced(value, known | more) for name, value in (known | more).items()}
    around.given.update(known)
    return tuple(replaced(item, known) for item in items) if known else items


def _is_product(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.BinaryOp) and node.op == "*"


def _integer_type(name: str, around: Surroundings) -> Arithmetic | None:
    """The type of a variable, if that is what C computes with its values in."""
    symbol = around.scope.lookup(name)
    type_ = None if symbol is None else symbol.type
    return type_ if is_integer(type_) and type_.scalar.bits >= 32 and not type_.volatile else None


def _jumps(found: Found) -> bool:
    jumps = (c_ast.Goto, c_ast.Label, c_ast.Switch)
    return any(isinstance(node, jumps) for node in walk_nodes(found.function.body))


def _may_store(node: c_ast.Node) -> bool:
    """Whether it may change memory that is no variable of the function's own."""
    changed = stored_into(node)
    return isinstance(node, c_ast.FuncCall) or (changed is not None and not isinstance(changed, c_ast.ID))


def _is_own(symbol: Symbol) -> bool:
    """Whether it is a variable of the function that holds signed numbers and that nothing else sets."""
    type_ = symbol.type
    return (
        symbol.automatic
        and symbol.place is None
        and isinstance(type_, Arithmetic)
        and type_.scalar in (I32, I64)
        and not type_.volatile
        and not type_.boolean
    )


@dataclass(frozen=True)
class _Before:
    found: Found
    own: Mapping[str, Symbol]

    def value(self, name: str) -> _Terms | None:
        """A variable's, in terms of others as they are where the region begins."""
        defined = self.definition(name)
        if defined is None:
            return None
        node, since = defined
        terms = self._terms(node, name)
        if terms is None or not self.changed(since).isdisjoint((name, *terms)):
            return None
        return terms

    def definition(self, name: str) -> tuple[c_ast.Node, tuple[int, int]] | None:
        """What the last statement that sets a variable before the region gives it, and where it stands: the number of
        its block, from outside, and its own."""
        for block in reversed(range(len(self.found.before))):
            items = self.found.before[block]
            for place in reversed(range(len(items))):
                match items[place]:
                    case c_ast.Decl(name=declared, init=value) if declared == name:
                        return None if value is None else (value, (block, place))
                    case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value) if target == name:
                        return value, (block, place)
                if name in changed_names([items[place]]):
                    return None
        return None

    def between(self, since: tuple[int, int]) -> Items:
        """What may run between a statement and the region: what stands there, and loops around the region alone."""
        block, place = since
        before = self.found.before
        there = before[block][place]
        behind = (*before[block][place + 1 :], *(item for inner in before[block + 1 :] for item in inner))
        loops = [loop for loop in self.found.around if all(node is not there for node in walk_nodes(loop.stmt))]
        return (*behind, *loops)

    def changed(self, since: tuple[int, int]) -> set[str]:
        """What may have been set, or declared anew, between a statement and the region."""
        between = self.between(since)
        return changed_names(between) | declared_names(between)

    def _terms(self, node: c_ast.Node, name: str) -> _Terms | None:
        """An expression as a sum; None where C may compute something else, or needs what is no parameter."""
        match node:
            case c_ast.Constant() if "int" in node.type:
                literal = integer_literal(node.value)
                return {"": literal[0]} if literal is not None and literal[1] in (I32, I64) else None
            case c_ast.ID(name=other) if other != name and other in self.own:
                return {other: 1} if _bits(self.own[other]) <= _bits(self.own[name]) else None
            case c_ast.UnaryOp(op="-"):
                return _scaled(self._terms(node.expr, name), -1)
            case c_ast.BinaryOp(op="+" | "-"):
                left, right = self._terms(node.left, name), self._terms(node.right, name)
                right = _scaled(right, 1 if node.op == "+" else -1)
                if left is None or right is None:
                    return None
                return {key: left.get(key, 0) + right.get(key, 0) for key in {**left, **right}}
            case c_ast.BinaryOp(op="*"):
                left, right = self._terms(node.left, name), self._terms(node.right, name)
                if left is None or right is None or min(len(left.keys() - {""}), len(right.keys() - {""})):
                    return None
                other, factor = (left, right) if right.keys() <= {""} else (right, left)
                return _scaled(other, factor.get("", 0))
        return None


def _bits(symbol: Symbol) -> int:
    assert isinstance(symbol.type, Arithmetic)
    return symbol.type.scalar.bits


def _scaled(terms: _Terms | None, factor: int) -> _Terms | None:
    return None if terms is None else {name: factor * value for name, value in terms.items()}
