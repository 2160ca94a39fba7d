"""Graphs as arrays of one size, which vector environments and learning libraries take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.graphs.features import EDGE_FEATURES, NODE_FEATURES
from polyloop.graphs.program_graph import ProgramGraph


class GraphCapError(PolyloopError):
    """A graph that is larger than the arrays; the message says by how much."""


@dataclass(frozen=True)
class GraphSize:
    """Room for nodes and edges."""

    nodes: int
    edges: int

    def padded(self, graph: ProgramGraph) -> dict[str, NDArray[Any]]:
        """The graph's arrays with zeros behind them, and masks that say what is there.

        Returns:
            `node_features` (nodes, NODE_FEATURES) float32, `node_types` (nodes,) int8, `node_mask` (nodes,) int8,
            `edges` (2, edges) int32, `edge_features` (edges, EDGE_FEATURES) float32, `edge_types` (edges,) int8,
            `edge_mask` (edges,) int8.
        Raises:
            GraphCapError: if there is not enough room.
        """
        nodes, edges = graph.size
        for what, count, cap in (("nodes", nodes, self.nodes), ("edges", edges, self.edges)):
            if count > cap:
                raise GraphCapError(f"this program's graph has {count} {what}; observations have room for {cap}")
        result: dict[str, NDArray[Any]] = {
            "node_features": np.zeros((self.nodes, len(NODE_FEATURES)), np.float32),
            "node_types": np.zeros(self.nodes, np.int8),
            "node_mask": np.zeros(self.nodes, np.int8),
            "edges": np.zeros((2, self.edges), np.int32),
            "edge_features": np.zeros((self.edges, len(EDGE_FEATURES)), np.float32),
            "edge_types": np.zeros(self.edges, np.int8),
            "edge_mask": np.zeros(self.edges, np.int8),
        }
        result["node_features"][:nodes] = graph.node_features
        result["node_types"][:nodes] = graph.node_types
        result["node_mask"][:nodes] = 1
        result["edges"][:, :edges] = graph.edges
        result["edge_features"][:edges] = graph.edge_features
        result["edge_types"][:edges] = graph.edge_types
        result["edge_mask"][:edges] = 1
        return result
