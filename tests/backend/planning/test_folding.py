"""Operations whose result is known are not in the program."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F64, I8, I32, I64, U32, Comparison, Literal, Logical
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.ir.vector_program import Arithmetic, Constant, Operation, Value, ValueType
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.reuse import folded
from tests.backend.planning.nests import check, compute, i, loop, m, read
from tests.backend.planning.programs import operations

INT, UNSIGNED, DOUBLE = ValueType(I32), ValueType(U32), ValueType(F64)
X, Y = Value("x", INT), Value("y", INT)


def constant(number: float, type_: ValueType = INT) -> tuple[Value, dict[str, Constant]]:
    return Value("c", type_), {"c": Constant(number, type_)}


@pytest.mark.parametrize(
    ("sign", "number", "left", "right"),
    [("+", 0, X, X), ("-", 0, X, None), ("*", 1, X, X), ("|", 0, X, X), ("^", 0, X, X), ("<<", 0, X, None)],
)
def test_what_changes_nothing_is_left_out(sign: str, number: int, left: Value, right: Value | None) -> None:
    c, known = constant(number)
    assert folded(Arithmetic(sign, (X, c), INT), known) == left
    swapped = Arithmetic(sign, (c, X), INT)
    assert folded(swapped, known) == (right or swapped)


def test_floating_point_sums_stay() -> None:
    x = Value("x", DOUBLE)
    c, known = constant(0.0, DOUBLE)
    for operation in (Arithmetic("+", (x, c), DOUBLE), v.Test("==", c, c, INT), v.Convert(c, INT)):
        assert folded(operation, known) is operation


def test_integers_are_computed_unless_they_overflow() -> None:
    known = {"a": Constant(2**31 - 1, INT), "b": Constant(1, INT), "u": Constant(2**32 - 1, UNSIGNED)}
    a, b, u = Value("a", INT), Value("b", INT), Value("u", UNSIGNED)
    assert folded(Arithmetic("-", (a, b), INT), known) == Constant(2**31 - 2, INT)
    overflow = Arithmetic("+", (a, b), INT)
    assert folded(overflow, known) is overflow
    assert folded(Arithmetic("+", (u, u), UNSIGNED), known) == Constant(2**32 - 2, UNSIGNED)
    division = Arithmetic("/", (a, b), INT)
    assert folded(division, known) is division
    assert folded(v.Convert(u, ValueType(I8)), known) == Constant(-1, ValueType(I8))
    assert folded(v.Convert(u, ValueType(I64)), known) == Constant(2**32 - 1, ValueType(I64))


@pytest.mark.parametrize(("sign", "expected"), [("<", 1), (">=", 0), ("==", 0), ("!=", 1)])
def test_comparisons_of_constants(sign: str, expected: int) -> None:
    known = {"a": Constant(-3, INT), "b": Constant(4, INT)}
    test: Operation = v.Test(sign, Value("a", INT), Value("b", INT), INT)
    assert folded(test, known) == Constant(expected, INT)


def test_choices_that_are_made() -> None:
    for number, expected in ((0, Y), (1, X), (-1, X)):
        c, known = constant(number)
        assert folded(v.Pick(c, X, Y, INT), known) == expected
    assert folded(v.Pick(Y, X, X, INT), {}) == X


@pytest.mark.parametrize("target", ["avx512", "avx2", "sse"])
def test_constant_sides_of_conditions_leave_nothing_behind(target: str) -> None:
    """`out[i] = 1 && a[i] > 2 || 0`, where the front end does not simplify."""
    condition = Logical(
        "||", Logical("&&", Literal(1, I32), Comparison(">", read("a", i, type_=I32), Literal(2, I32))), Literal(0, I32)
    )
    arrays = (ArraySpec("a", I32, (m,), read_only=True), ArraySpec("out", I32, (m,)))
    nest = LoopNest("sides", ("m",), arrays, loop("i", 0, m, compute("S", read("out", i, type_=I32), condition)))
    program = plan(nest, shown_target(target))
    tests = operations(program.body, v.Test)
    assert all(isinstance(test, v.Test) and test.operator == ">" for test in tests)
    for size in (0, 1, 37):
        check(nest, {"m": size})
