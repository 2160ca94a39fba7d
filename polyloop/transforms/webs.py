"""Webs: give every unconnected use of a scalar or of a local array a name of its own (renaming).

Like Expand this changes the Scop, not its schedule, and is proven by unchanged flow of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl
import networkx as nx

from polyloop.backend.ir.expressions import Access, Expression, Read, rewrite
from polyloop.scop.dependence import flow
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopTransform
from polyloop.transforms.storage import fresh_name, last_writes, names_of

_OUTSIDE = ("", None)
"""The node for values from before the Scop and for those that are read behind it."""


class IllegalRenamingError(IllegalScopTransformError):
    """A renaming that cannot be proven, or that changes nothing; says why."""


@dataclass(frozen=True)
class SplitWebs(ScopTransform):
    """Split an array in its webs: what no value connects gets storage of its own.

    Rewrite:
        for i: { t = A[i];  B[i] = t; }   for i: { t = C[i];  D[i] = t; }
        ->  for i: { t_1 = A[i];  B[i] = t_1; }   for i: { t = C[i];  D[i] = t; }

    A web is a connected component of writes and of reads that get their values from them. The web that values from
    before the Scop flow into, and the one whose last values are read behind it, keep the array, so that nothing has to
    be copied; the others become arrays that are local to the Scop.

    Compilers call this renaming, or splitting live ranges. Chow and Hennessy, "The Priority-Based Coloring Approach to
    Register Allocation", TOPLAS 1990; Cytron and Ferrante, "What's in a Name?", ICPP 1987.

    Attributes:
        array: its name.
    """

    array: str

    error = IllegalRenamingError

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Scalars and local arrays that several statements write."""
        for array in scop.arrays:
            writers = sum(s.target.array == array.name for s in scop.statements)
            if writers > 1 and (array.local or not array.shape):
                yield cls(array.name)

    @property
    def action(self) -> str:
        return f"split {self.array}"

    def changed(self, scop: Scop) -> Scop:
        """The Scop with an array for each web; refused if there is only one."""
        if not any(a.name == self.array for a in scop.arrays):
            raise self.refused(scop, "there is no such array")
        return _Renaming(self, scop).result()


def split_webs(scop: Scop) -> tuple[Scop, tuple[SplitWebs, ...]]:
    """The Scop with all scalars and local arrays in webs, and what was done to those that have several."""
    done = []
    for option in SplitWebs.candidates(scop):
        try:
            scop = option.apply(scop)
        except IllegalRenamingError:
            continue
        done.append(option)
    return scop, tuple(done)


class _Renaming:
    """One array of one Scop in its webs. A node is a statement's name and the read's access, None for its write."""

    def __init__(self, split: SplitWebs, scop: Scop) -> None:
        array = split.array
        self.split, self.scop, self.array = split, scop, scop.array(array)
        self.reads = [(s, access) for s in scop.statements for access in s.reads if access.array == array]
        self.writers = tuple(s for s in scop.statements if s.target.array == array)
        self.flows = {(s.name, access): flow(scop, s, access) for s, access in self.reads}

    def result(self) -> Scop:
        names = self._names()
        if len(set(names.values())) < 2:
            raise self._refused("all its uses are connected")
        statements = tuple(self._renamed(s, names) for s in self.scop.statements)
        new = [replace(self.array, name=name, local=True, may_alias=False) for name in dict.fromkeys(names.values())]
        arrays = (*self.scop.arrays, *(a for a in new if a.name != self.array.name))
        changed = replace(self.scop, arrays=arrays, statements=statements)
        self._prove(changed, names)
        return changed

    def _names(self) -> dict[tuple[str, Access | None], str]:
        """Which array each read and write gets."""
        graph: nx.Graph[tuple[str, Access | None]] = nx.Graph()
        graph.add_node(_OUTSIDE)
        graph.add_nodes_from((writer.name, None) for writer in self.writers)
        for node, (sources, before) in self.flows.items():
            graph.add_edges_from((node, (source, None)) for source in sources)
            if not before.is_empty() or not sources:
                graph.add_edge(node, _OUTSIDE)
        if not self.array.local:
            for writer, last in last_writes(self.scop, self.array.name):
                if not last.is_empty():
                    graph.add_edge((writer.name, None), _OUTSIDE)
        place = {s.name: k for k, s in enumerate(self.scop.statements)}
        webs = sorted(
            (web - {_OUTSIDE} for web in nx.connected_components(graph) if _OUTSIDE not in web),
            key=lambda web: min(place[name] for name, _ in web),
        )
        outside = nx.node_connected_component(graph, _OUTSIDE) - {_OUTSIDE}
        names = dict.fromkeys(outside, self.array.name)
        taken = set(names_of(self.scop))
        for number, web in enumerate(webs, 1):
            name = fresh_name(f"{self.array.name}_{number}", frozenset(taken))
            taken.add(name)
            names |= dict.fromkeys(web, name)
        return names

    def _renamed(self, statement: Statement, names: dict[tuple[str, Access | None], str]) -> Statement:
        def one(node: Expression) -> Expression:
            if isinstance(node, Read) and (statement.name, node.access) in names:
                return replace(node, access=replace(node.access, array=names[statement.name, node.access]))
            return node

        target = statement.target
        if (statement.name, None) in names:
            target = replace(target, array=names[statement.name, None])
        changed = replace(statement, target=target, value=rewrite(statement.value, one))
        still = changed.reduction and target in changed.reads
        return replace(changed, reduction=statement.reduction if still else None)

    def _prove(self, new: Scop, names: dict[tuple[str, Access | None], str]) -> None:
        """Every read has the sources it had, and the old array ends with the writes it ended with.

        Raises:
            IllegalRenamingError: if not.
        """
        for old, access in self.reads:
            sources, before = self.flows[old.name, access]
            renamed = replace(access, array=names[old.name, access])
            found, missing = flow(new, new.statement(old.name), renamed)
            same = set(found) == set(sources) and all(found[name].is_equal(sources[name]) for name in sources)
            if not same or not (missing.is_equal(before) and (renamed == access or missing.is_empty())):
                raise self._refused(f"{old.name} would read other values")
        if not self.array.local and not _same(
            last_writes(self.scop, self.array.name), last_writes(new, self.array.name)
        ):
            raise self._refused("it would end with other values")

    def _refused(self, reason: str) -> IllegalScopTransformError:
        return self.split.refused(self.scop, reason)


def _same(first: Iterator[tuple[Statement, isl.Set]], second: Iterator[tuple[Statement, isl.Set]]) -> bool:
    """Whether the same instances write last, statements without any left out."""
    one, other = ({s.name: last for s, last in writes if not last.is_empty()} for writes in (first, second))
    return set(one) == set(other) and all(one[name].is_equal(other[name]) for name in one)
