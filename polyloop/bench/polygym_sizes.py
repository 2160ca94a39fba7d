"""Sizes at which a kernel's original loops run for some milliseconds: between the datasets, geometrically."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from polyloop.shipped.kernels import KernelInfo

LADDER = ("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE")
SECONDS = (0.005, 0.015)
"""Enough to be measured well, little enough for thousands of schedules, most of which are several times slower."""

_TRIES = 12
_STEP = 0.4
_LARGEST = 8.0


def between(info: KernelInfo, position: float) -> dict[str, int]:
    """Sizes at a position of `LADDER`; 2.5 is halfway from MEDIUM to LARGE in every parameter's logarithm, 5 goes
    as far beyond EXTRALARGE as that is beyond LARGE."""
    low = min(int(position), len(LADDER) - 2)
    share = position - low
    first, second = info.resolve(LADDER[low]), info.resolve(LADDER[low + 1])
    return {name: round(first[name] ** (1 - share) * second[name] ** share) for name in first}


def suitable_sizes(info: KernelInfo, seconds: Callable[[Mapping[str, int]], float]) -> dict[str, int]:
    """Sizes whose run takes a time within `SECONDS`, as nearly as a few tries find them."""
    low, high, position = 0.0, _LARGEST, 2.0
    for _ in range(_TRIES):
        taken = seconds(between(info, position))
        if SECONDS[0] <= taken <= SECONDS[1]:
            break
        if taken < SECONDS[0]:
            low = position
        else:
            high = position
        # Small steps upwards: a run at sizes far too large would take minutes.
        position = min((low + high) / 2, low + _STEP)
    return between(info, position)
