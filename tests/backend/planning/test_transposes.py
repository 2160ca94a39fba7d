"""Copies that exchange rows and columns, as they are and times a factor."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F32, F64, Expression, ScalarType
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.run.kernel import compile_program
from tests.backend.planning.nests import UNROLLED, VECTOR, binary, check, compute, i, j, loop, n, read, sample
from tests.backend.planning.programs import operations, stores
from tests.helpers.machine import fuses

AVX512 = shown_target("avx512")
ALPHA = read("alpha")


def exchanged(value: Expression, type_: ScalarType = F64, size: int = 8) -> LoopNest:
    """UNROLLED i: VECTOR j: B[j][i] = value."""
    copy = compute("S", read("B", j, i, type_=type_), value)
    body = loop("i", 0, size, loop("j", 0, size, copy, VECTOR), UNROLLED)
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
