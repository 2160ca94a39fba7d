"""Many environments stepped together, as the learners want them: samples, masks, rewards, ended episodes.

They are stepped one by one, or in one process each by Gymnasium's vector environments. A wrapper draws the problem of
every episode (a kernel, a workload) from a list, with the environment's own random numbers.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from os import getpid
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from numpy.typing import NDArray

from polyloop.cursor.actions import Actions
from polyloop.envs.wrappers import Restart
from polyloop.errors import PolyloopError
from polyloop.gnn.samples import Sample, sample_of, samples_of
from polyloop.graphs.context import CONTEXT
from polyloop.registration import CURSOR, CURSOR_1, CURSORS, ENVIRONMENTS, register
from polyloop.shipped.families import CASES, drawn_problems, split
from polyloop.shipped.workloads import Workload, workload_set

Problem = Mapping[str, Any]
"""Options of `reset` that choose a problem, such as ``{"kernel": "gemm"}``. Or many: ``{"set": "mm64_256_16",
"without": ["operators"]}`` is the part of a set of workloads that is for training, less what other sets have, too;
``{"split": "family", "seed": 0, "each": 4}`` what a split of `polyloop.shipped.families` has to train on,
``{"drawn": 1000, "seed": 0}`` programs of no family. With ``"machine": "random"`` all are for that machine."""


class Problems(gymnasium.Wrapper[Any, np.int64, Any, np.int64]):
    """Every episode another problem: an entry drawn evenly, and where it stands for many, one of them.

    Args:
        row: episodes of each problem, on the same machine, before the next is drawn. To make a problem ready takes as
            long as some episodes, and what was worked out for one serves the others.
    """

    def __init__(self, environment: gymnasium.Env[Any, np.int64], problems: Sequence[Problem], row: int = 1) -> None:
        super().__init__(environment)
        self._problems = [choices_of(problem) for problem in problems]
        self._row, self._left = row, 0
        self._first: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        inner: Any = self.unwrapped
        if seed is not None:
            inner.np_random = np.random.default_rng(seed)
        elif options is None and self._left:
            self._left -= 1
            inner.restore(replace(self._first, random=inner.state().random))
            return inner.observation(), inner.information()
        if options is None and self._problems:
            choices = self._problems[int(inner.np_random.integers(len(self._problems)))]
            options = dict(choices[int(inner.np_random.integers(len(choices)))])
        begun = self.env.reset(options=options)
        if self._row > 1:
            self._first, self._left = inner.state(), self._row - 1
        return begun


def training_problems(name: str, without: Sequence[str] = ()) -> tuple[Workload, ...]:
    """The workloads of a set that may be trained on.

    Args:
        without: other sets; a workload that is the same program at the same sizes as one of theirs is left out.
    Raises:
        PolyloopError: if there is no such set, or nothing is left.
    """
    held = {(w.expression, w.sizes) for other in without for w in workload_set(other).problems}
    left = tuple(w for w in workload_set(name).train if (w.expression, w.sizes) not in held)
    if not left:
        raise PolyloopError(f"nothing is left of the set {name!r} without {', '.join(without)}")
    return left


def choices_of(problem: Problem) -> tuple[Problem, ...]:
    """The options of `reset` that an entry stands for."""
    return _choices_of(json.dumps(problem))


@lru_cache(maxsize=64)
def _choices_of(text: str) -> tuple[Problem, ...]:
    problem: Problem = json.loads(text)
    seed = problem.get("seed", 0)
    chosen: Iterable[Problem]
    if "split" in problem:
        chosen = (case.options for case in split(problem["split"], seed, problem.get("each", CASES)).train)
    elif "drawn" in problem:
        chosen = (drawn.options for drawn in drawn_problems(problem["drawn"], seed))
    elif "set" in problem:
        chosen = ({"workload": w.name} for w in training_problems(problem["set"], problem.get("without", ())))
    else:
        return (problem,)
    if "machine" not in problem:
        return tuple(chosen)
    # A split has every problem on every machine: on one machine it counts once.
    return tuple({str(entry): entry for entry in (dict(o) | {"machine": problem["machine"]} for o in chosen)}.values())


class EnvironmentSettingsError(PolyloopError):
    """Settings that no environment has; the message says which."""


@dataclass(frozen=True)
class EnvironmentSettings:
    """Which environments a learner gets.

    Attributes:
        id: in Gymnasium's registry.
        arguments: of `gymnasium.make`.
        problems: what episodes are drawn from, every entry as often; empty for the one problem of the arguments.
        count: how many environments are stepped together.
        processes: True gives each a process of its own.
        restarts: the share of episodes that begin where an earlier one has been, see `polyloop.envs.wrappers.Restart`.
        row: episodes of one problem in a row, see `Problems`.
        bootstrap: what truncates an episode, a limit of steps, cuts it off without ending it: the value of where it
            stood still counts. False: the limit belongs to the task, and nothing is worth anything behind it, as with
            LoopTune's ten steps, whose discount of 1 gives no reason not to dawdle otherwise. No observation of
            Cursor-v0 has the steps that are left, so that values are then means over them
            (`gymnasium.wrappers.TimeAwareObservation` shows them). None: False in Cursor-v0, and in Cursor-v1 where
            returns are of the best: policies are tried in as many steps, which they see, and no value of a state with
            none left is ever learnt. True elsewhere.

    References:
        Pardo et al., "Time Limits in Reinforcement Learning", ICML 2018: sections 3 (True) and 2 (False).
    """

    id: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    count: int = 4
    processes: bool = False
    bootstrap: bool | None = None
    restarts: float = 0.0
    row: int = 1

    @property
    def bootstraps(self) -> bool:
        """Whether the value of where an episode was cut off counts."""
        if self.bootstrap is not None:
            return self.bootstrap
        return self.id != CURSOR and not self.best

    @property
    def best(self) -> bool:
        """An episode of Cursor-v1 is worth the best of its states."""
        return self.id == CURSOR_1 and self.arguments.get("returns") == "best"

    @property
    def cursor_actions(self) -> Actions:
        """Those that a policy trained in these environments of the cursor knows."""
        return Actions.of_arguments(self.arguments, stop=self.id == CURSOR_1)

    @property
    def cursor_length(self) -> int:
        """Steps of an episode of the cursor."""
        return int(self.arguments.get("length", 10 if self.id == CURSOR else 16))

    def make(self) -> gymnasium.Env[Any, np.int64]:
        """One environment.

        Raises:
            PolyloopError: for an id that nobody has registered, or arguments that its environment does not take, among
                them Gymnasium's limit of steps, which no observation has.
        """
        register()
        # Arguments may fit no other kernel than those of the episodes, let alone the default one.
        kernels = [problem["kernel"] for problem in self.problems if "kernel" in problem and self.id not in CURSORS]
        given = {"kernel": kernels[0], **self.arguments} if kernels else self.arguments
        if "max_episode_steps" in given:
            raise EnvironmentSettingsError(
                f"max_episode_steps={given['max_episode_steps']!r}: a limit that {self.id} knows nothing of counts on "
                "where episodes of one problem follow each other; its own argument is length, where it has a limit"
            )
        try:
            made: gymnasium.Env[Any, np.int64] = gymnasium.make(self.id, disable_env_checker=True, **given)
        except gymnasium.error.Error as error:
            known = ", ".join(ENVIRONMENTS)
            raise EnvironmentSettingsError(f"no environment {self.id!r}: {error} polyloop has {known}") from error
        except TypeError as error:
            if (unknown := re.search(r"unexpected keyword argument '(\w+)'", str(error))) is None:
                raise
            raise EnvironmentSettingsError(f"{self.id} takes no argument {unknown[1]!r}") from error
        drawn = Problems(made, self.problems, self.row)
        return Restart(drawn, self.restarts) if self.restarts else drawn


@dataclass(frozen=True)
class Seen:
    """What the environments show.

    Attributes:
        samples: an observation of each.
        masks: legal actions; shape (count, actions).
        rewards, ended: of the step that led here; shape (count,). Where an episode ended, sample and mask are the first
            of the next.
        returns: of the episodes that ended.
        cut: where an episode was only cut off, by number: what its environment showed last, and what was legal there.
    """

    samples: list[Sample]
    masks: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    returns: tuple[float, ...] = ()
    cut: Mapping[int, tuple[Sample, NDArray[np.bool_]]] = field(default_factory=dict)


class Environments:
    """Steps the environments of some settings together.

    Attributes:
        actions: how many there are.
        inputs: shape of an observation that is one array, or of its rows; empty for graphs.
        context: how many features there are beside graphs and rows.
    """

    def __init__(self, settings: EnvironmentSettings) -> None:
        self.settings = settings
        self._best = settings.best
        makers = [partial(settings.make) for _ in range(settings.count)]
        self._stepping = _Processes(makers) if settings.processes else _Here(makers)
        self._sums = np.zeros(settings.count)
        self.actions = int(self._stepping.action_space.n)  # type: ignore[union-attr]
        self.inputs = _inputs(self._stepping.observation_space)
        self.context = _context(self._stepping.observation_space)

    def reset(self, seed: int) -> Seen:
        """Begin new episodes; everything that follows depends on the seed and the actions alone."""
        self._sums[:] = 0
        nothing = np.zeros(self.settings.count)
        samples, masks = self._stepping.reset(seed)
        return Seen(self._seen(samples), self._allowed(masks), nothing.astype(np.float32), nothing.astype(np.bool_))

    def step(self, actions: Sequence[int]) -> Seen:
        """One action in each environment."""
        stepped = self._stepping.step(actions)
        ended = stepped.terminated | stepped.truncated
        self._sums += stepped.rewards
        returns = tuple(self._sums[ended].tolist())
        self._sums[ended] = 0
        cut = np.flatnonzero(stepped.truncated & ~stepped.terminated & self.settings.bootstraps)
        ends = {k: stepped.last[k] for k in cut.tolist()}
        last = {k: (self._seen([sample])[0], self._allowed(mask[None])[0]) for k, (sample, mask) in ends.items()}
        masks, rewards = self._allowed(stepped.masks), stepped.rewards.astype(np.float32)
        return Seen(self._seen(stepped.samples), masks, rewards, ended, returns, last)

    def _allowed(self, masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Legal actions; without the last, `stop`, where returns are of the best and others are legal: nothing is lost
        by going on, and who may stop anywhere gets nowhere. The walks that policies are tried by
        (`polyloop.gnn.likely_walks`) do not stop then, either."""
        if self._best:
            masks[:, -1] = ~masks[:, :-1].any(1)
        return masks

    def _seen(self, samples: list[Sample]) -> list[Sample]:
        """Observations as whoever asks a policy has them: nobody evaluates what it comes by
        (`polyloop.gnn.observers`), so that by how much the best state was better is not known."""
        for sample in samples if self._best else ():
            (sample["context"] if "context" in sample else sample["vector"])[_AHEAD] = 0.0
        return samples

    def close(self) -> None:
        self._stepping.close()


_AHEAD = CONTEXT.index("ahead")

_Shown: TypeAlias = tuple[Sample, NDArray[np.bool_]]


@dataclass(frozen=True)
class _Stepped:
    """What environments have come to, those that ended already begun anew; `last` is where these ended."""

    samples: list[Sample]
    masks: NDArray[np.bool_]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    last: Mapping[int, _Shown]


_Makers: TypeAlias = Sequence[Callable[[], gymnasium.Env[Any, np.int64]]]


class _Here:
    """Environments of this process: nothing is copied together and taken apart again, which takes as long as the steps
    of Gymnasium's `SyncVectorEnv` with rows."""

    def __init__(self, makers: _Makers) -> None:
        self._environments = [make() for make in makers]
        self.action_space = self._environments[0].action_space
        self.observation_space = self._environments[0].observation_space

    def reset(self, seed: int) -> tuple[list[Sample], NDArray[np.bool_]]:
        begun = [_shown(*environment.reset(seed=seed + k)) for k, environment in enumerate(self._environments)]
        return [sample for sample, _ in begun], np.stack([mask for _, mask in begun])

    def step(self, actions: Sequence[int]) -> _Stepped:
        shown: list[_Shown] = []
        last: dict[int, _Shown] = {}
        rewards, over = np.zeros(len(actions)), np.zeros((2, len(actions)), np.bool_)
        for k, (environment, action) in enumerate(zip(self._environments, actions, strict=True)):
            observation, rewards[k], over[0, k], over[1, k], info = environment.step(np.int64(action))
            if over[:, k].any():
                last[k] = _shown(observation, info)
                observation, info = environment.reset()
            shown.append(_shown(observation, info))
        samples, masks = [sample for sample, _ in shown], np.stack([mask for _, mask in shown])
        return _Stepped(samples, masks, rewards, over[0], over[1], last)

    def close(self) -> None:
        for environment in self._environments:
            environment.close()  # type: ignore[no-untyped-call]


class _Processes:
    """A process for each environment."""

    def __init__(self, makers: _Makers) -> None:
        alone = [partial(_undisturbed, maker, getpid()) for maker in makers]
        self._vector: Any = AsyncVectorEnv(alone, autoreset_mode=AutoresetMode.SAME_STEP)
        self.action_space = self._vector.single_action_space
        self.observation_space = self._vector.single_observation_space

    def reset(self, seed: int) -> tuple[list[Sample], NDArray[np.bool_]]:
        observations, infos = self._vector.reset(seed=seed)
        return samples_of(observations), _masks(infos)

    def step(self, actions: Sequence[int]) -> _Stepped:
        observations, rewards, terminated, truncated, infos = self._vector.step(np.array(actions))
        over = np.flatnonzero(terminated | truncated)
        last = {int(k): (sample_of(infos["final_obs"][k]), _masks(infos["final_info"])[k]) for k in over}
        return _Stepped(samples_of(observations), _masks(infos), rewards, terminated, truncated, last)

    def close(self) -> None:
        try:
            self._vector.close()
        except (EOFError, OSError):  # some have ended already: what ends a group of processes comes to all of them
            for process in self._vector.processes:
                process.terminate()


def _undisturbed(make: Callable[[], gymnasium.Env[Any, np.int64]], parent: int) -> gymnasium.Env[Any, np.int64]:
    """An environment; in a process of its own, with interrupts left to the one that steps it."""
    if getpid() != parent:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return make()


def _shown(observation: Any, info: Mapping[str, Any]) -> _Shown:
    return sample_of(observation), _masks(info)


def _inputs(space: gymnasium.Space[Any]) -> tuple[int, ...]:
    if isinstance(space, gymnasium.spaces.Dict):
        name = next((name for name in ("observation", "rows") if name in space.spaces), None)
        return () if name is None else tuple(space[name].shape or ())
    return tuple(space.shape or ())


def _context(space: gymnasium.Space[Any]) -> int:
    there = isinstance(space, gymnasium.spaces.Dict) and "context" in space.spaces
    return int(np.prod(space["context"].shape)) if there else 0  # type: ignore[index]


def _masks(infos: Mapping[str, Any]) -> NDArray[np.bool_]:
    return np.asarray(infos["action_mask"]).astype(np.bool_)
