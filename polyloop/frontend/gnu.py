"""From preprocessed tokens to standard C: GNU extensions are taken out, and what they say is kept beside.

The result is laid out with one token a line, so that a syntax node's line number is its token's number and every
node leads back to its exact place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyloop.frontend.source import Token

# The name that stands in the tree for an inline assembly statement; no program has it.
ASSEMBLY = "__polyloop_assembly"

_RESPELLED = {
    "__inline": "inline",
    "__inline__": "inline",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__signed": "signed",
    "__signed__": "signed",
    "__alignof__": "_Alignof",
    "__func__": "__func__",
}
_DROPPED = frozenset(("__extension__", "__noinline__", "__forceinline"))
_ATTRIBUTE = frozenset(("__attribute__", "__attribute", "__declspec"))
_ASSEMBLY_WORDS = frozenset(("asm", "__asm__", "__asm"))
_PURE = frozenset(("pure", "__pure__", "const", "__const__"))
# Attributes that change a type's meaning: what they stand on has no type that we know.
_OPAQUE = frozenset(
    ("vector_size", "__vector_size__", "ext_vector_type", "mode", "__mode__", "address_space", "scalar_storage_order")
)


@dataclass
class TopLevel:
    """One external declaration: [begin, end) in the standard tokens, and its first token as written."""

    begin: int
    end: int
    first: Token
    pure: bool = False


@dataclass
class StandardC:
    """tokens: what the parser sees; items: the external declarations; opaque: indices at which an attribute stood
    that makes the declared type unknown.
    """

    tokens: list[Token] = field(default_factory=list)
    items: list[TopLevel] = field(default_factory=list)
    opaque: set[int] = field(default_factory=set)


def standard_c(raw: Sequence[Token]) -> StandardC:
    """Take the GNU extensions out and cut the file into external declarations."""
    result = StandardC()
    depth = 0
    braces = 0
    at = 0
    first: Token | None = None
    begin = 0
    pure = False
    while at < len(raw):
        token = raw[at]
        first = first or token
        end, kept, attributes = _step(raw, at, result.tokens)
        if attributes & _PURE and braces == 0:
            pure = True
        if attributes & _OPAQUE:
            result.opaque.add(len(result.tokens))
        result.tokens.extend(kept)
        at = end
        for t in kept:
            if t.kind != "op":
                continue
            depth += (t.text in ("(", "[", "{")) - (t.text in (")", "]", "}"))
            braces += (t.text == "{") - (t.text == "}")
        last = kept[-1].text if kept and kept[-1].kind == "op" else ""
        closes_function = last == "}" and _ends_item(raw, at)
        # A brace at depth 0 with more behind it is a struct's or an initialiser's; the item runs to its semicolon.
        if braces <= 0 and ((last == ";" and depth <= 0) or closes_function):
            result.items.append(TopLevel(begin, len(result.tokens), first, pure))
            begin, first, pure, depth, braces = len(result.tokens), None, False, 0, 0
    if begin < len(result.tokens) and first is not None:
        result.items.append(TopLevel(begin, len(result.tokens), first, pure))
    return result


def _ends_item(raw: Sequence[Token], at: int) -> bool:
    """A closing brace ends a function unless a declarator, an initialiser's tail or an attribute follows."""
    if at >= len(raw):
        return True
    following = raw[at]
    if following.kind == "op":
        return following.text not in (";", ",", "*", "=", "(", "[", ")", "}")
    if following.kind == "id" and following.text in _ATTRIBUTE:
        return False
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
            statement = statement and end < len(raw) and not (before and before[-1].text == ")" and _declares(before))
            names = [ASSEMBLY, "(", ")"] if statement else []
            kept = [Token("id" if n == ASSEMBLY else "op", n, token.file, token.offset) for n in names]
            return end, kept, nothing
        return at + 1, [token], nothing
    if token.text in _DROPPED:
        return at + 1, [], nothing
    if token.text in _RESPELLED:
        return at + 1, [Token("id", _RESPELLED[token.text], token.file, token.offset, token.space)], nothing
    return at + 1, [token], nothing


def _declares(before: Sequence[Token]) -> bool:
    """Do the tokens end in a function's parameter list at file level (``int f(int) asm("name");``)?"""
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
