"""A policy of schedules at work: proposals, and the search ``policy`` of ``polyloop optimize``.

A policy of Construct-v0 has the simplest point of every dimension behind it, one of Explore-v0 a construction in front
of it, that of its training or the one that carries everything as early as can be: what was fixed in the episodes.

What the policy decides holds within the components of statements that no cycle of dependences keeps together; these run
one after the other, as isl's scheduler has them when Polly calls it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from polyloop.envs.problems import Arguments
from polyloop.gnn.agent import Agent
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.observers import SchedulingObserver
from polyloop.gnn.policy_search import Policy, PolicyRollouts, rollout
from polyloop.gnn.shipped import shipped_agent
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import PostProcessing, Problem
from polyloop.registration import CONSTRUCT, EXPLORE, SCHEDULE_1
from polyloop.schedules.rows import Schedule
from polyloop.search.run import Method
from polyloop.search.schedule import searches as schedule_search
from polyloop.search.schedule.sampler import Sampler
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.scheduling import Phase, Scheduling, schedule_of
from polyloop.spaces.space import ScheduleSpace

_TRIES = 20
"""Walks in a row that lead to nothing new, after which there are no further proposals."""

_OF_SPACES = ("dependence_order", "context", "parameter_coefficients", "complete", "granularity")

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
        self._process = process_for(self.agent.environment, self.space)
        self._policy = policy_for(self.agent, self._process, self.problem)
        self._sampler = Sampler(self.problem.scop.name, self.problem, self.space, self.seed)

    def take(self, count: int, seconds: float = float("inf")) -> list[Schedule]:
        """The first `count` of them, or as many as there are.

        Args:
            seconds: after which no further walk is begun; walks through large spaces have thousands of steps.
        """
        deadline = time.monotonic() + seconds
        found: dict[Schedule, None] = {self._proposed(): None}
        random, idle = np.random.default_rng(self.seed), 0
        while len(found) < max(count, self.pool) and idle < _TRIES and time.monotonic() < deadline:
            before = len(found)
            found[self._proposed(random)] = None
            idle = idle + 1 if len(found) == before else 0
        if self.pool == 1:
            return list(found)
        return sorted(found, key=lambda schedule: self._sampler.model.seconds(self.problem, schedule))[:count]

    def _proposed(self, random: np.random.Generator | None = None) -> Schedule:
        return self._sampler.separated(schedule_of(self._process, rollout(self._policy, random=random)[-1]))


def arguments_for(trained: EnvironmentSettings, post_processing: PostProcessing) -> Arguments:
    """What the space of a kernel is made with for a policy: what its episodes had, but for sizes."""
    given = {name: trained.arguments[name] for name in _OF_SPACES if name in trained.arguments}
    if (order := given.get("dependence_order")) is not None:
        given["dependence_order"] = tuple(order)
    return Arguments(post_processing=post_processing, **given)


def process_for(trained: EnvironmentSettings, space: ScheduleSpace) -> Phase:
    """What the episodes of an environment of schedules walk, in a space.

    Raises:
        PolyloopError: if the construction of the episodes is none of this space.
    """
    given = {name: trained.arguments[name] for name in ("max_dimensions", "max_empty") if name in trained.arguments}
    construction, most = Construction(space, **given), trained.arguments.get("max_coefficient", 2)
    if trained.id == CONSTRUCT:
        return construction
    if trained.id == EXPLORE:
        chosen = trained.arguments.get("construction")
        carried = construction.completed(construction.initial()) if chosen is None else tuple(chosen)
        return Exploration(space, carried, most)
    ends = trained.id == SCHEDULE_1
    return Scheduling(construction, most, ends, ends)


def policy_for(agent: Agent, process: Phase, problem: Problem) -> Policy:
    """The agent on the process of a problem."""
    return Policy(agent, SchedulingObserver(process, problem.scop, dict(problem.sizes), agent.environment))


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
