"""Writing files so that nobody ever sees half of one, and so that nothing is overwritten by accident."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from polyloop.errors import PolyloopError


class OverwriteError(PolyloopError):
    """The output is a file that was not to be overwritten."""


def write_atomically(path: Path | str, data: str | bytes, forbid: Iterable[Path | str] = ()) -> None:
    """Write a file in full or not at all: into a new file beside it, which then takes its name.

    An existing file keeps its permissions; a symbolic link is followed; what is no file (/dev/null, a pipe) stays
    what it is, and is written to. Text is written as UTF-8, with the line ends that it has.

    Args:
        path: the file to write.
        data: its whole contents.
        forbid: files that must not be overwritten (the input, unless the user asked for it).
    Raises:
        OverwriteError: if the path is one of `forbid`, by whatever name.
        OSError: if the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    for other in forbid:
        if target.exists() and os.path.exists(other) and os.path.samefile(target, other):
            raise OverwriteError(f"{path} is the input file; name another output, or ask for --in-place")
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
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
