"""From text to the syntax tree.

    program     := [item] { (";" | newline) [item] }          "#" starts a comment; no end of line inside brackets
    item        := NAME ":" [NAME] ["[" [nodes] "]"]           a declaration: type, extents
                 | NAME ["[" [nodes] "]"] assignment sum       assignment: =  +=  *=  max=  min=
    nodes       := sum { "," sum }
    sum         := product { ("+" | "-") product }
    product     := factor { ("*" | "/" | "//" | "%") factor }
    factor      := "-" factor | ("sum" | "prod" | "max" | "min") "(" NAME { "," NAME } ")" product | primary
    primary     := NUMBER | "inf" | "(" sum ")" | NAME "(" nodes ")" | NAME "[" [nodes] "]" | NAME

``max(a, b)`` is a function; ``max(i, j) A[i, j]``, with an operand behind it, a reduction.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from polyloop.tensors import syntax
from polyloop.tensors.errors import Source, TensorError

# Later stages walk the tree recursively.
_DEEPEST = 30
_MOST_OPERATORS = 120

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r]+|\#[^\n]*)
  | (?P<end>[\n;])
  | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)
  | (?P<sign>(?:max|min|[+*])?=|//|[-+*/%()\[\],:])
  | (?P<name>[A-Za-z_]\w*)
    """,
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True)
class Token:
    """kind: number, sign, name, or end (of a statement, of the text)."""

    kind: str
    text: str
    span: syntax.Span

    @property
    def words(self) -> str:
        return "the end of the statement" if self.kind == "end" else repr(self.text)


def parse(source: Source) -> syntax.Program:
    """Parse a program.

    Raises:
        TensorError: at the first token that does not fit.
    """
    return _Parser(source, _tokens(source)).program()


def _tokens(source: Source) -> list[Token]:
    tokens: list[Token] = []
    depth, at = 0, 0
    while at < len(source.text):
        match = _TOKEN.match(source.text, at)
        if match is None:
            raise source.error("syntax", f"unexpected character {source.text[at]!r}", syntax.Span(at, at + 1))
        at = match.end()
        kind, text = str(match.lastgroup), match.group()
        if kind == "space" or (text == "\n" and depth):
            continue
        depth = max(0, depth + (text in "([") - (text in ")]"))
        tokens.append(Token(kind, text, syntax.Span(*match.span())))
    tokens.append(Token("end", "", syntax.Span(at, at)))
    return tokens


class _Parser:
    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.operators = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def fail(self, wanted: str, token: Token | None = None) -> TensorError:
        token = token or self.next
        return self.source.error("syntax", f"expected {wanted}, found {token.words}", token.span)

    def take(self) -> Token:
        # The last token, the end of the text, is never passed.
        token = self.next
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.next.kind == "sign" and self.next.text in texts else None

    def expect(self, text: str, where: str) -> Token:
        found = self.accept(text)
        if found is None:
            raise self.fail(f"{text!r} {where}")
        return found

    def name(self, what: str) -> syntax.Name:
        if self.next.kind != "name":
            raise self.fail(what)
        token = self.take()
        return syntax.Name(token.text, token.span)

    def program(self) -> syntax.Program:
        items: list[syntax.Declaration | syntax.Assignment] = []
        while True:
            if self.next.kind != "end":
                self.operators = 0
                items.append(self.item())
            if self.next.kind != "end":
                raise self.fail("an operator or the end of the statement")
            if not self.next.text:
                return syntax.Program(tuple(items))
            self.take()

    def item(self) -> syntax.Declaration | syntax.Assignment:
        name = self.name("a statement such as C[m, n] += A[m, k] * B[k, n]")
        if self.accept(":"):
            dtype = self.name("a type") if self.next.kind == "name" else None
            extents: tuple[syntax.Node, ...] = ()
            if dtype is None and self.next.text != "[":
                raise self.fail("a type or extents behind ':'")
            if self.accept("["):
                extents = self.nodes("]", "behind the extents")
            return syntax.Declaration(name, dtype, extents, self._since(name.span))
        target = syntax.Element(name, (), name.span)
        if self.accept("["):
            subscripts = self.nodes("]", "behind the subscripts")
            target = syntax.Element(name, subscripts, self._since(name.span))
        operator = self.accept(*syntax.ASSIGNMENTS)
        if operator is None:
            raise self.fail("= or += or *= or max= or min=")
        value = self.sum()
        return syntax.Assignment(target, operator.text, value, self._since(name.span))

    def _since(self, start: syntax.Span) -> syntax.Span:
        return start.to(self.tokens[self.at - 1].span)

    def nodes(self, close: str, where: str) -> tuple[syntax.Node, ...]:
        """Nodes up to and with the closing bracket; there may be none."""
        if self.accept(close):
            return ()
        result = [self.sum()]
        while self.accept(","):
            result.append(self.sum())
        self.expect(close, where)
        return tuple(result)

    def sum(self) -> syntax.Node:
        left = self.product()
        while (token := self.accept("+", "-")) is not None:
            left = self._operation(token, left, self.product())
        return left

    def product(self) -> syntax.Node:
        left = self.factor()
        while (token := self.accept("*", "/", "//", "%")) is not None:
            left = self._operation(token, left, self.factor())
        return left

    def _operation(self, token: Token, left: syntax.Node, right: syntax.Node) -> syntax.Node:
        self.operators += 1
        if self.operators > _MOST_OPERATORS:
            message = f"more than {_MOST_OPERATORS} operators in one statement; split it"
            raise self.source.error("syntax", message, token.span)
        return syntax.Operation(token.text, left, right, left.span.to(right.span))

    def factor(self) -> syntax.Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.source.error("syntax", "nested too deeply; split the statement", self.next.span)
        try:
            minus = self.accept("-")
            if minus is None:
                return self.primary()
            operand = self.factor()
            return syntax.Negate(operand, minus.span.to(operand.span))
        finally:
            self.depth -= 1

    def primary(self) -> syntax.Node:
        token = self.next
        if token.kind == "number":
            self.take()
            whole = token.text.isdigit()
            return syntax.Number(int(token.text) if whole else float(token.text), token.span)
        if self.accept("("):
            inner = self.sum()
            self.expect(")", "to close the bracket")
            return inner
        name = self.name("a value")
        if self.accept("["):
            subscripts = self.nodes("]", "behind the subscripts")
            return syntax.Element(name, subscripts, self._since(name.span))
        if self.accept("("):
            return self._call(name)
        return syntax.Number(math.inf, name.span) if name.name == "inf" else name

    def _call(self, name: syntax.Name) -> syntax.Node:
        arguments = self.nodes(")", "behind the arguments")
        span = self._since(name.span)
        # Nothing may follow the arguments of a function but an operator or a bracket that closes.
        operand_follows = self.next.kind in ("number", "name") or self.next.text == "("
        if name.name not in syntax.REDUCTIONS or not operand_follows:
            if name.name in syntax.REDUCTIONS and (name.name in ("sum", "prod") or len(arguments) == 1):
                raise self.fail(f"the value that {name} reduces, in brackets if it starts with a minus")
            return syntax.Apply(name, arguments, span)
        dims = tuple(a for a in arguments if isinstance(a, syntax.Name))
        if len(dims) != len(arguments) or not dims:
            wrong = next((a for a in arguments if not isinstance(a, syntax.Name)), syntax.Apply(name, (), span))
            raise self.source.error("syntax", f"{name} needs the names of dimensions here", wrong.span)
        body = self.product()
        return syntax.Reduce(name, dims, body, name.span.to(body.span))
