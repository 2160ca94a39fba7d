"""Episode files: what is recorded plays again, what is wrong is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloop.envs.construct import ConstructEnv
from polyloop.envs.replay import Episode, Recorder, ReplayError, load, replay
from polyloop.envs.wrappers import Curriculum, Iterate, Restart
from polyloop.measure.schedules import CostModel

IDS = ("polyloop/Construct-v0", "polyloop/Explore-v0", "polyloop/Schedule-v0")


def recorded(name: str, seed: int, episodes: int = 1, options: dict[str, Any] | None = None) -> Recorder:
    env = Recorder(gymnasium.make(name, kernel="mvt", evaluator="model"))
    generator = np.random.default_rng(seed)
    for _ in range(episodes):
        _, info = env.reset(seed=seed, options=options)
        ended = False
        while not ended:
            _, _, ended, _, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
    return env


@pytest.mark.parametrize("name", IDS)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=5, deadline=None)
def test_what_is_recorded_plays_again(name: str, seed: int) -> None:
    (episode,) = recorded(name, seed).episodes
    assert Episode.from_json(episode.to_json()) == episode
    played = replay(episode)
    assert played.compared
    assert played.reward == episode.reward
    assert json.loads(json.dumps(played.info["state"])) == episode.state


def test_a_cursors_episode_plays_again() -> None:
    env = Recorder(gymnasium.make("polyloop/Cursor-v0", kernel="gemm", evaluator="model", length=6))
    generator, ended = np.random.default_rng(0), False
    _, info = env.reset(seed=0)
    while not ended:
        _, _, _, ended, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
    (episode,) = env.episodes
    assert len(episode.actions) == 6
    assert replay(Episode.from_json(episode.to_json())).reward == episode.reward


def test_files_have_an_episode_a_line(tmp_path: Path) -> None:
    env = recorded("polyloop/Explore-v0", 1, episodes=3)
    path = tmp_path / "episodes.jsonl"
    env.save(path)
    assert len(path.read_text().splitlines()) == 3
    assert load(path) == tuple(env.episodes)


def test_options_of_reset_are_replayed() -> None:
    (episode,) = recorded("polyloop/Construct-v0", 2, options={"kernel": "gemm"}).episodes
    assert episode.options == {"kernel": "gemm"}
    assert replay(episode).reward == episode.reward


PROBLEMS: list[dict[str, Any]] = [
    {"kernel": "gemm", "sizes": "MINI"},
    {"workload": "MM-64"},
    {"kernel": "mvt", "sizes": {"n": 40}},
]


def _played(env: gymnasium.Env[Any, np.int64], episodes: int) -> None:
    generator = np.random.default_rng(1)
    for number in range(episodes):
        _, info = env.reset(seed=0 if number == 0 else None)
        ended = False
        while not ended:
            _, _, terminated, cut, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
            ended = terminated or cut


@pytest.mark.parametrize("outside", [True, False])
@pytest.mark.parametrize(
    "machine",
    ["random", ["zen3", "neoverse-n1", "random"], [str(Path(__file__).parents[2] / "data/machines/sse.json")]],
)
def test_an_episode_has_its_problem_whoever_chose_it(machine: str | list[str], outside: bool) -> None:
    made = gymnasium.make("polyloop/Cursor-v1", evaluator="model", machine=machine, length=6)
    recorder = Recorder(made) if outside else Recorder(Iterate(made, PROBLEMS))
    _played(Iterate(recorder, PROBLEMS) if outside else recorder, 6)
    episodes = [Episode.from_json(episode.to_json()) for episode in recorder.episodes]
    assert len({episode.options["machine"] for episode in episodes}) > 1 or isinstance(machine, list)
    assert [str(episode.options["workload"]) for episode in episodes] == 2 * ["gemm", "MM-64", "mvt"]
    assert [replay(episode).reward for episode in episodes] == [episode.reward for episode in episodes]


@pytest.mark.parametrize("limit", [3, 90])
def test_a_limit_of_steps_is_an_argument(limit: int) -> None:
    env = Recorder(gymnasium.make("polyloop/Cursor-v1", evaluator="model", max_episode_steps=limit))
    env.reset(seed=0)
    while not env.episodes:
        env.step(np.int64(1))
    (episode,) = env.episodes
    assert len(episode.actions) == min(limit, 16)
    assert replay(Episode.from_json(episode.to_json())).compared


def test_a_problem_of_schedules_is_recorded_with_its_episode() -> None:
    made = gymnasium.make("polyloop/Explore-v0", kernel="mvt", evaluator="model")
    recorder = Recorder(Curriculum(made, [[{"kernel": "gemm"}], [{"kernel": "mvt"}]], enough=-10.0, episodes=1))
    _played(recorder, 3)
    assert {episode.options["kernel"] for episode in recorder.episodes} == {"gemm", "mvt"}
    for episode in recorder.episodes:
        assert replay(episode).reward == episode.reward


@pytest.mark.parametrize("outside", [True, False])
def test_what_begins_in_the_middle_is_left_out(outside: bool) -> None:
    made = gymnasium.make("polyloop/Cursor-v1", evaluator="model", length=6)
    recorder = Recorder(made if outside else Restart(made, 0.5))
    _played(Restart(recorder, 0.5) if outside else recorder, 20)
    assert 0 < len(recorder.episodes) < 20
    for episode in recorder.episodes:
        assert replay(episode).reward == episode.reward


def test_an_illegal_action_is_part_of_an_episode() -> None:
    env = Recorder(gymnasium.make("polyloop/Construct-v0", kernel="mvt", evaluator="model"))
    env.reset(seed=0)
    env.step(np.int64(2))
    env.step(np.int64(2))
    (episode,) = env.episodes
    assert (episode.actions, episode.reward) == ((2, 2), -1.0)
    assert replay(episode).reward == -1


def test_what_did_not_end_is_no_episode() -> None:
    env = Recorder(gymnasium.make("polyloop/Construct-v0", kernel="mvt", evaluator="model"))
    env.reset(seed=0)
    env.step(np.int64(2))
    env.reset(seed=0)
    assert env.episodes == []


def test_measured_rewards_are_not_compared() -> None:
    (episode,) = recorded("polyloop/Construct-v0", 0).episodes
    arguments = {"kernel": "mvt", "evaluator": "inprocess", "sizes": "MINI"}
    played = replay(replace(episode, arguments=arguments, reward=123.0))
    assert not played.compared
    assert played.reward > 0


def test_differences_are_named() -> None:
    (episode,) = recorded("polyloop/Construct-v0", 0).episodes
    for change, message in (
        ({"actions": episode.actions[:-1]}, r"has not ended after its \d+ actions"),
        ({"actions": (*episode.actions, 0)}, r"it ends before action \d+ of \d+"),
        ({"reward": episode.reward + 1}, "its reward is"),
        ({"state": [1, 2, 3]}, r"it ends in state \[.*\], not \[1, 2, 3\]"),
        ({"actions": (2, 2)}, r"dimension 1 carries dependence 1 already"),
        ({"polyloop": "0.0.1", "reward": 7.0}, r"recorded by polyloop 0\.0\.1, this is"),
        ({"environment": "polyloop/Nothing-v0"}, "no environment of polyloop; there are polyloop/Construct-v0"),
        ({"environment": "CartPole-v1"}, "'CartPole-v1' is no environment of polyloop"),
        ({"arguments": {"colour": "red"}}, "polyloop/Construct-v0 cannot be made"),
    ):
        with pytest.raises(ReplayError, match=message):
            replay(replace(episode, **change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2: this version reads format 1"),
        ({"actions": "up"}, "actions is 'up'"),
        ({"actions": [1.5]}, "actions are not all integers"),
        ({"seed": True}, "seed is True"),
        ({"seed": -1}, "seed is -1"),
        ({"reward": float("nan")}, "reward is nan"),
        ({"actions": [1 << 80]}, "actions are not all integers"),
        ({"reward": None}, "reward is None"),
        ({"state": ...}, "state missing"),
    ],
)
def test_wrong_files_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    (episode,) = recorded("polyloop/Construct-v0", 0).episodes
    data = {key: value for key, value in (json.loads(episode.to_json()) | change).items() if value is not ...}
    path = tmp_path / "wrong.jsonl"
    path.write_text(f"{episode.to_json()}\n\n{json.dumps(data)}\n")
    with pytest.raises(ReplayError, match=rf"wrong\.jsonl:3: .*{message}"):
        load(path)


@pytest.mark.parametrize(
    ("text", "message"), [("{", "no JSON"), ("[" * 100_000, "no JSON"), ("[]", "a JSON object is expected")]
)
def test_what_is_no_episode_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(text)
    with pytest.raises(ReplayError, match=message):
        load(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"nothing\.jsonl: cannot be read"):
        load(tmp_path / "nothing.jsonl")


def test_what_has_no_name_or_no_json_cannot_be_recorded(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"make it with gymnasium\.make"):
        Recorder(ConstructEnv("mvt", evaluator="model"))
    with pytest.raises(ReplayError, match="'CartPole-v1' is no environment of polyloop"):
        Recorder(gymnasium.make("CartPole-v1"))
    env = Recorder(gymnasium.make("polyloop/Construct-v0", kernel="mvt", evaluator=CostModel()))
    env.reset(seed=0)
    env.step(np.int64(2))
    env.step(np.int64(2))
    with pytest.raises(ReplayError, match="give arguments that are JSON"):
        env.save(tmp_path / "episodes.jsonl")


def test_a_file_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gymnasium imports the module before a colon."""
    (episode,) = recorded(IDS[0], 0).episodes
    (tmp_path / "evil_module.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ReplayError, match="is no environment of polyloop"):
        replay(replace(episode, environment=f"evil_module:{IDS[0]}"))
