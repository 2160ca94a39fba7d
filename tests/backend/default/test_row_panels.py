"""Copies of rows in blocks: where they are proposed, and what stays in which cache."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.default.row_panels import in_row_panels, late_rows
from polyloop.backend.default.schedule import choose
from polyloop.backend.default.task import RESULT, Footprint, Task
from polyloop.backend.default.tiles import Tile
from polyloop.backend.ir.expressions import F32, F64, ScalarType
from polyloop.backend.machine import core
from polyloop.backend.machine.machine import machine_named
from polyloop.backend.machine.target import shown_target

ZEN4 = replace(shown_target("avx2"), machine=machine_named("zen4-avx2"))


def _square(n: int, type_: ScalarType) -> Task:
    c, a, b = (Footprint(x, ((first, n), (last, 1)), type_.bytes) for x, first, last in ("Cmn", "Amk", "Bkn"))
    return Task(dict.fromkeys("mnk", n), frozenset("k"), c, (a, b), type_, frozenset("mnk"))


@pytest.mark.parametrize("type_", [F32, F64])
def test_squares_that_no_cache_holds_are_copied_in_blocks_for_the_second_one(type_: ScalarType) -> None:
    choice, l2 = choose(_square(2048, type_), ZEN4), ZEN4.machine.l2.size
    ((_, rows),), ((_, steps),) = choice.tiled, choice.blocks
    assert (choice.packed, choice.rows) == ((1,), (0,))
    assert choice.height % rows == 0
    panels = 2 * choice.width * steps * type_.bytes
    assert l2 // 4 < choice.height * steps * type_.bytes + panels <= l2 // 2
    assert choice.ahead == ((1, "n", 1), (RESULT, "m", 1))


def test_vast_squares_are_copied_in_such_blocks() -> None:
    choice = choose(_square(10**9, F32), ZEN4)
    assert choice.rows == (0,)
    assert choice.blocks[0][1] < 2 * choose(_square(2048, F32), ZEN4).blocks[0][1]


def test_rows_that_stay_near_are_not_copied() -> None:
    assert choose(_square(256, F32), ZEN4).height == 0
    assert choose(_square(512, F32), ZEN4).height == 0
    assert late_rows(Tile(_square(256, F32), ZEN4, "n", 2, "m", 6)) == 0


def test_rows_of_windows_are_not_copied() -> None:
    """Neighbouring rows share elements, which lie in several panels."""
    size = 2048
    window = Footprint("A", (("m", 1), ("k", 1)), 4)
    task = replace(_square(size, F32), reads=(window, _square(size, F32).reads[1]))
    assert not list(in_row_panels(Tile(task, ZEN4, "n", 2, "m", 6)))
    far = replace(window, strides=(("m", size), ("k", 2)))
    assert not list(in_row_panels(Tile(replace(task, reads=(far, task.reads[1])), ZEN4, "n", 2, "m", 6)))


def test_a_part_of_rows_comes_late_if_the_second_cache_does_not_hold_all() -> None:
    """Of what is half as large nothing, of three times as much all, evenly between: a fifth of what fills it."""
    tiles = [Tile(_square(size, F32), ZEN4, "n", 2, "m", 6) for size in (362, 512, 1024)]
    lines = [-(-size // tile.width) * size * size * 4 / 64 for size, tile in zip((362, 512, 1024), tiles, strict=True)]
    cycles = ZEN4.machine.caches[2].line_cycles * core.UNHIDDEN_AGAIN
    assert [late_rows(tile) / cycles / count for tile, count in zip(tiles, lines, strict=True)] == [
        0,
        pytest.approx(0.2),
        1,
    ]
