"""Loops that put one element behind the other where a condition holds, or take them so: in lanes.

    for i: if (c(i)) { j = j + 1;  A[j] = f(i); }
    ->  for i in vectors: the lanes of f for which c holds, in front, to A[j + 1 ..], as many as there are;
        j = j + as many as there are

Where elements go depends on all conditions before, so that no iteration is independent of another; but within a vector
the lanes' order says it. Nothing is stored but what the loop stores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Access, Expression
from polyloop.backend.ir.loop_nest import Block, Compute, Loop, LoopKind, LoopNest
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import access_stride, gathered, without_wrapping
from polyloop.backend.planning.vectors import lane_count, read_refusal

SHUFFLED = ((32, 8), (64, 4), (32, 4))
"""Bits and number of the lanes that AVX2 shuffles by places in a register."""


@dataclass(frozen=True)
class Moved:
    """A statement that touches an array where the counter says.

    Attributes:
        packed: that access.
        behind: whether the counter has moved before.
        stores: it is stored to; else loaded, and `value` has a `Partial` in its place.
        value: what is stored where the condition holds.
    """

    partial: ClassVar[str] = "packed"

    compute: Compute
    packed: Access
    behind: bool
    stores: bool
    value: Expression

    def subscripts(self, counter: Affine) -> tuple[Affine, ...]:
        """Of the first element, from what the counter was before."""
        return e.affine_access(self.packed, [counter + int(self.behind)]).subscripts


@dataclass(frozen=True)
class Compaction:
    """Such a loop."""

    condition: Expression
    counter: Compute
    computes: tuple[Moved, ...]
    lanes: int


def compaction(loop: Loop, nest: LoopNest, target: Target) -> Compaction | None:
    """The loop as one, if it is one and the processor moves lanes."""
    body = loop.body.children if isinstance(loop.body, Block) else (loop.body,)
    computes = [child for child in body if isinstance(child, Compute)]
    plain = loop.kind is LoopKind.SEQUENTIAL and loop.step == 1 and len(computes) == len(body) > 1
    if not (plain and target.moves_lanes):
        return None
    counters = [c for c in computes if _is_counter(c)]
    if len(counters) != 1:
        return None
    (counter,) = counters
    assert isinstance(counter.value, e.Select)
    condition, here = counter.value.condition, computes.index(counter)
    moved = [_moved(c, counter, place > here) for place, c in enumerate(computes) if c is not counter]
    found = [m for m in moved if m is not None]
    asked = {r.access.array for r in e.reads(condition)}
    if any(c.target.array in asked for c in computes[:-1]):  # who comes behind would ask for something else
        return None
    if len(found) < len(moved) or not _are_apart(condition, counter, found, loop.variable):
        return None
    if any(_refused(value, loop) for value in (condition, *(m.value for m in found))):
        return None
    # The counter is one number for all lanes: 64 bits of it leave them as many as there are.
    packed = {nest.array(m.packed.array).type.bits for m in found}
    lanes = lane_count(replace(loop, body=Block(tuple(m.compute for m in found))), target)
    lanes = min(lanes, target.vector_bits // max(packed))
    if not all(bits >= 32 and (target.masks or (bits, lanes) in SHUFFLED) for bits in packed):
        return None
    return Compaction(condition, counter, tuple(found), lanes)


def _is_counter(compute: Compute) -> bool:
    match compute:
        case Compute(_, target, e.Select(_, then, otherwise, type_)):
            own, step = e.Read(target, type_), without_wrapping(then)
            counts = (
                isinstance(step, e.Binary)
                and step.operator == "+"
                and (step.left, step.right) == (own, e.Literal(1, type_))
            )
            return counts and own == otherwise and not target.subscripts and not type_.is_float
        case _:
            return False


def _moved(compute: Compute, counter: Compute, behind: bool) -> Moved | None:
    """The statement, if it is made under the counter's condition and asks for the counter in one place only."""
    choice, own = compute.choice, counter.value
    assert isinstance(own, e.Select)
    if choice is None or choice.condition != own.condition:
        return None
    if compute.target.data:
        return Moved(compute, compute.target, behind, True, choice.then) if _counts(compute.target, counter) else None
    packed = list(dict.fromkeys(r.access for r in e.reads(choice.then) if r.access.data))
    if len(packed) != 1 or not _counts(packed[0], counter):
        return None

    def one(node: Expression) -> Expression:
        taken = isinstance(node, e.Read) and node.access == packed[0]
        return e.Partial(Moved.partial, node.type) if taken else node

    return Moved(compute, packed[0], behind, False, e.rewrite(choice.then, one))


def _counts(access: Access, counter: Compute) -> bool:
    """Whether the last subscript moves with the counter, one by one, and nothing else does."""
    datum = e.Datum(e.Read(counter.target, counter.value.type))
    *outer, last = access.subscripts
    plain = not any(subscript.coefficient(datum) for subscript in outer)
    return access.data == (datum,) and plain and last.coefficient(datum) == 1


def _are_apart(condition: Expression, counter: Compute, found: list[Moved], variable: str) -> bool:
    """Whether no iteration of a vector asks for what another one has written."""
    written = [m.compute.target for m in found]
    arrays = {target.array for target in written}
    if len(arrays) < len(written) or counter.target.array in arrays:
        return False
    for m in found:
        strides = access_stride(m.compute.target, variable)
        if m.stores:
            moves = (s.coefficient(variable) for s in m.packed.subscripts)
            if any(moves):
                return False
        elif strides is None or any(strides[:-1]) or strides[-1] != 1 or m.packed.array in arrays:
            return False
    stored = {m.compute.target.array for m in found if m.stores}
    asked = [r.access for value in (condition, *(m.value for m in found)) for r in e.reads(value)]
    if any(access.array in stored or access.array == counter.target.array for access in asked):
        return False
    return all(access in written for access in asked if access.array in arrays)


def _refused(value: Expression, loop: Loop) -> bool:
    """Whether it cannot be computed in lanes, some of which count."""
    for node in e.walk_values(value):
        match node:
            case e.Read(access) if gathered(access, loop.variable):
                return True
            case e.Binary("/" | "%") if not node.type.is_float:
                return True
    return read_refusal(value, loop, 1) is not None
