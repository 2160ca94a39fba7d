"""Deep Q-learning: double, dueling, prioritised, n steps, masked; and Ape-X, where actor processes gather.

References:
    Mnih et al., "Human-level control through deep reinforcement learning", Nature 2015.
    van Hasselt, Guez and Silver, "Deep Reinforcement Learning with Double Q-learning", AAAI 2016.
    Hessel et al., "Rainbow", AAAI 2018 (of its six parts: double, dueling, prioritised, n-step).
    Horgan et al., "Distributed Prioritized Experience Replay", ICLR 2018: actors, each with an epsilon (section 4.1),
    that compute the first priorities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from polyloop.gnn.actors import Actors, ActorSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.experience import Experience, Explorer, Transition
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import TEMPERATURE, Network, deviations
from polyloop.gnn.prioritised import Replay
from polyloop.gnn.samples import collate

_SPREAD_UPDATES = 100
"""Over so many updates the Q-values' spread is averaged."""


@dataclass(frozen=True)
class DQNSettings:
    """Attributes:
    steps: of each environment in an iteration.
    updates: gradient steps in an iteration.
    horizon: rewards that are summed before a value is trusted (n).
    epsilon, spread: environment i of N explores with the chance epsilon ** (1 + spread * i / (N - 1)).
    epsilon_end: by the end of a run all chances have fallen to this share of themselves (for runs without an end they
        stay).
    correction, correction_end: exponent of the importance weights, at the beginning of a run and at its end (for runs
        without an end it stays).
    target: iterations between two copies of the network into the target network.
    first: transitions to gather before learning begins.
    """

    rate: float = 5e-4
    steps: int = 10
    updates: int = 8
    batch: int = 64
    discount: float = 1.0
    horizon: int = 3
    epsilon: float = 0.4
    spread: float = 7.0
    epsilon_end: float = 0.1
    capacity: int = 50_000
    exponent: float = 0.6
    correction: float = 0.5
    correction_end: float = 1.0
    target: int = 10
    first: int = 500
    gradient: float = 10.0


@dataclass(frozen=True)
class ApeXSettings(DQNSettings):
    """Attributes:
    updates: gradient steps for what actors have sent meanwhile; with 8 they wait for the learner (on two cores, a fifth
        of the time of one), and what is learnt in 90 seconds is less.
    correction_end: as `correction`: the paper's does not move.
    actors: processes with the settings' environments each.
    """

    updates: int = 4
    correction_end: float = 0.5
    actors: int = 2


class QLearner(Learner):
    """What DQN and Ape-X share: replay memory, target network, the gradient step."""

    def __init__(self, network: Network, settings: DQNSettings, seed: int) -> None:
        super().__init__(network, seed, settings.rate)
        self.settings = settings
        self.target = deepcopy(network)
        self.replay = Replay(settings.capacity, settings.exponent)
        self.random = np.random.default_rng(seed)
        self.iterations = 0
        self.spread: float | None = None

    @property
    def temperature(self) -> float:
        return TEMPERATURE * self.spread if self.spread else 1.0

    def learn(self, updates: int) -> dict[str, float]:
        """Gradient steps on transitions from the replay memory, once it holds enough; now and then the target network
        follows."""
        figures: dict[str, float] = {}
        if len(self.replay) >= self.settings.first:
            for _ in range(updates):
                figures = self._update()
        self.iterations += 1
        if self.iterations % self.settings.target == 0:
            self.target.load_state_dict(self.network.state_dict())
        return figures

    def _update(self) -> dict[str, float]:
        settings = self.settings
        correction = settings.correction + (settings.correction_end - settings.correction) * self.progress
        drawn, places, weights = self.replay.draw(settings.batch, correction, self.random)
        errors, values, spread = errors_of(self.network, self.target, drawn)
        losses = smooth_l1_loss(errors, torch.zeros_like(errors), reduction="none")
        loss = (torch.from_numpy(weights) * losses).mean()
        self.descend(loss, settings.gradient)
        self.replay.update(places, errors.detach().double().numpy())
        self.spread = spread if self.spread is None else self.spread + (spread - self.spread) / _SPREAD_UPDATES
        return {"loss": loss.item(), "q": values.mean().item(), "error": errors.abs().mean().item()}

    def began_anew(self) -> None:
        self.target.load_state_dict(self.network.state_dict())

    def tensors(self) -> dict[str, Tensor]:
        return super().tensors() | {f"target.{name}": value for name, value in self.target.state_dict().items()}

    def numbers(self) -> dict[str, Any]:
        # The replay memory is not written down: it fills again within some iterations.
        return {"iterations": self.iterations, "spread": self.spread, "random": self.random.bit_generator.state}

    def load(self, tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]) -> None:
        super().load(tensors, numbers)
        prefix = "target."
        self.target.load_state_dict({k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)})
        self.iterations, self.spread = numbers["iterations"], numbers.get("spread")
        self.random.bit_generator.state = numbers["random"]


class DQN(QLearner):
    """Gathers and learns in turn, in one process."""

    def __init__(self, network: Network, environments: Environments, settings: DQNSettings, seed: int) -> None:
        super().__init__(network, settings, seed)
        self._environments = environments
        chances = epsilons(environments.settings.count, settings)
        self._explorer = Explorer(environments, chances, settings.horizon, settings.discount, seed)

    def begin_episodes(self, seed: int) -> None:
        self._explorer.begin(seed)

    def close(self) -> None:
        self._environments.close()

    def iterate(self) -> Report:
        less = 1 + (self.settings.epsilon_end - 1) * self.progress
        experience = self._explorer.gather(self.network, self.settings.steps, less)
        for transition in experience.transitions:
            self.replay.add(transition)
        return Report(experience.steps, experience.returns, self.learn(self.settings.updates))


@dataclass(frozen=True)
class Prioritised:
    """What an actor of Ape-X sends."""

    experience: Experience
    priorities: list[float]


class ApeXActor:
    """Gathers in its environments, with its share of all epsilons."""

    def __init__(self, settings: ApeXSettings, environments: Environments, number: int, count: int, seed: int) -> None:
        self._settings = settings
        chances = epsilons(count * environments.settings.count, settings)[number::count]
        self._explorer = Explorer(environments, chances, settings.horizon, settings.discount, seed)

    def __call__(self, network: Network) -> Prioritised:
        experience = self._explorer.gather(network, self._settings.steps)
        if not experience.transitions:
            return Prioritised(experience, [])
        with torch.no_grad():
            # The actor's own copy stands for both networks.
            errors, _, _ = errors_of(network, network, experience.transitions)
        return Prioritised(experience, errors.abs().tolist())


class ApeX(QLearner):
    """Learns all the time, while actor processes gather; not deterministic, as its actors are not."""

    def __init__(self, network: Network, environments: EnvironmentSettings, settings: ApeXSettings, seed: int) -> None:
        super().__init__(network, settings, seed)
        acting = partial(ApeXActor, settings)
        self.actors = Actors(ActorSettings(network.settings, environments, acting, settings.actors, seed))
        self.actors.publish(network)

    def begin_episodes(self, seed: int) -> None:
        """Nothing: the actors go on."""

    def iterate(self) -> Report:
        steps, returns = 0, tuple[float, ...]()
        for piece in self.actors.pieces():
            for transition, priority in zip(piece.experience.transitions, piece.priorities, strict=True):
                self.replay.add(transition, priority)
            steps += piece.experience.steps
            returns += piece.experience.returns
        figures = self.learn(self.settings.updates)
        self.actors.publish(self.network)
        return Report(steps, returns, figures)

    def close(self) -> None:
        self.actors.close()


def errors_of(network: Network, target: Network, drawn: Sequence[Transition]) -> tuple[Tensor, Tensor, float]:
    """What Q-values of transitions are too large by, and those Q-values, both of shape (transitions,); and by how much
    the Q-values of one state's legal actions deviate from their mean, in the mean."""
    masks = torch.from_numpy(np.stack([t.mask for t in drawn]))
    actions = torch.tensor([t.action for t in drawn])
    values = network.q_values(collate([t.sample for t in drawn]), masks)
    chosen = values.gather(1, actions.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        following = collate([t.following for t in drawn])
        later = torch.from_numpy(np.stack([t.following_mask for t in drawn]))
        # Double: the network chooses, the target network judges.
        best = network.q_values(following, later).argmax(1, keepdim=True)
        worth = target.q_values(following, later).gather(1, best).squeeze(1)
        discounts = torch.tensor([t.discount for t in drawn])
        wanted = torch.tensor([t.reward for t in drawn]) + discounts * worth
    return chosen - wanted, chosen, deviations(values.detach(), masks).mean().item()


def epsilons(count: int, settings: DQNSettings) -> list[float]:
    """The chance of a random action in each of `count` environments."""
    shares = [k / max(count - 1, 1) for k in range(count)]
    return [settings.epsilon ** (1 + settings.spread * share) for share in shares]
