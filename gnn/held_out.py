"""A policy on cases that it has not learnt from, judged by the model of each case's machine. Nothing is measured.

While a policy is trained its likeliest walk counts, of all cases at once, so that a batch of them costs what a few do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor_problems import open_case
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.likely_walks import LikelyWalk
from polyloop.gnn.networks import Network
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.samples import collate
from polyloop.measure.programs import ModelledPrograms
from polyloop.search.cursor.baselines import Ended, Task, baseline
from polyloop.shipped.families import CASES, Case, split

AT_ONCE = 64
"""Cases that are walked together."""

BESIDE = ("constant", "random-50")
"""Baselines that a learner has to leave behind before it can be said to see anything."""

_LEAST = 1e-300
"""Probability that every legal action has at least: where all others lead back, it is the one."""

VALIDATION = 1_000_003
"""Added to the seed of a split: problems of its training part that no episode draws."""


class HeldOut:
    """Cases, ready to be walked by policies of one kind of environment.

    Args:
        environment: of Cursor-v0 or Cursor-v1.
    """

    def __init__(self, cases: Sequence[Case], environment: EnvironmentSettings) -> None:
        self.cases, self.environment = tuple(cases), environment
        self._best = environment.best

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The cases' processes, and the models of their machines."""
        actions, length = self.environment.cursor_actions, self.environment.cursor_length
        models = {name: ModelledPrograms(machine_named(name)) for name in {case.machine for case in self.cases}}
        return tuple(
            Task(open_case(case, actions, length), machine_named(case.machine), models[case.machine])
            for case in self.cases
        )

    @cached_property
    def observers(self) -> tuple[CursorObserver, ...]:
        """What a policy sees of each."""
        return tuple(CursorObserver(task.process, self.environment, task.machine) for task in self.tasks)

    def ends(self, network: Network) -> list[AnyState]:
        """Where the network's likeliest actions lead from the original loops; the best state on the way, where returns
        are of the best."""
        result: list[AnyState] = []
        for first in range(0, len(self.cases), AT_ONCE):
            result += self.walked(network, range(first, min(first + AT_ONCE, len(self.cases))))
        return result

    def gain(self, network: Network) -> float:
        """What it gains in the mean over all cases, as a share of the peak."""
        ends = self.ends(network)
        return float(np.mean([task.gain(end) for task, end in zip(self.tasks, ends, strict=True)]))

    @cached_property
    def baselines(self) -> dict[str, float]:
        """What stands beside a policy's gain, which is over the untuned loops: the same of `BESIDE`."""
        return {
            name: float(np.mean([task.gain(baseline(name)(task, 0).state) for task in self.tasks])) for name in BESIDE
        }

    def walked(self, network: Network, numbers: range) -> list[AnyState]:
        """See `ends`, of some cases."""
        tasks, observers = [self.tasks[k] for k in numbers], [self.observers[k] for k in numbers]
        walks = _likeliest(network, observers, stops=not self._best)
        if self._best:
            return [max(walk.states, key=task.worth) for walk, task in zip(walks, tasks, strict=True)]
        return [walk.states[-1] for walk in walks]


@torch.inference_mode()
def _likeliest(network: Network, observers: Sequence[CursorObserver], stops: bool) -> list[LikelyWalk]:
    """The likeliest walk of each process, all of them asked for together."""
    walks = [LikelyWalk(own.process, stops=stops) for own in observers]
    while going := [(walk, own) for walk, own in zip(walks, observers, strict=True) if not walk.over]:
        samples, masks = zip(*(own.observe(walk.states[-1]) for walk, own in going), strict=True)
        scores, _ = network(collate(samples), torch.from_numpy(np.stack(masks)))
        for (walk, own), mask, likely in zip(going, masks, scores.double().softmax(1).numpy(), strict=True):
            chances = np.zeros(len(walk.process.names))
            chances[own.ids] = np.where(mask, np.maximum(likely, _LEAST), 0.0)
            walk.go_on(chances)
    return walks


def walk(network: Network, environment: EnvironmentSettings, task: Task) -> Ended:
    """Where the likeliest actions of a network lead on one task, in no more steps than its episodes have.

    Its process may lack the action stop.
    """
    best, process = environment.best, task.process
    # Made anew: what a process has worked out belongs to its actions.
    length = min(environment.cursor_length, process.length or environment.cursor_length)
    own = type(process)(process.problem, environment.cursor_actions, length)
    (found,) = _likeliest(network, [CursorObserver(own, environment, task.machine)], stops=not best)
    places = range(len(found.states))
    at = max(places, key=lambda k: task.worth(found.states[k])) if best else places[-1]
    names = (own.names[action] for action in found.actions[:at])
    return Ended(found.states[at], tuple(process.names.index(name) for name in names if name != STOP))


def validation(name: str, seed: int, count: int, environment: EnvironmentSettings) -> HeldOut:
    """Cases to look at while training: of the families and machines that a split trains on, other problems."""
    drawn = {case.name for case in split(name, seed).train}
    cases = [case for case in split(name, seed + VALIDATION, CASES).train if case.name not in drawn]
    step = max(len(cases) // count, 1)
    return HeldOut(cases[::step][:count], environment)
