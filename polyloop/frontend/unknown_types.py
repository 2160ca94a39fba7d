"""Which name it is that a declaration cannot be read for: mostly a type whose header was not included."""

from __future__ import annotations

from polyloop.backend.c.text import KEYWORDS
from polyloop.frontend.gnu import StandardC

_QUALIFIERS = "const volatile restrict static extern inline register unsigned signed"
_BEFORE_A_TYPE = frozenset(["(", ",", ";", "{", "}", *_QUALIFIERS.split()])


def unknown_type(source: StandardC, number: int) -> tuple[int, str] | None:
    """The first token of an item that stands where only a type may stand and names none, and what is to say of it.

    Two words in a row begin a declaration, and so does a name with a star behind it at the beginning of an item or of a
    parameter. Whatever stands in an earlier typedef counts as a type, so that what is named here surely is none.
    """
    typedefs = (item for item in source.items[:number] if source.tokens[item.begin].text == "typedef")
    known = KEYWORDS.union(*({t.text for t in source.tokens[item.begin : item.end]} for item in typedefs))
    item, depth = source.items[number], 0
    for index in range(item.begin, item.end - 1):
        token, following = source.tokens[index], source.tokens[index + 1]
        depth += (token.text == "{") - (token.text == "}")
        if token.kind != "id" or token.text in known:
            continue
        is_first = index == item.begin or source.tokens[index - 1].text in _BEFORE_A_TYPE
        if is_first and (following.kind == "id" or (following.text == "*" and depth == 0)):
            return index, f"{token.text} is no known type or macro; is an #include (-I), a -D or a typedef missing?"
    return None
