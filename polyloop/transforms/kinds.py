"""Transforms that say what a loop becomes: Vectorize, Parallelize."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import ScheduleTree
from polyloop.transforms.base import LoopTransform, names_of, with_kind


class _Kind(LoopTransform):
    """A sequential loop becomes one of another kind; loops of one such kind do not nest."""

    kind: ClassVar[LoopKind]

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        member = self.loop(tree)
        if member.kind is not LoopKind.SEQUENTIAL:
            return f"{names_of((member,))} is {member.kind.noun} already"
        around = tree.members_above(self.path)
        inside = [m for where, band in tree.bands() if where[: len(self.path)] == self.path for m in band.members]
        taken = [m for m in (*around, *inside) if m.kind is self.kind]
        return f"{names_of(taken[:1])} in the same nest is {self.kind.noun} already" if taken else None

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        return with_kind(tree, self.path, self.member, self.kind)


@dataclass(frozen=True)
class Vectorize(_Kind):
    """Run the iterations of a loop at once, in SIMD lanes.

    Halide and TVM call this ``vectorize``.

    Rewrite:
        for j: S(j)   ->  vector for j: S(j)

    Attributes:
        path, member: the loop. It counts points (divisor 1), carries no dependence, and no loop above or below it is a
            vector loop.
    References:
        Allen and Kennedy, "Automatic Translation of Fortran Programs to Vector Form", TOPLAS 1987.
    """

    kind: ClassVar[LoopKind] = LoopKind.VECTOR

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        member = self.loop(tree)
        if member.divisor != 1:
            return f"{names_of((member,))} counts tiles; vectorize the loop over their points"
        return super().loop_obstacle(tree)

    def action(self, tree: ScheduleTree) -> str:
        return f"vectorize {self.loop_name(tree)}"


@dataclass(frozen=True)
class Parallelize(_Kind):
    """Run the iterations of a loop in threads.

    Halide and TVM call this ``parallel``.

    Rewrite:
        for i: S(i)   ->  parallel for i: S(i)

    Attributes:
        path, member: the loop, over points or tiles. It carries no dependence (reductions count even where
            reassociation is allowed: their accumulator is shared), and no loop above or below it is a parallel loop.
    References:
        Lamport, "The Parallel Execution of DO Loops", CACM 1974.
    """

    kind: ClassVar[LoopKind] = LoopKind.PARALLEL

    def action(self, tree: ScheduleTree) -> str:
        return f"parallelize {self.loop_name(tree)}"
