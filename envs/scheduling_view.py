"""What the states of a whole scheduling process look like: as features, and as graphs.

The graphs of the schedule environments' states, and how large they are at most.

The sizes cover every kernel that ships with polyloop: the largest, deriche, has 87 nodes of its program, 148
dependences and, while it is explored, 64 generators on a page, each with an edge to up to 47 computations.
"""

from __future__ import annotations

import numpy as np

from polyloop.envs.observations import CONSTRUCTION_SIZE, EXPLORATION_SIZE, ConstructionView, ExplorationView, Vector
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.spaces import ExplorationGraphs, SpaceGraphs
from polyloop.spaces.construction import Construction, ConstructionState, next_dependence
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.scheduling import Scheduling, SchedulingState

CONSTRUCTION_GRAPH = GraphSize(384, 1024)
EXPLORATION_GRAPH = GraphSize(448, 4608)


def construction_graph(graphs: SpaceGraphs, process: Construction, state: ConstructionState) -> ProgramGraph:
    """The graph of a state of the construction; at the end no dependence is current."""
    if process.final(state) or not state.carried:
        return graphs.construction(state.carried, state.dimension)
    possible, following = process.carriable(state), next_dependence(state)
    return graphs.construction(state.carried, state.dimension, state.dependence, possible, following)


class ExplorationGraphView:
    """Makes the graphs of one exploration's states."""

    def __init__(self, graphs: SpaceGraphs, process: Exploration) -> None:
        self._process = process
        self._graphs = ExplorationGraphs(graphs, process.construction, process.dimensions, process.max_coefficient)

    def graph(self, state: ExplorationState) -> ProgramGraph:
        """The graph of a state; at the end no generator is current."""
        ended = self._process.final(state)
        return self._graphs.graph(state.coefficients, not ended and not self._process.actions(state)[0])


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
