"""What the texts of loop nests and vector programs have in common, and the reader of both.

    integer   := ["-"] term (("+" | "-") term)*            term := [NUMBER "*"] atom | NUMBER
    atom      := NAME | "floord(" integer "," NUMBER ")" | ("min" | "max") "(" integer ("," integer)* ")"
               | "(" condition "?" integer ":" integer ")"
    condition := integer (">=" | "==") "0" | "(" condition ("&&" condition)* ")" | "(" condition ("||" condition)* ")"
               | "!(" condition ")" | "true" | "false"
    type      := ("f" | "i" | "u") BITS
    literal   := NUMBER ":" type | "inf:" type | "nan:" type | "nan(0x" BITS "):" type
    head      := NAME "(" [NAME ("," NAME)*] ")" FLAG*
    array     := ("argument" | "local") type NAME ("[" [integer] "]")* ["read_only"] ["scratch"] ["private"]
                 ["lane_private"] ["strides" "(" polynomial {"," polynomial} ")"]
                 ["holds" "(" literal {"," literal} ")"]
    known     := "known" condition

A line is a statement; what stands below it, two spaces further in, is its body. Names that are no identifiers stand in
double quotes. Floating-point numbers are Python's shortest text that gives the same bits.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.affine import (
    FALSE,
    TRUE,
    Affine,
    And,
    Atom,
    Choose,
    Compare,
    Condition,
    FloorDiv,
    Max,
    Min,
    Not,
    Or,
    linear,
)
from polyloop.backend.ir.expressions import Literal, ScalarType
from polyloop.backend.ir.expressions import text as expression_text
from polyloop.backend.ir.loop_nest import ArraySpec, Storage, word
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.backend.ir.polynomials import text as polynomial_text

T = TypeVar("T")

_TOKEN = re.compile(
    r"(?P<literal>-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan(?:\(0x[0-9a-f]{16}\))?):[fiu]\d+)"
    r"|(?P<suffix>:[fiu]\d+)|(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")|(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:=(){}\[\],])',
    re.ASCII,
)
_TYPE = re.compile(r"([fiu])(8|16|32|64)")
_KINDS = {"f": "float", "i": "int", "u": "uint"}


class IRSyntaxError(BackendError):
    """A text is no loop nest or vector program. The message has line and column, the line, and a caret."""


_MARKS = ("read_only", "scratch", "private", "lane_private")
"""Flags of an array, in the order in which they stand behind it."""


def head_lines(
    kind: str,
    name: str,
    parameters: Iterable[str],
    flags: Iterable[str],
    arrays: Iterable[ArraySpec],
    context: Condition,
) -> Iterator[str]:
    """The lines in front of the statements."""
    yield " ".join([f"{kind} {word(name)}({', '.join(parameters)})", *flags])
    for array in arrays:
        extents = "".join(f"[{'' if extent is None else extent}]" for extent in array.shape)
        marks = "".join(f" {mark}" for mark in _MARKS if getattr(array, mark))
        strides = "" if array.strides is None else f" strides({', '.join(map(polynomial_text, array.strides))})"
        holds = "" if array.values is None else f" holds({', '.join(map(expression_text, array.values))})"
        yield f"  {array.storage.value} {array.type} {array.name}{extents}{marks}{strides}{holds}"
    if context != TRUE:
        yield f"  known {context}"


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


@dataclass(frozen=True)
class _Line:
    number: int
    text: str
    indent: int
    tokens: tuple[_Token, ...]


@dataclass(frozen=True)
class Head:
    """What `head_lines` writes."""

    name: str
    parameters: tuple[str, ...]
    flags: frozenset[str]
    arrays: tuple[ArraySpec, ...]
    context: Condition


class Reader:
    """A cursor over the tokens of a text, line by line; recursive descent below it."""

    def __init__(self, text: str) -> None:
        numbered = enumerate(text.splitlines(), 1)
        self._lines = [self._line(number, line) for number, line in numbered if line.strip()]
        self._at = 0  # the line
        self._token = 0

    def _line(self, number: int, text: str) -> _Line:
        tokens, column = [], len(text) - len(text.lstrip(" "))
        indent = column
        while column < len(text):
            if text[column] == " ":
                column += 1
                continue
            match = _TOKEN.match(text, column)
            if match is None:
                raise self._wrong(number, text, column, f"{text[column]!r} has no meaning here")
            tokens.append(_Token(str(match.lastgroup), match[0], column))
            column = match.end()
        return _Line(number, text, indent, tuple(tokens))

    def _wrong(self, number: int, text: str, column: int, message: str) -> IRSyntaxError:
        return IRSyntaxError(f"{number}:{column + 1}: {message}\n  {text}\n  {' ' * column}^")

    def error(self, message: str, back: int = 0) -> IRSyntaxError:
        """An error at the next token, or so many tokens before it."""
        if self._at >= len(self._lines):
            last = self._lines[-1] if self._lines else _Line(1, "", 0, ())
            return self._wrong(last.number, last.text, len(last.text), message)
        line = self._lines[self._at]
        place = self._token - back
        column = line.tokens[place].column if place < len(line.tokens) else len(line.text)
        return self._wrong(line.number, line.text, column, message)

    # --- tokens -------------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        """The text of a token of this line; "" behind the last."""
        if self._at >= len(self._lines):
            return ""
        tokens = self._lines[self._at].tokens
        return tokens[self._token + ahead].text if self._token + ahead < len(tokens) else ""

    def kind(self) -> str:
        """The next token's kind; "" behind the line's last."""
        if self._at >= len(self._lines) or self._token >= len(self._lines[self._at].tokens):
            return ""
        return self._lines[self._at].tokens[self._token].kind

    def take(self, *texts: str) -> bool:
        """Step over these tokens if they are next."""
        if any(self.peek(ahead) != text for ahead, text in enumerate(texts)):
            return False
        self._token += len(texts)
        return True

    def expect(self, *texts: str) -> None:
        for text in texts:
            if not self.take(text):
                raise self.error(f"{text!r} is missing")

    def token(self, kind: str, what: str) -> str:
        """The text of the next token, which has to be of this kind."""
        if self.kind() != kind:
            raise self.error(f"{what} is missing")
        self._token += 1
        return self.peek(-1)

    def name(self, what: str = "a name") -> str:
        if self.kind() == "string":
            return str(json.loads(self.token("string", what)))
        return self.token("name", what)

    def number(self) -> int:
        return (-1 if self.take("-") else 1) * int(self.token("number", "a number"))

    def listed(self, item: Callable[[], T], close: str) -> tuple[T, ...]:
        """Items between commas, and what closes them."""
        found: list[T] = []
        while not self.take(close):
            if found:
                self.expect(",")
            found.append(item())
        return tuple(found)

    def loop_range(self) -> tuple[str, Affine, Affine, int]:
        """``NAME in [integer, integer) [step NUMBER]``: variable, bounds and step of a loop."""
        variable = self.name()
        self.expect("in", "[")
        lower = self.integer()
        self.expect(",")
        upper = self.integer()
        self.expect(")")
        return variable, lower, upper, self.number() if self.take("step") else 1

    # --- lines --------------------------------------------------------------------------------------------------------

    def end_line(self) -> None:
        if self.peek():
            raise self.error(f"nothing is expected here but the end of the line, not {self.peek()!r}")
        self._at, self._token = self._at + 1, 0

    @property
    def indent(self) -> int:
        """The next line's; -1 behind the last."""
        return self._lines[self._at].indent if self._at < len(self._lines) else -1

    def suite(self, around: int, statement: Callable[[], T]) -> tuple[T, ...]:
        """The statements that stand further in than `around`."""
        found: list[T] = []
        inside = self.indent
        while self.indent > around:
            if self.indent != inside:
                raise self.error(f"this line stands {self.indent} spaces in, those in front of it {inside}")
            found.append(statement())
        return tuple(found)

    def end(self) -> None:
        if self.indent >= 0:
            raise self.error("this line belongs to nothing")

    # --- what both texts have -----------------------------------------------------------------------------------------

    def head(self, kind: str, flags: tuple[str, ...]) -> Head:
        self.expect(kind)
        name = self.name()
        self.expect("(")
        parameters = self.listed(self.name, ")")
        marks = frozenset(flag for flag in flags if self.take(flag))
        self.end_line()
        arrays: list[ArraySpec] = []
        while self.peek() in ("argument", "local") and self.peek(1) != ":":
            arrays.append(self._array())
        context = TRUE
        if self.peek(1) != ":" and self.take("known"):
            context = self.condition()
            self.end_line()
        return Head(name, parameters, marks, tuple(arrays), context)

    def _array(self) -> ArraySpec:
        storage = Storage(self.name())
        type_, name = self.type(), self.name()
        shape: list[Affine | None] = []
        while self.take("["):
            shape.append(None if self.peek() == "]" else self.integer())
            self.expect("]")
        read_only, scratch, private, lane_private = map(self.take, _MARKS)
        strides = self.listed(self._polynomial, ")") if self.take("strides", "(") else None
        values = None
        if self.take("holds", "("):
            values = tuple(Literal(*literal) for literal in self.listed(self.literal, ")"))
        marks = (read_only, scratch, private, lane_private)
        spec = ArraySpec(name, type_, tuple(shape), storage, *marks, strides=strides, values=values)
        self.end_line()
        return spec

    def _polynomial(self) -> Polynomial:
        terms: list[tuple[tuple[str, ...], int]] = []
        sign = -1 if self.take("-") else 1
        while sign:
            factor, names, more = sign, list[str](), True
            while more:
                if self.kind() == "number":
                    factor *= int(self.token("number", "a number"))
                else:
                    names.append(self.name("a number or a variable"))
                more = self.take("*")
            terms.append((tuple(names), factor))
            sign = 1 if self.take("+") else -1 if self.take("-") else 0
        return tuple(terms)

    def type(self) -> ScalarType:
        return self._type(self.name("a type"))

    def suffix(self) -> ScalarType:
        return self._type(self.token("suffix", "':' and a type")[1:])

    def _type(self, text: str) -> ScalarType:
        match = _TYPE.fullmatch(text)
        if match is None:
            raise self.error(f"{text} is no type; types are f32, f64, and i or u with 8, 16, 32 or 64", back=1)
        return ScalarType(_KINDS[match[1]], int(match[2]))

    def literal(self) -> tuple[int | float, ScalarType]:
        text, _, suffix = self.token("literal", "a number with its type").partition(":")
        type_ = self._type(suffix)
        if text.startswith("nan("):
            value: float = struct.unpack(">d", bytes.fromhex(text[6:-1]))[0]
            return value, type_
        return int(text) if text.lstrip("-").isdigit() else float(text), type_

    # --- integers and conditions --------------------------------------------------------------------------------------

    def integer(self) -> Affine:
        return self._sum((), -1 if self.take("-") else 1)

    def _sum(self, terms: tuple[tuple[Atom, int], ...], sign: int) -> Affine:
        """The rest of a sum behind its first sign; 0: behind its first term, which is there already."""
        found, constant = list(terms), 0
        while True:
            if sign and self.kind() != "number":
                found.append((self._atom(), sign))
            elif sign:
                number = sign * int(self.token("number", "a number"))
                if self.take("*"):
                    found.append((self._atom(), number))
                else:
                    constant += number
            sign = 1 if self.take("+") else -1 if self.take("-") else 0
            if not sign:
                return linear(found, constant)

    def _atom(self) -> Atom:
        if self.take("("):
            return self._choice(self.condition())
        if self.take("floord", "("):
            dividend = self.integer()
            self.expect(",")
            divisor = self.number()
            self.expect(")")
            return FloorDiv(dividend, divisor)
        for name, kind in (("min", Min), ("max", Max)):
            if self.take(name, "("):
                return kind(self.listed(self.integer, ")"))
        return self.name("a number or a variable")

    def _choice(self, condition: Condition) -> Choose:
        self.expect("?")
        then = self.integer()
        self.expect(":")
        otherwise = self.integer()
        self.expect(")")
        return Choose(condition, then, otherwise)

    def condition(self) -> Condition:
        if self.take("!", "("):
            operand = self.condition()
            self.expect(")")
            return Not(operand)
        if self.peek() in ("true", "false") and self.peek(1) not in ("+", "-", ">=", "=="):
            return TRUE if self.name() == "true" else FALSE
        if not self.take("("):
            return self._comparison(self.integer())
        first = self.condition()
        if self.peek() == "?":
            return self._comparison(self._sum(((self._choice(first), 1),), 0))
        operands, sign = [first], self.peek()
        while sign in ("&&", "||") and self.take(sign):
            operands.append(self.condition())
        self.expect(")")
        return Or(tuple(operands)) if sign == "||" else And(tuple(operands))

    def _comparison(self, left: Affine) -> Condition:
        operator = self.peek()
        if operator not in (">=", "=="):
            raise self.error("'>= 0' or '== 0' is missing")
        self.expect(operator, "0")
        return Compare(left, operator)


def lane(value: Affine, stride: int) -> str:
    """An integer that grows by a constant from lane to lane."""
    return f"{value} by {stride}" if stride else str(value)
