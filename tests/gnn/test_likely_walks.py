"""The likeliest walk: it never comes back, and its actions lead to its states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.envs.cursor_problems import open_cursor
from polyloop.gnn.likely_walks import LikelyWalk, place_of

ACTIONS = Actions.of("native", splits=(8, 16), stop=True)
WEIGHTS = {"up": 5.0, "down": 6.0, "split_8": 2.0, "swap_down": 1.5, "stop": 9.0}


def process(length: int = 7) -> AnyCursor:
    return open_cursor("MM-64", None, actions=ACTIONS, length=length)


def chances(state: AnyState, of: AnyCursor) -> NDArray[np.float64]:
    weights = np.array(of.actions(state), np.float64) * [WEIGHTS.get(name, 0.3) for name in of.names]
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def walked(stops: bool = False) -> LikelyWalk:
    of = process()
    walk = LikelyWalk(of, stops)
    while not walk.over:
        walk.go_on(chances(walk.states[-1], of))
    return walk


def test_no_place_is_met_twice_and_actions_lead_to_the_states() -> None:
    walk = walked()
    places = [place_of(state) for state in walk.states]
    assert len(set(places)) == len(places) == 6  # then every step leads back
    at = walk.process.initial()
    for state, action in zip(walk.states[1:], walk.actions, strict=True):
        at = walk.process.step(at, action)
        assert at == state


def test_it_takes_the_likeliest_step_that_leads_somewhere_new() -> None:
    """Without that, up and down would alternate for ever."""
    names = [process().names[action] for action in walked().actions]
    assert names[:4] == ["down", "down", "down", "split_8"]
    assert "up" not in names


def test_where_stop_ends_a_walk_the_likeliest_does() -> None:
    assert [state.stopped for state in walked(stops=True).states] == [False, True]


def test_a_walk_ends_where_every_step_leads_back() -> None:
    of = process()
    walk = LikelyWalk(of)
    only = {name: np.eye(len(of.names))[of.names.index(name)] for name in ("down", "up")}
    walk.go_on(only["down"])
    assert not walk.over
    walk.go_on(only["up"])
    assert walk.over
    assert len(walk.states) == 2
