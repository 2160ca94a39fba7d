"""Libraries that only some uses need: imported when they are used, and named when they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from polyloop.errors import PolyloopError


class MissingLibraryError(PolyloopError):
    """Something needs a library that is not installed; the message says what to install."""


def optional(module: str, library: str, extra: str, purpose: str) -> Any:
    """The module.

    Args:
        library: its name in a package index.
        extra: the extra of polyloop that brings it.
        purpose: what needs it; the beginning of a sentence.
    Raises:
        MissingLibraryError: if it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingLibraryError(f"{purpose} needs {library}: pip install 'polyloop[{extra}]'") from error
