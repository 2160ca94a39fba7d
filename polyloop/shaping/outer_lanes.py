"""Vectors along loops that have scalars of their own, mostly with loops inside: every lane computes an iteration.

    for i: { f = 0;  for j: { d = x[j] - x[i];  f += g(d); }  v[i] += f; }
    ->  vector for i: { f_x[i] = 0;  for j: { d_x[i] = x[j] - x[i];  f_x[i] += g(d_x[i]); }  v[i] += f_x[i]; }

Scalars that every iteration writes before it reads them are private to it: expanded over the outer loop they stand in
the way of nothing, and planning keeps a lane's copy in a register. The inner loop's order is kept, so that its sums
have the same bits. So are recurrences along rows: every lane computes one of them, whatever strides its elements have.
And where loops inside have few iterations, as those over small matrices of which there are many, lanes take one each.

References:
    Nuzman and Zaks, "Outer-Loop Vectorization: Revisited for Short SIMD Architectures", PACT 2008.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import islpy as isl

from polyloop import transforms
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import Band, Path, ScheduleTree, has_loops, original_tree
from polyloop.scop.dependence import Dependence, is_exact
from polyloop.scop.model import Array, Scop, Statement
from polyloop.shaping.shaped import ShapedTree
from polyloop.shaping.variants import FEW
from polyloop.transforms.expand import Expand, SplitWebs
from polyloop.transforms.index_set_split import extent
from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopTransform, legal_steps, order_of


def outer_lanes(proofs: Proofs, scop: Scop) -> ShapedTree | None:
    """The original order with lanes along loops, the innermost where several may have them, wherever something is
    private to their iterations or the loop inside is a recurrence; None if there are none."""
    changed, webs = legal_steps(scop, SplitWebs.candidates(scop))
    steps: tuple[ScopTransform, ...] = webs
    found: list[tuple[str, int]] = []
    covered: set[str] = set()
    made: set[str] = set()
    for name, levels in _inner_loops(original_tree(changed)):
        if name in covered:
            continue
        tree = original_tree(changed)
        # Not around a loop that has lanes of its own.
        levels = tuple(level for level in levels if covered.isdisjoint(_statements(tree, name, level)))
        for level in levels:
            private = _private(proofs, changed, name, level, made)
            if private is not None:
                changed, steps = private[0], (*steps, *private[1])
                made |= {array.name for array in changed.arrays} - {array.name for array in scop.arrays}
                found.append((name, level))
                covered.update(_statements(original_tree(changed), name, level))
                break
        else:
            around = _around_others(proofs, changed, name, levels)
            if around is not None:
                found.append((name, around))
                covered.update(_statements(original_tree(changed), name, around))
    if not found:
        return None
    tree = original_tree(changed)
    for name, level in found:
        path = _loop(tree, name, level)
        tree = _written_out(changed, transforms.Vectorize(path, 0).apply(tree), path)
    lanes = ", ".join(f"{changed.statement(name).iterators[level]} around {name}" for name, level in found)
    return ShapedTree(f"original order, lanes along {lanes}", changed, tree, steps)


MOST = 160
"""Statements that loops of few iterations in lanes are written out as: a median of nine elements, which are sorted by
half, is 130."""


def _written_out(scop: Scop, tree: ScheduleTree, path: Path) -> ScheduleTree:
    """The tree with the loops inside of one in lanes unrolled, if all have few iterations: what they keep in memory for
    each other stays in registers, and neighbouring elements are loaded together."""
    inside = [inner for inner, _ in tree.bands() if inner[: len(path)] == path and inner != path]
    names = tree.statements_at(path)
    above = len(tree.members_above(path)) + 1
    if not all(is_short(scop, name, level) for name in names for level in range(above, scop.statement(name).depth)):
        return tree
    if not inside or sum(_instances(scop.statement(name), above) for name in names) > MOST:
        return tree
    for inner in inside:
        band = tree.at(inner)
        assert isinstance(band, Band)
        kinds = tuple(replace(member, kind=LoopKind.UNROLLED) for member in band.members)
        tree = tree.replaced(inner, replace(band, members=kinds))
    return tree


def _instances(statement: Statement, above: int) -> int:
    """How many instances a statement has at most in one iteration of the loops above, whose bounds are numbers."""
    parameters, dimensions = isl.dim_type.param, isl.dim_type.set
    inside = statement.domain.project_out(parameters, 0, statement.domain.dim(parameters))
    return int(inside.project_out(dimensions, 0, above).count_val().to_python())


def _inner_loops(tree: ScheduleTree) -> Iterator[tuple[str, tuple[int, ...]]]:
    """For every innermost loop: a statement in it, and the levels of it and of the loops around it, from the inside
    out."""
    for path, band in tree.bands():
        if not has_loops(band.child):
            yield tree.statements_at(path)[0], tuple(reversed(range(len(tree.members_above(path)) + 1)))


def _private(
    proofs: Proofs, scop: Scop, name: str, level: int, made: Collection[str]
) -> tuple[Scop, tuple[ScopTransform, ...]] | None:
    """The Scop with the scalars that are private to the iterations of a loop expanded over it, and how; None if the
    iterations depend on each other even so, or nothing is private to them.

    Args:
        made: arrays that scalars have become in other loops, which may use them, too.
    """
    inside = _statements(original_tree(scop), name, level)
    writers: dict[str, set[str]] = {}
    for statement in scop.statements:
        writers.setdefault(statement.target.array, set()).add(statement.name)
    written = [a for a in scop.arrays if not inside.isdisjoint(writers.get(a.name, ()))]
    if not any(a.name in made or not a.shape or _is_private(scop, a, inside, level) for a in written):
        return None
    # What is folded in any order has lanes as it is; where there is nothing else, the loops' own shapes have them.
    folded = {a.name for a in written if _is_folded(scop, a.name, inside)}
    if all(scop.statement(other).target.array in folded for other in inside):
        return None
    written = [a for a in written if a.name not in folded and (not a.shape or _is_private(scop, a, inside, level))]
    steps: list[ScopTransform] = []
    for array in written:
        step = Expand(array.name, (level,))
        try:
            scop = step.apply(scop)
        except IllegalScopTransformError:
            return None
        steps.append(step)
    tree = original_tree(scop)
    illegal = transforms.Vectorize(_loop(tree, name, level), 0).check(tree, _dependences(proofs, scop, inside))
    return None if illegal else (scop, tuple(steps))


def recurs(scop: Scop, name: str) -> bool:
    """Whether a statement computes, along its innermost loop, one element from another: no sum in one place."""
    statement = scop.statement(name)
    inner = statement.iterators[-1] if statement.depth else ""
    moves = any(inner in subscript.variables() for subscript in statement.target.subscripts)
    return moves and any(r.array == statement.target.array and r != statement.target for r in statement.reads)


def _comes_back(scop: Scop, inside: Collection[str]) -> bool:
    """Whether the iterations of a loop change elements in turns, each from what the one before has made of others, as
    rounds of a cipher do."""
    statements = sorted((s for s in scop.statements if s.name in inside), key=order_of)
    return any(
        read.subscripts and read != s.target and not any(s.iterators[-1] in x.variables() for x in read.subscripts)
        for place, s in enumerate(statements)
        for read in s.reads
        if any(later.target == read for later in statements[place + 1 :])
    )


def is_short(scop: Scop, name: str, level: int = -1) -> bool:
    """Whether a loop around a statement, the innermost by default, has few iterations."""
    return 0 < extent(scop.statement(name), level) <= FEW


def _around_others(proofs: Proofs, scop: Scop, name: str, levels: tuple[int, ...]) -> int | None:
    """The innermost loop that may have lanes around one that cannot have them itself, as it is a recurrence, or around
    others with few iterations."""
    tree = original_tree(scop)
    short, inside = is_short(scop, name, levels[0]), _statements(tree, name, levels[0])
    if not (short or any(recurs(scop, other) for other in inside) or _comes_back(scop, inside)):
        return None
    for level in levels:
        if short and is_short(scop, name, level):
            continue
        dependences = _dependences(proofs, scop, _statements(tree, name, level))
        if transforms.Vectorize(_loop(tree, name, level), 0).check(tree, dependences) is None:
            return level if level != levels[0] else None
    return None


def _dependences(proofs: Proofs, scop: Scop, inside: Collection[str]) -> tuple[Dependence, ...]:
    """Those between some statements: all that a loop around them can carry."""
    return proofs.dependences(replace(scop, statements=tuple(s for s in scop.statements if s.name in inside)))


def _is_private(scop: Scop, array: Array, inside: frozenset[str], level: int) -> bool:
    return array.local and _shared(scop, array.name, inside, level)


def _is_folded(scop: Scop, array: str, inside: Collection[str]) -> bool:
    """Whether the statements in a loop do nothing with an array but fold numbers into it, in any order."""
    users = [s for s in scop.statements if s.name in inside and array in (s.target.array, *(r.array for r in s.reads))]
    return all(s.target.array == array and s.reduction is not None and is_exact(scop, s) for s in users)


def _shared(scop: Scop, array: str, inside: frozenset[str], level: int) -> bool:
    """Whether the iterations of a loop use the same cells of an array that only they use."""
    users = [s for s in scop.statements if array in (s.target.array, *(access.array for access in s.reads))]
    accesses = [(s, access) for s in users for access in (s.target, *s.reads) if access.array == array]
    return {s.name for s in users} <= inside and not any(
        s.iterators[level] in subscript.variables() for s, access in accesses for subscript in access.subscripts
    )


def _statements(tree: ScheduleTree, name: str, level: int) -> frozenset[str]:
    """The statements in a loop."""
    return frozenset(tree.statements_at(_loop(tree, name, level)))


def _loop(tree: ScheduleTree, name: str, level: int) -> Path:
    """The loop of a level around a statement, in a tree of the original order: every loop is a band of its own."""
    return next(
        path for path, _ in tree.bands() if name in tree.statements_at(path) and len(tree.members_above(path)) == level
    )
