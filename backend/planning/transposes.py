"""Copies that exchange rows and columns: blocks of them are transposed in registers.

    UNROLLED i in n:  VECTOR j in n:  B[j][i] = A[i][j]
    ->  n vectors are loaded, log2(n) rounds of shuffles exchange halves, quarters, .., and n vectors are stored

Each round pairs vectors whose numbers differ in one bit and interleaves them (Eklundh, "A Fast Computer Method for
Matrix Transposing", IEEE Trans. Computers, 1972).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyloop.backend import expressions as e
from polyloop.backend import vector_program as v
from polyloop.backend.expressions import Access
from polyloop.backend.loop_nest import Compute, Loop, LoopKind
from polyloop.backend.planning.bounds import constant_trips
from polyloop.backend.planning.emitter import Emitter
from polyloop.backend.planning.vectors import access_stride
from polyloop.backend.target import Target
from polyloop.backend.vector_program import Value, ValueType


def transposed_copy(loop: Loop, target: Target) -> tuple[Loop, Access, Access] | None:
    """The vector loop inside, the target and the source, if the nest is such a copy of whole blocks."""
    match loop:
        case Loop(step=1, kind=LoopKind.UNROLLED, body=Loop(step=1, kind=LoopKind.UNROLLED) as inner):
            pass  # the inner one was a vector loop; as such its stores would be scattered
        case _:
            return None
    match inner.body:
        case Compute(_, written, e.Read(read, type_)) if read.array != written.array:
            lanes = target.lanes(type_)
        case _:
            return None
    sizes = [constant_trips(x.lower, x.upper, 1) for x in (loop, inner)]
    whole = all(size is not None and size > 0 and size % lanes == 0 for size in sizes) and lanes > 1
    if not whole or loop.variable in inner.lower.variables():
        return None
    across = access_stride(written, loop.variable), access_stride(read, inner.variable)
    if not all(s is not None and not any(s[:-1]) and s[-1] == 1 for s in across):
        return None
    along = access_stride(written, inner.variable), access_stride(read, loop.variable)
    return None if any(s is None or s[-1] for s in along) else (inner, written, read)


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
    emit: Emitter, sizes: tuple[int, int], place: Callable[[bool, int, int], v.Address], type_: ValueType
) -> None:
    """Square blocks of one vector each.

    Args:
        sizes: iterations of the two loops.
        place: the address of iteration (i, j), of the target (True) or the source.
    """
    for i in range(0, sizes[0], type_.lanes):
        for j in range(0, sizes[1], type_.lanes):
            rows = [emit.let(v.Load(place(False, i + k, j), type_)) for k in range(type_.lanes)]
            for k, column in enumerate(transpose(emit, rows)):
                emit.append(v.Store(place(True, i, j + k), column))
