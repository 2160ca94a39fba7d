"""Walking and renaming in vector programs, and which names a piece of one mentions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Min, condition_variables, map_condition
from polyloop.backend.ir.loop_nest import Storage

# --- Walking and renaming ---------------------------------------------------------------------------------------------


def operands(operation: v.Operation) -> tuple[v.Value, ...]:
    """The values that an operation uses itself; of the statements of a LazyPick, what comes out of them."""
    match operation:
        case v.Load(where=where):
            return () if where is None else (where,)
        case v.Constant() | v.IndexValue():
            return ()
        case v.Broadcast(operand) | v.Convert(operand) | v.Horizontal(_, operand) | v.Lane(operand):
            return (operand,)
        case v.Arithmetic(_, values) | v.Apply(_, values) | v.GroupSum(_, values):
            return values
        case v.Pack(values) | v.Shuffle(values) | v.Compact(values):
            return values
        case v.Test(_, left, right, _):
            return (left, right)
        case v.Pick(condition, then, otherwise, _):
            return (condition, then, otherwise)
        case v.LazyPick(condition, _, then_value, _, otherwise_value, _):
            return (condition, then_value, otherwise_value)


def all_operands(operation: v.Operation) -> tuple[v.Value, ...]:
    """The values that an operation uses, inside of a LazyPick's statements, too."""
    if isinstance(operation, v.LazyPick):
        return (*operands(operation), *uses((*operation.then, *operation.otherwise)))
    return operands(operation)


def bodies(statement: v.Statement) -> tuple[tuple[v.Statement, ...], ...]:
    """The statement lists inside a statement."""
    match statement:
        case v.Let(_, operation):  # what there is most of
            return (operation.then, operation.otherwise) if isinstance(operation, v.LazyPick) else ()
        case v.For(body=body) | v.When(_, body):
            return (body,)
        case v.If(_, then, orelse):
            return then, orelse
        case _:
            return ()


def map_bodies(
    statement: v.Statement, visit: Callable[[tuple[v.Statement, ...]], tuple[v.Statement, ...]]
) -> v.Statement:
    """A loop or conditional with its bodies as `visit` returns them; other statements as they are."""
    match statement:
        case v.For(body=body) | v.When(_, body):
            return replace(statement, body=visit(body))
        case v.If(_, then, orelse):
            return replace(statement, then=visit(then), orelse=visit(orelse))
        case _:
            return statement


def walk(statements: Iterable[v.Statement]) -> Iterator[v.Statement]:
    """The statements and all inside of them, each in front of what is inside of it."""
    for statement in statements:
        yield statement
        for body in bodies(statement):
            yield from walk(body)


def with_operands(operation: v.Operation, rename: Callable[[v.Value], v.Value]) -> v.Operation:
    """The operation over renamed values; itself, where none of them has another name."""
    match operation:
        case v.Arithmetic(operator, values, type_):
            new_values = tuple(map(rename, values))
            return operation if new_values == values else v.Arithmetic(operator, new_values, type_)
        case v.Broadcast(operand, type_):
            return v.Broadcast(rename(operand), type_)
        case v.Load(where=where) if where is not None:
            return replace(operation, where=rename(where))
        case v.Constant() | v.Load() | v.IndexValue():
            return operation
        case v.Convert(operand) | v.Horizontal(_, operand) | v.Lane(operand):
            return replace(operation, operand=rename(operand))
        case v.Apply(_, values) | v.Pack(values) | v.Shuffle(values) | v.Compact(values) | v.GroupSum(_, values):
            return replace(operation, operands=tuple(map(rename, values)))
        case v.Test(_, left, right, _):
            return replace(operation, left=rename(left), right=rename(right))
        case v.Pick(condition, then, otherwise, _):
            return replace(operation, condition=rename(condition), then=rename(then), otherwise=rename(otherwise))
        case v.LazyPick(condition, then, then_value, otherwise, otherwise_value, type_):
            return v.LazyPick(
                rename(condition),
                renamed(then, rename),
                rename(then_value),
                renamed(otherwise, rename),
                rename(otherwise_value),
                type_,
            )


def nameless(operation: v.Operation) -> v.Operation:
    """The operation without the names of its operands."""
    return with_operands(operation, lambda value: v.Value("", value.type))


def renamed(statements: Iterable[v.Statement], rename: Callable[[v.Value], v.Value]) -> tuple[v.Statement, ...]:
    """Every use of a value replaced, in nested bodies too; definitions keep their names."""
    return tuple(_renamed(statement, rename) for statement in statements)


def _renamed(statement: v.Statement, rename: Callable[[v.Value], v.Value]) -> v.Statement:
    match statement:
        case v.Let(name, operation):
            new = with_operands(operation, rename)
            return statement if new is operation else v.Let(name, new)
        case v.Store(address, value, active, where):
            return v.Store(address, rename(value), active, None if where is None else rename(where))
        case v.For():
            carried = tuple(replace(c, initial=rename(c.initial), next=rename(c.next)) for c in statement.carried)
            going = None if statement.going is None else rename(statement.going)
            return replace(statement, body=renamed(statement.body, rename), carried=carried, going=going)
        case v.If(condition, then, orelse):
            return v.If(condition, renamed(then, rename), renamed(orelse, rename))
        case v.When(value, body):
            return v.When(rename(value), renamed(body, rename))
        case v.BindValue(variable, value):
            return v.BindValue(variable, rename(value))
        case v.Prefetch() | v.Bind():
            return statement


def mapped(statements: Iterable[v.Statement], visit: Callable[[Affine], Affine]) -> tuple[v.Statement, ...]:
    """The statements with every integer expression replaced."""

    def every(body: Iterable[v.Statement]) -> tuple[v.Statement, ...]:
        return tuple([with_integers(statement, visit, every) for statement in body])

    return every(statements)


def with_integers(
    statement: v.Statement,
    visit: Callable[[Affine], Affine],
    every: Callable[[tuple[v.Statement, ...]], tuple[v.Statement, ...]],
) -> v.Statement:
    """The statement with its integer expressions replaced, and with what `every` makes of the statements inside."""

    def address(value: v.Address) -> v.Address:
        return value._replace(subscripts=tuple(map(visit, value.subscripts)))

    def count(value: Affine | None) -> Affine | None:
        return None if value is None else visit(value)

    match statement:
        case v.Let(name, v.Load(place, type_, active, where)):
            return v.Let(name, v.Load(address(place), type_, count(active), where))
        case v.Let(name, v.IndexValue(value) as operation):
            return v.Let(name, replace(operation, value=visit(value)))
        case v.Let(name, v.LazyPick(then=then, otherwise=otherwise) as pick):
            return v.Let(name, replace(pick, then=every(then), otherwise=every(otherwise)))
        case v.Store(place, value, active, where):
            return v.Store(address(place), value, count(active), where)
        case v.Prefetch(place):
            return v.Prefetch(address(place))
        case v.For(lower=lower, upper=upper, body=body):
            return replace(statement, lower=visit(lower), upper=visit(upper), body=every(body))
        case v.If(condition, then, orelse):
            return v.If(map_condition(condition, visit), every(then), every(orelse))
        case v.When(value, body):
            return v.When(value, every(body))
        case v.Bind(variable, bound):
            return v.Bind(variable, visit(bound))
        case _:
            return statement


def uses(statements: Iterable[v.Statement]) -> Iterator[v.Value]:
    """Every use of a value, in nested bodies too."""
    for statement in walk(statements):
        match statement:
            case v.Let(_, operation):
                yield from operands(operation)
            case v.Store(_, value, _, where):
                yield from (value,) if where is None else (value, where)
            case v.When(value) | v.BindValue(_, value):
                yield value
            case v.For(carried=carried, going=going):
                for c in carried:
                    yield from (c.initial, c.next)
                if going is not None:
                    yield going


def definitions(statements: Iterable[v.Statement]) -> Iterator[str]:
    """Names of values that the statements define, in nested bodies too."""
    for statement in walk(statements):
        match statement:
            case v.Let(name):
                yield name
            case v.For(carried=carried):
                yield from (name for c in carried for name in (c.name, c.result))


def bound_variables(statements: Iterable[v.Statement]) -> Iterator[str]:
    """Integer variables (loop variables and Binds) that the statements define."""
    for statement in walk(statements):
        if isinstance(statement, v.For | v.Bind | v.BindValue):
            yield statement.variable


def affine_variables(operation: v.Operation) -> frozenset[str]:
    """Integer variables that an operation mentions itself (not those of a LazyPick's inner statements)."""
    match operation:
        case v.Load(address, _, active):
            return address_variables(address, active)
        case v.IndexValue(value, _, _):
            return value.variables()
        case _:
            return frozenset()


def address_variables(address: v.Address, active: Affine | None) -> frozenset[str]:
    """Integer variables that an address and its count of active lanes depend on."""
    used = frozenset[str]().union(*(s.variables() for s in address.subscripts))
    return used if active is None else used | active.variables()


# --- Values, integer variables, arrays that a piece mentions ----------------------------------------------------------


@dataclass
class NamesUsed:
    """Everything mentioned, also what is defined in the same piece; the bodies of the loops `skip` are left out.

    Attributes:
        defined: the values that the piece defines itself.
    """

    skip: tuple[v.For, ...] = ()
    values: dict[str, v.Value] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)

    def visit(self, statements: Iterable[v.Statement]) -> NamesUsed:
        for statement in statements:
            self._statement(statement)
        return self

    def _statement(self, statement: v.Statement) -> None:
        match statement:
            case v.Let(name, operation):
                self.defined.add(name)
                self._operation(operation)
            case v.Store(address, value, active, where):
                self._address(address, active)
                self._values(*((value,) if where is None else (value, where)))
            case v.Prefetch(address):
                self._address(address, None)
            case v.For(_, lower, upper, _, body, carried, going=going):
                self.integers |= lower.variables() | upper.variables()
                self._values(*(() if going is None else (going,)))
                for c in carried:
                    self._values(c.initial, c.next)
                    self.defined |= {c.name, c.result}
                if not any(statement is loop for loop in self.skip):
                    self.visit(body)
            case v.If(condition, then, orelse):
                self.integers |= condition_variables(condition)
                self.visit(then)
                self.visit(orelse)
            case v.When(value, body):
                self._values(value)
                self.visit(body)
            case v.Bind(_, value):
                self.integers |= value.variables()
            case v.BindValue(_, operand):
                self._values(operand)

    def _operation(self, operation: v.Operation) -> None:
        self._values(*operands(operation))
        if isinstance(operation, v.Load):
            self._address(operation.address, operation.active)
        elif isinstance(operation, v.IndexValue):
            self.integers |= operation.value.variables()
        elif isinstance(operation, v.LazyPick):
            self.visit((*operation.then, *operation.otherwise))

    def _address(self, address: v.Address, active: Affine | None) -> None:
        self.arrays.add(address.array)
        self.integers |= address_variables(address, active)

    def _values(self, *values: v.Value) -> None:
        self.values.update((v.name, v) for v in values)


def arrays_touched(statements: Iterable[v.Statement]) -> tuple[frozenset[str], frozenset[str]]:
    """Names of the arrays that are loaded, and of those that are stored, nested statements included."""
    loaded: set[str] = set()
    stored: set[str] = set()
    for statement in walk(statements):
        match statement:
            case v.Let(_, v.Load(address)):
                loaded.add(address.array)
            case v.Store(address):
                stored.add(address.array)
    return frozenset(loaded), frozenset(stored)


def private_arrays(program: v.VectorProgram, loop: v.For) -> frozenset[str]:
    """LOCAL arrays of which every thread of a parallel loop has its own: those that this loop mentions and nothing else
    does, and private ones that only parallel loops mention; scratch, too, where each loop that reads it fills it."""
    here = NamesUsed().visit(loop.body).arrays
    elsewhere = NamesUsed(skip=(loop,)).visit(program.body).arrays
    outside = NamesUsed(skip=tuple(parallel_loops(program.body))).visit(program.body).arrays
    local = [array for array in program.arrays if array.storage is Storage.LOCAL and array.name in here]
    touched = (arrays_touched(other.body) for other in parallel_loops(program.body))
    common = frozenset[str]().union(*(loaded - stored for loaded, stored in touched))
    apart = {array.name for array in local if array.private or (array.scratch and array.name not in common)}
    return frozenset(a.name for a in local if a.name not in (outside if a.name in apart else elsewhere))


def is_uneven(loop: v.For) -> bool:
    """Whether iterations take unequal time, as those of a triangle or of a few large tiles do: a loop inside of it has
    another length in each of them; or only in the last, where there are loops inside of that."""
    return _is_uneven(loop.body, loop.variable, {}, 1)


def _is_uneven(body: Iterable[v.Statement], variable: str, bound: dict[str, Affine], depth: int) -> bool:
    for statement in body:
        if isinstance(statement, v.Bind):
            bound[statement.variable] = statement.value.substitute(bound)
        if isinstance(statement, v.For):
            trips = (statement.upper - statement.lower).substitute(bound)
            if variable in trips.variables():
                deeper = any(isinstance(inner, v.For) for inner in walk(statement.body))
                if not _is_capped(trips, variable) or (deeper and depth == 1):
                    return True
            if _is_uneven(statement.body, variable, dict(bound), depth + 1):
                return True
        elif any(_is_uneven(inner, variable, dict(bound), depth) for inner in bodies(statement)):
            return True
    return False


def _is_capped(value: Affine, variable: str) -> bool:
    """Whether it is the smaller one of something and a number that does not depend on the variable."""
    return any(
        variable not in (value - Affine(((atom, 1),)) + operand).variables()
        for atom, factor in value.terms
        if isinstance(atom, Min) and factor == 1
        for operand in atom.operands
    )


def in_turn_where_shared(statements: tuple[v.Statement, ...], arrays: Collection[str]) -> tuple[v.Statement, ...]:
    """With loops of one thread where a loop is to run in parallel and uses one of the arrays, of which threads need
    their own, that is used outside of parallel loops, too: a loop of one iteration is none any more."""
    shared = NamesUsed(skip=tuple(parallel_loops(statements))).visit(statements).arrays.intersection(arrays)

    def in_turn(statement: v.Statement) -> v.Statement:
        if isinstance(statement, v.For) and statement.parallel:
            return replace(statement, parallel=shared.isdisjoint(NamesUsed().visit(statement.body).arrays))
        return map_bodies(statement, lambda body: tuple(map(in_turn, body)))

    return tuple(map(in_turn, statements)) if shared else statements


def parallel_loops(statements: Iterable[v.Statement]) -> Iterator[v.For]:
    """The outermost parallel loops."""
    for statement in statements:
        if isinstance(statement, v.For) and statement.parallel:
            yield statement
        else:
            for body in bodies(statement):
                yield from parallel_loops(body)
