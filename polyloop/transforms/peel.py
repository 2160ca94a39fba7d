"""Peeling: the first or the last iterations of a loop run apart, so that all others have plain subscripts and no
conditions: borders of images and the padding of convolutions.

Like index-set splitting this changes the Scop, not its schedule. The order of execution stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, FloorDiv, affine
from polyloop.scop.affine_isl import bound_of, is_bounded
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.index_set_split import (
    FEW_ITERATIONS,
    alternatives,
    decided,
    extent,
    half,
    inside_loop,
)
from polyloop.transforms.scop_transform import ScopTransform, fresh_name, names_of, place_of, with_room


@dataclass(frozen=True)
class Peel(ScopTransform):
    """Run the first or the last iterations of a loop in a loop of their own.

    Rewrite (the first, up to 2):
        for x in [0, n):  a[x] = b[x < 2 ? 0 : x - 2]
        ->
        for x in [0, 2):  a[x] = b[0];
        for x in [2, n):  a[x] = b[x - 2];

    Everything in the loop is cut where the loop is; what runs apart gets new names. Legal by construction: the
    instances and their order are the same.

    Attributes:
        statement: the name of one in the loop.
        level: the loop's, 0 outermost.
        at: affine in the parameters: the iteration that the second of the loops begins with.
        first: whether the iterations before that run apart, else it and those behind it do.
    References:
        Bacon, Graham and Sharp, "Compiler Transformations for High-Performance Computing", ACM Computing Surveys 1994,
        6.3.5 (loop peeling) and 6.2.7 (index set splitting).
    """

    statement: str
    level: int
    at: Affine
    first: bool

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Where loops along rows of what they store come to iterations, or leave them, in which no subscript is chosen,
        nothing compared and nothing left out whatever the loops inside are at: ``x`` in ``[2, w - 2)`` of an image that
        a window of five looks at. Of several places so many iterations apart, the one that leaves nothing of them;
        where there is none, those of the loops across rows.
        """
        seen: set[tuple[int, ...]] = set()
        for statement in scop.statements:
            for levels in _along(statement):
                loops = [level for level in levels if not 0 < extent(statement, level) <= FEW_ITERATIONS]
                found = list[Self]()
                for level in loops:
                    loop = place_of(statement, level + 1)
                    if loop not in seen:
                        seen.add(loop)
                        ends = [end for s in inside_loop(scop, statement, level) for end in _ends(scop, s, level)]
                        found += (cls(statement.name, level, end.at, end.first) for end in _outermost(ends))
                yield from found
                if found:
                    break

    @property
    def action(self) -> str:
        part = f"before {self.at}" if self.first else f"from {self.at} on"
        return f"run iterations {part} of loop level {self.level} around {self.statement} apart"

    def changed(self, scop: Scop) -> Scop:
        """The Scop with the loop in two."""
        statement, level = self.statement_of(scop, self.statement), self.level
        if not 0 <= level < statement.depth:
            raise self.refused(scop, "there is no such loop")
        if unknown := sorted(self.at.variables() - {*scop.parameters}):
            raise self.refused(scop, f"{', '.join(unknown)} is no parameter")
        inside, taken, row = inside_loop(scop, statement, level), names_of(scop), 2 * level
        apart: list[Statement] = []
        rest: list[Statement] = []
        for s in inside:
            if s.schedule[row + 1] != affine(s.iterators[level]):
                raise self.refused(scop, f"its order is {s.schedule[row + 1]}")
            plane = affine(s.iterators[level]) - self.at
            before, behind = (_side(scop, s, plane, sign) for sign in ("<", ">="))
            edge, others = (before, behind) if self.first else (behind, before)
            places = s.schedule[row] + affine(not self.first), s.schedule[row] + affine(int(self.first))
            for name, domain, place, parts in (
                (fresh_name(f"{s.name}_edge", taken), edge, places[0], apart),
                (s.name, others, places[1], rest),
            ):
                if not domain.intersect_params(scop.known).is_empty():
                    order = (*s.schedule[:row], place, *s.schedule[row + 1 :])
                    part = replace(s, name=name, domain=domain.set_tuple_name(name), schedule=order)
                    parts.append(decided(scop, part))
        if not apart or not rest:
            raise self.refused(scop, "all of it lies on one side")
        new: list[Statement] = []
        for other in scop.statements:
            if other is inside[0]:
                new += [*apart, *rest] if self.first else [*rest, *apart]
            if other not in inside:
                new.append(with_room(other, level, statement, 1))
        return replace(scop, statements=tuple(new))


def _side(scop: Scop, statement: Statement, plane: Affine, sign: str) -> isl.Set:
    domain = statement.domain & half(scop, statement, plane, sign)
    return domain.coalesce().detect_equalities().remove_redundancies()


def _along(statement: Statement) -> Iterator[list[int]]:
    """The levels of the loops that move a statement's target along its rows, then of those that move it across, ..."""
    for subscript in reversed(statement.target.subscripts):
        plain = {atom for atom, _ in subscript.terms if isinstance(atom, str)}
        yield [level for level, name in enumerate(statement.iterators) if name in plain]


def _outermost(ends: Iterable[_End]) -> Iterator[_End]:
    """Of places so many iterations apart the one behind all others, or before them.

    Where iterations go by themselves, as none of the loops inside has a say, either side may be what runs apart: it is
    the one that is so many iterations long.
    """
    found: dict[tuple[bool, Affine], _End] = {}
    for end in ends:
        key = end.first, end.at - end.at.constant
        if not end.is_other_side:
            other = found.setdefault(key, end)
            found[key] = max(other, end, key=lambda one: one.at.constant if end.first else -one.at.constant)
    yield from found.values()


@dataclass(frozen=True)
class _End:
    """Where iterations of a loop end, or begin, in which it is open what a statement does.

    Attributes:
        first: whether these are the first ones.
        at: the iteration behind the first ones, or the first of the last ones.
        is_other_side: whether the iterations on the other side of it are so many that it is they that are few.
    """

    first: bool
    at: Affine
    is_other_side: bool


def _ends(scop: Scop, statement: Statement, level: int) -> Iterator[_End]:
    points = scop.points(statement)
    whole = _iterations(points, level)
    if points.is_empty() or not is_bounded(whole):
        return
    ends = [bound_of(whole, extreme, scop.known) for extreme in (isl.Set.dim_min, isl.Set.dim_max)]
    for holds, asked in _open(scop, statement, points, level):
        open_ = _iterations(asked - holds, level) & whole
        rest = whole - open_
        first, last = rest.lex_le_set(open_).is_empty(), open_.lex_le_set(rest).is_empty()
        if first == last:
            continue  # nothing is open, or everything, or what is stands among the others
        simpler, place = open_.gist(whole).coalesce(), isl.dim_type.set
        ends_there = simpler.dim_has_upper_bound(place, 0) if first else simpler.dim_has_lower_bound(place, 0)
        open_ = simpler if ends_there else open_
        at = bound_of(open_, isl.Set.dim_max, scop.known) + 1 if first else bound_of(open_, isl.Set.dim_min, scop.known)
        if all(isinstance(atom, str | FloorDiv) for atom, _ in at.terms):
            before, behind = at - ends[0], ends[1] + 1 - at
            apart, others = (before, behind) if first else (behind, before)
            fewer = apart.is_constant and apart.constant <= others.constant
            yield _End(first, at, (others.is_constant and not fewer) or not _grows(others))


def _grows(extent: Affine) -> bool:
    """Whether so many iterations are more where some parameter is larger, or they are some in any case."""
    return extent.constant > 0 if extent.is_constant else any(factor > 0 for _, factor in extent.terms)


def _open(scop: Scop, statement: Statement, points: isl.Set, level: int) -> Iterator[tuple[isl.Set, isl.Set]]:
    """What may hold in some iterations of loops inside and not in others, and the instances of which that is asked:
    comparisons, and bounds of loops inside that move with this one."""
    for left, sign in alternatives(statement):
        if statement.iterators[level] in left.variables():
            yield half(scop, statement, left, sign), points
    dimension, parts = isl.dim_type.set, points.get_basic_sets()
    constraints = parts[0].get_constraints() if len(parts) == 1 else []
    for constraint in constraints:
        inside = range(level + 1, statement.depth)
        moves = constraint.involves_dims(dimension, level, 1)
        if moves and not constraint.is_equality() and any(constraint.involves_dims(dimension, k, 1) for k in inside):
            universe = isl.BasicSet.universe(parts[0].get_space())
            others = universe
            for other in constraints:
                if other is not constraint:
                    others = others.add_constraint(other)
            yield isl.Set.from_basic_set(universe.add_constraint(constraint)), isl.Set.from_basic_set(others)


def _iterations(points: isl.Set, level: int) -> isl.Set:
    """The values of one loop's iterator."""
    dimension = isl.dim_type.set
    inner = points.dim(dimension) - level - 1
    return points.project_out(dimension, level + 1, inner).project_out(dimension, 0, level).reset_tuple_id()
