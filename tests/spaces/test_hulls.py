"""Implied equalities against isl's, on random cones."""

from __future__ import annotations

import islpy as isl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.polyhedra.hulls import hull
from polyloop.polyhedra.integer_matrix import Matrix, echelon, inner, matrix, null_space, to_rows

ENTRY = st.sampled_from([0, 0, 0, 1, -1, 2, -3])


def isl_equalities(rows: Matrix) -> Matrix:
    """What isl's linear programming finds, in reduced echelon form."""
    columns = rows.shape[1]
    names = ", ".join(f"x{k}" for k in range(columns))
    parts = [" + ".join(f"{c}*x{k}" for k, c in enumerate(row)) + " >= 0" for row in to_rows(rows)]
    cone = isl.BasicSet(f"{{ [{names}] : {' and '.join(parts) or 'true'} }}").detect_equalities()
    found = [
        tuple(c.get_coefficient_val(isl.dim_type.set, k).to_python() for k in range(columns))
        for c in cone.affine_hull().get_constraints()
    ]
    return echelon(matrix(found, columns))[0]


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.tuples(*[ENTRY] * n), max_size=9).map(lambda r: matrix(r, n))))
def test_the_space_around_a_cone_is_isls(rows: Matrix) -> None:
    found = hull(rows[:0], rows)
    assert echelon(null_space(found.basis))[0].tolist() == isl_equalities(rows).tolist()
    # On the space, the inequalities say what the given ones say.
    inside = {tuple(row) for row in to_rows(inner(rows, found.basis)) if any(row)}
    assert len(found.inequalities) <= len(inside)
    assert {tuple(row) for row in to_rows(found.irredundant())} <= {tuple(row) for row in to_rows(found.inequalities)}


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.tuples(*[ENTRY] * n), max_size=9).map(lambda r: matrix(r, n))))
def test_an_inner_point_is_positive_where_any_point_is(rows: Matrix) -> None:
    found = hull(rows[:0], rows)
    point = found.inner_point()
    assert point is not None
    values = inner(rows, matrix([point], len(point)))[:, 0]
    assert np.array_equal(values > 0, ~found.vanishing(rows))
    assert (values >= 0).all()


def test_given_equalities_count() -> None:
    found = hull(matrix([(1, -1, 0)], 3), matrix([(1, 0, 0), (0, 0, 1)], 3))
    assert np.array_equal(echelon(found.basis)[0], [[0, 0, 1], [1, 1, 0]])
    assert len(found.inequalities) == 2


@pytest.mark.parametrize("factor", [1, 10**12])
def test_entries_beyond_64_bits(factor: int) -> None:
    rows = matrix([(factor, -1, 0), (-factor, 1, 0), (0, factor, -1), (0, 0, factor)], 3)
    found = hull(rows[:0], rows)
    assert found.basis.tolist() in ([[1, factor, 0], [0, 0, 1]], [[0, 0, 1], [1, factor, 0]])
