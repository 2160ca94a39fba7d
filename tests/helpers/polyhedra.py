"""Polyhedra by their constraints, and points of them, in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import islpy as isl

from polyloop.polyhedra.double_description import solve
from polyloop.polyhedra.generators import Generators, Number, Point, canonical
from polyloop.polyhedra.integer_matrix import Row, distinct, matrix, to_rows


@dataclass(frozen=True)
class Constraints:
    """equalities and inequalities, each row (constant, coefficients...): constant + coefficients . x = 0 or >= 0."""

    dimension: int
    equalities: tuple[Row, ...]
    inequalities: tuple[Row, ...]


def generators_of(constraints: Constraints) -> Generators:
    """The generators of a polyhedron."""
    columns = constraints.dimension + 1
    positive = (1,) + (0,) * constraints.dimension
    inequalities = matrix([positive, *constraints.inequalities], columns)
    return Generators.of_cone(solve(matrix(constraints.equalities, columns), distinct(inequalities)))


def constraints_of(generators: Generators) -> Constraints:
    """The irredundant constraints, in the canonical form that generators have (they generate the dual cone)."""
    dimension = generators.dimension
    if generators.is_empty:
        return Constraints(dimension, (), ((-1,) + (0,) * dimension,))
    columns = dimension + 1
    free = matrix([(0, *line) for line in generators.lines], columns)
    rows = [(0, *ray) for ray in generators.rays] + [_homogeneous(vertex) for vertex in generators.vertices]
    cone = solve(free, matrix(rows, columns))
    equalities, inequalities = canonical(cone.lines, cone.rays)
    trivial = (1,) + (0,) * dimension
    proper = [row for row in to_rows(distinct(inequalities)) if row != trivial]
    return Constraints(dimension, tuple(to_rows(distinct(equalities))), tuple(proper))


def contains(constraints: Constraints, point: Sequence[Number]) -> bool:
    """Whether a point satisfies all of them."""

    def value(row: tuple[int, ...]) -> Number:
        return sum((c * x for c, x in zip(row[1:], point, strict=True)), row[0])

    return not any(map(value, constraints.equalities)) and all(value(row) >= 0 for row in constraints.inequalities)


def _homogeneous(point: Point) -> Row:
    scale = lcm(*(Fraction(x).denominator for x in point))
    return (scale, *(int(x * scale) for x in point))


def as_isl(constraints: Constraints) -> isl.Set:
    """The same set of integers."""

    def text(row: Row) -> str:
        return " + ".join([str(row[0]), *(f"{c}*x{k}" for k, c in enumerate(row[1:]) if c)])

    parts = [f"{text(row)} = 0" for row in constraints.equalities]
    parts += [f"{text(row)} >= 0" for row in constraints.inequalities]
    names = ", ".join(f"x{k}" for k in range(constraints.dimension))
    return isl.Set(f"{{ [{names}] : {' and '.join(parts) or '0 = 0'} }}")
