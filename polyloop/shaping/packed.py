"""Shapes of contractions whose operands are packed: panels as wide as the register tile reads them.

    for (i, j, k):  C[i][j] += alpha * A[i][k] * B[k][j]
    ->  for kt:  { A_pack[i/8][k][i%8] = alpha * A[i][k];
                   for jt:  { B_pack[k][j%24] = B[k][j];   for it:  for k in kt:  8 rows x 24 columns } }

What moves along the vector and stays for all rows of a tile is copied in panels of the tile's width, what moves along
the rows and stays along the vector in panels of its rows: both are then read as one stream, whatever strides they had.
Products by a scalar that the statement computes first are computed while copying (Goto and van de Geijn, "Anatomy of
High-Performance Matrix Multiplication", TOMS 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine import core
from polyloop.backend.planning.packing import factors
from polyloop.schedules.tree import Packing, is_contiguous, is_invariant, step_of, strides
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.nests import Nest, Shape

_MOST = 4
"""Copies that one nest gets: more operands would need more streams than registers."""


@dataclass(frozen=True)
class Operands:
    """What can be packed, with panels still to be sized.

    Attributes:
        columns: reads that move along the vector and are the same for all rows.
        rows: reads that move along the rows and are the same for the whole vector.
        others: whether some read along the vector has to be gathered even so.
        pays: whether packing saves more than strides: a gather, or a product.
    """

    columns: tuple[Packing, ...]
    rows: tuple[Packing, ...]
    gathers: bool
    pays: bool


def operands(scop: Scop, nest: Nest, vector: int, row: int) -> Operands:
    """What the statements of a nest read in its tiles of `row` x `vector` that can be packed."""
    columns: list[Packing] = []
    rows: list[Packing] = []
    gathers = pays = False
    for statement in map(scop.statement, nest.statements):
        across, downward = _step(statement, nest, vector), _step(statement, nest, row)
        if across is None or downward is None or not any(across) or not any(downward):
            continue
        known = _usable_factors(scop, statement)
        for access in dict.fromkeys(statement.reads):
            along, down = (strides(access, statement.iterators, step) for step in (across, downward))
            if access == statement.target or len(access.subscripts) < 2:
                continue
            new = Packing(statement.name, str(access), (), 0, known.get(access, ""))
            if is_invariant(down) and not is_invariant(along):
                dimension = _one_step(along)
                if dimension is not None:
                    columns.append(replace(new, order=_panels(access, dimension)))
                    pays |= not is_contiguous(along) or bool(new.factor)
                    continue
            elif is_invariant(along) and not is_invariant(down):
                dimension = _one_step(down)
                if dimension is not None:
                    rows.append(replace(new, order=_panels(access, dimension)))
                    pays |= bool(new.factor)
            gathers |= not is_invariant(along) and not is_contiguous(along)
    return Operands(tuple(columns), tuple(rows), gathers, pays)


def packed_tiles(
    scop: Scop, nest: Nest, vector: int, row: int, fixed: frozenset[int], lanes: int, sizes: tuple[tuple[int, int], ...]
) -> Iterator[tuple[str, Shape]]:
    """Register tiles of one size after the other over packed operands, in the orders of loops that are worth a try."""
    found = operands(scop, nest, vector, row)
    if found.gathers or not found.columns or len(found.columns) + len(found.rows) > _MOST:
        return
    around, inside = loops_around(nest, fixed, vector, row)
    blocks = tuple((k, core.STEPS) for k, _ in inside[:1])
    points = ((row, LoopKind.UNROLLED), (vector, LoopKind.VECTOR))
    written = tuple(dict.fromkeys(scop.statement(name).target.array for name in nest.statements))
    for rows, count in sizes:
        width = count * lanes
        columns = [replace(packing, panel=width) for packing in found.columns]
        streams = [replace(packing, panel=rows) for packing in found.rows]
        for panel, words in ((blocks, f", panels of {core.STEPS}"), ((), "")):
            head = (*around, *panel)
            first = len(head)
            tile = f"packed register tile {rows}x{width}{words}"
            wide = _tile((*head, (vector, core.COLUMNS * width), (row, rows), (vector, width)), inside, points, written)
            yield f"{tile}, rows in between", replace(wide, packings=_at(first + 1, columns) + _at(first + 2, streams))
            if streams:
                deep = _tile((*head, (row, core.ROWS * rows), (vector, width), (row, rows)), inside, points, written)
                yield f"{tile}, blocks of rows", replace(deep, packings=_at(first, columns) + _at(first + 1, streams))
            whole = _tile((*head, (vector, width), (row, rows)), inside, points, written)
            yield tile, replace(whole, packings=_at(first, streams) + _at(first + 1, columns))
            if streams and not any(packing.factor for packing in streams):
                yield f"{tile}, columns only", replace(whole, packings=_at(first + 1, columns))


def loops_around(nest: Nest, fixed: frozenset[int], *tile: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Members around the tile loops, and the reductions that stand inside of them, whole."""
    others = [(k, 1) for k in range(len(nest.members)) if k not in tile]
    return tuple(each for each in others if each[0] not in fixed), tuple(each for each in others if each[0] in fixed)


def _tile(
    tiles: tuple[tuple[int, int], ...],
    inside: tuple[tuple[int, int], ...],
    points: tuple[tuple[int, LoopKind], ...],
    written: tuple[str, ...],
) -> Shape:
    """A shape whose innermost tile loop asks the caches for the next tile's results while it sums up its own."""
    return Shape((*tiles, *inside), points, prefetches=tuple((len(tiles) - 1, array) for array in written))


def _at(position: int, packings: list[Packing]) -> tuple[tuple[int, Packing], ...]:
    return tuple((position, packing) for packing in packings)


def _step(statement: Statement, nest: Nest, member: int) -> tuple[int, ...] | None:
    members = [m.restricted(frozenset((statement.name,))) for m in (*nest.around, *nest.members)]
    return step_of(statement, members, len(nest.around) + member)


def _one_step(along: tuple[int, ...] | None) -> int | None:
    """The only dimension that moves, by one element."""
    moved = [k for k, stride in enumerate(along or ()) if stride]
    return moved[0] if along is not None and len(moved) == 1 and along[moved[0]] == 1 else None


def _panels(access: Access, dimension: int) -> tuple[int, ...]:
    """The dimension's panels outermost, the elements of one innermost."""
    others = [k for k in range(len(access.subscripts)) if k != dimension]
    return (dimension, *others, dimension)


def _usable_factors(scop: Scop, statement: Statement) -> dict[Access, str]:
    written = {s.target.array for s in scop.statements}
    return {access: scalar for access, scalar in factors(statement.value).items() if scalar not in written}
