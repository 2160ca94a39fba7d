from __future__ import annotations

import json
import os
import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from polyloop.gnn import checkpoints
from polyloop.gnn.agent import Agent
from polyloop.gnn.dqn import DQN, ApeX, ApeXSettings, DQNSettings
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.learner import Report
from polyloop.gnn.networks import Network, NetworkSettings
from polyloop.gnn.policies import Algorithm, shipped_path
from polyloop.gnn.ppo import PPO
from polyloop.gnn.samples import collate, sample_of
from polyloop.gnn.training import (
    Progress,
    TrainingError,
    TrainingSettings,
    newest_checkpoint,
    read_settings,
    train,
)
from tests.helpers.corridor import CORRIDOR, PROBLEMS, shortfall

VECTOR = EncoderSettings("vector", width=32, layers=2)
QUICK: dict[Algorithm, dict[str, Any]] = {
    "ppo": {"rate": 3e-3, "steps": 32, "minibatches": 2},
    "a2c": {"rate": 3e-3},
    "dqn": {"rate": 2e-3, "updates": 4, "first": 100, "horizon": 2},
}
"""The corridor is short and steps are few: rates are high, and there is more than one iteration in a run."""


def _settings(algorithm: Algorithm, encoder: EncoderSettings = VECTOR, steps: int = 4000) -> TrainingSettings:
    observation = "vector" if encoder.kind == "vector" else "graph"
    environment = EnvironmentSettings(CORRIDOR, {"observation": observation}, PROBLEMS, count=4)
    return TrainingSettings(
        environment, algorithm, encoder, QUICK.get(algorithm, {}), steps=steps, rate_end=0.1, checkpoint=1000
    )


def _shortfall(agent: Agent, observation: str = "vector") -> float:
    return shortfall(lambda seen, mask: agent.best(sample_of(seen), mask), observation)


@pytest.mark.parametrize(
    ("algorithm", "steps"), [("ppo", 2000), ("a2c", 5000), pytest.param("dqn", 2500, marks=pytest.mark.long)]
)
def test_every_learner_finds_the_best_policy(algorithm: Algorithm, steps: int, tmp_path: Path) -> None:
    train(_settings(algorithm, steps=steps), tmp_path)
    assert _shortfall(Agent.load(tmp_path), "vector") == pytest.approx(0)


def test_weights_of_another_form_are_told_of_in_short(tmp_path: Path) -> None:
    begun = replace(_settings("a2c"), steps=1)
    train(begun, tmp_path / "first")
    other = replace(begun, encoder=replace(VECTOR, width=16), begin=str(tmp_path / "first"))
    with pytest.raises(
        TrainingError, match=r"first holds a network of another form than this run's: width=32, not 16$"
    ):
        train(other, tmp_path / "second")


def test_who_reads_a_policy_computes_on_one_thread() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        Agent.load(shipped_path("cursor"))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_a_policy_of_another_form_is_refused(tmp_path: Path) -> None:
    tensors, numbers = checkpoints.load(shipped_path("cursor"))
    name = "encoder.features.weight"
    checkpoints.save(tmp_path / "policy", tensors | {name: tensors[name][:, :-1]}, numbers)
    with pytest.raises(checkpoints.CheckpointError, match="not of the form that observations have in this version"):
        Agent.load(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"network": None},
        {"network": {}},
        {"network": []},
        {"training": 7},
        {"training": {"algorithm": 3}},
        {"network": {"encoder": {"kind": "mlp", "inputs": 7}, "heads": []}},
        {"network": {"encoder": {"colour": "red", "inputs": []}, "heads": [["a", 1]]}},
        {"network": {"encoder": {"inputs": [1]}, "heads": [[1]]}},
    ],
)
def test_a_damaged_description_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    tensors, numbers = checkpoints.load(shipped_path("cursor"))
    checkpoints.save(tmp_path / "policy", tensors, numbers | change)
    with pytest.raises(checkpoints.CheckpointError, match="its JSON file does not describe a policy"):
        Agent.load(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "[" * 100_000, "\xff", '{"weights_sha256": NaN}'])
def test_files_that_are_no_checkpoint_are_named(tmp_path: Path, text: str) -> None:
    tensors, numbers = checkpoints.load(shipped_path("cursor"))
    checkpoints.save(tmp_path / "policy", tensors, numbers)
    (tmp_path / "policy.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(checkpoints.CheckpointError):
        Agent.load(tmp_path)
    checkpoints.save(tmp_path / "policy", tensors, numbers)
    (tmp_path / "policy.safetensors").write_bytes(text.encode("latin-1"))
    with pytest.raises(checkpoints.CheckpointError, match="one was replaced"):
        Agent.load(tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["gatv2", "gine", "relational"])
def test_graph_encoders_learn(kind: str, tmp_path: Path) -> None:
    encoder = EncoderSettings(kind, width=16, layers=2)  # type: ignore[arg-type]
    train(_settings("ppo", encoder, steps=1500), tmp_path)
    assert _shortfall(Agent.load(tmp_path), "graph") < 0.2


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ["apex", "impala"])
def test_learners_with_actor_processes_learn(algorithm: Algorithm, tmp_path: Path) -> None:
    settings = _settings(algorithm, steps=3000)
    learner = {"actors": 2, "rate": 2e-3} | ({"first": 100, "horizon": 2} if algorithm == "apex" else {})
    train(replace(settings, learner=learner), tmp_path)
    assert _shortfall(Agent.load(tmp_path), "vector") < 0.1


@pytest.mark.parametrize(("algorithm", "workers"), [("a2c", 1), ("ppo", 2)])
def test_a_resumed_run_goes_on_to_the_bit(algorithm: Algorithm, workers: int, tmp_path: Path) -> None:
    """Whether environments are stepped here or in processes of their own, with and without minibatches drawn."""
    settings = replace(_settings(algorithm, steps=600), checkpoint=250, workers=workers)
    few = {"steps": 64, "epochs": 2, "minibatches": 2} if algorithm == "ppo" else {}
    settings = replace(settings, learner=few)
    train(settings, tmp_path / "whole")

    def interrupt(now: Progress) -> None:
        if now.steps > 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(settings, tmp_path / "parts", progress=interrupt)
    end = train(settings, tmp_path / "parts", resume=True)
    assert end.steps >= 600
    whole, parts = (checkpoints.load(tmp_path / name / "policy")[0] for name in ("whole", "parts"))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    curves = [(tmp_path / name / "curve.jsonl").read_text().splitlines() for name in ("whole", "parts")]
    without_time = [[{**json.loads(line), "seconds": 0} for line in curve] for curve in curves]
    assert without_time[0] == without_time[1]


@pytest.mark.parametrize("name", ["settings.json", "policy.json", "curve.jsonl"])
@pytest.mark.parametrize("text", ['{"indent": 4}', "[1]", "mine"])
def test_files_of_others_are_never_overwritten(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TrainingError, match=f"{name} is no training run's"):
        train(_settings("ppo", steps=100), tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, text)]


def test_a_folder_with_a_run_is_never_overwritten(tmp_path: Path) -> None:
    settings = _settings("ppo", steps=100)
    train(settings, tmp_path)
    with pytest.raises(TrainingError, match="holds a training run already"):
        train(settings, tmp_path)
    with pytest.raises(TrainingError, match="other settings"):
        train(replace(settings, seed=7), tmp_path, resume=True)
    with pytest.raises(TrainingError, match="holds no training run"):
        train(settings, tmp_path / "elsewhere", resume=True)
    (tmp_path / "settings.json").write_text("[]")
    with pytest.raises(TrainingError, match=re.escape(f"{tmp_path} holds no training run: these are no training sett")):
        read_settings(tmp_path)


def test_what_was_learnt_is_not_thrown_away_with_a_damaged_checkpoint(tmp_path: Path) -> None:
    settings = _settings("ppo", steps=20)
    train(settings, tmp_path)
    newest = newest_checkpoint(tmp_path)
    assert newest is not None
    newest.with_suffix(".json").write_text("{}")
    before = (tmp_path / "policy.safetensors").read_bytes()
    with pytest.raises(TrainingError, match=re.escape(f"{newest}: this checkpoint is damaged, and there is no other")):
        train(settings, tmp_path, resume=True)
    assert (tmp_path / "policy.safetensors").read_bytes() == before
    newest.with_suffix(".json").unlink()  # as where it was cut off: nothing but the beginning is left
    assert train(settings, tmp_path, resume=True).steps >= 20


@pytest.mark.parametrize("algorithm", ["ppo", "apex"])
def test_an_interrupt_waits_for_a_checkpoint(algorithm: Algorithm, tmp_path: Path) -> None:
    settings = replace(_settings(algorithm, steps=100_000), checkpoint=1_000_000)
    settings = replace(settings, learner={"actors": 1} if algorithm == "apex" else settings.learner)
    seen: list[int] = []

    def interrupt(now: Progress) -> None:
        seen.append(now.steps)
        if len(seen) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(settings, tmp_path, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is before
    newest = newest_checkpoint(tmp_path)
    assert newest is not None
    assert newest.name == f"checkpoint-{seen[-1]}"
    assert Agent.load(tmp_path).description["steps"] == seen[-1]

    def interrupt_at_once(now: Progress) -> None:
        seen.append(now.steps)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(settings, tmp_path, resume=True, progress=interrupt_at_once)
    assert seen[-1] > seen[-2]


def test_a_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    seen: list[int] = []

    def interrupt_twice(now: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        seen.append(now.steps)
        os.kill(os.getpid(), signal.SIGINT)
        seen.append(now.steps)

    with pytest.raises(KeyboardInterrupt):
        train(_settings("ppo"), tmp_path, progress=interrupt_twice)
    assert len(seen) == 1
    assert newest_checkpoint(tmp_path) is None


@pytest.mark.parametrize("error", [KeyboardInterrupt, EOFError, BrokenPipeError])
def test_what_an_interrupt_breaks_in_other_processes_is_no_error(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: PPO) -> Report:
        os.kill(os.getpid(), signal.SIGINT)
        raise error

    monkeypatch.setattr(PPO, "iterate", broken)
    with pytest.raises(KeyboardInterrupt):
        train(_settings("ppo"), tmp_path)
    assert newest_checkpoint(tmp_path) is not None


def test_what_breaks_by_itself_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: PPO) -> Report:
        raise EOFError

    monkeypatch.setattr(PPO, "iterate", broken)
    with pytest.raises(EOFError):
        train(_settings("ppo"), tmp_path)
    assert newest_checkpoint(tmp_path) is None


def test_unknown_settings_are_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="ppo has no setting rat; there are rate, "):
        train(replace(_settings("ppo"), learner={"rat": 1}), tmp_path / "a")
    with pytest.raises(TrainingError, match="there are ppo, a2c"):
        train(replace(_settings("ppo"), algorithm="sarsa"), tmp_path / "b")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("algorithm", "name", "value", "words"),
    [
        ("ppo", "rate", "fast", "a number from 0 on"),
        ("ppo", "rate", -1, "a number from 0 on"),
        ("ppo", "rate", float("inf"), "a number from 0 on"),
        ("ppo", "rate", True, "a number from 0 on"),
        ("ppo", "minibatches", 0, "a whole number from 1 on"),
        ("a2c", "steps", 2.5, "a whole number from 1 on"),
        ("impala", "smoothing", 1, ""),
        ("dqn", "discount", 1.5, "a number from 0 to 1"),
        ("apex", "actors", 0, "a whole number from 1 on"),
    ],
)
def test_values_of_settings_are_checked(
    algorithm: Algorithm, name: str, value: object, words: str, tmp_path: Path
) -> None:
    message = f"{algorithm}: {name}={value!r} has to be {words}" if words else f"{algorithm} has no setting {name}"
    with pytest.raises(TrainingError, match=re.escape(message)):
        train(replace(_settings(algorithm), learner={name: value}), tmp_path)


def test_what_has_not_begun_may_begin_anew(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="has no setting"):
        train(replace(_settings("ppo"), learner={"rat": 1}), tmp_path)
    assert train(_settings("ppo", steps=20), tmp_path).steps >= 20
    assert read_settings(tmp_path).learner == _settings("ppo").learner


def test_a_checkpoint_is_whole_or_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "checkpoint-1", tmp_path / "checkpoint-2"
    checkpoints.save(one, {"x": torch.ones(2)}, {"steps": 1})
    checkpoints.save(two, {"x": torch.zeros(2)}, {"steps": 2})
    tensors, numbers = checkpoints.load(one)
    assert tensors["x"].tolist() == [1, 1]
    assert numbers == {"steps": 1}
    assert newest_checkpoint(tmp_path) == two
    (tmp_path / "checkpoint-2.safetensors").write_bytes((tmp_path / "checkpoint-1.safetensors").read_bytes())
    with pytest.raises(checkpoints.CheckpointError, match="one was replaced"):
        checkpoints.load(two)
    assert newest_checkpoint(tmp_path) == one
    with pytest.raises(checkpoints.CheckpointError, match=r"there is no file .*checkpoint-3.safetensors$"):
        checkpoints.load(tmp_path / "checkpoint-3")


@pytest.mark.long
def test_an_actor_that_is_killed_is_replaced() -> None:
    environment = EnvironmentSettings(CORRIDOR, count=2)
    vectors = replace(VECTOR, inputs=Environments(environment).inputs)
    network = Network(NetworkSettings(vectors, (("cursor", 3),)))
    learner = ApeX(network, environment, ApeXSettings(actors=2, first=50), seed=0)
    try:
        before = 0
        while before < 200:
            before += learner.iterate().steps
        os.kill(learner.actors.processes()[0], signal.SIGKILL)
        after = 0
        while learner.actors.replaced == 0 or after < 400:
            after += learner.iterate().steps
        assert learner.actors.replaced == 1
        assert len(set(learner.actors.processes())) == 2
        assert len(learner.replay) > before // 2
    finally:
        learner.close()


def test_the_rate_falls_with_the_clock_where_no_steps_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, rates = [0.0], []
    monkeypatch.setattr("polyloop.gnn.training.time.monotonic", lambda: clock[0])
    iterate = PPO.iterate

    def timed(learner: PPO) -> Report:
        rates.append(learner.optimizer.param_groups[0]["lr"] / learner.settings.rate)
        clock[0] += 10.0
        return iterate(learner)

    monkeypatch.setattr(PPO, "iterate", timed)
    train(replace(_settings("ppo"), steps=None, learner={"steps": 4}), tmp_path, seconds=40.0)
    assert rates == pytest.approx([1.0, 0.775, 0.55, 0.325])


@pytest.mark.parametrize(("algorithm", "end"), [("dqn", 1.0), ("apex", 0.5)])
def test_importance_weights_are_annealed(algorithm: Algorithm, end: float, monkeypatch: pytest.MonkeyPatch) -> None:
    environments = Environments(EnvironmentSettings(CORRIDOR, count=2))
    network = Network(NetworkSettings(replace(VECTOR, inputs=environments.inputs), (("actions", 3),)))
    kind = ApeXSettings if algorithm == "apex" else DQNSettings
    learner = DQN(network, environments, kind(first=10, steps=20), seed=0)
    corrections: list[float] = []
    draw = learner.replay.draw

    def noted(count: int, correction: float, random: np.random.Generator) -> Any:
        corrections.append(correction)
        return draw(count, correction, random)

    monkeypatch.setattr(learner.replay, "draw", noted)
    for progress in (0.0, 0.5, 1.0):
        learner.anneal(progress, 1.0)
        learner.iterate()
    assert [corrections[0], corrections[-1]] == pytest.approx([0.5, end])
    learner.close()


@pytest.mark.parametrize("algorithm", ["apex", "impala"])
def test_learners_with_actors_step_nothing_themselves(
    algorithm: Algorithm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[EnvironmentSettings] = []
    make = EnvironmentSettings.make

    def counted(settings: EnvironmentSettings) -> Any:
        made.append(settings)
        return make(settings)

    monkeypatch.setattr(EnvironmentSettings, "make", counted)
    monkeypatch.setattr("polyloop.gnn.actors.Actors.publish", lambda *_: None)
    train(_settings(algorithm, steps=0), tmp_path)
    assert [settings.count for settings in made] == [1]


def test_policies_of_values_say_how_sure_they_are(tmp_path: Path) -> None:
    """Q-values of whatever scale make probabilities that prefer what is better."""
    train(replace(_settings("dqn", steps=2000), learner={"first": 100, "horizon": 2}), tmp_path)
    agent = Agent.load(tmp_path)
    assert agent.temperature == agent.description["temperature"]
    environments = Environments(replace(_settings("dqn").environment, count=8))
    seen = environments.reset(0)
    environments.close()
    values = agent.network.q_values(collate(seen.samples), torch.from_numpy(seen.masks)).detach().numpy()
    for by in (agent, replace(agent, temperature=None)):
        scores = np.stack([by.scores(s, m) for s, m in zip(seen.samples, seen.masks, strict=True)])
        assert np.exp(scores).sum(1) == pytest.approx(1)
        assert (scores.argmax(1) == values.argmax(1)).all()
        assert (np.exp(scores[~seen.masks]) == 0).all()
        # Nearly even they would be at the rewards' own scale.
        assert np.exp(scores.max(1))[seen.masks.sum(1) > 1].mean() > 0.75
