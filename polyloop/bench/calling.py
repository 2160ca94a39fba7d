"""Calling compiled kernels on one set of arrays, with the clock read inside compiled code.

Called from Python and timed there, a kernel of 25 microseconds would seem 5% slower than it is, and a gain of 10%
would seem 9%.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.run.kernel import Kernel
from polyloop.bench.toolchain import build_shared
from polyloop.scop.data import aligned
from polyloop.shipped.kernels import Argument, KernelInfo, inputs
from polyloop.support.compilers import Compiler

Arrays: TypeAlias = dict[str, NDArray[Any]]
Run: TypeAlias = Callable[[], float]

_SCALARS: Mapping[str, Any] = {"int": ctypes.c_int, "double": ctypes.c_double, "float": ctypes.c_float}

# A thread's CPU time does not count what other processes take; several threads need the wall clock.
_TIMER = """
#define _GNU_SOURCE
#include <time.h>

static long long now(int wall)
{{
    struct timespec t;
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return 1000000000LL * t.tv_sec + t.tv_nsec;
}}

/* What two readings of the clock cost, which no contestant is charged with. */
static long long idle(int wall)
{{
    static long long least[2];
    if (least[wall] == 0) {{
        long long shortest = 1000000;
        for (int k = 0; k < 100; k++) {{
            long long start = now(wall), stop = now(wall);
            shortest = stop - start < shortest ? stop - start : shortest;
        }}
        least[wall] = shortest;
    }}
    return least[wall];
}}

double timed_call(int wall, void (*function)({types}), {parameters})
{{
    long long before = idle(wall), start = now(wall);
    function({names});
    long long stop = now(wall);
    return 1e-9 * (double)(stop - start > before ? stop - start - before : 1);
}}

double timed_slots(int wall, void (*function)(void *), void *slots)
{{
    long long before = idle(wall), start = now(wall);
    function(slots);
    long long stop = now(wall);
    return 1e-9 * (double)(stop - start > before ? stop - start - before : 1);
}}
"""


@dataclass(frozen=True)
class Bench:
    """One kernel's arguments, and a timer for functions that take them.

    Attributes:
        pristine, working: the arrays as they are before a run, and those that runs work on. All contestants share
            them, so that none has luckier addresses.
        scalars: sizes and floating-point scalars.
        wall: measure wall-clock time instead of the thread's CPU time.
    """

    info: KernelInfo
    pristine: Arrays
    working: Arrays
    scalars: dict[str, int | float]
    wall: bool
    timer: ctypes.CDLL

    def restore(self) -> None:
        """The working arrays as before a run; afterwards the caches hold the same for every contestant."""
        for name, array in self.working.items():
            np.copyto(array, self.pristine[name])

    def results(self) -> Arrays:
        """A copy of all arrays: whoever calls the function might read any of them."""
        return {name: array.copy() for name, array in self.working.items()}

    def shared(self, library: Path) -> Run:
        """Run the kernel's function of a shared library once; returns its seconds."""
        loaded = ctypes.CDLL(str(library))
        function = ctypes.cast(getattr(loaded, self.info.function), ctypes.c_void_p)
        values = [self._value(argument) for argument in self.info.arguments]
        return lambda: float(self.timer.timed_call(int(self.wall), function, *values))

    def jit(self, kernel: Kernel) -> Run:
        """Run a kernel of the backend once; returns its seconds."""
        signature = kernel.signature
        named: dict[str, Any] = {name: self.scalars[name] for name in signature.parameters}
        for spec in signature.arguments:
            # Variables that the C function declares before its scop are arguments of the kernel, too.
            extents = [0 if extent is None else extent.evaluate(named) for extent in spec.shape]
            scratch = np.zeros(extents, dtype_of(spec.type))
            named[spec.name] = self.working.get(spec.name, self.scalars.get(spec.name, scratch))
        bound = kernel.bind(**named)
        function, slots = ctypes.c_void_p(bound.function), ctypes.c_void_p(ctypes.addressof(bound.slots))

        def run() -> float:
            # The bound kernel owns code and slots: it has to live as long as this function.
            assert bound.slots is not None
            return float(self.timer.timed_slots(int(self.wall), function, slots))

        return run

    def _value(self, argument: Argument) -> Any:
        if argument.shape:
            return ctypes.c_void_p(self.working[argument.name].ctypes.data)
        return _SCALARS[argument.ctype](self.scalars[argument.name])


def make_bench(info: KernelInfo, sizes: Mapping[str, int], compiler: Compiler, folder: Path, wall: bool) -> Bench:
    """Inputs and a timer for a shipped kernel.

    Args:
        sizes: the extent of every size parameter.
        compiler: builds the timer.
        folder: for temporary files.
    Raises:
        KernelSizeError: if the sizes do not fit the kernel.
        BuildError: if the timer cannot be built.
    """
    made = inputs(info.name, sizes)
    pristine = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
    scalars = {name: value for name, value in made.items() if not isinstance(value, np.ndarray)}
    source = folder / "timer.c"
    source.write_text(_timer(info), encoding="utf-8")
    timer = ctypes.CDLL(str(build_shared(compiler, source)))
    timer.timed_call.restype = timer.timed_slots.restype = ctypes.c_double
    working = {name: aligned(array) for name, array in pristine.items()}
    return Bench(info, pristine, working, scalars, wall, timer)


def _timer(info: KernelInfo) -> str:
    types = ["void *" if a.shape else a.ctype for a in info.arguments]
    names = [f"a{number}" for number in range(len(types))]
    parameters = ", ".join(f"{type_} {name}" for type_, name in zip(types, names, strict=True))
    return _TIMER.format(types=", ".join(types), names=", ".join(names), parameters=parameters)
