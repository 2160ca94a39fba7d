"""Steps of iterators and strides of accesses along the loops of a schedule."""

from __future__ import annotations

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access
from polyloop.schedules.tree import Member, is_contiguous, is_invariant, step_of, strides
from polyloop.scop.model import Statement
from tests.helpers.programs import to_scop
from tests.helpers.random_scops import random_program

X, Y, Z = affine("i"), affine("j"), affine("k")


def _statement(depth: int) -> Statement:
    """Some statement with so many loops around it."""
    scops = (to_scop(random_program(seed)) for seed in range(200))
    return next(s for scop in scops for s in scop.statements if s.depth == depth)


def _members(*rows: Affine, divisor: int = 1) -> list[Member]:
    return [Member(((_statement(3).name, row),), divisor) for row in rows]


def test_loops_as_they_stand_step_one_iterator() -> None:
    members = _members(X, Y, Z)
    assert [step_of(_statement(3), members, k) for k in range(3)] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_a_loop_that_runs_down_steps_back() -> None:
    assert step_of(_statement(3), _members(-X, Y, Z), 0) == (-1, 0, 0)


def test_a_skewed_loop_moves_against_the_loop_it_was_skewed_by() -> None:
    members = _members(X, X + Y, Z)
    assert step_of(_statement(3), members, 0) == (1, -1, 0)
    assert step_of(_statement(3), members, 1) == (0, 1, 0)


def test_tile_loops_leave_the_step_to_their_point_loops() -> None:
    members = [*_members(X, divisor=32), *_members(X, Y, Z)]
    assert step_of(_statement(3), members, 1) == (1, 0, 0)


def test_a_member_that_repeats_another_moves_nothing_alone() -> None:
    assert step_of(_statement(3), _members(X, Y, Z, X), 3) is None


def test_no_step_where_only_a_fraction_would_do() -> None:
    assert step_of(_statement(3), _members(2 * X, Y, Z), 0) is None


def test_strides_of_subscripts() -> None:
    access = Access("A", (X + 2 * Y, affine("n") - Z))
    assert strides(access, ("i", "j", "k"), (1, 0, 0)) == (1, 0)
    assert strides(access, ("i", "j", "k"), (1, -1, 2)) == (-1, -2)
    assert strides(Access("s"), ("i",), (1,)) == ()


def test_no_stride_through_a_division_by_the_iterator() -> None:
    assert strides(Access("A", ((X + 1) // 2,)), ("i",), (1,)) is None
    assert strides(Access("A", (affine("n") // 2 + X,)), ("i",), (1,)) == (1,)
    assert strides(Access("A", (X - X // 2 * 2, Y)), ("i", "j"), (0, 1)) == (0, 1)
    assert strides(Access("A", (X - X // 2 * 2, Y)), ("i", "j"), (1, 1)) is None


def test_invariant_and_contiguous() -> None:
    assert is_invariant((0, 0))
    assert is_invariant(())
    assert not is_invariant((0, 1))
    assert not is_invariant(None)
    assert is_contiguous((0, 1))
    assert is_contiguous((0, -1))
    assert not is_contiguous((1, 1))
    assert not is_contiguous((0, 2))
    assert not is_contiguous(())
    assert not is_contiguous(None)
