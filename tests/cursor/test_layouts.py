"""Nests written down at once: sizes and tails, and the nest of the default schedule."""

from __future__ import annotations

import pytest

from polyloop.backend.default.task import Choice
from polyloop.backend.ir.expressions import F32
from polyloop.backend.machine.host import host_target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import default_nest, layout_of, nest_of
from polyloop.cursor.lowering import to_tree
from polyloop.cursor.nest import UNROLLED, VECTOR, Loop, Nest
from polyloop.cursor.shapes import shaped
from polyloop.schedules.legality import Proof, prove
from polyloop.scop.model import Scop
from polyloop.tensors import tensor


def contraction(text: str, **sizes: int) -> Contraction:
    found = Contraction.of(tensor(text, sizes))
    assert found is not None
    return found


def product(m: int = 80, k: int = 48, n: int = 112) -> Contraction:
    return contraction("C[m, n] += A[m, k] * B[k, n]", m=m, k=k, n=n)


def test_a_nest_of_tiles() -> None:
    nest = nest_of(product(), [("n", None), ("m", None), ("k", None), ("m", 6), ("n", 32)])
    outer, inner = (Loop("n", 3, 16), Loop("m", 13, 2)), (Loop("m", 6), Loop("n", 32))
    assert nest == Nest((*outer, Loop("k", 48), *inner), (*outer, *inner))


def test_three_levels_of_one_loop() -> None:
    nest = nest_of(product(m=100), [("m", None), ("k", None), ("m", 4), ("n", None), ("m", 5)])
    assert [loop for loop in nest.compute if loop.variable == "m"] == [Loop("m", 5), Loop("m", 4), Loop("m", 5)]


PROGRAMS = {
    "product": ("C[m, n] += A[m, k] * B[k, n]", {"m": 144, "k": 208, "n": 224}),
    "initialised": ("C[m, n] = A[m, k] * B[k, n]", {"m": 64, "k": 64, "n": 64}),
    "convolution": (
        "O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]",
        {"y": 7, "x": 7, "i": 3, "j": 3, "c": 64, "o": 96},
    ),
    "depthwise": ("O[y, x, c] += I[y + i, x + j, c] * W[i, j, c]", {"y": 14, "x": 14, "i": 3, "j": 3, "c": 40}),
    "dot": ("s[] += x[i] * y[i]", {"i": 1000}),
    "vector": ("y[i] += A[i, j] * x[j]", {"i": 100, "j": 200}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_default_schedule_as_a_nest_covers_every_point_and_is_legal(name: str) -> None:
    text, sizes = PROGRAMS[name]
    problem = contraction(text, **sizes)
    nest = default_nest(problem, host_target())
    if nest is None:
        assert name in ("dot", "vector")
        return
    for variable, extent in problem.extents:
        elements = 1
        for loop in reversed([loop for loop in nest.compute if loop.variable == variable]):
            elements = elements * loop.size + loop.tail
        assert elements == extent
    assert nest.store == tuple(loop for loop in nest.compute if loop.variable not in problem.reduced)
    scop: Scop = problem.scop
    assert isinstance(prove(scop, to_tree(problem, nest), scop.dependences("memory"), True), Proof)


def test_a_large_product_is_tiled() -> None:
    nest = default_nest(product(), host_target())
    assert nest is not None
    assert nest.compute[-1].variable == "n"
    # One row of many columns is a tile, too, where a product takes two instructions.
    assert sum(loop.variable in ("m", "n") for loop in nest.compute) > 2


def test_a_tile_as_large_as_its_loop_is_the_loop() -> None:
    problem = product()
    sizes = problem.sizes
    whole = Choice("n", sizes["n"], (("m", sizes["m"]),), (), (("k", 16),), ("n", "m"))
    assert layout_of(problem, whole) == (("k", None), ("k", 16), ("m", None), ("n", None))
    half = Choice("n", 16, (("m", 6),), (), (), ("n", "m"))
    assert layout_of(problem, half) == (("n", None), ("m", None), ("k", None), ("m", 6), ("n", 16))
    assert layout_of(problem, Choice("n", 16, (), (), (), ("n",))) is None, "nothing says where m stands"


def test_the_vector_of_a_tile_is_done_last_where_there_are_more_rows() -> None:
    """What the rows multiply is then needed for one of them at a time: held for all, it does not fit the registers."""
    problem, target = product(m=96, k=64, n=128), host_target()
    lanes = target.lanes(F32)
    rows = target.carried_registers // 2
    outer = [("m", None), ("n", None), ("k", None)]

    def inner(*tile: tuple[str, int]) -> list[str]:
        return [loop.variable for loop in shaped(problem, nest_of(problem, [*outer, *tile]), target).compute[3:]]

    assert inner(("n", 2 * lanes), ("m", rows)) == ["m", "n"]
    assert inner(("m", rows), ("n", 2 * lanes)) == ["m", "n"]
    assert inner(("n", 2), ("m", rows), ("n", lanes)) == ["m", "n", "n"]
    assert inner(("n", 2), ("n", lanes), ("m", rows)) == ["m", "n", "n"]
    assert inner(("n", 4 * lanes), ("m", 2)) == ["n", "m"]
    assert inner(("n", 2 * lanes), ("m", 8 * rows)) == ["n", "m"]


def test_sums_inside_of_a_tile_are_done_first() -> None:
    """What a term multiplies is then loaded once for all results: with the sum inside, it was loaded for each."""
    problem, target = product(m=96, k=64, n=128), host_target()
    lanes = target.lanes(F32)
    outer = [("m", None), ("n", None), ("k", None)]

    def inner(*tile: tuple[str, int]) -> list[Loop]:
        return [*shaped(problem, nest_of(problem, [*outer, *tile]), target).compute[3:]]

    ordered = [Loop("k", 4, 0, UNROLLED), Loop("m", 4, 0, UNROLLED), Loop("n", lanes, 0, VECTOR)]
    assert inner(("n", lanes), ("m", 4), ("k", 4)) == ordered
    assert inner(("m", 4), ("n", lanes), ("k", 4)) == ordered
    assert inner(("n", lanes), ("k", 4), ("m", 4)) == ordered
    assert inner(("m", 2), ("m", 2), ("n", lanes), ("k", 4)) == ordered, "loops of a variable are one"
