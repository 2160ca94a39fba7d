"""The flags of a build: what of a compiler's command line changes what a file says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloop.backend.c.text import BEFORE_C99
from polyloop.cli.compile_commands import Flags, find_database, flags_of, read_database
from polyloop.terminal.errors import InputError


def test_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "config.h").write_text("")
    words = ["-O2", "-Iinc", "-I", "../other", "-isystem", "inc/sys", "-D", "A", "-DB=2", "-DC=1 2", "-UD", "-U", "E"]
    words += ["-include", "config.h", "-include", "stdio.h", "-MD", "-o", "x.o", "-c", "x.c"]
    assert flags_of(["gcc", *words], tmp_path / "sub") == Flags(
        ("A", "B=2", "C=1 2"), ("D", "E"), ("sub/inc", "other", "sub/inc/sys"), ("sub/config.h", "stdio.h")
    )


@pytest.mark.parametrize(
    ("standard", "defines", "undefines"),
    [
        ("c99", ("__STDC_VERSION__=199901L", "__STRICT_ANSI__"), ()),
        ("gnu11", ("__STDC_VERSION__=201112L",), ()),
        ("iso9899:1999", ("__STDC_VERSION__=199901L", "__STRICT_ANSI__"), ()),
        ("gnu2x", ("__STDC_VERSION__=202000L",), ()),
        ("gnu89", (BEFORE_C99,), ("__STDC_VERSION__",)),
        ("c90", (BEFORE_C99, "__STRICT_ANSI__"), ("__STDC_VERSION__",)),
    ],
)
def test_standards(standard: str, defines: tuple[str, ...], undefines: tuple[str, ...]) -> None:
    assert flags_of(["cc", f"-std={standard}", "x.c"], Path()) == Flags(defines, undefines)


def test_databases(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "build").mkdir()
    path = tmp_path / "build" / "compile_commands.json"
    assert find_database(tmp_path / "src" / "x.c") is None
    entries = [
        {"directory": str(tmp_path / "build"), "file": "../src/x.c", "arguments": ["cc", "-DX", "../src/x.c"]},
        {"directory": str(tmp_path / "build"), "file": "../src/x.c", "command": "cc -DAGAIN ../src/x.c"},
        {"directory": ".", "file": "y.c", "command": "cc -D'Y=a b' -c y.c"},
    ]
    path.write_text(json.dumps(entries))
    assert find_database(tmp_path / "src" / "x.c") == path.resolve()
    assert read_database(path) == {
        (tmp_path / "src" / "x.c").resolve(): Flags(("X",)),
        (tmp_path / "build" / "y.c").resolve(): Flags(("Y=a b",)),
    }


@pytest.mark.parametrize("text", ["{", "[1]", '[{"file": "x.c"}]', '[{"directory": "."}]', "3"])
def test_what_is_no_database(tmp_path: Path, text: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is no compilation database"):
        read_database(path)
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        read_database(tmp_path / "missing.json")
