"""The values that a search has got, in order, as JSON lines: what a resumed run need not evaluate again.

The first line says whose journal it is; every other one is {"actions", "value", "seconds"}, where `value` is null for
what cannot run. A line that was cut off by an interrupt is the last one, and is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from polyloop.errors import PolyloopError


class JournalError(PolyloopError):
    """A file that is no journal, or the journal of something else."""


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, without an unfinished last line; nothing if there is no file.

    Raises:
        JournalError: if any other line is no JSON object, or the file cannot be read.
    """
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise JournalError(f"{path}: cannot be read: {error}") from error
    entries = []
    for number, line in enumerate(text[: text.rfind("\n") + 1].splitlines(), 1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise JournalError(f"{path}:{number}: not a line of JSON; give another file, or remove this one") from error
        if not isinstance(entry, dict):
            raise JournalError(f"{path}:{number}: not a JSON object; give another file, or remove this one")
        entries.append(entry)
    return entries


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Add one object to a file of JSON lines, behind its last whole line."""
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                text = path.read_bytes()
                file.truncate(text.rfind(b"\n") + 1)
        file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")


@dataclass
class Journal:
    """A journal in a file, or nowhere (then it remembers nothing).

    Attributes:
        path: of the file; it is made when there is something to write.
        spent: seconds that the runs so far have taken.
    """

    path: Path | None = None
    spent: float = 0.0
    _known: dict[tuple[int, ...], tuple[float, float]] = field(default_factory=dict)

    def begin(self, owner: Mapping[str, object]) -> None:
        """Read what there is.

        Raises:
            JournalError: if the file is the journal of something else than `owner`.
        """
        if self.path is None:
            return
        entries = read_lines(self.path)
        if not entries:
            append_line(self.path, owner)
            return
        if entries[0] != dict(owner):
            raise JournalError(f"{self.path} is the journal of another search: {json.dumps(entries[0])}")
        for entry in entries[1:]:
            value = -inf if entry["value"] is None else float(entry["value"])
            self._known[tuple(entry["actions"])] = value, float(entry["seconds"])
            self.spent = float(entry["seconds"])

    def __len__(self) -> int:
        return len(self._known)

    def known(self, actions: tuple[int, ...]) -> tuple[float, float] | None:
        """(value, seconds since the start) of the state that actions lead to."""
        return self._known.get(actions)

    def add(self, actions: tuple[int, ...], value: float, seconds: float) -> None:
        """Write an evaluation down."""
        if self.path is not None:
            entry = {"actions": list(actions), "value": None if value == -inf else value, "seconds": seconds}
            append_line(self.path, entry)
