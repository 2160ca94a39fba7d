"""Value expressions: what a statement computes, with C's types made explicit.

Every node carries its result type; conversions that C does silently are `Cast` nodes, put in by the front end, so that
no later stage needs C's conversion rules. Subtrees have no side effects. ``&&``, ``||`` and ``?:`` are lazy: the
operand that C would not evaluate must not be loaded from or divided by.

Contraction of a multiplication and an addition into one rounding follows clang's ``-ffp-contract=on``: within one
expression tree, where the multiplication is the direct operand of the addition (see
`polyloop.backend.ir.expressions`).
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from polyloop.backend.ir.affine import Affine, Atom, Indirect


class ScalarType(NamedTuple):
    """A C arithmetic type: kind "float", "int" (signed, two's complement) or "uint"; width in bits."""

    kind: str
    bits: int

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    def __str__(self) -> str:
        return f"{ {'float': 'f', 'int': 'i', 'uint': 'u'}[self.kind] }{self.bits}"


F32, F64 = ScalarType("float", 32), ScalarType("float", 64)
I8, I16, I32, I64 = (ScalarType("int", bits) for bits in (8, 16, 32, 64))
U8, U16, U32, U64 = (ScalarType("uint", bits) for bits in (8, 16, 32, 64))


def dtype_of(type_: ScalarType) -> np.dtype[np.generic]:
    """The numpy type with the same representation."""
    return np.dtype(f"{ {'float': 'f', 'int': 'i', 'uint': 'u'}[type_.kind] }{type_.bytes}")


COMPARISONS: dict[str, Callable[[int | float, int | float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
"""What C's comparisons are of numbers."""


def wrap_integer(value: int, type_: ScalarType) -> int:
    """The number of the type that is congruent to `value` (two's complement)."""
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.kind == "int" and value >> (type_.bits - 1) else value


@dataclass(frozen=True)
class Access:
    """One array element: name and subscripts, () for a scalar (a 0-d array). Subscripts may be indirect (`Datum`)."""

    array: str
    subscripts: tuple[Affine, ...] = ()

    def __str__(self) -> str:
        return self.array + "".join(f"[{s}]" for s in self.subscripts)

    @cached_property
    def data(self) -> tuple[Datum, ...]:
        """What its subscripts take from data, in order, repetitions dropped."""
        atoms = (atom for subscript in self.subscripts for atom, _ in subscript.terms)
        return tuple(dict.fromkeys(atom for atom in atoms if isinstance(atom, Datum)))


@dataclass(frozen=True)
class Datum(Indirect):
    """The value of an expression of an integer type, as a term of a subscript: ``ip[i]`` in ``a[ip[i] + 1]``.

    It is evaluated where the access is made, and not where C makes none; its reads are reads of the statement.
    """

    value: Expression

    def variables(self) -> frozenset[str]:
        return frozenset[str]().union(*map(_variables, walk_values(self.value)))

    def substitute(self, values: Mapping[str, Affine | int]) -> Datum:
        return Datum(map_affine(self.value, lambda s: s.substitute(values)))

    def __str__(self) -> str:
        return f"data({text(self.value)})"


def number_key(value: int | float, type_: ScalarType) -> int | float | bytes:
    """What tells the constants of one type apart: for floats their bits.

    Python's equality is of no use there: it has 0.0 == -0.0, though 1 / 0.0 and 1 / -0.0 differ, and nan != nan.
    """
    return struct.pack("<d", value) if type_.is_float else value


@dataclass(frozen=True)
class Literal:
    """A constant; float values are exactly those of the C literal in its type. Equal if the bits are (`number_key`)."""

    value: int | float
    type: ScalarType

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal) or self.type != other.type:
            return False
        return number_key(self.value, self.type) == number_key(other.value, other.type)

    def __hash__(self) -> int:
        return hash((number_key(self.value, self.type), self.type))


@dataclass(frozen=True)
class Read:
    """The value of an array's element."""

    access: Access
    type: ScalarType


@dataclass(frozen=True)
class Index:
    """The value of an affine expression of iterators and parameters, computed in I64, as a number of `type`."""

    value: Affine
    type: ScalarType


@dataclass(frozen=True)
class Unary:
    """operator: "-", "~" on the operand's type; "!" gives I32."""

    operator: str
    operand: Expression
    type: ScalarType


@dataclass(frozen=True)
class Binary:
    """operator: + - * / % & | ^ << >>; both operands have `type` (shifts: the left one); / and % as C (towards 0)."""

    operator: str
    left: Expression
    right: Expression
    type: ScalarType


@dataclass(frozen=True)
class Comparison:
    """operator: < <= > >= == !=; operands of one type; the result is I32, 0 or 1."""

    operator: str
    left: Expression
    right: Expression

    @property
    def type(self) -> ScalarType:
        return I32


@dataclass(frozen=True)
class Logical:
    """operator: "&&" or "||", lazy; the result is I32, 0 or 1. Operands of any type, compared with zero.

    `eager`: C reads what the right side does whatever the left one is.
    """

    operator: str
    left: Expression
    right: Expression
    eager: bool = False

    @property
    def type(self) -> ScalarType:
        return I32


@dataclass(frozen=True)
class Select:
    """condition ? then : otherwise, lazy. The condition is of any type, compared with zero.

    `eager`: C reads what both sides do whatever the condition is.
    """

    condition: Expression
    then: Expression
    otherwise: Expression
    type: ScalarType
    eager: bool = False


@dataclass(frozen=True)
class Cast:
    """C conversion of the operand to `type` (float to int truncates; int to int wraps)."""

    operand: Expression
    type: ScalarType


@dataclass(frozen=True)
class Call:
    """A pure function by its C name (math.h, or declared pure by the user); arguments already converted."""

    function: str
    arguments: tuple[Expression, ...]
    type: ScalarType


BIT_COUNTS = {"__builtin_popcount": ScalarType("uint", 32), "__builtin_popcountl": ScalarType("uint", 64)}
"""Functions of gcc and clang for the number of bits that are 1, and what they take: as a Call they give that, too."""

BIT_VIEW = "polyloop_bits"
"""As a Call, the number of its type whose bits are the operand's: a float's of an integer of its size, or back."""

REAL_PRODUCT, IMAGINARY_PRODUCT = "polyloop_real_product", "polyloop_imaginary_product"
"""As a Call, the parts of the product of two complex numbers a + bi and c + di, of the operands a, b, c, d, as C has
it: where both parts of the plain product are no numbers, infinities among the operands count as such (C17 G.5)."""
PRODUCTS = {name + suffix: name == REAL_PRODUCT for name in (REAL_PRODUCT, IMAGINARY_PRODUCT) for suffix in ("", "f")}
"""Their names for both types of floats, and whether it is the real part."""


@dataclass(frozen=True)
class OutsideCall(Call):
    """A function of which nothing is known; its first argument stands for the world outside of the program. It is there
    for what accesses say; nothing lowers it."""


@dataclass(frozen=True)
class Partial:
    """What the `Fold` over this variable has come to in the iterations before."""

    variable: str
    type: ScalarType


@dataclass(frozen=True)
class Fold:
    """A loop inside of an expression, with bounds from data:

        p = initial;  for (variable = lower; variable < upper; variable++) p = value;  the result is p

    The bounds are integers, evaluated once. In `value`, `Partial` is p; the variable stands in `Index` nodes, and in
    subscripts as a `Datum`, for nothing is known of where it runs.
    """

    variable: str
    lower: Expression
    upper: Expression
    initial: Expression
    value: Expression
    type: ScalarType


Expression: TypeAlias = (
    "Literal | Read | Index | Unary | Binary | Comparison | Logical | Select | Cast | Call | Partial | Fold"
)


def children(expression: Expression) -> tuple[Expression, ...]:
    """The operands, from left to right; those of an element are what its subscripts take from data."""
    match expression:
        case Literal() | Index() | Partial():
            return ()
        case Read(access, _):
            return tuple(datum.value for datum in access.data)
        case Unary(_, operand, _) | Cast(operand, _):
            return (operand,)
        case Binary(_, left, right, _) | Comparison(_, left, right) | Logical(_, left, right):
            return (left, right)
        case Select(condition, then, otherwise, _):
            return (condition, then, otherwise)
        case Call(_, arguments, _):
            return arguments
        case Fold(_, lower, upper, initial, value, _):
            return (lower, upper, initial, value)


def with_children(expression: Expression, new: tuple[Expression, ...]) -> Expression:
    """The same node over other operands."""
    match expression:
        case Literal() | Index() | Partial():
            return expression
        case Read(access, type_):
            return Read(with_data(access, new), type_) if new else expression
        case Unary() | Cast():
            return replace(expression, operand=new[0])
        case Binary() | Comparison() | Logical():
            return replace(expression, left=new[0], right=new[1])
        case Select():
            return replace(expression, condition=new[0], then=new[1], otherwise=new[2])
        case Call():
            return replace(expression, arguments=new)
        case Fold():
            return replace(expression, lower=new[0], upper=new[1], initial=new[2], value=new[3])


def is_truth(node: Expression) -> bool:
    """Whether the expression is 0 or 1 by itself."""
    return isinstance(node, Comparison | Logical) or (isinstance(node, Unary) and node.operator == "!")


def walk(expression: Expression) -> Iterator[Expression]:
    """The node and all below it, in evaluation order of the source (pre-order)."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def walk_values(expression: Expression) -> Iterator[Expression]:
    """As `walk`, without what subscripts are computed from."""
    yield expression
    for child in () if isinstance(expression, Read) else children(expression):
        yield from walk_values(child)


def reads(expression: Expression) -> tuple[Read, ...]:
    """Every array read, those in subscripts behind what they lead to; in source order, repetitions kept."""
    return tuple(node for node in walk(expression) if isinstance(node, Read))


def reads_of_subscripts(access: Access) -> tuple[Read, ...]:
    """What has to be read to know which element an access means."""
    return tuple(read for datum in access.data for read in reads(datum.value))


def certain(node: Expression) -> Iterator[Expression]:
    """The expressions that are evaluated with one whatever the data are, itself among them."""
    yield node
    match node:
        case Logical(_, left, _):
            parts: tuple[Expression, ...] = (left,)
        case Select(condition, _, _, _):
            parts = (condition,)
        case Fold(_, lower, upper, initial, _, _):
            parts = (lower, upper, initial)
        case _:
            parts = tuple(children(node))
    for part in parts:
        yield from certain(part)


def certain_accesses(node: Expression, conditional: bool = False) -> frozenset[Access]:
    """The accesses that C makes whatever the data are: what is evaluated makes them, both sides of a choice do, or
    `eager` says so.

    Args:
        conditional: it is the value of a conditional Compute, whose outermost choice is whether there is one at all.
    """
    if conditional and isinstance(node, Select):
        node = node.condition
    made = set[Access]()
    for inner in certain(node):
        match inner:
            case Read(access, _):
                made.add(access)
            case Logical(_, _, right, True):
                made |= certain_accesses(right)
            case Select(_, then, otherwise, _, eager):
                first, second = certain_accesses(then), certain_accesses(otherwise)
                made |= first | second if eager else first & second
    return frozenset(made)


def rewrite(expression: Expression, transform: Callable[[Expression], Expression]) -> Expression:
    """Bottom-up: `transform` sees each node after its operands were rewritten."""
    new = tuple(rewrite(child, transform) for child in children(expression))
    return transform(with_children(expression, new) if new else expression)


def map_affine(expression: Expression, transform: Callable[[Affine], Affine]) -> Expression:
    """Apply `transform` to every subscript and index value; it has to deal with what subscripts take from data."""
    match expression:
        case Read(access, type_):
            return Read(map_access(access, transform), type_)
        case Index(value, type_):
            return Index(transform(value), type_)
        case _:
            return with_children(expression, tuple(map_affine(child, transform) for child in children(expression)))


def map_access(access: Access, transform: Callable[[Affine], Affine]) -> Access:
    """The access with every subscript transformed."""
    return Access(access.array, tuple(transform(s) for s in access.subscripts))


def with_data(access: Access, values: Sequence[Expression]) -> Access:
    """The access with other expressions in the places of those of `Access.data`."""
    return affine_access(access, [Affine(((Datum(value), 1),)) for value in values])


def affine_access(access: Access, values: Sequence[Affine]) -> Access:
    """The access with integers in the places of those of `Access.data`."""
    if not access.data:
        return access
    new = dict(zip(access.data, values, strict=True))

    def one(atom: Atom) -> Affine:
        return new[atom] if isinstance(atom, Datum) else Affine(((atom, 1),))

    return map_access(access, lambda subscript: subscript.map_atoms(one))


def rewrite_access(access: Access, transform: Callable[[Expression], Expression]) -> Access:
    """The access with what its subscripts take from data rewritten (see `rewrite`)."""
    return with_data(access, [rewrite(datum.value, transform) for datum in access.data])


def redirecting(place: Callable[[Access], Access]) -> Callable[[Expression], Expression]:
    """For `rewrite`: what reads at another place."""
    return lambda node: Read(place(node.access), node.type) if isinstance(node, Read) else node


def _variables(node: Expression) -> frozenset[str]:
    """Iterators and parameters that a node itself mentions, its subscripts included."""
    match node:
        case Read(access, _):
            return frozenset[str]().union(*(s.variables() for s in access.subscripts))
        case Index(value, _):
            return value.variables()
        case _:
            return frozenset()


# --- Text -------------------------------------------------------------------------------------------------------------


def text(expression: Expression) -> str:
    """An expression in C-like text with the types of literals, indices, casts and calls written out, and a "=" behind
    operators of which C reads all operands."""
    match expression:
        case Literal(value, type_):
            return literal_text(value, type_)
        case Read(access, _):
            return str(access)
        case Index(value, type_):
            return f"{{{value}}}:{type_}"
        case Unary(operator, operand, _):
            return f"{operator}({text(operand)})"
        case Binary(operator, left, right, _) | Comparison(operator, left, right):
            return f"({text(left)} {operator} {text(right)})"
        case Logical(operator, left, right, eager):
            return f"({text(left)} {operator}{'=' * eager} {text(right)})"
        case Select(condition, then, otherwise, _, eager):
            return f"({text(condition)} ?{'=' * eager} {text(then)} : {text(otherwise)})"
        case Cast(operand, type_):
            return f"({type_}){text(operand)}"
        case Call(function, arguments, type_):
            return f"{function}({', '.join(map(text, arguments))}):{type_}"
        case Partial(variable, type_):
            return f"partial({variable}):{type_}"
        case Fold(variable, lower, upper, initial, value, _):
            return f"fold({variable} in [{text(lower)}, {text(upper)}): {text(initial)}, {text(value)})"


def literal_text(value: int | float, type_: ScalarType) -> str:
    """A number with its type behind it; the bits of a NaN that is not the usual one are written out."""
    if value != value and (bits := struct.pack(">d", value)) != struct.pack(">d", math.nan):
        return f"nan(0x{bits.hex()}):{type_}"
    return f"{value!r}:{type_}"


# --- Multiply-adds ----------------------------------------------------------------------------------------------------
# Which additions absorb a multiplication: clang's ``-ffp-contract=on``.
#
# Clang decides while it generates code for one expression tree: an addition or subtraction whose direct operand is a
# floating multiplication, possibly behind one unary minus, becomes one fused multiply-add; the left operand is asked
# first. Multiplications that were folded to a constant are gone by then, and conversions, calls and ``?:`` hide what
# is behind them. Interpreter and planner share this one rule, so that both round where clang does.


@dataclass(frozen=True)
class Fused:
    """``(negate_a ? -a : a) * b + (negate_c ? -c : c)``, rounded once."""

    a: Expression
    b: Expression
    c: Expression
    negate_a: bool
    negate_c: bool


def contracted(node: Expression) -> Fused | None:
    """How clang fuses this node, or None where it does not."""
    match node:
        case Binary("+" | "-" as operator, left, right, type_) if type_.is_float:
            subtracts = operator == "-"
        case _:
            return None
    if (product := factors(left)) is not None:
        a, b, negated = product
        return Fused(a, b, right, negated, subtracts)
    if (product := factors(right)) is not None:
        a, b, negated = product
        return Fused(a, b, left, negated != subtracts, False)
    return None


def apart(node: Expression) -> Expression:
    """The same value, rounded by itself: no addition absorbs a product in it. A choice between equals is none."""
    return Select(Literal(1, I32), node, node, node.type)


def is_literal(node: Expression) -> bool:
    """Whether the compiler folds the whole subtree to a constant while it generates code."""
    match node:
        case Literal():
            return True
        case Index(value, _):
            return value.is_constant
        case Unary(_, operand, _) | Cast(operand, _):
            return is_literal(operand)
        case Binary(_, left, right, _):
            return is_literal(left) and is_literal(right)
        case _:
            return False


def factors(operand: Expression) -> tuple[Expression, Expression, bool] | None:
    """The factors of a product, and whether it stands behind a minus."""
    operand = _unconverted(operand)
    negated = False
    match operand:
        case Unary("-", inner, _):
            negated, operand = True, _unconverted(inner)
    match operand:
        case Binary("*", a, b, _) if not is_literal(operand):
            return a, b, negated
        case _:
            return None


def _unconverted(node: Expression) -> Expression:
    """A cast to the type that the operand already has generates no code."""
    while isinstance(node, Cast) and node.operand.type == node.type:
        node = node.operand
    return node
