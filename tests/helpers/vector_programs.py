"""Small vector programs, compiled and run."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    ScalarType,
    dtype_of,
)
from polyloop.backend.ir.interpreter import Array
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import (
    Address,
    For,
    Let,
    Load,
    Operation,
    Statement,
    Store,
    Value,
    ValueType,
    VectorProgram,
)
from polyloop.backend.run.kernel import compile_program

N, ROW, COLUMN = affine("N"), affine("i"), affine("j")
TYPES = (F32, F64, I8, I16, I32, I64, U8, U16, U32, U64)


def run(program: VectorProgram, threads: Any = 1, contract: Any = True, **arguments: Any) -> None:
    compile_program(program, threads=threads, contract=contract)(**arguments)


def program(arrays: tuple[ArraySpec, ...], *body: Statement, auto_vectorize: bool = False) -> VectorProgram:
    return VectorProgram("kernel", ("N",), arrays, body, auto_vectorize=auto_vectorize)


def at(array: str, *subscripts: object, stride: int = 1) -> Address:
    """An address whose last subscript moves with the lane."""
    places = tuple(affine(s) if isinstance(s, (int, str)) else s for s in subscripts)
    return Address(array, places, (0,) * (len(places) - 1) + (stride,))  # type: ignore[arg-type]


def numbers(type_: ScalarType, count: int, seed: int = 1) -> Array:
    random = np.random.default_rng(seed)
    if type_.is_float:
        return random.uniform(-3, 3, count).astype(dtype_of(type_))
    low = 0 if type_.kind == "uint" else -100
    return random.integers(low, 100, count).astype(dtype_of(type_))


def lanewise(operation: Operation, inputs: dict[str, Array], result: ValueType) -> Array:
    """Apply one operation to inputs x, y, ... that were loaded with the types of its operands."""
    lanes = result.lanes
    specs = []
    body: list[Statement] = []
    for name, array in inputs.items():
        kind = {"f": "float", "i": "int", "u": "uint"}[array.dtype.kind]
        type_ = ScalarType(kind, array.dtype.itemsize * 8)
        specs.append(ArraySpec(name, type_, (None,), read_only=True))
        body.append(Let(name, Load(at(name, "i"), ValueType(type_, lanes))))
    specs.append(ArraySpec("out", result.element, (N,)))
    body += [Let("result", operation), Store(at("out", "i"), Value("result", result))]
    count = len(next(iter(inputs.values())))
    out = np.zeros(count, dtype_of(result.element))
    loop = For("i", affine(0), N, lanes, tuple(body))
    run(program(tuple(specs), loop), N=count, out=out, **inputs)
    return out


def same(actual: Array, expected: Array) -> None:
    assert actual.dtype == expected.dtype
    assert actual.tobytes() == expected.tobytes(), f"{actual} != {expected}"


def v(name: str, type_: ScalarType, lanes: int = 1) -> Value:
    return Value(name, ValueType(type_, lanes))
