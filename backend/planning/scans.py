"""Loops that use what a sum has come to on the way: in lanes.

    for i: s = s + x[i];  y[i] = s
    ->  for i in vectors: t = x[i ..];  t = t + (t, moved on by one lane);  .. by two;  .. by four;  ..
        y[i ..] = t + s in all lanes;  s = s + (the last lane of t)

The steps of a vector do not wait for the sum of the vectors before, to which each adds one number. Integers wrap, so
the order of additions does not matter; extrema and operations on bits go the same way. Sums may add up what other sums
in front of them have come to (checksums).

References:
    Hillis and Steele, "Data Parallel Algorithms", CACM 29(12), 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Access, Expression, certain_accesses
from polyloop.backend.ir.loop_nest import Block, Compute, Loop, LoopKind
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import access_stride, chosen_sides, gathered, unsigned
from polyloop.backend.planning.values import Emitter, ValueLowering, as_extremum
from polyloop.backend.planning.vectors import lane_count, read_refusal

FEWEST = 4
"""Lanes from which on a vector is faster than as many additions, one after the other."""


@dataclass(frozen=True)
class Running:
    """A statement that adds to a cell: its place among all, what it adds (`added`), and how."""

    place: int
    operator: str
    added: Expression


@dataclass(frozen=True)
class Scan:
    """Such a loop.

    Attributes:
        running: the statements that add to cells, by these.
        asked: cells whose values other statements ask for; what is added to others is summed lane by lane.
        first: places of statements whose cells are asked for in front of them.
        origins: of cells that stand for the element before, that element; the loop does not write to them.
    """

    computes: tuple[Compute, ...]
    running: dict[Access, Running]
    asked: frozenset[Access]
    first: frozenset[int]
    lanes: int
    origins: dict[Access, e.Read]


def scan(loop: Loop, target: Target, fresh: Callable[[str], str]) -> Scan | None:
    """The loop as one, if it is one.

    Args:
        fresh: makes names of arrays.
    """
    body = loop.body.children if isinstance(loop.body, Block) else (loop.body,)
    before = [child for child in body if isinstance(child, Compute)]
    if loop.kind is not LoopKind.SEQUENTIAL or loop.step != 1 or len(before) < len(body):
        return None
    origins: dict[Access, e.Read] = {}
    computes = tuple(part for compute in before for part in _with_cell(compute, loop.variable, fresh, origins))
    running: dict[Access, Running] = {}
    for place, compute in enumerate(computes):
        moves = access_stride(compute.target, loop.variable)
        if moves is None or compute.target.data or compute.conditional:
            return None
        if not any(moves):
            found = _running(compute, place)
            if found is None:
                return None
            running[compute.target] = found
        elif any(moves[:-1]) or moves[-1] != 1:
            return None
    written = {compute.target.array: compute.target for compute in computes}
    values = [running[c.target].added if c.target in running else c.value for c in computes]
    if len(written) < len(computes) or not all(_is_free(value, written, loop) for value in values):
        return None
    asks = [(place, read.access) for place, value in enumerate(values) for read in e.reads(value)]
    asked = frozenset(access for _, access in asks if access in running)
    first = frozenset(
        running[access].place for place, access in asks if access in asked and place < running[access].place
    )
    if not all(_is_alone(values[place], written) for place in first):
        return None
    lanes = lane_count(loop, target)
    return Scan(computes, running, asked, first, lanes, origins) if asked and lanes >= FEWEST else None


def _with_cell(
    compute: Compute, variable: str, fresh: Callable[[str], str], origins: dict[Access, e.Read]
) -> tuple[Compute, ...]:
    """A[i] = A[i - 1] + x as c = c + x; A[i] = c, where c begins as the element in front of the first."""
    own = next((read for read in e.reads(compute.value) if _is_before(read.access, compute.target, variable)), None)
    if own is None:
        return (compute,)
    cell = e.Read(Access(fresh("last"), (affine(0),)), own.type)
    origins[cell.access] = own
    value = e.rewrite(compute.value, lambda node: cell if node == own else node)
    return replace(compute, target=cell.access, value=value), replace(compute, value=cell)


def _is_before(access: Access, target: Access, variable: str) -> bool:
    """Whether an element is that which the iteration before has written."""
    if access.array != target.array or access.data or target.data or not target.subscripts:
        return False
    moved = [s.substitute({variable: affine(variable) - 1}) for s in target.subscripts]
    return list(access.subscripts) == moved and target.subscripts[-1].coefficient(variable) == 1


def _running(compute: Compute, place: int) -> Running | None:
    own, value = e.Read(compute.target, compute.value.type), compute.value
    if value.type.is_float:
        return None
    if isinstance(value, e.Select) and (extremum := as_extremum(value)) is not None:
        operator, left, right = extremum
        other = right if left == own else left
        apart = all(read.access.array != compute.target.array for read in e.reads(other))
        return Running(place, operator, other) if own in (left, right) and apart else None
    sides = chosen_sides(compute)
    return None if sides is None or sides[0] == "*" else Running(place, *sides)


def _is_alone(value: Expression, written: Mapping[str, Access]) -> bool:
    """Whether nothing that the loop writes goes into a value."""
    return all(read.access.array not in written for read in e.reads(value))


def _is_free(value: Expression, written: Mapping[str, Access], loop: Loop) -> bool:
    """Whether all iterations of a vector can compute something at once: they ask for their own elements only of what
    others write, and for no element that C may not ask for."""
    for node in e.walk(value):
        match node:
            case e.Read(access):
                *outer, inner = access_stride(access, loop.variable) or (0,)
                if gathered(access, loop.variable) or any(outer) or inner not in (0, 1):
                    return False
                if written.get(access.array, access) != access:
                    return False
                # What lies where a running sum leads to would be an element for each lane.
                if any(read.access.array in written for datum in access.data for read in e.reads(datum.value)):
                    return False
            case e.Binary("/" | "%") | e.Call() | e.Fold() | e.Partial():
                return False
    lazy = {read.access for read in e.reads(value)} - certain_accesses(value)
    return not lazy and read_refusal(value, loop, 1) is None


@dataclass
class ScanLowering:
    """One vector of a loop.

    Attributes:
        sums: what cells come to in every lane; behind it, what they were before.
    """

    emit: Emitter
    found: Scan
    sums: dict[Access, tuple[v.Value, v.Value]] = field(default_factory=dict)

    def asking(self, place: int, lowering: ValueLowering) -> ValueLowering:
        """What lowers a statement, with names for what cells come to."""
        known = {a: sums[0 if place > self.found.running[a].place else 1] for a, sums in self.sums.items()}
        names = {access: f"scan {number}" for number, access in enumerate(known)}

        def one(node: Expression) -> Expression:
            return (
                e.Partial(names[node.access], node.type) if isinstance(node, e.Read) and node.access in names else node
            )

        compute = replace(lowering.compute, value=e.rewrite(lowering.compute.value, one))
        return replace(lowering, compute=compute, partials={names[a]: value for a, value in known.items()})

    def run(self, compute: Compute, place: int, lowering: ValueLowering) -> None:
        """Add a vector to a cell, whose value others ask for."""
        emit, lanes, stored, address = self.emit, self.found.lanes, compute.value.type, lowering.target()
        own = self.found.running[compute.target]
        inside, operator = (
            self.asking(place, replace(lowering, compute=replace(compute, value=own.added))),
            own.operator,
        )
        wide = unsigned(stored) if operator in "+-" else stored
        vector = emit.convert(emit.widen(inside.lower(inside.compute.value), lanes), wide)
        if operator == "-":
            vector, operator = emit.arithmetic("-", emit.constant(0, vector.type), vector), "+"
        vector = self._scanned(operator, vector)
        last = emit.let(v.Lane(vector, lanes - 1, v.ValueType(wide)))
        before = emit.convert(emit.let(v.Load(address, v.ValueType(stored))), wide)
        whole = emit.widen(before, lanes)
        sums = emit.arithmetic(operator, vector, whole)
        late = emit.let(v.Shuffle((whole, sums), (0, *range(lanes, 2 * lanes - 1)), sums.type))
        self.sums[compute.target] = emit.convert(sums, stored), emit.convert(late, stored)
        emit.append(v.Store(address, emit.convert(emit.arithmetic(operator, before, last), stored)))

    def _scanned(self, operator: str, vector: v.Value) -> v.Value:
        """Every lane with those in front of it."""
        lanes, step = vector.type.lanes, 1
        while step < lanes:
            if operator in ("+", "^", "|"):
                pair = self.emit.constant(0, vector.type), vector
                order = tuple(range(lanes - step, 2 * lanes - step))
            else:  # lanes without one so far in front may have their own number twice
                pair = vector, vector
                order = tuple(lane - step if lane >= step else lane for lane in range(lanes))
            moved = self.emit.let(v.Shuffle(pair, order, vector.type))
            vector = self.emit.arithmetic(operator, vector, moved)
            step *= 2
        return vector
