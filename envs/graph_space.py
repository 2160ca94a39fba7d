"""Graph observations: a program graph in arrays of one size, the same for every kernel, and the mask of actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.graphs.features import EDGE_FEATURES, NODE_FEATURES, EdgeType, NodeType
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph


class GraphForms(ABC):
    """What environments with a graph of their state have in common."""

    @property
    @abstractmethod
    def graph(self) -> ProgramGraph:
        """The state as a graph that is not padded, whatever the observations are."""

    def to_networkx(self) -> Any:
        """The state as a `networkx.MultiDiGraph`; see `ProgramGraph.to_networkx`."""
        return self.graph.to_networkx()

    def to_heterodata(self) -> Any:
        """The state as torch-geometric's HeteroData; see `ProgramGraph.to_heterodata`."""
        return self.graph.to_heterodata()


def graph_space(size: GraphSize, actions: int, context: spaces.Box | None = None) -> spaces.Dict:
    """The space of `graph_observation`: the keys of `GraphSize.padded`, `action_mask`, and `context` if it is given."""
    nodes, edges = size.nodes, size.edges
    return spaces.Dict(
        {
            "node_features": spaces.Box(-1, 1, (nodes, len(NODE_FEATURES)), np.float32),
            "node_types": spaces.Box(0, len(NodeType) - 1, (nodes,), np.int8),
            "node_mask": spaces.Box(0, 1, (nodes,), np.int8),
            "edges": spaces.Box(0, max(nodes - 1, 0), (2, edges), np.int32),
            "edge_features": spaces.Box(-1, 1, (edges, len(EDGE_FEATURES)), np.float32),
            "edge_types": spaces.Box(0, len(EdgeType) - 1, (edges,), np.int8),
            "edge_mask": spaces.Box(0, 1, (edges,), np.int8),
            "action_mask": spaces.MultiBinary(actions),
        }
        | ({} if context is None else {"context": context})
    )


def graph_observation(size: GraphSize, graph: ProgramGraph, mask: NDArray[np.int8]) -> dict[str, NDArray[Any]]:
    """A graph, padded, and the mask.

    Raises:
        GraphCapError: if the graph is larger than `size`.
    """
    return size.padded(graph) | {"action_mask": mask}


def checked_graph_size(given: Sequence[int] | None, default: GraphSize) -> GraphSize:
    """The argument `graph_size` of an environment, [nodes, edges]; None for the default.

    Raises:
        EnvironmentArgumentError: if it is not two positive integers.
    """
    if given is None:
        return default
    values = list(given)
    if len(values) != 2 or not all(isinstance(value, int) and value > 0 for value in values):
        raise EnvironmentArgumentError(f"graph_size={given!r}: room for [nodes, edges] is two positive integers")
    return GraphSize(*values)
