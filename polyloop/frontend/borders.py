"""Rows with a border in front of them: ``in[y * stride + x - 1]`` from x = 0 on, where ``in`` points behind the border.

Distinct subscripts of an array with rows are distinct elements where columns lie between 0 and the row's length. They
are so as well where columns lie between any other number and as much more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from polyloop.backend.ir.affine import Affine, And, Condition, affine, at_least, equal
from polyloop.scop.affine_isl import affine_from_ast, condition_set

_SEVERAL = 8
"""A loop with more iterations than so many goes over columns, or rows; one with fewer may be the border."""


@dataclass(frozen=True)
class Use:
    """An access to a linearised array: where it takes place, and the ways to split its subscript, likeliest first."""

    iterators: tuple[str, ...]
    points: isl.Set
    splits: Sequence[Sequence[Affine]]

    def columns(self) -> isl.Set:
        """What the likeliest split has in its last dimension."""
        return self.values(-1)

    def values(self, place: int) -> isl.Set:
        """What the likeliest split has in a dimension."""
        column = "polyloop_column"
        values = condition_set((*self.iterators, column), equal(affine(column), self.splits[0][place]))
        values = values & self.points.add_dims(isl.dim_type.set, 1)
        return values.project_out(isl.dim_type.set, 0, len(self.iterators))

    def is_cramped(self, rows: Sequence[Affine]) -> bool:
        """Whether columns from 0 on leave no parameters, sizes above zero, with which all loops run for long."""
        running = self.points.params()
        for place in range(running.dim(isl.dim_type.param)):
            running = running.lower_bound_val(isl.dim_type.param, place, 1)
        for place in range(len(self.iterators)):
            others = self.points.project_out(isl.dim_type.set, place + 1, len(self.iterators) - place - 1)
            mine = others.project_out(isl.dim_type.set, 0, place)
            apart = isl.Set(f"{{ [a, b] : b >= a + {_SEVERAL} }}")
            long_ = mine.flat_product(mine).intersect(apart).params()
            running = running if long_.is_empty() else running & long_
        return all((running - self.leaving(split, rows)).is_empty() for split in self.splits)

    def leaving(self, split: Sequence[Affine], rows: Sequence[Affine]) -> isl.Set:
        """The parameters with which a split leaves the row somewhere."""
        inside = And(inside_rows(split[1:], rows, affine(0)))
        return (self.points - condition_set(self.iterators, inside)).params()


def inside_rows(values: Sequence[Affine], rows: Sequence[Affine], first_column: Affine) -> tuple[Condition, ...]:
    """That the inner subscripts name an element of their row; the first column lies in the row before, at most."""
    firsts = [*[affine(0)] * (len(rows) - 1), first_column]
    found: list[Condition] = []
    for value, extent, first in zip(values, rows, firsts, strict=True):
        found += [at_least(value, first), at_least(first + extent - 1, value)]
    return (*found, at_least(first_column + rows[-1], 1)) if first_column != affine(0) else tuple(found)


def moves_with_rows(use: Use) -> bool:
    """Whether the bounds of a loop over columns name the counter of one over rows, or both are in the columns."""
    if not use.splits:
        return False
    row, column = (
        {use.iterators.index(name) for name in use.splits[0][place].variables() if name in use.iterators}
        for place in (0, -1)
    )
    if row & column:
        return True
    bounds = [bound for part in use.points.get_basic_sets() for bound in part.get_constraints()]

    def names(constraint: isl.Constraint, places: set[int]) -> bool:
        return any(constraint.involves_dims(isl.dim_type.set, place, 1) for place in places)

    return any(names(bound, row) and names(bound, column) for bound in bounds)


def lie_in_front(uses: Iterable[Use]) -> bool:
    """Whether all rows but one would lie in front of what a pointer points at: ``x[(t - k * dilation) * n + c]`` has no
    rows of so many times n elements, but rows of n, some of them left out."""
    used = list(uses)
    if not used or not all(use.splits for use in used):
        return False
    rows, behind, here = [use.values(0) for use in used], isl.Set("{ [r] : r > 0 }"), isl.Set("{ [r] : r = 0 }")
    return all((r & behind).is_empty() for r in rows) and not all(r.is_subset(here) for r in rows)


def first_column(uses: Iterable[Use], rows: Sequence[Affine]) -> Affine:
    """The smallest column of rows with a border, which is negative; 0 where there is none."""
    used = list(uses)
    if not all(use.splits for use in used):
        return affine(0)
    before = isl.Set("{ [c] : c < 0 }")
    columns = [use.columns() for use in used]
    if not any(not (c & before).is_empty() and use.is_cramped(rows) for use, c in zip(used, columns, strict=True)):
        return affine(0)
    every = columns[0]
    for one in columns[1:]:
        every = every | one
    if not every.dim_has_lower_bound(isl.dim_type.set, 0):
        return affine(0)
    running = every.params()
    least = every.dim_min(0).coalesce().gist_params(running)
    found = affine_from_ast(isl.AstBuild.from_context(running).expr_from_pw_aff(least))
    return found if all(isinstance(atom, str) for atom, _ in found.terms) else affine(0)
