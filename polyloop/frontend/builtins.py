"""gcc's and clang's built-in functions that count and move bits, as functions of C that calls of them are replaced by.

All of them go back to the number of bits that are 1, which vectors have an operation for. What they give for zero is as
undefined here as it is there: any number.
"""

from __future__ import annotations

from polyloop.frontend.source import SourceFile, Token, tokenize

_COUNT = """
static inline int __builtin_parity{suffix}(unsigned {type} x)
{{
    return __builtin_popcount{suffix}(x) & 1;
}}
static inline int __builtin_ctz{suffix}(unsigned {type} x)
{{
    return __builtin_popcount{suffix}(~x & x - 1);
}}
static inline int __builtin_ffs{suffix}({type} x)
{{
    return __builtin_popcount{suffix}((unsigned {type})x ^ (unsigned {type})x - 1) & -(x != 0);
}}
static inline int __builtin_clz{suffix}(unsigned {type} x)
{{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> {bits} / 2;
    return __builtin_popcount{suffix}(~x);
}}
"""

_LONGEST = """
static inline int __builtin_popcountll(unsigned long long x)
{
    return __builtin_popcountl(x);
}
"""

_SWAP = """
static inline unsigned short __builtin_bswap16(unsigned short x)
{
    return x << 8 | x >> 8;
}
static inline unsigned int __builtin_bswap32(unsigned int x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}
static inline unsigned long __builtin_bswap64(unsigned long x)
{
    x = x << 32 | x >> 32;
    x = (x & 0x0000ffff0000ffffUL) << 16 | (x >> 16 & 0x0000ffff0000ffffUL);
    return (x & 0x00ff00ff00ff00ffUL) << 8 | (x >> 8 & 0x00ff00ff00ff00ffUL);
}
"""

_TEXT = (
    _LONGEST
    + _SWAP
    + "".join(
        _COUNT.format(suffix=suffix, type=type_, bits=bits)
        for suffix, type_, bits in (("", "int", 32), ("l", "long", 64), ("ll", "long long", 64))
    )
)


def definitions(tokens: list[Token]) -> list[Token]:
    """Of these functions, if any of them is named by the tokens of a file."""
    known = [token for token in tokenize(SourceFile("<built-in>", _TEXT, stub=True)) if token.kind != "newline"]
    names = {token.text for token in known if token.text.startswith("__builtin_")}
    return known if any(token.text in names for token in tokens) else []
