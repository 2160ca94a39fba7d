"""Straight-line code: nothing computed twice or known before, neighbouring vectors from one load, packed divisions."""

from __future__ import annotations

import operator as operators
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least
from polyloop.backend.ir.expressions import COMPARISONS, wrap_integer
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.traversal import arrays_touched, map_bodies, operands, uses, with_operands
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, map_bodies_with, with_facts
from polyloop.backend.planning.memory import Cell, Known, may_overlap
from polyloop.backend.planning.registers import registers_of
from polyloop.backend.planning.values import Emitter, Names

# --- Value numbering --------------------------------------------------------------------------------------------------
# Value numbering inside and across straight-line code: no load, broadcast or operation twice.
#
# A load takes the value that an earlier load or store of the same cell left, if no store between them may overlap; a
# store that the next one overwrites unread disappears; so do values that nobody uses and stores to local arrays that
# nobody loads. Operations are pure, so an equal operation over equal operands is the same value. What a nested loop
# or condition stores to is forgotten by whole arrays: what pays there is carried in registers by `registers`.


def reuse_values(statements: Iterable[v.Statement], facts: Facts, fresh: Names) -> tuple[v.Statement, ...]:
    """The same program with repeated loads and operations taken from where they are known.

    Args:
        fresh: of new values.
    """
    return _Numbering(fresh).run(statements, facts)


class _Memory(dict[str, Known[v.Value]]):
    """By array, the values of its cells; in an inner scope those that are known around it, copied when asked for."""

    def __init__(self, around: _Memory | None = None) -> None:
        super().__init__()
        self._around = around

    def __missing__(self, array: str) -> Known[v.Value]:
        self[array] = known = Known(None if self._around is None else self._around[array])
        return known

    @property
    def is_known(self) -> bool:
        """Whether anything may be."""
        return bool(self) or (self._around is not None and self._around.is_known)


@dataclass
class _Numbering:
    """What is known at one point of the program. Inner scopes start from a copy; `names` is shared by all.

    Attributes:
        constants: the values that are constants; shared by all.
        made: what computes values; shared by all.
        memory: by array, the values of its cells.
        unread: by array, where in `out` stores stand that nobody has read yet.
        branch: the last one on a value: the value, what is known in it, and where in `out` it stands.
    """

    fresh: Names
    names: dict[str, v.Value] = field(default_factory=dict)
    constants: dict[str, v.Constant] = field(default_factory=dict)
    made: dict[str, v.Operation] = field(default_factory=dict)
    pure: dict[v.Operation, v.Value] = field(default_factory=dict)
    memory: _Memory = field(default_factory=_Memory)
    unread: dict[str, Known[int]] = field(default_factory=dict)
    out: list[v.Statement | None] = field(default_factory=list)
    branch: tuple[v.Value, _Numbering, int] | None = None

    def run(self, statements: Iterable[v.Statement], facts: Facts) -> tuple[v.Statement, ...]:
        for statement in statements:
            self._statement(statement, facts)
            if isinstance(statement, v.Bind):
                facts = facts.with_equal(statement.variable, statement.value)
        return tuple(statement for statement in self.out if statement is not None)

    def name(self, value: v.Value) -> v.Value:
        return self.names.get(value.name, value)

    def _inner(self) -> _Numbering:
        return _Numbering(self.fresh, self.names, self.constants, self.made, dict(self.pure), _Memory(self.memory))

    def _statement(self, statement: v.Statement, facts: Facts) -> None:
        match statement:
            case v.Let():
                self._let(statement, facts)
            case v.Store(address, value, active, where):
                where = None if where is None else self.name(where)
                self._store(v.Store(address, self.name(value), active, where), facts)
            case v.For():
                self._for(statement, facts)
            case v.If(condition, then, orelse):
                stored = self._enter(statement)
                first = self._inner().run(then, facts.with_condition(condition))
                second = self._inner().run(orelse, facts.with_condition(condition, holds=False))
                self._forget_arrays(stored)
                self.out.append(v.If(condition, first, second))
            case v.When(value):
                self._when(self.name(value), statement, facts)
            case v.BindValue(variable, value):
                self.out.append(v.BindValue(variable, self.name(value)))
            case v.Prefetch() | v.Bind():
                self.out.append(statement)

    def _when(self, value: v.Value, branch: v.When, facts: Facts) -> None:
        """Branches on one value become one, if nothing between them touches memory."""
        if (known := self.constants.get(value.name)) is not None:
            for statement in branch.body if known.value else ():
                self._statement(statement, facts)
            return
        stored = self._enter(branch)
        inner, place = self._inner(), None
        if self.branch is not None and self.branch[0] == value:
            _, inner, place = self.branch
            between = self.out[place + 1 :]
            if not all(isinstance(s, v.Let) and not isinstance(s.operation, v.Load | v.LazyPick) for s in between if s):
                inner, place = self._inner(), None
        if place is not None:
            self.out[place] = None
        inside = inner.run(branch.body, facts)
        self._forget_arrays(stored)
        self.branch = value, inner, len(self.out)
        self.out.append(v.When(value, inside))

    def _let(self, let: v.Let, facts: Facts) -> None:
        operation = let.operation
        value = known = v.Value(let.name, operation.type)
        match operation:
            case v.Load(address):
                cells = self.memory[address.array]
                if operation.where is not None:
                    operation = replace(operation, where=self.name(operation.where))
                    let = v.Let(let.name, operation)
                    known = cells.get(Cell.loaded(replace(operation, where=None)), value)  # all lanes, these among them
                cell = Cell.loaded(operation)
                if known is value and (known := cells.get(cell, value)) is value:
                    cells[cell] = value
                if known is value:
                    self._read(cell, facts)
            case v.LazyPick(condition) if (chosen := self.constants.get(self.name(condition).name)) is not None:
                side = operation.then if chosen.value else operation.otherwise
                for statement in side:
                    self._statement(statement, facts)
                self.names[let.name] = self.name(operation.then_value if chosen.value else operation.otherwise_value)
                return
            case v.LazyPick():
                self._enter(let)
                let = v.Let(let.name, self._lazy(operation, facts))
            case _:
                renamed = merged(folded(with_operands(operation, self.name), self.constants), self.made)
                if isinstance(renamed, v.Value):
                    self.names[let.name] = renamed
                    return
                known = self.pure.setdefault(renamed, value)
                self.made.setdefault(known.name, renamed)
                if isinstance(renamed, v.Constant):
                    self.constants[known.name] = renamed
                if renamed is not operation:
                    let = v.Let(let.name, renamed)
        if known is value:
            self.out.append(let)
        else:
            self.names[let.name] = known

    def _lazy(self, pick: v.LazyPick, facts: Facts) -> v.LazyPick:
        then = self._inner().run(pick.then, facts)
        otherwise = self._inner().run(pick.otherwise, facts)
        return replace(
            pick,
            condition=self.name(pick.condition),
            then=then,
            then_value=self.name(pick.then_value),
            otherwise=otherwise,
            otherwise_value=self.name(pick.otherwise_value),
        )

    def _store(self, store: v.Store, facts: Facts) -> None:
        cell = Cell.stored(store)
        unread = self.unread.setdefault(cell.array, Known())
        if cell in unread:
            self.out[unread[cell]] = None
            del unread[cell]
        cells = self.memory[cell.array]
        whole = cell._replace(where=None)
        before = cells.get(whole)
        for known in cells.meeting(cell, facts):
            if known != cell:
                del cells[known]
        cells[cell] = store.value
        unread[cell] = len(self.out)
        self.out.append(store)
        if store.where is not None and before is not None:
            # What is loaded next would wait for the masked store.
            pick = v.Pick(store.where, store.value, before, before.type)
            cells[whole] = v.Value(self.fresh.fresh("v"), before.type)
            self.out.append(v.Let(cells[whole].name, pick))

    def _for(self, loop: v.For, facts: Facts) -> None:
        self._forget_arrays(self._enter(loop))
        initial = tuple(self.name(c.initial) for c in loop.carried)
        inner = self._inner()
        body = inner.run(loop.body, facts.with_loop(loop.variable, loop.lower, loop.upper))
        carried = tuple(
            v.Carried(c.name, c.type, first, self.name(c.next), c.result)
            for c, first in zip(loop.carried, initial, strict=True)
        )
        self.out.append(replace(loop, body=body, carried=carried))

    def _read(self, cell: Cell, facts: Facts) -> None:
        """A store that somebody reads has to stay."""
        unread = self.unread.get(cell.array, Known())
        for known in unread.meeting(cell, facts):
            del unread[known]

    def _enter(self, statement: v.Statement) -> frozenset[str]:
        """Before a statement with others inside: earlier stores to its arrays stay. Returns what it stores to, of what
        is known."""
        if not self.memory.is_known and not self.unread:
            return frozenset()
        loaded, stored = arrays_touched((statement,))
        for array in loaded | stored:
            self.unread.pop(array, None)
        return stored

    def _forget_arrays(self, stored: frozenset[str]) -> None:
        """After a statement with others inside: nothing is known any more of the arrays that it stores to."""
        for array in stored:
            self.memory[array] = Known()


def without_dead_code(statements: Iterable[v.Statement], arrays: Iterable[ArraySpec]) -> tuple[v.Statement, ...]:
    """Drop values that nobody uses, loops and conditions that do nothing, stores to local arrays that nobody loads."""
    statements = tuple(statements)
    unloaded = {a.name for a in arrays if a.storage is Storage.LOCAL}
    if unloaded:
        loaded, _ = arrays_touched(statements)
        unloaded -= loaded
    return _live(statements, set(), unloaded)


def _live(statements: tuple[v.Statement, ...], wanted: set[str], unloaded: set[str]) -> tuple[v.Statement, ...]:
    """Backwards: a definition stays if something behind it wants it. Adds to `wanted` what the rest wants."""
    kept: list[v.Statement] = []
    for statement in reversed(statements):
        match statement:
            case v.Let(name, operation):
                if name not in wanted:
                    continue
                if isinstance(operation, v.LazyPick):
                    wanted |= {operation.then_value.name, operation.otherwise_value.name}
                    statement = v.Let(
                        name,
                        replace(
                            operation,
                            then=_live(operation.then, wanted, unloaded),
                            otherwise=_live(operation.otherwise, wanted, unloaded),
                        ),
                    )
                    wanted.add(operation.condition.name)
                else:
                    wanted.update([value.name for value in operands(operation)])
            case v.Store(address, value, _, where):
                if address.array in unloaded:
                    continue
                wanted.update((value.name,) if where is None else (value.name, where.name))
            case v.For():
                statement = _live_loop(statement, wanted, unloaded)
                if not statement.body and not statement.carried:
                    continue
            case v.If(condition, then, orelse):
                statement = v.If(condition, _live(then, wanted, unloaded), _live(orelse, wanted, unloaded))
                if not statement.then and not statement.orelse:
                    continue
            case v.When(value, body):
                statement = v.When(value, _live(body, wanted, unloaded))
                if not statement.body:
                    continue
                wanted.add(value.name)
            case v.BindValue(_, value):
                wanted.add(value.name)
            case v.Prefetch() | v.Bind():
                pass
        kept.append(statement)
    return tuple(reversed(kept))


def _live_loop(loop: v.For, wanted: set[str], unloaded: set[str]) -> v.For:
    """A carried value stays if its result or its value inside is wanted; what it carries is then wanted, too."""
    carried = {c for c in loop.carried if c.result in wanted}
    going = set() if loop.going is None else {loop.going.name}
    while True:
        inside = wanted | going | {c.next.name for c in carried}
        body = _live(loop.body, inside, unloaded)
        more = {c for c in loop.carried if c.name in inside} - carried
        if not more:
            break
        carried |= more
    wanted |= inside | {c.initial.name for c in carried}
    return replace(loop, body=body, carried=tuple(c for c in loop.carried if c in carried))


# --- Known results ----------------------------------------------------------------------------------------------------
# Operations of which planning knows the result: those of constants, choices that are made, additions of nothing.
# Constant sides of ``&&``, ``||`` and ``?:`` leave such operations, and so do cut tiles and unrolled loops. Compilers
# fold them, too; here the code that is printed gets shorter, in every language.


_COMPUTE = {"+": operators.add, "-": operators.sub, "*": operators.mul, "&": operators.and_, "|": operators.or_}

_NOTHING = {"+": 0, "|": 0, "^": 0, "*": 1}
"""By a commutative operator of integers: the operand that leaves the other one as it is."""


def folded(operation: v.Operation, constants: Mapping[str, v.Constant]) -> v.Operation | v.Value:
    """The value that the operation always has, or a constant instead of it, or itself.

    Floating-point numbers are only chosen: -0.0 + 0.0 is not -0.0, and what is inexact raises a flag.

    Args:
        constants: those among the operands, and others, by name.
    """
    match operation:
        case v.Test(sign, left, right, type_):
            a, b = constants.get(left.name), constants.get(right.name)
            if a is None or b is None or left.type.element.is_float:
                return operation
            return v.Constant(int(COMPARISONS[sign](_integer(a), _integer(b))), type_)
        case v.Pick(condition, then, otherwise, _):
            known = constants.get(condition.name)
            if then == otherwise:
                return then
            return operation if known is None else then if known.value else otherwise
        case v.Broadcast(operand, type_):
            known = constants.get(operand.name)
            return operation if known is None else v.Constant(known.value, type_)
        case v.Convert(operand, type_) if not type_.element.is_float and not operand.type.element.is_float:
            known = constants.get(operand.name)
            return operation if known is None else v.Constant(wrap_integer(_integer(known), type_.element), type_)
        case v.Arithmetic(sign, (left, right), type_) if not type_.element.is_float:
            return _integers(operation, sign, left, right, constants)
        case _:
            return operation


def merged(operation: v.Operation | v.Value, made: Mapping[str, v.Operation]) -> v.Operation | v.Value:
    """A truth that is asked of a truth, and a choice between choices on the same condition; the smaller or larger of
    what a condition compares, as where two elements change places if they are not in order.

    Args:
        made: what computes the operands, and other values, by name.
    """
    match operation:
        case v.Test("!=", left, right, type_):
            zero, inner = made.get(right.name), made.get(left.name)
            while isinstance(inner, v.Convert) and not inner.type.element.is_float:
                left, inner = inner.operand, made.get(inner.operand.name)
            none = isinstance(zero, v.Constant) and not zero.type.element.is_float and _integer(zero) == 0
            return left if none and isinstance(inner, v.Test) and inner.type == type_ else operation
        case v.Pick(condition, then, otherwise, type_):
            first, second, test = (made.get(value.name) for value in (then, otherwise, condition))
            if isinstance(first, v.Pick) and first.condition == condition:
                then = first.then
            if isinstance(second, v.Pick) and second.condition == condition:
                otherwise = second.otherwise
            if then == otherwise:
                return then
            # Of equal floats, and of those that are not in any order, both forms take the second.
            ordering = ("<", ">") if type_.element.is_float else ("<", ">", "<=", ">=")
            among = isinstance(test, v.Test) and {then, otherwise} == {test.left, test.right}
            if isinstance(test, v.Test) and among and test.operator in ordering:
                smaller = (test.operator[0] == "<") == (then == test.left)
                return v.Arithmetic("min" if smaller else "max", (then, otherwise), type_)
            return v.Pick(condition, then, otherwise, type_)
        case _:
            return operation


def _integers(
    operation: v.Operation, sign: str, left: v.Value, right: v.Value, constants: Mapping[str, v.Constant]
) -> v.Operation | v.Value:
    """As `folded`, for two integers. What overflows in C stays as it is: it never runs."""
    a, b = constants.get(left.name), constants.get(right.name)
    if a is not None and b is not None:
        element = operation.type.element
        exact = _COMPUTE[sign](_integer(a), _integer(b)) if sign in _COMPUTE else None
        if exact is None or (element.kind == "int" and wrap_integer(exact, element) != exact):
            return operation
        return v.Constant(wrap_integer(exact, element), operation.type)
    if b is not None and b.value == (0 if sign in ("-", "<<", ">>") else _NOTHING.get(sign)):
        return left
    if a is not None and a.value == _NOTHING.get(sign):
        return right
    return operation


def _integer(constant: v.Constant) -> int:
    return wrap_integer(int(constant.value), constant.type.element)


# --- Neighbouring vectors ---------------------------------------------------------------------------------------------
# Neighbouring vectors from one load: a stencil's loads that differ by a few elements share what they have in common.
#
#     for i by 8:  B[i..] = A[i-1..] + A[i..] + A[i+1..]
#     ->  before = A[lower-1..], moved into the last lanes
#         for i by 8:  next = A[i+1..];  B[i..] = (before, next)[6..13] + (before, next)[7..14] + next;  before = next
#
# Vectors that start anywhere lie across two cache lines mostly, and cost two accesses; shuffles of registers cost
# less (Henretty et al., "Data Layout Transformation for Stencil Computations on Short-Vector SIMD Architectures", CC
# 2011, change the layout for it). C compilers do so only where they know that nothing overlaps, and gcc not at all.


LEAST = 3
"""Neighbours from which on it pays: with two of them there is one load less and one shuffle more."""

_Row: TypeAlias = "tuple[str, tuple[Affine, ...], Affine, v.ValueType]"


def share_neighbours(body: Iterable[v.Statement], names: Names, target: Target) -> tuple[v.Statement, ...]:
    """The statements with such loops in their new form."""
    done = [map_bodies(statement, partial(share_neighbours, names=names, target=target)) for statement in body]
    return tuple(_shared(each, names, target) if isinstance(each, v.For) else each for each in done)


@dataclass(frozen=True)
class _Neighbours:
    """Loads of one row.

    Attributes:
        names: of their values, by the constant part of the last subscript.
        load: of the first vector.
    """

    names: dict[int, list[str]]
    load: v.Load

    @property
    def first(self) -> int:
        return min(self.names)

    @property
    def last(self) -> int:
        return max(self.names)

    def of_first(self, count: int) -> _Neighbours:
        """Without those further along the row."""
        return replace(self, names={offset: self.names[offset] for offset in sorted(self.names)[:count]})

    def at(self, offset: int) -> v.Load:
        array, (*outer, inner), strides = self.load.address
        return v.Load(v.Address(array, (*outer, inner + (offset - inner.constant)), strides), self.load.type)


def _shared(loop: v.For, names: Names, target: Target) -> v.Statement:
    """The loop, and in front of it what its first iteration needs; the loop as it is where nothing can be shared."""
    groups = _neighbours(loop, target)
    if not groups:
        return loop
    before = Emitter(names)
    heads: list[v.Statement] = []
    carried: list[v.Carried] = []
    shuffles: dict[str, v.Shuffle] = {}
    for group in groups:
        type_ = group.load.type
        kept = v.Value(names.fresh("v"), type_)
        following = v.Value(group.names[group.last][0], type_)
        initial = _entering(loop, group, before)
        carried.append(v.Carried(kept.name, type_, initial, following, names.fresh("v")))
        heads.append(v.Let(following.name, group.at(group.last)))
        for offset, values in group.names.items():
            start = type_.lanes - (group.last - offset)
            lanes = tuple(range(start, start + type_.lanes))
            shuffles |= dict.fromkeys(values, v.Shuffle((kept, following), lanes, type_))
    leaders = {head.name for head in heads if isinstance(head, v.Let)}
    rest = (
        v.Let(statement.name, shuffles[statement.name])
        if isinstance(statement, v.Let) and statement.name in shuffles
        else statement
        for statement in loop.body
        if not (isinstance(statement, v.Let) and statement.name in leaders)
    )
    changed = replace(loop, body=(*heads, *rest), carried=tuple(carried))
    return v.If(at_least(loop.upper, loop.lower + 1), (*before.statements, changed))


def _entering(loop: v.For, group: _Neighbours, before: Emitter) -> v.Value:
    """What the first iteration finds kept: its first vector, moved so that it ends where the last vector begins."""
    type_, load = group.load.type, group.at(group.first)
    subscripts = tuple(s.substitute({loop.variable: loop.lower}) for s in load.address.subscripts)
    start = type_.lanes - (group.last - group.first)
    lanes = tuple((lane - start) % type_.lanes for lane in range(type_.lanes))
    first = before.let(v.Load(v.Address(load.address.array, subscripts, load.address.lane_strides), type_))
    return before.let(v.Shuffle((first, first), lanes, type_))


def _neighbours(loop: v.For, target: Target) -> list[_Neighbours]:
    """Rows of which the loop loads several neighbouring vectors in every iteration, and that it does not change: as
    many neighbours of each as the machine's figures say."""
    if loop.carried or loop.parallel or not all(is_straight(s) or isinstance(s, v.Prefetch) for s in loop.body):
        return []
    stored = {statement.address.array for statement in loop.body if isinstance(statement, v.Store)}
    rows: dict[_Row, _Neighbours] = {}
    others = False
    for statement in loop.body:
        match statement:
            case v.Let(name, v.Load(address, type_, active, where) as load) if type_.lanes > 1:
                row = _row(loop, address, type_)
            case _:
                continue
        if row is None or active is not None or where is not None or address.array in stored:
            others = True
            continue
        group = rows.setdefault(row, _Neighbours({}, load))
        group.names.setdefault(address.subscripts[-1].constant, []).append(name)
    groups = [g for g in rows.values() if len(g.names) >= LEAST and g.last - g.first < g.load.type.lanes]
    if not groups:
        return []
    alone = not others and len(groups) == len(rows)
    if load_cycles(target) >= 2 * shuffle_cycles(target):
        return groups if alone or _cycles(loop, groups, target) < _cycles(loop, [], target) else []
    # Where shuffles cost as much as loads both have their share: the first neighbours are shuffled, the rest loaded.
    most = max(len(group.names) for group in groups)
    ways = [[group.of_first(count) for group in groups] for count in range(most, 1, -1)]
    return min([[], *ways], key=lambda way: _cycles(loop, way, target))


def _cycles(loop: v.For, groups: Iterable[_Neighbours], target: Target) -> float:
    """Of an iteration where groups share a load: it waits for its loads, or for its arithmetic and for the shuffles,
    which take turns.

    Planes of five points, four rows at once, took 0.64 to 0.87 of the time with one load for all neighbours where it
    costs twice a shuffle (Zen 4, AVX-512). Where both cost the same (Emerald Rapids, AVX-512) one shuffle and two loads
    for three neighbours took 0.81 of the time of three loads, in lines of 400 and 2000 doubles 0.85 and 0.79, with two
    shuffles 0.97 and 0.98.
    """
    machine = target.machine
    operations = {"+": machine.add, "-": machine.add, "*": machine.multiply, "fma": machine.multiply_add}
    loads, busy = 0.0, Counter[str]()
    for statement in loop.body:
        match statement:
            case v.Let(_, v.Load(type=type_)) if type_.lanes > 1:
                loads += registers_of(type_, target)
            case v.Let(_, v.Arithmetic(operator, _, type_)) if operator in operations and type_.lanes > 1:
                busy["+" if operator == "-" else operator] += registers_of(type_, target)
    arithmetic = max((count / operations[operator].per_cycle for operator, count in busy.items()), default=0.0)
    shared = sum((len(group.names) - 1) * registers_of(group.load.type, target) for group in groups)
    return max((loads - shared) * load_cycles(target), arithmetic + shared * shuffle_cycles(target))


def load_cycles(target: Target) -> float:
    """Of a vector that starts anywhere."""
    return (1 + target.vector_bits / 8 / target.machine.line) / target.machine.load.per_cycle


def shuffle_cycles(target: Target) -> float:
    """Of a vector; halves of registers are shuffled one by one where there are no wider ones."""
    return (1 + (target.vector_bits == 256)) / target.machine.shuffle.per_cycle


def _row(loop: v.For, address: v.Address, type_: v.ValueType) -> _Row | None:
    """What neighbouring vectors have in common; None where the loop does not run along them."""
    *outer, inner = address.subscripts or (affine(0),)
    if type_.lanes < 2 or address.along != 1 or loop.step != type_.lanes:
        return None
    if inner.coefficient(loop.variable) != 1 or loop.variable in (inner - affine(loop.variable)).variables():
        return None
    if any(loop.variable in s.variables() for s in outer):
        return None
    return address.array, tuple(outer), inner - inner.constant, type_


# --- Divisions side by side -------------------------------------------------------------------------------------------
# Independent scalar divisions, and square roots, of straight-line code, side by side in vectors.
#
#     p0 = a0 / d0;  p1 = a1 / d1;  ..   ->   (p0, p1, ..) = (a0, a1, ..) / (d0, d1, ..)
#
# Rows of a recurrence that are unrolled as independent scalar chains are bound by the divider, which takes a vector
# in little more time than a scalar; packing and unpacking cost a few shuffles. Every lane rounds as the scalar does.
# It is superword-level parallelism (Larsen and Amarasinghe, PLDI 2000) for what the divider does; what computes the
# operands stays as it is.
#
# Straight-line code is put in levels: a statement's level counts the divisions on the longest path to it, through
# values and through memory that may be the same. Divisions of one level do not depend on each other. Below, square
# roots are divisions, too.


FEWEST = 4
"""Fewer lanes than this are not worth a vector."""

FULL = 2
"""Fewer vectors of independent divisions than this stay scalar: packing lengthens a chain that nothing hides."""


@dataclass(frozen=True)
class PackedDivisions:
    """The pass over a whole program."""

    names: Names
    target: Target

    def run(self, statements: Iterable[v.Statement], facts: Facts) -> tuple[v.Statement, ...]:
        return map_straight(statements, facts, self._region, self.run)

    def _region(self, region: list[v.Statement], facts: Facts) -> list[v.Statement]:
        if sum(map(_is_division, region)) < FEWEST:
            return region
        levels = _levels(region, facts)
        inside = {s.name for s in region if isinstance(s, v.Let) and not isinstance(s.operation, v.Constant)}
        result: list[v.Statement] = []
        packed = False
        for level in range(max(levels) + 1):
            here = [s for s, at in zip(region, levels, strict=True) if at == level]
            result.extend(s for s in here if not _is_division(s))
            packer = _Packer(Emitter(self.names, result))
            for group in self._groups([s for s in here if isinstance(s, v.Let) and _is_division(s)], inside):
                packed = packed or len(group) > 1
                packer.divide(group)
        return result if packed else region

    def _groups(self, divisions: Sequence[v.Let], inside: set[str]) -> list[list[v.Let]]:
        """Divisions by one vector each. Those with a common divisor go into different vectors, so that the divisors
        are packed once, except where it is the same for all."""
        count = Counter(map(_kind, divisions))
        seen: dict[str, int] = {}
        ranked: dict[tuple[type, v.ValueType, int], list[v.Let]] = {}
        for let in divisions:
            divisor = operands(let.operation)[-1].name
            rank = seen.get(divisor, 0)
            if divisor in inside:
                seen[divisor] = rank + 1
            ranked.setdefault((*_kind(let), rank), []).append(let)
        groups: list[list[v.Let]] = []
        for (operation, type_, _), lets in ranked.items():
            lanes = self.target.lanes(type_.element)
            if count[operation, type_] < FULL * lanes:
                lanes = 1
            while lets:
                while lanes > len(lets):
                    lanes //= 2
                width = lanes if lanes >= FEWEST else 1
                groups.append(lets[:width])
                lets = lets[width:]
        return groups


@dataclass
class _Packer:
    """Appends divisions; equal packs are made once."""

    emit: Emitter

    def __post_init__(self) -> None:
        self._packs: dict[tuple[v.Value, ...], v.Value] = {}

    def divide(self, group: list[v.Let]) -> None:
        if len(group) == 1:
            self.emit.append(group[0])
            return
        first, scalar = group[0].operation, group[0].operation.type
        wide = v.ValueType(scalar.element, len(group))
        packs = tuple(
            self._packed(each, wide) for each in zip(*(operands(let.operation) for let in group), strict=True)
        )
        assert isinstance(first, v.Arithmetic | v.Apply)
        quotient = self.emit.let(replace(first, operands=packs, type=wide))
        self.emit.statements.extend(v.Let(let.name, v.Lane(quotient, k, scalar)) for k, let in enumerate(group))

    def _packed(self, scalars: tuple[v.Value, ...], wide: v.ValueType) -> v.Value:
        if scalars not in self._packs:
            same = len(set(scalars)) == 1
            self._packs[scalars] = self.emit.let(v.Broadcast(scalars[0], wide) if same else v.Pack(scalars, wide))
        return self._packs[scalars]


def is_straight(statement: v.Statement) -> bool:
    match statement:
        case v.Let(_, operation):
            return not isinstance(operation, v.LazyPick)
        case _:
            return isinstance(statement, v.Store)


def map_straight(
    statements: Iterable[v.Statement],
    facts: Facts,
    region: Callable[[list[v.Statement], Facts], list[v.Statement]],
    bodies: Callable[[tuple[v.Statement, ...], Facts], tuple[v.Statement, ...]],
    straight: Callable[[v.Statement], bool] = is_straight,
) -> tuple[v.Statement, ...]:
    """Straight-line code as `region` returns it, given what holds in front of it; the other statements with their
    bodies as `bodies` returns them."""
    result: list[v.Statement] = []
    for together, group in groupby(with_facts(statements, facts), lambda pair: straight(pair[0])):
        pairs = [*group]
        if together:
            result += region([statement for statement, _ in pairs], pairs[0][1])
        else:
            result += [map_bodies_with(statement, here, bodies) for statement, here in pairs]
    return tuple(result)


def _is_division(statement: v.Statement) -> bool:
    match statement:
        case v.Let(
            _, v.Arithmetic("/", _, v.ValueType(element, 1)) | v.Apply("sqrt" | "sqrtf", _, v.ValueType(element, 1))
        ):
            return element.is_float
        case _:
            return False


def _kind(division: v.Let) -> tuple[type, v.ValueType]:
    return type(division.operation), division.operation.type


def _levels(region: Sequence[v.Statement], facts: Facts) -> list[int]:
    """The level of every statement; a division's result is known one level above its own."""
    known: dict[str, int] = {}
    touched: list[tuple[Cell, bool, int]] = []
    levels = []
    for statement in region:
        cell, stores = Cell.of(statement), isinstance(statement, v.Store)
        level = max((known.get(value.name, 0) for value in uses((statement,))), default=0)
        if cell is not None:
            for other, stored, at in touched:
                if at > level and (stores or stored) and (other == cell or may_overlap(other, cell, facts)):
                    level = at
            touched.append((cell, stores, level))
        if isinstance(statement, v.Let):
            known[statement.name] = level + int(_is_division(statement))
        levels.append(level)
    return levels
