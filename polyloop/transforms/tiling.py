"""Transforms that divide the range of loops: Split, Tile, RegisterTile, Unroll.

Sizes count values of a member's rows. A member that is divided already (a tile loop) may be divided again by a
multiple of its divisor: the rows stay the same, so tiles nest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import Band, Member, ScheduleTree
from polyloop.transforms.base import LoopTransform, Transform, band_at, forget, member_obstacle, names_of, with_members

SPLIT_SIZES = (4, 8, 16, 32)
TILE_SIZES = (8, 32, 64)
REGISTER_SIZES = (2, 4, 8)
UNROLL_FACTORS = (2, 4, 8)


@dataclass(frozen=True)
class Split(LoopTransform):
    """Split a loop into blocks of constant size (strip-mining); the order stays the same.

    Halide and TVM call this ``split``.

    Rewrite:
        for i in [0, n): S(i)
        ->  for it in [0, ceil(n/T)):  for i in [T*it, min(T*it + T, n)):  S(i)

    A parallel loop's kind moves to the loop over blocks, every other kind stays with the points.

    Attributes:
        path, member: the loop.
        size: block size T, a proper multiple of the member's divisor.
    References:
        Loveman, "Program Improvement by Source-to-Source Transformation", JACM 1977.
    """

    size: int
    reorders: ClassVar[bool] = False

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            for index, member in enumerate(band.members):
                yield from (cls(path, index, size) for size in SPLIT_SIZES if _size_obstacle(member, size) is None)

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        return _size_obstacle(self.loop(tree), self.size)

    def action(self, tree: ScheduleTree) -> str:
        return f"split {self.loop_name(tree)} by {self.size}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        return with_members(tree, self.path, self.member, *_divide(self.loop(tree), self.size))


@dataclass(frozen=True)
class Tile(Transform):
    """Tile a band: a band of loops over tiles above a band of loops over the points of one tile.

    Halide and TVM call this ``tile`` (for two loops).

    Rewrite:
        for i:  for j:  S(i, j)
        ->  for i/Ti:  for j/Tj:  for i in its tile:  for j in its tile:  S(i, j)

    A parallel loop's kind moves to its tile loop, every other kind stays with the points.

    Attributes:
        path: the band.
        sizes: tile size for each member, a proper multiple of its divisor; 1 leaves the member out of the tile band.
    References:
        Irigoin and Triolet, "Supernode Partitioning", POPL 1988.
    """

    sizes: tuple[int, ...]

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            options = (cls(path, (size,) * len(band.members)) for size in TILE_SIZES)
            yield from (option for option in options if option.obstacle(tree) is None)

    def obstacle(self, tree: ScheduleTree) -> str | None:
        return _sizes_obstacle(tree, self, self.sizes)

    def action(self, tree: ScheduleTree) -> str:
        return f"tile {_tiled_names(tree, self, self.sizes)} by {_times(self.sizes)}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        band = band_at(tree, self.path)
        tiles: list[Member] = []
        points: list[Member] = []
        for member, size in zip(band.members, self.sizes, strict=True):
            if size == 1:
                points.append(member)
            else:
                tile, point = _divide(member, size)
                # What the point loop does not carry in its place it carries even less inside a tile; the tile loop
                # stands where other loops were fixed before.
                tiles.append(replace(tile, coincident=tile.coincident and not tiles and member is band.members[0]))
                points.append(point)
        inner = replace(band, members=tuple(points))
        return tree.replaced(self.path, Band(tuple(tiles), band.permutable, inner))


@dataclass(frozen=True)
class RegisterTile(Transform):
    """Register tile: divide loops of a band and sink the loops over the points below all of them, unrolled.

    Also known as unroll-and-jam; in Halide and TVM ``tile``, ``reorder`` and ``unroll`` of the inner loops.

    Rewrite:
        for i:  for j:  for k:  S(i, j, k)
        ->  for i/Ri:  for j/Rj:  for k:  unrolled for i in its tile:  vector for j in its tile:  S(i, j, k)

    Attributes:
        path: the band.
        sizes: register tile size for each member, a proper multiple of its divisor; 1 keeps the loop as it is, above
            the tile.
        vector: member whose points become a vector loop, placed last; -1 for none. Members that are vector loops
            already keep their kind.
    References:
        Callahan, Carr and Kennedy, "Improving Register Allocation for Subscripted Variables", PLDI 1990.
    """

    sizes: tuple[int, ...]
    vector: int = -1

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            count = len(band.members)
            for size in REGISTER_SIZES:
                for fixed in range(count):
                    sizes = tuple(1 if k == fixed else size for k in range(count))
                    option = cls(path, sizes)
                    if option.obstacle(tree) is None:
                        yield option

    def obstacle(self, tree: ScheduleTree) -> str | None:
        obstacle = _sizes_obstacle(tree, self, self.sizes)
        if obstacle is not None:
            return obstacle
        band = band_at(tree, self.path)
        if self.vector != -1 and not 0 <= self.vector < len(band.members):
            return f"the band at {self.path} has no member {self.vector}"
        if self.vector != -1 and self.sizes[self.vector] == 1:
            return f"member {self.vector} is not divided, so that it has no points to vectorize"
        return None

    def action(self, tree: ScheduleTree) -> str:
        return f"register-tile {_tiled_names(tree, self, self.sizes)} by {_times(self.sizes)}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        band = band_at(tree, self.path)
        outer: list[Member] = []
        points: list[Member] = []
        last: list[Member] = []
        for index, (member, size) in enumerate(zip(band.members, self.sizes, strict=True)):
            if size == 1:
                outer.append(member)
                continue
            tile, point = _divide(member, size)
            outer.append(tile)
            if index == self.vector or point.kind is LoopKind.VECTOR:
                last.append(replace(point, kind=LoopKind.VECTOR))
            else:
                points.append(replace(point, kind=LoopKind.UNROLLED))
        # In a permutable band no row runs backwards, wherever its loop stands.
        inner = Band(forget((*points, *last)), band.permutable, band.child)
        return tree.replaced(self.path, Band(forget(outer), band.permutable, inner))


@dataclass(frozen=True)
class Unroll(LoopTransform):
    """Unroll a loop, wholly or by a factor; the order stays the same.

    Halide and TVM call this ``unroll``.

    Rewrite:
        for i in [0, n): S(i)   ->  unrolled for i in [0, n): S(i)                                (factor 0)
        for i in [0, n): S(i)   ->  for i/F:  unrolled for i in [F*(i/F), F*(i/F) + F): S(i)

    Attributes:
        path, member: the loop.
        factor: F, a proper multiple of the member's divisor; 0 unrolls all of it.
    """

    factor: int = 0
    reorders: ClassVar[bool] = False

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            for index in range(len(band.members)):
                options = (cls(path, index, factor) for factor in UNROLL_FACTORS)
                yield from (option for option in options if option.obstacle(tree) is None)

    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        member = self.loop(tree)
        if member.kind is not LoopKind.SEQUENTIAL:
            return f"{names_of((member,))} is {member.kind.noun} already"
        return _size_obstacle(member, self.factor) if self.factor else None

    def action(self, tree: ScheduleTree) -> str:
        by = f" by {self.factor}" if self.factor else ""
        return f"unroll {self.loop_name(tree)}{by}"

    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        loop = self.loop(tree)
        *around, last = _divide(loop, self.factor) if self.factor else (loop,)
        return with_members(tree, self.path, self.member, *around, replace(last, kind=LoopKind.UNROLLED))


def _divide(member: Member, size: int) -> tuple[Member, Member]:
    """The loop over blocks and the loop over their points."""
    parallel = member.kind is LoopKind.PARALLEL
    outer = replace(member, divisor=size, kind=LoopKind.PARALLEL if parallel else LoopKind.SEQUENTIAL)
    point = replace(member, packings=(), prefetches=())
    return outer, replace(point, kind=LoopKind.SEQUENTIAL) if parallel else point


def _size_obstacle(member: Member, size: int) -> str | None:
    if size >= 2 and size > member.divisor and size % member.divisor == 0:
        return None
    needed = f"a proper multiple of {member.divisor}, its divisor" if member.divisor > 1 else "at least 2"
    return f"the size for loop {names_of((member,))} is {size}; it has to be {needed}"


def _sizes_obstacle(tree: ScheduleTree, transform: Transform, sizes: tuple[int, ...]) -> str | None:
    missing = member_obstacle(tree, transform.path)
    if missing is not None:
        return missing
    members = band_at(tree, transform.path).members
    if len(sizes) != len(members):
        return f"the band has {len(members)} members, but there are {len(sizes)} sizes"
    if all(size == 1 for size in sizes):
        return "every size is 1, so that nothing changes"
    obstacles = (_size_obstacle(m, size) for m, size in zip(members, sizes, strict=True) if size != 1)
    return next((obstacle for obstacle in obstacles if obstacle is not None), None)


def _tiled_names(tree: ScheduleTree, transform: Transform, sizes: tuple[int, ...]) -> str:
    members = band_at(tree, transform.path).members
    return names_of(m for m, size in zip(members, sizes, strict=True) if size != 1)


def _times(sizes: tuple[int, ...]) -> str:
    return "x".join(str(size) for size in sizes if size != 1)


# --- Merge: the loop over blocks and the loop over their iterations become one loop again -----------------------------


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
