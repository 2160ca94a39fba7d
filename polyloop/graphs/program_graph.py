"""ProgramGraph: a program, or a decision about one, as one typed homogeneous graph of arrays.

Homogeneous with type ids, not one array per type: encoders of the one form are several times as fast. For people there
is a networkx graph, for experiments with heterogeneous encoders torch-geometric's HeteroData.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.graphs.features import EDGE_FEATURES, NODE_COLUMNS, NODE_FEATURES, EdgeType, Feature, NodeType
from polyloop.support.libraries import optional

Features: TypeAlias = NDArray[np.float32]
TypeIds: TypeAlias = NDArray[np.int8]
Endpoints: TypeAlias = NDArray[np.int32]


_CURRENT = NODE_COLUMNS["current"]


@dataclass(frozen=True, eq=False)
class ProgramGraph:
    """Nodes and edges in a fixed order; the features are those of `polyloop.graphs.features`.

    Attributes:
        labels: a name of every node, for people.
        node_types: `NodeType` of every node; shape (nodes,).
        node_features: shape (nodes, len(NODE_FEATURES)).
        edges: source and target of every edge; shape (2, edges).
        edge_types: `EdgeType` of every edge; shape (edges,).
        edge_features: shape (edges, len(EDGE_FEATURES)).
    """

    labels: tuple[str, ...]
    node_types: TypeIds
    node_features: Features
    edges: Endpoints
    edge_types: TypeIds
    edge_features: Features

    @property
    def size(self) -> tuple[int, int]:
        """How many nodes and edges there are."""
        return len(self.node_types), len(self.edge_types)

    def marked(self, node: int) -> ProgramGraph:
        """The same graph with the feature `current` at one node; all other arrays are shared."""
        features = self.node_features.copy()
        features[node, _CURRENT] = 1
        return self.with_nodes(features)

    def with_nodes(self, features: Features) -> ProgramGraph:
        """The same graph with other features of its nodes."""
        return ProgramGraph(self.labels, self.node_types, features, self.edges, self.edge_types, self.edge_features)

    def with_more(self, *parts: ProgramGraph) -> ProgramGraph:
        """Nodes and edges of this graph, then those of the parts, whose edges count nodes as in the result."""
        whole = (self, *parts)
        return ProgramGraph(
            tuple(chain.from_iterable(part.labels for part in whole)),
            np.concatenate([part.node_types for part in whole]),
            np.concatenate([part.node_features for part in whole]),
            np.concatenate([part.edges for part in whole], axis=1),
            np.concatenate([part.edge_types for part in whole]),
            np.concatenate([part.edge_features for part in whole]),
        )

    def to_networkx(self) -> Any:
        """A `networkx.MultiDiGraph`: nodes 0.. with `label`, `type` and the features of their type, edges in order with
        `type` and theirs; features are decoded (`Feature.decoded`).
        """
        # Imported here: it costs more than all of a graph, and few ask for this form.
        graph = import_module("networkx").MultiDiGraph()
        for k, (label, kind) in enumerate(zip(self.labels, self.node_types.tolist(), strict=True)):
            values = _decoded(NODE_FEATURES, NodeType(kind), self.node_features[k])
            graph.add_node(k, label=label, type=NodeType(kind).name.lower(), **values)
        for k, kind in enumerate(self.edge_types.tolist()):
            source, target = self.edges[:, k].tolist()
            values = _decoded(EDGE_FEATURES, EdgeType(kind), self.edge_features[k])
            graph.add_edge(source, target, key=k, type=EdgeType(kind).name.lower(), **values)
        return graph

    def to_json(self, **about: object) -> dict[str, Any]:
        """The networkx form as node-link data, that ``networkx.node_link_graph(data, edges="edges")`` reads.

        Args:
            about: attributes of the graph itself.
        """
        graph = self.to_networkx()
        nodes = [{"id": node, **values} for node, values in graph.nodes(data=True)]
        links = [
            {"source": s, "target": t, "key": key, **values} for s, t, key, values in graph.edges(data=True, keys=True)
        ]
        return {"directed": True, "multigraph": True, "graph": about, "nodes": nodes, "edges": links}

    def to_heterodata(self) -> Any:
        """A `torch_geometric.data.HeteroData`: for every type of node `x` (its own features only) and `label`, for
        every (source type, edge type, target type) `edge_index` and `edge_attr`.

        Raises:
            MissingLibraryError: without torch-geometric.
        """
        data = optional("torch_geometric.data", "torch-geometric", "gnn", "HeteroData").HeteroData()
        torch = optional("torch", "torch", "gnn", "HeteroData")
        place = np.zeros(len(self.labels), np.int64)
        for kind in NodeType:
            chosen = np.flatnonzero(self.node_types == kind)
            if len(chosen):
                place[chosen] = np.arange(len(chosen))
                store = data[kind.name.lower()]
                store.x = torch.from_numpy(self.node_features[chosen][:, _columns(NODE_FEATURES, kind)])
                store.label = [self.labels[k] for k in chosen]
        ends = self.node_types[self.edges]
        triples = np.stack([ends[0], self.edge_types, ends[1]])
        for source, kind, target in np.unique(triples, axis=1).T.tolist():
            chosen = np.flatnonzero(np.equal(triples.T, (source, kind, target)).all(axis=1))
            key = NodeType(source).name.lower(), EdgeType(kind).name.lower(), NodeType(target).name.lower()
            data[key].edge_index = torch.from_numpy(place[self.edges[:, chosen]])
            features = self.edge_features[chosen][:, _columns(EDGE_FEATURES, EdgeType(kind))]
            data[key].edge_attr = torch.from_numpy(features)
        return data

    def __str__(self) -> str:
        nodes = [f"{NodeType(k).name.lower()} {label}" for k, label in zip(self.node_types, self.labels, strict=True)]
        lines = list(nodes)
        for k, kind in enumerate(self.edge_types):
            source, target = self.edges[:, k]
            lines.append(f"{nodes[source]} -{EdgeType(kind).name.lower()}-> {nodes[target]}")
        return "\n".join(lines)


class Assembly:
    """Collects nodes and edges, in the order in which they are to stand.

    Args:
        first: the index of the first node; more than 0 in a part that comes behind another graph.
    """

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._labels: list[str] = []
        self._node_types: list[int] = []
        self._node_rows: list[Sequence[float] | Features] = []
        self._ends: list[int] = []
        self._edge_types: list[int] = []
        self._edge_rows: list[Features] = []

    def node(self, kind: NodeType, label: str, row: Sequence[float] | Features) -> int:
        """A node with its row of features; returns its index."""
        self._labels.append(label)
        self._node_types.append(int(kind))
        self._node_rows.append(row)
        return self._first + len(self._labels) - 1

    def edge(self, kind: EdgeType, source: int, target: int, values: Sequence[tuple[int, float]] = ()) -> None:
        """An edge with its features that are not 0, as (column, value)."""
        self._ends += (source, target)
        self._edge_types.append(int(kind))
        self._edge_rows.append(_edge_row(tuple(values)))

    def graph(self) -> ProgramGraph:
        edges = np.array(self._ends, np.int32).reshape(-1, 2).T
        return ProgramGraph(
            tuple(self._labels),
            np.array(self._node_types, np.int8),
            _rows(self._node_rows, len(NODE_FEATURES)),
            np.ascontiguousarray(edges),
            np.array(self._edge_types, np.int8),
            _rows(self._edge_rows, len(EDGE_FEATURES)),
        )


def _rows(rows: Sequence[Sequence[float] | Features], width: int) -> Features:
    if not rows:
        return np.zeros((0, width), np.float32)
    return np.concatenate(rows).reshape(-1, width).astype(np.float32, copy=False)


@lru_cache(maxsize=1 << 14)
def _edge_row(values: tuple[tuple[int, float], ...]) -> Features:
    """Edges of few kinds make up most graphs, and an agent asks for one in every step."""
    row = np.zeros(len(EDGE_FEATURES), np.float32)
    for column, value in values:
        row[column] = value
    return row


def _columns(features: Sequence[Feature], kind: NodeType | EdgeType) -> list[int]:
    return [k for k, feature in enumerate(features) if kind in feature.types]


def _decoded(features: Sequence[Feature], kind: NodeType | EdgeType, row: Features) -> dict[str, float | int | bool]:
    return {features[k].name: features[k].decoded(float(row[k])) for k in _columns(features, kind)}
