"""Loop nests from schedule trees: every instance once, in order, and full tiles apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from polyloop.backend.ir.affine import evaluate_condition
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import Block, Guard, Loop, LoopKind, LoopNest, Storage, walk
from polyloop.backend.machine.host import host_target
from polyloop.envs.problems import Arguments, load
from polyloop.frontend import read_c
from polyloop.lowering import order_check
from polyloop.lowering import to_nest as lowering
from polyloop.lowering.order_check import same_results
from polyloop.lowering.to_nest import (
    LoweringError,
    TooManyOperationsError,
    array_specs,
    condition_from_set,
    lower,
    strided,
)
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.jobs import compare
from polyloop.measure.measured_schedules import schedule_candidate
from polyloop.schedules.tree import Band, Leaf, Member, Node, ScheduleTree, original_tree
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from polyloop.search.schedule.sampler import Sampler
from polyloop.shipped.kernels import kernel
from tests.helpers.checking import check_order
from tests.helpers.programs import PRODUCT, points_of, to_scop
from tests.helpers.random_scops import random_program, seeded
from tests.helpers.random_trees import random_tree


def _product() -> Scop:
    (scop,) = read_c("product.c", text=PRODUCT)
    return scop


def _register_tile(scop: Scop) -> ScheduleTree:
    """jt, it, k outside; 4 rows of i unrolled and 8 columns of j as vectors inside."""
    tree = original_tree(scop)
    i, j, k = (band.members[0] for _, band in tree.bands())
    outer = (replace(j, divisor=8), replace(i, divisor=4), k)
    points = (replace(i, kind=LoopKind.UNROLLED), replace(j, kind=LoopKind.VECTOR))
    return ScheduleTree(tree.statements, Band(outer, False, Band(points, False, Leaf())))


def _trips(loop: Loop) -> int | None:
    count = loop.upper - loop.lower
    return count.constant if count.is_constant else None


def _loops(nest: LoopNest) -> Iterator[Loop]:
    return (node for node in walk(nest.body) if isinstance(node, Loop))


@pytest.mark.parametrize("seed", range(28))
def test_every_instance_once_and_in_order(seed: int) -> None:
    """Of any tree: whether the dependences like the order does not matter here."""
    program = random_program(seed)
    scop = to_scop(program)
    source = seeded(seed)
    for _ in range(3):
        _, tree = random_tree(source, scop, host_target())
        for values in ((7, 5), (1, 4)):
            sizes = dict(zip(scop.parameters, values, strict=False))
            points = points_of(program, sizes)
            if len(set(tree.rows().values())) == len(scop.statements) or len(scop.statements) == 1:
                check_order(scop, tree, sizes, points)


def test_a_register_tile_has_full_tiles_apart() -> None:
    nest = lower(_product(), _register_tile(_product()))
    trips: dict[LoopKind, list[int | None]] = {LoopKind.UNROLLED: [], LoopKind.VECTOR: []}
    for loop in _loops(nest):
        if loop.kind in trips:
            trips[loop.kind].append(_trips(loop))
    assert trips[LoopKind.UNROLLED].count(4) >= 1
    assert trips[LoopKind.VECTOR].count(8) >= 1
    assert None in trips[LoopKind.UNROLLED]
    assert None in trips[LoopKind.VECTOR]


@pytest.mark.parametrize("n", [1, 3, 8, 9, 13])
def test_the_register_tile_runs_every_product_once(n: int) -> None:
    points: list[tuple[str, tuple[int, ...]]] = [
        ("S0", (i, j, k)) for i in range(n) for j in range(n) for k in range(n)
    ]
    scop = _product()
    check_order(scop, _register_tile(scop), {"n": n}, points)


@pytest.mark.parametrize("name", ["gemm", "heat-3d", "adi", "nussinov"])
def test_nested_loops_have_different_names(name: str) -> None:
    (scop,) = read_c(kernel(name).path)
    nest = lower(scop, original_tree(scop))
    taken = set(scop.parameters) | {a.name for a in scop.arrays}
    for loop in _loops(nest):
        inside = {inner.variable for inner in walk(loop.body) if isinstance(inner, Loop)}
        assert loop.variable not in inside | taken


def test_the_original_order_has_the_sources_names() -> None:
    nest = lower(_product(), original_tree(_product()))
    assert [loop.variable for loop in _loops(nest)] == ["i", "j", "k"]
    assert [str(loop.upper) for loop in _loops(nest)] == ["n", "n", "n"]
    assert not any(isinstance(node, Guard) for node in walk(nest.body))


def test_the_nests_name_and_arrays() -> None:
    nest = lower(_product(), original_tree(_product()), "other")
    assert nest.name == "other"
    assert nest.parameters == ("n",)
    specs = {spec.name: spec for spec in array_specs(_product())}
    assert {name: spec.read_only for name, spec in specs.items()} == {"A": True, "B": True, "C": False}
    assert {spec.storage for spec in specs.values()} == {Storage.ARGUMENT}


def test_the_context_becomes_a_condition() -> None:
    known = condition_from_set(_product().context & _product().assumptions)
    assert [evaluate_condition(known, {"n": n}) for n in (-1, 1, 5)] == [False, True, True]


def test_too_many_operations_are_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "OPERATION_CAP", 100)
    with pytest.raises(LoweringError, match=r"code generation for .* was given up: too many operations"):
        lower(_product(), _register_tile(_product()))
    monkeypatch.undo()
    assert lower(_product(), original_tree(_product())).parameters == ("n",)


def test_wherever_the_cap_strikes_it_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    (scop,) = read_c(kernel("atax").path)
    for operations in range(1, 300):
        monkeypatch.setattr(lowering, "OPERATION_CAP", operations)
        with pytest.raises(LoweringError, match="too many operations"):
            lower(scop, original_tree(scop))


def test_code_generation_is_bounded_in_time_and_the_time_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "_FIRST_OPERATIONS", 100)
    tree = _register_tile(_product())
    assert lower(_product(), tree, seconds=60.0) == lower(_product(), tree)
    with pytest.raises(TooManyOperationsError, match=r"was given up: it would take more than 0 s"):
        lower(_product(), tree, seconds=0.0)
    monkeypatch.setattr(lowering, "OPERATION_CAP", 200)
    with pytest.raises(TooManyOperationsError, match="too many operations"):
        lower(_product(), tree, seconds=60.0)


def test_a_member_of_one_value_makes_no_loop() -> None:
    scop = _product()
    tree = original_tree(scop)
    constant = Member((("S0", tree.rows()["S0"][0] * 0),))
    assert (
        lower(scop, ScheduleTree(tree.statements, Band((constant,), False, tree.root))).body == lower(scop, tree).body
    )


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 0, 0], [0, 1, 0]], False),
        ([[2, 0, 0]], True),
        ([[1, 0, 0], [1, 1, 0], [2, 1, 1]], False),
        ([[1, 1, 0], [1, -1, 0]], True),
        ([[2, 3, 0], [1, 1, 0]], False),
        ([[0, 0, 0], [1, 0, 0], [3, 0, 0]], False),
    ],
)
def test_loops_in_steps_are_seen(rows: list[list[int]], expected: bool) -> None:
    assert strided(_product(), {"S0": rows}) is expected


@pytest.mark.parametrize(
    "vast",
    [
        lambda member: replace(member, divisor=1 << 31),
        lambda member: replace(member, rows=tuple((name, row * (1 << 40)) for name, row in member.rows)),
        lambda member: replace(member, rows=tuple((name, row - (1 << 63)) for name, row in member.rows)),
        lambda member: replace(member, rows=tuple((name, row // (1 << 64)) for name, row in member.rows)),
    ],
)
def test_numbers_that_counters_do_not_go_by_are_refused(vast: Callable[[Member], Member]) -> None:
    """Blocks of 2 ** 63 iterations computed nothing."""

    def changed(node: Node) -> Node:
        return replace(node, members=tuple(map(vast, node.members))) if isinstance(node, Band) else node

    with pytest.raises(LoweringError, match=r"was given up: counters of 64 bits do not go by -?[1-9][0-9]{9,}$"):
        lower(_product(), original_tree(_product()).map_nodes(changed))


def test_code_that_does_not_keep_the_order_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scop = _product()
    twice = original_tree(scop).map_nodes(_doubled)
    assert same_results(scop, lower(scop, original_tree(scop)), lower(scop, twice))
    nothing = replace(lower(scop, twice), body=Block(()))
    assert not same_results(scop, lower(scop, original_tree(scop)), nothing)
    monkeypatch.setattr(order_check, "same_results", lambda *nests: False)
    with pytest.raises(LoweringError, match="does not keep the order"):
        lower(scop, twice)


def test_no_number_hides_a_wrong_order() -> None:
    """Roots of negative numbers are all the same, and so is what is computed from them."""
    root, sum_ = "x[i] = sqrt(-1.0 - x[i] * x[i]);", "x[i] = x[i] / y[i];"
    scops = [_loop(first, second) for first, second in ((root, sum_), (sum_, root))]
    ordered, swapped = (lower(scop, original_tree(scop)) for scop in scops)
    assert same_results(scops[0], ordered, ordered)
    assert not same_results(scops[0], ordered, swapped)


def test_conditions_decide_which_value_is_read() -> None:
    """Both values of a choice are met, so that a wrong order of either shows."""
    for condition in ("i > 1 && i < 3", "i < 1 || i > 2", "!(i > 1)"):
        choice, change = f"z[i] = ({condition}) ? x[0] : y[0];", "y[0] = y[0] + x[i]; x[0] = x[0] * 2.0;"
        scops = [_loop(first, second) for first, second in ((choice, change), (change, choice))]
        ordered, swapped = (lower(scop, original_tree(scop)) for scop in scops)
        assert same_results(scops[0], ordered, ordered)
        assert not same_results(scops[0], ordered, swapped)
        never = _loop(choice.replace("y[0]", "x[0]"), change)
        assert not same_results(scops[0], ordered, lower(never, original_tree(never)))


def test_reductions_may_come_in_any_order() -> None:
    upwards, downwards = (_loop(f"y[0] = y[0] + x[{at}];", "z[i] = y[i];") for at in ("i", "n - 1 - i"))
    nests = [lower(scop, original_tree(scop)) for scop in (upwards, downwards)]
    assert not same_results(upwards, *nests)  # z[0] is the first term, or the last
    upwards, downwards = (_loop(f"y[0] = y[0] + x[{at}];", f"z[0] = fmax(z[0], x[{at}]);") for at in ("i", "n - 1 - i"))
    assert same_results(upwards, *(lower(scop, original_tree(scop)) for scop in (upwards, downwards)))


def _loop(first: str, second: str) -> Scop:
    text = f"""void f(int n, double x[n], double y[n], double z[n]) {{
    #pragma scop
    for (int i = 0; i < n; i++) {{ {first} {second} }}
    #pragma endscop
    }}"""
    (scop,) = read_c("f.c", text=text)
    return scop


def test_a_schedule_whose_code_isl_has_in_a_wrong_order_is_refused() -> None:
    """Its results are not numbers where data are negative: correlation divides by roots."""
    task = load("correlation", Arguments(sizes=(("m", 5), ("n", 6)), post_processing="none"))
    scop, schedule = task.problem.scop, Sampler("correlation", task.problem, task.space).schedule("bias_coeff_0", 65)
    with Evaluator(scop, dict(task.problem.sizes), host_target()) as evaluator:
        tree = schedule_candidate(evaluator, task.problem, schedule).tree
    assert tree is not None
    with pytest.raises(LoweringError, match="does not keep the order"):
        lower(scop, tree)


@pytest.mark.parametrize("name", ["symm", "durbin", "nussinov", "trisolv", "floyd-warshall"])
def test_code_in_steps_of_every_kind_of_arrays_is_checked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars, vectors, integers, copies of arguments."""
    asked: list[bool] = []

    def watched(*nests: Any) -> bool:
        asked.append(same_results(*nests))
        return asked[-1]

    monkeypatch.setattr(order_check, "same_results", watched)
    (scop,) = read_c(kernel(name).path)
    lower(scop, original_tree(scop).map_nodes(_doubled))
    assert asked == [True]


def _doubled(node: Node) -> Node:
    if not isinstance(node, Band):
        return node
    members = tuple(replace(m, rows=tuple((name, row * 2) for name, row in m.rows)) for m in node.members)
    return replace(node, members=members)


def test_statements_beside_a_tile_keep_their_order_where_loops_move_in_steps() -> None:
    """isl isolates the full tiles of one statement, and had two others in a wrong order."""
    sizes = {"m": 9, "n": 9}
    task = load("covariance", Arguments(sizes=tuple(sizes.items()), post_processing="shapes"))
    scop, schedule = task.problem.scop, Sampler("covariance", task.problem, task.space).schedule("sparse", 0)
    with Evaluator(scop, sizes, host_target()) as evaluator:
        tree = schedule_candidate(evaluator, task.problem, schedule).tree
    assert tree is not None
    results = []
    for nest in (lower(scop, original_tree(scop)), lower(scop, tree)):
        data = make_data(scop, sizes)
        interpret(nest, sizes, {spec.name: data[spec.name] for spec in nest.arrays if spec.name in data})
        results.append(data)
    assert compare(results[0], results[1], 0.0).different == 0
