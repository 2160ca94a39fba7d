"""Reductions along a vector loop: of integers, and of others where the caller permits another order of summation.

    VECTOR j: s = s + x[j] * y[j]
    ->  acc = 0 in all lanes;  VECTOR j: acc = acc + x[j] * y[j], lane by lane;  s = s + (sum of the lanes)

Accumulators are local arrays of one vector each; register promotion makes values of them, and the arrays vanish.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import I32, I64, Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Storage
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.planning.emitter import Emitter
from polyloop.backend.planning.values import as_extremum


def reduction_operator(compute: Compute) -> str | None:
    """ "+", "*", "&", "|", "^", "min" or "max" if the Compute is ``target = target op e`` with an e that does not read
    the target's array."""
    target = compute.target
    operator: str
    match _without_wrapping(compute.value):
        case e.Binary("+" | "*" | "&" | "|" | "^" as sign, left, right, _):
            operator = sign
            sides = (left, right) if _is_read(left, target) else (right, left)
        case e.Binary("-", left, right, _):
            operator, sides = "+", (left, right)
        case e.Select() as choice if (extremum := as_extremum(choice)) is not None:
            operator, left, right = extremum
            sides = (left, right) if _is_read(left, target) else (right, left)
        case _:
            return None
    own, other = sides
    if not _is_read(own, target) or any(read.access.array == target.array for read in e.reads(other)):
        return None
    return operator


def is_exact(compute: Compute) -> bool:
    """Whether folding in any order gives the same bits: integers, whose sums and products wrap."""
    return not compute.value.type.is_float and reduction_operator(compute) is not None


def _without_wrapping(value: Expression) -> Expression:
    """A signed operation that is done in the unsigned type as the signed operation that it stands for."""
    match value:
        case e.Cast(e.Binary(sign, e.Cast(left, wide), e.Cast(right, _), _), type_) if (
            not type_.is_float and left.type == right.type == type_ and wide == _unsigned(type_)
        ):
            return e.Binary(sign, left, right, type_)
        case _:
            return value


def _unsigned(type_: ScalarType) -> ScalarType:
    return type_ if type_.is_float else ScalarType("uint", type_.bits)


def _is_read(node: Expression, access: Access) -> bool:
    return isinstance(node, e.Read) and node.access == access


@dataclass
class Accumulators:
    """The accumulators of one vector loop: one for each target address and number of lanes."""

    emit: Emitter
    arrays: list[ArraySpec]
    _made: dict[tuple[v.Address, int], tuple[str, str, ScalarType]] = field(default_factory=dict)

    def address(self, target: v.Address, operator: str, element: ScalarType, lanes: int) -> v.Address:
        """Where the accumulator of a target lives."""
        key = target, lanes
        if key not in self._made:
            name = self.emit.names.fresh("acc")
            self.emit.names.taken.add(name)
            self.arrays.append(ArraySpec(name, element, (affine(lanes),), Storage.LOCAL, scratch=True))
            self._made[key] = name, operator, element
        return _lanes_of(self._made[key][0])

    def store(self, address: v.Address, value: v.Value, active: Affine | None) -> None:
        """The next value of an accumulator; lanes that are masked off keep theirs."""
        if active is not None:
            lanes = value.type.lanes
            number = self.emit.let(v.IndexValue(affine(0), 1, ValueType(I64, lanes)))
            limit = self.emit.let(v.IndexValue(active, 0, ValueType(I64)))
            counts = self.emit.test("<", number, limit, I32)
            value = self.emit.pick(counts, value, self.emit.let(v.Load(address, value.type)))
        self.emit.append(v.Store(address, value))

    def begin(self) -> None:
        """Set every accumulator to what changes nothing: 0, 1, or the target itself where that is neutral."""
        for (target, lanes), (name, operator, element) in self._made.items():
            vector = ValueType(element, lanes)
            if operator in ("min", "max", "&", "|"):
                first = self.emit.widen(self.emit.let(v.Load(target, ValueType(element))), lanes)
            else:
                neutral = int(operator == "*")
                first = self.emit.constant(float(neutral) if element.is_float else neutral, vector)
            self.emit.append(v.Store(_lanes_of(name), first))

    def finish(self) -> None:
        """Fold the lanes into the targets."""
        for (target, lanes), (name, operator, element) in self._made.items():
            wide = _unsigned(element) if operator in ("+", "*") else element
            vector = self.emit.convert(self.emit.let(v.Load(_lanes_of(name), ValueType(element, lanes))), wide)
            folded = self.emit.let(v.Horizontal(operator, vector, ValueType(wide)))
            before = self.emit.convert(self.emit.let(v.Load(target, ValueType(element))), wide)
            whole = self.emit.arithmetic(operator, before, folded)
            self.emit.append(v.Store(target, self.emit.convert(whole, element)))


def _lanes_of(name: str) -> v.Address:
    return v.Address(name, (affine(0),), (1,))
