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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor_v1 import CursorEnvV1
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.imitation import Example
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.samples import collate
from polyloop.gnn.taught import Taught, TaughtSettings
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.guide import Guide


@dataclass(frozen=True)
class DaggerSettings(TaughtSettings):
    """Attributes:
    walks: on each problem, of which the teacher leads the first.
    astray: the share of the teacher's steps that are drawn from all legal ones instead.
    written: the share of problems whose good layouts the teacher writes down.
    """

    updates: int = 30
    batch: int = 128
    capacity: int = 60_000
    value: float = 0.2
    walks: int = 4
    astray: float = 0.1
    written: float = 1.0


@dataclass
class _Walk:
    """A walk in progress.

    Attributes:
        best: the share of the peak that it has come by.
        led: by the teacher.
    """

    guide: Guide
    observer: CursorObserver
    state: AnyState
    first: float
    best: float
    led: bool


class Dagger(Taught):
    """See the module; of Cursor-v1 with the model as evaluator.

    Raises:
        PolyloopError: for other environments.
    """

    settings: DaggerSettings

    @staticmethod
    def refusal(settings: EnvironmentSettings, made: object) -> str | None:
        if isinstance(made, CursorEnvV1) and settings.arguments.get("evaluator") == "model":
            return None
        return f"a teacher can be asked in Cursor-v1 with evaluator='model' only, not in {settings.id}"

    def gather(self) -> tuple[int, tuple[float, ...]]:
        walks = [walk for _ in range(self.settings.problems) for walk in self._begun()]
        steps, going = 0, walks
        while going := [walk for walk in going if not walk.guide.task.process.final(walk.state)]:
            self._stepped(going)
            steps += len(going)
        return steps, tuple(walk.best - walk.first for walk in walks if not walk.led)

    def _begun(self) -> list[_Walk]:
        """Walks on the next problem."""
        env = self.next_problem()
        assert isinstance(env, CursorEnvV1)
        task = Task(env.process, env.machine, env.evaluator)
        guide = Guide(task, written=self.settings.written == 1 or self.random.random() < self.settings.written)
        observer, first = CursorObserver(env.process, self.environment, env.machine), env.process.initial()
        worth = task.worth(first)
        return [_Walk(guide, observer, first, worth, worth, number == 0) for number in range(self.settings.walks)]

    def _stepped(self, walks: Sequence[_Walk]) -> None:
        """Take the next step of all walks, and keep what the teacher would do."""
        samples, masks = zip(*(walk.observer.observe(walk.state) for walk in walks), strict=True)
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
                self.examples.append(Example(sample, mask, advice.action, gain, 0.1 + stake))
            if walk.led or action == stop:
                action = stop if advice is None else advice.action  # a walk that ended too early would teach no more
            if walk.led and astray and advice is not None and len(others := np.flatnonzero(mask[:-1])):
                action = int(self.random.choice(others))
            walk.state = process.step(walk.state, action)
            walk.best = max(walk.best, task.worth(walk.state))
