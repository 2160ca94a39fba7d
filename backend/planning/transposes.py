"""Copies that exchange rows and columns: blocks of them are transposed in registers.

    UNROLLED i in n:  VECTOR j in n:  B[j][i] = alpha * A[i][j]
    ->  n vectors are computed, log2(n) rounds of shuffles exchange halves, quarters, .., and n vectors are stored

Each round pairs vectors whose numbers differ in one bit and interleaves them (Eklundh, "A Fast Computer Method for
Matrix Transposing", IEEE Trans. Computers, 1972).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import Access, ScalarType
from polyloop.backend.ir.loop_nest import Compute, Loop, LoopKind
from polyloop.backend.ir.vector_program import Value
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.bounds import constant_trips
from polyloop.backend.planning.emitter import Emitter
from polyloop.backend.planning.vectors import access_stride


@dataclass(frozen=True)
class TransposedCopy:
    """Such a nest.

    Attributes:
        inner: the vector loop inside.
        compute: what is copied: an element, or what is computed from it and from values that do not change.
        type: of elements and of all that is computed.
    """

    inner: Loop
    compute: Compute
    type: ScalarType


def transposed_copy(loop: Loop, target: Target) -> TransposedCopy | None:
    """The nest as a transposition of whole blocks, if it is one."""
    match loop:
        case Loop(step=1, kind=LoopKind.UNROLLED, body=Loop(step=1, kind=LoopKind.UNROLLED, body=Compute()) as inner):
            pass  # the inner one was a vector loop; as such its stores would be scattered
        case _:
            return None
    compute = inner.body
    assert isinstance(compute, Compute)
    written, type_ = compute.target, compute.value.type
    read = _moving(compute, (loop.variable, inner.variable))
    if read is None or any(node.type != type_ for node in e.walk(compute.value)):
        return None
    lanes = target.lanes(type_)
    sizes = [constant_trips(x.lower, x.upper, 1) for x in (loop, inner)]
    whole = all(size is not None and size > 0 and size % lanes == 0 for size in sizes) and lanes > 1
    if not whole or loop.variable in inner.lower.variables():
        return None
    across = access_stride(written, loop.variable), access_stride(read, inner.variable)
    if not all(s is not None and not any(s[:-1]) and s[-1] == 1 for s in across):
        return None
    along = access_stride(written, inner.variable), access_stride(read, loop.variable)
    return None if any(s is None or s[-1] for s in along) else TransposedCopy(inner, compute, type_)


def _moving(compute: Compute, variables: tuple[str, str]) -> Access | None:
    """The only access of the value that moves with the loops; None if there are others, or what is written is read."""
    moving = []
    for node in e.walk(compute.value):
        match node:
            case e.Read(access) if access.array == compute.target.array:
                return None
            case e.Read(access) if any(s.variables() & set(variables) for s in access.subscripts):
                moving.append(access)
            case e.Read() | e.Literal() | e.Binary(operator="*"):
                pass
            case _:
                return None
    return moving[0] if len(moving) == 1 else None


def transpose(emit: Emitter, rows: Sequence[Value]) -> list[Value]:
    """Vectors of the columns of a square block, its rows given; their number is a power of two."""
    values, count = list(rows), len(rows)
    step = 1
    while step < count:
        low = tuple(
            x for k in range(0, count, 2 * step) for part in (0, count) for x in range(k + part, k + part + step)
        )
        high = tuple(x + step for x in low)
        for k in range(count):
            if not k & step:
                pair = values[k], values[k + step]
                values[k] = emit.let(v.Shuffle(pair, low, pair[0].type))
                values[k + step] = emit.let(v.Shuffle(pair, high, pair[0].type))
        step *= 2
    return values


def emit_transposed(
    emit: Emitter,
    sizes: tuple[int, int],
    row: Callable[[int, int], Value],
    place: Callable[[int, int], v.Address],
    lanes: int,
) -> None:
    """Square blocks of one vector each.

    Args:
        sizes: iterations of the two loops.
        row: the vector of iterations (i, j), (i, j + 1), ...
        place: the address of iterations (i, j), (i + 1, j), ... in the target.
    """
    for i in range(0, sizes[0], lanes):
        for j in range(0, sizes[1], lanes):
            rows = [row(i + k, j) for k in range(lanes)]
            for k, column in enumerate(transpose(emit, rows)):
                emit.append(v.Store(place(i, j + k), column))
