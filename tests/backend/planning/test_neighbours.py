"""Loads of neighbouring vectors: one load and shuffles instead, wherever the loop begins and ends."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import F32, F64, Expression, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, LoopNest, Node
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Operation
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import UNROLLED, VECTOR, binary, check, compute, i, j, loop, m, n, read
from tests.backend.planning.programs import flat, loads, operations
from tests.helpers.machine import with_figures

AVX512, AVX2 = map(shown_target, ("avx512", "avx2"))


def total(*values: Expression) -> Expression:
    result = values[0]
    for value in values[1:]:
        result = binary("+", result, value)
    return result


def line(*offsets: int, first: Affine | int = 2, type_: ScalarType = F64) -> LoopNest:
    """VECTOR i: B[i] = sum of A[i + offset]."""
    value = total(*(read("A", i + offset, type_=type_) for offset in offsets))
    copy = compute("S", read("B", i, type_=type_), value)
    arrays = (ArraySpec("A", type_, (n + 9,), read_only=True), ArraySpec("B", type_, (n + 9,)))
    return LoopNest("line", ("n", "m"), arrays, loop("i", first, n, copy, VECTOR))


def with_loads(per_cycle: float, target: Target = AVX512, adds: float = 1) -> Target:
    return with_figures(target, load=Operation(4, per_cycle), shuffle=Operation(4, 1), add=Operation(3, adds))


def main_loop(nest: LoopNest, target: Target | None = None) -> v.For:
    """Where loads cost twice a shuffle, unless a target says otherwise."""
    program = plan(nest, target or with_loads(1))
    return next(s for s in flat(program.body) if isinstance(s, v.For) and s.step > 1)


@pytest.mark.parametrize("offsets", [(-1, 0, 1), (1, -1, 0), (-2, 0, 2), (-1, 0, 1, -1), (0, 1, 2, 3, 7)])
@pytest.mark.parametrize("type_", [F64, F32])
def test_one_load_serves_neighbours(offsets: tuple[int, ...], type_: ScalarType) -> None:
    nest = line(*offsets, type_=type_)
    inner = main_loop(nest)
    assert len(loads(inner.body, "A")) == len(inner.carried) == 1
    assert len(operations(inner.body, v.Shuffle)) == len(set(offsets)) - 1
    for size in (0, 1, 2, 3, 9, 10, 11, 17, 18, 33, 34, 50):
        check(nest, {"n": size, "m": 0})


def test_from_a_border_that_moves() -> None:
    nest = line(-1, 0, 1, first=m)
    for size, first in ((40, 1), (40, 5), (40, 31), (40, 32), (40, 40), (40, 45), (8, 1)):
        check(nest, {"n": size, "m": first})


@pytest.mark.parametrize("offsets", [(0, 1), (0, 4, 8)])
def test_two_neighbours_and_distant_ones_are_loaded(offsets: tuple[int, ...]) -> None:
    inner = main_loop(line(*offsets))
    assert not inner.carried
    assert len(loads(inner.body, "A")) == len(offsets)


def test_a_row_that_the_loop_writes_is_loaded() -> None:
    def body(array: str) -> Node:
        first = compute("S", read("B", i), total(read("A", i - 1), read("A", i), read("A", i + 1)))
        return loop("i", 2, n, Block((first, compute("T", read(array, i + 16), read("B", i)))), VECTOR)

    arrays = tuple(ArraySpec(name, F64, (n + 17,)) for name in "ABC")
    for array, shuffles in (("C", 2), ("A", 0)):
        nest = LoopNest("written", ("n", "m"), arrays, body(array))
        assert len(operations(main_loop(nest).body, v.Shuffle)) == shuffles
        check(nest, {"n": 41, "m": 0})


@pytest.mark.parametrize(("target", "shuffles"), [(with_loads(1), 4), (with_loads(2), 0), (with_loads(1, AVX2), 0)])
def test_rows_of_which_others_are_wanted_too_are_loaded_where_loads_are_cheap(target: Target, shuffles: int) -> None:
    """Ten vectors anywhere for eight additions: they wait for loads where one vector a cycle is loaded."""
    star = total(read("A", j, i - 1), read("A", j, i), read("A", j, i + 1), read("A", j - 1, i), read("A", j + 1, i))
    rows = loop("i", 1, n, loop("j", 1, 3, compute("S", read("B", j, i), star), UNROLLED), VECTOR)
    arrays = (ArraySpec("A", F64, (affine(4), n + 1), read_only=True), ArraySpec("B", F64, (affine(4), n + 1)))
    nest = LoopNest("star", ("n",), arrays, rows)
    (inner,) = (s for s in flat(plan(nest, target).body) if isinstance(s, v.For) and s.step > 1)
    assert len(operations(inner.body, v.Shuffle)) == shuffles
    assert len(inner.carried) == shuffles // 2
    assert len(loads(inner.body, "A")) == 8 - shuffles
    here = plan(nest, with_loads(0.25, host_target()))
    for size in (1, 2, 8, 9, 10, 17, 18, 30):
        check(nest, {"n": size}, here)


@pytest.mark.parametrize(
    ("offsets", "adds", "shuffles", "loaded"),
    [
        ((-1, 0, 1), 2, 1, {0, 1}),  # 2 cycles; 3 with three loads, and with two shuffles
        ((1, -1, 0, -1), 2, 1, {0, 1}),
        ((-2, -1, 0, 1, 2), 2, 2, {0, 1, 2}),
        ((-1, 0, 1), 1, 0, {-1, 0, 1}),  # additions and shuffles would take what loads do
        ((-1, 0), 2, 0, {-1, 0}),
    ],
)
def test_shuffles_and_loads_have_both_their_share(
    offsets: tuple[int, ...], adds: float, shuffles: int, loaded: set[int]
) -> None:
    """A load anywhere takes as long as a shuffle, and two additions do where `adds` is 2."""
    target = with_loads(2, adds=adds)
    nest = line(*offsets)
    inner = main_loop(nest, target)
    assert len(operations(inner.body, v.Shuffle)) == shuffles
    assert len(inner.carried) == min(shuffles, 1)
    assert {load.address.subscripts[0].constant for load in loads(inner.body, "A")} == loaded
    here = plan(nest, with_loads(2, host_target(), adds))
    for size in (0, 1, 2, 3, 9, 10, 11, 17, 18, 33, 34, 50):
        check(nest, {"n": size, "m": 0}, here)


def test_several_rows_have_one_each() -> None:
    values = [read("A", row, i + offset) for row in range(2) for offset in (-1, 0, 1)]
    arrays = (ArraySpec("A", F64, (affine(2), n + 1), read_only=True), ArraySpec("B", F64, (n + 1,)))
    nest = LoopNest("rows", ("n",), arrays, loop("i", 1, n, compute("S", read("B", i), total(*values)), VECTOR))
    assert len(main_loop(nest).carried) == 2
    for size in (1, 2, 9, 10, 30):
        check(nest, {"n": size})
