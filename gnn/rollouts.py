"""What the on-policy learners share: a network acts in environments for some steps, and advantages are estimated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from polyloop.gnn.environments import Environments, Seen
from polyloop.gnn.learner import Learner
from polyloop.gnn.networks import Network
from polyloop.gnn.samples import Batch, Sample, collate


@dataclass(frozen=True)
class Rollout:
    """Steps of several environments; tensors have the shape (steps, environments).

    Attributes:
        samples: the observations acted on, step by step.
        masks: shape (steps, environments, actions).
        log_probabilities, values: by the network that acted.
        rewards: where an episode was cut off, with the discounted value of what would have followed.
        ended: the episode ended with the step.
        last: what the environments show behind the last step.
        returns: of the episodes that ended.
    """

    samples: list[list[Sample]]
    masks: Tensor
    actions: Tensor
    log_probabilities: Tensor
    values: Tensor
    rewards: Tensor
    ended: Tensor
    last: Seen
    returns: tuple[float, ...]

    def batch(self) -> Batch:
        """All observations, steps first."""
        return collate([sample for step in self.samples for sample in step])

    def minibatch(self, indices: Tensor) -> Batch:
        """Some of them, by their place in `batch`."""
        width = len(self.samples[0])
        return collate([self.samples[k // width][k % width] for k in indices.tolist()])


class OnPolicy(Learner):
    """A learner that acts in environments of its own process, and learns from what it has just done."""

    def __init__(self, network: Network, environments: Environments, seed: int, rate: float) -> None:
        super().__init__(network, seed, rate)
        self.environments = environments
        self.seen = environments.reset(seed)

    def begin_episodes(self, seed: int) -> None:
        self.seen = self.environments.reset(seed)

    def close(self) -> None:
        self.environments.close()

    def collect(self, steps: int, discount: float) -> Rollout:
        """The next steps."""
        rollout = collect(self.network, self.environments, self.seen, steps, self.generator, discount)
        self.seen = rollout.last
        return rollout


@torch.no_grad()
def collect(
    network: Network, environments: Environments, seen: Seen, steps: int, generator: torch.Generator, discount: float
) -> Rollout:
    """Act for some steps in every environment, drawing from the policy."""
    samples: list[list[Sample]] = []
    rows: list[tuple[Tensor, ...]] = []
    returns: list[float] = []
    for _ in range(steps):
        masks = torch.from_numpy(seen.masks)
        scores, values = network(collate(seen.samples), masks)
        actions = drawn(scores, generator)
        log_probabilities = scores.log_softmax(1).gather(1, actions.unsqueeze(1)).squeeze(1)
        samples.append(seen.samples)
        seen = environments.step(actions.tolist())
        returns += seen.returns
        rewards = torch.from_numpy(seen.rewards)
        if seen.cut:
            last, legal = zip(*seen.cut.values(), strict=True)
            rewards[list(seen.cut)] += discount * network(collate(last), torch.from_numpy(np.stack(legal)))[1]
        outcome = rewards, torch.from_numpy(seen.ended)
        rows.append((masks, actions, log_probabilities, values, *outcome))
    stacked = [torch.stack(column) for column in zip(*rows, strict=True)]
    masks, actions, log_probabilities, values, rewards, ended = stacked
    return Rollout(samples, masks, actions, log_probabilities, values, rewards, ended, seen, tuple(returns))


def drawn(scores: Tensor, generator: torch.Generator) -> Tensor:
    """One action for each row, with the probabilities of the softmax; shape (B,)."""
    return torch.multinomial(scores.softmax(1), 1, generator=generator).squeeze(1)


@torch.no_grad()
def bootstrap(network: Network, rollout: Rollout) -> Tensor:
    """Values of where the environments stand behind a rollout; shape (environments,)."""
    values: Tensor = network(collate(rollout.last.samples), torch.from_numpy(rollout.last.masks))[1]
    return values


def advantages_of(rollout: Rollout, following: Tensor, discount: float, smoothing: float) -> Tensor:
    """Generalised advantage estimates; shape (steps, environments).

    References:
        Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation", ICLR 2016,
        eq. 16.
    """
    result = torch.zeros_like(rollout.values)
    carry = torch.zeros_like(following)
    for k in reversed(range(len(result))):
        goes_on = (~rollout.ended[k]).float()
        error = rollout.rewards[k] + discount * goes_on * following - rollout.values[k]
        carry = error + discount * smoothing * goes_on * carry
        result[k], following = carry, rollout.values[k]
    return result


def entropy(scores: Tensor) -> Tensor:
    """Mean entropy of the policies, in nats; masked actions add nothing."""
    logarithms = scores.log_softmax(1)
    return -(logarithms.exp() * logarithms).sum(1).mean()
