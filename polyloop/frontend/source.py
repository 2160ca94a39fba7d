"""Source text and preprocessing tokens that know their exact place in the unchanged text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from polyloop.scop.diagnostics import Diagnostic
from polyloop.scop.model import SourceLocation


@dataclass(frozen=True)
class SourceFile:
    """A file's path and text; `stub` marks our own stand-ins for system headers."""

    path: str
    text: str = field(repr=False)
    stub: bool = False

    @cached_property
    def line_starts(self) -> list[int]:
        return [0] + [m.end() for m in re.finditer("\n", self.text)]

    def location(self, offset: int) -> SourceLocation:
        line = bisect_right(self.line_starts, offset)
        return SourceLocation(self.path, line, offset - self.line_starts[line - 1] + 1)

    def line_text(self, line: int) -> str:
        end = self.text.find("\n", self.line_starts[line - 1])
        return self.text[self.line_starts[line - 1] : len(self.text) if end < 0 else end].rstrip("\r")

    def diagnostic(self, severity: str, code: str, offset: int, message: str) -> Diagnostic:
        location = self.location(offset)
        return Diagnostic(severity, code, location, message, self.line_text(location.line))


class Token:
    """A preprocessing token.

    Attributes:
        kind: "id", "number", "string", "char", "op", "other", "newline", or "pragma" (the whole directive).
        space: white space stands before it.
        file, offset: its place; a token out of a macro's body has the place of the macro's use.
        hidden: macros that must not be expanded in it again (Prosser's hide set).
    """

    __slots__ = ("file", "hidden", "kind", "offset", "space", "text")

    def __init__(
        self,
        kind: str,
        text: str,
        file: SourceFile,
        offset: int,
        space: bool = False,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self.kind = kind
        self.text = text
        self.file = file
        self.offset = offset
        self.space = space
        self.hidden = hidden

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.location})"

    @property
    def location(self) -> SourceLocation:
        return self.file.location(self.offset)

    def moved(self, use: Token, hidden: frozenset[str]) -> Token:
        """A copy that stands where `use` does."""
        return Token(self.kind, self.text, use.file, use.offset, self.space, hidden)

    def hiding(self, names: frozenset[str]) -> Token:
        return Token(self.kind, self.text, self.file, self.offset, self.space, self.hidden | names)


# A backslash before a line's end joins lines; it counts as white space here, which differs from C only where it
# cuts a token in two.
_TOKEN = re.compile(
    r"""
      (?P<space>(?:[ \t\f\v\r]|\\\r?\n)+)
    | (?P<comment>/\*.*?\*/|//(?:\\\r?\n|[^\n])*)
    | (?P<newline>\n)
    | (?P<string>(?:u8|[uUL])?"(?:\\(?:\r?\n|.)|[^"\\\n])*")
    | (?P<char>[uUL]?'(?:\\.|[^'\\\n])+')
    | (?P<id>[A-Za-z_$][\w$]*)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
    | (?P<op>%:%:|\.\.\.|<<=|>>=|\#\#|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^!~<>=?:;,.(){}\[\]\#])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokenize(file: SourceFile) -> list[Token]:
    """All tokens, newlines included; comments and white space only set `space` on what follows."""
    tokens: list[Token] = []
    space = False
    for match in _TOKEN.finditer(file.text):
        kind = match.lastgroup or "other"
        if kind in ("space", "comment"):
            space = True
            continue
        tokens.append(Token(kind, match.group(), file, match.start(), space))
        space = False
    if not tokens or tokens[-1].kind != "newline":
        tokens.append(Token("newline", "\n", file, len(file.text)))
    return tokens
