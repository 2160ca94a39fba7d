"""Divisions and square roots of independent rows, side by side in vectors."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F32, F64, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, LoopNest
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import UNROLLED, binary, check, compute, i, j, loop, m, read
from tests.backend.planning.programs import flat, operations

AVX512 = shown_target("avx512")


def rows(count: int, type_: ScalarType = F64, *, chained: bool = False, twice: bool = False) -> LoopNest:
    """Recurrences along j, `count` rows at once; chained: each row divides what the row above has just become."""
    before = read("x", i - 1, j, type_=type_) if chained else read("x", i, j - 1, type_=type_)
    divisor = binary("+", before, read("y", i, j, type_=type_))
    body = [compute("S", read("x", i, j, type_=type_), binary("/", read("y", i, j, type_=type_), divisor))]
    if twice:
        other = binary("/", read("y", i, j - 1, type_=type_), divisor)
        body.append(compute("T", read("z", i, j, type_=type_), other))
    specs = tuple(ArraySpec(name, type_, (affine(count + 1), m), read_only=name == "y") for name in ("x", "y", "z"))
    nest = loop("j", 1, m, loop("i", 1, count + 1, Block(tuple(body)), UNROLLED))
    return LoopNest("rows", ("m",), specs if twice else specs[:2], nest)


def vector_divisions(program: v.VectorProgram) -> list[int]:
    found = [o for o in operations(program.body, v.Arithmetic) if isinstance(o, v.Arithmetic) and o.operator == "/"]
    return [o.type.lanes for o in found]


@pytest.mark.parametrize(
    ("count", "type_", "widths"),
    [
        (16, F64, [8, 8]),
        (20, F64, [8, 8, 4]),
        (18, F64, [8, 8, 1, 1]),
        (15, F64, [1] * 15),
        (32, F32, [16, 16]),
        (16, F32, [1] * 16),
    ],
)
def test_two_vectors_of_rows_or_none(count: int, type_: ScalarType, widths: list[int]) -> None:
    nest = rows(count, type_)
    program = plan(nest, AVX512)
    assert vector_divisions(program) == widths
    assert len(operations(program.body, v.Lane)) == sum(width for width in widths if width > 1)
    for size in (1, 2, 9):
        check(nest, {"m": size})


def test_square_roots_take_vectors_too() -> None:
    """Those of 16 rows, and what waits for them."""
    root = e.Call("sqrt", (binary("+", read("y", i, j), e.Literal(4.0, F64)),), F64)
    body = compute("S", read("x", i, j), binary("/", read("x", i, j - 1), root))
    specs = tuple(ArraySpec(name, F64, (affine(17), m), read_only=name == "y") for name in ("x", "y"))
    nest = LoopNest("rows", ("m",), specs, loop("j", 1, m, loop("i", 1, 17, Block((body,)), UNROLLED)))
    program = plan(nest, AVX512)
    roots = [o.type.lanes for o in operations(program.body, v.Apply)]
    assert (roots, vector_divisions(program)) == ([8, 8], [8, 8])
    check(nest, {"m": 9})


def test_rows_that_wait_for_each_other_stay_scalar() -> None:
    nest = rows(16, chained=True)
    assert vector_divisions(plan(nest, AVX512)) == [1] * 16
    check(nest, {"m": 9})


def test_common_divisors_are_packed_once() -> None:
    """Both statements of a row divide by one sum: two vectors of dividends, one of divisors."""
    nest = rows(8, twice=True)
    program = plan(nest, AVX512)
    assert vector_divisions(program) == [8, 8]
    packs = [o for o in operations(program.body, v.Pack) if isinstance(o, v.Pack)]
    assert len(packs) == len(set(packs)) == 3
    check(nest, {"m": 9})


def test_a_divisor_that_all_rows_share_is_broadcast() -> None:
    quotient = binary("/", binary("+", read("x", i, j - 1), read("y", i, j)), e.Literal(9.0, F64))
    body = loop("j", 1, m, loop("i", 0, 16, compute("S", read("x", i, j), quotient), UNROLLED))
    arrays = (ArraySpec("x", F64, (affine(16), m)), ArraySpec("y", F64, (affine(16), m), read_only=True))
    nest = LoopNest("shared", ("m",), arrays, body)
    program = plan(nest, AVX512)
    assert vector_divisions(program) == [8, 8]
    assert len(operations(program.body, v.Pack)) == 2
    check(nest, {"m": 9})


def test_every_value_is_defined_before_its_use() -> None:
    program = plan(rows(20, twice=True), AVX512)
    (along,) = [s for s in flat(program.body) if isinstance(s, v.For)]
    known = {c.name for c in along.carried}
    outside = {s.name for s in flat(program.body) if isinstance(s, v.Let)} - {
        s.name for s in along.body if isinstance(s, v.Let)
    }
    for statement in along.body:
        match statement:
            case v.Let(name, v.Pack(values)):
                assert {x.name for x in values} <= known | outside
                known.add(name)
            case v.Let(name, v.Lane(vector)):
                assert vector.name in known
                known.add(name)
            case v.Let(name, v.Arithmetic(_, values)):
                assert {x.name for x in values} <= known | outside
                known.add(name)
            case v.Let(name, _):
                known.add(name)
