"""What a build says of its files: ``compile_commands.json``, as CMake, Meson, Bear and others write it.

References:
    "JSON Compilation Database Format Specification", LLVM project.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloop.support.compilers import options_of
from polyloop.terminal.errors import InputError

NAME = "compile_commands.json"


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
    except ValueError as error:
        raise InputError(f"{path} is no compilation database: {error}") from error
    except (KeyError, TypeError) as error:
        form = "a list of objects with directory, file, and arguments or command"
        raise InputError(f"{path} is no compilation database, {form}") from error
    return result


def flags_of(words: Sequence[str], folder: Path) -> Flags:
    """The flags in a compiler's command line, which runs in `folder`."""
    found: dict[str, list[str]] = {"-D": [], "-U": [], "-I": [], "-include": []}
    for flag, value in options_of(words):
        if flag in ("-D", "-U"):
            found[flag].append(value)
        else:
            path = folder / value
            name = "-include" if flag == "-include" else "-I"
            found[name].append(os.path.relpath(path) if name == "-I" or path.is_file() else value)
    return Flags(*map(tuple, (found["-D"], found["-U"], found["-I"], found["-include"])))
