"""Vector programs as C: compiled by gcc and clang with warnings as errors, run, compared with numpy bit for bit."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from polyloop.backend.c.header import emit_header
from polyloop.backend.c.printer import c_source, print_c
from polyloop.backend.ir.affine import affine, at_least, choose, maximum, minimum
from polyloop.backend.ir.expressions import F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, ScalarType, dtype_of
from polyloop.backend.ir.interpreter import Array, binary, convert
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.traversal import private_arrays
from polyloop.backend.ir.vector_program import (
    Address,
    Apply,
    Arithmetic,
    Bind,
    Broadcast,
    Carried,
    Constant,
    Convert,
    For,
    Horizontal,
    If,
    IndexValue,
    Lane,
    LazyPick,
    Let,
    Load,
    Operation,
    Pack,
    Pick,
    Prefetch,
    Shuffle,
    Statement,
    Store,
    Value,
    ValueType,
    VectorProgram,
)
from polyloop.backend.ir.vector_program import Test as Comparing
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.lowering import transpose
from polyloop.backend.planning.values import Emitter, Names
from tests.helpers.golden import Golden
from tests.helpers.running import c_of
from tests.helpers.vector_programs import at

COMPILERS = [name for name in ("gcc", "gcc-11", "clang", "clang-22") if shutil.which(name)]
GOLDEN = Path(__file__).parent / "golden"
N = affine("n")
D, V = ValueType(F64), ValueType(F64, 8)
pytestmark = pytest.mark.parametrize("compiler", COMPILERS)


def run(text: str, folder: Path, compiler: str, name: str, *arguments: int | Array, flags: tuple[str, ...] = ()) -> int:
    """Compile for a narrow target, where wide vectors are split, and call."""
    function = _compiled(text, folder, compiler, flags)[name]
    result: int = function(
        *(ctypes.c_long(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data) for a in arguments)
    )
    return result


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for files that several tests have a function in: compilers read headers for longer than functions."""
    return tmp_path_factory.mktemp("together")


@cache
def _text(make: Callable[[], Mapping[str, VectorProgram]]) -> str:
    return c_of(make())


@lru_cache(4 * len(COMPILERS))  # a text is called with several arguments, and by several tests
def _compiled(text: str, folder: Path, compiler: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    folder.mkdir(exist_ok=True)
    path, library = folder / "kernel.c", folder / f"{compiler}{''.join(flags)}.so"
    path.write_text("#include <math.h>\n" + text)
    warnings = ("-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Werror")
    command = [compiler, "-std=c11", "-O1", *warnings, "-ffp-contract=off", *flags]
    done = subprocess.run([*command, "-shared", "-fPIC", path, "-o", library, "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, text + done.stderr
    return ctypes.CDLL(str(library))


def program(arrays: tuple[ArraySpec, ...], *body: Statement, parameters: tuple[str, ...] = ("n",)) -> VectorProgram:
    return VectorProgram("kernel", parameters, arrays, body)


def numbers(type_: ScalarType, count: int, seed: int) -> Array:
    random = np.random.default_rng(seed)
    if type_.is_float:
        return random.uniform(-3, 3, count).astype(dtype_of(type_))
    values = random.integers(1 if type_.kind == "uint" else -11, 11, count)
    return np.where(values == 0, 5, values).astype(dtype_of(type_))


def same(actual: Array, expected: Array) -> None:
    assert actual.tobytes() == expected.tobytes(), f"{actual} != {expected}"


def spec(name: str, type_: ScalarType, read_only: bool = True) -> ArraySpec:
    return ArraySpec(name, type_, (None,), read_only=read_only)


def use(name: str, type_: ValueType) -> Value:
    return Value(name, type_)


Cases: TypeAlias = "list[tuple[Operation, ScalarType, list[object]]]"


def operations(cases: Cases, inputs: Mapping[str, Array]) -> VectorProgram:
    """All operations, over values called like the inputs, in one program."""
    specs: list[ArraySpec] = []
    body: list[Statement] = []
    count = len(next(iter(inputs.values())))
    for name, array in inputs.items():
        type_ = ScalarType({"f": "float", "i": "int", "u": "uint"}[array.dtype.kind], array.dtype.itemsize * 8)
        specs.append(spec(name, type_))
        for lanes in (1, count):
            body.append(Let(f"{name}{lanes}", Load(Address(name, (affine(0),), (1,)), ValueType(type_, lanes))))
    for k, (operation, _, _) in enumerate(cases):
        specs.append(spec(f"out{k}", operation.type.element, read_only=False))
        body.append(Let(f"r{k}", operation))
        body.append(Store(Address(f"out{k}", (affine(0),), (1,)), use(f"r{k}", operation.type)))
    return program(tuple(specs), *body)


def check_operations(
    text: str, folder: Path, compiler: str, name: str, cases: Cases, inputs: Mapping[str, Array]
) -> None:
    """Run a function of `operations`; compare each with its expected lanes."""
    results = []
    for operation, _, expected in cases:
        dtype, lanes = dtype_of(operation.type.element), operation.type.lanes
        results.append((np.zeros(lanes, dtype), np.array(expected[:lanes], dtype)))
    run(text, folder, compiler, name, 0, *inputs.values(), *(actual for actual, _ in results))
    for (operation, _, _), (actual, wanted) in zip(cases, results, strict=True):
        assert actual.tobytes() == wanted.tobytes(), f"{operation}: {actual} != {wanted}"


ARITHMETIC = (F32, F64, I8, I16, I32, I64, U8, U32, U64)


def _arithmetic(type_: ScalarType) -> tuple[Cases, dict[str, Array]]:
    x, y = numbers(type_, 8, 1), numbers(type_, 8, 2)
    x[3] = y[3]
    pairs = [(a.item(), b.item()) for a, b in zip(x, y, strict=True)]
    tests = {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}
    cases: Cases = []
    for lanes in (1, 8):
        kind, truth = ValueType(type_, lanes), ValueType(I32, lanes)
        operands = (use(f"x{lanes}", kind), use(f"y{lanes}", kind))
        operators = ["+", "-", "*", "/"] + ([] if type_.is_float else ["%", "&", "|", "^"])
        for operator in operators:
            expected: list[object] = [binary(operator, a, b, type_) for a, b in pairs]
            cases.append((Arithmetic(operator, operands, kind), type_, expected))
        cases.append((Arithmetic("neg", operands[:1], kind), type_, list(-x)))
        cases.append((Arithmetic("min", operands, kind), type_, list(np.minimum(x, y))))
        cases.append((Arithmetic("max", operands, kind), type_, list(np.maximum(x, y))))
        cases.extend((Comparing(o, *operands, truth), I32, list(r.astype(np.int32))) for o, r in tests.items())
    return cases, {"x": x, "y": y}


def _every_arithmetic() -> Mapping[str, VectorProgram]:
    return {f"of_{type_}": operations(*_arithmetic(type_)) for type_ in ARITHMETIC}


@pytest.mark.parametrize("type_", ARITHMETIC, ids=str)
def test_arithmetic_comparisons_and_choices(together: Path, compiler: str, type_: ScalarType) -> None:
    text = _text(_every_arithmetic)
    check_operations(text, together / "arithmetic", compiler, f"of_{type_}", *_arithmetic(type_))


CONVERTED = (F32, F64, I8, I32, I64, U8, U32)


def _conversions(source: ScalarType) -> tuple[Cases, dict[str, Array]]:
    x = np.abs(numbers(source, 8, 5)) if source.is_float else numbers(source, 8, 5)
    cases: Cases = [
        (
            Convert(use(f"x{lanes}", ValueType(source, lanes)), ValueType(target, lanes)),
            target,
            [convert(a.item(), target) for a in x],
        )
        for target in (F32, F64, I8, I16, I32, I64, U8, U32, U64)
        for lanes in (1, 8)
    ]
    return cases, {"x": x}


def _every_conversion() -> Mapping[str, VectorProgram]:
    return {f"of_{source}": operations(*_conversions(source)) for source in CONVERTED}


@pytest.mark.parametrize("source", CONVERTED, ids=str)
def test_conversions(together: Path, compiler: str, source: ScalarType) -> None:
    text = _text(_every_conversion)
    check_operations(text, together / "conversions", compiler, f"of_{source}", *_conversions(source))


@pytest.mark.parametrize(
    ("source", "target", "steps"),
    [
        (U8, I32, ["u16", "i32"]),
        (U8, F32, ["u16", "i32", "f32"]),
        (I64, I8, ["i32", "i16", "i8"]),
        (F64, U8, ["i32", "u16", "u8"]),
        (F32, F64, ["f64"]),
    ],
    ids=str,
)
def test_no_vector_conversion_is_left_to_single_lanes(
    compiler: str, source: ScalarType, target: ScalarType, steps: list[str]
) -> None:
    """gcc has none from 8 to 32 bits, and takes the lanes one by one: 52 instructions where there are to be 12."""
    converted = Convert(use("x", ValueType(source, 16)), ValueType(target, 16))
    body = (
        Let("x", Load(Address("x", (affine(0),), (1,)), ValueType(source, 16))),
        Let("y", converted),
        Store(Address("y", (affine(0),), (1,)), use("y", converted.type)),
    )
    text = c_source(program((spec("x", source), spec("y", target, read_only=False)), *body))
    found = re.findall(r",\s+polyloop_(\w+?)x16\)", text)
    assert sorted(found) == sorted(steps)  # some stand in macros


@pytest.mark.parametrize("lanes", [2, 4, 8, 16, 32])
def test_conversions_are_right_with_the_instructions_of_every_machine(
    tmp_path: Path, compiler: str, lanes: int
) -> None:
    """Of integers, where gcc gets intrinsics: numbers at the ends of their ranges, and others."""
    types = (I8, U8, I16, U16, I32, U32, I64, U64)
    names = {source: f"x{source}" for source in types}
    body: list[Statement] = []
    wanted, arrays = [], []
    for source in types:
        kind = ValueType(source, lanes)
        body.append(Let(f"v{source}", Load(Address(names[source], (affine(0),), (1,)), kind)))
        for target in types:
            if target == source:
                continue
            name = f"{source}_{target}"
            body.append(Let(f"v{name}", Convert(use(f"v{source}", kind), ValueType(target, lanes))))
            body.append(Store(Address(name, (affine(0),), (1,)), use(f"v{name}", ValueType(target, lanes))))
            arrays.append(np.zeros(lanes, dtype_of(target)))
            limits, rng = np.iinfo(np.dtype(dtype_of(source)).name), np.random.default_rng(source.bits)
            given = rng.integers(limits.min, limits.max, lanes, dtype_of(source), endpoint=True)
            given[:3] = (limits.min, limits.max, limits.max // 2 + 1)[:lanes]
            wanted.append((source, given, given.astype(dtype_of(target))))
    inputs = {source: given for source, given, _ in wanted}
    specs = [spec(names[source], source) for source in types]
    specs += [spec(f"{a}_{b}", b, False) for a in types for b in types if a != b]
    text = c_source(program(tuple(specs), *body))
    for flags in ((), ("-march=native",)):
        for found in arrays:
            found[:] = 0
        run(text, tmp_path, compiler, "kernel", 0, *(inputs[t] for t in types), *arrays, flags=flags)
        for found, (_, _, expected) in zip(arrays, wanted, strict=True):
            same(found, expected)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_products_of_what_fits_in_half_the_bits_are_right(tmp_path: Path, compiler: str, lanes: int) -> None:
    """One instruction multiplies numbers of 64 bits that ones of 32 bits of one kind hold: extremes of all kinds."""
    types = (I32, U32, I16, U16, I64)
    wide, body, arrays, wanted = ValueType(I64, lanes), list[Statement](), [], []
    given = {}
    for type_ in types:
        limits, rng = np.iinfo(np.dtype(dtype_of(type_)).name), np.random.default_rng(type_.bits)
        given[type_] = rng.integers(limits.min, limits.max, lanes, dtype_of(type_), endpoint=True)
        given[type_][:2] = (limits.min, limits.max)[:lanes]
        body.append(Let(f"v{type_}", Load(Address(f"x{type_}", (affine(0),), (1,)), ValueType(type_, lanes))))
        narrow = use(f"v{type_}", ValueType(type_, lanes))
        body.append(Let(f"w{type_}", Convert(narrow, wide) if type_ != I64 else Arithmetic("neg", (narrow,), wide)))
    numbers = {str(t): -given[t] if t == I64 else given[t].astype(np.int64) for t in types}
    for number in (-(2**31), 2**31, 2**32, -7):
        body.append(Let(f"w{number}".replace("-", "m"), Constant(number, wide)))
        numbers[str(number).replace("-", "m")] = np.full(lanes, number, np.int64)
    pairs = [pair for pair in combinations_with_replacement(numbers, 2) if pair[0] in map(str, types)]
    for one, other in pairs:
        name = f"{one}_{other}"
        body.append(Let(f"v{name}", Arithmetic("*", (use(f"w{one}", wide), use(f"w{other}", wide)), wide)))
        body.append(Store(Address(f"y{name}", (affine(0),), (1,)), use(f"v{name}", wide)))
        arrays.append(np.zeros(lanes, np.int64))
        with np.errstate(over="ignore"):
            wanted.append(numbers[one] * numbers[other])
    specs = [spec(f"x{type_}", type_) for type_ in types]
    specs += [spec(f"y{one}_{other}", I64, False) for one, other in pairs]
    text = c_source(program(tuple(specs), *body))
    assert "product_of_ints" in text
    assert "product_of_unsigned" in text
    for flags in (("-fwrapv",), ("-march=native", "-fwrapv")):
        for found in arrays:
            found[:] = 0
        run(text, tmp_path, compiler, "kernel", 0, *(given[t] for t in types), *arrays, flags=flags)
        for found, expected in zip(arrays, wanted, strict=True):
            same(found, expected)


def test_what_is_smaller_than_a_register_is_converted_in_one(tmp_path: Path, compiler: str) -> None:
    """gcc 12 would move the lanes of four bytes one by one, with whatever instructions."""
    narrow, wide = ValueType(U8, 4), ValueType(I32, 4)
    body = (
        Let("x", Load(Address("x", (affine(0),), (1,)), narrow)),
        Let("y", Convert(use("x", narrow), wide)),
        Let("z", Convert(use("y", wide), narrow)),
        Store(Address("y", (affine(0),), (1,)), use("y", wide)),
        Store(Address("z", (affine(0),), (1,)), use("z", narrow)),
    )
    (tmp_path / "k.c").write_text(
        c_source(program((spec("x", U8), spec("y", I32, read_only=False), spec("z", U8, read_only=False)), *body))
    )
    command = [compiler, "-O2", "-S", "-o", "-", "k.c"]
    listing = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert not re.search("movzbl|movzx|pinsr|sal[lq]", listing)


def test_shifts_bits_masks_and_functions(tmp_path: Path, compiler: str) -> None:
    x, y, z = np.array([4.0, 0.25, 9, 2, -0.0, 7, 1, 3]), np.arange(8.0), np.arange(8, dtype=np.int32)
    eight = ValueType(I32, 8)
    c, d = use("x8", V), use("y8", V)
    constant = Constant(2.5, V)
    cases: Cases = [
        (Arithmetic("<<", (use("z8", eight), use("z8", eight)), eight), I32, list(z << z)),
        (Arithmetic("~", (use("z8", eight),), eight), I32, list(~z)),
        (Pick(use("z8", eight), c, d, V), F64, list(np.where(z != 0, x, y))),
        (Apply("sqrt", (c,), V), F64, list(np.sqrt(x))),
        (Apply("floor", (c,), V), F64, list(np.floor(x))),
        (Apply("fabs", (c,), V), F64, list(np.abs(x))),
        (Apply("fmax", (c, d), V), F64, list(np.fmax(x, y))),
        (constant, F64, [2.5] * 8),
        (IndexValue(affine("n") + 7, -3, V), F64, [7.0 - 3 * k for k in range(8)]),
        (IndexValue(affine("n") + 7, 2, eight), I32, [7 + 2 * k for k in range(8)]),
        (IndexValue(affine("n") + 7, -3, ValueType(U64, 8)), U64, [(7 - 3 * k) % 2**64 for k in range(8)]),
        (IndexValue(affine("n") + 2**33, 1, ValueType(U64, 4)), U64, [2**33 + k for k in range(4)]),
        *(
            (IndexValue(affine("n") + 7, 2, ValueType(t, lanes)), t, list[object](7 + 2 * k for k in range(lanes)))
            for t in (I8, U8, I16, U16)
            for lanes in (4, 8)
        ),
    ]
    inputs = {"x": x, "y": y, "z": z}
    check_operations(c_source(operations(cases, inputs)), tmp_path, compiler, "kernel", cases, inputs)


def test_masks_that_stay_masks(tmp_path: Path, compiler: str) -> None:
    x, y = np.array([1.0, 5, 2, 8, 3, 0, 7, 4]), np.array([2.0, 4, 2, 9, 1, 0, 8, 1])
    truth = ValueType(I32, 8)
    less, positive = Comparing("<", use("x", V), use("y", V), truth), Comparing(">", use("y", V), use("two", V), truth)
    body: tuple[Statement, ...] = (
        Let("x", Load(Address("x", (affine(0),), (1,)), V)),
        Let("y", Load(Address("y", (affine(0),), (1,)), V)),
        Let("two", Constant(2.0, V)),
        Let("less", less),
        Let("positive", positive),
        Let("both", Arithmetic("&", (use("less", truth), use("positive", truth)), truth)),
        Let("r", Pick(use("both", truth), use("x", V), use("two", V), V)),
        Store(Address("out", (affine(0),), (1,)), use("r", V)),
        Let("count", Arithmetic("+", (use("both", truth), use("less", truth)), truth)),
        Store(Address("number", (affine(0),), (1,)), use("count", truth)),
    )
    specs = (spec("x", F64), spec("y", F64), spec("out", F64, False), spec("number", I32, False))
    out, number = np.zeros(8), np.zeros(8, np.int32)
    run(c_source(program(specs, *body)), tmp_path, compiler, "kernel", 0, x, y, out, number)
    both = (x < y) & (y > 2)
    same(out, np.where(both, x, 2.0))
    same(number, both.astype(np.int32) + (x < y).astype(np.int32))


ASKED = (*product((F64, F32, U8), (4, 32)), (F64, 8), (F32, 16), (U8, 16), (U8, 64), (I16, 8), (I16, 32), (I64, 2))


def _asked(element: ScalarType, lanes: int) -> VectorProgram:
    vector, flags, number = ValueType(element, lanes), ValueType(I32, lanes), ValueType(I32, 1)
    body: list[Statement] = [Let(name, Load(Address(name, (affine(0),), (1,)), vector)) for name in ("x", "y")]
    body.append(Let("less", Comparing("<", use("x", vector), use("y", vector), flags)))
    for row, operator in enumerate("|&+"):
        body.append(Let(f"f{row}", Horizontal(operator, use("less", flags), number)))
        body.append(Store(Address("out", (affine(row),), (0,)), use(f"f{row}", number)))
    return program((spec("x", element), spec("y", element), spec("out", I32, False)), *body)


def _every_asked() -> Mapping[str, VectorProgram]:
    return {f"of_{element}x{lanes}": _asked(element, lanes) for element, lanes in ASKED}


@pytest.mark.parametrize(("element", "lanes"), ASKED)
def test_masks_are_asked_for_any_lane_every_lane_and_how_many(
    together: Path, compiler: str, element: ScalarType, lanes: int
) -> None:
    assert not re.search("any_bit|every_bit", c_source(_asked(element, lanes)))
    text, name = _text(_every_asked), f"of_{element}x{lanes}"
    for smaller, flags_of_compiler in product((0, 1, lanes - 1, lanes), ((), ("-march=native",))):
        x, y, out = np.full(lanes, 3), np.full(lanes, 2), np.zeros(3, np.int32)
        y[lanes - smaller :] = 4
        inputs = (a.astype(dtype_of(element)) for a in (x, y))
        run(text, together / "asked", compiler, name, 0, *inputs, out, flags=flags_of_compiler)
        same(out, np.array([smaller > 0, smaller == lanes, smaller], np.int32))


@pytest.mark.parametrize("lanes", [8, 32])
def test_flags_stay_masks_where_they_are_negated_chosen_among_and_narrowed(
    tmp_path: Path, compiler: str, lanes: int
) -> None:
    wide, flags, byte = ValueType(I16, lanes), ValueType(I32, lanes), ValueType(U8, lanes)
    choices = {
        "and": ("less", "one", "zero"),
        "or": ("less", "one", "more"),
        "but": ("less", "zero", "more"),
        "both": ("not", "less", "more"),
        "then": ("less", "more", "one"),
        "same": ("different", "more", "zero"),
    }
    body: list[Statement] = [Let(name, Load(Address(name, (affine(0),), (1,)), wide)) for name in ("x", "y")]
    body += [Let(name, Constant(value, flags)) for name, value in (("zero", 0), ("one", 1))]
    body += [
        Let(name, Comparing(sign, use("x", wide), use("y", wide), flags))
        for name, sign in (("less", "<"), ("more", ">"))
    ]
    body += [
        Let("not", Comparing("==", use("less", flags), use("zero", flags), flags)),
        Let("different", Comparing("!=", use("less", flags), use("zero", flags), flags)),
    ]
    for row, (name, operands) in enumerate(choices.items()):
        condition, then, otherwise = (use(operand, flags) for operand in operands)
        body += [
            Let(name, Pick(condition, then, otherwise, flags)),
            Let(f"{name}_byte", Convert(use(name, flags), byte)),
            Store(Address("out", (affine(lanes * row),), (1,)), use(f"{name}_byte", byte)),
        ]
    specs = (spec("x", I16), spec("y", I16), spec("out", U8, False))
    text = c_source(program(specs, *body))
    assert re.search(r"from_\w+_i32x|convertvector\([^;]*i32x", text) is None, "flags are not widened"
    rng = np.random.default_rng(5)
    x, y = (rng.integers(0, 3, lanes).astype(np.int16) for _ in range(2))
    out = np.zeros(lanes * len(choices), np.uint8)
    run(text, tmp_path, compiler, "kernel", 0, x, y, out)
    less, more = x < y, x > y
    expected = [less, less | more, ~less & more, np.where(~less, less, more), np.where(less, more, True), less & more]
    same(out, np.concatenate(expected).astype(np.uint8))


MASKS = ("-mavx512f", "-mavx512vl", "-mavx512bw", "-mbmi2")
PREFIXES: list[tuple[ScalarType, int, int, tuple[str, ...]]]
PREFIXES = [(t, stride, 16 if t == F32 else 8, ()) for t in (F32, F64, I16) for stride in (1, -1, 3)]
PREFIXES += [(U8, stride, 128, ()) for stride in (-1, 3)]
PREFIXES += [(t, 1, lanes, MASKS) for t, lanes in ((F32, 16), (F64, 16), (I64, 4), (I32, 4), (U8, 32), (I8, 64))]


def _prefix(type_: ScalarType, stride: int, lanes: int) -> VectorProgram:
    kind = ValueType(type_, lanes)
    first = lanes - 1 if stride == -1 else 0
    load = Load(Address("x", (affine(first),), (stride,)), kind, N)
    whole = Let("all", Load(Address("x", (affine(first),), (stride,)), kind))
    body = (
        Let("part", load),
        Store(Address("a", (affine(0),), (1,)), use("part", kind)),
        whole,
        Store(Address("b", (affine(first),), (stride,)), use("all", kind), N),
        Store(Address("c", (affine(first),), (stride,)), use("all", kind)),
    )
    return program((spec("x", type_), *(spec(name, type_, False) for name in "abc")), *body)


def _every_prefix() -> Mapping[str, VectorProgram]:
    return {f"prefix{at}": _prefix(*one) for at, (*one, flags) in enumerate(PREFIXES) if not flags}  # type: ignore[arg-type]


def _every_masked_prefix() -> Mapping[str, VectorProgram]:
    return {f"prefix{at}": _prefix(*one) for at, (*one, flags) in enumerate(PREFIXES) if flags}  # type: ignore[arg-type]


@pytest.mark.parametrize(("type_", "stride", "lanes", "flags"), PREFIXES)
def test_every_prefix_length(
    together: Path, compiler: str, type_: ScalarType, stride: int, lanes: int, flags: tuple[str, ...]
) -> None:
    if not all(f"+{flag.removeprefix('-m')}" in host_target().features.split(",") for flag in flags):
        pytest.skip("this processor has no masks")
    text = _text(_every_masked_prefix if flags else _every_prefix)
    folder, name = together / f"prefixes{len(flags)}", f"prefix{PREFIXES.index((type_, stride, lanes, flags))}"
    first = lanes - 1 if stride == -1 else 0
    x = numbers(type_, lanes * 3, 4)
    places = [first + stride * k for k in range(lanes)]
    for active in range(lanes + 1):
        a, b, c = (np.full(lanes * 3, 99, x.dtype) for _ in range(3))
        wanted_a, wanted_b, wanted_c = a.copy(), b.copy(), c.copy()
        run(text, folder, compiler, name, active, x, a, b, c, flags=flags)
        wanted_a[:lanes] = [x[p] if k < active else 0 for k, p in enumerate(places)]
        wanted_b[places[:active]] = x[places[:active]]
        wanted_c[places] = x[places]
        same(a, wanted_a)
        same(b, wanted_b)
        same(c, wanted_c)


def tile(rows: int = 2) -> VectorProgram:
    """C[i..][j..] += A * B with the accumulators in registers; the last vector of a row is masked."""
    i, j, k, m = affine("i"), affine("j"), affine("k"), affine("m")
    before: list[Statement] = []
    body: list[Statement] = [Let("b", Load(Address("B", (k, j), (0, 1)), V, m - j))]
    after: list[Statement] = []
    carried: list[Carried] = []
    for r in range(rows):
        before.append(Let(f"start{r}", Load(Address("C", (i + r, j), (0, 1)), V, m - j)))
        body.append(Let(f"a{r}", Load(Address("A", (i + r, k), (0, 0)), D)))
        body.append(Let(f"wide{r}", Broadcast(use(f"a{r}", D), V)))
        product = (use(f"wide{r}", V), use("b", V), use(f"c{r}", V))
        body.append(Let(f"next{r}", Arithmetic("fma", product, V)))
        carried.append(Carried(f"c{r}", V, use(f"start{r}", V), use(f"next{r}", V), f"end{r}"))
        after.append(Store(Address("C", (i + r, j), (0, 1)), use(f"end{r}", V), m - j))
    reduction = For("k", affine(0), affine("l"), 1, tuple(body), tuple(carried))
    columns = For("j", affine(0), m, 8, (*before, reduction, *after))
    arrays = (
        ArraySpec("C", F64, (N, m)),
        ArraySpec("A", F64, (N, affine("l")), read_only=True),
        ArraySpec("B", F64, (affine("l"), m), read_only=True),
    )
    return program(arrays, For("i", affine(0), N, rows, (columns,), parallel=True), parameters=("n", "m", "l"))


@pytest.mark.parametrize(("type_", "number"), [(U8, 200), (I8, -3), (I16, 255), (I64, -(2**40))], ids=str)
def test_integer_constants_beside_vectors_are_numbers(
    tmp_path: Path, compiler: str, type_: ScalarType, number: int
) -> None:
    """Neither 32 lanes of them, nor casts: what C makes of the number fits."""
    lanes = ValueType(type_, 16)
    body: tuple[Statement, ...] = (
        Let("x", Load(Address("x", (affine("i"),), (1,)), lanes)),
        Let("c", Constant(number, lanes)),
        Let("sum", Arithmetic("+", (use("x", lanes), use("c", lanes)), lanes)),
        Let("less", Comparing("<", use("sum", lanes), use("c", lanes), lanes)),
        Let("pick", Pick(use("less", lanes), use("sum", lanes), use("c", lanes), lanes)),
        Store(Address("out", (affine("i"),), (1,)), use("pick", lanes)),
    )
    arrays = (ArraySpec("x", type_, (N,), read_only=True), ArraySpec("out", type_, (N,)))
    text = c_source(program(arrays, For("i", affine(0), N, 16, body)))
    assert "," not in "".join(re.findall(r"{[^{}]*}", text.partition("for (")[2]))
    x = np.arange(-16, 16).astype(dtype_of(type_))
    out = np.zeros_like(x)
    run(text, tmp_path, compiler, "kernel", 32, x, out)
    with np.errstate(over="ignore"):
        total, constant = x + np.array(number, x.dtype), np.array(number, x.dtype)
    np.testing.assert_array_equal(out, np.where(total < constant, total, constant))


def test_prefetches_that_repeat_themselves_in_parts_are_loops(compiler: str) -> None:
    body = [Prefetch(Address("x", (affine("i") + row, affine(8 * k)), ())) for row in range(4) for k in range(3)]
    body += [Prefetch(Address("x", (affine("i") + row, affine(23)), ())) for row in range(4)]
    arrays = (ArraySpec("x", F64, (N, affine(64)), read_only=True),)
    text = c_source(program(arrays, For("i", affine(0), N, 1, tuple(body))))
    assert len(re.findall(r"polyloop_ahead\(x", text)) == 2
    assert "8 * ((i + r) * 64 + 23)" in text


def test_arrays_share_one_block_of_memory(tmp_path: Path, compiler: str) -> None:
    local = tuple(ArraySpec(name, F64, (N, affine(3)), Storage.LOCAL) for name in ("first", "second", "third"))
    arrays = (ArraySpec("x", F64, (N,), read_only=True), ArraySpec("out", F64, (N,)), *local)
    body: list[Statement] = []
    for source, target in pairwise(("x", "first", "second", "third", "out")):
        places = [(affine("i"),) if name in ("x", "out") else (affine("i"), affine(1)) for name in (source, target)]
        moved = (
            Let(f"{target}_value", Load(Address(source, places[0], (0,) * len(places[0])), D)),
            Store(Address(target, places[1], (0,) * len(places[1])), use(f"{target}_value", D)),
        )
        body.append(For("i", affine(0), N, 1, moved))
    text = c_source(program(arrays, *body))
    assert text.count("polyloop_take(first_size + second_size + third_size + 64)") == 1
    assert text.count("free(memory)") == 1
    x, out = np.arange(50.0), np.zeros(50)
    run(text, tmp_path, compiler, "kernel", 50, x, out)
    same(out, x)


def test_lanes_are_packed_and_taken_out(tmp_path: Path, compiler: str) -> None:
    """The lanes in reverse, by way of scalars."""
    body: list[Statement] = [Let("x", Load(Address("x", (affine("i"),), (1,)), V))]
    body += [Let(f"s{k}", Lane(use("x", V), k, D)) for k in range(8)]
    body.append(Let("r", Pack(tuple(use(f"s{k}", D) for k in reversed(range(8))), V)))
    body.append(Store(Address("out", (affine("i"),), (1,)), use("r", V)))
    arrays = (ArraySpec("x", F64, (N,), read_only=True), ArraySpec("out", F64, (N,)))
    x, out = np.arange(16.0), np.zeros(16)
    text = c_source(program(arrays, For("i", affine(0), N, 8, tuple(body))))
    run(text, tmp_path, compiler, "kernel", 16, x, out)
    same(out, np.concatenate((x[7::-1], x[:7:-1])))


def test_the_end_of_a_rolled_loop_has_no_branches(tmp_path: Path, compiler: str) -> None:
    """Under -O2 gcc warns of an annotation in front of a condition with branches, in a function that it inlines."""
    ends = choose(at_least(affine("full"), 1), minimum(affine("k") + 8, N), affine("m"))
    inside: tuple[Statement, ...] = (
        Let("x", Load(Address("x", (affine("i"),), (1,)), V)),
        Let("s", Arithmetic("+", (use("x", V), use("x", V)), V)),
        Store(Address("out", (affine("i"),), (1,)), use("s", V)),
    )
    loop = For("k", affine(0), N, 8, (For("i", affine("k"), ends, 8, inside),))
    arrays = (ArraySpec("x", F64, (N,), read_only=True), ArraySpec("out", F64, (N,)))
    text = c_source(program(arrays, loop, parameters=("n", "m", "full")))
    assert re.search(r"const long end = .* \? .*;\n *polyloop_rolled for .* i < end;", text)
    x, out = np.arange(32.0), np.zeros(32)
    run(text, tmp_path, compiler, "kernel", 32, 16, 1, x, out, flags=("-O2", "-Wall"))
    same(out, x + x)


@pytest.mark.parametrize("flags", [(), ("-fopenmp",)], ids=["one thread", "OpenMP"])
def test_a_register_tile(tmp_path: Path, compiler: str, flags: tuple[str, ...]) -> None:
    if flags and compiler != "gcc":
        pytest.skip("clang needs its own OpenMP library")
    n, m, length = 6, 13, 5
    random = np.random.default_rng(0)
    c, a, b = (random.integers(-9, 9, shape).astype(float) for shape in ((n, m), (n, length), (length, m)))
    wanted = c + a @ b
    run(c_source(tile()), tmp_path, compiler, "kernel", n, m, length, c, a, b, flags=flags)
    same(c, wanted)


def test_the_text_is_readable(compiler: str, golden: Golden) -> None:
    golden.check(GOLDEN / "register_tile.c", print_c(tile(), "gemm_tile").text)


def rows(type_: ValueType) -> VectorProgram:
    """out[j] = least of x[j], y[j] + x[j], for all vectors from n on."""
    j = (affine("j"),)
    body: tuple[Statement, ...] = (
        Let("x", Load(Address("x", j, (1,)), type_)),
        Let("y", Load(Address("y", j, (1,)), type_)),
        Let("sum", Arithmetic("+", (use("y", type_), use("x", type_)), type_)),
        Let("least", Arithmetic("min", (use("x", type_), use("sum", type_)), type_)),
        Store(Address("out", j, (1,)), use("least", type_)),
    )
    arrays = tuple(spec(name, type_.element, name != "out") for name in ("x", "y", "out"))
    return program(arrays, For("j", N, affine(3 * type_.lanes), type_.lanes, body))


ROWS = (V, ValueType(I32, 16), ValueType(U8, 4), ValueType(F64, 16))


def _every_row() -> Mapping[str, VectorProgram]:
    return {f"of_{type_}": rows(type_) for type_ in ROWS}


@pytest.mark.parametrize("type_", ROWS, ids=str)
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_loops_of_vectors_stay_as_planned(together: Path, compiler: str, type_: ValueType, level: str) -> None:
    """Vectors used twice are held where they fit a register, counters start where no outer loop shows through."""
    nest = rows(type_)
    text = c_source(nest)
    assert text.count("    polyloop_rolled for (long j = polyloop_start(n); ") == 1
    held = type_ in (V, ValueType(I32, 16))
    assert (f"polyloop_keep_{type_}(x_1);\n" in text) is held
    assert "polyloop_keep_{type_}(y_1)" not in text
    assert f"polyloop_lesser_{type_}(&least, &x_1, &sum);" in text
    x, y = numbers(type_.element, 3 * type_.lanes, 1), numbers(type_.element, 3 * type_.lanes, 2)
    out = np.zeros_like(x)
    wanted = out.copy()
    first = type_.lanes
    wanted[first:] = np.minimum(x, y + x)[first:]
    flags, folder = (level, "-march=native"), together / "rows"
    run(_text(_every_row), folder, compiler, f"of_{type_}", first, x, y, out, flags=flags)
    same(out, wanted)


def test_no_compiler_gathers_or_scatters_what_lies_far_apart(tmp_path: Path, compiler: str) -> None:
    wide = ValueType(F64, 8)
    far = tuple(Address("x", (affine(k), 8 * affine("j")), (1, 0)) for k in (0, 8, 16))
    lanes: tuple[Statement, ...] = (
        *(Let(f"x{k}", Load(address, wide)) for k, address in enumerate(far)),
        Let("sum", Arithmetic("+", (use("x0", wide), use("x1", wide)), wide)),
        Let("all", Arithmetic("/", (use("sum", wide), use("x2", wide)), wide)),
        Store(Address("y", (affine("j"), affine(0)), (0, 1)), use("all", wide)),
    )
    scalars: tuple[Statement, ...] = (
        Let("one", Load(Address("y", (affine("j"), affine(1)), (0, 0)), ValueType(F64))),
        Store(Address("x", (affine("j"), affine(2)), (0, 0)), use("one", ValueType(F64))),
    )
    arrays = (ArraySpec("x", F64, (None, N), read_only=False), ArraySpec("y", F64, (None, affine(8)), read_only=False))
    text = c_source(program(arrays, *(For("j", affine(0), N, 1, body) for body in (lanes, scalars))))
    assert "polyloop_scalar for" in text
    assert "polyloop_rolled for" in text
    source = tmp_path / "far.c"
    source.write_text(text)
    flags = ["-O3", "-march=skylake-avx512", "-w", "-S", "-o", "-"]
    made = subprocess.run([compiler, *flags, str(source)], capture_output=True, text=True, check=True).stdout
    assert "vdivpd" in made
    assert not re.search(r"v(gather|scatter)", made)


@pytest.mark.parametrize("flags", [("-O1",), ("-O2", "-msse4.1"), ("-O3", "-march=native")], ids=" ".join)
def test_extrema_of_vectors(tmp_path: Path, compiler: str, flags: tuple[str, ...]) -> None:
    """By the instruction of their type and size, where there is one."""
    sizes = (8, 16, 32, 64)
    made = {f"kernel{bytes_}": _extrema(bytes_) for bytes_ in sizes}
    text = c_of({name: nest for name, (nest, _, _) in made.items()})
    for name, (nest, values, wanted) in made.items():
        run(text, tmp_path, compiler, name, 0, *values, flags=flags)
        found = [value for value, array in zip(values, nest.arrays, strict=True) if not array.read_only]
        for actual, expected in zip(found, wanted, strict=True):
            same(actual, expected)


def _extrema(bytes_: int) -> tuple[VectorProgram, list[Array], list[Array]]:
    """A program of vectors of every type, what it is called with, and what it has to store."""
    arrays: list[ArraySpec] = []
    body: list[Statement] = []
    values: list[Array] = []
    wanted: list[Array] = []
    random = np.random.default_rng(bytes_)
    for element in (I8, I16, I32, I64, U8, U16, U32, U64, F32, F64):
        type_ = ValueType(element, bytes_ // element.bytes)
        if element.is_float:
            special = np.array([0.0, -0.0, np.nan, 1.5, -2.0, np.inf], dtype_of(element).str)
            x, y = (random.choice(special, type_.lanes) for _ in range(2))
        else:
            limits = np.iinfo(dtype_of(element).str)
            x, y = (random.integers(limits.min, limits.max, type_.lanes, dtype_of(element), True) for _ in range(2))
        for name, array in (("x", x), ("y", y)):
            arrays.append(spec(f"{name}_{element}", element, True))
            values.append(array)
            body.append(Let(f"{name}{element}", Load(at(f"{name}_{element}", 0), type_)))
        for which, results in (("min", np.where(x < y, x, y)), ("max", np.where(x > y, x, y))):
            made, operands = f"{which}{element}", (use(f"x{element}", type_), use(f"y{element}", type_))
            arrays.append(spec(f"{which}_{element}", element, False))
            body += [
                Let(made, Arithmetic(which, operands, type_)),
                Store(at(f"{which}_{element}", 0), use(made, type_)),
            ]
            values.append(np.zeros_like(x))
            wanted.append(results)
    return program(tuple(arrays), *body), values, wanted


def test_scalar_programs_are_left_to_the_compiler(tmp_path: Path, compiler: str) -> None:
    """Unrolling is only forbidden where planning has decided; outer and parallel loops never get the pragma."""
    copy = Store(Address("out", (affine("j"),), (0,)), use("v", D))
    body: tuple[Statement, ...] = (Let("v", Load(Address("x", (affine("j"),), (0,)), D)), copy)
    arrays = (spec("x", F64), spec("out", F64, read_only=False))
    inner = For("j", affine("i"), N, 1, body)
    nest = program(arrays, For("i", affine(0), N, 1, (inner,)))
    assert c_source(nest).count("        polyloop_rolled for (long j = i; ") == 1
    assert c_source(nest).count("polyloop_rolled for") == 1
    assert "#pragma" not in c_source(replace(nest, auto_vectorize=True))
    parallel = replace(nest, body=(replace(inner, lower=affine(0), parallel=True),))
    assert "unroll" not in c_source(parallel)
    x, out = np.arange(5.0), np.zeros(5)
    run(c_source(nest), tmp_path, compiler, "kernel", 5, x, out)
    same(out, x)


def test_carried_values_that_swap_and_chain(tmp_path: Path, compiler: str) -> None:
    """(a, b) = (b, a + b) n times, then a counts on in a second loop, whose old value is read after the new is made."""
    first = For(
        "i",
        affine(0),
        N,
        1,
        (Let("s", Arithmetic("+", (use("a", D), use("b", D)), D)),),
        (
            Carried("a", D, use("zero", D), use("b", D), "fib"),
            Carried("b", D, use("one", D), use("s", D), "more"),
        ),
    )
    second = For(
        "j",
        affine(0),
        affine(3),
        1,
        (
            Let("t", Arithmetic("*", (use("p", D), use("two", D)), D)),
            Let("u", Arithmetic("+", (use("p", D), use("t", D)), D)),
            Store(Address("x", (affine("j") + 2,), (0,)), use("u", D)),
        ),
        (Carried("p", D, use("fib", D), use("t", D), "q"),),
    )
    body: tuple[Statement, ...] = (
        Let("zero", Constant(0.0, D)),
        Let("one", Constant(1.0, D)),
        Let("two", Constant(2.0, D)),
        first,
        second,
        Store(Address("x", (affine(0),), (0,)), use("q", D)),
        Store(Address("x", (affine(1),), (0,)), use("more", D)),
    )
    x = np.zeros(5)
    text = c_source(program((spec("x", F64, False),), *body))
    # The two sums of the first loop stay apart; the second loop has only one.
    assert [line.strip() for line in text.splitlines() if "    polyloop_apart" in line] == [
        "polyloop_apart(a);",
        "polyloop_apart(b);",
    ]
    run(text, tmp_path, compiler, "kernel", 10, x)
    same(x, np.array([55.0 * 8, 89, 165, 330, 660]))


@pytest.mark.parametrize("places", [(3, 2, 1, 0), (1, 0, 3, 2), (0, 1, 2, 3)], ids=str)
def test_sums_of_several_numbers_are_made_in_their_order(
    tmp_path: Path, compiler: str, places: tuple[int, ...]
) -> None:
    """gcc 11 and 12 add numbers in the order that they have in memory, whatever the program says."""
    body: list[Statement] = []
    for k, place in enumerate(places):
        address = Address("x", (4 * affine("i") + place,), (0,))
        add = Arithmetic("+", (use(f"s{k}", D), use(f"x{k}", D)), D)
        body += [Let(f"x{k}", Load(address, D)), Let(f"s{k + 1}", add)]
    loop = For("i", affine(0), N, 1, tuple(body), (Carried("s0", D, use("zero", D), use("s4", D), "s"),))
    end = Store(Address("out", (affine(0),), (0,)), use("s", D))
    arrays = (spec("x", F64), spec("out", F64, read_only=False))
    text = c_source(program(arrays, Let("zero", Constant(0.0, D)), loop, end))
    assert ("polyloop_in_order(s" in text) == (places != (0, 1, 2, 3))
    x, out = np.random.default_rng(0).uniform(1, 1e6, 400), np.zeros(1)
    run(text, tmp_path / str(places), compiler, "kernel", 100, x, out, flags=("-O3",))
    expected = 0.0
    for number in x.reshape(100, 4)[:, places].ravel():
        expected += number
    same(out, np.array([expected]))


def test_integers_conditions_and_lazy_choices(tmp_path: Path, compiler: str) -> None:
    i = affine("i")
    lazy = LazyPick(
        use("c", ValueType(I32)),
        (Let("deep", Load(Address("x", (i,), (0,)), D)),),
        use("deep", D),
        (Let("other", Constant(-1.5, D)),),
        use("other", D),
        D,
    )
    value = minimum(i, N - 3) + maximum(i * 2, 5) + choose(at_least(i, 4), 1, 0)
    body = For(
        "i",
        affine(-4),
        N,
        1,
        (
            Bind("half", (i - 3) // 4),
            Let("index", IndexValue(i, 0, ValueType(I32))),
            Let("zero", Constant(0, ValueType(I32))),
            Let("c", Comparing(">=", use("index", ValueType(I32)), use("zero", ValueType(I32)), ValueType(I32))),
            Let("r", lazy),
            Prefetch(Address("out", (i + 4,), (0,))),
            Store(Address("out", (i + 4,), (0,)), use("r", D)),
            If(
                at_least(affine("half"), 0),
                (
                    Let("h", IndexValue(affine("half") + value, 0, ValueType(I64))),
                    Store(Address("number", (i + 4,), (0,)), use("h", ValueType(I64))),
                ),
                (
                    Let("k", IndexValue(affine("half"), 0, ValueType(I64))),
                    Store(Address("number", (i + 4,), (0,)), use("k", ValueType(I64))),
                ),
            ),
        ),
    )
    n = 9
    x, out, number = np.arange(9.0), np.zeros(13), np.zeros(13, np.int64)
    specs = (spec("x", F64), spec("out", F64, False), spec("number", I64, False))
    run(c_source(program(specs, body)), tmp_path, compiler, "kernel", n, x, out, number)
    same(out, np.array([-1.5] * 4 + [float(k) for k in range(9)]))
    halves = [(k - 3) // 4 for k in range(-4, n)]
    values = [min(k, n - 3) + max(2 * k, 5) + (k >= 4) for k in range(-4, n)]
    same(number, np.array([h + w if h >= 0 else h for h, w in zip(halves, values, strict=True)]))


def test_lazy_truths_are_logical_operators(tmp_path: Path, compiler: str) -> None:
    """``x[i] == 3 || (x[i] == 2 && x[i + 1] != 0)``: what C would not read is not read here, either."""
    truth, place = ValueType(I32), affine("i")
    inner = LazyPick(
        use("two", truth),
        (
            Let("next", Load(Address("x", (place + 1,), (0,)), D)),
            Let("none", Constant(0.0, D)),
            Let("alive", Comparing("!=", use("next", D), use("none", D), truth)),
        ),
        use("alive", truth),
        (Let("no", Constant(0, truth)),),
        use("no", truth),
        truth,
    )
    outer = LazyPick(
        use("three", truth),
        (Let("yes", Constant(1, truth)),),
        use("yes", truth),
        (
            Let("2", Constant(2.0, D)),
            Let("two", Comparing("==", use("value", D), use("2", D), truth)),
            Let("both", inner),
        ),
        use("both", truth),
        truth,
    )
    body = For(
        "i",
        affine(0),
        N,
        1,
        (
            Let("value", Load(Address("x", (place,), (0,)), D)),
            Let("3", Constant(3.0, D)),
            Let("three", Comparing("==", use("value", D), use("3", D), truth)),
            Let("any", outer),
            Store(Address("out", (place,), (0,)), use("any", truth)),
        ),
    )
    text = c_source(program((spec("x", F64), spec("out", I32, False)), body))
    assert "if (" not in text
    text_of_kernel = text[text.rindex("kernel(") :]
    assert [text_of_kernel.count(sign) for sign in (" || ", " && ", " ? ")] == [1, 1, 0]
    x, out = np.array([3.0, 2, 0, 2, 1, 3]), np.full(6, 7, np.int32)
    run(text, tmp_path, compiler, "kernel", 6, x, out)
    assert out.tolist() == [1, 0, 0, 1, 0, 1]


def test_rotations_are_named_by_where_they_begin(tmp_path: Path, compiler: str) -> None:
    type_ = ValueType(F32, 16)
    body = (
        Let("v", Load(Address("x", (affine(0),), (1,)), type_)),
        Let("r", Shuffle((use("v", type_), use("v", type_)), (*range(3, 16), 0, 1, 2), type_)),
        Store(Address("out", (affine(0),), (1,)), use("r", type_)),
    )
    text = c_source(program((spec("x", F32), spec("out", F32, False)), *body))
    assert "polyloop_behind3_f32x16(" in text
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    run(text, tmp_path, compiler, "kernel", 1, x, out)
    assert out.tolist() == np.roll(x, -3).tolist()


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("extent", [affine(4), N], ids=["stack", "heap"])
def test_private_arrays_of_a_parallel_loop(tmp_path: Path, compiler: str, extent: object, copies: int) -> None:
    """What is written anew by every iteration is private also where the loop stands twice, as behind unrolling."""
    i, j = affine("i"), affine("j")
    fill = For(
        "j",
        affine(0),
        affine(4),
        1,
        (Let("v", IndexValue(i * 10 + j, 0, D)), Store(Address("own", (j,), (0,)), use("v", D))),
    )
    drain = For(
        "j",
        affine(0),
        affine(4),
        1,
        (Let("w", Load(Address("own", (3 - j,), (0,)), D)), Store(Address("x", (i, j), (0, 0)), use("w", D))),
    )
    own = ArraySpec("own", F64, (extent,), Storage.LOCAL, scratch=copies > 1)  # type: ignore[arg-type]
    made = program(
        (ArraySpec("x", F64, (None, affine(4))), own),
        *(For("i", affine(0), N, 1, (fill, drain), parallel=True) for _ in range(copies)),
    )
    text = c_source(made)
    loops = [statement for statement in made.body if isinstance(statement, For)]
    assert [private_arrays(made, loop) for loop in loops] == [frozenset({"own"})] * copies
    x = np.zeros((50, 4))
    flags = ("-fopenmp",) if compiler == "gcc" else ()
    run(text, tmp_path, compiler, "kernel", 50, x, flags=flags)
    same(x, np.array([[k * 10.0 + 3 - c for c in range(4)] for k in range(50)]))


def test_the_header_declares_the_function(tmp_path: Path, compiler: str) -> None:
    header = emit_header(tile())
    path = tmp_path / "user.c"
    path.write_text(header + header + "int main(void) { kernel(0, 0, 0, 0, 0, 0); return 0; }\n")
    done = subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-c", path, "-o", "/dev/null"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert "void kernel(long n, long m, long l, double *C, const double *A, const double *B);" in header


@pytest.mark.parametrize(
    ("type_", "count", "lanes"), [(F64, 8, 4), (F64, 4, 8), (F32, 16, 8), (F32, 16, 2), (F32, 4, 4), (I16, 8, 32)]
)
def test_blocks_are_turned_by_a_call(tmp_path: Path, compiler: str, type_: ScalarType, count: int, lanes: int) -> None:
    emit = Emitter(Names())
    rows = [emit.let(Load(at("a", k, 0), ValueType(type_, lanes))) for k in range(count)]
    for k, column in enumerate(transpose(emit, rows)):
        emit.append(Store(at("b", k, 0), column))
    shapes = {"a": (count, lanes), "b": (lanes, count)}
    arrays = tuple(ArraySpec(x, type_, tuple(map(affine, shape)), read_only=x == "a") for x, shape in shapes.items())
    text = c_source(VectorProgram("f", (), arrays, tuple(emit.statements)))
    assert text.count("polyloop_shuffle") < len(emit.statements) - count - lanes
    assert f"    polyloop_turn{count}_{type_}x{lanes}(" in text
    a = numbers(type_, count * lanes, 1).reshape(shapes["a"])
    for gcc in (12, 99) if compiler == "gcc" else (12,):  # the second as one that is older reads it
        folder = tmp_path / str(gcc)
        folder.mkdir()
        b = np.zeros(shapes["b"], a.dtype)
        run(text.replace("__GNUC__ >= 12", f"__GNUC__ >= {gcc}"), folder, compiler, "f", a, b)
        same(b, a.T)
