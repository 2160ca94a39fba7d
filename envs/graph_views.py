"""The graphs of the schedule environments' states, and how large they are at most.

The sizes cover every kernel that ships with polyloop: the largest, deriche, has 87 nodes of its program, 148
dependences and, while it is explored, 64 generators on a page, each with an edge to up to 47 computations.
"""

from __future__ import annotations

from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.spaces import ExplorationGraphs, SpaceGraphs
from polyloop.spaces.construction import Construction, ConstructionState, next_dependence
from polyloop.spaces.exploration import Exploration, ExplorationState

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
