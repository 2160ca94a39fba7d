"""The committed hashes: complete, and true of a sample (`make replay` is for all); how differences are shown."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from polyloop.shipped.kernels import kernel_names
from tests.replay import __main__ as command
from tests.replay import table
from tests.replay.programs import programs, traces
from tests.replay.stages import FRONT, STAGES, TARGETS

ROOT = Path(__file__).parents[2]
NAME = "transposed, i8"
SAMPLE = (
    "gemm/trace",
    "durbin/isl",
    "nussinov/original",
    "symm/trace",
    "real/sobel",
    "idioms/lifted",
    "operators/DWCONV-4",
    "product, threads",
    "product by a vector, any order",
    "softmax",
    NAME,
)


@pytest.fixture
def altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in which the hash of one stage is another."""
    rows = table.committed()
    rows[f"{NAME}:avx2"] = {**rows[f"{NAME}:avx2"], "llvm": "0"}
    path = tmp_path / "hashes.json"
    monkeypatch.setattr(table, "HASHES", path)
    table.write(rows)
    return path


def test_the_table_is_complete() -> None:
    rows: dict[str, tuple[str, ...]] = dict.fromkeys(programs(), FRONT)
    rows |= {f"{name}:{target}": STAGES for name in programs() for target in TARGETS}
    assert {row: tuple(stages) for row, stages in table.committed().items()} == rows
    assert traces().keys() == set(kernel_names())


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample(name: str) -> None:
    known = table.committed()
    now = table.hashed(name)
    assert table.differences({row: known[row] for row in now}, now) == []


def test_programs_before_make_no_difference() -> None:
    """Proofs about the third one's bounds end at a limit, which is reached sooner or later by the order of atoms."""
    known = table.committed()
    for name in ("idioms/first_place", "idioms/largest_place", "idioms/escapes"):
        now = table.hashed(name)
        assert table.differences({row: known[row] for row in now}, now) == []


@pytest.mark.parametrize("variable", ["POLYLOOP_TARGET", "PYTHONHASHSEED"])
def test_the_environment_makes_no_difference(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, {"POLYLOOP_TARGET": "sse", "PYTHONHASHSEED": "7"}[variable])
    names = [NAME, "atax/trace", "softmax, any order"]
    known = table.committed()
    for rows in table.hashes(names):  # in processes of their own
        assert table.differences({row: known[row] for row in rows}, rows) == []


def test_a_difference_is_located(altered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([NAME]) == 1
    assert capsys.readouterr().out.splitlines()[0] == f"{NAME}:avx2: llvm"


def test_update(altered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([NAME, "--update"]) == 0
    assert altered.read_bytes() == Path(command.__file__).with_name("hashes.json").read_bytes()
    assert command.main([NAME]) == 0


def test_rows_that_are_new_or_gone() -> None:
    before, now = {"a": {"c": "1"}, "b": {"c": "1"}}, {"b": {"c": "1"}, "d": {"c": "1"}}
    assert table.differences(before, now) == ["a: gone", "d: new"]


def test_a_program_without_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("why")

    monkeypatch.setattr(table, "code_texts", refuse)
    assert table.hashed(NAME) == {NAME: {table.ERROR: "ValueError: why"}}


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--show", f"{NAME}:s*:nest"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"=== {NAME}:sse:nest\ntransposed__i8()\narray A: i8[45][83] read-only\n")
    assert shown.count("===") == 1


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_show_against_a_revision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a copy in which one size is another, as a repository of its own."""
    for folder in ("polyloop", "backend", "envs", "gnn", "data", "tests"):
        skip = shutil.ignore_patterns("__pycache__", *([] if folder != "tests" else ["golden"]))
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=skip)
    changed = tmp_path / "tests" / "replay" / "programs.py"
    text = changed.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if f'"{NAME}"' in line)
    changed.write_text(text.replace(line, line.replace("83", "84")), encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    tree = subprocess.run(["git", "write-tree"], cwd=tmp_path, check=True, capture_output=True, text=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "_ROOT", tmp_path)
        assert command.main(["--show", f"{NAME}:avx2:nest", "--against", tree.stdout.strip()]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith(("-array", "+array"))] == [
        "-array A: i8[45][84] read-only",
        "-array T: i8[84][45]",
        "+array A: i8[45][83] read-only",
        "+array T: i8[83][45]",
    ]


@pytest.mark.parametrize("arguments", [["no-such-kernel"], ["--show", "gemm:avx2:no-such-stage"]])
def test_unknown_names(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(arguments) == 2
    assert capsys.readouterr().err.startswith("replay: n")


def test_one_row_is_one_line() -> None:
    lines = table.HASHES.read_text(encoding="utf-8").splitlines()[1:-1]
    assert [json.loads("{" + line.rstrip(",") + "}").keys() for line in lines] == [{row} for row in table.committed()]
