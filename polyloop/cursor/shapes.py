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

from math import prod

from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import SEQUENTIAL, UNROLLED, VECTOR, Loop, Loops, Nest, inner_elements

BODY = 48
"""Multiply-adds of vectors in one body: more compile slower and run no faster."""

LARGEST_BODY = 192
"""Multiply-adds of vectors up to which what stands inside a vector loop becomes straight-line code."""

_STRAIGHT = 64
"""Iterations of a loop that may become straight-line code."""


def shaped(problem: Contraction, nest: Nest, target: Target) -> Nest:
    """The nest with kinds for its inner loops; unchanged where any of its loops has a kind already."""
    if any(loop.kind != SEQUENTIAL for loop in (*nest.compute, *nest.store)):
        return nest
    compute = _shaped(problem, *_ordered(problem, nest, target), target)
    cut = next((k for k, loop in enumerate(compute) if loop.kind != SEQUENTIAL), len(compute))
    # A shared loop is one loop: it cannot be of a kind in one nest only.
    store = tuple(compute[k] if k < nest.shared else loop for k, loop in enumerate(nest.store))
    if problem.initial is not None and cut >= nest.shared:
        store = _store_shaped(problem, store, nest.shared)
    return Nest(compute, store)


def _ordered(problem: Contraction, nest: Nest, target: Target) -> tuple[Loops, int | None]:
    """The loops with those of a register tile in the order that needs the fewest loads, sums outermost, then rows, then
    the vector's variable; and where the tile begins, where sums have moved. Those of the initialisation stay."""
    loops, lanes = nest.compute, target.lanes(problem.element)
    vector = _vector(problem, loops)
    if vector is None:
        return loops, None
    start = _tile_start(problem, loops, vector, lanes, target.carried_registers)
    tile, column = loops[start:], loops[vector].variable
    sums = tuple(loop for loop in tile if loop.variable in problem.reduced)
    kept = [loop for loop in tile if loop.variable not in problem.reduced]
    columns = tuple(loop for loop in kept if loop.variable == column)
    rows = tuple(loop for loop in kept if loop.variable != column)
    vectors, others = prod(loop.size for loop in columns) / lanes, prod(loop.size for loop in rows)
    plain = start >= nest.shared and not any(loop.tail for loop in tile) and bool(columns)
    straight = _straight(loops, vector, lanes) <= LARGEST_BODY
    fits = vectors <= others and vectors * others <= target.carried_registers
    if not (plain and fits and (straight or not sums)):
        return loops, None
    return (*loops[:start], *_joined(sums), *_joined(rows), *columns), start


def _joined(loops: Loops) -> Loops:
    """Loops without tails, those of a variable as one."""
    sizes = dict.fromkeys((loop.variable for loop in loops), 1)
    for loop in loops:
        sizes[loop.variable] *= loop.size
    return tuple(Loop(variable, size) for variable, size in sizes.items())


def _shaped(problem: Contraction, loops: Loops, tile: int | None, target: Target) -> Loops:
    lanes = target.lanes(problem.element)
    vector = _vector(problem, loops)
    if vector is None:
        return loops
    if tile is None and _straight(loops, vector, lanes) > LARGEST_BODY:
        return (*loops[:vector], loops[vector]._replace(kind=VECTOR), *loops[vector + 1 :])
    start = tile if tile is not None else _tile_start(problem, loops, vector, lanes, target.carried_registers)
    kinds = {vector: VECTOR} | {k: UNROLLED for k in range(start, len(loops)) if k != vector}
    return tuple(loop._replace(kind=kinds.get(k, SEQUENTIAL)) for k, loop in enumerate(loops))


def _vector(problem: Contraction, loops: Loops) -> int | None:
    """The loop to be the vector; None if there is none that gains by it."""
    for at in range(len(loops) - 1, -1, -1):
        loop = loops[at]
        if loop.variable not in problem.vector or inner_elements(loops[at:])[0] > 1:
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
