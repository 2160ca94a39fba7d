"""The peak of this core: plausible, kept on disk, and measured again where the file is not what was written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.run import peak
from polyloop.backend.run.measured_machine import machine_key
from polyloop.backend.run.peak import peak_gflops, peak_kernels, peak_operations


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path))
    return tmp_path / "peak"


def test_it_is_kept_by_processor(folder: Path) -> None:
    first = peak_gflops(np.float32)
    (file,) = folder.iterdir()
    assert json.loads(file.read_text()) == {"float32": first}
    second = peak_gflops("float64")
    assert json.loads(file.read_text()) == {"float32": first, "float64": second}


def test_the_faster_measurement_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = peak_gflops()
    monkeypatch.setattr(peak, "measure_peak", lambda dtype: 2 * first)
    assert peak_gflops() == first
    assert peak_gflops(fresh=True) == 2 * first
    monkeypatch.setattr(peak, "measure_peak", lambda dtype: first)
    assert peak_gflops(fresh=True) == 2 * first


@pytest.mark.parametrize("content", ["", "[]", '{"float64": "fast"}', '{"float64": -1}', '{"float64": 1'])
def test_a_damaged_file_is_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.setattr(peak, "measure_peak", lambda dtype: 12.5)
    folder.mkdir()
    (folder / f"{machine_key(host_target())}.json").write_text(content)
    assert peak_gflops("float64") == 12.5
    assert json.loads((folder / f"{machine_key(host_target())}.json").read_text()) == {"float64": 12.5}


def test_what_another_process_found_is_known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / f"{machine_key(host_target())}.json").write_text('{"float32": 100.0, "float64": 50.0}')
    assert peak_gflops("float64") == 50.0


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "file"))
    assert peak_gflops() > 0


def test_other_types_are_refused() -> None:
    with pytest.raises(ValueError, match="measured for float32 and float64, not for int32"):
        peak_gflops(np.int32)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_burst_computes(dtype: str) -> None:
    for bits, run in peak_kernels(dtype).items():
        run()
        memory = run.arrays["memory"]
        used = peak_operations(bits, dtype) // (2 * 1024)
        assert np.all(memory[2:used] == memory[2])
        assert np.isfinite(memory).all()
        assert not (memory[:used] == 0.5).any()
        assert (memory[used:] == 0.5).all()
