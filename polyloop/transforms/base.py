"""What all transforms of schedule trees have in common: where, whether, and to what."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.errors import PolyloopError
from polyloop.schedules.isl_trees import loop_name
from polyloop.schedules.legality import Violation, annotated, first_violation
from polyloop.schedules.tree import Band, Branch, Member, Node, Path, ScheduleTree, Sequence
from polyloop.schedules.verify import verified
from polyloop.scop.dependence import Dependence
from polyloop.transforms.codec import CodedStep


@dataclass(frozen=True)
class Refusal:
    """Why a transform does not apply to a tree, or would not be legal.

    Attributes:
        action: what was asked for in words ("interchange i and j").
        reason: the obstacle in the tree, or the violation in words.
        violation: the dependence that would not be kept, with an example; None for an obstacle in the tree.
        scop: the Scop's name, "" where it is not known.
    """

    transform: Transform
    action: str
    reason: str
    violation: Violation | None = None
    scop: str = ""

    @property
    def dependence(self) -> Dependence | None:
        return self.violation.dependence if self.violation else None

    def __str__(self) -> str:
        where = f" in {self.scop}" if self.scop else ""
        return f"cannot {self.action}{where}: {self.reason}"


class IllegalTransformError(PolyloopError):
    """A transform was applied where it does not apply or is not legal."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass(frozen=True)
class Transform(CodedStep, ABC):
    """One rewrite of a schedule tree at the node `path`.

    Subclasses are frozen and hold nothing but integers, so that one value is the action, the line in a log, the key in
    a cache and the replay. `reorders` is off for those that leave every instance in its place and no loop's
    iterations at once that were not before: they need no proof.
    """

    path: Path
    reorders: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        """Every instance (from a small choice of sizes) that the tree's form admits; legality is not looked at."""

    @abstractmethod
    def obstacle(self, tree: ScheduleTree) -> str | None:
        """What in the tree's form rules the transform out, in words; None if nothing does."""

    @abstractmethod
    def action(self, tree: ScheduleTree) -> str:
        """What it does in words, for messages; only asked where no obstacle is."""

    @abstractmethod
    def rewritten(self, tree: ScheduleTree) -> ScheduleTree:
        """The new tree; only asked where no obstacle is. Flags that may no longer be true are cleared."""

    def check(
        self, tree: ScheduleTree, dependences: Iterable[Dependence], scop: str = "", reassociate: bool = False
    ) -> Refusal | None:
        """None if the transform applies to a legal tree and leaves it legal, else why not.

        Args:
            dependences: memory-based ones of the Scop.
            scop: its name, for the message.
            reassociate: reductions may be reordered.
        """
        obstacle = self.vast() or self.obstacle(tree)
        if obstacle is not None:
            return Refusal(self, f"apply {self}", obstacle, None, scop)
        if not self.reorders:
            return None
        inside = frozenset(tree.statements_at(self.path))
        concerned = (d for d in dependences if {d.source, d.target} <= inside)
        violation = first_violation(self.rewritten(tree), concerned, reassociate)
        if violation is None:
            return None
        return Refusal(self, self.action(tree), str(violation), violation, scop)

    def apply(self, tree: ScheduleTree) -> ScheduleTree:
        """The rewritten tree; legality is not looked at (see `check` and `perform`).

        Raises:
            IllegalTransformError: if the tree's form rules it out.
        """
        obstacle = self.vast() or self.obstacle(tree)
        if obstacle is not None:
            raise IllegalTransformError(Refusal(self, f"apply {self}", obstacle))
        return verified(self.rewritten(tree), self)

    def perform(
        self, tree: ScheduleTree, dependences: Iterable[Dependence], scop: str = "", reassociate: bool = False
    ) -> ScheduleTree:
        """Check, apply, and bring the flags of the bands up to date.

        Raises:
            IllegalTransformError: if it is refused; carries the refusal.
        """
        given = tuple(dependences)
        refusal = self.check(tree, given, scop, reassociate)
        if refusal is not None:
            raise IllegalTransformError(refusal)
        return annotated(verified(self.rewritten(tree), self), given, reassociate)


@dataclass(frozen=True)
class LoopTransform(Transform):
    """A transform of one loop: the `member` of the band at `path`."""

    member: int

    @classmethod
    def candidates(cls, tree: ScheduleTree) -> Iterator[Self]:
        for path, band in tree.bands():
            options = (cls(path, member) for member in range(len(band.members)))
            yield from (option for option in options if option.obstacle(tree) is None)

    def obstacle(self, tree: ScheduleTree) -> str | None:
        missing = member_obstacle(tree, self.path, self.member)
        return missing if missing is not None else self.loop_obstacle(tree)

    @abstractmethod
    def loop_obstacle(self, tree: ScheduleTree) -> str | None:
        """See `obstacle`; the loop is there."""

    def loop(self, tree: ScheduleTree) -> Member:
        """The member, where it is there."""
        return band_at(tree, self.path).members[self.member]

    def loop_name(self, tree: ScheduleTree) -> str:
        return loop_name(self.loop(tree))


def node_at(tree: ScheduleTree, path: Path) -> Node | None:
    """The node at a path; None if the path leads nowhere."""
    try:
        return tree.at(path)
    except LookupError:
        return None


def band_at(tree: ScheduleTree, path: Path) -> Band:
    """The band at a path that is known to lead to one."""
    node = tree.at(path)
    assert isinstance(node, Band)
    return node


def member_obstacle(tree: ScheduleTree, path: Path, *members: int) -> str | None:
    """Why the members are not members of a band at `path`; None if they are."""
    node = node_at(tree, path)
    if not isinstance(node, Band):
        return f"there is no band at {path}"
    missing = next((m for m in members if not 0 <= m < len(node.members)), None)
    if missing is not None:
        return f"the band at {path} has no member {missing}"
    return None


def names_of(members: Iterable[Member]) -> str:
    """Loop names as in ``i, j and k``."""
    *most, last = (loop_name(member) for member in members)
    return f"{', '.join(most)} and {last}" if most else last


def forget(members: Iterable[Member]) -> tuple[Member, ...]:
    """The members with `coincident` cleared: what was known held at another place."""
    return tuple(replace(member, coincident=False) if member.coincident else member for member in members)


def with_kind(tree: ScheduleTree, path: Path, member: int, kind: LoopKind) -> ScheduleTree:
    """The tree with a loop of another kind; see `LoopKind`."""
    return with_members(tree, path, member, replace(band_at(tree, path).members[member], kind=kind))


def with_members(tree: ScheduleTree, path: Path, index: int, *members: Member) -> ScheduleTree:
    """The tree with other members in the place of one of a band."""
    band = band_at(tree, path)
    return tree.replaced(path, replace(band, members=(*band.members[:index], *members, *band.members[index + 1 :])))


def flattened(tree: ScheduleTree) -> ScheduleTree:
    """Sequences directly inside sequences spliced into them, sequences of one branch dropped; the order is the same."""
    return tree.map_nodes(_flattened)


def _flattened(node: Node) -> Node:
    if not isinstance(node, Sequence):
        return node
    branches: list[Branch] = []
    for branch in node.branches:
        branches.extend(branch.node.branches if isinstance(branch.node, Sequence) else (branch,))
    return branches[0].node if len(branches) == 1 else Sequence(tuple(branches))
