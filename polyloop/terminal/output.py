"""Where results go: checked before the work starts, written at once and whole when it is done; and what is said
meanwhile."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.text import Text

from polyloop.support.files import write_atomically
from polyloop.terminal.errors import OutputError, UsageError

EMITS = {
    "c": ".c",
    "llvm": ".ll",
    "asm": ".s",
    "obj": ".o",
    "schedule": ".schedule",
    "isl": ".isl",
    "jscop": ".jscop",
    "graph": ".graph.json",
}
"""What ``--emit`` takes, and the ending of the file that it makes."""


STANDARD_OUTPUT = "-"


watching: list[Callable[[Path | None, bytes], object]] = []
"""Who is told of everything that is written: where (None: standard output), and what."""


@dataclass(frozen=True)
class Destination:
    """A file, or standard output where `path` is None; `protected` is the input, never to be overwritten."""

    path: Path | None
    protected: Path | None = None

    def write(self, data: bytes) -> None:
        """Write everything, or (a file) leave what was there.

        Raises:
            OverwriteError: if the file is the input.
            OutputError: if it cannot be written.
        """
        for watch in watching:
            watch(self.path, data)
        if self.path is None:
            if sys.__stdout__ is None:
                raise OutputError("standard output is closed; give a file's name instead of -")
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            try:
                write_atomically(self.path, data, () if self.protected is None else (self.protected,))
            except OSError as error:
                raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from error

    def beside(self, ending: str) -> Destination:
        """The same place with another ending, which replaces one that ``--emit`` knows."""
        assert self.path is not None, "standard output has no neighbours"
        known = next((e for e in EMITS.values() if self.path.name.endswith(e)), "")
        return Destination(self.path.with_name(self.path.name.removesuffix(known) + ending), self.protected)

    def header(self) -> Destination:
        """That of an object, which stands beside it though nobody has named it.

        Raises:
            UsageError: where a file is that polyloop has not made.
        """
        beside = self.beside(".h")
        assert beside.path is not None
        if is_taken(beside.path):
            raise UsageError(f"-o: the object's header would be {beside.path}, which polyloop has not made; rename one")
        return beside


GUARD = "#ifndef POLYLOOP_"
"""What the headers of objects begin with."""


def is_taken(path: Path) -> bool:
    """Whether there is a file, and not the header of an object."""
    return path.exists() and not (path.is_file() and path.read_bytes().startswith(GUARD.encode()))


def told_apart(names: Iterable[str]) -> Iterator[str]:
    """The names, with numbers where two are equal: for files of several scops."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}_{seen[name]}"


class ResultConsole(Console):
    """For results in colours: the command line's door says what becomes of a reader that went away."""

    def on_broken_pipe(self) -> None:
        raise  # rich asks while it handles the error


def tables(document: Destination | None) -> TextIO:
    """Where tables for people go: standard error if a document for machines takes standard output."""
    return sys.stderr if document is not None and document.path is None else sys.stdout


def destination(option: str, given: str, source: Path | None, overwrite: bool = False) -> Destination:
    """Check a file name that an option gives.

    Args:
        option: the option's name, for messages.
        source: the input file, which is overwritten only with `overwrite`.
    Raises:
        UsageError: if the file cannot be written, or is the input.
    """
    if given == STANDARD_OUTPUT:
        return Destination(None)
    path = Path(given)
    # os.path says False where pathlib raises (names that are too long); writing then says why.
    if not given or os.path.isdir(path):
        raise UsageError(f"{option}: {given or 'an empty name'} is a folder; give a file's name")
    if not os.path.isdir(path.parent):
        raise UsageError(f"{option}: there is no folder {path.parent}; make it first")
    if len(os.fsencode(path.name)) > os.pathconf(path.parent, "PC_NAME_MAX"):
        raise UsageError(f"{option}: the name {path.name[:30]}... is too long for the folder {path.parent}")
    is_device = os.path.exists(path) and not os.path.isfile(path) and os.access(path, os.W_OK)
    if not is_device and not os.access(path.parent, os.W_OK):
        raise UsageError(f"{option}: nothing may be written into the folder {path.parent}")
    if not overwrite and source is not None and os.path.exists(path) and os.path.samefile(path, source):
        raise UsageError(f"{option}: {given} is the input; --in-place overwrites it")
    return Destination(path, None if overwrite else source)


def json_destination(arguments: Namespace, source: Path | None = None) -> Destination | None:
    """Where ``--json`` says that all figures go; None where it does not occur. See `destination`."""
    return None if arguments.json is None else destination("--json", arguments.json, source)


def indented(text: str) -> Iterator[str]:
    """The lines of a text below another one."""
    return (f"    {line}" for line in text.splitlines())


class Progress:
    """What is going on, on standard error: a line that changes while it is a terminal, nothing where it is not.

    Use as a context manager; `update` shows what is being done, with the seconds since the beginning. Rich honours
    NO_COLOR and TERM=dumb.

    Args:
        clock: in seconds; another one for tests.
    """

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.title, self.message = title, ""
        self._clock, self._began = clock, clock()
        console = Console(stderr=True)
        # The line is asked for its text whenever it is drawn: the seconds go on while nothing is reported.
        self._status = console.status(self) if console.is_terminal else None

    def __rich__(self) -> Text:
        """Cut off at the terminal's width: a line that wraps would jump while it changes."""
        spent = f"{self.title}, {self._clock() - self._began:.0f} s"
        return Text(f"{spent}: {self.message}" if self.message else spent, no_wrap=True, overflow="ellipsis")

    def update(self, message: str) -> None:
        self.message = message

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()


def announce_measuring() -> None:
    """Say why a command takes some seconds longer the first time."""
    print("polyloop: measuring this machine (once, up to 3 s)", file=sys.stderr)
