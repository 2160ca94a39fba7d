"""Schedule trees: a frozen mirror of isl's (Verdoolaege et al., "Schedule Trees", IMPACT 2014).

    node := Band(members, permutable, child) | Sequence(branches) | Leaf

A band orders the instances below it lexicographically by its members; a sequence runs its branches one after the other,
each on its own statements. A member is one integer row per statement, floor-divided by a constant: tiling a member of
size T puts ``floor(row / T)`` above ``row``. So a tree is integers and names, nothing else: it hashes, compares,
pickles and prints, and is its own identity (isl's schedules do none of this).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.model import Scop, Statement

LARGEST = (1 << 31) - 1
"""Number in a schedule: what loops of so many iterations make of it fits into the 64 bits of their counters."""

Path: TypeAlias = "tuple[int, ...]"
"""Child indices from the root: 0 below a band, the branch number below a sequence."""


@dataclass(frozen=True)
class Packing:
    """A copy of what a read touches below its place, which the read then uses in the array's stead.

    Attributes:
        statement, read: the reading statement, and the access as it stands there ("B[k][n]").
        order: for each axis of the copy, outermost first, the array's dimension. A dimension that stands twice is cut
            into panels: its first axis counts them, its second counts the elements of one.
        panel: elements of a panel; 0 where no dimension stands twice.
        factor: a scalar by which the statement multiplies what it reads before it goes on ("alpha" of
            ``alpha * A[i][k] * B[k][j]``): the copy holds the product, which is then computed only once.
    """

    statement: str
    read: str
    order: tuple[int, ...]
    panel: int = 0
    factor: str = ""

    @property
    def array(self) -> str:
        return self.read.partition("[")[0]

    def __str__(self) -> str:
        return f"{self.factor} * {self.read}" if self.factor else self.read


@dataclass(frozen=True)
class Member:
    """One loop of a band: for statement s, the value floor(row_s / divisor).

    Attributes:
        rows: (statement, row over its iterators and the parameters), in the Scop's order of statements.
        divisor: 1 for a point loop, the tile size for a tile loop.
        coincident: no dependence is carried by this member at its place (known, not merely hoped).
        kind: what the loop becomes; VECTOR and PARALLEL are permissions proven by the transforms that set them.
        packings: copies made in front of the loop, once for each iteration of the loops outside of it.
        prefetches: (array, distance): what the caches are asked for in every iteration, so many iterations ahead.
    """

    rows: tuple[tuple[str, Affine], ...]
    divisor: int = 1
    coincident: bool = False
    kind: LoopKind = LoopKind.SEQUENTIAL
    packings: tuple[Packing, ...] = ()
    prefetches: tuple[tuple[str, int], ...] = ()

    @cached_property
    def _row_of(self) -> dict[str, Affine]:
        return dict(self.rows)

    def row(self, statement: str) -> Affine:
        """The statement's row; proofs ask for it hundreds of times where statements and dependences are many."""
        return self._row_of[statement]

    def values(self) -> tuple[tuple[str, Affine], ...]:
        """(statement, the value with the division written out)."""
        return tuple((name, row // self.divisor) for name, row in self.rows)

    def restricted(self, statements: frozenset[str]) -> Member:
        if statements.issuperset(self._row_of):
            return self
        return replace(
            self,
            rows=tuple((name, row) for name, row in self.rows if name in statements),
            packings=tuple(packing for packing in self.packings if packing.statement in statements),
        )


@dataclass(frozen=True)
class Band:
    """Nested loops, outermost first. `permutable`: no dependence that the band still has to order runs backwards in
    any member, so that members may be interchanged and tiled freely."""

    members: tuple[Member, ...]
    permutable: bool
    child: Node

    @property
    def statements(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.members[0].rows])


@dataclass(frozen=True)
class Branch:
    """A child of a sequence and the statements it runs."""

    statements: tuple[str, ...]
    node: Node


@dataclass(frozen=True)
class Sequence:
    """Branches that run one after the other at every point of the loops around."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Leaf:
    """Nothing more to order: at most one statement (or several whose instances never share a point)."""


Node: TypeAlias = "Band | Sequence | Leaf"


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below one; their numbers are what paths are made of."""
    # Asked for tens of thousands of times a search: matching patterns takes four times as long.
    if isinstance(node, Band):
        return (node.child,)
    return tuple([branch.node for branch in node.branches]) if isinstance(node, Sequence) else ()


def _below(node: Node, index: int, path: Path) -> Node:
    """The child of a number; `path` is what was asked for."""
    if isinstance(node, Band):
        if index == 0:
            return node.child
    elif isinstance(node, Sequence) and 0 <= index < len(node.branches):
        return node.branches[index].node
    raise LookupError(f"no node at {path} in this schedule tree")


def with_children(node: Node, new: Iterable[Node]) -> Node:
    """The node above others; the same node above the same ones, so that trees share what does not change."""
    if isinstance(node, Band):
        (other,) = new
        return node if other is node.child else Band(node.members, node.permutable, other)
    if isinstance(node, Sequence):
        branches, below = node.branches, list(new)
        if all(branch.node is other for branch, other in zip(branches, below, strict=True)):
            return node
        return Sequence(tuple([Branch(b.statements, other) for b, other in zip(branches, below, strict=True)]))
    return node


@dataclass(frozen=True)
class ScheduleTree:
    """The schedule of a whole Scop: `statements` in the Scop's order, and the root node."""

    statements: tuple[str, ...]
    root: Node

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Trees are looked up again and again: all of one is gone through once."""
        return hash((self.statements, self.root))

    def __getstate__(self) -> dict[str, object]:
        return {"statements": self.statements, "root": self.root}  # other processes hash otherwise

    def at(self, path: Path) -> Node:
        """The node at `path`.

        Raises:
            LookupError: if the path leaves the tree.
        """
        node = self.root
        for index in path:
            node = _below(node, index, path)
        return node

    def _along(self, path: Path) -> Iterator[Node]:
        """The nodes on the way to the one at `path`, from the root to that one itself."""
        node = self.root
        yield node
        for index in path:
            node = _below(node, index, path)
            yield node

    def replaced(self, path: Path, node: Node) -> ScheduleTree:
        """A new tree with `node` at `path`."""
        return ScheduleTree(self.statements, _replaced(self.root, path, node))

    def statements_at(self, path: Path) -> tuple[str, ...]:
        """The statements below the node at `path`."""
        names = self.statements
        for node, index in zip(self._along(path), path, strict=False):
            if isinstance(node, Sequence):
                names = node.branches[index].statements
        return names

    def walk(self) -> Iterator[tuple[Path, Node]]:
        """Every node with its path, in preorder."""
        ahead: list[tuple[Path, Node]] = [((), self.root)]
        while ahead:
            path, node = ahead.pop()
            yield path, node
            if isinstance(node, Band):
                ahead.append(((*path, 0), node.child))
            elif isinstance(node, Sequence):
                ahead += [((*path, k), branch.node) for k, branch in enumerate(node.branches)][::-1]

    def bands(self) -> Iterator[tuple[Path, Band]]:
        return ((path, node) for path, node in self.walk() if isinstance(node, Band))

    @property
    def has_kinds(self) -> bool:
        """Whether a loop is parallel, a vector or unrolled. Then the vectors are planned here; loops of a tree without
        are left to the compiler's vectoriser."""
        return any(member.kind is not LoopKind.SEQUENTIAL for _, band in self.bands() for member in band.members)

    @cached_property
    def has_copies(self) -> bool:
        """Whether a loop makes copies: proofs ask for every dependence."""
        return _has_copies(self.root)

    def outer_members(self, path: Path) -> tuple[tuple[int, Member] | int, ...]:
        """What orders the instances above `path`: (0, member) for a loop, a branch number for a sequence."""
        result: list[tuple[int, Member] | int] = []
        for node, index in zip(self._along(path), path, strict=False):
            if isinstance(node, Band):
                result.extend((0, member) for member in node.members)
            else:
                result.append(index)
        return tuple(result)

    def members_above(self, path: Path) -> tuple[Member, ...]:
        """The loops around the node at `path`, outermost first."""
        return tuple(step[1] for step in self.outer_members(path) if not isinstance(step, int))

    def map_nodes(self, transform: Callable[[Node], Node]) -> ScheduleTree:
        """Bottom-up rewriting of every node."""
        root = _map(self.root, transform)
        return self if root is self.root else ScheduleTree(self.statements, root)

    def rows(self) -> dict[str, tuple[Affine, ...]]:
        """The flat schedule of each statement: members with divisions written out, sequences as constants; all of one
        length, padded with zeros."""
        flat: dict[str, tuple[Affine, ...]] = {}
        _flatten(self.root, dict.fromkeys(self.statements, ()), flat)
        length = max((len(rows) for rows in flat.values()), default=0)
        return {name: flat[name] + (affine(0),) * (length - len(flat[name])) for name in self.statements}

    def schedule_map(self, scop: Scop) -> isl.UnionMap:
        """S[i] -> [flat schedule], on the Scop's domain."""
        return rows_to_map(scop, self.rows())

    def __str__(self) -> str:
        return "\n".join(_render(self.root, 0))


def has_loops(node: Node) -> bool:
    """Whether there is a band at a node or below it."""
    return isinstance(node, Band) or any(map(has_loops, children(node)))


def chained_members(node: Node) -> tuple[Member, ...]:
    """The members of bands that stand directly in each other, from `node` on; none where it is no band."""
    return (*node.members, *chained_members(node.child)) if isinstance(node, Band) else ()


def rows_to_map(scop: Scop, rows: dict[str, tuple[Affine, ...]]) -> isl.UnionMap:
    """Rows per statement, all of one length, as an isl union map on the Scop's domain."""
    result = isl.UnionMap.empty(scop.domain.get_space())
    for statement in scop.statements:
        result = result.union(rows_map(scop, statement.name, rows[statement.name]))
    return result.intersect_domain(scop.domain)


def rows_map(scop: Scop, statement: str, rows: Iterable[Affine]) -> isl.Map:
    """S[i] -> [rows], for all integer i."""
    return scop.map_to(scop.statement(statement), f"[{', '.join(map(affine_to_text, rows))}]")


def original_tree(scop: Scop) -> ScheduleTree:
    """The tree of the source's own loops, from the 2d+1 schedules; every loop a band of its own."""
    names = tuple(s.name for s in scop.statements)
    rows = {s.name: s.schedule for s in scop.statements}
    return ScheduleTree(names, _from_rows(names, rows, 0))


def _from_rows(names: tuple[str, ...], rows: dict[str, tuple[Affine, ...]], level: int) -> Node:
    """Even levels of a 2d+1 schedule are constants (sequence), odd ones loops."""
    if level % 2 == 1:
        member = Member(tuple((name, rows[name][level]) for name in names))
        return Band((member,), False, _from_rows(names, rows, level + 1))
    positions = sorted({rows[name][level].constant for name in names})
    groups = [tuple(n for n in names if rows[n][level].constant == position) for position in positions]
    nodes = [Leaf() if len(rows[g[0]]) == level + 1 else _from_rows(g, rows, level + 1) for g in groups]
    if len(groups) == 1:
        return nodes[0]
    return Sequence(tuple(Branch(group, node) for group, node in zip(groups, nodes, strict=True)))


def restrict(node: Node, statements: frozenset[str]) -> Node:
    """The part of a node that orders `statements`."""
    match node:
        case Band(members, permutable, child):
            kept = tuple(member.restricted(statements) for member in members)
            return Band(kept, permutable, restrict(child, statements))
        case Sequence(branches):
            left = []
            for branch in branches:
                names = tuple(name for name in branch.statements if name in statements)
                if names:
                    left.append(Branch(names, restrict(branch.node, statements)))
            return left[0].node if len(left) == 1 else Sequence(tuple(left))
        case Leaf():
            return node


def _replaced(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    index, below = path[0], list(children(node))
    below[index] = _replaced(_below(node, index, path), path[1:], new)
    return with_children(node, below)


def _has_copies(node: Node) -> bool:
    match node:
        case Band(members, _, child):
            return any(member.packings for member in members) or _has_copies(child)
        case _:
            return any(_has_copies(child) for child in children(node))


def _map(node: Node, transform: Callable[[Node], Node]) -> Node:
    # As `with_children`, without what it takes to put together: most nodes are bands, and few of them change.
    if isinstance(node, Band):
        child = _map(node.child, transform)
        return transform(node if child is node.child else Band(node.members, node.permutable, child))
    if isinstance(node, Leaf):
        return transform(node)
    return transform(with_children(node, [_map(child, transform) for child in children(node)]))


def _flatten(node: Node, above: dict[str, tuple[Affine, ...]], flat: dict[str, tuple[Affine, ...]]) -> None:
    match node:
        case Band(members, _, child):
            below = dict(above)
            for member in members:
                for name, value in member.values():
                    below[name] = (*below[name], value)
            _flatten(child, below, flat)
        case Sequence(branches):
            for index, branch in enumerate(branches):
                _flatten(branch.node, {name: (*above[name], affine(index)) for name in branch.statements}, flat)
        case Leaf():
            flat.update(above)


def _render(node: Node, indent: int) -> Iterator[str]:
    pad = "  " * indent
    match node:
        case Band(members, permutable, child):
            yield f"{pad}band{' permutable' if permutable else ''}"
            for member in members:
                marks = (" coincident" if member.coincident else "") + (
                    f" {member.kind.name.lower()}" if member.kind is not LoopKind.SEQUENTIAL else ""
                )
                marks += "".join(f" packing {p} of {p.statement}" for p in member.packings)
                marks += "".join(f" prefetching {array} {distance} ahead" for array, distance in member.prefetches)
                values = ", ".join(f"{name}: {value}" for name, value in member.values())
                yield f"{pad}  [{values}]{marks}"
            yield from _render(child, indent + 1)
        case Sequence(branches):
            yield f"{pad}sequence"
            for branch in branches:
                yield f"{pad}- {', '.join(branch.statements)}"
                yield from _render(branch.node, indent + 1)
        case Leaf():
            return


# --- Strides of accesses along a member: how the loops of a schedule move through memory ------------------------------


def step_of(statement: Statement, members: Collection[Member], along: int) -> tuple[int, ...] | None:
    """The change of the statement's iterators when member `along` advances by one and all others stand still.

    Args:
        members: all loops around the statement, outermost first; tile loops (divisor > 1) are ignored, their point
            loops decide.
    Returns:
        One integer per iterator; None if the statement does not move along this member alone.
    """
    rows, right = [], []
    for index, member in enumerate(members):
        if member.divisor != 1:
            continue
        row = member.row(statement.name)
        coefficients = [Fraction(row.coefficient(iterator)) for iterator in statement.iterators]
        if not any(coefficients) and index != along:
            continue
        rows.append(coefficients)
        right.append(Fraction(int(index == along)))
    solution = solve(rows, right, len(statement.iterators))
    if solution is None or any(value.denominator != 1 for value in solution):
        return None
    return tuple(int(value) for value in solution)


def strides(access: Access, iterators: Collection[str], step: Collection[int]) -> tuple[int, ...] | None:
    """The change of every subscript for a change of the iterators; None where one is not linear in those that move."""
    result = []
    moved = [name for name, delta in zip(iterators, step, strict=True) if delta]
    for subscript in access.subscripts:
        if is_bent(subscript, moved):
            return None
        result.append(sum(subscript.coefficient(name) * delta for name, delta in zip(iterators, step, strict=True)))
    return tuple(result)


def is_invariant(access_strides: tuple[int, ...] | None) -> bool:
    """Whether all iterations touch the same element; not so where strides are unknown (None)."""
    return access_strides is not None and not any(access_strides)


def is_contiguous(access_strides: tuple[int, ...] | None) -> bool:
    """Neighbouring iterations touch neighbouring elements of one row."""
    if not access_strides:
        return False
    return not any(access_strides[:-1]) and access_strides[-1] in (1, -1)


def contiguous_iterator(statement: Statement) -> str | None:
    """The iterator along which the store moves to the neighbouring element, and in no other way."""
    subscripts = statement.target.subscripts
    if not subscripts:
        return None
    for iterator in reversed(statement.iterators):
        elsewhere = any(iterator in s.variables() for s in subscripts[:-1])
        if subscripts[-1].coefficient(iterator) in (1, -1) and not elsewhere:
            return iterator
    return None


def is_bent(subscript: Affine, iterators: Collection[str]) -> bool:
    """Whether some of the iterators stand in a division, an extremum or a choice."""
    bent = (Affine(((atom, 1),)) for atom, _ in subscript.terms if not isinstance(atom, str))
    return any(not part.variables().isdisjoint(iterators) for part in bent)


def solve(rows: list[list[Fraction]], right: list[Fraction], width: int) -> list[Fraction] | None:
    """The solution of rows * x = right by Gaussian elimination; free unknowns are 0; None if there is none."""
    matrix = [[*row, value] for row, value in zip(rows, right, strict=True)]
    pivots: list[int] = []
    for column in range(width):
        rank = len(pivots)
        pivot = next((k for k in range(rank, len(matrix)) if matrix[k][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        scale = matrix[rank][column]
        matrix[rank] = [value / scale for value in matrix[rank]]
        for k, row in enumerate(matrix):
            if k != rank and row[column]:
                factor = row[column]
                matrix[k] = [value - factor * base for value, base in zip(row, matrix[rank], strict=True)]
        pivots.append(column)
    if any(row[width] and not any(row[:width]) for row in matrix):
        return None
    solution = [Fraction(0)] * width
    for row, column in zip(matrix, pivots, strict=False):
        solution[column] = row[width]
    return solution
