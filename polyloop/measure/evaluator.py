"""Evaluating candidates: proof, code generation, measurement in a worker; whatever fails is a recorded fate."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, sqrt
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeAlias

from polyloop.backend.errors import CompileError
from polyloop.backend.ir.expressions import Call, Comparison, Select, walk, walk_values
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.vector_program import LOOSE_FUNCTIONS, VectorProgram
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.errors import PolyloopError
from polyloop.lowering.to_nest import LoweringError, lower
from polyloop.measure.jobs import Job, Setting
from polyloop.measure.result import Candidate, Check, Fate, Measurement, Source
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Node, ScheduleTree, original_tree
from polyloop.schedules.tree import Path as TreePath
from polyloop.scop.check_data import check_runs
from polyloop.scop.data import Fill, Kind, SizeError, fills
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.shaped import ShapedTree
from polyloop.support.files import WorkFolder

Lowering: TypeAlias = Callable[[Scop, ScheduleTree], LoopNest]

CheckRun: TypeAlias = tuple[dict[str, int], tuple[Fill, ...]]
"""Sizes and data."""

_JOBS, _KERNELS = "polyloop.measure.jobs", "polyloop.backend.run.kernel"
_SCHEDULES = "polyloop.schedules.isl_scheduler"
"""Modules of what runs in other processes."""

_CHECK = f"{_JOBS}:run_check"

ENDS = 3.0
"""Seconds that small data have time to end the original loops."""

GRACE = 20.0
"""See `Evaluator.grace`."""

SCHEDULING_SECONDS = 2.5, 8.0
"""Seconds that one call of isl's scheduler may take, at least and at most, if it takes no more than a sixth of the
time that there is; heat-3d takes it two. 30 statements of a ray tracer took it eight, and its best order needs none."""

LONGEST = 600.0
"""Seconds that any job may run."""

PART_SECONDS, SECONDS = 0.03, 0.1
"""Seconds for which a part is repeated, and a whole candidate; of a search of less than `ROOMY` seconds a share of
them."""

ROOMY = 4.0

FINALISTS, FURTHER_ROUNDS = 3, 2
"""How many candidates meet the original loops in the end, and how often others may after them."""

AHEAD = 1.1
"""So much faster must loops be that are left to a compiler's vectoriser: the next one may not see what this one saw."""

WORTH = 0.95
"""The original loops are left as they are unless they get at least this much shorter: below it, noise decides."""

LONG_RUN, PLAIN = 1.0, 1.3
"""Of runs of so many seconds, one that is so many times as fast as the other is the faster one."""

TOLERANCE = {4: 1e-4, 8: 1e-9}
"""Largest relative difference of reassociated results, by bytes of the smallest floating-point type that is written."""


class UnprovenError(PolyloopError):
    """A schedule that is not legal: nothing unproven becomes code. The message names the dependence."""


class EvaluationError(PolyloopError):
    """The original loops themselves cannot be run: there is nothing to compare with."""


@dataclass(frozen=True)
class Options:
    """How candidates are made and measured.

    Attributes:
        threads: of parallel loops.
        timed: threads that they are measured in; None: in those. A compiler without OpenMP leaves them to one.
        reassociate: reductions may be reordered.
        contract: multiplications and additions within an expression are fused.
        either: statements may also do without, where that is faster. What such a candidate computes is compared with
            the original loops rounded in the same way, so that it still has to be equal bit for bit.
        anytime: an interrupt (Ctrl-C) ends the search, and the best so far is what it has found.
    """

    threads: int = 1
    reassociate: bool = False
    contract: bool = True
    either: bool = False
    anytime: bool = False
    timed: int | None = None

    @property
    def running(self) -> int:
        """Threads of a measurement."""
        return self.threads if self.timed is None else self.timed


def fate_of(error: Exception) -> Fate:
    """What an error says about a candidate that has met it."""
    match error:
        case UnprovenError():
            return Fate.ILLEGAL
        case LoweringError() | CompileError():
            return Fate.NO_CODE
        case WorkerError(kind="crash"):
            return Fate.CRASHED
        case WorkerError(kind="timeout"):
            return Fate.TIMED_OUT
        case WorkerError(kind="memory"):
            return Fate.OUT_OF_MEMORY
        case _:
            return Fate.FAILED


class InProcess:
    """Runs jobs in this process: nothing to start or to send, but no time limit and no way back from a crash."""

    def prepare(self) -> None:
        """There is nothing to start."""

    def call(self, function: str, arguments: tuple[object, ...] = (), *, timeout: float, until: float = inf) -> object:
        """As `polyloop.backend.run.worker.Worker.call`, but that nothing ends what has begun."""
        if time.monotonic() >= until:
            raise WorkerError("timeout", f"there is no time left for {function}")
        try:
            return resolve_name(function)(*arguments)
        except MemoryError as error:
            raise WorkerError("memory", f"out of memory: {error}".rstrip(": ")) from error

    def close(self) -> None:
        """Nothing is left to end."""


@dataclass
class Evaluator:
    """Measures candidates for one Scop at given sizes, one at a time, and remembers every fate by the candidate's name.

    Use as a context manager: it owns a worker process (unless jobs run `in_process`).

    Attributes:
        proofs: dependences and verdicts of the Scop and its variants.
        grace: seconds that the worker may take for compiling and preparing data, beside running.
        bases: how candidates were shaped, by their names, for searches that go on from there.
        last_round: names of the candidates that were compared last.
        interrupted: the search was ended before its time.
        budget: seconds of the search, for what `progress` is told and for how long runs are repeated; None: not known
            yet.
        most: seconds that it may take where trying candidates takes long; 0: what it was given, and no more.
        longer: of a search: asks for so many seconds in all, and says how many it has beyond those that it was given,
            of which another one may have a share; None: there is nobody to ask.
        decides: the round at the end of a search says what is fastest; False: another round will, so there is none.
        until: when its time is up (of `time.monotonic`): what runs then is ended, and nothing runs afterwards.
        known: the proofs of another evaluator, to share them.
        found: told about every candidate that runs, but the original loops.
        alone: makes what else has been started stand still while the worker runs something.
        scale: what floating-point numbers that runs are timed with are multiplied by.
        plain_pages: data lie on the pages that a C program gets for them, where numpy would ask for larger ones.
    """

    scop: Scop
    sizes: Mapping[str, int]
    target: Target
    options: Options = field(default_factory=Options)
    progress: Callable[[str], None] | None = None
    in_process: bool = False
    candidates: dict[str, Candidate] = field(default_factory=dict)
    measured: dict[str, Measurement] = field(default_factory=dict)
    programs: dict[str, VectorProgram] = field(default_factory=dict)
    bases: dict[str, ShapedTree] = field(default_factory=dict)
    grace: float = GRACE
    last_round: tuple[str, ...] = ()
    interrupted: bool = False
    budget: float | None = None
    most: float = 0.0
    longer: Callable[[float], float] | None = None
    decides: bool = True
    until: float = inf
    known: Proofs | None = None
    found: Callable[[Evaluator, Candidate], None] | None = None
    alone: Callable[[], AbstractContextManager[None]] = nullcontext
    scale: float = 1.0
    plain_pages: bool = False

    def __post_init__(self) -> None:
        self.proofs = self.known or Proofs(self.options.reassociate)
        self._stash = WorkFolder()
        environment = {"NUMPY_MADVISE_HUGEPAGE": "0"} if self.plain_pages else {}
        if self.options.running > 1 and "OMP_PROC_BIND" not in os.environ:
            # Else some runs begin with two threads on one core, and take twice as long.
            environment["OMP_PROC_BIND"] = "true"
        self._worker: Worker | InProcess = (
            InProcess() if self.in_process else Worker(environment=environment, imports=(_JOBS, _KERNELS))
        )
        self._scheduler = Worker(imports=(_SCHEDULES,))
        self._parts: dict[tuple[Scop, tuple[str, ...], Node], Measurement] = {}
        self._elsewhere: list[Measurement] = []
        self._references: dict[frozenset[str], Setting] = {}
        self._stood: set[str] = set()
        self._runs: dict[bool, tuple[CheckRun, ...]] = {}

    def at(self, sizes: Mapping[str, int]) -> Evaluator:
        """An evaluator of the same Scop at other sizes. What does not depend on them is shared: dependences, proofs,
        programs."""
        fresh = replace(self, sizes=sizes, candidates={}, measured={}, last_round=(), known=self.proofs)
        fresh.most, fresh.longer = 0.0, None  # its search is a part of another
        return fresh

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and remove the files."""
        self._worker.close()
        self._scheduler.close()
        self._stash.cleanup()

    @cached_property
    def original(self) -> Candidate:
        return Candidate(
            "original loops", self.scop, None, ("left as they are",), explicit=False, source=Source.ORIGINAL
        )

    @cached_property
    def setting(self) -> Setting:
        """What all candidates have in common; from its first use on the sizes are settled."""
        return self.setting_now()

    def setting_now(self) -> Setting:
        """The same at the present sizes, which may still be set to others."""
        visible = self.scop.results
        floats = [self.scop.array(name).type.bytes for name in visible if self.scop.array(name).type.is_float]
        tolerance = TOLERANCE[min(floats)] if self.options.reassociate and floats else 0.0
        return Setting(
            original=self.program(self.original),
            fills=self.fills(self.scop, self.sizes),
            sizes=tuple(self.sizes.items()),
            written=visible,
            threads=self.options.running,
            contract=self.options.contract,
            tolerance=tolerance,
            by_array=bool(tolerance) and any(map(_need_not_be_exact, self.scop.statements)),
            seconds=SECONDS * self._share,
            stash=self._stash.name,
        )

    def fills(self, scop: Scop, sizes: Mapping[str, int]) -> tuple[Fill, ...]:
        """Data for timing a Scop, this one or a part of it."""
        data = fills(scop, sizes, scale=self.scale)
        if not self.asks_of_data:
            return data
        from polyloop.scop.thresholds import on_both_sides  # of Scops that compare

        return on_both_sides(self.scop, data)

    @cached_property
    def asks_of_data(self) -> bool:
        """Whether statements compare values."""
        asking = (Comparison, Select)
        return any(isinstance(node, asking) for s in self.scop.statements for node in walk_values(s.value))

    @property
    def left(self) -> float:
        """Seconds that are left; 0 if there are none."""
        return max(0.0, self.until - time.monotonic())

    @property
    def _share(self) -> float:
        """Of the time that repeating takes where there is plenty."""
        return 1.0 if self.budget is None else min(1.0, self.budget / ROOMY)

    def prepare(self) -> None:
        """Start the processes, so that the first jobs need not wait for them."""
        self._worker.prepare()
        self._scheduler.prepare()

    def scheduled(self, function: str, *arguments: object) -> ScheduleTree | None:
        """What a scheduling function ("module:name") returns in a process of its own; None if it fails or is too slow.

        isl's operation cap does not bound the time of its integer programming, and isl cannot be interrupted.
        """
        least, most = SCHEDULING_SECONDS
        timeout = min(max(least, (self.left if self.budget is None else self.budget) / 6), most)
        try:
            tree = self._scheduler.call(function, arguments, timeout=timeout, until=self.until)
        except WorkerError:
            return None
        assert tree is None or isinstance(tree, ScheduleTree)
        return tree

    def program(self, candidate: Candidate, lowering: Lowering | None = None) -> VectorProgram:
        """The vector program of a candidate, remembered.

        Args:
            lowering: generates the code; None: `lower`, here and now.
        Raises:
            LoweringError: if code generation is given up.
            UnprovenError: if the tree is not legal.
        """
        if candidate.name not in self.programs:
            tree = candidate.tree
            if tree is None:  # nothing to be proven, which may take seconds
                tree = original_tree(candidate.scop)
            elif not self.proofs.is_legal(candidate.scop, tree):
                raise UnprovenError(str(self.proofs.prove(candidate.scop, tree)))
            nest = (lowering or lower)(candidate.scop, tree)
            if candidate.explicit or candidate.scop.is_endless:  # compilers see no end of such loops
                program = self._planned(nest, candidate.apart)
            else:
                program = scalar_program(nest, contract=self.options.contract, apart=candidate.apart)
            # The original loops stay in C as they are, where no compiler knows what the arrays of parameters share.
            apart = candidate.tree is not None or not any(array.may_alias for array in candidate.scop.arrays)
            self.programs[candidate.name] = program if apart else replace(program, may_overlap=True)
        return self.programs[candidate.name]

    def evaluate(
        self, candidate: Candidate, cutoff: float = float("inf"), lowering: Lowering | None = None, *, keep: bool = True
    ) -> float:
        """Median seconds of a candidate; infinite if it has none (see `measured` for the reason).

        Args:
            cutoff: seconds after which a run is not worth repeating; it is stopped some time later.
            lowering: see `program`.
            keep: its code, too. False: only while it is among the best; that of thousands of candidates is too much.
        """
        if candidate.name in self.measured:
            return self.seconds(candidate)
        self.candidates[candidate.name] = candidate
        started = time.monotonic()

        def job() -> Job:
            program = self.program(candidate, lowering)
            return Job(self._setting(candidate.apart), (program,), cutoff)

        try:
            self._record(candidate, self._tried(job))
        except BaseException:  # interrupted: what goes on with the best so far finds it nowhere
            self.forget(candidate)
            raise
        # The best few are run once more in the end; generating their code again might take isl seconds.
        if not keep and candidate not in self.ranked()[:FINALISTS]:
            self.programs.pop(candidate.name, None)
        self._report(self.measured[candidate.name], time.monotonic() - started)
        if self.found is not None and self.measured[candidate.name].ran and candidate.name != self.original.name:
            self.found(self, candidate)
        return self.seconds(candidate)

    def forget(self, candidate: Candidate) -> None:
        """Drop all that is known of a candidate."""
        for known in (self.candidates, self.measured, self.programs):
            known.pop(candidate.name, None)

    def fail(self, candidate: Candidate, kind: Fate, reason: str) -> None:
        """Remember that a candidate has no timing."""
        self.measured[candidate.name] = Measurement.failed(reason, kind, candidate.name, candidate.source)

    def original_seconds(self) -> float:
        """Seconds of one run of the original loops at the present sizes. Nothing is compared, repeated or
        remembered, so that `sizes` may still be set to others.

        Raises:
            BackendError: if they cannot be run.
        """
        once = replace(self.setting_now(), stash="")
        (outcome,) = self._run(Job(once, (once.original,), cutoff=0.0, check=False), 0.0)
        return outcome.minimum

    def compare(self, candidates: Sequence[Candidate]) -> None:
        """Measure again, interleaved, with more runs: for the last decision."""
        programs = tuple(self.program(c) for c in candidates)
        longest = 3 * sum(self.seconds(c) for c in candidates)
        alike = not any(c.apart for c in candidates)
        outcomes = self._run(Job(self.setting, programs, rounds=7, check=alike), longest)
        for candidate, outcome in zip(candidates, outcomes, strict=True):
            known = self.measured[candidate.name].check  # of the same program, against its own reference
            self._record(candidate, outcome if alike else replace(outcome, check=known))
        self.last_round = tuple(c.name for c in candidates)

    def rounding_difference(self, candidate: Candidate) -> float | None:
        """Largest relative difference to the original's results that a candidate's other roundings make; None if it
        has none.

        Raises:
            WorkerError: if it does not run, though it has been measured.
        """
        if not candidate.apart:
            return None
        setting = replace(self.setting, tolerance=float("inf"))
        (outcome,) = self._run(Job(setting, (self.program(candidate),), cutoff=0.0), self.seconds(candidate))
        return outcome.check.largest

    def ranked(self) -> list[Candidate]:
        """All candidates that were measured, the fastest first."""
        return [c for c in sorted(self.candidates.values(), key=self.seconds) if self.seconds(c) < float("inf")]

    def best_so_far(self) -> Candidate:
        """The fastest candidate that was measured; the original loops where there was time for none."""
        return next(iter(self.ranked()), self.original)

    def best_seconds(self) -> float:
        """Of the fastest candidate so far; infinite if there is none."""
        return min((self.seconds(c) for c in self.candidates.values()), default=float("inf"))

    def decided(self) -> Candidate:
        """The original loops against the best few, interleaved; they stay unless they get clearly shorter.

        Where runs take seconds and the best is far ahead, another round would tell nothing new. Where none of the few
        keeps what it promised, so that somebody else is ahead, there is another round. Where another one decides, there
        is none.
        """
        finalists = self._finalists()
        if not self.decides:
            return finalists[0]
        before = self.seconds(self.original)
        is_plain = before > LONG_RUN and PLAIN * self.seconds(finalists[0]) < before
        if len(finalists) > 1 and not is_plain and self._compared(finalists):
            for _ in range(FURTHER_ROUNDS):
                if self.best_so_far() in finalists:
                    break
                finalists = self._finalists()
                if not self._compared(finalists):
                    break
        worth = [c for c in finalists if self.seconds(c) < WORTH * self.seconds(self.original)]
        worth.sort(key=lambda c: self.seconds(c) * (1 if c.explicit else AHEAD))
        return next(filter(self.stands, worth), self.original)

    def _compared(self, candidates: Sequence[Candidate]) -> bool:
        """Whether there was time to compare them."""
        try:
            self.compare(candidates)
        except WorkerError:
            if time.monotonic() < self.until:
                raise
            return False
        return True

    def stands(self, candidate: Candidate) -> bool:
        """Whether a candidate that was measured computes what the original loops do on other data, too: on numbers of
        both signs, zeros, extremes (see `polyloop.scop.check_data`). One that does not has failed."""
        if candidate.name == self.original.name or candidate.name in self._stood:
            return True
        # Under a tolerance it is wrong branches that are looked for: roundings grow on some data.
        reference = self._setting(candidate.apart)
        reference = replace(reference, tolerance=sqrt(reference.tolerance), stash="")
        for sizes, data in self.check_runs(exact=not reference.tolerance):
            setting = replace(reference, fills=data, sizes=tuple(sizes.items()))
            try:
                check = self._checked(setting, candidate)
            except WorkerError as error:
                self.fail(candidate, fate_of(error), str(error))
                return False
            if not check.passed:
                self._record(candidate, replace(self.measured[candidate.name], check=check))
                return False
        self._stood.add(candidate.name)
        return True

    def check_runs(self, exact: bool) -> tuple[CheckRun, ...]:
        """As `polyloop.scop.check_data.check_runs`, without data on which loops that only data end go on: Newton's
        method finds no root of negative numbers."""
        if exact not in self._runs:
            runs = check_runs(self.scop, self.sizes, exact)
            self._runs[exact] = tuple(self._that_end(runs) if self.scop.is_endless else runs)
        return self._runs[exact]

    def _that_end(self, runs: Iterable[CheckRun]) -> Iterator[CheckRun]:
        # What large data of some kinds did not end, small data of these mostly do not, either: all would be waited for
        endless: set[tuple[Kind, ...]] = set()
        limit = ENDS + 3 * self.seconds(self.original)
        for sizes, data in runs:
            kinds = tuple(each.kind for each in data)
            if kinds in endless:
                continue
            setting = replace(self.setting, fills=data, sizes=tuple(sizes.items()), stash="")
            try:
                self._worker.call(_CHECK, (setting, setting.original), timeout=limit, until=self.until)
            except WorkerError:
                if time.monotonic() >= self.until:
                    raise
                endless.add(kinds)
            else:
                yield sizes, data

    def _checked(self, setting: Setting, candidate: Candidate) -> Check:
        """
        Raises:
            WorkerError: if the candidate does not run where the original loops do.
        """
        limit = self.grace + min(3 * (self.seconds(self.original) + self.seconds(candidate)), LONGEST)
        try:
            check = self._worker.call(_CHECK, (setting, self.program(candidate)), timeout=limit, until=self.until)
        except WorkerError:
            if time.monotonic() >= self.until:
                raise
            try:
                self._worker.call(_CHECK, (setting, setting.original), timeout=limit, until=self.until)
            except WorkerError:
                return Check(0, 0, 0.0)  # nothing to compare with
            raise
        assert isinstance(check, Check)
        return check

    def settled(self, best: Candidate) -> Candidate:
        """What may be announced: `best`, if it is clearly faster than the original loops in a round with both of them;
        else the original loops.

        Figures of different moments do not compare: a machine slows down and recovers while a search runs. Afterwards
        `measured` has both as they were in that round. Without time for one, the original loops stay.
        """
        if best.name == self.original.name:
            return best
        both = [best, self.original]
        if not {each.name for each in both} <= set(self.last_round) and not self._compared(both):
            return self.original
        before = self.seconds(self.original)
        return best if before < float("inf") and self.seconds(best) < WORTH * before else self.original

    def call(self, function: str, *arguments: object, seconds: float) -> object:
        """Call "module:function" in the worker.

        Args:
            seconds: how long it runs beside compiling and preparing data.
        Raises:
            WorkerError: if there is no result.
        """
        with self.alone():
            return self._worker.call(function, arguments, timeout=self.grace + min(seconds, LONGEST), until=self.until)

    @property
    def folder(self) -> Path:
        """For files that last as long as this evaluator."""
        return Path(self._stash.name)

    def _finalists(self) -> list[Candidate]:
        best = self.ranked()[:FINALISTS]
        return best if self.original in best else [*best, self.original]

    def seconds(self, candidate: Candidate) -> float:
        """Of one run; infinite for what has not run."""
        found = self.measured.get(candidate.name)
        return float("inf") if found is None else found.median

    def part_seconds(self, scop: Scop, tree: ScheduleTree, path: TreePath, cutoff: float = float("inf")) -> float:
        """Median seconds of the part of a legal tree at `path` alone; its results are not checked.

        Arrays that are local to the Scop come from outside where other parts use them: what these compute is not
        missing then.
        """
        names, node = tree.statements_at(path), tree.at(path)
        key = scop, names, node
        if key not in self._parts:
            if not self.proofs.is_legal(scop, tree):
                raise UnprovenError(f"{scop.name}: {self.proofs.prove(scop, tree)}")
            others = {access.array for s in scop.statements if s.name not in names for access in s.accesses}
            arrays = tuple(replace(array, local=array.local and array.name not in others) for array in scop.arrays)
            whole = replace(scop, arrays=arrays)
            part = replace(whole, statements=tuple(s for s in scop.statements if s.name in names))

            def job() -> Job:
                program = self._planned(lower(part, ScheduleTree(names, node)))
                setting = replace(self.setting, fills=self.fills(whole, self.sizes), seconds=PART_SECONDS * self._share)
                return Job(setting, (program,), cutoff, check=False)

            started = time.monotonic()
            name = f"part {len(self._parts) + 1}: {', '.join(names)}"
            self._parts[key] = replace(self._tried(job), name=name, source=Source.PART)
            self._report(self._parts[key], time.monotonic() - started)
        return self._parts[key].median

    def known_part(self, scop: Scop, tree: ScheduleTree, path: TreePath) -> float | None:
        """The same where it has been measured, else None."""
        found = self._parts.get((scop, tree.statements_at(path), tree.at(path)))
        return None if found is None else found.median

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every fate: whole candidates, then parts, then what was measured at other sizes."""
        return (*self.measured.values(), *self._parts.values(), *self._elsewhere)

    def remember(self, other: Evaluator) -> None:
        """Take the measurements of an evaluator at other sizes along."""
        at = ", ".join(f"{name}={value}" for name, value in other.sizes.items())
        self._elsewhere += [replace(fate, name=f"{fate.name} (at {at})") for fate in other.measurements]

    def _planned(self, nest: LoopNest, apart: frozenset[str] = frozenset()) -> VectorProgram:
        options = self.options
        return plan(nest, self.target, contract=options.contract, reassociate=options.reassociate, apart=apart)

    def _setting(self, apart: frozenset[str]) -> Setting:
        """The setting whose reference are the original loops with these roundings."""
        if not apart:
            return self.setting
        original, names = self.original, ", ".join(sorted(apart))
        reference = replace(original, name=f"{original.name}, apart in {names}", apart=apart)
        place = Path(self._stash.name) / f"apart-{len(self._references)}"
        if apart not in self._references:
            place.mkdir()
            self._references[apart] = replace(self.setting, original=self.program(reference), stash=str(place))
        return self._references[apart]

    def _tried(self, made: Callable[[], Job]) -> Measurement:
        """What becomes of the only program of a job; whatever fails is a recorded fate."""
        try:
            job = made()
            (outcome,) = self._run(job, job.cutoff)
        except (LoweringError, CompileError, WorkerError, UnprovenError, SizeError) as error:
            return Measurement.failed(str(error), fate_of(error))
        return outcome

    def _run(self, job: Job, seconds: float) -> tuple[Measurement, ...]:
        limit = self.grace + min(3 * seconds, LONGEST)
        with self.alone():
            outcomes = self._worker.call("polyloop.measure.jobs:run_job", (job,), timeout=limit, until=self.until)
        assert isinstance(outcomes, tuple)
        return outcomes

    def _record(self, candidate: Candidate, outcome: Measurement) -> None:
        if outcome.check.passed:
            self.measured[candidate.name] = replace(outcome, name=candidate.name, source=candidate.source)
        else:
            check = outcome.check
            count = f"{check.different} of {check.compared} elements differ"
            reason = f"wrong results: {count} (please report this)"
            if check.tolerance:
                gap = f"by {check.largest:.1e} at most, beyond the tolerance of {check.tolerance:.1e}"
                reason = f"another order of the sums makes too much of a difference: {count}, {gap}"
            self.fail(candidate, Fate.WRONG_RESULTS, reason)

    def _report(self, fate: Measurement, spent: float) -> None:
        if self.progress is not None:
            text = f"{fate.median * 1e3:.3f} ms" if fate.ran else str(fate.error)
            count = f"number {len(self.measured) + len(self._parts)}"
            if self.budget is not None:
                count += f" of a search of {self.budget:.3g} s"
            self.progress(f"{fate.name}: {text} ({count}, tried in {spent:.1f} s)")


def _need_not_be_exact(statement: Statement) -> bool:
    """Whether it calls functions that vectors take from a library where roundings are free."""
    return any(isinstance(node, Call) and node.function in LOOSE_FUNCTIONS for node in walk(statement.value))
