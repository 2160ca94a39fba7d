"""Evaluators of schedules: what an environment or a search asks how good a schedule is.

Whoever needs one is given one; nothing that asks names a concrete class. `CostModel` looks at strides only:
deterministic, the same everywhere, and fast. What measures stands in `polyloop.measure.measured_schedules`: whoever
asks the model loads no compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Literal, Protocol, TypeAlias, cast, runtime_checkable

from polyloop.backend.plugins import Table
from polyloop.measure.protocol import Evaluates, EvaluatorBase, evaluator_of, evaluators
from polyloop.measure.result import Fate, Measurement
from polyloop.polyhedra.integer_matrix import Row, independent
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import is_contiguous, is_invariant, original_tree, solve, strides
from polyloop.scop.data import instances
from polyloop.scop.model import Scop, Statement

TIMES_SLOWER = 10.0
"""A schedule so many times slower than the original loops is stopped; it and whatever cannot run counts 1/10."""

PostProcessing: TypeAlias = Literal["none", "shapes"]
"""What happens to a schedule before it is measured: nothing, or every nest gets its first legal shape (tiles, vectors,
register tiles), as the default search gives it to isl's schedules."""

_REMEMBERED = 4096

Place: TypeAlias = tuple[Scop, tuple[tuple[str, int], ...]]
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
    """How good a schedule is: its measurement beside the original loops'.

    Attributes:
        baseline: seconds of the original loops.
    """

    measurement: Measurement
    baseline: float

    @classmethod
    def of(cls, seconds: float, baseline: float) -> Score:
        return cls(Measurement(seconds, seconds), baseline)

    @property
    def seconds(self) -> float | None:
        """Of one run; None where it has none."""
        return self.measurement.median if self.measurement.ran else None

    @property
    def speedup(self) -> float:
        """Over the original loops; 1 / `TIMES_SLOWER` for what is slower than that or cannot run."""
        seconds = self.measurement.median
        return max(self.baseline / seconds, 1 / TIMES_SLOWER) if seconds else TIMES_SLOWER

    @property
    def error(self) -> str | None:
        """Why there are no seconds; `kind` for programs."""
        return self.measurement.error

    @property
    def kind(self) -> Fate:
        return self.measurement.kind


@runtime_checkable
class ScheduleEvaluator(Evaluates[Problem, Schedule, Score], Protocol):
    """Anything that scores schedules."""


EVALUATORS: Table[Callable[[], ScheduleEvaluator]] = evaluators(
    "polyloop.evaluators", "polyloop.measure.measured_schedules:Measuring", f"{__name__}:CostModel"
)
"""See `polyloop.measure.protocol.evaluators`."""


def evaluator_named(name: str) -> ScheduleEvaluator:
    """A new evaluator of a name of `EVALUATORS`.

    Raises:
        PolyloopError: for another name, or if what a package makes is no evaluator.
    """
    return cast(ScheduleEvaluator, evaluator_of(EVALUATORS, name, ScheduleEvaluator))


@dataclass
class CostModel(EvaluatorBase):
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

    _known: dict[tuple[Place, Schedule], float] = field(default_factory=dict, repr=False)
    _instances: dict[Place, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def evaluate(self, problem: Problem, schedule: Schedule) -> Score:
        return Score.of(self.seconds(problem, schedule), self.seconds(problem, problem.original))

    def seconds(self, problem: Problem, schedule: Schedule) -> float:
        """What the model takes a schedule's run for."""
        scop, place = problem.scop, (problem.scop, problem.sizes)
        if place not in self._instances:
            self._instances[place] = tuple(instances(s, dict(problem.sizes)) for s in scop.statements)
        if (place, schedule) not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            each = zip(scop.statements, schedule.rows, self._instances[place], strict=True)
            total = sum(count * _instance_cost(scop, statement, rows) for statement, rows, count in each)
            self._known[place, schedule] = 1e-9 * max(total, 1.0)
        return self._known[place, schedule]


def _instance_cost(scop: Scop, statement: Statement, rows: tuple[Row, ...]) -> float:
    depth = statement.depth
    loops = _moving([row[:depth] for row in rows], depth)
    skew = sum(sum(map(abs, loop)) - 1 for loop in loops)
    operations = 1.0 + len(statement.reads) + 0.25 * skew
    if not loops:
        return operations
    inner, outer = _direction(loops, depth - 1), _direction(loops, depth - 2) if depth > 1 else None
    moves = [(a, strides(a, statement.iterators, inner)) for a in statement.accesses]
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
    every = [*rows, *(tuple(int(k == n) for k in range(depth)) for n in range(depth))]
    return [every[k] for k in independent(every, depth)]


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
