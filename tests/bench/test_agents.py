"""`polyloop bench agents`: what becomes of the curves, and one small run of everything."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

import pytest

from polyloop.backend.machine.machine import machine_named
from polyloop.bench import agents
from polyloop.bench.agents import (
    BASELINE_NAMES,
    CONTESTANTS,
    POINTS,
    SEEING,
    budget_words,
    contestants,
    curve,
    summarize_agents,
)
from polyloop.bench.rows import Row
from polyloop.search.cursor.baselines import Task, constant
from polyloop.search.cursor.constants import cross_entropy
from polyloop.shipped.families import Case, held_out_cases, split

if TYPE_CHECKING:
    from tests.helpers.commands import Run


def test_a_curve_is_read_at_shares_of_the_budget() -> None:
    lines = [{"seconds": 10.0 * k, "mean_return": k / 10} for k in range(1, 5)]
    points = curve(lines, 50.0)
    assert len(points) == POINTS
    assert points[:3] == [None, None, None]
    assert points[3] == 0.1  # at 10 seconds of 50
    assert points[-1] == points[15] == 0.4


def test_a_curve_can_be_of_steps_and_of_what_is_looked_at_now_and_then() -> None:
    lines = [{"seconds": 0.0, "steps": 10 * k, "held_out": k / 10 if k % 2 else None} for k in range(1, 5)]
    points = curve(lines, 40, "steps", "held_out")
    assert points[:5] == [None] * 4 + [0.1]
    assert points[-1] == points[14] == 0.3


def test_seeds_have_a_mean_and_a_spread() -> None:
    facts = [
        {"contestant": "ppo, graph", "steps": 10, "final": 0.1, "curve": [None, 0.1]},
        {"contestant": "ppo, graph", "steps": 20, "final": 0.3, "curve": [0.2, 0.3]},
        {"contestant": "dqn, rows", "steps": 5, "final": None, "curve": [None, None]},
    ]
    rows = [*(Row("x", facts=each) for each in facts), Row("y", failed="no", kind="refused")]
    figures = summarize_agents(rows)
    assert figures["ppo, graph"]["final"] == pytest.approx(0.2)
    assert figures["ppo, graph"]["spread"] == pytest.approx(0.1)
    assert figures["ppo, graph"]["curve"] == [0.2, pytest.approx(0.2)]
    assert figures["dqn, rows"]["final"] is None


def test_what_it_takes_is_said() -> None:
    assert budget_words(11, 2, 60.0) == "11 learners x 2 seeds (--rounds) x 60 s (--budget): 22 minutes"


def test_everything_is_compared_that_is_asked_for() -> None:
    names = [contestant.name for contestant in CONTESTANTS]
    assert len(set(names)) == len(names) == 11
    assert {"ppo, graph", "ppo, rows", "ppo, graph without edges", "impala, graph"} <= set(names)


@pytest.mark.parametrize(
    ("given", "count"), [("ppo", 3), ("graph", 5), ("rows", 5), ("edgeless", 1), ("dqn/rows", 1), ("dqn/rows,graph", 6)]
)
def test_contestants_go_by_learner_and_by_what_they_see(given: str, count: int) -> None:
    chosen = contestants(given)
    assert len(chosen) == count
    assert all(set(given.split(",")) & set(contestant.called) for contestant in chosen)


def test_what_learns_nothing_stands_beside_what_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "HELD_OUT", 3)
    bench = agents.Agents(contestants("ppo/rows"), {"budget": 1.0, "seed": 0, "seeds": 1, "set": "mm64_256_16"}, None)
    rows = {name: bench.measure(name) for name in BASELINE_NAMES if name != "cross-entropy"}
    figures = summarize_agents(list(rows.values()))
    assert figures["untuned"]["final"] == 0 <= figures["greedy"]["final"] < figures["teacher"]["final"]
    assert figures["teacher"]["curve"] == [figures["teacher"]["final"]] * POINTS
    assert [name for name in bench.runs if name in BASELINE_NAMES] == []


def test_eyes_differ_in_nothing_else() -> None:
    chosen = contestants(None, SEEING)
    assert {each.name for each in chosen} >= {"dagger, graph", "dagger, rows", "dagger, rows without the machine"}
    settings = [each.settings(3, "family-1", 40) for each in chosen]
    alike = [replace(s, encoder=replace(s.encoder, kind="gine", edges=True, machine=True)) for s in settings]
    alike = [replace(each, algorithm="dagger") for each in alike]
    seen = [dict(each.environment.arguments) for each in settings]
    teacher, told_nothing = (
        ["graph", "rows", "rows", "graph", "graph", "rows"],
        ["graph", "rows", "graph", "graph", "rows"],
    )
    assert [each.pop("observation") for each in seen] == [*teacher, *told_nothing, "graph", "rows"]
    assert all(each == seen[0] for each in seen)
    assert all(replace(each, environment=alike[0].environment) == alike[0] for each in alike)
    cases = held_out_cases("family-1", limit=agents.TESTED)
    assert {c.problem.family for c in cases} == {c.problem.family for c in split("family-1").test}
    assert len({c.machine for c in cases}) == 6
    in_rows = [f"{learner}, rows{less}" for learner in ("dagger", "expert") for less in ("", " without the machine")]
    assert [c.name for c in contestants("rows", SEEING)] == [*in_rows, "ppo, rows"]


def test_a_learner_is_tried_on_the_families_that_it_never_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"TESTED": 3, "HELD_OUT": 2, "LOOK": 60, "EACH": 2, "DRAWN": 5, "KNOWN": 3, "TRIALS": 300}
    for name, value in small.items():
        monkeypatch.setattr(agents, name, value)
    whole = agents.Contestant.settings
    short = {"problems": 2, "updates": 2}
    monkeypatch.setattr(agents.Contestant, "settings", lambda *given: replace(whole(*given), learner=short))
    settings = {"budget": None, "seed": 0, "seeds": 1, "set": "", "split": "family-3", "steps": 60}
    bench = agents.Agents(contestants("rows", SEEING[:2]), settings, None)
    (name,) = bench.runs
    row, teacher = bench.measure(name), bench.measure("teacher")
    assert row.facts["steps"] >= 60
    assert 0 <= row.facts["final"] <= 1.01 * teacher.facts["final"]
    assert row.facts["curve"][-1] is not None
    assert bench.measure("untuned").facts["final"] == 0
    blind = bench.measure("cross-entropy").facts["final"]
    cases = held_out_cases("family-3", limit=3)
    assert blind == pytest.approx(mean_of_blind(cases), abs=1e-4)
    assert bench.spent == "1 learners x 1 seeds (--rounds) x 60 steps (--steps)"


def mean_of_blind(cases: Sequence[Case]) -> float:
    """What the sequence that is best on three of the cases to train on gains on others, played there step by step."""
    known = split("family-3").train
    chosen = known[:: len(known) // 3]
    _, actions = cross_entropy([agents._ground(case) for case in chosen], 300, agents.LONG, 0)
    names = agents._opened_case(cases[0]).names
    policy = constant(" ".join(names[action] for action in actions))
    tasks = [Task.of(agents._opened_case(case), machine_named(case.machine)) for case in cases]
    return mean(task.gain(policy(task, 0).state) for task in tasks)


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs the extra gnn")
def test_a_small_run(run: Run, tmp_path: Path) -> None:
    arguments = ("--against", "a2c", "--budget", "2", "--rounds", "1", "--json", "agents.json", "--plots", "plots")
    ran = run("bench", "agents", *arguments)
    assert ran.status == 0, ran.err
    found = json.loads((tmp_path / "agents.json").read_text())
    assert {row["contestant"] for row in found["rows"]} == {"a2c, graph", "a2c, rows", *BASELINE_NAMES}
    assert all(row["steps"] > 0 for row in found["rows"] if row["contestant"] not in BASELINE_NAMES)
    gains = {row["contestant"]: row["final"] for row in found["rows"]}
    assert gains["untuned"] == 0 < gains["cross-entropy"] < gains["teacher"]
    assert (tmp_path / "plots" / "agents.svg").stat().st_size > 1000
