"""isl's scheduler on a Scop: a Pluto-like scheduler with Feautrier's as its fallback.

Verdoolaege and Janssens, "Scheduling for PPCG", Report CW 706, KU Leuven, 2017.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from itertools import combinations, pairwise

import islpy as isl

from polyloop.backend.ir.affine import affine
from polyloop.errors import PolyloopError
from polyloop.schedules.isl_trees import tree_from_isl
from polyloop.schedules.tree import (
    Band,
    Branch,
    Leaf,
    Member,
    Node,
    ScheduleTree,
    contiguous_iterator,
    restrict,
    rows_map,
)
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop, Statement

OPERATION_CAP = 200_000_000
"""isl operations that one call of the scheduler may spend: tens of seconds."""


class Fusion(Enum):
    """What isl may put into one band: strongly connected components one by one, all that shares data, or everything."""

    SEPARATE = "separate"
    DEFAULT = "default"
    MAXIMAL = "maximal"


class SchedulingError(PolyloopError):
    """isl gave up (operation cap)."""


def isl_schedule(
    scop: Scop, dependences: Sequence[Dependence], fusion: Fusion = Fusion.DEFAULT, reassociate: bool = False
) -> ScheduleTree:
    """The schedule that isl finds.

    Args:
        dependences: all that must hold, e.g. last-access RAW, WAR and WAW; all of them are validity and coincidence
            constraints, the RAW ones proximity too.
        reassociate: leave out the dependences of all reductions on themselves, not those of integers only.
    Raises:
        SchedulingError: beyond the operation cap.
        ScheduleFormError: if isl splits the instances of one statement (it does not by itself).
    """
    space = scop.domain.get_space()
    validity, proximity = isl.UnionMap.empty(space), isl.UnionMap.empty(space)
    for dependence in dependences:
        if dependence.is_free(reassociate):
            continue
        validity = validity.union(dependence.relation)
        if "RAW" in dependence.kinds:
            proximity = proximity.union(dependence.relation)
    constraints = (
        isl.ScheduleConstraints.on_domain(scop.domain)
        .set_context(scop.known)
        .set_validity(validity)
        .set_coincidence(validity)
        .set_proximity(proximity)
    )
    context = scop.domain.get_ctx()
    with _options(context, fusion):
        try:
            schedule = constraints.compute_schedule()
        except isl.Error as error:
            raise SchedulingError(f"isl's scheduler gave up on {scop.name}: {error}") from error
    return tree_from_isl(scop, schedule)


@contextmanager
def _options(context: isl.Context, fusion: Fusion) -> Iterator[None]:
    """isl's options belong to the context that everything shares: put them back."""
    before = (
        context.get_schedule_serialize_sccs(),
        context.get_schedule_whole_component(),
        context.get_schedule_maximize_band_depth(),
    )
    context.set_schedule_serialize_sccs(int(fusion is Fusion.SEPARATE))
    context.set_schedule_whole_component(int(fusion is Fusion.MAXIMAL))
    context.set_schedule_maximize_band_depth(1)
    context.reset_operations()
    context.set_max_operations(OPERATION_CAP)
    try:
        yield
    finally:
        context.set_max_operations(0)
        context.reset_operations()
        context.set_schedule_serialize_sccs(before[0])
        context.set_schedule_whole_component(before[1])
        context.set_schedule_maximize_band_depth(before[2])


# --- The vector loop settled before: innermost, along the contiguous direction of the stores --------------------------
# isl prefers outer loops that carry nothing and inner ones near in time to what they use, whatever the memory's
# layout is. Here the deepest statements are scheduled without the iterator along which they store contiguously, all
# its iterations at once; it becomes the innermost loop.
#
#     for i:  for j:  for k:  T[i][j] = max(T[i][j], T[i][k] + T[k+1][j])
#     ->  for i:  for k:  for j:  T[i][j] = max(T[i][j], T[i][k] + T[k+1][j])
#
# Kong, Veras, Stock, Franchetti, Pouchet and Sadayappan, "When Polyhedral Transformations Meet SIMD Code Generation",
# PLDI 2013, steer a scheduler so, too, by a model of costs; here it is by projection.


def innermost_lanes(scop: Scop, dependences: Sequence[Dependence], reassociate: bool = False) -> dict[str, str]:
    """Statement -> iterator, for the deepest statements: along it stores are contiguous, and instances that differ in
    nothing else do not depend on each other."""
    depth = max((s.depth for s in scop.statements), default=0)
    found = {}
    for statement in scop.statements:
        lane = contiguous_iterator(statement) if statement.depth == depth and depth > 1 else None
        own = [d for d in dependences if d.source == d.target == statement.name and not d.is_free(reassociate)]
        if lane is not None and all(_others_differ(d.relation, statement, lane) for d in own):
            found[statement.name] = lane
    return found


def schedule_around_lanes(
    scop: Scop,
    dependences: Sequence[Dependence],
    lanes: Mapping[str, str],
    fusion: Fusion = Fusion.SEPARATE,
    reassociate: bool = False,
) -> ScheduleTree | None:
    """isl's schedule of everything but the lanes, each of which becomes the loop innermost around its statement.

    None where statements with and without such a loop would share a place. Whether the tree is legal is still to be
    proven: what only the order of lanes keeps apart is not seen.

    Args:
        lanes: statement -> iterator, from `innermost_lanes`.
    Raises:
        SchedulingError, ScheduleFormError: see `isl_schedule`.
    """
    statements = tuple(_without(s, lanes[s.name]) if s.name in lanes else s for s in scop.statements)
    positions = {name: scop.statement(name).iterators.index(lane) for name, lane in lanes.items()}
    projected = [p for d in dependences if (p := _projected(d, positions, reassociate)) is not None]
    tree = isl_schedule(replace(scop, statements=statements), projected, fusion, reassociate=reassociate)
    root = _with_lanes(tree.root, tree.statements, lanes)
    return ScheduleTree(tree.statements, root) if root is not None else None


def _others_differ(relation: isl.Map, statement: Statement, lane: str) -> bool:
    same = isl.Map.universe(relation.get_space())
    for k, iterator in enumerate(statement.iterators):
        if iterator != lane:
            same = same.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    return bool(relation.is_disjoint(same))


def _without(statement: Statement, lane: str) -> Statement:
    """The statement once for all iterations of the lane; only its domain counts."""
    position = statement.iterators.index(lane)
    iterators = tuple(name for name in statement.iterators if name != lane)
    domain = statement.domain.project_out(isl.dim_type.set, position, 1).set_tuple_name(statement.name)
    for k, name in enumerate(iterators):
        domain = domain.set_dim_name(isl.dim_type.set, k, name)
    return replace(statement, iterators=iterators, domain=domain)


def _projected(dependence: Dependence, positions: Mapping[str, int], reassociate: bool) -> Dependence | None:
    """The dependence between statements without their lanes; None where none is left."""
    if dependence.is_free(reassociate):
        return None
    relation, source, target = dependence.relation, dependence.source, dependence.target
    if source in positions:
        relation = relation.project_out(isl.dim_type.in_, positions[source], 1)
    if target in positions:
        relation = relation.project_out(isl.dim_type.out, positions[target], 1)
    relation = relation.set_tuple_name(isl.dim_type.in_, source).set_tuple_name(isl.dim_type.out, target).coalesce()
    return replace(dependence, relation=relation, text=str(relation))


def _with_lanes(node: Node, names: tuple[str, ...], lanes: Mapping[str, str]) -> Node | None:
    match node:
        case Leaf():
            inside = [name for name in names if name in lanes]
            if not inside:
                return node
            rows = tuple((name, affine(lanes[name])) for name in inside)
            return Band((Member(rows),), False, node) if len(inside) == len(names) else None
        case Band(members, permutable, child):
            below = _with_lanes(child, names, lanes)
            return None if below is None else Band(members, permutable, below)
        case TreeSequence(branches):
            parts = [(b.statements, _with_lanes(b.node, b.statements, lanes)) for b in branches]
            new = tuple(Branch(statements, part) for statements, part in parts if part is not None)
            return TreeSequence(new) if len(new) == len(parts) else None


# --- Distribution -----------------------------------------------------------------------------------------------------
# Loop distribution: the groups of statements that a loop has to keep together.
#
# Kennedy and McKinley, "Loop Distribution with Arbitrary Control Flow", 1990, after Allen and Kennedy: the strongly
# connected components of the dependences that the loops outside leave open, in topological order.


def groups(
    scop: Scop,
    dependences: Iterable[Dependence],
    names: Sequence[str],
    outer: Sequence[Member],
    fuse_reductions: bool = False,
) -> tuple[tuple[str, ...], ...]:
    """Groups of statements that must share the loops inside `outer`, or fill rows together there, in an order that
    keeps the dependences.

    Args:
        names: statements that all members of `outer` order.
        outer: the loops outside, outermost first; dependences between instances at which they agree count.
        fuse_reductions: whether reductions whose order counts share the loop as well.
    """
    import networkx as nx  # a quarter of a second, for few programs

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    reductions: list[str] = []
    prefixes = {name: rows_map(scop, name, [m.row(name) // m.divisor for m in outer]) for name in names}
    for dependence in dependences:
        source, target = dependence.source, dependence.target
        if source not in prefixes or target not in prefixes or graph.has_edge(source, target):
            continue
        if source == target and (not fuse_reductions or dependence.exact or source in reductions):
            continue
        together = prefixes[source].apply_range(prefixes[target].reverse())
        if dependence.relation.intersect(together).is_empty():
            continue
        if source != target:
            graph.add_edge(source, target)
        elif scop.statement(source).reduction is not None and scop.statement(source).depth == len(outer) + 1:
            reductions.append(source)
    statements = [scop.statement(name) for name in names]
    for one, other in combinations(statements, 2):
        if interleave(one, other):
            graph.add_edges_from(((one.name, other.name), (other.name, one.name)))
    for pair in pairwise(sorted(reductions, key=names.index)):
        joined = graph.copy()
        joined.add_edges_from((pair, pair[::-1]))
        around = next(part for part in nx.strongly_connected_components(joined) if pair[0] in part)
        if around <= set(reductions):  # and nothing that may have lanes
            graph = joined
    condensed = nx.condensation(graph)
    position = {name: k for k, name in enumerate(names)}
    first = {c: min(position[name] for name in data["members"]) for c, data in condensed.nodes(data=True)}
    order = nx.lexicographical_topological_sort(condensed, key=first.__getitem__)
    return tuple(tuple(sorted(condensed.nodes[c]["members"], key=position.__getitem__)) for c in order)


def interleave(one: Statement, other: Statement) -> bool:
    """Whether what one statement writes lies between what the other one writes, as ``a[3*i]`` and ``a[3*i + 2]`` do:
    the lines that they touch are the same, and whole vectors of them are known only where both are computed."""
    first, second = one.target, other.target
    if first.array != second.array or one.depth != other.depth or not first.subscripts or first.data or second.data:
        return False
    same = {theirs: affine(own) for own, theirs in zip(one.iterators, other.iterators, strict=True)}
    *outer, last = (subscript.substitute(same) for subscript in second.subscripts)
    apart = abs((first.subscripts[-1] - last).constant)
    moves = (abs(last.coefficient(name)) for name in one.iterators)
    beside = [*first.subscripts[:-1]] == outer and (first.subscripts[-1] - last).is_constant
    return beside and any(0 < apart < stride for stride in moves)


def distributed(
    scop: Scop, tree: ScheduleTree, dependences: Sequence[Dependence], fuse_reductions: bool = False
) -> ScheduleTree:
    """The tree with every loop distributed as far as the dependences let it be.

    Rewrite:
        for i:  S(i);  T(i)   ->   for i: S(i);  for i: T(i)

    Args:
        fuse_reductions: those whose order counts share a loop where nothing between them needs one: they wait side by
            side then, and not one behind the other.

    Whether the whole tree is legal is still to be proven: distribution looks at one loop at a time.
    """
    root = _distributed(scop, tree.root, tuple(tree.statements), (), dependences, fuse_reductions)
    return ScheduleTree(tree.statements, root)


def _distributed(
    scop: Scop,
    node: Node,
    names: tuple[str, ...],
    outer: tuple[Member, ...],
    dependences: Sequence[Dependence],
    fuse_reductions: bool,
) -> Node:
    match node:
        case Leaf():
            return node
        case TreeSequence(branches):
            new = []
            for b in branches:
                above = tuple(m.restricted(frozenset(b.statements)) for m in outer)
                new.append(
                    Branch(b.statements, _distributed(scop, b.node, b.statements, above, dependences, fuse_reductions))
                )
            return TreeSequence(tuple(new))
        case Band(members, permutable, child):
            parts = groups(scop, dependences, names, outer, fuse_reductions)
            if len(parts) > 1:
                apart = []
                for part in parts:
                    above = tuple(m.restricted(frozenset(part)) for m in outer)
                    below = restrict(node, frozenset(part))
                    apart.append(Branch(part, _distributed(scop, below, part, above, dependences, fuse_reductions)))
                return TreeSequence(tuple(apart))
            inside: Node = child if len(members) == 1 else Band(members[1:], permutable, child)
            inside = _distributed(scop, inside, names, (*outer, members[0]), dependences, fuse_reductions)
            return _joined(members[0], permutable, inside)


def _joined(member: Member, permutable: bool, inside: Node) -> Band:
    """One band again where the inside was not distributed."""
    match inside:
        case Band(members, below, child) if permutable and below:
            return Band((member, *members), permutable, child)
        case _:
            return Band((member,), permutable, inside)
