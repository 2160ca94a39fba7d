"""Sums of small integers, by groups of neighbouring lanes.

    VECTOR j:  s = s + (i32)a[j]                    bytes, which C adds as ints
    ->  acc = acc + (sums of eight bytes each);  s = s + (sum of the lanes)
    VECTOR j:  s = s + (i32)x[j] * (i32)y[j]        bytes or shorts
    ->  acc = acc + (sums of two products each);  s = s + (sum of the lanes)

Processors have instructions for such sums, which take a whole vector of bytes, or shorts, where the sum's own type has
a quarter, or half, as many lanes. What is added only has to fit: it is computed in bytes or shorts as
`polyloop.backend.planning.narrow` does it; sums of several terms are taken apart. Integers below zero are moved up by
half of their range first, which is taken off from the group's sum. Sums wrap, so their order does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import I8, I16, I32, I64, U8, U16, Expression, ScalarType
from polyloop.backend.ir.loop_nest import Compute, Loop
from polyloop.backend.planning.lanes import access_stride, chosen_sides, computes, element_types, gathered
from polyloop.backend.planning.narrow import exactly
from polyloop.backend.planning.values import Emitter, ValueLowering

LEAST_BYTES = 16
"""Of the vectors that have such instructions."""


@dataclass(frozen=True)
class GroupedTerm:
    """Something small that is added to, or taken off from, a sum.

    Attributes:
        adds: whether it is added.
        operator: of the group's sum, as of `polyloop.backend.ir.vector_program.GroupSum`.
        operands: two, of its type.
        moved: by how much each lane's share of the sum is too large.
    """

    adds: bool
    operator: str
    operands: tuple[Expression, Expression]
    moved: int = 0

    @property
    def element(self) -> ScalarType:
        return v.GROUPS[self.operator][0]


def grouped_bits(loop: Loop) -> int | None:
    """Of the lanes of a loop of which all statements are such sums of what lies side by side; None of others."""
    bits = 0
    for compute in computes(loop.body):
        for read in e.reads(compute.value):
            *outer, inner = access_stride(read.access, loop.variable) or (0,)
            if gathered(read.access, loop.variable) or any(outer) or abs(inner) > 1:
                return None
        terms = grouped_terms(compute)
        bits = max([bits, *(term.element.bits for term in terms)])
        if not terms:
            return None
    return bits or None


def grouped_terms(compute: Compute) -> tuple[GroupedTerm, ...]:
    """What a sum adds up, in terms that instructions sum by groups; () if they cannot."""
    if compute.conditional or compute.value.type.is_float or compute.value.type.bits < I32.bits:
        return ()
    sides = chosen_sides(compute)
    if sides is None or sides[0] not in "+-":
        return ()
    sign, added = sides
    found = [*_terms(added, sign == "+", added.type.bits)]
    terms = tuple(term for term in found if term is not None)
    return terms if len(terms) == len(found) else ()


def _terms(node: Expression, adds: bool, bits: int) -> Iterator[GroupedTerm | None]:
    """The terms of something of which the last so many bits count; None for one that is too wide."""
    while isinstance(node, e.Cast) and not node.operand.type.is_float and node.operand.type.bits >= bits:
        node = node.operand
    term = _term(node, adds, bits)
    match node:
        case e.Binary("+" | "-" as sign, left, right, type_) if term is None and type_.bits >= bits:
            yield from _terms(left, adds, bits)
            yield from _terms(right, adds == (sign == "+"), bits)
        case _:
            yield term


def _term(node: Expression, adds: bool, bits: int) -> GroupedTerm | None:
    pair = _apart(node)
    if pair is not None and (both := _both(pair, U8, I8)) is not None:
        first, second = (_moved(operand, U8) for operand in both)
        return _checked(GroupedTerm(adds, "-", (first, second)))
    if (byte := exactly(node, U8, I8)) is not None:
        moved = 128 if byte.type == I8 else 0
        return _checked(GroupedTerm(adds, "-", (_moved(byte, U8), e.Literal(0, U8)), moved))
    if bits > I32.bits:
        return None  # the sums of groups wrap earlier
    factors = _factors(node)
    if factors is not None and (both := _both(factors, I16)) is not None:
        return _checked(GroupedTerm(adds, "*", both))
    if (short := exactly(node, I16, U16)) is None:
        return None
    return _checked(GroupedTerm(adds, "*", (_moved(short, I16), e.Literal(1, I16)), -32768 if short.type == U16 else 0))


def _factors(node: Expression) -> tuple[Expression, Expression] | None:
    """Of a product, or of one where a condition holds and nothing elsewhere."""
    match node:
        case e.Binary("*", left, right, _):
            return left, right
        case e.Select(condition, e.Binary("*", left, right, _), e.Literal(0) as nothing, type_):
            return e.Select(condition, left, nothing, type_), right
        case e.Select(condition, e.Literal(0) as nothing, e.Binary("*", left, right, _), type_):
            return e.Select(condition, nothing, left, type_), right
    return None


def _moved(node: Expression, type_: ScalarType) -> Expression:
    """A number of the type as it is, one of the other sign's type by half the range up, or down."""
    if node.type == type_:
        return node
    bits = ScalarType("uint", type_.bits)
    turned = e.Binary("^", _in(node, bits), e.Literal(1 << (type_.bits - 1), bits), bits)
    return _in(turned, type_)


def _in(node: Expression, type_: ScalarType) -> Expression:
    return node if node.type == type_ else e.Cast(node, type_)


def _checked(term: GroupedTerm) -> GroupedTerm | None:
    """The term, if nothing wider than its lanes is computed on the way."""
    types = (type_ for operand in term.operands for type_ in (*element_types(operand), *_compared(operand)))
    return term if all(type_.bits <= term.element.bits for type_ in types) else None


def _compared(node: Expression) -> Iterator[ScalarType]:
    """The types of what is compared."""
    for inner in e.walk_values(node):
        if e.is_truth(inner):
            yield from (child.type for child in e.children(inner) if not e.is_truth(child))


def _both(pair: tuple[Expression, Expression], *types: ScalarType) -> tuple[Expression, Expression] | None:
    """Both in the first of the types that holds them."""
    for type_ in types:
        first, second = (exactly(operand, type_) for operand in pair)
        if first is not None and second is not None:
            return first, second
    return None


def _apart(node: Expression) -> tuple[Expression, Expression] | None:
    """Two numbers, if the expression is how far they are apart."""
    while isinstance(node, e.Cast) and not node.operand.type.is_float and node.type.bits >= U16.bits:
        node = node.operand  # bytes are less than 256 apart
    match node:
        case e.Select(e.Comparison("<" | "<=" | ">" | ">=" as operator, left, right), then, otherwise, _):
            larger, smaller = (then, otherwise) if operator in (">", ">=") else (otherwise, then)
        case _:
            return None
    match larger, smaller:
        case e.Binary("-", first, second, _), e.Binary("-", other, one, _) if (first, second) == (one, other):
            from_zero = larger == left and right == e.Literal(0, right.type)
            return (first, second) if (first, second) == (left, right) or from_zero else None
        case e.Binary("-", first, second, _), e.Unary("-", negated, _) if larger == left == negated:
            return (first, second) if right == e.Literal(0, right.type) else None
    return None


def group_sum(emit: Emitter, lowering: ValueLowering, term: GroupedTerm) -> v.Value:
    """The vector of a term's sums by groups; lanes that do not count add nothing."""
    element, result, group = v.GROUPS[term.operator]
    lanes, active = lowering.lanes.lanes, lowering.lanes.active
    wide = v.ValueType(element, max(lanes, LEAST_BYTES // element.bytes))
    values = []
    moving = any(not isinstance(operand, e.Literal) for operand in term.operands)
    for operand, nothing in zip(term.operands, (term.moved, 0), strict=True):
        # A factor may stand where the other one is nothing; of two numbers that are apart, both are.
        if isinstance(operand, e.Literal) and (operand.value == nothing or (term.operator == "*" and moving)):
            values.append(emit.constant(operand.value, wide))
            continue
        value = emit.widen(lowering.lower(operand), lanes)
        neutral = emit.constant(nothing, value.type)
        if active is not None and (nothing or not _is_loaded(operand, lowering)):
            number = emit.let(v.IndexValue(affine(0), 1, value.type))
            limit = emit.convert(emit.let(v.IndexValue(active, 0, v.ValueType(I64))), element)
            value = emit.pick(emit.test("<", number, limit, I32), value, neutral)
        if lanes < wide.lanes:
            order = (*range(lanes), *(lanes for _ in range(wide.lanes - lanes)))
            value = emit.let(v.Shuffle((value, neutral), order, wide))
        values.append(value)
    sums = emit.let(v.GroupSum(term.operator, tuple(values), v.ValueType(result, wide.lanes // group)))
    if not term.moved:
        return sums
    return emit.arithmetic("-", sums, emit.constant(e.wrap_integer(group * term.moved, result), sums.type))


def _is_loaded(node: Expression, lowering: ValueLowering) -> bool:
    """Whether lanes that do not count are not loaded, which leaves zeros there."""
    while isinstance(node, e.Cast):
        node = node.operand
    variable = lowering.lanes.variable
    return isinstance(node, e.Read) and variable is not None and any(access_stride(node.access, variable) or ())


def add_groups(emit: Emitter, lowering: ValueLowering, place_of: Callable[[v.ValueType], v.Address]) -> None:
    """Add the terms of a sum to its accumulators, of which there is one for each type of the groups' sums."""
    for term in grouped_terms(lowering.compute):
        sums = group_sum(emit, lowering, term)
        place = place_of(sums.type)
        before = emit.let(v.Load(place, sums.type))
        emit.append(v.Store(place, emit.arithmetic("+" if term.adds else "-", before, sums)))
