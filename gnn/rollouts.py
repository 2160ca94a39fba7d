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


@dataclass(frozen=True)
class ActorCriticSettings:
    """Of what learns a policy and the values of its states.

    Attributes:
        steps: of each environment in an iteration, or in an actor's piece.
        entropy, value: what these losses count beside the policy's.
        gradient: its largest norm.
    """

    rate: float = 1e-3
    steps: int = 64
    discount: float = 1.0
    entropy: float = 0.01
    value: float = 0.5
    gradient: float = 0.5


@dataclass(frozen=True)
class OnPolicySettings(ActorCriticSettings):
    """Attributes:
    smoothing: lambda of the advantage estimates.
    """

    smoothing: float = 1.0


class OnPolicy(Learner):
    """A learner that acts in environments of its own process, and learns from what it has just done."""

    settings: OnPolicySettings

    def __init__(self, network: Network, environments: Environments, settings: OnPolicySettings, seed: int) -> None:
        super().__init__(network, seed, settings.rate)
        self.environments, self.settings = environments, settings
        self.seen = environments.reset(seed)

    def begin_episodes(self, seed: int) -> None:
        self.seen = self.environments.reset(seed)

    def close(self) -> None:
        self.environments.close()

    def collect(self) -> tuple[Rollout, Tensor, Tensor]:
        """The next steps, their advantages, and the targets of their values."""
        steps, discount = self.settings.steps, self.settings.discount
        rollout = collect(self.network, self.environments, self.seen, steps, self.generator, discount)
        self.seen = rollout.last
        advantages = advantages_of(rollout, bootstrap(self.network, rollout), discount, self.settings.smoothing)
        return rollout, advantages.flatten(), (advantages + rollout.values).flatten()


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
        log_probabilities = logarithms_of(scores, actions)
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


def logarithms_of(scores: Tensor, actions: Tensor) -> Tensor:
    """Of the probabilities of one action for each row; shape (B,)."""
    return scores.log_softmax(1).gather(1, actions.unsqueeze(1)).squeeze(1)


def improve(
    learner: Learner, settings: ActorCriticSettings, policy_loss: Tensor, errors: Tensor, scores: Tensor
) -> dict[str, float]:
    """One step down the losses of a policy, of its values and of its certainty; the figures of a `Report`.

    Args:
        errors: of the values.
        scores: of all actions, by the network that learns.
    """
    value_loss, spread = errors.square().mean(), entropy(scores)
    learner.descend(policy_loss + settings.value * value_loss - settings.entropy * spread, settings.gradient)
    return {"policy_loss": policy_loss.item(), "value_loss": value_loss.item(), "entropy": spread.item()}


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
