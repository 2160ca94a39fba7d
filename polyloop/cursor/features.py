"""What an agent sees of a nest: twenty numbers a loop.

    cursor here, size, tail, in the compute nest (1) or the write-back nest (0), h0 .. h15

The histogram has, for every access that the loop moves by a stride of s > 0 elements, the weight of how often it is
executed in bin ceil(log2 s), normalised over the loop; strides of more than 2^15 elements fall off. Every access
below a loop is executed as often as the loop's body, so the weights of one loop are equal.

LoopTune counts what the compute nest reads, and in write-back rows the accesses laid out like the result; the native
form adds the result to the compute nest's rows, and may give sizes and tails as log2(1 + n).

References:
    Grubisic et al., "LoopTune", arXiv 2309.01825, section III.B.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log2

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.affine import Affine
from polyloop.cursor.contraction import Contraction, Footprint
from polyloop.cursor.nest import Loops, Nest, inner_elements
from polyloop.cursor.tree_problem import Row, TreeProblem

FEATURES = 20
BINS = 16

Matrix = NDArray[np.float32]


def histogram(strides: Iterable[int]) -> list[float]:
    """Shares of the bins; all zeros where nothing moves."""
    bins = [(stride - 1).bit_length() for stride in strides if stride > 0]
    kept = [0.0] * BINS
    for bin_ in bins:
        if bin_ < BINS:
            kept[bin_] += 1.0
    total = sum(kept)
    return [value / total for value in kept] if total else kept


def nest_features(
    problem: Contraction, nest: Nest, cursor: int, visible: int, rows: int, logarithmic: bool, looptune: bool
) -> Matrix:
    """One row for each loop that is visible, in preorder, filled up with zeros; shape (rows, 20)."""
    result = np.zeros((rows, FEATURES), np.float32)
    table = list(_rows(problem, nest.compute, True, looptune))
    if len(table) < visible:
        table += _rows(problem, nest.store, False, looptune)[nest.shared :]
    filled = np.array(table, np.float32)
    if logarithmic:
        filled[:, 1:3] = np.log2(1 + filled[:, 1:3])
    filled[cursor, 0] = 1.0
    result[: len(filled)] = filled
    return result


@lru_cache(maxsize=1 << 14)
def _rows(problem: Contraction, loops: Loops, compute: bool, looptune: bool) -> list[list[float]]:
    rows: list[list[float]] = []
    footprints = (*problem.reads, *(() if looptune else (problem.result,))) if compute else (problem.result,)
    for loop, elements in zip(loops, inner_elements(loops), strict=True):
        strides = [abs(f.by_variable.get(loop.variable, 0)) * elements for f in footprints]
        rows.append([0.0, float(loop.size), float(loop.tail), float(compute), *histogram(strides)])
    return rows


def tree_features(problem: TreeProblem, table: Sequence[Row], cursor: int, rows: int, logarithmic: bool) -> Matrix:
    """As `nest_features`, for a schedule tree: a loop's accesses are those of all statements below it."""
    result = np.zeros((rows, FEATURES), np.float32)
    for k, row in enumerate(table):
        member, strides, compute = row.member, [], False
        for name, values in member.rows:
            reads, target = problem.footprints[name]
            compute |= name in problem.computing
            for footprint in (*reads, *((target,) if target else ())):
                strides.append(moved(footprint, values) * member.divisor)
        size, tail = (log2(1 + row.size), log2(1 + row.tail)) if logarithmic else (row.size, row.tail)
        result[k] = [float(k == cursor), size, tail, float(compute), *histogram(strides)]
    return result


def moved(footprint: Footprint, row: Affine) -> int:
    """Elements that an access moves when the row grows by one: along the first iterator that can follow it."""
    for atom, factor in row.terms:
        if abs(factor) == 1 and atom in footprint.by_variable:
            return abs(footprint.by_variable[str(atom)])
    return 0
