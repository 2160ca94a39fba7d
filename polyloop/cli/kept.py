"""Results of ``polyloop optimize`` kept by content, so that the same command on the same file takes no time again.

What is kept is what was printed and written. It is found by all that decides it: the arguments, the file and all that
it includes, this version, the compiler, the processor, and the environment variables that are read. ``--no-cache`` or
``POLYLOOP_NO_CACHE`` search again. Nothing large is imported.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from polyloop.backend.run.kept_files import keep, read_private
from polyloop.cli.cc_call import cache_folder, digest, package_stamp, processor, read, stamp, which
from polyloop.support.files import write_atomically
from polyloop.terminal import output

_FORMAT = b"polyloop optimize 1\n"
_NOT_KEPT = ("in_place", "schedule", "check", "no_cache", "helpers")
_VARIABLES = (
    "CC",
    "CPATH",
    "C_INCLUDE_PATH",
    "POLYLOOP_CC",
    "POLYLOOP_MACHINE",
    "POLYLOOP_TARGET",
    "POLYLOOP_THREADS",
    "POLYLOOP_VERIFY",
)
_OURS = ("module", "command", "debug", "words")


def kept_or(run: Callable[[Namespace], int], arguments: Namespace) -> int:
    """What the same command has given before, or what it gives now, which is kept if all went well and nothing was left
    for want of time: another time there may be more of it."""
    path = _path(arguments)
    if path is None:
        return run(arguments)
    known = None if arguments.no_cache else _known(path)
    if known is not None and not any(map(output.is_taken, _unasked(known, arguments))):
        return _given_again(known, arguments)
    with _recorded() as record:
        status = run(arguments)
    if status == 0 and not getattr(arguments, "unfinished", False):
        _keep(path, record, getattr(arguments, "headers", ()))
    return status


def _path(arguments: Namespace) -> Path | None:
    """Where the result of a command is kept; None if it is none that may be."""
    content = read(arguments.input) if os.path.isfile(arguments.input) else None
    if content is None or any(getattr(arguments, name) for name in _NOT_KEPT if name != "no_cache"):
        return None
    settings = {k: v for k, v in vars(arguments).items() if k not in (*_OURS, "no_cache")}
    compiler = (arguments.cc or os.environ.get("CC") or "cc").split()[:1]
    identity = ""
    with suppress(OSError):
        identity = stamp(which(compiler[0])) if compiler else ""
    variables = [os.environ.get(name, "") for name in _VARIABLES]
    said = json.dumps(settings, sort_keys=True, default=str)
    key = digest(content, said, identity, package_stamp(), processor(), *variables)
    return Path(cache_folder(), "optimize", key[:2], key)


def _known(path: Path) -> dict[str, Any] | None:
    """None for what is not there, damaged, or of headers that have changed."""
    data = read_private(path) or b""
    checksum, _, rest = data.removeprefix(_FORMAT).partition(b"\n")
    if not data.startswith(_FORMAT) or checksum.decode("latin-1") != digest(rest):
        return None
    known: dict[str, Any] = json.loads(rest)
    for name, content in known["headers"]:
        if (now := read(name)) is None or digest(now) != content:
            return None
    return known


def _unasked(known: dict[str, Any], arguments: Namespace) -> Iterator[Path]:
    """The headers of objects."""
    names = (name for name, _ in known["written"] if name is not None and name != arguments.output)
    return (Path(name) for name in names if name.endswith(".h"))


def _given_again(known: dict[str, Any], arguments: Namespace) -> int:
    for name, text in known["written"]:
        data = text.encode("latin-1")
        if name is None:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_atomically(name, data, (arguments.input,))
    sys.stderr.write(known["err"])
    print("polyloop: remark: known from an earlier run; --no-cache searches again", file=sys.stderr)
    sys.stdout.write(known["out"])
    return 0


def _keep(path: Path, record: Record, headers: Sequence[str]) -> None:
    content = {
        "headers": [(name, digest(read(name) or b"")) for name in headers],
        "written": [(None if to is None else str(to), data.decode("latin-1")) for to, data in record.written],
        "out": record.out.text(),
        "err": record.err.text(),
    }
    rest = json.dumps(content).encode()
    keep(path, _FORMAT + digest(rest).encode() + b"\n" + rest)


class _Copied:
    """A stream that remembers the text that is written to it; bytes are remembered by who writes them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._parts: list[str] = []

    def write(self, text: str) -> int:
        self._parts.append(text)
        return self._stream.write(text)

    def text(self) -> str:
        """What was written, without what a terminal was told beside the text."""
        return "".join(part for part in self._parts if "\x1b" not in part and "\r" not in part)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Record:
    """What a command prints and writes."""

    def __init__(self) -> None:
        self.out, self.err = _Copied(sys.stdout), _Copied(sys.stderr)
        self.written: list[tuple[Path | None, bytes]] = []


@contextmanager
def _recorded() -> Iterator[Record]:
    record, streams = Record(), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = cast(TextIO, record.out), cast(TextIO, record.err)
    output.watching.append(lambda to, data: record.written.append((to, data)))
    try:
        yield record
    finally:
        output.watching.pop()
        sys.stdout, sys.stderr = streams
