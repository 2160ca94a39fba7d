"""What a dependence asks of one schedule dimension, as linear constraints on the dimension's coefficients.

A schedule dimension gives every statement an affine function of its iterators and the parameters; the coefficients of
all of them are one vector x (`Layout`). By the affine form of Farkas' lemma the difference target - source is at least
0 (weak) or 1 (strong) on all of a dependence's polyhedron D if and only if it is so on the generators of D, made
homogeneous: one row (r0, a) per generator, a . x >= 0 for weak and a . x >= r0 for strong. So there are no multipliers
to eliminate.

References:
    Feautrier, "Some efficient solutions to the affine scheduling problem, part I", 1992: legality by Farkas' lemma.
    Pouchet et al., "Iterative optimization in the polyhedral model, part II", PLDI 2008: spaces of such coefficients.
    Both eliminate multipliers; we go through the dual instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd

import islpy as isl
import numpy as np

from polyloop.polyhedra.double_description import Cone, solve
from polyloop.polyhedra.integer_matrix import Matrix, Row, distinct, matrix, primitive, to_rows
from polyloop.support.isl_limits import limited

_DIM = isl.dim_type


@dataclass(frozen=True)
class Layout:
    """Which coefficient stands in which column: all iterators, statement by statement; then the parameters, statement
    by statement; then one constant for every statement.

    Attributes:
        statements: in textual order (at block granularity the first statement of every block).
        iterators: of each statement.
        parameter_coefficients: off leaves the parameters' columns out, that is, makes these coefficients zero.
    """

    statements: tuple[str, ...]
    iterators: tuple[tuple[str, ...], ...]
    parameters: tuple[str, ...]
    parameter_coefficients: bool = False

    @property
    def dimension(self) -> int:
        """sum(depth) + S * (P + 1), with P = 0 without parameter coefficients."""
        return len(self.columns)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Like ("s_i", "t_i", "t_j", "s_n", "t_n", "s_1", "t_1"), with the statements' own names."""
        each = list(zip(self.statements, self.iterators, strict=True))
        iterators = [f"{s}_{i}" for s, names in each for i in names]
        return (*iterators, *(f"{s}_{p}" for s in self.statements for p in self._free), *(f"{s}_1" for s, _ in each))

    @property
    def _free(self) -> tuple[str, ...]:
        return self.parameters if self.parameter_coefficients else ()

    @cached_property
    def places(self) -> dict[str, tuple[tuple[int, ...], tuple[int, ...], int]]:
        """For every statement the columns of its iterators, of its parameters, and of its constant."""
        depth = sum(len(names) for names in self.iterators)
        count, width = len(self.statements), len(self._free)
        result, start = {}, 0
        for k, (statement, names) in enumerate(zip(self.statements, self.iterators, strict=True)):
            parameters = tuple(range(depth + k * width, depth + (k + 1) * width))
            result[statement] = (tuple(range(start, start + len(names))), parameters, depth + count * width + k)
            start += len(names)
        return result

    def rows(self, vector: Row) -> tuple[Row, ...]:
        """A coefficient vector as one row (iterators, parameters, constant) per statement; all parameters are there,
        with or without coefficients."""
        none = (0,) * (len(self.parameters) - len(self._free))
        places = (self.places[s] for s in self.statements)
        return tuple((*(vector[c] for c in i), *none, *(vector[c] for c in p), vector[one]) for i, p, one in places)

    def vector(self, rows: Iterable[Row]) -> Row | None:
        """The inverse of `rows`; None where a row needs a coefficient that the layout leaves out."""
        result = [0] * self.dimension
        for row, statement, names in zip(rows, self.statements, self.iterators, strict=True):
            iterators, parameters, one = self.places[statement]
            free = row[len(names) : -1]
            if not parameters and any(free):
                return None
            for column, value in (*zip(iterators, row, strict=False), *zip(parameters, free, strict=False)):
                result[column] = value
            result[one] = row[-1]
        return tuple(result)


@dataclass(frozen=True)
class System:
    """The rows of one dependence: equalities a . x = 0, and (r0, a) with a . x >= 0 (weak) or >= r0 (strong), r0 >= 0.

    Rows are primitive, each once, in descending order; of rows that differ in r0 alone only the largest is kept. A row
    with a = 0 and r0 > 0 says that no dimension at all is strong.
    """

    dimension: int
    equalities: tuple[Row, ...]
    inequalities: tuple[Row, ...]

    @cached_property
    def positive(self) -> Matrix:
        """The a of all rows with r0 > 0: a dimension is strong if all of them are positive, up to a factor."""
        return matrix([row[1:] for row in self.inequalities if row[0] > 0], self.dimension)

    @cached_property
    def strong_rows(self) -> tuple[Row, ...]:
        """(-r0, a) of all rows with r0 > 0: constant + a . x >= 0."""
        return tuple((-row[0], *row[1:]) for row in self.inequalities if row[0] > 0)

    @cached_property
    def weak(self) -> tuple[Matrix, Matrix]:
        """Equalities and inequalities on x."""
        rows = primitive(matrix([row[1:] for row in self.inequalities], self.dimension))
        return matrix(self.equalities, self.dimension), distinct(rows)


def farkas_system(layout: Layout, source: str, target: str, relation: isl.Map) -> System:
    """The rows that a dependence gives.

    Existentially quantified variables are dropped from the relation, so that it may grow: the system stays sound.
    """
    equalities: set[Row] = set()
    bounds: dict[Row, Fraction] = {}
    for basic_map in relation.remove_divs().get_basic_maps():
        equalities_of, inequalities_of = homogenised_relation(basic_map)
        width = inequalities_of.shape[1]
        cone = _cone(width, tuple(to_rows(equalities_of)), tuple(to_rows(inequalities_of)))
        for _, *a in _coefficient_rows(layout, source, target, basic_map, cone.lines):
            if any(a):
                divisor = gcd(*a)
                equalities.add(max(tuple(c // divisor for c in a), tuple(-c // divisor for c in a)))
        for r0, *a in _coefficient_rows(layout, source, target, basic_map, cone.rays):
            divisor = gcd(*a) or 1
            direction = tuple(c // divisor for c in a)
            bounds[direction] = max(bounds.get(direction, Fraction(0)), Fraction(r0, divisor))
    rows = [(r0.numerator, *(r0.denominator * c for c in a)) for a, r0 in bounds.items() if r0 or any(a)]
    return System(layout.dimension, tuple(sorted(equalities, reverse=True)), tuple(sorted(rows, reverse=True)))


@lru_cache(maxsize=1 << 10)
def _cone(columns: int, equalities: tuple[Row, ...], inequalities: tuple[Row, ...]) -> Cone:
    """Remembered: between many pairs of statements there is one and the same relation."""
    return solve(matrix(equalities, columns), matrix(inequalities, columns))


def homogenised_relation(basic_map: isl.BasicMap) -> tuple[Matrix, Matrix]:
    """Equalities and inequalities on (1, parameters, source iterators, target iterators), the first coordinate's sign
    included; implicit equalities and redundant inequalities are removed."""
    with limited():
        simple = basic_map.detect_equalities().remove_redundancies()
    dims = [(kind, k) for kind in (_DIM.param, _DIM.in_, _DIM.out) for k in range(simple.dim(kind))]
    equalities: list[Row] = []
    inequalities: list[Row] = [(1,) + (0,) * len(dims)]
    for constraint in simple.get_constraints():
        row = (
            constraint.get_constant_val().to_python(),
            *(constraint.get_coefficient_val(*place).to_python() for place in dims),
        )
        (equalities if constraint.is_equality() else inequalities).append(row)
    return matrix(sorted(equalities), len(dims) + 1), distinct(matrix(inequalities, len(dims) + 1))


def _coefficient_rows(
    layout: Layout, source: str, target: str, basic_map: isl.BasicMap, generators: Matrix
) -> Iterator[Row]:
    """(r0, a) of every generator (x0, parameters, i, j): a . x is theta_target(j) - theta_source(i), times x0."""
    parameters, depth = basic_map.dim(_DIM.param), basic_map.dim(_DIM.in_)
    values = np.zeros((len(generators), 1 + layout.dimension), dtype=generators.dtype)
    values[:, 0] = generators[:, 0]
    given = [str(basic_map.get_dim_name(_DIM.param, k)) for k in range(parameters)]
    known = [1 + given.index(name) if name in given else None for name in layout.parameters]
    for statement, sign, first in ((target, 1, 1 + parameters + depth), (source, -1, 1 + parameters)):
        iterators, columns, one = layout.places[statement]
        for k, column in enumerate(iterators):
            values[:, 1 + column] += sign * generators[:, first + k]
        for column, place in zip(columns, known, strict=bool(columns)):
            if place is not None:
                values[:, 1 + column] += sign * generators[:, place]
        values[:, 1 + one] += sign * generators[:, 0]
    yield from to_rows(values)
