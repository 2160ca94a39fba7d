"""VectorProgram -> LLVM IR text.

Text, because it is made four to nine times faster than through llvmlite's builder, and can be read and kept. A module
holds the function itself, ``void name(i64 parameters..., ptr arrays...)``; a thunk ``name.call`` that takes all
arguments from one array of 8-byte slots, for cheap calls from Python; and a function for each parallel loop.

Loops are printed in rotated form (tested at the bottom); unroll hints are carried out here, as explicit SIMD programs
meet no optimizer. LOCAL arrays live on the stack if they are small, else on the heap for the duration of the call;
those that only one parallel loop mentions belong to each of its threads alone (what it reads of them it has written).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, maximum
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.polynomials import variables
from polyloop.backend.ir.traversal import NamesUsed, bodies, parallel_loops, private_arrays
from polyloop.backend.llvm.integers import IntegerPrinter, Scope, Scopes, scalar_text
from polyloop.backend.llvm.values import ValuePrinter, type_text
from polyloop.backend.machine.host import family
from polyloop.backend.machine.target import ARM, Target
from polyloop.backend.planning.registers import steps_at_once

STACK_BYTES = 16 * 1024  # the largest LOCAL array that is put on the stack


def print_llvm(
    program: v.VectorProgram, target: Target, *, threads: int = 1, contract: bool = True, vector_library: bool = False
) -> str:
    """The program as a module of LLVM IR.

    Args:
        threads: with more than one, parallel loops run on this many threads of libgomp, each taking one contiguous
            block of iterations; with one they are sequential.
        contract: "fma" operations are rounded once (where the target can), else they multiply and add.
        vector_library: what need not be exact (`VectorProgram.loose_math`) calls the functions for vectors of glibc's
            libmvec, which has to be linked (x86-64); else the scalar functions, lane by lane.
    """
    return _ModulePrinter(program, target, threads, contract, vector_library).text()


@dataclass
class _ModulePrinter:
    program: v.VectorProgram
    target: Target
    threads: int
    contract: bool
    vector_library: bool
    functions: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    metadata: list[str] = field(default_factory=lambda: ["!0 = !{}"])

    def text(self) -> str:
        main = _FunctionPrinter(self, inside_parallel=self.threads == 1)
        self.functions += [main.define_program(), self._thunk()]
        return "\n".join(
            [
                f'target triple = "{self.target.triple}"',
                "",
                *self.functions,
                *sorted(self.declarations),
                self._attributes(),
                *self.metadata,
                "",
            ]
        )

    def loop_metadata(self, innermost: bool) -> str:
        """Keeps LLVM from vectorising and unrolling a loop that is already what it should be, and lets an innermost one
        begin where a line of code does.

        Cores fetch code by lines, and by few of them where a neighbour has half of the fetching: a step of 12
        multiply-adds that is fetched in 5 parts runs at 0.6 of the peak then, in 4 at 0.75, and alone both at 0.98. Of
        30 products of 64 to 256, loops that begin a line took 0.97 of the time in floats and 0.96 in doubles beside
        such a neighbour, 0.77 to 1.22 of it (Zen 3, AVX2).
        """
        if self.program.auto_vectorize:
            return ""
        first = len(self.metadata)
        if first == 1:
            self.metadata += [
                '!1 = !{!"llvm.loop.vectorize.enable", i1 false}',
                '!2 = !{!"llvm.loop.unroll.disable"}',
                f'!3 = !{{!"llvm.loop.align", i32 {self.target.machine.line}}}',
            ]
            first = 4
        aligned = ", !3" if innermost else ""
        self.metadata.append(f"!{first} = distinct !{{!{first}, !1, !2{aligned}}}")
        return f", !llvm.loop !{first}"

    def arguments(self) -> list[str]:
        """The typed parameters of the function, with what C's rules and the caller's checks promise."""
        parameters = [f'i64 %"p.{name}"' for name in self.program.parameters]
        arrays = [
            f"ptr {'' if self.program.may_overlap and a.shape else 'noalias '}nocapture noundef "
            f'{"readonly " if a.read_only else ""}align {a.type.bytes} %"a.{a.name}"'
            for a in self.program.arrays
            if a.storage is Storage.ARGUMENT
        ]
        return parameters + arrays

    def _thunk(self) -> str:
        lines, operands = [], []
        kinds = [argument.split()[0] for argument in self.arguments()]
        for number, kind in enumerate(kinds):
            lines.append(f"  %s{number} = getelementptr i64, ptr %slots, i64 {number}")
            lines.append(f"  %v{number} = load {kind}, ptr %s{number}, align 8")
            operands.append(f"{kind} %v{number}")
        name = self.program.name
        return "\n".join(
            [
                f'define void @"{name}.call"(ptr %slots) #0 {{',
                *lines,
                f'  call void @"{name}"({", ".join(operands)})',
                "  ret void",
                "}",
                "",
            ]
        )

    def _attributes(self) -> str:
        width = "" if self.program.auto_vectorize else f' "prefer-vector-width"="{self.target.vector_bits}"'
        return (
            f'attributes #0 = {{ nounwind mustprogress "target-cpu"="{self.target.cpu}" '
            f'"target-features"="{self.target.features}"{width} }}'
        )


_LASTING_LIMITS = 1
"""How many vectors with a count of active lanes may be kept for long, where masks have registers of their own."""


class _FunctionPrinter:
    """Prints one function: the program's own, or the body of one parallel loop."""

    def __init__(self, module: _ModulePrinter, inside_parallel: bool) -> None:
        self.module = module
        self.program = module.program
        self.scopes = Scopes()
        arrays = {a.name: a for a in self.program.arrays}
        self.integers = IntegerPrinter(self.scopes, arrays, one_offset=self.program.auto_vectorize)
        fused = module.contract and module.target.has_fma
        lasting_limits = _LASTING_LIMITS if module.target.masks else 0
        library_bits = module.target.vector_bits if module.vector_library and module.program.loose_math else 0
        self.values = ValuePrinter(
            self.integers, fused, module.declarations, lasting_limits, library_bits, module.target.masks
        )
        self.inside_parallel = inside_parallel
        self._freed: list[str] = []

    def define_program(self) -> str:
        for name in self.program.parameters:
            self.integers.variables[name] = f'%"p.{name}"'
        for array in self.program.arrays:
            if array.storage is Storage.ARGUMENT:
                self.integers.pointers[array.name] = f'%"a.{array.name}"'
        parallel = () if self.inside_parallel else parallel_loops(self.program.body)
        private = {name for loop in parallel for name in private_arrays(self.program, loop)}
        self._make_locals({a.name for a in self.program.arrays} - private)
        self._block(self.program.body)
        self._finish()
        return self._text(self.program.name, self.module.arguments(), "")

    # --- functions ----------------------------------------------------------------------------------------------------

    def _text(self, name: str, arguments: list[str], linkage: str) -> str:
        lines = ["entry:", *self.scopes.outermost.lines]
        return "\n".join([f'define {linkage}void @"{name}"({", ".join(arguments)}) #0 {{', *lines, "}", ""])

    def _finish(self) -> None:
        for pointer in self._freed:
            self.scopes.line(f"call void @free(ptr {pointer})")
        self.scopes.line("ret void")

    def _make_locals(self, names: set[str]) -> None:
        for array in self.program.arrays:
            if array.storage is Storage.LOCAL and array.name in names:
                self.integers.pointers[array.name] = self._allocate(array)

    def _allocate(self, array: ArraySpec) -> str:
        elements, element = self.integers.elements(array), scalar_text(array.type)
        if elements.isdigit() and int(elements) * array.type.bytes <= STACK_BYTES:
            return self.scopes.emit(f"alloca [{max(1, int(elements))} x {element}], align 64", "%local")
        self.module.declarations |= {
            "declare noalias ptr @aligned_alloc(i64, i64) nounwind",
            "declare void @free(ptr) nounwind",
        }
        bytes_ = self.scopes.emit(f"mul i64 {elements}, {array.type.bytes}")
        padded = self.scopes.emit(f"add i64 {bytes_}, 127")
        rounded = self.scopes.emit(f"and i64 {padded}, -64")
        pointer = self.scopes.emit(f"call noalias ptr @aligned_alloc(i64 64, i64 {rounded})", "%local")
        self._freed.append(pointer)
        return pointer

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, statements: tuple[v.Statement, ...]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: v.Statement) -> None:
        match statement:
            case v.Let(name, operation):
                self.values.values[name] = self.values.operation(operation, self._lazy_pick)
            case v.Store():
                self.values.store(statement)
            case v.Prefetch():
                self.values.prefetch(statement)
            case v.Bind(variable, value):
                self.integers.aliases.pop(variable, None)
                self.integers.variables[variable] = self.integers.integer(value)
            case v.BindValue(variable, operand):
                self.integers.aliases.pop(variable, None)
                self.integers.variables[variable] = self.values.as_integer(operand)
            case v.If():
                self._if(statement)
            case v.When(value, body):
                self._when(value, body)
            case v.For(parallel=True) if not self.inside_parallel:
                self._parallel(statement)
            case v.For():
                self._for(statement)

    def _if(self, node: v.If) -> None:
        condition = self.integers.condition(node.condition)
        then, otherwise, done = (self.scopes.fresh(stem) for stem in ("then", "else", "done"))
        sides = [(then, node.then), (otherwise, node.orelse)] if node.orelse else [(then, node.then)]
        regions = [self._region(label, body, done) for label, body in sides]
        self.scopes.line(f"br i1 {condition}, label %{then}, label %{otherwise if node.orelse else done}")
        self._place(regions)
        self.scopes.label(done)

    def _when(self, value: v.Value, body: tuple[v.Statement, ...]) -> None:
        condition = self.values.truth(value)
        then, done = self.scopes.fresh("then"), self.scopes.fresh("done")
        region = self._region(then, body, done)
        self.scopes.line(f"br i1 {condition}, label %{then}, label %{done}")
        self._place([region])
        self.scopes.label(done)

    def _lazy_pick(self, node: v.LazyPick) -> str:
        condition = self.values.truth(node.condition)
        then, otherwise, done = (self.scopes.fresh(stem) for stem in ("then", "else", "done"))
        regions = [self._region(then, node.then, done), self._region(otherwise, node.otherwise, done)]
        self.scopes.line(f"br i1 {condition}, label %{then}, label %{otherwise}")
        self._place(regions)
        self.scopes.label(done)
        results = [self.values.values[value.name] for value in (node.then_value, node.otherwise_value)]
        incoming = [f"[ {value}, %{region.block} ]" for value, region in zip(results, regions, strict=True)]
        return self.scopes.emit(f"phi {type_text(node.type)} {', '.join(incoming)}")

    def _region(self, label: str, body: tuple[v.Statement, ...], done: str) -> Scope:
        """One side of a conditional. The branch to it is printed afterwards: the body may hoist in front of it."""
        with self._nested(label) as scope:
            scope.lines.append(f"{label}:")
            self._block(body)
            self.scopes.line(f"br label %{done}")
        return scope

    @contextmanager
    def _nested(self, block: str, innermost: bool = False) -> Iterator[Scope]:
        """A nested scope. Its integers are forgotten at its end: a parallel loop behind it takes all that it mentions
        and that is known, and may have inner loops whose variables have the same names."""
        variables, aliases = dict(self.integers.variables), dict(self.integers.aliases)
        with self.scopes.nested(block, innermost) as scope:
            yield scope
        self.integers.variables, self.integers.aliases = variables, aliases

    def _place(self, regions: list[Scope]) -> None:
        for region in regions:
            self.scopes.current.lines += region.lines

    # --- loops --------------------------------------------------------------------------------------------------------

    def _for(self, loop: v.For) -> None:
        values = self.values.values
        for carried in loop.carried:
            values[carried.name] = values[carried.initial.name]
        start, stop = self.integers.integer(loop.lower), self.integers.integer(loop.upper)
        count = None
        if _is_number(start) and _is_number(stop):
            count = len(range(int(start), int(stop), loop.step))
        copies = 1 if self.program.auto_vectorize else steps_at_once(loop, count, self.module.target)
        if copies > 1:
            start = self._unrolled(loop, start, stop, copies)
        self._rolled(loop, start, stop, 1)
        for carried in loop.carried:
            values[carried.result] = values[carried.name]

    def _unrolled(self, loop: v.For, start: str, stop: str, copies: int) -> str:
        """The loop over whole groups of iterations; returns where the rest begins."""
        pure, step, group = self.scopes.pure, loop.step, loop.step * copies
        if _is_number(start) and _is_number(stop):
            groups = len(range(int(start), int(stop), step)) // copies
            middle = str(int(start) + groups * group)
        else:
            # The last iteration of a group, start + group - step, must lie below stop.
            length = pure(f"sub nsw i64 {stop}, {start}", (stop, start))
            slack = pure(f"add nsw i64 {length}, {step - 1}", (length,))
            positive = pure(f"call i64 @llvm.smax.i64(i64 {slack}, i64 0)", (slack,))
            count = pure(f"udiv i64 {positive}, {group}", (positive,))
            whole = pure(f"mul nsw i64 {count}, {group}", (count,))
            middle = pure(f"add nsw i64 {start}, {whole}", (start, whole))
        self._rolled(loop, start, middle, copies)
        return middle

    def _rolled(self, loop: v.For, start: str, stop: str, copies: int) -> None:
        """A loop whose body is printed `copies` times; carried values are taken from and left in their names."""
        fixed = _is_number(start) and _is_number(stop)
        if fixed and int(start) >= int(stop):
            return
        values, outer = self.values.values, self.scopes.current
        head, done, entry = self.scopes.fresh("loop"), self.scopes.fresh("done"), outer.block
        entered = "true" if fixed else self.scopes.pure(f"icmp slt i64 {start}, {stop}", (start, stop))
        initial = {c.name: values[c.name] for c in loop.carried}
        innermost = not _has_loops(loop.body)
        with self._nested(head, innermost) as scope:
            variable = self.scopes.define(self.scopes.fresh("%i"))
            phis = {c.name: self.scopes.define(self.scopes.fresh("%carried")) for c in loop.carried}
            values.update(phis)
            self._copies(loop, variable, copies)
            following = self.scopes.emit(f"add nsw i64 {variable}, {loop.step * copies}")
            again = self.scopes.emit(f"icmp slt i64 {following}, {stop}")
            if loop.going is not None:
                goes = self.scopes.emit(f"icmp ne i32 {values[loop.going.name]}, 0")
                again = self.scopes.emit(f"and i1 {again}, {goes}")
            self.scopes.line(f"br i1 {again}, label %{head}, label %{done}{self.module.loop_metadata(innermost)}")
        # Only now: what the body hoisted stands in front of this branch.
        self.scopes.line(f"br i1 {entered}, label %{head}, label %{done}" if not fixed else f"br label %{head}")
        self.scopes.label(head)
        self.scopes.line(f"{variable} = phi i64 [ {start}, %{entry} ], [ {following}, %{scope.block} ]")
        for c in loop.carried:
            incoming = f"[ {initial[c.name]}, %{entry} ], [ {values[c.name]}, %{scope.block} ]"
            self.scopes.line(f"{phis[c.name]} = phi {type_text(c.type)} {incoming}")
        outer.lines += scope.lines
        self.scopes.label(done)
        for c in loop.carried:
            skipped = "" if fixed else f"[ {initial[c.name]}, %{entry} ], "
            values[c.name] = self.scopes.emit(f"phi {type_text(c.type)} {skipped}[ {values[c.name]}, %{scope.block} ]")

    def _copies(self, loop: v.For, variable: str, copies: int) -> None:
        values, integers = self.values.values, self.integers
        integers.aliases.pop(loop.variable, None)
        for copy in range(copies):
            if copy == 0:
                integers.variables[loop.variable] = variable
            else:
                self._hold(loop.carried)
                base = f"{loop.variable}@"
                integers.variables[base] = variable
                integers.aliases[loop.variable] = affine(base) + copy * loop.step
            self._block(loop.body)
            values.update({c.name: values[c.next.name] for c in loop.carried})

    def _hold(self, carried: tuple[v.Carried, ...]) -> None:
        """Keeps the steps of a loop apart, whose loads LLVM would do ahead, into more registers than there are: what is
        carried goes through text that does nothing, in its registers."""
        width = self.module.target.vector_bits
        held = [c for c in carried if _in_register(c.next.type, width)]
        if not held:
            self.scopes.line('call void asm sideeffect "", ""()')
            return
        values, letter = self.values.values, "w" if family(self.module.target.triple) == ARM else "v"
        types = ", ".join(type_text(c.next.type) for c in held)
        outputs, inputs = (",".join(x) for x in ([f"={letter}"] * len(held), map(str, range(len(held)))))
        operands = ", ".join(f"{type_text(c.next.type)} {values[c.name]}" for c in held)
        kind = types if len(held) == 1 else f"{{ {types} }}"
        passed = self.scopes.emit(f'call {kind} asm sideeffect "", "{outputs},{inputs}"({operands})')
        for n, c in enumerate(held):
            part = f"extractvalue {kind} {passed}, {n}"
            values[c.name] = passed if len(held) == 1 else self.scopes.emit(part)

    # --- parallel loops -----------------------------------------------------------------------------------------------

    def _parallel(self, loop: v.For) -> None:
        """Outline the loop and let libgomp call it once on each thread, with all it needs in one structure."""
        number = len(self.module.functions)
        name = f"{self.program.name}.parallel.{number}"
        self.module.functions.append("")
        captures = self._captures(loop)
        layout = "{ " + ", ".join(capture.kind for capture in captures) + " }"
        block = self.scopes.fresh("%shared")
        self.scopes.outermost.lines.insert(0, f"  {block} = alloca {layout}, align 64")
        for position, capture in enumerate(captures):
            slot = self.scopes.emit(f"getelementptr {layout}, ptr {block}, i64 0, i32 {position}")
            self.scopes.line(f"store {capture.kind} {capture.operand}, ptr {slot}")
        self.module.declarations |= {
            "declare void @GOMP_parallel(ptr, ptr, i32, i32)",
            "declare i32 @omp_get_thread_num()",
            "declare i32 @omp_get_num_threads()",
        }
        self.scopes.line(f'call void @GOMP_parallel(ptr @"{name}", ptr {block}, i32 {self.module.threads}, i32 0)')
        body = _FunctionPrinter(self.module, inside_parallel=True)
        self.module.functions[number] = body.define_parallel(name, loop, layout, captures)

    def _captures(self, loop: v.For) -> list[_Capture]:
        """What the loop uses of its surroundings. The bounds come first, under names that no program can have."""
        used = NamesUsed().visit(loop.body)
        private = private_arrays(self.program, loop)
        integers = {name for a in self.program.arrays for e in a.shape if e is not None for name in e.variables()}
        integers |= {name for a in self.program.arrays for name in variables(a.strides or ())}
        integers |= used.integers
        known = self.integers.variables.keys() | self.integers.aliases.keys()
        start, stop = self.integers.integer(loop.lower), self.integers.integer(loop.upper)
        captures = [_Capture("i64", start, "integer", "(lower)"), _Capture("i64", stop, "integer", "(upper)")]
        for name in sorted(integers & known):
            captures.append(_Capture("i64", self.integers.integer(affine(name)), "integer", name))
        for name in sorted(used.arrays - private):
            captures.append(_Capture("ptr", self.integers.pointers[name], "pointer", name))
        for name in sorted((used.values.keys() & self.values.values.keys()) - used.defined):
            kind = type_text(used.values[name].type)
            captures.append(_Capture(kind, self.values.values[name], "value", name))
        return captures

    def define_parallel(self, name: str, loop: v.For, layout: str, captures: list[_Capture]) -> str:
        """The function that each thread runs: its block of the iterations, in their order."""
        tables = {"integer": self.integers.variables, "pointer": self.integers.pointers, "value": self.values.values}
        for position, capture in enumerate(captures):
            slot = self.scopes.emit(f"getelementptr {layout}, ptr %shared, i64 0, i32 {position}")
            tables[capture.table][capture.name] = self.scopes.emit(f"load {capture.kind}, ptr {slot}")
        self._make_locals(set(private_arrays(self.program, loop)))
        begin, end = self._share(affine("(lower)"), affine("(upper)"), loop.step)
        self.integers.variables |= {"(lower)": begin, "(upper)": end}
        self._for(replace(loop, lower=affine("(lower)"), upper=affine("(upper)")))
        self._finish()
        return self._text(name, ["ptr %shared"], "internal ")

    def _share(self, lower: Affine, upper: Affine, step: int) -> tuple[str, str]:
        """The bounds of this thread's contiguous block."""
        emit = self.scopes.emit
        count = self.integers.integer(maximum((upper - lower + (step - 1)) // step, 0))
        threads = emit(f"sext i32 {emit('call i32 @omp_get_num_threads()')} to i64")
        number = emit(f"sext i32 {emit('call i32 @omp_get_thread_num()')} to i64")
        bounds = []
        for position in (number, emit(f"add nsw i64 {number}, 1")):
            whole = emit(f"sdiv i64 {emit(f'mul nsw i64 {count}, {position}')}, {threads}")
            start = self.integers.integer(lower)
            bounds.append(emit(f"add nsw i64 {start}, {emit(f'mul nsw i64 {whole}, {step}')}"))
        return bounds[0], bounds[1]


@dataclass(frozen=True)
class _Capture:
    """A value that a parallel loop takes from its surroundings: LLVM type, operand there, and what it is here."""

    kind: str
    operand: str
    table: str
    name: str


def _has_loops(statements: tuple[v.Statement, ...]) -> bool:
    return any(isinstance(s, v.For) or any(map(_has_loops, bodies(s))) for s in statements)


def _in_register(type_: v.ValueType, width: int) -> bool:
    """Whether a vector is as wide as a register, or a part of one that is a register of its own."""
    bits = type_.lanes * type_.element.bits
    return type_.lanes > 1 and bits in (128, 256, 512) and bits <= width


def _is_number(operand: str) -> bool:
    return operand.lstrip("-").isdigit()
