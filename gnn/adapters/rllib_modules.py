"""polyloop's network as modules of RLlib (its new API: torch, RLModule, Learner, EnvRunner).

One module is actor and critic (PPO, IMPALA, APPO), the other the dueling Q-network (DQN). Both read an observation that
is a dictionary with the key "action_mask" beside the arrays of a padded graph, or beside "observation", one array.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast

import gymnasium
import torch
from torch import Tensor

from polyloop.errors import PolyloopError
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.networks import Network, NetworkSettings, heads_of
from polyloop.gnn.samples import Batch, batch_of_padded

try:
    from ray.rllib.algorithms.dqn.default_dqn_rl_module import QF_NEXT_PREDS, QF_PREDS, QF_TARGET_NEXT_PREDS
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import (
        TARGET_NETWORK_ACTION_DIST_INPUTS,
        InferenceOnlyAPI,
        QNetAPI,
        TargetNetworkAPI,
        ValueFunctionAPI,
    )
    from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
    from ray.rllib.utils.schedules.scheduler import Scheduler
except ImportError as error:
    raise PolyloopError("this needs RLlib: pip install 'polyloop[ray]'") from error


class NetworkModule(TorchRLModule, InferenceOnlyAPI, TargetNetworkAPI):  # type: ignore[misc]
    """What both modules share: a `polyloop.gnn.networks.Network`, and a copy of it that follows.

    The model's configuration holds "environment", an id in Gymnasium's registry, and "encoder", `EncoderSettings` as a
    dictionary. Learners that have no use for the copy never make it; env runners neither hold nor receive it.
    """

    network: Network
    target: Network

    def setup(self) -> None:
        """Called by RLlib, once the spaces and the configuration are there."""
        # The networks are small: where every core has its env runner, more threads only stand in each other's way.
        torch.set_num_threads(1)
        self.network = Network(network_settings(self.model_config, self.observation_space, self.action_space))

    def make_target_networks(self) -> None:
        self.target = deepcopy(self.network).requires_grad_(False)

    def get_target_network_pairs(self) -> list[tuple[Network, Network]]:
        return [(self.network, self.target)]

    def get_non_inference_attributes(self) -> list[str]:
        return ["target"]


class PolicyModule(NetworkModule, ValueFunctionAPI):  # type: ignore[misc]
    """Actor and critic: actions are drawn from the masked scores."""

    def _forward(self, batch: Mapping[str, Any], **arguments: Any) -> dict[str, Tensor]:
        scores, _ = self.network(*network_inputs(batch[Columns.OBS]))
        return {Columns.ACTION_DIST_INPUTS: scores}

    def _forward_train(self, batch: Mapping[str, Any], **arguments: Any) -> dict[str, Tensor]:
        scores, values = self.network(*network_inputs(batch[Columns.OBS]))
        # RLlib hands back to `compute_values` what stands as embeddings: here the values, they are done already.
        return {Columns.ACTION_DIST_INPUTS: scores, Columns.EMBEDDINGS: values}

    def compute_values(self, batch: Mapping[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Values of the states; shape (B,)."""
        return self.network(*network_inputs(batch[Columns.OBS]))[1] if embeddings is None else embeddings

    @torch.no_grad()
    def forward_target(self, batch: Mapping[str, Any]) -> dict[str, Tensor]:
        scores, _ = self.target(*network_inputs(batch[Columns.OBS]))
        return {TARGET_NETWORK_ACTION_DIST_INPUTS: scores}


class QModule(NetworkModule, QNetAPI):  # type: ignore[misc]
    """Dueling Q-network: the best legal action, or with the chance epsilon one drawn evenly from the legal ones."""

    def setup(self) -> None:
        super().setup()
        self.epsilon = Scheduler(self.model_config["epsilon"], framework="torch")

    @torch.no_grad()
    def _forward_inference(self, batch: Mapping[str, Any], **arguments: Any) -> dict[str, Tensor]:
        values = self.network.q_values(*network_inputs(batch[Columns.OBS]))
        return {Columns.ACTIONS: values.argmax(1)}

    @torch.no_grad()
    def _forward_exploration(self, batch: Mapping[str, Any], t: int, **arguments: Any) -> dict[str, Tensor]:
        inputs, masks = network_inputs(batch[Columns.OBS])
        best = self.network.q_values(inputs, masks).argmax(1)
        drawn = torch.multinomial(masks.float(), 1).squeeze(1)
        explores = torch.rand(len(best), device=best.device) < self.epsilon.update(t)
        return {Columns.ACTIONS: torch.where(explores, drawn, best)}

    def _forward_train(self, batch: Mapping[str, Any], **arguments: Any) -> dict[str, Tensor]:
        here, following = batch[Columns.OBS], batch[Columns.NEXT_OBS]
        result = {
            QF_PREDS: self.compute_q_values({Columns.OBS: here})[QF_PREDS],
            QF_TARGET_NEXT_PREDS: self.forward_target({Columns.OBS: following})[QF_PREDS],
        }
        if self.model_config["double_q"]:
            # They only choose an action: no gradient goes through them.
            with torch.no_grad():
                result[QF_NEXT_PREDS] = self.compute_q_values({Columns.OBS: following})[QF_PREDS]
        return result

    def compute_q_values(self, batch: Mapping[str, Any]) -> dict[str, Tensor]:
        """Values of the actions; shape (B, actions)."""
        return {QF_PREDS: self.network.q_values(*network_inputs(batch[Columns.OBS]))}

    @torch.no_grad()
    def forward_target(self, batch: Mapping[str, Any]) -> dict[str, Tensor]:
        return {QF_PREDS: self.target.q_values(*network_inputs(batch[Columns.OBS]))}


def network_inputs(observations: Mapping[str, Tensor]) -> tuple[Batch, Tensor]:
    """A batch of observations as the network takes it, and the masks of the legal actions; shape (B, actions).

    Where an episode has ended there may be no legal action; all count as legal then, so that what comes out is finite.
    """
    masks = observations["action_mask"].bool()
    masks = masks | ~masks.any(1, keepdim=True)
    if "observation" in observations:
        return {"vector": observations["observation"].float()}, masks
    return batch_of_padded(observations), masks


def network_settings(
    configuration: Mapping[str, Any], observations: gymnasium.Space[Any], actions: gymnasium.Space[Any]
) -> NetworkSettings:
    """The network that fits the spaces; see `NetworkModule` for the configuration."""
    document = dict(configuration["encoder"])
    plain = cast(gymnasium.spaces.Dict, observations).spaces.get("observation")
    document["inputs"] = () if plain is None else tuple(plain.shape or ())
    count = int(actions.n)  # type: ignore[attr-defined]
    return NetworkSettings(EncoderSettings(**document), heads_of(configuration["environment"], count))
