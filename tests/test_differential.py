"""Random programs and random schedules through everything: whatever is proven computes the same bits everywhere.

The reference is a walk over the program in Python that knows nothing of isl; for C text it is gcc and clang, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.frontend import read_c
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import shape_of
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import inputs, kernel, kernel_names
from tests.helpers.checking import Case, check_original, check_tree, check_verdict
from tests.helpers.programs import C_HEAD, Program, executed, to_c
from tests.helpers.random_scops import programs, random_program, seeded
from tests.helpers.random_trees import random_tree
from tests.helpers.running import (
    Arrays,
    assert_same,
    call_c,
    call_program,
    compiled,
    interpreted,
    load_c,
    require,
)

SIZES = ((7, 5), (1, 1), (11, 3), (6, 13))

slow_examples = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    database=None,
    phases=(Phase.generate, Phase.shrink),
)


# --- programs of our own ----------------------------------------------------------------------------------------------


@settings(slow_examples, max_examples=25)
@given(programs(), st.sampled_from(SIZES))
def test_interpreter_and_jit_compute_what_the_program_says(program: Program, sizes: tuple[int, int]) -> None:
    check_original(Case(program, sizes))


@settings(slow_examples, max_examples=20)
@given(programs(statements=3), st.sampled_from(SIZES), st.integers(0, 1 << 30))
def test_random_trees(program: Program, sizes: tuple[int, int], seed: int) -> None:
    """Verdicts are right, and proven trees compute what the program says."""
    case = Case(program, sizes)
    what, tree = random_tree(seeded(seed), case.scop, host_target())
    if isinstance(check_verdict(case, tree), Proof):
        check_tree(case, tree, host_target(), what)


def _trees(case: Case, seed: int, count: int) -> Iterator[tuple[str, ScheduleTree]]:
    source = seeded(seed)
    for _ in range(count):
        yield random_tree(source, case.scop, host_target())


def _check_seed(seed: int, folder: Path, trees: int) -> Counter[str]:
    """All stages for one seed; counts the proven and the refused trees."""
    case = Case(random_program(seed), SIZES[seed % len(SIZES)], seed)
    check_original(case)
    verdicts: Counter[str] = Counter()
    for what, tree in _trees(case, seed, trees):
        legal = isinstance(check_verdict(case, tree), Proof)
        verdicts["proven" if legal else "refused"] += 1
        if legal:
            check_tree(case, tree, host_target(), f"seed {seed}: {what}", folder)
    return verdicts


def test_seeds_through_gcc(tmp_path: Path) -> None:
    require("gcc")
    verdicts: Counter[str] = sum((_check_seed(seed, tmp_path, 3) for seed in range(14)), Counter())
    assert verdicts["proven"] >= 15
    assert verdicts["refused"] >= 4


# --- C text -----------------------------------------------------------------------------------------------------------


def _scalars_for(scop: Scop, arrays: Arrays, sizes: dict[str, int]) -> Arrays:
    """What the Scop takes: parameters that occur only as values are read as scalars of the C code."""
    names = [a for a in scop.arrays if not a.local]
    return {a.name: arrays[a.name] if a.name in arrays else np.array(sizes[a.name], dtype_of(a.type)) for a in names}


def _check_c(seed: int, folder: Path) -> None:
    """C text -> gcc and clang == front end -> interpreter == front end -> schedule -> C text -> gcc and clang."""
    program = random_program(seed)
    case, text = Case(program, SIZES[seed % len(SIZES)], seed), C_HEAD + to_c(program)
    (scop,) = read_c(f"seed{seed}.c", text=text)
    sizes = {p: case.sizes[p] for p in scop.parameters}
    data = _scalars_for(scop, case.data, case.sizes)
    nest = lower(scop, original_tree(scop))
    original = call_c(load_c(text, folder), case.scop, program.name, case.sizes, case.data)
    assert_same(case.expected, original, "gcc on the original")
    for contract, expected in ((False, case.expected), (True, case.expected_contracted)):
        result = interpreted(nest, sizes, data, contract)
        assert_same(_scalars_for(scop, expected, case.sizes), result, f"front end, contraction {contract}")
    what, tree = random_tree(seeded(seed), scop, host_target())
    if not isinstance(prove(scop, tree, scop.dependences()), Proof):
        what, tree = "original order", original_tree(scop)
    emitted = emit_c_file(text, [Replacement(scop, plan(lower(scop, tree), host_target()))])
    result = call_c(load_c(emitted, folder), case.scop, program.name, case.sizes, case.data)
    assert_same(case.expected, result, f"seed {seed}, emitted, gcc: {what}")


def _check_clang(seed: int, folder: Path) -> None:
    """The contraction rule: clang's default rounds where the interpreter says."""
    program = random_program(seed)
    case = Case(program, SIZES[seed % len(SIZES)], seed)
    library = load_c(C_HEAD + to_c(program), folder, "clang-22", "on")
    # clang knows the whole processor, whatever part of it POLYLOOP_TARGET names.
    expected = executed(program, case.sizes, case.data, contract=True)
    assert_same(expected, call_c(library, case.scop, program.name, case.sizes, case.data), "clang")


def test_c_text_of_seeds(tmp_path: Path) -> None:
    require("gcc")
    # 46: gcc 12 took a function that writes for one without effects; 527 divides by two next to negative iterators.
    for seed in (*range(20, 30), 46, 527):
        _check_c(seed, tmp_path)


def test_contraction_is_clangs(tmp_path: Path) -> None:
    require("clang-22")
    for seed in range(30, 40):
        _check_clang(seed, tmp_path)


# --- the kernels that ship --------------------------------------------------------------------------------------------


def _kernel_sizes(name: str) -> dict[str, int]:
    """Small odd extents, all different."""
    return dict(zip(kernel(name).parameters, (7, 9, 5, 11, 3), strict=False))


def _kernel_arrays(scop: Scop, name: str, sizes: dict[str, int]) -> tuple[dict[str, int], Arrays]:
    """Parameters, and the kernel's own inputs as the Scop's arrays; variables of the function start anyhow."""
    given = inputs(name, sizes)
    arrays = {
        a.name: np.asarray(given.get(a.name, np.full(shape_of(scop, a, sizes), 3)), dtype_of(a.type))
        for a in scop.arrays
        if not a.local
    }
    return {p: sizes[p] for p in scop.parameters}, arrays


def _check_kernel(name: str, folder: Path, trees: int) -> int:
    """The number of proven trees that were run."""
    (scop,) = read_c(kernel(name).path)
    sizes, data = _kernel_arrays(scop, name, _kernel_sizes(name))
    nest = lower(scop, original_tree(scop))
    expected, contracted = (interpreted(nest, sizes, data, contract) for contract in (False, True))
    assert_same(contracted, compiled(scalar_program(nest), sizes, data, True), f"{name}: original loops")
    source, dependences, proven = seeded(len(name)), scop.dependences(), 0
    for number in range(6 * trees):
        if number >= trees and proven:
            break
        what, tree = random_tree(source, scop, host_target())
        if not isinstance(prove(scop, tree, dependences), Proof):
            continue
        proven += 1
        chosen = lower(scop, tree)
        planned = plan(chosen, host_target())
        assert_same(contracted, compiled(planned, sizes, data, True), f"{name}, JIT: {what}")
        library = load_c(c_source(planned, "kernel"), folder)
        assert_same(expected, call_program(library, planned, "kernel", sizes, data), f"{name}, gcc: {what}")
    return proven


@pytest.mark.parametrize("name", kernel_names())
def test_original_loops_of_kernels(name: str) -> None:
    """The C code itself through gcc would need its calling convention: tests/data compares that one's results."""
    (scop,) = read_c(kernel(name).path)
    sizes, data = _kernel_arrays(scop, name, _kernel_sizes(name))
    nest = lower(scop, original_tree(scop))
    expected = interpreted(nest, sizes, data, True)
    assert_same(expected, compiled(scalar_program(nest), sizes, data, True), f"{name}: scalar")
    assert_same(expected, compiled(plan(nest, host_target()), sizes, data, True), f"{name}: planned")
    assert any((expected[out] != data[out]).any() for out in expected), f"{name} changes nothing"


FAST = ("gemm", "jacobi-1d", "trisolv")


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.long) for n in kernel_names()])
def test_schedules_of_kernels(name: str, tmp_path: Path) -> None:
    require("gcc")
    assert _check_kernel(name, tmp_path, 4 if name in FAST else 1) >= 1
