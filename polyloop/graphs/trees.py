"""The graph of a Scop under a schedule tree: every member of a band is a loop.

Sizes are those of the box around the statements' domains: for a row with E values, a loop over tiles of T elements has
``E div T`` whole iterations and a tail of ``E mod T``; the loop over the points of a tile has T.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import islpy as isl

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.graphs.nests import OUTSIDE, ComputeRow, LoopRow, NestGraphs
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.statements import ScopTable
from polyloop.schedules.tree import Band, Leaf, Member, Node, Path, ScheduleTree, solve
from polyloop.schedules.tree import Sequence as SequenceNode
from polyloop.scop.affine_isl import affine_to_text, fix_parameters
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop, Statement
from polyloop.support.recent import Recent

Place: TypeAlias = "tuple[Path, int]"
"""A loop of a tree: the path of its band and the member's index."""

KEPT = 1 << 16
"""Nodes and edges of graphs that are kept: a walk with a cursor asks for the same tree many times."""


class TreeGraphs:
    """Makes the graphs of one Scop's schedule trees; what they share is computed once.

    Args:
        sizes: a value for every parameter.
        dependences: those that become edges; the last-access ones of the Scop by default.
    """

    def __init__(self, scop: Scop, sizes: Mapping[str, int], dependences: Sequence[Dependence] | None = None) -> None:
        self._scop = scop
        chosen = scop.dependences("value") if dependences is None else dependences
        self._nests = NestGraphs(ScopTable(scop, sizes), chosen)
        self._boxes = _Boxes(scop, sizes)
        self._gains: dict[tuple[str, tuple[Affine, ...]], tuple[tuple[int, ...] | None, ...]] = {}
        self._known: Recent[ScheduleTree, tuple[ProgramGraph, dict[Place, int]]] = Recent(
            KEPT, lambda g: sum(g[0].size)
        )

    def graph(self, tree: ScheduleTree, cursor: Place | None = None) -> ProgramGraph:
        """The graph of a tree; the loop at `cursor` is marked.

        Raises:
            LookupError: if there is no such loop.
        """
        graph, places = self._known.get(tree) or self._known.keep(tree, self._made(tree))
        if cursor is None:
            return graph
        if cursor not in places:
            raise LookupError(f"no loop at {cursor} in this schedule tree")
        return graph.marked(places[cursor])

    def rows(self, tree: ScheduleTree) -> tuple[list[LoopRow], list[ComputeRow], list[Place]]:
        """The rows of a tree's loops and computations, and for each loop where it stands in the tree."""
        walk = _Walk(self)
        walk.node(tree.root, (), tree.statements, _Above(), 0)
        return walk.loops, walk.computations, walk.places

    def _made(self, tree: ScheduleTree) -> tuple[ProgramGraph, dict[Place, int]]:
        loops, computations, places = self.rows(tree)
        return self._nests.graph(loops, computations), {place: k for k, place in enumerate(places)}

    def extent(self, name: str, row: Affine) -> int:
        """How many values a row of a statement has at most."""
        return self._boxes.extent(name, row)

    def moves(self, name: str, around: Sequence[tuple[int, Member]]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """What the statement's iterators gain in one iteration of each of the loops (index, member) around it."""
        rows = tuple(dict.fromkeys(member.row(name) for _, member in around))
        key = name, rows
        if key not in self._gains:
            self._gains[key] = _gains(self._scop.statement(name), rows)
        by_row = dict(zip(rows, self._gains[key], strict=True))
        result = []
        for loop, member in around:
            gains = by_row[member.row(name)]
            if gains is not None:
                result.append((loop, tuple(gain * member.divisor for gain in gains)))
        return tuple(result)


@dataclass(frozen=True)
class _Above:
    """The loops around a place: (index, member), outermost first."""

    loops: tuple[tuple[int, Member], ...] = ()

    @property
    def parent(self) -> int:
        return self.loops[-1][0] if self.loops else OUTSIDE

    def inside(self, index: int, member: Member) -> _Above:
        return _Above((*self.loops, (index, member)))

    def elements(self, member: Member, graphs: TreeGraphs) -> int:
        """How many values the member's rows have in one iteration of the loops above."""
        return max((self._elements(name, row, graphs) for name, row in member.rows), default=0)

    def _elements(self, name: str, row: Affine, graphs: TreeGraphs) -> int:
        for _, outer in reversed(self.loops):
            if outer.row(name) == row:
                return min(outer.divisor, graphs.extent(name, row))
        return graphs.extent(name, row)


@dataclass
class _Walk:
    """Collects rows in preorder, which is the order of execution."""

    graphs: TreeGraphs
    loops: list[LoopRow] = field(default_factory=list)
    computations: list[ComputeRow] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def node(self, node: Node, path: Path, names: tuple[str, ...], above: _Above, position: int) -> int:
        """Add what a node stands for from a position among its siblings on; returns the position behind it."""
        match node:
            case Band(members, permutable, child):
                for k, member in enumerate(members):
                    index = len(self.loops)
                    self.loops.append(self._loop(member, above, position, permutable and len(members) > 1))
                    self.places.append((path, k))
                    above, position, after = above.inside(index, member), 0, position + 1
                    if k == 0:
                        behind = after
                self.node(child, (*path, 0), names, above, 0)
                return behind
            case SequenceNode(branches):
                for k, branch in enumerate(branches):
                    position = self.node(branch.node, (*path, k), branch.statements, above, position)
                return position
            case Leaf():
                for name in names:
                    self._close_tile(above)
                    self.computations.append(
                        ComputeRow(name, above.parent, position, self.graphs.moves(name, above.loops))
                    )
                    position += 1
                return position

    def _loop(self, member: Member, above: _Above, position: int, permutable: bool) -> LoopRow:
        size, tail = divmod(above.elements(member, self.graphs), member.divisor)
        text = str(member.rows[0][1]) if member.rows else ""
        return LoopRow(
            name=text if member.divisor == 1 else f"{text} / {member.divisor}",
            parent=above.parent,
            position=position,
            size=size,
            tail=tail,
            step=member.divisor,
            kind=member.kind,
            coincident=member.coincident,
            permutable=permutable,
            packed=bool(member.packings),
            prefetched=bool(member.prefetches),
        )

    def _close_tile(self, above: _Above) -> None:
        """Mark the run of unrolled and vector loops at the inner end as a register tile, if there is one to unroll."""
        tile = []
        for index, member in reversed(above.loops):
            if member.kind not in (LoopKind.UNROLLED, LoopKind.VECTOR):
                break
            tile.append(index)
        if any(self.loops[index].kind is LoopKind.UNROLLED for index in tile):
            for index in tile:
                self.loops[index] = replace(self.loops[index], register_tile=True)


@dataclass(frozen=True)
class _Boxes:
    """How many values rows of statements have, at sizes."""

    scop: Scop
    sizes: Mapping[str, int]
    _known: dict[tuple[str, Affine], int] = field(default_factory=dict)

    def extent(self, name: str, row: Affine) -> int:
        if (name, row) not in self._known:
            self._known[name, row] = self._extent(self.scop.statement(name), row)
        return self._known[name, row]

    def _extent(self, statement: Statement, row: Affine) -> int:
        domain = self._domains[statement.name]
        if domain.is_empty():
            return 0
        value = isl.Aff(f"[{', '.join(self.scop.parameters)}] -> {{ {statement.point} -> [{affine_to_text(row)}] }}")
        largest, smallest = domain.max_val(value), domain.min_val(value)
        return int(largest.sub(smallest).to_python()) + 1 if largest.is_int() and smallest.is_int() else 0

    @cached_property
    def _domains(self) -> dict[str, isl.Set]:
        return {s.name: fix_parameters(s.domain, self.sizes) for s in self.scop.statements}


def _gains(statement: Statement, rows: Sequence[Affine]) -> tuple[tuple[int, ...] | None, ...]:
    """For each row, what the iterators gain when it grows by one and the others stand still; None where they cannot."""
    matrix = [[Fraction(row.coefficient(iterator)) for iterator in statement.iterators] for row in rows]
    units = ([Fraction(int(n == k)) for n in range(len(rows))] for k in range(len(rows)))
    return tuple(_whole(solve(matrix, unit, statement.depth)) for unit in units)


def _whole(values: Sequence[Fraction] | None) -> tuple[int, ...] | None:
    if values is None or any(value.denominator != 1 for value in values):
        return None
    return tuple(int(value) for value in values)


def graph_json(scop: Scop, tree: ScheduleTree, sizes: Mapping[str, int]) -> str:
    """The graph of a tree as JSON text that networkx reads (node-link data)."""
    graph = TreeGraphs(scop, sizes).graph(tree)
    return json.dumps(graph.to_json(scop=scop.name, sizes=dict(sizes)), indent=1) + "\n"
