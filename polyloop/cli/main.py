"""The command ``polyloop``: chooses the subcommand and turns every error into a message and an exit status.

Results go to standard output, everything else to standard error. Nothing large is imported before the subcommand is
known.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
import traceback
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TextIO

from polyloop.backend.config import restored
from polyloop.backend.errors import BackendError, PolyloopWarning
from polyloop.cli.arguments import parse
from polyloop.errors import PolyloopError, printable
from polyloop.terminal.errors import DONE, INTERNAL, INTERRUPTED, NOTHING_READ, WRONG_USAGE, UsageError

BROKEN_PIPE, TERMINATED = 141, 143


class _Terminated(BaseException):
    """SIGTERM: everything on the way out ends the processes that it has started, as after an interrupt."""


def main(argv: Sequence[str] | None = None, began: float | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments without the program's name; those of the process by default.
        began: when the command did (of `time.monotonic`); by default now.
    Returns:
        The exit status: 0 done, 1 nothing could be read, 2 wrong usage, 130 interrupted; besides, 141 if the reader of
        the output went away, 143 after SIGTERM, and 70 for a bug in polyloop.
    """
    started = time.monotonic() if began is None else began
    _open_closed_streams()
    arguments = sys.argv[1:] if argv is None else list(argv)
    debug = "--debug" in arguments
    try:
        # --debug has everything verified between passes, and commands that measure say which machine they have found.
        environment = restored("POLYLOOP_VERIFY", "POLYLOOP_MACHINE", "POLYLOOP_RECORDS")
        with _terminable(), environment, _warnings_as_messages():
            if debug:
                os.environ["POLYLOOP_VERIFY"] = "1"
            status = _run(arguments, started)
            sys.stdout.flush()
    except UsageError as error:
        return _report(error, WRONG_USAGE, debug)
    except (PolyloopError, BackendError) as error:
        return _report(error, NOTHING_READ, debug)
    except KeyboardInterrupt:
        print("polyloop: interrupted", file=sys.stderr)
        return INTERRUPTED
    except _Terminated:
        print("polyloop: terminated", file=sys.stderr)
        return TERMINATED
    except BrokenPipeError:
        _give_up_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.strerror is None:
            return _internal(error, debug)
        # What writes or reads a file that a user has named says so itself; this is the rest: a full disk, a lost right,
        # no more open files.
        if not _flushes():
            _give_up_output()
        where = f"{error.filename}: " if error.filename is not None else ""
        return _report(PolyloopError(f"{where}{error.strerror}"), NOTHING_READ, debug)
    except Exception as error:  # The door: whatever gets here is a bug, and the user is to see how to report it.
        return _internal(error, debug)
    return status


def _open_closed_streams() -> None:
    """Who closes a stream does not want it; the next file that is opened must not take its place."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115 (until the end)


def _flushes() -> bool:
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return True


def _give_up_output() -> None:
    """Python flushes standard output once more at the end; that must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal(error: Exception, debug: bool) -> int:
    print(f"polyloop: internal error: {type(error).__name__}: {error}", file=sys.stderr)
    print("polyloop: please report it with the traceback that --debug prints", file=sys.stderr)
    if debug:
        traceback.print_exc()
    return INTERNAL


@contextmanager
def _warnings_as_messages() -> Iterator[None]:
    """Print what a user can act on without the place in our code that it comes from."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, PolyloopWarning):
                print(f"polyloop: warning: {message}", file=sys.stderr)
            else:
                shown(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM unwind the stack; where somebody else handles it already, it stays theirs."""
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if mine:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(*_: object) -> None:
    raise _Terminated


def _run(arguments: Sequence[str], started: float) -> int:
    if arguments[:1] == ["cc"]:
        from polyloop.cli.cc import main as compile_  # its options are the compiler's

        return compile_(list(arguments[1:]))
    try:
        parsed = parse(arguments)
    except SystemExit as stop:  # --help and --version
        return stop.code if isinstance(stop.code, int) else DONE
    return _command(parsed, started)


def _command(arguments: Namespace, started: float) -> int:
    def run(arguments: Namespace) -> int:
        arguments.started = started
        status: int = import_module(arguments.module).run(arguments)
        return status

    if arguments.command != "optimize" or os.environ.get("POLYLOOP_NO_CACHE", "") not in ("", "0"):
        return run(arguments)
    from polyloop.cli.kept import kept_or  # of this command alone

    return kept_or(run, arguments)


def _report(error: Exception, status: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    print(printable(_with_severity(str(error))), file=sys.stderr)
    return status


def _with_severity(message: str) -> str:
    """Diagnostics with a place have their severity in them already."""
    if re.match(r"[^\n]*?:\d+(:\d+)?: (error|remark|warning): ", message):
        return message
    return f"polyloop: error: {message}"


if __name__ == "__main__":
    sys.exit(main())
