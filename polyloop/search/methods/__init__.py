"""The searches that walk any decision process, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from polyloop.errors import PolyloopError
from polyloop.search.methods.annealing import Annealing
from polyloop.search.methods.beam import Beam
from polyloop.search.methods.genetic import Genetic
from polyloop.search.methods.greedy import Greedy
from polyloop.search.methods.random_walks import RandomWalks
from polyloop.search.methods.tree_search import TreeSearch
from polyloop.search.run import Method

METHODS: Mapping[str, Callable[[], Method]] = MappingProxyType(
    {
        "random": RandomWalks,
        "greedy": Greedy,
        "greedy1": Greedy,
        "greedy2": lambda: Greedy(2),
        "beam": Beam,
        "beam-dfs2": lambda: Beam(2, "depth"),
        "beam-dfs4": lambda: Beam(4, "depth"),
        "beam-bfs2": lambda: Beam(2, "breadth"),
        "beam-bfs4": lambda: Beam(4, "breadth"),
        "mcts": TreeSearch,
        "anneal": Annealing,
        "genetic": Genetic,
    }
)


def method(name: str) -> Method:
    """The search of a name, with its default settings.

    Raises:
        PolyloopError: for another name.
    """
    if name not in METHODS:
        raise PolyloopError(f"unknown search {name!r}; there are: {', '.join(METHODS)}")
    return METHODS[name]()
