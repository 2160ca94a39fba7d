"""Loop distribution: the groups of statements that a loop has to keep together.

Kennedy and McKinley, "Loop Distribution with Arbitrary Control Flow", 1990, after Allen and Kennedy: the strongly
connected components of the dependences that the loops outside leave open, in topological order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx

from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, ScheduleTree, restrict, rows_map
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop


def groups(
    scop: Scop, dependences: Iterable[Dependence], names: Sequence[str], outer: Sequence[Member]
) -> tuple[tuple[str, ...], ...]:
    """Groups of statements that must share the loops inside `outer`, in an order that keeps the dependences.

    Args:
        names: statements that all members of `outer` order.
        outer: the loops outside, outermost first; dependences between instances at which they agree count.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    prefixes = {name: rows_map(scop, name, [m.row(name) // m.divisor for m in outer]) for name in names}
    for dependence in dependences:
        source, target = dependence.source, dependence.target
        if source not in prefixes or target not in prefixes or source == target or graph.has_edge(source, target):
            continue
        together = prefixes[source].apply_range(prefixes[target].reverse())
        if not dependence.relation.intersect(together).is_empty():
            graph.add_edge(source, target)
    condensed = nx.condensation(graph)
    position = {name: k for k, name in enumerate(names)}
    first = {c: min(position[name] for name in data["members"]) for c, data in condensed.nodes(data=True)}
    order = nx.lexicographical_topological_sort(condensed, key=first.__getitem__)
    return tuple(tuple(sorted(condensed.nodes[c]["members"], key=position.__getitem__)) for c in order)


def distributed(scop: Scop, tree: ScheduleTree, dependences: Sequence[Dependence]) -> ScheduleTree:
    """The tree with every loop distributed as far as the dependences let it be.

    Rewrite:
        for i:  S(i);  T(i)   ->   for i: S(i);  for i: T(i)

    Whether the whole tree is legal is still to be proven: distribution looks at one loop at a time.
    """
    return ScheduleTree(tree.statements, _distributed(scop, tree.root, tuple(tree.statements), (), dependences))


def _distributed(
    scop: Scop, node: Node, names: tuple[str, ...], outer: tuple[Member, ...], dependences: Sequence[Dependence]
) -> Node:
    match node:
        case Leaf():
            return node
        case TreeSequence(branches):
            new = []
            for b in branches:
                above = tuple(m.restricted(frozenset(b.statements)) for m in outer)
                new.append(Branch(b.statements, _distributed(scop, b.node, b.statements, above, dependences)))
            return TreeSequence(tuple(new))
        case Band(members, permutable, child):
            parts = groups(scop, dependences, names, outer)
            if len(parts) > 1:
                apart = []
                for part in parts:
                    above = tuple(m.restricted(frozenset(part)) for m in outer)
                    below = restrict(node, frozenset(part))
                    apart.append(Branch(part, _distributed(scop, below, part, above, dependences)))
                return TreeSequence(tuple(apart))
            inside: Node = child if len(members) == 1 else Band(members[1:], permutable, child)
            inside = _distributed(scop, inside, names, (*outer, members[0]), dependences)
            return _joined(members[0], permutable, inside)


def _joined(member: Member, permutable: bool, inside: Node) -> Band:
    """One band again where the inside was not distributed."""
    match inside:
        case Band(members, below, child) if permutable and below:
            return Band((member, *members), permutable, child)
        case _:
            return Band((member,), permutable, inside)
