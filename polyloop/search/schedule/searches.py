"""Searches that walk the space of all legal schedules, for `polyloop.optimize`.

The default search comes first, with a share of the time, most of it where trying takes long: its candidates and the
original loops compete with what is found, so that nothing gets slower. Every schedule gets the same steps as isl's
(tiles, register tiles, vectors, parallel loops), is proven, compiled and measured; the shapes of the best one are
refined in the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import TypeAlias

from polyloop.errors import PolyloopError
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.measured_schedules import Measuring
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import Problem
from polyloop.schedules.rows import Schedule
from polyloop.search import isl_search
from polyloop.search.cursor import candidates as cursor_candidates
from polyloop.search.methods import method
from polyloop.search.methods.genetic import Genetic
from polyloop.search.run import Budget, Found, Method
from polyloop.search.run import search as run_search
from polyloop.search.schedule.crossing import DimensionCrossing
from polyloop.search.schedule.heuristics import HEURISTICS
from polyloop.search.schedule.objective import scheduling_objective
from polyloop.search.schedule.sampler import PERMUTABLE, SEPARATE, Sampler
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling, SchedulingState
from polyloop.spaces.space import ScheduleSpace

DEFAULT_SHARE, SAMPLE_SHARE, WALK_SHARE, REFINE_SHARE = 0.4, 0.55, 0.85, 0.95
"""Shares of the time after which the default search, samples of permutable loops, the walk, and the refinement of the
best schedule have ended."""

SAMPLES = 50
HEURISTIC = "pouchet"
"""How random walks choose."""


Made: TypeAlias = "Callable[[Scheduling, Problem], Method]"


def search(
    evaluator: Evaluator, budget: float, space: str = "schedule", *, name: str = "random", made: Made | None = None
) -> Candidate:
    """The best candidate found in about `budget` seconds.

    Args:
        space: "schedule", or "cursor" for `polyloop.search.cursor.candidates`.
        name: of a search that walks any process; see `polyloop.search.methods`.
        made: makes the search for the process and the problem, if it is not one of those.
    """
    if space == "cursor":
        return cursor_candidates.search(evaluator, budget, name=name)
    began = time.monotonic()
    best, budget = isl_search.search_first(evaluator, DEFAULT_SHARE, REFINE_SHARE, budget)
    sizes = tuple(evaluator.sizes.items())
    problem = Problem(evaluator.scop, sizes, complete=True, post_processing="shapes")
    try:
        process = Scheduling(Construction(ScheduleSpace.of(evaluator.scop)))
    except (PolyloopError, ValueError) as error:
        if evaluator.progress is not None:
            evaluator.progress(f"no schedule space: {error}")
        return best
    with Measuring.around(evaluator, origin=f"a schedule found by the search {name!r}") as measuring:
        measuring.limit_lowering(budget)
        scores = _sampled(process, problem, measuring, began + SAMPLE_SHARE * budget)
        found = _walked(process, problem, measuring, _method(process, problem, name, made), began + WALK_SHARE * budget)
        if found.value > -inf:
            scores[process.schedule(found.best.state)] = found.value
        if scores:
            schedule = max(scores, key=scores.__getitem__)
            tree = schedule.to_tree(problem.scop, evaluator.proofs.dependences(problem.scop), complete=True)
            words = f"found by the search {name!r}"
            candidate = isl_search.shaped_candidate(evaluator, words, problem.scop, tree, began + REFINE_SHARE * budget)
            measuring.measure(evaluator, candidate, 2 * evaluator.seconds(best))
    return evaluator.decided()


def _sampled(process: Scheduling, problem: Problem, measuring: Measuring, deadline: float) -> dict[Schedule, float]:
    """The speedups of some schedules of permutable loops, which walks of the space rarely meet."""
    sampler = Sampler(problem.scop.name, problem, process.construction.space)
    scores: dict[Schedule, float] = {}
    for index in range(SAMPLES):
        if time.monotonic() > deadline:
            break
        schedule = sampler.schedule(SEPARATE + PERMUTABLE, index)
        if schedule not in scores:
            scores[schedule] = measuring.evaluate(problem, schedule).speedup
    return scores


def _method(process: Scheduling, problem: Problem, name: str, made: Made | None) -> Method:
    if made is not None:
        return made(process, problem)
    return Genetic(crossing=DimensionCrossing(process)) if name == "genetic" else method(name)


def _walked(
    process: Scheduling, problem: Problem, measuring: Measuring, chosen: Method, deadline: float
) -> Found[SchedulingState]:
    objective = scheduling_objective(process, problem, measuring, HEURISTICS[HEURISTIC])
    return run_search(objective, chosen, Budget(seconds=max(deadline - time.monotonic(), 0.0)))


random = partial(search, name="random")
greedy = partial(search, name="greedy")
beam = partial(search, name="beam")
mcts = partial(search, name="mcts")
anneal = partial(search, name="anneal")
genetic = partial(search, name="genetic")


def model(evaluator: Evaluator, budget: float, space: str = "cursor") -> Candidate:
    """`search` with a learned model in front of the machine.

    Raises:
        TrainingError: without lightgbm; says what to install.
    """
    from polyloop.search.schedule.guided import guided_schedules  # loads what learns

    return search(evaluator, budget, space, name="model", made=guided_schedules)
