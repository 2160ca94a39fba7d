"""Statements that a program has several times over become calls of a function (`polyloop.backend.c.sharing`)."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from polyloop.backend.c.copies import FULL, Form, Joining, Section, UnlikeError
from polyloop.backend.c.named_integers import simplified
from polyloop.backend.c.printer import c_source, print_c
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least, maximum, minimum
from polyloop.backend.ir.expressions import F64
from polyloop.backend.ir.vector_program import Let
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from tests.helpers.running import Arrays, assert_same, call_program, interpreted, load_c, random_data, require
from tests.replay.programs import KernelProgram


@pytest.mark.parametrize(
    ("kernel", "calls"), [("gemm", [2]), ("2mm", [2, 2, 2]), ("gesummv", [2, 2]), ("jacobi-2d", [2])]
)
def test_functions_and_how_often_they_are_called(kernel: str, calls: list[int]) -> None:
    scheduled = KernelProgram(kernel, "isl").scheduled(shown_target("avx512"))
    text = print_c(plan(lower(scheduled.scop, scheduled.tree), shown_target("avx512")), "f").text
    assert [text.count(f"f_part{number}(") - 1 for number in range(1, len(calls) + 1)] == calls


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
@pytest.mark.parametrize("kernel", ["2mm", "gesummv", "mvt", "fdtd-2d"])
def test_results_are_those_of_the_nest(tmp_path: Path, kernel: str, compiler: str) -> None:
    require(compiler)
    program, text, cases = _computed(kernel)
    # With vectors of two doubles all that mvt has twice over are whole vectors and their rest, which are one loop.
    joined = kernel == "mvt" and "polyloop_strips(" in text
    assert joined or "polyloop_inline polyloop_undistributed void kernel_part1(" in text
    library = load_c(text, tmp_path, compiler)
    for sizes, data, expected in cases:
        assert_same(expected, call_program(library, program, "kernel", sizes, data), f"{kernel} {sizes}")


@cache
def _computed(kernel: str) -> tuple[v.VectorProgram, str, list[tuple[dict[str, int], Arrays, Arrays]]]:
    """Its program, that as C, and some sizes with data and what the nest makes of them."""
    scheduled = KernelProgram(kernel, "isl").scheduled(host_target())
    nest = lower(scheduled.scop, scheduled.tree)
    program = plan(nest, host_target(), contract=False)
    cases = []
    for seed, size in enumerate((5, 18, 27)):
        sizes = {p: 2 if p == "tsteps" else size + place for place, p in enumerate(scheduled.scop.parameters)}
        data = random_data(scheduled.scop, sizes, seed)
        cases.append((sizes, data, interpreted(nest, sizes, data, contract=False)))
    return program, c_source(program, "kernel"), cases


ROWS = (0, 1, 5, 7, 20, 23, 31, 40, 44, 60)
"""So unevenly that they make no loop."""


def text_of(first: str, second: str) -> str:
    """Of two loops with a statement for each row {k}."""
    loops = ["\n".join(f"        {each.replace('{k}', str(k))};" for k in ROWS) for each in (first, second)]
    arrays = ", ".join(f"double {name}[restrict 64][n]" for name in "abc")
    source = (
        f"void f(int n, double s, {arrays})\n{{\n#pragma scop\n    for (int i = 0; i < n; i++) {{\n{loops[0]}\n    }}\n"
        f"    for (int i = 1; i < n; i++) {{\n{loops[1]}\n    }}\n#pragma endscop\n}}\n"
    )
    (scop,) = read_source("file.c", text=source).scops
    return print_c(plan(lower(scop, original_tree(scop)), host_target())).text


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("a[{k}][i] = b[{k}][i] * 2", "a[{k}][i] = b[{k}][i] * 2", True),
        ("a[{k}][i] = b[{k}][i] * 2", "c[{k}][i] = a[{k}][i] * 2", True),
        ("a[{k}][i] = b[{k}][i] * s", "a[{k}][i] = b[{k}][i - 1] * s", True),
        ("a[{k}][i] = b[{k}][i] * 2", "a[{k}][i] = b[{k}][i] * 3", False),  # other constants
        ("a[{k}][i] = b[{k}][i] * 2", "a[{k}][i] = 2 * b[{k}][i]", False),  # other operations
        ("a[{k}][i] = b[{k}][i] * 2", "a[{k}][i] = a[{k}][i] * 2", False),  # what would be two arrays is one
    ],
)
def test_what_copies_are(first: str, second: str, shared: bool) -> None:
    text = text_of(first, second)
    assert ("f_part1(" in text) == shared
    assert text.count("] = ") == (len(ROWS) if shared else 2 * len(ROWS))


def test_functions_have_functions_for_what_they_do_several_times() -> None:
    """Two matrices are packed alike, each in blocks that are turned."""
    scheduled = KernelProgram("syr2k", "isl").scheduled(shown_target("avx2"))
    text = print_c(plan(lower(scheduled.scop, scheduled.tree), shown_target("avx2")), "f").text
    assert text.count("polyloop_turn4_f64x4(") == 1
    inner, outer = (text.index(f"f_part{number}(") for number in (1, text.count("polyloop_inline void f_part")))
    assert inner < text.index("polyloop_turn4_f64x4(") < outer
    assert text.index("f_part1(", inner + 1) < outer


def test_conditions_of_neighbours_and_loops_that_run_once_at_most() -> None:
    n, number = affine("n"), Let("one", v.Constant(1.0, v.ValueType(F64)))
    stores = [v.Store(v.Address("a", (affine(at),), (0,)), v.Value("one", v.ValueType(F64)), None) for at in ("i", "n")]
    once = v.For("i", n // 4, (n + 3) // 4, 1, (stores[0],))
    twice = v.For("i", n // 4, (n + 5) // 4, 1, (stores[0],))
    here = v.Store(v.Address("a", (n // 4,), (0,)), v.Value("one", v.ValueType(F64)), None)
    condition = at_least((n + 3) // 4, n // 4 + 1)
    assert simplified((number, once, v.If(condition, (stores[1],)))) == (number, v.If(condition, (here, stores[1])))
    assert simplified((number, twice)) == (number, twice)
    assert simplified((v.If(condition, (once,)),)) == (v.If(condition, (here,)),)


def _joining(full: tuple[bool, ...]) -> Joining:
    return Joining([Form(Section((), ())) for _ in full], full, {FULL})


def _random_integer(rng: random.Random, depth: int = 2) -> Affine:
    """Over a variable of the copies' own, and two of others."""
    terms = [affine(name) * rng.randint(-2, 3) for name in ("%0", "n", "m")]
    value = sum(rng.sample(terms, rng.randint(0, 3)), affine(rng.randint(-3, 3)))
    if depth and rng.random() < 0.5:
        other = _random_integer(rng, depth - 1)
        value = rng.choice([minimum(value, other), maximum(value, other), value + other // 3])
    return value


def test_an_expression_of_parameters_is_that_of_each_copy() -> None:
    rng, joined = random.Random(5), 0
    for _ in range(600):
        full = tuple(rng.random() < 0.5 for _ in range(rng.randint(2, 3)))
        values = [_random_integer(rng) for _ in full]
        if rng.random() < 0.5:  # all but one alike
            values[1:] = [values[0] + rng.choice([affine("n"), affine(3), affine("%0")]) for _ in full[1:]]
        joining = _joining(full)
        try:
            one = joining.joined(values)
        except UnlikeError:
            continue
        joined += 1
        assert {name for _, name in joining.parameters}.isdisjoint({"%0", FULL})
        for place, value in enumerate(values):
            at = {name: rng.randint(-9, 9) for name in ("%0", "n", "m")}
            passed = {name: (given[place] or affine(0)).evaluate(at) for given, name in joining.parameters}
            found = one.evaluate({"%0": at["%0"], FULL: int(full[place]), **passed})
            assert found == value.evaluate(at), (values, str(one), joining.parameters)
    assert joined > 300


def test_what_stands_alike_beside_what_differs_is_a_parameter_too() -> None:
    """The first row of a tile, ``min(row + r, n - 1) - 6 * tile``, of copies with other rows."""
    joining = _joining((True, True))
    values = [minimum(affine("%0") + affine(row), affine("n") - 1) - affine("tile") * 6 for row in ("a", "b")]
    one = joining.joined(values)
    names = {name for _, name in joining.parameters}
    assert one.variables() <= {"%0", *names}
    assert [affine("tile"), affine("tile")] in [passed for passed, _ in joining.parameters]
