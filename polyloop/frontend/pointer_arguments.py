"""Arguments in the place of pointer parameters: ``to[k]`` of a function is ``a[i * m + k]`` where it is called with
``&a[i * m]``, ``*p`` is the variable whose address was given."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from polyloop.backend.ir.expressions import I64
from polyloop.frontend.scopes import children, used_names
from polyloop.frontend.syntax import cast, is_zero, map_children, number, operation


@dataclass(frozen=True)
class PointerArgument:
    """What a pointer parameter stands for: `offset` elements behind an array or pointer, or one variable."""

    base: c_ast.Node
    offset: c_ast.Node | None = None
    is_variable: bool = False


@dataclass(frozen=True)
class Substitution:
    """Puts arguments in the place of parameters."""

    values: dict[str, c_ast.Node]
    pointers: dict[str, PointerArgument]

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.ID():
                if node.name in self.pointers:
                    return self._located(self.pointers[node.name].base, node)
                value = self.values.get(node.name)
                return node if value is None else self._located(value, node)
            case c_ast.ArrayRef(name=c_ast.ID(name=name)) if name in self.pointers:
                return self._element(self.pointers[name], self.visit(node.subscript), node)
            case c_ast.UnaryOp(op="*", expr=inner) if (found := _element_of(inner, self.pointers)) is not None:
                subscript = self.visit(found[1]) if found[1] is not None else number(0, node)
                return self._element(self.pointers[found[0]], subscript, node)
            case c_ast.UnaryOp(op="&", expr=c_ast.ID()):
                return node
            case c_ast.StructRef(name=c_ast.ID(name=name), type="->") if name in self.pointers:
                argument = self.pointers[name]
                if argument.is_variable or argument.offset is not None:
                    base = self._element(argument, number(0, node), node)
                    return c_ast.StructRef(base, ".", node.field, node.coord)
                return c_ast.StructRef(argument.base, "->", node.field, node.coord)
            case c_ast.Typename():
                return node
        return map_children(node, self.visit)

    def _located(self, node: c_ast.Node, place: c_ast.Node) -> c_ast.Node:
        return c_ast.ID(node.name, place.coord) if isinstance(node, c_ast.ID) else node

    def _element(self, argument: PointerArgument, subscript: c_ast.Node, place: c_ast.Node) -> c_ast.Node:
        base = self._located(argument.base, place)
        if argument.is_variable:
            return base
        if argument.offset is not None:
            subscript = (
                argument.offset if is_zero(subscript) else operation("+", as_long(argument.offset), as_long(subscript))
            )
        return c_ast.ArrayRef(base, subscript, place.coord)


def _element_of(node: c_ast.Node, pointers: dict[str, PointerArgument]) -> tuple[str, c_ast.Node | None] | None:
    """Parameter and subscript of what ``*node`` is."""
    match node:
        case c_ast.ID(name=name) if name in pointers:
            return name, None
        case c_ast.BinaryOp(op="+", left=c_ast.ID(name=name), right=subscript) if name in pointers:
            return name, subscript
        case c_ast.BinaryOp(op="+", left=subscript, right=c_ast.ID(name=name)) if name in pointers:
            return name, subscript
    return None


def fits(node: c_ast.Node, name: str, argument: PointerArgument) -> bool:
    """Is all that the body does with the parameter something that `Substitution` can do with the argument?"""
    if name not in used_names(node):
        return True
    known = {name: argument}
    match node:
        case c_ast.ID():
            return argument.offset is None and not argument.is_variable
        case c_ast.ArrayRef(name=c_ast.ID(name=base), subscript=subscript) if base == name:
            return (is_zero(subscript) or not argument.is_variable) and fits(subscript, name, argument)
        case c_ast.UnaryOp(op="*", expr=inner) if (found := _element_of(inner, known)) is not None:
            return found[1] is None or (not argument.is_variable and fits(found[1], name, argument))
        case c_ast.UnaryOp(op="&" | "sizeof", expr=c_ast.ID(name=base)):
            return bool(base != name)
        case c_ast.StructRef(name=c_ast.ID()):
            return True
        case c_ast.StructRef():
            return fits(node.name, name, argument)
    return all(fits(child, name, argument) for child in children(node))


def as_long(node: c_ast.Node) -> c_ast.Node:
    return node if isinstance(node, c_ast.Constant) else cast(node, I64)
