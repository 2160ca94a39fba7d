"""Blocked forms of factorisations and triangular solutions: what is cut and distributed, and that results stay."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from polyloop.backend.ir.expressions import F64
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.vectors import block_columns
from polyloop.lowering.to_nest import lower
from polyloop.measure.saved import _changed
from polyloop.schedules.isl_scheduler import Fusion, isl_schedule
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.panels import in_panels
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shaping.variants import variants
from tests.backend.planning.programs import loads
from tests.helpers.checking import check_results
from tests.helpers.reading import marked_scop, shipped_scop
from tests.helpers.running import Arrays, assert_same, compiled, interpreted, random_data


def in_isls_order(proofs: Proofs, scop: Scop) -> ShapedTree:
    return ShapedTree("isl", scop, isl_schedule(scop, proofs.flow(scop), Fusion.SEPARATE))


def blocked(scop: Scop, size: int, of: str = "panels") -> ShapedTree | None:
    proofs = Proofs()
    return in_panels(proofs, in_isls_order(proofs, scop), size, of)


def region(body: str, arrays: str = "double A[n][n]") -> str:
    return f"#include <math.h>\nvoid f(int n, {arrays})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"


GAUSS = """for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
        A[i][k] /= A[k][k];
        for (int j = k + 1; j < n; j++)
            A[i][j] -= A[i][k] * A[k][j];
    }"""

COLUMNS = """for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
        for (int i = j; i < n; i++)
            A[i][j] -= A[i][k] * A[j][k];
    A[j][j] = sqrt(fabs(A[j][j]) + 1);
    for (int i = j + 1; i < n; i++)
        A[i][j] /= A[j][j];
}"""

SEVERAL = """for (int i = 0; i < n; i++)
    for (int r = 0; r < n; r++) {
        for (int j = 0; j < i; j++)
            X[i][r] -= A[i][j] * X[j][r];
        X[i][r] /= A[i][i];
    }"""

BACKWARD = """for (int i = n - 1; i >= 0; i--) {
    for (int j = n - 1; j > i; j--)
        x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
}"""

TRANSPOSED = """for (int j = 0; j < n; j++) {
    x[j] /= A[j][j];
    for (int i = j + 1; i < n; i++)
        x[i] -= A[j][i] * x[j];
}"""

BACKWARD_COLUMNS = """for (int j = n - 1; j >= 0; j--) {
    x[j] /= A[j][j];
    for (int i = 0; i < j; i++)
        x[i] -= A[i][j] * x[j];
}"""

UNIT = """for (int i = 1; i < n; i++) {
    float t = x[i];
    for (int j = 0; j < i; j++)
        t -= A[i * n + j] * x[j];
    x[i] = t;
}"""

TRIANGLES = {
    "gauss": region(GAUSS),
    "columns": region(COLUMNS),
    "several": region(SEVERAL, "double A[n][n], double X[n][n]"),
    "backward": region(BACKWARD, "double A[n][n], double x[n]"),
    "transposed": region(TRANSPOSED, "double A[n][n], double x[n]"),
    "backward columns": region(BACKWARD_COLUMNS, "double A[n][n], double x[n]"),
}
"""Factorisations and solutions in other orders than the kernels have them."""


def triangle(name: str) -> Scop:
    return marked_scop(TRIANGLES[name]) if name in TRIANGLES else shipped_scop(name)


def dominant(scop: Scop, n: int, seed: int) -> Arrays:
    """Random data, with a diagonal that divides well."""
    arrays = random_data(scop, {"n": n}, seed)
    for k in range(n):
        arrays.get("A", arrays.get("L"))[k, k] += 2 * n  # type: ignore[index]
    return arrays


def test_what_becomes_of_gaussian_elimination() -> None:
    found = blocked(marked_scop(TRIANGLES["gauss"]), 32)
    assert found is not None
    assert str(lower(found.scop, found.tree)).splitlines() == [
        "for kt in [0, floord(n + 30, 32))",
        "  for k in [32*kt, min(32*kt + 30, n - 2) + 1)",
        "    for i in [k + 1, min(32*kt + 31, n - 1) + 1)",
        "      S0_above: A[i][k] = (A[i][k] / A[k][k])",
        "      for k2 in [k + 1, min(32*kt + 31, n - 1) + 1)",
        "        S1_above_above: A[i][k2] = (A[i][k2] - (A[i][k] * A[k][k2]))",
        "  for k in [32*kt, 32*kt + 32)",
        "    for i in [32*kt + 32, n)",
        "      S0_below: A[i][k] = (A[i][k] / A[k][k])",
        "      for k2 in [k + 1, 32*kt + 32)",
        "        S1_below_above: A[i][k2] = (A[i][k2] - (A[i][k] * A[k][k2]))",
        "  for k in [32*kt, 32*kt + 31)",
        "    for i in [k + 1, 32*kt + 32)",
        "      for j in [32*kt + 32, n)",
        "        S1_above_below: A[i][j] = (A[i][j] - (A[i][k] * A[k][j]))",
        "  for k in [32*kt, 32*kt + 32)",
        "    for i in [32*kt + 32, n)",
        "      for j in [32*kt + 32, n)",
        "        S1_below_below: A[i][j] = (A[i][j] - (A[i][k] * A[k][j]))",
    ]


def test_rows_of_a_triangle_that_is_read_once() -> None:
    """What lies in front of the diagonal block is a product, for which x is complete."""
    found = blocked(shipped_scop("trisolv"), 16, "rows")
    assert found is not None
    assert found.name == "isl, rows of 16"
    assert str(lower(found.scop, found.tree)).splitlines() == [
        "for i in [0, n)",
        "  S0: x[i] = b[i]",
        "for it in [0, floord(n + 15, 16))",
        "  for i in [max(16, 16*it), min(16*it + 15, n - 1) + 1)",
        "    for j in [0, i)",
        "      if i - 16*floord(j, 16) - 16 >= 0",
        "        S1_below: x[i] = (x[i] - (L[i][j] * x[j]))",
        "  for i in [16*it, min(16*it + 15, n - 1) + 1)",
        "    for j in [16*it, i)",
        "      S1_above: x[i] = (x[i] - (L[i][j] * x[j]))",
        "    S2: x[i] = (x[i] / L[i][i])",
    ]


@pytest.mark.parametrize("name", ["gemm", "syrk", "trmm", "floyd-warshall", "jacobi-2d", "seidel-2d", "atax", "symm"])
def test_what_reads_nothing_that_it_has_completed_stays(name: str) -> None:
    assert blocked(shipped_scop(name), 32) is None


@pytest.mark.parametrize(
    ("name", "of"),
    [(name, "panels") for name in (*TRIANGLES, "lu", "cholesky", "trisolv")]
    + [(name, "rows") for name in ("backward", "backward columns", "transposed", "cholesky", "trisolv")],
)
def test_results_stay_whatever_the_sizes_are(name: str, of: str) -> None:
    """Fewer rows than a block has, whole blocks, and one row more."""
    scop = triangle(name)
    found = blocked(scop, 5, of)
    assert found is not None
    nest, original = lower(found.scop, found.tree), lower(scop, original_tree(scop))
    for n in (1, 2, 4, 5, 11):
        data = dominant(scop, n, n)
        assert_same(interpreted(original, {"n": n}, data, True), interpreted(nest, {"n": n}, data, True), f"n = {n}")


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("gauss", "panels"),
        ("several", "panels"),
        ("cholesky", "panels"),
        ("backward", "rows"),
        ("backward columns", "rows"),
    ],
)
def test_results_stay_in_shapes(name: str, of: str) -> None:
    """Tiles, lanes and copies in every part, at a border and beyond."""
    scop = triangle(name)
    target, proofs = host_target(), Proofs()
    found = in_panels(proofs, in_isls_order(proofs, scop), 32 if of == "panels" else 16, of)
    assert found is not None
    shaped = with_first_shapes(proofs, target, found)
    tree = shaped.shaped(proofs.dependences(shaped.scop))
    program = plan(lower(shaped.scop, tree), target)
    original = plan(lower(scop, original_tree(scop)), target)
    for n in (1, 31, 33, 77):
        data = dominant(scop, n, n)
        assert_same(compiled(original, {"n": n}, data, True), compiled(program, {"n": n}, data, True), f"n = {n}")


@pytest.mark.parametrize("instructions", ["avx512", "avx2"])
@pytest.mark.parametrize("name", ["trisolv", "backward", "backward columns"])
def test_rows_in_lanes_load_blocks_whichever_way_loops_count(name: str, instructions: str) -> None:
    """Blocks of their columns are loaded row by row, also where the last column comes first."""
    scop, target, proofs = triangle(name), shown_target(instructions), Proofs()
    found = in_panels(proofs, in_isls_order(proofs, scop), 16, "rows")
    assert found is not None
    shaped = with_first_shapes(proofs, target, found)
    assert any("rows in lanes" in words for _, words, _ in shaped.chosen)
    program = plan(lower(shaped.scop, shaped.shaped(proofs.dependences(shaped.scop))), target)
    rows = [load for name in "AL" for load in loads(program.body, name) if load.type.lanes > 1]
    assert any(
        load.address.lane_strides == (0, 1) and load.type.lanes in block_columns(target.lanes(F64)) for load in rows
    )


def test_steps_of_a_triangle_are_cut_behind_full_tiles_once() -> None:
    """What is behind them looks the same: it was cut again, without end."""
    scop, proofs = marked_scop(region(UNIT, "float *restrict A, float *restrict x")), Proofs()
    plans = []
    for variant in variants(scop):
        base = ShapedTree("", variant.scop, isl_schedule(variant.scop, proofs.flow(variant.scop), Fusion.SEPARATE))
        found = in_panels(proofs, base, 32, "rows")
        if found is not None:
            shaped = with_first_shapes(proofs, shown_target("avx512"), found)
            tree = shaped.shaped(proofs.dependences(shaped.scop))
            plans.append(plan(lower(shaped.scop, tree), shown_target("avx512")))
    assert plans


def test_any_order_of_the_loops_and_any_size() -> None:
    """Random triangles: updates under loops in any order that means the same, blocked by any size, and cut only where
    what is summed up is complete before it is read."""
    generator = random.Random(3)
    cut = 0
    for order in permutations("kij"):
        bounds = {"k": ("0", "n"), "i": ("0", "n"), "j": ("0", "n")}
        loops = "".join(f"for (int {v} = {bounds[v][0]}; {v} < {bounds[v][1]}; {v}++) " for v in order)
        below, strict = generator.choice(("k < i", "k <= i")), generator.choice(("k < j", "i <= j && k < i"))
        update = f"if ({below} && {strict}) A[i][j] -= A[i][k] * A[{generator.choice('kj')}][{generator.choice('jk')}];"
        scop, size = marked_scop(region(f"{loops}{update}")), generator.choice((2, 3, 7))
        found = blocked(scop, size)
        if found is None:
            continue
        cut += 1
        for n in (size - 1, size, 2 * size + 1):
            check_results(scop, {"n": n}, n, lower(found.scop, found.tree), contract=True)
    assert cut >= 2


@pytest.mark.parametrize("name", ["lu", "cholesky"])
def test_cuts_have_a_text_that_makes_the_same_statements(name: str) -> None:
    """Also after proofs, in whose course isl may simplify what it knows of a set."""
    scop = shipped_scop(name)
    found = blocked(scop, 64)
    assert found is not None
    assert _changed(scop, tuple(map(str, found.changes))).text == found.scop.text
