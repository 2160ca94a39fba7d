"""Reroll: a loop whose body has been written out several times becomes the loop that it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.scop_transform import ScopTransform, fresh_name, place_of, together


@dataclass(frozen=True)
class Reroll(ScopTransform):
    """Undo an unrolling by hand.

    Rewrite (u times, in a loop that steps by u * s):
        for (i = lo; i < hi; i += u * s) { S(i);  S(i + s);  ...  S(i + (u - 1) * s); }
        ->  for (i = lo; i < hi rounded up to all of a body; i += s)  S(i);

    Loops that step by 1 and have ``u * i + k`` in their subscripts get u times the iterations. Every instance runs
    when it ran: nothing is reordered.

    Attributes:
        statement: one of the loop.
    References:
        Rocha et al., "Loop rolling for code size reduction", CGO 2022.
    """

    statement: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """One for every innermost loop whose body writes an array twice."""
        seen: set[tuple[int, ...]] = set()
        for statement in scop.statements:
            place = place_of(statement, statement.depth)
            if not statement.depth or place in seen:
                continue
            seen.add(place)
            written = [s.target.array for s in together(scop, statement, statement.depth)]
            if len(set(written)) < len(written):
                yield cls(statement.name)

    @property
    def action(self) -> str:
        return f"roll the loop around {self.statement} up again"

    def changed(self, scop: Scop) -> Scop:
        first = self.statement_of(scop, self.statement)
        body = together(scop, first, first.depth)
        if not first.depth or any(s.iterators != first.iterators for s in body):
            raise self.refused(scop, "there are loops inside")
        domain, row = first.domain.reset_tuple_id(), first.schedule[-2]
        if not all(s.domain.reset_tuple_id().is_equal(domain) and s.schedule[-2] == row for s in body):
            raise self.refused(scop, "its statements do not run equally often")
        if row not in (affine(first.iterators[-1]), -affine(first.iterators[-1])):
            raise self.refused(scop, "its iterations have an order of their own")
        step = domain.get_stride(first.depth - 1).to_python()
        for kept in range(1, len(body) // 2 + 1):
            if len(body) % kept == 0 and (rolled := _Rolled(body, kept, step).statements()) is not None:
                by_name = {statement.name: statement for statement in rolled}
                gone = {statement.name for statement in body[kept:]}
                new = (by_name.get(s.name, s) for s in scop.statements if s.name not in gone)
                return replace(scop, statements=tuple(new))
        raise self.refused(scop, "its body is no repetition")


class _Rolled:
    """A body as so many statements, repeated.

    Iteration i, repetition k becomes iteration ``scale * i + k * step`` of the new loop.
    """

    def __init__(self, body: tuple[Statement, ...], kept: int, step: int) -> None:
        self.body, self.kept = body, kept
        self.times = len(body) // kept
        self.variable = body[0].iterators[-1]
        self.scale = self.times // gcd(step, self.times)
        down = body[0].schedule[-2] != affine(self.variable)
        self.step = step * self.scale // self.times * (-1 if down else 1)

    def statements(self) -> list[Statement] | None:
        """What is left; None where it is no repetition."""
        fine = [self._fine(statement) for statement in self.body]
        for number, found in enumerate(fine):
            base = fine[number % self.kept]
            if found is None or base is None:
                return None
            distance = number // self.kept * self.step
            if _what(found) != _what(_moved(base, self.variable, distance)):
                return None
        return [replace(one, domain=self._domain(one)) for one in fine[: self.kept] if one is not None]

    def _fine(self, statement: Statement) -> Statement | None:
        """The first repetition of a statement, of the new loop's iterations."""

        def one(value: Affine) -> Affine:
            factor = value.coefficient(self.variable)
            rest = value - affine(self.variable) * factor
            if factor % self.scale or self.variable in rest.variables():
                raise _NotWholeError
            return rest + affine(self.variable) * (factor // self.scale)

        try:
            return statement if self.scale == 1 else statement.with_integers(one)
        except _NotWholeError:
            return None

    def _domain(self, statement: Statement) -> isl.Set:
        taken = frozenset((*statement.iterators, *statement.domain.get_var_dict(isl.dim_type.param)))
        fine, number = fresh_name("fine", taken), fresh_name("number", taken)
        outer = statement.iterators[:-1]
        before, after = (", ".join((*outer, last)) for last in (self.variable, fine))
        place = f"{fine} = {self.scale} * {self.variable} + {self.step} * {number}"
        moves = f"{{ [{before}] -> [{after}] : exists {number} : 0 <= {number} < {self.times} and {place} }}"
        found = statement.domain.reset_tuple_id().apply(isl.Map(moves)).coalesce()
        for position, name in enumerate(statement.iterators):
            found = found.set_dim_name(isl.dim_type.set, position, name)
        return found.set_tuple_name(statement.name)


class _NotWholeError(Exception):
    """An index that is none of the new loop's."""


def _what(statement: Statement) -> tuple[object, ...]:
    """What an iteration does, wherever it stands."""
    return statement.target, statement.value, statement.reduction, statement.conditional


def _moved(statement: Statement, variable: str, distance: int) -> Statement:
    """The statement as so many iterations later has it."""
    here = {variable: affine(variable) + distance}
    return statement.with_integers(lambda value: value.substitute(here))
