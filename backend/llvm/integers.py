"""Affine integers, conditions and addresses as LLVM IR text, each instruction as far out as its operands allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from math import prod

from polyloop.backend.ir.affine import (
    Affine,
    And,
    Atom,
    Choose,
    Compare,
    Condition,
    FloorDiv,
    Indirect,
    Max,
    Min,
    Not,
    Or,
    affine,
    substitute_condition,
)
from polyloop.backend.ir.expressions import ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.backend.ir.vector_program import Address

# --- Scopes -----------------------------------------------------------------------------------------------------------
# Where instructions go while LLVM IR is printed: nested scopes, with hoisting and value numbering of pure arithmetic.
#
# Explicit SIMD programs are compiled without LLVM's optimizer. What it would do for address arithmetic is done here,
# while printing: an integer instruction is placed in the outermost scope in which its operands exist, once.


@dataclass
class Scope:
    """The straight line of code of one region: the function, a loop's body, one side of a conditional.

    Inner regions are appended as a whole when they are finished, so what is added to an outer scope in the meantime
    comes before them. `block` is the label of the basic block that is open at the end of `lines`; `innermost`: the body
    of a loop without loops inside.
    """

    depth: int
    block: str
    innermost: bool = False
    lines: list[str] = field(default_factory=list)
    memo: dict[str, str] = field(default_factory=dict)


class Scopes:
    """The stack of open scopes of one function."""

    def __init__(self) -> None:
        self._stack = [Scope(0, "entry")]
        self._depths: dict[str, int] = {}
        self._count = 0

    @property
    def current(self) -> Scope:
        return self._stack[-1]

    @property
    def outermost(self) -> Scope:
        return self._stack[0]

    def fresh(self, stem: str) -> str:
        """A new name, of this function only."""
        self._count += 1
        return f"{stem}.{self._count}"

    def depth(self, operand: str) -> int:
        """How deep the scope lies in which a value is defined; 0 for constants and arguments."""
        return self._depths.get(operand, 0)

    def define(self, name: str) -> str:
        """Note that `name` is defined in the current scope."""
        self._depths[name] = self.current.depth
        return name

    def line(self, text: str) -> None:
        """An instruction without a result, here."""
        self.current.lines.append(f"  {text}")

    def emit(self, text: str, stem: str = "%t") -> str:
        """An instruction with a result, here."""
        name = self.define(self.fresh(stem))
        self.current.lines.append(f"  {name} = {text}")
        return name

    def pure(self, text: str, operands: Iterable[str], stem: str = "%x") -> str:
        """An instruction without effects that never traps: as far out as its operands allow, and only once."""
        scope = self._stack[max((self.depth(o) for o in operands), default=0)]
        return scope.memo.get(text) or self._added(scope, text, stem)

    def near(self, text: str, operands: Iterable[str], stem: str = "%x") -> str:
        """As `pure`, but no farther out than in front of an innermost loop: what takes a register that is dear should
        not take it for long."""
        least = max((self.depth(o) for o in operands), default=0)
        known = next((s.memo[text] for s in reversed(self._stack[least:]) if text in s.memo), None)
        scope = self._stack[max(least, len(self._stack) - (2 if self.current.innermost else 1))]
        return known or self._added(scope, text, stem)

    def _added(self, scope: Scope, text: str, stem: str) -> str:
        name = scope.memo[text] = self.fresh(stem)
        self._depths[name] = scope.depth
        scope.lines.append(f"  {name} = {text}")
        return name

    def behind(self, operand: str, text: str) -> None:
        """An instruction without a result, in the scope in which the operand is defined."""
        self._stack[self.depth(operand)].lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """End the open block of the current scope (its terminator stands) and begin another."""
        self.current.lines.append(f"{name}:")
        self.current.block = name

    @contextmanager
    def nested(self, block: str, innermost: bool = False) -> Iterator[Scope]:
        """A scope inside of the current one, beginning with this block; the caller places its lines."""
        scope = Scope(self.current.depth + 1, block, innermost)
        self._stack.append(scope)
        try:
            yield scope
        finally:
            self._stack.pop()


# --- Integers (I64 arithmetic) ----------------------------------------------------------------------------------------


def scalar_text(type_: ScalarType) -> str:
    """LLVM's name of a scalar type."""
    return {32: "float", 64: "double"}[type_.bits] if type_.is_float else f"i{type_.bits}"


class IntegerPrinter:
    """Spells integers of one function.

    Attributes:
        variables: the operand that holds each loop variable, parameter and bound name.
        aliases: variables that stand for an affine form of others (copies of an unrolled body).
        pointers: the base address of each array.
    """

    def __init__(self, scopes: Scopes, arrays: Mapping[str, ArraySpec], one_offset: bool) -> None:
        self.scopes = scopes
        self.arrays = arrays
        self.variables: dict[str, str] = {}
        self.aliases: dict[str, Affine] = {}
        self.pointers: dict[str, str] = {}
        self._one_offset = one_offset
        self._strides: dict[str, list[str]] = {}

    # --- integers -----------------------------------------------------------------------------------------------------

    def integer(self, value: Affine) -> str:
        """The operand that holds an affine value."""
        value = value.substitute(self.aliases)
        return self._sum([(self._atom(atom), c) for atom, c in value.terms], value.constant)

    def condition(self, condition: Condition) -> str:
        """The operand (i1) that holds a condition."""
        return self._condition(substitute_condition(condition, self.aliases))

    def multiply(self, left: str, right: str) -> str:
        if left.isdigit() and right.isdigit():
            return str(int(left) * int(right))
        if "1" in (left, right):
            return right if left == "1" else left
        return self.scopes.pure(f"mul nsw i64 {left}, {right}", (left, right))

    def _sum(self, terms: list[tuple[str, int]], constant: int) -> str:
        """Outer variables first, so that the part of the sum that does not change in a loop is computed before it."""
        total = ""
        for operand, coefficient in sorted(terms, key=lambda term: self.scopes.depth(term[0])):
            if total and coefficient < 0:
                part = self.multiply(operand, str(-coefficient))
                total = self.scopes.pure(f"sub nsw i64 {total}, {part}", (total, part))
                continue
            part = operand if coefficient == 1 else self.multiply_constant(operand, coefficient)
            total = self.scopes.pure(f"add nsw i64 {total}, {part}", (total, part)) if total else part
        if not total:
            return str(constant)
        return self.scopes.pure(f"add nsw i64 {total}, {constant}", (total,)) if constant else total

    def multiply_constant(self, operand: str, factor: int) -> str:
        return self.scopes.pure(f"mul nsw i64 {operand}, {factor}", (operand,))

    def _atom(self, atom: Atom) -> str:
        match atom:
            case str():
                return self.variables[atom]
            case FloorDiv(dividend, divisor):
                return self._floor_division(self.integer(dividend), divisor)
            case Min(operands) | Max(operands):
                name = "smin" if isinstance(atom, Min) else "smax"
                best, *rest = sorted(map(self.integer, operands), key=self.scopes.depth)
                for operand in rest:
                    best = self.scopes.pure(f"call i64 @llvm.{name}.i64(i64 {best}, i64 {operand})", (best, operand))
                return best
            case Choose(condition, then, otherwise):
                return self._select(self._condition(condition), self.integer(then), self.integer(otherwise))
            case Indirect():
                raise TypeError(f"{atom} is bound to a name before it is printed")

    def _select(self, condition: str, then: str, otherwise: str) -> str:
        return self.scopes.pure(f"select i1 {condition}, i64 {then}, i64 {otherwise}", (condition, then, otherwise))

    def _floor_division(self, dividend: str, divisor: int) -> str:
        pure = self.scopes.pure
        if divisor & (divisor - 1) == 0:
            return pure(f"ashr i64 {dividend}, {divisor.bit_length() - 1}", (dividend,))
        quotient = pure(f"sdiv i64 {dividend}, {divisor}", (dividend,))
        product = pure(f"mul nsw i64 {quotient}, {divisor}", (quotient,))
        rest = pure(f"sub nsw i64 {dividend}, {product}", (dividend, product))
        borrow = pure(f"ashr i64 {rest}, 63", (rest,))
        return pure(f"add nsw i64 {quotient}, {borrow}", (quotient, borrow))

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Compare(left, operator):
                operand = self.integer(left - left.constant)
                name = "sge" if operator == ">=" else "eq"
                return self.scopes.pure(f"icmp {name} i64 {operand}, {-left.constant}", (operand,))
            case And(operands):
                return self._fold("and", "true", [self._condition(o) for o in operands])
            case Or(operands):
                return self._fold("or", "false", [self._condition(o) for o in operands])
            case Not(operand):
                inner = self._condition(operand)
                return self.scopes.pure(f"xor i1 {inner}, true", (inner,))

    def _fold(self, name: str, neutral: str, operands: list[str]) -> str:
        if not operands:
            return neutral
        total, *rest = sorted(operands, key=self.scopes.depth)
        for operand in rest:
            total = self.scopes.pure(f"{name} i1 {total}, {operand}", (total, operand))
        return total

    # --- addresses ----------------------------------------------------------------------------------------------------

    def extent(self, extent: Affine | None) -> str:
        return self.integer(extent if extent is not None else affine(1))

    def strides(self, spec: ArraySpec) -> list[str]:
        """Elements between neighbours along each subscript, row-major: the first extent plays no part."""
        known = self._strides.get(spec.name)
        if known is None:
            known = ["1"]
            for extent in reversed(spec.shape[1:] if spec.strides is None else ()):
                known.append(self.multiply(known[-1], self.extent(extent)))
            # They are made of parameters, so these operands stand in the outermost scope, for good.
            known = known[::-1][len(known) - len(spec.shape) :]
            if spec.strides is not None:
                known = list(map(self._polynomial, spec.strides))
            self._strides[spec.name] = known
        return known

    def _polynomial(self, value: Polynomial) -> str:
        products = [(reduce(self.multiply, map(self._atom, names)), factor) for names, factor in value if names]
        return self._sum(products, sum(factor for names, factor in value if not names))

    def pointer(self, address: Address, lane: int = 0) -> str:
        """The address of one lane, as a pointer operand."""
        spec = self.arrays[address.array]
        subscripts = [
            (s + lane * step).substitute(self.aliases)
            for s, step in zip(address.subscripts, address.lane_strides, strict=True)
        ]
        constant, terms = self._offset(subscripts, self.strides(spec))
        base, element = self.pointers[address.array], scalar_text(spec.type)
        if self._one_offset:
            offset = self._sum(terms, constant)
            if offset == "0":
                return base
            return self.scopes.pure(f"getelementptr inbounds {element}, ptr {base}, i64 {offset}", (base, offset))
        # One step for each loop level, from the outside in; a partial address may lie outside of the array, so
        # these steps promise nothing. The constant comes last: it becomes the displacement of an instruction.
        levels: dict[int, list[tuple[str, int]]] = {}
        for term in terms:
            levels.setdefault(self.scopes.depth(term[0]), []).append(term)
        for _, level in sorted(levels.items()):
            offset = self._sum(level, 0)
            base = self.scopes.pure(f"getelementptr {element}, ptr {base}, i64 {offset}", (base, offset))
        if constant:
            base = self.scopes.pure(f"getelementptr {element}, ptr {base}, i64 {constant}", (base,))
        return base

    def lane_stride(self, address: Address) -> str:
        """Elements from one lane to the next, for addresses that are not contiguous."""
        terms = [
            (stride, step)
            for stride, step in zip(self.strides(self.arrays[address.array]), address.lane_strides, strict=True)
            if step
        ]
        constant = sum(int(stride) * step for stride, step in terms if stride.isdigit())
        return self._sum([(stride, step) for stride, step in terms if not stride.isdigit()], constant)

    def elements(self, spec: ArraySpec) -> str:
        """How many elements the array has."""
        if all(e is not None and e.is_constant for e in spec.shape):
            return str(prod(e.constant for e in spec.shape if e is not None))
        total = "1"
        for extent in spec.shape:
            total = self.multiply(total, self.extent(extent))
        return total

    def _offset(self, subscripts: list[Affine], strides: list[str]) -> tuple[int, list[tuple[str, int]]]:
        """The element offset, as a constant and operands with coefficients."""
        fixed = Affine()
        terms: list[tuple[str, int]] = []
        for subscript, stride in zip(subscripts, strides, strict=True):
            if stride.isdigit():
                fixed = fixed + subscript * int(stride)
                continue
            if subscript.constant:
                terms.append((stride, subscript.constant))
            terms += [(self.multiply(self._atom(atom), stride), c) for atom, c in subscript.terms]
        terms += [(self._atom(atom), c) for atom, c in fixed.terms]
        return fixed.constant, terms
