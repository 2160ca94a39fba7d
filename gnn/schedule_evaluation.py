"""How good a policy's schedules are on kernels that it was not trained on, beside isl's scheduler.

All schedules get the same steps (tiles, register tiles, vectors), or none; the first proposal, the best of all, isl's
schedule and the original loops are measured once more, in turn: the best of many was lucky.

A policy of Schedule-v0 at work: proposals of schedules, and the search ``policy`` of ``polyloop optimize``.

What the policy decides holds within the components of statements that no cycle of dependences keeps together; these run
one after the other, as isl's scheduler has them when Polly calls it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyloop.backend.machine.host import host_target
from polyloop.envs.problems import Arguments, load
from polyloop.errors import PolyloopError
from polyloop.gnn.agent import Agent
from polyloop.gnn.eyes import SchedulingEyes
from polyloop.gnn.policy_search import Policy, PolicyRollouts, rollout
from polyloop.gnn.shipped import shipped_agent
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.measured_schedules import Measuring, schedule_candidate
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import TIMES_SLOWER, PostProcessing, Problem
from polyloop.schedules.isl_scheduler import Fusion
from polyloop.schedules.rows import Schedule
from polyloop.search.run import Method
from polyloop.search.schedule import searches as schedule_search
from polyloop.search.schedule.sampler import Sampler
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling
from polyloop.spaces.space import ScheduleSpace

_TRIES = 20
"""Walks in a row that lead to nothing new, after which there are no further proposals."""


POOL = 1
"""Walks that the cost model orders; with one it is not asked: it knows little of what tiles and vectors come to."""


@dataclass
class Proposals:
    """Schedules of one problem as the policy proposes them: where its likeliest actions lead and others drawn from it,
    all different, those first that the cost model takes for the fastest. Nothing is measured.

    Attributes:
        space: of the problem's Scop.
        pool: how many there are to choose from; 1 asks the cost model nothing, and the likeliest comes first.
    """

    agent: Agent
    problem: Problem
    space: ScheduleSpace
    seed: int = 0
    pool: int = POOL
    _policy: Policy = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._process = Scheduling(Construction(self.space), self.agent.environment.arguments.get("max_coefficient", 2))
        self._policy = policy_for(self.agent, self._process, self.problem)
        self._sampler = Sampler(self.problem.scop.name, self.problem, self.space, self.seed)

    def take(self, count: int, seconds: float = float("inf")) -> list[Schedule]:
        """The first `count` of them, or as many as there are.

        Args:
            seconds: after which no further walk is begun; walks through large spaces have thousands of steps.
        """
        deadline = time.monotonic() + seconds
        found: dict[Schedule, None] = {self._sampler.separated(self._process.schedule(rollout(self._policy)[-1])): None}
        random, idle = np.random.default_rng(self.seed), 0
        while len(found) < max(count, self.pool) and idle < _TRIES and time.monotonic() < deadline:
            before, state = len(found), rollout(self._policy, random=random)[-1]
            found[self._sampler.separated(self._process.schedule(state))] = None
            idle = idle + 1 if len(found) == before else 0
        if self.pool == 1:
            return list(found)
        return sorted(found, key=lambda schedule: self._sampler.model.seconds(self.problem, schedule))[:count]


def policy_for(agent: Agent, process: Scheduling, problem: Problem) -> Policy:
    """The agent on the process of a problem."""
    return Policy(agent, SchedulingEyes(process, problem.scop, dict(problem.sizes), agent.environment))


def search(evaluator: Evaluator, budget: float, space: str = "schedule") -> Candidate:
    """The best candidate found in about `budget` seconds by the policy that ships with polyloop; as for the searches of
    `polyloop.search.schedule.searches`, the default search's candidates compete with it.

    Raises:
        PolyloopError: if no such policy ships with this version.
    """
    agent = shipped_agent("schedule")

    def method(process: Scheduling, problem: Problem) -> Method:
        return PolicyRollouts(policy_for(agent, process, problem))

    return schedule_search.search(evaluator, budget, space, name="policy", made=method)


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
    calls it by default.

    Args:
        post_processing: of all schedules, isl's included.
        pool: see `Proposals`.
    Raises:
        PolyloopError: if the original loops cannot be measured.
    """
    task = load(kernel, Arguments(post_processing=post_processing))
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
