"""Random episodes at once: what drawing action after action from the masks gives, with the work shared between steps.

An episode at the largest kernels has thousands of steps. Here a construction keeps its sets from step to step, and an
exploration draws all of its coefficients together. One number in [0, 1) is drawn for every step, in order: legal
actions share [0, 1) in proportion to their weights.

References:
    Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021: the
    heuristics that such weights make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from polyloop.spaces.construction import Construction, ConstructionAction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState

_DRAWN_AT_ONCE = 64


def random_construction(
    process: Construction, rng: np.random.Generator, weights: Sequence[float] = (1.0, 1.0, 1.0)
) -> ConstructionState:
    """A final state of the construction.

    Args:
        weights: of next_dim, next_dep and select_dep, all positive.
    """
    state = process.initial()
    if not state.carried:
        return process.step(state, ConstructionAction.NEXT_DIMENSION)
    space, carried = process.space, list(state.carried)
    dimension, place, latest = 1, 0, 0  # places count from 0 here
    left, possible = space.all, space.carriable(space.all)
    onwards: bool | None = None
    for number in _numbers(rng):
        if onwards is None:
            onwards = process.may_go_on(dimension, latest, left)
        here = 1 << place
        legal = (onwards, left != here, bool(left & possible & here))
        share = number * sum(weight for weight, fine in zip(weights, legal, strict=True) if fine)
        if onwards and share < weights[0]:
            dimension, possible, onwards = dimension + 1, space.carriable(left), None
            continue
        share -= weights[0] * onwards
        if legal[1] and (share < weights[1] or not legal[2]):
            behind = left >> place + 1
            place = place + _lowest(behind) + 1 if behind else _lowest(left)
            continue
        carried[place] = latest = dimension
        left, onwards = left & ~here, None
        if not left:
            break
    return ConstructionState(dimension, place + 1, tuple(carried))


def random_exploration(
    process: Exploration, rng: np.random.Generator, nonzero: float | Sequence[float] = 1.0
) -> ExplorationState:
    """A final state of the exploration.

    Args:
        nonzero: weight of every coefficient but 0, whose own weight is 1; one for all dimensions or one for each.
    """
    each = [nonzero] * len(process.terms) if isinstance(nonzero, (int, float)) else list(nonzero)
    coefficients: list[int] = []
    for dimension, terms, weight in zip(process.dimensions, process.terms, each, strict=True):
        shares = np.cumsum([1.0, *(weight,) * process.max_coefficient])
        numbers = rng.random(terms)
        chosen = np.searchsorted(shares, numbers * shares[-1], side="right").tolist()
        vertices = len(dimension.generators.vertices)
        if vertices > 1 and not any(chosen[:vertices]):
            chosen[vertices - 1] = 1 + int(numbers[vertices - 1] * process.max_coefficient)
        coefficients += chosen
    return ExplorationState(tuple(coefficients))


def _numbers(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(_DRAWN_AT_ONCE).tolist()


def _lowest(members: int) -> int:
    """The smallest member of a nonempty set."""
    return (members & -members).bit_length() - 1
