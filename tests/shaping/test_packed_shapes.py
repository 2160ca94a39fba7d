"""Packed register tiles as the search proposes them: what they copy, and that they compute the same bits."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir import vector_program as v
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import machine_named
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.lowering.to_nest import LoweringError, lower
from polyloop.schedules.isl_scheduler import distributed
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import Packing, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.families import operands, packed_tiles, shapes
from polyloop.shaping.nests import nests, reduction_members, reshaped, reuse_members, vector_members
from tests.backend.planning.programs import flat
from tests.helpers.reading import marked_scop
from tests.helpers.running import (
    Arrays,
    assert_same,
    call_program,
    compiled,
    interpreted,
    load_c,
    random_data,
    require,
)

AVX512 = shown_target("avx512")
PRODUCT = """
void f(int n, int m, int l, double alpha, double C[n][m], double A[n][l], double B[l][m]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
#pragma endscop
}
"""
TRIANGLE = """
void f(int n, int l, double alpha, double C[n][n], double A[n][l]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < l; k++)
                C[i][j] += alpha * A[i][k] * A[j][k];
#pragma endscop
}
"""
CORRELATION = """
void f(int n, int l, double C[n][n], double A[l][n]) {
#pragma scop
    for (int i = 0; i < n - 1; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = 0; k < l; k++)
                C[i][j] += A[k][i] * A[k][j];
#pragma endscop
}
"""
TWO = """
void f(int n, int l, double alpha, double C[n][n], double A[n][l], double B[n][l]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = 0; k < l; k++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
#pragma endscop
}
"""
IN_PLACE = """
void f(int n, int m, double A[n][n], double B[n][m]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = i + 1; k < n; k++)
                B[i][j] += A[k][i] * B[k][j];
#pragma endscop
}
"""
CHANGED = """
void f(int n, int m, double s, double C[n][m], double A[n][n], double B[n][m]) {
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n; k++) {
                C[i][j] += s * A[i][k] * B[k][j];
                s = C[i][j];
            }
#pragma endscop
}
"""


def test_what_is_packed() -> None:
    product = marked_scop(PRODUCT)
    (nest,) = nests(original_tree(product))
    found = operands(product, nest, 1, 0)
    assert found.columns == (Packing("S0", "B[k][j]", (1, 0, 1)),)
    assert found.rows == (Packing("S0", "A[i][k]", (0, 1, 0), 0, "alpha"),)
    assert not found.gathers


def test_factors_of_a_sum_of_products() -> None:
    two = marked_scop(TWO)
    (nest,) = nests(original_tree(two))
    found = operands(two, nest, 1, 0)
    assert [str(packing) for packing in found.columns] == ["alpha * A[j][k]", "alpha * B[j][k]"]
    assert [str(packing) for packing in found.rows] == ["B[i][k]", "A[i][k]"]


def test_a_factor_that_is_written_is_left_where_it_is() -> None:
    changed = marked_scop(CHANGED)
    (nest,) = nests(original_tree(changed))
    assert [packing.factor for packing in operands(changed, nest, 1, 0).rows] == [""]
    tree = original_tree(changed)
    for path, band in tree.bands():
        first = band.members[0]
        packed = Packing("S0", "A[i][k]", (0, 1), 0, "s")
        tree = tree.replaced(path, type(band)((type(first)(first.rows, packings=(packed,)),), False, band.child))
        break
    with pytest.raises(LoweringError, match=r"s is written"):
        lower(changed, tree)


def _packed(scop: Scop, number: int) -> ScheduleTree:
    """A packed shape of the Scop's only nest."""
    dependences = scop.dependences()
    tree = distributed(scop, original_tree(scop), dependences)
    (nest,) = nests(tree)
    vector = next(k for k in range(3) if str(nest.members[k].row("S0")) == "j")
    row = next(iter(reuse_members(scop, nest, vector)))
    fixed = reduction_members(scop, nest)
    made = [s for _, s in packed_tiles(scop, nest, vector, row, fixed, AVX512, ((4, 2),))]
    packed = reshaped(scop, dependences, tree, nest, made[number % len(made)])
    assert isinstance(prove(scop, packed, dependences), Proof)
    return packed


@pytest.mark.parametrize("text", [PRODUCT, TRIANGLE, CORRELATION, TWO, IN_PLACE])
@pytest.mark.parametrize("number", range(5))
def test_the_same_bits(text: str, number: int) -> None:
    scop = marked_scop(text)
    sizes = dict(zip(scop.parameters, (37, 53, 300) if len(scop.parameters) == 3 else (37, 300), strict=True))
    data = random_data(scop, sizes, 0)
    expected = compiled(scalar_program(lower(scop, original_tree(scop))), sizes, data, True)
    program = plan(lower(scop, _packed(scop, number)), host_target())
    assert_same(expected, compiled(program, sizes, data, True), "JIT")
    assert_same(expected, compiled(program, sizes, data, True, threads=2), "JIT, two threads")


def test_copies_of_a_triangle_are_as_wide_as_its_tiles() -> None:
    triangle = marked_scop(CORRELATION)
    nest = lower(triangle, _packed(triangle, 0))
    shapes = {array.name: tuple(map(str, array.shape)) for array in nest.arrays}
    panels = str(AVX512.machine.l2.size // 2 // (256 * 16 * 8))
    assert (shapes["A_pack"], shapes["A_pack2"]) == ((panels, "256", "16"), ("1", "256", "4"))


def test_the_next_tile_is_asked_for_while_one_is_summed_up() -> None:
    product = marked_scop(PRODUCT)
    for number in range(4):
        program = plan(lower(product, _packed(product, number)), AVX512)
        asked = [s.address for s in flat(program.body) if isinstance(s, v.Prefetch)]
        assert {address.array for address in asked} == {"C"}
        assert len(asked) == 4 * 3  # four rows of sixteen, which may start anywhere


@pytest.mark.parametrize("text", [PRODUCT, TRIANGLE, TWO, IN_PLACE])
def test_the_interpreter_and_the_printed_c_agree(text: str, tmp_path: Path) -> None:
    require("gcc")
    scop = marked_scop(text)
    sizes = dict(zip(scop.parameters, (11, 19, 13) if len(scop.parameters) == 3 else (19, 21), strict=True))
    data = random_data(scop, sizes, 1)
    expected = interpreted(lower(scop, original_tree(scop)), sizes, data, False)
    nest = lower(scop, _packed(scop, 0))
    assert_same(expected, interpreted(nest, sizes, data, False), "interpreter")
    program = plan(nest, host_target(), contract=False)
    library = load_c(c_source(program, "kernel"), tmp_path)
    assert_same(expected, call_program(library, program, "kernel", sizes, data), "printed C")


def test_what_is_asked_for_outside_of_an_array_draws_no_warning(tmp_path: Path) -> None:
    require("gcc")
    scop = marked_scop(
        TRIANGLE.replace("C[n][n]", "C[28][28]").replace("A[n][l]", "A[28][20]").replace("i < n", "i < 28")
    )
    text = c_source(plan(lower(scop, _packed(scop, 2)), host_target()), "kernel")
    assert re.search(r"polyloop_ahead\(C, .*\+ 4\) \* 28", text)  # behind the last row
    load_c(text, tmp_path, flags=("-std=gnu99", "-O3", "-march=native", "-shared", "-fPIC", "-Wall"))


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_calls_of_several_threads_share_the_blocks_that_are_kept(compiler: str, tmp_path: Path) -> None:
    require(compiler)
    scop = marked_scop(PRODUCT)
    program = plan(lower(scop, _packed(scop, 0)), host_target(), contract=False)
    library = load_c(c_source(program, "kernel"), tmp_path, compiler)
    sizes = [dict(zip(scop.parameters, (rows, 40, 300), strict=True)) for rows in (5, 60, 33, 90)]
    data = [random_data(scop, each, seed) for seed, each in enumerate(sizes)]

    def call(number: int) -> Arrays:
        return call_program(library, program, "kernel", sizes[number % 4], data[number % 4])

    expected = [call(number) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for number, found in enumerate(pool.map(call, range(64))):
            assert_same(expected[number % 4], found, f"call {number}")


def _sizes(machine: str, instructions: str) -> list[tuple[int, int, int, int]]:
    """Of the packed tiles of a product with rows in between: rows, columns, steps and columns of a block."""
    described = machine_named(machine)
    target = replace(shown_target(instructions), machine=described)
    product = marked_scop(PRODUCT)
    (nest,) = nests(distributed(product, original_tree(product), product.dependences()))
    found = []
    for name, shape in shapes(product, nest, target, lambda shape: True):
        if re.match(r"packed .*panels of .*between$", name):
            (_, steps), (_, block), (_, rows), (_, width), *_ = shape.outer
            found.append((rows, width, steps, block // width))
    return found


@pytest.mark.parametrize(
    ("machine", "instructions", "expected"),
    [
        ("zen4", "avx512", [(8, 24, 256, 10), (8, 24, 96, 28)]),
        ("emerald-rapids", "avx512", [(8, 24, 256, 21), (8, 24, 128, 42)]),
        ("zen4-avx2", "avx2", [(6, 8, 256, 32), (6, 8, 192, 42), (4, 12, 256, 21), (4, 12, 192, 28)]),
        ("emerald-rapids-avx2", "avx2", [(6, 8, 256, 64), (6, 8, 320, 51), (4, 12, 256, 42), (4, 12, 288, 37)]),
    ],
)
def test_blocks_follow_from_caches(machine: str, instructions: str, expected: list[tuple[int, int, int, int]]) -> None:
    assert _sizes(machine, instructions) == expected


def test_vectors_along_stores_only() -> None:
    product = marked_scop(PRODUCT)
    (nest,) = nests(original_tree(product))
    assert vector_members(product, nest) == (1,)
    assert not list(islice(packed_tiles(product, nest, 1, 0, frozenset({2}), AVX512, ()), 1))
