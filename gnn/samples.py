"""Observations for networks: kept without padding, put together into batches of tensors.

Environments pad graphs so that every observation has one shape. Here the padding is cut away again: a replay memory
then holds what is there, and a batch of graphs is one graph of their disjoint union, which is what encoders work on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyloop.graphs.program_graph import ProgramGraph

Array: TypeAlias = NDArray[Any]
Sample: TypeAlias = Mapping[str, Array]
"""One observation: "vector" alone, or the arrays of a graph without padding, or "rows"; with the last two "context" in
the second versions of environments."""

Batch: TypeAlias = dict[str, Tensor]
"""Observations together. "vector" or "rows" (B, ...) float32, "context" (B, ...) where there is one; or of graphs with
N nodes and E edges in all: "node_features" (N, features), "node_types" (N,), "edges" (2, E), "edge_features" (E,
features), "edge_types" (E,), "graph" (N,) the graph that a node belongs to, "graphs" () how many there are."""

_WHOLE = ("vector", "rows", "context")
_NODES, _EDGES = ("node_features", "node_types"), ("edge_features", "edge_types")


def sample_of(observation: Array | Mapping[str, Array]) -> Sample:
    """An environment's observation without its padding, and without the mask, which goes its own way."""
    if not isinstance(observation, Mapping):
        return {"vector": np.array(observation, np.float32)}
    if "node_mask" not in observation:
        names = {"observation": "vector", "rows": "rows", "context": "context"}
        return {new: np.array(observation[old], np.float32) for old, new in names.items() if old in observation}
    nodes, edges = int(observation["node_mask"].sum()), int(observation["edge_mask"].sum())
    result = {name: np.array(observation[name][:nodes]) for name in _NODES}
    result |= {name: np.array(observation[name][:edges]) for name in _EDGES}
    result["edges"] = np.array(observation["edges"][:, :edges])
    return result | ({"context": np.array(observation["context"])} if "context" in observation else {})


def sample_of_graph(graph: ProgramGraph, context: Array | None = None) -> Sample:
    """A graph that was never padded."""
    beside = {} if context is None else {"context": context}
    return {name: getattr(graph, name) for name in (*_NODES, *_EDGES, "edges")} | beside


def samples_of(observations: Array | Mapping[str, Array]) -> list[Sample]:
    """The observations of a vector environment, one by one."""
    if not isinstance(observations, Mapping):
        return [sample_of(row) for row in observations]
    count = len(next(iter(observations.values())))
    return [sample_of({name: values[k] for name, values in observations.items()}) for k in range(count)]


def batch_of_padded(observations: Mapping[str, Tensor]) -> Batch:
    """Padded graph observations, as learning libraries stack them, as one batch; every array has (B, ...)."""
    there, edges_there = observations["node_mask"].bool(), observations["edge_mask"].bool()
    count, room = there.shape
    place = there.flatten().cumsum(0) - 1
    starts = torch.arange(count, device=there.device).unsqueeze(1) * room
    ends = observations["edges"].long() + starts.unsqueeze(1)
    return {
        "node_features": observations["node_features"][there].float(),
        "node_types": observations["node_types"][there].long(),
        "edge_features": observations["edge_features"][edges_there].float(),
        "edge_types": observations["edge_types"][edges_there].long(),
        "edges": place[ends.transpose(0, 1)[:, edges_there]],
        "graph": (starts // room).expand(count, room)[there],
        "graphs": torch.tensor(count),
    } | ({"context": observations["context"].float()} if "context" in observations else {})


def collate(samples: Sequence[Sample]) -> Batch:
    """Several observations of one form as one batch."""
    batch = {
        name: torch.from_numpy(np.stack([sample[name] for sample in samples])) for name in _WHOLE if name in samples[0]
    }
    if "node_types" not in samples[0]:
        return batch
    counts = np.array([len(sample["node_types"]) for sample in samples])
    starts = np.cumsum(counts) - counts
    batch |= {
        name: torch.from_numpy(np.concatenate([sample[name] for sample in samples])) for name in (*_NODES, *_EDGES)
    }
    batch["edges"] = torch.from_numpy(
        np.concatenate(
            [sample["edges"].astype(np.int64) + start for sample, start in zip(samples, starts, strict=True)], axis=1
        )
    )
    batch["graph"] = torch.from_numpy(np.repeat(np.arange(len(samples)), counts))
    batch["graphs"] = torch.tensor(len(samples))
    return batch
