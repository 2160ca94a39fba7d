"""Walks become datasets of Minari, and come back as they were."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import polyloop  # noqa: F401 (registers the environments)
from polyloop.envs import offline
from polyloop.envs.offline import exported, imported
from polyloop.envs.replay import Episode, Recorder, ReplayError
from polyloop.support.libraries import MissingLibraryError

needs_minari = pytest.mark.skipif(importlib.util.find_spec("minari") is None, reason="needs the extra minari")
ABOUT = {
    "author": "a",
    "author_email": "a@example.org",
    "code_permalink": "https://example.org",
    "algorithm_name": "random",
}
PRODUCTS = [{"einsum": "mk,kn->mn", "sizes": {"m": m, "n": 96, "k": 48}} for m in (64, 80)]


def walks(observation: str, **more: Any) -> list[Episode]:
    arguments: dict[str, Any] = {
        "evaluator": "model",
        "machine": "zen3",
        "length": 4,
        "observation": observation,
    } | more
    env = Recorder(gymnasium.make("polyloop/Cursor-v1", **arguments))
    for seed, product in enumerate(PRODUCTS):
        _, info = env.reset(seed=seed, options={"workload": product})
        env.action_space.seed(seed)
        ended = False
        while not ended:
            _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            ended = terminated or truncated
    env.close()  # type: ignore[no-untyped-call]
    return env.episodes


@needs_minari
@pytest.mark.parametrize("observation", ["vector", "rows", "graph"])
def test_walks_come_back(observation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    episodes = walks(observation)
    dataset = exported(episodes, "polyloop/cursor/walks-v0", **ABOUT)
    assert dataset.total_steps == sum(len(episode.actions) for episode in episodes)
    assert imported("polyloop/cursor/walks-v0") == tuple(episodes)
    env = dataset.recover_environment()
    for data, episode in zip(dataset, episodes, strict=True):
        seen, _ = env.reset(seed=episode.seed, options=dict(episode.options))
        for number, action in enumerate((*episode.actions, None)):
            for name, array in seen.items() if isinstance(seen, dict) else [("", seen)]:
                kept = data.observations[name] if name else data.observations
                np.testing.assert_array_equal(kept[number], array)
            if action is not None:
                seen = env.step(action)[0]
    env.close()


@needs_minari
def test_walks_of_so_many_steps_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = Recorder(gymnasium.make("polyloop/Cursor-v1", evaluator="model", max_episode_steps=2))
    env.reset(seed=0)
    for _ in range(2):
        env.step(np.int64(1))
    exported(env.episodes, "polyloop/cursor/short-v0", **ABOUT)
    assert imported("polyloop/cursor/short-v0") == tuple(env.episodes)


@needs_minari
def test_what_pays_otherwise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    with pytest.raises(ReplayError, match="one environment"):
        exported([*walks("vector"), *walks("rows")], "polyloop/cursor/mixed-v0")
    with pytest.raises(ReplayError, match="one environment"):
        exported([], "polyloop/cursor/none-v0")
    real = offline._Watched.columns
    monkeypatch.setattr(offline._Watched, "columns", lambda env: real(env) | {"rewards": [1.0] * len(env._steps)})
    exported(walks("vector"), "polyloop/cursor/wrong-v0", **ABOUT)
    with pytest.raises(ReplayError, match=r"episode 0: action 1 pays .*, not 1\.0"):
        imported("polyloop/cursor/wrong-v0")


@needs_minari
def test_names_that_cannot_be_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    episodes = walks("vector")
    exported(episodes, "polyloop/cursor/walks-v0", **ABOUT)
    for name, why in (("polyloop/cursor/walks-v0", "already exists"), ("walks in loops", "Malformed")):
        with pytest.raises(ReplayError, match=f"the dataset {name} cannot be made: .*{why}"):
            exported(episodes, name, **ABOUT)
    with pytest.raises(ReplayError, match="the dataset polyloop/nothing-v0 cannot be read"):
        imported("polyloop/nothing-v0")


def test_without_minari_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(MissingLibraryError, match=r"polyloop\[minari\]"):
        imported("polyloop/cursor/walks-v0")
