"""``polyloop machine``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import machine_named
from polyloop.cli.main import main


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file that describes this machine."""
    path = tmp_path / "here.json"
    path.write_text(host_target().machine.to_json())
    monkeypatch.setenv("POLYLOOP_MACHINE", str(path))
    return path


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine"]) == 0
    shown = capsys.readouterr().out
    machine = host_target().machine
    assert shown.startswith(f"{machine.name}: {machine.instructions}, ")
    assert f"clock {machine.gigahertz:g} GHz" in shown
    assert "multiply add" in shown
    assert "GFLOPS of double precision" in shown


def test_what_it_writes_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = host_target().machine
    written, picture = tmp_path / "mine.json", tmp_path / "roof.svg"
    assert main(["machine", "--name", "mine", "--json", str(written), "--svg", str(picture)]) == 0
    assert set(json.loads(written.read_text())) == {"suite", "machine", "settings", "rows", "summary"}
    assert machine_named(str(written)).gigahertz == before.gigahertz
    assert machine_named(str(written)).name == "mine"
    assert "GB/s" in picture.read_text()


def test_one_thing_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine", "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["summary"]["description"]["line"] == 64
    assert "GFLOPS" in printed.err
    assert main(["machine", "--json", "-", "--svg", "-"]) == 2
    assert "both write to standard output" in capsys.readouterr().err


def test_unknown_machines_are_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_MACHINE", "pdp11")
    assert main(["machine"]) == 1
    assert "no machine is called 'pdp11'" in capsys.readouterr().err
