"""Graphs of random trees of random Scops: sizes against enumeration, gains against the rows that they come from."""

from __future__ import annotations

import networkx
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.graphs.features import EdgeType, NodeType
from polyloop.graphs.nests import OUTSIDE
from polyloop.graphs.trees import TreeGraphs
from polyloop.schedules.tree import Member, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from tests.graphs.graph_zoo import loops_of, same
from tests.helpers.enumeration import instances
from tests.helpers.random_transforms import choices, scops

RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=25)
SIZE = 4


@st.composite
def scops_with_trees(draw: st.DrawFn) -> tuple[Scop, ScheduleTree]:
    """A Scop and a tree of it, legal or not."""
    scop = draw(scops(SIZE))
    tree = original_tree(scop)
    for _ in range(draw(st.integers(0, 3))):
        options = choices(tree, draw(st.integers(2, 3)))
        if options:
            tree = draw(st.sampled_from(options)).apply(tree)
    return scop, tree


def members(tree: ScheduleTree) -> list[Member]:
    return [member for _, band in tree.bands() for member in band.members]


@RELAXED
@given(scops_with_trees())
def test_extents_are_those_of_the_instances(given_: tuple[Scop, ScheduleTree]) -> None:
    scop, tree = given_
    sizes = dict.fromkeys(scop.parameters, SIZE)
    graphs, executed = TreeGraphs(scop, sizes), instances(scop, sizes)
    for member in members(tree):
        for name, row in member.rows:
            values = [row.evaluate(dict(i.values)) for i in executed if i.statement == name]
            assert graphs.extent(name, row) == (max(values) - min(values) + 1 if values else 0)


@RELAXED
@given(scops_with_trees())
def test_sizes_and_tails_add_up(given_: tuple[Scop, ScheduleTree]) -> None:
    scop, tree = given_
    sizes = dict.fromkeys(scop.parameters, SIZE)
    graphs = TreeGraphs(scop, sizes)
    loops, computations, places = graphs.rows(tree)
    assert places == list(loops_of(tree))
    for row, member in zip(loops, members(tree), strict=True):
        largest = max((graphs.extent(name, value) for name, value in member.rows), default=0)
        assert row.step == member.divisor
        assert 0 <= row.tail < row.step
        assert row.size * row.step + row.tail <= largest
        assert row.kind is member.kind
    assert sorted(row.statement for row in computations) == sorted(s.name for s in scop.statements)


@RELAXED
@given(scops_with_trees())
def test_gains_move_their_loop_and_no_other(given_: tuple[Scop, ScheduleTree]) -> None:
    scop, tree = given_
    loops, computations, _ = TreeGraphs(scop, dict.fromkeys(scop.parameters, SIZE)).rows(tree)
    every = members(tree)
    for row in computations:
        iterators = scop.statement(row.statement).iterators
        around, node = [], row.parent
        while node != OUTSIDE:
            around.append(node)
            node = loops[node].parent
        assert {loop for loop, _ in row.moves} <= set(around)
        for loop, gains in row.moves:
            for other in around:
                value = every[other].row(row.statement)
                gained = sum(value.coefficient(name) * gain for name, gain in zip(iterators, gains, strict=True))
                same = value == every[loop].row(row.statement)
                assert gained == (every[loop].divisor if same else 0)


@RELAXED
@given(scops_with_trees())
def test_every_graph_is_well_formed(given_: tuple[Scop, ScheduleTree]) -> None:
    scop, tree = given_
    sizes = dict.fromkeys(scop.parameters, SIZE)
    graph = TreeGraphs(scop, sizes).graph(tree)
    nodes, edges = graph.size
    assert same(graph, TreeGraphs(scop, sizes).graph(tree))
    assert graph.edges.shape == (2, edges)
    assert graph.edges.min(initial=0) >= 0
    assert graph.edges.max(initial=-1) < nodes
    kinds = graph.node_types[graph.edges]
    ends = {
        EdgeType.NEST: {(NodeType.LOOP, NodeType.LOOP), (NodeType.LOOP, NodeType.COMPUTE)},
        EdgeType.FLOW: {(NodeType.DATA, NodeType.COMPUTE), (NodeType.COMPUTE, NodeType.DATA)},
        EdgeType.STRIDE: {(NodeType.LOOP, NodeType.DATA)},
        EdgeType.DEPENDS: {(NodeType.COMPUTE, NodeType.COMPUTE)},
    }
    for kind, allowed in ends.items():
        assert set(map(tuple, kinds[:, graph.edge_types == kind].T.tolist())) <= allowed
    nests = networkx.DiGraph(graph.edges[:, graph.edge_types == EdgeType.NEST].T.tolist())
    assert len(nests) == 0 or networkx.is_forest(nests)
    assert all(degree <= 1 for _, degree in nests.in_degree())
    assert np.abs(graph.edge_features).max(initial=0) <= 1
