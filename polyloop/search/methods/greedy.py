"""Greedy search: look one or two actions ahead, take the first of the best ones, go on from there."""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.search.objective import State
from polyloop.search.run import Place, Run


@dataclass(frozen=True)
class Greedy:
    """One walk to the end; of equally good actions the first is taken, and no state is entered twice.

    Attributes:
        lookahead: actions ahead, at least 1. A state is judged by the best of what is met within them.
    """

    lookahead: int = 1

    @property
    def name(self) -> str:
        return f"greedy {self.lookahead}"

    def explore(self, run: Run[State]) -> None:
        place = run.start()
        met = {place.state}
        # A process may lead in circles: what is judged equally good would be walked for ever.
        while children := [child for child in run.children(place) if child.state not in met]:
            met.update(child.state for child in children)
            place = max(children, key=lambda child: _promise(run, child, self.lookahead - 1))


def _promise(run: Run[State], place: Place[State], further: int) -> float:
    """The best estimate of a place and of what lies at most so many actions behind it."""
    best = run.estimate(place)
    if further:
        best = max([best, *(_promise(run, child, further - 1) for child in run.children(place))])
    return best
