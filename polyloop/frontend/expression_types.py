"""The types of expressions, as far as rewrites ask: is it a pointer, to what, and which structure is it?"""

from __future__ import annotations

from pycparser import c_ast

from polyloop.arithmetic import (
    ABSOLUTE,
    SIGNATURES,
    VIEWS,
    Arithmetic,
    ArrayOf,
    CType,
    Function,
    Opaque,
    Pointer,
    Record,
    float_literal,
    integer_literal,
    promote,
    usual,
)
from polyloop.backend.ir.expressions import F32, F64, I32, I64, U64, ScalarType
from polyloop.backend.ir.ranges import fits, value_range
from polyloop.frontend.scopes import Declarations, Scope, Symbol
from polyloop.frontend.syntax import c_text


def variable_type(symbol: Symbol) -> CType:
    """The type of a variable; arrays that are parameters are pointers."""
    if symbol.kind == "parameter" and isinstance(symbol.type, ArrayOf):
        return Pointer(symbol.type.element, symbol.type.restrict)
    return symbol.type


def complete(type_: CType, scope: Scope) -> CType:
    """A structure's type where its definition came after the type was read."""
    known = scope.lookup(type_.what) if isinstance(type_, Opaque) else None
    return known.type if known is not None else type_


def type_of(node: c_ast.Node, scope: Scope, declarations: Declarations) -> CType | None:
    """The type of an expression: a number of some type where it is a number, None where it is not known."""
    match node:
        case c_ast.ID():
            symbol = scope.lookup(node.name)
            return complete(variable_type(symbol), scope) if symbol is not None else None
        case c_ast.ArrayRef(name=inner) | c_ast.UnaryOp(op="*", expr=inner):
            match type_of(inner, scope, declarations):
                case Pointer(target) | ArrayOf(target):
                    return complete(target, scope)
            return None
        case c_ast.StructRef():
            base = type_of(node.name, scope, declarations)
            base = complete(base.target, scope) if isinstance(base, Pointer) and node.type == "->" else base
            member = base.member(node.field.name) if isinstance(base, Record) else None
            return complete(member, scope) if member is not None else None
        case c_ast.UnaryOp(op="&", expr=inner):
            type_ = type_of(inner, scope, declarations)
            return Pointer(type_) if type_ is not None else None
        case c_ast.UnaryOp(op="p++" | "p--" | "++" | "--", expr=inner):
            return type_of(inner, scope, declarations)
        case c_ast.Cast():
            return declarations.resolve(node.to_type, scope)
        case c_ast.FuncCall():
            return None
        case c_ast.BinaryOp(op="+" | "-"):
            sides = (type_of(side, scope, declarations) for side in (node.left, node.right))
            match [type_ for type_ in sides if isinstance(type_, Pointer | ArrayOf)]:
                case [Pointer() as pointer]:
                    return pointer
                case [ArrayOf(element)]:
                    return Pointer(element)
    return Arithmetic(I64)


def elements_of(type_: CType | None) -> CType | None:
    """What a pointer leads to, or an array consists of; None of others."""
    match type_:
        case Pointer(target) | ArrayOf(target):
            return target
    return None


def size_of(type_: CType | None, scope: Scope, declarations: Declarations) -> int | None:
    """Bytes of a number, or of an array of numbers whose extents are constants; None for others."""
    match type_:
        case Arithmetic(scalar):
            return scalar.bytes
        case ArrayOf(element, extent) if extent is not None:
            size, count = size_of(element, scope, declarations), declarations.constant(extent, scope)
            return None if size is None or count is None else size * count
    return None


_TRUTHS = ("<", "<=", ">", ">=", "==", "!=", "&&", "||", "!")


def number_type(node: c_ast.Node, scope: Scope, declarations: Declarations) -> ScalarType | None:
    """The type of number that C computes an expression in; None where it is no number, or that is not known."""

    def of(node: c_ast.Node) -> ScalarType | None:
        match node:
            case c_ast.Constant(type="char"):
                return I32
            case c_ast.Constant():
                literal = integer_literal(node.value) if "int" in node.type else float_literal(node.value)
                return literal[1] if literal is not None and node.type != "string" else None
            case c_ast.BinaryOp() | c_ast.UnaryOp() if node.op in _TRUTHS:
                return I32
            case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
                return U64
            case c_ast.UnaryOp(op="-" | "+" | "~"):
                inner = of(node.expr)
                return inner and promote(inner)
            case c_ast.BinaryOp(op="<<" | ">>"):
                left = of(node.left)
                return left and promote(left)
            case c_ast.BinaryOp():
                left, right = of(node.left), of(node.right)
                return usual(left, right) if left is not None and right is not None else None
            case c_ast.TernaryOp():
                then, otherwise = of(node.iftrue), of(node.iffalse)
                return usual(then, otherwise) if then is not None and otherwise is not None else None
            case c_ast.Assignment():
                return of(node.lvalue)
            case c_ast.FuncCall(name=c_ast.ID(name=name)):
                symbol = scope.lookup(name)
                if symbol is None or not symbol.defined:
                    known = SIGNATURES[name][0] if name in SIGNATURES else ABSOLUTE.get(name) or VIEWS.get(name)
                    if known is not None:
                        return known
                result = symbol.type.result if symbol is not None and isinstance(symbol.type, Function) else None
                return result.scalar if isinstance(result, Arithmetic) else None
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.Cast():
                type_ = type_of(node, scope, declarations)
                return type_.scalar if isinstance(type_, Arithmetic) else None
            case c_ast.UnaryOp(op="*" | "++" | "--" | "p++" | "p--"):
                type_ = type_of(node, scope, declarations)
                return type_.scalar if isinstance(type_, Arithmetic) else None
        return None

    return of(node)


def holds_all_of(wide: ScalarType, narrow: ScalarType) -> bool:
    """Has a type of numbers all values of another one?"""
    if narrow.is_float or wide.is_float:
        bits = {F32: 24, F64: 53}.get(wide, 0)
        return wide.is_float and (wide.bits >= narrow.bits if narrow.is_float else narrow.bits <= bits)
    return fits(value_range(narrow), wide)


def same_type(first: CType, second: CType, scope: Scope, declarations: Declarations) -> bool:
    """Are objects of the two types laid out alike? Extents of arrays count as equal if they are the same number, or
    the same text."""

    def equal(a: c_ast.Node, b: c_ast.Node) -> bool:
        values = declarations.constant(a, scope), declarations.constant(b, scope)
        if values != (None, None):
            return values[0] == values[1]
        return c_text(a) == c_text(b)

    match complete(first, scope), complete(second, scope):
        case ArrayOf(a, m), ArrayOf(b, n):
            return m is not None and n is not None and equal(m, n) and same_type(a, b, scope, declarations)
        case Arithmetic() as one, Arithmetic() as other:
            return one.scalar == other.scalar and one.boolean == other.boolean
        case Record() as one, Record() as other:
            return one == other
        case Pointer(a), Pointer(b):
            return same_type(a, b, scope, declarations)
    return False
