"""An agent: a trained network that acts.

`polyloop.gnn.training` writes what `Agent.load` reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from polyloop.gnn import checkpoints
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.networks import TEMPERATURE, Network, NetworkSettings, deviations
from polyloop.gnn.policies import Q_LEARNING
from polyloop.gnn.samples import Sample, collate
from polyloop.gnn.training import TrainingError, TrainingSettings

_DAMAGES = (
    TrainingError, KeyError, TypeError, ValueError, AttributeError, RuntimeError, MemoryError, ArithmeticError,
)  # fmt: skip
"""What wrong words and wrong numbers in a description come to."""


@dataclass(frozen=True)
class Agent:
    """A network and what it was trained on.

    Attributes:
        description: all that was saved beside the weights.
        temperature: of a Q-network's probabilities (`polyloop.gnn.networks.TEMPERATURE`): what was saved beside its
            weights; without that, by the deviation of the Q-values in each state. 1 for a policy's own probabilities.
    """

    network: Network
    environment: EnvironmentSettings
    description: Mapping[str, Any]
    temperature: float | None = 1.0

    @classmethod
    def load(cls, path: Path) -> Agent:
        """Read a trained policy: a run's folder, or the path of its `policy` files.

        From then on torch works on one thread in this process: a program's graph is too small for more to gain
        anything, and where other work is done they wait for one another.

        Raises:
            CheckpointError: if there is none, or its network looks at other features than observations have now.
        """
        tensors, description = checkpoints.load(path / "policy" if path.is_dir() else path)
        torch.set_num_threads(1)
        try:
            settings = _network_settings(description["network"])
            training = TrainingSettings.from_json(description["training"])
            network = Network(settings)
        except _DAMAGES as error:
            raise checkpoints.CheckpointError(
                f"{path}: its JSON file does not describe a policy ({type(error).__name__}: {error}); train it anew"
            ) from error
        try:
            network.load_state_dict(tensors)
        except RuntimeError as error:
            raise checkpoints.CheckpointError(
                f"{path}: the network is not of the form that observations have in this version; train it anew: {error}"
            ) from error
        network.eval()
        default = None if training.algorithm in Q_LEARNING else 1.0
        return cls(network, training.environment, description, description.get("temperature", default))

    def scores(self, sample: Sample, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Logarithms of the actions' probabilities."""
        return self.scores_of([sample], [mask])[0]

    @torch.inference_mode()
    def scores_of(self, samples: Sequence[Sample], legal: Sequence[NDArray[np.bool_]]) -> list[NDArray[np.float64]]:
        """The same, of several observations at once."""
        masks = torch.from_numpy(np.stack(legal))
        scores, _ = self.network(collate(samples), masks)
        if self.temperature is None:
            spread = TEMPERATURE * deviations(scores, masks).unsqueeze(1)
            scores = scores / torch.where(spread > 0, spread, 1.0)
        else:
            scores = scores / self.temperature
        return list(scores.log_softmax(1).double().numpy())

    def best(self, sample: Sample, mask: NDArray[np.bool_]) -> int:
        """The best legal action."""
        return int(self.scores(sample, mask).argmax())


def _network_settings(document: Mapping[str, Any]) -> NetworkSettings:
    encoder = dict(document["encoder"])
    encoder["inputs"] = tuple(encoder["inputs"])
    heads = tuple((str(name), int(count)) for name, count in document["heads"])
    return NetworkSettings(EncoderSettings(**encoder), heads)
