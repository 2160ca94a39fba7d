"""What the C front end says to people: errors and remarks, at a place in the original file."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from polyloop.errors import PolyloopError, printable
from polyloop.scop.model import SourceLocation

NO_MEMBERS = (
    "members of structures are not supported; before the scop, copy a number (int n = s->n) to a variable, "
    "and point to an array (double (*a)[9] = s->a)"
)
"""Of several readers, each of which may be the first to meet one."""


class CSourceError(PolyloopError):
    """The C file cannot be read, or it has nothing to read; the message is the rendered diagnostics."""


@dataclass(frozen=True)
class Diagnostic:
    """One message.

    Attributes:
        severity: "error" (the file is wrong) or "remark" (a region is left as it is).
        code: short stable name of the kind of message, for tests and tools ("data-dependent-condition").
        location: where, in the original file.
        message: what and why.
        line: the source line's text, without its end.
        length: columns to underline, from the caret on.
    """

    severity: str
    code: str
    location: SourceLocation
    message: str
    line: str
    length: int = 1

    def render(self) -> str:
        """``file:line:col: severity: message``, the source line, and a caret below the column."""
        start = self.location.column - 1
        before, below = printable(self.line[:start]), printable(self.line[start : start + self.length])
        # Tabs stay tabs, so that the caret stands right whatever their width.
        padding = "".join("\t" if c == "\t" else " " for c in before)
        mark = "^" + "~" * (max(self.length, len(below)) - 1)
        words = printable(f"{self.location}: {self.severity}: {self.message}")
        return f"{words} [{self.code}]\n  {printable(self.line)}\n  {padding}{mark}"


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
