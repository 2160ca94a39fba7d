"""Environment variables: defaults, overrides, and what is said about values that make no sense."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from polyloop.backend.config import cache_directory, default_threads, use_color
from polyloop.backend.errors import SettingError
from polyloop.cli import cc_call


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("POLYLOOP_CACHE", "POLYLOOP_THREADS", "XDG_CACHE_HOME", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_the_cache_follows_polyloop_cache_then_xdg_then_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_directory() == tmp_path / ".cache" / "polyloop"
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp/xdg")
    assert cache_directory() == Path("/var/tmp/xdg/polyloop")
    monkeypatch.setenv("POLYLOOP_CACHE", "~/mine")
    assert cache_directory() == tmp_path / "mine"


def test_who_has_no_home_has_a_folder_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As users of containers, whom no file of users has, and no variable either."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert cache_directory() == tmp_path / f"polyloop-{os.getuid()}" == Path(cc_call.cache_folder())
    monkeypatch.delenv("TMPDIR")
    assert cache_directory() == Path(f"/tmp/polyloop-{os.getuid()}") == Path(cc_call.cache_folder())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "polyloop" == Path(cc_call.cache_folder())


@pytest.mark.parametrize("value", ["", "relative/cache"])
def test_an_empty_or_relative_xdg_cache_home_is_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert cache_directory() == tmp_path / ".cache" / "polyloop"


@pytest.mark.parametrize(("value", "threads"), [("", 1), ("1", 1), (" 8 ", 8)])
def test_threads(monkeypatch: pytest.MonkeyPatch, value: str, threads: int) -> None:
    monkeypatch.setenv("POLYLOOP_THREADS", value)
    assert default_threads() == threads


@pytest.mark.parametrize("value", ["0", "-2", "two", "1.5", "²"])
def test_a_thread_count_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("POLYLOOP_THREADS", value)
    with pytest.raises(SettingError, match=f"POLYLOOP_THREADS is '{value}'.*positive integer"):
        default_threads()


def test_no_color_counts_only_where_it_is_not_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    assert use_color()
    monkeypatch.setenv("NO_COLOR", "")
    assert use_color()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_color()
