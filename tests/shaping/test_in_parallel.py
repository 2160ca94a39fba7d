"""Shaped nests in threads: each nest has a parallel loop, copies of operands too, and everything computes the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from polyloop.backend.c.printer import Threads, print_c
from polyloop.backend.ir.affine import Affine, affine, minimum
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.traversal import in_turn_where_shared, is_uneven, parallel_loops, private_arrays
from polyloop.backend.ir.vector_program import (
    Address,
    Bind,
    For,
    IndexValue,
    Let,
    Load,
    Statement,
    Store,
    Value,
    ValueType,
    VectorProgram,
)
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_c
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import distributed
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import ShapedTree, all_parallel, legal_shapes, parallelized
from tests.helpers.running import assert_same, c_of, call_program, copied, load_c, random_data, require

PRODUCT = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += {};"
PROGRAMS = {
    "product": PRODUCT.format("a[i][k] * b[k][j]"),
    "turned product": PRODUCT.format("a[k][i] * b[j][k]"),
    "columns": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[0][j] += a[i][j];",
    "own rows": """for (int i = 0; i < n; i++) {
        double row[6];
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < 6; k++) row[k] = a[j][i] * k;
            for (int k = 0; k < n; k++) c[i][j] += b[k][j] * row[k % 6];
        }
    }""",
}
SIZES = (0, 1, 7, 70)


def read(loops: str) -> Scop:
    text = (
        f"void f(int n, double a[n][n], double b[n][n], double c[n][n]) {{\n#pragma scop\n{loops}\n#pragma endscop\n}}"
    )
    (scop,) = read_c("f.c", text=text)
    return scop


def in_threads(proofs: Proofs, scop: Scop) -> Iterator[tuple[str, ScheduleTree]]:
    """The first shapes of the deepest nest, and those that copy operands, with parallel loops."""
    base = ShapedTree("", scop, distributed(scop, original_tree(scop), proofs.dependences(scop)))
    deepest = max(base.nests(), key=lambda nest: len(nest.members))
    shapes = list(islice(legal_shapes(proofs, host_target(), base, deepest), 40))
    for words, shape in [*shapes[:3], *(entry for entry in shapes[3:] if "packed" in entry[0])][:6]:
        tree = base.with_shape(deepest, words, shape).shaped(proofs.dependences(scop))
        yield words, parallelized(proofs, scop, tree, 3)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_shape_runs_in_threads(name: str) -> None:
    scop = read(PROGRAMS[name])
    proofs = Proofs()
    original = compile_program(scalar_program(lower(scop, original_tree(scop))), contract=True)
    for words, tree in in_threads(proofs, scop):
        assert proofs.is_legal(scop, tree)
        assert all_parallel(tree), words
        program = plan(lower(scop, tree), host_target(), contract=True)
        loops = [statement for statement in program.body if isinstance(statement, For)]
        assert all(list(parallel_loops((loop,))) for loop in loops), words
        kernel = compile_program(program, contract=True, threads=3)
        for n in SIZES:
            data = random_data(scop, {"n": n}, n)
            expected, found = copied(data), copied(data)
            original(**expected, n=n)
            kernel(**found, n=n)
            assert_same(expected, found, f"{words} at {n}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_shape_runs_in_threads_of_emitted_c(name: str, tmp_path: Path) -> None:
    """What a tile reads and fills may stand in a function that it calls."""
    require("gcc")
    scop = read(PROGRAMS[name])
    original = compile_program(scalar_program(lower(scop, original_tree(scop))), contract=False)
    planned = {
        f"kernel{number}": plan(lower(scop, tree), host_target(), contract=False)
        for number, (_, tree) in enumerate(in_threads(Proofs(), scop))
    }
    flags = ("-O1", "-march=native", "-ffp-contract=off", "-fopenmp", "-shared", "-fPIC")
    library = load_c(c_of(planned), tmp_path, flags=flags)
    library.omp_set_num_threads(3)
    for n in SIZES:
        data = random_data(scop, {"n": n}, n)
        expected = copied(data)
        original(**expected, n=n)
        for kernel, program in planned.items():
            assert_same(expected, call_program(library, program, kernel, {"n": n}, data), f"{kernel} at {n}")


def fill(array: str) -> Statement:
    return Store(Address(array, (affine(0),), (0,)), Value("v", ValueType(F64)))


def take(array: str) -> tuple[Statement, ...]:
    load = Load(Address(array, (affine(0),), (0,)), ValueType(F64))
    return Let("w", load), Store(Address("x", (affine("i"),), (0,)), Value("w", ValueType(F64)))


VALUE = Let("v", IndexValue(affine(1), 0, ValueType(F64)))


def parallel(*body: Statement) -> For:
    return For("i", affine(0), affine("n"), 1, body, parallel=True)


@pytest.mark.parametrize(
    ("loops", "own"),
    [
        ((parallel(VALUE, fill("t"), *take("t")),), True),
        ((parallel(VALUE, fill("t"), *take("t")), parallel(VALUE, fill("t"), *take("t"))), True),
        ((parallel(VALUE, fill("t")), parallel(*take("t"))), False),
    ],
    ids=["one loop", "two that fill it", "one that fills it for the other"],
)
def test_scratch_is_shared_where_one_loop_fills_it_for_others(loops: tuple[For, ...], own: bool) -> None:
    arrays = (ArraySpec("x", F64, (None,)), ArraySpec("t", F64, (affine(1),), Storage.LOCAL, scratch=True))
    program = VectorProgram("f", ("n",), arrays, loops)
    assert {private_arrays(program, loop) for loop in loops} == {frozenset({"t"} if own else ())}


def test_a_loop_takes_turns_where_its_own_array_is_used_outside() -> None:
    inside, other = parallel(VALUE, fill("t"), *take("t")), parallel(VALUE, fill("u"), *take("u"))
    once = (VALUE, fill("t"), *take("t"))
    assert in_turn_where_shared((inside, other), {"t", "u"}) == (inside, other)
    found = in_turn_where_shared((*once, inside, other), {"t", "u"})
    assert list(parallel_loops(found)) == [other]


AT, N = affine("i"), affine("n")


def loop(variable: str, lower: Affine, upper: Affine, *body: Statement) -> For:
    return For(variable, lower, upper, 1, body)


@pytest.mark.parametrize(
    ("body", "uneven"),
    [
        ((loop("j", affine(0), N),), False),
        ((loop("j", affine(0), AT),), True),
        ((Bind("end", AT + 1), loop("j", affine(0), affine("end"))), True),
        ((loop("k", affine(0), N, loop("j", AT, N)),), True),
        ((loop("j", AT * 64, minimum(AT * 64 + 64, N)),), False),  # the last one alone is shorter
        ((loop("j", AT * 64, minimum(AT * 64 + 64, N), loop("k", affine(0), N)),), True),  # but large
        ((loop("k", affine(0), N, loop("j", AT * 8, minimum(AT * 8 + 8, N))),), False),
        ((loop("j", AT * 64, AT * 64 + 64, loop("k", affine(0), N)),), False),
    ],
)
def test_iterations_that_take_unequal_time(body: tuple[Statement, ...], uneven: bool) -> None:
    assert is_uneven(loop("i", affine(0), N, *body)) == uneven


def test_uneven_iterations_are_dealt_out_in_turn() -> None:
    """Blocks of a triangle's rows would leave most of it to one of two threads."""
    for upper, words in (("n", ""), ("i", " schedule(static, 1)")):
        scop = read(f"for (int i = 0; i < n; i++) for (int j = 0; j < {upper}; j++) c[i][j] += a[i][j];")
        tree = parallelized(Proofs(), scop, original_tree(scop), 3)
        program = plan(lower(scop, tree), host_target(), contract=False)
        directives = re.findall(r"#pragma omp .*", print_c(program).text)
        assert directives == [f"#pragma omp parallel for{words}"]
        kept = print_c(program, threads=Threads(clauses="schedule(dynamic)")).text
        assert re.findall(r"#pragma omp .*", kept) == ["#pragma omp parallel for schedule(dynamic)"]
