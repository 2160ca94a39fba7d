"""Files of caches: they appear at once or not at all, and one that cannot be written is no error."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def keep(path: Path, content: bytes) -> None:
    """Write a file of a cache, beside others that write the same one; the folder is made if it is not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
