"""How long kernels take: batches inside compiled code for short ones, thread CPU time for long ones, interleaved duels.

A machine has slow states that come and go within seconds, so two kernels are compared by running them in turn and
looking at the ratios of neighbours (`compare`), never by two separate measurements.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import TypeAlias

from polyloop.backend.machine.host import host_target
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import Bound

Contestant: TypeAlias = "Bound | Callable[[], object]"

LONG_SECONDS = 1e-3  # from here on a single run is measured, in CPU time
SINGLE_SECONDS = 20e-6  # from here on reading the clock twice (50 ns) does not show in a single run

LONGER = 10
"""So many times as long as a batch is to be may that of the slowest of several contestants be."""

# void (*kernel)(slots), slots, count, clock -> nanoseconds for `count` calls
_REPEAT = """
define i64 @polyloop.repeat(ptr %kernel, ptr %slots, i64 %count, i32 %clock) {
entry:
  %before = alloca [2 x i64], align 16
  %after = alloca [2 x i64], align 16
  %r0 = call i32 @clock_gettime(i32 %clock, ptr %before)
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void %kernel(ptr %slots)
  %next = add i64 %n, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  %r1 = call i32 @clock_gettime(i32 %clock, ptr %after)
  %s0 = load i64, ptr %before
  %s1 = load i64, ptr %after
  %p0 = getelementptr i64, ptr %before, i64 1
  %p1 = getelementptr i64, ptr %after, i64 1
  %n0 = load i64, ptr %p0
  %n1 = load i64, ptr %p1
  %seconds = sub i64 %s1, %s0
  %whole = mul i64 %seconds, 1000000000
  %part = sub i64 %n1, %n0
  %total = add i64 %whole, %part
  ret i64 %total
}
declare i32 @clock_gettime(i32, ptr)
"""


@dataclass(frozen=True)
class Timing:
    """Seconds for one call, from several samples of `calls` calls each."""

    samples: tuple[float, ...]
    calls: int = 1

    @property
    def best(self) -> float:
        return min(self.samples)

    @property
    def median(self) -> float:
        return median(self.samples)


@dataclass(frozen=True)
class Ratio:
    """Time of one contestant over that of another: the median over rounds, with an interval of 95% confidence."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Duel:
    """What `compare` found: seconds of every contestant in every round that it took part in, from the first on."""

    rounds: dict[str, tuple[float, ...]]

    def timing(self, name: str) -> Timing:
        return Timing(self.rounds[name])

    def ratio(self, name: str, other: str) -> Ratio:
        """Time of `name` over time of `other`, round by round; rounds that only one of them ran are left out.

        The interval is that of the median by order statistics: it assumes nothing about how times are distributed.
        """
        ratios = sorted(a / b for a, b in zip(self.rounds[name], self.rounds[other], strict=False))
        skip = _order_statistic(len(ratios))
        return Ratio(median(ratios), ratios[skip], ratios[-1 - skip])


def time_call(
    bound: Contestant,
    *,
    reset: Callable[[], object] | None = None,
    samples: int = 7,
    batch_seconds: float = 100e-6,
    budget_seconds: float = 1.0,
    agreement: float = 0.0,
) -> Timing:
    """Measure a kernel with its arguments.

    Args:
        bound: what `Kernel.bind` returns, or any function without arguments (then Python's call is included).
        reset: restores the arrays; called untimed before every sample. Without it, kernels that update in place
            drift to infinities or denormals, which take another time.
        samples: how many samples to take.
        batch_seconds: short kernels run so often in a sample; with `reset`, only those under 20 us are batched.
        budget_seconds: stop taking samples when they have taken so long; at least two are taken.
        agreement: of runs that are a sample by themselves, stop when the two shortest differ by no more than this
            fraction: what disturbs a run makes it longer, and hardly twice by the same time. The run that warms up
            counts where the next agrees with it.
    """
    run = Runner(bound, reset)
    warm = run(1)  # page faults, caches, thread pools
    first = run(1)
    long = first >= (SINGLE_SECONDS if reset else LONG_SECONDS)
    alone = long or (agreement > 0 and first >= batch_seconds)
    if alone and agreement > 0 and _agree((warm, first), agreement):
        return Timing((warm, first))
    calls = 1 if long else max(1, math.ceil(batch_seconds / max(first, 1e-9)))
    taken: list[float] = [first] if alone else []
    start = time.perf_counter()
    while len(taken) < samples and (len(taken) < 2 or time.perf_counter() - start < budget_seconds):
        taken.append(run(calls))
        if alone and _agree(taken, agreement):
            break
    return Timing(tuple(taken), calls)


def _agree(taken: Sequence[float], fraction: float) -> bool:
    """Whether the two shortest differ by no more than the fraction."""
    best, *others = sorted(taken)
    return bool(others) and others[0] <= best * (1 + fraction)


def compare(
    contestants: Mapping[str, Contestant],
    *,
    rounds: int = 11,
    reset: Callable[[], object] | None = None,
    batch_seconds: float = 200e-6,
    budget_seconds: float = math.inf,
    fewest: int = 6,
    warm_seconds: float = 0.0,
) -> Duel:
    """Measure several kernels in turn, `rounds` times; every second round in reverse order.

    Args:
        rounds: at least 6, or there is no 95% interval.
        reset: restores the arrays; called untimed before every batch of every contestant. All batches are equally many
            calls then, unless the slowest would run `LONGER` times as long as it is to.
        budget_seconds: no further round begins after so long.
        fewest: so many rounds there are in any case. With fewer than 6 the interval of ratios is all that were seen.
        warm_seconds: a single call that takes less is timed behind one that is not: what a contestant finds in the
            caches is what it has left there, and not what another has.
    Raises:
        ValueError: for fewer than 6 rounds.
    """
    if rounds < 6:
        raise ValueError(f"{rounds} rounds give no 95% interval; take at least 6")
    runners = {name: Runner(bound, reset) for name, bound in contestants.items()}
    started = time.perf_counter()
    calls: dict[str, int] = {}
    slowest = 1e-9
    for name, run in runners.items():
        seconds = run(1)
        if seconds < LONG_SECONDS:
            seconds = run(1)
        batched = seconds < (SINGLE_SECONDS if reset else LONG_SECONDS)
        calls[name] = max(1, math.ceil(batch_seconds / max(seconds, 1e-9))) if batched else 1
        slowest = max(slowest, seconds)
    if reset is not None:
        # Numbers that are updated in place drift to denormals, which take longer: all shall meet the same ones.
        most = max(1, math.ceil(LONGER * batch_seconds / slowest))
        calls = dict.fromkeys(calls, min(most, max(calls.values(), default=1)))
    found: dict[str, list[float]] = {name: [] for name in runners}
    order = list(runners)
    for number in range(rounds):
        if number >= fewest and time.perf_counter() - started > budget_seconds:
            break
        for name in order if number % 2 == 0 else reversed(order):
            if calls[name] == 1 and runners[name].last < warm_seconds:
                runners[name](1)
            found[name].append(runners[name](calls[name]))
    return Duel({name: tuple(seconds) for name, seconds in found.items()})


class Runner:
    """Calls a contestant a number of times and returns the seconds for one call; `last` has those of the last time.

    CPU time leaves out what others do meanwhile, but takes half a microsecond to read, and adds up over threads: the
    first call is in CPU time, as nobody knows how long it takes, later short ones are by the wall clock.
    """

    def __init__(self, bound: Contestant, reset: Callable[[], object] | None = None) -> None:
        self._bound = bound
        self._reset = reset
        self.last = math.inf

    def __call__(self, calls: int) -> float:
        if self._reset is not None:
            self._reset()
        threads = self._bound.threads if isinstance(self._bound, Bound) else 1
        wall = threads > 1 or self.last * calls < LONG_SECONDS
        if isinstance(self._bound, Bound):
            with self._bound.prepared():
                nanoseconds = self._compiled(calls, wall)
        else:
            nanoseconds = self._python(calls, wall)
        self.last = nanoseconds * 1e-9 / calls
        return self.last

    def _compiled(self, calls: int, wall: bool) -> int:
        assert isinstance(self._bound, Bound)
        clock = time.CLOCK_MONOTONIC if wall else time.CLOCK_THREAD_CPUTIME_ID
        slots = ctypes.addressof(self._bound.slots)
        return int(_repeat()(self._bound.function, slots, calls, clock))

    def _python(self, calls: int, wall: bool) -> int:
        clock = time.perf_counter_ns if wall else time.thread_time_ns
        start = clock()
        for _ in range(calls):
            self._bound()
        return clock() - start


@cache
def _repeat() -> Callable[[int, int, int, int], int]:
    loaded = jit.load(jit.object_code(_REPEAT, host_target(), optimize=False), ("polyloop.repeat",))
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int)
    entry = prototype(loaded.addresses["polyloop.repeat"])

    def repeat(kernel: int, slots: int, calls: int, clock: int, _owner: object = loaded) -> int:
        return int(entry(kernel, slots, calls, clock))

    return repeat


def _order_statistic(count: int) -> int:
    """How many of the smallest and largest of `count` values may be dropped to keep 95% confidence in the median."""
    below, skip = 0.0, 0
    while skip < count // 2:
        below += math.comb(count, skip) / 2**count
        if below > 0.025:
            break
        skip += 1
    return max(0, skip - 1)
