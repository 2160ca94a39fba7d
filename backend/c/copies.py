"""What statements that do the same have in common: integers, arrays and scalars that differ become parameters.

`Rewriting` walks statements in one order, for reading (`form_of`) and for writing; `Joining` makes one expression of
those that copies have in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from polyloop.backend.c.rolling import Rolled
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import (
    Affine,
    And,
    Condition,
    FloorDiv,
    Max,
    Min,
    Not,
    affine,
    choose,
    equal,
    map_condition,
)
from polyloop.backend.ir.loop_nest import numbered_name
from polyloop.backend.ir.traversal import map_bodies, with_operands
from polyloop.backend.ir.vector_program import Address, Let, Statement, Store, Value

FULL = "full"
"""The parameter that is 1 for one kind of copies, and 0 for the other."""

# --- one walk, for reading and for writing ----------------------------------------------------------------------------


@dataclass
class Rewriting:
    """The statements with everything replaced that may differ between copies: always met in the same order.

    Attributes:
        role: what the integer that is being met is, in a word.
    """

    integer: Callable[[Affine], Affine]
    lanes: Callable[[Affine | None, int], Affine | None]
    array: Callable[[str], str]
    free: Callable[[Value], Value]
    variable: Callable[[str], str]
    defined: Callable[[str], str]
    names: dict[str, str] = field(default_factory=dict)
    role: str = "number"

    def number(self, value: Affine, role: str) -> Affine:
        self.role = role
        return self.integer(value)

    def body(self, statements: Iterable[Statement]) -> tuple[Statement, ...]:
        return tuple([self.statement(statement) for statement in statements])

    def value(self, value: Value) -> Value:
        known = self.names.get(value.name)
        return self.free(value) if known is None else Value(known, value.type)

    def define(self, name: str) -> str:
        self.names[name] = self.defined(name)
        return self.names[name]

    def address(self, address: Address) -> Address:
        array = self.array(address.array)
        roles = (["index"] if len(address.subscripts) == 1 else [*(["panel"] * 8), "row", "column"])[::-1]
        behind = len(address.subscripts) - 1
        subscripts = tuple(self.number(at, roles[behind - k]) for k, at in enumerate(address.subscripts))
        return address._replace(array=array, subscripts=subscripts)

    def maybe(self, value: Value | None) -> Value | None:
        return None if value is None else self.value(value)

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Let(name, operation):
                new = self.operation(operation)
                return Let(self.define(name), new)
            case Store(address, value, active, where):
                place, new_value = self.address(address), self.value(value)
                return Store(place, new_value, self.lanes(active, value.type.lanes), self.maybe(where))
            case v.Prefetch(address):
                return v.Prefetch(self.address(address))
            case v.For():
                return self.loop(statement)
            case v.If(condition, then, orelse):
                return v.If(self.condition(condition), self.body(then), self.body(orelse))
            case v.When(value, inside):
                return v.When(self.value(value), self.body(inside))
            case v.Bind(variable, bound):
                number = self.number(bound, "number")
                return v.Bind(self.variable(variable), number)
            case v.BindValue(variable, value):
                read = self.value(value)
                return v.BindValue(self.variable(variable), read)

    def loop(self, loop: v.For) -> v.For:
        lower, upper = self.number(loop.lower, "begin"), self.number(loop.upper, "end")
        initial = [self.value(c.initial) for c in loop.carried]
        variable, names = self.variable(loop.variable), [self.define(c.name) for c in loop.carried]
        body = self.body(loop.body)
        following = [self.value(c.next) for c in loop.carried]
        carried = tuple(
            v.Carried(name, c.type, first, after, self.define(c.result))
            for c, name, first, after in zip(loop.carried, names, initial, following, strict=True)
        )
        return replace(
            loop, variable=variable, lower=lower, upper=upper, body=body, carried=carried, going=self.maybe(loop.going)
        )

    def condition(self, condition: Condition) -> Condition:
        return map_condition(condition, lambda value: self.number(value, "bound"))

    def operation(self, operation: v.Operation) -> v.Operation:
        match operation:
            case v.Load(address, type_, active, where):
                place = self.address(address)
                return v.Load(place, type_, self.lanes(active, type_.lanes), self.maybe(where))
            case v.IndexValue(number):
                return replace(operation, value=self.number(number, "number"))
            case v.LazyPick():
                return replace(
                    operation,
                    condition=self.value(operation.condition),
                    then=self.body(operation.then),
                    then_value=self.value(operation.then_value),
                    otherwise=self.body(operation.otherwise),
                    otherwise_value=self.value(operation.otherwise_value),
                )
            case _:
                return with_operands(operation, self.value)


# --- what copies have in common ---------------------------------------------------------------------------------------


class UnlikeError(Exception):
    """Statements are no copies of each other."""


@dataclass(frozen=True)
class Section:
    """Statements that a call may take the place of, and what holds where they run."""

    statements: tuple[Statement, ...]
    holds: tuple[Condition, ...]


@dataclass
class Form:
    """What a section is made of, in the order in which it is met.

    Attributes:
        key: the section without what may differ between copies.
        slots: its integers and counts of lanes (None: all), each with how many lanes the access has, 0 for integers.
            Variables of its own go by their numbers.
        roles: a word for each of these.
        arrays: of each access to memory.
        own: its arrays of values.
        scalars: that it takes from outside.
        repeated: what it takes from outside, too, but a function computes anew: constants, vectors of one scalar.
        variables: names of its own variables.
    """

    section: Section
    key: tuple[Statement, ...] = ()
    slots: list[tuple[Affine | None, int]] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    own: dict[str, None] = field(default_factory=dict)
    scalars: dict[str, Value] = field(default_factory=dict)
    repeated: dict[str, Let] = field(default_factory=dict)
    variables: list[str] = field(default_factory=list)


def form_of(section: Section, tiles: Rolled, lets: Mapping[str, v.Operation]) -> Form:
    form, numbers, count = Form(section), dict[str, Affine](), iter(range(1_000_000))

    def integer(value: Affine) -> Affine:
        form.slots.append((value.substitute(numbers), 0))
        form.roles.append(rewriting.role)
        return affine(0)

    def lanes(active: Affine | None, most: int) -> Affine | None:
        form.slots.append((None if active is None else active.substitute(numbers), most))
        form.roles.append("lanes")
        return None

    def array(name: str) -> str:
        if name in tiles.registers:
            form.own[name] = None
            spec = tiles.program.array(name)
            return f"own {list(form.own).index(name)} {tiles.registers[name]} {spec.shape}"
        form.arrays.append(name)
        return ""

    def free(value: Value) -> Value:
        match lets.get(value.name):
            case v.Constant() as operation:
                form.repeated[value.name] = Let(value.name, operation)
                return Value(str(operation), value.type)
            case v.Broadcast(operand) as operation:
                form.repeated[value.name] = Let(value.name, operation)
                return Value(f"each {free(operand).name}", value.type)
        form.scalars[value.name] = value
        return Value(f"free {list(form.scalars).index(value.name)}", value.type)

    def variable(name: str) -> str:
        numbers[name] = affine(numbered(len(form.variables)))
        form.variables.append(name)
        return ""

    # With its names numbered and its integers left out, a section reads as those do that it shares a function with.
    rewriting = Rewriting(integer, lanes, array, free, variable, lambda _: f"value {next(count)}")
    form.key = rewriting.body(section.statements)
    return form


def numbered(place: int) -> str:
    return f"%{place}"


def rewritten(first: Form, slots: Iterable[Affine | None], arrays: Iterable[str]) -> tuple[Statement, ...]:
    """A section with other integers, counts of lanes and arrays, in the order of the form."""
    numbers, names, own = iter(slots), iter(arrays), dict[str, Affine | int]()

    def integer(_: Affine) -> Affine:
        value = next(numbers)
        assert value is not None
        return value.substitute(own)

    def lanes(_: Affine | None, __: int) -> Affine | None:
        value = next(numbers)
        return None if value is None else value.substitute(own)

    def array(name: str) -> str:
        return name if name in first.own else next(names)

    def variable(name: str) -> str:
        own[numbered(len(own))] = affine(name)
        return name

    def same(name: str) -> str:
        return name

    rewriting = Rewriting(integer, lanes, array, lambda value: value, variable, same)
    return rewriting.body(first.section.statements)


@dataclass
class Joining:
    """The parameters of a function that several sections become.

    Attributes:
        forms: the sections'.
        full: those in which accesses have all lanes where others have fewer.
        parameters: what each section passes (None: no matter what), and the parameter's name.
        role: of the integer that is being joined.
    """

    forms: Sequence[Form]
    full: tuple[bool, ...]
    taken: set[str]
    parameters: list[tuple[list[Affine | None], str]] = field(default_factory=list)
    flagged: bool = False
    role: str = "number"

    def slot(self, values: Sequence[Affine | None], most: int, role: str) -> Affine | None:
        self.role = role
        if all(value is None for value in values):
            return None
        counts = [affine(most) if value is None else value for value in values]
        if most and len(set(counts)) > 1 and not any(_is_own(atom) for count in counts for atom, _ in count.terms):
            return affine(self.parameter(counts))
        return self.joined(counts)

    def joined(self, values: Sequence[Affine | None]) -> Affine:
        """One expression that is each section's with what it passes; None: no matter what.

        Raises:
            UnlikeError: if there is none.
        """
        known = [value for value in values if value is not None]
        if all(value == known[0] for value in known):
            free = (name for name in sorted(known[0].variables()) if not name.startswith("%"))
            return known[0].substitute({name: self.named(name, values) for name in free})
        own = [Affine(tuple(term for term in value.terms if _is_own(term[0]))) for value in known]
        if all(part == own[0] for part in own):
            shared = self.joined([None if value is None else own[0] for value in values])
            rest = [None if value is None else value - own[0] for value in values]
            constants = {x.constant for x in rest if x is not None}
            constant = constants.pop() if len(constants) == 1 and all(x.terms for x in rest if x) else 0
            return shared + self._passed([None if value is None else value - constant for value in rest]) + constant
        before = [(list(passed), name) for passed, name in self.parameters]
        try:
            return self._term_by_term(values, known)
        except UnlikeError:
            self.parameters = before
        if len({full for full, value in zip(self.full, values, strict=True) if value is not None}) < 2:
            raise UnlikeError
        self.flagged = True
        then, otherwise = (
            self.joined([value if full == side else None for full, value in zip(self.full, values, strict=True)])
            for side in (True, False)
        )
        return choose(Not(equal(affine(FULL), 0)), then, otherwise)

    def named(self, variable: str, values: Sequence[object]) -> Affine:
        return affine(self.parameter([None if value is None else affine(variable) for value in values]))

    def _term_by_term(self, values: Sequence[Affine | None], known: Sequence[Affine]) -> Affine:
        if len({tuple(factor for _, factor in value.terms) for value in known}) > 1:
            raise UnlikeError
        result = self.joined([None if value is None else affine(value.constant) for value in values])
        for place, (_, factor) in enumerate(known[0].terms):
            atoms = [None if value is None else value.terms[place][0] for value in values]
            result = result + self._atom(atoms) * factor
        return result

    def _atom(self, atoms: Sequence[object]) -> Affine:
        known = [atom for atom in atoms if atom is not None]
        if len({type(atom) for atom in known}) > 1:
            raise UnlikeError
        match known[0]:
            case Min(operands) | Max(operands):
                sides = [None if atom is None else atom.operands for atom in atoms]  # type: ignore[attr-defined]
                if any(side is not None and len(side) != len(operands) for side in sides):
                    raise UnlikeError
                inner = [
                    self.joined([None if side is None else side[k] for side in sides]) for k in range(len(operands))
                ]
                return Affine(((type(known[0])(tuple(inner)), 1),))
            case FloorDiv(_, divisor) if all(atom.divisor == divisor for atom in known):  # type: ignore[attr-defined]
                dividend = self.joined([None if a is None else a.dividend for a in atoms])  # type: ignore[attr-defined]
                return Affine(((FloorDiv(dividend, divisor), 1),))
            case str(name) if all(atom == name for atom in known):
                return affine(name) if name.startswith("%") else self.named(name, atoms)
        raise UnlikeError

    def _passed(self, values: Sequence[Affine | None]) -> Affine:
        """A parameter, or one that there is and a constant."""
        for others, name in self.parameters:
            apart = {a - b if a is not None and b is not None else None for a, b in zip(values, others, strict=True)}
            if len(apart) == 1 and (distance := apart.pop()) is not None and distance.is_constant:
                return affine(name) + distance
        return affine(self.parameter(values))

    def parameter(self, passed: Sequence[Affine | None]) -> str:
        for others, name in self.parameters:
            if all(a is None or b is None or a == b for a, b in zip(passed, others, strict=True)):
                others[:] = [a if a is not None else b for a, b in zip(passed, others, strict=True)]
                return name
        variables = [str(value) for value in passed if value is not None and value == affine(str(value))]
        name = numbered_name(variables[0] if variables and self.role != "lanes" else self.role, self.taken)
        self.taken.add(name)
        self.parameters.append((list(passed), name))
        return name


def _is_own(atom: object) -> bool:
    return any(name.startswith("%") for name in Affine(((atom, 1),)).variables())  # type: ignore[arg-type]


# --- calls in the place of copies -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call(v.If):
    """A call in the place of a copy. What it passes is also in `then`, as statements that read it.

    Attributes:
        function: which one.
        arguments: integers, arrays by name, and scalars, in the order of the parameters.
        copy: what it stands for.
    """

    function: int = 0
    integers: tuple[Affine, ...] = ()
    arrays: tuple[str, ...] = ()
    scalars: tuple[Value, ...] = ()
    copy: tuple[Statement, ...] = ()


def with_copies(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements as they were before calls took the place of some."""
    return tuple(
        v.If(And(()), with_copies(s.copy)) if isinstance(s, Call) else map_bodies(s, with_copies) for s in body
    )
