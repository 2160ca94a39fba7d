"""Copies of both operands: rows in blocks that stay in the second cache, columns of a block of steps in the third.

    for k block:  copy all columns of its steps, in panels of a tile's width
        for row block:  copy its rows, in panels of a tile's rows
            for column: for row: for k in its block:  one tile

What a tile reads along its rows lies one behind the other then, and comes from the second cache, where it would come
from behind it once for every panel of columns (Goto and van de Geijn, "Anatomy of High-Performance Matrix
Multiplication", TOMS 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from polyloop.backend.default.task import RESULT, Choice, Footprint, Task
from polyloop.backend.default.tiles import Tile, can_pack, even_block
from polyloop.backend.machine import core


def late_rows(tile: Tile) -> float:
    """Cycles that tiles wait for what they read along their rows without copies of it: the part that does not stay in
    the second cache comes from behind it for every panel of columns. 0 where it cannot be copied."""
    if not _is_able(tile):
        return 0.0
    task, machine = tile.task, tile.target.machine
    lines = sum(_share_behind(tile, read) * tile.whole(read) for read in _rows(tile)) / machine.line
    passes = -(-task.extent(tile.column) // tile.width) * prod(map(task.extent, _others(tile)))
    return core.UNHIDDEN_AGAIN * passes * lines * machine.levels[_level(tile)].line_cycles


def _share_behind(tile: Tile, read: Footprint) -> float:
    """Of a read, what comes from behind the second cache in every use: nothing of half of that cache, all of
    `core.FAR_AWAY` times as much as it holds."""
    held = tile.target.machine.l2.size
    share = (tile.whole(read) / held - 0.5) / (core.FAR_AWAY - 0.5) if held else 1.0
    return min(1.0, max(0.0, share))


def in_row_panels(tile: Tile) -> Iterator[Choice]:
    """Schedules of the tile with copies of rows and columns, for several lengths of blocks of a reduction."""
    if not _applies(tile):
        return
    task, l2 = tile.task, tile.target.machine.l2
    known = task.extent(tile.blocked)
    rest, sizes = task.steps // known, dict[int, None]()
    # Of longer blocks the cache holds too few rows. Those that are as equal as can be are at least half as long.
    longest = l2.size // 2 // (rest * task.type.bytes * (2 * tile.width + core.SOME_TILES[0] * tile.rows))
    count = -(-known // (2 * longest + 1))
    while count <= known // core.LEAST_BLOCK + 1:
        most = -(-known // count)
        sizes[even_block(known, most)] = None
        count = -(-known // (most - 1)) if most > 1 else known + 1  # more blocks as long as these tell nothing new
    for size in sizes:
        # Half of the second cache holds rows, and the panels of columns that are read and asked for.
        step = rest * size * task.type.bytes
        rows = (l2.size // 2 - 2 * step * tile.width) // step // tile.rows * tile.rows
        if rows >= core.SOME_TILES[0] * tile.rows:
            yield _choice(tile, size, min(rows, -(-task.extent(tile.row or "") // tile.rows) * tile.rows))


def _choice(tile: Tile, size: int, most: int) -> Choice:
    """With blocks of so many steps, and of at most so many rows."""
    task, row, column, loop = tile.task, tile.row or "", tile.column, tile.blocked
    blocks = -(-task.extent(row) // most)
    height = -(-task.extent(row) // (blocks * tile.rows)) * tile.rows
    extents = {**task.extents, row: min(height, task.extent(row)), loop: size, **dict.fromkeys(_others(tile), 1)}
    part = replace(tile, asked=True, task=_copied(tile, replace(task, extents=extents)))
    columns = tuple(n for n, read in enumerate(task.reads) if read.moves(column))
    rows = tuple(n for n, read in enumerate(task.reads) if read.moves(row))
    batch, count = _others(tile), -(-task.extent(loop) // size)
    passes = prod(map(task.extent, batch))
    whole = task.extent(row) / part.task.extent(row) * part.pass_cycles((), columns)
    whole += blocks * sum(_panel_cycles(tile, part, n) for n in columns)
    cycles = passes * (count * whole + sum(map(tile.copy_cycles, columns)) + _copies_of_rows(tile, rows))
    cycles += (count - 1) * tile.moved_cycles()
    ahead = [(n, column, 1) for n in columns] if task.extent(column) > tile.width else []
    if task.extent(row) > tile.rows:
        ahead.append((RESULT, row, 1))
    return Choice(
        column,
        tile.width,
        ((row, tile.rows),),
        batch,
        ((loop, size),) if count > 1 else (),
        (column, row),
        columns,
        tuple(ahead),
        rows=rows,
        height=height,
        cycles=cycles,
    )


def _applies(tile: Tile) -> bool:
    """Whether copies are possible, and what tiles read along their rows comes from far away, or from behind the second
    cache with another line for every step: with rows of 260 kB to 1 MB, such products took 0.75 to 1.06 of the time
    with copies, with up to 150 kB 1.0 to 1.2 (Zen 3, AVX2)."""
    levels = (tile.turned_levels[n] for n, read in enumerate(tile.task.reads) if read in _rows(tile))
    far = any(level > 1 for level in levels) or any(_share_behind(tile, read) >= 1 for read in _rows(tile))
    return far and _is_able(tile)


def _is_able(tile: Tile) -> bool:
    """Whether every read is one of rows or of columns that can be copied."""
    task, row = tile.task, tile.row
    if row is None or task.fused or task.is_short or None in task.extents.values():
        return False
    if not all(_is_plain(task, read) and read.moves(row) != read.moves(tile.column) for read in task.reads):
        return False
    rows, columns = _rows(tile), [read for read in task.reads if read.moves(tile.column)]
    able = all(can_pack(task, r, row) for r in rows) and all(can_pack(task, r, tile.column) for r in columns)
    return bool(rows and columns) and able


def _is_plain(task: Task, read: Footprint) -> bool:
    """Whether no two iterations of all loops that move a read find the same element, as those of windows do."""
    reach = 1
    for stride, loop in read.by_stride:
        if stride < reach:
            return False
        reach = stride * task.extent(loop)
    return True


def _copied(tile: Tile, task: Task) -> Task:
    """The task as tiles see it that read copies: rows lie together, and do not meet in one set of a cache."""
    reads = []
    for read in task.reads:
        if tile.row is not None and read.moves(tile.row):
            inner, *others = (loop for loop in reversed(tuple(task.extents)) if read.moves(loop) and loop != tile.row)
            reach, strides = task.extent(inner), {inner: 1}
            for loop in others:
                strides[loop], reach = reach, reach * task.extent(loop)
            read = replace(read, strides=(*strides.items(), (tile.row, reach | 1)))
        reads.append(read)
    return replace(task, reads=tuple(reads))


def _panel_cycles(tile: Tile, part: Tile, number: int) -> float:
    """What tiles wait for panels of columns, each asked for by the tiles over the one before."""
    machine, read = tile.target.machine, tile.task.reads[number]
    lines = -(-tile.width * read.bytes // machine.line)
    row, panels = lines * machine.levels[_level(tile)].line_cycles, -(-tile.task.extent(tile.column) // tile.width)
    step = part.step_cycles(tile.vectors, tile.rows, (), (number,)) * min(part.tiles_over_a_panel, core.PARTS)
    return part.task.steps * panels * (max(0.0, row - step) + core.UNHIDDEN_AGAIN * row)


def _copies_of_rows(tile: Tile, numbers: tuple[int, ...]) -> float:
    """Of all copies of reads along the rows, in panels of a tile's rows."""
    machine = tile.target.machine
    total = 0.0
    for read in (tile.task.reads[n] for n in numbers):
        size = tile.whole(read)
        turned = not read.contiguous(str(tile.row))
        vectors = size / read.bytes / tile.rows * -(-tile.rows // tile.lanes)
        total += size / read.bytes * tile.turn_cycles if turned else vectors * core.COPY_CYCLES
        total += size / machine.line * machine.levels[tile.origin(read)].line_cycles
    return total


def _rows(tile: Tile) -> list[Footprint]:
    return [read for read in tile.task.reads if tile.row is not None and read.moves(tile.row)]


def _others(tile: Tile) -> tuple[str, ...]:
    """Kept loops around the tiles' own."""
    return tuple(loop for loop in tile.task.kept if loop not in (tile.column, tile.row))


def _level(tile: Tile) -> int:
    """The cache that all arrays stay in together from one use to the next, or memory."""
    reads = {read.array: tile.whole(read) for read in (*tile.task.reads, tile.task.result)}
    return tile.level_of(sum(reads.values()))
