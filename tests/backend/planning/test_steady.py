"""Subscripts with quotients and remainders in lanes: whole vectors and a shuffle, where all vectors look alike."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, minimum
from polyloop.backend.ir.expressions import F32, F64, I32, U8, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopNest
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import (
    UNROLLED,
    VECTOR,
    binary,
    check,
    compute,
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
from tests.backend.planning.programs import loads, loops, operations

AVX512 = shown_target("avx512")
SIZES = (1, 2, 7, 15, 16, 17, 33, 70)
SUBSCRIPTS = {
    "halves": i // 2,
    "rounded": (i + 1) // 2,
    "quarters": i // 4,
    "three of four": 3 * i // 4,
    "pattern": i - i // 8 * 8,
    "turned": 7 - (i - i // 8 * 8),
    "both": i // 2 + i // 4 + i - i // 2 * 2,
    "thirds": i // 3,
    "far": 2 * (i // 2),
    "one number": i // 64,
    "sum": (i + m) // 2,
}


def nest(*body: Compute, first: Affine | int = 0, type_: ScalarType = F32) -> LoopNest:
    around = loop("i", first, n, Block(body), VECTOR)
    arrays = tuple(ArraySpec(name, type_, (2 * n + 2 * m + 20,)) for name in ("x", "y", "z"))
    return LoopNest("steady", ("n", "m"), arrays, around)


def taken(subscript: Affine, type_: ScalarType, first: Affine | int = 0) -> LoopNest:
    """x[i] += y[subscript]"""
    own = read("x", i, type_=type_)
    return nest(compute("S", own, binary("+", own, read("y", subscript, type_=type_))), first=first, type_=type_)


@pytest.mark.parametrize("subscript", SUBSCRIPTS.values(), ids=SUBSCRIPTS)
@pytest.mark.parametrize("type_", [F32, F64, U8], ids=str)
def test_every_lane_takes_its_own(subscript: Affine, type_: ScalarType) -> None:
    for size in SIZES:
        for first in (0, 3, m):
            check(taken(subscript, type_, first), {"n": size, "m": 2})


def starts(subscript: Affine) -> list[tuple[int, int]]:
    """What each vector of 16 loads: the first element of each load in the first iteration, and how many."""
    body = loops(plan(taken(subscript, F32), AVX512), "i")[0].body
    assert len(operations(body, v.Shuffle)) == 1
    assert not operations(body, v.Pack)
    found = loads(body, "y")
    return [(load.address.subscripts[-1].substitute({"i": affine(0)}).constant, load.type.lanes) for load in found]


def test_what_lanes_span_is_loaded_once() -> None:
    assert starts(SUBSCRIPTS["halves"]) == [(0, 8)]
    assert starts(SUBSCRIPTS["rounded"]) == [(0, 8), (1, 8)]
    assert starts(SUBSCRIPTS["quarters"]) == [(0, 4)]
    assert starts(SUBSCRIPTS["three of four"]) == [(0, 8), (4, 8)]
    assert starts(SUBSCRIPTS["pattern"]) == starts(SUBSCRIPTS["turned"]) == [(0, 8)]


@pytest.mark.parametrize("name", ["thirds", "sum"])
def test_vectors_that_differ_take_elements_one_by_one(name: str) -> None:
    body = plan(taken(SUBSCRIPTS[name], F32), AVX512).body
    assert not operations(body, v.Shuffle)


def test_a_tile_knows_where_it_begins() -> None:
    body = taken(i // 2, F32).body
    tile = loop("i", 16 * m, minimum(16 * m + 16, n), body.body, VECTOR)  # type: ignore[union-attr]
    nest_ = LoopNest(
        "steady",
        ("n",),
        taken(i // 2, F32).arrays[:0] + tuple(ArraySpec(name, F32, (2 * n + 20,)) for name in ("x", "y", "z")),
        loop("m", 0, (n + 15) // 16, tile),
    )
    for size in SIZES:
        check(nest_, {"n": size})
    assert operations(plan(nest_, AVX512).body, v.Shuffle)


@pytest.mark.parametrize("number", [i - i // 4 * 4, i // 2, i // 2 + i])
def test_numbers(number: Affine) -> None:
    value = e.Cast(e.Index(number, I32), F64)
    made = nest(compute("S", read("x", i), binary("*", read("y", i), value)), type_=F64)
    for size in SIZES:
        check(made, {"n": size, "m": 0})
    assert operations(plan(made, AVX512).body, v.Pack)


def test_choices() -> None:
    condition = e.Comparison("<", read("y", i), read("z", i))
    value = e.Select(condition, read("z", i // 2), read("y", i), F64)
    made = nest(compute("S", read("x", i), value), type_=F64)
    for size in SIZES:
        check(made, {"n": size, "m": 0})


def test_rows_behind_the_end_span_no_more_than_others() -> None:
    """x[j][i] += z[k][i] * y[i // 2 + j] in register tiles of four rows, of which the last one may have fewer."""
    body = update(read("x", j, i), read("z", k, i), read("y", i // 2 + j))
    tile = loop(
        "j", 4 * it, minimum(4 * it + 4, n), loop("i", 16 * jt, minimum(16 * jt + 16, m), body, VECTOR), UNROLLED
    )
    tiles = loop("it", 0, (n + 3) // 4, loop("jt", 0, (m + 15) // 16, loop("k", 0, p, tile)))
    shapes = {"x": (n, m), "z": (p, m), "y": (n + m // 2,)}
    arrays = tuple(ArraySpec(name, F64, shape) for name, shape in shapes.items())
    made = LoopNest("rows", ("n", "m", "p"), arrays, tiles)
    for size in (1, 3, 6):
        for width in (1, 7, 16, 21):
            check(made, {"n": size, "m": width, "p": 3})
    active = [load.active for load in loads(plan(made, AVX512).body, "y") if load.active is not None]
    assert active
    assert all("n" not in count.variables() for count in active)
