"""Transforms that change the order of a nest's iterations by its rows: Swap, Skew, Reverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Self

from polyloop.schedules.tree import Band, Member, Node, ScheduleTree
from polyloop.transforms.base import LoopTransform, Transform, band_at, forget, member_obstacle, names_of, node_at

SKEW_FACTORS = (-1, 1, 2)


@dataclass(frozen=True)
class Swap(Transform):
    """Interchange two loops.

    Halide and TVM call this ``reorder``.

    Rewrite:
        for i:  for j:  S(i, j)   ->  for j:  for i:  S(i, j)

    Members are counted through the bands that stand directly below the band at `path`, so that loops of different
    bands may be interchanged, too. A loop takes its kind with it.

    Attributes:
        path: the band.
        member, with_member: the two loops, the outer one first.
    References:
        Allen and Kennedy, "Automatic Loop Interchange", SIGPLAN Symposium on Compiler Construction, 1984.
    """

    member: int
    with_member: int

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            count = sum(len(inner.members) for inner in _chain(band))
            for first, second in combinations(range(count), 2):
                if first < len(band.members):
                    yield cls(path, first, second)

    def obstacle(self, tree: ScheduleTree) -> str | None:
        node = node_at(tree, self.path)
        if not isinstance(node, Band):
            return f"there is no band at {self.path}"
        count = sum(len(band.members) for band in _chain(node))
        if not 0 <= self.member < self.with_member < count:
            return (
                f"members {self.member} and {self.with_member} are not an outer and an inner one of the {count} loops "
                f"that stand directly below one another at {self.path}"
            )
        return None

    def action(self, tree: ScheduleTree) -> str:
        members = [member for band in _chain(band_at(tree, self.path)) for member in band.members]
        return f"interchange {names_of((members[self.member], members[self.with_member]))}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        bands = _chain(band_at(tree, self.path))
        members = [member for band in bands for member in band.members]
        first, last = self.member, self.with_member
        members[first], members[last] = members[last], members[first]
        # Behind the inner one the same loops stand outside as before; in between what was known is void.
        members[first : last + 1] = forget(members[first : last + 1])
        return tree.replaced(self.path, _rebuilt(bands, members, first, last))


@dataclass(frozen=True)
class Skew(Transform):
    """Add a multiple of one loop to another.

    Rewrite:
        for t:  for i:  S(t, i)   ->  for t:  for i' = i + F*t:  S(t, i' - F*t)

    With the added loop outside, the order stays the same and only the rows change: what ran backwards in the loop may
    then run forwards, so that the band becomes permutable.

    Attributes:
        path: the band.
        member: the loop that changes.
        by_member: the loop that is added; both count points (divisor 1).
        factor: F, not 0.
    References:
        Wolfe, "Loop Skewing: The Wavefront Method Revisited", IJPP 1986.
    """

    member: int
    by_member: int
    factor: int

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            for outer, inner in combinations(range(len(band.members)), 2):
                options = (cls(path, inner, outer, factor) for factor in SKEW_FACTORS)
                yield from (option for option in options if option.obstacle(tree) is None)

    def obstacle(self, tree: ScheduleTree) -> str | None:
        missing = member_obstacle(tree, self.path, self.member, self.by_member)
        if missing is not None:
            return missing
        if self.member == self.by_member or self.factor == 0:
            return "skewing takes two different loops and a factor other than 0"
        members = band_at(tree, self.path).members
        divided = [members[k] for k in (self.member, self.by_member) if members[k].divisor != 1]
        if divided:
            return f"{names_of(divided)} counts tiles; skew before tiling"
        return None

    def action(self, tree: ScheduleTree) -> str:
        members = band_at(tree, self.path).members
        by = names_of((members[self.by_member],))
        return f"skew {names_of((members[self.member],))} by {by if self.factor == 1 else f'{self.factor}*{by}'}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        band = band_at(tree, self.path)
        added = dict(band.members[self.by_member].rows)
        member = band.members[self.member]
        rows = tuple((name, row + added[name] * self.factor) for name, row in member.rows)
        members = [*band.members]
        members[self.member] = replace(member, rows=rows)
        if self.by_member > self.member:
            members[self.member : self.by_member + 1] = forget(members[self.member : self.by_member + 1])
        return tree.replaced(self.path, replace(band, members=tuple(members), permutable=False))


@dataclass(frozen=True)
class Reverse(LoopTransform):
    """Run a loop the other way.

    Rewrite:
        for i in [0, n): S(i)   ->  for i' in (-n, 0]: S(-i')

    Attributes:
        path, member: the loop; it counts points (divisor 1).
    References:
        Wolf and Lam, "A Loop Transformation Theory and an Algorithm to Maximize Parallelism", TPDS 1991.
    """

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        member = self.loop(tree)
        return f"{names_of((member,))} counts tiles; reverse before tiling" if member.divisor != 1 else None

    def action(self, tree: ScheduleTree) -> str:
        return f"reverse {self.loop_name(tree)}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        band = band_at(tree, self.path)
        member = band.members[self.member]
        turned = replace(member, rows=tuple((name, -row) for name, row in member.rows))
        members = (*band.members[: self.member], turned, *band.members[self.member + 1 :])
        return tree.replaced(self.path, replace(band, members=members, permutable=False))


def _chain(band: Band) -> list[Band]:
    """The band and those that stand directly below one another under it."""
    bands = [band]
    while isinstance(bands[-1].child, Band):
        bands.append(bands[-1].child)
    return bands


def _rebuilt(bands: list[Band], members: list[Member], first: int, last: int) -> Band:
    """The bands again with other members; those that hold one of two interchanged loops alone are no longer known to
    be permutable, nor are those in between."""
    ends: list[int] = []
    for band in bands:
        ends.append((ends[-1] if ends else 0) + len(band.members))
    node: Node = bands[-1].child
    for band, end in reversed(list(zip(bands, ends, strict=True))):
        start = end - len(band.members)
        untouched = end <= first or start > last or (start <= first and last < end)
        node = Band(tuple(members[start:end]), band.permutable and untouched, node)
    assert isinstance(node, Band)
    return node
