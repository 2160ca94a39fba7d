"""The values and types of C's literals."""

from __future__ import annotations

import re
from fractions import Fraction
from math import inf

import numpy as np

from polyloop.backend.ir.expressions import F32, F64, I32, I64, U32, U64, ScalarType

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)([uUlL]*)$")
_LONGEST = 2000
"""Characters of a literal: the longest number that a double holds exactly has half as many."""
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "0": 0, "\\": 92, "'": 39, '"': 34, "?": 63}


def integer_literal(text: str) -> tuple[int, ScalarType] | None:
    """Value and type (C17 6.4.4.1, 32-bit int, 64-bit long); None where `text` is no integer literal."""
    match = _INTEGER.match(text.replace("'", ""))
    if match is None or len(text) > _LONGEST:
        return None
    digits, suffix = match.group(1).lower(), match.group(2).lower()
    decimal = not digits.startswith("0") or digits == "0"
    if digits.startswith("0b"):
        value = int(digits[2:], 2)
    elif digits.startswith("0x"):
        value = int(digits, 16)
    elif decimal:
        value = int(digits)
    elif set(digits) <= set("01234567"):
        value = int(digits, 8)
    else:
        return None
    unsigned = "u" in suffix
    candidates = [U32, U64] if unsigned else [I32, I64] if decimal else [I32, U32, I64, U64]
    if "l" in suffix:
        candidates = [t for t in candidates if t.bits == 64]
    for type_ in candidates:
        if value < 1 << (type_.bits - (type_.kind == "int")):
            return value, type_
    return value, U64


def float_literal(text: str) -> tuple[float, ScalarType] | None:
    """Value and type; None for what is no float literal or is of a type that we do not have (long double)."""
    if len(text) > _LONGEST:
        return None
    body, suffix = text, ""
    hexadecimal = text.lower().startswith("0x")
    if text[-1] in "fFlL" and not (hexadecimal and "p" not in text.lower()):
        body, suffix = text[:-1], text[-1].lower()
    if suffix == "l":
        return None
    try:
        value = float.fromhex(body) if hexadecimal else float(body)
        if suffix != "f":
            return value, F64
        # The exact number of what a double cannot hold may have as many digits as its exponent says.
        return (_nearest_float32(_exact(body, hexadecimal), value) if 0 < value < inf else value), F32
    except (ValueError, OverflowError):
        return None


def round_to_float32(value: float) -> float:
    """The nearest float32, as a Python float; infinities where it overflows."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _exact(body: str, hexadecimal: bool) -> Fraction:
    if not hexadecimal:
        return Fraction(body)
    mantissa, _, exponent = body.lower()[2:].partition("p")
    whole, _, fraction = mantissa.partition(".")
    scale = int(exponent or 0) - 4 * len(fraction)
    digits = int(whole + fraction or "0", 16)
    return Fraction(digits << scale) if scale >= 0 else Fraction(digits, 1 << -scale)


def _nearest_float32(exact: Fraction, approximate: float) -> float:
    """Rounded once, from the exact value: by way of double, a value near a tie could round twice."""
    nearest = round_to_float32(approximate)
    if not np.isfinite(nearest):
        return nearest
    with np.errstate(over="ignore", under="ignore"):
        candidates = [float(np.nextafter(np.float32(nearest), np.float32(s))) for s in (-np.inf, np.inf)]
    best = nearest
    for candidate in candidates:
        if np.isfinite(candidate) and abs(Fraction(candidate) - exact) < abs(Fraction(best) - exact):
            best = candidate
    return best


def character_value(text: str) -> int:
    """The value of a character constant such as 'a' or '\\x1f' (its type is int)."""
    body = text[text.index("'") + 1 : -1]
    if not body.startswith("\\"):
        return ord(body[0]) if ord(body[0]) < 128 else 0
    rest = body[1:]
    if rest[0] == "x":
        value = int(rest[1:], 16)
    elif rest[0].isdigit():
        value = int(rest, 8)
    else:
        value = _ESCAPES.get(rest[0], 0)
    return value - 256 if 127 < value < 256 else value
