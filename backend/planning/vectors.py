"""Lanes of a vector loop: how many, in which blocks, and how an access runs through them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import Block, Compute, Guard, Loop, LoopKind, Node, children, walk
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.bounds import largest_trips
from polyloop.backend.planning.values import is_safe_divisor


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


@dataclass(frozen=True)
class LoopLanes:
    """How a vector loop runs, whatever its bounds: the same for every copy of it in straight-line code.

    Attributes:
        lanes: of one vector; see `lane_count`.
        rows: see `reduced_rows`.
        masks: whether lanes may be masked off; see `needs_full_lanes`.
    """

    lanes: int
    rows: int
    masks: bool

    @classmethod
    def of(cls, loop: Loop, target: Target) -> LoopLanes:
        return cls(lane_count(loop, target), reduced_rows(loop), not needs_full_lanes(loop))


def lane_count(loop: Loop, target: Target) -> int:
    """Lanes of the widest type that the body reads, computes or writes; truth values do not count, nor literals that
    are not what is written."""
    values = [compute.value for compute in computes(loop.body)]
    widest = max((type_.bits for value in values for type_ in (*_types(value), value.type)), default=64)
    return max(1, target.vector_bits // widest)


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


def reduced_rows(loop: Loop) -> int:
    """How many cells the loop reduces into: Computes whose target all lanes share, once for each unrolled row."""

    def count(node: Node) -> int:
        match node:
            case Compute(_, target, _):
                return int(not any(access_stride(target, loop.variable) or ()))
            case Block() | Guard():
                return sum(map(count, children(node)))
            case Loop(lower=lower, upper=upper, kind=kind, body=body):
                trips = largest_trips(lower, upper) if kind is LoopKind.UNROLLED else None
                return count(body) * (trips or 1)

    return count(loop.body)


def computes(node: Node) -> Iterator[Compute]:
    """All statements of the nest below a node."""
    return (inner for inner in walk(node) if isinstance(inner, Compute))


def access_stride(access: Access, variable: str) -> tuple[int, ...] | None:
    """Steps of the subscripts from iteration to iteration; None where they are not constant."""
    if any(inside_atom(s, variable) for s in access.subscripts):
        return None
    return tuple(s.coefficient(variable) for s in access.subscripts)


def inside_atom(value: Affine, variable: str) -> bool:
    """Whether the variable stands inside a division, an extremum or a choice."""
    return any(not isinstance(atom, str) and variable in Affine(((atom, 1),)).variables() for atom, _ in value.terms)


def _types(node: Expression) -> Iterator[ScalarType]:
    for inner in e.walk(node):
        match inner:
            case e.Comparison() | e.Logical() | e.Literal() | e.Unary(operator="!"):
                pass
            case _:
                yield inner.type
