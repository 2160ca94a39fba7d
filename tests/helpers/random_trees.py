"""Random schedule trees, legal or not."""

from __future__ import annotations

from dataclasses import replace

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.target import Target
from polyloop.schedules.isl_scheduler import Fusion, SchedulingError, isl_schedule
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, ScheduleTree, Sequence, original_tree
from polyloop.scop.dependence import memory_dependences, value_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import nests, reshaped
from polyloop.transforms import candidates
from tests.helpers.random_scops import Source

KINDS = (LoopKind.SEQUENTIAL, LoopKind.SEQUENTIAL, LoopKind.VECTOR, LoopKind.UNROLLED, LoopKind.PARALLEL)


def random_tree(source: Source, scop: Scop, target: Target) -> tuple[str, ScheduleTree]:
    """A tree and in words where it comes from; nobody has looked whether it is legal."""
    name, tree = _start(source, scop)
    for _ in range(source.integer(0, 3)):
        made = _shaped(source, scop, tree, target) if source.integer(0, 2) == 2 else _transformed(source, tree)
        if made is None:
            break
        step, tree = made
        name = f"{name}; {step}"
    return name, tree


def _start(source: Source, scop: Scop) -> tuple[str, ScheduleTree]:
    match source.integer(0, 5):
        case 0 | 1 | 2:
            return "original order", original_tree(scop)
        case 3 | 4:
            fusion = tuple(Fusion)[source.integer(0, 2)]
            try:
                return f"isl, {fusion.value} fusion", isl_schedule(scop, value_dependences(scop), fusion)
            except SchedulingError:  # "unable to carry dependences": isl gives some strided loops up
                return "original order", original_tree(scop)
        case _:
            return "one band", one_band(source, scop)


def _transformed(source: Source, tree: ScheduleTree) -> tuple[str, ScheduleTree] | None:
    options = list(candidates(tree))
    if not options:
        return None
    transform = options[source.integer(0, len(options) - 1)]
    return str(transform), transform.apply(tree)


def _shaped(source: Source, scop: Scop, tree: ScheduleTree, target: Target) -> tuple[str, ScheduleTree] | None:
    found = list(nests(tree))
    if not found:
        return None
    nest = found[source.integer(0, len(found) - 1)]
    options = list(shapes(scop, nest, target, lambda _: True))
    if not options:
        return None
    name, shape = options[source.integer(0, len(options) - 1)]
    return name, reshaped(scop, memory_dependences(scop), tree, nest, shape)


def one_band(source: Source, scop: Scop) -> ScheduleTree:
    """All statements in one band: iterators permuted, negated, skewed, shifted, tiled; the textual order shuffled."""
    depth = max(s.depth for s in scop.statements)
    names = tuple(s.name for s in scop.statements)
    rows = {s.name: _rows(source, s.iterators, depth) for s in scop.statements}
    bottom: Node = Leaf()
    if len(names) > 1:
        order = list(names)
        for k in range(len(order) - 1, 0, -1):
            other = source.integer(0, k)
            order[k], order[other] = order[other], order[k]
        bottom = Sequence(tuple(Branch((n,), Leaf()) for n in order))
    if not depth:
        return ScheduleTree(names, bottom)
    plain = [Member(tuple((n, rows[n][k]) for n in names)) for k in range(depth)]
    tiles = [replace(m, divisor=source.integer(2, 5)) for m in plain if source.integer(0, 3) == 3]
    points = [replace(m, kind=KINDS[source.integer(0, len(KINDS) - 1)]) for m in plain]
    return ScheduleTree(names, Band((*tiles, *points), False, bottom))


def _rows(source: Source, iterators: tuple[str, ...], depth: int) -> list[Affine]:
    left = [affine(i) for i in iterators]
    rows: list[Affine] = []
    while left:
        row = left.pop(source.integer(0, len(left) - 1))
        row = row * (-1 if source.integer(0, 4) == 4 else 1) + (
            source.integer(-1, 2) if source.integer(0, 3) == 3 else 0
        )
        if rows and source.integer(0, 4) == 4:
            row = row + rows[-1]
        rows.append(row)
    return rows + [affine(0)] * (depth - len(rows))
