"""The peak floating-point rate of one core, measured by its fastest burst.

A loop of independent multiply-adds in registers, run in many short batches: the fastest batch is one that nothing
disturbed, at the highest clock rate that the core takes. Roofs and rewards are fractions of this figure, so it is
measured once and kept by processor; what a later measurement finds faster replaces it.
"""

from __future__ import annotations

import ctypes
import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from polyloop.backend.config import cache_directory
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.run import jit
from polyloop.backend.run.kept_files import keep
from polyloop.backend.run.kernel import Bound
from polyloop.backend.run.measured_machine import machine_key
from polyloop.backend.run.timing import time_call

_ITERATIONS = 1024
_BATCHES = 500
_BATCH_SECONDS = 60e-6
_LLVM_TYPES = {"float32": "float", "float64": "double"}
_known: dict[Path, dict[str, float]] = {}


def peak_gflops(dtype: DTypeLike = "float32", *, fresh: bool = False) -> float:
    """10^9 operations a second that one core of this machine reaches at best; a multiply-add counts as two.

    Args:
        dtype: float32 or float64.
        fresh: measure again (0.1 s) and keep the faster of this and what is known; by default the cache serves, in
            memory and under `backend.config.cache_directory`, by model of the processor and what governs its clock.
    Raises:
        ValueError: for another dtype.
    """
    name = np.dtype(dtype).name
    if name not in _LLVM_TYPES:
        raise ValueError(f"the peak is measured for {' and '.join(_LLVM_TYPES)}, not for {name}")
    path = cache_directory() / "peak" / f"{machine_key(host_target())}.json"
    if path not in _known:
        _known[path] = _read(path)
    if name not in _known[path] or fresh:
        measured = measure_peak(name)
        known = _known[path] | _read(path)  # another process may have measured meanwhile
        _known[path] = known | {name: max(measured, known.get(name, 0.0))}
        keep(path, json.dumps(_known[path]).encode())
    return _known[path][name]


def measure_peak(dtype: DTypeLike = "float32") -> float:
    """As `peak_gflops`, without the cache."""
    return max(
        peak_operations(bits, dtype) / time_call(run, samples=_BATCHES, batch_seconds=_BATCH_SECONDS).best * 1e-9
        for bits, run in peak_kernels(dtype).items()
    )


def peak_kernels(dtype: DTypeLike = "float32") -> dict[int, Bound]:
    """The burst, ready to be run, for each width in bits of vectors that may turn out to be the fastest."""
    target, name = host_target(), np.dtype(dtype).name
    # Some processors lower their clock, or use one unit instead of two, for their widest vectors.
    return {bits: _bound(target, name, bits) for bits in (512, 256, 128) if target.vector_bits in (bits, 2 * bits)}


def peak_operations(bits: int, dtype: DTypeLike = "float32") -> int:
    """Floating-point operations of one run of `peak_kernels(dtype)[bits]`."""
    return 2 * bits // (8 * np.dtype(dtype).itemsize) * host_target().chains * _ITERATIONS


@cache
def _bound(target: Target, name: str, bits: int) -> Bound:
    text = _burst(target, _LLVM_TYPES[name], bits // (8 * np.dtype(name).itemsize))
    loaded = jit.load(jit.object_code(text, target, optimize=False), ("polyloop.peak",))
    memory = np.full(4 * bits * target.chains // 8, 0.5, name)
    slots = (ctypes.c_int64 * 1)(memory.ctypes.data)
    return Bound(loaded.addresses["polyloop.peak"], slots, {}, {"memory": memory}, 1, loaded)


def _burst(target: Target, element: str, lanes: int) -> str:
    """x = x * factor + step on every chain; the values stay near step / (1 - factor)."""
    vector, chains = f"<{lanes} x {element}>", range(target.chains)
    bits = lanes * (32 if element == "float" else 64)
    splat = f"{vector} poison, <{lanes} x i32> zeroinitializer"
    lines = ["%memory = load ptr, ptr %slots"]
    for k, number in enumerate(("0.5", "1.0")):
        # Through memory, so that nothing is known about them.
        lines += [
            f"store {element} {number}, ptr %memory",
            f"%n{k} = load volatile {element}, ptr %memory",
            f"%v{k} = insertelement {vector} poison, {element} %n{k}, i32 0",
            f"%c{k} = shufflevector {vector} %v{k}, {splat}",
        ]
    for k in chains:
        lines.append(f"%p{k} = getelementptr {vector}, ptr %memory, i64 {k}")
        lines.append(f"%s{k} = load {vector}, ptr %p{k}, align 4")
    lines += ["br label %loop", "loop:", "%i = phi i64 [ 0, %entry ], [ %j, %loop ]"]
    lines += [f"%x{k} = phi {vector} [ %s{k}, %entry ], [ %y{k}, %loop ]" for k in chains]
    suffix = f"v{lanes}f{bits // lanes}"
    arguments = f"{vector} %c0, {vector} %c1"
    lines += [f"%y{k} = call {vector} @llvm.fmuladd.{suffix}({vector} %x{k}, {arguments})" for k in chains]
    lines += ["%j = add i64 %i, 1", f"%more = icmp slt i64 %j, {_ITERATIONS}"]
    lines += ["br i1 %more, label %loop, label %done", "done:"]
    lines += [f"store {vector} %y{k}, ptr %p{k}, align 4" for k in chains]
    return "\n".join(
        [
            f'target triple = "{target.triple}"',
            'define void @polyloop.peak(ptr %slots) "prefer-vector-width"="' + str(bits) + '" {',
            "entry:",
            *lines,
            "ret void",
            "}",
            f"declare {vector} @llvm.fmuladd.{suffix}({vector}, {vector}, {vector})",
            "",
        ]
    )


def _read(path: Path) -> dict[str, float]:
    """What is known; nothing where the file is missing or is not what was written."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {n: float(v) for n, v in content.items() if n in _LLVM_TYPES and isinstance(v, (int, float)) and v > 0}
