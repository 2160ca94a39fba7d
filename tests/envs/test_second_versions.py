"""Cursor-v1 and Schedule-v1: the action stop, what is seen besides the program, machines, rewards of one's own."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from polyloop.backend.errors import TargetError
from polyloop.backend.machine.drawn import drawn_machine
from polyloop.backend.machine.machine import Machine, machine_named, shipped_machines
from polyloop.envs.base import ProcessEnv
from polyloop.envs.cursor_v1 import CursorEnvV1
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.rewards import Gain
from polyloop.envs.schedule_v1 import ScheduleEnvV1
from polyloop.errors import PolyloopError
from polyloop.graphs.context import CONTEXT, machine_features

HERE = __name__
MATMUL = {"einsum": "mk,kn->mn", "sizes": {"m": 256, "k": 256, "n": 128}}
LEFT, STEPS = CONTEXT.index("share_left"), CONTEXT.index("steps_left")


def cursor(**arguments: Any) -> CursorEnvV1:
    given = {"workload": MATMUL, "evaluator": "model", **arguments}
    env = gymnasium.make("polyloop/Cursor-v1", **given).unwrapped
    assert isinstance(env, CursorEnvV1)
    return env


def schedule(**arguments: Any) -> ScheduleEnvV1:
    env = gymnasium.make("polyloop/Schedule-v1", **{"kernel": "mvt", "evaluator": "model", **arguments}).unwrapped
    assert isinstance(env, ScheduleEnvV1)
    return env


def act(env: ProcessEnv[Any], name: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    observation, reward, terminated, truncated, info = env.step(np.int64(env.action_names.index(name)))
    return observation, float(reward), terminated, truncated, info


def twice(gain: Gain) -> float:
    return 2 * (gain.after - gain.before) / gain.peak


@pytest.mark.parametrize(
    "arguments",
    [
        {"observation": "rows", "machine": "random"},
        {"observation": "graph", "returns": "best", "machine": ["zen3", "sse"]},
        {"workload": None, "kernel": "mvt", "sizes": "MINI", "observation": "dict"},
        {"compat": "looptune", "reward": f"{HERE}:twice"},
    ],
)
def test_gymnasiums_checker(arguments: dict[str, Any]) -> None:
    check_env(cursor(**arguments))


def test_stopping_terminates_and_running_out_of_steps_truncates() -> None:
    env = cursor(length=3)
    env.reset(seed=0)
    act(env, "split_16")
    _, reward, terminated, truncated, info = act(env, "stop")
    assert (reward, terminated, truncated) == (0, True, False)
    assert info["action_mask"].any()
    assert info["steps_left"] == 1
    _, reward, _, _, info = act(env, "split_4")
    assert (reward, info["refused"]) == (0, "the episode has ended")
    env.reset()
    ends = [act(env, "down")[2:4] for _ in range(2)] + [act(env, "up")[2:4]]
    assert ends == [(False, False), (False, False), (False, True)]


def test_there_is_always_something_to_do() -> None:
    """Even where no loop is seen, and behind the end."""
    env = cursor(length=2)
    _, info = env.reset()
    for name in ("down", "stop"):
        assert info["action_mask"][-1] == 1
        info = act(env, name)[-1]
    assert info["action_mask"][-1] == 1
    other, generator, over = schedule(), np.random.default_rng(0), False
    _, info = other.reset(seed=0)
    while not over:
        assert info["action_mask"][-1] == 1
        _, _, over, _, info = other.step(generator.choice(np.flatnonzero(info["action_mask"])))
    assert np.flatnonzero(info["action_mask"]).tolist() == [len(other.action_names) - 1]


def test_returns_of_the_best_state_lose_nothing_on_the_way() -> None:
    names = ("split_32", "down", "swap_down", "down", "split_32", "swap_up", "up", "up", "swap_down")
    env, plain = cursor(returns="best"), cursor()
    _, first = env.reset()
    plain.reset()
    gains, changes, reached = [], [], [first["gflops"]]
    for name in names:
        gains.append(act(env, name)[1])
        _, change, _, _, info = act(plain, name)
        changes.append(change)
        reached.append(info["gflops"])
    assert min(changes) < 0 <= min(gains)
    assert sum(gains) == pytest.approx((max(reached) - first["gflops"]) / first["peak"])
    assert env.state().score[1] == info["best"] == max(reached)
    copy = cursor(returns="best")
    copy.restore(pickle.loads(pickle.dumps(env.state())))
    assert copy.state() == env.state()
    assert act(copy, "stop")[1] == 0


@pytest.mark.parametrize("observation", ["vector", "dict", "rows", "graph"])
def test_every_observation_has_the_steps_left_and_the_machine(observation: str) -> None:
    env = cursor(observation=observation, machine="zen3", length=4)

    def seen(observed: Any) -> Any:
        if observation in ("rows", "graph"):
            return observed["context"]
        return (observed["observation"] if observation == "dict" else observed)[: len(CONTEXT)]

    first = seen(env.reset()[0])
    later = seen(act(env, "down")[0])
    assert (first[LEFT], later[LEFT], later[STEPS]) == (1, 0.75, np.float32(3 / 64))
    assert np.array_equal(first[3:], machine_features(machine_named("zen3")))
    other = seen(env.reset(options={"machine": "neoverse-n1"})[0])
    assert np.array_equal(other[3:], machine_features(machine_named("neoverse-n1")))


def test_shipped_machines_can_be_told_apart() -> None:
    rows = {machine_features(machine).tobytes() for machine in shipped_machines().values()}
    assert len(rows) == len(shipped_machines())


@pytest.mark.parametrize(("one", "other"), [(64, 256), (64, 65), (128, 144), (95, 96)])
def test_sizes_can_be_told_apart(one: int, other: int) -> None:
    """By a tenth of the range in some column."""
    rows = [
        cursor(workload={"einsum": "mk,kn->mn", "sizes": {"m": n, "k": 64, "n": 64}}, observation="rows").reset()[0]
        for n in (one, other)
    ]
    assert all(isinstance(row, dict) for row in rows)
    assert np.abs(rows[0]["rows"] - rows[1]["rows"]).max() > 0.1


def test_machines_are_drawn_by_the_episodes_random_numbers() -> None:
    def drawn(given: Any) -> list[tuple[str, float]]:
        env = cursor(machine=given)
        infos = [env.reset(seed=5)[1], *(env.reset()[1] for _ in range(5))]
        return [(info["machine"], info["gflops"]) for info in infos]

    assert drawn("random") == drawn("random")
    assert len(set(drawn("random"))) == 6
    assert {name for name, _ in drawn(["zen3", "sse"])} == {"zen3", "sse"}
    assert len({gflops for _, gflops in drawn(["zen3", "sse"])}) == 2
    for seed in range(200):
        machine = drawn_machine(seed)
        assert Machine.from_json(machine.to_json(), "text") == machine


def test_a_machine_that_was_drawn_comes_back_by_its_name() -> None:
    drawn = cursor(machine="random").reset(seed=5)[1]
    again = cursor(machine=drawn["machine"]).reset()[1]
    assert again["machine"] == drawn["machine"]
    assert again["gflops"] == drawn["gflops"]
    assert schedule(machine=drawn["machine"]).reset()[1]["machine"] == drawn["machine"]


@pytest.mark.parametrize(
    "options",
    [
        {"machine": []},
        {"machine": ["zen3", "nothing"]},
        {"machine": "sse", "workload": "nothing"},
        {"machine": "sse", "size": 3},
    ],
)
def test_a_reset_that_fails_changes_nothing(options: dict[str, Any]) -> None:
    env = cursor(machine=["zen3", "zen5"])
    env.reset(seed=1)
    with pytest.raises((PolyloopError, TargetError)):
        env.reset(options=options)
    assert {env.reset()[1]["machine"] for _ in range(12)} == {"zen3", "zen5"}


def test_some_machine_has_to_be_named() -> None:
    with pytest.raises(EnvironmentArgumentError, match=r"^machine=\[\]: there has to be one at least"):
        cursor(machine=[])
    with pytest.raises(TargetError, match="no machine is called ''"):
        schedule(machine="")


def test_rewards_of_ones_own() -> None:
    plain = cursor()
    plain.reset()
    act(plain, "down")
    gain = act(plain, "swap_down")[1]
    assert gain != 0
    for reward in (twice, f"{HERE}:twice"):
        env = cursor(reward=reward)
        env.reset(seed=0)
        act(env, "down")
        assert act(env, "swap_down")[1] == 2 * gain
        assert pickle.loads(pickle.dumps(env)).state() == env.state()


@pytest.mark.parametrize("said", [None, "much", math.nan, -math.inf, 10**400, [1.0, 2.0]])
def test_a_reward_that_is_no_number_is_named(said: Any) -> None:
    env = cursor(reward=lambda gain: said)
    env.reset()
    with pytest.raises(EnvironmentArgumentError, match=r"it has to come to a finite number, not .*, of Gain\("):
        act(env, "split_16")
    with pytest.raises(EnvironmentArgumentError, match=r"it has to come to a finite number, not .*, of 0\.1"):
        schedule(reward=lambda speedup: said).step(np.int64(99))


def root(speedup: float) -> float:
    return math.sqrt(speedup)


def test_schedules_have_rewards_of_ones_own() -> None:
    ends = []
    for reward in ("speedup", root):
        env = schedule(reward=reward)
        env.reset()
        ends.append(act(env, "stop"))
    assert ends[1][1] == pytest.approx(ends[0][1] ** 0.5)
    assert ends[0][1] == ends[0][4]["speedup"]


def test_stopping_completes_a_schedule_wherever_it_stands() -> None:
    env = schedule()
    generator = np.random.default_rng(0)
    for steps in (*range(12), 20):
        env.reset()
        for _ in range(steps):
            legal = np.flatnonzero(env.action_masks()[:-1])
            if not len(legal):
                break
            env.step(generator.choice(legal))
        if env.schedule is None:
            _, _, terminated, truncated, info = act(env, "stop")
            assert (terminated, truncated) == (True, False)
            assert env.schedule is not None
            assert info["schedule"] == str(env.schedule)
            assert len(info["capped"]) == len(info["anchored"]) == len(info["terms"])


def test_a_schedule_that_takes_too_long_is_cut_off() -> None:
    env = schedule(length=2)
    env.reset()
    assert act(env, "next dependence")[2:4] == (False, False)
    observation, reward, terminated, truncated, info = act(env, "next dependence")
    assert (reward, terminated, truncated) == (0, False, True)
    assert observation[0] == 0
    assert info["steps_left"] == 0


def test_arguments_are_json() -> None:
    for env in (cursor(machine=["zen3", "sse"], returns="best"), schedule(length=50, machine="zen3")):
        assert env.spec is not None
        again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
        assert again.reset(seed=1)[1]["machine"] == env.reset(seed=1)[1]["machine"]
        assert again.spec is not None
        assert again.spec.max_episode_steps == env.spec.max_episode_steps is not None
        json.dumps(env.spec.kwargs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"machine": "zen9"}, "zen9"),
        ({"machine": "zen3", "evaluator": "inprocess"}, "only the model"),
        ({"reward": "seconds"}, "'module:function'"),
        ({"reward": "nowhere:f"}, "cannot be loaded"),
        ({"reward": f"{HERE}:MATMUL"}, "nothing that can be called"),
        ({"returns": "mean"}, "'last', 'best'"),
        ({"observation": "picture"}, "'rows'"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((EnvironmentArgumentError, TargetError), match=message):
        cursor(**arguments)


def test_schedules_have_no_rows() -> None:
    with pytest.raises(EnvironmentArgumentError, match="'vector', 'dict', 'graph'"):
        schedule(observation="rows")
