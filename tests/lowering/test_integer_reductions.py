"""Integer reductions: exact in any order, so that their accumulators bind nothing; what is read beside them does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import I32, Access, Binary, Comparison, Expression, Read, ScalarType, Select
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import isl_schedule
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree, original_tree
from polyloop.scop.dependence import memory_dependences, value_dependences
from polyloop.scop.model import Array, Scop
from tests.helpers.checking import violated
from tests.helpers.programs import Assign, For, Item, Program, to_scop
from tests.helpers.random_scops import seeded
from tests.helpers.random_trees import random_tree
from tests.helpers.running import assert_same, compiled, copied, random_data

n, i, j = affine("n"), affine("i"), affine("j")
OPERATORS = ("+", "*", "min", "max", "&", "|", "^")


def read(array: str, *subscripts: Affine | int, type_: ScalarType = I32) -> Read:
    return Read(Access(array, tuple(map(affine, subscripts))), type_)


def fold(name: str, operator: str, target: Read, operand: Expression) -> Assign:
    """target = target operator operand, a minimum or maximum as C writes it."""
    value: Expression
    if operator in ("min", "max"):
        compare = Comparison("<" if operator == "min" else ">", target, operand)
        value = Select(compare, target, operand, target.type)
    else:
        value = Binary(operator, target, operand, target.type)
    return Assign(name, target.access, value, operator)


def over(iterator: str, *body: Item, lower: Affine | int = 0) -> For:
    return For(iterator, (affine(lower),), (n,), body)


def scop(*body: Item, type_: ScalarType = I32) -> Scop:
    extent = n + 3
    arrays = (Array("s", type_), Array("x", type_, (extent,)), Array("y", type_, (extent,)))
    return to_scop(Program("folds", ("n",), (*arrays, Array("T", type_, (extent, extent))), tuple(body)))


def member(text: Callable[[str], Affine], *names: str, kind: LoopKind = LoopKind.SEQUENTIAL) -> Member:
    return Member(tuple((name, text(name)) for name in names), kind=kind)


def reversed_loop(source: Scop, kind: LoopKind = LoopKind.SEQUENTIAL) -> ScheduleTree:
    names = tuple(s.name for s in source.statements)
    return ScheduleTree(names, Band((member(lambda _: -i, *names, kind=kind),), False, Leaf()))


@pytest.mark.parametrize("operator", OPERATORS)
def test_any_order_is_legal_without_a_word_about_reassociation(operator: str) -> None:
    source = scop(over("i", fold("S", operator, read("s"), read("x", i))))
    proof = prove(source, reversed_loop(source), memory_dependences(source))
    assert str(proof) == (
        "0 dependences between 1 statement pair kept, 1 of reductions left free that are exact in any order"
    )


@pytest.mark.parametrize(
    ("kind", "legal"), [(LoopKind.SEQUENTIAL, True), (LoopKind.VECTOR, True), (LoopKind.PARALLEL, False)]
)
def test_threads_must_not_share_an_accumulator_even_so(kind: LoopKind, legal: bool) -> None:
    source = scop(over("i", fold("S", "+", read("s"), read("x", i))))
    assert (violated(source, reversed_loop(source, kind), memory_dependences(source)) is None) == legal


def test_two_statements_with_one_operator_commute() -> None:
    first, second = (
        over("i", fold(name, "max", read("s"), read(array, i))) for name, array in (("S", "x"), ("T", "y"))
    )
    source = scop(first, second)
    assert {(d.source, d.target): d.exact for d in memory_dependences(source)} == {
        ("S", "S"): True,
        ("S", "T"): True,
        ("T", "T"): True,
    }


def test_different_operators_do_not_commute() -> None:
    source = scop(over("i", fold("S", "max", read("s"), read("x", i)), fold("T", "min", read("s"), read("y", i))))
    exact = {(d.source, d.target): d.exact for d in memory_dependences(source)}
    assert exact == {("S", "S"): True, ("S", "T"): False, ("T", "S"): False, ("T", "T"): True}


def test_floating_point_numbers_stay_in_order() -> None:
    from_c = fold("S", "+", read("s", type_=ScalarType("float", 64)), read("x", i, type_=ScalarType("float", 64)))
    source = scop(over("i", from_c), type_=ScalarType("float", 64))
    (dependence,) = memory_dependences(source)
    assert (dependence.reduction, dependence.exact) == (True, False)
    assert violated(source, reversed_loop(source), (dependence,)) is not None


def test_what_is_read_beside_the_accumulator_keeps_its_dependences() -> None:
    """x[i + 1] is read while it is still to be folded into: only the accumulators' own pairs are free."""
    source = scop(over("j", over("i", fold("S", "max", read("x", i), read("x", i + 1)))))
    found = {(d.exact, d.kinds): str(d) for d in memory_dependences(source)}
    assert {exact for exact, _ in found} == {True, False}
    backwards = ScheduleTree(("S",), Band((member(lambda _: j, "S"), member(lambda _: -i, "S")), False, Leaf()))
    violation = violated(source, backwards, memory_dependences(source))
    assert violation is not None
    assert not violation.dependence.exact


def test_last_accesses_are_never_free() -> None:
    """Without its own dependences a reduction would lose its place behind its initialisation."""
    start = Assign("I", Access("s", ()), read("y", 0))
    source = scop(start, over("i", fold("S", "+", read("s"), read("x", i))))
    assert not any(d.exact for d in value_dependences(source))
    assert isinstance(prove(source, isl_schedule(source, value_dependences(source)), memory_dependences(source)), Proof)


def test_sums_that_leave_the_range_on_the_way_wrap() -> None:
    source = scop(over("i", fold("S", "+", read("s"), read("x", i))))
    nest = lower(source, reversed_loop(source, LoopKind.VECTOR))
    data = random_data(source, {"n": 40}, 0)
    data["x"][:] = 2**30
    result = compiled(plan(nest, host_target()), {"n": 40}, data, True)
    assert int(result["s"]) == (int(data["s"]) + 40 * 2**30 + 2**31) % 2**32 - 2**31
    assert "*s = (int)((unsigned)(*s) + " in c_source(plan(nest, host_target()), "kernel")


@settings(deadline=None, max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(OPERATORS),
            st.sampled_from(["s", "x[j]", "T[i][j]", "T[i][0]"]),
            st.sampled_from(["x[i]", "T[i+1][j]", "T[j][i]", "T[i][j+1]", "y[j]"]),
        ),
        min_size=1,
        max_size=3,
    ),
    st.booleans(),
    st.integers(0, 1 << 30),
)
def test_whatever_is_proven_computes_the_same_bits(
    folds: list[tuple[str, str, str]], together: bool, seed: int
) -> None:
    places = {
        "s": read("s"), "x[j]": read("x", j), "T[i][j]": read("T", i, j), "T[i][0]": read("T", i, 0),
        "x[i]": read("x", i), "T[i+1][j]": read("T", i + 1, j), "T[j][i]": read("T", j, i),
        "T[i][j+1]": read("T", i, j + 1), "y[j]": read("y", j),
    }  # fmt: skip
    body = [fold(f"S{k}", sign, places[to], places[what]) for k, (sign, to, what) in enumerate(folds)]
    items = [over("i", over("j", *part)) for part in ([body] if together else [[one] for one in body])]
    source = scop(*items)
    dependences, sizes = memory_dependences(source), {"n": 11}
    data = random_data(source, sizes, seed % 1000)
    expected = copied(data)
    interpret(lower(source, original_tree(source)), sizes, expected)
    for number in range(4):
        words, tree = random_tree(seeded(seed + number), source, host_target())
        if isinstance(prove(source, tree, dependences), Proof):
            found = compiled(plan(lower(source, tree), host_target()), sizes, data, True)
            assert_same(expected, found, f"{words}\n{tree}")
