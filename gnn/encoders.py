"""Encoders: a batch of observations becomes one vector for each.

`GraphEncoder` reads the one typed graph of `polyloop.graphs`; edges are followed both ways, the way back with types of
its own. The embedding of an observation is that of the node where the next decision is (the cursor's loop, the current
dependence, the current generator), beside the mean and the maximum over the graph. `VectorEncoder` is the plain
baseline: LoopTune's rows of 20 features, or the vectors of the other environments, through a multi-layer perceptron.
`RowEncoder` and `AttentionEncoder` read the rows of Cursor-v1 with weights that all rows share. What stands beside
graphs and rows (the steps left, the machine) is added to every node and row, or looked at by all. `GraphTransformer` is
message passing and attention in turn.

References:
    Brody, Alon and Yahav, "How Attentive are Graph Attention Networks?", ICLR 2022 (GATv2).
    Hu et al., "Strategies for Pre-training Graph Neural Networks", ICLR 2020 (GINE).
    Grubisic et al., "LoopTune", 2023 (the perceptron over rows).
    Rampášek et al., "Recipe for a General, Powerful, Scalable Graph Transformer", NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from polyloop.errors import PolyloopError
from polyloop.gnn.samples import Batch
from polyloop.graphs.features import (
    EDGE_COLUMNS,
    EDGE_FEATURES,
    LOG_RANGE,
    MOST_DEEP,
    NODE_COLUMNS,
    NODE_FEATURES,
    EdgeType,
    NodeType,
)
from polyloop.support.libraries import optional

Kind = Literal["gatv2", "gine", "relational", "transformer", "vector", "rows", "attention"]

BUMPS = 17
"""Sizes, steps and strides are shown to `GraphTransformer` by their distance from the powers of two below 2 to this."""


@dataclass(frozen=True)
class EncoderSettings:
    """What an encoder is built from.

    Attributes:
        kind: "gatv2" and "gine" put an edge's type beside its features; "relational" has a convolution for each edge
            type (and direction); "transformer" is message passing and attention; "vector" is the perceptron; "rows" has
            convolutions over neighbouring rows; in "attention" every row looks at every other.
        width: of the embeddings.
        layers: convolutions, or hidden layers of the perceptron.
        heads: of GATv2 and of attention; they share the width.
        edges: False cuts all edges: what is left is a set of nodes (for ablations).
        machine: False hides the machine beside graphs and rows (for ablations).
        inputs: shape of an observation, for "vector", "rows" and "attention".
        context: features beside graphs and rows.
    """

    kind: Kind = "gatv2"
    width: int = 64
    layers: int = 3
    heads: int = 4
    edges: bool = True
    machine: bool = True
    inputs: tuple[int, ...] = ()
    context: int = 0


class Encoder(nn.Module):
    """Observations to embeddings of `size` numbers."""

    size: int

    def forward(self, batch: Batch) -> Tensor:
        """Shape (B, size)."""
        raise NotImplementedError


def encoder(settings: EncoderSettings) -> Encoder:
    """The encoder that the settings describe, with fresh weights.

    Raises:
        PolyloopError: for a width that GATv2's heads cannot share.
    """
    if settings.kind in ("gatv2", "attention", "transformer") and settings.width % settings.heads:
        raise PolyloopError(
            f"width {settings.width}: the {settings.heads} heads of {settings.kind} need a multiple of that"
        )
    kinds: dict[str, type[Encoder]] = {
        "vector": VectorEncoder,
        "rows": RowEncoder,
        "attention": AttentionEncoder,
        "transformer": GraphTransformer,
    }
    return kinds.get(settings.kind, GraphEncoder)(settings)


class VectorEncoder(Encoder):
    """A perceptron over all features; those beyond -1..1 (LoopTune's sizes) enter by their logarithm."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        sizes = [torch.Size(settings.inputs).numel(), *[settings.width] * settings.layers]
        self.layers = nn.Sequential(*(part for a, b in pairwise(sizes) for part in (nn.Linear(a, b), nn.ReLU())))
        self.size = settings.width

    def forward(self, batch: Batch) -> Tensor:
        values = batch["vector"].flatten(1)
        large = values.abs().clamp(min=1)
        return cast(Tensor, self.layers(values.clamp(-1, 1) + values.sign() * large.log2() / 4))


class RowEncoder(Encoder):
    """Convolutions over the rows of a program; the first feature of a row says that there is one, the second that the
    cursor stands there (`polyloop.cursor.loop_rows.ROW`)."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        width = settings.width
        self.features = nn.Linear(settings.inputs[-1], width)
        self.context = nn.Linear(settings.context, width)
        self.convolutions = nn.ModuleList(nn.Conv1d(width, width, 3, padding=1) for _ in range(settings.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(settings.layers))
        self.size = 3 * width

    def forward(self, batch: Batch) -> Tensor:
        rows = _filled(batch["rows"])
        there, current = rows[..., :1], rows[..., 1:2]
        values = (self.features(rows) + self.context(batch["context"]).unsqueeze(1)) * there
        for layer, norm in zip(self.convolutions, self.norms, strict=True):
            convolution = cast(nn.Conv1d, layer)
            # Along so few rows one product of matrices takes half the time of the convolution itself.
            beside = nn.functional.pad(values, (0, 0, 1, 1))
            seen = torch.cat([beside[:, :-2], values, beside[:, 2:]], 2)
            change = nn.functional.linear(seen, convolution.weight.permute(0, 2, 1).flatten(1), convolution.bias)
            values = norm(values + change.relu()) * there
        count = there.sum(1).clamp(min=1)
        largest = values.masked_fill(there == 0, -1e9).amax(1).clamp(min=-1e3)
        return torch.cat([(values * current).sum(1), values.sum(1) / count, largest], 1)


class AttentionEncoder(Encoder):
    """Every row of a program looks at every other, and at the context, which stands before the first.

    Rows know where they stand, counted from the outermost loop and from the cursor's.

    References:
        Vaswani et al., "Attention Is All You Need", NeurIPS 2017; normalised first, as in Xiong et al., "On Layer
        Normalization in the Transformer Architecture", ICML 2020.
    """

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        rows, width = settings.inputs[0], settings.width
        self.features = nn.Linear(settings.inputs[-1], width)
        self.context = nn.Linear(settings.context, width)
        self.places = nn.Embedding(rows, width)
        self.distances = nn.Embedding(2 * rows, width)
        self.blocks = nn.ModuleList(_Attention(width, settings.heads) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(width)
        self.size = 3 * width

    def forward(self, batch: Batch) -> Tensor:
        room, rows = batch["rows"].shape[1], _filled(batch["rows"])
        there, current = rows[..., :1], rows[..., 1:2]
        place = torch.arange(rows.shape[1], device=rows.device)
        distance = place - current.squeeze(2).argmax(1, keepdim=True) + room
        values = self.features(rows) + self.places(place) + self.distances(distance)
        values = torch.cat([self.context(batch["context"]).unsqueeze(1), values], 1)
        seen = torch.cat([torch.ones_like(there[:, :1, 0]), there.squeeze(2)], 1).bool()
        for block in self.blocks:
            values = block(values, seen)
        values = self.norm(values)
        first, values = values[:, 0], values[:, 1:]
        largest = values.masked_fill(there == 0, -1e9).amax(1).clamp(min=-1e3)
        return torch.cat([(values * current).sum(1), first, largest], 1)


def _filled(rows: Tensor) -> Tensor:
    """Without those that no program of the batch has: nobody looks at them."""
    return rows[:, : max(int(rows[..., 0].sum(1).max()), 1)]


class _Attention(nn.Module):
    """Rows (B, R, width) that look at those of `seen` (B, R), and a perceptron for each."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.looks = nn.Linear(width, 3 * width)
        self.back = nn.Linear(width, width)
        self.perceptron = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, values: Tensor, seen: Tensor) -> Tensor:
        found = self._found(self.looks(self.norms[0](values)), seen)
        return self._behind(values, found)

    def of_some(self, values: Tensor, place: Tensor, seen: Tensor) -> Tensor:
        """The same, of rows (N, width) that stand at some places of the table laid out flat: where sizes differ, most
        of a table is empty, and only looking takes all of it."""
        looks = self.looks(self.norms[0](values))
        table = looks.new_zeros(seen.numel(), looks.shape[1]).index_copy(0, place, looks)
        found = self._found(table.view(*seen.shape, -1), seen)
        return self._behind(values, found.flatten(0, 1)[place])

    def _found(self, looks: Tensor, seen: Tensor) -> Tensor:
        """What rows find that ask, say what they have, and give it (B, R, 3 width)."""
        count, rows, _ = looks.shape
        parts = looks.view(count, rows, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        found = scaled_dot_product_attention(parts[0], parts[1], parts[2], seen[:, None, None, :])
        return found.transpose(1, 2).reshape(count, rows, -1)

    def _behind(self, values: Tensor, found: Tensor) -> Tensor:
        values = values + self.back(found)
        return cast(Tensor, values + self.perceptron(self.norms[1](values)))


class GraphEncoder(Encoder):
    """Message passing over the typed graph; see `EncoderSettings`."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        width = settings.width
        self.settings = settings
        self.features = nn.Linear(len(NODE_FEATURES), width)
        self.node_types = nn.Embedding(len(NodeType), width)
        self.context = nn.Linear(settings.context, width) if settings.context else None
        # One type more for each way back.
        self.edge_types = nn.Embedding(2 * len(EdgeType), 16)
        self.convolutions = nn.ModuleList(_convolution(settings) for _ in range(settings.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(settings.layers))
        self.size = 3 * width

    def forward(self, batch: Batch) -> Tensor:
        nodes = self.features(batch["node_features"]) + self.node_types(batch["node_types"].long())
        if self.context is not None:
            nodes = nodes + self.context(batch["context"])[batch["graph"]]
        ends, types, features = _both_ways(batch, self.settings.edges)
        if self.settings.kind != "relational":
            features = torch.cat([features, self.edge_types(types)], 1)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            if self.settings.kind == "relational":
                change = convolution(nodes, ends, types, features)
            else:
                change = convolution(nodes, ends, edge_attr=features)
            nodes = norm(nodes + change.relu())
        return _pooled(nodes, batch)


class GraphTransformer(Encoder):
    """In turn a message along every edge, and every node looks at every other of its graph and at the context.

    Messages say what a number of the graph means to its neighbours (a loop's stride in an array, say), attention
    compares loops that no edge connects. A stride of 1 is another thing than one of 2: besides their logarithm, sizes,
    steps and strides are shown by how close they are to each power of two. Nodes know how deep they stand, counted from
    the outermost loop and from the cursor's.
    """

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__()
        width = settings.width
        self.settings = settings
        self.features = nn.Linear(len(NODE_FEATURES) + len(_NODE_NUMBERS) * BUMPS, width)
        self.node_types = nn.Embedding(len(NodeType), width)
        self.edge_features = nn.Linear(len(EDGE_FEATURES) + len(_EDGE_NUMBERS) * BUMPS, width)
        self.edge_types = nn.Embedding(2 * len(EdgeType), width)
        self.context = nn.Linear(max(settings.context, 1), width)
        self.depths = nn.Embedding(MOST_DEEP + 1, width)
        self.distances = nn.Embedding(2 * MOST_DEEP + 1, width)
        self.messages = nn.ModuleList(nn.Linear(width, width) for _ in range(settings.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(settings.layers))
        self.blocks = nn.ModuleList(_Attention(width, settings.heads) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(width)
        self.size = 3 * width

    def forward(self, batch: Batch) -> Tensor:
        graph, count = batch["graph"], int(batch["graphs"])
        features = batch["node_features"].float()
        current = features[:, NODE_COLUMNS["current"]].unsqueeze(1)
        nodes = self.features(_with_bumps(features, _NODE_NUMBERS)) + self.node_types(batch["node_types"].long())
        nodes = nodes + self._placed(features, current, graph, count)
        ends, types, along = _edges(batch, self.settings.edges)
        along = self.edge_features(_with_bumps(along.float(), _EDGE_NUMBERS))
        kinds = self.edge_types.weight
        along = torch.cat([along + kinds[types], along + kinds[types + len(EdgeType)]])
        ends = torch.cat([ends, ends.flip(0)], 1)
        # The nodes of a graph as a row of a table, in which the context stands first.
        sizes = torch.bincount(graph, minlength=count)
        seen = torch.arange(1 + int(sizes.max()), device=graph.device) <= sizes.unsqueeze(1)
        starts = torch.arange(count, device=graph.device) * seen.shape[1]
        behind = torch.arange(1, 1 + len(graph), device=graph.device) - (sizes.cumsum(0) - sizes)[graph]
        place = torch.cat([starts, starts[graph] + behind])
        beside = batch["context"] if self.settings.context else features.new_ones(count, 1)
        values = torch.cat([self.context(beside), nodes])
        for message, norm, block in zip(self.messages, self.norms, self.blocks, strict=True):
            nodes = values[count:]
            sent = (norm(nodes)[ends[0]] + along).relu()
            nodes = nodes + message(torch.zeros_like(nodes).index_add(0, ends[1], sent))
            values = cast(_Attention, block).of_some(torch.cat([values[:count], nodes]), place, seen)
        values = self.norm(values)
        first, nodes = values[:count], values[count:]
        largest = _scatter(nodes, graph, count, "max").clamp(min=-1e3)
        here = torch.zeros_like(first).index_add(0, graph, nodes * current)
        return torch.cat([here, first, largest], 1)

    def _placed(self, features: Tensor, current: Tensor, graph: Tensor, count: int) -> Tensor:
        """What the depths of loops and computations come to; no other node has one."""
        depth = features[:, NODE_COLUMNS["depth"]].unsqueeze(1) * MOST_DEEP
        here = depth.new_zeros(count, 1).index_add(0, graph, depth * current)[graph]
        own, distance = (value.squeeze(1).round().long() for value in (depth, depth - here + MOST_DEEP))
        return cast(Tensor, self.depths(own) + self.distances(distance))


_NODE_NUMBERS = tuple(NODE_COLUMNS[name] for name in ("size", "tail", "step"))
_EDGE_NUMBERS = (EDGE_COLUMNS["stride"],)


def _with_bumps(features: Tensor, columns: Sequence[int]) -> Tensor:
    """The features, and behind them for each of some logarithms, from each power of two, 1 less the distance, or 0."""
    logarithms = features[:, columns].abs().unsqueeze(2) * LOG_RANGE
    bumps = (1 - (logarithms - torch.arange(BUMPS, device=features.device)).abs()).clamp(min=0)
    return torch.cat([features, bumps.flatten(1)], 1)


class Relational(nn.Module):
    """A convolution with a matrix for each edge type: mean over the type's neighbours, edge features added.

    References:
        Schlichtkrull et al., "Modeling Relational Data with Graph Convolutional Networks", ESWC 2018; there edges have
        no features.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.empty(2 * len(EdgeType), width, width))
        nn.init.xavier_uniform_(self.weights)
        self.edges = nn.Linear(len(EDGE_FEATURES), width)
        self.own = nn.Linear(width, width)

    def forward(self, nodes: Tensor, ends: Tensor, types: Tensor, features: Tensor) -> Tensor:
        messages = (nodes[ends[0]] + self.edges(features)).relu()
        result: Tensor = self.own(nodes)
        for kind in sorted(set(types.tolist())):
            of_kind = types == kind
            gathered = _scatter(messages[of_kind], ends[1][of_kind], len(nodes), "mean")
            result = result + gathered @ self.weights[kind]
        return result


def _geometric(module: str) -> Any:
    """A module of torch-geometric, which takes longer to import than torch, and which the perceptron does without."""
    return optional(f"torch_geometric.{module}", "torch-geometric", "gnn", "an agent that reads graphs")


def _scatter(source: Tensor, index: Tensor, size: int, reduce: str) -> Tensor:
    """Rows gathered into `size` rows: the one at each index."""
    return cast(Tensor, _geometric("utils").scatter(source, index, 0, size, reduce))


def _convolution(settings: EncoderSettings) -> nn.Module:
    width, edge = settings.width, len(EDGE_FEATURES) + 16
    match settings.kind:
        case "gatv2":
            made = _geometric("nn").GATv2Conv(
                width, width // settings.heads, settings.heads, edge_dim=edge, add_self_loops=False
            )
            return cast(nn.Module, made)
        case "gine":
            inner = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
            return cast(nn.Module, _geometric("nn").GINEConv(inner, edge_dim=edge))
        case _:
            return Relational(width)


def _edges(batch: Batch, edges: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Ends, types and features of the edges, or of none."""
    end = None if edges else 0
    return batch["edges"][:, :end], batch["edge_types"][:end].long(), batch["edge_features"][:end]


def _both_ways(batch: Batch, edges: bool) -> tuple[Tensor, Tensor, Tensor]:
    """As `_edges`, with their reverses."""
    ends, types, features = _edges(batch, edges)
    return (
        torch.cat([ends, ends.flip(0)], 1),
        torch.cat([types, types + len(EdgeType)]),
        torch.cat([features, features]),
    )


def _pooled(nodes: Tensor, batch: Batch) -> Tensor:
    graph, count = batch["graph"], int(batch["graphs"])
    current = batch["node_features"][:, NODE_COLUMNS["current"]].unsqueeze(1)
    parts = (
        _scatter(nodes * current, graph, count, "sum"),
        _scatter(nodes, graph, count, "mean"),
        _scatter(nodes, graph, count, "max"),
    )
    return torch.cat(parts, 1)
