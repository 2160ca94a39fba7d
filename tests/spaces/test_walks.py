"""Episodes drawn at once are those that drawing action after action gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from polyloop.mdp import DecisionProcess
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.space import ScheduleSpace
from polyloop.spaces.walks import random_construction, random_exploration
from tests.helpers.small_scops import assign, loop, scop
from tests.spaces.kernel_scops import kernel_scop

SOME = ("gemm", "symm", "trisolv", "durbin", "floyd-warshall", "ludcmp")


pytestmark = pytest.mark.usefixtures("shared_cache")


def step_by_step(
    process: DecisionProcess[Any], numbers: Iterator[float], weights: Callable[[Any], Sequence[float]]
) -> Any:
    """Every action drawn from the mask with one number: legal actions share [0, 1) by their weights."""
    state = process.initial()
    while not process.final(state):
        legal = np.array(weights(state)) * process.actions(state)
        shares = np.cumsum(legal)
        state = process.step(state, int(np.searchsorted(shares, next(numbers) * shares[-1], side="right")))
    return state


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.2, 0.2, 0.6), (0.6, 0.2, 0.2)])
@pytest.mark.parametrize("name", SOME)
def test_constructions(name: str, weights: tuple[float, ...]) -> None:
    space = ScheduleSpace.of(kernel_scop(name))
    for process in (Construction(space), Construction(space, len(space.greedy()), 0)):
        for seed in range(4):
            numbers = iter(np.random.default_rng(seed).random(10_000).tolist())
            expected = step_by_step(process, numbers, lambda state: weights)
            assert random_construction(process, np.random.default_rng(seed), weights) == expected


@pytest.mark.parametrize("nonzero", [1.0, 0.15])
@pytest.mark.parametrize("name", SOME)
def test_explorations(name: str, nonzero: float) -> None:
    space = ScheduleSpace.of(kernel_scop(name))
    for seed in range(3):
        carried = random_construction(Construction(space), np.random.default_rng(seed)).carried
        process = Exploration(space, carried)
        numbers = iter(np.random.default_rng(seed).random(process.length).tolist())
        expected = step_by_step(process, numbers, lambda state: (1.0, nonzero, nonzero))
        assert random_exploration(process, np.random.default_rng(seed), nonzero) == expected


def test_a_weight_for_every_dimension() -> None:
    space = ScheduleSpace.of(kernel_scop("gemm"))
    process = Exploration(space, tuple(range(1, 1 + len(space.dependences))))
    assert len(process.terms) == 2
    drawn = random_exploration(process, np.random.default_rng(0), [0.0, 1e9]).coefficients
    assert not any(drawn[: process.terms[0]])
    assert all(drawn[process.terms[0] :])


def test_without_dependences() -> None:
    space = ScheduleSpace.of(scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]"))))
    process = Construction(space)
    state = random_construction(process, np.random.default_rng(0))
    assert process.final(state)
    assert len(random_exploration(Exploration(space, ()), np.random.default_rng(0)).coefficients) == 4


def test_the_last_vertex_is_drawn_like_the_others() -> None:
    """Where all vertices before it have the coefficient 0, its own is 1 or 2, each as often."""
    space = ScheduleSpace.of(kernel_scop("trisolv"))
    process = Exploration(space, (1,) * len(space.dependences))
    assert len(process.dimensions[0].generators.vertices) == 2
    drawn = [random_exploration(process, np.random.default_rng(seed)).coefficients[:2] for seed in range(300)]
    forced = [last for first, last in drawn if first == 0]
    assert set(forced) == {1, 2}
    assert 30 < sum(last == 1 for last in forced) < 70
