"""Writing output files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from polyloop.support.files import OverwriteError, WorkFolder, write_atomically

ROOT = Path(__file__).resolve().parents[2]


def test_text_and_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.c", "one\r\ntwo\n\u00e9")
    assert (tmp_path / "a.c").read_bytes() == b"one\r\ntwo\n\xc3\xa9"
    write_atomically(str(tmp_path / "a.c"), b"\x00\xff")
    assert (tmp_path / "a.c").read_bytes() == b"\x00\xff"
    assert os.listdir(tmp_path) == ["a.c"]


def test_the_input_is_not_overwritten_under_any_name(tmp_path: Path) -> None:
    source, link = tmp_path / "in.c", tmp_path / "link.c"
    source.write_text("old")
    link.symlink_to(source)
    for name in (source, link, tmp_path / "." / "in.c"):
        with pytest.raises(OverwriteError, match="is the input file"):
            write_atomically(name, "new", forbid=[source])
    assert source.read_text() == "old"
    write_atomically(link, "new")
    assert source.read_text() == "new"
    assert link.is_symlink()


def test_a_forbidden_file_that_does_not_exist_forbids_nothing(tmp_path: Path) -> None:
    write_atomically(tmp_path / "out.c", "x", forbid=[tmp_path / "missing.c"])
    assert (tmp_path / "out.c").read_text() == "x"


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "text")
        assert os.read(reader, 10) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.c"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.c"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk is full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.c"]


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        write_atomically(tmp_path / "no" / "out.c", "text")
    assert missing.value.filename == str(tmp_path / "no" / "out.c")
    with pytest.raises(OSError, match="No space left on device") as full:
        write_atomically("/dev/full", "text")
    assert full.value.filename == "/dev/full"


def test_work_folders_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    script = (
        "import os, tempfile\n"
        "from polyloop.support.files import WorkFolder\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "folder = WorkFolder()\n"
        "os.mkdir(folder.name + '/inner')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False, timeout=60)
    (left,) = tmp_path.iterdir()
    with WorkFolder() as name:
        assert left.exists()  # it might be too young to be locked
        file, link = tmp_path / "polyloop-work-file", tmp_path / "polyloop-work-link"
        file.write_text("not a folder")
        link.symlink_to(ROOT)
        for path in (left, Path(name), file, link):
            os.utime(path, (0, 0), follow_symlinks=False)
        with WorkFolder() as other:
            assert not left.exists()
            assert Path(name).is_dir()
            assert Path(other).is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["polyloop-work-file", "polyloop-work-link"]


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_atomically(path, "text")
    assert path.read_text() == "text"
