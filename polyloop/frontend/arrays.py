"""The arrays of a region: their shapes, what they may overlap, their addresses, and subscripts yet to be split.

Every subscript of a one-dimensional array stays a placeholder until the region is read: only all accesses together
say whether ``a[i*n + j]`` is a row of n and what the rows are: the second part of this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, remedy, type_name
from polyloop.backend.ir.affine import Affine, Condition, affine, linear
from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.frontend.integers import Integer, Monomial
from polyloop.frontend.scopes import Refusal, Symbol

# --- Shapes -----------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Entry:
    """One array.

    Attributes:
        extents: outermost first; None where unknown. Of a one-dimensional array, before its rows are found.
        pointer: reached through a pointer variable (a parameter, say), so that it may overlap others.
        restrict: through a restrict pointer.
        rows: once they are found, the inner extents that were found.
        first_column: of rows, the smallest subscript inside of one: negative where a border lies in front of them.
        written: some statement of the region writes it.
        indirect: a subscript comes from data, so that rows cannot be told from others.
        strides: where these say where elements are and not extents, see `polyloop.scop.program.Array`.
    """

    symbol: Symbol
    name: str
    type: Arithmetic
    extents: tuple[Affine | None, ...]
    pointer: bool
    restrict: bool
    local: bool
    node: c_ast.Node
    rows: tuple[Affine, ...] = ()
    first_column: Affine = field(default_factory=Affine)
    written: bool = False
    indirect: bool = False
    strides: tuple[Polynomial, ...] | None = None

    @property
    def shape(self) -> tuple[Affine | None, ...]:
        if self.strides is not None:
            return (None,) * len(self.strides)
        return (None, *self.rows) if self.rows else self.extents

    def address(self) -> str:
        """C's expression of the first element's address."""
        place = self.symbol.place
        if place is not None and place.decayed:
            return f"(void *){place.text}"
        name = place.text if place is not None else self.symbol.name
        if not self.extents or isinstance(self.symbol.type, Arithmetic):
            return f"&{name}"
        if len(self.extents) == 1:
            return name
        return f"&{name}" + "[0]" * len(self.extents)


@dataclass(frozen=True)
class Pending:
    """A one-dimensional subscript that waits for the others of its array.

    Attributes:
        value: what it is where it is a product that belongs to no rows.
    """

    entry: Entry
    subscript: Integer
    node: c_ast.Node
    value: Affine | None = None


@dataclass(frozen=True)
class Bound:
    """An access whose subscripts must lie inside the extents, at the points where C evaluates it."""

    access: Access
    guards: tuple[Condition, ...]
    node: c_ast.Node


@dataclass
class ArrayTable:
    """The arrays by symbol, and the subscripts that wait."""

    entries: dict[Symbol, Entry] = field(default_factory=dict)
    pending: list[Pending] = field(default_factory=list)

    def names(self) -> set[str]:
        return {entry.name for entry in self.entries.values()}

    def named(self, name: str) -> Entry:
        return next(entry for entry in self.entries.values() if entry.name == name)

    def placeholder(self, entry: Entry, subscript: Integer, node: c_ast.Node, value: Affine | None = None) -> Affine:
        """A variable of a name that C does not have, in a subscript's place."""
        self.pending.append(Pending(entry, subscript, node, value))
        return affine(f"@{len(self.pending) - 1}")

    def waiting(self, access: Access) -> Pending | None:
        """What an access's placeholder stands for."""
        match access.subscripts:
            case (Affine(((str() as name, 1),), 0),) if name.startswith("@"):
                return self.pending[int(name[1:])]
        return None


def dimensions(type_: CType, node: c_ast.Node, name: str) -> tuple[Arithmetic, list[c_ast.Node | None], bool, bool]:
    """Element type, extents as written, and whether a pointer, a restrict pointer, leads there.

    Raises:
        Refusal: for arrays of pointers, of structures, volatile ones, and pointers that are no arrays of numbers.
    """
    extents: list[c_ast.Node | None] = []
    pointer = restrict = False
    match type_:
        case Pointer(target, restrict_, volatile):
            if volatile:
                raise Refusal("volatile", f"{name} is a volatile pointer", node)
            pointer, restrict = True, restrict_
            extents.append(None)
            type_ = target
    while isinstance(type_, ArrayOf):
        restrict = restrict or type_.restrict
        extents.append(type_.extent)
        type_ = type_.element
    match type_:
        case Arithmetic(volatile=True):
            raise Refusal("volatile", f"{name} is volatile", node)
        case Arithmetic():
            return type_, extents, pointer, restrict
        case Pointer():
            raise Refusal(
                "pointer-rows",
                f"the rows of {name} are reached through pointers and may overlap; declare it as one block, "
                f"{type_name(type_.target)} (*{name})[COLUMNS], and allocate it as such",
                node,
            )
    hint = remedy(type_, "; assign its members one by one")
    raise Refusal("type", f"{name} has elements of the type {type_name(type_)}{hint}", node)


# --- Rows in linearised subscripts ------------------------------------------------------------------------------------
# ``a[i*n + j]`` becomes ``a[i][j]`` with rows of n.
#
# The coefficient of a counter is a polynomial of the parameters; the coefficients of all accesses to an array are
# candidates for its strides. Kept are those that are no combination of the smaller ones, each dividing the next; the
# quotients are the extents. A term without counters, ``(n - 1)*n`` or ``n - 1``, is divided by the strides from the
# largest down, so that its remainder goes to the inner subscripts.
#
# References:
#     Grosser, Ramanujam, Pouchet, Sadayappan and Pop, "Optimistic delinearization of parametrically sized arrays",
#     ICS 2015. We guess the strides from the counters' coefficients, not from the terms of highest degree alone.


# A polynomial of parameters: product of names -> coefficient.
Poly = dict[Monomial, int]


def split_terms(subscript: Integer, is_counter: Callable[[object], bool]) -> tuple[dict[object, Poly], Poly] | None:
    """The coefficient of every counter, and the rest; None where counters are multiplied with each other."""
    coefficients: dict[object, Poly] = {}
    rest: Poly = {}
    for monomial, coefficient in subscript.terms:
        counters = [atom for atom in monomial if is_counter(atom)]
        others = tuple(atom for atom in monomial if not is_counter(atom))
        if len(counters) > 1:
            return None
        target = coefficients.setdefault(counters[0], {}) if counters else rest
        target[others] = target.get(others, 0) + coefficient
    return coefficients, rest


def find_strides(coefficients: Iterable[Poly]) -> list[Poly] | None:
    """The strides from the largest down to 1, or None where they are no chain of multiples."""
    unique: list[Poly] = [{(): 1}]
    for poly in coefficients:
        poly = _positive(poly)
        if poly and poly not in unique:
            unique.append(poly)
    unique.sort(key=_order)
    strides: list[Poly] = []
    for poly in unique:
        combination = combine(poly, list(reversed(strides)))
        if combination is None:
            if strides and divide(poly, strides[-1])[1]:
                return None
            strides.append(poly)
    return list(reversed(strides))


def combine(poly: Poly, strides: list[Poly]) -> list[int] | None:
    """Integers c with ``poly == sum(c * strides)``, strides from the largest down; None if there are none."""
    factors: list[int] = []
    left = dict(poly)
    for stride in strides:
        lead = max(stride, key=monomial_order)
        factor, remainder = divmod(left.get(lead, 0), stride[lead])
        if remainder:
            factor = 0
        factors.append(factor)
        left = _subtract(left, stride, factor)
    return None if left else factors


def subscripts(subscript: Integer, strides: list[Poly], is_counter: Callable[[object], bool]) -> list[list[Affine]]:
    """The ways to write a subscript over the strides, likeliest first; [] where there is none."""
    split = split_terms(subscript, is_counter)
    if split is None:
        return []
    coefficients, rest = split
    base = [affine(0)] * len(strides)
    for counter, poly in coefficients.items():
        factors = combine(poly, strides)
        if factors is None:
            return []
        for k, factor in enumerate(factors):
            base[k] = base[k] + linear([(counter, factor)], 0)  # type: ignore[list-item]
    results: list[list[Affine]] = []
    for offsets in _offsets(rest, strides):
        candidate = [b + o for b, o in zip(base, offsets, strict=True)]
        if candidate not in results:
            results.append(candidate)
    return results


def extents(strides: list[Poly]) -> list[Affine] | None:
    """The inner extents, outermost first; None where a quotient is not affine."""
    found: list[Affine] = []
    for larger, smaller in pairwise(strides):
        quotient, remainder = divide(larger, smaller)
        value = to_affine(quotient)
        if remainder or value is None:
            return None
        found.append(value)
    return found


def divide(poly: Poly, divisor: Poly) -> tuple[Poly, Poly]:
    """Polynomial division: quotient and remainder."""
    lead = max(divisor, key=monomial_order)
    quotient: Poly = {}
    remainder: Poly = {}
    left = dict(poly)
    while left:
        top = max(left, key=monomial_order)
        shared = _without(top, lead)
        if shared is None or left[top] % divisor[lead]:
            remainder[top] = left.pop(top)
            continue
        factor = left[top] // divisor[lead]
        quotient[shared] = quotient.get(shared, 0) + factor
        scaled = {tuple(sorted((*m, *shared), key=str)): c for m, c in divisor.items()}
        left = _subtract(left, scaled, factor)
    return quotient, remainder


def to_affine(poly: Poly) -> Affine | None:
    """The polynomial as an affine expression; None if it has products."""
    if any(len(m) > 1 for m in poly):
        return None
    return linear(((m[0], c) for m, c in poly.items() if m), poly.get((), 0))


def _offsets(rest: Poly, strides: list[Poly]) -> list[list[Affine]]:
    """How the part without counters may be shared out: each stride takes the quotient, or one less of a constant."""
    if len(strides) == 1:
        value = to_affine(rest)
        return [] if value is None else [[value]]
    quotient, remainder = divide(rest, strides[0])
    whole = to_affine(quotient)
    results: list[list[Affine]] = []
    if whole is not None:
        for shift in (0, 1, -1):
            lower = _subtract(remainder, strides[0], shift)
            results += [[whole + shift, *others] for others in _offsets(lower, strides[1:])]
    results += [[affine(0), *others] for others in _offsets(rest, strides[1:])]
    return results


def _positive(poly: Poly) -> Poly:
    if not poly:
        return poly
    lead = max(poly, key=monomial_order)
    return {m: -c for m, c in poly.items()} if poly[lead] < 0 else poly


def monomial_order(monomial: Monomial) -> tuple[int, str]:
    return len(monomial), "*".join(map(str, monomial))


def in_order(strides: Iterable[Poly]) -> list[Poly]:
    """The largest first."""
    return sorted(strides, key=_order, reverse=True)


def _order(poly: Poly) -> tuple[int, str, int, int]:
    lead = max(poly, key=monomial_order)
    return (*monomial_order(lead), poly[lead], len(poly))


def _subtract(left: Poly, right: Poly, factor: int) -> Poly:
    result = dict(left)
    for monomial, coefficient in right.items():
        result[monomial] = result.get(monomial, 0) - factor * coefficient
    return {m: c for m, c in result.items() if c}


def _without(monomial: Monomial, part: Monomial) -> Monomial | None:
    """The quotient of two products of names."""
    left = list(monomial)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)
