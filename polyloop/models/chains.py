"""Any program as chains of loops around its statements: the one form that learned models look at.

A chain is a statement's accesses with the loops around it, the form of `polyloop.cursor.model`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import islpy as isl
import numpy as np

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import F64, Binary, Call, Select, walk
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import FEWEST_TURNED, most_spread
from polyloop.backend.planning.vectors import SHORT, WORK_OF_GATHERS, Options
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction, Pattern
from polyloop.cursor.nest import SEQUENTIAL, UNROLLED, VECTOR, Loops, Nest
from polyloop.cursor.shapes import shaped
from polyloop.cursor.tree_model import tree_chains
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.affine_isl import fix_parameters
from polyloop.scop.model import Statement

_LATTICE = 4096
"""Points of a box that are asked whether they are in a domain, about."""


class Work(NamedTuple):
    """What a statement does beside its accesses.

    Attributes:
        share: of the points of the box around its domain, those that it has, about.
        updates: it reads what it overwrites.
        carried: variables whose other iterations wrote what it reads.
        choices: calls and choices of one execution; `operations`: these and all others.
    """

    share: float = 1.0
    updates: bool = False
    carried: frozenset[str] = frozenset()
    choices: int = 0
    operations: int = 0


class Chain(NamedTuple):
    """A statement's accesses, and the loops around it, outermost first.

    Attributes:
        shared: how many of its loops are also around the chain before.
    """

    pattern: Pattern
    loops: Loops
    shared: int = 0
    work: Work = Work()


def chains(problem: Problem, program: Program, target: Target) -> tuple[Chain, ...]:
    """Of what stands under a cursor, as it is compiled for a processor."""
    if isinstance(problem, Contraction):
        assert isinstance(program, Nest)
        found = _of_contraction(problem, shaped(problem, program, target))
    else:
        assert isinstance(program, ScheduleTree)
        works = _works(problem)
        found = tuple(
            Chain(pattern, loops, shared, works[name]) for name, pattern, loops, shared in tree_chains(problem, program)
        )
        if not program.has_kinds:
            return found
    return tuple(each._replace(loops=planned(each, target)) for each in found)


def planned(chain: Chain, target: Target) -> Loops:
    """With vector loops that will not run in lanes as the ordinary ones that they become; the rule is that of
    `polyloop.backend.planning.vectors`: results lie side by side, and of what is read not too much lies apart, but for
    columns of blocks whose rows are loaded, and where much is computed or sums would wait for each other."""
    pattern, loops = chain.pattern, chain.loops
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
        # Columns of rows of more elements look like these, which they are not.
        shuffled = 2 <= stride <= most_spread(min(lanes, FEWEST_TURNED))
        whole = stride == 1 or columns or shuffled
        apart, beside = apart + weight * (stride > 0 and not whole), beside + weight * (stride > 0 and whole)
    stored = abs(pattern.result.by_variable.get(along, 0))
    spread = stored <= most_spread(min(lanes, FEWEST_TURNED)) and target.masks
    few = apart <= max(Options().gathers * beside, chain.work.operations / WORK_OF_GATHERS)
    gathered = target.machine.gather.per_cycle * target.vector_bits / F64.bits
    waits = not stored and apart < target.machine.chain_latency * gathered
    if (stored <= 1 or spread) and (few or waits):
        return loops
    kind = UNROLLED if loops[at].size + (loops[at].tail > 0) <= SHORT else SEQUENTIAL
    return (*loops[:at], loops[at]._replace(kind=kind), *loops[at + 1 :])


def _of_contraction(problem: Contraction, nest: Nest) -> tuple[Chain, ...]:
    work = _contraction_work(problem)
    main = Chain(problem.pattern, nest.compute, 0 if problem.initial is None else nest.shared, work)
    if problem.initial is None:
        return (main,)
    extents = tuple(pair for pair in problem.extents if pair[0] not in problem.reduced)
    return Chain(Pattern(extents, frozenset(), (), problem.result, 1), nest.store), main


@lru_cache(maxsize=256)
def _contraction_work(problem: Contraction) -> Work:
    return _work(problem.main)


@lru_cache(maxsize=256)
def _works(problem: TreeProblem) -> Mapping[str, Work]:
    """Of every statement."""
    found = {}
    for statement in problem.scop.statements:
        ranges = [problem.range_of(statement.name, Affine(((name, 1),))) for name in statement.iterators]
        found[statement.name] = _work(statement, _share(fix_parameters(statement.domain, dict(problem.sizes)), ranges))
    return found


def _work(statement: Statement, share: float = 1.0) -> Work:
    target, carried = statement.target, set[str]()
    for access in statement.reads:
        if access.array == target.array:
            for one, other in zip(access.subscripts, target.subscripts, strict=True):
                carried |= (one.variables() | other.variables()) if one != other else frozenset()
    nodes = [node for node in walk(statement.value) if isinstance(node, Binary | Call | Select)]
    choices = sum(not isinstance(node, Binary) for node in nodes)
    return Work(share, target in statement.reads, frozenset(carried), choices, len(nodes))


def _share(domain: isl.Set, ranges: Sequence[tuple[int, int]]) -> float:
    """Of a box around a domain, the share of points that are in it, by those of a lattice."""
    if not ranges:
        return 1.0
    each = max(3, int(_LATTICE ** (1 / len(ranges))))
    axes = [np.linspace(low, high, min(each, high - low + 1)) for low, high in ranges]
    points = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], 1)
    inside, place = np.zeros(len(points), bool), isl.dim_type.set
    for part in domain.get_basic_sets():
        here = np.ones(len(points), bool)
        for bound in part.get_constraints():
            rounded = bound.involves_dims(isl.dim_type.div, 0, bound.dim(isl.dim_type.div))
            if bound.is_equality() or rounded:
                continue  # no lattice can tell
            factors = [bound.get_coefficient_val(place, k).to_python() for k in range(len(ranges))]
            here &= points @ np.array(factors, np.float64) + bound.get_constant_val().to_python() >= 0
        inside |= here
    return max(float(inside.mean()), 1.0 / len(points))
