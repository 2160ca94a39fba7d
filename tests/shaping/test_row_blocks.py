"""Lanes down columns by blocks of rows: which lanes go so, what shares their rows, and that results stay."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.traversal import arrays_touched, walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.scop.model import Scop
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.shaping.row_blocks import in_row_blocks, lanes_apart
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shaping.sharing import sharing_strips
from tests.helpers.checking import check_results
from tests.helpers.reading import marked_scop

AVX2 = shown_target("avx2")

FILTER = """void filter(int n, int m, TYPE x[n][m], TYPE y[n][m], TYPE z[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        TYPE t = 0;
        for (int j = 0; j < m; j++) {
            t = x[i][j] + (TYPE)0.5 * t;
            y[i][j] = t;
        }
    }
    for (int j = 0; j < m; j++) {
        TYPE t = 0, s = 1;
        for (int i = FIRST) {
            t = y[i][j] + (TYPE)0.5 * t + (TYPE)0.25 * s;
            s = y[i][j];
            z[i][j] = t;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i][j] = z[i][j] - x[i][j];
#pragma endscop
}
"""
DOWN, UP = "0; i < n; i++", "n - 1; i >= 0; i--"

SWEEPS = """void sweeps(int T, int n, int m, double u[n][m], double w[n][m], double p[n][m], const double c[n][m])
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int j = 1; j < m; j++) {
            w[0][j] = u[0][j];
            for (int i = 1; i < n; i++) {
                p[i][j] = c[i][j] / (2.5 + c[i][j] * p[i-1][j]);
                w[i][j] = u[i][j] + c[i][j] * w[i-1][j];
            }
            for (int i = n - 2; i >= 1; i--)
                u[i][j] = w[i][j] - p[i][j] * u[i+1][j];
        }
#pragma endscop
}
"""


def filters(first: str = DOWN, type_: str = "float") -> str:
    return FILTER.replace("FIRST", first).replace("TYPE", type_)


def by_rows(proofs: Proofs, scop: Scop, target: Target) -> ShapedTree | None:
    lanes = outer_lanes(proofs, scop)
    apart = None if lanes is None else lanes_apart(proofs, lanes)
    return apart and in_row_blocks(proofs, sharing_strips(proofs, apart, target, 0) or apart, target)


def test_columns_go_down_in_the_blocks_of_rows_that_they_share() -> None:
    """What a column starts from comes first; its loop, and what uses its results, go along with the rows before it."""
    found = by_rows(Proofs(), marked_scop(filters()), AVX2)
    assert found is not None
    assert found.name.endswith("lanes along i around S1, j around S5, strips of rows shared, by blocks of rows")
    assert str(lower(found.scop, found.tree)).splitlines() == [
        "vector for j in [0, m)",
        "  S3: t__x[j] = 0.0:f32",
        "  S4: s_x[j] = 1.0:f32",
        "for it in [0, floord(n + 7, 8))",
        "  vector for i in [8*it, min(8*it + 7, n - 1) + 1)",
        "    S0: t_x[i] = 0.0:f32",
        "    for j in [0, m)",
        "      S1: t_x[i] = (x[i][j] + (0.5:f32 * t_x[i]))",
        "      S2: y[i][j] = t_x[i]",
        "  vector for j in [0, m)",
        "    for i in [8*it, min(8*it + 7, n - 1) + 1)",
        "      S5: t__x[j] = ((y[i][j] + (0.5:f32 * t__x[j])) + (0.25:f32 * s_x[j]))",
        "      S6: s_x[j] = y[i][j]",
        "      S7: z[i][j] = t__x[j]",
        "  for i in [8*it, min(8*it + 7, n - 1) + 1)",
        "    for j in [0, m)",
        "      S8: x[i][j] = (z[i][j] - x[i][j])",
    ]


def test_what_goes_up_shares_blocks_of_rows_from_the_last_on() -> None:
    """So does what follows on it, whichever way it went before."""
    found = by_rows(Proofs(), marked_scop(filters(UP)), AVX2)
    assert found is not None
    assert str(lower(found.scop, found.tree)).splitlines()[8:] == [
        "for it in [floord(-n + 1, 8), 1)",
        "  vector for j in [0, m)",
        "    for i in [max(-n + 1, 8*it), min(0, 8*it + 7) + 1)",
        "      S5: t__x[j] = ((y[-i][j] + (0.5:f32 * t__x[j])) + (0.25:f32 * s_x[j]))",
        "      S6: s_x[j] = y[-i][j]",
        "      S7: z[-i][j] = t__x[j]",
        "  for i in [max(-8*it - 7, 0), min(-8*it, n - 1) + 1)",
        "    for j in [0, m)",
        "      S8: x[i][j] = (z[i][j] - x[i][j])",
    ]


def test_rows_inside_of_a_loop_over_time_are_shared_there() -> None:
    found = by_rows(Proofs(), marked_scop(SWEEPS), AVX2)
    assert found is not None
    loops = [line.strip() for line in str(lower(found.scop, found.tree)).splitlines() if "for " in line]
    assert [line.split(" in ")[0] for line in loops] == [
        "for t",
        "vector for j",
        "for it",
        "vector for j",
        "for i",
        "for it",
        "vector for j",
        "for i",
    ]


def test_a_column_keeps_its_values_in_registers_for_a_block_of_rows() -> None:
    """They are loaded and stored for each block, not for each row."""
    found = by_rows(Proofs(), marked_scop(filters()), AVX2)
    assert found is not None
    program = plan(lower(found.scop, found.tree), AVX2)
    inner = [s for s in walk(program.body) if isinstance(s, v.For) and s.variable == "i" and s.carried]
    assert [arrays_touched(loop.body) for loop in inner] == [(frozenset({"y"}), frozenset({"z"}))] * len(inner)
    assert [carried.type.lanes for carried in inner[0].carried] == [8] * 8


def test_lanes_across_rows_stay_as_they_are() -> None:
    """A block of rows would take a few elements of every row of the other matrix."""
    across = filters().replace("z[i][j]", "z[j][i]").replace("z[n][m]", "z[m][n]")
    lanes = outer_lanes(Proofs(), marked_scop(across))
    assert lanes is not None
    assert lanes_apart(Proofs(), lanes) is None


@pytest.mark.parametrize("text", [filters(), filters(UP), filters(DOWN, "double"), SWEEPS])
@pytest.mark.parametrize("target", [host_target(), AVX2], ids=str)
@settings(deadline=None, max_examples=4, suppress_health_check=list(HealthCheck))
@given(st.integers(1, 40), st.integers(1, 70))
def test_results_stay(text: str, target: Target, n: int, m: int) -> None:
    """With fewer rows and columns than a vector, whole ones, and some more."""
    scop, by_blocks, program = _in_blocks(text, target)
    sizes = {"T": 2, "n": n, "m": m}
    check_results(scop, {name: sizes[name] for name in scop.parameters}, n, by_blocks, program)


@cache
def _in_blocks(text: str, target: Target) -> tuple[Scop, LoopNest, v.VectorProgram]:
    """What is read, its rows in blocks, and those in shapes as well."""
    proofs, scop = Proofs(), marked_scop(text)
    found = by_rows(proofs, scop, target)
    assert found is not None
    assert proofs.is_legal(found.scop, found.tree)
    shaped = with_first_shapes(proofs, target, found).shaped(proofs.dependences(found.scop))
    return scop, lower(found.scop, found.tree), plan(lower(found.scop, shaped), target, contract=False)
