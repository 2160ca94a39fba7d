"""Statements that a rectangular nest can stand for: one contraction over a box, initialised or not.

What the cursor does to such a nest is legal whatever the order of its loops: `Contraction.of` shows once, by its form
or by exact tests, that all its loops may be interchanged and tiled freely, and which of them carry nothing. The
transforms' own checks come to the same masks, one tree at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import islpy as isl

from polyloop.backend.default.task import Footprint, Task
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Literal, ScalarType
from polyloop.cursor.nest import Loop, Nest
from polyloop.schedules.legality import coincident, permutable
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree
from polyloop.scop.model import Scop, Statement
from polyloop.scop.operations import flops, fused_operations
from polyloop.shaping.contraction import extents, footprint, initialises, kept, reduced, stores_plainly

__all__ = ["Contraction", "Footprint"]


@dataclass(frozen=True, eq=False)
class Pattern:
    """A statement's loops and accesses, all that `polyloop.cursor.model` looks at.

    Attributes:
        extents, reduced, reads, result: as of `Contraction`.
        instructions: that compute one execution on vectors, loads and stores aside: 1 for a multiply-add.
    """

    extents: tuple[tuple[str, int], ...]
    reduced: frozenset[str]
    reads: tuple[Footprint, ...]
    result: Footprint
    instructions: int


@dataclass(frozen=True, eq=False)
class Contraction:
    """A Scop of one statement over a box of known size, which may be initialised by another.

    Attributes:
        main: the statement; `initial`: what initialises its result beforehand, if anything does.
        extents: (variable, how many values it takes), in the order of the original loops.
        reduced: variables that the result does not have.
        reads: inputs in source order, the result left out; `result` is where it stands.
        vector, parallel: variables whose loops may run at once in lanes, or in threads.
        contract: multiplications and additions are fused.
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
    contract: bool = True

    @staticmethod
    def of(scop: Scop, reassociate: bool = True, contract: bool = True) -> Contraction | None:
        """The Scop seen so; None if it is of another form, or if its loops may not be interchanged freely.

        Args:
            reassociate: reductions may be reordered.
            contract: see `Contraction`.
        """
        if scop.parameters or not 1 <= len(scop.statements) <= 2:
            return None
        *first, main = scop.statements
        box, result = _box(scop, main), footprint(scop, main, main.target)
        reads = tuple(footprint(scop, main, access) for access in main.reads if access != main.target)
        if not box or not stores_plainly(main) or any(read.bent for read in reads):
            return None
        if any(access.data for access in main.reads):
            return None
        if first and not (isinstance(first[0].value, Literal) and initialises(first[0], main)):
            return None
        if first and _box(scop, first[0]) != tuple(each for each in box if each[0] in kept(main)):
            return None
        at_once = _free_loops(scop, main, dict(box), reassociate)
        if at_once is None:
            return None
        initial, inside = first[0] if first else None, frozenset(reduced(main))
        return Contraction(scop, main, initial, box, inside, reads, result, *at_once, reassociate, contract)

    @cached_property
    def start(self) -> Nest:
        """The original loops."""
        compute = tuple(Loop(name, extent) for name, extent in self.extents)
        return Nest(compute, tuple(loop for loop in compute if loop.variable not in self.reduced))

    @cached_property
    def task(self) -> Task:
        """The statement as the generator of tiles sees it."""
        return Task(self.sizes, self.reduced, self.result, self.reads, self.element, self.vector)

    @cached_property
    def element(self) -> ScalarType:
        """Of the result."""
        return self.scop.array(self.result.array).type

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        return dict(self.extents)

    @cached_property
    def flops(self) -> int:
        """Floating-point operations of one run; executions of the statement where it has none, as in pooling."""
        return flops(self.scop, {}) or self.points

    @cached_property
    def pattern(self) -> Pattern:
        """The statement."""
        instructions = max(1, fused_operations(self.main.value))
        return Pattern(self.extents, self.reduced, self.reads, self.result, instructions)

    @property
    def is_float(self) -> bool:
        return self.element.is_float

    @cached_property
    def points(self) -> int:
        """Executions of the statement."""
        return prod(self.sizes.values())


def _box(scop: Scop, statement: Statement) -> tuple[tuple[str, int], ...] | None:
    """Extents of a domain that is a box from 0 on and not empty."""
    if statement.domain.is_empty():
        return None
    found = tuple((name, extent) for name, extent in extents(scop, statement).items() if extent is not None)
    bounds = " and ".join(f"0 <= {name} < {extent}" for name, extent in found) or "1 = 1"
    box = isl.Set(f"{{ {statement.point} : {bounds} }}")
    return found if box.is_equal(statement.domain) else None


def _free_loops(
    scop: Scop, main: Statement, extents: Mapping[str, int], reassociate: bool
) -> tuple[frozenset[str], frozenset[str]] | None:
    """Variables whose loops may be vector loops, and parallel loops; None if some interchange is not legal."""
    own = main.target.array
    accumulates = main.reduction is not None and [a for a in main.reads if a.array == own] == [main.target]
    return _by_form(scop, main, extents, reassociate) if accumulates else _by_proof(scop, main, reassociate)


def _by_form(
    scop: Scop, main: Statement, extents: Mapping[str, int], reassociate: bool
) -> tuple[frozenset[str], frozenset[str]] | None:
    """Of a statement that adds to elements which it does not read otherwise, and stores plainly: only what agrees in
    all kept loops touches one element. That takes a hundredth of the time of a proof, which finds the same."""
    every, exact = frozenset(main.iterators), not scop.array(main.target.array).type.is_float
    sums = frozenset(name for name in reduced(main) if extents[name] > 1)
    if len(sums) > 1 and not (exact or reassociate):
        return None
    return (every if exact or reassociate else every - sums), (every if exact else every - sums)


def _by_proof(scop: Scop, main: Statement, reassociate: bool) -> tuple[frozenset[str], frozenset[str]] | None:
    """By the dependences of the statement on itself."""
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
