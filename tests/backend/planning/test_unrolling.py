"""How many steps of an innermost loop stand one behind the other."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F32
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.planning.registers import steps_at_once

AVX2 = shown_target("avx2")


def _tile(rows: int, vectors: int, operator: str = "fma", lanes: int = 8) -> v.For:
    """Sums of rows times vectors; each step loads the vectors and spreads one element for each row."""
    kind, lets = v.ValueType(F32, lanes), list[v.Statement]()
    for name, count in (("x", rows), ("y", vectors)):
        for n in range(count):
            address = v.Address(name, (affine("k"), affine(8 * n)), (0, 1))
            lets.append(v.Let(f"{name}{n}", v.Load(address, kind)))
    carried = []
    for row in range(rows):
        for column in range(vectors):
            now, then = (v.Value(f"{name}{row}{column}", kind) for name in ("sum", "next"))
            factors = (v.Value(f"x{row}", kind), v.Value(f"y{column}", kind))
            if operator == "fma":
                lets.append(v.Let(then.name, v.Arithmetic("fma", (*factors, now), kind)))
            else:
                both = v.Value(f"both{row}{column}", kind)
                lets.append(v.Let(both.name, v.Arithmetic("+", factors, kind)))
                lets.append(v.Let(then.name, v.Arithmetic("min", (both, now), kind)))
            carried.append(v.Carried(now.name, kind, v.Value("zero", kind), then, f"done{row}{column}"))
    return v.For("k", affine(0), affine("n"), 1, tuple(lets), tuple(carried))


def test_as_many_as_their_operations_leave_room_for() -> None:
    assert steps_at_once(_tile(6, 2), 96, AVX2) == 4  # of 20 operations
    assert steps_at_once(_tile(4, 6, lanes=16), 96, shown_target("avx512")) == 2  # of 34
    assert steps_at_once(_tile(2, 2), 96, AVX2) == 4  # of 8


def test_sums_leave_a_quarter_of_the_registers() -> None:
    """LLVM has no code for what holds more of them than there are."""
    assert steps_at_once(_tile(4, 3), 96, AVX2) == 4
    assert steps_at_once(_tile(7, 2), 96, AVX2) == 1
    assert steps_at_once(_tile(7, 2), None, AVX2) == 1


@pytest.mark.parametrize(("count", "expected"), [(7, 1), (8, 2), (15, 2), (16, 4)])
def test_short_loops_have_fewer(count: int, expected: int) -> None:
    assert steps_at_once(_tile(6, 2), count, AVX2) == expected


def test_of_an_unknown_number_only_register_tiles() -> None:
    assert steps_at_once(_tile(6, 2), None, AVX2) == 4
    assert steps_at_once(_tile(2, 2), None, AVX2) == 1


def test_what_would_need_more_registers_is_left() -> None:
    """One use of a factor, whose register LLVM gives to the sum; and what is computed on the way to a sum."""
    assert steps_at_once(_tile(12, 1), 96, AVX2) == 1
    assert steps_at_once(_tile(6, 2, "min"), 96, AVX2) == 1
    for name in INSTRUCTION_SETS:
        target = shown_target(name)
        assert (steps_at_once(_tile(6, 2), 96, target) > 1) == target.has_fma


def test_loops_around_others_and_loops_that_data_end_are_left() -> None:
    inner = _tile(6, 2)
    assert steps_at_once(v.For("i", affine(0), affine("n"), 1, (inner,)), 96, AVX2) == 1
    ends = v.For("k", affine(0), affine("n"), 1, inner.body, inner.carried, going=v.Value("goes", v.ValueType(F32)))
    assert steps_at_once(ends, 96, AVX2) == 1
