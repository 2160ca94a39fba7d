"""Vector programs, compiled and run, against the interpreter and numpy, bit for bit."""

from __future__ import annotations

import ctypes
import math
import mmap

import numpy as np
import pytest

from polyloop.backend.ir.affine import And, Not, Or, affine, at_least, choose, equal, maximum, minimum
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I32,
    I64,
    U8,
    U16,
    U32,
    ScalarType,
    dtype_of,
)
from polyloop.backend.ir.interpreter import binary, c_function, convert
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import (
    Address,
    Apply,
    Arithmetic,
    Bind,
    Broadcast,
    Constant,
    Convert,
    For,
    Horizontal,
    IndexValue,
    Lane,
    Let,
    Load,
    Pack,
    Pick,
    Statement,
    Store,
    Value,
    ValueType,
    VectorProgram,
)
from polyloop.backend.ir.vector_program import Test as Comparing
from polyloop.backend.machine.host import host_target
from tests.helpers.vector_programs import ROW, TYPES, N, at, lanewise, numbers, program, run, same, v


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("source", TYPES, ids=str)
@pytest.mark.parametrize("target", TYPES, ids=str)
def test_conversions(source: ScalarType, target: ScalarType, lanes: int) -> None:
    x = numbers(source, 16)
    if source.is_float and target.kind == "uint":
        x = np.abs(x)
    operation = Convert(v("x", source, lanes), ValueType(target, lanes))
    expected = np.array([convert(value.item(), target) for value in x], dtype_of(target))
    same(lanewise(operation, {"x": x}, operation.type), expected)


@pytest.mark.parametrize("lanes", [1, 8, 32])
@pytest.mark.parametrize("source", [F32, F64], ids=str)
@pytest.mark.parametrize("target", [t for t in TYPES if not t.is_float and t.bits < 32], ids=str)
def test_floats_beyond_narrow_integers_wrap(source: ScalarType, target: ScalarType, lanes: int) -> None:
    """C leaves open what comes of them, and compilers wrap a single one: lanes that saturate would differ from it."""
    x = np.linspace(-70000, 70000, 64).astype(dtype_of(source))
    operation = Convert(v("x", source, lanes), ValueType(target, lanes))
    expected = np.array([convert(value.item(), target) for value in x], dtype_of(target))
    same(lanewise(operation, {"x": x}, operation.type), expected)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_binary_operators(type_: ScalarType, lanes: int) -> None:
    x, y = numbers(type_, 8, 1), numbers(type_, 8, 2)
    if type_.bits == 8:
        x, y = (np.clip(a, 0 if type_.kind == "uint" else -11, 11).astype(a.dtype) for a in (x, y))
    if not type_.is_float:
        y[y == 0] = 3
    for operator in "+-*/" if type_.is_float else ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"):
        right = y % 3 if operator in ("<<", ">>") else y
        operation = Arithmetic(operator, (v("x", type_, lanes), v("y", type_, lanes)), ValueType(type_, lanes))
        expected = [binary(operator, a.item(), b.item(), type_) for a, b in zip(x, right, strict=True)]
        same(lanewise(operation, {"x": x, "y": right}, operation.type), np.array(expected, dtype_of(type_)))


def test_unsigned_arithmetic_wraps() -> None:
    x = np.array([0, 1, 2**32 - 1, 2**31], np.uint32)
    y = np.array([1, 2**32 - 1, 2**32 - 1, 2**31], np.uint32)
    for operator, expected in (("+", x + y), ("-", x - y), ("*", x * y)):
        operation = Arithmetic(operator, (v("x", U32, 4), v("y", U32, 4)), ValueType(U32, 4))
        same(lanewise(operation, {"x": x, "y": y}, operation.type), expected)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("type_", [F32, F64, I32, U16], ids=str)
def test_negation_and_complement(type_: ScalarType, lanes: int) -> None:
    x = numbers(type_, 8)
    x[0] = 0
    negated = Arithmetic("neg", (v("x", type_, lanes),), ValueType(type_, lanes))
    same(lanewise(negated, {"x": x}, negated.type), -x)
    if not type_.is_float:
        flipped = Arithmetic("~", (v("x", type_, lanes),), ValueType(type_, lanes))
        same(lanewise(flipped, {"x": x}, flipped.type), ~x)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("type_", [F64, I32, U32], ids=str)
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "==", "!="])
def test_comparisons_and_picks(type_: ScalarType, operator: str, lanes: int) -> None:
    if type_.is_float:
        x = np.array([1, 2, math.nan, -0.0, 3, math.inf, 1, math.nan])
        y = np.array([2, 1, 1.0, 0.0, 3, math.inf, math.nan, math.nan])
    else:
        x = np.array([1, 2, 2**31 + 5, 7, 0, 9, 3, 4], np.uint32).astype(dtype_of(type_))
        y = np.array([2, 1, 6, 7, 2**31, 9, 4, 3], np.uint32).astype(dtype_of(type_))
    compared = {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[operator]
    test = Comparing(operator, v("x", type_, lanes), v("y", type_, lanes), ValueType(I32, lanes))
    same(lanewise(test, {"x": x, "y": y}, test.type), compared.astype(np.int32))
    body = (
        Let("x", Load(at("x", "i"), ValueType(type_, lanes))),
        Let("y", Load(at("y", "i"), ValueType(type_, lanes))),
        Let("c", test),
        Let("r", Pick(Value("c", test.type), v("x", type_, lanes), v("y", type_, lanes), ValueType(type_, lanes))),
        Store(at("out", "i"), v("r", type_, lanes)),
    )
    specs = (ArraySpec("x", type_, (N,), read_only=True), ArraySpec("y", type_, (N,)), ArraySpec("out", type_, (N,)))
    out = np.zeros_like(x)
    run(program(specs, For("i", affine(0), N, lanes, body)), x=x, y=y, out=out)
    same(out, np.where(compared, x, y))


@pytest.mark.parametrize("lanes", [1, 4])
def test_pick_on_a_number(lanes: int) -> None:
    x = np.array([0.0, 1.5, math.nan, -0.0])
    pick = Pick(v("x", F64, lanes), v("x", F64, lanes), v("y", F64, lanes), ValueType(F64, lanes))
    y = np.full(4, 7.0)
    same(lanewise(pick, {"x": x, "y": y}, pick.type), np.array([7.0, 1.5, math.nan, 7.0]))


@pytest.mark.parametrize("lanes", [1, 4])
def test_extrema_take_the_second_operand_when_nothing_is_smaller(lanes: int) -> None:
    x = np.array([1.0, 2.0, math.nan, 1.0, -0.0, 0.0, 5.0, -1.0])
    y = np.array([2.0, 1.0, 1.0, math.nan, 0.0, -0.0, 5.0, -2.0])
    for operator, expected in (("min", np.where(x < y, x, y)), ("max", np.where(x > y, x, y))):
        operation = Arithmetic(operator, (v("x", F64, lanes), v("y", F64, lanes)), ValueType(F64, lanes))
        same(lanewise(operation, {"x": x, "y": y}, operation.type), expected)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("type_", [F32, F64], ids=str)
@pytest.mark.parametrize("function", ["sqrt", "fabs", "floor", "ceil", "trunc", "exp", "tanh", "pow"])
def test_functions_agree_with_libm(function: str, type_: ScalarType, lanes: int) -> None:
    x = np.array([0.5, 2.25, 0.0, 7.5, -0.0, math.nan, math.inf, 1.25], dtype_of(type_))
    y = np.array([1.5, 2.25, -0.0, 0.5, 0.0, 1.0, math.nan, -3.0], dtype_of(type_))
    arguments = {"x": x, "y": y} if function == "pow" else {"x": x}
    name = function + ("f" if type_ == F32 else "")
    call = Apply(name, tuple(v(a, type_, lanes) for a in arguments), ValueType(type_, lanes))
    called = c_function(name, type_, (type_,) * len(arguments))
    expected = [called(*(a.item() for a in values)) for values in zip(*arguments.values(), strict=True)]
    result = lanewise(call, arguments, call.type)
    np.testing.assert_array_equal(result, np.array(expected, dtype_of(type_)))
    numeric = ~np.isnan(result)
    np.testing.assert_array_equal(np.signbit(result[numeric]), np.signbit(np.array(expected)[numeric]))


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("auto_vectorize", [False, True])
def test_powers_are_simplified_as_clang_does(auto_vectorize: bool, lanes: int) -> None:
    """pow(x, 2.0) is x * x, and pow(2.0, x) is exp2(x): for these numbers glibc's pow rounds otherwise."""
    wide, i = ValueType(F64, lanes), ROW
    body = (
        Let("two", Constant(2.0, wide)),
        Let("x", Load(at("x", i), wide)),
        Let("square", Apply("pow", (Value("x", wide), Value("two", wide)), wide)),
        Let("power", Apply("pow", (Value("two", wide), Value("x", wide)), wide)),
        Store(at("squares", i), Value("square", wide)),
        Store(at("powers", i), Value("power", wide)),
    )
    specs = tuple(ArraySpec(name, F64, (N,)) for name in ("x", "squares", "powers"))
    x = np.random.default_rng(5).uniform(-10, 10, 20000)
    squares, powers = np.zeros_like(x), np.zeros_like(x)
    loop = For("i", affine(0), N, lanes, body)
    run(program(specs, loop, auto_vectorize=auto_vectorize), x=x, squares=squares, powers=powers)
    exp2 = c_function("exp2", F64, (F64,))
    same(squares, x * x)
    same(powers, np.array([exp2(value) for value in x.tolist()]))


def test_fma_rounds_once_where_contraction_is_on() -> None:
    x = np.array([1 + 2**-30, 3.0, 0.1, 1e3])
    fused = Arithmetic("fma", (v("x", F64), v("x", F64), v("y", F64)), ValueType(F64))
    body = (
        Let("x", Load(at("x", "i"), ValueType(F64))),
        Let("y", Load(at("y", "i"), ValueType(F64))),
        Let("r", fused),
        Store(at("out", "i"), v("r", F64)),
    )
    specs = tuple(ArraySpec(n, F64, (N,)) for n in ("x", "y", "out"))
    y = -(x * x)
    for contract in (False, True):
        out = np.zeros(4)
        run(program(specs, For("i", affine(0), N, 1, body)), contract=contract, x=x, y=y, out=out)
        expected = [2.0**-60, 0.0] if contract and host_target().has_fma else [0.0, 0.0]
        same(out[:2], np.array(expected))


def test_reversed_and_strided_access() -> None:
    values = np.arange(64, dtype=np.float32)
    out = np.zeros(8, np.float32)
    wide = ValueType(F32, 8)
    specs = (ArraySpec("x", F32, (None,), read_only=True), ArraySpec("out", F32, (N,)))
    for address, expected in (
        (at("x", 20, stride=-1), values[20:12:-1]),
        (at("x", 3, stride=7), values[3:59:7]),
        (at("x", 60, stride=-5), values[60:20:-5]),
        (at("x", 9, stride=0), np.full(8, 9, np.float32)),
    ):
        run(program(specs, Let("x", Load(address, wide)), Store(at("out", 0), Value("x", wide))), x=values, out=out)
        same(out, np.ascontiguousarray(expected))
    target = np.zeros(64, np.float32)
    stored = (Let("x", Load(at("x", 0), wide)), Store(at("out", 63, stride=-2), Value("x", wide)))
    run(program(specs, *stored), x=values, out=target)
    same(target[63:47:-2].copy(), values[:8])
    assert np.count_nonzero(target) == 7


def test_columns_of_a_matrix_of_unknown_width() -> None:
    matrix = np.arange(35, dtype=np.float64).reshape(5, 7)
    out = np.zeros(4)
    wide = ValueType(F64, 4)
    specs = (ArraySpec("x", F64, (affine(5), affine("M"))), ArraySpec("out", F64, (affine(4),)))
    load = Let("x", Load(Address("x", (affine(1), affine("c")), (1, 0)), wide))
    body = (Bind("c", affine("M") - 2), load, Store(at("out", 0), Value("x", wide)))
    diagonal = Let("x", Load(Address("x", (affine(0), affine(3)), (1, -1)), wide))
    run(VectorProgram("k", ("M",), specs, body), x=matrix, out=out)
    same(out, matrix[1:, 5].copy())
    run(VectorProgram("k", ("M",), specs, (diagonal, Store(at("out", 0), Value("x", wide)))), x=matrix, out=out)
    same(out, np.array([matrix[lane, 3 - lane] for lane in range(4)]))


@pytest.mark.parametrize("stride", [1, -1, 3, 0])
@pytest.mark.parametrize("active", range(9))
def test_masked_loads_and_stores_touch_only_active_lanes(stride: int, active: int) -> None:
    wide = ValueType(I32, 8)
    start = 30
    values = np.arange(100, 164, dtype=np.int32)
    specs = (ArraySpec("x", I32, (None,)), ArraySpec("y", I32, (None,)))
    body = (
        Let("x", Load(at("x", start, stride=stride), wide, N)),
        Let("one", Constant(1, wide)),
        Let("r", Arithmetic("+", (Value("x", wide), Value("one", wide)), wide)),
        Store(at("y", start, stride=stride or 2), Value("r", wide), affine(8)),
    )
    y = np.zeros(64, np.int32)
    run(program(specs, *body), N=active, x=values, y=y)
    loaded = [values[start + lane * stride] if lane < active else 0 for lane in range(8)]
    same(y[[start + lane * (stride or 2) for lane in range(8)]], np.array(loaded, np.int32) + np.int32(1))
    if stride:
        y = np.zeros(64, np.int32)
        masked = (*body[:-1], Store(at("y", start, stride=stride), Value("r", wide), N))
        run(program(specs, *masked), N=active, x=values, y=y)
        expected = np.zeros(64, np.int32)
        for lane in range(active):
            expected[start + lane * stride] = loaded[lane] + 1
        same(y, expected)


def test_masks_reach_the_end_of_memory() -> None:
    """Inactive lanes may lie on a page that is not there: read and write up to the last byte of a mapping."""
    page = mmap.PAGESIZE
    region = mmap.mmap(-1, 2 * page)
    libc = ctypes.CDLL(None, use_errno=True)
    whole = np.frombuffer(region, np.float32)
    address = whole.ctypes.data
    assert libc.mprotect(ctypes.c_void_p(address + page), page, 0) == 0
    x = whole[: page // 4]
    x[:] = 1.5
    wide = ValueType(F32, 16)
    start = affine(len(x) - 3)
    body = (Let("x", Load(at("x", start), wide, affine(3))), Let("r", Arithmetic("+", (Value("x", wide),) * 2, wide)))
    run(program((ArraySpec("x", F32, (None,)),), *body, Store(at("x", start), Value("r", wide), affine(3))), N=0, x=x)
    assert x[-4:].tolist() == [1.5, 3.0, 3.0, 3.0]
    assert libc.mprotect(ctypes.c_void_p(address + page), page, 3) == 0


@pytest.mark.parametrize("type_", [F64, F32, I32, U8], ids=str)
def test_index_values(type_: ScalarType) -> None:
    wide = ValueType(type_, 8)
    out = np.zeros(16, dtype_of(type_))
    body = (
        Let("x", IndexValue(2 * ROW + 5, 3, wide)),
        Let("y", IndexValue(N + 1, 0, ValueType(type_))),
        Let("b", Broadcast(v("y", type_), wide)),
        Let("r", Arithmetic("+", (Value("x", wide), Value("b", wide)), wide)),
        Store(at("out", "i"), Value("r", wide)),
    )
    run(program((ArraySpec("out", type_, (None,)),), For("i", affine(0), affine(16), 8, body)), N=3, out=out)
    expected = [2 * (i - i % 8) + 5 + 3 * (i % 8) + 4 for i in range(16)]
    same(out, np.array(expected, dtype_of(type_)))


@pytest.mark.parametrize("operator", ["+", "*", "min", "max"])
@pytest.mark.parametrize("lanes", [2, 8])
def test_horizontal_folds(operator: str, lanes: int) -> None:
    x = np.arange(1, lanes + 1, dtype=np.float64)
    expected = {"+": x.sum(), "*": x.prod(), "min": x.min(), "max": x.max()}[operator]
    out = np.zeros(())
    body = (
        Let("x", Load(at("x", 0), ValueType(F64, lanes))),
        Let("r", Horizontal(operator, v("x", F64, lanes), ValueType(F64))),
        Store(Address("out", (), ()), v("r", F64)),
    )
    run(program((ArraySpec("x", F64, (N,)), ArraySpec("out", F64)), *body), x=x, out=out)
    same(out, np.array(expected))


def test_lanes_are_packed_and_taken_out() -> None:
    """The lanes in reverse, by way of scalars."""
    x, out = np.arange(8.0), np.zeros(8)
    wide = ValueType(F64, 4)
    body: list[Statement] = [Let("x", Load(at("x", "i"), wide))]
    body += [Let(f"s{k}", Lane(Value("x", wide), k, ValueType(F64))) for k in range(4)]
    body.append(Let("r", Pack(tuple(v(f"s{k}", F64) for k in reversed(range(4))), wide)))
    body.append(Store(at("out", "i"), Value("r", wide)))
    specs = (ArraySpec("x", F64, (N,), read_only=True), ArraySpec("out", F64, (N,)))
    run(program(specs, For("i", affine(0), N, 4, tuple(body))), N=8, x=x, out=out)
    assert out.tolist() == [3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0]


@pytest.mark.parametrize("divisor", [2, 3, 7, 8, 64])
def test_integer_arithmetic_of_negatives(divisor: int) -> None:
    forms = (
        ROW // divisor,
        (3 * ROW + 1) // divisor,
        ROW % divisor,
        (ROW // divisor) // 3 + 2 * (ROW % 5),
        minimum(ROW, 3, N - ROW),
        maximum(-ROW, ROW // 2, -4),
        choose(at_least(ROW, 2), ROW + 1, -ROW) * 3,
        choose(And((at_least(ROW, -3), Or((equal(ROW, 1), Not(at_least(ROW, 0)))))), ROW, 100),
        choose(equal(ROW % 2, 0), ROW // 2, N),
    )
    specs = tuple(ArraySpec(f"o{n}", I64, (None,)) for n in range(len(forms)))
    body: list[Statement] = []
    for number, form in enumerate(forms):
        body.append(Let(f"x{number}", IndexValue(form, 0, ValueType(I64))))
        body.append(Store(at(f"o{number}", ROW + 20), v(f"x{number}", I64)))
    out = {f"o{n}": np.zeros(41, np.int64) for n in range(len(forms))}
    run(program(specs, For("i", affine(-20), affine(21), 1, tuple(body))), N=4, **out)
    for number, form in enumerate(forms):
        assert out[f"o{number}"].tolist() == [form.evaluate({"i": i, "N": 4}) for i in range(-20, 21)]
