"""A policy on any process: rollouts, the best of some rollouts, and weights that guide other searches.

As weights of an objective a policy makes random walks follow it, and a tree search expand what it likes first:

    objective = replace(objective, weights=policy.weights)
    search(objective, TreeSearch(), Budget(seconds=1.0))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import heappop, heappush
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.gnn.likely_walks import place_of, stop_of
from polyloop.gnn.networks import Network
from polyloop.gnn.observers import Observer
from polyloop.gnn.samples import Sample
from polyloop.search.cursor.corrections import Corrections, Walk
from polyloop.search.objective import State
from polyloop.search.run import IDLE, Place, Run

Value: TypeAlias = Callable[[Any], float]

AT_ONCE = 4
"""Evaluations after a walk, with a model that chooses."""

HOTTER, HOTTEST = 1.25, 8.0
"""How much more even probabilities get with a walk that ends where one did before, and how much at most."""

_LEAST_POWER = -600.0

ROUNDS, TOGETHER = 12, 2
"""Of looks at the states that promise most, and at how many for each walk: the network takes a third longer for two."""

CLEARLY = 1.15
"""So many times as fast as the search's best, by the model, has what a correction makes to be: near the peak the policy
tells nests apart, and the model does not (Zen 5, AVX-512: without it 0.86 of a search that measures, with it 0.99)."""

CORRECTED = 240
"""Statements of programs that the model is asked about for each walk, to correct what was found."""

_UNLIKELY = 0.01
"""Probability up to which a step is not even looked at."""

_NOTHING = 1e-9
"""Value that counts for none at all."""

_REMEMBERED = 1 << 14


class Scorer(Protocol):
    """What a policy asks: an agent, or a network that still learns."""

    @property
    def network(self) -> Network:
        """Whose weights decide."""

    def scores_of(self, samples: Sequence[Sample], legal: Sequence[NDArray[np.bool_]]) -> Sequence[NDArray[np.float64]]:
        """Logarithms of the actions' probabilities, of several observations."""


@dataclass
class Policy:
    """An agent's probabilities on the states of one process; each state is looked at once.

    Attributes:
        heat: more than 1 evens the probabilities out; may be changed at any time.
    """

    agent: Scorer
    observer: Observer
    heat: float = 1.0
    _known: dict[Hashable, NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def probabilities(self, state: Hashable) -> NDArray[np.float64]:
        """Of all actions of the process; 0 for illegal ones. All 0 in a final state."""
        if state not in self._known:
            self.look_at([state])
        known = self._known[state]
        if self.heat == 1.0 or not known.any():
            return known
        even = known ** (1.0 / self.heat)
        result: NDArray[np.float64] = even / even.sum()
        return result

    def weights(self, state: Hashable) -> list[float]:
        """The probabilities as `polyloop.search.objective.Objective.weights` takes them."""
        weights: list[float] = self.probabilities(state).tolist()
        return weights

    def choice(self, state: Hashable, random: np.random.Generator | None = None, taken: Collection[int] = ()) -> int:
        """The likeliest action, or one drawn with its probability.

        Args:
            random: draws; None for the likeliest.
            taken: actions that are chosen only where there are no others.
        """
        probabilities = self.probabilities(state)
        if taken:
            others = probabilities.copy()
            others[list(taken)] = 0.0
            if others.any():
                probabilities = others / others.sum()
        return int(probabilities.argmax() if random is None else random.choice(len(probabilities), p=probabilities))

    def look_at(self, states: Sequence[Hashable]) -> None:
        """Ask the network for several states at once, those that are known already left out."""
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        process, ids = self.observer.process, self.observer.ids
        asked: dict[Hashable, tuple[Any, NDArray[np.bool_]]] = {}
        for state in states:
            if state not in self._known:
                self._known[state] = np.zeros(len(process.actions(state)))
                if not process.final(state) and (seen := self.observer.observe(state))[1].any():
                    asked[state] = seen
        if not asked:
            return
        samples, masks = zip(*asked.values(), strict=True)
        for state, mask, powers in zip(asked, masks, self.agent.scores_of(samples, masks), strict=True):
            # No legal action gets nothing at all: where all others were taken, it is the one.
            weights = np.where(mask, np.exp(np.maximum(powers - powers[mask].max(), _LEAST_POWER)), 0.0)
            self._known[state][list(ids)] = weights / weights.sum()


@dataclass
class Walker:
    """Walks a policy's process. What comes back to a state goes on with an action that it has not taken there: the
    likeliest ones may lead around in a circle for ever.

    Args:
        random: draws the actions; None for the likeliest.
    """

    policy: Policy
    random: np.random.Generator | None = None
    _taken: dict[Hashable, set[int]] = field(default_factory=dict, repr=False)

    def action(self, state: Hashable) -> int | None:
        """What to do in a state; None where the walk ends."""
        if self.policy.observer.process.final(state) or not self.policy.probabilities(state).any():
            return None
        taken = self._taken.setdefault(place_of(state), set())
        action = self.policy.choice(state, self.random, taken)
        if action in taken:
            taken.clear()
        taken.add(action)
        return action


def rollout(policy: Policy, steps: int | None = None, random: np.random.Generator | None = None) -> list[Any]:
    """The states of a walk, from the first to the last; nothing is evaluated.

    Args:
        steps: how many at most, for a process without an end.
        random: draws the actions; None for the likeliest.
    """
    process, walker = policy.observer.process, Walker(policy, random)
    states = [process.initial()]
    while (steps is None or len(states) <= steps) and (action := walker.action(states[-1])) is not None:
        states.append(process.step(states[-1], action))
    return states


def best_of_walks(policy: Policy, value: Value, walks: int) -> Any:
    """The best state that `best_walk` leads to from the first one."""
    return best_walk(policy, value, walks).states[-1]


def best_walk(policy: Policy, value: Value, walks: int, first: Any = None) -> Walk:
    """The way to the best of all states of a cursor that a search comes by which a policy leads and a model corrects.

    First the policy leads (`Led`), in `ROUNDS` or as many as an episode has steps. Then what it has met is corrected by
    the model alone (`polyloop.search.cursor.corrections`), the best program first, then the best of those that the
    corrections have not come by.

    Args:
        policy: of a process whose episodes end.
        value: of a state, from a model: nothing is measured.
        walks: twice as many states are looked at together in each round, and so many times `CORRECTED` statements.
        first: the state to begin in; that of the process by default.
    """
    process = policy.observer.process
    led = Led(policy, value, process.initial() if first is None else first)
    for _ in range(min(process.length, ROUNDS)):
        led.look(TOGETHER * walks)
    # Of equally good ones the last: what comes behind it is worse.
    starts = sorted(range(len(led.states)), key=lambda at: (-value(led.states[at]), -at))
    best, least = led.walk(starts[0]), CLEARLY * value(led.states[starts[0]])
    corrections = Corrections(process, value, policy.observer.ids, CORRECTED * walks)
    for at in starts:
        walk = corrections.corrected(led.walk(at))
        if walk is not None and value(walk.states[-1]) > least:
            best, least = walk, value(walk.states[-1])
    return best


@dataclass
class Led:
    """A best-first search that a policy leads and a model corrects.

    One walk that takes the likeliest action everywhere is lost with its first mistake, though the policy often sees
    behind it that it was one, and would rather go back. Here every place that was met stays open, once. In each round
    those are looked at that promise most: the value of the program, less regrets of how much likelier other actions
    were on the way.

    Attributes:
        first: the state that it begins in.
        states: that were met, in their order.
    References:
        Orseau and Lelis, "Policy-Guided Heuristic Search with Guarantees", AAAI 2021. Regrets take the place of the
        probabilities of whole ways: with as few rounds as here those never get far from where they begin.
    """

    policy: Policy
    value: Value
    first: Any
    states: list[Any] = field(default_factory=list)
    _came: list[tuple[int, int]] = field(default_factory=list, repr=False)
    _met: set[Hashable] = field(default_factory=set, repr=False)
    _ahead: list[tuple[float, int, float]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.states.append(self.first)
        self._came.append((0, -1))
        self._met.add(place_of(self.first))
        self._ahead.append((0.0, 0, 0.0))

    def walk(self, at: int) -> Walk:
        """The way to one of the states."""
        states, actions = [self.states[at]], list[int]()
        while at:
            at, action = self._came[at]
            states.append(self.states[at])
            actions.append(action)
        return Walk(tuple(reversed(states)), tuple(reversed(actions)))

    def look(self, width: int) -> None:
        """A round: at so many states at once."""
        process, policy, stop = self.policy.observer.process, self.policy, stop_of(self.policy.observer.process)
        standing = [heappop(self._ahead) for _ in range(min(width, len(self._ahead)))]
        policy.look_at([self.states[-at] for _, at, _ in standing])
        for _, at, regrets in standing:
            before = self.states[-at]
            likely = policy.probabilities(before)
            for action in np.argsort(likely).tolist():
                if action == stop or likely[action] <= _UNLIKELY:
                    continue
                state = process.step(before, action)
                if (place := place_of(state)) in self._met:
                    continue
                self._met.add(place)
                if not process.final(state):
                    regret = regrets + float(np.log(likely.max() / likely[action]))
                    # Of equally promising ones the likeliest action of the newest comes first.
                    worth = float(np.log(max(self.value(state), _NOTHING)))
                    heappush(self._ahead, (regret - worth, -len(self.states), regret))
                self.states.append(state)
                self._came.append((-at, action))


@dataclass(frozen=True)
class PolicyRollouts:
    """A search that follows the likeliest actions, then draws walks from the policy until the budget ends, more freely
    with every walk that ends where one did before. The ends of the walks are evaluated, nothing between.

    Attributes:
        value: from a model: in the place of its end, a walk has those evaluated that it takes for the best of all that
            walks have come by.
        steps: of a walk at most; None for processes whose episodes end.
        rollouts: how many in all; None for as many as the budget allows.
    """

    policy: Policy
    steps: int | None = None
    rollouts: int | None = None
    value: Value | None = None
    name: str = "policy"

    def __repr__(self) -> str:
        weights = sha256(b"".join(t.numpy().tobytes() for t in self.policy.agent.network.state_dict().values()))
        settings = f"steps={self.steps}, rollouts={self.rollouts}, modelled={self.value is not None}"
        return f"PolicyRollouts({settings}, weights={weights.hexdigest()[:16]})"

    def explore(self, run: Run[State]) -> None:
        policy, heat = self.policy, self.policy.heat
        key = run.objective.key or (lambda state: state)
        seen: set[Hashable] = set()
        ends: set[Hashable] = set()
        pool: dict[Hashable, tuple[float, Place[State]]] = {}
        walks = idle = 0
        try:
            while idle < IDLE and (self.rollouts is None or walks < self.rollouts):
                passed = self._walk(run, likeliest=walks == 0)
                if (end := key(passed[-1].state)) in ends:
                    policy.heat = min(policy.heat * HOTTER, heat * HOTTEST)
                ends.add(end)
                for place in passed:
                    if key(place.state) not in seen and run.objective.has_value(place.state):
                        pool[key(place.state)] = (0.0 if self.value is None else self.value(place.state)), place
                idle = 0 if pool else idle + 1
                for _ in range(min(len(pool), AT_ONCE if walks else 1)):
                    # Of equally good ones the last: what comes behind it is worse.
                    best = max(reversed(pool), key=lambda each: pool[each][0])
                    seen.add(best)
                    run.value(pool.pop(best)[1])
                walks += 1
        finally:
            policy.heat = heat

    def _walk(self, run: Run[State], likeliest: bool) -> list[Place[State]]:
        """The places of a walk that may be evaluated: with a model all, else where it ends."""
        place: Place[State] = run.start()
        passed, walker = [place], Walker(self.policy, None if likeliest else run.random)
        while self.steps is None or len(place.actions) < self.steps:
            action = walker.action(place.state)
            if action is None:
                break
            place = run.step(place, action)
            passed.append(place)
        return passed[-1:] if self.value is None else passed
