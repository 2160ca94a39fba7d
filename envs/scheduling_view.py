"""What the states of a whole scheduling process look like: as features, and as graphs.

The graphs of the schedule environments' states, and how large they are at most.

The sizes cover every kernel that ships with polyloop: the largest, deriche, has 87 nodes of its program, 148
dependences and, while it is explored, 64 generators on a page, each with an edge to up to 47 computations.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from polyloop.envs.observations import CONSTRUCTION_SIZE, EXPLORATION_SIZE, ConstructionView, ExplorationView, Vector
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.spaces import ExplorationGraphs, SpaceGraphs
from polyloop.spaces.construction import Construction, ConstructionState, next_dependence
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.scheduling import Phase, Scheduling, SchedulingState

CONSTRUCTION_GRAPH = GraphSize(384, 1024)
EXPLORATION_GRAPH = GraphSize(448, 4608)


SCHEDULING_SIZE = 1 + CONSTRUCTION_SIZE + EXPLORATION_SIZE


class PhaseView(Protocol):
    """Makes the observations of one process."""

    def vector(self, state: Any) -> Vector:
        """The features of a state."""

    def graph(self, state: Any, graphs: SpaceGraphs) -> ProgramGraph:
        """The graph of a state, by what makes the graphs of the process's space."""


def view_of(process: Phase) -> PhaseView:
    """The view of a construction, of an exploration, or of both in one episode."""
    if isinstance(process, Scheduling):
        return SchedulingView(process)
    return FirstPhaseView(process) if isinstance(process, Construction) else SecondPhaseView(process)


class FirstPhaseView:
    """Of a construction."""

    def __init__(self, process: Construction) -> None:
        self._process, self._features = process, ConstructionView(process)

    def vector(self, state: ConstructionState) -> Vector:
        """Shape (CONSTRUCTION_SIZE,)."""
        return self._features.vector(state)

    def graph(self, state: ConstructionState, graphs: SpaceGraphs) -> ProgramGraph:
        """At the end no dependence is current."""
        process = self._process
        if process.final(state) or not state.carried:
            return graphs.construction(state.carried, state.dimension)
        possible, following = process.carriable(state), next_dependence(state)
        return graphs.construction(state.carried, state.dimension, state.dependence, possible, following)


class SecondPhaseView:
    """Of an exploration."""

    def __init__(self, process: Exploration) -> None:
        self._process, self._features = process, ExplorationView(process)
        self._drawn: ExplorationGraphs | None = None

    def vector(self, state: ExplorationState) -> Vector:
        """Shape (EXPLORATION_SIZE,)."""
        return self._features.vector(state)

    def graph(self, state: ExplorationState, graphs: SpaceGraphs) -> ProgramGraph:
        """At the end no generator is current."""
        process = self._process
        if self._drawn is None:
            self._drawn = ExplorationGraphs(graphs, process.construction, process.dimensions, process.max_coefficient)
        ended = process.final(state)
        return self._drawn.graph(state.coefficients, not ended and not process.actions(state)[0])


class SchedulingView:
    """Of both; what belongs to an exploration is kept while that lasts."""

    def __init__(self, process: Scheduling) -> None:
        self._process = process
        self._first = FirstPhaseView(process.construction)
        self._second: tuple[tuple[int, ...], SecondPhaseView] | None = None

    def vector(self, state: SchedulingState) -> Vector:
        """0 for the construction, 1 for the exploration, then the features of both; shape (SCHEDULING_SIZE,)."""
        result = np.zeros(SCHEDULING_SIZE, np.float32)
        result[1 : 1 + CONSTRUCTION_SIZE] = self._first.vector(state.construction)
        if state.exploration is not None:
            result[0] = 1
            result[1 + CONSTRUCTION_SIZE :] = self._exploring(state.construction).vector(state.exploration)
        return result

    def graph(self, state: SchedulingState, graphs: SpaceGraphs) -> ProgramGraph:
        """That of the construction, or of the exploration once it has begun."""
        if state.exploration is None:
            return self._first.graph(state.construction, graphs)
        return self._exploring(state.construction).graph(state.exploration, graphs)

    def _exploring(self, construction: ConstructionState) -> SecondPhaseView:
        if self._second is None or self._second[0] != construction.carried:
            self._second = construction.carried, SecondPhaseView(self._process.exploration(construction))
        return self._second[1]
