"""Two nests that go through the rows of one matrix, block of rows by block of rows.

    for i: for j: t[i] += A[i][j] * x[j];    for i: for j: y[j] += A[i][j] * t[i];
    ->  for it:  { for i in it: for j: t[i] += A[i][j] * x[j];   for i in it: for j: y[j] += A[i][j] * t[i]; }

The second one finds its rows in a near cache. Each keeps a shape of its own inside of a block. So does what runs
between them, if it has to. Loops in lanes, and
what follows on them, share strips of the rows or columns that are their lanes:

    vector j: { .. for i: y[i][j] = ..x[i][j].. }    vector j: { .. for i: z[i][j] = ..x[i][j].. }
    for i: for j: x[i][j] = y[i][j] + z[i][j]        ->  for jt:  the same three loops over 64 columns
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.target import Target
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Path, ScheduleTree, chained_members
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


def sharing_strips(proofs: Proofs, base: ShapedTree, target: Target, vectors: int) -> ShapedTree | None:
    """A schedule whose loops in lanes share strips with the nests next to them; None where none do, or none may.

    Args:
        base: nests one after the other, at its root or in the loops around all of them.
        vectors: how many a strip of neighbouring columns has, 0 for strips of rows alone; of rows, there is one.
    """
    path = side_by_side(base.tree)
    if path is None:
        return None
    done: tuple[Branch, ...] = ()
    sequence = base.tree.at(path)
    waiting = sequence.branches if isinstance(sequence, TreeSequence) else ()
    groups: tuple[_Strip, ...] = ()
    joined = 0
    while waiting:
        branch, waiting = waiting[0], waiting[1:]
        join = partial(_with_strip, proofs, base, path, target, vectors)
        found = next(join(done, groups, branch, waiting), None)
        if found is None:
            done, groups = (*done, branch), tuple(_strips(base.scop, branch))
        else:
            done, groups, joined = (*done[:-1], found[0]), found[1:], joined + 1
    tree = base.tree.replaced(path, TreeSequence(done) if len(done) > 1 else done[0].node)
    words = f"strips of {vectors} vectors" if vectors else "strips of rows"
    return replace(base, name=f"{base.name}, {words} shared", tree=tree) if joined else None


def side_by_side(tree: ScheduleTree) -> Path | None:
    """Where nests stand one after the other, inside of the loops around all of them; None where there is but one."""
    path, node = list[int](), tree.root
    while isinstance(node, Band) and all(member.kind is LoopKind.SEQUENTIAL for member in node.members):
        path, node = [*path, 0], node.child
    return tuple(path) if isinstance(node, TreeSequence) else None


@dataclass(frozen=True)
class _Strip:
    """A loop of a branch.

    Attributes:
        rows: its row for each statement.
        places: (array, dimension, direction) through which it goes.
        lanes: whether there is a loop in lanes.
        size: of the strips, where the branch has some already.
    """

    rows: tuple[tuple[str, Affine], ...]
    places: frozenset[tuple[str, int, int]]
    lanes: bool
    size: int = 0

    @property
    def turned(self) -> _Strip:
        """Its strips, last to first."""
        places = frozenset((name, place, -way) for name, place, way in self.places)
        return replace(self, rows=tuple((name, row * -1) for name, row in self.rows), places=places)


def _with_strip(
    proofs: Proofs,
    base: ShapedTree,
    path: Path,
    target: Target,
    vectors: int,
    done: tuple[Branch, ...],
    groups: tuple[_Strip, ...],
    branch: Branch,
    waiting: tuple[Branch, ...],
) -> Iterator[tuple[Branch, _Strip]]:
    """Legal joins of the last branch that is done with the next one."""
    scop = base.scop
    for one, other in product(groups, [way for strip in _strips(scop, branch) for way in (strip, strip.turned)]):
        shared = sorted(one.places & other.places)
        if not shared or not (one.lanes or other.lanes):
            continue
        size = one.size
        if not size:
            arrays = [scop.array(name) for name, _, _ in shared]
            along = any(place == len(scop.array(name).shape) - 1 for name, place, _ in shared)
            if along and not vectors:
                continue
            size = max(target.lanes(array.type) for array in arrays) * (vectors if along else 1)
        node, rows = done[-1].node, (*one.rows, *other.rows)
        inside: tuple[Branch, ...] = (done[-1],)
        if one.size and isinstance(node, Band) and isinstance(node.child, TreeSequence):
            inside = node.child.branches
        order = {s.name: k for k, s in enumerate(scop.statements)}
        member = Member(tuple(sorted(rows, key=lambda row: order[row[0]])), size)
        new = Branch(tuple(name for name, _ in member.rows), Band((member,), False, TreeSequence((*inside, branch))))
        changed = base.tree.replaced(path, TreeSequence((*done[:-1], new, *waiting)))
        if proofs.is_legal(scop, changed):
            yield new, _Strip(member.rows, one.places | other.places, True, size)


def _strips(scop: Scop, branch: Branch) -> Iterator[_Strip]:
    """The loops of a branch over which all its statements may be cut: those around all of them."""
    members = chained_members(branch.node)
    lanes = any(member.kind is LoopKind.VECTOR for member in members)
    for member in members:
        places = frozenset(
            (access.array, place, way)
            for name, row in member.rows
            for access in (scop.statement(name).target, *scop.statement(name).reads)
            if len(access.subscripts) > 1
            for place, subscript in enumerate(access.subscripts)
            for way in (1, -1)
            if subscript == row * way
        )
        if member.divisor == 1 and places:
            yield _Strip(member.rows, places, lanes)


def _joined(proofs: Proofs, scop: Scop, tree: ScheduleTree, size: int) -> Iterator[ScheduleTree]:
    """Legal trees with two more nests joined."""
    if not isinstance(tree.root, TreeSequence):
        return
    branches = tree.root.branches
    for first, second in combinations(range(len(branches)), 2):
        outer = _shared(scop, branches[first], branches[second], size)
        if outer is None:
            continue
        between = branches[first + 1 : second]
        apart = _block(scop, outer, (branches[first], branches[second]))
        together = _with_all(outer, between) if between else None
        inside = [(_block(scop, together, branches[first : second + 1]),)] if together is not None else []
        for middle in (*between, apart), (apart, *between), *inside:
            order = (*branches[:first], *middle, *branches[second + 1 :])
            changed = replace(tree, root=TreeSequence(order) if len(order) > 1 else order[0].node)
            if proofs.is_legal(scop, changed):
                yield changed
                break


def _block(scop: Scop, outer: Member, branches: tuple[Branch, ...]) -> Branch:
    """Branches inside of one loop over blocks."""
    rows = tuple((s.name, outer.row(s.name)) for s in scop.statements if s.name in dict(outer.rows))
    outer = replace(outer, rows=rows)
    return Branch(tuple(name for name, _ in rows), Band((outer,), False, TreeSequence(branches)))


def _with_all(outer: Member, between: tuple[Branch, ...]) -> Member | None:
    """The loop over blocks of rows with what runs between its two nests, by the outermost loops there."""
    loops = [branch.node.members[0] for branch in between if isinstance(branch.node, Band)]
    if len(loops) < len(between) or any(loop.divisor != 1 for loop in loops):
        return None
    return replace(outer, rows=(*outer.rows, *(row for loop in loops for row in loop.rows)))


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
    node = branch.node
    while isinstance(node, Band):
        node = node.child
    return chained_members(branch.node) if isinstance(node, Leaf) else ()


def _rows(statement: Statement) -> Iterator[tuple[str, Affine]]:
    """Matrices that the statement goes through, each with the subscript of its rows."""
    for access in dict.fromkeys((*statement.reads, statement.target)):
        if len(access.subscripts) == 2 and not access.data:
            yield access.array, access.subscripts[0]


def _has_loop(branch: Branch, row: Affine) -> bool:
    """Whether one of the nest's loops runs over the rows."""
    return any(member.row(branch.statements[0]) == row for member in _loops(branch))
