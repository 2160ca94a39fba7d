"""`polyloop leaderboard`: every row replays, or is refused."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import polyloop.cli.leaderboard
from polyloop.bench import leaderboard
from polyloop.bench.leaderboard import LeaderboardError, load, task_of, verify
from polyloop.cursor.actions import STOP
from polyloop.gnn.policies import shipped_path
from polyloop.search.cursor.baselines import BASELINES
from polyloop.shipped.families import held_out_cases

if TYPE_CHECKING:
    from tests.helpers.commands import Run

SMALL = ("--split", "machine-sse", "--split-seed", "2", "--limit", "3")


def made(run: Run, *more: str, policy: str = "untuned,greedy,played-teacher") -> Any:
    ran = run("leaderboard", "run", *SMALL, "--policy", policy, *more)
    assert ran.status == 0, ran.err
    return ran


def test_baselines_are_played_and_ranked(run: Run, tmp_path: Path) -> None:
    ran = made(run, "--seeds", "2")
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0][:6] == ["policy", "gain", "spread", "seeds", "cases", "seconds"]
    assert lines[1][0] == "played-teacher"
    assert {line[0] for line in lines[1:-1]} == {"played-teacher", "greedy", "untuned"}
    assert all(line[3:5] == ["2", "3"] for line in lines[1:-1])
    assert run("leaderboard", "show").out == ran.out
    entries = load(tmp_path / "leaderboard.json")
    assert len(entries) == 6
    for entry in entries:
        for case, row in zip(held_out_cases(*entry.place), entry.rows, strict=True):
            task = task_of(case)
            assert row.gain == pytest.approx(task.gain(BASELINES[entry.policy](task, entry.seed).state))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gain": 0.9}, "it gains"),
        ({"state": "m 1"}, "another program"),
        ({"actions": ["up"]}, "action 1, up, is not legal"),
        ({"case": "products-nn/0-0@sse"}, "not the cases of the split"),
        ({"seed": float("inf")}, "no entry of a leaderboard: cannot convert float infinity"),
    ],
)
def test_what_does_not_replay_is_refused(run: Run, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    made(run, policy="untuned")
    path = tmp_path / "leaderboard.json"
    document = json.loads(path.read_text())
    entry = document["entries"][0]
    (entry if "seed" in change else entry["rows"][0]).update(change)
    (tmp_path / "theirs.json").write_text(json.dumps(document))
    ran = run("leaderboard", "add", "theirs.json", "-o", "ours.json")
    assert ran.status == 1
    assert message in ran.err
    assert not (tmp_path / "ours.json").exists()


def test_entries_of_others_are_added_once(run: Run, tmp_path: Path) -> None:
    made(run, policy="untuned,greedy")
    for _ in range(2):
        ran = run("leaderboard", "add", "leaderboard.json", "-o", "ours.json")
        assert ran.status == 0, ran.err
    assert len(load(tmp_path / "ours.json")) == 2
    (entry, *_) = load(tmp_path / "ours.json")
    verify(entry)
    assert run("leaderboard", "add").status == 2
    assert run("leaderboard", "show", "x.json").status == 2


def test_what_is_not_there_is_named_before_anything_is_played(run: Run, tmp_path: Path) -> None:
    shown = run("leaderboard", "show", "-o", "nowhere.json")
    assert shown.status == 2
    assert "there is no leaderboard nowhere.json" in shown.err
    ran = run("leaderboard", "run", *SMALL, "--policy", "untuned,nobody")
    assert ran.status == 2
    assert "--policy nobody: there are the baselines untuned, constant" in ran.err
    assert not (tmp_path / "leaderboard.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "no/lb.json"), "-o: there is no folder no"),
        (("-o", "."), "-o: . is a folder"),
        (("-o", "-"), "give its name instead of -"),
        (("--policy", ","), "--policy names nobody"),
    ],
)
def test_what_cannot_be_written_or_played_is_named_first(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(leaderboard, "run", None)
    ran = run("leaderboard", "run", *SMALL, *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_an_interrupted_run_leaves_what_it_has(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(polyloop.cli.leaderboard, "BASELINES", {**BASELINES, "greedy": stopped})
    assert run("leaderboard", "run", *SMALL, "--policy", "untuned,greedy").status == 130
    assert [entry.policy for entry in load(tmp_path / "leaderboard.json")] == ["untuned"]


@pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs the extra gnn")
def test_a_policy_of_schedules_does_not_play(run: Run) -> None:
    ran = run("leaderboard", "run", *SMALL, "--policy", f"untuned,{shipped_path('schedule')}")
    assert ran.status == 2
    assert "was trained in polyloop/Schedule-v0; there are policies of the cursor only" in ran.err


@pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs the extra gnn")
def test_a_trained_policy_takes_part(run: Run, tmp_path: Path) -> None:
    made(run, policy="shipped")
    (entry,) = load(tmp_path / "leaderboard.json")
    assert any(row.actions for row in entry.rows)


def test_states_that_no_actions_lead_to_are_no_entries(run: Run) -> None:
    ran = run("leaderboard", "run", *SMALL, "--policy", "teacher")
    assert ran.status in (0, 1)
    if ran.status:
        assert "cannot be replayed" in ran.err
    Path("broken.json").write_text("{}")
    with pytest.raises(LeaderboardError, match=r"n.json: no leaderboard can be read here: it has no 'entries'"):
        load(Path("broken.json"))
    Path("broken.json").write_text("[]")
    with pytest.raises(LeaderboardError, match="no leaderboard can be read"):
        load(Path("broken.json"))


@pytest.mark.skipif(importlib.util.find_spec("safetensors") is None, reason="needs the extra gnn")
def test_all_that_the_shipped_policy_does_can_be_written_down() -> None:
    from polyloop.gnn.shipped import shipped_agent

    known = shipped_agent("cursor").environment
    process = task_of(held_out_cases("family", 0, 1)[0]).process
    assert {name for name in known.cursor_actions.names if name != STOP} <= set(process.names)
    assert known.cursor_length <= (process.length or 0)
