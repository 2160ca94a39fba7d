"""Copies whose rows begin where lines do: what they copy and refuse, and that nothing changes but storage."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest

from polyloop.backend.ir.affine import Affine, affine
from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from polyloop.transforms.realign import Realign
from polyloop.transforms.scop_transform import IllegalScopTransformError, legal_steps
from tests.helpers.enumeration import run

SWEEPS = """void sweeps(int t, int n, int m, double A[n][m], double B[n][m], double c[m])
{
#pragma scop
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 2; j++)
        B[i][j] = A[i][j - 1] + A[i - 1][j] + A[i][j + 2] + c[j];
    for (int i = 1; i < n - 1; i++)
      for (int j = 3; j < m - 2; j++)
        A[i][j] = B[i + 1][j] + B[i][j];
  }
#pragma endscop
}
"""


def sweeps(text: str = SWEEPS) -> Scop:
    (scop,) = read_c("sweeps.c", text=text)
    return scop


def texts(scop: Scop) -> dict[str, str]:
    return {s.name: f"{s.target} <- {', '.join(map(str, s.reads))}" for s in scop.statements}


def points(scop: Scop, name: str, **sizes: int) -> set[tuple[int, ...]]:
    domain = scop.statement(name).domain
    for parameter, size in sizes.items():
        domain = domain.fix_val(*domain.get_var_dict()[parameter], size)
    points: list[isl.Point] = []
    domain.project_out(isl.dim_type.param, 0, domain.dim(isl.dim_type.param)).foreach_point(points.append)
    return {tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(2)) for p in points}


def test_arrays_of_rows_that_loops_come_back_to() -> None:
    assert list(Realign.candidates(sweeps())) == [Realign("A", 8), Realign("B", 8)]
    floats = sweeps(SWEEPS.replace("double", "float"))
    assert list(Realign.candidates(floats)) == [Realign("A", 16), Realign("B", 16)]


def test_every_access_goes_to_the_cell_of_its_element() -> None:
    new, done = legal_steps(sweeps(), Realign.candidates(sweeps()))
    assert len(done) == 2
    assert texts(new) == {
        "B_r_in": "B_r[c0_][c1_ + 7] <- B[c0_][c1_]",
        "A_r_in": "A_r[c0][c1 + 5] <- A[c0][c1]",
        "S0": "B_r[i][j + 7] <- A_r[i][j + 4], A_r[i - 1][j + 5], A_r[i][j + 7], c[j]",
        "S1": "A_r[i][j + 5] <- B_r[i + 1][j + 7], B_r[i][j + 7]",
        "A_r_out": "A[c0][c1] <- A_r[c0][c1 + 5]",
        "B_r_out": "B[c0_][c1_] <- B_r[c0_][c1_ + 7]",
    }
    assert new.array("A_r").local
    assert new.array("B_r").local


def test_what_is_read_before_it_is_written_comes_in_and_what_is_written_goes_out() -> None:
    new, _ = legal_steps(sweeps(), Realign.candidates(sweeps()))
    inner = {(i, j) for i in range(1, 4) for j in range(1, 7)}
    assert points(new, "B_r_out", t=2, n=5, m=9) == inner
    assert points(new, "A_r_out", t=2, n=5, m=9) == {(i, j) for i, j in inner if j >= 3}
    assert points(new, "B_r_in", t=2, n=5, m=9) == {(4, j) for j in range(3, 7)}


@pytest.mark.parametrize(("t", "n", "m"), [(0, 5, 9), (1, 5, 9), (3, 4, 8), (2, 2, 9), (2, 5, 3), (3, 5, 6)])
def test_values_are_what_they_were(t: int, n: int, m: int) -> None:
    new, _ = legal_steps(sweeps(), Realign.candidates(sweeps()))
    sizes = {"t": t, "n": n, "m": m}
    local = {array.name for array in new.arrays if array.local}
    found = {element: value for element, value in run(new, sizes).items() if element[0] not in local}
    assert found == run(sweeps(), sizes)


@pytest.mark.parametrize("line", [1, 4, 8])
def test_rows_have_an_odd_number_of_lines_and_room_for_all(line: int) -> None:
    new = Realign("A", line).apply(sweeps())
    _, row = new.array("A_r").shape
    shift = -3 % line
    assert isinstance(row, Affine)
    for m in range(1, 40):
        extent = row.evaluate({"m": m})
        assert extent % (2 * line) == line
        assert m + shift <= extent < m + shift + 2 * line


def test_rows_of_a_copy_are_diagonals_of_a_slope() -> None:
    """What is only read comes in and does not go out."""
    new = Realign("B", 8, 2).apply(Realign("A", 8, 2).apply(sweeps()))
    assert texts(new) == {
        "B_r_in": "B_r[2*c0_ + c1_][c0_] <- B[c0_][c1_]",
        "A_r_in": "A_r[2*c0 + c1][c0] <- A[c0][c1]",
        "S0": "B_r[2*i + j][i] <- A_r[2*i + j - 1][i], A_r[2*i + j - 2][i - 1], A_r[2*i + j + 2][i], c[j]",
        "S1": "A_r[2*i + j][i] <- B_r[2*i + j + 2][i + 1], B_r[2*i + j][i]",
        "A_r_out": "A[c0][c1] <- A_r[2*c0 + c1][c0]",
        "B_r_out": "B[c0_][c1_] <- B_r[2*c0_ + c1_][c0_]",
    }
    read_only = SWEEPS.replace("c[m]", "c[n][m]").replace("c[j]", "c[i][j]")
    new = Realign("c", 8, 1).apply(sweeps(read_only))
    assert {s.name for s in new.statements} == {"S0", "S1", "c_r_in"}


@pytest.mark.parametrize("slope", [1, 2, 3])
def test_diagonals_have_room_and_the_values_that_rows_had(slope: int) -> None:
    new, done = legal_steps(sweeps(), [Realign(name, 8, slope) for name in "AB"])
    assert len(done) == 2
    length, row = new.array("A_r").shape
    assert isinstance(length, Affine)
    assert isinstance(row, Affine)
    for n, m in ((1, 1), (4, 9), (9, 4)):
        assert length.evaluate({"n": n, "m": m}) == m + slope * (n - 1)
        assert row.evaluate({"n": n, "m": m}) >= n
    sizes = {"t": 2, "n": 5, "m": 7}
    found = {element: value for element, value in run(new, sizes).items() if element[0] not in ("A_r", "B_r")}
    assert found == run(sweeps(), sizes)


@pytest.mark.parametrize(
    ("text", "array", "reason"),
    [
        (SWEEPS, "c", "there is no such array"),
        (SWEEPS, "x", "there is no such array"),
        (SWEEPS.replace("A[i][j] = ", "if (c[j] > 0) A[i][j] = "), "A", "only where a condition on data holds"),
    ],
)
def test_refusals(text: str, array: str, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError, match=f"cannot realign {array} in .*: .*{reason}"):
        Realign(array, 8).apply(sweeps(text))


def test_extents_have_to_be_known_and_lines_to_have_elements() -> None:
    scop = sweeps()
    arrays = tuple(replace(a, shape=(None, affine("m"))) if a.name == "A" else a for a in scop.arrays)
    with pytest.raises(IllegalScopTransformError, match="not all of its extents are known"):
        Realign("A", 8).apply(replace(scop, arrays=arrays))
    with pytest.raises(IllegalScopTransformError, match="lines have no 0 elements"):
        Realign("A", 0).apply(scop)
    with pytest.raises(IllegalScopTransformError, match="diagonals go the other way"):
        Realign("A", 8, -1).apply(scop)
    with pytest.raises(IllegalScopTransformError, match="it has one dimension only"):
        Realign("c", 8, 1).apply(scop)
