"""The same `polyloop optimize` twice: the second time nothing is searched, and everything is as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import polyloop.cli.optimize
from polyloop.backend.config import cache_directory, chosen_target
from polyloop.measure.evaluator import EvaluationError
from polyloop.measure.result import Result
from polyloop.scop.model import Scop
from tests.helpers.commands import SCALE, Run, vectorized

COMMAND = ("optimize", "scale.c", "-o", "out.c", "--emit", "c,schedule", "--json", "out.json", "--depfile", "out.d")
KNOWN = "polyloop: remark: known from an earlier run; --no-cache searches again\n"


@pytest.fixture
def searched(scale: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the scops that were searched."""
    names: list[str] = []

    def optimize(scop: Scop, **options: Any) -> Result:
        names.append(scop.name)
        return vectorized(scop, **options)

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    monkeypatch.delenv("POLYLOOP_NO_CACHE")
    scale.write_text('#include "two.h"\n' + SCALE.replace("2.0", "TWO"))
    Path("two.h").write_text("#define TWO 2.0\n")
    return names


def outputs() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().glob("out.*")}


def test_what_is_kept_takes_the_place_of_nobodys_header(run: Run, searched: list[str]) -> None:
    command = ("optimize", "scale.c", "-o", "scale.o", "--emit=obj", "--sizes", "n=9")
    assert [run(*command).status for _ in range(2)] == [0, 0]
    Path("scale.h").write_text("mine")
    assert run(*command).status == 2
    assert Path("scale.h").read_text() == "mine"
    assert searched == ["scale"]


def test_nothing_is_searched_again(run: Run, searched: list[str]) -> None:
    first, files = run(*COMMAND), outputs()
    assert sorted(files) == ["out.c", "out.d", "out.json", "out.schedule"]
    assert files["out.d"] == b"out.c: scale.c two.h\n"
    for path in Path().glob("out.*"):
        path.unlink()
    again = run(*COMMAND)
    assert (again.status, again.out, again.err) == (0, first.out, first.err + KNOWN)
    assert outputs() == files
    assert searched == ["scale"]
    shown = run("optimize", "scale.c").out
    assert run("optimize", "scale.c").out == shown
    assert searched == ["scale", "scale"]


def test_what_decides_the_result_is_looked_at(
    run: Run, searched: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def searches(*more: str) -> bool:
        before = len(searched)
        assert run("optimize", "scale.c", "-o", "out.c", *more).status == 0
        return len(searched) > before

    assert searches()
    assert not searches()
    assert searches("--no-cache")
    assert searches("--budget", "1")
    Path("two.h").write_text("#define TWO 3.0\n")
    assert searches()
    Path("scale.c").write_text(Path("scale.c").read_text() + "\n")
    assert searches()
    monkeypatch.setenv("POLYLOOP_TARGET", "native" if chosen_target() == "sse" else "sse")
    assert searches()
    assert not searches()
    monkeypatch.setenv("POLYLOOP_NO_CACHE", "1")
    assert searches()
    monkeypatch.delenv("POLYLOOP_NO_CACHE")
    for path in cache_directory().glob("optimize/??/*"):
        path.write_bytes(path.read_bytes()[:-2])
    assert searches()


def test_failures_are_not_kept(run: Run, searched: list[str]) -> None:
    Path("scale.c").write_text("int x;\n")
    assert run(*COMMAND).status == 1
    assert run(*COMMAND).err.count(KNOWN) == 0


def test_a_depfile_is_of_a_file(run: Run, searched: list[str]) -> None:
    ran = run("optimize", "scale.c", "--depfile", "out.d")
    assert (ran.status, ran.err) == (
        2,
        "polyloop: error: --depfile says what a file is made of; name it with -o FILE\n",
    )


@pytest.mark.parametrize("left", ["", "unjudged"])
def test_what_was_left_for_want_of_time_is_tried_again(
    run: Run, searched: list[str], monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    names: list[str] = []

    def optimize(scop: Scop, **options: Any) -> Result:
        names.append(scop.name)
        if left:
            return replace(vectorized(scop, **options), unjudged="there was no time left to ask gcc")
        raise EvaluationError("the original loops take longer than there is time")

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    for _ in range(2):
        assert run("optimize", "scale.c", "-o", "out.c").status == 0
    assert names == ["scale", "scale"]
    assert searched == []
