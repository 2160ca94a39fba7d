"""An agent: a trained network that acts.

`polyloop.gnn.training` writes what `Agent.load` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from polyloop.gnn import checkpoints
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.networks import Network, NetworkSettings
from polyloop.gnn.samples import Sample, collate
from polyloop.gnn.training import TrainingSettings


@dataclass(frozen=True)
class Agent:
    """A network and what it was trained on.

    Attributes:
        description: all that was saved beside the weights.
    """

    network: Network
    environment: EnvironmentSettings
    description: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> Agent:
        """Read a trained policy: a run's folder, or the path of its `policy` files.

        Raises:
            CheckpointError: if there is none, or its network looks at other features than observations have now.
        """
        tensors, description = checkpoints.load(path / "policy" if path.is_dir() else path)
        network = Network(_network_settings(description["network"]))
        try:
            network.load_state_dict(tensors)
        except RuntimeError as error:
            raise checkpoints.CheckpointError(
                f"{path}: the network is not of the form that observations have in this version; train it anew: {error}"
            ) from error
        network.eval()
        training = TrainingSettings.from_json(description["training"])
        return cls(network, training.environment, description)

    @torch.inference_mode()
    def scores(self, sample: Sample, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Logarithms of the actions' probabilities (of a Q-network: of the softmax of its advantages)."""
        scores, _ = self.network(collate([sample]), torch.from_numpy(mask).unsqueeze(0))
        logarithms: NDArray[np.float64] = scores.log_softmax(1)[0].double().numpy()
        return logarithms

    def best(self, sample: Sample, mask: NDArray[np.bool_]) -> int:
        """The best legal action."""
        return int(self.scores(sample, mask).argmax())

    def draw(self, sample: Sample, mask: NDArray[np.bool_], random: np.random.Generator, heat: float = 1.0) -> int:
        """A legal action drawn with its probability; with more `heat` more evenly."""
        powers = self.scores(sample, mask) / heat
        weights = np.where(mask, np.exp(powers - powers[mask].max()), 0.0)
        return int(random.choice(len(weights), p=weights / weights.sum()))


def _network_settings(document: Mapping[str, Any]) -> NetworkSettings:
    encoder = dict(document["encoder"])
    encoder["inputs"] = tuple(encoder["inputs"])
    heads = tuple((str(name), int(count)) for name, count in document["heads"])
    return NetworkSettings(EncoderSettings(**encoder), heads)
