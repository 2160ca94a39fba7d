"""Transforms that say what is copied or fetched ahead: Pack, Prefetch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from polyloop.backend.planning.packing import Layout, layout_problem
from polyloop.schedules.tree import Packing, ScheduleTree
from polyloop.transforms.base import LoopTransform, with_members


@dataclass(frozen=True)
class Pack(LoopTransform):
    """Copy what a read touches into a buffer of its own layout, in front of a loop.

    TVM calls this ``cache_read`` with ``compute_at``; Halide ``in().compute_at()`` with ``reorder_storage``.

    Rewrite (order (1, 0, 1), panel 24, for the read B[k][j]):
        for kt:  for j: for k in its tile:  C[..] += .. * B[k][j]
        ->  for kt:  { for p: for k in its tile: for c in [0, 24):  B_pack[p][k][c] = B[k][24*p + c];
                       for j: for k in its tile:  C[..] += .. * B_pack[j / 24][k][j % 24] }

    A panel should be as large as the tile that reads it, so that no division is left.

    Legal where the statements below the loop write nothing that the read finds there; otherwise the copy would hold old
    values. Reads of arrays that the Scop does not write can always be packed.

    Attributes:
        path, member: the loop in front of which the copy stands; it holds what the read touches in all iterations of
            that loop and those inside, for fixed outer loops.
        statement, read: the reading statement and its access as it stands there ("B[k][j]").
        order, panel: the copy's layout, see `polyloop.schedules.tree.Packing`.
        factor: a scalar that the copied values are multiplied by, as the statement does it first of all.
    """

    statement: str
    read: str
    order: tuple[int, ...]
    panel: int = 0
    factor: str = ""

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        """None: the tree knows no accesses."""
        yield from ()

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        if self.statement not in tree.statements_at(self.path):
            return f"{self.statement} is not below the band at {self.path}"
        packings = (packing for _, band in tree.bands() for member in band.members for packing in member.packings)
        if any((packing.statement, packing.read) == (self.statement, self.read) for packing in packings):
            return f"{self.read} of {self.statement} is packed already"
        return layout_problem(Layout(self.order, self.panel), self.read.count("["))

    def action(self, tree: ScheduleTree) -> str:
        return f"pack {self.read} of {self.statement} in front of {self.loop_name(tree)}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        member = self.loop(tree)
        new = Packing(self.statement, self.read, self.order, self.panel, self.factor)
        return with_members(tree, self.path, self.member, replace(member, packings=(*member.packings, new)))


@dataclass(frozen=True)
class Prefetch(LoopTransform):
    """Ask the caches for what a loop's loads of an array will read some iterations later.

    TVM calls this ``prefetch``.

    Rewrite:
        for k: S(A[k])   ->  for k: { prefetch A[k + D];  S(A[k]) }

    What inner loops read is asked for inside of them, one iteration after the other:
        for p: for i: for k: S(A[p][k])   ->  for p: for i: for k: { prefetch A[p + D][k];  S(A[p][k]) }

    Attributes:
        path, member: the loop, neither unrolled nor vector.
        array: the array.
        distance: iterations ahead, D >= 1.
    References:
        Mowry, Lam and Gupta, "Design and Evaluation of a Compiler Algorithm for Prefetching", ASPLOS 1992.
    """

    array: str
    distance: int
    reorders: ClassVar[bool] = False

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        """None: the tree knows no arrays."""
        yield from ()

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        if self.distance < 1:
            return f"the distance is {self.distance}; it has to be at least 1"
        if any(array == self.array for array, _ in self.loop(tree).prefetches):
            return f"{self.loop_name(tree)} prefetches {self.array} already"
        return None

    def action(self, tree: ScheduleTree) -> str:
        return f"prefetch {self.array} {self.distance} iterations of {self.loop_name(tree)} ahead"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        member = self.loop(tree)
        ahead = (*member.prefetches, (self.array, self.distance))
        return with_members(tree, self.path, self.member, replace(member, prefetches=ahead))
