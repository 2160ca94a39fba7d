"""Normalise: a loop that moves in steps of some iterations counts these steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.scop.affine_isl import NotAffineError, affine_from_aff
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.scop_transform import ScopTransform, fresh_name, names_of, place_of, together

MOST = 8
"""Largest step: larger ones are those of tiles, whose length means something."""


@dataclass(frozen=True)
class Normalise(ScopTransform):
    """Let the counter of a loop that moves in steps count these.

    Rewrite:
        for (i = 0; i < n; i += 2) a[i / 2] = b[i];   ->   for (i = 0; 2 * i < n; i++) a[i] = b[2 * i];

    The order stays as it is; subscripts that are divided by the step, and neighbouring stores, become plain.

    Attributes:
        statement: any in the loop.
        level: how many loops stand around that.
    """

    statement: str
    level: int

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """One for every loop that moves in steps."""
        seen = set[tuple[int, ...]]()
        for statement in scop.statements:
            for level in range(statement.depth):
                if (place := place_of(statement, level + 1)) not in seen:
                    seen.add(place)
                    if 1 < statement.domain.get_stride(level).to_python() <= MOST:
                        yield cls(statement.name, level)

    @property
    def action(self) -> str:
        return f"count the steps of loop {self.level} around {self.statement}"

    def changed(self, scop: Scop) -> Scop:
        first, level = self.statement_of(scop, self.statement), self.level
        if not 0 <= level < first.depth:
            raise self.refused(scop, "there is no such loop")
        body = together(scop, first, level + 1)
        steps = {self._step(scop, statement) for statement in body}
        if len(steps) > 1:
            raise self.refused(scop, "its statements move in different steps")
        (step, first_value), names = *steps, names_of(scop)
        new = {s.name: _counted(s, level, step, first_value, fresh_name("k", names)) for s in body}
        return replace(scop, statements=tuple(new.get(s.name, s) for s in scop.statements))

    def _step(self, scop: Scop, statement: Statement) -> tuple[int, Affine]:
        """How far the counter moves, and what it is at some step, by the counters of loops around."""
        own = affine(statement.iterators[self.level])
        if statement.schedule[2 * self.level + 1] not in (own, -own):
            raise self.refused(scop, "its iterations have an order of their own")
        info = statement.domain.get_stride_info(self.level)
        try:
            offset = affine_from_aff(info.get_offset(), statement.iterators)
        except NotAffineError as error:
            raise self.refused(scop, "nobody knows where its steps begin") from error
        step = info.get_stride().to_python()
        known = {*scop.parameters, *statement.iterators[: self.level]}
        if step < 2 or not offset.variables() <= known or offset.divisions:
            raise self.refused(scop, "it does not move in steps from one place on")
        return step, offset - offset.constant + offset.constant % step


def _counted(statement: Statement, level: int, step: int, first: Affine, fresh: str) -> Statement:
    name = statement.iterators[level]
    here = affine(name) * step + first
    before, behind = ([*statement.iterators[:level], one, *statement.iterators[level + 1 :]] for one in (name, fresh))
    parameters = ", ".join(sorted(first.variables().difference(before)))
    place = here.substitute({name: affine(fresh)})
    moves = isl.Map(f"[{parameters}] -> {{ [{', '.join(before)}] -> [{', '.join(behind)}] : {name} = {place} }}")
    domain = statement.domain.reset_tuple_id().apply(moves).coalesce()
    for position, iterator in enumerate(statement.iterators):
        domain = domain.set_dim_name(isl.dim_type.set, position, iterator)
    moved = statement.with_integers(lambda value: value.substitute({name: here}))
    return replace(moved, domain=domain.set_tuple_name(statement.name))
