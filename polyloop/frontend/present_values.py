"""What integer variables are worth at one place of a region, as expressions of what does not change any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, Pointer
from polyloop.arithmetic import is_integer as is_integer_type
from polyloop.backend.ir.expressions import ScalarType
from polyloop.frontend.induction import Polynomials
from polyloop.frontend.naming import is_own
from polyloop.frontend.scopes import (
    Scope,
    Symbol,
    assigned_name,
    children,
    kept,
    kinds_in,
    used_names,
    walk_nodes,
)
from polyloop.frontend.syntax import map_children, number, operation, variables

_LARGEST = 500

_EXACT_CALLS = frozenset(("min", "max", "imin", "imax", "floord", "ceild"))


class StaysError(Exception):
    """Variables that cannot be replaced by their values."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self.names = frozenset(names)


@dataclass
class PresentValues:
    """Replaces variables by their values, and keeps these.

    Attributes:
        types: the variables that are replaced, and their types.
        env: their present values; None where not known.
        changing: variables that statements change and that stay what they are.
        stored: names of all that statements change or declare, arrays by their elements included.
        counters: names of counters and marks that are known at the present place.
        flags: the variables that end loops.
        own_counters: variables that nothing asks for but loops that set them first: outside of these their values are
            not known, nor needed.
        staying: variables that cannot be replaced, found on the way: all of them in one go through the statements, of
            which nothing is left then.
    """

    scope: Scope
    polynomials: Polynomials
    types: dict[str, ScalarType] = field(default_factory=dict)
    env: dict[str, c_ast.Node | None] = field(default_factory=dict)
    changing: set[str] = field(default_factory=set)
    counters: set[str] = field(default_factory=set)
    stored: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    own_counters: frozenset[str] = frozenset()
    staying: set[str] = field(default_factory=set)

    def value(self, node: c_ast.Node) -> c_ast.Node:
        """A whole expression with values for variables; its assignments to variables are done."""
        if used_names(node).isdisjoint(self.types):
            return node
        self._check_order(node)
        after: dict[str, c_ast.Node] = {}
        result = self._visit(node, after)
        self.env.update(after)
        return result

    def _visit(self, node: c_ast.Node, after: dict[str, c_ast.Node]) -> c_ast.Node:
        if used_names(node).isdisjoint(self.types):
            return node
        match node:
            case c_ast.ID():
                return self._known(node) if self.is_replaced(node.name) else node
            case c_ast.UnaryOp(op="sizeof") | c_ast.Typename():
                return node
        target = self.target(node)
        if target is None:
            return map_children(node, lambda child: self._visit(child, after))
        type_ = self.types[target]
        match node:
            case c_ast.UnaryOp():
                old = self._known(node.expr)
                new: c_ast.Node = operation(node.op.strip("p")[0], old, number(1, node))
            case c_ast.Assignment(op="="):
                new = old = self._visit(node.rvalue, after)
            case _:
                old = self._known(node.lvalue)
                new = operation(node.op[:-1], old, self._visit(node.rvalue, after))
        if not self.is_settled(new) or is_large(new):
            self._stays(target)
            after.pop(target, None)
            return node
        after[target] = self.polynomials.converted(new, type_)
        return old if isinstance(node, c_ast.UnaryOp) and node.op.startswith("p") else after[target]

    def _known(self, node: c_ast.ID) -> c_ast.Node:
        value = self.env[node.name]
        if value is None:
            self._stays(node.name)
            return node
        if isinstance(value, c_ast.ID) and value.name in self.counters:
            return c_ast.ID(value.name, node.coord)
        return value

    def target(self, node: c_ast.Node) -> str | None:
        """The variable whose value this node changes."""
        assigned = assigned_name(node)
        return assigned if self.is_replaced(assigned) else None

    def is_replaced(self, name: str | None) -> bool:
        return name in self.types and name not in self.staying

    def _stays(self, name: str) -> None:
        """Go on as if the variable had never been one to replace: what stays, too, because of that, is found at once.

        Raises:
            StaysError: of a variable that ends a loop, without which the statements are others.
        """
        if name in self.flags:
            raise StaysError([name])
        self.staying.add(name)
        self.changing.add(name)
        self.env[name] = None

    def _check_order(self, node: c_ast.Node) -> None:
        """What an expression changes it must use nowhere else, and change whatever its values are."""
        if kinds_in(node).isdisjoint((c_ast.Assignment, c_ast.UnaryOp)):
            return
        changed = [name for n in walk_nodes(node) if (name := self.target(n)) is not None]
        if not changed:
            return
        uses = [n.name for n in variables(node)]
        # `k = k + 1` reads before it writes.
        last = self.target(node) if isinstance(node, c_ast.Assignment) else None
        twice = {n for n in changed if changed.count(n) > 1 or (uses.count(n) > 1 and n != last)}
        for n in walk_nodes(node):
            match n:
                case c_ast.BinaryOp(op="&&" | "||"):
                    parts: list[c_ast.Node] = [n.right]
                case c_ast.TernaryOp():
                    parts = [n.iftrue, n.iffalse]
                case c_ast.ExprList():
                    parts = list(n.exprs)
                case _:
                    continue
            twice |= {t for part in parts for inner in walk_nodes(part) if (t := self.target(inner)) is not None}
        if twice:
            raise StaysError(twice)

    def is_settled(self, node: c_ast.Node) -> bool:
        """Is this an integer that stays the same wherever it is moved to?"""
        match node:
            case c_ast.Constant():
                return "int" in node.type or node.type == "char"
            case c_ast.ID():
                return self._is_fixed(node.name)
            case c_ast.UnaryOp(op="sizeof"):
                return True
            case c_ast.UnaryOp(op="-" | "+" | "~" | "!"):
                return self.is_settled(node.expr)
            case c_ast.BinaryOp():
                return self.is_settled(node.left) and self.is_settled(node.right)
            case c_ast.TernaryOp():
                return all(self.is_settled(part) for part in (node.cond, node.iftrue, node.iffalse))
            case c_ast.Cast():
                type_ = self.polynomials.type_of(node.to_type)
                integer = isinstance(type_, Arithmetic) and not type_.scalar.is_float and not type_.boolean
                return integer and self.is_settled(node.expr)
            case c_ast.ArrayRef(name=c_ast.ID(name=name)):
                return self._holds_integers(name) and self.is_settled(node.subscript)
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _EXACT_CALLS and node.args is not None:
                return all(self.is_settled(argument) for argument in node.args.exprs)
        return False

    def _holds_integers(self, name: str) -> bool:
        """Is this an array of integers that no statement stores to? That no other name leads there is tested."""
        symbol = self.scope.lookup(name)
        if symbol is None or name in self.stored or symbol.kind not in ("local", "parameter", "global"):
            return False
        match symbol.type:
            case Pointer(Arithmetic() as element, _, False) | ArrayOf(Arithmetic() as element):
                return is_integer_type(element)
        return False

    def _is_fixed(self, name: str) -> bool:
        if name in self.counters:
            return True
        symbol = self.scope.lookup(name)
        if symbol is None or name in self.changing:
            return False
        return symbol.value is not None or (is_integer(symbol) and not is_own(name))


def is_integer(symbol: Symbol) -> bool:
    """Is this an integer of the function's own, that nothing else can reach by another name?"""
    return is_integer_type(symbol.type) and symbol.kind in ("local", "parameter", "constant", "global", "member")


def is_large(value: c_ast.Node) -> bool:
    """Has an expression more nodes than a value that anything could be gained from?"""
    return _size(value) > _LARGEST


@kept
def _size(value: c_ast.Node) -> int:
    return 1 + sum(map(_size, children(value)))
