"""Schedules with the shapes that their nests have got: what is tried first, and what runs in parallel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine import core
from polyloop.backend.machine.target import Target
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Node, Path, ScheduleTree, chained_members, children
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import Nest, Shape, nests, reshaped
from polyloop.transforms.scop_transform import ScopTransform


@dataclass(frozen=True)
class ShapedTree:
    """A schedule to start from, with the shapes that its nests have got so far."""

    name: str
    scop: Scop
    tree: ScheduleTree
    changes: tuple[ScopTransform, ...] = ()
    chosen: tuple[tuple[Path, str, Shape], ...] = ()

    def with_shape(self, nest: Nest, name: str, shape: Shape) -> ShapedTree:
        kept = tuple(entry for entry in self.chosen if entry[0] != nest.path)
        return replace(self, chosen=(*kept, (nest.path, name, shape)))

    def shaped(self, dependences: Sequence[Dependence]) -> ScheduleTree:
        tree = self.tree
        originals = {nest.path: nest for nest in nests(self.tree)}
        for path, _, shape in self.chosen:
            tree = reshaped(self.scop, dependences, tree, originals[path], shape)
        return tree

    def nests(self) -> tuple[Nest, ...]:
        """Those that may get a shape: what has lanes already, or is inside of such a loop, stays as it is."""

        def is_free(nest: Nest) -> bool:
            return all(member.kind is not LoopKind.VECTOR for member in (*nest.around, *nest.members))

        return tuple(filter(is_free, nests(self.tree)))

    def parts(self) -> tuple[Path, ...]:
        """Paths of what is executed one after the other at the root."""
        match self.tree.root:
            case TreeSequence(branches):
                return tuple((k,) for k in range(len(branches)))
            case _:
                return ((),)


def with_first_shapes(
    proofs: Proofs, target: Target, base: ShapedTree, sizes: Mapping[str, int] | None = None
) -> ShapedTree:
    """The first legal shape for every nest (see `legal_shapes`); a nest without one stays as it is."""
    for nest in base.nests():
        for name, shape in islice(legal_shapes(proofs, target, base, nest, sizes), 1):
            base = base.with_shape(nest, name, shape)
    return base


def first_shaped(proofs: Proofs, target: Target, scop: Scop, tree: ScheduleTree) -> ScheduleTree:
    """A schedule whose nests have their first legal shape each: tiles, vectors, register tiles; nothing is measured."""
    return with_first_shapes(proofs, target, ShapedTree("", scop, tree)).shaped(proofs.dependences(scop))


def legal_shapes(
    proofs: Proofs, target: Target, base: ShapedTree, nest: Nest, sizes: Mapping[str, int] | None = None
) -> Iterator[tuple[str, Shape]]:
    """The shapes that keep every dependence, the most promising first, each with its description.

    Args:
        sizes: values of the parameters, if it is known for which they are to be fast.
    """

    def is_legal(shape: Shape) -> bool:
        tree = reshaped(base.scop, proofs.dependences(base.scop), base.tree, nest, shape)
        return proofs.is_legal(base.scop, tree)

    return shapes(base.scop, nest, target, is_legal, sizes)


def parallelized(proofs: Proofs, scop: Scop, tree: ScheduleTree, threads: int) -> ScheduleTree:
    """The outermost loops that may run in parallel made parallel, one around each statement at most, or blocks of an
    inner one in front of its band; those that may not, but whose tiles may along a wavefront, are run so by so many
    threads."""
    waiting = [(path, band) for path, band in _outermost(tree.root, ())]
    while waiting:
        path, band = waiting.pop()
        for changed in map(partial(tree.replaced, path), _in_parallel(band, threads)):
            if proofs.is_legal(scop, changed):
                tree = changed
                break
        else:
            if all(member.kind is LoopKind.SEQUENTIAL for member in band.members):
                waiting += _outermost(band.child, (*path, 0))
    return tree


def _in_parallel(band: Band, threads: int) -> Iterator[Band]:
    """Ways to run a band in parallel, the threads that are started least often first."""
    first, *inner = band.members
    if first.kind is not LoopKind.SEQUENTIAL:
        return
    yield replace(band, members=(replace(first, kind=LoopKind.PARALLEL), *inner))
    chain = (*inner, *chained_members(band.child))
    for member in chain:
        # Other blocks of a tile's rows would cut it.
        whole = sum(other.rows == member.rows for other in (first, *chain)) == 1
        if whole and member.divisor == 1 and not member.packings and member.kind in _IN_BLOCKS:
            blocks = replace(member, kind=LoopKind.PARALLEL, divisor=_IN_BLOCKS[member.kind])
            yield replace(band, members=(blocks, *band.members))
    for index, member in enumerate(inner, start=1):
        if member.kind is not LoopKind.SEQUENTIAL:
            return
        members = (*band.members[:index], replace(member, kind=LoopKind.PARALLEL), *band.members[index + 1 :])
        yield replace(band, members=members)
    wavefronts = _in_wavefronts(band, threads)
    if wavefronts is not None:
        yield wavefronts


_IN_BLOCKS = {LoopKind.SEQUENTIAL: core.BLOCK, LoopKind.VECTOR: 2 * core.BLOCK}
"""Iterations of an inner loop that a thread takes at once."""


def _in_wavefronts(band: Band, threads: int) -> Band | None:
    """Tiles of the first two loops diagonal by diagonal, those of one diagonal in parallel; None where they are none.

        for tt: for it: ..   ->   for ttt: for w: parallel for it where tt + it = w and tt is one of ttt's: ..

    What depends on each other is no further apart in one direction than a tile and never goes back in the other, so
    that a diagonal only waits for the one before it (Lamport, "The Parallel Execution of DO Loops", CACM 1974). Where
    tiles have several steps of the first loop, no diagonal has more of them than there are threads: each goes along the
    second loop with steps of its own, and what a tile has left in its cache serves the next.
    """
    if len(band.members) < 2:
        return None
    first, second = band.members[:2]
    if second.divisor == 1 or first.packings or second.packings or LoopKind.SEQUENTIAL is not first.kind:
        return None
    # As many rows as a tile's steps move by where each reaches two rows further, in whole tiles.
    size = second.divisor * -(-max(2 * first.divisor, core.BLOCK) // second.divisor)
    tiles = replace(second, divisor=size, kind=LoopKind.PARALLEL)
    diagonal = tuple((name, row // first.divisor + second.row(name) // size) for name, row in first.rows)
    wave = replace(first, rows=diagonal, divisor=1)
    own = (replace(first, divisor=first.divisor * threads),) if first.divisor > 1 else ()
    return replace(band, members=(*own, wave, tiles, *band.members))


def all_parallel(tree: ScheduleTree) -> bool:
    """Whether there is a parallel loop around, or inside of, every outermost one."""
    return all(_has_parallel(band) for _, band in _outermost(tree.root, ()))


def _has_parallel(node: Node) -> bool:
    own = isinstance(node, Band) and any(member.kind is LoopKind.PARALLEL for member in node.members)
    return own or any(map(_has_parallel, children(node)))


def _outermost(node: Node, path: Path) -> Sequence[tuple[Path, Band]]:
    if isinstance(node, Band):
        return [(path, node)]
    return [found for k, child in enumerate(children(node)) for found in _outermost(child, (*path, k))]
