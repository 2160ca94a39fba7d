"""What agents of Cursor-v1 see of a program in rows: one for each loop, all values in 0..1.

Unlike in LoopTune's twenty numbers (`polyloop.cursor.features`), sizes are there three times: as a logarithm, as a
share of `LONG` iterations, and by what tiles of each of `FACTORS` leave over: 64 differs from 256, and from 65.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log2
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.features import BINS, histogram, moved
from polyloop.cursor.nest import KINDS, Loop, Loops, Nest, inner_elements
from polyloop.cursor.tree_problem import Row, TreeProblem
from polyloop.graphs.features import FACTORS, LONG
from polyloop.schedules.tree import ScheduleTree

Matrix: TypeAlias = NDArray[np.float32]

_DEEPEST, _LOG_RANGE, _STRIDE_RANGE = 16, 16, 24

OPERANDS = 3
"""Reads whose strides stand apart; of further ones only the histogram tells."""
_POINTS = (LoopKind.VECTOR, LoopKind.UNROLLED, LoopKind.PARALLEL)

ROW = (
    *("there", "current", "in_compute", "depth", "size", "count"),
    *(f"left_{factor}" for factor in FACTORS),
    *("tail", "step", "vector", "unrolled", "parallel"),
    *("still", "unit", *(f"reads_{k}" for k in range(BINS))),
    *("result_moves", "result_unit", "result_stride"),
    *(f"stride_{k}" for k in range(OPERANDS)),
)
"""there: 1, the rows behind the last loop are 0. current: the cursor. in_compute, depth / 16, kinds: of the loop. size,
tail, step: logarithms; a step is the elements of one iteration. count: iterations / `LONG`, at most 1. still, unit: of
the reads, the share that stays in place or moves to the neighbouring element; reads_k: LoopTune's histogram. result_*:
of what is written."""


_DEPTH = ROW.index("depth")


class LoopFacts(NamedTuple):
    """A loop: what rows are made of."""

    size: int
    tail: int
    step: int
    depth: int
    kind: LoopKind
    in_compute: bool
    reads: tuple[int, ...]
    result: int

    @lru_cache(maxsize=1 << 15)  # noqa: B019 (a value, not an object that would be kept alive)
    def row(self) -> Matrix:
        """`values`, not to be changed: the same few loops stand in most programs of a walk."""
        return np.array(self.values(), np.float32)

    def values(self) -> list[float]:
        """The row, but for the cursor."""
        reads, result = self.reads, self.result
        count = max(len(reads), 1)
        return [
            1.0,
            0.0,
            float(self.in_compute),
            _deep(self.depth),
            _log(self.size, _LOG_RANGE),
            min(self.size / LONG, 1.0),
            *(self.size % factor / factor for factor in FACTORS),
            _log(self.tail, _LOG_RANGE),
            _log(self.step - 1, _LOG_RANGE),
            *(float(self.kind is kind) for kind in _POINTS),
            sum(stride == 0 for stride in reads) / count,
            sum(stride == 1 for stride in reads) / count,
            *histogram(reads),
            float(result > 0),
            float(result == 1),
            _log(result, _STRIDE_RANGE),
            *(_log(reads[k], _STRIDE_RANGE) if k < count and reads else 0.0 for k in range(OPERANDS)),
        ]


def _deep(depth: int) -> float:
    return min(depth / _DEEPEST, 1.0)


def _log(value: int, most: int) -> float:
    return min(log2(1 + value) / most, 1.0)


def filled(values: Matrix, cursor: int, rows: int) -> Matrix:
    """Rows of loops with the cursor, zeros behind them; shape (rows, len(ROW))."""
    result = np.zeros((rows, len(ROW)), np.float32)
    if len(values):
        result[: len(values)] = values
        result[cursor, 1] = 1.0
    return result


def nest_rows(problem: Contraction, nest: Nest, visible: int) -> Matrix:
    """The rows of a nest that are visible."""
    values = _nest_rows(problem, nest.compute, True)
    if len(values) < visible:
        return np.concatenate([values, _nest_rows(problem, nest.store, False)[nest.shared :]])
    return values


@lru_cache(maxsize=1 << 14)
def _nest_rows(problem: Contraction, loops: Loops, compute: bool) -> Matrix:
    around = zip(loops, inner_elements(loops), strict=True)
    rows = _stacked([_nest_row(problem, loop, step, compute) for loop, step in around])
    rows[:, _DEPTH] = [_deep(depth) for depth in range(len(rows))]
    return rows


def _stacked(rows: Sequence[Matrix]) -> Matrix:
    return np.concatenate(rows).reshape(-1, len(ROW)) if rows else np.zeros((0, len(ROW)), np.float32)


@lru_cache(maxsize=1 << 15)
def _nest_row(problem: Contraction, loop: Loop, step: int, compute: bool) -> Matrix:
    """The row of a loop at depth 0: at another one it differs in nothing else."""
    own = tuple(abs(f.by_variable.get(loop.variable, 0)) * step for f in (problem.reads if compute else ()))
    result = abs(problem.result.by_variable.get(loop.variable, 0)) * step
    return LoopFacts(loop.size, loop.tail, step, 0, KINDS[loop.kind], compute, own, result).row()


def tree_rows(problem: TreeProblem, tree: ScheduleTree, table: Iterable[Row]) -> Matrix:
    """The rows of a schedule tree: a loop's accesses are those of all statements below it."""
    return _stacked([_tree_facts(problem, tree, row).row() for row in table])


def _tree_facts(problem: TreeProblem, tree: ScheduleTree, row: Row) -> LoopFacts:
    member, strides, results = row.member, [], [0]
    for name, values in member.rows:
        reads, target = problem.footprints[name]
        strides += [moved(footprint, values) * member.divisor for footprint in reads]
        results += [moved(target, values) * member.divisor] if target else []
    compute = any(name in problem.computing for name, _ in member.rows)
    depth = len(tree.members_above(row.path))
    return LoopFacts(row.size, row.tail, member.divisor, depth, member.kind, compute, tuple(strides), max(results))
