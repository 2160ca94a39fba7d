"""Rectangular nests as plain integers: what the cursor's actions do to them, without isl.

    nest := compute loops, outermost first; store loops, outermost first

The compute loops run the statement. The store loops are those of the write-back nest: the loops over the result alone,
which store it (and initialise it, where the program does). The longest common prefix of both is one and the same loops:
what changes such a loop changes both nests, and an action that makes prefixes equal shares them. A prefix that
is shared holds no reduction, since the write-back nest has none.

A loop counts `size` whole iterations, and `tail` elements are left over for one that is not whole:
elements = size * inner + tail, where `inner` are the elements of the next loop of the same variable inside, 1 for the
innermost one. So the outermost loop of a variable has the problem's size, and only it may have a tail.

References:
    Grubisic et al., "LoopTune", arXiv 2309.01825, section III; `polyloop.cursor.process` says where the
    published code departs from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, TypeAlias

from polyloop.backend.ir.loop_nest import LoopKind

KINDS = (LoopKind.SEQUENTIAL, LoopKind.VECTOR, LoopKind.UNROLLED, LoopKind.PARALLEL)
"""`Loop.kind` counts in this order; integers hash faster than members of an enumeration."""
SEQUENTIAL, VECTOR, UNROLLED, PARALLEL = range(4)


class Loop(NamedTuple):
    """A loop over blocks of a variable's values; see above for `size` and `tail`."""

    variable: str
    size: int
    tail: int = 0
    kind: int = SEQUENTIAL

    def __str__(self) -> str:
        kind = "" if self.kind == SEQUENTIAL else f" {KINDS[self.kind].name.lower()}"
        tail = f" + {self.tail}" if self.tail else ""
        return f"{self.variable} {self.size}{tail}{kind}"


Loops: TypeAlias = "tuple[Loop, ...]"


class _Pair(NamedTuple):
    compute: Loops
    store: Loops


class Nest(_Pair):
    """A compute nest and its write-back nest."""

    @cached_property
    def shared(self) -> int:
        """How many of the outer loops belong to both nests."""
        return _same(self.compute, self.store, 0)

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.compute) + len(self.store) - self.shared

    @property
    def rows(self) -> Loops:
        """All loops in preorder: the compute nest, then what the write-back nest has of its own."""
        return self.compute + self.store[self.shared :]

    def __str__(self) -> str:
        """One loop a line, indented by its depth; the write-back nest's own loops are marked."""
        shared = self.shared
        lines = [f"{'  ' * depth}{loop}" for depth, loop in enumerate(self.compute)]
        lines += [f"{'  ' * (shared + k)}{loop} (write-back)" for k, loop in enumerate(self.store[shared:])]
        return "\n".join(lines)


def _same(compute: Loops, store: Loops, known: int) -> int:
    """How many of the outer loops are the same, of which so many are `known` to be."""
    for first, second in zip(compute[known:], store[known:], strict=False):
        if first is not second and first != second:
            break
        known += 1
    return known


class Place(NamedTuple):
    """Where a row stands: a position in the compute nest, or in the write-back nest (shared loops are the former's)."""

    store: bool
    position: int


def place_of(nest: Nest, row: int) -> Place:
    """The place of a row of `Nest.rows`."""
    depth = len(nest.compute)
    return Place(False, row) if row < depth else Place(True, nest.shared + row - depth)


def row_of(nest: Nest, place: Place) -> int:
    """The row of a place."""
    shared = nest.shared
    if not place.store or place.position < shared:
        return place.position
    return len(nest.compute) + place.position - shared


def loops_at(nest: Nest, place: Place) -> Loops:
    """The nest that a place counts in."""
    return nest.store if place.store else nest.compute


def inner_elements(loops: Loops) -> list[int]:
    """Of every loop the elements of the next loop of its variable inside, 1 where there is none: what one iteration
    takes."""
    inside: dict[str, int] = {}
    elements: list[int] = []
    for loop in reversed(loops):
        elements.append(inside.get(loop.variable, 1))
        inside[loop.variable] = elements[-1] * loop.size
    return elements[::-1]


def swapped(nest: Nest, outer: Place) -> Nest:
    """The loop at `outer` and the one directly inside it, interchanged.

    Where both are shared they change places in both nests. Where one is, the other nest keeps its order: it gets
    loops of its own (distribution).
    """

    def rewrite(loops: Loops, at: int) -> Loops:
        return (*loops[:at], loops[at + 1], loops[at], *loops[at + 2 :])

    return _rewritten(nest, outer, rewrite, 2)


def split(nest: Nest, place: Place, factor: int) -> Nest:
    """A loop over blocks of `factor` iterations above a loop over the iterations of a block."""

    def rewrite(loops: Loops, at: int) -> Loops:
        variable, size, tail, kind = loops[at]
        elements = inner_elements(loops[at:])[0]
        blocks, left = divmod(size * elements + tail, factor * elements)
        outer = Loop(variable, blocks, left, PARALLEL if kind == PARALLEL else SEQUENTIAL)
        inner = Loop(variable, factor, 0, SEQUENTIAL if kind == PARALLEL else kind)
        return (*loops[:at], outer, inner, *loops[at + 1 :])

    return _rewritten(nest, place, rewrite, 1)


def merged(nest: Nest, outer: Place) -> Nest:
    """The loop at `outer` and the one of the same variable directly inside it, as one loop: `split` undone."""

    def rewrite(loops: Loops, at: int) -> Loops:
        variable, size, tail, kind = loops[at]
        outer, inner = inner_elements(loops[at:])[:2]
        whole, left = divmod(size * outer + tail, inner)
        return (*loops[:at], Loop(variable, whole, left, kind), *loops[at + 2 :])

    return _rewritten(nest, outer, rewrite, 2)


def with_kind(nest: Nest, place: Place, kind: int) -> Nest:
    """The loop at `place` with another kind."""

    def rewrite(loops: Loops, at: int) -> Loops:
        return (*loops[:at], loops[at]._replace(kind=kind), *loops[at + 1 :])

    return _rewritten(nest, place, rewrite, 1)


def _rewritten(nest: Nest, place: Place, rewrite: Callable[[Loops, int], Loops], count: int) -> Nest:
    """`rewrite` of the nest that has the `count` loops from `place` on; of both where both have all of them."""
    position, shared = place.position, nest.shared
    compute, store = nest
    if position + count <= shared:
        compute, store = rewrite(compute, position), rewrite(store, position)
        return _nest(compute, store, shared + len(compute) - len(nest.compute))
    if place.store:
        store = rewrite(store, position)
    else:
        compute = rewrite(compute, position)
    # Behind a loop that differs nothing is shared.
    return _nest(compute, store, shared if shared < position else _same(compute, store, position))


def _nest(compute: Loops, store: Loops, shared: int) -> Nest:
    """A nest of which is known what its nests share: it is asked for more often than all else."""
    nest = Nest(compute, store)
    nest.shared = shared
    return nest
