"""Learners that are told what to do: they draw problems of the cursor, gather examples of what to do in states of them,
and learn from those that they have gathered lately. Who tells them, and in which states, is what they differ in."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from polyloop.envs.cursor import CursorEnv
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.imitation import Example, imitation_loss
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import Network


@dataclass(frozen=True)
class TaughtSettings:
    """Attributes:
    problems: of an iteration.
    updates: gradient steps in an iteration, on examples drawn from the last `capacity`.
    value: weight of the loss of the values.
    """

    rate: float = 1e-3
    problems: int = 8
    updates: int = 40
    batch: int = 64
    capacity: int = 5_000
    value: float = 0.5
    gradient: float = 1.0
    discount: float = 1.0


class Taught(Learner):
    """See the module. The examples are not written down in checkpoints: they are found again within some iterations.

    Raises:
        PolyloopError: for environments that `refusal` refuses.
    """

    settings: TaughtSettings

    def __init__(self, network: Network, environments: Environments, settings: TaughtSettings, seed: int) -> None:
        super().__init__(network, seed, settings.rate)
        environments.close()  # of which one is enough: it draws problems, and nobody steps it
        self.settings = settings
        self.environment = replace(environments.settings, row=1, restarts=0.0)  # they see a problem once
        self._problems = self.environment.make()
        if (refusal := self.refusal(self.environment, self._problems.unwrapped)) is not None:
            self.close()
            raise PolyloopError(refusal)
        self.examples: deque[Example] = deque(maxlen=settings.capacity)
        self.begin_episodes(seed)

    @staticmethod
    @abstractmethod
    def refusal(settings: EnvironmentSettings, made: object) -> str | None:
        """What is wrong with an environment; None for one that the learner takes."""

    @abstractmethod
    def gather(self) -> tuple[int, tuple[float, ...]]:
        """Add to the examples; steps and returns as of `Report`."""

    def begin_episodes(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._problems.reset(seed=seed)

    def close(self) -> None:
        self._problems.close()  # type: ignore[no-untyped-call]

    def next_problem(self) -> CursorEnv:
        """The environment, with another problem."""
        self._problems.reset()
        made = self._problems.unwrapped
        assert isinstance(made, CursorEnv)
        return made

    def iterate(self) -> Report:
        steps, returns = self.gather()
        figures: dict[str, float] = {}
        for _ in range(self.settings.updates if self.examples else 0):
            drawn = self.random.integers(len(self.examples), size=min(self.settings.batch, len(self.examples)))
            batch = [self.examples[int(k)] for k in drawn]
            loss, agreement = imitation_loss(self.network, batch, self.settings.value)
            self.descend(loss, self.settings.gradient)
            figures = {"loss": loss.item(), "agreement": agreement.item()}
        return Report(steps, returns, figures)
