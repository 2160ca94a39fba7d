"""``polyloop show``: a file's scops as text, and one of them as a picture."""

from __future__ import annotations

import sys
from argparse import Namespace

from polyloop.cli.errors import UsageError
from polyloop.cli.output import destination
from polyloop.cli.sources import Input, locate, print_diagnostics, read_input
from polyloop.dependence import value_dependences
from polyloop.drawing import draw
from polyloop.visualize import describe


def run(arguments: Namespace) -> int:
    """Print every scop, or with ``--svg -`` nothing but the picture.

    Raises:
        UsageError: for a picture of several scops.
        PolyloopError: if nothing could be read.
    """
    picture = None
    if arguments.svg is not None:
        picture = destination("--svg", arguments.svg, locate(arguments.input)[0])
    source = read_input(arguments)
    print_diagnostics(source, arguments.function)
    if picture is None or picture.path is not None:
        print("\n\n".join(_texts(source, arguments.dependences)))
    if picture is not None:
        picture.write(_picture(source).encode())
        if picture.path is not None:
            print(f"wrote {picture.path}", file=sys.stderr)
    return 0


def _texts(source: Input, family: str) -> list[str]:
    return [
        describe(scop, found=value_dependences(scop) if family == "value" else None) for scop in source.file.scops
    ]


def _picture(source: Input) -> str:
    scops = source.file.scops
    if len(scops) != 1:
        functions = ", ".join(dict.fromkeys(s.source.function for s in scops if s.source is not None))
        raise UsageError(
            f"--svg draws one scop and {source.name} has {len(scops)}"
            + (f"; choose with --function from {functions}" if functions else "")
        )
    return draw(scops[0])
