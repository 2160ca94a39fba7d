"""Random walks from the start to the end, with the objective's weights: one heuristic of PolyGym is one set of weights.

References:
    Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.search.objective import State
from polyloop.search.run import Run


@dataclass(frozen=True)
class RandomWalks:
    """Walk after walk, until the budget ends."""

    name: str = "random"

    def explore(self, run: Run[State]) -> None:
        while True:
            run.play(run.start())
