"""The likeliest walks: nobody comes back, wider beams hold what narrower ones have, ways lead to their states."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.envs.cursor_problems import open_cursor
from polyloop.gnn.likely_walks import LikelyWalks, place_of

ACTIONS = Actions.of("native", splits=(8, 16), stop=True)
WEIGHTS = {"up": 5.0, "down": 6.0, "split_8": 2.0, "swap_down": 1.5, "stop": 9.0}


def process(length: int = 7) -> AnyCursor:
    return open_cursor("MM-64", None, actions=ACTIONS, length=length)


def chances(state: AnyState, of: AnyCursor) -> NDArray[np.float64]:
    weights = np.array(of.actions(state), np.float64) * [WEIGHTS.get(name, 0.3) for name in of.names]
    found: NDArray[np.float64] = weights / weights.sum()
    return found


def walked(width: int, stops: bool = False) -> LikelyWalks:
    of = process()
    walks = LikelyWalks(of, width, stops)
    while standing := walks.standing:
        assert len(standing) <= width
        walks.go_on([chances(state, of) for state in standing])
    return walks


@pytest.mark.parametrize("width", [1, 3, 8])
def test_no_place_is_met_twice_and_ways_lead_to_their_states(width: int) -> None:
    walks = walked(width)
    places = [place_of(state) for state in walks.states]
    assert len(set(places)) == len(places)
    assert len(walks.states) <= 1 + 7 * width
    for state, way in zip(walks.states, walks.ways, strict=True):
        at = walks.process.initial()
        for action in way:
            at = walks.process.step(at, action)
        assert at == state


def test_one_walk_takes_the_likeliest_step_that_leads_somewhere_new() -> None:
    """Alone, up and down would alternate for ever."""
    names = [process().names[action] for action in walked(1).ways[-1]]
    assert names[:4] == ["down", "down", "down", "split_8"]
    assert "up" not in names


@pytest.mark.parametrize("width", [2, 3, 8])
def test_detours_push_nobody_out_who_takes_the_likeliest_step_everywhere(width: int) -> None:
    """Of three actions, one of which leads on and is hardly likelier than the others, most pairs of others are
    likelier than the way on."""
    of = process(12)

    def flat(state: AnyState) -> NDArray[np.float64]:
        legal = np.array(of.actions(state), np.float64)
        if state.steps >= 4:  # the way on is one of many from here
            legal *= 1 + 0.01 * (np.arange(len(legal)) == of.names.index("split_8"))
        else:
            legal *= 1 + 9.0 * (np.arange(len(legal)) == of.names.index("down"))
        found: NDArray[np.float64] = legal / legal.sum()
        return found

    def walked_to(width: int) -> LikelyWalks:
        walks = LikelyWalks(of, width)
        while standing := walks.standing:
            assert len(standing) <= width
            walks.go_on([flat(state) for state in standing])
        return walks

    alone, beside = walked_to(1), walked_to(width)
    assert {place_of(state) for state in alone.states} <= {place_of(state) for state in beside.states}
    assert [place_of(beside.states[at]) for at in beside.trail] == [place_of(state) for state in alone.states]


def test_where_stop_ends_a_walk_the_likeliest_does() -> None:
    walks = walked(1, stops=True)
    assert [state.stopped for state in walks.states] == [False, True]


def test_a_walk_that_would_rather_stop_makes_room_for_others() -> None:
    of = process()
    walks, stop = LikelyWalks(of, 2), of.names.index("stop")
    walks.go_on([chances(walks.standing[0], of)])
    (first, second), (unsure, sure) = walks.standing, (chances(state, of) for state in walks.standing)
    sure[stop] += 9
    sure /= sure.sum()
    unsure[stop] = 0
    walks.go_on([unsure / unsure.sum(), sure])
    before = [of.step(first, action) for action, legal in enumerate(of.actions(first)) if legal]
    assert walks.standing
    assert all(state in before for state in walks.standing)
    assert second in walks.states
    alone = LikelyWalks(of)
    alone.go_on([np.where(of.actions(of.initial()), sure, 0)])
    assert alone.standing  # alone, it goes on: nothing is lost


def test_states_are_taken_in_the_order_of_their_probability() -> None:
    of, walks = process(), LikelyWalks(process(), 3)
    walks.go_on([chances(walks.standing[0], of)])
    first = [of.names[walks.ways[at][0]] for _, at in walks.ahead]
    assert first[:2] == ["down", "split_8"]
    assert [likely for likely, _ in walks.ahead] == sorted((likely for likely, _ in walks.ahead), reverse=True)
