"""Generators of a polyhedron in one canonical form: vertices, rays and lines.

Whoever computes them, by whatever algorithm and in whatever order, gets the same tuples:

* lines: the reduced echelon basis of the lineality space with pivots from the last column backwards; primitive,
  positive at the pivots, in descending lexicographic order;
* rays and vertices: zero at the pivots; rays primitive; both in descending lexicographic order.

A polyhedron with lines has no vertices in the strict sense: the minimal faces' points with zeros at the pivots stand
for them. `directions`, the list that an exploration walks, has the rays and both signs of every line.

The algorithm is in `polyloop.polyhedra.double_description`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from polyloop.polyhedra.double_description import Cone, refine
from polyloop.polyhedra.integer_matrix import Matrix, Row, distinct, echelon, inner, matrix, reduced, to_rows, widened

Number: TypeAlias = "int | Fraction"
"""An int wherever the value is one."""

Point: TypeAlias = "tuple[Number, ...]"


@dataclass(frozen=True)
class Generators:
    """The convex hull of the vertices, plus the cone of the rays, plus the space of the lines, canonical.

    Attributes:
        dimension: number of coordinates.
        vertices: points; none of an empty polyhedron.
        rays, lines: primitive integer vectors.
    """

    dimension: int
    vertices: tuple[Point, ...]
    rays: tuple[Row, ...]
    lines: tuple[Row, ...]

    @classmethod
    def of_cone(cls, cone: Cone) -> Generators:
        """From the homogenised polyhedron: column 0 is the homogenising coordinate, never negative."""
        basis, rays = canonical(cone.lines, cone.rays)
        scales = rays[:, 0]
        points = [_point(row) for row in to_rows(rays[scales > 0])]
        directions = to_rows(distinct(rays[scales == 0])[:, 1:])
        lines = to_rows(distinct(basis)[:, 1:])
        if not points:
            directions, lines = [], []
        return cls(rays.shape[1] - 1, tuple(sorted(points, reverse=True)), tuple(directions), tuple(lines))

    @property
    def is_empty(self) -> bool:
        return not self.vertices

    @cached_property
    def directions(self) -> tuple[Row, ...]:
        """The rays and both signs of the lines, in descending lexicographic order."""
        opposite = (tuple(-c for c in line) for line in self.lines)
        return tuple(sorted((*self.rays, *self.lines, *opposite), reverse=True))

    def combination(self, coefficients: Sequence[int]) -> Row:
        """The sum of the directions times their coefficients."""
        if not any(coefficients):
            return (0,) * self.dimension
        (result,) = to_rows(inner(matrix([coefficients], len(self.directions)), self._columns))
        return result

    @cached_property
    def _columns(self) -> Matrix:
        return np.ascontiguousarray(matrix(self.directions, self.dimension).T)

    def __str__(self) -> str:
        parts = []
        for name, vectors in (("vertices", self.vertices), ("rays", self.rays), ("lines", self.lines)):
            parts += [f"{name}:", *(f"  ({', '.join(map(str, vector))})" for vector in vectors)] if vectors else []
        return "\n".join(parts) if parts else "empty"


def canonical(lines: Matrix, rays: Matrix) -> tuple[Matrix, Matrix]:
    """Lines and rays in the form that the module describes, not yet sorted."""
    try:
        basis, pivots = echelon(lines)
        return basis, reduced(rays, basis, pivots)
    except OverflowError:
        basis, pivots = echelon(widened(lines))
        return basis, reduced(widened(rays), basis, pivots)


def homogenised(cone: Cone, constraints: int) -> Cone:
    """A cone of directions as the homogenised polyhedron {0} + cone, which further constraints may cut.

    Args:
        constraints: how many of the cone's constraints `saturated` covers.
    """
    lines = np.hstack([np.zeros((len(cone.lines), 1), dtype=cone.lines.dtype), cone.lines])
    count, columns = cone.rays.shape
    rays = np.zeros((count + 1, columns + 1), dtype=cone.rays.dtype)
    rays[:count, 1:] = cone.rays
    rays[count, 0] = 1
    saturated = np.ones((count + 1, constraints + 1), dtype=bool)
    saturated[:count, :constraints] = cone.saturated
    saturated[count, constraints] = False
    return Cone(lines, rays, saturated, cone.rank + 1)


def cut(cone: Cone, rows: Iterable[Row], limit: int | None = None) -> Generators:
    """The generators of a homogenised polyhedron with further inequalities (constant, coefficients...).

    Raises:
        TooManyRaysError: beyond the limit.
    """
    return Generators.of_cone(refine(cone, distinct(matrix(rows, cone.rays.shape[1])), limit))


def _point(row: Row) -> Point:
    scale, *values = row
    return tuple(value if scale == 1 else _number(value, scale) for value in values)


def _number(numerator: int, denominator: int) -> Number:
    value = Fraction(numerator, denominator)
    return value.numerator if value.denominator == 1 else value
