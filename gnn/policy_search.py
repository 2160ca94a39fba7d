"""A policy on any process: rollouts, the best of some rollouts, and weights that guide other searches.

`Policy` looks at states through an environment's eyes, without stepping it. As weights of an objective it makes random
walks follow the policy, and a tree search expand what the policy likes first:

    objective = replace(objective, weights=policy.weights)
    search(objective, TreeSearch(), Budget(seconds=1.0))
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from polyloop.gnn.agent import Agent
from polyloop.gnn.samples import sample_of
from polyloop.search.objective import State
from polyloop.search.run import Place, Run

_REMEMBERED = 1 << 14


class Eyes(Protocol):
    """What is needed of an environment: all of polyloop's have it."""

    @property
    def process(self) -> Any:
        """The decision process."""

    def observe(self, state: Any) -> tuple[Any, NDArray[np.bool_]]:
        """A state's observation and mask."""


@dataclass
class Policy:
    """An agent's probabilities on the states of one environment's process; each state is looked at once.

    Attributes:
        heat: more than 1 evens the probabilities out.
    """

    agent: Agent
    eyes: Eyes
    heat: float = 1.0
    _known: dict[Hashable, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def probabilities(self, state: Hashable) -> NDArray[np.float64]:
        """Of all actions; 0 for illegal ones. All 0 in a final state."""
        if state not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[state] = self._looked_at(state)
        return self._known[state]

    def weights(self, state: Hashable) -> list[float]:
        """The probabilities as `polyloop.search.objective.Objective.weights` takes them."""
        weights: list[float] = self.probabilities(state).tolist()
        return weights

    def best(self, state: Hashable) -> int:
        """The likeliest action."""
        return int(self.probabilities(state).argmax())

    def _looked_at(self, state: Hashable) -> NDArray[np.float64]:
        observation, mask = self.eyes.observe(state)
        if not mask.any():
            return np.zeros(len(mask))
        powers = self.agent.scores(sample_of(observation), mask) / self.heat
        weights = np.where(mask, np.exp(powers - powers[mask].max()), 0.0)
        result: NDArray[np.float64] = weights / weights.sum()
        return result


def rollout(policy: Policy) -> list[Any]:
    """The states that the likeliest actions lead through, from the first to the last; nothing is evaluated."""
    process = policy.eyes.process
    states = [process.initial()]
    while not process.final(states[-1]):
        states.append(process.step(states[-1], policy.best(states[-1])))
    return states


@dataclass(frozen=True)
class PolicyRollouts:
    """A search that first follows the likeliest actions to the end, then draws walks from the policy until the budget
    ends; the objective's weights have to be the policy's.

    Attributes:
        rollouts: how many in all; None for as many as the budget allows.
    """

    best: Callable[[Any], int]
    rollouts: int | None = None
    name: str = "policy"

    def explore(self, run: Run[State]) -> None:
        """See `polyloop.search.run.Method`."""
        run.play(run.start(), self._greedy(run))
        count = 1
        while self.rollouts is None or count < self.rollouts:
            run.play(run.start())
            count += 1

    def _greedy(self, run: Run[State]) -> tuple[int, ...]:
        place: Place[State] = run.start()
        while not run.final(place):
            place = run.step(place, self.best(place.state))
        return place.actions
