"""Monte-Carlo tree search with upper confidence bounds (UCT), for processes whose outcome is certain.

References:
    Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006. Values are scaled to what was met so far;
    the best value below a node counts beside the mean, as there is no opponent and no chance; a part of the tree that
    is known completely is not entered again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Generic

from polyloop.search.objective import State
from polyloop.search.run import Place, Run


@dataclass(frozen=True)
class TreeSearch:
    """Simulation after simulation, until the budget ends or the whole tree is known.

    Attributes:
        exploration: weight of the confidence bound, on values between 0 and 1.
        best_share: weight of a node's best value against its mean, 0 to 1.
    """

    exploration: float = 0.7
    best_share: float = 0.5
    name: str = "mcts"

    def explore(self, run: Run[State]) -> None:
        """See `polyloop.search.run.Method`."""
        root = _node(run, run.start())
        while not root.closed:
            self._simulate(run, root)

    def _simulate(self, run: Run[State], root: _Node[State]) -> None:
        path = [root]
        while not path[-1].untried and not path[-1].closed:
            path.append(self._selected(run, path[-1]))
        if path[-1].untried:
            path.append(_expanded(run, path[-1]))
        value = run.play(path[-1].place).value
        for node in reversed(path):
            node.record(value)
            node.closed = not node.untried and all(child.closed for child in node.children)

    def _selected(self, run: Run[State], node: _Node[State]) -> _Node[State]:
        waiting = [child for child in node.children if not child.closed]
        return max(waiting, key=lambda child: self._bound(run, node, child))

    def _bound(self, run: Run[State], node: _Node[State], child: _Node[State]) -> float:
        running = child.visits - child.failures
        mean = run.rank(child.total / running) * running / child.visits if running else 0.0
        exploitation = (1 - self.best_share) * mean + self.best_share * run.rank(child.best)
        return exploitation + self.exploration * sqrt(log(node.visits) / child.visits)


@dataclass
class _Node(Generic[State]):
    place: Place[State]
    untried: list[int]
    children: list[_Node[State]] = field(default_factory=list)
    visits: int = 0
    failures: int = 0
    total: float = 0.0
    best: float = -inf
    closed: bool = False

    def record(self, value: float) -> None:
        self.visits += 1
        self.best = max(self.best, value)
        if value > -inf:
            self.total += value
        else:
            self.failures += 1


def _node(run: Run[State], place: Place[State]) -> _Node[State]:
    return _Node(place, list(run.legal(place)), closed=run.final(place))


def _expanded(run: Run[State], node: _Node[State]) -> _Node[State]:
    """A new child, by an action drawn from those not tried yet."""
    action = run.drawn(node.place, node.untried)
    node.untried.remove(action)
    child = _node(run, run.step(node.place, action))
    node.children.append(child)
    return child
