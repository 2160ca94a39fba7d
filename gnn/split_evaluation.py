"""A policy on the cases that a split holds out, beside baselines, by the models of their machines.

What counts is what somebody who asks the policy gets: of its walks and of the default schedule, which costs no more
than a walk, what the model of the machine takes for the best. What the policy's own walks come to stands beside it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyloop.cursor.model import nest_model
from polyloop.gnn.agent import Agent
from polyloop.gnn.held_out import HeldOut
from polyloop.gnn.policy_search import Policy, best_of_walks
from polyloop.search.cursor.baselines import BASELINES, baseline
from polyloop.shipped.families import Case


@dataclass(frozen=True)
class CaseResult:
    """A policy on one case. All values are shares of the peak, by the model.

    Attributes:
        own: what the policy's own walks come to; `policy` is the default schedule's where that is worth more.
        text: the loops at the end.
        seconds: that the policy took.
        processor_seconds: of these, those that this process computed in: others do not matter on a busy machine.
        others: what baselines come to.
    """

    case: str
    family: str
    machine: str
    untuned: float
    policy: float
    own: float
    text: str
    seconds: float
    processor_seconds: float
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
        walks: of all that a search of such a width comes by (`polyloop.gnn.policy_search.best_of_walks`) and the
            default schedule the model of the machine chooses the best; 0 for the end of the likeliest walk, or its
            best state where the agent's returns are of the best, and nothing else.
    """
    held = HeldOut((case,), agent.environment)
    (task,), (observer,) = held.tasks, held.observers
    began = time.perf_counter(), time.process_time()
    walked = best_of_walks(Policy(agent, observer), task.worth, walks) if walks else held.ends(agent.network)[0]
    other = task.process.default(nest_model(task.machine).target) if walks else None
    end = walked if other is None else max(walked, other, key=task.worth)
    seconds = time.perf_counter() - began[0], time.process_time() - began[1]
    others = {name: task.worth(baseline(name)(task, seed).state) for name in against}
    first, last, own = (task.worth(state) for state in (task.process.initial(), end, walked))
    found = case.problem.family, case.machine, first, last, own
    return CaseResult(case.name, *found, end.text, *seconds, others)
