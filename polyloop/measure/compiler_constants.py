"""What the user's compiler knows of sizes, where it compiles the loops in their file: it is asked.

A file's own constants say that a function runs with 64 columns. Whether its compiler knows that in the loops, and
writes them out for it, depends on what it replaces calls by, and on which structures it sees through. So the file is
compiled once, with a question in front of every region, of which the assembly has the operand: a number, or a place.

    asm volatile("# polyloop_known 7 %0" : : "ri"(s->columns));
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from polyloop.scop.model import Scop, SourceRegion
from polyloop.support.compilers import Compiler

_KNOWN = "polyloop_known"


def with_compiler_constants(scops: Sequence[Scop], compiler: Compiler, folder: Path, seconds: float) -> list[Scop]:
    """The scops, with those values among `SourceRegion.constants` that a compiler knows in the file; as they are where
    it does not answer.

    Args:
        scops: of one file, which stands in `folder`.
        seconds: that it may take.
    """
    asked: list[tuple[int, str, int]] = []
    texts: dict[int, list[str]] = {}  # by place of the scop
    for place, scop in enumerate(scops):
        for name, value in scop.source.usual if scop.source is not None else ():
            if scop.source is not None and name in scop.parameters and name not in dict(scop.source.constants):
                asked.append((place, name, value))
                texts.setdefault(place, []).append(_question(len(asked) - 1, scop.source.value(name)))
    regions = [(source, texts[place]) for place in texts if (source := scops[place].source) is not None]
    said = _answers(regions, compiler, folder, seconds) if regions else frozenset()
    found: dict[int, dict[str, frozenset[int]]] = {}
    for number, known in said:
        place, name, value = asked[number]
        if known != value:
            continue
        found.setdefault(place, {})[name] = frozenset([value])
    return [_with(scop, found[place]) if place in found else scop for place, scop in enumerate(scops)]


def _question(number: int, text: str) -> str:
    return f'__asm__ __volatile__("# {_KNOWN} {number} %0" : : "ri"({text}));'


def _answers(
    regions: Sequence[tuple[SourceRegion, Sequence[str]]], compiler: Compiler, folder: Path, seconds: float
) -> frozenset[tuple[int, int]]:
    """The numbers of questions, and of what they ask for, where that is known."""
    text = regions[0][0].text
    for source, questions in sorted(regions, key=lambda each: -each[0].begin):
        text = f"{text[: source.begin]}{{ {' '.join(questions)}\n{source.loops}\n}}{text[source.end :]}"
    command = [*compiler.whole, "-w", "-fno-lto", "-S", "-o", "-", "-iquote", str(folder), "-x", "c", "-"]
    try:
        run = subprocess.run(
            command, input=text, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
    except (subprocess.TimeoutExpired, OSError):
        return frozenset()
    # In memory it would be 64(%rsp).
    known = re.findall(rf"\b{_KNOWN} (\d+) [$#]?(-?\d+)(?![\w(])", run.stdout)
    return frozenset((int(number), int(value)) for number, value in known)


def _with(scop: Scop, constants: dict[str, frozenset[int]]) -> Scop:
    assert scop.source is not None
    known = (*scop.source.constants, *constants.items())
    return replace(scop, source=replace(scop.source, constants=known, seen_through=True))
