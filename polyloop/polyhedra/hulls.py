"""The smallest space around a cone that constraints give: which of these are equalities in truth.

References:
    Agmon, "The relaxation method for linear inequalities", 1954: the search for an inner point, which shows that there
    are none. What it does not find is left to isl's linear programming.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.polyhedra.integer_matrix import (
    Matrix,
    Row,
    distinct,
    inner,
    matrix,
    null_space,
    primitive,
    to_rows,
    widened,
)
from polyloop.support.isl_limits import limited

_DIM = isl.dim_type
_RELAXATIONS = 100
_DIGITS = 1 << 20


@dataclass(frozen=True)
class Hull:
    """A cone {x : E x = 0, A x >= 0} inside the smallest space around it.

    Attributes:
        basis: rows that span the space; x = basis^T y.
        inequalities: on y, each once, none of them an implicit equality.
    """

    basis: Matrix
    inequalities: Matrix

    def vanishing(self, rows: Matrix) -> NDArray[np.bool_]:
        """Which of the rows are zero on all of the cone."""
        found: NDArray[np.bool_] = (inner(rows, self.basis) == 0).all(axis=1)
        return found

    def vanishes(self, rows: Matrix) -> bool:
        """Whether any of the rows is."""
        return bool(self.vanishing(rows).any())

    def irredundant(self) -> Matrix:
        """The inequalities that no others imply."""
        return _by_isl(self.inequalities)[1]

    def inner_point(self) -> Row | None:
        """An integer point of the cone, in its own coordinates x, where every row is positive that is positive
        anywhere on the cone. None if neither relaxation nor isl finds one within its limits."""
        rows = self.inequalities
        if not len(rows):
            return (0,) * int(self.basis.shape[1])
        found = _relaxed(rows)
        inside = _rounded(rows, found) if found is not None else None
        if inside is None:
            inside = _sampled(rows)
        if inside is None:
            return None
        point: Row = to_rows(inner(self.basis.T, matrix([inside], len(inside))).T)[0]
        return point


def hull(equalities: Matrix, inequalities: Matrix) -> Hull:
    """All equalities that a cone's constraints imply, in steps of growing cost: those given, those that two opposite
    inequalities make, and, where no point is found inside of what is left, what isl finds."""
    columns = inequalities.shape[1]
    used = np.flatnonzero((equalities != 0).any(axis=0) | (inequalities != 0).any(axis=0))
    basis: Matrix | None = None
    rows, found = primitive(inequalities[:, used]), equalities[:, used]
    while True:
        rows, opposite = _each_once(rows)
        found = np.vstack([found, opposite])
        if not len(found) and not _has_inner_point(rows):
            found, rows = _by_isl(rows)
        if not len(found):
            break
        space = _null_space(found)
        basis = space if basis is None else primitive(inner(space, basis.T))
        rows, found = primitive(inner(rows, space)), found[:0, : len(space)]
    basis = np.eye(len(used), dtype=np.int64) if basis is None else basis
    free = np.setdiff1d(np.arange(columns), used)
    whole = np.zeros((len(basis) + len(free), columns), dtype=basis.dtype)
    whole[: len(basis), used] = basis
    whole[range(len(basis), len(whole)), free] = 1
    padded = np.hstack([rows, np.zeros((len(rows), len(free)), dtype=rows.dtype)])
    return Hull(whole, distinct(padded))


def _null_space(equalities: Matrix) -> Matrix:
    try:
        return null_space(equalities)
    except OverflowError:
        return null_space(widened(equalities))


def _each_once(rows: Matrix) -> tuple[Matrix, Matrix]:
    """The nonzero rows without repetitions and without those whose opposite is there as well, and one of each pair of
    such opposites."""
    rows = rows[(rows != 0).any(axis=1)]
    opposites = _keys(-rows)
    first: dict[object, int] = {}
    paired, pairs = set(), []
    for k, key in enumerate(_keys(rows)):
        if key not in first:
            first[key] = k
            if opposites[k] in first:
                paired |= {k, first[opposites[k]]}
                pairs.append(k)
    return rows[[k for k in first.values() if k not in paired]], rows[pairs]


def _keys(rows: Matrix) -> list[object]:
    """One hashable value per row."""
    if rows.dtype == object or not rows.shape[1]:
        return list(to_rows(rows))
    found: list[object] = np.ascontiguousarray(rows).view(f"V{rows.itemsize * rows.shape[1]}").ravel().tolist()
    return found


def _has_inner_point(rows: Matrix) -> bool:
    """Whether a point is found that is positive on all rows; if so, none of them is an implicit equality."""
    if not len(rows):
        return True
    point = _relaxed(rows)
    return point is not None and _is_inside(rows, point, _DIGITS)


def _is_inside(rows: Matrix, point: NDArray[np.float64], digits: int) -> bool:
    rounded = np.rint(point * (digits / np.abs(point).max())).astype(np.int64)
    return bool((inner(rows, rounded[None, :]) > 0).all())


def _rounded(rows: Matrix, point: NDArray[np.float64]) -> Row | None:
    """The point in as small integers as stay inside."""
    digits = 1
    while digits <= _DIGITS:
        if _is_inside(rows, point, digits):
            return tuple(int(x) for x in np.rint(point * (digits / np.abs(point).max())))
        digits *= 2
    return None


def _sampled(rows: Matrix) -> Row | None:
    """A point where all rows are 1 at least, by isl."""
    with limited():
        point = _at_least(rows, 1).sample_point()
    if point.is_void():
        return None
    return tuple(int(point.get_coordinate_val(_DIM.set, k).to_python()) for k in range(rows.shape[1]))


def _at_least(rows: Matrix, least: int) -> isl.BasicSet:
    """{y : rows y >= least}."""
    space = isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, rows.shape[1]))
    part = isl.BasicSet.universe(space.get_space())
    for row in to_rows(rows):
        constraint = isl.Constraint.inequality_alloc(space).set_constant_val(isl.Val(-least))
        for column, value in enumerate(row):
            constraint = constraint.set_coefficient_val(_DIM.set, column, isl.Val(value))
        part = part.add_constraint(constraint)
    return part


def _relaxed(rows: Matrix) -> NDArray[np.float64] | None:
    """A point that seems to be positive on all rows, by relaxation."""
    values: NDArray[np.float64] = rows.astype(np.float64)
    values /= np.abs(values).max(axis=1, keepdims=True)
    point: NDArray[np.float64] = values.sum(axis=0)
    for _ in range(_RELAXATIONS):
        below = values @ point <= 1e-3 * np.abs(point).max()
        if not below.any():
            return point
        point += values[below].sum(axis=0)
    return None


def _by_isl(rows: Matrix) -> tuple[Matrix, Matrix]:
    """The implicit equalities of {y : rows y >= 0}, and the other inequalities without the redundant ones."""
    columns = rows.shape[1]
    if not len(rows):
        return rows, rows
    with limited():
        cone = _at_least(rows, 0).detect_equalities().remove_redundancies()
    found: tuple[list[Row], list[Row]] = [], []
    for constraint in cone.get_constraints():
        values = tuple(constraint.get_coefficient_val(_DIM.set, k).to_python() for k in range(columns))
        found[0 if constraint.is_equality() else 1].append(values)
    return matrix(sorted(found[0]), columns), distinct(matrix(found[1], columns))
