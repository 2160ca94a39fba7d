"""The assembly tier: equal to the IR tier bit for bit and to the interpreter, and refusing what it is not made for."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.backend.asm.printer import print_asm
from polyloop.backend.asm.text import NotPrintableError
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine, minimum
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I32,
    Access,
    Binary,
    Comparison,
    Literal,
    Read,
    ScalarType,
    Select,
    dtype_of,
)
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Loop, LoopKind, LoopNest, Node, Storage
from polyloop.backend.ir.vector_program import ValueType, VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.backend.run.nest_kernel import compile_nest
from tests.helpers.machine import has_masks, needs, with_figures

M, N, K = affine("m"), affine("n"), affine("k")
A, B, C = Access("A", (M, K)), Access("B", (K, N)), Access("C", (M, N))


needs_the_tier = needs(assembly_tier=True)


def product(
    sizes: tuple[int, int, int],
    tile: tuple[int, int],
    type_: ScalarType = F32,
    *,
    start: bool = False,
    clamp: bool = False,
    outer: str = "mn",
) -> LoopNest:
    """C += A B, or C = A B, or C = max(0, A B), in register tiles; borders are loops of their own."""
    m, n, k = sizes
    update = Binary("+", Read(C, type_), Binary("*", Read(A, type_), Read(B, type_), type_), type_)
    arrays = (
        ArraySpec("A", type_, (affine(m), affine(k)), read_only=True),
        ArraySpec("B", type_, (affine(k), affine(n)), read_only=True),
        ArraySpec("C", type_, (affine(m), affine(n))),
    )
    zero = Literal(0.0, type_)
    positive = Select(Comparison("<", Read(C, type_), zero), zero, Read(C, type_), type_)

    def piece(rows: tuple[int, int, int], columns: tuple[int, int, int]) -> Node:
        (m0, m1, height), (n0, n1, width) = rows, columns

        def tile_of(compute: Compute) -> Node:
            inner = Loop("n", affine("n0"), affine("n0") + width, 1, compute, LoopKind.VECTOR)
            return Loop("m", affine("m0"), affine("m0") + height, 1, inner, LoopKind.UNROLLED)

        body: Node = Loop("k", affine(0), affine(k), 1, tile_of(Compute("S", C, update)))
        parts = [tile_of(Compute("I", C, zero))] * start + [body] + [tile_of(Compute("R", C, positive))] * clamp
        body = Block(tuple(parts)) if len(parts) > 1 else body
        for letter in reversed(outer):
            low, high, size = (m0, m1, height) if letter == "m" else (n0, n1, width)
            body = Loop(f"{letter}0", affine(low), affine(high), size, body)
        return body

    pieces = [piece(r, c) for r in _pieces(m, tile[0]) for c in _pieces(n, tile[1])]
    return LoopNest("product", (), arrays, Block(tuple(pieces)))


def _pieces(extent: int, size: int) -> list[tuple[int, int, int]]:
    whole = extent // size * size
    found = [(0, whole, size)] if whole else []
    return found + ([(whole, extent, extent - whole)] if whole < extent else [])


def arrays(nest: LoopNest, seed: int = 0) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    return {
        spec.name: (generator.random([e.constant for e in spec.shape if e is not None]) - 0.5).astype(
            dtype_of(spec.type)
        )
        for spec in nest.arrays
    }


def check(nest: LoopNest) -> None:
    program = plan(nest, host_target())
    print_asm(program, host_target())
    first, second, oracle = (arrays(nest) for _ in range(3))
    compile_program(program, tier="assembly")(**first)
    compile_program(program)(**second)
    assert first["C"].tobytes() == second["C"].tobytes()
    interpret(nest, {}, oracle)
    assert first["C"].tobytes() == oracle["C"].tobytes()


def refused(nest: LoopNest, reason: str) -> None:
    """The printer says why it does not take the nest, which goes through the IR tier then."""
    program = plan(nest, host_target())
    with pytest.raises(NotPrintableError, match=reason):
        print_asm(program, host_target())
    assert compile_program(program, tier="assembly").settings.tier == "ir"


@needs_the_tier
@pytest.mark.parametrize("type_", [F32, F64])
@pytest.mark.parametrize(
    ("rows", "vectors", "depth", "tile"),
    [
        (8, 4, 5, (4, 2)),
        (12, 3, 1, (6, 3)),
        (7, 1, 3, (3, 1)),
        (24, 2, 2, (12, 1)),
        (24, 4, 2, (12, 2)),
    ],
)
def test_products(rows: int, vectors: int, depth: int, tile: tuple[int, int], type_: ScalarType) -> None:
    """Tiles of whole registers, of which some have more sums than 16 registers hold."""
    lanes = host_target().lanes(type_)
    check(product((rows, vectors * lanes, depth), (tile[0], tile[1] * lanes), type_))


@needs_the_tier
@pytest.mark.parametrize("type_", [F32, F64])
@pytest.mark.parametrize(("sizes", "tile"), [((3, 9, 7), (3, 9)), ((1, 1, 6), (1, 1))])
def test_products_smaller_than_a_tile(sizes: tuple[int, int, int], tile: tuple[int, int], type_: ScalarType) -> None:
    check(product(sizes, tile, type_))


@needs_the_tier
@pytest.mark.parametrize("type_", [F32, F64])
def test_borders_need_registers_for_masks(type_: ScalarType) -> None:
    lanes = host_target().lanes(type_)
    part = lanes // 2 + 1
    nest = product((5, 2 * lanes + part, 4), (4, lanes), type_)
    if has_masks(host_target()):
        check(nest)
    else:
        refused(nest, f"a mask of {part} lanes")


@needs_the_tier
@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("outer", ["mn", "nm"])
def test_what_stands_before_and_behind(start: bool, clamp: bool, outer: str) -> None:
    nest = product((8, 32, 3), (4, 16), start=start, clamp=clamp, outer=outer)
    try:
        print_asm(plan(nest, host_target()), host_target())
    except NotPrintableError:
        assert clamp
        return
    check(nest)


@needs_the_tier
@settings(max_examples=25, deadline=None)
@given(
    sizes=st.tuples(st.integers(1, 13), st.integers(1, 70), st.integers(1, 9)),
    tile=st.tuples(st.integers(1, 6), st.integers(1, 48)),
    double=st.booleans(),
    outer=st.sampled_from(["mn", "nm"]),
)
def test_random_products(sizes: tuple[int, int, int], tile: tuple[int, int], double: bool, outer: str) -> None:
    nest = product(sizes, tile, F64 if double else F32, outer=outer)
    try:
        print_asm(plan(nest, host_target()), host_target())
    except NotPrintableError:
        return
    check(nest)


def unrolled(program: VectorProgram, times: int) -> VectorProgram:
    """The program with a hint to unroll its innermost loops."""

    def loops(statements: tuple[v.Statement, ...]) -> tuple[v.Statement, ...]:
        found: list[v.Statement] = []
        for statement in statements:
            if isinstance(statement, v.For):
                nested = any(isinstance(s, v.For) for s in statement.body)
                changed = replace(statement, body=loops(statement.body))
                statement = changed if nested else replace(changed, unroll=times)
            found.append(statement)
        return tuple(found)

    return replace(program, body=loops(program.body))


@needs_the_tier
@pytest.mark.parametrize("times", [2, 3, 4, 9])
def test_unrolled_loops_with_and_without_a_rest(times: int) -> None:
    nest = product((4, 32, 8), (4, 16))
    program = unrolled(plan(nest, host_target()), times)
    first, second = arrays(nest), arrays(nest)
    compile_program(program, tier="assembly")(**first)
    compile_program(program)(**second)
    assert first["C"].tobytes() == second["C"].tobytes()


@needs_the_tier
def test_tiles_as_large_as_the_registers() -> None:
    lanes, many = host_target().lanes(F32), host_target().vector_registers == 32
    check(product((12 if many else 6, 2 * lanes, 4), (12 if many else 6, 2 * lanes)))


@needs_the_tier
def test_kernels_of_the_tier() -> None:
    lanes = host_target().lanes(F32)
    nest = product((4, 2 * lanes, 3), (4, 2 * lanes))
    kernel = compile_nest(nest, tier="assembly")
    assert kernel.settings.tier == "assembly"
    assert kernel.asm.startswith(".text")
    assert "vfmadd231ps" in kernel.asm
    assert "fmuladd" in kernel.llvm or "llvm.fma" in kernel.llvm
    assert kernel.report().spills == 0
    given, other = arrays(nest), arrays(nest)
    kernel(**given)
    pickle.loads(pickle.dumps(kernel))(**other)
    assert given["C"].tobytes() == other["C"].tobytes()


@needs_the_tier
def test_the_text_does_not_depend_on_the_order_of_sets() -> None:
    """Registers that become free at once are taken again in the order in which their values are mentioned."""
    a, b, c = (Access(name, (M, N)) for name in "ABC")
    body: Node = Compute("S", c, Binary("+", Read(a, F32), Read(b, F32), F32))
    body = Loop("n", affine(0), affine(64), 1, body, LoopKind.VECTOR)
    body = Loop("m", affine(0), affine(8), 1, body, LoopKind.UNROLLED)
    specs = tuple(ArraySpec(name, F32, (affine(8), affine(64)), read_only=name != "C") for name in "ABC")
    sums = LoopNest("sums", (), specs, body)
    program = plan(sums, host_target())
    script = (
        "import pickle, sys; from polyloop.backend.asm.printer import print_asm;"
        "print(print_asm(*pickle.load(sys.stdin.buffer)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=pickle.dumps((program, host_target())),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1


@needs_the_tier
def test_both_tiers_have_their_own_place_in_the_cache(tmp_path: Path) -> None:
    lanes = host_target().lanes(F32)
    nest = product((4, 2 * lanes, 3), (4, 2 * lanes))
    codes = {compile_nest(nest, tier=tier, cache=tmp_path).object_code for tier in ("ir", "assembly") for _ in "12"}
    assert len(codes) == 2


def parametric() -> LoopNest:
    nest = product((4, 16, 3), (4, 16))
    return replace(nest, parameters=("P",))


def triangular() -> LoopNest:
    nest = product((4, 16, 3), (4, 16))
    inner = Loop("k", affine(0), minimum(affine("q"), affine(3)), 1, Compute("S", C, Read(C, F32)))
    body = Loop(
        "q", affine(0), affine(4), 1, Loop("m", affine(0), affine(4), 1, Loop("n", affine(0), affine(16), 1, inner))
    )
    return replace(nest, body=body)


def integers() -> LoopNest:
    nest = product((4, 16, 3), (4, 16))
    update = Binary("+", Read(C, I32), Binary("*", Read(A, I32), Read(B, I32), I32), I32)
    body = Loop("n", affine(0), affine(16), 1, Compute("S", C, update), LoopKind.VECTOR)
    body = Loop("m", affine(0), affine(4), 1, Loop("k", affine(0), affine(3), 1, body))
    return replace(nest, arrays=tuple(replace(a, type=I32) for a in nest.arrays), body=body)


def local() -> LoopNest:
    nest = product((4, 16, 3), (4, 16))
    return replace(nest, arrays=(*nest.arrays, ArraySpec("own", F32, (affine(4),), Storage.LOCAL)))


def too_large() -> LoopNest:
    return product((40, 16, 2), (40, 16))


@pytest.mark.parametrize("make", [parametric, triangular, integers])
def test_what_is_refused_goes_through_ir(make: Callable[[], LoopNest]) -> None:
    nest = make()
    program = plan(nest, host_target())
    with pytest.raises(NotPrintableError):
        print_asm(program, host_target())
    kernel = compile_program(program, tier="assembly")
    assert kernel.settings.tier == "ir"


def test_values_beyond_the_registers_are_refused() -> None:
    target = shown_target("avx512")
    program = plan(too_large(), with_figures(target, vector_registers=64))
    with pytest.raises(NotPrintableError, match="more values than registers"):
        print_asm(program, target)


def test_arrays_of_its_own_are_refused() -> None:
    target = shown_target("avx2")
    program = replace(plan(local(), target), arrays=local().arrays)
    with pytest.raises(NotPrintableError, match="an array of its own"):
        print_asm(program, target)


def test_other_machines_are_refused() -> None:
    program = plan(product((4, 16, 3), (4, 16)), host_target())
    target = host_target()
    others = replace(target, triple="aarch64-linux-gnu"), with_figures(target, vector_bits=128)
    for other in (*others, with_figures(target, has_fma=False)):
        with pytest.raises(NotPrintableError):
            print_asm(program, other)


def test_a_tier_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="tier is 'c'; it must be one of ir, assembly"):
        compile_program(plan(product((1, 1, 1), (1, 1)), host_target()), tier="c")


@needs_the_tier
def test_values_that_are_not_vectors_of_numbers() -> None:
    bits = ValueType(F32, 2)
    body = (v.Let("x", v.Load(v.Address("A", (affine(0),), (-1,)), bits)),)
    program = VectorProgram("strange", (), (ArraySpec("A", F32, (affine(4),), read_only=True),), body)
    with pytest.raises(NotPrintableError, match="not contiguous"):
        print_asm(program, host_target())


@pytest.mark.parametrize("operation", ["fma", "*"])
def test_elements_that_lie_apart_are_no_memory_operand(operation: str) -> None:
    """One operation uses them, so that they could stand in memory, if they stood side by side there."""
    vector = ValueType(F32, 8)
    apart = v.Load(v.Address("A", (affine(0), affine(0)), (1, 0)), vector)
    there = v.Address("C", (affine(0),), (1,))
    one, two = v.Value("a", vector), v.Value("b", vector)
    operands = (one, two, two) if operation == "fma" else (two, one)
    body = (
        v.Let("b", v.Load(there, vector)),
        v.Let("a", apart),
        v.Let("d", v.Arithmetic(operation, operands, vector)),
        v.Store(there, v.Value("d", vector)),
    )
    arrays = (ArraySpec("A", F32, (affine(8), affine(3)), read_only=True), ArraySpec("C", F32, (affine(8),)))
    with pytest.raises(NotPrintableError, match="not contiguous"):
        print_asm(VectorProgram("apart", (), arrays, body), shown_target("avx2"))


@needs_the_tier
def test_columns_that_are_factors_run_as_they_are_read() -> None:
    columns = Access("B", (N, M))
    update = Binary("+", Read(C, F32), Binary("*", Read(Access("A", (N,)), F32), Read(columns, F32), F32), F32)
    inner = Loop("n", affine(0), affine(16), 1, Compute("S", C, update), LoopKind.VECTOR)
    nest = LoopNest(
        "columns",
        (),
        (
            ArraySpec("A", F32, (affine(16),), read_only=True),
            ArraySpec("B", F32, (affine(16), affine(5)), read_only=True),
            ArraySpec("C", F32, (affine(5), affine(16))),
        ),
        Loop("m", affine(0), affine(5), 1, inner),
    )
    rng = np.random.default_rng(0)
    a, b = rng.random(16, np.float32), rng.random((16, 5), np.float32)
    c = np.zeros((5, 16), np.float32)
    compile_nest(nest, tier="assembly").bind(A=a, B=b, C=c)()
    assert np.array_equal(c, (a[:, None] * b).T)
