"""A search of the cursor's space from its starts, and the last round between what it found and what was there before.

A search starts from the loops as they were written. It may start from the default schedule as well: then that comes
first, and each start gets a share of the budget. The best few that it has measured, each in another moment of the
machine, are measured once more in turn: the fastest is what was found. In the end the original loops, the default
schedule and what was found are compiled anew and measured in turn with a burst of multiply-adds, so that shares of the
peak compare neighbours in time. Whatever wins is proven legal before anybody gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, Protocol, runtime_checkable

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.kept_files import package_version
from polyloop.backend.run.worker import Worker
from polyloop.cursor.base import AnyCursor, CursorProcess, CursorState, P, Problem
from polyloop.cursor.layouts import default_tree
from polyloop.cursor.process import NestCursor
from polyloop.errors import PolyloopError
from polyloop.measure.database import Key
from polyloop.measure.nests import Finalist, last_round
from polyloop.measure.planning import finalist, tree_finalist
from polyloop.measure.programs import ProgramEvaluator
from polyloop.schedules.legality import Violation, prove
from polyloop.schedules.tree import ScheduleTree
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.scripted import Scripted
from polyloop.search.journal import Journal
from polyloop.search.methods import METHODS, method
from polyloop.search.run import Budget, Found, Method, Point, identity, search

UNTUNED, DEFAULT = "untuned", "default"
"""Names of the starts."""

SCRIPTED, MODEL = "scripted", "model"

DEFAULT_SHARE = 0.5
"""Of the budget, for what starts from the default schedule; what it leaves goes to the other start."""

STEPS = 16
"""Steps of a walk."""

RUN_OFF_ROUNDS = 101
"""In which the best few of a search are measured once more."""

LONG_RUN = 0.01
"""Seconds of a run from which on one measurement is as good as another."""


@runtime_checkable
class StartsAnywhere(Method, Protocol):
    """A search that takes several programs to start from at once."""

    def starting(self, programs: tuple[Any, ...]) -> Method:
        """The same search from these."""


class Progress(Protocol):
    """Is told the name of the start that is searched from, and every evaluation."""

    def __call__(self, start: str, point: Point) -> None: ...


@dataclass(frozen=True)
class Program:
    """What may run in the end.

    Attributes:
        text: its loops.
        tree: its schedule, not proven yet.
        finalist: how it becomes code.
    """

    text: str
    tree: ScheduleTree
    finalist: Finalist


@dataclass(frozen=True)
class CursorFound(Generic[P]):
    """What a search of the cursor's space has found.

    Attributes:
        runs: one for every start, by its name.
        state: the best state of all runs; `value` its GFLOPS; `start` the name of the run that found it.
    """

    runs: Mapping[str, Found[CursorState[P]]]
    state: CursorState[P]
    value: float
    start: str

    @property
    def interrupted(self) -> bool:
        return any(run.ending == "interrupted" for run in self.runs.values())

    @property
    def evaluations(self) -> int:
        return sum(run.evaluations for run in self.runs.values())

    @property
    def leaders(self) -> tuple[CursorState[P], ...]:
        """States that led in one of the runs."""
        return tuple(place.state for run in self.runs.values() for place in run.leaders)

    @property
    def seconds(self) -> float:
        return sum(run.seconds for run in self.runs.values())

    @property
    def curve(self) -> tuple[Point, ...]:
        """The best so far, over all runs."""
        points: list[Point] = []
        evaluations, seconds, best = 0, 0.0, float("-inf")
        for run in self.runs.values():
            for point in run.curve:
                if point.best > best or point is run.curve[-1]:
                    best = max(best, point.best)
                    points.append(Point(evaluations + point.evaluations, seconds + point.seconds, best))
            evaluations, seconds = evaluations + run.evaluations, seconds + run.seconds
        return tuple(points)


def cursor_methods() -> tuple[str, ...]:
    """The searches that walk the cursor's space, by name."""
    return (*METHODS, SCRIPTED, MODEL)


def cursor_method(name: str, process: AnyCursor) -> Method:
    """The search of a name.

    Raises:
        PolyloopError: for another name, where a search needs a single contraction, or what is not installed.
    """
    if name == MODEL:
        from polyloop.search.cursor.guided import guided  # loads what learns

        return guided(process)
    if name != SCRIPTED:
        return method(name)
    if not isinstance(process, NestCursor):
        raise PolyloopError("the search 'scripted' takes one contraction of known sizes; others take any program")
    return Scripted(process.problem)


def search_cursor(
    process: CursorProcess[P],
    evaluator: ProgramEvaluator,
    chosen: Method,
    budget: Budget,
    *,
    seed: int = 0,
    from_default: bool = True,
    progress: Progress | None = None,
    journal: Path | None = None,
    threads: int = 1,
    anytime: bool = False,
) -> CursorFound[P]:
    """Search from the original loops, and from the default schedule if that is asked for and differs.

    Args:
        process: of episodes that end, unless the method looks at neighbours only.
        chosen: see `cursor_method`.
        budget: of all starts together.
        journal: a file to resume from, one with an ending of its own for every start.
        threads: of the default schedule's parallel loops.
        anytime: an interrupt (Ctrl-C) ends the search, not the call.
    Raises:
        JournalError: for the journal of another search or problem, and for a damaged one.
    """
    runs: dict[str, Found[CursorState[P]]] = {}
    starts = _starts(process, from_default and chosen.name != SCRIPTED, threads)
    if isinstance(chosen, StartsAnywhere):  # all of its starts in one run
        chosen = chosen.starting(tuple(state.program for state in starts.values()))
        starts = {UNTUNED: starts[UNTUNED]}
    journals = {name: Journal() for name in starts}
    if journal is not None:
        problem = _journalled(process, evaluator, threads)
        for name, state in starts.items():
            start = f"{name} {sha256(str(state).encode()).hexdigest()[:16]}"
            journals[name] = Journal(journal.with_name(f"{journal.name}.{name}"), {"start": start, **problem})
            journals[name].begin(identity(chosen, seed))  # whichever is not ours: before the first search
    for number, (name, state) in enumerate(starts.items()):
        last = number + 1 == len(starts)
        share = _rest(budget, runs) if last else _scaled(budget, DEFAULT_SHARE)
        told = _told(progress, name)
        objective = cursor_objective(replace(process, start=state), evaluator)
        runs[name] = search(objective, chosen, share, seed=seed, progress=told, journal=journals[name], anytime=anytime)
        if runs[name].ending == "interrupted":
            break
    best = max(runs, key=lambda name: runs[name].value)
    return CursorFound(runs, runs[best].best.state, runs[best].value, best)


def _journalled(process: AnyCursor, evaluator: ProgramEvaluator, threads: int) -> dict[str, object]:
    """All that an evaluation depends on, besides the search and where it starts."""
    problem, target = process.problem, host_target()
    return {
        "program": sha256(problem.scop.text.encode()).hexdigest(),
        "arrays": {array.name: str(dtype_of(array.type)) for array in problem.scop.arrays},
        "sizes": dict(problem.sizes),
        "reassociate": problem.reassociate,
        "contract": problem.contract,
        "actions": f"{process.kinds}, {process.length} steps",
        "threads": threads,
        "evaluator": f"{type(evaluator).__name__} {getattr(evaluator, 'settings', '')}",
        "machine": Key.of("", target, "").target,
        "version": package_version()[:16],
    }


def _starts(process: CursorProcess[P], from_default: bool, threads: int) -> dict[str, CursorState[P]]:
    first = process.default(host_target(), threads) if from_default else None
    untuned = process.initial()
    if first is None or first.program == untuned.program:
        return {UNTUNED: untuned}
    return {DEFAULT: first, UNTUNED: untuned}


def _scaled(budget: Budget, share: float) -> Budget:
    evaluations = budget.evaluations if budget.evaluations == float("inf") else max(1, int(share * budget.evaluations))
    return Budget(share * budget.seconds, evaluations)


def _rest(budget: Budget, runs: Mapping[str, Found[Any]]) -> Budget:
    spent, evaluated = sum(r.seconds for r in runs.values()), sum(r.evaluations for r in runs.values())
    return Budget(max(budget.seconds - spent, 0.0), max(budget.evaluations - evaluated, 1))


def _told(progress: Progress | None, name: str) -> Callable[[Point], None] | None:
    if progress is None:
        return None
    return lambda point: progress(name, point)


# --- The last round ---------------------------------------------------------------------------------------------------


def program_of(process: CursorProcess[P], state: CursorState[P]) -> Program:
    """A state as a program that can be compiled.

    Raises:
        LoweringError: if no code can be generated for it.
    """
    return Program(state.text, process.tree(state.program), finalist(process.problem, state.program))


def programs(process: CursorProcess[P], found: CursorFound[P], threads: int = 1) -> dict[str, Program]:
    """What competes in the last round: the original loops, the default schedule whole, and what was found."""
    first = process.initial()
    result = {UNTUNED: program_of(process, first)}
    if (default := default_program(process, threads)) is not None:
        result[DEFAULT] = default
    if found.state.program != first.program:
        result["found"] = program_of(process, found.state)
    return result


def fastest(
    process: CursorProcess[P], states: Sequence[CursorState[P]], gflops: float, worker: Worker, threads: int = 1
) -> CursorState[P]:
    """The fastest of some states, measured in turn.

    Args:
        gflops: of the first, as it was measured. It is the answer where a run takes long, so that other moments of the
            machine make no difference, and where measuring fails.
    """
    states = list({state.program: state for state in states}.values())
    if len(states) < 2 or process.problem.flops > LONG_RUN * gflops * 1e9:
        return states[0]
    try:
        finalists = {str(k): program_of(process, state).finalist for k, state in enumerate(states)}
        measured = last_round(worker, finalists, None, threads, RUN_OFF_ROUNDS)
    except (PolyloopError, BackendError):
        return states[0]
    return states[int(min(measured, key=lambda name: measured[name].median))]


def default_program(process: AnyCursor, threads: int = 1) -> Program | None:
    """The default schedule; None for a program that has none."""
    tree = default_tree(process.problem, host_target(), threads)
    return None if tree is None else Program(str(tree), tree, tree_finalist(process.problem, tree))


def proven(problem: Problem, program: Program) -> Program:
    """The program, if it keeps every dependence.

    Raises:
        PolyloopError: if not, which would be a bug.
    """
    verdict = prove(problem.scop, program.tree, problem.scop.dependences("memory"), problem.reassociate)
    if isinstance(verdict, Violation):
        raise PolyloopError(f"{verdict} (please report this)")
    return program
