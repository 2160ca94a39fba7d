"""What `polyloop.optimize` returns: the schedule, the kernel, the measurements and the proof, ready to report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.run.kernel import Kernel
from polyloop.measure.measurement import Check, Measurement, Source
from polyloop.schedules.legality import Proof
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.model import Scop
from polyloop.transforms.scop_transform import ScopTransform


@dataclass(frozen=True)
class Candidate:
    """One way to execute a Scop.

    Attributes:
        name: short and unique within a search ("original", "isl, tiles 32x32, register tile 8x24", ...).
        scop: the Scop that the tree orders: the original one or one with expanded arrays.
        tree: its schedule; None for the original loops, compiled as they are.
        steps: what was done, in words, for the report.
        explicit: vectors and register tiles are planned here; else the loops are left to the compiler's vectoriser.
        changes: what made `scop` of the one that was read, first to last.
        apart: statements whose multiplications and additions are rounded one by one although they may be fused.
        source: who made it.
    """

    name: str
    scop: Scop
    tree: ScheduleTree | None
    steps: tuple[str, ...] = ()
    explicit: bool = True
    apart: frozenset[str] = frozenset()
    changes: tuple[ScopTransform, ...] = ()
    source: Source = Source.SCHEDULE


@dataclass(frozen=True)
class Result:
    """Outcome of an optimization.

    Attributes:
        scop: the Scop as read.
        best: the candidate that won; `best.tree is None` if the original loops did.
        program: its vector program, as compiled.
        kernel: the compiled kernel; ``result.kernel(**arrays_by_C_name)`` runs it.
        baseline, timing: seconds of the original loops (LLVM -O3) and of the best, measured in turn in `last_round`.
        measurements: every candidate that was tried, in order; then every part of one that was timed alone.
        proof: dependences checked for the best schedule.
        check: numerical comparison of the best with the original.
        sizes: parameter values of the measurement; `sizes_from` says where they come from.
        assumed: what the caller answers for and nothing tests, in words.
        last_round: names of the candidates that were measured in turn in the end; () if there was no such round.
        interrupted: an interrupt has ended the search; this is the best until then.
    """

    scop: Scop
    best: Candidate
    program: VectorProgram
    kernel: Kernel
    baseline: Measurement
    timing: Measurement
    measurements: tuple[Measurement, ...]
    proof: Proof
    check: Check
    sizes: Mapping[str, int] = field(default_factory=dict)
    sizes_from: str = ""
    assumed: tuple[str, ...] = ()
    last_round: tuple[str, ...] = ()
    interrupted: bool = False

    def __repr__(self) -> str:
        kept = "the original loops" if self.is_original else f"{self.speedup:.2f} times as fast"
        return f"<Result {self.scop.name}: {kept}; {self.proof}>"

    @property
    def speedup(self) -> float:
        """Median of the original loops over that of the best."""
        return self.timing.speedup_over(self.baseline)

    @property
    def is_original(self) -> bool:
        return self.best.tree is None
