"""Which scops take the most time, before anything is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from math import inf, log2

from polyloop.backend.ir.expressions import Literal, walk
from polyloop.scop.data import SizeError, checked_sizes, instances, not_given, sizes_from
from polyloop.scop.model import Scop
from polyloop.scop.own_uses import own_sizes
from polyloop.scop.size_choice import default_sizes, first_iterations, likely, out_of_proportion

MICROSECOND = 1e3
"""Operations and accesses that take about so long, as compilers make them."""

ASSUMED = 1000
"""The value of a parameter of which nothing is known, and how often a loop of unknown length runs."""


def assumed_sizes(scop: Scop) -> dict[str, int]:
    """What the file itself runs it with, and the same value for every other parameter that loops do not begin at, as
    far as the scop is written for it, so that scops can be compared."""
    scop = likely(scop, {})
    own = own_sizes(scop, {}, inf, inf)
    for known in (own, {}) if own else (own,):
        with suppress(SizeError):
            return checked_sizes(scop, dict.fromkeys(scop.parameters, ASSUMED) | first_iterations(scop, known) | known)
    largest = out_of_proportion(scop, ASSUMED)
    found = (sizes_from(scop, ASSUMED, fixed, largest) for fixed in (first_iterations(scop, {}), {}))
    return next(filter(None, found), None) or default_sizes(scop).values


def expected_operations(scop: Scop, sizes: dict[str, int] | None = None) -> float:
    """Operations and accesses of a scop, at the sizes that are assumed, in all runs of it that its file tells of."""
    chosen = assumed_sizes(scop) if sizes is None else sizes
    parts = [1 + sum(not isinstance(part, Literal) for part in walk(s.value)) for s in scop.statements]
    once = sum(part * instances(s, chosen) for part, s in zip(parts, scop.statements, strict=True))
    if not once and sizes is None:  # nothing runs at the only sizes that could be found
        once = sum(part * float(ASSUMED) ** s.depth for part, s in zip(parts, scop.statements, strict=True))
    return once if scop.source is None else once * scop.source.runs * scop.source.calls


def is_negligible(scop: Scop, operations: float) -> bool:
    """Whether the program runs a scop once, at sizes that the file says, and in no time that anybody notices."""
    if scop.source is None or not scop.source.once or operations >= 1e3 * MICROSECOND:
        return False
    scop = likely(scop, {})
    return not not_given(scop, own_sizes(scop, {}, inf, inf))


def weight(operations: float) -> float:
    """Of a search among others: what it may save, which says more about loops of a second than about those of a
    microsecond. Sizes and calls that nobody knows make both less certain, so that neither has it all; loops seven deep
    at sizes that are assumed count as some of a minute or two."""
    microseconds = min(max(operations / MICROSECOND, 1.0), 1e8)
    return max(1.0, log2(microseconds)) ** 3


def callees(scops: Sequence[Scop]) -> list[set[int]]:
    """Of each scop the others whose functions its loops call, or functions that these call."""
    texts = [scop.source.loops if scop.source is not None else "" for scop in scops]
    functions = [scop.source.function if scop.source is not None else "" for scop in scops]
    words = [set(re.findall(r"\b([A-Za-z_]\w*)\s*\(", text)) for text in texts]
    direct = [
        {k for k, function in enumerate(functions) if function in each and function != own}
        for each, own in zip(words, functions, strict=True)
    ]
    found: list[set[int]] = []
    for place in range(len(scops)):
        reached, left = set[int](), list(direct[place])
        while left:
            if (k := left.pop()) not in reached:
                reached.add(k)
                left += direct[k]
        found.append({k for k in reached if functions[k] != functions[place]})
    return found
