"""A start for the policy of Schedule-v0: it copies the best walks that a bench has measured.

``polyloop bench polygym --resume FILE`` keeps every sample that it has measured; a sample is a function of its
heuristic and its number, so that its walk can be done again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import isclose, log
from pathlib import Path
from typing import Any

import numpy as np

from polyloop.envs.problems import Arguments, frozen_sizes, load
from polyloop.errors import PolyloopError
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.imitation import Example
from polyloop.gnn.observers import SchedulingObserver
from polyloop.search.journal import read_lines
from polyloop.search.schedule.sampler import PERMUTABLE, Sampler
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling

BEST, NEAR, LONGEST = 3, 0.9, 400
"""Walks of a kernel that are copied, how near the best of them they have to be, and how long one may be."""


def demonstrations(
    trained: EnvironmentSettings, path: Path, kernels: Sequence[str], progress: Callable[[str], None] | None = None
) -> list[Example]:
    """What to do in the states of the best walks of some kernels.

    Args:
        path: the file of a bench.
        progress: is told about every kernel.
    Raises:
        PolyloopError: if there is no walk of these kernels in the file.
    """
    lines = read_lines(path)
    if not lines:
        raise PolyloopError(f"{path} has no samples; polyloop bench polygym --resume {path} measures some")
    sizes = {line["kernel"]: line["sizes"] for line in lines if line.get("what") == "sizes"}
    samples: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        walks = line.get("what") == "sample" and PERMUTABLE not in line["heuristic"]
        if walks and line["seconds"] is not None and line["kernel"] in kernels:
            samples[line["kernel"]].append(line)
    result: list[Example] = []
    settings = lines[0]["settings"]
    for kernel, found in samples.items():
        before = len(result)
        arguments = Arguments(
            sizes=frozen_sizes(sizes[kernel]), post_processing=settings.get("post_processing", "shapes")
        )
        result += _of_kernel(trained, kernel, arguments, found, settings["seed"])
        if progress is not None:
            progress(f"{kernel}: {len(result) - before} examples")
    if not result:
        raise PolyloopError(f"{path} has no walks of {', '.join(kernels)} that can be done again")
    return result


def _of_kernel(
    trained: EnvironmentSettings, kernel: str, arguments: Arguments, samples: list[dict[str, Any]], seed: int
) -> list[Example]:
    task = load(kernel, arguments)
    process = Scheduling(Construction(task.space), trained.arguments.get("max_coefficient", 2))
    observer = SchedulingObserver(process, task.problem.scop, dict(task.problem.sizes), trained)
    sampler = Sampler(kernel, task.problem, task.space, seed)
    samples = sorted(samples, key=lambda sample: -sample["speedup"])
    result: list[Example] = []
    copied = 0
    for sample in samples:
        if copied == BEST or sample["speedup"] < NEAR * samples[0]["speedup"]:
            break
        schedule = sampler.schedule(sample["heuristic"], sample["index"])
        # A file may be older than the sampler: then its numbers stand for other schedules.
        if not isclose(sampler.model.seconds(task.problem, schedule), sample["model"], rel_tol=1e-9):
            continue
        actions = sampler.actions(sample["heuristic"], sample["index"])
        if len(actions) <= LONGEST:
            result += _examples(process, observer, actions, log(sample["speedup"]))
            copied += 1
    return result


def _examples(process: Scheduling, observer: SchedulingObserver, actions: Sequence[int], value: float) -> list[Example]:
    state, result = process.initial(), []
    for action in actions:
        sample, mask = observer.observe(state)
        if np.count_nonzero(mask) > 1:
            result.append(Example(sample, mask, action, value))
        state = process.step(state, action)
    return result
