"""`polyloop db`: what tuning leaves is told, exported, merged and pruned, and tuned from again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloop.cli.main import main

TUNE = ["tune", "C[m, n] += A[m, k] * B[k, n]", "m=24", "k=16", "n=32", "--search", "random", "--evaluations", "3"]


def test_records_from_beginning_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLYLOOP_RECORDS", str(tmp_path / "here.sqlite"))
    for task in ("info", "best", "export", "prune"):
        assert main(["db", task]) == 1
        assert "here.sqlite: there is no such file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(TUNE) == 0
    assert "\nknown " not in capsys.readouterr().out
    assert main(TUNE) == 0
    said = capsys.readouterr().out
    assert "\nknown " in said or "\nuntuned" in said
    assert main(["db", "info"]) == 0
    assert "of 1 program\n" in capsys.readouterr().out
    assert main(["db", "best", "tuned"]) == 0
    assert "tuned (" in capsys.readouterr().out
    assert main(["db", "best", "another"]) == 0
    assert "nothing is known of another on this machine" in capsys.readouterr().out
    lines = tmp_path / "lines.jsonl"
    assert main(["db", "export", str(lines)]) == 0
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    assert {record["in_turn"] for record in records} == {1}
    assert all(record["median"] > 0 for record in records)
    monkeypatch.setenv("POLYLOOP_RECORDS", str(tmp_path / "there.sqlite"))
    assert main(["db", "merge", str(lines), str(tmp_path / "here.sqlite")]) == 0
    assert f"there are now {len(records)}" in capsys.readouterr().out
    assert main(["db", "prune", "--keep", "1"]) == 0
    assert f"{len(records) - 1} records forgotten; 1 left" in capsys.readouterr().out


def test_mistakes_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("POLYLOOP_RECORDS", "off")
    assert main(["db", "info"]) == 2
    assert "POLYLOOP_RECORDS is off" in capsys.readouterr().err
    monkeypatch.setenv("POLYLOOP_RECORDS", str(tmp_path / "r.sqlite"))
    assert main(["db", "merge", str(tmp_path / "missing.sqlite")]) == 1
    assert "No such file" in capsys.readouterr().err
