"""Where statements begin and end: their tokens, and the text that these were written as.

The syntax tree knows one token of every node. The others follow from the brackets and semicolons around it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pycparser import c_ast

from polyloop.frontend.parse import ParsedFile
from polyloop.frontend.source import Inclusion, SourceFile, Token, Use

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_WITH_HEADER = frozenset(("for", "while", "if", "switch"))


class Extents:
    """The statements of a file.

    Args:
        uses: where macros are used in it, in order, none inside of another.
        inclusions: where it includes other files.
    """

    def __init__(
        self, parsed: ParsedFile, source: SourceFile, uses: Sequence[Use], inclusions: Sequence[Inclusion]
    ) -> None:
        self.parsed = parsed
        self.source = source
        self.uses = list(uses)
        self._inclusions = {id(each.file): each for each in inclusions}
        self._bodies: dict[int, _Body] = {}

    def span(self, function: c_ast.FuncDef, node: c_ast.Node) -> tuple[int, int]:
        """The numbers of a statement's first token and of its last; several declarations may share one span."""
        start = self.parsed.index(function.body)
        if start not in self._bodies:
            self._bodies[start] = _Body(self.parsed.source.tokens, start)
        return self._bodies[start].around(self.parsed.index(node))

    def text(self, first: int, last: int) -> tuple[int, int] | None:
        """Offsets of the text of tokens; None where it cannot be cut out: in a macro's use, or in another file."""
        tokens = self.parsed.source.tokens
        if tokens[first].file is not self.source or tokens[last].file is not self.source:
            return None
        begin, end = tokens[first].offset, tokens[last].offset + len(tokens[last].text)
        if self.cut(first, last):
            return None
        opening, closing = self._use(begin), self._use(tokens[last].offset)
        return opening.begin if opening else begin, closing.end if closing else end

    def cut(self, first: int, last: int) -> list[Use | Inclusion]:
        """The uses of macros, and the directives that include files, inside of which the text of tokens begins or
        ends."""
        tokens = self.parsed.source.tokens
        found: list[Use | Inclusion] = []
        for end, beyond in ((first, first - 1), (last, last + 1)):
            if tokens[end].file is not self.source:
                found += self.included(tokens[end].file)
            elif (use := self._use(tokens[end].offset)) is not None and self._stands_in(use, beyond):
                found.append(use)
        return found

    def included(self, file: SourceFile) -> list[Inclusion]:
        """The directive of the source that includes this file; none, where another file does."""
        return [self._inclusions[id(file)]] if id(file) in self._inclusions else []

    def _stands_in(self, use: Use, index: int) -> bool:
        tokens = self.parsed.source.tokens
        token = tokens[index] if 0 <= index < len(tokens) else None
        return token is not None and token.file is self.source and use.begin <= token.offset < use.end

    def _use(self, offset: int) -> Use | None:
        """The use of a macro that an offset stands in."""
        at = bisect_right(self.uses, offset, key=lambda use: use.begin) - 1
        return self.uses[at] if at >= 0 and offset < self.uses[at].end else None


class _Body:
    """The statements of one function's body, which begins with the token `start`."""

    def __init__(self, tokens: Sequence[Token], start: int) -> None:
        self.tokens = tokens
        self._partners = _partners(tokens, start)
        # Last tokens by first ones of statements with others inside, whose first token the tree knows; others' spans.
        self._compound: dict[int, int] = {}
        self._simple: list[tuple[int, int]] = []
        self._add(start)

    def around(self, index: int) -> tuple[int, int]:
        if index in self._compound:
            return index, self._compound[index]
        return self._simple[bisect_right(self._simple, (index, len(self.tokens))) - 1]

    def _add(self, first: int) -> int:
        """Enter the statement that begins here, with all in it; its last token."""
        text = self.tokens[first].text
        if self.tokens[first].kind == "pragma":
            last = first
        elif text == "{":
            last, at = self._partners[first], first + 1
            while at < last:
                at = self._add(at) + 1
        elif text in _WITH_HEADER:
            last = self._add(self._partners[first + 1] + 1)
            if text == "if" and self.tokens[last + 1].text == "else":
                last = self._add(last + 2)
        elif text == "do":
            last = self._until(self._add(first + 1) + 1, ";")
        elif text in ("case", "default") or (self.tokens[first].kind == "id" and self.tokens[first + 1].text == ":"):
            last = self._add(self._until(first, ":") + 1)
        else:
            last = self._until(first, ";")
            self._simple.append((first, last))
            return last
        self._compound[first] = last
        return last

    def _until(self, at: int, text: str) -> int:
        """The next such token that stands in no brackets."""
        while self.tokens[at].text != text:
            at = self._partners.get(at, at) + 1
        return at


def _partners(tokens: Sequence[Token], start: int) -> dict[int, int]:
    """For every opening bracket from `start`, itself one, up to its own partner: the closing one, by their numbers."""
    partners: dict[int, int] = {}
    open_: list[int] = []
    for index in range(start, len(tokens)):
        if tokens[index].kind == "op" and tokens[index].text in _OPENING:
            open_.append(index)
        elif tokens[index].kind == "op" and tokens[index].text in _CLOSING:
            partners[open_.pop()] = index
            if not open_:
                break
    return partners
