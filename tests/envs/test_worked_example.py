"""The walk through matrix-vector multiplication of Brauckmann, Goens and Castrillon (2021), in the environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

from polyloop.schedules.legality import Proof, prove

WALK = [
    (0, (2, 1, 0, 0)),
    (1, (2, 2, 0, 0)),
    (0, (3, 2, 0, 0)),
    (1, (3, 1, 0, 0)),
    (1, (3, 2, 0, 0)),
    (2, (3, 2, 0, 3)),
    (0, (4, 2, 0, 3)),
    (1, (4, 1, 0, 3)),
    (2, (4, 1, 4, 3)),
]
COEFFICIENTS = (
    *(0, 0, 0, 0, 0, 2, 2, 1, 0, 2),
    *(0, 0, 0, 0, 2, 0, 0, 1, 0, 2),
    *(0, 0, 0, 1, 0, 2, 0, 0, 0, 0),
    *(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
)
# What the coefficients decode to, each dimension divided by the greatest common divisor of its coefficients: of the
# paper's four only the last, 3j, has one.
SCHEDULE = ["S[i] -> [-2*i - n - 4, -2*i - n + 2, n - 3, 0]", "T[i, j] -> [-2*i - n - 2, -2*i - n + 2, n, j]"]


def arguments(path: str) -> dict[str, Any]:
    return {
        "kernel": path,
        "sizes": {"n": 100},
        "evaluator": "model",
        "dependence_order": ["T->T", "S->T"],
        "parameter_coefficients": True,
        "context": "",
    }


def test_construct(square_matvec: str) -> None:
    env = gymnasium.make("polyloop/Construct-v0", **arguments(square_matvec))
    _, info = env.reset()
    assert info["state"] == (1, 1, 0, 0)
    assert "terms" not in info
    for number, (action, state) in enumerate(WALK, start=1):
        assert info["action_mask"][action] == 1
        _, reward, terminated, truncated, info = env.step(action)
        assert info["state"] == state
        assert terminated == (number == len(WALK))
        assert not truncated
        assert (reward == 0.0) == (number < len(WALK))
    assert info["terms"] == (10, 10, 10, 13)
    assert info["action_mask"].tolist() == [0, 0, 0]


@pytest.mark.parametrize(("construction", "length"), [([4, 3], 43), ([3, 4], 41)])
def test_number_of_terms(square_matvec: str, construction: list[int], length: int) -> None:
    env = gymnasium.make("polyloop/Explore-v0", construction=construction, **arguments(square_matvec))
    _, info = env.reset()
    assert sum(info["terms"]) == length


def test_explore(square_matvec: str) -> None:
    env = gymnasium.make("polyloop/Explore-v0", construction=[4, 3], **arguments(square_matvec))
    _, info = env.reset()
    assert info["terms"] == (10, 10, 10, 13)
    for number, coefficient in enumerate(COEFFICIENTS, start=1):
        assert info["action_mask"].tolist() == [1, 1, 1]
        _, _, terminated, _, info = env.step(coefficient)
        assert info["state"] == COEFFICIENTS[:number]
        assert terminated == (number == 43)
    assert info["schedule"].splitlines() == SCHEDULE
    env = env.unwrapped
    scop, schedule = env.task.problem.scop, env.schedule  # type: ignore[attr-defined]
    tree = schedule.to_tree(scop, scop.dependences())
    assert prove(scop, tree, scop.dependences()) == Proof(2, 2, 0)


def test_both_phases_in_one_episode(square_matvec: str) -> None:
    env = gymnasium.make("polyloop/Schedule-v0", **arguments(square_matvec))
    _, info = env.reset()
    actions = [*(action for action, _ in WALK), *(3 + c for c in COEFFICIENTS)]
    for number, action in enumerate(actions, start=1):
        assert info["action_mask"][action] == 1
        _, _, terminated, _, info = env.step(action)
        assert terminated == (number == len(actions))
        assert ("terms" in info) == (number >= len(WALK))
    assert info["terms"] == (10, 10, 10, 13)
    assert info["state"] == ((4, 1, 4, 3), COEFFICIENTS)
    assert info["schedule"].splitlines() == SCHEDULE
