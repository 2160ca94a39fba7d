"""What learned models see of a program: a fixed number of figures, whatever its loops.

Of the chain of loops that most of the work is in: context features of its innermost loops (length, kind, products of
the lengths outside and inside, lines touched, strides), and relation features, which do not hang on how many loops
there are: for features i and j of loops and thresholds t, the largest Z_ki of the loops k with Z_kj < t. Of all chains:
the analytic model's cycles and what they come from, so that what is learnt corrects it; and the machine's figures.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, section 4 and appendix: context and relation
    features. Touches are counted in cache lines here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from math import log2

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.machine import Machine
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.model import Account, NestModel
from polyloop.cursor.nest import PARALLEL, UNROLLED, VECTOR
from polyloop.models.chains import Chain, chains
from polyloop.schedules.tree import ScheduleTree

Vector = NDArray[np.float32]

DEPTH = 6
"""Innermost loops that have context features of their own."""
THRESHOLDS = tuple(2.0 * k for k in range(10))
"""Of relation features: log2 of lines touched, up to 2^18."""

_CONTEXT = (
    *("trip", "outside", "inside", "vector", "unrolled", "parallel", "reduced", "tail"),
    *("result_stride", "least_stride", "largest_stride", "still", "touched"),
)
_GLOBAL = (
    *("cycles", "computing", "fetching", "others", "chains", "points", "instructions", "bytes", "reads", "depth"),
    *("missed1", "missed2", "missed3", "fill1", "fill2", "fill3"),
    *("body_results", "body_chain", "body_work", "registers", "lanes_used", "vector_reduced", "carried", "tails"),
    *("unit_reads", "still_reads", "far_reads", "vector_result", "has_vector", "inside_vector", "whole_vectors"),
    *("planned", "vectors_share", "others_depth"),
)
_MACHINE = (
    *("lanes", "vector_registers", "carried_registers", "latency", "multiply_adds", "loads", "stores", "gigahertz"),
    *("l1", "l2", "l3", "l2_line", "l3_line", "memory_line"),
)
_RELATIONS = tuple(
    f"{what}_of_{whom}_{limit:g}"
    for limit in THRESHOLDS
    for what in ("reuse", "outside")
    for whom in ("result", "reads")
)
NAMES: tuple[str, ...] = (
    *_GLOBAL,
    *_MACHINE,
    *(f"{name}_{k}" for k in range(DEPTH) for name in _CONTEXT),
    *_RELATIONS,
)
"""Of all figures, in their order."""

VERSION = 1
"""Of what the figures mean: weights are for one version."""


def program_features(problem: Problem, program: Program, model: NestModel) -> tuple[list[float], float]:
    """Of what stands under a cursor; see `features`."""
    planned = not isinstance(program, ScheduleTree) or program.has_kinds
    return features(chains(problem, program, model.target), model, planned)


def features(every: Sequence[Chain], model: NestModel, planned: bool = True) -> tuple[list[float], float]:
    """The figures of `NAMES`, and the analytic model's seconds.

    Args:
        every: chain of the program, one at least.
        planned: vectors and register tiles are planned; else they are left to a compiler's vectoriser.
    """
    accounts = [model.account(pattern, loops) for pattern, loops in every]
    total = max(1.0, sum(account.cycles for account in accounts))
    at = max(range(len(every)), key=lambda k: accounts[k].cycles)
    chain, account = every[at], accounts[at]
    points = 1.0
    for trip in account.trips:
        points *= trip
    row = _global(chain, account, model.machine, max(points, 1.0))
    row[3], row[4] = log2(total / max(account.cycles, 1e-9)), float(len(every))
    vectors = sum(a.cycles for a in accounts if any(loop.kind == VECTOR for loop in a.loops))
    row += [float(planned), vectors / total, float(max(len(each.loops) for each in every))]
    row += _figures(model.machine, 8 * chain.pattern.result.bytes)
    loops = _loops(chain, account, points)
    for k in range(DEPTH):
        row += loops[k][0] if k < len(loops) else _NOTHING
    row += _relations(loops)
    return row, model.in_seconds(total)


def matrix(rows: Sequence[Sequence[float]]) -> Vector:
    """Rows of figures as the trees take them."""
    return np.array(rows, np.float32).reshape(len(rows), len(NAMES))


_NOTHING = [-1.0] * len(_CONTEXT)


def _log(value: float) -> float:
    return log2(value) if value > 2**-20 else -20.0


def _global(chain: Chain, account: Account, machine: Machine, points: float) -> list[float]:
    pattern, loops, trips, body = chain.pattern, account.loops, account.trips, account.body
    lanes = machine.vector_bits / (8 * pattern.result.bytes)
    results = chained = work = used = 1.0
    for at, size in body.sizes.items():
        work *= size
        if body.loops[at].variable in pattern.reduced:
            chained *= size
        else:
            results *= size
    vector = next((k for k, loop in enumerate(loops) if loop.kind == VECTOR), None)
    strides = [0] * len(pattern.reads)
    written = next((k for k, loop in enumerate(chain.loops) if loop.kind == VECTOR), None)
    inside = 1.0
    if vector is not None and written is not None:
        for loop in chain.loops[written + 1 :]:
            inside *= loop.size
        whole = trips[vector] / lanes
        used = whole / max(1.0, float(-(-trips[vector] // lanes)))
        strides = [abs(read.by_variable.get(loops[vector].variable, 0)) for read in pattern.reads]
    carried = 1.0
    for loop, trip in zip(reversed(loops[: body.start]), reversed(trips[: body.start]), strict=True):
        if loop.variable not in pattern.reduced:
            break
        carried *= trip
    line = machine.line
    fills = [_log(sum(each[0] for each in account.lines) * line / level.size) for level in machine.caches]
    along = pattern.result.by_variable.get(body.along, 0)
    return [
        _log(account.cycles / points),
        _log(account.computing / points),
        _log(account.fetching / points),
        0.0,
        0.0,
        _log(points),
        float(pattern.instructions),
        float(pattern.result.bytes),
        float(len(pattern.reads)),
        float(len(loops)),
        *(_log(missed / points) for missed in account.missed),
        *fills,
        _log(results),
        _log(chained),
        _log(work),
        results / machine.carried_registers,
        used,
        float(body.along in pattern.reduced),
        _log(carried),
        float(sum(loop.tail > 0 for loop in loops)),
        float(sum(s == 1 for s in strides)),
        float(sum(s == 0 for s in strides)),
        float(sum(s > 1 for s in strides)),
        _log(abs(along) + 1.0),
        float(vector is not None),
        _log(inside),
        float(used == 1.0),
    ]


@cache
def _figures(machine: Machine, bits: int) -> list[float]:
    levels = machine.levels
    return [
        machine.vector_bits / bits,
        float(machine.vector_registers),
        float(machine.carried_registers),
        machine.chain_latency,
        machine.multiply_add.per_cycle,
        machine.load.per_cycle,
        machine.store.per_cycle,
        machine.gigahertz,
        *(log2(level.size) for level in machine.caches),
        *(level.line_cycles for level in levels[1:]),
    ]


def _loops(chain: Chain, account: Account, points: float) -> list[tuple[list[float], float, list[float]]]:
    """Of every loop of more than one iteration, the innermost first: its context features, log2 of the iterations
    around it, and log2 of the lines of every read and of the result that it and what stands inside touch."""
    pattern, loops, trips, lines = chain.pattern, account.loops, account.trips, account.lines
    found: list[tuple[list[float], float, list[float]]] = []
    inside, reads, result = 1.0, [r.by_variable for r in pattern.reads], pattern.result.by_variable
    blocks: dict[str, float] = {}
    for k in range(len(loops) - 1, -1, -1):
        variable, _, tail, kind = loops[k]
        trip = trips[k]
        step = blocks.get(variable, 1.0)
        blocks[variable] = step * max(1, loops[k].size)
        if trip <= 1.0:
            continue
        outside = _log(points / (inside * trip))
        touched = [_log(max(1.0, each[k])) for each in lines]
        strides = [_log(abs(read.get(variable, 0)) * step + 1.0) for read in reads] or [0.0]
        stays = sum(not s for s in strides)
        context = [
            log2(trip),
            outside,
            _log(inside),
            float(kind == VECTOR),
            float(kind == UNROLLED),
            float(kind == PARALLEL),
            float(variable in pattern.reduced),
            float(tail) / (tail + loops[k].size * step) if tail else 0.0,
            _log(abs(result.get(variable, 0)) * step + 1.0),
            min(strides),
            max(strides),
            float(stays),
            sum(touched),
        ]
        inside *= trip
        found.append((context, outside, [_log(inside) - each for each in touched] + touched))
    return found


def _relations(loops: Sequence[tuple[list[float], float, list[float]]]) -> list[float]:
    """For every threshold of lines touched, the largest reuse and the largest number of iterations outside of the loops
    below it; of the result, and of the read that has most."""
    if not loops:
        return [-1.0] * len(_RELATIONS)
    count, limits = len(loops[0][2]) // 2, len(THRESHOLDS)
    table = [[-1.0] * limits for _ in range(4)]
    for _, around, figures in loops:
        for buffer in range(count):
            at = max(0, int(0.5 * figures[count + buffer] + 0.75))  # the first threshold that lies above
            if at < limits:
                whom = 0 if buffer == count - 1 else 1
                table[whom][at] = max(table[whom][at], figures[buffer])
                table[2 + whom][at] = max(table[2 + whom][at], around)
    return [value for at in zip(*(accumulate(column, max) for column in table), strict=True) for value in at]
