"""Evaluators of schedules: what an environment or a search asks how good a schedule is.

Whoever needs one is given one; nothing that asks names a concrete class. `Measuring` proves, compiles and runs;
`CostModel` looks at strides only: deterministic, the same everywhere, and fast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property, partial
from hashlib import sha256
from math import gcd, lcm
from typing import Any, Literal, Protocol, TypeAlias, cast, runtime_checkable

from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.plugins import Table
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.errors import PolyloopError
from polyloop.measure.evaluator import FINALISTS, EvaluationError, Evaluator, UnprovenError, fate_of
from polyloop.measure.result import Candidate, Fate, Measured
from polyloop.polyhedra.integer_matrix import Row
from polyloop.schedules.legality import Violation
from polyloop.schedules.rows import Schedule
from polyloop.schedules.strides import is_contiguous, is_invariant, solve, strides
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import instances
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.shaped import first_shaped, parallelized

TIMES_SLOWER = 10.0
"""A schedule so many times slower than the original loops is stopped; it and whatever cannot run counts 1/10."""

PostProcessing: TypeAlias = Literal["none", "shapes"]
"""What happens to a schedule before it is measured: nothing, or every nest gets its first legal shape (tiles, vectors,
register tiles), as the default search gives it to isl's schedules."""

LOWERING_SECONDS = 10.0
"""Of CPU time that code generation may take (`polyloop.lowering.to_nest.lower`)."""

_LATER, _GRACE = 3.0, 5.0
"""A code generation that does not heed its time is ended after so many times that, and some seconds, by the clock."""

_REMEMBERED = 4096

_Place: TypeAlias = tuple[Scop, tuple[tuple[str, int], ...]]
"""A Scop at some sizes."""


@dataclass(frozen=True)
class Problem:
    """What is scheduled: a Scop at given sizes. Its context holds what schedules may rely on.

    Attributes:
        complete: append dimensions until every statement's instances are told apart.
    """

    scop: Scop
    sizes: tuple[tuple[str, int], ...]
    complete: bool = False
    post_processing: PostProcessing = "none"

    @cached_property
    def original(self) -> Schedule:
        return Schedule.of_tree(self.scop, original_tree(self.scop))


@dataclass(frozen=True)
class Score:
    """How good a schedule is.

    Attributes:
        seconds: of one run; None where it has none.
        baseline: seconds of the original loops.
        speedup: baseline / seconds; 1 / `TIMES_SLOWER` for what is slower than that or cannot run.
        error: why there are no seconds; `kind` for programs.
    """

    seconds: float | None
    baseline: float
    speedup: float
    error: str | None = None
    kind: Fate = Fate.RAN

    @classmethod
    def of(cls, seconds: float, baseline: float) -> Score:
        return cls(seconds, baseline, max(baseline / seconds, 1 / TIMES_SLOWER) if seconds else TIMES_SLOWER)

    @classmethod
    def failed(cls, baseline: float, error: str, kind: Fate = Fate.FAILED) -> Score:
        return cls(None, baseline, 1 / TIMES_SLOWER, error, kind)


@runtime_checkable
class ScheduleEvaluator(Protocol):
    """Anything that scores schedules. One object may serve many environments, one call at a time."""

    def evaluate(self, problem: Problem, schedule: Schedule) -> Score:
        """The score; what goes wrong with a schedule is in it, never raised."""

    def close(self) -> None:
        """Give processes and files back; a later call may start new ones."""


EVALUATORS: Table[Callable[[], ScheduleEvaluator]] = Table(
    "polyloop.evaluators",
    {"worker": lambda: Measuring(), "inprocess": lambda: Measuring(in_process=True), "model": lambda: CostModel()},
    lambda name, value: None if callable(value) else "it is nothing that can be called for an evaluator",
)
"""By name, what makes one: ours, then those of installed packages."""


def evaluator_named(name: str) -> ScheduleEvaluator:
    """The evaluator of a name: "worker" measures in a process of its own, "inprocess" in this one, "model" does not
    measure; or one of an installed package.

    Raises:
        PolyloopError: for another name, or if what a package makes is no evaluator.
    """
    if name not in EVALUATORS:
        raise PolyloopError(f"there is no evaluator {name!r}; there are {', '.join(EVALUATORS)}")
    evaluator = EVALUATORS[name]()
    if not isinstance(evaluator, ScheduleEvaluator):
        raise PolyloopError(f"the evaluator {name!r} is a {type(evaluator).__name__}, which is no ScheduleEvaluator")
    return evaluator


class PickledAsMade:
    """Dataclasses whose pickles hold what they were made with. What they have found out, known by the identity of
    objects in this process, their processes and their files stay behind."""

    def __reduce__(self) -> tuple[Any, ...]:
        public = [entry.name for entry in fields(cast(Any, self)) if not entry.name.startswith("_")]
        return partial(type(self), **{name: getattr(self, name) for name in public}), ()


@dataclass
class Measuring(PickledAsMade):
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
    _evaluators: dict[_Place, Evaluator] = field(default_factory=dict, repr=False)
    _names: dict[tuple[_Place, str], str] = field(default_factory=dict, repr=False)
    _borrowed: set[_Place] = field(default_factory=set, repr=False)

    @classmethod
    def around(cls, evaluator: Evaluator, origin: str = "") -> Measuring:
        """With an evaluator that somebody else owns, for its Scop at its sizes; `close` does not end it."""
        measuring = cls(origin=origin)
        place = evaluator.scop, tuple(evaluator.sizes.items())
        measuring._evaluators[place] = evaluator
        measuring._borrowed.add(place)
        return measuring

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
                if self.origin:
                    candidate = replace(candidate, steps=(self.origin,))
            except PolyloopError as error:
                # Remembered like any other fate: the next episode does not wait for it again.
                self._names[key] = f"schedule {_digest(key[1])}"
                name = self._names[key]
                evaluator.measured[name] = Measured.failed(name, Fate.NO_CODE, str(error))
            else:
                self._names[key] = candidate.name
                self.measure(evaluator, candidate, self.repeated * baseline)
        measured = evaluator.measured[self._names[key]]
        if measured.timing is None:
            return Score.failed(baseline, str(measured.error), measured.kind)
        return Score.of(measured.timing.median, baseline)

    def baseline(self, problem: Problem) -> float:
        """Seconds of the original loops.

        Raises:
            EvaluationError: if they cannot be run.
        """
        evaluator = self.evaluator(problem)
        seconds = evaluator.evaluate(evaluator.original)
        fate = evaluator.measured[evaluator.original.name]
        if fate.timing is None:
            raise EvaluationError(f"the original loops of {problem.scop.name} cannot be measured: {fate.error}")
        return seconds

    def measure(self, evaluator: Evaluator, candidate: Candidate, cutoff: float) -> float:
        """Median seconds of a candidate, infinite if it has none; what it is measured for is remembered, its code
        only if it is among the best."""
        if candidate.name not in evaluator.measured:
            try:
                evaluator.programs[candidate.name] = self._program(evaluator, candidate)
            except (PolyloopError, WorkerError) as error:
                evaluator.fail(candidate, fate_of(error), str(error))
            else:
                evaluator.evaluate(candidate, cutoff)
                # The best few are run once more in the end; generating their code again might take isl seconds.
                if candidate not in evaluator.ranked()[:FINALISTS]:
                    evaluator.programs.pop(candidate.name, None)
        return evaluator.seconds(candidate)

    def _program(self, evaluator: Evaluator, candidate: Candidate) -> VectorProgram:
        """The code of a candidate, once it is proven; isl generates it in a process that can be ended."""
        scop, tree, contract = candidate.scop, candidate.tree, evaluator.options.contract
        assert tree is not None
        verdict = evaluator.proofs.prove(scop, tree)
        if isinstance(verdict, Violation):
            raise UnprovenError(str(verdict))
        seconds = self.lowering_seconds
        nest = self._lowering.call(
            "polyloop.lowering.to_nest:lower", (scop, tree, None, seconds), timeout=_LATER * seconds + _GRACE
        )
        assert isinstance(nest, LoopNest)
        if candidate.explicit:
            return plan(nest, evaluator.target, contract=contract, reassociate=evaluator.options.reassociate)
        return scalar_program(nest, contract=contract)

    def close(self) -> None:
        self._lowering.close()
        for place, evaluator in self._evaluators.items():
            if place not in self._borrowed:
                evaluator.__exit__()
        self._evaluators.clear()
        self._names.clear()

    def evaluator(self, problem: Problem) -> Evaluator:
        """What measures the candidates of a problem, made when it is first asked for."""
        key = problem.scop, problem.sizes
        if key not in self._evaluators:
            self._evaluators[key] = Evaluator(
                problem.scop, dict(problem.sizes), host_target(), in_process=self.in_process
            )
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
        tree = parallelized(evaluator.proofs, problem.scop, tree)
    return Candidate(f"schedule {_digest(f'{explicit} {tree}')}", problem.scop, tree, explicit=explicit)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]


@dataclass
class CostModel(PickledAsMade):
    """Scores from strides, without running anything; nothing is proven either.

    Of every statement the loops that move it are its linearly independent rows, outermost first, then those of its
    iterators that the rows do not span. With m(a, l) = 0 where access a stays in place along loop l, bytes / 64 where
    it moves to the neighbouring element, 1 otherwise, an instance costs, in nanoseconds,

        (operations + 0.25 * skew) / lanes + 4 * sum over accesses a of (m(a, innermost) + m(a, next) / 16)

    where `operations` is 1 + the number of distinct reads, `skew` is by how much the absolute coefficients of
    its rows exceed one each, and `lanes` is 4 where along the innermost loop the store moves to the
    neighbouring element and every read does, too, or stays in place; else 1. A statement costs that times the points in
    the box around its domain. What statements have in common (fusion, reuse between them) is not seen.
    """

    _known: dict[tuple[_Place, Schedule], float] = field(default_factory=dict, repr=False)
    _instances: dict[_Place, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def evaluate(self, problem: Problem, schedule: Schedule) -> Score:
        """See `ScheduleEvaluator`."""
        return Score.of(self.seconds(problem, schedule), self.seconds(problem, problem.original))

    def seconds(self, problem: Problem, schedule: Schedule) -> float:
        """What the model takes a schedule's run for."""
        scop, place = problem.scop, (problem.scop, problem.sizes)
        if place not in self._instances:
            self._instances[place] = tuple(instances(scop, s, dict(problem.sizes)) for s in scop.statements)
        if (place, schedule) not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            each = zip(scop.statements, schedule.rows, self._instances[place], strict=True)
            total = sum(count * _instance_cost(scop, statement, rows) for statement, rows, count in each)
            self._known[place, schedule] = 1e-9 * max(total, 1.0)
        return self._known[place, schedule]

    def close(self) -> None:
        """Nothing to give back."""


def _instance_cost(scop: Scop, statement: Statement, rows: tuple[Row, ...]) -> float:
    depth = statement.depth
    loops = _moving([row[:depth] for row in rows], depth)
    skew = sum(sum(map(abs, loop)) - 1 for loop in loops)
    operations = 1.0 + len(statement.reads) + 0.25 * skew
    if not loops:
        return operations
    inner, outer = _direction(loops, depth - 1), _direction(loops, depth - 2) if depth > 1 else None
    moves = [(a, strides(a, statement.iterators, inner)) for a in (statement.target, *statement.reads)]
    lanes = 4 if is_contiguous(moves[0][1]) and all(is_contiguous(m) or is_invariant(m) for _, m in moves) else 1
    lines = 0.0
    for access, move in moves:
        share = scop.array(access.array).type.bytes / 64
        lines += _lines(move, share)
        if outer is not None:
            lines += _lines(strides(access, statement.iterators, outer), share) / 16
    return operations / lanes + 4 * lines


def _lines(move: tuple[int, ...] | None, share: float) -> float:
    if is_invariant(move):
        return 0.0
    return share if is_contiguous(move) else 1.0


def _moving(rows: list[Row], depth: int) -> list[Row]:
    """The rows that are independent of those before them, completed by unit vectors: as many as there are iterators."""
    kept: list[Row] = []
    reduced: list[tuple[int, list[Fraction]]] = []
    units = [tuple(int(k == n) for k in range(depth)) for n in range(depth)]
    for row in (*rows, *units):
        left = [Fraction(value) for value in row]
        for pivot, basis in reduced:
            factor = left[pivot]
            if factor:
                left = [value - factor * b for value, b in zip(left, basis, strict=True)]
        pivot = next((k for k, value in enumerate(left) if value), -1)
        if pivot >= 0:
            reduced.append((pivot, [value / left[pivot] for value in left]))
            kept.append(row)
        if len(kept) == depth:
            break
    return kept


def _direction(loops: list[Row], along: int) -> Row:
    """The primitive step of the iterators that moves along one loop alone."""
    rows = [[Fraction(value) for value in row] for row in loops]
    right = [Fraction(int(k == along)) for k in range(len(loops))]
    solution = solve(rows, right, len(loops))
    assert solution is not None, "the rows are independent"
    scale = lcm(*(value.denominator for value in solution))
    whole = [int(value * scale) for value in solution]
    divisor = gcd(*whole)
    return tuple(value // divisor for value in whole)
