"""Which schedule a tensor nest gets without a search: an analytical model of one core.

A nest is a box of loops around ``result[..] = result[..] op (reads)``: contraction, convolution, pooling, elementwise.
The model counts, for every candidate, the cycles of its multiply-adds, loads and latencies, and takes the least:

* tile: `rows` of one kept loop times `vectors` of another in registers, the reductions as loops around (Goto and van de
  Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS 2008; register and cache blocks chosen as by Low et
  al., "Analytical Modeling Is Enough for High-Performance BLIS", TOMS 2016, who derive them from latencies and
  associativities, where here costs of whole tilings are compared, so that borders count);
* dot: lanes along a reduction (only where its order is free), for results that are not contiguous or too small.

Nothing here knows schedule trees; `polyloop.shaping.default_trace` makes transforms of the choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf, log2, prod

from polyloop.backend.default.row_panels import in_row_panels, late_rows
from polyloop.backend.default.task import Choice, Task
from polyloop.backend.default.tiles import accumulators, loads_well, tiles
from polyloop.backend.ir.expressions import F64
from polyloop.backend.machine import core
from polyloop.backend.machine.target import Target


def choose(task: Task, target: Target) -> Choice:
    """The candidate that the model expects to be fastest, the first of equals; else the loops as they stand, in lanes
    where the result is contiguous."""
    best = min(candidates(task, target), key=lambda choice: choice.cycles, default=None)
    return best if best is not None else _plain(task)


def candidates(task: Task, target: Target) -> Iterator[Choice]:
    """Every schedule that the model compares; none where nothing can be tiled."""
    if not task.reduced:
        return
    for tile in tiles(task, target):
        column = tile.column
        if column in task.lanes and task.result.contiguous(column) and loads_well(task, column) and tile.fits():
            choice = tile.choice()
            yield replace(choice, cycles=choice.cycles + late_rows(tile))
            yield from in_row_panels(tile)
    for column in task.extents:
        if column in task.reduced & task.lanes and any(read.contiguous(column) for read in task.reads):
            yield from _dots(task, column, target)


def _dots(task: Task, column: str, target: Target) -> Iterator[Choice]:
    """Lanes along a reduction; up to two kept loops in the tile."""
    machine, lanes = target.machine, target.lanes(task.type)
    fold = log2(lanes) * (1 / machine.shuffle.per_cycle + 1 / machine.add.per_cycle)
    others = [loop for loop in task.kept if task.extent(loop) > 1]
    gathered = [read for read in task.reads if read.moves(column) and not read.contiguous(column)]
    if any(r.bent.intersection((*others, column)) for r in task.reads):
        return
    # Neighbours of what is gathered lie in the lines that it has fetched.
    sums = [loop for loop in task.extents if loop in task.reduced and loop != column]
    sums.sort(key=lambda loop: any(read.contiguous(loop) for read in gathered))
    vector = 8 * task.type.bytes * lanes / F64.bits / machine.gather.per_cycle
    pairs = [(x, y) for x in others for y in others if x < y]
    for first, second in [(None, None), *((x, None) for x in others), *pairs]:
        for a in _divisors(task, first, 8):
            for b in _divisors(task, second, min(8, accumulators(target) // a)):
                tiled = tuple((loop, n) for loop, n in ((first, a), (second, b)) if loop)
                counts = {r: prod(n for loop, n in tiled if r.moves(loop)) for r in task.reads}
                loads = sum(counts.values())
                vectors = -(-task.extent(column) // lanes) * prod(map(task.extent, sums))
                chains = max(a * b, 4)
                step = max(
                    a * b / machine.multiply_add.per_cycle,
                    loads / machine.load.per_cycle + vector * sum(counts[read] for read in gathered),
                    core.LATE * machine.chain_latency * a * b / chains,
                )
                tiles = prod(-(-task.extent(loop) // dict(tiled).get(loop, 1)) for loop in task.kept)
                step += core.LOAD_COST * loads
                cycles = tiles * (vectors * step + core.TILE_CYCLES + a * b * fold)
                # Registers hold the vectors of the inner rows, of which there are fewer, and one of the outer ones.
                order = sorted(task.kept, key=lambda loop: -dict(tiled).get(loop, inf))
                yield Choice(column, lanes, tiled, (), (), tuple(order), sums=tuple(sums), cycles=cycles)


def _divisors(task: Task, loop: str | None, most: int) -> tuple[int, ...]:
    """Tiles that leave no border."""
    if loop is None:
        return (1,)
    return tuple(n for n in range(2, most + 1) if task.extent(loop) % n == 0 and task.extents[loop] is not None)


def _plain(task: Task) -> Choice:
    column = next((loop for loop in task.kept if loop in task.lanes and task.result.contiguous(loop)), None)
    return Choice(column, 0, (), outer=tuple(loop for loop in task.kept if loop != column))
