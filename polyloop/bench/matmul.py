"""The suite ``matmul``: matrix products with the default schedule against BLAS libraries, numpy and torch."""

from __future__ import annotations

import importlib
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import polyloop
from polyloop.backend.config import default_threads
from polyloop.backend.run.kernel import Bound
from polyloop.bench import blas
from polyloop.bench.blas import MissingContestantError, Product
from polyloop.bench.blis import BLIS, blis
from polyloop.bench.contest import OURS, OURS_PYTHON, Contest, Job, filled
from polyloop.bench.halide import HALIDE, adams2019
from polyloop.bench.harness import limited, refusing
from polyloop.bench.library_suite import LibraryBench, contestants
from polyloop.bench.products import Problem, problems
from polyloop.bench.rows import REPRODUCIBLE, Row
from polyloop.bench.tvm import TVM, metaschedule
from polyloop.scop.model import Scop

LIBRARIES: Mapping[str, Callable[[Product, int], Bound]] = {**blas.LIBRARIES, BLIS: blis}


def _scop(product: Product) -> Scop:
    return Problem(product.m, product.n, product.k, product.transposed).scop(str(product.c.dtype))


def _reproducible(product: Product, threads: int) -> Bound:
    kernel = polyloop.compile(_scop(product), threads=threads, reproducible=True)
    return kernel.bind(product.a, product.b, out=product.c)


COMPILED: Mapping[str, Callable[[Product, int], Any]] = {
    **LIBRARIES,
    TVM: lambda product, threads: metaschedule(product, threads)[0],
    HALIDE: lambda product, threads: adams2019(_scop(product), product.arrays, threads),
    REPRODUCIBLE: _reproducible,
}
PYTHON = ("numpy", "torch")
AGAINST = (*COMPILED, *PYTHON)


def bench(arguments: Namespace) -> LibraryBench:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown set or contestant.
    """
    against, every = contestants(arguments.against, AGAINST), problems(arguments.set, arguments.dtype)
    dtype, threads, rounds = arguments.dtype, arguments.threads or default_threads(), arguments.rounds
    taken = limited(every, arguments.limit, arguments.seed)
    settings = {"set": arguments.set, "dtype": dtype, "rounds": rounds, "limit": arguments.limit}
    settings |= {"seed": arguments.seed, "against": list(against), "threads": threads}
    jobs = {problem.name: Job(problem, dtype, against, threads, rounds) for problem in taken}
    return LibraryBench(jobs, "polyloop.bench.matmul:measure", settings, dtype)


@refusing
def measure(name: str, job: Job) -> Row:
    """The row of one product.

    Raises:
        PolyloopError, BackendError: if our kernel cannot be made.
    """
    problem: Problem = job.subject
    ta, tb = problem.transposed
    a = filled((problem.k, problem.m) if ta else (problem.m, problem.k), job.dtype, 1)
    b = filled((problem.n, problem.k) if tb else (problem.k, problem.n), job.dtype, 2)
    product = Product(problem.m, problem.n, problem.k, (ta, tb), a, b, filled((problem.m, problem.n), job.dtype, 3))
    start = time.perf_counter()
    kernel = polyloop.compile(problem.scop(job.dtype), threads=job.threads, reassociate=True)
    seconds = time.perf_counter() - start
    contest = Contest(problem.flops, job.dtype, job.threads)
    _enter(contest, job, product, kernel)
    row = contest.measure(name, job.rounds, seconds)
    return replace(row, facts={**row.facts, "panel": problem.panel}) if problem.panel else row


def _enter(contest: Contest, job: Job, product: Product, kernel: Any) -> None:
    c = product.c
    a, b = (x.astype(np.float64) for x in _operands(product))
    expected = a @ b
    # Rounding errors of a sum of k products, whatever its order (Higham, Accuracy and Stability, section 3.1).
    bound = (product.k + 2) * np.finfo(job.dtype).eps * (np.abs(a) @ np.abs(b)) + np.finfo(job.dtype).tiny

    def add(name: str, run: Callable[[], object]) -> None:
        c[:] = 0
        run()
        contest.check(name, c, expected, bound)

    def call() -> None:
        kernel(product.a, product.b, out=c)

    contest.compiled[OURS] = kernel.bind(product.a, product.b, out=c)
    add(OURS, contest.compiled[OURS])
    for name in job.against:
        with contest.entering(name, job.settings):
            if name in COMPILED:
                contest.compiled[name] = COMPILED[name](product, job.threads)
                add(name, contest.compiled[name])
            else:
                contest.python[name] = _python(name, product, job.threads)
                add(name, contest.python[name])
    if contest.python:
        contest.python[OURS_PYTHON] = call
        add(OURS_PYTHON, call)


def _operands(product: Product) -> tuple[Any, Any]:
    ta, tb = product.transposed
    return product.a.T if ta else product.a, product.b.T if tb else product.b


def _python(name: str, product: Product, threads: int) -> Callable[[], object]:
    """C = A B: without reading C, which is less work than ours has."""
    a, b = _operands(product)
    if name == "numpy":
        blas.openblas_on(threads)
        return lambda: np.matmul(a, b, out=product.c)
    try:
        torch = importlib.import_module(name)
    except ImportError:
        raise MissingContestantError(f"{name} is not installed") from None
    torch.set_num_threads(threads)
    x, y, z = (torch.from_numpy(array) for array in (a, b, product.c))
    return lambda: torch.mm(x, y, out=z)
