"""`polyloop bench model`: nests are measured and modelled, and the document has their rank correlation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloop.bench.cursor_model import problems, summarize_model, walks
from polyloop.bench.rows import Row
from polyloop.cli.main import main
from polyloop.cursor.contraction import Contraction
from polyloop.shipped.workloads import workload, workload_set
from polyloop.terminal.errors import UsageError


def test_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.json"
    assert main(["bench", "model", "--set", "looptune", "--limit", "1", "--samples", "12", "--json", str(path)]) == 0
    found = json.loads(path.read_text())
    assert found["suite"] == "model"
    (row,) = found["rows"]
    assert row["nests"] == found["summary"]["nests"] == 12
    assert -1 <= row["rank_correlation"] <= 1
    assert 0 < row["models_choice"] <= row["best"]
    assert "12 nests of 1 problems" in capsys.readouterr().out


def test_walks_differ_and_repeat() -> None:
    problem = Contraction.of(workload("MM-64").scop)
    assert problem is not None
    nests = walks(problem, 30, seed=1)
    assert len(set(nests)) == len(nests) == 30
    assert nests == walks(problem, 30, seed=1) != walks(problem, 30, seed=2)


def test_sets() -> None:
    held = {w.name for w in workload_set("mm64_256_16").test}
    assert {w.name for w in problems("looptune-test", 20, 0)} <= held
    assert held.isdisjoint(w.name for w in problems("looptune", 20, 0))
    with pytest.raises(UsageError, match="there are looptune-test, looptune"):
        problems("nothing", 1, 0)


def test_a_summary() -> None:
    rows = [Row(str(value), facts={"rank_correlation": value}) for value in (0.9, 0.7, None)]
    whole = summarize_model(rows, [(1.0, 2.0), (2.0, 4.0), (3.0, 8.0)])
    assert whole["rank_correlation"] == 1.0
    assert (whole["mean_of_problems"], whole["worst_problem"]) == (pytest.approx(0.8), 0.7)
