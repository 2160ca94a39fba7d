"""Prioritised replay: what surprised is seen again more often.

References:
    Schaul et al., "Prioritized Experience Replay", ICLR 2016, section 3.3 and appendix B.2.1 (the sum tree).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyloop.gnn.experience import Transition


class Replay:
    """The last transitions, drawn in proportion to priority ** `exponent`.

    Args:
        capacity: how many are kept; the oldest go first.
    """

    def __init__(self, capacity: int, exponent: float = 0.6) -> None:
        self.capacity, self.exponent = capacity, exponent
        self._leaves = 1 << max(capacity - 1, 0).bit_length()
        self._tree = np.zeros(2 * self._leaves)
        self._items: list[Transition] = []
        self._next = 0
        self._largest: float | None = None

    def __len__(self) -> int:
        return len(self._items)

    def add(self, transition: Transition, priority: float | None = None) -> None:
        """Keep a transition; without a priority it gets the largest one so far, so that it is seen soon. Until there is
        one, all get the same."""
        if len(self._items) < self.capacity:
            self._items.append(transition)
        else:
            self._items[self._next] = transition
        place = np.array([self._next])
        if priority is not None:
            self.update(place, np.array([priority]))
        else:
            self._set(place, np.array([1.0 if self._largest is None else self._largest]))
        self._next = (self._next + 1) % self.capacity

    def draw(
        self, count: int, correction: float, random: np.random.Generator
    ) -> tuple[list[Transition], NDArray[np.int64], NDArray[np.float32]]:
        """Some transitions, where they are, and the weights, at most 1, that undo the bias to the power
        `correction`."""
        total = self._tree[1]
        masses = (np.arange(count) + random.random(count)) * (total / count)
        places = np.ones(count, np.int64)
        while places[0] < self._leaves:
            places *= 2
            left = self._tree[places]
            # An empty right branch is never entered, whatever rounding does.
            right = (masses >= left) & (self._tree[places + 1] > 0)
            masses = np.where(right, masses - left, masses)
            places += right
        probabilities = self._tree[places] / total
        places = np.minimum(places - self._leaves, len(self._items) - 1)
        weights = (len(self._items) * probabilities) ** -correction
        return [self._items[k] for k in places], places, (weights / weights.max()).astype(np.float32)

    def update(self, places: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        """New priorities (absolute errors) of transitions that were drawn."""
        largest = float(np.abs(priorities).max())
        self._largest = largest if self._largest is None else max(self._largest, largest)
        self._set(places, priorities)

    def _set(self, places: NDArray[np.int64], priorities: NDArray[np.float64]) -> None:
        priorities = np.abs(priorities) + 1e-6
        nodes = places + self._leaves
        self._tree[nodes] = priorities**self.exponent
        while nodes[0] > 1:
            nodes = np.unique(nodes // 2)
            self._tree[nodes] = self._tree[2 * nodes] + self._tree[2 * nodes + 1]
