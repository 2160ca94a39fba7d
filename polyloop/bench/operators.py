"""The suite ``operators``: LoopStack's twelve operators with the default schedule against torch in all its layouts."""

from __future__ import annotations

import importlib
import re
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polyloop
from polyloop.backend.config import default_threads
from polyloop.bench import matmul
from polyloop.bench.blas import MissingContestantError
from polyloop.bench.contest import OURS, OURS_PYTHON, Contest, Job, filled
from polyloop.bench.halide import HALIDE, adams2019
from polyloop.bench.harness import chosen, refusing
from polyloop.bench.library_suite import LibraryBench, contestants
from polyloop.bench.products import Problem
from polyloop.bench.rows import Row
from polyloop.scop.model import Scop
from polyloop.shipped.workloads import workload, workload_set

AGAINST = ("torch", HALIDE)
LAYOUTS = ("channels first", "channels last", "blocked")
"""Torch's: as it comes, as ours is, and oneDNN's own with weights packed beforehand."""

_SET, _DTYPE = "operators", "float32"


@dataclass(frozen=True)
class Convolution:
    """O[y, x, o] += I[s*y + i, s*x + j, c] * W[i, j, c, o], or channel by channel without o."""

    y: int
    x: int
    i: int
    j: int
    c: int
    o: int | None
    stride: int

    @property
    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Of input, weights and output."""
        high, wide = self.stride * (self.y - 1) + self.i, self.stride * (self.x - 1) + self.j
        last = () if self.o is None else (self.o,)
        return (high, wide, self.c), (self.i, self.j, self.c, *last), (self.y, self.x, *(last or (self.c,)))

    @property
    def smallest(self) -> Convolution:
        """The same kind of operator with hardly any work: what it takes is the cost of calling it."""
        return Convolution(1, 1, self.i, self.j, 1, None if self.o is None else 1, self.stride)

    def apply(self, image: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
        """The result, one offset of the window after the other."""
        result = np.zeros(self.shapes[2], image.dtype)
        for i in range(self.i):
            for j in range(self.j):
                rows, columns = (slice(at, at + self.stride * n, self.stride) for at, n in ((i, self.y), (j, self.x)))
                seen = image[rows, columns]
                result += seen * weights[i, j] if self.o is None else seen @ weights[i, j]
        return result


def bench(arguments: Namespace) -> LibraryBench:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown operator or contestant.
    """
    against, threads, rounds = contestants(arguments.against, AGAINST), arguments.threads, arguments.rounds
    threads = threads or default_threads()
    known = {each.name.partition("/")[2]: each.name for each in workload_set(_SET).problems}
    names = chosen(arguments.kernels, known, arguments.limit, arguments.seed)
    settings = {"kernels": arguments.kernels, "rounds": rounds, "limit": arguments.limit, "seed": arguments.seed}
    settings |= {"against": list(against), "threads": threads}
    jobs = {name: Job(known[name], _DTYPE, against, threads, rounds) for name in names}
    return LibraryBench(jobs, "polyloop.bench.operators:measure", settings, _DTYPE)


@refusing
def measure(name: str, job: Job) -> Row:
    """The row of one operator.

    Raises:
        PolyloopError, BackendError: if our kernel cannot be made.
    """
    found = workload(job.subject)
    sizes = dict(found.sizes)
    if sizes.keys() == {"m", "n", "k"}:
        return matmul.measure(name, replace(job, subject=Problem(sizes["m"], sizes["n"], sizes["k"])))
    convolution = read_convolution(found.expression, sizes)
    shapes = convolution.shapes
    image, weights, output = (filled(shape, _DTYPE, seed) for seed, shape in enumerate(shapes))
    start = time.perf_counter()
    kernel = polyloop.compile(found.scop, threads=job.threads, reassociate=True)
    seconds = time.perf_counter() - start
    contest = Contest(found.flops, _DTYPE, job.threads)
    _enter(contest, job, convolution, found.scop, kernel, (image, weights, output))
    return best_layout(contest.measure(name, job.rounds, seconds))


def best_layout(row: Row) -> Row:
    """The row with one contestant "torch": whichever of its layouts is the fastest here."""
    ratios, calling = dict(row.ratios), dict(row.facts["without_calling"])
    layouts = [name for name in row.ratios if name.startswith("torch, ")]
    if layouts:
        ratios["torch"] = min((ratios[name] for name in layouts), key=lambda ratio: ratio.value)
        calling |= {"torch": min(calling[name] for name in layouts)}
    return replace(row, ratios=ratios, facts={**row.facts, "without_calling": calling})


def read_convolution(expression: str, sizes: dict[str, int]) -> Convolution:
    """The parameters of a convolution that is written as those of the set ``operators``."""
    stride = re.search(r"(\d+)\s*\*\s*y\b", expression)
    y, x, i, j, c = (sizes[name] for name in "yxijc")
    return Convolution(y, x, i, j, c, sizes.get("o"), int(stride[1]) if stride else 1)


def _enter(
    contest: Contest,
    job: Job,
    convolution: Convolution,
    scop: Scop,
    kernel: Any,
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    image, weights, output = arrays
    wide = [array.astype(np.float64) for array in (image, weights)]
    expected = convolution.apply(*wide)
    # Rounding errors of a sum, whatever its order (Higham, Accuracy and Stability, section 3.1).
    terms = convolution.i * convolution.j * (1 if convolution.o is None else convolution.c)
    bound = (terms + 2) * np.finfo(_DTYPE).eps * convolution.apply(*map(np.abs, wide)) + np.finfo(_DTYPE).tiny

    def call() -> None:
        kernel(image, weights, out=output)

    contest.compiled[OURS], contest.python[OURS_PYTHON] = kernel.bind(image, weights, out=output), call
    for name, run in ((OURS, contest.compiled[OURS]), (OURS_PYTHON, call)):
        output[:] = 0
        run()
        contest.check(name, output, expected, bound)
    for name in job.against:
        with contest.entering(name, job.settings):
            if name == HALIDE:
                contest.compiled[name] = adams2019(scop, dict(zip("IWO", arrays, strict=True)), job.threads)
                contest.compiled[name]()
                contest.check(name, output, expected, bound)
            else:
                _enter_torch(contest, job, convolution, (image, weights), (expected, bound))


def _enter_torch(
    contest: Contest,
    job: Job,
    convolution: Convolution,
    operands: tuple[NDArray[Any], NDArray[Any]],
    result: tuple[NDArray[Any], NDArray[Any]],
) -> None:
    """Torch in all layouts that this build of it has.

    Args:
        result: what has to come out, and how far from it.
    """
    image, weights = operands
    for layout in LAYOUTS:
        name = f"torch, {layout}"
        try:
            run_torch = torch_runner(convolution, layout, image, weights, job.threads)
            contest.check(name, _as_array(run_torch()), *result)
        except MissingContestantError as error:
            contest.missing[name] = str(error)
            continue
        contest.python[name] = run_torch
        small = convolution.smallest
        least = [np.zeros(shape, _DTYPE) for shape in small.shapes]
        contest.idle[name] = torch_runner(small, layout, least[0], least[1], job.threads)


def torch_runner(
    convolution: Convolution, layout: str, image: NDArray[Any], weights: NDArray[Any], threads: int
) -> Callable[[], Any]:
    """Torch's operator on these arrays in one of its layouts; it returns a new tensor.

    Raises:
        MissingContestantError: without torch, or without the layout in this build of it.
    """
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise MissingContestantError("torch is not installed (pip install torch)") from None
    torch.set_num_threads(threads)
    x = torch.from_numpy(image).permute(2, 0, 1)[None]
    if convolution.o is None:
        w, groups = torch.from_numpy(weights).permute(2, 0, 1)[:, None], convolution.c
    else:
        w, groups = torch.from_numpy(weights).permute(3, 2, 0, 1), 1
    if layout == "blocked":
        return _blocked(torch, convolution, x.contiguous(), w.contiguous(), groups)
    format_ = torch.channels_last if layout == "channels last" else torch.contiguous_format
    x, w = x.contiguous(memory_format=format_), w.contiguous(memory_format=format_)

    def run() -> Any:
        with torch.inference_mode():
            return torch.conv2d(x, w, stride=convolution.stride, groups=groups)

    return run


def _blocked(torch: Any, convolution: Convolution, x: Any, w: Any, groups: int) -> Callable[[], Any]:
    if not torch.backends.mkldnn.is_available():
        raise MissingContestantError("this build of torch has no oneDNN")
    padding, stride, dilation = [0, 0], [convolution.stride] * 2, [1, 1]
    # What torch.utils.mkldnn does, which deprecated parts of torch hang on.
    packed = torch._C._nn.mkldnn_reorder_conv2d_weight(w.to_mkldnn(), padding, stride, dilation, groups)
    given = x.to_mkldnn()

    def run() -> Any:
        with torch.inference_mode():
            return torch.mkldnn_convolution(given, packed, None, padding, stride, dilation, groups)

    return run


def _as_array(result: Any) -> NDArray[Any]:
    dense = result.to_dense() if result.is_mkldnn else result
    array: NDArray[Any] = dense[0].permute(1, 2, 0).contiguous().numpy()
    return array
