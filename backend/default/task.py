"""A tensor nest as the model of default schedules sees it, and the schedule that it chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from polyloop.backend.ir.expressions import ScalarType

RESULT = -1
"""Stands for the result among positions of reads."""

UNKNOWN_EXTENT = 512
"""What a size is taken for that is known only when the kernel runs."""

_SHORT_REDUCTION = 32  # steps up to which a reduction becomes straight-line code


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
    def is_short(self) -> bool:
        """Whether several reductions together are so short that their steps become straight-line code (windows)."""
        known = all(self.extents[loop] is not None for loop in self.reduced)
        return known and len(self.reduced) > 1 and self.steps <= _SHORT_REDUCTION

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
        blocks: (loop, size): blocks of a reduction, inside the batch loops.
        outer: the remaining kept loops in order; those of `tiled` and the column stand for their tiles.
        packed: positions of reads of which a panel of `width` is copied inside of the column's tile loop.
        ahead: (position of a read or RESULT, loop): what the loop's next iteration touches of it is fetched meanwhile.
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
    ahead: tuple[tuple[int, str], ...] = ()
    unrolled: tuple[str, ...] = ()
    parallel: str | None = None
    cycles: float = field(default=0.0, compare=False)

    @property
    def plain(self) -> bool:
        """Whether the loops stay as they are, the column in lanes if there is one."""
        return self.width == 0
