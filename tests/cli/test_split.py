"""`polyloop train` and `polyloop evaluate` on the splits of families and machines."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.helpers.commands import Run

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch_geometric") is None, reason="needs the extra gnn")
QUICK = ("--encoder", "rows", "--width", "8", "--layers", "1", "--environments", "2", "--setting", "steps=10")


@needs_torch
def test_a_policy_is_trained_and_judged_on_a_split(run: Run, tmp_path: Path) -> None:
    machine = ("--split", "machine-sse")
    trained = run(
        "train", "--env", "polyloop/Cursor-v1", *machine, *QUICK, "--steps", "20", "--validate", "2", "-o", "r"
    )
    assert trained.status == 0, trained.err
    assert "held out" in trained.out
    arguments = ("--seed", "1", "--limit", "3", "--against", "constant,greedy,teacher,greedy", "--json", "e.json")
    ran = run("evaluate", "--policy", "r", *machine, *arguments)
    assert ran.status == 0, ran.err
    found = json.loads((tmp_path / "e.json").read_text())
    assert {row["machine"] for row in found["rows"]} == {"sse"}
    assert found["settings"]["against"] == ["constant", "greedy", "teacher"]  # each stands in one column
    summary = found["summary"]
    assert set(summary["speedup"]) == {"untuned", "constant", "greedy", "teacher"}
    for name in ("seconds", "processor_seconds"):
        seconds = sorted(row[name] for row in found["rows"])
        assert summary[name] == {"median": seconds[1], "p99": seconds[2]}
    assert found["settings"]["walks"] == 1
    assert summary["worst"]["untuned"]["ratio"] >= 1  # the model chooses among the states of the walks
    assert summary["gain"]["policy"] == pytest.approx(sum(row["policy"] - row["untuned"] for row in found["rows"]) / 3)


@needs_torch
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "--split", ""), "no split is called ''"),
        (("evaluate", "--split", "author"), "no split is called 'author'"),
        (("evaluate", "--split", "family", "--against", "oracle"), "no baseline is called 'oracle'"),
        (("evaluate", "--split", "family", "--env", "polyloop/Schedule-v0"), "--split does nothing here"),
        (("train", "--split", "family", "--steps", "1"), "--split names problems on machines"),
        (("train", "--env", "polyloop/Cursor-v1", "--split", "author", "--steps", "1"), "no split is called"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run(*arguments)
    assert ran.status in (1, 2)
    assert message in ran.err
