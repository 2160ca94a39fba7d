"""Networks: one encoder, a head for each kind of decision, one value.

An environment's actions are those of its heads, one behind the other: Cursor-v0 has the head "cursor", Construct-v0
"construction", Explore-v0 "exploration", and Schedule-v0 the last two, of which its masks leave one in each phase. So
what was learnt in one of them serves the others.

The same network is an actor and critic (scores are logits) and a dueling Q-network (scores are advantages): the
learners differ in what they do with the two outputs.

References:
    Wang et al., "Dueling Network Architectures for Deep Reinforcement Learning", ICML 2016.
    Huang and Ontañón, "A Closer Look at Invalid Action Masking in Policy Gradient Algorithms", 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from polyloop.gnn.encoders import EncoderSettings, encoder
from polyloop.gnn.samples import Batch
from polyloop.graphs.context import MACHINE
from polyloop.registration import CONSTRUCT, CURSOR, CURSOR_1, EXPLORE, SCHEDULES

FORBIDDEN = -1e9
"""Score of a masked action: no probability is left, and differences stay finite."""


TEMPERATURE = 0.5
"""Q-values are no logarithms of probabilities. A policy is made of them by the softmax of the values divided by so much
of the legal actions' standard deviation: of ten actions, one that is two deviations above the mean gets about three
quarters, whatever the rewards' scale is."""

CONSTRUCTION_ACTIONS = 3
"""next_dim, next_dep, select_dep."""

HEADS = {CONSTRUCT: "construction", EXPLORE: "exploration", CURSOR: "cursor", CURSOR_1: "cursor"}
"""Environment -> name of its head."""


@dataclass(frozen=True)
class NetworkSettings:
    """What a network is built from: its encoder, and how many actions each of its heads has."""

    encoder: EncoderSettings
    heads: tuple[tuple[str, int], ...]


class Network(nn.Module):
    """Scores of actions and the value of the state."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        self.encoder = encoder(settings.encoder)
        self.heads = nn.ModuleDict({name: _head(self.encoder.size, count) for name, count in settings.heads})
        self.value = _head(self.encoder.size, 1)

    def forward(self, batch: Batch, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (B, actions), `FORBIDDEN` where the masks (B, actions) say so, and values (B,).

        What comes in and goes out lies in main memory, wherever the weights are.
        """
        if (device := self.value[2].weight.device).type != "cpu":  # type: ignore[index]
            scores, values = self._computed({name: part.to(device) for name, part in batch.items()})
            scores, values = scores.cpu(), values.cpu()
        else:
            scores, values = self._computed(batch)
        return scores.masked_fill(~masks, FORBIDDEN), values

    def _computed(self, batch: Batch) -> tuple[Tensor, Tensor]:
        if not self.settings.encoder.machine and "context" in batch:
            hidden = torch.zeros(len(MACHINE), device=batch["context"].device)
            kept = batch["context"][:, : -len(MACHINE)]
            batch = batch | {"context": torch.cat([kept, hidden.expand(len(kept), -1)], 1)}
        embedding = self.encoder(batch)
        scores = torch.cat([head(embedding) for head in self.heads.values()], 1)
        return scores, cast(Tensor, self.value(embedding)).squeeze(1)

    def q_values(self, batch: Batch, masks: Tensor) -> Tensor:
        """Q = V + A - mean of A over the legal actions; shape (B, actions), `FORBIDDEN` where masked."""
        advantages, values = self(batch, masks)
        legal = masks.sum(1).clamp(min=1)
        mean = advantages.masked_fill(~masks, 0).sum(1) / legal
        return cast(Tensor, values.unsqueeze(1) + advantages - mean.unsqueeze(1)).masked_fill(~masks, FORBIDDEN)


def deviations(scores: Tensor, masks: Tensor) -> Tensor:
    """Standard deviations of the legal actions' scores; both of shape (B, actions), the result (B,)."""
    legal = masks.sum(1).clamp(min=1)
    mean = scores.masked_fill(~masks, 0).sum(1) / legal
    squares = (scores - mean.unsqueeze(1)).square().masked_fill(~masks, 0).sum(1)
    return (squares / legal).sqrt()


def heads_of(environment: str, actions: int) -> tuple[tuple[str, int], ...]:
    """The heads of an environment, by its id and how many actions it has; one that is not polyloop's has a head
    "actions"."""
    if environment in SCHEDULES:
        return (HEADS[CONSTRUCT], CONSTRUCTION_ACTIONS), (HEADS[EXPLORE], actions - CONSTRUCTION_ACTIONS)
    return ((HEADS.get(environment, "actions"), actions),)


def _head(inputs: int, outputs: int) -> nn.Module:
    head = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, outputs))
    # Small last weights: a fresh policy is close to uniform over what is legal.
    nn.init.orthogonal_(cast(nn.Linear, head[2]).weight, 0.01)
    nn.init.zeros_(cast(nn.Linear, head[2]).bias)
    return head
