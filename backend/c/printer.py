"""C99 with GNU vector extensions: the printer that gives people a VectorProgram to read, keep and compile anywhere.

Vectors are `vector_size` types of unaligned, aliasing memory, so gcc and clang load and store them with one instruction
on targets that are wide enough and split them on others; there are no intrinsics but masked loads and stores, for
processors that have them. What the text preserves:

- "fma" is one expression ``a * b + c`` and no other addition has a product as its direct operand: clang contracts
  exactly what it contracts in the source (its default, ``-ffp-contract=on``), and nobody else does unless told to.
  (gcc's default, ``fast``, contracts across statements, in the source as well as here.)
- Multi-dimensional arrays keep their shape as pointers to rows.
- A loop of vectors stays as planned: innermost loops are not to be unrolled, and some values are held where they are
  by macros of the prelude ("keep", "start", "apart"), each of which says why.
- Lane-wise choices are bitwise, since ``?:`` on vectors is C++ only. A comparison stays the compiler's mask, 0 or -1
  in every lane, until somebody needs C's 0 or 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from polyloop.backend.c.arrays import (
    Analysis,
    ArrayPrinter,
    all_bodies,
    analyse,
    functions_called,
    next_assignments,
    widens_rounded_values,
    without_dead,
)
from polyloop.backend.c.helpers import Helper, definitions
from polyloop.backend.c.operations import Operand, OperationPrinter, bare, bracket
from polyloop.backend.c.text import AffinePrinter, Names, wrap
from polyloop.backend.c.vectors import fits_register, vector_name
from polyloop.backend.c.versions import merged
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import I64
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.traversal import NamesUsed, walk
from polyloop.backend.ir.vector_program import Carried, For, Let, Statement, Store, Value, VectorProgram


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

    @property
    def directive(self) -> str:
        kind = "for" if self.shared else "parallel for"
        number = f"num_threads({self.number})" if self.number else ""
        return " ".join(part for part in ("#pragma omp", kind, self.clauses, number) if part)


def print_c(
    program: VectorProgram,
    name: str | None = None,
    reserved: Iterable[str] = (),
    qualifiers: str = "static ",
    threads: Threads | None = None,
) -> CFunction:
    """The program as a C function ``void name(long parameters..., pointers to the ARGUMENT arrays...)``.

    Args:
        program: what to print.
        name: the function's name, the program's own by default.
        reserved: identifiers that locals must not have (macros of the file that the text goes into).
        qualifiers: what stands before the return type.
        threads: how parallel loops start.
    """
    return _FunctionPrinter(program, name or program.name, reserved, threads or Threads()).function(qualifiers)


def prelude(helpers: Iterable[Helper]) -> str:
    """Includes, types and static functions that printed functions need."""
    return merged("".join(text for _, text in definitions(helpers)))


def c_source(program: VectorProgram, name: str | None = None, *, uncontracted: bool = False) -> str:
    """A complete C file that defines the program as an external function.

    Args:
        uncontracted: compilers are told not to fuse multiplications and additions, whatever their default is.
    """
    macros = ("undistributed", "uncontracted") if uncontracted else ("undistributed",)
    function = print_c(program, name, qualifiers="".join(f"polyloop_{macro} " for macro in macros))
    return f"{prelude(function.helpers | {Helper(macro) for macro in macros})}\n{function.text}"


class _FunctionPrinter:
    """One walk over a program. `env` maps the values visible at a point to C text; nested bodies work on a copy."""

    def __init__(self, program: VectorProgram, name: str, reserved: Iterable[str], threads: Threads) -> None:
        program = replace(program, body=without_dead(program.body))
        self.program = program
        self.threads = threads
        self.name = name
        self.helpers: set[Helper] = set()
        self.names = Names({*reserved, name, *functions_called(program.body)})
        self.declared: set[str] = set()
        self.facts: Analysis = analyse(program.body)
        self.lines: list[str] = []
        self.depth = 1
        for parameter in program.parameters:
            self.names("variable", parameter)
        for array in program.arrays:
            self.names("array", array.name)
        self.affine = AffinePrinter(lambda variable: self.names("variable", variable), self._need)
        self.arrays = ArrayPrinter(program, self.names, self.affine, self.helpers, threads.number)
        fenced = widens_rounded_values(program.body)
        self.operations = OperationPrinter(self.arrays, self.affine, self.helpers, fenced, program.loose_math)

    def function(self, qualifiers: str) -> CFunction:
        self._body(self.program.body, {}, {})
        storage, release = self.arrays.storage()
        result = "int" if release else "void"
        parts = [f"long {self.names('variable', p)}" for p in self.program.parameters]
        parts += self.arrays.arguments()
        head = wrap(f"{qualifiers}{result} {self.name}({', '.join(parts) or 'void'})")
        lines = [*head, "{", *self._unused(), *storage, *self.lines, *release]
        if release:
            lines.append("    return 1;")
        lines.append("}")
        names = [self.names("variable", p) for p in self.program.parameters]
        names += [self.names("array", a.name) for a in self.program.arrays if a.storage is Storage.ARGUMENT]
        text = "\n".join(lines) + "\n"
        return CFunction(self.name, text, frozenset(self.helpers), bool(release), tuple(parts), tuple(names))

    def _unused(self) -> list[str]:
        integers = NamesUsed().visit(self.program.body).integers | self.arrays.integers()
        names = [self.names("variable", p) for p in self.program.parameters if p not in integers]
        return [f"    (void){name};" for name in [*names, *self.arrays.unused_arguments()]]

    def _need(self, kind: str) -> None:
        self.helpers.add(Helper(kind))

    def _fresh(self, name: str) -> str:
        """An identifier for a new variable; programs may use one name for values of different bodies."""
        chosen, count = name, 1
        while chosen in self.declared:
            count += 1
            chosen = f"{name}_{count}"
        self.declared.add(chosen)
        return self.names("value", chosen)

    def _line(self, text: str) -> None:
        self.lines.extend(wrap("    " * self.depth + text))

    def _body(self, body: tuple[Statement, ...], env: dict[str, Operand], assigned: dict[str, Carried]) -> None:
        """Print a statement list; `assigned` says which Lets assign to a variable of the loop around."""
        for statement in body:
            self._statement(statement, env, assigned)

    def _nested(self, body: tuple[Statement, ...], env: dict[str, Operand]) -> dict[str, Operand]:
        inner = dict(env)
        self.depth += 1
        self._body(body, inner, {})
        self.depth -= 1
        return inner

    def _statement(self, statement: Statement, env: dict[str, Operand], assigned: dict[str, Carried]) -> None:
        match statement:
            case Let(name, v.LazyPick() as pick):
                self._lazy(name, pick, env)
            case Let(name, _):
                self._let(statement, env, assigned.get(name))
            case Store():
                self._line(self._store(statement, env))
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
            case v.If(condition, then, orelse):
                self._line(f"if ({self.affine.condition(condition)}) {{")
                self._nested(then, env)
                if orelse:
                    self._line("} else {")
                    self._nested(orelse, env)
                self._line("}")
            case v.When(value, body):
                self._line(f"if ({bare(self._value(value, env))}) {{")
                self._nested(body, env)
                self._line("}")
            case For():
                self._for(statement, env)

    def _let(self, let: Let, env: dict[str, Operand], carried: Carried | None) -> None:
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
            env[let.name] = Operand(bracket(printed.text), let.operation.type)
        elif printed.repeatable:
            env[let.name] = printed
        else:
            self._declare(let, printed, env)

    def _declare(self, let: Let, printed: Operand, env: dict[str, Operand]) -> None:
        updated = let.name in self.facts.updated
        name = self._fresh(self.facts.updated.get(let.name, let.name))
        filled = self.operations.fill(let.operation, env, name)
        if filled is not None:
            self._line(f"{vector_name(let.operation.type)} {name};")
            self._line(filled)
        elif self._is_kept(let, updated):
            self._line(f"{vector_name(let.operation.type)} {name} = {printed.text};")
            self._line(f"{Helper('keep', let.operation.type).name}({name});")
            self.helpers.add(Helper("keep", let.operation.type))
        elif updated:
            plain = self.operations.plain(let.operation, env)
            self._line(f"{vector_name(let.operation.type)} {name} = {_initializer(plain)};")
        else:
            self._line(f"const {vector_name(printed.stored)} {name} = {_initializer(printed.text)};")
            env[let.name] = Operand(name, printed.type, mask=printed.mask)
            return
        self.operations.use(let.operation.type)
        env[let.name] = Operand(name, let.operation.type, mutable=updated)

    def _is_kept(self, let: Let, updated: bool) -> bool:
        """A vector from memory that is used several times."""
        operation = let.operation
        return (
            isinstance(operation, v.Load)
            and operation.active is None
            and operation.type.lanes > 1
            and fits_register(operation.type)
            and not updated
            and self.facts.count[let.name] > 1
        )

    def _lazy(self, name: str, pick: v.LazyPick, env: dict[str, Operand]) -> None:
        target = self._fresh(name)
        self._line(f"{vector_name(pick.type)} {target};")
        self._line(f"if ({env[pick.condition.name].text}) {{")
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

    def _value(self, value: Value, env: dict[str, Operand]) -> str:
        return self.operations.value(env[value.name])

    def _store(self, store: Store, env: dict[str, Operand]) -> str:
        return self.operations.store(store, env)

    def _for(self, loop: For, env: dict[str, Operand]) -> None:
        inner = dict(env)
        for carried in loop.carried:
            inner[carried.name] = self._carry(carried, env)
        counter = self.names("variable", loop.variable)
        if loop.parallel:
            self.lines.extend(["#ifdef _OPENMP", self.threads.directive, "#endif"])
        elif loop.unroll > 1 or (not self.program.auto_vectorize and _is_innermost(loop)):
            # Left alone, clang would unroll bodies that already use every register.
            self.lines.append(f"#pragma GCC unroll {loop.unroll}")
        step = f"{counter}++" if loop.step == 1 else f"{counter} += {loop.step}"
        lower, upper = self.affine.affine(loop.lower), self.affine.affine(loop.upper)
        if not (loop.lower.is_constant or loop.parallel) and _is_innermost(loop) and _has_vectors(loop):
            self._need("start")
            lower = f"polyloop_start({lower})"
        self._line(f"for (long {counter} = {lower}; {counter} < {upper}; {step}) {{")
        self.depth += 1
        if loop.parallel:
            for line in self.arrays.private(loop):
                self._line(line)
        self.arrays.around.append(loop)
        self._body(loop.body, inner, next_assignments(loop, self.facts))
        self.arrays.around.pop()
        self._advance(loop, inner)
        self._keep_apart(loop, inner)
        self.depth -= 1
        self._line("}")
        for carried in loop.carried:
            env[carried.result] = inner[carried.name]

    def _keep_apart(self, loop: For, env: dict[str, Operand]) -> None:
        """Several scalar sums are rows that planning runs as chains of their own: no compiler is to merge them."""
        sums = [c for c in loop.carried if c.type.lanes == 1 and c.type.element.is_float]
        if len(sums) < 2:
            return
        self._need("apart")
        for carried in sums:
            self._line(f"polyloop_apart({env[carried.name].text});")

    def _carry(self, carried: Carried, env: dict[str, Operand]) -> Operand:
        """The variable that the loop updates: the initial value's own where nothing else reads it, else a new one."""
        initial = env[carried.initial.name]
        if initial.mutable and self.facts.count[carried.initial.name] == 1:
            return initial
        name = self._fresh(carried.name)
        text = self.operations.value(initial)
        self.operations.use(carried.type)
        self._line(f"{vector_name(carried.type)} {name} = {_initializer(text)};")
        return Operand(name, carried.type, mutable=True)

    def _advance(self, loop: For, env: dict[str, Operand]) -> None:
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
        for text in ready:
            self._line(text)


def _is_innermost(loop: For) -> bool:
    return not any(isinstance(inner, For) for inner in walk(loop.body))


def _has_vectors(loop: For) -> bool:
    """Whether a loop without loops inside loads or stores vectors."""
    for body in all_bodies(loop.body):
        for statement in body:
            match statement:
                case Let(_, operation) if operation.type.lanes > 1:
                    return True
                case Store(_, value, _) if value.type.lanes > 1:
                    return True
    return False


def _initializer(text: str) -> str:
    """A compound literal initializes by its braces alone."""
    match = re.fullmatch(r"\(polyloop_\w+\)(\{[^{}]*\})", text)
    return match.group(1) if match else text
