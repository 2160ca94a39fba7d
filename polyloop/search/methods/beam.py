"""Beam search, ranked by measured values: breadth-first (the best few of every level) and depth-first (the best few
children of every state, the best first)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyloop.search.objective import State
from polyloop.search.run import Place, Run


@dataclass(frozen=True)
class Beam:
    """Of equally good states the one met first stays.

    Attributes:
        width: states kept of a level, or children of a state, at least 1.
        order: "breadth" goes through level after level; "depth" follows the best child to the end before the next best.
    """

    width: int = 4
    order: Literal["breadth", "depth"] = "breadth"

    @property
    def name(self) -> str:
        return f"beam {self.order}-first {self.width}"

    def explore(self, run: Run[State]) -> None:
        start = run.start()
        if self.order == "breadth":
            self._by_levels(run, start)
        else:
            self._by_paths(run, start)

    def _by_levels(self, run: Run[State], start: Place[State]) -> None:
        level, met = [start], {start.state}
        while level:
            # States that several paths lead to take one place of the beam, and circles are walked once.
            children = {c.state: c for place in reversed(level) for c in reversed(run.children(place))}
            level = self._best(run, [c for c in reversed(children.values()) if c.state not in met])
            met.update(child.state for child in level)

    def _by_paths(self, run: Run[State], start: Place[State]) -> None:
        # A stack of its own: episodes may be longer than Python's.
        waiting, met = [start], {start.state}
        while waiting:
            children = [child for child in run.children(waiting.pop()) if child.state not in met]
            kept = self._best(run, children)
            met.update(child.state for child in kept)
            waiting.extend(reversed(kept))

    def _best(self, run: Run[State], places: list[Place[State]]) -> list[Place[State]]:
        return sorted(places, key=lambda place: -run.estimate(place))[: self.width]
