"""What both representations of the cursor's programs share: whoever asks need not know which one it is."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polyloop
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.mdp import IllegalActionError
from polyloop.measure.planning import finalist
from polyloop.schedules.legality import Proof, prove


def cursors() -> list[AnyCursor]:
    """A product as a nest and as a tree."""
    scop = polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=48, k=24, n=32)
    problem = Contraction.of(scop)
    assert problem is not None
    return [NestCursor(problem, Actions(), 3), TreeCursor(TreeProblem(scop, (), True), Actions(), 3)]


@pytest.mark.parametrize("process", cursors(), ids=["nest", "tree"])
def test_a_state_says_all_that_is_asked_of_it(process: AnyCursor) -> None:
    state = process.step(process.initial(), process.names.index("split_16"))
    assert process.visible(state.program) == len(state.text.splitlines())
    assert process.features(state, 8)[0, :3].tolist() == [1, 3, 0]
    assert process.graph(state).labels[0].startswith("m")
    assert process.loop_name(state.program, 2) == "k"
    scop = process.problem.scop
    assert isinstance(prove(scop, process.tree(state.program), scop.dependences("memory"), True), Proof)
    assert {a.name for a in finalist(process.problem, state.program).nest.arrays} == {"A", "B", "C"}


@pytest.mark.parametrize("process", cursors(), ids=["nest", "tree"])
def test_episodes_end_after_their_steps(process: AnyCursor) -> None:
    state = process.initial()
    for _ in range(3):
        assert not process.final(state)
        state = process.skipped(state)
    assert process.final(state)
    assert state.program == process.initial().program
    assert not any(process.actions(state))
    with pytest.raises(IllegalActionError, match="the episode has ended"):
        process.step(state, 1)
    assert process.obstacle(process.initial(), 99) == f"there is no action 99; there are {len(process.names)}"


@pytest.mark.parametrize("rows", [4, 6, 9, 24])
@pytest.mark.parametrize("kind", [0, 1], ids=["nest", "tree"])
def test_what_masks_leave_unmade_is_legal(kind: int, rows: int) -> None:
    """What an action comes to says the same of it as the mask did, which did not make it, near the limit of loops,
    too."""
    problem = cursors()[kind].problem
    kinds = Actions(splits=(2, 4), flags=("vectorize", "register_tile"), rows=rows)
    process: AnyCursor = type(cursors()[kind])(problem, kinds)
    rng = np.random.default_rng(rows)
    for _ in range(6):
        state = process.initial()
        for _ in range(12):
            for name, move in zip(process.names, process.moves(state), strict=True):
                if isinstance(move.program, Nest):
                    assert move.program.shared == Nest(*move.program).shared  # counted on from the nest before
                if name not in ("up", "down"):
                    made = process._move(state.program, state.cursor, name)
                    assert (move.refusal, move.program, move.cursor) == (made.refusal, made.program, made.cursor)
            legal = np.flatnonzero(process.possible(state))
            state = process.step(state, int(rng.choice(legal)))


@pytest.mark.parametrize("process", cursors(), ids=["nest", "tree"])
def test_pickles_hold_the_process_and_not_what_it_has_worked_out(process: AnyCursor) -> None:
    state = process.initial()
    process.graph(state)
    for action in (4, 1, 1):
        state = process.step(state, action)
    again = pickle.loads(pickle.dumps(process))
    assert vars(process)["_moves"]
    assert not vars(again)["_moves"]
    assert "_graphs" in vars(process).keys() - vars(again).keys()
    assert type(again) is type(process)
    assert (again.kinds, again.length) == (process.kinds, process.length)
    assert again.actions(again.initial()) == process.actions(process.initial())
