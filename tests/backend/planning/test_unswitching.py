"""Conditions that are the same all through a loop: one branch around it, where C asks for them at all."""

from __future__ import annotations

import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F64, Expression
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopKind, LoopNest, Node
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from tests.backend.planning.nests import SEQUENTIAL, VECTOR, binary, check, i, j, k, loop, m, n, read
from tests.backend.planning.programs import flat, loads

Y, W = read("y", i, j), read("w", i, j)
ARRAYS = (
    ArraySpec("x", F64, (n,), read_only=True),
    ArraySpec("y", F64, (n, n)),
    ArraySpec("w", F64, (n, n)),
    ArraySpec("t", F64, (n,)),
)


def positive(value: Expression) -> Expression:
    return e.Comparison(">", value, e.Literal(0.0, F64))


def where(condition: Expression, target: e.Read, value: Expression) -> Compute:
    """if (condition) target = value."""
    return Compute("S", target.access, e.Select(condition, value, target, F64), conditional=True)


def nest(body: Node, kind: LoopKind = VECTOR) -> LoopNest:
    """for i: for j: body."""
    return LoopNest("rows", ("n",), ARRAYS, loop("i", 0, n, loop("j", 0, n, body, kind)))


def branches(nest: LoopNest) -> list[v.When]:
    """The branches that loops stand behind."""
    found = (s for s in flat(plan(nest, shown_target("avx2")).body) if isinstance(s, v.When))
    return [s for s in found if any(isinstance(inner, v.For) for inner in flat(s.body))]


@pytest.mark.parametrize("kind", [VECTOR, SEQUENTIAL])
def test_all_that_a_loop_does_stands_behind_one_branch(kind: LoopKind) -> None:
    both = Block((where(positive(read("x", i)), Y, binary("*", Y, W)), where(positive(read("x", i)), W, Y)))
    (branch,) = branches(nest(both, kind))
    assert not loads(branch.body, "x")
    for size in (0, 1, 7, 19):
        check(nest(both, kind), {"n": size})


def test_sums_in_lanes_and_their_rest_do_too() -> None:
    total = e.Read(e.Access("t", (i,)), F64)
    first = Compute("S", total.access, e.Select(positive(read("x", i)), binary("+", total, W), total, F64))
    (branch,) = branches(nest(first, SEQUENTIAL))
    assert len(loads(branch.body, "w")) >= 1
    for size in (0, 1, 9, 40):
        check(nest(first, SEQUENTIAL), {"n": size})


def test_what_else_has_to_hold_stays_in_the_loop() -> None:
    condition = e.Logical("&&", positive(read("x", i)), positive(W))
    (branch,) = branches(nest(where(condition, Y, W)))
    assert any(isinstance(s, v.Store) and s.where is not None for s in flat(branch.body))
    for size in (0, 3, 17):
        check(nest(where(condition, Y, W)), {"n": size})


def test_what_c_asks_for_first_is_asked_for_first() -> None:
    condition = e.Logical("&&", positive(W), positive(read("x", i)))
    assert not branches(nest(where(condition, Y, W)))
    check(nest(where(condition, Y, W)), {"n": 11})


def test_a_condition_that_the_loop_changes_is_asked_again() -> None:
    body = where(positive(read("y", i, 0)), Y, binary("-", W, Y))
    assert not branches(nest(body, SEQUENTIAL))
    check(nest(body, SEQUENTIAL), {"n": 11})


def test_without_an_iteration_nothing_is_read() -> None:
    inner = loop("j", 0, m, loop("k", 0, n, where(positive(read("x", i)), read("y", i, k), read("w", j, k)), VECTOR))
    whole = LoopNest("rows", ("n", "m"), ARRAYS, loop("i", 0, n, inner))
    program = plan(whole, shown_target("avx2"))
    asked = [s for s in program.body if isinstance(s, v.If)]
    assert loads([inner for s in asked for inner in s.then], "x") == loads(program.body, "x") != []
    for size in ({"n": 9, "m": 0}, {"n": 9, "m": 4}):
        check(whole, size)


def test_a_loop_as_long_as_one_around_it_says_stays_as_it_is() -> None:
    """Whether C asks at all differs from iteration to iteration."""
    inner = loop("j", 0, n, loop("k", j, n - j, where(positive(read("x", i)), read("y", i, k), read("w", j, k))))
    whole = LoopNest("rows", ("n",), ARRAYS, loop("i", 0, n, inner))
    for size in (0, 5, 12):
        check(whole, {"n": size})


@pytest.mark.parametrize("beside", [True, False])
def test_one_loop_without_iterations_keeps_nothing_else_from_running(beside: bool) -> None:
    """Not the statement beside it, and not another loop."""
    x, y, w = read("x", 0), read("y", i, 0), read("w", i, j)
    first: Node = where(positive(x), y, binary("+", y, y))
    if not beside:
        first = loop("k", 0, n, where(positive(x), read("y", i, k), read("w", i, k)))
    second = loop("j", 0, m, where(positive(x), w, Y))
    whole = LoopNest("both", ("n", "m"), ARRAYS, loop("i", 0, n, Block((first, second))))
    assert branches(whole)
    for sizes in ({"n": 6, "m": 0}, {"n": 6, "m": 5}, {"n": 0, "m": 0}):
        check(whole, sizes)
