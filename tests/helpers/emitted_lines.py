"""How many lines a region becomes in an emitted file: lines with something in them, as people count."""

from __future__ import annotations

from typing import NamedTuple

from polyloop.lowering.to_c_file import Replacement, emit_c_file


class Lines(NamedTuple):
    """Lines of a region as it was, of what stands in its place, and of what is put in front of its function."""

    region: int
    in_place: int
    in_front: int


def emitted_lines(replacement: Replacement, header: str = "") -> Lines:
    """Of a file with one region between pragmas.

    Args:
        header: the file that has the helpers; "": they stand in front of the function, too.
    """
    source = replacement.scop.source
    assert source is not None
    text = emit_c_file(source.text, [replacement], header=header)
    begin, end = text.index("\n#pragma scop\n"), text.index("\n#pragma endscop\n")
    region = _filled(source.text[source.begin : source.end])
    in_place = _filled(text[begin:end]) - 1
    return Lines(region, in_place, _filled(text) - _filled(source.text) - (in_place - region))


def _filled(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())
