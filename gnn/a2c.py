"""Advantage actor-critic: PPO's plain ancestor, one step of gradient for each rollout.

References:
    Mnih et al., "Asynchronous Methods for Deep Reinforcement Learning", ICML 2016; synchronous, and with generalised
    advantage estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.gnn.environments import Environments
from polyloop.gnn.learner import Report
from polyloop.gnn.networks import Network
from polyloop.gnn.rollouts import OnPolicy, advantages_of, bootstrap, entropy


@dataclass(frozen=True)
class A2CSettings:
    """Attributes:
    steps: of each environment in an iteration.
    smoothing: lambda of the advantage estimates.
    """

    rate: float = 1e-3
    steps: int = 10
    discount: float = 1.0
    smoothing: float = 1.0
    entropy: float = 0.01
    value: float = 0.5
    gradient: float = 0.5


class A2C(OnPolicy):
    """See the module."""

    def __init__(self, network: Network, environments: Environments, settings: A2CSettings, seed: int) -> None:
        super().__init__(network, environments, seed, settings.rate)
        self.settings = settings

    def iterate(self) -> Report:
        settings = self.settings
        rollout = self.collect(settings.steps, settings.discount)
        following = bootstrap(self.network, rollout)
        advantages = advantages_of(rollout, following, settings.discount, settings.smoothing)
        targets = (advantages + rollout.values).flatten()
        scores, values = self.network(rollout.batch(), rollout.masks.flatten(0, 1))
        taken = scores.log_softmax(1).gather(1, rollout.actions.flatten().unsqueeze(1)).squeeze(1)
        policy_loss = -(taken * advantages.flatten()).mean()
        value_loss = (values - targets).square().mean()
        spread = entropy(scores)
        self.descend(policy_loss + settings.value * value_loss - settings.entropy * spread, settings.gradient)
        figures = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": spread}
        return Report(targets.numel(), rollout.returns, {name: value.item() for name, value in figures.items()})
