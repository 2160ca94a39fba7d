"""One published program, timed by its own clock: processes of all contestants take turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from polyloop.bench import ours
from polyloop.bench.harness import refusing
from polyloop.bench.pluto import PLUTO, best_build
from polyloop.bench.rows import Check, Row
from polyloop.bench.sampling import OURS, interleave, timed_row
from polyloop.bench.sources import Job, dump, own_seconds
from polyloop.bench.toolchain import Toolchain, find_toolchain
from polyloop.errors import PolyloopError
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.support.compilers import BuildError, Compiler
from polyloop.support.files import WorkFolder

_RUN_SECONDS = 1800.0
# A process initializes its arrays for longer than many kernels run.
_ROUNDS = (5, 10)


@refusing
def measure(job: Job) -> Row:
    """The row of one program.

    Raises:
        PolyloopError: if there is no row.
    """
    program, threads, dataset = job.published, job.threads, job.dataset
    tools = find_toolchain((name for name in job.against if name != PLUTO), threads)
    start = time.perf_counter()
    outcome = ours.optimize_text(job.request(threads))
    facts: dict[str, Any] = {"kernel": job.kernel, "dataset": dataset, "optimize_seconds": time.perf_counter() - start}
    facts |= {"done": list(outcome.steps), "original": outcome.is_original, "remarks": list(outcome.remarks)}
    failures: dict[str, str] = {}
    with WorkFolder() as name:
        folder = Path(name)
        emitted = folder / "emitted.c"
        emitted.write_text(outcome.text, encoding="utf-8", newline="")
        runs: dict[str, Callable[[], float]] = {}
        for contestant, compiler, source in _contestants(tools, program.path, emitted):
            executable = folder / contestant.replace(" ", "-")
            try:
                program.build(compiler, source, executable, dataset, ("-DPOLYBENCH_TIME",))
            except BuildError as error:
                failures[contestant] = str(error)
                continue
            runs[contestant] = partial(own_seconds, executable, threads, _RUN_SECONDS)
        if PLUTO in job.against:
            try:
                executable, facts[PLUTO] = best_build(program, tools.plain, folder, dataset, threads, _RUN_SECONDS)
            except PolyloopError as error:
                failures[PLUTO] = str(error)
            else:
                runs[PLUTO] = partial(own_seconds, executable, threads, _RUN_SECONDS)
        timed = interleave(runs, job.rounds, limits=_ROUNDS)
        dumps = []
        for number, source in enumerate((program.path, emitted)):
            executable = folder / f"dump{number}"
            program.build(tools.reference, source, executable, dataset, ("-DPOLYBENCH_DUMP_ARRAYS",))
            dumps.append(dump(executable, threads, _RUN_SECONDS))
    # The published programs do what the shipped kernels of their names do.
    same = kernel(job.kernel) if job.kernel in kernel_names() else None
    flops = None if same is None else same.flops(dataset)
    facts |= {"flops": flops, "floating": same is not None and same.is_floating, "not_built": failures}
    rivals = [compiler.name for compiler in tools.plain]
    return timed_row(job.kernel, timed, rivals, flops, [_check(tools, *dumps)], facts)


def _contestants(tools: Toolchain, original: Path, emitted: Path) -> list[tuple[str, Compiler, Path]]:
    """(name, compiler, file) of all, originals first."""
    found = [(name, compiler, original) for name, compiler in tools.compilers.items()]
    return found + [(tools.named(OURS, compiler), compiler, emitted) for compiler in tools.plain]


def _check(tools: Toolchain, expected: bytes, actual: bytes) -> Check:
    """Whether the dumps are equal, counted in words; nothing is promised where gcc is the reference."""
    words, others = expected.split(), actual.split()
    different = sum(a != b for a, b in zip(words, others, strict=False)) + abs(len(words) - len(others))
    passed = different == 0 if tools.reference.name == "clang" else None
    return Check(OURS, len(words), passed, tools.reference.name, different)
