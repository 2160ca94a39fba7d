"""A policy on the cases that a split holds out, beside baselines, by the models of their machines."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyloop.gnn.agent import Agent
from polyloop.gnn.held_out import HeldOut
from polyloop.gnn.policy_search import Policy, best_of_walks
from polyloop.search.cursor.baselines import BASELINES, baseline
from polyloop.shipped.families import Case


@dataclass(frozen=True)
class CaseResult:
    """A policy on one case. All values are shares of the peak, by the model.

    Attributes:
        text: the loops at the end.
        seconds: that the policy took.
        others: what baselines come to.
    """

    case: str
    family: str
    machine: str
    untuned: float
    policy: float
    text: str
    seconds: float
    others: Mapping[str, float]

    @property
    def gain(self) -> float:
        """Over the original loops."""
        return self.policy - self.untuned


def evaluated(
    case: Case, agent: Agent, against: Sequence[str] = tuple(BASELINES), seed: int = 0, walks: int = 0
) -> CaseResult:
    """What an agent comes to on a case, beside baselines.

    Args:
        agent: of Cursor-v0 or Cursor-v1.
        walks: so many, the likeliest ones, of whose states the model of the machine chooses the best; 0 for the end of
            the likeliest, or its best state where the agent's returns are of the best.
    """
    held = HeldOut((case,), agent.environment)
    (task,), (eyes,) = held.tasks, held.eyes
    began = time.perf_counter()
    end = best_of_walks(Policy(agent, eyes), task.worth, walks) if walks else held.ends(agent.network)[0]
    seconds = time.perf_counter() - began
    others = {name: task.worth(baseline(name)(task, seed).state) for name in against}
    first, last = task.worth(task.process.initial()), task.worth(end)
    found = case.problem.family, case.machine, first, last
    return CaseResult(case.name, *found, end.text, seconds, others)
