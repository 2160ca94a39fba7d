"""Graphs of schedule trees and nests: nodes, edges and features of known programs, and their invariances."""

from __future__ import annotations

from dataclasses import replace

import networkx
import numpy as np
import pytest

from polyloop.graphs.features import EDGE_COLUMNS, NODE_COLUMNS, EdgeType, NodeType, log_scaled
from polyloop.graphs.nests import OUTSIDE, ComputeRow, LoopRow, NestGraphs
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.statements import ScopTable
from polyloop.graphs.trees import TreeGraphs
from polyloop.schedules.tree import original_tree
from polyloop.shipped.kernels import kernel_names
from polyloop.tensors import einsum
from polyloop.transforms import RegisterTile, Tile, Vectorize, perform
from tests.graphs.graph_zoo import loops_of, same, shipped


def edges_of(graph: ProgramGraph, kind: EdgeType) -> list[str]:
    ends = [(graph.labels[s], graph.labels[t]) for s, t in graph.edges[:, graph.edge_types == kind].T]
    return [f"{source} -> {target}" for source, target in ends]


def column(graph: ProgramGraph, kind: NodeType, name: str) -> list[float]:
    return [float(value) for value in graph.node_features[graph.node_types == kind, NODE_COLUMNS[name]]]


def test_a_matrix_product() -> None:
    scop = einsum("mk,kn->mn", m=80, n=112, k=40)
    graph = TreeGraphs(scop, {}).graph(original_tree(scop), next(loops_of(original_tree(scop))))
    kinds = [NodeType(kind).name.lower() for kind in graph.node_types]
    loops = [label for label, kind in zip(graph.labels, kinds, strict=True) if kind == "loop"]
    assert kinds.count("data") == 3
    nx = graph.to_networkx()
    product = nx.nodes[len(kinds) - 1]
    assert (product["type"], product["reduction"], product["reads"], product["operations"]) == ("compute", True, 3, 2)
    assert product["size"] == 80 * 112 * 40
    assert [nx.nodes[k]["current"] for k in range(len(loops))] == [True] + [False] * (len(loops) - 1)
    assert sorted({nx.nodes[k]["size"] for k in range(len(loops))}) == [40, 80, 112]


def test_gemm_edge_by_edge() -> None:
    scop, sizes = shipped("gemm")
    graph = TreeGraphs(scop, sizes).graph(original_tree(scop))
    assert graph.labels == ("i", "j", "k", "j", *(a.name for a in scop.arrays), "S0", "S1")
    assert edges_of(graph, EdgeType.NEST) == ["i -> j", "i -> k", "k -> j", "j -> S0", "j -> S1"]
    assert edges_of(graph, EdgeType.ORDER) == ["j -> k"]
    assert edges_of(graph, EdgeType.FLOW) == [
        *("C -> S0", "beta -> S0", "S0 -> C"),
        *("C -> S1", "alpha -> S1", "A -> S1", "B -> S1", "S1 -> C"),
    ]
    assert edges_of(graph, EdgeType.DEPENDS) == ["S0 -> S1", "S1 -> S1"]
    assert sorted(set(edges_of(graph, EdgeType.STRIDE))) == [
        *("i -> A", "i -> C", "j -> B", "j -> C", "k -> A", "k -> B"),
    ]
    nj = sizes["nj"]
    strides = graph.edge_features[graph.edge_types == EdgeType.STRIDE]
    found = {round(float(value), 5) for value in strides[:, EDGE_COLUMNS["stride"]]}
    assert found == {round(log_scaled(x), 5) for x in (1, nj, sizes["nk"])}


def test_tiles_have_whole_iterations_and_tails() -> None:
    """The nest of 80 iterations split by 16, then 4: 1 whole tile of 64 elements and a tail of 16."""
    scop = einsum("mk,kn->mn", m=80, n=112, k=112)
    tree = original_tree(scop)
    graphs = TreeGraphs(scop, {})
    path, band = next((path, band) for path, band in tree.bands() if str(band.members[0].rows[0][1]) == "m")
    member = band.members[0]
    split = replace(band, members=(replace(member, divisor=64), replace(member, divisor=16), member))
    loops, _, places = graphs.rows(tree.replaced(path, split))
    shown = [(row.size, row.tail, row.step) for row, place in zip(loops, places, strict=True) if place[0] == path]
    assert shown == [(1, 16, 64), (4, 0, 16), (16, 0, 1)]


def test_loop_kinds() -> None:
    scop, sizes = shipped("gemm")
    tree = original_tree(scop)
    deepest = max((path for path, _ in tree.bands()), key=len)
    graphs = TreeGraphs(scop, sizes)
    assert not any(column(graphs.graph(tree), NodeType.LOOP, "vector"))
    made = perform(tree, [Vectorize(deepest, 0)], scop.dependences())
    assert column(graphs.graph(made), NodeType.LOOP, "vector") == [0, 0, 0, 1]
    assert column(graphs.graph(made), NodeType.LOOP, "register_tile") == [0, 0, 0, 0]


def test_register_tiles_are_marked() -> None:
    scop, sizes = shipped("gemm")
    tree = original_tree(scop)
    deepest = max((path for path, _ in tree.bands()), key=len)
    made = perform(tree, [RegisterTile(deepest, (4,))], scop.dependences())
    graph = TreeGraphs(scop, sizes).graph(made)
    assert graph.labels[:5] == ("i", "j", "k", "j / 4", "j")
    assert column(graph, NodeType.LOOP, "unrolled") == [0, 0, 0, 0, 1]
    assert column(graph, NodeType.LOOP, "register_tile") == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("name", ["gemm", "trisolv", "jacobi-2d", "durbin"])
def test_the_order_of_the_lists_makes_no_difference(name: str) -> None:
    """Statements and arrays listed in another order, the program unchanged: an isomorphic graph."""
    scop, sizes = shipped(name)
    turned = replace(scop, statements=scop.statements[::-1], arrays=scop.arrays[::-1])
    graphs = [TreeGraphs(s, sizes).graph(original_tree(s)).to_networkx() for s in (scop, turned)]
    assert networkx.is_isomorphic(
        *graphs,
        node_match=lambda a, b: a == b,
        edge_match=lambda a, b: sorted(map(repr, a.values())) == sorted(map(repr, b.values())),
    )


@pytest.mark.parametrize("name", sorted(kernel_names()))
def test_every_kernel_has_a_graph(name: str) -> None:
    scop, sizes = shipped(name)
    tree = original_tree(scop)
    graphs = TreeGraphs(scop, sizes)
    graph = graphs.graph(tree)
    places = list(loops_of(tree))
    assert (graph.node_types == NodeType.LOOP).sum() == len(places)
    assert (graph.node_types == NodeType.COMPUTE).sum() == len(scop.statements)
    assert np.abs(graph.node_features).max() <= 1
    assert np.abs(graph.edge_features).max() <= 1
    assert same(TreeGraphs(scop, sizes).graph(tree), graph)
    for k, place in enumerate(places):
        marked = graphs.graph(tree, place).node_features[:, NODE_COLUMNS["current"]]
        assert np.flatnonzero(marked).tolist() == [k]
    nests = networkx.DiGraph(graph.edges[:, graph.edge_types == EdgeType.NEST].T.tolist())
    assert networkx.is_forest(nests)


def test_no_loop_no_mark() -> None:
    scop, sizes = shipped("gemm")
    with pytest.raises(LookupError, match="no loop at"):
        TreeGraphs(scop, sizes).graph(original_tree(scop), ((0, 7), 0))


def test_extents_are_those_of_the_box() -> None:
    scop, sizes = shipped("lu")
    loops, _, _ = TreeGraphs(scop, sizes).rows(original_tree(scop))
    n = sizes["n"]
    assert [row.size for row in loops] == [n - 1, n - 1, n - 2, n - 1, n - 1]


def test_a_write_back_nest_reads_nothing() -> None:
    scop = einsum("mk,kn->mn", m=8, n=8, k=8)
    statement = scop.statements[-1]
    loops = [LoopRow("m", OUTSIDE, 0, 8), LoopRow("k", 0, 0, 8), LoopRow("n", 1, 0, 8)]
    loops.append(LoopRow("n", 0, 1, 8, in_compute=False))
    back = ComputeRow(statement.name, 3, 0, in_compute=False)
    rows = [ComputeRow(statement.name, 2, 0), back]
    graph = NestGraphs(ScopTable(scop, {}), scop.dependences()).graph(loops, rows)
    assert column(graph, NodeType.COMPUTE, "in_compute") == [1, 0]
    assert column(graph, NodeType.LOOP, "in_compute") == [1, 1, 1, 0]
    last = len(graph.labels) - 1
    assert [t for s, t in graph.edges[:, graph.edge_types == EdgeType.FLOW].T if s == last] == [
        graph.labels.index(statement.target.array)
    ]
    assert last not in graph.edges[1, graph.edge_types == EdgeType.FLOW]


def test_tiling_adds_loops_over_tiles() -> None:
    scop, sizes = shipped("jacobi-2d")
    tree = original_tree(scop)
    path = next(path for path, _ in tree.bands() if len(path) > 1)
    made = perform(tree, [Tile(path, (8,))], scop.dependences())
    before, after = (TreeGraphs(scop, sizes).rows(t)[0] for t in (tree, made))
    assert len(after) == len(before) + 1
    assert [row.step for row in after].count(8) == 1
    assert max(row.size for row in after if row.step == 1) <= max(row.size for row in before)
