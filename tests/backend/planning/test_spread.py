"""Lanes two to four elements apart: whole vectors and shuffles, and nothing between them changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, minimum
from polyloop.backend.ir.expressions import F32, F64, I8, I32, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopNest
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import VECTOR, binary, check, compute, i, loop, m, n, read
from tests.backend.planning.programs import loads, loops, operations, stores

AVX512, AVX2 = shown_target("avx512"), shown_target("avx2")
SIZES = (1, 2, 15, 16, 17, 33, 70)


def nest(*body: Compute, step: int = 1, first: int = 0, type_: ScalarType = F32) -> LoopNest:
    """A vector loop over i below n that steps by `step`."""
    around = replace(loop("i", first, n, Block(body), VECTOR), step=step)
    arrays = tuple(ArraySpec(name, type_, (5 * n + 8,)) for name in ("x", "y", "z"))
    return LoopNest("spread", ("n",), arrays, around)


def copied(stride: int, type_: ScalarType = F32) -> LoopNest:
    """x[s * i] += y[s * i + 1]"""
    target = read("x", stride * i, type_=type_)
    return nest(compute("S", target, binary("+", target, read("y", stride * i + 1, type_=type_))), type_=type_)


@pytest.mark.parametrize("stride", [2, 3, 4, 5])
@pytest.mark.parametrize("type_", [F32, F64, I32, I8])
def test_what_lies_between_stays(stride: int, type_: ScalarType) -> None:
    for size in SIZES:
        check(copied(stride, type_), {"n": size})


def place(address: v.Address) -> int:
    """The first element, in the loop's first iteration."""
    return address.subscripts[-1].constant


def test_vectors_end_with_the_last_element_that_is_wanted() -> None:
    """Two vectors of 16 for every second of 31 elements; four for every fourth of 61."""
    for stride, starts in ((2, [1, 16]), (3, [1, 17, 31]), (4, [1, 17, 33, 46]), (5, [1, 17, 33, 49, 61])):
        body = loops(plan(copied(stride), AVX512), "i")[0].body
        assert [place(load.address) for load in loads(body, "y")] == starts
        assert {load.address.lane_strides for load in loads(body, "y")} == {(1,)}
        assert [place(store.address) + 1 for store in stores(body, "x")] == starts
        assert all(store.where is not None for store in stores(body, "x"))
    assert loops(plan(copied(9), AVX512), "i")[0].step == 1


def complex_product(type_: ScalarType) -> LoopNest:
    def part(sign: str, first: tuple[int, int], second: tuple[int, int]) -> e.Expression:
        y, z = ([read(name, 2 * i + k, type_=type_) for k in (0, 1)] for name in ("y", "z"))
        one, other = (binary("*", y[a], z[b]) for a, b in (first, second))
        return binary(sign, one, other)

    real = compute("S", read("x", 2 * i, type_=type_), part("-", (0, 0), (1, 1)))
    return nest(real, compute("T", read("x", 2 * i + 1, type_=type_), part("+", (0, 1), (1, 0))), type_=type_)


def test_pairs_share_their_vectors_and_need_no_masks() -> None:
    body = loops(plan(complex_product(F32), AVX512), "i")[0].body
    assert [len(loads(body, name)) for name in ("y", "z")] == [2, 2]
    assert [store.where for store in stores(body, "x")] == [None, None]
    assert len(operations(body, v.Shuffle)) == 6
    for type_ in (F32, F64):
        for size in SIZES:
            check(complex_product(type_), {"n": size})


@pytest.mark.parametrize("type_", [F32, I8])
def test_what_is_changed_in_place_is_loaded_and_stored_whole(type_: ScalarType) -> None:
    """x[4i + k] += y[4i + k] for k in 0..3: none of the loads waits for stores of other elements."""

    def part(k: int) -> Compute:
        target = read("x", 4 * i + k, type_=type_)
        return compute(f"S{k}", target, binary("+", target, read("y", 4 * i + k, type_=type_)))

    found = nest(*map(part, range(4)), type_=type_)
    body = loops(plan(found, AVX512), "i")[0].body
    assert [len(loads(body, name)) for name in ("x", "y")] == [4, 4]
    assert [store.where for store in stores(body, "x")] == [None] * 4
    for size in SIZES:
        check(found, {"n": size})


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("type_", [F32, F64, I32, I8])
def test_fourths_are_sorted_within_vectors_first(count: int, type_: ScalarType) -> None:
    """x[4i + k] = y[4i + 1 + k] + y[4i + 4 - k]; one shuffle of a vector each, then pieces of two vectors at a time."""

    def part(k: int) -> Compute:
        near, far = (read("y", 4 * i + place, type_=type_) for place in (1 + k, count - k))
        return compute(f"S{k}", read("x", 4 * i + k, type_=type_), binary("+", near, far))

    found = nest(*map(part, range(count)), type_=type_)
    if count == 4:
        shuffles = operations(loops(plan(found, AVX2), "i")[0].body, v.Shuffle)
        alone = sum(isinstance(x, v.Shuffle) and x.operands[0] == x.operands[1] for x in shuffles)
        assert (len(shuffles), alone) == ((16, 0) if type_ is F64 else (20, 4))
    for size in SIZES:
        check(found, {"n": size})


@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_bytes_with_others_between_are_computed_in_lanes_where_that_is_worth_it(target: Target) -> None:
    """x[4i] = y[4i] ^ .. : without masks for bytes, each lane is stored by itself."""
    near = read("y", 4 * i, type_=I8)
    value: e.Expression = near
    lanes = []
    for k in range(1, 5):
        value = binary("^", value, binary("+", near, read("z", i + k, type_=I8)))
        found = nest(compute("S", read("x", 4 * i, type_=I8), value), type_=I8)
        lanes.append(loops(plan(found, target), "i")[0].step)
        for size in SIZES:
            check(found, {"n": size})
    assert lanes == ([64] * 4 if target is AVX512 else [1, 32, 32, 32])


def test_no_load_moves_over_a_store_to_its_elements() -> None:
    """The third reads what the first one stores, in other lanes; the second what nobody stores before it."""
    x = [read("x", 2 * i + k, type_=F32) for k in range(4)]
    first = compute("S", x[0], read("y", 2 * i, type_=F32))
    second = compute("T", x[1], binary("+", x[1], x[1]))
    third = compute("U", read("z", i, type_=F32), binary("+", x[0], x[1]))
    for size in SIZES:
        check(nest(first, second, third), {"n": size})
        check(nest(second, first, third, second), {"n": size})


@pytest.mark.parametrize("step", [2, 3, 4, 7, 9])
def test_loops_that_step_by_more_than_one(step: int) -> None:
    """a[i] = a[i - 1] + b[i], where the loop leaves out whatever that would wait for."""
    value = binary("+", read("x", i - 1, type_=F32), read("y", i, type_=F32))
    found = nest(compute("S", read("x", i, type_=F32), value), step=step, first=1)
    for size in (1, 2, *SIZES):
        check(found, {"n": size})
    assert (loops(plan(found, AVX512), "i")[0].step == 16) == (step <= 8)


def checkered(type_: ScalarType = F64) -> LoopNest:
    """x[m][i] += x[m + 1][i] * y[i - 1] for every second i, the first of them odd in even rows."""
    odd = m - (m // 2) * 2
    target, below = read("x", m, i, type_=type_), read("x", m + 1, i, type_=type_)
    value = binary("+", target, binary("*", below, read("y", i - 1, type_=type_)))
    columns = replace(loop("i", odd + 1, n, Block((compute("S", target, value),)), VECTOR), step=2)
    arrays = (ArraySpec("x", type_, (affine(6), n + 2)), ArraySpec("y", type_, (n + 2,)))
    return LoopNest("checkered", ("n",), arrays, loop("m", 0, 5, columns))


@pytest.mark.parametrize("type_", [F32, F64])
def test_loops_whose_first_iteration_is_a_remainder(type_: ScalarType) -> None:
    """Of two colours of points, as Gauss and Seidel's method takes them in turn."""
    for size in SIZES:
        check(checkered(type_), {"n": size})
    assert [x.step for x in loops(plan(checkered(type_), AVX512), "i")] == [512 // type_.bits]


def test_bounds_that_are_the_least_of_several() -> None:
    target = read("x", i, type_=F32)
    body = compute("S", target, binary("+", target, read("y", i + 1, type_=F32)))
    around = replace(loop("i", 3, minimum(n, 2 * n - 9), body, VECTOR), step=2)
    for size in (3, 5, 11, 20, 53):
        check(replace(copied(1), body=around), {"n": size})


def test_what_is_stored_in_between_is_loaded_again() -> None:
    """x[2i + 1] takes what x[2i + 2] was, and x[2i] what is now beside it: no load moves over a store."""
    first = compute("S", read("x", 2 * i + 1, type_=F32), read("x", 2 * i + 2, type_=F32))
    again = compute("T", read("x", 2 * i, type_=F32), read("x", 2 * i + 1, type_=F32))
    # As lanes statement by statement: what the first stores, the second one loads.
    for size in SIZES:
        check(nest(first, again), {"n": size})


def test_stores_under_conditions_of_data() -> None:
    target, y = read("x", 2 * i, type_=F32), read("y", i, type_=F32)
    chosen = e.Select(e.Comparison(">", y, e.Literal(0.0, F32)), y, target, F32)
    for size in SIZES:
        check(nest(Compute("S", target.access, chosen, conditional=True)), {"n": size})


def test_stores_to_several_rows_interleave() -> None:
    """x[2m][2i + k] and x[2m + 1][2i + k], a row and the next in turn, as prolongation to a finer grid does."""
    parts = [
        compute(f"S{row}{k}", read("x", 2 * m + row, 2 * i + k, type_=F64), read("y", m + row, i + k, type_=F64))
        for k in (0, 1)
        for row in (0, 1)
    ]
    arrays = (ArraySpec("x", F64, (affine(10), 2 * n + 4)), ArraySpec("y", F64, (affine(10), n + 4)))
    found = LoopNest("finer", ("n",), arrays, loop("m", 0, 4, loop("i", 0, n, Block(tuple(parts)), VECTOR)))
    for target in (AVX2, AVX512):
        body = loops(plan(found, target), "i")[0].body
        assert len(stores(body, "x")) == 4
        assert {(store.address.lane_strides, store.where) for store in stores(body, "x")} == {((0, 1), None)}
    for size in SIZES:
        check(found, {"n": size})


@pytest.mark.parametrize("between", [2 * n - 2 * i - 2, 2 * n - 2 * i - 1])
def test_no_store_moves_over_one_that_may_meet_it(between: Affine) -> None:
    """x[2i], something elsewhere in x, x[2i + 1]."""
    first = compute("S", read("x", 2 * i, type_=F64), read("y", i, type_=F64))
    other = compute("T", read("x", between, type_=F64), read("z", i, type_=F64))
    last = compute("U", read("x", 2 * i + 1, type_=F64), read("y", i + 1, type_=F64))
    # In the order of the loop as it stands: no two of its iterations are independent.
    ordered = replace(nest(type_=F64), body=loop("i", 0, n, Block((first, other, last))))
    found = nest(first, compute("T", read("x", 2 * i, type_=F64), read("z", i, type_=F64)), last, type_=F64)
    for size in SIZES:
        check(ordered, {"n": size})
        check(found, {"n": size})


def test_conditional_stores_are_no_part_of_others() -> None:
    """x[2i] under a condition, x[2i + 1] without: the first one keeps its mask."""
    y = read("y", i, type_=F64)
    chosen = e.Select(e.Comparison(">", y, e.Literal(0.0, F64)), y, read("x", 2 * i, type_=F64), F64)
    first = Compute("S", read("x", 2 * i, type_=F64).access, chosen, conditional=True)
    second = compute("T", read("x", 2 * i + 1, type_=F64), y)
    for order in ((first, second), (second, first)):
        found = stores(loops(plan(nest(*order, type_=F64), AVX512), "i")[0].body, "x")
        assert len(found) == 4
        assert all(store.where is not None for store in found)
        for size in SIZES:
            check(nest(*order, type_=F64), {"n": size})


# --- Where the elements lie -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", [F32, F64])
def test_every_second_element_is_computed_where_it_lies(type_: ScalarType) -> None:
    """No shuffles of what is loaded: four vectors of either array, and a store for every element."""
    body = loops(plan(checkered(type_), AVX2), "i")[0].body
    assert operations(body, v.Shuffle) == []
    assert [len(loads(body, name)) for name in ("x", "y")] == [4, 2]
    assert len(stores(body, "x")) == 256 // type_.bits
    assert {store.value.type.lanes for store in stores(body, "x")} == {1}


def test_what_is_computed_in_between_is_defined() -> None:
    """Neither integers, which might overflow there, nor quotients, nor what something else needs, too."""
    x, y = read("x", 2 * i, type_=I32), read("y", 2 * i, type_=I32)
    whole = [nest(compute("S", x, binary("+", x, y)), type_=I32)]
    real, other = read("x", 2 * i, type_=F64), read("y", 2 * i, type_=F64)
    whole.append(nest(compute("S", real, binary("/", real, other)), type_=F64))
    total = binary("+", real, other)
    whole.append(nest(compute("S", real, total), compute("T", read("z", i, type_=F64), total), type_=F64))
    for found in whole:
        assert operations(loops(plan(found, AVX2), "i")[0].body, v.Shuffle)
        for size in SIZES:
            check(found, {"n": size})


def test_nothing_is_touched_behind_the_last_element() -> None:
    """The second of two vectors ends with it."""
    for target in (AVX2, AVX512):
        found = copied(2, F64)
        lanes = target.vector_bits // 64
        body = loops(plan(found, target), "i")[0].body
        assert {place(load.address) for load in loads(body, "x")} == {0, lanes - 1}
        assert {place(load.address) for load in loads(body, "y")} == {1, lanes}


@pytest.mark.parametrize("type_", [I8, ScalarType("uint", 16), I32])
@pytest.mark.parametrize("target", ["avx2", "sse", "avx512"])
def test_stores_that_leave_none_out_need_no_masks_of_their_type(type_: ScalarType, target: str) -> None:
    """Two kinds of elements from each one, as the digits of a byte are; without one of them, lanes would need masks."""

    def split(*places: int) -> LoopNest:
        y, z = read("y", i, type_=type_), read("z", i, type_=type_)
        values = (y, binary("^", y, z), binary("&", y, z))
        computes = (compute(f"S{k}", read("x", 3 * i + k, type_=type_), values[k]) for k in places)
        return nest(*computes, type_=type_)

    whole = plan(split(0, 2, 1), shown_target(target))
    lanes = loops(whole, "i")[0]
    assert lanes.step > 1
    assert [(store.where, store.address.lane_strides) for store in stores(lanes.body, "x")] == [(None, (1,))] * 3
    for size in SIZES:
        check(split(0, 2, 1), {"n": size})
        check(split(0, 2), {"n": size})
    if type_.bits < 32 and target != "avx512":
        assert loops(plan(split(0, 2), shown_target(target)), "i")[0].step == 1
