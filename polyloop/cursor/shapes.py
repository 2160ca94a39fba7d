"""Which loops of a rectangular nest become vectors and register tiles, where nobody has said so.

The nest is compiled as it is given: its order of loops stays, but inside of a register tile. Of the innermost loops, as
many form the register tile as have results that fit the registers (`Target.carried_registers`) and multiply-adds that
make a body of reasonable size; the loops outside it carry the results from one iteration to the next. One loop of the
tile is the vector: the innermost along which the result is contiguous, else the innermost loop along which all that
moves is contiguous. Its loops come last in the tile where that has more rows than vectors: an operand of the rows is
then needed for one row at a time, where those of all rows would not fit beside the results. Sums that stand in the tile
come first: what each of their terms multiplies is then loaded once for all results, not once for each.

References:
    Wasti et al., "LoopStack", arXiv 2205.00618, section on LoopNest, for the rule that the tile is the outermost loop
    under which the result fits. There the innermost loop is the vector whatever it costs; here it is one of the tile's.
"""

from __future__ import annotations

from collections.abc import Iterable

from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import SEQUENTIAL, UNROLLED, VECTOR, Loop, Loops, Nest

BODY = 48
"""Multiply-adds of vectors in one body: more compile slower and run no faster."""

LARGEST_BODY = 192
"""Multiply-adds of vectors up to which what stands inside a vector loop becomes straight-line code."""

_STRAIGHT = 64
"""Iterations of a loop that may become straight-line code."""


def shaped(problem: Contraction, nest: Nest, target: Target) -> Nest:
    """The nest with kinds for its inner loops; unchanged where any of its loops has a kind already."""
    if _has_kinds(nest):
        return nest
    compute = shaped_compute(problem, nest, target)
    cut = next((k for k, loop in enumerate(compute) if loop.kind != SEQUENTIAL), len(compute))
    # A shared loop is one loop: it cannot be of a kind in one nest only.
    store = tuple(compute[k] if k < nest.shared else loop for k, loop in enumerate(nest.store))
    if problem.initial is not None and cut >= nest.shared:
        store = _store_shaped(problem, store, nest.shared)
    return Nest(compute, store)


def shaped_compute(problem: Contraction, nest: Nest, target: Target) -> Loops:
    """The compute nest of `shaped`."""
    loops, vector = nest.compute, None if _has_kinds(nest) else _vector(problem, nest.compute)
    if vector is None:
        return loops
    lanes = target.lanes(problem.element)
    start = _tile_start(problem, loops, vector, lanes, target.carried_registers)
    ordered = _ordered(problem, nest, vector, start, lanes, target.carried_registers)
    if ordered is not None:
        vector = _vector(problem, ordered)
        if vector is None:
            return ordered
    elif _straight(loops, vector, lanes) > LARGEST_BODY:
        start = len(loops)
    loops = ordered or loops
    result = [*loops[:start], *[_of_kind(loop, UNROLLED) for loop in loops[start:]]]
    result[vector] = _of_kind(loops[vector], VECTOR)
    return tuple(result)


def _of_kind(loop: Loop, kind: int) -> Loop:
    return Loop(loop.variable, loop.size, loop.tail, kind)


def _has_kinds(nest: Nest) -> bool:
    for loops in nest:
        for loop in loops:
            if loop.kind != SEQUENTIAL:
                return True
    return False


def _ordered(problem: Contraction, nest: Nest, vector: int, start: int, lanes: int, registers: int) -> Loops | None:
    """The loops with those of the register tile, from `start` on, in the order that needs the fewest loads, sums
    outermost, then rows, then the vector's variable; None where they stay as they are, as do those that the
    initialisation shares."""
    loops = nest.compute
    if start < nest.shared:
        return None
    tile, column = loops[start:], loops[vector].variable
    sums, rows, columns = list[Loop](), list[Loop](), list[Loop]()
    results, width = 1, 1
    for loop in tile:
        if loop.tail:
            return None
        if loop.variable in problem.reduced:
            sums.append(loop)
        elif loop.variable == column:
            columns.append(loop)
            width *= loop.size
        else:
            rows.append(loop)
            results *= loop.size
    vectors = width / lanes
    fits = vectors <= results and vectors * results <= registers
    if not (columns and fits and (not sums or _straight(loops, vector, lanes) <= LARGEST_BODY)):
        return None
    return (*loops[:start], *_joined(sums), *_joined(rows), *columns)


def _joined(loops: Iterable[Loop]) -> list[Loop]:
    """Loops without tails, those of a variable as one."""
    sizes: dict[str, int] = {}
    for loop in loops:
        sizes[loop.variable] = sizes.get(loop.variable, 1) * loop.size
    return [Loop(variable, size) for variable, size in sizes.items()]


def _vector(problem: Contraction, loops: Loops) -> int | None:
    """The loop to be the vector; None if there is none that gains by it."""
    for at in range(len(loops) - 1, -1, -1):
        loop = loops[at]
        if loop.variable not in problem.vector or _counts_blocks(loops, at):
            break
        stride = problem.result.by_variable.get(loop.variable, 0)
        if stride == 1:
            return at
        moving = [r.by_variable[loop.variable] for r in problem.reads if loop.variable in r.by_variable]
        if stride == 0 and all(s == 1 for s in moving) and at == len(loops) - 1:
            return at
        if loop.size > _STRAIGHT or loop.tail:
            break
    return None


def _counts_blocks(loops: Loops, at: int) -> bool:
    """Whether an iteration of a loop has several elements."""
    return any(loop.variable == loops[at].variable and loop.size > 1 for loop in loops[at + 1 :])


def _straight(loops: Loops, vector: int, lanes: int) -> int:
    """Vector operations of the vector loop with all that stands inside it."""
    work = -(-(loops[vector].size + (loops[vector].tail > 0)) // lanes)
    for loop in loops[vector + 1 :]:
        work *= loop.size + (loop.tail > 0)
    return work


def _tile_start(problem: Contraction, loops: Loops, vector: int, lanes: int, registers: int) -> int:
    """The outermost loop of the register tile."""
    results, body, start = 1, 1, len(loops)
    for at in range(len(loops) - 1, -1, -1):
        loop = loops[at]
        size = -(-(loop.size + (loop.tail > 0)) // lanes) if at == vector else loop.size
        if at < vector and (loop.tail or size > _STRAIGHT):
            break
        results *= 1 if loop.variable in problem.reduced else size
        body *= size
        if at <= vector and (results > registers or body > BODY):
            break
        if at <= vector:
            start = at
    # A sum around all of the tile stays a loop: unrolled it needs more registers and gains nothing.
    while start < vector and loops[start].variable in problem.reduced:
        start += 1
    return min(start, vector)


def _store_shaped(problem: Contraction, store: Loops, shared: int) -> Loops:
    """The initialisation's own loops: a vector along which the result is contiguous, if that is the innermost."""
    if len(store) > shared and problem.result.by_variable.get(store[-1].variable) == 1:
        return (*store[:-1], store[-1]._replace(kind=VECTOR))
    return store
