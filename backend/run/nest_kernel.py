"""From a loop nest to a kernel; one that has been compiled before comes from the cache in a third of a millisecond.

Planning and printing take longer than reading object code from disk. So the cache is asked with the nest itself, how it
is to be planned, and the text of this package, which decides what becomes of it; the program is planned again only when
somebody wants to see it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.planning.vectors import Options
from polyloop.backend.run import jit
from polyloop.backend.run.kept_files import package_version
from polyloop.backend.run.kernel import Kernel, Settings, compile_program


@dataclass(frozen=True)
class Planning:
    """How a nest becomes a program; see `planning.plan`. Not `explicit`: `planning.scalar_program`."""

    contract: bool = True
    reassociate: bool = False
    apart: frozenset[str] = frozenset()
    explicit: bool = True
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class PlannedNest:
    """A nest in the place of the program that is planned from it."""

    nest: LoopNest
    planning: Planning
    target: Target

    @property
    def name(self) -> str:
        return self.nest.name

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.nest.parameters

    @property
    def arrays(self) -> tuple[ArraySpec, ...]:
        return self.nest.arrays

    @cached_property
    def program(self) -> VectorProgram:
        how = self.planning
        if not how.explicit:
            return scalar_program(self.nest, contract=how.contract, apart=how.apart)
        return plan(
            self.nest,
            self.target,
            contract=how.contract,
            reassociate=how.reassociate,
            apart=how.apart,
            options=how.options,
        )


def compile_nest(
    nest: LoopNest,
    planning: Planning | None = None,
    *,
    threads: int = 1,
    cache: Path | None = None,
    assume_noalias: bool = False,
    order: tuple[str, ...] = (),
    tier: str = "ir",
) -> Kernel:
    """Plan and compile a nest for the machine that this process runs on.

    Args:
        planning: how; explicit SIMD by default.
        threads, cache, assume_noalias, order, tier: as for `kernel.compile_program`.
    Raises:
        CompileError: if the code cannot be compiled or linked.
    """
    planning, target = planning or Planning(), host_target()
    planned = PlannedNest(nest, planning, target)
    threads = max(1, threads)
    settings = Settings(threads, planning.contract, assume_noalias, order, tier)
    path = None if cache is None else cache / "nests" / f"{_key(planned, threads)}.{tier}.o"
    if path is not None and (code := jit.read_cached(path)) is not None:
        return Kernel(planned, target, settings, code)
    kernel = compile_program(planned.program, target=target, cache=cache, **asdict(settings))
    if path is not None:
        jit.write_cached(path, kernel.object_code)
    return Kernel(planned, target, kernel.settings, kernel.object_code)


def _key(planned: PlannedNest, threads: int) -> str:
    # A dataclass' representation has all of its fields: what is not in the text cannot make a difference.
    text = f"{planned.nest!r}\0{_planning_text(planned.planning)}\0{threads}\0{package_version()}"
    return jit.cache_key(text, planned.target, planned.planning.explicit)


def _planning_text(planning: Planning) -> str:
    """Sets have no order of their own."""
    return repr((sorted(planning.apart), planning.contract, planning.reassociate, planning.explicit, planning.options))
