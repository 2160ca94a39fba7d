"""Sums of small integers by groups of lanes: which loops they are, and that they come to what C says."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir.interpreter import Array
from polyloop.backend.ir.loop_nest import Loop, LoopNest
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import GroupSum, Let, VectorProgram
from polyloop.backend.machine.host import host_target, runs_here, targeted
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.group_sums import grouped_bits
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.transforms import Vectorize
from tests.helpers.running import Arrays, assert_same, c_of, call_program, compiled, interpreted, load_c

TARGETS = [name for name in ("sse", "avx2", "avx512") if runs_here(name)]
COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
FLAGS = {"sse": "-msse4.2", "avx2": "-march=haswell", "avx512": "-march=skylake-avx512"}
MOST = 200

pytestmark = pytest.mark.skipif(not TARGETS, reason="there is no instruction for such sums")


def nest_of(value: str, type_: str = "int", update: str = "", trips: str = "n") -> LoopNest:
    """A sum over i of what may be made of bytes a and b (signed), shorts c and e (unsigned), and one byte, d."""
    text = f"""#include <stdint.h>
#include <stdlib.h>
void f(int n, const uint8_t *a, const int8_t *b, const int16_t *c, const uint16_t *e, uint8_t d[1], {type_} s[1])
{{
    for (int i = 0; i < {trips}; i++)
        {update or f"s[0] += {value}"};
}}
"""
    (scop,) = read_source("t.c", text=text, auto=True).scops
    return lower(scop, Vectorize((), 0).apply(original_tree(scop)))


def data_of(nest: LoopNest, seed: int = 3) -> Arrays:
    rng = np.random.default_rng(seed)
    arrays: dict[str, Array] = {}
    for spec in nest.arrays:
        if spec.storage.value == "argument":
            kind = np.dtype(f"{'u' if spec.type.kind == 'uint' else 'i'}{spec.type.bytes}")
            limits = np.iinfo(kind)
            low, high = (limits.min, limits.max) if spec.type.bits < 32 else (0, 100)
            arrays[spec.name] = rng.integers(low, high, 1 if spec.name in "ds" else MOST, dtype=kind, endpoint=True)
            if spec.name not in "ds":
                ends = rng.random(MOST)
                arrays[spec.name][ends < 0.2] = low
                arrays[spec.name][ends > 0.8] = high
    return arrays


def bits_of(nest: LoopNest) -> int | None:
    assert isinstance(nest.body, Loop)
    return grouped_bits(nest.body)


def check(nest: LoopNest, n: int) -> None:
    check_everywhere(nest, n, data_of(nest))


def check_everywhere(nest: LoopNest, n: int, arrays: Arrays) -> None:
    """The interpreter and the JIT agree for all instruction sets."""
    sizes = dict.fromkeys(nest.parameters, n)
    expected = interpreted(nest, sizes, arrays, contract=True)
    for name in TARGETS:
        with targeted(name):
            assert_same(expected, compiled(plan(nest, host_target()), sizes, arrays, contract=True), name)


def check_emitted(nests: Mapping[str, tuple[LoopNest, Arrays]], n: int, folder: Path) -> None:
    """C does what the interpreter does for all instruction sets, under all compilers; all nests are in one file."""
    sizes = {case: dict.fromkeys(nest.parameters, n) for case, (nest, _) in nests.items()}
    expected = {case: interpreted(nest, sizes[case], data, contract=True) for case, (nest, data) in nests.items()}
    functions = {case: f"f{number}" for number, case in enumerate(nests)}
    for name in TARGETS:
        with targeted(name):
            programs = {case: plan(nest, host_target()) for case, (nest, _) in nests.items()}
        text = c_of({functions[case]: program for case, program in programs.items()})
        for compiler, flags in product(COMPILERS, (("-O2", FLAGS[name]), ("-O1",))):
            options = ("-std=gnu99", *flags, "-shared", "-fPIC", "-Wall", "-Wextra", "-Wno-psabi", "-Werror")
            library = load_c(text, folder, compiler, flags=options)
            for case, (_, data) in nests.items():
                found = call_program(library, programs[case], functions[case], sizes[case], data)
                assert_same(expected[case], found, f"{case}: {name}, {compiler} {' '.join(flags)}")


def sums_in(program: VectorProgram) -> set[str]:
    lets = (s.operation for s in walk(program.body) if isinstance(s, Let))
    return {operation.operator for operation in lets if isinstance(operation, GroupSum)}


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        ("a[i]", 8),
        ("b[i]", 8),
        ("c[i]", 16),
        ("e[i]", 16),
        ("a[i] == d[0]", 8),
        ("a[i] > d[0] ? a[i] - d[0] : d[0] - a[i]", 8),
        ("abs(b[i] - (int8_t)d[0])", 8),
        ("a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]", 16),
        ("(a[i] + d[0] + 1) >> 1", 16),
        ("a[i] * a[i]", 16),
        ("a[i] * b[i] - c[i] * d[0] + b[i]", 16),
        ("(a[i] - b[i]) * (a[i] - b[i])", 16),
        ("c[i] * c[i]", 16),
        ("c[i] > 7 ? c[i] * a[i] : 0", 16),
        ("e[i] * 3", None),
        ("a[i] * c[i] * b[i]", None),
        ("a[i] * i", None),
        ("a[i] * 0.5", None),
        ("a[3 * i]", None),
    ],
)
def test_what_fits_is_summed_by_groups(value: str, bits: int | None) -> None:
    nest = nest_of(value)
    assert bits_of(nest) == bits
    assert bool(sums_in(plan(nest, shown_target("avx512")))) == (bits is not None)
    assert not sums_in(plan(nest, shown_target("neon")))
    check(nest, 65)


@pytest.mark.parametrize(
    ("value", "type_", "bits"),
    [
        ("a[i]", "uint64_t", 8),
        ("b[i]", "int64_t", 8),
        ("abs(a[i] - d[0])", "long", 8),
        ("a[i] * b[i]", "long", None),  # sums of products would wrap in 32 bits
        ("c[i]", "long", None),
        ("a[i]", "uint8_t", None),
        ("c[i] * c[i]", "unsigned", 16),
    ],
)
def test_sums_of_every_type(value: str, type_: str, bits: int | None) -> None:
    nest = nest_of(value, type_)
    assert bits_of(nest) == bits
    check(nest, 150)


@pytest.mark.parametrize(
    "update",
    [
        "if (a[i] == d[0]) s[0]++",
        "if (c[i] > 0) s[0] += a[i] * b[i]",
        "if (b[i] < 0) s[0] -= b[i]",
        "s[0] = a[i] + s[0]",
        "s[0] -= a[i] * c[i]",
        "s[0] += c[i] + 200",
        "s[0] += abs(200 - a[i]) + abs(b[i] - 7)",
        "s[0] += (d[0] + 3) * (d[0] - 9)",
    ],
)
@pytest.mark.parametrize("n", [0, 1, 199])
def test_sums_under_conditions_and_differences(update: str, n: int) -> None:
    check(nest_of("", "int", update), n)


@pytest.mark.parametrize("trips", [2, 8, 13, 16, 40, 128, 199])
@pytest.mark.parametrize("value", ["b[i]", "abs(a[i] - d[0])", "(a[i] - 300) * b[i]", "e[i]"])
def test_loops_of_known_length(value: str, trips: int) -> None:
    check(nest_of(value, trips=str(trips)), MOST)


def test_emitted_c(tmp_path: Path) -> None:
    nests = {value: nest_of(value) for value in ("b[i]", "a[i] == d[0]", "abs(a[i] - d[0]) + a[i] * b[i]", "e[i]")}
    check_emitted({value: (nest, data_of(nest)) for value, nest in nests.items()}, 181, tmp_path)


def test_products_that_wrap_in_their_instruction() -> None:
    nest = nest_of("c[i] * c[i]", "unsigned")
    arrays = data_of(nest)
    arrays["c"][:] = -(1 << 15)
    check_everywhere(nest, 4, arrays)


@st.composite
def values(draw: st.DrawFn, depth: int = 3) -> tuple[str, int]:
    """An expression, and a bound of its magnitude, which stays in the range of int."""
    leaves = {"a[i]": 255, "b[i]": 128, "c[i]": 32768, "e[i]": 65535, "d[0]": 255, "3": 3, "-1": 1, "200": 200}
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        text = draw(st.sampled_from(sorted(leaves)))
        return text, leaves[text]
    (x, most), (y, other) = draw(values(depth - 1)), draw(values(depth - 1))
    made = [
        (f"({x} + {y})", most + other),
        (f"({x} - {y})", most + other),
        (f"({x} * {y})", most * other),
        (f"({x} > {y} ? {x} - {y} : {y} - {x})", most + other),
        (f"abs({x} - {y})", most + other),
        (f"({x} == {y} ? {x} : {y})", max(most, other)),
        (f"({x} < {y})", 1),
        (f"({x} >> 2)", most),
        (f"(uint8_t)({x})", 255),
        (f"(int8_t)({x})", 128),
        (f"({x} & {y})", 1 << 20),
    ]
    kept = [one for one in made if one[1] < 1 << 22]  # so that 200 of them fit
    return draw(st.sampled_from(kept)) if kept else (x, most)


quiet = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


@settings(quiet, max_examples=25)
@given(values(), st.sampled_from(["int", "unsigned", "long"]), st.integers(0, MOST))
def test_random_sums(value: tuple[str, int], type_: str, n: int) -> None:
    check(nest_of(value[0], type_), n)
