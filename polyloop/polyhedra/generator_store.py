"""Generators on disk: one small JSON file for each expensive system, under the cache directory.

A file is named by the hash of the system's canonical text; it is written in full or not at all, and a file that cannot
be read counts as absent. Random episodes hardly ever meet a system again, so that files are many: a new one replaces
the oldest of its folder where this is full.
"""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from polyloop.backend.config import cache_directory
from polyloop.polyhedra.generators import Generators, Point
from polyloop.support.files import write_atomically

_VERSION = "generators 2"
"""Part of every key: another canonical form needs another version."""


_FILES_IN_A_FOLDER = 16
"""There are 256 folders; files have some 100 KB."""


def digest(text: str) -> str:
    """A name for a canonical text."""
    return sha256(f"{_VERSION}\n{text}".encode()).hexdigest()


def load(key: str) -> tuple[Generators, bool] | None:
    """The generators stored under a digest and whether they are complete, None where there are none."""
    try:
        stored = json.loads(_path(key).read_text(encoding="utf-8"))
        if stored["key"] != key:
            return None
        vertices = tuple(_point(vertex) for vertex in stored["vertices"])
        rays, lines = (tuple(tuple(map(int, row)) for row in stored[name]) for name in ("rays", "lines"))
        return Generators(int(stored["dimension"]), vertices, rays, lines), bool(stored["complete"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def save(key: str, generators: Generators, complete: bool) -> None:
    """Store generators; where the directory cannot be written, nothing happens."""
    text = json.dumps(
        {
            "key": key,
            "complete": complete,
            "dimension": generators.dimension,
            "vertices": [[str(x) for x in vertex] for vertex in generators.vertices],
            "rays": generators.rays,
            "lines": generators.lines,
        }
    )
    path = _path(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in files[: max(len(files) - _FILES_IN_A_FOLDER + 1, 0)]:
            file.unlink(missing_ok=True)
        write_atomically(path, text)
    except OSError:
        return


def _path(key: str) -> Path:
    return cache_directory() / "generators" / key[:2] / f"{key}.json"


def _point(values: list[str]) -> Point:
    numbers = (Fraction(value) for value in values)
    return tuple(number.numerator if number.denominator == 1 else number for number in numbers)
