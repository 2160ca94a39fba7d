"""What learned models see of a program: a fixed number of figures for each chain of loops, whatever its loops.

Of a chain, the loops around one statement: context features of its innermost loops (length, kind, products of the
lengths outside and inside, lines touched, strides); the analytic model's cycles and what they come from, so that what
is learnt corrects it; what each part of the core would take alone; and the machine's figures.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, section 4 and appendix: context features, with
    touches counted in cache lines here. The relation features of the same say nothing beside the analytic model's
    lines: without them trees err as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from math import gcd, log2, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.machine import Cache, Machine
from polyloop.backend.planning.lanes import FEWEST_TURNED, most_spread
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Footprint, Pattern
from polyloop.cursor.model import Account, Body, NestModel, is_column, lines_of, standing
from polyloop.cursor.nest import PARALLEL, UNROLLED, VECTOR, inner_elements
from polyloop.models.chains import Chain, chains
from polyloop.schedules.tree import ScheduleTree

Vector = NDArray[np.float32]

DEPTH = 6
"""Innermost loops that have context features of their own."""

CONTEXT = (
    *("trip", "outside", "inside", "vector", "unrolled", "parallel", "reduced", "tail"),
    *("result_stride", "least_stride", "largest_stride", "still", "touched"),
)
"""Features of a loop."""
_GLOBAL = (
    *("cycles", "computing", "fetching", "others", "chains", "points", "instructions", "bytes", "reads", "depth"),
    *("missed1", "missed2", "missed3", "fill1", "fill2", "fill3"),
    *("body_results", "body_chain", "body_work", "registers", "lanes_used", "vector_reduced", "carried", "tails"),
    *("unit_reads", "still_reads", "far_reads", "vector_result", "has_vector", "inside_vector", "whole_vectors"),
    *("planned", "vectors_share", "others_depth"),
    *("shared", "within", "together", "together_vectors", "handed_on"),
)
_BOUNDS = (
    *("of_computing", "of_neighbours", "of_broadcasts", "of_gathers", "of_stores", "of_sums", "of_reloads"),
    *("of_overlaps", "of_split_reads", "of_split_results"),
    *("of_entering", "of_lines1", "of_lines2", "of_lines3", "of_pages", "of_far_pages"),
    *("reload", "body_points", "rest", "inner_trip", "own_reads", "most_tail", "stored", "masked", "next_row"),
)
"""Cycles that each part of the core would take alone, over those that the model says; and what they come from."""
_WORK = (
    *("share", "updates", "choices", "recurs", "streams"),
    *("stored1", "stored2", "stored3", "of_stored1", "of_stored2", "of_stored3"),
    *("whole1", "whole2", "whole3", "arrays", "written"),
)
"""What a statement does beside its accesses, lines of results that caches fetch, and the data of the whole program."""
_MOVED = (
    *("moved_neighbours", "moved_broadcasts", "moved_gathers", "standing", "turned", "vectors", "stays"),
    *("result_step", "result_steps", "read_step", "read_steps", "seconds", "own_seconds", "operations"),
)
"""Loads that the loop around a body does not share, by the same; vectors that stand still in it, and that it takes by
rows; how far apart the lines of one array lie, as what they have in common with the sets of caches; and how long all of
it takes."""
_JUMPS = (
    *("of_jumps1", "of_jumps2", "of_jumps3", "of_stored_jumps1", "of_stored_jumps2", "of_stored_jumps3"),
    *("result_streams", "read_streams", "result_crowd1", "result_crowd2", "read_crowd1", "read_crowd2"),
)
"""What lines cost that no prefetcher foresees, how many are walked at once, and how they crowd in sets of caches."""
_MACHINE = (
    *("lanes", "vector_registers", "carried_registers", "latency", "multiply_adds", "loads", "stores", "gigahertz"),
    *("l1", "l2", "l3", "l2_line", "l3_line", "memory_line"),
)
NAMES: tuple[str, ...] = (
    *_GLOBAL,
    *_MACHINE,
    *(f"{name}_{k}" for k in range(DEPTH) for name in CONTEXT),
    *_BOUNDS,
    *_WORK,
    *_MOVED,
    *_JUMPS,
)
"""Of all figures, in their order."""

_FORWARDED = 16.0
"""Cycles until what was stored can be loaded, about."""

_FAR = 1024.0
"""Vectors from one row of results to the next where there is no next one."""

_PAGE, _TRANSLATIONS = 4096, (64.0, 1024.0)
"""Bytes of a page, and how many pages' addresses a core has at hand, and at second hand, about."""

_STREAMS = 16.0
"""Lines that are walked at once of which the next ones are still fetched ahead, about."""

VERSION = 6
"""Of what the figures mean: weights are for one version."""


class Figures(NamedTuple):
    """What models see of a program: the figures of `NAMES` and the analytic model's seconds, of each of its chains."""

    rows: Vector
    seconds: tuple[float, ...]


def program_features(problem: Problem, program: Program, model: NestModel) -> Figures:
    """Of what stands under a cursor; see `features`."""
    planned = not isinstance(program, ScheduleTree) or program.has_kinds
    return features(chains(problem, program, model.target), model, planned)


def features(every: Sequence[Chain], model: NestModel, planned: bool = True) -> Figures:
    """Of a program.

    Args:
        every: chain of the program, one at least.
        planned: vectors and register tiles are planned; else they are left to a compiler's vectoriser.
    """
    accounts = [model.account(each.pattern, each.loops, shares=True) for each in every]
    total = max(1.0, sum(account.cycles for account in accounts))
    vectors = sum(a.cycles for a in accounts if any(loop.kind == VECTOR for loop in a.loops))
    whole = [float(planned), vectors / total, float(max(len(each.loops) for each in every))]
    data = _data(every, accounts, model.machine)
    rows = []
    for number, (chain, account) in enumerate(zip(every, accounts, strict=True)):
        points = prod(account.trips, start=1.0)
        others = log2(total / max(account.cycles, 1e-9))
        row = _global(chain, account, model.machine, max(points, 1.0), others, len(every))
        loops = _loops(chain, account, points)
        row += whole + _company(every, number) + _figures(model.machine, 8 * chain.pattern.result.bytes)
        for k in range(DEPTH):
            row += loops[k] if k < len(loops) else _NOTHING
        row += _bounds(chain, account, model.machine, max(points, 1.0))
        row += _work(chain, account, model.machine, max(points, 1.0)) + data
        row += _moved(chain, account, model.machine, max(points, 1.0))
        row += [_log(model.in_seconds(total) * 1e9), _log(model.in_seconds(account.cycles) * 1e9)]
        row.append(float(chain.work.operations))
        row += _jumps(chain, account, model.machine)
        rows.append(row)
    least = 1.0 / len(every)
    return Figures(matrix(rows), tuple(model.in_seconds(max(least, account.cycles)) for account in accounts))


@dataclass(frozen=True, eq=False)
class Table:
    """Figures of several programs, one row for each chain: what a program takes is the sum of what its chains take.

    Attributes:
        rows: features, the chains of the first program first.
        seconds: the analytic model's, of each chain.
        owners: of every row, the number of its program.
        count: programs.
    """

    rows: Vector
    seconds: NDArray[np.float64]
    owners: NDArray[np.int64]
    count: int

    @staticmethod
    def of(figures: Sequence[Figures]) -> Table:
        rows = np.concatenate([matrix(()), *(each.rows for each in figures)])
        seconds = np.array([value for each in figures for value in each.seconds], np.float64)
        owners = np.repeat(np.arange(len(figures)), [len(each.rows) for each in figures])
        return Table(rows, seconds, owners, len(figures))

    def some(self, at: NDArray[Any]) -> Table:
        """The programs of some numbers, in that order."""
        bounds = np.searchsorted(self.owners, np.arange(self.count + 1))
        found = [np.arange(bounds[k], bounds[k + 1]) for k in at]
        chosen = np.concatenate([*found, np.arange(0)]).astype(np.int64)
        owners = np.repeat(np.arange(len(found)), [len(each) for each in found])
        return Table(self.rows[chosen], self.seconds[chosen], owners, len(found))

    def times(self, scores: NDArray[np.float64]) -> Table:
        """With each chain's seconds 2^score times as many."""
        return Table(self.rows, self.seconds * np.exp2(scores), self.owners, self.count)

    @property
    def logs(self) -> NDArray[np.float64]:
        """log2 of the seconds of each program."""
        return np.log2(np.bincount(self.owners, self.seconds, self.count))


def matrix(rows: Sequence[Sequence[float]]) -> Vector:
    """Rows of figures as the trees take them."""
    return np.array(rows, np.float32).reshape(len(rows), len(NAMES))


_NOTHING = [-1.0] * len(CONTEXT)


def _log(value: float) -> float:
    return log2(value) if value > 2**-20 else -20.0


def _global(chain: Chain, account: Account, machine: Machine, points: float, others: float, count: int) -> list[float]:
    """Of a whole chain, the first four lines of `_GLOBAL`.

    Args:
        others: log2 of what all `count` chains take, over what this one does.
    """
    pattern = chain.pattern
    touched = sum(each[0] for each in account.lines) * machine.line
    used = _lanes_used(chain, account, machine)
    return [
        _log(account.cycles / points),
        _log(account.computing / points),
        _log(account.fetching / points),
        others,
        float(count),
        _log(points),
        float(pattern.instructions),
        float(pattern.result.bytes),
        float(len(pattern.reads)),
        float(len(account.loops)),
        *(_log(missed / points) for missed in account.missed),
        *(_log(touched / level.size) for level in machine.caches),
        *_body(pattern, account, machine, used),
        *_lanes(chain, account, used),
    ]


def _lanes_used(chain: Chain, account: Account, machine: Machine) -> float:
    """The share of all lanes that have something to do; 1 without vectors."""
    at = _vector(account)
    if at is None or all(loop.kind != VECTOR for loop in chain.loops):
        return 1.0
    trip = account.trips[at]
    lanes = machine.vector_bits / (8 * chain.pattern.result.bytes)
    return trip / lanes / max(1.0, float(-(-trip // lanes)))


def _body(pattern: Pattern, account: Account, machine: Machine, used: float) -> list[float]:
    """Results, sums and work of a body, whether they fit into registers, and what stands around it."""
    body, loops = account.body, account.loops
    sizes = [(body.loops[at].variable in pattern.reduced, size) for at, size in body.sizes.items()]
    results = prod((size for reduced, size in sizes if not reduced), start=1.0)
    chained = prod((size for reduced, size in sizes if reduced), start=1.0)
    around = zip(reversed(loops[: body.start]), reversed(account.trips[: body.start]), strict=True)
    summed = takewhile(lambda each: each[0].variable in pattern.reduced, around)
    return [
        _log(results),
        _log(chained),
        _log(prod(body.sizes.values(), start=1.0)),
        results / machine.carried_registers,
        used,
        float(body.along in pattern.reduced),
        _log(prod((trip for _, trip in summed), start=1.0)),
        float(sum(loop.tail > 0 for loop in loops)),
    ]


def _lanes(chain: Chain, account: Account, used: float) -> list[float]:
    """How reads and the result move along the vector, and what stands inside it."""
    pattern, at = chain.pattern, _vector(account)
    written = next((k for k, loop in enumerate(chain.loops) if loop.kind == VECTOR), None)
    strides, inside = [0] * len(pattern.reads), 1.0
    if at is not None and written is not None:
        strides = [abs(read.by_variable.get(account.loops[at].variable, 0)) for read in pattern.reads]
        inside = prod((loop.size for loop in chain.loops[written + 1 :]), start=1.0)
    return [
        float(sum(s == 1 for s in strides)),
        float(sum(s == 0 for s in strides)),
        float(sum(s > 1 for s in strides)),
        _log(abs(pattern.result.by_variable.get(account.body.along, 0)) + 1.0),
        float(at is not None),
        _log(inside),
        float(used == 1.0),
    ]


def _vector(account: Account) -> int | None:
    """The number of the loop that runs in lanes."""
    return next((k for k, loop in enumerate(account.loops) if loop.kind == VECTOR), None)


def _company(every: Sequence[Chain], number: int) -> list[float]:
    """What a chain has to do with the others: the most loops that it shares with one, log2 of its iterations inside of
    these, how many others stand in its innermost loop, how many of them in lanes, and how many of its reads are of what
    one that shares loops with it writes."""
    chain, most, handed = every[number], 0, 0
    together = lanes = 0
    for other, each in enumerate(every):
        between = [every[k].shared for k in range(min(other, number) + 1, max(other, number) + 1)]
        if other == number or not (shared := min(between)):
            continue
        most = max(most, shared)
        handed += sum(read.array == each.pattern.result.array for read in chain.pattern.reads)
        if shared >= len(chain.loops) and shared >= len(each.loops):
            together, lanes = together + 1, lanes + any(loop.kind == VECTOR for loop in each.loops)
    inside = prod((float(loop.size) for loop in chain.loops[most:]), start=1.0)
    return [float(most), _log(inside) if most else -1.0, float(together), float(lanes), float(handed)]


def _bounds(chain: Chain, account: Account, machine: Machine, points: float) -> list[float]:
    """What a body of vector operations waits for, each as if there were nothing else.

    Results that no loop around the body keeps in registers are stored by one body and loaded by another: how many are
    between them is how long the store may take, and rows that are no whole vectors lie in one another's way.
    """
    pattern, loops, trips, body = chain.pattern, account.loops, account.trips, account.body
    lanes = machine.vector_bits / (8 * pattern.result.bytes)
    work = prod(body.sizes.values(), start=1.0)
    chained = prod((size for k, size in body.sizes.items() if body.loops[k].variable in pattern.reduced), start=1.0)
    elements = prod(trips[body.start :], start=1.0)
    carried, between = _carried(pattern, account)
    stored = work / chained / carried
    inner = trips[body.start - 1] if body.start else 1.0
    vector = _vector(account)
    rest = 0.0 if vector is None else trips[vector] % lanes / lanes
    bounds = (
        work * pattern.instructions / machine.multiply_add.per_cycle,
        *(each / machine.load.per_cycle for each in _loads(pattern, body, lanes)),
        stored / machine.store.per_cycle,
        machine.chain_latency * chained if carried > 1.0 or chained > 1.0 else 0.0,
        _FORWARDED / between if between else 0.0,
        _FORWARDED * _overlaps(pattern, account, machine, carried) / carried,
        *_split_lines(pattern, account, machine, stored),
        1.0 / max(inner, 1.0),
        *(each / points * elements for each in _fetches(account.missed, machine)),
        *(each / points * elements for each in _turned_pages(pattern, account, machine)),
    )
    cycles = account.cycles / points * elements
    return [
        *(_log(bound / cycles) for bound in bounds),
        _log(between) if between else -1.0,
        _log(elements),
        rest,
        _log(inner),
        float(sum(read.array == pattern.result.array for read in pattern.reads)),
        max((loop.tail / (loop.tail + loop.size) for loop in loops if loop.tail), default=0.0),
        _log(stored / work),
        float(rest > 0.0 or any(loop.tail for loop in loops if loop.variable == body.along)),
        _log(_next_row(pattern, account, vector, _FAR * lanes) / lanes),
    ]


def _work(chain: Chain, account: Account, machine: Machine, points: float) -> list[float]:
    """Of the statement, and of its results' lines."""
    work, inside, recurs = chain.work, 1.0, -1.0
    for loop, trip in zip(reversed(account.loops), reversed(account.trips), strict=True):
        if loop.variable in work.carried and trip > 1.0:
            recurs = _log(inside)
            break
        inside *= trip
    stored = _fetches(account.stored, machine)
    return [
        log2(work.share),
        float(work.updates),
        float(work.choices),
        recurs,
        float(len({(read.array, read.strides) for read in chain.pattern.reads})),
        *(_log(lines / points) for lines in account.stored),
        *(_log(cycles / account.cycles) for cycles in stored),
    ]


def _data(every: Sequence[Chain], accounts: Sequence[Account], machine: Machine) -> list[float]:
    """Of all chains together: their data over each cache, how many arrays, and the share that is written."""
    lines, written = dict[str, float](), set[str]()
    for chain, account in zip(every, accounts, strict=True):
        accesses = (*chain.pattern.reads, chain.pattern.result)
        for access, touched in zip(accesses, account.lines, strict=True):
            lines[access.array] = max(lines.get(access.array, 0.0), touched[0])
        written.add(chain.pattern.result.array)
    whole, stored = sum(lines.values()), sum(lines[name] for name in written)
    return [
        *(_log(whole * machine.line / level.size) for level in machine.caches),
        float(len(lines)),
        _log(stored / whole),
    ]


def _loads(pattern: Pattern, body: Body, lanes: float) -> list[float]:
    """Of a body: vectors of neighbours, single elements for all lanes, and elements that are gathered. Elements that
    lie a little apart come out of whole vectors, columns of blocks out of rows."""
    loads = [0.0, 0.0, 0.0]
    for read in pattern.reads:
        kind, count = _loaded(read, body, lanes)
        loads[kind] += count
    return loads


def _loaded(read: Footprint, body: Body, lanes: float) -> tuple[int, float]:
    """Of a read in a body: which of the three it is, and how many."""
    once = prod((n for at, n in body.sizes.items() if body.loops[at].variable in read.by_variable), start=1.0)
    stride = abs(read.by_variable.get(body.along, 0))
    if stride == 0:
        return 1, once
    if stride <= most_spread(min(lanes, FEWEST_TURNED)):
        return 0, once * stride
    return (0, once) if is_column(read, body, lanes) else (2, once * lanes)


def _moved(chain: Chain, account: Account, machine: Machine, points: float) -> list[float]:
    """The first lines of `_MOVED`. What does not move with the loops directly around a body is loaded once for all
    their iterations; columns of which the loop around takes the next ones are loaded by rows."""
    pattern, loops, trips, body = chain.pattern, account.loops, account.trips, account.body
    lanes = machine.vector_bits / (8 * pattern.result.bytes)
    around, moved, still, turned = body.start - 1, [0.0, 0.0, 0.0], 0.0, 0.0
    vectors = prod((n for at, n in body.sizes.items() if body.loops[at].variable == body.along), start=1.0)
    for read in pattern.reads:
        kind, count = _loaded(read, body, lanes)
        shared = standing(read, loops, trips, body.start)
        still += count if shared > 1.0 else 0.0
        neighbours = around >= 0 and read.by_variable.get(loops[around].variable) == 1
        if kind == 2 and neighbours and 2 * trips[around] >= lanes >= FEWEST_TURNED:
            turned += count / lanes
            kind, count = 0, count / lanes
        moved[kind] += count / shared
    per_cycle = account.cycles / points * prod(trips[body.start :], start=1.0) * machine.load.per_cycle
    stays = around >= 0 and loops[around].variable not in pattern.result.by_variable
    steps = [_step(access, account, machine.line) for access in (pattern.result, *pattern.reads)]
    return [
        *(_log(each / per_cycle) for each in moved),
        _log(still + 1.0),
        _log(turned + 1.0),
        _log(vectors),
        float(stays),
        *steps[0],
        *max(steps[1:], default=(0.0, 0.0)),
    ]


def _walk(access: Footprint, account: Account, line: int) -> tuple[int, float]:
    """Of the innermost loop that goes from line to line of an access: the bytes of a step, and its iterations; zeros
    where there is none."""
    for loop, trip, elements in zip(
        reversed(account.loops), reversed(account.trips), reversed(inner_elements(account.loops)), strict=True
    ):
        step = abs(access.by_variable.get(loop.variable, 0)) * elements * access.bytes
        if step >= line and trip > 1.0:
            return step, trip
    return 0, 1.0


def _step(access: Footprint, account: Account, line: int) -> tuple[float, float]:
    """Of the loop of `_walk`: log2 of the largest power of two that divides the bytes of a step, and of its
    iterations."""
    step, trip = _walk(access, account, line)
    return (log2(min(step & -step, 1 << 16)), log2(trip)) if step else (0.0, 0.0)


def _jumps(chain: Chain, account: Account, machine: Machine) -> list[float]:
    """Cycles of a run for lines that no prefetcher foresees, as if each was waited for, by the cache that misses them;
    those of the result; how many lines an access walks at once; and how far those of `_walk` overfill the sets that
    they fall into, of the first two caches."""
    pattern, levels = chain.pattern, machine.levels
    every, stored = ([0.0] * len(machine.caches) for _ in range(2))
    streams, crowds = list[float](), list[list[float]]()
    for access, fetched in zip((*pattern.reads, pattern.result), account.fetched, strict=True):
        streams.append(_streams(access, account, machine.line))
        for level, lines in enumerate(fetched if streams[-1] > _STREAMS else ()):
            cycles = lines * levels[level + 1].latency
            every[level] += cycles
            stored[level] += cycles if access is pattern.result else 0.0
        step, trip = _walk(access, account, machine.line)
        crowds.append([_log(trip / _places(step, cache, machine.line)) for cache in levels[:2]])
    return [
        *(_log(cycles / account.cycles) for cycles in (*every, *stored)),
        _log(streams[-1]),
        _log(max(streams[:-1], default=1.0)),
        *crowds[-1],
        *max(crowds[:-1], default=[-20.0, -20.0]),
    ]


def _streams(access: Footprint, account: Account, line: int) -> float:
    """Lines that an access comes to before it goes on in the first of them or in the one behind."""
    count, reached = 1.0, float(access.bytes)
    for loop, trip, elements in zip(
        reversed(account.loops), reversed(account.trips), reversed(inner_elements(account.loops)), strict=True
    ):
        step = abs(access.by_variable.get(loop.variable, 0)) * elements * access.bytes
        if step > max(line, reached):
            count *= trip
        elif step:
            reached = max(reached, step * trip)
            if reached > line:
                break
    return count


def _places(step: int, cache: Cache, line: int) -> float:
    """Lines of a cache that steps of so many bytes can be in."""
    sets = max(1, cache.way // line)
    return cache.ways * sets / (gcd(sets, step // line) if step and step % line == 0 else 1)


def _overlaps(pattern: Pattern, account: Account, machine: Machine, carried: float) -> float:
    """How often a body loads results of which a masked store just before covers a part: it stores the last elements of
    a row, and the vector that it takes for them reaches into the next row, which waits until the store is done."""
    loops, trips, body = account.loops, account.trips, account.body
    at = _vector(account)
    if at is None or abs(pattern.result.by_variable.get(loops[at].variable, 0)) != 1:
        return 0.0
    lanes = machine.vector_bits // (8 * pattern.result.bytes)
    extent = round(trips[at])
    rest = extent % lanes
    covered = extent - rest + (1 << (rest - 1).bit_length() if rest else 0)
    if not extent < _next_row(pattern, account, at, _FAR * lanes) + 0.5 < covered:
        return 0.0
    inside = {k: body.loops[k].variable for k in body.sizes}
    results = prod((body.sizes[k] for k, name in inside.items() if name not in pattern.reduced), start=1.0)
    if carried > 1.0 and results <= machine.carried_registers:
        return 1.0  # all are loaded before one is stored
    return results / prod((body.sizes[k] for k, name in inside.items() if name == body.along), start=1.0)


def _split_lines(pattern: Pattern, account: Account, machine: Machine, stored: float) -> list[float]:
    """Cycles of a body for the second lines of vectors that lie on two, of reads and of results."""
    body, bytes_ = account.body, pattern.result.bytes
    lanes = machine.vector_bits / (8 * bytes_)
    blocks = list(zip(account.loops, inner_elements(account.loops), strict=True))
    # How far vectors of one row lie apart: as wide as they are, and as the loops around them step.
    ahead = gcd(round(lanes), *(each for loop, each in blocks if loop.variable == body.along and loop.kind != VECTOR))
    split = [0.0, 0.0]
    for access in (*pattern.reads, pattern.result):
        if not body.along or abs(access.by_variable.get(body.along, 0)) != 1:
            continue
        steps = (abs(stride) * (ahead if name == body.along else 1) for name, stride in access.strides)
        apart = gcd(machine.line, *(step * access.bytes for step in steps))
        share = max(0.0, lanes * access.bytes - apart) / machine.line
        if access is pattern.result:
            split[1] += share * stored * (1.0 / machine.load.per_cycle + 1.0 / machine.store.per_cycle)
        else:
            sizes = (n for k, n in body.sizes.items() if body.loops[k].variable in access.by_variable)
            split[0] += share * prod(sizes, start=1.0) / machine.load.per_cycle
    return split


def _turned_pages(pattern: Pattern, account: Account, machine: Machine) -> list[float]:
    """Cycles of a run for pages whose addresses are not at hand any more, and not at second hand."""
    loops, trips, found = account.loops, account.trips, list[float]()
    pages = [lines_of(access, loops, trips, _PAGE) for access in (*pattern.reads, pattern.result)]
    for room in _TRANSLATIONS:
        fits = next((d for d in range(len(loops) + 1) if sum(each[d] for each in pages) <= room), len(loops))
        turned = sum(each[fits - 1] for each in pages) * prod(trips[: fits - 1], start=1.0) if fits else 0.0
        found.append(turned * machine.page_cycles)
    return found


def _carried(pattern: Pattern, account: Account) -> tuple[float, float]:
    """Bodies that add to the same results one after the other, and bodies until these results are added to again
    after that; 0 if they are not."""
    carried, between = 1.0, 1.0
    outside = list(zip(account.loops, account.trips, strict=True))[: account.body.start]
    while outside and (outside[-1][0].variable in pattern.reduced or outside[-1][1] <= 1.0):
        carried *= outside.pop()[1]
    while outside and (outside[-1][0].variable not in pattern.reduced or outside[-1][1] <= 1.0):
        between *= outside.pop()[1]
    return carried, between if outside else 0.0


def _fetches(lines: Sequence[float], machine: Machine) -> list[float]:
    """Cycles of a run for so many lines that each cache has to fetch from the next level."""
    nearer, found = 0.0, list[float]()
    for missed, beyond in zip(lines, machine.levels[1:], strict=True):
        found.append(missed * max(0.0, beyond.line_cycles - nearer))
        nearer = beyond.line_cycles
    return found


def _next_row(pattern: Pattern, account: Account, vector: int | None, far: float) -> float:
    """Elements from a vector of results to that of the next iteration; `far` where there is none."""
    steps = pattern.result.by_variable
    every = list(zip(account.loops, account.trips, inner_elements(account.loops), strict=True))
    for at in range(len(every) - 1, -1, -1):
        loop, trip, inside = every[at]
        if at != vector and trip > 1.0 and loop.variable in steps:
            return abs(steps[loop.variable]) * inside
    return far


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


def _loops(chain: Chain, account: Account, points: float) -> list[list[float]]:
    """Of every loop of more than one iteration, the innermost first, its context features."""
    pattern, loops, trips, lines = chain.pattern, account.loops, account.trips, account.lines
    found = list[list[float]]()
    inside, reads, result = 1.0, [r.by_variable for r in pattern.reads], pattern.result.by_variable
    blocks: dict[str, float] = {}
    for k in range(len(loops) - 1, -1, -1):
        variable, _, tail, kind = loops[k]
        trip = trips[k]
        step = blocks.get(variable, 1.0)
        blocks[variable] = step * max(1, loops[k].size)
        if trip <= 1.0:
            continue
        strides = [_log(abs(read.get(variable, 0)) * step + 1.0) for read in reads] or [0.0]
        stays = sum(not s for s in strides)
        context = [
            log2(trip),
            _log(points / (inside * trip)),
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
            sum([_log(max(1.0, each[k])) for each in lines]),
        ]
        inside *= trip
        found.append(context)
    return found
