"""A genetic algorithm on whole walks. Illegal children do not exist: where an action of a parent is not legal in the
child, another one is drawn.

References:
    Ganser, Größlinger, Siegmund, Apel and Lengauer, "Iterative schedule optimization for parallelization in the
    polyhedron model", TACO 2017 (Polyite), for schedules; crossing them dimension by dimension is in
    `polyloop.search.schedule.crossing`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from polyloop.search.objective import State
from polyloop.search.run import Run, Walk

Actions: TypeAlias = "tuple[int, ...]"
Crossing: TypeAlias = Callable[[Actions, Actions, np.random.Generator], Actions]


def one_point(first: Actions, second: Actions, random: np.random.Generator) -> Actions:
    """The beginning of one walk and the end of another, cut at the same place."""
    cut = int(random.integers(min(len(first), len(second)) + 1))
    return (*first[:cut], *second[cut:])


@dataclass(frozen=True)
class Genetic:
    """Generation after generation, until the budget ends.

    Attributes:
        population: walks of a generation, at least 2.
        elite: the best of a generation, which stay.
        tournament: of so many drawn walks the best becomes a parent.
        crossed: share of the children that have two parents; the others have one.
        changes: actions of a child that are changed, on average.
        crossing: makes the actions of a child of those of two parents.
    """

    population: int = 16
    elite: int = 3
    tournament: int = 3
    crossed: float = 0.6
    changes: float = 1.5
    crossing: Crossing = one_point
    name: str = "genetic"

    def explore(self, run: Run[State]) -> None:
        walks = [run.play(run.start()) for _ in range(self.population)]
        while True:
            walks.sort(key=lambda walk: -walk.value)
            children = [self._child(run, walks) for _ in range(self.population - self.elite)]
            walks = [*walks[: self.elite], *children]

    def _child(self, run: Run[State], walks: list[Walk[State]]) -> Walk[State]:
        actions = self._parent(run, walks)
        if run.random.random() < self.crossed:
            actions = self.crossing(actions, self._parent(run, walks), run.random)
        share = self.changes / max(len(actions), 1)
        changed = np.flatnonzero(run.random.random(len(actions)) < share)
        return run.play(run.start(), actions, frozenset(changed.tolist()))

    def _parent(self, run: Run[State], walks: list[Walk[State]]) -> Actions:
        # The walks are sorted: the smallest index is the best.
        return walks[int(run.random.integers(len(walks), size=self.tournament).min())].end.actions
