"""VectorProgram -> x86-64 assembly, for micro-kernels of contractions: the third printer, and the fastest way to code.

LLVM's code generator takes most of the time in which a register tile is compiled, and finds what planning has decided
already: which values stay in registers. Here they are given registers in one pass; what does not fit, or is no
straight loop nest over static arrays, is refused, and `print_llvm` prints it.

- Vector values get registers first come, first served, and give them back behind their last use. Values that a loop
  carries keep theirs: multiply-adds overwrite the sum that they add to.
- Loop variables and array addresses live on the stack. In front of an innermost loop one pointer is computed for every
  array (and form of subscript) that it touches; the loop advances it by a constant, rows are displacements.
- Scalars that are only broadcast are broadcast from memory.

LLVM gets the text as the assembly of an otherwise empty module, and only assembles it.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from polyloop.backend import vector_program as v
from polyloop.backend.affine import Affine
from polyloop.backend.loop_nest import ArraySpec, Storage
from polyloop.backend.target import Target
from polyloop.backend.vector_program import Address, Statement, Value, ValueType, VectorProgram

_POINTERS = ("rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13", "r14")
_COUNTER, _SCRATCH = "r15", "rax"
_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
_LETTERS = {128: "x", 256: "y", 512: "z"}
_MASKS = 7
_LARGEST = 2**31 - 1
_THREE_OPERANDS = {"+": "vadd", "-": "vsub", "*": "vmul", "/": "vdiv", "min": "vmin", "max": "vmax"}

Key = tuple[str, tuple[tuple[str, int], ...]]
"""An array and the bytes by which each variable moves: accesses that one pointer serves."""


class NotPrintableError(Exception):
    """The program is none of those that this printer takes; the message says what is in the way."""


def print_asm(program: VectorProgram, target: Target, *, contract: bool = True) -> str:
    """The program as the text of a function ``name.call(slots)``.

    Raises:
        NotPrintableError: for a program or a target that it is not made for.
    """
    if not target.triple.startswith("x86_64") or target.vector_bits < 256 or not target.has_fma:
        raise NotPrintableError(f"{target.triple} with vectors of {target.vector_bits} bits")
    if program.parameters or program.auto_vectorize:
        raise NotPrintableError("parameters" if program.parameters else "a program without explicit vectors")
    return "\n".join([*_Printer(program, target, contract).function(), ""])


def assembly_module(text: str, target: Target) -> str:
    """An LLVM module whose only contents is this assembly."""
    escaped = text.replace("\\", "\\5C").replace('"', "\\22").replace("\t", "\\09")
    lines = [f'module asm "{line}"' for line in escaped.splitlines()]
    return "\n".join([f'target triple = "{target.triple}"', *lines, ""])


@dataclass
class _Printer:
    program: VectorProgram
    target: Target
    contract: bool
    lines: list[str] = field(default_factory=list)
    registers: dict[str, int] = field(default_factory=dict)
    scalars: dict[str, Address] = field(default_factory=dict)
    pointers: dict[Key, str] = field(default_factory=dict)
    slots: dict[str, int] = field(default_factory=dict)
    masks: dict[int, str] = field(default_factory=dict)
    constants: dict[tuple[float, int], str] = field(default_factory=dict)
    shift: tuple[str, int] = ("", 0)  # the innermost loop's variable, and how far this copy of its body is ahead
    labels: int = 0

    def __post_init__(self) -> None:
        self.free = list(range(self.target.vector_registers))
        self.folded = _only_broadcast(self.program)
        self.strides = {array.name: _strides(array) for array in self.program.arrays}
        self._known: dict[Address, tuple[Key, int]] = {}
        self._mentioned: dict[int, tuple[Value, ...]] = {}  # by identity
        for array in self.program.arrays:
            if array.storage is not Storage.ARGUMENT:
                raise NotPrintableError("an array of its own")
            self._slot(array.name)

    def function(self) -> list[str]:
        self._block(self.program.body, frozenset())
        frame = 8 * len(self.slots) + 8 * (len(self.slots) % 2 == 0)  # the stack stays aligned to 16 bytes
        name = f'"{self.program.name}.call"'
        prologue = [".text", ".p2align 5", f".globl {name}", f".type {name},@function", f"{name}:"]
        prologue += [f"pushq %{register}" for register in _SAVED]
        prologue.append(f"subq ${frame}, %rsp")
        for number, array in enumerate(self.program.arrays):
            prologue += [f"movq {8 * number}(%rdi), %rax", f"movq %rax, {8 * self.slots[array.name]}(%rsp)"]
        for lanes, mask in self.masks.items():
            prologue += [f"movl ${(1 << lanes) - 1}, %eax", f"kmovw %eax, %{mask}"]
        epilogue = ["vzeroupper", f"addq ${frame}, %rsp", *(f"popq %{r}" for r in reversed(_SAVED)), "retq"]
        return [*prologue, *self.lines, *epilogue, f".size {name}, .-{name}", *self._constants(), _NO_STACK]

    def _constants(self) -> list[str]:
        lines = [".section .rodata", ".p2align 3"] if self.constants else []
        for (number, size), label in self.constants.items():
            bits = struct.unpack("<I" if size == 4 else "<Q", struct.pack("<f" if size == 4 else "<d", number))[0]
            lines += [f"{label}:", f"{'.long' if size == 4 else '.quad'} {bits}"]
        return lines

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, statements: tuple[Statement, ...], wanted: frozenset[str]) -> None:
        """Print statements; `wanted` are names that somebody behind them uses."""
        mentions = [self._mentions(s) for s in statements]
        last = {value.name: number for number, values in enumerate(mentions) for value in values}
        last.update(dict.fromkeys(wanted, len(statements)))
        for number, (statement, values) in enumerate(zip(statements, mentions, strict=True)):
            used = dict.fromkeys([value.name for value in values])
            dying = [name for name in used if last[name] == number and name in self.registers]
            match statement:
                case v.Let(name, operation):
                    self._let(name, operation, dying)
                case v.Store(address, value, active):
                    self._store(address, value, active)
                case v.Prefetch(address):
                    self._emit(f"prefetcht0 {self._memory(address)}")
                case v.For():
                    self._for(statement, {name for name, at in last.items() if at > number}, dying)
                    continue
            for name in dying:
                self._release(name)
            if isinstance(statement, v.Let) and last.get(statement.name, number) <= number:
                self._release(statement.name)

    def _let(self, name: str, operation: v.Operation, dying: Sequence[str]) -> None:
        match operation:
            case v.Load(address, ValueType(_, 1), None) if name in self.folded:
                self.scalars[name] = address
            case v.Load(address, type_, active):
                self._check_contiguous(address, type_)
                source, register = self._memory(address), self._take(name)
                mask = self._mask(active, type_)
                zeroing = f"{{%{mask}}}{{z}}" if mask else ""
                self._emit(f"{_move(type_)} {source}, {_name(register, type_)}{zeroing}")
            case v.Broadcast(operand, type_) if operand.name in self.scalars:
                source, register = self._memory(self.scalars[operand.name]), self._take(name)
                self._emit(f"{_broadcast(type_)} {source}, {_name(register, type_)}")
            case v.Broadcast(operand, type_):
                source, register = _name(self.registers[operand.name], operand.type), self._take(name)
                self._emit(f"{_broadcast(type_)} {source}, {_name(register, type_)}")
            case v.Constant(value, type_) if type_.element.is_float:
                self._constant(name, float(value), type_)
            case v.Arithmetic("fma", (a, b, c), type_) if self.contract and type_.element.is_float:
                self._multiply_add(name, a, b, c, dying)
            case v.Arithmetic(operator, (a, b), type_) if operator in _THREE_OPERANDS and type_.element.is_float:
                left, right = self._operand(a), self._operand(b)
                self._emit(f"{_THREE_OPERANDS[operator]}{_suffix(type_)} {right}, {left}, {self._fresh(name, type_)}")
            case _:
                raise NotPrintableError(f"an operation {type(operation).__name__} of type {operation.type}")

    def _multiply_add(self, name: str, a: Value, b: Value, c: Value, dying: Sequence[str]) -> None:
        """In place of the sum where it is not needed any more."""
        factors = f"{self._operand(a)}, {self._operand(b)}"
        if c.name in dying and c.name not in (a.name, b.name):
            register = self.registers.pop(c.name)
            self.registers[name] = register
        else:
            register = self._take(name)
            self._emit(f"vmovaps {self._operand(c)}, {_name(register, c.type)}")
        self._emit(f"vfmadd231{_suffix(c.type)} {factors}, {_name(register, c.type)}")

    def _constant(self, name: str, value: float, type_: ValueType) -> None:
        label = self.constants.setdefault(
            (value, type_.element.bytes), f'".L{self.program.name}.constant{len(self.constants)}"'
        )
        self._emit(f"{_broadcast(type_)} {label}(%rip), {self._fresh(name, type_)}")

    def _store(self, address: Address, value: Value, active: Affine | None) -> None:
        self._check_contiguous(address, value.type)
        mask = self._mask(active, value.type)
        where = self._memory(address) + (f"{{%{mask}}}" if mask else "")
        self._emit(f"{_move(value.type)} {self._operand(value)}, {where}")

    def _mentions(self, statement: Statement) -> tuple[Value, ...]:
        """What `_mentioned` says; a body is printed several times, and an inner loop belongs to all around it."""
        if id(statement) not in self._mentioned:
            self._mentioned[id(statement)] = _mentioned(statement)
        return self._mentioned[id(statement)]

    # --- loops --------------------------------------------------------------------------------------------------------

    def _for(self, loop: v.For, later: Set[str], dying: Sequence[str]) -> None:
        trips = loop.upper - loop.lower
        if not trips.is_constant:
            raise NotPrintableError(f"a loop from {loop.lower} to {loop.upper}")
        count = len(range(0, trips.constant, loop.step))
        self.pointers.clear()
        self._carry_in(loop, later)
        outside = frozenset(self.registers) - {c.name for c in loop.carried}
        home = {c.name: self.registers[c.name] for c in loop.carried}
        wanted = outside | {c.next.name for c in loop.carried}
        if count:
            self._set_variable(loop)
            if any(isinstance(statement, v.For) for statement in loop.body):
                self._outer_loop(loop, count, wanted, home)
            else:
                self._inner_loop(loop, count, wanted, home)
        self.pointers.clear()
        for c in loop.carried:
            self.registers[c.result] = self.registers.pop(c.name)
            if c.result not in later:
                self._release(c.result)
        for name in dying:
            self._release(name)

    def _carry_in(self, loop: v.For, later: Set[str]) -> None:
        """Carried values begin in the registers of their initial values, or in copies where these stay in use."""
        inside = {value.name for statement in loop.body for value in self._mentions(statement)}
        carried = Counter(c.initial.name for c in loop.carried)
        for c in loop.carried:
            first = c.initial.name
            if first in later or first in inside or carried[first] > 1:
                register = self._take(c.name)
                self._emit(f"vmovaps {self._operand(c.initial)}, {_name(register, c.type)}")
            else:
                self.registers[c.name] = self.registers.pop(first)

    def _set_variable(self, loop: v.For) -> None:
        self._emit(f"movq ${loop.lower.constant}, %{_SCRATCH}")
        slot = self._slot(loop.variable)
        self._emit(f"movq %{_SCRATCH}, {8 * slot}(%rsp)")
        for atom, coefficient in loop.lower.terms:
            if not isinstance(atom, str) or coefficient != 1:
                raise NotPrintableError(f"a loop from {loop.lower}")
            self._emit(f"movq {8 * self.slots[atom]}(%rsp), %{_SCRATCH}")
            self._emit(f"addq %{_SCRATCH}, {8 * slot}(%rsp)")

    def _outer_loop(self, loop: v.For, count: int, wanted: frozenset[str], home: dict[str, int]) -> None:
        counter = 8 * self._slot(f"{loop.variable} left")
        self._emit(f"movq ${count}, {counter}(%rsp)")
        label = self._label()
        self._copy_of_body(loop, wanted)
        self._carry_over(loop, home)
        self._emit(f"addq ${loop.step}, {8 * self.slots[loop.variable]}(%rsp)")
        self._emit(f"decq {counter}(%rsp)")
        self._emit(f"jnz {label}")
        self.pointers.clear()

    def _inner_loop(self, loop: v.For, count: int, wanted: frozenset[str], home: dict[str, int]) -> None:
        moves = self._point(loop)
        for copies, rounds in ((max(1, loop.unroll), count // max(1, loop.unroll)), (1, count % max(1, loop.unroll))):
            if not rounds:
                continue
            if rounds > 1:
                self._emit(f"movl ${rounds}, %{_COUNTER}d")
                label = self._label()
            for number in range(copies):
                self.shift = loop.variable, number * loop.step
                self._copy_of_body(loop, wanted)
            self.shift = "", 0
            self._carry_over(loop, home)
            for pointer, bytes_ in moves.items():
                self._emit(f"addq ${_fitting(bytes_ * copies)}, %{pointer}")
            if rounds > 1:
                self._emit(f"decq %{_COUNTER}")
                self._emit(f"jnz {label}")

    def _point(self, loop: v.For) -> dict[str, int]:
        """Pointers for all that the loop touches, and by how many bytes an iteration advances each."""
        for address in _addresses(loop.body):
            self._pointer(self._linear(address)[0], fixed=True)
        steps = {pointer: dict(key[1]).get(loop.variable, 0) * loop.step for key, pointer in self.pointers.items()}
        return {pointer: step for pointer, step in steps.items() if step}

    def _copy_of_body(self, loop: v.For, wanted: frozenset[str]) -> None:
        """After it, carried values stand where the body has left their next ones."""
        before = frozenset(self.registers)
        self._block(loop.body, wanted)
        for c in loop.carried:
            self._release(c.name)  # where the body does not use it
        if any(c.next.name in before for c in loop.carried):
            raise NotPrintableError("a carried value that the body does not compute")
        following = {c.name: self.registers[c.next.name] for c in loop.carried}
        for c in loop.carried:
            if len(set(following.values())) < len(following):
                raise NotPrintableError("a value that a loop carries twice")
            del self.registers[c.next.name]
        self.registers |= following

    def _carry_over(self, loop: v.For, home: dict[str, int]) -> None:
        """Back into the registers that the next iteration expects them in."""
        moved = {c.name: c.type for c in loop.carried if self.registers[c.name] != home[c.name]}
        taken = {self.registers[name] for name in self.registers}
        for name, type_ in moved.items():
            if home[name] in taken:
                raise NotPrintableError("carried values that change places")
            self._emit(f"vmovaps {_name(self.registers[name], type_)}, {_name(home[name], type_)}")
            self.free.append(self.registers[name])
            self.free.remove(home[name])
            self.registers[name] = home[name]

    # --- registers and addresses --------------------------------------------------------------------------------------

    def _emit(self, line: str) -> None:
        self.lines.append(line)

    def _label(self) -> str:
        self.labels += 1
        label = f'".L{self.program.name}.{self.labels}"'
        self.lines += [".p2align 5", f"{label}:"]
        return label

    def _slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def _take(self, name: str) -> int:
        if not self.free:
            raise NotPrintableError("more values than registers")
        register = self.registers[name] = self.free.pop(0)
        return register

    def _fresh(self, name: str, type_: ValueType) -> str:
        return _name(self._take(name), type_)

    def _release(self, name: str) -> None:
        if name in self.registers:
            self.free.append(self.registers.pop(name))

    def _operand(self, value: Value) -> str:
        return _name(self.registers[value.name], value.type)

    def _mask(self, active: Affine | None, type_: ValueType) -> str | None:
        if active is None:
            return None
        if not active.is_constant or self.target.vector_bits < 512 or type_.lanes == 1:
            raise NotPrintableError(f"a mask of {active} lanes")
        if active.constant not in self.masks and len(self.masks) == _MASKS:
            raise NotPrintableError("more masks than registers for them")
        return self.masks.setdefault(active.constant, f"k{len(self.masks) + 1}")

    def _check_contiguous(self, address: Address, type_: ValueType) -> None:
        if type_.lanes > 1 and address.lane_strides != (*(0,) * (len(address.lane_strides) - 1), 1):
            raise NotPrintableError("vectors whose lanes are not contiguous")
        if not type_.element.is_float:
            raise NotPrintableError(f"values of type {type_}")

    def _memory(self, address: Address) -> str:
        key, displacement = self._linear(address)
        variable, ahead = self.shift
        displacement += ahead * dict(key[1]).get(variable, 0)
        return f"{_fitting(displacement)}(%{self._pointer(key)})"

    def _linear(self, address: Address) -> tuple[Key, int]:
        """The address in bytes: an array, multiples of variables, and a constant."""
        if address in self._known:
            return self._known[address]
        terms: dict[str, int] = {}
        constant = 0
        for subscript, stride in zip(address.subscripts, self.strides[address.array], strict=True):
            constant += subscript.constant * stride
            for atom, coefficient in subscript.terms:
                if not isinstance(atom, str) or atom not in self.slots:
                    raise NotPrintableError(f"the subscript {subscript}")
                terms[atom] = terms.get(atom, 0) + coefficient * stride
        found = self._known[address] = (address.array, tuple(sorted(terms.items()))), constant
        return found

    def _pointer(self, key: Key, fixed: bool = False) -> str:
        """The register that points there; outside of innermost loops the oldest makes room."""
        if key in self.pointers:
            return self.pointers[key]
        if self.shift[0]:
            raise NotPrintableError("an address in an innermost loop that comes from outside")
        unused = [register for register in _POINTERS if register not in self.pointers.values()]
        if not unused:
            if fixed:
                raise NotPrintableError("more pointers than registers")
            unused = [self.pointers.pop(next(iter(self.pointers)))]
        register = self.pointers[key] = unused[0]
        self._emit(f"movq {8 * self.slots[key[0]]}(%rsp), %{register}")
        for variable, bytes_ in key[1]:
            self._emit(f"imulq ${_fitting(bytes_)}, {8 * self.slots[variable]}(%rsp), %{_SCRATCH}")
            self._emit(f"addq %{_SCRATCH}, %{register}")
        return register


_NO_STACK = '.section ".note.GNU-stack","",@progbits'


def _mentioned(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement uses, nested ones too, in the order of mention."""
    match statement:
        case v.Let(_, v.Arithmetic(_, operands)):
            return operands
        case v.Let(_, v.Broadcast(operand)):
            return (operand,)
        case v.Let(_, v.Load() | v.Constant()) | v.Prefetch():
            return ()
        case v.Store(_, value):
            return (value,)
        case v.For(body=body, carried=carried):
            nested = [value for inner in body for value in _mentioned(inner)]
            return (*nested, *(value for c in carried for value in (c.initial, c.next)))
        case v.Let(_, operation):
            raise NotPrintableError(f"an operation {type(operation).__name__}")
        case _:
            raise NotPrintableError(f"a statement {type(statement).__name__}")


def _only_broadcast(program: VectorProgram) -> set[str]:
    """Scalars of read-only arrays that nothing but broadcasts uses."""
    loaded: set[str] = set()
    used: set[str] = set()
    read_only = {array.name for array in program.arrays if array.read_only}

    def visit(statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            match statement:
                case v.Let(name, v.Load(address, ValueType(_, 1), None)) if address.array in read_only:
                    loaded.add(name)
                case v.Let(_, v.Broadcast()):
                    pass
                case v.For(body=body, carried=carried):
                    used.update(value.name for c in carried for value in (c.initial, c.next))
                    visit(body)
                case _:
                    used.update(value.name for value in _mentioned(statement))

    visit(program.body)
    return loaded - used


def _addresses(statements: tuple[Statement, ...]) -> list[Address]:
    found = []
    for statement in statements:
        match statement:
            case v.Let(_, v.Load(address)) | v.Store(address) | v.Prefetch(address):
                found.append(address)
    return found


def _strides(spec: ArraySpec) -> list[int]:
    """Bytes between neighbours, dimension by dimension."""
    strides, size = [], spec.type.bytes
    for extent in reversed(spec.shape):
        strides.append(size)
        if extent is None or not extent.is_constant:
            size = 0 if len(strides) == len(spec.shape) else _refuse(f"the extent {extent}")
        else:
            size *= extent.constant
    return strides[::-1]


def _refuse(what: str) -> int:
    raise NotPrintableError(what)


def _fitting(number: int) -> int:
    return number if abs(number) <= _LARGEST else _refuse("an array too large for displacements")


def _name(register: int, type_: ValueType) -> str:
    bits = type_.element.bits * type_.lanes
    if type_.lanes == 1:
        return f"%xmm{register}"
    if bits not in _LETTERS:
        raise NotPrintableError(f"vectors of {bits} bits")
    return f"%{_LETTERS[bits]}mm{register}"


def _suffix(type_: ValueType) -> str:
    return ("s" if type_.lanes == 1 else "p") + ("s" if type_.element.bits == 32 else "d")


def _move(type_: ValueType) -> str:
    return f"vmov{_suffix(type_)}" if type_.lanes == 1 else f"vmovu{_suffix(type_)}"


def _broadcast(type_: ValueType) -> str:
    if type_.lanes == 1:
        return _move(type_)
    if type_.element.bits == 64 and type_.lanes == 2:
        return "vmovddup"
    return "vbroadcastss" if type_.element.bits == 32 else "vbroadcastsd"
