"""Random legal schedules of a program, and their text.

A rectangular nest is written as its loops, ``k 96, m 16 + 3, n 64 vector | m 16 + 3``, those of the compute nest and
those of the write-back nest; a schedule tree as the trace of transforms that make it of the original loops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from polyloop.backend.default.tiles import tiles
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.target import Target
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor, CursorState, Problem, Program
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import layout_of, nest_of
from polyloop.cursor.nest import KINDS, Loop, Loops, Nest, inner_elements
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem, singled
from polyloop.cursor.tree_process import TreeCursor
from polyloop.errors import PolyloopError
from polyloop.transforms import parse_trace, trace_text

STEPS = 16
"""Of the longest walk."""
NEAR_STEPS = 4
"""Of the longest walk that starts from a layout."""
_CHANGE = 4.0
"""How much likelier a walk changes a loop than it moves the cursor."""
_IDLE = 40
"""Walks in a row that come to nothing new, after which there is nothing more."""

_LOOP = re.compile(r"(\w+) (\d+)(?: \+ (\d+))?(?: (\w+))?")


class ScheduleTextError(PolyloopError):
    """A text that is no schedule of a program."""


def random_schedules(problem: Problem, rng: np.random.Generator, count: int, target: Target) -> dict[str, Program]:
    """As many schedules that all differ, by their text; fewer where there are no more. The first is the original."""
    if isinstance(problem, Contraction):
        walk = _nest_walks(NestCursor(problem, Actions()), _layouts(problem, target))
    else:
        walk = _tree_walks(TreeCursor(problem, Actions(flags=("vectorize", "register_tile"))))
    found: dict[str, Program] = {}
    idle = 0
    for text, program in walk(rng):
        idle = idle + 1 if text in found else 0
        found.setdefault(text, program)
        if len(found) >= count or idle >= _IDLE:
            break
    return found


def schedule_text(nest: Nest) -> str:
    """A nest as `read_schedule` reads it."""
    return f"{', '.join(map(str, nest.compute))} | {', '.join(map(str, nest.store))}"


def read_schedule(problem: Problem, text: str) -> Program:
    """The program of a text. A nest that is read covers the problem's extents, so that it is a legal one; whether a
    tree is has to be proven, as of any other.

    Raises:
        ScheduleTextError: for a text that is none, or one of another problem.
        PolyloopError: for a transform that does not apply.
    """
    if isinstance(problem, TreeProblem):
        tree = problem.start
        for transform in parse_trace(text):
            tree = singled(transform.rewritten(tree))
        return tree
    parts = text.split(" | ")
    if len(parts) != 2:
        raise ScheduleTextError(f"{text!r} is no nest: loops, ' | ', and the loops of the write-back nest")
    nest = Nest(_read_loops(parts[0]), _read_loops(parts[1]))
    kept = {name: extent for name, extent in problem.extents if name not in problem.reduced}
    for loops, extents in ((nest.compute, problem.sizes), (nest.store, kept)):
        if _extents(loops) != extents:
            raise ScheduleTextError(f"{text!r}: the loops do not cover {dict(extents)}")
    return nest


def _read_loops(text: str) -> Loops:
    loops = []
    for part in text.split(", ") if text else []:
        found = _LOOP.fullmatch(part)
        kind = LoopKind.__members__.get((found[4] or "sequential").upper()) if found else None
        if found is None or kind is None:
            raise ScheduleTextError(f"{part!r} is no loop: a variable, its iterations, perhaps + a rest, and a kind")
        loops.append(Loop(found[1], int(found[2]), int(found[3] or 0), KINDS.index(kind)))
    return tuple(loops)


def _extents(loops: Loops) -> dict[str, int]:
    """What the loops cover of each variable; only the outermost of a variable may have a tail."""
    covered: dict[str, int] = {}
    for loop, elements in reversed(list(zip(loops, inner_elements(loops), strict=True))):
        covered[loop.variable] = -1 if covered.get(loop.variable, 1) != elements else loop.size * elements + loop.tail
    return covered


# --- walks ------------------------------------------------------------------------------------------------------------

_Walks = Callable[[np.random.Generator], Iterator[tuple[str, Any]]]


def _layouts(problem: Contraction, target: Target) -> list[Nest]:
    """Nests with register tiles: what a search would try first."""
    layouts = (layout_of(problem, c) for tile in tiles(problem.task, target) for c in tile.without_copies())
    return [nest_of(problem, layout) for layout in dict.fromkeys(layouts) if layout is not None]


def _nest_walks(process: NestCursor, layouts: list[Nest]) -> _Walks:
    def walks(rng: np.random.Generator) -> Iterator[tuple[str, Nest]]:
        yield schedule_text(process.problem.start), process.problem.start
        while True:
            near = bool(layouts) and rng.random() < 0.5
            state: CursorState[Nest] = process.initial()
            if near:
                state = CursorState(layouts[int(rng.integers(len(layouts)))])
            nest = state.program
            for _ in range(int(rng.integers(0, (NEAR_STEPS if near else STEPS) + 1))):
                move = _drawn(process, state, rng)
                if move is None:
                    break
                state = process.step(state, move)
                nest = state.program
            yield schedule_text(nest), nest

    return walks


def _tree_walks(process: TreeCursor) -> _Walks:
    def walks(rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
        yield "", process.problem.start
        while process.visible(process.problem.start):
            state: CursorState[Any] = process.initial()
            trace: tuple[Any, ...] = ()
            for _ in range(int(rng.integers(1, STEPS + 1))):
                move = _drawn(process, state, rng)
                if move is None:
                    break
                trace += process.moves(state)[move].trace
                state = process.step(state, move)
            yield trace_text(trace), state.program

    return walks


def _drawn(process: AnyCursor, state: CursorState[Any], rng: np.random.Generator) -> int | None:
    """A legal action, one that changes a loop likelier than one that moves the cursor."""
    weights = np.array([_CHANGE if k > 1 else 1.0 for k in range(len(process.names))]) * process.actions(state)
    if not weights.any():
        return None
    return int(rng.choice(len(weights), p=weights / weights.sum()))
