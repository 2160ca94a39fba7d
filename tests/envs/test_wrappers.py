"""Iterate, Curriculum and Constrain: which problems come, and what may be done."""

from __future__ import annotations

import importlib.util
import pickle
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from polyloop.envs import wrappers
from polyloop.envs.base import ProcessEnv
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.wrappers import Constrain, Curriculum, Iterate, Restart
from polyloop.shipped.families import problems

PROBLEMS = [{"workload": name, "machine": machine} for name in ("MM-64", "MM-128") for machine in ("zen3", "zen5")]


def make(**arguments: Any) -> gymnasium.Env[Any, np.int64]:
    env: gymnasium.Env[Any, np.int64] = gymnasium.make("polyloop/Cursor-v1", evaluator="model", length=3, **arguments)
    return env


def place(info: dict[str, Any]) -> tuple[str, str]:
    return info["state"][0].split("\n")[0], info["machine"]


def test_problems_come_one_after_the_other() -> None:
    env = Iterate(make(), PROBLEMS)
    seen = [place(env.reset(seed=1)[1]), *(place(env.reset()[1]) for _ in range(7))]
    assert seen == 2 * [(f"m {n}", machine) for n in (64, 128) for machine in ("zen3", "zen5")]
    assert place(env.reset(options={"machine": "sse"})[1]) == ("m 128", "sse")
    assert place(env.reset()[1]) == seen[0]


def test_problems_are_shuffled_by_the_seed() -> None:
    def order(seed: int) -> list[tuple[str, str]]:
        env = Iterate(make(), PROBLEMS, shuffled=True)
        return [place(env.reset(seed=seed)[1]), *(place(env.reset()[1]) for _ in range(7))]

    assert order(4) == order(4)
    assert sorted(order(4)[:4]) == sorted(order(4)[4:]) == sorted(set(order(4)))
    assert order(4) != order(5)


def test_a_curriculum_goes_on_when_enough_was_gained() -> None:
    stages = [[{"workload": "MM-64"}], [{"workload": "MM-128"}]]
    env = Curriculum(make(), stages, enough=0.0, episodes=2, mixed=0.0)
    stop = env.action_space.n - 1  # type: ignore[attr-defined]
    sizes = []
    for _ in range(4):
        _, info = env.reset(seed=0)
        sizes.append(place(info)[0])
        env.step(np.int64(stop))
    assert sizes == ["m 64", "m 64", "m 128", "m 128"]
    stays = Curriculum(make(), stages, enough=0.1, episodes=1)
    for _ in range(3):
        assert place(stays.reset()[1])[0] == "m 64"
        stays.step(np.int64(stop))
    assert stays.stage == 0


def test_what_is_not_allowed_is_refused() -> None:
    env = Constrain(make(observation="dict"), ("down", "swap_down", "stop"))
    names = env.unwrapped.action_names  # type: ignore[attr-defined]
    observation, info = env.reset(seed=0)
    for _ in range(2):
        mask = info["action_mask"]
        assert {names[k] for k in np.flatnonzero(mask)} <= {"down", "swap_down", "stop"}
        assert observation["action_mask"].tolist() == mask.tolist() == env.action_masks().astype(int).tolist()
        before = info["state"]
        observation, reward, _, _, info = env.step(np.int64(names.index("split_16")))
        assert (reward, info["state"], info["refused"]) == (0, before, "split_16 is not allowed here")
    _, _, _, cut, info = env.step(np.int64(names.index("down")))
    assert (cut, info["state"][1]) == (True, 1)


def test_episodes_begin_where_others_have_been() -> None:
    env = Restart(make(observation="graph", workload="MM-64"), share=1.0)
    inner = env.unwrapped
    assert isinstance(inner, ProcessEnv)
    _, first = env.reset(seed=0)
    env.step(np.int64(inner.action_names.index("split_16")))
    there = inner.state()
    env.step(np.int64(inner.action_names.index("stop")))
    observation, info = env.reset()
    assert info["state"] != first["state"]
    assert replace(inner.state(), random=there.random) == there
    assert info["steps_left"] == 2
    assert env.observation_space.contains(observation)
    assert env.reset(options={"workload": "MM-128"})[1]["state"][0].startswith("m 128")  # nobody has been there
    assert env.reset(seed=0)[1]["steps_left"] == 3
    with pytest.raises(EnvironmentArgumentError, match="from 0 to 1"):
        Restart(make(), 2.0)


def test_no_more_problems_are_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrappers, "PROBLEMS", 2)
    env = Restart(make(), share=1.0)
    inner = env.unwrapped
    assert isinstance(inner, ProcessEnv)
    split = np.int64(inner.action_names.index("split_16"))
    for size in (64, 128, 256):
        env.reset(options={"workload": f"MM-{size}"})
        env.step(split)
    left = {size: env.reset(options={"workload": f"MM-{size}"})[1]["steps_left"] for size in (256, 128, 64)}
    assert left == {256: 2, 128: 2, 64: 3}  # the first of three is forgotten


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra gnn")
def test_learners_take_restarts() -> None:
    from polyloop.gnn.environments import Environments, EnvironmentSettings

    settings = EnvironmentSettings("polyloop/Cursor-v1", {"evaluator": "model", "length": 4}, count=2, restarts=1.0)
    environments = Environments(settings)
    first = environments.reset(0)
    there = environments.step([4, 4])
    again = environments.step([10, 10])  # stops: the next episode begins where this one has been
    assert not np.array_equal(again.samples[0]["vector"], first.samples[0]["vector"])
    assert np.array_equal(again.samples[0]["vector"], there.samples[0]["vector"])
    environments.close()


def test_an_agent_is_never_left_without_an_action() -> None:
    env = Constrain(make(), lambda name, _: name == "up")
    _, info = env.reset()
    assert info["action_mask"].tolist() == env.unwrapped.action_masks().astype(int).tolist()  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_wrapped_environments_pass_the_checker() -> None:
    options = [problem.options for problem in problems(["products-nt"], 2)]
    check_env(Constrain(Iterate(make(observation="dict"), options), ("down", "stop")), skip_render_check=True)


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(EnvironmentArgumentError, match="no problems"):
        Iterate(make(), [])
    with pytest.raises(EnvironmentArgumentError, match="there is no action 'fly'"):
        Constrain(make(), ["fly"])
    with pytest.raises(EnvironmentArgumentError, match="'down': it has to be a list of text"):
        Constrain(make(), "down")
    foreign = gymnasium.make("CartPole-v1")
    for wrapped in (
        lambda: Constrain(foreign, ["up"]),
        lambda: Iterate(foreign, PROBLEMS),
        lambda: Curriculum(foreign, [PROBLEMS], 0.0),
        lambda: Restart(foreign),
    ):
        with pytest.raises(EnvironmentArgumentError, match="for environments of polyloop"):
            wrapped()


@pytest.mark.parametrize("given", ["gemm", PROBLEMS[0], ["gemm"], iter(PROBLEMS), [PROBLEMS]])
def test_what_are_no_problems_is_named(given: Any) -> None:
    with pytest.raises(EnvironmentArgumentError, match=r"problems.* (has to be a list|no options of reset)"):
        Iterate(make(), given)
    with pytest.raises(EnvironmentArgumentError, match=r"stages.* (has to be a list|no options of reset)"):
        Curriculum(make(), given if given == PROBLEMS[0] else [given], 0.0)


@pytest.mark.parametrize("given", [{"episodes": 0}, {"mixed": 7}, {"enough": "much"}])
def test_numbers_that_a_curriculum_cannot_have_are_named(given: dict[str, Any]) -> None:
    with pytest.raises(EnvironmentArgumentError, match=f"{next(iter(given))}="):
        Curriculum(make(), [PROBLEMS], **{"enough": 0.0, **given})


def test_wrapped_environments_can_be_pickled() -> None:
    env = Constrain(Restart(Iterate(make(), PROBLEMS), 0.5), ("down", "stop"))
    env.reset(seed=3)
    env.step(np.int64(1))
    again = pickle.loads(pickle.dumps(env))
    assert again.action_masks().tolist() == env.action_masks().tolist()
    assert [place(again.reset()[1]) for _ in range(3)] == [place(env.reset()[1]) for _ in range(3)]
