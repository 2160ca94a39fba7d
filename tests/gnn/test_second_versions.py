"""Learners in Cursor-v1 and Schedule-v1: what they see, what is cut off, and what is read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from polyloop.backend.machine.machine import machine_named
from polyloop.envs.cursor_problems import open_cursor
from polyloop.errors import PolyloopError
from polyloop.gnn.agent import Agent
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings, choices_of
from polyloop.gnn.networks import Network
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.samples import collate
from polyloop.gnn.training import DISCOUNT, TrainingSettings, network_settings, train
from polyloop.registration import CURSOR, CURSOR_1, SCHEDULE_1
from polyloop.shipped.families import split

SPLIT = {"split": "family", "each": 1}
FORMS = [("vector", "vector"), ("rows", "rows"), ("graph", "gine")]


def settings(observation: str, encoder: str, **more: Any) -> TrainingSettings:
    arguments = {"evaluator": "model", "observation": observation, "length": 4}
    environment = EnvironmentSettings(CURSOR_1, arguments, ({"workload": "MM-64", "machine": "zen3"},), count=2)
    return TrainingSettings(environment, "ppo", EncoderSettings(encoder, width=8, layers=1), {"steps": 8}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("observation", "encoder"), FORMS)
def test_what_is_trained_is_read_back_and_sees_the_same(observation: str, encoder: str, tmp_path: Path) -> None:
    given = settings(observation, encoder, steps=32)
    train(given, tmp_path)
    agent = Agent.load(tmp_path)
    environments = Environments(given.environment)
    seen = environments.reset(3)
    process = open_cursor("MM-64", None, actions=given.environment.cursor_actions, length=4)
    observer = CursorObserver(process, agent.environment, machine_named("zen3"))
    state = process.initial()
    for _ in range(2):
        sample, mask = observer.observe(state)
        assert mask.tolist() == seen.masks[0].tolist()
        assert sorted(sample) == sorted(seen.samples[0])
        assert all(np.array_equal(sample[name], seen.samples[0][name]) for name in sample)
        seen, state = environments.step([1, 1]), process.step(state, 1)
    environments.close()


@pytest.mark.parametrize(("observation", "encoder"), FORMS)
def test_the_machine_and_the_steps_left_reach_the_network(observation: str, encoder: str) -> None:
    given = settings(observation, encoder)
    environments = Environments(given.environment)
    torch.manual_seed(0)
    network = Network(network_settings(given, environments))
    environments.close()
    process = open_cursor("MM-64", None, actions=given.environment.cursor_actions, length=4)
    found = []
    for machine, steps in (("zen3", 0), ("sse", 0), ("zen3", 2)):
        observer = CursorObserver(process, given.environment, machine_named(machine))
        sample, _ = observer.observe(process.initial()._replace(steps=steps))
        found.append(network.encoder(collate([sample, sample]))[0])
        assert torch.isfinite(found[-1]).all()
    assert not torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_values_behind_the_limit_count_but_in_the_first_version() -> None:
    first, second = (
        EnvironmentSettings(name, {"evaluator": "model", "length": 2}, count=2) for name in (CURSOR, CURSOR_1)
    )
    assert (first.bootstraps, second.bootstraps) == (False, True)
    assert not replace(second, bootstrap=False).bootstraps
    environments = Environments(second)
    seen = environments.reset(0)
    stop = environments.actions - 1
    seen = environments.step([stop, 1])
    assert (seen.ended.tolist(), list(seen.cut)) == ([True, False], [])
    seen = environments.step([1, 1])
    assert (seen.ended.tolist(), list(seen.cut)) == ([False, True], [1])
    environments.close()
    assert DISCOUNT < 1


def test_schedules_are_learnt_in_the_second_version(tmp_path: Path) -> None:
    arguments = {"evaluator": "model", "kernel": "mvt", "sizes": "MINI", "length": 30}
    environment = EnvironmentSettings(SCHEDULE_1, arguments, count=2)
    given = TrainingSettings(environment, "a2c", EncoderSettings("vector", width=8, layers=1), steps=60)
    assert train(given, tmp_path).steps >= 60
    assert Agent.load(tmp_path).network.settings.heads == (("construction", 3), ("exploration", 4))


def test_a_split_stands_for_its_problems() -> None:
    choices = choices_of(SPLIT)
    assert choices == tuple(case.options for case in split("family", 0, 1).train)
    environments = Environments(EnvironmentSettings(CURSOR_1, {"evaluator": "model"}, (SPLIT,), count=3))
    seen = environments.reset(1)
    assert len({sample["vector"].tobytes() for sample in seen.samples}) == 3
    environments.close()


def test_agents_of_other_environments_are_refused() -> None:
    process = open_cursor("MM-64", None)
    with pytest.raises(PolyloopError, match=r"Cursor-v0 or polyloop/Cursor-v1"):
        CursorObserver(process, EnvironmentSettings(SCHEDULE_1))
    with pytest.raises(PolyloopError, match="the action stop"):
        CursorObserver(process, EnvironmentSettings(CURSOR_1))
