"""The value of a preprocessor condition (``#if``)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from polyloop.arithmetic.literals import character_value, integer_literal
from polyloop.frontend.macros import Expander, fail
from polyloop.frontend.source import Token


def evaluate_condition_line(line: Sequence[Token], directive: Token, expander: Expander) -> int:
    """The integer value of an ``#if`` line; names that are no macros are 0.

    Raises:
        PreprocessingError: where it is no integer constant expression.
    """
    tokens = expander.expand(_replace_defined(line, expander))
    if not tokens:
        raise fail(directive, "bad-directive", f"#{directive.text} needs a condition")
    parser = _Parser(tokens, directive)
    try:
        value = parser.ternary()
    except RecursionError:
        raise fail(directive, "bad-directive", "the condition is nested too deeply") from None
    if parser.at < len(tokens):
        raise fail(tokens[parser.at], "bad-directive", f"unexpected {tokens[parser.at].text!r} in a condition")
    return value


def _replace_defined(line: Sequence[Token], expander: Expander) -> list[Token]:
    """``defined X`` and ``__has_...(x)`` become 0 or 1 before macros are expanded."""
    result: list[Token] = []
    at = 0
    while at < len(line):
        token = line[at]
        at += 1
        if token.text == "defined":
            parenthesis = at < len(line) and line[at].text == "("
            at += parenthesis
            if at >= len(line):
                raise fail(token, "bad-directive", "defined needs a macro name")
            value = "1" if line[at].text in expander.macros else "0"
            at += 1 + parenthesis
            token = Token("number", value, token.file, token.offset)
        elif token.text.startswith("__has_") and at < len(line) and line[at].text == "(":
            depth = 0
            while at < len(line):
                depth += (line[at].text == "(") - (line[at].text == ")")
                at += 1
                if depth == 0:
                    break
            token = Token("number", "0", token.file, token.offset)
        result.append(token)
    return result


class _Parser:
    def __init__(self, tokens: Sequence[Token], directive: Token) -> None:
        self.tokens = tokens
        self.directive = directive
        self.at = 0

    def _peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def _take(self) -> Token:
        if self.at >= len(self.tokens):
            raise fail(self.directive, "bad-directive", "the condition ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def ternary(self) -> int:
        condition = self.binary(0)
        if self._peek() != "?":
            return condition
        self._take()
        then = self.ternary()
        if self._take().text != ":":
            raise fail(self.directive, "bad-directive", "? without : in a condition")
        otherwise = self.ternary()
        return then if condition else otherwise

    def binary(self, level: int) -> int:
        """Operators of precedence `level` and tighter."""
        left = self.unary()
        while True:
            text = self._peek()
            precedence = _PRECEDENCE.get(text, -1)
            if precedence < level:
                return left
            token = self._take()
            right = self.binary(precedence + 1)
            if text in ("/", "%") and right == 0:
                # The operand of && or || that C does not evaluate may divide by zero: it counts as 0.
                left = 0
                continue
            left = _wrapped(int(_OPERATORS[token.text](left, right)))

    def unary(self) -> int:
        token = self._take()
        match token.text:
            case "(":
                value = self.ternary()
                if self._take().text != ")":
                    raise fail(token, "bad-directive", "a parenthesis is not closed")
                return value
            case "!":
                return int(not self.unary())
            case "-":
                return -self.unary()
            case "+":
                return self.unary()
            case "~":
                return ~self.unary()
        if token.kind == "number":
            value_and_type = integer_literal(token.text)
            if value_and_type is None:
                raise fail(token, "bad-directive", f"{token.text} is no integer")
            return value_and_type[0]
        if token.kind == "char":
            return character_value(token.text)
        if token.kind == "id":
            return 0
        raise fail(token, "bad-directive", f"unexpected {token.text!r} in a condition")


def _wrapped(value: int) -> int:
    """As large as what C counts with: 64 bits, of either sign."""
    return value if abs(value) < 1 << 64 else value % (1 << 64)


def _quotient(left: int, right: int) -> int:
    magnitude = abs(left) // abs(right)
    return magnitude if (left < 0) == (right < 0) else -magnitude


_PRECEDENCE = {
    text: level
    for level, texts in enumerate(("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"))
    for text in texts.split()
}
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: bool(a) or bool(b),
    "&&": lambda a, b: bool(a) and bool(b),
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<<": lambda a, b: a << min(max(b, 0), 64),
    ">>": lambda a, b: a >> min(max(b, 0), 64),
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": lambda a, b: a - b * _quotient(a, b),
}
