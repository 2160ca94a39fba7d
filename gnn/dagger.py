"""Imitation of a teacher that is asked in the states which the learner itself comes by (DAgger).

On every problem the teacher (`polyloop.search.cursor.guide`) leads one walk, with steps astray, and the network leads
some, drawn from its probabilities. All states on them become examples of what the teacher would do there. What is at
stake weighs: a state in which nothing can be gained any more teaches little.

With ``written=0`` nothing is written down for the teacher: it knows what a beam finds by the model, and what the
network's own walks have come by where that is better. So both get better together, as in expert iteration.

With a limit of steps and on one thread, a run is the same to the bit.

References:
    Ross, Gordon and Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
    Learning", AISTATS 2011. Ours weighs examples by what is at stake, as in AggreVaTe (Ross and Bagnell, 2014).
    Anthony, Tian and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search", NeurIPS 2017.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor_v1 import CursorEnvV1
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import Environments
from polyloop.gnn.eyes import CursorEyes
from polyloop.gnn.imitation import Example
from polyloop.gnn.learner import Learner, Report
from polyloop.gnn.networks import Network
from polyloop.gnn.samples import collate
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.guide import Guide


@dataclass(frozen=True)
class DaggerSettings:
    """Attributes:
    problems: of an iteration.
    walks: on each, of which the teacher leads the first.
    astray: the share of the teacher's steps that are drawn from all legal ones instead.
    updates: gradient steps in an iteration, on examples drawn from the last `capacity`.
    value: weight of the loss of the values.
    written: the share of problems whose good layouts the teacher writes down.
    """

    rate: float = 1e-3
    problems: int = 8
    walks: int = 4
    astray: float = 0.1
    updates: int = 30
    batch: int = 128
    capacity: int = 60_000
    value: float = 0.2
    gradient: float = 1.0
    discount: float = 1.0
    written: float = 1.0


@dataclass
class _Walk:
    """A walk in progress.

    Attributes:
        best: the share of the peak that it has come by.
        led: by the teacher.
    """

    guide: Guide
    eyes: CursorEyes
    state: AnyState
    first: float
    best: float
    led: bool


class Dagger(Learner):
    """See the module; of Cursor-v1 with the model as evaluator.

    Raises:
        PolyloopError: for other environments.
    """

    def __init__(self, network: Network, environments: Environments, settings: DaggerSettings, seed: int) -> None:
        super().__init__(network, seed, settings.rate)
        environments.close()  # of which one is enough: it draws problems, and nobody steps it
        self._environment = environments.settings
        made = self._environment.make()
        inner = made.unwrapped
        if not isinstance(inner, CursorEnvV1) or self._environment.arguments.get("evaluator") != "model":
            made.close()  # type: ignore[no-untyped-call]
            raise PolyloopError(
                f"a teacher can be asked in Cursor-v1 with evaluator='model' only, not in {self._environment.id}"
            )
        self.settings, self._problems, self._cursor = settings, made, inner
        self.examples: deque[tuple[Example, float]] = deque(maxlen=settings.capacity)
        self.begin_episodes(seed)

    # The examples are not written down: they are found again within some iterations.

    def begin_episodes(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._problems.reset(seed=seed)

    def close(self) -> None:
        self._problems.close()  # type: ignore[no-untyped-call]

    def iterate(self) -> Report:
        walks = [walk for _ in range(self.settings.problems) for walk in self._begun()]
        steps, going = 0, walks
        while going := [walk for walk in going if not walk.guide.task.process.final(walk.state)]:
            self._stepped(going)
            steps += len(going)
        gains = tuple(walk.best - walk.first for walk in walks if not walk.led)
        return Report(steps, gains, self._learn())

    def _begun(self) -> list[_Walk]:
        """Walks on the next problem."""
        self._problems.reset()
        env = self._cursor
        task = Task(env.process, env.machine, env.evaluator)
        guide = Guide(task, written=self.settings.written == 1 or self.random.random() < self.settings.written)
        eyes, first = CursorEyes(env.process, self._environment, env.machine), env.process.initial()
        worth = task.worth(first)
        return [_Walk(guide, eyes, first, worth, worth, number == 0) for number in range(self.settings.walks)]

    def _stepped(self, walks: Sequence[_Walk]) -> None:
        """Take the next step of all walks, and keep what the teacher would do."""
        samples, masks = zip(*(walk.eyes.observe(walk.state) for walk in walks), strict=True)
        legal = np.stack(masks)
        with torch.no_grad():
            scores, _ = self.network(collate(samples), torch.from_numpy(legal))
        likely = scores.double().softmax(1).numpy()
        for walk, sample, mask, chances in zip(walks, samples, legal, likely, strict=True):
            if not (walk.led or walk.guide.written):
                walk.guide.met(walk.state)
            task, advice = walk.guide.task, walk.guide.advice(walk.state)
            process = task.process
            stop = process.names.index(STOP)
            action = int(self.random.choice(len(chances), p=chances / chances.sum()))
            astray = self.random.random() < self.settings.astray
            if advice is not None:
                gain = max(advice.worth - task.worth(walk.state), 0.0)
                stake = gain / advice.worth if advice.worth else 0.0
                self.examples.append((Example(sample, mask, advice.action, gain), 0.1 + stake))
            if walk.led or action == stop:
                action = stop if advice is None else advice.action  # a walk that ended too early would teach no more
            if walk.led and astray and advice is not None and len(others := np.flatnonzero(mask[:-1])):
                action = int(self.random.choice(others))
            walk.state = process.step(walk.state, action)
            walk.best = max(walk.best, task.worth(walk.state))

    def _learn(self) -> dict[str, float]:
        figures: dict[str, float] = {}
        if not self.examples:
            return figures
        for _ in range(self.settings.updates):
            drawn = self.random.integers(len(self.examples), size=min(self.settings.batch, len(self.examples)))
            figures = self._update([self.examples[int(k)] for k in drawn])
        return figures

    def _update(self, batch: Sequence[tuple[Example, float]]) -> dict[str, float]:
        examples, stakes = zip(*batch, strict=True)
        masks = torch.from_numpy(np.stack([example.mask for example in examples]))
        actions = torch.tensor([example.action for example in examples])
        values = torch.tensor([example.value for example in examples], dtype=torch.float32)
        weights = torch.tensor(stakes, dtype=torch.float32)
        scores, expected = self.network(collate([example.sample for example in examples]), masks)
        losses = cross_entropy(scores, actions, reduction="none") * weights
        loss = losses.sum() / weights.sum() + self.settings.value * (expected - values).square().mean()
        self.descend(loss, self.settings.gradient)
        right = ((scores.argmax(1) == actions).float() * weights).sum() / weights.sum()
        return {"loss": loss.item(), "agreement": right.item()}
