"""Nests that are written down at once instead of step by step: any order of loops with tiles of any size, and the one
that stands for the default schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from polyloop.backend.default.task import Choice
from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Loop, Nest, inner_elements
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.shaping.default_trace import choices, default_trace
from polyloop.transforms import replay

Layout: TypeAlias = "tuple[tuple[str, int | None], ...]"
"""(variable, iterations) of loops, outermost first. The outermost loop of a variable has None: it takes what the ones
inside leave."""


def nest_of(problem: Contraction, loops: Sequence[tuple[str, int | None]]) -> Nest:
    """A nest of plain loops.

    Args:
        loops: (variable, iterations), outermost first. The outermost loop of a variable has None: it takes what the
            ones inside leave.
    """
    points = tuple(Loop(variable, size or 1) for variable, size in loops)
    ordered = tuple(
        Loop(variable, *divmod(problem.sizes[variable], elements)) if size is None else point
        for (variable, size), point, elements in zip(loops, points, inner_elements(points), strict=True)
    )
    return Nest(ordered, tuple(loop for loop in ordered if loop.variable not in problem.reduced))


def default_nest(problem: Contraction, target: Target) -> Nest | None:
    """The loops of the default schedule (`polyloop.backend.default.schedule`), as far as a nest has them: copies of
    operands are left out, and which loops are straight-line code is decided as for any other nest.

    None where the default schedule keeps the loops as they stand.
    """
    choice = next(c for group, c in choices(problem.scop, target, problem.reassociate) if group.main is problem.main)
    if choice.column is None or (choice.plain and choice.column not in problem.reduced):
        return None
    layout = layout_of(problem, choice)
    return nest_of(problem, layout) if layout is not None else None


def default_tree(problem: Contraction | TreeProblem, target: Target, threads: int = 1) -> ScheduleTree | None:
    """The default schedule whole; None where it keeps the loops as they stand."""
    trace = default_trace(problem.scop, target, threads=threads, reassociate=problem.reassociate)
    return replay(original_tree(problem.scop), trace) if trace else None


def layout_of(problem: Contraction, choice: Choice) -> Layout | None:
    """The loops of a schedule with a column; a tile as large as its loop is the loop. None where the schedule does not
    say where a loop stands."""
    blocks, column = dict(choice.blocks), choice.column or ""
    around = (*choice.batch, *blocks, *choice.outer)
    last = [name for name, _ in problem.extents if name in problem.reduced and name != column]
    points: list[tuple[str, int | None]] = [*choice.tiled]
    loops = [(name, None) for name in around] + [(name, blocks.get(name)) for name in last if blocks.get(name) != 1]
    if column not in around:
        loops += [(column, None)]
    else:
        points += [(column, choice.width)]
    inner = [(name, size if size is not None and size < problem.sizes[name] else None) for name, size in points]
    whole = [name for name, size in inner if size is None]
    layout = (*((name, size) for name, size in loops if name not in whole), *inner)
    return layout if {name for name, _ in layout} == problem.sizes.keys() else None
