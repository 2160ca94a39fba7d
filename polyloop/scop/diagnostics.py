"""What the front ends say to people: errors and remarks, at a place in the text."""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.errors import printable
from polyloop.scop.model import SourceLocation


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
