"""Register promotion: what a loop touches at one address in every iteration lives in a value that the loop carries.

    for k: C[i][j] = C[i][j] + ..   ->   c = C[i][j];  for k carrying c: c' = c + ..;  C[i][j] = c

Loops are taken from the inside out, so what an inner loop loads before and stores after itself is carried by the loop
around it, too. An address may be promoted if no other access of the loop's body to the same array may overlap it.
A load of what the iteration before has stored is carried as well (x[i] = f(x[i-1])).
Loads of what is not written, and operations on what does not change, move in front of the loop. Where the loop may run
no iteration, everything moves into a condition that it runs one: a cell that the nest does not touch is left alone.

How many registers a loop takes is counted here, too, and how many steps of it stand one behind the other for that.

Scalar replacement is due to Callahan, Carr and Kennedy, "Improving register allocation for subscripted variables",
PLDI 1990; here addresses are compared by proofs over the loops' bounds and not by dependence distances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine, at_least, condition_variables
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.traversal import (
    address_variables,
    affine_variables,
    all_operands,
    bound_variables,
    definitions,
    operands,
    renamed,
    uses,
    walk,
)
from polyloop.backend.ir.vector_program import Carried, Operation, Statement, Value, ValueType
from polyloop.backend.machine import core
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, map_bodies_with, with_facts
from polyloop.backend.planning.memory import Cell, Touch, in_bounds, may_overlap, touches
from polyloop.backend.planning.values import Emitter, Names

_SINKING_BITS = 512
"""With 32 such registers, LLVM's scheduler finds an order that needs fewer of them; with 16, or for NEON, it spills."""


@dataclass(frozen=True)
class Promotion:
    """Promotes in all loops of a program.

    Attributes:
        capacity: vector registers that values living across iterations may take.
    """

    names: Names
    arrays: Mapping[str, ArraySpec]
    target: Target
    capacity: int

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement, here in with_facts(statements, facts):
            done = map_bodies_with(statement, here, self.run)
            result.extend(self._outward(done, here) if isinstance(done, v.For) else (done,))
        return tuple(result)

    def _outward(self, loop: v.For, facts: Facts) -> tuple[Statement, ...]:
        """Move what does not change out of a loop whose inner loops are done."""
        changing = frozenset((loop.variable, *bound_variables(loop.body)))
        match loop.body:
            case (v.If(condition, then, orelse),) if not loop.carried and changing.isdisjoint(
                condition_variables(condition)
            ):
                first = self._outward(replace(loop, body=then), facts.with_condition(condition)) if then else ()
                negative = facts.with_condition(condition, holds=False)
                second = self._outward(replace(loop, body=orelse), negative) if orelse else ()
                return (v.If(condition, first, second),)
        if loop.parallel:  # its iterations run on other threads: nothing is carried, and loads stay where they are used
            return (loop,)
        if loop.carried:  # of an expression, whose result is used behind it
            return (loop,)
        return _Hoisting(self, loop, facts, changing).result()

    def branched(self, loop: v.For, facts: Facts) -> Statement:
        """A loop that is the same branch in every iteration, behind the branch."""
        match loop.body:
            case (v.When(value, body),) if not loop.carried:
                return v.When(value, self._outward(replace(loop, body=body), facts))
        return loop


class _Hoisting:
    """The work on one loop: choose what moves, then rebuild it."""

    def __init__(self, promotion: Promotion, loop: v.For, facts: Facts, changing: frozenset[str]) -> None:
        self._promotion = promotion
        self._loop = loop
        self._facts = facts
        self._changing = changing
        self._taken = 0  # registers of what has moved
        self._before = Emitter(promotion.names)
        self._guarded = False

    @cached_property
    def _touches(self) -> dict[str, list[Touch]]:
        """Accesses in the loop's body by array. Equal ones outside inner loops and conditions are one that stores, if
        any of them does."""
        inside = self._facts.with_loop(self._loop.variable, self._loop.lower, self._loop.upper)
        found: dict[str, list[Touch]] = {}
        direct: dict[Cell, Touch] = {}
        for touch in touches(self._loop.body, inside):
            if touch.nested:
                found.setdefault(touch.cell.array, []).append(touch)
            elif touch.cell not in direct or touch.stores:
                direct[touch.cell] = touch
        for touch in direct.values():
            found.setdefault(touch.cell.array, []).append(touch)
        return found

    @cached_property
    def _room(self) -> int:
        """Registers that are left for what moves."""
        return self._promotion.capacity - pressure(self._loop, self._promotion.target)

    def _fits(self, cost: int) -> bool:
        """Whether there are so many registers left; if so, they are taken."""
        if cost > self._room - self._taken:
            return False
        self._taken += cost
        return True

    def result(self) -> tuple[Statement, ...]:
        loop = self._loop
        if any(isinstance(s, v.Store) and s.where is not None for s in loop.body):
            loop = self._hoist_invariant(loop)  # which lanes these are may be known in front of the loop
        loop, after = self._promote_stored(loop)
        loop = self._hoist_invariant(self._rotate(loop))
        moved = (*self._before.statements, self._promotion.branched(loop, self._facts), *after)
        runs = at_least(loop.upper, loop.lower + 1)
        if not self._guarded or self._facts.holds(runs):
            return moved
        return (v.If(runs, moved),)

    def _promote_stored(self, loop: v.For) -> tuple[v.For, list[Statement]]:
        carried: dict[Cell, tuple[Value, str]] = {}
        after: list[Statement] = []
        free = _carried_inside(loop)
        for cell in _stored(loop):
            cost = 0 if cell in free else registers_of(cell.type, self._promotion.target)
            if not (self._promotable(cell) and self._fits(cost)):
                continue
            first = self._before.let(v.Load(*cell))
            self._guarded = True
            carried[cell] = first, self._promotion.names.fresh("v")
        if not carried:
            return loop, after
        body, last = _forwarded(loop.body, {cell: Value(name, cell.type) for cell, (_, name) in carried.items()})
        phis = list(loop.carried)
        for cell, (first, name) in carried.items():
            result = Value(self._promotion.names.fresh("v"), cell.type)
            phis.append(v.Carried(name, cell.type, first, last[cell], result.name))
            after.append(v.Store(cell.address, result, cell.active, cell.where))
        return replace(loop, body=body, carried=tuple(phis)), after

    def _promotable(self, cell: Cell) -> bool:
        if not self._changing.isdisjoint(address_variables(cell.address, cell.active)):
            return False
        for touch in self._touches[cell.array]:
            if touch.nested if touch.cell == cell else may_overlap(cell, touch.cell, touch.facts):
                return False
        return True

    def _rotate(self, loop: v.For) -> v.For:
        """A load of what the iteration before has stored takes the value instead: recurrences stay out of memory."""
        following = {loop.variable: affine(loop.variable) + loop.step}
        # What the body binds is another number in the iteration before.
        bound = self._changing - {loop.variable}
        last = {c: x for c, x in _stored(loop).items() if bound.isdisjoint(address_variables(c.address, c.active))}
        arrays = {cell.array for cell in last}
        names: dict[str, Value] = {}
        phis = list(loop.carried)
        kept: list[Statement] = []
        for statement in loop.body:
            match statement:
                case v.Let(name, v.Load(address, type_) as load) if address.array in arrays:
                    cell = Cell.loaded(load)
                    origin = cell.substitute(following)
                    cost = registers_of(type_, self._promotion.target)
                    if origin in last and self._undisturbed(cell, origin) and self._fits(cost):
                        phi = self._carry(cell.substitute({loop.variable: loop.lower}), last[origin])
                        names[name] = Value(phi.name, type_)
                        phis.append(phi)
                        continue
            kept.append(statement)
        if not names:
            return loop
        phis = [replace(c, next=names.get(c.next.name, c.next)) for c in phis]
        return replace(loop, body=renamed(kept, lambda value: names.get(value.name, value)), carried=tuple(phis))

    def _undisturbed(self, cell: Cell, origin: Cell) -> bool:
        """Whether the cell still holds, when it is loaded, what one iteration before was stored to it last.

        Args:
            origin: the cell one iteration later, which is the one that the store wrote, seen from there.
        """
        if cell == origin:
            return False
        for touch in self._touches[cell.array]:
            if not touch.stores:
                continue
            if may_overlap(cell, touch.cell, touch.facts):
                return False
            if touch.nested if touch.cell == origin else may_overlap(origin, touch.cell, touch.facts):
                return False
        return True

    def _carry(self, first: Cell, following: Value) -> v.Carried:
        """A carried value that starts as what memory holds in front of the loop."""
        fresh = self._promotion.names.fresh
        initial = self._before.let(v.Load(*first))
        self._guarded = True
        return v.Carried(fresh("v"), first.type, initial, following, fresh("v"))

    def _hoist_invariant(self, loop: v.For) -> v.For:
        """Loads of what the loop does not write, and operations on values from outside, move in front."""
        movable = self._movable(loop)
        if not movable:
            return loop
        limit = self._left_for(loop, movable)
        kept: list[Statement] = []
        stay: set[str] = set()
        for statement in loop.body:
            if isinstance(statement, v.Let) and statement.name in movable and self._moves(statement, stay, limit):
                limit -= self._cost(statement.operation)
                self._before.append(statement)
                continue
            kept.append(statement)
            if isinstance(statement, v.Let):
                stay.add(statement.name)
        return replace(loop, body=tuple(kept))

    def _left_for(self, loop: v.For, movable: Mapping[str, v.Let]) -> int:
        """Registers for what moves that the fullest point of the loop leaves."""
        costs = [self._cost(let.operation) for let in movable.values()]
        most, outside = self._peak_limit(loop), frozenset(movable)
        left = most - peak(loop, self._promotion.target, outside)
        if sum(costs) > left and self._promotion.target.vector_bits >= _SINKING_BITS:
            left = max(left, most - peak(loop, self._promotion.target, outside, sinking=True))
        # What stays takes a register when it is used.
        return left if sum(costs) <= left else left - max(costs)

    def _peak_limit(self, loop: v.For) -> int:
        """How many registers the fullest point of the loop may take, with what moved in front of it."""
        if any(isinstance(statement, v.For) for statement in loop.body):
            return self._promotion.capacity
        target = self._promotion.target
        return target.vector_registers - (1 if target.has_fma else 2)  # a product waits to be added

    def _moves(self, let: v.Let, stay: set[str], limit: int) -> bool:
        cost = self._cost(let.operation)
        if any(value.name in stay for value in all_operands(let.operation)) or cost > limit or not self._fits(cost):
            return False
        self._guarded = self._guarded or not self._safe(let.operation)
        return True

    def _cost(self, operation: v.Operation) -> int:
        """Registers for what moves: a broadcast takes that of the scalar that only it uses, a constant needs none."""
        if isinstance(operation, v.Broadcast | v.Constant):
            return 0
        return registers_of(operation.type, self._promotion.target)

    def _movable(self, loop: v.For) -> dict[str, v.Let]:
        """What gives the same in all iterations, if it is in the loop's body itself."""
        inner = {*_defined(loop.body), *(c.name for c in loop.carried)}
        found: dict[str, v.Let] = {}
        for statement in loop.body:
            if isinstance(statement, v.Let) and self._is_invariant(statement, inner):
                inner.discard(statement.name)
                found[statement.name] = statement
        return found

    def _is_invariant(self, let: v.Let, inner: set[str]) -> bool:
        operation = let.operation
        if isinstance(operation, v.LazyPick) or any(value.name in inner for value in operands(operation)):
            return False
        if not self._changing.isdisjoint(affine_variables(operation)):
            return False
        if isinstance(operation, v.Load):
            cell = Cell.loaded(operation)
            return not any(may_overlap(cell, t.cell, t.facts) for t in self._touches[cell.array] if t.stores)
        return True

    def _safe(self, operation: v.Operation) -> bool:
        """Whether the operation may be carried out where the loop runs no iteration."""
        match operation:
            case v.Load(address, type_, active):
                array = self._promotion.arrays[address.array]
                return in_bounds(Cell(address, type_, active), array, self._facts)
            case v.Arithmetic("/" | "%", (_, _), type_):
                return type_.element.is_float
            case v.Apply():
                return False
            case _:
                return True


def _stored(loop: v.For) -> dict[Cell, Value]:
    """What the body itself stores to in all iterations, and the last value of each cell."""
    inside = frozenset(_defined(loop.body))
    stores = (s for s in loop.body if isinstance(s, v.Store) and (s.where is None or s.where.name not in inside))
    return {Cell.stored(s): s.value for s in stores}


def _defined(body: Iterable[Statement]) -> Iterator[str]:
    """Names that statements of the body itself can mention: those of nested ones are not visible outside."""
    for statement in body:
        match statement:
            case v.Let(name):
                yield name
            case v.For(carried=carried):
                yield from (c.result for c in carried)


def _carried_inside(loop: v.For) -> frozenset[Cell]:
    """Cells that an inner loop carries already: carrying them through this loop takes no more registers."""
    loads = {
        s.name: Cell.loaded(s.operation) for s in loop.body if isinstance(s, v.Let) and isinstance(s.operation, v.Load)
    }
    inner = [s for s in loop.body if isinstance(s, v.For)]
    return frozenset(loads[c.initial.name] for f in inner for c in f.carried if c.initial.name in loads)


def _forwarded(
    statements: Iterable[Statement], current: dict[Cell, Value]
) -> tuple[tuple[Statement, ...], dict[Cell, Value]]:
    """Loads of the cells become uses of their values, stores become their next values."""
    names: dict[str, Value] = {}

    def rename(value: Value) -> Value:
        return names.get(value.name, value)

    result: list[Statement] = []
    for statement in statements:
        match statement:
            case v.Let(name, v.Load() as load) if (cell := Cell.loaded(load)) in current:
                names[name] = current[cell]
            case v.Store(_, value) if (cell := Cell.stored(statement)) in current:
                current[cell] = rename(value)
            case _:
                result.extend(renamed((statement,), rename))
    return tuple(result), current


# --- How many vector registers live values take; scalar floats live in vector registers, too --------------------------


def registers_of(type_: ValueType, target: Target) -> int:
    """Vector registers that a value takes; integers in a single lane take none."""
    if type_.lanes == 1:
        return int(type_.element.is_float)
    return -(-type_.lanes * type_.element.bits // target.vector_bits)


def pressure(loop: v.For, target: Target) -> int:
    """Registers taken during the whole loop: carried values and values from outside; or more, in an inner loop."""
    survey = _Survey(target)
    survey.add(loop.body)
    return survey.registers(loop.carried)


def peak(loop: v.For, target: Target, outside: frozenset[str] = frozenset(), *, sinking: bool = False) -> int:
    """Registers at the fullest point of the loop.

    Args:
        outside: values that are taken as if they stood in front of the loop and took no register.
        sinking: in another order than that of the statements: every result by itself, from what it is computed to its
            store. Code generators change the order towards this one where they run out of registers.
    """
    survey = _Liveness(target, outside)
    survey.loop(replace(loop, body=_result_by_result(loop)) if sinking else loop, {})
    return survey.most


def _result_by_result(loop: v.For) -> tuple[Statement, ...]:
    """Straight-line code in such an order, as far as only values tell; other bodies as they are."""
    depths: dict[str, int] = {}
    lets: dict[str, v.Let] = {}
    for statement in loop.body:
        match statement:
            case v.Let(name, v.LazyPick()) | v.For(variable=name):
                return loop.body
            case v.Let(name, operation):
                lets[name] = statement
                depths[name] = 1 + max((depths.get(value.name, 0) for value in operands(operation)), default=0)
            case v.If() | v.When():
                return loop.body
    order: list[Statement] = []
    done: set[str] = set()

    def compute(root: str) -> None:
        stack = [root]
        while stack:
            let = lets.get(stack[-1])
            if let is None or let.name in done:
                stack.pop()
                continue
            # The longest chain first: what is added at its end is loaded only then.
            missing = [x.name for x in operands(let.operation) if x.name in lets and x.name not in done]
            if missing:
                stack.append(max(missing, key=depths.__getitem__))
                continue
            done.add(let.name)
            order.append(let)

    for statement in loop.body:
        if isinstance(statement, v.Store):
            for value in uses((statement,)):
                compute(value.name)
            order.append(statement)
    for c in loop.carried:
        compute(c.next.name)
    return tuple(order)


@dataclass
class _Survey:
    """What statements use and define, nested ones included, gathered in one walk."""

    target: Target
    used: dict[str, ValueType] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    inner: int = 0  # the largest pressure of a loop among them

    def add(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case v.Let(name, operation):
                    self.used.update(all_operands(operation))
                    self.defined.add(name)
                    if isinstance(operation, v.LazyPick):
                        self.defined.update(definitions(operation.then), definitions(operation.otherwise))
                case v.Store() | v.BindValue():
                    self.used.update(uses((statement,)))
                case v.For():
                    self._add_loop(statement)
                case v.If(_, then, orelse):
                    self.add(then)
                    self.add(orelse)
                case v.When(value, body):
                    self.used.update((value,))
                    self.add(body)

    def _add_loop(self, loop: v.For) -> None:
        inside = _Survey(self.target)
        inside.add(loop.body)
        self.inner = max(self.inner, inside.registers(loop.carried))
        self.used |= inside.used
        self.defined |= inside.defined
        for c in loop.carried:
            self.used.update((c.initial, c.next))
            self.defined.update((c.name, c.result))

    def registers(self, carried: Iterable[Carried]) -> int:
        """The pressure of a loop that carries these values around the statements."""
        here = 0
        own = set(self.defined)
        for c in carried:
            own.add(c.name)
            here += registers_of(c.type, self.target)
        here += sum(registers_of(type_, self.target) for name, type_ in self.used.items() if name not in own)
        return max(here, self.inner)


@dataclass
class _Liveness:
    """Walks backwards through statements with what is wanted behind them: names, and registers that each takes.

    Constants take nothing: machine code makes them where they are used, if there is no register for them.
    """

    target: Target
    outside: frozenset[str]
    most: int = 0

    def loop(self, loop: v.For, live: dict[str, int]) -> dict[str, int]:
        """What is wanted in front of the loop."""
        through = dict(live)
        own = {*definitions(loop.body), *(c.name for c in loop.carried)}
        for c in loop.carried:
            through.pop(c.result, None)
        for value in uses(loop.body):
            if value.name not in own:
                self._want(value, through)
        inside = dict(through)
        for c in loop.carried:
            self._want(c.next, inside)
        inside = self.walk(loop.body, inside)
        self._look(inside | {c.name: registers_of(c.type, self.target) for c in loop.carried})
        for c in loop.carried:
            self._want(c.initial, through)
        return through

    def walk(self, statements: tuple[Statement, ...], live: dict[str, int]) -> dict[str, int]:
        """What is wanted in front of the statements; `live` is used up."""
        for statement in reversed(statements):
            match statement:
                case v.Let(name, operation):
                    self._let(name, operation, live)
                case v.Store() | v.BindValue():
                    for value in uses((statement,)):
                        self._want(value, live)
                case v.For():
                    live = self.loop(statement, live)
                case v.If(_, then, orelse):
                    live = self.walk(then, dict(live)) | self.walk(orelse, live)
                case v.When(value, body):
                    live = self.walk(body, dict(live)) | live
                    self._want(value, live)
                case v.Prefetch() | v.Bind():
                    continue
            self._look(live)
        return live

    def _let(self, name: str, operation: Operation, live: dict[str, int]) -> None:
        live.pop(name, None)
        if isinstance(operation, v.LazyPick):
            sides = [(operation.then, operation.then_value), (operation.otherwise, operation.otherwise_value)]
            for statements, value in sides:
                side = dict(live)
                self._want(value, side)
                live |= self.walk(statements, side)
            self._want(operation.condition, live)
        elif not isinstance(operation, v.Constant):
            for value in operands(operation):
                self._want(value, live)

    def _want(self, value: Value, live: dict[str, int]) -> None:
        if value.name not in self.outside and value.name not in live:
            live[value.name] = registers_of(value.type, self.target)

    def _look(self, live: dict[str, int]) -> None:
        self.most = max(self.most, sum(live.values()))


# --- How many steps of an innermost loop stand one behind the other in machine code -----------------------------------
# Printers of machine code ask here; C leaves it to its compiler: gcc 12 loads for all steps of a register tile ahead,
# into more registers than there are (1.2 to 2.0 times as slow).


def steps_at_once(loop: v.For, count: int | None, target: Target) -> int:
    """As many as `unroll` says, or as the few operations of a step leave room for where the loop surely has many or, of
    an unknown number, sums up a register tile. Sums that take more than three quarters of the registers get one step.

    Args:
        count: of the loop's steps; None: it is not known.
    """
    if loop.unroll > 1 or loop.going is not None or not target.has_fma:
        return loop.unroll
    inside = tuple(walk(loop.body))
    if any(isinstance(statement, v.For) for statement in inside) or (loop.carried and not _steps_fit(loop, inside)):
        return 1
    registers = sum(registers_of(carried.type, target) for carried in loop.carried)
    if 4 * registers > 3 * target.vector_registers or (count is None and registers < core.TILE_SUMS):
        return 1
    rounds = inf if count is None else count // core.ROUNDS
    most = min(rounds, core.STEPS_IN_LINE[1] // max(1, len(inside)))
    return next((steps for steps in core.STEPS_IN_LINE[0] if steps <= most), 1)


def _steps_fit(loop: v.For, inside: Sequence[Statement]) -> bool:
    """Whether several steps need no more registers than one: every vector that is loaded or spread is used more than
    once, as LLVM puts a sum into the register of a factor that nothing else needs, and every one that is computed is
    carried on."""
    counts, carried = Counter(value.name for value in uses(inside)), {c.next.name for c in loop.carried}
    for statement in inside:
        match statement:
            case v.Let(name, v.Load(type=made) | v.Broadcast(type=made)) if made.lanes > 1:
                fits = counts[name] > 1
            case v.Let(name, v.Arithmetic() | v.Apply() | v.Pick()) if statement.value.type.lanes > 1:
                fits = name in carried
            case _:
                fits = True
        if not fits:
            return False
    return True
