"""The cursor on any Scop's schedule tree: every action is transforms, and every bit of a mask their own checks.

Rows are the loops in preorder, so that siblings are reached by going down. A loop may be exchanged with the one
directly outside or inside. Where the outer one has other children, too, it is distributed first: the two loops get it
for themselves; inside, a loop goes down the branch with the most loops. After every change siblings whose outermost
loops are identical, and for none of them a reduction, are fused again where that is legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.target import Target
from polyloop.cursor.actions import PREFETCH_DISTANCE, REGISTER_TILE
from polyloop.cursor.base import LEGAL, NOTHING_INSIDE, NOTHING_OUTSIDE, CursorProcess, CursorState, Move, refused
from polyloop.cursor.features import Matrix, tree_features
from polyloop.cursor.layouts import default_tree
from polyloop.cursor.loop_rows import filled, tree_rows
from polyloop.cursor.tree_problem import Row, TreeProblem, joined, singled
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.graphs.trees import TreeGraphs
from polyloop.schedules.tree import Band, Member, Node, Path, ScheduleTree, Sequence, children
from polyloop.transforms import Distribute, Fuse, Pack, Parallelize, Prefetch, Split, Swap, Transform, Unroll, Vectorize
from polyloop.transforms.base import names_of
from polyloop.transforms.tiling import Merge

TreeMove: TypeAlias = Move[ScheduleTree]


class TreeState(CursorState[ScheduleTree]):
    """A state whose program is a schedule tree; the cursor counts in `TreeCursor.rows`."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """One loop a line, indented by its depth."""
        return _text(self.program)


@lru_cache(maxsize=1 << 12)
def _text(tree: ScheduleTree) -> str:
    lines = []
    for path, band in tree.bands():
        member = band.members[0]
        kind = "" if member.kind is LoopKind.SEQUENTIAL else f" {member.kind.name.lower()}"
        values = ", ".join(f"{name}: {value}" for name, value in member.values())
        lines.append(f"{'  ' * len(tree.members_above(path))}[{values}]{kind}")
    return "\n".join(lines)


@dataclass(eq=False)
class TreeCursor(CursorProcess[ScheduleTree]):
    """The cursor on a schedule tree; its actions are native ones."""

    problem: TreeProblem
    _rows: dict[ScheduleTree, tuple[Row, ...]] = field(default_factory=dict, repr=False)
    _seen: dict[ScheduleTree, NDArray[np.float32]] = field(default_factory=dict, repr=False)

    remembered: ClassVar[int] = 1 << 12

    def original(self) -> TreeState:
        return TreeState(self.problem.start)

    def default(self, target: Target, threads: int = 1) -> TreeState | None:
        tree = default_tree(self.problem, target, threads)
        if tree is None or self.visible(singled(tree)) > self.kinds.rows:
            return None
        return TreeState(singled(tree))

    def visible(self, program: ScheduleTree) -> int:
        return len(self.rows(program))

    def loop_name(self, program: ScheduleTree, row: int) -> str:
        return names_of((self.rows(program)[row].member,))

    def tree(self, program: ScheduleTree) -> ScheduleTree:
        return joined(program)

    def features(self, state: CursorState[ScheduleTree], rows: int, logarithmic: bool = False) -> Matrix:
        return tree_features(self.problem, self.rows(state.program), state.cursor, rows, logarithmic)

    def loop_rows(self, state: CursorState[ScheduleTree], rows: int) -> Matrix:
        tree = state.program
        known = self._seen.get(tree)
        if known is None:
            if len(self._seen) >= self.remembered:
                self._seen.clear()
            known = self._seen[tree] = tree_rows(self.problem, tree, self.rows(tree))
        return filled(known, state.cursor, rows)

    def graph(self, state: CursorState[ScheduleTree]) -> ProgramGraph:
        rows = self.rows(state.program)
        return self._graphs.graph(state.program, (rows[state.cursor].path, 0) if rows else None)

    @cached_property
    def _graphs(self) -> TreeGraphs:
        return TreeGraphs(self.problem.scop, dict(self.problem.sizes))

    def rows(self, tree: ScheduleTree) -> tuple[Row, ...]:
        """All loops in preorder, with their sizes."""
        rows = self._rows.get(tree)
        if rows is None:
            if len(self._rows) >= self.remembered:
                self._rows.clear()
            rows = self._rows[tree] = self.problem.rows(tree)
        return rows

    # --- actions ------------------------------------------------------------------------------------------------------

    def _move(self, program: ScheduleTree, cursor: int, name: str, whole: bool = True) -> TreeMove:
        tree, row = program, self.rows(program)[cursor]
        match name:
            case "swap_up":
                return self._swap_up(tree, row, whole)
            case "swap_down":
                return self._swap_down(tree, row, whole)
            case "merge":
                return self._transformed(tree, (Merge(row.path, 0),), row.path, whole)
            case "vectorize":
                return self._transformed(tree, (Vectorize(row.path, 0),), row.path, whole)
            case "unroll":
                return self._transformed(tree, (Unroll(row.path, 0, 0),), row.path, whole)
            case "parallelize":
                return self._transformed(tree, (Parallelize(row.path, 0),), row.path, whole)
            case "register_tile":
                return self._register_tile(tree, row, whole)
            case "pack":
                return self._first(tree, row, self._packs(row), whole)
            case "prefetch":
                return self._first(tree, row, self._prefetches(row), whole)
            case _:
                factor = self.kinds.factors[name]
                if row.size <= factor:
                    return refused(f"{row.size} iterations cannot be split by {factor}: it takes more")
                return self._transformed(tree, (Split(row.path, 0, factor * row.member.divisor),), row.path, whole)

    def _swap_up(self, tree: ScheduleTree, row: Row, whole: bool) -> TreeMove:
        if not row.path:
            return NOTHING_OUTSIDE
        above = row.path[:-1]
        if isinstance(tree.at(above), Band):
            return self._swapped(tree, (), above, above, whole)
        if not above:
            return NOTHING_OUTSIDE
        distribute, part = _isolating(tree, above[:-1], row.path[-1])
        return self._swapped(tree, (distribute,), part, part, whole)

    def _swap_down(self, tree: ScheduleTree, row: Row, whole: bool) -> TreeMove:
        band = tree.at(row.path)
        assert isinstance(band, Band)
        match band.child:
            case Band():
                return self._swapped(tree, (), row.path, (*row.path, 0), whole)
            case Sequence(branches):
                deepest = max(range(len(branches)), key=lambda k: (_depth(branches[k].node), -k))
                if _depth(branches[deepest].node) == 0:
                    return NOTHING_INSIDE
                distribute, part = _isolating(tree, row.path, deepest)
                return self._swapped(tree, (distribute,), part, (*part, 0), whole)
            case _:
                return NOTHING_INSIDE

    def _swapped(
        self, tree: ScheduleTree, before: tuple[Transform, ...], path: Path, cursor: Path, whole: bool
    ) -> TreeMove:
        """Exchange the loop at `path` with the one directly inside, after what has to happen `before`."""
        swap = Swap(path, 0, 1)
        refusal, ready = self._tried(tree, before)
        if refusal is not None:
            return refused(refusal)
        band = ready.at(path)
        assert isinstance(band, Band)
        assert isinstance(band.child, Band)
        if band.members[0].rows == band.child.members[0].rows:
            return refused(f"both loops are of {names_of(band.members)}")
        return self._transformed(tree, (swap,), cursor, whole, before, ready)

    def _register_tile(self, tree: ScheduleTree, row: Row, whole: bool) -> TreeMove:
        """Some iterations of the loop, unrolled, as the innermost loop of its nest or the one outside a vector loop."""
        if row.size <= REGISTER_TILE:
            return refused(f"a register tile takes more than {REGISTER_TILE} iterations")
        if row.member.kind is not LoopKind.SEQUENTIAL:
            return refused(f"{names_of((row.member,))} is {row.member.kind.noun} already")
        split = Split(row.path, 0, REGISTER_TILE * row.member.divisor)
        at: Path = (*row.path, 0)
        trace: list[Transform] = [split]
        node: Node = tree.at(row.path)
        assert isinstance(node, Band)
        node = node.child
        while isinstance(node, Band) and node.members[0].kind not in (LoopKind.VECTOR, LoopKind.UNROLLED):
            if node.members[0].rows == row.member.rows:
                return refused(f"a loop of {names_of(node.members)} stands further inside")
            trace.append(Swap(at, 0, 1))
            at, node = (*at, 0), node.child
        trace.append(Unroll(at, 0, 0))
        return self._transformed(tree, tuple(trace), row.path, whole)

    def _packs(self, row: Row) -> Iterator[Transform]:
        """Copies in front of the loop: of every read of two or more dimensions, as it is laid out."""
        for statement in (self.problem.scop.statement(name) for name, _ in row.member.rows):
            for access in statement.reads:
                if len(access.subscripts) >= 2 and access != statement.target and not access.data:
                    yield Pack(row.path, 0, statement.name, str(access), tuple(range(len(access.subscripts))))

    def _prefetches(self, row: Row) -> Iterator[Transform]:
        """Of every array that the loop's statements read."""
        statements = [self.problem.scop.statement(name) for name, _ in row.member.rows]
        arrays = dict.fromkeys(a.array for s in statements for a in s.reads if a.subscripts)
        yield from (Prefetch(row.path, 0, array, PREFETCH_DISTANCE) for array in arrays)

    def _first(self, tree: ScheduleTree, row: Row, options: Iterator[Transform], whole: bool) -> TreeMove:
        """The first of several transforms that is not refused."""
        move: TreeMove = refused(f"{names_of((row.member,))} reads nothing to which that applies")
        for option in options:
            move = self._transformed(tree, (option,), row.path, whole)
            if move.refusal is None:
                break
        return move

    def _transformed(
        self,
        tree: ScheduleTree,
        trace: tuple[Transform, ...],
        path: Path,
        whole: bool,
        before: tuple[Transform, ...] = (),
        ready: ScheduleTree | None = None,
    ) -> TreeMove:
        """Check and apply, share what is identical, and find the cursor's loop again.

        Args:
            before: transforms that were tried already, and lead to `ready`.
        """
        *first, last = trace
        refusal, nearly = self._tried(ready or tree, first)
        refusal = refusal or self._obstacle(nearly, last)
        if refusal is not None:
            return refused(refusal)
        # One transform adds one loop at most; distributed in front of an exchange, a loop becomes three.
        if not whole and len(self.rows(tree)) + (2 if first or before else 1) <= self.kinds.rows:
            return LEGAL
        shared, fused, path = self._shared(singled(last.rewritten(nearly)), path)
        loops = [where for where, _ in shared.bands()]  # rows are made of trees that a walk comes by
        if len(loops) > self.kinds.rows and len(loops) > len(self.rows(tree)):
            return refused(f"the nest would have {len(loops)} loops; {self.kinds.rows} are allowed")
        return Move(shared, loops.index(path), trace=(*before, *trace, *fused))

    def _tried(self, tree: ScheduleTree, trace: Iterable[Transform]) -> tuple[str | None, ScheduleTree]:
        """Why one of the transforms is refused, and the tree behind them all."""
        for transform in trace:
            if (obstacle := self._obstacle(tree, transform)) is not None:
                return obstacle, tree
            tree = singled(transform.rewritten(tree))
        return None, tree

    def _obstacle(self, tree: ScheduleTree, transform: Transform) -> str | None:
        """Why a transform is refused; None if it is not."""
        problem = self.problem
        refusal = transform.check(tree, problem.dependences, problem.scop.name, problem.reassociate)
        return None if refusal is None else str(refusal)

    # --- sharing ------------------------------------------------------------------------------------------------------

    def _shared(self, tree: ScheduleTree, path: Path) -> tuple[ScheduleTree, tuple[Transform, ...], Path]:
        """The loop at `path`, and those around it, fused with identical siblings beside them."""
        fused: list[Transform] = []
        depth = 0
        while depth < len(path):
            where, branch = path[:depth], path[depth]
            found = self._fusion(tree, where, branch) if isinstance(tree.at(where), Sequence) else None
            if found is None:
                depth += 1
                continue
            path = _path_after(tree, found, path)
            tree = singled(found.rewritten(tree))
            fused.append(found)
        return tree, tuple(fused), path

    def _fusion(self, tree: ScheduleTree, path: Path, branch: int) -> Fuse | None:
        sequence = tree.at(path)
        assert isinstance(sequence, Sequence)
        for first in (branch - 1, branch):
            if 0 <= first < len(sequence.branches) - 1:
                one, two = (sequence.branches[k].node for k in (first, first + 1))
                if isinstance(one, Band) and isinstance(two, Band) and self._identical(one.members[0], two.members[0]):
                    fuse = Fuse(path, first, 2)
                    problem = self.problem
                    if fuse.check(tree, problem.dependences, problem.scop.name, problem.reassociate) is None:
                        return fuse
        return None

    def _identical(self, one: Member, two: Member) -> bool:
        """Whether two loops take the same values, and neither runs along a reduction."""
        if (one.divisor, one.kind) != (two.divisor, two.kind):
            return False
        if any(member.packings or member.prefetches for member in (one, two)):
            return False
        spans = {self.problem.range_of(name, row) for member in (one, two) for name, row in member.rows}
        if len(spans) > 1:
            return False
        rows = [(self.problem.scop.statement(name), row) for member in (one, two) for name, row in member.rows]
        return not any(row.variables() & self.problem.reduced(statement) for statement, row in rows)


def _isolating(tree: ScheduleTree, path: Path, branch: int) -> tuple[Distribute, Path]:
    """What gives one branch below a band the band's loop for itself, and where that stands afterwards."""
    band = tree.at(path)
    assert isinstance(band, Band)
    assert isinstance(band.child, Sequence)
    count = len(band.child.branches)
    cuts = tuple(cut for cut in (branch, branch + 1) if 0 < cut < count)
    part = 1 if branch else 0
    # What is distributed inside a sequence becomes part of it.
    if path and isinstance(tree.at(path[:-1]), Sequence):
        return Distribute(path, cuts), (*path[:-1], path[-1] + part)
    return Distribute(path, cuts), (*path, part)


def _path_after(tree: ScheduleTree, fuse: Fuse, path: Path) -> Path:
    """Where the loop at `path`, of one of the two branches that are fused or inside them, stands afterwards."""
    depth = len(fuse.path)
    sequence = tree.at(fuse.path)
    assert isinstance(sequence, Sequence)
    inside = path[depth + 1 :]
    # Two branches alone leave no sequence.
    start = fuse.path if len(sequence.branches) == 2 else (*fuse.path, fuse.first)
    if not inside:
        return start
    bodies = [b.node.child for b in sequence.branches[fuse.first : fuse.first + 2] if isinstance(b.node, Band)]
    widths = [len(body.branches) if isinstance(body, Sequence) else 1 for body in bodies]
    offset = widths[0] if path[depth] > fuse.first else 0
    own = bodies[path[depth] - fuse.first]
    # The bodies stand side by side in a sequence, into which sequences are spliced.
    below = inside[1:] if not isinstance(own, Sequence) else inside[2:]
    at = offset + (inside[1] if isinstance(own, Sequence) and len(inside) > 1 else 0)
    return (*start, 0, at, *below)


def _depth(node: Node) -> int:
    """Loops around the innermost loop below, itself included."""
    own = len(node.members) if isinstance(node, Band) else 0
    return own + max(map(_depth, children(node)), default=0)
