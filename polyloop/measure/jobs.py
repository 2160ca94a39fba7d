"""Running vector programs on the data of a Scop: results compared with the original's, then timed.

Everything here runs inside a worker process (see `polyloop.backend.run.worker`); a `Job` is all that it needs, so that
a fresh worker after a crash goes on where the old one ended. The data and the original's results are kept between jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.config import cache_directory
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.measure.result import Check, Measurement
from polyloop.scop.data import Fill, aligned, ask_for_memory, fill, from_origin

if TYPE_CHECKING:
    from polyloop.backend.run.kernel import Bound
    from polyloop.backend.run.timing import Runner

Data = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Setting:
    """What all candidates of one search have in common.

    Attributes:
        original: the original loops as a program: the reference for results and the baseline for speed.
        fills: how to make every array.
        sizes: parameter values.
        written: names of the arrays whose contents matter after the run.
        threads: how many threads parallel loops use.
        contract: fuse multiplications and additions within an expression.
        tolerance: largest relative difference of results, 0 for equal bits.
        by_array: differences are relative to an array's largest number (`compare`): functions that are exact to a few
            units only leave more than that where their results cancel.
        seconds: how long to repeat a run for its timing.
        stash: a folder that keeps the original's results for the next worker if this one dies.
    """

    original: VectorProgram
    fills: tuple[Fill, ...]
    sizes: tuple[tuple[str, int], ...]
    written: tuple[str, ...]
    threads: int = 1
    contract: bool = True
    tolerance: float = 0.0
    by_array: bool = False
    seconds: float = 0.1
    stash: str = ""


@dataclass(frozen=True)
class Job:
    """Programs to check and to time, in turn: A B C A B C ...

    Attributes:
        cutoff: a program whose first run takes more seconds than this, and a millisecond at least, is not run again.
        rounds: at most so many runs of each.
        check: compare results with the original's; a part of a program has none of its own.
    """

    setting: Setting
    programs: tuple[VectorProgram, ...]
    cutoff: float = float("inf")
    rounds: int = 15
    check: bool = True


@dataclass
class Bench:
    """Pristine data, a working copy, the original's results, and those of what was built elsewhere, by path.

    Attributes:
        theirs: a working copy where a program of the user's would have it, for what was built elsewhere.
    """

    setting: Setting
    pristine: Data
    working: Data
    expected: Data = field(default_factory=dict)
    built: dict[str, Data] = field(default_factory=dict)
    theirs: Data = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)

    def reset(self, program: VectorProgram) -> None:
        """Fresh contents for everything that the program or the one before it may have changed."""
        changed = {a.name for a in program.arrays if a.storage is Storage.ARGUMENT and not a.read_only}
        for name in changed | self.stale:
            np.copyto(self.working[name], self.pristine[name])
        self.stale = changed

    def bound(self, program: VectorProgram) -> Bound:
        from polyloop.backend.run.kernel import compile_program  # workers only compile

        kernel = compile_program(
            program, threads=self.setting.threads, contract=self.setting.contract, cache=cache_directory() / "objects"
        )
        return kernel.bind(**self.passed(self.working), **dict(self.setting.sizes))

    def passed(self, arrays: Data) -> Data:
        """What the code gets of arrays that may begin in front of what its pointers point at."""
        return {each.name: from_origin(each, arrays[each.name]) for each in self.setting.fills}

    def check(self) -> Check:
        """Of the working copy against what the original computes, which a worker before this one may have left."""
        if not self.expected:
            if self.stash is not None and self.stash.exists():
                with np.load(self.stash) as archive:
                    self.expected = {name: archive[name] for name in self.setting.written}
            else:
                results = self.working
                self.working = {name: aligned(array) for name, array in self.pristine.items()}
                self.bound(self.setting.original)()
                self.keep_expected()
                self.working = results
        return compare(self.expected, self.working, self.setting.tolerance, by_array=self.setting.by_array)

    def keep_expected(self) -> None:
        """The working copy holds what the original computes. It may take a minute: once for all workers is enough."""
        self.expected = {name: self.working[name].copy() for name in self.setting.written}
        if self.stash is not None:
            partial = self.stash.with_suffix(".partial.npz")
            np.savez(partial, **self.expected)  # type: ignore[arg-type]
            partial.replace(self.stash)

    @property
    def stash(self) -> Path | None:
        return Path(self.setting.stash) / "expected.npz" if self.setting.stash else None


def run_check(setting: Setting, program: VectorProgram) -> Check:
    """Compare one run of a program with one of the original loops. Nothing is timed, and the data is not kept.

    Under a tolerance, differences are relative to the largest number of an array.
    """
    bench = fresh_bench(replace(setting, by_array=True, stash=""))
    bench.bound(program)()
    return bench.check()


LONG = 10
"""A first run longer than so many times the time to be spent is the only one."""

_benches: dict[Setting, Bench] = {}
BENCHES = 4
"""Settings whose data is kept: a Scop's and some of its variants'. The data of large problems is large."""


def run_job(job: Job) -> tuple[Measurement, ...]:
    """Check every program once, then time all of them interleaved."""
    from polyloop.backend.run.timing import Runner  # workers only time

    bench = bench_of(job.setting)
    runs = [Runner(bench.bound(p), partial(bench.reset, p)) for p in job.programs]
    checks: list[Check] = []
    seconds: list[list[float]] = []
    for program, run in zip(job.programs, runs, strict=True):
        seconds.append([run(1)])
        if program is job.setting.original and not bench.expected:
            bench.keep_expected()
        checks.append(bench.check() if job.check else Check(0, 0, 0.0))
    _repeat(job, runs, seconds)
    return tuple(replace(Measurement.of(times), check=check) for times, check in zip(seconds, checks, strict=True))


def _repeat(job: Job, runs: Sequence[Runner], seconds: list[list[float]]) -> None:
    """More runs, until the time of a program is used up. The first run also warmed caches and pages up: it counts only
    for programs that are never run again, as those that took so long that warming up made no difference."""
    from polyloop.backend.run.timing import LONG_SECONDS

    limit = max(min(job.cutoff, LONG * job.setting.seconds), LONG_SECONDS)  # caches are cold: short runs say nothing
    again = [k for k, times in enumerate(seconds) if times[0] <= limit]
    first = {k: seconds[k].pop() for k in again}
    for _ in range(job.rounds):
        again = [k for k in again if sum(seconds[k]) + first[k] < job.setting.seconds or len(seconds[k]) < 1]
        for k in again:
            seconds[k].append(runs[k](1))


def bench_of(setting: Setting) -> Bench:
    """The data of a setting, which is kept."""
    if setting not in _benches:
        while len(_benches) >= BENCHES:
            del _benches[next(iter(_benches))]
        _benches[setting] = Bench(setting, *_data(setting))
    return _benches[setting]


def fresh_bench(setting: Setting) -> Bench:
    """The data of a setting, made for once."""
    return Bench(setting, *_data(setting))


def _data(setting: Setting) -> tuple[Data, Data]:
    """Pristine, and a copy to work on."""
    ask_for_memory(setting.fills, 3)  # and one of results
    pristine = {f.name: fill(f) for f in setting.fills}
    return pristine, {name: aligned(array) for name, array in pristine.items()}


def compare(expected: Data, actual: Data, tolerance: float, *, by_array: bool = False) -> Check:
    """Element by element; NaN equals NaN, and zeros of different sign differ. Under a tolerance, numbers one of
    which has overflowed where the other is huge do not: recurrences that grow overflow a step earlier or later as they
    are rounded, and what is computed from infinities hangs on where that was.

    Args:
        by_array: differences are relative to the largest finite number of the array, not to the element's own: it may
            be what is left of others that cancelled.
    """
    compared, different, largest = 0, 0, 0.0
    for name, want in expected.items():
        have = actual[name]
        compared += want.size
        unequal = np.ascontiguousarray(want).view(np.uint8) != np.ascontiguousarray(have).view(np.uint8)
        if not unequal.any():
            continue
        left, right = np.atleast_1d(want).astype(np.float64), np.atleast_1d(have).astype(np.float64)
        both_nan = np.isnan(left) & np.isnan(right)
        rows = unequal.reshape(left.size, want.dtype.itemsize).any(axis=1).reshape(left.shape) & ~both_nan
        if tolerance and want.dtype.kind == "f":
            far = float(np.finfo(want.dtype.str).max) ** 0.5
            overflows = ~(np.isfinite(left) & np.isfinite(right))
            rows &= ~(overflows & ~(np.abs(left) < far) & ~(np.abs(right) < far))
        different += int(rows.sum())
        if rows.any():
            with np.errstate(all="ignore"):
                scale = np.maximum(np.abs(left[rows]), np.abs(right[rows]))
                if by_array:
                    scale = np.maximum(scale, np.max(np.abs(left), where=np.isfinite(left), initial=0.0))
                gaps = np.abs(left[rows] - right[rows]) / np.where(scale == 0, 1, scale)
            largest = max(largest, float(np.nanmax(np.where(np.isfinite(gaps), gaps, np.inf))))
    return Check(compared, different, largest, tolerance)
