"""`optimize(space="cursor")`: what the default search finds stays in the race; the cursor's trees are candidates."""

from __future__ import annotations

import pytest

import polyloop
from polyloop.envs.problems import kernel_scop
from polyloop.search.registry import checked_space

SEARCHES = ("random", "greedy", "beam", "mcts", "anneal", "genetic")


@pytest.mark.parametrize("name", SEARCHES)
def test_the_searches_walk_both_spaces(name: str) -> None:
    assert checked_space(name, "cursor") == "cursor"
    assert checked_space(name, None) == "schedule"


def test_a_kernel_under_the_cursor() -> None:
    """The greedy search ends by itself: how long the default search takes before it, no matter on which machine, leaves
    it the time that it wants."""
    scop, sizes = kernel_scop("gemver", "MINI")
    result = polyloop.optimize(scop, sizes=sizes, search="greedy", space="cursor", budget=60.0)
    names = [measured.name for measured in result.measurements]
    walked = [m for m in result.measurements if m.name.startswith("cursor ")]
    assert walked
    assert any(m.ran for m in walked)
    assert any(candidate.startswith("schedule: ") for candidate in names)
    assert all(m.error is None or "wrong results" not in m.error for m in result.measurements)
    assert result.best.name in names
    assert result.check.different == 0
