"""Rewrites quotients, shifts and the like into parameters, where they have one value all over the region.

``i < n / m`` gets a parameter n_over_m, ``h*(dim / heads)`` dim_over_heads: C's expression stays C's, and is evaluated
where C certainly does so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeGuard

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, integer_literal, is_integer, promote, usual
from polyloop.backend.ir.expressions import ScalarType
from polyloop.frontend.derived import multiple_of, named_terms
from polyloop.frontend.induction import Polynomials, constant_of
from polyloop.frontend.members import Names, names_of
from polyloop.frontend.scopes import Place, Symbol
from polyloop.frontend.syntax import Items, Surroundings, c_text, map_children, replaced, variables

_WORDS = {"*": "times", "/": "over", "%": "modulo", "<<": "shifted", ">>": "shifted_down"}
_WORDS |= {"&": "and", "|": "or", "^": "xor", "+": "plus", "-": "minus"}
_TOKENS = re.compile(r"\w+|<<|>>|[-+*/%&|^]")


def name_fixed_values(items: Items, around: Surroundings) -> Items:
    """The statements with a variable for every such value in a bound, a condition or a subscript."""
    fixed = _Fixed(names_of(items, around))
    return tuple(fixed.visit(item) for item in items)


@dataclass
class _Fixed:
    names: Names

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        """Statements, and what stands in them that is no integer that loops depend on."""
        match node:
            case c_ast.For():
                integers = [part for part in (node.init, node.cond) if part is not None]
            case c_ast.If():
                integers = [node.cond]
            case c_ast.ArrayRef():
                integers = [node.subscript]
            case _:
                integers = []
        return map_children(node, lambda child: self._value(child) if child in integers else self.visit(child))

    def _value(self, node: c_ast.Node) -> c_ast.Node:
        """An integer that loops depend on."""
        match node:
            case c_ast.BinaryOp() if self._is_fixed(node) and self._is_whole(node):
                return self._named(node)
            case c_ast.BinaryOp(op="*") if not self._is_fixed(node):
                # A stride is a parameter: of quotients by constants, nothing follows from what they are of.
                return map_children(
                    node, lambda side: self._named(side) if self._is_quotient(side) else self._value(side)
                )
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.FuncCall() | c_ast.Typename():
                return self.visit(node)
        return map_children(node, self._value)

    def _is_fixed(self, node: c_ast.BinaryOp) -> bool:
        return node.op in _WORDS and self._type(node) is not None

    def _is_quotient(self, node: c_ast.Node) -> TypeGuard[c_ast.BinaryOp]:
        quotient = isinstance(node, c_ast.BinaryOp) and node.op in ("/", ">>") and self._is_fixed(node)
        return quotient and any(True for _ in variables(node))

    def _is_whole(self, node: c_ast.BinaryOp) -> bool:
        """Is it neither a sum nor a product, but something that only its value is known of?"""
        if node.op in ("+", "-", "*"):
            return False
        # What a constant masks has a known range, and says so.
        left, right = (any(True for _ in variables(side)) for side in (node.left, node.right))
        return right and (left or node.op not in ("&", "|", "^"))

    def _type(self, node: c_ast.Node) -> ScalarType | None:
        """C's type of an expression that has one value all over the region."""
        match node:
            case c_ast.Constant() if "int" in node.type:
                literal = integer_literal(node.value)
                return literal[1] if literal is not None else None
            case c_ast.ID():
                symbol = self.names.outer(node.name)
                type_ = symbol.type if symbol is not None else None
                return promote(type_.scalar) if is_integer(type_) else None
            case c_ast.UnaryOp(op="-" | "+" | "~"):
                return self._type(node.expr)
            case c_ast.BinaryOp() if node.op in _WORDS:
                left, right = self._type(node.left), self._type(node.right)
                if left is None or right is None:
                    return None
                return left if node.op in ("<<", ">>") else usual(left, right)
        return None

    def _named(self, node: c_ast.BinaryOp) -> c_ast.Node:
        parts: list[tuple[Symbol, c_ast.Node]] = []
        written: dict[str, c_ast.Node] = {}
        for variable in variables(node):
            symbol = self.names.outer(variable.name)
            assert symbol is not None
            parts.append((symbol, variable))
            written[variable.name] = c_ast.ID(symbol.written)
        type_ = self._type(node)
        assert type_ is not None
        text = f"({c_text(replaced(node, written))})"
        words = (f"_{_WORDS[token]}_" if token in _WORDS else token for token in _TOKENS.findall(c_text(node)))
        # Evaluated only where C does: there may be no quotient.
        place = Place(text, text, text, behind=True, value=True)
        around = self.names.around
        polynomials = Polynomials(around.scope, around.declarations)
        whole, by = polynomials.read(node.left), constant_of(node.right, polynomials)
        if node.op in ("/", ">>") and whole is not None and by is not None:
            by = 1 << by if node.op == ">>" else by
            place = replace(place, polynomial=named_terms(whole) if by > 0 else (), multiple=by)
        elif node.op == "/" and whole is not None and (terms := named_terms(whole)):
            divisor, times = multiple_of(polynomials.read(node.right))
            if divisor and times > 0:
                place = replace(place, polynomial=terms, divisor=divisor, multiple=times)
        made = self.names.symbol("".join(words), Arithmetic(type_), place)
        made.parts[str(node.coord)] = tuple(parts)
        return c_ast.ID(made.name, node.coord)
