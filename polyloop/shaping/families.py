"""Which shapes to try on a nest, the most promising first.

The families, after what hand-written kernels do:

* tile: rows x vectors of the result in registers, the reduction as the loop around them (Goto and van de Geijn,
  "Anatomy of High-Performance Matrix Multiplication", TOMS 2008);
* packed tile: the same over copies of its operands, see `polyloop.shaping.packed`;
* sums: the vector loop along a reduction, partial sums in its lanes, where their order is free;
* rows: several rows at once as independent scalar chains, for reductions along the contiguous direction;
* columns: the vector loop outside, a few steps of the reduction inside, so that the result is stored once for them;
* lanes: the vector loop innermost, everything else as it stands;
* jam: lanes of a few rows at once, which share the loads of neighbouring elements;
* time: several sweeps over the same rows while they are in a near cache, the vector along whole rows (stencils; Wolf
  and Lam, "A Data Locality Optimizing Algorithm", PLDI 1991, for what may be tiled);
* block: all members tiled by one size, the vector innermost, statement by statement inside the tile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.nests import (
    Nest,
    Shape,
    count_strided,
    reduction_members,
    reuse_members,
    shared_loads,
    vector_members,
)
from polyloop.shaping.packed import packed_tiles

U, V = LoopKind.UNROLLED, LoopKind.VECTOR

TILES = ((8, 3), (8, 2), (4, 4), (12, 2), (4, 2), (6, 4), (16, 1), (4, 1))
"""(rows, vectors): accumulators for AVX-512's 32 registers and, further down, for fewer registers or more streams."""

JAMMED = (4, 2, 8)
"""Rows at once where nothing stays in registers: they share neighbouring loads."""

TIMES = {2: (16, 32), 3: (8, 16, 32)}
"""Tile sizes of the members outside the vector, by their number: some rows of 10 kB each fit a cache of 1 MB."""

AT_ONCE = (4, 2)
"""Rows of a plane that move through a tile's time steps together: what they leave behind is still in a near cache."""

BLOCKS = (32,)

SUMMED = 4
"""Rows whose sums share the loads of a vector."""


def shapes(
    scop: Scop, nest: Nest, lanes: int, is_legal: Callable[[Shape], bool], registers: int = 32
) -> Iterator[tuple[str, Shape]]:
    """(name, shape) of legal shapes, the most promising first, without repetitions.

    Args:
        lanes: elements of the nest's stored type in one vector of the target.
        is_legal: the proof for the tree with the nest in a shape.
        registers: vector registers of the target; tiles that need more come last.
    """
    members = vector_members(scop, nest)
    vectors = [v for v in members if is_legal(_lanes(nest, v, False)) or is_legal(_lanes(nest, v, True))]
    seen: set[Shape] = set()
    for name, shape in _families(scop, nest, lanes, tuple(vectors[:2]), is_legal, registers):
        if shape not in seen:
            seen.add(shape)
            if is_legal(shape):
                yield name, shape


def _families(
    scop: Scop,
    nest: Nest,
    lanes: int,
    vectors: tuple[int, ...],
    is_legal: Callable[[Shape], bool],
    registers: int,
) -> Iterator[tuple[str, Shape]]:
    fixed = reduction_members(scop, nest)
    several = len(nest.statements) > 1
    strided = any(count_strided(scop, nest, v) for v in vectors[:1])
    for vector in vectors[:1]:
        rows = reuse_members(scop, nest, vector)[:1]
        if _sweeps(scop, nest, fixed):
            yield from _times(nest, vector, several)
        if fixed and rows:
            best = _sizes(scop, nest, vector, rows[0], registers)[:1]
            # What strides cost shows at full size only, where few are measured: the first packed tile comes first.
            packed = packed_tiles(scop, nest, vector, rows[0], fixed, lanes, best)
            plain = _tiles(nest, vector, rows[0], fixed, lanes, best, several) if not strided else iter(())
            yield from islice(packed, 1)
            yield from islice(plain, 1)
            yield from packed
            yield from plain
    if not vectors or strided:
        yield from _sums(scop, nest, fixed)
        yield from _rows(scop, nest, fixed, (8, 16), is_legal)
    for vector in vectors:
        if several:
            yield "lanes, statement by statement", _lanes(nest, vector, True)
        yield "lanes", _lanes(nest, vector, False)
    for vector in vectors[:1]:
        yield from _columns(nest, vector, fixed)
    if not vectors or fixed:
        yield from _rows(scop, nest, fixed, (8, 16, 4), is_legal)
    for vector in vectors:
        for row in reuse_members(scop, nest, vector)[:2]:
            if fixed:
                yield from _tiles(nest, vector, row, fixed, lanes, _sizes(scop, nest, vector, row, registers), several)
            else:
                yield from _jammed(nest, vector, row, several)
    for vector in vectors[:1]:
        yield from _blocks(nest, vector, several)


def _sizes(scop: Scop, nest: Nest, vector: int, row: int, registers: int) -> tuple[tuple[int, int], ...]:
    """TILES, those first that fit the registers.

    They hold the result, for every load that all rows share its vectors and one more for what becomes of them, and one
    for what the rows bring.
    """
    streams = max(shared_loads(scop, nest, vector, row).values(), default=0)

    def spills(size: tuple[int, int]) -> bool:
        rows, count = size
        return rows * count + (count + 1) * streams + 1 > registers

    return tuple(sorted(TILES, key=spills))


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


def _sums(scop: Scop, nest: Nest, fixed: frozenset[int]) -> Iterator[tuple[str, Shape]]:
    """Along reductions over neighbouring elements; legal for integers, and where reassociation is allowed."""
    for member in sorted(fixed, reverse=True):
        if count_strided(scop, nest, member):
            continue
        yield "sums in lanes", _lanes(nest, member, False)
        for row in reuse_members(scop, nest, member)[:1]:
            others = tuple((k, 1) for k in range(len(nest.members)) if k not in (member, row))
            yield f"sums in lanes, {SUMMED} rows at once", Shape((*others, (row, SUMMED)), ((row, U), (member, V)))


def _jammed(nest: Nest, vector: int, row: int, several: bool) -> Iterator[tuple[str, Shape]]:
    for rows in JAMMED:
        outer = tuple((k, rows if k == row else 1) for k in range(len(nest.members)) if k != vector)
        for apart in (True, False) if several else (False,):
            name = f"vectors of {rows} rows of loop {row + 1} at once" + (", statement by statement" if apart else "")
            yield name, Shape(outer, ((vector, V), (row, U)), apart)


def _sweeps(scop: Scop, nest: Nest, fixed: frozenset[int]) -> bool:
    """Whether the nest comes back to the same elements, and not by a reduction."""
    widest = max(len(scop.statement(name).target.subscripts) for name in nest.statements)
    return not fixed and len(nest.members) > max(widest, 2)


def _times(nest: Nest, vector: int, several: bool) -> Iterator[tuple[str, Shape]]:
    others = tuple(k for k in range(len(nest.members)) if k != vector)
    if len(others) not in TIMES:
        return
    steps, row = TIMES[len(others)][0], others[-1]
    words = ", statement by statement" if several else ""
    for rows in AT_ONCE if len(others) == 2 else ():
        moved = ((others[0], steps), (row, rows), (others[0], 1))
        yield f"{steps} steps of {rows} rows at once{words}", Shape(moved, ((vector, V), (row, U)), several)
    tiles = tuple(zip(others, TIMES[len(others)], strict=True))
    for rows in (1,) if len(others) == 2 else (1, 2):
        outer = (*tiles, *((k, rows if k == row else 1) for k in others))
        points = ((vector, V), (row, U)) if rows > 1 else ((vector, V),)
        name = f"tiles of {' x '.join(str(size) for _, size in tiles)} with whole rows"
        yield name + (f", {rows} at once" if rows > 1 else "") + words, Shape(outer, points, several)


def _columns(nest: Nest, vector: int, fixed: frozenset[int]) -> Iterator[tuple[str, Shape]]:
    for reduction in sorted(fixed, reverse=True):
        rest = tuple((k, 1) for k in range(len(nest.members)) if k not in (vector, reduction))
        for size in (8, 4):
            shape = Shape((*rest, (reduction, size)), ((vector, V), (reduction, U)))
            yield f"vectors over {size} steps of the reduction", shape


def _rows(
    scop: Scop, nest: Nest, fixed: frozenset[int], sizes: tuple[int, ...], is_legal: Callable[[Shape], bool]
) -> Iterator[tuple[str, Shape]]:
    """Rows that hide each other's latency come first; others only share loads. Divisions want more of them, to fill
    vectors."""
    dependent: list[tuple[str, Shape]] = []
    if any(map(_divides, map(scop.statement, nest.statements))):
        sizes = tuple(dict.fromkeys((16, *sizes)))
    for row in reuse_members(scop, nest, None)[:2]:
        before = tuple((k, 1) for k in range(row) if k not in fixed)
        inside = tuple((k, 1) for k in range(len(nest.members)) if k > row or (k < row and k in fixed))
        for skews in _lags(nest, row, fixed):
            skewed = "skewed " if skews else ""
            outer = (*before, (row, sizes[0]), *inside)
            independent = is_legal(Shape(outer, ((row, V),), False, skews))
            for size in sizes:
                for apart in (False, True) if len(nest.statements) > 1 else (False,):
                    words = ", statement by statement" if apart else ""
                    shape = Shape((*before, (row, size), *inside), ((row, U),), apart, skews)
                    found = f"{size} {skewed}rows at once{words}", shape
                    if independent:
                        yield found
                    elif not skews:
                        dependent.append(found)
    yield from dependent


def _divides(statement: Statement) -> bool:
    return any(
        isinstance(x, e.Binary) and x.operator == "/" and x.type.is_float and not isinstance(x.right, e.Literal)
        for x in e.walk(statement.value)
    )


def _lags(nest: Nest, row: int, fixed: frozenset[int]) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Rows that depend on their neighbour may become independent when each lags behind it."""
    yield ()
    if row + 1 < len(nest.members) and not fixed:
        yield ((len(nest.members) - 1, row, 1),)


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
