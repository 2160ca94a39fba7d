"""Conditions in normal form: comparisons as C writes them, and their opposites."""

from __future__ import annotations

from polyloop.backend.ir.affine import Affine, And, Compare, Condition, Not, Or, at_least, equal


def negate(condition: Condition) -> Condition:
    """The opposite, without a Not where there is a plain form."""
    match condition:
        case Compare(left, ">="):
            return Compare(-left - 1, ">=")
        case Compare(left, _):
            return Or((Compare(left - 1, ">="), Compare(-left - 1, ">=")))
        case And(operands):
            return Or(tuple(negate(o) for o in operands))
        case Or(operands):
            return And(tuple(negate(o) for o in operands))
        case Not(operand):
            return operand


def compare_affine(operator: str, left: Affine, right: Affine) -> Condition:
    """``left operator right`` for C's six comparisons."""
    match operator:
        case "<":
            return at_least(right, left + 1)
        case "<=":
            return at_least(right, left)
        case ">":
            return at_least(left, right + 1)
        case ">=":
            return at_least(left, right)
        case "==":
            return equal(left, right)
    return negate(equal(left, right))
