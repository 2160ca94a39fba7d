"""Walks that take a policy's likeliest action everywhere, and never come back to where they have been.

Nothing is evaluated. A walk ends at the limit of steps, by the action stop where that counts, and where every action
leads back.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import CursorState


def place_of(state: Any) -> Hashable:
    """What of a state says whether a walk has been there: not how many steps it took."""
    return (state.program, state.cursor, state.stopped) if isinstance(state, CursorState) else state


def stop_of(process: Any) -> int:
    """The id of the action stop; -1 where there is none."""
    names = getattr(process, "names", ())
    return names.index(STOP) if STOP in names else -1


@dataclass
class LikelyWalk:
    """A walk in progress.

    Attributes:
        stops: the action stop ends it; else it goes on as long as episodes last, since whoever takes the best of its
            states loses nothing.
        states, actions: from the first on.
        over: nothing is left to do.
    """

    process: Any
    stops: bool = False
    states: list[Any] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    over: bool = False

    def __post_init__(self) -> None:
        self.states.append(self.process.initial())
        self.over = self.process.final(self.states[0])

    def go_on(self, probabilities: NDArray[np.float64]) -> None:
        """Take the likeliest step to a place that is new.

        Args:
            probabilities: of all actions of the process, in the last of `states`.
        """
        passed, stop = {place_of(state) for state in self.states}, stop_of(self.process)
        for action in np.argsort(-probabilities, kind="stable").tolist():
            if not probabilities[action] or (action == stop and not self.stops):
                continue
            state = self.process.step(self.states[-1], action)
            if place_of(state) not in passed:
                self.states.append(state)
                self.actions.append(action)
                self.over = self.process.final(state)
                return
        self.over = True
