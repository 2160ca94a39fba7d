"""Blocked forms of loops that read again what they sum up: factorisations and triangular solutions.

    for k:  { A[k+1:][k] /= A[k][k];  for i > k, j > k:  A[i][j] -= A[i][k] * A[k][j]; }
    ->  for kt:  { the same for k, i, j in the tile;                                   (diagonal block)
                   for k in the tile, i behind it:  { A[i][k] /= A[k][k];  ... }       (panel)
                   for i, j behind it:  for k in the tile:  A[i][j] -= A[i][k] * A[k][j]; }

    for i:  { for j < i:  x[i] -= L[i][j] * x[j];  x[i] /= L[i][i]; }
    ->  for it:  { for j in front of the tile, i in it:  x[i] -= L[i][j] * x[j];    (rows of a product)
                   the same for i, j in the tile; }                                 (diagonal block)

Where a loop sums up, and can stand outermost, what is stored is read as an operand once that loop has come as far as
one of the others. So statements are cut where the tile of that loop is the tile of another one: the parts before that
only sum up within a tile, so that the dependences leave them apart from the others, as products.

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
from polyloop.transforms.index_set_split import IndexSetSplit, half
from polyloop.transforms.scop_transform import IllegalScopTransformError


def in_panels(proofs: Proofs, base: ShapedTree, size: int, of: str = "panels") -> ShapedTree | None:
    """A schedule with every nest that can be cut so in blocks of a size; None if there is none, or where that is not
    legal.

    Args:
        of: "panels": the loop that sums up stands outermost, so that what is summed up is updated panel by panel; or
            "rows": another one does, so that a matrix that is read once is read row by row.
    """
    found = base
    for nest in reversed(list(nests(base.tree))):
        found = _blocked(proofs, found, nest, size, of) or found
    if found is base or not proofs.is_legal(found.scop, found.tree):
        return None
    return replace(found, name=f"{base.name}, {of} of {size}")


def _blocked(proofs: Proofs, base: ShapedTree, nest: Nest, size: int, of: str) -> ShapedTree | None:
    """The schedule with one nest in blocks, the others as they are."""
    chain = base.tree.at(nest.path)
    sums = sorted(reduction_members(base.scop, nest))
    if len(nest.members) < 2 or not sums or not isinstance(chain, Band) or not _reads_what_it_sums(base.scop, nest):
        return None
    outermost = sums[0] if of == "panels" else next((k for k in range(len(nest.members)) if k not in sums), None)
    if outermost is None:
        return None
    if outermost > 0:
        if not chain.permutable or len(chain.members) < len(nest.members):
            return None
        chain = replace(chain, members=_first(chain.members, outermost))
    cuts = _Cuts(base.scop, {s.name: s.name for s in base.scop.statements})
    for name in nest.statements:
        cuts.cut(name, _first(nest.members, sums[0]), size)
    if not cuts.steps:
        return None
    tree = _renamed(base.tree.replaced(nest.path, chain), cuts)
    names = tuple(name for name in tree.statements if cuts.origin[name] in nest.statements)
    around = tuple(member.restricted(frozenset(names)) for member in tree.members_above(nest.path))
    below = tree.at(nest.path)
    assert isinstance(below, Band)
    outer = replace(below.members[0], divisor=size, coincident=False)
    parts = groups(cuts.scop, proofs.dependences(cuts.scop), names, (*around, outer))
    if len(parts) < 2:
        return None
    inside = TreeSequence(tuple(Branch(part, restrict(below, frozenset(part))) for part in parts))
    tree = tree.replaced(nest.path, Band((outer,), False, inside))
    return ShapedTree(base.name, cuts.scop, tree, (*base.changes, *cuts.steps))


def _reads_what_it_sums(scop: Scop, nest: Nest) -> bool:
    """Whether some statement reads another element of an array than it writes there."""
    statements = [scop.statement(name) for name in nest.statements]
    written = {statement.target.array for statement in statements}
    return any(read.array in written and read != s.target for s in statements for read in s.reads)


def _first(members: tuple[Member, ...], index: int) -> tuple[Member, ...]:
    """The members with one of them outermost."""
    return (members[index], *members[:index], *members[index + 1 :])


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
        statement, parts = self.scop.statement(name), [name]
        outer = members[0].row(name)
        for other in (member.row(name) for member in members[1:]):
            # The outer loop never passes the other.
            if other != outer and half(self.scop, statement, outer - other, ">").is_disjoint(statement.domain):
                # Odd everywhere: below 0 where the other's tile lies behind this one, else above.
                plane = (outer // size * size + size - 1 - other) * 2 + 1
                parts = [part for whole in parts for part in self._parts(whole, IndexSetSplit(whole, plane))]

    def _parts(self, name: str, step: IndexSetSplit) -> list[str]:
        try:
            changed = step.apply(self.scop)
        except IllegalScopTransformError:
            return [name]
        known = {s.name for s in self.scop.statements}
        parts = [s.name for s in changed.statements if s.name not in known]
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
