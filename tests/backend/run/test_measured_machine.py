"""A machine is measured once, kept, and believed only where rounds agreed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Machine
from polyloop.backend.machine.target import Target
from polyloop.backend.run import microbenchmarks
from polyloop.backend.run.measured_machine import measured_machine, use_measured_machine

CONFIDENCE = [1.0]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Which processors were measured; a description of them is made up."""
    done: list[str] = []

    def measure(target: Target, processor: str) -> Machine:
        done.append(processor)
        return replace(target.machine, name="here", source="measured", gigahertz=1.5, confidence=CONFIDENCE[0])

    monkeypatch.setattr(microbenchmarks, "measure_machine", measure)
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path))
    monkeypatch.delenv("POLYLOOP_MACHINE")
    return done


def test_once(measured: list[str]) -> None:
    first = measured_machine(host_target())
    assert measured_machine(host_target()) == first
    assert len(measured) == 1
    measured_machine(host_target(), fresh=True)
    assert len(measured) == 2


def test_what_is_kept_and_broken_is_measured_again(measured: list[str], tmp_path: Path) -> None:
    first = measured_machine(host_target())
    (kept,) = tmp_path.glob("machines/*.json")
    for content in ("", "{}", '{"name": 3}'):
        kept.write_text(content)
        assert measured_machine(host_target()) == first
    assert len(measured) == 4


def test_a_folder_that_cannot_be_made(measured: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "file"))
    assert measured_machine(host_target()).gigahertz == 1.5
    before = host_target().machine
    assert use_measured_machine() == before
    assert os.environ["POLYLOOP_MACHINE"] == "shipped"


def test_commands_go_by_it(measured: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_MACHINE", "")
    announced: list[None] = []
    assert use_measured_machine(lambda: announced.append(None)).gigahertz == 1.5
    assert host_target().machine.name == "here"
    assert use_measured_machine(lambda: announced.append(None)).name == "here"
    assert len(measured) == len(announced) == 1


def test_a_doubtful_one_is_not_believed(measured: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_MACHINE", "")
    monkeypatch.setattr(sys.modules[__name__], "CONFIDENCE", [0.5])
    assert use_measured_machine().name != "here"
    assert os.environ["POLYLOOP_MACHINE"] == "shipped"


def test_a_doubtful_one_is_measured_again_after_an_hour(
    measured: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "CONFIDENCE", [0.5])
    for _ in range(2):
        measured_machine(host_target())
    assert len(measured) == 1
    (kept,) = tmp_path.glob("machines/*.json")
    os.utime(kept, (0, 0))
    measured_machine(host_target())
    assert len(measured) == 2


def test_whoever_names_a_machine_gets_it(measured: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    use_measured_machine()
    assert not measured
