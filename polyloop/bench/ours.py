"""polyloop as a contestant: a C file in, the C file that `polyloop optimize` would write out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

from polyloop.api import optimize
from polyloop.backend.run.kernel import Kernel
from polyloop.errors import PolyloopError
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.measure.result import Result
from polyloop.scop.model import Scop


class NothingReadError(PolyloopError):
    """A benchmark's file has no region that polyloop takes; the message has the diagnostics."""


@dataclass(frozen=True)
class Request:
    """What to optimize.

    Attributes:
        sizes: values of parameters; those of the array declarations, or moderate ones, where it is None.
        budget: seconds for the search of each scop, or None for the default.
        reproducible: as of `polyloop.optimize`.
    """

    path: Path
    sizes: Mapping[str, int] | None = None
    budget: float | None = None
    threads: int = 1
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    reproducible: bool = False


@dataclass(frozen=True)
class Outcome:
    """The emitted file.

    Attributes:
        kernel: the compiled kernel, if the file has one scop.
        steps: what was done, in words.
        remarks: regions that were left alone, and why.
    """

    text: str
    kernel: Kernel | None
    steps: tuple[str, ...]
    is_original: bool
    remarks: tuple[str, ...]


def optimize_text(request: Request) -> Outcome:
    """Read, optimize, emit.

    Raises:
        PolyloopError: if nothing could be read, optimized or emitted.
    """
    with request.path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    source = read_source(str(request.path), defines=request.defines, include_dirs=request.include_dirs, text=text)
    remarks = tuple(str(diagnostic) for diagnostic in source.diagnostics)
    if not source.scops:
        raise NothingReadError("; ".join(remarks) or f"{request.path} has no #pragma scop")
    results = [_optimize(scop, request) for scop in source.scops]
    known = [Replacement(r.scop, None if r.is_original else r.program) for r in results]
    replacements = [r for r in known if r.program is not None or request.reproducible]
    return Outcome(
        text=emit_c_file(text, replacements, uncontracted=request.reproducible),
        kernel=results[0].kernel if len(results) == 1 else None,
        steps=tuple(step for result in results for step in result.best.steps or (result.best.name,)),
        is_original=all(r.is_original for r in results),
        remarks=remarks,
    )


def _optimize(scop: Scop, request: Request) -> Result:
    sizes = None if request.sizes is None else {name: request.sizes[name] for name in scop.parameters}
    return optimize(
        scop,
        sizes=sizes,
        budget=request.budget,
        overrun=inf,
        threads=request.threads,
        reproducible=request.reproducible,
    )
