"""Nests that the planner's tests share, and the comparison with the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine, minimum
from polyloop.backend.ir.expressions import F64, Access, Expression, ScalarType, dtype_of
from polyloop.backend.ir.interpreter import Array, interpret
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Loop, LoopKind, LoopNest, Node, Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import Kernel, compile_program
from tests.helpers.machine import fuses

SEQUENTIAL, PARALLEL, VECTOR, UNROLLED = LoopKind.SEQUENTIAL, LoopKind.PARALLEL, LoopKind.VECTOR, LoopKind.UNROLLED
i, j, k, n, m, p, it, jt = (affine(name) for name in ("i", "j", "k", "n", "m", "p", "it", "jt"))


def read(array: str, *subscripts: Affine | int, type_: ScalarType = F64) -> e.Read:
    return e.Read(Access(array, tuple(map(affine, subscripts))), type_)


def binary(operator: str, left: Expression, right: Expression) -> e.Binary:
    return e.Binary(operator, left, right, left.type)


def compute(name: str, target: e.Read, value: Expression) -> Compute:
    return Compute(name, target.access, value)


def loop(variable: str, lower: Affine | int, upper: Affine | int, body: Node, kind: LoopKind = SEQUENTIAL) -> Loop:
    return Loop(variable, affine(lower), affine(upper), 1, body, kind)


def update(target: e.Read, a: Expression, b: Expression, operator: str = "+") -> Compute:
    return compute("S", target, binary(operator, target, binary("*", a, b)))


def gemm(rows: int, columns: int, type_: ScalarType = F64) -> LoopNest:
    """C += A B in register tiles whose bounds the planner has to split into full and partial."""
    body = update(read("C", i, j, type_=type_), read("A", i, k, type_=type_), read("B", k, j, type_=type_))
    nest = loop("j", columns * jt, minimum(columns * jt + columns, m), body, VECTOR)
    nest = loop("i", rows * it, minimum(rows * it + rows, n), nest, UNROLLED)
    nest = loop("k", 0, p, nest)
    nest = loop("jt", 0, (m + (columns - 1)) // columns, nest)
    nest = loop("it", 0, (n + (rows - 1)) // rows, nest)
    arrays = (
        ArraySpec("A", type_, (n, p), read_only=True),
        ArraySpec("B", type_, (p, m), read_only=True),
        ArraySpec("C", type_, (n, m)),
    )
    return LoopNest("gemm", ("n", "m", "p"), arrays, nest)


def gemm_full(rows: int, columns: int, type_: ScalarType = F64) -> LoopNest:
    """The same where the tiles divide the matrix: constant trip counts."""
    body = update(read("C", i, j, type_=type_), read("A", i, k, type_=type_), read("B", k, j, type_=type_))
    nest = loop("j", columns * jt, columns * jt + columns, body, VECTOR)
    nest = loop("i", rows * it, rows * it + rows, nest, UNROLLED)
    nest = loop("k", 0, p, nest)
    nest = loop("jt", 0, m // columns, loop("it", 0, n // rows, nest))
    arrays = (
        ArraySpec("A", type_, (n, p), read_only=True),
        ArraySpec("B", type_, (p, m), read_only=True),
        ArraySpec("C", type_, (n, m)),
    )
    return LoopNest("gemm", ("n", "m", "p"), arrays, nest)


def sample(nest: LoopNest, parameters: Mapping[str, int], seed: int = 0) -> dict[str, Array]:
    """Random contents for every argument: integers from 1 to 5, floats from -1 to 1."""
    random = np.random.default_rng(seed)
    result: dict[str, Array] = {}
    for spec in nest.arrays:
        if spec.storage is Storage.LOCAL:
            continue
        shape = tuple(0 if s is None else max(0, s.evaluate(parameters)) for s in spec.shape)
        values = random.uniform(-1, 1, shape) if spec.type.is_float else random.integers(1, 6, shape)
        result[spec.name] = np.asarray(values, dtype_of(spec.type))
    return result


def run(program: VectorProgram, nest: LoopNest, parameters: Mapping[str, int], seed: int = 0) -> dict[str, Array]:
    arrays = sample(nest, parameters, seed)
    _compiled(program, host_target())(**parameters, **arrays)
    return arrays


@lru_cache(8)  # of a nest that is checked at several sizes
def _compiled(program: VectorProgram, target: Target) -> Kernel:
    del target  # which the compiler looks up
    return compile_program(program, contract=True)


@lru_cache(8)
def _programs(nest: LoopNest, target: Target) -> tuple[VectorProgram, VectorProgram]:
    return plan(nest, target), scalar_program(nest)


def check(nest: LoopNest, parameters: Mapping[str, int], program: VectorProgram | None = None) -> VectorProgram:
    """The planned program and the scalar one leave what the interpreter leaves, bit for bit."""
    expected = sample(nest, parameters)
    interpret(nest, parameters, expected, contract=fuses())
    planned, scalar = _programs(nest, host_target())
    planned = program or planned
    for candidate in (planned, scalar):
        found = run(candidate, nest, parameters)
        for name, array in expected.items():
            assert same_bits(found[name], array), f"{name} differs\n{nest}"
    return planned


def same_bits(left: Array, right: Array) -> bool:
    """Bit for bit, but for the sign and the payload of NaNs, which C leaves to the compiler."""
    if left.dtype.kind != "f":
        return left.tobytes() == right.tobytes()
    both = np.isnan(left) & np.isnan(right)
    return np.where(both, 0, left).tobytes() == np.where(both, 0, right).tobytes()
