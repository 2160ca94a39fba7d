"""Walks that the model corrects: every change is legal, replays, and makes the walk better."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.envs.cursor_problems import open_cursor
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.corrections import BETTER, Corrections, Walk

CHAIN = {"expression": "R[m, n] = relu(A[m, n] + B[n, m])\nS[m, n] = R[m, n] * D[m, n]", "sizes": {"m": 64, "n": 96}}
PROGRAMS = ("MM-64", "CONV-1", CHAIN)
ACTIONS = Actions.of("native", ("vectorize", "register_tile"), splits=(4, 8, 16), stop=True)


def task(program: object, length: int = 16) -> Task:
    return Task.of(open_cursor(program, None, actions=ACTIONS, length=length), machine_named("zen3"))  # type: ignore[arg-type]


def walked(process: AnyCursor, draws: list[int]) -> Walk:
    states, actions = [process.initial()], list[int]()
    for draw in draws:
        legal = [action for action, own in enumerate(process.actions(states[-1])) if own]
        action = legal[draw % len(legal)]
        if process.names[action] == "stop":
            break
        states.append(process.step(states[-1], action))
        actions.append(action)
    return Walk(tuple(states), tuple(actions))


def corrections(of: Task, looks: int) -> Corrections:
    return Corrections(of.process, of.worth, range(len(of.process.names)), looks)


@pytest.mark.parametrize("program", PROGRAMS, ids=["product", "convolution", "chain"])
@settings(max_examples=15, deadline=None)
@given(draws=st.lists(st.integers(0, 1000), max_size=10), looks=st.integers(0, 120))
def test_what_comes_out_replays_and_is_no_worse(program: object, draws: list[int], looks: int) -> None:
    of = task(program)
    walk = walked(of.process, draws)
    found = corrections(of, looks).corrected(walk)
    if found is None:
        assert looks < 5
        return
    state = of.process.initial()
    for action, after in zip(found.actions, found.states[1:], strict=True):
        state = of.process.step(state, action)
        assert state == after
    assert len(found.actions) + 1 == len(found.states) <= 17
    assert found == walk or of.worth(found.states[-1]) > BETTER * of.worth(walk.states[-1])


@pytest.mark.parametrize("program", PROGRAMS, ids=["product", "convolution", "chain"])
def test_no_more_statements_are_looked_at_than_asked_for_and_no_program_twice(program: object) -> None:
    of, asked = task(program), list[AnyState]()

    def noted(state: AnyState) -> float:
        asked.append(state)
        return of.worth(state)

    own = Corrections(of.process, noted, range(len(of.process.names)), 60)
    walk = walked(of.process, [])
    assert own.corrected(walk) is not None
    assert own.corrected(walk) is None
    assert own.looks >= 0
    each = len(of.process.problem.scop.statements) if program is CHAIN else 1
    assert len({state.program for state in asked}) <= 60 // each + 1


def test_another_tile_takes_the_place_of_one_on_the_way() -> None:
    """Where it stands, it cannot be had by one more action at the end."""
    of = task("MM-64")
    names = of.process.names
    walk = walked(of.process, [])
    for name in ("split_4", "down", "swap_down"):
        action = names.index(name)
        after = of.process.step(walk.states[-1], action)
        walk = Walk((*walk.states, after), (*walk.actions, action))

    def sixteen(state: AnyState) -> float:
        loops = [(loop.variable, loop.size) for loop in state.program.compute]
        return 1.0 + (loops == [("m", 4), ("k", 64), ("m", 16), ("n", 64)])

    found = Corrections(of.process, sixteen, range(len(names)), 200).corrected(walk)
    assert found is not None
    assert [names[action] for action in found.actions] == ["split_16", "down", "swap_down"]


def test_only_the_actions_that_are_known_are_taken() -> None:
    of = task("MM-64")
    known = [of.process.names.index(name) for name in ("swap_down", "split_8")]

    def inside(state: AnyState) -> float:
        return 1.0 + [loop.variable for loop in state.program.compute].index("m")

    found = Corrections(of.process, inside, known, 300).corrected(walked(of.process, []))
    assert found is not None
    assert [of.process.names[action] for action in found.actions] == ["swap_down", "swap_down"]
