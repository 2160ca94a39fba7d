"""Register tiles: what is carried, what is loaded in the reduction, what happens at the borders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import TRUE, Affine, Condition, affine, at_least, condition_variables, minimum
from polyloop.backend.ir.expressions import F32, F64, I64, Literal
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Guard, Loop, LoopKind, LoopNest, Node, Storage, with_body
from polyloop.backend.machine.host import host_target, runs_here
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import (
    SEQUENTIAL,
    UNROLLED,
    VECTOR,
    binary,
    check,
    compute,
    gemm,
    gemm_full,
    i,
    it,
    j,
    jt,
    k,
    loop,
    m,
    n,
    p,
    read,
    update,
)
from tests.backend.planning.programs import flat, fused, loads, loops, stores

AVX512 = shown_target("avx512")
AVX2 = shown_target("avx2")


@pytest.mark.parametrize(("rows", "columns", "vectors"), [(8, 24, 3), (6, 32, 4), (4, 16, 2), (3, 12, 2)])
def test_a_full_tile_lives_in_registers(rows: int, columns: int, vectors: int) -> None:
    program = plan(gemm_full(rows, columns), AVX512)
    (reduction,) = loops(program, "k")
    assert len(reduction.carried) == rows * vectors
    assert not loads(reduction.body, "C")
    assert not stores(reduction.body, "C")
    assert len(loads(reduction.body, "B")) == vectors
    assert len(loads(reduction.body, "A")) == rows
    assert fused(reduction.body) == rows * vectors
    assert len(stores(program.body, "C")) == rows * vectors


def test_lanes_follow_the_element_type_and_the_target() -> None:
    (single,) = loops(plan(gemm_full(4, 32, F32), AVX512), "k")
    assert {c.type.lanes for c in single.carried} == {16}
    (narrow,) = loops(plan(gemm_full(4, 8), AVX2), "k")
    assert {c.type.lanes for c in narrow.carried} == {4}
    assert len(narrow.carried) == 8


def test_a_tile_over_capacity_carries_what_fits() -> None:
    program = plan(gemm_full(8, 48), AVX512)
    (reduction,) = loops(program, "k")
    assert len(reduction.carried) == 26
    assert len(stores(reduction.body, "C")) == 48 - 26
    check(gemm_full(8, 48), {"n": 16, "m": 48, "p": 5})


def test_partial_tiles_are_one_tile_whose_rows_and_lanes_are_masked() -> None:
    program = plan(gemm(4, 16), AVX512)
    full, partial = loops(program, "k")
    assert len(full.carried) == len(partial.carried) == 4 * 2
    assert [s.active is None for s in stores(program.body, "C")] == [True] * 8 + [False] * 8
    assert not stores((*full.body, *partial.body), "C")
    # What is only read is read in the last row that is there.
    rows = {str(load.address.subscripts[0]) for load in loads(partial.body, "A")}
    assert rows == {"min(4*it, n - 1)", "min(4*it + 1, n - 1)", "min(4*it + 2, n - 1)", "min(4*it + 3, n - 1)"}


def lanes_at_the_end() -> LoopNest:
    """The last lanes of y += A * x[k], fewer than a tile: where n < 32 * it + 32 is known, they are 31 at most."""
    body = update(read("y", i), read("A", i), read("x", k))
    last = loop("k", 0, m, loop("i", 32 * it, n, body, VECTOR))
    nest = loop("it", 0, n // 32 + 1, Guard(at_least(32 * it - n, -31), last))
    arrays = (ArraySpec("A", F64, (n,)), ArraySpec("x", F64, (m,)), ArraySpec("y", F64, (n,)))
    return LoopNest("lanes", ("n", "m"), arrays, nest)


def test_lanes_that_are_one_less_than_a_tile_have_no_version_of_their_own() -> None:
    (inner,) = loops(plan(lanes_at_the_end(), AVX512), "k")
    assert len(inner.carried) == 4
    check(lanes_at_the_end(), {"n": 63, "m": 3})
    check(lanes_at_the_end(), {"n": 70, "m": 2})


@pytest.mark.parametrize("sizes", [(13, 29, 5), (1, 1, 1), (24, 48, 3), (7, 25, 0), (0, 3, 2), (9, 33, 7)])
@pytest.mark.parametrize("shape", [(6, 24), (8, 24), (4, 16)])
def test_matrix_product_at_sizes_that_divide_nothing(sizes: tuple[int, int, int], shape: tuple[int, int]) -> None:
    check(gemm(*shape), dict(zip(("n", "m", "p"), sizes, strict=True)))


def triangular(rows: int, columns: int) -> LoopNest:
    """C[i][j] += A[i][k] * B[k][j] for j <= i: tiles on the diagonal have rows of different lengths."""
    body = update(read("C", i, j), read("A", i, k), read("B", k, j))
    nest: Node = loop("j", columns * jt, minimum(columns * jt + columns, i + 1), body, VECTOR)
    nest = loop("i", rows * it, minimum(rows * it + rows, n), nest, UNROLLED)
    nest = loop("jt", 0, (rows * it + rows - 1) // columns + 1, loop("k", 0, m, nest))
    nest = loop("it", 0, (n + (rows - 1)) // rows, nest)
    arrays = (ArraySpec("A", F64, (n, m)), ArraySpec("B", F64, (m, n)), ArraySpec("C", F64, (n, n)))
    return LoopNest("triangular", ("n", "m"), arrays, nest)


def test_a_diagonal_tile_is_masked_row_by_row() -> None:
    nest = triangular(4, 16)
    program = plan(nest, AVX512)
    for reduction in loops(program, "k"):
        assert reduction.carried
        assert not stores(reduction.body, "C")
    check(nest, {"n": 37, "m": 5})


@pytest.mark.parametrize("target", [AVX512, AVX2], ids=["avx512", "avx2"])
def test_rows_of_different_lengths_share_loads_of_a_copy(target: Target) -> None:
    """Its memory is there behind the last lane that counts, so that no row has a mask of its own."""
    width = 16
    body = update(read("C", i, j), read("A", i, k), read("copy", k, j - width * jt))
    nest: Node = loop("j", width * jt, minimum(width * jt + width, i + 1), body, VECTOR)
    nest = loop("k", 0, 5, loop("i", 4 * it, 4 * it + 4, nest, UNROLLED))
    copied = compute("P", read("copy", k, j), read("B", k, j + width * jt))
    copy = loop("k", 0, 5, loop("j", 0, minimum(width, n - width * jt), copied))
    nest = loop("jt", 0, (n + (width - 1)) // width, Block((copy, loop("it", 4 * jt, n // 4, nest))))
    local = ArraySpec("copy", F64, (affine(5), affine(width)), Storage.LOCAL, scratch=True)
    arrays = (
        ArraySpec("A", F64, (n, affine(5))),
        ArraySpec("B", F64, (affine(5), n)),
        ArraySpec("C", F64, (n, n)),
        local,
    )
    whole = LoopNest("shared", ("n",), arrays, nest)
    tiles = [reduction for reduction in loops(plan(whole, target), "k") if reduction.carried]
    assert tiles
    for tile in tiles:
        found = loads(tile.body, "copy")
        assert len(found) == len(set(found)) <= width // (target.vector_bits // 64)
        assert {load.active for load in found} == {None}
    check(whole, {"n": 36})


def in_place(rows: int, columns: int, depth: Affine) -> LoopNest:
    """A[i][j] -= A[i][k] * A[k][j] for k below `depth`: an LU update on one array."""
    body = update(read("A", i, j), read("A", i, k), read("A", k, j), "-")
    nest: Node = loop("j", columns * jt, columns * jt + columns, body, VECTOR)
    nest = loop("k", 0, depth, loop("i", rows * it, rows * it + rows, nest, UNROLLED))
    nest = loop("it", 0, n // rows, loop("jt", 0, n // columns, nest))
    return LoopNest("update", ("n",), (ArraySpec("A", F64, (n, n)),), nest)


def test_one_array_is_promoted_where_the_bounds_keep_the_tiles_apart() -> None:
    nest = in_place(4, 16, minimum(16 * jt, 4 * it))
    (reduction,) = loops(plan(nest, AVX512), "k")
    assert len(reduction.carried) == 8
    assert not stores(reduction.body, "A")
    check(nest, {"n": 32})


@pytest.mark.parametrize(("depth", "meeting"), [(minimum(16 * jt + 1, 4 * it), 4), (minimum(16 * jt, 4 * it + 1), 2)])
def test_what_may_meet_an_operand_stays_in_memory(depth: Affine, meeting: int) -> None:
    # One k too many: the first vector of every row may meet A[i][k], or the first row A[k][j]. No other may.
    (reduction,) = loops(plan(in_place(4, 16, depth), AVX512), "k")
    assert len(stores(reduction.body, "A")) == meeting
    assert len(reduction.carried) == 8 - meeting


def shifted_sum(context: Condition) -> LoopNest:
    """X[n + i] += X[k] for k < m: apart if m <= n."""
    body = compute("S", read("X", n + i), binary("+", read("X", n + i), read("X", k)))
    nest = loop("i", 0, n, loop("k", 0, m, body))
    return LoopNest("shifted", ("n", "m"), (ArraySpec("X", F64, (2 * n,)),), nest, context)


def test_the_context_is_used() -> None:
    (known,) = loops(plan(shifted_sum(at_least(n, m)), AVX512), "k")
    (unknown,) = loops(plan(shifted_sum(TRUE), AVX512), "k")
    assert (len(known.carried), len(unknown.carried)) == (1, 0)
    check(shifted_sum(TRUE), {"n": 5, "m": 9})


def test_tiles_of_the_reduction_carry_through_both_loops() -> None:
    """for kt: for k in tile: the accumulators are loaded before kt and stored after it."""
    body = update(read("C", i, j), read("A", i, k), read("B", k, j))
    kt = affine("kt")
    nest: Node = loop("j", 16 * jt, 16 * jt + 16, body, VECTOR)
    nest = loop("k", 32 * kt, minimum(32 * kt + 32, m), loop("i", 4 * it, 4 * it + 4, nest, UNROLLED))
    nest = loop("jt", 0, n // 16, loop("kt", 0, (m + 31) // 32, nest))
    arrays = (ArraySpec("A", F64, (n, m)), ArraySpec("B", F64, (m, n)), ArraySpec("C", F64, (n, n)))
    tiled = LoopNest("tiled", ("n", "m"), arrays, loop("it", 0, n // 4, nest))
    program = plan(tiled, AVX512)
    (outer,), (inner,) = loops(program, "kt"), loops(program, "k")
    assert len(outer.carried) == len(inner.carried) == 8
    assert not stores(outer.body, "C")
    assert not loads(outer.body, "C")
    check(tiled, {"n": 16, "m": 45}, plan(tiled, host_target()))


def test_a_limit_that_only_the_conditions_know_makes_a_tile() -> None:
    """The last tile of rows, as isl writes it: n - 4 it rows, which are fewer than 4 under the condition."""
    body = update(read("C", i, j), read("A", i, k), read("B", k, j))
    nest = loop("k", 0, m, loop("i", 4 * it, n, loop("j", 0, 16, body, VECTOR), UNROLLED))
    last = Guard(at_least(4 * it + 3, n), nest)
    arrays = (ArraySpec("A", F64, (n, m)), ArraySpec("B", F64, (m, affine(16))), ArraySpec("C", F64, (n, affine(16))))
    rows = LoopNest("last", ("n", "m"), arrays, loop("it", 0, (n + 3) // 4, last))
    reductions = loops(plan(rows, AVX512), "k")
    # All three rows, and with masks fewer.
    assert [len(reduction.carried) for reduction in reductions] == [6, 4]
    check(rows, {"n": 7, "m": 3})


def test_what_does_not_change_is_loaded_once() -> None:
    """C[j] += alpha * x[i] * B[i][j]: alpha in front of everything, x[i] in front of the columns."""
    factor = binary("*", read("alpha"), read("x", i))
    nest = loop("i", 0, n, loop("j", 0, m, update(read("C", j), factor, read("B", i, j)), VECTOR))
    arrays = (
        ArraySpec("alpha", F64, ()),
        ArraySpec("x", F64, (n,)),
        ArraySpec("B", F64, (n, m)),
        ArraySpec("C", F64, (m,)),
    )
    outer = LoopNest("outer", ("n", "m"), arrays, nest)
    program = plan(outer, AVX512)
    (rows,), (columns,) = loops(program, "i"), loops(program, "j")
    assert not loads(rows.body, "alpha")
    assert len(loads(program.body, "alpha")) == 1
    assert not loads(columns.body, "x")
    assert len(loads(rows.body, "x")) == 1
    check(outer, {"n": 3, "m": 21})


def test_results_that_a_tile_sets_to_zero_stay_in_registers_where_it_is_full() -> None:
    nest = gemm(4, 16)
    program = plan(replace(nest, body=_with_zeros(nest.body)), AVX512)
    decided = [s for s in flat(program.body) if isinstance(s, v.If)]
    full = next(s for s in decided if not any(isinstance(inner, v.If) for inner in flat(s.then)))
    assert not loads(full.then, "C")
    assert len(stores(full.then, "C")) == 8
    check(replace(nest, body=_with_zeros(nest.body)), {"n": 9, "m": 37, "p": 3})


def _with_zeros(node: Node) -> Node:
    """The nest with C[i][j] = 0 in front of the sum of every tile."""
    match node:
        case Loop("k", _, _, _, Loop(_, _, _, _, Loop() as columns) as rows):
            zeros = with_body(columns, compute("Z", read("C", i, j), Literal(0.0, F64)))
            return Block((with_body(rows, zeros), node))
        case Loop():
            return with_body(node, _with_zeros(node.body))
    raise AssertionError(node)


@pytest.mark.parametrize("target", ["sse", "avx2"])
def test_what_stands_beside_a_tile_runs_where_the_tile_is_empty(target: str) -> None:
    tile = loop("j", 1, minimum(affine(8), n), compute("T", read("A", j), read("B", j + 1)), VECTOR)
    first = compute("F", read("A", affine(0)), read("B", affine(1)))
    body = loop("it", 0, 2, Guard(at_least(it, 1), first, tile))
    nest = LoopNest("beside", ("n",), (ArraySpec("A", F64, (n,)), ArraySpec("B", F64, (n + 1,))), body)
    for size in range(1, 10):
        check(nest, {"n": size}, plan(nest, shown_target(target)))


def triangle(rows: int) -> LoopNest:
    """Diagonal blocks of a triangular solution: x[j] is complete before the rows behind it need it."""
    ahead = minimum(rows * it + rows, n)
    divided = compute("D", read("x", j), binary("/", read("x", j), read("L", j, j)))
    below = loop("i", j + 1, ahead, update(read("x", i), read("L", i, j), read("x", j), "-"), UNROLLED)
    nest = loop("it", 0, (n + rows - 1) // rows, loop("j", rows * it, ahead, Block((divided, below))))
    arrays = (ArraySpec("L", F64, (n, n), read_only=True), ArraySpec("x", F64, (n,)))
    return LoopNest("triangle", ("n",), arrays, nest)


@pytest.mark.parametrize(("instructions", "rows", "straight"), [("avx512", 16, 1), ("avx2", 8, 1), ("avx2", 16, 0)])
def test_a_full_triangle_is_straight_line_code(instructions: str, rows: int, straight: int) -> None:
    """Where there are registers for its rows; they are loaded and stored once."""
    (around,) = loops(plan(triangle(rows), shown_target(instructions)), "it")
    (choice,) = (s for s in around.body if isinstance(s, v.If)) if straight else (None,)
    if choice is None:
        assert loops_of(around.body)
        return
    assert not loops_of(choice.then)
    assert loops_of(choice.orelse)
    assert len(stores(choice.then, "x")) == rows
    assert len(loads(choice.then, "x")) == rows


def loops_of(statements: Iterable[v.Statement]) -> list[v.For]:
    return [statement for statement in flat(statements) if isinstance(statement, v.For)]


def test_triangles_of_any_size() -> None:
    for size in (1, 7, 8, 9, 29):
        check(triangle(8), {"n": size})


def triangle_of_vectors(below: bool) -> LoopNest:
    """Diagonal blocks of a product with half of a matrix, columns in lanes: rows behind one, or before it."""
    start, end = 6 * it, minimum(6 * it + 6, n)
    rows = (j + 1, end) if below else (start, minimum(j, end))
    vectors = loop("k", 0, 8, update(read("C", i, k), read("A", i, j), read("B", j, k)), VECTOR)
    body = loop("it", 0, (n + 5) // 6, loop("j", start, end, loop("i", *rows, vectors, UNROLLED)))
    wide = (n, affine(8))
    arrays = (ArraySpec("A", F64, (n, n), read_only=True), *(ArraySpec(name, F64, wide) for name in "BC"))
    return LoopNest("triangle", ("n",), arrays, body)


@pytest.mark.parametrize("below", [True, False])
def test_a_full_triangle_of_vectors_stays_in_registers(below: bool) -> None:
    """Each of the five rows that sum something up is loaded and stored once, in two vectors."""
    (around,) = loops(plan(triangle_of_vectors(below), AVX2), "it")
    choice = next(s for s in around.body if isinstance(s, v.If))
    assert not loops_of(choice.then)
    assert len(stores(choice.then, "C")) == len(loads(choice.then, "C")) == 10
    for size in (1, 5, 6, 7, 23):
        check(triangle_of_vectors(below), {"n": size})


@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_lanes_whose_cells_stay_keep_them_in_registers(target: Target) -> None:
    """Blocks of 32 elements, the last of which may be fewer: best[j] = a[32 * k + j] + best[j]."""
    best = read("best", j)
    value = binary("+", read("a", 32 * k + j), best)
    lanes = loop("j", 0, minimum(affine(32), n - 32 * k), compute("S", best, value), VECTOR)
    arrays = (ArraySpec("best", F64, (affine(32),)), ArraySpec("a", F64, (n,)))
    nest = LoopNest("lanes", ("n",), arrays, loop("k", 0, (n + 31) // 32, lanes), at_least(n, 1))
    blocks = loops(plan(nest, target), "k")
    assert [len(x.carried) for x in blocks[:1]] == [32 // target.lanes(F64)]
    assert not stores(blocks[0].body, "best")
    for size in (1, 31, 32, 33, 70, 96):
        check(nest, {"n": size})


def test_tiles_of_tiles_are_cut_behind_full_ones_once() -> None:
    """What is behind the full ones begins where the loop around it says, which is no later: it was cut again, without
    end."""
    inner, outer, columns = affine("inner"), affine("outer"), affine(499)
    body = update(read("C", i, j), read("A", i, j), read("x", j))
    lanes = loop("j", 4 * jt, minimum(4 * jt + 4, columns), body, VECTOR)
    steps = loop("jt", 4 * inner, minimum(4 * inner + 4, affine(125)), lanes, UNROLLED)
    tiles = loop("i", 0, n, loop("inner", 8 * outer, minimum(8 * outer + 8, affine(32)), steps))
    arrays = (*(ArraySpec(name, F64, (n, columns)) for name in "AC"), ArraySpec("x", F64, (columns,)))
    check(LoopNest("tiles", ("n",), arrays, loop("outer", 0, 4, tiles)), {"n": 3})


@pytest.mark.parametrize("target", [name for name in ("sse", "avx2", "avx512") if runs_here(name)])
@pytest.mark.parametrize("kind", [SEQUENTIAL, VECTOR])
def test_rows_of_two_loops_are_there_or_not(target: str, kind: LoopKind) -> None:
    """Of a tile at the corner, those of both loops have to be."""
    c, a, b = (read(name, *at, type_=I64) for name, at in (("C", (i, j)), ("A", (i, k)), ("B", (j, k))))
    rows = loop("i", 4 * it, minimum(4 * it + 4, n), update(c, a, b), UNROLLED)
    tile = loop("k", 0, p, loop("j", 4 * jt, minimum(4 * jt + 4, m), rows, UNROLLED), kind)
    body = loop("it", 0, (n + 3) // 4, loop("jt", 0, (m + 3) // 4, tile))
    arrays = (ArraySpec("A", I64, (n, p), read_only=True), ArraySpec("B", I64, (m, p), read_only=True))
    nest = LoopNest("tile", ("n", "m", "p"), (*arrays, ArraySpec("C", I64, (n, m))), body)
    for sizes in ((3, 6, 1), (4, 4, 17), (5, 7, 40), (6, 2, 3)):
        check(nest, dict(zip("nmp", sizes, strict=True)), plan(nest, shown_target(target)))


def test_cells_of_rows_that_are_not_there_are_not_touched_by_sums() -> None:
    """The second row's cell lies behind the array where there is one row only."""
    cells = [read("y", row, type_=I64) for row in (0, 1)]
    sums = (update(cell, read("A", row, k, type_=I64), read("A", row, k, type_=I64)) for row, cell in enumerate(cells))
    body = loop("k", 0, m, Block(tuple(Guard(at_least(n, row + 1), one) for row, one in enumerate(sums))), VECTOR)
    nest = LoopNest("sums", ("n", "m"), (ArraySpec("A", I64, (n, m), read_only=True), ArraySpec("y", I64, (n,))), body)
    for sizes in ((1, 50), (2, 50), (2, 3), (1, 0)):
        check(nest, dict(zip("nm", sizes, strict=True)))
    program = plan(nest, AVX512)
    touching = [s for s in flat(program.body) if isinstance(s, v.Store) and s.address.subscripts == (affine(1),)]
    around = [s for s in flat(program.body) if isinstance(s, v.If) and any(x in s.then for x in touching)]
    assert len(around) == len(touching) > 0
    assert all("n" in condition_variables(s.condition) for s in around)
