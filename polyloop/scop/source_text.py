"""The text that a Scop comes from: diagnostics at a place in it, and plain views of the function around a scop.

The views are for questions that the scop's model does not answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyloop.errors import printable
from polyloop.scop.model import SourceLocation, SourceRegion

# --- Diagnostics ------------------------------------------------------------------------------------------------------
# What the front ends say to people: errors and remarks, at a place in the text.


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


# --- Views of the text ------------------------------------------------------------------------------------------------


def without_comments(text: str) -> str:
    """C text with a blank for every comment."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def function_text(source: SourceRegion) -> str:
    """The function from its first line to the first brace that stands alone at the start of a line behind the scop."""
    return without_comments(source.text[source.function_start : source.end]) + text_behind(source)


def text_behind(source: SourceRegion) -> str:
    """The function's text behind the scop."""
    return re.split(r"^\}", without_comments(source.text[source.end :]), maxsplit=1, flags=re.MULTILINE)[0]
