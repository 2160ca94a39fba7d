"""Whether a loop can run in lanes, in how many, and in which blocks.

The VECTOR kind promises that iterations are independent; what is left to decide is what pays and what can be said in
vector code. A vector loop's body holds Computes, Guards and inner loops whose conditions and bounds are the same in all
lanes. Every target is contiguous along the loop (or reversed); reads are invariant, contiguous, reversed, or gathered.

Rule for gathers: a body is vectorised if it gathers no more than `gathers` times as often as it touches memory contiguously
(loads and stores, repetitions not counted); a gather costs about one scalar load a lane.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polyloop.backend import expressions as e
from polyloop.backend.affine import Affine, condition_variables
from polyloop.backend.expressions import Access, Expression, ScalarType
from polyloop.backend.loop_nest import Block, Compute, Guard, Loop, Node, walk
from polyloop.backend.planning.values import TOTAL_FUNCTIONS, certain_accesses, is_safe_divisor
from polyloop.backend.target import Target


@dataclass(frozen=True)
class LaneBlock:
    """A run of iterations that one vector takes: the first one's offset from the loop's lower bound, and the lanes.

    Attributes:
        active: how many lanes count where that is fewer than all (a constant).
    """

    offset: int
    lanes: int
    active: int | None = None


def blocks_of(trips: int, lanes: int) -> Iterator[LaneBlock]:
    """Full vectors, then the rest in one vector: a narrower full one where the rest is a power of two, else masked."""
    full = trips // lanes
    for number in range(full):
        yield LaneBlock(number * lanes, lanes)
    rest = trips - full * lanes
    if rest:
        narrow = 1 << (rest - 1).bit_length()
        yield LaneBlock(full * lanes, narrow, None if rest == narrow else rest)


def lane_count(loop: Loop, target: Target) -> int:
    """Lanes of the widest type that the body reads, computes or writes; truth values do not count."""
    widest = max((type_.bits for compute in computes(loop.body) for type_ in _types(compute.value)), default=64)
    return max(1, target.vector_bits // widest)


def refusal(loop: Loop, gathers: float) -> str | None:
    """Why the loop is not run in lanes; None where it is."""
    if loop.step != 1:
        return f"steps by {loop.step}"
    variable = loop.variable
    for node in walk(loop.body):
        match node:
            case Loop(lower=lower, upper=upper):
                if variable in lower.variables() | upper.variables():
                    return f"the bounds of {node.variable} differ from lane to lane"
            case Guard(condition, _, _):
                if variable in condition_variables(condition):
                    return "a condition differs from lane to lane"
            case Compute():
                reason = _compute_refusal(node, variable)
                if reason is not None:
                    return reason
            case Block():
                pass
    strided, contiguous = _access_counts(loop)
    if strided > gathers * contiguous:
        return f"{strided} gathers for {contiguous} contiguous accesses"
    return None


def needs_full_lanes(loop: Loop) -> bool:
    """Whether the body divides integers by what is 0 in a lane that is masked off."""
    return any(
        isinstance(node, e.Binary)
        and node.operator in ("/", "%")
        and not node.type.is_float
        and not is_safe_divisor(node.right)
        for compute in computes(loop.body)
        for node in e.walk(compute.value)
    )


def computes(node: Node) -> Iterator[Compute]:
    return (inner for inner in walk(node) if isinstance(inner, Compute))


def access_stride(access: Access, variable: str) -> tuple[int, ...] | None:
    """Steps of the subscripts from iteration to iteration; None where they are not constant."""
    if any(_inside_atom(s, variable) for s in access.subscripts):
        return None
    return tuple(s.coefficient(variable) for s in access.subscripts)


def _compute_refusal(compute: Compute, variable: str) -> str | None:
    strides = access_stride(compute.target, variable)
    if strides is None or not strides or any(strides[:-1]) or abs(strides[-1]) != 1:
        return f"{compute.target} is not written contiguously along {variable}"
    for node in e.walk(compute.value):
        match node:
            case e.Read(access, _) if access_stride(access, variable) is None:
                return f"the stride of {access} along {variable} is not constant"
            case e.Index(value, _) if _inside_atom(value, variable):
                return f"{value} is not affine in {variable}"
            case e.Call(function, _, _) if function not in TOTAL_FUNCTIONS:
                return f"{function} might not return for a lane that is masked off"
    return None


def unsafe_sides(compute: Compute) -> Iterator[Expression]:
    """The operands of ``&&``, ``||`` and ``?:`` that C may leave unevaluated."""
    for node in e.walk(compute.value):
        match node:
            case e.Logical(_, _, right):
                yield right
            case e.Select(_, then, otherwise, _):
                yield from (then, otherwise)


def made_anyway(compute: Compute) -> frozenset[Access]:
    return certain_accesses(compute.value) | {compute.target}


def _access_counts(loop: Loop) -> tuple[int, int]:
    """Distinct gathered accesses, and distinct contiguous ones."""
    accesses: set[Access] = set()
    for compute in computes(loop.body):
        accesses.add(compute.target)
        accesses.update(read.access for read in e.reads(compute.value))
    strided = contiguous = 0
    for access in accesses:
        strides = access_stride(access, loop.variable)
        if strides is None or any(strides[:-1]) or (strides and abs(strides[-1]) > 1):
            strided += 1
        elif strides and strides[-1]:
            contiguous += 1
    return strided, contiguous


def _inside_atom(value: Affine, variable: str) -> bool:
    return any(not isinstance(atom, str) and variable in Affine(((atom, 1),)).variables() for atom, _ in value.terms)


def _types(node: Expression) -> Iterator[ScalarType]:
    for inner in e.walk(node):
        match inner:
            case e.Comparison() | e.Logical() | e.Literal() | e.Unary(operator="!"):
                pass
            case _:
                yield inner.type
