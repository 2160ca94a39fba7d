"""``polyloop explain``: what may be done to a scop's loops, and why the rest may not.

Without transforms every candidate on the original loops is listed with its verdict. With transforms, they are applied
one after the other until one is refused; the refusal names the dependence and a pair of instances as an example.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

from polyloop.errors import counted
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import dependences
from polyloop.scop.model import Scop
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import indented
from polyloop.terminal.sources import print_diagnostics, read_input
from polyloop.transforms import TRANSFORMS, Expand, Refusal, Transform, TransformSyntaxError, expansions
from polyloop.transforms.scop_transform import ScopRefusal, ScopTransform
from polyloop.transforms.steps import SCOP_TRANSFORMS, Steps, parse_steps


def run(arguments: Namespace) -> int:
    """Explain every scop of the input.

    Returns:
        0, whether or not a transform was refused: why it was is what was asked for.
    Raises:
        UsageError: for a text that is no transform.
        PolyloopError: if nothing could be read.
    """
    trace = steps_of([*arguments.transform, *arguments.transforms])
    source = read_input(arguments, opaque_calls=True)
    print_diagnostics(source, arguments.function)
    for scop in source.file.scops:
        lines = _applied(scop, trace, arguments.reassociate) if trace else _listed(scop, arguments.reassociate)
        for line in lines:
            print(line, flush=sys.stdout.isatty())
    return 0


def steps_of(texts: list[str]) -> Steps:
    """The transforms that were given.

    Raises:
        UsageError: for a text that is none.
    """
    try:
        return tuple(step for text in texts for step in parse_steps(text))
    except TransformSyntaxError as error:
        raise UsageError(f"{error}; polyloop explain without transforms lists all that a file has") from error


# --- a trace ----------------------------------------------------------------------------------------------------------


def _applied(scop: Scop, trace: Steps, reassociate: bool) -> Iterator[str]:
    found, tree = dependences(scop), original_tree(scop)
    yield f"{scop.name}: {counted(len(found), 'dependence')}"
    for position, step in enumerate(trace):
        changes_scop = isinstance(step, ScopTransform)
        if changes_scop and any(isinstance(earlier, Transform) for earlier in trace[:position]):
            raise UsageError(f"{step} makes a new scop; put it before the transforms of its loops")
        refusal = (
            step.check(scop) if isinstance(step, ScopTransform) else step.check(tree, found, scop.name, reassociate)
        )
        if refusal is not None:
            yield f"  {step}: refused"
            yield from _reasons(refusal)
            yield "  the schedule up to here"
            yield from indented(str(tree))
            return
        if isinstance(step, ScopTransform):
            scop = step.apply(scop)
            found, tree = dependences(scop), original_tree(scop)
            yield f"  {step}: legal: {step.action}; {counted(len(found), 'dependence')} left"
        else:
            yield f"  {step}: legal: {step.action(tree)}"
            tree = step.perform(tree, found, scop.name, reassociate)
    yield "  schedule tree"
    yield from indented(str(tree))
    yield "  loop nest"
    yield from indented(str(lower(scop, tree)))


def _reasons(refusal: Refusal | ScopRefusal) -> Iterator[str]:
    """The refusal with its example, and all the pairs that the dependence orders."""
    yield f"    {refusal}"
    if isinstance(refusal, Refusal) and refusal.dependence is not None:
        yield f"    the dependence: {refusal.dependence}"


# --- the candidates ---------------------------------------------------------------------------------------------------


def _listed(scop: Scop, reassociate: bool) -> Iterator[str]:
    found, tree = dependences(scop), original_tree(scop)
    yield f"{scop.name}: {counted(len(found), 'dependence')}; schedule tree"
    yield from indented(str(tree))
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
    yield from _changes(scop)


def _changes(scop: Scop) -> Iterator[str]:
    """What may be done to the Scop itself. There are many expansions, so only those that are of use are named."""
    if widening := list(expansions(scop)):
        yield "  expand: legal and takes dependences away"
        yield from (f"    {option}: legal: {option.action}" for option in widening)
    for name, kind in SCOP_TRANSFORMS.items():
        options = [] if kind is Expand else list(kind.candidates(scop))
        if not options:
            continue
        refusals = [option.check(scop) for option in options]
        yield f"  {name}: {sum(refusal is None for refusal in refusals)} of {len(options)} legal"
        for option, refusal in zip(options, refusals, strict=True):
            said = f"legal: {option.action}" if refusal is None else f"refused: {refusal.reason}"
            yield f"    {option}: {said}"
