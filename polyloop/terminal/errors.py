"""The command line's own errors; every other error that it prints is a `PolyloopError` or a `BackendError`."""

from __future__ import annotations

from polyloop.errors import PolyloopError

DONE, NOTHING_READ, WRONG_USAGE, INTERRUPTED, INTERNAL = 0, 1, 2, 130, 70
"""Exit statuses."""


class UsageError(PolyloopError):
    """The command line asks for something that does not exist or does not go together; exit status 2."""


class InputError(PolyloopError):
    """There is nothing to work on: no file, no text, nothing marked in it; exit status 1."""


class OutputError(PolyloopError):
    """A file could not be written; exit status 1."""
