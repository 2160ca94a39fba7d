"""What every learner is to the training loop: it is iterated, reports, and can be written down and read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from polyloop.gnn.networks import Network


@dataclass(frozen=True)
class Report:
    """One iteration.

    Attributes:
        steps: of environments, in this iteration.
        returns: of the episodes that ended in it.
        figures: losses and the like, by name.
    """

    steps: int
    returns: tuple[float, ...]
    figures: Mapping[str, float] = field(default_factory=dict)


class Learner(ABC):
    """A network that learns. All randomness comes from `generator` and the seeds given.

    Attributes:
        averaged: makes gradients those of several processes (`polyloop.gnn.data_parallel`); None where one learns
            alone.
    """

    def __init__(self, network: Network, seed: int, rate: float) -> None:
        self.network = network
        self.first_rate = rate
        self.progress = 0.0
        self.averaged: Callable[[Sequence[nn.Parameter]], None] | None = None
        self.generator = torch.Generator().manual_seed(seed)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=rate, eps=1e-5)

    @abstractmethod
    def iterate(self) -> Report:
        """Gather experience and learn from it, once."""

    @abstractmethod
    def begin_episodes(self, seed: int) -> None:
        """Start new episodes everywhere: what follows depends on the saved state and the seed alone."""

    def began_anew(self) -> None:  # noqa: B027 (most learners have no copies)
        """The network's weights were set from outside: copies of it follow."""

    def close(self) -> None:  # noqa: B027 (most learners have nothing to close)
        """End the processes that the learner has started."""

    @property
    def temperature(self) -> float:
        """What scores are divided by before they are powers of e: 1 where they are logarithms of probabilities."""
        return 1.0

    def anneal(self, progress: float, rate_end: float) -> None:
        """Say how much of the run is over, from 0 to 1: the rate falls in proportion, to `rate_end` of itself."""
        self.progress = progress
        for group in self.optimizer.param_groups:
            group["lr"] = self.first_rate * (1 + (rate_end - 1) * progress)

    def descend(self, loss: Tensor, largest: float) -> None:
        """One step of the optimizer, with the gradient's norm clipped."""
        self.optimizer.zero_grad()
        loss.backward()
        if self.averaged is not None:
            self.averaged(list(self.network.parameters()))
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), largest)
        self.optimizer.step()

    # --- Checkpoints -----------------------------------------------------------------------------------------

    def tensors(self) -> dict[str, Tensor]:
        """All of the learner's state that is tensors, by name."""
        result = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        for number, values in self.optimizer.state_dict()["state"].items():
            result |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in values.items()}
        return result | {"generator": self.generator.get_state()}

    def numbers(self) -> dict[str, Any]:
        """The rest of it, as JSON has it."""
        return {}

    def load(self, tensors: Mapping[str, Tensor], numbers: Mapping[str, Any]) -> None:
        """Take back what `tensors` and `numbers` gave."""
        prefix = "network."
        self.network.load_state_dict({k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)})
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in tensors.items():
            if name.startswith("optimizer."):
                _, number, entry = name.split(".")
                state.setdefault(int(number), {})[entry] = value.clone()
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})
        self.generator.set_state(tensors["generator"])
