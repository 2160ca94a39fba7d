"""How many floating-point operations a Scop carries out."""

from __future__ import annotations

from collections.abc import Mapping

from polyloop.backend.expressions import Binary, Call, Expression, walk
from polyloop.inputs import instances
from polyloop.scop import Scop

_COUNTED = ("+", "-", "*", "/")


def operations(value: Expression) -> int:
    """Arithmetic operations of one evaluation: + - * / and calls; comparisons, minima and conversions count none."""
    return sum(
        isinstance(node, Call) or (isinstance(node, Binary) and node.operator in _COUNTED) for node in walk(value)
    )


def flops(scop: Scop, sizes: Mapping[str, int]) -> int:
    """Operations of one run; a domain counts as the box around it."""
    return sum(operations(s.value) * int(instances(scop, s, sizes)) for s in scop.statements)
