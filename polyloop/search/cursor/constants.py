"""Sequences of actions that are the same for every problem: what can be reached without looking.

A set of problems on which the best such sequence comes near to the best there is cannot show that an agent sees
anything. The cross-entropy method looks for it.

References:
    Rubinstein and Kroese, "The Cross-Entropy Method", 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.measure.programs import ProgramEvaluator, gflops

Worth: TypeAlias = NDArray[np.float64]
Actions: TypeAlias = tuple[int, ...]

POPULATION, ELITE, KEPT = 200, 20, 0.3
"""Sequences in a round of the cross-entropy method, how many of them the next round is drawn after, and how much of the
distribution before stays."""


@dataclass(eq=False)
class Ground:
    """The states of one problem that were met, by number from 0, the start, on; and their worth on some machines.

    Args:
        evaluators: one for each machine.
    """

    process: AnyCursor
    evaluators: tuple[ProgramEvaluator, ...]
    _states: list[AnyState] = field(default_factory=list, repr=False)
    _numbers: dict[AnyState, int] = field(default_factory=dict, repr=False)
    _after: dict[tuple[int, int], int] = field(default_factory=dict, repr=False)
    _worth: dict[int, Worth] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        # Without an end: states of equal programs are the same whenever they are met.
        self.process = replace(self.process, length=None)
        self._peaks = np.array([e.peak(self.process.problem) for e in self.evaluators])
        self._number(self.process.initial())

    def after(self, state: int, action: int) -> int:
        """Where an action leads; one that is not legal changes nothing."""
        key = state, action
        if key not in self._after:
            before = self._states[state]
            legal = self.process.obstacle(before, action) is None
            self._after[key] = self._number(self.process.step(before, action)) if legal else state
        return self._after[key]

    def play(self, actions: Sequence[int]) -> int:
        """Where a sequence ends."""
        return reduce(self.after, actions, 0)

    def worth(self, state: int) -> Worth:
        """The share of the peak that a state reaches on every machine."""
        if state not in self._worth:
            problem, program = self.process.problem, self._states[state].program
            reached = [gflops(problem, e.evaluate(problem, program)) for e in self.evaluators]
            self._worth[state] = np.array(reached) / self._peaks
        return self._worth[state]

    def gain(self, actions: Sequence[int]) -> float:
        """What a sequence gains, in the mean over the machines."""
        return float((self.worth(self.play(actions)) - self.worth(0)).mean())

    def state(self, number: int) -> AnyState:
        """The state of a number."""
        return self._states[number]

    def _number(self, state: AnyState) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]


def mean_gain(grounds: Sequence[Ground], actions: Sequence[int]) -> float:
    """What a sequence gains in the mean over all problems and machines, as a share of the peak."""
    return float(np.mean([ground.gain(actions) for ground in grounds]))


def cross_entropy(
    grounds: Sequence[Ground], trials: int, length: int, seed: int = 0, start: Sequence[int] = ()
) -> tuple[float, Actions]:
    """The best sequence that the cross-entropy method finds, and its gain. Sequences may be shorter: an action that is
    none is drawn as any other.

    Args:
        trials: sequences that are played, over all rounds.
        start: a sequence that is likelier in the beginning.
    """
    count, random = len(grounds[0].process.names), np.random.default_rng(seed)
    known: dict[Actions, float] = {}
    best: tuple[float, Actions] = (0.0, ())
    while trials > 0:
        chances = np.full((length, count + 1), 1.0 / (count + 1))
        for place, action in enumerate(start[:length]):
            chances[place] *= 0.5
            chances[place, action] += 0.5
        start = ()
        for _ in range(_ROUNDS):
            drawn = [_drawn(chances, random) for _ in range(min(POPULATION, trials))]
            trials -= len(drawn)
            for actions in drawn:
                short = tuple(a for a in actions if a < count)
                if short not in known:
                    known[short] = mean_gain(grounds, short)
            ranked = sorted(drawn, key=lambda a: -known[tuple(x for x in a if x < count)])
            first = tuple(a for a in ranked[0] if a < count) if ranked else ()
            best = max(best, (known.get(first, 0.0), first))
            if trials <= 0 or len({*ranked[:ELITE]}) == 1:
                break
            elite = np.array(ranked[:ELITE])
            seen = np.stack([(elite == a).mean(0) for a in range(count + 1)], 1)
            chances = KEPT * chances + (1 - KEPT) * seen
    return best


_ROUNDS = 40
"""After so many it begins anew, with other draws."""


def _drawn(chances: NDArray[np.float64], random: np.random.Generator) -> Actions:
    places = (chances.cumsum(1) > random.random((len(chances), 1))).argmax(1)
    return tuple(places.tolist())
