"""Which schedule a tensor nest gets without a search: an analytical model of one core.

A nest is a box of loops around ``result[..] = result[..] op (reads)``: contraction, convolution, pooling, elementwise.
The model counts, for every candidate, the cycles of its multiply-adds, loads and latencies, and takes the least:

* tile: `rows` of one kept loop times `vectors` of another in registers, the reductions as loops around (Goto and van de
  Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS 2008; register and cache blocks chosen as by Low et
  al., "Analytical Modeling Is Enough for High-Performance BLIS", TOMS 2016, who derive them from latencies and
  associativities, where here costs of whole tilings are compared, so that borders count);
* dot: lanes along a reduction (only where its order is free), for results that are not contiguous or too small.

Nothing here knows schedule trees; `polyloop.default_trace` makes transforms of the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod

from polyloop.backend.expressions import ScalarType
from polyloop.backend.target import Target

UNKNOWN_EXTENT = 512
"""What a size is taken for that is known only when the kernel runs."""

_PORTS = 2  # vector multiply-adds, and vector loads, that start in one cycle
_LATENCY = 4  # cycles of a multiply-add
_TILE_CYCLES = 16  # entering and leaving the loop of a tile
_FOLD_CYCLES = 8  # the sum of the lanes of one accumulator
_LOAD_COST = 0.06  # cycles that a load costs where multiply-adds are the limit
_SPARE = 6  # registers beside the accumulators: loads and broadcasts
_STRAIGHT_VECTORS = 8
_SHORT_REDUCTION = 32  # steps up to which a reduction becomes straight-line code
_STRAIGHT_LIMIT = 320  # multiply-adds in straight-line code


@dataclass(frozen=True)
class Operand:
    """One access: by how many elements a step of each loop moves it; None where the step is not constant.

    Loops that do not move it are left out. `packable`: nothing in the nest writes the array.
    """

    strides: Mapping[str, int | None]
    bytes: int
    packable: bool = True

    def moves(self, loop: str) -> bool:
        return self.strides.get(loop, 0) != 0

    def contiguous(self, loop: str) -> bool:
        return self.strides.get(loop) == 1


@dataclass(frozen=True)
class Task:
    """A nest.

    Attributes:
        extents: of all loops, in the order that the nest gives; None where unknown.
        reduced: loops that do not move the result.
        result: where it is stored; reads: everything else that is read.
        type: the result's elements.
        lanes: loops whose iterations may run at once (reductions among them, where their order is free).
        fused: statements before or after the reduction share its tile: then the reductions stay whole.
    """

    extents: Mapping[str, int | None]
    reduced: frozenset[str]
    result: Operand
    reads: tuple[Operand, ...]
    type: ScalarType
    lanes: frozenset[str]
    fused: bool = False

    def extent(self, loop: str) -> int:
        known = self.extents[loop]
        return UNKNOWN_EXTENT if known is None else known

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(loop for loop in self.extents if loop not in self.reduced)

    @property
    def steps(self) -> int:
        """Iterations of all reductions."""
        return prod(self.extent(loop) for loop in self.reduced)


@dataclass(frozen=True)
class Choice:
    """A schedule for a task.

    Attributes:
        column: the loop in lanes; None where there is none.
        width: elements of the column loop in one tile (a multiple of a vector); 0 where nothing is tiled.
        tiled: other loops with points in the tile, and how many; outermost first.
        batch: kept loops outside of everything.
        blocks: (loop, size): cache blocks, outermost first, inside the batch loops.
        outer: the remaining kept loops in order; those of `tiled` and the column stand for their tiles.
        packed: positions of reads that are copied in panels of `width`, in front of the loops behind the first block.
        unrolled: reductions that become straight-line code, with the tile.
        parallel: a loop of batch or outer for the threads.
        cycles: what the model expects.
    """

    column: str | None
    width: int
    tiled: tuple[tuple[str, int], ...]
    batch: tuple[str, ...] = ()
    blocks: tuple[tuple[str, int], ...] = ()
    outer: tuple[str, ...] = ()
    packed: tuple[int, ...] = ()
    unrolled: tuple[str, ...] = ()
    parallel: str | None = None
    cycles: float = field(default=0.0, compare=False)

    @property
    def plain(self) -> bool:
        """Whether the loops stay as they are, the column in lanes if there is one."""
        return self.width == 0


def choose(task: Task, target: Target) -> Choice:
    """The candidate that the model expects to be fastest, the first of equals; else the loops as they stand, in lanes
    where the result is contiguous."""
    best = min(candidates(task, target), key=lambda choice: choice.cycles, default=None)
    return best if best is not None else _plain(task)


def candidates(task: Task, target: Target) -> Iterator[Choice]:
    """Every schedule that the model compares; none where nothing can be tiled."""
    if not task.reduced:
        return
    lanes = target.lanes(task.type)
    accumulators = max(1, target.vector_registers - _SPARE if target.vector_registers > 16 else 12)
    for column in task.kept:
        if column in task.lanes and task.result.contiguous(column) and _loads_well(task, column):
            yield from _tiles(task, target, column, lanes, accumulators)
    for column in task.extents:
        if column in task.reduced & task.lanes and any(read.contiguous(column) for read in task.reads):
            yield from _dots(task, column, lanes, accumulators)


def _loads_well(task: Task, column: str) -> bool:
    """Whether every read can be had in vectors: contiguous, the same in all lanes, or from a packed copy."""
    return all(not r.moves(column) or r.contiguous(column) or _can_pack(task, r, column) for r in task.reads)


def _can_pack(task: Task, read: Operand, column: str) -> bool:
    return read.packable and bool(task.reduced) and None not in read.strides.values()


# --- tiles ------------------------------------------------------------------------------------------------------------


def _tiles(task: Task, target: Target, column: str, lanes: int, accumulators: int) -> Iterator[Choice]:
    strided = tuple(n for n, r in enumerate(task.reads) if r.moves(column) and not r.contiguous(column))
    others = [loop for loop in task.kept if loop != column and task.extent(loop) > 1]
    most = -(-task.extent(column) // lanes)
    for vectors in range(1, min(most, _STRAIGHT_VECTORS, accumulators) + 1):
        for row in (None, *others):
            limit = min(accumulators // vectors, task.extent(row)) if row else 1
            for rows in range(2 if row else 1, limit + 1):
                tiled = ((row, rows),) if row else ()
                yield _tile(task, target, column, vectors, tiled, strided)


def _tile(
    task: Task, target: Target, column: str, vectors: int, tiled: tuple[tuple[str, int], ...], strided: tuple[int, ...]
) -> Choice:
    lanes = target.lanes(task.type)
    width = vectors * lanes
    row = tiled[0][0] if tiled else None
    packed = _packed(task, target, column, row, strided)
    unrolled = _unrolled(task, column, vectors, tiled)
    batch = tuple(loop for loop in task.kept if loop not in (column, row) and _moves_any(task, packed, loop))
    blocks = () if task.fused else _blocks(task, target, column, row, width, tiled)
    inside = [loop for loop in task.kept if loop not in (column, row, *batch)]
    # Panels stay in the caches while everything else passes by, unless there is nothing to come back to.
    outer = (column, *inside, *([row] if row else []))
    steps = prod(task.extent(loop) for loop in (*batch, *inside))
    cycles = steps * _tiling_cycles(task, column, lanes, vectors, tiled, unrolled)
    cycles += sum(_copy_cycles(task, task.reads[n], column, lanes) for n in packed)
    return Choice(column, width, tiled, batch, blocks, outer, packed, unrolled, None, cycles)


def _tiling_cycles(
    task: Task,
    column: str,
    lanes: int,
    vectors: int,
    tiled: tuple[tuple[str, int], ...],
    unrolled: tuple[str, ...],
) -> float:
    """Cycles of all tiles of one pass over column and row, borders included."""
    extent = -(-task.extent(column) // lanes)
    widths = [(vectors, extent // vectors), (extent % vectors, 1)]
    heights = [(1, 1)]
    row = None
    if tiled:
        row, rows = tiled[0]
        heights = [(rows, task.extent(row) // rows), (task.extent(row) % rows, 1)]
    total = 0.0
    for (v, across), (r, down) in product(widths, heights):
        if v and r and across and down:
            step = _step_cycles(task, column, row, v, r, unrolled)
            total += across * down * (task.steps * step + _TILE_CYCLES + 2 * r * v)
    return total


def _step_cycles(task: Task, column: str, row: str | None, vectors: int, rows: int, unrolled: tuple[str, ...]) -> float:
    """Cycles of one step of the reductions in one tile."""
    loads = 0.0
    for read in task.reads:
        count: float = (vectors if read.moves(column) else 1) * (rows if row and read.moves(row) else 1)
        if row and read.moves(row) and unrolled:
            # Neighbouring rows and steps of a window that moves by one element share loads.
            step = read.strides.get(row)
            shared = [loop for loop in unrolled if read.strides.get(loop) == step]
            if shared:
                window = task.extent(shared[0])
                count = (vectors if read.moves(column) else 1) * (rows + window - 1) / window
        loads += count
    work = rows * vectors
    latency = float(_LATENCY) if task.reduced and not unrolled else 0.0
    return max(work / _PORTS, loads / _PORTS, latency) + _LOAD_COST * loads


def _unrolled(task: Task, column: str, vectors: int, tiled: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    """Short reductions whose steps share loads: all of them, or none."""
    reduced = tuple(loop for loop in task.extents if loop in task.reduced)
    work = vectors * prod(rows for _, rows in tiled)
    if not reduced or any(task.extents[loop] is None for loop in reduced):
        return ()
    short = task.steps <= _SHORT_REDUCTION and task.steps * work <= _STRAIGHT_LIMIT
    return reduced if short and column not in reduced else ()


def _blocks(
    task: Task, target: Target, column: str, row: str | None, width: int, tiled: tuple[tuple[str, int], ...]
) -> tuple[tuple[str, int], ...]:
    """A block of the reduction so long that the panel of the column tile stays near, and a block of rows."""
    streams = [r for r in task.reads if r.moves(column)]
    if row is None or not streams or not task.reduced:
        return ()
    panel = task.steps * width * sum(r.bytes for r in streams if not r.moves(row))
    blocks: list[tuple[str, int]] = []
    steps = task.steps
    if panel > target.l2_bytes // 2 or task.steps * width * task.type.bytes > 3 * target.l1_bytes:
        inner = max((loop for loop in task.reduced), key=lambda loop: list(task.extents).index(loop))
        first = next(loop for loop in task.extents if loop in task.reduced)
        loop = inner if first == inner else _blockable(task, target, width)
        if loop is not None:
            rest = task.steps // task.extent(loop)
            size = _block_size(task.extent(loop), max(8, _depth(task, target, width) // rest))
            if size < task.extent(loop):
                blocks.append((loop, size))
                steps = rest * size
    rows = tiled[0][1]
    fixed = [r for r in task.reads if r.moves(row) and not r.moves(column)]
    kept = target.l2_bytes // 2 // max(1, steps * sum(r.bytes for r in fixed)) // rows * rows
    if blocks and fixed and rows < kept < task.extent(row):
        blocks.append((row, _block_size(-(-task.extent(row) // rows), kept // rows) * rows))
    return tuple(blocks)


def _depth(task: Task, target: Target, width: int) -> int:
    """Steps of the reductions after which a panel of the column tile fills the first cache."""
    if len(task.reduced) > 1:
        return target.l2_bytes // 2 // (width * task.type.bytes)
    return max(32, target.l1_bytes // (width * task.type.bytes) // 32 * 32)


def _blockable(task: Task, target: Target, width: int) -> str | None:
    """Of several reductions the outermost can be blocked with the order of the sums unchanged; only a free order lets
    the longest be."""
    if task.steps * width * task.type.bytes <= target.l2_bytes // 2:
        return None
    longest = max(task.reduced, key=task.extent)
    return longest if task.reduced <= task.lanes else None


def _block_size(extent: int, most: int) -> int:
    """Blocks as equal as can be, of at most so many."""
    count = -(-extent // max(1, most))
    return -(-extent // count)


# --- packing ----------------------------------------------------------------------------------------------------------


def _packed(task: Task, target: Target, column: str, row: str | None, strided: tuple[int, ...]) -> tuple[int, ...]:
    """Reads that have to be copied into panels, or that are worth it."""
    found = list(strided)
    for number, read in enumerate(task.reads):
        if number in strided or not read.contiguous(column) or not _can_pack(task, read, column):
            continue
        again = prod(task.extent(loop) for loop in task.kept if not read.moves(loop))
        steps = [(loop, read.strides[loop] or 0) for loop in task.reduced if read.moves(loop)]
        if not steps or again < 32:
            continue
        stride = min(stride for _, stride in steps)
        pages = stride * read.bytes >= 4096 or task.extent(column) * task.steps * read.bytes > target.l2_bytes
        aliased = stride * read.bytes % 2048 == 0 and task.steps * stride * read.bytes > target.l2_bytes // 2
        if pages or aliased:
            found.append(number)
    return tuple(found)


def _copy_cycles(task: Task, read: Operand, column: str, lanes: int) -> float:
    elements = prod(task.extent(loop) for loop in task.extents if read.moves(loop))
    return elements * (2.0 / lanes if read.contiguous(column) else 1.2)


def _moves_any(task: Task, packed: tuple[int, ...], loop: str) -> bool:
    return any(task.reads[n].moves(loop) for n in packed)


# --- the others -------------------------------------------------------------------------------------------------------


def _dots(task: Task, column: str, lanes: int, accumulators: int) -> Iterator[Choice]:
    """Lanes along a reduction; up to two kept loops in the tile."""
    others = [loop for loop in task.kept if task.extent(loop) > 1]
    gathers = sum(r.moves(column) and not r.contiguous(column) for r in task.reads)
    if gathers or any(r.strides.get(loop, 0) is None for r in task.reads for loop in others):
        return
    inner = tuple(loop for loop in task.extents if loop in task.reduced and loop != column)
    pairs = [(x, y) for x in others for y in others if x < y]
    for first, second in [(None, None), *((x, None) for x in others), *pairs]:
        for a in _divisors(task, first, 8):
            for b in _divisors(task, second, min(8, accumulators // a)):
                tiled = tuple((loop, n) for loop, n in ((first, a), (second, b)) if loop)
                outer = tuple(loop for loop in task.kept)
                loads = sum(prod(n for loop, n in tiled if r.moves(loop)) for r in task.reads)
                vectors = -(-task.extent(column) // lanes) * prod(task.extent(loop) for loop in inner)
                chains = max(a * b, 4)
                step = max(a * b / _PORTS, loads / _PORTS, _LATENCY * a * b / chains)
                tiles = prod(-(-task.extent(loop) // dict(tiled).get(loop, 1)) for loop in task.kept)
                cycles = tiles * (vectors * step + _TILE_CYCLES + a * b * _FOLD_CYCLES)
                yield Choice(column, lanes, tiled, (), (), outer, (), (), None, cycles)


def _divisors(task: Task, loop: str | None, most: int) -> tuple[int, ...]:
    """Tiles that leave no border."""
    if loop is None:
        return (1,)
    return tuple(n for n in range(2, most + 1) if task.extent(loop) % n == 0 and task.extents[loop] is not None)


def _plain(task: Task) -> Choice:
    column = next((loop for loop in task.kept if loop in task.lanes and task.result.contiguous(loop)), None)
    return Choice(column, 0, (), outer=tuple(loop for loop in task.kept if loop != column))
