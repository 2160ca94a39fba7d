"""``polyloop show``: a file's scops as text, as pictures and as graphs.

``polyloop show --passes``: what every pass of planning makes of a loop nest, and how long it takes.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import unified_diff
from typing import TypeAlias

from rich.console import Console
from rich.text import Text

from polyloop.backend.config import use_color
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.loop_nest_text import nest_text
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.ir.vector_program_text import program_text
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from polyloop.cli.explain import steps_of
from polyloop.graphs.trees import graph_json
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.data import default_sizes
from polyloop.scop.dependence import value_dependences
from polyloop.scop.model import Scop
from polyloop.show.svg import draw
from polyloop.show.text import describe
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Destination, destination, indented, told_apart
from polyloop.terminal.sources import Input, locate, print_diagnostics, read_input
from polyloop.transforms.steps import perform_steps

Shown: TypeAlias = "list[tuple[Scop, ScheduleTree]]"


def run(arguments: Namespace) -> int:
    """Print every scop, or with ``--svg -`` or ``--graph -`` nothing but the picture or the graph.

    Raises:
        UsageError: for pictures or graphs of several scops, or for both, on standard output.
        PolyloopError: if nothing could be read, or a transform is refused.
    """
    path = locate(arguments.input)[0]
    picture, graph = (
        None if given is None else destination(option, given, path)
        for option, given in (("--svg", arguments.svg), ("--graph", arguments.graph))
    )
    places = [place for place in (picture, graph) if place is not None]
    if len(places) == 2 and places[0].path == places[1].path:
        raise UsageError(f"--svg and --graph both write to {places[0].path or 'standard output'}")
    if arguments.passes and len(places) > sum(place.path is not None for place in places):
        raise UsageError("--passes writes to standard output; give --svg and --graph a file")
    if arguments.target is not None and not arguments.passes:
        raise UsageError("--target: it is what --passes plans for; give that, too")
    steps = steps_of(arguments.transform)
    # Calls of functions of which nothing is known can be looked at, but not planned.
    source = read_input(arguments, opaque_calls=not arguments.passes)
    print_diagnostics(source, arguments.function)
    shown = [perform_steps(scop, steps, arguments.reassociate) for scop in source.file.scops]
    if arguments.passes:
        for scop, tree in shown:
            print_passes(scop, tree, arguments.reassociate, arguments.target)
    elif all(place.path is not None for place in places):
        print("\n\n".join(_texts(shown, arguments.dependences)))
    written = []
    if picture is not None:
        written += _write(source, shown, picture, "--svg", draw)
    if graph is not None:
        written += _write(
            source, shown, graph, "--graph", lambda scop, tree: graph_json(scop, tree, default_sizes(scop).values)
        )
    for place in written:
        if place.path is not None:
            print(f"wrote {place.path}", file=sys.stderr)
    return 0


def _write(
    source: Input, shown: Shown, place: Destination, option: str, text: Callable[[Scop, ScheduleTree], str]
) -> list[Destination]:
    """A file for each scop: under the name that was given if there is one, else with the scops' names in it.

    Raises:
        UsageError: for several scops on standard output, or none.
    """
    scops = [scop for scop, _ in shown]
    if len(scops) == 1:
        places = [place]
    elif place.path is None or not scops:
        functions = ", ".join(dict.fromkeys(s.source.function for s in scops if s.source is not None))
        raise UsageError(
            f"{option} - shows one scop and {source.name} has {len(scops)}"
            + (f"; give {option} FILE, or choose with --function from {functions}" if functions else "")
        )
    else:
        path = place.path
        names = told_apart(scop.name for scop in scops)
        places = [replace(place, path=path.with_name(f"{path.stem}.{name}{path.suffix}")) for name in names]
    for (scop, tree), each in zip(shown, places, strict=True):
        each.write(text(scop, tree).encode())
    return places


def _texts(shown: Shown, family: str) -> list[str]:
    return [describe(scop, tree, value_dependences(scop) if family == "value" else None) for scop, tree in shown]


# --- Passes -----------------------------------------------------------------------------------------------------------

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
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True, no_color=not use_color())
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
