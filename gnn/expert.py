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

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor import CursorEnv
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import Environments
from polyloop.gnn.imitation import Example
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import Network
from polyloop.gnn.samples import collate, sample_of
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.methods.tree_search import TreeSearch
from polyloop.search.run import Budget, search


@dataclass(frozen=True)
class ExpertSettings:
    """Attributes:
    problems: that the search solves in an iteration.
    simulations: of the search, on each.
    curious: the share of all priors that is spread evenly over the legal actions.
    updates: gradient steps in an iteration, on examples drawn from the last `capacity`.
    value: weight of the loss of the values.
    """

    rate: float = 1e-3
    problems: int = 8
    simulations: int = 60
    curious: float = 0.25
    updates: int = 40
    batch: int = 64
    capacity: int = 5_000
    value: float = 0.5
    gradient: float = 1.0
    discount: float = 1.0


class Expert(Learner):
    """See the module; of the environments of the cursor.

    Raises:
        PolyloopError: for other environments.
    """

    def __init__(self, network: Network, environments: Environments, settings: ExpertSettings, seed: int) -> None:
        super().__init__(network, seed, settings.rate)
        environments.close()  # of which one is enough: the search steps its process itself
        made = environments.settings.make()
        if not isinstance(made.unwrapped, CursorEnv):
            made.close()  # type: ignore[no-untyped-call]
            raise PolyloopError(f"expert iteration is for the cursor, not for {environments.settings.id}")
        self.settings, self._problems, self._cursor = settings, made, made.unwrapped
        self.examples: deque[Example] = deque(maxlen=settings.capacity)
        self._known: dict[AnyState, list[float]] = {}
        self.begin_episodes(seed)

    # The examples are not written down: they are found again within some iterations.

    def begin_episodes(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._problems.reset(seed=seed)

    def close(self) -> None:
        self._problems.close()  # type: ignore[no-untyped-call]

    def iterate(self) -> Report:
        gains = []
        for _ in range(self.settings.problems):
            self._problems.reset()
            gains.append(self._solve(int(self.random.integers(1 << 31))))
        return Report(self.settings.problems * self.settings.simulations, tuple(gains), self._learn())

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

    def _learn(self) -> dict[str, float]:
        figures: dict[str, float] = {}
        if not self.examples:
            return figures
        for _ in range(self.settings.updates):
            drawn = self.random.integers(len(self.examples), size=min(self.settings.batch, len(self.examples)))
            figures = self._update([self.examples[int(k)] for k in drawn])
        return figures

    def _update(self, batch: Sequence[Example]) -> dict[str, float]:
        masks = torch.from_numpy(np.stack([example.mask for example in batch]))
        actions = torch.tensor([example.action for example in batch])
        values = torch.tensor([example.value for example in batch], dtype=torch.float32)
        scores, expected = self.network(collate([example.sample for example in batch]), masks)
        loss = cross_entropy(scores, actions) + self.settings.value * (expected - values).square().mean()
        self.descend(loss, self.settings.gradient)
        return {"loss": loss.item(), "agreement": (scores.argmax(1) == actions).float().mean().item()}
