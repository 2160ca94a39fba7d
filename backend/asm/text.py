"""Words of x86-64 assembly: registers and instructions by type, numbers that fit."""

from __future__ import annotations

from polyloop.backend.ir.vector_program import ValueType

_LETTERS = {128: "x", 256: "y", 512: "z"}
_LARGEST = 2**31 - 1
_PASSED = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")  # arguments of a C function, those behind them on the stack
THREE_OPERANDS = {"+": "vadd", "-": "vsub", "*": "vmul", "/": "vdiv", "min": "vmin", "max": "vmax"}


class NotPrintableError(Exception):
    """The program is none of those that this printer takes; the message says what is in the way."""


def refuse(what: str) -> int:
    raise NotPrintableError(what)


def fitting(number: int) -> int:
    return number if abs(number) <= _LARGEST else refuse("an array too large for displacements")


def register_name(register: int, type_: ValueType) -> str:
    bits = type_.element.bits * type_.lanes
    if type_.lanes == 1:
        return f"%xmm{register}"
    if bits not in _LETTERS:
        raise NotPrintableError(f"vectors of {bits} bits")
    return f"%{_LETTERS[bits]}mm{register}"


def suffix(type_: ValueType) -> str:
    return ("s" if type_.lanes == 1 else "p") + ("s" if type_.element.bits == 32 else "d")


def move(type_: ValueType) -> str:
    return f"vmov{suffix(type_)}" if type_.lanes == 1 else f"vmovu{suffix(type_)}"


def broadcast(type_: ValueType) -> str:
    if type_.lanes == 1:
        return move(type_)
    if type_.element.bits == 64 and type_.lanes == 2:
        return "vmovddup"
    return "vbroadcastss" if type_.element.bits == 32 else "vbroadcastsd"


def of_arguments(function: str, count: int, called: str) -> list[str]:
    """A function for callers from C: the addresses that they pass become the slots of the function at a label."""
    name, frame = f'"{function}"', 8 * count + 8 * (count % 2 == 0)  # the stack stays aligned to 16 bytes
    lines = [f".globl {name}", f".type {name},@function", f"{name}:", f"subq ${frame}, %rsp"]
    lines += [f"movq %{register}, {8 * n}(%rsp)" for n, register in enumerate(_PASSED[:count])]
    for n in range(len(_PASSED), count):
        lines += [f"movq {frame + 8 + 8 * (n - len(_PASSED))}(%rsp), %rax", f"movq %rax, {8 * n}(%rsp)"]
    return [*lines, "movq %rsp, %rdi", f"call {called}", f"addq ${frame}, %rsp", "retq", f".size {name}, .-{name}"]
