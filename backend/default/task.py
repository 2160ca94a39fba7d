"""A tensor nest as the model of default schedules sees it, and the schedule that it chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from polyloop.backend.ir.expressions import ScalarType
from polyloop.backend.machine import core

RESULT = -1
"""Stands for the result among positions of reads."""

UNKNOWN_EXTENT = 512
"""What a size is taken for that is known only when the kernel runs."""


@dataclass(frozen=True)
class Footprint:
    """How one access moves through memory.

    Attributes:
        array: the array's name.
        strides: (loop, elements by which one step of it moves the access), zeros left out.
        bytes: of an element.
        bent: loops whose steps are not constant.
    """

    array: str
    strides: tuple[tuple[str, int], ...]
    bytes: int
    bent: frozenset[str] = frozenset()

    @cached_property
    def by_variable(self) -> Mapping[str, int]:
        return dict(self.strides)

    @cached_property
    def by_stride(self) -> tuple[tuple[int, str], ...]:
        """(length of a stride, loop), the shortest first."""
        return tuple(sorted((abs(stride), name) for name, stride in self.strides))

    def stride(self, loop: str | None) -> int:
        """0 where the loop does not move the access, or not by constant steps."""
        return self.by_variable.get(loop, 0) if loop is not None else 0

    def moves(self, loop: str) -> bool:
        return loop in self.by_variable or loop in self.bent

    def contiguous(self, loop: str) -> bool:
        return self.stride(loop) == 1


@dataclass(frozen=True)
class Task:
    """A nest.

    Attributes:
        extents: of all loops, in the order that the nest gives; None where unknown.
        reduced: loops that do not move the result.
        result: where it is stored; reads: everything else that is read.
        type: the result's elements.
        lanes: loops whose iterations may run at once (reductions among them, where their order is free).
        beside: what statements write that share its tile before or after the reduction, which then stays whole.
    """

    extents: Mapping[str, int | None]
    reduced: frozenset[str]
    result: Footprint
    reads: tuple[Footprint, ...]
    type: ScalarType
    lanes: frozenset[str]
    beside: frozenset[str] = frozenset()

    @property
    def fused(self) -> bool:
        return bool(self.beside)

    def extent(self, loop: str) -> int:
        return self.known[loop]

    @cached_property
    def known(self) -> Mapping[str, int]:
        """What extents are taken for."""
        return {loop: UNKNOWN_EXTENT if extent is None else extent for loop, extent in self.extents.items()}

    @cached_property
    def kept(self) -> tuple[str, ...]:
        return tuple(loop for loop in self.extents if loop not in self.reduced)

    @cached_property
    def is_short(self) -> bool:
        """Whether several reductions together are so short that their steps become straight-line code (windows)."""
        known = all(self.extents[loop] is not None for loop in self.reduced)
        return known and len(self.reduced) > 1 and self.steps <= core.WINDOW

    @cached_property
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
        batch: kept loops outside of everything, which move all copies.
        blocks: (loop, size): blocks of a reduction, inside the batch loops.
        outer: the remaining kept loops in order; those of `tiled` and the column stand for their tiles.
        packed: positions of reads of which a panel of `width` is copied inside of the column's tile loop.
        ahead: (position of a read or RESULT, loop, distance): what the loop touches of it so many iterations later is
            fetched meanwhile.
        unrolled: reductions that become straight-line code, with the tile.
        sums: the other reductions, outermost first, where the column is one.
        rows: positions of reads that are copied in panels of a tile's rows, in blocks of `height` rows, inside of the
            blocks of reductions; what `packed` says is copied for all columns then, in panels of `width`.
        height: rows in such a block; 0 without.
        cycles: what the model expects.
    """

    column: str | None
    width: int
    tiled: tuple[tuple[str, int], ...]
    batch: tuple[str, ...] = ()
    blocks: tuple[tuple[str, int], ...] = ()
    outer: tuple[str, ...] = ()
    packed: tuple[int, ...] = ()
    ahead: tuple[tuple[int, str, int], ...] = ()
    unrolled: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    height: int = 0
    cycles: float = field(default=0.0, compare=False)

    @property
    def plain(self) -> bool:
        """Whether the loops stay as they are, the column in lanes if there is one."""
        return self.width == 0
