"""The graph of a nest: loops, data and computations, with nest, flow, stride, order and dependence edges.

Rows say what stands in the nest, in the order of execution; `nest_graph` makes the graph. Rows of a schedule tree come
from `polyloop.graphs.trees`; whoever has other nests (LoopTune's, with its write-back nests) makes rows of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.graphs.features import (
    EDGE_COLUMNS,
    FACTORS,
    LONG,
    MOST_DEEP,
    MOST_SIBLINGS,
    EdgeType,
    NodeType,
    log_scaled,
)
from polyloop.graphs.program_graph import Assembly, Features, ProgramGraph
from polyloop.graphs.statements import ScopTable, Values, access_column, dependence_kinds, distance_values, row_of
from polyloop.scop.dependence import Dependence

OUTSIDE = -1
"""The parent of what no loop is around."""


@dataclass(frozen=True)
class LoopRow:
    """A loop of the nest.

    Attributes:
        parent: index of the loop directly around it, `OUTSIDE` for none; always smaller than its own.
        position: its place among the children of its parent, loops and computations alike.
        size, tail: whole iterations, and elements left over.
        step: elements in one iteration.
        in_compute: False in a nest that only writes results back.
    """

    name: str
    parent: int
    position: int
    size: int
    tail: int = 0
    step: int = 1
    kind: LoopKind = LoopKind.SEQUENTIAL
    current: bool = False
    in_compute: bool = True
    register_tile: bool = False
    coincident: bool = False
    permutable: bool = False
    packed: bool = False
    prefetched: bool = False


@dataclass(frozen=True)
class ComputeRow:
    """A computation of the nest.

    Attributes:
        statement: the statement that it executes.
        parent, position: as of `LoopRow`.
        moves: for each loop around it, by index, what the statement's iterators gain in one iteration; loops without it
            have no stride edges from this computation.
        in_compute: False writes the statement's result back and reads nothing.
    """

    statement: str
    parent: int
    position: int
    moves: tuple[tuple[int, tuple[int, ...]], ...] = ()
    in_compute: bool = True


class NestGraphs:
    """Makes the graphs of nests of one Scop at sizes; what they share is computed once.

    Args:
        dependences: those that become edges between computations.
    """

    def __init__(self, table: ScopTable, dependences: Sequence[Dependence]) -> None:
        self.table = table
        self._dependences = [(d.source, d.target, _dependence_values(d)) for d in dependences]

    def graph(self, loops: Sequence[LoopRow], computations: Sequence[ComputeRow]) -> ProgramGraph:
        """The graph: first the loops, then the arrays, then the computations, all in the order given."""
        result, table = Assembly(), self.table
        depths, times = _around(loops)
        for k, loop in enumerate(loops):
            result.node(NodeType.LOOP, loop.name, _loop_features(loop, depths[k]))
        data = {name: result.node(NodeType.DATA, name, row) for name, row in table.arrays}
        places = []
        for row in computations:
            depth = 0 if row.parent == OUTSIDE else depths[row.parent] + 1
            features = table.computations[row.statement](_deep(depth), _place(row.position), row.in_compute)
            places.append(result.node(NodeType.COMPUTE, row.statement, features))
        for k, loop in enumerate(loops):
            if loop.parent != OUTSIDE:
                result.edge(EdgeType.NEST, loop.parent, k)
        for place, row in zip(places, computations, strict=True):
            if row.parent != OUTSIDE:
                result.edge(EdgeType.NEST, row.parent, place)
        _add_order(result, loops, computations, places)
        for place, row in zip(places, computations, strict=True):
            _add_flows(result, table, row, place, data)
        _add_strides(result, table, computations, data, times)
        main = {row.statement: place for row, place in zip(computations, places, strict=True) if row.in_compute}
        for source, target, values in self._dependences:
            if source in main and target in main:
                result.edge(EdgeType.DEPENDS, main[source], main[target], values)
        return result.graph()


def _around(loops: Sequence[LoopRow]) -> tuple[list[int], list[int]]:
    """Loops around each loop, and how often it iterates: the product of the iterations from the root to it."""
    depths: list[int] = []
    times: list[int] = []
    for loop in loops:
        iterations = max(loop.size + (loop.tail > 0), 1)
        depths.append(0 if loop.parent == OUTSIDE else depths[loop.parent] + 1)
        times.append(iterations if loop.parent == OUTSIDE else times[loop.parent] * iterations)
    return depths, times


def _deep(depth: int) -> float:
    return min(depth / MOST_DEEP, 1.0)


def _place(position: int) -> float:
    return min(position / MOST_SIBLINGS, 1.0)


def _loop_features(loop: LoopRow, depth: int) -> Features:
    flags = (
        *(loop.current, loop.in_compute, loop.register_tile),
        *(loop.coincident, loop.permutable, loop.packed, loop.prefetched),
    )
    return _loop_row(depth, loop.position, loop.size, loop.tail, loop.step, loop.kind, flags)


@lru_cache(maxsize=1 << 14)
def _loop_row(
    depth: int, position: int, size: int, tail: int, step: int, kind: LoopKind, flags: tuple[bool, ...]
) -> Features:
    row = row_of(
        depth=_deep(depth),
        position=_place(position),
        size=log_scaled(size),
        tail=log_scaled(tail),
        step=log_scaled(step),
        count=max(0, min(size, LONG)) / LONG,
        **{f"left_{factor}": size % factor / factor for factor in FACTORS},
        parallel=float(kind is LoopKind.PARALLEL),
        vector=float(kind is LoopKind.VECTOR),
        unrolled=float(kind is LoopKind.UNROLLED),
        **dict(zip(_FLAGS, map(float, flags), strict=True)),
    )
    return np.array(row, np.float32)


_FLAGS = ("current", "in_compute", "register_tile", "coincident", "permutable", "packed", "prefetched")


def _add_order(
    result: Assembly, loops: Sequence[LoopRow], computations: Sequence[ComputeRow], places: Sequence[int]
) -> None:
    children: dict[int, list[tuple[int, int]]] = {}
    for k, loop in enumerate(loops):
        children.setdefault(loop.parent, []).append((loop.position, k))
    for place, row in zip(places, computations, strict=True):
        children.setdefault(row.parent, []).append((row.position, place))
    for parent in sorted(children):
        inside = [node for _, node in sorted(children[parent])]
        for first, second in pairwise(inside):
            result.edge(EdgeType.ORDER, first, second)


def _add_flows(result: Assembly, table: ScopTable, row: ComputeRow, place: int, data: dict[str, int]) -> None:
    for flow in table.flows[row.statement]:
        if flow.write:
            result.edge(EdgeType.FLOW, place, data[flow.array], flow.values)
        elif row.in_compute:
            result.edge(EdgeType.FLOW, data[flow.array], place, flow.values)


def _add_strides(
    result: Assembly, table: ScopTable, computations: Sequence[ComputeRow], data: dict[str, int], times: Sequence[int]
) -> None:
    """One edge for each loop, array, direction and distance that is not 0."""
    found: dict[tuple[int, str, bool, int], None] = {}
    for row in computations:
        moved = [(loop, table.strides(row.statement, gains)) for loop, gains in row.moves]
        for k, flow in enumerate(table.flows[row.statement]):
            if flow.write or row.in_compute:
                for loop, strides in moved:
                    if strides[k]:
                        found[loop, flow.array, flow.write, strides[k]] = None
    for loop, array, write, stride in found:
        result.edge(EdgeType.STRIDE, loop, data[array], _stride_values(stride, times[loop], write))


@lru_cache(maxsize=1 << 14)
def _stride_values(stride: int, times: int, write: bool) -> Values:
    return (_STRIDE, log_scaled(stride)), (_TIMES, log_scaled(times)), (access_column(write), 1.0)


def _dependence_values(dependence: Dependence) -> Values:
    kinds = ((EDGE_COLUMNS[name], value) for name, value in dependence_kinds(dependence).items() if value)
    return *kinds, *distance_values(dependence)


_STRIDE, _TIMES = EDGE_COLUMNS["stride"], EDGE_COLUMNS["times"]
