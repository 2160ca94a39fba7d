"""What a nest costs, from strides, caches, SIMD and ports: deterministic, the same everywhere, nothing is run.

The innermost loops are a body of vector operations (`polyloop.cursor.shapes`). It costs the largest of its
multiply-adds and loads at two a cycle, its stores at one, and the latency of the sums that are carried from one body to
the next. What does not stay in a cache is fetched line by line: an access is fetched again by every loop outside the
innermost ones whose data fit together, save that directly outside which does not move it.

The machine is a fixed one, a core with 512-bit vectors, so that rewards do not depend on where they are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Protocol

from polyloop.backend.target import Target
from polyloop.cursor.contraction import Contraction, Footprint
from polyloop.cursor.nest import SEQUENTIAL, VECTOR, Loops, Nest
from polyloop.cursor.shapes import SPARE_REGISTERS, shaped

REFERENCE = Target("x86_64-unknown-linux-gnu", "x86-64-v4", "", 512, 32, 48 * 1024, 1 << 20, 32 << 20)
GIGAHERTZ = 4.0
LATENCY = 4.0
"""Cycles from one multiply-add to the next that needs its result."""

_REGISTERS = REFERENCE.vector_registers - SPARE_REGISTERS

LINE = 64
COST = (1.3, 8.0, 15.0)
"""Cycles for a line from the second cache, the third, and memory."""

KEPT = 1.08
"""Data of so many times a cache's size mostly stay in it: real caches do not replace what was used least recently."""

ENTER = 4.0
"""Cycles to enter and leave the innermost loop around the body."""

STORE = 1.4
"""Cycles for a store of a result that is not kept in registers."""

OVERLAP = 0.1
"""How much of the time of the shorter of both, computing and fetching lines, is not hidden behind the other."""


def model_seconds(problem: Contraction, nest: Nest) -> float:
    """Seconds of one run."""
    return cycles(problem, shaped(problem, nest, REFERENCE).compute) / (GIGAHERTZ * 1e9)


def model_peak(problem: Contraction) -> float:
    """10^9 operations a second that the modelled core reaches at best."""
    bits = 8 * problem.result.bytes
    return GIGAHERTZ * 2 * 2 * REFERENCE.vector_bits / bits


class Pattern(Protocol):
    """What the model looks at: a statement's loops and accesses, as of `Contraction`."""

    @property
    def extents(self) -> tuple[tuple[str, int], ...]: ...
    @property
    def reduced(self) -> frozenset[str]: ...
    @property
    def reads(self) -> tuple[Footprint, ...]: ...
    @property
    def result(self) -> Footprint: ...


@dataclass(frozen=True)
class _Body:
    """The tile of unrolled and vector loops, in vector operations.

    Attributes:
        start: its outermost loop.
        work: multiply-adds; `results`: different ones; `chain`: how many of them wait for one another.
        loads: of inputs.
    """

    start: int
    work: float
    results: float
    chain: float
    loads: float


@lru_cache(maxsize=1 << 16)
def cycles(problem: Pattern, loops: Loops) -> float:
    """Cycles of one run of a statement inside its loops."""
    loops, trips = _vector_inside(problem, loops, _trips(problem, loops))
    body = _body(problem, loops, trips)
    times = 1.0
    for trip in trips[: body.start]:
        times *= trip
    carried, at = 1.0, body.start
    while body.results <= _REGISTERS and at and loops[at - 1].variable in problem.reduced:
        at -= 1
        carried *= trips[at]
    stored = body.results / carried
    ports = max(body.work / 2, (body.loads + stored) / 2, STORE * stored)
    latency = LATENCY * body.chain if carried > 1 or body.chain > 1 else 0.0
    inner = trips[body.start - 1] if body.start else 1.0
    computing = times * max(ports, latency) + times / max(inner, 1.0) * ENTER
    fetching = _memory(problem, loops, trips)
    return max(computing, fetching) + OVERLAP * min(computing, fetching)


def _trips(problem: Pattern, loops: Loops) -> list[float]:
    """Iterations of every loop; with a tail the mean over what the loops outside leave of it."""
    left: dict[str, float] = {name: float(extent) for name, extent in problem.extents}
    inside: dict[str, int] = {}
    sizes: list[int] = []
    for loop in reversed(loops):
        sizes.append(inside.get(loop.variable, 1))
        inside[loop.variable] = sizes[-1] * loop.size
    trips = []
    for loop, elements in zip(loops, reversed(sizes), strict=True):
        blocks = left[loop.variable] / elements if loop.tail else float(loop.size)
        trips.append(blocks)
        left[loop.variable] = float(elements)
    return trips


def _vector_inside(problem: Pattern, loops: Loops, trips: list[float]) -> tuple[Loops, list[float]]:
    """Around loops that stay loops a vector loop runs them vector by vector: its lanes are what is innermost."""
    at = next((k for k, loop in enumerate(loops) if loop.kind == VECTOR), None)
    if at is None or all(loop.kind != SEQUENTIAL for loop in loops[at:]):
        return loops, trips
    lanes = min(trips[at], float(REFERENCE.vector_bits // (8 * problem.result.bytes)))
    blocks = loops[at]._replace(kind=SEQUENTIAL)
    return (*loops[:at], blocks, *loops[at + 1 :], loops[at]), [
        *trips[:at],
        trips[at] / lanes,
        *trips[at + 1 :],
        lanes,
    ]


def _body(problem: Pattern, loops: Loops, trips: list[float]) -> _Body:
    start = len(loops)
    while start and loops[start - 1].kind not in (SEQUENTIAL,):
        start -= 1
    lanes = float(REFERENCE.vector_bits // (8 * problem.result.bytes))
    vector = next((k for k in range(start, len(loops)) if loops[k].kind == VECTOR), -1)
    sizes = {k: -(-trips[k] // lanes) if k == vector else trips[k] for k in range(start, len(loops))}
    work = results = chain = 1.0
    for k, size in sizes.items():
        work *= size
        if loops[k].variable in problem.reduced:
            chain *= size
        else:
            results *= size
    # A short loop with a tail around the vectors falls apart into full and partial ones, all of them in registers.
    while start and loops[start - 1].tail and results * ceil(trips[start - 1]) <= _REGISTERS:
        start -= 1
        if loops[start].variable in problem.reduced or vector < 0:
            start += 1
            break
        results, work, sizes[start] = results * trips[start], work * trips[start], trips[start]
    along = loops[vector].variable if vector >= 0 else ""
    if along in problem.reduced:
        # A vector sum is added up across its lanes in the end.
        chain += 6.0
    loads = sum(_loads(read, loops, sizes, along, lanes) for read in problem.reads)
    return _Body(start, work, results, chain, loads)


def _loads(read: Footprint, loops: Loops, sizes: dict[int, float], along: str, lanes: float) -> float:
    """Vector loads and broadcasts; an element at a time where the vector's lanes are apart."""
    loads = 1.0
    for k, size in sizes.items():
        if loops[k].variable in read.by_variable:
            loads *= size
    return loads * lanes if along and read.by_variable.get(along, 0) > 1 else loads


def _memory(problem: Pattern, loops: Loops, trips: list[float]) -> float:
    """Cycles of the lines that the caches do not keep."""
    vector = next((k for k in range(len(loops) - 1) if loops[k].kind == VECTOR), None)
    if vector is not None:
        # Its lanes run at once, whatever stands inside.
        loops = (*loops[:vector], *loops[vector + 1 :], loops[vector])
        trips = [*trips[:vector], *trips[vector + 1 :], trips[vector]]
    accesses = (*problem.reads, problem.result)
    lines = [_lines(access, loops, trips) for access in accesses]
    total = 0.0
    capacities = (REFERENCE.l1_bytes, REFERENCE.l2_bytes, REFERENCE.l3_bytes)
    for capacity, cost in zip(capacities, COST, strict=True):
        room = KEPT * capacity / LINE
        fits = next((d for d in range(len(loops)) if sum(each[d] for each in lines) <= room), len(loops))
        if fits == 0:
            # Everything stays: fetched once, which caches further away pay for, too.
            total += 0.25 * cost * sum(each[0] for each in lines)
            break
        for each in lines:
            # What one iteration of the loop directly outside leaves in the cache serves the next one.
            fetched = each[fits - 1]
            for trip in trips[: fits - 1]:
                fetched *= trip
            total += cost * fetched
    return total


def _lines(access: Footprint, loops: Loops, trips: list[float]) -> list[float]:
    """Lines touched by the loops from d on, for every d."""
    spans: dict[str, float] = {}
    result = [1.0]
    for loop, trip in zip(reversed(loops), reversed(trips), strict=True):
        if loop.variable in access.by_variable:
            spans[loop.variable] = spans.get(loop.variable, 1.0) * trip
            elements = contiguous = 1.0
            for name, span in spans.items():
                elements *= span
                if access.by_variable[name] == 1:
                    contiguous = span
            per_line = min(contiguous, LINE / access.bytes)
            result.append(elements / per_line)
        else:
            result.append(result[-1])
    return result[::-1]
