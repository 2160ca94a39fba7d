"""Rewards at the end of an episode, from the speedup over the original loops at -O3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from types import MappingProxyType
from typing import Literal, TypeAlias

RewardName: TypeAlias = Literal["speedup", "log_speedup", "cubed"]

ILLEGAL = -1.0
"""Reward of an action that the mask forbids; it ends the episode."""

REWARDS: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {
        "speedup": lambda speedup: speedup,
        "log_speedup": log,
        # As in the code of Brauckmann, Goens and Castrillon (2021).
        "cubed": lambda speedup: speedup**3,
    }
)
