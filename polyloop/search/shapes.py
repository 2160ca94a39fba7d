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

from collections.abc import Callable, Iterator

from polyloop.backend.loop_nest import LoopKind
from polyloop.scop import Scop
from polyloop.search.nests import Nest, Shape, count_strided, reduction_members, reuse_members, vector_members

U, V = LoopKind.UNROLLED, LoopKind.VECTOR

TILES = ((8, 3), (4, 4), (12, 2), (4, 2), (6, 4), (8, 2), (16, 1), (4, 1))
"""(rows, vectors): accumulators for AVX-512's 32 registers and, further down, for fewer registers or more streams."""

LOOSE_TILES = ((4, 2), (4, 1), (2, 2), (8, 1))
"""Where nothing stays in registers: rows that share neighbouring loads."""

BLOCKS = (32, 16, 64)


def shapes(
    scop: Scop, nest: Nest, lanes: int, is_legal: Callable[[Shape], bool]
) -> Iterator[tuple[str, Shape]]:
    """(name, shape) of legal shapes, the most promising first, without repetitions.

    Args:
        lanes: elements of the nest's stored type in one vector of the target.
        is_legal: the proof for the tree with the nest in a shape.
    """
    members = vector_members(scop, nest)
    vectors = [v for v in members if is_legal(_lanes(nest, v, False)) or is_legal(_lanes(nest, v, True))]
    seen: set[Shape] = set()
    for name, shape in _families(scop, nest, lanes, tuple(vectors[:2])):
        if shape not in seen:
            seen.add(shape)
            if is_legal(shape):
                yield name, shape


def _families(scop: Scop, nest: Nest, lanes: int, vectors: tuple[int, ...]) -> Iterator[tuple[str, Shape]]:
    fixed = reduction_members(scop, nest)
    several = len(nest.statements) > 1
    strided = any(count_strided(scop, nest, v) for v in vectors[:1])
    for vector in vectors[:1]:
        rows = reuse_members(scop, nest, vector)[:1]
        if fixed and rows and not strided:
            yield from _tiles(nest, vector, rows[0], fixed, lanes, TILES[:1], several)
    if not vectors or strided:
        yield from _rows(scop, nest, fixed, (8,))
    for vector in vectors:
        if several:
            yield "lanes, statement by statement", _lanes(nest, vector, True)
        yield "lanes", _lanes(nest, vector, False)
    for vector in vectors[:1]:
        yield from _columns(nest, vector, fixed)
    if not vectors or fixed:
        yield from _rows(scop, nest, fixed, (8, 4))
    for vector in vectors:
        for row in reuse_members(scop, nest, vector)[:2]:
            sizes = TILES if fixed else LOOSE_TILES
            yield from _tiles(nest, vector, row, fixed, lanes, sizes, several)
    for vector in vectors[:1]:
        yield from _blocks(nest, vector, several)


def _tiles(
    nest: Nest,
    vector: int,
    row: int,
    fixed: frozenset[int],
    lanes: int,
    sizes: tuple[tuple[int, int], ...],
    several: bool,
) -> Iterator[tuple[str, Shape]]:
    others = [k for k in range(len(nest.members)) if k not in (vector, row)]
    around = tuple((k, 1) for k in others if k not in fixed)
    inside = tuple((k, 1) for k in others if k in fixed)
    points = ((row, U), (vector, V))
    panel = tuple((k, 256) for k, _ in inside)
    for rows, count in sizes:
        width = count * lanes
        orders = {
            "": (*around, (vector, width), (row, rows), *inside),
            ", rows outside": (*around, (row, rows), (vector, width), *inside),
            ", panels of 256": (*around, *panel, (vector, width), (row, rows), *inside),
        }
        for order, outer in orders.items():
            for apart in (True, False) if several else (False,):
                words = ", statement by statement" if apart else ""
                yield f"register tile {rows}x{width}{order}{words}", Shape(outer, points, apart)


def _lanes(nest: Nest, vector: int, distribute: bool) -> Shape:
    outer = tuple((k, 1) for k in range(len(nest.members)) if k != vector)
    return Shape(outer, ((vector, V),), distribute)


def _columns(nest: Nest, vector: int, fixed: frozenset[int]) -> Iterator[tuple[str, Shape]]:
    for reduction in sorted(fixed, reverse=True):
        rest = tuple((k, 1) for k in range(len(nest.members)) if k not in (vector, reduction))
        for size in (8, 4):
            shape = Shape((*rest, (reduction, size)), ((vector, V), (reduction, U)))
            yield f"vectors over {size} steps of the reduction", shape


def _rows(scop: Scop, nest: Nest, fixed: frozenset[int], sizes: tuple[int, ...]) -> Iterator[tuple[str, Shape]]:
    for row in reuse_members(scop, nest, None)[:2]:
        before = tuple((k, 1) for k in range(row) if k not in fixed)
        inside = tuple((k, 1) for k in range(len(nest.members)) if k > row or (k < row and k in fixed))
        for size in sizes:
            for apart in (False, True) if len(nest.statements) > 1 else (False,):
                words = ", statement by statement" if apart else ""
                outer = (*before, (row, size), *inside)
                yield f"{size} rows at once{words}", Shape(outer, ((row, U),), apart)
                if row + 1 < len(nest.members) and not fixed:
                    # Rows that depend on their neighbour become independent when each lags behind it.
                    skews = ((len(nest.members) - 1, row, 1),)
                    yield f"{size} skewed rows at once{words}", Shape(outer, ((row, U),), apart, skews)


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
