"""Environment variables that the backend reads. `polyloop.config` lists all of them."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """Where compiled objects and measurements are kept between runs; it may not exist yet.

    ``POLYLOOP_CACHE`` where it is set, else ``$XDG_CACHE_HOME/polyloop``, else ``~/.cache/polyloop``. As the
    XDG base directory specification asks, empty values count as unset and a relative ``XDG_CACHE_HOME`` is
    ignored.
    """
    if chosen := os.environ.get("POLYLOOP_CACHE"):
        return Path(chosen).expanduser().absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "polyloop"


def chosen_target() -> str:
    """Which instruction set generated code uses: ``POLYLOOP_TARGET``, a name of
    `backend.machine.target.INSTRUCTION_SETS`; or "native", the widest one of this machine."""
    return os.environ.get("POLYLOOP_TARGET", "").strip().lower() or "native"


def chosen_machine() -> str:
    """Whose figures choices go by: ``POLYLOOP_MACHINE``, the name of a shipped description or a file with one; or ""
    or "shipped" for the nearest to this machine."""
    return os.environ.get("POLYLOOP_MACHINE", "").strip()


def verifies() -> bool:
    """Whether trees, nests and programs are verified between passes (``POLYLOOP_VERIFY``)."""
    return os.environ.get("POLYLOOP_VERIFY", "") not in ("", "0")
