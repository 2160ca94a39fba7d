"""The whole way to a schedule as one process: first the construction, then the exploration of what it made.

Actions 0 to 2 are the construction's, action 3 + n is the coefficient n of the exploration. Behind them there may be an
action stop, which leaves the rest to a fixed, cheap completion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

from polyloop.mdp import IllegalActionError
from polyloop.schedules.rows import Schedule
from polyloop.spaces.construction import Construction, ConstructionAction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState

FIRST_COEFFICIENT = len(ConstructionAction)


@dataclass(frozen=True)
class SchedulingState:
    """The construction, and the coefficients chosen since it was finished; None before.

    Attributes:
        steps: taken so far, where the process counts them.
    """

    construction: ConstructionState
    exploration: ExplorationState | None = None
    steps: int = 0

    def __str__(self) -> str:
        return f"{self.construction}" if self.exploration is None else f"{self.construction} {self.exploration}"


@dataclass(frozen=True)
class Scheduling:
    """Both phases in one episode.

    Attributes:
        construction: the first phase.
        max_coefficient: of the second.
        stop: there is an action that ends the episode: what is not carried yet is carried as early as possible, and of
            the coefficients that are not chosen all are 0, or as `simplest_point` has them where none is.
        counted: states say how many steps were taken.
    """

    construction: Construction
    max_coefficient: int = 2
    stop: bool = False
    counted: bool = False
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
        stop = (not self.final(state),) if self.stop else ()
        if state.exploration is None:
            return (*self.construction.actions(state.construction), *(False,) * (self.max_coefficient + 1), *stop)
        explore = self.exploration(state.construction)
        return (*(False,) * FIRST_COEFFICIENT, *explore.actions(state.exploration), *stop)

    def obstacle(self, state: SchedulingState, action: int) -> str | None:
        """Why an action is not legal, None if it is."""
        if not 0 <= action <= self._last:
            return f"there is no action {action}"
        if self._stops(action):
            return "all coefficients are chosen" if self.final(state) else None
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
        obstacle = self.obstacle(state, action)
        if obstacle is not None:
            raise IllegalActionError(f"action {action} in state {state}: {obstacle}")
        steps = state.steps + self.counted
        if self._stops(action):
            return replace(self.completed(state), steps=steps)
        if state.exploration is not None:
            chosen = self.exploration(state.construction).step(state.exploration, action - FIRST_COEFFICIENT)
            return SchedulingState(state.construction, chosen, steps)
        reached = self.construction.step(state.construction, action)
        return SchedulingState(reached, ExplorationState() if self.construction.final(reached) else None, steps)

    def completed(self, state: SchedulingState) -> SchedulingState:
        """The final state that the action stop leads to."""
        construction = state.construction
        if state.exploration is None:
            carried = self.construction.completed(construction) if construction.carried else ()
            construction = replace(construction, carried=carried, finished=not carried)
        explore, chosen = self.exploration(construction), state.exploration or ExplorationState()
        if not chosen.coefficients:
            return SchedulingState(construction, simplest_point(explore))
        while not explore.final(chosen):
            chosen = explore.step(chosen, explore.actions(chosen).index(True))
        return SchedulingState(construction, chosen)

    @property
    def _last(self) -> int:
        return FIRST_COEFFICIENT + self.max_coefficient + self.stop

    def _stops(self, action: int) -> bool:
        return self.stop and action == self._last

    def final(self, state: SchedulingState) -> bool:
        if state.exploration is None:
            return False
        return self.exploration(state.construction).final(state.exploration)

    def schedule(self, state: SchedulingState) -> Schedule:
        """The schedule that a final state has chosen."""
        assert state.exploration is not None
        return self.exploration(state.construction).schedule(state.exploration)


Phase: TypeAlias = Construction | Exploration | Scheduling
"""What makes a schedule: one phase, beside which the other is fixed, or both."""


def schedule_of(process: Phase, state: Any) -> Schedule:
    """The schedule of a final state; that of a construction has the simplest point of every dimension."""
    if not isinstance(process, Construction):
        return process.schedule(state)
    exploration = Exploration(process.space, state.carried)
    return exploration.schedule(simplest_point(exploration))


def simplest_point(exploration: Exploration) -> ExplorationState:
    """The coefficients of a fixed, cheap completion: in every dimension its simplest point."""
    return ExplorationState(tuple(chain.from_iterable(dimension.simplest for dimension in exploration.dimensions)))
