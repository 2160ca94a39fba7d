"""Monte-Carlo tree search with upper confidence bounds (UCT), for processes whose outcome is certain.

With priors, as of a trained policy, a child is selected by PUCT: how much is still hoped of it grows with its prior,
and children that were never visited compete with the others instead of coming first.

References:
    Silver et al., "Mastering the game of Go without human knowledge", Nature 2017, for PUCT; here the value of a child
    without visits is its parent's, and rollouts stand for the value network.
    Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006. Values are scaled to what was met so far;
    the best value below a node counts beside the mean, as there is no opponent and no chance; a part of the tree that
    is known completely is not entered again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Any, Generic

from polyloop.search.objective import State
from polyloop.search.run import Place, Run


@dataclass(frozen=True)
class TreeSearch:
    """Simulation after simulation, until the budget ends or the whole tree is known.

    Attributes:
        exploration: weight of the confidence bound, on values between 0 and 1.
        best_share: weight of a node's best value against its mean, 0 to 1.
        priors: for a state, how promising each action is, in any scale; illegal ones do not count. None for UCT.
    """

    exploration: float = 0.7
    best_share: float = 0.5
    name: str = "mcts"
    priors: Callable[[Any], Sequence[float]] | None = field(default=None, repr=False)

    def explore(self, run: Run[State]) -> None:
        """See `polyloop.search.run.Method`."""
        root = _node(run, run.start())
        while not root.closed:
            self._simulate(run, root)

    def _simulate(self, run: Run[State], root: _Node[State]) -> None:
        path = [root]
        while not path[-1].closed:
            node = path[-1]
            action = self._untried(run, node)
            if action is not None:
                path.append(_expanded(run, node, action))
                break
            path.append(self._selected(run, node))
        value = run.play(path[-1].place).value
        for node in reversed(path):
            node.record(value)
            node.closed = not node.untried and all(child.closed for child in node.children)

    def _untried(self, run: Run[State], node: _Node[State]) -> int | None:
        """The action to try for the first time, if it is the turn of one."""
        if not node.untried:
            return None
        if self.priors is None:
            return run.drawn(node.place, node.untried)
        every = self.priors(node.place.state)
        action = max(node.untried, key=lambda action: every[action])
        hope = self._exploitation(run, node) + self._wish(node, every[action], 0)
        waiting = [child for child in node.children if not child.closed]
        tried = max((self._bound(run, node, child) for child in waiting), default=-inf)
        return action if hope > tried or not waiting else None

    def _selected(self, run: Run[State], node: _Node[State]) -> _Node[State]:
        waiting = [child for child in node.children if not child.closed]
        return max(waiting, key=lambda child: self._bound(run, node, child))

    def _bound(self, run: Run[State], node: _Node[State], child: _Node[State]) -> float:
        exploitation = self._exploitation(run, child)
        if self.priors is not None:
            prior = self.priors(node.place.state)[child.place.actions[-1]]
            return exploitation + self._wish(node, prior, child.visits)
        return exploitation + self.exploration * sqrt(log(node.visits) / child.visits)

    def _exploitation(self, run: Run[State], node: _Node[State]) -> float:
        """What is known of a node, on values between 0 and 1."""
        running = node.visits - node.failures
        mean = run.rank(node.total / running) * running / node.visits if running else 0.0
        return (1 - self.best_share) * mean + self.best_share * run.rank(node.best)

    def _wish(self, node: _Node[State], prior: float, visits: int) -> float:
        """How much a child is worth a look for its prior's sake (its share of all legal actions')."""
        assert self.priors is not None
        legal = sum(self.priors(node.place.state)[action] for action in node.legal)
        share = prior / legal if legal > 0 else 1 / len(node.legal)
        return 2 * self.exploration * share * sqrt(node.visits) / (1 + visits)


@dataclass
class _Node(Generic[State]):
    place: Place[State]
    legal: tuple[int, ...]
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
    legal = run.legal(place)
    return _Node(place, legal, list(legal), closed=run.final(place))


def _expanded(run: Run[State], node: _Node[State], action: int) -> _Node[State]:
    """A new child, by an action not tried yet."""
    node.untried.remove(action)
    child = _node(run, run.step(node.place, action))
    node.children.append(child)
    return child
