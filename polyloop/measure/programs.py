"""Evaluators of the cursor's programs: seconds of a nest or a tree.

Whoever needs one is given one. `ModelledPrograms` runs nothing: deterministic, the same everywhere. What measures
stands in `polyloop.measure.measured_programs`: whoever asks the model loads no compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar, Protocol, cast, runtime_checkable

from polyloop.backend.machine.machine import Machine, machine_named
from polyloop.backend.plugins import Table
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import REFERENCE, NestModel, nest_model
from polyloop.cursor.nest import Nest
from polyloop.cursor.tree_model import tree_peak, tree_seconds
from polyloop.measure.protocol import Evaluates, EvaluatorBase, evaluator_of, evaluators
from polyloop.measure.result import Measurement
from polyloop.schedules.tree import ScheduleTree


@runtime_checkable
class ProgramEvaluator(Evaluates[Problem, Program, Measurement], Protocol):
    """Anything that says how long a program runs."""

    def peak(self, problem: Problem) -> float:
        """10^9 operations a second that a program may reach at best."""


PROGRAM_EVALUATORS: Table[Callable[[], ProgramEvaluator]] = evaluators(
    "polyloop.program_evaluators", "polyloop.measure.measured_programs:MeasuredPrograms", f"{__name__}:ModelledPrograms"
)
"""See `polyloop.measure.protocol.evaluators`."""


def program_evaluator(name: str) -> ProgramEvaluator:
    """A new evaluator of a name of `PROGRAM_EVALUATORS`; "model:zen3" is the model of the machine of that name, where
    "model" is that of rewards.

    Raises:
        PolyloopError: for another name, or if what a package makes is no evaluator.
        TargetError: for a machine that does not ship.
    """
    kind, _, machine = name.partition(":")
    if kind == "model" and machine:
        return ModelledPrograms(machine_named(machine))
    return cast(ProgramEvaluator, evaluator_of(PROGRAM_EVALUATORS, name, ProgramEvaluator))


def gflops(problem: Problem, record: Measurement) -> float:
    """10^9 operations a second, by the fastest run: what disturbs a run can only slow it down. 0 without one."""
    return problem.flops / record.minimum * 1e-9 if record.ran and record.minimum else 0.0


@dataclass
class Remembering(EvaluatorBase):
    """Asks once for every program."""

    remembered: ClassVar[int] = 1 << 17
    _known: dict[tuple[Problem, Program], Measurement] = field(default_factory=dict, repr=False, kw_only=True)

    def evaluate(self, problem: Problem, program: Program) -> Measurement:
        key = problem, program
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self.remembered:
                self._known.clear()
            known = self._known[key] = self._evaluated(problem, program)
        return known

    def _evaluated(self, problem: Problem, program: Program) -> Measurement:
        raise NotImplementedError


@dataclass
class ModelledPrograms(Remembering):
    """Seconds from `polyloop.cursor.model`.

    Attributes:
        machine: whose; that of rewards by default.
    """

    machine: Machine = field(default_factory=partial(machine_named, REFERENCE))

    remembered: ClassVar[int] = 1 << 14  # they are soon worked out again, and many environments have one each

    def peak(self, problem: Problem) -> float:
        if isinstance(problem, Contraction):
            return self._model.peak(problem)
        return tree_peak(problem, self._model)

    @cached_property
    def _model(self) -> NestModel:
        return nest_model(self.machine)

    def _evaluated(self, problem: Problem, program: Program) -> Measurement:
        if isinstance(problem, Contraction):
            assert isinstance(program, Nest)
            seconds = self._model.seconds(problem, program)
        else:
            assert isinstance(program, ScheduleTree)
            seconds = tree_seconds(problem, program, self._model)
        return Measurement(seconds, seconds)
