"""The default search: isl's schedules and the original order, each nest in its most promising shapes.

1. Bases: the original order, and isl's schedules under three fusion strategies, each also distributed, of the Scop and
   of its variants with expanded scalars and copies in another layout.
2. Every base gets the first legal shape on each nest. Its parts, the loops at the root of the tree, are timed one by
   one: programs of one part are small and compile fast, and bases share parts. Their sum ranks the bases.
3. From the best base on, the nests of its parts are reshaped, the longest part first, the best shape kept (coordinate
   descent), until nothing is left to try or the time is used up.
4. The best bases are compiled whole, checked, and measured interleaved with the original loops, which are always among
   the finalists.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from polyloop.backend.loop_nest import LoopKind
from polyloop.dependence import Dependence
from polyloop.distribution import distributed
from polyloop.isl_scheduler import Fusion
from polyloop.lanes_innermost import innermost_lanes
from polyloop.result import Candidate
from polyloop.schedule_tree import Band, Node, Path, ScheduleTree, original_tree
from polyloop.schedule_tree import Sequence as TreeSequence
from polyloop.scop import Scop
from polyloop.search.evaluation import Evaluator
from polyloop.search.nests import (
    Nest,
    Shape,
    nests,
    reduction_members,
    reshaped,
    reuse_members,
    vector_members,
)
from polyloop.search.roundings import with_other_roundings
from polyloop.search.shapes import shapes
from polyloop.search.variants import Variant, variants
from polyloop.transforms.scop_transform import ScopTransform

WHOLE = 4
"""How many bases are compiled whole."""
SURVEY, REFINEMENT = 0.4, 0.75
"""Shares of the time after which surveying the bases and refining them end."""
PATIENCE = 6
"""Shapes of one nest tried in a row without a gain of `GAIN` before the next nest gets its turn."""
GAIN = 0.98


@dataclass(frozen=True)
class Base:
    """A schedule to start from, with the shapes that its nests have got so far."""

    name: str
    scop: Scop
    tree: ScheduleTree
    changes: tuple[ScopTransform, ...] = ()
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

    def parts(self) -> tuple[Path, ...]:
        """Paths of what is executed one after the other at the root."""
        match self.tree.root:
            case TreeSequence(branches):
                return tuple((k,) for k in range(len(branches)))
            case _:
                return ((),)


def search(evaluator: Evaluator, budget: float, space: str = "schedule") -> Candidate:
    """The best candidate that was found in about `budget` seconds of searching (the original's own run apart).

    Raises:
        ValueError: for another space than that of schedules.
    """
    if space != "schedule":
        raise ValueError(f"this search walks schedules, not {space!r}")
    evaluator.evaluate(evaluator.original)
    started = time.monotonic()
    bases: list[tuple[float, Base]] = []
    for base in _bases(evaluator):
        # A second base is often the one that matters: it has sums or scalars of its own.
        if bases and time.monotonic() > started + (SURVEY if len(bases) > 1 else REFINEMENT) * budget:
            break
        shaped = _with_first_shapes(evaluator, base)
        bases.append((_predicted(evaluator, shaped), shaped))
    bases.sort(key=lambda entry: entry[0])
    for position, (_, base) in enumerate(bases):
        refined = _refined(evaluator, base, started + REFINEMENT * budget)
        bases[position] = (_predicted(evaluator, refined), refined)
        if time.monotonic() > started + REFINEMENT * budget:
            break
    bases.sort(key=lambda entry: entry[0])
    for _, base in bases[:WHOLE]:
        _evaluate(evaluator, _candidate(evaluator, base))
        if time.monotonic() > started + budget:
            break
    _for_the_compiler(evaluator, [base for _, base in bases], started + budget)
    if evaluator.options.either:
        _round_otherwise(evaluator)
    return evaluator.decided()


# --- bases ------------------------------------------------------------------------------------------------------------


def _bases(evaluator: Evaluator) -> Iterator[Base]:
    """Distinct legal schedules, the most different first: time may not suffice for all.

    Loops distributed as far as possible suit the shapes best, so they come first, for every variant of the Scop; but
    before them a nest that holds everything although isl was to separate it (sweeps that can be tiled over time).
    """
    scops = _most_promising_first(evaluator, list(variants(evaluator.scop)))
    seen: set[tuple[int, ScheduleTree]] = set()
    schedules = _Schedules(evaluator)
    together = schedules.get(evaluator.scop, Fusion.SEPARATE)
    rounds: list[tuple[Fusion | None, bool]] = [(Fusion.SEPARATE, True), (None, True)]
    rounds.insert(int(together is None or not _is_one_nest(together)), (Fusion.SEPARATE, False))
    rounds += [(fusion, False) for fusion in (None, Fusion.DEFAULT, Fusion.MAXIMAL)]
    rounds += [(Fusion.DEFAULT, True), (Fusion.MAXIMAL, True)]
    for fusion, apart in rounds:
        for variant in scops:
            words, scop, steps = variant.words, variant.scop, variant.steps
            if not apart and scop is not evaluator.scop:
                continue
            tree = schedules.get(scop, fusion)
            if tree is None:
                continue
            if apart:
                tree = distributed(scop, tree, evaluator.dependences(scop))
            if (id(scop), tree) not in seen and evaluator.is_legal(scop, tree):
                seen.add((id(scop), tree))
                order = "original order" if fusion is None else f"isl, {fusion.value} fusion"
                yield Base("; ".join(filter(None, (words, order + ", distributed" * apart))), scop, tree, steps)
            if (fusion, apart) == (Fusion.SEPARATE, True):
                around = _around_lanes(evaluator, scop)
                if around is not None and (id(scop), around) not in seen and evaluator.is_legal(scop, around):
                    seen.add((id(scop), around))
                    yield Base("; ".join(filter(None, (words, "isl, vectors innermost"))), scop, around, steps)


def _most_promising_first(evaluator: Evaluator, found: list[Variant]) -> list[Variant]:
    """The variants with most nests that are contractions: a sum in a scalar hides one, and time may not suffice to try
    all of them. Where no statement sums up in a scalar, they stay in order."""
    if not any(s.reduction and not s.target.subscripts for s in evaluator.scop.statements):
        return found

    def contractions(variant: Variant) -> int:
        scop = variant.scop
        tree = distributed(scop, original_tree(scop), evaluator.dependences(scop))
        return sum(
            bool(
                reduction_members(scop, nest) and any(reuse_members(scop, nest, v) for v in vector_members(scop, nest))
            )
            for nest in nests(tree)
        )

    return sorted(found, key=contractions, reverse=True)


class _Schedules:
    """isl's schedules, each computed once: some take isl seconds."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[tuple[int, Fusion], ScheduleTree | None] = {}

    def get(self, scop: Scop, fusion: Fusion | None) -> ScheduleTree | None:
        """isl's schedule, None if it gives up; the original order if no fusion is named.

        Where everything shares one nest although it was to be separated, no other fusion changes that.
        """
        if fusion is None:
            return original_tree(scop)
        separate = self._known.get((id(scop), Fusion.SEPARATE))
        if separate is not None and _is_one_nest(separate):
            return separate
        if (id(scop), fusion) not in self._known:
            self._known[id(scop), fusion] = self._computed(scop, fusion)
        return self._known[id(scop), fusion]

    def _computed(self, scop: Scop, fusion: Fusion) -> ScheduleTree | None:
        evaluator = self._evaluator
        if fusion is not Fusion.SEPARATE and self.get(scop, Fusion.SEPARATE) is None:
            return None
        arguments = (scop, evaluator.flow(scop), fusion, evaluator.options.reassociate)
        return evaluator.scheduled("polyloop.isl_scheduler:isl_schedule", *arguments)


def _is_one_nest(tree: ScheduleTree) -> bool:
    return isinstance(tree.root, Band) and any(nest.path == () for nest in nests(tree))


def _around_lanes(evaluator: Evaluator, scop: Scop) -> ScheduleTree | None:
    """isl's schedule around vector loops along the stores of the deepest statements, None if there is none."""
    reassociate, dependences = evaluator.options.reassociate, evaluator.dependences(scop)
    lanes = innermost_lanes(scop, dependences, reassociate)
    if not lanes:
        return None
    arguments = (scop, evaluator.flow(scop), lanes, Fusion.SEPARATE, reassociate)
    return evaluator.scheduled("polyloop.lanes_innermost:schedule_around_lanes", *arguments)


def _with_first_shapes(evaluator: Evaluator, base: Base) -> Base:
    """The first legal shape for every nest; a nest without one stays as it is."""
    for nest in nests(base.tree):
        for name, shape in islice(_shapes(evaluator, base, nest), 1):
            base = base.with_shape(nest, name, shape)
    return base


def refined(evaluator: Evaluator, name: str, scop: Scop, tree: ScheduleTree, deadline: float) -> Candidate:
    """A schedule with the best shapes that are found until a deadline (of `time.monotonic`), not yet measured whole."""
    base = _with_first_shapes(evaluator, Base(name, scop, tree))
    return _candidate(evaluator, _refined(evaluator, base, deadline))


def first_shaped(evaluator: Evaluator, scop: Scop, tree: ScheduleTree) -> ScheduleTree:
    """A schedule whose nests have their first legal shape each: tiles, vectors, register tiles; nothing is measured."""
    return _with_first_shapes(evaluator, Base("", scop, tree)).shaped(evaluator.dependences(scop))


def _shapes(evaluator: Evaluator, base: Base, nest: Nest) -> Iterator[tuple[str, Shape]]:
    target = base.scop.statement(nest.statements[0]).target.array
    lanes = evaluator.target.lanes(base.scop.array(target).type)

    def is_legal(shape: Shape) -> bool:
        tree = reshaped(base.scop, evaluator.dependences(base.scop), base.tree, nest, shape)
        return evaluator.is_legal(base.scop, tree)

    return shapes(base.scop, nest, lanes, is_legal, evaluator.target.vector_registers)


# --- parts ------------------------------------------------------------------------------------------------------------


def _predicted(evaluator: Evaluator, base: Base) -> float:
    """Seconds of all parts, one by one."""
    tree = base.shaped(evaluator.dependences(base.scop))
    return sum(evaluator.part_seconds(base.scop, tree, path) for path in base.parts())


def _refined(evaluator: Evaluator, base: Base, deadline: float) -> Base:
    """Coordinate descent over the nests, those of the longest part first."""
    tree = base.shaped(evaluator.dependences(base.scop))
    seconds = {path: evaluator.part_seconds(base.scop, tree, path) for path in base.parts()}
    for part in sorted(seconds, key=lambda path: -seconds[path]):
        inside = [nest for nest in nests(base.tree) if nest.path[: len(part)] == part]
        for nest in sorted(inside, key=lambda nest: -len(nest.members) - len(nest.around)):
            base = _reshaped_for_speed(evaluator, base, part, nest, deadline)
    return base


def _reshaped_for_speed(evaluator: Evaluator, base: Base, part: Path, nest: Nest, deadline: float) -> Base:
    dependences = evaluator.dependences(base.scop)
    best, seconds, idle = base, evaluator.part_seconds(base.scop, base.shaped(dependences), part), 0
    for name, shape in _shapes(evaluator, base, nest):
        if idle >= PATIENCE or time.monotonic() > deadline:
            break
        changed = best.with_shape(nest, name, shape)
        tree = changed.shaped(dependences)
        if not evaluator.is_legal(base.scop, tree):
            continue
        measured = evaluator.part_seconds(base.scop, tree, part, cutoff=1.5 * seconds)
        idle = 0 if measured < GAIN * seconds else idle + 1
        if measured < seconds:
            best, seconds = changed, measured
    return best


# --- whole candidates -------------------------------------------------------------------------------------------------


def _evaluate(evaluator: Evaluator, candidate: Candidate) -> float:
    return evaluator.evaluate(candidate, 2 * evaluator.best_seconds())


def _candidate(evaluator: Evaluator, base: Base) -> Candidate:
    steps = [f"schedule: {base.name}"]
    for path, name, _ in sorted(base.chosen, key=lambda entry: entry[0]):
        statements = ", ".join(base.tree.statements_at(path))
        steps.append(f"{statements}: {name}")
    tree = base.shaped(evaluator.dependences(base.scop))
    if evaluator.options.threads > 1:
        tree = parallelized(evaluator, base.scop, tree)
    return Candidate("; ".join(steps), base.scop, tree, tuple(steps), changes=base.changes)


def _for_the_compiler(evaluator: Evaluator, bases: Sequence[Base], deadline: float) -> None:
    """The Scop's own schedules without shapes: sometimes the compiler's vectoriser does better."""
    for base in bases:
        if base.scop is evaluator.scop and base.tree != original_tree(base.scop) and time.monotonic() < deadline:
            name = f"{base.name}, compiler's vectors"
            _evaluate(evaluator, Candidate(name, base.scop, base.tree, (base.name,), explicit=False))


def _round_otherwise(evaluator: Evaluator) -> None:
    """The best and the original loops with other roundings of multiply-adds, whatever time is left: four runs."""
    for candidate in dict.fromkeys((evaluator.ranked()[0].name, evaluator.original.name)):
        for other in with_other_roundings(evaluator.candidates[candidate]):
            _evaluate(evaluator, other)


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
