"""Sweeps over copies of their arrays: with rows of whole cache lines, or with diagonals as rows.

A sweep in place, as Gauss and Seidel's, computes each element from the one before it and the one above it: neither rows
nor columns of the array may run in lanes. Its diagonals may, and in a copy they are neighbours in memory:

    for t: for i: for j:  A[i][j] = f(A[i-1][j], A[i][j-1], A[i+1][j], ..)
    ->  copy A[i][j] to A_r[i+j][i];
        for t: for w: vector for i:  A_r[w][i] = f(A_r[w-1][i-1], A_r[w-1][i], A_r[w+1][i+1], ..);
        copy back

It can be tiled over time, too, as any other sweep.

References:
    Lamport, "The Parallel Execution of DO Loops", CACM 1974, for the diagonals.
    Henretty et al., "Data Layout Transformation for Stencil Computations on Short-Vector SIMD Architectures", CC 2011,
    for copies that live as long as all sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Branch, Member, ScheduleTree, Sequence, original_tree, restrict
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.families import is_sweep
from polyloop.shaping.nests import Nest, Shape, nests, reshaped, vector_members
from polyloop.shaping.shaped import ShapedTree
from polyloop.transforms.realign import Realign
from polyloop.transforms.scop_transform import legal_steps

STEEPEST = 2
"""Columns per row that diagonals are tried to lean further than the loops do."""


def in_whole_lines(base: ShapedTree) -> ShapedTree | None:
    """Copies whose rows begin where cache lines do; None where loops come back to no array."""
    changed, done = legal_steps(base.scop, Realign.candidates(base.scop))
    return _with_copies(base, changed, done, "rows of whole lines") if done else None


def in_diagonals(proofs: Proofs, base: ShapedTree) -> ShapedTree | None:
    """Copies whose rows are diagonals, for a sweep that has no lanes along rows; None where none has any so, either."""
    scop = base.scop
    for nest in filter(lambda nest: is_sweep(scop, nest), nests(base.tree)):
        if any(_has_lanes(proofs, base, nest, member) for member in vector_members(scop, nest)):
            continue
        for leaning, slope in _leaning(scop, base, nest):
            (turned,) = (other for other in nests(leaning.tree) if other.path == nest.path)
            along = _plane(scop, turned)
            if along is None or not _has_lanes(proofs, leaning, turned, along[0]):
                continue
            arrays = _arrays(scop, nest)
            steps = (Realign(name, 512 // scop.array(name).type.bits, slope) for name in arrays)
            changed, done = legal_steps(scop, steps)
            if len(done) == len(arrays):
                return _with_copies(leaning, changed, done, f"diagonals of slope {slope}")
    return None


def _has_lanes(proofs: Proofs, base: ShapedTree, nest: Nest, vector: int) -> bool:
    """Whether a member may be lanes, its statements together or apart."""
    others = tuple((k, 1) for k in range(len(nest.members)) if k != vector)
    shapes = (Shape(others, ((vector, LoopKind.VECTOR),), apart) for apart in (False, True))
    trees = (reshaped(base.scop, proofs.dependences(base.scop), base.tree, nest, shape) for shape in shapes)
    return any(proofs.is_legal(base.scop, tree) for tree in trees)


def _leaning(scop: Scop, base: ShapedTree, nest: Nest) -> Iterator[tuple[ShapedTree, int]]:
    """The nest with its loop along rows leaning more and more, and the slopes of its diagonals."""
    plane = _plane(scop, nest)
    if plane is None:
        return
    down, along, slope = plane
    for more in range(STEEPEST + 1):
        if slope + more > 0:
            rows = tuple((name, row + nest.members[down].row(name) * more) for name, row in nest.members[along].rows)
            members = tuple(Member(rows) if k == along else member for k, member in enumerate(nest.members))
            tree = base.tree.replaced(nest.path, Band(members, False, nest.bottom))
            yield replace(base, tree=tree), slope + more


def _plane(scop: Scop, nest: Nest) -> tuple[int, int, int] | None:
    """The members that go down and along the rows of what the nest stores, and how much the second leans."""
    axes = {name: _axes(scop.statement(name)) for name in nest.statements}

    def factors(member: Member, axis: int) -> set[int]:
        return {member.row(name).coefficient(found[axis]) for name, found in axes.items() if found is not None}

    if None in axes.values():
        return None
    down = [k for k, member in enumerate(nest.members) if factors(member, 0) == {1} and factors(member, 1) == {0}]
    along = [k for k, member in enumerate(nest.members) if factors(member, 1) == {1}]
    leaning = factors(nest.members[along[0]], 0) if len(along) == 1 else set()
    if len(down) != 1 or len(leaning) != 1 or down > along:
        return None
    (slope,) = leaning
    return (down[0], along[0], slope) if slope >= 0 else None


def _axes(statement: Statement) -> tuple[str, str] | None:
    """The iterators down and along the rows of what a statement stores."""
    if len(statement.target.subscripts) < 2:
        return None
    x, y = (_iterator(statement, subscript) for subscript in statement.target.subscripts[-2:])
    return (x, y) if x is not None and y is not None and x != y else None


def _iterator(statement: Statement, subscript: Affine) -> str | None:
    found = [v for v in statement.iterators if v in subscript.variables()]
    return found[0] if len(found) == 1 and subscript.coefficient(found[0]) == 1 else None


def _arrays(scop: Scop, nest: Nest) -> tuple[str, ...]:
    """All that the nest goes through along the rows of what it stores."""
    found: dict[str, None] = {}
    for statement in map(scop.statement, nest.statements):
        axes = _axes(statement)
        for access in (statement.target, *statement.reads):
            last = access.subscripts[-2:]
            if axes is not None and tuple(_iterator(statement, subscript) for subscript in last) == axes:
                found[access.array] = None
    return tuple(found)


def _with_copies(base: ShapedTree, changed: Scop, done: tuple[Realign, ...], words: str) -> ShapedTree:
    """The schedule between the copies of the changed Scop."""
    tree = base.tree
    order, known = original_tree(changed), frozenset(tree.statements)
    names = tuple(s.name for s in changed.statements)
    copies = {name: Branch((name,), restrict(order.root, frozenset((name,)))) for name in names if name not in known}
    first = names.index(tree.statements[0])
    branches = (*(copies[name] for name in names[:first]), Branch(tree.statements, tree.root))
    branches += tuple(copies[name] for name in names[len(branches) + len(known) - 1 :])
    name = f"{', '.join(step.array for step in done)} in {words}; {base.name}"
    return ShapedTree(name, changed, ScheduleTree(names, Sequence(branches)), (*base.changes, *done))
