"""Default schedules: what is chosen, that it is legal, and that it computes what the original loops do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import polyloop
from polyloop.backend.default.row_panels import in_row_panels
from polyloop.backend.default.task import RESULT, Choice
from polyloop.backend.default.tiles import tiles
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F32
from polyloop.backend.ir.traversal import walk as walk_program
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.squeeze import squeezed
from polyloop.backend.run.kernel import compile_program
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.contraction import task_of
from polyloop.shaping.default_trace import choices, default_trace, groups
from polyloop.transforms import Pack, Prefetch, Split, Trace, parse_trace, replay, trace_text
from tests.backend.planning.programs import loads
from tests.helpers.machine import needs, with_figures
from tests.helpers.running import assert_same, compiled, interpreted, random_data

AVX512 = shown_target("avx512")
AVX2 = shown_target("avx2")

PAIRS = ("sum(k) (A[m, k] * B[k, n])", "min(k) (A[m, k] + B[k, n])", "max(k) (A[m, k] + B[k, n])")
PAIRS_MORE = (*PAIRS, "max(k) min(A[m, k], B[k, n])")


def product(m: int, n: int, k: int, text: str = "C[m, n] += A[m, k] * B[k, n]", dtype: str = "f32") -> Scop:
    return polyloop.tensor(text, m=m, n=n, k=k, dtype=dtype)


def chosen(scop: Scop, target: Target = AVX512, reassociate: bool = True) -> Choice:
    ((_, choice),) = choices(scop, target, reassociate)
    return choice


def agree(scop: Scop, reassociate: bool = False, seed: int = 0, threads: int = 1) -> None:
    """The default schedule is proven; interpreter and machine code give what the original loops give."""
    trace = default_trace(scop, host_target(), reassociate=reassociate, threads=threads)
    assert parse_trace(trace_text(trace)) == trace
    tree = replay(original_tree(scop), trace)
    assert isinstance(prove(scop, tree, scop.dependences(), reassociate), Proof)
    data = random_data(scop, {}, seed)
    expected = interpreted(lower(scop, original_tree(scop)), {}, data, True)
    nest = lower(scop, tree)
    walked = interpreted(nest, {}, data, True)
    planned = plan(squeezed(nest), host_target(), reassociate=reassociate)
    ran = compiled(planned, {}, data, True, threads)
    if not reassociate:
        assert_same(expected, walked, "interpreter")
        assert_same(expected, ran, "JIT")
        return
    for name, values in expected.items():
        scale = 1e-4 if values.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(walked[name], values, rtol=scale, atol=20 * scale)
        np.testing.assert_allclose(ran[name], values, rtol=scale, atol=20 * scale)


def test_tiles_of_products() -> None:
    """Rows by vectors fill the registers, and nothing is left over where it need not be."""
    choice = chosen(product(192, 240, 256))
    assert (choice.column, choice.width, choice.tiled, choice.packed, choice.blocks) == ("n", 32, (("m", 12),), (), ())
    assert (chosen(product(64, 80, 128)).width, chosen(product(64, 80, 128)).tiled) == (80, (("m", 4),))
    assert (chosen(product(96, 64, 64), AVX2).width, chosen(product(96, 64, 64), AVX2).tiled) == (16, (("m", 6),))


def test_sums_of_everything_gather_in_lanes() -> None:
    """Of two operands one lies apart along every loop: lanes that gather it do not wait for one another. What they
    fetch has its neighbours in the next step."""
    scop = polyloop.einsum("abc,cba->", a=21, b=5, c=19)
    _, (_, choice) = choices(scop, AVX512, True)
    assert (choice.column, choice.sums) in {("a", ("b", "c")), ("c", ("b", "a"))}
    for target in (AVX512, AVX2):
        tree = replay(original_tree(scop), default_trace(scop, target, reassociate=True))
        program = plan(squeezed(lower(scop, tree)), target, reassociate=True)
        assert max(load.type.lanes for load in loads(program.body, "A")) >= target.lanes(F32)
    agree(scop, reassociate=True)
    agree(scop)


def test_what_is_packed() -> None:
    assert chosen(product(256, 256, 256, "C[m, n] += A[m, k] * B[n, k]")).packed == (1,)
    assert chosen(product(256, 240, 256, "C[m, n] += A[k, m] * B[k, n]")).packed == ()
    # Rows that are a power of two apart meet in few sets of the first cache.
    assert chosen(product(256, 256, 256, "C[m, n] += A[k, m] * B[k, n]")).packed == (1,)
    large = chosen(product(2048, 2048, 2048))
    assert large.packed == (1,)
    assert large.blocks == (("k", 512),)


def test_copies_stay_while_loops_pass_that_do_not_move_them() -> None:
    """Of products in a batch whose index comes last, both operands are copied: one for all rows, one for each."""
    scop = polyloop.einsum("bij,bjk->ikb", b=20, i=5, j=7, k=6)
    trace = default_trace(scop, AVX512, reassociate=True)
    copies = {transform.read: transform.member for transform in trace if isinstance(transform, Pack)}
    assert sorted(copies.values()) == [1, 2]
    agree(scop, reassociate=True)


CONVOLUTION = "O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]"


def convolution(y: int, c: int, o: int) -> Choice:
    return chosen(polyloop.tensor(CONVOLUTION, y=y, x=y, i=3, j=3, c=c, o=o))


def test_tiles_of_convolutions() -> None:
    """Weights that are used at many places are copied, panel by panel; of those that do not stay near the next panel
    is fetched meanwhile, or the next rows where one tile uses them. Tiles come out even."""
    many = convolution(56, 64, 128)
    assert (many.width, many.tiled, many.packed, many.blocks) == (48, (("x", 7),), (1,), ())
    assert many.ahead == ((RESULT, "x", 1),)
    few = convolution(14, 256, 512)
    assert (few.width, few.tiled, few.packed, few.blocks) == (32, (("x", 7),), (1,), (("i", 1), ("j", 1)))
    assert few.ahead == ((1, "o", 1), (RESULT, "x", 1))
    assert convolution(7, 512, 512).ahead == ((1, "o", 1), (RESULT, "y", 1))  # a tile is a whole row
    assert (convolution(2, 512, 512).packed, convolution(2, 512, 512).ahead) == ((), ((1, "c", 2),))


def test_what_is_fetched_ahead() -> None:
    """Nothing where everything stays in the second cache; rows of the left factor where they do not even stay in the
    last one."""
    assert chosen(product(192, 192, 192)).ahead == ()
    assert chosen(product(1024, 1024, 1024)).ahead == ((RESULT, "m", 1),)
    assert chosen(product(2048, 2048, 2048)).ahead == ((0, "m", 1), (RESULT, "m", 1))
    assert chosen(product(48, 4096, 1024)).ahead == ((1, "n", 1), (RESULT, "m", 1))
    assert chosen(product(6, 1500, 1500)).ahead[0] == (1, "k", 4)
    assert chosen(product(48, 512, 1024)).ahead == ((1, "n", 1), (RESULT, "m", 1))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_convolution_whose_panels_are_fetched_ahead(threads: int) -> None:
    scop = polyloop.tensor(CONVOLUTION, y=1, x=4, i=1, j=2, c=700, o=200)

    def traced(target: Target) -> Trace:
        l1, l2, l3 = target.machine.caches
        small = with_figures(target, caches=(replace(l1, size=32 << 10), replace(l2, size=256 << 10), l3))
        return default_trace(scop, small, reassociate=True, threads=threads)

    wide = traced(shown_target("avx2"))
    assert {transform.array for transform in wide if isinstance(transform, Prefetch)} >= {"W"}
    trace = traced(host_target())
    rng = np.random.default_rng(0)
    image, weights = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((1, 5, 700), (1, 2, 700, 200)))
    out = np.ones((1, 4, 200), np.float32)
    polyloop.compile(scop, trace, reassociate=True, threads=threads)(image, weights, out=out)
    expected = 1 + image[:, :4] @ weights[0, 0] + image[:, 1:] @ weights[0, 1]
    np.testing.assert_array_equal(out, expected)  # sums of small integers are exact in any order


def test_rows_that_drive_each_other_out() -> None:
    """Seven rows a multiple of 4 KiB apart, and what follows each, are more than one set of a cache holds, unless they
    are copied; more than seven beside a panel of the second cache come late, but not where it stays in the first."""
    assert chosen(product(126, 2064, 1024)).tiled == (("m", 6),)
    assert chosen(product(126, 2064, 1040)).tiled == (("m", 7),)
    copied = chosen(product(2048, 2064, 2048))
    assert (copied.tiled, copied.rows) == ((("m", 7),), (0,))
    assert chosen(product(240, 240, 240)).tiled == (("m", 12),)


def test_blocks_keep_the_order_of_sums_unless_it_is_free() -> None:
    long = product(100, 300, 9000)
    turned = polyloop.tensor("C[m, n] += A[j, k, m] * B[j, k, n]", m=100, n=300, j=3, k=3000)
    assert [loop for loop, _ in chosen(long, reassociate=False).blocks] == ["k"]
    assert [loop for loop, _ in chosen(turned, reassociate=True).blocks] in (["k"], ["j", "k"])
    assert [loop for loop, _ in chosen(turned, reassociate=False).blocks] in (["j"], ["j", "k"])


def _small_caches(target: Target) -> Target:
    l1, l2, l3 = target.machine.caches
    return with_figures(target, caches=(replace(l1, size=4 << 10), replace(l2, size=16 << 10), l3))


SLABS = (
    (CONVOLUTION, {"y": 7, "x": 14, "i": 2, "j": 3, "c": 30, "o": 200}),
    ("O[y, x, o] += I[2*y + i, 2*x + j, c] * W[i, j, c, o]", {"y": 4, "x": 9, "i": 1, "j": 2, "c": 71, "o": 250}),
    ("C[m, n] += A[m, k] * B[k, n]", {"m": 37, "k": 260, "n": 301}),
)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize(("text", "sizes"), SLABS)
def test_panels_that_are_asked_for_while_tiles_pass_over_others(
    text: str, sizes: dict[str, int], copied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of the innermost reduction, all others around the tiles: every sum keeps its order, bit by bit."""
    scop, target = polyloop.tensor(text, sizes, dtype="f32"), _small_caches(host_target())
    task = task_of(scop, scop.statements[0], (), False)
    fitting = (tile for tile in tiles(task, target) if tile.fits() and tile.column == list(sizes)[-1])
    slabs = [choice for tile in fitting for choice in tile._in_slabs() if bool(choice.packed) is copied]
    choice = min(slabs, key=lambda choice: choice.cycles)
    assert (1, choice.column, 1) in choice.ahead
    assert {loop for loop, _ in choice.blocks} >= {loop for loop in ("i", "j") if sizes.get(loop, 1) > 1}
    monkeypatch.setattr("polyloop.shaping.default_trace.choose", lambda *_: choice)
    tree = replay(original_tree(scop), default_trace(scop, target))
    assert isinstance(prove(scop, tree, scop.dependences(), False), Proof)
    data = random_data(scop, {}, 0)
    nest = lower(scop, tree)
    expected = compiled(plan(lower(scop, original_tree(scop)), host_target()), {}, data, True)
    planned = plan(squeezed(nest), host_target())
    assert any(isinstance(x, v.Prefetch) and x.address.array in "WB" for x in walk_program(planned.body))
    assert_same(expected, compiled(planned, {}, data, True), "JIT")


ROW_PANELS = (
    ("C[m, n] += A[m, k] * B[k, n]", {"m": 233, "k": 261, "n": 83}),
    ("C[m, n] += A[k, m] * B[k, n]", {"m": 233, "k": 261, "n": 83}),
    ("C[m, n] += A[m, k] * B[n, k]", {"m": 240, "k": 256, "n": 64}),
    ("C[b, m, n] += A[b, m, k] * B[k, n]", {"b": 2, "m": 121, "k": 261, "n": 150}),
    ("C[m, n] += A[m, k, j] * B[k, j, n]", {"m": 233, "k": 141, "j": 2, "n": 150}),
)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("text", "sizes"), ROW_PANELS)
def test_rows_are_copied_in_blocks_that_stay_in_the_second_cache(
    text: str, sizes: dict[str, int], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both operands lie in panels then, and the panels that come next are asked for; sums keep their order, bit by
    bit, with borders in every direction, too."""
    l1, l2, l3 = host_target().machine.caches
    small = (replace(l1, size=4 << 10), replace(l2, size=64 << 10), replace(l3, size=1 << 20))
    target = with_figures(host_target(), caches=small)
    scop = polyloop.tensor(text, sizes, dtype="f32")
    task = task_of(scop, scop.statements[0], (), False)
    found = [choice for tile in tiles(task, target) if tile.fits() for choice in in_row_panels(tile)]
    choice = min(found, key=lambda choice: choice.cycles)
    ((row, rows),) = choice.tiled
    assert choice.rows == (0,)
    assert choice.packed == (1,)
    assert choice.height % rows == 0 < choice.height < sizes[row] + rows
    monkeypatch.setattr("polyloop.shaping.default_trace.choose", lambda *_: choice)
    trace = default_trace(scop, target, threads=threads)
    assert sorted(step.panel for step in trace if isinstance(step, Pack)) == sorted((rows, choice.width))
    tree = replay(original_tree(scop), trace)
    assert isinstance(prove(scop, tree, scop.dependences(), False), Proof)
    planned = plan(squeezed(lower(scop, tree)), host_target())
    asked = {x.address.array for x in walk_program(planned.body) if isinstance(x, v.Prefetch)}
    assert asked >= {"B_pack", "C"}
    data = random_data(scop, {}, 0)
    expected = compiled(plan(lower(scop, original_tree(scop)), host_target()), {}, data, True)
    assert_same(expected, compiled(planned, {}, data, True, threads), "JIT")


@needs(vector_bits=256)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("b", ["B[k, n]", "B[n, k]"])
def test_copies_of_all_columns_where_tiles_go_across_them(b: str, threads: int) -> None:
    """What has to be copied is, once, in front of all rows."""
    scop = product(203, 301, 4, f"C[m, n] += A[m, k] * {b}")
    choice = chosen(scop, host_target(), reassociate=False)
    assert choice.outer == ("m", "n")
    trace = default_trace(scop, host_target(), threads=threads)
    packs = [step for step in trace if isinstance(step, Pack)]
    assert [(step.member, step.panel) for step in packs] == [(0, choice.width)] * len(choice.packed)
    assert len(packs) == (b == "B[n, k]")
    tree = replay(original_tree(scop), trace)
    assert isinstance(prove(scop, tree, scop.dependences(), False), Proof)
    data = random_data(scop, {}, 0)
    expected = compiled(plan(lower(scop, original_tree(scop)), host_target()), {}, data, True)
    planned = plan(squeezed(lower(scop, tree)), host_target())
    assert_same(expected, compiled(planned, {}, data, True, threads), "JIT")


def test_a_short_outermost_sum_goes_around_the_tiles() -> None:
    """Panels of one of its steps each stay in a small second cache."""
    scop = polyloop.tensor(CONVOLUTION, y=5, x=6, i=3, j=3, c=40, o=72)
    target = host_target()
    small = with_figures(
        target, caches=(target.machine.l1, replace(target.machine.l2, size=64 << 10), target.machine.caches[2])
    )
    assert chosen(scop, small, reassociate=False).blocks == (("i", 1),)
    trace = default_trace(scop, small)
    assert not any(isinstance(transform, Split) for transform in trace)
    rng = np.random.default_rng(0)
    image, weights = (rng.random(shape, np.float32) for shape in ((7, 8, 40), (3, 3, 40, 72)))
    plain, out = np.ones((2, 5, 6, 72), np.float32)
    polyloop.compile(scop, ())(image, weights, out=plain)
    polyloop.compile(scop, trace)(image, weights, out=out)
    np.testing.assert_array_equal(out, plain)


def test_sums_along_contiguous_rows_take_lanes_where_their_order_is_free() -> None:
    scop = polyloop.tensor("y[m] += A[m, k] * x[k]", m=64, k=64)
    assert chosen(scop).column == "k"
    assert chosen(scop, reassociate=False).column == "m"


def test_windows_are_straight_line_code_without_borders() -> None:
    scop = polyloop.tensor("O[y, x, c] += I[y + i, x + j, c] * W[i, j, c]", y=14, x=14, c=48, i=5, j=5)
    choice = chosen(scop)
    assert choice.unrolled == ("i", "j")
    assert choice.tiled == (("x", 7),)


def test_statements_around_a_reduction_share_its_tile() -> None:
    scop = polyloop.tensor("H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", m=13, n=40, k=9)
    (group,) = groups(scop)
    assert len(group.statements) == 3
    tree = replay(original_tree(scop), default_trace(scop, host_target()))
    program = plan(lower(scop, tree), host_target())
    assert [a.name for a in program.arrays] == ["X", "W", "b", "H"], "the sums stay in registers"


def test_other_scops_keep_their_loops() -> None:
    from tests.helpers.small_scops import gemm

    assert default_trace(gemm(), host_target()) == ()


def test_threads() -> None:
    scop = product(30, 200, 3)
    kinds = Counter(type(t).__name__ for t in default_trace(scop, host_target(), threads=2))
    assert kinds["Parallelize"] == 1
    agree(scop, threads=2)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("pair", PAIRS_MORE)
def test_pairs_of_operations(pair: str, dtype: str) -> None:
    agree(product(13, 37, 11, f"C[m, n] = {pair}", dtype))


@settings(max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.tuples(st.integers(1, 20), st.integers(1, 50), st.integers(1, 20)),
    st.sampled_from(("A[m, k]", "A[k, m]")),
    st.sampled_from(("B[k, n]", "B[n, k]")),
    st.sampled_from(("f32", "f64")),
    st.sampled_from(("C[m, n] += {}", "C[m, n] = {}", "C[n, m] += {}", "C[m, n] = relu(sum(k) ({}) + b[n])")),
    st.booleans(),
)
def test_random_products(sizes: tuple[int, int, int], a: str, b: str, dtype: str, text: str, reassociate: bool) -> None:
    agree(product(*sizes, text.format(f"{a} * {b}"), dtype), reassociate, sum(sizes))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("O[y, x, o] = I[y + i, x + j, c] * W[i, j, c, o]", {"y": 2, "x": 9, "o": 21, "i": 3, "j": 2, "c": 2}),
        ("O[y, x, c] = I[2*y + i, 2*x + j, c] * W[i, j, c]", {"y": 4, "x": 6, "c": 19, "i": 3, "j": 3}),
        ("O[c, y, x] = I[c, y + i, x + j] * W[c, i, j]", {"c": 3, "y": 6, "x": 37, "i": 3, "j": 3}),
        ("O[y, x, c] = max(i, j) I[2*y + i, 2*x + j, c]", {"y": 4, "x": 5, "c": 18, "i": 2, "j": 2}),
        ("C[b, m, n] += A[b, m, k] * B[b, k, n]", {"b": 3, "m": 7, "n": 33, "k": 10}),
        ("C[m, n] = A[m, n] + B[n]", {"m": 5, "n": 37}),
        ("C[n, m] = A[m, n]", {"m": 5, "n": 37}),
        ("s[] = sum(i) (x[i] * y[i])", {"i": 77}),
        ("y[m] = sum(k) (A[m, k] * x[k])", {"m": 269, "k": 40}),
        ("C[m, n] += A[m, k] * B[k, n]", {"m": 37, "n": 1, "k": 70}),
        ("C[m, n] += A[m, k] * B[k, n]", {"m": 1, "n": 70, "k": 9}),
        ("e[i, j] = exp(x[i, j] - max(k) x[i, k]); p[i, j] = e[i, j] / sum(k) e[i, k]", {"i": 5, "j": 19, "k": 19}),
    ],
)
@pytest.mark.parametrize("reassociate", [False, True])
def test_operators(text: str, sizes: dict[str, int], reassociate: bool) -> None:
    agree(polyloop.tensor(text, sizes), reassociate)


def test_sizes_that_are_not_known() -> None:
    scop = polyloop.einsum("mk,kn->mn", m=None, n=None, k=None, dtype="f64")
    assert [choice.column for _, choice in choices(scop, host_target(), False)] == ["n_", "n_"]
    tree = replay(original_tree(scop), default_trace(scop, host_target()))
    kernel = compile_program(plan(lower(scop, tree), host_target()))
    for m, n, k in ((1, 1, 1), (7, 30, 9), (33, 65, 40)):
        rng = np.random.default_rng(0)
        a, b, c = rng.random((m, k)), rng.random((k, n)), np.zeros((m, n))
        kernel(A=a, B=b, C=c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-13)


def test_nothing_spills() -> None:
    scop = product(192, 240, 64)
    kernel = polyloop.compile(scop)
    assert "(%rsp)" not in kernel.asm
