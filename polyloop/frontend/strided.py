"""Subscripts with strides that are no rows of rows, of arrays that nothing writes.

    in[(c*h + y*stride + ky)*w + x*stride + kx]    ->    in[c][y][ky][x][kx], strides h*w, stride*w, w, stride and 1
    a[i*rs + k*cs]                                 ->    a[i][k][0], strides rs, cs and 1

Every counter, and every product of parameters, has a subscript of its own, which goes through elements that lie its
coefficient apart. Two of them may name one element; as nothing writes the array, nothing depends on that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import gcd, prod

from polyloop.backend.ir.affine import Affine, affine, linear
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.frontend.arrays import (
    Pending,
    Poly,
    extents,
    find_strides,
    in_order,
    monomial_order,
    split_terms,
    to_affine,
)
from polyloop.frontend.integers import Integer, Monomial, polynomial

IsCounter = Callable[[object], bool]


def strides_of(group: Sequence[Pending], is_counter: IsCounter) -> list[Poly] | None:
    """How far elements lie apart along the subscripts of an array's accesses, the largest first, and 1; None where
    counters are multiplied with each other, or a counter's stride might be negative, or C's arithmetic wraps around."""
    if any(not (pending.subscript.exact or pending.subscript.type.bits == 64) for pending in group):
        return None
    moving = of_counters(group, is_counter)
    if moving is None or any(factor < 0 for poly in moving for factor in poly.values()):
        return None
    rests = (split[1] for pending in group if (split := split_terms(pending.subscript, is_counter)) is not None)
    found: list[Poly] = [{(): 1}]
    for poly in (*moving, *({monomial: 1} for rest in rests for monomial in rest if len(monomial) > 1)):
        found += [poly] if poly not in found else []
    return in_order(found) if are_plain(found) else None


def of_counters(group: Sequence[Pending], is_counter: IsCounter) -> list[Poly] | None:
    """The strides that counters have; None where they are multiplied with each other."""
    splits = [split_terms(pending.subscript, is_counter) for pending in group]
    if any(split is None for split in splits):
        return None
    return [_primitive(poly)[1] for split in splits if split is not None for poly in split[0].values() if poly]


def are_plain(strides: Iterable[Poly]) -> bool:
    """Whether they are made of parameters alone."""
    return all(isinstance(atom, str) for poly in strides for monomial in poly for atom in monomial)


def subscripts_at(subscript: Integer, strides: Sequence[Poly], is_counter: IsCounter) -> list[Affine]:
    """The subscript, shared out among the strides."""
    split = split_terms(subscript, is_counter)
    assert split is not None
    coefficients, rest = split
    found = [affine(0)] * len(strides)
    for counter, poly in coefficients.items():
        if poly:
            factor, stride = _primitive(poly)
            place = strides.index(stride)
            found[place] = found[place] + linear([(counter, factor)], 0)  # type: ignore[list-item]
    for monomial, factor in rest.items():
        if len(monomial) > 1:
            place = strides.index({monomial: 1})
            found[place] = found[place] + factor
    last = to_affine({monomial: factor for monomial, factor in rest.items() if len(monomial) < 2})
    assert last is not None
    return [*found[:-1], found[-1] + last]


def named(strides: Iterable[Poly]) -> tuple[Polynomial, ...]:
    """Strides in the Scop's terms."""
    return tuple(tuple((tuple(map(str, monomial)), factor) for monomial, factor in poly.items()) for poly in strides)


def factors(strides: Iterable[Poly]) -> list[str]:
    """The parameters in strides, in order."""
    return list(dict.fromkeys(str(name) for poly in strides for monomial in poly for name in monomial))


def units(
    group: Sequence[Pending],
    strides: Sequence[Poly],
    is_counter: IsCounter,
    depth: Mapping[str, int],
    bounds: Collection[str],
    least: Mapping[str, int],
) -> Iterator[tuple[dict[str, int], list[Poly]]]:
    """The parameters, each a stride, that leave rows of rows where they are as small as they may be (`least`), and the
    strides of these: the fewest, and of as few those that bound no loops, and of the innermost loops, in which programs
    mostly go element by element."""
    level: dict[str, int] = {}
    for pending in group:
        for counter, poly in (split_terms(pending.subscript, is_counter) or ({}, {}))[0].items():
            for name in factors([poly]) if poly in strides else ():
                level[name] = max(level.get(name, 0), depth.get(str(counter), 0))
    alone = sorted(level, key=lambda name: (name in bounds, -level[name]))
    alone = [name for name in alone if {(name,): 1} in strides]
    for count in range(len(alone) + 1):
        for names in combinations(alone, count):
            values = {name: least[name] for name in names}
            chain = find_strides(_with_values(poly.items(), values) for poly in strides)
            if chain is not None and extents(chain) is not None:
                yield values, chain


def at_values(subscript: Integer, values: Mapping[str, int]) -> Integer:
    """The subscript where parameters have these values."""
    return polynomial(_with_values(subscript.terms, values), subscript.type, subscript.exact)


def _with_values(terms: Iterable[tuple[Monomial, int]], values: Mapping[str, int]) -> Poly:
    left: Poly = {}
    for monomial, factor in terms:
        others = tuple(atom for atom in monomial if not isinstance(atom, str) or atom not in values)
        own = prod(values[atom] for atom in monomial if isinstance(atom, str) and atom in values)
        left[others] = left.get(others, 0) + factor * own
    return left


def _primitive(poly: Poly) -> tuple[int, Poly]:
    """A factor, and what it is of: without common divisors, the term that leads positive."""
    common = gcd(*poly.values())
    if poly[max(poly, key=monomial_order)] < 0:
        common = -common
    return common, {monomial: factor // common for monomial, factor in poly.items()}
