"""C99 with GNU vector extensions: the printer that gives people a VectorProgram to read, keep and compile anywhere.

Vectors are `vector_size` types of unaligned, aliasing memory, so gcc and clang load and store them with one instruction
on targets that are wide enough and split them on others; there are no intrinsics but masked loads and stores, for
processors that have them. What the text preserves:

- "fma" is one expression ``a * b + c`` and no other addition has a product as its direct operand: clang contracts
  exactly what it contracts in the source (its default, ``-ffp-contract=on``), and nobody else does unless told to.
  (gcc's default, ``fast``, contracts across statements, in the source as well as here.)
- Arrays whose rows have a constant length keep their shape, as pointers to rows.
- It is C++, too, of which gcc and clang take vectors' compound literals, but no addresses of such.
- A loop of vectors stays as planned: innermost loops are not to be unrolled, and some values are held where they are
  by macros of the prelude ("keep", "start", "apart"), each of which says why.
- Lane-wise choices are bitwise, since ``?:`` on vectors is C++ only. A comparison stays the compiler's mask, 0 or -1
  in every lane, until somebody needs C's 0 or 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from polyloop.backend.c.arrays import (
    Analysis,
    ArrayPrinter,
    Strip,
    WholeStrip,
    all_bodies,
    analyse,
    functions_called,
    next_assignments,
    widens_rounded_values,
    without_dead,
)
from polyloop.backend.c.copies import Call, with_copies
from polyloop.backend.c.helpers import Helper, definitions, merged
from polyloop.backend.c.named_integers import named_integers, simplified
from polyloop.backend.c.operations import Operand, OperationPrinter, bracket
from polyloop.backend.c.rolling import Rolled, rolled
from polyloop.backend.c.text import (
    BEFORE_C99,
    CPP_KEYWORDS,
    WIDTH,
    AffinePrinter,
    Names,
    bare,
    is_operand,
    vector_name,
    wrap,
)
from polyloop.backend.c.vectors import fits_register
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, And, affine, at_least
from polyloop.backend.ir.expressions import BIT_VIEW, I64
from polyloop.backend.ir.loop_nest import Storage, numbered_name
from polyloop.backend.ir.traversal import is_uneven, operands, parallel_loops, private_arrays, walk


@dataclass(frozen=True)
class CFunction:
    """A printed function.

    Attributes:
        name: its C identifier.
        text: the definition, ending in a newline.
        helpers: what must be defined before it; see `prelude`.
        can_fail: it returns int instead of void: 1 if it ran, 0 if it could not get memory and did nothing.
        parameters: their declarations; `names`: of the parameters alone.
    """

    name: str
    text: str
    helpers: frozenset[Helper]
    can_fail: bool
    parameters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Threads:
    """How parallel loops start.

    Attributes:
        shared: the threads are there already, and each of them calls the function.
        clauses: of the directive.
        number: how many threads; 0: as many as OpenMP has.
    """

    shared: bool = False
    clauses: str = ""
    number: int = 0

    def directive(self, uneven: bool) -> str:
        """In front of a loop; iterations that take unequal time are dealt out in turn."""
        kind = "for" if self.shared else "parallel for"
        number = f"num_threads({self.number})" if self.number else ""
        turns = "schedule(static, 1)" if uneven and "schedule" not in self.clauses else ""
        return " ".join(part for part in ("#pragma omp", kind, self.clauses, number, turns) if part)


def print_c(
    program: v.VectorProgram,
    name: str | None = None,
    reserved: Iterable[str] = (),
    qualifiers: str = "static ",
    threads: Threads | None = None,
    values: Collection[str] = (),
) -> CFunction:
    """The program as a C function ``void name(long parameters..., pointers to the ARGUMENT arrays...)``.

    Args:
        program: what to print.
        name: the function's name, the program's own by default.
        reserved: identifiers that locals must not have (macros of the file that the text goes into).
        qualifiers: what stands before the return type.
        threads: how parallel loops start.
        values: scalars, only read, that are arguments themselves, not by their addresses.
    """
    name, threads = name or program.name, threads or Threads()
    reserved, values = tuple(reserved), tuple(values)
    how = (name, frozenset(reserved), qualifiers, threads, values)
    for other, others_how, known in _printed:
        if other is program and others_how == how:
            return known
    printed = _print(program, name, reserved, qualifiers, threads, values)
    _printed.append((program, how, printed))
    del _printed[:-_MOST_PRINTED]
    return printed


_MOST_PRINTED = 4
_printed: list[tuple[v.VectorProgram, tuple[object, ...], CFunction]] = []
"""The last programs that were printed, how, and as what: what a compiler is asked about is written to a file later on.
The same objects alone: programs that are equal may differ in the sign of a zero."""


def _print(
    program: v.VectorProgram,
    name: str,
    reserved: tuple[str, ...],
    qualifiers: str,
    threads: Threads,
    values: tuple[str, ...],
) -> CFunction:
    program, tiles = _readable(program, BEFORE_C99 not in reserved)
    if program.auto_vectorize or sum(1 for _ in walk(program.body)) < _FEW:
        return _FunctionPrinter(program, tiles, name, reserved, threads, values).function(qualifiers)
    from polyloop.backend.c.sharing import shared  # of those that may have something several times over

    whole = program
    program, functions = shared(program, tiles, values)
    parts = [f"{name}_part{number}" for number in range(len(functions), 0, -1)]  # defined in front of who calls them
    texts, helpers = [], frozenset[Helper]()
    for part, function in zip(reversed(parts), reversed(functions), strict=True):
        inner = replace(program, parameters=function.parameters, arrays=function.arrays, body=function.body)
        others = {*reserved, *parts}
        printer = _FunctionPrinter(inner, tiles, part, others, threads, function.scalars, parts, is_part=True)
        printer.arrays.known += function.known
        printed = printer.function(f"polyloop_inline {re.sub('static |polyloop_kernel ', '', qualifiers)}")
        texts.append(f"{printed.text}\n")
        helpers |= printed.helpers | {Helper("inline")}
    printer = _FunctionPrinter(program, tiles, name, {*reserved, *parts}, threads, values, parts, whole=whole)
    printed = printer.function(qualifiers)
    return replace(printed, text="".join([*texts, printed.text]), helpers=printed.helpers | helpers)


_FEW = 13
"""Statements of which fewer are not worth a function, however often they are there (`sharing.LEAST_SAVED`)."""


def _readable(program: v.VectorProgram, strips: bool) -> tuple[v.VectorProgram, Rolled]:
    """The program as people read it, and its tiles.

    Args:
        strips: loops over vectors may be macros, whose counters are declared in the heads of loops.
    """
    program = replace(program, body=without_dead(program.body))
    if any(isinstance(x, v.Let) and isinstance(x.operation, v.Pack | v.Lane) for x in walk(program.body)):
        from polyloop.backend.c.strided import with_strides  # of those that take vectors apart

        program = replace(program, body=without_dead(with_strides(program.body)))
    tiles = rolled(program)
    program = replace(tiles.program, body=without_dead(tiles.program.body))
    if not program.auto_vectorize:
        program = replace(program, body=simplified(program.body))
        if strips and any(isinstance(x, v.Bind) for x in walk(program.body)):
            from polyloop.backend.c.strips import with_strips  # of those that leave something behind whole vectors

            program = with_strips(replace(tiles, program=program))
        program = named_integers(program)
    return program, replace(tiles, program=program)


def prelude(helpers: Iterable[Helper]) -> str:
    """Includes, types and static functions that printed functions need."""
    return merged("".join(text for _, text in definitions(helpers)))


def c_source(program: v.VectorProgram, name: str | None = None, *, uncontracted: bool = False) -> str:
    """A complete C file that defines the program as an external function.

    Args:
        uncontracted: compilers are told not to fuse multiplications and additions, whatever their default is.
    """
    macros = ("undistributed", "uncontracted") if uncontracted else ("undistributed",)
    function = print_c(program, name, qualifiers="".join(f"polyloop_{macro} " for macro in macros))
    needed = function.helpers | {Helper(macro) for macro in macros}
    needed |= {Helper("include", detail="math.h")} if functions_called(program.body) else set()
    return f"{prelude(needed)}\n{AS_C}{function.text}"


AS_C = """\
#ifdef __cplusplus
extern "C"
#endif
"""
"""In front of a function that others call by its name."""


class _FunctionPrinter:
    """One walk over a program. `env` maps the values visible at a point to C text; nested bodies work on a copy."""

    def __init__(
        self,
        program: v.VectorProgram,
        tiles: Rolled,
        name: str,
        reserved: Iterable[str],
        threads: Threads,
        values: Collection[str] = (),
        parts: Sequence[str] = (),
        is_part: bool = False,
        whole: v.VectorProgram | None = None,
    ) -> None:
        program = replace(program, body=without_dead(program.body))
        whole = whole or program
        self.parts = parts
        self.is_part = is_part
        self.strips: set[Affine] = set()
        self.tiles = tiles
        self.program = program
        self.threads = threads
        # What loops read and fill, and how long they are, may stand in functions that are called now.
        loops = list(zip(parallel_loops(program.body), parallel_loops(whole.body), strict=True))
        self.uneven = [loop for loop, before in loops if is_uneven(before)]
        self.name = name
        self.helpers: set[Helper] = set()
        self.names = Names({*reserved, *CPP_KEYWORDS, name, *functions_called(program.body)})
        self.declared: set[str] = set()
        self.spoken = _carried_names(program.body)
        self.facts: Analysis = analyse(program.body, tiles.registers)
        self.lines: list[str] = []
        self.depth = 1
        for parameter in program.parameters:
            self.names("variable", parameter)
        for array in program.arrays:
            self.names("array", array.name)
        self.affine = AffinePrinter(lambda variable: self.names("variable", variable), self._need)
        self.arrays = ArrayPrinter(
            program,
            self.names,
            self.affine,
            self.helpers,
            tiles.registers,
            threads.number,
            values,
            tiles.columns,
            [(loop, private_arrays(whole, before)) for loop, before in loops],
        )
        fenced = widens_rounded_values(program.body)
        self.operations = OperationPrinter(
            self.arrays, self.affine, self.helpers, fenced, program.loose_math, self._variable
        )

    def function(self, qualifiers: str) -> CFunction:
        storage, release = self.arrays.storage()
        self._body(self.program.body, {}, {})
        result = "int" if release else "void"
        parts = [f"long {self.names('variable', p)}" for p in self.program.parameters]
        parts += self.arrays.arguments()
        head = wrap(f"{qualifiers}{result} {self.name}({', '.join(parts) or 'void'})")
        lines = [*head, "{", *self._unused([*storage, *self.lines]), *storage, *self.lines, *release]
        if release:
            lines.append("    return 1;")
        lines.append("}")
        text, names = "\n".join(lines) + "\n", tuple(self._parameters())
        helpers = frozenset(h for h in self.helpers if h.kind != "splat" or h.name in text)
        return CFunction(self.name, text, helpers, bool(release), tuple(parts), names)

    def _unused(self, lines: list[str]) -> list[str]:
        words = set(re.findall(r"\w+", "\n".join(lines)))
        return [f"    (void){name};" for name in self._parameters() if name not in words]

    def _parameters(self) -> list[str]:
        arrays = [a.name for a in self.program.arrays if a.storage is Storage.ARGUMENT]
        integers = [self.names("variable", p) for p in self.program.parameters]
        return [*integers, *(self.names("array", name) for name in arrays)]

    def _need(self, kind: str) -> None:
        self.helpers.add(Helper(kind))

    def _fresh(self, name: str) -> str:
        """An identifier for a new variable; programs may use one name for values of different bodies."""
        chosen = numbered_name(name, self.declared, mark="_")
        self.declared.add(chosen)
        return self.names("value", chosen)

    def _variable(self, text: str, type_: v.ValueType) -> str:
        """A new variable with the value of an expression."""
        name = self._fresh("value")
        self._line(f"const {self.operations.use(type_)} {name} = {_initializer(text)};")
        return name

    def _line(self, text: str) -> None:
        """A statement, on the line of the one in front of it where both declare variables of one type."""
        line, before = "    " * self.depth + text, self.lines[-1] if self.lines else ""
        new, old = _DECLARES.fullmatch(line), _DECLARES.fullmatch(before)
        if new and old and new[1] == old[1] and len(before) + len(new[2]) + 2 <= WIDTH:
            self.lines[-1] = f"{before[:-1]}, {new[2]};"
        else:
            self.lines.extend(wrap(line))

    def _together(self, *statements: str) -> None:
        """On one line, if they fit."""
        whole = " ".join(statements)
        for text in [whole] if 4 * self.depth + len(whole) <= WIDTH else statements:
            self._line(text)

    def _body(self, body: tuple[v.Statement, ...], env: dict[str, Operand], assigned: dict[str, v.Carried]) -> None:
        """Print a statement list; `assigned` says which Lets assign to a variable of the loop around."""
        rest = list(body)
        while rest:
            statement = rest.pop(0)
            if rest and isinstance(statement, v.Let) and self._filled_in_place(statement, rest[0], env):
                rest.pop(0)
                continue
            if len(rest) > 1 and self._turned(statement, rest[1]):
                del rest[:2]
                continue
            self._statement(statement, env, assigned)

    def _spoken(self, let: v.Let) -> str:
        """What the value is called: after the array that it comes from, or what is computed."""
        match let.operation:
            case _ if let.name in self.facts.updated:
                return self.spoken[self.facts.updated[let.name]]
            case _ if not _GENERATED.fullmatch(let.name):
                return let.name
            case v.Load(address):
                return f"{address.array}_value"
            case v.Arithmetic(operator):
                return _SPOKEN.get(operator, "value")
            case v.Apply(function):
                return "bits" if function == BIT_VIEW else f"{function}_value"
            case _:
                return "value"

    def _filled_in_place(self, let: v.Let, store: v.Statement, env: dict[str, Operand]) -> bool:
        """A call that would fill a variable fills the place in an array of values where that goes."""
        match store:
            case v.Store(address, v.Value(name), None, None) if (
                name == let.name and address.array in self.tiles.registers
            ):
                pass
            case _:
                return False
        filled = None
        if self.facts.count[let.name] == 1:
            filled = self.operations.fill(let.operation, env, self.arrays.lane(address, 0))
        if filled is not None:
            self._line(filled)
        return filled is not None

    def _turned(self, filled: v.Statement, turned: v.Statement) -> bool:
        """The call that turns a block: from an array of rows to one of columns."""
        registers = self.tiles.registers
        match filled, turned:
            case v.Let(_, v.Load(v.Address(rows), type_)), v.Store(v.Address(columns)) if rows in registers:
                if type_ == registers[rows] or columns not in registers:
                    return False
            case _:
                return False
        self._declared(columns)
        helper = Helper(f"turn{registers[columns].lanes}", registers[rows])
        self.helpers.add(helper)
        self._line(f"{helper.name}({self.names('array', columns)}, {self.names('array', rows)});")
        return True

    def _declared(self, array: str) -> None:
        if line := self.arrays.declared_value(array):
            self._line(line)

    def _nested(self, body: tuple[v.Statement, ...], env: dict[str, Operand]) -> dict[str, Operand]:
        inner = dict(env)
        with self._scope():
            self._body(body, inner, {})
        return inner

    @contextmanager
    def _scope(self) -> Iterator[None]:
        """Names that are declared inside of the braces are free behind them."""
        before, self.declared = self.declared, set(self.declared)
        self.depth += 1
        yield
        self.depth -= 1
        self.declared = before

    def _statement(self, statement: v.Statement, env: dict[str, Operand], assigned: dict[str, v.Carried]) -> None:
        match statement:
            case v.Let(name, v.LazyPick() as pick):
                self._lazy(name, pick, env)
            case v.Let(name, _):
                self._let(statement, env, assigned.get(name))
            case v.Store():
                self._declared(statement.address.array)
                self._line(self.operations.store(statement, env))
                self._hold(statement)
            case v.Prefetch(address):
                self._need("ahead")
                name = self.names("array", address.array)
                self._line(f"polyloop_ahead({name}, {self.arrays.offset(address)});")
            case v.Bind(variable, value):
                self._line(f"const long {self.names('variable', variable)} = {self.affine.affine(value)};")
            case v.BindValue(variable, operand):
                number = self.operations.value(env[operand.name])
                if operand.type.element != I64:
                    number = f"(long){bracket(number)}"
                self._line(f"const long {self.names('variable', variable)} = {number};")
            case Call():
                self._line(self._call(statement, env))
            case v.If():
                self._if(statement, env)
            case v.When(value, body):
                self._line(f"if ({bare(self._value(value, env))}) {{")
                self._nested(body, env)
                self._line("}")
            case v.For():
                self._for(statement, env)

    def _call(self, call: Call, env: dict[str, Operand]) -> str:
        """The call of one of the function's parts."""
        passed = [*map(self.affine.affine, call.integers), *(self.names("array", name) for name in call.arrays)]
        passed += [self._value(value, env) for value in call.scalars]
        return f"{self.parts[call.function]}({', '.join(map(bare, passed))});"

    def _if(self, statement: v.If, env: dict[str, Operand], before: str = "") -> None:
        """One condition for several around each other, and one chain for those in the other branches."""
        match statement:
            case v.If(outer, (v.If(inner, body, ()) as only,), ()) if not isinstance(only, Call):
                self._if(v.If(And((outer, inner)), body), env, before)
                return
        head = f"{before}if ({self.affine.condition(statement.condition)})"
        match statement.then, statement.orelse:
            case (Call() as first,), (Call() as second,):
                for line, call in ((head, first), ("else", second)):
                    self._line(line)
                    self._line(f"    {self._call(call, env)}")
                return
        self.arrays.known.append(statement.condition)
        if not statement.orelse and not before:
            with self._block(head):
                self._nested(statement.then, env)
            self.arrays.known.pop()
            return
        self._line(f"{head} {{")
        self._nested(statement.then, env)
        self.arrays.known.pop()
        match statement.orelse:
            case ():
                self._line("}")
            case (v.If() as other,) if not isinstance(other, Call):
                self._if(other, env, "} else ")
            case others:
                self._line("} else {")
                self._nested(others, env)
                self._line("}")

    def _let(self, let: v.Let, env: dict[str, Operand], carried: v.Carried | None) -> None:
        """Name the value, unless it is inlined; or assign it to the carried variable whose next value it is."""
        if carried is not None:
            target = env[carried.name]
            filled = self.operations.fill(let.operation, env, target.text)
            self._line(filled or f"{target.text} = {self.operations.plain(let.operation, env)};")
            env[let.name] = target
            return
        printed = self.operations.operand(let.operation, env)
        if let.name in self.facts.inlined and printed.atomic:
            env[let.name] = printed
        elif let.name in self.facts.inlined:
            text = printed.text if is_operand(printed.text) else f"({printed.text})"
            env[let.name] = Operand(text, let.operation.type, halves=printed.halves)
        elif printed.repeatable:
            env[let.name] = printed
        else:
            self._declare(let, printed, env)

    def _declare(self, let: v.Let, printed: Operand, env: dict[str, Operand]) -> None:
        updated = let.name in self.facts.updated
        name = self._fresh(self._spoken(let))
        filled = self.operations.fill(let.operation, env, name)
        if filled is not None:
            self._together(f"{vector_name(let.operation.type)} {name};", filled)
        elif self._is_kept(let, updated):
            kept = f"{Helper('keep', let.operation.type).name}({name});"
            self._together(f"{vector_name(let.operation.type)} {name} = {printed.text};", kept)
            self.helpers.add(Helper("keep", let.operation.type))
        elif updated:
            plain = self.operations.plain(let.operation, env)
            self._line(f"{vector_name(let.operation.type)} {name} = {_initializer(plain)};")
        else:
            self._line(f"const {vector_name(printed.stored)} {name} = {_initializer(printed.text)};")
            env[let.name] = Operand(name, printed.type, mask=printed.mask, halves=printed.halves)
            return
        self.operations.use(let.operation.type)
        halves = frozenset[str]() if updated else printed.halves
        env[let.name] = Operand(name, let.operation.type, mutable=updated, halves=halves)

    def _is_kept(self, let: v.Let, updated: bool) -> bool:
        """A vector from memory that is used several times."""
        operation = let.operation
        return (
            isinstance(operation, v.Load)
            and (operation.active is None or self.is_part or operation.active in self.strips)  # all lanes, mostly
            and operation.type.lanes > 1
            and operation.address.lane_strides[-1:] == (1,)
            and fits_register(operation.type)
            and not updated
            and self.facts.count[let.name] > 1
        )

    def _lazy(self, name: str, pick: v.LazyPick, env: dict[str, Operand]) -> None:
        target, short = self._fresh("value"), self._lazy_expression(pick, env)
        if short is not None:
            self._line(f"const {vector_name(pick.type)} {target} = {short[0]};")
            env[name] = Operand(target, pick.type)
            return
        self._line(f"{vector_name(pick.type)} {target};")
        self._line(f"if ({bare(env[pick.condition.name].text)}) {{")
        for statements, value, closing in (
            (pick.then, pick.then_value, "} else {"),
            (pick.otherwise, pick.otherwise_value, "}"),
        ):
            inner = self._nested(statements, env)
            self.depth += 1
            self._line(f"{target} = {self._value(value, inner)};")
            self.depth -= 1
            self._line(closing)
        env[name] = Operand(target, pick.type)

    def _lazy_expression(self, pick: v.LazyPick, env: dict[str, Operand]) -> tuple[str, bool] | None:
        """The choice as ``?:``, where both sides are expressions that need no variable; ``&&`` and ``||`` of truths.

        Returns:
            The text, and whether it is 0 or 1 as comparisons are.
        """
        then = self._side(pick.then, pick.then_value, env)
        otherwise = self._side(pick.otherwise, pick.otherwise_value, env)
        if then is None or otherwise is None:
            return None
        condition = bracket(self._value(pick.condition, env))
        match then, otherwise:
            case ("1", _), (text, True):
                return f"{condition} || {text}", True
            case (text, True), ("0", _):
                return f"{condition} && {text}", True
            case _:
                return f"{condition} ? {then[0]} : {otherwise[0]}", False

    def _side(self, body: tuple[v.Statement, ...], value: v.Value, env: dict[str, Operand]) -> tuple[str, bool] | None:
        """The value at the end of straight-line scalar code as one operand, if everything in that is read once; and
        whether it is 0 or 1."""
        inner, truths = dict(env), set[str]()
        for statement in body:
            if not isinstance(statement, v.Let) or statement.operation.type.lanes > 1:
                return None
            name, last = statement.name, statement.name == value.name and self.facts.count[statement.name] == 1
            match statement.operation:
                case v.LazyPick() as pick if last:
                    choice = self._lazy_expression(pick, inner)
                    if choice is None:
                        return None
                    text, truth = choice
                case v.Constant() as operation:
                    text, truth = self.operations.plain(operation, inner), False
                case v.Load() | v.Arithmetic() | v.Test() | v.Convert() as operation if (
                    last or name in self.facts.inlined
                ):
                    text, truth = self.operations.plain(operation, inner), isinstance(operation, v.Test)
                case _:
                    return None
            inner[name] = Operand(text if is_operand(text) else f"({text})", statement.operation.type)
            truths |= {name} if truth else set()
        return self._value(value, inner), value.name in truths

    def _value(self, value: v.Value, env: dict[str, Operand]) -> str:
        return self.operations.value(env[value.name])

    def _hold(self, store: v.Store) -> None:
        """What a compiler is to keep in registers once the loop around is unrolled."""
        type_ = self.tiles.registers.get(store.address.array)
        if type_ is None:
            return
        place = self.arrays.lane(store.address, 0)
        if store.value.name in self.tiles.sums:
            self._need("apart")
            self._line(f"polyloop_apart({place});")
        elif type_.lanes > 1 and fits_register(type_) and store.address.array in self.tiles.shared:
            self.helpers.add(Helper("keep", type_))
            self._line(f"{Helper('keep', type_).name}({place});")

    def _tile(self, loop: v.For, env: dict[str, Operand]) -> None:
        """A loop over rows or columns of a tile, behind the declaration of what it is the first to write."""
        for statement in walk((loop,)):
            if isinstance(statement, v.Store):
                self._declared(statement.address.array)
        self._need("unrolled")
        counter = self.names("variable", loop.variable)
        lower, upper = self.affine.affine(loop.lower), self.affine.affine(loop.upper)
        head = f"polyloop_unrolled for (int {counter} = {lower}; {counter} < {upper}; {counter}++)"
        inner = {**env, **{carried.name: self._carry(carried, env) for carried in loop.carried}}
        with self._block(head), self._scope():
            self._body(loop.body, inner, next_assignments(loop, self.facts))
            self._advance(loop, inner)
        env.update({carried.result: inner[carried.name] for carried in loop.carried})

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        """Lines below a loop's head, in braces unless they are one statement."""
        before, self.lines = self.lines, []
        yield
        inside, self.lines = self.lines, before
        if _is_one_statement(inside, self.depth + 1):
            self._line(head)
            self.lines += inside
        else:
            self._line(f"{head} {{")
            self.lines += [*inside, "    " * self.depth + "}"]

    def _for(self, loop: v.For, env: dict[str, Operand]) -> None:
        if loop.unroll > 1:
            self._tile(loop, env)
            return
        if isinstance(loop, Strip):
            self._strip(loop, env)
            return
        inner = dict(env)
        for carried in loop.carried:
            inner[carried.name] = self._carry(carried, env)
        counter, before = self.names("variable", loop.variable), ""
        if loop.parallel:
            uneven = any(loop is each for each in self.uneven)
            self.lines.extend(["#ifdef _OPENMP", self.threads.directive(uneven), "#endif"])
        elif not self.program.auto_vectorize and _is_innermost(loop):
            # Left alone, clang would unroll bodies that already use every register.
            kind = "scalar" if _scatters(loop) else "rolled"
            self._need(kind)
            before = f"polyloop_{kind} "
        step = f"{counter}++" if loop.step == 1 else f"{counter} += {loop.step}"
        lower, upper = self.affine.affine(loop.lower), self.affine.affine(loop.upper)
        if not (loop.lower.is_constant or loop.parallel) and _is_innermost(loop) and _has_vectors(loop):
            self._need("start")
            lower = f"polyloop_start({lower})"
        if before and "?" in upper:
            # gcc looks for the loop of an annotation behind its condition, and warns where that has branches.
            end = self._fresh("end")
            self._line(f"const long {end} = {upper};")
            upper = end
        head = f"{before}for (long {counter} = {lower}; {counter} < {upper}; {step})"
        with self._block(head), self._scope():
            for line in self.arrays.private(loop) if loop.parallel else ():
                self._line(line)
            self.arrays.around.append(loop)
            self._body(loop.body, inner, next_assignments(loop, self.facts))
            self.arrays.around.pop()
            goes = self._fresh("goes") if loop.going is not None else ""
            if loop.going is not None:
                self._line(f"const int {goes} = {bare(self._value(loop.going, inner))};")
            self._advance(loop, inner)
            self._keep_apart(loop, inner)
            self._keep_in_order(loop, inner)
            if goes:
                self._line(f"if (!{goes}) break;")
        for carried in loop.carried:
            env[carried.result] = inner[carried.name]
        self._settle(loop, env)

    def _strip(self, loop: Strip, env: dict[str, Operand]) -> None:
        """A loop over vectors with what is left behind them."""
        macro = "strips_again" if isinstance(loop, WholeStrip) else "strips"
        self._need(macro)
        counter, lanes = self.names("variable", loop.variable), self.names("variable", loop.lanes)
        lower, upper = self.affine.affine(loop.lower), self.affine.affine(loop.upper)
        self.strips.add(affine(loop.lanes))
        self.arrays.known.append(at_least(affine(loop.lanes), 1))
        self.arrays.around.append(loop)
        with self._block(f"polyloop_{macro}({counter}, {lanes}, {lower}, {upper}, {loop.step})"):
            self._nested(loop.body[1:], env)
        self.arrays.around.pop()
        self.arrays.known.pop()

    def _keep_apart(self, loop: v.For, env: dict[str, Operand]) -> None:
        """Several scalar sums are rows that planning runs as chains of their own: no compiler is to merge them."""
        sums = [c for c in loop.carried if c.type.lanes == 1 and c.type.element.is_float]
        if len(sums) < 2:
            return
        self._need("apart")
        for carried in sums:
            self._line(f"polyloop_apart({env[carried.name].text});")

    def _keep_in_order(self, loop: v.For, env: dict[str, Operand]) -> None:
        """Sums of floats are made in the order of the program, also where one iteration adds several numbers."""
        for carried in () if self.program.auto_vectorize else loop.carried:
            if carried.type.lanes == 1 and carried.type.element.is_float and _adds_backwards(loop, carried):
                self._need("in_order")
                self._line(f"polyloop_in_order({env[carried.name].text});")

    def _settle(self, loop: v.For, env: dict[str, Operand]) -> None:
        """Several integer sums of an innermost loop end before anything is made of them."""
        sums = [c for c in loop.carried if c.type.lanes == 1 and c.type.element.kind == "int"]
        if len(sums) < 2 or not _is_innermost(loop):
            return
        self._need("settled")
        for carried in sums:
            self._line(f"polyloop_settled({env[carried.result].text});")

    def _carry(self, carried: v.Carried, env: dict[str, Operand]) -> Operand:
        """The variable that the loop updates: the initial value's own where nothing else reads it, else a new one."""
        initial = env[carried.initial.name]
        if initial.mutable and self.facts.count[carried.initial.name] == 1:
            return initial
        name = self._fresh(self.spoken[carried.name])
        text = self.operations.value(initial)
        self.operations.use(carried.type)
        self._line(f"{vector_name(carried.type)} {name} = {_initializer(text)};")
        return Operand(name, carried.type, mutable=True)

    def _advance(self, loop: v.For, env: dict[str, Operand]) -> None:
        """Assign the next values that no statement of the body has assigned, all at once."""
        moves: list[tuple[str, str, str]] = []
        for carried in loop.carried:
            target, text = env[carried.name].text, self._value(carried.next, env)
            if target != text:
                moves.append((target, text, vector_name(carried.type)))
        overwritten: set[str] = set()
        ready: list[str] = []
        for target, text, type_ in moves:
            if overwritten & set(re.findall(r"\w+", text)):
                temporary = self._fresh(f"next_{target}")
                self.lines.extend(wrap("    " * self.depth + f"const {type_} {temporary} = {_initializer(text)};"))
                text = temporary
            overwritten.add(target)
            ready.append(f"{target} = {text};")
        while ready:  # short assignments, such as those of a window that moves on, are one line
            several = [ready.pop(0)]
            while ready and len(" ".join(several)) + len(ready[0]) < WIDTH - 4 * self.depth:
                several.append(ready.pop(0))
            self._line(" ".join(several))


_SPOKEN = {"+": "sum", "fma": "sum", "-": "difference", "*": "product", "/": "quotient", "min": "least", "max": "most"}


_DECLARES = re.compile(r"( *(?:const )?(?:long|float|double|polyloop_[fiu]\d+(?:x\d+)?) )(\w+(?:\[| =)[^;]*);")
"""The declaration of variables, all on one line: of which type, and what follows."""


def _is_one_statement(lines: Sequence[str], depth: int) -> bool:
    """Whether lines need no braces: a simple statement, or a loop. An `else` would belong to the nearest `if`."""
    indent = 4 * depth
    begins = [
        line[indent:] for line in lines if len(line) > indent and line[:indent].isspace() and line[indent] not in " }"
    ]
    if len(begins) != 1 or _ANOTHER.search(begins[0]) or any(line.startswith("#") for line in lines):
        return False
    ends = sum(line.endswith((";", "}")) for line in lines)
    alternatives = any(line.lstrip(" }").startswith("else") for line in lines)
    return ends == 1 or (_LOOP.match(begins[0]) is not None and not alternatives)


_LOOP = re.compile(r"(polyloop_\w+ )?for \(|polyloop_strips(_again)?\(")

_ANOTHER = re.compile(r"; (?=\w+ = \w+;)")
"""Where another assignment begins on a line."""

_GENERATED = re.compile(r"[vt]\d*")
"""Names that planning gives to values: they say nothing."""


def _carried_names(body: tuple[v.Statement, ...]) -> dict[str, str]:
    """What loops carry, after the array that it is loaded from in front of them or stored to behind them."""
    origins = {
        s.name: s.operation.address.array
        for s in walk(body)
        if isinstance(s, v.Let) and isinstance(s.operation, v.Load)
    }
    goals = {s.value.name: s.address.array for s in walk(body) if isinstance(s, v.Store)}
    carried = [c for s in walk(body) if isinstance(s, v.For) for c in s.carried]
    arrays = {c.name: origins.get(c.initial.name) or goals.get(c.result) for c in carried}
    names = {name: "carried" if array is None else f"{array}_sum" for name, array in arrays.items()}
    return {name: made if _GENERATED.fullmatch(name) else name for name, made in names.items()}


def _is_innermost(loop: v.For) -> bool:
    return not any(isinstance(inner, v.For) and inner.unroll == 1 for inner in walk(with_copies(loop.body)))


def _adds_backwards(loop: v.For, carried: v.Carried) -> bool:
    """Whether the loop carries a sum to which an iteration adds numbers, one by one, of which one stands in memory in
    front of one that is added before it."""
    made = {s.name: s.operation for s in loop.body if isinstance(s, v.Let)}
    at, backwards = carried.name, False
    before = list[v.Address]()
    for statement in loop.body:
        match statement:
            case v.Let(name, v.Arithmetic("+" | "fma" as operator, parts)) if any(
                each.name == at for each in (parts if operator == "+" else parts[2:])
            ):
                added = list(_loaded((each for each in parts if each.name != at), made))
                backwards |= any(_is_in_front(new, old) for new in added for old in before)
                at, before = name, added
            case v.For(variable, carried=inner):
                for each in inner:
                    if each.initial.name == at:
                        subscripts = (x for s in walk(statement.body) for x in _subscripts(s))
                        backwards |= any(x.coefficient(variable) < 0 for x in subscripts)
                        at = each.result
    return backwards and at == carried.next.name


def _subscripts(statement: v.Statement) -> tuple[Affine, ...]:
    """Of what a statement loads."""
    match statement:
        case v.Let(_, v.Load(address)):
            return address.subscripts
    return ()


def _loaded(values: Iterable[v.Value], made: Mapping[str, v.Operation]) -> Iterator[v.Address]:
    """Where the numbers come from that values are made of, by operations of one body."""
    waiting, seen = [each.name for each in values], set[str]()
    while waiting:
        name = waiting.pop()
        if name in made and name not in seen:
            seen.add(name)
            operation = made[name]
            if isinstance(operation, v.Load):
                yield operation.address
            waiting += [each.name for each in operands(operation)]


def _is_in_front(first: v.Address, second: v.Address) -> bool:
    """Whether memory is so far in front of another place, whatever the counters are."""
    if first.array != second.array:
        return False
    apart = [a - b for a, b in zip(first.subscripts, second.subscripts, strict=True)]
    return all(each.is_constant for each in apart) and [each.constant for each in apart] < [0] * len(apart)


def _scatters(loop: v.For) -> bool:
    """Whether scalars are stored that a compiler would have to scatter, were iterations its lanes."""
    stores = (s for body in all_bodies(loop.body) for s in body if isinstance(s, v.Store) and s.value.type.lanes == 1)
    steps = (tuple(x.coefficient(loop.variable) for x in s.address.subscripts) for s in stores)
    return any(any(outer) or abs(last) > 1 for *outer, last in filter(None, steps))


def _has_vectors(loop: v.For) -> bool:
    """Whether a loop without loops inside loads or stores vectors."""
    for body in all_bodies(with_copies(loop.body)):
        for statement in body:
            match statement:
                case v.Let(_, operation) if operation.type.lanes > 1:
                    return True
                case v.Store(_, value, _) if value.type.lanes > 1:
                    return True
    return False


def _initializer(text: str) -> str:
    """A compound literal initializes by its braces alone."""
    match = re.fullmatch(r"\(polyloop_\w+\)(\{[^{}]*\})", text)
    return match.group(1) if match else text
