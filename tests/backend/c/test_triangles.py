"""Triangles of register tiles as loops: the same values, and what is left as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyloop.backend.c.printer import print_c
from polyloop.backend.c.rolling import Rolled, rolled
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine, at_least
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import Let, Load, Statement, Store, Value, ValueType, VectorProgram
from polyloop.backend.ir.verify_program import verify
from tests.helpers.vector_programs import N, at, program, run

SIZE = 6


class Code:
    """Straight-line code, statement by statement."""

    def __init__(self) -> None:
        self.body: list[Statement] = []

    def let(self, operation: v.Operation) -> Value:
        name = f"x{len(self.body)}"
        self.body.append(Let(name, operation))
        return Value(name, operation.type)

    def load(self, type_: ValueType, array: str, *subscripts: int) -> Value:
        return self.let(Load(at(array, *subscripts, stride=int(type_.lanes > 1)), type_))

    def store(self, value: Value, array: str, *subscripts: int) -> None:
        self.body.append(Store(at(array, *subscripts, stride=int(value.type.lanes > 1)), value))


def step(code: Code, factor: Value, with_: Value, to: Value) -> Value:
    if factor.type != to.type:
        factor = code.let(v.Broadcast(factor, to.type))
    return code.let(v.Arithmetic("fma", (factor, with_, to), to.type))


def solved(lanes: int = 1, columns: int = 1, divided: bool = True, stored: int = 0) -> VectorProgram:
    """X = L^-1 X, column by column of L; of rows in front of `stored` only their values are read."""
    code, type_ = Code(), ValueType(F64, lanes)
    places = [(r, c) for r in range(SIZE) for c in range(columns)]
    rows = {(r, c): code.load(type_, "X", r, c * lanes) for r, c in places}
    for k in range(SIZE):
        if divided:
            pivot = code.load(ValueType(F64), "L", k, k)
            pivot = pivot if lanes == 1 else code.let(v.Broadcast(pivot, type_))
            for c in range(columns):
                rows[k, c] = code.let(v.Arithmetic("/", (rows[k, c], pivot), type_))
        for c in range(columns) if k >= stored else ():
            code.store(rows[k, c], "X", k, c * lanes)
        for r in range(k + 1, SIZE):
            factor = code.load(ValueType(F64), "L", r, k)
            for c in range(columns):
                rows[r, c] = step(code, factor, rows[k, c], rows[r, c])
    return whole(code, lanes * columns)


def multiplied(lanes: int, columns: int) -> VectorProgram:
    """X[r] += the sum of L[k][r] B[k] for k > r."""
    code, type_ = Code(), ValueType(F64, lanes)
    for r in range(SIZE - 1):
        sums = [code.load(type_, "X", r, c * lanes) for c in range(columns)]
        for k in range(r + 1, SIZE):
            factor = code.load(ValueType(F64), "L", k, r)
            for c in range(columns):
                sums[c] = step(code, factor, code.load(type_, "B", k, c * lanes), sums[c])
        for c in range(columns):
            code.store(sums[c], "X", r, c * lanes)
    return whole(code, lanes * columns)


def whole(code: Code, width: int) -> VectorProgram:
    shapes = {"X": width, "L": SIZE, "B": width}
    arrays = tuple(ArraySpec(name, F64, (affine(SIZE), affine(count))) for name, count in shapes.items())
    return program(arrays, *code.body)


def same(original: VectorProgram) -> Rolled:
    """The program with its tiles as loops, which gives the same values."""
    result, width = rolled(original), original.array("X").shape[1]
    assert width is not None
    values = np.random.default_rng(7)
    arrays = {name: values.uniform(1, 2, (SIZE, width.constant)) for name in "XB"}
    arrays["L"] = values.uniform(1, 2, (SIZE, SIZE))
    once, again = ({name: array.copy() for name, array in arrays.items()} for _ in range(2))
    verify(result.program)
    run(original, N=1, **once)
    run(result.program, N=1, **again)
    assert all(np.array_equal(once[name], again[name]) for name in arrays)
    assert not np.array_equal(once["X"], arrays["X"])
    return result


def steps(result: Rolled) -> list[v.For]:
    return [s for s in walk(result.program.body) if isinstance(s, v.For) and s.variable.startswith("step")]


@pytest.mark.parametrize(("lanes", "columns"), [(1, 1), (4, 1), (4, 2), (8, 3)])
@pytest.mark.parametrize("divided", [True, False])
def test_solving_is_the_same(lanes: int, columns: int, divided: bool) -> None:
    result = same(solved(lanes, columns, divided, 0 if divided else 1))
    (loop,) = steps(result)
    assert loop.upper == affine(SIZE if divided else SIZE - 1)
    assert result.registers["X_tile"] == ValueType(F64, lanes)


def test_a_row_in_front_is_read_and_not_stored() -> None:
    result = same(solved(4, 2, divided=False, stored=1))
    (*_, last) = result.program.body
    assert isinstance(last, v.For)
    assert (last.lower, last.upper) == (affine(1), affine(SIZE))


@pytest.mark.parametrize(("lanes", "columns"), [(4, 2), (8, 3)])
def test_products_are_the_same(lanes: int, columns: int) -> None:
    result = same(multiplied(lanes, columns))
    (loop,) = steps(result)
    assert loop.upper == affine(SIZE - 1)
    assert "B_part" in result.shared


def test_the_text_of_a_triangle() -> None:
    text = print_c(solved()).text
    assert "for (int step = 0; step < 6; step++) {" in text
    assert "X_tile[step] = X_tile[step] / L[step][step];" in text
    assert "for (int r = step + 1; r < 6; r++)" in text
    assert text.count("L[") == 2


def changed(original: VectorProgram, position: int, statement: Statement, instead: bool = False) -> VectorProgram:
    body = original.body
    return replace(original, body=(*body[:position], statement, *body[position + instead :]))


def places(original: VectorProgram, kind: type[Statement]) -> list[int]:
    return [p for p, statement in enumerate(original.body) if isinstance(statement, kind)]


def test_what_is_stored_in_between_stays_in_its_place() -> None:
    original = solved()
    between = places(original, Store)[2]
    for array in "XL":
        store = Store(at(array, SIZE - 1, 0), Value("x0", ValueType(F64)))
        assert steps(rolled(changed(original, between, store))) == []


def test_steps_that_others_use_stay() -> None:
    original = solved(4)
    middle = next(
        s
        for s in original.body
        if isinstance(s, Let) and isinstance(s.operation, v.Arithmetic) and s.operation.operator == "fma"
    )
    copy = Store(at("B", 0, 0), middle.value)
    assert steps(rolled(replace(original, body=(*original.body, copy)))) == []


def test_steps_of_another_kind_stay() -> None:
    original = solved(divided=False, stored=1)
    for position, statement in enumerate(original.body):
        match statement:
            case Let(name, v.Arithmetic("fma", values, type_)):
                other = Let(name, v.Arithmetic("-", (values[2], values[1]), type_))
                assert steps(rolled(changed(original, position, other, instead=True))) == []
                return


def test_uneven_operands_stay() -> None:
    original = multiplied(4, 2)
    position = next(p for p, s in enumerate(original.body) if isinstance(s, Let) and "L" in str(s.operation))
    statement = original.body[position]
    assert isinstance(statement, Let)
    other = Let(statement.name, Load(at("L", 0, 0, stride=0), ValueType(F64)))
    assert steps(rolled(changed(original, position, other, instead=True))) == []


def test_rows_of_one_array_are_known_to_be_apart_by_a_condition() -> None:
    """X stands in the rows of L from N on, which are those behind the triangle if N is so large."""

    def moved(address: v.Address) -> v.Address:
        row, column = address.subscripts
        return address._replace(array="L", subscripts=(row + N, column)) if address.array == "X" else address

    body: list[Statement] = []
    for statement in solved().body:
        match statement:
            case Let(name, Load(address, type_)):
                body.append(Let(name, Load(moved(address), type_)))
            case Store(address, value):
                body.append(Store(moved(address), value))
            case _:
                body.append(statement)
    array = ArraySpec("L", F64, (N + SIZE, affine(SIZE)))
    for least, loops in ((SIZE, 1), (SIZE - 1, 0)):
        original = program((array,), v.If(at_least(N, least), tuple(body)))
        result = rolled(original)
        assert len(steps(result)) == loops
        once = np.random.default_rng(7).uniform(1, 2, (2 * SIZE, SIZE))
        again = once.copy()
        run(original, N=SIZE, L=once)
        run(result.program, N=SIZE, L=again)
        assert np.array_equal(once, again)
