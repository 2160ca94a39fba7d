"""Integers in assembly: values of variables that live on the stack, and what depends on them."""

from __future__ import annotations

from collections.abc import Mapping

from polyloop.backend.asm.text import NotPrintableError, fitting
from polyloop.backend.ir.affine import Affine, And, Compare, Condition, Max, Min

SCRATCH = "rax"
OTHERS = ("rcx", "rdx", "rsi")
"""Registers that computing an integer takes beside `SCRATCH`, where the result is."""


def integer(value: Affine, slots: Mapping[str, int]) -> list[str]:
    """Lines that compute the value.

    Args:
        slots: of the variables, in words above the stack pointer.
    Raises:
        NotPrintableError: for divisions and choices, and minima of such.
    """
    lines = _sum(value, SCRATCH, slots)
    for atom, coefficient in value.terms:
        if not isinstance(atom, Min | Max):
            continue
        best, other, scratch = OTHERS
        lines += _sum(atom.operands[0], best, slots, complete=True)
        for operand in atom.operands[1:]:
            lines += _sum(operand, other, slots, complete=True)
            lines.append(f"cmpq %{other}, %{best}")
            lines.append(f"cmov{'g' if isinstance(atom, Min) else 'l'}q %{other}, %{best}")
        lines += [f"imulq ${fitting(coefficient)}, %{best}, %{scratch}", f"addq %{scratch}, %{SCRATCH}"]
    return lines


def unless(condition: Condition, label: str, slots: Mapping[str, int]) -> list[str]:
    """Lines that jump to the label where the condition does not hold.

    Raises:
        NotPrintableError: for all but comparisons of integers that can be computed, and their conjunctions.
    """
    match condition:
        case Compare(left, operator):
            jump = "jl" if operator == ">=" else "jne"
            return [*integer(left, slots), f"testq %{SCRATCH}, %{SCRATCH}", f"{jump} {label}"]
        case And(operands):
            return [line for operand in operands for line in unless(operand, label, slots)]
        case _:
            raise NotPrintableError(f"the condition {condition}")


def _sum(value: Affine, register: str, slots: Mapping[str, int], *, complete: bool = False) -> list[str]:
    """The constant and all multiples of variables; `complete`: there may be nothing else in it."""
    lines = [f"movq ${fitting(value.constant)}, %{register}"]
    for atom, coefficient in value.terms:
        if isinstance(atom, str) and atom in slots:
            where, scratch = f"{8 * slots[atom]}(%rsp)", OTHERS[2]
            if coefficient == 1:
                lines.append(f"addq {where}, %{register}")
            else:
                lines.append(f"imulq ${fitting(coefficient)}, {where}, %{scratch}")
                lines.append(f"addq %{scratch}, %{register}")
        elif complete or not isinstance(atom, Min | Max):
            raise NotPrintableError(f"the integer {value}")
    return lines
