"""`polyloop bench stencils`: rows of two suites, and every row's ratio in the summary."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from polyloop.bench import real
from polyloop.bench.stencils import GRIDS, KERNELS
from polyloop.cli.main import main
from polyloop.shipped.kernels import kernel_names

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def test_all_rows_are_there() -> None:
    assert set(KERNELS) <= set(kernel_names())
    assert set(GRIDS) <= set(real.SIZES)


@needs_gcc
def test_rows_of_both_suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    monkeypatch.setitem(real.SIZES, "stream", {"ny": 20, "nx": 20})
    file = tmp_path / "stencils.json"
    command = ["bench", "stencils", "--kernels", "jacobi-1d,stream", "--dataset", "MINI", "--against", "gcc"]
    assert main([*command, "--budget", "0.2", "--rounds", "3", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert (found["suite"], found["settings"]["dataset"]) == ("stencils", "MINI")
    assert [row["row"] for row in found["rows"]] == ["jacobi-1d", "stream"]
    ratios = {row["row"]: {"gcc": row["ratios"]["gcc"]["value"]} for row in found["rows"]}
    assert {name: {"gcc": each["gcc"]} for name, each in found["summary"]["ratios"].items()} == ratios
    assert found["summary"]["verified"]["compared"] >= 2
    assert found["summary"]["verified"]["different"] == 0
