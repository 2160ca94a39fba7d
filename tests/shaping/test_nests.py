"""The innermost nests of a tree, what their accesses say, and their shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.frontend import read_c
from polyloop.schedules.isl_scheduler import Fusion, isl_schedule
from polyloop.schedules.tree import Band, Leaf, original_tree
from polyloop.scop.dependence import memory_dependences, value_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.nests import (
    Nest,
    Shape,
    movement,
    nests,
    reduction_members,
    reshaped,
    reuse_members,
    vector_members,
)
from polyloop.shipped.kernels import kernel, kernel_names
from tests.helpers.programs import PRODUCT

X, Y, Z = 0, 1, 2


def _product() -> tuple[Scop, Nest]:
    (scop,) = read_c("product.c", text=PRODUCT)
    (nest,) = nests(original_tree(scop))
    return scop, nest


def test_the_product_is_one_nest() -> None:
    _, nest = _product()
    assert [str(m.rows[0][1]) for m in nest.members] == ["i", "j", "k"]
    assert (nest.path, nest.around, nest.bottom, nest.statements) == ((), (), Leaf(), ("S0",))


def test_members_of_the_product() -> None:
    scop, nest = _product()
    assert vector_members(scop, nest) == (Y,)
    assert reduction_members(scop, nest) == {Z}
    assert reuse_members(scop, nest, Y)[0] == X


def test_movement_of_the_product() -> None:
    scop, nest = _product()
    (along,) = movement(scop, nest, Y)
    assert along.store == (0, 1)
    assert dict(zip(map(str, scop.statements[0].reads), along.loads, strict=True)) == {
        "C[i][j]": (0, 1),
        "A[i][k]": (0, 0),
        "B[k][j]": (0, 1),
    }


def test_a_register_tile_of_the_product() -> None:
    scop, nest = _product()
    shape = Shape(((Y, 16), (X, 4), (Z, 1)), ((X, LoopKind.UNROLLED), (Y, LoopKind.VECTOR)))
    tree = reshaped(scop, memory_dependences(scop), original_tree(scop), nest, shape)
    i, j, k = affine("i"), affine("j"), affine("k")
    assert tree.rows()["S0"] == (j // 16, i // 4, k, i, j)
    inner = tree.at((0,))
    assert isinstance(inner, Band)
    assert [m.kind for m in inner.members] == [LoopKind.UNROLLED, LoopKind.VECTOR]


def test_a_shape_without_points_has_no_inner_band() -> None:
    scop, nest = _product()
    tree = reshaped(scop, memory_dependences(scop), original_tree(scop), nest, Shape(((Z, 1), (X, 1), (Y, 1)), ()))
    assert tree.at((0,)) == Leaf()
    assert tree.rows()["S0"] == (affine("k"), affine("i"), affine("j"))


@pytest.mark.parametrize("name", kernel_names())
def test_nests_of_the_kernels_hold_each_statement_at_most_once(name: str) -> None:
    (scop,) = read_c(kernel(name).path)
    tree = original_tree(scop)
    found = list(nests(tree))
    names = [statement for nest in found for statement in nest.statements]
    assert len(names) == len(set(names))
    for nest in found:
        assert tree.statements_at(nest.path) == nest.statements
        depths = {scop.statement(statement).depth for statement in nest.statements}
        assert max(depths) <= len(nest.around) + len(nest.members)


def test_statements_that_do_not_move_along_the_vector_are_left_out_of_the_reuse(tmp_path: Path) -> None:
    path = tmp_path / "solve.c"
    path.write_text(
        """void solve(int n, double a[n][n], double b[n][n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = i + 1; k < n; k++) {
                if (k == i + 1)
                    b[j][i] /= a[i][i];
                b[j][k] -= a[i][k] * b[j][i];
            }
#pragma endscop
}
"""
    )
    (scop,) = read_c(path)
    (nest,) = nests(isl_schedule(scop, value_dependences(scop), Fusion.DEFAULT))
    assert [[m.statement for m in movement(scop, nest, k)] for k in range(3)] == [["S0", "S1"], ["S1"], ["S1"]]
    assert reuse_members(scop, nest, 1) == (2, 0)
