"""Writing straight-line code: fresh names, nested statement lists, lanes made equal, and expressions in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from polyloop.backend.errors import CompileError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, minimum
from polyloop.backend.ir.expressions import Access, Expression, ScalarType, certain, certain_accesses, contracted
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Loop
from polyloop.backend.ir.ranges import value_bounds
from polyloop.backend.planning.lanes import (
    are_ascending,
    computed_evenly,
    gathered,
    inside_atom,
    steady_elements,
    steady_offsets,
)

# --- Statements -------------------------------------------------------------------------------------------------------


@dataclass
class Names:
    """Fresh names: a stem and a number, each used once in a program."""

    taken: set[str] = field(default_factory=set)
    _next: dict[str, int] = field(default_factory=dict)

    def fresh(self, stem: str) -> str:
        number = self._next.get(stem, 0)
        while (name := f"{stem}{number}") in self.taken:
            number += 1
        self._next[stem] = number + 1
        return name


@dataclass
class Emitter:
    """Appends statements to the innermost open list."""

    names: Names
    statements: list[v.Statement] = field(default_factory=list)
    _constants: dict[str, v.Constant] = field(default_factory=dict)

    def append(self, statement: v.Statement) -> None:
        self.statements.append(statement)

    def let(self, operation: v.Operation) -> v.Value:
        name = self.names.fresh("v")
        if isinstance(operation, v.Constant):
            self._constants[name] = operation
        self.statements.append(v.Let(name, operation))
        return v.Value(name, operation.type)

    def constant(self, value: int | float, type_: v.ValueType) -> v.Value:
        return self.let(v.Constant(value, type_))

    def widen(self, value: v.Value, lanes: int) -> v.Value:
        """The value in every lane; vectors pass through."""
        if value.type.lanes == lanes:
            return value
        type_ = v.ValueType(value.type.element, lanes)
        known = self._constants.get(value.name)
        if known is not None:
            return self.let(replace(known, type=type_))
        return self.let(v.Broadcast(value, type_))

    def lanewise(self, *values: v.Value) -> tuple[v.Value, ...]:
        lanes = max([value.type.lanes for value in values])
        return tuple([self.widen(value, lanes) for value in values])

    def arithmetic(self, operator: str, *operands: v.Value) -> v.Value:
        operands = self.lanewise(*operands)
        return self.let(v.Arithmetic(operator, operands, operands[0].type))

    def test(self, operator: str, left: v.Value, right: v.Value, result: ScalarType) -> v.Value:
        left, right = self.lanewise(left, right)
        return self.let(v.Test(operator, left, right, v.ValueType(result, left.type.lanes)))

    def pick(self, condition: v.Value, then: v.Value, otherwise: v.Value) -> v.Value:
        condition, then, otherwise = self.lanewise(condition, then, otherwise)
        return self.let(v.Pick(condition, then, otherwise, then.type))

    def convert(self, operand: v.Value, element: ScalarType) -> v.Value:
        if operand.type.element == element:
            return operand
        return self.let(v.Convert(operand, v.ValueType(element, operand.type.lanes)))

    def first_lanes(self, count: Affine, lanes: int) -> v.Value:
        """A flag for every lane: whether it is one of the first so many."""
        number = self.let(v.IndexValue(affine(0), 1, v.ValueType(e.I64, lanes)))
        limit = self.let(v.IndexValue(count, 0, v.ValueType(e.I64)))
        return self.test("<", number, limit, e.I32)

    def in_some_lane(self, condition: v.Value) -> v.Value:
        """Whether a condition holds in any lane, as a scalar."""
        if condition.type.lanes == 1:
            return condition
        return self.let(v.Horizontal("|", condition, v.ValueType(e.I32)))

    def once(self, some: v.Value, carried: tuple[v.Carried, ...], body: Callable[[], Iterable[v.Statement]]) -> None:
        """What is done where a scalar condition holds, and leaves values: a loop of one iteration or none."""
        one, none = (self.constant(number, v.ValueType(e.I64)) for number in (1, 0))
        times = self.let(v.Pick(some, one, none, v.ValueType(e.I64)))
        limit, variable = self.names.fresh("some"), self.names.fresh("once")
        inner = tuple(body())
        self.append(v.BindValue(limit, times))
        self.append(v.For(variable, affine(0), affine(limit), 1, inner, carried))

    @contextmanager
    def nested(self) -> Iterator[list[v.Statement]]:
        """What is emitted inside the context goes to the list it yields."""
        outer, self.statements = self.statements, []
        try:
            yield self.statements
        finally:
            self.statements = outer


# --- Expressions ------------------------------------------------------------------------------------------------------
# Expressions to straight-line operations, scalar or in lanes.
#
# Inside a vector loop every value stays scalar until it meets one that differs from lane to lane. ``&&``, ``||`` and
# ``?:`` evaluate both sides where that cannot fault: where the side holds no division that could trap, no function
# that we do not know, and no access that is neither made anyway nor provably inside its array. Else a scalar takes a
# branch, and lanes make such accesses under a mask (`vectors` refuses what masks do not help).


_TOTAL = """
    sqrt cbrt hypot fabs floor ceil trunc round rint nearbyint fmin fmax fmod copysign exp exp2 expm1 log log2 log10
    log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh
"""
TOTAL_FUNCTIONS = frozenset(
    (*e.BIT_COUNTS, e.BIT_VIEW, *e.PRODUCTS, *(name + suffix for name in _TOTAL.split() for suffix in ("", "f")))
)
"""Functions, most of math.h, that return for every argument; a lane whose result nobody wants may call them."""


class Lanes(NamedTuple):
    """How the vector loop's variable runs through lanes: lane l has value base + l (base is what the environment says).

    Attributes:
        variable: the vector loop's variable; None for scalar code.
        active: only the first so many lanes count.
        whole: the vector loop and the lanes of its whole vectors, where only such ones are in front of this one.
    """

    variable: str | None = None
    lanes: int = 1
    active: Affine | None = None
    whole: tuple[Loop, int] | None = None

    def steady(self, value: Affine | Access) -> tuple[int, ...] | None:
        """See `steady_offsets` and `steady_elements`."""
        if self.whole is None:
            return None
        loop, lanes = self.whole
        whole = max(lanes, self.lanes)
        match value:
            case Access():
                offsets = steady_elements(value, loop, whole)
            case _:
                offsets = steady_offsets(value, loop, whole)
        return None if offsets is None else offsets[: self.lanes]


SCALAR = Lanes()


class Row(NamedTuple):
    """An iteration of an unrolled loop that may lie behind its end: then nothing of it is stored.

    Attributes:
        variable: the loop's.
        inside: its value, or that of the last iteration that is there: what is only read is read there.
        left: how many iterations there are from this one on, at least 0.
        written: arrays that must not be read behind the end under another address than they are written.
    """

    variable: str
    inside: Affine
    left: Affine
    written: frozenset[str]

    def masks(self, access: Access) -> bool:
        """Whether an access is made in this row only if it is there."""
        return access.array in self.written and any(self.variable in s.variables() for s in access.subscripts)

    def active(self, lanes: Lanes) -> Affine:
        """How many lanes of an access in this row count."""
        if lanes.lanes == 1:
            return self.left
        return minimum(affine(lanes.lanes) if lanes.active is None else lanes.active, self.left * lanes.lanes)


Lowered: TypeAlias = "Callable[[ValueLowering, Expression], v.Value]"


@dataclass(frozen=True, slots=True)
class ValueLowering:
    """Lowers expressions of one Compute.

    Attributes:
        compute: the statement.
        environment: what to write for loop variables that were unrolled, substituted or strip-mined.
        in_bounds: whether an access is inside its array in every lane.
        is_own: whether all lanes of a vector are memory of the nest's own, whether they count or not.
        accumulators: where accesses are read instead that the vector loop reduces into.
        bound: integers that were computed from data already.
        partials: what folds around have come to.
        where: the lanes that count, where accesses that nobody else makes have to keep to them.
        some: whether one of these surely counts.
        private: arrays whose last subscript is the lane, see `polyloop.backend.planning.private`.
        row: where it may lie behind the last one.
        tables: arrays of which it is known what they hold.
    """

    emit: Emitter
    compute: Compute
    lanes: Lanes
    environment: Mapping[str, Affine]
    contract: bool
    in_bounds: Callable[[Access], bool]
    is_own: Callable[[v.Address, v.ValueType], bool]
    accumulators: Mapping[Access, v.Address] = field(default_factory=dict)
    where: v.Value | None = None
    some: bool = False
    bound: dict[e.Datum, Affine] = field(default_factory=dict)
    partials: Mapping[str, v.Value] = field(default_factory=dict)
    private: frozenset[str] = frozenset()
    row: Row | None = None
    tables: Mapping[str, ArraySpec] = field(default_factory=dict)

    def target(self) -> v.Address:
        """Where the Compute writes. What its subscripts take from data is computed here, for all that follows."""
        self.bound.update((datum, self._bound(datum)) for datum in self.compute.target.data)
        return self.address(self.compute.target)

    def active(self, array: str) -> Affine | None:
        """How many lanes of an array's vectors count: all, where every lane has elements of its own."""
        return None if array in self.private else self.lanes.active

    def _around(self, access: Access) -> Mapping[str, Affine]:
        """What stands for variables in an access: what is only read is read in the last row that is there."""
        if self.row is None or access.array in self.row.written:
            return self.environment
        return {**self.environment, self.row.variable: self.row.inside}

    def address(self, access: Access) -> v.Address:
        """Where an access goes, whose data are the same in all lanes."""
        access = e.affine_access(access, [self._bound(datum) for datum in access.data])
        environment = self._around(access)
        here = tuple([s.substitute(environment) for s in access.subscripts])
        if access.array in self.private:
            here = (*here[:-1], affine(0))
        variable = self.lanes.variable
        if variable is None:
            return v.Address(access.array, here, (0,) * len(here))
        return v.Address(access.array, here, tuple([s.coefficient(variable) for s in access.subscripts]))

    def lower(self, node: Expression) -> v.Value:
        match node:
            case e.Literal(value, type_):
                return self.emit.constant(value, v.ValueType(type_))
            case e.Read(access, type_):
                return self._read(access, type_)
            case e.Index(value, type_):
                return self._index(value, type_)
            case e.Unary("!", operand, _):
                value_ = self.lower(operand)
                zero = self.emit.constant(_zero(operand.type), v.ValueType(operand.type))
                return self.emit.test("==", value_, zero, e.I32)
            case e.Unary(operator, operand, _):
                return self.emit.arithmetic("neg" if operator == "-" else operator, self.lower(operand))
            case e.Binary(operator, left, right, type_):
                return self._binary(node, operator, left, right, type_)
            case e.Comparison(operator, left, right):
                return self.emit.test(operator, self.lower(left), self.lower(right), e.I32)
            case e.Logical(operator, left, right):
                return self._logical(operator, left, right)
            case e.Select():
                return self._select(node)
            case e.Cast(operand, type_):
                return self.emit.convert(self.lower(operand), type_)
            case e.Partial(variable, _):
                return self.partials[variable]
            case e.Fold():
                return self._fold(node)
            case e.OutsideCall(function, _, _):
                raise CompileError(f"nothing is known of the function {function}, which is not here to be run")
            case e.Call("fmin" | "fminf" | "fmax" | "fmaxf" as function, (left, right), _):
                return self._numbers_only(function[1:4], self.lower(left), self.lower(right))
            case e.Call(function, (a, b, c, d), type_) if function in e.PRODUCTS:
                return self._product(function, tuple(map(self.lower, (a, b, c, d))), type_)
            case e.Call(function, arguments, type_):
                values = self.emit.lanewise(*map(self.lower, arguments)) if arguments else ()
                lanes = values[0].type.lanes if values else 1
                return self.emit.let(v.Apply(function, values, v.ValueType(type_, lanes)))

    def _product(self, function: str, operands: tuple[v.Value, ...], type_: ScalarType) -> v.Value:
        """A part of a product of complex numbers: as of the four products, as long as the real part is a number. What
        it is else, a function computes: behind a branch, or where some lane asks for it (`without_idle_lanes`)."""
        a, b, c, d = self.emit.lanewise(*operands)
        bd, bc = self.emit.arithmetic("*", b, d), self.emit.arithmetic("*", b, c)
        if self.contract:
            real = self.emit.arithmetic("fma", a, c, self.emit.arithmetic("neg", bd))
            imaginary = self.emit.arithmetic("fma", a, d, bc)
        else:
            real = self.emit.arithmetic("-", self.emit.arithmetic("*", a, c), bd)
            imaginary = self.emit.arithmetic("+", self.emit.arithmetic("*", a, d), bc)
        plain = real if e.PRODUCTS[function] else imaginary
        lost = self.emit.test("!=", real, real, e.I32)

        def whole() -> v.Value:
            return self.emit.let(v.Apply(function, (a, b, c, d), plain.type))

        if plain.type.lanes > 1:
            return self.emit.pick(lost, whole(), plain)
        return self._branch(lost, whole, lambda: plain, type_)

    def _numbers_only(self, which: str, left: v.Value, right: v.Value) -> v.Value:
        """As libm: the other one if one is not a number; of equal ones the second, which shows for zeros."""
        unordered = self.emit.test("!=", right, right, e.I32)
        return self.emit.pick(unordered, left, self.emit.arithmetic(which, left, right))

    def _index(self, value: Affine, type_: ScalarType) -> v.Value:
        variable, lanes, base = self.lanes.variable, self.lanes.lanes, value.substitute(self.environment)
        if variable is not None and inside_atom(value, variable):
            offsets = self.lanes.steady(value)
            assert offsets is not None, "the choice of vector loops lets nothing else through"
            first = self.emit.let(v.IndexValue(base, 0, v.ValueType(type_)))
            behind = tuple(self.emit.constant(offset, v.ValueType(type_)) for offset in offsets)
            return self.emit.arithmetic("+", first, self.emit.let(v.Pack(behind, v.ValueType(type_, lanes))))
        stride = 0 if variable is None else value.coefficient(variable)
        return self.emit.let(v.IndexValue(base, stride, v.ValueType(type_, lanes if stride else 1)))

    def _fold(self, node: e.Fold) -> v.Value:
        """A loop that carries the partial result; scalar: no vector loop takes one."""
        lower, upper = self.integer(node.lower), self.integer(node.upper)
        initial = self.lower(node.initial)
        fresh = self.emit.names.fresh
        partial, variable = v.Value(fresh("v"), initial.type), fresh("k")
        with self.emit.nested() as body:
            inside = replace(
                self,
                environment={**self.environment, node.variable: affine(variable)},
                partials={**self.partials, node.variable: partial},
            )
            following = inside.lower(node.value)
        result = v.Value(fresh("v"), initial.type)
        carried = v.Carried(partial.name, partial.type, initial, following, result.name)
        self.emit.append(v.For(variable, lower, upper, 1, tuple(body), (carried,)))
        return result

    def integer(self, node: Expression) -> Affine:
        """The value of an expression of an integer type, the same in all lanes."""
        match node:
            case e.Literal(value, _):
                return affine(int(value))
            case e.Index(value, _):
                return value.substitute(self.environment)
        return self._bound(e.Datum(node))

    def _read(self, access: Access, type_: ScalarType) -> v.Value:
        if self.accumulators and access in self.accumulators:
            return self.emit.let(v.Load(self.accumulators[access], v.ValueType(type_, self.lanes.lanes)))
        where = None if self.where is None or self.safe(e.Read(access, type_)) else self.where
        in_row = self.row is not None and self.row.masks(access)
        if gathered(access, self.lanes.variable):
            offsets = None if where is not None or in_row else self.lanes.steady(access)
            if offsets is None or (self.lanes.active is not None and not are_ascending(offsets)):
                return self._gather(access, type_, where)
            return self._steady(access, type_, offsets)
        address = self.address(access)
        if access.array in self.tables and not any(address.lane_strides):
            known = self.tables[access.array].value(address.subscripts)
            if known is not None:
                return self.lower(known)
        if self.row is not None and in_row:
            lanes = self.lanes if any(address.lane_strides) else SCALAR
            return self.emit.let(v.Load(address, v.ValueType(type_, lanes.lanes), self.row.active(lanes)))
        if any(address.lane_strides):
            vector = v.ValueType(type_, self.lanes.lanes)
            active = self.active(access.array) if where is None else None
            if active is not None and type_.is_float and self.is_own(address, vector):
                active = None  # rows of a tile with masks of their own load the same
            return self.emit.let(v.Load(address, vector, active, where))
        load = v.Load(address, v.ValueType(type_))
        if where is None:
            return self.emit.let(load)
        some = self.emit.in_some_lane(where)
        zero = e.Literal(_zero(type_), type_)
        return self._branch(some, lambda: self.emit.let(load), lambda: self.lower(zero), type_)

    def under(self, condition: v.Value, holds: bool = True) -> ValueLowering:
        """The same in the lanes in which a condition holds, or does not."""
        flags = v.ValueType(e.I32, self.lanes.lanes)
        zero = self.emit.constant(0, flags)
        where = self.emit.widen(condition, self.lanes.lanes)
        if not holds:
            where = self.emit.test("==", where, zero, e.I32)
        counting = self._counting() if self.where is None else self.where
        where = where if counting is None else self.emit.pick(counting, where, zero)
        return replace(self, where=where, some=False)

    def _counting(self) -> v.Value | None:
        """A flag for every lane that counts, where not all do."""
        active, lanes = self.lanes.active, self.lanes.lanes
        return None if active is None else self.emit.first_lanes(active, lanes)

    def in_counting_lanes(self, node: Expression, lower: Lowered | None = None) -> v.Value:
        """The value of an expression in the lanes that count. What gathers by places from data needs one that does,
        whose place serves the others: it stands behind a branch, as a loop of one iteration or none."""
        lower = ValueLowering.lower if lower is None else lower
        if self.where is None or self.some or not any(map(self._needs_some, e.reads(node))):
            return lower(self, node)
        emit, fresh = self.emit, self.emit.names.fresh
        with emit.nested() as body:
            value = lower(replace(self, some=True, bound={**self.bound}), node)
        initial = emit.constant(_zero(value.type.element), value.type)
        result = v.Value(fresh("v"), value.type)
        carried = v.Carried(fresh("v"), value.type, initial, value, result.name)
        emit.once(emit.in_some_lane(self.where), (carried,), lambda: body)
        return result

    def _needs_some(self, read: e.Read) -> bool:
        return bool(read.access.data) and gathered(read.access, self.lanes.variable) and not self.safe(read)

    def _side(self, node: Expression, condition: v.Value, holds: bool, lower: Lowered | None = None) -> v.Value:
        """An operand that counts where the condition holds, or does not."""
        alone = self.lanes.lanes == 1 or self.safe(node)
        return (self if alone else self.under(condition, holds)).in_counting_lanes(node, lower)

    def _bound(self, datum: e.Datum) -> Affine:
        if datum in self.bound:
            return self.bound[datum]
        name = self.emit.names.fresh("at")
        self.emit.append(v.BindValue(name, self.lower(datum.value)))
        return affine(name)

    def _gather(self, access: Access, type_: ScalarType, where: v.Value | None) -> v.Value:
        """Lane by lane, as in scalar code: each computes its own subscripts."""
        variable = self.lanes.variable
        assert variable is not None
        base, places = self.environment[variable], dict[e.Datum, v.Value]()
        if where is not None and self.some:
            places = {d: self._there(self.lower(d.value)) for d in access.data}
            where = None
        elif where is None:
            where = self._counting()
            places = {d: self.lower(d.value) for d in access.data if where is None and self._is_computed(d.value)}

        def one(lane: int) -> v.Value:
            inside = replace(self, lanes=SCALAR, where=None, environment={**self.environment, variable: base + lane})
            inside = replace(inside, bound={**self.bound, **{d: self._place(x, lane) for d, x in places.items()}})
            if where is None:
                return inside.lower(e.Read(access, type_))
            flag = self.emit.let(v.Lane(where, lane, v.ValueType(e.I32)))
            zero = e.Literal(_zero(type_), type_)
            return self._branch(flag, lambda: inside.lower(e.Read(access, type_)), lambda: inside.lower(zero), type_)

        values = tuple(map(one, range(self.lanes.lanes)))
        return self.emit.let(v.Pack(values, v.ValueType(type_, self.lanes.lanes)))

    def _there(self, places: v.Value) -> v.Value:
        """Subscripts with those of the first lane that counts in the place of those of lanes that do not."""
        if places.type.lanes == 1 or self.where is None:
            return places
        numbers = self.emit.let(v.IndexValue(affine(0), 1, v.ValueType(e.I32, self.lanes.lanes)))
        behind = self.emit.constant(self.lanes.lanes, v.ValueType(e.I32))
        first = self.emit.let(v.Horizontal("min", self.emit.pick(self.where, numbers, behind), v.ValueType(e.I32)))
        none = self.emit.constant(0, v.ValueType(places.type.element))
        its = self.emit.pick(self.emit.test("==", numbers, first, e.I32), places, none)
        return self.emit.pick(self.where, places, self.emit.let(v.Horizontal("|", its, none.type)))

    def _is_computed(self, place: Expression) -> bool:
        """Whether a subscript is computed from what vectors hold, and not only loaded: in all lanes at once, then."""
        moves = any(
            isinstance(node, e.Binary) or (isinstance(node, e.Cast) and node.operand.type.is_float)
            for node in e.walk(place)
        )
        return moves and computed_evenly(place, str(self.lanes.variable))

    def _place(self, places: v.Value, lane: int) -> Affine:
        """One lane's subscript."""
        name = self.emit.names.fresh("at")
        one = places if places.type.lanes == 1 else self.emit.let(v.Lane(places, lane, places.type._replace(lanes=1)))
        self.emit.append(v.BindValue(name, one))
        return affine(name)

    def _steady(self, access: Access, type_: ScalarType, offsets: tuple[int, ...]) -> v.Value:
        """What the lanes span, in one vector or in two that overlap; then every lane takes its own."""
        low, width = min(offsets), max(offsets) - min(offsets) + 1
        part = 1 << (width.bit_length() - 1)
        *outer, first = self.address(access).subscripts
        strides = (*(0 for _ in outer), int(part > 1))
        active = None
        if self.lanes.active is not None:
            assert self.lanes.variable is not None
            around = self._around(access)
            last = {**around, self.lanes.variable: around[self.lanes.variable] + self.lanes.active - 1}
            active = access.subscripts[-1].substitute(last) - first + 1
        vectors = [
            self.emit.let(
                v.Load(
                    v.Address(access.array, (*outer, first + (low + start)), strides), v.ValueType(type_, part), active
                )
            )
            for start in ((0,) if part == width else (0, width - part))
        ]
        if part == 1:
            return vectors[0]
        second = [offset - low >= part for offset in offsets]
        lanes = tuple(
            offset - low + (2 * part - width if behind else 0) for offset, behind in zip(offsets, second, strict=True)
        )
        return self.emit.let(v.Shuffle((vectors[0], vectors[-1]), lanes, v.ValueType(type_, self.lanes.lanes)))

    def _binary(
        self, node: Expression, operator: str, left: Expression, right: Expression, type_: ScalarType
    ) -> v.Value:
        fused = contracted(node) if self.contract else None
        if fused is not None:
            a, b, c = self.lower(fused.a), self.lower(fused.b), self.lower(fused.c)
            if fused.negate_a:
                a = self.emit.arithmetic("neg", a)
            if fused.negate_c:
                c = self.emit.arithmetic("neg", c)
            return self.emit.arithmetic("fma", a, b, c)
        first, second = self.lower(left), self.lower(right)
        if operator in ("<<", ">>"):  # the amount may have a type of its own, and is smaller than any type's width
            second = self.emit.convert(second, type_)
            least, most = value_bounds(right)
            fits = first.type.lanes > 1 or second.type.lanes > 1 or 0 <= least <= most < type_.bits
            if not fits and node not in certain(self.compute.value):  # C asks first whether it is such an amount
                second = self.emit.arithmetic("&", second, self.emit.constant(type_.bits - 1, second.type))
        return self.emit.arithmetic(operator, first, second)

    def truth(self, node: Expression) -> v.Value:
        """The expression as an I32 that is 0 or 1."""
        value = self.lower(node)
        if e.is_truth(node):
            return value
        return self.emit.test("!=", value, self.emit.constant(_zero(node.type), v.ValueType(node.type)), e.I32)

    def _logical(self, operator: str, left: Expression, right: Expression) -> v.Value:
        first = self.truth(left)
        if self.safe(right) or self.lanes.lanes > 1:
            # A choice, not "&": what the side computes may have no value where C would not compute it.
            second = self._side(right, first, operator == "&&", ValueLowering.truth)
            settled = self.emit.constant(int(operator == "||"), v.ValueType(e.I32))
            return self.emit.pick(first, *((second, settled) if operator == "&&" else (settled, second)))
        decided = e.Literal(0 if operator == "&&" else 1, e.I32)
        then, otherwise = (right, decided) if operator == "&&" else (decided, right)
        return self._branch(first, lambda: self.truth(then), lambda: self.truth(otherwise), e.I32)

    def _select(self, node: e.Select) -> v.Value:
        if node.then == node.otherwise:
            return self.lower(node.then)
        extremum = as_extremum(node)
        if extremum is not None:
            operator, left, right = extremum
            return self.emit.arithmetic(operator, self.lower(left), self.lower(right))
        condition = self.truth(node.condition)
        if self.lanes.lanes > 1 or (self.safe(node.then) and self.safe(node.otherwise)):
            then = self._side(node.then, condition, True)
            return self.emit.pick(condition, then, self._side(node.otherwise, condition, False))
        return self._branch(condition, lambda: self.lower(node.then), lambda: self.lower(node.otherwise), node.type)

    def _branch(
        self, condition: v.Value, then: Callable[[], v.Value], otherwise: Callable[[], v.Value], type_: ScalarType
    ) -> v.Value:
        with self.emit.nested() as then_statements:
            then_value = then()
        with self.emit.nested() as otherwise_statements:
            otherwise_value = otherwise()
        return self.emit.let(
            v.LazyPick(
                condition,
                tuple(then_statements),
                then_value,
                tuple(otherwise_statements),
                otherwise_value,
                v.ValueType(type_),
            )
        )

    def safe(self, node: Expression) -> bool:
        """Whether evaluating an expression cannot fault, also where C would not."""
        made_anyway = certain_accesses(self.compute.value, self.compute.conditional)
        if not self.compute.conditional:
            made_anyway |= {self.compute.target}
        return is_safe(node, made_anyway, self.in_bounds)


def is_safe(node: Expression, certain: frozenset[Access], in_bounds: Callable[[Access], bool]) -> bool:
    """Whether evaluating the expression cannot fault, wanted or not.

    Args:
        certain: accesses that are made anyway.
        in_bounds: whether an access is provably inside its array.
    """
    match node:
        case e.Read(access, _):
            return access in certain or _is_between(access, certain) or in_bounds(access)
        case e.Fold():
            return False
        case e.Call(function, _, _) if function not in TOTAL_FUNCTIONS:
            return False
        case _ if divides_integers(node):
            return False
        case _:
            return all(is_safe(child, certain, in_bounds) for child in e.children(node))


def _is_between(access: Access, certain: frozenset[Access]) -> bool:
    """Whether the element lies behind one of an object's elements and before another: between them all is readable."""

    def reaches(first: Access, last: Access) -> bool:
        steps = [b - a for a, b in zip(first.subscripts, last.subscripts, strict=True)]
        return all(step.is_constant and step.constant >= 0 for step in steps)

    others = [other for other in certain if other.array == access.array]
    return any(reaches(other, access) for other in others) and any(reaches(access, other) for other in others)


def divides_integers(node: Expression) -> bool:
    """Whether it is a quotient of integers, or its rest, that may trap: by no literal, or by 0 or -1 (of which the
    smallest number has none)."""
    match node:
        case e.Binary("/" | "%", _, e.Literal(value), _) if value not in (0, -1):
            return False
        case e.Binary("/" | "%", _, _, type_):
            return not type_.is_float
    return False


def as_extremum(node: e.Select) -> tuple[str, Expression, Expression] | None:
    """The Select as "min" or "max" of two expressions where that is the same, bit for bit.

    ``min(x, y)`` is x < y ? x : y; with <= the two agree on integers only (-0.0 <= +0.0, and NaN).
    """
    match node.condition:
        case e.Comparison(operator, left, right):
            pass
        case _:
            return None
    strict = operator in ("<", ">") or (operator in ("<=", ">=") and not left.type.is_float)
    if not strict or left.type != node.type or right.type != node.type:
        return None
    smaller = operator in ("<", "<=")
    if (node.then, node.otherwise) == (left, right):
        return ("min" if smaller else "max"), left, right
    if (node.then, node.otherwise) == (right, left):
        return ("max" if smaller else "min"), right, left
    return _as_clamp("max" if smaller else "min", left, right, node)


def _as_clamp(
    which: str, value: Expression, limit: Expression, node: e.Select
) -> tuple[str, Expression, Expression] | None:
    """``x > high ? high : max(low, x)`` as ``min(high, max(low, x))``, low <= high: where x is larger, so is that."""
    other = as_extremum(node.otherwise) if isinstance(node.otherwise, e.Select) else None
    match limit, other:
        case e.Literal(first), (inner, e.Literal(second), same) if (
            node.then == limit and same == value and inner != which
        ):
            if second <= first if which == "min" else second >= first:
                return which, limit, node.otherwise
    return None


def _zero(type_: ScalarType) -> int | float:
    return 0.0 if type_.is_float else 0
