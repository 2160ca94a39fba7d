"""Subscripts of dimensions with one element, moved to the front: contiguity is read from the last subscript.

    C[m][0], where C is M x 1   ->   C[0][m]

Both are the same address. The second is not within the declared extents, so proofs that an access stays inside its
array fail for it, which costs speculation and nothing else.
"""

from __future__ import annotations

from dataclasses import replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, LoopNest, map_computes


def squeezed(nest: LoopNest) -> LoopNest:
    """The nest with such accesses rewritten; for compilation to machine code, where only addresses count."""
    places = {array.name: place for array in nest.arrays if (place := _last_long(array)) is not None}
    return replace(nest, body=map_computes(nest.body, lambda node: _rewritten(node, places))) if places else nest


def _last_long(array: ArraySpec) -> int | None:
    """The last dimension of more than one element, if others stand behind it."""
    ones = [extent is not None and extent == affine(1) for extent in array.shape]
    long = [k for k, one in enumerate(ones) if not one]
    return long[-1] if long and long[-1] < len(ones) - 1 else None


def _rewritten(node: Compute, places: dict[str, int]) -> Compute:
    value = e.rewrite(node.value, e.redirecting(lambda access: _access(access, places)))
    return replace(node, target=_access(node.target, places), value=value)


def _access(access: Access, places: dict[str, int]) -> Access:
    place = places.get(access.array)
    if place is None:
        return access
    *outer, last = access.subscripts[: place + 1]
    return Access(access.array, (*outer, *access.subscripts[place + 1 :], last))
