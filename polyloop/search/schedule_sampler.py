"""Samples of a schedule space: schedule number `index` of a heuristic is a function of (seed, heuristic, index) alone,
so that samples can be drawn again, in any order and in any process, without what was measured."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from zlib import crc32

import numpy as np

from polyloop.construction import Construction
from polyloop.dependence import memory_dependences
from polyloop.distribution import groups
from polyloop.errors import PolyloopError
from polyloop.evaluators import CostModel, Problem
from polyloop.schedule import Schedule
from polyloop.schedule_space import ScheduleSpace
from polyloop.scheduling import Scheduling, SchedulingState
from polyloop.search.heuristics import HEURISTICS, Chooser
from polyloop.search.objective import Objective
from polyloop.search.run import Run

GUIDED = "guided "
"""Before a heuristic's name: of `DRAWS` of its samples the one that the cost model likes best."""

SEPARATE = "separate "
"""Before a heuristic's name: statements that no cycle of dependences keeps together run one after the other, as isl's
scheduler has them when Polly calls it; a first dimension, of constants, carries what is between them."""

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
        guided, name = heuristic.startswith(GUIDED), heuristic.removeprefix(GUIDED)
        process, objective = self._process(name.removeprefix(SEPARATE))
        run = Run(objective, random=random)
        drawn = [_drawn(run, process) for _ in range(DRAWS if guided else 1)]
        if name.startswith(SEPARATE):
            drawn = [self._separated(schedule) for schedule in drawn]
        return min(drawn, key=lambda schedule: self.model.seconds(self.problem, schedule)) if guided else drawn[0]

    def _separated(self, schedule: Schedule) -> Schedule:
        """The schedule within the components; legal, as the order of these keeps every dependence."""
        rows = []
        for name, own in zip(schedule.statements, schedule.rows, strict=True):
            position = next(k for k, group in enumerate(self._components) if name in group)
            width = len(self.problem.scop.statement(name).iterators) + len(schedule.parameters)
            rows.append(((*(0,) * width, position), *own))
        return replace(schedule, rows=tuple(rows))

    @cached_property
    def _components(self) -> list[tuple[str, ...]]:
        scop = self.problem.scop
        return list(groups(scop, memory_dependences(scop), tuple(s.name for s in scop.statements), ()))

    def _process(self, heuristic: str) -> tuple[Scheduling, Objective[SchedulingState]]:
        if heuristic not in self._processes:
            check_heuristic(heuristic)
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
    if name.removeprefix(GUIDED).removeprefix(SEPARATE) not in HEURISTICS:
        known = ", ".join(HEURISTICS)
        also = " or ".join(f"'{words}NAME'" for words in (GUIDED, SEPARATE, GUIDED + SEPARATE))
        raise PolyloopError(f"there is no heuristic {name!r}; there are {known}, each also as {also}")


def _drawn(run: Run[SchedulingState], process: Scheduling) -> Schedule:
    place = run.start()
    while not run.final(place):
        place = run.step(place, run.drawn(place))
    return process.schedule(place.state)
