"""Episodes as files: one JSON object a line, which plays the episode again and checks that it ends as it did.

    {"format": 1, "polyloop": "0.1.0", "environment": "polyloop/Construct-v0", "arguments": {"kernel": "gemm", ...},
     "options": {}, "seed": 0, "actions": [2, 1, 2], "reward": 1.25, "state": [1, 2, 1, 1]}

`Recorder` writes them, `load` reads them, `replay` plays one. Rewards are compared where they are deterministic, that
is with the argument ``evaluator="model"``; states always.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium
import numpy as np

from polyloop.backend.run.kept_files import our_version
from polyloop.envs.base import ProcessEnv
from polyloop.errors import PolyloopError
from polyloop.registration import ENVIRONMENTS
from polyloop.support.files import write_atomically

FORMAT = 1
"""Of the files; others are refused."""

DETERMINISTIC = "model"
"""The evaluator whose rewards are compared."""


_MOST = 1 << 62

_ROUNDING = 1e-9
"""Mathematical functions differ so much from machine to machine."""


class ReplayError(PolyloopError):
    """An episode that is no episode, or that does not end as it did; the message says which and why."""


@dataclass(frozen=True)
class Episode:
    """A played episode.

    Attributes:
        environment: its id in Gymnasium's registry.
        arguments: of `gymnasium.make`.
        options: of `reset`, which name the problem.
        seed: of `reset`, or None.
        reward: the sum of all rewards.
        state: ``info["state"]`` at the end, as JSON gives it back.
        polyloop: the version that recorded it.
    """

    environment: str
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int | None
    actions: tuple[int, ...]
    reward: float
    state: Any
    polyloop: str

    def to_json(self) -> str:
        """One line, without its end.

        Raises:
            ReplayError: if arguments or options are no JSON (an evaluator that was given as an object).
        """
        try:
            return json.dumps({"format": FORMAT} | vars(self))
        except TypeError as error:
            raise ReplayError(f"this episode cannot be written: {error}; give arguments that are JSON") from error

    @classmethod
    def from_json(cls, text: str) -> Episode:
        """What `to_json` wrote.

        Raises:
            ReplayError: for anything else; says what is wrong.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ReplayError(f"no JSON: {error}") from error
        if not isinstance(data, dict):
            raise ReplayError("no episode: a JSON object is expected")
        if data.get("format") != FORMAT:
            raise ReplayError(f"format {data.get('format')!r}: this version reads format {FORMAT}")
        missing = [name for name in (*_TYPES, "state") if name not in data]
        if missing:
            raise ReplayError(f"no episode: {', '.join(missing)} missing")
        for name, types in _TYPES.items():
            if not isinstance(data[name], types) or isinstance(data[name], bool):
                raise ReplayError(f"{name} is {data[name]!r}")
        actions = data["actions"]
        if not all(type(action) is int and 0 <= action < _MOST for action in actions):
            raise ReplayError("actions are not all integers that an action can be")
        if data["seed"] is not None and data["seed"] < 0:
            raise ReplayError(f"seed is {data['seed']}")
        if not abs(data["reward"]) < _MOST:
            raise ReplayError(f"reward is {data['reward']}")
        fields = {name: data[name] for name in _TYPES} | {"actions": tuple(actions), "state": data["state"]}
        return cls(**fields)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "environment": (str,),
    "arguments": (dict,),
    "options": (dict,),
    "seed": (int, type(None)),
    "actions": (list,),
    "reward": (int, float),
    "polyloop": (str,),
}


class Recorder(gymnasium.Wrapper[Any, np.int64, Any, np.int64]):
    """Keeps the episodes that are played in an environment made by `gymnasium.make`, with the problem that each was of,
    whoever chose it. What does not begin at its problem's beginning (`polyloop.envs.wrappers.Restart`) is left out: no
    reset leads there.

    Attributes:
        episodes: those that have ended, oldest first.
    """

    _seed: int | None
    _ended: bool
    _actions: list[int]
    _reward: float

    def __init__(self, env: gymnasium.Env[Any, np.int64]) -> None:
        if env.spec is None:
            raise ReplayError("an environment without a name cannot be recorded; make it with gymnasium.make")
        super().__init__(env)
        if not isinstance(env.unwrapped, ProcessEnv):
            raise ReplayError(f"{env.spec.id!r} is no environment of polyloop; there are {', '.join(ENVIRONMENTS)}")
        self._inner = env.unwrapped
        self.episodes: list[Episode] = []
        self._name, self._arguments = env.spec.id, dict(env.spec.kwargs)
        own = None if self._inner.spec is None else self._inner.spec.max_episode_steps
        if (limit := env.spec.max_episode_steps) != own:  # what `gymnasium.make` was told
            self._arguments["max_episode_steps"] = limit
        self._begin(None)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As of the environment; what has not ended is forgotten."""
        result = self.env.reset(seed=seed, options=options)
        self._begin(seed)
        return result

    def step(self, action: np.int64) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """As of the environment."""
        if not self._actions and self._inner.state().state != self._inner.process.initial():
            self._ended = True
        observation, reward, terminated, truncated, info = self.env.step(action)
        if not self._ended:
            self._actions.append(int(action))
            self._reward += float(reward)
            if terminated or truncated:
                self._ended = True
                self.episodes.append(self._episode(info["state"]))
        return observation, reward, terminated, truncated, info

    def save(self, path: Path | str) -> None:
        """Write all episodes, one a line.

        Raises:
            ReplayError: if the environment's arguments are no JSON.
            OSError: if the file cannot be written.
        """
        write_atomically(path, "".join(f"{episode.to_json()}\n" for episode in self.episodes))

    def _begin(self, seed: int | None) -> None:
        self._seed, self._ended, self._actions, self._reward = seed, False, [], 0.0

    def _episode(self, state: object) -> Episode:
        actions, state = tuple(self._actions), _plain(state)
        options = self._inner.options()
        return Episode(self._name, self._arguments, options, self._seed, actions, self._reward, state, version_here())


@dataclass(frozen=True)
class Replayed:
    """How an episode went when it was played again.

    Attributes:
        reward: the sum of all rewards now.
        compared: whether it had to equal the recorded one.
        info: of the last step.
    """

    reward: float
    compared: bool
    info: Mapping[str, Any]


def load(path: Path | str) -> tuple[Episode, ...]:
    """The episodes of a file.

    Raises:
        ReplayError: if it cannot be read, or a line is no episode; names the line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError(f"{path}: cannot be read: {error}") from error
    episodes = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                episodes.append(Episode.from_json(line))
            except ReplayError as error:
                raise ReplayError(f"{path}:{number}: {error}") from error
    return tuple(episodes)


def replay(episode: Episode) -> Replayed:
    """Play an episode again in an environment of its own.

    Raises:
        ReplayError: if it is of an environment that is not polyloop's, if an action is not legal, if it ends too early
            or not at all, or ends in another state, or, with a deterministic evaluator, with another reward.
        PolyloopError: if the environment cannot be made.
    """
    with closing(made(episode)) as env:
        return play(env, episode)


def made(episode: Episode) -> gymnasium.Env[Any, np.int64]:
    """A new environment for an episode.

    Raises:
        ReplayError: if it is none of polyloop's, or cannot be made.
        PolyloopError: likewise.
    """
    # Gymnasium imports whatever module stands before a colon.
    if episode.environment not in ENVIRONMENTS:
        raise ReplayError(f"{episode.environment!r} is no environment of polyloop; there are {', '.join(ENVIRONMENTS)}")
    try:
        return gymnasium.make(episode.environment, **episode.arguments)
    except (gymnasium.error.Error, TypeError) as error:
        raise ReplayError(f"{episode.environment} cannot be made: {error}") from error


def play(env: gymnasium.Env[Any, np.int64], episode: Episode) -> Replayed:
    """As `replay`, in an environment that was made for the episode."""
    try:
        _, info = env.reset(seed=episode.seed, options=dict(episode.options))
    except (gymnasium.error.Error, TypeError) as error:
        raise ReplayError(f"{episode.environment} cannot be reset: {error}") from error
    total, ended = 0.0, False
    for number, action in enumerate(episode.actions, start=1):
        if ended:
            raise _differs(episode, f"it ends before action {number} of {len(episode.actions)}")
        _, reward, terminated, truncated, info = env.step(np.int64(action))
        total, ended = total + float(reward), terminated or truncated
    if not ended:
        raise _differs(episode, f"it has not ended after its {len(episode.actions)} actions")
    state = _plain(info["state"])
    if state != episode.state:
        why = f": {info['illegal_action']}" if "illegal_action" in info else ""
        raise _differs(episode, f"it ends in state {state}, not {episode.state}{why}")
    compared = episode.arguments.get("evaluator") == DETERMINISTIC
    if compared and not isclose(total, episode.reward, rel_tol=_ROUNDING):
        raise _differs(episode, f"its reward is {total!r}, not {episode.reward!r}")
    return Replayed(total, compared, info)


def _differs(episode: Episode, what: str) -> ReplayError:
    here = version_here()
    hint = "" if here == episode.polyloop else f" (recorded by polyloop {episode.polyloop}, this is {here})"
    return ReplayError(f"the episode of {episode.environment} differs: {what}{hint}")


def _plain(value: object) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))


def version_here() -> str:
    """The installed version of polyloop, as episodes name it."""
    return our_version() or "of a source tree"
