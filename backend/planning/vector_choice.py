"""Which VECTOR loops run in lanes; the others become ordinary loops, straight-line ones where they are short.

The VECTOR kind promises that iterations are independent; what is left to decide is what pays and what can be said in
vector code. A vector loop's body holds Computes, Guards and inner loops whose conditions and bounds are the same in all
lanes. Targets are contiguous along the loop (or reversed); reads are invariant, contiguous, reversed, or gathered.

Rule for gathers: they may be `Options.gathers` times as many as contiguous accesses, where an access counts once for
each iteration of the UNROLLED loops around and inside on which it depends: a gather that all rows of a register tile
share costs little, one for each row costs about a scalar load a lane.

A vector loop with a sequential loop inside runs many recurrences at once, whose alternative is one after the other,
bound by latency: there, gathers are not counted and stores may scatter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import condition_variables
from polyloop.backend.ir.expressions import Access, Expression
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Compute,
    Guard,
    Loop,
    LoopKind,
    LoopNest,
    Node,
    map_children,
    walk,
    with_body,
)
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.planning.bounds import constant_trips, largest_trips
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.known import children_with, map_children_with
from polyloop.backend.planning.memory import Cell, in_bounds
from polyloop.backend.planning.options import Options
from polyloop.backend.planning.reductions import is_exact, reduction_operator
from polyloop.backend.planning.values import TOTAL_FUNCTIONS, certain_accesses, is_safe
from polyloop.backend.planning.vectors import access_stride, computes, inside_atom

_SHORT = 16


def choose_vectors(nest: LoopNest, facts: Facts, options: Options, reassociate: bool) -> LoopNest:
    """The nest with the VECTOR kind only on loops that will run in lanes, no two of them nested."""
    choice = _Choice({a.name: a for a in nest.arrays}, options, reassociate)
    return replace(nest, body=choice.run(nest.body, facts, ()))


@dataclass(frozen=True)
class _Choice:
    arrays: dict[str, ArraySpec]
    options: Options
    reassociate: bool

    def run(self, node: Node, facts: Facts, around: tuple[Loop, ...]) -> Node:
        if isinstance(node, Loop):
            if node.kind is LoopKind.VECTOR:
                if self.refusal(node, facts, around) is None:
                    return with_body(node, _without_vectors(node.body))
                node = _as_ordinary(node)
            around = (*around, node)
        return map_children_with(node, facts, lambda child, inside: self.run(child, inside, around))

    def refusal(self, loop: Loop, facts: Facts, around: tuple[Loop, ...]) -> str | None:
        """Why the loop is not run in lanes; None where it is."""
        if loop.step != 1:
            return f"steps by {loop.step}"
        variable = loop.variable
        recurrent = any(isinstance(x, Loop) and x.kind is not LoopKind.UNROLLED for x in walk(loop.body))
        for node in walk(loop.body):
            reason = None
            match node:
                case Loop(lower=lower, upper=upper) if variable in lower.variables() | upper.variables():
                    reason = f"the bounds of {node.variable} differ from lane to lane"
                case Guard(condition, _, _) if variable in condition_variables(condition):
                    reason = "a condition differs from lane to lane"
                case Compute() if not ((self.reassociate or is_exact(node)) and _reduces(node, loop, self.options)):
                    reason = _compute_refusal(node, variable, recurrent)
            if reason is not None:
                return reason
        strided, contiguous = _access_counts(loop, around)
        if strided > self.options.gathers * contiguous and not recurrent:
            return f"{strided} gathers for {contiguous} contiguous accesses"
        inside = facts.with_loop(variable, loop.lower, loop.upper)
        return None if self._safe(loop.body, inside) else "lanes would evaluate what C does not"

    def _safe(self, node: Node, facts: Facts) -> bool:
        """Whether both sides of every ``&&``, ``||`` and ``?:`` may be evaluated in every lane."""
        if not isinstance(node, Compute):
            return all(self._safe(child, inside) for child, inside in children_with(node, facts))
        certain = certain_accesses(node.value) | {node.target}
        return all(
            is_safe(side, certain, lambda access: self._in_bounds(access, facts)) for side in _lazy_sides(node.value)
        )

    def _in_bounds(self, access: Access, facts: Facts) -> bool:
        spec = self.arrays[access.array]
        address = v.Address(access.array, access.subscripts, (0,) * len(access.subscripts))
        return in_bounds(Cell(address, ValueType(spec.type)), spec, facts)


def _as_ordinary(loop: Loop) -> Loop:
    """A short loop is still asked to be straight-line code."""
    trips = largest_trips(loop.lower, loop.upper)
    short = trips is not None and trips <= _SHORT
    return replace(loop, kind=LoopKind.UNROLLED if short else LoopKind.SEQUENTIAL)


def _without_vectors(node: Node) -> Node:
    if isinstance(node, Loop) and node.kind is LoopKind.VECTOR:
        node = _as_ordinary(node)
    return map_children(node, _without_vectors)


def _reduces(compute: Compute, loop: Loop, options: Options) -> bool:
    """Whether the Compute folds the loop's iterations into one cell that nothing else in the loop touches.

    Inside a loop that moves the cell there would be one accumulator for many cells, unless it becomes straight-line
    code, where every cell has its own.
    """
    moving = {name for subscript in compute.target.subscripts for name in subscript.variables()}
    inner = [node for node in walk(loop.body) if isinstance(node, Loop)]
    for around in reversed(inner):
        if around.variable in moving:
            if not _is_straight(around, options):
                return False
            # What it becomes starts where loops around it say, so that they move the cell, too.
            moving |= around.lower.variables()
    if any(access_stride(compute.target, loop.variable) or (1,)) and compute.target.subscripts:
        return False
    others = [c for c in computes(loop.body) if c is not compute]
    array = compute.target.array
    if any(c.target.array == array or any(r.access.array == array for r in e.reads(c.value)) for c in others):
        return False
    return reduction_operator(compute) is not None and not _read_refusal(compute, loop.variable)


def _is_straight(loop: Loop, options: Options) -> bool:
    trips = constant_trips(loop.lower, loop.upper, loop.step)
    return loop.kind is LoopKind.UNROLLED and trips is not None and trips <= options.unroll_limit


def _compute_refusal(compute: Compute, variable: str, scatters: bool) -> str | None:
    strides = access_stride(compute.target, variable)
    if strides is None or not any(strides):
        return f"all lanes write {compute.target}"
    if not scatters and (any(strides[:-1]) or abs(strides[-1]) != 1):
        return f"{compute.target} is not written contiguously along {variable}"
    return _read_refusal(compute, variable)


def _read_refusal(compute: Compute, variable: str) -> str | None:
    for node in e.walk(compute.value):
        match node:
            case e.Read(access, _) if access_stride(access, variable) is None:
                return f"the stride of {access} along {variable} is not constant"
            case e.Index(value, _) if inside_atom(value, variable):
                return f"{value} is not affine in {variable}"
            case e.Call(function, _, _) if function not in TOTAL_FUNCTIONS:
                return f"{function} might not return for a lane that is masked off"
    return None


def _lazy_sides(value: Expression) -> Iterator[Expression]:
    """The operands of ``&&``, ``||`` and ``?:`` that C may leave unevaluated."""
    for node in e.walk(value):
        match node:
            case e.Logical(_, _, right):
                yield right
            case e.Select(_, then, otherwise, _):
                yield from (then, otherwise)


def _access_counts(loop: Loop, around: tuple[Loop, ...]) -> tuple[int, int]:
    """How often a tile gathers, and how often it touches memory contiguously."""
    rows = {
        node.variable: largest_trips(node.lower, node.upper) or 1
        for node in (*around, *walk(loop.body))
        if isinstance(node, Loop) and node.kind is LoopKind.UNROLLED
    }
    accesses: set[Access] = set()
    for compute in computes(loop.body):
        accesses.add(compute.target)
        accesses.update(read.access for read in e.reads(compute.value))
    strided = contiguous = 0
    for access in accesses:
        strides = access_stride(access, loop.variable) or ()
        if not any(strides):
            continue
        used = frozenset[str]().union(*(s.variables() for s in access.subscripts))
        weight = prod(count for variable, count in rows.items() if variable in used)
        if any(strides[:-1]) or abs(strides[-1]) > 1:
            strided += weight
        else:
            contiguous += weight
    return strided, contiguous
