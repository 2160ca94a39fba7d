"""Nests that share blocks of a matrix's rows: which do, which may not, and that results stay."""

from __future__ import annotations

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import Fusion, distributed, isl_schedule
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shaping.sharing import sharing_rows
from polyloop.shipped.kernels import kernel
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


def shipped(name: str) -> Scop:
    (scop,) = read_source(str(kernel(name).path)).scops
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


def test_what_needs_all_rows_of_the_other_waits_for_them() -> None:
    proofs, scop = Proofs(), twice("j")
    assert sharing_rows(proofs, apart(proofs, scop), 32) is None


@pytest.mark.parametrize(("name", "together"), [("atax", 1), ("bicg", 1), ("mvt", 1), ("gemver", 1), ("gesummv", 0)])
def test_results_stay(name: str, together: int) -> None:
    """With fewer rows than a block, whole blocks, and one row more; in shapes, too."""
    proofs, scop, target = Proofs(), shipped(name), host_target()
    found = sharing_rows(proofs, apart(proofs, scop), 8)
    assert (found is not None) == bool(together)
    if found is None:
        return
    original, nest = lower(scop, original_tree(scop)), lower(scop, found.tree)
    shaped = with_first_shapes(proofs, target, found).shaped(proofs.dependences(scop))
    program = plan(lower(scop, shaped), target, contract=False)
    for n in (1, 7, 8, 17):
        sizes = dict(zip(scop.parameters, (n, n + 3), strict=False))
        data = random_data(scop, sizes, n)
        expected = interpreted(original, sizes, data, False)
        assert_same(expected, interpreted(nest, sizes, data, False), f"{name} {sizes}")
        assert_same(expected, compiled(program, sizes, data, False), f"{name} in shapes {sizes}")
