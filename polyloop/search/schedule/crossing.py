"""Two schedules crossed dimension by dimension: the first dimensions of one, then those of the other.

The child carries in its first dimensions what the first parent does, and in those behind them what is left, in
the order of the second parent. That is always possible: fewer dependences are left than where the second parent carried
them. Coefficients go with their generators; those that the child's polyhedron does not have are dropped.

References:
    Ganser, Größlinger, Siegmund, Apel and Lengauer, "Iterative schedule optimization for parallelization in the
    polyhedron model", TACO 2017: schedules are crossed by dimensions, and mutated by their generators' coefficients.
    There a child's remaining dimensions are sampled until it is legal; here it is legal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from polyloop.polyhedra.generators import Generators, Point
from polyloop.search.methods.genetic import Actions
from polyloop.search.schedule.heuristics import schedule_actions
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.scheduling import Scheduling, SchedulingState

Chosen: TypeAlias = "dict[tuple[bool, Point], int]"
"""(whether it is a vertex, the generator) -> its coefficient."""


@dataclass(frozen=True)
class DimensionCrossing:
    """For `polyloop.search.methods.genetic.Genetic`, on the process of both phases."""

    process: Scheduling

    def __call__(self, first: Actions, second: Actions, random: np.random.Generator) -> Actions:
        mother, father = (reduce(self.process.step, parent, self.process.initial()) for parent in (first, second))
        before, behind = mother.construction.carried, father.construction.carried
        cut = int(random.integers(max(before, default=1) + 1))
        carried, origin = _joined(before, behind, cut)
        space = self.process.construction.space
        if max(carried, default=1) > self.process.construction.max_dimensions:
            return first
        parents = self._chosen(mother), self._chosen(father)
        coefficients: list[int] = []
        for dimension, (parent, place) in zip(space.construct(carried), origin, strict=True):
            chosen = parents[parent][place]
            coefficients += [chosen.get(generator, 0) for generator in _generators(dimension.generators)]
        return schedule_actions(self.process, carried, tuple(coefficients))

    def _chosen(self, state: SchedulingState) -> list[Chosen]:
        """By dimension what coefficients the generators have."""
        assert state.exploration is not None
        exploration = Exploration(self.process.construction.space, state.construction.carried)
        coefficients = iter(state.exploration.coefficients)
        return [
            {generator: next(coefficients) for generator in _generators(dimension.generators)}
            for dimension in exploration.dimensions
        ]


def _joined(first: tuple[int, ...], second: tuple[int, ...], cut: int) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """What the child's dimensions carry, and of which parent's dimension (from 0) each is."""
    left = sorted({second[k] for k, dimension in enumerate(first) if dimension > cut})
    place = {dimension: cut + k for k, dimension in enumerate(left, 1)}
    carried = tuple(a if a <= cut else place[b] for a, b in zip(first, second, strict=True))
    origin = [(0, k) for k in range(cut)] + [(1, dimension - 1) for dimension in left]
    # Without dependences, and where one parent gives all, there is one dimension at least.
    return carried, origin[: max(carried, default=1)] or [(1, 0)]


def _generators(generators: Generators) -> list[tuple[bool, Point]]:
    """Those that take a coefficient, in their order."""
    vertices = generators.vertices if len(generators.vertices) > 1 else ()
    return [*((True, vertex) for vertex in vertices), *((False, direction) for direction in generators.directions)]
