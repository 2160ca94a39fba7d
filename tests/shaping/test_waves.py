"""Lanes along wave fronts: which loops have them, and that results stay."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.frontend import read_c
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import ShapedTree
from polyloop.shaping.variants import Variant, shortened
from polyloop.shaping.waves import in_waves
from tests.helpers.running import interpreted

DISTANCE = """for (int i = 1; i <= n; i++) {
  int prev = row[0];
  row[0] = i;
  for (int j = 1; j <= m; j++) {
    int old = row[j];
    row[j] = prev + (s[i - 1] != t[j - 1]);
    if (old + 1 < row[j]) row[j] = old + 1;
    if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
    prev = old;
  }
}"""
BODIES = {
    "distance": DISTANCE,
    "sweeps": "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) row[j] = row[j - 1] + row[j] - row[j + 1];",
    "sums": "for (int i = 0; i < n; i++) { for (int j = 1; j < m; j++) row[j] += row[j - 1]; s[i] = row[m - 1]; }",
    "bounds": "for (int i = 1; i < n; i++) { row[0] = i; for (int j = i; j < m; j++) row[j] += row[j - 1]; }",
    "what a scalar was": "for (int i = 0; i < n; i++) { t[i] = p; p *= 2; } for (int i = 0; i < n; i++) { p = s[i];"
    " for (int j = 0; j < m; j++) { row[j] = row[j] - row[j + 1] + p; p += 3; } }",
    "upwards": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) row[j] = row[j] * 3 - row[j + 1] + s[i];",
}
LEFT = {
    "other rows": "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) t[j] = row[j - 1] + s[i];",
    "too steep": "for (int i = 0; i < n; i++) for (int j = 1; j < m - 3; j++) row[j] = row[j - 1] + row[j + 3];",
    "apart": "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) row[j] += row[j - 1] + t[5 * i];",
}


def scop(body: str) -> Scop:
    text = f"void f(int n, int m, int *s, int *t, int *row, int p)\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (found,) = read_c("f.c", text=text)
    return found


def waves(body: str) -> tuple[Scop, ShapedTree | None]:
    found = scop(body)
    return found, in_waves(Proofs(), shortened(Variant("", found)))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 9), (9, 3), (12, 12)])
@pytest.mark.parametrize("name", BODIES)
def test_results_stay(name: str, n: int, m: int) -> None:
    before, after = waves(BODIES[name])
    assert after is not None
    assert Proofs().is_legal(after.scop, after.tree)
    rng = np.random.default_rng(1)
    data = {array: rng.integers(0, 4, 80, dtype=np.int32) for array in ("s", "t", "row")}
    data |= {array.name: np.array(5, np.int32) for array in before.arrays if array.name == "p"}
    sizes = {"n": n, "m": m}
    wanted = interpreted(lower(before, original_tree(before)), sizes, data, contract=False)
    found = interpreted(lower(after.scop, after.tree), sizes, data, contract=False)
    for array, values in wanted.items():
        np.testing.assert_array_equal(found[array], values)


def test_lanes_are_along_outer_iterations() -> None:
    _, after = waves(DISTANCE)
    assert after is not None
    lanes = {m.rows for _, band in after.tree.bands() for m in band.members if m.kind is LoopKind.VECTOR}
    assert lanes
    assert all(str(row) == "i" for rows in lanes for _, row in rows)
    assert "original order, lanes along waves of i around" in after.name


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(name: str) -> None:
    assert waves(LEFT[name])[1] is None
