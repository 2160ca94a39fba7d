"""What a policy is tried on while it is trained, and beside baselines afterwards."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from polyloop.cli.evaluate_split import summary
from polyloop.cursor.model import nest_model
from polyloop.gnn.agent import Agent
from polyloop.gnn.dqn import DQN, DQNSettings
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.held_out import HeldOut, validation
from polyloop.gnn.networks import Network
from polyloop.gnn.shipped import shipped_agent
from polyloop.gnn.split_evaluation import evaluated
from polyloop.gnn.training import Progress, TrainingError, TrainingSettings, network_settings, train
from polyloop.registration import CURSOR_1
from polyloop.search.cursor.baselines import Task, baseline
from polyloop.shipped.families import Case, problems, split

ARGUMENTS = {"evaluator": "model", "length": 5}
PROBLEM = {"split": "family", "seed": 3, "each": 1}
CASES = tuple(Case(problem, "zen3") for problem in problems(["products-tt", "conv-nchw"], 2))


def settings(**more: object) -> TrainingSettings:
    environment = EnvironmentSettings(CURSOR_1, ARGUMENTS, (PROBLEM,), count=2)
    whole = TrainingSettings(environment, "a2c", EncoderSettings("vector", width=8, layers=1), checkpoint=40)
    return replace(whole, **more)  # type: ignore[arg-type]


def test_the_policy_that_is_kept_is_the_best_that_was_met(tmp_path: Path) -> None:
    given = settings(steps=80, held_out=3, checkpoint=20)
    end = train(given, tmp_path)
    looked = [json.loads(line)["held_out"] for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    gains = [gain for gain in looked if gain is not None]
    assert len(gains) >= 4
    agent = Agent.load(tmp_path)
    held = validation("family", 3, 3, given.environment)
    assert agent.description["held_out"] == pytest.approx(held.gain(agent.network))
    assert agent.description["held_out"] >= max(gains)
    assert end.held_out == agent.description["held_out"]


def test_an_interrupt_leaves_the_best_that_was_met(tmp_path: Path) -> None:
    looked: list[float] = []

    def interrupt(now: Progress) -> None:
        if now.held_out is not None:
            looked.append(now.held_out)
        elif looked:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(settings(steps=1000, held_out=2, checkpoint=40), tmp_path, progress=interrupt)
    assert Agent.load(tmp_path).description["held_out"] == max(looked)


def test_baselines_stand_beside_the_gain_wherever_it_was_looked_at(tmp_path: Path) -> None:
    given = settings(steps=80, held_out=2, checkpoint=40)
    end = train(given, tmp_path)
    held = validation("family", 3, 2, given.environment)
    expected = {
        name: sum(task.gain(baseline(name)(task, 0).state) for task in held.tasks) / 2
        for name in ("constant", "random-50")
    }
    assert expected["random-50"] > 0
    lines = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    looked = [line for line in lines if line["held_out"] is not None]
    assert 0 < len(looked) < len(lines)
    assert all(line["baselines"] == ({} if line["held_out"] is None else pytest.approx(expected)) for line in lines)
    assert end.baselines == Agent.load(tmp_path).description["baselines"] == pytest.approx(expected)


def test_what_is_looked_at_is_neither_trained_nor_tested_on(tmp_path: Path) -> None:
    known = split("family", 3)
    names = {case.name for case in (*known.train, *known.test)}
    held = validation("family", 3, 12, settings().environment)
    assert len(held.cases) == 12
    assert not names & {case.name for case in held.cases}
    assert {c.problem.family for c in held.cases} <= {c.problem.family for c in known.train}
    with pytest.raises(TrainingError, match="only problems of a split"):
        train(settings(held_out=3, environment=EnvironmentSettings(CURSOR_1, ARGUMENTS)), tmp_path)


def test_cases_that_are_walked_together_end_as_alone() -> None:
    given = settings()
    environments = Environments(given.environment)
    network = Network(network_settings(given, environments))
    environments.close()
    held = HeldOut(CASES, given.environment)
    alone = [HeldOut((case,), given.environment).ends(network)[0] for case in CASES]
    assert [end.program for end in held.ends(network)] == [end.program for end in alone]
    assert all(task.process.final(end) for task, end in zip(held.tasks, held.ends(network), strict=True))


def test_baselines_stand_beside_the_policy(tmp_path: Path) -> None:
    train(settings(steps=20), tmp_path)
    agent = Agent.load(tmp_path)
    row = evaluated(CASES[0], agent, ("greedy", "teacher"), walks=1)
    task = HeldOut(CASES[:1], agent.environment).tasks[0]
    fresh = Task.of(task.process, task.machine)
    assert row.others == {name: fresh.worth(baseline(name)(fresh, 0).state) for name in ("greedy", "teacher")}
    assert row.policy >= row.untuned == fresh.worth(task.process.initial())
    assert row.gain == row.policy - row.untuned


def test_the_default_schedule_stands_in_where_it_is_worth_more_and_is_told_apart(tmp_path: Path) -> None:
    train(settings(steps=20), tmp_path)
    agent = Agent.load(tmp_path)
    rows = [evaluated(case, agent, ("teacher",), walks=1) for case in CASES[:2]]
    for case, row in zip(CASES, rows, strict=False):
        task = HeldOut((case,), agent.environment).tasks[0]
        default = task.process.default(nest_model(task.machine).target)
        assert default is not None
        assert row.policy == max(row.own, task.worth(default)) > row.own >= row.untuned
        likeliest = evaluated(case, agent, (), walks=0)
        assert likeliest.policy == likeliest.own
    found = summary(rows, ("teacher",))
    assert found["own"] == 0
    assert found["alone"]["teacher"] < found["speedup"]["teacher"] <= 1
    assert found["alone"]["untuned"] >= 1


def test_chances_of_random_actions_fall() -> None:
    given = settings()
    environments = Environments(given.environment)
    learner = DQN(
        Network(network_settings(given, environments)), environments, DQNSettings(epsilon=1.0, spread=0.0, steps=60), 0
    )
    drawn = learner.random.random

    def random_ones(progress: float) -> int:
        """Of 120 actions, those that are not the network's."""
        learner.anneal(progress, 1.0)
        learner.begin_episodes(5)
        seen = learner.network.q_values
        calls = []

        def counted(*arguments: object) -> object:
            values = seen(*arguments)  # type: ignore[arg-type]
            calls.append(values.argmax(1).tolist())
            return values

        learner.network.q_values = counted  # type: ignore[method-assign,assignment]
        taken = []
        step = environments.step
        environments.step = lambda actions: (taken.append(list(actions)), step(actions))[1]  # type: ignore[method-assign,func-returns-value]
        learner.iterate()
        environments.step = step  # type: ignore[method-assign]
        learner.network.q_values = seen  # type: ignore[method-assign]
        return sum(
            a != b for chosen, best in zip(taken, calls, strict=False) for a, b in zip(chosen, best, strict=True)
        )

    assert random_ones(0.0) > 4 * random_ones(1.0)
    assert drawn is not None
    environments.close()


def test_a_device_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="device='abacus'"):
        train(settings(steps=20, device="abacus"), tmp_path)


def test_the_shipped_policy_sees_what_pays_on_families_and_machines_that_it_never_saw() -> None:
    agent = shipped_agent("cursor")
    drawn = agent.environment.problems
    assert {entry["split"] for entry in drawn if "split" in entry} == {"family"}
    assert {entry["machine"] for entry in drawn} == {"random"}
    chosen = [case for case in split("family").test if case.problem.family in ("products-tt", "three-operands")][::16]
    rows = [evaluated(case, agent, ("random-50", "teacher"), walks=8) for case in chosen]
    assert all(row.policy >= row.untuned for row in rows)
    assert sum(row.gain for row in rows) > 0.7 * sum(row.others["teacher"] - row.untuned for row in rows)
    assert sum(row.policy for row in rows) > 1.05 * sum(row.others["random-50"] for row in rows)
