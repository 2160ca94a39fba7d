"""LoopNest to VectorProgram: every node in its place, unrolled loops as copies, vector loops in lanes.

Nothing is kept in registers here beyond one Compute; `polyloop.backend.planning.registers` does that afterwards on the
program, where scalar and vector accesses look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import (
    Affine,
    And,
    Compare,
    Condition,
    Not,
    affine,
    at_least,
    maximum,
    minimum,
    substitute_condition,
)
from polyloop.backend.ir.expressions import F32, Access, ScalarType
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Block,
    Compute,
    Guard,
    Loop,
    LoopKind,
    LoopNest,
    Node,
    Origin,
    Storage,
    walk,
)
from polyloop.backend.ir.traversal import in_turn_where_shared
from polyloop.backend.ir.vector_program import Value
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import vectors
from polyloop.backend.planning.facts import Facts, constant_trips, largest_trips, nest_facts
from polyloop.backend.planning.lanes import access_stride, computes, gathered, moves_evenly, parted, stays
from polyloop.backend.planning.memory import LINE_BYTES, Ahead, Cell, asked_by, in_bounds, is_there, prefetches
from polyloop.backend.planning.values import SCALAR, Emitter, Lanes, Names, Row, ValueLowering
from polyloop.backend.planning.vectors import Accumulators, LoopLanes, Options, summed_up

if TYPE_CHECKING:
    from polyloop.backend.planning.compaction import Compaction
    from polyloop.backend.planning.scans import Scan

FEWEST_ALIGNED, FEWEST_WHOLE = 4, 3
"""Lanes, and vectors in a row, from which on it pays to begin where vectors do not cross lines: the vector in front is
one more."""


class Scope(NamedTuple):
    """Where a node stands: facts over the emitted variables, what stands for the nest's variables, and the lanes; what
    loops around ask the caches for; how many vectors stand side by side, and which of them this is; the variable of the
    innermost rolled loop around; what is asked between the accumulators' begin and here."""

    facts: Facts
    environment: Mapping[str, Affine]
    lanes: Lanes = SCALAR
    parallel: bool = False
    accumulators: Accumulators | None = None
    ahead: tuple[Ahead, ...] = ()
    row: Row | None = None
    beside: int = 1
    number: int = 0
    inner: str | None = None
    asked: tuple[Condition, ...] = ()

    @property
    def there(self) -> Mapping[str, Affine]:
        """The environment of the last row, in rows behind it: they make the same steps."""
        return self.environment if self.row is None else {**self.environment, self.row.variable: self.row.inside}

    def value(self, expression: Affine) -> Affine:
        return expression.substitute(self.there)

    def binding(self, variable: str, value: Affine) -> Scope:
        return self._replace(environment={**self.environment, variable: value})

    def each_vector(self) -> Iterator[Scope]:
        """The scope of every vector that stands here."""
        yield self
        variable, lanes = self.lanes.variable, self.lanes.lanes
        for number in range(1, self.beside):
            assert variable is not None
            yield self.binding(variable, self.environment[variable] + number * lanes)._replace(number=number)


class NestLowering:
    """One nest; `target` None leaves every loop as it is, scalar and rolled."""

    def __init__(
        self,
        nest: LoopNest,
        target: Target | None,
        contract: bool,
        options: Options,
        apart: frozenset[str] = frozenset(),
        private: frozenset[str] = frozenset(),
    ) -> None:
        self._nest = nest
        self._private = private
        self._tables = {array.name: array for array in nest.arrays if array.values is not None}
        self._target = target
        self._contract = contract
        self._apart = apart
        self._options = options
        variables = {node.variable for node in walk(nest.body) if isinstance(node, Loop)}
        self.names = Names({*nest.parameters, *(a.name for a in nest.arrays), *variables})
        self.local_arrays: list[ArraySpec] = []
        self._emit = Emitter(self.names)
        self._scans: dict[int, tuple[Loop, Scan]] = {}
        self._compactions: dict[int, tuple[Loop, Compaction]] = {}
        self._loop_lanes: dict[int, tuple[Loop, LoopLanes]] = {}  # by identity, which is the loop's as long as it lives

    def statements(self) -> tuple[v.Statement, ...]:
        self._node(self._nest.body, Scope(nest_facts(self._nest.context), {}))
        own = frozenset(array.name for array in self._nest.arrays if array.private)
        return in_turn_where_shared(tuple(self._emit.statements), own) if own else tuple(self._emit.statements)

    def _node(self, node: Node, scope: Scope) -> None:
        match node:
            case Block(children):
                for child in children:
                    self._node(child, scope)
            case Guard():
                self._guard(node, scope)
            case Compute():
                for each in scope.each_vector():
                    self._compute(node, each)
            case Loop():
                self._loop(node, scope)

    def _guard(self, node: Guard, scope: Scope) -> None:
        condition = substitute_condition(node.condition, scope.environment if node.masks else scope.there)
        if scope.facts.holds(condition) and not node.masks:
            return self._node(node.body, scope)
        if scope.facts.refuted(condition):
            return self._node(node.orelse, scope)
        if node.masks and isinstance(condition, Compare):
            inside = scope._replace(row=_row(node, condition, scope), asked=(*scope.asked, condition))
            return self._node(node.body, inside)
        with self._emit.nested() as then:
            inside = scope._replace(facts=scope.facts.with_condition(condition), asked=(*scope.asked, condition))
            self._node(node.body, inside)
        with self._emit.nested() as orelse:
            facts = scope.facts.with_condition(condition, holds=False)
            self._node(node.orelse, scope._replace(facts=facts, asked=(*scope.asked, Not(condition))))
        if then or orelse:
            self._emit.append(v.If(condition, tuple(then), tuple(orelse)))
        return None

    def _compute(self, node: Compute, scope: Scope) -> None:
        lowering = self._value_lowering(node, scope)
        if node.choice is not None and node.target.data:
            self._store_where(node, node.choice, lowering)
            return
        address = lowering.target()
        if scope.accumulators is not None and scope.lanes.lanes > 1 and not any(address.lane_strides):
            scope.accumulators.ask(address, scope.asked)
            self._accumulate(node, lowering, address, scope.accumulators, scope.number)
            return
        if node.choice is not None:
            self._store_where(node, node.choice, lowering)
            return
        result = self._emit.widen(lowering.lower(node.value), scope.lanes.lanes)
        active = lowering.active(address.array) if scope.row is None else scope.row.active(scope.lanes)
        self._emit.append(v.Store(address, result, active))

    def _store_where(self, node: Compute, choice: e.Select, lowering: ValueLowering) -> None:
        """What is computed and stored where a condition on data holds: under a mask where it differs from lane to lane,
        else behind a branch, its place, too."""
        lanes = lowering.lanes
        same, rest = (None, None) if lanes.variable is None else parted(choice.condition, lanes.variable)
        if same is not None and rest is not None:
            choice = replace(choice, condition=rest)
            node = replace(node, value=choice)
            condition = lowering.truth(same)
            with self._emit.nested() as body:
                self._store_where(node, choice, replace(lowering, compute=node))
            self._emit.append(v.When(condition, tuple(body)))
            return
        if node.target.array in self._private and lowering.safe(choice.then):
            # Memory of the lane's own, which may stay in a register: to store what was there is as good as no store.
            kept = e.Select(choice.condition, choice.then, e.Read(node.target, choice.type), choice.type)
            value = self._emit.widen(lowering.lower(kept), lanes.lanes)
            self._emit.append(v.Store(lowering.target(), value, lowering.active(node.target.array)))
            return
        condition = lowering.truth(choice.condition)
        if condition.type.lanes > 1:
            masked = lowering.under(condition)
            value = self._emit.widen(masked.in_counting_lanes(choice.then), lanes.lanes)
            self._emit.append(v.Store(lowering.target(), value, None, masked.where))
            return
        with self._emit.nested() as body:
            inside = replace(lowering, compute=replace(node, value=choice.then, conditional=False))
            address = inside.target()
            value = self._emit.widen(inside.lower(choice.then), lanes.lanes)
            self._emit.append(v.Store(address, value, lowering.active(address.array)))
        self._emit.append(v.When(condition, tuple(body)))

    def _accumulate(
        self, node: Compute, lowering: ValueLowering, target: v.Address, accumulators: Accumulators, number: int
    ) -> None:
        lanes, stored = lowering.lanes.lanes, self._nest.array(target.array).type
        if accumulators.groups:
            from polyloop.backend.planning.group_sums import add_groups  # of those who add small integers

            add_groups(self._emit, lowering, lambda type_: accumulators.made(target, node, stored, type_, number).place)
            return
        made = accumulators.made(target, node, stored, v.ValueType(stored, lanes))
        value = replace(lowering, accumulators={node.target: made.place}).lower(node.value)
        accumulators.store(made.place, self._emit.widen(value, lanes), lowering.lanes.active)
        if node.choice is not None and made.some is not None:
            where = lowering.under(lowering.truth(node.choice.condition)).where
            assert where is not None
            accumulators.note(made.some, where)

    def _value_lowering(self, node: Compute, scope: Scope) -> ValueLowering:
        return ValueLowering(
            self._emit,
            node,
            scope.lanes,
            scope.environment,
            self._contract and node.statement not in self._apart,
            lambda access: self._in_bounds(access, scope, node.conditional),
            lambda address, type_: self._is_own(Cell(address, type_), scope),
            private=self._private,
            row=scope.row,
            tables=self._tables,
        )

    def _in_bounds(self, access: Access, scope: Scope, conditional: bool) -> bool:
        """Whether an access lies inside its array; the unplanned program leaves such questions to LLVM.

        Where C makes none without a condition on data, an array that comes as a pointer may be shorter than declared.
        """
        spec = self._nest.array(access.array)
        if self._target is None or (conditional and not is_there(spec)):
            return False
        variable, lanes, active, _ = scope.lanes
        if variable is not None and gathered(access, variable):
            base = scope.environment[variable]
            each = (scope.binding(variable, base + lane)._replace(lanes=SCALAR) for lane in range(lanes))
            return active is None and all(self._in_bounds(access, one, conditional) for one in each)
        strides = tuple(0 if variable is None else s.coefficient(variable) for s in access.subscripts)
        subscripts = tuple(map(scope.value, access.subscripts))
        if access.array in self._private:
            subscripts = (*subscripts[:-1], affine(0))
        address = v.Address(access.array, subscripts, strides)
        return in_bounds(Cell(address, v.ValueType(spec.type, lanes), active), spec, scope.facts)

    def _is_own(self, cell: Cell, scope: Scope) -> bool:
        spec = self._nest.array(cell.array)
        return is_there(spec) and in_bounds(cell, spec, scope.facts)

    def _loop(self, loop: Loop, scope: Scope) -> None:
        lower, upper = scope.value(loop.lower), scope.value(loop.upper)
        trips = constant_trips(lower, upper, loop.step)
        if trips is not None and trips <= 0:
            return
        if self._unswitched(loop, scope):
            return
        if trips == 1:
            self._node(loop.body, scope.binding(loop.variable, lower))
        elif loop.kind is LoopKind.VECTOR and self._target is not None:
            self._vector_loop(loop, scope, lower, upper)
        elif self._target is not None and scope.lanes is SCALAR and (moved := self._compaction(loop)) is not None:
            self._strips(loop, scope, lower, upper, moved.lanes, masks=True)
        elif self._target is not None and scope.lanes is SCALAR and (found := self._scan(loop, trips)) is not None:
            self._scanned(loop, scope, lower, upper, found)
        elif self._target is not None and (copy := transposed_copy(loop, self._target)) is not None:
            self._transposed(loop, scope, copy)
        elif self._copies(loop, trips, scope):
            for number in range(trips or 0):
                self._node(loop.body, scope.binding(loop.variable, lower + number * loop.step))
        elif self._target is not None and scope.accumulators is None and (last := summed_up(loop)) is not None:
            self._sums(loop, scope, last)
        else:
            self._rolled(loop, scope, lower, upper)

    def _unswitched(self, loop: Loop, scope: Scope) -> bool:
        """Whether this was a loop that does nothing but where a condition on data holds that is the same in all its
        iterations: it stands behind a branch then."""
        if scope.lanes is not SCALAR or scope.row is not None or scope.accumulators is not None:
            return False
        if not all(isinstance(compute.value, e.Select) for compute in computes(loop)):
            return False
        from polyloop.backend.planning.unswitching import unswitched  # of those that ask for data

        found = unswitched(loop)
        if found is None:
            return False
        runs = substitute_condition(found.runs, scope.there)
        inner = scope._replace(facts=scope.facts.with_condition(runs))
        with self._emit.nested() as asked:
            condition = self._value_lowering(found.compute, inner).truth(found.condition)
            with self._emit.nested() as body:
                self._loop(found.loop, inner)
            self._emit.append(v.When(condition, tuple(body)))
        self._where(runs, asked, scope)
        return True

    def _compaction(self, loop: Loop) -> Compaction | None:
        assert self._target is not None
        body = loop.body.children if isinstance(loop.body, Block) else ()
        if not any(isinstance(child, Compute) and child.conditional for child in body):
            return None
        from polyloop.backend.planning.compaction import compaction  # of loops that store under conditions

        found = compaction(loop, self._nest, self._target)
        if found is not None:
            self._compactions[id(loop)] = loop, found
        return found

    def _scan(self, loop: Loop, trips: int | None) -> Scan | None:
        assert self._target is not None
        body = loop.body.children if isinstance(loop.body, Block) else (loop.body,)
        before = [child for child in body if isinstance(child, Compute)]
        if len(before) < len(body) or not any(_runs(compute, loop.variable) for compute in before):
            return None
        from polyloop.backend.planning.scans import scan  # of loops that fold something on the way

        found = scan(loop, self._target, self.names.fresh, self._nest.wraps)
        if found is not None and (trips is None or trips >= found.lanes):
            self._scans[id(loop)] = loop, found
            return found
        return None

    def _transposed(self, loop: Loop, scope: Scope, copy: TransposedCopy) -> None:
        assert self._target is not None
        inner, lanes = copy.inner, self._target.lanes(copy.type)
        first, second = scope.value(loop.lower), scope.value(inner.lower)
        down, across = (constant_trips(scope.value(x.lower), scope.value(x.upper), 1) for x in (loop, inner))
        assert down is not None
        assert across is not None
        sizes = down, across

        def inside(i: int, j: int, along: str) -> Scope:
            bound = scope.binding(loop.variable, first + i).binding(inner.variable, second + j)
            return bound._replace(lanes=Lanes(along, min(lanes, sizes[0 if along == loop.variable else 1])))

        def row(i: int, j: int) -> v.Value:
            lowering = self._value_lowering(copy.compute, inside(i, j, inner.variable))
            return self._emit.widen(lowering.lower(copy.compute.value), min(lanes, sizes[1]))

        def place(i: int, j: int) -> v.Address:
            return self._value_lowering(copy.compute, inside(i, j, loop.variable)).target()

        emit_transposed(self._emit, sizes, row, place, lanes)

    def _copies(self, loop: Loop, trips: int | None, scope: Scope) -> bool:
        if self._target is None or trips is None:
            return False
        if (
            loop.kind is LoopKind.SEQUENTIAL
            and scope.lanes.lanes > 1
            and not any(isinstance(inner, Loop) for inner in walk(loop.body))
        ):
            return trips <= self._options.short_loop
        return loop.kind is LoopKind.UNROLLED and trips <= self._options.unroll_limit

    def _rolled(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine) -> None:
        parallel = loop.kind is LoopKind.PARALLEL and not scope.parallel and scope.lanes is SCALAR
        trips, runs = largest_trips(lower, upper), at_least(upper, lower + 1)
        inside = scope.binding(loop.variable, affine(loop.variable))._replace(
            facts=scope.facts.with_loop(loop.variable, lower, upper),
            parallel=scope.parallel or parallel,
            ahead=(*(ahead.inside(loop.variable, lower, trips) for ahead in scope.ahead), *asked_by(loop)),
            inner=loop.variable,
            asked=scope.asked if scope.accumulators is None or scope.facts.holds(runs) else (*scope.asked, runs),
        )
        if scope.accumulators is not None:
            scope.accumulators.inner.add(loop.variable)
        with self._emit.nested() as body:
            self._node(loop.body, inside)
            here = replace(loop, lower=lower, upper=upper)
            made = frozenset(array.name for array in self._nest.arrays if array.scratch)
            known = self._rows_are_aligned, self._origins(inside), made
            body[:0] = prefetches(body, here, trips, scope.ahead, *known)
        if body:
            self._emit.append(v.For(loop.variable, lower, upper, loop.step, tuple(body), parallel=parallel))

    def _origins(self, scope: Scope) -> dict[str, Origin]:
        """What local arrays are copies of, in the scope's terms."""
        known = ((array.name, array.copies) for array in self._nest.arrays if array.copies is not None)
        return {name: replace(origin, low=tuple(map(scope.value, origin.low))) for name, origin in known}

    def _rows_are_aligned(self, array: str) -> bool:
        spec = self._nest.array(array)
        last = spec.shape[-1] if len(spec.shape) > 1 else None
        whole = last is not None and last.is_constant and last.constant * spec.type.bytes % LINE_BYTES == 0
        return whole or len(spec.shape) < 2

    def _vector_loop(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine) -> None:
        known = self._lanes(loop)
        if known.rows:
            if scope.accumulators is not None:
                self._lane_loop(loop, scope, lower, upper, known.lanes * self._chains(loop))
                return
            runs = at_least(upper, lower + 1)
            self._accumulating(
                scope,
                runs,
                known.groups,
                lambda inside: self._lane_loop(loop, inside, lower, upper, known.lanes * self._chains(loop)),
            )
        else:
            self._lane_loop(loop, scope, lower, upper, known.lanes)

    def _lanes(self, loop: Loop) -> LoopLanes:
        """Asked for in every row of a tile."""
        assert self._target is not None
        if id(loop) not in self._loop_lanes:
            known = LoopLanes.of(loop, self._target, self._options.reduction_chains)
            if any(compute.target.array in self._private for compute in computes(loop.body)):
                known = replace(known, beside=1)  # they hold one vector
            self._loop_lanes[id(loop)] = loop, known
        return self._loop_lanes[id(loop)][1]

    def _chains(self, loop: Loop) -> int:
        known = self._lanes(loop)
        # What is stored beside takes longer than a sum's next step.
        alone = all(stays(compute.target, loop.variable) for compute in computes(loop.body))
        return 1 if known.groups or not alone else max(1, self._options.reduction_chains // known.rows)

    def _sums(self, loop: Loop, scope: Scope, last: Loop) -> None:
        """Loops inside of each other, of which the last one is in lanes, that all reduce into the same cells: the
        accumulators stand around all of them."""
        loops = [node for node in walk(loop) if isinstance(node, Loop)]
        loops = loops[: loops.index(last) + 1]
        runs = And(tuple(at_least(scope.value(each.upper), scope.value(each.lower) + 1) for each in loops))
        lower, upper = scope.value(loop.lower), scope.value(loop.upper)
        groups = self._lanes(last).groups
        self._accumulating(scope, runs, groups, lambda inside: self._rolled(loop, inside, lower, upper))

    def _accumulating(self, scope: Scope, runs: Condition, groups: bool, lower: Callable[[Scope], None]) -> None:
        """Accumulators around what loops are lowered to; nothing at all where they run no iteration."""
        accumulators = Accumulators(self._emit, self.local_arrays, groups)
        inside = scope._replace(accumulators=accumulators, facts=scope.facts.with_condition(runs), asked=())
        with self._emit.nested() as body:
            lower(inside)
        with self._emit.nested() as whole:
            accumulators.begin()
            whole.extend(body)
            accumulators.finish()
        self._where(runs, whole, scope)

    def _where(self, condition: Condition, statements: Sequence[v.Statement], scope: Scope) -> None:
        """Statements behind a condition, which is not asked for where it is known to hold."""
        self._emit.statements += statements if scope.facts.holds(condition) else [v.If(condition, tuple(statements))]

    def _bind(self, name: str, value: Affine, scope: Scope) -> tuple[Affine, Scope]:
        """A new variable with a value, and what is known where it has that."""
        start = self.names.fresh(name)
        self._emit.append(v.Bind(start, value))
        return affine(start), scope._replace(facts=scope.facts.with_equal(start, value))

    def _lane_loop(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, lanes: int) -> None:
        lower, scope = self._from_whole_line(loop, scope, lower, upper, lanes)
        trips = constant_trips(lower, upper, 1)
        masks, longest = self._lanes(loop).masks, lanes * self._options.straight_vectors
        # With an end that moves with the loop around nothing is kept in registers; and processors take long over
        # vectors without lanes at addresses that no page is at.
        masked = masks and scope.inner not in upper.variables() - lower.variables()
        if trips is not None and trips <= longest:
            self._constant_blocks(loop, scope, lower, trips, lanes, masks)
        elif trips is None and self._lanes(loop).beside > 1 and scope.row is None:
            self._strips(loop, scope, lower, upper, lanes, masks)
        elif trips is None and masked and (bound := largest_trips(lower, upper)) is not None and bound <= longest:
            self._masked_blocks(loop, scope, lower, upper, bound, lanes)
        else:
            self._strips(loop, scope, lower, upper, lanes, masks)

    def _constant_blocks(self, loop: Loop, scope: Scope, lower: Affine, trips: int, lanes: int, masks: bool) -> None:
        beside = 1 if scope.row is not None else self._lanes(loop).beside
        while trips >= beside * lanes > lanes:
            self._lane_block(loop, scope, lower, lanes, None, beside)
            lower, trips = lower + beside * lanes, trips - beside * lanes
        for block in vectors.blocks_of(trips, lanes):
            if block.active is not None and not masks:
                for number in range(block.active):
                    self._node(loop.body, scope.binding(loop.variable, lower + block.offset + number))
                continue
            active = None if block.active is None else affine(block.active)
            self._lane_block(loop, scope, lower + block.offset, block.lanes, active)

    def _masked_blocks(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, bound: int, lanes: int) -> None:
        """A few vectors for a trip count that is not constant; each knows by a mask how many lanes it has."""
        for offset in range(0, bound, lanes):
            left = upper - lower - offset
            if scope.facts.nonnegative(left - lanes):
                self._lane_block(loop, scope, lower + offset, lanes, None)
                continue
            if bound > lanes:  # all in one form, so that they are written as one
                active = minimum(maximum(left, 0), lanes)
            else:
                active = left if scope.facts.nonnegative(left) else maximum(left, 0)
            self._lane_block(loop, scope, lower + offset, lanes, active)

    def _strips(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, lanes: int, masks: bool) -> None:
        """Full vectors in a loop, and the rest behind it."""
        beside = 1 if scope.row is not None else self._lanes(loop).beside
        if beside > 1:
            lower, scope = self._strips_beside(loop, scope, lower, upper, lanes, beside)
        here = affine(loop.variable)
        inside = scope._replace(facts=scope.facts.with_loop(loop.variable, lower, upper - (lanes - 1)))
        with self._emit.nested() as body:
            self._lane_block(loop, inside, here, lanes, None)
        self._emit.append(v.For(loop.variable, lower, upper - (lanes - 1), lanes, tuple(body)))
        count = upper - lower
        whole = count if scope.facts.nonnegative(count) else maximum(count, 0)
        rest = count - whole // lanes * lanes if whole == count else None
        if rest is not None and rest.is_constant and rest.constant == 0:
            return
        start, behind = self._bind(f"{loop.variable}_rest", lower + whole // lanes * lanes, scope)
        runs = at_least(upper, start + 1)
        behind = behind._replace(facts=behind.facts.with_condition(runs))
        with self._emit.nested() as tail:
            if masks and beside == 1 and self._may_repeat(loop, scope):
                self._once_more(loop, scope, lower, upper, lanes)
            elif masks:
                self._lane_block(loop, behind, start, lanes, upper - start)
            else:
                self._rolled(replace(loop, kind=LoopKind.SEQUENTIAL), behind, start, upper)
        self._emit.append(v.If(runs, tuple(tail)))

    def _once_more(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, lanes: int) -> None:
        """The last vector as a whole, where one fits: some of it has been computed before. Else all that there is."""
        fits = at_least(upper - lower, lanes)
        parts: list[tuple[v.Statement, ...]] = []
        for holds, first, active in ((True, upper - lanes, None), (False, lower, upper)):
            facts = scope.facts.with_condition(fits, holds).with_condition(at_least(upper, first + 1))
            with self._emit.nested() as body:
                start, inside = self._bind(f"{loop.variable}_last", first, scope._replace(facts=facts))
                inside = inside._replace(facts=inside.facts.with_condition(at_least(start, lower)))
                self._lane_block(loop, inside, start, lanes, None if active is None else active - start)
            parts.append(tuple(body))
        self._emit.append(v.If(fits, parts[0], parts[1]))

    def _may_repeat(self, loop: Loop, scope: Scope) -> bool:
        """Whether iterations may be run once more behind those that follow, which leaves the same behind, and that is
        better than a part of a vector: one of bytes or shorts that no masks load and store."""
        assert self._target is not None
        body = loop.body.children if isinstance(loop.body, Block) else (loop.body,)
        if scope.row is not None or scope.accumulators is not None or not moves_evenly(loop):
            return False
        written = {node.target.array for node in body if isinstance(node, Compute)}
        known: set[Access] = set()
        types: set[ScalarType] = set()
        for node in body:
            if not isinstance(node, Compute) or node.conditional or node.choice is not None:
                return False
            reads = {read.access for read in e.reads(node.value)}
            for access in (*reads, node.target):
                strides = access_stride(access, loop.variable) or (0,)
                if access.data or any(strides[:-1]) or strides[-1] not in (0, 1) or access.array in self._private:
                    return False
                types.add(self._nest.array(access.array).type)
            if any(access.array in written and access not in known for access in reads):
                return False
            known.add(node.target)
        short = [type_ for type_ in types if type_.bits < F32.bits]
        return bool(short) and not all(map(self._target.masks_elements, short))

    def _from_whole_line(
        self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, lanes: int
    ) -> tuple[Affine, Scope]:
        """What stands in front of the first place where vectors do not cross lines, in a vector of its own; that place,
        and what holds there."""
        known = self._lanes(loop)
        most = largest_trips(lower, upper)
        if not known.masks or known.beside > 1 or scope.row is not None or scope.accumulators is not None:
            return lower, scope
        if lanes < FEWEST_ALIGNED or (most is not None and most < FEWEST_WHOLE * lanes):
            return lower, scope
        phase = vectors.line_phase(loop, {array.name: array for array in self._nest.arrays}, lanes)
        if phase is None:
            return lower, scope
        first = lower + scope.value(phase)
        ahead = (first + (lanes - 1)) // lanes * lanes - first
        if ahead.is_constant and ahead.constant == 0:
            return lower, scope
        value = minimum(upper, lower + ahead)
        if constant_trips(lower, upper, 1) is not None and ahead.is_constant:
            self._lane_block(loop, scope, lower, lanes, ahead)
            return value, scope
        start, behind = self._bind(f"{loop.variable}_line", value, scope)
        before = at_least(start, lower + 1)
        with self._emit.nested() as body:
            inside = behind._replace(facts=behind.facts.with_condition(before))
            self._lane_block(loop, inside, lower, lanes, start - lower)
        self._emit.append(v.If(before, tuple(body)))
        return start, behind

    def _strips_beside(
        self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, lanes: int, beside: int
    ) -> tuple[Affine, Scope]:
        """Several vectors at once in a loop; where it ends, and what holds there."""
        width = beside * lanes
        inside = scope._replace(facts=scope.facts.with_loop(loop.variable, lower, upper - (width - 1)))
        with self._emit.nested() as body:
            self._lane_block(loop, inside, affine(loop.variable), lanes, None, beside)
        self._emit.append(v.For(loop.variable, lower, upper - (width - 1), width, tuple(body)))
        return self._bind(f"{loop.variable}_rest", lower + maximum(upper - lower, 0) // width * width, scope)

    def _lane_block(
        self, loop: Loop, scope: Scope, base: Affine, lanes: int, active: Affine | None, beside: int = 1
    ) -> None:
        inside = scope.binding(loop.variable, base)
        chosen = Lanes(loop.variable, lanes, active) if lanes > 1 else SCALAR
        if id(loop) in self._scans and lanes > 1:
            self._scan_block(self._scans[id(loop)][1], inside._replace(lanes=chosen))
        elif id(loop) in self._compactions:
            self._compact(self._compactions[id(loop)][1], inside._replace(lanes=chosen))
        else:
            if lanes > 1:
                chosen = chosen._replace(whole=(loop, self._lanes(loop).lanes))
            self._node(loop.body, inside._replace(lanes=chosen, beside=beside))

    def _scanned(self, loop: Loop, scope: Scope, lower: Affine, upper: Affine, found: Scan) -> None:
        """Accumulators around the loop for what nobody asks for on the way."""
        accumulators = Accumulators(self._emit, self.local_arrays)
        runs = at_least(upper, lower + 1)
        inside = scope._replace(accumulators=accumulators, facts=scope.facts.with_condition(runs), asked=())
        with self._emit.nested() as first:
            found = replace(found, drifts={access: self._drift(found, access, inside) for access in found.running})
        self._scans[id(loop)] = loop, found
        begin = lower + int(found.apart)
        with self._emit.nested() as body:
            self._strips(loop, inside, begin, upper, found.lanes, masks=False)
        with self._emit.nested() as whole:
            if found.apart:
                self._node(loop.body, scope._replace(facts=inside.facts).binding(loop.variable, lower))
            for cell, origin in found.origins.items():
                self.names.taken.add(cell.array)
                self.local_arrays.append(ArraySpec(cell.array, origin.type, (affine(1),), Storage.LOCAL, scratch=True))
                place = v.Address(cell.array, cell.subscripts, (0,))
                subscripts = tuple(
                    s.substitute({**scope.there, loop.variable: begin}) for s in origin.access.subscripts
                )
                element = v.Address(origin.access.array, subscripts, (0,) * len(subscripts))
                self._emit.append(v.Store(place, self._emit.let(v.Load(element, v.ValueType(origin.type)))))
            accumulators.begin()
            whole.extend(body)
            accumulators.finish()
        if within := found.within():
            with self._emit.nested() as plain:
                self._rolled(loop, scope._replace(facts=inside.facts), lower, upper)
            whole = [v.If(And(within), tuple(whole), tuple(plain))]
        self._emit.append(v.If(runs, (*first, *whole)))

    def _drift(self, found: Scan, cell: Access, scope: Scope) -> Affine:
        """How much a cell moves in each iteration."""
        own = found.running[cell]
        lowering = self._value_lowering(found.computes[own.place], scope)
        data = {datum: lowering.integer(datum.value) for datum in own.data}
        drift = own.drift.map_atoms(lambda atom: data[atom] if isinstance(atom, e.Datum) else Affine(((atom, 1),)))
        return drift.substitute(lowering.environment)

    def _scan_block(self, found: Scan, scope: Scope) -> None:
        from polyloop.backend.planning.scans import ScanLowering  # as above

        scanning, accumulators = ScanLowering(self._emit, found), scope.accumulators
        assert accumulators is not None
        lowerings = [self._value_lowering(compute, scope) for compute in found.computes]
        order = sorted(range(len(lowerings)), key=lambda k: (k not in found.first, k))
        for place in order:
            compute = found.computes[place]
            if compute.target in found.asked:
                scanning.run(compute, place, lowerings[place])
                continue
            lowering = scanning.asking(place, lowerings[place])
            if compute.target not in found.running and lowering.compute.choice is not None:
                self._store_where(lowering.compute, lowering.compute.choice, lowering)
            elif compute.target not in found.running:
                value = self._emit.widen(lowering.lower(lowering.compute.value), found.lanes)
                self._emit.append(v.Store(lowering.target(), value))
            else:
                self._accumulate(lowering.compute, lowering, lowering.target(), accumulators, 0)

    def _compact(self, pack: Compaction, scope: Scope) -> None:
        """Elements one behind the other for the lanes that count; then the counter has moved by these."""
        emit, lanes = self._emit, scope.lanes.lanes
        lowering = self._value_lowering(pack.counter, scope)
        masked = lowering.under(lowering.truth(pack.condition))
        where = masked.where
        assert where is not None
        counter, address = pack.counter.value.type, lowering.target()
        count = emit.let(v.Horizontal("+", where, v.ValueType(e.I32)))
        before = emit.let(v.Load(address, v.ValueType(counter)))
        number, first = self.names.fresh("at"), self.names.fresh("at")
        emit.append(v.BindValue(number, count))
        emit.append(v.BindValue(first, before))
        active, place = affine(number), affine(first)
        for compute in pack.computes:
            inside = replace(self._value_lowering(compute.compute, scope), where=where)
            packed, access = v.ValueType(self._nest.array(compute.packed.array).type, lanes), compute.packed
            subscripts = tuple(scope.value(s) for s in compute.subscripts(place))
            there = v.Address(access.array, subscripts, (*(0 for _ in subscripts[1:]), 1))
            if compute.stores:
                value = emit.widen(inside.lower(compute.value), lanes)
                emit.append(v.Store(there, emit.let(v.Compact((value, where), False, packed)), active))
                continue
            loaded = emit.let(v.Load(there, packed, active))
            inside = replace(inside, partials={compute.partial: emit.let(v.Compact((loaded, where), True, packed))})
            value = emit.widen(inside.lower(compute.value), lanes)
            emit.append(v.Store(inside.target(), value, None, where))
        emit.append(v.Store(address, emit.arithmetic("+", before, emit.convert(count, counter))))


def _runs(compute: Compute, variable: str) -> bool:
    """Whether it may add to what iterations before have come to."""
    moves = access_stride(compute.target, variable)
    if moves == (0,) * len(compute.target.subscripts):
        return True
    return any(r.access.array == compute.target.array and r.access != compute.target for r in e.reads(compute.value))


def _row(node: Guard, condition: Compare, scope: Scope) -> Row:
    """The iteration of an unrolled loop for which a Guard asks whether it is there."""
    behind = condition.left  # how many iterations are left after this one
    value = scope.environment[node.masks]
    written = frozenset(compute.target.array for compute in computes(node.body))
    return Row(node.masks, minimum(value, value + behind), maximum(behind + 1, 0), written)


# --- Copies that exchange rows and columns ----------------------------------------------------------------------------
# Copies that exchange rows and columns: blocks of them are transposed in registers.
#
#     UNROLLED i in n:  VECTOR j in n:  B[j][i] = alpha * A[i][j]
#     ->  n vectors are computed, log2(n) rounds of shuffles exchange halves, quarters, .., and n vectors are stored
#
# Blocks narrower than a vector in one dimension are exchanged as several square ones beside each other.
#
# Each round pairs vectors whose numbers differ in one bit and interleaves them (Eklundh, "A Fast Computer Method for
# Matrix Transposing", IEEE Trans. Computers, 1972).


@dataclass(frozen=True)
class TransposedCopy:
    """Such a nest.

    Attributes:
        inner: the vector loop inside.
        compute: what is copied: an element, or what is computed from it and from values that do not change.
        type: of elements and of all that is computed.
    """

    inner: Loop
    compute: Compute
    type: ScalarType


def transposed_copy(loop: Loop, target: Target) -> TransposedCopy | None:
    """The nest as a transposition of whole blocks, if it is one."""
    match loop:
        case Loop(step=1, kind=LoopKind.UNROLLED, body=Loop(step=1, kind=LoopKind.UNROLLED, body=Compute()) as inner):
            pass  # the inner one was a vector loop; as such its stores would be scattered
        case _:
            return None
    compute = inner.body
    assert isinstance(compute, Compute)
    written, type_ = compute.target, compute.value.type
    read = _moving(compute, (loop.variable, inner.variable))
    if read is None or any(node.type != type_ for node in e.walk(compute.value)):
        return None
    sizes = [constant_trips(x.lower, x.upper, 1) for x in (loop, inner)]
    whole = all(size is not None and _fills(size, target.lanes(type_)) for size in sizes)
    if not whole or loop.variable in inner.lower.variables():
        return None
    across = access_stride(written, loop.variable), access_stride(read, inner.variable)
    if not all(s is not None and not any(s[:-1]) and s[-1] == 1 for s in across):
        return None
    along = access_stride(written, inner.variable), access_stride(read, loop.variable)
    return None if any(s is None or s[-1] for s in along) else TransposedCopy(inner, compute, type_)


def _moving(compute: Compute, variables: tuple[str, str]) -> Access | None:
    """The only access of the value that moves with the loops; None if there are others, or what is written is read."""
    moving = []
    for node in e.walk(compute.value):
        match node:
            case e.Read(access) if access.array == compute.target.array:
                return None
            case e.Read(access) if any(s.variables() & set(variables) for s in access.subscripts):
                moving.append(access)
            case e.Read() | e.Literal() | e.Binary(operator="*"):
                pass
            case _:
                return None
    return moving[0] if len(moving) == 1 else None


def _fills(size: int, lanes: int) -> bool:
    """Whether so many iterations are whole vectors, or one narrower vector of several lanes."""
    return size > 1 and (size % lanes == 0 or (size < lanes and size & (size - 1) == 0))


def transpose(emit: Emitter, rows: Sequence[Value]) -> list[Value]:
    """Vectors of the columns of a block, its rows given; the numbers of both are powers of two."""
    count, columns = len(rows), rows[0].type.lanes
    side = min(count, columns)
    # Rows that are too short stand one behind the other in a vector: row t + side, t + 2 side, .. behind row t.
    values = [_joined(emit, rows[t::side]) for t in range(side)]
    lanes = values[0].type.lanes
    step = 1
    while step < side:
        low = tuple(
            x for k in range(0, lanes, 2 * step) for part in (0, lanes) for x in range(k + part, k + part + step)
        )
        high = tuple(x + step for x in low)
        for k in range(side):
            if not k & step:
                pair = values[k], values[k + step]
                values[k] = emit.let(v.Shuffle(pair, low, pair[0].type))
                values[k + step] = emit.let(v.Shuffle(pair, high, pair[0].type))
        step *= 2
    # Rows that are longer than their number hold several blocks, so that each vector now holds several columns.
    narrow = values[0].type._replace(lanes=count)
    return [
        value if columns <= count else emit.let(v.Shuffle((value, value), tuple(range(k, k + count)), narrow))
        for k in range(0, columns, side)
        for value in values
    ]


def _joined(emit: Emitter, parts: Sequence[Value]) -> Value:
    """One vector with the lanes of all parts, one behind the other; their number is a power of two."""
    while len(parts) > 1:
        wide = parts[0].type._replace(lanes=2 * parts[0].type.lanes)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [emit.let(v.Shuffle(pair, tuple(range(wide.lanes)), wide)) for pair in pairs]
    return parts[0]


def emit_transposed(
    emit: Emitter,
    sizes: tuple[int, int],
    row: Callable[[int, int], Value],
    place: Callable[[int, int], v.Address],
    lanes: int,
) -> None:
    """Blocks of one vector at most in each dimension.

    Args:
        sizes: iterations of the two loops.
        row: the vector of iterations (i, j), (i, j + 1), ...
        place: the address of iterations (i, j), (i + 1, j), ... in the target.
    """
    down, across = (min(size, lanes) for size in sizes)
    for i in range(0, sizes[0], down):
        for j in range(0, sizes[1], across):
            rows = [row(i + k, j) for k in range(down)]
            for k, column in enumerate(transpose(emit, rows)):
                emit.append(v.Store(place(i, j + k), column))
