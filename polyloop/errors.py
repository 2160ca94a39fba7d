"""The base of every error that polyloop raises on purpose."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text in which every character that would not be seen, or that a terminal takes for a command, stands in
    hexadecimal; ends of lines and tabs stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 1 << 8 else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


class PolyloopError(Exception):
    """Something that the user can act on.

    The message is written for people: what failed, where, why, and what to do about it. The command line
    prints it without a traceback; any other exception that gets that far is a bug in polyloop.
    """


def counted(number: int, noun: str) -> str:
    """A number of things in words: 1 loop, 2 loops."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
