"""Nests that are written down at once instead of step by step: any order of loops with tiles of any size, and the one
that stands for the default schedule."""

from __future__ import annotations

from collections.abc import Sequence

from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Loop, Nest
from polyloop.shaping.default_trace import choices


def nest_of(problem: Contraction, loops: Sequence[tuple[str, int | None]]) -> Nest:
    """A nest of plain loops.

    Args:
        loops: (variable, iterations), outermost first. The outermost loop of a variable has None: it takes what the
            ones inside leave.
    """
    inside: dict[str, int] = {}
    compute: list[Loop] = []
    for variable, size in reversed(loops):
        elements = inside.get(variable, 1)
        if size is None:
            compute.append(Loop(variable, *divmod(problem.sizes[variable], elements)))
        else:
            compute.append(Loop(variable, size))
            inside[variable] = elements * size
    ordered = tuple(reversed(compute))
    return Nest(ordered, tuple(loop for loop in ordered if loop.variable not in problem.reduced))


def default_nest(problem: Contraction, target: Target) -> Nest | None:
    """The loops of the default schedule (`polyloop.backend.default.schedule`), as far as a nest has them: copies of
    operands are left out, and which loops are straight-line code is decided as for any other nest.

    None where the default schedule keeps the loops as they stand.
    """
    choice = next(c for group, c in choices(problem.scop, target, problem.reassociate) if group.main is problem.main)
    reduced = [name for name, _ in problem.extents if name in problem.reduced]
    if choice.column is None or (choice.plain and choice.column not in problem.reduced):
        return None
    if choice.column in problem.reduced:
        last = [name for name in reduced if name != choice.column]
        points = [] if choice.plain else list(choice.tiled)
        order: list[tuple[str, int | None]] = [(n, None) for n in (*choice.batch, *choice.outer, *last)]
        return _sized(problem, [*order, (choice.column, None)], points)
    blocks = dict(choice.blocks)
    order = [(name, None) for name in (*choice.batch, *blocks, *choice.outer)]
    order += [(name, blocks.get(name)) for name in reduced]
    return _sized(problem, order, [*choice.tiled, (choice.column, choice.width)])


def _sized(
    problem: Contraction, loops: list[tuple[str, int | None]], points: Sequence[tuple[str, int | None]]
) -> Nest | None:
    """The nest with the points inside; a tile as large as its loop is the loop."""
    small = [(name, size) for name, size in points if size is not None and size < problem.sizes[name]]
    whole = [name for name, size in points if size is None or size >= problem.sizes[name]]
    kept = [loop for loop in loops if loop[0] not in whole]
    named = {name for name, _ in kept}
    if len({*named, *whole}) < len(problem.extents):
        return None
    inner: list[tuple[str, int | None]] = [
        (name, size) if (name, size) in small else (name, None) for name, size in points
    ]
    return nest_of(problem, [*kept, *inner])
