"""Running what the user's compiler has built (see `polyloop.lowering.region_alone`), in a worker.

They work on the data of the search (`polyloop.measure.jobs`), all in one place, so that none has luckier addresses. It
is memory as a program of the user's has it, of malloc: pages of the system's choice, and vectors that cross lines. The
search's own arrays begin at lines, in huge pages, and not all builds gain the same by that. Short runs are timed right
behind one of the same build, as in a loop around the call.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.run.kernel import Bound
from polyloop.backend.run.timing import LONG_SECONDS, Duel, Runner
from polyloop.backend.run.timing import compare as compare_times
from polyloop.lowering.region_alone import ENTRY, FINISH, PREPARE, THREADS, Built
from polyloop.measure.jobs import Bench, Data, Setting, bench_of, compare, fresh_bench
from polyloop.measure.result import Check, Measurement

ROUNDS = 15
"""Of the last round, at most."""

WARM_SECONDS = 5e-3
"""Runs up to so long depend on what the one before has left in the caches."""

BEHIND = 16
"""Bytes that malloc keeps in front of large blocks, which begin with a page of their own."""

TRIAL_SECONDS = 0.2
"""For timing a candidate, before one of them is chosen."""


def run_check(setting: Setting, original: Built, other: Built, tolerance: float) -> Check:
    """Compare one run of each; the data is not kept.

    Under a tolerance, differences are relative to the largest number of an array.
    """
    return _checked(fresh_bench(setting), original, other, tolerance)


def run_once(setting: Setting, built: Built) -> float:
    """Seconds of one run of a build; the data is not kept."""
    bench = fresh_bench(setting)
    run = Runner(_bound(bench, built), _reset(bench))
    first = run(1)
    return first if first > LONG_SECONDS else run(1)


def run_trial(setting: Setting, original: Built, other: Built, tolerance: float) -> tuple[Check, Measurement]:
    """The results of one build against those of another, and its seconds in a few runs."""
    bench = bench_of(setting)
    check = _checked(bench, original, other, tolerance)
    times = compare_times(
        {"": _bound(bench, other)}, rounds=6, reset=_reset(bench), budget_seconds=TRIAL_SECONDS, fewest=1
    )
    return check, Measurement.of(times.rounds[""])


def run_duel(
    setting: Setting, original: Built, other: Built, seconds: float, fewest: int
) -> tuple[Measurement, Measurement, tuple[float, float, float]]:
    """Both in turn for about so many seconds, at the fewest in so many rounds; then the ratio of the original's time to
    the other's: its median, and the ends of its interval."""
    duel = _in_turn(setting, {"before": original, "after": other}, seconds, fewest)
    before, after = (Measurement.of(duel.rounds[name]) for name in ("before", "after"))
    ratio = duel.ratio("before", "after")
    return before, after, (ratio.value, ratio.low, ratio.high)


def run_turns(setting: Setting, built: Mapping[str, Built], seconds: float) -> dict[str, tuple[float, ...]]:
    """Several builds in turn for about so many seconds: of each its seconds, round by round."""
    return _in_turn(setting, built, seconds, fewest=6).rounds


def _in_turn(setting: Setting, built: Mapping[str, Built], seconds: float, fewest: int) -> Duel:
    bench = bench_of(setting)
    return compare_times(
        {name: _bound(bench, each) for name, each in built.items()},
        rounds=ROUNDS,
        reset=_reset(bench),
        budget_seconds=seconds,
        fewest=fewest,
        warm_seconds=WARM_SECONDS,
    )


def _checked(bench: Bench, original: Built, other: Built, tolerance: float) -> Check:
    if original.path not in bench.built:
        bench.built[original.path] = results(bench, original)
    return compare(bench.built[original.path], results(bench, other), tolerance, by_array=True)


def results(bench: Bench, built: Built) -> Data:
    run = _bound(bench, built)
    _reset(bench)()
    with run.prepared():
        run()
    return {name: bench.theirs[name].copy() for name in bench.setting.written}


def _reset(bench: Bench) -> Callable[[], None]:
    def reset() -> None:
        for name in bench.setting.written:
            np.copyto(bench.theirs[name], bench.pristine[name])

    return reset


def _placed(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """A copy as malloc would place it."""
    room = mmap.mmap(-1, BEHIND + array.nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    copy = np.frombuffer(room, np.uint8, array.nbytes, BEHIND).view(array.dtype).reshape(array.shape)
    np.copyto(copy, array)
    return copy


def _bound(bench: Bench, built: Built) -> Bound:
    sizes = dict(bench.setting.sizes)
    if not bench.theirs:
        bench.theirs = {name: _placed(array) for name, array in bench.pristine.items()}
    passed = bench.passed(bench.theirs)
    arrays = {name: passed[name] for name in built.slots[built.values :]}
    values = [sizes[name] for name in built.slots[: built.values]]
    values += [array.ctypes.data for array in arrays.values()]
    values += [array.nbytes for array in arrays.values()]
    slots = (ctypes.c_int64 * max(1, len(values)))(*values)
    library = ctypes.CDLL(built.path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    library[THREADS](bench.setting.threads)
    prepare, function, finish = (_address(library, name) for name in (PREPARE, ENTRY, FINISH))
    return Bound(function, slots, sizes, arrays, bench.setting.threads, library, prepare, finish)


def _address(library: ctypes.CDLL, name: str) -> int:
    """Of a function; 0 where there is none."""
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 if hasattr(library, name) else 0
