"""Forms of a graph: networkx, JSON, HeteroData, padded arrays."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import networkx
import numpy as np
import pytest

from polyloop.graphs.features import NODE_COLUMNS, EdgeType, NodeType
from polyloop.graphs.padding import GraphCapError, GraphSize
from polyloop.graphs.program_graph import Assembly, ProgramGraph
from polyloop.graphs.statements import row_of
from polyloop.graphs.trees import TreeGraphs
from polyloop.schedules.tree import original_tree
from polyloop.support.libraries import MissingLibraryError
from tests.graphs.graph_zoo import same, shipped


@pytest.fixture
def gemm() -> ProgramGraph:
    scop, sizes = shipped("gemm")
    return TreeGraphs(scop, sizes).graph(original_tree(scop))


def test_networkx_has_what_the_arrays_have(gemm: ProgramGraph) -> None:
    graph = gemm.to_networkx()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == gemm.size
    assert [graph.nodes[k]["label"] for k in range(len(gemm.labels))] == list(gemm.labels)
    assert graph.nodes[0]["size"] == shipped("gemm")[1]["ni"]
    assert "carried" not in graph.nodes[0]
    assert [key for *_, key in sorted(graph.edges(keys=True), key=lambda e: e[2])] == list(range(gemm.size[1]))
    for source, target, key, kind in graph.edges(keys=True, data="type"):
        assert [source, target] == gemm.edges[:, key].tolist()
        assert EdgeType[kind.upper()] == gemm.edge_types[key]


def test_json_is_networkx_node_link_data(gemm: ProgramGraph) -> None:
    read = networkx.node_link_graph(json.loads(json.dumps(gemm.to_json())), edges="edges")
    graph = gemm.to_networkx()
    assert dict(read.nodes(data=True)) == dict(graph.nodes(data=True))
    assert list(read.edges(keys=True, data=True)) == list(graph.edges(keys=True, data=True))


def test_text_names_every_node_and_edge(gemm: ProgramGraph) -> None:
    lines = str(gemm).splitlines()
    assert len(lines) == sum(gemm.size)
    assert "loop k -nest-> loop j" in lines


def test_heterodata_without_its_library(gemm: ProgramGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    monkeypatch.setitem(sys.modules, "torch_geometric.data", None)
    with pytest.raises(MissingLibraryError, match=r"HeteroData needs torch-geometric: pip install 'polyloop\[gnn\]'"):
        gemm.to_heterodata()


class _Store:
    """Attributes and nothing else, as of a store of HeteroData."""

    x: np.ndarray
    label: list[str]
    edge_index: np.ndarray
    edge_attr: np.ndarray


class _HeteroData(dict[object, _Store]):
    """What the conversion uses of torch-geometric's class."""

    def __missing__(self, key: object) -> _Store:
        self[key] = _Store()
        return self[key]


def test_heterodata_by_type(gemm: ProgramGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against stand-ins for both libraries, so that the conversion is tested where they are not installed."""
    data, torch = ModuleType("torch_geometric.data"), ModuleType("torch")
    vars(data)["HeteroData"] = _HeteroData
    vars(torch)["from_numpy"] = lambda array: array
    for name, module in (("torch_geometric", ModuleType("x")), ("torch_geometric.data", data), ("torch", torch)):
        monkeypatch.setitem(sys.modules, name, module)
    made = gemm.to_heterodata()
    assert made["loop"].label == ["i", "j", "k", "j"]
    assert made["loop"].x.shape == (4, 22)
    assert made["loop"].x[:, 3].tolist() == gemm.node_features[:4, NODE_COLUMNS["size"]].tolist()
    assert made["loop", "nest", "loop"].edge_index.tolist() == [[0, 0, 2], [1, 2, 3]]
    assert made["loop", "nest", "compute"].edge_index.tolist() == [[1, 3], [0, 1]]
    assert made["compute", "depends", "compute"].edge_index.tolist() == [[0, 1], [1, 1]]
    assert sum(made[key].edge_index.shape[1] for key in made if isinstance(key, tuple)) == gemm.size[1]


def test_padding(gemm: ProgramGraph) -> None:
    nodes, edges = gemm.size
    arrays = GraphSize(16, 64).padded(gemm)
    assert arrays["node_mask"].tolist() == [1] * nodes + [0] * (16 - nodes)
    assert arrays["edge_mask"].sum() == edges
    assert np.array_equal(arrays["node_features"][:nodes], gemm.node_features)
    assert np.array_equal(arrays["edges"][:, :edges], gemm.edges)
    assert not arrays["node_features"][nodes:].any()
    assert not arrays["edge_features"][edges:].any()
    exact = GraphSize(nodes, edges).padded(gemm)
    assert np.array_equal(exact["edge_types"], gemm.edge_types)


@pytest.mark.parametrize(("nodes", "edges", "what"), [(10, 100, "11 nodes; .* 10"), (11, 25, "26 edges; .* 25")])
def test_too_large_graphs_are_named(gemm: ProgramGraph, nodes: int, edges: int, what: str) -> None:
    with pytest.raises(GraphCapError, match=what):
        GraphSize(nodes, edges).padded(gemm)


def test_parts_count_nodes_as_in_the_whole(gemm: ProgramGraph) -> None:
    part = Assembly(gemm.size[0])
    node = part.node(NodeType.GENERATOR, "ray 1", row_of(ray=1.0))
    part.edge(EdgeType.COEFFICIENT, node, 9)
    whole = gemm.with_more(part.graph())
    assert whole.size == (gemm.size[0] + 1, gemm.size[1] + 1)
    assert whole.edges[:, -1].tolist() == [gemm.size[0], 9]
    assert whole.labels[-1] == "ray 1"
    assert not same(whole, gemm)
    assert same(whole.with_nodes(whole.node_features.copy()), whole)
