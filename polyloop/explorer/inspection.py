"""What the explorer asks about one program; all of it runs inside a worker process (see `polyloop.backend.run.worker`).

Problems come pickled: the same bytes are the same problem, so that its data and measurements are kept between jobs, and
a fresh worker after a crash has all that it needs.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from polyloop.backend.ir.counting import compulsory_bytes
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.backend.run.nest_kernel import PlannedNest, compile_nest
from polyloop.cursor.base import Problem, Program
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import TOLERANCE
from polyloop.measure.jobs import Data, compare
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.planning import finalist
from polyloop.measure.result import Check, Measurement
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import make_data

SAMPLED = 4
"""Elements of every result that are shown."""


@dataclass(frozen=True)
class Allocation:
    """An array of a kernel; `local` ones are its own, as packed copies are. None: not known."""

    name: str
    shape: tuple[int | None, ...]
    bytes: int | None
    local: bool


@dataclass(frozen=True)
class Sample:
    """The first elements of a result, as the original loops leave them and as the program does."""

    array: str
    original: tuple[float, ...]
    result: tuple[float, ...]


@dataclass(frozen=True)
class Inspection:
    """A program looked at more closely than by its speed.

    Attributes:
        compile_seconds: planning and code generation, nothing taken from a cache.
        moved: bytes that one run moves at least; None where an array's size is not known.
        spills: of registers, inside of loops.
        check: every element of the results against those of the original loops, on the same data.
    """

    compile_seconds: float
    moved: int | None
    spills: int
    allocations: tuple[Allocation, ...]
    check: Check
    samples: tuple[Sample, ...]


def measure(data: bytes, program: Program, folder: str) -> Measurement:
    """Seconds of a program.

    Args:
        data: the problem, pickled.
        folder: for temporary files; it outlives this process, which may crash.
    """
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        return _programs().evaluate(_problem(data), program)
    finally:
        tempfile.tempdir = before


def peak(data: bytes) -> float:
    """10^9 operations a second that one core reaches at best."""
    return _programs().peak(_problem(data))


def planned(data: bytes, program: Program) -> VectorProgram:
    """What is compiled for a program."""
    nest, planning, _ = finalist(_problem(data), program)
    return PlannedNest(nest, planning, host_target()).program


def inspect(data: bytes, program: Program) -> Inspection:
    """Compile a program afresh, run it once, and compare its results with the original's."""
    problem = _problem(data)
    nest, planning, tier = finalist(problem, program)
    start = time.perf_counter()
    kernel = compile_nest(nest, planning, tier=tier)
    compile_seconds = time.perf_counter() - start
    sizes, scop = _sizes(problem), problem.scop
    working = make_data(scop, sizes)
    kernel(**working, **sizes)
    expected = _expected(data)
    written = [scop.array(name).type for name in expected]
    bytes_of = [type_.bytes for type_ in written if type_.is_float]
    tolerance = TOLERANCE[min(bytes_of)] if problem.reassociate and bytes_of else 0.0
    samples = tuple(Sample(name, _first(expected[name]), _first(working[name])) for name in expected)
    check = compare(expected, working, tolerance)
    spills, moved = kernel.report(**sizes).spills, compulsory_bytes(nest, sizes)
    allocations = tuple(_allocation(spec, sizes) for spec in kernel.program.arrays)
    return Inspection(compile_seconds, moved, spills, allocations, check, samples)


@lru_cache(maxsize=1)
def _programs() -> MeasuredPrograms:
    # This process is the worker already.
    return MeasuredPrograms(in_process=True)


@lru_cache(maxsize=1)
def _problem(data: bytes) -> Problem:
    problem = pickle.loads(data)
    assert not isinstance(problem, bytes)
    return problem  # type: ignore[no-any-return]


def _sizes(problem: Problem) -> dict[str, int]:
    """Of the Scop's parameters."""
    return {name: dict(problem.sizes)[name] for name in problem.scop.parameters}


@lru_cache(maxsize=1)
def _expected(data: bytes) -> Data:
    """What the original loops leave in the arrays that they write."""
    problem = _problem(data)
    scop, sizes = problem.scop, _sizes(problem)
    arrays, nest = make_data(scop, sizes), lower(scop, original_tree(scop))
    # Compilers see no end of loops that only data end.
    program = plan(nest, host_target()) if scop.is_endless else scalar_program(nest)
    compile_program(program)(**arrays, **sizes)
    return {name: arrays[name] for name in scop.results}


def _first(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> tuple[float, ...]:
    return tuple(float(x) for x in array.reshape(-1)[:SAMPLED].astype(np.float64))


def _allocation(spec: ArraySpec, sizes: dict[str, int]) -> Allocation:
    shape = tuple(None if extent is None else extent.evaluate(sizes) for extent in spec.shape)
    total = spec.type.bytes
    for extent in shape:
        if extent is None:
            return Allocation(spec.name, shape, None, spec.storage is Storage.LOCAL)
        total *= extent
    return Allocation(spec.name, shape, total, spec.storage is Storage.LOCAL)
