"""The default schedule of a tensor program, as a trace: no search, no measurement.

Statements stand in nests of their own (`polyloop.tensors.lower`). A reduction is joined with what initialises its
result and with elementwise statements behind it that read the result where it is stored, so that all of them share a
tile; every group then gets the schedule that `polyloop.backend.default.schedule` chooses for its reduction.

What comes out is an ordinary trace. It is proven like any other before it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from polyloop.backend.default.schedule import choose
from polyloop.backend.default.task import RESULT, Choice
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.machine.target import Target
from polyloop.schedules.tree import Path, ScheduleTree, original_tree
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.contraction import extents, initialises, kept, reduced, stores_plainly, task_of
from polyloop.transforms import (
    Distribute,
    Fuse,
    JoinBands,
    Pack,
    Parallelize,
    Prefetch,
    RegisterTile,
    Split,
    Swap,
    Trace,
    Transform,
    Unroll,
    Vectorize,
)
from polyloop.transforms.base import band_at

_MOST_FUSED = 1400
"""Steps of a reduction up to which it is done at once for a tile, so that statements around it may share the tile."""


@dataclass(frozen=True)
class Group:
    """Statements that follow each other and share a tile: at most one of them, `main`, reduces."""

    statements: tuple[Statement, ...]
    main: Statement


def default_trace(scop: Scop, target: Target, *, threads: int = 1, reassociate: bool = False) -> Trace:
    """The transforms that make the default schedule from the original tree.

    Args:
        threads: with more than one, a loop of every large nest is parallel.
        reassociate: reductions may be reordered.
    Returns:
        The trace; () for a Scop that does not stand for a tensor program.
    """
    if not _is_tensor_program(scop):
        return ()
    builder = _Builder(original_tree(scop))
    found = list(choices(scop, target, reassociate))
    for group, _ in reversed(found):
        builder.collect(scop, group)
    for number, (group, choice) in enumerate(found):
        if group.main.depth:
            path = () if len(found) == 1 else (number,)
            _Nest(builder, path, group, choice, extents(scop, group.main)).schedule(threads)
    return tuple(builder.trace)


def choices(scop: Scop, target: Target, reassociate: bool) -> Iterator[tuple[Group, Choice]]:
    """What the model chooses for every group; statements that get no tile to share stand alone."""
    for group in groups(scop):
        beside = [statement for statement in group.statements if statement is not group.main]
        choice = choose(task_of(scop, group.main, beside, reassociate), target)
        if len(group.statements) == 1 or not choice.plain:
            yield group, choice
            continue
        for statement in group.statements:
            yield Group((statement,), statement), choose(task_of(scop, statement, (), reassociate), target)


# --- what belongs together --------------------------------------------------------------------------------------------


def groups(scop: Scop) -> tuple[Group, ...]:
    """The Scop's statements in order, in groups."""
    found: list[Group] = []
    left = list(scop.statements)
    while left:
        count = 1
        main = left[0]
        if len(left) > 1 and left[0].depth and initialises(left[0], left[1]):
            count, main = 2, left[1]
        if main.reduction is not None and _small(scop, main):
            while count < len(left) and _follows(scop, left[:count], main, left[count]):
                count += 1
        elif count == 2:
            # A long reduction is done in blocks: its result is complete only after the last one.
            found.append(Group((left[0],), left[0]))
            left, count = left[1:], 1
        found.append(Group(tuple(left[:count]), main))
        left = left[count:]
    return tuple(found)


def _is_tensor_program(scop: Scop) -> bool:
    """Whether every statement is a nest of its own, its loops running up one by one."""
    nests = all(
        s.schedule[2::2] == (affine(0),) * s.depth and s.schedule[1::2] == tuple(map(affine, s.iterators))
        for s in scop.statements
    )
    places = [s.schedule[0] for s in scop.statements]
    return scop.source is None and nests and len(set(places)) == len(places)


def _small(scop: Scop, main: Statement) -> bool:
    sizes = extents(scop, main)
    return prod(sizes[name] or _MOST_FUSED + 1 for name in reduced(main)) <= _MOST_FUSED


def _follows(scop: Scop, before: Sequence[Statement], main: Statement, after: Statement) -> bool:
    """Whether an elementwise statement may share the tiles of those before it."""
    shared = kept(main)
    if not shared or after.reduction is not None or after.iterators != shared or not stores_plainly(after):
        return False
    if extents(scop, after) != {name: size for name, size in extents(scop, main).items() if name in shared}:
        return False
    written = {statement.target.array: statement.target for statement in before}
    read = {access.array for statement in before for access in statement.reads} - written.keys()
    if after.target.array in read or written.get(after.target.array, after.target) != after.target:
        return False
    return all(access == written.get(access.array, access) for access in after.reads)


# --- the trace --------------------------------------------------------------------------------------------------------


@dataclass
class _Builder:
    """Applies transforms one after the other and remembers them."""

    tree: ScheduleTree
    trace: list[Transform] = field(default_factory=list)

    def apply(self, *transforms: Transform) -> None:
        for transform in transforms:
            self.tree = transform.apply(self.tree)
            self.trace.append(transform)

    def collect(self, scop: Scop, group: Group) -> None:
        """One band for each statement, and one for the whole group."""
        first = next(k for k, s in enumerate(scop.statements) if s.name == group.statements[0].name)
        alone = not isinstance(self.tree.root, TreeSequence)
        for number, statement in enumerate(group.statements):
            path: Path = () if alone else (first + number,)
            for _ in range(statement.depth - 1):
                self.apply(JoinBands(path))
        if len(group.statements) > 1:
            at = next(k for k, s in enumerate(group.statements) if s is group.main)
            self.reorder((first + at,), group.main.iterators, (*kept(group.main), *reduced(group.main)))
            self.apply(Fuse((), first, len(group.statements)))

    def reorder(self, path: Path, names: Iterable[str], wanted: Sequence[str]) -> None:
        """Bring the members of a band (and of those directly below), called `names`, into another order."""
        order = list(names)
        for place, name in enumerate(wanted):
            at = order.index(name)
            if at != place:
                order[place], order[at] = order[at], order[place]
                self.apply(Swap(path, place, at))


@dataclass
class _Nest:
    """Gives one group's nest the chosen form."""

    builder: _Builder
    path: Path
    group: Group
    choice: Choice
    extents: Mapping[str, int | None]

    def schedule(self, threads: int) -> None:
        if self.choice.plain:
            self._lanes(threads)
        elif self.choice.column in reduced(self.group.main):
            self._dots(threads)
        elif len(self.group.statements) > 1:
            self._shared_tile(threads)
        else:
            self._tile(threads)

    @property
    def _column(self) -> str:
        return self.choice.column or ""

    def _order(self) -> tuple[str, ...]:
        """Kept loops, outermost first."""
        return (*self.choice.batch, *self.choice.outer)

    def _points(self) -> list[str]:
        """Kept loops with points in the tile, but for the column."""
        return [name for name in self._order() if name in dict(self.choice.tiled)]

    def _sizes(self, order: Sequence[str]) -> tuple[int, ...]:
        tiled = dict(self.choice.tiled)
        return tuple(self.choice.width if name == self.choice.column else tiled.get(name, 1) for name in order)

    def _lanes(self, threads: int) -> None:
        main, choice = self.group.main, self.choice
        order = main.iterators
        if choice.column is not None:
            order = (*(name for name in order if name != choice.column), choice.column)
            self.builder.reorder(self.path, main.iterators, order)
            self.builder.apply(Vectorize(self.path, len(order) - 1))
        if threads > 1 and len(order) > 1 and order[0] in kept(main):
            self.builder.apply(Parallelize(self.path, 0))

    def _dots(self, threads: int) -> None:
        main, builder, path = self.group.main, self.builder, self.path
        around, points = self._order(), self._points()
        last = self.choice.sums
        if len(self.group.statements) > 1:
            # The result is complete in front of the loop in lanes, and stored behind it.
            builder.reorder(path, kept(main), around)
            if points:
                builder.apply(RegisterTile(path, self._sizes(around)), Distribute((*path, 0)))
            self._parallel(threads, around)
            inside = self._inside()
            if points:
                builder.apply(JoinBands(inside))
            builder.reorder(inside, (*points, *reduced(main)), (*last, self._column, *points))
            builder.apply(Vectorize(inside, len(last)))
            return
        order = (*around, *last, self._column)
        builder.reorder(path, main.iterators, order)
        if points:
            builder.apply(RegisterTile(path, (*self._sizes(around), *(1 for _ in (*last, self._column)))))
        builder.apply(Vectorize(path, len(order) - 1))
        self._parallel(threads, around)

    def _inside(self) -> Path:
        """Of the main statement below the loops that all statements share."""
        return (*self.path, 0, next(k for k, s in enumerate(self.group.statements) if s is self.group.main))

    def _shared_tile(self, threads: int) -> None:
        """Kept loops of all statements in tiles; inside, the points of each statement by itself."""
        main, builder, order, points = self.group.main, self.builder, self._order(), self._points()
        builder.reorder(self.path, kept(main), order)
        self._register_tile(order)
        self._parallel(threads, order)
        inside = self._inside()
        builder.apply(Distribute((*self.path, 0)), JoinBands(inside))
        wanted = (*reduced(main), *points, self._column)
        builder.reorder(inside, (*points, self._column, *reduced(main)), wanted)
        self._prefetch(inside, wanted, reduced(main))
        self._unroll(inside, wanted)

    def _tile(self, threads: int) -> None:
        main, builder, choice = self.group.main, self.builder, self.choice
        names = list(main.iterators)
        inner, outer = list(reduced(main)), list[str]()
        for name, size in choice.blocks:
            if size == 1:  # the loop itself is the one over its blocks
                inner.remove(name)
                outer.append(name)
                continue
            at = names.index(name)
            builder.apply(Split(self.path, at, size))
            names[at : at + 1] = [f"{name} block", name]
            outer.append(f"{name} block")
        if choice.height:
            ((row, _),) = choice.tiled
            at = names.index(row)
            builder.apply(Split(self.path, at, choice.height))
            names[at : at + 1] = [f"{row} block", row]
            outer.append(f"{row} block")
        order = (*choice.batch, *outer, *choice.outer, *inner)
        builder.reorder(self.path, names, order)
        self._register_tile(order)
        self._unroll(self.path, order)
        self._parallel(threads, order)

    def _register_tile(self, order: Sequence[str]) -> None:
        """The tile, copies for it, and prefetches of what comes next."""
        main, path, column = self.group.main, self.path, order.index(self._column)
        self.builder.apply(RegisterTile(path, self._sizes(order), column))
        reads = [access for access in main.reads if access != main.target]
        for row, rows in self.choice.tiled:
            first = order.index(f"{row} block" if self.choice.height else row)
            panels = [(n, column, row, rows) for n in self.choice.rows]
            if first < column:
                panels += [(n, first, self._column, self.choice.width) for n in self.choice.packed]
            packs = [_in_panels(path, place, main, reads[n], loop, panel) for n, place, loop, panel in sorted(panels)]
            self.builder.apply(*packs)
        panelled = any(order.index(row) < column for row, _ in self.choice.tiled) or self.choice.height
        for access in (reads[number] for number in self.choice.packed if not panelled):
            moved = [k for k, s in enumerate(access.subscripts) if self._column in s.variables()]
            if access.data or len(moved) != 1 or access.subscripts[moved[0]].coefficient(self._column) != 1:
                continue
            used = frozenset[str]().union(*(subscript.variables() for subscript in access.subscripts))
            around = [k for k, name in enumerate(order) if name in used - set(self._points()) and name in kept(main)]
            place = 1 + max(around)
            if place >= len(band_at(self.builder.tree, path).members):
                continue  # nothing comes back to the copy
            rest = [k for k in range(len(access.subscripts)) if k != moved[0]]
            self.builder.apply(Pack(path, place, main.name, str(access), (*rest, moved[0])))
        self._prefetch(path, order, order)

    def _prefetch(self, path: Path, order: Sequence[str], loops: Collection[str]) -> None:
        """What is fetched ahead in these loops of a band."""
        main = self.group.main
        reads = [access for access in main.reads if access != main.target]
        arrays = {RESULT: main.target.array} | {n: access.array for n, access in enumerate(reads)}
        for array, loop, distance in dict.fromkeys((arrays[n], loop, steps) for n, loop, steps in self.choice.ahead):
            if loop in loops:
                self.builder.apply(Prefetch(path, order.index(loop), array, distance))

    def _unroll(self, path: Path, order: Sequence[str]) -> None:
        self.builder.apply(*(Unroll(path, k) for k, name in enumerate(order) if name in self.choice.unrolled))

    def _parallel(self, threads: int, order: Sequence[str]) -> None:
        """The outermost kept loop with more than one iteration for each thread."""
        if threads == 1:
            return
        for place, (name, size) in enumerate(zip(order, self._sizes(order), strict=True)):
            known = self.extents.get(name)
            if name in kept(self.group.main) and (known is None or known >= size * threads):
                self.builder.apply(Parallelize(self.path, place))
                return


def _in_panels(path: Path, place: int, main: Statement, access: Access, loop: str, panel: int) -> Pack:
    """The copy, in front of a member, of what an access touches, in panels of the dimension that a loop moves."""
    cut = next(k for k, subscript in enumerate(access.subscripts) if loop in subscript.variables())
    rest = (k for k in range(len(access.subscripts)) if k != cut)
    return Pack(path, place, main.name, str(access), (cut, *rest, cut), panel)
