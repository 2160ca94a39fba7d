"""Imitation of a teacher that is asked where the learner is: replays to the bit, learns, and is for Cursor-v1."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from polyloop.cursor.tree_process import TreeCursor
from polyloop.envs.cursor_problems import open_cursor
from polyloop.errors import PolyloopError
from polyloop.gnn import checkpoints
from polyloop.gnn.agent import Agent
from polyloop.gnn.dagger import Dagger, DaggerSettings
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings, choices_of
from polyloop.gnn.held_out import HeldOut
from polyloop.gnn.networks import Network
from polyloop.gnn.training import TrainingError, TrainingSettings, _begin_with, network_settings, train
from polyloop.registration import CURSOR, CURSOR_1
from polyloop.search.cursor.guide import Guide
from polyloop.shipped.families import FAMILIES, Case, Problem, drawn_problems, problems

ARGUMENTS = {"evaluator": "model", "observation": "rows", "length": 10, "returns": "best"}
PROBLEMS: tuple[dict[str, Any], ...] = (
    {"workload": {"einsum": "mk,nk->mn", "sizes": {"m": 64, "n": 96, "k": 48}}, "machine": "zen3"},
    {"workload": {"einsum": "km,kn->mn", "sizes": {"m": 64, "n": 96, "k": 48}}, "machine": "zen5"},
)
ENVIRONMENT = EnvironmentSettings(CURSOR_1, ARGUMENTS, PROBLEMS, count=1)
ENCODER = EncoderSettings("attention", width=16, layers=2, heads=2)


def settings(**more: Any) -> TrainingSettings:
    learner = {"problems": 2, "walks": 3, "updates": 25, "batch": 32}
    return TrainingSettings(ENVIRONMENT, "dagger", ENCODER, learner, **more)


def learner(given: TrainingSettings) -> Dagger:
    environments = Environments(given.environment)
    torch.manual_seed(given.seed)
    network = Network(network_settings(given, environments))
    return Dagger(network, environments, DaggerSettings(**given.learner), given.seed)


def test_a_run_replays_to_the_bit(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        train(settings(steps=120, checkpoint=60), tmp_path / name)
        lines = [json.loads(line) for line in (tmp_path / name / "curve.jsonl").read_text().splitlines()]
        tensors, _ = checkpoints.load(tmp_path / name / "policy")
        found.append(([line | {"seconds": 0} for line in lines], {k: v.tolist() for k, v in tensors.items()}))
    assert found[0] == found[1]


def test_the_network_learns_to_do_what_the_teacher_would() -> None:
    given = learner(replace(settings(), learner={"problems": 4, "walks": 3, "updates": 40, "rate": 3e-3}))
    cases = [Case(Problem(str(p), "", {"workload": p["workload"]}), p["machine"]) for p in PROBLEMS]
    held = HeldOut(cases, ENVIRONMENT)
    before = held.gain(given.network)
    for _ in range(8):
        report = given.iterate()
    assert report.figures["agreement"] > 0.6
    assert held.gain(given.network) > before + 0.1
    given.close()


@pytest.mark.parametrize("written", [0.0, 1.0])
def test_without_layouts_the_teacher_hears_of_what_the_network_comes_by(written: float) -> None:
    given = learner(replace(settings(), learner={"problems": 1, "walks": 2, "updates": 1, "written": written}))
    led, own = given._begun()
    assert led.led
    assert not own.led
    knowing = Guide(led.guide.task)
    state = led.state
    while (advice := knowing.advice(state)) is not None:
        last, state = state, led.guide.task.process.step(state, advice.action)
    worth, before = led.guide.task.worth(last), led.guide._best
    assert written or worth > before
    led.state = own.state = last._replace(steps=2)
    given._stepped([led])
    assert led.guide._best == before
    given._stepped([own])
    assert own.guide._best == (before if written else worth)
    given.close()


def test_examples_are_what_the_teacher_would_do_and_legal() -> None:
    given = learner(settings())
    given.iterate()
    assert len(given.examples) > 20
    for example in given.examples:
        assert example.mask[example.action]
        assert 0.1 <= example.weight <= 1.1
        assert example.value >= 0
    given.close()


def test_a_policy_of_attention_is_read_back(tmp_path: Path) -> None:
    train(settings(steps=30), tmp_path)
    agent = Agent.load(tmp_path)
    held = HeldOut([Case(problem, "zen5") for problem in problems(["products-nt"], 1)], agent.environment)
    sample, mask = held.observers[0].observe(held.tasks[0].process.initial())
    assert agent.scores(sample, mask)[mask].max() > np.log(1 / mask.sum()) - 1e-6


def test_a_run_begins_with_what_a_policy_knows_of_its_actions(tmp_path: Path) -> None:
    train(settings(steps=30), tmp_path)
    more = replace(ENVIRONMENT, arguments=ARGUMENTS | {"splits": [2, 8, 64, 6]})
    given = learner(replace(settings(), environment=more))
    before = Agent.load(tmp_path).network.heads["cursor"][2].weight  # type: ignore[index]
    fresh = given.network.heads["cursor"][2].weight.clone()  # type: ignore[index]
    _begin_with(replace(settings(), environment=more), given, tmp_path)
    after = given.network.heads["cursor"][2].weight  # type: ignore[index]
    old, new = ENVIRONMENT.cursor_actions.names, more.cursor_actions.names
    for name in new:
        taken = before[old.index(name)] if name in old else fresh[new.index(name)]
        assert torch.equal(after[new.index(name)], taken), name
    narrow = learner(replace(settings(), encoder=replace(ENCODER, width=8)))
    with pytest.raises(TrainingError, match="another form"):
        _begin_with(settings(), narrow, tmp_path)
    given.close()
    narrow.close()


def test_rows_that_no_program_has_change_nothing() -> None:
    given = learner(settings())
    held = HeldOut([Case(problem, "zen5") for problem in problems(["products-nt", "conv-nhwc"], 1)], ENVIRONMENT)
    seen = [observer.observe(task.process.initial()) for observer, task in zip(held.observers, held.tasks, strict=True)]
    rows = [torch.from_numpy(np.stack([s["rows"] for s, _ in seen])), torch.from_numpy(seen[0][0]["rows"])[None]]
    context = torch.from_numpy(np.stack([s["context"] for s, _ in seen]))
    both = given.network.encoder({"rows": rows[0], "context": context})
    alone = given.network.encoder({"rows": rows[1], "context": context[:1]})
    torch.testing.assert_close(both[:1], alone)
    given.close()


def test_other_environments_are_refused() -> None:
    for environment in (
        EnvironmentSettings(CURSOR, {"evaluator": "model"}, count=1),
        EnvironmentSettings(CURSOR_1, {"evaluator": "model:zen3"}, count=1),
    ):
        with pytest.raises(PolyloopError, match="in Cursor-v1 with evaluator='model' only"):
            learner(TrainingSettings(environment, "dagger", EncoderSettings("vector", width=8, layers=1)))


def test_drawn_programs_are_of_no_family_and_for_any_machine() -> None:
    chosen = choices_of({"drawn": 60, "seed": 1, "machine": "random"})
    assert 40 < len(chosen) <= 60
    assert {entry["machine"] for entry in chosen} == {"random"}
    assert [p.options for p in drawn_problems(60, 1)] == [{"workload": entry["workload"]} for entry in chosen]
    texts = {p.options["workload"]["expression"] for p in drawn_problems(300, 1)}
    assert not {text for text in texts if text.count("[") == 3 and text == "C[m0, n0] += A[m0, k0] * B[k0, n0]"}
    assert not texts & {text for family in FAMILIES.values() for text in family.expressions}
    chains = [p.options["workload"] for p in drawn_problems(300, 1) if "\n" in p.options["workload"]["expression"]]
    assert 50 < len(chains) < 100
    assert all(isinstance(open_cursor(chain, None), TreeCursor) for chain in chains[:20])
    one = choices_of({"split": "family", "seed": 0, "each": 2, "machine": "random"})
    assert len(one) == len({str(entry) for entry in one}) == 26
