"""The graphs of decisions in a schedule space: constructions and explorations.

The program under its own loops (`polyloop.graphs.trees`), and on top of it a node for every dependence, between its
source and its target, and for every dimension of the schedule, with an edge to each dependence that it carries. While
a dimension is explored its generators are nodes, `PAGE` at a time, with edges to the computations that they move; so
has a dimension, for the row that it has so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from polyloop.graphs.features import (
    ALONG,
    EDGE_COLUMNS,
    EDGE_FEATURES,
    LOG_RANGE,
    MOST_DIMENSIONS,
    MOST_LOOPS,
    NODE_COLUMNS,
    NODE_FEATURES,
    EdgeType,
    NodeType,
    log_scaled,
)
from polyloop.graphs.program_graph import Assembly, ProgramGraph
from polyloop.graphs.statements import dependence_kinds, distance_values, row_of
from polyloop.graphs.trees import TreeGraphs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.spaces.space import Dimension, ScheduleSpace
from polyloop.support.recent import Recent

PAGE = 64
"""Generators that are shown at once: the current one and those that share its page, in the canonical order."""

KEPT = 1 << 16
"""Nodes and edges of the constructions' graphs that are kept: episodes pass through the same states again and again."""

_CURRENT, _CARRIED, _CARRIER, _HERE, _POSSIBLE, _NEXT = (
    NODE_COLUMNS[name] for name in ("current", "carried", "carrier", "carried_here", "possible", "next")
)
_CHOSEN, _DECIDED, _COEFFICIENT, _NONZERO = (
    NODE_COLUMNS[name] for name in ("chosen", "decided", "coefficient", "nonzero")
)


_PARAMETERS, _CONSTANT = EDGE_COLUMNS["parameters"], EDGE_COLUMNS["constant"]

_NO_TYPES = np.zeros(0, np.int8)
_NO_NODES = np.zeros((0, len(NODE_FEATURES)), np.float32)


def _weight(graph: ProgramGraph) -> int:
    return sum(graph.size)


class SpaceGraphs:
    """Makes the graphs of one schedule space's constructions; what they share is computed once."""

    def __init__(self, scop: Scop, sizes: Mapping[str, int], space: ScheduleSpace) -> None:
        self.space = space
        program = TreeGraphs(scop, sizes, ()).graph(original_tree(scop))
        places = np.flatnonzero(program.node_types == NodeType.COMPUTE)
        self.computations = {program.labels[k]: int(k) for k in places}
        self._first = program.size[0]
        self._still = program.with_more(self._dependences(self._first))
        self._frames: Recent[tuple[tuple[int, ...], int, int], ProgramGraph] = Recent(KEPT, _weight)

    @property
    def nodes(self) -> int:
        """Nodes of the program and its dependences; those of dimensions follow."""
        return self._still.size[0]

    def construction(
        self, carried: Sequence[int], dimension: int, dependence: int = 0, possible: int = 0, following: int = 0
    ) -> ProgramGraph:
        """The graph of a construction.

        Args:
            carried: for every dependence the dimension, from 1, that carries it; 0 for none.
            dimension: the current dimension; those before it are shown, too.
            dependence: the current dependence, from 1; 0 for none.
            possible: the set of the dependences that nothing carries and the current dimension could.
            following: the dependence, from 1, that comes next; 0 for none.
        """
        key = tuple(carried), dimension, possible
        frame = self._frames.get(key) or self._frames.keep(key, self._frame(*key))
        features = frame.node_features.copy()
        rows = features[self._first :]
        if dependence:
            rows[dependence - 1, _CURRENT] = 1
        if following:
            rows[following - 1, _NEXT] = 1
        return frame.with_nodes(features)

    def _frame(self, carried: tuple[int, ...], dimension: int, possible: int) -> ProgramGraph:
        """All of a construction's graph but for the current and the next dependence."""
        owners = np.array(carried, np.int64)
        features = self._still.node_features.copy()
        rows = features[self._first :]
        rows[:, _CARRIED] = owners > 0
        rows[:, _CARRIER] = np.minimum(owners / MOST_DIMENSIONS, 1)
        rows[:, _HERE] = owners == dimension
        rows[:, _POSSIBLE] = [possible >> k & 1 for k in range(len(owners))]
        return self._still.with_nodes(features).with_more(self._dimensions(owners, dimension))

    def _dependences(self, first: int) -> ProgramGraph:
        part = Assembly(first)
        for k, dependence in enumerate(self.space.dependences):
            own = float(dependence.source == dependence.target)
            row = row_of(same_statement=own, **dependence_kinds(dependence))
            node = part.node(NodeType.DEPENDENCE, f"dependence {k + 1}", row)
            values = distance_values(dependence)
            part.edge(EdgeType.DEPENDS, self.computations[dependence.source], node, values)
            part.edge(EdgeType.DEPENDS, node, self.computations[dependence.target], values)
        return part.graph()

    def _dimensions(self, owners: NDArray[np.int64], current: int) -> ProgramGraph:
        count = len(owners)
        carries = np.bincount(owners, minlength=current + 1)[1:] / max(count, 1)
        features = np.zeros((current, len(NODE_FEATURES)), np.float32)
        features[:, NODE_COLUMNS["index"]] = np.minimum(np.arange(1, current + 1) / MOST_DIMENSIONS, 1)
        features[:, NODE_COLUMNS["carries"]] = carries[:current]
        features[current - 1, _CURRENT] = 1
        (held,) = np.nonzero(owners)
        chain = np.arange(self.nodes, self.nodes + current - 1)
        carrying = np.array([self.nodes + owners[held] - 1, self._first + held])
        kinds = np.repeat((EdgeType.CARRIES, EdgeType.ORDER), (len(held), len(chain)))
        return ProgramGraph(
            tuple(f"dimension {k + 1}" for k in range(current)),
            np.full(current, NodeType.DIMENSION, np.int8),
            features,
            np.hstack([carrying, [chain, chain + 1]]).astype(np.int32),
            kinds.astype(np.int8),
            np.zeros((len(kinds), len(EDGE_FEATURES)), np.float32),
        )


class _Coefficients:
    """Turns coefficient vectors into edges to the computations that they move, many at a time."""

    def __init__(self, graphs: SpaceGraphs) -> None:
        layout, blocks = graphs.space.layout, graphs.space.blocks
        depths = [len(iterators) for iterators in layout.iterators]
        wide = len(layout.parameters) if layout.parameter_coefficients else 0
        none = layout.dimension  # a column of zeros behind the last one
        rows, parameters, constants, targets = [], [], [], []
        for k, (block, depth) in enumerate(zip(blocks, depths, strict=True)):
            first = sum(depths[:k])
            shown = [*range(first, first + min(depth, MOST_LOOPS)), *[none] * (MOST_LOOPS - depth)]
            summed = np.zeros(layout.dimension)
            summed[sum(depths) + k * wide : sum(depths) + (k + 1) * wide] = 1
            for name in block:
                rows.append(shown)
                parameters.append(summed)
                constants.append(sum(depths) + wide * len(depths) + k)
                targets.append(graphs.computations[name])
        self._iterators, self._constants = np.array(rows, np.intp), np.array(constants, np.intp)
        self._parameters = np.array(parameters).T if wide else None
        self._targets = np.array(targets, np.int32)

    def edges(self, nodes: NDArray[np.int32], vectors: NDArray[np.float64]) -> ProgramGraph:
        """An edge from every node to each computation of which its vector has a coefficient that is not 0.

        Args:
            nodes: shape (n,).
            vectors: shape (n, columns).
        """
        scaled = np.zeros((len(vectors), vectors.shape[1] + 1))
        scaled[:, :-1] = _log_scaled(vectors)
        rows = np.zeros((len(vectors), len(self._targets), len(EDGE_FEATURES)), np.float32)
        rows[..., ALONG : ALONG + MOST_LOOPS] = scaled[:, self._iterators]
        rows[..., _CONSTANT] = scaled[:, self._constants]
        if self._parameters is not None:
            rows[..., _PARAMETERS] = _log_scaled(vectors @ self._parameters)
        which, moved = np.nonzero(rows.any(axis=2))
        return ProgramGraph(
            (),
            _NO_TYPES,
            _NO_NODES,
            np.array((nodes[which], self._targets[moved])),
            np.full(len(which), EdgeType.COEFFICIENT, np.int8),
            rows[which, moved],
        )


def _log_scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """`Scale.LOG` of many numbers."""
    result: NDArray[np.float64] = np.copysign(np.minimum(np.log2(1 + np.abs(values)) / LOG_RANGE, 1), values)
    return result


class ExplorationGraphs:
    """Makes the graphs of one construction's exploration; pages of generators are kept.

    Args:
        carried: for every dependence the dimension, from 1, that carries it.
        dimensions: the polyhedra of the construction.
        max_coefficient: the largest coefficient.
    """

    def __init__(
        self, graphs: SpaceGraphs, carried: Sequence[int], dimensions: Sequence[Dimension], max_coefficient: int
    ) -> None:
        self._graphs, self._carried, self._dimensions = graphs, tuple(carried), tuple(dimensions)
        self._largest = max_coefficient
        self._coefficients = _Coefficients(graphs)
        self._generators = [generator_rows(dimension) for dimension in dimensions]
        self._bases = [base_point(dimension) for dimension in dimensions]
        terms = [dimension.terms for dimension in dimensions]
        self._starts = [sum(terms[:k]) for k in range(len(terms))]
        self._pages: dict[tuple[int, int], ProgramGraph] = {}
        self._newest: tuple[tuple[int, int, tuple[int, ...]], ProgramGraph] | None = None

    def graph(self, coefficients: Sequence[int], nonzero: bool = False) -> ProgramGraph:
        """The graph behind the coefficients chosen so far.

        Args:
            nonzero: the next coefficient must not be 0.
        """
        done = len(coefficients)
        current = max(k for k, start in enumerate(self._starts) if start <= done)
        chosen = np.array(coefficients[self._starts[current] :], np.float64)
        terms = len(self._generators[current])
        page = min(len(chosen), max(terms - 1, 0)) // PAGE
        frame = self._with_finished(current, page, tuple(coefficients[: self._starts[current]]))
        features = frame.node_features.copy()
        first = self._graphs.nodes
        dimensions = features[first : first + len(self._dimensions)]
        dimensions[:current, _CHOSEN] = 1
        dimensions[current, _CHOSEN] = len(chosen) / terms if terms else 1
        generators = features[first + len(self._dimensions) :]
        shown = chosen[page * PAGE : (page + 1) * PAGE]
        generators[: len(shown), _DECIDED] = 1
        generators[: len(shown), _COEFFICIENT] = shown / max(self._largest, 1)
        if len(chosen) < terms:
            generators[len(chosen) - page * PAGE, _CURRENT] = 1
            generators[len(chosen) - page * PAGE, _NONZERO] = nonzero
        point = self._bases[current] + chosen @ self._generators[current][: len(chosen)]
        row = self._coefficients.edges(np.array([first + current], np.int32), point[None])
        return frame.with_nodes(features).with_more(row)

    def _with_finished(self, current: int, page: int, given: tuple[int, ...]) -> ProgramGraph:
        """The frame of a page with the rows of the dimensions that are finished."""
        key = current, page, given
        if self._newest is None or self._newest[0] != key:
            points = np.array([self._bases[k] + self._directed(k, given) for k in range(current)])
            nodes = np.arange(self._graphs.nodes, self._graphs.nodes + current, dtype=np.int32)
            rows = self._coefficients.edges(nodes, points.reshape(current, self._graphs.space.layout.dimension))
            # Episodes go on from here: those of earlier ones are of no more use.
            self._newest = key, self._page(current, page).with_more(rows)
        return self._newest[1]

    def _directed(self, dimension: int, given: tuple[int, ...]) -> NDArray[np.float64]:
        rows, start = self._generators[dimension], self._starts[dimension]
        return np.array(given[start : start + len(rows)], np.float64) @ rows

    def _page(self, current: int, page: int) -> ProgramGraph:
        if (current, page) not in self._pages:
            self._pages[current, page] = self._frame(current, page)
        return self._pages[current, page]

    def _frame(self, current: int, page: int) -> ProgramGraph:
        """All of a graph that does not change while one page of generators is decided."""
        program = self._graphs.construction(self._carried, len(self._dimensions))
        features = program.node_features.copy()
        first = self._graphs.nodes
        for k, dimension in enumerate(self._dimensions):
            row = features[first + k]
            row[_CURRENT] = k == current
            row[NODE_COLUMNS["terms"]] = log_scaled(dimension.terms)
            row[NODE_COLUMNS["anchored"]], row[NODE_COLUMNS["capped"]] = dimension.anchored, dimension.capped
        features[:first, _HERE] = 0
        own = [k for k, c in enumerate(self._carried) if c == current + 1]
        features[[first - len(self._carried) + k for k in own], _HERE] = 1
        part = self._members(current, page, first + len(self._dimensions))
        rows = self._generators[current][page * PAGE : (page + 1) * PAGE]
        graph = program.with_nodes(features).with_more(part)
        start = first + len(self._dimensions)
        return graph.with_more(self._coefficients.edges(np.arange(start, start + len(rows), dtype=np.int32), rows))

    def _members(self, current: int, page: int, first: int) -> ProgramGraph:
        part, kinds = Assembly(first), generator_kinds(self._dimensions[current])
        for k in range(page * PAGE, min((page + 1) * PAGE, len(kinds))):
            row = row_of(place=k / len(kinds), **{kinds[k]: 1.0})
            node = part.node(NodeType.GENERATOR, f"{kinds[k]} {k + 1}", row)
            part.edge(EdgeType.MEMBER, node, self._graphs.nodes + current)
        return part.graph()


def generator_rows(dimension: Dimension) -> NDArray[np.float64]:
    """One row for every coefficient of a dimension; shape (terms, columns)."""
    generators = dimension.generators
    vertices = generators.vertices if len(generators.vertices) > 1 else ()
    rows = [[float(x) for x in row] for row in (*vertices, *generators.directions)]
    return np.array(rows, np.float64).reshape(len(rows), generators.dimension)


def base_point(dimension: Dimension) -> NDArray[np.float64]:
    """The single vertex, which takes no coefficient; zero where there are several."""
    vertices = dimension.generators.vertices
    if len(vertices) != 1:
        return np.zeros(dimension.generators.dimension)
    return np.array([float(x) for x in vertices[0]])


def generator_kinds(dimension: Dimension) -> list[str]:
    """For every coefficient of a dimension: "vertex", "ray", or "line" for one sign of one."""
    generators = dimension.generators
    rays = set(generators.rays)
    vertices = len(generators.vertices) if len(generators.vertices) > 1 else 0
    return ["vertex"] * vertices + ["ray" if direction in rays else "line" for direction in generators.directions]
