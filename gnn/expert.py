"""Expert iteration: a tree search that the network guides finds what to do, and the network learns it; and so on.

On every problem the network leads the best-first search of `polyloop.gnn.policy_search`, and what it meets is corrected
by the evaluator, as when a policy is asked: from the original loops, and from a state that the network's own walk came
by, so that it learns what to do behind its mistakes, too. The actions on the way to the best program, less those that
it does not need, are what the network shall do; then it shall stop. The network is what the search begins with next
time. No teacher is asked: what a network that knows nothing learns from is what the search finds without it.

With a limit of steps (of the ways that were found, here) and on one thread, a run is the same to the bit.

References:
    Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search", NeurIPS 2017.
    Orseau and Lelis, "Policy-Guided Heuristic Search with Guarantees", AAAI 2021, for learning from the way found.
    Ecoffet et al., "First return, then explore", Nature 2021, for searches from states that were visited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.cursor.model import REFERENCE
from polyloop.envs.cursor import CursorEnv
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.imitation import Example, Lesson
from polyloop.gnn.networks import Network
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.policy_search import Policy, best_walk, rollout
from polyloop.gnn.samples import Sample, collate
from polyloop.gnn.taught import Taught, TaughtSettings


@dataclass(frozen=True)
class ExpertSettings(TaughtSettings):
    """Attributes:
    walks: how wide the search is (`polyloop.gnn.policy_search.best_walk`).
    curious: the share of all probabilities that is spread evenly over the legal actions.
    """

    capacity: int = 20_000
    walks: int = 1
    curious: float = 0.25


@dataclass(frozen=True)
class Curious:
    """A network that learns, as the search sees it: any legal action is likely enough to be looked at."""

    network: Network
    share: float

    @torch.no_grad()
    def scores_of(self, samples: Sequence[Sample], legal: Sequence[NDArray[np.bool_]]) -> Sequence[NDArray[np.float64]]:
        masks = np.stack(legal)
        scores, _ = self.network(collate(samples), torch.from_numpy(masks))
        even = masks / masks.sum(1, keepdims=True)
        likely = (1 - self.share) * scores.double().softmax(1).numpy() + self.share * even
        return list(np.log(np.maximum(likely, np.finfo(np.float64).tiny)))


class Expert(Taught):
    """See the module; of the environments of the cursor.

    Raises:
        PolyloopError: for other environments.
    """

    settings: ExpertSettings

    @staticmethod
    def refusal(settings: EnvironmentSettings, made: object) -> str | None:
        return None if isinstance(made, CursorEnv) else f"expert iteration is for the cursor, not for {settings.id}"

    def gather(self) -> tuple[int, tuple[float, ...]]:
        steps, gains = 0, []
        for _ in range(self.settings.problems):
            task, policy = self.opened()
            visited = rollout(policy, random=self.random)
            taken, gain = self.solved(task, policy, visited[0])
            again, _ = self.solved(task, policy, visited[int(self.random.integers(len(visited)))])
            steps += taken + again
            gains.append(gain)
        return steps, tuple(gains)

    def opened(self) -> tuple[Lesson, Policy]:
        """The next problem, and the network on it."""
        env = self.next_problem()
        machine = getattr(env, "machine", None) or machine_named(REFERENCE)
        observer = CursorObserver(env.process, self.environment, machine)
        curious = Curious(self.network, self.settings.curious)
        return Lesson(env.process, machine, env.evaluator), Policy(curious, observer)

    def solved(self, task: Lesson, policy: Policy, first: AnyState) -> tuple[int, float]:
        """Search from a state, and keep what was found as examples; how many these are, and what the way gains."""
        process = task.process
        if process.final(first):
            return 0, 0.0
        found = best_walk(policy, task.worth, self.settings.walks, first)
        actions = task.essential(found.actions, first)
        states = task.played(actions, first)
        worth = task.worth(states[-1])
        ends = (process.names.index(STOP),) if STOP in process.names and not process.final(states[-1]) else ()
        for state, action in zip(states, (*actions, *ends), strict=False):
            sample, mask = policy.observer.observe(state)
            left = worth - task.worth(state)
            self.examples.append(Example(sample, mask, action, left, 0.1 + (left / worth if worth else 0.0)))
        return len(actions) + len(ends), worth - task.worth(first)
