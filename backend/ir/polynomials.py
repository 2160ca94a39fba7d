"""Products of integer variables, and their sums: how far the elements of an array lie apart along a subscript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import TypeAlias

Polynomial: TypeAlias = tuple[tuple[tuple[str, ...], int], ...]
"""Products of names, () for the constant, and their coefficients."""

ONE: Polynomial = (((), 1),)


def evaluate(polynomial: Polynomial, values: Mapping[str, int]) -> int:
    return sum(factor * prod(values[name] for name in names) for names, factor in polynomial)


def variables(polynomials: Iterable[Polynomial]) -> frozenset[str]:
    return frozenset(name for polynomial in polynomials for names, _ in polynomial for name in names)


def renamed(polynomial: Polynomial, name: Callable[[str], str]) -> Polynomial:
    return tuple((tuple(map(name, names)), factor) for names, factor in polynomial)


def with_values(polynomial: Polynomial, values: Mapping[str, int]) -> Polynomial:
    """The polynomial with these values in the places of names."""
    terms: dict[tuple[str, ...], int] = {}
    for names, factor in polynomial:
        left = tuple(name for name in names if name not in values)
        terms[left] = terms.get(left, 0) + factor * prod(values[name] for name in names if name in values)
    return tuple(terms.items())


def text(polynomial: Polynomial, name: Callable[[str], str] = str) -> str:
    """In C's terms; a sum without parentheses around it."""
    terms = []
    for names, factor in polynomial:
        factors = [*map(name, names)]
        if factor != 1 or not factors:
            factors.insert(0, str(factor))
        terms.append(" * ".join(factors))
    return " + ".join(terms).replace("+ -", "- ") or "0"
