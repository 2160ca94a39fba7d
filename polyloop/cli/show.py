"""``polyloop show``: a file's scops as text, as pictures and as graphs."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from polyloop.cli.explain import steps_of
from polyloop.cli.passes import print_passes
from polyloop.graphs.trees import graph_json
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.dependence import value_dependences
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from polyloop.show.svg import draw
from polyloop.show.text import describe
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Destination, destination, told_apart
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
