"""One run of a search: values asked for within a budget, the best kept, everything replayable.

A search is a function of (objective, settings, seed) and of the values that it gets: time decides when it
ends, never what it does. So a run is resumed by doing it again with the values of its journal, which costs no
evaluation, and goes on where it stood.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count
from math import inf, isnan
from typing import Generic, Literal, Protocol, TypeAlias

import numpy as np

from polyloop.search.journal import Journal
from polyloop.search.objective import Objective, State

LEADERS = 6
"""How many of the best are kept."""

IDLE = 1000
"""Walks in a row that meet nothing new, after which a space counts as exhausted."""

Ending: TypeAlias = Literal["finished", "evaluations", "seconds", "exhausted", "interrupted"]


@dataclass(frozen=True)
class Budget:
    """When a run ends: after so many seconds or evaluations, whichever comes first. The first evaluation always
    happens."""

    seconds: float = inf
    evaluations: float = inf


@dataclass(frozen=True)
class Point:
    """Of the best-so-far curve: the best value after so many evaluations and seconds."""

    evaluations: int
    seconds: float
    best: float


@dataclass(frozen=True)
class Place(Generic[State]):
    """A state and the actions that lead there from the start."""

    state: State
    actions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Found(Generic[State]):
    """What a run of a search has found.

    Attributes:
        best: the best state of all that had a value, wherever on a path it was.
        value: what it is worth; minus infinity if nothing could run.
        leaders: the best `LEADERS` that are not the same thing, the best first; empty if nothing could run.
        curve: one point for every improvement, and the last evaluation.
        ending: the search was through, a budget was used up, nothing new could be met, or Ctrl-C was pressed.
    """

    search: str
    seed: int
    best: Place[State]
    value: float
    evaluations: int
    seconds: float
    curve: tuple[Point, ...]
    ending: Ending
    leaders: tuple[Place[State], ...] = ()


@dataclass(frozen=True)
class Walk(Generic[State]):
    """A walk to the end: where it ended, and the best value of the states on it that have one."""

    end: Place[State]
    value: float


FIRST_SECONDS = 5.0
"""Beyond its time a search may take so long for the way to its first value."""


class Method(Protocol):
    """A search: frozen settings, and the procedure."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def explore(self, run: Run[State]) -> None:
        """Ask `run` for values until it ends the search, or until there is nothing left to do."""


class BudgetSpentError(Exception):
    """Ends a search from inside; `search` catches it."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


@dataclass
class Run(Generic[State]):
    """What a method may ask for. One object serves one run.

    Attributes:
        random: the only source of randomness.
    """

    objective: Objective[State]
    budget: Budget = field(default_factory=Budget)
    random: np.random.Generator = field(default_factory=np.random.default_rng)
    progress: Callable[[Point], None] | None = None
    journal: Journal = field(default_factory=Journal)
    evaluations: int = 0
    best: Place[State] | None = None
    best_value: float = -inf
    curve: list[Point] = field(default_factory=list)
    lowest: float = inf
    leaders: list[tuple[float, Place[State]]] = field(default_factory=list)
    _known: dict[Hashable, float] = field(default_factory=dict)
    _idle: int = 0
    _began: float = field(default_factory=time.monotonic)

    # --- Places ----------------------------------------------------------------------------------------------

    def start(self) -> Place[State]:
        return Place(self.objective.process.initial())

    def legal(self, place: Place[State]) -> tuple[int, ...]:
        """The actions that the mask allows; none in a final state."""
        if self.final(place):
            return ()
        return tuple(k for k, allowed in enumerate(self.objective.process.actions(place.state)) if allowed)

    def step(self, place: Place[State], action: int) -> Place[State]:
        """
        Raises:
            BudgetSpentError: when the time is used up: walks through large spaces take minutes from value to value.
        """
        self._check_time(FIRST_SECONDS if self.evaluations == 0 else 0.0)
        return Place(self.objective.process.step(place.state, action), (*place.actions, action))

    def children(self, place: Place[State]) -> list[Place[State]]:
        """Where the legal actions lead, in their order."""
        return [self.step(place, action) for action in self.legal(place)]

    def final(self, place: Place[State]) -> bool:
        return self.objective.process.final(place.state)

    def drawn(self, place: Place[State], among: Sequence[int] | None = None) -> int:
        """A legal action (of some of them) drawn with the objective's weights."""
        legal = self.legal(place) if among is None else among
        if len(legal) == 1:
            return legal[0]
        weights = self.objective.weights
        if weights is not None:
            every = weights(place.state)
            sums = list(accumulate(max(every[action], 0.0) for action in legal))
            if sums[-1] > 0:
                return legal[min(bisect_right(sums, self.random.random() * sums[-1]), len(legal) - 1)]
        return legal[int(self.random.integers(len(legal)))]

    # --- Values ----------------------------------------------------------------------------------------------

    def value(self, place: Place[State]) -> float:
        """What a state is worth that has a value; asked of the objective once for all that is the same.

        Raises:
            BudgetSpentError: when the budget is used up.
        """
        key = self.objective.key(place.state) if self.objective.key is not None else place.state
        if key in self._known:
            return self._known[key]
        self._check_budget()
        found = self.journal.known(place.actions)
        if found is None:
            value = float(self.objective.value(place.state))
            found = (-inf if isnan(value) else value), time.monotonic() - self._began + self.journal.spent
            self.journal.add(place.actions, *found)
        self._known[key] = found[0]
        self._count(place, *found)
        return found[0]

    def estimate(self, place: Place[State]) -> float:
        """A state's own value, or that of the end that stands for it."""
        if self.objective.has_value(place.state):
            return self.value(place)
        if self.objective.completion is None:
            return self.play(place).value
        for action in self.objective.completion(place.state):
            place = self.step(place, action)
        return self.value(place)

    def play(self, place: Place[State], actions: Sequence[int] = (), changed: Collection[int] = ()) -> Walk[State]:
        """Walk on to the end.

        Args:
            actions: taken in order where they are legal; others are drawn in the place of those that are not, and
                behind the last.
            changed: positions in `actions` where something else is drawn if anything else is legal.
        """
        before, best = self.evaluations, -inf
        if self.objective.has_value(place.state):
            best = self.value(place)
        for position in count():
            if self.final(place):
                break
            action = actions[position] if position < len(actions) else None
            place = self.step(place, self._chosen(place, action, position in changed))
            if self.objective.has_value(place.state):
                best = max(best, self.value(place))
        self._idle = self._idle + 1 if self.evaluations == before else 0
        if self._idle >= IDLE:
            raise BudgetSpentError("exhausted")
        return Walk(place, best)

    def check_time(self) -> None:
        """For methods that think for long between two values.

        Raises:
            BudgetSpentError: when the time is used up, and there was a value.
        """
        if self.evaluations:
            self._check_time()

    def rank(self, value: float) -> float:
        """A value on the scale from the worst (0) to the best (1) met so far."""
        if value == -inf or self.best_value == -inf:
            return 0.0
        return 1.0 if self.best_value <= self.lowest else (value - self.lowest) / (self.best_value - self.lowest)

    # --- Inside ----------------------------------------------------------------------------------------------

    def _chosen(self, place: Place[State], action: int | None, other: bool) -> int:
        legal = self.legal(place)
        if other:
            return self.drawn(place, tuple(k for k in legal if k != action) or legal)
        return action if action is not None and action in legal else self.drawn(place, legal)

    def _check_budget(self) -> None:
        if self.evaluations == 0:
            return
        if self.evaluations >= self.budget.evaluations:
            raise BudgetSpentError("evaluations")
        self._check_time()

    def _check_time(self, more: float = 0.0) -> None:
        # What a journal knows was paid for: an end by time comes behind it, where the first run stood.
        if self.evaluations >= len(self.journal) and self._seconds() >= self.budget.seconds + more:
            raise BudgetSpentError("seconds")

    def _seconds(self) -> float:
        return time.monotonic() - self._began + self.journal.spent

    def _count(self, place: Place[State], value: float, seconds: float) -> None:
        self.evaluations += 1
        better = self.best is None or value > self.best_value
        if better:
            self.best, self.best_value = place, value
        if value > -inf:
            self.lowest = min(self.lowest, value)
            self.leaders = sorted([*self.leaders, (value, place)], key=lambda entry: -entry[0])[:LEADERS]
        point = Point(self.evaluations, seconds, self.best_value)
        if better:
            self.curve.append(point)
        if self.progress is not None:
            self.progress(point)

    def found(self, search: str, seed: int, ending: Ending) -> Found[State]:
        """The outcome so far; nothing was worth anything if the search asked for no value."""
        best = self.best if self.best is not None else self.start()
        last = Point(self.evaluations, self._seconds(), self.best_value)
        improved = bool(self.curve) and self.curve[-1].evaluations == self.evaluations
        curve = tuple(self.curve) if improved else (*self.curve, last)
        leaders = tuple(place for _, place in self.leaders)
        return Found(search, seed, best, self.best_value, self.evaluations, last.seconds, curve, ending, leaders)


def identity(method: Method, seed: int) -> dict[str, object]:
    """What tells one search from another on the same problem, for `Journal.begin`."""
    return {"search": repr(method), "seed": seed}


def search(
    objective: Objective[State],
    method: Method,
    budget: Budget,
    *,
    seed: int = 0,
    progress: Callable[[Point], None] | None = None,
    journal: Journal | None = None,
    anytime: bool = False,
) -> Found[State]:
    """Run a search.

    Args:
        method: see `polyloop.search.methods`.
        progress: is told about every evaluation.
        journal: where evaluations are written, and what an earlier run of the same search wrote: that is not evaluated
            again, and counts as it did then.
        anytime: an interrupt (Ctrl-C) ends the search, not the call.
    Raises:
        JournalError: for the journal of another search or problem, and for a damaged one.
    """
    kept = journal if journal is not None else Journal()
    kept.begin(identity(method, seed))
    run = Run(objective, budget, np.random.default_rng(seed), progress, kept)
    ending: Ending = "finished"
    try:
        start = run.start()
        if objective.has_value(start.state):
            run.value(start)
        method.explore(run)
    except BudgetSpentError as spent:
        ending = spent.ending
    except KeyboardInterrupt:
        if not anytime:
            raise
        ending = "interrupted"
    return run.found(method.name, seed, ending)
