"""Schedules proven, compiled and run."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.worker import Worker
from polyloop.errors import PolyloopError
from polyloop.measure.evaluator import EvaluationError, Evaluator
from polyloop.measure.protocol import EvaluatorBase
from polyloop.measure.result import Candidate, Fate
from polyloop.measure.schedules import TIMES_SLOWER, Place, Problem, Score
from polyloop.schedules.isl_scheduler import Fusion
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import first_shaped, parallelized

LOWERING_SECONDS = 10.0
"""Of CPU time that code generation may take (`polyloop.lowering.to_nest.lower`)."""

_LATER, _GRACE = 3.0, 5.0
"""A code generation that does not heed its time is ended after so many times that, and some seconds, by the clock."""


@dataclass
class Measuring(EvaluatorBase):
    """Proves a schedule against all memory-based dependences, compiles it, compares its results with the original
    loops' and times it.

    Without post-processing the loops are left to LLVM's -O3, as the original ones are. A run in a worker that
    takes longer than `TIMES_SLOWER` times the original's is not repeated, and is stopped after some seconds of grace.
    Schedules that become the same tree are measured once.

    Attributes:
        in_process: compile and run in this process. Code is generated in another one even so, which is ended where
            coefficients are so dense that isl's operations suddenly take thousands of times as long as before.
        lowering_seconds: that code generation may take, of CPU time.
        repeated: a schedule so many times slower than the original loops is not run a second time.
        origin: the step that candidates name as theirs.
    """

    in_process: bool = False
    lowering_seconds: float = LOWERING_SECONDS
    repeated: float = TIMES_SLOWER
    origin: str = ""
    _lowering: Worker = field(default_factory=Worker, repr=False)
    _evaluators: dict[Place, Evaluator] = field(default_factory=dict, repr=False)
    _owned: ExitStack = field(default_factory=ExitStack, repr=False)
    _names: dict[tuple[Place, str], str] = field(default_factory=dict, repr=False)

    @classmethod
    def around(cls, evaluator: Evaluator, **settings: Any) -> Measuring:
        """With an evaluator that somebody else owns, for its Scop at its sizes; `close` does not end it."""
        place = evaluator.scop, tuple(evaluator.sizes.items())
        return cls(**settings, _evaluators={place: evaluator})

    def limit_lowering(self, budget: float) -> None:
        """No code generation takes more than a quarter of a search's time."""
        self.lowering_seconds = min(self.lowering_seconds, max(1.0, budget / 4))

    def evaluate(self, problem: Problem, schedule: Schedule) -> Score:
        """See `ScheduleEvaluator`.

        Raises:
            EvaluationError: if the original loops cannot be run.
        """
        evaluator = self.evaluator(problem)
        baseline = self.baseline(problem)
        key = (problem.scop, problem.sizes), f"{problem.complete} {problem.post_processing} {schedule}"
        if key not in self._names:
            try:
                candidate = schedule_candidate(evaluator, problem, schedule)
            except PolyloopError as error:
                # Remembered like any other fate: the next episode does not wait for it again.
                candidate = Candidate(f"schedule {_digest(key[1])}", problem.scop, None)
                evaluator.fail(candidate, Fate.NO_CODE, str(error))
            else:
                steps = (self.origin,) if self.origin else ()
                self.measure(evaluator, replace(candidate, steps=steps), self.repeated * baseline)
            self._names[key] = candidate.name
        return Score(evaluator.measured[self._names[key]], baseline)

    def baseline(self, problem: Problem) -> float:
        """Seconds of the original loops.

        Raises:
            EvaluationError: if they cannot be run.
        """
        evaluator = self.evaluator(problem)
        seconds = evaluator.evaluate(evaluator.original)
        fate = evaluator.measured[evaluator.original.name]
        if not fate.ran:
            raise EvaluationError(f"the original loops of {problem.scop.name} cannot be measured: {fate.error}")
        return seconds

    def measure(self, evaluator: Evaluator, candidate: Candidate, cutoff: float) -> float:
        """Median seconds of a candidate, infinite if it has none; what it is measured for is remembered, its code
        only if it is among the best."""
        return evaluator.evaluate(candidate, cutoff, self._lowered, keep=False)

    def isl(self, problem: Problem, fusion: Fusion) -> Candidate | None:
        """isl's schedule, measured with the steps that all get; None where there is none, or it does not run."""
        evaluator, scop = self.evaluator(problem), problem.scop
        arguments = (scop, evaluator.proofs.flow(scop), fusion, False)
        tree = evaluator.scheduled("polyloop.schedules.isl_scheduler:isl_schedule", *arguments)
        if tree is None or not evaluator.proofs.is_legal(scop, tree):
            return None
        candidate = tree_candidate(evaluator, problem, tree)
        return candidate if self.measure(evaluator, candidate, float("inf")) < float("inf") else None

    def _lowered(self, scop: Scop, tree: ScheduleTree) -> LoopNest:
        """isl generates the code in a process that can be ended."""
        seconds = self.lowering_seconds
        arguments, limit = (scop, tree, None, seconds), _LATER * seconds + _GRACE
        nest = self._lowering.call("polyloop.lowering.to_nest:lower", arguments, timeout=limit)
        assert isinstance(nest, LoopNest)
        return nest

    def close(self) -> None:
        self._lowering.close()
        self._owned.close()
        self._evaluators.clear()
        self._names.clear()

    def evaluator(self, problem: Problem) -> Evaluator:
        """What measures the candidates of a problem, made when it is first asked for."""
        key = problem.scop, problem.sizes
        if key not in self._evaluators:
            made = Evaluator(problem.scop, dict(problem.sizes), host_target(), in_process=self.in_process)
            self._evaluators[key] = self._owned.enter_context(made)
        return self._evaluators[key]


def schedule_candidate(evaluator: Evaluator, problem: Problem, schedule: Schedule) -> Candidate:
    """What is measured for a schedule, named by its tree; the evaluator proves it before it becomes code.

    Raises:
        PolyloopError: if it does not become a tree.
    """
    tree = schedule.to_tree(problem.scop, evaluator.proofs.dependences(problem.scop), problem.complete)
    return tree_candidate(evaluator, problem, tree)


def tree_candidate(evaluator: Evaluator, problem: Problem, tree: ScheduleTree) -> Candidate:
    """What is measured for a schedule tree: the same steps for every one, whoever found it."""
    explicit = problem.post_processing != "none"
    if explicit:
        tree = first_shaped(evaluator.proofs, evaluator.target, problem.scop, tree)
    if evaluator.options.threads > 1:
        tree = parallelized(evaluator.proofs, problem.scop, tree, evaluator.options.threads)
    return Candidate(f"schedule {_digest(f'{explicit} {tree}')}", problem.scop, tree, explicit=explicit)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]
