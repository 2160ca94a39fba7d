"""Sums along rows in lanes: blocks are loaded row by row and transposed, wherever the matrix begins and ends."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least, minimum
from polyloop.backend.ir.expressions import F32, F64, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, LoopNest
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.blocks import is_rest
from polyloop.backend.planning.facts import Facts
from tests.backend.planning.nests import UNROLLED, VECTOR, check, compute, i, it, j, jt, loop, m, n, read, update
from tests.backend.planning.programs import flat, loads, loops, operations, stores

AVX512 = shown_target("avx512")


def rows(
    count: int,
    columns: int,
    type_: ScalarType = F64,
    *,
    first: Affine | int = 0,
    step: int = 1,
    shift: int = 0,
    target: str = "y",
    border: bool = True,
) -> LoopNest:
    """y[i] += A[i][j] * x[j]: so many rows in lanes, so many columns at a time, from the first one on."""
    y = read(target, *((i,) if target == "y" else (i, affine(0))), type_=type_)
    body = update(y, read("A", i * step, j + shift, type_=type_), read("x", j, type_=type_))
    end = count * it + count
    lanes = loop("i", count * it, minimum(end, n) if border else end, body, VECTOR)
    whole = loop("j", columns * jt + first, columns * jt + columns + first, lanes, UNROLLED)
    number = (m - first) // columns
    nest = Block((loop("jt", 0, number, whole), loop("j", number * columns + first, m, lanes)))
    outer = loop("it", 0, (n + (count - 1) * border) // count, nest)
    arrays = (
        ArraySpec("A", type_, (n * step, m + shift), read_only=target == "y"),
        ArraySpec("x", type_, (m,), read_only=True),
        ArraySpec("y", type_, (n,)),
    )
    return LoopNest("rows", ("n", "m"), arrays, outer)


def full_loop(nest: LoopNest) -> v.For:
    """The loop over whole blocks."""
    return loops(plan(nest, AVX512), "jt")[0]


@pytest.mark.parametrize(("type_", "lanes"), [(F64, 8), (F32, 16)])
def test_columns_of_a_block_are_loaded_by_rows(type_: ScalarType, lanes: int) -> None:
    """Joins of two rows each, then a round of shuffles for each power of two: columns are half as many as lanes."""
    columns = lanes // 2
    inner = full_loop(rows(2 * lanes, columns, type_, border=False))
    found = [load for load in loads(inner.body, "A") if load.active is None]
    assert [load.type.lanes for load in found] == [columns] * 2 * lanes
    assert all(load.address.lane_strides == (0, 1) for load in found)
    rounds = columns.bit_length() - 1
    assert len(operations(inner.body, v.Shuffle)) == 2 * (columns + rounds * columns)


def test_vectors_of_four_take_whole_rows_and_one_block_at_a_time() -> None:
    """Sixteen registers do not hold four blocks: each is summed up before the rows of the next one are loaded."""
    (loop, *_) = loops(plan(rows(16, 4, border=False), shown_target("avx2")), "jt")
    found = loads(loop.body, "A")
    assert [load.type.lanes for load in found] == [4] * 16
    steps = [operation for operation in map(_operation, loop.body) if operation in found or _is_sum(operation)]
    assert [_is_sum(step) for step in steps] == [*[False] * 4, *[True] * 4] * 4


def _operation(statement: v.Statement) -> v.Operation | None:
    return statement.operation if isinstance(statement, v.Let) else None


def _is_sum(operation: v.Operation | None) -> bool:
    return isinstance(operation, v.Arithmetic) and operation.type.lanes > 1


@pytest.mark.parametrize("type_", [F64, F32])
@pytest.mark.parametrize(("count", "columns"), [(8, 4), (32, 4), (16, 8), (12, 6), (8, 3)])
def test_any_number_of_rows_and_columns(type_: ScalarType, count: int, columns: int) -> None:
    nest = rows(count, columns, type_)
    for height, width in ((1, 1), (3, 9), (8, 4), (17, 5), (32, 8), (41, 23), (70, 12)):
        check(nest, {"n": height, "m": width})


def partial(count: int, columns: int, first: Affine | int = 0) -> LoopNest:
    """Rows in lanes where both the last rows and the last columns may be fewer."""
    y = read("y", i)
    body = update(y, read("A", i, j), read("x", j))
    lanes = loop("i", count * it + first, minimum(count * it + count + first, n), body, VECTOR)
    steps = loop("j", columns * jt, minimum(columns * jt + columns, m), lanes, UNROLLED)
    nest = loop("it", 0, (n - first + count - 1) // count, loop("jt", 0, (m + columns - 1) // columns, steps))
    arrays = (
        ArraySpec("A", F64, (n, m), read_only=True),
        ArraySpec("x", F64, (m,), read_only=True),
        ArraySpec("y", F64, (n,)),
    )
    return LoopNest("partial", ("n", "m"), arrays, nest)


def inner(around: v.For) -> list[v.For]:
    return [statement for statement in flat(around.body) if isinstance(statement, v.For)]


@pytest.mark.parametrize("instructions", ["avx512", "avx2"])
def test_fewer_rows_are_turned_too(instructions: str) -> None:
    """Where there are all columns of a block, nothing is gathered, however many rows there are."""
    nest = partial(16, 4)
    full = [each for each in loops(plan(nest, shown_target(instructions)), "jt") if not inner(each)]
    assert len(full) >= 2
    for each in full:
        found = loads(each.body, "A")
        assert {load.address.lane_strides for load in found} == {(0, 1)}
        assert {load.active for load in found} == {None}


def test_columns_that_are_less_than_a_block_are_one_loop() -> None:
    """Blocks have four columns where registers hold those: what is left takes no smaller ones, but one at a time."""
    program = plan(partial(16, 4), shown_target("avx2"))
    found = loads(program.body, "A")
    assert {load.type.lanes for load in found} == {4}
    assert {load.address.lane_strides for load in found} == {(0, 1), (1, 0)}
    assert {each.step for each in loops(program, "j")} == {1}


@pytest.mark.parametrize(("count", "columns", "first"), [(16, 4, 0), (12, 4, 3)])
def test_any_number_of_rows_is_left(count: int, columns: int, first: int) -> None:
    nest = partial(count, columns, first)
    for height, width in ((first + 1, 4), (first + 8, 3), (18, 5), (45, 12)):
        check(nest, {"n": height, "m": width})


def test_columns_that_do_not_begin_at_zero_and_rows_that_are_apart() -> None:
    for nest in (rows(16, 4, first=3), rows(16, 4, shift=5), rows(16, 4, step=2)):
        for height, width in ((5, 7), (16, 11), (35, 14)):
            check(nest, {"n": height, "m": width})


def test_what_is_stored_to_in_between_is_loaded_where_it_stands() -> None:
    """The first column is what is summed up."""
    nest = rows(16, 4, target="A")
    assert not operations(plan(nest, AVX512).body, v.Shuffle)
    for height, width in ((5, 7), (16, 4), (35, 14)):
        check(nest, {"n": height, "m": width})


def scans(direction: int = 1, in_place: bool = False, type_: ScalarType = F64, back: int = 1) -> LoopNest:
    """Recurrences along rows, rows in lanes: y[i][j] = y[i][j - back] * 0.5 + x[i][j], from either end."""
    array = "y" if in_place else "x"
    here, before = (j, j - back) if direction > 0 else (-j, back - j)
    product = e.Binary("*", read("y", i, before, type_=type_), e.Literal(0.5, type_), type_)
    body = compute(
        "S", read("y", i, here, type_=type_), e.Binary("+", product, read(array, i, here, type_=type_), type_)
    )
    inner = loop("j", back, m, body) if direction > 0 else loop("j", back + 1 - m, 1, body)
    nest = loop("i", 0, n, inner, VECTOR)
    arrays = (ArraySpec("x", type_, (n, m), read_only=True), ArraySpec("y", type_, (n, m)))
    return LoopNest("scans", ("n", "m"), arrays, nest)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(("type_", "lanes"), [(F64, 8), (F32, 16)])
def test_scans_take_columns_in_blocks(direction: int, in_place: bool, type_: ScalarType, lanes: int) -> None:
    """Half as many as there are lanes: loaded and stored row by row, the value in between is carried."""
    nest = scans(direction, in_place, type_)
    whole = loops(plan(nest, AVX512), "j")[0]
    assert whole.step == lanes // 2
    assert len(whole.carried) == 1
    for found in (loads(whole.body, "y" if in_place else "x"), [*stores(whole.body, "y")]):
        assert [x.address.lane_strides for x in found] == [(0, 1)] * lanes
    for height, width in ((lanes, 3), (lanes + 1, lanes), (2 * lanes + 5, 2 * lanes + 7), (3, 9), (lanes, 1)):
        check(nest, {"n": height, "m": width})


def test_what_the_block_itself_stores_is_not_loaded_before() -> None:
    """Two columns back: the third column of a block reads what the first one has stored."""
    nest = scans(back=2)
    whole = loops(plan(nest, AVX512), "j")[0]
    assert {load.address.lane_strides for load in loads(whole.body, "y")} == {(1, 0)}
    for height, width in ((8, 3), (8, 11), (21, 30)):
        check(nest, {"n": height, "m": width})


def test_what_is_left_of_a_block_has_no_block() -> None:
    """Up to the end, from the last multiple of four on, which is known not to be the end: three columns at most."""
    column = v.Let("a", v.Load(v.Address("A", (affine(0), affine("j")), (1, 0)), ValueType(F64, 8)))
    begin, end = (m + 3) // 4 * 4 - 4, minimum((m + 3) // 4 * 4, m)
    left = v.For("j", begin, end, 1, (column,))
    assert not is_rest(left, 4, Facts())
    assert is_rest(left, 4, Facts().with_condition(at_least(m - m // 4 * 4, 1)))
