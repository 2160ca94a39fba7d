"""Many environments stepped together, as the learners want them: samples, masks, rewards, ended episodes.

Gymnasium's vector environments do the stepping, in this process or in one process each. A wrapper draws the problem of
every episode (a kernel, a workload) from a list, with the environment's own random numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from numpy.typing import NDArray

from polyloop.cursor.actions import Actions
from polyloop.envs.wrappers import Restart
from polyloop.errors import PolyloopError
from polyloop.gnn.samples import Sample, sample_of, samples_of
from polyloop.registration import CURSOR, CURSOR_1, ENVIRONMENTS, register
from polyloop.shipped.families import CASES, drawn_problems, split
from polyloop.shipped.workloads import Workload, workload_set

Problem = Mapping[str, Any]
"""Options of `reset` that choose a problem, such as ``{"kernel": "gemm"}``. Or many: ``{"set": "mm64_256_16",
"without": ["operators"]}`` is the part of a set of workloads that is for training, less what other sets have, too;
``{"split": "family", "seed": 0, "each": 4}`` what a split of `polyloop.shipped.families` has to train on,
``{"drawn": 1000, "seed": 0}`` programs of no family. With ``"machine": "random"`` all are for that machine."""


class Problems(gymnasium.Wrapper[Any, np.int64, Any, np.int64]):
    """Every episode another problem: an entry drawn evenly, and where it stands for many, one of them."""

    def __init__(self, environment: gymnasium.Env[Any, np.int64], problems: Sequence[Problem]) -> None:
        super().__init__(environment)
        self._problems = [choices_of(problem) for problem in problems]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.unwrapped.np_random = np.random.default_rng(seed)
        if options is None and self._problems:
            random = self.unwrapped.np_random
            choices = self._problems[int(random.integers(len(self._problems)))]
            options = dict(choices[int(random.integers(len(choices)))])
        return self.env.reset(options=options)


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
        bootstrap: what truncates an episode, a limit of steps, cuts it off without ending it: the value of where it
            stood still counts. False: the limit belongs to the task, and nothing is worth anything behind it, as with
            LoopTune's ten steps, whose discount of 1 gives no reason not to dawdle otherwise. No observation of
            Cursor-v0 has the steps that are left, so that values are then means over them
            (`gymnasium.wrappers.TimeAwareObservation` shows them). None: False in Cursor-v0, True elsewhere.

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

    @property
    def bootstraps(self) -> bool:
        """Whether the value of where an episode was cut off counts."""
        return self.id != CURSOR if self.bootstrap is None else self.bootstrap

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
            PolyloopError: for an id that nobody has registered, or arguments that its environment does not take.
        """
        register()
        try:
            made: gymnasium.Env[Any, np.int64] = gymnasium.make(self.id, disable_env_checker=True, **self.arguments)
        except gymnasium.error.Error as error:
            known = ", ".join(ENVIRONMENTS)
            raise EnvironmentSettingsError(f"no environment {self.id!r}: {error} polyloop has {known}") from error
        except TypeError as error:
            if (unknown := re.search(r"unexpected keyword argument '(\w+)'", str(error))) is None:
                raise
            raise EnvironmentSettingsError(f"{self.id} takes no argument {unknown[1]!r}") from error
        return Problems(Restart(made, self.restarts) if self.restarts else made, self.problems)


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
        makers = [partial(settings.make) for _ in range(settings.count)]
        kind = AsyncVectorEnv if settings.processes else SyncVectorEnv
        self._vector: VectorEnv[Any, Any, Any] = kind(makers, autoreset_mode=AutoresetMode.SAME_STEP)
        self._sums = np.zeros(settings.count)
        self.actions = int(self._vector.single_action_space.n)  # type: ignore[attr-defined]
        self.inputs = _inputs(self._vector.single_observation_space)
        self.context = _context(self._vector.single_observation_space)

    def reset(self, seed: int) -> Seen:
        """Begin new episodes; everything that follows depends on the seed and the actions alone."""
        observations, infos = self._vector.reset(seed=seed)
        self._sums[:] = 0
        nothing = np.zeros(self.settings.count)
        return Seen(samples_of(observations), _masks(infos), nothing.astype(np.float32), nothing.astype(np.bool_))

    def step(self, actions: Sequence[int]) -> Seen:
        """One action in each environment."""
        observations, rewards, terminated, truncated, infos = self._vector.step(np.array(actions))
        ended = terminated | truncated
        self._sums += rewards
        returns = tuple(self._sums[ended].tolist())
        self._sums[ended] = 0
        cut = np.flatnonzero(truncated & ~terminated) if self.settings.bootstraps else ()
        last = {int(k): (sample_of(infos["final_obs"][k]), _masks(infos["final_info"])[k]) for k in cut}
        return Seen(samples_of(observations), _masks(infos), rewards.astype(np.float32), ended, returns, last)

    def close(self) -> None:
        self._vector.close()


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
