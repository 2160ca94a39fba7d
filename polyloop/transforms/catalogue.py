"""All transforms of trees by name; traces of them as text; replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from inspect import isabstract
from typing import TypeAlias

from polyloop.backend.plugins import Table
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.dependence import Dependence
from polyloop.transforms.base import Transform
from polyloop.transforms.codec import CodedStep, read_call, read_lines
from polyloop.transforms.kinds import Parallelize, Vectorize
from polyloop.transforms.order import Reverse, Skew, Swap
from polyloop.transforms.packing import Pack, Prefetch
from polyloop.transforms.structure import Distribute, Fuse, JoinBands, SplitBand
from polyloop.transforms.tiling import Merge, RegisterTile, Split, Tile, Unroll

Trace: TypeAlias = "tuple[Transform, ...]"
"""What was done to a tree, first to last: action, log line, cache key and replay in one."""

_TRANSFORMS: dict[str, type[Transform]] = {
    cls.name(): cls
    for cls in (
        Tile,
        Split,
        Merge,
        Swap,
        Skew,
        Reverse,
        Fuse,
        Distribute,
        JoinBands,
        SplitBand,
        Vectorize,
        Unroll,
        RegisterTile,
        Parallelize,
        Pack,
        Prefetch,
    )
}


def class_problem(base: type[CodedStep], name: str, value: object) -> str | None:
    """What keeps a value from being the transform of this name; None if nothing does."""
    if not (isinstance(value, type) and issubclass(value, base)) or isabstract(value):
        return f"it is no {base.__module__}.{base.__name__} with all its methods"
    if value.name() != name:
        return f"its name in texts is {value.name()}; the entry point has to be called so"
    return None


TRANSFORMS: Table[type[Transform]] = Table("polyloop.transforms", _TRANSFORMS, partial(class_problem, Transform))
"""By name: ours, then those of installed packages."""


def candidates(tree: ScheduleTree) -> Iterator[Transform]:
    """Every transform that the tree's form admits, in the order of the catalogue."""
    for cls in TRANSFORMS.values():
        yield from cls.candidates(tree)


def replay(tree: ScheduleTree, trace: Iterable[Transform]) -> ScheduleTree:
    """Apply one after the other; legality is not looked at.

    Raises:
        IllegalTransformError: where the form of a tree rules a transform out.
    """
    for transform in trace:
        tree = transform.apply(tree)
    return tree


def perform(
    tree: ScheduleTree,
    trace: Iterable[Transform],
    dependences: Iterable[Dependence],
    scop: str = "",
    reassociate: bool = False,
) -> ScheduleTree:
    """Check and apply one after the other; flags of the bands are up to date at the end.

    Raises:
        IllegalTransformError: at the first that is refused.
    """
    given = tuple(dependences)
    for transform in trace:
        tree = transform.perform(tree, given, scop, reassociate)
    return tree


def parse(text: str) -> Transform:
    """The transform that prints as `text`.

    Raises:
        TransformSyntaxError: for anything else.
    """
    return read_call(text, TRANSFORMS)


def parse_trace(text: str) -> Trace:
    """One transform a line; empty lines and lines that start with # are left out."""
    return read_lines(text, TRANSFORMS)


def trace_text(trace: Iterable[CodedStep]) -> str:
    """One transform a line, in the order in which they are applied."""
    return "".join(f"{transform}\n" for transform in trace)
