"""How good a policy's schedules are on kernels that it was not trained on, beside isl's scheduler.

All schedules get the same steps (tiles, register tiles, vectors), or none; the first proposal, the best of all, isl's
schedule and the original loops are measured once more, in turn: the best of many was lucky.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyloop.backend.machine.host import host_target
from polyloop.envs.problems import load
from polyloop.errors import PolyloopError
from polyloop.gnn.agent import Agent
from polyloop.gnn.proposals import POOL, Proposals, arguments_for
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.measured_schedules import Measuring, schedule_candidate
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import TIMES_SLOWER, PostProcessing, Problem
from polyloop.schedules.isl_scheduler import Fusion
from polyloop.schedules.rows import Schedule

PROPOSING_SECONDS = 30.0
"""After which no further proposal is begun: one for deriche has 4,600 steps, each a look by the network."""

ORIGINAL, ISL, FIRST, BEST = "original", "isl", "policy", "best"


@dataclass(frozen=True)
class ScheduleVerdict:
    """A policy on one kernel.

    Attributes:
        seconds: of the original loops, of isl's schedule, of the policy's first proposal ("policy") and of the fastest
            of all proposals ("best"); what cannot run is not there.
        proposals: how many there were, and `failed`: how many of them cannot run or are more than ten times slower.
        inference: seconds that the first proposal took.
    """

    kernel: str
    seconds: Mapping[str, float]
    proposals: int
    failed: int
    inference: float

    def ratio(self, name: str, over: str) -> float | None:
        """How many times faster one is than another; what cannot run counts as ten times slower than the original."""
        if over not in self.seconds:
            return None
        slowest = TIMES_SLOWER * self.seconds[ORIGINAL]
        return self.seconds[over] / min(self.seconds.get(name, slowest), slowest)


def judge_schedules(
    agent: Agent,
    kernel: str,
    count: int = 10,
    seed: int = 0,
    *,
    post_processing: PostProcessing = "shapes",
    pool: int = POOL,
) -> ScheduleVerdict:
    """The policy's first `count` proposals for a kernel, or as many as it makes in time, beside isl's schedule as Polly
    calls it by default. The space is one as the policy was trained in, at the kernel's default sizes.

    Args:
        post_processing: of all schedules, isl's included.
        pool: see `Proposals`.
    Raises:
        PolyloopError: if the original loops cannot be measured, or what the policy was trained with (a context, an
            order of dependences, a construction) does not fit this kernel.
    """
    task = load(kernel, arguments_for(agent.environment, post_processing))
    problem, proposals = task.problem, Proposals(agent, task.problem, task.space, seed, pool)
    began = time.perf_counter()
    proposals.take(1, PROPOSING_SECONDS)
    inference = time.perf_counter() - began
    schedules = proposals.take(count, PROPOSING_SECONDS)
    with (
        Evaluator(problem.scop, dict(problem.sizes), host_target()) as evaluator,
        Measuring.around(evaluator) as measuring,
    ):
        cutoff = TIMES_SLOWER * measuring.baseline(problem)
        found = {ORIGINAL: evaluator.original}
        if (isl := measuring.isl(problem, Fusion.SEPARATE)) is not None:
            found[ISL] = isl
        times = _measured(evaluator, measuring, problem, schedules, cutoff)
        if 0 in times:
            found[FIRST] = times[0][1]
        if times:
            found[BEST] = min(times.values(), key=lambda entry: entry[0])[1]
        evaluator.compare(list(dict.fromkeys(found.values())))
        seconds = {name: evaluator.seconds(candidate) for name, candidate in found.items()}
    return ScheduleVerdict(kernel, seconds, len(schedules), len(schedules) - len(times), inference)


def _measured(
    evaluator: Evaluator, measuring: Measuring, problem: Problem, schedules: Sequence[Schedule], cutoff: float
) -> dict[int, tuple[float, Candidate]]:
    """Seconds of those that run, by their number."""
    times: dict[int, tuple[float, Candidate]] = {}
    for number, schedule in enumerate(schedules):
        try:
            candidate = schedule_candidate(evaluator, problem, schedule)
        except PolyloopError:
            continue  # isl finds no code for it
        seconds = measuring.measure(evaluator, candidate, cutoff)
        if seconds < float("inf"):
            times[number] = seconds, candidate
    return times
