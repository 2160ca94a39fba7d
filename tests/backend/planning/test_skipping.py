"""Masked stores behind branches: only where masks are vectors, and one branch for neighbours."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F32, F64, I32, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopNest
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import VECTOR, binary, check, i, k, loop, m, n, read
from tests.backend.planning.programs import flat, loops, stores


def lesser(*arrays: str, type_: ScalarType = F64) -> LoopNest:
    """if (y[i] < z[i]) x[i] = y[i], for several x."""
    y, z = read("y", i, type_=type_), read("z", i, type_=type_)
    body = [
        Compute(
            x,
            read(x, i, type_=type_).access,
            e.Select(e.Comparison("<", y, z), y, read(x, i, type_=type_), type_),
            True,
        )
        for x in arrays
    ]
    specs = tuple(ArraySpec(name, type_, (n,)) for name in (*arrays, "y", "z"))
    return LoopNest("lesser", ("n",), specs, loop("i", 0, n, Block(tuple(body)), VECTOR))


@pytest.mark.parametrize("type_", [F32, F64, I32])
def test_nothing_is_stored_where_no_lane_counts(type_: ScalarType) -> None:
    body = loops(plan(lesser("x", type_=type_), shown_target("avx2")), "i")[0].body
    (branch,) = (s for s in flat(body) if isinstance(s, v.When))
    assert stores(branch.body, "x") == stores(body, "x") != []
    assert not any(isinstance(s, v.Store) for s in body)
    for size in (1, 3, 4, 8, 21, 40):
        check(lesser("x", type_=type_), {"n": size})


def test_stores_of_the_same_lanes_share_a_branch() -> None:
    body = loops(plan(lesser("w", "x"), shown_target("avx2")), "i")[0].body
    assert sum(isinstance(s, v.When) for s in flat(body)) == 1
    for size in (1, 7, 16):
        check(lesser("w", "x"), {"n": size})


def test_registers_of_masks_need_none() -> None:
    body = plan(lesser("x"), shown_target("avx512")).body
    assert not any(isinstance(s, v.When) for s in flat(body))
    assert all(store.where is not None for store in stores(body, "x"))


@pytest.mark.parametrize("target", ["avx2", "avx512", "sse"])
def test_loops_do_not_run_where_no_lane_counts(target: str) -> None:
    """What they carry is stored in the lanes that count only."""
    x, y, w = read("x", i), read("y", i), read("w", k, i)
    value = e.Select(e.Comparison(">", x, e.Literal(0.0, F64)), binary("+", y, w), y, F64)
    body = loop("i", 0, n, loop("k", 0, m, Compute("S", y.access, value, True)), VECTOR)
    specs = (ArraySpec("x", F64, (n,)), ArraySpec("y", F64, (n,)), ArraySpec("w", F64, (m, n)))
    nest = LoopNest("sums", ("n", "m"), specs, body)
    found = loops(plan(nest, shown_target(target)), "k")
    masked = [each for each in found if any(c.type.lanes > 1 for c in each.carried)]
    assert masked
    assert all("k_end" in str(each.upper) and not stores(each.body, "y") for each in masked)
    for rows, columns in ((0, 3), (5, 0), (9, 4), (32, 20)):
        check(nest, {"n": rows, "m": columns})


def test_a_value_that_counts_everywhere_keeps_its_loop() -> None:
    x, y, w = read("x", i), read("y", i), read("w", k, i)
    value = e.Select(e.Comparison(">", x, e.Literal(0.0, F64)), binary("+", y, w), binary("-", y, w), F64)
    body = loop("i", 0, n, loop("k", 0, m, Compute("S", y.access, value)), VECTOR)
    specs = (ArraySpec("x", F64, (n,)), ArraySpec("y", F64, (n,)), ArraySpec("w", F64, (m, n)))
    nest = LoopNest("either", ("n", "m"), specs, body)
    assert not any("k_end" in str(each.upper) for each in loops(plan(nest, shown_target("avx2")), "k"))
    check(nest, {"n": 13, "m": 4})


def test_rows_that_follow_each_other_in_some_lanes_only() -> None:
    """What a lane has stored is what it loads in the next iteration; in others memory stays as it is."""
    x, here, following, w = read("x", i), read("z", k, i), read("z", k + 1, i), read("w", k, i)
    value = e.Select(e.Comparison(">", x, e.Literal(0.0, F64)), binary("+", here, w), following, F64)
    body = loop("i", 0, n, loop("k", 0, m, Compute("S", following.access, value, True)), VECTOR)
    specs = (ArraySpec("x", F64, (n,)), ArraySpec("z", F64, (m + 1, n)), ArraySpec("w", F64, (m, n)))
    nest = LoopNest("rows", ("n", "m"), specs, body)
    found = [each for each in loops(plan(nest, shown_target("avx2")), "k") if each.carried]
    assert found
    for rows, columns in ((5, 0), (9, 1), (13, 7), (32, 20)):
        check(nest, {"n": rows, "m": columns})


@pytest.mark.parametrize("target", ["avx2", "avx512", "sse"])
def test_what_a_loop_around_carries_on_counts(target: str) -> None:
    """A condition chooses what is summed up, and nothing is stored before all of it is."""
    total, w = read("t", 0), read("w", i, k)
    value = e.Select(e.Comparison(">", read("x", i), e.Literal(0.0, F64)), w, binary("*", w, w), F64)
    body = loop("i", 0, n, loop("k", 0, m, Compute("S", total.access, binary("+", total, value))))
    specs = (ArraySpec("x", F64, (n,)), ArraySpec("t", F64, (affine(1),)), ArraySpec("w", F64, (n, m)))
    nest = LoopNest("total", ("n", "m"), specs, body)
    assert not any("k_end" in str(each.upper) for each in loops(plan(nest, shown_target(target)), "k"))
    for rows, columns in ((3, 0), (5, 4), (9, 21)):
        check(nest, {"n": rows, "m": columns})
