"""The values that a search has got, in order, as JSON lines: what a resumed run need not evaluate again.

The first line says whose journal it is: the search, its seed, and the problem with everything that its values depend
on. Every other one is {"actions", "value", "seconds"}, where `value` is null for what cannot run. A line that was cut
off by an interrupt is the last one, and is dropped.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from typing import Any, NoReturn

from polyloop.errors import PolyloopError

_LINE = {"actions", "value", "seconds"}
_ADVICE = "give another file, or remove this one"


class JournalError(PolyloopError):
    """A file that is no journal, or the journal of something else, or that cannot be written."""


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, without an unfinished last line; nothing if there is no file.

    Raises:
        JournalError: if any other line is no JSON object, or the file cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a device may have no end
            raise JournalError(f"{path}: not a regular file; give another one")
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise JournalError(f"{path}: cannot be read: {error.strerror or error}; {_ADVICE}") from error
    return [_object(path, number, line) for number, line in enumerate(data.split(b"\n")[:-1], 1)]


def opened(path: Path, first: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines to go on with, which has or gets a first one that says what it is of.

    Args:
        first: of a new file; that of another run may differ, which is the caller's to see.
    Raises:
        JournalError: as `read_lines`, if the file cannot be written, and if there is text without an end of line that
            an interrupt cannot have left of the first: it is somebody else's, and not a word of it may be overwritten.
    """
    if entries := read_lines(path):
        return entries
    if path.exists() and not _line(first).startswith(path.read_bytes()):
        raise JournalError(f"{path}:1: not how such a file begins; {_ADVICE}")
    append_line(path, first)
    return [json.loads(_line(first))]


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line.decode(), parse_constant=_no_json)
    # A number of thousands of digits is a ValueError as well, and brackets in brackets end the stack.
    except (ValueError, RecursionError) as error:
        raise JournalError(f"{path}:{number}: not a line of JSON; {_ADVICE}") from error
    if not isinstance(entry, dict):
        raise JournalError(f"{path}:{number}: not a JSON object; {_ADVICE}")
    return entry


def _no_json(name: str) -> NoReturn:
    """Python's reader takes NaN and Infinity, which are no JSON."""
    raise ValueError(name)


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Add one object to a file of JSON lines, behind its last whole line.

    Raises:
        JournalError: if the file cannot be written.
    """
    try:
        with path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    text = path.read_bytes()
                    file.truncate(text.rfind(b"\n") + 1)
            file.write(_line(entry))
    except OSError as error:
        raise JournalError(f"{path}: cannot be written: {error.strerror or error}") from error


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, allow_nan=False).encode() + b"\n"


@dataclass
class Journal:
    """A journal in a file, or nowhere (then it remembers nothing).

    Attributes:
        path: of the file; it is made when there is something to write.
        problem: everything but the search and its seed that values depend on, in JSON's types: the program, its sizes,
            where the search starts, which actions there are, how and where it is measured.
        spent: seconds that the runs so far have taken.
    """

    path: Path | None = None
    problem: Mapping[str, object] = field(default_factory=dict)
    spent: float = 0.0
    _known: dict[tuple[int, ...], tuple[float, float]] = field(default_factory=dict)

    def begin(self, search: Mapping[str, object]) -> None:
        """Read what there is; more than once is as good as once.

        Args:
            search: which search it is, with its seed.
        Raises:
            JournalError: if the file is the journal of another search or problem, or none at all.
        """
        if self.path is None:
            return
        owner = json.loads(_line({**search, **self.problem}))
        entries, self.spent = opened(self.path, owner), 0.0
        self._check_owner(entries[0], owner)
        for number, entry in enumerate(entries[1:], 2):
            actions, value, seconds = self._evaluation(number, entry)
            self._known[actions] = value, seconds
            self.spent = seconds

    def _check_owner(self, found: Mapping[str, object], owner: Mapping[str, object]) -> None:
        if found.keys() != owner.keys():
            raise JournalError(f"{self.path}:1: not how the journal of a search begins in this version; {_ADVICE}")
        for name, value in owner.items():
            if found[name] != value:
                raise JournalError(
                    f"{self.path}:1: this is the journal of another search: "
                    f"its {name} is {found[name]}, not {value}; {_ADVICE}"
                )

    def _evaluation(self, number: int, entry: Mapping[str, Any]) -> tuple[tuple[int, ...], float, float]:
        """(actions, value, seconds) of a line."""
        damage = None
        if entry.keys() != _LINE:
            damage = (
                f"an evaluation has {', '.join(sorted(_LINE))}, this line has {', '.join(sorted(entry)) or 'nothing'}"
            )
        elif not isinstance(entry["actions"], list) or any(type(a) is not int or a < 0 for a in entry["actions"]):
            damage = "actions are a list of whole numbers from 0 on"
        elif entry["value"] is not None and not _is_number(entry["value"]):
            damage = "a value is a number, or null for what cannot run"
        elif not _is_number(entry["seconds"]) or entry["seconds"] < self.spent:
            damage = "seconds are a number that no line before exceeds"
        if damage is not None:
            raise JournalError(f"{self.path}:{number}: {damage}; {_ADVICE}")
        value = -inf if entry["value"] is None else float(entry["value"])
        return tuple(entry["actions"]), value, float(entry["seconds"])

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


def _is_number(value: object) -> bool:
    """Whether JSON's number is one that a float can hold."""
    try:
        return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False
