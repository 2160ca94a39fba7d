"""Calls in integer expressions: min, max, floord, ceild, rounded quotients, and functions that only return.

Macros of those names arrive expanded. Functions of those names without a body are taken at their word, as all
polyhedral tools do.
"""

from __future__ import annotations

from typing import Protocol

from pycparser import c_ast

from polyloop.arithmetic.c_types import Arithmetic, Function, usual
from polyloop.backend.ir.affine import Affine, maximum, minimum
from polyloop.backend.ir.expressions import I64, ScalarType
from polyloop.frontend.integers import Integer, from_affine
from polyloop.frontend.refusals import Refusal
from polyloop.frontend.scopes import Scope, Symbol

# Functions that call functions are followed this far, which recursion is not.
_DEEPEST = 8


class HasScope(Protocol):
    """Where names are looked up."""

    @property
    def scope(self) -> Scope: ...


class Reader(Protocol):
    """The part of `IntegerReader` that reading a call needs; `bound` are the parameters of functions being read."""

    bound: list[dict[str, Integer]]

    @property
    def around(self) -> HasScope: ...

    def affine(self, node: c_ast.Node) -> Affine: ...

    def integer(self, node: c_ast.Node) -> Integer: ...

    def settle(self, value: Integer, node: c_ast.Node) -> Integer: ...

    def convert(self, value: Integer, to: ScalarType, node: c_ast.Node) -> Integer: ...


def call_value(reader: Reader, node: c_ast.FuncCall) -> Integer:
    """The value of a call in a bound, a subscript or a condition.

    Raises:
        Refusal: for a function that is not known to be affine.
    """
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    arguments = list(node.args.exprs) if node.args is not None else []
    if rounding_call(node) is not None:
        return rounded_value(reader, node)
    symbol = reader.around.scope.lookup(name)
    returned = _returned_expression(symbol)
    if symbol is not None and returned is not None:
        return _inlined(reader, node, symbol, returned, arguments)
    if name in ("min", "max", "imin", "imax") and len(arguments) == 2:
        left, right = (reader.integer(a) for a in arguments)
        common = usual(left.type, right.type)
        sides = [
            reader.settle(reader.convert(v, common, a), a).as_affine()
            for v, a in zip((left, right), arguments, strict=True)
        ]
        return from_affine((minimum if name.endswith("min") else maximum)(*sides), common)
    if name in ("floord", "ceild") and len(arguments) == 2:
        value, divisor = reader.affine(arguments[0]), reader.integer(arguments[1]).constant
        if divisor is None or divisor <= 0:
            raise Refusal("non-affine", f"{name} is affine only by a positive constant", arguments[1])
        return from_affine(value // divisor if name == "floord" else -((-value) // divisor), I64)
    raise Refusal("call", f"the value of a call ({name or 'through a pointer'}) is not affine", node)


def _inlined(
    reader: Reader, node: c_ast.FuncCall, symbol: Symbol, returned: c_ast.Node, arguments: list[c_ast.Node]
) -> Integer:
    """A call of a function that only returns an expression of its parameters."""
    type_ = symbol.type
    assert isinstance(type_, Function)
    names = [p.name for p in _parameter_declarations(symbol)]
    if type_.parameters is None or len(type_.parameters) != len(arguments) or len(names) != len(arguments):
        raise Refusal("call", f"{symbol.name} is called with the wrong number of arguments", node)
    types = [*type_.parameters, type_.result]
    if not all(isinstance(t, Arithmetic) and not t.scalar.is_float and not t.boolean for t in types):
        raise Refusal("call", f"the value of a call ({symbol.name}) is not affine", node)
    if len(reader.bound) > _DEEPEST:
        raise Refusal("call", f"{symbol.name} calls itself", node)
    scalars = [t.scalar for t in types if isinstance(t, Arithmetic)]
    bound = {
        name: reader.convert(reader.integer(a), t, a) for name, t, a in zip(names, scalars[:-1], arguments, strict=True)
    }
    reader.bound.append(bound)
    try:
        return reader.convert(reader.integer(returned), scalars[-1], node)
    finally:
        reader.bound.pop()


def rounded_value(reader: Reader, node: c_ast.FuncCall) -> Integer:
    """``floor((double)n / (double)c)`` and ``ceil`` of the same, as loop generators write them."""
    quotient = node.args.exprs[0]
    dividend = reader.affine(_without_double(quotient.left) or quotient.left)
    divisor = reader.integer(_without_double(quotient.right) or quotient.right).constant
    if divisor is None or divisor <= 0:
        raise Refusal("non-affine", "rounded division is affine only by a positive constant", quotient.right)
    if node.name.name == "floor":
        return from_affine(dividend // divisor, I64)
    return from_affine(-((-dividend) // divisor), I64)


def rounding_call(node: c_ast.Node) -> c_ast.FuncCall | None:
    """The node, if it is floor or ceil of a quotient with a side that is cast to double."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name="floor" | "ceil")) if node.args is not None:
            match node.args.exprs:
                case [c_ast.BinaryOp(op="/") as q] if _without_double(q.left) or _without_double(q.right):
                    return node
    return None


def _without_double(node: c_ast.Node) -> c_ast.Node | None:
    match node:
        case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=["double"])))):
            return node.expr
    return None


def _returned_expression(symbol: Symbol | None) -> c_ast.Node | None:
    """The expression of a function whose whole body is ``return expression;``."""
    if symbol is None or symbol.body is None:
        return None
    match symbol.body.body.block_items:
        case [c_ast.Return(expr=expression)] if expression is not None:
            return expression
    return None


def _parameter_declarations(symbol: Symbol) -> list[c_ast.Decl]:
    assert symbol.body is not None
    declarator = symbol.body.decl.type
    return [p for p in declarator.args.params if isinstance(p, c_ast.Decl)] if declarator.args is not None else []
