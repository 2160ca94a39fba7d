"""Which scops take the most time, before anything is measured."""

from __future__ import annotations

from contextlib import suppress
from math import inf

from polyloop.backend.ir.expressions import Literal, walk
from polyloop.scop.data import SizeError, checked_sizes, instances
from polyloop.scop.model import Scop
from polyloop.scop.own_uses import own_sizes
from polyloop.scop.size_choice import default_sizes, first_iterations, likely, sizes_from

ASSUMED = 1000
"""The value of a parameter of which nothing is known, and how often a loop of unknown length runs."""


def assumed_sizes(scop: Scop) -> dict[str, int]:
    """What the file itself runs it with, and the same value for every other parameter that loops do not begin at, as
    far as the scop is written for it, so that scops can be compared."""
    scop, own = likely(scop, {}), own_sizes(scop, {}, inf, inf)
    for known in (own, {}) if own else (own,):
        with suppress(SizeError):
            return checked_sizes(scop, dict.fromkeys(scop.parameters, ASSUMED) | first_iterations(scop, known) | known)
    return sizes_from(scop, ASSUMED, {}) or default_sizes(scop).values


def expected_operations(scop: Scop, sizes: dict[str, int] | None = None) -> float:
    """Operations and accesses of a scop, and of the loops around it together, at the sizes that are assumed."""
    chosen = assumed_sizes(scop) if sizes is None else sizes
    once = 0.0
    for statement in scop.statements:
        parts = 1 + sum(not isinstance(part, Literal) for part in walk(statement.value))
        once += parts * instances(statement, chosen)
    return once * float(ASSUMED) ** (len(scop.source.around) if scop.source is not None else 0)
