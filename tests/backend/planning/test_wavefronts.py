"""Rows that each lag behind the one above, side by side in vectors: bit for bit, whatever they read."""

from __future__ import annotations

from functools import reduce
from random import Random

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F32, F64, Expression, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import UNROLLED, binary, check, compute, i, j, loop, m, read
from tests.backend.planning.programs import flat, operations

AVX512 = shown_target("avx512")
AROUND = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1))


def wavefront(
    rows: int,
    read_at: tuple[tuple[int, int], ...],
    lag: int = 2,
    type_: ScalarType = F64,
    coefficients: tuple[str, ...] = (),
) -> LoopNest:
    """`rows` rows at once, each `lag` columns behind the one above: A[i][c] from others at (row, column) of it."""
    margin = max(max(map(abs, offset)) for offset in read_at)
    first = margin + max(lag, 0) * (rows + margin)
    column = j - lag * i
    terms: list[Expression] = [read("A", i + row, column + across, type_=type_) for row, across in read_at]
    for k, name in enumerate(coefficients):
        place = {"C": (i, column), "R": (i,), "K": (column,), "S": (affine(0),)}[name]
        terms[k % len(terms)] = binary("*", terms[k % len(terms)], read(name, *place, type_=type_))
    total = reduce(lambda left, right: binary("+", left, right), terms)
    body = compute("S", read("A", i, column, type_=type_), binary("/", total, e.Literal(9.0, type_)))
    nest = loop(
        "j", first, m - margin + min(lag, 0) * (rows + margin), loop("i", margin, margin + rows, body, UNROLLED)
    )
    shape = (affine(rows + 2 * margin), m)
    shapes = {"C": shape, "R": shape[:1], "K": (m,), "S": (affine(1),)}
    arrays = (
        ArraySpec("A", type_, shape),
        *(ArraySpec(name, type_, shapes[name], read_only=True) for name in dict.fromkeys(coefficients)),
    )
    return LoopNest("wavefront", ("m",), arrays, nest)


def arithmetic(program: v.VectorProgram) -> set[int]:
    """The lanes of everything that is computed."""
    return {o.type.lanes for o in operations(program.body, v.Arithmetic)}


@pytest.mark.parametrize(
    ("rows", "type_", "lanes"), [(16, F64, 8), (8, F64, 4), (24, F64, 8), (16, F32, 8), (32, F32, 16)]
)
def test_rows_fill_two_vectors_at_least(rows: int, type_: ScalarType, lanes: int) -> None:
    nest = wavefront(rows, AROUND, type_=type_)
    program = plan(nest, AVX512)
    assert arithmetic(program) == {lanes}
    (main,) = (s for s in flat(program.body) if isinstance(s, v.For))
    # Of nine neighbours, one is loaded element by element; the others have been stored or loaded.
    assert len([o for o in operations(main.body, v.Pack) if isinstance(o, v.Pack)]) == rows // lanes
    for size in (1, 3 * rows, 3 * rows + 9, 4 * rows + 5):
        check(nest, {"m": size})


def test_other_neighbours() -> None:
    nest = wavefront(16, ((-1, 1), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)))
    assert arithmetic(plan(nest, AVX512)) == {8}
    check(nest, {"m": 90})


def test_rows_that_read_what_others_store_in_the_same_iteration_stay_as_they_are() -> None:
    nest = wavefront(16, AROUND, lag=1)
    assert 1 in arithmetic(plan(nest, AVX512))
    check(nest, {"m": 60})


def test_too_few_operations_for_what_is_loaded_one_by_one() -> None:
    nest = wavefront(16, ((0, -1), (1, 1)), coefficients=("C",))
    assert arithmetic(plan(nest, AVX512)) & {1}
    check(nest, {"m": 60})


def test_a_chain_in_one_vector_hides_nothing() -> None:
    nest = wavefront(4, AROUND)
    assert arithmetic(plan(nest, AVX512)) == {1}
    check(nest, {"m": 30})


@pytest.mark.parametrize("seed", range(24))
def test_random_rows(seed: int) -> None:
    random = Random(seed)
    places = [(row, column) for row in range(-2, 3) for column in range(-3, 4)]
    read_at = tuple(random.sample(places, random.randint(3, 9)))
    coefficients = tuple(random.choice("CRKS") for _ in range(random.randint(0, 2)))
    rows, type_ = random.choice([(8, F64), (16, F64), (24, F64), (16, F32)])
    nest = wavefront(rows, read_at, random.randint(-1, 4), type_, coefficients)
    check(nest, {"m": 130 + random.randint(0, 9)})
