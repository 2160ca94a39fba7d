"""C's numbers, for both front ends: types, conversions, literals, mathematical functions, reductions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

import numpy as np

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.ranges import OPPOSITES as OPPOSITES
from polyloop.backend.ir.ranges import value_range as value_range
from polyloop.backend.ir.ranges import without_cuts as without_cuts

if TYPE_CHECKING:
    from pycparser import c_ast

__path__: list[str] = []  # it was a package: imports of its modules get as far as `polyloop.support.moved`


# --- Types ------------------------------------------------------------------------------------------------------------
# C's types as far as loops over numbers need them, and C's implicit conversions (C17 6.3.1).


@dataclass(frozen=True)
class Arithmetic:
    """A number; `boolean` is C's _Bool, stored as one unsigned byte."""

    scalar: e.ScalarType
    boolean: bool = False
    volatile: bool = False


def is_integer(type_: object) -> TypeGuard[Arithmetic]:
    """Whether it is a type of integers that are what their bits are, and that nobody else changes."""
    return isinstance(type_, Arithmetic) and not (type_.scalar.is_float or type_.boolean or type_.volatile)


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


@dataclass(frozen=True)
class Bits:
    """A bit-field, for its room in a structure: the bytes of its type, and its width."""

    unit: int
    width: int


@dataclass(frozen=True)
class Record:
    """A structure. An unnamed member is a structure or a union whose members are this one's, too.

    Attributes:
        union: its members share memory.
        most: the alignment that members have at most, in bytes, where it is packed; else 0.
    """

    what: str
    members: tuple[tuple[str | None, CType], ...]
    union: bool = False
    most: int = 0

    def member(self, name: str) -> CType | None:
        """The type of a member of this name, if there is one."""
        for known, type_ in self.members:
            if known == name:
                return type_
            inner = type_.member(name) if known is None and isinstance(type_, Record) else None
            if inner is not None:
                return inner
        return None

    def shares(self, name: str) -> bool:
        """Does a member of this name share memory with others?"""
        unnamed = (type_ for known, type_ in self.members if known is None and isinstance(type_, Record))
        return self.union or any(type_.member(name) is not None and type_.shares(name) for type_ in unnamed)


CType: TypeAlias = "Arithmetic | Pointer | ArrayOf | Function | Opaque | Bits | Record"


def leaves(type_: CType) -> Iterator[CType]:
    """The types of all that an array or a structure consists of in the end."""
    match type_:
        case ArrayOf(element):
            yield from leaves(element)
        case Record(members=members):
            for _, member in members:
                yield from leaves(member)
        case _:
            yield type_


_SIZES = {(): (e.I32, e.U32), ("short",): (e.I16, e.U16), ("long",): (e.I64, e.U64), ("long", "long"): (e.I64, e.U64)}
_SPECIFIERS: dict[tuple[str, ...], e.ScalarType] = {
    ("float",): e.F32,
    ("double",): e.F64,
    ("char",): e.I8,
    ("char", "signed"): e.I8,
    ("char", "unsigned"): e.U8,
    **{
        tuple(sorted((*size, *sign, *word))): types[sign == ("unsigned",)]
        for size, types in _SIZES.items()
        for sign in ((), ("signed",), ("unsigned",))
        for word in ((), ("int",))
        if size or sign or word
    },
}

COMPLEX_PARTS = ("__real__", "__imag__")
"""What the members of a complex number are called, as GNU C's operators."""

_NAMES = {e.I8: "signed char", e.I16: "short", e.I32: "int", e.I64: "long", e.F32: "float", e.F64: "double"} | {
    e.U8: "unsigned char",
    e.U16: "unsigned short",
    e.U32: "unsigned int",
    e.U64: "unsigned long",
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
        case Bits():
            return "bit-field"
        case Opaque(what) | Record(what):
            return re.sub(r"struct (?=_)", "", what) if isinstance(type_, Opaque) else what


def remedy(type_: CType, of_structures: str) -> str:
    """What to write instead of a type that there is no code for; nothing, where that is not known."""
    words = type_.what if isinstance(type_, Opaque | Record) else ""
    if part_of_complex(type_) is not None:
        return "; give calls, choices and steps in what is computed with it statements of their own"
    if re.search(r"long double|_Float|_fp16|_bf16|_float128", words):
        return "; compute in double or float"
    if "_Complex" in words:
        return "; compute with complex numbers of double or float"
    if words.startswith("union"):
        return "; give each of its members a variable of its own"
    return of_structures if isinstance(type_, Record) else ""


def specifiers(names: list[str]) -> CType:
    """The type that built-in specifiers such as ``unsigned long int`` name."""
    key = tuple(sorted(names))
    if key == ("_Bool",):
        return Arithmetic(e.U8, boolean=True)
    if key in _SPECIFIERS:
        return Arithmetic(_SPECIFIERS[key])
    if "_Complex" in names:
        part = _SPECIFIERS.get(tuple(word for word in key if word != "_Complex") or ("double",))
        if part is not None and part.is_float:
            return complex_type(part)
    return Opaque(" ".join(names))


def complex_type(part: e.ScalarType) -> Record:
    """Complex numbers with parts of a type: they lie in memory as two of them (C17 6.2.5)."""
    return Record(f"{_NAMES[part]} _Complex", tuple((name, Arithmetic(part)) for name in COMPLEX_PARTS))


def part_of_complex(type_: object) -> e.ScalarType | None:
    """The type of the parts of complex numbers; None of other types."""
    match type_:
        case Record(members=((name, Arithmetic(scalar)), _)) if name == COMPLEX_PARTS[0]:
            return scalar
    return None


def promote(type_: e.ScalarType) -> e.ScalarType:
    """Integer promotion: what is narrower than int becomes int."""
    return e.I32 if not type_.is_float and type_.bits < 32 else type_


def usual(left: e.ScalarType, right: e.ScalarType) -> e.ScalarType:
    """The usual arithmetic conversions: the common type of two operands."""
    floats = [t for t in (left, right) if t.is_float]
    if floats:
        return max(floats, key=lambda t: t.bits)
    left, right = promote(left), promote(right)
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if left.kind == "uint" else right


# --- Conversions ------------------------------------------------------------------------------------------------------
# C's conversions on value expressions: explicit Cast nodes, folded on literals, carried into Index nodes.


def convert(value: e.Expression, to: e.ScalarType) -> e.Expression:
    """The value as type `to`; nothing where it has that type."""
    if value.type == to:
        return value
    match value:
        case e.Literal(number, from_):
            folded = _fold(number, from_, to)
            if folded is not None:
                return folded
        # Signed values do not wrap in C, so that the wider number is the same.
        case e.Index(index, e.ScalarType("int", bits)) if to.kind == "int" and to.bits > bits:
            return e.Index(index, to)
        # Of fewer bits nothing but these is left, whatever wrapped before.
        case e.Index(index, from_) if not to.is_float and to.bits <= from_.bits:
            return e.Index(index, to)
    return e.Cast(value, to)


def view_bits(value: e.Expression, to: e.ScalarType) -> e.Expression:
    """The number of a type whose bits are those of a value of its size; calls are between floats and unsigned ones."""
    if value.type.is_float == to.is_float:
        return convert(value, to)
    unsigned = e.ScalarType("uint", to.bits)
    match convert(value, unsigned) if to.is_float else value:
        case e.Call(function, (operand,), _) if function == e.BIT_VIEW:
            found: e.Expression = operand
        case operand:
            found = e.Call(e.BIT_VIEW, (operand,), to if to.is_float else unsigned)
    return convert(found, to)


def promoted(value: e.Expression) -> e.Expression:
    """The value after C's integer promotions (C17 6.3.1.1)."""
    return convert(value, promote(value.type))


def truth(value: e.Expression) -> e.Expression:
    """The conversion to _Bool, as an int of 0 or 1."""
    match value:
        case e.Comparison() | e.Logical():
            return value
        case e.Literal(number, type_) if not type_.is_float:
            return e.Literal(int(number != 0), e.I32)
    zero: e.Literal = e.Literal(0.0 if value.type.is_float else 0, value.type)
    return e.Comparison("!=", value, zero)


def compute(operator: str, left: e.Expression, right: e.Expression) -> e.Expression:
    """``left operator right`` with the usual arithmetic conversions; affine integers stay one Index node."""
    if operator in ("<<", ">>"):
        left = promoted(left)
        common = left.type
        right = convert(promoted(right), common)
    else:
        common = usual(left.type, right.type)
        left, right = convert(left, common), convert(right, common)
    if not common.is_float:
        folded = _fold_literals(operator, left, right, common) or _fold_index(operator, left, right, common)
        if folded is not None:
            return folded
    return e.Binary(operator, left, right, common)


def compare(operator: str, left: e.Expression, right: e.Expression) -> e.Expression:
    """A comparison of two values in their common type."""
    common = usual(left.type, right.type)
    left, right = convert(left, common), convert(right, common)
    match left, right:
        case e.Literal(a), e.Literal(b) if not common.is_float:
            return e.Literal(int(e.COMPARISONS[operator](a, b)), e.I32)
    return e.Comparison(operator, left, right)


def logical_not(value: e.Expression) -> e.Expression:
    """``!value``."""
    if isinstance(value, e.Literal) and not value.type.is_float:
        return e.Literal(int(not value.value), e.I32)
    return e.Unary("!", value, e.I32)


def logical(operator: str, left: e.Expression, right: e.Expression) -> e.Expression:
    """``left && right`` or ``left || right``; expressions have no side effects, so that either side may settle it."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, e.Literal) and not side.type.is_float:
            settled = bool(side.value) == (operator == "||")
            return e.Literal(int(side.value != 0), e.I32) if settled else truth(other)
    return e.Logical(operator, left, right)


def choose_value(condition: e.Expression, then: e.Expression, otherwise: e.Expression) -> e.Expression:
    """A choice between two values in their common type."""
    common = usual(then.type, otherwise.type)
    if isinstance(condition, e.Literal) and not condition.type.is_float:
        return convert(then if condition.value else otherwise, common)
    return e.Select(condition, convert(then, common), convert(otherwise, common), common)


def negative(value: e.Expression) -> e.Expression:
    """The value negated, after integer promotion; literals are folded."""
    value = promoted(value)
    match value:
        case e.Literal(number, type_) if type_.is_float:
            return e.Literal(-number, type_)
        case e.Literal(number, type_) if type_.kind == "int" and number:
            return e.Literal(-number, type_)
        case e.Index(index, type_) if type_.kind == "int":
            return e.Index(-index, type_)
    return e.Unary("-", value, value.type)


def _fold(number: int | float, from_: e.ScalarType, to: e.ScalarType) -> e.Literal | None:
    if to.is_float:
        value = float(number)
        if not from_.is_float and int(value) != number:
            return None
        rounded = round_to_float32(value) if to == e.F32 else value
        # An integer that float32 cannot hold is left to the machine's own rounding.
        return e.Literal(rounded, to) if from_.is_float or rounded == number else None
    if from_.is_float:
        if not math.isfinite(number):
            return None
        whole = math.trunc(number)
        low, high = value_range(to)
        return e.Literal(whole, to) if low <= whole <= high else None
    low, _ = value_range(to)
    return e.Literal((int(number) - low) % (1 << to.bits) + low, to)


def _fold_literals(operator: str, left: e.Expression, right: e.Expression, type_: e.ScalarType) -> e.Literal | None:
    """What C computes with two integers; None where it leaves that undefined."""
    if not (isinstance(left, e.Literal) and isinstance(right, e.Literal)):
        return None
    a, b = int(left.value), int(right.value)
    match operator:
        case "+" | "-" | "*":
            result = {"+": a + b, "-": a - b, "*": a * b}[operator]
        case "&" | "|" | "^":
            result = {"&": a & b, "|": a | b, "^": a ^ b}[operator]
        case "/" | "%" if b:
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            result = quotient if operator == "/" else a - quotient * b
        case "<<" | ">>" if 0 <= b < type_.bits and (a >= 0 or operator == ">>"):
            result = a << b if operator == "<<" else a >> b
        case _:
            return None
    low, high = value_range(type_)
    if type_.kind == "uint":
        return e.Literal(result & high, type_)
    return e.Literal(result, type_) if low <= result <= high else None


def _fold_index(operator: str, left: e.Expression, right: e.Expression, type_: e.ScalarType) -> e.Expression | None:
    """Sums, differences and multiples of affine values are affine, in signed types without wrapping."""
    if type_.kind != "int":
        return None
    match operator, left, right:
        case "+", e.Index(a), e.Index(b):
            return e.Index(a + b, type_)
        case "-", e.Index(a), e.Index(b):
            return e.Index(a - b, type_)
        case "+", e.Index(a), e.Literal(n):
            return e.Index(a + int(n), type_)
        case "-", e.Index(a), e.Literal(n):
            return e.Index(a - int(n), type_)
        case "+", e.Literal(n), e.Index(b):
            return e.Index(b + int(n), type_)
        case "-", e.Literal(n), e.Index(b):
            return e.Index(-b + int(n), type_)
        case "*", e.Index(a), e.Literal(n):
            return e.Index(a * int(n), type_)
        case "*", e.Literal(n), e.Index(b):
            return e.Index(b * int(n), type_)
    return None


# --- Literals ---------------------------------------------------------------------------------------------------------
# The values and types of C's literals.


_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlL]*)$")
_LONGEST = 2000
"""Characters of a literal: the longest number that a double holds exactly has half as many."""
_ESCAPES = {
    "n": 10,
    "t": 9,
    "e": 27,
    "r": 13,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "0": 0,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
}


def integer_literal(text: str) -> tuple[int, e.ScalarType] | None:
    """Value and type (C17 6.4.4.1, 32-bit int, 64-bit long); None where `text` is no integer literal."""
    match = _INTEGER.match(text.replace("'", ""))
    if match is None or len(text) > _LONGEST:
        return None
    digits, suffix = match.group(1).lower(), match.group(2).lower()
    decimal = not digits.startswith("0") or digits == "0"
    if digits.startswith("0b"):
        value = int(digits[2:], 2)
    elif digits.startswith("0x"):
        value = int(digits, 16)
    elif decimal:
        value = int(digits)
    elif set(digits) <= set("01234567"):
        value = int(digits, 8)
    else:
        return None
    unsigned = "u" in suffix
    candidates = [e.U32, e.U64] if unsigned else [e.I32, e.I64] if decimal else [e.I32, e.U32, e.I64, e.U64]
    if "l" in suffix:
        candidates = [t for t in candidates if t.bits == 64]
    for type_ in candidates:
        if value < 1 << (type_.bits - (type_.kind == "int")):
            return value, type_
    return value, e.U64


def float_literal(text: str) -> tuple[float, e.ScalarType] | None:
    """Value and type; None for what is no float literal or is of a type that we do not have (long double)."""
    if len(text) > _LONGEST:
        return None
    body, suffix = text, ""
    hexadecimal = text.lower().startswith("0x")
    if text[-1] in "fFlL" and not (hexadecimal and "p" not in text.lower()):
        body, suffix = text[:-1], text[-1].lower()
    if suffix == "l":
        return None
    try:
        value = float.fromhex(body) if hexadecimal else float(body)
        if suffix != "f":
            return value, e.F64
        # The exact number of what a double cannot hold may have as many digits as its exponent says.
        return (_nearest_float32(_exact(body, hexadecimal), value) if 0 < value < inf else value), e.F32
    except (ValueError, OverflowError):
        return None


def round_to_float32(value: float) -> float:
    """The nearest float32, as a Python float; infinities where it overflows."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _exact(body: str, hexadecimal: bool) -> Fraction:
    if not hexadecimal:
        return Fraction(body)
    mantissa, _, exponent = body.lower()[2:].partition("p")
    whole, _, fraction = mantissa.partition(".")
    scale = int(exponent or 0) - 4 * len(fraction)
    digits = int(whole + fraction or "0", 16)
    return Fraction(digits << scale) if scale >= 0 else Fraction(digits, 1 << -scale)


def _nearest_float32(exact: Fraction, approximate: float) -> float:
    """Rounded once, from the exact value: by way of double, a value near a tie could round twice."""
    nearest = round_to_float32(approximate)
    if not np.isfinite(nearest):
        return nearest
    with np.errstate(over="ignore", under="ignore"):
        candidates = [float(np.nextafter(np.float32(nearest), np.float32(s))) for s in (-np.inf, np.inf)]
    best = nearest
    for candidate in candidates:
        if np.isfinite(candidate) and abs(Fraction(candidate) - exact) < abs(Fraction(best) - exact):
            best = candidate
    return best


def character_value(text: str) -> int:
    """The value of a character constant such as 'a', '\\x1f' or, as gcc and clang have it, 'RIFF' (its type is int)."""
    prefix, _, rest = text.partition("'")
    units: list[int] = []
    for hexadecimal, octal, escaped, plain in _CHARACTER.findall(rest[:-1]):
        if plain:
            units += [ord(plain)] if prefix else plain.encode("utf-8", "surrogateescape")
        else:
            units.append(int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else _ESCAPES.get(escaped, 0))
    if prefix or not units:
        return units[-1] if units else 0
    value = 0
    for unit in units[-4:]:
        value = value << 8 | unit
    bits = 8 if len(units) == 1 else 32
    return value - (1 << bits) if value >> (bits - 1) else value


_CHARACTER = re.compile(r"\\x([0-9a-fA-F]+)|\\([0-7]{1,3})|\\(.)|(.)", re.DOTALL)


# --- Functions --------------------------------------------------------------------------------------------------------
# The functions of math.h that have no side effect but errno, with their types (C17 7.12).


Signature = tuple[e.ScalarType, tuple[e.ScalarType, ...]]

_UNARY = """
    acos asin atan cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 log log10 log1p log2 logb cbrt fabs
    sqrt erf erfc lgamma tgamma ceil floor nearbyint rint round trunc
"""
_BINARY = "atan2 hypot pow fmod remainder copysign nextafter fdim fmax fmin"
_TO_LONG = "lrint lround llrint llround"
_EXACT = """
    fabs sqrt ceil floor nearbyint rint round trunc copysign nextafter fdim fmod remainder logb ldexp scalbn ilogb fma
"""


def _signatures() -> dict[str, Signature]:
    table: dict[str, Signature] = {}
    for suffix, real in (("", e.F64), ("f", e.F32)):
        table |= {name + suffix: (real, (real,)) for name in _UNARY.split()}
        table |= {name + suffix: (real, (real, real)) for name in _BINARY.split()}
        table |= {name + suffix: (e.I64, (real,)) for name in _TO_LONG.split()}
        table["fma" + suffix] = (real, (real, real, real))
        table["ldexp" + suffix] = (real, (real, e.I32))
        table["scalbn" + suffix] = (real, (real, e.I32))
        table["ilogb" + suffix] = (e.I32, (real,))
        table |= {name + suffix: (real, (real,) * 4) for name in (e.REAL_PRODUCT, e.IMAGINARY_PRODUCT)}
    return table


# Name -> (result, parameters).
SIGNATURES = _signatures()
# Whose results the standards prescribe bit by bit. fmin and fmax may return either zero.
EXACT = frozenset(
    (e.BIT_VIEW, *e.PRODUCTS, *(name + suffix for name in (*_EXACT.split(), *_TO_LONG.split()) for suffix in ("", "f")))
)
# What rewrites write for the bits of a number as one of another type of its size, by the name of a function.
VIEWS = {f"{e.BIT_VIEW}_{type_}": type_ for type_ in (e.F32, e.F64, e.I32, e.I64, e.U32, e.U64)}
# Integer absolute values become a choice, for which every backend has code.
ABSOLUTE = {"abs": e.I32, "labs": e.I64, "llabs": e.I64}


# --- Reductions -------------------------------------------------------------------------------------------------------
# Which assignments are reductions: ``target = target op e`` with an operator whose order does not matter on paper.


_REDUCTIONS = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}


def reduction_of(target: e.Access, value: e.Expression) -> str | None:
    """The operator of ``target = target op e`` (see `polyloop.scop.model.Statement`)."""
    match value:
        case e.Binary(operator, left, right) if operator in _REDUCTIONS:
            if _is(left, target) and not _touches(right, target):
                return _REDUCTIONS[operator]
            if operator != "-" and _is(right, target) and not _touches(left, target):
                return _REDUCTIONS[operator]
        case e.Call("fmin" | "fmax" | "fminf" | "fmaxf" as function, (a, b)):
            if (_is(a, target) and not _touches(b, target)) or (_is(b, target) and not _touches(a, target)):
                return function[1:4]
        case e.Select(condition, then, otherwise):
            match condition:
                case e.Comparison("<" | "<=" | ">" | ">=" as operator, a, b):
                    extremum = _extremum(operator, (a, b), (then, otherwise), target)
                    if extremum is not None:
                        return extremum
            return _chosen_reduction(target, condition, (then, otherwise))
    return None


def in_own_type(target: e.Access, value: e.Expression) -> e.Expression:
    """The same number in the target's own type where only that makes a reduction of it: ``(u8)((i32)b | x)`` is
    ``b | (u8)x``.

    Bits above those that are kept have no part in them. Sums and products of signed types stay: what C converts wraps
    around, what it adds does not.
    """
    match value:
        case e.Cast(e.Binary("+" | "-" | "*" | "&" | "|" | "^" as operator, left, right), type_) if (
            not type_.is_float
            and type_.bits < left.type.bits
            and not left.type.is_float
            and (type_.kind == "uint" or operator in "&|^")
        ):
            narrow = e.Binary(operator, _narrowed(left, type_), _narrowed(right, type_), type_)
            return value if reduction_of(target, narrow) is None else narrow
        case e.Select(_, then, otherwise):
            return replace(value, then=in_own_type(target, then), otherwise=in_own_type(target, otherwise))
    return value


def _narrowed(value: e.Expression, type_: e.ScalarType) -> e.Expression:
    """An integer's low bits, straight from what it was widened from."""
    while isinstance(value, e.Cast) and not value.operand.type.is_float and value.type.bits >= type_.bits:
        value = value.operand
    return convert(value, type_)


def _chosen_reduction(
    target: e.Access, condition: e.Expression, sides: tuple[e.Expression, e.Expression]
) -> str | None:
    """That of a choice between folding something in, or something else, and leaving the target as it is."""
    operators = {reduction_of(target, side) for side in sides if not _is(side, target)}
    return operators.pop() if len(operators) == 1 and not _touches(condition, target) else None


def _extremum(
    operator: str,
    compared: tuple[e.Expression, e.Expression],
    chosen: tuple[e.Expression, e.Expression],
    target: e.Access,
) -> str | None:
    if sum(_is(c, target) for c in compared) != 1 or any(_touches(c, target) and not _is(c, target) for c in compared):
        return None
    less = operator in ("<", "<=")
    if chosen == compared:
        return "min" if less else "max"
    if chosen == compared[::-1]:
        return "max" if less else "min"
    return None


def _is(expression: e.Expression, target: e.Access) -> bool:
    return isinstance(expression, e.Read) and expression.access == target


def _touches(expression: e.Expression, target: e.Access) -> bool:
    return any(node.access == target for node in e.reads(expression))
