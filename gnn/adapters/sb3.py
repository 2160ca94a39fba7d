"""Stable-Baselines3: masked PPO of sb3-contrib, with polyloop's encoders as features.

    model = maskable_ppo(gymnasium.make("polyloop/Cursor-v0", evaluator="model", observation="graph"))
    model.learn(10_000)

The environments have `action_masks()`, which sb3-contrib asks for. Its vector environments copy integers as floats;
`polyloop.gnn.samples.batch_of_padded` undoes that.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from torch import Tensor

from polyloop.errors import PolyloopError
from polyloop.gnn.encoders import EncoderSettings, encoder
from polyloop.gnn.samples import batch_of_padded

try:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.preprocessing import get_flattened_obs_dim
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
except ImportError as error:
    raise PolyloopError("this needs sb3-contrib: pip install 'polyloop[sb3]'") from error


class Features(BaseFeaturesExtractor):
    """An encoder of `polyloop.gnn.encoders` as Stable-Baselines3 takes it."""

    def __init__(self, observation_space: gymnasium.Space[Any], settings: EncoderSettings) -> None:
        made = encoder(settings)
        super().__init__(observation_space, made.size)
        self.encoder = made
        self._graphs = settings.kind != "vector"

    def forward(self, observations: Any) -> Tensor:
        """Embeddings of a batch; shape (B, size)."""
        batch = batch_of_padded(observations) if self._graphs else {"vector": observations}
        embeddings: Tensor = self.encoder(batch)
        return embeddings


def maskable_ppo(
    environment: gymnasium.Env[Any, Any], settings: EncoderSettings | None = None, **arguments: Any
) -> MaskablePPO:
    """A `sb3_contrib.MaskablePPO` for one of polyloop's environments.

    Args:
        environment: with the observation "graph" or "vector".
        settings: of the encoder; by default one that fits the observations.
        arguments: of MaskablePPO.
    """
    space = environment.observation_space
    graphs = isinstance(space, gymnasium.spaces.Dict)
    if settings is None:
        settings = EncoderSettings(width=32, layers=2) if graphs else EncoderSettings("vector", layers=2)
    if not graphs:
        settings = EncoderSettings("vector", settings.width, settings.layers, inputs=(get_flattened_obs_dim(space),))
    policy = {
        "features_extractor_class": Features,
        "features_extractor_kwargs": {"settings": settings},
        "normalize_images": False,
    }
    kind = "MultiInputPolicy" if graphs else "MlpPolicy"
    return MaskablePPO(kind, environment, policy_kwargs=policy, **arguments)
