"""Constants are told apart by their bits: 0.0 and -0.0 are two, a NaN is one, wherever they are keys."""

from __future__ import annotations

import math
import pickle
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I32,
    I64,
    Access,
    Binary,
    Comparison,
    Expression,
    Literal,
    Read,
    ScalarType,
    Select,
    dtype_of,
    text,
)
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Loop, LoopKind, LoopNest
from polyloop.backend.ir.vector_program import Constant, ValueType
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.planning.values import as_extremum
from polyloop.backend.run.nest_kernel import compile_nest
from tests.helpers.running import Arrays, assert_same, call_program, compiled, interpreted, load_c, require

NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8 << 48))[0]
PAYLOAD = struct.unpack("<d", struct.pack("<Q", 0x7FF8 << 48 | 5))[0]
SPECIAL = (0.0, -0.0, NAN, -NAN, math.inf, -math.inf, 1.0, -1.0, 0.5)
X = (*SPECIAL, 3.0, -3.0, 5e-324, -1e308, 1e-45)

specials = st.sampled_from(SPECIAL)


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


@given(st.floats() | st.sampled_from((*SPECIAL, PAYLOAD)), st.floats() | st.sampled_from((*SPECIAL, PAYLOAD)))
def test_constants_are_equal_if_their_bits_are(a: float, b: float) -> None:
    for make in (lambda x: Literal(x, F64), lambda x: Constant(x, ValueType(F64, 4))):
        first, second = make(a), make(b)
        assert (first == second) == (bits(a) == bits(b))
        assert len({first, second}) == 1 + (bits(a) != bits(b))
        assert pickle.loads(pickle.dumps(first)) == first


def test_equal_constants_of_other_types_differ() -> None:
    numbers: list[tuple[float, ScalarType]] = [(1, I32), (1, I64), (1.0, F32), (1.0, F64)]
    assert len({Literal(value, type_) for value, type_ in numbers}) == 4
    assert len({Constant(1.0, ValueType(F64, lanes)) for lanes in (1, 2, 4)}) == 3
    assert Literal(1, I32) != 1


def test_a_number_in_a_floating_type_is_one_whether_python_has_it_as_an_integer_or_not() -> None:
    assert Literal(0, F64) == Literal(0.0, F64) != Literal(-0.0, F64)
    assert hash(Literal(0, F64)) == hash(Literal(0.0, F64))


def test_the_text_of_a_nest_tells_constants_apart() -> None:
    assert len({text(Literal(value, F64)) for value in SPECIAL}) == len(SPECIAL)


def test_a_choice_with_the_other_zero_is_no_extremum() -> None:
    x, zero, negative = Read(Access("x"), F64), Literal(0.0, F64), Literal(-0.0, F64)
    assert as_extremum(Select(Comparison(">", x, zero), x, zero, F64)) == ("max", x, zero)
    assert as_extremum(Select(Comparison(">", x, negative), x, zero, F64)) is None


def _nest(values: list[Expression], type_: ScalarType) -> LoopNest:
    """y0[i] = value 0; y1[i] = value 1; .. in one vector loop, not a whole number of vectors long."""
    i, extents = affine("i"), (affine(len(X)),)
    body = Block(tuple(Compute(f"S{k}", Access(f"y{k}", (i,)), value) for k, value in enumerate(values)))
    arrays = (ArraySpec("x", type_, extents, read_only=True), *(ArraySpec(f"y{k}", type_, extents) for k in range(4)))
    return LoopNest("constants", (), arrays, Loop("i", affine(0), affine(len(X)), 1, body, LoopKind.VECTOR))


def _values(a: float, b: float, type_: ScalarType) -> list[Expression]:
    x, first, second = Read(Access("x", (affine("i"),)), type_), Literal(a, type_), Literal(b, type_)
    return [
        Binary("*", x, first, type_),
        Binary("*", x, second, type_),
        Select(Comparison(">", x, first), x, second, type_),
        Select(Comparison("<", x, second), first, second, type_),
    ]


def _data(type_: ScalarType) -> Arrays:
    with np.errstate(over="ignore"):
        x = np.array(X).astype(dtype_of(type_))
    return {"x": x, **{f"y{k}": np.zeros_like(x) for k in range(4)}}


@settings(deadline=None, max_examples=20)
@given(specials, specials, st.sampled_from((F32, F64)))
@example(0.0, -0.0, F64)
@example(-0.0, 0.0, F32)
def test_every_form_of_a_nest_computes_with_its_own_constants(a: float, b: float, type_: ScalarType) -> None:
    nest, data = _nest(_values(a, b, type_), type_), _data(type_)
    expected = interpreted(nest, {}, data, True)
    assert_same(expected, compiled(scalar_program(nest), {}, data, True), f"scalar: {a}, {b}")
    assert_same(expected, compiled(plan(nest, host_target()), {}, data, True), f"planned: {a}, {b}")


@pytest.mark.parametrize("type_", [F32, F64])
def test_c_with_constants_of_all_kinds(type_: ScalarType, tmp_path: Path) -> None:
    require("gcc")
    for a, b in ((0.0, -0.0), (-0.0, 0.0), (NAN, -0.0), (-math.inf, math.inf)):
        nest, data = _nest(_values(a, b, type_), type_), _data(type_)
        expected = interpreted(nest, {}, data, False)
        for program in (scalar_program(nest), plan(nest, host_target())):
            library = load_c(c_source(program, "f"), tmp_path)
            assert_same(expected, call_program(library, program, "f", {}, data), f"C: {a}, {b}")


@pytest.mark.parametrize("type_", [F32, F64])
def test_the_assembly_tier_with_both_zeros(type_: ScalarType) -> None:
    """It has a pool of constants; where it refuses a nest, LLVM makes the code."""
    i, count = affine("i"), affine(16)
    x = Read(Access("x", (i,)), type_)
    products: list[Expression] = [Binary("*", x, Literal(value, type_), type_) for value in (0.0, -0.0)]
    nest = replace(_nest(products, type_), body=Block(()))
    body = Block(tuple(Compute(f"S{k}", Access(f"y{k}", (i,)), value) for k, value in enumerate(products)))
    arrays = tuple(replace(spec, shape=(count,)) for spec in nest.arrays[:3])
    nest = replace(nest, arrays=arrays, body=Loop("i", affine(0), count, 1, body, LoopKind.VECTOR))
    data: Arrays = {name: np.ones(16, dtype_of(type_)) for name in ("x", "y0", "y1")}
    compile_nest(nest, tier="assembly")(**data)
    assert not np.signbit(data["y0"]).any()
    assert np.signbit(data["y1"]).all()
