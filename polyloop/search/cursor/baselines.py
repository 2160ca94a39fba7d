"""What any policy is compared with, as policies of one interface: they take a process on a machine and come to a state.

None of them learns, and none measures: what they know of a program is what the model says of it, or nothing at all.
`untuned` does nothing, `constant` does the same everywhere (`polyloop.search.cursor.constants`), `random-50` takes the
best of fifty random walks by the model, `greedy`, `beam-4` and `beam-16` look at neighbours, and `teacher` writes good
nests down (`polyloop.search.cursor.plans`). PolyGym's heuristics do the same for schedules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import Any

from polyloop.backend.machine.machine import Machine
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.cursor.model import nest_model
from polyloop.cursor.process import NestCursor
from polyloop.errors import PolyloopError
from polyloop.measure.programs import ModelledPrograms, ProgramEvaluator, gflops
from polyloop.measure.schedules import Problem, ScheduleEvaluator
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.plans import layouts, way
from polyloop.search.methods.beam import Beam
from polyloop.search.methods.greedy import Greedy
from polyloop.search.objective import Objective, State
from polyloop.search.run import Budget, Method, Place, Run, search
from polyloop.search.schedule.heuristics import HEURISTICS, Chooser
from polyloop.spaces.scheduling import Scheduling

WALKS = 50
"""Of the random walks that the model chooses from."""

CONSTANT = (
    "down split_16 swap_down swap_down swap_down up up swap_down split_32 swap_up up swap_up swap_down down swap_down "
    "split_16 down down swap_down down"
)
"""The best sequence that is known for the problems of `polyloop.shipped.families` on their machines: a beam of 8 and
20,000 trials of the cross-entropy method found nothing better."""

_TRIED = 8
"""Layouts that the teacher looks for a way to."""


@dataclass(frozen=True)
class Task:
    """A cursor's process, and what its programs are worth on a machine.

    Attributes:
        process: of episodes that end.
    """

    process: AnyCursor
    machine: Machine
    evaluator: ProgramEvaluator

    @classmethod
    def of(cls, process: AnyCursor, machine: Machine) -> Task:
        """By the model of the machine."""
        return cls(process, machine, ModelledPrograms(machine))

    def worth(self, state: AnyState) -> float:
        """The share of the peak that a state reaches."""
        problem = self.process.problem
        return gflops(problem, self.evaluator.evaluate(problem, state.program)) / self.evaluator.peak(problem)

    def gain(self, state: AnyState) -> float:
        """What a state is better by than the original loops, as a share of the peak."""
        return self.worth(state) - self.worth(self.process.initial())


@dataclass(frozen=True)
class Ended:
    """Where a policy ends.

    Attributes:
        actions: that lead there; None where a state is written down that no short way leads to.
    """

    state: AnyState
    actions: tuple[int, ...] | None = None


CursorPolicy = Callable[[Task, int], Ended]
"""Takes a task and a seed."""


def untuned(task: Task, seed: int = 0) -> Ended:
    """The original loops."""
    return Ended(task.process.initial(), ())


def constant(words: str = CONSTANT) -> CursorPolicy:
    """The policy that plays the same actions, by name, everywhere; those that are not legal are left out."""
    names = words.split()

    def played(task: Task, seed: int = 0) -> Ended:
        process, actions = task.process, list[int]()
        state = process.initial()
        for name in names:
            action = process.names.index(name) if name in process.names else -1
            if not process.final(state) and process.obstacle(state, action) is None:
                state = process.step(state, action)
                actions.append(action)
        return Ended(state, tuple(actions))

    return played


@dataclass(frozen=True)
class SomeWalks:
    """So many random walks, and no more."""

    walks: int = WALKS

    @property
    def name(self) -> str:
        return f"{self.walks} random walks"

    def explore(self, run: Run[State]) -> None:
        for _ in range(self.walks):
            run.play(run.start())


def searching(method: Method) -> CursorPolicy:
    """The policy that takes what a search of the model finds."""

    def searched(task: Task, seed: int = 0) -> Ended:
        found = search(cursor_objective(task.process, task.evaluator), method, Budget(), seed=seed)
        return Ended(found.best.state, found.best.actions)

    return searched


def teacher(task: Task, seed: int = 0) -> Ended:
    """The best by the model of layouts of a contraction that the cursor has time for, the default schedule, and where a
    greedy search of a program of another form ends."""
    process = task.process
    ends = [untuned(task)]
    if isinstance(process, NestCursor):
        ends += _planned(process, task.machine)
    else:
        ends.append(searching(Greedy())(task, seed))
    if (state := process.default(nest_model(task.machine).target)) is not None:
        ends.append(Ended(state))
    return max(ends, key=lambda end: task.worth(end.state))


def played_teacher(task: Task, seed: int = 0) -> Ended:
    """The teacher, as far as actions lead there."""
    process, ends = task.process, [untuned(task)]
    ends += _planned(process, task.machine) if isinstance(process, NestCursor) else [searching(Greedy())(task, seed)]
    return max(ends, key=lambda end: task.worth(end.state))


def _planned(process: NestCursor, machine: Machine) -> list[Ended]:
    """The best layout that there is a way to."""
    for _, layout in layouts(process.problem, process.kinds.splits, nest_model(machine))[:_TRIED]:
        actions = way(process, layout, process.length or 1)
        if actions is not None:
            # Write-back nests may come out otherwise than a layout has them.
            return [Ended(reduce(process.step, actions, process.initial()), actions)]
    return []


BASELINES: Mapping[str, CursorPolicy] = MappingProxyType(
    {
        "untuned": untuned,
        "constant": constant(),
        "random-50": searching(SomeWalks()),
        "greedy": searching(Greedy()),
        "beam-4": searching(Beam(4)),
        "beam-16": searching(Beam(16)),
        "teacher": teacher,
        "played-teacher": played_teacher,
    }
)
"""By name, the cheapest first."""


def baseline(name: str) -> CursorPolicy:
    """Look a baseline up.

    Raises:
        PolyloopError: if there is none of that name.
    """
    if name not in BASELINES:
        raise PolyloopError(f"no baseline is called {name!r}; there are {', '.join(BASELINES)}")
    return BASELINES[name]


# --- Schedules --------------------------------------------------------------------------------------------------------

POLYGYM = ("uniform", "bias_select_dep", "bias_coeff_0")
"""The three heuristics of PolyGym."""


@dataclass(frozen=True)
class ScheduleTask:
    """A process of schedules, and what they are worth."""

    process: Scheduling
    problem: Problem
    evaluator: ScheduleEvaluator

    def speedup(self, state: Any) -> float:
        """Of a final state over the original loops."""
        return self.evaluator.evaluate(self.problem, self.process.schedule(state)).speedup


def heuristic(name: str, walks: int = 1) -> Callable[[ScheduleTask, int], Place[Any]]:
    """The policy that draws schedules as a heuristic does, and takes the best of some walks.

    Raises:
        PolyloopError: if there is no heuristic of that name.
    """
    if name not in HEURISTICS:
        raise PolyloopError(f"no heuristic is called {name!r}; there are {', '.join(HEURISTICS)}")

    def drawn(task: ScheduleTask, seed: int = 0) -> Place[Any]:
        process = replace(task.process, stop=False)
        weights = Chooser(process, HEURISTICS[name]).weights
        objective: Objective[Any] = Objective(process, task.speedup, everywhere=False, weights=weights)
        return search(objective, SomeWalks(walks), Budget(), seed=seed).best

    return drawn
