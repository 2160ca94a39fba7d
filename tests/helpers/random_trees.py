"""Random schedule trees, legal or not; what they do to the order of execution, found by looking at every instance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.target import Target
from polyloop.schedules.isl_scheduler import Fusion, SchedulingError, isl_schedule
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, ScheduleTree, Sequence, original_tree
from polyloop.scop.dependence import memory_dependences, value_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import nests, reshaped
from polyloop.transforms import candidates
from tests.helpers.programs import Program, instances
from tests.helpers.random_scops import Source

KINDS = (LoopKind.SEQUENTIAL, LoopKind.SEQUENTIAL, LoopKind.VECTOR, LoopKind.UNROLLED, LoopKind.PARALLEL)


def random_tree(source: Source, scop: Scop, target: Target) -> tuple[str, ScheduleTree]:
    """A tree and in words where it comes from; nobody has looked whether it is legal."""
    name, tree = _start(source, scop)
    for _ in range(source.integer(0, 3)):
        made = _shaped(source, scop, tree, target) if source.integer(0, 2) == 2 else _transformed(source, tree)
        if made is None:
            break
        step, tree = made
        name = f"{name}; {step}"
    return name, tree


def _start(source: Source, scop: Scop) -> tuple[str, ScheduleTree]:
    match source.integer(0, 5):
        case 0 | 1 | 2:
            return "original order", original_tree(scop)
        case 3 | 4:
            fusion = tuple(Fusion)[source.integer(0, 2)]
            try:
                return f"isl, {fusion.value} fusion", isl_schedule(scop, value_dependences(scop), fusion)
            except SchedulingError:  # "unable to carry dependences": isl gives some strided loops up
                return "original order", original_tree(scop)
        case _:
            return "one band", one_band(source, scop)


def _transformed(source: Source, tree: ScheduleTree) -> tuple[str, ScheduleTree] | None:
    options = list(candidates(tree))
    if not options:
        return None
    transform = options[source.integer(0, len(options) - 1)]
    return str(transform), transform.apply(tree)


def _shaped(source: Source, scop: Scop, tree: ScheduleTree, target: Target) -> tuple[str, ScheduleTree] | None:
    found = list(nests(tree))
    if not found:
        return None
    nest = found[source.integer(0, len(found) - 1)]
    options = list(shapes(scop, nest, target, lambda _: True))
    if not options:
        return None
    name, shape = options[source.integer(0, len(options) - 1)]
    return name, reshaped(scop, memory_dependences(scop), tree, nest, shape)


def one_band(source: Source, scop: Scop) -> ScheduleTree:
    """All statements in one band: iterators permuted, negated, skewed, shifted, tiled; the textual order shuffled."""
    depth = max(s.depth for s in scop.statements)
    names = tuple(s.name for s in scop.statements)
    rows = {s.name: _rows(source, s.iterators, depth) for s in scop.statements}
    bottom: Node = Leaf()
    if len(names) > 1:
        order = list(names)
        for k in range(len(order) - 1, 0, -1):
            other = source.integer(0, k)
            order[k], order[other] = order[other], order[k]
        bottom = Sequence(tuple(Branch((n,), Leaf()) for n in order))
    if not depth:
        return ScheduleTree(names, bottom)
    plain = [Member(tuple((n, rows[n][k]) for n in names)) for k in range(depth)]
    tiles = [replace(m, divisor=source.integer(2, 5)) for m in plain if source.integer(0, 3) == 3]
    points = [replace(m, kind=KINDS[source.integer(0, len(KINDS) - 1)]) for m in plain]
    return ScheduleTree(names, Band((*tiles, *points), False, bottom))


def _rows(source: Source, iterators: tuple[str, ...], depth: int) -> list[Affine]:
    left = [affine(i) for i in iterators]
    rows: list[Affine] = []
    while left:
        row = left.pop(source.integer(0, len(left) - 1))
        row = row * (-1 if source.integer(0, 4) == 4 else 1) + (
            source.integer(-1, 2) if source.integer(0, 3) == 3 else 0
        )
        if rows and source.integer(0, 4) == 4:
            row = row + rows[-1]
        rows.append(row)
    return rows + [affine(0)] * (depth - len(rows))


# --- order, instance by instance --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instance:
    """One execution of a statement and the elements that it touches.

    `folds`: the operator of a reduction of integers, which gives the same bits in any order; `operands`: what is read
    besides the element that it accumulates in.
    """

    statement: str
    point: tuple[int, ...]
    written: tuple[str, tuple[int, ...]]
    read: frozenset[tuple[str, tuple[int, ...]]]
    operands: frozenset[tuple[str, tuple[int, ...]]]
    folds: str | None


def all_instances(program: Program, scop: Scop, sizes: Mapping[str, int]) -> list[Instance]:
    """In the program's order."""
    found = []
    for assign, loops in instances(program, sizes):
        statement = scop.statement(assign.name)
        known = {**sizes, **loops}
        written, *read = (
            (a.array, tuple(s.evaluate(known) for s in a.subscripts)) for a in (statement.target, *statement.reads)
        )
        operands = list(read)
        folds = None if scop.array(statement.target.array).type.is_float else statement.reduction
        if folds is not None:
            operands.remove(written)
        found.append(Instance(assign.name, tuple(loops.values()), written, frozenset(read), frozenset(operands), folds))
    return found


def conflicts(executed: list[Instance]) -> Iterator[tuple[Instance, Instance]]:
    """Pairs that touch one element, one of them writing it, whose order counts; the first one is the earlier one."""
    users: dict[tuple[str, tuple[int, ...]], list[Instance]] = defaultdict(list)
    for instance in executed:
        for element in {instance.written, *instance.read}:
            users[element].append(instance)
    for instances_ in users.values():
        yield from (pair for pair in combinations(instances_, 2) if in_conflict(*pair) and not _commute(*pair))


def in_conflict(first: Instance, second: Instance) -> bool:
    return first.written in {second.written, *second.read} or second.written in first.read


def _commute(first: Instance, second: Instance) -> bool:
    """Whether both do nothing but accumulate integers in one element by one operator."""
    if first.folds is None or (first.folds, first.written) != (second.folds, second.written):
        return False
    return first.written not in first.operands | second.operands


def _flagged_rows(tree: ScheduleTree) -> dict[str, tuple[tuple[Affine, bool], ...]]:
    """The rows of each statement and whether they belong to loops that run at once, padded to one length."""
    rows = tree.rows()
    kinds: dict[str, tuple[bool, ...]] = {}
    _collect(tree.root, dict.fromkeys(tree.statements, ()), kinds)
    return {
        name: tuple(zip(rows[name], flags + (False,) * (len(rows[name]) - len(flags)), strict=True))
        for name, flags in kinds.items()
    }


def _collect(node: Node, above: dict[str, tuple[bool, ...]], kinds: dict[str, tuple[bool, ...]]) -> None:
    match node:
        case Band(members, _, child):
            here = tuple(m.kind in (LoopKind.VECTOR, LoopKind.PARALLEL) for m in members)
            _collect(child, {name: (*flags, *here) for name, flags in above.items()}, kinds)
        case Sequence(branches):
            for branch in branches:
                _collect(branch.node, {name: (*above[name], False) for name in branch.statements}, kinds)
        case Leaf():
            kinds.update(above)


def misplaced(
    scop: Scop, tree: ScheduleTree, sizes: Mapping[str, int], pairs: Iterable[tuple[Instance, Instance]]
) -> Iterator[tuple[Instance, Instance]]:
    """The pairs that the tree does not run strictly one after the other at these sizes, or runs at once."""
    rows = _flagged_rows(tree)
    dates: dict[Instance, list[tuple[int, bool]]] = {}

    def date(x: Instance) -> list[tuple[int, bool]]:
        if x not in dates:
            known = {**sizes, **dict(zip(scop.statement(x.statement).iterators, x.point, strict=True))}
            dates[x] = [(row.evaluate(known), at_once) for row, at_once in rows[x.statement]]
        return dates[x]

    for first, second in pairs:
        both = zip(date(first), date(second), strict=True)
        differing = next(((a, b, at_once) for (a, at_once), (b, _) in both if a != b), None)
        if differing is None or differing[0] > differing[1] or differing[2]:
            yield first, second
