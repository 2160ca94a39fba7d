"""Lanes along the wave fronts of loops that go over one row again and again.

    for i: { p = row[0];  row[0] = i;  for j: { o = row[j];  row[j] = f(row[j-1], o, p);  p = o; } }
    ->  for t: { for i in lanes: o_x[i] = row[t-i];  for i in lanes: left_x[i] = row[t-i-1];
                 for i in lanes: row[t-i] = f(left_x[i], o_x[i], p_x[i]);  for i in lanes: p_x[i] = o_x[i];
                 for i = t: { p_x[i] = row[0];  row[0] = i; } }

Each iteration of the outer loop is one element behind the one before it, so that all that a step computes is there when
it begins: distances of strings, alignments in one row, sweeps in place. Scalars get an element for every outer
iteration; what a later lane overwrites is read first; what stands in front of the inner loop runs in the step before
its first iteration.

References:
    Lamport, "The Parallel Execution of DO Loops", CACM 1974.
    Wozniak, "Using video-oriented instructions to speed up sequence comparison", CABIOS 1997, for strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import islpy as isl

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import (
    Band,
    Branch,
    Leaf,
    Member,
    Node,
    ScheduleTree,
    Sequence,
    has_loops,
    is_invariant,
    original_tree,
    strides,
)
from polyloop.scop.affine_isl import NotAffineError, affine_from_aff
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.shaped import ShapedTree
from polyloop.shaping.variants import Variant
from polyloop.transforms.expand import Expand
from polyloop.transforms.read_first import ReadFirst
from polyloop.transforms.scop_transform import legal_steps

SLOPES = 1, 2
"""Steps that an iteration of the outer loop is behind the one before it."""


def in_waves(proofs: Proofs, variant: Variant) -> ShapedTree | None:
    """The first nest that has such lanes in them, everything else in order; None where there is none.

    Args:
        variant: without scalars of one iteration.
    """
    for outer, inner in _rows_again(variant.scop, original_tree(variant.scop)):
        if not _waits(proofs, variant.scop, inner):
            continue  # it has lanes itself
        prepared = _prepared(variant, inner)
        scop = prepared.scop
        tree = original_tree(scop)
        # What scalars are worth before it may be read in front of it.
        around = [e for e in tree.bands() if set(inner) <= set(e[1].statements) and _inner_loop(e[1]) is not None]
        for (path, band), slope in product(around, SLOPES):
            node = _wave(scop, band, slope)
            if node is None:
                break
            if proofs.is_legal(scop, leaning := tree.replaced(path, node)):
                words = f"original order, lanes along waves of {outer} around {', '.join(inner)}"
                name = "; ".join(filter(None, (prepared.words, words)))
                return ShapedTree(name, scop, leaning, prepared.steps)
    return None


def _rows_again(scop: Scop, tree: ScheduleTree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Loops around one innermost loop, which stores to a row that the outer loop comes back to: the outer iterator, and
    what is inside of the inner loop."""
    for _, band in tree.bands():
        inner = _inner_loop(band)
        if inner is None:
            continue
        stored = [scop.statement(name) for name in inner.statements]
        rows = [s for s in stored if s.target.subscripts and s.iterators[-2] not in _variables(s)]
        if any(read.array == row.target.array for row in rows for s in stored for read in s.reads):
            yield stored[0].iterators[-2], inner.statements


def _waits(proofs: Proofs, scop: Scop, inner: tuple[str, ...]) -> bool:
    """Whether iterations of the inner loop use what others have computed, before them and in outer iterations before:
    else it has lanes itself, or the outer one has."""
    inside = across = False
    for dependence in proofs.flow(scop):
        if "RAW" in dependence.kinds and {dependence.source, dependence.target} <= {*inner}:
            pairs, depth = dependence.relation, scop.statement(dependence.source).depth
            same = pairs
            for level in range(depth - 1):
                same = same.equate(isl.dim_type.in_, level, isl.dim_type.out, level)
            across |= not pairs.is_subset(same)
            itself = same.equate(isl.dim_type.in_, depth - 1, isl.dim_type.out, depth - 1)
            inside |= not same.is_subset(itself)
    return inside and across


def _variables(statement: Statement) -> frozenset[str]:
    return frozenset().union(*(subscript.variables() for subscript in statement.target.subscripts))


def _inner_loop(band: Band) -> Band | None:
    """The only loop inside of a loop, if that has no loops inside."""
    if len(band.members) > 1:
        return None
    nodes = [branch.node for branch in band.child.branches] if isinstance(band.child, Sequence) else [band.child]
    loops = [node for node in nodes if has_loops(node)]
    inner = loops[0] if len(loops) == 1 else None
    return inner if isinstance(inner, Band) and len(inner.members) == 1 and not has_loops(inner.child) else None


def _prepared(variant: Variant, inner: tuple[str, ...]) -> Variant:
    """With an element of every scalar for each outer iteration, and with reads first of what later lanes overwrite."""
    scop = variant.scop
    level = scop.statement(inner[0]).depth - 2
    targets = {scop.statement(name).target for name in inner}
    written = {target.array for target in targets}
    reads = [
        ReadFirst(name, read)
        for name in inner
        for read in scop.statement(name).reads
        if read.array in written and read not in targets
    ]
    changed, first = legal_steps(scop, reads)
    scalars = dict.fromkeys(s.target.array for s in changed.statements if not s.target.subscripts and s.depth > level)
    changed, expanded = legal_steps(changed, (Expand(name, (level,)) for name in scalars))
    words = [f"{', '.join(str(step.access) for step in first)} read first"] if first else []
    words += [f"{', '.join(step.array for step in expanded)} expanded over the outer loop"] if expanded else []
    return variant.then("; ".join(words), changed, (*first, *expanded)) if words else variant


def _wave(scop: Scop, band: Band, slope: int) -> Node | None:
    """The loops over steps, with lanes inside; None where bounds are not plain, or lanes lie apart."""
    inner, (outer,) = _inner_loop(band), band.members
    assert inner is not None
    deep = [scop.statement(name) for name in inner.statements]
    if not all(_is_along(statement, slope) for statement in deep):
        return None
    first, last = _ends(deep)
    branches = band.child.branches if isinstance(band.child, Sequence) else ()
    split = next((k for k, branch in enumerate(branches) if branch.node is inner), 0)
    before, behind = (
        [name for branch in part for name in branch.statements] for part in (branches[:split], branches[split + 1 :])
    )
    if (before and first is None) or (behind and last is None):
        return None
    steps = {name: outer.row(name) * slope + inner.members[0].row(name) for name in inner.statements}
    steps |= {name: outer.row(name) * slope + (first or Affine()) - 1 for name in before}
    steps |= {name: outer.row(name) * slope + (last or Affine()) + 1 for name in behind}
    order = (*behind, *_in_order(inner.child, inner.statements), *before)
    lanes = [
        Branch((name,), Band((Member(((name, outer.row(name)),), kind=_kind(name, inner)),), False, Leaf()))
        for name in order
    ]
    rows = tuple((s.name, steps[s.name]) for s in scop.statements if s.name in steps)
    return Band((Member(rows),), False, Sequence(tuple(lanes)))


def _kind(name: str, inner: Band) -> LoopKind:
    return LoopKind.VECTOR if name in inner.statements else LoopKind.SEQUENTIAL


def _in_order(node: Node, statements: tuple[str, ...]) -> tuple[str, ...]:
    """The statements of a loop's body, as they follow each other."""
    if isinstance(node, Sequence):
        return tuple(name for branch in node.branches for name in _in_order(branch.node, branch.statements))
    return statements


def _is_along(statement: Statement, slope: int) -> bool:
    """Whether neighbouring lanes of a wave have neighbouring elements, or the same one."""
    step = (*(0 for _ in statement.iterators[:-2]), 1, -slope)
    each = [strides(access, statement.iterators, step) for access in (statement.target, *statement.reads)]
    return all(is_invariant(one) or (one is not None and not any(one[:-1]) and abs(one[-1]) <= slope) for one in each)


def _ends(statements: list[Statement]) -> tuple[Affine | None, Affine | None]:
    """The first and the last iteration of the inner loop, by parameters alone; None where it has others."""
    points = isl.Set.empty(statements[0].domain.reset_tuple_id().get_space())
    for statement in statements:
        points = points | statement.domain.reset_tuple_id()
    return _only(points.dim_min(statements[0].depth - 1)), _only(points.dim_max(statements[0].depth - 1))


def _only(bound: isl.PwAff) -> Affine | None:
    pieces = bound.coalesce().get_pieces()
    try:
        return affine_from_aff(pieces[0][1], ()) if len(pieces) == 1 else None
    except NotAffineError:
        return None
