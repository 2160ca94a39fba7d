"""What the file that a Scop comes from uses it for: the sizes of its own calls, the iterations of loops around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from polyloop.backend.ir.affine import Affine, affine
from polyloop.scop.affine_isl import fix_parameters
from polyloop.scop.data import (
    bytes_of,
    is_allowed,
    loop_bounds,
    loop_parameters,
    not_given,
    of_variables,
    sizes_from,
    with_computed,
    work,
)
from polyloop.scop.model import Scop

SAMPLES = 8
"""Iterations of a loop around a region that stand for all of them, at equal distances."""


def own_sizes(scop: Scop, given: Mapping[str, int], most: float, most_bytes: float) -> dict[str, int]:
    """The values that the file itself has for parameters that nobody gave, the largest of them halved as long as there
    would be more than so many statement instances, or bytes of data, with the others as small as they may be.

    Args:
        given: values of other parameters.
    """
    usual = dict(scop.source.usual) if scop.source is not None else {}
    missing, values = not_given(scop, given), of_variables(scop, usual)
    own = _of_one_use(scop, given, {name: values[name] for name in missing if name in values})
    while own:
        sizes = {**given, **own}
        whole = with_computed(scop, sizes) if set(missing) <= own.keys() else sizes_from(scop, 1, sizes)
        if whole is None:
            return own
        if not (instances := work(scop, whole)):
            return {}
        if (early := _from_0_on(scop, whole, own)) != own:
            own = early
            continue
        if instances <= most and bytes_of(scop, whole) <= most_bytes:
            return own
        largest = max(own, key=own.__getitem__)
        if own[largest] < 2:  # flags: of none of these there is less
            return own
        half = own | {largest: own[largest] // 2}
        if fix_parameters(scop.known, {**given, **half}).is_empty():
            del own[largest]
        else:
            own = half
    return {}


def _from_0_on(scop: Scop, sizes: Mapping[str, int], own: Mapping[str, int]) -> dict[str, int]:
    """The values, with 0 for what loops begin at and as much less for what they end at: parts of something long are as
    good as its first one, and how short they may be is found by smaller ends alone."""
    levels = [loop_bounds(scop, s, position) for s in scop.statements for position in range(s.depth)]
    found = dict(own)
    for name in [name for name in own if any(name in level for level in levels)]:
        bounds = {name, *(other for level in levels if name in level for other in level & own.keys())}
        moved = {**found, **{other: found[other] - found[name] for other in bounds}}
        values = with_computed(scop, {**sizes, **moved})
        fits = moved.items() <= values.items() and min(moved[other] for other in bounds) >= 0
        if found[name] and fits and is_allowed(scop.known, values) and work(scop, values) == work(scop, sizes):
            found = moved
    return found


def _of_one_use(scop: Scop, given: Mapping[str, int], own: Mapping[str, int]) -> dict[str, int]:
    """Values that the Scop is written for: without those that do not fit the ones before them, what loops end at first,
    as where rows of one object are taken for those of another."""
    if not own or not fix_parameters(scop.known, {**given, **own}).is_empty():
        return dict(own)
    bounds, found = loop_parameters(scop), dict[str, int]()
    for name in sorted(own, key=lambda name: name not in bounds):
        with_it = found | {name: own[name]}
        if not fix_parameters(scop.known, {**given, **with_it}).is_empty():
            found = with_it
    return {name: found[name] for name in own if name in found}


def without_own_uses(scop: Scop) -> Scop:
    """The Scop of a file that says nothing of sizes."""
    return scop if scop.source is None else replace(scop, source=replace(scop.source, usual=()))


def turns(scop: Scop) -> Iterator[tuple[Affine, Affine, Affine]]:
    """The parameters that are counters of loops around the region, outermost first, with the first value and the end,
    as far as parameters and the file's own constants tell these."""
    if scop.source is None:
        return
    usual = {name: value for name, value in scop.source.usual if name not in scop.parameters}
    for each in scop.source.turns:
        first, end = (value.substitute(usual) for value in (each.first, each.end))
        if first.variables() | end.variables() <= set(scop.parameters):
            yield affine(each.counter), first, end


def sizes_around(scop: Scop, sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """The sizes in some iterations, at equal distances, of the innermost loop around the region whose counter is a
    parameter; where there is no such loop, those with each constant of a parameter for which calls pass several, as
    flags; none of others."""
    ranges = list(turns(scop))
    if not ranges:
        constants = scop.source.constants if scop.source is not None else ()
        several = [(name, value) for name, values in constants if len(values) > 1 for value in sorted(values)[:SAMPLES]]
        return [with_computed(scop, {**sizes, name: value}) for name, value in several if name in sizes]
    counter, first, end = ranges[-1]
    given = {name: value for name, value in sizes.items() if name in not_given(scop, {})}
    begin, count = first.evaluate(given), end.evaluate(given) - first.evaluate(given)
    taken = dict.fromkeys(begin + (2 * k + 1) * count // (2 * SAMPLES) for k in range(SAMPLES)) if count > 0 else {}
    return [with_computed(scop, {**given, str(counter): value}) for value in taken]
