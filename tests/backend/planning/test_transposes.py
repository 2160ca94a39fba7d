"""Copies that exchange rows and columns, as they are and times a factor."""

from __future__ import annotations

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F32, F64, Expression, ScalarType
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.run.kernel import compile_program
from tests.backend.planning.nests import UNROLLED, VECTOR, binary, check, compute, i, j, loop, n, read, sample
from tests.backend.planning.programs import loads, operations, stores
from tests.helpers.machine import fuses

AVX512 = shown_target("avx512")
ALPHA = read("alpha")


def exchanged(value: Expression, type_: ScalarType = F64, size: int = 8, across: int | None = None) -> LoopNest:
    """UNROLLED i: VECTOR j: B[j][i] = value."""
    copy = compute("S", read("B", j, i, type_=type_), value)
    body = loop("i", 0, size, loop("j", 0, across or size, copy, VECTOR), UNROLLED)
    arrays = (
        ArraySpec("A", type_, (n, n), read_only=True),
        ArraySpec("B", type_, (n, n)),
        ArraySpec("alpha", type_, (), read_only=True),
    )
    return LoopNest("exchanged", ("n",), arrays, body)


@pytest.mark.parametrize(
    "value", [read("A", i, j), binary("*", ALPHA, read("A", i, j)), binary("*", read("A", i, j), ALPHA)], ids=str
)
def test_whole_blocks_are_exchanged_in_registers(value: Expression) -> None:
    program = plan(exchanged(value), AVX512)
    assert len(operations(program.body, v.Shuffle)) == 3 * 8
    assert [s.value.type.lanes for s in stores(program.body, "B")] == [8] * 8
    check(exchanged(value), {"n": 11})


def test_a_value_of_two_elements_that_move_is_not_exchanged() -> None:
    both = binary("*", read("A", i, j), read("A", j, i))
    assert not operations(plan(exchanged(both), AVX512).body, v.Shuffle)
    check(exchanged(both), {"n": 11})


def test_elements_that_the_copy_itself_writes_are_not_exchanged() -> None:
    itself = read("B", i, j)
    assert not operations(plan(exchanged(itself), AVX512).body, v.Shuffle)


def test_floats_in_blocks_of_sixteen() -> None:
    nest = exchanged(binary("*", read("alpha", type_=F32), read("A", i, j, type_=F32)), F32, 16)
    assert len(operations(plan(nest, AVX512).body, v.Shuffle)) == 4 * 16
    expected, found = sample(nest, {"n": 16}), sample(nest, {"n": 16})
    interpret(nest, {"n": 16}, expected, contract=fuses())
    compile_program(plan(nest, host_target()))(n=16, **found)
    np.testing.assert_array_equal(expected["B"], found["B"])


@pytest.mark.parametrize(("rows", "columns"), [(16, 4), (4, 16), (16, 2), (2, 8), (4, 4), (32, 8)])
def test_narrow_blocks_are_exchanged_in_registers(rows: int, columns: int) -> None:
    nest = exchanged(read("A", i, j, type_=F32), F32, rows, columns)
    program = plan(nest, AVX512)
    assert {load.type.lanes for load in loads(program.body, "A")} == {min(columns, 16)}
    assert [s.value.type.lanes for s in stores(program.body, "B")] == [min(rows, 16)] * (columns * max(1, rows // 16))
    check(nest, {"n": 33})


def test_blocks_of_three_rows_are_copied_one_by_one() -> None:
    program = plan(exchanged(read("A", i, j), F64, 3, 8), AVX512)
    assert not operations(program.body, v.Shuffle)


@pytest.mark.parametrize(("n", "k"), [(40, 4), (70, 7), (5, 3), (129, 30)])
def test_copies_of_any_size_are_what_the_product_reads(n: int, k: int) -> None:
    scop = polyloop.einsum("mk,nk->mn", m=9, n=n, k=k)
    rng = np.random.default_rng(0)
    left, right = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((9, k), (n, k)))
    result = np.empty((9, n), np.float32)
    polyloop.compile(scop)(left, right, result)
    np.testing.assert_array_equal(result, left @ right.T)
