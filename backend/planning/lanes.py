"""Statements in lanes: what they compute in, how what they access moves along a loop, and what they sum up."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, FloorDiv
from polyloop.backend.ir.expressions import Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import Compute, Loop, Node, walk


def computes(node: Node) -> Iterator[Compute]:
    """All statements of the nest below a node."""
    return (inner for inner in walk(node) if isinstance(inner, Compute))


def widest_lane(loop: Loop) -> int:
    """Its bits; truth values do not count, nor what is the same in all lanes and no operand of what differs, nor
    literals that are not what is written."""
    found = [*computes(loop.body)]
    written = {compute.target.array for compute in found}
    types = (
        type_ for compute in found for type_ in (*_lane_types(compute.value, loop, written)[1], compute.value.type)
    )
    return max((type_.bits for type_ in types), default=64)


def is_same_in_lanes(node: Expression, loop: Loop, written: Collection[str]) -> bool:
    """Whether an expression has one value in all iterations of a loop that stores to these arrays."""
    return _lane_types(node, loop, written)[0]


def _lane_types(node: Expression, loop: Loop, written: Collection[str]) -> tuple[bool, list[ScalarType]]:
    """Whether all lanes have the same value; and the types that are computed in lanes."""
    match node:
        case e.Literal():
            return True, []
        case e.Read(access, type_):
            fixed = is_fixed(access, loop, written)
            places = (inner.type for datum in access.data for inner in e.walk(datum.value))
            return fixed, [type_, *(place for place in places if place.is_float and not fixed)]
        case e.Index(number, type_):
            return loop.variable not in number.variables(), [type_]
    inside = [_lane_types(child, loop, written) for child in e.children(node)]
    fixed = bool(inside) and all(same for same, _ in inside) and not isinstance(node, e.Partial | e.Fold)
    own = [] if e.is_truth(node) else [node.type]
    return fixed, own if fixed else [*own, *(type_ for _, types in inside for type_ in types)]


def is_fixed(access: Access, loop: Loop, written: Collection[str]) -> bool:
    """Whether it is the same element in all iterations of a loop, in which nothing is stored to its array."""
    moving = access_stride(access, loop.variable)
    by_data = any(loop.variable in datum.variables() for datum in access.data)
    return access.array not in written and moving is not None and not any(moving) and not by_data


def element_types(node: Expression) -> Iterator[ScalarType]:
    """Of the lanes that a value is computed in: without truth values and literals."""
    for inner in e.walk_values(node):
        match inner:
            case e.Comparison() | e.Logical() | e.Literal() | e.Unary(operator="!"):
                pass
            case _:
                yield inner.type


def access_stride(access: Access, variable: str) -> tuple[int, ...] | None:
    """Steps of the subscripts from iteration to iteration; None where they are not constant."""
    if any(inside_atom(s, variable) for s in access.subscripts):
        return None
    return tuple(s.coefficient(variable) for s in access.subscripts)


def moves_evenly(loop: Loop) -> bool:
    """Whether all subscripts and numbers inside of a loop move by constant strides, and no bounds move with it."""
    variable = loop.variable

    def evenly(node: Expression) -> bool:
        match node:
            case e.Read(access, _):
                return access_stride(access, variable) is not None
            case e.Index(number, _):
                return not inside_atom(number, variable)
        return True

    inner = (node for node in walk(loop.body) if isinstance(node, Loop))
    return not any(variable in node.lower.variables() | node.upper.variables() for node in inner) and all(
        access_stride(compute.target, variable) is not None and all(map(evenly, e.walk(compute.value)))
        for compute in computes(loop.body)
    )


def parted(condition: Expression, variable: str) -> tuple[Expression | None, Expression | None]:
    """What C evaluates first of a condition and is the same in all lanes; and what has to hold besides. None: nothing.

    Where the first does not hold, nothing of the second is evaluated.
    """
    match condition:
        case e.Logical("&&", left, right):
            first, rest = parted(left, variable)
            if rest is not None:
                return first, e.Logical("&&", rest, right)
            second, rest = parted(right, variable)
            return (left if second is None else e.Logical("&&", left, second)), rest
    return (None, condition) if _differs(condition, variable) else (condition, None)


def _differs(value: Expression, variable: str) -> bool:
    """Whether the value may differ from lane to lane."""

    def moves(node: Expression) -> bool:
        match node:
            case e.Read(access, _):
                strides = access_stride(access, variable)
                return strides is None or any(strides) or any(variable in datum.variables() for datum in access.data)
            case e.Index(number, _):
                return variable in number.variables()
        return False

    return any(map(moves, e.walk(value)))


FEWEST_TURNED = 4
"""Lanes of a vector from which on blocks are worth it: two take as many shuffles as operations."""


def most_spread(lanes: float) -> int:
    """Largest distance of elements that are taken from whole vectors: each is that many loads and shuffles. Twice as
    large where vectors have many lanes, as all of these would be loaded one by one: of 4000 bytes every sixth, and the
    third behind it, took 686 ns so on a Zen 4, and 184 with shuffles (404 with AVX2). None where they have few."""
    return 0 if lanes < FEWEST_TURNED else 4 if lanes < 4 * FEWEST_TURNED else 8


def is_spread(strides: tuple[int, ...], lanes: float) -> bool:
    """Whether so many lanes are elements of a row that have a few others between them."""
    return bool(strides) and not any(strides[:-1]) and 2 <= strides[-1] <= most_spread(lanes)


def steady_elements(access: Access, loop: Loop, lanes: int) -> tuple[int, ...] | None:
    """How many elements each lane's one lies behind that of the first, where all whole vectors of the loop have that in
    common, and one vector holds what they span. None of others, and of accesses with a constant stride.

        A[i / 2]    ->  0, 0, 1, 1, 2, 2, ..
        A[i % 4]    ->  0, 1, 2, 3, 0, 1, ..
    """
    if access.data or access_stride(access, loop.variable) is not None:
        return None
    *outer, inner = (steady_offsets(s, loop, lanes) for s in access.subscripts)
    if inner is None or any(offsets is None or any(offsets) for offsets in outer):
        return None
    return inner if max(inner) - min(inner) < lanes else None


def are_ascending(offsets: tuple[int, ...]) -> bool:
    """Whether no lane's element lies before that of a lane in front, and what they span begins with the first."""
    return all(a <= b for a, b in pairwise(offsets)) and offsets[-1] - offsets[0] + 1 & offsets[-1] - offsets[0] == 0


def steady_offsets(value: Affine, loop: Loop, lanes: int) -> tuple[int, ...] | None:
    """By how much the value in each lane exceeds that in the first; None where vectors of the loop differ in that."""
    offsets = [0] * lanes
    for atom, factor in value.terms:
        phase, step, divisor = 0, int(atom == loop.variable), 1
        if isinstance(atom, FloorDiv) and loop.variable in atom.dividend.variables():
            divisor, step = atom.divisor, atom.dividend.coefficient(loop.variable)
            start = atom.dividend.substitute({loop.variable: loop.lower})
            varies = inside_atom(atom.dividend, loop.variable) or any(part % divisor for _, part in start.terms)
            if varies or step * lanes % divisor:
                return None
            phase = start.constant % divisor
        elif not isinstance(atom, str) and loop.variable in Affine(((atom, 1),)).variables():
            return None
        offsets = [offset + factor * ((phase + step * lane) // divisor) for lane, offset in enumerate(offsets)]
    return tuple(offsets)


def stays(access: Access, variable: str) -> bool:
    """Whether all lanes share the element."""
    strides = access_stride(access, variable)
    return strides is not None and not any(strides)


def gathered(access: Access, variable: str | None) -> bool:
    """Whether each lane's place has to be computed: it is taken from data, or does not move by a constant stride."""
    if variable is None:
        return False
    return access_stride(access, variable) is None or any(variable in datum.variables() for datum in access.data)


def computed_evenly(place: Expression, variable: str) -> bool:
    """Whether a subscript can be computed in all lanes at once: from what vectors are loaded, without what may trap."""
    return all(
        isinstance(node, e.Literal | e.Cast | e.Comparison)
        or (isinstance(node, e.Select) and not e.reads(node.then) and not e.reads(node.otherwise))
        or (isinstance(node, e.Binary) and (node.type.is_float or node.operator not in "/%"))
        or (isinstance(node, e.Read) and not gathered(node.access, variable))
        or (isinstance(node, e.Index) and not inside_atom(node.value, variable))
        for node in e.walk(place)
    )


def inside_atom(value: Affine, variable: str) -> bool:
    """Whether the variable stands inside a division, an extremum or a choice."""
    return any(not isinstance(atom, str) and variable in Affine(((atom, 1),)).variables() for atom, _ in value.terms)


def reduction_sides(compute: Compute) -> tuple[str, Expression] | None:
    """The operator and e of a Compute ``target = target op e``, or ``e op target`` where that is the same, whose e does
    not read the target's array; None of others."""
    target = compute.target
    match without_wrapping(compute.value):
        case e.Binary("+" | "*" | "&" | "|" | "^" | "-" as sign, left, right, _):
            own, other = (left, right) if is_read(left, target) or sign == "-" else (right, left)
        case _:
            return None
    if not is_read(own, target) or any(read.access.array == target.array for read in e.reads(other)):
        return None
    return sign, other


def chosen_sides(compute: Compute) -> tuple[str, Expression] | None:
    """As `reduction_sides`; where data decide whether a sum gets something, that is something or nothing."""
    match compute.value:
        case e.Select(condition, then, otherwise, type_):
            changed, kept = (otherwise, then) if isinstance(then, e.Read) else (then, otherwise)
            sides = reduction_sides(replace(compute, value=changed))
            if not is_read(kept, compute.target) or sides is None or sides[0] not in "+-":
                return None
            if any(read.access.array == compute.target.array for read in e.reads(condition)):
                return None
            nothing = e.Literal(0, type_)
            first, second = (sides[1], nothing) if changed is then else (nothing, sides[1])
            return sides[0], e.Select(condition, first, second, type_)
    return reduction_sides(compute)


def without_wrapping(value: Expression) -> Expression:
    """A signed operation that is done in the unsigned type as the signed operation that it stands for."""
    match value:
        case e.Cast(e.Binary(sign, e.Cast(left, wide), e.Cast(right, _), _), type_) if (
            not type_.is_float and left.type == right.type == type_ and wide == unsigned(type_)
        ):
            return e.Binary(sign, left, right, type_)
        case _:
            return value


def unsigned(type_: ScalarType) -> ScalarType:
    """The type that a sum of such numbers wraps in."""
    return type_ if type_.is_float else ScalarType("uint", type_.bits)


def is_read(node: Expression, access: Access) -> bool:
    return isinstance(node, e.Read) and node.access == access
