"""Loop distribution: which statements stay together, in which order, and that the result is legal."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from polyloop.schedules.isl_scheduler import distributed, groups
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from tests.helpers.checking import violated
from tests.helpers.random_transforms import scops
from tests.helpers.small_scops import assign, loop, scop


def test_independent_statements_get_loops_of_their_own() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "A[i]"), assign("T", "B[i]", "A[i]")))
    assert groups(source, source.dependences(), ("S", "T"), ()) == (("S",), ("T",))
    assert str(distributed(source, original_tree(source), source.dependences())) == (
        "sequence\n- S\n  band\n    [S: i]\n- T\n  band\n    [T: i]"
    )


def test_a_cycle_stays_together() -> None:
    source = scop("n", loop("i", "1", "n", assign("S", "A[i]", "B[i - 1]"), assign("T", "B[i]", "A[i]")))
    tree = original_tree(source)
    assert groups(source, source.dependences(), ("S", "T"), ()) == (("S", "T"),)
    assert str(distributed(source, tree, source.dependences())) == str(tree)


def test_what_fills_rows_together_stays_together() -> None:
    """Where one only lies behind the other, or in another row, each has a loop of its own."""
    for first, second, together in (
        ("A[3*i]", "A[3*i + 2]", True),
        ("A[2*i + 3]", "A[2*i + 2]", True),
        ("A[3*i]", "A[3*i + 3]", False),
        ("A[2*i]", "B[2*i + 1]", False),
        ("A[i]", "A[i + 1]", False),
    ):
        source = scop("n", loop("i", "0", "n", assign("S", first), assign("U", "C[i]"), assign("T", second)))
        found = {frozenset(group) for group in groups(source, source.dependences(), ("S", "U", "T"), ())}
        apart = {frozenset("S"), frozenset("T")}
        assert found == ({frozenset("ST")} if together else apart) | {frozenset("U")}


def test_what_fills_rows_together_takes_what_is_between_them_along() -> None:
    inside = (assign("S", "A[2*i]"), assign("U", "C[i]", "A[2*i]"), assign("T", "A[2*i + 1]", "C[i]"))
    source = scop("n", loop("i", "0", "n", *inside))
    assert groups(source, source.dependences(), ("S", "U", "T"), ()) == (("S", "U", "T"),)


def test_a_backward_dependence_turns_the_order_round() -> None:
    """S reads what T wrote one iteration before: T's loop has to come first."""
    source = scop("n", loop("i", "1", "n", assign("S", "A[i]", "B[i - 1]"), assign("T", "B[i]")))
    assert groups(source, source.dependences(), ("S", "T"), ()) == (("T",), ("S",))
    for together in (False, True):
        tree = distributed(source, original_tree(source), source.dependences(), together)
        assert violated(source, tree, source.dependences()) is None


def test_what_an_outer_loop_orders_is_distributed_inside() -> None:
    there = loop("i", "1", "n", assign("S", "A[i]", "B[i - 1]", "B[i + 1]"))
    back = loop("i", "1", "n", assign("T", "B[i]", "A[i]"))
    source = scop("t n", loop("s", "0", "t", there, back))
    tree = distributed(source, original_tree(source), source.dependences())
    assert str(tree) == (
        "band\n  [S: s, T: s]\n  sequence\n  - S\n    band\n      [S: i]\n  - T\n    band\n      [T: i]"
    )


def test_reductions_that_nothing_between_them_needs_share_a_loop() -> None:
    """Sums wait side by side; what is computed for them has a loop of its own."""
    body = (assign("S", "x[i]", "a[i]"), assign("P", "s[0]", "s[0]", "x[i]"), assign("T", "y[i]", "x[i]"))
    last = (assign("Q", "q[0]", "q[0]", "y[i]"), assign("R", "r[0]", "r[0]", "x[i]"))
    source = scop("n", loop("i", "0", "n", *body, *last))
    dependences = source.dependences()
    together = distributed(source, original_tree(source), dependences, fuse_reductions=True)
    lanes = "- S\n  band\n    [S: i]\n- T\n  band\n    [T: i]"
    reductions = "- P, Q, R\n  band\n    [P: i, Q: i, R: i]\n    sequence\n    - P\n    - Q\n    - R"
    assert str(together) == f"sequence\n{lanes}\n{reductions}"
    assert violated(source, together, dependences) is None


def test_reductions_that_others_lie_between_have_loops_of_their_own() -> None:
    """What the second sum adds up is computed from the first."""
    body = (assign("P", "s[0]", "s[0]", "a[i]"), assign("T", "y[i]", "s[0]"), assign("Q", "q[0]", "q[0]", "y[i]"))
    source = scop("n", loop("i", "0", "n", *body))
    apart = distributed(source, original_tree(source), source.dependences())
    assert str(distributed(source, original_tree(source), source.dependences(), fuse_reductions=True)) == str(apart)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(scops(4))
def test_distributed_originals_are_legal(source: Scop) -> None:
    for together in (False, True):
        tree = distributed(source, original_tree(source), source.dependences(), together)
        assert violated(source, tree, source.dependences()) is None
