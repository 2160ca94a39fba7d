"""Source text and preprocessing tokens that know their exact place in it, and the macros that replace tokens.

References:
    Dave Prosser's algorithm as used for the C89 standard: each token carries the set of macros that it came out of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from polyloop.scop.model import SourceLocation
from polyloop.scop.program import Diagnostic, WrittenOut, lines_added

# --- Text and tokens --------------------------------------------------------------------------------------------------


LINE = "#line"
"""What the text of an included file begins with where it says where it stands."""


@dataclass(frozen=True)
class SourceFile:
    """A file's path and text; `stub` marks our own stand-ins for system headers, `expanded` what the text has macros'
    bodies for."""

    path: str
    text: str = field(repr=False)
    stub: bool = False
    expanded: tuple[WrittenOut, ...] = field(default=(), repr=False)

    @cached_property
    def line_starts(self) -> list[int]:
        return [0] + [m.end() for m in re.finditer("\n", self.text)]

    def location(self, offset: int) -> SourceLocation:
        line = bisect_right(self.line_starts, offset)
        column = offset - self.line_starts[line - 1] + 1
        for each in self.expanded:
            if each.path and each.begin <= offset < each.end:
                before = self.text.count("\n", each.begin, offset) - self.text.startswith(LINE, each.begin)
                return SourceLocation(each.path, before + 1, column)
        return SourceLocation(self.path, line - lines_added(self.text, self.expanded, offset), column)

    def line_text(self, offset: int) -> str:
        """The line around an offset."""
        start = self.line_starts[bisect_right(self.line_starts, offset) - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")

    def diagnostic(self, severity: str, code: str, offset: int, message: str) -> Diagnostic:
        return Diagnostic(severity, code, self.location(offset), message, self.line_text(offset))


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


# --- Macros: their definition and their expansion, with every token's place kept --------------------------------------


class PreprocessingError(Exception):
    """A directive or a macro's use that C does not allow; carries its diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class TooLargeError(Exception):
    """A file that grows beyond all measure as it is preprocessed: none of it is read. Carries its diagnostic."""

    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.diagnostic = token.file.diagnostic("error", "too-large", token.offset, message)


MOST_CHARACTERS = 1_000_000
"""That macros may come to in one file, whatever becomes of them: some seconds, and a hundred megabytes."""


@dataclass(frozen=True)
class Macro:
    """parameters: None for a macro that is no function; variadic: the last parameter takes all that is left."""

    name: str
    parameters: tuple[str, ...] | None
    variadic: bool
    body: tuple[Token, ...]


def fail(token: Token, code: str, message: str) -> PreprocessingError:
    """An error at a token, to raise."""
    return PreprocessingError(token.file.diagnostic("error", code, token.offset, message))


def parse_macro(line: Sequence[Token], directive: Token) -> Macro:
    """The macro of ``#define`` from the tokens behind that word."""
    if not line or line[0].kind != "id":
        raise fail(directive, "bad-directive", "#define needs a macro name")
    name = line[0].text
    if len(line) < 2 or line[1].text != "(" or line[1].space:
        return Macro(name, None, False, tuple(line[1:]))
    parameters: list[str] = []
    variadic = False
    at = 2
    while at < len(line) and line[at].text != ")":
        token = line[at]
        if token.text == "...":
            variadic = True
            # GNU's named form, "args...", keeps its name.
            if not (at > 2 and line[at - 1].kind == "id"):
                parameters.append("__VA_ARGS__")
        elif token.kind == "id":
            parameters.append(token.text)
        elif token.text != ",":
            raise fail(token, "bad-directive", f"unexpected {token.text!r} in the parameters of macro {name}")
        at += 1
    if at == len(line):
        raise fail(line[0], "bad-directive", f"the parameter list of macro {name} has no end")
    return Macro(name, tuple(parameters), variadic, tuple(line[at + 1 :]))


@dataclass(frozen=True)
class Use:
    """Where a macro is used: its name's token, the last one, which ends a call, and what the parameters stand for."""

    name: Token
    last: Token
    macro: Macro
    given: dict[str, list[Token]]

    @property
    def begin(self) -> int:
        return self.name.offset

    @property
    def end(self) -> int:
        return self.last.offset + len(self.last.text)


@dataclass(frozen=True)
class Inclusion:
    """Where the main file has another one included: offsets of the directive, that file, and where it uses macros."""

    begin: int
    end: int
    file: SourceFile
    uses: tuple[Use, ...] = ()


class Expander:
    """Replaces macros in token lists; `macros` is the table of those defined now, `uses` has where they stand in the
    files."""

    def __init__(self) -> None:
        self.macros: dict[str, Macro] = {}
        self.uses: list[Use] = []
        self._counter = 0
        self._made = 0

    def expand(self, tokens: Sequence[Token]) -> list[Token]:
        """All macros replaced.

        Raises:
            PreprocessingError: for a call with the wrong number of arguments or without an end.
            TooLargeError: for macros that double each other.
        """
        try:
            return self._expanded(tokens)
        except RecursionError:
            raise fail(tokens[0], "macro-call", "calls of macros are nested too deeply") from None

    def _expanded(self, tokens: Sequence[Token]) -> list[Token]:
        pending = list(reversed(tokens))
        done: list[Token] = []
        while pending:
            token = pending.pop()
            if token.kind != "id" or token.text in token.hidden:
                done.append(token)
                continue
            if token.text in _BUILT_IN:
                done.append(self._built_in(token))
                continue
            macro = self.macros.get(token.text)
            if macro is None:
                done.append(token)
                continue
            if macro.parameters is None:
                if not token.hidden:
                    self.uses.append(Use(token, token, macro, {}))
                hidden = token.hidden | {macro.name}
                pending.extend(reversed(self._substitute(macro, {}, token, hidden)))
                continue
            arguments = self._arguments(macro, token, pending)
            if arguments is None:
                done.append(token)
                continue
            given, closing = arguments
            if not closing.hidden:
                self.uses.append(Use(token, closing, macro, given))
            hidden = (token.hidden & closing.hidden) | {macro.name}
            pending.extend(reversed(self._substitute(macro, given, token, hidden)))
        return done

    def substituted(self, macro: Macro, arguments: dict[str, list[Token]], use: Token) -> list[Token]:
        """A macro's body with its arguments, in which only the macros of the table are replaced.

        Raises:
            PreprocessingError: for pasted tokens that are none.
        """
        return self._substitute(macro, arguments, use, frozenset())

    def _arguments(
        self, macro: Macro, name: Token, pending: list[Token]
    ) -> tuple[dict[str, list[Token]], Token] | None:
        """Take a call's arguments off `pending`; None where no parenthesis follows, so that it is no call."""
        parameters = macro.parameters or ()
        ahead = len(pending) - 1
        while ahead >= 0 and pending[ahead].kind == "newline":
            ahead -= 1
        if ahead < 0 or pending[ahead].text != "(" or pending[ahead].kind != "op":
            return None
        del pending[ahead:]
        arguments: list[list[Token]] = [[]]
        depth = 0
        while pending:
            token = pending.pop()
            if token.kind == "newline":
                continue
            if token.kind == "op" and depth == 0 and token.text == ")":
                break
            if token.kind == "op":
                depth += (token.text == "(") - (token.text == ")")
            rest = macro.variadic and len(arguments) == len(parameters)
            if token.kind == "op" and token.text == "," and depth == 0 and not rest:
                arguments.append([])
            else:
                arguments[-1].append(token)
        else:
            raise fail(name, "macro-call", f"the call of macro {name.text} has no closing parenthesis")
        if not parameters and arguments == [[]]:
            arguments = []
        if macro.variadic and len(arguments) == len(parameters) - 1:
            arguments.append([])
        if len(arguments) != len(parameters):
            raise fail(
                name, "macro-call", f"macro {name.text} takes {len(parameters)} arguments, here are {len(arguments)}"
            )
        return dict(zip(parameters, arguments, strict=True)), token

    def _substitute(
        self, macro: Macro, arguments: dict[str, list[Token]], use: Token, hidden: frozenset[str]
    ) -> list[Token]:
        result: list[Token] = []
        body = macro.body
        expanded: dict[str, list[Token]] = {}
        at = 0
        while at < len(body):
            token = body[at]
            following = body[at + 1].text if at + 1 < len(body) else ""
            if token.text == "#" and macro.parameters is not None and following in arguments:
                result.append(_string(arguments[following], use))
                at += 2
                continue
            if token.text == "##" and result and at + 1 < len(body):
                right = body[at + 1]
                follow = arguments.get(right.text, [right]) if right.kind == "id" else [right]
                follow = [t if right.text in arguments else t.moved(use, frozenset()) for t in follow]
                self._paste(result, follow, macro, use)
                at += 2
                continue
            if token.kind == "id" and token.text in arguments:
                pasted = at + 1 < len(body) and body[at + 1].text == "##"
                if pasted:
                    given = arguments[token.text] or [Token("placemarker", "", use.file, use.offset)]
                else:
                    given = expanded.setdefault(token.text, self._expanded(arguments[token.text]))
                result.extend(given)
            else:
                result.append(token.moved(use, frozenset()))
            at += 1
        self._made += sum(len(t.text) for t in result)
        if self._made > MOST_CHARACTERS:
            raise TooLargeError(use, f"the macros of this file expand to more than {MOST_CHARACTERS} characters")
        return [t.hiding(hidden) for t in result if t.kind != "placemarker"]

    def _paste(self, result: list[Token], follow: list[Token], macro: Macro, use: Token) -> None:
        """Join the last token of `result` with the first of `follow` (C's ``##``)."""
        left = result.pop()
        if not follow:
            # GNU: a comma before an empty variable argument vanishes.
            if not (left.text == "," and macro.variadic):
                result.append(left)
            return
        if left.text == "," and macro.variadic:
            result.extend((left, *follow))
            return
        joined = tokenize(SourceFile(use.file.path, left.text + follow[0].text))[:-1]
        if len(joined) != 1 and left.text + follow[0].text:
            raise fail(use, "macro-call", f"pasting {left.text} and {follow[0].text} gives no valid token")
        result.extend(Token(t.kind, t.text, use.file, use.offset, left.space) for t in joined)
        result.extend(follow[1:])

    def _built_in(self, token: Token) -> Token:
        match token.text:
            case "__LINE__":
                kind, text = "number", str(token.location.line)
            case "__COUNTER__":
                kind, text = "number", str(self._counter)
                self._counter += 1
            case "__FILE__":
                kind, text = "string", quoted(token.location.file)
            case _:
                kind, text = "string", '"?"'
        return Token(kind, text, token.file, token.offset, token.space)


_BUILT_IN = frozenset(("__LINE__", "__FILE__", "__COUNTER__", "__DATE__", "__TIME__", "__BASE_FILE__"))


def _string(tokens: Sequence[Token], use: Token) -> Token:
    text = "".join((" " if t.space and k else "") + t.text for k, t in enumerate(tokens))
    return Token("string", quoted(text), use.file, use.offset)


def quoted(text: str) -> str:
    """A string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
