"""Layouts and the cursor's ways to them: each way is legal, ends at its layout, and none is shorter."""

from __future__ import annotations

from itertools import product

import pytest

from polyloop.cursor.layouts import nest_of
from polyloop.cursor.model import reference_model
from polyloop.cursor.process import NestCursor
from polyloop.envs.cursor_problems import open_cursor
from polyloop.search.cursor.plans import layouts, way

LENGTH = 20


def cursor(workload: str, length: int | None = LENGTH) -> NestCursor:
    process = open_cursor(workload, None, length=length)
    assert isinstance(process, NestCursor)
    return process


@pytest.mark.parametrize("workload", ["m96-k256-n128", "CONV-2", "CONV-4", "DWCONV-3", "resnet18/conv3_1"])
def test_a_way_leads_to_its_layout(workload: str) -> None:
    process = cursor(workload)
    found = layouts(process.problem)
    assert [seconds for seconds, _ in found] == sorted(seconds for seconds, _ in found)
    near = [(seconds, layout, way(process, layout, LENGTH)) for seconds, layout in found[:: len(found) // 12]]
    reached = 0
    for seconds, layout, actions in near:
        if actions is None:
            continue
        state = process.initial()
        for action in actions:
            state = process.step(state, action)
        assert state.program.compute == nest_of(process.problem, layout).compute
        assert reference_model().seconds(process.problem, state.program) == seconds
        reached += 1
    assert reached


def test_no_way_is_shorter() -> None:
    process = cursor("m64-k64-n64", None)
    layout = (("n", None), ("m", None), ("k", None), ("n", 32))
    actions = way(process, layout, LENGTH)
    assert actions is not None
    goal = nest_of(process.problem, layout).compute
    states = {process.initial()}
    for _ in range(len(actions) - 1):
        states = {process.step(s, a) for s, a in product(states, range(len(process.names))) if process.actions(s)[a]}
        assert all(state.program.compute != goal for state in states)


def test_what_is_too_far_away_has_no_way() -> None:
    process = cursor("m64-k64-n64")
    layout = (("n", None), ("m", None), ("k", None), ("n", 32))
    actions = way(process, layout, LENGTH)
    assert actions is not None
    assert way(process, layout, len(actions)) == actions
    assert way(process, layout, len(actions) - 1) is None


@pytest.mark.parametrize("splits", [(4, 8, 16), (4, 8, 16, 32, 64)])
def test_tiles_and_blocks_are_what_splits_make_or_loops_are(splits: tuple[int, ...]) -> None:
    problem = cursor("m96-k256-n80").problem
    found = layouts(problem, splits)
    sizes = {size for _, layout in found for _, size in layout if size is not None}
    assert sizes <= set(splits)
    assert {4, 8, 16} <= sizes
