"""Recorded episodes as datasets of Minari, and back: what others train on without an environment.

`exported` plays episodes of `polyloop.envs.replay` once more, and keeps what was seen, done and paid; `imported` plays
a dataset's actions, whoever collected it, and makes episodes of them.

References:
    Younis et al., "Minari", 2024, https://minari.farama.org.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from math import isclose
from typing import Any, SupportsFloat

import gymnasium
import numpy as np

from polyloop.envs.replay import DETERMINISTIC, Episode, Recorder, ReplayError, made, play, version_here
from polyloop.support.libraries import optional

_ROUNDING = 1e-6
"""Rewards are compared to so many digits: collectors may keep them as float32."""


def exported(episodes: Sequence[Episode], name: str, **about: Any) -> Any:
    """The episodes as a new dataset on this machine (in ``MINARI_DATASETS_PATH``): a `minari.MinariDataset`.

    Args:
        episodes: of one environment with one set of arguments.
        name: such as "polyloop/cursor/walks-v0".
        about: what `minari.create_dataset_from_buffers` takes besides: author, author_email, code_permalink (Minari
            warns of those that are missing), algorithm_name, description.
    Raises:
        ReplayError: for no episodes, for those of several environments, for what does not play as it was recorded, and
            for a name that Minari does not take, or that a dataset has already.
        PolyloopError: if Minari is not installed.
    """
    library, buffer = _minari(), _minari(".data_collector.episode_buffer").EpisodeBuffer
    if not episodes or any((e.environment, e.arguments) != _kind(episodes[0]) for e in episodes):
        raise ReplayError("a dataset is of one environment with one set of arguments, and has an episode at least")
    buffers = []
    for episode in episodes:
        with closing(_Watched(made(episode))) as env:
            play(env, episode)
            buffers.append(buffer(seed=episode.seed, options=dict(episode.options), **env.columns()))
    words = {"description": f"walks in {episodes[0].environment}", "requirements": [f"polyloop=={version_here()}"]}
    given = words | {"env": env.env.spec, "eval_env": env.env.spec} | about
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    try:
        return library.create_dataset_from_buffers(
            name, buffers, data_format="arrow", jpeg_encoding=False, **spaces, **given
        )
    except (ValueError, OSError) as error:
        raise ReplayError(f"the dataset {name} cannot be made: {error}") from error


def imported(name: str) -> tuple[Episode, ...]:
    """The episodes of a dataset on this machine, played again.

    Raises:
        ReplayError: if there is no such dataset, if it is of no environment of polyloop, or if its actions do not come
            to an end or, with a deterministic evaluator, to other rewards.
        PolyloopError: if Minari is not installed, or if the environment cannot be made.
    """
    try:
        dataset = _minari().load_dataset(name)
    except (ValueError, OSError) as error:
        raise ReplayError(f"the dataset {name} cannot be read: {error}") from error
    if dataset.env_spec is None:
        raise ReplayError(f"the dataset {name} does not say of which environment it is")
    known = dataset.storage.get_episode_metadata(range(len(dataset)))
    return tuple(_played(dataset.env_spec, data, about) for data, about in zip(dataset, known, strict=True))


def _played(spec: Any, data: Any, about: dict[str, Any]) -> Episode:
    actions = tuple(int(action) for action in data.actions)
    options, seed = about.get("options") or {}, about.get("seed")
    limit = {} if spec.max_episode_steps is None else {"max_episode_steps": spec.max_episode_steps}
    given = Episode(spec.id, {**spec.kwargs, **limit}, options, seed, actions, 0.0, None, version_here())
    compared = given.arguments.get("evaluator") == DETERMINISTIC
    with closing(Recorder(made(given))) as env:
        env.reset(seed=seed, options=options)
        for number, (action, paid) in enumerate(zip(actions, data.rewards, strict=True), start=1):
            reward = float(env.step(np.int64(action))[1])
            if compared and not isclose(reward, float(paid), rel_tol=_ROUNDING, abs_tol=_ROUNDING):
                raise ReplayError(f"episode {data.id}: action {number} pays {reward!r}, not {float(paid)!r}")
        if not env.episodes:
            raise ReplayError(f"episode {data.id} has not ended after its {len(actions)} actions")
        return env.episodes[0]


def _kind(episode: Episode) -> tuple[str, Any]:
    return episode.environment, episode.arguments


class _Watched(gymnasium.Wrapper[Any, np.int64, Any, np.int64]):
    """Keeps what an episode shows and pays."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        self._seen: list[Any] = [observation]
        self._steps: list[tuple[np.int64, float, bool, bool]] = []
        return observation, info

    def step(self, action: np.int64) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._seen.append(observation)
        self._steps.append((action, float(reward), terminated, truncated))
        return observation, reward, terminated, truncated, info

    def columns(self) -> dict[str, Any]:
        """As `minari.data_collector.EpisodeBuffer` has them."""
        seen = self._seen
        parts = {k: [each[k] for each in seen] for k in seen[0]} if isinstance(seen[0], dict) else seen
        names = ("actions", "rewards", "terminations", "truncations")
        return {"observations": parts} | dict(zip(names, map(list, zip(*self._steps, strict=True)), strict=True))


def _minari(module: str = "") -> Any:
    return optional(f"minari{module}", "minari", "minari", "a dataset of Minari")
