"""What a nest costs on a machine, from strides, caches, SIMD and ports: deterministic, nothing is run.

The innermost loops are a body of vector operations (`polyloop.cursor.shapes`). It costs the largest of its
instructions (one for a multiply-add, more where more factors are multiplied), its loads and its stores, at as many a
cycle as the core starts, and the latency of the sums that are carried from one body to the next. What does not stay in
a cache is fetched line by line: an access is fetched again by every loop outside the innermost ones whose data fit
together, save that directly outside which does not move it.

The figures are a machine's (`polyloop.backend.machine.machine`), which is named so that rewards are the same wherever
they are computed: by default Zen 5. The factors beside them were fitted to nests measured on such a core: 9,000 that
are near the best of 160 products, and 4,600 random ones of products and convolutions. What counted was which nest comes
first, not how far off the seconds are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import ceil, gcd, prod

from polyloop.backend.machine.machine import Machine, machine_named
from polyloop.backend.machine.target import Target
from polyloop.cursor.contraction import Contraction, Footprint, Pattern
from polyloop.cursor.nest import SEQUENTIAL, VECTOR, Loops, Nest, inner_elements
from polyloop.cursor.shapes import shaped_compute

REFERENCE = "zen5"
"""The machine that rewards are of unless another is named."""

LATE = 1.6875
"""How much later than the unit's own latency the next multiply-add of a chain starts, as fitted."""

WINDOW = 240.0
"""Vector operations that a core looks ahead."""

HIDDEN = 0.63
"""Of the cycles that a line takes where all come from one cache: others are fetched meanwhile."""

COLD = 0.03
"""Of that, what a line costs that stays in a cache from one run to the next."""

KEPT = 0.7
"""Of a cache, what data may fill and still stay: neither is all of it free, nor what goes the least recently used."""

ENTER = 1.0
"""Cycles to enter and leave the innermost loop around the body."""

RESULT = 2.05
"""Cycles to take up and to put down a result that loops around the body keep in a register."""

STORE = 1.6
"""Times the cycles of a store for one of a result that is not kept in registers."""

OVERLAP = 0.05
"""How much of the time of the shorter of both, computing and fetching lines, is not hidden behind the other."""

_REMEMBERED = 1 << 16


@lru_cache(maxsize=64)
def nest_model(machine: Machine) -> NestModel:
    """The model of a machine, the same for all who ask: drawn machines come and go."""
    return NestModel(machine)


def reference_model() -> NestModel:
    """That of `REFERENCE`."""
    return nest_model(machine_named(REFERENCE))


@dataclass(frozen=True)
class Body:
    """The tile of unrolled and vector loops, in vector operations.

    Attributes:
        loops: all, it counts in them; `start`: its outermost one.
        sizes: of its loops, the vector loop's in vectors; `along`: that one's variable.
    """

    loops: Loops
    start: int
    sizes: dict[int, float]
    along: str


@dataclass(frozen=True)
class Account:
    """What the cycles of one run come from.

    Attributes:
        loops, trips: with the lanes of a vector loop innermost; iterations of each loop, the mean of those with a tail.
        body: what the innermost loops compute at once.
        lines: of every read and of the result in the end, the lines that the loops from each on touch.
        computing, fetching: cycles.
        fetched: of every access, lines that each cache has to fetch.
    """

    loops: Loops
    trips: list[float]
    body: Body
    lines: list[list[float]]
    computing: float
    fetching: float
    fetched: list[list[float]]

    @property
    def missed(self) -> tuple[float, ...]:
        """Lines that each cache has to fetch."""
        return tuple(map(sum, zip(*self.fetched, strict=True)))

    @property
    def stored(self) -> tuple[float, ...]:
        """Those of the result."""
        return tuple(self.fetched[-1])

    @property
    def cycles(self) -> float:
        """What is fetched hides behind what is computed, or the other way round, but for a share of the shorter."""
        return max(self.computing, self.fetching) + OVERLAP * min(self.computing, self.fetching)


@dataclass(frozen=True, eq=False)
class NestModel:
    """What nests cost on one machine; see `nest_model`."""

    machine: Machine
    _known: dict[tuple[Pattern, Loops], float] = field(default_factory=dict, repr=False)

    @cached_property
    def target(self) -> Target:
        """The machine as what code is planned for; its name for LLVM does not matter here."""
        return Target("", "", "", self.machine)

    def seconds(self, problem: Contraction, nest: Nest) -> float:
        """Of one run."""
        return self.in_seconds(self.cycles(problem.pattern, shaped_compute(problem, nest, self.target)))

    def in_seconds(self, cycles: float) -> float:
        return cycles / (self.machine.gigahertz * 1e9)

    def peak(self, problem: Contraction) -> float:
        """10^9 operations a second at best."""
        return self.machine.peak_gflops(8 * problem.result.bytes)

    def cycles(self, problem: Pattern, loops: Loops) -> float:
        """Cycles of one run of a statement inside its loops."""
        key = problem, loops
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[key] = self.account(problem, loops).cycles
        return known

    def account(self, problem: Pattern, loops: Loops, shares: bool = False) -> Account:
        """The cycles of a run with what they come from.

        Args:
            shares: what stands still in the loops around the body is loaded once for all their iterations, and columns
                of blocks by rows, as compilers have it; vectors of a loop around others lie side by side. Cycles that
                rewards are made of count every load of a body, and such vectors as the whole loop apart.
        """
        loops, trips = self._vector_inside(problem, loops, _trips(problem, loops), shares)
        body = self._body(problem, loops, trips)
        times = 1.0
        for trip in trips[: body.start]:
            times *= trip
        inner = trips[body.start - 1] if body.start else 1.0
        computing = times * self._computing(problem, loops, trips, body, shares) + times / max(inner, 1.0) * ENTER
        return self._memory(problem, loops, trips, body, computing)

    def _computing(self, problem: Pattern, loops: Loops, trips: list[float], body: Body, shares: bool) -> float:
        """Cycles of a body: the mean over the whole ones and those that a tail leaves, whose sums may be too few to
        hide the latency."""
        whole = self._once(problem, loops, trips, body, shares)
        mean = whole
        for k, size in body.sizes.items():
            outer = next(at for at, loop in enumerate(loops) if loop.variable == loops[k].variable)
            if loops[outer].tail and outer < body.start and size > 1:
                bodies = dict(problem.extents)[loops[k].variable] / (trips[k] * inner_elements(loops[k:])[0])
                left = bodies % 1.0
                if left:
                    partial = replace(body, sizes={**body.sizes, k: max(1.0, ceil(left * size))})
                    mean *= (bodies - left + self._once(problem, loops, trips, partial, shares) / whole) / bodies
        return mean

    def _once(self, problem: Pattern, loops: Loops, trips: list[float], body: Body, shares: bool) -> float:
        """Cycles of one body of some sizes."""
        work = results = chain = 1.0
        for k, size in body.sizes.items():
            work *= size
            if loops[k].variable in problem.reduced:
                chain *= size
            else:
                results *= size
        if body.along in problem.reduced:
            # A vector sum is added up across its lanes in the end.
            chain += 6.0
        lanes = self._lanes(problem)
        loads = 0.0
        for read in problem.reads:
            rows = shares and is_column(read, body, lanes)
            once = _loads(read, loops, body.sizes, body.along, 1.0 if rows else lanes)
            loads += once / (standing(read, loops, trips, body.start) if shares else 1.0)
        core = self.machine
        carried, at = 1.0, body.start
        # Beside the results stand a row's vectors and what they are multiplied with.
        across = next((size for k, size in body.sizes.items() if loops[k].variable == body.along), 1.0)
        fits = results <= core.carried_registers and results + across + 1 <= core.vector_registers
        while fits and at and loops[at - 1].variable in problem.reduced:
            at -= 1
            carried *= trips[at]
        # Results that do not fit into the registers are stored and loaded by every multiply-add.
        stored = results / carried if fits else work
        computed = work * problem.instructions
        ports = max(
            computed / core.multiply_add.per_cycle,
            (loads + stored) / core.load.per_cycle,
            STORE * stored / core.store.per_cycle,
        )
        # Short sums wait beside those that come next.
        beside = 1.0 + WINDOW / (carried * (computed + loads))
        latency = LATE * core.chain_latency * chain / beside if carried > 1 or chain > 1 else 0.0
        held = RESULT * results / carried if carried > 1 else 0.0
        return max(ports, latency) + held

    @cached_property
    def _levels(self) -> tuple[tuple[float, int, float], ...]:
        """Of each cache: what a line costs more that comes from the next level, the sets that lines fall into by their
        addresses (the last cache's are hashed), and how many lines stay."""
        machine, found, nearer = self.machine, list[tuple[float, int, float]](), 0.0
        for number, (near, beyond) in enumerate(zip(machine.caches, machine.levels[1:], strict=True)):
            sets = max(1, near.way // machine.line) if number < 2 else 1
            found.append((HIDDEN * max(0.0, beyond.line_cycles - nearer), sets, KEPT * near.size / machine.line))
            nearer = beyond.line_cycles
        return tuple(found)

    def _lanes(self, problem: Pattern) -> float:
        return float(self.machine.vector_bits // (8 * problem.result.bytes))

    def _vector_inside(
        self, problem: Pattern, loops: Loops, trips: list[float], beside: bool
    ) -> tuple[Loops, list[float]]:
        """Around loops that stay loops a vector loop runs them vector by vector: its lanes are what is innermost."""
        at = next((k for k, loop in enumerate(loops) if loop.kind == VECTOR), None)
        if at is None or all(loop.kind != SEQUENTIAL for loop in loops[at:]):
            return loops, trips
        lanes = min(trips[at], self._lanes(problem))
        blocks, inner = loops[at]._replace(kind=SEQUENTIAL), loops[at]
        if beside:
            blocks, inner = blocks._replace(size=ceil(blocks.size / lanes)), inner._replace(size=ceil(lanes), tail=0)
        return (*loops[:at], blocks, *loops[at + 1 :], inner), [
            *trips[:at],
            trips[at] / lanes,
            *trips[at + 1 :],
            lanes,
        ]

    def _body(self, problem: Pattern, loops: Loops, trips: list[float]) -> Body:
        start = len(loops)
        while start and loops[start - 1].kind not in (SEQUENTIAL,):
            start -= 1
        lanes = self._lanes(problem)
        vector = next((k for k in range(start, len(loops)) if loops[k].kind == VECTOR), -1)
        sizes = {k: -(-trips[k] // lanes) if k == vector else trips[k] for k in range(start, len(loops))}
        results = prod(size for k, size in sizes.items() if loops[k].variable not in problem.reduced)
        # A short loop with a tail around the vectors falls apart into full and partial ones, all of them in registers.
        while start and loops[start - 1].tail and results * ceil(trips[start - 1]) <= self.machine.carried_registers:
            if loops[start - 1].variable in problem.reduced or vector < 0:
                break
            start -= 1
            results, sizes[start] = results * trips[start], trips[start]
        return Body(loops, start, sizes, loops[vector].variable if vector >= 0 else "")

    def _memory(self, problem: Pattern, loops: Loops, trips: list[float], body: Body, computing: float) -> Account:
        """Adds the cycles of the lines that the caches do not keep."""
        vector = next((k for k in range(len(loops) - 1) if loops[k].kind == VECTOR), None)
        if vector is not None:
            # Its lanes run at once, whatever stands inside.
            loops = (*loops[:vector], *loops[vector + 1 :], loops[vector])
            trips = [*trips[:vector], *trips[vector + 1 :], trips[vector]]
        accesses, line, count = (*problem.reads, problem.result), self.machine.line, len(loops)
        walked = [_walked(access, loops, trips, line) for access in accesses]
        lines = [each for each, _ in walked]
        together = [sum(each) for each in zip(*lines, strict=True)]
        total, every = 0.0, [[0.0] * len(self._levels) for _ in accesses]
        for level, (cost, sets, room) in enumerate(self._levels):
            fits = 0
            while fits < count and together[fits] > room:
                fits += 1
            # What falls on the sets unevenly takes no less room: further out nothing has to be looked at.
            while sets > 1 and fits < count:
                if sum([_crowded(jumps, trips, each[fits], sets, line, fits) for each, jumps in walked]) <= room:
                    break
                fits += 1
            if fits == 0:
                # Everything stays: fetched once, which caches further away pay for, too.
                total += COLD * cost * together[0]
                break
            for each, found in zip(lines, every, strict=True):
                # What one iteration of the loop directly outside leaves in the cache serves the next one.
                fetched = each[fits - 1]
                for trip in trips[: fits - 1]:
                    fetched *= trip
                total += cost * fetched
                found[level] = fetched
        return Account(loops, trips, body, lines, computing, total, every)


def _trips(problem: Pattern, loops: Loops) -> list[float]:
    """Iterations of every loop; with a tail the mean over what the loops outside leave of it."""
    left: dict[str, float] = {name: float(extent) for name, extent in problem.extents}
    trips = []
    for loop, elements in zip(loops, inner_elements(loops), strict=True):
        blocks = left[loop.variable] / elements if loop.tail else float(loop.size)
        trips.append(blocks)
        left[loop.variable] = float(elements)
    return trips


def standing(read: Footprint, loops: Loops, trips: Sequence[float], start: int) -> float:
    """Iterations of the loops directly around a body that a read does not move with.

    Args:
        start: the body's outermost loop.
    """
    times = 1.0
    for at in range(start - 1, -1, -1):
        if loops[at].variable in read.by_variable:
            break
        times *= trips[at]
    return times


def is_column(read: Footprint, body: Body, lanes: float) -> bool:
    """Whether vectors of a read are columns of a block whose rows lie side by side."""
    counts: dict[str, float] = {}
    for at, size in body.sizes.items():
        counts[body.loops[at].variable] = counts.get(body.loops[at].variable, 1.0) * size
    return any(read.by_variable.get(name) == 1 and 2 * count >= lanes for name, count in counts.items())


def _loads(read: Footprint, loops: Loops, sizes: dict[int, float], along: str, lanes: float) -> float:
    """Vector loads and broadcasts, each element of a window once; an element at a time where the vector's lanes are
    apart."""
    counts: dict[str, float] = {}
    loads = window = 1.0
    for k, size in sizes.items():
        name = loops[k].variable
        if loops[k].tail and name in read.by_variable:
            loads *= size  # of a loop that falls apart no part knows what another has loaded
        else:
            counts[name] = counts.get(name, 1.0) * size
    unit = 0
    for stride, name in read.by_stride:
        count = counts.get(name, 1.0)
        if count == 1.0:
            continue
        if name != along and unit and stride % unit == 0 and stride // unit <= window:
            # Steps of this variable come to elements that steps of the last one have reached already.
            loads, window = loads / window, window + stride // unit * (count - 1.0)
            loads *= window
        else:
            loads, window = loads * count, count
            unit = 0 if name == along else stride
    return loads * lanes if along and read.by_variable.get(along, 0) > 1 else loads


def lines_of(access: Footprint, loops: Loops, trips: list[float], line: int) -> list[float]:
    """Lines of so many bytes, or pages, touched by the loops from d on, for every d."""
    return _walked(access, loops, trips, line)[0]


def _walked(
    access: Footprint, loops: Loops, trips: list[float], line: int
) -> tuple[list[float], list[tuple[int, int]]]:
    """`lines_of`; and of the loops that move the access, the innermost first, their numbers, and the bytes of one
    iteration."""
    order, per_line = access.by_stride, line / access.bytes
    inside, spans = dict(access.by_variable), dict[str, float]()
    result, jumps = [1.0], list[tuple[int, int]]()
    for at in range(len(loops) - 1, -1, -1):
        variable, size, _, _ = loops[at]
        if variable in inside:
            spans[variable] = spans.get(variable, 1.0) * trips[at]
            result.append(_touched(order, spans, per_line))
            jumps.append((at, abs(inside[variable]) * access.bytes))
            inside[variable] *= size
        else:
            result.append(result[-1])
    result.reverse()
    return result, jumps


def _crowded(
    jumps: Sequence[tuple[int, int]], trips: Sequence[float], lines: float, sets: int, line: int, first: int
) -> float:
    """Lines that the loops from the first on touch, weighted with how unevenly they fall on the sets of a cache:
    strides of powers of two meet in few."""
    used = 1.0
    for at, jump in jumps:
        if at < first:
            break
        trip = trips[at]
        if jump < line:
            used *= max(1.0, trip * jump / line)
        elif jump % line:
            used *= trip
        else:
            used *= min(trip, sets / gcd(sets, jump // line))
    needed = lines if lines < sets else sets
    return lines * needed / used if needed > used else lines


def _touched(order: Sequence[tuple[int, str]], spans: dict[str, float], per_line: float) -> float:
    """Lines of all elements at sums of strides times counters, the strides in increasing order.

    What one variable repeats may lie over what the smaller strides have reached already, as the windows of a
    convolution do: it adds no more than it reaches further.
    """
    reached = lines = 1.0
    for stride, name in order:
        count = spans.get(name, 1.0)
        if count > 1.0:
            further = reached + stride * (count - 1.0)
            more = further / (reached if reached > per_line else per_line)
            if more > 1.0:
                lines *= more if more < count else count
            reached = further
    return lines
