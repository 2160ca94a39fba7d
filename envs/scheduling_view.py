"""What the states of a whole scheduling process look like: as features, and as graphs."""

from __future__ import annotations

import numpy as np

from polyloop.envs.graph_views import ExplorationGraphView, construction_graph
from polyloop.envs.observations import CONSTRUCTION_SIZE, EXPLORATION_SIZE, ConstructionView, ExplorationView, Vector
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.spaces import SpaceGraphs
from polyloop.spaces.scheduling import Scheduling, SchedulingState

SCHEDULING_SIZE = 1 + CONSTRUCTION_SIZE + EXPLORATION_SIZE


class SchedulingView:
    """Makes the observations of one process; what belongs to an exploration is kept while that lasts."""

    def __init__(self, process: Scheduling) -> None:
        self._process = process
        self._construction = ConstructionView(process.construction)
        self._explored: tuple[tuple[int, ...], ExplorationView] | None = None
        self._drawn: tuple[tuple[int, ...], ExplorationGraphView] | None = None

    def vector(self, state: SchedulingState) -> Vector:
        """0 for the construction, 1 for the exploration, then the features of both; shape (SCHEDULING_SIZE,)."""
        result = np.zeros(SCHEDULING_SIZE, np.float32)
        result[1 : 1 + CONSTRUCTION_SIZE] = self._construction.vector(state.construction)
        if state.exploration is not None:
            carried = state.construction.carried
            if self._explored is None or self._explored[0] != carried:
                self._explored = carried, ExplorationView(self._process.exploration(state.construction))
            result[0] = 1
            result[1 + CONSTRUCTION_SIZE :] = self._explored[1].vector(state.exploration)
        return result

    def graph(self, state: SchedulingState, graphs: SpaceGraphs) -> ProgramGraph:
        """The graph of a state, by what makes the graphs of the process's space."""
        if state.exploration is None:
            return construction_graph(graphs, self._process.construction, state.construction)
        carried = state.construction.carried
        if self._drawn is None or self._drawn[0] != carried:
            self._drawn = carried, ExplorationGraphView(graphs, self._process.exploration(state.construction))
        return self._drawn[1].graph(state.exploration)
