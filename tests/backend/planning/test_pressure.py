"""How many registers a loop's values take."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine, at_least
from polyloop.backend.ir.expressions import F32, F64, Access
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, LoopNest
from polyloop.backend.ir.vector_program import Address, Carried, For, Let, Load, Statement, Store, Value, ValueType
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.registers import peak, pressure, registers_of
from tests.backend.planning.nests import UNROLLED, VECTOR, binary, k, read
from tests.backend.planning.nests import loop as nest_loop
from tests.backend.planning.programs import loads, loops

t, x = affine("t"), affine("x")
SSE, WIDE = shown_target("sse"), shown_target("avx512")
ONE, FOUR = ValueType(F32), ValueType(F32, 4)


def load(name: str, at: int, type_: ValueType = FOUR) -> Let:
    return Let(name, Load(Address("A", (affine(at),), (1,)), type_))


def add(name: str, *operands: str, type_: ValueType = FOUR) -> Let:
    return Let(name, v.Arithmetic("+", tuple(Value(o, type_) for o in operands), type_))


def store(name: str) -> Store:
    return Store(Address("B", (affine("i"),), (1,)), Value(name, FOUR))


def loop(*body: Statement, carried: tuple[Carried, ...] = (), variable: str = "i") -> For:
    return For(variable, affine(0), affine(9), 1, body, carried=carried)


@pytest.mark.parametrize(
    ("type_", "wide", "narrow"),
    [(FOUR, 1, 1), (ValueType(F64, 8), 1, 4), (ONE, 1, 1), (ValueType(F32, 8), 1, 2)],
)
def test_registers_of_values(type_: ValueType, wide: int, narrow: int) -> None:
    assert (registers_of(type_, WIDE), registers_of(type_, SSE)) == (wide, narrow)


def test_straight_line_code() -> None:
    """All that is loaded before it is used waits in a register; what is used at once does not."""
    late = loop(load("a", 0), load("b", 1), load("c", 2), add("d", "a", "b"), add("e", "d", "c"), store("e"))
    soon = loop(load("a", 0), load("b", 1), add("d", "a", "b"), load("c", 2), add("e", "d", "c"), store("e"))
    assert (peak(late, SSE), peak(soon, SSE)) == (3, 2)
    assert peak(soon, SSE, frozenset({"b"})) == 2
    assert peak(late, SSE, frozenset({"b", "c"})) == 1
    assert (pressure(late, SSE), pressure(soon, SSE)) == (0, 0)


def test_another_order() -> None:
    """Result by result, every sum takes a register only from its first part to its store."""
    parts: list[Statement] = [
        load("a", 0),
        load("b", 1),
        add("c", "a", "a"),
        add("d", "b", "b"),
        store("c"),
        store("d"),
    ]
    assert (peak(loop(*parts), SSE), peak(loop(*parts), SSE, sinking=True)) == (2, 1)


def test_carried_and_outer_values() -> None:
    """A sum and a factor from outside are there all the time."""
    sums = (Carried("s", FOUR, Value("zero", FOUR), Value("t", FOUR), "r"),)
    body = (load("a", 0), add("b", "a", "factor"), add("t", "s", "b"))
    inner = loop(*body, carried=sums, variable="k")
    assert peak(inner, SSE) == pressure(inner, SSE) + 1 == 3
    outer = loop(load("x", 0), load("zero", 1), inner, add("y", "r", "x"), store("y"))
    assert peak(outer, SSE) == 4  # x waits until the inner loop is done


def test_sides_of_a_condition() -> None:
    """The fuller side counts, and what is wanted behind both."""
    fuller = (load("a", 0), load("b", 1), add("c", "a", "b"), store("c"))
    condition = v.If(at_least(affine("i"), 1), fuller, (load("d", 0), store("d")))
    assert peak(loop(load("x", 3), condition, store("x")), SSE) == 3


def window(rows: int) -> LoopNest:
    """``for t: for k in rows (unrolled): for x in 32 lanes: O[t][x] += I[t + k][x] * W[k][x]``"""
    value = binary("+", read("O", t, x), binary("*", read("I", t + k, x), read("W", k, x)))
    body = nest_loop("x", 0, 32, Compute("S", Access("O", (t, x)), value), VECTOR)
    body = nest_loop("t", 0, 50, nest_loop("k", 0, rows, body, UNROLLED))
    arrays = (ArraySpec("O", F64, (affine(50), affine(32))), ArraySpec("I", F64, (affine(50 + rows), affine(32))))
    return LoopNest("window", (), (*arrays, ArraySpec("W", F64, (affine(rows), affine(32)))), body)


def test_what_moves_in_front_of_a_loop_leaves_room_for_the_loop() -> None:
    """Weights that do not change stay in registers, as many as the sums and inputs leave."""
    (few,) = loops(plan(window(3), WIDE), "t")
    assert len(loads(few.body, "W")) == 0
    (many,) = loops(plan(window(12), WIDE), "t")
    assert 0 < len(loads(many.body, "W")) < 12 * 4
    assert peak(many, WIDE, sinking=True) <= WIDE.vector_registers - 1
