"""Which additions absorb a multiplication: clang's ``-ffp-contract=on``.

Clang decides while it generates code for one expression tree: an addition or subtraction whose direct operand is a
floating multiplication, possibly behind one unary minus, becomes one fused multiply-add; the left operand is asked
first. Multiplications that were folded to a constant are gone by then, and conversions, calls and ``?:`` hide what is
behind them. Interpreter and planner share this one rule, so that both round where clang does.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.backend.ir.expressions import Binary, Cast, Expression, Index, Literal, Unary


@dataclass(frozen=True)
class Fused:
    """``(negate_a ? -a : a) * b + (negate_c ? -c : c)``, rounded once."""

    a: Expression
    b: Expression
    c: Expression
    negate_a: bool
    negate_c: bool


def contracted(node: Expression) -> Fused | None:
    """How clang fuses this node, or None where it does not."""
    match node:
        case Binary("+" | "-" as operator, left, right, type_) if type_.is_float:
            subtracts = operator == "-"
        case _:
            return None
    if (product := _product(left)) is not None:
        a, b, negated = product
        return Fused(a, b, right, negated, subtracts)
    if (product := _product(right)) is not None:
        a, b, negated = product
        return Fused(a, b, left, negated != subtracts, False)
    return None


def is_literal(node: Expression) -> bool:
    """Whether the compiler folds the whole subtree to a constant while it generates code."""
    match node:
        case Literal():
            return True
        case Index(value, _):
            return value.is_constant
        case Unary(_, operand, _) | Cast(operand, _):
            return is_literal(operand)
        case Binary(_, left, right, _):
            return is_literal(left) and is_literal(right)
        case _:
            return False


def _product(operand: Expression) -> tuple[Expression, Expression, bool] | None:
    """The factors of a product, and whether it stands behind a minus."""
    operand = _unconverted(operand)
    negated = False
    match operand:
        case Unary("-", inner, _):
            negated, operand = True, _unconverted(inner)
    match operand:
        case Binary("*", a, b, _) if not is_literal(operand):
            return a, b, negated
        case _:
            return None


def _unconverted(node: Expression) -> Expression:
    """A cast to the type that the operand already has generates no code."""
    while isinstance(node, Cast) and node.operand.type == node.type:
        node = node.operand
    return node
