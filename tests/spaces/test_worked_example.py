"""Matrix-vector multiplication from the dependences to the order of execution, to the letter."""

from __future__ import annotations

import pytest

from polyloop.mdp import IllegalActionError
from polyloop.polyhedra.generators import Generators
from polyloop.schedules.legality import Proof, prove
from polyloop.spaces.construction import Construction, ConstructionAction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.farkas import System
from tests.spaces.matvec import COEFFICIENTS, matvec, matvec_space

LINES = ((1, 1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 1, 0, 0), (0, 0, 0, 0, 0, 1, 1))
RAYS = ((1, 0, 0, -1, 0, 1, 0), (0, 0, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, -1, 0), (-1, 0, 0, 0, 0, 0, 0))
NEXT_DIM, NEXT_DEP, SELECT = ConstructionAction


def unit(column: int) -> tuple[int, ...]:
    return tuple(int(k == column) for k in range(7))


def test_columns() -> None:
    assert matvec_space().layout.columns == ("S_i", "T_i", "T_j", "S_n", "T_n", "S_1", "T_1")


def test_dependences() -> None:
    described = [d.pair_text() for d in matvec().dependences("value")]
    assert described == ["[n] -> { S[i] -> T[i' = i, j = 0] : 0 <= i < n }", "T[i,j] -> T[i,j+1]"]


def test_weak_and_strong_rows() -> None:
    assert matvec_space().systems == (
        System(7, (), ((1, 0, 0, 1, 0, 0, 0, 0),)),
        System(7, (), ((1, 0, 0, 0, -1, 1, -1, 1), (0, 0, 0, 0, -1, 1, 0, 0), (0, -1, 1, 0, -1, 1, 0, 0))),
    )


def test_generators() -> None:
    first, second, third, fourth = (d.generators for d in matvec_space().construct((4, 3)))
    assert first == second == Generators(7, ((0,) * 7,), RAYS, LINES)
    assert third == Generators(7, ((0, 0, 0, 0, 0, -1, 0),), RAYS, LINES)
    assert fourth == Generators(7, (unit(2),), (unit(2),), tuple(unit(k) for k in (0, 1, 3, 4, 5, 6)))
    assert first.directions[:2] == ((1, 1, 0, 0, 0, 0, 0), (1, 0, 0, -1, 0, 1, 0))
    assert first.directions[-2:] == ((-1, 0, 0, 0, 0, 0, 0), (-1, -1, 0, 0, 0, 0, 0))


def test_terms() -> None:
    space = matvec_space()
    assert Exploration(space, (4, 3)).terms == (10, 10, 10, 13)
    assert Exploration(space, (4, 3)).length == 43
    assert Exploration(space, (3, 4)).length == 41


def test_the_papers_construction() -> None:
    process = Construction(matvec_space())
    state = process.initial()
    assert state.as_tuple() == (1, 1, 0, 0)
    walk = [
        (NEXT_DIM, (2, 1, 0, 0)),
        (NEXT_DEP, (2, 2, 0, 0)),
        (NEXT_DIM, (3, 2, 0, 0)),
        (NEXT_DEP, (3, 1, 0, 0)),
        (NEXT_DEP, (3, 2, 0, 0)),
        (SELECT, (3, 2, 0, 3)),
        (NEXT_DIM, (4, 2, 0, 3)),
        (NEXT_DEP, (4, 1, 0, 3)),
        (SELECT, (4, 1, 4, 3)),
    ]
    for action, expected in walk:
        assert not process.final(state)
        assert process.actions(state)[action]
        state = process.step(state, action)
        assert state.as_tuple() == expected
    assert process.final(state)
    assert process.actions(state) == (False, False, False)
    assert str(state) == "(4, 1, 4, 3)"


def test_masks_of_the_construction() -> None:
    process = Construction(matvec_space())
    assert process.actions(ConstructionState(1, 1, (0, 0))) == (True, True, True)
    assert process.actions(ConstructionState(3, 1, (0, 0))) == (False, True, True), "two empty dimensions are enough"
    assert process.actions(ConstructionState(1, 1, (1, 0))) == (True, True, False)
    assert process.actions(ConstructionState(10, 1, (9, 0))) == (False, True, False), "the tenth is the last"
    with pytest.raises(IllegalActionError, match="dimension 1 carries dependence 1 already"):
        process.step(ConstructionState(1, 1, (1, 0)), SELECT)


def test_the_papers_schedule() -> None:
    process = Exploration(matvec_space(), (4, 3))
    state = process.initial()
    for coefficient in COEFFICIENTS:
        assert process.actions(state) == (True, True, True)
        state = process.step(state, coefficient)
    assert process.final(state)
    assert process.vectors(state, divide_by_gcd=False) == (
        (-2, -2, 0, -1, -1, -4, -2),
        (-2, -2, 0, -1, -1, 2, 2),
        (0, 0, 0, 1, 1, -3, 0),
        (0, 0, 3, 0, 0, 0, 0),
    )
    assert process.vectors(state)[3] == unit(2)
    schedule = process.schedule(state, divide_by_gcd=False)
    assert str(schedule).splitlines() == [
        "S[i] -> [-2*i - n - 4, -2*i - n + 2, n - 3, 0]",
        "T[i, j] -> [-2*i - n - 2, -2*i - n + 2, n, 3*j]",
    ]
    assert matvec_space().contains(schedule)


def test_the_papers_schedule_is_legal_and_runs_in_its_order() -> None:
    process = Exploration(matvec_space(), (4, 3))
    schedule = process.schedule(ExplorationState(COEFFICIENTS), divide_by_gcd=False)
    source = matvec()
    tree = schedule.to_tree(source, source.dependences())
    assert prove(source, tree, source.dependences()) == Proof(2, 2, 0)
    rows = schedule.affine_rows()
    ordered_by_tree, ordered_by_rows = [], []
    for name, points in (("S", [(i,) for i in range(3)]), ("T", [(i, j) for i in range(3) for j in range(3)])):
        iterators = dict(zip(schedule.statements, schedule.iterators, strict=True))[name]
        for point in points:
            values = dict(zip(iterators, point, strict=True)) | {"n": 3}
            ordered_by_rows.append((tuple(row.evaluate(values) for row in rows[name]), name, point[0]))
            ordered_by_tree.append((tuple(row.evaluate(values) for row in tree.rows()[name]), name, point[0]))
    for ordered in (ordered_by_rows, ordered_by_tree):
        steps = list(dict.fromkeys((name, i) for _, name, i in sorted(ordered)))
        assert steps == [("S", 2), ("T", 2), ("S", 1), ("T", 1), ("S", 0), ("T", 0)]
