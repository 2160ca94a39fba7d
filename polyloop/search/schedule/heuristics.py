"""Heuristics of schedule spaces: how likely a random walk takes each action.

A heuristic is a construction (weights of its three actions, or one fixed way) and weights of the coefficients. Three of
them are PolyGym's: uniform, bias_select_dep, bias_coeff_0. Two follow a greedy construction and choose sparse
coefficients: Feautrier's, where every dimension carries all that it can, and Pouchet's, where a dimension carries a
dependence only while small coefficients suffice, the dependences with most traffic first.

References:
    Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021.
    Feautrier, "Some efficient solutions to the affine scheduling problem, part II", 1992.
    Pouchet, Bastoul, Cohen and Cavazos, "Iterative optimization in the polyhedral model, part II", PLDI 2008. There the
    traffic of a dependence is computed; here the depth of its statements stands for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from polyloop.spaces.construction import Construction, ConstructionAction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.scheduling import FIRST_COEFFICIENT, Scheduling, SchedulingState
from polyloop.spaces.space import ScheduleSpace, members_of

Weights: TypeAlias = "tuple[float, ...]"
Target: TypeAlias = "Callable[[ScheduleSpace], tuple[int, ...]]"

_ANY = (1.0, 1.0, 1.0)
_SELECT = (0.2, 0.2, 0.6)
_LATE = (0.6, 0.2, 0.2)


@dataclass(frozen=True)
class Heuristic:
    """How to walk through a schedule space at random.

    Attributes:
        name: for reports.
        construction: weights of next_dim, next_dep and select_dep.
        nonzero: weight of every coefficient but 0, whose own weight is 1.
        expected: not None: instead of `nonzero`, so many coefficients of a dimension are not 0 on average.
        target: not None: instead of `construction`, the construction that is followed.
    """

    name: str
    construction: Weights = _ANY
    nonzero: float = 1.0
    expected: float | None = None
    target: Target | None = None


def feautrier(space: ScheduleSpace) -> tuple[int, ...]:
    """Every dimension carries all that it can."""
    carried = [0] * len(space.dependences)
    for dimension, members in enumerate(space.greedy(), start=1):
        for k in members_of(members):
            carried[k] = dimension
    return tuple(carried)


def pouchet(space: ScheduleSpace, largest: int = 1, max_dimensions: int = 10) -> tuple[int, ...]:
    """Every dimension carries, one after the other, what it can with vertices whose coefficients are at most `largest`;
    where that is nothing, or the dimensions run out, all that it can."""
    carried = [0] * len(space.dependences)
    left = space.all
    for dimension in range(1, max_dimensions + 1):
        if not left:
            break
        possible = space.carriable(left)
        selected = _with_small_coefficients(space, left, possible, largest)
        if not selected or not space.completes_within(left & ~selected, max_dimensions - dimension):
            selected = possible
        for k in members_of(selected):
            carried[k] = dimension
        left &= ~selected
    return tuple(carried)


def _with_small_coefficients(space: ScheduleSpace, left: int, possible: int, largest: int) -> int:
    selected = 0
    for k in _by_traffic(space):
        if not possible >> k & 1:
            continue
        vertices = space.dimension(left, selected | 1 << k).generators.vertices
        if any(all(abs(float(x)) <= largest for x in vertex) for vertex in vertices):
            selected |= 1 << k
    return selected


def _by_traffic(space: ScheduleSpace) -> list[int]:
    """Dependences between deep statements first: their instances are the most."""
    depth = {name: len(own) for name, own in zip(space.layout.statements, space.layout.iterators, strict=True)}

    def traffic(k: int) -> int:
        dependence = space.dependences[k]
        return depth.get(dependence.source, 0) + depth.get(dependence.target, 0)

    return sorted(range(len(space.dependences)), key=lambda k: (-traffic(k), k))


HEURISTICS: dict[str, Heuristic] = {
    heuristic.name: heuristic
    for heuristic in (
        Heuristic("uniform"),
        Heuristic("bias_select_dep", _SELECT),
        Heuristic("bias_coeff_0", _SELECT, 0.15),
        Heuristic("sparse", _SELECT, expected=1.5),
        Heuristic("late", _LATE, expected=1.5),
        Heuristic("feautrier", expected=1.5, target=feautrier),
        Heuristic("pouchet", expected=1.5, target=pouchet),
    )
}
"""By name. The weights of the first three are PolyGym's; bias_coeff_0 prefers select_dep, too. "sparse" is that with
few coefficients; "late" carries dependences late, so that they are weak, and loops permutable, in what is before."""


@dataclass
class Chooser:
    """The weights of a heuristic on one process, for `polyloop.search.objective.Objective.weights`."""

    process: Scheduling
    heuristic: Heuristic
    _target: tuple[int, ...] | None = None
    _dimension: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)

    def weights(self, state: SchedulingState) -> Weights:
        """Of all actions of `Scheduling`."""
        largest = self.process.max_coefficient
        if state.exploration is None:
            return (*self._construction(state.construction), *(0.0,) * (largest + 1))
        exploration = self.process.exploration(state.construction)
        return (0.0, 0.0, 0.0, *self._coefficients(exploration, state.exploration))

    def _construction(self, state: ConstructionState) -> Weights:
        if self.heuristic.target is None:
            return self.heuristic.construction
        if self._target is None:
            self._target = self.heuristic.target(self.process.construction.space)
        return _towards(state, self._target)

    def _coefficients(self, exploration: Exploration, state: ExplorationState) -> Weights:
        largest, nonzero = exploration.max_coefficient, self.heuristic.nonzero
        if self.heuristic.expected is not None:
            share = min(self.heuristic.expected / self._terms(exploration)[len(state.coefficients)], 0.5)
            nonzero = share / (1 - share) / largest
        return (1.0, *(nonzero,) * largest)

    def _terms(self, exploration: Exploration) -> tuple[int, ...]:
        """For every coefficient how many its dimension has."""
        key = exploration.construction
        if key not in self._dimension:
            self._dimension.clear()
            self._dimension[key] = tuple(terms for terms in exploration.terms for _ in range(terms))
        return self._dimension[key]


def _towards(state: ConstructionState, target: tuple[int, ...]) -> Weights:
    """Certainty about the next action on the way to a construction."""
    here = [k for k, c in enumerate(state.carried, 1) if c == 0 and target[k - 1] == state.dimension]
    if not here:
        action = ConstructionAction.NEXT_DIMENSION
    elif state.dependence in here:
        action = ConstructionAction.SELECT_DEPENDENCE
    else:
        action = ConstructionAction.NEXT_DEPENDENCE
    return tuple(float(action == other) for other in ConstructionAction)


def construction_actions(process: Construction, state: ConstructionState, carried: tuple[int, ...]) -> tuple[int, ...]:
    """The actions that lead from a state to a construction that keeps what the state carries."""
    actions = []
    while not process.final(state):
        action = _towards(state, carried).index(1.0)
        actions.append(action)
        state = process.step(state, action)
    return tuple(actions)


def schedule_actions(process: Scheduling, carried: tuple[int, ...], coefficients: tuple[int, ...]) -> tuple[int, ...]:
    """The actions of an episode that makes a construction and takes coefficients."""
    construction = construction_actions(process.construction, process.construction.initial(), carried)
    return (*construction, *(FIRST_COEFFICIENT + c for c in coefficients))
