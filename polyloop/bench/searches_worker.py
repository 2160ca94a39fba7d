"""The last round of ``polyloop bench searches``: what searches found on one problem and the libraries, checked and
timed in turn beside a burst of multiply-adds. Runs in a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.run.kernel import Kernel
from polyloop.backend.run.nest_kernel import compile_nest
from polyloop.backend.run.peak import peak_kernels, peak_operations
from polyloop.backend.run.timing import compare
from polyloop.bench import blas
from polyloop.bench.blas import MissingContestantError, Product
from polyloop.bench.contest import PEAK, filled
from polyloop.bench.harness import refusing
from polyloop.bench.matmul import LIBRARIES
from polyloop.bench.rows import Check, Row
from polyloop.bench.tvm import TVM, metaschedule
from polyloop.measure.nests import Finalist

AGAINST = ("numpy", *LIBRARIES, TVM)

REFERENCE = "untuned"
"""The finalist whose results the others' have to agree with."""

_BATCH_SECONDS = 100e-6


@dataclass(frozen=True)
class Job:
    """One problem.

    Attributes:
        finalists: programs by name, the one of `REFERENCE` among them.
        product: (m, n, k) where the program is a matrix product, so that libraries can take part.
        terms: how many products a result sums, which bounds its rounding error.
    """

    finalists: Mapping[str, Finalist]
    against: tuple[str, ...]
    product: tuple[int, int, int] | None
    dtype: str
    flops: int
    terms: int


@refusing
def measure(name: str, job: Job) -> Row:
    """The row of this name: seconds, GFLOPS and shares of the peak of everything, comparisons of results, what is
    missing, and how long rivals tuned.

    Raises:
        BackendError: if a program cannot be compiled.
    """
    kernels = {each: compile_nest(f.nest, f.planning, tier=f.tier) for each, f in job.finalists.items()}
    data = _data(kernels[REFERENCE])
    contestants: dict[str, Any] = {n: k.bind(**data) for n, k in kernels.items()}
    rivals, missing, tuning = _rivals(job, data)
    checks = _checked(job, kernels, data, contestants | rivals)
    width, burst = max(peak_kernels(job.dtype).items())
    duel = compare({PEAK: burst, **contestants, **rivals}, rounds=31, batch_seconds=_BATCH_SECONDS)
    operations = peak_operations(width, job.dtype)
    names = [*contestants, *rivals]
    seconds = {each: duel.timing(each).median for each in names}
    facts = {
        "gflops": {each: job.flops / value * 1e-9 for each, value in seconds.items()},
        # Of neighbours in time, so that a slow spell of the machine slows both.
        "peak_fraction": {each: duel.ratio(PEAK, each).value * job.flops / operations for each in names},
        "peak_gflops": operations * 1e-9 / duel.timing(PEAK).median,
        "libraries": list(rivals),
        "tuning_seconds": tuning,
    }
    return Row(name, seconds, checks=checks, missing=missing, facts=facts)


def _data(kernel: Kernel) -> dict[str, NDArray[Any]]:
    specs = [spec for spec in kernel.signature.arguments if spec.storage is Storage.ARGUMENT]
    return {
        spec.name: filled(
            tuple(extent.constant for extent in spec.shape if extent is not None), f"float{spec.type.bits}", number
        )
        for number, spec in enumerate(specs)
    }


def _rivals(job: Job, data: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Any], dict[str, str], dict[str, float]]:
    """Libraries as contestants, why some are none, and the seconds of those that tune."""
    found: dict[str, Any] = {}
    missing: dict[str, str] = {}
    tuning: dict[str, float] = {}
    for name in job.against:
        try:
            found[name] = _rival(name, job, data, tuning)
        except MissingContestantError as error:
            missing[name] = str(error)
    return found, missing, tuning


def _rival(name: str, job: Job, data: Mapping[str, NDArray[Any]], tuning: dict[str, float]) -> Any:
    if job.product is None:
        raise MissingContestantError(f"{name} takes matrix products only")
    m, n, k = job.product
    product = Product(m, n, k, (False, False), data["A"], data["B"], data["C"])
    if name == TVM:
        contestant, tuning[name] = metaschedule(product, 1)
        return contestant
    if name in LIBRARIES:
        return LIBRARIES[name](product, 1)
    blas.openblas_on(1)
    return lambda: np.matmul(product.a, product.b, out=product.c)


def _checked(
    job: Job, kernels: Mapping[str, Kernel], data: Mapping[str, NDArray[Any]], contestants: Mapping[str, Any]
) -> list[Check]:
    """Every result against the reference's, both from zeros; by how much, in units of what rounding may do."""
    written = [s.name for s in kernels[REFERENCE].signature.arguments if not s.read_only]
    results: dict[str, list[NDArray[Any]]] = {}
    for name, run in contestants.items():
        for array in written:
            data[array][...] = 0
        run()
        results[name] = [data[array].astype(np.float64) for array in written]
    tolerance = 8 * (job.terms + 2) * float(np.finfo(job.dtype).eps)
    checks = []
    for name in contestants:
        gap = max(
            float(np.max(np.abs(mine - other)) / (tolerance * max(1.0, float(np.max(np.abs(other))))))
            for mine, other in zip(results[name], results[REFERENCE], strict=True)
        )
        size = sum(array.size for array in results[name])
        checks.append(Check(name, size, gap <= 1, error=gap))
    return checks
