"""From standard-C tokens to pycparser's tree. What cannot be parsed is left out; the rest of the file goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pycparser import c_ast, c_parser

from polyloop.frontend.gnu import StandardC, TopLevel
from polyloop.frontend.source import Token
from polyloop.frontend.unknown_types import unknown_type
from polyloop.scop.diagnostics import Diagnostic

_POSITION = re.compile(r"^[^\n]*?:(\d+)(?::(\d+))?: (.*)$", re.DOTALL)
_MAX_ERRORS = 50
_STATEMENTS = frozenset(("for", "while", "do", "if", "switch"))


@dataclass(frozen=True)
class ParsedItem:
    """An external declaration with its syntax nodes (several where one declaration names several things)."""

    item: TopLevel
    nodes: tuple[c_ast.Node, ...]


@dataclass(frozen=True)
class ParsedFile:
    """items that could be parsed, in order; diagnostics for those that could not; the numbers of their tokens."""

    source: StandardC
    items: tuple[ParsedItem, ...]
    diagnostics: tuple[Diagnostic, ...]
    left_out: frozenset[int] = frozenset()

    def token(self, node: c_ast.Node) -> Token:
        """The first token of a node (of a binary operation: of its left operand)."""
        return self.source.tokens[self.index(node)]

    def index(self, node: c_ast.Node) -> int:
        """The number of the node's token in the file."""
        coord = node.coord
        if coord is None:
            for _, child in node.children():
                return self.index(child)
            return 0
        return int(coord.line) - 1


def parse(source: StandardC) -> ParsedFile:
    """Parse all external declarations, leaving out (and reporting) those with syntax errors."""
    left_out: set[int] = set()
    diagnostics: list[Diagnostic] = []
    while True:
        try:
            tree = c_parser.CParser().parse(_layout(source, left_out), "")
            break
        except (c_parser.ParseError, AssertionError, RecursionError) as error:
            index, message = _explain(error, source, left_out)
            item = _item_at(source, index, left_out)
            if item is None:
                return ParsedFile(source, (), tuple(diagnostics), frozenset(range(len(source.tokens))))
            index, message = _statement_outside(source, item) or unknown_type(source, item) or (index, message)
            token = source.tokens[min(index, source.items[item].end - 1)]
            diagnostics.append(token.file.diagnostic("error", "syntax", token.offset, message))
            left_out.add(item)
            if len(diagnostics) >= _MAX_ERRORS:
                return ParsedFile(source, (), tuple(diagnostics), frozenset(range(len(source.tokens))))
    skipped = frozenset(k for n in left_out for k in range(source.items[n].begin, source.items[n].end))
    return ParsedFile(source, _assign(tree, source, left_out), tuple(diagnostics), skipped)


def _layout(source: StandardC, left_out: set[int]) -> str:
    lines = [f"#pragma {t.text}" if t.kind == "pragma" else t.text.replace("\\\n", "") for t in source.tokens]
    for number in left_out:
        item = source.items[number]
        lines[item.begin : item.end] = [""] * (item.end - item.begin)
    return "\n".join(lines) + "\n"


def _explain(error: Exception, source: StandardC, left_out: set[int]) -> tuple[int, str]:
    """Token number and wording of a parser's complaint."""
    match = _POSITION.match(str(error))
    if match is None:
        # The parser gives no place, as for a file that ends too early.
        item = source.items[_first_wrong(source, left_out)]
        words = [token.text for token in source.tokens[item.begin : item.end]]
        if item.end == len(source.tokens) and (words.count("{") > words.count("}") or words[-1] not in (";", "}")):
            return item.end - 1, "the file ends in the middle of a declaration"
        return item.begin, "this declaration cannot be read"
    index = min(int(match.group(1)) - 1, len(source.tokens) - 1)
    message = match.group(3)
    if message.startswith("before: "):
        message = f"syntax error before {message[len('before: ') :]!r}"
    elif message.startswith("Typedef"):
        message = message[0].lower() + message[1:]
    else:
        message = f"syntax error: {message[0].lower()}{message[1:]}"
    return index, message


def _statement_outside(source: StandardC, number: int) -> tuple[int, str] | None:
    """The first token of an item that begins with a statement, behind pragmas."""
    for index in range(source.items[number].begin, source.items[number].end):
        token = source.tokens[index]
        if token.kind != "pragma":
            is_one = token.text in _STATEMENTS
            return (index, f"{token.text} outside of a function; put the loops into one") if is_one else None
    return None


def _first_wrong(source: StandardC, left_out: set[int]) -> int:
    """The number of the first item that cannot be parsed behind those before it."""
    low, high = 0, len(source.items) - 1
    while low < high:
        middle = (low + high) // 2
        try:
            c_parser.CParser().parse(_layout(source, left_out | set(range(middle + 1, len(source.items)))), "")
            low = middle + 1
        except (c_parser.ParseError, AssertionError, RecursionError):
            high = middle
    return low


def _item_at(source: StandardC, index: int, left_out: set[int]) -> int | None:
    """The item that holds a token, or the nearest one before it that is still there."""
    holding = [n for n, item in enumerate(source.items) if item.begin <= index and n not in left_out]
    return holding[-1] if holding else None


def _assign(tree: c_ast.FileAST, source: StandardC, left_out: set[int]) -> tuple[ParsedItem, ...]:
    """Sort the tree's external declarations into the items that they were written in."""
    nodes: dict[int, list[c_ast.Node]] = {}
    number = 0
    for node in tree.ext:
        line = _first_line(node)
        while number + 1 < len(source.items) and line is not None and source.items[number + 1].begin <= line - 1:
            number += 1
        nodes.setdefault(number, []).append(node)
    return tuple(ParsedItem(source.items[n], tuple(found)) for n, found in nodes.items())


def _first_line(node: c_ast.Node) -> int | None:
    if node.coord is not None:
        return int(node.coord.line)
    for _, child in node.children():
        line = _first_line(child)
        if line is not None:
            return line
    return None
