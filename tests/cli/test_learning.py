"""`polyloop train` and `polyloop evaluate`: what they accept, say and write."""

from __future__ import annotations

import importlib.util
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import polyloop.terminal.learning
from polyloop.gnn import policies
from polyloop.shipped.kernels import kernel_fold, kernel_names

if TYPE_CHECKING:
    from tests.helpers.commands import Run

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs the extra gnn")
QUICK = ("--encoder", "vector", "--width", "16", "--layers", "1", "--environments", "2", "--setting", "steps=10")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train",), "say when to stop: --minutes or --steps"),
        (("train", "--algo", "sarsa"), "invalid choice: 'sarsa'"),
        (("train", "--resume", "run", "--algo", "dqn"), "--algo does not go with --resume"),
        (("train", "--resume", "run", "--steps", "900"), "--steps does not go with --resume"),
        (("train", "--resume", "run", "-o", "other"), "--output does not go with --resume"),
        (("train", "--steps", "1", "--each", "3"), "--each goes with --split"),
        (("train", "--steps", "1", "--env", "polyloop/Cursor-v1", "--drawn", "9", "--each", "3"), "--each goes with"),
        (("train", "--steps", "1", "--validate", "3"), "--validate goes with --split"),
        (("train", "--steps", "1", "--fold", "3"), "--fold goes with --kernels"),
        (("train", "--steps", "1", "--kernels", "mvt", "--hold-out", "operators"), "--hold-out goes with --set"),
        (("train", "--steps", "1", "--layouts"), "--layouts goes with --imitate"),
        (("train", "--steps", "1", "--imitate", "2", "--traces", "f"), "--traces and --imitate are two sources"),
        (("train", "--steps", "1", "--no-edges", "--encoder", "rows"), "--no-edges goes with graphs"),
        (("train", "--steps", "1", "--env", "CartPole-v1"), "--env CartPole-v1: agents are trained in polyloop"),
        (("train", "--steps", "1", "-o", "-"), "-o -: a run is a folder: give its name instead of -"),
        (("evaluate", "--env", "polyloop/Nope-v0"), "--env polyloop/Nope-v0: policies of polyloop/Construct-v0, "),
        (("evaluate", "--env", "polyloop/Explore-v0", "--set", "operators"), "--set does nothing here: schedules are"),
        (("evaluate", "--env", "polyloop/Cursor-v0", "--fold", "1"), "--fold does nothing here: policies of"),
        (
            ("evaluate", "--fold", "1", "--against", "greedy1"),
            "--against does nothing here: schedules are evaluated on",
        ),
        (("evaluate", "--env", "polyloop/Schedule-v1", "--walks", "2"), "--walks does nothing here"),
        (("evaluate", "--split", "family", "--kernels", "mvt"), "--split does nothing here: schedules"),
        (("evaluate", "--split", "family", "--set", "operators"), "--set does nothing here: with --split"),
        (("evaluate", "--env", "polyloop/Cursor-v1", "--pool", "3"), "--pool does nothing here"),
        (
            ("evaluate", "--set", "nothing"),
            "--set nothing: this is no set, and no workload's name; the sets are looptune",
        ),
        (("evaluate", "--set", ","), "--set ,: this is no set, and no workload's name"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run(*arguments)
    assert ran.status == 2
    assert message in ran.err


@needs_torch
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--set", "nothing"), 1, "no set of workloads is called 'nothing'"),
        (("--env", "polyloop/Construct-v0", "--set", "operators"), 2, "--set names workloads"),
        (("--setting", "rate"), 2, "--setting rate: it has to be NAME=VALUE"),
        (("--setting", "height=3"), 1, "ppo has no setting height; there are rate, steps"),
        (("--setting", "rate=fast"), 1, "ppo: rate='fast' has to be a number from 0 on"),
        (("--environments", "0"), 2, "argument --environments: '0' is not a positive whole number"),
        (("--minutes", "-1"), 2, "argument --minutes: '-1' is not a time, as in 10, 90s or 1h"),
        (("--seed", "-1"), 2, "argument --seed: '-1' is not a whole number from 0 on"),
        (("--env", "polyloop/Nope-v0"), 2, "--env polyloop/Nope-v0: agents are trained in polyloop/Construct-v0"),
        (("--argument", "observation=rows"), 2, "--argument observation=rows: --encoder says what is observed"),
        (("--argument", "height=3"), 1, "polyloop/Cursor-v0 takes no argument 'height'"),
        (
            ("--argument", "max_episode_steps=5"),
            1,
            "max_episode_steps=5: a limit that polyloop/Cursor-v0 knows nothing of",
        ),
        (("--argument", "length=0"), 1, "length=0: it has to be 1 at least"),
        (("--encoder", "gatv2", "--width", "30"), 1, "width 30: the 4 heads of gatv2 need a multiple of that"),
        (("--env", "polyloop/Schedule-v0", "--kernels", "mvt", "--imitate", "3"), 1, "imitation is for"),
        (("--machine", "random"), 2, "--machine: polyloop/Cursor-v0 takes no machine; see polyloop/Cursor-v1"),
        (("--env", "polyloop/Schedule-v0", "--fold", "9"), 1, "there is no fold 9 of the kernels; there are 0 to 5"),
    ],
)
def test_training_that_cannot_be(run: Run, arguments: tuple[str, ...], status: int, message: str) -> None:
    ran = run("train", "--steps", "10", *QUICK, *arguments)
    assert ran.status == status
    assert message in ran.err


@needs_torch
def test_a_folder_that_cannot_be_made_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    ran = run("train", "--steps", "10", *QUICK, "-o", "file")
    assert (ran.status, ran.err) == (1, "polyloop: error: file cannot be made the folder of a run: File exists\n")
    assert (tmp_path / "file").read_text() == "mine"


def test_without_torch_the_message_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyloop.terminal.learning, "find_spec", lambda name: None)
    for arguments in (("train", "--steps", "1"), ("evaluate",)):
        ran = run(*arguments)
        assert ran.status == 1
        assert "needs torch, torch_geometric, safetensors; pip install 'polyloop[gnn]'" in ran.err


@needs_torch
def test_a_missing_policy_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policies, "WEIGHTS", tmp_path)
    ran = run("evaluate")
    assert ran.status == 1
    assert "no policy of the kind 'cursor' ships with this version" in ran.err


@needs_torch
def test_a_policy_is_trained_resumed_and_evaluated(run: Run, tmp_path: Path) -> None:
    trained = run("train", "--set", "operators", "--steps", "20", *QUICK, "-o", "policy")
    assert trained.status == 0
    assert "20 steps" in trained.out
    assert "the policy is in policy" in trained.out
    settings = json.loads((tmp_path / "policy" / "settings.json").read_text())
    assert settings["environment"]["problems"] == [{"set": "operators"}]
    again = run("train", "--set", "operators", "--steps", "20", *QUICK, "-o", "policy")
    assert again.status == 1
    assert "holds a training run already" in again.err
    assert run("train", "--resume", "policy").status == 0

    judged = run(
        *("evaluate", "--policy", "policy", "--set", "operators/MM-64,operators/MM-128", "--limit", "1"),
        *("--against", "greedy1,policy-rollouts,policy-mcts", "--budget", "0.05", "--json", "judged.json"),
    )
    alone = run("evaluate", "--policy", "policy", "--set", "MM-64", "--compared", "0", "--json", "-")
    assert judged.status == 0, judged.err
    document = json.loads((tmp_path / "judged.json").read_text())
    assert document["suite"] == "evaluate"
    row = document["rows"][0]
    assert row["untuned"] > 0
    assert set(row["trials"]) == {"greedy1", "policy-rollouts", "policy-mcts"}
    assert set(document["summary"]["over_the_best_search"]) == {"policy", "policy-rollouts", "policy-mcts"}
    assert "1 problem, geometric means: the policy's nests are at" in judged.out
    assert "policy-mcts over the best unguided search" in judged.out
    assert len(json.loads(alone.out)["rows"]) == 1
    assert "times the untuned ones" in alone.err
    assert "of them with searches" not in alone.err

    assert "no search is called 'depth'" in run("evaluate", "--policy", "policy", "--against", "depth").err
    wrong = run("evaluate", "--policy", "policy", "--fold", "1")
    assert wrong.status == 2
    assert "was trained in polyloop/Cursor-v0" in wrong.err


@needs_torch
def test_an_interrupted_evaluation_leaves_what_it_has(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("train", "--set", "operators", "--steps", "20", *QUICK, "-o", "policy").status == 0
    from polyloop.gnn.evaluation import Judge, Verdict  # needs torch

    judge, judged = Judge.judge, list[str]()

    def interrupted(self: Judge, workload: str, *given: Any) -> Verdict:
        if judged:
            raise KeyboardInterrupt
        judged.append(workload)
        return judge(self, workload, *given)

    monkeypatch.setattr(Judge, "judge", interrupted)
    chosen = ("--set", "operators/MM-64,operators/MM-128", "--compared", "0", "--json", "judged.json")
    assert run("evaluate", "--policy", "policy", *chosen).status == 130
    rows = json.loads((tmp_path / "judged.json").read_text())["rows"]
    assert [row["workload"] for row in rows] == judged


@needs_torch
def test_a_teacher_is_copied_on_problems_of_many_kinds(run: Run, tmp_path: Path) -> None:
    what = ("--split", "family,family-1", "--each", "2", "--drawn", "5", "--set", "operators", "--machine", "random")
    how = ("--algo", "dagger", "--encoder", "attention", "--width", "16", "--layers", "1", "--argument", "length=4")
    less = ("--setting", "problems=1", "--setting", "updates=1", "--validate", "2", "--steps", "10", "-o", "policy")
    assert run("train", "--env", "polyloop/Cursor-v1", *what, *how, *less).status == 0
    settings = json.loads((tmp_path / "policy" / "settings.json").read_text())
    assert settings["environment"]["problems"] == [
        {"split": "family", "seed": 0, "each": 2, "machine": "random"},
        {"split": "family-1", "seed": 0, "each": 2, "machine": "random"},
        {"drawn": 5, "seed": 0, "machine": "random"},
        {"set": "operators", "machine": "random"},
    ]
    chosen = ("--split", "family", "--limit", "1", "--against", "teacher", "--walks", "2", "--json", "-")
    summary = json.loads(run("evaluate", "--policy", "policy", *chosen).out)["summary"]
    assert summary["worst"]["untuned"]["ratio"] >= 1


@needs_torch
def test_what_is_learnt_where_nobody_says_what_is_what_can_be_learnt(run: Run, tmp_path: Path) -> None:
    less = ("--env", "polyloop/Cursor-v1", "--validate", "2", "--steps", "20", *QUICK)
    ran = run("train", *less, "-o", "policy")
    assert ran.status == 0, ran.err
    environment = json.loads((tmp_path / "policy" / "settings.json").read_text())["environment"]
    assert environment["problems"] == [
        {"split": "family", "seed": 0, "each": 100, "machine": "random"},
        {"drawn": 2000, "seed": 0, "machine": "random"},
    ]
    assert (environment["arguments"]["returns"], environment["row"]) == ("best", 4)
    described = json.loads((tmp_path / "policy" / "policy.json").read_text())
    beside = ", ".join(f"{name} {gain:.4f}" for name, gain in described["baselines"].items())
    assert f"held out {described['held_out']:.4f} ({beside})" in ran.out
    assert set(described["baselines"]) == {"constant", "random-50"}
    other = ("--argument", "returns=last", "--each", "1", "--machine", "zen3", "--row", "1")
    assert run("train", *less, *other, "-o", "other").status == 0
    environment = json.loads((tmp_path / "other" / "settings.json").read_text())["environment"]
    assert (environment["arguments"]["returns"], environment["row"]) == ("last", 1)
    assert [problem["machine"] for problem in environment["problems"]] == ["zen3", "zen3"]
    assert environment["problems"][0]["each"] == 1


@needs_torch
def test_a_log_says_at_every_checkpoint_how_a_run_goes(run: Run) -> None:
    less = ("--env", "polyloop/Cursor-v1", "--validate", "2", "--checkpoint", "40", *QUICK)
    ran = run("train", *less, "--steps", "100", "-o", "policy")
    *looks, end = ran.out.splitlines()
    assert [line.split(" steps, ")[0] for line in looks] == ["40", "80"]
    assert all(", held out " in line and line.isprintable() for line in looks)
    assert end.startswith("100 steps, ")
    plain = run("train", "--set", "operators", "--steps", "50", "--checkpoint", "20", *QUICK, "-o", "plain")
    assert [line.split(" steps, ")[0] for line in plain.out.splitlines()] == ["20", "40", "60", "60"]


@needs_torch
@pytest.mark.long
@pytest.mark.parametrize("name", ["Construct-v0", "Explore-v0", "Schedule-v0"])
def test_a_schedule_policy_is_evaluated_beside_isl(run: Run, tmp_path: Path, name: str) -> None:
    arguments = ("--env", f"polyloop/{name}", "--kernels", "mvt,gemm", "--steps", "40", *QUICK, "-o", "policy")
    assert run("train", *arguments).status == 0
    judged = run("evaluate", "--policy", "policy", "--kernels", "matvec", "--proposals", "2", "--json", "judged.json")
    assert judged.status == 0, judged.err
    piped = run("evaluate", "--policy", "policy", "--kernels", "matvec", "--proposals", "2", "--json", "-")
    assert json.loads(piped.out)["suite"] == "evaluate"
    assert "speedup over" in piped.err
    (row,) = json.loads((tmp_path / "judged.json").read_text())["rows"]
    assert row["kernel"] == "matvec"
    assert {"original", "isl"} <= set(row["seconds"])
    assert 1 <= row["proposals"] <= 2
    assert {"policy", "best"} <= set(row["seconds"])
    other = "Explore-v0" if name == "Construct-v0" else "Construct-v0"
    wrong = run("evaluate", "--policy", "policy", "--env", f"polyloop/{other}")
    assert (wrong.status, f"was trained in polyloop/{name}; policies of polyloop/{other} are" in wrong.err) == (2, True)


def test_folds_part_the_kernels() -> None:
    folds = [kernel_fold(number) for number in range(6)]
    assert all(len(fold) == 5 for fold in folds)
    assert set().union(*folds) == set(kernel_names()) - {"matvec"}


@needs_torch
def test_what_torch_tells_its_callers_is_not_told_to_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "warnoptions", [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        polyloop.terminal.learning.needs_torch("a test")
        for module in ("torch.jit._script", "polyloop.cli.train"):
            warnings.warn_explicit("soon", FutureWarning, f"{module}.py", 1, module=module)
    assert [warning.filename for warning in caught] == ["polyloop.cli.train.py"]
