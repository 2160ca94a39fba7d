"""The suite ``schedules``: a random construct-and-explore episode over a kernel's schedule space, everything about it
checked.

* What the masks let through is never empty; what they refuse is (one refused choice an episode, where the cone is known
  completely).
* The schedule lies in the space, and is legal by the proof that everything else gets: against all memory-based
  dependences.
* Of some episodes the code is generated (or that of a sparser schedule, where isl gives up), compiled and run; results
  equal those of the original loops bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.planning import scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.bench.fuzz_outcome import Outcome, in_time
from polyloop.envs.problems import Arguments, Task, load
from polyloop.lowering.to_nest import LoweringError, lower
from polyloop.measure.jobs import Data, compare
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.space import ScheduleSpace
from polyloop.spaces.walks import random_construction, random_exploration

DATASET = "MINI"
GENERATION_SECONDS = 5.0
"""Of CPU time for isl's code generation; a process that does not heed it is ended after `PATIENCE` times as long."""
PATIENCE = 4
RUN_SECONDS = 30.0

_WEIGHTS = ((1.0, 1.0, 1.0), (0.2, 0.2, 0.6))
_NONZERO = (1.0, 0.15, 0.03)
_TRIES, _TRYING_SECONDS = 10, 40.0
"""Where isl gives up on a schedule's code, sparser ones of the same construction are run in its stead; after so many
seconds none is begun."""


def episode(job: Mapping[str, Any]) -> Outcome:
    """One episode.

    Args:
        job: "seed" and "number" of the episode, its "kernel", and "run": whether the schedule is run.
    """
    rng = np.random.default_rng([job["seed"], job["number"]])
    task = _task(
        job["kernel"],
        "block" if rng.random() < 0.4 else "statement",
        parameter_coefficients=rng.random() < 0.15,
        exact=rng.random() < 0.85,
    )
    outcome = Outcome(job["kernel"])
    space = task.space
    construction = Construction(space)
    state = random_construction(construction, rng, _WEIGHTS[rng.integers(len(_WEIGHTS))])
    exploration = Exploration(space, state.carried)
    for number, dimension in enumerate(exploration.dimensions, start=1):
        outcome.count("dimensions")
        outcome.count("anchored", dimension.anchored)
        outcome.count("capped", dimension.capped)
        if dimension.generators.is_empty:
            outcome.wrong(f"the mask let through what dimension {number} cannot carry: {state}")
            return outcome
    _check_a_refusal(space, state.carried, rng, outcome)
    nonzero = _NONZERO[rng.integers(len(_NONZERO))]
    proven = _proven(task, exploration, rng, nonzero, outcome)
    began = time.monotonic()
    for _ in range(_TRIES if job["run"] else 0):
        if proven is None or _run(task, *proven, outcome) or time.monotonic() - began > _TRYING_SECONDS:
            break
        proven = _proven(task, exploration, rng, min(_NONZERO), outcome)
    return outcome


def _proven(
    task: Task, exploration: Exploration, rng: np.random.Generator, nonzero: float, outcome: Outcome
) -> tuple[Schedule, ScheduleTree] | None:
    """A schedule of the exploration, and its tree; None where the proof fails, which is wrong."""
    scop = task.problem.scop
    schedule = exploration.schedule(random_exploration(exploration, rng, nonzero), bool(rng.random() < 0.8))
    if not task.space.contains(schedule):
        outcome.wrong(f"the schedule lies outside its space: {schedule}")
    memory = scop.dependences("memory")
    tree = schedule.to_tree(scop, memory, bool(rng.random() < 0.3))
    verdict = prove(scop, tree, memory)
    if not isinstance(verdict, Proof):
        outcome.wrong(f"{verdict}: {schedule}")
        return None
    outcome.count("proven")
    outcome.count("dependences", verdict.dependences)
    return schedule, tree


def _check_a_refusal(
    space: ScheduleSpace, carried: tuple[int, ...], rng: np.random.Generator, outcome: Outcome
) -> None:
    """At a random dimension of the construction the mask refuses some dependences: with one of these the polyhedron has
    to be empty."""
    here = int(rng.integers(1, max(carried, default=1) + 1))
    left = sum(1 << k for k, c in enumerate(carried) if c >= here)
    refused = [k for k in range(len(carried)) if left >> k & 1 and not space.carriable(left) >> k & 1]
    if refused:
        dimension = space.dimension(left, 1 << int(rng.choice(refused)))
        outcome.count("refusals checked", not dimension.capped)
        if not dimension.capped and not dimension.generators.is_empty:
            outcome.wrong(f"the mask refused what dimension {here} can carry: {carried}")


# --- Running ----------------------------------------------------------------------------------------------------------


def _run(task: Task, schedule: Schedule, tree: ScheduleTree, outcome: Outcome) -> bool:
    """Whether there was code to run; where isl gives up, there is none."""
    nest = in_time(PATIENCE * GENERATION_SECONDS, f"{__name__}:generate", task.problem.scop, tree)
    if nest is None:
        outcome.count("code generation ended by time")
        outcome.note(f"code generation took more than {PATIENCE * GENERATION_SECONDS:g} s: {schedule}")
        return False
    if not isinstance(nest, LoopNest):
        outcome.count("code generation given up")
        return False
    sizes = dict(task.problem.sizes)
    expected = _expected(task.name)
    job = (scalar_program(nest), make_data(task.problem.scop, sizes), sizes, tuple(expected))
    actual = in_time(RUN_SECONDS, f"{__name__}:results", *job)
    if actual is None:
        outcome.count("run ended by time")
        outcome.note(f"a run took more than {RUN_SECONDS:g} s: {schedule}")
        return True
    assert isinstance(actual, dict)
    check = compare(expected, actual, 0.0)
    outcome.count("run")
    outcome.compare(check.different, f"{check.different} of {check.compared} elements differ: {schedule}")
    return True


def generate(scop: Scop, tree: ScheduleTree) -> LoopNest | str:
    """The loops of a tree, or why isl gave up; for a worker."""
    try:
        return lower(scop, tree, seconds=GENERATION_SECONDS)
    except LoweringError as error:
        return str(error)


def results(program: VectorProgram, data: Data, sizes: Mapping[str, int], names: tuple[str, ...]) -> Data:
    """What a program leaves in some of the arrays; for a worker."""
    kernel = compile_program(program)
    kernel(**{spec.name: data[spec.name] for spec in kernel.signature.arguments}, **sizes)
    return {name: data[name] for name in names}


@lru_cache(maxsize=8)
def _task(name: str, granularity: Any, *, parameter_coefficients: bool, exact: bool) -> Task:
    loaded = load(
        name, Arguments(sizes=DATASET, granularity=granularity, parameter_coefficients=parameter_coefficients)
    )
    if exact:
        return loaded
    scop = loaded.problem.scop
    space = ScheduleSpace.of(scop, granularity=granularity, parameter_coefficients=parameter_coefficients, exact=False)
    return Task(name, loaded.problem, space)


@lru_cache(maxsize=1)
def _expected(name: str) -> Data:
    problem = load(name, Arguments(sizes=DATASET)).problem
    scop, sizes = problem.scop, dict(problem.sizes)
    return results(scalar_program(lower(scop, original_tree(scop))), make_data(scop, sizes), sizes, scop.results)
