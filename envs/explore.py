"""Explore-v0: one point of every dimension's polyhedron."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polyloop.envs.argument_checks import check_arguments, check_least
from polyloop.envs.observations import EXPLORATION_SIZE
from polyloop.envs.problems import Task
from polyloop.envs.scheduling_env import SchedulingEnv
from polyloop.envs.scheduling_view import EXPLORATION_GRAPH
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration, ExplorationState


class ExploreEnv(SchedulingEnv[ExplorationState]):
    """Choose the coefficients of the generators, dimension by dimension.

    ## Action Space
    `Discrete(max_coefficient + 1)`: the coefficient of the current generator. Masks as in `ConstructEnv`: 0 is
    forbidden for the last of several vertices if all before it got 0.

    ## Observation Space
    `Box(-1, 1, (EXPLORATION_SIZE,), float32)`, feature by feature in `polyloop.envs.observations`; the same for every
    kernel. Graphs as in `ConstructEnv`.

    ## Starting State
    No coefficient is chosen.

    ## Rewards
    0 until the end, then the reward of the schedule; an action that the mask forbids costs more than the worst
    (see `ConstructEnv`).

    ## Episode End
    Terminated when all coefficients are chosen (`sum(info["terms"])` steps), and by an action that the mask forbids.
    Never truncated.

    ## Information
    `state`: the coefficients so far; per dimension `terms`: how many there are to choose, `anchored` and `capped` (see
    `ConstructEnv`); `action_mask`. At the end as in `ConstructEnv`.

    ## Arguments
    Those of `ConstructEnv` without `max_empty`, and

    - `construction=None`: c_1..c_m, the dimension from 1 that carries each dependence; by default each is carried as
      early as can be.
    - `max_coefficient=2`.

    References:
        Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021.
    """

    graph_size = EXPLORATION_GRAPH

    def __init__(
        self,
        kernel: str = "gemm",
        *,
        construction: Sequence[int] | None = None,
        max_coefficient: int = 2,
        max_dimensions: int = 10,
        **arguments: Any,
    ) -> None:
        check_arguments(ExploreEnv.__init__, locals())
        check_least(1, max_coefficient=max_coefficient, max_dimensions=max_dimensions)
        self._given = tuple(construction) if construction is not None else None
        self._max_coefficient, self._max_dimensions = max_coefficient, max_dimensions
        self.action_names = tuple(map(str, range(max_coefficient + 1)))
        super().__init__(kernel, **arguments)

    def _size(self) -> int:
        return EXPLORATION_SIZE

    def _process_of(self, task: Task) -> Exploration:
        carried = self._given
        if carried is None:
            process = Construction(task.space, self._max_dimensions)
            carried = process.completed(process.initial())
        self._exploration = Exploration(task.space, carried, self._max_coefficient)
        return self._exploration

    def _state_info(self, state: ExplorationState) -> tuple[Any, ...]:
        return state.coefficients

    def _explored(self, state: ExplorationState) -> Exploration | None:
        return self._exploration
