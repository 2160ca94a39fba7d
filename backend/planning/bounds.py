"""Trip counts: constant ones, and constant limits of others."""

from __future__ import annotations

from polyloop.backend.ir.affine import Affine, Max, Min, maximum, minimum
from polyloop.backend.planning.facts import Facts


def constant_trips(lower: Affine, upper: Affine, step: int) -> int | None:
    """How often the loop runs where that is a constant (0 or more)."""
    length = upper - lower
    if not length.is_constant:
        return None
    return max(0, -(-length.constant // step))


def largest_trips(lower: Affine, upper: Affine) -> int | None:
    """A constant that upper - lower does not exceed: the least difference of an operand above and one below."""
    differences = [top - bottom for top in upper_operands(upper) for bottom in (lower, *lower_operands(lower))]
    constants = [d.constant for d in differences if d.is_constant]
    return max(0, min(constants)) if constants else None


def proven_trips(lower: Affine, upper: Affine, facts: Facts, limit: int) -> int | None:
    """The least constant up to the limit that upper - lower provably does not exceed."""
    length = upper - lower
    if not facts.nonnegative(limit - length):
        return None
    low, high = 0, limit
    while low < high:
        middle = (low + high) // 2
        if facts.nonnegative(middle - length):
            high = middle
        else:
            low = middle + 1
    return high


def upper_operands(upper: Affine) -> tuple[Affine, ...]:
    """The bounds that must all hold: the operands of a minimum."""
    match upper:
        case Affine(((Min(operands), 1),), shift):
            return tuple(operand + shift for operand in operands)
        case _:
            return (upper,)


def lower_operands(lower: Affine) -> tuple[Affine, ...]:
    """The bounds whose maximum a lower bound is."""
    match lower:
        case Affine(((Max(operands), 1),), shift):
            return tuple(operand + shift for operand in operands)
        case _:
            return (lower,)


def outward(value: Affine) -> Affine:
    """A sum with one minimum or maximum in it as the minimum or maximum of sums: bounds are read so."""
    extrema = [(atom, c) for atom, c in value.terms if isinstance(atom, Min | Max)]
    if len(extrema) != 1 or abs(extrema[0][1]) != 1:
        return value
    atom, sign = extrema[0]
    rest = value - Affine(((atom, sign),), 0)
    pick = minimum if isinstance(atom, Min) == (sign == 1) else maximum
    return pick(*(rest + operand * sign for operand in atom.operands))
