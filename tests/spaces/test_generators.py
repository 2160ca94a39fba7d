"""Generators against the Parma Polyhedra Library, and their canonical form."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.polyhedra.double_description import Cone, TooManyRaysError, refine, solve
from polyloop.polyhedra.generators import Generators
from polyloop.polyhedra.integer_matrix import Matrix, matrix, to_rows
from tests.helpers.polyhedra import Constraints, constraints_of, contains, generators_of

RELAXED = settings(deadline=None, max_examples=60)
SQUARE = Constraints(2, (), ((0, 1, 0), (0, 0, 1), (2, -1, 0), (2, 0, -1)))


@st.composite
def polyhedra(draw: st.DrawFn) -> Constraints:
    dimension = draw(st.integers(1, 5))
    largest = draw(st.sampled_from([1, 3, 10**10]))
    entry = st.one_of(st.just(0), st.integers(-largest, largest))
    row = st.tuples(*[entry] * (dimension + 1))
    return Constraints(
        dimension, tuple(draw(st.lists(row, max_size=2))), tuple(draw(st.lists(row, max_size=8)))
    )  # fmt: skip


def by_ppl(constraints: Constraints) -> Generators:
    ppl = pytest.importorskip("ppl", reason="passagemath-ppl is not installed")
    variables = [ppl.Variable(k) for k in range(constraints.dimension)]
    polyhedron = ppl.C_Polyhedron(constraints.dimension, "universe")
    for rows, equality in ((constraints.equalities, True), (constraints.inequalities, False)):
        for row in rows:
            value = ppl.Linear_Expression(row[0])
            for c, variable in zip(row[1:], variables, strict=True):
                value = value + c * variable
            polyhedron.add_constraint(value == 0 if equality else value >= 0)
    if polyhedron.is_empty():
        return Generators(constraints.dimension, (), (), ())
    lines: list[tuple[int, ...]] = []
    rays: list[tuple[int, ...]] = []
    for generator in polyhedron.minimized_generators():
        values = [int(c) for c in generator.coefficients()]
        values += [0] * (constraints.dimension - len(values))
        scale = int(generator.divisor()) if generator.is_point() else 0
        (lines if generator.is_line() else rays).append((scale, *values))
    columns = constraints.dimension + 1
    unknown = np.zeros((len(rays), 0), dtype=np.bool_)
    return Generators.of_cone(Cone(matrix(lines, columns), matrix(rays, columns), unknown, 0))


@RELAXED
@given(polyhedra())
def test_generators_are_ppls(constraints: Constraints) -> None:
    assert generators_of(constraints) == by_ppl(constraints)


@RELAXED
@given(polyhedra())
def test_constraints_give_the_generators_back(constraints: Constraints) -> None:
    generators = generators_of(constraints)
    assert generators_of(constraints_of(generators)) == generators


@RELAXED
@given(polyhedra())
def test_generators_lie_in_the_polyhedron(constraints: Constraints) -> None:
    generators = generators_of(constraints)
    for vertex in generators.vertices:
        assert contains(constraints, vertex)
        for direction in generators.directions:
            assert contains(constraints, [v + 1000 * d for v, d in zip(vertex, direction, strict=True)])


@RELAXED
@given(polyhedra(), st.randoms())
def test_the_order_of_constraints_does_not_matter(constraints: Constraints, random: object) -> None:
    rows = list(constraints.inequalities)
    random.shuffle(rows)  # type: ignore[attr-defined]
    other = Constraints(constraints.dimension, constraints.equalities, tuple(rows))
    assert generators_of(other) == generators_of(constraints)


def test_a_square() -> None:
    generators = generators_of(SQUARE)
    assert generators == Generators(2, ((2, 2), (2, 0), (0, 2), (0, 0)), (), ())
    assert constraints_of(generators).inequalities == ((2, 0, -1), (2, -1, 0), (0, 1, 0), (0, 0, 1))


def test_lines_are_in_echelon_form_from_the_last_column() -> None:
    """One ray and the plane spanned by (1, 1, 0) and (0, 2, 1); pivots are the last two columns."""
    generators = generators_of(Constraints(3, (), ((0, 1, -1, 2),)))
    assert generators.lines == ((1, 1, 0), (-2, 0, 1))
    assert generators.rays == ((1, 0, 0),)
    assert generators.vertices == ((0, 0, 0),)
    assert generators.directions == ((2, 0, -1), (1, 1, 0), (1, 0, 0), (-1, -1, 0), (-2, 0, 1))


def test_vertices_may_be_fractions() -> None:
    generators = generators_of(Constraints(1, (), ((-1, 2),)))
    assert generators.vertices == ((Fraction(1, 2),),)
    assert str(generators) == "vertices:\n  (1/2)\nrays:\n  (1)"


def test_the_empty_polyhedron() -> None:
    generators = generators_of(Constraints(2, (), ((-1, 1, 0), (0, -1, 0))))
    assert generators == Generators(2, (), (), ())
    assert generators.is_empty
    assert str(generators) == "empty"
    assert not contains(constraints_of(generators), (0, 0))


def test_numbers_beyond_64_bits() -> None:
    large = 10**12
    constraints = Constraints(3, (), tuple((0, *(large + k if k == j else 7 for j in range(3))) for k in range(3)))
    generators = generators_of(constraints)
    assert len(generators.rays) == 3
    assert max(abs(c) for ray in generators.rays for c in ray) > 2**63
    assert generators_of(constraints_of(generators)) == generators


def test_generators_pickle() -> None:
    generators = generators_of(SQUARE)
    assert pickle.loads(pickle.dumps(generators)) == generators


def many_rays() -> Matrix:
    """The cone over a cross-polytope's dual: 2 ** 5 rays."""
    rows = [(1, *(sign * int(k == j) for j in range(5))) for k in range(5) for sign in (1, -1)]
    return matrix(rows, 6)


def test_too_many_rays() -> None:
    none = matrix([], 6)
    assert len(solve(none, many_rays()).rays) == 32
    with pytest.raises(TooManyRaysError, match="more than 20 rays"):
        solve(none, many_rays(), limit=20)


def test_pruned_rays_lie_in_the_cone() -> None:
    start = solve(matrix([], 6), many_rays()[:0])
    cone = refine(start, many_rays(), prune=9)
    assert cone.pruned
    assert 0 < len(cone.rays) < 32
    assert (many_rays() @ cone.rays.T >= 0).all()


def test_signs_and_order_for_every_order_of_columns() -> None:
    """A simplicial cone and its images under permutations have the permuted rays."""
    rays = {(1, 0, 0), (1, 1, 0), (1, 1, 1)}
    rows = ((1, -1, 0), (0, 1, -1), (0, 0, 1))
    for order in permutations(range(3)):
        constraints = Constraints(3, (), tuple((0, *(row[k] for k in order)) for row in rows))
        expected = sorted((tuple(ray[k] for k in order) for ray in rays), reverse=True)
        assert list(generators_of(constraints).rays) == expected


def test_no_columns_and_no_rows() -> None:
    assert generators_of(Constraints(0, (), ())) == Generators(0, ((),), (), ())
    assert to_rows(solve(matrix([], 2), matrix([], 2)).lines) == [(1, 0), (0, 1)]
