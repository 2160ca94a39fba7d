"""`polyloop dataset`: made, merged, told of and learnt from."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.cli.main import main
from polyloop.models.features import VERSION
from polyloop.models.forest import Weights
from tests.helpers.commands import Run

pytest.importorskip("pyarrow")


def test_a_data_set_from_beginning_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, both = (str(tmp_path / f"{name}.parquet") for name in ("first", "second", "both"))
    for place, seed in ((first, "1"), (second, "2")):
        asked = ["dataset", "make", place, "--count", "3", "--schedules", "4", "--evaluator", "model", "--seed", seed]
        assert main(asked) == 0
    assert main(["dataset", "merge", both, first, second]) == 0
    assert main(["dataset", "info", both]) == 0
    said = capsys.readouterr().out
    assert "schedules of 6 programs" in said
    assert "0 do not run" in said
    pytest.importorskip("lightgbm")
    assert main(["dataset", "train", str(tmp_path / "trees.safetensors"), both, "--members", "1"]) == 0
    weights = Weights.load(tmp_path / "trees.safetensors", VERSION)
    assert len(weights.facts["programs"]) == 6
    assert [len(weights.ensemble(name)) for name in ("seconds", "rank")] == [1, 1]


def test_mistakes_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "make", str(tmp_path / "d"), "--shard", "2/2"]) == 2
    assert "K below N" in capsys.readouterr().err
    assert main(["dataset", "make", str(tmp_path / "d"), "--families", "scop,none"]) == 2
    assert "there is no family 'none'; there are contraction," in capsys.readouterr().err
    assert main(["dataset", "info", str(tmp_path / "missing.parquet")]) == 1
    assert f"there is no file {tmp_path}/missing.parquet" in capsys.readouterr().err


@pytest.mark.parametrize(("task", "inputs"), [("make", ()), ("merge", ("in.parquet",)), ("train", ("in.parquet",))])
@pytest.mark.parametrize(("place", "said"), [(".", "is a folder"), ("no/d", "there is no folder"), ("-", "its name")])
def test_a_file_that_cannot_be_written_is_said_before_anything_is_done(
    task: str, inputs: tuple[str, ...], place: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("dataset", task, place, *inputs)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_network_learns_by_the_same_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("torch_geometric")
    from polyloop.gnn.cost_model import TreeGRUModel

    data, place = str(tmp_path / "data.parquet"), tmp_path / "gru.safetensors"
    assert main(["dataset", "make", data, "--count", "3", "--schedules", "4", "--evaluator", "model"]) == 0
    assert main(["dataset", "train", str(place), data, "--model", "treegru"]) == 0
    assert "a TreeGRU, of" in capsys.readouterr().out
    facts = TreeGRUModel.load(place).facts
    assert len(facts["programs"]) == 3
    assert facts["features"] == VERSION
