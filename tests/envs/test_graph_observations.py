"""Graph observations: what the mask says, room, and the unpadded forms."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from polyloop.envs.scheduling_env import SchedulingEnv
from polyloop.envs.scheduling_view import CONSTRUCTION_GRAPH, EXPLORATION_GRAPH
from polyloop.graphs.features import NODE_COLUMNS, NodeType
from polyloop.graphs.padding import GraphCapError
from polyloop.shipped.kernels import kernel_names

IDS = ("polyloop/Construct-v0", "polyloop/Explore-v0", "polyloop/Schedule-v0")

all_environments = pytest.mark.parametrize("name", IDS)


def make(name: str, kernel: str = "gemm", **arguments: Any) -> SchedulingEnv[Any]:
    chosen = {"evaluator": "model", "observation": "graph", **arguments}
    env = gymnasium.make(name, kernel=kernel, **chosen).unwrapped
    assert isinstance(env, SchedulingEnv)
    return env


@all_environments
@pytest.mark.parametrize("kernel", ["gemm", "trisolv"])
def test_every_observation_is_the_padded_graph_of_the_state(name: str, kernel: str) -> None:
    env, generator, ended = make(name, kernel), np.random.default_rng(0), False
    observation, info = env.reset(seed=0)
    while True:
        assert isinstance(observation, dict)
        assert observation in env.observation_space
        assert observation["action_mask"].tolist() == info["action_mask"].tolist()
        graph = env.graph
        nodes, edges = graph.size
        assert (observation["node_mask"].sum(), observation["edge_mask"].sum()) == (nodes, edges)
        assert np.array_equal(observation["node_features"][:nodes], graph.node_features)
        assert np.array_equal(observation["edges"][:, :edges], graph.edges)
        assert (env.to_networkx().number_of_nodes(), env.to_networkx().number_of_edges()) == (nodes, edges)
        if ended:
            break
        action = generator.choice(np.flatnonzero(info["action_mask"]))
        observation, _, ended, _, info = env.step(action)


def test_schedule_has_generators_in_its_second_phase_only() -> None:
    env, generator = make("polyloop/Schedule-v0"), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    ended, phases = False, []
    while not ended:
        exploring = bool(info["action_mask"][3:].any())
        phases.append(exploring)
        assert (env.graph.node_types == NodeType.GENERATOR).any() == exploring
        _, _, ended, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
    assert phases == sorted(phases)
    assert set(phases) == {False, True}


def test_what_can_be_carried_is_what_the_mask_says() -> None:
    env, generator, ended = make("polyloop/Construct-v0", "trisolv"), np.random.default_rng(2), False
    _, info = env.reset()
    while not ended:
        rows = env.graph.node_features[env.graph.node_types == NodeType.DEPENDENCE]
        (current,) = np.flatnonzero(rows[:, NODE_COLUMNS["current"]])
        assert rows[current, NODE_COLUMNS["possible"]] == info["action_mask"][2]
        moves = (rows[:, NODE_COLUMNS["next"]] > 0) & (rows[:, NODE_COLUMNS["current"]] == 0)
        assert moves.any() == info["action_mask"][1]
        _, _, ended, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))


def test_beyond_the_room_there_is_a_named_error() -> None:
    env = make("polyloop/Construct-v0", graph_size=[12, 100])
    with pytest.raises(GraphCapError, match=r"this program's graph has \d+ nodes; observations have room for 12"):
        env.reset()


def test_the_room_covers_every_kernel() -> None:
    generator = np.random.default_rng(0)
    for kernel in kernel_names():
        for name, room in (("polyloop/Construct-v0", CONSTRUCTION_GRAPH), ("polyloop/Explore-v0", EXPLORATION_GRAPH)):
            env = make(name, kernel)
            _, info = env.reset()
            for _ in range(300):
                _, _, ended, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
                nodes, edges = env.graph.size
                assert nodes <= room.nodes
                assert edges <= room.edges
                if ended:
                    break
