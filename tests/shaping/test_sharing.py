"""Nests that share blocks of a matrix's rows: which do, which may not, and that results stay."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.loop_nest import Block, Loop, Node
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.lanes import computes
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import Fusion, distributed, isl_schedule
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shaping.sharing import sharing_rows, sharing_strips
from tests.helpers.checking import check_results
from tests.helpers.reading import shipped_scop
from tests.helpers.running import assert_same, compiled, interpreted, random_data

TWICE = """void twice(int n, double A[n][n], double x[n], double y[n], double z[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += A[i][j] * x[j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            z[i] += A[i][j] * y[SUBSCRIPT];
#pragma endscop
}
"""


def twice(subscript: str) -> Scop:
    (scop,) = read_source("twice.c", text=TWICE.replace("SUBSCRIPT", subscript)).scops
    return scop


def apart(proofs: Proofs, scop: Scop) -> ShapedTree:
    tree = isl_schedule(scop, proofs.flow(scop), Fusion.SEPARATE)
    return ShapedTree("apart", scop, distributed(scop, tree, proofs.dependences(scop)))


def test_what_becomes_of_two_products() -> None:
    proofs, scop = Proofs(), twice("i")
    found = sharing_rows(proofs, apart(proofs, scop), 32)
    assert found is not None
    assert found.name == "apart, blocks of 32 rows shared"
    assert str(lower(scop, found.tree)).splitlines() == [
        "for it in [0, floord(n + 31, 32))",
        "  for i in [32*it, min(32*it + 31, n - 1) + 1)",
        "    for j in [0, n)",
        "      S0: y[i] = (y[i] + (A[i][j] * x[j]))",
        "  for i in [32*it, min(32*it + 31, n - 1) + 1)",
        "    for j in [0, n)",
        "      S1: z[i] = (z[i] + (A[i][j] * y[i]))",
    ]


SYMMETRIC = """void symmetric(int n, double A[n][n], double x[n], double y[n], double t[n])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            y[j] += A[i][j] * x[i];
            t[i] += A[i][j] * x[j];
        }
        y[i] += A[i][i] * x[i] + t[i];
    }
#pragma endscop
}
"""


def test_what_runs_between_shares_the_blocks_where_it_has_to() -> None:
    """Neither may y[i] wait for all rows, nor go before them: half of a symmetric matrix is read once for both."""
    (scop,) = read_source("symmetric.c", text=SYMMETRIC).scops
    proofs = Proofs()
    found = sharing_rows(proofs, apart(proofs, scop), 16)
    assert found is not None
    shared = lower(scop, found.tree)
    assert isinstance(shared.body, Loop)
    assert [c.statement for c in computes(shared.body)] == ["S1", "S2", "S0"]
    shaped = with_first_shapes(proofs, host_target(), found)
    program = plan(lower(scop, shaped.shaped(proofs.dependences(scop))), host_target())
    for n in (1, 15, 16, 33, 50):
        check_results(scop, {"n": n}, n, shared, program, contract=True)


def test_what_needs_all_rows_of_the_other_waits_for_them() -> None:
    proofs, scop = Proofs(), twice("j")
    assert sharing_rows(proofs, apart(proofs, scop), 32) is None


@pytest.mark.parametrize(("name", "together"), [("atax", 1), ("bicg", 1), ("mvt", 1), ("gemver", 1), ("gesummv", 0)])
def test_results_stay(name: str, together: int) -> None:
    """With fewer rows than a block, whole blocks, and one row more; in shapes, too."""
    proofs, scop, target = Proofs(), shipped_scop(name), host_target()
    found = sharing_rows(proofs, apart(proofs, scop), 8)
    assert (found is not None) == bool(together)
    if found is None:
        return
    shaped = with_first_shapes(proofs, target, found).shaped(proofs.dependences(scop))
    program = plan(lower(scop, shaped), target, contract=False)
    for n in (1, 7, 8, 17):
        sizes = dict(zip(scop.parameters, (n, n + 3), strict=False))
        check_results(scop, sizes, n, lower(scop, found.tree), program)


SCANS = """void scans(int n, int m, float x[n][m], float y[n][m], float z[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        float t = 0.0f;
        for (int j = 0; j < m; j++) {
            y[i][j] = x[i][j] + 0.5f * t;
            t = y[i][j];
        }
    }
    for (int i = 0; i < n; i++) {
        float t = 0.0f;
        for (int j = m - 1; j >= 0; j--) {
            z[i][j] = x[i][j] + 0.5f * t;
            t = z[i][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            x[i][j] = y[i][j] + z[SUBSCRIPT][j];
    for (int j = 0; j < m; j++) {
        float t = 0.0f;
        for (int i = 0; i < n; i++) {
            y[i][j] = x[i][j] + 0.5f * t;
            t = y[i][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            z[i][j] = y[i][j] - x[i][j];
#pragma endscop
}
"""


@pytest.mark.parametrize(("subscript", "together"), [("i", "3 2"), ("n - 1 - i", "2 3")])
def test_loops_in_lanes_share_strips_with_what_follows_on_them(subscript: str, together: str) -> None:
    """One vector of rows, four of columns; what takes other rows goes down columns instead."""
    (scop,) = read_source("scans.c", text=SCANS.replace("SUBSCRIPT", subscript)).scops
    proofs, target = Proofs(), shown_target("avx512")
    lanes = outer_lanes(proofs, scop)
    assert lanes is not None
    found = sharing_strips(proofs, lanes, target, 4)
    assert found is not None
    nest = lower(found.scop, found.tree)
    assert isinstance(nest.body, Block)
    assert " ".join(str(_nests(node)) for node in nest.body.children) == together
    assert [node.variable for node in nest.body.children if isinstance(node, Loop)][-1] == "jt"
    original = lower(scop, original_tree(scop))
    shaped = with_first_shapes(proofs, host_target(), found).shaped(proofs.dependences(found.scop))
    program = plan(lower(found.scop, shaped), host_target(), contract=False)
    for n, m in ((1, 1), (16, 64), (19, 70), (33, 9)):
        sizes, data = {"n": n, "m": m}, random_data(scop, {"n": n, "m": m}, n)
        assert_same(interpreted(original, sizes, data, False), compiled(program, sizes, data, False), f"{n} {m}")


def _nests(node: Node) -> int:
    """Nests inside a loop over strips, 1 for a nest of its own."""
    return len(node.body.children) if isinstance(node, Loop) and isinstance(node.body, Block) else 1


def test_nests_without_lanes_share_no_strips() -> None:
    assert sharing_strips(Proofs(), apart(Proofs(), twice("i")), shown_target("avx512"), 4) is None
