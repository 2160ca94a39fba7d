"""The project in examples/build, built in each of its ways in a copy: one program, however its loops are compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
needs = pytest.mark.skipif(not all(map(shutil.which, ("make", "gcc", "cc"))), reason="needs make and a C compiler")


class Copy:
    """The project in a folder of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place / "build"
        shutil.copytree(ROOT / "examples" / "build", self.place)
        tools = place / "bin"
        tools.mkdir()
        (tools / "polyloop").write_text(f'#!/bin/sh\nexec {sys.executable} -m polyloop "$@"\n')
        (tools / "polyloop").chmod(0o755)
        self._environment = os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "POLYLOOP_CACHE": str(place / "cache"),
            "POLYLOOP_LOG": str(place / "log"),
        }

        self.run("make", "clean")  # what somebody has built there

    def run(self, *command: str, **variables: str) -> str:
        environment = self._environment | variables
        ran = subprocess.run(command, cwd=self.place, capture_output=True, text=True, env=environment, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def optimized(self, program: str) -> bool:
        return b"polyloop_blur_0" in (self.place / program).read_bytes()


@pytest.fixture
def project(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@needs
def test_make(project: Copy) -> None:
    project.run("make")
    plain = project.run("./blur")
    assert not project.optimized("blur")
    project.run("make", "locked")
    project.run("make", "check")
    assert project.run("./locked") == plain
    assert project.optimized("locked")
    assert "blur.h schedules/blur.schedule" in (project.place / "optimized/blur.d").read_text()
    project.run("make", "clean")
    # A budget of 0 uses what is known: nothing yet. What is found then depends on the machine, its results do not.
    project.run("make", "CC=polyloop cc --budget 0")
    assert not project.optimized("blur")
    project.run("make", "clean")
    project.run("make", "-j2", "CC=polyloop cc", POLYLOOP_BUDGET="0.5")
    assert project.run("./blur") == plain
    assert (project.place / "blur.d").read_text() == "blur.o: blur.c blur.h\n"


@needs
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_cmake(project: Copy) -> None:
    project.run("cmake", "-S", ".", "-B", "made", "-DCMAKE_C_COMPILER=gcc")
    project.run("cmake", "--build", "made")
    assert project.optimized("made/blur")
    project.run("gcc", "-O1", "main.c", "blur.c", "-o", "plain")
    assert project.run("made/blur") == project.run("./plain")
    # A change of the loops is an error that says what to do, not a program with the old ones.
    text = (project.place / "blur.c").read_text()
    (project.place / "blur.c").write_text(text.replace("0.125f", "0.25f"))
    with pytest.raises(AssertionError, match=r"the loops of blur have changed since .*; search again with --emit"):
        project.run("cmake", "--build", "made")
