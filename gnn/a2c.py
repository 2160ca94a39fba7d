"""Advantage actor-critic: PPO's plain ancestor, one step of gradient for each rollout.

References:
    Mnih et al., "Asynchronous Methods for Deep Reinforcement Learning", ICML 2016; synchronous, and with generalised
    advantage estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.gnn.learner import Report
from polyloop.gnn.rollouts import OnPolicy, OnPolicySettings, improve, logarithms_of


@dataclass(frozen=True)
class A2CSettings(OnPolicySettings):
    """Of `A2C`: fewer steps before each gradient than PPO takes."""

    steps: int = 10


class A2C(OnPolicy):
    """Learns from each rollout once."""

    def iterate(self) -> Report:
        rollout, advantages, targets = self.collect()
        scores, values = self.network(rollout.batch(), rollout.masks.flatten(0, 1))
        policy_loss = -(logarithms_of(scores, rollout.actions.flatten()) * advantages).mean()
        figures = improve(self, self.settings, policy_loss, values - targets, scores)
        return Report(targets.numel(), rollout.returns, figures)
