"""Compiling and timing one nest; this runs inside a worker process (see `polyloop.backend.worker`)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from polyloop.backend.interpreter import Array
from polyloop.backend.loop_nest import ArraySpec, LoopNest, Storage
from polyloop.backend.nest_kernel import Planning, compile_nest
from polyloop.backend.planning.options import Options
from polyloop.backend.timing import time_call
from polyloop.inputs import Fill, aligned, fill

STRAIGHT_VECTORS = 24
"""Vectors of one loop that become straight-line code: a whole row of results in registers, as the nest asks for it."""

_DATA_BYTES = 1 << 28
"""Arrays of earlier nests are kept for later ones up to here."""


@dataclass(frozen=True)
class Settings:
    """How a nest is timed.

    Attributes:
        samples: how many batches; `batch_seconds`: how long one of a short nest's is repeated.
        budget_seconds: no more samples after so long, but two at least.
        reassociate: sums may be reordered.
        threads: of parallel loops.
    """

    samples: int = 5
    batch_seconds: float = 30e-6
    budget_seconds: float = 0.02
    reassociate: bool = True
    threads: int = 1


Sample = tuple[float, float, float, int]

_arrays: dict[Fill, Array] = {}


def measure(nest: LoopNest, settings: Settings) -> Sample:
    """Smallest and median seconds of one run, their spread, and the number of samples.

    Arrays are filled with ordinary numbers; results that accumulate from run to run stay finite, as a batch is short.
    """
    planning = Planning(reassociate=settings.reassociate, options=Options(straight_vectors=STRAIGHT_VECTORS))
    kernel = compile_nest(nest, planning, threads=settings.threads)
    bound = kernel.bind(**{a.name: _array(a) for a in nest.arrays if a.storage is Storage.ARGUMENT})
    timing = time_call(
        bound,
        samples=settings.samples,
        batch_seconds=settings.batch_seconds,
        budget_seconds=settings.budget_seconds,
    )
    return timing.best, timing.median, timing.spread, len(timing.samples)


def _array(spec: ArraySpec) -> Array:
    shape = tuple(extent.constant for extent in spec.shape if extent is not None)
    key = Fill(spec.name, spec.type, shape, sum(map(ord, spec.name)))
    if key not in _arrays:
        if sum(prod(k.shape) * k.type.bytes for k in _arrays) > _DATA_BYTES:
            _arrays.clear()
        _arrays[key] = aligned(fill(key))
    return _arrays[key]
