"""Types of options' values: text as a number, or an error that argparse prints with the option's name."""

from __future__ import annotations

import argparse
import re
from math import inf, isfinite

_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not (_digits(text) and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def natural(text: str) -> int:
    """A whole number from 0 on."""
    if not _digits(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def seconds(text: str) -> float:
    """A time, more than none: seconds of 10, 10s, 500ms, 2min, 2m or 1h."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*(ms|s|min|m|h|)\s*", text, re.ASCII | re.IGNORECASE)
    value = _number(match[1]) * _UNITS[match[2].lower()] if match else 0.0
    if not 0 < value < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, as in 10s, 500ms or 2min")
    return value


def minutes(text: str) -> float:
    """Minutes, more than none; with a unit as for `seconds`."""
    try:
        return seconds(text if re.search("[a-z]\\s*$", text, re.IGNORECASE) else f"{text}min") / 60
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, as in 10, 90s or 1h") from None


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _number(text: str) -> float:
    """NaN for what is none."""
    try:
        value = float(text)
    except ValueError:
        return float("nan")
    return value if isfinite(value) else float("nan")
