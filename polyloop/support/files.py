"""Writing files so that nobody ever sees half of one, and so that nothing is overwritten by accident."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from polyloop.errors import PolyloopError

_WORK = "polyloop-work-"
_STALE_SECONDS = 60.0  # a younger folder may belong to a process that has not locked it yet


class WorkFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder that does not outlive its process for long: this process holds a lock on it, and what is found
    without one was left by a process that was killed, and is removed."""

    def __init__(self) -> None:
        _remove_stale(Path(tempfile.gettempdir()))
        super().__init__(prefix=_WORK, ignore_cleanup_errors=True)
        # The system gives the lock back with the process, whatever ends it.
        lock = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY)
        self._unlock = weakref.finalize(self, os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def cleanup(self) -> None:
        """Remove the folder; more than once is as good as once."""
        super().cleanup()
        self._unlock()


def _remove_stale(folder: Path) -> None:
    for left in folder.glob(f"{_WORK}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            about = left.lstat()
            if about.st_uid != os.getuid() or time.time() - about.st_mtime < _STALE_SECONDS:
                continue
            handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)


class OverwriteError(PolyloopError):
    """The output is a file that was not to be overwritten."""


def write_atomically(
    path: Path | str, data: str | bytes, forbid: Iterable[Path | str] = (), *, durable: bool = False
) -> None:
    """Write a file in full or not at all: into a new file beside it, which then takes its name.

    An existing file keeps its permissions; a symbolic link is followed; what is no file (/dev/null, a pipe) stays
    what it is, and is written to. Text is written as UTF-8, with the line ends that it has.

    Args:
        path: the file to write.
        data: its whole contents.
        forbid: files that must not be overwritten (the input, unless the user asked for it).
        durable: the contents are on the disk before the file has its name, whatever ends the machine.
    Raises:
        OverwriteError: if the path is one of `forbid`, by whatever name.
        OSError: if the file cannot be written; its `filename` is the path.
    """
    target = Path(os.path.realpath(path))
    for other in forbid:
        if target.exists() and os.path.exists(other) and os.path.samefile(target, other):
            raise OverwriteError(f"{path} is the input file; name another output, or ask for --in-place")
    try:
        _write(target, data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data, durable)
    except OSError as error:
        if error.errno is not None:
            error.filename = str(path)  # where it is to go, whatever was written on the way
        raise


def _write(target: Path, content: bytes, durable: bool) -> None:
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".polyloop-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """The process's mask; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
