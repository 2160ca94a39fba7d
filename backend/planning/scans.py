"""Loops that use what a sum has come to on the way: in lanes.

    for i: s = s + x[i];  y[i] = s
    ->  for i in vectors: t = x[i ..];  t = t + (t, moved on by one lane);  .. by two;  .. by four;  ..
        y[i ..] = t + s in all lanes;  s = s + (the last lane of t)

The steps of a vector do not wait for the sum of the vectors before, to which each adds one number. Integers wrap, so
the order of additions does not matter; extrema and operations on bits go the same way. Sums may add up what other sums
in front of them have come to (checksums).

What a cell holds may drift on the way, and begin anew under a condition (alignments of sequences, distance transforms,
lengths of runs):

    h = max(h - 2, x[i])                    moved lanes drift by 2, 4, 8, .. before the greater ones are taken
    h = a[i] == b[i] ? h + 1 : 0            a lane that begins anew takes nothing from those in front of it

A number that drifts out of its type's range stays at the end: the maximum with what is there already is the same.

References:
    Hillis and Steele, "Data Parallel Algorithms", CACM 29(12), 1986.
    Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990, section 1.4 (recurrences of first order) and
    1.5 (segmented scans).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Compare, affine, at_least, maximum, minimum
from polyloop.backend.ir.expressions import Access, Expression, certain_accesses
from polyloop.backend.ir.loop_nest import Block, Compute, Loop, LoopKind
from polyloop.backend.ir.ranges import fits, value_bounds, value_range
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import access_stride, chosen_sides, gathered, unsigned
from polyloop.backend.planning.values import Emitter, ValueLowering, as_extremum, divides_integers
from polyloop.backend.planning.vectors import lane_count, read_refusal

_NOTHING = affine(0)

FEWEST = 4
"""Lanes from which on a vector is faster than as many additions, one after the other."""


@dataclass(frozen=True)
class Running:
    """A statement that adds to a cell.

    Attributes:
        place: among all statements.
        operator, added: cell = cell operator added.
        drift: how much the cell moves before, the same in all iterations, as a subscript; with extrema only.
        kept: where this does not hold, the cell becomes what is added.
    """

    place: int
    operator: str
    added: Expression
    drift: Affine = _NOTHING
    kept: Expression | None = None

    @property
    def values(self) -> tuple[Expression, ...]:
        """What lanes compute by themselves."""
        return (self.added,) if self.kept is None else (self.added, self.kept)

    @property
    def data(self) -> tuple[e.Datum, ...]:
        """What the drift is read from."""
        return tuple(atom for atom, _ in self.drift.terms if isinstance(atom, e.Datum))

    @property
    def is_plain(self) -> bool:
        """Whether lanes may be summed up by themselves: nobody asks where the cell was on the way."""
        return self.drift == _NOTHING and self.kept is None


@dataclass(frozen=True)
class Scan:
    """Such a loop.

    Attributes:
        running: the statements that add to cells, by these.
        asked: cells whose values other statements ask for; what is added to others is summed lane by lane.
        first: places of statements whose cells are asked for in front of them.
        origins: of cells that stand for the element before, that element; the loop does not write to them.
        drifts: of cells; data in them become numbers in front of the loop.
        apart: the first iteration stands by itself, as C may not ask for the element in front of it.
    """

    computes: tuple[Compute, ...]
    running: dict[Access, Running]
    asked: frozenset[Access]
    first: frozenset[int]
    lanes: int
    origins: dict[Access, e.Read]
    drifts: Mapping[Access, Affine]
    apart: bool

    def within(self) -> tuple[Compare, ...]:
        """What lanes may be taken under: no number drifts through its type's range within a vector."""
        ends = [
            (self.drifts[access], value_range(self.computes[own.place].value.type)[1])
            for access, own in self.running.items()
        ]
        limits = ((drift, most // self.lanes) for drift, most in ends)
        conditions = (c for drift, most in limits for c in (at_least(drift, -most), at_least(most, drift)))
        return tuple(c for c in conditions if not (c.left.is_constant and c.left.constant >= 0))


def scan(loop: Loop, target: Target, fresh: Callable[[str], str], wraps: bool = False) -> Scan | None:
    """The loop as one, if it is one.

    Args:
        fresh: makes names of arrays.
        wraps: see `LoopNest`; what drifts must not, then.
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
        if moves is None or compute.target.data or not _may_store(compute, any(moves), target):
            return None
        if not any(moves):
            found = _running(compute, place)
            if found is None or (wraps and found.drift != _NOTHING) or loop.variable in found.drift.variables():
                return None
            running[compute.target] = found
        elif any(moves[:-1]) or abs(moves[-1]) != 1:
            return None
    written = {compute.target.array: compute.target for compute in computes}
    values = [running[c.target].values if c.target in running else (c.value,) for c in computes]
    if len(written) < len(computes) or not all(
        _is_free(value, written, loop, target) for own in values for value in own
    ):
        return None
    if not all(_is_alone(datum.value, written) for own in running.values() for datum in own.data):
        return None
    asks = [(place, read.access) for place, own in enumerate(values) for value in own for read in e.reads(value)]
    asked = frozenset(access for _, access in asks if access in running)
    asked |= {access for access, own in running.items() if not own.is_plain}
    first = frozenset(
        running[access].place for place, access in asks if access in asked and place < running[access].place
    )
    if not all(_is_alone(value, written) for place in first for value in values[place]):
        return None
    lanes = lane_count(loop, target)
    if not asked or lanes < FEWEST:
        return None
    drifts = {access: own.drift for access, own in running.items()}
    apart = not all(any(_asks(compute.value, origin.access) for compute in before) for origin in origins.values())
    whole = Scan(computes, running, asked, first, lanes, origins, drifts, apart)
    return None if any(condition.left.is_constant for condition in whole.within()) else whole


def _with_cell(
    compute: Compute, variable: str, fresh: Callable[[str], str], origins: dict[Access, e.Read]
) -> tuple[Compute, ...]:
    """A[i] = A[i - 1] + x as c = c + x; A[i] = c, where c begins as the element in front of the first."""
    own = next((read for read in e.reads(compute.value) if _is_before(read.access, compute.target, variable)), None)
    # What is kept under a condition is read then, which C may not do.
    if own is None or (compute.choice is not None and compute.target not in certain_accesses(compute.choice.condition)):
        return (compute,)
    cell = e.Read(Access(fresh("last"), (affine(0),)), own.type)
    origins[cell.access] = own
    value = e.rewrite(compute.value, lambda node: cell if node == own else node)
    stored: Expression = cell
    if compute.choice is not None:  # what is there already need not be stored once more
        there = compute.choice.otherwise
        stored = e.Select(e.Comparison("!=", cell, there), cell, there, cell.type)
    return replace(compute, target=cell.access, value=value, conditional=False), replace(compute, value=stored)


def _may_store(compute: Compute, moves: bool, target: Target) -> bool:
    """Whether lanes store where C does."""
    if not compute.conditional:
        return True
    masks = target.masks or target.masks_elements(compute.value.type)
    return moves and masks and compute.choice is not None


def _asks(value: Expression, access: Access) -> bool:
    """Whether C certainly reads an element for a value: both sides of a choice may ask for it, too, which
    `certain_accesses` must not say: where the choice is whether to store, C does not read the side that is there."""
    match value:
        case e.Select(condition, then, otherwise, _):
            return _asks(condition, access) or (_asks(then, access) and _asks(otherwise, access))
        case e.Logical(_, left, _):
            return _asks(left, access)
        case e.Read(read) if read == access:
            return True
    return any(_asks(child, access) for child in e.children(value))


def _is_before(access: Access, target: Access, variable: str) -> bool:
    """Whether an element is that which the iteration before has written."""
    if access.array != target.array or access.data or target.data or not target.subscripts:
        return False
    moved = [s.substitute({variable: affine(variable) - 1}) for s in target.subscripts]
    return list(access.subscripts) == moved and abs(target.subscripts[-1].coefficient(variable)) == 1


def _running(compute: Compute, place: int) -> Running | None:
    if compute.value.type.is_float:
        return None
    sides = chosen_sides(compute)
    if sides is not None:
        return None if sides[0] == "*" else Running(place, *sides)
    return _extremum(compute, place) or _anew(compute, place)


def _extremum(compute: Compute, place: int) -> Running | None:
    """The largest, or smallest, of the cell, which may move by a constant, and others."""
    tree, stored = _as_compared(compute.value), compute.value.type
    if isinstance(tree, e.Cast) and not tree.operand.type.is_float and fits(value_bounds(tree.operand), stored):
        tree = tree.operand
    found = as_extremum(tree) if isinstance(tree, e.Select) else None
    if found is None:
        return None
    operator, others, drifts = found[0], list[Expression](), list[Affine]()
    for operand in _operands(tree, operator):
        if (drift := _drift(operand, compute)) is not None:
            drifts.append(drift)
        elif any(read.access.array == compute.target.array for read in e.reads(operand)):
            return None
        else:
            others.append(operand)
    if len(drifts) != 1 or not others:
        return None
    least, most = value_range(stored)

    def chosen(first: Expression, second: Expression) -> Expression:
        sign = "<" if operator == "min" else ">"
        return e.Select(e.Comparison(sign, first, second), first, second, tree.type)

    added = reduce(chosen, others)
    if not fits(value_bounds(added), stored):  # what lies behind the far end of the stored type is never chosen
        added = chosen(added, e.Literal(most if operator == "min" else least, tree.type))
    added = added if added.type == stored else e.Cast(added, stored)
    return Running(place, operator, added, drifts[0])


def _anew(compute: Compute, place: int) -> Running | None:
    """A cell that something is added to under a condition on others, and that begins anew where this does not hold."""
    value, cell = compute.value, compute.target
    if not isinstance(value, e.Select) or not _is_without(value.condition, cell):
        return None
    holds = _is_without(value.otherwise, cell)
    changed, other = (value.then, value.otherwise) if holds else (value.otherwise, value.then)
    inner = _running(replace(compute, value=changed), place) if _is_without(other, cell) else None
    if inner is None or inner.kept is not None or inner.operator == "&":
        return None
    added, operator = inner.added, inner.operator
    if operator == "-":
        wide = unsigned(added.type)
        added, operator = e.Cast(e.Binary("-", e.Literal(0, wide), e.Cast(added, wide), wide), added.type), "+"
    sides = (added, other) if holds else (other, added)
    kept = value.condition if holds else e.Unary("!", value.condition, e.I32)
    return Running(place, operator, e.Select(value.condition, *sides, value.type), inner.drift, kept)


def _as_compared(value: Expression) -> Expression:
    """A choice between two numbers as that between what they were compared as, which is converted then."""
    match value:
        case e.Select(e.Comparison(_, left, right) as condition, then, otherwise, type_) if left.type != type_:
            for first, second in ((left, right), (right, left)):
                if _is_same(first, then) and _is_same(second, otherwise):
                    return e.Cast(e.Select(condition, first, second, left.type), type_)
    return value


def _is_same(wide: Expression, narrow: Expression) -> bool:
    """Whether one is the other in a wider type, or becomes it in the narrower one."""
    return wide == e.Cast(narrow, wide.type) or narrow == e.Cast(wide, narrow.type)


def _operands(value: Expression, operator: str) -> Iterator[Expression]:
    """Those of an extremum of extrema."""
    found = as_extremum(value) if isinstance(value, e.Select) else None
    if found is not None and found[0] == operator:
        for operand in found[1:]:
            yield from _operands(operand, operator)
    else:
        yield value


def _drift(value: Expression, compute: Compute) -> Affine | None:
    """By how much the cell's own value moves; None of other values.

    The sum is of signed numbers, which nobody lets overflow.
    """
    match value:
        case e.Cast(e.Read(access), type_) if access == compute.target and type_.kind == "int":
            return _NOTHING if type_.bits > compute.value.type.bits else None
        case e.Read(access) if access == compute.target:
            return _NOTHING
        case e.Binary("+" | "-" as sign, left, right, type_) if type_.kind == "int":
            for moved, step in ((left, right), (right, left)) if sign == "+" else ((left, right),):
                before, number = _drift(moved, compute), _step(step, compute)
                if before is not None and number is not None:
                    return before + number if sign == "+" else before - number
    return None


def _step(value: Expression, compute: Compute) -> Affine | None:
    match value:
        case e.Literal(number):
            return affine(int(number))
        case e.Index(number):
            return number
    reads = {read.access for read in e.reads(value)}
    is_read = _is_without(value, compute.target) and reads <= certain_accesses(compute.value, compute.conditional)
    return Affine(((e.Datum(value), 1),)) if is_read and not divides_integers(value) else None


def _is_without(value: Expression, access: Access) -> bool:
    return all(read.access.array != access.array for read in e.reads(value))


def _is_alone(value: Expression, written: Mapping[str, Access]) -> bool:
    """Whether nothing that the loop writes goes into a value."""
    return all(read.access.array not in written for read in e.reads(value))


def _is_free(value: Expression, written: Mapping[str, Access], loop: Loop, target: Target) -> bool:
    """Whether all iterations of a vector can compute something at once: they ask for their own elements only of what
    others write, or for such in other rows, and what C may not ask for can be masked."""
    for node in e.walk(value):
        match node:
            case e.Read(access):
                *outer, inner = access_stride(access, loop.variable) or (0,)
                if gathered(access, loop.variable) or any(outer) or inner not in (-1, 0, 1):
                    return False
                if (own := written.get(access.array, access)) != access and not _in_other_row(access, own):
                    return False
                # What lies where a running sum leads to would be an element for each lane.
                if any(read.access.array in written for datum in access.data for read in e.reads(datum.value)):
                    return False
            case e.Binary("/" | "%") | e.Call() | e.Fold() | e.Partial():
                return False
    certain = certain_accesses(value, conditional=True)  # its outermost choice may be whether to store
    lazy = [read for read in e.reads(value) if read.access not in certain]
    masked = all(not read.access.data and (target.masks or target.masks_elements(read.type)) for read in lazy)
    return masked and read_refusal(value, loop, 1) is None


def _in_other_row(first: Access, second: Access) -> bool:
    """Whether elements of an array lie in rows that are not the same one, whatever the loops' variables."""
    distances = [a - b for a, b in zip(first.subscripts[:-1], second.subscripts[:-1], strict=True)]
    return not (first.data or second.data) and any(d.constant and not d.terms for d in distances)


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
        fold = _Fold(emit, operator, self.found.drifts[compute.target], wide, own.kept is not None)
        keeping = None
        if own.kept is not None:
            asking = self.asking(place, replace(lowering, compute=replace(compute, value=own.kept)))
            keeping = fold.keeping(emit.widen(asking.truth(asking.compute.value), lanes))
        vector, keeping = fold.lanes(vector, keeping)
        last, last_keeping = (
            None if value is None else emit.let(v.Lane(value, lanes - 1, v.ValueType(wide)))
            for value in (vector, keeping)
        )
        assert last is not None
        before = emit.convert(emit.let(v.Load(address, v.ValueType(stored))), wide)
        whole = emit.widen(before, lanes)
        sums = fold.added(vector, fold.moved(whole, tuple(range(1, lanes + 1))), keeping)
        late = emit.let(v.Shuffle((whole, sums), (0, *range(lanes, 2 * lanes - 1)), sums.type))
        self.sums[compute.target] = emit.convert(sums, stored), emit.convert(late, stored)
        following = fold.added(last, fold.moved(before, (lanes,)), last_keeping)
        emit.append(v.Store(address, emit.convert(following, stored)))


@dataclass
class _Fold:
    """How lanes are folded into those behind them.

    Attributes:
        drift: how much a number moves from one lane to the next.
        anew: lanes may take nothing from those in front of them. What they take is limited, then, by what `keeping`
            makes of the condition: numbers by the type's ends, sums and bits by all bits or none.
    """

    emit: Emitter
    operator: str
    drift: Affine
    type: e.ScalarType
    anew: bool

    @property
    def _limit(self) -> str:
        return {"max": "min", "min": "max"}.get(self.operator, "&")

    def keeping(self, condition: v.Value) -> v.Value:
        least, most = value_range(self.type)
        everything = {"max": most, "min": least}.get(self.operator, -1 if least else most)
        nothing = {"max": least, "min": most}.get(self.operator, 0)
        type_ = v.ValueType(self.type, condition.type.lanes)
        return self.emit.pick(condition, self.emit.constant(everything, type_), self.emit.constant(nothing, type_))

    def added(self, values: v.Value, moved: v.Value, keeping: v.Value | None) -> v.Value:
        if keeping is not None:
            moved = self.emit.arithmetic(self._limit, moved, keeping)
        return self.emit.arithmetic(self.operator, values, moved)

    def moved(self, values: v.Value, steps: tuple[int, ...]) -> v.Value:
        """The numbers, moved by as many lanes as `steps` says; those that leave the type's range end at its ends.

        At the end that an extremum never chooses, that is what C computes, which has other numbers to choose from; the
        other end is left by sums alone that C does not compute, as lanes between them begin anew.
        """
        if self.drift == _NOTHING:
            return values
        least, most = value_range(self.type)
        down, up = minimum(self.drift, 0), maximum(self.drift, 0)
        if down != _NOTHING and (self.anew or self.operator == "max"):
            values = self.emit.arithmetic("max", values, self._numbers(least, -down, steps))
        if up != _NOTHING and (self.anew or self.operator == "min"):
            values = self.emit.arithmetic("min", values, self._numbers(most, -up, steps))
        if up == _NOTHING:
            return self.emit.arithmetic("-", values, self._numbers(0, -down, steps))
        return self.emit.arithmetic("+", values, self._numbers(0, self.drift, steps))

    def _numbers(self, first: int, drift: Affine, steps: tuple[int, ...]) -> v.Value:
        """first + drift * step in every lane."""
        one, vector = v.ValueType(self.type), v.ValueType(self.type, len(steps))
        if len(set(steps)) > 1 and not drift.is_constant and min(steps) > 0:
            factors = self.emit.let(v.IndexValue(affine(steps[0]), steps[1] - steps[0], vector))
            return self.emit.arithmetic(
                "+", self.emit.constant(first, one), self.emit.arithmetic("*", factors, self._number(drift))
            )
        numbers = {step: self._number(drift * step + first) for step in dict.fromkeys(steps)}
        if len(numbers) == 1:
            return numbers[steps[0]]
        return self.emit.let(v.Pack(tuple(numbers[step] for step in steps), vector))

    def _number(self, value: Affine) -> v.Value:
        type_ = v.ValueType(self.type)
        return (
            self.emit.constant(value.constant, type_)
            if value.is_constant
            else self.emit.let(v.IndexValue(value, 0, type_))
        )

    def lanes(self, vector: v.Value, keeping: v.Value | None) -> tuple[v.Value, v.Value | None]:
        """Every lane with those in front of it, and whether it keeps what comes from in front of all."""
        lanes, step = vector.type.lanes, 1
        while step < lanes:
            own = tuple(lane - step if lane >= step else lane for lane in range(lanes))
            if self.operator in ("+", "^", "|"):
                pair = self.emit.constant(0, vector.type), vector
                order = tuple(range(lanes - step, 2 * lanes - step))
            else:  # lanes without one so far in front may have their own number twice
                pair, order = (vector, vector), own
            moved = self.emit.let(v.Shuffle(pair, order, vector.type))
            # ... but not where it grows on the way.
            grows = (maximum(self.drift, 0) if self.operator == "max" else minimum(self.drift, 0)) != _NOTHING
            moved = self.moved(moved, tuple(0 if grows and lane < step else step for lane in range(lanes)))
            vector = self.added(vector, moved, keeping)
            if keeping is not None:
                before = self.emit.let(v.Shuffle((keeping, keeping), own, keeping.type))
                keeping = self.emit.arithmetic(self._limit, keeping, before)
            step *= 2
        return vector, keeping
