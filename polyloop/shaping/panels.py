"""Blocked forms of loops that read again what they sum up: factorisations and triangular solutions.

    for k:  { A[k+1:][k] /= A[k][k];  for i > k, j > k:  A[i][j] -= A[i][k] * A[k][j]; }
    ->  for kt:  { the same for k, i, j in the tile;                                   (diagonal block)
                   for k in the tile, i behind it:  { A[i][k] /= A[k][k];  ... }       (panel)
                   for i, j behind it:  for k in the tile:  A[i][j] -= A[i][k] * A[k][j]; }

In a band whose outermost loop sums up, what is stored is read as an operand once that loop has come as far as one of the
others. So statements are cut where the tile of the outermost loop is that of another one: the parts before that only
sum up within a tile, so that the dependences leave them apart from the others, as products.

References:
    Carr and Kennedy, "Compiler Blockability of Numerical Algorithms", Supercomputing 1992, who derive the block
    algorithms of LAPACK by index-set splitting and distribution, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from polyloop.schedules.isl_scheduler import groups
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Branch, Member, Node, ScheduleTree, children, restrict, with_children
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.model import Scop
from polyloop.shaping.nests import Nest, nests, reduction_members
from polyloop.shaping.shaped import ShapedTree
from polyloop.transforms.index_set_split import IllegalSplitError, IndexSetSplit

MOST_PARTS = 3
"""Parts of a statement: before, on and, along one more loop, beside the diagonal."""


def in_panels(proofs: Proofs, base: ShapedTree, size: int) -> ShapedTree | None:
    """A schedule with every nest that can be cut so in blocks of a size; None if there is none, or where that is not
    legal."""
    found = base
    for nest in reversed(list(nests(base.tree))):
        found = _blocked(proofs, found, nest, size) or found
    if found is base or not proofs.is_legal(found.scop, found.tree):
        return None
    return replace(found, name=f"{base.name}, panels of {size}")


def _blocked(proofs: Proofs, base: ShapedTree, nest: Nest, size: int) -> ShapedTree | None:
    """The schedule with one nest in blocks, the others as they are."""
    if len(nest.members) < 2 or 0 not in reduction_members(base.scop, nest):
        return None
    cuts = _Cuts(base.scop, {s.name: s.name for s in base.scop.statements})
    for name in nest.statements:
        cuts.cut(name, nest.members, size)
    if not cuts.steps:
        return None
    tree = _renamed(base.tree, cuts)
    names = frozenset(name for name, whole in cuts.origin.items() if whole in nest.statements)
    chain = tree.at(nest.path)
    around = tuple(member.restricted(names) for member in tree.members_above(nest.path))
    assert isinstance(chain, Band)
    outer = replace(chain.members[0], divisor=size, coincident=False)
    ordered = tuple(name for name in tree.statements if name in names)
    parts = groups(cuts.scop, proofs.dependences(cuts.scop), ordered, (*around, outer))
    if len(parts) < 2:
        return None
    below = TreeSequence(tuple(Branch(part, restrict(chain, frozenset(part))) for part in parts))
    tree = tree.replaced(nest.path, Band((outer,), False, below))
    return ShapedTree(base.name, cuts.scop, tree, (*base.changes, *cuts.steps))


@dataclass
class _Cuts:
    """A Scop whose statements are being cut.

    Attributes:
        origin: of every statement, what it was a part of before.
    """

    scop: Scop
    origin: dict[str, str]
    steps: tuple[IndexSetSplit, ...] = ()

    def cut(self, name: str, members: tuple[Member, ...], size: int) -> None:
        """Cut a statement wherever the tile of the first member is that of another one."""
        parts = [name]
        for member in members[1:]:
            plane = members[0].row(name) // size - member.row(name) // size
            if not plane.is_constant:
                parts = [part for whole in parts for part in self._parts(whole, IndexSetSplit(whole, plane))]

    def _parts(self, name: str, step: IndexSetSplit) -> list[str]:
        try:
            changed = step.apply(self.scop)
        except IllegalSplitError:
            return [name]
        known = {s.name for s in self.scop.statements}
        parts = [s.name for s in changed.statements if s.name not in known]
        if len(parts) > 2:  # on both sides: what is summed up is read before it is complete, and after
            return [name]
        whole = self.origin.pop(name)
        self.origin |= dict.fromkeys(parts, whole)
        self.scop, self.steps = changed, (*self.steps, step)
        return parts


def _renamed(tree: ScheduleTree, cuts: _Cuts) -> ScheduleTree:
    """The tree with the parts in place of the statements that were cut."""
    names = tuple(s.name for s in cuts.scop.statements)

    def parts(statements: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if cuts.origin[name] in statements)

    def renamed(node: Node) -> Node:
        match node:
            case Band(members):
                here = parts(node.statements)
                rows = ((name, cuts.origin[name]) for name in here)
                pairs = tuple(rows)
                moved = tuple(replace(m, rows=tuple((new, m.row(old)) for new, old in pairs)) for m in members)
                node = replace(node, members=moved)
            case TreeSequence(branches):
                node = TreeSequence(tuple(replace(b, statements=parts(b.statements)) for b in branches))
        return with_children(node, [renamed(child) for child in children(node)])

    return ScheduleTree(names, renamed(tree.root))
