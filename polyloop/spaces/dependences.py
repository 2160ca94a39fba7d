"""The dependences of a schedule space: their order, their constraints, and the splitting of those that no schedule
dimension can carry.

A relation like {S[i,j] -> S[i+1,*]; S[i,j] -> S[i,j+1]} is carried by no single affine row. Such relations are split by
the loop that carries them in the original code; the rows of the original schedule then carry every part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import prod
from typing import Literal, TypeAlias

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.polyhedra.hulls import Hull, hull
from polyloop.polyhedra.integer_matrix import Matrix, distinct, to_rows
from polyloop.scop.dependence import Dependence, Granularity, schedule_of
from polyloop.scop.model import Scop
from polyloop.spaces.farkas import Layout, System, farkas_system


class DependenceOrderError(PolyloopError):
    """An order that does not name every dependence once."""


Pieces: TypeAlias = 'Literal["relation", "basic", "distance"]'
"""One dependence per source and target; per basic map of these; or, of stencils, per distance vector."""

_MOST_DISTANCES = 64


@dataclass(frozen=True)
class Part:
    """A dependence of the space and its constraints."""

    dependence: Dependence
    system: System


def space_parts(scop: Scop, layout: Layout, granularity: Granularity, pieces: Pieces = "basic") -> tuple[Part, ...]:
    """The last-access dependences in canonical order (source, target, text), each with its constraints; split by the
    carrying loop where otherwise not all could be carried, first of all those that no row can carry at all."""
    dependences = list(scop.dependences("value", granularity))
    place = {name: k for k, name in enumerate(layout.statements)}
    if pieces == "relation":
        dependences = [_united(list(group)) for _, group in groupby(dependences, key=lambda d: (d.source, d.target))]
    elif pieces == "distance":
        dependences = [part for d in dependences for part in _by_distance(d)]
        dependences.sort(key=lambda d: (place[d.source], place[d.target], d.text))
    known: dict[str, System] = {}
    while True:
        for d in dependences:
            if d.text not in known:
                known[d.text] = farkas_system(layout, d.source, d.target, d.relation)
        stuck = _stuck([known[d.text] for d in dependences], layout.dimension)
        alone = {k for k in stuck if _never_carried(known[dependences[k].text])}
        split = [_split(scop, d) if k in (alone or stuck) else [d] for k, d in enumerate(dependences)]
        if all(len(parts) == 1 for parts in split):
            return tuple(Part(d, known[d.text]) for d in dependences)
        flat = [part for parts in split for part in parts]
        dependences = sorted(flat, key=lambda d: (place[d.source], place[d.target], d.text))


def ordered(parts: tuple[Part, ...], order: Sequence[str | int]) -> tuple[Part, ...]:
    """The parts in a given order: indices from 0, or ``"S->T"`` for all of a source and a target.

    Raises:
        DependenceOrderError: if they are not every part once.
    """
    indices: list[int] = []
    for item in order:
        if isinstance(item, str):
            source, _, target = (text.strip() for text in item.partition("->"))
            pairs = [(part.dependence.source, part.dependence.target) for part in parts]
            indices += [k for k, pair in enumerate(pairs) if pair == (source, target)]
        else:
            indices.append(item)
    if sorted(indices) != list(range(len(parts))):
        known = ", ".join(f"{p.dependence.source}->{p.dependence.target}" for p in parts)
        raise DependenceOrderError(f"the order {list(order)} does not name each of these dependences once: {known}")
    return tuple(parts[k] for k in indices)


@dataclass(frozen=True)
class WeakSystems:
    """The weak constraints of several systems, each row once.

    Attributes:
        equalities, inequalities: rows in descending order.
        equality_owners, inequality_owners: systems by rows, whose row it is.
    """

    equalities: Matrix
    inequalities: Matrix
    equality_owners: NDArray[np.bool_]
    inequality_owners: NDArray[np.bool_]

    @classmethod
    def of(cls, systems: Sequence[System], dimension: int) -> WeakSystems:
        equalities, equality_owners = _shared([system.weak[0] for system in systems], dimension)
        inequalities, inequality_owners = _shared([system.weak[1] for system in systems], dimension)
        return cls(equalities, inequalities, equality_owners, inequality_owners)

    def rows(self, chosen: Sequence[int]) -> tuple[Matrix, Matrix]:
        """Equalities and inequalities of what is weak for all of the chosen systems."""
        picked = list(chosen)
        return (
            self.equalities[self.equality_owners[picked].any(axis=0)],
            self.inequalities[self.inequality_owners[picked].any(axis=0)],
        )

    def hull(self, chosen: Sequence[int]) -> Hull:
        """The cone of what is weak for all of the chosen systems."""
        return hull(*self.rows(chosen))


def _shared(parts: Sequence[Matrix], dimension: int) -> tuple[Matrix, NDArray[np.bool_]]:
    """The rows of all parts, each once, and which part has which."""
    rows = distinct(np.vstack([np.zeros((0, dimension), dtype=np.int64), *parts]))
    place = {row: k for k, row in enumerate(to_rows(rows))}
    owners = np.zeros((len(parts), len(rows)), dtype=bool)
    for part, owner in zip(parts, owners, strict=True):
        owner[[place[row] for row in to_rows(part)]] = True
    return rows, owners


def _stuck(systems: list[System], dimension: int) -> set[int]:
    """What is left when no dimension carries any more."""
    weak = WeakSystems.of(systems, dimension)
    left = set(range(len(systems)))
    while left:
        around = weak.hull(sorted(left))
        now = {k for k in left if not around.vanishes(systems[k].positive)}
        if not now:
            return left
        left -= now
    return left


def _never_carried(system: System) -> bool:
    return hull(*system.weak).vanishes(system.positive)


def _split(scop: Scop, dependence: Dependence) -> list[Dependence]:
    """The basic maps of a dependence's parts, by the row of the original schedule that carries them."""
    length = max(len(s.schedule) for s in scop.statements)
    ends = (scop.statement(name) for name in (dependence.source, dependence.target))
    source, target = (isl.Map.from_multi_pw_aff(schedule_of(scop, statement)) for statement in ends)
    dims = [f"{side}{k}" for side in "ab" for k in range(length)]
    first, second = ", ".join(dims[:length]), ", ".join(dims[length:])
    found = []
    for level in range(length):
        equal = [f"a{k} = b{k}" for k in range(level)]
        carried = isl.Map(f"{{ [{first}] -> [{second}] : {' and '.join([*equal, f'a{level} < b{level}'])} }}")
        between = source.apply_range(carried.align_params(source.get_space())).apply_range(target.reverse())
        for piece in (dependence.relation & between).coalesce().get_basic_maps():
            relation = isl.Map.from_basic_map(piece)
            found.append(replace(dependence, text=str(relation), relation=relation))
    return found


def _by_distance(dependence: Dependence) -> list[Dependence]:
    """One dependence per distance vector, if both ends have as many loops and there are few distances."""
    relation = dependence.relation
    dims = range(relation.dim(isl.dim_type.in_))
    if relation.dim(isl.dim_type.out) != len(dims):
        return [dependence]
    deltas = relation.set_tuple_name(isl.dim_type.in_, "").set_tuple_name(isl.dim_type.out, "").deltas()
    deltas = deltas.project_out(isl.dim_type.param, 0, deltas.dim(isl.dim_type.param))
    if not deltas.is_bounded():
        return [dependence]
    sizes = [deltas.dim_max_val(k).sub(deltas.dim_min_val(k)) for k in dims]
    if prod([int(size.to_python()) + 1 for size in sizes]) > _MOST_DISTANCES:
        return [dependence]
    points: list[isl.Point] = []
    deltas.foreach_point(points.append)
    found = []
    for point in points:
        piece = relation
        for k in dims:
            step = isl.Constraint.equality_alloc(isl.LocalSpace.from_space(relation.get_space()))
            step = step.set_constant_val(point.get_coordinate_val(isl.dim_type.set, k).neg())
            step = step.set_coefficient_val(isl.dim_type.in_, k, -1).set_coefficient_val(isl.dim_type.out, k, 1)
            piece = piece.add_constraint(step)
        found += [
            replace(dependence, text=str(part), relation=part)
            for part in (isl.Map.from_basic_map(basic) for basic in piece.coalesce().get_basic_maps())
        ]
    return found


def _united(group: list[Dependence]) -> Dependence:
    relation = group[0].relation
    for other in group[1:]:
        relation = relation.union(other.relation)
    kinds = frozenset().union(*(d.kinds for d in group))
    arrays = tuple(sorted({array for d in group for array in d.arrays}))
    return replace(
        group[0],
        text=str(relation),
        relation=relation,
        kinds=kinds,
        arrays=arrays,
        reduction=all(d.reduction for d in group),
    )


def hard_parts(dependences: Sequence[Dependence], chosen: int) -> Iterator[int]:
    """Subsets of the chosen dependences that may be as hard to carry as all of these: the cycles (the dependences
    inside a strongly connected component), then every dependence between two components with the cycles at its ends,
    the last one first. Sets of dependences are integers, bit k for dependence k."""
    import networkx as nx  # a quarter of a second, for few programs

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
