"""Expert iteration: replays to the bit, learns what the search finds, and is for the cursor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from polyloop.errors import PolyloopError
from polyloop.gnn import checkpoints
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.expert import Expert, ExpertSettings
from polyloop.gnn.networks import Network
from polyloop.gnn.training import TrainingSettings, network_settings, train
from polyloop.registration import CURSOR_1, SCHEDULE_1

ARGUMENTS = {"evaluator": "model", "length": 6}
PROBLEMS: tuple[dict[str, Any], ...] = (
    {"workload": {"einsum": "mk,nk->mn", "sizes": {"m": 64, "n": 96, "k": 48}}, "machine": "zen3"},
    {"workload": {"einsum": "mk,kn->mn", "sizes": {"m": 64, "n": 96, "k": 48}}, "machine": "zen5"},
)


def settings(**more: Any) -> TrainingSettings:
    environment = EnvironmentSettings(CURSOR_1, ARGUMENTS, PROBLEMS, count=1)
    learner = {"problems": 2, "updates": 40, "batch": 16, "rate": 0.003}
    return TrainingSettings(environment, "expert", EncoderSettings("vector", width=16, layers=1), learner, **more)


def expert(given: TrainingSettings) -> Expert:
    environments = Environments(given.environment)
    torch.manual_seed(given.seed)
    network = Network(network_settings(given, environments))
    return Expert(network, environments, ExpertSettings(**given.learner), given.seed)


def test_a_run_replays_to_the_bit(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        train(settings(steps=60, checkpoint=30), tmp_path / name)
        lines = [json.loads(line) for line in (tmp_path / name / "curve.jsonl").read_text().splitlines()]
        tensors, _ = checkpoints.load(tmp_path / name / "policy")
        found.append(([line | {"seconds": 0} for line in lines], {k: v.tolist() for k, v in tensors.items()}))
    assert found[0] == found[1]


def test_the_network_learns_what_the_search_has_found() -> None:
    learner = expert(settings())
    reports = [learner.iterate() for _ in range(6)]
    assert all(0 <= gain < 1 for report in reports for gain in report.returns)
    assert max(gain for report in reports for gain in report.returns) > 0.1
    assert reports[-1].figures["agreement"] > reports[0].figures["agreement"]
    assert reports[-1].figures["agreement"] > 0.5
    learner.close()


def test_examples_lead_to_the_best_that_was_found_and_end_there() -> None:
    learner = expert(settings())
    task, policy = learner.opened()
    process = task.process
    for first in (process.initial(), process.step(process.initial(), process.names.index("down"))):
        learner.examples.clear()
        taken, gain = learner.solved(task, policy, first)
        state = first
        assert len(learner.examples) == taken
        for example in learner.examples:
            assert example.mask[example.action]
            sample, _ = policy.observer.observe(state)
            np.testing.assert_array_equal(example.sample["vector"], sample["vector"])
            assert example.value == pytest.approx(gain - (task.worth(state) - task.worth(first)))
            state = process.step(state, example.action)
        assert process.final(state)
        assert task.worth(state) - task.worth(first) == pytest.approx(gain)
    learner.close()


def test_the_search_looks_at_what_the_network_would_never_do() -> None:
    learner = expert(settings())
    task, policy = learner.opened()
    state = task.process.initial()
    head = learner.network.heads["cursor"][2]  # type: ignore[index]
    with torch.no_grad():
        head.bias[task.process.names.index("down")] = 100.0
    legal = np.array(task.process.actions(state))
    likely = policy.probabilities(state)
    np.testing.assert_allclose(likely[legal].min(), learner.settings.curious / legal.sum())
    assert not likely[~legal].any()
    learner.close()


def test_other_environments_are_refused() -> None:
    given = EnvironmentSettings(SCHEDULE_1, {"evaluator": "model", "kernel": "mvt", "sizes": "MINI"}, count=1)
    with pytest.raises(PolyloopError, match="for the cursor, not for polyloop/Schedule-v1"):
        expert(TrainingSettings(given, "expert", EncoderSettings("vector", width=8, layers=1)))
