"""A Scop at sizes under the cursor: how long its loops are, how its accesses move, and its dependences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Binary, Call, Select, walk
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.cursor.contraction import Footprint
from polyloop.schedules.tree import Band, Branch, Member, Node, Path, ScheduleTree, Sequence, original_tree
from polyloop.scop.affine_isl import ends_of, fix_parameters
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop, Statement
from polyloop.scop.operations import flops
from polyloop.shaping.contraction import footprint


@dataclass(frozen=True)
class Row:
    """A loop of a tree: its band, and how many iterations it has.

    Attributes:
        size, tail: whole iterations and the elements left over, over the box around the domain.
    """

    path: Path
    member: Member
    size: int
    tail: int


@dataclass(frozen=True)
class TreeProblem:
    """What the cursor needs to know of a Scop at given sizes.

    Attributes:
        operations: floating-point operations of one run; None for those of the boxes around the domains.
        reassociate: reductions may be reordered.
        contract: multiplications and additions are fused.
    """

    scop: Scop
    sizes: tuple[tuple[str, int], ...]
    reassociate: bool = False
    operations: int | None = None
    contract: bool = True
    _ranges: dict[tuple[str, Affine], tuple[int, int]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def start(self) -> ScheduleTree:
        """The original loops, each in a band of its own."""
        return singled(original_tree(self.scop))

    @cached_property
    def dependences(self) -> tuple[Dependence, ...]:
        return self.scop.dependences()

    @cached_property
    def flops(self) -> int:
        """Floating-point operations of one run; statement instances where there are none."""
        return self.operations or flops(self.scop, dict(self.sizes)) or sum(self.points.values())

    @cached_property
    def points(self) -> Mapping[str, int]:
        """Instances of each statement in the box around its domain."""
        result = {}
        for s in self.scop.statements:
            spans = [self.range_of(s.name, Affine(((i, 1),))) for i in s.iterators]
            result[s.name] = prod(high - low + 1 for low, high in spans)
        return result

    @cached_property
    def computing(self) -> frozenset[str]:
        """Statements that compute something; the others initialise or copy."""
        return frozenset(
            s.name for s in self.scop.statements if any(isinstance(n, Binary | Call | Select) for n in walk(s.value))
        )

    def reduced(self, statement: Statement) -> frozenset[str]:
        """Iterators that the result of a reduction does not have."""
        if statement.reduction is None:
            return frozenset()
        return frozenset(statement.iterators) - frozenset(
            name for s in statement.target.subscripts for name in s.variables()
        )

    def range_of(self, statement: str, row: Affine) -> tuple[int, int]:
        """Smallest and largest value of a row over the statement's domain; (0, 0) where it never runs."""
        key = statement, row
        if key not in self._ranges:
            self._ranges[key] = self._range(statement, row)
        return self._ranges[key]

    def _range(self, statement: str, row: Affine) -> tuple[int, int]:
        s = self.scop.statement(statement)
        values = dict(self.sizes)
        domain = fix_parameters(s.domain, values)
        if domain.is_empty():
            return 0, 0
        for position, name in enumerate(s.iterators):
            if row == Affine(((name, 1),)):
                ends = ends_of(domain, position)
                assert ends is not None, "at given sizes every loop ends"
                return ends
        spans = {name: self.range_of(statement, Affine(((name, 1),))) for name in s.iterators}
        low = high = row.constant
        for atom, factor in row.terms:
            first, last = spans.get(str(atom)) or (values.get(str(atom), 0),) * 2
            low += min(factor * first, factor * last)
            high += max(factor * first, factor * last)
        return low, high

    @cached_property
    def footprints(self) -> Mapping[str, tuple[tuple[Footprint, ...], Footprint | None]]:
        """Per statement: its inputs, and its result."""
        result, scop, sizes = {}, self.scop, dict(self.sizes)
        for s in scop.statements:
            reads = (footprint(scop, s, access, sizes) for access in s.reads if access != s.target)
            written = footprint(scop, s, s.target, sizes)
            # An access that is not linear in the iterators has no strides to speak of.
            result[s.name] = tuple(f for f in reads if not f.bent), None if written.bent else written
        return result

    def rows(self, tree: ScheduleTree) -> tuple[Row, ...]:
        """All loops in preorder."""
        return tuple(self._rows(tree.root, (), ()))

    def _rows(self, node: Node, path: Path, around: tuple[Member, ...]) -> Iterator[Row]:
        match node:
            case Band(members, _, child):
                names = frozenset(node.statements)
                yield Row(path, members[0], *self.extent(members[0], tuple(m.restricted(names) for m in around)))
                yield from self._rows(child, (*path, 0), (*around, *members))
            case Sequence(branches):
                for k, branch in enumerate(branches):
                    yield from self._rows(branch.node, (*path, k), around)

    def extent(self, member: Member, around: tuple[Member, ...]) -> tuple[int, int]:
        """Whole iterations and the elements left over of a loop inside others, over the box around the domain.

        Inside a block that they do not divide, a part of a block counts as one: no element is left out.
        """
        outer = [m.divisor for m in around if m.rows == member.rows]
        if outer:
            return -(-outer[-1] // member.divisor), 0
        spans = [self.range_of(name, row) for name, row in member.rows]
        elements = max(high for _, high in spans) - min(low for low, _ in spans) + 1
        return divmod(elements, member.divisor)


def singled(tree: ScheduleTree) -> ScheduleTree:
    """The cursor's form of a tree: every loop in a band of its own, nothing said of them but their kinds, and sequences
    inside of sequences as one."""

    def one(node: Node) -> Node:
        if isinstance(node, Sequence):
            if not any(isinstance(branch.node, Sequence) for branch in node.branches):
                return node
            return Sequence(tuple(inner for branch in node.branches for inner in _spliced(branch)))
        if not isinstance(node, Band) or (
            len(node.members) == 1 and not node.members[0].coincident and not node.permutable
        ):
            return node
        child = node.child
        for member in reversed(node.members):
            plain = replace(member, coincident=False)
            child = Band((plain,), False, child)
        return child

    return tree.map_nodes(one)


def _spliced(branch: Branch) -> tuple[Branch, ...]:
    return branch.node.branches if isinstance(branch.node, Sequence) else (branch,)


def joined(tree: ScheduleTree) -> ScheduleTree:
    """The tree with the point loops at the inner end of a nest in one band: the form that lowering takes for a register
    tile."""
    points = (LoopKind.UNROLLED, LoopKind.VECTOR)

    def one(node: Node) -> Node:
        match node:
            case Band((member,), _, Band(members, _, child)) if member.kind in points and all(
                m.kind in points for m in members
            ):
                return Band((member, *members), False, child)
            case _:
                return node

    return tree.map_nodes(one)
