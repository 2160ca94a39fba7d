"""All transforms by name; traces of them as text and JSON; replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import TypeAlias

from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.dependence import Dependence
from polyloop.transforms.base import Transform, TransformSyntaxError, is_integers, parse_call
from polyloop.transforms.kinds import Parallelize, Vectorize
from polyloop.transforms.merge import Merge
from polyloop.transforms.order import Reverse, Skew, Swap
from polyloop.transforms.packing import Pack, Prefetch
from polyloop.transforms.structure import Distribute, Fuse, JoinBands, SplitBand
from polyloop.transforms.tiling import RegisterTile, Split, Tile, Unroll

Trace: TypeAlias = "tuple[Transform, ...]"
"""What was done to a tree, first to last: action, log line, cache key and replay in one."""

TRANSFORMS: dict[str, type[Transform]] = {
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
    return _build(*parse_call(text))


def parse_trace(text: str) -> Trace:
    """One transform a line; empty lines and lines that start with # are left out."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(parse(line) for line in lines if line and not line.startswith("#"))


def trace_text(trace: Trace) -> str:
    """One transform a line, in the order in which they are applied."""
    return "".join(f"{transform}\n" for transform in trace)


def to_json(transform: Transform) -> dict[str, object]:
    """Like ``{"transform": "tile", "path": [0], "sizes": [32, 32]}``."""
    return {"transform": transform.name()} | {
        name: list(value) if isinstance(value, tuple) else value for name, value in vars(transform).items()
    }


def from_json(value: dict[str, object]) -> Transform:
    """What `to_json` made.

    Raises:
        TransformSyntaxError: for anything else.
    """
    arguments = {k: tuple(v) if isinstance(v, list) else v for k, v in value.items() if k != "transform"}
    return _build(str(value.get("transform")), arguments)


def _build(name: str, arguments: dict[str, object]) -> Transform:
    """Every field of a transform is an integer, a tuple of integers, or a text (a name or an access)."""
    if name not in TRANSFORMS:
        raise TransformSyntaxError(f"there is no transform {name!r}; there are {', '.join(TRANSFORMS)}")
    cls = TRANSFORMS[name]
    expected = {field.name: str(field.type) for field in fields(cls)}
    for key, value in arguments.items():
        match expected.get(key):
            case "str":
                fits, wanted = isinstance(value, str), "a text"
            case "Path" | "tuple[int, ...]":
                fits, wanted = is_integers(value), "a tuple of integers"
            case _:
                fits, wanted = is_integers((value,)), "an integer"
        if not fits:
            raise TransformSyntaxError(f"{name}: {key} is {value!r}, which is not {wanted}")
    try:
        return cls(**arguments)  # type: ignore[arg-type]  # checked above
    except TypeError as error:
        known = ", ".join(field.name for field in fields(cls))
        raise TransformSyntaxError(f"{name} takes {known}; given: {', '.join(arguments) or 'nothing'}") from error
