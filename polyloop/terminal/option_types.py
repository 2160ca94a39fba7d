"""Types of options' values: text as a number, or an error that argparse prints with the option's name."""

from __future__ import annotations

import argparse
from math import isfinite


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
    """A time, more than none."""
    return _time(text, "seconds")


def minutes(text: str) -> float:
    """A time, more than none."""
    return _time(text, "minutes")


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def _time(text: str, unit: str) -> float:
    value = _number(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time in {unit}")
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
