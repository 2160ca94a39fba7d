"""RLlib: PPO, DQN, IMPALA and APPO on polyloop's environments, with polyloop's network, from one machine to a cluster.

    settings = EnvironmentSettings(
        "polyloop/Cursor-v0", {"observation": "graph"}, ({"set": "mm64_256_16", "without": ["operators"]},), count=4
    )
    algorithm = algorithm_config("ppo", settings, EncoderSettings("gine", 64, 2), runners=2).build_algo()
    for _ in range(100):
        algorithm.train()
    algorithm.save_to_path("/tmp/run")
    export_policy(Path("/tmp/run"), Path("/tmp/run/policy"))  # polyloop evaluate --policy /tmp/run/policy

Every env runner is a process of Ray's, on whichever machine of the cluster has a core left (`ray.init(address="auto")`
joins a cluster that runs; polyloop is installed on each of its machines). Environments measure where they are stepped,
in a worker process of their own, so measuring spreads as rollouts do. One core per env runner is enough: while a kernel
is measured, its env runner waits.

An env runner that dies is started again and gets the newest weights. The steps that it had not delivered are taken anew
by those that are left; weights, optimizer and replay memory are the learner's, which it does not touch.

polyloop's network as modules of RLlib (its new API: torch, RLModule, Learner, EnvRunner).

One module is actor and critic (PPO, IMPALA, APPO), the other the dueling Q-network (DQN). Both read an observation that
is a dictionary with the key "action_mask" beside the arrays of a padded graph, or beside "observation", one array.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import gymnasium
import numpy as np
import torch
from torch import Tensor

from polyloop.errors import PolyloopError
from polyloop.gnn import checkpoints
from polyloop.gnn.dqn import DQNSettings
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.networks import Network, NetworkSettings, heads_of
from polyloop.gnn.ppo import PPOSettings
from polyloop.gnn.samples import Batch, batch_of_padded
from polyloop.gnn.training import TrainingSettings
from polyloop.gnn.vtrace import ImpalaSettings

try:
    from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
    from ray.rllib.algorithms.appo import APPOConfig
    from ray.rllib.algorithms.dqn import DQNConfig
    from ray.rllib.algorithms.dqn.default_dqn_rl_module import QF_NEXT_PREDS, QF_PREDS, QF_TARGET_NEXT_PREDS
    from ray.rllib.algorithms.impala import IMPALAConfig
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core import DEFAULT_MODULE_ID
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import (
        TARGET_NETWORK_ACTION_DIST_INPUTS,
        InferenceOnlyAPI,
        QNetAPI,
        TargetNetworkAPI,
        ValueFunctionAPI,
    )
    from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
    from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
    from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME
    from ray.rllib.utils.metrics.metrics_logger import MetricsLogger
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


Algorithm: TypeAlias = Literal["ppo", "dqn", "impala", "appo"]


class MaskedEnvironment(gymnasium.Wrapper[dict[str, Any], np.int64, Any, np.int64]):
    """An environment as the modules above read it: the mask of the legal actions is part of what is seen.

    Args:
        context: RLlib's; "settings" are `EnvironmentSettings`.
    """

    def __init__(self, context: Mapping[str, Any]) -> None:
        settings: EnvironmentSettings = context["settings"]
        made = settings.make()
        super().__init__(made)
        self._bootstrap = settings.bootstraps
        space, count = made.observation_space, int(made.action_space.n)  # type: ignore[attr-defined]
        seen = dict(space.spaces) if isinstance(space, gymnasium.spaces.Dict) else {"observation": space}
        seen["action_mask"] = gymnasium.spaces.MultiBinary(count)
        self.observation_space = gymnasium.spaces.Dict(seen)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
        seen, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(seen, info), {}

    def step(self, action: np.int64) -> tuple[dict[str, Any], Any, bool, bool, Any]:
        """A limit of steps is part of the problem unless the settings bootstrap, as for polyloop's own learners."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        # The rest of the information is for people; kept, it would travel to the learner with every step.
        if not self._bootstrap:
            terminated, truncated = terminated or truncated, False
        return self._with_mask(seen, info), reward, terminated, truncated, {}

    def _with_mask(self, seen: Any, info: Mapping[str, Any]) -> dict[str, Any]:
        parts = dict(seen) if isinstance(seen, Mapping) else {"observation": seen}
        return parts | {"action_mask": np.asarray(info["action_mask"], np.int8)}


def algorithm_config(
    algorithm: Algorithm,
    environment: EnvironmentSettings,
    encoder: EncoderSettings | None = None,
    *,
    runners: int = 2,
    **training: Any,
) -> AlgorithmConfig:
    """The configuration of one of RLlib's algorithms; `build_algo()` makes the algorithm.

    Its settings are those of polyloop's own learner of that kind, where RLlib has them. It learns in this process; that
    and the rest can be changed by RLlib's means (`.learners(...)`), but for the module and the environment.

    Args:
        environment: `count` of them are stepped together in each env runner.
        encoder: by default one that fits the observations.
        runners: env runners; 0 rolls out in the learner's process.
        training: of the configuration's `training(...)`.
    Raises:
        PolyloopError: if there is no such algorithm.
    """
    if algorithm not in get_args(Algorithm):
        raise PolyloopError(f"algorithm {algorithm!r}: RLlib's adapter has {', '.join(get_args(Algorithm))}")
    if encoder is None:
        graphs = environment.arguments.get("observation") == "graph"
        encoder = EncoderSettings(width=64, layers=2) if graphs else EncoderSettings("vector", layers=2)
    kind, module, defaults = _KINDS[algorithm]
    made = defaults(environment.count, max(runners, 1))
    model = {"environment": environment.id, "encoder": asdict(encoder)}
    written = TrainingSettings(environment, encoder=encoder, learner=training).to_json() | {"algorithm": algorithm}
    return (
        kind()
        .environment(MaskedEnvironment, env_config={"settings": environment})
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=environment.count,
            gym_env_vectorize_mode="async" if environment.processes else "sync",
            rollout_fragment_length=made.pop("fragment", "auto"),
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=module, model_config=model | {"training": written}))
        .learners(num_learners=0)
        .fault_tolerance(restart_failed_env_runners=True, delay_between_env_runner_restarts_s=1)
        .training(**made | training)
    )


def export_policy(checkpoint: Path, path: Path) -> None:
    """Write the network of an RLlib checkpoint as polyloop's policy files.

    Args:
        checkpoint: the folder that `save_to_path` of an algorithm of this adapter's wrote. RLlib keeps it as pickles,
            which run code when they are read: take only those from people you trust.
        path: a folder; `polyloop evaluate --policy` and `polyloop.gnn.agent.Agent.load` read it.
    Raises:
        PolyloopError: if there is no such checkpoint.
    """
    part = checkpoint.absolute() / "learner_group" / "learner" / "rl_module" / DEFAULT_MODULE_ID
    if not part.is_dir():
        raise PolyloopError(f"{checkpoint} holds no checkpoint of an RLlib algorithm: {part} is not there")
    module = RLModule.from_checkpoint(part)
    if not isinstance(module, NetworkModule):
        raise PolyloopError(f"{checkpoint}: its network is a {type(module).__name__}, not one of polyloop's")
    description = {
        "network": asdict(module.network.settings),
        "training": module.model_config["training"],
        "steps": _steps_taken(checkpoint),
        "library": "rllib",
    }
    checkpoints.save(path / "policy", dict(module.network.state_dict()), description)


def _steps_taken(checkpoint: Path) -> int:
    state = pickle.loads((checkpoint / "algorithm_state.pkl").read_bytes())
    metrics = MetricsLogger(root=True)
    metrics.set_state(state["metrics_logger"])
    return int(metrics.peek((ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME), default=0))


def _ppo(count: int, runners: int) -> dict[str, Any]:
    own = PPOSettings()
    batch = own.steps * count * runners
    return {
        "lr": own.rate,
        "gamma": own.discount,
        "lambda_": own.smoothing,
        "clip_param": own.clip,
        "num_epochs": own.epochs,
        "train_batch_size_per_learner": batch,
        "minibatch_size": max(batch // own.minibatches, 1),
        "entropy_coeff": own.entropy,
        "vf_loss_coeff": own.value,
        "grad_clip": own.gradient,
        "use_kl_loss": False,
    }


def _dqn(count: int, runners: int) -> dict[str, Any]:
    own = DQNSettings()
    environments = count * runners
    return {
        "lr": own.rate,
        "gamma": own.discount,
        "double_q": True,
        "dueling": True,
        # Drawn anew for each transition: with one n, RLlib never replays the last n - 1 steps of an episode, and what
        # they do (finishing, for example) would never be learnt.
        "n_step": (1, own.horizon + 1),
        "grad_clip": own.gradient,
        "train_batch_size_per_learner": own.batch,
        "training_intensity": own.updates * own.batch / (own.steps * environments),
        "target_network_update_freq": own.target * own.steps * environments,
        "num_steps_sampled_before_learning_starts": own.first,
        "replay_buffer_config": {
            "type": "PrioritizedEpisodeReplayBuffer",
            "capacity": own.capacity,
            "alpha": own.exponent,
            "beta": own.correction,
        },
    }


def _impala(count: int, runners: int) -> dict[str, Any]:
    own = ImpalaSettings()
    return {
        "fragment": own.steps,
        "lr": own.rate,
        "gamma": own.discount,
        "vtrace_clip_rho_threshold": own.ratio,
        "vtrace_clip_pg_rho_threshold": own.ratio,
        "train_batch_size_per_learner": own.steps * count * runners,
        "entropy_coeff": own.entropy,
        "vf_loss_coeff": own.value,
        "grad_clip": own.gradient,
    }


_KINDS: Mapping[Algorithm, tuple[type[AlgorithmConfig], type[NetworkModule], Callable[[int, int], dict[str, Any]]]] = {
    "ppo": (PPOConfig, PolicyModule, _ppo),
    "dqn": (DQNConfig, QModule, _dqn),
    "impala": (IMPALAConfig, PolicyModule, _impala),
    "appo": (APPOConfig, PolicyModule, _impala),
}
