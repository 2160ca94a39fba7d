"""Systems through the dual against isl's own coefficients, against explicit multipliers, and against figures."""

from __future__ import annotations

import islpy as isl
import numpy as np
import pytest

from polyloop.polyhedra.generators import Generators
from polyloop.polyhedra.hulls import hull
from polyloop.polyhedra.integer_matrix import matrix, to_rows
from polyloop.scop.dependence import Dependence, Granularity, basic_blocks
from polyloop.scop.model import Scop
from polyloop.spaces.farkas import Layout, System, farkas_system
from tests.helpers.polyhedra import Constraints, as_isl, generators_of
from tests.spaces.kernel_scops import kernel_scop
from tests.spaces.matvec import matvec

Row = tuple[int, ...]

# Coefficient dimensions at statement and at block granularity. Of deriche's 47 statements five are the outer halves of
# chained assignments outside all loops; each adds two parameters and a constant to the 180 of the others.
FIGURES = {
    "correlation": (67, 54), "covariance": (39, 34), "2mm": (30, 30), "3mm": (51, 51), "atax": (18, 18),
    "bicg": (18, 13), "deriche": (195, 49),
    "doitgen": (22, 22), "mvt": (8, 8), "gemm": (13, 13), "gemver": (15, 15), "gesummv": (17, 10),
    "symm": (22, 16), "syr2k": (11, 11), "syrk": (11, 11), "trmm": (11, 11), "cholesky": (16, 16), "durbin": (30, 23),
    "gramschmidt": (35, 35), "lu": (14, 14), "ludcmp": (46, 46), "trisolv": (10, 10), "floyd-warshall": (5, 5),
    "nussinov": (21, 17), "adi": (115, 47), "fdtd-2d": (27, 27), "heat-3d": (14, 14), "jacobi-1d": (10, 10),
    "jacobi-2d": (12, 12), "seidel-2d": (6, 6),
}  # fmt: skip


def layout_of(scop: Scop, parameter_coefficients: bool = True, granularity: Granularity = "statement") -> Layout:
    names = [b[0] for b in basic_blocks(scop)] if granularity == "block" else [s.name for s in scop.statements]
    iterators = tuple(scop.statement(name).iterators for name in names)
    return Layout(tuple(names), iterators, scop.parameters, parameter_coefficients)


def differences(layout: Layout, d: Dependence) -> list[list[int]]:
    """Constant, parameters, source and target iterators of target's row - source's row, each as a row over x."""
    source, target = layout.places[d.source], layout.places[d.target]

    def row(*terms: tuple[int, int]) -> list[int]:
        values = [0] * layout.dimension
        for column, sign in terms:
            values[column] += sign
        return values

    parameters = [row((t, 1), (s, -1)) for s, t in zip(source[1], target[1], strict=True)]
    both = [*(row((c, -1)) for c in source[0]), *(row((c, 1)) for c in target[0])]
    return [row((target[2], 1), (source[2], -1)), *(parameters or [row() for _ in layout.parameters]), *both]


def cone(dimension: int, equalities: list[Row], inequalities: list[Row]) -> Generators:
    return generators_of(
        Constraints(dimension, tuple((0, *r) for r in equalities), tuple((0, *r) for r in inequalities))
    )


def weak_cone(system: System) -> Generators:
    equalities, inequalities = system.weak
    return cone(system.dimension, to_rows(equalities), to_rows(inequalities))


def isl_cone(layout: Layout, d: Dependence) -> Generators:
    """The same from isl's basic_set_coefficients."""
    (basic,) = d.relation.wrap().get_basic_sets()
    coefficients = basic.coefficients()
    change = np.array(differences(layout, d))
    rows: tuple[list[Row], list[Row]] = ([], [])
    for constraint in coefficients.get_constraints():
        count = coefficients.dim(isl.dim_type.set)
        values = [constraint.get_coefficient_val(isl.dim_type.set, k).to_python() for k in range(count)]
        assert constraint.get_constant_val().is_zero()
        rows[0 if constraint.is_equality() else 1].append(tuple((np.array(values) @ change).tolist()))
    return cone(layout.dimension, *rows)


def multiplier_cone(layout: Layout, d: Dependence, strong: bool) -> isl.Set:
    """{x : there are multipliers of the relation's constraints that make up the difference}."""
    (basic,) = d.relation.get_basic_maps()
    kinds = (isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out)
    dims = [(kind, k) for kind in kinds for k in range(basic.dim(kind))]
    columns: list[list[int]] = [[1] + [0] * len(dims)]
    bounds = ["l0 >= 0"]
    for index, constraint in enumerate(basic.get_constraints(), start=1):
        values = [constraint.get_coefficient_val(*place).to_python() for place in dims]
        columns.append([constraint.get_constant_val().to_python(), *values])
        bounds += [] if constraint.is_equality() else [f"l{index} >= 0"]
    equations = []
    for k, difference in enumerate(differences(layout, d)):
        left = " + ".join(f"{c}*x{n}" for n, c in enumerate(difference) if c) or "0"
        right = " + ".join(f"{column[k]}*l{n}" for n, column in enumerate(columns) if column[k]) or "0"
        equations.append(f"{left} - {int(strong and k == 0)} = {right}")
    names = [f"x{n}" for n in range(layout.dimension)] + [f"l{n}" for n in range(len(columns))]
    whole = isl.Set(f"{{ [{', '.join(names)}] : {' and '.join([*equations, *bounds])} }}")
    first = layout.dimension
    return whole.project_out(isl.dim_type.set, first, len(columns)).compute_divs().coalesce()


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_coefficient_dimensions(name: str) -> None:
    source = kernel_scop(name)
    found = tuple(layout_of(source, True, g).dimension for g in ("statement", "block"))
    assert found == FIGURES[name]


@pytest.mark.parametrize("name", ["gemm", "trisolv", "lu", "durbin", "jacobi-2d", "heat-3d", "symm", "nussinov"])
@pytest.mark.parametrize("parameter_coefficients", [True, False])
def test_weak_cones_are_isls(name: str, parameter_coefficients: bool) -> None:
    source = kernel_scop(name)
    layout = layout_of(source, parameter_coefficients)
    for d in source.dependences("value"):
        system = farkas_system(layout, d.source, d.target, d.relation)
        assert weak_cone(system) == isl_cone(layout, d), str(d)


@pytest.mark.parametrize("strong", [False, True])
def test_systems_are_those_of_explicit_multipliers(strong: bool) -> None:
    for source in (matvec(), kernel_scop("gemm"), kernel_scop("trisolv")):
        layout = layout_of(source, len(source.parameters) < 3)
        for d in source.dependences("value"):
            system = farkas_system(layout, d.source, d.target, d.relation)
            equalities = [(0, *row) for row in system.equalities]
            inequalities = [(-row[0] if strong else 0, *row[1:]) for row in system.inequalities]
            ours = as_isl(Constraints(layout.dimension, tuple(equalities), tuple(inequalities)))
            theirs = multiplier_cone(layout, d, strong)
            assert ours.is_equal(theirs), str(d)


def test_rows_and_vectors_are_inverse() -> None:
    layout = Layout(("S", "T"), (("i",), ("i", "j")), ("n",), True)
    vector = (1, 2, 3, 4, 5, 6, 7)
    assert layout.rows(vector) == ((1, 4, 6), (2, 3, 5, 7))
    assert layout.vector(layout.rows(vector)) == vector


def test_without_parameter_coefficients_rows_have_zeros_for_them() -> None:
    layout = Layout(("S", "T"), (("i",), ("i", "j")), ("n",))
    assert layout.columns == ("S_i", "T_i", "T_j", "S_1", "T_1")
    assert layout.rows((1, 2, 3, 6, 7)) == ((1, 0, 6), (2, 3, 0, 7))
    assert layout.vector(((1, 0, 6), (2, 3, 0, 7))) == (1, 2, 3, 6, 7)
    assert layout.vector(((1, 4, 6), (2, 3, 0, 7))) is None


def test_a_hull_finds_equalities_of_all_three_kinds() -> None:
    """x0 = 0 is given; x1 = 0 by two opposite rows; x2 = x3 = 0 by a sum of three."""
    given = matrix([(1, 0, 0, 0, 0)], 5)
    rows = [(0, 1, 0, 0, 0), (0, -1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, -1, -1, 0), (0, 0, 0, 0, 2)]
    found = hull(given, matrix(rows, 5))
    assert found.basis.tolist() == [[0, 0, 0, 0, 1]]
    assert found.inequalities.tolist() == [[1]]
    assert found.vanishes(matrix([(3, 1, 2, 2, 0)], 5))
    assert not found.vanishes(matrix([(3, 1, 2, 2, 1)], 5))


def test_a_relation_that_holds_nothing_apart_cannot_be_strong() -> None:
    layout = Layout(("S",), (("i",),), ())
    system = farkas_system(layout, "S", "S", isl.Map("{ S[i] -> S[i] : 0 <= i < 9 }"))
    assert system == System(2, (), ((1, 0, 0),))
