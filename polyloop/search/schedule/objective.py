"""Schedule spaces as objectives of the searches.

Only final states have values: the speedups of their schedules. Inner states stand for their simplest completion: what
is left is carried as early as possible, and every dimension takes its simplest vertex, or what is left of it.
"""

from __future__ import annotations

from functools import reduce

from polyloop.measure.schedules import Problem, ScheduleEvaluator
from polyloop.search.objective import Objective
from polyloop.search.schedule.heuristics import Chooser, Heuristic, construction_actions
from polyloop.spaces.construction import Construction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.scheduling import FIRST_COEFFICIENT, Scheduling, SchedulingState, simplest_point


def scheduling_objective(
    process: Scheduling, problem: Problem, evaluator: ScheduleEvaluator, heuristic: Heuristic | None = None
) -> Objective[SchedulingState]:
    """Both phases.

    Args:
        heuristic: how random walks choose; without one all legal actions alike.
    """

    def completion(state: SchedulingState) -> tuple[int, ...]:
        if state.exploration is not None:
            coefficients = _rest(process.exploration(state.construction), state.exploration)
            return tuple(FIRST_COEFFICIENT + c for c in coefficients)
        actions = _shortest(process.construction, state.construction)
        reached = reduce(process.construction.step, actions, state.construction)
        point = simplest_point(process.exploration(reached)).coefficients
        return (*actions, *(FIRST_COEFFICIENT + c for c in point))

    return Objective(
        process,
        lambda state: evaluator.evaluate(problem, process.schedule(state)).speedup,
        everywhere=False,
        weights=None if heuristic is None else Chooser(process, heuristic).weights,
        completion=completion,
        key=process.schedule,
    )


def _shortest(process: Construction, state: ConstructionState) -> tuple[int, ...]:
    return construction_actions(process, state, process.completed(state) if state.carried else ())


def _rest(process: Exploration, state: ExplorationState) -> tuple[int, ...]:
    """The coefficients of the simplest point behind those chosen, where they are legal; else the least that are."""
    rest: list[int] = []
    simplest = simplest_point(process).coefficients
    while not process.final(state):
        wanted = simplest[len(state.coefficients)]
        legal = process.actions(state)
        rest.append(wanted if legal[wanted] else legal.index(True))
        state = process.step(state, rest[-1])
    return tuple(rest)
