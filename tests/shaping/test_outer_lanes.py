"""Lanes along outer loops: which loops get them, what is private to a lane, and that it stays in registers.

What such schedules compute is compared in tests/frontend/test_real_code.py, for functions with sizes around a vector.
"""

from __future__ import annotations

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.traversal import arrays_touched, walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.shaping.shaped import ShapedTree, with_first_shapes
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms.steps import replay_steps
from tests.helpers.checking import check_results
from tests.helpers.reading import found_scop
from tests.helpers.running import assert_same, compiled, interpreted, random_data

AVX2 = shown_target("avx2")

SUMS = """
void sums(int n, float x[n], float v[n])
{
    for (int i = 0; i < n; i++) {
        float f = 0.0f, d;
        for (int j = 0; j < n; j++) {
            d = x[j] - x[i];
            f += d * d;
        }
        v[i] += f;
    }
}
"""


def in_lanes(text: str) -> ShapedTree | None:
    return outer_lanes(Proofs(), found_scop(text))


def test_scalars_that_every_iteration_writes_first_are_private_to_lanes() -> None:
    found = in_lanes(SUMS)
    assert found is not None
    assert found.name == "original order, lanes along i around S1"
    assert [str(step) for step in found.changes] == ["expand(array='f', loops=(0,))", "expand(array='d', loops=(0,))"]
    assert Proofs().is_legal(found.scop, found.tree)
    assert replay_steps(found_scop(SUMS), found.changes)[0] == found.scop


def test_a_lane_keeps_its_scalars_in_a_register() -> None:
    """Neither a load nor a store of what is private is left; the inner loop carries the sums of four vectors."""
    found = in_lanes(SUMS)
    assert found is not None
    program = plan(lower(found.scop, found.tree), AVX2)
    read_, written = arrays_touched(program.body)
    assert (read_, written) == (frozenset({"x", "v"}), frozenset({"v"}))
    outer = next(s for s in program.body if isinstance(s, v.For))
    inner = next(s for s in outer.body if isinstance(s, v.For))
    assert (outer.step, [c.type.lanes for c in inner.carried]) == (32, [8, 8, 8, 8])


def test_scalars_of_several_loops_are_private_to_the_lanes_of_each() -> None:
    """Either loop may run last, or never, so that no renaming tells the two uses of f apart."""
    one = "for (int i = 0; i < {0}; i++) {{ f = 0.0f; for (int j = 0; j < {0}; j++) "
    one += "{{ f = f * 0.5f + {1}[i][j]; {1}[i][j] = f; }} }}"
    text = "void two(int n, int m, float a[64][64], float b[64][64]) { float f;\n#pragma scop\n"
    text += one.format("n", "a") + one.format("m", "b") + "\n#pragma endscop\na[0][0] = f;\n}"
    found = in_lanes(text)
    assert found is not None
    assert found.name == "original order, lanes along i around S1, i around S4"
    assert [str(step) for step in found.changes] == ["expand(array='f', loops=(0,))"]
    assert Proofs().is_legal(found.scop, found.tree)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float f = 0.0f, d;", "float d; f = f * 0.5f;"),  # what an iteration reads comes from the one before
        ("v[i] += f;", "v[i + 1] = v[i] + f;"),  # so does an array's element
    ],
)
def test_iterations_that_depend_on_each_other_get_no_lanes(old: str, new: str) -> None:
    text = SUMS.replace(old, new).replace("float v[n])", "float v[n + 1], float f)")
    assert in_lanes(text) is None


RECURRENCE = """
void filter(int n, int m, double a[n][m], double b[n][m])
{
    for (int i = 0; i < n; i++) {
        b[i][0] = a[i][0];
        for (int j = 1; j < m; j++)
            b[i][j] = a[i][j] / (3.0 - b[i][j - 1]);
        for (int j = m - 2; j >= 0; j--)
            a[i][j] = b[i][j] * a[i][j + 1] + b[i][j];
    }
}
"""


def test_lanes_compute_rows_of_a_recurrence() -> None:
    found = in_lanes(RECURRENCE)
    assert found is not None
    assert (found.name, found.changes) == ("original order, lanes along i around S1", ())
    program = plan(lower(found.scop, found.tree), host_target(), contract=False)
    for rows in (1, 7, 16, 19):
        check_results(found.scop, {"n": rows, "m": 5}, rows, program=program)


BATCH = """
void factor(int n, double a[n][4][4])
{
    for (int m = 0; m < n; m++)
        for (int k = 0; k < 4; k++)
            for (int i = k + 1; i < 4; i++) {
                a[m][i][k] /= a[m][k][k];
                for (int j = k + 1; j < 4; j++)
                    a[m][i][j] -= a[m][i][k] * a[m][k][j];
            }
}
"""


def test_lanes_go_around_loops_of_few_iterations() -> None:
    """Many small matrices: a lane factors one. Every element is loaded and stored once, by blocks of rows."""
    found = in_lanes(BATCH)
    assert found is not None
    assert found.name == "original order, lanes along m around S1"
    assert Proofs().is_legal(found.scop, found.tree)
    nest = lower(found.scop, found.tree)
    body = plan(nest, AVX2).body
    (loop,) = (s for s in walk(body) if isinstance(s, v.For) and s.step == 4)
    loads = [s.operation for s in loop.body if isinstance(s, v.Let) and isinstance(s.operation, v.Load)]
    # Of four matrices two columns at a time: pairs of neighbours, which are then turned.
    assert {(load.type.lanes, load.address.lane_strides) for load in loads} == {(2, (0, 0, 1))}
    assert len(loads) == len(set(loads)) == 4 * 4 * 4 // 2
    for size in (1, 3, 4, 9):
        sizes = {"n": size}
        arrays = random_data(found.scop, sizes, size)
        program = plan(nest, host_target(), contract=False)
        expected = interpreted(nest, sizes, arrays, contract=False)
        assert_same(expected, compiled(program, sizes, arrays, contract=False), f"{size} matrices")


MEDIANS = """
void medians(int h, int w, unsigned char a[h + 2][w + 2], unsigned char b[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            unsigned char v[9], t;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    v[3 * i + j] = a[y + i][x + j];
            for (int i = 0; i < 5; i++)
                for (int j = i + 1; j < 9; j++)
                    if (v[j] < v[i]) {
                        t = v[j];
                        v[j] = v[i];
                        v[i] = t;
                    }
            b[y][x] = v[4];
        }
}
"""
POWERS = """
void powers(int h, int w, const float a[h][w], const float c[h][12], float b[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float p[12], s = 0.0f;
            p[0] = 1.0f;
            for (int k = 1; k < 12; k++) {
                p[k] = p[k - 1] * a[y][x];
                if (p[k] > 4.0f)
                    p[k] = a[y][x];
            }
            for (int k = 0; k < 12; k++)
                s += c[y][k] * p[k];
            b[y][x] = s;
        }
}
"""


@pytest.mark.parametrize(("text", "array", "in_registers"), [(MEDIANS, "v_x", True), (POWERS, "p_1_x", False)])
@pytest.mark.parametrize("target", ["avx512", "avx2", "sse"])
def test_small_arrays_of_iterations_are_private_to_lanes(
    text: str, array: str, in_registers: bool, target: str
) -> None:
    """Also where a loop around uses them again, in full vectors and in the last ones of rows."""
    found = in_lanes(text)
    assert found is not None
    assert Proofs().is_legal(found.scop, found.tree)
    original, nest = lower(found.scop, original_tree(found.scop)), lower(found.scop, found.tree)
    assert {spec.name for spec in nest.arrays if spec.lane_private} >= {array}
    program = plan(nest, shown_target(target), contract=False)
    lanes = max(s.value.type.lanes for s in walk(program.body) if isinstance(s, v.Store))
    kept = [spec.shape[-1] for spec in program.arrays if spec.name == array]
    assert kept == ([] if in_registers else [affine(lanes)])
    for w in (1, 5, 17, 64, 67, 131):
        sizes = {"h": 3, "w": w}
        arrays = random_data(found.scop, sizes, w)
        expected = interpreted(original, sizes, arrays, contract=False)
        assert_same(expected, compiled(program, sizes, arrays, contract=False), f"{target}, {w} columns")


ROUNDS = """
void mix(int n, unsigned x[n][4])
{
    for (int k = 0; k < n; k++)
        for (int r = 0; r < 10; r++) {
            x[k][0] += x[k][3];
            x[k][1] ^= x[k][0] << 7 | x[k][0] >> 25;
            x[k][2] = x[k][2] * 5 + x[k][1];
            x[k][3] -= x[k][2];
        }
}
"""


def test_lanes_go_around_rounds_that_change_elements_in_turns() -> None:
    found = in_lanes(ROUNDS)
    assert found is not None
    assert found.name == "original order, lanes along k around S0"
    assert in_lanes(ROUNDS.replace("x[k][0] += x[k][3]", "x[k][0] += 3")) is None
    program = plan(lower(found.scop, found.tree), AVX2)
    rounds = [s for s in walk(program.body) if isinstance(s, v.For) and s.variable == "r"]
    assert [c.type.lanes for loop in rounds for c in loop.carried] == [8] * 4 * len(rounds)
    assert arrays_touched(s for loop in rounds for s in loop.body) == (frozenset(), frozenset())
    program = plan(lower(found.scop, found.tree), host_target())
    for size in (1, 3, 8, 19):
        check_results(found.scop, {"n": size}, size, program=program, contract=True)


def test_recurrences_that_alternate_get_lanes_each() -> None:
    """As in an alternating direction method: the loop around both has none, since each has its own."""
    found = outer_lanes(Proofs(), read_source(str(kernel("adi").path)).scops[0])
    assert found is not None
    assert found.name == "original order, lanes along i around S16, i around S23"


def test_sums_and_rows_that_depend_on_each_other_are_no_recurrences_for_lanes() -> None:
    assert in_lanes(RECURRENCE.replace("b[i][j - 1]", "b[i][j]").replace("* a[i][j + 1]", "* a[i][j]")) is None
    assert in_lanes(RECURRENCE.replace("a[i][0]", "b[n - 1 - i][1]")) is None


def test_loops_with_nothing_private_are_left_to_the_shapes() -> None:
    assert (
        in_lanes(
            "void f(int n, float a[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 1; }"
        )
        is None
    )


def test_loops_beside_with_nothing_private_keep_the_choice_of_a_shape() -> None:
    found = in_lanes(SUMS.replace("{", "{\n    for (int i = 0; i < n; i++) v[i] = 2 * v[i];", 1))
    assert found is not None
    assert found.name == "original order, lanes along i around S2"
    assert [nest.statements for nest in found.nests()] == [("S0",)]


def test_a_loop_around_lanes_gets_none() -> None:
    """Beside a loop with lanes stands one that only the loop around both could give them."""
    found = in_lanes("""void f(int n, float a[n][n], float c[n])
{
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int j = 0; j < n; j++) { float t = a[i][j] * 2; a[i][j] = t * t; }
        for (int j = 0; j < n; j++) s += a[i][j];
        c[i] = s;
    }
}
""")
    assert found is not None
    assert found.name == "original order, lanes along j around S1"
    assert Proofs().is_legal(found.scop, found.tree)


def test_what_is_inside_of_lanes_gets_no_shape() -> None:
    found = in_lanes(SUMS)
    assert found is not None
    assert found.nests() == ()
    assert with_first_shapes(Proofs(), AVX2, found) == found


def test_all_that_published_kernels_get_is_legal() -> None:
    some = 0
    for name in ("gramschmidt", "symm"):
        assert name in kernel_names()
        (scop,) = read_source(kernel(name).path).scops
        proofs = Proofs()
        if (found := outer_lanes(proofs, scop)) is not None:
            some += 1
            assert proofs.is_legal(found.scop, found.tree), name
    assert some
