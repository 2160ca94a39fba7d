"""Rows that are asked for ahead: loops that go from row to row, as sweeps down the columns of an array do in lanes.

    vector for i: for j: p[i] = f(u[j][i], p[i])   ->   vector for i: for j: { prefetch u[j + D][i];  p[i] = .. }

Every iteration comes to a line in another page, so that the processor asks for none of them itself, and where one
iteration needs what the one before has computed, it sees no further than the next few.

References:
    Mowry, Lam and Gupta, "Design and Evaluation of a Compiler Algorithm for Prefetching", ASPLOS 1992.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import Band, Member, Node, ScheduleTree, children, step_of, strides
from polyloop.scop.model import Scop

DISTANCE = 16
"""Rows: implicit steps along the columns of 1000 x 1000 doubles took 1.2 to 1.36 times as long without, and as long
with 8, 32 or 64 (Zen 3)."""


def rows_ahead(scop: Scop, tree: ScheduleTree) -> ScheduleTree | None:
    """The tree with all such rows asked for; None where it has no such loops."""
    result = tree
    for path, band in tree.bands():
        above = tree.members_above(path)
        members = list(band.members)
        for at, member in enumerate(members):
            around = (*above, *band.members)
            if member.kind is not LoopKind.SEQUENTIAL or _goes_on(band.members[at + 1 :], band):
                continue
            arrays = dict.fromkeys(_jumping(scop, band.statements, around, len(above) + at))
            asked = {array for array, _ in member.prefetches}
            ahead = tuple((array, DISTANCE) for array in arrays if array not in asked)
            members[at] = replace(member, prefetches=(*member.prefetches, *ahead))
        if tuple(members) != band.members:
            changed = result.at(path)
            assert isinstance(changed, Band)
            result = result.replaced(path, replace(changed, members=tuple(members)))
    return None if result is tree else result


def _goes_on(members: Iterable[Member], below: Node) -> bool:
    """Whether there are loops inside that stay loops."""
    if any(member.kind is LoopKind.SEQUENTIAL for member in members):
        return True
    return any(_goes_on(child.members if isinstance(child, Band) else (), child) for child in children(below))


def _jumping(scop: Scop, names: Collection[str], members: Collection[Member], along: int) -> Iterator[str]:
    """Arrays in which a loop moves to another row with every iteration, and lanes around it to neighbours."""
    lanes = [at for at, member in enumerate(members) if at < along and member.kind is LoopKind.VECTOR]
    for statement in (scop.statement(name) for name in names):
        here = [member.restricted(frozenset((statement.name,))) for member in members]
        step = step_of(statement, here, along)
        sides = [step_of(statement, here, at) for at in lanes]
        if step is None or not sides or sides[-1] is None:
            continue
        for access in (*statement.reads, statement.target):
            down = strides(access, statement.iterators, step)
            across = strides(access, statement.iterators, sides[-1])
            if down and across and any(down[:-1]) and not down[-1] and not any(across[:-1]) and across[-1] in (1, -1):
                yield access.array
