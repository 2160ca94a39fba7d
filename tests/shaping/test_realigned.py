"""Sweeps over copies: which get diagonals as rows, of which slope, and that results stay."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir.loop_nest import LoopKind, LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import Fusion, isl_schedule
from polyloop.schedules.legality import Proofs
from polyloop.scop.model import Scop
from polyloop.shaping.realigned import in_diagonals
from polyloop.shaping.shaped import ShapedTree, legal_shapes, with_first_shapes
from polyloop.shipped.kernels import kernel
from tests.helpers.checking import check_results
from tests.helpers.reading import marked_scop

AVX2 = shown_target("avx2")

PLANE = """void plane(int T, int n, int m, double A[n][m], const double f[n][m])
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                A[i][j] = 0.25 * (A[i-1][j] + A[i][j-1] + A[i+1][j] + A[i][j+1] CORNERS) - f[i][j];
#pragma endscop
}
"""
SPACE = """void space(int T, int n, int m, float A[n][n][m])
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int h = 1; h < n - 1; h++)
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < m - 1; j++)
                    A[h][i][j] = A[h-1][i][j] + A[h][i-1][j] - A[h][i][j-1] + A[h+1][i][j] * A[h][i+1][j];
#pragma endscop
}
"""
CROSS = PLANE.replace("CORNERS", "")
CORNERS = PLANE.replace("CORNERS", "+ A[i-1][j+1] + A[i+1][j-1]")


def diagonals(proofs: Proofs, scop: Scop) -> ShapedTree | None:
    tree = isl_schedule(scop, proofs.flow(scop), Fusion.SEPARATE)
    return in_diagonals(proofs, ShapedTree("isl", scop, tree))


@pytest.mark.parametrize(
    ("text", "name", "store"),
    [
        (CROSS, "A, f in diagonals of slope 1; isl", "A_r[i + j][i]"),
        (CORNERS, "A, f in diagonals of slope 2; isl", "A_r[2*i + j][i]"),
        (SPACE, "A in diagonals of slope 1; isl", "A_r[h][i + j][i]"),
    ],
)
def test_slopes_are_the_least_that_leave_diagonals_independent(text: str, name: str, store: str) -> None:
    found = diagonals(Proofs(), marked_scop(text))
    assert found is not None
    assert found.name == name
    assert str(found.scop.statement("S0").target) == store


@pytest.mark.parametrize("name", ["jacobi-2d", "fdtd-2d", "heat-3d", "floyd-warshall", "gemm"])
def test_sweeps_with_lanes_and_other_nests_stay_as_they_are(name: str) -> None:
    (scop,) = read_source(str(kernel(name).path)).scops
    assert diagonals(Proofs(), scop) is None


def test_lanes_go_along_diagonals_first() -> None:
    """They are tiled over time, as other sweeps are."""
    proofs = Proofs()
    found = diagonals(proofs, marked_scop(CROSS))
    assert found is not None
    (nest,) = (nest for nest in found.nests() if nest.statements == ("S0",))
    name, shape = next(legal_shapes(proofs, AVX2, found, nest))
    assert name.startswith("tiles of ")
    assert [kind for _, kind in shape.points] == [LoopKind.VECTOR]


@pytest.mark.parametrize("text", [CROSS, CORNERS, SPACE])
@pytest.mark.parametrize("target", [host_target(), AVX2], ids=str)
@settings(deadline=None, max_examples=3, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 5), st.integers(1, 14), st.integers(1, 40))
def test_results_stay(text: str, target: Target, steps: int, n: int, m: int) -> None:
    """With no steps, without inner elements, fewer than a vector, and more."""
    scop, along_diagonals, program = _realigned(text, target)
    check_results(scop, {"T": steps, "n": n, "m": m}, n, along_diagonals, program)


@cache
def _realigned(text: str, target: Target) -> tuple[Scop, LoopNest, VectorProgram]:
    """What is read, its loops along diagonals, and those in shapes as well."""
    proofs, scop = Proofs(), marked_scop(text)
    found = diagonals(proofs, scop)
    assert found is not None
    tree = with_first_shapes(proofs, target, found).shaped(proofs.dependences(found.scop))
    assert proofs.is_legal(found.scop, tree)
    return scop, lower(found.scop, found.tree), plan(lower(found.scop, tree), target, contract=False)
