"""Quotients of integers in lanes, by way of floating-point numbers.

Processors have no division of vectors of integers: lanes that divide by what no literal says would be divided one by
one. They have one of floating-point numbers:

    VECTOR i:  a[i] = b[i] / d[i]
    ->  VECTOR i:  a[i] = (i32)(((f64)b[i] + ((f64)b[i] < 0.0 ? -0.5 : 0.5)) / (f64)d[i])

and times 1.0 / d where all lanes have one divisor. The rest of a division is the dividend less quotient times divisor.

Before it is cut off, the number is at least 1 / (2 |d|) away from every integer. That is a share of 1 / (2 |b| + 1) of
it, more than conversion, division and multiplication lose together: in doubles for integers of 32 bits, in floats for
those of 20. So quotients are exact, also where compilers may divide by reciprocals (-Ofast), and nothing traps in a
lane that divides by zero where C does not.

References:
    Alverson, "Integer Division Using Reciprocals", ARITH 1991.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import F32, F64, I32, Expression
from polyloop.backend.ir.loop_nest import Compute, Loop, LoopKind, LoopNest, Node, map_children
from polyloop.backend.ir.ranges import Known, fits, value_bounds
from polyloop.backend.planning.lanes import computes, is_same_in_lanes
from polyloop.backend.planning.values import divides_integers

_IN_FLOATS = 1 << 20
"""Dividends and divisors whose quotients are exact in floats, at half of the loss that there may be."""


def with_quotients(nest: LoopNest) -> LoopNest:
    """The nest whose vector loops divide integers of at most 32 bits so, but by literals; the same one without any."""
    lanes = _Quotients()
    body = lanes.node(nest.body)
    return replace(nest, body=body) if lanes.found else nest


@dataclass
class _Quotients:
    """Rewrites loops; `found`: there was something to rewrite."""

    found: bool = False
    _known: Known = field(default_factory=Known)

    def node(self, node: Node) -> Node:
        if isinstance(node, Loop) and node.kind is LoopKind.VECTOR:
            written = {compute.target.array for compute in computes(node.body)}
            return replace(node, body=self._inside(node.body, node, written))
        return map_children(node, self.node)

    def _inside(self, node: Node, loop: Loop, written: Set[str]) -> Node:
        if not isinstance(node, Compute):
            return map_children(node, lambda inner: self._inside(inner, loop, written))

        def changed(value: Expression) -> Expression:
            match value:
                case e.Binary(operator, left, right, type_) if divides_integers(value) and type_.bits <= 32:
                    self.found = True
                    quotient = self._quotient(left, right, is_same_in_lanes(right, loop, written))
                    if operator == "/":
                        return quotient
                    return e.Binary("-", left, e.Binary("*", quotient, right, type_), type_)
                case e.Read(access, type_) if access.data:
                    return e.Read(e.rewrite_access(access, changed), type_)
            return value

        # What is stored to where data say has no lanes.
        return replace(node, value=e.rewrite(node.value, changed))

    def _quotient(self, left: Expression, right: Expression, same: bool) -> Expression:
        """Rounded towards zero; `same`: the divisor is the same in all lanes."""
        dividend, divisor = value_bounds(left, self._known), value_bounds(right, self._known)
        wide = F32 if max(map(abs, (*dividend, *divisor))) <= _IN_FLOATS else F64
        number, by = e.Cast(left, wide), e.Cast(right, wide)
        half: Expression = e.Literal(0.5, wide)
        if dividend[0] < 0:  # where a comparison of numbers as wide has a mask that fits
            half = e.Select(e.Comparison("<", number, e.Literal(0.0, wide)), e.Literal(-0.5, wide), half, wide)
        near = e.Binary("+", number, half, wide)
        parts = e.Binary("*", near, e.Binary("/", e.Literal(1.0, wide), by, wide), wide)
        quotient = parts if same else e.Binary("/", near, by, wide)
        small = left.type.bits < 32 or fits(dividend, I32)
        return e.Cast(e.Cast(quotient, I32), left.type) if small and left.type != I32 else e.Cast(quotient, left.type)
