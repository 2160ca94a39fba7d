"""What a build says of its files: ``compile_commands.json``, as CMake, Meson, Bear and others write it.

References:
    "JSON Compilation Database Format Specification", LLVM project.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloop.terminal.errors import InputError

NAME = "compile_commands.json"

_VERSIONS = {"99": "199901L", "9x": "199901L", "11": "201112L", "1x": "201112L", "17": "201710L", "18": "201710L"}
_VERSIONS |= {"2x": "202000L", "23": "202311L", "2y": "202400L"}
"""The year of -std (iso9899:1999 ends in that of c99, too) -> ``__STDC_VERSION__``; those before 1999 have none."""


@dataclass(frozen=True)
class Flags:
    """Options of a compiler that change what a file says.

    Attributes:
        defines, undefines, include_dirs, includes: as of -D, -U, -I and -include; the folders as seen from here.
    """

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


def find_database(place: Path) -> Path | None:
    """The database of the build that a file or folder belongs to: in a folder around it, or in ``build`` there."""
    start = place.resolve()
    for folder in (start, *start.parents):
        for path in (folder / NAME, folder / "build" / NAME):
            if path.is_file():
                return path
    return None


def read_database(path: Path) -> dict[Path, Flags]:
    """The flags of every file; of a file that is compiled several times those of the first.

    Raises:
        InputError: if it cannot be read, or is no such database.
    """
    try:
        entries = json.loads(path.read_bytes())
        result: dict[Path, Flags] = {}
        for entry in entries:
            folder = Path(path.parent, entry["directory"])
            words = entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])
            result.setdefault((folder / entry["file"]).resolve(), flags_of(words, folder))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is no compilation database: {error!r}") from error
    return result


def flags_of(words: Sequence[str], folder: Path) -> Flags:
    """The flags in a compiler's command line, which runs in `folder`."""
    found: dict[str, list[str]] = {"-D": [], "-U": [], "-I": [], "-include": []}
    for flag, value in _options(words):
        if flag == "-std":
            standard, version = _standard(value)
            found["-D"] += standard
            found["-U"] += version
        elif flag in ("-D", "-U"):
            found[flag].append(value)
        else:
            path = folder / value
            name = "-include" if flag == "-include" else "-I"
            found[name].append(os.path.relpath(path) if name == "-I" or path.is_file() else value)
    return Flags(*map(tuple, (found["-D"], found["-U"], found["-I"], found["-include"])))


_WITH_VALUE = ("-include", "-isystem", "-iquote", "-idirafter", "-D", "-U", "-I")


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options that matter here, with their values, which stand behind them or are the next word."""
    rest = iter(words[1:])
    for word in rest:
        if word.startswith(("-std=", "--std=")):
            yield "-std", word.partition("=")[2]
            continue
        flag = next((f for f in _WITH_VALUE if word.startswith(f)), None)
        if flag is None or (flag == "-I" and word == "-I-"):
            continue
        value = word.removeprefix(flag) or next(rest, "")
        if value:
            yield flag, value


def _standard(name: str) -> tuple[list[str], list[str]]:
    """Definitions of -std, and names that are not defined with it."""
    strict = [] if name.startswith("gnu") else ["__STRICT_ANSI__"]
    version = _VERSIONS.get(name[-2:])
    if version is None:
        return strict, ["__STDC_VERSION__"]
    return [f"__STDC_VERSION__={version}", *strict], []
