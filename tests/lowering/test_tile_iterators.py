"""Loops that count sums of tile numbers: the same instances in the same order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.frontend import read_c
from polyloop.lowering.tile_iterators import with_tile_iterators
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree
from polyloop.scop.model import Scop
from tests.helpers.checking import check_order

SWEEPS = """void sweeps(int st, int n, double A[n][n], double B[n][n])
{
#pragma scop
  for (int s = 0; s < st; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.25 * (A[i - 1][j] + A[i][j - 1] + A[i + 1][j] + A[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = 0.25 * (B[i - 1][j] + B[i][j - 1] + B[i + 1][j] + B[i][j + 1]);
  }
#pragma endscop
}
"""


@pytest.fixture
def scop() -> Scop:
    (found,) = read_c("sweeps.c", text=SWEEPS)
    return found


def diagonals(scop: Scop, steps: int, rows: int, inner: int) -> ScheduleTree:
    """Tiles of steps and rows by their diagonals, smaller ones inside of them."""

    def member(
        value: Callable[[Affine, Affine, Affine], Affine], divisor: int = 1, kind: LoopKind = LoopKind.SEQUENTIAL
    ) -> Member:
        s, i, j = affine("s"), affine("i") + affine("s") * 2, affine("j") + affine("s") * 2
        rows = ((each.name, value(s, i + late, j + late)) for late, each in enumerate(scop.statements))
        return Member(tuple(rows), divisor, kind=kind)

    wave = member(lambda s, i, j: s // steps + i // rows)
    tiles = (
        member(lambda s, i, j: i, rows, LoopKind.PARALLEL),
        member(lambda s, i, j: s, steps),
        member(lambda s, i, j: i, inner),
        member(lambda s, i, j: j, 4 * inner),
    )
    points = member(lambda s, i, j: s), member(lambda s, i, j: i), member(lambda s, i, j: j)
    return ScheduleTree(tuple(s.name for s in scop.statements), Band((wave, *tiles, *points), False, Leaf()))


@pytest.mark.parametrize(("t", "n"), [(0, 5), (1, 3), (7, 9), (9, 14)])
@pytest.mark.parametrize("sizes", [(2, 4, 2), (3, 2, 2), (4, 6, 3)])
def test_instances_and_their_order(scop: Scop, t: int, n: int, sizes: tuple[int, int, int]) -> None:
    points = [(s.name, point) for s in scop.statements for point in product(range(t), *[range(1, n - 1)] * 2)]
    check_order(scop, diagonals(scop, *sizes), {"st": t, "n": n}, points)


def test_tiles_are_iterators_with_names_of_their_own(scop: Scop) -> None:
    tiled, tree = with_tile_iterators(scop, diagonals(scop, 32, 64, 4))
    assert isinstance(tree.root, Band)
    for statement in tiled.statements:
        assert statement.iterators == ("s", "i", "j", "it", "st2")  # a parameter is called st
        rows = [str(member.row(statement.name)) for member in tree.root.members]
        assert rows[:3] == ["it + st2", "it", "st2"]
    assert [member.divisor for member in tree.root.members] == [1, 1, 1, 4, 16, 1, 1, 1]
