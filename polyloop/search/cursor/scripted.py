"""The scripted tuner of LoopStack, for rectangular nests: no walk, a list of nests to try.

1. Register tiles of every size that fits, times blocks of the longest reduction; those first that
   `polyloop.cursor.model` expects to be fastest.
2. Of the best nest, permute five neighbouring loops in every way; from the innermost five outwards.

References:
    Wasti et al., "LoopStack", arXiv 2205.00618. Its third step injects copies of operands. Nests know none; the
    default schedule has them where they pay, and `polyloop.search.cursor.searches` lets it compete.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, permutations
from typing import Any

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import nest_of
from polyloop.cursor.model import model_seconds
from polyloop.cursor.nest import Loops, Nest
from polyloop.cursor.process import NestState
from polyloop.search.run import Place, Run

WINDOW = 5
"""Neighbouring loops that are permuted at once."""

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
VECTORS = (1, 2, 3, 4, 5, 6, 7, 8)
"""Register tiles."""

BLOCKS = (None, 128, 64, 256)
"""Of the longest reduction."""


@dataclass(frozen=True)
class Scripted:
    """The tuner for one problem; its places are numbered in the order in which they are tried, as no actions lead
    there."""

    problem: Contraction = field(compare=False, repr=False)
    target: Target = field(default_factory=host_target, compare=False, repr=False)
    name: str = "scripted"

    def explore(self, run: Run[Any]) -> None:
        """See `polyloop.search.run.Method`."""
        numbers = count(1)
        best, nest = run.value(run.start()), run.start().state.nest
        # The model's order: what a short budget has time for is what promises most.
        for candidate in sorted(self.tiles(), key=lambda nest: model_seconds(self.problem, nest)):
            value = run.value(Place(NestState(candidate), (next(numbers),)))
            if value > best:
                best, nest = value, candidate
        for start in range(max(len(nest.compute) - WINDOW, 0), -1, -1):
            others = windows(self.problem, nest, start)
            for candidate in sorted(others, key=lambda nest: model_seconds(self.problem, nest)):
                value = run.value(Place(NestState(candidate), (next(numbers),)))
                if value > best:
                    best, nest = value, candidate

    def tiles(self) -> Iterator[Nest]:
        """The nests of step 1."""
        problem, target = self.problem, self.target
        lanes = target.lanes(problem.scop.array(problem.result.array).type)
        kept = [name for name, _ in problem.extents if name not in problem.reduced]
        columns = [name for name in kept if problem.result.by_variable.get(name) == 1]
        column = columns[-1] if columns else problem.extents[-1][0]
        rows = [name for name in kept if name != column and problem.sizes[name] > 1]
        row = max(rows, key=lambda name: problem.sizes[name]) if rows else None
        longest = max(problem.reduced, key=lambda name: problem.sizes[name], default=None)
        for block in BLOCKS:
            if block is not None and (longest is None or block >= problem.sizes[longest]):
                continue
            for height in ROWS if row is not None else (1,):
                for vectors in VECTORS:
                    if height * vectors <= target.vector_registers - 4:
                        yield self._tiled(column, vectors * lanes, row, height, longest, block)

    def _tiled(
        self, column: str, width: int, row: str | None, height: int, longest: str | None, block: int | None
    ) -> Nest:
        problem = self.problem
        others = [n for n, _ in problem.extents if n not in problem.reduced and n not in (row, column)]
        reduced = [n for n, _ in problem.extents if n in problem.reduced]
        loops: list[tuple[str, int | None]] = [(longest, None)] if longest is not None and block is not None else []
        loops += [(name, None) for name in others]
        tall = row is not None and 1 < height < problem.sizes[row]
        wide = width < problem.sizes[column]
        loops += [(column, None)] if wide else []
        loops += [(row, None)] if row is not None and (tall or height == 1) else []
        loops += [(name, block if name == longest else None) for name in reduced if name != column]
        loops += [(row, height if tall else None)] if row is not None and height > 1 else []
        loops += [(column, width if wide else None)]
        return nest_of(problem, loops)


def windows(problem: Contraction, nest: Nest, start: int) -> Iterator[Nest]:
    """The nests with the loops from `start` on, five at most, in another order; loops of one variable keep theirs."""
    window = nest.compute[start : start + WINDOW]
    for order in permutations(range(len(window))):
        loops = tuple(window[k] for k in order)
        if loops != window and _same_order(window, order):
            compute = (*nest.compute[:start], *loops, *nest.compute[start + WINDOW :])
            yield Nest(compute, tuple(loop for loop in compute if loop.variable not in problem.reduced))


def _same_order(window: Loops, order: tuple[int, ...]) -> bool:
    """Whether blocks stay outside of their points."""
    last: dict[str, int] = {}
    for k in order:
        if last.get(window[k].variable, -1) > k:
            return False
        last[window[k].variable] = k
    return True
