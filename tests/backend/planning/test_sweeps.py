"""Sweeps in one loop: what one stores and the next loads an element further stays in registers, bit for bit."""

from __future__ import annotations

from random import Random

import pytest

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F32, F64, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, LoopNest, Node
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Operation
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import VECTOR, check, compute, i, it, loop, n, read
from tests.backend.planning.programs import flat, loads, operations, stores
from tests.backend.planning.test_neighbours import total
from tests.helpers.machine import with_figures

AVX512 = shown_target("avx512")


def cheap_shuffles(target: Target) -> Target:
    return with_figures(target, load=Operation(4, 1), shuffle=Operation(4, 4))


def sweep(name: str, to: str, at: int, offsets: list[int], of: str, width: int, type_: ScalarType = F64) -> Node:
    """VECTOR i, `width` elements from an iteration's first: to[i + at] = sum of of[i + offset]."""
    body = compute(name, read(to, i + at, type_=type_), total(*(read(of, i + o, type_=type_) for o in offsets)))
    return loop("i", width * it, width * it + width, body, VECTOR)


def sweeps(*nodes: Node, width: int, type_: ScalarType = F64) -> LoopNest:
    arrays = tuple(ArraySpec(name, type_, (n * width + 4 * width,)) for name in "AB")
    return LoopNest("sweeps", ("n",), arrays, loop("it", 1, n, Block(nodes)))


def jacobi(steps: int, width: int) -> LoopNest:
    """Each step two sweeps, each an element behind the one before."""
    nodes = []
    for step in range(0, 2 * steps, 2):
        for k, (to, of) in enumerate((("B", "A"), ("A", "B"))):
            at = 2 * steps - step - k
            nodes.append(sweep(f"S{step + k}", to, at, [at - 1, at, at + 1], of, width))
    return sweeps(*nodes, width=width)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_step_takes_what_the_one_before_has_stored(steps: int) -> None:
    nest = jacobi(steps, 8)
    (main,) = (s for s in flat(plan(nest, cheap_shuffles(AVX512)).body) if isinstance(s, v.For))
    assert [len(loads(main.body, array)) for array in "AB"] == [1, 0]
    assert len(stores(main.body, "A")) == len(stores(main.body, "B")) == 1
    assert len(operations(main.body, v.Shuffle)) == 4 * steps


def test_loads_alone_stay_loads_where_shuffles_cost_as_much() -> None:
    target = with_figures(AVX512, load=Operation(4, 2), shuffle=Operation(4, 1))
    (main,) = (s for s in flat(plan(jacobi(1, 8), target).body) if isinstance(s, v.For))
    assert [len(loads(main.body, array)) for array in "AB"] == [3, 0]


def test_what_is_stored_without_a_load_behind_it_stays() -> None:
    nest = sweeps(sweep("S", "B", 0, [-1, 0, 1], "A", 8), sweep("T", "A", 16, [0], "B", 8), width=8)
    (main,) = (s for s in flat(plan(nest, AVX512).body) if isinstance(s, v.For))
    assert not main.carried


@pytest.mark.parametrize("steps", [1, 2])
def test_any_number_of_iterations(steps: int) -> None:
    width = host_target().lanes(F64)
    nest = jacobi(steps, width)
    program = plan(nest, cheap_shuffles(host_target()))
    for size in (0, 1, 2, 3, 7):
        check(nest, {"n": size}, program)


@pytest.mark.parametrize("seed", range(12))
def test_random_sweeps(seed: int) -> None:
    """Sweeps that store anywhere over each other's elements, before and behind."""
    random = Random(seed)
    type_ = random.choice((F64, F64, F32))
    width = host_target().lanes(type_) * random.choice((1, 1, 2))
    nodes = []
    for number in range(random.randint(2, 6)):
        to, of = random.choice((("A", "B"), ("B", "A")))
        at, first = random.randint(-width, width), random.randint(-width, width)
        near = random.randint(-2, 2) + (at if random.random() < 0.5 else first)
        offsets = [max(-width, near + o) for o in random.sample(range(-2, 3), random.randint(1, 3))]
        nodes.append(sweep(f"S{number}", to, at, offsets, of, width, type_))
    nest = sweeps(*nodes, width=width, type_=type_)
    for size in (1, 2, 3, 8):
        check(nest, {"n": size}, plan(nest, cheap_shuffles(host_target())))


def test_a_step_behind_by_whole_vectors() -> None:
    """Of what the iteration before has stored, one load needs all lanes, which are carried before this pass; another
    one those behind the first, and the first that is stored now."""
    nest = sweeps(sweep("S0", "B", 8, [8], "A", 8), sweep("S1", "A", 0, [0, 1], "B", 8), width=8)
    (main,) = (s for s in flat(plan(nest, cheap_shuffles(AVX512)).body) if isinstance(s, v.For))
    assert not loads(main.body, "B")
    assert len(main.carried) == 1
    for size in (1, 2, 3, 9):
        check(nest, {"n": size})
