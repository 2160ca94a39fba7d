"""The C preprocessor, written for one purpose: every token that comes out knows its place in the unchanged text.

Macro bodies stand where the macro is used, macro arguments where they are written. Pragmas pass through as tokens.
System headers are replaced by our own stand-ins; unknown ones are left out.
"""

from __future__ import annotations

import errno
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from polyloop.arithmetic import ABSOLUTE, character_value, integer_literal
from polyloop.frontend.source import (
    Expander,
    Inclusion,
    Macro,
    PreprocessingError,
    SourceFile,
    Token,
    TooLargeError,
    Use,
    fail,
    parse_macro,
    tokenize,
)
from polyloop.scop.program import Diagnostic
from polyloop.support.compilers import UNSIGNED_CHAR

_MAX_INCLUDE_DEPTH = 100
_MOST_INCLUDED = 16_000_000
"""Characters of all included files, a file counting as often as it is included."""
_SMALLEST_INCLUDED = 1_000
"""What a file counts at least: opening one takes time, too."""

MOST_BYTES = 64_000_000
"""Of a file; more is no C source."""


@dataclass(frozen=True)
class Options:
    """Preprocessing options as a compiler's command line has them.

    Attributes:
        defines: "NAME" (as 1) or "NAME=value", also "NAME(x)=body".
        undefines: names that are taken away again after `defines`.
        include_dirs: searched after the including file's own folder.
        includes: files read before the source, as by ``-include``.
        elsewhere: where a header may be that is in none of those folders, by its name and the including file's path.
    """

    defines: Sequence[str] = ()
    undefines: Sequence[str] = ()
    include_dirs: Sequence[str] = ()
    includes: Sequence[str] = ()
    elsewhere: Callable[[str, str], Path | None] | None = None


@dataclass
class Preprocessed:
    """tokens: all that C's grammar sees, and pragmas; directives: places of directives in the main file that were
    active, as (offset, word) pairs; tested: names in conditions, whether or not they counted; macros: all names that
    were macros somewhere, those of C's own headers apart; plain: those of them that stand for something without
    parentheses behind them; uses: where macros are used in the main file, the
    outermost ones; inclusions: where it includes others; headers: the files that were included, each once, those that
    we have of our own apart; defined: the macros at its end.
    """

    tokens: list[Token]
    diagnostics: list[Diagnostic]
    directives: list[tuple[int, str]]
    tested: set[str] = field(default_factory=set)
    macros: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    uses: list[Use] = field(default_factory=list)
    inclusions: list[Inclusion] = field(default_factory=list)
    headers: tuple[str, ...] = ()
    defined: dict[str, Macro] = field(default_factory=dict)


@dataclass
class _Conditional:
    """One open #if: was a branch taken, is the present one active, was #else seen."""

    opening: Token
    taken: bool
    active: bool
    in_else: bool = False


@dataclass
class _State:
    main: SourceFile
    options: Options
    output: list[Token] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    directives: list[tuple[int, str]] = field(default_factory=list)
    once: set[str] = field(default_factory=set)
    tested: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)
    inclusions: list[Inclusion] = field(default_factory=list)
    headers: dict[str, None] = field(default_factory=dict)


def read_text(path: Path) -> str:
    """A file's text with its line ends as they are; bytes that are not UTF-8 survive a later write.

    Raises:
        OSError: if it cannot be read, or is larger than `MOST_BYTES` (a device may have no end).
    """
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"more than {MOST_BYTES} bytes are no C source", str(path))
    return data.decode("utf-8-sig", "surrogateescape")


_OPENMP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b(?:[^\\\n]|\\\r?\n|\\)*", re.MULTILINE)


def without_openmp(text: str) -> str:
    """C text with an empty line for every line of OpenMP's directives."""
    return _OPENMP.sub(lambda found: "\n" * found[0].count("\n"), text)


def preprocess(main: SourceFile, options: Options) -> Preprocessed:
    """Preprocess a file. Errors become diagnostics; reading goes on behind them, but for those of a file that grows
    without end, of which nothing is left."""
    run = _Run(_State(main, options))
    try:
        run.setup()
        run.file(main, 0)
    except TooLargeError as error:
        return Preprocessed([], [*run.state.diagnostics, error.diagnostic], [])
    state = run.state
    here = defaultdict[int, list[Use]](list)
    for use in run.expander.uses:
        if use.name.file is use.last.file:
            here[id(use.name.file)].append(use)
    uses = _outermost(here[id(main)])
    if UNSIGNED_CHAR in run.expander.macros:
        state.output = list(_with_unsigned_characters(state.output))
    return Preprocessed(
        [*_definitions(state.output), *state.output],
        state.diagnostics,
        state.directives,
        state.tested,
        frozenset(state.macros),
        frozenset(state.plain),
        uses,
        [replace(each, uses=tuple(_outermost(here[id(each.file)]))) for each in state.inclusions],
        tuple(state.headers),
        run.expander.macros,
    )


def _definitions(tokens: list[Token]) -> list[Token]:
    """Of the compiler's own functions that are named."""
    if not any(token.text.startswith("__builtin_") for token in tokens):
        return []
    from polyloop.frontend.builtins import definitions  # of files that name some

    return definitions(tokens)


def _with_unsigned_characters(tokens: Sequence[Token]) -> Iterator[Token]:
    """The same where ``char`` is ``unsigned char``."""
    for number, token in enumerate(tokens):
        beside = {each.text for each in tokens[max(0, number - 1) : number + 2]}
        if token.kind == "char" and token.text[0] == "'" and (value := character_value(token.text)) < 0:
            yield Token("number", str(value + (1 << 8)), token.file, token.offset)
            continue
        if token.text == "char" and not beside & {"signed", "unsigned"}:
            yield Token("id", "unsigned", token.file, token.offset)
        yield token


def _outermost(uses: Sequence[Use]) -> list[Use]:
    """Macros' uses in one file; a name that comes out of a macro stands where that does."""
    result: list[Use] = []
    for use in sorted(uses, key=lambda use: (use.begin, -use.end)):
        if not result or use.begin >= result[-1].end:
            result.append(use)
    return result


class _Run:
    def __init__(self, state: _State) -> None:
        self.state = state
        self.expander = Expander()
        self.pending: list[Token] = []
        self.included = 0

    def setup(self) -> None:
        """The predefined macros, the command line's, and the files of ``-include``."""
        known = "".join(f"#define {line}\n" for line in (*_COMPILERS, *_OURS))
        self.file(SourceFile("<predefined>", known, stub=True), 0)
        lines: list[str] = []
        for define in self.state.options.defines:
            name, _, value = define.partition("=")
            lines.append(f"#define {name} {value if '=' in define else '1'}")
        lines += [f"#undef {name}" for name in self.state.options.undefines]
        self.file(SourceFile("<command line>", "\n".join(lines) + "\n"), 0)
        for path in self.state.options.includes:
            found = self._find(path, Path(), self.state.options.include_dirs)
            if found is None:
                self._report(self.state.main.diagnostic("error", "no-include", 0, f"cannot find the file {path}"))
            else:
                self.file(found, 1)

    def file(self, file: SourceFile, depth: int) -> None:
        conditionals: list[_Conditional] = []
        line: list[Token] = []
        for token in tokenize(file):
            if token.kind != "newline":
                line.append(token)
                continue
            if line and line[0].text == "#":
                self._flush()
                try:
                    self._directive(line, conditionals, depth)
                except PreprocessingError as error:
                    self._report(error.diagnostic)
            elif line and all(c.active for c in conditionals):
                self.pending.extend(line)
            line = []
        self._flush()
        for conditional in conditionals:
            self._report(fail(conditional.opening, "bad-directive", "this #if has no #endif").diagnostic)

    def _flush(self) -> None:
        """Expand what has gathered; calls of macros may run over many lines, though not over directives."""
        if self.pending:
            try:
                self.state.output.extend(self.expander.expand(self.pending))
            except PreprocessingError as error:
                self._report(error.diagnostic)
            self.pending = []

    def _report(self, diagnostic: Diagnostic) -> None:
        self.state.diagnostics.append(diagnostic)

    def _directive(self, line: list[Token], conditionals: list[_Conditional], depth: int) -> None:
        if len(line) == 1:
            return
        word, rest = line[1], line[2:]
        active = all(c.active for c in conditionals)
        if word.file is self.state.main and (active or word.text in _CONDITIONAL_WORDS):
            self.state.directives.append((line[0].offset, word.text))
        if word.text in _CONDITIONAL_WORDS:
            self._conditional(word, rest, conditionals)
            return
        if not active:
            return
        match word.text:
            case "define":
                macro = parse_macro(rest, word)
                self.expander.macros[macro.name] = macro
                if not word.file.stub:
                    self.state.macros.add(macro.name)
                    if macro.parameters is None:
                        self.state.plain.add(macro.name)
            case "undef":
                if rest:
                    self.expander.macros.pop(rest[0].text, None)
            case "include" | "include_next" | "import":
                self._include(line, depth)
            case "pragma":
                self._pragma(line[0], rest)
            case "error":
                self._lacks(line[0], "error-directive", " ".join(("#error", *(t.text for t in rest))))
            case "warning" | "line" | "ident":
                pass
            case _ if word.kind != "number":
                raise fail(word, "bad-directive", f"unknown directive #{word.text}")

    def _pragma(self, start: Token, rest: list[Token]) -> None:
        if rest and rest[0].text == "once":
            self.state.once.add(start.file.path)
        elif rest:
            text = " ".join(t.text for t in rest)
            self.state.output.append(Token("pragma", text, start.file, start.offset))

    def _conditional(self, word: Token, rest: list[Token], conditionals: list[_Conditional]) -> None:
        outside = all(c.active for c in conditionals[:-1])
        self.state.tested.update(token.text for token in rest if token.kind == "id")
        if word.text in ("if", "ifdef", "ifndef"):
            active = all(c.active for c in conditionals)
            holds = active and self._surely_holds(word, rest)
            conditionals.append(_Conditional(word, holds or not active, holds))
            return
        if not conditionals:
            raise fail(word, "bad-directive", f"#{word.text} without #if")
        top = conditionals[-1]
        if word.text == "endif":
            conditionals.pop()
        elif top.in_else:
            raise fail(word, "bad-directive", f"#{word.text} after #else")
        elif word.text == "else":
            top.active, top.taken, top.in_else = not top.taken, True, True
        else:
            top.active = outside and not top.taken and self._surely_holds(word, rest)
            top.taken = top.taken or top.active

    def _surely_holds(self, word: Token, rest: list[Token]) -> bool:
        """Whether a condition holds; one that cannot be read does not, so that what closes it finds it open."""
        try:
            return self._holds(word, rest)
        except PreprocessingError as error:
            self._report(error.diagnostic)
            return False

    def _holds(self, word: Token, rest: list[Token]) -> bool:
        if word.text in ("ifdef", "ifndef", "elifdef", "elifndef"):
            if not rest:
                raise fail(word, "bad-directive", f"#{word.text} needs a macro name")
            return (rest[0].text in self.expander.macros) != word.text.endswith("ndef")
        unknown = next((call for call in _called(rest) if call.text not in self.expander.macros), None)
        if unknown is not None:
            self._lacks(unknown, "unknown-macro", f"{unknown.text} is no known macro; define it")
            return False
        with self._unnoted():
            return evaluate_condition_line(rest, word, self.expander) != 0

    @contextmanager
    def _unnoted(self) -> Iterator[None]:
        """What macros a directive uses, no function begins with."""
        known = len(self.expander.uses)
        try:
            yield
        finally:
            del self.expander.uses[known:]

    def _include(self, line: list[Token], depth: int) -> None:
        start, word, *rest = line
        if rest and rest[0].kind == "id":
            with self._unnoted():
                rest = self.expander.expand(rest)
        if not rest:
            raise fail(word, "bad-directive", "#include needs a file name")
        if depth > _MAX_INCLUDE_DEPTH:
            raise TooLargeError(word, "the files include each other without end")
        quoted = rest[0].kind == "string"
        name = rest[0].text[1:-1] if quoted else "".join(t.text for t in rest).strip("<>")
        found = self._find(name, Path(word.file.path).parent if quoted else None, self.state.options.include_dirs)
        elsewhere = self.state.options.elsewhere
        if found is None and elsewhere is not None and (path := elsewhere(name, word.file.path)) is not None:
            self.state.headers[str(path)] = None
            found = SourceFile(str(path), read_text(path))
        if found is not None:
            if found.path not in self.state.once:
                self.included += max(len(found.text), _SMALLEST_INCLUDED)
                if self.included > _MOST_INCLUDED:
                    raise TooLargeError(word, f"the included files have more than {_MOST_INCLUDED} characters")
                if start.file is self.state.main:
                    last = line[-1]
                    self.state.inclusions.append(Inclusion(start.offset, last.offset + len(last.text), found))
                self.file(found, depth + 1)
        elif quoted:
            self._lacks(rest[0], "no-include", f"cannot find the file {name}; name its folder with -I")

    def _lacks(self, token: Token, code: str, message: str) -> None:
        """What a build has made or defined before: without it, only what may be read elsewhere is looked at."""
        if self.state.options.elsewhere is None:
            raise fail(token, code, message)
        what = "as the build has it (-D, -I); until then, what stands behind this is read without it"
        self._report(token.file.diagnostic("remark", code, token.offset, f"{message}: {what}"))

    def _find(self, name: str, own: Path | None, folders: Sequence[str]) -> SourceFile | None:
        """A header by name: the own folder, the include folders, our stand-ins, in this order."""
        for folder in ([own] if own is not None else []) + [Path(f) for f in folders]:
            path = folder / name
            if path.is_file():
                self.state.headers[str(path)] = None
                return SourceFile(str(path), read_text(path))
        from polyloop.frontend.stub_headers import HEADERS  # with the first header that is not found

        if name in HEADERS:
            return SourceFile(f"<{name}>", HEADERS[name], stub=True)
        return None


_CONDITIONAL_WORDS = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"))

_COMPILERS = (
    "__STDC__ 1",
    "__STDC_VERSION__ 201710L",
    "__STDC_HOSTED__ 1",
    "__GNUC__ 13",
    "__GNUC_MINOR__ 0",
    "__x86_64__ 1",
    "__x86_64 1",
    "__amd64__ 1",
    "__linux__ 1",
    "__linux 1",
    "__unix__ 1",
    "__LP64__ 1",
    "_LP64 1",
    "__OPTIMIZE__ 1",
    "__MMX__ 1",
    "__SSE__ 1",
    "__SSE2__ 1",
    "__SSE_MATH__ 1",
    "__SSE2_MATH__ 1",
    "__CHAR_BIT__ 8",
    "__BYTE_ORDER__ 1234",
    "__ORDER_LITTLE_ENDIAN__ 1234",
    "__ORDER_BIG_ENDIAN__ 4321",
    "__INT_MAX__ 2147483647",
    "__LONG_MAX__ 9223372036854775807L",
    "__SIZEOF_SHORT__ 2",
    "__SIZEOF_INT__ 4",
    "__SIZEOF_LONG__ 8",
    "__SIZEOF_LONG_LONG__ 8",
    "__SIZEOF_INT128__ 16",
    "__SIZEOF_FLOAT__ 4",
    "__SIZEOF_DOUBLE__ 8",
    "__SIZEOF_POINTER__ 8",
    "__SIZEOF_SIZE_T__ 8",
    "__SHRT_MAX__ 32767",
    "__LONG_LONG_MAX__ 9223372036854775807LL",
    "__SIZE_TYPE__ unsigned long",
    "__PTRDIFF_TYPE__ long",
    "__DBL_EPSILON__ 2.2204460492503131e-16",
)
"""What gcc and clang define on x86-64 Linux, as far as ordinary programs look at it; of a compiler that is asked,
`predefined` says it."""

_OURS = (
    "__builtin_va_list void *",
    "__builtin_offsetof(type, member) ((unsigned long)&((type *)0)->member)",
    "__builtin_expect(value, expected) (value)",
    "__builtin_assume_aligned(pointer, ...) (pointer)",
    "__builtin_prefetch(address, ...) ((void)(address))",
    "__builtin_unreachable() ((void)0)",
    *(f"__builtin_{name} {name}" for name in ABSOLUTE),
    "_Static_assert(...) struct _polyloop_static_assert",
    "static_assert(...) struct _polyloop_static_assert",
    "_Noreturn",
    "_Thread_local",
    "__thread",
)
"""What compilers know without a macro."""


def predefined(macros: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(`defines`, `undefines`) with which a file is read as by a compiler that has these macros, "NAME=value"; nothing
    for none, of a compiler that nobody has asked."""
    if not macros:
        return (), ()
    names = {macro.partition("=")[0] for macro in macros}
    lacking = (line.partition(" ")[0] for line in _COMPILERS)
    return tuple(sorted(macros)), tuple(name for name in lacking if name not in names)


# --- The value of a condition (``#if``) -------------------------------------------------------------------------------


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


def _is_has(token: Token) -> bool:
    return token.text.startswith("__has_")


def _called(line: Sequence[Token]) -> Iterator[Token]:
    """The names in a condition that arguments stand behind."""
    for token, following in pairwise(line):
        if token.kind == "id" and token.text != "defined" and following.text == "(" and not _is_has(token):
            yield token


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
        elif _is_has(token) and at < len(line) and line[at].text == "(":
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
