"""``polyloop explain``: what may be done to a scop's loops, and why the rest may not.

Without transforms every candidate on the original loops is listed with its verdict. With transforms, they are applied
one after the other until one is refused; the refusal names the dependence and a pair of instances as an example.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

from polyloop.cli.errors import UsageError
from polyloop.cli.sources import print_diagnostics, read_input
from polyloop.dependence import dependences
from polyloop.lowering import lower
from polyloop.schedule_tree import original_tree
from polyloop.scop import Scop
from polyloop.transforms import TRANSFORMS, Refusal, Trace, TransformSyntaxError, parse_trace


def run(arguments: Namespace) -> int:
    """Explain every scop of the input.

    Returns:
        0, whether or not a transform was refused: why it was is what was asked for.
    Raises:
        UsageError: for a text that is no transform.
        PolyloopError: if nothing could be read.
    """
    trace = _trace([*arguments.transform, *arguments.transforms])
    source = read_input(arguments)
    print_diagnostics(source, arguments.function)
    for scop in source.file.scops:
        lines = _applied(scop, trace, arguments.reassociate) if trace else _listed(scop, arguments.reassociate)
        for line in lines:
            print(line, flush=sys.stdout.isatty())
    return 0


def _trace(texts: list[str]) -> Trace:
    try:
        return parse_trace("\n".join(texts))
    except TransformSyntaxError as error:
        raise UsageError(f"{error}; polyloop explain without transforms lists all that a file has") from error


# --- a trace ----------------------------------------------------------------------------------------------------------


def _applied(scop: Scop, trace: Trace, reassociate: bool) -> Iterator[str]:
    found, tree = dependences(scop), original_tree(scop)
    yield f"{scop.name}: {len(found)} dependences"
    for transform in trace:
        refusal = transform.check(tree, found, scop.name, reassociate)
        if refusal is not None:
            yield f"  {transform}: refused"
            yield from _reasons(refusal)
            yield "  the schedule up to here"
            yield from _indented(str(tree))
            return
        said = transform.action(tree)
        tree = transform.perform(tree, found, scop.name, reassociate)
        yield f"  {transform}: legal: {said}"
    yield "  schedule tree"
    yield from _indented(str(tree))
    yield "  loop nest"
    yield from _indented(str(lower(scop, tree)))


def _reasons(refusal: Refusal) -> Iterator[str]:
    """The refusal with its example, and all the pairs that the dependence orders."""
    yield f"    {refusal}"
    if refusal.dependence is not None:
        yield f"    the dependence: {refusal.dependence}"


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" for line in text.splitlines())


# --- the candidates ---------------------------------------------------------------------------------------------------


def _listed(scop: Scop, reassociate: bool) -> Iterator[str]:
    found, tree = dependences(scop), original_tree(scop)
    yield f"{scop.name}: {len(found)} dependences; schedule tree"
    yield from _indented(str(tree))
    for name, kind in TRANSFORMS.items():
        options = list(kind.candidates(tree))
        if not options:
            continue
        verdicts = [option.check(tree, found, scop.name, reassociate) for option in options]
        legal = sum(verdict is None for verdict in verdicts)
        yield f"  {name}: {legal} of {len(options)} legal"
        for option, verdict in zip(options, verdicts, strict=True):
            said = f"legal: {option.action(tree)}" if verdict is None else f"refused: {verdict.reason}"
            yield f"    {option}: {said}"
