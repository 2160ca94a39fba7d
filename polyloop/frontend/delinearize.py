"""Finds the rows in linearised subscripts: ``a[i*n + j]`` becomes ``a[i][j]`` with rows of n.

The coefficient of a counter is a polynomial of the parameters; the coefficients of all accesses to an array are
candidates for its strides. Kept are those that are no combination of the smaller ones, each dividing the next; the
quotients are the extents. A term without counters, ``(n - 1)*n`` or ``n - 1``, is divided by the strides from the
largest down, so that its remainder goes to the inner subscripts.

References:
    Grosser, Ramanujam, Pouchet, Sadayappan and Pop, "Optimistic delinearization of parametrically sized arrays",
    ICS 2015. We guess the strides from the counters' coefficients, not from the terms of highest degree alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from polyloop.backend.ir.affine import Affine, affine, linear
from polyloop.frontend.integers import Integer, Monomial

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
        lead = max(stride, key=_monomial_order)
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
    lead = max(divisor, key=_monomial_order)
    quotient: Poly = {}
    remainder: Poly = {}
    left = dict(poly)
    while left:
        top = max(left, key=_monomial_order)
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
    lead = max(poly, key=_monomial_order)
    return {m: -c for m, c in poly.items()} if poly[lead] < 0 else poly


def _monomial_order(monomial: Monomial) -> tuple[int, str]:
    return len(monomial), "*".join(map(str, monomial))


def _order(poly: Poly) -> tuple[int, str, int, int]:
    lead = max(poly, key=_monomial_order)
    return (*_monomial_order(lead), poly[lead], len(poly))


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
