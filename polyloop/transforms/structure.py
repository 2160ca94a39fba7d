"""Transforms of the tree's form: JoinBands, SplitBand, Fuse, Distribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import ClassVar, Self

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import Band, Branch, Member, Node, ScheduleTree, Sequence, restrict
from polyloop.transforms.base import Transform, band_at, flattened, forget, member_obstacle, names_of, node_at


@dataclass(frozen=True)
class JoinBands(Transform):
    """Make one band of a band and the band directly below it; the order stays the same.

    Rewrite:
        band(i) over band(j)   ->  band(i, j)

    Attributes:
        path: the outer band.
    """

    reorders: ClassVar[bool] = False

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        yield from (cls(path) for path, band in tree.bands() if isinstance(band.child, Band))

    def obstacle(self, tree: ScheduleTree) -> str | None:
        missing = member_obstacle(tree, self.path)
        if missing is not None:
            return missing
        return None if isinstance(band_at(tree, self.path).child, Band) else f"no band stands below that at {self.path}"

    def action(self, tree: ScheduleTree) -> str:
        return f"join the bands of {names_of(self.rewritten_band(tree).members)}"

    def rewritten_band(self, tree: ScheduleTree) -> Band:
        outer = band_at(tree, self.path)
        assert isinstance(outer.child, Band)
        return Band((*outer.members, *outer.child.members), False, outer.child.child)

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        return tree.replaced(self.path, self.rewritten_band(tree))


@dataclass(frozen=True)
class SplitBand(Transform):
    """Make two bands of one; the order stays the same.

    Rewrite:
        band(i, j, k)   ->  band(i) over band(j, k)

    Attributes:
        path: the band.
        at: how many members stay in the outer band.
    """

    at: int
    reorders: ClassVar[bool] = False

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        yield from (cls(path, at) for path, band in tree.bands() for at in range(1, len(band.members)))

    def obstacle(self, tree: ScheduleTree) -> str | None:
        missing = member_obstacle(tree, self.path)
        if missing is not None:
            return missing
        count = len(band_at(tree, self.path).members)
        return None if 1 <= self.at < count else f"a band of {count} members has no inner member {self.at} to split at"

    def action(self, tree: ScheduleTree) -> str:
        return f"split the band of {names_of(band_at(tree, self.path).members)} at {self.at}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        return tree.replaced(self.path, _split(band_at(tree, self.path), self.at))


@dataclass(frozen=True)
class Fuse(Transform):
    """Fuse adjacent loops (or nests) of a sequence.

    Halide and TVM say ``compute_with``.

    Rewrite:
        for i: S(i);  for i: T(i)   ->  for i: { S(i); T(i) }

    As many members are fused as each of the bands has; what the longer ones have besides stays below. A kind that the
    loops do not share is dropped.

    Attributes:
        path: the sequence.
        first, count: the branches, each with a band on top.
    References:
        Kennedy and McKinley, "Maximizing Loop Parallelism and Improving Data Locality via Loop Fusion and
        Distribution", LCPC 1993.
    """

    first: int
    count: int = 2

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, node in tree.walk():
            if isinstance(node, Sequence):
                for first, end in combinations(range(len(node.branches) + 1), 2):
                    option = cls(path, first, end - first)
                    if option.obstacle(tree) is None:
                        yield option

    def obstacle(self, tree: ScheduleTree) -> str | None:
        node = node_at(tree, self.path)
        if not isinstance(node, Sequence):
            return f"there is no sequence at {self.path}"
        if self.first < 0 or self.count < 2 or self.first + self.count > len(node.branches):
            return f"the sequence at {self.path} has {len(node.branches)} branches"
        chosen = [branch.node for branch in node.branches[self.first : self.first + self.count]]
        bands = [band for band in chosen if isinstance(band, Band)]
        if len(bands) < self.count:
            return "one of the branches has no loop"
        divisors = zip(*([m.divisor for m in band.members] for band in bands), strict=False)
        if any(len(set(level)) > 1 for level in divisors):
            return "the loops have different tile sizes"
        return None

    def action(self, tree: ScheduleTree) -> str:
        node = tree.at(self.path)
        assert isinstance(node, Sequence)
        chosen = node.branches[self.first : self.first + self.count]
        loops = names_of(m for branch in chosen if isinstance(branch.node, Band) for m in branch.node.members[:1])
        return f"fuse {loops} (around {', '.join(name for branch in chosen for name in branch.statements)})"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        node = tree.at(self.path)
        assert isinstance(node, Sequence)
        end = self.first + self.count
        chosen = node.branches[self.first : end]
        bands = [branch.node for branch in chosen if isinstance(branch.node, Band)]
        depth = min(len(band.members) for band in bands)
        order = {name: k for k, name in enumerate(tree.statements)}
        members = tuple(_joint([band.members[k] for band in bands], order) for k in range(depth))
        below = tuple(Branch(b.statements, _below(band, depth)) for b, band in zip(chosen, bands, strict=True))
        names = tuple(sorted((name for branch in chosen for name in branch.statements), key=order.__getitem__))
        fused = Branch(names, Band(members, False, Sequence(below)))
        return flattened(
            tree.replaced(self.path, Sequence((*node.branches[: self.first], fused, *node.branches[end:])))
        )


@dataclass(frozen=True)
class Distribute(Transform):
    """Distribute a band over the sequence directly below it (loop fission).

    Rewrite:
        for i: { S(i); T(i) }   ->  for i: S(i);  for i: T(i)

    Attributes:
        path: the band.
        cuts: increasing branch numbers before which the sequence is cut; () cuts before every branch.
    References:
        Kuck et al., "Dependence Graphs and Compiler Optimizations", POPL 1981.
    """

    cuts: tuple[int, ...] = ()

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            if isinstance(band.child, Sequence):
                yield cls(path)
                if len(band.child.branches) > 2:
                    yield from (cls(path, (cut,)) for cut in range(1, len(band.child.branches)))

    def obstacle(self, tree: ScheduleTree) -> str | None:
        missing = member_obstacle(tree, self.path)
        if missing is not None:
            return missing
        child = band_at(tree, self.path).child
        if not isinstance(child, Sequence):
            return f"no sequence stands below the band at {self.path}"
        places = (0, *self.cuts, len(child.branches))
        if any(low >= high for low, high in pairwise(places)):
            return f"cuts {self.cuts} do not divide {len(child.branches)} branches"
        return None

    def action(self, tree: ScheduleTree) -> str:
        return f"distribute {names_of(band_at(tree, self.path).members)}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        band = band_at(tree, self.path)
        assert isinstance(band.child, Sequence)
        order = {name: k for k, name in enumerate(tree.statements)}
        cuts = self.cuts or tuple(range(1, len(band.child.branches)))
        branches = []
        for low, high in pairwise((0, *cuts, len(band.child.branches))):
            names = [name for branch in band.child.branches[low:high] for name in branch.statements]
            names.sort(key=order.__getitem__)
            # Fewer dependences remain inside each part, so that what is known of the members stays true.
            branches.append(Branch(tuple(names), restrict(band, frozenset(names))))
        return flattened(tree.replaced(self.path, Sequence(tuple(branches))))


def _split(band: Band, at: int) -> Band:
    return Band(band.members[:at], band.permutable, replace(band, members=band.members[at:]))


def _below(band: Band, depth: int) -> Node:
    return band.child if len(band.members) == depth else replace(band, members=band.members[depth:])


def _joint(members: list[Member], order: dict[str, int]) -> Member:
    """One member for the statements of several."""
    rows = sorted((row for member in members for row in member.rows), key=lambda row: order[row[0]])
    kinds = {member.kind for member in members}
    kind = kinds.pop() if len(kinds) == 1 else LoopKind.SEQUENTIAL
    return forget((Member(tuple(rows), members[0].divisor, False, kind),))[0]
