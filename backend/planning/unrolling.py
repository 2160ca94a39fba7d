"""How many steps of an innermost loop stand one behind the other in machine code.

Printers of machine code ask here; C leaves it to its compiler: gcc 12 loads for all steps of a register tile ahead,
into more registers than there are (1.2 to 2.0 times as slow).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import uses, walk
from polyloop.backend.machine import core
from polyloop.backend.machine.target import Target


def steps_at_once(loop: v.For, count: int | None, target: Target) -> int:
    """As many as `unroll` says, or as the few operations of a step leave room for where the loop surely has many or, of
    an unknown number, sums up a register tile. Sums that take more than three quarters of the registers get one step.

    Args:
        count: of the loop's steps; None: it is not known.
    """
    if loop.unroll > 1 or loop.going is not None or not target.has_fma:
        return loop.unroll
    inside = tuple(walk(loop.body))
    if any(isinstance(statement, v.For) for statement in inside) or (loop.carried and not _fits(loop, inside)):
        return 1
    registers = sum(-(-c.type.lanes * c.type.element.bits // target.vector_bits) for c in loop.carried)
    if 4 * registers > 3 * target.vector_registers or (count is None and registers < core.TILE_SUMS):
        return 1
    rounds = inf if count is None else count // core.ROUNDS
    most = min(rounds, core.STEPS_IN_LINE[1] // max(1, len(inside)))
    return next((steps for steps in core.STEPS_IN_LINE[0] if steps <= most), 1)


def _fits(loop: v.For, inside: Sequence[v.Statement]) -> bool:
    """Whether several steps need no more registers than one: every vector that is loaded or spread is used more than
    once, as LLVM puts a sum into the register of a factor that nothing else needs, and every one that is computed is
    carried on."""
    counts, carried = Counter(value.name for value in uses(inside)), {c.next.name for c in loop.carried}
    for statement in inside:
        match statement:
            case v.Let(name, v.Load(type=made) | v.Broadcast(type=made)) if made.lanes > 1:
                fits = counts[name] > 1
            case v.Let(name, v.Arithmetic() | v.Apply() | v.Pick()) if statement.value.type.lanes > 1:
                fits = name in carried
            case _:
                fits = True
        if not fits:
            return False
    return True
