"""Vector loops over clamped subscripts, cut at the borders: what lies between is plain, and all is as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import reads
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import Block, Loop, LoopKind, LoopNest, Node, map_children, walk
from polyloop.backend.planning.clamps import cut_at_clamps
from polyloop.backend.planning.lanes import access_stride, computes
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.transforms import Vectorize

BEGIN = """
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
static int least(int a, int b) { return a < b ? a : b; }
void f(int n, int m, float a[n], float b[n])
{
"""
TAPS = """    for (int x = 0; x < n; x++) {
        float sum = 0.0f;
        for (int k = -R; k <= R; k++)
            sum += a[clamp(x + k, 0, n - 1)];
        b[x] = sum;
    }
}
"""


def taps(radius: int) -> LoopNest:
    (scop,) = read_source("t.c", text=BEGIN + TAPS.replace("R", str(radius)), auto=True).scops
    found = outer_lanes(Proofs(), scop)
    assert found is not None
    return lower(found.scop, found.tree)


def nest_of(subscript: str) -> LoopNest:
    text = f"{BEGIN}    for (int x = 0; x < n; x++)\n        b[x] = a[{subscript}];\n}}\n"
    (scop,) = read_source("t.c", text=text, auto=True).scops
    return lower(scop, Vectorize((), 0).apply(original_tree(scop)))


def loops(nest: LoopNest) -> tuple[Loop, Loop, Loop]:
    assert isinstance(nest.body, Block)
    first, middle, last = nest.body.children
    assert isinstance(first, Loop)
    assert isinstance(middle, Loop)
    assert isinstance(last, Loop)
    return first, middle, last


def result(nest: LoopNest, n: int, m: int = 3) -> list[float]:
    arrays = {"a": np.arange(1, n + 1, dtype="f4"), "b": np.zeros(n, "f4")}
    given = {s.name: arrays[s.name] for s in nest.arrays if s.name in arrays}
    interpret(nest, {name: {"n": n, "m": m}[name] for name in nest.parameters}, given)
    return list(map(float, arrays["b"]))


@pytest.mark.parametrize("what", [1, 2, "least(x + 1, n - 1)", "clamp(x - 3, 0, n - 1)"])
def test_between_the_borders_subscripts_are_plain(what: int | str) -> None:
    nest = taps(what) if isinstance(what, int) else nest_of(what)
    cut = cut_at_clamps(nest)
    first, middle, last = loops(cut)
    assert [loop.kind for loop in (first, middle, last)] == [
        LoopKind.SEQUENTIAL, LoopKind.VECTOR, LoopKind.SEQUENTIAL,
    ]  # fmt: skip
    (strides,) = {
        access_stride(read.access, "x") for c in computes(middle) for read in reads(c.value) if read.access.array == "a"
    }
    assert strides == (1,)
    for n in (*range(8), 40):
        assert result(cut, n) == result(nest, n)


def test_borders_are_where_taps_reach_them() -> None:
    first, middle, last = loops(cut_at_clamps(taps(2)))
    for n, borders in ((0, (0, 0)), (1, (1, 1)), (3, (2, 2)), (4, (2, 2)), (5, (2, 3)), (40, (2, 38))):
        values = {"n": n}
        assert (middle.lower.evaluate(values), middle.upper.evaluate(values)) == borders
        assert (first.upper, last.lower) == (middle.lower, middle.upper)


@pytest.mark.parametrize("subscript", ["x", "least(x, n - 1 - x)", "x / 2", "least(2 * x, n - 1)"])
def test_what_is_no_clamp_stays(subscript: str) -> None:
    nest = nest_of(subscript)
    assert cut_at_clamps(nest) == nest


@pytest.mark.parametrize(
    ("start", "end", "straight"),
    [
        ("x < m ? m : x", "n", True),
        ("0", "x + 1 < m ? x + 1 : m", True),
        ("x < m ? m : x", "x + 5 < n ? x + 5 : n", True),
        ("x", "n", False),
    ],
)
def test_loops_whose_bounds_follow_the_lanes_at_a_border_only(start: str, end: str, straight: bool) -> None:
    """As in the blocks on the diagonal of a triangle; where they follow everywhere, nothing is cut."""
    body = f"for (int i = {start}; i < ({end}); i++) b[x] += a[i];"
    text = f"    for (int x = 0; x < n; x++)\n        {body}\n}}\n"
    (scop,) = read_source("t.c", text=BEGIN + text, auto=True).scops
    nest = lower(scop, Vectorize((), 0).apply(original_tree(scop)))
    cut = cut_at_clamps(nest)
    if not straight:
        assert cut == nest
        return
    first, middle, last = loops(cut)
    assert middle.kind is LoopKind.VECTOR
    assert first.kind is last.kind is LoopKind.SEQUENTIAL
    (inner,) = (node for node in walk(middle.body) if isinstance(node, Loop))
    assert "x" not in inner.lower.variables() | inner.upper.variables()
    for n in (*range(1, 8), 12):
        for m in range(min(n, 4) + 1):
            assert result(cut, n, m) == result(nest, n, m)
    assert any(any(result(replace(cut, body=middle), n)) for n in (8, 12))


def test_borders_are_where_all_ranges_of_a_variable_reach() -> None:
    """Two loops inside have one variable: taps before the element under a condition, taps behind it else."""
    first, middle, last = loops(cut_at_clamps(taps(2)))
    (inner,) = (node for node in walk(middle.body) if isinstance(node, Loop))
    nest = taps(2)
    whole = next(node for node in walk(nest.body) if isinstance(node, Loop) and node.variable == inner.variable)
    zero = affine(0)
    halves = Block((replace(whole, upper=zero), replace(whole, lower=zero)))

    def halved(node: Node) -> Node:
        return halves if node is whole else map_children(node, halved)

    cut = cut_at_clamps(replace(nest, body=halved(nest.body)))
    assert [(loop.lower, loop.upper) for loop in loops(cut)] == [
        (loop.lower, loop.upper) for loop in (first, middle, last)
    ]
    for n in range(1, 9):
        assert result(cut, n) == result(nest, n)
