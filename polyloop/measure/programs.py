"""Evaluators of the cursor's programs: seconds of a nest or a tree, measured or from a model.

Whoever needs one is given one. `MeasuredPrograms` compiles and runs, in a worker process unless asked otherwise, and
keeps what it has measured in a database; `ModelledPrograms` runs nothing: deterministic, the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.plugins import Table
from polyloop.backend.run.nest_kernel import package_version
from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import model_peak, model_seconds
from polyloop.cursor.nest import Nest
from polyloop.cursor.tree_model import tree_peak, tree_seconds
from polyloop.cursor.tree_problem import TreeProblem, joined
from polyloop.errors import PolyloopError
from polyloop.measure.database import Database, Key, Record
from polyloop.measure.evaluator import EvaluationError, Evaluator, InProcess, Options
from polyloop.measure.nests import Settings
from polyloop.measure.planning import finalist
from polyloop.measure.result import Candidate
from polyloop.measure.schedules import PickledAsMade
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.data import data_type

RUN_SECONDS = 20.0
"""Seconds that compiling and running one nest may take."""

TIMES_SLOWER = 10.0
"""A tree so many times slower than the original loops is not run again."""


@runtime_checkable
class ProgramEvaluator(Protocol):
    """Anything that says how long a program runs. One object may serve many environments, one call at a time."""

    def evaluate(self, problem: Problem, program: Program) -> Record:
        """Seconds of one run; what goes wrong with a program is in the record, never raised."""

    def peak(self, problem: Problem) -> float:
        """10^9 operations a second that a program may reach at best."""

    def close(self) -> None:
        """Give processes and files back; a later call may start new ones."""


PROGRAM_EVALUATORS: Table[Callable[[], ProgramEvaluator]] = Table(
    "polyloop.program_evaluators",
    {
        "worker": lambda: MeasuredPrograms(),
        "inprocess": lambda: MeasuredPrograms(in_process=True),
        "model": lambda: ModelledPrograms(),
    },
    lambda name, value: None if callable(value) else "it is nothing that can be called for an evaluator",
)
"""By name, what makes one: ours, then those of installed packages."""


def program_evaluator(name: str) -> ProgramEvaluator:
    """The evaluator of a name: "worker" measures in a process of its own, "inprocess" in this one, "model" does not
    measure; or one of an installed package.

    Raises:
        PolyloopError: for another name, or if what a package makes is no evaluator.
    """
    if name not in PROGRAM_EVALUATORS:
        raise PolyloopError(f"there is no evaluator {name!r}; there are {', '.join(PROGRAM_EVALUATORS)}")
    evaluator = PROGRAM_EVALUATORS[name]()
    if not isinstance(evaluator, ProgramEvaluator):
        raise PolyloopError(f"the evaluator {name!r} is a {type(evaluator).__name__}, which is no ProgramEvaluator")
    return evaluator


def gflops(problem: Problem, record: Record) -> float:
    """10^9 operations a second, by the fastest run: what disturbs a run can only slow it down. 0 without one."""
    return problem.flops / record.minimum * 1e-9 if record.error is None and record.minimum else 0.0


def peak_type(problem: Problem) -> str:
    """The floating-point numbers whose peak a program is compared with, as "float32"."""
    types = [problem.scop.array(s.target.array).type for s in problem.scop.statements]
    floats = [type_ for type_ in types if type_.is_float]
    # Integers have no peak of their own here: they are measured against numbers of the same width.
    widest = max(floats or types, key=lambda type_: type_.bits)
    return str(data_type(widest)) if widest.is_float else ("float64" if widest.bits > 32 else "float32")


@dataclass
class _Remembering(PickledAsMade):
    """Asks once for every program."""

    remembered: ClassVar[int] = 1 << 17
    _known: dict[tuple[Problem, Program], Record] = field(default_factory=dict, repr=False, kw_only=True)

    def evaluate(self, problem: Problem, program: Program) -> Record:
        """See `ProgramEvaluator`."""
        key = problem, program
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self.remembered:
                self._known.clear()
            known = self._known[key] = self._evaluated(problem, program)
        return known

    def _evaluated(self, problem: Problem, program: Program) -> Record:
        raise NotImplementedError


class ModelledPrograms(_Remembering):
    """Seconds from `polyloop.cursor.model`."""

    remembered: ClassVar[int] = 1 << 14  # they are soon worked out again, and many environments have one each

    def peak(self, problem: Problem) -> float:
        """See `ProgramEvaluator`."""
        return model_peak(problem) if isinstance(problem, Contraction) else tree_peak(problem)

    def close(self) -> None:
        """Nothing to give back."""

    def _evaluated(self, problem: Problem, program: Program) -> Record:
        if isinstance(problem, Contraction):
            assert isinstance(program, Nest)
            seconds = model_seconds(problem, program)
        else:
            assert isinstance(program, ScheduleTree)
            seconds = tree_seconds(problem, program)
        return Record(seconds, seconds, 0.0, 1)


@dataclass
class MeasuredPrograms(_Remembering):
    """Seconds of compiled programs on this machine.

    Nests of contractions run by themselves: the loops are legal in any order, so that nothing has to be compared.
    Trees are proven, compared with the original loops' results and timed by `polyloop.measure.evaluator`.

    Attributes:
        settings: how nests are timed.
        database: where measurements are kept; `Database(None)` forgets them with this object.
    """

    in_process: bool = False
    settings: Settings = field(default_factory=Settings)
    database: Database = field(default_factory=Database)
    _evaluators: dict[TreeProblem, Evaluator] = field(default_factory=dict, repr=False)
    _worker: Worker | InProcess | None = field(default=None, repr=False)

    def _evaluated(self, problem: Problem, program: Program) -> Record:
        if isinstance(problem, Contraction):
            assert isinstance(program, Nest)
            return self._nest(problem, program)
        assert isinstance(program, ScheduleTree)
        return self._tree(problem, program)

    def peak(self, problem: Problem) -> float:
        """See `ProgramEvaluator`."""
        return peak_gflops(peak_type(problem))

    def close(self) -> None:
        """See `ProgramEvaluator`."""
        if self._worker is not None:
            self._worker.close()
        for evaluator in self._evaluators.values():
            evaluator.__exit__()
        self._evaluators.clear()
        self._worker = None
        self.database.close()

    def forget(self) -> None:
        """Measure anew what was measured before, unless a database's file has it; the worker goes on."""
        self._known.clear()
        self.database.forget()

    # --- nests --------------------------------------------------------------------------------------------------------

    def _nest(self, problem: Contraction, nest: Nest) -> Record:
        settings = Settings(**{**vars(self.settings), "reassociate": problem.reassociate})
        try:
            loops = finalist(problem, nest).nest
        except PolyloopError as error:
            return Record.failed(str(error))
        key = Key.of(_canonical(loops), host_target(), f"{package_version()[:16]} {settings}")
        return self._stored(key, lambda: self._run(loops, settings))

    def _stored(self, key: Key, run: Callable[[], Record]) -> Record:
        """From the database, else run now and put there."""
        known = self.database.get(key)
        if known is None:
            known = run()
            if known.error is None:
                self.database.put(key, known)
        return known

    def _run(self, loops: LoopNest, settings: Settings) -> Record:
        if self._worker is None:
            self._worker = InProcess() if self.in_process else Worker()
        try:
            found = self._worker.call("polyloop.measure.nests:measure", (loops, settings), timeout=RUN_SECONDS)
        except (WorkerError, BackendError) as error:
            return Record.failed(str(error))
        assert isinstance(found, tuple)
        return Record(*found)

    # --- trees --------------------------------------------------------------------------------------------------------

    def _tree(self, problem: TreeProblem, tree: ScheduleTree) -> Record:
        sizes = dict(problem.sizes)
        text = f"{problem.scop.name} {problem.scop.statements} {problem.scop.arrays} {sizes} {joined(tree)}"
        settings = f"{package_version()[:16]} tree, {problem.reassociate=}"
        key = Key.of(text, host_target(), settings)
        return self._stored(key, lambda: self._run_tree(problem, tree, key))

    def _run_tree(self, problem: TreeProblem, tree: ScheduleTree, key: Key) -> Record:
        if problem not in self._evaluators:
            options = Options(reassociate=problem.reassociate)
            self._evaluators[problem] = Evaluator(
                problem.scop, dict(problem.sizes), host_target(), options, in_process=self.in_process
            )
        evaluator = self._evaluators[problem]
        baseline = evaluator.evaluate(evaluator.original)
        candidate = Candidate(f"cursor {key.program[:24]}", problem.scop, joined(tree), explicit=tree.has_kinds)
        try:
            evaluator.evaluate(candidate, TIMES_SLOWER * baseline)
        except EvaluationError as error:
            return Record.failed(str(error))
        fate = evaluator.measured[candidate.name]
        # What was measured stays known; the code of thousands of trees need not.
        evaluator.programs.pop(candidate.name, None)
        evaluator.candidates.pop(candidate.name, None)
        if fate.timing is None:
            return Record.failed(str(fate.error))
        return Record(fate.timing.minimum, fate.timing.median, fate.timing.spread, fate.timing.runs)


def _canonical(nest: LoopNest) -> str:
    """The nest and its data, with nothing of what it was made from: the kernel's name does not count."""
    arrays = ", ".join(f"{a.name}: {a.type}{[str(extent) for extent in a.shape]}" for a in nest.arrays)
    return f"{arrays}\n{nest}"
