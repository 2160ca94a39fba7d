"""Schedule-v0: construction and exploration in one episode."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyloop.construction import Construction
from polyloop.envs.base import Process, ProcessEnv
from polyloop.envs.construct import ConstructEnv
from polyloop.envs.graph_views import EXPLORATION_GRAPH, ExplorationGraphView, construction_graph
from polyloop.envs.observations import CONSTRUCTION_SIZE, EXPLORATION_SIZE, ConstructionView, ExplorationView, Vector
from polyloop.envs.problems import Task
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.schedule import Schedule
from polyloop.scheduling import Scheduling, SchedulingState


class ScheduleEnv(ProcessEnv[SchedulingState]):
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
    0 until the end, then the reward of the schedule; -1 for an action that the mask forbids.

    ## Episode End
    Terminated when all coefficients are chosen, and by an action that the mask forbids. Never truncated.

    ## Information
    `state`: ((d, k, c_1..c_m), coefficients so far); `action_mask`; `terms` from the end of the construction on. At the
    end as in `ConstructEnv`.

    ## Arguments
    Those of `ConstructEnv`, and `max_coefficient=2`.

    References:
        Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021;
        there the two phases are two agents.
    """

    graph_size = EXPLORATION_GRAPH

    def __init__(
        self,
        kernel: str = "gemm",
        *,
        max_coefficient: int = 2,
        max_dimensions: int = 10,
        max_empty: int = 2,
        **arguments: Any,
    ) -> None:
        self._max_coefficient, self._max_dimensions, self._max_empty = max_coefficient, max_dimensions, max_empty
        self.action_names = (*ConstructEnv.action_names, *map(str, range(max_coefficient + 1)))
        self._explored: tuple[tuple[int, ...], ExplorationView] | None = None
        self._graphs: tuple[tuple[int, ...], ExplorationGraphView] | None = None
        super().__init__(kernel, **arguments)

    def _size(self) -> int:
        return 1 + CONSTRUCTION_SIZE + EXPLORATION_SIZE

    def _process_of(self, task: Task) -> Process[SchedulingState]:
        construction = Construction(task.space, self._max_dimensions, self._max_empty)
        self._view, self._explored, self._graphs = ConstructionView(construction), None, None
        self._scheduling = Scheduling(construction, self._max_coefficient)
        return self._scheduling

    def _vector(self, state: SchedulingState) -> Vector:
        result = np.zeros(self._size(), np.float32)
        result[1 : 1 + CONSTRUCTION_SIZE] = self._view.vector(state.construction)
        if state.exploration is not None:
            result[0] = 1
            result[1 + CONSTRUCTION_SIZE :] = self._exploration_view(state).vector(state.exploration)
        return result

    def _graph(self, state: SchedulingState) -> ProgramGraph:
        graphs = self._task.graphs
        if state.exploration is None:
            return construction_graph(graphs, self._scheduling.construction, state.construction)
        carried = state.construction.carried
        if self._graphs is None or self._graphs[0] != carried:
            self._graphs = carried, ExplorationGraphView(graphs, self._scheduling.exploration(state.construction))
        return self._graphs[1].graph(state.exploration)

    def _exploration_view(self, state: SchedulingState) -> ExplorationView:
        carried = state.construction.carried
        if self._explored is None or self._explored[0] != carried:
            self._explored = carried, ExplorationView(self._scheduling.exploration(state.construction))
        return self._explored[1]

    def _state_info(self, state: SchedulingState) -> tuple[Any, ...]:
        return state.construction.as_tuple(), () if state.exploration is None else state.exploration.coefficients

    def _terms(self, state: SchedulingState) -> tuple[int, ...] | None:
        return None if state.exploration is None else self._scheduling.exploration(state.construction).terms

    def _schedule(self, state: SchedulingState) -> Schedule:
        return self._scheduling.schedule(state)
