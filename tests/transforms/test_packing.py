"""Pack and Prefetch: what they do to a nest, when a copy is refused, and random copies through everything."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir import vector_program as v
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import LoweringError, lower
from polyloop.schedules.legality import Proof, Violation, prove
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.transforms import (
    IllegalTransformError,
    JoinBands,
    Pack,
    Prefetch,
    RegisterTile,
    Swap,
    Tile,
    Transform,
    parse,
    perform,
    replay,
    step_from_json,
)
from tests.helpers.checking import Case, check_results, check_tree
from tests.helpers.random_scops import random_program, seeded
from tests.helpers.random_transforms import packs, prefetches
from tests.helpers.random_trees import random_tree
from tests.helpers.running import assert_same, interpreted
from tests.helpers.small_scops import assign, loop, scop

PANELS = Pack((1, 0), 0, "S1", "B[k][n]", (1, 0, 1), 16)
ROWS = Pack((1, 0), 0, "S1", "A[m][k]", (0, 1, 0), 4)


def _blocked(rows: int, columns: int, depth: int) -> tuple[Transform, ...]:
    """A product's nest as kt / nt mt k / m n."""
    return (
        *(JoinBands((1,)), JoinBands((1,)), Swap((1,), 0, 2), Tile((1,), (depth, 1, 1)), Swap((1,), 1, 2)),
        *(Swap((1,), 2, 3), RegisterTile((1, 0), (columns, rows, 1), 0)),
    )


def test_a_copy_of_what_is_read_up_to_one_of_several_ends() -> None:
    """A window that is cut off where it hangs over the edge: the copy ends where the nearest of its ends is."""
    text = """void f(int n, int k, int pad, float *restrict y, const float *restrict x, const float *restrict w)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            if (i + j - pad >= 0 && i + j - pad < n)
                y[i] += w[j] * x[i + j - pad];
}
"""
    (found,) = read_source("f.c", text=text, auto=True).scops
    (statement,) = found.statements
    tree = original_tree(found)
    tree = perform(tree, (Pack((), 0, statement.name, "w[j]", (0,), 0),), memory_dependences(found))
    nest, plain = lower(found, tree), lower(found, original_tree(found))
    data = {name: np.arange(30, dtype=np.float32) + 1 for name in "yxw"}
    for n, k, pad in ((9, 3, 1), (3, 7, 2), (2, 9, 0), (5, 1, 0), (8, 4, 6)):
        sizes = {"n": n, "k": k, "pad": pad}
        assert_same(interpreted(plain, sizes, data, False), interpreted(nest, sizes, data, False), f"{sizes}")


def test_a_copy_in_panels() -> None:
    product = polyloop.einsum("mk,kn->mn", m=6, n=40, k=20)
    tree = perform(original_tree(product), (*_blocked(4, 16, 8), PANELS, ROWS), product.dependences())
    lines = str(lower(product, tree)).splitlines()
    assert lines[3:18] == [
        "for kt in [0, 3)",
        "  for c in [0, 1)",
        "    for c2 in [0, min(-8*kt + 20, 8))",
        "      unrolled for c3 in [0, 4)",
        "        pack_A: A_pack[c][c2][c3] = A[4*c + c3][c2 + 8*kt]",
        "  for c2 in [0, min(-8*kt + 20, 8))",
        "    unrolled for c3 in [0, 2)",
        "      pack_A: A_pack[1][c2][c3] = A[c3 + 4][c2 + 8*kt]",
        "  for c in [0, 2)",
        "    for c2 in [0, min(-8*kt + 20, 8))",
        "      vector for c3 in [0, 16)",
        "        pack_B: B_pack[c][c2][c3] = B[c2 + 8*kt][16*c + c3]",
        "  for c2 in [0, min(-8*kt + 20, 8))",
        "    vector for c3 in [0, 8)",
        "      pack_B: B_pack[2][c2][c3] = B[c2 + 8*kt][c3 + 32]",
    ]
    buffers = {a.name: tuple(map(str, a.shape)) for a in lower(product, tree).arrays[3:]}
    assert buffers == {"A_pack": ("2", "8", "4"), "B_pack": ("3", "8", "16")}


def test_whole_rows_of_a_copy_need_no_masks() -> None:
    product = polyloop.einsum("mk,kn->mn", m=6, n=40, k=16)
    trace = (*_blocked(4, 16, 8), Pack((1, 0), 1, "S1", "B[k][n]", (0, 1)))
    nest = lower(product, perform(original_tree(product), trace, product.dependences()))
    assert str(nest).splitlines()[5:13] == [
        "    if min(-16*nt + 40, 16) - 16 >= 0",
        "      for c in [0, 8)",
        "        vector for c2 in [0, 16)",
        "          pack_B: B_pack[c][c2] = B[c + 8*kt][c2 + 16*nt]",
        "    else",
        "      for c in [0, 8)",
        "        vector for c2 in [0, min(-16*nt + 40, 16))",
        "          pack_B: B_pack[c][c2] = B[c + 8*kt][c2 + 16*nt]",
    ]


@pytest.mark.parametrize("sizes", [(6, 40, 20), (1, 1, 1), (9, 33, 17), (4, 16, 8), (13, 7, 30)])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("text", ["C[m,n] = A[m,k] * B[k,n]", "C[m,n] = min(k) (A[m,k] + B[k,n])"])
def test_packed_products(sizes: tuple[int, int, int], dtype: str, text: str) -> None:
    m, n, k = sizes
    product = polyloop.tensor(text, m=m, n=n, k=k, dtype=dtype)
    reads = [str(access) for access in product.statement("S1").reads if access.array != "C"]
    trace = (
        *_blocked(4, 16, 8),
        Pack((1, 0), 0, "S1", reads[1], (1, 0, 1), 16),
        Pack((1, 0), 0, "S1", reads[0], (0, 1, 0), 4),
        Prefetch((1, 0), 2, "A", 3),
    )
    nest = lower(product, replay(original_tree(product), trace))
    check_results(product, {}, 3, nest, plan(nest, host_target()), contract=True)


def test_symbolic_sizes() -> None:
    product = polyloop.einsum("mk,kn->mn", m=None, n=None, k=None, dtype="f64")
    tree = replay(original_tree(product), _blocked(4, 16, 8))
    tree = Pack((1, 0), 0, "S1", "B[k_][n_]", (1, 0, 1), 16).apply(tree)
    tree = Pack((1, 0), 0, "S1", "A[m_][k_]", (0, 1, 0), 4).apply(tree)
    assert [str(s) for s in lower(product, tree).arrays[3].shape] == ["max(1, floord(n + 15, 16))", "8", "16"]
    kernel = compile_program(plan(lower(product, tree), host_target()))
    for m, n, k in ((1, 1, 1), (5, 30, 9), (12, 64, 16)):
        rng = np.random.default_rng(0)
        a, b, c = rng.random((m, k)), rng.random((k, n)), np.zeros((m, n))
        kernel(A=a, B=b, C=c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_random_copies(seed: int) -> None:
    """Random programs (triangles, strides, stencils), random trees, one or two random copies."""
    case = Case(random_program(seed), (7, 5))
    _, tree = random_tree(seeded(seed), case.scop, host_target())
    if not isinstance(prove(case.scop, tree, case.dependences), Proof):
        tree = original_tree(case.scop)
    source = random.Random(seed)
    made: list[str] = []
    for _ in range(3):
        options = list(packs(case.scop, tree))
        if not options:
            break
        choice = source.choice(options)
        refusal = choice.check(tree, case.dependences)
        if refusal is None:
            tree = choice.apply(tree)
            made.append(str(choice))
        else:
            assert "would read an old value from the copy of" in str(refusal)
    check_tree(case, tree, host_target(), "; ".join(made))


def test_a_copy_of_what_is_written_meanwhile_is_refused() -> None:
    """Rows of a product in place: the row above is complete when a row starts, so it may be copied there only."""
    body = assign("S", "A[i + 1][j]", "A[i][k]", "A[i + 1][j]")
    source = scop("n", loop("i", "0", "n", loop("j", "0", "n", loop("k", "0", "n", body))), name="rows")
    tree = original_tree(source)
    outside, inside = Pack((), 0, "S", "A[i][k]", (0, 1)), Pack((0,), 0, "S", "A[i][k]", (0, 1))
    refusal = outside.check(tree, source.dependences(), "rows")
    assert "cannot pack A[i][k] of S in front of i in rows" in str(refusal)
    assert "would read an old value from the copy of A" in str(refusal)
    with pytest.raises(IllegalTransformError):
        outside.perform(tree, source.dependences(), "rows")
    assert isinstance(prove(source, outside.apply(tree), source.dependences()), Violation)
    assert isinstance(prove(source, inside.apply(tree), source.dependences()), Proof)


def test_a_read_that_the_statement_does_not_make() -> None:
    product = polyloop.einsum("mk,kn->mn", m=6, n=40, k=20)
    tree = Pack((1,), 0, "S1", "B[k][m]", (1, 0)).apply(original_tree(product))
    with pytest.raises(LoweringError, match=r"cannot pack B\[k\]\[m\]: S1 reads C\[m\]\[n\], A\[m\]\[k\], B\[k\]"):
        lower(product, tree)


def test_obstacles() -> None:
    product = polyloop.einsum("mk,kn->mn", m=6, n=40, k=20)
    tree = original_tree(product)

    def words(order: tuple[int, ...], panel: int = 0, statement: str = "S1") -> str:
        return str(Pack((1,), 0, statement, "B[k][n]", order, panel).obstacle(tree))

    assert words((0,)) == "the order (0,) does not name each of the 2 dimensions once, one of them perhaps twice"
    assert words((1, 0, 1)) == "dimension 1 is cut into panels, but their size is 0"
    assert words((1, 0), 8) == "panels of 8 need a dimension that stands twice in the order"
    assert words((1, 0), 0, "S0") == "S0 is not below the band at (1,)"
    again = Pack((1,), 0, "S1", "B[k][n]", (1, 0)).apply(tree)
    obstacle = Pack((1, 0), 0, "S1", "B[k][n]", (1, 0)).obstacle(again)
    assert obstacle == "B[k][n] of S1 is packed already"
    assert Prefetch((1,), 0, "A", 0).obstacle(tree) == "the distance is 0; it has to be at least 1"


def test_copies_stay_with_the_tile_loop() -> None:
    product = polyloop.einsum("mk,kn->mn", m=6, n=40, k=20)
    tree = replay(original_tree(product), (Pack((1,), 0, "S1", "B[k][n]", (1, 0)), Prefetch((1,), 0, "A", 2)))
    assert "  [S1: m] packing B[k][n] of S1 prefetching A 2 ahead" in str(tree)
    tiled = Tile((1,), (4,)).apply(tree)
    assert "  [S1: floord(m, 4)] packing B[k][n] of S1 prefetching A 2 ahead" in str(tiled)
    assert "  [S1: m]\n" in str(tiled)


def test_round_trips() -> None:
    product = polyloop.einsum("mk,kn->mn", m=6, n=40, k=20)
    tree = original_tree(product)
    for transform in (*packs(product, tree), *prefetches(product, tree)):
        assert parse(str(transform)) == transform
        assert step_from_json(transform.to_json()) == transform


def test_prefetches_reach_the_code() -> None:
    product = polyloop.einsum("mk,kn->mn", m=24, n=64, k=20)
    trace = (*_blocked(4, 16, 32), Prefetch((1, 0), 2, "B", 4))
    nest = lower(product, replay(original_tree(product), trace))
    for name, steps in (("avx2", 4), ("sse", 1)):  # that stand one behind the other
        target = shown_target(name)
        assert print_llvm(plan(nest, target), target).count("call void @llvm.prefetch") == steps


def test_prefetches_of_the_next_panel_stand_where_it_is_read() -> None:
    """B of the next panel in the innermost loop, one line for each vector; C where the next tile begins, and not inside
    of the loop that it does not depend on."""
    product = polyloop.einsum("mk,kn->mn", m=24, n=64, k=20)
    trace = (*_blocked(4, 32, 20), Prefetch((1, 0), 0, "B", 1), Prefetch((1, 0), 1, "C", 1))
    nest = lower(product, replay(original_tree(product), trace))
    avx512 = shown_target("avx512")
    found = list(_prefetched(plan(nest, avx512).body))
    rows = [(("nt", "mt"), f"C[4*mt + {m}][32*nt{n}]") for m in range(4, 8) for n in ("", " + 16")]
    assert found == [*rows, (("nt", "mt", "k"), "B[k][32*nt + 32]"), (("nt", "mt", "k"), "B[k][32*nt + 48]")]


def _prefetched(statements: Iterable[v.Statement], around: tuple[str, ...] = ()) -> Iterator[tuple[object, str]]:
    """The loops around every prefetch, and its address."""
    for statement in statements:
        match statement:
            case v.For(variable, body=body):
                yield from _prefetched(body, (*around, variable))
            case v.Prefetch(address):
                yield around, address.array + "".join(f"[{subscript}]" for subscript in address.subscripts)
