"""The innermost nests of a schedule tree and the shapes that they can be given.

A nest is a chain of bands with only statements below it. A shape says, for the members of the chain, which loops stand
outside (whole, or as tile loops of some size) and which points are executed inside as straight-line code and vectors:

    for (i, j, k):  C[i][j] += A[i][k] * B[k][j]
    ->  for jt, for it, for k:  unrolled i in 8 rows:  vector j in 24 columns:  C[i][j] += A[i][k] * B[k][j]

Shapes are proposals. What a shape does to the order of execution is proven on the whole tree before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from polyloop.backend.ir.affine import Affine, Atom, FloorDiv, linear
from polyloop.backend.ir.expressions import Access, map_access
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.planning.lanes import FEWEST_TURNED, is_spread
from polyloop.schedules.isl_scheduler import groups
from polyloop.schedules.tree import (
    Band,
    Branch,
    Leaf,
    Member,
    Node,
    Packing,
    Path,
    ScheduleTree,
    is_contiguous,
    is_invariant,
    restrict,
    step_of,
    strides,
)
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop, Statement


@dataclass(frozen=True)
class Nest:
    """A chain of bands down to the statements.

    Attributes:
        path: of the first band.
        members: of all bands of the chain, outermost first.
        around: the members above the chain.
        bottom: what is below the last band: a leaf, or a sequence of leaves.
    """

    path: Path
    members: tuple[Member, ...]
    around: tuple[Member, ...]
    bottom: Node

    @property
    def statements(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.members[0].rows)


@dataclass(frozen=True)
class Shape:
    """A new form for a nest.

    Attributes:
        outer: (member, tile size) in order, outermost first; size 1 is the member itself.
        points: (member, kind) below, outermost first; the points of a tile loop of `outer` stand here or, as a
            sequential loop, later in `outer`.
        skews: (member, by member, factor), applied first: the rows of a member grow by a multiple of another's.
        shifts: (member, statement, steps), applied next: the statement comes so many steps later.
        distribute: give every group of statements that the dependences leave apart its own point loops.
        packings: (position in `outer`, copy made in front of that loop).
        prefetches: (position in `outer`, array that its next iteration will want).
    """

    outer: tuple[tuple[int, int], ...]
    points: tuple[tuple[int, LoopKind], ...]
    distribute: bool = False
    skews: tuple[tuple[int, int, int], ...] = ()
    shifts: tuple[tuple[int, str, int], ...] = ()
    packings: tuple[tuple[int, Packing], ...] = ()
    prefetches: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Movement:
    """How one statement's accesses move along one member."""

    statement: str
    store: tuple[int, ...] | None
    loads: tuple[tuple[int, ...] | None, ...]


def nests(tree: ScheduleTree) -> Iterator[Nest]:
    """All nests, in order of execution."""
    for path, band in tree.bands():
        if path and isinstance(tree.at(path[:-1]), Band):
            continue
        members, node = list(band.members), band.child
        while isinstance(node, Band):
            members.extend(node.members)
            node = node.child
        if isinstance(node, Leaf) or all(isinstance(branch.node, Leaf) for branch in node.branches):
            names = frozenset(band.statements)
            around = tuple(m.restricted(names) for m in tree.members_above(path))
            yield Nest(path, tuple(members), around, node)


def reshaped(
    scop: Scop, dependences: Sequence[Dependence], tree: ScheduleTree, nest: Nest, shape: Shape
) -> ScheduleTree:
    """The tree with the nest in its new shape; kinds and coincidence of the old members are forgotten."""
    plain = [replace(m, kind=LoopKind.SEQUENTIAL, coincident=False, packings=(), prefetches=()) for m in nest.members]
    for member, by, factor in shape.skews:
        plain[member] = _skewed(plain[member], plain[by], factor)
    for member, name, steps in shape.shifts:
        plain[member] = _shifted(plain[member], name, steps)
    outer = tuple(
        replace(
            plain[k],
            divisor=size,
            packings=tuple(packing for at, packing in shape.packings if at == position),
            prefetches=tuple((array, 1) for at, array in shape.prefetches if at == position),
        )
        for position, (k, size) in enumerate(shape.outer)
    )
    points = tuple(replace(plain[k], kind=kind) for k, kind in shape.points)
    node: Node = Band(points, False, nest.bottom) if points else nest.bottom
    if points and shape.distribute:
        parts = groups(scop, dependences, nest.statements, (*nest.around, *outer))
        if len(parts) > 1:
            node = TreeSequence(tuple(Branch(part, restrict(node, frozenset(part))) for part in parts))
    return tree.replaced(nest.path, Band(outer, False, node) if outer else node)


def _skewed(member: Member, by: Member, factor: int) -> Member:
    return replace(member, rows=tuple((name, row + by.row(name) * factor) for name, row in member.rows))


def _shifted(member: Member, name: str, steps: int) -> Member:
    return replace(member, rows=tuple((other, row + steps * (other == name)) for other, row in member.rows))


# --- what the accesses say --------------------------------------------------------------------------------------------


def movement(scop: Scop, nest: Nest, member: int) -> tuple[Movement, ...]:
    """For every statement of the nest's greatest depth that moves along the member: how."""
    statements = [scop.statement(name) for name in nest.statements]
    depth = max(s.depth for s in statements)
    found = []
    for statement in statements:
        if statement.depth < depth:
            continue
        members = [m.restricted(frozenset((statement.name,))) for m in (*nest.around, *nest.members)]
        step = step_of(statement, members, len(nest.around) + member)
        if step is not None and any(step):
            found.append(_movement(statement, step))
    return tuple(found)


def _movement(statement: Statement, step: tuple[int, ...]) -> Movement:
    def along(access: Access) -> tuple[int, ...] | None:
        return strides(access, statement.iterators, step)

    def loaded(access: Access) -> tuple[int, ...] | None:
        found = along(access)
        return found if found is not None or access.data else along(_without_quotients(access))

    return Movement(statement.name, along(statement.target), tuple(loaded(access) for access in statement.reads))


def _without_quotients(access: Access) -> Access:
    """The access to the neighbours that one element for several iterations lies among: ``a[i / 2]`` as ``a[i]``."""

    def plain(atom: Atom) -> Affine:
        match atom:
            case FloorDiv(dividend, divisor) if all(abs(factor) <= divisor for _, factor in dividend.terms):
                return linear([(name, 1) for name, _ in dividend.terms], 0)
        return linear([(atom, 1)], 0)

    return map_access(access, lambda subscript: subscript.map_atoms(plain))


def vector_members(scop: Scop, nest: Nest, lanes: float = FEWEST_TURNED) -> tuple[int, ...]:
    """Members along which every store is contiguous, or leaves out a few elements each time, as vectors of so many
    lanes may; those with the fewest
    such stores first, then with the fewest strided loads."""
    ranked = []
    for member in range(len(nest.members)):
        moves = movement(scop, nest, member)
        spread = sum(not is_contiguous(m.store) for m in moves)
        if moves and all(is_contiguous(m.store) or is_spread(m.store or (), lanes) for m in moves):
            ranked.append((spread, count_strided(scop, nest, member, lanes), -member, member))
    return tuple(member for *_, member in sorted(ranked))


def count_strided(scop: Scop, nest: Nest, member: int, lanes: float) -> int:
    """Loads that neither stay in place nor move to a near element along the member, in vectors of so many lanes."""
    loads = [load for move in movement(scop, nest, member) for load in move.loads]
    return sum(not (is_contiguous(x) or is_invariant(x) or is_spread(x or (), lanes)) for x in loads)


def reduction_members(scop: Scop, nest: Nest) -> frozenset[int]:
    """Members along which every store stays in place."""
    return frozenset(
        member
        for member in range(len(nest.members))
        if (moves := movement(scop, nest, member)) and all(is_invariant(m.store) for m in moves)
    )


def reuse_members(scop: Scop, nest: Nest, vector: int | None) -> tuple[int, ...]:
    """Members worth a block of rows: some load that moves with the vector stays in place along them, or they make
    independent copies of a chain of operations. Those with most reuse first."""
    ranked = []
    fixed = reduction_members(scop, nest)
    for member in range(len(nest.members)):
        if member == vector or member in fixed:
            continue
        reused = sum(shared_loads(scop, nest, vector, member).values()) if vector is not None else 0
        ranked.append((-reused, -member, member))
    return tuple(member for _, _, member in sorted(ranked))


def is_contraction(scop: Scop, nest: Nest) -> bool:
    """Whether a nest can get register tiles of results: it sums up, and blocks of rows share what its vectors load."""
    vectors = vector_members(scop, nest)
    return bool(reduction_members(scop, nest)) and any(reuse_members(scop, nest, vector) for vector in vectors)


def shared_loads(scop: Scop, nest: Nest, vector: int, row: int) -> dict[str, int]:
    """For every statement that moves along both members: its loads that move with the vector and are the same for all
    rows."""
    along = {m.statement: m for m in movement(scop, nest, vector)}
    return {
        # A statement whose domain has one point along a member does not move along it.
        move.statement: sum(
            is_invariant(here) and not is_invariant(there)
            for here, there in zip(move.loads, along[move.statement].loads, strict=True)
        )
        for move in movement(scop, nest, row)
        if move.statement in along
    }
