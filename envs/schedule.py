"""Schedule-v0: construction and exploration in one episode."""

from __future__ import annotations

from typing import Any

from polyloop.envs.argument_checks import check_arguments, check_least
from polyloop.envs.construct import ConstructEnv
from polyloop.envs.problems import Task
from polyloop.envs.scheduling_env import SchedulingEnv
from polyloop.envs.scheduling_view import EXPLORATION_GRAPH, SCHEDULING_SIZE
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.scheduling import Scheduling, SchedulingState


class ScheduleEnv(SchedulingEnv[SchedulingState]):
    """Both phases for one agent: first decide which dimension carries which dependence, then choose coefficients.

    ## Action Space
    `Discrete(3 + max_coefficient + 1)`: 0 to 2 are the actions of `ConstructEnv`, 3 + n is the coefficient n of
    `ExploreEnv`. Masks as in `ConstructEnv`.

    ## Observation Space
    `Box(-1, 1, (1 + CONSTRUCTION_SIZE + EXPLORATION_SIZE,), float32)`: first 0 for the construction, 1 for the
    exploration, then the features of both (see `polyloop.envs.observations`); those of an exploration that
    has not begun are 0. The same for every kernel. Graphs as in `ConstructEnv`; what an exploration adds to them is
    there from its beginning.

    ## Starting State
    That of `ConstructEnv`.

    ## Rewards
    0 until the end, then the reward of the schedule; an action that the mask forbids costs more than the worst
    (see `ConstructEnv`).

    ## Episode End
    Terminated when all coefficients are chosen, and by an action that the mask forbids. Never truncated.

    ## Information
    `state`: ((d, k, c_1..c_m), coefficients so far); `action_mask`; `terms`, `anchored` and `capped` from
    the end of the construction on. At the end as in `ConstructEnv`.

    ## Arguments
    Those of `ConstructEnv`, and `max_coefficient=2`.

    References:
        Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021;
        there the two phases are two agents.
    """

    graph_size = EXPLORATION_GRAPH
    _stops = False
    """Whether there is an action stop, and states count their steps."""

    def __init__(
        self,
        kernel: str = "gemm",
        *,
        max_coefficient: int = 2,
        max_dimensions: int = 10,
        max_empty: int = 2,
        **arguments: Any,
    ) -> None:
        check_arguments(ScheduleEnv.__init__, locals())
        check_least(1, max_coefficient=max_coefficient, max_dimensions=max_dimensions)
        check_least(0, max_empty=max_empty)
        self._max_coefficient, self._max_dimensions, self._max_empty = max_coefficient, max_dimensions, max_empty
        self.action_names = (
            *ConstructEnv.action_names,
            *map(str, range(max_coefficient + 1)),
            *(("stop",) if self._stops else ()),
        )
        super().__init__(kernel, **arguments)

    def _size(self) -> int:
        return SCHEDULING_SIZE

    def _process_of(self, task: Task) -> Scheduling:
        construction = Construction(task.space, self._max_dimensions, self._max_empty)
        self._scheduling = Scheduling(construction, self._max_coefficient, self._stops, self._stops)
        return self._scheduling

    def _state_info(self, state: SchedulingState) -> tuple[Any, ...]:
        return state.construction.as_tuple(), () if state.exploration is None else state.exploration.coefficients

    def _explored(self, state: SchedulingState) -> Exploration | None:
        return None if state.exploration is None else self._scheduling.exploration(state.construction)
