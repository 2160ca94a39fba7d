"""`polyloop bench models`: schedules are measured and modelled, and the document has each model's figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloop.bench.models import fresh_programs, problems, program_text, summarize_models
from polyloop.bench.rows import Row
from polyloop.cli.main import main
from polyloop.models.programs import problem_of
from polyloop.models.scores import score
from polyloop.shipped.workloads import workload, workload_set
from polyloop.terminal.errors import UsageError


def test_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "models.json"
    asked = ["bench", "models", "--programs", "looptune", "--limit", "1", "--samples", "8", "--json", str(path)]
    assert main(asked) == 0
    found = json.loads(path.read_text())
    assert found["suite"] == "models"
    (row,) = found["rows"]
    assert row["schedules"] == found["summary"]["schedules"] == 8
    assert "analytic" in found["summary"]["models"]
    for figures in found["summary"]["models"].values():
        assert set(figures) == {"rank_correlation", "mape", "top1", "top5"}
        assert 0 < figures["top1"] <= figures["top5"] <= 1
        assert figures["mape"] >= 0
    for rates in found["summary"]["a_second"].values():
        assert rates["from_features"] > rates["with_features"] > 0
    assert "8 schedules of 1 program," in capsys.readouterr().out


def test_figures_of_one_program() -> None:
    measured = [4.0, 1.0, 2.0, 8.0, 16.0, 32.0, 64.0]
    right = score(measured, [2 * value for value in measured], measured)
    assert right.rank_correlation == pytest.approx(1.0)
    assert (right.mape, right.top1, right.top5) == (1.0, 1.0, 1.0)
    wrong = score([-value for value in measured], measured, measured)
    assert wrong.rank_correlation == pytest.approx(-1.0)
    assert (wrong.mape, wrong.top1, wrong.top5) == (0.0, 1 / 64, 1 / 4)


def test_programs_repeat_and_sets_are_known() -> None:
    assert fresh_programs(4, 1) == fresh_programs(4, 1) != fresh_programs(4, 2)
    held = {w.name for w in workload_set("mm64_256_16").test}
    assert {w.name for w in problems("looptune-test", 20, 0)} <= held
    with pytest.raises(UsageError, match="there are fresh, looptune-test"):
        problems("nothing", 1, 0)
    known = workload("CONV-1")
    assert problem_of(program_text(known)).flops == known.flops


def test_a_summary() -> None:
    def row(name: str, value: float | None) -> Row:
        figures = {"rank_correlation": value, "mape": 0.5, "top1": 0.5, "top5": 1.0}
        took = {"features": 0.5, "trees": 0.125}
        return Row(name, facts={"schedules": 4, "again": value, "models": {"analytic": figures}, "took": took})

    whole = summarize_models([row("a", 0.9), row("b", 0.7), row("c", None), Row("d", failed="no")])
    assert whole["models"]["analytic"]["rank_correlation"] == whole["again"] == pytest.approx(0.8)
    assert (whole["programs"], whole["schedules"]) == (3, 12)
    assert whole["a_second"] == {"trees": {"from_features": 32.0, "with_features": 6.4}}
    assert summarize_models([Row("d", failed="no")])["a_second"] == {}
