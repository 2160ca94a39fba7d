"""LoopTune-compatible mode, to the letter: published observations and masks, sharing, tails, refusals."""

from __future__ import annotations

from typing import Any

import pytest

import polyloop
from polyloop.cursor.actions import Actions, CursorArgumentError
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.process import NestCursor, NestState
from tests.helpers.walking import play

Row = tuple[list[float], dict[int, float]]


def cursor(compat: str = "looptune", *, m: int = 256, k: int = 256, n: int = 128) -> NestCursor:
    problem = Contraction.of(polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=m, k=k, n=n))
    assert problem is not None
    return NestCursor(problem, Actions.of(compat))


def rows(process: NestCursor, state: NestState) -> list[Row]:
    """The observation in the notation of the tests: [cursor, size, tail, compute], {bin: share}."""
    matrix = process.features(state, process.kinds.rows)
    assert matrix.shape == (process.kinds.rows, 20)
    seen = process.visible(state.program)
    assert not matrix[seen:].any()
    return [
        (row[:4].tolist(), {b: share for b, share in enumerate(row[4:].tolist()) if share}) for row in matrix[:seen]
    ]


def mask(process: NestCursor, state: NestState) -> list[str]:
    return [name for name, legal in zip(process.names, process.actions(state), strict=True) if legal]


WALK = ("split_4", "down", "swap_down", "down", "split_16")


def test_action_ids() -> None:
    assert cursor().names == ("up", "down", "swap_up", "swap_down", "split_4", "split_8", "split_16")
    assert cursor("native").names[:4] == cursor().names[:4]
    assert cursor("native").names[4:] == ("split_4", "split_8", "split_16", "split_32", "split_64", "merge")


def test_factors_can_be_chosen() -> None:
    process = NestCursor(cursor().problem, Actions.of("native", splits=[48, 6, 48]))
    assert process.names == ("up", "down", "swap_up", "swap_down", "split_6", "split_48", "merge")
    split = process.step(process.initial(), process.names.index("split_48"))
    assert rows(process, split)[0] == ([1, 5, 16, 1], {13: 0.5, 14: 0.5})
    inside = process.step(process.step(split, process.names.index("down")), process.names.index("split_6"))
    assert [loop.size for loop in inside.program.compute[:3]] == [5, 8, 6]
    uneven = NestCursor(process.problem, Actions.of("native", splits=[32, 48]))
    blocks = play(uneven, "split_48", "down")
    obstacle = uneven.obstacle(blocks, uneven.names.index("split_32"))
    assert obstacle == "48 iterations inside of a block cannot be split by 32: some are left"
    again = Actions.of_arguments({"compat": "native", "splits": [6, 48], "length": 20})
    assert again == process.kinds


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"splits": []}, "there is one at least"),
        ({"splits": [4, 1]}, "whole numbers from 2 on"),
        ({"splits": [2.0]}, "whole numbers from 2 on"),
        ({"compat": "looptune", "splits": [4]}, "seven actions only, not splits="),
    ],
)
def test_factors_that_cannot_be(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CursorArgumentError, match=message):
        Actions.of_arguments(arguments)


def test_start() -> None:
    process = cursor()
    state = process.initial()
    assert rows(process, state) == [
        ([1, 256, 0, 1], {8: 1}),
        ([0, 256, 0, 1], {0: 0.5, 7: 0.5}),
        ([0, 128, 0, 1], {0: 1}),
        ([0, 128, 0, 0], {0: 1}),
    ]
    assert mask(process, state) == ["down", "swap_down", "split_4", "split_8", "split_16"]


def test_after_a_walk() -> None:
    process = cursor()
    state = play(process, *WALK)
    assert rows(process, state) == [
        ([0, 64, 0, 1], {10: 1}),
        ([0, 256, 0, 1], {0: 0.5, 7: 0.5}),
        ([0, 4, 0, 1], {8: 1}),
        ([1, 8, 0, 1], {4: 1}),
        ([0, 16, 0, 1], {0: 1}),
        ([0, 4, 0, 0], {7: 1}),
        ([0, 128, 0, 0], {0: 1}),
    ]
    assert mask(process, state) == ["up", "down", "swap_up", "swap_down", "split_4", "split_8"]


def test_native_masks_a_loop_of_the_same_variable_and_a_split_by_the_size() -> None:
    process = cursor("native")
    assert mask(process, play(process, *WALK)) == ["up", "down", "swap_up", "split_4", "merge"]


def test_after_swap_down_alone() -> None:
    process = cursor()
    state = play(process, "swap_down")
    assert rows(process, state) == [
        ([0, 256, 0, 1], {0: 0.5, 7: 0.5}),
        ([1, 256, 0, 1], {8: 1}),
        ([0, 128, 0, 1], {0: 1}),
    ]
    native = cursor("native")
    write_back = rows(native, play(native, "swap_down"))[3:]
    assert write_back == [([0, 256, 0, 0], {7: 1}), ([0, 128, 0, 0], {0: 1})]


def test_a_tail() -> None:
    process = cursor(m=80, k=112, n=112)
    state = play(process, "split_16", "split_4")
    assert rows(process, state) == [
        ([1, 1, 16, 1], {13: 1}),
        ([0, 4, 0, 1], {11: 1}),
        ([0, 16, 0, 1], {7: 1}),
        ([0, 112, 0, 1], {0: 0.5, 7: 0.5}),
        ([0, 112, 0, 1], {0: 1}),
        ([0, 112, 0, 0], {0: 1}),
    ]
    assert mask(process, state) == ["down", "swap_down"]
    native = cursor("native", m=80, k=112, n=112)
    assert [a for a in mask(native, play(native, "split_16", "split_4")) if a != "merge"] == ["down"]


def test_exchanging_loops_of_one_variable_only_moves_the_cursor() -> None:
    process = cursor()
    before = play(process, "split_4")
    after = play(process, "split_4", "swap_down")
    assert (after.program, after.cursor) == (before.program, 1)
    assert play(process, "split_4", "swap_down", "swap_up") == before


def test_a_swap_back_shares_the_prefix_again() -> None:
    process = cursor("native")
    assert play(process, "swap_down", "swap_up") == process.initial()
    assert play(process, "swap_down").program.shared == 0


def test_the_write_back_nest_distributes_when_its_loops_leave_the_prefix() -> None:
    process = cursor("native")
    state = play(process, "down", "down", "down", "swap_up")
    assert [str(loop) for loop in state.program.store] == ["n 128", "m 256"]
    assert [str(loop) for loop in state.program.compute] == ["m 256", "k 256", "n 128"]
    assert state.cursor == 3


def test_a_split_outer_loop_of_size_one_is_allowed_when_compatible() -> None:
    process = cursor(m=64, k=64, n=64)
    state = play(process, "split_16", "split_4")
    assert [loop.size for loop in state.program.compute[:3]] == [1, 4, 16]
    assert cursor("native", m=64, k=64, n=64).obstacle(state, 4) is not None


def test_a_nest_of_more_than_ten_rows_is_refused() -> None:
    process = cursor()
    state = play(process, "split_4", "split_4", "split_4", "split_4")
    assert len(state.program.rows) == 8
    for _ in range(4):
        state = process.step(state, process.names.index("down"))
    # k is split twice: 10 rows; a third time would make 11.
    state = play_on(process, state, "down", "split_16", "split_4")
    assert len(state.program.rows) == 10
    reason = process.obstacle(state, process.names.index("split_4"))
    assert reason == "the nest would have 11 loops; 10 are allowed"


def play_on(process: NestCursor, state: NestState, *names: str) -> NestState:
    for name in names:
        state = process.step(state, process.names.index(name))
    return state


def test_an_innermost_loop_that_is_no_multiple_of_eight_is_refused() -> None:
    process = cursor()
    state = play(process, "down", "down")
    reason = process.obstacle(state, process.names.index("split_4"))
    assert reason == "n 4 would be innermost: its size is neither 1 nor a multiple of 8"


def test_the_cursor_does_not_leave_the_first_root() -> None:
    process = cursor()
    state = play(process, "down", "down", "down")
    reason = process.obstacle(state, process.names.index("swap_up"))
    assert reason == "the cursor would leave the first root of the tree"


@pytest.mark.parametrize("length", [10, 3])
def test_episodes_end_after_a_number_of_steps(length: int) -> None:
    process = cursor()
    process.length = length
    state = process.initial()
    for _ in range(length):
        assert not process.final(state)
        state = process.skipped(state)
    assert process.final(state)
    assert not any(process.actions(state))
    assert process.obstacle(state, 1) == "the episode has ended"
