"""A policy on cases that it has not learnt from, judged by the model of each case's machine. Nothing is measured.

While a policy is trained its likeliest walk counts, of all cases at once, so that a batch of them costs what a few do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.base import AnyState
from polyloop.envs.cursor_problems import open_case
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.eyes import CursorEyes
from polyloop.gnn.networks import Network
from polyloop.gnn.samples import collate
from polyloop.measure.programs import ModelledPrograms
from polyloop.search.cursor.baselines import Ended, Task
from polyloop.shipped.families import CASES, Case, split

AT_ONCE = 64
"""Cases that are walked together."""

VALIDATION = 1_000_003
"""Added to the seed of a split: problems of its training part that no episode draws."""


class HeldOut:
    """Cases, ready to be walked by policies of one kind of environment.

    Args:
        environment: of Cursor-v0 or Cursor-v1.
    """

    def __init__(self, cases: Sequence[Case], environment: EnvironmentSettings) -> None:
        self.cases, self.environment = tuple(cases), environment
        self._best = environment.arguments.get("returns") == "best"

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
    def eyes(self) -> tuple[CursorEyes, ...]:
        """What a policy sees of each."""
        return tuple(CursorEyes(task.process, self.environment, task.machine) for task in self.tasks)

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

    @torch.inference_mode()
    def walked(self, network: Network, numbers: range) -> list[AnyState]:
        """See `ends`, of some cases."""
        eyes, tasks = [self.eyes[k] for k in numbers], [self.tasks[k] for k in numbers]
        walks = [[task.process.initial()] for task in tasks]
        going = list(range(len(walks)))
        while going := [k for k in going if not tasks[k].process.final(walks[k][-1])]:
            seen = [eyes[k].observe(walks[k][-1]) for k in going]
            samples, masks = zip(*seen, strict=True)
            legal = torch.from_numpy(np.stack(masks))
            chosen = network(collate(samples), legal)[0].argmax(1).tolist()
            still = []
            for k, action, mask in zip(going, chosen, masks, strict=True):
                if mask.any():
                    walks[k].append(tasks[k].process.step(walks[k][-1], eyes[k].ids[action]))
                    still.append(k)
            going = still
        if self._best:
            return [max(walk, key=task.worth) for walk, task in zip(walks, tasks, strict=True)]
        return [walk[-1] for walk in walks]


def walk(network: Network, environment: EnvironmentSettings, task: Task) -> Ended:
    """Where the likeliest actions of a network lead on one task, whose process may lack the action stop."""
    best, process = environment.arguments.get("returns") == "best", task.process
    # Made anew: what a process has worked out belongs to its actions.
    own = type(process)(process.problem, environment.cursor_actions, environment.cursor_length)
    eyes = CursorEyes(own, environment, task.machine)
    state, states, actions = own.initial(), [own.initial()], list[int]()
    with torch.inference_mode():
        while not own.final(state):
            sample, mask = eyes.observe(state)
            if not mask.any():
                break
            scores, _ = network(collate([sample]), torch.from_numpy(mask).unsqueeze(0))
            action = eyes.ids[int(scores.argmax())]
            state = own.step(state, action)
            if not state.stopped:
                states.append(state)
                actions.append(process.names.index(own.names[action]))
    end = max(range(len(states)), key=lambda n: task.worth(states[n])) if best else len(states) - 1
    return Ended(states[end], tuple(actions[:end]))


def validation(name: str, seed: int, count: int, environment: EnvironmentSettings) -> HeldOut:
    """Cases to look at while training: of the families and machines that a split trains on, other problems."""
    drawn = {case.name for case in split(name, seed).train}
    cases = [case for case in split(name, seed + VALIDATION, CASES).train if case.name not in drawn]
    step = max(len(cases) // count, 1)
    return HeldOut(cases[::step][:count], environment)
