"""Vector loops over subscripts that are clamped at a border: cut into the borders and what lies between.

    VECTOR x in [0, w):  for k in [-2, 3):  s[x] += a[min(max(x + k, 0), w - 1)]
    ->  x in [0, 2);  VECTOR x in [2, w - 2):  for k:  s[x] += a[x + k];  x in [w - 2, w)

Between the borders the subscript moves by one element from lane to lane; at the borders it is as it was, iteration by
iteration. The order of iterations stays the same. So are loops whose bounds follow the lanes at a border only, as those
of a triangle do in its diagonal blocks:

    VECTOR j in [0, 8*it + 7):  for i in [max(8*it, j + 1), 8*it + 8):  y[j] += A[i][j] * x[i]
    ->  VECTOR j in [0, 8*it):  for i in [8*it, 8*it + 8): ..;  j in [8*it, 8*it + 7):  for i in [j + 1, 8*it + 8): ..
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Atom, Choose, Compare, Max, Min, affine, maximum, minimum
from polyloop.backend.ir.loop_nest import Block, Compute, Loop, LoopKind, LoopNest, Node, map_children, walk
from polyloop.backend.planning.facts import lower_operands, upper_operands
from polyloop.backend.planning.lanes import computes, inside_atom
from polyloop.backend.planning.packing import PackingError, extreme

_MOST_RANGES = 8
"""Ways in which the variables of the loops inside of a loop may run up to which it is cut."""


class _NotClampedError(ValueError):
    """Something moves along a loop in a way that is no clamp."""


def cut_at_clamps(nest: LoopNest) -> LoopNest:
    """The nest with such loops in three parts."""
    return replace(nest, body=_cut(nest.body))


def _cut(node: Node) -> Node:
    if isinstance(node, Loop) and node.kind is LoopKind.VECTOR and node.step == 1:
        try:
            return _parts(node)
        except (_NotClampedError, PackingError):  # the latter: bounds from data
            return node
    return map_children(node, _cut)


def _parts(loop: Loop) -> Node:
    """
    Raises:
        _NotClampedError: if a subscript or a bound is, along the loop, neither affine nor a clamped affine value.
    """
    wanted = [c for s in _subscripts(loop) if inside_atom(s, loop.variable) for c in _inside(s, loop.variable)[1]]
    for inner in walk(loop.body):
        wanted += _within(inner, loop.variable) if isinstance(inner, Loop) else []
    if not wanted:
        return loop
    first, last = loop.lower, loop.upper
    for condition in wanted:
        low, high = _limits(condition, loop)
        first = first if low is None else maximum(first, low)
        last = last if high is None else minimum(last, high)
    first = minimum(first, loop.upper)
    last = maximum(first, last)
    border = replace(loop, kind=LoopKind.SEQUENTIAL)
    middle = replace(loop, lower=first, upper=last, body=_without_clamps(loop.body, loop.variable))
    return Block((replace(border, upper=first), middle, replace(border, lower=last)))


def _within(inner: Loop, variable: str) -> list[Affine]:
    """What is not negative where a loop's bounds do not follow the variable.

    Raises:
        _NotClampedError: if they do everywhere.
    """
    least, lowest = _by_movement(lower_operands(inner.lower), variable)
    most, highest = _by_movement(upper_operands(inner.upper), variable)
    if not least or not most:
        raise _NotClampedError
    low, high = maximum(*least), minimum(*most)
    return [*(low - moving for moving in lowest), *(moving - high for moving in highest)]


def _by_movement(operands: tuple[Affine, ...], variable: str) -> tuple[list[Affine], list[Affine]]:
    """Those that stay along the variable, and the others."""
    moving = [operand for operand in operands if variable in operand.variables()]
    return [operand for operand in operands if operand not in moving], moving


def _subscripts(loop: Loop) -> Iterator[Affine]:
    for compute in computes(loop.body):
        yield from compute.target.subscripts
        for node in e.walk(compute.value):
            if isinstance(node, e.Read):
                yield from node.access.subscripts
            elif isinstance(node, e.Index):
                yield node.value


def _inside(value: Affine, variable: str) -> tuple[Affine, list[Affine]]:
    """The value between the borders, and what is not negative there.

    Raises:
        _NotClampedError: if it is no clamp.
    """
    result, conditions = affine(value.constant), list[Affine]()
    for atom, factor in value.terms:
        part, more = _moving(atom, variable)
        result += part * factor
        conditions += more
    return result, conditions


def _moving(atom: Atom, variable: str) -> tuple[Affine, list[Affine]]:
    """The operand that moves with the variable, where it alone does, and when it is the atom's value."""
    itself = Affine(((atom, 1),))
    if isinstance(atom, str) or variable not in itself.variables():
        return itself, []
    match atom:
        case Min(operands) | Max(operands):
            moving = [operand for operand in operands if variable in operand.variables()]
            sign = 1 if isinstance(atom, Min) else -1
            conditions = [(other - moving[0]) * sign for other in operands if other is not moving[0]]
        case Choose(Compare(difference, ">="), then, otherwise):
            moving = [side for side in (then, otherwise) if variable in side.variables()]
            conditions = [difference if moving[:1] == [then] else -difference - 1]
        case _:
            raise _NotClampedError
    if len(moving) != 1:
        raise _NotClampedError
    value, more = _inside(moving[0], variable)
    for condition in conditions:
        plain, others = _inside(condition, variable)
        more += [plain, *others]
    return value, more


def _limits(condition: Affine, loop: Loop) -> tuple[Affine | None, Affine | None]:
    """From where on, or up to where, an affine value is not negative, whatever the loops inside are at.

    Raises:
        _NotClampedError: if it does not move by one.
    """
    sign = condition.coefficient(loop.variable)
    inner: dict[str, list[Loop]] = {}
    for node in walk(loop.body):
        if isinstance(node, Loop):
            inner.setdefault(node.variable, []).append(node)
    if prod(map(len, inner.values())) > _MOST_RANGES:
        raise _NotClampedError
    # Loops one behind the other, or under conditions, share variables that have other ranges there.
    ranges = (dict(zip(inner, loops, strict=True)) for loops in product(*inner.values()))
    least = minimum(*(extreme(condition - affine(loop.variable) * sign, one, largest=False) for one in ranges))
    if sign not in (1, -1) or least.variables() & {loop.variable, *inner}:
        raise _NotClampedError
    return (-least, None) if sign == 1 else (None, least + 1)


def _without_clamps(node: Node, variable: str) -> Node:
    def inside(value: Affine) -> Affine:
        return _inside(value, variable)[0] if inside_atom(value, variable) else value

    match node:
        case Compute():
            return node.with_integers(inside)
        case Loop():
            lower = maximum(*_by_movement(lower_operands(node.lower), variable)[0])
            upper = minimum(*_by_movement(upper_operands(node.upper), variable)[0])
            node = replace(node, lower=lower, upper=upper)
    return map_children(node, lambda child: _without_clamps(child, variable))
