"""Environments as learners see them: what is drawn, in which order, and what may be done."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from multiprocessing import active_children
from typing import Any

import numpy as np
import pytest

from polyloop.gnn.environments import Environments, EnvironmentSettings, Seen
from polyloop.registration import CONSTRUCT, CURSOR, CURSOR_1

ARGUMENTS: dict[str, Any] = {"evaluator": "model", "length": 4, "observation": "rows"}
PROBLEMS = ({"split": "family", "seed": 3, "each": 1, "machine": "random"},)
SETTINGS = EnvironmentSettings(CURSOR_1, ARGUMENTS, PROBLEMS, count=2)
BEST = replace(SETTINGS, arguments=ARGUMENTS | {"returns": "best"})


def played(settings: EnvironmentSettings, steps: int) -> list[Seen]:
    """Everything that is shown while legal actions are drawn."""
    environments, random = Environments(settings), np.random.default_rng(5)
    seen = [environments.reset(7)]
    for _ in range(steps):
        seen.append(environments.step([int(random.choice(np.flatnonzero(mask))) for mask in seen[-1].masks]))
    environments.close()
    return seen


def test_interrupts_are_left_to_the_process_that_steps_the_others() -> None:
    """From a terminal they come to all."""
    others = active_children()
    environments = Environments(replace(SETTINGS, processes=True))
    environments.reset(7)
    children = [child for child in active_children() if child not in others]
    assert len(children) == SETTINGS.count
    for child in children:
        os.kill(child.pid or 0, signal.SIGINT)
    assert len(environments.step([0, 0]).samples) == 2
    for child in children:
        os.kill(child.pid or 0, signal.SIGTERM)
        child.join()
    environments.close()


def test_one_process_or_many_show_the_same() -> None:
    for settings in (SETTINGS, replace(BEST, row=2)):
        here, there = (played(replace(settings, processes=processes), 12) for processes in (False, True))
        assert any(seen.ended.any() for seen in here)
        for one, other in zip(here, there, strict=True):
            for mine, its in zip(one.samples, other.samples, strict=True):
                assert mine.keys() == its.keys()
                assert all(np.array_equal(mine[name], its[name]) for name in mine)
            np.testing.assert_array_equal(one.masks, other.masks)
            np.testing.assert_allclose(one.rewards, other.rewards)
            np.testing.assert_array_equal(one.ended, other.ended)
            assert one.cut.keys() == other.cut.keys()
            assert one.returns == pytest.approx(other.returns)


@pytest.mark.parametrize("row", [1, 3])
def test_a_problem_and_its_machine_stay_for_a_row_of_episodes(row: int) -> None:
    """Where no episode can be stopped, each takes four steps: what is shown first in each says which problem it is."""
    seen = played(replace(BEST, row=row), 4 * 6)
    firsts = [now.samples[0] for now in seen[:1]] + [now.samples[0] for now in seen if now.ended[0]]
    kinds = [(first["rows"].tobytes(), first["context"].tobytes()) for first in firsts]
    assert len(kinds) == 7
    same = [kinds[k] == kinds[k - 1] for k in range(1, len(kinds))]
    assert same == [k % row != 0 for k in range(1, len(kinds))]


def test_arguments_have_to_fit_the_kernels_that_are_learnt_from_alone() -> None:
    """mvt has one size, n; that of the environment's default kernel has others."""
    given = {"evaluator": "model", "sizes": {"n": 40}, "context": "[n] -> { : n >= 10 }"}
    seen = played(EnvironmentSettings(CONSTRUCT, given, ({"kernel": "mvt"},), count=1), 3)
    assert all(now.masks.any() for now in seen)


def test_stopping_is_left_out_where_it_pays_nothing() -> None:
    last, best = played(SETTINGS, 6), played(BEST, 6)
    assert all(seen.masks[:, -1].all() for seen in last)
    assert not any(seen.masks[:, -1].any() for seen in best)
    assert all(seen.masks.any(1).all() for seen in best)


def test_values_behind_the_limit_count_where_there_can_be_any() -> None:
    assert SETTINGS.bootstraps
    assert not BEST.bootstraps
    assert replace(BEST, bootstrap=True).bootstraps
    assert not EnvironmentSettings(CURSOR).bootstraps
    assert not any(seen.cut for seen in played(BEST, 8))
    cut = [seen.cut for seen in played(replace(BEST, bootstrap=True), 8)]
    assert [bool(each) for each in cut] == [False] * 4 + [True] + [False] * 3 + [True]
    sample, mask = cut[4][0]
    assert sample["context"][0] == 0
    assert not mask[-1]
