"""Files of caches: they appear at once or not at all, and one that cannot be written is no error; and the version that
what they hold depends on."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from polyloop.backend.errors import PolyloopWarning

_OTHERS_WRITE = 0o022
_PACKAGE = Path(__file__).parents[1]


class CacheWarning(PolyloopWarning):
    """A folder of code that somebody else may write into, so that nothing in it is run."""


def is_private(folder: Path) -> bool:
    """Whether nobody but this user and the administrator can have put anything there, or the folder is yet to be made;
    warns if not."""
    try:
        about = folder.stat()
    except OSError:
        return True
    if _is_ours(about):
        return True
    advice = "remove it, or set POLYLOOP_CACHE to a folder of your own"
    warnings.warn(f"{folder} can be written by others, so its code is not run; {advice}", CacheWarning, stacklevel=2)
    return False


def read_private(path: Path) -> bytes | None:
    """A file that holds code; None if there is none, or somebody else might have written it."""
    if not is_private(path.parent):
        return None
    try:
        with path.open("rb") as file:
            return file.read() if _is_ours(os.fstat(file.fileno())) else None
    except OSError:
        return None


def _is_ours(about: os.stat_result) -> bool:
    return about.st_uid in (os.geteuid(), 0) and not about.st_mode & _OTHERS_WRITE


def keep(path: Path, content: bytes) -> None:
    """Write a file of a cache, beside others that write the same one; the folder is made if it is not there."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)


@cache
def package_version() -> str:
    """A hash of this package's text: another planner or printer makes other code of the same nest."""
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def our_version() -> str | None:
    """Of the installed distribution; None where polyloop runs from a folder."""
    try:
        return version("polyloop")
    except PackageNotFoundError:
        return None
