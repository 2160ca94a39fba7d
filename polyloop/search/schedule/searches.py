"""Searches that walk the space of all legal schedules, for `polyloop.optimize`.

The default search comes first, with a share of the time: its candidates and the original loops compete with what is
found, so that nothing gets slower. Every schedule gets the same steps as isl's (tiles, register tiles, vectors,
parallel loops), is proven, compiled and measured; the shapes of the best one are refined in the end.

Schedule spaces as objectives of the searches.

Only final states have values: the speedups of their schedules. Inner states stand for their simplest completion: what
is left is carried as early as possible, and every dimension takes its simplest vertex, or what is left of it.

Two schedules crossed dimension by dimension: the first dimensions of one, then those of the other.

The child carries in its first dimensions what the first parent does, and in those behind them what is left, in
the order of the second parent. That is always possible: fewer dependences are left than where the second parent carried
them. Coefficients go with their generators; those that the child's polyhedron does not have are dropped.

References:
    Ganser, Größlinger, Siegmund, Apel and Lengauer, "Iterative schedule optimization for parallelization in the
    polyhedron model", TACO 2017: schedules are crossed by dimensions, and mutated by their generators' coefficients.
    There a child's remaining dimensions are sampled until it is legal; here it is legal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TypeAlias

import numpy as np

from polyloop.errors import PolyloopError
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.measured_schedules import Measuring
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import Problem, ScheduleEvaluator
from polyloop.polyhedra.generators import Generators, Point
from polyloop.schedules.rows import Schedule
from polyloop.search import isl_search
from polyloop.search.cursor import candidates as cursor_candidates
from polyloop.search.methods import method
from polyloop.search.methods.genetic import Actions, Genetic
from polyloop.search.objective import Objective
from polyloop.search.run import Budget, Found, Method
from polyloop.search.run import search as run_search
from polyloop.search.schedule.heuristics import HEURISTICS, Chooser, Heuristic, construction_actions, schedule_actions
from polyloop.search.schedule.sampler import PERMUTABLE, SEPARATE, Sampler
from polyloop.spaces.construction import Construction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.scheduling import FIRST_COEFFICIENT, Scheduling, SchedulingState, simplest_point
from polyloop.spaces.space import ScheduleSpace


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
        reached = state.construction
        for action in actions:
            reached = process.construction.step(reached, action)
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
    best = isl_search.search(evaluator, DEFAULT_SHARE * budget)
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


# --- Crossing ---------------------------------------------------------------------------------------------------------

Chosen: TypeAlias = "dict[tuple[bool, Point], int]"
"""(whether it is a vertex, the generator) -> its coefficient."""


@dataclass(frozen=True)
class DimensionCrossing:
    """For `polyloop.search.methods.genetic.Genetic`, on the process of both phases."""

    process: Scheduling

    def __call__(self, first: Actions, second: Actions, random: np.random.Generator) -> Actions:
        mother, father = self._state(first), self._state(second)
        before, behind = mother.construction.carried, father.construction.carried
        cut = int(random.integers(max(before, default=1) + 1))
        carried, origin = _joined(before, behind, cut)
        space = self.process.construction.space
        if max(carried, default=1) > self.process.construction.max_dimensions:
            return first
        parents = self._chosen(mother), self._chosen(father)
        coefficients: list[int] = []
        for dimension, (parent, place) in zip(space.construct(carried), origin, strict=True):
            chosen = parents[parent][place]
            coefficients += [chosen.get(generator, 0) for generator in _generators(dimension.generators)]
        return schedule_actions(self.process, carried, tuple(coefficients))

    def _state(self, actions: Actions) -> SchedulingState:
        state = self.process.initial()
        for action in actions:
            state = self.process.step(state, action)
        return state

    def _chosen(self, state: SchedulingState) -> list[Chosen]:
        """By dimension what coefficients the generators have."""
        assert state.exploration is not None
        exploration = Exploration(self.process.construction.space, state.construction.carried)
        coefficients = iter(state.exploration.coefficients)
        return [
            {generator: next(coefficients) for generator in _generators(dimension.generators)}
            for dimension in exploration.dimensions
        ]


def _joined(first: tuple[int, ...], second: tuple[int, ...], cut: int) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
    """What the child's dimensions carry, and of which parent's dimension (from 0) each is."""
    left = sorted({second[k] for k, dimension in enumerate(first) if dimension > cut})
    place = {dimension: cut + k for k, dimension in enumerate(left, 1)}
    carried = tuple(a if a <= cut else place[b] for a, b in zip(first, second, strict=True))
    origin = [(0, k) for k in range(cut)] + [(1, dimension - 1) for dimension in left]
    # Without dependences, and where one parent gives all, there is one dimension at least.
    return carried, origin[: max(carried, default=1)] or [(1, 0)]


def _generators(generators: Generators) -> list[tuple[bool, Point]]:
    """Those that take a coefficient, in their order."""
    vertices = generators.vertices if len(generators.vertices) > 1 else ()
    return [*((True, vertex) for vertex in vertices), *((False, direction) for direction in generators.directions)]
