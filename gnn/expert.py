"""Expert iteration: a tree search that the network guides finds what to do, and the network learns it; and so on.

For some problems the search expands what the network likes, and what nobody has looked at for a while. The actions on
the way to the best program that it came by are what the network shall do; then it shall stop. The network is what the
search begins with next time.

With a limit of steps (of simulations, here) and on one thread, a run is the same to the bit.

References:
    Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search", NeurIPS 2017.
    Silver et al., "Mastering the game of Go without human knowledge", Nature 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor import CursorEnv
from polyloop.gnn.environments import Environments, EnvironmentSettings
from polyloop.gnn.imitation import Example
from polyloop.gnn.networks import Network
from polyloop.gnn.samples import collate, sample_of
from polyloop.gnn.taught import Taught, TaughtSettings
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.methods.tree_search import TreeSearch
from polyloop.search.run import Budget, search


@dataclass(frozen=True)
class ExpertSettings(TaughtSettings):
    """Attributes:
    simulations: of the search, on each problem.
    curious: the share of all priors that is spread evenly over the legal actions.
    """

    simulations: int = 60
    curious: float = 0.25


class Expert(Taught):
    """See the module; of the environments of the cursor.

    Raises:
        PolyloopError: for other environments.
    """

    def __init__(self, network: Network, environments: Environments, settings: ExpertSettings, seed: int) -> None:
        self.settings = settings
        self._known: dict[AnyState, list[float]] = {}
        super().__init__(network, environments, settings, seed)

    @staticmethod
    def refusal(settings: EnvironmentSettings, made: object) -> str | None:
        return None if isinstance(made, CursorEnv) else f"expert iteration is for the cursor, not for {settings.id}"

    def gather(self) -> tuple[int, tuple[float, ...]]:
        gains = []
        for _ in range(self.settings.problems):
            self._cursor = self.next_problem()
            gains.append(self._solve(int(self.random.integers(1 << 31))))
        return self.settings.problems * self.settings.simulations, tuple(gains)

    def _solve(self, seed: int) -> float:
        """Search the present problem, and keep what was found as examples; what it has gained."""
        env = self._cursor
        process, evaluator = env.process, env.evaluator
        self._known.clear()  # the network has changed
        objective = replace(cursor_objective(process, evaluator), weights=self._priors)
        method = TreeSearch(priors=self._priors, simulations=self.settings.simulations)
        found = search(objective, method, Budget(), seed=seed)
        peak = evaluator.peak(process.problem)
        state, first = process.initial(), objective.value(process.initial())
        for action in (*found.best.actions, *((process.names.index(STOP),) if STOP in process.names else ())):
            if process.final(state):
                break
            observation, mask = env.observe(state)
            left = (found.value - objective.value(state)) / peak
            self.examples.append(Example(sample_of(observation), mask, action, left))
            state = process.step(state, action)
        return (found.value - first) / peak

    def _priors(self, state: AnyState) -> Sequence[float]:
        """How promising the network finds every action; it looks at a state once."""
        if state not in self._known:
            self._known[state] = self._looked_at(state)
        return self._known[state]

    @torch.no_grad()
    def _looked_at(self, state: AnyState) -> list[float]:
        observation, mask = self._cursor.observe(state)
        scores, _ = self.network(collate([sample_of(observation)]), torch.from_numpy(mask).unsqueeze(0))
        likely, share = scores.softmax(1)[0].double().numpy(), self.settings.curious
        priors: list[float] = ((1 - share) * likely + share * mask / max(mask.sum(), 1)).tolist()
        return priors
