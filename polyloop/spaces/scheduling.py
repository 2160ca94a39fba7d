"""The whole way to a schedule as one process: first the construction, then the exploration of what it made.

Actions 0 to 2 are the construction's, action 3 + n is the coefficient n of the exploration.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloop.mdp import IllegalActionError
from polyloop.schedules.rows import Schedule
from polyloop.spaces.construction import Construction, ConstructionAction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState

FIRST_COEFFICIENT = len(ConstructionAction)


@dataclass(frozen=True)
class SchedulingState:
    """The construction, and the coefficients chosen since it was finished; None before."""

    construction: ConstructionState
    exploration: ExplorationState | None = None

    def __str__(self) -> str:
        return f"{self.construction}" if self.exploration is None else f"{self.construction} {self.exploration}"


@dataclass(frozen=True)
class Scheduling:
    """Both phases in one episode.

    Attributes:
        construction: the first phase.
        max_coefficient: of the second.
    """

    construction: Construction
    max_coefficient: int = 2
    _explorations: dict[tuple[int, ...], Exploration] = field(default_factory=dict, compare=False, repr=False)

    def exploration(self, construction: ConstructionState) -> Exploration:
        """The second phase behind a finished first one."""
        carried = construction.carried
        if carried not in self._explorations:
            # Episodes rarely share a construction twice in a row's length: the newest one is all that is worth keeping.
            self._explorations.clear()
            self._explorations[carried] = Exploration(self.construction.space, carried, self.max_coefficient)
        return self._explorations[carried]

    def initial(self) -> SchedulingState:
        return SchedulingState(self.construction.initial())

    def actions(self, state: SchedulingState) -> tuple[bool, ...]:
        """Of the construction's actions, then of the coefficients 0..N."""
        if state.exploration is None:
            return (*self.construction.actions(state.construction), *(False,) * (self.max_coefficient + 1))
        explore = self.exploration(state.construction)
        return (*(False,) * FIRST_COEFFICIENT, *explore.actions(state.exploration))

    def obstacle(self, state: SchedulingState, action: int) -> str | None:
        """Why an action is not legal, None if it is."""
        if not 0 <= action <= FIRST_COEFFICIENT + self.max_coefficient:
            return f"there is no action {action}"
        if state.exploration is None:
            if action >= FIRST_COEFFICIENT:
                return "the construction is not finished: there is no coefficient to choose yet"
            return self.construction.obstacle(state.construction, action)
        if self.final(state):
            return "all coefficients are chosen"
        if action < FIRST_COEFFICIENT:
            return "the construction is finished: coefficients are chosen now"
        return self.exploration(state.construction).obstacle(state.exploration, action - FIRST_COEFFICIENT)

    def step(self, state: SchedulingState, action: int) -> SchedulingState:
        """See `polyloop.mdp.DecisionProcess`."""
        obstacle = self.obstacle(state, action)
        if obstacle is not None:
            raise IllegalActionError(f"action {action} in state {state}: {obstacle}")
        if state.exploration is not None:
            explore = self.exploration(state.construction)
            return SchedulingState(state.construction, explore.step(state.exploration, action - FIRST_COEFFICIENT))
        reached = self.construction.step(state.construction, action)
        return SchedulingState(reached, ExplorationState() if self.construction.final(reached) else None)

    def final(self, state: SchedulingState) -> bool:
        if state.exploration is None:
            return False
        return self.exploration(state.construction).final(state.exploration)

    def schedule(self, state: SchedulingState) -> Schedule:
        """The schedule that a final state has chosen."""
        assert state.exploration is not None
        return self.exploration(state.construction).schedule(state.exploration)


def simplest_point(exploration: Exploration) -> ExplorationState:
    """The coefficients of a fixed, cheap completion: in every dimension the vertex whose absolute coordinates add up to
    the least (of equals the first), and no ray or line."""
    coefficients: list[int] = []
    for dimension in exploration.dimensions:
        vertices = dimension.generators.vertices
        chosen = [0] * dimension.terms
        if len(vertices) > 1:
            chosen[min(range(len(vertices)), key=lambda k: sum(abs(float(x)) for x in vertices[k]))] = 1
        coefficients += chosen
    return ExplorationState(tuple(coefficients))
