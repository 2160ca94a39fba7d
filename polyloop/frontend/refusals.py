"""Why a C file is not read, and why a region of it is left alone."""

from __future__ import annotations

from pycparser import c_ast

from polyloop.errors import PolyloopError

NO_MEMBERS = (
    "members of structures are not supported; before the scop, copy a number (int n = s->n) to a variable, "
    "and point to an array (double (*a)[9] = s->a)"
)
"""Of several readers, each of which may be the first to meet one."""


class CSourceError(PolyloopError):
    """The C file cannot be read, or it has nothing to read; the message is the rendered diagnostics."""


class Refusal(PolyloopError):
    """A construct that the polyhedral model cannot hold; ends the reading of one region.

    Attributes:
        code: see `Diagnostic`.
        node: the syntax node to point at, or None for the region's beginning.
    """

    def __init__(self, code: str, message: str, node: c_ast.Node | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.node = node
