"""A start for the cursor's policy without trial and error: it copies what a search has found.

1. A search walks a few problems, by the evaluator that is given (the model, usually).
2. What it found on one problem, less the actions that do not matter, is tried on all of them: so a few searches serve
   many problems. Of what is about as good, that which serves most of them is taken everywhere: there are many ways to
   the same nest, and who copies them all learns none. Then its splits are varied.
   Where the nests of contractions are `layouts`, the teacher writes down good ones at once instead
   (`polyloop.search.cursor.plans`), and shows the shortest way to one.
3. The network learns the actions of every problem's sequence, and the returns that are still to come as its values.

References:
    Pomerleau, "ALVINN", NeurIPS 1988, for learning from demonstrations; Silver et al., "Mastering the game of Go with
    deep neural networks and tree search", Nature 2016, for reinforcement learning that begins there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.base import AnyState
from polyloop.cursor.model import REFERENCE
from polyloop.cursor.process import NestCursor
from polyloop.envs.cursor_problems import open_cursor
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import EnvironmentSettings, choices_of
from polyloop.gnn.networks import Network
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.samples import Sample, collate
from polyloop.measure.programs import ProgramEvaluator
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.plans import layouts, way
from polyloop.search.methods.random_walks import RandomWalks
from polyloop.search.run import Budget, Method, search

Trace: TypeAlias = tuple[int, ...]

BATCH = 64
"""Examples in one step of `imitate`."""

GAIN = 1.01
"""What is less better than that counts as equally good."""


@dataclass(frozen=True)
class Example:
    """What to do in a state.

    Attributes:
        value: the return that is still to come.
        weight: how much it counts for, beside others.
    """

    sample: Sample
    mask: NDArray[np.bool_]
    action: int
    value: float
    weight: float = 1.0


class Lesson(Task):
    """A problem of the cursor as it is shown."""

    @classmethod
    def on(
        cls, workload: str, trained: EnvironmentSettings, evaluator: ProgramEvaluator, length: int | None = None
    ) -> Lesson:
        """The problem as an environment of these settings has it, with episodes of another length if one is given."""
        length = length or trained.cursor_length
        process = open_cursor(workload, None, actions=trained.cursor_actions, length=length)
        return cls(process, machine_named(REFERENCE), evaluator)

    def found(self, method: Method, budget: Budget, seed: int) -> Trace:
        """What a search finds."""
        return search(cursor_objective(self.process, self.evaluator), method, budget, seed=seed).best.actions

    def played(self, trace: Sequence[int], first: AnyState | None = None) -> list[AnyState]:
        """The states of a trace, actions that are not legal left out; the last is where it ends.

        Args:
            first: where it begins; the process's first state by default.
        """
        states = [self.process.initial() if first is None else first]
        for action in trace:
            if self.process.obstacle(states[-1], action) is None and not self.process.final(states[-1]):
                states.append(self.process.step(states[-1], action))
        return states

    def value(self, trace: Sequence[int], first: AnyState | None = None) -> float:
        """The worth of its end."""
        return self.worth(self.played(trace, first)[-1])

    def essential(self, trace: Trace, first: AnyState | None = None) -> Trace:
        """The trace without the actions, alone or in pairs, that it does not need to be worth as much."""
        best, at = self.value(trace, first), 0
        while at < len(trace):
            for width in (2, 1):
                shorter = (*trace[:at], *trace[at + width :])
                if self.value(shorter, first) >= best:
                    trace, at = shorter, -1
                    break
            at += 1
        return trace

    def varied(self, trace: Trace) -> Trace:
        """The trace with the best factor in the place of each split, one after the other."""
        splits = [k for k, name in enumerate(self.process.names) if name.startswith("split_")]
        for at, action in enumerate(trace):
            if action in splits:
                others = [(*trace[:at], other, *trace[at + 1 :]) for other in splits]
                better = max(others, key=self.value)
                trace = better if self.value(better) > GAIN * self.value(trace) else trace
        return trace

    def planned(self) -> Trace:
        """A short way to a layout that is about as good as the best that an episode has time for."""
        process = self.process
        if not isinstance(process, NestCursor) or process.length is None:
            raise PolyloopError(f"{process.problem.scop.name} is no single contraction: it has no layouts to copy")
        best = float("inf")
        near: list[tuple[int, int, Trace]] = []
        for seconds, layout in layouts(process.problem, process.kinds.splits):
            if seconds > GAIN * best:
                break
            actions = way(process, layout, process.length)
            if actions is not None:
                best = min(best, seconds)
                # Rows close together come first: the model does not know what pages and prefetching make of others.
                row = process.problem.result.by_variable.get(layout[-2][0], 0)
                near.append((row, len(actions), actions))
        return min(near, default=(0, 0, ()))[2]

    def examples(self, trace: Trace, observer: CursorObserver) -> list[Example]:
        """The states of a trace with its actions; behind its end the cursor moves up to the first loop, then back and
        forth."""
        result: list[Example] = []
        state = self.process.initial()
        end = self.value(trace)
        planned = list(trace)
        # What is left of an episode is spent with what changes nothing but the cursor.
        up, down = (self.process.names.index(name) for name in ("up", "down"))
        while not self.process.final(state):
            legal = self.process.actions(state)
            while planned and not legal[planned[0]]:
                planned.pop(0)
            action = planned.pop(0) if planned else up if legal[up] else down
            if not legal[action]:
                break
            sample, mask = observer.observe(state)
            result.append(Example(sample, mask, action, end - self.worth(state)))
            state = self.process.step(state, action)
        return result


@dataclass(frozen=True)
class ImitationSettings:
    """Attributes:
    searched: problems that the search walks, drawn as for episodes.
    shown: problems that examples are made of.
    walk, evaluations: actions in each of the search's random walks, and programs that it may try.
    epochs: times that every example is learnt.
    layouts: show nests that are written down at once instead of what a search finds; the search walks nothing then.
    traces: of Schedule-v0, the file of a ``polyloop bench polygym --resume FILE`` whose best walks are copied.
    """

    searched: int = 32
    shown: int = 320
    walk: int = 12
    evaluations: int = 6000
    epochs: int = 30
    layouts: bool = False
    traces: str | None = None


def demonstrations(
    trained: EnvironmentSettings,
    evaluator: ProgramEvaluator,
    settings: ImitationSettings,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> list[Example]:
    """Examples of what to do on the problems of some environments.

    Args:
        progress: is told about every trace that was found.
    """
    random = np.random.default_rng(seed)
    names = [_drawn(trained, random) for _ in range(max(settings.searched, settings.shown))]
    if settings.layouts:
        return _shown_layouts(names[: settings.shown], trained, evaluator, progress)
    library: dict[Trace, None] = {}
    for name in dict.fromkeys(names[: settings.searched]):
        task = Lesson.on(name, trained, evaluator, settings.walk)
        trace = task.essential(task.found(RandomWalks(), Budget(evaluations=settings.evaluations), seed))
        library[trace] = None
        if progress is not None:
            progress(f"{name}: {task.value(trace):.3f} of the peak by {' '.join(task.process.names[a] for a in trace)}")
    shown = names[: settings.shown]
    tasks = {name: Lesson.on(name, trained, evaluator) for name in shown}
    taught: dict[str, list[Example]] = {}
    for (name, task), trace in zip(tasks.items(), _chosen(list(tasks.values()), list(library)), strict=True):
        taught[name] = task.examples(task.essential(task.varied(trace)), CursorObserver(task.process, trained))
    # Problems of a small set are drawn again and again: they count as often as they are drawn.
    return [example for name in shown for example in taught[name]]


def _shown_layouts(
    names: Sequence[str],
    trained: EnvironmentSettings,
    evaluator: ProgramEvaluator,
    progress: Callable[[str], None] | None,
) -> list[Example]:
    taught: dict[str, list[Example]] = {}
    for name in dict.fromkeys(names):
        task = Lesson.on(name, trained, evaluator)
        trace = task.planned()
        taught[name] = task.examples(trace, CursorObserver(task.process, trained))
        if progress is not None:
            progress(f"{name}: {task.value(trace):.3f} of the peak by {' '.join(task.process.names[a] for a in trace)}")
    return [example for name in names for example in taught[name]]


def _chosen(tasks: Sequence[Lesson], library: Sequence[Trace]) -> list[Trace]:
    """For every task the trace, of those about as good as the best, that is so for most tasks."""
    values = np.array([[task.value(trace) for trace in library] for task in tasks])
    near = values * GAIN >= values.max(1, keepdims=True)
    return [library[k] for k in np.where(near, near.sum(0), -1).argmax(1)]


def _drawn(trained: EnvironmentSettings, random: np.random.Generator) -> str:
    choices = choices_of(trained.problems[int(random.integers(len(trained.problems)))])
    return str(choices[int(random.integers(len(choices)))]["workload"])


def imitation_loss(network: Network, batch: Sequence[Example], value: float) -> tuple[Tensor, Tensor]:
    """How far a network is from doing as examples do, and the share of them whose action is its likeliest.

    Args:
        value: weight of the loss of the values, of which all examples count for the same.
    """
    masks = torch.from_numpy(np.stack([example.mask for example in batch]))
    actions = torch.tensor([example.action for example in batch])
    values = torch.tensor([example.value for example in batch], dtype=torch.float32)
    weights = torch.tensor([example.weight for example in batch], dtype=torch.float32)
    scores, expected = network(collate([example.sample for example in batch]), masks)
    losses = cross_entropy(scores, actions, reduction="none") * weights
    loss = losses.sum() / weights.sum() + value * (expected - values).square().mean()
    return loss, ((scores.argmax(1) == actions) * weights).sum() / weights.sum()


def imitate(network: Network, examples: Sequence[Example], epochs: int, rate: float = 1e-3, seed: int = 0) -> float:
    """Train a network to do as the examples do; its learning rate falls to nothing.

    Returns:
        The share of the examples whose action is the network's likeliest, in the last epoch.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    updates = epochs * -(-len(examples) // BATCH)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, updates)
    right = 0
    for _ in range(epochs):
        right = 0
        for indices in torch.split(torch.randperm(len(examples), generator=generator), BATCH):
            loss, agreement = imitation_loss(network, [examples[k] for k in indices.tolist()], 0.5)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            right += round(agreement.item() * len(indices))
    return right / len(examples)
