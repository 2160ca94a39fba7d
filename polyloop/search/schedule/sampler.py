"""Samples of a schedule space: schedule number `index` of a heuristic is a function of (seed, heuristic, index) alone,
so that samples can be drawn again, in any order and in any process, without what was measured."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from zlib import crc32

import numpy as np

from polyloop.errors import PolyloopError
from polyloop.measure.schedules import CostModel, Problem
from polyloop.schedules.isl_scheduler import groups
from polyloop.schedules.rows import Schedule
from polyloop.scop.dependence import memory_dependences
from polyloop.search.objective import Objective
from polyloop.search.run import Place, Run
from polyloop.search.schedule.heuristics import HEURISTICS, Chooser
from polyloop.spaces.construction import Construction
from polyloop.spaces.permutable import Permutable
from polyloop.spaces.scheduling import Scheduling, SchedulingState
from polyloop.spaces.space import ScheduleSpace

GUIDED = "guided "
"""Before a heuristic's name: of `DRAWS` of its samples the one that the cost model likes best."""

SEPARATE = "separate "
"""Before a heuristic's name: statements that no cycle of dependences keeps together run one after the other, as isl's
scheduler has them when Polly calls it; a first dimension, of constants, carries what is between them."""

PERMUTABLE = "permutable"
"""See `polyloop.spaces.permutable`."""

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
        random, name = self._random(heuristic, index), heuristic.removeprefix(GUIDED)
        if name == heuristic:
            return self._drawn(name, random)
        drawn = [self._drawn(name, random) for _ in range(DRAWS)]
        return min(drawn, key=lambda schedule: self.model.seconds(self.problem, schedule))

    def actions(self, heuristic: str, index: int) -> tuple[int, ...]:
        """The walk of `polyloop.spaces.scheduling.Scheduling` that makes a sample, before its components are set apart.

        Raises:
            PolyloopError: for a heuristic that is unknown or does not walk.
        """
        random, name = self._random(heuristic, index), heuristic.removeprefix(GUIDED)
        if name.removeprefix(SEPARATE) == PERMUTABLE:
            raise PolyloopError(f"schedules of {heuristic!r} are not made by walks")
        process, _ = self._process(name.removeprefix(SEPARATE))

        def seconds(place: Place[SchedulingState]) -> float:
            schedule = process.schedule(place.state)
            separate = name.startswith(SEPARATE)
            return self.model.seconds(self.problem, self.separated(schedule) if separate else schedule)

        walks = [self._walk(name.removeprefix(SEPARATE), random) for _ in range(1 if name == heuristic else DRAWS)]
        return min(walks, key=seconds).actions if len(walks) > 1 else walks[0].actions

    def _random(self, heuristic: str, index: int) -> np.random.Generator:
        check_heuristic(heuristic)
        return np.random.default_rng([self.seed, *(crc32(text.encode()) for text in (self.name, heuristic)), index])

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
