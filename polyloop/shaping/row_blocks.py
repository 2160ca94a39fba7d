"""Lanes down the columns of matrices, a block of rows at a time.

    vector for j: { s_x[j] = 0;  for i: { s_x[j] = f(a[i][j], s_x[j]);  b[i][j] = s_x[j]; } }
    ->  vector for j: s_x[j] = 0;
        for it:  vector for j:  for i in it: { s_x[j] = f(a[i][j], s_x[j]);  b[i][j] = s_x[j]; }

Memory is asked for whole rows then, one after the other, and not for a line of each; what a column keeps is loaded and
stored once for a block of rows. Lanes are independent of each other, so that their loop may be distributed, and stand
inside of loops that it stood around.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, groupby

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.target import Target
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Branch, Member, Node, Path, ScheduleTree, Sequence, has_loops
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import ShapedTree
from polyloop.shaping.sharing import side_by_side


def lanes_apart(proofs: Proofs, lanes: ShapedTree) -> ShapedTree | None:
    """A schedule with loops in lanes, those that go down columns distributed, and what they start from in front of
    all: its loops stand side by side, so that they may share rows. None where no lanes go down columns."""
    scop, tree, found = lanes.scop, lanes.tree, False
    for path, band in reversed([*lanes.tree.bands()]):
        if _goes_down(scop, band):
            changed = tree.replaced(path, _apart(band.members[0], band.child))
            if proofs.is_legal(scop, changed):
                tree, found = changed, True
    return replace(lanes, tree=_starts_first(proofs, scop, tree)) if found else None


def in_row_blocks(proofs: Proofs, base: ShapedTree, target: Target) -> ShapedTree:
    """A schedule of `lanes_apart` with those of its lanes that go down columns inside of loops over blocks of rows,
    wherever such a loop is not around them already; a block has as many rows as a vector has lanes."""
    scop, tree = base.scop, base.tree
    for path, band in reversed([*base.tree.bands()]):
        inner = band.child
        if not _goes_down(scop, band) or not isinstance(inner, Band):
            continue
        if any(member.divisor > 1 for member in tree.members_above(path)):
            continue
        size = max(target.lanes(scop.array(scop.statement(name).target.array).type) for name in band.statements)
        changed = tree.replaced(path, Band((replace(inner.members[0], divisor=size),), False, band))
        tree = changed if proofs.is_legal(scop, changed) else tree
    return replace(base, name=f"{base.name}, by blocks of rows", tree=tree)


def _goes_down(scop: Scop, band: Band) -> bool:
    """Whether a band is lanes along the rows of all matrices, around loops that go from row to row of some."""
    lanes, *others = band.members
    if lanes.kind is not LoopKind.VECTOR or others:
        return False
    tree = ScheduleTree(band.statements, band.child)
    inside = [(name, row) for _, below in tree.bands() for member in below.members for name, row in member.rows]
    down = False
    for statement in map(scop.statement, band.statements):
        lane = lanes.row(statement.name)
        moving = {v for name, row in inside if name == statement.name for v in row.variables()}
        for access in (statement.target, *statement.reads):
            *outer, inner = access.subscripts or (affine(0),)
            if access.data or not _along(inner, lane) or any(_moves(subscript, lane) for subscript in outer):
                return False
            down |= _moves(inner, lane) and any(moving & subscript.variables() for subscript in outer)
    return down


def _moves(subscript: Affine, lane: Affine) -> bool:
    return not lane.variables().isdisjoint(subscript.variables())


def _along(subscript: Affine, lane: Affine) -> bool:
    """Whether it moves as the lanes do, or not at all."""
    return all(subscript.coefficient(v) in (0, lane.coefficient(v)) for v in lane.variables())


def _apart(lanes: Member, node: Node) -> Node:
    """What is inside of lanes with lanes of its own for each loop, and for neighbours that are none."""
    if not isinstance(node, Sequence):
        return Band((lanes,), False, node)
    parts: list[Branch] = []
    for loops, group in groupby(node.branches, lambda branch: has_loops(branch.node)):
        together = tuple(group)
        for branches in ((branch,) for branch in together) if loops else (together,):
            names = tuple(name for branch in branches for name in branch.statements)
            inside = Sequence(branches) if len(branches) > 1 else branches[0].node
            parts.append(Branch(names, Band((lanes.restricted(frozenset(names)),), False, inside)))
    return Sequence(tuple(parts)) if len(parts) > 1 else parts[0].node


def _starts_first(proofs: Proofs, scop: Scop, tree: ScheduleTree) -> ScheduleTree:
    """The tree with neighbours side by side, those in front that loops start from and may go there."""
    path = side_by_side(tree)
    if path is None:
        return tree
    branches = _sequence(tree, path).branches
    nested = ((b.node.branches if isinstance(b.node, Sequence) else (b,)) for b in branches)
    branches = tuple(chain.from_iterable(nested))
    tree = tree.replaced(path, Sequence(branches))
    for branch in branches:
        if isinstance(branch.node, Band) and not has_loops(branch.node.child):
            others = tuple(other for other in _sequence(tree, path).branches if other is not branch)
            changed = tree.replaced(path, Sequence((branch, *others)))
            tree = changed if proofs.is_legal(scop, changed) else tree
    return tree


def _sequence(tree: ScheduleTree, path: Path) -> Sequence:
    node = tree.at(path)
    assert isinstance(node, Sequence)
    return node
