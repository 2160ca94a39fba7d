"""Plain text views of the function around a scop, for questions that its model does not answer."""

from __future__ import annotations

import re

from polyloop.scop.model import SourceRegion


def without_comments(text: str) -> str:
    """C text with a blank for every comment."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def function_text(source: SourceRegion) -> str:
    """The function from its first line to the first brace that stands alone at the start of a line behind the scop."""
    return without_comments(source.text[source.function_start : source.end]) + text_behind(source)


def text_behind(source: SourceRegion) -> str:
    """The function's text behind the scop."""
    return re.split(r"^\}", without_comments(source.text[source.end :]), maxsplit=1, flags=re.MULTILINE)[0]
