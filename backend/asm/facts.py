"""What the assembly of a kernel shows: vector registers in use, and values that did not find one."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VECTOR_REGISTER = re.compile(r"%[xyz]mm(\d+)|\b[vqdsz](\d+)\b")
_BLOCK = re.compile(r'^(?:\.L(BB\d+_\d+)|(?:#|//) %bb\.\d+|["\w][^:]*):')
_LOOP = re.compile(r"(?:#|//)\s*(?:=>\s*)?(?:This (Inner )?Loop Header: Depth=|in Loop: Header=(BB\d+_\d+) Depth=)")
_STACK = re.compile(r"(?:#|//) (\d+)-byte (?:Folded )?(?:Spill|Reload)")
_PAIR = re.compile(r"^\s+(?:ldp|stp)\s+[xw]\d")  # two addresses or counters with one instruction
_NARROW = 8  # bytes: what an address or a counter has


@dataclass(frozen=True)
class AssemblyFacts:
    """
    Attributes:
        registers: how many different vector registers the code uses.
        spills: stores and loads of register contents on the stack, inside of loops: of vectors in any loop, of
            addresses and counters in innermost loops.
    """

    registers: int
    spills: int


def assembly_facts(text: str) -> AssemblyFacts:
    """Read LLVM's assembly with its comments, which say what is a spill and what is a loop."""
    registers = {first or second for first, second in _VECTOR_REGISTER.findall(_code_only(text))}
    inner: set[str] = set()
    block, in_loop, innermost, spills = "", False, False, 0
    for line in text.splitlines():
        if found := _BLOCK.match(line):
            block, in_loop, innermost = found[1] or "", False, False
        if loop := _LOOP.search(line):
            in_loop = True
            if loop[1]:
                inner.add(block)
            innermost = bool(loop[1]) or loop[2] in inner
        if (moved := _STACK.search(line)) and in_loop:
            wide = int(moved[1]) > _NARROW and not _PAIR.match(line)
            spills += innermost or wide
    return AssemblyFacts(len(registers), spills)


def _code_only(text: str) -> str:
    """Instructions without comments and directives."""
    lines = (re.split(r"\s(?:#|//)|^#", line, maxsplit=1)[0] for line in text.splitlines())
    return "\n".join(line for line in lines if not line.lstrip().startswith("."))
