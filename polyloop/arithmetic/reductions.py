"""Which assignments are reductions: ``target = target op e`` with an operator whose order does not matter on paper."""

from __future__ import annotations

from polyloop.backend.ir.expressions import Access, Binary, Call, Comparison, Expression, Read, Select, reads

_REDUCTIONS = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}


def reduction_of(target: Access, value: Expression) -> str | None:
    """The operator of ``target = target op e`` (see `polyloop.scop.model.Statement`)."""
    match value:
        case Binary(operator, left, right) if operator in _REDUCTIONS:
            if _is(left, target) and not _touches(right, target):
                return _REDUCTIONS[operator]
            if operator != "-" and _is(right, target) and not _touches(left, target):
                return _REDUCTIONS[operator]
        case Call("fmin" | "fmax" | "fminf" | "fmaxf" as function, (a, b)):
            if (_is(a, target) and not _touches(b, target)) or (_is(b, target) and not _touches(a, target)):
                return function[1:4]
        case Select(Comparison("<" | "<=" | ">" | ">=" as operator, a, b), then, otherwise):
            return _extremum(operator, (a, b), (then, otherwise), target)
    return None


def _extremum(
    operator: str, compared: tuple[Expression, Expression], chosen: tuple[Expression, Expression], target: Access
) -> str | None:
    if sum(_is(e, target) for e in compared) != 1 or any(_touches(e, target) and not _is(e, target) for e in compared):
        return None
    less = operator in ("<", "<=")
    if chosen == compared:
        return "min" if less else "max"
    if chosen == compared[::-1]:
        return "max" if less else "min"
    return None


def _is(expression: Expression, target: Access) -> bool:
    return isinstance(expression, Read) and expression.access == target


def _touches(expression: Expression, target: Access) -> bool:
    return any(node.access == target for node in reads(expression))
