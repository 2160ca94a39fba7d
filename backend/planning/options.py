"""What steers planning, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Limits and preferences; the defaults are what measured best.

    Attributes:
        unroll_limit: an UNROLLED loop with more iterations stays a loop.
        straight_vectors: a VECTOR loop of at most so many vectors becomes straight-line code.
        gathers: how many gathers may stand for one contiguous access (see `vectors`).
        body_limit: how many multiply-adds the specialised copies of a partial tile may come to.
        reduction_chains: independent accumulators of a reduction along a vector loop, in vectors.
    """

    unroll_limit: int = 64
    straight_vectors: int = 8
    gathers: float = 0.5
    body_limit: int = 200
    reduction_chains: int = 4
