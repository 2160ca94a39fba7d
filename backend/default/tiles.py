"""Register tiles of default schedules, and what a model of the core and its caches expects of them.

Costs are those of multiply-adds, loads, latencies and of lines that come from the second cache (two cycles each, as
measured on tiles of 2, 3, 4 and 5 rows whose panel does not stay in the first one). What comes from farther away is
asked for ahead, copied in panels, or kept near by blocks of a reduction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import product
from math import ceil, gcd, inf, log2, prod

from polyloop.backend.default.task import RESULT, Choice, Footprint, Task
from polyloop.backend.machine import core
from polyloop.backend.machine.machine import Cache
from polyloop.backend.machine.target import Target


def accumulators(target: Target) -> int:
    """Results that a register tile has at most, in vectors: three quarters of the registers, 24 or 12. Code generators
    load early, which takes registers beyond those that carry results."""
    return target.vector_registers - target.vector_registers // 4


def tiles(task: Task, target: Target) -> Iterator[Tile]:
    """Every register tile that leaves registers for what is loaded: vectors of a loop along which the result is
    contiguous (of the last loop where there is none) by rows of another kept loop, or by themselves."""
    most, lanes = accumulators(target), target.lanes(task.type)
    for column in [loop for loop in task.kept if task.result.contiguous(loop)] or list(task.extents)[-1:]:
        others = [loop for loop in reversed(task.kept) if loop != column and task.extent(loop) > 1]
        for vectors in range(1, min(-(-task.extent(column) // lanes), core.STRAIGHT_VECTORS, most) + 1):
            for row in (None, *others):
                limit = min(most // vectors, task.extent(row)) if row else 1
                for rows in range(2 if row else 1, limit + 1):
                    yield Tile(task, target, column, vectors, row, rows)


@dataclass(frozen=True)
class Tile:
    """`vectors` of the column loop times `rows` of the row loop, if there is one; `asked`: panels come from far away
    while others are worked on."""

    task: Task
    target: Target
    column: str
    vectors: int
    row: str | None
    rows: int
    asked: bool = False

    @cached_property
    def lanes(self) -> int:
        return self.target.lanes(self.task.type)

    @cached_property
    def width(self) -> int:
        return self.vectors * self.lanes

    def choice(self) -> Choice:
        """The schedule with this tile, and the cycles that it takes."""
        whole = map(self._with_copies, self.copies())
        return min((*whole, *self._in_near_blocks(), *self._in_slabs()), key=lambda choice: choice.cycles)

    def _with_copies(self, packed: tuple[int, ...]) -> Choice:
        task, tile = self.task, (self.column, self.row)
        unrolled = self.unrolled()
        copied = [task.reads[n] for n in packed]
        moved = [loop for loop in task.kept if loop not in tile and any(read.moves(loop) for read in copied)]
        batch = tuple(loop for loop in moved if all(read.moves(loop) for read in copied))
        # A copy stays while loops pass by that move others only.
        inside = (*(loop for loop in moved if loop not in batch), *(x for x in task.kept if x not in (*tile, *moved)))
        row = (self.row,) if self.row else ()
        # A panel of the column loop stays in a near cache while everything else passes by.
        outer = (*inside, *row, self.column) if self.goes_across(unrolled, packed) else (self.column, *inside, *row)
        passes = prod(task.extent(loop) for loop in (*batch, *inside))
        cycles = passes * self.pass_cycles(unrolled, packed) + sum(map(self.copy_cycles, packed))
        if not unrolled:
            cycles += sum(self._first_cycles(n) for n in range(len(task.reads)) if n not in packed)
        tiled = ((self.row, self.rows),) if self.row else ()
        blocks = () if task.fused else self.blocks(bool(packed))
        ahead = self.ahead(packed, outer)
        return Choice(self.column, self.width, tiled, batch, blocks, outer, packed, ahead, unrolled, cycles=cycles)

    def _in_near_blocks(self) -> Iterator[Choice]:
        """The same in the fewest blocks of a reduction whose panels stay in the first cache, where whole ones do not,
        but their arrays stay in the second: each is a task of its own, and loads and stores the result once more."""
        task, loop = self.task, self.blocked
        known = task.extents[loop]
        columns = [read for read in task.reads if read.moves(self.column)]
        if known is None or self.row is None or task.fused or self.unrolled() or not self.is_far(()):
            return
        if any(self.streams(self.whole(read)) for read in columns):
            return
        moved, near = self.moved_cycles(), self.target.machine.l1
        size = -(-known // max(2, ceil(max(self._crowd(read, near, True) for read in columns))))
        if size < core.LEAST_BLOCK:
            return
        count, part = -(-known // size), replace(self, task=replace(task, extents={**task.extents, loop: size}))
        for choice in (part._with_copies(copies) for copies in part.copies() if not part.is_far(copies)):
            yield replace(choice, blocks=((loop, size),), cycles=count * choice.cycles + (count - 1) * moved)

    def _in_slabs(self) -> Iterator[Choice]:
        """The same in blocks of the innermost reduction, the others around the tiles, where reads do not stay in the
        second cache: rows of a block's panel lie one behind the other, so that few of them meet in one set, and the
        panel that comes next is asked for meanwhile. Either it stays in the second cache, or a copy in the first. Sums
        keep their order; each block loads and stores the result once more.
        """
        task = self.task
        *around, loop = (x for x in task.extents if x in task.reduced)
        columns = [(n, read) for n, read in enumerate(task.reads) if read.moves(self.column)]
        far = tuple(n for n, read in columns if self.streams(self.whole(read)))
        if self.row is None or task.fused or self.unrolled() or not far or task.extent(self.column) <= self.width:
            return
        if not core.SOME_TILES[0] <= self.tiles_over_a_panel <= core.SOME_TILES[1]:
            return
        if None in (task.extents[x] for x in (*around, loop)) or any(not r.contiguous(self.column) for _, r in columns):
            return
        whole = replace(self, asked=True, task=replace(task, extents={**task.extents, **dict.fromkeys(around, 1)}))
        outside = tuple((x, 1) for x in around if task.extent(x) > 1)
        passes = prod(task.extent(x) for x in around)
        l1, l2, _ = self.target.machine.caches
        for copies, near in ((c, x) for c in whole.copies() for x in ((l1, l2) if c else (l2,))):
            crowd = max(whole._crowd(read, near, n in copies) for n, read in columns)
            size = even_block(task.extent(loop), max(core.LEAST_BLOCK, int(task.extent(loop) / max(1, crowd))))
            part = replace(whole, task=replace(whole.task, extents={**whole.task.extents, loop: size}))
            choice, count = part._with_copies(copies), -(-task.extent(loop) // size)
            cycles = choice.cycles - sum(map(part.copy_cycles, copies))
            cycles += sum(part._late_cycles(n, self.origin(task.reads[n]), n in copies) for n in far)
            cycles = count * passes * cycles + (count * passes - 1) * self.moved_cycles()
            blocks = (*outside, *([(loop, size)] if count > 1 else []))
            ahead = dict.fromkeys((*((n, self.column, 1) for n in far), *choice.ahead))
            yield replace(choice, blocks=blocks, ahead=tuple(ahead), cycles=cycles)

    def _first_cycles(self, number: int) -> float:
        """What tiles wait for a read's panels that come from memory when they are first used, for all there are."""
        read, memory = self.task.reads[number], len(self.target.machine.levels) - 1
        if not read.moves(self.column) or (self.row and read.moves(self.row)) or self.origin(read) < memory:
            return 0.0
        rows = prod(self.task.extent(x) for x in self.task.extents if read.moves(x)) / self.width
        return core.UNFORESEEN * rows * self._lines(read, 1, self.width) * self.target.machine.memory.line_cycles

    def _late_cycles(self, number: int, level: int, copied: bool) -> float:
        """What tiles wait for a read's panels from a cache or memory: for the first one, and for each of the others,
        which tiles over the one before ask for, where it takes longer than these; then, if it is copied, from the
        second cache."""
        task, machine = self.task, self.target.machine
        lines = self._lines(task.reads[number], 1, self.width) + (self.width * task.type.bytes % machine.line > 0)
        row, panels = lines * machine.levels[level].line_cycles, -(-task.extent(self.column) // self.width)
        step = self.step_cycles(self.vectors, self.rows, (), (number,) if copied else ())
        step *= min(self.tiles_over_a_panel, core.PARTS)
        near = panels * lines * machine.l2.line_cycles if copied else 0.0
        return task.steps * (row + (panels - 1) * max(0.0, row - step) + near)

    @cached_property
    def tiles_over_a_panel(self) -> int:
        """Tiles of rows that see one panel of the column loop."""
        others = (loop for loop in self.task.kept if loop != self.column)
        return prod(-(-self.task.extent(x) // (self.rows if x == self.row else 1)) for x in others)

    def moved_cycles(self) -> float:
        """For loading and storing the result once more."""
        task, machine = self.task, self.target.machine
        lines = prod(task.extent(x) for x in task.kept) * task.type.bytes / machine.line
        return 2 * lines * machine.levels[self.origin(task.result)].line_cycles

    def goes_across(self, unrolled: tuple[str, ...], packed: tuple[int, ...]) -> bool:
        """Whether tiles go from column to column, not all the way down one column after the other.

        Tiles of a window do where neighbours share lines, which come one after the other: the first cache has to hold
        all columns. Others do where the result is large beside what moves along the columns: its lines come one after
        the other then, and panels from the second cache once for every row of tiles, unless all of them stay in the
        first one.
        """
        task, machine = self.task, self.target.machine
        alone = not unrolled and set(task.kept) == {self.column, self.row}
        if task.extent(self.column) <= self.width or (packed and not alone):
            return False
        if unrolled:
            return self._far_lines(task.extent(self.column)) <= core.JUMPING * self._far_lines(self.width)
        columns = [read for read in task.reads if read.moves(self.column)]
        near, result = sum(map(self.whole, columns)), self.whole(task.result)
        if self.row is None or any(read.moves(self.row) for read in columns) or result <= machine.l1.size:
            return False
        again = 0.0 if 2 * near <= machine.l1.size else near / machine.line * machine.l2.line_cycles
        jumps = result / machine.line * machine.levels[self.level_of(result)].line_cycles
        return self.tiles_over_a_panel * again < (core.JUMPING - 1) * jumps

    def _far_lines(self, width: int) -> float:
        """Lines that come from beyond the first cache while tiles pass over so many columns at once: each once where it
        stays for all rows of tiles that see it, else for each such row, or for each tile where rows share it."""
        task, l1 = self.task, self.target.machine.l1
        room = l1.size // self.target.machine.line
        others = [x for x in task.kept if x != self.column]
        row = self.row or next(reversed(others), "")
        total = 0.0
        for read in (read for read in task.reads if read.moves(self.column)):
            points = {x: self.rows for x in others if x == row and not read.moves(x)}
            window = {x: points.get(x, task.extent(x)) for x in (*task.reduced, row) if x}
            lines = {x: self._places(x, window) * self._spanned(x, width) for x in (*task.reads, task.result)}
            mine = lines.pop(read)
            # Its lines fall into some of the sets, those of other arrays into all of them.
            used = self._sets(read, l1, window, width) * l1.ways
            if mine * room / used + sum(lines.values()) <= room:
                seen = self._places(read, {x: task.extent(x) for x in task.extents if x != self.column})
            else:
                seen = self._places(read, window) * prod(-(-task.extent(x) // window.get(x, 1)) for x in others)
            total += -(-task.extent(self.column) // width) * seen * self._spanned(read, width)
        return total

    def without_copies(self) -> Iterator[Choice]:
        """Schedules with this tile in plain loops: with and without `core.BLOCKS` of the longest reduction."""
        task = self.task
        sums = [loop for loop in task.extents if loop in task.reduced and loop != self.column]
        longest = max(sums, key=task.extent, default="")
        others = tuple(loop for loop in task.kept if loop not in (self.column, self.row))
        tiled = ((self.row, self.rows),) if self.row else ()
        outer = (*others, self.column, *(loop for loop, _ in tiled))
        sizes = [size for size in core.BLOCKS if longest and size < task.extent(longest)]
        for blocks in ((), *(((longest, size),) for size in sizes)):
            yield Choice(self.column, self.width, tiled, (), blocks, outer)

    def fits(self) -> bool:
        """Whether accumulators, one step's vectors and a broadcast fit the registers.

        Straight-line code over a window also keeps what neighbouring rows share, and leaves no border, which would
        make as much code again.
        """
        unrolled = self.unrolled()
        if self.task.is_short and self.is_ragged and self.can_be_even:
            return False
        if self.row is None:
            return True
        if not self.task.is_short or self.is_ragged:
            return self.rows * self.vectors + self.vectors + 1 + self.helpers <= self.target.vector_registers
        live = self.rows + max((self.kept(r, unrolled) for r in self.task.reads if r.moves(self.row)), default=0)
        even = self.task.extent(self.row) % self.rows == 0
        return bool(unrolled) and even and live * self.vectors + 2 + self.helpers <= self.target.vector_registers

    @property
    def is_ragged(self) -> bool:
        """Whether some tiles have partial vectors, others not, and masks are not for nothing: straight-line code over a
        window, which has no versions of its own for borders, would carry them everywhere."""
        bits, known = self.target.vector_bits, self.task.extents[self.column]
        if self.target.masks or (self.vectors == 1 and bits >= core.MASKED_LOADS_BITS):
            return False
        return known is None or (known > self.width and known % self.width > 0)

    @property
    def can_be_even(self) -> bool:
        """Whether tiles of some width are not ragged."""
        known = self.task.extents[self.column]
        whole = known is not None and (known % self.lanes == 0 or known <= core.STRAIGHT_VECTORS * self.lanes)
        return whole or self.target.vector_bits >= core.MASKED_LOADS_BITS

    @property
    def helpers(self) -> int:
        """Registers beside: for products that another instruction adds, for what a fused statement reads in every tile,
        and for masks of partial vectors, which only the widest registers have others for."""
        task, bits = self.task, self.target.vector_bits
        masked = task.extents[self.column] is None or task.extent(self.column) % self.lanes > 0
        masks = 0 if not masked or self.target.masks else 1 if bits >= core.MASKED_LOADS_BITS else 4
        return (not self.target.has_fma) + task.fused + masks

    # --- cycles -------------------------------------------------------------------------------------------------------

    def pass_cycles(self, unrolled: tuple[str, ...], packed: tuple[int, ...]) -> float:
        """Of all tiles of one pass over column and row, borders included."""
        extent = -(-self.task.extent(self.column) // self.lanes)
        widths = ((self.vectors, extent // self.vectors), (extent % self.vectors, 1))
        height = self.task.extent(self.row) if self.row else 1
        heights = ((self.rows, height // self.rows), (height % self.rows, 1))
        total, entering = 0.0, core.WINDOW_CYCLES if unrolled else core.TILE_CYCLES
        for (vectors, across), (rows, down) in product(widths, heights):
            if vectors and rows and across and down:
                steps = self.task.steps * self.step_cycles(vectors, rows, unrolled, packed)
                total += across * down * (steps + entering + 2 * rows * vectors)
        if self.is_far(packed):
            total *= 1 + core.ODD * ((extent % self.vectors > 0) + (height % self.rows > 0))
        return total

    def step_cycles(self, vectors: int, rows: int, unrolled: tuple[str, ...], packed: tuple[int, ...]) -> float:
        """Of one step of the reductions in one tile.

        An element that a shuffle puts into all lanes takes one of the two places that a multiplication and an addition
        have where there are no others.
        """
        machine = self.target.machine
        loads = fetching = extra = shuffles = turning = 0.0
        for number, read in enumerate(self.task.reads):
            along, copied = read.moves(self.column), number in packed
            count: float = vectors if along else 1
            if along and (level := self.cache_levels[number][copied]):
                fetching += self.row_cycles(number, vectors * self.lanes, level, copied)
                extra += core.APART_CYCLES if self.streamed[number] and not copied and not self.asked else 0
            if self.row and read.moves(self.row):
                # Neighbouring rows share what a window, moved by whole elements, has in common.
                window, apart = self.window(read, unrolled)
                count *= min(rows, (apart * (rows - 1) + window) / window)
                if level := self.turned_levels[number]:
                    turning += self._spanned(read, rows) * machine.levels[level].line_cycles
            loads += count
            shuffles += 0 if along or self.target.spreads(self.task.type) else count
        work = (rows * vectors + shuffles / 2) / machine.multiply_add.per_cycle
        latency = core.LATE * machine.chain_latency
        if unrolled:  # tiles that come next begin meanwhile
            latency *= min(1.0, rows * vectors * self.task.steps / core.WAITING)
        least = max(work, loads / machine.load.per_cycle, latency, fetching + turning)
        # Lines of panels that lie apart come while no load does, which is no matter where there is time for all.
        slack = 0.0 if packed else max(0.0, work - loads / machine.load.per_cycle)
        far = 3 * fetching > 2 * work if self.asked else fetching > slack
        costs = core.FAR_LOAD_COST if far else core.LOAD_COST
        cycles = least + costs * loads + core.UNHIDDEN_LINES * fetching + core.UNHIDDEN_TURNED * turning + extra
        if self.collides(rows):
            cycles *= core.COLLIDING
        return cycles * (core.MANY if fetching and rows > core.MANY_ROWS else 1)

    def collides(self, rows: int) -> bool:
        """Whether the lines of all rows and those that come next fall into one set of the first cache."""
        strides = [read.stride(self.row) for read in self.task.reads]
        way = self.target.machine.l1.way
        aliased = any(s and s * self.task.type.bytes % way == 0 for s in strides)
        return aliased and 2 * rows > self.target.machine.l1.ways

    def is_far(self, packed: tuple[int, ...]) -> bool:
        """Whether a panel does not stay in the first cache while the rows pass by."""
        return any(self.cache_levels[n][n in packed] for n, r in enumerate(self.task.reads) if r.moves(self.column))

    def row_cycles(self, number: int, width: int, level: int, copied: bool) -> float:
        """For the lines of one row of a read's panel, from the cache of a level."""
        cycles = self._lines(self.task.reads[number], 1, width) * self.target.machine.levels[level].line_cycles
        if copied or not level:
            return cycles if level else 0.0
        # Rows of arrays seldom begin where a line does; those of copies do.
        cycles += self.target.machine.levels[level].line_cycles
        return cycles * (core.STREAMED if self.streamed[number] or self.asked else 1.0)

    @cached_property
    def streamed(self) -> tuple[bool, ...]:
        """Which reads do not stay in the second cache from one use to the next."""
        return tuple(self.streams(self.whole(read)) for read in self.task.reads)

    @cached_property
    def cache_levels(self) -> tuple[tuple[int, int], ...]:
        """In which of the caches, from 0 on, the panel of every read stays while the rows pass by: as it lies, and
        copied."""
        return tuple((self._level(read, False), self._level(read, True)) for read in self.task.reads)

    @cached_property
    def turned_levels(self) -> tuple[int, ...]:
        """From which of the caches, and memory, the tile's rows come of every read that is contiguous along them, so
        that each step takes other lines: 0 for other reads, too."""
        return tuple(self.level_of(self.whole(read)) if self._is_turned(read) else 0 for read in self.task.reads)

    def _is_turned(self, read: Footprint) -> bool:
        jumps = any(abs(read.stride(x)) * read.bytes >= self.target.machine.line for x in self.task.reduced)
        return self.row is not None and read.stride(self.row) == 1 and not read.moves(self.column) and jumps

    def level_of(self, size: int) -> int:
        """The nearest cache that so many bytes fill at most half of, or memory."""
        sizes = [cache.size for cache in self.target.machine.caches]
        return next((level for level, room in enumerate(sizes) if 2 * size <= room), len(sizes))

    def _level(self, read: Footprint, copied: bool) -> int:
        """Rows of a panel that is not copied lie apart: where their distance shares a large factor with a way of a
        cache, they meet in few of its sets."""
        for level, near in enumerate(self.target.machine.caches[:2]):
            # What is asked for meanwhile passes through the first cache, too.
            if self._crowd(read, near, copied) <= 1 and (level or copied or not self.asked):
                return level
        return 2

    def _crowd(self, read: Footprint, cache: Cache, copied: bool) -> float:
        """Lines of a read's panel, and of what a tile reads along its rows, for each that the cache has for them.

        The latter take whole ways: in the sets that they fall into, a panel that fills all ways is driven out line by
        line. With 480 lines in an 8-way cache of 512, tiles of 2 x 40 ran at 0.84 of the rate of others (Zen 4, AVX2).
        """
        rows = prod(self.task.extent(loop) for loop in self.task.reduced if read.moves(loop))
        every = max(1, cache.way // self.target.machine.line)
        sets = every if copied else self._panel_sets(read, cache)
        taken, room = ceil(self.row_lines / every) * sets, sets * cache.ways
        close = copied and self.asked
        lines = self._lines(read, 1, rows * self.width) if close else self._lines(read, rows, self.width)
        return (lines + taken) / room if room else inf

    def _spanned(self, read: Footprint, width: int) -> float:
        """How many lines so many neighbouring elements lie in, on average over all places that steps take them from."""
        line, bytes_ = self.target.machine.line, width * read.bytes
        jumps = (read.stride(x) * read.bytes for x in self.task.reduced)
        return (bytes_ + line - gcd(bytes_, line, *jumps)) / line

    def _lines(self, read: Footprint, rows: int, width: int) -> int:
        """Of so many rows of elements that lie apart."""
        return rows * -(-width * read.bytes // self.target.machine.line)

    def _panel_sets(self, read: Footprint, cache: Cache) -> int:
        return self._sets(read, cache, {x: self.task.extent(x) for x in self.task.reduced}, self.width)

    def _sets(self, read: Footprint, cache: Cache, loops: Mapping[str, int], width: int) -> int:
        """Of the cache, those that the lines of rows so wide fall into."""
        line = self.target.machine.line
        steps = tuple((abs(stride) * read.bytes, extent) for stride, extent in self._lengths(read, loops).items())
        return _count_sets(max(1, cache.way // line), line, width * read.bytes, steps)

    def window(self, read: Footprint, unrolled: tuple[str, ...]) -> tuple[int, int]:
        """Extent of the innermost reduction, and how many of its steps the row loop's step is; (1, 1) for a read that
        the two do not move alike."""
        short, long = (read.stride(loop) for loop in (unrolled[-1] if unrolled else None, self.row))
        return (self.task.extent(unrolled[-1]), abs(long // short)) if short and long and not long % short else (1, 1)

    def kept(self, read: Footprint, unrolled: tuple[str, ...]) -> int:
        """How many elements of a window wait for other rows that see them, too."""
        total, inside = 0, 1
        for loop in reversed(unrolled):
            apart, extent, short = read.stride(self.row), self.task.extent(loop), read.stride(loop)
            if short and apart % short == 0 and extent * short > apart:
                seen = self.rows - 1 + -(-extent * short // apart)
                # One vector each: the window slides over them. Of several, code generators load all ahead.
                total += (min(seen, self.rows * apart // short) if self.vectors == 1 else seen) * inside
            inside *= extent
        return total

    def copy_cycles(self, number: int) -> float:
        """Of all copies of a read, which comes from the cache that all of it stays in."""
        read = self.task.reads[number]
        elements = prod(self.task.extent(loop) for loop in self.task.extents if read.moves(loop))
        if not read.contiguous(self.column):
            return elements * self.turn_cycles
        rows = elements / self.width * self.row_cycles(number, self.width, self.origin(read), False)
        return elements * core.COPY_CYCLES / self.lanes + rows

    @property
    def turn_cycles(self) -> float:
        """Of a copy in another order, for each element: squares of vectors are turned in registers."""
        return core.TURN_CYCLES * (log2(self.lanes) + 4) / self.lanes

    def origin(self, read: Footprint) -> int:
        """The cache that all of a read stays in from one call to the next, or memory."""
        size, (l1, l2, _) = self.whole(read), self.target.machine.caches
        return 0 if 2 * size <= l1.size else 1 if 2 * size <= l2.size else 2 if size <= core.FAR_AWAY * l2.size else 3

    # --- form ---------------------------------------------------------------------------------------------------------

    def unrolled(self) -> tuple[str, ...]:
        """Short reductions whose steps share loads: all of them, or none."""
        reduced = tuple(loop for loop in self.task.extents if loop in self.task.reduced)
        small = self.task.steps * self.vectors * self.rows <= core.STRAIGHT_STEPS
        return reduced if small and self.task.is_short and not self.is_ragged else ()

    def blocks(self, packed: bool) -> tuple[tuple[str, int], ...]:
        """A block of a reduction, so long that the panel of the column tile stays in the second cache: of one that is
        not packed, rows that lie apart meet in few of its sets.

        Blocks of the outermost reduction leave the order of the sums as it is; another one can be blocked only where
        that order is free.
        """
        task = self.task
        most = self.panel_steps * (4 if packed and self.rows_stay else 1)
        if self.row is None or task.steps <= most:
            return ()
        loop = self.blocked
        known = task.extents[loop]
        if known is None:
            return ((loop, most),)
        rest = task.steps // known
        size = even_block(known, max(8 if known > 8 else 1, most // rest))
        return ((loop, size),) if size < known else ()

    @property
    def blocked(self) -> str:
        """The reduction that is done in blocks: the longest where the order of sums is free, else the outermost."""
        task = self.task
        if task.reduced <= task.lanes:
            return max(task.reduced, key=task.extent)
        return next(loop for loop in task.extents if loop in task.reduced)

    @property
    def rows_stay(self) -> bool:
        """Whether what a tile reads along its rows, over all steps, stays in the first cache beside other things."""
        return 2 * self.row_lines * self.target.machine.line <= self.target.machine.l1.size

    @cached_property
    def row_lines(self) -> float:
        """Lines of what a tile reads along its rows, over all steps."""
        return sum(self._row_lines(read) for read in self.task.reads if not read.moves(self.column))

    def _row_lines(self, read: Footprint) -> float:
        if self._is_turned(read):
            return self.task.steps * self._spanned(read, self.rows)
        loops = {loop: self.task.extent(loop) for loop in self.task.reduced} | {str(self.row): self.rows}
        return self.footprint(read, loops) / self.target.machine.line

    @property
    def panel_steps(self) -> int:
        """Steps of the sum for which a panel takes an eighth of the second cache."""
        return max(64, self.target.machine.l2.size // 8 // (self.width * self.task.type.bytes))

    def ahead(self, packed: tuple[int, ...], outer: tuple[str, ...]) -> tuple[tuple[int, str, int], ...]:
        """What is worth asking for while a tile or a panel is worked on, and how many iterations ahead.

        Panels that are used a few times only, and rows, come from far away before every use; tiles wait for the part of
        the result that they add to, but take so long that asking for the next one costs nothing.
        """
        task = self.task
        sizes = [self.whole(read) for read in task.reads]
        result = self.whole(task.result)
        row = self.row
        if row is None:
            return ()
        found: list[tuple[int, str, int]] = []
        l1, l2, l3 = (cache.size for cache in self.target.machine.caches)
        far, several = self.is_far(packed), task.extent(self.column) > self.width
        for n, (read, size) in enumerate(zip(task.reads, sizes, strict=True)):
            panels = n not in packed and several and read.contiguous(self.column) and not read.moves(row)
            walked = (self.width, 2) if panels and self.streams(size) else (self.rows, self.turned_levels[n])
            if walked[1] and (next_rows := self.rows_ahead(read, *walked)):
                found.append((n, *next_rows))
            elif task.fused:
                continue  # its kept loops are those of other statements, too
            elif panels and far and size > core.FAR_AWAY * l2:
                found.append((n, self.column, 1))
            if read.moves(row) and not read.moves(self.column) and 3 * size > l3:
                found.append((n, row, 1))
        if not task.fused and task.steps >= core.LONG_REDUCTION and result > l1 and self.streams(sum(sizes) + result):
            tile = {self.column: self.width, row: self.rows}
            loop = next((loop for loop in reversed(outer) if task.extent(loop) > tile.get(loop, 1)), None)
            found += [(RESULT, loop, 1)] if loop is not None else []
        return tuple(found)

    def rows_ahead(self, read: Footprint, width: int, level: int) -> tuple[str, int] | None:
        """The reduction that walks through rows of a panel, so many elements wide, and how many of them to be ahead:
        rows that lie apart are too short for the core to see where they lead.

        So many rows as the cache that they come from takes to answer, twice where it is near and lookups of pages take
        as long, but no more than half of what the first one holds of them.
        """
        loop = next((x for x in reversed(tuple(self.task.extents)) if x in self.task.reduced and read.moves(x)), None)
        if loop is None:
            return None
        machine = self.target.machine
        behind, lines = machine.levels[level], self._lines(read, 1, width)
        step = max(self.rows * self.vectors / machine.multiply_add.per_cycle, lines * behind.line_cycles)
        room = self._panel_sets(read, machine.l1) * machine.l1.ways // (2 * lines)
        distance = min(ceil((2 if level == 1 else 1) * behind.latency / step), room)
        return (loop, distance) if 0 < 2 * distance <= self.task.extent(loop) else None

    def streams(self, size: int) -> bool:
        """Whether so many bytes do not stay in the second cache from one use to the next."""
        return 2 * size > self.target.machine.l2.size

    def whole(self, read: Footprint) -> int:
        """Bytes of what all loops touch."""
        return self.footprint(read, self.task.known)

    def footprint(self, read: Footprint, extents: Mapping[str, int]) -> int:
        """Bytes that the loops touch together."""
        return self._places(read, extents) * read.bytes

    def _places(self, read: Footprint, extents: Mapping[str, int]) -> int:
        return prod(self._lengths(read, extents).values())

    def _lengths(self, read: Footprint, extents: Mapping[str, int]) -> dict[int, int]:
        """How many places the loops see, by stride; those that move the read by the same one overlap, as a window
        does."""
        lengths: dict[int, int] = {}
        for loop, stride in read.strides:
            if loop in extents:
                lengths[stride] = lengths.get(stride, 1) + extents[loop] - 1
        return lengths

    def copies(self) -> Iterator[tuple[int, ...]]:
        """Which reads are copied into panels: those that have to be, then also those that may gain by it."""
        moved = [(n, read) for n, read in enumerate(self.task.reads) if read.moves(self.column)]
        needed = tuple(n for n, read in moved if not read.contiguous(self.column))
        yield needed
        if gaining := tuple(n for n, _ in moved if n not in needed and self.may_gain(n)):
            yield tuple(sorted((*needed, *gaining)))

    def may_gain(self, number: int) -> bool:
        """Whether a copy of a read would lie closer together, and is used again."""
        task, read = self.task, self.task.reads[number]
        if not can_pack(task, read, self.column) or self.row is None or read.moves(self.row):
            return False
        strides = [read.stride(loop) for loop in task.reduced if read.moves(loop)]
        return bool(strides) and min(strides) > self.width and self.cache_levels[number][0] > 0


@cache
def _count_sets(every: int, line: int, width: int, steps: tuple[tuple[int, int], ...]) -> int:
    """Of so many sets, those that lines of rows fall into: bytes of a line and of a row; (bytes of a step, steps)."""
    found = {first % every for first in range(-(-width // line))}
    for stride, extent in steps:
        moved = {k * stride // line % every for k in range(min(extent, every * line // gcd(every * line, stride)))}
        found = {(one + other) % every for one in found for other in moved}
        if len(found) == every:
            break
    return len(found)


@lru_cache(1 << 14)
def even_block(extent: int, most: int) -> int:
    """Blocks as equal as can be, of at most so many: all of one size where up to a quarter more blocks are."""
    count = -(-extent // max(1, most))
    last = count + count // 4 + 1
    # Of a number of blocks that divides the extent, or of a block that does, what there are fewer of to try.
    if count <= extent // last:
        return -(-extent // next((n for n in range(count, last + 1) if extent % n == 0), count))
    sizes = range(extent // count, -(-extent // last) - 1, -1)
    return next((size for size in sizes if extent % size == 0), -(-extent // count))


def loads_well(task: Task, column: str) -> bool:
    """Whether every read can be had in vectors: contiguous, the same in all lanes, or from a packed copy."""
    return all(not r.moves(column) or r.contiguous(column) or can_pack(task, r, column) for r in task.reads)


def can_pack(task: Task, read: Footprint, column: str) -> bool:
    """Whether a copy in panels of the column is possible, and something comes back to it."""
    again = any(task.extent(x) > 1 and not read.moves(x) for x in task.kept)
    written = read.array == task.result.array or read.array in task.beside
    return not written and again and not read.bent and read.moves(column)
