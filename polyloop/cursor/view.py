"""What agents of Cursor-v1 see of the states of one process, for a machine: as rows, as one vector, and the context
beside graphs and rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyloop.backend.machine.machine import Machine
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.cursor.loop_rows import ROW, Matrix
from polyloop.graphs.context import CONTEXT, context, machine_features


def vector_size(rows: int) -> int:
    """Numbers of `CursorView.vector`."""
    return len(CONTEXT) + rows * len(ROW)


@dataclass(frozen=True)
class CursorView:
    """Attributes:
    loops: rows of an observation.
    length: steps of an episode.
    """

    process: AnyCursor
    machine: Machine
    loops: int
    length: int

    def context(self, state: AnyState, ahead: float = 0.0) -> Matrix:
        """Steps left, and the machine; shape (len(CONTEXT),)."""
        return context(self.length - state.steps, self.length, self._machine, ahead)

    @cached_property
    def _machine(self) -> Matrix:
        return machine_features(self.machine)

    def rows(self, state: AnyState) -> Matrix:
        """Shape (loops, len(ROW))."""
        return self.process.loop_rows(state, self.loops)

    def vector(self, state: AnyState, ahead: float = 0.0) -> Matrix:
        """The context, then all rows one behind the other; shape (vector_size(loops),)."""
        return np.concatenate([self.context(state, ahead), self.rows(state).ravel()])
