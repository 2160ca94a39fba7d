"""Tables that installed packages extend: what is found where, when it is looked for, and what broken packages do."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from polyloop.backend.errors import BackendError
from polyloop.backend.plugins import PluginError, PluginWarning, Table

Install = Callable[..., Path]


def table() -> Table[int]:
    return Table("polyloop.numbers", {"one": 1}, lambda name, value: None if isinstance(value, int) else "no number")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a package of one module, each in a folder of its own, put first on the path."""

    def installed(name: str, code: str, entries: str, front: bool = True) -> Path:
        folder = tmp_path / name
        information = folder / f"{name}-1.0.dist-info"
        information.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(entries)
        if front:
            monkeypatch.syspath_prepend(str(folder))
        return folder

    return installed


def test_a_package_adds_its_names_behind_ours(install: Install) -> None:
    numbers = table()
    assert list(numbers) == ["one"]
    install("pkg_two", "TWO = 2\nONE = 11\n", "[polyloop.numbers]\ntwo = pkg_two:TWO\none = pkg_two:ONE\n")
    assert dict(numbers) == {"one": 1, "two": 2}  # ours is not replaced
    assert len(numbers) == 2
    assert "two" in numbers
    assert "three" not in numbers
    with pytest.raises(KeyError):
        numbers["three"]
    numbers["three"] = 3
    assert list(numbers.items()) == [("one", 1), ("three", 3), ("two", 2)]
    del numbers["three"]
    assert "three" not in numbers


def test_the_first_package_on_the_path_counts(install: Install) -> None:
    install("pkg_late", "N = 2\n", "[polyloop.numbers]\ntwo = pkg_late:N\n")
    install("pkg_early", "N = 22\n", "[polyloop.numbers]\ntwo = pkg_early:N\n")
    assert table()["two"] == 22


def test_nothing_is_looked_for_without_need(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked() -> dict[str, object]:
        raise AssertionError("looked for packages")

    numbers = table()
    monkeypatch.setattr(numbers, "_offered", looked)
    assert numbers["one"] == 1
    assert "one" in numbers
    with pytest.raises(AssertionError, match="looked for packages"):
        "two" in numbers  # noqa: B015 (it raises)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("raise RuntimeError('no licence')", "cannot be loaded: RuntimeError: no licence"),
        ("import no_such_module_anywhere", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_an"),
        ("", "cannot be loaded: AttributeError: module 'pkg_broken' has no attribute 'N'"),
        ("N = 'two'", "cannot be used: no number"),
    ],
)
def test_a_broken_package_is_named(install: Install, code: str, problem: str) -> None:
    install("pkg_broken", code, "[polyloop.numbers]\ntwo = pkg_broken:N\n")
    sys.modules.pop("pkg_broken", None)
    numbers = table()
    assert "two" in numbers  # nothing is loaded for that
    expected = f"the entry point two = pkg_broken:N in polyloop.numbers of the installed package pkg_broken {problem}"
    with pytest.raises(PluginError) as raised:
        numbers["two"]
    assert isinstance(raised.value, BackendError)
    assert str(raised.value).startswith(expected)
    with pytest.warns(PluginWarning, match="pkg_broken.*; it is left out"):
        assert list(numbers) == ["one"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(numbers) == ["one"]  # said once


def test_a_damaged_list_of_entry_points_is_passed_over(install: Install) -> None:
    install("pkg_good", "N = 2\n", "[polyloop.numbers]\ntwo = pkg_good:N\n")
    install("pkg_damaged", "", "[polyloop.numbers\nthree\n")
    assert dict(table()) == {"one": 1, "two": 2}


def test_the_current_folder_is_no_installed_package(install: Install) -> None:
    """`python -m` puts it first on the path; a folder beside a C file must not run."""
    folder = install("pkg_here", "N = 2\n", "[polyloop.numbers]\ntwo = pkg_here:N\n", front=False)
    (folder / "listing.py").write_text(
        "from polyloop.backend.plugins import Table\nprint(list(Table('polyloop.numbers', {}, lambda n, v: None)))\n"
    )

    def listed(*options: str) -> str:
        run = subprocess.run(
            [sys.executable, *options], cwd=folder, env={"PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        return run.stdout.strip()

    assert listed("-m", "listing") == "[]"
    assert listed("-c", "import sys; sys.path.append(sys.path[0] or '.'); import listing") == "['two']"
