"""The construction process: which dimension of a schedule carries which dependence.

A state is (d, k, c_1..c_m): the current dimension, the current dependence, and for every dependence the dimension that
carries it, 0 for none yet; all counted from 1. Actions are the same for every Scop: on to the next dimension, on to
the next dependence that is not carried, carry the current one here.

References:
    Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021. The
    caps on dimensions, and the mask that keeps every episode able to end within them, are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from polyloop.mdp import IllegalActionError
from polyloop.spaces.space import Dimension, ScheduleSpace, ScheduleSpaceError, members_of


class ConstructionAction(IntEnum):
    """The three moves of schedule space construction."""

    NEXT_DIMENSION = 0
    NEXT_DEPENDENCE = 1
    SELECT_DEPENDENCE = 2


@dataclass(frozen=True)
class ConstructionState:
    """(d, k, c_1..c_m); `finished` is for a Scop without dependences, whose first step ends the episode."""

    dimension: int
    dependence: int
    carried: tuple[int, ...]
    finished: bool = False

    def as_tuple(self) -> tuple[int, ...]:
        return (self.dimension, self.dependence, *self.carried)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.as_tuple()))})"


@dataclass(frozen=True)
class Construction:
    """The process over one space.

    Attributes:
        max_dimensions: dimensions that a schedule may have.
        max_empty: dimensions in a row that carry nothing.
    Raises:
        ScheduleSpaceError: if no schedule has so few dimensions.
    """

    space: ScheduleSpace
    max_dimensions: int = 10
    max_empty: int = 2

    def __post_init__(self) -> None:
        needed = len(self.space.greedy())
        if needed > self.max_dimensions:
            raise ScheduleSpaceError(f"this Scop's schedules need {needed} dimensions, more than {self.max_dimensions}")

    def initial(self) -> ConstructionState:
        return ConstructionState(1, 1, (0,) * len(self.space.dependences))

    def actions(self, state: ConstructionState) -> tuple[bool, bool, bool]:
        """Of next_dim, next_dep, select_dep; a dependence is selectable only if the dimension's polyhedron stays
        non-empty jointly with all that it carries already."""
        if self.final(state):
            return (False, False, False)
        if not state.carried:
            return (True, True, True)
        return tuple(self.obstacle(state, action) is None for action in ConstructionAction)  # type: ignore[return-value]

    def obstacle(self, state: ConstructionState, action: int) -> str | None:
        """Why an action is not legal, None if it is."""
        if self.final(state):
            return "the construction is finished"
        if not state.carried:
            return None
        match action:
            case ConstructionAction.NEXT_DIMENSION:
                return self._next_dimension_obstacle(state)
            case ConstructionAction.NEXT_DEPENDENCE:
                return "no other dependence is left" if next_dependence(state) == state.dependence else None
            case ConstructionAction.SELECT_DEPENDENCE:
                return self._select_obstacle(state)
            case _:
                return f"there is no action {action}"

    def step(self, state: ConstructionState, action: int) -> ConstructionState:
        obstacle = self.obstacle(state, action)
        if obstacle is not None:
            raise IllegalActionError(f"action {action} in state {state}: {obstacle}")
        d, k, carried = state.dimension, state.dependence, state.carried
        if not carried:
            return ConstructionState(d, k, carried, finished=True)
        match action:
            case ConstructionAction.NEXT_DIMENSION:
                return ConstructionState(d + 1, k, carried)
            case ConstructionAction.NEXT_DEPENDENCE:
                return ConstructionState(d, next_dependence(state), carried)
            case _:
                return ConstructionState(d, k, (*carried[: k - 1], d, *carried[k:]))

    def final(self, state: ConstructionState) -> bool:
        return state.finished or (bool(state.carried) and all(state.carried))

    def dimensions(self, state: ConstructionState) -> tuple[Dimension, ...]:
        """The polyhedra of a final state."""
        return self.space.construct(state.carried)

    def completed(self, state: ConstructionState) -> tuple[int, ...]:
        """c_1..c_m with everything that is left carried as early as possible, from the current dimension on."""
        carried = list(state.carried)
        before, here = self._sets(state)
        left = before & ~here
        possible = self.space.carriable(before) & left
        for offset, members in enumerate((possible, *self.space.greedy(left & ~possible))):
            for k in members_of(members):
                carried[k] = state.dimension + offset
        return tuple(carried)

    def carriable(self, state: ConstructionState) -> int:
        """The set of what no dimension carries yet and the current one could."""
        return self.space.carriable(self._sets(state)[0]) & self._left(state)

    def _sets(self, state: ConstructionState) -> tuple[int, int]:
        """What no dimension before the current one carries, and what the current one carries."""
        here = sum(1 << k for k, c in enumerate(state.carried) if c == state.dimension)
        return self._left(state) | here, here

    def may_go_on(self, dimension: int, latest: int, left: int) -> bool:
        """Whether next_dim is legal.

        Args:
            latest: the last dimension that carries something, 0 if none does.
            left: the set of what is not carried.
        """
        return dimension - latest <= self.max_empty and self._fits(dimension, left)

    def _fits(self, dimension: int, left: int) -> bool:
        further = self.max_dimensions - dimension
        # Fewer dependences never need more dimensions: far from the cap there is nothing to find out.
        return len(self.space.greedy()) <= further or self.space.completes_within(left, further)

    def _next_dimension_obstacle(self, state: ConstructionState) -> str | None:
        if state.dimension - max(state.carried) > self.max_empty:
            return f"{self.max_empty} dimensions in a row carry nothing"
        if not self._fits(state.dimension, self._left(state)):
            return f"what is left does not fit into {self.max_dimensions} dimensions from here on"
        return None

    def _left(self, state: ConstructionState) -> int:
        return sum(1 << k for k, c in enumerate(state.carried) if c == 0)

    def _select_obstacle(self, state: ConstructionState) -> str | None:
        k = state.dependence
        if state.carried[k - 1]:
            return f"dimension {state.carried[k - 1]} carries dependence {k} already"
        if not self.space.carriable(self._sets(state)[0]) >> (k - 1) & 1:
            return f"dimension {state.dimension} cannot carry dependence {k}"
        return None


def next_dependence(state: ConstructionState) -> int:
    """The smallest index behind the current one that is not carried; if none, the smallest at all."""
    left = [k for k, c in enumerate(state.carried, start=1) if c == 0]
    return next((k for k in left if k > state.dependence), left[0])
