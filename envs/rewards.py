"""Rewards: of a schedule at the end of an episode, and of every step of a cursor.

A schedule's comes from the speedup over the original loops at -O3. Whatever is slower than `TIMES_SLOWER` times the
original loops, or cannot run, counts as that slow; so every reward has a least value. An action that the mask forbids
ends the episode too, and costs 1 more than that, and 1 at least: giving up is never better than the worst schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from math import isfinite, log, log2, nan
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypeVar

from polyloop.backend.plugins import Table
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.measure.schedules import TIMES_SLOWER

F = TypeVar("F", bound=Callable[..., Any])

RewardName: TypeAlias = Literal["speedup", "log_speedup", "cubed"]


def paid(reward: Callable[[Any], Any], about: object) -> float:
    """What a function of somebody's own says.

    Raises:
        EnvironmentArgumentError: if it is no number, or none that means can be taken of.
    """
    said = reward(about)
    try:
        value = float(said)
    except (TypeError, ValueError, OverflowError):
        value = nan
    if not isfinite(value):
        raise EnvironmentArgumentError(
            f"reward={reward!r}: it has to come to a finite number, not {said!r}, of {about}"
        )
    return value


def _itself(speedup: float) -> float:
    return speedup


def _cubed(speedup: float) -> float:
    return speedup**3


@dataclass(frozen=True)
class Reward:
    """What a speedup is worth.

    Attributes:
        worth: of a speedup; increasing. A named function, so that environments can be pickled.
    """

    worth: Callable[[float], float]

    def __call__(self, speedup: float) -> float:
        return paid(self.worth, max(speedup, 1 / TIMES_SLOWER))

    @property
    def least(self) -> float:
        """Of the worst schedule."""
        return self(0.0)

    @property
    def illegal(self) -> float:
        """Of an action that the mask forbids: less than `least`, and -1 at most."""
        return min(self.least, 0.0) - 1


REWARDS: Mapping[str, Reward] = MappingProxyType(
    {
        "speedup": Reward(_itself),
        "log_speedup": Reward(log),
        # As in the code of Brauckmann, Goens and Castrillon (2021).
        "cubed": Reward(_cubed),
    }
)


@dataclass(frozen=True)
class Gain:
    """What a cursor's step has changed: GFLOPS before and after it, and the most that there are."""

    before: float
    after: float
    peak: float


SLOWEST = 1e-3
"""GFLOPS that count for what is slower, where the logarithm is taken."""


def _share(gain: Gain) -> float:
    return (gain.after - gain.before) / gain.peak


def _ratio(gain: Gain) -> float:
    return log2(max(gain.after, SLOWEST) / max(gain.before, SLOWEST))


def _wrong(name: str, value: object) -> str | None:
    return None if callable(value) else "it is nothing that can be called"


CURSOR_REWARDS: Table[Callable[[Gain], float]] = Table(
    "polyloop.cursor_rewards", {"gflops": _share, "log_gflops": _ratio}, _wrong
)
"""Of Cursor-v1, by name."""

SCHEDULE_REWARDS: Table[Callable[[float], float]] = Table(
    "polyloop.schedule_rewards", {name: reward.worth for name, reward in REWARDS.items()}, _wrong
)
"""Of Schedule-v1, by name: what a speedup is worth; the more, the more it is worth."""


def cursor_reward(given: str | Callable[[Gain], float]) -> Callable[[Gain], float]:
    """A reward of steps: as it is given, by a name in `CURSOR_REWARDS`, or by "module:function".

    Raises:
        EnvironmentArgumentError: if there is none.
    """
    return _found(given, CURSOR_REWARDS)


def schedule_reward(given: str | Callable[[float], float]) -> Reward:
    """A reward of speedups; see `cursor_reward`, with `SCHEDULE_REWARDS`.

    Raises:
        EnvironmentArgumentError: if there is none.
    """
    return Reward(_found(given, SCHEDULE_REWARDS))


def _found(given: str | F, table: Table[F]) -> F:
    if not isinstance(given, str):
        if not callable(given):
            raise EnvironmentArgumentError(f"reward={given!r}: it has to be a name, 'module:function' or a function")
        return given
    if given in table:
        return table[given]
    module, colon, name = given.partition(":")
    if not colon:
        raise EnvironmentArgumentError(
            f"reward={given!r}: there are {', '.join(table)}, what packages add to {table.group}, and 'module:function'"
        )
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise EnvironmentArgumentError(f"reward={given!r} cannot be loaded: {error}") from error
    if not callable(found):
        raise EnvironmentArgumentError(f"reward={given!r}: it is nothing that can be called")
    function: F = found
    return function
