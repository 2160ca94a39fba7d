"""Schedules of permutable loops, drawn at random: every outer dimension is weak for all dependences.

Such dimensions are the hyperplanes of one tilable band, whatever their order. The rays of the cone of all weak vectors
are few and simple; a dimension is one of them, the smaller the likelier, or the sum of two, for each component of
statements, as long as it adds to the rank of some statement. What no drawn dimension carries is carried behind them,
as early as possible.

References:
    Bondhugula, Hartono, Ramanujam and Sadayappan, "A practical automatic polyhedral parallelizer and locality
    optimizer", PLDI 2008: the same cone; there an integer program chooses from it, here chance does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyloop.polyhedra.integer_matrix import Row, independent, inner, matrix
from polyloop.schedules.rows import Schedule, decode
from polyloop.spaces.space import ScheduleSpace

_TRIES = 8
_SINGLE = 0.75
"""How often a dimension is one ray."""


@dataclass(frozen=True)
class Permutable:
    """Draws schedules of a space at statement granularity.

    Attributes:
        components: the statements, in groups that run one after the other; an order that keeps all dependences.
    """

    space: ScheduleSpace
    components: tuple[tuple[str, ...], ...]

    def draw(self, random: np.random.Generator) -> Schedule:
        """One schedule; it is legal."""
        vectors = [self._order] if len(self.components) > 1 else []
        spans: dict[str, list[Row]] = {name: [] for name in self.space.layout.statements}
        for _ in range(max(map(len, self.space.layout.iterators), default=0)):
            parts = [self._hyperplane(candidates, spans, random) for candidates in self._candidates]
            vector = tuple(map(sum, zip(*parts, strict=True)))
            for name, row in zip(self.space.layout.statements, self.space.layout.rows(vector), strict=True):
                spans[name].append(row)
            vectors.append(vector)
        vectors += self._rest(vectors)
        return self.space.schedule(vectors)

    @cached_property
    def _component(self) -> dict[str, int]:
        return {name: k for k, group in enumerate(self.components) for name in group}

    @cached_property
    def _inside(self) -> int:
        """The dependences within components."""
        component = self._component
        pairs = ((component[d.source], component[d.target]) for d in self.space.dependences)
        return sum(1 << k for k, (source, target) in enumerate(pairs) if source == target)

    @cached_property
    def _order(self) -> Row:
        layout = self.space.layout
        widths = [len(iterators) + len(layout.parameters) for iterators in layout.iterators]
        rows = [(*(0,) * width, self._component[name]) for name, width in zip(layout.statements, widths, strict=True)]
        vector = layout.vector(rows)
        assert vector is not None
        return vector

    @cached_property
    def _candidates(self) -> list[list[Row]]:
        """By component the rays that move its statements, and no others."""
        found: list[list[Row]] = [[] for _ in self.components]
        for ray in self.space.dimension(self._inside, 0).generators.directions:
            moved = {self._component[name] for name, depth, row in self._parts(ray) if any(row[:depth])}
            if len(moved) == 1:
                found[moved.pop()].append(ray)
        return found

    def _parts(self, vector: Row) -> list[tuple[str, int, Row]]:
        """(statement, its number of iterators, its row)."""
        layout = self.space.layout
        return [
            (name, len(iterators), row)
            for name, iterators, row in zip(layout.statements, layout.iterators, layout.rows(vector), strict=True)
        ]

    def _hyperplane(self, candidates: Sequence[Row], spans: dict[str, list[Row]], random: np.random.Generator) -> Row:
        nothing = (0,) * self.space.layout.dimension
        for _ in range(_TRIES if candidates else 0):
            count = 1 if random.random() < _SINGLE else 2
            weights = np.array([1 / sum(map(abs, candidate)) ** 2 for candidate in candidates])
            places = random.choice(len(candidates), size=count, p=weights / weights.sum())
            chosen = [candidates[int(k)] for k in places]
            vector = tuple(map(sum, zip(*chosen, strict=True)))
            if any(_adds(spans[name], row, depth) for name, depth, row in self._parts(vector)):
                return vector
        return nothing

    def _rest(self, vectors: Sequence[Row]) -> list[Row]:
        """Dimensions that carry what these do not."""
        left, result = self._inside, []
        for vector in vectors:
            left &= ~self._carried(vector)
        for members in self.space.greedy(left):
            dimension = self.space.dimension(left, members)
            result.append(decode(dimension.generators, dimension.simplest))
            left &= ~members
        return result

    def _carried(self, vector: Row) -> int:
        column = matrix([vector], self.space.layout.dimension)
        return sum(
            1 << k for k, system in enumerate(self.space.systems) if bool((inner(system.positive, column) > 0).all())
        )


def _adds(span: Sequence[Row], row: Row, depth: int) -> bool:
    """Whether a row is independent of others, parameters and constant apart."""
    return independent((*span, row), depth)[-1:] == [len(span)]
