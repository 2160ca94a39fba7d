"""Scops from C."""

from __future__ import annotations

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import kernel


def marked_scop(text: str) -> Scop:
    """The only region of a file between pragmas."""
    (scop,) = read_source("f.c", text=text).scops
    return scop


def found_scop(text: str) -> Scop:
    """The only region of a file without pragmas."""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    return scop


def shipped_scop(name: str) -> Scop:
    """That of a kernel which ships with polyloop."""
    (scop,) = read_source(kernel(name).path).scops
    return scop
