"""What is tried, what became of it, and what `polyloop.optimize` returns of it all, ready to report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyloop.backend.ir.vector_program import VectorProgram
    from polyloop.backend.run.kernel import Kernel
    from polyloop.schedules.legality import Proof
    from polyloop.schedules.tree import ScheduleTree
    from polyloop.scop.model import Scop
    from polyloop.transforms.scop_transform import ScopTransform


# --- Measurements -----------------------------------------------------------------------------------------------------
# What became of a program that was tried: its seconds and their noise, or why there are none.
#
# There is one record for whole schedules, parts of them, nests, trees and what is kept in a database.


class Fate(StrEnum):
    """What became of a candidate; the values are what JSON files have."""

    RAN = "ran"
    ILLEGAL = "illegal"
    """It would violate a dependence: refused before there was any code."""
    NO_CODE = "no_code"
    """Code generation or the compiler gave up."""
    WRONG_RESULTS = "wrong_results"
    """Beyond the tolerance, where there is one."""
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    FAILED = "failed"
    """Anything else."""


class Source(StrEnum):
    """What a measurement is of."""

    ORIGINAL = "original"
    SCHEDULE = "schedule"
    CURSOR = "cursor"
    """A tree that a walk of the cursor has come to."""
    PART = "part"
    """A part of a schedule, timed alone."""


@dataclass(frozen=True)
class Check:
    """Comparison of the result's arrays with the original's on the same data.

    Attributes:
        compared: number of elements compared.
        different: number of elements whose bits differ (NaN equals NaN).
        largest: largest relative difference.
        tolerance: 0 unless reassociation was allowed.
        rounding: None if the original's multiply-adds are rounded as the result's are. Else the comparison is with the
            original loops rounded as the result is, and this is the largest relative difference between the two
            originals' results.
    """

    compared: int
    different: int
    largest: float
    tolerance: float = 0.0
    rounding: float | None = None

    @property
    def passed(self) -> bool:
        """Whether all elements are equal, or near enough where there is a tolerance."""
        # Without a tolerance bits count: zeros of different sign, for one, are no distance apart.
        return self.different == 0 or 0 < self.tolerance >= self.largest


@dataclass(frozen=True)
class Measurement:
    """Seconds of one run of a program, or why there are none.

    Attributes:
        minimum, median: of `runs` runs; infinite where there are none.
        spread: how far the median lies above the minimum, as a fraction of it; (largest - smallest) would hang on the
            one run that was disturbed most. So it is defined wherever seconds have a spread.
        error: why there are no seconds, in words; `kind` is for programs.
        check: how the results compare with the original's; nothing is compared of a part, or of a nest by itself.
        name, source: of the candidate or the part.
    """

    minimum: float
    median: float
    spread: float = 0.0
    runs: int = 1
    error: str | None = None
    kind: Fate = Fate.RAN
    check: Check = Check(0, 0, 0.0)
    name: str = ""
    source: Source = Source.SCHEDULE

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Measurement:
        """Of the seconds of some runs."""
        smallest, middle = min(seconds), median(seconds)
        return cls(smallest, middle, (middle - smallest) / smallest if smallest else 0.0, len(seconds))

    @classmethod
    def failed(
        cls, error: str, kind: Fate = Fate.FAILED, name: str = "", source: Source = Source.SCHEDULE
    ) -> Measurement:
        """Of what did not run; `error` says why."""
        return cls(float("inf"), float("inf"), 0.0, 0, error, kind, name=name, source=source)

    @property
    def ran(self) -> bool:
        """Whether there are seconds; else `error` says why not."""
        return self.error is None

    @property
    def figures(self) -> dict[str, float] | None:
        """The seconds as JSON files have them; None where there are none."""
        names = ("minimum", "median", "spread", "runs")
        return {name: getattr(self, name) for name in names} if self.ran else None

    def speedup_over(self, baseline: Measurement) -> float:
        """How many times as fast as another, by the medians; 0 for what does not run."""
        return baseline.median / self.median


# --- Candidates and the result ----------------------------------------------------------------------------------------


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
class Judgement:
    """What the user's compiler makes of a candidate: of the region as it stands in the file, and of the C that would be
    written in its place, built by that compiler and run in turn on the same data.

    Attributes:
        compiler, version: the command as it was given, and what ``--version`` says.
        candidate: name of the candidate; of those that were built the fastest.
        before, after: seconds in that round.
        ratio: how many times as fast the candidate is: the median over the round's runs; `low` to `high` is its
            interval of 95% confidence (of fewer than six runs: all that were seen).
        check: the results of the one build against those of the other, under `Check.tolerance` where the compiler fuses
            or reorders operations as it likes.
        others: names of the other candidates that were built or were to be, and what became of them.
        above: a condition on the sizes, as isl writes it, where the candidate is the faster one; "": wherever it was
            tried. Elsewhere the original loops are to run.
        least: so many times as fast it has to be in the median.
        needed: so many seconds it has to save in a run.
        around: so many times as fast it is in some iterations of the loop around it together, which have other sizes
            each, or with the constants that calls pass; None where there are no such.
        smooth: so many times as fast it is on data that vary slowly from element to element, whose branches processors
            predict; None where nothing is asked of data. Programs have such data as well as others: both count.
    """

    GAIN = 1.03
    """So many times as fast at least: where code and data happen to lie makes as much of a difference (Mytkowicz et
    al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009), and somebody has to read what is
    written."""

    SAVED = 10e-9
    """So many seconds a run has to save, as many as two branches that are predicted wrongly, or loads that have to wait
    for stores, one on the way in and one on the way out, take on most cores (Fog, "The microarchitecture of Intel, AMD
    and VIA CPUs"): what a region of some instructions takes depends on what stands around it, which is not there when
    it is measured alone."""

    SAVED_OF_OWN = 50e-9
    """As many where the region uses arrays of its function's own: compilers keep these in registers between it and what
    stands around it, where its loops are not a function of their own (an update of a filter with 6 states had saved 20
    ns alone, and took 25 ns longer in its program: Zen 4, gcc -O3 -mavx2 -mfma)."""

    compiler: str
    version: str
    candidate: str
    before: Measurement
    after: Measurement
    ratio: float
    low: float
    high: float
    check: Check
    others: tuple[Measurement, ...] = ()
    above: str = ""
    least: float = GAIN
    around: float | None = None
    needed: float = SAVED
    smooth: float | None = None

    @property
    def wins(self) -> bool:
        saves = self.before.median - self.after.median >= self.needed
        return self.low > 1 and min(self._on_sizes, self.on_both_data) >= self.least and saves

    @property
    def _on_sizes(self) -> float:
        return self.ratio if self.around is None else min(self.ratio, self.around)

    @property
    def on_both_data(self) -> float:
        """The geometric mean of what it gains on data of any kind and on smooth ones."""
        return self._on_sizes if self.smooth is None else sqrt(self._on_sizes * self.smooth)


@dataclass(frozen=True)
class Result:
    """Outcome of an optimization.

    Attributes:
        scop: the Scop as read.
        best: the candidate that won; `best.tree is None` if the original loops did.
        program: its vector program, as compiled.
        compiled: makes the kernel.
        baseline, timing: seconds of the original loops (LLVM -O3) and of the best, measured in turn in `last_round`.
        measurements: every candidate that was tried, in order; then every part of one that was timed alone.
        proof: dependences checked for the best schedule.
        check: numerical comparison of the best with the original.
        sizes: parameter values of the measurement; `sizes_from` says where they come from.
        assumed: what the caller answers for and nothing tests, in words.
        last_round: names of the candidates that were measured in turn in the end; () if there was no such round.
        interrupted: an interrupt has ended the search; this is the best until then.
        reproducible: every sum has the order of the source, and no product is fused with a sum.
        target: the instruction set that was asked for; "" for this machine's. Where this machine does not have it,
            nothing is measured: the kernel, and what was checked, is the same program in this machine's instructions.
        judged: what the user's compiler makes of it; then `baseline` and `timing` are its builds'. None: nobody asked.
        unjudged: why that compiler could not be asked; "" if it could, or was not to be.
    """

    scop: Scop
    best: Candidate
    program: VectorProgram
    compiled: Callable[[], Kernel]
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
    reproducible: bool = False
    target: str = ""
    judged: Judgement | None = None
    unjudged: str = ""

    def __repr__(self) -> str:
        kept = "the original loops" if self.is_original else f"{self.speedup:.2f} times as fast"
        kept = kept if self.measured else f"for {self.target}, not measured"
        return f"<Result {self.scop.name}: {kept}; {self.proof}>"

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled kernel; ``result.kernel(**arrays_by_C_name)`` runs it. Whoever writes files asks for none."""
        return self.compiled()

    @property
    def measured(self) -> bool:
        """Whether the result has run: for another machine it is planned only."""
        return self.timing.ran

    @property
    def speedup(self) -> float:
        """Median of the original loops over that of the best; under the user's compiler, of the runs' ratios."""
        if self.judged is not None:
            return 1.0 if self.is_original else self.judged.ratio
        return self.timing.speedup_over(self.baseline)

    @property
    def above(self) -> str:
        """A condition on the sizes, as isl writes it, behind which the result runs; "" for all; see `Judgement`."""
        judged = self.judged
        return judged.above if judged is not None and judged.candidate == self.best.name else ""

    @property
    def in_registers(self) -> frozenset[str]:
        """Arrays of the schedule's own that need no memory, as all their elements stay in registers."""
        return frozenset(a.name for a in self.best.scop.arrays) - {a.name for a in self.program.arrays}

    @property
    def is_original(self) -> bool:
        """Whether nothing was found that is faster than the original loops."""
        return self.best.tree is None
