"""What observations say besides the program: how much of the episode is left, and which machine the loops are for.

All values lie in 0..1 (`CONTEXT`, in their order).
"""

from __future__ import annotations

from functools import lru_cache
from math import log2

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.machine import Cache, Machine

MOST_LEFT = 64
"""Steps left from which on their number itself is shown as 1."""

_LEVELS = ("l1", "l2", "l3")

MACHINE = (
    *("vector_bits", "vector_registers", "masks", "has_fma", "chain_latency"),
    *("multiply_add_per_cycle", "load_per_cycle", "store_per_cycle", "line"),
    *(f"{level}_{figure}" for level in _LEVELS for figure in ("size", "ways", "line_cycles")),
    *("memory_line_cycles", "l1_latency"),
)
"""Figures of a machine. Of sizes, widths and cycles of lines the logarithm, so that a factor of two is as much
everywhere; of what starts in a cycle, and of latencies, a share."""

CONTEXT = ("share_left", "steps_left", "ahead", *MACHINE)
"""share_left, steps_left: of the episode's steps, and their number / `MOST_LEFT`. ahead: by which share of the peak the
best program so far is better than this one, where returns are of the best."""


def context(left: int, length: int, machine: NDArray[np.float32], ahead: float = 0.0) -> NDArray[np.float32]:
    """The features of a state; shape (len(CONTEXT),).

    Args:
        left: steps that the episode has left, of `length`.
        machine: `machine_features`.
    """
    result = np.empty(len(CONTEXT), np.float32)
    result[:3] = min(max(left / length, 0.0), 1.0), min(max(left, 0) / MOST_LEFT, 1.0), min(max(ahead, 0.0), 1.0)
    result[3:] = machine
    return result


@lru_cache(maxsize=256)
def machine_features(machine: Machine) -> NDArray[np.float32]:
    """`MACHINE` of a machine; not to be changed."""
    values = [
        log2(machine.vector_bits / 64) / 6,
        log2(machine.vector_registers) / 8,
        float(machine.masks),
        float(machine.has_fma),
        machine.chain_latency / 16,
        machine.multiply_add.per_cycle / 4,
        machine.load.per_cycle / 4,
        machine.store.per_cycle / 4,
        log2(machine.line) / 10,
    ]
    for cache in machine.caches:
        values += _cache(cache)
    values += [log2(1 + machine.memory.line_cycles) / 8, machine.l1.latency / 16]
    features = np.clip(np.array(values, np.float32), 0, 1)
    features.flags.writeable = False
    return features


def _cache(cache: Cache) -> tuple[float, float, float]:
    # A core without a level has no size there: 0, as nothing else has.
    size = log2(cache.size) / 32 if cache.size else 0.0
    return size, log2(1 + cache.ways) / 8, log2(1 + cache.line_cycles) / 8
