"""One round of the suite ``polygym`` on one kernel, in a process of its own: isl's schedules, then sampled ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from polyloop.backend.machine.host import host_target
from polyloop.bench.harness import refusing
from polyloop.envs.problems import Arguments, Task, frozen_sizes, load
from polyloop.frontend import read_c
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.measured_schedules import Measuring, schedule_candidate
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import TIMES_SLOWER
from polyloop.schedules.isl_scheduler import Fusion
from polyloop.search.schedule.sampler import Sampler
from polyloop.shipped.kernels import KernelInfo, kernel

LOWERING_SECONDS = 1.0
"""Code generation of densely sampled schedules may take for ever."""

GRACE = 6.0
"""Seconds for compiling: what takes LLVM longer is the code of a dense schedule, among the best of none."""

REPEATED = 1.5
"""Schedules so many times slower than the original loops are timed by their first run: they are many, and among the
best of none."""

ORIGINAL, ISL = "original", "isl"


@refusing
def work(job: Mapping[str, Any]) -> dict[str, Any]:
    """A round.

    Args:
        job: "kernel"; "sizes" (null: to be found); "seed"; "post_processing"; "threads"; "samples": [heuristic, first
            index, number] of each; "finals": {heuristic: index of its best} to be measured in turn, or null; "seconds"
            after which no further sample is begun.
    Returns:
        {"sizes", "round": {"seconds": of the original loops and isl's schedules}, "samples": [...]}, and "final":
        {"seconds", "spread"} if it was asked for.
    """
    sizes = _checked(job["kernel"], job["sizes"]) if job["sizes"] else _found_sizes(job["kernel"])
    task = load(job["kernel"], Arguments(sizes=frozen_sizes(sizes), post_processing=job["post_processing"]))
    options = Options(threads=job["threads"])
    place = dict(task.problem.sizes)
    with (
        Evaluator(task.problem.scop, place, host_target(), options, grace=GRACE) as evaluator,
        Measuring.around(evaluator, lowering_seconds=LOWERING_SECONDS, repeated=REPEATED) as measuring,
    ):
        round_ = _Round(job, task, evaluator, measuring)
        seconds = round_.references()
        outcome = {"sizes": sizes, "round": {"seconds": seconds}, "samples": round_.samples()}
        return outcome | ({"final": round_.final()} if job["finals"] else {})


class _Round:
    def __init__(self, job: Mapping[str, Any], task: Task, evaluator: Evaluator, measuring: Measuring) -> None:
        self._job, self._task, self._evaluator, self._measuring = job, task, evaluator, measuring
        self._sampler = Sampler(task.name, task.problem, task.space, job["seed"])
        self._references: dict[str, Candidate] = {ORIGINAL: evaluator.original}

    def references(self) -> dict[str, float | None]:
        """Seconds of the original loops, and of isl's schedule for every fusion (None where there is none)."""
        baseline = self._measuring.baseline(self._task.problem)
        found: dict[str, float | None] = {ORIGINAL: baseline}
        for fusion in Fusion:
            name, candidate = f"{ISL}, {fusion.value} fusion", self._measuring.isl(self._task.problem, fusion)
            found[name] = None if candidate is None else self._evaluator.seconds(candidate)
            if candidate is not None:
                self._references[name] = candidate
        return found

    def samples(self) -> list[dict[str, Any]]:
        """Those asked for, the heuristics in turn, until the time is over."""
        wanted = [
            (index, heuristic)
            for heuristic, first, count in self._job["samples"]
            for index in range(first, first + count)
        ]
        taken, deadline = [], time.monotonic() + self._job["seconds"]
        for index, heuristic in sorted(wanted, key=lambda entry: entry[0]):
            if time.monotonic() > deadline:
                break
            taken.append(self._sample(heuristic, index))
        return taken

    def _sample(self, heuristic: str, index: int) -> dict[str, Any]:
        began, problem = time.monotonic(), self._task.problem
        schedule = self._sampler.schedule(heuristic, index)
        drawn = time.monotonic() - began
        score = self._measuring.evaluate(problem, schedule)
        return {
            "heuristic": heuristic,
            "index": index,
            "seconds": score.seconds,
            "speedup": score.speedup,
            "model": self._sampler.model.seconds(problem, schedule),
            "kind": score.kind,
            "error": None if score.error is None else score.error[:200],
            "drawn_in": round(drawn, 4),
            "spent": round(time.monotonic() - began, 4),
        }

    def final(self) -> dict[str, dict[str, float]]:
        """Seconds of the references and of every heuristic's best, in turn, and the spread of the runs: the best of
        many samples was lucky."""
        candidates = dict(self._references)
        for heuristic, index in self._job["finals"].items():
            schedule = self._sampler.schedule(heuristic, index)
            candidate = schedule_candidate(self._evaluator, self._task.problem, schedule)
            cutoff = TIMES_SLOWER * self._measuring.baseline(self._task.problem)
            if self._measuring.measure(self._evaluator, candidate, cutoff) < float("inf"):
                candidates[heuristic] = candidate
        self._evaluator.compare(list(dict.fromkeys(candidates.values())))
        timings = {name: self._evaluator.measured[candidate.name] for name, candidate in candidates.items()}
        return {
            "seconds": {name: timing.median for name, timing in timings.items() if timing.ran},
            "spread": {name: round(timing.spread, 3) for name, timing in timings.items() if timing.ran},
        }


def _checked(name: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """A dataset may have sizes that the loops do not have."""
    (scop,) = read_c(kernel(name).path)
    return {parameter: sizes[parameter] for parameter in scop.parameters}


def _found_sizes(name: str) -> dict[str, int]:
    info = kernel(name)
    (scop,) = read_c(info.path)

    def seconds(sizes: Mapping[str, int]) -> float:
        values = {parameter: sizes[parameter] for parameter in scop.parameters}
        with Evaluator(scop, values, host_target()) as evaluator:
            return evaluator.evaluate(evaluator.original)

    found = suitable_sizes(info, seconds)
    return {parameter: found[parameter] for parameter in scop.parameters}


# --- sizes ------------------------------------------------------------------------------------------------------------

LADDER = ("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE")
SECONDS = (0.005, 0.015)
"""Enough to be measured well, little enough for thousands of schedules, most of which are several times slower."""

_TRIES = 12
_STEP = 0.4
_LARGEST = 8.0


def between(info: KernelInfo, position: float) -> dict[str, int]:
    """Sizes at a position of `LADDER`; 2.5 is halfway from MEDIUM to LARGE in every parameter's logarithm, 5 goes
    as far beyond EXTRALARGE as that is beyond LARGE."""
    low = min(int(position), len(LADDER) - 2)
    share = position - low
    first, second = info.resolve(LADDER[low]), info.resolve(LADDER[low + 1])
    return {name: round(first[name] ** (1 - share) * second[name] ** share) for name in first}


def suitable_sizes(info: KernelInfo, seconds: Callable[[Mapping[str, int]], float]) -> dict[str, int]:
    """Sizes whose run takes a time within `SECONDS`, as nearly as a few tries find them."""
    low, high, position = 0.0, _LARGEST, 2.0
    for _ in range(_TRIES):
        taken = seconds(between(info, position))
        if SECONDS[0] <= taken <= SECONDS[1]:
            break
        if taken < SECONDS[0]:
            low = position
        else:
            high = position
        # Small steps upwards: a run at sizes far too large would take minutes.
        position = min((low + high) / 2, low + _STEP)
    return between(info, position)
