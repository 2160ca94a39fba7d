from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
import torch

from polyloop.gnn.encoders import EncoderSettings, Kind, RowEncoder, _with_bumps
from polyloop.gnn.networks import FORBIDDEN, Network, NetworkSettings, heads_of
from polyloop.gnn.samples import Sample, batch_of_padded, collate, sample_of, sample_of_graph, samples_of
from polyloop.graphs.context import CONTEXT, MACHINE
from polyloop.graphs.features import EDGE_FEATURES, NODE_COLUMNS, NODE_FEATURES, EdgeType, NodeType, log_scaled
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph

GRAPH_KINDS: tuple[Kind, ...] = ("gatv2", "gine", "relational", "transformer")


def _graph(seed: int, nodes: int = 7, edges: int = 12) -> ProgramGraph:
    random = np.random.default_rng(seed)
    features = random.random((nodes, len(NODE_FEATURES))).astype(np.float32)
    features[:, NODE_COLUMNS["current"]] = np.arange(nodes) == 2
    return ProgramGraph(
        tuple(map(str, range(nodes))),
        random.integers(0, len(NodeType), nodes).astype(np.int8),
        features,
        random.integers(0, nodes, (2, edges)).astype(np.int32),
        random.integers(0, len(EdgeType), edges).astype(np.int8),
        random.random((edges, len(EDGE_FEATURES))).astype(np.float32),
    )


def _sample(graph: ProgramGraph) -> Sample:
    return sample_of(GraphSize(10, 20).padded(graph))


def _network(kind: Kind, **settings: Any) -> Network:
    torch.manual_seed(0)
    return Network(NetworkSettings(EncoderSettings(kind, width=16, layers=2, **settings), (("cursor", 5),)))


def _outputs(network: Network, *samples: Sample) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.no_grad():
        scores, values = network(collate(samples), torch.ones(len(samples), 5, dtype=torch.bool))
    return scores, values


def test_padding_is_cut_away() -> None:
    graph = _graph(0)
    sample = _sample(graph)
    assert sample["node_features"].shape == graph.node_features.shape
    np.testing.assert_array_equal(sample["edges"], graph.edges)
    padded = GraphSize(10, 20).padded(graph)
    (again,) = samples_of({name: array[None] for name, array in padded.items()})
    assert all(np.array_equal(again[name], sample[name]) for name in sample)


@pytest.mark.parametrize("kind", GRAPH_KINDS)
def test_graphs_in_a_batch_do_not_see_each_other(kind: Kind) -> None:
    network, samples = _network(kind), [_sample(_graph(k, 3 + k, 4 * k)) for k in range(4)]
    together, values = _outputs(network, *samples)
    for k, sample in enumerate(samples):
        alone, value = _outputs(network, sample)
        torch.testing.assert_close(together[k : k + 1], alone)
        torch.testing.assert_close(values[k : k + 1], value)


@pytest.mark.parametrize("kind", GRAPH_KINDS)
def test_the_order_of_nodes_and_edges_does_not_matter(kind: Kind) -> None:
    network, graph = _network(kind), _graph(1)
    random = np.random.default_rng(0)
    nodes, edges = random.permutation(7), random.permutation(12)
    place = np.argsort(nodes).astype(np.int32)
    permuted = ProgramGraph(
        graph.labels,
        graph.node_types[nodes],
        graph.node_features[nodes],
        place[graph.edges[:, edges]],
        graph.edge_types[edges],
        graph.edge_features[edges],
    )
    for one, other in zip(_outputs(network, _sample(graph)), _outputs(network, _sample(permuted)), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("kind", GRAPH_KINDS)
def test_edges_count_unless_they_are_cut(kind: Kind) -> None:
    graph, other = _graph(1), _graph(1)
    other.edges[:] = (other.edges + 1) % 7
    for edges in (True, False):
        network = _network(kind, edges=edges)
        one, two = _outputs(network, _sample(graph))[0], _outputs(network, _sample(other))[0]
        assert torch.equal(one, two) is not edges


def test_a_transformer_tells_a_stride_of_one_from_longer_ones() -> None:
    numbers = torch.tensor([[log_scaled(stride)] for stride in (0, 1, -1, 2, 3, 7, 1 << 30)])
    bumps = _with_bumps(numbers, (0,))[:, 1:]
    assert bumps[:, :4].tolist() == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 1, 0, 0],
        pytest.approx([0, 2 - log2(3), log2(3) - 1, 0]),
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
    ]


def test_masked_actions_get_no_probability_and_do_not_count_in_the_mean() -> None:
    network = _network("vector", inputs=(3,))
    torch.nn.init.normal_(network.heads["cursor"][2].weight)  # type: ignore[index]
    batch = collate([{"vector": np.array([1, 2, 300], np.float32)}])
    mask = torch.tensor([[True, False, True, False, False]])
    scores, values = network(batch, mask)
    assert (scores[~mask] == FORBIDDEN).all()
    assert scores.softmax(1)[~mask].sum() == 0
    q_values = network.q_values(batch, mask)
    torch.testing.assert_close(q_values[mask].mean(), values[0])
    torch.testing.assert_close(q_values[mask].diff(), scores[mask].diff())


def test_the_heads_of_schedule_are_those_of_the_two_phases() -> None:
    assert heads_of("polyloop/Construct-v0", 3) == (("construction", 3),)
    assert heads_of("polyloop/Explore-v0", 3) == (("exploration", 3),)
    assert heads_of("polyloop/Schedule-v0", 6) == (("construction", 3), ("exploration", 3))
    assert heads_of("polyloop/Cursor-v0", 9) == (("cursor", 9),)
    assert heads_of("somebody/Else-v0", 9) == (("actions", 9),)


def test_padded_batches_are_the_same_graphs() -> None:
    graphs = [_graph(k, 3 + k, 4 * k) for k in range(4)]
    padded = [GraphSize(10, 20).padded(graph) for graph in graphs]
    stacked = {name: torch.from_numpy(np.stack([p[name] for p in padded])) for name in padded[0]}
    got, expected = batch_of_padded(stacked), collate([_sample(graph) for graph in graphs])
    assert got.keys() == expected.keys()
    assert all(torch.equal(got[name], expected[name].to(got[name].dtype)) for name in expected)


def test_a_network_may_be_kept_from_seeing_the_machine() -> None:
    graph, random = _graph(1), np.random.default_rng(0)
    context = random.random(len(CONTEXT)).astype(np.float32)
    other, later = context.copy(), context.copy()
    other[-len(MACHINE) :] = random.random(len(MACHINE))
    later[0] += 0.5
    samples = [sample_of_graph(graph, each) for each in (context, other, later)]
    for machine in (True, False):
        network = _network("gine", context=len(CONTEXT), machine=machine)
        # One by one: equal rows of a batch may differ in their last bits by where they stand in it.
        values = [_outputs(network, sample)[1] for sample in samples]
        assert torch.equal(values[0], values[1]) is not machine
        assert not torch.equal(values[0], values[2])


def test_rows_that_no_program_has_are_left_out_and_change_nothing() -> None:
    torch.manual_seed(0)
    settings = EncoderSettings("rows", width=8, layers=2, inputs=(12, 5), context=3)
    made = RowEncoder(settings)
    rows, context = torch.rand(2, 12, 5), torch.rand(2, 3)
    for which, count in ((0, 4), (1, 9)):
        rows[which, :, :2], rows[which, count:] = 0, 0
        rows[which, :count, 0], rows[which, 2, 1] = 1, 1
    together = made({"rows": rows, "context": context})
    alone = made({"rows": rows[:1], "context": context[:1]})
    torch.testing.assert_close(together[:1], alone)
    # The same by the convolutions themselves, over all rows.
    there = rows[..., :1]
    values = (made.features(rows) + made.context(context).unsqueeze(1)) * there
    for convolution, norm in zip(made.convolutions, made.norms, strict=True):
        values = norm(values + convolution(values.transpose(1, 2)).transpose(1, 2).relu()) * there
    largest = values.masked_fill(there == 0, -1e9).amax(1)
    expected = torch.cat([(values * rows[..., 1:2]).sum(1), values.sum(1) / there.sum(1), largest], 1)
    torch.testing.assert_close(together, expected)
