"""VectorProgram -> x86-64 assembly, for micro-kernels of contractions: the third printer, and the fastest way to code.

LLVM's code generator takes most of the time in which a register tile is compiled, and finds what planning has decided
already: which values stay in registers. Here they are given registers in one pass; what does not fit, or is no
straight loop nest over static arrays, is refused, and `print_llvm` prints it.

- Vector values get registers first come, first served, and give them back behind their last use. Values that a loop
  carries keep theirs: multiply-adds overwrite the sum that they add to.
- Counters of loops and where each array has got to live on the stack, and every loop moves what it moves by a constant.
  In front of an innermost loop one pointer is loaded for every array (and form of subscript) that it touches, rows are
  displacements, and pointers that advance alike share one counter.
- Loads that one operation uses are its operands.
- Scalars that are only broadcast are broadcast from memory.

LLVM gets the text as the assembly of an otherwise empty module, and only assembles it.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from polyloop.backend.asm.addresses import Key, Scope, asked, most_alike, strides
from polyloop.backend.asm.integers import SCRATCH, integer, unless
from polyloop.backend.asm.text import (
    THREE_OPERANDS,
    NotPrintableError,
    broadcast,
    fitting,
    move,
    of_arguments,
    register_name,
    suffix,
)
from polyloop.backend.asm.values import memory_operands, mentioned, only_broadcast
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.vector_program import Address, Statement, Value, ValueType, VectorProgram
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.registers import steps_at_once

_POINTERS = ("rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13", "r14")
_COUNTER = "r15"
_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
_MASKS = 7


def print_asm(program: VectorProgram, target: Target, *, contract: bool = True) -> str:
    """The program as the text of functions ``name.call(slots)`` and ``name(arrays...)``.

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
    scope: Scope = field(default_factory=Scope)
    indexed: set[str] = field(default_factory=set)  # pointers that the innermost loop's counter is added to
    inside: dict[str, Address] = field(default_factory=dict)  # loads that are operands where they are used
    slots: dict[str, int] = field(default_factory=dict)
    masks: dict[int, str] = field(default_factory=dict)
    constants: dict[v.Constant, str] = field(default_factory=dict)  # scalars
    shift: tuple[str, int] = ("", 0)  # the innermost loop's variable, and how far this copy of its body is ahead
    labels: int = 0

    def __post_init__(self) -> None:
        self.free = list(range(self.target.vector_registers))
        self.folded = only_broadcast(self.program)
        self.strides = {array.name: strides(array) for array in self.program.arrays}
        self._mentioned: dict[int, tuple[Value, ...]] = {}  # by identity
        for array in self.program.arrays:
            if array.storage is not Storage.ARGUMENT:
                raise NotPrintableError("an array of its own")
            self._slot(array.name)

    def function(self) -> list[str]:
        self._block(self.program.body, frozenset())
        frame = 8 * len(self.slots) + 8 * (len(self.slots) % 2 == 0)  # the stack stays aligned to 16 bytes
        name = f'"{self.program.name}.call"'
        here = f'".L{self.program.name}.call"'
        prologue = [".text", ".p2align 5", f".globl {name}", f".type {name},@function", f"{name}:", f"{here}:"]
        prologue += [f"pushq %{register}" for register in _SAVED]
        prologue.append(f"subq ${frame}, %rsp")
        for number, array in enumerate(self.program.arrays):
            prologue += [f"movq {8 * number}(%rdi), %rax", f"movq %rax, {8 * self.slots[array.name]}(%rsp)"]
        for lanes, mask in self.masks.items():
            prologue += [f"movl ${(1 << lanes) - 1}, %eax", f"kmovw %eax, %{mask}"]
        epilogue = ["vzeroupper", f"addq ${frame}, %rsp", *(f"popq %{r}" for r in reversed(_SAVED)), "retq"]
        code = [*prologue, *self.lines, *epilogue, f".size {name}, .-{name}"]
        return [*code, *of_arguments(self.program.name, len(self.program.arrays), here), *self._constants(), _NO_STACK]

    def _constants(self) -> list[str]:
        lines = [".section .rodata", ".p2align 3"] if self.constants else []
        for constant, label in self.constants.items():
            size = constant.type.element.bytes
            bits = int.from_bytes(struct.pack("<f" if size == 4 else "<d", constant.value), "little")
            lines += [f"{label}:", f"{'.long' if size == 4 else '.quad'} {bits}"]
        return lines

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, statements: tuple[Statement, ...], wanted: frozenset[str]) -> None:
        """Print statements; `wanted` are names that somebody behind them uses."""
        mentions = [self._mentions(s) for s in statements]
        operands = memory_operands(statements, mentions, self.folded | wanted)
        last = {value.name: number for number, values in enumerate(mentions) for value in values}
        last.update(dict.fromkeys(wanted, len(statements)))
        for number, (statement, values) in enumerate(zip(statements, mentions, strict=True)):
            used = dict.fromkeys([value.name for value in values])
            dying = [name for name in used if last[name] == number and name in self.registers]
            match statement:
                case v.Let(name, v.Load(address, type_)) if name in operands:
                    self._check_contiguous(address, type_)
                    self.inside[name] = address
                    continue
                case v.Let(name, operation):
                    self._let(name, operation, dying)
                case v.Store(address, value, active):
                    self._store(address, value, active)
                case v.Prefetch(address):
                    self._emit(f"prefetcht0 {self._memory(address)}")
                case v.For():
                    self._for(statement, {name for name, at in last.items() if at > number}, dying)
                    continue
                case v.If():
                    self._if(statement)
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
                self._emit(f"{move(type_)} {source}, {register_name(register, type_)}{zeroing}")
            case v.Broadcast(operand, type_) if operand.name in self.scalars:
                source, register = self._memory(self.scalars[operand.name]), self._take(name)
                self._emit(f"{broadcast(type_)} {source}, {register_name(register, type_)}")
            case v.Broadcast(operand, type_):
                source, register = register_name(self.registers[operand.name], operand.type), self._take(name)
                self._emit(f"{broadcast(type_)} {source}, {register_name(register, type_)}")
            case v.Constant(value, type_) if type_.element.is_float:
                self._constant(name, float(value), type_)
            case v.Arithmetic("fma", (a, b, c), type_) if self.contract and type_.element.is_float:
                self._multiply_add(name, a, b, c, dying)
            case v.Arithmetic(operator, (a, b), type_) if operator in THREE_OPERANDS and type_.element.is_float:
                left, right = self._operand(a), self._source(b)
                self._emit(f"{THREE_OPERANDS[operator]}{suffix(type_)} {right}, {left}, {self._fresh(name, type_)}")
            case _:
                raise NotPrintableError(f"an operation {type(operation).__name__} of type {operation.type}")

    def _multiply_add(self, name: str, a: Value, b: Value, c: Value, dying: Sequence[str]) -> None:
        """In place of the sum where it is not needed any more."""
        if b.name in self.inside:
            a, b = b, a
        factors = f"{self._source(a)}, {self._operand(b)}"
        if c.name in dying and c.name not in (a.name, b.name):
            register = self.registers.pop(c.name)
            self.registers[name] = register
        else:
            register = self._take(name)
            self._emit(f"vmovaps {self._operand(c)}, {register_name(register, c.type)}")
        self._emit(f"vfmadd231{suffix(c.type)} {factors}, {register_name(register, c.type)}")

    def _constant(self, name: str, value: float, type_: ValueType) -> None:
        number = v.Constant(value, ValueType(type_.element))
        label = self.constants.setdefault(number, f'".L{self.program.name}.constant{len(self.constants)}"')
        self._emit(f"{broadcast(type_)} {label}(%rip), {self._fresh(name, type_)}")

    def _store(self, address: Address, value: Value, active: Affine | None) -> None:
        self._check_contiguous(address, value.type)
        mask = self._mask(active, value.type)
        where = self._memory(address) + (f"{{%{mask}}}" if mask else "")
        self._emit(f"{move(value.type)} {self._operand(value)}, {where}")

    def _mentions(self, statement: Statement) -> tuple[Value, ...]:
        """What `mentioned` says; a body is printed several times, and an inner loop belongs to all around it."""
        if id(statement) not in self._mentioned:
            self._mentioned[id(statement)] = mentioned(statement)
        return self._mentioned[id(statement)]

    def _if(self, node: v.If) -> None:
        """Both sides leave the registers that they find as they are."""
        otherwise, behind = self._name_label(), self._name_label()
        wanted = frozenset(self.registers)
        self.pointers.clear()
        self.lines += unless(node.condition, otherwise, self.slots)
        self._block(node.then, wanted)
        if node.orelse:
            self._emit(f"jmp {behind}")
        self._emit(f"{otherwise}:")
        self.pointers.clear()
        self._block(node.orelse, wanted)
        self._emit(f"{behind}:")
        self.pointers.clear()

    # --- loops --------------------------------------------------------------------------------------------------------

    def _for(self, loop: v.For, later: Set[str], dying: Sequence[str]) -> None:
        trips = loop.upper - loop.lower
        count = len(range(0, trips.constant, loop.step)) if trips.is_constant else None
        self.pointers.clear()
        self._carry_in(loop, later)
        outside = frozenset(self.registers) - {c.name for c in loop.carried}
        home = {c.name: self.registers[c.name] for c in loop.carried}
        wanted = outside | {c.next.name for c in loop.carried}
        if count != 0:
            behind = "" if count else self._name_label()
            self._set_variable(loop)
            if not count:
                self._count(loop, behind)
            if any(isinstance(statement, v.For | v.If) for statement in loop.body):
                self._outer_loop(loop, count, wanted, home)
            else:
                self._inner_loop(loop, count, wanted, home)
            if behind:
                self._emit(f"{behind}:")
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
                self._emit(f"vmovaps {self._operand(c.initial)}, {register_name(register, c.type)}")
            else:
                self.registers[c.name] = self.registers.pop(first)

    def _set_variable(self, loop: v.For) -> None:
        """The slot of a variable that a loop inside asks for its length: others only move addresses."""
        if loop.variable in asked(loop.body):
            self.lines += integer(loop.lower, self.slots)
            self._emit(f"movq %{SCRATCH}, {8 * self._slot(loop.variable)}(%rsp)")

    def _count(self, loop: v.For, behind: str) -> None:
        """How many iterations the loop has, for the counter; where it has none the label `behind` it is next."""
        self.lines += integer(loop.upper - loop.lower, self.slots)
        if loop.step > 1:
            if loop.step & (loop.step - 1):
                raise NotPrintableError(f"steps of {loop.step} from {loop.lower} to {loop.upper}")
            self._emit(f"addq ${loop.step - 1}, %{SCRATCH}")
            self._emit(f"sarq ${loop.step.bit_length() - 1}, %{SCRATCH}")
        self._emit(f"testq %{SCRATCH}, %{SCRATCH}")
        self._emit(f"jle {behind}")

    def _outer_loop(self, loop: v.For, count: int | None, wanted: frozenset[str], home: dict[str, int]) -> None:
        counter = 8 * self._slot(f"{loop.variable} left")
        self._emit(f"movq {f'%{SCRATCH}' if count is None else f'${count}'}, {counter}(%rsp)")
        outside, self.scope = self.scope, self.scope.inside(loop)
        moves = self._places(loop, outside)
        label = self._label()
        self._copy_of_body(loop, wanted)
        self.scope = outside
        self._carry_over(loop, home)
        for slot, bytes_ in moves.items():
            self._emit(f"addq ${fitting(bytes_)}, {8 * slot}(%rsp)")
        if loop.variable in asked(loop.body):
            self._emit(f"addq ${loop.step}, {8 * self.slots[loop.variable]}(%rsp)")
        self._emit(f"decq {counter}(%rsp)")
        self._emit(f"jnz {label}")
        self.pointers.clear()

    def _inner_loop(self, loop: v.For, count: int | None, wanted: frozenset[str], home: dict[str, int]) -> None:
        if count is None:
            self._emit(f"movq %{SCRATCH}, %{_COUNTER}")
        outside, self.scope = self.scope, self.scope.inside(loop)
        moves = self._point(loop)
        unroll = steps_at_once(loop, count, self.target)
        # A loop whose length is not known is not unrolled; its counter is there already.
        rolls = ((1, None),) if count is None else ((unroll, count // unroll), (1, count % unroll))
        for copies, rounds in rolls:
            if rounds != 0:
                self._rounds(loop, copies, rounds, moves, wanted, home)
        self.scope = outside

    def _rounds(
        self,
        loop: v.For,
        copies: int,
        rounds: int | None,
        moves: dict[str, int],
        wanted: frozenset[str],
        home: dict[str, int],
    ) -> None:
        """Iterations of an innermost loop.

        Pointers that advance alike stand behind the last iteration and a counter that rises to zero is added to them:
        one addition and its branch is all that the loop costs.
        """
        step, alike = most_alike(moves) if rounds != 1 else (0, [])
        if step:
            self._count_bytes(rounds, step * copies, alike)
            self.indexed.update(alike)
        elif rounds is not None and rounds > 1:
            self._emit(f"movl ${rounds}, %{_COUNTER}d")
        label = "" if rounds == 1 else self._label()
        for number in range(copies):
            self.shift = loop.variable, number * loop.step
            self._copy_of_body(loop, wanted)
        self.shift = "", 0
        self._carry_over(loop, home)
        for pointer, bytes_ in moves.items():
            if pointer not in alike:
                self._emit(f"addq ${fitting(bytes_ * copies)}, %{pointer}")
        self.indexed.clear()
        if rounds != 1:
            self._emit(f"addq ${fitting(step * copies)}, %{_COUNTER}" if step else f"decq %{_COUNTER}")
            self._emit(f"jnz {label}")

    def _count_bytes(self, rounds: int | None, bytes_: int, pointers: Sequence[str]) -> None:
        """The counter counts bytes, from what all rounds come to, negative, to zero."""
        if rounds is None:
            self._emit(f"imulq ${fitting(bytes_)}, %{_COUNTER}, %{_COUNTER}")
            for pointer in pointers:
                self._emit(f"addq %{_COUNTER}, %{pointer}")
            self._emit(f"negq %{_COUNTER}")
            return
        for pointer in pointers:
            self._emit(f"addq ${fitting(rounds * bytes_)}, %{pointer}")
        self._emit(f"movq ${fitting(-rounds * bytes_)}, %{_COUNTER}")

    def _point(self, loop: v.For) -> dict[str, int]:
        """Pointers for all that the loop touches, and by how many bytes an iteration advances each."""
        for key in self.scope.keys(loop, self.strides):
            self._pointer(key, inner=True)
        steps = {pointer: dict(key[1]).get(loop.variable, 0) * loop.step for key, pointer in self.pointers.items()}
        return {pointer: step for pointer, step in steps.items() if step}

    def _places(self, loop: v.For, outside: Scope) -> dict[int, int]:
        """Slots for where all that the loop holds has got to, and by how many bytes an iteration advances each."""
        moves: dict[int, int] = {}
        for whole in self.scope.keys(loop, self.strides):
            key = self.scope.restricted(whole)
            bytes_ = dict(key[1]).get(loop.variable, 0)
            if bytes_ and self._place(key) not in moves:
                moves[self._place(key)] = bytes_ * loop.step
                self._emit(f"movq {8 * self._place(outside.restricted(whole))}(%rsp), %{SCRATCH}")
                self._emit(f"movq %{SCRATCH}, {8 * self._place(key)}(%rsp)")
        return moves

    def _place(self, key: Key) -> int:
        """The slot that holds the address now: the argument's own, where no variable adds to it."""
        return self._slot(f"{key[0]} {key[1]}") if key[1] else self.slots[key[0]]

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
            self._emit(f"vmovaps {register_name(self.registers[name], type_)}, {register_name(home[name], type_)}")
            self.free.append(self.registers[name])
            self.free.remove(home[name])
            self.registers[name] = home[name]

    # --- registers and addresses --------------------------------------------------------------------------------------

    def _emit(self, line: str) -> None:
        self.lines.append(line)

    def _label(self) -> str:
        label = self._name_label()
        self.lines += [".p2align 5", f"{label}:"]
        return label

    def _name_label(self) -> str:
        self.labels += 1
        return f'".L{self.program.name}.{self.labels}"'

    def _slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def _take(self, name: str) -> int:
        if not self.free:
            raise NotPrintableError("more values than registers")
        register = self.registers[name] = self.free.pop(0)
        return register

    def _fresh(self, name: str, type_: ValueType) -> str:
        return register_name(self._take(name), type_)

    def _release(self, name: str) -> None:
        if name in self.registers:
            self.free.append(self.registers.pop(name))

    def _source(self, value: Value) -> str:
        """An operand that may stand in memory."""
        address = self.inside.pop(value.name, None)
        return self._operand(value) if address is None else self._memory(address)

    def _operand(self, value: Value) -> str:
        return register_name(self.registers[value.name], value.type)

    def _mask(self, active: Affine | None, type_: ValueType) -> str | None:
        if active is None:
            return None
        if not active.is_constant or self.target.vector_bits < 512 or type_.lanes == 1:
            raise NotPrintableError(f"a mask of {active} lanes")
        if active.constant not in self.masks and len(self.masks) == _MASKS:
            raise NotPrintableError("more masks than registers for them")
        return self.masks.setdefault(active.constant, f"k{len(self.masks) + 1}")

    def _check_contiguous(self, address: Address, type_: ValueType) -> None:
        if type_.lanes > 1 and address.along != 1:
            raise NotPrintableError("vectors whose lanes are not contiguous")
        if not type_.element.is_float:
            raise NotPrintableError(f"values of type {type_}")

    def _memory(self, address: Address) -> str:
        key, displacement = self.scope.linear(address, self.strides)
        variable, ahead = self.shift
        displacement += ahead * dict(key[1]).get(variable, 0)
        pointer = self._pointer(key)
        index = f",%{_COUNTER}" if pointer in self.indexed else ""
        return f"{fitting(displacement)}(%{pointer}{index})"

    def _pointer(self, key: Key, inner: bool = False) -> str:
        """The register that points there; outside of innermost loops the oldest makes room."""
        if key in self.pointers:
            return self.pointers[key]
        if self.shift[0]:
            raise NotPrintableError("an address in an innermost loop that comes from outside")
        unused = [register for register in _POINTERS if register not in self.pointers.values()]
        if not unused:
            if inner:
                raise NotPrintableError("more pointers than registers")
            unused = [self.pointers.pop(next(iter(self.pointers)))]
        register = self.pointers[key] = unused[0]
        scope = self.scope.outer if inner else self.scope
        assert scope is not None
        self._emit(f"movq {8 * self._place(scope.restricted(key))}(%rsp), %{register}")
        return register


_NO_STACK = '.section ".note.GNU-stack","",@progbits'
