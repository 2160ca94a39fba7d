"""Off-policy experience: environments explored by epsilon-greedy networks, and their steps as transitions."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from polyloop.gnn.environments import Environments, Seen
from polyloop.gnn.networks import Network
from polyloop.gnn.samples import Sample, collate


@dataclass(frozen=True)
class Transition:
    """n steps of one episode as one.

    Attributes:
        reward: the discounted sum of the n rewards.
        following, following_mask: where they led.
        discount: what the value there counts: gamma to the n; 0 where the episode has ended.
    """

    sample: Sample
    mask: NDArray[np.bool_]
    action: int
    reward: float
    following: Sample
    following_mask: NDArray[np.bool_]
    discount: float


@dataclass(frozen=True)
class Experience:
    """What was gathered: transitions, steps of environments, returns of the episodes that ended."""

    transitions: list[Transition]
    steps: int
    returns: tuple[float, ...]


class Steps:
    """The last steps of one episode, made into transitions of n steps."""

    def __init__(self, horizon: int, discount: float) -> None:
        self._horizon, self._discount = horizon, discount
        self._open: deque[tuple[Sample, NDArray[np.bool_], int, float]] = deque()

    def add(
        self,
        start: tuple[Sample, NDArray[np.bool_]],
        action: int,
        reward: float,
        end: tuple[Sample, NDArray[np.bool_]],
        ended: bool,
        cut: bool = False,
    ) -> list[Transition]:
        """One more step; returns the transitions that are complete with it: at an episode's end all that are open.

        Args:
            cut: the episode has ended, but what would have followed counts.
        """
        self._open.append((*start, action, reward))
        done: list[Transition] = []
        while self._open and (ended or len(self._open) == self._horizon):
            total = sum(self._discount**k * step[3] for k, step in enumerate(self._open))
            count = 0.0 if ended and not cut else self._discount ** len(self._open)
            sample, mask, taken, _ = self._open.popleft()
            done.append(Transition(sample, mask, taken, total, *end, count))
        return done


class Explorer:
    """Gathers experience in its environments.

    Args:
        chances: of a random action, for each environment.
        horizon: rewards that are summed in a transition.
    """

    def __init__(
        self, environments: Environments, chances: Sequence[float], horizon: int, discount: float, seed: int
    ) -> None:
        self._environments, self._chances = environments, chances
        self._horizon, self._discount = horizon, discount
        self.random = np.random.default_rng(seed)
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Start new episodes everywhere."""
        self._seen = self._environments.reset(seed)
        self._steps = [Steps(self._horizon, self._discount) for _ in self._chances]

    def gather(self, network: Network, steps: int, less: float = 1.0) -> Experience:
        """Act for some steps in every environment, with `less` times the chances of a random action."""
        transitions: list[Transition] = []
        returns: list[float] = []
        for _ in range(steps):
            before = self._seen
            actions = self._actions(network, before, less)
            self._seen = after = self._environments.step(actions)
            returns += after.returns
            for k, (open_steps, action) in enumerate(zip(self._steps, actions, strict=True)):
                start, end = (before.samples[k], before.masks[k]), (after.samples[k], after.masks[k])
                end, reward, ended = after.cut.get(k, end), float(after.rewards[k]), bool(after.ended[k])
                transitions += open_steps.add(start, action, reward, end, ended, k in after.cut)
        return Experience(transitions, steps * len(self._chances), tuple(returns))

    @torch.no_grad()
    def _actions(self, network: Network, seen: Seen, less: float) -> list[int]:
        """For each environment the best action, or with its chance any legal one."""
        best = network.q_values(collate(seen.samples), torch.from_numpy(seen.masks)).argmax(1).tolist()
        drawn = self.random.random(len(self._chances))
        return [
            int(self.random.choice(np.flatnonzero(mask))) if less * chance > value else int(action)
            for action, mask, chance, value in zip(best, seen.masks, self._chances, drawn, strict=True)
        ]
