"""The likeliest walks of a policy, side by side: a beam by probability, in which nobody comes back to where somebody
has been.

One walk that takes the likeliest action everywhere is lost with its first mistake, or goes up and down for ever. Beside
it, walks that differ from it where the policy was least sure are the next likeliest; orders of the same actions that
come to the same program take one place. Nothing is evaluated.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import CursorState

_SURE = 0.5
"""Probability of stop from which on a walk makes room for others."""


def place_of(state: Any) -> Hashable:
    """What of a state says whether a walk has been there: not how many steps it took."""
    return (state.program, state.cursor, state.stopped) if isinstance(state, CursorState) else state


@dataclass
class LikelyWalks:
    """Walks in progress.

    Attributes:
        width: how many at most.
        stops: the action stop ends a walk; else walks go on as long as episodes last, since whoever takes the best of
            their states loses nothing. Only where stop is likelier than all else together a walk makes room for
            others.
        states, ways: all that were met, from the first on, and the actions that lead there.
        ahead: logarithms of probabilities and places among `states` of the walks that go on, the likeliest first.
        trail: places among `states` of the walk that takes the likeliest step everywhere. It has a place of its own:
            by the probabilities of whole walks, many short detours would push it out.
    """

    process: Any
    width: int = 1
    stops: bool = False
    states: list[Any] = field(default_factory=list)
    ways: list[tuple[int, ...]] = field(default_factory=list)
    ahead: list[tuple[float, int]] = field(default_factory=list)
    trail: list[int] = field(default_factory=lambda: [0])
    _met: dict[Hashable, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._enter(0.0, self.process.initial(), ())

    @property
    def standing(self) -> list[Any]:
        """The states that the walks of `ahead` stand in."""
        return [self.states[at] for _, at in self.ahead]

    def go_on(self, probabilities: Sequence[NDArray[np.float64]]) -> None:
        """Take the likeliest next steps of all walks together.

        Args:
            probabilities: of all actions of the process, in each state of `standing`.
        """
        names = getattr(self.process, "names", ())
        stop = names.index(STOP) if STOP in names else -1
        going = list(zip(self.ahead, probabilities, strict=True))
        alone = [walk for walk in going if walk[0][1] == self.trail[-1]]
        if stop >= 0 and not self.stops:
            going = [walk for walk in going if walk[1][stop] < _SURE]
        first, steps = (self._steps(walks, stop) for walks in (alone, going))
        self.ahead = []
        passed = {place_of(self.states[at]) for at in self.trail}
        for likely, at, action in first:
            state = self.process.step(self.states[at], action)
            if place_of(state) not in passed:
                self._enter(likely, state, (*self.ways[at], action))
                self.trail.append(self._met[place_of(state)])
                if not self.ahead and not self.process.final(self.states[self.trail[-1]]):
                    self.ahead.append((likely, self.trail[-1]))  # another walk has been there
                break
        taken = int(bool(first))
        for likely, at, action in steps:
            if taken == self.width:
                break
            taken += self._enter(likely, self.process.step(self.states[at], action), (*self.ways[at], action))
        self.ahead.sort(key=lambda walk: -walk[0])

    def _steps(
        self, walks: Sequence[tuple[tuple[float, int], NDArray[np.float64]]], stop: int
    ) -> list[tuple[float, int, int]]:
        """What some walks may do next, the likeliest first."""
        steps = [
            (likely + float(np.log(row[action])), at, int(action))
            for (likely, at), row in walks
            for action in np.flatnonzero(row)
            if self.stops or action != stop
        ]
        return sorted(steps, key=lambda step: -step[0])

    def _enter(self, likely: float, state: Any, way: tuple[int, ...]) -> bool:
        place = place_of(state)
        if place in self._met:
            return False
        self._met[place] = len(self.states)
        if not self.process.final(state):
            self.ahead.append((likely, len(self.states)))
        self.states.append(state)
        self.ways.append(way)
        return True
