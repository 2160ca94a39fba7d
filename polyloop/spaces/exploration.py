"""The exploration process: one point of every dimension's polyhedron, coefficient by coefficient.

For each dimension in order, and in it for each generator in canonical order (vertices before directions), an action is
the generator's coefficient, 0 to N. A single vertex has the coefficient 1 and takes no action; several are normalised
by their sum, and the last of them must not be 0 if all before it were.

References:
    Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from polyloop.mdp import IllegalActionError
from polyloop.polyhedra.integer_matrix import Row
from polyloop.schedules.rows import Schedule, decode
from polyloop.spaces.space import Dimension, ScheduleSpace


@dataclass(frozen=True)
class ExplorationState:
    """The coefficients chosen so far, of all dimensions one after the other."""

    coefficients: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.coefficients)) or "no coefficient yet"


@dataclass(frozen=True)
class Exploration:
    """The process over the dimensions of one construction.

    Attributes:
        construction: c_1..c_m, the dimension from 1 that carries each dependence of the space.
        max_coefficient: N.
    """

    space: ScheduleSpace
    construction: tuple[int, ...]
    max_coefficient: int = 2

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The polyhedra.

        Raises:
            ScheduleSpaceError: if the construction leaves a dimension empty.
        """
        return self.space.construct(self.construction)

    @cached_property
    def terms(self) -> tuple[int, ...]:
        """How many coefficients each dimension takes."""
        return tuple(dimension.terms for dimension in self.dimensions)

    @cached_property
    def length(self) -> int:
        """How many steps an episode has."""
        return sum(self.terms)

    @cached_property
    def _last_vertices(self) -> dict[int, int]:
        """Position of the last vertex's coefficient -> position of the first's, where a dimension has several."""
        result, start = {}, 0
        for dimension, terms in zip(self.dimensions, self.terms, strict=True):
            count = len(dimension.generators.vertices)
            if count > 1:
                result[start + count - 1] = start
            start += terms
        return result

    def initial(self) -> ExplorationState:
        return ExplorationState()

    def actions(self, state: ExplorationState) -> tuple[bool, ...]:
        """Of the coefficients 0..N."""
        if self.final(state):
            return (False,) * (self.max_coefficient + 1)
        return (not self._needs_nonzero(state), *(True,) * self.max_coefficient)

    def obstacle(self, state: ExplorationState, action: int) -> str | None:
        """Why an action is not legal, None if it is."""
        if self.final(state):
            return "all coefficients are chosen"
        if not 0 <= action <= self.max_coefficient:
            return f"coefficients go from 0 to {self.max_coefficient}"
        if action == 0 and self._needs_nonzero(state):
            return "the coefficients of all vertices would be zero"
        return None

    def step(self, state: ExplorationState, action: int) -> ExplorationState:
        obstacle = self.obstacle(state, action)
        if obstacle is not None:
            raise IllegalActionError(f"coefficient {action} at position {len(state.coefficients)}: {obstacle}")
        return ExplorationState((*state.coefficients, int(action)))

    def final(self, state: ExplorationState) -> bool:
        return len(state.coefficients) == self.length

    def vectors(self, state: ExplorationState, divide_by_gcd: bool = True) -> tuple[Row, ...]:
        """The point of every dimension that a final state has chosen; see `polyloop.schedules.rows.decode`."""
        result, start = [], 0
        for dimension, terms in zip(self.dimensions, self.terms, strict=True):
            chosen = state.coefficients[start : start + terms]
            result.append(decode(dimension.generators, chosen, divide_by_gcd))
            start += terms
        return tuple(result)

    def schedule(self, state: ExplorationState, divide_by_gcd: bool = True) -> Schedule:
        """The schedule that a final state has chosen."""
        return self.space.schedule(self.vectors(state, divide_by_gcd))

    def _needs_nonzero(self, state: ExplorationState) -> bool:
        position = len(state.coefficients)
        first = self._last_vertices.get(position)
        return first is not None and not any(state.coefficients[first:])
