"""The machine that a benchmark ran on: what it is, and the floating-point rate that it reaches."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import tempfile
from pathlib import Path
from typing import Any

from polyloop.cli.benchmarks.toolchain import Compiler, build_shared, processor

# Twelve independent chains of multiply-adds: enough to hide a latency of up to six cycles at two per cycle.
_PEAK = """
#define _GNU_SOURCE
#include <time.h>
#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef double vector __attribute__((vector_size(8 * LANES)));
#define ALL(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

double gflops(void)
{
    const long steps = 2000000;
    vector factor = (vector){} + 0.999999, step = (vector){} + 1e-6, sum = (vector){};
    struct timespec start, stop;
#define DEFINE(i) vector a##i = (vector){} + i;
    ALL(DEFINE)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (long n = 0; n < steps; n++) {
#define UPDATE(i) a##i = a##i * factor + step; __asm__("" : PIN(a##i));
#if defined(__x86_64__)
#define PIN(a) "+v"(a)
#else
#define PIN(a) "+w"(a)
#endif
        ALL(UPDATE)
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &stop);
#define ADD(i) sum += a##i;
    ALL(ADD)
    double seconds = (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec);
    return sum[0] == 0.5 ? 0 : 1e-9 * 12 * 2 * LANES * steps / seconds;
}
"""


def measure_peak(compiler: Compiler) -> float:
    """Double-precision GFLOPS of one core, multiply-adds in the widest vectors: the best of five measurements."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "peak.c")
        source.write_text(_PEAK, encoding="utf-8")
        function = ctypes.CDLL(str(build_shared(compiler, source, ("-ffp-contract=fast",)))).gflops
    function.restype = ctypes.c_double
    return max(float(function()) for _ in range(5))


def describe_machine(compilers: dict[str, Compiler], peak_gflops: float | None = None) -> dict[str, Any]:
    """The "machine" of a benchmark's JSON file."""
    model = re.search(r"^model name\s*:\s*(.+)$", processor(), re.MULTILINE)
    return {
        "cpu": model[1] if model else platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compilers": {name: compiler.version for name, compiler in compilers.items()},
        "peak_gflops": peak_gflops,
    }
