"""`polyloop bench outside`: a row is what two programs say of a function, and what was announced."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from polyloop.bench import outside, real
from polyloop.cli.main import main
from polyloop.frontend import read_source

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def test_plain_functions_take_nothing_but_what_their_regions_use() -> None:
    scops = {s.name: s for path in real.FOLDER.glob("*.c") for s in read_source(path, auto=True).scops}
    for name in outside.PLAIN:
        source = scops[name].source
        assert source is not None
        assert set(source.parameter_order) <= {*scops[name].parameters, *(a.name for a in scops[name].arrays)}


@needs_gcc
def test_a_row_has_what_was_announced_and_what_two_programs_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    file = tmp_path / "outside.json"
    # Without a budget that leaves room for a last round nothing is announced: then the row says nothing, either.
    command = ["bench", "outside", "--against", "gcc", "--kernels", "gemm", "--budget", "2", "--json", str(file)]
    assert main(command) == 0
    found = json.loads(file.read_text())
    (row,) = found["rows"]
    assert set(row["announced"]) == set(row["ratios"]) == set(row["deviation"])
    for compiler, ratio in row["ratios"].items():
        assert row["deviation"][compiler] == pytest.approx(row["announced"][compiler] / ratio["value"] - 1)
        assert found["summary"]["deviation"][compiler] == pytest.approx(abs(row["deviation"][compiler]))
