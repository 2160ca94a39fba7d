"""Merge: the loop over blocks and the loop over their iterations become one loop again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from polyloop.schedules.tree import Band, Member, ScheduleTree
from polyloop.transforms.base import LoopTransform, band_at, names_of


@dataclass(frozen=True)
class Merge(LoopTransform):
    """Merge a loop over blocks with the loop of the same rows directly inside it; the order stays the same.

    Undoes `Split`; Halide and TVM call it ``fuse`` (of two loops of one nest).

    Rewrite:
        for it in [0, ceil(n/T)):  for i in [T*it, min(T*it + T, n)):  S(i)   ->  for i in [0, n): S(i)

    The inner loop keeps its kind, except that what was parallel outside stays parallel.

    Attributes:
        path, member: the outer loop, whose blocks consist of whole ones of the inner loop; the inner one is the next
            member, or the first of the band directly below.
    """

    reorders: ClassVar[bool] = False

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        band = band_at(tree, self.path)
        outer, inner = band.members[self.member], _inside(band, self.member)
        if inner is None or inner.rows != outer.rows:
            return f"no loop of the same values stands directly inside {names_of((outer,))} to merge with"
        if outer.divisor % inner.divisor:
            return f"the loop inside {names_of((outer,))} counts blocks that are no parts of its own"
        if outer.packings or outer.prefetches or inner.packings or inner.prefetches:
            return f"copies or prefetches belong to one of the loops of {names_of((outer,))}"
        return None

    def action(self, tree: ScheduleTree) -> str:
        return f"merge {self.loop_name(tree)} with the loop inside"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        band = band_at(tree, self.path)
        outer, inner = band.members[self.member], _inside(band, self.member)
        assert inner is not None
        whole = replace(inner, coincident=False, kind=outer.kind if inner.kind.value == "for" else inner.kind)
        left = band.members[: self.member]
        if self.member + 1 < len(band.members):
            return tree.replaced(self.path, replace(band, members=(*left, whole, *band.members[self.member + 2 :])))
        below = band.child
        assert isinstance(below, Band)
        merged = replace(below, members=(whole, *below.members[1:]), permutable=False)
        return tree.replaced(self.path, replace(band, members=left, child=merged) if left else merged)


def _inside(band: Band, member: int) -> Member | None:
    if member + 1 < len(band.members):
        return band.members[member + 1]
    return band.child.members[0] if isinstance(band.child, Band) else None
