"""Statements that a program has several times over, as functions that are written once.

    if (full) {                                      void tile(.., full) {
        c[r] = C[i + r]                                  c[r] = first full ? 8 : n - i lanes of C[i + r]
        for k:  c[r] = a[r] * b + c[r]                   for k:  c[r] = a[full ? r : min(r, m)] * b + c[r]
    } else {                                   ->        ..
        c[r] = first n - i lanes of C[i + r]         }
        for k:  c[r] = a[min(r, m)] * b + c[r]
    }                                                if (full) tile(.., 1);  else tile(.., 0);

Copies do the same operations in the same order; what may differ are integers, arrays, scalars, and how many lanes an
access has. What differs becomes a parameter, or is chosen by one that says which of two kinds of copies it is.
Compilers put the functions in the place of their calls, where they know that: the machine code is that of the copies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from polyloop.backend.c.arrays import Strip
from polyloop.backend.c.copies import FULL, Call, Form, Joining, Section, UnlikeError, form_of, rewritten
from polyloop.backend.c.rolling import Rolled
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, And, Condition, affine, at_least, says
from polyloop.backend.ir.loop_nest import ArraySpec, Storage, numbered_name
from polyloop.backend.ir.polynomials import renamed, variables
from polyloop.backend.ir.traversal import NamesUsed, bodies, definitions, walk
from polyloop.backend.ir.vector_program import Address, Let, Statement, Store, Value

MOST_PARAMETERS = 14
"""Of a short function that people are to read."""

MOST_NEIGHBOURS = 4
"""So many loops and conditionals, one behind the other, are looked for elsewhere."""

LEAST_SAVED = 10
"""So many statements fewer are worth a function."""


@dataclass(frozen=True)
class Function:
    """One that calls take.

    Attributes:
        parameters: integers.
        arrays: those that are passed, then its own arrays of values.
        scalars: names of the arrays that stand for numbers.
        known: what holds of the parameters.
    """

    parameters: tuple[str, ...]
    arrays: tuple[ArraySpec, ...]
    scalars: tuple[str, ...]
    body: tuple[Statement, ...]
    known: tuple[Condition, ...]


def shared(
    program: v.VectorProgram, tiles: Rolled, values: Collection[str] = ()
) -> tuple[v.VectorProgram, tuple[Function, ...]]:
    """The program with calls in the place of statements that it has several times over, and what they call: functions
    call only those behind them.

    Args:
        tiles: of the program, with its arrays of values.
        values: arrays that are passed as the one number that they hold.
    """
    functions: list[Function] = []
    program = _shared(program, tiles, values, functions)
    for place, function in enumerate(functions):  # which grows: functions call others
        inside = replace(program, parameters=function.parameters, arrays=function.arrays, body=function.body)
        body = _shared(inside, tiles, function.scalars, functions).body
        functions[place] = replace(function, body=body)
    return program, tuple(functions)


def _shared(
    program: v.VectorProgram, tiles: Rolled, values: Collection[str], functions: list[Function]
) -> v.VectorProgram:
    """The program with calls, of functions that are put behind those that there are."""
    tried: set[tuple[Statement, ...]] = set()
    search = _Search(tiles)
    while (forms := search.largest(program, tried)) is not None:
        tried.add(forms[0].key)
        try:
            function, calls = _made(program, forms, len(functions), values)
        except UnlikeError:
            continue
        functions.append(function)
        places = {id(form.section.statements[0]): (form, call) for form, call in zip(forms, calls, strict=True)}
        program = replace(program, body=_with_calls(program.body, places))
    return program


def _with_calls(body: tuple[Statement, ...], places: dict[int, tuple[Form, Call]]) -> tuple[Statement, ...]:
    result: list[Statement] = []
    rest = list(body)
    while rest:
        found = places.get(id(rest[0]))
        if found is not None and len(found[0].section.statements) <= len(rest):
            del rest[: len(found[0].section.statements)]
            result.append(found[1])
            continue
        statement = rest.pop(0)
        match statement:
            case v.For(body=inside) | v.When(_, inside) if (new := _with_calls(inside, places)) is not inside:
                statement = replace(statement, body=new)
            case v.If(_, then, orelse) if not isinstance(statement, Call):
                parts = _with_calls(then, places), _with_calls(orelse, places)
                if parts[0] is not then or parts[1] is not orelse:
                    statement = replace(statement, then=parts[0], orelse=parts[1])
        result.append(statement)
    same = len(result) == len(body) and all(a is b for a, b in zip(result, body, strict=True))
    return body if same else tuple(result)


@dataclass(frozen=True)
class _Known:
    """A section that has been looked at: most stay the same objects from one function to the next."""

    form: Form
    mentions: _Mentions
    defined: tuple[str, ...]
    movable: bool


@dataclass(frozen=True)
class _Seen:
    """A statement that has been looked at.

    Attributes:
        outline: equal for statements of which copies may consist: what they do, whatever with.
        lines, loads: see `_size`.
        mentions: what it mentions itself.
    """

    statement: Statement
    outline: int
    lines: int
    loads: int
    mentions: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass
class _Search:
    """Looks for copies, and remembers what it has looked at: by identity, since nothing is compared as often."""

    tiles: Rolled
    known: dict[tuple[int, ...], _Known] = field(default_factory=dict)
    seen: dict[int, _Seen] = field(default_factory=dict)
    outlines: dict[object, int] = field(default_factory=dict)

    def largest(self, program: v.VectorProgram, tried: set[tuple[Statement, ...]]) -> list[Form] | None:
        """The longest copies that are worth a function: it may have others inside."""
        sections = [section for section in _sections(program.body, ()) if self._size(section) >= 3]
        outlines = [tuple(self._see(statement).outline for statement in section.statements) for section in sections]
        times = Counter(outlines)
        groups: dict[tuple[Statement, ...], list[Form]] = {}
        outside = self._mentions(program.body)
        lets = {x.name: x.operation for x in walk(program.body) if isinstance(x, Let)}
        for section, outline in zip(sections, outlines, strict=True):
            if times[outline] == 1:
                continue
            key = tuple(map(id, section.statements))
            if key not in self.known:
                self.known[key] = self._look(section, lets)
            known = self.known[key]
            if known.form.key not in tried and _is_closed(known, outside):
                forms = groups.setdefault(known.form.key, [])
                if not forms or not set(key) & set(map(id, forms[-1].section.statements)):
                    forms.append(known.form)
        sizes = {id(forms): self._size(forms[0].section) for forms in groups.values()}
        every = sorted(groups.values(), key=lambda forms: (sizes[id(forms)], len(forms)), reverse=True)
        for forms in every:
            saved = (len(forms) - 1) * sizes[id(forms)]
            if saved >= LEAST_SAVED and not any(_repeats(forms, others) for others in every):
                return forms
        return None

    def _look(self, section: Section, lets: Mapping[str, v.Operation]) -> _Known:
        statements = section.statements
        movable = not any(isinstance(x, Call) or (isinstance(x, v.For) and x.parallel) for x in walk(statements))
        mentions = self._mentions(statements)
        return _Known(form_of(section, self.tiles, lets), mentions, tuple(definitions(statements)), movable)

    def _size(self, section: Section) -> int:
        seen = [self._see(statement) for statement in section.statements]
        return sum(one.lines for one in seen) + sum(one.loads for one in seen) // _LOADS_ON_A_LINE

    def _mentions(self, statements: Iterable[Statement]) -> _Mentions:
        mentions = _Mentions()
        for statement in walk(statements):
            mentions.add(*self._see(statement).mentions)
        return mentions

    def _see(self, statement: Statement) -> _Seen:
        known = self.seen.get(id(statement))
        if known is not None:
            return known
        inside = [[self._see(x) for x in body] for body in bodies(statement)]
        match statement:
            case Let(_, operation):
                own: object = operation.__class__, operation.type
            case Store(_, value):
                own = Store, value.type
            case _:
                own = v.If if isinstance(statement, v.If) else statement.__class__
        outline = own, tuple(tuple(x.outline for x in body) for body in inside)
        lines, loads = _own_size(statement)
        used = NamesUsed().visit((_alone(statement),))
        known = self.seen[id(statement)] = _Seen(
            statement,
            self.outlines.setdefault(outline, len(self.outlines)),
            lines + sum(x.lines for body in inside for x in body),
            loads + sum(x.loads for body in inside for x in body),
            (tuple(used.values), tuple(used.arrays)),
        )
        return known


def _repeats(forms: Sequence[Form], others: Sequence[Form]) -> bool:
    """Whether the copies are others several times over, which are better shared alone."""
    whole, part = forms[0].section.statements, others[0].section.statements
    times = len(whole) // len(part)
    return times > 1 and set(map(id, part)) <= set(map(id, whole)) and len(others) >= times * len(forms)


def _sections(body: tuple[Statement, ...], holds: tuple[Condition, ...]) -> Iterator[Section]:
    """Loops, conditionals, neighbours of them, and all that stands inside of one."""
    if len(body) > 1:
        yield Section(body, holds)
    ends = [place for place, statement in enumerate(body) if isinstance(statement, v.For | v.If)]
    for number, begin in enumerate(ends):
        for end in ends[number + 1 : number + MOST_NEIGHBOURS]:
            run = body[begin : end + 1]
            if len(run) < len(body) and not any(isinstance(x, v.Bind | v.BindValue | Call) for x in run):
                yield Section(run, holds)
    for statement in body:
        match statement:
            case Call() | v.For(parallel=True, body=()):
                continue
            case Strip():
                yield Section((statement,), holds)  # a part would not know when all lanes are there
            case v.For(variable, _, upper, unroll=1):
                yield Section((statement,), holds)
                yield from _sections(statement.body, (*holds, at_least(upper, affine(variable) + 1)))
            case v.If(condition, then, orelse):
                yield Section((statement,), holds)
                yield from _sections(then, (*holds, condition))
                yield from _sections(orelse, holds)
            case v.When(_, inside):
                yield from _sections(inside, holds)


def _size(statements: Iterable[Statement]) -> int:
    """About how many lines they take."""
    sizes = list(map(_own_size, walk(statements)))
    return sum(lines for lines, _ in sizes) + sum(loads for _, loads in sizes) // _LOADS_ON_A_LINE


def _own_size(statement: Statement) -> tuple[int, int]:
    """Lines of a statement itself, and loads of which several share a line."""
    match statement:
        case Let(_, operation) if operation.type.lanes == 1:
            return 0, int(isinstance(operation, v.Load))
        case _:
            return 1, 0


_LOADS_ON_A_LINE = 4


@dataclass
class _Mentions:
    """How often values are used and arrays accessed."""

    values: Counter[str] = field(default_factory=Counter)
    arrays: Counter[str] = field(default_factory=Counter)

    def add(self, values: Iterable[str], arrays: Iterable[str]) -> None:
        self.values.update(values)
        self.arrays.update(arrays)


def _alone(statement: Statement) -> Statement:
    """The statement without those inside of it."""
    match statement:
        case v.For() | v.When():
            return replace(statement, body=())
        case v.If():
            return replace(statement, then=(), orelse=())
        case Let(name, v.LazyPick() as pick):
            return Let(name, replace(pick, then=(), otherwise=()))
        case _:
            return statement


def _is_closed(known: _Known, outside: _Mentions) -> bool:
    """Whether nothing else uses what the section computes, and all that it takes from outside can be passed."""
    here = known.mentions
    if any(outside.values.get(name, 0) > here.values.get(name, 0) for name in known.defined):
        return False
    if any(outside.arrays[name] > here.arrays[name] for name in known.form.own):
        return False
    return known.movable and all(value.type.lanes == 1 for value in known.form.scalars.values())


def _made(
    program: v.VectorProgram, forms: Sequence[Form], number: int, values: Collection[str]
) -> tuple[Function, list[Call]]:
    """
    Raises:
        UnlikeError: if the sections differ in more than a function's parameters can say.
    """
    first = forms[0]
    # Sections that use all lanes share a function with others that do not: a parameter tells it which it is.
    partial = next((s for s in zip(*(f.slots for f in forms), strict=True) if _differ_in_lanes(s)), None)
    full = tuple(slot[0] is None for slot in partial) if partial else (False,) * len(forms)
    taken = {name for form in forms for name in (*form.variables, *form.own)} | {FULL}
    joining = Joining(forms, full, taken)
    known: list[Condition] = []
    slots: list[Affine | None] = []
    for role, *every in zip(first.roles, *(form.slots for form in forms), strict=True):
        value = joining.slot([slot[0] for slot in every], every[0][1], role)
        slots.append(value)
        if every[0][1] and value is not None and all(map(_is_positive, forms, [slot[0] for slot in every])):
            known.append(at_least(value, 1))
    arrays = _arrays(program, forms, joining, values)
    scalars = _scalars(first, {spec.name for spec in arrays.specs} | set(first.own))
    parameters = [name for _, name in joining.parameters] + ([FULL] if joining.flagged else [])
    if len(parameters) + len(arrays.specs) + len(scalars) > MOST_PARAMETERS + _size(first.section.statements) // 30:
        raise UnlikeError
    calls = []
    for place, form in enumerate(forms):
        integers = [passed[place] or affine(0) for passed, _ in joining.parameters]
        integers += [affine(int(full[place]))] if joining.flagged else []
        given = tuple(each[place] for each in arrays.passed)
        calls.append(_call(number, integers, given, tuple(form.scalars.values()), form.section.statements))
    own = tuple(program.array(name) for name in first.own)
    loads = tuple(
        Let(value.name, v.Load(Address(spec.name, (), ()), value.type))
        for spec, value in zip(scalars, first.scalars.values(), strict=True)
    )
    body = (*loads, *reversed(first.repeated.values()), *rewritten(first, slots, arrays.names))
    by_value = (*(spec.name for spec in scalars), *arrays.by_value)
    function = Function(tuple(parameters), (*arrays.specs, *scalars, *own), by_value, body, tuple(known))
    return function, calls


def _differ_in_lanes(slots: Sequence[tuple[Affine | None, int]]) -> bool:
    return len({active is None for active, _ in slots}) > 1


def _is_positive(form: Form, active: Affine | None) -> bool:
    """Whether there is a lane, as far as what holds around the section says."""
    if active is None or (active.is_constant and active.constant > 0):
        return True
    return any(says(condition, active - 1) for condition in form.section.holds)


@dataclass(frozen=True)
class _Arrays:
    """The arrays that a function is given.

    Attributes:
        specs: its parameters; `by_value`: those that are numbers.
        passed: what each section passes for each.
        names: the parameter of each access.
    """

    specs: list[ArraySpec]
    passed: list[tuple[str, ...]]
    names: list[str]
    by_value: list[str]


def _arrays(program: v.VectorProgram, forms: Sequence[Form], joining: Joining, values: Collection[str]) -> _Arrays:
    stored = [{x.address.array for x in walk(form.section.statements) if isinstance(x, Store)} for form in forms]
    accesses = list(zip(*(form.arrays for form in forms), strict=True))
    passed = list(dict.fromkeys(accesses))
    for column, written in zip(zip(*passed, strict=True), stored, strict=True):
        if any(name in written and column.count(name) > 1 for name in column):
            raise UnlikeError  # two parameters that are one array would be taken for two
    specs: list[ArraySpec] = []
    joining.role = "extent"
    taken = set(forms[0].own)
    for names in passed:
        every = [program.array(name) for name in names]
        shapes = [spec.shape[1:] if spec.strides is None else () for spec in every]
        constant = [all(extent is not None and extent.is_constant for extent in shape) for shape in shapes]
        alike = {
            # C converts pointers to elements to those to constant ones, but no pointers to rows.
            (
                spec.type,
                spec.read_only and shape and fixed,
                len(spec.shape),
                fixed,
                shape if fixed else (),
                spec.name in values,
                spec.strides,
            )
            for spec, shape, fixed in zip(every, shapes, constant, strict=True)
        }
        if len(alike) > 1:
            raise UnlikeError
        shape = tuple(joining.joined(extents) for extents in zip(*shapes, strict=True))
        stem = names[0] if len(set(names)) == 1 else "target" if names[0] in stored[0] else "source"
        name = numbered_name(stem, taken)
        taken.add(name)
        outer = (None, *shape) if every[0].shape else ()
        read_only = any(spec.read_only for spec in every)
        spec = replace(every[0], name=name, shape=outer, storage=Storage.ARGUMENT, read_only=read_only)
        if every[0].strides is not None:
            passed_as = {name: _one(joining, name, len(every)) for name in variables(every[0].strides)}
            strides = tuple(renamed(stride, passed_as.__getitem__) for stride in every[0].strides)
            spec = replace(spec, shape=every[0].shape, strides=strides)
        specs.append(spec)
    parameters = {names: spec.name for names, spec in zip(passed, specs, strict=True)}
    by_value = [spec.name for names, spec in zip(passed, specs, strict=True) if names[0] in values]
    return _Arrays(specs, passed, [parameters[names] for names in accesses], by_value)


def _one(joining: Joining, name: str, sections: int) -> str:
    """A parameter for what is one variable in all sections."""
    ((passed, _),) = joining.joined([affine(name)] * sections).terms
    assert isinstance(passed, str)
    return passed


def _scalars(form: Form, taken: set[str]) -> list[ArraySpec]:
    """What numbers are passed as."""
    specs = []
    for value in form.scalars.values():
        name = numbered_name("factor", taken)
        taken.add(name)
        specs.append(ArraySpec(name, value.type.element, (), Storage.ARGUMENT, read_only=True))
    return specs


def _call(
    number: int,
    integers: Sequence[Affine],
    arrays: tuple[str, ...],
    scalars: tuple[Value, ...],
    copy: tuple[Statement, ...],
) -> Call:
    reads: list[Statement] = [v.Prefetch(Address(name, (), ())) for name in arrays]
    reads += [v.When(value, ()) for value in scalars]
    reads += [v.If(at_least(value, 0), ()) for value in integers]
    return Call(And(()), tuple(reads), (), number, tuple(integers), arrays, scalars, copy)
