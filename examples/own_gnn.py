"""A graph network of one's own in Cursor-v0, trained by REINFORCE on unpadded graphs: pip install 'polyloop[gnn]'

The graph has typed nodes (loops, data, computations) and typed edges (nesting, flow, strides), all with features; see
polyloop.graphs.features. Nothing of polyloop.gnn is used here.
"""

import sys

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import polyloop  # noqa: F401 (registers the environments)
from polyloop.envs.cursor import CursorEnv
from polyloop.graphs.features import EDGE_FEATURES, NODE_COLUMNS, NODE_FEATURES, EdgeType, NodeType
from polyloop.graphs.program_graph import ProgramGraph


class OwnGNN(nn.Module):
    """Sums messages along the edges, both ways, twice; scores the actions at the cursor's loop."""

    def __init__(self, actions: int, width: int = 32) -> None:
        super().__init__()
        self.nodes = nn.Linear(len(NODE_FEATURES) + len(NodeType), width)
        self.edges = nn.Linear(len(EDGE_FEATURES) + len(EdgeType), width)
        self.updates = nn.ModuleList(nn.Linear(3 * width, width) for _ in range(2))
        self.head = nn.Linear(2 * width, actions)

    def forward(self, graph: ProgramGraph, mask: NDArray[np.bool_]) -> Tensor:
        features, types = torch.from_numpy(graph.node_features), torch.from_numpy(graph.node_types).long()
        nodes = self.nodes(torch.cat([features, nn.functional.one_hot(types, len(NodeType))], 1)).relu()
        kinds = nn.functional.one_hot(torch.from_numpy(graph.edge_types).long(), len(EdgeType))
        edges = self.edges(torch.cat([torch.from_numpy(graph.edge_features), kinds], 1))
        source, target = torch.from_numpy(graph.edges).long()
        for update in self.updates:
            there = torch.zeros_like(nodes).index_add(0, target, (nodes[source] + edges).relu())
            back = torch.zeros_like(nodes).index_add(0, source, (nodes[target] + edges).relu())
            nodes = nodes + update(torch.cat([nodes, there, back], 1)).relu()
        cursor = features[:, NODE_COLUMNS["current"]].argmax()
        scores = self.head(torch.cat([nodes[cursor], nodes.mean(0)]))
        legal: Tensor = torch.from_numpy(mask)
        return torch.where(legal, scores, -1e9)  # illegal actions get no probability


episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 600
env = gymnasium.make("polyloop/Cursor-v0", workload="MM-128", evaluator="model")
cursor = env.unwrapped
assert isinstance(cursor, CursorEnv)
torch.manual_seed(0)
torch.set_num_threads(1)  # graphs are too small for more
network = OwnGNN(len(cursor.action_names))
optimizer, baseline = torch.optim.Adam(network.parameters(), 3e-3), 0.0
returns: list[float] = []
for _ in range(episodes):
    _, info = env.reset()
    logarithms, rewards, evenness, over = [], [], 0.0, False
    while not over:
        policy = torch.distributions.Categorical(logits=network(cursor.graph, info["action_mask"].astype(bool)))
        action = policy.sample()
        logarithms.append(policy.log_prob(action))
        evenness += policy.entropy()  # without a prize on it, some seeds settle on doing nothing
        _, reward, ended, over, info = env.step(action.numpy())
        rewards.append(float(reward))
    to_come = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.stack(logarithms) * (to_come - baseline)).sum() - 0.01 * evenness
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    returns.append(sum(rewards))
    baseline += 0.05 * (sum(rewards) / 2 - baseline)
fifth = max(1, len(returns) // 5)
first, last = sum(returns[:fifth]) / fifth, sum(returns[-fifth:]) / fifth
print(f"mean return: {first:.3f} in the first fifth of the episodes, {last:.3f} in the last")
