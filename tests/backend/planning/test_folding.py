"""Operations whose result is known are not in the program."""

from __future__ import annotations

import operator
from itertools import product

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F64, I8, I32, I64, U32, Comparison, Literal, Logical
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.ir.vector_program import Arithmetic, Constant, Operation, Value, ValueType
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.reuse import folded, merged
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


@pytest.mark.parametrize("type_", [INT, DOUBLE])
@pytest.mark.parametrize("sign", ["<", ">", "<=", ">="])
@pytest.mark.parametrize("swapped", [False, True])
def test_what_is_chosen_from_what_is_compared(type_: ValueType, sign: str, swapped: bool) -> None:
    """As C has it: a choice and the smaller or larger one agree on zeros of both signs and on NaN."""
    a, b, c = Value("a", type_), Value("b", type_), Value("c", INT)
    then, otherwise = (b, a) if swapped else (a, b)
    found = merged(v.Pick(c, then, otherwise, type_), {"c": v.Test(sign, a, b, INT)})
    if type_ is DOUBLE and len(sign) > 1:
        assert found == v.Pick(c, then, otherwise, type_)
        return
    assert isinstance(found, Arithmetic)
    assert found.operands == (then, otherwise)
    holds = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}[sign]
    compares = operator.lt if found.operator == "min" else operator.gt
    numbers = (-1.0, -0.0, 0.0, 2.0, float("nan")) if type_ is DOUBLE else (-1, 0, 2)
    for x, y in product(numbers, repeat=2):
        first, second = (y, x) if swapped else (x, y)
        picked, extremum = (first if holds(x, y) else second), (first if compares(first, second) else second)
        assert repr(picked) == repr(extremum)


def test_choices_on_one_condition_are_one() -> None:
    a, b, c, d, e = (Value(name, INT) for name in "abcde")
    made: dict[str, Operation] = {"d": v.Pick(c, a, b, INT), "e": v.Pick(b, a, c, INT)}
    assert merged(v.Pick(c, d, a, INT), made) == a
    assert merged(v.Pick(c, b, d, INT), made) == b
    assert merged(v.Pick(c, d, d, INT), made) == v.Pick(c, a, b, INT)
    assert merged(v.Pick(c, e, b, INT), made) == v.Pick(c, e, b, INT)


def test_a_truth_that_is_stored_is_one() -> None:
    """Also as another integer; a number is none."""
    a, test, short = Value("a", INT), Value("test", INT), Value("short", ValueType(I8))
    made: dict[str, Operation] = {
        "test": v.Test("<", a, a, INT),
        "short": v.Convert(test, ValueType(I8)),
        "none": Constant(0, ValueType(I8)),
        "one": Constant(1, ValueType(I8)),
    }
    none, one = (Value(name, ValueType(I8)) for name in ("none", "one"))
    assert merged(v.Test("!=", short, none, INT), made) == test
    for other in (v.Test("!=", short, one, INT), v.Test("==", short, none, INT), v.Test("!=", a, none, INT)):
        assert merged(other, made) is other


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
