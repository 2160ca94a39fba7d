"""From preprocessed tokens to pycparser's tree: standard C first, then what the parser makes of it.

GNU extensions are taken out, and what they say is kept beside. The result is laid out with one token a line, so that a
syntax node's line number is its token's number and every node leads back to its exact place. What cannot be parsed is
left out; the rest of the file goes on.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from pycparser import c_ast, c_lexer, c_parser

from polyloop.backend.c.text import KEYWORDS
from polyloop.frontend.source import Token
from polyloop.scop.program import Diagnostic

# --- Standard C -------------------------------------------------------------------------------------------------------


# The name that stands in the tree for an inline assembly statement; no program has it.
ASSEMBLY = "__polyloop_assembly"

TYPEOF = frozenset(("typeof", "__typeof", "__typeof__", "typeof_unqual", "__auto_type"))
TYPEOF_MEMBER = "__polyloop_typeof"
"""Of the union that stands in the tree for ``typeof(x)``: see `polyloop.frontend.extensions`."""

PARTS = {"__real": "__real__", "__real__": "__real__", "__imag": "__imag__", "__imag__": "__imag__"}
"""GNU C's operators for the parts of a complex number: in the tree these are members of it."""

_RESPELLED = {
    "__inline": "inline",
    "__inline__": "inline",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "__const": "const",
    "__complex": "_Complex",
    "__complex__": "_Complex",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__signed": "signed",
    "__signed__": "signed",
    "__alignof__": "_Alignof",
    "__func__": "__func__",
}
_COMPLEX = frozenset(("_Complex", *(word for word, other in _RESPELLED.items() if other == "_Complex")))
_STORAGE = frozenset(("static", "extern", "inline", "register"))
_DROPPED = frozenset(("__extension__", "__noinline__", "__forceinline"))
_ATTRIBUTE = frozenset(("__attribute__", "__attribute", "__declspec"))
_ASSEMBLY_WORDS = frozenset(("asm", "__asm__", "__asm"))
_CONST = frozenset(("const", "__const__"))
_PURE = _CONST | {"pure", "__pure__"}
# Attributes that change a type's meaning: what they stand on has no type that we know.
_OPAQUE = frozenset(
    (
        *("vector_size", "__vector_size__", "ext_vector_type", "mode", "__mode__", "address_space"),
        "scalar_storage_order",
    )
)
_PACKED = frozenset(("packed", "__packed__"))


@dataclass
class TopLevel:
    """One external declaration: [begin, end) in the standard tokens, and its first token as written.

    Attributes:
        pure: attributes say that it changes nothing; const: that it reads nothing but its arguments, either.
    """

    begin: int
    end: int
    first: Token
    pure: bool = False
    const: bool = False


@dataclass
class StandardC:
    """tokens: what the parser sees; items: the external declarations; opaque: indices at which an attribute stood
    that makes the declared type unknown; packed: those of structures at which one says that their members are not
    aligned; packs: where ``#pragma pack`` stood, with the alignment that members have at most from there on, 0 where it
    does not limit it, None where that is not known; extended: whether there is anything for
    `polyloop.frontend.extensions`; complex: whether there is for `polyloop.frontend.complex_numbers`.
    """

    tokens: list[Token] = field(default_factory=list)
    items: list[TopLevel] = field(default_factory=list)
    opaque: set[int] = field(default_factory=set)
    packed: set[int] = field(default_factory=set)
    packs: list[tuple[int, int | None]] = field(default_factory=list)
    extended: bool = False
    complex: bool = False

    def says(self, other: StandardC) -> bool:
        """Whether another file says the same, token by token."""
        return [token.text for token in self.tokens] == [token.text for token in other.tokens]

    def opening(self, index: int) -> int:
        """Where the declaration begins, or the parameters, that a name is declared in."""
        depth = 0
        while index > 0:
            text, behind = self.tokens[index - 1].text, self.tokens[index].text
            depth += (text == "}" and (depth > 0 or behind == ",")) - (text == "{" and depth > 0)
            inside = depth > 0 or (text == "{" and self.tokens[index - 2].text == "=")
            if not inside and (text in (";", "{", "}") or (text == "(" and behind != "*")):
                break
            index -= 1
        return index

    def packing(self, index: int) -> int | None:
        """The alignment that members have at most of the structure whose tag or opening brace is a token; 0 where they
        lie as their types want it, None where that is not known."""
        if index in self.packed or self.closing(index) in self.packed:
            return 1
        return next((most for at, most in reversed(self.packs) if at <= index), 0)

    def closing(self, index: int) -> int:
        """The position behind the braces that the declaration at a token has, if it has any; else the token's own."""
        end = index
        while end < len(self.tokens) and self.tokens[end].text not in ("{", ";", ")"):
            end += 1
        braces = end < len(self.tokens) and self.tokens[end].text == "{"
        return _closing(self.tokens, end) if braces else index


def standard_c(raw: Sequence[Token]) -> StandardC:
    """Take the GNU extensions out and cut the file into external declarations."""
    result = StandardC()
    depth = 0
    braces = 0
    at = 0
    first: Token | None = None
    begin = 0
    pure = const = False
    linkage = 0
    packs: list[int | None] = [0]
    while at < len(raw):
        token = raw[at]
        if braces == 0 and _is_linkage(raw, at):
            # extern "C" { ... }, of which C++ is to know how C calls what is inside.
            opens = at + 2 < len(raw) and raw[at + 2].text == "{"
            linkage, first, at = linkage + opens, None if opens else token, at + 2 + opens
            continue
        if token.text == "}" and braces == 0 and linkage and begin == len(result.tokens):
            linkage, at = linkage - 1, at + 1
            continue
        first = first or token
        if token.kind == "pragma" and token.text.startswith("pack"):
            result.packs.append((len(result.tokens), _pack(token.text, packs)))
        end, kept, attributes = _step(raw, at, result.tokens)
        valued = token.text == "{" and bool(result.tokens) and result.tokens[-1].text == "("
        result.extended = result.extended or valued or token.text in TYPEOF
        result.complex = result.complex or token.text in _COMPLEX
        if braces == 0:
            pure, const = pure or bool(attributes & _PURE), const or bool(attributes & _CONST)
        if attributes & _OPAQUE:
            result.opaque.add(len(result.tokens))
        if attributes & _PACKED:  # behind the brace of a structure, or in front of its name; of a single member else
            of_all = bool(result.tokens) and result.tokens[-1].text in ("}", "struct", "union")
            (result.packed if of_all else result.opaque).add(len(result.tokens))
        result.tokens.extend(kept)
        at = end
        for t in kept:
            if t.kind != "op":
                continue
            depth += (t.text in ("(", "[", "{")) - (t.text in (")", "]", "}"))
            braces += (t.text == "{") - (t.text == "}")
        last = kept[-1].text if kept and kept[-1].kind == "op" and len(kept) == 1 else ""
        closes_linkage = linkage > 0 and braces <= 0 and at < len(raw) and raw[at].text == "}"
        closes_function = last == "}" and (closes_linkage or _ends_item(raw, at))
        # A brace at depth 0 with more behind it is a struct's or an initialiser's; the item runs to its semicolon.
        if braces <= 0 and ((last == ";" and depth <= 0) or closes_function):
            result.items.append(TopLevel(begin, len(result.tokens), first, pure, const))
            begin, first, depth, braces = len(result.tokens), None, 0, 0
            pure = const = False
    if begin < len(result.tokens) and first is not None:
        result.items.append(TopLevel(begin, len(result.tokens), first, pure, const))
    _name_types(result)
    return result


def _pack(text: str, packs: list[int | None]) -> int | None:
    """The alignment that members have at most behind ``#pragma pack``, 0 for any; None where that is not known.

    Args:
        packs: what is in force, behind those that are kept for ``pop``.
    """
    match re.findall(r"\w+", text)[1:]:
        case []:
            packs[-1] = 0
        case [most] if most.isdigit():
            packs[-1] = int(most)
        case ["push"]:
            packs.append(packs[-1])
        case ["push", most] if most.isdigit():
            packs.append(int(most))
        case ["pop"] if len(packs) > 1:
            packs.pop()
        case _:
            packs[-1] = None
    return packs[-1]


_MOST_PARAMETERS = 60
"""That are declared behind a function's name, one by one."""


def _name_types(source: StandardC) -> None:
    """Write int in front of the names of functions that are defined without a type, which C of the seventies allows."""
    places = [at for number in range(len(source.items)) if (at := _untyped(source, number)) is not None]
    for at in reversed(places):
        name = source.tokens[at]
        source.tokens.insert(at, Token("id", "int", name.file, name.offset, name.space))
    if places:
        for item in source.items:
            item.begin += bisect_left(places, item.begin)
            item.end += bisect_left(places, item.end)
        source.opaque = {index + bisect_right(places, index) for index in source.opaque}
        source.packed = {index + bisect_right(places, index) for index in source.packed}
        source.packs = [(index + bisect_right(places, index), most) for index, most in source.packs]


def _untyped(source: StandardC, number: int) -> int | None:
    """Where the name stands of a function without a type whose definition begins with an item: ``main() { ... }``,
    ``sum(n, x) int n; double *x; { ... }``. What has anything else in its parentheses may be a macro's use."""
    tokens, item = source.tokens, source.items[number]
    at = item.begin
    while tokens[at].text in _STORAGE and at + 1 < item.end:
        at += 1
    if at + 2 >= item.end or tokens[at].kind != "id" or tokens[at].text in KEYWORDS or tokens[at + 1].text != "(":
        return None
    end = _closing(tokens, at + 1)
    names = [token.text for token in tokens[at + 2 : end - 1] if token.text != ","]
    if not names or end >= item.end:
        return at if end < item.end and tokens[end].text == "{" else None
    behind = source.items[number : number + _MOST_PARAMETERS]
    body = next((other for other in behind if tokens[other.end - 1].text != ";"), item)
    if body is item or tokens[body.begin].text != "{":
        return None
    declared = {token.text for token in tokens[end : body.begin]}
    return at if set(names) <= declared and len(set(names)) == len(names) else None


def _is_linkage(raw: Sequence[Token], at: int) -> bool:
    return raw[at].text == "extern" and at + 1 < len(raw) and raw[at + 1].text in ('"C"', '"C++"')


def _ends_item(raw: Sequence[Token], at: int) -> bool:
    """A closing brace ends a function unless a declarator or an initialiser's tail follows, if behind attributes."""
    if at >= len(raw):
        return True
    following = raw[at]
    if following.kind == "op":
        return following.text not in (";", ",", "*", "=", "(", "[", ")", "}")
    if following.kind == "id" and following.text in _ATTRIBUTE:  # a structure's, or the next function's
        return at + 1 < len(raw) and _ends_item(raw, _closing(raw, at + 1))
    # "} name;" and "} name, ..." declare an object of a struct type; "} double f(" starts the next item.
    return not (at + 1 < len(raw) and following.kind == "id" and raw[at + 1].text in (";", ",", "=", "["))


def _step(raw: Sequence[Token], at: int, before: Sequence[Token]) -> tuple[int, list[Token], frozenset[str]]:
    """Consume one token or one extension: (next position, tokens to keep, attribute names that were seen)."""
    token = raw[at]
    nothing: frozenset[str] = frozenset()
    if token.kind == "pragma":
        keep = token.text.split()[0] in ("scop", "endscop")
        return at + 1, [token] if keep else [], nothing
    if token.kind == "op" and token.text == "[" and at + 1 < len(raw) and raw[at + 1].text == "[":
        end = _closing(raw, at)
        return end, [], frozenset(t.text for t in raw[at:end] if t.kind == "id")
    if token.kind != "id":
        return at + 1, [token], nothing
    if token.text in _ATTRIBUTE and at + 1 < len(raw) and raw[at + 1].text == "(":
        end = _closing(raw, at + 1)
        return end, [], frozenset(t.text for t in raw[at:end] if t.kind == "id")
    if token.text in _ASSEMBLY_WORDS:
        end = at + 1
        while end < len(raw) and raw[end].kind == "id":
            end += 1
        if end < len(raw) and raw[end].text == "(":
            end = _closing(raw, end)
            statement = not before or before[-1].text in (";", "{", "}", ")", "else", ":")
            statement = statement and end < len(raw) and not _is_at_file_level(before)
            names = [ASSEMBLY, "(", ")"] if statement else []
            kept = [Token("id" if n == ASSEMBLY else "op", n, token.file, token.offset) for n in names]
            return end, kept, nothing
        return at + 1, [token], nothing
    if token.text in TYPEOF and at + 1 < len(raw) and raw[at + 1].text == "(":
        end = _closing(raw, at + 1)
        return end, _as_union(token, raw[at + 2 : end - 1], before), nothing
    if token.text == "__auto_type" and [t.text for t in raw[at + 2 : at + 3]] == ["="]:
        end = at + 3
        while end < len(raw) and raw[end].text not in (",", ";"):
            end = _closing(raw, end)
        return at + 1, _as_union(token, raw[at + 3 : end], before), nothing
    if token.text in PARTS and not (
        before and before[-1].text == "."
    ):  # a cast, which stands where such an operator does, of what is assigned to, too
        texts = ("*", "(", "union", "{", "int", PARTS[token.text], ";", "}", "*", ")", "&")
        return at + 1, [_written(token, text) for text in texts], nothing
    if token.text in _DROPPED:
        return at + 1, [], nothing
    if token.text in _RESPELLED:
        return at + 1, [Token("id", _RESPELLED[token.text], token.file, token.offset, token.space)], nothing
    return at + 1, [token], nothing


def _written(word: Token, text: str) -> Token:
    """A token at the place of another."""
    return Token("id" if text[-1].isalpha() or text[-1] == "_" else "op", text, word.file, word.offset, True)


def _as_union(word: Token, inside: Sequence[Token], before: Sequence[Token]) -> list[Token]:
    """``union { int member[sizeof(inside)]; }``."""

    def tokens(*texts: str) -> list[Token]:
        return [_written(word, text) for text in texts]

    inner, at = list[Token](), 0
    while at < len(inside):
        at, kept, _ = _step(inside, at, before)
        inner += kept
    return [*tokens("union", "{", "int", TYPEOF_MEMBER, "[", "sizeof", "("), *inner, *tokens(")", "]", ";", "}")]


def _is_at_file_level(before: Sequence[Token]) -> bool:
    """Do the tokens end outside of all functions (``asm("...");``, ``int f(int) asm("name");``)?"""
    depth = 0
    for token in reversed(before):
        if token.kind == "op":
            depth += (token.text == "}") - (token.text == "{")
            if depth < 0:
                return False
    return True


def _closing(raw: Sequence[Token], at: int) -> int:
    """The position behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(raw):
        if raw[at].kind == "op":
            depth += (raw[at].text in ("(", "[", "{")) - (raw[at].text in (")", "]", "}"))
        at += 1
        if depth == 0:
            break
    return at


# --- Syntax trees -----------------------------------------------------------------------------------------------------


EXTENDED_TYPES = frozenset(("_Float16", "__bf16", "__fp16", "_Float128", "__float128"))
_POSITION = re.compile(r"^[^\n]*?:(\d+)(?::(\d+))?: (.*)$", re.DOTALL)
_NO_EXPRESSION = ": Invalid expression"
_MAX_ERRORS = 50
_STATEMENTS = frozenset(("for", "while", "do", "if", "switch"))


@dataclass(frozen=True)
class ParsedItem:
    """An external declaration with its syntax nodes (several where one declaration names several things)."""

    item: TopLevel
    nodes: tuple[c_ast.Node, ...]


@dataclass(frozen=True)
class ParsedFile:
    """items that could be parsed, in order; diagnostics for those that could not; the numbers of their tokens.

    Attributes:
        supposed: what has to hold, as C, of types whose headers are not there and whose names say what they are.
    """

    source: StandardC
    items: tuple[ParsedItem, ...]
    diagnostics: tuple[Diagnostic, ...]
    left_out: frozenset[int] = frozenset()
    supposed: tuple[str, ...] = ()

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


class _Lexer(c_lexer.CLexer):  # type: ignore[misc]
    """One that says how far it has come.

    Attributes:
        reached: the last token's number.
    """

    reached = 0

    def token(self) -> object:
        token = super().token()
        if token is not None:
            self.reached = int(token.lineno) - 1
        return token


def parse(source: StandardC) -> ParsedFile:
    """Parse all external declarations, leaving out (and reporting) those with syntax errors.

    A name that stands where only a type may stand is taken for one, of which nothing is known: its header may be one
    that is not looked into. Those that C and POSIX reserve (`size_t`) mean what they always do.
    """
    file = _File(source, opaque=_extended_types(source), lists=dict(_lists_of_numbers(source.tokens)))
    diagnostics: list[Diagnostic] = []
    while True:
        parser = c_parser.CParser(lexer=_Lexer)
        try:
            file.take(parser.parse(file.text(), ""))
            break
        except (c_parser.ParseError, AssertionError, RecursionError) as error:
            index, message = _explain(error, file, parser.clex.reached)
            item = file.item_at(index)
            if item is None:
                return ParsedFile(source, (), tuple(diagnostics), frozenset(range(len(source.tokens))))
            file.go_on(item)
            outside, unknown = _statement_outside(source, item), unknown_type(source, item, file.opaque)
            if outside is None and unknown is not None:
                # All of this item's: every one else takes another time through it.
                while unknown is not None:
                    token = source.tokens[unknown[0]]
                    taken = _type_of_name(token.text) or "a type"
                    if _is_no_type(source, item, unknown[0]):
                        file.leave_out(token.text)
                        taken = "nothing"
                    file.opaque[token.text] = source.items[item].begin
                    message = f"{unknown[1]} It is taken for {taken}"
                    diagnostics.append(token.file.diagnostic("remark", "unknown-type", token.offset, message))
                    unknown = unknown_type(source, item, file.opaque)
                continue
            index, message = outside or unknown or (index, message)
            token = source.tokens[min(index, source.items[item].end - 1)]
            diagnostics.append(token.file.diagnostic("error", "syntax", token.offset, message))
            file.left_out.add(item)
            if len(file.left_out) >= _MAX_ERRORS:
                return ParsedFile(source, (), tuple(diagnostics), frozenset(range(len(source.tokens))))
    unclear = {name for name in file.empty if not _HINTS.search(name)}
    source.opaque.update(each.begin for each in source.items if source.tokens[each.begin].text in unclear)
    skipped = frozenset(k for n in file.left_out for k in range(source.items[n].begin, source.items[n].end))
    supposed = _supposed(file.opaque.keys() - file.empty) if file.opaque else ()
    return ParsedFile(source, _assign(file.nodes, source), tuple(diagnostics), skipped, supposed)


def placed(known: ParsedFile, source: StandardC) -> ParsedFile:
    """The same trees for a file that has the same tokens at other places, where macros' uses are written out; made anew
    where they have been changed."""
    if known.source.extended:
        return parse(source)
    source.opaque = known.source.opaque
    items = {item.begin: item for item in source.items}
    return replace(
        known, source=source, items=tuple(ParsedItem(items[each.item.begin], each.nodes) for each in known.items)
    )


@dataclass
class _File:
    """A file that is parsed piece by piece: what stands before a mistake is not parsed again with what is mended.

    Attributes:
        left_out: numbers of items with mistakes in them.
        opaque: types of which nothing is known, each with where the first item begins that names it.
        empty: names that are taken for macros; nothing stands for them.
        nodes: of the items before the number `first`.
        types: the names that typedefs among them declare.
        lists: long lists of numbers: the first one's token, behind its sign, and the token behind the last one. The
            parser sees only the first: it would take most of its time for the others of large tables.
    """

    source: StandardC
    opaque: dict[str, int]
    lists: dict[int, int]
    left_out: set[int] = field(default_factory=set)
    empty: frozenset[str] = frozenset()
    first: int = 0
    nodes: list[c_ast.Node] = field(default_factory=list)
    types: dict[str, None] = field(default_factory=dict)

    @cached_property
    def lines(self) -> list[str]:
        """What stands for each token."""
        tokens = self.source.tokens
        lines = [f"#pragma {t.text}" if t.kind == "pragma" else t.text.replace("\\\n", "") for t in tokens]
        for first, end in self.lists.items():
            lines[first + 1 : end] = [""] * (end - first - 1)
        return lines

    def text(self, end: int | None = None) -> str:
        """One token a line, from the first item on that is not parsed yet, up to the item `end`; before the first use
        of types that are not known stand declarations of them."""
        items, tokens = self.source.items[self.first : end], self.source.tokens
        if not items:
            return ""
        begin = self.source.items[self.first - 1].end if self.first else 0
        last = items[-1].end if end is not None else len(tokens)
        lines = self.lines[begin:last]
        if self.empty:
            lines = [
                "" if token.text in self.empty else line for token, line in zip(tokens[begin:], lines, strict=False)
            ]
        for number in self.left_out:
            item = self.source.items[number]
            if begin <= item.begin and item.end <= last:
                lines[item.begin - begin : item.end - begin] = [""] * (item.end - item.begin)
        for name, index in self.opaque.items():
            if name not in self.empty and begin <= index < last:
                declared = _type_of_name(name) or f"struct {name}"
                lines[index - begin] = f"typedef {declared} {name}; {lines[index - begin]}"
        known = f"typedef int {', '.join(self.types)};" if self.types else ""
        return known + "\n" * begin + "\n".join(lines) + "\n"

    def take(self, tree: c_ast.FileAST) -> None:
        """The nodes of a text."""
        nodes = tree.ext[len(self.types) :]
        lists = [each for node in nodes for each in _take_as_written(node)]
        for each in lists if self.lists else ():
            self._complete(each)
        self.nodes += nodes
        self.types |= {node.name: None for node in nodes if isinstance(node, c_ast.Typedef)}

    def _complete(self, node: c_ast.InitList) -> None:
        """Put the numbers into a list that the parser has not seen."""
        plain = len(node.exprs) == 1 and node.coord is not None  # one that begins with a designator has no place
        first = int(node.coord.line) - 1 if plain else -1
        if first not in self.lists or isinstance(node.exprs[0], c_ast.InitList):
            return
        tokens, at = self.source.tokens, first + 1
        while at < self.lists[first]:
            begin = at + 1  # behind the comma
            at, kind = _element(tokens, begin)
            place = type(node.coord)(node.coord.file, at, 1)
            value = c_ast.Constant(kind, tokens[at - 1].text, place)
            node.exprs.append(value if at - begin == 1 else c_ast.UnaryOp(tokens[begin].text, value, place))

    def go_on(self, item: int) -> None:
        """All that stands before an item has been parsed, if that ends there."""
        if item <= self.first:
            return
        with suppress(c_parser.ParseError, AssertionError, RecursionError):
            self.take(c_parser.CParser().parse(self.text(item), ""))
            self.first = item

    def leave_out(self, name: str) -> None:
        """Take a name for a macro, wherever it stands."""
        self.empty |= {name}
        if any(token.text == name for token in self.source.tokens[: self.source.items[self.first].begin]):
            self.first, self.nodes, self.types = 0, [], {}

    def item_at(self, index: int) -> int | None:
        """The item that holds a token, or the nearest one before it that is still there."""
        after = bisect_right(self.source.items, index, key=lambda item: item.begin)
        return next((n for n in range(after - 1, -1, -1) if n not in self.left_out), None)


def _extended_types(source: StandardC) -> dict[str, int]:
    """The types of compilers that the parser has no word for, each with where the first item begins that names it."""
    first: dict[str, int] = {}
    for item in source.items:
        for token in source.tokens[item.begin : item.end]:
            if token.text in EXTENDED_TYPES:
                first.setdefault(token.text, item.begin)
    return first


def _type_of_name(name: str) -> str | None:
    """What a name means in every program, or says of itself (`ParsedFile.supposed`)."""
    from polyloop.frontend.stub_headers import KNOWN_TYPES, named_type  # of files whose headers are not there

    return KNOWN_TYPES.get(name) or named_type(name)


def _supposed(names: Iterable[str]) -> tuple[str, ...]:
    from polyloop.frontend.stub_headers import KNOWN_TYPES, tests_of_type  # as above

    return tuple(test for name in sorted(names) if name not in KNOWN_TYPES for test in tests_of_type(name))


def _explain(error: Exception, file: _File, reached: int) -> tuple[int, str]:
    """Token number and wording of a parser's complaint.

    Args:
        reached: the last token that it has looked at.
    """
    source = file.source
    match = _POSITION.match(str(error))
    if match is None:
        if str(error).endswith(_NO_EXPRESSION) and reached < len(source.tokens):
            what = source.tokens[reached].text
            return reached, f"syntax error: {what!r} begins no expression; is a macro's definition missing (-I, -D)?"
        # The parser gives no place, as for a file that ends too early.
        item = source.items[_first_wrong(file, reached)]
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


def _first_wrong(file: _File, reached: int) -> int:
    """The number of the first item that cannot be parsed behind those before it: mostly the one that the parser has
    come to, or the one before."""
    low, high = file.first, len(file.source.items) - 1
    likely = file.item_at(reached) or 0
    tries = [middle for middle in (likely - 1, likely, likely - 2) if middle >= 0]
    while low < high:
        middle = next((middle for middle in tries if low <= middle < high), (low + high) // 2)
        try:
            c_parser.CParser().parse(file.text(middle + 1), "")
            low = middle + 1
        except (c_parser.ParseError, AssertionError, RecursionError):
            high = middle
    return low


def _take_as_written(tree: c_ast.Node) -> list[c_ast.InitList]:
    """Put what macros make of ``*&x`` and ``(&s)->m`` as what it is, ``x`` and ``s.m``: nothing gets the address.

    Returns:
        The lists of values in the tree.
    """
    waiting, lists = [tree], list[c_ast.InitList]()
    while waiting:
        node = waiting.pop()
        if node.__class__ is c_ast.InitList:
            lists.append(node)
        for slot in node.__slots__:
            value = getattr(node, slot, None)
            if isinstance(value, list):
                value[:] = [_of_itself(each) if isinstance(each, c_ast.Node) else each for each in value]
                waiting += [each for each in value if isinstance(each, c_ast.Node)]
            elif isinstance(value, c_ast.Node):
                setattr(node, slot, inner := _of_itself(value))
                waiting.append(inner)
    return lists


_LONG = 64
"""Tokens of a list of numbers that the parser does not see."""
_NUMBER = re.compile(
    r"(?P<int>0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)(?P<unsigned>[uU]?)"
    r"|((\d+\.\d*|\.\d+)([eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?P<float>[fF]?)"
)


def _lists_of_numbers(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Long lists in braces that have nothing but numbers in them, as `_File` has them."""
    for index, token in enumerate(tokens):
        if token.text != "{" or index + _LONG >= len(tokens):
            continue
        first = at = index + 1
        while (behind := _element(tokens, at)[0]) and tokens[behind].text == "," and tokens[behind + 1].text != "}":
            at = behind + 1
        if behind - first >= _LONG and tokens[behind].text in (",", "}"):
            yield _element(tokens, first)[0] - 1, behind


def _element(tokens: Sequence[Token], at: int) -> tuple[int, str]:
    """The number of the token behind a number with or without a sign, and the number's type; 0 if it is none."""
    at += tokens[at].text in ("-", "+")
    found = _NUMBER.fullmatch(tokens[at].text) if tokens[at].kind == "number" else None
    if found is None or at + 2 >= len(tokens):
        return 0, ""
    if found["int"]:
        return at + 1, "unsigned int" if found["unsigned"] else "int"
    return at + 1, "float" if found["float"] else "double"


def _of_itself(node: c_ast.Node) -> c_ast.Node:
    """What is meant by an address that is followed at once."""
    match node:
        case c_ast.UnaryOp(op="*", expr=c_ast.UnaryOp(op="&", expr=inner)):
            return _of_itself(inner)
        case c_ast.UnaryOp(
            op="*",
            expr=c_ast.Cast(
                to_type=c_ast.Typename(
                    type=c_ast.PtrDecl(
                        type=c_ast.TypeDecl(type=c_ast.Union(decls=[c_ast.Decl(name="__real__" | "__imag__" as part)]))
                    )
                ),
                expr=c_ast.UnaryOp(op="&", expr=inner),
            ),
        ):
            return c_ast.StructRef(_of_itself(inner), ".", c_ast.ID(part, node.coord), node.coord)
        case c_ast.StructRef(name=c_ast.UnaryOp(op="&", expr=inner), type="->"):
            return c_ast.StructRef(_of_itself(inner), ".", node.field, node.coord)
    return node


def _assign(ext: Sequence[c_ast.Node], source: StandardC) -> tuple[ParsedItem, ...]:
    """Sort external declarations into the items that they were written in."""
    nodes: dict[int, list[c_ast.Node]] = {}
    number = 0
    for node in ext:
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


# --- Which name it is that a declaration cannot be read for -----------------------------------------------------------


_QUALIFIERS = "const volatile restrict static extern inline register typedef unsigned signed"
_BEFORE_A_TYPE = frozenset(["(", ",", ";", "{", "}", *_QUALIFIERS.split()])


def unknown_type(source: StandardC, number: int, taken: Iterable[str] = ()) -> tuple[int, str] | None:
    """The first token of an item that stands where only a type may stand and names none, and what is to say of it.

    Two words in a row begin a declaration, and so does a name with a star behind it at the beginning of an item, of a
    parameter or a member, and where a statement would multiply for nothing; what stands in brackets before an operand,
    or with a star at the end, is a cast's. Whatever stands in an earlier typedef counts as a type, so that what is
    named here surely is none. What stands beside a string is a macro for another one.

    Args:
        taken: names that are types as well.
    """
    typedefs = (item for item in source.items[:number] if source.tokens[item.begin].text == "typedef")
    known = KEYWORDS.union(taken, *({t.text for t in source.tokens[item.begin : item.end]} for item in typedefs))
    item, depth = source.items[number], 0
    for index in range(item.begin, item.end - 1):
        token, following = source.tokens[index], source.tokens[index + 1]
        depth += (token.text == "{") - (token.text == "}")
        if token.kind != "id" or token.text in known:
            continue
        is_first = index == item.begin or source.tokens[index - 1].text in _BEFORE_A_TYPE
        is_type = following.kind == "id" or (following.text == "*" and (depth == 0 or _declares(source, item, index)))
        qualifies = following.kind == "id" and index > item.begin and source.tokens[index - 1].text == "*"
        declares = (is_first and is_type) or (qualifies and _HINTS.search(token.text))
        if declares or _is_cast(source, item, index) or _is_of_a_string(source, index):
            return index, f"{token.text} is no known type or macro; is an #include (-I), a -D or a typedef missing?"
    return None


def _is_of_a_string(source: StandardC, index: int) -> bool:
    """Whether a name stands in a row with strings: ``"version " VERSION "\\n"``."""
    token, beside = source.tokens[index], source.tokens[max(index - 1, 0) : index + 2 : 2]
    return token.kind == "id" and token.text not in KEYWORDS and any(each.kind == "string" for each in beside)


def _declares(source: StandardC, item: TopLevel, index: int) -> bool:
    """Whether ``T * name`` inside of braces is a declaration."""
    if source.tokens[index - 1].text not in (";", "{", "}"):
        return False
    words = (t for t in source.tokens[index + 1 : item.end] if t.text not in ("*", "const", "restrict", "volatile"))
    name, behind = next(words, None), next(words, None)
    return name is not None and name.kind == "id" and behind is not None and behind.text in ("=", ";", ",", "[")


def _is_cast(source: StandardC, item: TopLevel, index: int) -> bool:
    """Whether the name is the type of ``(T *)x``, ``(T *)0`` or ``(T)x``, where nothing stands that is called."""
    tokens = source.tokens
    if index < item.begin + 2 or tokens[index - 1].text != "(":
        return False
    before, end = tokens[index - 2], index + 1
    while end < item.end and tokens[end].text == "*":
        end += 1
    if end + 1 >= item.end or tokens[end].text != ")":
        return False
    is_call = before.text in (")", "]") or (before.kind == "id" and before.text not in ("return", "case"))
    return not is_call and (end > index + 1 or tokens[end + 1].kind in ("id", "number"))


_TYPE_WORDS = frozenset(
    (
        *("void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "struct", "union", "enum"),
        *("_Bool", "static", "extern", "inline"),
    )
)


_HINTS = re.compile("(inline|restrict)_*$", re.IGNORECASE)
"""What names end with that can only be macros for words without which a program does the same: ``FORCE_INLINE``,
``MY_RESTRICT``."""


def _is_no_type(source: StandardC, number: int, index: int) -> bool:
    """Whether a name that is not known can only be a macro for something else."""
    return bool(
        _HINTS.search(source.tokens[index].text)
        or _is_of_a_string(source, index)
        or _is_before_a_type(source, number, index)
    )


def _is_before_a_type(source: StandardC, number: int, index: int) -> bool:
    """Does a name begin a declaration at the top level that has its type behind it, ``EXPORT int f(...)``? Only a macro
    can stand there, and it may say something of the type, which is none that is known, therefore."""
    item = source.items[number]
    behind = (t.text for t in source.tokens[index + 1 : item.end] if t.text not in ("const", "volatile"))
    following = next(behind, "")
    return index == item.begin and (following in _TYPE_WORDS or following in _typedef_names(source, number))


def _typedef_names(source: StandardC, number: int) -> Iterator[str]:
    """The names that typedefs before an item end with."""
    for item in source.items[:number]:
        words = [token.text for token in source.tokens[item.begin : item.end]]
        if words[0] == "typedef" and len(words) > 2:
            yield words[-2]
