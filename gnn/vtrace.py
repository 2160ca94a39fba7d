"""IMPALA: actor processes act with weights that are a little old, and V-trace corrects for it.

References:
    Espeholt et al., "IMPALA: Scalable Distributed Deep-RL with Importance Weighted Actor-Learner Architectures",
    ICML 2018, eq. 1 and section 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from polyloop.gnn.actors import Actors, ActorSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import Network
from polyloop.gnn.rollouts import ActorCriticSettings, Rollout, bootstrap, collect, improve, logarithms_of


@dataclass(frozen=True)
class ImpalaSettings(ActorCriticSettings):
    """Attributes:
    ratio: largest importance weight of a correction (rho), and of a trace (c).
    actors: processes, with the settings' environments each.
    """

    steps: int = 20
    ratio: float = 1.0
    actors: int = 2


class ImpalaActor:
    """Plays rollouts in its environments."""

    def __init__(
        self, settings: ImpalaSettings, environments: Environments, number: int, count: int, seed: int
    ) -> None:
        self._settings, self._environments = settings, environments
        self._generator = torch.Generator().manual_seed(seed + number)
        self._seen = environments.reset(seed)

    def __call__(self, network: Network) -> Rollout:
        rollout = collect(
            network, self._environments, self._seen, self._settings.steps, self._generator, self._settings.discount
        )
        self._seen = rollout.last
        return rollout


class Impala(Learner):
    """Learns from each rollout once, as it comes; not deterministic, as its actors are not."""

    def __init__(
        self, network: Network, environments: EnvironmentSettings, settings: ImpalaSettings, seed: int
    ) -> None:
        super().__init__(network, seed, settings.rate)
        self.settings = settings
        acting = partial(ImpalaActor, settings)
        self.actors = Actors(ActorSettings(network.settings, environments, acting, settings.actors, seed))
        self.actors.publish(network)

    def begin_episodes(self, seed: int) -> None:
        """Nothing: the actors go on."""

    def iterate(self) -> Report:
        steps, returns, figures = 0, tuple[float, ...](), dict[str, float]()
        for rollout in self.actors.pieces():
            figures = self._learn(rollout)
            steps += rollout.actions.numel()
            returns += rollout.returns
        self.actors.publish(self.network)
        return Report(steps, returns, figures)

    def close(self) -> None:
        self.actors.close()

    def _learn(self, rollout: Rollout) -> dict[str, float]:
        settings, shape = self.settings, rollout.actions.shape
        scores, values = self.network(rollout.batch(), rollout.masks.flatten(0, 1))
        taken = logarithms_of(scores, rollout.actions.flatten()).reshape(shape)
        values = values.reshape(shape)
        following = bootstrap(self.network, rollout)
        ratios = (taken.detach() - rollout.log_probabilities).exp()
        targets, advantages = v_trace(rollout, values.detach(), following, ratios, settings.discount, settings.ratio)
        policy_loss = -(taken * advantages).mean()
        found = improve(self, settings, policy_loss, values - targets, scores)
        return found | {"ratio": ratios.mean().item()}


def v_trace(
    rollout: Rollout, values: Tensor, following: Tensor, ratios: Tensor, discount: float, largest: float
) -> tuple[Tensor, Tensor]:
    """Targets of the values, and advantages of the actions weighted for the policy gradient; both of shape
    (steps, environments).

    Args:
        values: of the current network, at every step; shape as the result.
        following: its values behind the last step; shape (environments,).
        ratios: probability of the action taken, now over then; shape as the result.
        largest: ratios count at most this.
    """
    clipped = ratios.clamp(max=largest)
    goes_on = discount * (~rollout.ended).float()
    later = torch.cat([values[1:], following.unsqueeze(0)])
    errors = clipped * (rollout.rewards + goes_on * later - values)
    corrections = torch.zeros_like(values)
    carry = torch.zeros_like(following)
    for k in reversed(range(len(values))):
        carry = errors[k] + goes_on[k] * clipped[k] * carry
        corrections[k] = carry
    targets = values + corrections
    later_targets = torch.cat([targets[1:], following.unsqueeze(0)])
    return targets, clipped * (rollout.rewards + goes_on * later_targets - values)
