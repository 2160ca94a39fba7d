"""Proofs of sign against enumeration, and the cases that planning rests on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polyloop.backend.ir.affine import Affine, And, Or, affine, at_least, equal, maximum, minimum
from polyloop.backend.planning.facts import Facts, constant_trips, largest_trips, nest_facts, proven_trips

i, j, k, n, m, t = (affine(name) for name in ("i", "j", "k", "n", "m", "t"))


def test_a_tile_loop_is_not_empty() -> None:
    facts = Facts().with_loop("t", affine(0), (n + 31) // 32)
    assert facts.nonnegative(minimum(32 * t + 32, n) - 32 * t - 1)
    assert not facts.nonnegative(minimum(32 * t + 32, n) - 32 * t - 2)


def test_bounds_are_followed_inwards() -> None:
    facts = Facts().with_loop("i", affine(0), n).with_loop("j", maximum(i - 3, 0), minimum(i, m))
    assert facts.nonnegative(i - j - 1)
    assert facts.nonnegative(j - i + 3)
    assert facts.nonnegative(n - 2 - j)
    assert not facts.nonnegative(j - 1)


def test_integers_are_rounded() -> None:
    facts = Facts(None, (2 * i - 1, 4 - 3 * i))
    assert facts.nonnegative(i - 1)
    assert facts.nonnegative(1 - i)


def test_conditions_decide_both_branches() -> None:
    facts = nest_facts(And((at_least(n, 4), equal(m, n))))
    assert facts.holds(at_least(m, 3))
    assert facts.refuted(equal(n, 3))
    inside = facts.with_condition(Or((at_least(k, n), at_least(0, k))), holds=False)
    assert facts.holds(Or((at_least(n, 9), at_least(m, 4))))
    assert inside.nonnegative(m - 1 - k)
    assert inside.nonnegative(k - 1)


def test_trip_counts() -> None:
    assert constant_trips(3 * i, 3 * i + 7, 2) == 4
    assert constant_trips(i, i - 2, 1) == 0
    assert constant_trips(i, n, 1) is None
    assert largest_trips(maximum(6 * t, 1), minimum(6 * t + 6, n)) == 6
    facts = Facts().with_condition(at_least(4 * t, n - 4))
    assert largest_trips(4 * t, n - 1) is None
    assert proven_trips(4 * t, n - 1, facts, 64) == 3


coefficients = st.integers(-3, 3)
forms = st.builds(lambda a, b, c, d: a * i + b * j + c * ((i + d) // 3) + d, *[coefficients] * 4)
values = st.one_of(forms, st.builds(minimum, forms, forms), st.builds(maximum, forms, forms))


@given(st.lists(values, max_size=4), values)
def test_what_is_proved_holds_everywhere(known: list[Affine], value: Affine) -> None:
    facts = Facts(None, known)
    if not facts.nonnegative(value):
        return
    for a in range(-6, 7):
        for b in range(-6, 7):
            point = {"i": a, "j": b}
            if all(fact.evaluate(point) >= 0 for fact in known):
                assert value.evaluate(point) >= 0
