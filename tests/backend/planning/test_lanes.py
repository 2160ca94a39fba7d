"""Vector loops: lanes, masks, lazy operands, gathers, reductions, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine, at_least, minimum
from polyloop.backend.ir.expressions import F32, F64, I8, I16, I32, I64, Expression, ScalarType
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, LoopNest, Node, Storage
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Operation
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.planning.vectors import Options
from polyloop.backend.run.kernel import compile_program
from tests.backend.planning.nests import (
    UNROLLED,
    VECTOR,
    binary,
    check,
    compute,
    i,
    j,
    k,
    loop,
    m,
    n,
    read,
    run,
    sample,
    update,
)
from tests.backend.planning.programs import flat, loads, loops, operations, stores

AVX512, AVX2, SSE = (shown_target(name) for name in ("avx512", "avx2", "sse"))


def row(value: Expression, *arrays: ArraySpec, type_: ScalarType = F64) -> LoopNest:
    """VECTOR i: y[i] = value."""
    specs = (ArraySpec("y", type_, (n,)), *arrays)
    return LoopNest("row", ("n",), specs, loop("i", 0, n, compute("S", read("y", i, type_=type_), value), VECTOR))


X = ArraySpec("x", F64, (n,), read_only=True)
WIDE = ArraySpec("w", F64, (5 * n + 2,), read_only=True)
INTS = ArraySpec("q", I32, (n,), read_only=True)


def widths(program: v.VectorProgram) -> set[int]:
    return {s.value.type.lanes for s in stores(program.body, "y")}


def test_a_row_is_full_vectors_and_one_masked() -> None:
    program = plan(row(binary("*", read("x", i), read("x", i)), X), AVX512)
    (main,) = loops(program, "i")
    assert main.step == 8
    assert [s.active is None for s in stores(program.body, "y")] == [True, False]
    assert widths(program) == {8}
    for size in (0, 1, 7, 8, 9, 24, 31):
        check(row(binary("*", read("x", i), read("x", i)), X), {"n": size})


@pytest.mark.parametrize(("trips", "lanes"), [(24, [8, 8, 8]), (12, [8, 4]), (4, [4]), (11, [8, 4]), (1, [1])])
def test_constant_trip_counts_are_blocks(trips: int, lanes: list[int]) -> None:
    body = compute("S", read("y", i), read("x", i))
    arrays = (ArraySpec("y", F64, (affine(trips),)), ArraySpec("x", F64, (affine(trips),)))
    nest = LoopNest("row", (), arrays, loop("i", 0, trips, body, VECTOR))
    program = plan(nest, AVX512)
    assert not loops(program, "i")
    assert [s.value.type.lanes for s in stores(program.body, "y")] == lanes
    check(nest, {})


def test_reversed_and_invariant_reads() -> None:
    value = binary("+", read("x", n - 1 - i), binary("*", read("x", i), e.Literal(0.3, F64)))
    program = plan(row(value, X), AVX512)
    assert {load.address.lane_strides for load in loads(program.body, "x")} == {(1,), (-1,)}
    check(row(value, X), {"n": 21})


def test_types_of_several_widths_share_the_lanes_of_the_widest() -> None:
    value = binary("*", e.Cast(read("q", i, type_=I32), F64), e.Cast(read("b", i, type_=I8), F64))
    nest = row(value, INTS, ArraySpec("b", I8, (n,)))
    assert widths(plan(nest, AVX512)) == {8}
    check(nest, {"n": 29})
    single = row(binary("+", read("f", i, type_=F32), read("f", i, type_=F32)), ArraySpec("f", F32, (n,)), type_=F32)
    assert widths(plan(single, AVX512)) == {16}


def test_gathers_only_where_they_are_few() -> None:
    alone = row(read("w", 5 * i), WIDE)
    assert widths(plan(alone, AVX512)) == {1}
    company = row(binary("+", read("w", 5 * i), binary("*", read("x", i), read("x", n - 1 - i))), WIDE, X)
    assert widths(plan(company, AVX512)) == {8}
    assert widths(plan(alone, AVX512, options=Options(gathers=1.0))) == {8}
    check(company, {"n": 19})


@pytest.mark.parametrize(("type_", "waits"), [(F64, True), (I32, False)])
def test_sums_gather_rather_than_wait(type_: ScalarType, waits: bool) -> None:
    """s += w[9 * i]: additions of floats take turns in a chain, those of integers need not be waited for."""
    arrays = (ArraySpec("s", type_, ()), ArraySpec("w", type_, (9 * n + 2,), read_only=True))
    total = read("s", type_=type_)
    body = compute("S", total, binary("+", total, read("w", 9 * i, type_=type_)))
    nest = LoopNest("total", ("n",), arrays, loop("i", 0, n, body, VECTOR))
    assert any(load.type.lanes > 1 for load in loads(plan(nest, AVX512, reassociate=True).body, "w")) is waits
    assert {load.type.lanes for load in loads(plan(nest, AVX512).body, "w")} == {1}


def test_a_gather_that_rows_share_is_cheap() -> None:
    """C[i][j] += A[i][k] * B[j][k]: one gather of B for all the rows of a tile."""
    body = update(read("C", i, j), read("A", i, k), read("B", j, k))
    nest = loop("k", 0, m, loop("i", 0, 8, loop("j", 0, 16, body, VECTOR), UNROLLED))
    arrays = (
        ArraySpec("A", F64, (affine(8), m)),
        ArraySpec("B", F64, (affine(16), m)),
        ArraySpec("C", F64, (affine(8), affine(16))),
    )
    product = LoopNest("product", ("m",), arrays, nest)
    whole, rest = loops(plan(product, AVX512), "k")
    assert len(whole.carried) == len(rest.carried) == 16
    assert {load.address.lane_strides for load in loads(whole.body, "B")} == {(0, 1)}  # four steps at a time, turned
    assert [load.address.lane_strides for load in loads(rest.body, "B")] == [(1, 0), (1, 0)]
    check(product, {"m": 9})


def test_scatters_are_refused() -> None:
    arrays = (ArraySpec("y", F64, (5 * n,)), X)
    nest = LoopNest("scatter", ("n",), arrays, loop("i", 0, n, compute("S", read("y", 5 * i), read("x", i)), VECTOR))
    assert widths(plan(nest, AVX512)) == {1}
    check(nest, {"n": 13})


def select(condition: Expression, then: Expression, otherwise: Expression) -> e.Select:
    return e.Select(condition, then, otherwise, then.type)


def test_maxima_are_operations() -> None:
    x, z = read("x", i), read("z", i)
    nest = row(select(e.Comparison(">", x, z), x, z), X, ArraySpec("z", F64, (n,)))
    program = plan(nest, AVX512)
    kinds = {o.operator for o in operations(program.body, v.Arithmetic) if isinstance(o, v.Arithmetic)}
    assert kinds == {"max"}
    check(nest, {"n": 21})


def test_lazy_operands_in_lanes_need_a_proof_or_a_mask() -> None:
    inside = row(select(e.Comparison(">", read("x", i), e.Literal(0.0, F64)), read("w", i + 2), read("x", i)), X, WIDE)
    assert widths(plan(inside, AVX512)) == {8}
    check(inside, {"n": 21})
    # w has 5 n + 2 elements: element 7 i exists only for some i.
    unknown = row(
        select(e.Comparison("<", e.Index(i, I32), e.Literal(9, I32)), read("w", 7 * i), read("x", i)), X, WIDE
    )
    program = plan(unknown, AVX512, options=Options(gathers=9.0))
    assert widths(program) == {8}
    assert all(load.where is not None for load in loads(program.body, "w"))
    program = plan(unknown, AVX2, options=Options(gathers=9.0))
    assert widths(program) == {1}
    assert operations(program.body, v.LazyPick)
    check(unknown, {"n": 21})


@pytest.mark.parametrize(("type_", "low", "high"), [(I32, -5, 9), (F64, -0.5, 0.5)])
def test_both_ends_of_a_range_are_a_minimum_and_a_maximum(type_: ScalarType, low: float, high: float) -> None:
    x, first, last = read("q", i, type_=type_), e.Literal(low, type_), e.Literal(high, type_)
    inner, outer = select(e.Comparison("<", x, first), first, x), select(e.Comparison(">", x, last), last, x)
    arrays = ArraySpec("q", type_, (n,), read_only=True)
    for value in (select(e.Comparison(">", x, last), last, inner), select(e.Comparison("<", x, first), first, outer)):
        nest = row(value, arrays, type_=type_)
        names = [o.operator for o in operations(plan(nest, AVX512).body, v.Arithmetic) if isinstance(o, v.Arithmetic)]
        assert set(names) == {"min", "max"}
        assert not operations(plan(nest, AVX512).body, v.Pick)
        check(nest, {"n": 37})
    wrong = select(e.Comparison(">", x, first), first, select(e.Comparison("<", x, last), last, x))
    assert operations(plan(row(wrong, arrays, type_=type_), AVX512).body, v.Pick)
    check(row(wrong, arrays, type_=type_), {"n": 37})


def test_what_lies_between_elements_that_are_read_anyway_needs_no_mask() -> None:
    arrays = (ArraySpec("y", F64, (None,)), ArraySpec("x", F64, (None,), read_only=True))
    ends = binary("+", read("x", i - 1), read("x", i + 1))
    for place, masked in ((i, False), (i + 2, True), (i - 2, True)):
        value = select(e.Comparison(">", ends, e.Literal(0.0, F64)), read("x", place), ends)
        program = plan(
            LoopNest("r", ("n",), arrays, loop("i", 2, n, compute("S", read("y", i), value), VECTOR)), AVX512
        )
        assert any(load.where is not None for load in loads(program.body, "x")) == masked


@pytest.mark.parametrize("target", [AVX512, AVX2, SSE])
def test_what_c_reads_anyway_needs_no_mask(target: Target) -> None:
    arrays = (ArraySpec("y", I16, (None,)), ArraySpec("x", I16, (None,), read_only=True))
    x, left, right = (read("x", place, type_=I16) for place in (i, i - 2, i + 2))
    taken, zero = e.Comparison(">", left, right), e.Literal(0, I16)
    for value, masked in (
        (e.Select(e.Logical("&&", x, taken), left, zero, I16), True),
        (e.Select(e.Logical("&&", x, taken, eager=True), left, zero, I16), False),
        (e.Select(x, left, right, I16), True),
        (e.Select(x, left, right, I16, eager=True), False),
        (e.Select(x, binary("+", left, right), binary("-", left, right), I16), False),  # both sides read both
    ):
        around = loop("i", 2, n, compute("S", read("y", i, type_=I16), value), VECTOR)
        program = plan(LoopNest("r", ("n",), arrays, around), target)
        whole = loops(program, "i")[0].body
        assert any(load.where is not None for load in loads(whole, "x")) == masked


def test_what_a_masked_store_has_written_is_not_loaded() -> None:
    old, limit = read("y", i), e.Literal(0.0, F64)
    first = where(e.Comparison(">", read("x", i), limit), old, binary("+", old, old))
    last = compute("T", read("z", i), binary("+", old, read("x", i)))
    arrays = (ArraySpec("y", F64, (n,)), X, ArraySpec("w", F64, (n,)), ArraySpec("z", F64, (n,)))
    before = compute("R", read("w", i), old)
    nest = LoopNest("r", ("n",), arrays, loop("i", 0, n, Block((before, first, last)), VECTOR))
    program = plan(nest, AVX512)
    full = next(s for s in flat(program.body) if isinstance(s, v.For))
    assert len(loads(full.body, "y")) == 1
    check(nest, {"n": 21})


def where(condition: Expression, target: e.Read, value: Expression) -> Compute:
    """if (condition) target = value."""
    return Compute("S", target.access, select(condition, value, target), conditional=True)


MASKED = [(AVX512, F64, 8), (AVX2, F64, 4), (AVX2, I8, 4), (SSE, F64, 2), (SSE, I32, 2), (shown_target("neon"), I8, 2)]


@pytest.mark.parametrize(("target", "type_", "lanes"), MASKED)
def test_stores_under_a_condition_are_masked(target: Target, type_: ScalarType, lanes: int) -> None:
    """Also where no instruction has masks: lane by lane, then."""
    positive = e.Comparison(">", read("x", i), e.Literal(0.0, F64))
    old = read("y", i, type_=type_)
    nest = row(old, X, ArraySpec("w", type_, (None,), read_only=True), type_=type_)
    body = where(positive, old, binary("+", old, read("w", i, type_=type_)))
    nest = replace(nest, body=loop("i", 0, n, body, VECTOR))
    program = plan(nest, target)
    assert widths(program) == {lanes}
    assert all(s.where is not None for s in stores(program.body, "y"))
    for array in ("w", "y"):  # what the condition reads is read anyway, these two only where it holds
        assert all(load.where is not None for load in loads(program.body, array))
    assert all(load.where is None for load in loads(program.body, "x"))
    branches = [s for s in flat(program.body) if isinstance(s, v.When)]  # around what masks store
    assert bool(branches) == (not target.masks)
    for size in (0, 1, 7, 16, 61):
        check(replace(nest, arrays=tuple(replace(array, shape=(n,)) for array in nest.arrays)), {"n": size})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("+", binary("+", read("t", 0, type_=I32), read("q", i, type_=I32))),
        ("^", binary("^", read("t", 0, type_=I32), read("q", i, type_=I32))),
        ("max", read("q", i, type_=I32)),
    ],
)
@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_a_cell_that_lanes_fold_into_under_a_condition(target: Target, name: str, value: Expression) -> None:
    """It is stored to only if something was folded in."""
    cell, number = read("t", 0, type_=I32), read("q", i, type_=I32)
    condition = e.Comparison(">", number, cell if name == "max" else e.Literal(3, I32))
    body = loop("i", 0, n, where(condition, cell, value), VECTOR)
    nest = LoopNest("cell", ("n",), (INTS, ArraySpec("t", I32, (None,))), body)
    program = plan(nest, target)
    (branch,) = (s for s in flat(program.body) if isinstance(s, v.When))
    assert len(stores(program.body, "t")) == len(stores(branch.body, "t")) == 1
    assert operations(program.body, v.Horizontal)
    assert (len(loads(program.body, "t")) > len(loads(branch.body, "t"))) == (name == "max")
    sizes = {"n": 0}, {"n": 1}, {"n": 5}, {"n": 37}, {"n": 200}
    for size in sizes:
        arrays = {"q": np.arange(size["n"], dtype=np.int32) % 7, "t": np.array([2, 9], np.int32)}
        expected = {name: array.copy() for name, array in arrays.items()}
        interpret(nest, size, expected)
        compile_program(plan(nest, host_target()))(**size, **arrays)
        assert np.array_equal(arrays["t"], expected["t"])


def test_a_condition_that_all_lanes_share_is_a_branch_around_them() -> None:
    positive = e.Comparison(">", read("x", i), e.Literal(0.0, F64))
    old = read("y", i, j)
    body = loop("i", 0, n, loop("j", 0, n, where(positive, old, binary("*", old, read("w", j))), VECTOR))
    nest = LoopNest("rows", ("n",), (ArraySpec("y", F64, (n, n)), X, WIDE), body)
    program = plan(nest, AVX512)
    (branch,) = (s for s in flat(program.body) if isinstance(s, v.When))
    assert [s.step for s in flat(branch.body) if isinstance(s, v.For)] == [8]
    assert stores(branch.body, "y") == stores(program.body, "y")
    assert all(s.where is None for s in stores(program.body, "y"))
    for size in (0, 1, 7, 19):
        check(nest, {"n": size})


@pytest.mark.parametrize("nested", [False, True])
def test_what_lanes_share_of_a_condition_is_a_branch_and_the_rest_a_mask(nested: bool) -> None:
    zero, old = e.Literal(0.0, F64), read("y", i, j)
    shared, other = e.Comparison(">", read("x", i), zero), e.Comparison("!=", read("x", i + 1), zero)
    own = e.Comparison("<", read("w", j), old)
    if nested:
        condition = e.Logical("&&", shared, e.Logical("&&", other, own))
    else:
        condition = e.Logical("&&", e.Logical("&&", shared, other), own)
    arrays = tuple(
        ArraySpec(name, F64, (None,) * rank, read_only=name != "y") for name, rank in (("x", 1), ("y", 2), ("w", 1))
    )
    arrays = (replace(arrays[0], shape=(n + 1,)), replace(arrays[1], shape=(n, n)), replace(arrays[2], shape=(n,)))
    inner = loop("j", 0, n, where(condition, old, binary("+", read("w", j), e.Literal(1.0, F64))), VECTOR)
    nest = LoopNest("rows", ("n",), arrays, loop("i", 0, n, inner))
    for target in (AVX512, AVX2):
        program = plan(nest, target)
        branches = [s for s in flat(program.body) if isinstance(s, v.When)]
        assert branches
        masked = [s for s in flat(program.body) if isinstance(s, v.Store)]
        assert masked
        assert all(s.where is not None for s in masked)
        # C reads the columns wherever the branch is taken.
        assert all(load.where is None for array in ("w", "y") for load in loads(program.body, array))
    for size in (0, 1, 7, 19):
        check(nest, {"n": size})


def test_one_branch_for_statements_under_one_condition() -> None:
    positive = e.Comparison(">", read("x", i), e.Literal(0.0, F64))
    both = Block((where(positive, read("y", i), read("w", i)), where(positive, read("z", i), read("y", i))))
    nest = LoopNest(
        "both", ("n",), (ArraySpec("y", F64, (n,)), ArraySpec("z", F64, (n,)), X, WIDE), loop("i", 0, n, both)
    )
    program = plan(nest, AVX512)
    (branch,) = (s for s in flat(program.body) if isinstance(s, v.When))
    assert len(stores(branch.body, "y")) == len(stores(branch.body, "z")) == 1
    assert not loads(branch.body, "y")  # the value that was stored is at hand
    check(nest, {"n": 9})


def test_division_of_long_integers_is_not_masked() -> None:
    """Shorter ones are divided as floating-point numbers."""
    longs = replace(INTS, type=I64)
    quotient = binary("/", read("q", i, type_=I64), read("q", n - 1 - i, type_=I64))
    nest = row(quotient, longs, type_=I64)
    program = plan(nest, AVX512)
    assert [s.active for s in stores(program.body, "y")] == [None, None]
    assert widths(program) == {8, 1}
    check(nest, {"n": 37})
    guarded = select(e.Comparison(">", read("q", i, type_=I64), e.Literal(3, I64)), quotient, e.Literal(0, I64))
    assert widths(plan(row(guarded, longs, type_=I64), AVX512)) == {1}
    check(row(guarded, longs, type_=I64), {"n": 37})


def test_a_condition_on_the_lane_becomes_a_bound() -> None:
    body = Guard(at_least(i, 3), compute("S", read("y", i), read("x", i)))
    nest = LoopNest("late", ("n",), (ArraySpec("y", F64, (n,)), X), loop("i", 0, n, body, VECTOR))
    program = plan(nest, AVX512)
    assert widths(program) == {8}
    check(nest, {"n": 20})


def test_a_loop_inside_a_vector_loop_runs_in_lanes() -> None:
    """Column recurrences: x[k][i] depends on x[k-1][i]; all columns at once."""
    body = compute("S", read("x", k, i), binary("+", binary("*", read("x", k - 1, i), read("a", k)), read("x", k, i)))
    arrays = (ArraySpec("x", F64, (m, n)), ArraySpec("a", F64, (m,)))
    nest = LoopNest("columns", ("n", "m"), arrays, loop("i", 0, n, loop("k", 1, m, body), VECTOR))
    program = plan(nest, AVX512)
    assert {s.value.type.lanes for s in stores(program.body, "x")} == {8}
    check(nest, {"n": 19, "m": 7})


def dot(operator: str = "+") -> LoopNest:
    arrays = (ArraySpec("s", F64, ()), X, ArraySpec("z", F64, (n,)))
    return LoopNest(
        "dot", ("n",), arrays, loop("i", 0, n, update(read("s"), read("x", i), read("z", i), operator), VECTOR)
    )


def test_reductions_keep_their_order_unless_permitted() -> None:
    ordered = plan(dot(), AVX512)
    assert not operations(ordered.body, v.Horizontal)
    (chain,) = loops(ordered, "i")
    assert [c.type.lanes for c in chain.carried] == [1]
    check(dot(), {"n": 50})
    free = plan(dot(), AVX512, reassociate=True)
    assert [o.operator for o in operations(free.body, v.Horizontal) if isinstance(o, v.Horizontal)] == ["+"]
    (main,) = loops(free, "i")
    assert [c.type.lanes for c in main.carried] == [32]


@pytest.mark.parametrize("operator", ["+", "-"])
@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 200])
def test_reassociated_sums_are_close(operator: str, size: int) -> None:
    nest = dot(operator)
    found = run(plan(nest, host_target(), reassociate=True), nest, {"n": size})
    expected = run(scalar_program(nest), nest, {"n": size})
    np.testing.assert_allclose(found["s"], expected["s"], rtol=1e-13, atol=1e-14)


def test_sums_whose_cell_moves_with_a_loop_around_unrolled_ones_stay_in_order() -> None:
    pairs = loop("i", 2 * k, 2 * k + 2, update(read("y", i), read("z", i), read("x", j)), UNROLLED)
    nest = LoopNest(
        "moving",
        ("n",),
        (ArraySpec("y", F64, (affine(8),)), ArraySpec("z", F64, (affine(8),), read_only=True), X),
        loop("j", 0, n, loop("k", 0, 4, pairs), VECTOR),
    )
    for size in (0, 5, 32, 71):
        check(nest, {"n": size}, plan(nest, host_target(), reassociate=True))


def test_reassociated_maxima_are_equal() -> None:
    s, x = read("s"), read("x", i)
    body = compute("S", s, select(e.Comparison(">", s, x), s, x))
    nest = LoopNest("greatest", ("n",), (ArraySpec("s", F64, ()), X), loop("i", 0, n, body, VECTOR))
    program = plan(nest, host_target(), reassociate=True)
    assert operations(program.body, v.Horizontal)
    for size in (0, 5, 32, 71):
        assert run(program, nest, {"n": size})["s"] == max(
            [sample(nest, {"n": size})["s"], *sample(nest, {"n": size})["x"]]
        )


def test_a_local_scalar_lives_in_a_value() -> None:
    local = ArraySpec("t", F64, (), Storage.LOCAL)
    body: Node = Block(
        (
            compute("S", read("t"), binary("*", read("x", i), read("x", i))),
            compute("T", read("y", i), binary("+", read("t"), read("t"))),
        )
    )
    nest = LoopNest("local", ("n",), (ArraySpec("y", F64, (n,)), X, local), loop("i", 0, n, body))
    program = plan(nest, AVX512)
    assert not loads(program.body, "t")
    assert not stores(program.body, "t")
    check(nest, {"n": 9})


def test_a_stencil_loads_no_neighbour_twice() -> None:
    """Two unrolled rows of y[i][j] = x[i-1][j] + x[i][j] + x[i+1][j] need four rows of x."""
    total = binary("+", binary("+", read("x", i - 1, j), read("x", i, j)), read("x", i + 1, j))
    nest = loop("i", 1, 3, loop("j", 0, 8, compute("S", read("y", i, j), total), VECTOR), UNROLLED)
    shape = (affine(4), affine(8))
    program = plan(LoopNest("stencil", (), (ArraySpec("x", F64, shape), ArraySpec("y", F64, shape)), nest), AVX512)
    assert len(loads(program.body, "x")) == 4


def test_a_store_that_may_meet_a_load_is_not_passed() -> None:
    """y[k] is stored between two loads of y[j]: the second load stays."""
    y = ArraySpec("y", F64, (n,))
    body = Block(
        (
            compute("S", read("z", j), read("y", j)),
            compute("T", read("y", k), e.Literal(2.0, F64)),
            compute("U", read("w", j), read("y", j)),
        )
    )
    arrays = (y, ArraySpec("z", F64, (n,)), ArraySpec("w", F64, (n,)))
    nest = LoopNest("between", ("n",), arrays, loop("j", 0, n, loop("k", 0, n, body)))
    (inner,) = loops(plan(nest, AVX512), "k")
    assert len(loads(inner.body, "y")) == 2
    check(nest, {"n": 6})


def test_the_scalar_program_is_the_nest() -> None:
    nest = row(binary("*", read("x", i), read("x", i)), X)
    program = scalar_program(nest)
    assert program.auto_vectorize
    (only,) = loops(program, "i")
    assert (only.step, only.carried) == (1, ())
    assert {s.value.type.lanes for s in flat(program.body) if isinstance(s, v.Store)} == {1}


def recurrence(offset: int, *more: Node) -> LoopNest:
    """x[i] = x[i - offset] * z[i] + .."""
    body = Block((update(read("x", i), read("x", i - offset), read("z", i)), *more))
    arrays = (ArraySpec("x", F64, (n + 8,)), ArraySpec("z", F64, (n,)))
    return LoopNest("recurrence", ("n",), arrays, loop("i", 2, n, body))


def test_a_recurrence_is_carried() -> None:
    (chain,) = loops(plan(recurrence(1), AVX512), "i")
    assert len(chain.carried) == 1
    assert [load.address.subscripts for load in loads(chain.body, "x")] == [(i,)]
    check(recurrence(1), {"n": 11})
    check(recurrence(1), {"n": 2})


def test_a_recurrence_over_two_iterations_stays_in_memory() -> None:
    (chain,) = loops(plan(recurrence(2), AVX512), "i")
    assert not chain.carried
    check(recurrence(2), {"n": 11})


def test_a_recurrence_that_another_store_disturbs_stays_in_memory() -> None:
    disturbed = recurrence(1, compute("T", read("x", n - i), e.Literal(1.0, F64)))
    (chain,) = loops(plan(disturbed, AVX512), "i")
    assert not chain.carried
    check(disturbed, {"n": 11})


def with_divider(per_cycle: float) -> Target:
    """AVX-512 on a core that divides so many vectors a cycle."""
    machine = replace(AVX512.machine, divide=Operation(13.0, per_cycle), multiply_add=Operation(4.0, 2.0))
    return replace(AVX512, machine=machine)


def sweep() -> LoopNest:
    """Row recurrences with the rows in lanes: p[i][k] = 1 / (2 + p[i][k-1]); v[k][i] = p[i][k] * u[k][i]."""
    quotient = binary("/", e.Literal(1.0, F64), binary("+", e.Literal(2.0, F64), read("p", i, k - 1)))
    body = Block(
        (
            compute("S", read("p", i, k), quotient),
            compute("T", read("v", k, i), binary("*", read("p", i, k), read("u", k, i))),
        )
    )
    arrays = (ArraySpec("p", F64, (n, m)), ArraySpec("u", F64, (m, n)), ArraySpec("v", F64, (m, n)))
    return LoopNest("sweep", ("n", "m"), arrays, loop("i", 0, n, loop("k", 1, m, body), VECTOR))


def test_recurrences_run_in_lanes_and_store_columns_by_rows() -> None:
    """Whole vectors store four columns at a time, turned; what is left of them, and of the rows, scatters."""
    program = plan(sweep(), with_divider(1 / 40))
    chains = loops(program, "k")
    for chain in chains:
        assert [c.type.lanes for c in chain.carried] == [8]
        assert not loads(chain.body, "p")
    strides = [{s.address.lane_strides for s in stores(chain.body, "p")} for chain in chains]
    assert strides == [{(0, 1)}, {(1, 0)}, {(1, 0)}]
    assert [chain.step for chain in chains] == [4, 1, 1]
    for sizes in ({"n": 19, "m": 6}, {"n": 8, "m": 1}, {"n": 16, "m": 13}):
        check(sweep(), sizes)


def filter_down(squares: int = 0) -> LoopNest:
    """Column recurrences with the columns in lanes: y[k][i] = y[k-1][i] * 0.5 + x[k][i], squared some times."""
    value = binary("+", binary("*", read("y", k - 1, i), e.Literal(0.5, F64)), read("x", k, i))
    for _ in range(squares):
        value = binary("+", binary("*", value, value), read("x", k, i))
    arrays = (ArraySpec("x", F64, (m, n)), ArraySpec("y", F64, (m, n)))
    chain = loop("k", 1, m, compute("S", read("y", k, i), value))
    return LoopNest("filter", ("n", "m"), arrays, loop("i", 0, n, chain, VECTOR))


def test_chains_of_several_vectors_stand_side_by_side() -> None:
    """They hide each other's latency; one vector at a time goes on behind them, and a masked one."""
    whole, one, rest = loops(plan(filter_down(), AVX512), "k")
    assert [len(chain.carried) for chain in (whole, one, rest)] == [4, 1, 1]
    assert [s.address.subscripts[1].constant for s in stores(whole.body, "y")] == [0, 8, 16, 24]
    for sizes in ({"n": 75, "m": 6}, {"n": 32, "m": 2}, {"n": 31, "m": 1}, {"n": 3, "m": 9}):
        check(filter_down(), sizes)


@pytest.mark.parametrize(("cycles", "vectors"), [(3, 4), (5, 4), (9, 2), (20, 1), (40, 1)])
def test_so_many_vectors_stand_side_by_side_as_keep_a_divider_busy(cycles: int, vectors: int) -> None:
    """Each waits for the quotient of the iteration before, and a multiply-add: 17 cycles."""
    program = plan(sweep(), with_divider(1 / cycles))
    assert [c.type.lanes for c in loops(program, "k")[0].carried] == [8] * vectors
    for sizes in ({"n": 75, "m": 6}, {"n": 32, "m": 2}, {"n": 31, "m": 1}, {"n": 3, "m": 9}):
        check(sweep(), sizes, program)


def test_long_chains_stand_alone() -> None:
    """Many operations hide latency themselves."""
    long = filter_down(squares=4)
    assert [len(each.carried) for each in loops(plan(long, AVX512), "k")] == [1, 1]


@pytest.mark.parametrize("operator", ["+", "*", "&", "|", "^", "max"])
@pytest.mark.parametrize("size", [0, 3, 64, 77])
def test_integers_are_folded_in_lanes_without_permission(operator: str, size: int) -> None:
    s, x = read("s", type_=I32), read("x", i, type_=I32)
    value = select(e.Comparison(">", s, x), s, x) if operator == "max" else e.Binary(operator, s, x, I32)
    arrays = (ArraySpec("s", I32, ()), ArraySpec("x", I32, (n,)))
    nest = LoopNest("fold", ("n",), arrays, loop("i", 0, n, compute("S", s, value), VECTOR))
    program = check(nest, {"n": size})
    assert [o.operator for o in operations(program.body, v.Horizontal) if isinstance(o, v.Horizontal)] == [operator]


def test_a_sum_along_lanes_around_a_loop_over_its_results_is_no_reduction() -> None:
    # One accumulator in lanes could not serve all y[j]; straight-line code has one for each.
    sums = update(read("y", j, type_=I32), read("x", k, type_=I32), read("a", k, j, type_=I32))
    arrays = (ArraySpec("y", I32, (m,)), ArraySpec("x", I32, (n,)), ArraySpec("a", I32, (n, m)))
    inner = loop("j", 0, m, sums)
    for size in (1, 5, 33):
        check(LoopNest("sums", ("n", "m"), arrays, loop("k", 0, n, inner, VECTOR)), {"n": 20, "m": size})
    straight = loop("j", 0, 3, sums, UNROLLED)
    check(LoopNest("sums", ("n", "m"), arrays, loop("k", 0, n, straight, VECTOR)), {"n": 20, "m": 3})


def neighbours(columns: int, shift: int = 0) -> LoopNest:
    """y[k][i] = x[k][i-1] + x[k][i] + x[k][i+1] in rows of so many columns, the lanes `shift` ahead of them."""
    here = i - shift
    value = binary("+", binary("+", read("x", k, here), read("x", k, here - 1)), read("x", k, here + 1))
    arrays = (ArraySpec("x", F64, (m, affine(columns))), ArraySpec("y", F64, (m, affine(columns))))
    body = compute("S", read("y", k, here), value)
    return LoopNest(
        "neighbours", ("n", "m"), arrays, loop("k", 0, m, loop("i", shift + 1, n + (shift - 1), body, VECTOR))
    )


@pytest.mark.parametrize("shift", [0, 5])
def test_stencils_begin_where_vectors_do_not_cross_lines(shift: int) -> None:
    """Seven columns in front of the eighth, of which there may be fewer, in a vector of their own."""
    program = plan(neighbours(80, shift), AVX512)
    first, *_ = stores(program.body, "y")
    assert str(first.address.subscripts[1]) == "1"
    (whole,) = loops(program, "i")
    (start,) = whole.lower.variables()
    (bound,) = [s.value for s in flat(program.body) if isinstance(s, v.Bind) and s.variable == start]
    assert bound == minimum(affine(shift + 8), n + (shift - 1))
    for width in (2, 3, 8, 9, 10, 17, 33, 71, 80):
        check(neighbours(80, shift), {"n": width, "m": 3})


def test_rows_that_begin_anywhere_are_taken_from_their_beginning() -> None:
    (whole,) = loops(plan(neighbours(75), AVX512), "i")
    assert whole.lower == affine(1)
    check(neighbours(75), {"n": 75, "m": 3})
