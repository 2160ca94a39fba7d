"""C's integer expressions as polynomials and affine forms of loop counters and parameters, and their comparisons.

Arithmetic is that of the mathematical integers. Where C's would differ (unsigned wrap-around, narrowing), the reader
records what must hold for the two to agree; signed overflow is undefined in C, so that nothing has to hold for it.
An unsigned result stays "inexact" (right modulo a power of two) until it is compared, divided or widened: n - 1 + 1
asks for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, And, Atom, Compare, Condition, Not, Or, affine, at_least, equal, linear
from polyloop.backend.ir.expressions import Expression, ScalarType
from polyloop.backend.ir.ranges import fits, value_range

Monomial = tuple[Atom, ...]


@dataclass(frozen=True)
class Integer:
    """A polynomial with a C type.

    Attributes:
        terms: products of atoms (sorted by their text; () for the constant) and their coefficients, no zeros.
        type: the C type.
        exact: the value equals the polynomial; otherwise only modulo 2**type.bits (unsigned types).
    """

    terms: tuple[tuple[Monomial, int], ...]
    type: ScalarType
    exact: bool = True

    @property
    def is_linear(self) -> bool:
        return all(len(monomial) <= 1 for monomial, _ in self.terms)

    @property
    def constant(self) -> int | None:
        """The value, where it is a constant."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def as_affine(self) -> Affine:
        """Only for linear ones."""
        return linear(((m[0], c) for m, c in self.terms if m), dict(self.terms).get((), 0))

    def mapping(self) -> dict[Monomial, int]:
        return dict(self.terms)


def polynomial(terms: Mapping[Monomial, int], type_: ScalarType, exact: bool = True) -> Integer:
    """An integer of these monomials, those of coefficient 0 left out."""
    kept = [(monomial, factor) for monomial, factor in terms.items() if factor]
    if len(kept) > 1:
        kept.sort(key=lambda term: [str(atom) for atom in term[0]])
    return Integer(tuple(kept), type_, exact)


def constant_integer(value: int, type_: ScalarType) -> Integer:
    """An integer of one value."""
    return polynomial({(): value}, type_)


def from_affine(value: Affine, type_: ScalarType, exact: bool = True) -> Integer:
    """An affine expression as a C integer."""
    terms: dict[Monomial, int] = {(atom,): c for atom, c in value.terms}
    terms[()] = value.constant
    return polynomial(terms, type_, exact)


def add(left: Integer, right: Integer, sign: int = 1) -> Integer:
    """left + sign * right, in the type of `left`."""
    terms = left.mapping()
    for monomial, coefficient in right.terms:
        terms[monomial] = terms.get(monomial, 0) + sign * coefficient
    return _computed(polynomial(terms, left.type), left, right)


def multiply(left: Integer, right: Integer) -> Integer:
    """left * right, in the type of `left`."""
    terms: dict[Monomial, int] = {}
    for m1, c1 in left.terms:
        for m2, c2 in right.terms:
            product = tuple(sorted((*m1, *m2), key=str))
            terms[product] = terms.get(product, 0) + c1 * c2
    return _computed(polynomial(terms, left.type), left, right)


def _computed(result: Integer, *operands: Integer) -> Integer:
    """Unsigned results may have wrapped, unless they are constants in range."""
    value = result.constant
    if result.type.kind == "uint":
        low, high = value_range(result.type)
        if value is not None and all(o.constant is not None for o in operands):
            return constant_integer(value & high, result.type)
        return replace(result, exact=value is not None and low <= value <= high and all(o.exact for o in operands))
    return result


def describe(monomial: Monomial) -> str:
    """A product of variables as C would write it."""
    return "*".join(str(atom) for atom in monomial)


def variable_integer(name: str, type_: ScalarType) -> Integer:
    """The value of an integer variable."""
    return from_affine(affine(name), type_)


def subscript_of(value: Expression) -> Affine:
    """An expression of an integer type as a subscript: sums stay sums, what is not affine becomes a `Datum`.

    Signed sums and products by constants do not overflow, and conversions to wider types keep the number.
    """
    match value:
        case e.Literal(number, _):
            return affine(int(number))
        case e.Index(number, _):
            return number
        case e.Unary("-", operand, type_) if type_.kind == "int":
            return -subscript_of(operand)
        case e.Binary("+", left, right, type_) if type_.kind == "int":
            return subscript_of(left) + subscript_of(right)
        case e.Binary("-", left, right, type_) if type_.kind == "int":
            return subscript_of(left) - subscript_of(right)
        case e.Binary("*", e.Literal(factor, _), other, type_) | e.Binary("*", other, e.Literal(factor, _), type_) if (
            type_.kind == "int"
        ):
            return subscript_of(other) * int(factor)
        case e.Cast(operand, type_) if not operand.type.is_float and fits(value_range(operand.type), type_):
            return subscript_of(operand)
    return Affine(((e.Datum(value), 1),))


def negate(condition: Condition) -> Condition:
    """The opposite, without a Not where there is a plain form."""
    match condition:
        case Compare(left, ">="):
            return Compare(-left - 1, ">=")
        case Compare(left, _):
            return Or((Compare(left - 1, ">="), Compare(-left - 1, ">=")))
        case And(operands):
            return Or(tuple(negate(o) for o in operands))
        case Or(operands):
            return And(tuple(negate(o) for o in operands))
        case Not(operand):
            return operand


def compare_affine(operator: str, left: Affine, right: Affine) -> Condition:
    """``left operator right`` for C's six comparisons."""
    match operator:
        case "<":
            return at_least(right, left + 1)
        case "<=":
            return at_least(right, left)
        case ">":
            return at_least(left, right + 1)
        case ">=":
            return at_least(left, right)
        case "==":
            return equal(left, right)
    return negate(equal(left, right))
