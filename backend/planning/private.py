"""Arrays of which every lane of a vector loop has a row of its own: rows side by side, as many as there are lanes.

    local t[n][256];   VECTOR i in [0, n):  { for k:  t[i][k] = ...;  for k:  ... = t[i][k]; }
    ->  local t[256][16];   i in steps of 16:  { for k:  t[k][0 .. 15] = ...; ... }

What such a loop keeps for an iteration then lies in the nearest cache, and lanes are neighbours in memory. Here the
dimension along the lanes becomes the last one, of one vector; the lowering then takes the lane alone as subscript.

References:
    Lefebvre and Feautrier, "Automatic Storage Management for Parallel Programs", Parallel Computing 1998.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Compute,
    Loop,
    LoopKind,
    LoopNest,
    Node,
    Storage,
    children,
    map_computes,
    walk,
)
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.lanes import access_stride, computes
from polyloop.backend.planning.vectors import Options, lane_count, reduced_rows


def lanes_last(nest: LoopNest, target: Target, options: Options) -> tuple[LoopNest, frozenset[str]]:
    """The nest with such arrays turned, and their names: every iteration of the loop uses but one place of the last
    dimension, which no other uses."""
    turned: dict[str, ArraySpec] = {}
    # With no loop around it, what one iteration leaves in an array, none of another run of the loop finds.
    outermost = {id(loop) for loop in _outermost(nest.body)}
    for loop in (node for node in walk(nest.body) if isinstance(node, Loop) and node.kind is LoopKind.VECTOR):
        lanes = lane_count(loop, target) * (options.reduction_chains if reduced_rows(loop) else 1)
        for array in _private(nest, loop):
            if array.lane_private or id(loop) in outermost:
                turned[array.name] = replace(array, shape=(*array.shape[1:], affine(lanes)), scratch=True)
    if not turned:
        return nest, frozenset()
    arrays = tuple(turned.get(array.name, array) for array in nest.arrays)
    return replace(nest, arrays=arrays, body=_rewritten(nest.body, turned)), frozenset(turned)


def _outermost(node: Node) -> Iterator[Loop]:
    """Loops with no loop around them."""
    if isinstance(node, Loop):
        yield node
    else:
        for child in children(node):
            yield from _outermost(child)


def _private(nest: LoopNest, loop: Loop) -> Iterator[ArraySpec]:
    """Local arrays that are used nowhere else, by each iteration at its own first subscript."""
    everywhere = Counter(access.array for c in computes(nest.body) for access in _accesses(c))
    here: dict[str, list[Access]] = {}
    for compute in computes(loop.body):
        for access in _accesses(compute):
            here.setdefault(access.array, []).append(access)
    for array in nest.arrays:
        used = here.get(array.name, [])
        if (
            array.storage is not Storage.LOCAL
            or array.scratch
            or len(array.shape) < 2
            or not used
            or None in array.shape
        ):
            continue
        along = (1, *(0 for _ in array.shape[1:]))
        own = all(access_stride(access, loop.variable) == along and not access.data for access in used)
        if own and len(used) == everywhere[array.name] and len({access.subscripts[0] for access in used}) == 1:
            yield array


def _accesses(compute: Compute) -> Iterator[Access]:
    yield compute.target
    yield from (read.access for read in e.reads(compute.value))


def _rewritten(body: Node, arrays: Collection[str]) -> Node:
    def turned(access: Access) -> Access:
        first, *rest = access.subscripts or (affine(0),)
        return Access(access.array, (*rest, first)) if access.array in arrays else access

    def one(node: Compute) -> Node:
        return replace(node, target=turned(node.target), value=e.rewrite(node.value, e.redirecting(turned)))

    return map_computes(body, one)
