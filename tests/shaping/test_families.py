"""The shapes that are proposed: well-formed, distinct, legal where the proof says so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from polyloop.api import compile_scop
from polyloop.backend.ir.expressions import F32, F64
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import Loop, LoopKind, Node, children
from polyloop.backend.machine.host import runs_here
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.families import shapes, turned_vectors
from polyloop.shaping.nests import Nest, Shape, nests, reshaped
from polyloop.shipped.kernels import kernel
from tests.helpers.machine import with_figures
from tests.helpers.programs import PRODUCT

LANES = 8
TARGET = shown_target("avx512")


def _nests(name: str) -> list[tuple[Scop, Nest]]:
    (scop,) = read_c(kernel(name).path)
    return [(scop, nest) for nest in nests(original_tree(scop))]


def _all(scop: Scop, nest: Nest) -> list[tuple[str, Shape]]:
    return list(shapes(scop, nest, TARGET, lambda _: True))


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


def test_the_product_gets_a_register_tile_first() -> None:
    (scop,) = read_c("product.c", text=PRODUCT)
    (nest,) = nests(original_tree(scop))
    names = [name for name, _ in _all(scop, nest)]
    assert names[:3] == [
        "packed register tile 8x24, panels of 256, rows in between",
        "packed register tile 8x24, panels of 128, rows in between",
        "register tile 8x24",
    ]
    assert "lanes" in names


TWO_STREAMS = PRODUCT.replace("A[i][k] * B[k][j]", "A[i][k] * B[k][j] + B[i][k] * A[k][j]")


@pytest.mark.parametrize(
    ("source", "registers", "size"),
    [(PRODUCT, 32, (8, 3)), (PRODUCT, 16, (6, 2)), (TWO_STREAMS, 32, (8, 2)), (TWO_STREAMS, 16, (4, 2))],
)
def test_the_first_tile_leaves_registers_for_what_its_rows_share(
    source: str, registers: int, size: tuple[int, int]
) -> None:
    (scop,) = read_c("product.c", text=source)
    (nest,) = nests(original_tree(scop))
    names = [name for name, _ in shapes(scop, nest, with_figures(TARGET, vector_registers=registers), lambda _: True)]
    rows, count = size
    assert names[0].startswith(f"packed register tile {rows}x{count * LANES}")
    assert names[2] == f"register tile {rows}x{count * LANES}"
    assert any(name.startswith("register tile 8x24") for name in names), "the others come later"


def test_nothing_is_proposed_where_nothing_is_legal() -> None:
    for scop, nest in _nests("gemm"):
        assert list(shapes(scop, nest, TARGET, lambda _: False)) == []


SUMS = """void sums(int n, int m, TYPE A[n][m], TYPE x[m], TYPE y[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += A[i][j] * x[j];
#pragma endscop
}
"""


def _sums(type_: str, text: str = SUMS) -> tuple[Scop, Nest]:
    (scop,) = read_c("sums.c", text=text.replace("TYPE", type_))
    (nest,) = nests(original_tree(scop))
    return scop, nest


@pytest.mark.parametrize(
    ("type_", "reassociate", "first"),
    [
        ("double", True, ["sums in lanes", "sums in lanes, 4 rows at once"]),
        ("double", False, ["16 rows in lanes, 4 columns at a time", "32 rows in lanes, 4 columns at a time"]),
        ("int", False, ["sums in lanes", "sums in lanes, 4 rows at once"]),
    ],
)
def test_sums_go_to_lanes_where_their_order_is_free(type_: str, reassociate: bool, first: list[str]) -> None:
    scop, nest = _sums(type_)
    dependences, tree = memory_dependences(scop), original_tree(scop)

    def is_legal(shape: Shape) -> bool:
        made = reshaped(scop, dependences, tree, nest, shape)
        return isinstance(prove(scop, made, dependences, reassociate), Proof)

    assert [name for name, _ in islice(shapes(scop, nest, TARGET, is_legal), 2)] == first


@pytest.mark.parametrize(
    ("instructions", "doubles", "floats"), [("avx512", 2, 2), ("avx2", 4, 2), ("sse", 4, 4), ("neon", 8, 8)]
)
def test_rows_in_lanes_hide_latency_and_leave_registers(instructions: str, doubles: int, floats: int) -> None:
    target = shown_target(instructions)
    assert [turned_vectors(target, target.lanes(type_)) for type_ in (F64, F32)] == [doubles, floats]


def test_several_steps_of_a_sum_in_vectors_come_before_one() -> None:
    """What is summed up is loaded and stored once for all of them."""
    scop, nest = _sums("double", SUMS.replace("y[i] += A[i][j] * x[j]", "x[j] += A[i][j] * y[i]"))
    names = [name for name, _ in shapes(scop, nest, TARGET, lambda shape: True)]
    assert names[0] == "vectors over 8 steps of the reduction"
    assert names.index("vectors over 4 steps of the reduction") < names.index("lanes")


def test_sums_over_a_column_stay_out_of_lanes() -> None:
    names = [name for name, _ in _all(*_sums("double", SUMS.replace("A[n][m]", "A[m][n]").replace("[i][j]", "[j][i]")))]
    assert not any(name.startswith("sums in lanes") for name in names)


@pytest.mark.parametrize("m", [1, 7, 8, 100])
def test_sums_in_lanes_are_the_sums(m: int) -> None:
    scop, nest = _sums("double")
    dependences, tree = memory_dependences(scop), original_tree(scop)
    random = np.random.default_rng(m)
    a, x = random.uniform(0.5, 1, (11, m)), random.uniform(0.5, 1, m)
    for name, shape in _all(scop, nest):
        if name.startswith("sums in lanes"):
            y = np.ones(11)
            compile_scop(scop, reshaped(scop, dependences, tree, nest, shape), reassociate=True)(a, x, y)
            np.testing.assert_allclose(y, 1 + a @ x, rtol=1e-13)


def test_what_else_is_summed_over_stands_below_the_rows() -> None:
    """Then their sums stay in registers all the while: a convolution over channels."""
    text = """void f(int n, int c, short X[n + 2][c], short W[9][3][c], int Y[n][9])
{
    for (int i = 0; i < n; i++) for (int k = 0; k < 9; k++) for (int s = 0; s < 3; s++) for (int p = 0; p < c; p++)
        Y[i][k] += X[i + s][p] * W[k][s][p];
}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    (nest,) = nests(original_tree(scop))
    found = {name: shape.outer for name, shape in _all(scop, nest) if "rows at once" in name and "sums" in name}
    assert found["sums in lanes, 4 x 4 rows at once"][-1:] == ((2, 1),)
    assert sorted(found["sums in lanes, 4 x 4 rows at once"][:-1]) == [(0, 4), (1, 4)]


@pytest.mark.parametrize("target", [name for name in ("sse", "avx2", "avx512") if runs_here(name)])
@pytest.mark.parametrize("type_", ["signed char", "short", "double"])
def test_sums_in_lanes_of_tiles_of_rows(type_: str, target: str) -> None:
    """Each row of both operands is loaded once for all of the other's."""
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int p = 0; p < k; p++) "
    kind = "double" if type_ == "double" else "int"
    text = f"""void f(int n, int m, int k, {type_} A[n][k], {type_} B[m][k], {kind} C[n][m])
{{
#pragma scop
    {loops} C[i][j] += A[i][p] * B[j][p];
#pragma endscop
}}"""
    (scop,) = read_c("product.c", text=text)
    (nest,) = nests(original_tree(scop))
    dependences, tree = memory_dependences(scop), original_tree(scop)
    found = {name: shape for name, shape in _all(scop, nest) if name.startswith("sums in lanes, ")}
    assert [name.split(", ")[1] for name in found][:2] == ["4 rows at once", "4 x 4 rows at once"]
    rng, kinds = np.random.default_rng(5), {"signed char": np.int8, "short": np.int16, "double": np.float64}
    for shape in found.values():
        planned = plan(
            lower(scop, reshaped(scop, dependences, tree, nest, shape)), shown_target(target), reassociate=True
        )
        kernel = compile_program(planned, target=shown_target(target))
        for n, m, k in ((8, 4, 64), (5, 7, 33), (2, 9, 131), (7, 2, 1)):
            a, b = (rng.integers(-128, 128, (rows, k)).astype(kinds[type_]) for rows in (n, m))
            c = np.zeros((n, m), np.float64 if kind == "double" else np.int32)
            kernel(a, b, c)
            assert np.array_equal(c, a.astype(c.dtype) @ b.astype(c.dtype).T)


def _first(body: str, **sizes: int) -> str:
    parameters = "int n, float a[n], float b[2 * n], float c[n], float m[n][n]"
    text = f"void f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_source("f.c", text=text).scops
    (nest,) = nests(original_tree(scop))
    return next(name for name, _ in shapes(scop, nest, TARGET, lambda _: True, sizes or None))


def test_no_lanes_along_what_fills_none() -> None:
    body = "for (int i = 0; i < n; i++) a[i] = b[i] * c[i];"
    assert _first(body) == _first(body, n=9) == "lanes"
    assert _first(body, n=2) == "8 rows at once"


def test_what_data_choose_for_all_lanes_is_asked_for_before_them() -> None:
    loops = "for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) for (int i = 0; i < n; i++)"
    assert _first(f"{loops} if (c[k] > 0) m[j][i] += c[k] * b[i + k];") == "lanes"
    assert _first(f"{loops} if (b[i] > 0) m[j][i] += c[k] * b[i + k];") != "lanes"


def test_windows_are_not_copied_first() -> None:
    loops = "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) for (int k = 0; k < n; k++)"
    assert _first(f"{loops} m[j][i] += a[j + k] * b[i + k];").startswith("register tile")
    assert _first(f"{loops} m[j][i] += a[j + k] * m[k][i];").startswith("packed")


def test_sums_of_rows_alone_stay_in_registers_to_the_end() -> None:
    """The reduction stands outside: each of its steps would load and store all results."""
    around = "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) "
    assert _first(f"{around} a[i] += b[i + j] * c[j];") == "8 vectors through the reduction"
    assert _first(f"{around} a[i] += m[j][i] * c[j];") == "vectors over 8 steps of the reduction"
    assert _first(f"{around} a[i] = b[i + j] * c[j];") == "8 vectors through the reduction"
    assert _first("for (int i = 0; i < n; i++) a[i] += b[i];") == "lanes"


@pytest.mark.parametrize("type_", ["double", "float", "unsigned short", "unsigned char"])
def test_copies_across_rows_are_transposed_in_registers(type_: str) -> None:
    text = f"""void f(int n, int m, {type_} a[n][m], {type_} b[m][n])
{{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j][i] = a[i][j];
}}
"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    tree = original_tree(scop)
    (nest,) = nests(tree)
    found = [shape for name, shape in _all(scop, nest) if "transposed" in name]
    side = {"double": 8, "float": 16}.get(type_, 16)
    assert [shape.outer[-2:] for shape in found] == [((0, side), (1, side))] * 2
    dependences = memory_dependences(scop)
    for shape in found:
        made = reshaped(scop, dependences, tree, nest, shape)
        assert isinstance(prove(scop, made, dependences), Proof)
    kernel_ = compile_scop(scop, tree=reshaped(scop, dependences, tree, nest, found[1]))
    rng = np.random.default_rng(7)
    a = rng.integers(0, 200, (83, 45)).astype({"double": "f8", "float": "f4", "unsigned short": "u2"}.get(type_, "u1"))
    b = np.zeros((45, 83), a.dtype)
    kernel_(n=83, m=45, a=a, b=b)
    assert np.array_equal(b, a.T)


def test_copies_of_arrays_without_a_known_end_stay_in_what_is_read() -> None:
    text = """void f(int m, int n, int k, const double *a, const double *b, double *c)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < k; p++)
                c[i * n + j] += a[i * k + p] * b[j * k + p];
}
"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    tree = original_tree(scop)
    (nest,) = nests(tree)
    dependences = memory_dependences(scop)
    sizes = {"m": 3, "n": 5, "k": 7}
    rng = np.random.default_rng(9)
    packed = [shape for name, shape in _all(scop, nest) if name.startswith("packed")][:2]
    assert packed
    for shape in packed:
        arrays = {"a": rng.random((3, 7)), "b": rng.random((5, 7)), "c": np.zeros((3, 5))}
        interpret(lower(scop, reshaped(scop, dependences, tree, nest, shape)), sizes, arrays)
        assert np.allclose(arrays["c"], arrays["a"] @ arrays["b"].T)


def test_copies_leave_out_the_rest_of_rows_without_a_known_end() -> None:
    """Of the last row, memory may end where the reads end."""
    text = """void f(int m, int n, int k, int lda, int ldb, const double *a, const double *b, double *c)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < k; p++)
                c[i * n + j] += a[i * lda + p] * b[j * ldb + p];
}
"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    tree = original_tree(scop)
    (nest,) = nests(tree)
    dependences = memory_dependences(scop)
    sizes = {"m": 3, "n": 5, "k": 7, "lda": 9, "ldb": 12}
    packed = [shape for name, shape in _all(scop, nest) if "panels of" in name]
    assert packed
    for shape in packed:
        lowered = lower(scop, reshaped(scop, dependences, tree, nest, shape))
        ends = {name for loop in _loops(lowered.body) for name in loop.upper.variables()}
        assert ends.isdisjoint({"lda", "ldb"})
        rng = np.random.default_rng(9)
        a, b, c = rng.random((3, 9)), rng.random((5, 12)), np.zeros((3, 5))
        interpret(lowered, sizes, {"a": a.reshape(-1), "b": b.reshape(-1), "c": c})
        assert np.allclose(c, a[:, :7] @ b[:, :7].T)


def _loops(node: Node) -> Iterator[Loop]:
    if isinstance(node, Loop):
        yield node
    for child in children(node):
        yield from _loops(child)
