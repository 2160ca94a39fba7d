"""Integers in lanes as narrow as their values allow.

C computes with bytes and shorts as int; a vector of ints has half as many lanes as one of shorts. Where every value on
the way lies in the range of short, so that nothing wraps in either type, it is computed as short:

    VECTOR x:  d[x] = (u8)((i32)a[x] + (i32)b[x] >> 1)   ->   VECTOR x:  d[x] = (u8)((i16)a[x] + (i16)b[x] >> 1)

Local arrays whose values are that small become short, too. A loop is changed only if all of it gets narrower.

References:
    Stephenson, Babb and Amarasinghe, "Bitwidth Analysis with Application to Silicon Compilation", PLDI 2000.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import I16, Expression, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Loop, LoopKind, LoopNest, Node, Storage, map_children
from polyloop.backend.planning.vectors import computes, widest_lane


class Interval(NamedTuple):
    """The integers from `low` to `high`."""

    low: int
    high: int

    def holds(self, other: Interval) -> bool:
        return self.low <= other.low and other.high <= self.high


def narrowed(nest: LoopNest) -> LoopNest:
    """The nest with such loops narrowed; the same object where there are none."""
    if not any(_is_wide_vector(node) for node in _loops(nest.body)):
        return nest
    values = _Values()
    arrays = tuple(_with_values(nest, array, values) for array in nest.arrays)
    narrow = _Narrowing(values, frozenset(a.name for a, old in zip(arrays, nest.arrays, strict=True) if a != old))
    body = narrow.node(nest.body)
    return replace(nest, arrays=arrays, body=body) if narrow.gained else nest


def _loops(node: Node) -> list[Loop]:
    found: list[Loop] = []

    def visit(inner: Node) -> Node:
        if isinstance(inner, Loop):
            found.append(inner)
        return map_children(inner, visit)

    visit(node)
    return found


def _is_wide_vector(loop: Loop) -> bool:
    """Whether the loop has lanes of ints and reads, or writes, something narrower."""
    if loop.kind is not LoopKind.VECTOR or widest_lane(loop) != 32:
        return False
    return all(
        not node.type.is_float for c in computes(loop.body) for node in (c.value, *e.walk_values(c.value))
    ) and any(node.type.bits < 16 for c in computes(loop.body) for node in e.walk_values(c.value))


def _with_values(nest: LoopNest, array: ArraySpec, values: _Values) -> ArraySpec:
    """A local array as short, if what is written to it fits; its values become known."""
    if array.storage is not Storage.LOCAL or array.type.is_float or array.type.bits <= 16:
        return array
    written = [values.of(c.value) for c in computes(nest.body) if c.target.array == array.name]
    if not written:
        return array
    whole = Interval(min(x.low for x in written), max(x.high for x in written))
    if not _range(I16).holds(whole):
        return array
    values.known[array.name] = whole
    return replace(array, type=I16)


@dataclass
class _Values:
    """What values expressions may have.

    Attributes:
        known: of local arrays that were looked at.
    """

    known: dict[str, Interval] = field(default_factory=dict)
    _found: dict[int, tuple[Expression, Interval]] = field(default_factory=dict)  # by identity, while it lives

    def of(self, node: Expression) -> Interval:
        """The smallest interval that is seen to hold the values of an integer expression."""
        if id(node) not in self._found:
            whole = _range(node.type)
            exact = self._exact(node)
            self._found[id(node)] = node, exact if exact is not None and whole.holds(exact) else whole
        return self._found[id(node)][1]

    def _exact(self, node: Expression) -> Interval | None:
        """Of the numbers before they wrap; None for any."""
        match node:
            case e.Literal(int() as value, _):
                return Interval(value, value)
            case e.Read(access, _):
                return self.known.get(access.array)
            case e.Comparison() | e.Logical() | e.Unary("!"):
                return Interval(0, 1)
            case e.Cast(operand, _) if not operand.type.is_float:
                return self.of(operand)
            case e.Unary("-", operand, _):
                low, high = self.of(operand)
                return Interval(-high, -low)
            case e.Select(_, then, otherwise, _):
                first, second = self.of(then), self.of(otherwise)
                return Interval(min(first.low, second.low), max(first.high, second.high))
            case e.Binary("+" | "-" | "*" | ">>" as sign, left, right, _):
                return _combined(sign, self.of(left), self.of(right))
            case _:
                return None


def _combined(sign: str, left: Interval, right: Interval) -> Interval | None:
    match sign:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
        case "*":
            ends = [a * b for a in left for b in right]
            return Interval(min(ends), max(ends))
    if right.low < 0 or right.high > 15:
        return None
    ends = [a >> b for a in left for b in right]
    return Interval(min(ends), max(ends))


def _range(type_: ScalarType) -> Interval:
    """Of the type's numbers."""
    if type_.kind == "uint":
        return Interval(0, (1 << type_.bits) - 1)
    return Interval(-(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1)


@dataclass
class _Narrowing:
    """Rewrites loops; `short`: arrays that have become so."""

    values: _Values
    short: frozenset[str]
    gained: bool = False

    def node(self, node: Node) -> Node:
        if isinstance(node, Compute):
            return self._compute(node, narrow=False)
        if isinstance(node, Loop) and _is_wide_vector(node):
            small = replace(node, body=self._inside(node.body))
            if widest_lane(small) < widest_lane(node):
                self.gained = True
                return small
        return map_children(node, self.node)

    def _inside(self, node: Node) -> Node:
        return self._compute(node, narrow=True) if isinstance(node, Compute) else map_children(node, self._inside)

    def _compute(self, compute: Compute, narrow: bool) -> Compute:
        value = self._value(compute.value) if narrow else self._read_anew(compute.value)
        if compute.target.array not in self.short:
            return replace(compute, value=value)
        match compute.choice, value:
            case e.Select(), e.Select(condition, then, _, _):
                kept = e.Read(compute.target, I16)
                return replace(compute, value=e.Select(condition, _cast(then, I16), kept, I16))
        return replace(compute, value=_cast(value, I16))

    def _read_anew(self, value: Expression) -> Expression:
        """The same value, read from arrays that have become short."""
        return e.rewrite(value, lambda x: _cast(e.Read(x.access, I16), x.type) if self._is_short(x) else x)  # type: ignore[union-attr]

    def _is_short(self, node: Expression) -> bool:
        return isinstance(node, e.Read) and node.access.array in self.short

    def _value(self, node: Expression) -> Expression:
        """The same value of the same type, computed in short as far as that is possible."""
        if not node.type.is_float and not isinstance(node, e.Comparison | e.Logical | e.Literal):
            small = self._small(node.operand if isinstance(node, e.Cast) else node)
            if small is not None and (not isinstance(node, e.Read) or self._is_short(node)):
                return _cast(small, node.type)
        match node:
            case e.Comparison(operator, left, right):
                first, second = self._small(left), self._small(right)
                if first is not None and second is not None:
                    return e.Comparison(operator, first, second)
            case e.Read():
                return node
        return e.with_children(node, tuple(map(self._value, e.children(node))))

    def _small(self, node: Expression) -> Expression | None:
        """The same number as a short; None where it may not be one, or not all on the way to it."""
        if node.type.is_float or not _range(I16).holds(self.values.of(node)):
            return None
        match node:
            case e.Literal(value, _):
                return e.Literal(value, I16)
            case e.Read(access, type_):
                return e.Read(access, I16) if access.array in self.short else _cast(node, I16)
            case e.Cast(operand, type_) if not operand.type.is_float:
                small = self._small(operand)
                if small is None or _range(type_).holds(self.values.of(operand)):
                    return small
                return _cast(_cast(small, type_), I16)
            case e.Unary("-", operand, _):
                small = self._small(operand)
                return None if small is None else e.Unary("-", small, I16)
            case e.Binary("+" | "-" | "*" | ">>" as sign, left, right, _):
                first, second = self._small(left), self._small(right)
                return None if first is None or second is None else e.Binary(sign, first, second, I16)
            case e.Select(condition, then, otherwise, _):
                first, second = self._small(then), self._small(otherwise)
                if first is None or second is None:
                    return None
                return e.Select(self._value(condition), first, second, I16)
            case _:
                return None


def _cast(node: Expression, type_: ScalarType) -> Expression:
    """The number in another type; there and back again is the number itself."""
    if isinstance(node, e.Cast) and node.operand.type == type_ and _range(node.type).holds(_range(type_)):
        return node.operand
    return node if node.type == type_ else e.Cast(node, type_)
