"""The default search: isl's schedules and the original order, each nest in its most promising shapes.

1. Bases: the original order, and isl's schedules under three fusion strategies, each also distributed, of the Scop and
   of its variants with expanded scalars and copies in another layout.
2. Every base with the first legal shape on each nest is measured, and once as it is for the compiler's vectoriser.
3. From the best base on, the nests are reshaped one after the other, the best shape kept (coordinate descent), until
   nothing is left to try or the time is used up.
4. The finalists and the original loops are measured again, interleaved. The original loops are always among them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from polyloop.backend.loop_nest import LoopKind
from polyloop.dependence import Dependence, value_dependences
from polyloop.distribution import distributed
from polyloop.errors import PolyloopError
from polyloop.isl_scheduler import Fusion, isl_schedule
from polyloop.result import Candidate
from polyloop.schedule_tree import Band, Node, Path, ScheduleTree, original_tree
from polyloop.schedule_tree import Sequence as TreeSequence
from polyloop.scop import Scop
from polyloop.search.evaluation import Evaluator
from polyloop.search.nests import Nest, Shape, nests, reshaped
from polyloop.search.shapes import shapes
from polyloop.search.variants import variants

FINALISTS = 3
PATIENCE = 6
"""Shapes of one nest tried in a row without a gain of `GAIN` before the next nest gets its turn."""
GAIN = 0.98


@dataclass(frozen=True)
class Base:
    """A schedule to start from, with the shapes that its nests have got so far."""

    name: str
    scop: Scop
    tree: ScheduleTree
    chosen: tuple[tuple[Path, str, Shape], ...] = ()

    def with_shape(self, nest: Nest, name: str, shape: Shape) -> Base:
        kept = tuple(entry for entry in self.chosen if entry[0] != nest.path)
        return replace(self, chosen=(*kept, (nest.path, name, shape)))

    def shaped(self, dependences: Sequence[Dependence]) -> ScheduleTree:
        tree = self.tree
        originals = {nest.path: nest for nest in nests(self.tree)}
        for path, _, shape in self.chosen:
            tree = reshaped(self.scop, dependences, tree, originals[path], shape)
        return tree


def search(evaluator: Evaluator, budget: float) -> Candidate:
    """The best candidate that was found in about `budget` seconds of searching (the original's own run apart)."""
    original = evaluator.original
    evaluator.evaluate(original)
    deadline = time.monotonic() + budget
    ranked: list[tuple[float, Base]] = []
    for base in _bases(evaluator):
        if time.monotonic() > deadline:
            break
        shaped = _with_first_shapes(evaluator, base)
        ranked.append((_try(evaluator, shaped), shaped))
        if base.scop is evaluator.scop and base.tree != original_tree(base.scop):
            plain = Candidate(f"{base.name}, compiler's vectors", base.scop, base.tree, (base.name,), explicit=False)
            evaluator.evaluate(plain, 2 * _best(evaluator))
    ranked.sort(key=lambda entry: entry[0])
    for _, base in ranked:
        _refine(evaluator, base, deadline)
    return _final(evaluator)


def _best(evaluator: Evaluator) -> float:
    return min((m.timing.median for m in evaluator.measured.values() if m.timing), default=float("inf"))


def _bases(evaluator: Evaluator) -> Iterator[Base]:
    """Distinct legal schedules: of the Scop itself first, then of its variants."""
    for words, scop in variants(evaluator.scop):
        seen: set[ScheduleTree] = set()
        for name, tree in _schedules(evaluator, scop):
            if tree not in seen and evaluator.is_legal(scop, tree):
                seen.add(tree)
                yield Base(f"{words}; {name}" if words else name, scop, tree)


def _schedules(evaluator: Evaluator, scop: Scop) -> Iterator[tuple[str, ScheduleTree]]:
    dependences = value_dependences(scop)
    proposals = [("original order", original_tree(scop))]
    for fusion in Fusion:
        try:
            tree = isl_schedule(scop, dependences, fusion, reassociate=evaluator.options.reassociate)
        except PolyloopError:
            continue
        proposals.append((f"isl, {fusion.value} fusion", tree))
    for name, tree in proposals:
        yield f"{name}, distributed", distributed(scop, tree, evaluator.dependences(scop))
    if scop is evaluator.scop:
        yield from proposals


def _with_first_shapes(evaluator: Evaluator, base: Base) -> Base:
    """The first legal shape for every nest; a nest without one stays as it is."""
    for nest in nests(base.tree):
        for name, shape in islice(_shapes(evaluator, base, nest), 1):
            base = base.with_shape(nest, name, shape)
    return base


def _shapes(evaluator: Evaluator, base: Base, nest: Nest) -> Iterator[tuple[str, Shape]]:
    target = base.scop.statement(nest.statements[0]).target.array
    lanes = evaluator.target.lanes(base.scop.array(target).type)

    def is_legal(shape: Shape) -> bool:
        tree = reshaped(base.scop, evaluator.dependences(base.scop), base.tree, nest, shape)
        return evaluator.is_legal(base.scop, tree)

    return shapes(base.scop, nest, lanes, is_legal)


def _try(evaluator: Evaluator, base: Base) -> float:
    candidate = _candidate(evaluator, base)
    return evaluator.evaluate(candidate, 2 * _best(evaluator))


def _candidate(evaluator: Evaluator, base: Base) -> Candidate:
    steps = [f"schedule: {base.name}"]
    for path, name, _ in sorted(base.chosen, key=lambda entry: entry[0]):
        statements = ", ".join(base.tree.statements_at(path))
        steps.append(f"{statements}: {name}")
    tree = base.shaped(evaluator.dependences(base.scop))
    if evaluator.options.threads > 1:
        tree = parallelized(evaluator, base.scop, tree)
    return Candidate("; ".join(steps), base.scop, tree, tuple(steps))


def _refine(evaluator: Evaluator, base: Base, deadline: float) -> None:
    """Coordinate descent over the nests, the deepest first."""
    best, seconds = base, _try(evaluator, base)
    ordered = sorted(nests(base.tree), key=lambda nest: -len(nest.members) - len(nest.around))
    for nest in ordered:
        idle = 0
        for name, shape in _shapes(evaluator, base, nest):
            if time.monotonic() > deadline:
                return
            changed = best.with_shape(nest, name, shape)
            if not evaluator.is_legal(base.scop, changed.shaped(evaluator.dependences(base.scop))):
                continue
            measured = _try(evaluator, changed)
            idle = 0 if measured < GAIN * seconds else idle + 1
            if measured < seconds:
                best, seconds = changed, measured
            if idle >= PATIENCE:
                break


def _final(evaluator: Evaluator) -> Candidate:
    """The original loops against the best few, interleaved."""
    ranked = sorted((c for c in evaluator.candidates.values()), key=evaluator.seconds)
    finalists = [c for c in ranked if evaluator.seconds(c) < float("inf")][:FINALISTS]
    if evaluator.original not in finalists:
        finalists.append(evaluator.original)
    if len(finalists) > 1:
        evaluator.compare(finalists)
    return min(finalists, key=evaluator.seconds)


def parallelized(evaluator: Evaluator, scop: Scop, tree: ScheduleTree) -> ScheduleTree:
    """The outermost loop of every root-level nest that may run in parallel, made parallel."""
    for path, band in _outermost(tree.root, ()):
        for index, member in enumerate(band.members):
            if member.kind is not LoopKind.SEQUENTIAL:
                break
            members = (*band.members[:index], replace(member, kind=LoopKind.PARALLEL), *band.members[index + 1 :])
            changed = tree.replaced(path, replace(band, members=members))
            if evaluator.is_legal(scop, changed):
                tree = changed
                break
    return tree


def _outermost(node: Node, path: Path) -> Sequence[tuple[Path, Band]]:
    match node:
        case Band():
            return [(path, node)]
        case TreeSequence(branches):
            return [found for k, b in enumerate(branches) for found in _outermost(b.node, (*path, k))]
        case _:
            return []
