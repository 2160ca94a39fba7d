"""Samples of a schedule space: schedule number `index` of a heuristic is a function of (seed, heuristic, index) alone,
so that samples can be drawn again, in any order and in any process, without what was measured.

Schedules of permutable loops, drawn at random: every outer dimension is weak for all dependences.

Such dimensions are the hyperplanes of one tilable band, whatever their order. The rays of the cone of all weak vectors
are few and simple; a dimension is one of them, the smaller the likelier, or the sum of two, for each component of
statements, as long as it adds to the rank of some statement. What no drawn dimension carries is carried behind them,
as early as possible.

References:
    Bondhugula, Hartono, Ramanujam and Sadayappan, "A practical automatic polyhedral parallelizer and locality
    optimizer", PLDI 2008: the same cone; there an integer program chooses from it, here chance does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from zlib import crc32

import numpy as np

from polyloop.errors import PolyloopError
from polyloop.measure.schedules import CostModel, Problem
from polyloop.polyhedra.integer_matrix import Row, inner, matrix
from polyloop.schedules.isl_scheduler import groups
from polyloop.schedules.rows import Schedule, decode
from polyloop.scop.dependence import memory_dependences
from polyloop.search.objective import Objective
from polyloop.search.run import Place, Run
from polyloop.search.schedule.heuristics import HEURISTICS, Chooser
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling, SchedulingState
from polyloop.spaces.space import ScheduleSpace

GUIDED = "guided "
"""Before a heuristic's name: of `DRAWS` of its samples the one that the cost model likes best."""

SEPARATE = "separate "
"""Before a heuristic's name: statements that no cycle of dependences keeps together run one after the other, as isl's
scheduler has them when Polly calls it; a first dimension, of constants, carries what is between them."""

PERMUTABLE = "permutable"
"""See `polyloop.search.schedule.sampler`."""

DRAWS = 16


@dataclass
class Sampler:
    """Draws schedules of one problem.

    Attributes:
        name: of the problem: different problems draw different numbers.
    """

    name: str
    problem: Problem
    space: ScheduleSpace
    seed: int = 0
    model: CostModel = field(default_factory=CostModel)
    _processes: dict[str, tuple[Scheduling, Objective[SchedulingState]]] = field(default_factory=dict)

    def schedule(self, heuristic: str, index: int) -> Schedule:
        """One sample.

        Raises:
            PolyloopError: for an unknown heuristic.
        """
        numbers = [crc32(text.encode()) for text in (self.name, heuristic)]
        random = np.random.default_rng([self.seed, *numbers, index])
        check_heuristic(heuristic)
        name = heuristic.removeprefix(GUIDED)
        if name == heuristic:
            return self._drawn(name, random)
        drawn = [self._drawn(name, random) for _ in range(DRAWS)]
        return min(drawn, key=lambda schedule: self.model.seconds(self.problem, schedule))

    def actions(self, heuristic: str, index: int) -> tuple[int, ...]:
        """The walk of `polyloop.spaces.scheduling.Scheduling` that makes a sample, before its components are set apart.

        Raises:
            PolyloopError: for a heuristic that is unknown or does not walk.
        """
        check_heuristic(heuristic)
        name = heuristic.removeprefix(GUIDED)
        if name.removeprefix(SEPARATE) == PERMUTABLE:
            raise PolyloopError(f"schedules of {heuristic!r} are not made by walks")
        numbers = [crc32(text.encode()) for text in (self.name, heuristic)]
        random = np.random.default_rng([self.seed, *numbers, index])
        process, _ = self._process(name.removeprefix(SEPARATE))

        def seconds(place: Place[SchedulingState]) -> float:
            schedule = process.schedule(place.state)
            separate = name.startswith(SEPARATE)
            return self.model.seconds(self.problem, self.separated(schedule) if separate else schedule)

        walks = [self._walk(name.removeprefix(SEPARATE), random) for _ in range(1 if name == heuristic else DRAWS)]
        return min(walks, key=seconds).actions if len(walks) > 1 else walks[0].actions

    def _drawn(self, heuristic: str, random: np.random.Generator) -> Schedule:
        name = heuristic.removeprefix(SEPARATE)
        if name == PERMUTABLE:
            return self._permutable[name != heuristic].draw(random)
        schedule = self._process(name)[0].schedule(self._walk(name, random).state)
        return schedule if name == heuristic else self.separated(schedule)

    def _walk(self, heuristic: str, random: np.random.Generator) -> Place[SchedulingState]:
        run = Run(self._process(heuristic)[1], random=random)
        place = run.start()
        while not run.final(place):
            place = run.step(place, run.drawn(place))
        return place

    @cached_property
    def _permutable(self) -> tuple[Permutable, Permutable]:
        """For all statements together, and for the components apart."""
        return Permutable(self.space, (self.space.layout.statements,)), Permutable(self.space, self._components)

    def separated(self, schedule: Schedule) -> Schedule:
        """The schedule within the components; legal, as the order of these keeps every dependence."""
        rows = []
        for name, own in zip(schedule.statements, schedule.rows, strict=True):
            position = next(k for k, group in enumerate(self._components) if name in group)
            width = len(self.problem.scop.statement(name).iterators) + len(schedule.parameters)
            rows.append(((*(0,) * width, position), *own))
        return replace(schedule, rows=tuple(rows))

    @cached_property
    def _components(self) -> tuple[tuple[str, ...], ...]:
        scop = self.problem.scop
        return groups(scop, memory_dependences(scop), tuple(s.name for s in scop.statements), ())

    def _process(self, heuristic: str) -> tuple[Scheduling, Objective[SchedulingState]]:
        if heuristic not in self._processes:
            process = Scheduling(Construction(self.space))
            weights = Chooser(process, HEURISTICS[heuristic]).weights
            # Nobody asks for values: a sample is drawn before anything is measured.
            objective = Objective(process, lambda state: 0.0, everywhere=False, weights=weights)
            self._processes[heuristic] = process, objective
        return self._processes[heuristic]


def check_heuristic(name: str) -> None:
    """Raises:
    PolyloopError: if there is no such heuristic.
    """
    if name.removeprefix(GUIDED).removeprefix(SEPARATE) not in (*HEURISTICS, PERMUTABLE):
        known = ", ".join((*HEURISTICS, PERMUTABLE))
        also = " or ".join(f"'{words}NAME'" for words in (GUIDED, SEPARATE, GUIDED + SEPARATE))
        raise PolyloopError(f"there is no heuristic {name!r}; there are {known}, each also as {also}")


# --- Permutable bands -------------------------------------------------------------------------------------------------

_TRIES = 8
_SINGLE = 0.75
"""How often a dimension is one ray."""


@dataclass(frozen=True)
class Permutable:
    """Draws schedules of a space at statement granularity.

    Attributes:
        components: the statements, in groups that run one after the other; an order that keeps all dependences.
    """

    space: ScheduleSpace
    components: tuple[tuple[str, ...], ...]

    def draw(self, random: np.random.Generator) -> Schedule:
        """One schedule; it is legal."""
        vectors = [self._order] if len(self.components) > 1 else []
        spans: dict[str, list[Row]] = {name: [] for name in self.space.layout.statements}
        for _ in range(max(map(len, self.space.layout.iterators), default=0)):
            parts = [self._hyperplane(candidates, spans, random) for candidates in self._candidates]
            vector = tuple(map(sum, zip(*parts, strict=True)))
            for name, row in zip(self.space.layout.statements, self.space.layout.rows(vector), strict=True):
                spans[name].append(row)
            vectors.append(vector)
        vectors += self._rest(vectors)
        return self.space.schedule(vectors)

    @cached_property
    def _component(self) -> dict[str, int]:
        return {name: k for k, group in enumerate(self.components) for name in group}

    @cached_property
    def _inside(self) -> int:
        """The dependences within components."""
        component = self._component
        pairs = ((component[d.source], component[d.target]) for d in self.space.dependences)
        return sum(1 << k for k, (source, target) in enumerate(pairs) if source == target)

    @cached_property
    def _order(self) -> Row:
        layout = self.space.layout
        widths = [len(iterators) + len(layout.parameters) for iterators in layout.iterators]
        rows = [(*(0,) * width, self._component[name]) for name, width in zip(layout.statements, widths, strict=True)]
        vector = layout.vector(rows)
        assert vector is not None
        return vector

    @cached_property
    def _candidates(self) -> list[list[Row]]:
        """By component the rays that move its statements, and no others."""
        found: list[list[Row]] = [[] for _ in self.components]
        for ray in self.space.dimension(self._inside, 0).generators.directions:
            moved = {self._component[name] for name, depth, row in self._parts(ray) if any(row[:depth])}
            if len(moved) == 1:
                found[moved.pop()].append(ray)
        return found

    def _parts(self, vector: Row) -> list[tuple[str, int, Row]]:
        """(statement, its number of iterators, its row)."""
        layout = self.space.layout
        return [
            (name, len(iterators), row)
            for name, iterators, row in zip(layout.statements, layout.iterators, layout.rows(vector), strict=True)
        ]

    def _hyperplane(self, candidates: Sequence[Row], spans: dict[str, list[Row]], random: np.random.Generator) -> Row:
        nothing = (0,) * self.space.layout.dimension
        for _ in range(_TRIES if candidates else 0):
            count = 1 if random.random() < _SINGLE else 2
            weights = np.array([1 / sum(map(abs, candidate)) ** 2 for candidate in candidates])
            places = random.choice(len(candidates), size=count, p=weights / weights.sum())
            chosen = [candidates[int(k)] for k in places]
            vector = tuple(map(sum, zip(*chosen, strict=True)))
            if any(_adds(spans[name], row, depth) for name, depth, row in self._parts(vector)):
                return vector
        return nothing

    def _rest(self, vectors: Sequence[Row]) -> list[Row]:
        """Dimensions that carry what these do not."""
        left, result = self._inside, []
        for vector in vectors:
            left &= ~self._carried(vector)
        for members in self.space.greedy(left):
            dimension = self.space.dimension(left, members)
            result.append(decode(dimension.generators, dimension.simplest))
            left &= ~members
        return result

    def _carried(self, vector: Row) -> int:
        column = matrix([vector], self.space.layout.dimension)
        return sum(
            1 << k for k, system in enumerate(self.space.systems) if bool((inner(system.positive, column) > 0).all())
        )


def _adds(span: Sequence[Row], row: Row, depth: int) -> bool:
    """Whether a row is independent of others, parameters and constant apart."""
    known = np.array([other[:depth] for other in span], dtype=float).reshape(len(span), depth)
    new = np.vstack([known, np.array([row[:depth]], dtype=float)])
    return bool(np.linalg.matrix_rank(new) > (np.linalg.matrix_rank(known) if len(span) else 0))
