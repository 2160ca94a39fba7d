"""Tests of emitted C whether memory that loops touch overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polyloop.backend.c.helpers import Helper

_SEVERAL = 4
"""So many pairs are shorter as a list of what they are made of."""


@dataclass(frozen=True)
class Bytes:
    """The bytes that accesses to an array touch, relative to its first element: C texts of begin and end."""

    address: str
    begin: str
    end: str

    @property
    def text(self) -> str:
        return f"{self.address}, {self.begin}, {self.end}"


def disjoint(first: Bytes, second: Bytes) -> str:
    """A call of the helper "disjoint"."""
    return f"polyloop_disjoint({first.text}, {second.text})"


def disjoint_tests(pairs: Iterable[tuple[Bytes, Bytes]], helpers: set[Helper]) -> list[str]:
    """That the ranges of no pair overlap: a test for each pair, or for the first of several ranges against all."""
    left, tests = list(dict.fromkeys(pairs)), list[str]()
    while len(left) >= _SEVERAL:
        first, others = _star(left)
        if len(first) * (len(first) - 1) // 2 + len(first) * len(others) < _SEVERAL:
            break
        ranges = ", ".join(f"{{{each.text}}}" for each in (*first, *others))
        tests.append(f"polyloop_none_overlap({len(first)}, {ranges})")
        helpers.add(Helper("none_overlap"))
        left = [pair for pair in left if not set(first) & set(pair)]
    if left:
        helpers.add(Helper("disjoint"))
    return [*tests, *(disjoint(*pair) for pair in left)]


def _star(pairs: Sequence[tuple[Bytes, Bytes]]) -> tuple[list[Bytes], list[Bytes]]:
    """Ranges of which each has to be disjoint from all others, and those others."""
    near: dict[Bytes, set[Bytes]] = {}
    for a, b in pairs:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    center = max(near, key=lambda each: len(near[each]))
    around = {center, *near[center]}
    # Each of them is disjoint from all of these, and from nothing else.
    first = [each for each in near if {each, *near[each]} == around]
    return first, [each for each in near if each in around and each not in first]
