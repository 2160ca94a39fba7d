"""Gathers of neighbours are loaded at once by each lane, where nothing changes them, and compute the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, And, affine
from polyloop.backend.ir.expressions import F32, F64, I16, I32, I64, U8, U32, Access, Datum, Expression, ScalarType
from polyloop.backend.ir.interpreter import Array, interpret
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.facts import nest_facts
from polyloop.backend.planning.gathers import NeighboursTogether
from polyloop.backend.planning.values import Names
from polyloop.backend.run.kernel import Kernel, compile_program
from tests.backend.planning.nests import VECTOR, binary, compute, i, loop, n, read
from tests.backend.planning.programs import loads, loops, operations

AVX2 = shown_target("avx2")
ROWS = 9


def element(place: Expression, behind: int, type_: ScalarType) -> e.Read:
    """x[3 * place + behind]"""
    return e.Read(Access("x", (Affine(((Datum(place), 3),)) + behind,)), type_)


def gathering(offsets: tuple[int, ...], type_: ScalarType, place: Expression, *more: Compute) -> LoopNest:
    """y[i] = z[i] * (x[3 * place + a] + x[3 * place + b] + ..)"""
    value: Expression = read("z", i, type_=type_)
    for offset in offsets:
        value = binary("+", binary("*", value, read("z", i, type_=type_)), element(place, offset, type_))
    body = Block((*more, compute("S", read("y", i, type_=type_), value)))
    arrays = (
        ArraySpec("k", I32, (n,), read_only=True),
        ArraySpec("x", type_, (None,)),
        ArraySpec("y", type_, (n,)),
        ArraySpec("z", type_, (n,)),
    )
    return LoopNest("gathering", ("n",), arrays, loop("i", 0, n, body, VECTOR))


def computed() -> Expression:
    """(k[i] + 1) * 1, which is no element that stands in memory."""
    return binary("*", binary("+", read("k", i, type_=I32), e.Literal(1, I32)), e.Literal(1, I32))


def data(size: int, type_: ScalarType) -> dict[str, Array]:
    random = np.random.default_rng(size)
    kind = e.dtype_of(type_)
    given = {name: random.integers(-9, 9, length).astype(kind) for name, length in (("x", 3 * ROWS + 6), ("z", size))}
    return {
        "k": random.integers(0, ROWS, size).astype(np.int32),
        "x": given["x"],
        "y": np.zeros(size, kind),
        "z": given["z"],
    }


def check(nest: LoopNest, type_: ScalarType) -> None:
    kernel = compile_program(plan(nest, host_target(), contract=False), contract=False)
    for size in (1, 7, 8, 9, 33):
        agree(nest, kernel, size, data(size, type_))


def agree(nest: LoopNest, kernel: Kernel, size: int, arrays: Mapping[str, Array]) -> None:
    expected = {name: array.copy() for name, array in arrays.items()}
    interpret(nest, {"n": size}, expected, contract=False)
    kernel(n=size, **arrays)
    assert all(arrays[name].tobytes() == array.tobytes() for name, array in expected.items()), size


@pytest.mark.parametrize(
    ("offsets", "rows"),
    [((0, 1), [2]), ((2, 0, 1), [2]), ((0, 1, 2, 3), [4]), ((0, 1, 2, 3, 4, 5), [4, 2]), ((5,), [])],
)
@pytest.mark.parametrize("type_", [F32, F64, I32])
def test_each_lane_loads_its_neighbours(offsets: tuple[int, ...], rows: list[int], type_: ScalarType) -> None:
    for place in (read("k", i, type_=I32), computed()):
        nest = gathering(offsets, type_, place)
        lanes = AVX2.lanes(type_)
        body = loops(plan(nest, AVX2), "i")[0].body
        found = [load.type.lanes for load in loads(body, "x")]
        alone = len(offsets) - sum(rows)
        assert sorted(found) == sorted([size for size in rows for _ in range(lanes)] + [1] * alone * lanes)
        check(nest, type_)


def test_shorts_are_loaded_one_by_one() -> None:
    nest = gathering((0, 1), I16, read("k", i, type_=I32))
    assert all(load.type.lanes == 1 for load in loads(loops(plan(nest, AVX2), "i")[0].body, "x"))
    check(nest, I16)


def test_subscripts_are_computed_in_all_lanes_at_once() -> None:
    body = loops(plan(gathering((0, 1), F32, computed()), AVX2), "i")[0].body
    assert len(operations(body, v.Lane)) == 8
    assert all(operation.type.lanes == 8 for operation in operations(body, v.Arithmetic))


def test_what_is_stored_to_in_between_is_loaded_behind_that() -> None:
    """x[i] = z[i], and then from x: the first lanes may read what a later lane has not stored."""
    place = read("k", i, type_=I32)
    first = compute("T", read("x", i, type_=F32), read("z", i, type_=F32))
    nest = gathering((0, 1), F32, place, first)
    program = plan(nest, AVX2)
    stored = False
    for statement in loops(program, "i")[0].body:
        stored |= isinstance(statement, v.Store) and statement.address.array == "x"
        match statement:
            case v.Let(_, v.Load(v.Address("x"), type_)):
                assert stored
                assert type_.lanes <= 2


def test_loads_do_not_move_behind_a_store() -> None:
    """The vectors are put together behind a store that changes what their lanes have loaded before."""
    lanes, one = v.ValueType(F32, 4), v.ValueType(F32)
    scalars = [v.Let(f"x{k}", v.Load(v.Address("x", (affine(3 * (k // 2) + k % 2),), (0,)), one)) for k in range(8)]
    zero = v.Let("zero", v.Constant(0.0, one))
    store = v.Store(v.Address("x", (affine(0),), (0,)), v.Value("zero", one))
    packs = [v.Let(f"p{b}", v.Pack(tuple(v.Value(f"x{2 * k + b}", one) for k in range(4)), lanes)) for b in range(2)]
    facts = nest_facts(And(()))
    apart, together = (
        NeighboursTogether(Names()).run((zero, *scalars, *between, *packs), facts) for between in ((store,), ())
    )
    assert [load.type.lanes for load in loads(apart, "x")] == [1] * 8
    assert 2 in {load.type.lanes for load in loads(together, "x")}


def where_there(condition: Expression, value: Expression, target: e.Read, stored: bool) -> LoopNest:
    """y[i] = condition ? value : -1, or if (condition) y[i] = value."""
    kept = target if stored else e.Literal(-1.0, F64)
    chosen = Compute("S", target.access, e.Select(condition, value, kept, F64), stored)
    arrays = (
        ArraySpec("k", I32, (n,), read_only=True),
        ArraySpec("x", F64, (None,)),
        ArraySpec("y", F64, (n,)),
        ArraySpec("z", F64, (n,)),
    )
    return LoopNest("where_there", ("n",), arrays, loop("i", 0, n, chosen, VECTOR))


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512"])
@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_lanes_that_do_not_count_gather_what_another_one_does(target: str, stored: bool, inside: bool) -> None:
    """Bounds are checked first: places outside, and all places where no lane counts, are not touched."""
    place, z = read("k", i, type_=I32), read("z", i)
    valid = e.Logical(
        "&&", e.Comparison(">=", place, e.Literal(0, I32)), e.Comparison("<", place, e.Literal(ROWS, I32))
    )
    value = binary("*", binary("+", element(place, 0, F64), element(place, 1, F64)), z)
    if inside:  # a condition inside of the condition
        again = e.Select(e.Comparison("<", z, e.Literal(0.0, F64)), element(place, 2, F64), value, F64)
        value = binary("+", value, again)
    nest = where_there(valid, value, read("y", i), stored)
    chosen = shown_target(target)
    if target != "sse":  # whose two lanes are too few for so many loads
        (once, *_) = (s for s in loops(plan(nest, chosen), "i")[0].body if isinstance(s, v.For))
        assert [load.type.lanes for load in loads(once.body, "x")][: chosen.lanes(F64)] == [2] * chosen.lanes(F64)
    kernel = compile_program(plan(nest, host_target(), contract=False), contract=False)
    random = np.random.default_rng(7)
    for size in (0, 1, 7, 8, 33, 64):
        for share in (0.0, 0.1, 0.9):
            arrays = {**data(size, F64), "k": random.integers(0, ROWS, size).astype(np.int32)}
            arrays["k"][random.random(size) >= share] = 1 << 30
            agree(nest, kernel, size, arrays)


@pytest.mark.parametrize("type_", [U8, I16, U32, I64])
def test_places_of_any_type(type_: ScalarType) -> None:
    place = read("k", i, type_=type_)
    nest = where_there(e.Comparison("<", place, e.Literal(ROWS, type_)), element(place, 0, F64), read("y", i), False)
    nest = replace(nest, arrays=(ArraySpec("k", type_, (n,), read_only=True), *nest.arrays[1:]))
    kernel = compile_program(plan(nest, host_target(), contract=False), contract=False)
    for size in (1, 8, 40):
        given = np.random.default_rng(size).integers(0, 2 * ROWS, size).astype(e.dtype_of(type_))
        agree(nest, kernel, size, {**data(size, F64), "k": given})
