"""The scripted tuner of LoopStack, for rectangular nests: no walk, a list of nests to try.

1. Register tiles of every size that fits, times blocks of the longest reduction; those first that
   `polyloop.cursor.model` expects to be fastest on this machine.
2. Of the best nest, permute five neighbouring loops in every way; from the innermost five outwards.

References:
    Wasti et al., "LoopStack", arXiv 2205.00618. Its third step injects copies of operands. Nests know none; the
    default schedule has them where they pay, and `polyloop.search.cursor.searches` lets it compete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, permutations
from typing import Any

from polyloop.backend.default.tiles import tiles
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import layout_of, nest_of
from polyloop.cursor.model import nest_model
from polyloop.cursor.nest import Loops, Nest
from polyloop.cursor.process import NestState
from polyloop.search.run import Place, Run

WINDOW = 5
"""Neighbouring loops that are permuted at once."""


@dataclass(frozen=True)
class Scripted:
    """The tuner for one problem; its places are numbered in the order in which they are tried, as no actions lead
    there."""

    problem: Contraction = field(compare=False, repr=False)
    target: Target = field(default_factory=host_target, compare=False, repr=False)
    name: str = "scripted"

    def explore(self, run: Run[Any]) -> None:
        numbers = count(1)
        best, nest = run.value(run.start()), run.start().state.program

        def best_of(candidates: Iterable[Nest]) -> None:
            nonlocal best, nest
            # The model's order: what a short budget has time for is what promises most.
            for candidate in sorted(candidates, key=self._expected):
                value = run.value(Place(NestState(candidate), (next(numbers),)))
                if value > best:
                    best, nest = value, candidate

        best_of(self.tiles())
        for start in range(max(len(nest.compute) - WINDOW, 0), -1, -1):
            best_of(windows(self.problem, nest, start))

    def _expected(self, nest: Nest) -> float:
        """Seconds by the model of the machine that it is tuned for."""
        return nest_model(self.target.machine).seconds(self.problem, nest)

    def first(self) -> NestState | None:
        """What it would try first; None where there are no tiles."""
        best = min(self.tiles(), key=self._expected, default=None)
        return None if best is None else NestState(best)

    def tiles(self) -> Iterator[Nest]:
        """The nests of step 1."""
        for tile in tiles(self.problem.task, self.target):
            for choice in tile.without_copies():
                layout = layout_of(self.problem, choice)
                if layout is not None:
                    yield nest_of(self.problem, layout)


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
