"""RLlib's adapter. Ray is too big for the suite's own environment: without it these tests are skipped.

To run them: pip install 'polyloop[ray]' pytest pytest-timeout, then pytest tests/gnn/adapters/test_rllib.py.
"""

from __future__ import annotations

import importlib
import os
import signal
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from polyloop.errors import PolyloopError
from polyloop.gnn.agent import Agent
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.samples import sample_of
from tests.helpers.corridor import CORRIDOR, PROBLEMS, shortfall

if find_spec("ray") is None:
    pytest.skip("Ray is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")

ROOT = Path(__file__).parents[3]
VECTOR = EncoderSettings("vector", width=32, layers=2)


@pytest.fixture(scope="module")
def rllib() -> ModuleType:
    """The adapter. Ray takes seconds to import, which collecting the tests of this file should not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("polyloop.gnn.adapters.rllib")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster of this machine alone; its processes find polyloop and the tests' environment."""
    import ray

    variables = {"PYTHONPATH": str(ROOT), "RAY_DEDUP_LOGS": "0"}
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": variables})
    yield
    ray.shutdown()


def _corridor(observation: str = "vector") -> EnvironmentSettings:
    return EnvironmentSettings(CORRIDOR, {"observation": observation}, PROBLEMS, count=4)


def _shortfall(agent: Agent, observation: str = "vector") -> float:
    return shortfall(lambda seen, mask: agent.best(sample_of(seen), mask), observation)


@pytest.mark.parametrize(("observation", "bootstrap"), [("vector", False), ("graph", False), ("vector", True)])
def test_masks_are_seen_and_a_limit_ends_or_cuts_an_episode(
    rllib: ModuleType, observation: str, bootstrap: bool
) -> None:
    environment = rllib.MaskedEnvironment({"settings": replace(_corridor(observation), bootstrap=bootstrap)})
    seen, _ = environment.reset(seed=0, options={"length": 6})
    steps, over, cut = 0, False, False
    while not (over or cut):
        assert environment.observation_space["action_mask"].contains(seen["action_mask"])
        legal = np.flatnonzero(seen["action_mask"])
        seen, _, over, cut, _ = environment.step(legal[0])  # left where it can, so the end is never reached
        steps += 1
    assert (steps, over, cut) == (20, not bootstrap, bootstrap)


@pytest.mark.usefixtures("rllib")  # which imports Ray without its warnings
def test_a_state_without_a_legal_action_has_finite_scores() -> None:
    from polyloop.gnn.adapters.rllib import network_inputs

    _, masks = network_inputs({"observation": torch.zeros(2, 3), "action_mask": torch.tensor([[0, 0], [0, 1]])})
    assert masks.tolist() == [[True, True], [False, True]]


def test_unknown_names_are_said(rllib: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(PolyloopError, match="has ppo, dqn, impala, appo"):
        rllib.algorithm_config("sac", _corridor())
    with pytest.raises(PolyloopError, match="holds no checkpoint"):
        rllib.export_policy(tmp_path, tmp_path / "policy")


@pytest.mark.long
@pytest.mark.usefixtures("cluster")
def test_ppo_learns_though_an_env_runner_is_killed(rllib: ModuleType, tmp_path: Path) -> None:
    # The corridor is short: it needs no prize on exploring, and few iterations at a higher rate.
    algorithm = rllib.algorithm_config("ppo", _corridor(), VECTOR, runners=2, lr=3e-3, entropy_coeff=0.01).build_algo()
    try:
        counts = [_counts(algorithm.train()) for _ in range(2)]
        before = _processes(algorithm)
        os.kill(before[0], signal.SIGKILL)
        counts += [_counts(algorithm.train()) for _ in range(2)]
        # The killed one comes back on its own time; the other goes on alone.
        while len(_processes(algorithm)) < 2 or len(counts) < 24:
            counts.append(_counts(algorithm.train()))
        after = _processes(algorithm)
        assert len(set(before) & set(after)) == 1
        # Every iteration had a whole batch, the one with the kill as well, and learnt from it.
        taken, learnt = np.diff(np.array(counts), axis=0).T
        assert taken.min() >= algorithm.config.total_train_batch_size
        assert learnt.min() >= algorithm.config.total_train_batch_size
        algorithm.save_to_path(tmp_path / "run")
    finally:
        algorithm.stop()
    rllib.export_policy(tmp_path / "run", tmp_path / "policy")
    agent = Agent.load(tmp_path / "policy")
    assert agent.description["steps"] == counts[-1][0]
    assert _shortfall(agent) == pytest.approx(0, abs=1e-6)


@pytest.mark.long
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("algorithm", "observation", "runners"),
    [("ppo", "graph", 0), ("dqn", "vector", 0), ("appo", "vector", 1)],
)
def test_an_exported_policy_acts_as_the_checkpoint_does(
    rllib: ModuleType, algorithm: str, observation: str, runners: int, tmp_path: Path
) -> None:
    from ray.rllib.core.rl_module.rl_module import RLModule

    encoder = VECTOR if observation == "vector" else EncoderSettings("gine", width=16, layers=1)
    settings = _corridor(observation)
    config = rllib.algorithm_config(algorithm, settings, encoder, runners=runners)
    made = config.reporting(min_time_s_per_iteration=0).build_algo()
    try:
        fresh, learnt = _weights(made), _weights(made)
        while all(np.array_equal(fresh[name], learnt[name]) for name in fresh):
            made.train()
            learnt = _weights(made)
        made.save_to_path(tmp_path / "run")
    finally:
        made.stop()
    rllib.export_policy(tmp_path / "run", tmp_path / "policy")
    agent = Agent.load(tmp_path / "policy")
    assert agent.environment.id == CORRIDOR
    assert agent.description["steps"] >= 4
    checkpoint = tmp_path / "run" / "learner_group" / "learner" / "rl_module" / "default_policy"
    module = RLModule.from_checkpoint(checkpoint)
    # Learners of their own threads go on learning while they are saved.
    saved = {name: np.asarray(value) for name, value in module.get_state().items()}
    assert not all(np.array_equal(fresh[name], saved[name]) for name in fresh)
    for name, value in agent.network.state_dict().items():
        assert np.array_equal(value.numpy(), saved[f"network.{name}"]), name
    environment = rllib.MaskedEnvironment({"settings": settings})
    for seed in range(20):
        seen, _ = environment.reset(seed=seed)
        outputs = module.forward_inference(
            {"obs": {name: torch.from_numpy(value).unsqueeze(0) for name, value in seen.items()}}
        )
        action = outputs["actions"][0] if "actions" in outputs else outputs["action_dist_inputs"][0].argmax()
        assert agent.best(sample_of(seen), seen["action_mask"].astype(bool)) == int(action)


def _counts(result: dict[str, Any]) -> tuple[int, int]:
    """Steps of environments so far, and how many samples were learnt from."""
    learner = result["learners"]["default_policy"]
    return int(result["env_runners"]["num_env_steps_sampled_lifetime"]), int(
        learner["num_module_steps_trained_lifetime"]
    )


def _processes(algorithm: Any) -> list[int]:
    """Ids of the env runners' processes, of those that answer."""
    found = algorithm.env_runner_group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
    return [int(number) for number in found]


def _weights(algorithm: Any) -> dict[str, Any]:
    return dict(algorithm.learner_group.get_weights()["default_policy"])
