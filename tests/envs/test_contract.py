"""What every registered environment promises: arguments as JSON, equal episodes of equal seeds, copies, pickles, render
modes, time limits, vector environments."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeAwareObservation

from polyloop.envs.base import ProcessEnv
from polyloop.envs.rewards import REWARDS
from polyloop.measure.schedules import Problem, Score
from polyloop.registration import ENVIRONMENTS
from polyloop.schedules.rows import Schedule

PROBLEMS: dict[str, list[dict[str, Any]]] = {
    name: [{"kernel": "mvt", "sizes": "MINI"}, *([{"workload": "MM-64"}] if "Cursor" in name else [])]
    for name in ENVIRONMENTS
}
all_problems = pytest.mark.parametrize(
    ("name", "problem"), [(name, problem) for name, problems in PROBLEMS.items() for problem in problems]
)
all_environments = pytest.mark.parametrize("name", ENVIRONMENTS)


def make(name: str, **arguments: Any) -> ProcessEnv[Any]:
    env = gymnasium.make(name, **{"evaluator": "model", **arguments}).unwrapped
    assert isinstance(env, ProcessEnv)
    return env


def walked(env: ProcessEnv[Any], seed: int) -> list[tuple[Any, ...]]:
    """The rest of an episode, at random."""
    generator, trace, over = np.random.default_rng(seed), [], False
    while not over:
        action = generator.choice(np.flatnonzero(env.action_masks()))
        _, reward, ended, cut, info = env.step(action)
        trace.append((int(action), reward, info["state"]))
        over = ended or cut
    return trace


@all_problems
def test_arguments_are_json(name: str, problem: dict[str, Any]) -> None:
    env = gymnasium.make(name, evaluator="model", **problem)
    assert env.spec is not None
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.reset(seed=1)[1]["state"] == env.reset(seed=1)[1]["state"]


@all_problems
def test_masks_agree_and_equal_seeds_give_equal_episodes(name: str, problem: dict[str, Any]) -> None:
    def episode() -> list[Any]:
        env = make(name, observation="dict", **problem)
        observation, info = env.reset(seed=3)
        generator, trace, over = np.random.default_rng(3), list[Any](), False
        while not over:
            mask = env.action_masks()
            assert isinstance(observation, dict)
            assert info["action_mask"].tolist() == observation["action_mask"].tolist() == mask.tolist()
            observation, reward, ended, cut, info = env.step(generator.choice(np.flatnonzero(mask)))
            trace.append((reward, info["state"]))
            over = ended or cut
        return [*trace, env.np_random.random()]

    assert episode() == episode()


@all_problems
def test_a_fork_goes_its_own_way(name: str, problem: dict[str, Any]) -> None:
    env = make(name, **problem)
    env.reset(seed=3)
    env.step(np.int64(np.flatnonzero(env.action_masks())[-1]))
    copy, before = env.fork(), env.state()
    assert copy.state() == before
    trace = walked(copy, 3)
    assert env.state() == before
    assert walked(env, 3) == trace
    copy.np_random.random()
    assert env.np_random.bit_generator.state != copy.np_random.bit_generator.state


@all_problems
def test_restore_goes_back_even_to_another_program(name: str, problem: dict[str, Any]) -> None:
    env = make(name, **problem)
    env.reset(seed=4)
    snapshot, following = pickle.loads(pickle.dumps(env.state())), walked(env.fork(), 5)
    env.reset(options={"kernel": "gemm"})
    walked(env, 4)
    env.restore(snapshot)
    assert env.state() == snapshot
    assert walked(env, 5) == following


@pytest.mark.parametrize("observation", ["vector", "graph"])
@all_environments
def test_the_spaces_are_the_same_for_all_kernels(name: str, observation: str) -> None:
    env = make(name, kernel="floyd-warshall", observation=observation)
    for kernel in ("gemm", "durbin"):
        seen, _ = env.reset(options={"kernel": kernel})
        assert seen in env.observation_space
        assert env.observation_space == make(name, kernel=kernel, observation=observation).observation_space


@pytest.mark.parametrize("vectorization", ["sync", "async"])
@pytest.mark.parametrize("observation", ["dict", "graph"])
@all_environments
def test_vector_environments(name: str, observation: str, vectorization: str) -> None:
    arguments: dict[str, Any] = {"kernel": "mvt", "evaluator": "model", "observation": observation}
    arguments |= {"graph_size": [128, 1024]} if observation == "graph" else {}
    envs, single = gymnasium.make_vec(name, 2, vectorization_mode=vectorization, **arguments), make(name, **arguments)
    try:
        observations, infos = envs.reset(seed=5)
        expected, _ = single.reset(seed=5)
        generator, over = np.random.default_rng(5), False
        while not over:
            assert isinstance(expected, dict)
            for key, value in expected.items():
                assert np.array_equal(observations[key], np.stack([value, value]))
            action = int(generator.choice(np.flatnonzero(infos["action_mask"][0])))
            observations, rewards, _, _, infos = envs.step(np.array([action, action]))
            expected, reward, ended, cut, _ = single.step(np.int64(action))
            assert rewards.tolist() == [reward, reward]
            over = ended or cut
    finally:
        envs.close()


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
@all_problems
def test_environments_are_pickled_where_they_stand(name: str, problem: dict[str, Any], pickler: Any) -> None:
    env = make(name, **problem)
    env.reset(seed=1)
    env.step(np.flatnonzero(env.action_masks())[-1])
    copy = pickler.loads(pickler.dumps(env))
    assert copy.state() == env.state()
    assert walked(copy, 2) == walked(env, 2)


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_are_pickled(reward: str) -> None:
    assert pickle.loads(pickle.dumps(REWARDS[reward])) == REWARDS[reward]
    pickle.dumps(make("polyloop/Explore-v0", kernel="mvt", reward=reward))


def test_graphs_that_environments_share_are_pickled() -> None:
    env = make("polyloop/Explore-v0", kernel="mvt", observation="graph")
    env.reset(seed=0)
    assert pickle.loads(pickle.dumps(env)).state() == env.state()


@pytest.mark.parametrize("evaluator", ["worker", "inprocess"])
@all_problems
def test_evaluators_start_anew_in_a_copy(name: str, problem: dict[str, Any], evaluator: str) -> None:
    small = (
        {"workload": {"einsum": "mk,kn->mn", "sizes": {"m": 8, "k": 8, "n": 8}}} if "workload" in problem else problem
    )
    env = make(name, evaluator=evaluator, **small)
    env.reset(seed=1)
    walked(env, 2)
    copy = pickle.loads(pickle.dumps(env))
    try:
        assert copy.state() == env.state()
        assert type(copy._evaluator) is type(env._evaluator)
        assert copy._evaluator.in_process == (evaluator == "inprocess")
        copy.reset(seed=1)
        assert [step[0] for step in walked(copy, 3)]
    finally:
        copy.close()
        env.close()


def test_what_an_evaluator_knows_by_identity_stays_behind() -> None:
    env = make("polyloop/Construct-v0", kernel="mvt")
    walked(env, 0)
    assert env._evaluator._known
    assert not pickle.loads(pickle.dumps(env))._evaluator._known


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("no_matplotlib")
@all_problems
def test_gymnasiums_checker_without_matplotlib(name: str, problem: dict[str, Any]) -> None:
    for observation in ("vector", "dict", "graph"):
        env = make(name, observation=observation, **problem)
        assert env.metadata["render_modes"] == ["human", "ansi"]
        check_env(env)
    assert type(env).metadata["render_modes"] == ["human", "ansi", "rgb_array"]


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("speedup", [0.1, 1e-9, 0.0, 1.0])
def test_giving_up_is_never_better_than_a_bad_schedule(reward: str, speedup: float) -> None:
    class Slow:
        def evaluate(self, problem: Problem, schedule: Schedule) -> Score:
            return Score.of(1.0, baseline=speedup)

        def close(self) -> None: ...

    worst = walked(make("polyloop/Construct-v0", kernel="mvt", evaluator=Slow(), reward=reward), 0)[-1][1]
    env = make("polyloop/Construct-v0", kernel="mvt", evaluator=Slow(), reward=reward)
    env.reset()
    _, cost, ended, _, _ = env.step(np.int64(99))
    illegal = float(cost)
    assert ended
    assert illegal <= -1
    assert illegal <= worst - 1
    assert float(worst) >= REWARDS[reward].least


@pytest.mark.parametrize("length", [3, 10])
def test_time_can_be_observed_where_episodes_are_of_one_length(length: int) -> None:
    env = gymnasium.make("polyloop/Cursor-v0", evaluator="model", length=length)
    assert env.spec is not None
    assert env.spec.max_episode_steps == length
    aware: Any = TimeAwareObservation(gymnasium.make(env.spec), flatten=False)
    aware.reset(seed=0)
    left, cut = [], False
    while not cut:
        seen, _, ended, cut, _ = aware.step(0)
        assert not ended
        left.append(int(seen["time"][0]))
    assert left == list(range(1, length + 1))


def test_anchored_and_capped_dimensions_are_said() -> None:
    _, info = make("polyloop/Explore-v0", kernel="mvt").reset()
    assert len(info["anchored"]) == len(info["capped"]) == len(info["terms"])
    explored = make("polyloop/Explore-v0", kernel="mvt").process.dimensions  # type: ignore[attr-defined]
    assert info["anchored"] == tuple(dimension.anchored for dimension in explored)
    assert info["capped"] == tuple(dimension.capped for dimension in explored)
    _, first = make("polyloop/Schedule-v0", kernel="mvt").reset()
    assert "anchored" not in first


@all_environments
def test_masks_of_vector_environments_that_reset_in_the_next_step(name: str) -> None:
    problem = PROBLEMS[name][-1]
    envs = gymnasium.make_vec(
        name,
        2,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.NEXT_STEP},
        evaluator="model",
        **problem,
    )
    _, infos = envs.reset(seed=3)
    generator, begun = np.random.default_rng(3), 0
    first = [str(state) for state in infos["state"]]
    over = np.zeros(2, bool)
    for _ in range(60):
        masks = infos["action_mask"].astype(bool)
        # Where nothing is legal, the episode is over and any action does: none is carried out.
        assert ((~masks.any(1)) <= over).all()
        if "Cursor" in name:
            assert masks.any(1).all()
        actions = [generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks]
        _, rewards, terminated, truncated, infos = envs.step(np.array(actions))
        for k in np.flatnonzero(over):
            begun += 1
            assert rewards[k] == 0
            assert str(infos["state"][k]) == first[k]
        assert "illegal_action" not in infos
        over = terminated | truncated
    assert begun > 1
    envs.close()


def test_where_the_time_is_up_the_mask_says_what_could_follow() -> None:
    env = make("polyloop/Cursor-v0", length=1)
    env.reset()
    _, _, ended, cut, info = env.step(np.int64(1))
    longer = make("polyloop/Cursor-v0", length=2)
    longer.reset()
    _, _, _, _, expected = longer.step(np.int64(1))
    assert (ended, cut) == (False, True)
    assert info["action_mask"].tolist() == expected["action_mask"].tolist()
    assert not any(env.process.actions(env.state().state))


@all_environments
def test_looking_at_a_state_changes_nothing(name: str) -> None:
    env = make(name, observation="dict", **PROBLEMS[name][-1])
    env.reset(seed=1)
    before = env.state()
    process = env.process
    following = process.step(before.state, int(np.flatnonzero(env.action_masks())[0]))
    seen, mask = env.observe(following)
    assert env.state() == before
    observation, _, _, _, info = env.step(np.flatnonzero(env.action_masks())[0])
    assert info["action_mask"].tolist() == mask.tolist()
    assert isinstance(seen, dict)
    assert isinstance(observation, dict)
    assert all(np.array_equal(seen[key], observation[key]) for key in seen)
