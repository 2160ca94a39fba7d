"""Compiling and timing one nest; this runs inside a worker process (see `polyloop.backend.run.worker`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from polyloop.backend.ir.interpreter import Array
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest, Storage
from polyloop.backend.planning.vectors import Options
from polyloop.backend.run.nest_kernel import Planning, compile_nest
from polyloop.backend.run.peak import peak_kernels, peak_operations
from polyloop.backend.run.timing import compare, time_call
from polyloop.backend.run.worker import Worker
from polyloop.measure.result import Measurement
from polyloop.scop.data import Fill, aligned, ask_for_memory, fill

STRAIGHT_VECTORS = 24
"""Vectors of one loop that become straight-line code: a whole row of results in registers, as the nest asks for it."""

TIER = "assembly"
"""How nests are compiled, here and where the best of them ends up: in a fifth of the time that LLVM's code generator
takes, which gets what the assembly tier refuses."""

_DATA_BYTES = 1 << 28
"""Arrays of earlier nests are kept for later ones up to here."""


@dataclass(frozen=True)
class Settings:
    """How a nest is timed.

    Attributes:
        samples: how many batches; `batch_seconds`: how long one of a short nest's is repeated.
        budget_seconds: no more samples after so long, but two at least.
        agreement: of runs as long as a batch no more either when the two shortest differ by no more than this fraction.
        reassociate: sums may be reordered.
        contract: multiplications and additions are fused.
        threads: of parallel loops.
    """

    samples: int = 5
    batch_seconds: float = 30e-6
    budget_seconds: float = 0.02
    agreement: float = 0.02
    reassociate: bool = True
    threads: int = 1
    contract: bool = True


_arrays: dict[Fill, Array] = {}


def nest_planning(reassociate: bool, contract: bool = True) -> Planning:
    """How nests of contractions are planned, wherever they become code; see `polyloop.measure.planning` for trees."""
    return Planning(contract, reassociate, options=Options(straight_vectors=STRAIGHT_VECTORS))


def measure(nest: LoopNest, settings: Settings) -> Measurement:
    """Seconds of one run.

    Arrays are filled with ordinary numbers; results that accumulate from run to run stay finite, as a batch is short.
    """
    kernel = compile_nest(
        nest, nest_planning(settings.reassociate, settings.contract), threads=settings.threads, tier=TIER
    )
    bound = kernel.bind(**{a.name: _array(a) for a in nest.arrays if a.storage is Storage.ARGUMENT})
    timing = time_call(
        bound,
        samples=settings.samples,
        batch_seconds=settings.batch_seconds,
        budget_seconds=settings.budget_seconds,
        agreement=settings.agreement,
    )
    return Measurement.of(timing.samples)


class Finalist(NamedTuple):
    """A nest, how it becomes a program, and how that is compiled (see `kernel.compile_program`)."""

    nest: LoopNest
    planning: Planning
    tier: str = "ir"


PEAK_ROUNDS = 41
"""Rounds of finalists; a round takes `PEAK_BATCH` seconds for each, or one run."""
PEAK_BATCH = 100e-6
FINAL_SECONDS = 300.0
"""Seconds that a worker may take for all finalists of a problem."""


@dataclass(frozen=True)
class Final:
    """One finalist.

    Attributes:
        median, minimum: seconds of a run.
        bursts: how many bursts of `burst_operations` take as long as a run, by rounds of neighbours in time; 0 where
            there was no burst.
    """

    median: float
    minimum: float
    bursts: float


def finals(
    finalists: Mapping[str, Finalist], dtype: str | None, threads: int = 1, rounds: int = PEAK_ROUNDS
) -> dict[str, Final]:
    """Compile programs anew and measure them in turn, beside a burst of multiply-adds of `dtype`, if there is one.

    Args:
        rounds: at most; no more than take a second.
    Raises:
        ValueError: for a finalist without a name; the burst has none.
        BackendError: if a program cannot be compiled.
    """
    if "" in finalists:
        raise ValueError("every finalist needs a name")
    bounds = {}
    for name, (nest, planning, tier) in finalists.items():
        kernel = compile_nest(nest, planning, threads=threads, tier=tier)
        bounds[name] = kernel.bind(**{a.name: _array(a) for a in nest.arrays if a.storage is Storage.ARGUMENT})
    bursts = {} if dtype is None else {"": max(peak_kernels(dtype).items())[1]}
    seconds = {name: time_call(bound, samples=2, budget_seconds=0.0).best for name, bound in bounds.items()}
    rounds = max(7, min(rounds, round(1.0 / max(sum(seconds.values()), 1e-9))))
    duel = compare({**bursts, **bounds}, rounds=rounds, batch_seconds=PEAK_BATCH)
    result = {}
    for name in finalists:
        timing = duel.timing(name)
        ratio = duel.ratio(name, "").value if bursts else 0.0
        result[name] = Final(timing.median, timing.best, ratio)
    return result


def last_round(
    worker: Worker, finalists: Mapping[str, Finalist], dtype: str | None, threads: int = 1, rounds: int = PEAK_ROUNDS
) -> dict[str, Final]:
    """As `finals`, in a worker process.

    Raises:
        BackendError: if a program cannot be compiled or run.
    """
    found = worker.call(f"{__name__}:finals", (dict(finalists), dtype, threads, rounds), timeout=FINAL_SECONDS)
    assert isinstance(found, dict)
    return found


def burst_operations(dtype: str) -> int:
    """Operations of one burst."""
    return peak_operations(max(peak_kernels(dtype)), dtype)


def _array(spec: ArraySpec) -> Array:
    shape = tuple(extent.constant for extent in spec.shape if extent is not None)
    key = Fill(spec.name, spec.type, shape, sum(map(ord, spec.name)))
    if key not in _arrays:
        if sum(prod(k.shape) * k.type.bytes for k in _arrays) > _DATA_BYTES:
            _arrays.clear()
        ask_for_memory([key], 2)
        _arrays[key] = aligned(fill(key))
    return _arrays[key]
