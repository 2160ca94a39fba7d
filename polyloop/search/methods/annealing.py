"""Simulated annealing on whole walks: a neighbour takes another action somewhere and goes on alike, where it can.

References:
    Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 1983. The temperature falls
    by evaluations, not by the clock, so that a run can be repeated. When it is cold, the next cycle starts from the
    best walk.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from polyloop.search.objective import State
from polyloop.search.run import Run


@dataclass(frozen=True)
class Annealing:
    """Cycles of cooling.

    Attributes:
        hot, cold: first and last temperature of a cycle, as a share of the range of values met so far.
        cycle: walks of a cycle.
    """

    hot: float = 0.3
    cold: float = 0.01
    cycle: int = 100
    name: str = "anneal"

    def explore(self, run: Run[State]) -> None:
        best = current = run.play(run.start())
        if not current.end.actions:
            return
        while True:
            for turn in range(self.cycle):
                temperature = self.hot * (self.cold / self.hot) ** (turn / self.cycle)
                position = int(run.random.integers(len(current.end.actions)))
                neighbour = run.play(run.start(), current.end.actions, (position,))
                loss = run.rank(current.value) - run.rank(neighbour.value)
                if loss <= 0 or run.random.random() < exp(-loss / temperature):
                    current = neighbour
                if neighbour.value > best.value:
                    best = neighbour
            current = best
