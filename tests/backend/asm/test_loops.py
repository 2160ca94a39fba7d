"""Loops of the assembly tier: where they begin, how long they are, and what an iteration costs."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.backend.asm.printer import print_asm
from polyloop.backend.asm.text import NotPrintableError
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import (
    Affine,
    And,
    Condition,
    Or,
    affine,
    at_least,
    equal,
    evaluate_condition,
    maximum,
    minimum,
)
from polyloop.backend.ir.expressions import F32, Access, Binary, Read
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Guard, Loop, LoopKind, LoopNest, Node
from polyloop.backend.ir.vector_program import Address, ValueType, VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import compile_program
from tests.helpers.machine import needs

M, N, K = affine("m"), affine("n"), affine("k")
A, B, C = Access("A", (M, K)), Access("B", (K, N)), Access("C", (M, N))
SCALAR = ValueType(F32)

pytestmark = needs(assembly_tier=True)


def product(sizes: dict[str, int], loops: list[tuple[str, Affine, Affine, LoopKind]]) -> LoopNest:
    """C += A B in these loops, outermost first."""
    body: Node = Compute("S", C, Binary("+", Read(C, F32), Binary("*", Read(A, F32), Read(B, F32), F32), F32))
    for name, lower, upper, kind in reversed(loops):
        body = Loop(name, lower, upper, 1, body, kind)
    arrays = tuple(
        ArraySpec(name, F32, (affine(sizes[i]), affine(sizes[j])), read_only=name != "C")
        for name, (i, j) in {"A": ("m", "k"), "B": ("k", "n"), "C": ("m", "n")}.items()
    )
    return LoopNest("product", (), arrays, body)


def data(nest: LoopNest) -> dict[str, Any]:
    generator = np.random.default_rng(3)
    return {
        a.name: generator.random([e.constant for e in a.shape if e is not None], dtype=np.float32) for a in nest.arrays
    }


def check(nest: LoopNest, program: VectorProgram | None = None) -> None:
    """Bit for bit what the IR tier and the interpreter compute."""
    program = program or plan(nest, host_target())
    kernel = compile_program(program, tier="assembly")
    assert kernel.settings.tier == "assembly"
    mine, other, oracle = (data(nest) for _ in range(3))
    kernel(**mine)
    compile_program(program)(**other)
    interpret(nest, {}, oracle)
    for name in oracle:
        assert mine[name].tobytes() == other[name].tobytes() == oracle[name].tobytes()


def split(name: str, extent: int, factors: list[int]) -> list[tuple[str, Affine, Affine]]:
    """The loop in blocks of blocks; the last of each is what is left."""
    result = []
    outer, sizes = affine(0), [*factors]
    block = int(np.prod(factors)) if factors else 1
    result.append((f"{name}{len(sizes)}" if sizes else name, affine(0), affine(-(-extent // block))))
    while sizes:
        outer = affine(result[-1][0])
        factor, block = sizes[0], block // sizes[0]
        sizes = sizes[1:]
        upper = minimum(outer * factor + factor, -(-extent // block))
        exact = extent % (factor * block) == 0
        inner = f"{name}{len(sizes)}" if sizes else name
        result.append((inner, outer * factor, outer * factor + factor if exact else upper))
    return result


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_split_loops_in_any_order(chosen: st.DataObject) -> None:
    sizes = {name: chosen.draw(st.integers(1, 20), name) for name in "mnk"}
    chains = {
        name: split(name, size, chosen.draw(st.lists(st.integers(2, 4), max_size=2), f"blocks of {name}"))
        for name, size in sizes.items()
    }
    order = chosen.draw(st.permutations([name for name, chain in chains.items() for _ in chain]), label="order")
    loops = [(*chains[name].pop(0), LoopKind.SEQUENTIAL) for name in order]
    name, lower, upper, _ = loops[-1]
    if name == "n" and chosen.draw(st.booleans(), label="vector") and upper.is_constant:
        loops[-1] = name, lower, upper, LoopKind.VECTOR
    nest = product(sizes, loops)
    try:
        print_asm(plan(nest, host_target()), host_target())
    except NotPrintableError as error:
        refusal = str(error)
        # Others are printed; a row of two elements may be a vector that assembly has no registers for.
        assert any(reason in refusal for reason in ("registers", "mask", "vectors of 64 bits"))
        return
    check(nest)


def dynamic(lower: Affine, upper: Affine, step: int = 1, unroll: int = 1, *, deep: bool = False) -> VectorProgram:
    """B[i, j] = A[i, j] + A[i, j] for i of 6 and j as given; `deep`: with a loop of one iteration inside."""
    address = Address("A", (affine("i"), affine("j") + (affine("l") if deep else 0)), (0, 0))
    target = Address("B", address.subscripts, (0, 0))
    body: tuple[v.Statement, ...] = (
        v.Let("x", v.Load(address, SCALAR)),
        v.Let("y", v.Arithmetic("+", (v.Value("x", SCALAR), v.Value("x", SCALAR)), SCALAR)),
        v.Store(target, v.Value("y", SCALAR)),
    )
    if deep:
        body = (v.For("l", affine(0), affine(1), 1, body),)
    inner = v.For("j", lower, upper, step, body, unroll=unroll)
    arrays = (
        ArraySpec("A", F32, (affine(6), affine(20)), read_only=True),
        ArraySpec("B", F32, (affine(6), affine(20))),
    )
    return VectorProgram("dynamic", (), arrays, (v.For("i", affine(0), affine(6), 1, (inner,)),))


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("unroll", [1, 3])
@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [
        (affine(0), affine("i"), 1),  # none at first
        (affine(4), affine("i") * 2, 1),  # less than none
        (affine("i"), minimum(affine("i") * 3, 7), 1),
        (affine("i") + 2, maximum(affine(3), affine("i") * -1 + 6), 1),
        (affine("i"), affine("i") * 3 + 1, 2),
        (affine(1), minimum(affine("i") * 2 + 1, 9) * 2, 4),
    ],
)
def test_loops_of_a_length_that_is_not_known(lower: Affine, upper: Affine, step: int, unroll: int, deep: bool) -> None:
    program = dynamic(lower, upper, step, unroll, deep=deep)
    kernel = compile_program(program, tier="assembly")
    assert kernel.settings.tier == "assembly"
    given = np.arange(120, dtype=np.float32).reshape(6, 20)
    found, expected = np.zeros((6, 20), np.float32), np.zeros((6, 20), np.float32)
    kernel(A=given, B=found)
    for i in range(6):
        values = {"i": i}
        for j in range(lower.evaluate(values), upper.evaluate(values), step):
            expected[i, j] = 2 * given[i, j]
    assert found.tobytes() == expected.tobytes()


def test_lengths_that_are_no_sum_minimum_or_maximum_are_refused() -> None:
    for upper, step in ((affine("i") // 2, 1), (affine("i") * 2, 3)):
        with pytest.raises(NotPrintableError):
            print_asm(dynamic(affine(0), upper, step), host_target())


def innermost(text: str) -> list[str]:
    """The lines of the last label's loop."""
    lines = text.splitlines()
    ends = [number for number, line in enumerate(lines) if line.startswith("jnz")]
    label = next(lines[number].split()[1] for number in ends)
    return lines[lines.index(f"{label}:") + 1 : ends[0] + 1]


def test_an_iteration_adds_once_for_all_pointers_that_advance_alike() -> None:
    lanes = host_target().lanes(F32)
    zero = affine(0)
    loops = [
        ("n", zero, affine(lanes), LoopKind.VECTOR),
        ("k", zero, affine(9), LoopKind.SEQUENTIAL),
        ("m", zero, affine(8), LoopKind.SEQUENTIAL),
    ]
    nest = product({"m": 8, "n": lanes, "k": 9}, loops)
    lines = innermost(print_asm(plan(nest, host_target()), host_target()))
    # A moves by 36 bytes and C by the row's: of two steps one is the counter's, too.
    assert [line.split()[0] for line in lines if line.startswith(("add", "dec", "j", "cmp"))] == ["addq", "addq", "jnz"]
    check(nest)


def test_a_load_for_one_operation_is_its_operand() -> None:
    loops = [(name, affine(0), affine(5), LoopKind.SEQUENTIAL) for name in "mnk"]
    nest = product({"m": 5, "n": 5, "k": 5}, loops)
    lines = innermost(print_asm(plan(nest, host_target()), host_target()))
    words = [line.split()[0] for line in lines]
    assert words.count("vmovss") == 1  # of two factors the other is in memory
    assert "(%" in next(line for line in lines if line.startswith("vfmadd231ss"))
    check(nest)


def test_a_load_in_front_of_a_store_keeps_its_register() -> None:
    """B[0] = A[0]; B[1] = (B[0] before) + A[1]: B[0] has to be read before it is written."""
    places = {name: [Address(name, (affine(k),), (0,)) for k in (0, 1)] for name in "AB"}
    x, y, z, s = (v.Value(name, SCALAR) for name in "xyzs")
    body = (
        v.Let("x", v.Load(places["A"][0], SCALAR)),
        v.Let("y", v.Load(places["B"][0], SCALAR)),
        v.Store(places["B"][0], x),
        v.Let("z", v.Load(places["A"][1], SCALAR)),
        v.Let("s", v.Arithmetic("+", (z, y), SCALAR)),
        v.Store(places["B"][1], s),
    )
    arrays = (ArraySpec("A", F32, (affine(2),), read_only=True), ArraySpec("B", F32, (affine(2),)))
    kernel = compile_program(VectorProgram("order", (), arrays, body), tier="assembly")
    assert kernel.settings.tier == "assembly"
    given, found = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
    kernel(A=given, B=found)
    assert found.tolist() == [1.0, 12.0]


@pytest.mark.parametrize("count", [1, 2, 6, 7, 8, 11])
def test_c_calls_the_function_with_its_arrays(count: int) -> None:
    """A0[0] = 2 A_last[0], ...: every argument arrives, those on the stack, too."""
    names = [f"A{number}" for number in range(count)]
    places = [Address(name, (affine(0),), (0,)) for name in names]
    body: tuple[v.Statement, ...] = ()
    for number in range(count):
        x, y = v.Value(f"x{number}", SCALAR), v.Value(f"y{number}", SCALAR)
        body += (v.Let(x.name, v.Load(places[number], SCALAR)), v.Let(y.name, v.Arithmetic("+", (x, x), SCALAR)))
    body += tuple(v.Store(places[number], v.Value(f"y{count - 1 - number}", SCALAR)) for number in range(count))
    program = VectorProgram("called", (), tuple(ArraySpec(name, F32, (affine(1),)) for name in names), body)
    kernel = compile_program(program, tier="assembly")
    assert kernel.settings.tier == "assembly"
    given = [np.array([number + 1], np.float32) for number in range(count)]
    loaded = jit.load(kernel.object_code, ("called",))
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(loaded.addresses["called"])
    function(*[array.ctypes.data for array in given])
    assert [array[0] for array in given] == [2.0 * (count - number) for number in range(count)]


def chosen(condition: Condition) -> VectorProgram:
    """For i of 8: x = A[i]; B[i] = the condition ? x + x : x * x, C[i] = x + A[0], in places that both sides share."""
    here, first = Address("A", (affine("i"),), (0,)), Address("A", (affine(0),), (0,))
    x, y, z, w, s = (v.Value(name, SCALAR) for name in "xyzws")
    then = (
        v.Let("y", v.Arithmetic("+", (x, x), SCALAR)),
        v.For("j", affine(0), affine("i") + 1, 1, (v.Store(Address("B", (affine("j"),), (0,)), y),)),
    )
    orelse = (v.Let("z", v.Arithmetic("*", (x, x), SCALAR)), v.Store(Address("B", (affine("i"),), (0,)), z))
    body = (
        v.Let("x", v.Load(here, SCALAR)),
        v.If(condition, then, orelse),
        v.Let("w", v.Load(first, SCALAR)),
        v.Let("s", v.Arithmetic("+", (x, w), SCALAR)),
        v.Store(Address("C", (affine("i"),), (0,)), s),
    )
    arrays = tuple(ArraySpec(name, F32, (affine(8),), read_only=name == "A") for name in "ABC")
    return VectorProgram("chosen", (), arrays, (v.For("i", affine(0), affine(8), 1, body),))


@pytest.mark.parametrize(
    "condition",
    [
        at_least(affine("i"), 5),
        at_least(affine(2), affine("i")),
        equal(affine("i") * 3, 9),
        And((at_least(affine("i"), 2), at_least(5, affine("i")))),
        at_least(minimum(affine("i"), -1 * affine("i") + 6), 1),
        And(()),
    ],
    ids=str,
)
def test_conditions(condition: Condition) -> None:
    kernel = compile_program(chosen(condition), tier="assembly")
    assert kernel.settings.tier == "assembly"
    given = np.arange(1, 9, dtype=np.float32)
    found = {name: np.zeros(8, np.float32) for name in "BC"}
    kernel(A=given, **found)
    expected = np.zeros(8, np.float32)
    for i in range(8):
        if evaluate_condition(condition, {"i": i}):
            expected[: i + 1] = 2 * given[i]
        else:
            expected[i] = given[i] ** 2
    assert found["B"].tobytes() == expected.tobytes()
    assert found["C"].tobytes() == (given + given[0]).tobytes()


def test_conditions_without_an_other_side_and_those_that_are_refused() -> None:
    program = chosen(at_least(affine("i"), 4))
    loop = program.body[0]
    assert isinstance(loop, v.For)
    changed = tuple(v.If(s.condition, s.then, ()) if isinstance(s, v.If) else s for s in loop.body)
    kernel = compile_program(replace(program, body=(replace(loop, body=changed),)), tier="assembly")
    assert kernel.settings.tier == "assembly"
    given, found = np.arange(1, 9, dtype=np.float32), {name: np.zeros(8, np.float32) for name in "BC"}
    kernel(A=given, **found)
    assert found["B"].tolist() == [16.0] * 8
    for condition in (Or((at_least(affine("i"), 4), at_least(2, affine("i")))), at_least(affine("i") // 3, 1)):
        with pytest.raises(NotPrintableError):
            print_asm(chosen(condition), host_target())


@pytest.mark.parametrize(("rows", "columns"), [(9, 37), (8, 32), (3, 50)])
def test_full_and_partial_tiles(rows: int, columns: int) -> None:
    """Tiles of 4 rows and 16 columns behind a guard, and what is left of them in loops."""
    row, column = affine("m0") * 4, affine("n0") * 16
    compute = product({"m": 1, "n": 1, "k": 1}, []).body

    def tile(height: Affine, width: Affine, kinds: tuple[LoopKind, LoopKind]) -> Node:
        inner = Loop("n", column, width, 1, compute, kinds[1])
        return Loop("k", affine(0), affine(5), 1, Loop("m", row, height, 1, inner, kinds[0]))

    full = And((at_least(rows - row, 4), at_least(columns - column, 16)))
    whole = tile(row + 4, column + 16, (LoopKind.UNROLLED, LoopKind.VECTOR))
    partial = tile(minimum(row + 4, rows), minimum(column + 16, columns), (LoopKind.SEQUENTIAL,) * 2)
    body: Node = Guard(full, whole, partial)
    body = Loop("n0", affine(0), affine(-(-columns // 16)), 1, body)
    body = Loop("m0", affine(0), affine(-(-rows // 4)), 1, body)
    nest = replace(product({"m": rows, "n": columns, "k": 5}, []), body=body)
    check(nest)
