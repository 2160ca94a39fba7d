"""Which shapes to try on a nest, the most promising first.

The families, after what hand-written kernels do:

* tile: rows x vectors of the result in registers, the reduction as the loop around them (Goto and van de Geijn,
  "Anatomy of High-Performance Matrix Multiplication", TOMS 2008);
* rows: several rows at once as independent scalar chains, for reductions along the contiguous direction;
* columns: the vector loop outside, a few steps of the reduction inside, so that the result is stored once for them;
* lanes: the vector loop innermost, everything else as it stands;
* block: all members tiled by one size, the vector innermost, statement by statement inside the tile (stencils).
"""

from __future__ import annotations

from collections.abc import Iterator

from polyloop.backend.loop_nest import LoopKind
from polyloop.schedule_tree import Leaf
from polyloop.scop import Scop
from polyloop.search.nests import Nest, Shape, reduction_members, reuse_members, vector_members

U, V = LoopKind.UNROLLED, LoopKind.VECTOR

TILES = ((8, 3), (4, 4), (8, 2), (4, 2), (12, 2), (6, 4), (2, 4), (16, 1), (8, 1), (4, 1))
"""(rows, vectors): accumulators for AVX-512's 32 registers and, further down, for fewer registers or more streams."""

BLOCKS = (32, 16, 64)


def shapes(scop: Scop, nest: Nest, lanes: int) -> Iterator[tuple[str, Shape]]:
    """(name, shape), the most promising first, without repetitions.

    Args:
        lanes: elements of the nest's stored type in one vector of the target.
    """
    seen: set[Shape] = set()
    for name, shape in _families(scop, nest, lanes):
        if shape not in seen:
            seen.add(shape)
            yield name, shape


def _families(scop: Scop, nest: Nest, lanes: int) -> Iterator[tuple[str, Shape]]:
    vectors = vector_members(scop, nest)[:2]
    fixed = reduction_members(scop, nest)
    several = not isinstance(nest.bottom, Leaf)
    for vector in vectors[:1]:
        rows = reuse_members(scop, nest, vector)[:1]
        if fixed and rows:
            yield from _tiles(nest, vector, rows[0], fixed, lanes, TILES[:1])
    for vector in vectors:
        yield "lanes", _lanes(nest, vector, False)
        if several:
            yield "lanes, statement by statement", _lanes(nest, vector, True)
    for vector in vectors[:1]:
        yield from _columns(nest, vector, fixed)
    if not vectors or fixed:
        yield from _rows(scop, nest, fixed)
    for vector in vectors:
        for row in reuse_members(scop, nest, vector)[:2]:
            sizes = TILES if fixed else TILES[3:4] + TILES[7:]
            yield from _tiles(nest, vector, row, fixed, lanes, sizes)
    for vector in vectors[:1]:
        yield from _blocks(nest, vector, several)


def _tiles(
    nest: Nest, vector: int, row: int, fixed: frozenset[int], lanes: int, sizes: tuple[tuple[int, int], ...]
) -> Iterator[tuple[str, Shape]]:
    others = [k for k in range(len(nest.members)) if k not in (vector, row)]
    around = tuple((k, 1) for k in others if k not in fixed)
    inside = tuple((k, 1) for k in others if k in fixed)
    points = ((row, U), (vector, V))
    for rows, count in sizes:
        width = count * lanes
        name = f"register tile {rows}x{width}"
        yield name, Shape((*around, (vector, width), (row, rows), *inside), points)
        if inside:
            panel = tuple((k, 256) for k, _ in inside)
            yield f"{name}, panels of 256", Shape((*around, *panel, (vector, width), (row, rows), *inside), points)
        yield f"{name}, rows outside", Shape((*around, (row, rows), (vector, width), *inside), points)


def _lanes(nest: Nest, vector: int, distribute: bool) -> Shape:
    outer = tuple((k, 1) for k in range(len(nest.members)) if k != vector)
    return Shape(outer, ((vector, V),), distribute)


def _columns(nest: Nest, vector: int, fixed: frozenset[int]) -> Iterator[tuple[str, Shape]]:
    for reduction in sorted(fixed, reverse=True):
        rest = tuple((k, 1) for k in range(len(nest.members)) if k not in (vector, reduction))
        for size in (8, 4):
            shape = Shape((*rest, (reduction, size)), ((vector, V), (reduction, U)))
            yield f"vectors over {size} steps of the reduction", shape


def _rows(scop: Scop, nest: Nest, fixed: frozenset[int]) -> Iterator[tuple[str, Shape]]:
    for row in reuse_members(scop, nest, None)[:2]:
        others = [k for k in range(len(nest.members)) if k != row]
        around = tuple((k, 1) for k in others if k not in fixed)
        inside = tuple((k, 1) for k in others if k in fixed)
        for size in (8, 4):
            yield f"{size} rows at once", Shape((*around, (row, size), *inside), ((row, U),))


def _blocks(nest: Nest, vector: int, several: bool) -> Iterator[tuple[str, Shape]]:
    members = range(len(nest.members))
    if len(nest.members) < 2:
        return
    for size in BLOCKS:
        wide = {k: size * 8 if k == vector else size for k in members}
        outer = (*((k, wide[k]) for k in members), *((k, 1) for k in members if k != vector))
        for distribute in (True, False) if several else (False,):
            name = f"tiles of {size}" + (", statement by statement" if distribute else "")
            yield name, Shape(outer, ((vector, V),), distribute)
