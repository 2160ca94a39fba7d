"""Arrays in printed C: what a program needs of them, how they are declared, stored and addressed.

Arrays whose rows have a constant length are pointers to rows (``double (*__restrict A)[64]``), so that an element reads
as in the source. Others are pointers to elements: C++ has no rows of variable length. LOCAL arrays that are small and
of constant size stand on the stack, the others are allocated.

What is found out before printing makes the text readable without changing a bit of what it computes:
- a scalar that is used once, further down the same list of statements, is printed inside the expression that uses it,
  unless a store or a nested body in between could change what it reads, or unless clang would contract the two;
- a loop that carries a value on whose initial value nothing else depends updates the variable that holds that value;
- the operation that computes the next carried value assigns to the carried variable at once, if the old value is not
  needed any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.text import AffinePrinter, Names, bare, is_atomic, scalar_name, vector_name, wrap
from polyloop.backend.ir import traversal
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Condition, Min, affine, says
from polyloop.backend.ir.expressions import BIT_COUNTS, BIT_VIEW, F32, F64, PRODUCTS
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.polynomials import text
from polyloop.backend.ir.traversal import NamesUsed


def uses(statement: v.Statement) -> Iterator[str]:
    """Names of the values that a statement reads, nested ones and repetitions included."""
    return (value.name for value in traversal.uses((statement,)))


def functions_called(body: tuple[v.Statement, ...]) -> frozenset[str]:
    """C functions that the program calls by name."""
    lets = (s for s in traversal.walk(body) if isinstance(s, v.Let))
    called = frozenset(s.operation.function for s in lets if isinstance(s.operation, v.Apply))
    return called - BIT_COUNTS.keys() - PRODUCTS.keys() - {BIT_VIEW}


def widens_rounded_values(body: tuple[v.Statement, ...]) -> bool:
    """Whether a scalar that was rounded to float may become a double again, on its own or by way of an array."""
    statements = [s for inner in all_bodies(body) for s in inner]
    lets = [s for s in statements if isinstance(s, v.Let)]
    conversions = [(s, s.operation) for s in lets if isinstance(s.operation, v.Convert)]
    if not any((o.operand.type.element, o.type.element) == (F32, F64) for _, o in conversions):
        return False
    rounded = {s.name for s, o in conversions if o.type == v.ValueType(F32) and o.operand.type == v.ValueType(F64)}
    stored = Counter(s.value.name for s in statements if isinstance(s, v.Store))
    used = Counter(name for statement in body for name in uses(statement))
    loaded = {s.operation.address.array for s in lets if isinstance(s.operation, v.Load)}
    return any(used[name] > stored[name] for name in rounded) or any(
        s.value.name in rounded and s.address.array in loaded for s in statements if isinstance(s, v.Store)
    )


@dataclass
class Analysis:
    """Facts about a whole program.

    Attributes:
        registers: arrays of whole values.
        count: how often each value is read.
        inlined: scalars printed where they are used.
        updated: values whose variable a later loop of the same statement list updates -> the loop's name for it.
    """

    registers: frozenset[str] = frozenset()
    count: Counter[str] = field(default_factory=Counter)
    inlined: set[str] = field(default_factory=set)
    updated: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Strip(v.For):
    """Iterations of `step` elements each, the last one of what is left of them: the body begins with their number."""

    @property
    def lanes(self) -> str:
        """The variable that is this number."""
        first = self.body[0]
        assert isinstance(first, v.Bind)
        return first.variable


class WholeStrip(Strip):
    """The same, but that the last one goes back as far as it takes to be whole, if there are as many elements."""


def analyse(body: tuple[v.Statement, ...], registers: Iterable[str] = ()) -> Analysis:
    """Facts about a program's body (without dead values)."""
    found = Analysis(frozenset(registers))
    for statement in body:
        found.count.update(uses(statement))
    for loop in traversal.walk(body):
        if isinstance(loop, Strip):  # two loops: what they read from in front of them is read twice
            own = set(traversal.definitions(loop.body))
            found.count.update(name for s in loop.body for name in uses(s) if name not in own)
    for inner in all_bodies(body):
        _inline(inner, found)
        _mark_updated(inner, found)
    return found


def next_assignments(loop: v.For, found: Analysis) -> dict[str, v.Carried]:
    """Lets of the loop's body that may assign to the carried variable directly: their name -> what is carried.

    The old value must not be read behind the assignment, neither under its own name nor as another one's next value.
    """
    roots = _roots(loop.body, found.inlined)
    positions = {s.name: p for p, s in enumerate(loop.body) if isinstance(s, v.Let)}
    last: dict[str, int] = {}
    for p, statement in enumerate(loop.body):
        for name in uses(statement):
            last[name] = max(last.get(name, 0), roots[p])
    passed_on = {c.initial.name for s in loop.body if isinstance(s, v.For) for c in s.carried}
    chosen: dict[str, v.Carried] = {}
    for carried in loop.carried:
        name = carried.next.name
        position = positions.get(name)
        if position is None or name in chosen or name in found.updated or carried.name in passed_on:
            continue
        operation = loop.body[position]
        if not isinstance(operation, v.Let) or not holds_variable(operation.operation):
            continue
        old_is_passed = any(other.next.name == carried.name for other in loop.carried)
        if last.get(carried.name, 0) <= position and not old_is_passed:
            chosen[name] = carried
    return chosen


def holds_variable(operation: v.Operation) -> bool:
    """Whether the printer gives the value a C variable of its own (else it repeats the text where it is used)."""
    return not isinstance(operation, v.Constant | v.Broadcast | v.LazyPick)


def all_bodies(body: tuple[v.Statement, ...]) -> Iterator[tuple[v.Statement, ...]]:
    """The statements, then those of every loop and conditional inside, at any depth."""
    yield body
    for statement in body:
        for inner in traversal.bodies(statement):
            yield from all_bodies(inner)


def without_dead(body: tuple[v.Statement, ...]) -> tuple[v.Statement, ...]:
    """The statements without values and integers that nothing reads."""
    while True:
        used = NamesUsed().visit(body)
        pruned = _prune(body, used)
        if pruned == body:
            return body
        body = pruned


def _prune(body: tuple[v.Statement, ...], used: NamesUsed) -> tuple[v.Statement, ...]:
    kept: list[v.Statement] = []
    for statement in body:
        match statement:
            case v.Let(name, _) if name not in used.values:
                continue
            case v.Bind(variable, _) | v.BindValue(variable, _) if variable not in used.integers:
                continue
            case v.Let(name, v.LazyPick(then=then, otherwise=otherwise) as pick):
                pruned = replace(pick, then=_prune(then, used), otherwise=_prune(otherwise, used))
                kept.append(v.Let(name, pruned))
            case _:
                kept.append(traversal.map_bodies(statement, lambda inner: _prune(inner, used)))
    return tuple(kept)


def _roots(body: tuple[v.Statement, ...], inlined: set[str]) -> list[int]:
    """For each statement, the position of the statement with which it is evaluated: its own, if it is not inlined."""
    roots = list(range(len(body)))
    consumer: dict[str, int] = {}
    for p in range(len(body) - 1, -1, -1):
        statement = body[p]
        if isinstance(statement, v.Let) and statement.name in inlined and statement.name in consumer:
            roots[p] = roots[consumer[statement.name]]
        for name in uses(statement):
            consumer[name] = p
    return roots


def _inline(body: tuple[v.Statement, ...], found: Analysis) -> None:
    """Decide from the end, so that what a statement is inlined into is known before it."""
    roots = list(range(len(body)))
    consumer: dict[str, int] = {}
    barriers = [p for p, s in enumerate(body) if not isinstance(s, v.Let | v.Bind | v.BindValue)]
    for p in range(len(body) - 1, -1, -1):
        statement = body[p]
        if isinstance(statement, v.Let) and found.count[statement.name] == 1 and statement.name in consumer:
            root = roots[consumer[statement.name]]
            crossed = any(p < barrier < root for barrier in barriers)
            if not crossed and _may_inline(statement, body[consumer[statement.name]], found):
                roots[p] = root
                found.inlined.add(statement.name)
        for name in uses(statement):
            consumer[name] = p


def _may_inline(let: v.Let, consumer: v.Statement, found: Analysis) -> bool:
    producer = let.operation
    if producer.type.lanes != 1:
        held = isinstance(producer, v.Load) and producer.address.array in found.registers
        return (held and isinstance(consumer, v.Store)) or _may_inline_vector(producer, consumer)
    if not isinstance(producer, v.Load | v.IndexValue | v.Arithmetic | v.Test | v.Pick | v.Convert | v.Apply):
        return False
    match consumer:
        case v.Store(_, value, _):
            return value.type.lanes == 1
        case v.When(condition):
            return condition.name == let.name
        case v.BindValue():
            return True
        case v.Let(_, v.LazyPick(condition)):
            return condition.name == let.name
        case v.Let(name, v.Broadcast()):
            return found.count[name] == 1 and isinstance(producer, v.Load)
        case v.Let(_, v.Arithmetic(operator, _, type_)) if type_.lanes == 1:
            fused = operator in ("+", "-", "fma", "neg") and type_.element.is_float
            product = isinstance(producer, v.Arithmetic) and producer.operator in ("*", "neg")
            # min and max repeat their operands.
            return not (fused and product) and operator not in ("min", "max")
        case v.Let(_, v.Pick(condition)) if let.name != condition.name and _is_choice(producer):
            return False  # gcc makes a branch of a choice that stands inside of another
        case v.Let(_, v.Test(type=type_) | v.Pick(type=type_) | v.Convert(type=type_) | v.Apply(type=type_)):
            return type_.lanes == 1
        case _:
            return False


def _is_choice(operation: v.Operation) -> bool:
    choice = isinstance(operation, v.Pick) or (
        isinstance(operation, v.Arithmetic) and operation.operator in ("min", "max")
    )
    return choice and operation.type.element.is_float


def _may_inline_vector(producer: v.Operation, consumer: v.Statement) -> bool:
    """Whether a vector is written where it is used: what C writes as an operator, into one, or into a whole store."""
    match producer:
        case v.Load(address, _, _, None):
            if address.along != 1:
                return False
        case v.Arithmetic("+" | "-" | "*" | "/" | "fma" | "neg"):
            pass
        case _:
            return False
    match consumer:
        case v.Store(_, _, None, None):
            return True
        case v.Store(address, _, _, None):
            return address.along == 1
        case v.Let(_, v.Arithmetic("+" | "-" | "*" | "/" | "fma" | "neg" as operator, _, type_)):
            fused = operator in ("+", "-", "fma", "neg") and type_.element.is_float
            return not (fused and isinstance(producer, v.Arithmetic) and producer.operator in ("*", "neg"))
        case _:
            return False


def _mark_updated(body: tuple[v.Statement, ...], found: Analysis) -> None:
    defined = {s.name for s in body if isinstance(s, v.Let) and holds_variable(s.operation)}
    for statement in body:
        if isinstance(statement, v.For):
            for carried in statement.carried:
                if carried.initial.name in defined and found.count[carried.initial.name] == 1:
                    found.updated[carried.initial.name] = carried.name


# Bytes of the largest LOCAL array that stands on the stack; the smallest default stack of a thread is far larger.
STACK_BYTES = 16 * 1024


class ArrayPrinter:
    """Declarations and addresses of one program's arrays.

    Args:
        asked_for: how many threads parallel loops ask for; 0: as many as OpenMP has.
        registers: arrays of whole values: their last subscript is the lane.
        values: scalars that are arguments themselves, not by their addresses.
        columns: arrays that are filled before anything reads them, and not again.
        private: parallel loops with the arrays of which their threads have their own.

    Attributes:
        around: the loops around what is being printed.
        known: the conditions under which it runs.
    """

    def __init__(
        self,
        program: v.VectorProgram,
        names: Names,
        affine: AffinePrinter,
        helpers: set[Helper],
        registers: Mapping[str, v.ValueType],
        asked_for: int = 0,
        values: Collection[str] = (),
        columns: Collection[str] = (),
        private: Sequence[tuple[v.For, frozenset[str]]] = (),
    ) -> None:
        self._columns = columns
        self._asked_for = asked_for
        self._values = values
        self._registers = registers
        self._undeclared = set(registers)
        self._specs = {array.name: array for array in program.arrays}
        self._names = names
        self._affine = affine
        self._helpers = helpers
        self._used = NamesUsed().visit(program.body).arrays
        self._private = private
        self._in_loop = frozenset(name for _, names in self._private for name in names)
        self._places: dict[str, str] = {}
        self.around: list[v.For] = []
        self.known: list[Condition] = []

    def arguments(self) -> list[str]:
        """Declarations of the pointers to the ARGUMENT arrays, and of scalars that are read."""
        return [
            f"const {scalar_name(spec.type)} {self._names('array', spec.name)}"
            if spec.name in self._values
            else pointer_to(spec, f"*__restrict {self._names('array', spec.name)}", self._need_pointee(spec))
            for spec in self._specs.values()
            if spec.storage is Storage.ARGUMENT
        ]

    def storage(self) -> tuple[list[str], list[str]]:
        """Lines that make the LOCAL arrays, and lines that free those that were allocated."""
        local = [s for s in self._specs.values() if s.storage is Storage.LOCAL and s.name in self._used]
        local = [spec for spec in local if spec.name not in self._registers]
        allocated = [spec for spec in local if not self._on_stack(spec)]
        lines = self._memory(allocated)
        for spec in local:
            if spec.name not in self._in_loop:
                lines.append(f"    {self._rows_of(spec) if spec in allocated else self._variable(spec)}")
        return lines, [f"    free({self._block});"] if allocated else []

    def private(self, loop: v.For) -> list[str]:
        """Declarations of the arrays that every thread of a parallel loop has for itself, to stand in its body."""
        own = [name for around, names in self._private if around is loop for name in sorted(names)]
        specs = [self._specs[name] for name in own if name not in self._registers]
        return [self._variable(spec) if self._on_stack(spec) else self._rows_of(spec) for spec in specs]

    def declared_value(self, array: str) -> str | None:
        """The declaration of an array of values; None for others, and the second time."""
        if array not in self._undeclared:
            return None
        self._undeclared.discard(array)
        type_, extents = self._registers[array], self._specs[array].shape
        if type_.lanes > 1:
            self._helpers.add(Helper("type", type_))
            extents = extents[:-1]
        return f"{vector_name(type_)} {self._names('array', array)}{''.join(f'[{e}]' for e in extents)};"

    def element(self, array: str, subscripts: tuple[Affine, ...]) -> str:
        """The C lvalue of one element."""
        name = self._names("array", array)
        if array in self._registers and self._registers[array].lanes > 1:
            subscripts = subscripts[:-1]
        if not subscripts:
            return name if array in self._values else f"*{name}"
        if array not in self._registers and _is_flat(self._specs[array]):
            # A pointer to the row, then the column: clang would follow sums of both by one counter each.
            row = self._flat(array, (*subscripts[:-1], affine(0)))
            return f"{name if row == '0' else f'({name} + {row})'}[{bare(self._affine.affine(subscripts[-1]))}]"
        return name + "".join(f"[{bare(self._affine.affine(s))}]" for s in subscripts)

    def lane(self, address: v.Address, lane: int) -> str:
        """The C lvalue of one lane's element."""
        pairs = zip(address.subscripts, address.lane_strides, strict=True)
        return self.element(address.array, tuple(s + stride * lane for s, stride in pairs))

    def pointer(self, address: v.Address, lane: int = 0) -> str:
        """The address of one lane's element."""
        text = self.lane(address, lane)
        return text[1:] if text.startswith("*") else f"&{text}"

    def prefix(self, address: v.Address, active: Affine) -> str:
        """The first lane's address where only so many lanes are touched: it lies anywhere if that is none."""
        if any(_reaches(loop.upper, active + affine(loop.variable)) for loop in self.around):
            return self.pointer(address)
        if any(says(condition, active - 1) for condition in self.known):
            return self.pointer(address)
        return self.anywhere(address)

    def anywhere(self, address: v.Address) -> str:
        """The first lane's address, which may lie outside of the array if nothing is touched there."""
        spec = self._specs[address.array]
        element = ("const " if spec.read_only else "") + scalar_name(spec.type)
        self._helpers.add(Helper("at"))
        return f"polyloop_at({element}, {self._names('array', spec.name)}, {self.offset(address)})"

    def offset(self, address: v.Address) -> str:
        """Bytes from the array's begin to the element, which may lie outside of it."""
        return f"{self._specs[address.array].type.bytes} * ({self._flat(address.array, address.subscripts)})"

    def _flat(self, array: str, subscripts: tuple[Affine, ...]) -> str:
        """Elements from the array's first one to the one with these subscripts."""
        spec, text = self._specs[array], "0"
        if spec.strides is not None:
            terms = zip(subscripts, self._distances(spec), strict=True)
            return " + ".join(_times(self._affine.operand(s), by) for s, by in terms if s != Affine()) or "0"
        for subscript, extent in zip(subscripts, spec.shape, strict=True):
            here = self._affine.affine(subscript)
            if text == "0":
                text = here
                continue
            rows = f"{text if is_atomic(text) else f'({text})'} * {self._affine.operand(_extent(extent))}"
            text = rows if here == "0" else f"{rows} - {here[1:]}" if here.startswith("-") else f"{rows} + {here}"
        return text

    def _distances(self, spec: ArraySpec) -> list[str]:
        """Elements between neighbours along each subscript."""
        if spec.strides is None:
            inner = [self._affine.operand(_extent(extent)) for extent in spec.shape[1:]]
            return [" * ".join(inner[k:]) or "1" for k in range(len(spec.shape))]
        texts = (text(stride, lambda name: self._affine.operand(affine(name))) for stride in spec.strides)
        return [f"({each})" if " + " in each or " - " in each else each for each in texts]

    def vector(self, address: v.Address, type_: v.ValueType, lane: int, constant: bool) -> str:
        """The lvalue of consecutive elements, the first of them that of `lane`."""
        if address.array in self._registers:
            return self.lane(address, 0)
        qualifier = "const " if constant else ""
        return f"*({qualifier}{vector_name(type_)} *){self.pointer(address, lane)}"

    def stride(self, address: v.Address) -> str:
        """Elements from one lane's to the next one's."""
        result: list[str] = []
        for stride, by in zip(address.lane_strides, self._distances(self._specs[address.array]), strict=True):
            if stride:
                result.append(_times(str(stride), by))
        return " + ".join(result) or "0"

    def stays(self, array: str) -> bool:
        """Whether what is read from it once, is read from it anywhere behind that."""
        return array in self._values or array in self._columns

    def _need_pointee(self, spec: ArraySpec) -> str:
        if _pointee(spec) != scalar_name(spec.type):
            self._helpers.add(Helper("pointee", v.ValueType(spec.type)))
        return _pointee(spec)

    def _on_stack(self, spec: ArraySpec) -> bool:
        size = _constant_bytes(spec)
        return size is not None and size <= STACK_BYTES

    def _variable(self, spec: ArraySpec) -> str:
        extents = "".join(f"[{_extent(e)}]" for e in spec.shape) or "[1]"
        large = (_constant_bytes(spec) or 0) >= 64
        # Compilers cannot always see that a scalar is written before it is read.
        rest = " __attribute__((aligned(64)))" if large else " = {0}"
        return f"{scalar_name(spec.type)} {self._names('array', spec.name)}{extents}{rest};"

    def _size(self, spec: ArraySpec) -> str:
        """Bytes, a multiple of 64, so that arrays and the parts of several threads are aligned alike, and 64 more."""
        constant, factors = spec.type.bytes, list[str]()
        for extent in map(_extent, spec.shape):
            if extent.is_constant:
                constant *= max(extent.constant, 0)
            else:
                self._helpers.add(Helper("max"))
                factors.append(f"(size_t)polyloop_max({self._affine.affine(extent)}, 0)")
        if not factors:
            return str((constant + 127) // 64 * 64)
        return f"({' * '.join([*factors, str(constant)])} + 127) / 64 * 64"

    @property
    def _block(self) -> str:
        return self._names("value", "memory")

    def _memory(self, specs: Sequence[ArraySpec]) -> list[str]:
        """One block for all arrays, of all threads; the function gives up where there is no memory."""
        if not specs:
            return []
        self._helpers |= {Helper("include", detail="stdlib.h"), Helper("include", detail="stdint.h")}
        lines, parts = list[str](), list[str]()
        for spec in specs:
            size = self._size(spec)
            if spec.name in self._in_loop or not size.isdigit():
                named = self._names("value", f"{spec.name}_size")
                lines += wrap(f"    const size_t {named} = {size};")
                size = named
            if spec.name in self._in_loop:
                self._helpers |= {Helper("include", detail="omp.h"), Helper("threads"), Helper("thread")}
                size = f"{size} * {self._threads()}"
            self._places[spec.name] = " + ".join([f"{self._block} + (64 - (uintptr_t){self._block} % 64)", *parts])
            parts.append(size)
        sizes = [part for part in parts if not part.isdigit()]
        whole = " + ".join([*sizes, str(sum(map(int, filter(str.isdigit, parts)), 64))])
        taken = f"polyloop_take({whole})" if sizes else f"(char *)malloc({whole})"
        if sizes:
            self._helpers.add(Helper("take"))
        take = f"    char *const {self._block} = {taken};"
        return [*lines, *wrap(take), f"    if (!{self._block})", "        return 0;"]

    def _threads(self) -> str:
        if not self._asked_for:
            return "(size_t)polyloop_threads()"
        self._helpers.add(Helper("max"))
        return f"(size_t)polyloop_max(polyloop_threads(), {self._asked_for})"

    def _rows_of(self, spec: ArraySpec) -> str:
        """The array inside the block, on a multiple of 64 bytes."""
        element, start = scalar_name(spec.type), self._places[spec.name]
        if spec.name in self._in_loop:
            start += f" + {self._names('value', f'{spec.name}_size')} * (size_t)polyloop_thread()"
        declared = pointer_to(spec, f"*__restrict {self._names('array', spec.name)}", element)
        return f"{declared} = ({pointer_to(spec, '*', element)})({start});"


def _reaches(upper: Affine, value: Affine) -> bool:
    """Whether the upper bound, or one that it is the smallest of, is at most `value` for sure."""
    bounds = [upper]
    match upper.terms:
        case ((Min(operands), 1),):
            bounds += [operand + upper.constant for operand in operands]
    return any((value - bound).is_constant and (value - bound).constant >= 0 for bound in bounds)


def _extent(extent: Affine | None) -> Affine:
    if extent is None:
        raise ValueError("only the first extent of an argument may be unknown")
    return extent


def pointer_to(spec: ArraySpec, declarator: str = "*", element: str = "") -> str:
    """The type of pointers to an array's rows or elements, or the declaration of one (`*name`)."""
    qualifier, element = "const " if spec.read_only else "", element or _pointee(spec)
    if len(spec.shape) < 2 or _is_flat(spec):
        return f"{qualifier}{element} {declarator}"
    # C wants extents positive, also where our own arrays are empty.
    rows = "".join(f"[{max(_extent(e).constant, 1)}]" for e in spec.shape[1:])
    return f"{qualifier}{element} ({declarator}){rows}"


def _pointee(spec: ArraySpec) -> str:
    """The caller's 64-bit integers may be long or long long, which C takes for distinct types."""
    if spec.type.bits != 64 or spec.type.is_float:
        return scalar_name(spec.type)
    return Helper("pointee", v.ValueType(spec.type)).name


def _times(left: str, right: str) -> str:
    return left if right == "1" else right if left == "1" else f"{left} * {right}"


def _is_flat(spec: ArraySpec) -> bool:
    """Whether rows have a length that is not constant: C++ knows no such types."""
    return spec.strides is not None or any(not _extent(extent).is_constant for extent in spec.shape[1:])


def _constant_bytes(spec: ArraySpec) -> int | None:
    size = spec.type.bytes
    for extent in spec.shape:
        if extent is None or not extent.is_constant:
            return None
        size *= max(extent.constant, 1)
    return size
