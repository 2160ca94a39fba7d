"""ScheduleSpace: all legal schedules of a Scop as one polyhedron per dimension, once it is decided which dimension
carries which dependence.

The polyhedron of dimension e holds the coefficient vectors (`polyloop.spaces.farkas.Layout`) that are weak for every
dependence that no dimension before e carries, and strong for those that e is to carry. Its rays and lines depend on the
former set alone and are cached by it; only the vertices depend on the latter.

Which dependences a dimension can carry is known exactly and without any vertices: one can be carried if none of its
rows with a positive constant vanishes on the cone of all weak vectors; and all that can be carried one by one can be
carried together, as the sum of their vectors shows.

Two caps keep dimensions small. Beyond `max_rays` rays only the shortest are kept, while they are
computed and in the end. Beyond `max_vertices` vertices (or
always, with ``exact=False``) one integer point, the *anchor*, made of rays, stands for all vertices. Both are sound
inner approximations: every point is legal, but not every legal point is reached. `Dimension` tells where they hold.

References:
    Pouchet et al., "Loop transformations: convexity, pruning and optimization", POPL 2011.
    Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021: the
    construction by choices of strong dependences, and the exploration of generators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.polyhedra import generator_store
from polyloop.polyhedra.double_description import TooManyRaysError
from polyloop.polyhedra.generators import Generators, Point
from polyloop.polyhedra.hulls import Hull
from polyloop.polyhedra.integer_matrix import Matrix, Row, inner, matrix
from polyloop.schedules.rows import Schedule
from polyloop.scop.dependence import Dependence, Granularity, basic_blocks
from polyloop.scop.model import Scop
from polyloop.spaces.dependences import Pieces, WeakSystems, hard_parts, ordered, space_parts
from polyloop.spaces.farkas import Layout, System
from polyloop.spaces.generators import anchor, cone_generators, shortest, strong_vertices
from polyloop.support.recent import Recent

_WORTH_STORING = 24
"""Systems with fewer rows are computed faster than they are read."""

_ENTRIES = 2_000_000
"""Numbers in all the dimensions that a space keeps: some 50 MB; of hulls and cones it keeps a quarter of that."""

_PARTS_KEPT = 64


class ScheduleSpaceError(PolyloopError):
    """A construction that leaves no schedule, or arguments that do not fit the Scop."""


@dataclass(frozen=True)
class Dimension:
    """One dimension's polyhedron.

    Attributes:
        generators: its vertices, rays and lines.
        anchored: one integer point stands for the vertices.
        capped: rays, the longest, were left out.
    """

    generators: Generators
    anchored: bool = False
    capped: bool = False

    @property
    def terms(self) -> int:
        """How many coefficients choose a point: the vertices, where there are several, and the directions."""
        vertices = len(self.generators.vertices)
        return (vertices if vertices > 1 else 0) + len(self.generators.directions)

    @property
    def simplest(self) -> list[int]:
        """The coefficients of the vertex whose absolute coordinates add up to the least (of equals the first), and of
        no ray or line."""
        vertices, chosen = self.generators.vertices, [0] * self.terms
        if len(vertices) > 1:
            chosen[min(range(len(vertices)), key=lambda k: sum(abs(float(x)) for x in vertices[k]))] = 1
        return chosen


@dataclass(frozen=True)
class ScheduleSpace:
    """The space of a Scop; build with `ScheduleSpace.of`. Sets of dependences are integers, bit k for dependence k.

    Attributes:
        layout: which coefficient is which.
        blocks: the statements that every row of the layout stands for.
        block_iterators: iterators of each of them.
        dependences: what has to be carried, in the order that actions count in (from 1 there, from 0 here).
        systems: the weak and strong constraints of each.
        exact: vertices as they are (up to the cap); else anchors everywhere.
    """

    layout: Layout
    blocks: tuple[tuple[str, ...], ...]
    block_iterators: tuple[tuple[tuple[str, ...], ...], ...]
    dependences: tuple[Dependence, ...]
    systems: tuple[System, ...]
    exact: bool = True
    max_rays: int = 512
    max_vertices: int = 256
    _hulls: Recent[int, Hull] = field(
        default_factory=lambda: Recent(_ENTRIES // 4, _hull_size), compare=False, repr=False
    )
    _carriable: dict[int, int] = field(default_factory=dict, compare=False, repr=False)
    _cones: Recent[int, tuple[Generators, bool]] = field(
        default_factory=lambda: Recent(_ENTRIES // 4, _cone_size), compare=False, repr=False
    )
    _dimensions: Recent[tuple[int, int], Dimension] = field(
        default_factory=lambda: Recent(_ENTRIES, _dimension_size), compare=False, repr=False
    )
    _greedy: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False, repr=False)
    _fitting: dict[int, int] = field(default_factory=dict, compare=False, repr=False)
    _too_many: dict[int, list[int]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        scop: Scop,
        *,
        context: isl.Set | str | None = None,
        parameter_coefficients: bool = False,
        granularity: Granularity = "statement",
        pieces: Pieces = "basic",
        order: Sequence[str | int] | None = None,
        exact: bool = True,
        max_rays: int = 512,
        max_vertices: int = 256,
    ) -> ScheduleSpace:
        """The space of a Scop's last-access dependences.

        Args:
            context: what else is known of the parameters, like ``"[n] -> { : n >= 4 }"``.
            parameter_coefficients: whether schedules may use the parameters.
            granularity: "block" gives adjacent assignments of one domain one row.
            pieces: how finely dependences are split: "relation" for one per source and target, "basic" for one per
                basic map, "distance" for one per distance vector where these are few. A dimension carries each of
                them whole, so that finer pieces give a larger space (isl's schedules of stencils need it).
            order: another order of the dependences than the canonical one (source, target, text): indices from 0, or
                ``"T->T"`` for all dependences of a source and a target.
        Raises:
            ScheduleSpaceError: if `order` does not name every dependence once.
        """
        if context is not None:
            known = isl.Set(context) if isinstance(context, str) else context
            scop = replace(scop, context=scop.context & known)
        names = basic_blocks(scop) if granularity == "block" else tuple((s.name,) for s in scop.statements)
        first = [scop.statement(block[0]) for block in names]
        layout = Layout(
            tuple(s.name for s in first), tuple(s.iterators for s in first), scop.parameters, parameter_coefficients
        )
        parts = space_parts(scop, layout, granularity, pieces)
        if order is not None:
            parts = ordered(parts, order)
        iterators = tuple(tuple(scop.statement(name).iterators for name in block) for block in names)
        given = tuple(part.dependence for part in parts), tuple(part.system for part in parts)
        return cls(layout, names, iterators, *given, exact, max_rays, max_vertices)

    @property
    def all(self) -> int:
        """The set of all dependences."""
        return (1 << len(self.dependences)) - 1

    # --- What can be carried ---------------------------------------------------------------------------------

    def carriable(self, uncarried: int) -> int:
        """Which of the uncarried dependences one dimension can carry: one, several, or all of these at once."""
        if uncarried not in self._carriable:
            rows, owners = self._positive
            hopeless = set(owners[self._hull(uncarried).vanishing(rows)].tolist())
            self._carriable[uncarried] = sum(1 << k for k in members_of(uncarried) if k not in hopeless)
        return self._carriable[uncarried]

    def greedy(self, uncarried: int | None = None) -> tuple[int, ...]:
        """What each further dimension carries if every one carries all that it can: the fewest dimensions
        (Feautrier, "Some efficient solutions to the affine scheduling problem, part II", 1992)."""
        left = self.all if uncarried is None else uncarried
        if left == 0:
            return ()
        if left not in self._greedy:
            now = self.carriable(left)
            if now == 0:
                raise ScheduleSpaceError(f"no dimension carries any of {self._names(left)}")
            self._greedy[left] = (now, *self.greedy(left & ~now))
        return self._greedy[left]

    def completes_within(self, uncarried: int, dimensions: int) -> bool:
        """Whether the greedy completion needs at most so many dimensions."""
        if uncarried == 0 or dimensions <= 0:
            return uncarried == 0
        if len(self.greedy()) <= dimensions:
            return True  # fewer dependences never need more dimensions
        if uncarried & ~self._fitting.get(dimensions, 0) == 0:
            return True
        known = self._too_many.setdefault(dimensions, [])
        if any(part & ~uncarried == 0 for part in known):
            return False  # more dependences never need fewer
        # Near the cap an agent asks anew after every choice; mostly it is the same small part that still does not fit.
        for part in chain(hard_parts(self.dependences, uncarried), (uncarried,)):
            if len(self.greedy(part)) > dimensions:
                known[:] = [part, *known[: _PARTS_KEPT - 1]]
                return False
        self._fitting[dimensions] = uncarried
        return True

    # --- Polyhedra -------------------------------------------------------------------------------------------

    def construct(self, carried: Sequence[int]) -> tuple[Dimension, ...]:
        """The polyhedra of all dimensions.

        Args:
            carried: for every dependence the dimension, from 1, that carries it. Without any dependences there is one
                free dimension.
        Raises:
            ScheduleSpaceError: if the numbers do not fit, or a dimension cannot carry what it is to carry.
        """
        if len(carried) != len(self.dependences) or any(c < 1 for c in carried):
            raise ScheduleSpaceError(
                f"each of {len(self.dependences)} dependences is carried by a dimension, from 1; got {list(carried)}"
            )
        left, result = self.all, []
        for dimension in range(1, max(carried, default=1) + 1):
            selected = sum(1 << k for k, c in enumerate(carried) if c == dimension)
            if selected & ~self.carriable(left):
                names = self._names(selected & ~self.carriable(left))
                raise ScheduleSpaceError(f"dimension {dimension} cannot carry {names}")
            result.append(self.dimension(left, selected))
            left &= ~selected
        return tuple(result)

    def dimension(self, uncarried: int, selected: int) -> Dimension:
        """The polyhedron that is weak for `uncarried` and strong for `selected`, a subset of it; empty generators where
        there is no such vector."""
        known = self._dimensions.get((uncarried, selected))
        return known or self._dimensions.keep((uncarried, selected), self._make(uncarried, selected))

    def schedule(self, vectors: Sequence[Row]) -> Schedule:
        """One coefficient vector per dimension as a schedule of all the Scop's statements. Where blocks have several,
        a last dimension orders these."""
        dimensions = [self.layout.rows(vector) for vector in vectors]
        several = any(len(block) > 1 for block in self.blocks)
        names, iterators, rows = [], [], []
        for k, (block, own) in enumerate(zip(self.blocks, self.block_iterators, strict=True)):
            for position, name in enumerate(block):
                last = (0,) * (len(own[position]) + len(self.layout.parameters)) + (position,)
                names.append(name)
                iterators.append(own[position])
                rows.append((*(dimension[k] for dimension in dimensions), *((last,) if several else ())))
        return Schedule(tuple(names), tuple(iterators), self.layout.parameters, tuple(rows))

    # --- Where a schedule lies -------------------------------------------------------------------------------

    def locate(self, schedule: Schedule) -> tuple[int, ...] | None:
        """The construction whose polyhedra hold a schedule, up to a positive factor in each dimension; every dependence
        is carried as early as the schedule does. None if there is none."""
        carried = [0] * len(self.dependences)
        left = self.all
        for dimension in range(schedule.dimensions):
            if left == 0:
                break
            vector = self._vector(schedule, dimension)
            if vector is None or not all(_is_weak(self.systems[k], vector) for k in members_of(left)):
                return None
            for k in members_of(left):
                if _is_strong(self.systems[k], vector):
                    carried[k] = dimension + 1
                    left &= ~(1 << k)
        return tuple(carried) if left == 0 else None

    def contains(self, schedule: Schedule) -> bool:
        """Whether a schedule's dimensions, up to positive factors, lie in the polyhedra of some construction."""
        return self.locate(schedule) is not None

    # --- Inside ----------------------------------------------------------------------------------------------

    def _vector(self, schedule: Schedule, dimension: int) -> Row | None:
        rows = dict(zip(schedule.statements, schedule.dimension(dimension), strict=True))
        for block in self.blocks:
            if any(rows[name] != rows[block[0]] for name in block):
                return None
        return self.layout.vector(rows[block[0]] for block in self.blocks)

    def _names(self, dependences: int) -> str:
        return ", ".join(self.dependences[k].pair_text() for k in members_of(dependences))

    def _hull(self, uncarried: int) -> Hull:
        known = self._hulls.get(uncarried)
        return known or self._hulls.keep(uncarried, self._weak.hull(members_of(uncarried)))

    @cached_property
    def _weak(self) -> WeakSystems:
        return WeakSystems.of(self.systems, self.layout.dimension)

    @cached_property
    def _positive(self) -> tuple[Matrix, NDArray[np.intp]]:
        """The positive rows of all systems, and the dependence of each."""
        none = np.zeros((0, self.layout.dimension), dtype=np.int64)
        rows = np.vstack([none, *(system.positive for system in self.systems)])
        return rows, np.repeat(np.arange(len(self.systems)), [len(system.positive) for system in self.systems])

    @cached_property
    def _digests(self) -> tuple[str, ...]:
        return tuple(generator_store.digest(f"{s.dimension}\n{s.equalities}\n{s.inequalities}") for s in self.systems)

    def _key(self, uncarried: int, selected: int) -> str | None:
        """A digest of the system, None for one that is not worth storing."""
        if sum(len(self.systems[k].inequalities) for k in members_of(uncarried)) < _WORTH_STORING:
            return None
        weak, strong = (sorted(self._digests[k] for k in members_of(part)) for part in (uncarried, selected))
        return generator_store.digest("\n".join((f"{self.max_rays}", *weak, "strong", *strong)))

    def _cone(self, uncarried: int) -> tuple[Generators, bool]:
        known = self._cones.get(uncarried)
        if known is not None:
            return known
        key = self._key(uncarried, 0)
        found = generator_store.load(key) if key else None
        if found is None:
            found = cone_generators(self._hull(uncarried), self.max_rays)
            if key:
                generator_store.save(key, *found)
        return self._cones.keep(uncarried, found)

    def _make(self, uncarried: int, selected: int) -> Dimension:
        cone, complete = self._cone(uncarried)
        rows = sorted({row for k in members_of(selected) for row in self.systems[k].strong_rows})
        anchored = False
        vertices = cone.vertices
        if rows:
            exact = self._vertices(uncarried, selected, cone, rows) if self.exact and complete else None
            anchored = exact is None
            vertices = self._anchor(uncarried, selected, cone, rows) if exact is None else exact
        kept = shortest(cone.rays, self.max_rays)
        generators = replace(cone, vertices=vertices, rays=kept)
        if not vertices:
            generators = replace(generators, rays=(), lines=())
        return Dimension(generators, anchored, not complete or len(kept) < len(cone.rays))

    def _anchor(self, uncarried: int, selected: int, cone: Generators, rows: Sequence[Row]) -> tuple[Point, ...]:
        """One point that stands for the vertices: a sum of rays; where the rays that were kept do not reach it, a point
        inside of the cone, far enough out."""
        found = anchor(cone, rows)
        if found or selected & ~self.carriable(uncarried):
            return found
        point = self._hull(uncarried).inner_point()
        return () if point is None else anchor(replace(cone, rays=(point,)), rows)

    def _vertices(
        self, uncarried: int, selected: int, cone: Generators, rows: Sequence[Row]
    ) -> tuple[Point, ...] | None:
        """All vertices, None if they are more than the cap."""
        key = self._key(uncarried, selected)
        stored = generator_store.load(key) if key else None
        if stored is not None:
            vertices = stored[0].vertices
        else:
            weak = self._weak.rows(members_of(uncarried))[1]
            try:
                vertices = strong_vertices(cone, weak, rows, 3 * self.max_vertices + len(cone.rays))
            except TooManyRaysError:
                return None
            if key and len(vertices) <= self.max_vertices:
                generator_store.save(key, replace(cone, vertices=vertices, rays=(), lines=()), True)
        return vertices if len(vertices) <= self.max_vertices else None


def _cone_size(cone: tuple[Generators, bool]) -> int:
    generators = cone[0]
    return generators.dimension * (len(generators.vertices) + len(generators.rays) + len(generators.lines))


def _dimension_size(dimension: Dimension) -> int:
    return _cone_size((dimension.generators, True))


def _hull_size(hull: Hull) -> int:
    return int(hull.basis.size + hull.inequalities.size)


def members_of(dependences: int) -> list[int]:
    """The numbers of the dependences of a set."""
    return [k for k in range(dependences.bit_length()) if dependences >> k & 1]


def _is_weak(system: System, vector: Row) -> bool:
    equalities, inequalities = system.weak
    x = matrix([vector], system.dimension)
    return not inner(equalities, x).any() and bool((inner(inequalities, x) >= 0).all())


def _is_strong(system: System, vector: Row) -> bool:
    return bool((inner(system.positive, matrix([vector], system.dimension)) > 0).all())
