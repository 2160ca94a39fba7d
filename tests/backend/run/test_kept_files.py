"""Files of caches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyloop.backend.run.kept_files import CacheWarning, is_private, keep, read_private


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


def test_code_that_others_may_have_written_is_not_read(tmp_path: Path) -> None:
    """A folder that many share must not decide what runs here."""
    path = tmp_path / "objects" / "code.o"
    keep(path, b"code")
    assert (read_private(path), path.parent.stat().st_mode & 0o777) == (b"code", 0o700)
    path.chmod(0o666)
    assert read_private(path) is None
    path.chmod(0o600)
    for mode in (0o777, 0o1777, 0o770):
        path.parent.chmod(mode)
        with pytest.warns(CacheWarning, match=r"objects can be written by others, .* set POLYLOOP_CACHE"):
            assert read_private(path) is None
    path.parent.chmod(0o755)
    assert read_private(path) == b"code"
    assert read_private(tmp_path / "nothing" / "code.o") is None
    assert is_private(tmp_path / "nothing")


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator gives files away")
def test_code_of_somebody_else_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "objects" / "code.o"
    keep(path, b"code")
    os.chown(path, 12345, -1)
    assert read_private(path) is None
    os.chown(path, 0, -1)
    os.chown(path.parent, 12345, -1)
    with pytest.warns(CacheWarning):
        assert read_private(path) is None
