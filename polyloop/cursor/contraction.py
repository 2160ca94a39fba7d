"""Statements that a rectangular nest can stand for: one contraction over a box, initialised or not.

What the cursor does to such a nest is legal whatever the order of its loops: `Contraction.of` shows once, by exact
tests, that all its loops may be interchanged and tiled freely, and which of them carry nothing. The transforms'
own checks come to the same masks, one tree at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import islpy as isl

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Access, Literal
from polyloop.cursor.nest import Loop, Nest
from polyloop.schedules.legality import coincident, permutable
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree
from polyloop.scop.model import Scop, Statement
from polyloop.scop.operations import flops, fused_operations


@dataclass(frozen=True)
class Footprint:
    """How one access moves through memory.

    Attributes:
        array: the array's name.
        strides: (variable, elements by which one step of it moves the access), zeros left out.
        bytes: of an element.
    """

    array: str
    strides: tuple[tuple[str, int], ...]
    bytes: int

    @cached_property
    def by_variable(self) -> Mapping[str, int]:
        return dict(self.strides)


@dataclass(frozen=True, eq=False)
class Contraction:
    """A Scop of one statement over a box of known size, which may be initialised by another.

    Attributes:
        main: the statement; `initial`: what initialises its result beforehand, if anything does.
        extents: (variable, how many values it takes), in the order of the original loops.
        reduced: variables that the result does not have.
        reads: inputs in source order, the result left out; `result` is where it stands.
        vector, parallel: variables whose loops may run at once in lanes, or in threads.
    """

    scop: Scop
    main: Statement
    initial: Statement | None
    extents: tuple[tuple[str, int], ...]
    reduced: frozenset[str]
    reads: tuple[Footprint, ...]
    result: Footprint
    vector: frozenset[str]
    parallel: frozenset[str]
    reassociate: bool

    @staticmethod
    def of(scop: Scop, reassociate: bool = True) -> Contraction | None:
        """The Scop seen so; None if it is of another form, or if its loops may not be interchanged freely.

        Args:
            reassociate: reductions may be reordered.
        """
        if scop.parameters or not 1 <= len(scop.statements) <= 2:
            return None
        *first, main = scop.statements
        extents = _box(main)
        reads = [_footprint(scop, main, access) for access in main.reads if access != main.target]
        result = _footprint(scop, main, main.target)
        if extents is None or result is None or not _single_counters(main.target):
            return None
        kept = {str(name) for s in main.target.subscripts for name in s.variables()}
        reduced = frozenset(main.iterators) - kept
        known = tuple(r for r in reads if r is not None)
        if len(known) < len(reads) or (first and not _initialises(first[0], main, reduced)):
            return None
        at_once = _free_loops(scop, main, reassociate)
        if at_once is None:
            return None
        initial = first[0] if first else None
        return Contraction(scop, main, initial, extents, reduced, known, result, *at_once, reassociate)

    @cached_property
    def start(self) -> Nest:
        """The original loops."""
        compute = tuple(Loop(name, extent) for name, extent in self.extents)
        return Nest(compute, tuple(loop for loop in compute if loop.variable not in self.reduced))

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        return dict(self.extents)

    @cached_property
    def flops(self) -> int:
        """Floating-point operations of one run; executions of the statement where it has none, as in pooling."""
        return flops(self.scop, {}) or self.points

    @cached_property
    def instructions(self) -> int:
        """Vector instructions that compute one execution, loads and stores aside: 1 for a multiply-add."""
        return max(1, fused_operations(self.main.value))

    @property
    def is_float(self) -> bool:
        return self.scop.array(self.result.array).type.is_float

    @cached_property
    def points(self) -> int:
        """Executions of the statement."""
        return prod(self.sizes.values())


def _box(statement: Statement) -> tuple[tuple[str, int], ...] | None:
    """Extents of a domain that is a box from 0 on and not empty."""
    domain, extents = statement.domain, []
    if domain.is_empty():
        return None
    for k in range(statement.depth):
        if not domain.dim_min_val(k).is_zero() or not domain.dim_max_val(k).is_int():
            return None
        extents.append(int(domain.dim_max_val(k).to_python()) + 1)
    bounds = " and ".join(f"0 <= {n} < {e}" for n, e in zip(statement.iterators, extents, strict=True)) or "1 = 1"
    box = isl.Set(f"{{ {statement.name}[{', '.join(statement.iterators)}] : {bounds} }}")
    return tuple(zip(statement.iterators, extents, strict=True)) if box.is_equal(domain) else None


def _single_counters(access: Access) -> bool:
    """Whether every subscript is one counter of its own."""
    names = [s.terms[0][0] for s in access.subscripts if len(s.terms) == 1 and s.terms[0][1] == 1]
    return len(names) == len(access.subscripts) == len(set(names)) and all(isinstance(n, str) for n in names)


def _footprint(scop: Scop, statement: Statement, access: Access) -> Footprint | None:
    """Strides of an access; None if it is not linear in the counters or the layout is not known."""
    array = scop.array(access.array)
    extents: list[int] = []
    for extent in array.shape[1:]:
        if extent is None or not extent.is_constant:
            return None
        extents.append(extent.constant)
    position = Affine()
    for k, subscript in enumerate(access.subscripts):
        position = position + subscript * prod(extents[k:])
    if not all(isinstance(atom, str) for atom, _ in position.terms):
        return None
    strides = {name: position.coefficient(name) for name in statement.iterators}
    return Footprint(access.array, tuple((n, s) for n, s in strides.items() if s), array.type.bytes)


def _initialises(first: Statement, main: Statement, reduced: frozenset[str]) -> bool:
    """Whether the first statement gives every element of the result a number, and nothing else."""
    kept = tuple(name for name in main.iterators if name not in reduced)
    if not isinstance(first.value, Literal) or first.target != main.target or first.iterators != kept or not reduced:
        return False
    box, whole = _box(first), _box(main)
    return box is not None and whole is not None and box == tuple(e for e in whole if e[0] in kept)


def _free_loops(scop: Scop, main: Statement, reassociate: bool) -> tuple[frozenset[str], frozenset[str]] | None:
    """Variables whose loops may be vector loops, and parallel loops; None if some interchange is not legal."""
    members = tuple(Member(((main.name, Affine(((name, 1),))),)) for name in main.iterators)
    tree = ScheduleTree((main.name,), Band(members, False, Leaf()))
    own = [d for d in scop.dependences() if {d.source, d.target} == {main.name}]
    if not permutable(tree, (), own, reassociate):
        return None

    def carries_nothing(names: Sequence[str], free: bool) -> frozenset[str]:
        # Tested outermost, where no other loop orders anything: what holds there holds at any place.
        alone = {n: ScheduleTree((main.name,), Band((m,), False, Leaf())) for n, m in zip(names, members, strict=True)}
        return frozenset(n for n in names if coincident(alone[n], (), 0, own, free))

    return carries_nothing(main.iterators, reassociate), carries_nothing(main.iterators, False)
