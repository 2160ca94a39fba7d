"""Integers in lanes as narrow as their values allow.

C computes with bytes and shorts as int; a vector of ints has half as many lanes as one of shorts. Where every value on
the way lies in the range of short, so that nothing wraps in either type, it is computed as short; where only the last
bits of a sum or product count, it is computed from the last bits of its operands, whatever wraps:

    VECTOR x:  d[x] = (u8)((i32)a[x] + (i32)b[x] >> 1)   ->   VECTOR x:  d[x] = (u8)((i16)a[x] + (i16)b[x] >> 1)
    VECTOR x:  d[x] = (u8)((i32)a[x] + (i32)b[x])        ->   VECTOR x:  d[x] = a[x] + b[x]

So it is with bytes, of which twice as many fit. Local arrays whose values are that small become narrow, too. A loop is
changed only if all of it gets narrower.

References:
    Stephenson, Babb and Amarasinghe, "Bitwidth Analysis with Application to Silicon Compilation", PLDI 2000.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import I8, I16, U8, U16, Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Compute,
    Loop,
    LoopKind,
    LoopNest,
    Node,
    Storage,
    map_children,
    walk,
)
from polyloop.backend.ir.ranges import Known, Range, fits, value_bounds, value_range
from polyloop.backend.planning.lanes import computes, is_fixed, widest_lane


def narrowed(nest: LoopNest) -> LoopNest:
    """The nest with such loops narrowed; the same object where there are none."""
    if not any(isinstance(node, Loop) and _is_wide_vector(node) for node in walk(nest.body)):
        return nest
    limits: dict[str, Range] = {}
    for array in nest.arrays:
        if array.values is not None and not array.type.is_float:
            numbers = [int(literal.value) for literal in array.values]
            limits[array.name] = min(numbers), max(numbers)
    known = Known(lambda access: limits.get(access.array))
    arrays = tuple(_with_values(nest, array, limits, known) for array in nest.arrays)
    small = {a.name: a.type for a, old in zip(arrays, nest.arrays, strict=True) if a != old}
    narrow = _Narrowing(known, small)
    body = narrow.node(nest.body)
    return replace(nest, arrays=arrays, body=body) if narrow.gained else nest


def _is_wide_vector(loop: Loop) -> bool:
    """Whether the loop has lanes of ints and reads, or writes, something narrower."""
    if loop.kind is not LoopKind.VECTOR or widest_lane(loop) != 32:
        return False
    return all(
        not node.type.is_float for c in computes(loop.body) for node in (c.value, *e.walk_values(c.value))
    ) and any(node.type.bits < 16 for c in computes(loop.body) for node in e.walk_values(c.value))


def _with_values(nest: LoopNest, array: ArraySpec, limits: dict[str, Range], known: Known) -> ArraySpec:
    """A local array as short, or of bytes, if what is written to it fits; its values become known."""
    if array.storage is not Storage.LOCAL or array.type.is_float or array.type.bits <= 16:
        return array
    written = [value_bounds(c.value, known) for c in computes(nest.body) if c.target.array == array.name]
    if not written:
        return array
    whole = min(low for low, _ in written), max(high for _, high in written)
    small = next((type_ for type_ in (I8, I16) if fits(whole, type_)), None)
    if small is None:
        return array
    limits[array.name] = whole
    return replace(array, type=small)


_RING = frozenset("+-*&|^")
"""Operators whose last bits follow from the last bits of their operands."""

_OF_BYTES = frozenset("+-&|^")
"""Operators that processors have for lanes of bytes."""


@dataclass
class _Narrowing:
    """Rewrites loops.

    Attributes:
        known: of local arrays that were looked at.
        small: arrays that have become narrow, and their types.
        signed, unsigned: what the loop at hand is computed in.
    """

    known: Known
    small: dict[str, ScalarType]
    gained: bool = False
    signed: ScalarType = I16
    unsigned: ScalarType = U16
    _known: dict[tuple[int, ScalarType | int], Expression | None] = field(default_factory=dict)  # of the loop's values
    _fixed: frozenset[Access] = frozenset()  # what the loop's iterations read the same of
    _made: list[Expression] = field(default_factory=list)  # what lives as long as its identity is known

    def node(self, node: Node) -> Node:
        if isinstance(node, Compute):
            return self._compute(node, narrow=False)
        if isinstance(node, Loop) and _is_wide_vector(node):
            found = [*computes(node)]
            written = {compute.target.array for compute in found}
            read = {read.access for compute in found for read in e.reads(compute.value)}
            self._fixed = frozenset(access for access in read if is_fixed(access, node, written))
            for self.signed, self.unsigned in ((I8, U8), (I16, U16)):
                self._known.clear()
                changed = replace(node, body=self._inside(node.body))
                if widest_lane(changed) <= self.signed.bits:
                    self.gained = True
                    return changed
        return map_children(node, self.node)

    def _inside(self, node: Node) -> Node:
        return self._compute(node, narrow=True) if isinstance(node, Compute) else map_children(node, self._inside)

    def _compute(self, compute: Compute, narrow: bool) -> Compute:
        value = self._value(compute.value) if narrow else self._read_anew(compute.value)
        type_ = self.small.get(compute.target.array)
        if type_ is None:
            return replace(compute, value=value)
        match compute.choice, value:
            case e.Select(), e.Select(condition, then, _, _):
                kept = e.Read(compute.target, type_)
                return replace(compute, value=e.Select(condition, _cast(then, type_), kept, type_))
        return replace(compute, value=_cast(value, type_))

    def _read_anew(self, value: Expression) -> Expression:
        """The same value, read from arrays that have become narrow."""
        return e.rewrite(value, lambda x: _cast(self._read(x), x.type) if isinstance(x, e.Read) else x)

    def _read(self, node: e.Read) -> e.Read:
        return e.Read(node.access, self.small.get(node.access.array, node.type))

    def _value(self, node: Expression) -> Expression:
        """The same value of the same type, computed narrowly as far as that is possible."""
        match node:
            case e.Read():
                return _cast(self._read(node), node.type)
            case e.Literal():
                return node
            case e.Comparison() | e.Logical() | e.Unary("!"):
                return self._truth(node)
        if not node.type.is_float:
            small = self._exact(node) if node.type.bits > self.signed.bits else None
            if small is None and isinstance(node, e.Cast) and node.type.bits <= self.signed.bits:
                operand = _uncut(node.operand, node.type.bits)
                self._made.append(operand)
                small = self._exact(operand) or self._last_bits(operand, node.type.bits)
            if small is not None:
                return _cast(small, node.type)
        if isinstance(node, e.Select):
            then, otherwise = self._value(node.then), self._value(node.otherwise)
            return replace(node, condition=self._truth(node.condition), then=then, otherwise=otherwise)
        return e.with_children(node, tuple(map(self._value, e.children(node))))

    def _truth(self, node: Expression) -> Expression:
        """What is 0 where, and only where, the number is."""
        match node:
            case e.Comparison("!=", inner, e.Literal(0)) if e.is_truth(inner):
                return self._truth(inner)
            case e.Comparison(operator, left, right):
                for type_ in (self.signed, self.unsigned):
                    first, second = self._exact(left, type_), self._exact(right, type_)
                    if first is not None and second is not None:
                        return e.Comparison(operator, first, second)
                return e.with_children(node, (self._value(left), self._value(right)))
            case e.Logical(_, left, right):
                return e.with_children(node, (self._truth(left), self._truth(right)))
            case e.Unary("!", operand, type_):
                return e.Unary("!", self._truth(operand), type_)
            case e.Read():
                return self._read(node)
            case _:
                return self._exact(node) or self._value(node)

    def _exact(self, node: Expression, type_: ScalarType | None = None) -> Expression | None:
        """The same number in a type (one of the loop's two); None where it may not be one of its numbers, or cannot be
        computed there."""
        if type_ is None:
            return self._exact(node, self.signed) or self._exact(node, self.unsigned)
        if (id(node), type_) not in self._known:
            self._known[id(node), type_] = self._exactly(node, type_)
        return self._known[id(node), type_]

    def _exactly(self, node: Expression, type_: ScalarType) -> Expression | None:
        if node.type.is_float or not fits(value_bounds(node, self.known), type_):
            return None
        match node:
            case e.Literal(value, _):
                return e.Literal(value, type_)
            case e.Read():
                return _cast(self._read(node), type_)
            case e.Comparison() | e.Logical() | e.Unary("!"):
                return _cast(self._truth(node), type_)
            case e.Cast(operand, inner) if not operand.type.is_float and fits(value_bounds(operand, self.known), inner):
                return self._exact(operand, type_)
            case e.Binary(">>" | "/" | "%"):
                return self._shifted(node, type_)
            case e.Unary("-", operand, _) if type_.kind == "int":
                first = self._exact(operand, type_)
                if first is not None:
                    return e.Unary("-", first, type_)
            case e.Binary(sign, left, right, _) if sign in self._operators and sign in "+-*":
                first, second = self._exact(left, type_), self._exact(right, type_)
                if first is not None and second is not None:
                    return e.Binary(sign, first, second, type_)
            case e.Select(condition, then, otherwise, _):
                first, second = self._exact(then, type_), self._exact(otherwise, type_)
                if first is not None and second is not None:
                    return e.Select(self._truth(condition), first, second, type_, node.eager)
        last = self._last_bits(node)
        return None if last is None else _cast(last, type_)

    @property
    def _operators(self) -> frozenset[str]:
        return _RING if self.signed.bits > 8 else _OF_BYTES

    def _last_bits(self, node: Expression, bits: int = 0) -> Expression | None:
        """A number of the unsigned type that is the same in so many last bits, by default in all that the type has;
        None where that takes more of them."""
        bits = bits or self.unsigned.bits
        if (id(node), bits) not in self._known:
            self._known[id(node), bits] = self._last(node, self.unsigned, bits)
        return self._known[id(node), bits]

    def _last(self, node: Expression, type_: ScalarType, bits: int) -> Expression | None:
        match node:
            case e.Literal(value, kind) if not kind.is_float:
                return e.Literal(e.wrap_integer(int(value), type_), type_)
            case e.Read(access) if not node.type.is_float and (node.type.bits <= type_.bits or access in self._fixed):
                return _cast(self._read(node), type_)
            case e.Cast(operand, inner) if not operand.type.is_float and inner.bits >= bits:
                return self._last_bits(operand, bits)
            case e.Cast(operand, inner) if not operand.type.is_float:
                # What tests compute, is not computed twice.
                last = self._exact(operand) or self._last_bits(operand, inner.bits)
                return None if last is None else e.Cast(e.Cast(last, inner), type_)
            case e.Unary("-" | "~" as sign, operand, _):
                last = self._last_bits(operand, bits)
                return None if last is None else e.Unary(sign, last, type_)
            case e.Binary(sign, left, right, _) if sign in self._operators:
                first, second = self._last_bits(left, bits), self._last_bits(right, bits)
                return None if first is None or second is None else e.Binary(sign, first, second, type_)
            case e.Binary("<<", left, e.Literal(int() as by), _) if 0 <= by < type_.bits:
                last = self._last_bits(left, bits)
                return None if last is None else e.Binary("<<", last, e.Literal(by, type_), type_)
            case e.Select(condition, then, otherwise, _):
                first, second = self._last_bits(then, bits), self._last_bits(otherwise, bits)
                if first is not None and second is not None:
                    return e.Select(self._truth(condition), first, second, type_, node.eager)
            case e.Comparison() | e.Logical() | e.Unary("!"):
                return _cast(self._truth(node), type_)
            case e.Binary(">>" | "/" | "%" as sign, left, right) if not node.type.is_float:
                exact = self._shifted(node, self.signed) or self._shifted(node, self.unsigned)
                if exact is not None:
                    return _cast(exact, type_)
                match sign, right:
                    case ">>", e.Literal(int() as by) if 0 <= by <= type_.bits - bits:
                        last = self._last_bits(left, bits + by)
                        return None if last is None else e.Binary(">>", last, e.Literal(by, type_), type_)
        return None

    def _shifted(self, node: e.Binary, type_: ScalarType) -> Expression | None:
        """A number of which the last bits are dropped, or a quotient or its rest: all of it has to be there. Bytes
        without a sign are shifted as shorts, under a mask; there are no high halves of their products, of which
        compilers make divisions."""
        if (type_.bits == 8 and (node.operator, type_) != (">>", U8)) or not isinstance(node.right, e.Literal):
            return None
        least, most = (0, type_.bits - 1) if node.operator == ">>" else (1, value_range(type_)[1])
        if not least <= node.right.value <= most:
            return None
        left = self._exact(node.left, type_)
        return None if left is None else e.Binary(node.operator, left, e.Literal(node.right.value, type_), type_)


def exactly(node: Expression, *types: ScalarType) -> Expression | None:
    """The same number in the first of some types of 8 or 16 bits that has it, computed in such ones where that can be
    seen; None without one."""
    for type_ in types:
        bits = type_.bits
        lanes = _Narrowing(Known(), {}, signed=ScalarType("int", bits), unsigned=ScalarType("uint", bits))
        if (found := lanes._exact(node, type_)) is not None:
            return found
    return None


def _uncut(node: Expression, bits: int) -> Expression:
    """A number that is the same in so many last bits, without cutting off others."""
    match node:
        case e.Cast(e.Cast(operand, inner), type_) if operand.type == type_ and bits <= inner.bits < type_.bits:
            return node if type_.is_float or inner.is_float else _uncut(operand, bits)
        case e.Select(_, then, otherwise):
            return replace(node, then=_uncut(then, bits), otherwise=_uncut(otherwise, bits))
    return node


def _cast(node: Expression, type_: ScalarType) -> Expression:
    """The number in another type; there and back again is the number itself."""
    if isinstance(node, e.Cast) and node.operand.type == type_ and fits(value_range(type_), node.type):
        return node.operand
    return node if node.type == type_ else e.Cast(node, type_)
