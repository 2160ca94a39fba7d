"""Two nests that go through the rows of one matrix, block of rows by block of rows.

    for i: for j: t[i] += A[i][j] * x[j];    for i: for j: y[j] += A[i][j] * t[i];
    ->  for it:  { for i in it: for j: t[i] += A[i][j] * x[j];   for i in it: for j: y[j] += A[i][j] * t[i]; }

The second one finds its rows in a near cache. Each keeps a shape of its own inside of a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from polyloop.backend.ir.affine import Affine
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Branch, Leaf, Member, ScheduleTree
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.shaped import ShapedTree


def sharing_rows(proofs: Proofs, base: ShapedTree, size: int) -> ShapedTree | None:
    """A schedule whose nests share blocks of so many rows, two by two; None where none do, or none may.

    Args:
        base: nests one after the other at its root.
    """
    tree, pairs = base.tree, 0
    while (found := next(_joined(proofs, base.scop, tree, size), None)) is not None:
        tree, pairs = found, pairs + 1
    return replace(base, name=f"{base.name}, blocks of {size} rows shared", tree=tree) if pairs else None


def _joined(proofs: Proofs, scop: Scop, tree: ScheduleTree, size: int) -> Iterator[ScheduleTree]:
    """Legal trees with two more nests joined."""
    if not isinstance(tree.root, TreeSequence):
        return
    branches = tree.root.branches
    for first, second in combinations(range(len(branches)), 2):
        outer = _shared(scop, branches[first], branches[second], size)
        if outer is None:
            continue
        names = tuple(name for name, _ in outer.rows)
        joined = Branch(names, Band((outer,), False, TreeSequence((branches[first], branches[second]))))
        between = branches[first + 1 : second]
        for middle in (*between, joined), (joined, *between):
            order = (*branches[:first], *middle, *branches[second + 1 :])
            changed = replace(tree, root=TreeSequence(order) if len(order) > 1 else joined.node)
            if proofs.is_legal(scop, changed):
                yield changed
                break


def _shared(scop: Scop, first: Branch, second: Branch, size: int) -> Member | None:
    """The loop over blocks of rows of a matrix that both branches, nests of one statement, go through."""
    one, other = (_statement(scop, branch) for branch in (first, second))
    if one is None or other is None:
        return None
    for array, here in _rows(one):
        for same, there in _rows(other):
            if array == same and _has_loop(first, here) and _has_loop(second, there):
                rows = {one.name: here, other.name: there}
                return Member(tuple((s.name, rows[s.name]) for s in scop.statements if s.name in rows), size)
    return None


def _statement(scop: Scop, branch: Branch) -> Statement | None:
    """The only statement of a nest of two loops or more."""
    return scop.statement(branch.statements[0]) if len(branch.statements) == 1 and len(_loops(branch)) > 1 else None


def _loops(branch: Branch) -> tuple[Member, ...]:
    """The members of a chain of bands down to a leaf; none where it is no chain."""
    members: tuple[Member, ...] = ()
    node = branch.node
    while isinstance(node, Band):
        members, node = (*members, *node.members), node.child
    return members if isinstance(node, Leaf) else ()


def _rows(statement: Statement) -> Iterator[tuple[str, Affine]]:
    """Matrices that the statement goes through, each with the subscript of its rows."""
    for access in dict.fromkeys((*statement.reads, statement.target)):
        if len(access.subscripts) == 2 and not access.data:
            yield access.array, access.subscripts[0]


def _has_loop(branch: Branch, row: Affine) -> bool:
    """Whether one of the nest's loops runs over the rows."""
    return any(member.row(branch.statements[0]) == row for member in _loops(branch))
