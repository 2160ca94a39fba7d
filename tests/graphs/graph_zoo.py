"""Graphs of every kind, made by shipped kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.frontend import read_c
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.spaces import ExplorationGraphs, SpaceGraphs
from polyloop.graphs.trees import Place, TreeGraphs
from polyloop.schedules.legality import annotated
from polyloop.schedules.tree import Band, Packing, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import kernel
from polyloop.spaces.construction import Construction, ConstructionState, next_dependence
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.space import ScheduleSpace
from polyloop.transforms import JoinBands, RegisterTile, Tile, candidates, perform


@cache
def shipped(name: str) -> tuple[Scop, dict[str, int]]:
    """A shipped kernel and its SMALL sizes."""
    info = kernel(name)
    (scop,) = read_c(info.path)
    values = info.resolve("SMALL")
    return scop, {parameter: values[parameter] for parameter in scop.parameters}


@cache
def space(name: str, parameter_coefficients: bool = False) -> ScheduleSpace:
    scop, _ = shipped(name)
    return ScheduleSpace.of(scop, parameter_coefficients=parameter_coefficients)


def space_graphs(name: str, parameter_coefficients: bool = False) -> SpaceGraphs:
    return SpaceGraphs(*shipped(name), space(name, parameter_coefficients))


def with_kind(tree: ScheduleTree, kind: LoopKind) -> ScheduleTree:
    """The tree with its deepest loop of another kind."""
    path, band = max(tree.bands(), key=lambda found: len(found[0]))
    last = replace(band.members[-1], kind=kind)
    return tree.replaced(path, replace(band, members=(*band.members[:-1], last)))


def loops_of(tree: ScheduleTree) -> Iterator[Place]:
    """Where the loops of a tree stand, in the order of their nodes in its graph."""
    return ((path, k) for path, band in tree.bands() for k in range(len(band.members)))


def trees(name: str) -> Iterator[ScheduleTree]:
    """A kernel's own loops, its loops joined into bands, tiled, register-tiled, in lanes and in threads."""
    scop, _ = shipped(name)
    dependences = scop.dependences()
    tree = annotated(original_tree(scop), dependences)
    yield tree
    yield with_kind(tree, LoopKind.VECTOR)
    yield with_kind(tree, LoopKind.PARALLEL)
    path, band = next(tree.bands())
    read = scop.statements[-1].reads[-1]
    ahead = replace(band.members[0], packings=(Packing(scop.statements[-1].name, str(read), (0,)),))
    ahead = replace(ahead, prefetches=((read.array, 2),))
    yield tree.replaced(path, replace(band, members=(ahead, *band.members[1:])))
    for _ in range(3):
        join = next((t for t in candidates(tree) if isinstance(t, JoinBands)), None)
        if join is None:
            break
        tree = perform(tree, [join], dependences)
        yield tree
    path, band = max(tree.bands(), key=lambda found: len(found[1].members))
    for option in (Tile(path, (7,) * len(band.members)), RegisterTile(path, (4,) * len(band.members))):
        if option.obstacle(tree) is None and isinstance(tree.at(path), Band):
            yield option.rewritten(tree)


def constructions(graphs: SpaceGraphs, seed: int) -> Iterator[tuple[ConstructionState, ProgramGraph]]:
    """The states of a random construction and their graphs."""
    process, generator = Construction(graphs.space), np.random.default_rng(seed)
    state = process.initial()
    while not process.final(state):
        possible, following = process.carriable(state), next_dependence(state)
        yield state, graphs.construction(state.carried, state.dimension, state.dependence, possible, following)
        state = process.step(state, int(generator.choice(np.flatnonzero(process.actions(state)))))
    yield state, graphs.construction(state.carried, state.dimension)


def explorations(
    graphs: SpaceGraphs, seed: int, every: int = 1, lazy: bool = False
) -> Iterator[tuple[Exploration, int, ProgramGraph]]:
    """How many coefficients are chosen, and the graph, along an exploration of the greedy construction; coefficients
    are random, or the smallest that are legal."""
    process, generator = Construction(graphs.space), np.random.default_rng(seed)
    exploration = Exploration(graphs.space, process.completed(process.initial()))
    maker = ExplorationGraphs(graphs, exploration.construction, exploration.dimensions, 2)
    state = exploration.initial()
    while True:
        ended = exploration.final(state)
        if len(state.coefficients) % every == 0 or ended:
            nonzero = not ended and not exploration.actions(state)[0]
            yield exploration, len(state.coefficients), maker.graph(state.coefficients, nonzero)
        if ended:
            return
        legal = np.flatnonzero(exploration.actions(state))
        state = exploration.step(state, int(legal[0] if lazy else generator.choice(legal)))


def zoo() -> Iterator[ProgramGraph]:
    """Graphs that together use every feature."""
    for name in ("gemm", "jacobi-2d", "lu", "trisolv", "nussinov"):
        scop, sizes = shipped(name)
        maker = TreeGraphs(scop, sizes)
        for tree in trees(name):
            yield maker.graph(tree)
            yield maker.graph(tree, next(loops_of(tree)))
    for name in ("gemm", "trisolv", "durbin", "doitgen"):
        graphs = space_graphs(name, parameter_coefficients=name == "trisolv")
        yield from (graph for _, graph in constructions(graphs, 0))
        for lazy in (False, True):
            yield from (graph for _, _, graph in explorations(graphs, 0, lazy=lazy))


def same(one: ProgramGraph, other: ProgramGraph) -> bool:
    """Equal to the last bit, order included."""
    pairs = (
        (one.node_types, other.node_types),
        (one.node_features, other.node_features),
        (one.edges, other.edges),
        (one.edge_types, other.edge_types),
        (one.edge_features, other.edge_features),
    )
    return one.labels == other.labels and all(np.array_equal(a, b) for a, b in pairs)
