"""The families of problems, and their splits."""

from __future__ import annotations

import json

import gymnasium
import pytest

from polyloop.envs.cursor_v1 import CursorEnvV1
from polyloop.shipped.families import (
    FAMILIES,
    MACHINES,
    UnknownFamilyError,
    problems,
    split,
    split_names,
)


def test_every_problem_opens_on_every_machine() -> None:
    env = gymnasium.make("polyloop/Cursor-v1", evaluator="model", observation="graph").unwrapped
    assert isinstance(env, CursorEnvV1)
    for number, problem in enumerate(problems(tuple(FAMILIES), 3, seed=7)):
        machine = MACHINES[number % len(MACHINES)]
        observation, info = env.reset(options={**problem.options, "machine": machine})
        assert env.observation_space.contains(observation)
        assert info["machine"] == machine
        assert 0 < info["gflops"] < 1.5 * info["peak"], problem
        json.dumps(problem.options)


def test_problems_follow_from_the_seed() -> None:
    """These are what others may have reported on: they stay."""
    assert [p.options for p in problems(["products-nt"], 2)] == [
        {"workload": {"expression": "C[m, n] += A[m, k] * B[n, k]", "sizes": {"m": 112, "n": 200, "k": 48}}},
        {"workload": {"expression": "C[m, n] += A[m, k] * B[n, k]", "sizes": {"k": 200, "m": 80, "n": 128}}},
    ]
    assert problems(["conv-nchw"], 3, 1) != problems(["conv-nchw"], 3, 2)


@pytest.mark.parametrize("name", split_names())
def test_nothing_that_is_held_out_is_trained_on(name: str) -> None:
    found = split(name, each=2)
    assert found.train
    assert found.test
    assert not {case.name for case in found.train} & {case.name for case in found.test}
    if name.startswith("family"):
        assert not {c.problem.family for c in found.train} & {c.problem.family for c in found.test}
    else:
        assert {c.machine for c in found.train}.isdisjoint({c.machine for c in found.test})
    assert len(found.train) + len(found.test) == len(problems(tuple(FAMILIES), 2)) * len(MACHINES)


def test_every_family_is_held_out_once() -> None:
    held = [family for k in range(4) for family in {c.problem.family for c in split(f"family-{k}").test}]
    assert sorted(held) == sorted(FAMILIES)


def test_unknown_names() -> None:
    with pytest.raises(UnknownFamilyError, match="machine-zen3"):
        split("author")
    with pytest.raises(UnknownFamilyError, match="conv-nchw"):
        problems(["fft"], 1)
