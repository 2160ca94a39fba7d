"""Copies that are made in passing, and what loops ask for while tiles read a copy."""

from __future__ import annotations

from itertools import count

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Guard, Loop, LoopNest, walk
from polyloop.backend.ir.traversal import walk as statements
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.memory import Ahead
from polyloop.backend.planning.packing import Layout, pack
from polyloop.lowering.to_nest import lower
from tests.backend.planning.nests import UNROLLED, VECTOR, check, i, it, j, jt, k, loop, n, read, update
from tests.replay.programs import KernelProgram

ROWS, SUMS, COLUMNS, WIDTH = 14, 40, 72, 24


def packed(
    first: Affine | int = 0,
    ends: Affine | int = SUMS,
    parameters: frozenset[str] = frozenset(),
    asked: bool = True,
) -> LoopNest:
    """C += A B in tiles of 2 x 24, for which a panel of B is copied: rows from `first` to `ends` of it."""
    b = ArraySpec("B", F64, (affine(SUMS), affine(COLUMNS)), read_only=True)
    body = update(read("C", i, j), read("A", i, k), read("B tagged", k, j))
    tile = loop("i", 2 * it, 2 * it + 2, loop("j", WIDTH * jt, WIDTH * jt + WIDTH, body, VECTOR), UNROLLED)
    numbers = count()
    facts = Facts().with_loop("jt", affine(0), affine(COLUMNS // WIDTH))
    made = pack(
        loop("it", 0, ROWS // 2, loop("k", first, ends, tile)),
        "B tagged",
        b,
        Layout((0, 1)),
        "B_pack",
        facts,
        lambda stem: f"{stem}{next(numbers)}",
        parameters,
        asked=asked,
    )
    ahead = (("B", 1),) if asked else ()
    around = Loop("jt", affine(0), affine(COLUMNS // WIDTH), 1, made.node, prefetch=ahead)
    arrays = (
        ArraySpec("A", F64, (affine(ROWS), affine(SUMS)), read_only=True),
        b,
        ArraySpec("C", F64, (affine(ROWS), affine(COLUMNS))),
        made.buffer,
    )
    return LoopNest("product", tuple(sorted(parameters)), arrays, around)


def test_the_first_tile_makes_the_copy_row_by_row() -> None:
    nest = packed()
    (tiles,) = (x for x in walk(nest.body) if isinstance(x, Loop) and x.variable == "it")
    assert isinstance(tiles.body, Guard), "one tile of rows copies, the others do not"
    first = tiles.body.body
    assert isinstance(first, Loop)
    assert isinstance(first.body, Block)
    copies = [x for x in walk(nest.body) if getattr(x, "statement", "") == "pack_B"]
    assert len(copies) == 1
    check(nest, {})


@pytest.mark.parametrize(
    ("first", "ends", "parameters", "asked"),
    [
        (0, it + 20, frozenset[str](), True),
        (it, SUMS, frozenset[str](), True),
        (0, n, frozenset({"n"}), True),
        (0, SUMS, frozenset[str](), False),
    ],
)
def test_what_the_first_tile_does_not_have_near_is_copied_in_front(
    first: Affine | int, ends: Affine | int, parameters: frozenset[str], asked: bool
) -> None:
    """It does not see all rows; nobody knows how many there are; or it would wait for them."""
    nest = packed(first, ends, parameters, asked)
    around = nest.body
    assert isinstance(around, Loop)
    assert isinstance(around.body, Block)
    check(nest, dict.fromkeys(parameters, 33))


def test_tiles_that_read_the_copy_share_the_work_of_asking_for_the_next_one() -> None:
    """Seven tiles: each of the first four that do not copy asks for a quarter of the rows."""
    program = plan(packed(), shown_target("avx2"))
    asked = {x.address.subscripts for x in statements(program.body) if isinstance(x, v.Prefetch)}
    assert {subscripts[-1].coefficient("jt") for subscripts in asked} == {WIDTH}
    rows = {subscripts[0] for subscripts in asked}
    ahead = Ahead("B", "jt", 1).inside("it", affine(0), 7)
    assert rows == {ahead.moved((k, WIDTH * jt), loop("k", 0, SUMS, Block(())), SUMS)[0]}
    (row,) = rows
    seen = [[row.evaluate({"it": tile, "k": step}) for step in range(SUMS)] for tile in range(1, 7)]
    assert sorted({value for tile in seen[:4] for value in tile}) == list(range(SUMS))
    assert all(len(set(tile)) == SUMS // 4 for tile in seen)


def test_copies_in_blocks_that_panels_are_made_of_have_no_version_for_a_whole_panel() -> None:
    scheduled = KernelProgram("gemm", "isl").scheduled(shown_target("avx512"))
    both = [
        x
        for x in walk(lower(scheduled.scop, scheduled.tree).body)
        if isinstance(x, Guard)
        and all(any(getattr(y, "statement", "") == "pack_A" for y in walk(side)) for side in (x.body, x.orelse))
    ]
    assert not both
