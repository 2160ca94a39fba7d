"""What takes long and stores in few lanes stands behind a branch, which is not taken where there are none."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F64, Expression
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopNest
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import VECTOR, binary, check, i, k, loop, m, n, read
from tests.backend.planning.programs import flat, loads, loops, stores

X, Y, Z = (read(name, i) for name in ("x", "y", "z"))
SPECS = tuple(ArraySpec(name, F64, (n,)) for name in ("x", "y", "z"))


def where(condition: Expression, target: e.Read, value: Expression) -> Compute:
    return Compute("S", target.access, e.Select(condition, value, target, F64), True)


def rarely(*computes: Compute) -> LoopNest:
    return LoopNest("rarely", ("n",), SPECS, loop("i", 0, n, Block(computes), VECTOR))


def root(value: Expression) -> Expression:
    return e.Call("sqrt", (value,), F64)


LARGE = e.Comparison(">", X, e.Literal(0.9, F64))


@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_a_root_that_few_lanes_need_is_behind_a_branch(target: str) -> None:
    nest = rarely(where(LARGE, Z, binary("/", root(binary("*", Y, Y)), root(X))))
    body = loops(plan(nest, shown_target(target)), "i")[0].body
    (branch,) = (s for s in body if isinstance(s, v.When))
    assert not loads(body[: body.index(branch)], "y")
    assert loads(branch.body, "y")
    assert stores(branch.body, "z") == stores(body, "z") != []
    for size in (0, 1, 7, 8, 30, 64):
        check(nest, {"n": size})


def test_a_branch_costs_more_than_a_sum() -> None:
    nest = rarely(where(LARGE, Z, binary("+", Y, X)))
    assert not any(isinstance(s, v.When) for s in flat(plan(nest, shown_target("avx512")).body))


def test_conditions_inside_of_others_have_branches_of_their_own() -> None:
    value = binary("/", root(binary("*", Y, Y)), X)
    both = e.Logical("&&", LARGE, e.Comparison("<", Y, e.Literal(0.1, F64)))
    nest = rarely(where(LARGE, Z, value), where(both, Y, binary("/", value, root(binary("+", X, X)))))
    (outer, *_) = (s for s in loops(plan(nest, shown_target("avx512")), "i")[0].body if isinstance(s, v.When))
    assert any(isinstance(s, v.When) for s in flat(outer.body))
    for size in (0, 1, 9, 64, 131):
        check(nest, {"n": size})


@pytest.mark.parametrize("target", ["avx2", "avx512"])
def test_what_is_carried_on_stays_where_no_lane_counts(target: str) -> None:
    """The sum over all that is near: a loop of one iteration, or none, carries it."""
    apart = binary("-", X, read("w", k))
    square = binary("*", apart, apart)
    term = binary("/", root(binary("+", square, X)), root(square))
    near = e.Comparison("<", square, e.Literal(0.01, F64))
    body = Compute("S", Y.access, e.Select(near, binary("+", Y, term), Y, F64))
    nest = LoopNest(
        "near", ("n", "m"), (*SPECS[:2], ArraySpec("w", F64, (m,))), loop("i", 0, n, loop("k", 0, m, body), VECTOR)
    )
    found = [each for each in loops(plan(nest, shown_target(target)), "k") if each.carried]
    once = [s for each in found for s in each.body if isinstance(s, v.For)]
    assert once
    assert all(c.initial.name in {c.name for each in found for c in each.carried} for s in once for c in s.carried)
    for size in (0, 1, 8, 21):
        check(nest, {"n": size, "m": 17})


def test_what_may_be_the_same_memory_stays_in_order() -> None:
    """A part that would have to wait for a store to what it loads stays where it is."""
    value = binary("/", root(binary("*", Y, Y)), root(X))
    nest = rarely(where(LARGE, Z, value), Compute("T", Y.access, X), where(LARGE, X, value))
    assert not any(isinstance(s, v.When) and stores(s.body, "z") for s in flat(plan(nest, shown_target("avx512")).body))
    for size in (1, 6, 16, 33):
        check(nest, {"n": size})
