"""``polyloop show --passes``: what every pass of planning makes of a loop nest, and how long it takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from difflib import unified_diff

from rich.text import Text

from polyloop.backend.config import use_color
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.loop_nest_text import nest_text
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.ir.vector_program_text import program_text
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.model import Scop
from polyloop.terminal.output import ResultConsole, indented

_STYLES = {"-": "red", "+": "green", "@": "cyan"}
_AROUND = 2


def print_passes(scop: Scop, tree: ScheduleTree, reassociate: bool, target: str | None) -> None:
    """Print the loop nest of a tree, then for every pass the lines that it changes.

    Where the nest becomes a program, that is all of them.

    Args:
        target: the instruction set that is planned for; None: this machine's.
    Raises:
        LoweringError: if isl cannot generate the loop nest of the tree.
    """
    console = ResultConsole(file=sys.stdout, highlight=False, soft_wrap=True, no_color=not use_color())
    chosen = host_target() if target is None else shown_target(target)
    for line in pass_lines(lower(scop, tree), reassociate, chosen):
        console.print(Text(line, _STYLES.get(line[2:3], "") if line.startswith("  ") else "bold"))


def pass_lines(nest: LoopNest, reassociate: bool, target: Target) -> Iterator[str]:
    """The lines; those of the texts and of the differences stand two spaces in, with -, + and @@ as in a patch."""
    seen: list[tuple[str, LoopNest | VectorProgram, float]] = []
    plan(nest, target, reassociate=reassociate, observe=lambda *what: seen.append(what))
    yield f"{nest.name}: loop nest, planned for {target.vector_bits}-bit vectors in {target.vector_registers} registers"
    before: LoopNest | VectorProgram = nest
    yield from indented(_text(nest))
    for name, after, seconds in seen:
        spent = f"({1e3 * seconds:.2f} ms)"
        if type(after) is not type(before):
            yield f"{name} {spent}: vector program"
            yield from indented(_text(after))
        elif after == before:
            yield f"{name} {spent}: no change"
        else:
            changed = list(_difference(_text(before), _text(after)))
            removed, added = (sum(line.startswith(sign) for line in changed) for sign in "-+")
            yield f"{name} {spent}: -{removed} +{added} lines"
            yield from (f"  {line}" for line in changed)
        before = after
    yield f"planned in {1e3 * sum(seconds for _, _, seconds in seen):.2f} ms"


def _text(code: LoopNest | VectorProgram) -> str:
    return nest_text(code) if isinstance(code, LoopNest) else program_text(code)


def _difference(before: str, after: str) -> Iterator[str]:
    """As in a patch, without the lines that name the files."""
    lines = unified_diff(before.splitlines(), after.splitlines(), n=_AROUND, lineterm="")
    return (line for number, line in enumerate(lines) if number >= 2)
