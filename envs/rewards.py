"""Rewards at the end of an episode, from the speedup over the original loops at -O3.

Whatever is slower than `TIMES_SLOWER` times the original loops, or cannot run, counts as that slow; so every reward has
a least value. An action that the mask forbids ends the episode too, and costs 1 more than that, and 1 at least: giving
up is never better than the worst schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from types import MappingProxyType
from typing import Literal, TypeAlias

from polyloop.measure.schedules import TIMES_SLOWER

RewardName: TypeAlias = Literal["speedup", "log_speedup", "cubed"]


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
        return self.worth(max(speedup, 1 / TIMES_SLOWER))

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
