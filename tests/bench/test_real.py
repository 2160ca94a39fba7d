"""`polyloop bench real`: its functions are those of data/real; a row is what a compiler says of one of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from polyloop.bench import real
from polyloop.cli.main import main
from polyloop.frontend import read_source

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def test_every_function_of_the_folder_has_sizes() -> None:
    scops = [scop for path in real.FOLDER.glob("*.c") for scop in read_source(path, auto=True).scops]
    assert len(scops) == 15
    assert {scop.name: set(scop.parameters) for scop in scops} == {name: set(s) for name, s in real.SIZES.items()}


@needs_gcc
def test_a_row_says_what_a_compiler_makes_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    monkeypatch.setitem(real.SIZES, "spmv", {"rows": 100})
    file = tmp_path / "real.json"
    command = ["bench", "real", "--against", "gcc", "--kernels", "spmv", "--budget", "0.1", "--json", str(file)]
    assert main(command) == 0
    found = json.loads(file.read_text())
    assert (found["suite"], found["settings"]["kernels"]) == ("real", ["spmv"])
    (row,) = found["rows"]
    assert (row["row"], row["sizes"], row["rival"]) == ("spmv", {"rows": 100}, "gcc")
    assert set(row["seconds"]) == {"gcc", "ours (gcc)"}
    (check,) = row["checks"]
    assert (check["result"], check["against"], check["passed"]) == ("ours (gcc)", "gcc", True)
    assert check["compared"] >= 100
    assert found["summary"]["verified"]["different"] == 0
    assert found["summary"]["speedup"] == {"gcc": pytest.approx(row["ratios"]["gcc"]["value"])}
