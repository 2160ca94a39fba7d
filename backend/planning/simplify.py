"""The same nest with simpler bounds: operands that never decide dropped, conditions turned into bounds.

Rewrites:
    for i in [max(0, a), b): S, where a >= 0 is known  ->  for i in [a, b): S
    for i in [a, b): if i >= c && q: S                 ->  for i in [max(a, c), b): if q: S
    if c: S else T, where c is known                   ->  S
"""

from __future__ import annotations

from dataclasses import replace

from polyloop.backend.ir.affine import (
    TRUE,
    Affine,
    And,
    Compare,
    Condition,
    affine,
    maximum,
    minimum,
)
from polyloop.backend.ir.loop_nest import Block, Compute, Guard, Loop, LoopKind, Node, with_body
from polyloop.backend.planning.facts import (
    Facts,
    constant_trips,
    largest_trips,
    lower_operands,
    proven_trips,
    upper_operands,
)

EMPTY = Block(())
LARGEST_TILE = 64
"""Loops that stand for the points of a tile run no more often."""


def simplified(node: Node, facts: Facts) -> Node:
    """The node with what the facts decide decided; what it computes, in which order, stays."""
    match node:
        case Compute():
            return node
        case Block(children):
            return block(tuple(simplified(child, facts) for child in children))
        case Guard(condition, body, orelse):
            if facts.holds(condition):
                return simplified(body, facts)
            if facts.refuted(condition):
                return simplified(orelse, facts)
            first = simplified(body, facts.with_condition(condition))
            second = simplified(orelse, facts.with_condition(condition, holds=False))
            return EMPTY if first == second == EMPTY else Guard(condition, first, second)
        case Loop():
            return _loop(_absorb_guard(node), facts)


def block(children: tuple[Node, ...]) -> Node:
    """Blocks flattened; one child stands for itself."""
    flat: list[Node] = []
    for child in children:
        flat.extend(child.children if isinstance(child, Block) else (child,))
    return flat[0] if len(flat) == 1 else Block(tuple(flat))


def _loop(loop: Loop, facts: Facts) -> Node:
    upper = minimum(*_undominated(upper_operands(loop.upper), facts, smallest=True))
    lower = maximum(*_undominated(lower_operands(loop.lower), facts, smallest=False))
    if loop.kind in (LoopKind.UNROLLED, LoopKind.VECTOR) and loop.step == 1:
        upper = _with_limit(lower, upper, facts)
    trips = constant_trips(lower, upper, loop.step)
    if trips == 0 or (trips is None and facts.nonnegative(lower - upper)):
        return EMPTY
    body = simplified(loop.body, facts.with_loop(loop.variable, lower, upper))
    if body == EMPTY:
        return EMPTY
    if (lower, upper) == (loop.lower, loop.upper):
        return with_body(loop, body)
    return replace(loop, lower=lower, upper=upper, body=body)


def _with_limit(lower: Affine, upper: Affine, facts: Facts) -> Affine:
    """Make a constant limit of the trip count visible as an operand of the upper bound: tiles are planned by it."""
    if largest_trips(lower, upper) is not None:
        return upper
    limit = proven_trips(lower, upper, facts, LARGEST_TILE)
    return upper if limit is None else minimum(upper, lower + limit)


def _undominated(operands: tuple[Affine, ...], facts: Facts, smallest: bool) -> tuple[Affine, ...]:
    """Without operands that another one always undercuts (for a minimum) or exceeds (for a maximum)."""
    kept = list(operands)
    for operand in operands:
        others = [o for o in kept if o != operand]
        if any(facts.nonnegative(operand - o if smallest else o - operand) for o in others):
            kept = others
    return tuple(kept)


def _absorb_guard(loop: Loop) -> Loop:
    """Conditions on the loop's own variable around the whole body narrow its bounds."""
    match loop:
        case Loop(step=1, body=Guard(condition, body, Block(()))):
            pass
        case _:
            return loop
    lowers, uppers, rest = [loop.lower], [loop.upper], []
    for conjunct in _conjuncts(condition):
        narrowed = _as_bound(conjunct, loop.variable)
        if narrowed is None:
            rest.append(conjunct)
        else:
            (uppers if narrowed[0] else lowers).append(narrowed[1])
    if len(lowers) + len(uppers) == 2:
        return loop
    inner = body if not rest else Guard(rest[0] if len(rest) == 1 else And(tuple(rest)), body)
    return _absorb_guard(replace(loop, lower=maximum(*lowers), upper=minimum(*uppers), body=inner))


def _conjuncts(condition: Condition) -> tuple[Condition, ...]:
    match condition:
        case And(operands):
            return tuple(c for operand in operands for c in _conjuncts(operand))
        case _:
            return () if condition == TRUE else (condition,)


def _as_bound(condition: Condition, variable: str) -> tuple[bool, Affine] | None:
    """(False, lower bound) or (True, upper bound, exclusive) that the condition is for the variable."""
    match condition:
        case Compare(left, ">=") if abs(left.coefficient(variable)) == 1:
            rest = left - affine(variable) * left.coefficient(variable)
            if variable in rest.variables():
                return None
            return (False, -rest) if left.coefficient(variable) == 1 else (True, rest + 1)
        case _:
            return None
