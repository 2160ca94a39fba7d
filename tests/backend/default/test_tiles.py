"""The generator of register tiles: what it proposes for a contraction, on registers of any number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.default.schedule import candidates
from polyloop.backend.default.task import Footprint, Task
from polyloop.backend.default.tiles import accumulators, tiles
from polyloop.backend.ir.expressions import F32
from polyloop.backend.machine.core import BLOCKS
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
