"""The search that a learned model guides, on the space of all legal schedules: see `polyloop.search.guided`.

A thing is a schedule. Models see the loops that it becomes without tiles and vectors; what these change is left to what
is measured here and learnt from it. A neighbour takes another choice somewhere and goes on alike, where it can; mostly
that is another coefficient, as another construction takes time to become a polyhedron.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from polyloop.backend.machine.host import host_target
from polyloop.cursor.model import nest_model
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.errors import PolyloopError
from polyloop.measure.schedules import Problem
from polyloop.models.features import NAMES, Figures, matrix, program_features
from polyloop.models.training import needs_lightgbm
from polyloop.schedules.rows import Schedule
from polyloop.search.guided import Guided
from polyloop.search.run import Place, Run
from polyloop.spaces.scheduling import FIRST_COEFFICIENT, Scheduling

_COEFFICIENT = 0.75
"""How often a neighbour has another coefficient, and not another construction."""

_UNKNOWN = Figures(matrix([[-1.0] * len(NAMES)]), (1.0,))
"""Of what becomes no loops: a second, which is far too long."""


@dataclass(frozen=True)
class ScheduleMoves:
    """Schedules of a problem, and walks of the process that lead to them."""

    process: Scheduling = field(repr=False)
    problem: Problem = field(repr=False)
    _places: dict[Schedule, Place[Any]] = field(default_factory=dict, repr=False, compare=False)
    _loops: dict[Problem, TreeProblem] = field(default_factory=dict, repr=False, compare=False)

    def beginning(self, run: Run[Any]) -> Sequence[Schedule]:
        completion = run.objective.completion
        return () if completion is None else (self._walked(run, completion(run.start().state)),)

    def drawn(self, run: Run[Any]) -> Schedule:
        return self._walked(run)

    def neighbour(self, thing: Schedule, run: Run[Any]) -> Schedule:
        actions = self._places[thing].actions
        coefficients = [k for k, action in enumerate(actions) if action >= FIRST_COEFFICIENT]
        others = [k for k, action in enumerate(actions) if action < FIRST_COEFFICIENT]
        among = coefficients if coefficients and (not others or run.random.random() < _COEFFICIENT) else others
        return self._walked(run, actions, among[int(run.random.integers(len(among)))]) if among else thing

    def figures(self, thing: Schedule) -> Figures:
        scop = self.problem.scop
        try:
            tree = thing.to_tree(scop, scop.dependences("memory"), complete=True)
            if self.problem not in self._loops:
                self._loops[self.problem] = TreeProblem(scop, self.problem.sizes)
            return program_features(self._loops[self.problem], tree, nest_model(host_target().machine))
        except PolyloopError:
            return _UNKNOWN

    def parts(self, thing: Schedule) -> frozenset[Any]:
        """Rows of its statements."""
        return frozenset((k, at, row) for k, rows in enumerate(thing.rows) for at, row in enumerate(rows))

    def place(self, thing: Schedule, number: int, run: Run[Any]) -> Place[Any]:
        return self._places[thing]

    def _walked(self, run: Run[Any], actions: Sequence[int] = (), changed: int = -1) -> Schedule:
        """The end of a walk of some actions where they are legal; others are drawn, and so is the changed one."""
        place = run.start()
        while not run.final(place):
            at, legal = len(place.actions), run.legal(place)
            wanted = actions[at] if at < len(actions) else -1
            among = tuple(k for k in legal if k != wanted) if at == changed else legal
            place = run.step(place, wanted if wanted in among else run.drawn(place, among or legal))
        schedule = self.process.schedule(place.state)
        self._places.setdefault(schedule, place)
        return schedule


def guided_schedules(process: Scheduling, problem: Problem) -> Guided:
    """The search with settings for a space whose every step takes long.

    Raises:
        TrainingError: without lightgbm; says what to install.
    """
    needs_lightgbm()
    return Guided(ScheduleMoves(process, problem), chains=12, steps=8, first=1, batch=3, random=0.2)
