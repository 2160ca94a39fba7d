"""ClosedForm: a floating-point number that every iteration adds the same to, as an expression of the iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import copysign, isfinite
from typing import Self

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine, maximum
from polyloop.scop.affine_isl import NotAffineError, affine_from_aff, affine_to_text
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.scop_transform import ScopTransform, order_of, place_of

_EXACT = {32: 24, 64: 53}
"""Bits of integers that numbers of so many bits hold exactly."""

_MOST = 31
"""Bits of the integers that are converted: they fit an int."""


@dataclass(frozen=True)
class ClosedForm(ScopTransform):
    """Compute what a loop sums up step by step at once.

    Rewrite:
        s = c0;  for (i = lo; i <= hi; i++) { s += c;  a[i] = f(s); }
        ->  s = c0 + c * (hi - lo + 1);  for (i = lo; i <= hi; i++)  a[i] = f(c0 + c * (i - lo + 1));

    Iterations then need not wait for each other. Sums of floating-point numbers are rounded, so it is done only where
    none is: where c0, c and all sums between them are integers, or the same fraction of a power of two times integers,
    that the type holds exactly.

    Attributes:
        scalar: its name.
    """

    scalar: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """One for every floating-point scalar that a statement adds a number to."""
        for array in scop.arrays:
            steps = [s for s in scop.statements if s.target.array == array.name and _step(s) is not None]
            if array.type.is_float and not array.shape and len(steps) == 1:
                yield cls(array.name)

    @property
    def action(self) -> str:
        return f"compute {self.scalar} at once"

    def changed(self, scop: Scop) -> Scop:
        writers = scop.writers(self.scalar)
        steps = [s for s in writers if _step(s) is not None]
        if len(writers) != 2 or len(steps) != 1:
            raise self.refused(scop, "it is not set once and moved in one place")
        (step,), (first,) = steps, [s for s in writers if s not in steps]
        if not isinstance(first.value, e.Literal) or first.depth != step.depth - 1:
            raise self.refused(scop, f"{first.name} does not set it to a number in front of the loop")
        sums = _Sums(scop, first, step)
        if sums.reason:
            raise self.refused(scop, sums.reason)
        new: list[Statement] = []
        for statement in scop.statements:
            if statement is first:
                new.append(replace(first, value=sums.last))
            elif statement is not step:
                new.append(sums.without(statement))
        return replace(scop, statements=tuple(new))


class _Sums:
    """The values that a scalar takes in a loop.

    Attributes:
        reason: why they are not known; "" where they are.
        last: what it is behind the loop.
    """

    def __init__(self, scop: Scop, first: Statement, step: Statement) -> None:
        self.scop, self.first, self.step = scop, first, step
        self.type = scop.array(first.target.array).type
        self.last: e.Expression = first.value
        self.points = scop.points(step).reset_tuple_id()
        self.reason = self._reason()

    def _reason(self) -> str:
        scop, first, step = self.scop, self.first, self.step
        level = first.depth
        if place_of(first, level) != place_of(step, level) or order_of(first) >= step.schedule[2 * level].constant:
            return f"{first.name} does not set it to a number in front of the loop"
        for other in scop.statements:
            asks = any(read.array == self.first.target.array for read in other.reads)
            if asks and other is not step and self._is_between(other):
                return f"{other.name} asks for it before the loop"
        variable = step.iterators[-1]
        if step.schedule[-2] != affine(variable):
            return "its loop does not run up one by one"
        if step.domain.get_stride(level).to_python() != 1:
            return "its loop does not run up one by one"
        low, high = self._end(isl.Map.lexmin_pw_multi_aff), self._end(isl.Map.lexmax_pw_multi_aff)
        if low is None or high is None or not self._all_between(low, high):
            return "its loop has no plain bounds"
        self.low, self.high = low, high
        return self._rounded()

    def _rounded(self) -> str:
        """Why sums may be rounded."""
        amount, start = _step(self.step), self.first.value
        assert isinstance(start, e.Literal)
        assert amount is not None
        if not isfinite(start.value) or not isfinite(amount) or (start.value == 0 and copysign(1.0, start.value) < 0):
            return "it is no number that sums keep"
        start_, amount_ = Fraction(start.value), Fraction(amount)
        self.unit = Fraction(1, max(start_.denominator, amount_.denominator))
        self.start, self.amount = int(start_ / self.unit), int(amount_ / self.unit)
        number = affine_to_text(affine(self.step.iterators[-1]) - self.low)
        counts = self.points.apply(self._map(f"[{', '.join(self.step.iterators)}] -> [{number}]"))
        trips = counts.dim_max_val(0) if not counts.is_empty() else isl.Val.zero(counts.get_ctx())
        if not trips.is_int():
            return "nobody knows how far it goes"
        largest = abs(self.start) + abs(self.amount) * (trips.to_python() + 1)
        bits = min(_EXACT.get(self.type.bits, 0), _MOST)
        if largest >= 1 << bits or self.unit < Fraction(1, 1 << 64):
            return "its sums are rounded"
        self.last = self._value(maximum(self.high - self.low + 1, 0))
        return ""

    def _value(self, count: Affine) -> e.Expression:
        number: e.Expression = e.Cast(e.Index(count * self.amount + self.start, e.I32), self.type)
        if self.unit == 1:
            return number
        return e.Binary("*", number, e.Literal(float(self.unit), self.type), self.type)

    def _end(self, of: Callable[[isl.Map], isl.PwMultiAff]) -> Affine | None:
        """The loop's first or last iteration, by the loops around; None where there is no one expression of it."""
        outer = self.step.iterators[:-1]
        inside = self._map(f"[{', '.join(self.step.iterators)}] -> [{', '.join(outer)}]")
        pieces = of(inside.intersect_domain(self.points).reverse()).get_pw_aff(len(outer)).get_pieces()
        try:
            return affine_from_aff(pieces[0][1], outer) if len(pieces) == 1 else None
        except NotAffineError:
            return None

    def _all_between(self, low: Affine, high: Affine) -> bool:
        """Whether the loop leaves nothing out."""
        outer = ", ".join(self.step.iterators[:-1])
        names, variable = ", ".join(self.step.iterators), self.step.iterators[-1]
        bounds = f"{affine_to_text(low)} <= {variable} <= {affine_to_text(high)}"
        around = self.points.apply(self._map(f"[{names}] -> [{outer}]"))
        return bool(around.apply(self._map(f"[{outer}] -> [{names}] : {bounds}")).is_subset(self.points))

    def _map(self, text: str) -> isl.Map:
        return isl.Map(f"[{', '.join(self.scop.parameters)}] -> {{ {text} }}")

    def _is_between(self, other: Statement) -> bool:
        """Whether a statement runs behind what sets the scalar and before the loop."""
        level = self.first.depth
        if place_of(other, level) != place_of(self.first, level) or len(other.schedule) <= 2 * level:
            return False
        place = other.schedule[2 * level].constant
        return order_of(self.first) < place < self.step.schedule[2 * level].constant

    def without(self, statement: Statement) -> Statement:
        """The statement, with the scalar's value in the loop in its place."""
        depth = self.step.depth
        if statement.depth < depth or place_of(statement, depth) != place_of(self.step, depth):
            return statement
        behind = statement.schedule[2 * depth].constant > order_of(self.step)
        iteration = affine(statement.iterators[depth - 1]) - self.low
        value = self._value(iteration + int(behind))
        read = e.Read(self.first.target, self.type)
        return replace(statement, value=e.rewrite(statement.value, lambda node: value if node == read else node))


def _step(statement: Statement) -> float | None:
    """What a statement adds to its scalar; None if it does anything else."""
    own, value = e.Read(statement.target, statement.value.type), statement.value
    while isinstance(value, e.Cast) and value.operand.type.is_float:
        value = value.operand
    match value:
        case e.Binary("+" | "-" as sign, left, e.Literal(amount)) if _unconverted(left) == own and statement.depth:
            return float(amount) if sign == "+" else -float(amount)
        case e.Binary("+", e.Literal(amount), right) if _unconverted(right) == own and statement.depth:
            return float(amount)
    return None


def _unconverted(value: e.Expression) -> e.Expression:
    return value.operand if isinstance(value, e.Cast) and value.operand.type.is_float else value
