"""Which shapes to try on a nest, the most promising first.

The families, after what hand-written kernels do:

* tile: rows x vectors of the result in registers, the reduction as the loop around them (Goto and van de Geijn,
  "Anatomy of High-Performance Matrix Multiplication", TOMS 2008);
* packed tile: the same over copies of its operands, see `packed_tiles`;
* sums: the vector loop along a reduction, partial sums in its lanes, where their order is free;
* rows: several rows at once as independent scalar chains, for reductions along the contiguous direction;
* turned: rows in lanes, a block of their columns at a time: loaded row by row and transposed in registers, which copies
  across rows are, too;
* columns: the vector loop outside, a few steps of the reduction inside, so that the result is stored once for them;
* lanes: the vector loop innermost, everything else as it stands;
* jam: lanes of a few rows at once, which share the loads of neighbouring elements;
* time: several sweeps over the same rows while they are in a near cache, the vector along whole rows (stencils; Wolf
  and Lam, "A Data Locality Optimizing Algorithm", PLDI 1991, for what may be tiled);
* block: all members tiled by one size, the vector innermost, statement by statement inside the tile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import TypeAlias

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access, Datum, Read, ScalarType
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine import core
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import FEWEST_TURNED, parted
from polyloop.backend.planning.packing import factors
from polyloop.backend.planning.vectors import block_columns
from polyloop.schedules.tree import Packing, is_bent, is_contiguous, is_invariant, step_of, strides
from polyloop.scop.affine_isl import ends_of, fix_parameters
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.nests import (
    Nest,
    Shape,
    count_strided,
    movement,
    reduction_members,
    reuse_members,
    shared_loads,
    vector_members,
)

U, V = LoopKind.UNROLLED, LoopKind.VECTOR

Named: TypeAlias = "tuple[str, Shape]"
Sizes: TypeAlias = "tuple[tuple[int, int], ...]"

APART = ", statement by statement"


def shapes(
    scop: Scop, nest: Nest, target: Target, is_legal: Callable[[Shape], bool], sizes: Mapping[str, int] | None = None
) -> Iterator[Named]:
    """(name, shape) of legal shapes, the most promising first, without repetitions.

    Args:
        target: its vectors are what tiles are made of; tiles that need more registers come last.
        is_legal: the proof for the tree with the nest in a shape.
        sizes: values of the parameters, if it is known for which it is to be fast: no vectors along what fills none.
    """
    seen: set[Shape] = set()
    for name, shape in _Families(scop, nest, target, is_legal, sizes or {}).all():
        if shape not in seen:
            seen.add(shape)
            if is_legal(shape):
                yield name, shape


@dataclass(frozen=True)
class _Families:
    scop: Scop
    nest: Nest
    target: Target
    is_legal: Callable[[Shape], bool]
    at: Mapping[str, int]

    @cached_property
    def lanes(self) -> int:
        """Elements of what the nest stores in one vector."""
        written = self.scop.statement(self.nest.statements[0]).target.array
        return self.target.lanes(self.scop.array(written).type)

    @cached_property
    def bits(self) -> int:
        """Of an element of what the nest stores."""
        return self.scop.array(self.scop.statement(self.nest.statements[0]).target.array).type.bits

    @cached_property
    def fixed(self) -> frozenset[int]:
        return reduction_members(self.scop, self.nest)

    @cached_property
    def several(self) -> bool:
        return len(self.nest.statements) > 1

    def all(self) -> Iterator[Named]:
        """Legal or not, some twice."""
        scop, nest, fixed, is_legal = self.scop, self.nest, self.fixed, self.is_legal
        if self.counted():
            yield "one behind the other", Shape(self.others(), ())
        if self.scanned():
            yield "running sums", Shape(self.others(), ())
        members = [v for v in vector_members(scop, nest, self.lanes) if not self.fills_none(v)]
        vectors = [v for v in members if is_legal(self.along(v)) or is_legal(self.along(v, True))][:2]
        strided = any(count_strided(scop, nest, v, self.lanes) for v in vectors[:1])
        for vector in vectors[:1]:
            if self.asks_outside(vector):
                yield from self.apart("lanes", self.along(vector))
            if is_sweep(scop, nest):
                yield from self.times(vector)
            for row in reuse_members(scop, nest, vector)[:1] if fixed else ():
                best = self.sizes(vector, row)[:1]
                # What strides cost shows at full size only, where few are measured: packed tiles come first.
                packed = packed_tiles(scop, nest, vector, row, fixed, self.target, self.packed_sizes(vector, row))
                plain = self.tiles(vector, row, best) if not strided else iter(())
                # A window's are neighbours already, and copies of it for each of its steps are many.
                window = self.slides(vector)
                yield from chain(islice(plain, int(window)), islice(packed, 2), islice(plain, 1), packed, plain)
            yield from self.kept(vector)
        if not vectors or strided:
            yield from self.sums()
            for vector in vectors[:1]:
                yield from self.turned(vector)
            yield from self.rows((8, 16))
        for vector in vectors[:1]:
            yield from self.columns(vector)
        for vector in vectors:
            yield from self.apart("lanes", self.along(vector))
        if not vectors or fixed:
            yield from self.rows((8, 16, 4))
        for vector in vectors:
            for row in reuse_members(scop, nest, vector)[:2]:
                if fixed:
                    yield from self.tiles(vector, row, self.sizes(vector, row))
                else:
                    yield from self.jammed(vector, row)
        for vector in vectors[:1]:
            yield from self.blocks(vector)

    def apart(self, name: str, shape: Shape) -> Iterator[Named]:
        """Several statements one by one first, then together."""
        if self.several:
            yield name + APART, replace(shape, distribute=True)
        yield name, shape

    def others(self, *members: int) -> tuple[tuple[int, int], ...]:
        """The other members, whole."""
        return tuple((k, 1) for k in range(len(self.nest.members)) if k not in members)

    def sizes(self, vector: int, row: int) -> Sizes:
        """`core.TILES`, those first that fit the registers.

        They hold the result, for every load that all rows share its vectors and one more for what becomes of them, and
        one for what the rows bring.
        """
        streams = max(shared_loads(self.scop, self.nest, vector, row).values(), default=0)

        def spills(size: tuple[int, int]) -> bool:
            rows, count = size
            return rows * count + (count + 1) * streams + 1 > self.target.vector_registers

        return tuple(sorted(core.TILES, key=spills))

    def packed_sizes(self, vector: int, row: int) -> Sizes:
        """The first of `sizes`, and those of `core.FULL_TILES` with as many results and fewer loads a step: where
        products are added by the same instruction, nothing becomes of the vectors that rows share."""
        rows, count = self.sizes(vector, row)[0]
        streams = max(shared_loads(self.scop, self.nest, vector, row).values(), default=0)

        def is_better(size: tuple[int, int]) -> bool:
            fits = rows * count + size[1] * streams + 1 <= self.target.vector_registers
            return fits and size[0] * size[1] == rows * count and sum(size) < rows + count

        full = filter(is_better, core.FULL_TILES) if self.target.has_fma else ()
        return ((rows, count), *full)

    def tiles(self, vector: int, row: int, sizes: Sizes) -> Iterator[Named]:
        around, inside = loops_around(self.nest, self.fixed, vector, row)
        panel = tuple((k, core.STEPS) for k, _ in inside)
        for rows, count in sizes:
            width = count * self.lanes
            orders = {
                "": (*around, (vector, width), (row, rows), *inside),
                ", rows outside": (*around, (row, rows), (vector, width), *inside),
                f", panels of {core.STEPS}": (*around, *panel, (vector, width), (row, rows), *inside),
            }
            for order, outer in orders.items():
                yield from self.apart(f"register tile {rows}x{width}{order}", Shape(outer, ((row, U), (vector, V))))

    def asks_outside(self, vector: int) -> bool:
        """Whether data that all lanes share say if anything is done: loop unswitching makes one branch of it."""
        for statement in map(self.scop.statement, self.nest.statements):
            row = self.nest.members[vector].row(statement.name)
            match statement.value:
                case e.Select(condition, _, e.Read(access)) if access == statement.target and len(row.terms) == 1:
                    shared, _ = parted(condition, str(row.terms[0][0]))
                    if shared is not None and any(isinstance(node, e.Read) for node in e.walk(shared)):
                        return True
        return False

    def fills_none(self, member: int) -> bool:
        """Whether a member has so few iterations, at the sizes that are known, that lanes along it are mostly idle."""
        statement = self.scop.statement(self.nest.statements[0])
        row = self.nest.members[member].row(statement.name)
        place = next((k for k, name in enumerate(statement.iterators) if row == affine(name)), None)
        if place is None or not self.at.keys() >= {*self.scop.parameters}:
            return False
        ends = ends_of(fix_parameters(statement.domain, self.at), place)
        return ends is not None and 2 * (ends[1] + 1 - ends[0]) <= self.lanes

    def slides(self, vector: int) -> bool:
        """Whether a reduction runs along the same direction of something that is read as lanes do, as a window does."""

        def moves(subscript: Affine, statement: Statement, members: Collection[int]) -> bool:
            rows = (self.nest.members[k].row(statement.name) for k in members)
            return any(not subscript.variables().isdisjoint(row.variables()) for row in rows)

        statements = [self.scop.statement(name) for name in self.nest.statements]
        rows = ((s, read.subscripts[-1]) for s in statements for read in s.reads if read.subscripts)
        return any(moves(row, s, (vector,)) and moves(row, s, self.fixed) for s, row in rows)

    def along(self, vector: int, distribute: bool = False) -> Shape:
        """Lanes along a member, the others as they stand."""
        return Shape(self.others(vector), ((vector, V),), distribute)

    def counted(self) -> bool:
        """Whether elements go where a counter under a condition says: the planner has lanes for loops as they stand."""
        statements = [self.scop.statement(name) for name in self.nest.statements]
        counters = {Datum(Read(s.target, s.value.type)) for s in statements if s.may_keep and not s.target.subscripts}
        return any(datum in counters for s in statements for a in (s.target, *s.reads) for datum in a.data)

    def scanned(self) -> bool:
        """Whether integers are summed up, and used on the way: the planner has lanes for loops as they stand."""
        statements = [self.scop.statement(name) for name in self.nest.statements]
        cells = {s.target: s for s in statements if s.target in s.reads and not s.target.subscripts}
        integers = [s for s in statements if not s.value.type.is_float]
        asks = any(cells.get(access, s) is not s for s in integers for access in s.reads)
        return asks or any(_is_before(access, s.target) for s in integers for access in s.reads)

    def sums(self) -> Iterator[Named]:
        """Along reductions over neighbouring elements; legal for integers, and where reassociation is allowed."""
        for member in sorted(self.fixed, reverse=True):
            if count_strided(self.scop, self.nest, member, self.lanes):
                continue
            yield "sums in lanes", self.along(member)
            for row, *more in [rows] if (rows := reuse_members(self.scop, self.nest, member)) else []:
                # Below the rows what else is summed over: their sums stay in registers all the while.
                free = [other for other in self.others(member) if other[0] not in self.fixed]
                summed = [other for other in self.others(member) if other[0] in self.fixed]

                def below(*rows: tuple[int, int], free: Sequence[tuple[int, int]] = free) -> Iterator[tuple[int, int]]:
                    yield from (other for other in free if other[0] not in dict(rows))
                    yield from rows

                shape = Shape((*below((row, core.SUMMED)), *summed), ((member, V), (row, U)))
                yield f"sums in lanes, {core.SUMMED} rows at once", shape
                for column in more[:1]:
                    for count, width in core.SUMMED_TILES:
                        if count * width + count + width <= self.target.vector_registers:
                            outer = (*below((column, width), (row, count)), *summed)
                            shape = Shape(outer, ((member, V), (row, U), (column, U)))
                            yield f"sums in lanes, {count} x {width} rows at once", shape

    def jammed(self, vector: int, row: int) -> Iterator[Named]:
        for rows in core.JAMMED:
            outer = tuple((k, rows if k == row else 1) for k, _ in self.others(vector))
            name = f"vectors of {rows} rows of loop {row + 1} at once"
            yield from self.apart(name, Shape(outer, ((vector, V), (row, U))))

    def times(self, vector: int) -> Iterator[Named]:
        others = [k for k, _ in self.others(vector)]
        if len(others) == 1:
            yield from self.along_time(others[0], vector)
        if len(others) not in core.TIMES:
            return
        sizes, first, between, row = core.TIMES[len(others)], others[0], others[1:-1], others[-1]
        words = APART if self.several else ""
        caches = self.target.machine
        steps = min(core.STEPS_AT_ONCE, _power_below(caches.l2.size // core.STEP_BYTES))
        around = ((first, steps), *((k, steps) for k in between))
        tiles = self.tiles_of_rows(others, sizes, vector)
        if between:  # whose few large loops compile in a fraction of the others' time
            yield next(tiles)
            yield from self.planes(first, between[0], row, vector)
        for rows, strips in core.AT_ONCE:
            columns = _power_below(caches.l1.size // strips) * 8 // self.bits if strips else 0
            if columns and between:
                continue
            within = ((row, rows), *(((vector, columns),) if columns else ()), (first, 1), *((k, 1) for k in between))
            name = f"{steps} steps of {rows} rows at once" + (f" in {columns} columns" if columns else "")
            shape = Shape((*around, *within), ((vector, V), (row, U)), self.several)
            yield (
                name + words,
                self.in_whole_vectors(shape, vector, first) if columns else self.straight(shape, vector, first),
            )
            if self.several and not between and (rows, strips) == core.AT_ONCE[0]:
                yield from self.together(steps, first, row, vector)
        yield from tiles

    def along_time(self, first: int, vector: int) -> Iterator[Named]:
        """Parts of a line that move through the steps of a tile behind one another."""
        for steps, strips in core.LINES:
            columns = _power_below(self.target.machine.l1.size // strips) * 8 // self.bits
            shape = Shape(((first, steps), (vector, columns), (first, 1)), ((vector, V),), self.several)
            name = f"{steps} steps in {columns} columns" + APART * self.several
            yield name, self.in_whole_vectors(shape, vector, first)

    def planes(self, first: int, plane: int, row: int, vector: int) -> Iterator[Named]:
        """Whole planes that move through a few steps behind one another: what a step has left of its neighbours is in
        a cache that does not hold the arrays."""
        for steps, planes in core.PLANES:
            points = ((vector, V), (plane, U))[:planes]
            shape = Shape(((first, steps), (plane, planes), (first, 1), (row, 1)), points, self.several)
            name = f"{steps} steps of planes" + (f", {planes} at once" if planes > 1 else "")
            yield name + APART * self.several, shape

    def tiles_of_rows(self, others: Sequence[int], sizes: Sequence[int], vector: int) -> Iterator[Named]:
        """Tiles over time and all members outside of the vector, which goes along whole rows of them."""
        name = f"tiles of {' x '.join(map(str, sizes))} with whole rows"
        row = others[-1]
        for rows in (1,) if len(others) == 2 else (1, 2):
            outer = (*zip(others, sizes, strict=True), *((k, rows if k == row else 1) for k in others))
            words = (f", {rows} at once" if rows > 1 else "") + APART * self.several
            yield name + words, Shape(outer, ((vector, V), (row, U))[:rows], self.several)

    def together(self, steps: int, first: int, row: int, vector: int) -> Iterator[Named]:
        """Statement by statement within a vector of a few rows, so that what one leaves stays in registers. Whole rows
        need not move along with the steps: where their vectors begin at the same columns in all of them, those of
        aligned rows are aligned, which crosses no cache lines."""
        found: list[Named] = []
        for rows in core.TOGETHER:
            name = f"{steps} steps of {rows} rows at once, vector by vector"
            outer = ((first, steps), (row, rows), (first, 1), (vector, self.lanes))
            shape = Shape(outer, ((row, U), (vector, V)), True)
            found.append((name, self.straight(shape, vector, first)))
        yield from found
        shifts = self.whole_vectors(vector)
        if shifts:
            name, shape = found[0]
            yield f"{name}, whole vectors apart", replace(shape, shifts=shifts)

    def straight(self, shape: Shape, vector: int, first: int) -> Shape:
        """The shape with rows that do not move along with the steps, where that is legal."""
        slope = self.slope(vector, first)
        straight = replace(shape, skews=((vector, first, -slope),)) if slope else shape
        return straight if self.is_legal(straight) else shape

    def in_whole_vectors(self, shape: Shape, vector: int, first: int) -> Shape:
        """The shape whose rows, of whole lines, move along with the steps by whole vectors, where that is legal: each
        of these begins where vectors of the array do."""
        extents = [self.scop.array(self.scop.statement(s).target.array).shape for s in self.nest.statements]
        slope = self.slope(vector, first)
        if not slope or not all(_is_multiple(shape[-1], self.lanes) for shape in extents if len(shape) > 1):
            return shape
        shifts = self.whole_vectors(vector)
        whole = replace(shape, skews=((vector, first, slope * (self.lanes - 1)),), shifts=shifts)
        return whole if self.is_legal(whole) else shape

    def whole_vectors(self, vector: int) -> tuple[tuple[int, str, int], ...]:
        """What sets statements apart by whole vectors, no nearer to the first one than they were: then those of all
        begin where lines do, if those of one do, and most of what one needs of the others is what an iteration before
        has left, unmoved."""
        found: list[tuple[int, str, int]] = []
        least = 0
        for name in self.nest.statements:
            subscripts = self.scop.statement(name).target.subscripts
            apart = self.nest.members[vector].row(name).constant - subscripts[-1].constant if subscripts else 0
            shift = least + (-apart - least) % self.lanes
            if not found:
                least = shift
            found.append((vector, name, shift))
        return tuple(entry for entry in found if entry[-1])

    def slope(self, member: int, by: int) -> int:
        """How often a member's rows have another one's in them; 0 where statements differ in that."""
        rows = ((self.nest.members[member].row(name), self.nest.members[by].row(name)) for name in self.nest.statements)
        slopes = {along.coefficient(v) // row.coefficient(v) for along, row in rows for v in row.variables()}
        return slopes.pop() if len(slopes) == 1 else 0

    def turned(self, vector: int) -> Iterator[Named]:
        """For sums along rows that have to stay in order, and for what is stored across the rows that are loaded."""
        loads = [load for move in movement(self.scop, self.nest, vector) for load in move.loads if load]
        if self.lanes < FEWEST_TURNED or not any(any(load) and load[-1] == 0 for load in loads):
            return
        if not self.fixed:
            yield from self.transposed(vector)
        for reduction in sorted(self.fixed, reverse=True):
            if not self.loads_along(reduction):
                continue
            before, inside = loops_around(self.nest, self.fixed - {reduction}, vector, reduction)
            columns = block_columns(self.lanes)[0]
            chains = turned_vectors(self.target, self.lanes)
            # Fewer rows are fewer streams of memory: from afar, half of them take less time than those that hide all.
            for count in dict.fromkeys((chains, 2 * chains, max(chains // 2, 1))):
                shape = Shape(
                    (*before, (vector, count * self.lanes), *inside, (reduction, columns)),
                    ((reduction, U), (vector, V)),
                )
                yield f"{count * self.lanes} rows in lanes, {columns} columns at a time", shape

    def loads_along(self, member: int) -> bool:
        """Whether something is loaded, element by element, along a member."""
        return any(is_contiguous(load) for move in movement(self.scop, self.nest, member) for load in move.loads)

    def transposed(self, vector: int) -> Iterator[Named]:
        """Square blocks of the registers' size, one after the other, and in larger blocks that near caches hold."""
        for row in reversed(range(len(self.nest.members))):
            if row == vector or not self.loads_along(row):
                continue
            before, _ = loops_around(self.nest, self.fixed, vector, row)
            side = min(self.lanes, self.target.vector_registers // 2)  # as many rows, and what becomes of them
            tile, points = ((vector, side), (row, side)), ((row, U), (vector, V))
            size = max(core.BLOCK, 2 * side)
            for words, around in (("", ()), (f" in blocks of {size}", ((vector, size), (row, size)))):
                yield f"blocks of {side} x {side} transposed{words}", Shape((*before, *around, *tile), points)

    def kept(self, vector: int) -> Iterator[Named]:
        """Where nothing has two dimensions: as many vectors of results as hide the latency of their sums, all through.
        A matrix is better read row by row."""
        accesses = [a for name in self.nest.statements for a in self.scop.statement(name).reads]
        if not self.fixed or len(self.nest.members) != 2 or any(len(a.subscripts) > 1 for a in accesses):
            return
        around, inside = loops_around(self.nest, self.fixed, vector)
        for count in core.KEPT:
            outer = (*around, (vector, count * self.lanes), *inside)
            yield f"{count} vectors through the reduction", Shape(outer, ((vector, V),))

    def columns(self, vector: int) -> Iterator[Named]:
        for reduction in sorted(self.fixed, reverse=True):
            for size in (8, 4):
                shape = Shape((*self.others(vector, reduction), (reduction, size)), ((vector, V), (reduction, U)))
                yield f"vectors over {size} steps of the reduction", shape

    def rows(self, sizes: tuple[int, ...]) -> Iterator[Named]:
        """Rows that hide each other's latency come first; others only share loads. Divisions want more of them, to
        fill vectors."""
        dependent: list[Named] = []
        if any(map(_divides, map(self.scop.statement, self.nest.statements))):
            sizes = tuple(dict.fromkeys((16, *sizes)))
        for row in reuse_members(self.scop, self.nest, None)[:2]:
            before = tuple(each for each in self.others(row) if each[0] < row and each[0] not in self.fixed)
            inside = tuple(each for each in self.others(row) if each not in before)
            for skews in self.lags(row):
                skewed = "skewed " if skews else ""
                independent = self.is_legal(Shape((*before, (row, sizes[0]), *inside), ((row, V),), False, skews))
                lanes = core.WAVEFRONTS if skews and self.lanes >= FEWEST_TURNED else ()
                for size in dict.fromkeys((*lanes, *sizes)):
                    shape = Shape((*before, (row, size), *inside), ((row, U),), False, skews)
                    found = [*self.apart(f"{size} {skewed}rows at once", shape)][::-1]
                    if independent:
                        yield from found
                    elif not skews:
                        dependent += found
        yield from dependent

    def lags(self, row: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
        """Rows that depend on their neighbour may become independent when each lags behind it."""
        yield ()
        if row + 1 < len(self.nest.members) and not self.fixed:
            yield ((len(self.nest.members) - 1, row, 1),)

    def blocks(self, vector: int) -> Iterator[Named]:
        if len(self.nest.members) < 2:
            return
        size = core.BLOCK
        outer = (*((k, size * 8 if k == vector else size) for k, _ in self.others()), *self.others(vector))
        yield from self.apart(f"tiles of {size}", Shape(outer, ((vector, V),)))


def is_sweep(scop: Scop, nest: Nest) -> bool:
    """Whether the nest comes back to the same elements, and not by a reduction: also to one of several arrays that
    take turns, u[t % 2]."""
    statements = [scop.statement(name) for name in nest.statements]
    widest = max(sum(not is_bent(x, s.iterators) for x in s.target.subscripts) for s in statements)
    return len(nest.members) > max(widest, 1) and not reduction_members(scop, nest)


def turned_vectors(target: Target, lanes: int) -> int:
    """Vectors of rows whose sums, in lanes over columns that shuffles make, hide each other's latency: one column of
    one vector takes a shuffle for each power of two between a pair of lanes and all of them."""
    machine = target.machine
    cycles = max(1, (lanes // 2).bit_length() - 1) / machine.shuffle.per_cycle
    return max(1, min(math.ceil(machine.multiply_add.latency / cycles), target.vector_registers // 4))


def _is_before(access: Access, target: Access) -> bool:
    """Whether it is the element in front of another one."""
    if access.array != target.array or access.data or not target.subscripts:
        return False
    *outer, inner = target.subscripts
    return access.subscripts == (*outer, inner - 1)


def _power_below(number: int) -> int:
    """The largest power of two that is not larger; 1 at least."""
    return 1 << (max(number, 1).bit_length() - 1)


def _divides(statement: Statement) -> bool:
    return any(
        isinstance(x, e.Binary) and x.operator == "/" and x.type.is_float and not isinstance(x.right, e.Literal)
        for x in e.walk(statement.value)
    )


_MOST = 4
"""Copies that one nest gets: more operands would need more streams than registers."""


@dataclass(frozen=True)
class Operands:
    """What can be packed, with panels still to be sized.

    Attributes:
        columns: reads that move along the vector and are the same for all rows.
        rows: reads that move along the rows and are the same for the whole vector.
        others: whether some read along the vector has to be gathered even so.
    """

    columns: tuple[Packing, ...]
    rows: tuple[Packing, ...]
    gathers: bool


def operands(scop: Scop, nest: Nest, vector: int, row: int) -> Operands:
    """What the statements of a nest read in its tiles of `row` x `vector` that can be packed."""
    columns: list[Packing] = []
    rows: list[Packing] = []
    gathers = False
    for statement in map(scop.statement, nest.statements):
        across, downward = _step(statement, nest, vector), _step(statement, nest, row)
        if across is None or downward is None or not any(across) or not any(downward):
            continue
        known = _usable_factors(scop, statement)
        for access in dict.fromkeys(statement.reads):
            along, down = (strides(access, statement.iterators, step) for step in (across, downward))
            if access == statement.target or len(access.subscripts) < 2 or access.data:
                continue
            new = Packing(statement.name, str(access), (), 0, known.get(access, ""))
            if is_invariant(down) and not is_invariant(along):
                dimension = _one_step(along)
                if dimension is not None:
                    columns.append(replace(new, order=_panels(access, dimension)))
                    continue
            elif is_invariant(along) and not is_invariant(down):
                dimension = _one_step(down)
                if dimension is not None:
                    rows.append(replace(new, order=_panels(access, dimension)))
            gathers |= not is_invariant(along) and not is_contiguous(along)
    return Operands(tuple(columns), tuple(rows), gathers)


def packed_tiles(
    scop: Scop, nest: Nest, vector: int, row: int, fixed: frozenset[int], target: Target, sizes: Sizes
) -> Iterator[Named]:
    """Register tiles over packed operands, in the orders of loops that are worth a try, the most promising first.

        for (i, j, k):  C[i][j] += alpha * A[i][k] * B[k][j]
        ->  for kt:  { A_pack[i/8][k][i%8] = alpha * A[i][k];
                       for jt:  { B_pack[k][j%24] = B[k][j];   for it:  for k in kt:  8 rows x 24 columns } }

    What moves along the vector and stays for all rows of a tile is copied in panels of the tile's width, what moves
    along the rows and stays along the vector in panels of its rows: both are then read as one stream, whatever strides
    they had. Products by a scalar that the statement computes first are computed while copying.

    Args:
        sizes: of tiles; those behind the first get the most promising order alone.
    """
    found = operands(scop, nest, vector, row)
    if found.gathers or not found.columns or len(found.columns) + len(found.rows) > _MOST:
        return
    packed = [_PackedTile(scop, nest, vector, row, fixed, target, found, *size) for size in sizes]
    for tile in packed:
        for steps in tile.lengths():
            yield tile.rows_between(steps)
    for tile in packed[:1]:
        yield from tile.others(core.STEPS)
        yield tile.rows_between(0)
        yield from tile.others(0)


@dataclass(frozen=True)
class _PackedTile:
    """`rows` x `vectors` of results over copies of what is `found`. Steps are those of blocks of the reduction, 0 for
    all of it."""

    scop: Scop
    nest: Nest
    vector: int
    row: int
    fixed: frozenset[int]
    target: Target
    found: Operands
    rows: int
    vectors: int

    @property
    def element(self) -> ScalarType:
        """Of what the nest stores."""
        return self.scop.array(self.scop.statement(self.nest.statements[0]).target.array).type

    @property
    def width(self) -> int:
        return self.vectors * self.target.lanes(self.element)

    @property
    def columns(self) -> list[Packing]:
        return [replace(packing, panel=self.width) for packing in self.found.columns]

    @property
    def streams(self) -> list[Packing]:
        return [replace(packing, panel=self.rows) for packing in self.found.rows]

    def lengths(self) -> tuple[int, ...]:
        """Steps of blocks: `core.STEPS`, and so many that what a tile reads of both operands stays in the first cache
        until the next tile reads one of them again: else its rows come from the second one, too."""
        step = (self.width * len(self.columns) + self.rows * len(self.streams)) * self.element.bytes
        near = int(core.NEAR * self.target.machine.l1.size) // step // core.BLOCK * core.BLOCK
        return tuple(dict.fromkeys((core.STEPS, *([near] if near >= core.LEAST_BLOCK else []))))

    def rows_between(self, steps: int) -> Named:
        """Rows copied for a block of columns, whose panels take half of the second cache."""
        panel = (steps or core.STEPS) * self.width * self.element.bytes * len(self.columns)
        block = max(core.FEWEST_COLUMNS, self.target.machine.l2.size // 2 // panel) * self.width
        name, head = self._begun(steps)
        shape = self._shape((*head, (self.vector, block), (self.row, self.rows), (self.vector, self.width)))
        first = len(head)
        packings = _at(first + 1, self.columns) + _at(first + 2, self.streams)
        return f"{name}, rows in between", replace(shape, packings=packings)

    def others(self, steps: int) -> Iterator[Named]:
        """Copies of all columns with blocks of rows, of all rows with one panel of columns, and of columns alone."""
        name, head = self._begun(steps)
        first, columns, streams = len(head), self.columns, self.streams
        block = (self.row, core.ROWS * self.rows)
        if streams:
            deep = self._shape((*head, block, (self.vector, self.width), (self.row, self.rows)))
            yield f"{name}, blocks of rows", replace(deep, packings=_at(first, columns) + _at(first + 1, streams))
        whole = self._shape((*head, (self.vector, self.width), (self.row, self.rows)))
        yield name, replace(whole, packings=_at(first, streams) + _at(first + 1, columns))
        if streams and not any(packing.factor for packing in streams):
            yield f"{name}, columns only", replace(whole, packings=_at(first + 1, columns))

    def _begun(self, steps: int) -> tuple[str, Sizes]:
        """The name, and the loops outside."""
        around, inside = loops_around(self.nest, self.fixed, self.vector, self.row)
        blocks = tuple((k, steps) for k, _ in inside[:1] if steps)
        words = f", panels of {steps}" if steps else ""
        return f"packed register tile {self.rows}x{self.width}{words}", (*around, *blocks)

    def _shape(self, tiles: Sizes) -> Shape:
        """A shape whose innermost tile loop asks the caches for the next tile's results while it sums up its own."""
        _, inside = loops_around(self.nest, self.fixed, self.vector, self.row)
        written = dict.fromkeys(self.scop.statement(name).target.array for name in self.nest.statements)
        prefetches = tuple((len(tiles) - 1, array) for array in written)
        return Shape((*tiles, *inside), ((self.row, U), (self.vector, V)), prefetches=prefetches)


def loops_around(nest: Nest, fixed: frozenset[int], *tile: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Members around the tile loops, and the reductions that stand inside of them, whole."""
    others = [(k, 1) for k in range(len(nest.members)) if k not in tile]
    return tuple(each for each in others if each[0] not in fixed), tuple(each for each in others if each[0] in fixed)


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


def _is_multiple(extent: Affine | None, of: int) -> bool:
    """Whether an extent is one of so many elements, whatever its parameters are."""
    return extent is not None and not extent.constant % of and not any(c % of for _, c in extent.terms)
