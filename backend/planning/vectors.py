"""What steers planning, in one place."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import ceil, prod
from typing import NamedTuple

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import (
    TRUE,
    Affine,
    And,
    Condition,
    FloorDiv,
    Or,
    affine,
    condition_variables,
    minimum,
)
from polyloop.backend.ir.expressions import F64, I32, Access, Expression, ScalarType, certain_accesses
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Block,
    Compute,
    Guard,
    Loop,
    LoopKind,
    LoopNest,
    Node,
    Storage,
    children,
    map_children,
    substituted,
    walk,
    with_body,
)
from polyloop.backend.ir.ranges import are_never_negative_zero, chooses_exactly
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import (
    Facts,
    children_with,
    constant_trips,
    largest_trips,
    map_children_with,
    upper_operands,
)
from polyloop.backend.planning.lanes import (
    FEWEST_TURNED,
    access_stride,
    are_ascending,
    computed_evenly,
    computes,
    gathered,
    is_read,
    is_spread,
    parted,
    reduction_sides,
    stays,
    steady_elements,
    steady_offsets,
    unsigned,
    widest_lane,
    without_wrapping,
)
from polyloop.backend.planning.memory import Cell, in_bounds, is_there
from polyloop.backend.planning.values import TOTAL_FUNCTIONS, Emitter, as_extremum, divides_integers, is_safe

# --- What steers planning ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """Limits and preferences; the defaults are what measured best.

    Attributes:
        unroll_limit: an UNROLLED loop with more iterations stays a loop.
        short_loop: a loop inside of lanes with at most so many iterations becomes straight-line code.
        straight_vectors: a VECTOR loop of at most so many vectors becomes straight-line code.
        gathers: how many gathers may stand for one contiguous access (see `vectors`).
        body_limit: how many multiply-adds the specialised copies of a partial tile may come to.
        reduction_chains: independent accumulators of a reduction along a vector loop, in vectors.
    """

    unroll_limit: int = 64
    short_loop: int = 9
    straight_vectors: int = 8
    gathers: float = 0.5
    body_limit: int = 200
    reduction_chains: int = 4


# --- Lanes of a vector loop, and how accesses move along it -----------------------------------------------------------


@dataclass(frozen=True)
class LaneBlock:
    """A run of iterations that one vector takes: the first one's offset from the loop's lower bound, and the lanes.

    Attributes:
        active: how many lanes count where that is fewer than all (a constant).
    """

    offset: int
    lanes: int
    active: int | None = None


def blocks_of(trips: int, lanes: int) -> Iterator[LaneBlock]:
    """Full vectors, then the rest in one vector: a narrower full one where the rest is a power of two, else masked."""
    full = trips // lanes
    for number in range(full):
        yield LaneBlock(number * lanes, lanes)
    rest = trips - full * lanes
    if rest:
        narrow = 1 << (rest - 1).bit_length()
        yield LaneBlock(full * lanes, narrow, None if rest == narrow else rest)


@dataclass(frozen=True)
class LoopLanes:
    """How a vector loop runs, whatever its bounds: the same for every copy of it in straight-line code.

    Attributes:
        lanes: of one vector; see `lane_count`.
        rows: see `reduced_rows`.
        masks: whether lanes may be masked off; see `needs_full_lanes`.
        beside: vectors that go through the loops inside together; see `side_by_side`.
        groups: whether sums are made by groups, see `polyloop.backend.planning.group_sums`.
    """

    lanes: int
    rows: int
    masks: bool
    beside: int = 1
    groups: bool = False

    @classmethod
    def of(cls, loop: Loop, target: Target, chains: int) -> LoopLanes:
        lanes, rows = lane_count(loop, target), reduced_rows(loop)
        masks = not needs_full_lanes(loop, lanes)
        if _bits_of_groups(loop, target) is not None:
            return cls(lanes, rows, masks and target.masks, max(1, chains // rows), groups=True)
        return cls(lanes, rows, masks, side_by_side(loop, target))


def lane_count(loop: Loop, target: Target) -> int:
    """Lanes of the widest type that the body reads, computes or writes; of sums by groups, of what is added."""
    return max(1, target.vector_bits // (_bits_of_groups(loop, target) or widest_lane(loop)))


def _bits_of_groups(loop: Loop, target: Target) -> int | None:
    """Of the lanes of a loop that sums by groups; None of others."""
    if not target.sums_groups or not reduced_rows(loop):
        return None
    types = (node.type for compute in computes(loop.body) for node in e.walk_values(compute.value))
    if not any(type_.bits < 32 for type_ in types):
        return None
    from polyloop.backend.planning.group_sums import grouped_bits  # of those who add small integers

    return grouped_bits(loop)


def needs_full_lanes(loop: Loop, lanes: int) -> bool:
    """Whether the body divides integers by what is 0 in a lane that is masked off, or takes elements lane by lane."""

    def one_by_one(access: Access) -> bool:
        offsets = steady_elements(access, loop, lanes)
        return offsets is None or not are_ascending(offsets)

    return any(
        (isinstance(node, e.Read) and gathered(node.access, loop.variable) and one_by_one(node.access))
        or divides_integers(node)
        for compute in computes(loop.body)
        for node in e.walk_values(compute.value)
    )


def reduced_rows(loop: Loop) -> int:
    """How many cells the loop reduces into: Computes whose target all lanes share, once for each unrolled row."""

    def count(node: Node) -> int:
        match node:
            case Compute(_, target, _):
                return int(stays(target, loop.variable))
            case Block() | Guard():
                return sum(map(count, children(node)))
            case Loop(lower=lower, upper=upper, kind=kind, body=body):
                trips = largest_trips(lower, upper) if kind is LoopKind.UNROLLED else None
                return count(body) * (trips or 1)

    return count(loop.body)


def summed_up(loop: Loop) -> Loop | None:
    """Of loops inside of each other, with nothing between them, that all reduce into the same cells, and may store
    elements beside: the last one, which is in lanes; None of others. How often they run hangs on none of them, and
    nothing reads what is reduced into."""
    variables, inner = list[str](), loop
    while inner.kind is LoopKind.SEQUENTIAL:
        if not variables_of(inner).isdisjoint(variables):
            return None
        variables.append(inner.variable)
        body = inner.body
        while isinstance(body, Block) and len(body.children) == 1:
            (body,) = body.children
        if not isinstance(body, Loop):
            return None
        inner = body
    if inner.kind is not LoopKind.VECTOR or not variables_of(inner).isdisjoint(variables):
        return None
    found, every = [*computes(inner.body)], {*variables, inner.variable}
    if any(every & variables_of(node) for node in walk(inner.body) if isinstance(node, Loop)):
        return None  # which rows these are
    sums = [compute for compute in found if stays(compute.target, inner.variable)]
    reduced = {compute.target.array for compute in sums}
    for compute in sums:
        target = compute.target
        if target.data or reduction_operator(compute) is None or any(every & s.variables() for s in target.subscripts):
            return None
    for compute in found:
        own = compute.target if compute in sums else None
        if own is None and compute.target.array in reduced:
            return None
        if any(read.access.array in reduced and read.access != own for read in e.reads(compute.value)):
            return None
    return inner if sums else None


def variables_of(loop: Loop) -> frozenset[str]:
    """Those that a loop's bounds name."""
    return loop.lower.variables() | loop.upper.variables()


def line_phase(loop: Loop, arrays: Mapping[str, ArraySpec], lanes: int) -> Affine | None:
    """What the loop's variable differs by, modulo the lanes, from places where whole vectors begin, for most of what
    it touches: stencils, whose neighbours cannot all begin there. None where it does not matter, or nobody knows.

    Rows of an array begin alike where their length is whole vectors. Arrays are taken to begin at a line's border:
    where they do not, as many accesses cross lines as without.
    """
    inner = {node.variable for node in walk(loop.body) if isinstance(node, Loop) and node.kind is not LoopKind.UNROLLED}
    phases: Counter[Affine] = Counter()
    for compute in computes(loop.body):
        for access in (compute.target, *dict.fromkeys(read.access for read in e.reads(compute.value))):
            strides = access_stride(access, loop.variable)
            if strides is None:
                return None  # which elements the lanes take is known for vectors that begin with the loop
            if gathered(access, loop.variable) or not strides or any(strides[:-1]) or strides[-1] != 1:
                continue
            length = arrays[access.array].shape[-1]
            whole = len(strides) == 1 or (length is not None and length.is_constant and length.constant % lanes == 0)
            phase = access.subscripts[-1] - affine(loop.variable)
            if not whole or access.data or not inner.isdisjoint(phase.variables()):
                return None
            phases[phase] += 1
    if len(phases) < 2:
        return None
    phase, count = phases.most_common(1)[0]
    return phase if 2 * count >= phases.total() else None


MOST_BESIDE, SHORT_CHAIN = 4, 16
"""Vectors side by side: their chains fill both pipes of most cores. Operations of an iteration up to which it is bound
by a chain and not by their number, where nothing is divided."""


def side_by_side(loop: Loop, target: Target) -> int:
    """How many vectors go through the loops inside at once: chains that each has to finish one iteration after the
    other hide each other's latency, as long as registers hold what each carries."""
    inner = [node for node in walk(loop.body) if isinstance(node, Loop) and node.kind is not LoopKind.UNROLLED]
    chains = [node for node in inner if not any(isinstance(below, Loop) for below in walk(node.body))]
    divided = max((_quotients_beside(loop.variable, chain, target) for chain in chains), default=1)
    if divided > 1:  # what other loops inside take is little beside theirs
        return divided
    return min((_chains_beside(loop.variable, chain, target) for chain in chains), default=1)


def _quotients_beside(variable: str, loop: Loop, target: Target) -> int:
    """Vectors that keep a core's division busy, where each waits for the quotient of the iteration before."""
    found = [*computes(loop.body)]
    written = {compute.target.array for compute in found}
    quotients, waits = 0, False
    for compute in found:
        nodes = [*e.walk_values(compute.value)]
        accesses = [node.access for node in nodes if isinstance(node, e.Read)]
        strides = (access_stride(access, variable) for access in (compute.target, *accesses))
        chooses = compute.conditional or any(isinstance(node, e.Select) for node in nodes)  # it may end the loop
        if chooses or any(access.data for access in accesses) or None in strides:
            return 1
        own = sum(isinstance(node, e.Binary) and node.operator == "/" and node.type.is_float for node in nodes)
        waits |= own > 0 and any(access.array in written for access in accesses)
        quotients += own
    if not waits:
        return 1
    cycles = target.machine.divide.latency + target.machine.multiply_add.latency
    vectors = ceil(cycles * target.machine.divide.per_cycle / quotients)
    return 1 << (min(vectors, MOST_BESIDE, _fitting(variable, loop, target)).bit_length() - 1)


def _chains_beside(variable: str, loop: Loop, target: Target) -> int:
    found = [*computes(loop.body)]
    nodes = [node for compute in found for node in e.walk_values(compute.value)]
    operations = [node for node in nodes if not isinstance(node, e.Read | e.Literal | e.Cast | e.Index)]
    plain = all(isinstance(node, e.Binary | e.Unary) and node.operator not in "/%" for node in operations)
    if not plain or len(operations) > SHORT_CHAIN or any(compute.conditional for compute in found):
        return 1
    accesses = {node.access for node in nodes if isinstance(node, e.Read)} | {compute.target for compute in found}
    for access in accesses:
        strides = access_stride(access, variable)
        if strides is None or gathered(access, variable) or any(strides[:-1]):
            return 1
    return _fitting(variable, loop, target)


def _fitting(variable: str, loop: Loop, target: Target) -> int:
    """How many vectors keep in registers what each carries through a loop; 1 where nothing is carried."""
    found = [*computes(loop.body)]
    read = {node.access for compute in found for node in e.walk_values(compute.value) if isinstance(node, e.Read)}
    targets = {compute.target for compute in found}
    carried = {t for t in targets if not _mentions(t, loop.variable) and t in read}
    carried |= {t for t in targets if any(r.array == t.array and r != t for r in read)}
    if not carried:
        return 1
    shared = sum(not _mentions(access, variable) and not _mentions(access, loop.variable) for access in read)
    most = (target.vector_registers - shared - 2) // (len(carried) + 1)
    return 1 << (min(most, MOST_BESIDE).bit_length() - 1) if most > 1 else 1


def _mentions(access: Access, variable: str) -> bool:
    return any(variable in subscript.variables() for subscript in access.subscripts)


# --- Reductions -------------------------------------------------------------------------------------------------------
# Reductions along a vector loop: of integers, and of others where the caller permits another order of summation.
#
#     VECTOR j: s = s + x[j] * y[j]
#     ->  acc = 0 in all lanes;  VECTOR j: acc = acc + x[j] * y[j], lane by lane;  s = s + (sum of the lanes)
#
# Accumulators are local arrays of one vector each; register promotion makes values of them, and the arrays vanish.


def reduction_operator(compute: Compute) -> str | None:
    """ "+", "*", "&", "|", "^", "min" or "max" if the Compute is ``target = target op e`` with an e that does not read
    the target's array."""
    target = compute.target
    operator: str
    match without_wrapping(compute.value):
        case e.Binary():
            folded = reduction_sides(compute)
            return None if folded is None else folded[0].replace("-", "+")
        case e.Select() as choice if (extremum := as_extremum(choice)) is not None:
            operator, left, right = extremum
            sides = (left, right) if is_read(left, target) else (right, left)
        case e.Select(condition, then, otherwise, _):
            # What is folded in is a matter of data; lanes for which it is nothing keep what they have.
            folding = [side for side in (then, otherwise) if not is_read(side, target)]
            operators = {reduction_operator(replace(compute, value=side, conditional=False)) for side in folding}
            alone = all(read.access.array != target.array for read in e.reads(condition))
            return operators.pop() if len(operators) == 1 and alone else None
        case _:
            return None
    own, other = sides
    if not is_read(own, target) or any(read.access.array == target.array for read in e.reads(other)):
        return None
    return operator


def is_extremum(compute: Compute) -> bool:
    """Whether the value is the smaller or the larger one of two, one of them the target, which so is read always."""
    return isinstance(compute.value, e.Select) and as_extremum(compute.value) is not None


def is_exact(compute: Compute, plain: Collection[str] = ()) -> bool:
    """Whether folding in any order gives the same bits: integers, whose sums and products wrap, and the largest or
    smallest of numbers among which is no -0.0.

    Args:
        plain: arrays that hold no -0.0.
    """
    operator = reduction_operator(compute)
    if operator is None or not compute.value.type.is_float:
        return operator is not None
    return is_extremum(compute) and chooses_exactly(compute.value, compute.target, plain)


class Accumulator(NamedTuple):
    """One of them.

    Attributes:
        place: its lanes.
        stored: the target's type, which `element` may be wider than.
        conditional: the target is stored to only if something is folded in, as data decide: of extrema, if they change.
        some: the lanes in which something has been, where that does not show.
    """

    place: v.Address
    operator: str
    element: ScalarType
    conditional: bool
    some: v.Address | None
    stored: ScalarType


@dataclass
class Accumulators:
    """The accumulators of one vector loop: one for each target address and number of lanes."""

    emit: Emitter
    arrays: list[ArraySpec]
    groups: bool = False
    _made: dict[tuple[v.Address, v.ValueType, int], Accumulator] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)
    _asked: dict[v.Address, Condition] = field(default_factory=dict)

    def ask(self, target: v.Address, conditions: Sequence[Condition]) -> None:
        """That a target is touched where these hold, as far as they do in all iterations of the loops inside (`inner`:
        their variables): rows behind the last one are nobody's memory."""
        same = tuple(c for c in conditions if self.inner.isdisjoint(condition_variables(c)))
        here = And(same) if same else TRUE
        known = self._asked.get(target, here)
        self._asked[target] = here if known == here else TRUE if TRUE in (known, here) else Or((known, here))

    @contextmanager
    def _where_asked(self, target: v.Address) -> Iterator[None]:
        """What is emitted inside is done where the target is touched."""
        if (condition := self._asked.get(target, TRUE)) == TRUE:
            yield
            return
        with self.emit.nested() as body:
            yield
        self.emit.append(v.If(condition, tuple(body)))

    def made(
        self, target: v.Address, compute: Compute, stored: ScalarType, type_: v.ValueType, number: int = 0
    ) -> Accumulator:
        """The accumulator of a target; several vectors side by side have their own."""
        key, (element, lanes) = (target, type_, number), type_
        if key not in self._made:
            operator = reduction_operator(compute)
            assert operator is not None, "the choice of vector loops lets nothing else through"
            place = self._array(element, lanes)
            some = None
            if compute.conditional and not is_extremum(compute):
                some = self._array(I32, lanes)
            self._made[key] = Accumulator(place, operator, element, compute.conditional, some, stored)
        return self._made[key]

    def _array(self, element: ScalarType, lanes: int) -> v.Address:
        name = self.emit.names.fresh("acc")
        self.emit.names.taken.add(name)
        self.arrays.append(ArraySpec(name, element, (affine(lanes),), Storage.LOCAL, scratch=True))
        return v.Address(name, (affine(0),), (1,))

    def note(self, some: v.Address, where: v.Value) -> None:
        """That something is folded in where the condition holds."""
        before = self.emit.let(v.Load(some, where.type))
        self.emit.append(v.Store(some, self.emit.arithmetic("|", before, where)))

    def store(self, address: v.Address, value: v.Value, active: Affine | None) -> None:
        """The next value of an accumulator; lanes that are masked off keep theirs."""
        if active is not None:
            counts = self.emit.first_lanes(active, value.type.lanes)
            value = self.emit.pick(counts, value, self.emit.let(v.Load(address, value.type)))
        self.emit.append(v.Store(address, value))

    def begin(self) -> None:
        """Set every accumulator to what changes nothing: 0, 1, or the target itself where that is neutral."""
        for (target, vector, _), made in self._made.items():
            lanes = vector.lanes
            if made.operator in ("min", "max", "&", "|"):
                if self._asked.get(target, TRUE) != TRUE:
                    self.emit.append(v.Store(made.place, self.emit.constant(0, vector)))
                with self._where_asked(target):
                    first = self.emit.widen(self.emit.let(v.Load(target, ValueType(made.element))), lanes)
                    self.emit.append(v.Store(made.place, first))
            else:
                neutral = int(made.operator == "*")
                first = self.emit.constant(float(neutral) if made.element.is_float else neutral, vector)
                self.emit.append(v.Store(made.place, first))
            if made.some is not None:
                self.emit.append(v.Store(made.some, self.emit.constant(0, ValueType(I32, lanes))))

    def finish(self) -> None:
        """Fold the lanes into the targets."""
        for (target, (_, lanes), number), made in self._made.items():
            if number:
                continue  # a part of the first one
            with self._where_asked(target):
                self._fold(target, lanes, made)

    def _fold(self, target: v.Address, lanes: int, made: Accumulator) -> None:
        if made.some is not None:
            noted = self.emit.let(v.Load(made.some, ValueType(I32, lanes)))
            some = self.emit.in_some_lane(noted)
            with self.emit.nested() as body:
                self.emit.append(v.Store(target, self._whole(target, lanes, made)[0]))
            self.emit.append(v.When(some, tuple(body)))
            return
        whole, before = self._whole(target, lanes, made)
        store = v.Store(target, whole)
        if made.conditional:
            better = self.emit.test("<" if made.operator == "min" else ">", whole, before, I32)
            self.emit.append(v.When(better, (store,)))
        else:
            self.emit.append(store)

    def _whole(self, target: v.Address, lanes: int, made: Accumulator) -> tuple[v.Value, v.Value]:
        """What the target holds behind the loop, and what it holds before."""
        operator, type_ = made.operator, ValueType(made.element, lanes)
        sums, wide = ((unsigned(t) if operator in ("+", "*") else t) for t in (made.element, made.stored))
        beside = (other.place for (place, of, _), other in self._made.items() if (place, of) == (target, type_))
        vector, *others = (self.emit.convert(self.emit.let(v.Load(place, type_)), sums) for place in beside)
        for other in others:
            vector = self.emit.arithmetic(operator, vector, other)
        folded = self.emit.convert(self.emit.let(v.Horizontal(operator, vector, ValueType(sums))), wide)
        before = self.emit.convert(self.emit.let(v.Load(target, ValueType(made.stored))), wide)
        whole = self.emit.arithmetic(operator, before, folded)
        return self.emit.convert(whole, made.stored), before


# --- Which loops ------------------------------------------------------------------------------------------------------
# Which VECTOR loops run in lanes; the others become ordinary loops, straight-line ones where they are short.
#
# The VECTOR kind promises that iterations are independent; what is left to decide is what pays and what can be said
# in vector code. A vector loop's body holds Computes, Guards and inner loops whose conditions and bounds are the same
# in all lanes. Targets are contiguous along the loop (or reversed); reads are invariant, contiguous, reversed, or
# gathered.
#
# Rule for gathers: they may be `Options.gathers` times as many as contiguous accesses, where an access counts once
# for each iteration of the UNROLLED loops around and inside on which it depends: a gather that all rows of a register
# tile share costs little, one for each row costs about a scalar load a lane.
#
# Neighbouring columns of a matrix, whose rows are the lanes, count as contiguous: an unrolled loop along the rows makes
# blocks of them, which are loaded row by row (`polyloop.backend.planning.blocks`).
#
# A vector loop with a sequential loop inside runs many recurrences at once, whose alternative is one after the other,
# bound by latency: there, gathers are not counted and stores may scatter. The alternative of a sum along the loop is a
# chain of additions: there may be as many gathers as take no longer.


SHORT = 16
"""Iterations up to which what does not run in lanes is straight-line code."""


def block_columns(lanes: int) -> tuple[int, ...]:
    """How many columns a block has whose rows stand in so many lanes, the best first."""
    return tuple(dict.fromkeys((max(FEWEST_TURNED, lanes // 2), lanes // 2)))


def has_columns(statement: v.Statement) -> bool:
    """Whether a vector takes elements of different rows, or stores to them."""
    match statement:
        case v.Let(_, v.Load(address, type_, _, None)) | v.Store(address, v.Value(_, type_), None, None):
            strides = address.lane_strides
            return any(strides) and strides[-1] == 0 and type_.lanes >= FEWEST_TURNED
        case _:
            return False


def spread_access(statement: v.Statement) -> v.Address | None:
    """Where a statement takes or puts a vector of elements that have others between them; None if it does not."""
    match statement:
        case v.Let(_, v.Load(address, type_, None, None)) | v.Store(address, v.Value(_, type_), None, _):
            return address if is_spread(address.lane_strides, type_.lanes) else None
        case _:
            return None


def choose_vectors(
    nest: LoopNest,
    facts: Facts,
    target: Target,
    options: Options,
    reassociate: bool,
    private: frozenset[str] = frozenset(),
) -> LoopNest:
    """The nest with the VECTOR kind only on loops that will run in lanes, no two of them nested.

    Args:
        private: arrays whose last subscript is the lane, see `polyloop.backend.planning.private`.
    """
    arrays = {a.name: a for a in nest.arrays}
    stores = ((c.target.array, c.value) for c in computes(nest.body) if arrays[c.target.array].storage is Storage.LOCAL)
    plain = are_never_negative_zero(stores)
    choice = _Choice(arrays, target, options, reassociate, private, plain)
    return replace(nest, body=choice.run(nest.body, facts, ()))


@dataclass(frozen=True)
class _Choice:
    arrays: dict[str, ArraySpec]
    target: Target
    options: Options
    reassociate: bool
    private: frozenset[str]
    plain: frozenset[str]

    def run(self, node: Node, facts: Facts, around: tuple[Loop, ...]) -> Node:
        if isinstance(node, Loop):
            if node.kind is LoopKind.VECTOR:
                node = _in_unit_steps(node)
                if self.refusal(node, facts, around) is None:
                    return with_body(node, _without_vectors(node.body))
                if (outside := self._rows_outside(node, facts, around)) is not None:
                    return outside
                node = _as_ordinary(node)
            around = (*around, node)
        return map_children_with(node, facts, lambda child, inside: self.run(child, inside, around))

    def _rows_outside(self, loop: Loop, facts: Facts, around: tuple[Loop, ...]) -> Node | None:
        """Sums of a tile at a border, which has some of its rows only: row by row in lanes.

        Rewrite (rows of cells that all differ):
            VECTOR k: UNROLLED i in [4*t, n): s[i] += ...   ->   for i in [4*t, n): VECTOR k: s[i] += ...
        """
        rows, body = list[Loop](), loop.body
        while isinstance(body, Loop) and body.kind is LoopKind.UNROLLED:
            if loop.variable in body.lower.variables() | body.upper.variables():
                return None
            rows, body = [*rows, body], body.body
        partial = [row for row in rows if not _is_straight(row, self.options)]
        if not partial or not isinstance(body, Compute):
            return None
        for row in reversed([row for row in rows if row not in partial]):
            body = with_body(row, body)
        inner, inside = with_body(loop, body), facts
        cell = {name for subscript in next(computes(body)).target.subscripts for name in subscript.variables()}
        bounds = {name for row in rows for name in row.lower.variables() | row.upper.variables()}
        for row in partial:
            if row.variable not in cell or row.variable in bounds:
                return None
            inside = inside.with_loop(row.variable, row.lower, row.upper)
        if self.refusal(inner, inside, (*around, *partial)) is not None:
            return None
        node: Node = inner
        for row in reversed(partial):
            node = replace(row, body=node, kind=LoopKind.SEQUENTIAL)
        return node

    def refusal(self, loop: Loop, facts: Facts, around: tuple[Loop, ...]) -> str | None:
        """Why the loop is not run in lanes; None where it is."""
        if loop.step != 1:
            return f"steps by {loop.step}"
        variable = loop.variable
        lanes = lane_count(loop, self.target)
        recurrent = any(isinstance(x, Loop) and x.kind is not LoopKind.UNROLLED for x in walk(loop.body))
        rows = _unrolled(walk(loop.body))
        for node in walk(loop.body):
            reason = None
            match node:
                case Loop(lower=lower, upper=upper) if variable in lower.variables() | upper.variables():
                    reason = f"the bounds of {node.variable} differ from lane to lane"
                case Guard(condition, _, _) if variable in condition_variables(condition):
                    reason = "a condition differs from lane to lane"
                case Compute() if not (
                    (self.reassociate or is_exact(node, self.plain)) and _reduces(node, loop, self.options, lanes)
                ):
                    apart = recurrent or self._spreads(node, loop) or _is_column(node.target, rows, lanes)
                    reason = _compute_refusal(node, loop, apart, lanes)
            if reason is not None:
                return reason
        strided, contiguous = _access_counts(loop, around, lanes)
        few = strided <= max(self.options.gathers * contiguous, _work(loop.body) / WORK_OF_GATHERS)
        if not few and not recurrent and not self._waits(loop, strided):
            return f"{strided} gathers for {contiguous} contiguous accesses"
        inside = facts.with_loop(variable, loop.lower, loop.upper)
        return self._lazy_refusal(loop.body, inside, variable)

    def _waits(self, loop: Loop, gathers: int) -> bool:
        """Whether the loop is a sum, whose iterations wait for each other longer than so many gathers take for each."""
        machine, sums = self.target.machine, tuple(computes(loop.body))
        floats = all(self.arrays[compute.target.array].type.is_float for compute in sums)
        adds = all(not any(access_stride(compute.target, loop.variable) or ()) for compute in sums)
        elements = machine.gather.per_cycle * self.target.vector_bits / F64.bits
        return floats and adds and gathers < machine.chain_latency * elements

    def _spreads(self, compute: Compute, loop: Loop) -> bool:
        """Whether what it writes has elements between that masks leave as they are, or that others write, or is so much
        work that a store for each lane is little beside it."""
        strides, element = access_stride(compute.target, loop.variable), self.arrays[compute.target.array].type
        if strides is None or not is_spread(strides, lane_count(loop, self.target)):
            return False
        if self.target.masks_elements(element) or _leaves_none_out(compute.target, strides[-1], loop):
            return True
        return not compute.conditional and compute.choice is None and _operations(compute.value) >= WORTH_LANES

    def _lazy_refusal(self, node: Node, facts: Facts, variable: str) -> str | None:
        """Why not both sides of every ``&&``, ``||`` and ``?:`` may be evaluated in lanes, under masks if need be."""
        if not isinstance(node, Compute):
            found = (self._lazy_refusal(child, inside, variable) for child, inside in children_with(node, facts))
            return next((reason for reason in found if reason is not None), None)
        certain = certain_accesses(node.value, node.conditional)
        certain |= frozenset() if node.conditional else {node.target}
        sides = _lazy_sides(node.value)
        same, rest = (None, None) if node.choice is None else parted(node.choice.condition, variable)
        if node.choice is not None and same is not None:  # what follows stands behind a branch
            inside = node.choice.then if rest is None else replace(node.choice, condition=rest)
            certain |= certain_accesses(inside, rest is not None) | ({node.target} if rest is None else frozenset())
            sides = itertools.chain(_lazy_sides(same), _lazy_sides(inside))
        masked: set[Access] = set()
        for side in sides:
            if not is_safe(side, certain | masked, lambda access: self._in_bounds(access, facts, node.conditional)):
                masked |= {read.access for read in e.reads(side)} - certain
                if not is_safe(side, certain | masked, lambda _: True):
                    return "lanes would evaluate what C does not"
        return next((reason for access in masked if (reason := self._mask_refusal(access, variable))), None)

    def _mask_refusal(self, access: Access, variable: str) -> str | None:
        """Why an access cannot be made in some lanes only."""
        if access.data and gathered(access, variable):
            places = (datum.value for datum in access.data)
            return None if all(computed_evenly(place, variable) for place in places) else f"lanes cannot find {access}"
        if access.data or access_stride(access, variable) is None:
            return f"there are no masks for {access}, whose place is computed"
        strides = access_stride(access, variable) or ()
        if not any(strides) or self.target.masks:
            return None
        # What no instruction has masks for goes lane by lane.
        return f"there are no masks for gathers of {access}" if any(strides[:-1]) or strides[-1] != 1 else None

    def _in_bounds(self, access: Access, facts: Facts, conditional: bool) -> bool:
        spec = self.arrays[access.array]
        if conditional and not is_there(spec):
            return False
        here = (*access.subscripts[:-1], affine(0)) if access.array in self.private else access.subscripts
        return in_bounds(Cell(v.Address(access.array, here, (0,) * len(here)), ValueType(spec.type)), spec, facts)


def _in_unit_steps(loop: Loop) -> Loop:
    """The loop counting its iterations, where no extremum bounds it from below."""
    if loop.step == 1 or not all(isinstance(atom, str | FloorDiv) for atom, _ in loop.lower.terms):
        return loop
    trips = [-((loop.lower - end) // loop.step) for end in upper_operands(loop.upper)]
    here = {loop.variable: loop.lower + affine(loop.variable) * loop.step}
    return replace(loop, lower=affine(0), upper=minimum(*trips), step=1, body=substituted(loop.body, here))


def _as_ordinary(loop: Loop) -> Loop:
    """A short loop is still asked to be straight-line code."""
    trips = largest_trips(loop.lower, loop.upper)
    short = trips is not None and trips <= SHORT
    return replace(loop, kind=LoopKind.UNROLLED if short else LoopKind.SEQUENTIAL)


def _without_vectors(node: Node) -> Node:
    if isinstance(node, Loop) and node.kind is LoopKind.VECTOR:
        node = _as_ordinary(node)
    return map_children(node, _without_vectors)


def _reduces(compute: Compute, loop: Loop, options: Options, lanes: int) -> bool:
    """Whether the Compute folds the loop's iterations into one cell that nothing else in the loop touches.

    Inside a loop that moves the cell there would be one accumulator for many cells, unless it becomes straight-line
    code, where every cell has its own.
    """
    moving = {name for subscript in compute.target.subscripts for name in subscript.variables()}
    inner = [node for node in walk(loop.body) if isinstance(node, Loop)]
    for around in reversed(inner):
        if around.variable in moving:
            if not _is_straight(around, options):
                return False
            # What it becomes starts where loops around it say, so that they move the cell, too.
            moving |= around.lower.variables()
    if any(access_stride(compute.target, loop.variable) or (1,)) and compute.target.subscripts:
        return False
    if compute.conditional and reduction_operator(compute) not in ("+", "*", "^") and not is_extremum(compute):
        return False
    others = [c for c in computes(loop.body) if c is not compute]
    if compute.target.data:  # which cell that is is known inside the loop only
        return False
    array = compute.target.array
    if any(c.target.array == array or any(r.access.array == array for r in e.reads(c.value)) for c in others):
        return False
    return reduction_operator(compute) is not None and not read_refusal(compute.value, loop, lanes)


WORTH_LANES = 4
"""Operations from which on a value is computed in lanes though each lane is stored by itself."""


WORK_OF_GATHERS = 4
"""Operations for each gather from which on these are little beside them."""


def _work(node: Node) -> int:
    """Operations of a nest, those that subscripts take included."""
    return sum(map(_is_operation, itertools.chain.from_iterable(e.walk(compute.value) for compute in computes(node))))


def _operations(value: Expression) -> int:
    return sum(map(_is_operation, e.walk_values(value)))


def _is_operation(node: Expression) -> bool:
    return isinstance(node, e.Binary | e.Select | e.Call)


def _leaves_none_out(target: Access, stride: int, loop: Loop) -> bool:
    """Whether a loop writes all elements between those of a target, too."""
    *outer, inner = target.subscripts
    first = inner - inner.constant
    written = {
        other.subscripts[-1].constant % stride
        for compute in computes(loop.body)
        if (other := compute.target).array == target.array and not compute.conditional and compute.choice is None
        if [*other.subscripts[:-1]] == outer and other.subscripts[-1] - other.subscripts[-1].constant == first
    }
    return len(written) == stride


def _is_straight(loop: Loop, options: Options) -> bool:
    trips = constant_trips(loop.lower, loop.upper, loop.step)
    return loop.kind is LoopKind.UNROLLED and trips is not None and trips <= options.unroll_limit


def _compute_refusal(compute: Compute, loop: Loop, scatters: bool, lanes: int) -> str | None:
    variable = loop.variable
    strides = access_stride(compute.target, variable)
    if strides is None or gathered(compute.target, variable):
        return f"{compute.target} is scattered along {variable}"
    if not any(strides):
        return f"all lanes write {compute.target}"
    if not scatters and (any(strides[:-1]) or abs(strides[-1]) != 1):
        return f"{compute.target} is not written contiguously along {variable}"
    return read_refusal(compute.value, loop, lanes)


def read_refusal(value: Expression, loop: Loop, lanes: int) -> str | None:
    """Why a value cannot be computed in so many lanes of a loop; None where it can.

    Args:
        lanes: of vectors that begin with the loop; 1 where they begin elsewhere.
    """
    for node in e.walk_values(value):
        match node:
            case e.Fold():
                return f"the loop over {node.variable} inside of an expression has bounds from data"
            case e.Index(number, _) if steady_offsets(number, loop, lanes) is None:
                return f"{number} is not affine in {loop.variable}"
            case e.Call(function, _, _) if function not in TOTAL_FUNCTIONS:
                return f"{function} might not return for a lane that is masked off"
    return None


def _is_column(access: Access, rows: Mapping[str, int], lanes: int) -> bool:
    """Whether unrolled loops, with so many iterations, have neighbours of each lane's element: columns of a block."""
    moves = (count for variable, count in rows.items() if abs(access.subscripts[-1].coefficient(variable)) == 1)
    return any(2 * count >= lanes for count in moves)


def _unrolled(nodes: Iterable[Node]) -> dict[str, int]:
    """How many iterations unrolled loops have at most, outer ones first, where numbers say so; also of triangles."""
    ends, found = dict[str, tuple[int, int]](), dict[str, int]()

    def extreme(value: Affine, largest: bool) -> int | None:
        total = value.constant
        for atom, factor in value.terms:
            if not isinstance(atom, str) or atom not in ends:
                return None
            total += factor * ends[atom][largest == (factor > 0)]
        return total

    for loop in (node for node in nodes if isinstance(node, Loop)):
        if loop.kind is LoopKind.UNROLLED:
            trips = largest_trips(loop.lower, loop.upper) or extreme(loop.upper - loop.lower, largest=True)
            found[loop.variable] = max(trips or 1, 1)
        first, end = extreme(loop.lower, largest=False), extreme(loop.upper, largest=True)
        if first is not None and end is not None:
            ends[loop.variable] = first, end - 1
    return found


def _lazy_sides(value: Expression) -> Iterator[Expression]:
    """The operands of ``&&``, ``||`` and ``?:`` that C may leave unevaluated."""
    for node in e.walk_values(value):
        match node:
            case e.Logical(_, _, right):
                yield right
            case e.Select(_, then, otherwise, _):
                yield from (then, otherwise)


def _has_neighbour_before(access: Access, accesses: Collection[Access]) -> bool:
    """Whether each lane loads the element in front of its own, too: with that, see `polyloop.backend.planning.gathers`;
    no more than so many at once."""
    *outer, inner = access.subscripts
    before = 1
    while Access(access.array, (*outer, inner - before)) in accesses:
        before += 1
    return (before - 1) % NEIGHBOURS[0] > 0


NEIGHBOURS = (4, 2)
"""How many neighbouring elements each lane of gathers loads at once."""


def _access_counts(loop: Loop, around: tuple[Loop, ...], lanes: int) -> tuple[int, int]:
    """How often a tile gathers, and how often it touches memory contiguously: columns of a block are loaded by rows."""
    rows = _unrolled((*around, *walk(loop.body)))
    accesses: set[Access] = set()
    for compute in computes(loop.body):
        accesses.add(compute.target)
        accesses.update(read.access for read in e.reads(compute.value))
    strided = contiguous = 0
    for access in accesses:
        by_data = gathered(access, loop.variable) and steady_elements(access, loop, lanes) is None
        strides = access_stride(access, loop.variable)
        if strides is None:
            strides = (1,)  # whole vectors and a shuffle, if not one by one
        if not any(strides) and not by_data:
            continue
        used = frozenset[str]().union(*(s.variables() for s in access.subscripts))
        weight = prod(count for variable, count in rows.items() if variable in used)
        turned = not by_data and strides[-1] == 0 and _is_column(access, rows, lanes)
        shuffled = not by_data and is_spread(strides, lanes)
        if not (turned or shuffled) and (by_data or any(strides[:-1]) or abs(strides[-1]) > 1):
            strided += 0 if by_data and _has_neighbour_before(access, accesses) else weight
        else:
            contiguous += weight
    return strided, contiguous
