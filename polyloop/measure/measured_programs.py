"""The cursor's programs compiled and run, in a worker process unless asked otherwise; what was measured stays in a
database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.kept_files import package_version
from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.worker import Worker
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Nest
from polyloop.cursor.tree_problem import TreeProblem, joined
from polyloop.errors import PolyloopError
from polyloop.measure.database import Database, Key
from polyloop.measure.evaluator import Evaluator, InProcess, Options, fate_of
from polyloop.measure.nests import Settings
from polyloop.measure.planning import finalist
from polyloop.measure.programs import Remembering
from polyloop.measure.result import Candidate, Measurement
from polyloop.measure.schedules import TIMES_SLOWER
from polyloop.schedules.tree import ScheduleTree

RUN_SECONDS = 20.0
"""Seconds that compiling and running one nest may take."""

PROBLEMS = 4
"""Programs of trees whose data and original loops' seconds are kept."""


def peak_type(problem: Problem) -> str:
    """The floating-point numbers whose peak a program is compared with, as "float32"."""
    types = [problem.scop.array(s.target.array).type for s in problem.scop.statements]
    floats = [type_ for type_ in types if type_.is_float]
    # Integers have no peak of their own here: they are measured against numbers of the same width.
    widest = max(floats or types, key=lambda type_: type_.bits)
    return str(dtype_of(widest)) if widest.is_float else ("float64" if widest.bits > 32 else "float32")


@dataclass
class MeasuredPrograms(Remembering):
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

    def _evaluated(self, problem: Problem, program: Program) -> Measurement:
        if isinstance(problem, Contraction):
            assert isinstance(program, Nest)
            return self._nest(problem, program)
        assert isinstance(program, ScheduleTree)
        return self._tree(problem, program)

    def peak(self, problem: Problem) -> float:
        return peak_gflops(peak_type(problem))

    def close(self) -> None:
        while self._evaluators:
            self._evaluators.popitem()[1].close()
        if self._worker is not None:
            self._worker.close()
        self._worker = None
        self.database.close()

    def forget(self) -> None:
        """Measure anew what was measured before, unless a database's file has it; the worker goes on."""
        self._known.clear()
        self.database.forget()

    # --- nests --------------------------------------------------------------------------------------------------------

    def _nest(self, problem: Contraction, nest: Nest) -> Measurement:
        settings = replace(self.settings, reassociate=problem.reassociate, contract=problem.contract)
        try:
            loops = finalist(problem, nest).nest
        except PolyloopError as error:
            return Measurement.failed(str(error), fate_of(error))
        key = Key.of(_canonical(loops), host_target(), f"{package_version()[:16]} {settings}")
        return self._stored(key, lambda: self._run(loops, settings))

    def _stored(self, key: Key, measure: Callable[[], Measurement]) -> Measurement:
        """What the database has, or gets."""
        known = self.database.get(key)
        if known is None:
            known = measure()
            if known.ran:
                self.database.put(key, known)
        return known

    def _run(self, loops: LoopNest, settings: Settings) -> Measurement:
        if self._worker is None:
            self._worker = InProcess() if self.in_process else Worker()
        try:
            found = self._worker.call("polyloop.measure.nests:measure", (loops, settings), timeout=RUN_SECONDS)
        except BackendError as error:
            return Measurement.failed(str(error), fate_of(error))
        assert isinstance(found, Measurement)
        return found

    # --- trees --------------------------------------------------------------------------------------------------------

    def _tree(self, problem: TreeProblem, tree: ScheduleTree) -> Measurement:
        sizes = dict(problem.sizes)
        text = f"{problem.scop.name} {problem.scop.statements} {problem.scop.arrays} {sizes} {joined(tree)}"
        settings = f"{package_version()[:16]} tree, {problem.reassociate=} {problem.contract=}"
        key = Key.of(text, host_target(), settings)
        return self._stored(key, lambda: self._run_tree(problem, tree, key))

    def _run_tree(self, problem: TreeProblem, tree: ScheduleTree, key: Key) -> Measurement:
        evaluator = self._evaluator(problem)
        baseline = evaluator.evaluate(evaluator.original)
        candidate = Candidate(f"cursor {key.program[:24]}", problem.scop, joined(tree), explicit=tree.has_kinds)
        evaluator.evaluate(candidate, TIMES_SLOWER * baseline)
        found = evaluator.measured[candidate.name]
        evaluator.forget(candidate)  # of thousands of trees; the seconds stay known here
        return found

    def _evaluator(self, problem: TreeProblem) -> Evaluator:
        if problem not in self._evaluators:
            while len(self._evaluators) >= PROBLEMS:  # each has a process
                self._evaluators.pop(next(iter(self._evaluators))).close()
            options = Options(reassociate=problem.reassociate, contract=problem.contract)
            self._evaluators[problem] = Evaluator(
                problem.scop, dict(problem.sizes), host_target(), options, in_process=self.in_process
            )
        return self._evaluators[problem]


def _canonical(nest: LoopNest) -> str:
    """The nest and its data, with nothing of what it was made from: the kernel's name does not count."""
    arrays = ", ".join(f"{a.name}: {a.type}{[str(extent) for extent in a.shape]}" for a in nest.arrays)
    return f"{arrays}\n{nest}"
