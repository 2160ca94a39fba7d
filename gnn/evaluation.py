"""How good a policy is on tensor programs that it was not trained on.

The policy walks without measuring anything, and models choose among what its walks come by, the default schedule and
the loops as they were written; then that result and the untuned nest are measured in turn with a burst of
multiply-adds, as finalists of a search are: shares of the peak, and of each other, compare neighbours in time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyloop.backend.errors import BackendError
from polyloop.backend.run.worker import Worker
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.envs.cursor_problems import open_cursor
from polyloop.errors import PolyloopError
from polyloop.gnn.agent import Agent
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.policy_search import Policy, PolicyRollouts, best_of_walks, rollout
from polyloop.gnn.shipped import answer, modelled, valued
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms, peak_type
from polyloop.measure.nests import burst_operations, last_round
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.searches import UNTUNED, cursor_method, fastest, program_of
from polyloop.search.methods.tree_search import TreeSearch
from polyloop.search.objective import Objective
from polyloop.search.run import Budget, Found, Method, search

WALKS = 8
"""States that the policy looks at together, for one answer."""

ROUNDS = 301
"""In which what is compared is measured in turn: a percent counts here."""


@dataclass(frozen=True)
class Trial:
    """A search on one problem.

    Attributes:
        gflops: of the best nest it found, measured again with the others'.
        seconds: it took, measurements included.
    """

    gflops: float
    seconds: float
    evaluations: int


@dataclass(frozen=True)
class Verdict:
    """A policy on one problem. GFLOPS are shares of a burst's beside it, times the peak of this core.

    Attributes:
        untuned, policy: GFLOPS of the nest as it was written, and of the one that the policy's walks lead to; 0 where
            the programs could not be run.
        inference: seconds of the walks, once everything is loaded; the least of some times.
        state: the nest at the end, as text.
        fallback: whether that is not of the policy's (`polyloop.gnn.shipped.answer`).
        trials: searches beside it, by name; "policy-rollouts" and "policy-mcts" are guided by the policy.
    """

    workload: str
    peak: float
    untuned: float
    policy: float
    inference: float
    state: str
    fallback: bool
    trials: Mapping[str, Trial]

    @property
    def speedup(self) -> float:
        """Over the untuned nest."""
        return self.policy / self.untuned if self.untuned else float("inf")


class Judge:
    """Evaluates one policy, beside searches.

    Args:
        budget: seconds for each search.
        rounds: times that the walks are timed; the fastest counts.
        walks: of the policy on a nest: the model chooses among all that they come by. 0 takes the end of the likeliest.
    """

    def __init__(
        self, agent: Agent, searches: Sequence[str] = (), budget: float = 1.0, rounds: int = 3, walks: int = WALKS
    ) -> None:
        self.agent, self.searches, self.budget, self.rounds, self.walks = agent, searches, budget, rounds, walks
        self._evaluator = MeasuredPrograms(database=Database(None))
        self._finals = Worker()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes."""
        self._evaluator.close()
        self._finals.close()

    def judge(self, workload: str, seed: int = 0, compared: bool = True) -> Verdict:
        """The policy on one workload, and the searches if it is to be compared with them."""
        trained = self.agent.environment
        process = open_cursor(workload, None, actions=trained.cursor_actions, length=trained.cursor_length)
        observer = CursorObserver(process, self.agent.environment)
        self._chosen(Policy(self.agent, observer))  # what is made on first use is not the walk's
        inference = float("inf")
        for _ in range(self.rounds):
            policy = Policy(self.agent, observer)
            began = time.perf_counter()
            last, other = self._chosen(policy)
            inference = min(inference, time.perf_counter() - began)
        found = {name: self._search(name, policy, seed) for name in (self.searches if compared else ())}
        states = {UNTUNED: process.initial(), " policy": last}
        states |= {name: state for name, (_, state) in found.items()}
        speeds, peak = self._measured(policy.observer.process, states)
        trials = {n: Trial(speeds[n], result.seconds, result.evaluations) for n, (result, _) in found.items()}
        return Verdict(workload, peak, speeds[UNTUNED], speeds[" policy"], inference, last.text, other, trials)

    def _chosen(self, policy: Policy) -> tuple[Any, bool]:
        """The state that the policy's walks lead to, or what takes its place; and whether that is so."""
        if not self.walks:
            return rollout(policy)[-1], False
        process = policy.observer.process
        walked = best_of_walks(policy, valued(process), self.walks)
        found = answer(process, walked)
        return found, found.program != walked.program

    def _search(self, name: str, policy: Policy, seed: int) -> tuple[Found[Any], Any]:
        # Every search starts with an empty memory: what one has measured is nothing that another may know.
        evaluator = self._evaluator
        evaluator.forget()
        process = policy.observer.process
        objective: Objective[Any] = cursor_objective(process, evaluator)
        chosen: Method
        match name:
            case "policy-rollouts":
                chosen = PolicyRollouts(policy, value=modelled(process))
            case "policy-mcts":
                objective = replace(objective, weights=policy.weights, everywhere=False)
                chosen = TreeSearch(priors=policy.weights)
            case _:
                chosen = cursor_method(name, process)
        # The worker's start is not the search's.
        evaluator.evaluate(process.problem, process.initial().program)
        found = search(objective, chosen, Budget(seconds=self.budget), seed=seed)
        leaders = [place.state for place in (found.best, *found.leaders)]
        return found, fastest(process, leaders, found.value, self._finals)

    def _measured(self, process: AnyCursor, states: Mapping[str, AnyState]) -> tuple[dict[str, float], float]:
        """GFLOPS of programs measured in turn, and the peak; 0 for all where one cannot be run."""
        problem, peak = process.problem, self._evaluator.peak(process.problem)
        dtype = peak_type(problem)
        try:
            finalists = {name: program_of(process, state).finalist for name, state in states.items()}
            found = last_round(self._finals, finalists, dtype, rounds=ROUNDS)
        except (PolyloopError, BackendError):
            return dict.fromkeys(states, 0.0), peak
        whole = problem.flops / burst_operations(dtype)
        return {name: whole / final.bursts * peak for name, final in found.items()}, peak
