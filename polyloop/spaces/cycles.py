"""Small parts of a set of dependences that need many dimensions by themselves: cycles, and pairs of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import networkx as nx

from polyloop.scop.dependence import Dependence


def hard_parts(dependences: Sequence[Dependence], chosen: int) -> Iterator[int]:
    """Subsets of the chosen dependences that may be as hard to carry as all of these: the cycles (the dependences
    inside a strongly connected component), then every dependence between two components with the cycles at its ends,
    the last one first. Sets of dependences are integers, bit k for dependence k."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    ends = {k: (d.source, d.target) for k, d in enumerate(dependences) if chosen >> k & 1}
    graph.add_edges_from(ends.values())
    component = {name: k for k, names in enumerate(nx.strongly_connected_components(graph)) for name in names}
    cycles: dict[int, int] = defaultdict(int)
    between = []
    for k, (source, target) in ends.items():
        if component[source] == component[target]:
            cycles[component[source]] |= 1 << k
        else:
            between.append((k, component[source], component[target]))
    yield from sorted(cycles.values())
    for k, first, second in reversed(between):
        yield 1 << k | cycles.get(first, 0) | cycles.get(second, 0)
