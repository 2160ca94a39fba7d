"""Any program as chains of loops around its statements: the one form that learned models look at.

A chain is a statement's accesses with the loops around it, the form of `polyloop.cursor.model`. A cursor's nests and
trees have it at hand; a LoopNest, whatever schedule it was lowered from, is read here: every loop counts as a variable
of its own, bounds count at the middle of what the loops outside run through, and of two versions of a tile the one
that is taken there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from polyloop.backend.default.task import Footprint
from polyloop.backend.ir.affine import Affine, Atom, Max, Min, affine, evaluate_condition
from polyloop.backend.ir.counting import fused_operations
from polyloop.backend.ir.expressions import Access, reads
from polyloop.backend.ir.loop_nest import Block, Compute, Guard, Loop, LoopNest, Node
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.vectors import SHORT, Options
from polyloop.cursor import nest as loops_of
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction, Pattern
from polyloop.cursor.nest import KINDS, SEQUENTIAL, UNROLLED, VECTOR, Loops, Nest
from polyloop.cursor.shapes import shaped
from polyloop.cursor.tree_model import tree_chains, vectorised
from polyloop.schedules.tree import ScheduleTree

UNKNOWN_EXTENT = 512
"""What the size of an array's dimension is taken for that is known only when the kernel runs."""


class Chain(NamedTuple):
    """A statement's accesses, and the loops around it, outermost first."""

    pattern: Pattern
    loops: Loops


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
    return tuple(Chain(pattern, planned(pattern, loops)) for pattern, loops in found)


def planned(pattern: Pattern, loops: Loops) -> Loops:
    """With vector loops that will not run in lanes as the ordinary ones that they become; the rule is that of
    `polyloop.backend.planning.vectors`: results lie side by side, and of what is read not too much lies apart."""
    at = next((k for k, loop in enumerate(loops) if loop.kind == VECTOR), None)
    if at is None or any(loop.kind != UNROLLED for loop in loops[at + 1 :]):
        return loops  # many recurrences at once: whatever their strides
    along = loops[at].variable
    innermost = {loop.variable: k for k, loop in enumerate(loops)}
    rows = {name: loops[k].size + (loops[k].tail > 0) for name, k in innermost.items() if loops[k].kind == UNROLLED}
    apart = beside = 0
    for access in {(a.array, a.strides): a for a in (pattern.result, *pattern.reads)}.values():
        stride = abs(access.by_variable.get(along, 0))
        weight = prod(count for name, count in rows.items() if name in access.by_variable)
        apart, beside = apart + weight * (stride > 1), beside + weight * (stride == 1)
    stored = abs(pattern.result.by_variable.get(along, 0))
    if stored <= 1 and apart <= Options().gathers * beside:
        return loops
    kind = UNROLLED if loops[at].size + (loops[at].tail > 0) <= SHORT else SEQUENTIAL
    return (*loops[:at], loops[at]._replace(kind=kind), *loops[at + 1 :])


def _of_contraction(problem: Contraction, nest: Nest) -> tuple[Chain, ...]:
    main = Chain(problem.pattern, nest.compute)
    if problem.initial is None:
        return (main,)
    extents = tuple(pair for pair in problem.extents if pair[0] not in problem.reduced)
    return Chain(Pattern(extents, frozenset(), (), problem.result, 1), nest.store), main


def chains_of_nest(nest: LoopNest, sizes: Mapping[str, int]) -> tuple[Chain, ...]:
    """Of a LoopNest at sizes of its parameters, in the order of its text; loops of no iterations have none."""
    return tuple(_Reader(nest, dict(sizes)).chains(nest.body))


@dataclass
class _Reader:
    """Loops from the outside in, with the value that stands for each counter."""

    nest: LoopNest
    values: dict[str, int]
    around: list[tuple[Loop, int]] = field(default_factory=list)
    counted: dict[str, Affine] = field(default_factory=dict)
    """Every counter as what its loop starts at and how many iterations have been: tiles start where others stand."""

    def chains(self, node: Node) -> Iterator[Chain]:
        match node:
            case Block(children):
                for child in children:
                    yield from self.chains(child)
            case Guard(condition, body, orelse):
                yield from self.chains(body if evaluate_condition(condition, self.values) else orelse)
            case Loop(variable, lower, upper, step, body):
                low, high = lower.evaluate(self.values), upper.evaluate(self.values)
                trips = -(-(high - low) // step)
                if trips > 0:
                    self.counted[variable] = self._plain(lower).substitute(self.counted) + Affine(((variable, step),))
                    self.values[variable] = low + step * (trips // 2)
                    self.around.append((node, trips))
                    yield from self.chains(body)
                    self.around.pop()
                    del self.values[variable], self.counted[variable]
            case Compute():
                yield self._chain(node)

    def _chain(self, node: Compute) -> Chain:
        variables = [(loop.variable, trips) for loop, trips in self.around if trips > 1]
        result = self._footprint(node.target)
        others = [read.access for read in reads(node.value) if read.access != node.target]
        accumulates = any(read.access == node.target for read in reads(node.value))
        fixed = frozenset(name for name, _ in variables if name not in result.by_variable)
        pattern = Pattern(
            tuple(variables),
            fixed if accumulates else frozenset(),
            tuple(self._footprint(access) for access in dict.fromkeys(others)),
            result,
            max(1, fused_operations(node.value)),
        )
        found = tuple(
            loops_of.Loop(loop.variable, trips, 0, KINDS.index(loop.kind)) for loop, trips in self.around if trips > 1
        )
        if all(loop.kind == SEQUENTIAL for loop in found):
            carried = any(access.array == node.target.array for access in others)
            found = found if carried else vectorised(pattern, found)
            return Chain(pattern, found)
        return Chain(pattern, planned(pattern, found))

    def _footprint(self, access: Access) -> Footprint:
        """Strides in elements of one iteration, whatever the loop's step; what hangs on data counts as not moving."""
        array = self.nest.array(access.array)
        known = [UNKNOWN_EXTENT if e is None else e.evaluate(self.values) for e in array.shape]
        scales, size = [1] * len(known), 1
        for k in range(len(known) - 1, -1, -1):
            scales[k], size = size, size * known[k]
        position = Affine()
        for subscript, scale in zip(access.subscripts, scales, strict=True):
            position = position + subscript * scale
        position = position.substitute(self.counted)
        steps = ((loop.variable, position.coefficient(loop.variable)) for loop, trips in self.around if trips > 1)
        return Footprint(access.array, tuple((name, step) for name, step in steps if step), array.type.bytes)

    def _plain(self, value: Affine) -> Affine:
        """With the operand in the place of a minimum or maximum that it is here; what divides stays a constant."""

        def taken(atom: Atom) -> Affine:
            match atom:
                case Max(operands) | Min(operands):
                    best = (max if isinstance(atom, Max) else min)(operands, key=lambda o: o.evaluate(self.values))
                    return self._plain(best)
                case str():
                    return affine(atom)
                case _:
                    return affine(Affine(((atom, 1),)).evaluate(self.values))

        return value.map_atoms(taken)
