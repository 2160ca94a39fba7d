"""Any program as chains of loops around its statements: the one form that learned models look at.

A chain is a statement's accesses with the loops around it, the form of `polyloop.cursor.model`.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import MOST_SPREAD
from polyloop.backend.planning.vectors import FEWEST_TURNED, SHORT, Options
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction, Pattern
from polyloop.cursor.nest import SEQUENTIAL, UNROLLED, VECTOR, Loops, Nest
from polyloop.cursor.shapes import shaped
from polyloop.cursor.tree_model import tree_chains
from polyloop.schedules.tree import ScheduleTree


class Chain(NamedTuple):
    """A statement's accesses, and the loops around it, outermost first.

    Attributes:
        shared: how many of its loops are also around the chain before.
    """

    pattern: Pattern
    loops: Loops
    shared: int = 0


def chains(problem: Problem, program: Program, target: Target) -> tuple[Chain, ...]:
    """Of what stands under a cursor, as it is compiled for a processor."""
    if isinstance(problem, Contraction):
        assert isinstance(program, Nest)
        found = _of_contraction(problem, shaped(problem, program, target))
    else:
        assert isinstance(program, ScheduleTree)
        found = tuple(Chain(*each) for each in tree_chains(problem, program))
        if not program.has_kinds:
            return found
    return tuple(each._replace(loops=planned(each.pattern, each.loops, target)) for each in found)


def planned(pattern: Pattern, loops: Loops, target: Target) -> Loops:
    """With vector loops that will not run in lanes as the ordinary ones that they become; the rule is that of
    `polyloop.backend.planning.vectors`: results lie side by side, and of what is read not too much lies apart, but for
    columns of blocks whose rows are loaded."""
    at = next((k for k, loop in enumerate(loops) if loop.kind == VECTOR), None)
    if at is None or any(loop.kind != UNROLLED for loop in loops[at + 1 :]):
        return loops  # many recurrences at once: whatever their strides
    along = loops[at].variable
    innermost = {loop.variable: k for k, loop in enumerate(loops)}
    rows = {name: loops[k].size + (loops[k].tail > 0) for name, k in innermost.items() if loops[k].kind == UNROLLED}
    lanes = target.vector_bits // (8 * pattern.result.bytes)
    apart = beside = 0
    for access in {(a.array, a.strides): a for a in (pattern.result, *pattern.reads)}.values():
        stride = abs(access.by_variable.get(along, 0))
        weight = prod(count for name, count in rows.items() if name in access.by_variable)
        columns = any(access.by_variable.get(name) == 1 and 2 * count >= lanes for name, count in rows.items())
        shuffled = lanes >= FEWEST_TURNED and 2 <= stride <= MOST_SPREAD
        whole = stride == 1 or columns or shuffled
        apart, beside = apart + weight * (stride > 0 and not whole), beside + weight * (stride > 0 and whole)
    stored = abs(pattern.result.by_variable.get(along, 0))
    spread = lanes >= FEWEST_TURNED and stored <= MOST_SPREAD and target.masks
    if (stored <= 1 or spread) and apart <= Options().gathers * beside:
        return loops
    kind = UNROLLED if loops[at].size + (loops[at].tail > 0) <= SHORT else SEQUENTIAL
    return (*loops[:at], loops[at]._replace(kind=kind), *loops[at + 1 :])


def _of_contraction(problem: Contraction, nest: Nest) -> tuple[Chain, ...]:
    main = Chain(problem.pattern, nest.compute, 0 if problem.initial is None else nest.shared)
    if problem.initial is None:
        return (main,)
    extents = tuple(pair for pair in problem.extents if pair[0] not in problem.reduced)
    return Chain(Pattern(extents, frozenset(), (), problem.result, 1), nest.store), main
