"""Observations as vectors of fixed size, the same for every kernel.

All features lie in -1..1. The caps cover every kernel that ships with polyloop; beyond them `ObservationCapError` says
which was exceeded.

Of a construction (`CONSTRUCTION_SIZE` features): 8 of the whole,

    0  current dimension / the most there may be     4  dimensions since something was carried / the most
    1  current dependence / their number             5  mask of next_dim
    2  number of dependences / MAX_DEPENDENCES       6  mask of next_dep
    3  share of dependences that are carried         7  mask of select_dep

then 10 of each dependence, all 0 where there is none:

    0  1, there is one                               5  the current dimension could carry it
    1  the dimension that carries it / the most      6  source's position / MAX_STATEMENTS
    2  it is carried                                 7  target's position / MAX_STATEMENTS
    3  the current dimension carries it              8  loops around the source / 8
    4  it is the current one                         9  loops around the target / 8

Of an exploration (`EXPLORATION_SIZE` features): 8 of the whole,

    0  current dimension / their number              4  the current generator is a vertex
    1  coefficients chosen in it / its terms         5  ... a ray
    2  its terms / 1024                              6  ... one sign of a line
    3  share of all coefficients that are chosen     7  coefficient 0 is legal

then 8 of each column of a coefficient vector, all 0 where there is none:

    0  1, there is one                               4  its statement's position / MAX_STATEMENTS
    1  it belongs to an iterator                     5  position of its iterator or parameter / 8
    2  ... to a parameter                            6  the current generator there / its largest entry
    3  ... is a statement's constant                 7  the point so far there / its largest entry
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.graphs.spaces import generator_kinds, generator_rows
from polyloop.spaces.construction import Construction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.space import ScheduleSpace

Vector: TypeAlias = NDArray[np.float32]

MAX_DEPENDENCES = 256
MAX_STATEMENTS = 64
MAX_COLUMNS = 256
_DEEPEST = 8
_KINDS = ("vertex", "ray", "line")
_WHOLE, _PER_DEPENDENCE, _PER_COLUMN = 8, 10, 8
CONSTRUCTION_SIZE = _WHOLE + _PER_DEPENDENCE * MAX_DEPENDENCES
EXPLORATION_SIZE = _WHOLE + _PER_COLUMN * MAX_COLUMNS


class ObservationCapError(PolyloopError):
    """A kernel that is larger than observations can show."""


def check_caps(space: ScheduleSpace) -> None:
    """Raises:
    ObservationCapError: if the space has more statements, dependences or columns than observations have room for.
    """
    counts = {
        "statements": (len(space.layout.statements), MAX_STATEMENTS),
        "dependences": (len(space.dependences), MAX_DEPENDENCES),
        "schedule coefficients": (space.layout.dimension, MAX_COLUMNS),
    }
    for what, (count, cap) in counts.items():
        if count > cap:
            raise ObservationCapError(f"this kernel has {count} {what}; observations have room for {cap}")


class ConstructionView:
    """Makes the observations of one construction process."""

    def __init__(self, process: Construction) -> None:
        check_caps(process.space)
        self._process = process
        layout = process.space.layout
        place = {name: k for k, name in enumerate(layout.statements)}
        depth = {name: len(iterators) for name, iterators in zip(layout.statements, layout.iterators, strict=True)}
        self._still = np.zeros(CONSTRUCTION_SIZE, np.float32)
        self._still[2] = len(process.space.dependences) / MAX_DEPENDENCES
        table = self._table(self._still)
        for k, dependence in enumerate(process.space.dependences):
            ends = dependence.source, dependence.target
            table[k, 0] = 1
            table[k, 6:8] = [place[name] / MAX_STATEMENTS for name in ends]
            table[k, 8:10] = [min(depth[name] / _DEEPEST, 1) for name in ends]

    def vector(self, state: ConstructionState) -> Vector:
        """The features; shape (CONSTRUCTION_SIZE,)."""
        process, count = self._process, len(state.carried)
        result = self._still.copy()
        result[0] = min(state.dimension / process.max_dimensions, 1)
        result[5:8] = process.actions(state)
        if not count:
            return result
        carried = np.array(state.carried)
        result[1] = state.dependence / count
        result[3] = np.count_nonzero(carried) / count
        result[4] = min((state.dimension - carried.max()) / (process.max_empty + 1), 1)
        table = self._table(result)[:count]
        table[:, 1] = np.minimum(carried / process.max_dimensions, 1)
        table[:, 2] = carried > 0
        table[:, 3] = carried == state.dimension
        table[state.dependence - 1, 4] = 1
        possible = process.carriable(state)
        table[:, 5] = [possible >> k & 1 for k in range(count)]
        return result

    @staticmethod
    def _table(vector: Vector) -> Vector:
        return vector[_WHOLE:].reshape(MAX_DEPENDENCES, _PER_DEPENDENCE)


class ExplorationView:
    """Makes the observations of one exploration process."""

    def __init__(self, process: Exploration) -> None:
        check_caps(process.space)
        self._process = process
        self._generators = [generator_rows(dimension) for dimension in process.dimensions]
        self._kinds = [list(map(_KINDS.index, generator_kinds(dimension))) for dimension in process.dimensions]
        self._starts = [sum(process.terms[:k]) for k in range(len(process.terms))]
        self._still = np.zeros(EXPLORATION_SIZE, np.float32)
        self._still[_WHOLE:].reshape(MAX_COLUMNS, _PER_COLUMN)[: process.space.layout.dimension, :6] = _columns(
            process.space
        )

    def vector(self, state: ExplorationState) -> Vector:
        """The features; shape (EXPLORATION_SIZE,)."""
        process, done = self._process, len(state.coefficients)
        result = self._still.copy()
        current = max(k for k, start in enumerate(self._starts) if start <= done)
        terms, chosen = process.terms[current], state.coefficients[self._starts[current] :]
        result[0] = (current + 1) / len(process.terms)
        result[1] = len(chosen) / max(terms, 1)
        result[2] = min(terms / 1024, 1)
        result[3] = done / max(process.length, 1)
        columns = result[_WHOLE:].reshape(MAX_COLUMNS, _PER_COLUMN)[: process.space.layout.dimension]
        generators = self._generators[current]
        if len(chosen) < terms:
            result[4 + self._kinds[current][len(chosen)]] = 1
            result[7] = process.actions(state)[0]
            columns[:, 6] = _scaled(generators[len(chosen)])
        columns[:, 7] = _scaled(np.array(chosen, np.float64) @ generators[: len(chosen)])
        return result


def _columns(space: ScheduleSpace) -> Vector:
    """What the columns of a coefficient vector are; shape (columns, 6)."""
    layout = space.layout
    rows = [(1, 1, 0, 0, s, n) for s, iterators in enumerate(layout.iterators) for n in range(len(iterators))]
    if layout.parameter_coefficients:
        rows += [(1, 0, 1, 0, s, n) for s in range(len(layout.statements)) for n in range(len(layout.parameters))]
    rows += [(1, 0, 0, 1, s, 0) for s in range(len(layout.statements))]
    table = np.array(rows, np.float32)
    table[:, 4] /= MAX_STATEMENTS
    table[:, 5] = np.minimum(table[:, 5] / _DEEPEST, 1)
    return table


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.abs(values).max(initial=0)
    return values / largest if largest else values
