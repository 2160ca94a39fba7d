"""`optimize`: from a Scop to the fastest proven kernel found; `compile_scop`: to a kernel without a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from polyloop.backend.config import cache_directory
from polyloop.backend.kernel import Kernel, compile_program
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.target import host_target
from polyloop.dependence import memory_dependences
from polyloop.errors import PolyloopError
from polyloop.inputs import checked_sizes, default_sizes
from polyloop.legality import Proof, Violation, prove
from polyloop.lowering import lower
from polyloop.result import Result
from polyloop.schedule_tree import ScheduleTree, original_tree
from polyloop.scop import Scop
from polyloop.search.evaluation import EvaluationError, Evaluator, Options
from polyloop.search.isl_search import search as isl_search

SEARCHES = ("isl",)


class IllegalScheduleError(PolyloopError):
    """A schedule would violate a dependence; the message names it."""


def optimize(
    scop: Scop,
    *,
    sizes: Mapping[str, int] | None = None,
    search: str = "isl",
    budget: float | None = None,
    threads: int = 1,
    reassociate: bool = False,
    contract: str = "on",
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Find, prove, check and measure a faster way to execute a Scop.

    Args:
        sizes: value of every parameter for the measurements; the result is right for all values.
        search: name of a search, one of `SEARCHES`.
        budget: seconds for the search; by default two for each statement or ten runs of the original loops, at least
            four and at most twenty.
        threads: threads for parallel loops.
        reassociate: reductions may be reordered; results then differ by rounding.
        contract: "on": a multiplication and an addition within one expression are rounded once, as clang does by
            default; "off": twice.
        progress: is told about every candidate.
    Raises:
        SizeError: for sizes that do not fit the Scop.
        EvaluationError: if the original loops cannot be run (they crash, or exceed the memory limit).
        PolyloopError: for an unknown search.
    """
    if search not in SEARCHES:
        raise PolyloopError(f"unknown search {search!r}; there are: {', '.join(SEARCHES)}")
    chosen, origin = (checked_sizes(scop, sizes), "given") if sizes is not None else default_sizes(scop)
    options = Options(threads, reassociate, contract != "off")
    with Evaluator(scop, chosen, host_target(), options, progress) as evaluator:
        once = evaluator.evaluate(evaluator.original)
        fate = evaluator.measured[evaluator.original.name]
        if fate.timing is None:
            raise EvaluationError(f"the original loops of {scop.name} cannot be measured: {fate.error}")
        seconds = budget if budget is not None else min(20.0, max(4.0, 2.0 * len(scop.statements), 10 * once))
        best = isl_search(evaluator, seconds)
        outcome = evaluator.outcomes[best.name]
        proof = evaluator.prove(best.scop, best.tree or original_tree(best.scop))
        assert isinstance(proof, Proof)
        program = evaluator.program(best)
        return Result(
            scop=scop,
            best=best,
            program=program,
            kernel=compile_program(program, threads=threads, contract=options.contract, cache=_objects()),
            baseline=fate.timing,
            timing=outcome.timing,
            measurements=evaluator.measurements,
            proof=proof,
            check=outcome.check,
            sizes=chosen,
            sizes_from=origin,
        )


def compile_scop(
    scop: Scop, tree: ScheduleTree | None = None, *, threads: int = 1, reassociate: bool = False, contract: str = "on"
) -> Kernel:
    """A kernel for a schedule, without a search; for the original loops if there is none.

    Raises:
        IllegalScheduleError: if the schedule would violate a dependence.
        LoweringError: if no code can be generated for it.
    """
    order = tree if tree is not None else original_tree(scop)
    verdict = prove(scop, order, memory_dependences(scop), reassociate)
    if isinstance(verdict, Violation):
        raise IllegalScheduleError(str(verdict))
    nest, fuse = lower(scop, order), contract != "off"
    if tree is None:
        return compile_program(scalar_program(nest, contract=fuse), threads=threads, contract=fuse, cache=_objects())
    program = plan(nest, host_target(), contract=fuse, reassociate=reassociate)
    return compile_program(program, threads=threads, contract=fuse, cache=_objects())


def _objects() -> Path:
    return cache_directory() / "objects"
