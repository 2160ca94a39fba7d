"""From a rectangular nest to a schedule tree, and straight to a LoopNest without isl: both give the same code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from polyloop.backend.ir.affine import Affine, Min, affine
from polyloop.backend.ir.loop_nest import Block, Compute, Loop, LoopKind, LoopNest, Node, numbered_name
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import KINDS, UNROLLED, VECTOR, Loops, Nest, inner_elements
from polyloop.lowering.to_nest import array_specs, condition_from_set, lower
from polyloop.schedules.tree import Band, Branch, Leaf, Member, ScheduleTree, Sequence
from polyloop.schedules.tree import Node as TreeNode
from polyloop.scop.model import Scop, Statement

_POINTS = (VECTOR, UNROLLED)


def to_tree(problem: Contraction, nest: Nest) -> ScheduleTree:
    """The nest as a schedule of the Scop's statements.

    An initialisation takes the loops of the write-back nest and stands before the compute nest inside the shared ones.
    Without one the write-back nest is what the compute nest implies, and nothing of its own runs.
    """
    main = problem.main.name
    if problem.initial is None:
        return ScheduleTree((main,), _bands(_members((main,), nest.compute), Leaf()))
    first, shared = problem.initial.name, nest.shared
    branches = tuple(
        Branch((name,), _bands(_members((name,), loops)[shared:], Leaf()))
        for name, loops in ((first, nest.store), (main, nest.compute))
    )
    together = _members((first, main), nest.compute)[:shared]
    return ScheduleTree((first, main), _bands(together, Sequence(branches)))


def to_loop_nest(problem: Contraction, nest: Nest) -> LoopNest:
    """The nest as code; what `polyloop.lowering.to_nest.lower` makes of its tree.

    Loops that are unrolled or vector loops and not always full need versions for full and partial tiles, and integers
    that are summed in another order may not overflow on the way: those go through isl's road.
    """
    if not (_always_full(problem, nest) and problem.is_float):
        return lower(problem.scop, to_tree(problem, nest))
    frame = _frame(problem.scop)
    writer = _Writer(problem, frozenset(a.name for a in frame.arrays))
    shared = nest.shared
    if problem.initial is None:
        body = writer.loops(nest.compute, 0, len(nest.compute), lambda: writer.compute(problem.main))
    else:
        initial = problem.initial

        def inside() -> Node:
            first = writer.loops(nest.store, shared, len(nest.store), lambda: writer.compute(initial))
            return Block(
                (first, writer.loops(nest.compute, shared, len(nest.compute), lambda: writer.compute(problem.main)))
            )

        body = writer.loops(nest.compute, 0, shared, inside)
    return LoopNest(frame.name, frame.parameters, frame.arrays, body, frame.context)


@lru_cache(maxsize=256)
def _frame(scop: Scop) -> LoopNest:
    """Everything but the body."""
    context = condition_from_set(scop.known)
    return LoopNest(scop.name, scop.parameters, array_specs(scop), Block(()), context)


def _always_full(problem: Contraction, nest: Nest) -> bool:
    for loops in (nest.compute, nest.store):
        tiles: dict[str, int] = {}  # elements of one iteration of a variable's outermost loop
        for loop, elements in zip(loops, inner_elements(loops), strict=True):
            tile = tiles.setdefault(loop.variable, elements)
            if loop.kind in _POINTS and problem.sizes[loop.variable] % tile:
                return False
    return True


def _members(names: tuple[str, ...], loops: Loops) -> tuple[Member, ...]:
    members: list[Member] = []
    for loop, divisor in zip(loops, inner_elements(loops), strict=True):
        row = Affine(((loop.variable, 1),))
        members.append(Member(tuple((n, row) for n in names), divisor, False, KINDS[loop.kind]))
    return tuple(members)


def _bands(members: tuple[Member, ...], child: TreeNode) -> TreeNode:
    """One band, and where the innermost loops are points of a register tile one below it for them."""
    if not members:
        return child
    cut = len(members)
    while cut and members[cut - 1].kind in (LoopKind.UNROLLED, LoopKind.VECTOR):
        cut -= 1
    if cut not in (0, len(members)):
        return Band(members[:cut], True, Band(members[cut:], True, child))
    return Band(members, True, child)


@dataclass
class _Writer:
    """Loops from the outside in: what they are called, and what the counters of their variables are worth."""

    problem: Contraction
    taken: frozenset[str]
    open: list[str] = field(default_factory=list)
    values: dict[str, Affine] = field(default_factory=dict)

    def loops(self, loops: Loops, start: int, stop: int, inside: Callable[[], Node]) -> Node:
        """The loops from `start` to `stop` around what `inside` makes."""
        if start == stop:
            return inside()
        variable, size, tail, kind = loops[start]
        elements = inner_elements(loops[start:])[0]
        outer = self.values.get(variable)
        lower, upper = self._bounds(variable, size, tail, elements, outer)
        if upper == lower + 1:
            self.values[variable] = lower
            node = self.loops(loops, start + 1, stop, inside)
        else:
            name = numbered_name(variable if elements == 1 else f"{variable}t", self.taken, self.open)
            self.open.append(name)
            self.values[variable] = affine(name)
            body = self.loops(loops, start + 1, stop, inside)
            self.open.pop()
            node = Loop(name, lower, upper, 1, body, KINDS[kind])
        if outer is None:
            del self.values[variable]
        else:
            self.values[variable] = outer
        return node

    def _bounds(
        self, variable: str, size: int, tail: int, elements: int, outer: Affine | None
    ) -> tuple[Affine, Affine]:
        """First value and the one behind the last, in blocks of `elements`."""
        if outer is None:
            return affine(0), affine(size + (tail > 0))
        blocks, lower = -(-self.problem.sizes[variable] // elements), outer * size
        if blocks % size == 0:
            return lower, lower + size
        last = affine(blocks - 1)
        return lower, Affine(((Min((last, lower + (size - 1))), 1),), 1)

    def compute(self, statement: Statement) -> Compute:
        """The statement at the present values of its counters."""
        return statement.computed(self.values)
