"""The generator of register tiles: what it proposes for a contraction, on registers of any number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.default.schedule import candidates, choose
from polyloop.backend.default.task import Footprint, Task
from polyloop.backend.default.tiles import Tile, accumulators, even_block, tiles
from polyloop.backend.ir.expressions import F32, F64
from polyloop.backend.machine.core import BLOCKS
from polyloop.backend.machine.machine import machine_named
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target

C = Footprint("C", (("m", 64), ("n", 1)), 4)
A = Footprint("A", (("m", 300), ("k", 1)), 4)
B = Footprint("B", (("k", 64), ("n", 1)), 4)
PRODUCT = Task({"m": 7, "n": 64, "k": 300}, frozenset("k"), C, (A, B), F32, frozenset("mn"))


@pytest.mark.parametrize("name", INSTRUCTION_SETS)
def test_tiles_leave_a_quarter_of_the_registers(name: str) -> None:
    target = shown_target(name)
    found = [(tile.rows, tile.vectors) for tile in tiles(PRODUCT, target)]
    most = 3 * target.vector_registers // 4
    assert accumulators(target) == most
    assert len(set(found)) == len(found)
    vectors = range(1, min(8, 64 // target.lanes(F32)) + 1)
    assert set(found) == {(rows, count) for count in vectors for rows in range(1, 8) if rows * count <= most}


def test_sixteen_registers_hold_six_rows_of_two_vectors() -> None:
    assert (6, 2) in {(tile.rows, tile.vectors) for tile in tiles(PRODUCT, shown_target("avx2"))}


def test_vectors_are_of_contiguous_loops_and_rows_of_any_other() -> None:
    batched = Task({"b": 3, "m": 7, "n": 64, "k": 300}, PRODUCT.reduced, C, (A, B), F32, PRODUCT.lanes)
    found = list(tiles(batched, shown_target("avx512")))
    assert {tile.column for tile in found} == {"n"}
    assert {tile.row for tile in found} == {None, "m", "b"}
    assert all(tile.rows == 1 for tile in found if tile.row is None)


def test_a_sum_of_everything_takes_its_last_loop() -> None:
    total = Task({"m": 7, "k": 300}, frozenset("mk"), Footprint("s", (), 4), (A,), F32, frozenset("mk"))
    found = list(tiles(total, shown_target("avx2")))
    assert {(tile.column, tile.row) for tile in found} == {("k", None)}
    # The default schedule adds up in lanes instead, and says so in its own form.
    assert all(choice.column in total.reduced for choice in candidates(total, shown_target("avx2")))


def test_blocks_are_of_the_longest_sum_and_shorter_than_it() -> None:
    tile = next(tile for tile in tiles(PRODUCT, shown_target("avx2")) if tile.rows == 6)
    found = list(tile.without_copies())
    assert [choice.blocks for choice in found] == [(), *((("k", size),) for size in BLOCKS)]
    assert all(choice.outer == ("n", "m") and choice.tiled == (("m", 6),) and not choice.packed for choice in found)
    short = replace(tile, task=replace(PRODUCT, extents={"m": 7, "n": 64, "k": 64}))
    assert [choice.blocks for choice in short.without_copies()] == [(), (("k", 32),)]


def _product(m: int, n: int, k: int, turned: bool = False) -> Task:
    """C[m, n] += A[m, k] * B[k, n], of floats, or with A stored as A[k, m]."""
    c, b = Footprint("C", (("m", n), ("n", 1)), 4), Footprint("B", (("k", n), ("n", 1)), 4)
    a = Footprint("A", (("k", m), ("m", 1)) if turned else (("m", k), ("k", 1)), 4)
    return Task({"m": m, "n": n, "k": k}, frozenset("k"), c, (a, b), F32, frozenset("mnk"))


def test_rows_of_a_transposed_operand_are_fetched_ahead() -> None:
    """Each step takes other lines of it, which the core does not foresee; and more of them for taller tiles. Rows that
    do not stay in the second cache are copied."""
    target = shown_target("avx2")
    l2 = int((target.machine.l2.size / 2 / 4) ** 0.5)
    turned, straight = (choose(_product(l2 - 20, l2 - 20, l2 - 20, way), target) for way in (True, False))
    assert turned.rows == ()
    assert choose(_product(l2 + 20, l2 + 20, l2 + 20, True), target).rows == (0,)
    assert (0, "k") in [(n, loop) for n, loop, _ in turned.ahead]
    assert 0 not in [n for n, _, _ in straight.ahead]
    assert turned.cycles > straight.cycles
    assert choose(_product(16, 64, 64, True), target).ahead == ()  # all of it stays in the first cache


@pytest.mark.parametrize(("rows", "lines"), [(4, 1.0), (6, 1.25), (16, 1.0), (24, 2.0)])
def test_lines_of_neighbouring_rows(rows: int, lines: float) -> None:
    tile = Tile(_product(480, 16, 400, True), shown_target("avx512"), "n", 1, "m", rows)
    assert tile._spanned(tile.task.reads[0], rows) == lines


def test_tiles_go_across_where_results_are_large_beside_the_columns() -> None:
    """Lines of the result then come one after the other; columns of many steps would come from far away again."""
    target = replace(shown_target("avx2"), machine=machine_named("zen4-avx2"))
    sizes = ((732, 732, 4), (604, 604, 4), (732, 732, 64), (60, 64, 4))
    orders = [choose(_product(*size), target).outer for size in sizes]
    assert orders == [("m", "n"), ("m", "n"), ("n", "m"), ("n", "m")]


def test_long_sums_of_few_columns_are_done_in_blocks_of_the_first_cache() -> None:
    """A panel of 732 rows of 16 floats fills 46 kB; that of a block leaves room in 32 kB."""
    target = shown_target("avx2")
    choice = choose(_product(732, 16, 732), target)
    ((loop, size),) = choice.blocks
    assert loop == "k"
    assert 64 <= size <= 366
    assert choose(_product(6, 4096, 732), target).blocks == ()  # one tile of rows comes back to nothing
    assert choose(_product(732, 16, 200), target).blocks == ()


def test_shuffles_of_sse_are_shared_by_wide_tiles() -> None:
    """An element is put into all lanes by a shuffle where it is single precision, by the load where it is double."""
    product = _product(192, 192, 96)
    target = shown_target("sse")
    assert not target.spreads(F32)
    assert target.spreads(F64)
    tall, wide = Tile(product, target, "n", 2, "m", 6), Tile(product, target, "n", 4, "m", 2)
    assert wide.step_cycles(4, 2, (), ()) / 8 < tall.step_cycles(2, 6, (), ()) / 12
    assert choose(product, target).width >= 12


def test_dots_share_loads_in_square_tiles() -> None:
    """As many sums in a tile of 6 x 4 as in one of 3 x 8, and fewer loads."""
    c, a = Footprint("C", (("m", 264), ("n", 1)), 4), Footprint("A", (("m", 264), ("k", 1)), 4)
    b = Footprint("B", (("n", 264), ("k", 1)), 4)
    task = Task({"m": 6, "n": 264, "k": 264}, frozenset("k"), c, (a, b), F32, frozenset("mnk"))
    choice = choose(task, shown_target("avx512"))
    assert (choice.column, dict(choice.tiled)) == ("k", {"m": 6, "n": 4})


def _depthwise(y: int, x: int, window: int, channels: int) -> Task:
    """O[y, x, c] += I[y + i, x + j, c] * W[i, j, c], of floats."""
    wide = (x + window - 1) * channels
    result = Footprint("O", (("y", x * channels), ("x", channels), ("c", 1)), 4)
    image = Footprint("I", (("y", wide), ("i", wide), ("x", channels), ("j", channels), ("c", 1)), 4)
    weights = Footprint("W", (("i", window * channels), ("j", channels), ("c", 1)), 4)
    extents = {"y": y, "x": x, "c": channels, "i": window, "j": window}
    return Task(extents, frozenset("ij"), result, (image, weights), F32, frozenset("yxcij"))


@pytest.mark.parametrize(
    ("task", "outer"),
    [
        (_depthwise(28, 28, 3, 88), "yxc"),  # two tiles share a line
        (_depthwise(112, 112, 3, 64), "yxc"),  # one channel's lines of all rows fall into few sets of the first cache
        (_depthwise(14, 14, 5, 240), "cyx"),  # all channels of the rows that a window sees do not stay near
    ],
)
def test_windows_go_across_the_columns_where_lines_are_shared(task: Task, outer: str) -> None:
    target = replace(shown_target("avx2"), machine=machine_named("emerald-rapids-avx2"))
    assert choose(task, target).outer == tuple(outer)


def test_windows_slide_over_one_vector_of_each_row() -> None:
    """Seven sums, seven elements that neighbours share and a weight fit 16 registers; two sums would wait."""
    assert choose(_depthwise(14, 14, 5, 240), shown_target("avx2")).tiled == (("x", 7),)


@pytest.mark.parametrize(("line_cycles", "packed"), [(1.3, ()), (2.6, (1,))])
def test_panels_stay_where_they_lie_if_lines_come_between_loads(line_cycles: float, packed: tuple[int, ...]) -> None:
    """Steps of 24 multiply-adds take 12 cycles, their 10 loads 5: five lines of the second cache come meanwhile or not.
    Rows 512 bytes apart fall into half of the first cache's sets, which do not hold a panel of 64 floats."""
    machine = machine_named("emerald-rapids")
    l1, l2, l3 = machine.caches
    machine = replace(machine, caches=(l1, replace(l2, line_cycles=line_cycles), l3))
    strides = [(("m", 128), ("n", 1)), (("m", 128), ("k", 1)), (("k", 128), ("n", 1))]
    result, left, right = (Footprint(name, stride, 4) for name, stride in zip("CAB", strides, strict=True))
    task = Task({"m": 128, "n": 128, "k": 128}, frozenset("k"), result, (left, right), F32, frozenset("mnk"))
    choice = choose(task, replace(shown_target("avx512"), machine=machine))
    assert (choice.width, choice.packed) == (64, packed)


@pytest.mark.parametrize("sizes", [(6, 264, 264), (8, 9, 128), (264, 6, 264)])
def test_inner_rows_of_a_dot_are_the_fewer_ones(sizes: tuple[int, int, int]) -> None:
    """Their vectors stay in registers through a step, beside the sums and one vector of the outer rows."""
    m, n, k = sizes
    c, b = Footprint("C", (("m", n), ("n", 1)), 8), Footprint("B", (("n", k), ("k", 1)), 8)
    a = Footprint("A", (("m", k), ("k", 1)), 8)
    target = shown_target("avx2")
    task = Task({"m": m, "n": n, "k": k}, frozenset("k"), c, (a, b), F64, frozenset("mnk"))
    best = choose(task, target)
    rows = dict(best.tiled)
    assert best.column == "k"
    assert set(rows) == {"m", "n"}
    inner, outer = rows[best.outer[-1]], rows[best.outer[0]]
    assert inner <= outer
    assert inner * outer + inner + 1 <= target.vector_registers


def test_squares_of_wide_vectors_are_turned_for_less() -> None:
    """A copy of what is contiguous along the reduction pays for a few rows of floats, which dots would load again."""
    c, b = Footprint("C", (("m", 16), ("n", 1)), 4), Footprint("B", (("n", 2144), ("k", 1)), 4)
    a = Footprint("A", (("k", 6), ("m", 1)), 4)
    task = Task({"m": 6, "n": 16, "k": 2144}, frozenset("k"), c, (a, b), F32, frozenset("mnk"))
    for name in ("avx2", "avx512"):
        best = choose(task, shown_target(name))
        assert (best.column, best.packed) == ("n", (1,))


def test_blocks_are_equal_where_few_more_make_them_so() -> None:
    for extent in range(1, 130):
        for most in range(1, extent + 2):
            count = -(-extent // most)
            even = [n for n in range(count, count + count // 4 + 2) if extent % n == 0]
            assert even_block(extent, most) == -(-extent // (even[0] if even else count))
    assert (even_block(2**40, 5), even_block(2**31 - 1, 9), even_block(10**12, 10**6)) == (4, 9, 10**6)
