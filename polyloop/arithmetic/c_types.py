"""C's types as far as loops over numbers need them, and C's implicit conversions (C17 6.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from polyloop.backend.ir.expressions import F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, ScalarType

if TYPE_CHECKING:
    from pycparser import c_ast


@dataclass(frozen=True)
class Arithmetic:
    """A number; `boolean` is C's _Bool, stored as one unsigned byte."""

    scalar: ScalarType
    boolean: bool = False
    volatile: bool = False


@dataclass(frozen=True)
class Pointer:
    """A pointer to objects of a type."""

    target: CType
    restrict: bool = False
    volatile: bool = False


@dataclass(frozen=True)
class ArrayOf:
    """extent: the expression as written, None in ``a[]``; `restrict` can only stand in a parameter's brackets."""

    element: CType
    extent: c_ast.Node | None
    restrict: bool = False


@dataclass(frozen=True)
class Function:
    """parameters: None where the declaration does not say."""

    result: CType
    parameters: tuple[CType, ...] | None


@dataclass(frozen=True)
class Opaque:
    """A type that loops cannot compute with; `what` names it in messages."""

    what: str


CType: TypeAlias = "Arithmetic | Pointer | ArrayOf | Function | Opaque"

_SPECIFIERS: dict[tuple[str, ...], ScalarType] = {
    ("char",): I8,
    ("char", "signed"): I8,
    ("char", "unsigned"): U8,
    ("short",): I16,
    ("int", "short"): I16,
    ("short", "signed"): I16,
    ("int", "short", "signed"): I16,
    ("short", "unsigned"): U16,
    ("int", "short", "unsigned"): U16,
    ("int",): I32,
    ("signed",): I32,
    ("int", "signed"): I32,
    ("unsigned",): U32,
    ("int", "unsigned"): U32,
    ("long",): I64,
    ("int", "long"): I64,
    ("long", "signed"): I64,
    ("int", "long", "signed"): I64,
    ("long", "long"): I64,
    ("int", "long", "long"): I64,
    ("long", "long", "signed"): I64,
    ("int", "long", "long", "signed"): I64,
    ("long", "unsigned"): U64,
    ("int", "long", "unsigned"): U64,
    ("long", "long", "unsigned"): U64,
    ("int", "long", "long", "unsigned"): U64,
    ("float",): F32,
    ("double",): F64,
}

_NAMES = {I8: "signed char", I16: "short", I32: "int", I64: "long", F32: "float", F64: "double"} | {
    U8: "unsigned char",
    U16: "unsigned short",
    U32: "unsigned int",
    U64: "unsigned long",
}


def type_name(type_: CType) -> str:
    """A type in words, for messages."""
    match type_:
        case Arithmetic(_, True):
            return "_Bool"
        case Arithmetic(scalar):
            return _NAMES[scalar]
        case Pointer(target):
            return f"pointer to {type_name(target)}"
        case ArrayOf(element):
            return f"array of {type_name(element)}"
        case Function():
            return "function"
        case Opaque(what):
            return what


def specifiers(names: list[str]) -> CType:
    """The type that built-in specifiers such as ``unsigned long int`` name."""
    key = tuple(sorted(names))
    if key == ("_Bool",):
        return Arithmetic(U8, boolean=True)
    if key in _SPECIFIERS:
        return Arithmetic(_SPECIFIERS[key])
    return Opaque(" ".join(names))


def promote(type_: ScalarType) -> ScalarType:
    """Integer promotion: what is narrower than int becomes int."""
    return I32 if not type_.is_float and type_.bits < 32 else type_


def usual(left: ScalarType, right: ScalarType) -> ScalarType:
    """The usual arithmetic conversions: the common type of two operands."""
    floats = [t for t in (left, right) if t.is_float]
    if floats:
        return max(floats, key=lambda t: t.bits)
    left, right = promote(left), promote(right)
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if left.kind == "uint" else right


def value_range(type_: ScalarType) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    if type_.kind == "uint":
        return 0, (1 << type_.bits) - 1
    return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1
