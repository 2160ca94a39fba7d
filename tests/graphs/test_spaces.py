"""Graphs of constructions and explorations."""

from __future__ import annotations

from dataclasses import replace

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.graphs.features import ALONG, EDGE_COLUMNS, NODE_COLUMNS, EdgeType, NodeType, log_scaled
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.spaces import PAGE, ExplorationGraphs, SpaceGraphs, generator_kinds, generator_rows
from polyloop.spaces.space import ScheduleSpace
from tests.graphs.graph_zoo import constructions, explorations, same, shipped, space, space_graphs


def column(graph: ProgramGraph, kind: NodeType, name: str) -> list[float]:
    return [float(value) for value in graph.node_features[graph.node_types == kind, NODE_COLUMNS[name]]]


def pairs(graph: ProgramGraph, kind: EdgeType) -> list[tuple[str, str]]:
    return [(graph.labels[s], graph.labels[t]) for s, t in graph.edges[:, graph.edge_types == kind].T]


@pytest.mark.parametrize("name", ["gemm", "trisolv", "durbin", "floyd-warshall"])
@given(seed=st.integers(0, 1000))
@settings(max_examples=5, deadline=None)
def test_a_construction_says_what_its_state_says(name: str, seed: int) -> None:
    for state, graph in constructions(space_graphs(name), seed):
        carried = np.array(state.carried)
        assert column(graph, NodeType.DEPENDENCE, "carried") == (carried > 0).tolist()
        assert column(graph, NodeType.DEPENDENCE, "carried_here") == (carried == state.dimension).tolist()
        assert column(graph, NodeType.DEPENDENCE, "carrier") == (carried / 16).tolist()
        assert column(graph, NodeType.DIMENSION, "current") == [0] * (state.dimension - 1) + [1]
        current = column(graph, NodeType.DEPENDENCE, "current")
        ended = all(state.carried)
        assert np.flatnonzero(current).tolist() == ([] if ended else [state.dependence - 1])
        expected = {(f"dimension {c}", f"dependence {k + 1}") for k, c in enumerate(state.carried) if c}
        assert set(pairs(graph, EdgeType.CARRIES)) == expected


def test_dependences_stand_between_their_statements() -> None:
    graphs = space_graphs("gemm")
    graph = graphs.construction((0,) * len(graphs.space.dependences), 1, 1)
    found = pairs(graph, EdgeType.DEPENDS)
    for k, dependence in enumerate(graphs.space.dependences):
        assert found[2 * k] == (dependence.source, f"dependence {k + 1}")
        assert found[2 * k + 1] == (f"dependence {k + 1}", dependence.target)
    assert column(graph, NodeType.DEPENDENCE, "same_statement") == [
        d.source == d.target for d in graphs.space.dependences
    ]


@pytest.mark.parametrize("name", ["gemm", "trisolv", "jacobi-2d"])
def test_an_exploration_marks_its_generators(name: str) -> None:
    graphs = space_graphs(name)
    for exploration, done, graph in explorations(graphs, 3):
        starts = np.cumsum([0, *exploration.terms])
        current = max(k for k in range(len(exploration.terms)) if starts[k] <= done)
        inside = done - starts[current]
        terms = exploration.terms[current]
        assert column(graph, NodeType.GENERATOR, "decided") == [1] * inside + [0] * (terms - inside)
        marks = column(graph, NodeType.GENERATOR, "current")
        assert np.flatnonzero(marks).tolist() == ([inside] if inside < terms else [])
        kinds = generator_kinds(exploration.dimensions[current])
        for kind in ("vertex", "ray", "line"):
            assert column(graph, NodeType.GENERATOR, kind) == [float(k == kind) for k in kinds]
        assert column(graph, NodeType.DIMENSION, "current") == [
            float(k == current) for k in range(len(exploration.terms))
        ]


def test_coefficient_edges_have_the_generators_coefficients() -> None:
    graphs = space_graphs("gemm")
    exploration, _, graph = next(explorations(graphs, 0))
    rows = generator_rows(exploration.dimensions[0])
    layout = graphs.space.layout
    first = int(np.flatnonzero(graph.node_types == NodeType.GENERATOR)[0])
    shown = graph.edge_types == EdgeType.COEFFICIENT
    by_edge = {
        (int(source) - first, graph.labels[target]): features
        for (source, target), features in zip(graph.edges[:, shown].T, graph.edge_features[shown], strict=True)
        if source >= first
    }
    start = 0
    for s, (name, iterators) in enumerate(zip(layout.statements, layout.iterators, strict=True)):
        columns = rows[:, start : start + len(iterators)]
        constants = rows[:, sum(map(len, layout.iterators)) + s]
        start += len(iterators)
        for k, (row, constant) in enumerate(zip(columns, constants, strict=True)):
            features = by_edge.get((k, name))
            assert (features is None) == (not row.any() and not constant)
            if features is not None:
                expected = [np.float32(log_scaled(int(x))) for x in row]
                assert features[ALONG : ALONG + len(iterators)].tolist() == pytest.approx(expected)
                assert features[EDGE_COLUMNS["constant"]] == pytest.approx(log_scaled(int(constant)))


def test_a_dimensions_row_is_the_point_so_far() -> None:
    graphs = space_graphs("mvt")
    for exploration, done, graph in explorations(graphs, 5):
        if done == exploration.length:
            first = int(np.flatnonzero(graph.node_types == NodeType.DIMENSION)[0])
            shown = graph.edge_types == EdgeType.COEFFICIENT
            moved = {graph.labels[t] for s, t in graph.edges[:, shown].T if s == first}
            assert moved
            assert column(graph, NodeType.DIMENSION, "chosen") == [1.0] * len(exploration.terms)


def test_long_dimensions_are_shown_in_pages() -> None:
    graphs = space_graphs("correlation")
    seen = set()
    for exploration, done, graph in explorations(graphs, 0, every=5):
        starts = np.cumsum([0, *exploration.terms])
        current = max(k for k in range(len(exploration.terms)) if starts[k] <= done)
        terms, inside = exploration.terms[current], done - starts[current]
        page = min(inside, terms - 1) // PAGE
        shown = int((graph.node_types == NodeType.GENERATOR).sum())
        assert shown == min(PAGE, terms - page * PAGE)
        places = column(graph, NodeType.GENERATOR, "place")
        assert places[0] == pytest.approx(page * PAGE / terms)
        seen.add(page)
    assert seen == {0, 1}


def test_capped_and_anchored_dimensions_say_so() -> None:
    scop, sizes = shipped("gemm")
    whole = space("gemm")
    given = whole.layout, whole.blocks, whole.block_iterators, whole.dependences, whole.systems
    small = ScheduleSpace(*given, exact=False, max_rays=3)
    carried = (1,) * len(small.dependences)
    maker = ExplorationGraphs(SpaceGraphs(scop, sizes, small), carried, small.construct(carried), 2)
    graph = maker.graph(())
    assert column(graph, NodeType.DIMENSION, "anchored") == [1]
    assert column(graph, NodeType.DIMENSION, "capped") == [1]


def test_blocks_move_all_their_statements() -> None:
    scop, sizes = shipped("correlation")
    blocks = ScheduleSpace.of(scop, granularity="block")
    several = next((block for block in blocks.blocks if len(block) > 1), None)
    graphs = SpaceGraphs(scop, sizes, blocks)
    _, _, graph = next(explorations(graphs, 0))
    assert (graph.node_types == NodeType.COMPUTE).sum() == len(scop.statements)
    if several is not None:
        moved = pairs(graph, EdgeType.COEFFICIENT)
        assert {s for s, t in moved if t == several[0]} == {s for s, t in moved if t == several[1]}


@pytest.mark.parametrize("name", ["gemm", "trisolv", "durbin"])
def test_the_order_of_the_statements_makes_no_difference(name: str) -> None:
    """Statements listed in another order: the same dependences in another order, an isomorphic graph."""
    scop, sizes = shipped(name)
    listed = space(name)
    order = np.random.default_rng(0).permutation(len(listed.dependences))
    turned = ScheduleSpace(
        listed.layout,
        listed.blocks,
        listed.block_iterators,
        tuple(listed.dependences[k] for k in order),
        tuple(listed.systems[k] for k in order),
    )
    other = replace(scop, statements=scop.statements[::-1], arrays=scop.arrays[::-1])
    first = SpaceGraphs(scop, sizes, listed).construction((1,) * len(order), 2, 1, 0, 2)
    ends = [int(np.flatnonzero(order == k)[0]) + 1 for k in (0, 1)]
    second = SpaceGraphs(other, sizes, turned).construction((1,) * len(order), 2, ends[0], 0, ends[1])
    graphs = [graph.to_networkx() for graph in (first, second)]

    def features(node: dict[str, object]) -> dict[str, object]:
        return {key: value for key, value in node.items() if key != "label"}

    assert networkx.is_isomorphic(*graphs, node_match=lambda a, b: features(a) == features(b))


def test_equal_states_have_equal_graphs() -> None:
    for (_, first), (_, second) in zip(
        constructions(space_graphs("durbin"), 1), constructions(space_graphs("durbin"), 1), strict=True
    ):
        assert same(first, second)
