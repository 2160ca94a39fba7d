"""The default schedule of a tensor program, as a trace: no search, no measurement.

Statements stand in nests of their own (`polyloop.tensors.lower`). A reduction is joined with what initialises its
result and with elementwise statements behind it that read the result where it is stored, so that all of them share a
tile; every group then gets the schedule that `polyloop.backend.default.schedule` chooses for its reduction.

What comes out is an ordinary trace. It is proven like any other before it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from polyloop.backend.default.schedule import choose
from polyloop.backend.default.task import RESULT, Choice, Operand, Task
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.machine.target import Target
from polyloop.schedules.tree import Band, Path, ScheduleTree, original_tree
from polyloop.schedules.tree import Sequence as TreeSequence
from polyloop.scop.model import Scop, Statement
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

_UNKNOWN_STRIDE = 4096
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
            _Nest(builder, () if len(found) == 1 else (number,), group, choice).schedule(threads)
    return tuple(builder.trace)


def choices(scop: Scop, target: Target, reassociate: bool) -> Iterator[tuple[Group, Choice]]:
    """What the model chooses for every group; statements that get no tile to share stand alone."""
    for group in groups(scop):
        choice = choose(task_of(scop, group, reassociate), target)
        if len(group.statements) == 1 or not choice.plain:
            yield group, choice
            continue
        for statement in group.statements:
            alone = Group((statement,), statement)
            yield alone, choose(task_of(scop, alone, reassociate), target)


# --- what belongs together --------------------------------------------------------------------------------------------


def groups(scop: Scop) -> tuple[Group, ...]:
    """The Scop's statements in order, in groups."""
    found: list[Group] = []
    left = list(scop.statements)
    while left:
        count = 1
        main = left[0]
        if len(left) > 1 and _initialises(scop, left[0], left[1]):
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


def _kept(statement: Statement) -> tuple[str, ...]:
    moved = frozenset[str]().union(*(s.variables() for s in statement.target.subscripts))
    return tuple(name for name in statement.iterators if name in moved)


def _plain_target(statement: Statement) -> bool:
    """Whether every kept loop is one subscript of the target by itself."""
    return sorted(map(str, statement.target.subscripts)) == sorted(_kept(statement))


def _initialises(scop: Scop, first: Statement, main: Statement) -> bool:
    same = first.target == main.target and first.iterators == _kept(main) and _plain_target(main)
    return same and main.reduction is not None and main.depth > first.depth > 0 and not first.reads


def _small(scop: Scop, main: Statement) -> bool:
    sizes = extents(scop, main)
    steps = 1
    for name in main.iterators:
        if name not in _kept(main):
            steps *= sizes[name] or _MOST_FUSED + 1
    return steps <= _MOST_FUSED


def _follows(scop: Scop, before: Sequence[Statement], main: Statement, after: Statement) -> bool:
    """Whether an elementwise statement may share the tiles of those before it."""
    kept = _kept(main)
    if not kept or after.reduction is not None or after.iterators != kept or not _plain_target(after):
        return False
    if extents(scop, after) != {name: size for name, size in extents(scop, main).items() if name in kept}:
        return False
    written = {statement.target.array: statement.target for statement in before}
    read = {access.array for statement in before for access in statement.reads} - written.keys()
    if after.target.array in read or written.get(after.target.array, after.target) != after.target:
        return False
    return all(access == written.get(access.array, access) for access in after.reads)


def extents(scop: Scop, statement: Statement) -> dict[str, int | None]:
    """How many values each iterator takes; None where that is not known."""
    result: dict[str, int | None] = {}
    domain = statement.domain.intersect_params(scop.context)
    for k, name in enumerate(statement.iterators):
        low, high = domain.dim_min_val(k), domain.dim_max_val(k)
        known = low.is_int() and high.is_int()
        result[name] = int((high - low).to_python()) + 1 if known else None
    return result


# --- the task ---------------------------------------------------------------------------------------------------------


def task_of(scop: Scop, group: Group, reassociate: bool) -> Task:
    """The group's main statement as the model sees it."""
    main = group.main
    kept = _kept(main) if main.reduction is not None else main.iterators
    written = {statement.target.array for statement in group.statements}
    reads = [
        _operand(scop, main, access, access.array not in written) for access in main.reads if access != main.target
    ]
    free = set(kept) if _plain_target(main) or main.reduction is None else set()
    exact = not scop.array(main.target.array).type.is_float
    if main.reduction is not None and (reassociate or exact):
        free |= set(main.iterators)
    return Task(
        extents(scop, main),
        frozenset(main.iterators) - set(kept),
        _operand(scop, main, main.target, False),
        tuple(reads),
        scop.array(main.target.array).type,
        frozenset(free),
        len(group.statements) > 1,
    )


def _operand(scop: Scop, statement: Statement, access: Access, packable: bool) -> Operand:
    array = scop.array(access.array)
    sizes = [
        extent.constant if extent is not None and extent.is_constant else _UNKNOWN_STRIDE for extent in array.shape
    ]
    strides: dict[str, int | None] = {}
    step = 1
    for subscript, size in zip(reversed(access.subscripts), reversed(sizes), strict=True):
        for name in statement.iterators:
            if name in _bent(subscript):
                strides[name] = None
            elif coefficient := subscript.coefficient(name):
                before = strides.get(name, 0)
                strides[name] = None if before is None else before + coefficient * step
        step *= size
    return Operand(strides, array.type.bytes, packable)


def _bent(subscript: Affine) -> frozenset[str]:
    """Variables inside divisions and the like."""
    parts = (affine(0) + Affine(((atom, 1),)) for atom, _ in subscript.terms if not isinstance(atom, str))
    return frozenset[str]().union(*(part.variables() for part in parts))


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

    def band(self, path: Path) -> Band:
        node = self.tree.at(path)
        assert isinstance(node, Band)
        return node

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
            self.reorder((first + at,), group.main.iterators, (*_kept(group.main), *_reduced(group.main)))
            self.apply(Fuse((), first, len(group.statements)))

    def reorder(self, path: Path, names: Iterable[str], wanted: Sequence[str]) -> None:
        """Bring the members of a band (and of those directly below), called `names`, into another order."""
        order = list(names)
        for place, name in enumerate(wanted):
            at = order.index(name)
            if at != place:
                order[place], order[at] = order[at], order[place]
                self.apply(Swap(path, place, at))


def _reduced(main: Statement) -> tuple[str, ...]:
    kept = _kept(main)
    return tuple(name for name in main.iterators if name not in kept)


@dataclass
class _Nest:
    """Gives one group's nest the chosen form."""

    builder: _Builder
    path: Path
    group: Group
    choice: Choice

    def schedule(self, threads: int) -> None:
        if self.choice.plain:
            self._lanes(threads)
        elif self.choice.column in _reduced(self.group.main):
            self._dots(threads)
        elif len(self.group.statements) > 1:
            self._shared_tile(threads)
        else:
            self._tile(threads)

    def _lanes(self, threads: int) -> None:
        main, choice = self.group.main, self.choice
        order = main.iterators
        if choice.column is not None:
            order = (*(name for name in order if name != choice.column), choice.column)
            self.builder.reorder(self.path, main.iterators, order)
            self.builder.apply(Vectorize(self.path, len(order) - 1))
        if threads > 1 and len(order) > 1 and order[0] in _kept(main):
            self.builder.apply(Parallelize(self.path, 0))

    def _order(self) -> tuple[str, ...]:
        """Kept loops, outermost first."""
        return (*self.choice.batch, *self.choice.outer)

    def _sizes(self, order: Sequence[str]) -> tuple[int, ...]:
        tiled = dict(self.choice.tiled)
        return tuple(self.choice.width if name == self.choice.column else tiled.get(name, 1) for name in order)

    def _dots(self, threads: int) -> None:
        main, builder = self.group.main, self.builder
        column = self.choice.column
        assert column is not None
        path, kept = self.path, self._order()
        if len(self.group.statements) > 1:
            # The result is complete in front of the loop in lanes, and stored behind it.
            builder.reorder(path, _kept(main), kept)
            if self.choice.tiled:
                builder.apply(RegisterTile(path, self._sizes(kept)), Distribute((*path, 0)))
            self._parallel(path, threads, kept)
            path = (*path, 0, self._position())
            points = [name for name in kept if name in dict(self.choice.tiled)]
            inside = (*points, *_reduced(main))
            if points:
                builder.apply(JoinBands(path))
            last = tuple(name for name in _reduced(main) if name != column)
            builder.reorder(path, inside, (*last, column, *points))
            builder.apply(Vectorize(path, len(last)))
            return
        last = tuple(name for name in _reduced(main) if name != column)
        order = (*kept, *last, column)
        builder.reorder(path, main.iterators, order)
        if self.choice.tiled:
            builder.apply(RegisterTile(path, (*self._sizes(kept), *(1 for _ in (*last, column)))))
        builder.apply(Vectorize(path, len(order) - 1))
        self._parallel(path, threads, kept)

    def _position(self) -> int:
        return next(k for k, s in enumerate(self.group.statements) if s is self.group.main)

    def _shared_tile(self, threads: int) -> None:
        """Kept loops of all statements in tiles; inside, the points of each statement by itself."""
        main, builder, choice = self.group.main, self.builder, self.choice
        order = self._order()
        builder.reorder(self.path, _kept(main), order)
        points = [name for name in order if name in dict(choice.tiled)]
        sizes = self._sizes(order)
        builder.apply(RegisterTile(self.path, sizes, order.index(choice.column or "")))
        self._pack(self.path, order.index(choice.column or "") + 1)
        self._fetch(self.path, order)
        self._parallel(self.path, threads, order)
        builder.apply(Distribute((*self.path, 0)))
        inside: Path = (*self.path, 0, self._position())
        builder.apply(JoinBands(inside))
        now = (*points, choice.column or "", *_reduced(main))
        wanted = (*_reduced(main), *points, choice.column or "")
        builder.reorder(inside, now, wanted)
        for place, name in enumerate(wanted):
            if name in choice.unrolled:
                builder.apply(Unroll(inside, place))

    def _tile(self, threads: int) -> None:
        main, builder, choice = self.group.main, self.builder, self.choice
        order = [*choice.batch, *(name for name, _ in choice.blocks), *choice.outer, *_reduced(main)]
        names = list(main.iterators)
        for name, size in choice.blocks:
            at = names.index(name)
            builder.apply(Split(self.path, at, size))
            names[at : at + 1] = [f"{name} block", name]
        blocked = [f"{name} block" for name, _ in choice.blocks]
        order = [*choice.batch, *blocked, *choice.outer, *_reduced(main)]
        builder.reorder(self.path, names, order)
        sizes = self._sizes(order)
        builder.apply(RegisterTile(self.path, sizes, order.index(choice.column or "")))
        self._pack(self.path, order.index(choice.column or "") + 1)
        self._fetch(self.path, order)
        for place, name in enumerate(order):
            if name in choice.unrolled:
                builder.apply(Unroll(self.path, place))
        self._parallel(self.path, threads, order)

    def _pack(self, path: Path, member: int) -> None:
        main = self.group.main
        reads = [access for access in main.reads if access != main.target]
        for number in self.choice.packed:
            access = reads[number]
            column = self.choice.column or ""
            moved = [k for k, s in enumerate(access.subscripts) if column in s.variables()]
            if len(moved) != 1 or access.subscripts[moved[0]].coefficient(column) != 1:
                continue
            if member >= len(self.builder.band(path).members):
                continue  # nothing comes back to the copy
            rest = [k for k in range(len(access.subscripts)) if k != moved[0]]
            self.builder.apply(Pack(path, member, main.name, str(access), (*rest, moved[0])))

    def _fetch(self, path: Path, order: Sequence[str]) -> None:
        """Prefetches of what comes next."""
        main = self.group.main
        reads = [access for access in main.reads if access != main.target]
        wanted = [(main.target if n == RESULT else reads[n], loop) for n, loop in self.choice.ahead]
        for array, loop in dict.fromkeys((access.array, loop) for access, loop in wanted):
            self.builder.apply(Prefetch(path, order.index(loop), array, 1))

    def _parallel(self, path: Path, threads: int, order: Sequence[str]) -> None:
        """The outermost kept loop with more than one iteration for each thread."""
        if threads == 1:
            return
        sizes = dict(zip(order, self._sizes(order), strict=True))
        for place, name in enumerate(order):
            known = self.extent(name)
            if name in _kept(self.group.main) and (known is None or known >= sizes[name] * threads):
                self.builder.apply(Parallelize(path, place))
                return

    def extent(self, name: str) -> int | None:
        main = self.group.main
        if name not in main.iterators:
            return None
        place = main.iterators.index(name)
        low, high = main.domain.dim_min_val(place), main.domain.dim_max_val(place)
        return int((high - low).to_python()) + 1 if low.is_int() and high.is_int() else None
