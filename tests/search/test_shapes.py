"""The shapes that are proposed: well-formed, distinct, legal where the proof says so."""

from __future__ import annotations

from itertools import islice

import pytest

from polyloop.backend.loop_nest import LoopKind
from polyloop.dependence import memory_dependences
from polyloop.frontend import read_c
from polyloop.kernels import kernel
from polyloop.schedule_tree import original_tree
from polyloop.scop import Scop
from polyloop.search.nests import Nest, Shape, nests, reshaped
from polyloop.search.shapes import shapes

LANES = 8


def _nests(name: str) -> list[tuple[Scop, Nest]]:
    (scop,) = read_c(kernel(name).path)
    return [(scop, nest) for nest in nests(original_tree(scop))]


def _all(scop: Scop, nest: Nest) -> list[tuple[str, Shape]]:
    return list(shapes(scop, nest, LANES, lambda _: True))


@pytest.mark.parametrize("name", ["gemm", "jacobi-2d", "syrk", "trisolv", "atax", "seidel-2d"])
def test_shapes_are_well_formed_and_distinct(name: str) -> None:
    for scop, nest in _nests(name):
        proposed = [shape for _, shape in _all(scop, nest)]
        assert len(proposed) == len(set(proposed))
        for shape in proposed:
            members = set(range(len(nest.members)))
            whole = {k for k, size in shape.outer if size == 1} | {k for k, _ in shape.points}
            assert whole == members, f"{shape} leaves members out"
            kinds = [kind for _, kind in shape.points]
            assert set(kinds) <= {LoopKind.UNROLLED, LoopKind.VECTOR}
            assert kinds.count(LoopKind.VECTOR) <= 1


@pytest.mark.parametrize("name", ["gemm", "jacobi-2d"])
def test_every_statement_stays(name: str) -> None:
    for scop, nest in _nests(name):
        tree = original_tree(scop)
        dependences = memory_dependences(scop)
        for _, shape in islice(_all(scop, nest), 20):
            made = reshaped(scop, dependences, tree, nest, shape)
            assert set(made.rows()) == set(tree.statements)


PRODUCT = """void product(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] = C[i][j] + A[i][k] * B[k][j];
#pragma endscop
}
"""


def test_the_product_gets_a_register_tile_first() -> None:
    (scop,) = read_c("product.c", text=PRODUCT)
    (nest,) = nests(original_tree(scop))
    names = [name for name, _ in _all(scop, nest)]
    assert names[:2] == ["packed register tile 8x24, panels of 256, rows in between", "register tile 8x24"]
    assert "lanes" in names


TWO_STREAMS = PRODUCT.replace("A[i][k] * B[k][j]", "A[i][k] * B[k][j] + B[i][k] * A[k][j]")


@pytest.mark.parametrize(
    ("source", "registers", "size"),
    [(PRODUCT, 32, (8, 3)), (PRODUCT, 16, (4, 2)), (TWO_STREAMS, 32, (8, 2)), (TWO_STREAMS, 16, (4, 2))],
)
def test_the_first_tile_leaves_registers_for_what_its_rows_share(
    source: str, registers: int, size: tuple[int, int]
) -> None:
    (scop,) = read_c("product.c", text=source)
    (nest,) = nests(original_tree(scop))
    names = [name for name, _ in shapes(scop, nest, LANES, lambda _: True, registers)]
    rows, count = size
    assert names[0].startswith(f"packed register tile {rows}x{count * LANES}")
    assert names[1] == f"register tile {rows}x{count * LANES}"
    assert any(name.startswith("register tile 8x24") for name in names), "the others come later"


def test_nothing_is_proposed_where_nothing_is_legal() -> None:
    for scop, nest in _nests("gemm"):
        assert list(shapes(scop, nest, LANES, lambda _: False)) == []
