"""Files of caches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyloop.backend.run.kept_files import keep


def test_a_file_is_written_with_its_folder_and_replaced(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    keep(place, b"one")
    keep(place, b"two")
    assert place.read_bytes() == b"two"
    assert [path.name for path in place.parent.iterdir()] == ["b"]


def test_what_cannot_be_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    keep(tmp_path / "file" / "b", b"one")

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    keep(tmp_path / "b", b"one")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
