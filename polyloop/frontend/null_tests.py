"""Rewrites tests of pointers into numbers: whether there is an array at all, ``mask ? mask[i] : 1``.

See `polyloop.frontend.members` for what the names stand for.
"""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, Pointer
from polyloop.backend.ir.expressions import I32
from polyloop.frontend.members import Names, names_of
from polyloop.frontend.scopes import Place, Symbol
from polyloop.frontend.syntax import Items, Surroundings, is_zero, map_children, with_parts


def name_null_tests(items: Items, around: Surroundings) -> Items:
    """The statements with a number for whether a pointer is null: ``mask ? mask[i] : 1``."""
    tests = _NullTests(names_of(items, around))
    return tuple(tests.visit(item) for item in items)


@dataclass
class _NullTests:
    names: Names

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.If() | c_ast.TernaryOp():
                inner = map_children(node, self.visit)
                return with_parts(inner, cond=self._truth(node.cond) or inner.cond)
            case c_ast.BinaryOp(op="&&" | "||"):
                inner = map_children(node, self.visit)
                left, right = self._truth(node.left) or inner.left, self._truth(node.right) or inner.right
                return with_parts(inner, left=left, right=right)
            case c_ast.UnaryOp(op="!"):
                inner = self._truth(node.expr)
                return map_children(node, self.visit) if inner is None else c_ast.UnaryOp("!", inner, node.coord)
            case c_ast.BinaryOp(op="==" | "!="):
                pair = (node.left, node.right) if is_zero(node.right) else (node.right, node.left)
                inner = self._truth(pair[0]) if is_zero(pair[1]) else None
                if inner is not None:
                    return inner if node.op == "!=" else c_ast.UnaryOp("!", inner, node.coord)
        return map_children(node, self.visit)

    def _truth(self, node: c_ast.Node) -> c_ast.Node | None:
        """A pointer's truth as a number."""
        symbol = self.names.outer(node.name) if isinstance(node, c_ast.ID) else None
        if symbol is None or not isinstance(symbol.type, Pointer) or symbol.type.volatile:
            return None
        place = symbol.place
        return null_test(symbol, self.names, node) if place is None or not place.decayed else None


def null_test(symbol: Symbol, names: Names, node: c_ast.Node) -> c_ast.Node:
    """Whether a pointer is another than null, where the region begins."""
    place = symbol.place
    text = place.text if place is not None else symbol.name
    changes = (symbol.name,) if place is None and names.may_change(symbol) else ()
    pointers, follows = (place.pointers, place.follows) if place is not None else (changes, False)
    container = place.container if place is not None else text
    value = Place(f"({text} != 0)", text, container, pointers, behind=follows, value=True)
    made = names.symbol(f"has_{text}", Arithmetic(I32), value)
    return c_ast.BinaryOp(">", c_ast.ID(made.name, node.coord), c_ast.Constant("int", "0"), node.coord)


def tested_pointer(condition: c_ast.Node) -> str | None:
    """The variable that a condition asks to be another than 0, and nothing else: ``p``, ``p != NULL``."""
    match condition:
        case c_ast.ID(name=str() as name):
            return name
        case c_ast.BinaryOp(op="!=", left=c_ast.ID(name=str() as name), right=other) if is_zero(other):
            return name
    return None
