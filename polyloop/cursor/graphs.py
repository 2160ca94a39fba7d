"""Rectangular nests as program graphs: `polyloop.graphs` given row by row."""

from __future__ import annotations

from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import KINDS, Loops, Nest, inner_elements
from polyloop.graphs.nests import OUTSIDE, ComputeRow, LoopRow, NestGraphs
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.statements import ScopTable
from polyloop.support.recent import Recent

KEPT = 1 << 12
"""Nodes and edges of graphs that are kept: moving the cursor leaves the nest as it is."""


class NestStateGraphs:
    """Graphs of a contraction's nests: all that the cursor can stand on, and the statement in either nest."""

    def __init__(self, problem: Contraction) -> None:
        self._problem = problem
        self._graphs = NestGraphs(ScopTable(problem.scop, {}), problem.scop.dependences("value"))

        self._known: Recent[tuple[Nest, int], ProgramGraph] = Recent(KEPT, lambda graph: sum(graph.size))

    def graph(self, nest: Nest, cursor: int, visible: int) -> ProgramGraph:
        """The graph of a nest whose first `visible` rows are seen."""
        key = nest, visible
        graph = self._known.get(key) or self._known.keep(key, self._made(nest, visible))
        return graph.marked(cursor) if visible else graph

    def _made(self, nest: Nest, visible: int) -> ProgramGraph:
        problem, shared = self._problem, nest.shared
        loops = _rows(problem, nest.compute, OUTSIDE, 0, 0, True)
        own = range(len(nest.compute))
        computations = [ComputeRow(problem.main.name, len(loops) - 1, 0, _moves(problem, nest.compute, own))]
        if visible > len(loops):
            outside = shared - 1 if shared else OUTSIDE
            rows = _rows(problem, nest.store, outside, shared, len(loops), False)
            places = [*range(shared), *range(len(loops), len(loops) + len(rows))]
            loops += rows
            moves = _moves(problem, nest.store, places)
            computations.append(ComputeRow(problem.main.name, len(loops) - 1, 0, moves, in_compute=False))
        return self._graphs.graph(loops, computations)


def _rows(problem: Contraction, loops: Loops, parent: int, start: int, first: int, compute: bool) -> list[LoopRow]:
    """The loops from `start` on, below `parent`, counted from `first` on."""
    result: list[LoopRow] = []
    steps = inner_elements(loops)
    for k, loop in enumerate(loops[start:]):
        index = first + k
        name = loop.variable if steps[start + k] == 1 else f"{loop.variable}t"
        # Below a shared loop the write-back nest stands behind the compute nest.
        position = int(not compute) if k == 0 else 0
        above = parent if k == 0 else index - 1
        row = LoopRow(
            name,
            above,
            position,
            loop.size,
            loop.tail,
            steps[start + k],
            KINDS[loop.kind],
            in_compute=compute,
            coincident=loop.variable in problem.parallel,
            permutable=True,
        )
        result.append(row)
    return result


def _moves(problem: Contraction, loops: Loops, places: list[int] | range) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """For each loop, by its index in the graph, what the statement's iterators gain in one iteration."""
    names = problem.main.iterators
    return tuple(
        (place, tuple(step if name == loop.variable else 0 for name in names))
        for place, loop, step in zip(places, loops, inner_elements(loops), strict=True)
    )
