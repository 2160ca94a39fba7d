"""Wrappers for researchers: over which problems episodes go, in which order, and what may be done in them.

    env = gymnasium.make("polyloop/Cursor-v1", evaluator="model")
    env = Iterate(env, [case.options for case in split("family").train])

All keep `action_masks()`, `fork()`, `state()` and the other attributes of what they wrap, as ``env.unwrapped`` has
them, and masks and observations agree with what they allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from polyloop.envs.argument_checks import check_arguments, check_least, check_share, check_value
from polyloop.envs.base import ProcessEnv, Snapshot
from polyloop.envs.problems import EnvironmentArgumentError

Options: TypeAlias = Mapping[str, Any]
"""Of `reset`: a problem, and a machine where the environment takes one."""

_Wrapper: TypeAlias = gymnasium.Wrapper[Any, np.int64, Any, np.int64]


PROBLEMS = 512
"""Whose visited states `Restart` remembers: with a machine drawn for every episode there is no end of them."""


class Iterate(_Wrapper, RecordConstructorArgs):
    """Every episode the next problem, from the first to the last and over again; a seed begins with the first.

    Args:
        problems: options of `reset`.
        shuffled: in another order in every round, by the environment's random numbers.
    """

    def __init__(self, env: gymnasium.Env[Any, np.int64], problems: Sequence[Options], shuffled: bool = False) -> None:
        self._problems, self._shuffled = _problems("problems", problems), shuffled
        RecordConstructorArgs.__init__(self, problems=problems, shuffled=shuffled)
        gymnasium.Wrapper.__init__(self, env)
        _inner(self)
        self._left: list[int] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Options of the caller's come before the next problem, whose turn stays."""
        if seed is not None:
            self._left = []
            _inner(self).np_random = np.random.default_rng(seed)
        if options is not None:
            return self.env.reset(options=options)
        if not self._left:
            count = len(self._problems)
            order = _inner(self).np_random.permutation(count) if self._shuffled else np.arange(count)
            self._left = order[::-1].tolist()
        return self.env.reset(options=dict(self._problems[self._left.pop()]))


class Curriculum(_Wrapper, RecordConstructorArgs):
    """Problems of growing difficulty: the next stage begins when the last episodes were worth enough.

    Args:
        stages: problems of each stage; episodes draw from the present one.
        enough: the mean return, over `episodes` of this stage, at which the next begins.
        mixed: the chance of a problem of an earlier stage, so that it is not forgotten.
    Attributes:
        stage: the present one, from 0.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, np.int64],
        stages: Sequence[Sequence[Options]],
        enough: float,
        episodes: int = 20,
        mixed: float = 0.2,
    ) -> None:
        check_arguments(Curriculum.__init__, {"enough": enough, "episodes": episodes, "mixed": mixed})
        check_least(1, episodes=episodes)
        check_share("mixed", mixed)
        self._stages = [_problems("stages", problems) for problems in _some("stages", stages)]
        RecordConstructorArgs.__init__(self, stages=stages, enough=enough, episodes=episodes, mixed=mixed)
        gymnasium.Wrapper.__init__(self, env)
        _inner(self)
        self._enough, self._episodes, self._mixed = enough, episodes, mixed
        self.stage = 0
        self._returns: list[float] = []
        self._sum, self._counts = 0.0, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A problem of the present stage, unless options say which."""
        inner = _inner(self)
        if seed is not None:
            inner.np_random = np.random.default_rng(seed)
        self._sum, self._counts = 0.0, options is None
        if options is None:
            random = inner.np_random
            earlier = self.stage > 0 and random.random() < self._mixed
            among = self._stages[int(random.integers(self.stage)) if earlier else self.stage]
            self._counts = not earlier
            options = dict(among[int(random.integers(len(among)))])
        observation, info = self.env.reset(options=options)
        return observation, info | {"stage": self.stage}

    def step(self, action: np.int64) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As of the environment; an episode's end may begin the next stage."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._sum += float(reward)
        if (terminated or truncated) and self._counts:
            self._counts = False
            self._returns = [*self._returns, self._sum][-self._episodes :]
            full = len(self._returns) == self._episodes
            if full and sum(self._returns) / self._episodes >= self._enough and self.stage + 1 < len(self._stages):
                self.stage += 1
                self._returns = []
        return observation, reward, terminated, truncated, info | {"stage": self.stage}


class Restart(_Wrapper, RecordConstructorArgs):
    """Some episodes begin where an earlier one of the same problem has been: what lies behind a few bad steps is found
    from there. Places that were seldom begun from come first.

    Args:
        share: of the episodes that begin so.
        places: of a problem that are remembered.
    References:
        Ecoffet et al., "First return, then explore", Nature 2021: there, too, environments are put back where they
        were.
    """

    def __init__(self, env: gymnasium.Env[Any, np.int64], share: float = 0.5, places: int = 256) -> None:
        check_arguments(Restart.__init__, {"share": share, "places": places})
        check_share("share", share)
        check_least(1, places=places)
        RecordConstructorArgs.__init__(self, share=share, places=places)
        gymnasium.Wrapper.__init__(self, env)
        _inner(self)
        self._share, self._places = share, places
        self._seen: dict[str, dict[str, tuple[Snapshot[Any], int]]] = {}
        self._here: dict[str, tuple[Snapshot[Any], int]] = {}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As of the environment, or back to a place of its problem; a seed forgets all places."""
        if seed is not None:
            self._seen.clear()
        observation, info = self.env.reset(seed=seed, options=options)
        inner = _inner(self)
        known = self._here = self._seen.setdefault(str(inner.state().problem), {})
        if len(self._seen) > PROBLEMS:
            self._seen.pop(next(iter(self._seen)))
        if not known or inner.np_random.random() >= self._share:
            return observation, info
        weights = np.array([(1 + begun) ** -0.5 for _, begun in known.values()])
        key = list(known)[int(inner.np_random.choice(len(known), p=weights / weights.sum()))]
        snapshot, begun = known[key]
        known[key] = snapshot, begun + 1
        inner.restore(replace(snapshot, random=inner.state().random))
        return inner.observation(), inner.information()

    def step(self, action: np.int64) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As of the environment, which is remembered where it stands then unless the episode has ended."""
        result = self.env.step(action)
        if not (result[2] or result[3]) and len(self._here) < self._places:
            snapshot = _inner(self).state()
            self._here.setdefault(str(snapshot.state), (snapshot, 0))
        return result


class Constrain(_Wrapper, RecordConstructorArgs):
    """Some actions are not to be taken: masks, observations and information say so, and they are refused.

    Args:
        allowed: names of actions; or what is asked, with the name of an action and the state, whether it may be taken.
            Where nothing that is legal is allowed, all that is legal may be taken.
    """

    def __init__(self, env: gymnasium.Env[Any, np.int64], allowed: Sequence[str] | Callable[[str, Any], bool]) -> None:
        RecordConstructorArgs.__init__(self, allowed=allowed)
        gymnasium.Wrapper.__init__(self, env)
        names = _inner(self).action_names
        self._names, self._allowed = names, allowed
        if callable(allowed):
            return
        check_value("allowed", allowed, Sequence[str])
        if unknown := [name for name in allowed if name not in names]:
            raise EnvironmentArgumentError(f"there is no action {unknown[0]!r}; there are {', '.join(names)}")

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal and allowed now; shape (actions,)."""
        inner = _inner(self)
        legal, state, allowed = inner.action_masks(), inner.state().state, self._allowed
        may = [allowed(name, state) if callable(allowed) else name in allowed for name in self._names]
        mask = legal & np.array(may, np.bool_)
        return mask if mask.any() else legal

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As of the environment, with fewer bits in the masks."""
        return self._fewer(*self.env.reset(seed=seed, options=options))

    def step(self, action: np.int64) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As of the environment; an action that is not allowed is taken for one that there is not."""
        taken = int(action)
        forbidden = 0 <= taken < len(self._names) and not self.action_masks()[taken]
        chosen = len(self._names) if forbidden else taken
        observation, reward, terminated, truncated, info = self.env.step(np.int64(chosen))
        observation, info = self._fewer(observation, info)
        if forbidden and "refused" in info:
            info = info | {"refused": f"{self._names[taken]} is not allowed here"}
        return observation, reward, terminated, truncated, info

    def _fewer(self, observation: Any, info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        mask = self.action_masks().astype(np.int8)
        if isinstance(observation, dict) and "action_mask" in observation:
            observation = observation | {"action_mask": mask}
        return observation, info | {"action_mask": mask}


def _inner(wrapper: _Wrapper) -> ProcessEnv[Any]:
    inner = wrapper.unwrapped
    if not isinstance(inner, ProcessEnv):
        raise EnvironmentArgumentError(f"{type(wrapper).__name__} is for environments of polyloop, not {inner}")
    return inner


def _problems(name: str, given: Sequence[Options]) -> Sequence[Options]:
    for problem in _some(name, given):
        if not isinstance(problem, Mapping):
            raise EnvironmentArgumentError(f"{name}: {problem!r} is no options of reset, such as {{'kernel': 'gemm'}}")
    return given


def _some(name: str, given: Sequence[Any]) -> Sequence[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise EnvironmentArgumentError(f"{name}={given!r}: it has to be a list")
    if not given:
        raise EnvironmentArgumentError("there are no problems to go over")
    return given
