"""How a policy looks at the states of a process, without an environment around it.

An agent knows the actions that it was trained with; a process may have others besides, or in another order. Observers
show the agent's actions, and say what each is in the process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Machine
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.cursor.view import CursorView
from polyloop.envs.schedule_v1 import LENGTH
from polyloop.envs.scheduling_view import view_of
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.samples import Sample, sample_of_graph
from polyloop.graphs.context import context, machine_features
from polyloop.graphs.spaces import SpaceGraphs
from polyloop.registration import CONSTRUCT, CURSOR_1, CURSORS, EXPLORE, SCHEDULE_1, SCHEDULES
from polyloop.scop.model import Scop
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.scheduling import Phase, Scheduling

_TRAINED_IN = {Construction: (CONSTRUCT,), Exploration: (EXPLORE,), Scheduling: SCHEDULES}


class Observer(Protocol):
    """What a policy needs."""

    @property
    def process(self) -> Any:
        """The decision process."""

    @property
    def ids(self) -> Sequence[int]:
        """For each of the agent's actions its id in the process."""

    def observe(self, state: Any) -> tuple[Sample, NDArray[np.bool_]]:
        """What a state looks like, and which of the agent's actions are legal."""


class CursorObserver:
    """For a cursor's process and an agent of Cursor-v0 or Cursor-v1.

    Args:
        machine: that the loops are for, which agents of Cursor-v1 see; by default the one that this process runs on.
    Raises:
        PolyloopError: if the agent is of another environment, knows actions that the process does not have, or looks at
            fewer loops than there are.
    """

    def __init__(self, process: AnyCursor, trained: EnvironmentSettings, machine: Machine | None = None) -> None:
        _check(trained, *CURSORS)
        given = trained.arguments
        known = trained.cursor_actions
        missing = [name for name in known.names if name not in process.names]
        if missing:
            raise PolyloopError(f"the policy was trained with the action {missing[0]}, which is not to be had here")
        if (loops := process.visible(process.initial().program)) > known.rows:
            raise PolyloopError(f"the program has {loops} loops, and the policy was trained to look at {known.rows}")
        self.process = process
        self.ids = [process.names.index(name) for name in known.names]
        self._graphs = given.get("observation") == "graph"
        self._in_rows = given.get("observation") == "rows"
        self._rows, self._logarithmic = known.rows, bool(given.get("logarithmic", False))
        seen = trained.id == CURSOR_1
        place = (machine or host_target().machine) if seen else None
        self._view = None if place is None else CursorView(process, place, known.rows, trained.cursor_length)

    def observe(self, state: AnyState) -> tuple[Sample, NDArray[np.bool_]]:
        mask = np.array(self.process.actions(state), np.bool_)[self.ids]
        view = self._view
        if self._graphs:
            return sample_of_graph(self.process.graph(state), None if view is None else view.context(state)), mask
        if view is not None:
            if self._in_rows:
                return {"rows": view.rows(state), "context": view.context(state)}, mask
            return {"vector": view.vector(state)}, mask
        return {"vector": self.process.features(state, self._rows, self._logarithmic)}, mask


class SchedulingObserver:
    """For a process of one phase or both, and an agent of Construct-v0, Explore-v0, Schedule-v0 or Schedule-v1.

    Args:
        sizes: of the Scop's parameters.
    Raises:
        PolyloopError: if the agent is of another environment, chooses among other coefficients, or can stop where the
            process cannot.
    """

    def __init__(self, process: Phase, scop: Scop, sizes: Mapping[str, int], trained: EnvironmentSettings) -> None:
        _check(trained, *_TRAINED_IN[type(process)])
        chosen = None if isinstance(process, Construction) else process.max_coefficient
        if chosen not in (None, trained.arguments.get("max_coefficient", 2)):
            raise PolyloopError("the policy was trained with other coefficients than are to be had here")
        sees_machine = trained.id == SCHEDULE_1
        if isinstance(process, Scheduling) and process.stop != sees_machine:
            raise PolyloopError(
                f"a policy of {trained.id} walks a process that can{' ' if sees_machine else 'not '}be stopped"
            )
        self._length = int(trained.arguments.get("length", LENGTH))
        self._machine = machine_features(host_target().machine) if sees_machine else None
        self.process = process
        self._view = view_of(process)
        space = process.construction.space if isinstance(process, Scheduling) else process.space
        graphs = trained.arguments.get("observation") == "graph"
        self._graphs = SpaceGraphs(scop, sizes, space) if graphs else None
        self.ids = range(len(self._legal(process.initial())))

    def observe(self, state: Any) -> tuple[Sample, NDArray[np.bool_]]:
        mask = self._legal(state)
        beside = None if self._machine is None else context(self._length - state.steps, self._length, self._machine)
        if self._graphs is not None:
            return sample_of_graph(self._view.graph(state, self._graphs), beside), mask
        vector = self._view.vector(state)
        return {"vector": vector if beside is None else np.concatenate([beside, vector])}, mask

    def _legal(self, state: Any) -> NDArray[np.bool_]:
        return np.array(self.process.actions(state), np.bool_)


def _check(trained: EnvironmentSettings, *wanted: str) -> None:
    if trained.id not in wanted:
        raise PolyloopError(f"this policy was trained in {trained.id}; one of {' or '.join(wanted)} is needed here")
