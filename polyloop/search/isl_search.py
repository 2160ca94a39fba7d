"""The default search: isl's schedules and the original order, each nest in its most promising shapes.

1. Bases: the original order with short loops unrolled, with searches for maxima in lanes, with reads before what
   overwrites them, and with lanes along outer loops, where scalars are private to these; the original order and isl's
   schedules under three fusion strategies, each also distributed, of the Scop and of its variants with expanded scalars
   and copies in another layout.
2. Every base gets the first legal shape on each nest. Its parts, the loops at the root of the tree, are timed one by
   one: programs of one part are small and compile fast, and bases share parts. Their sum ranks the bases.
3. From the best base on, the nests of its parts are reshaped, the longest part first, the best shape kept (coordinate
   descent), until nothing is left to try or the time is used up.
4. The best bases are compiled whole, checked, and measured interleaved with the original loops, which are always among
   the finalists.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice
from math import inf

from polyloop.backend.ir.expressions import contracted, walk
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine import core
from polyloop.measure.evaluator import SCHEDULING_SECONDS, Evaluator
from polyloop.measure.result import Candidate, Source
from polyloop.schedules.isl_scheduler import Fusion, distributed, innermost_lanes, interleave
from polyloop.schedules.tree import Band, Path, ScheduleTree, has_loops, original_tree
from polyloop.scop.data import bytes_of
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.families import is_sweep, turned_vectors
from polyloop.shaping.nests import Nest, Shape, is_contraction, nests
from polyloop.shaping.shaped import ShapedTree, all_parallel, legal_shapes, parallelized, with_first_shapes
from polyloop.shaping.variants import (
    Variant,
    chooses,
    in_blocks,
    least,
    peeled,
    prepared,
    read_first,
    searched,
    shortened,
    straightened,
    unfolded,
    variants,
    with_addends,
    with_own_rows,
    written_out,
)

WHOLE = 4
"""How many bases are compiled whole."""
SURVEY, REFINEMENT = 0.4, 0.75
"""Shares of the time after which surveying the bases and refining them end."""
SHORT = 2.0
"""In a search of fewer seconds the first base is compiled whole at once."""
MANY = 16
"""Statements that writing out short loops may add before loops around them get lanes."""
DEEP = 6
"""Loops around a statement from which on isl takes seconds over what else there is: a non-local mean, for whose six
loops and 15 statements it took ten on a Zen 4, is 4.4 times as fast in lanes along its pixels."""
TRIALS = 10
"""A search gets the time of so many trials like its first one, if it may take as long."""
PATIENCE = 6
"""Shapes of one nest tried in a row without a gain of `GAIN` before the next nest gets its turn."""
QUICK = 16
"""With more statements than these isl's first schedule waits for lanes and blocks: 30 of a ray tracer take it more than
six seconds."""
LARGE = 64
"""With more statements than these all but lanes waits: for 150 of an Euler code's fluxes, which are 3.5 to 6.8 times as
fast in lanes, it takes six seconds to find that there is nothing else (Zen 4)."""
GAIN = 0.98
OTHERWISE, NEXT = 1.5, 4
"""Where the whole takes so many times as long as its parts, so many other shapes of the longest are measured whole."""
MATTERS = 0.02
"""A part that takes a smaller share of the time is not reshaped."""


def search(evaluator: Evaluator, budget: float, space: str = "schedule") -> Candidate:
    """The best candidate that was found in about `budget` seconds of searching (the original's own run apart).

    Raises:
        ValueError: for another space than that of schedules.
    """
    if space != "schedule":
        raise ValueError(f"this search walks schedules, not {space!r}")
    evaluator.evaluate(evaluator.original)
    started = time.monotonic()
    bases: list[tuple[float, ShapedTree]] = []
    try:
        budget = _survey(evaluator, bases, started, budget)
    except KeyboardInterrupt:
        # Parts have been timed, nothing whole yet: what they promise becomes a candidate.
        if evaluator.options.anytime and bases:
            _evaluate(evaluator, as_candidate(evaluator, min(bases, key=lambda entry: entry[0])[1]))
        raise
    ahead = with_rows_ahead(evaluator, evaluator.best_so_far())
    if ahead is not None:  # whatever time is left: few have such lanes
        _evaluate(evaluator, ahead)
    _for_the_compiler(evaluator, [base for _, base in bases], started + budget)
    if evaluator.options.either:
        _round_otherwise(evaluator)
    return evaluator.decided()


def search_first(evaluator: Evaluator, share: float, most: float, budget: float) -> tuple[Candidate, float]:
    """`search` with a share of the time of another search that goes on from what it finds, and with more of it, up to
    `most`, where its first trial takes long: nothing is gained by walking from what it has hardly begun with.

    Returns:
        Its candidate, and the seconds that both have.
    """
    given = evaluator.longer

    def longer(wanted: float) -> float:
        nonlocal budget
        budget += 0.0 if given is None else given(wanted)
        return max(0.0, min(wanted, most * budget) - share * begun)

    begun, evaluator.longer = budget, longer
    try:
        return search(evaluator, share * budget), budget
    finally:
        evaluator.longer = given


def first_guess(evaluator: Evaluator) -> Candidate:
    """What the search starts from, for where nothing can be measured: its first base, every nest in its first shape."""
    base = next(_bases(evaluator))
    return as_candidate(evaluator, _in_first_shapes(evaluator, base))


def in_order(evaluator: Evaluator) -> Candidate:
    """The loops in their order, every nest in its first shape: mostly their vectors alone."""
    base = ShapedTree("original order", evaluator.scop, original_tree(evaluator.scop))
    return as_candidate(evaluator, _in_first_shapes(evaluator, base))


def in_threads(evaluator: Evaluator) -> Candidate | None:
    """The same, of the first variant of the Scop all of whose loops run in threads so."""
    for variant in variants(evaluator.scop):
        words = "; ".join(filter(None, (variant.words, "original order, in threads")))
        base = ShapedTree(words, variant.scop, original_tree(variant.scop), variant.steps)
        candidate = as_candidate(evaluator, _in_first_shapes(evaluator, base))
        if candidate.tree is not None and all_parallel(candidate.tree):
            return candidate
    return None


def _survey(evaluator: Evaluator, bases: list[tuple[float, ShapedTree]], started: float, budget: float) -> float:
    """Fill `bases` with predicted seconds and bases, and measure the best of them whole; returns how many seconds the
    search has: more, where trying the first base takes a large part of them."""
    for base in all_bases(evaluator):
        # A second base is often the one that matters: it has sums or scalars of its own. What cannot be built is none.
        built = [base for seconds, base in bases if seconds < inf]
        if built and time.monotonic() > started + (SURVEY if len(built) > 1 else REFINEMENT) * budget:
            break
        shaped = _in_first_shapes(evaluator, base)
        if not bases and (budget < SHORT or time.monotonic() > started + SURVEY * budget):
            # Compiling takes long here: whatever ends the search, something whole has been measured.
            _evaluate(evaluator, as_candidate(evaluator, shaped))
        bases.append((_predicted(evaluator, shaped), shaped))
        if len(bases) == 1 and evaluator.longer is not None:
            budget += evaluator.longer(TRIALS * (time.monotonic() - started))
    bases.sort(key=lambda entry: entry[0])
    for position, (_, base) in enumerate(bases):
        reshaped = _reshaped(evaluator, base, started + REFINEMENT * budget)
        bases[position] = (_predicted(evaluator, reshaped), reshaped)
        if time.monotonic() > started + REFINEMENT * budget:
            break
    bases.sort(key=lambda entry: entry[0])
    # What the user's directives run in threads stays in threads.
    source = evaluator.scop.source
    in_either = evaluator.options.threads > 1 and (source is None or source.team is None)
    for predicted, base in bases[:WHOLE]:
        took = _evaluate(evaluator, as_candidate(evaluator, base))
        if took > predicted and in_either:
            # Starting threads, or waiting for them, takes longer than what they save.
            _evaluate(evaluator, as_candidate(evaluator, base, parallel=False))
        elif took > OTHERWISE * predicted:
            _evaluate_next(evaluator, base, started + budget)
        if time.monotonic() > started + budget:
            break
    return budget


# --- bases ------------------------------------------------------------------------------------------------------------


def all_bases(evaluator: Evaluator) -> Iterator[ShapedTree]:
    """Those without repeated computations, with short loops unrolled, and those in lanes, come first; between them the
    first in which a variant shows what scalars have hidden: a contraction. Time may not suffice for more."""
    large = len(evaluator.scop.statements) > LARGE
    if not large:
        yield from _prepared(evaluator)
    # It would take long to find that those have no lanes, or what else they have.
    deep = max((statement.depth for statement in evaluator.scop.statements), default=0) >= DEEP
    lanes: list[ShapedTree] | None = None
    if deep or large or written_out(evaluator.scop) - len(evaluator.scop.statements) > MANY:
        lanes = _in_outer_lanes(evaluator)
        yield from lanes
    if large:
        yield from _prepared(evaluator)
    # Choices keep windows out of lanes; where windows are cut off, lanes are masked.
    borders = chooses(evaluator.scop)
    yield from _between_borders(evaluator) if borders else ()
    straight = list(unfolded(evaluator.scop))
    yield from _in_order(straight)
    sums = _sums_in_scalars(evaluator.scop)
    found = [*variants(evaluator.scop), *straight] if sums or straight else None
    bases = _bases(evaluator, found)
    few = len(evaluator.scop.statements) <= QUICK
    if found is not None and sums and few and _contractions(evaluator, _most_promising_first(evaluator, found)[0].scop):
        yield from islice(bases, 1)
    yield from chain(_in_lanes(evaluator, lanes), () if borders else _between_borders(evaluator), bases)


def _bases(evaluator: Evaluator, found: list[Variant] | None = None) -> Iterator[ShapedTree]:
    """Distinct legal schedules, the most different first: time may not suffice for all.

    What has lanes only where it is cut comes first so. Blocked forms are next, of Scops that have some: everything else
    is slower there. Loops distributed as far as possible suit the shapes best, so they come next, for every variant of
    the Scop; but before them sweeps in one nest although isl was to separate them: they can be tiled over time.

    Args:
        found: the variants, if they are known.
    """
    found = list(variants(evaluator.scop)) if found is None else found
    whole = least(found)
    # Where a scalar of one iteration is only in the way, nothing is better with it.
    scops = _most_promising_first(evaluator, [whole, *(variant for variant in found if variant is not whole)])
    seen: set[tuple[Scop, ScheduleTree]] = set()
    blocked: set[Scop] = set()
    for freed in [variant for variant in scops if variant.freed][:1]:  # and isl may take longer than runs without lanes
        base = _distributed(evaluator, freed)
        seen.add((freed.scop, base.tree))
        yield base
    schedules = _Schedules(evaluator)
    together = schedules.get(whole.scop, Fusion.SEPARATE)
    rounds: list[tuple[Fusion | None, bool]] = [(Fusion.SEPARATE, True), (None, True)]
    rounds.insert(int(together is None or not _has_sweeps(whole.scop, together)), (Fusion.SEPARATE, False))
    if any(interleave(*pair) for pair in combinations(whole.scop.statements, 2)):  # isl takes them apart
        rounds.remove((None, True))
        rounds.insert(0, (None, True))
    rounds += [(fusion, False) for fusion in (None, Fusion.DEFAULT, Fusion.MAXIMAL)]
    rounds += [(Fusion.DEFAULT, True), (Fusion.MAXIMAL, True)]
    for fusion, apart in rounds:
        for variant in scops:
            words, scop, steps = variant.words, variant.scop, variant.steps
            if not apart and variant is not whole:
                continue
            tree = schedules.get(scop, fusion)
            if tree is None:
                continue
            order = "original order" if fusion is None else f"isl, {fusion.value} fusion"
            name = "; ".join(filter(None, (words, order)))
            if fusion is Fusion.SEPARATE and scop not in blocked:
                blocked.add(scop)
                yield from _blocked(evaluator, ShapedTree(name, scop, tree, steps))
            if apart:
                tree = distributed(scop, tree, evaluator.proofs.dependences(scop))
            if (scop, tree) not in seen and evaluator.proofs.is_legal(scop, tree):
                seen.add((scop, tree))
                base = ShapedTree(name + ", distributed" * apart, scop, tree, steps)
                yield base
                if not apart:
                    yield from _realigned(evaluator, base)
                if (fusion, apart) == (Fusion.SEPARATE, True):
                    yield from _sharing(evaluator, base)
            if (fusion, apart) == (Fusion.SEPARATE, True):
                around = _around_lanes(evaluator, scop)
                if around is not None and (scop, around) not in seen and evaluator.proofs.is_legal(scop, around):
                    seen.add((scop, around))
                    yield ShapedTree("; ".join(filter(None, (words, "isl, vectors innermost"))), scop, around, steps)


def _blocked(evaluator: Evaluator, base: ShapedTree) -> Iterator[ShapedTree]:
    """Factorisations and triangular solutions in panels; of matrices that are read once in rows first."""
    scop, written = base.scop, base.scop.written
    sums = [s for s in scop.statements if s.reduction is not None]
    if any(read.array in written and read != s.target for s in sums for read in s.reads):
        from polyloop.shaping.panels import in_panels  # of Scops whose sums read others

        if all(s.depth <= len(s.target.subscripts) + 1 == 2 for s in sums):
            rows = _rows_in_lanes(evaluator, scop, (s.target.array for s in sums))
            yield from filter(None, (in_panels(evaluator.proofs, base, rows, "rows"),))
        yield from filter(None, (in_panels(evaluator.proofs, base, size) for size in core.PANELS))


def _realigned(evaluator: Evaluator, base: ShapedTree) -> Iterator[ShapedTree]:
    """Sweeps over copies whose rows are diagonals, where these alone have lanes, or begin where cache lines do."""
    if not any(is_sweep(base.scop, nest) for nest in nests(base.tree)):
        return
    from polyloop.shaping.realigned import in_diagonals, in_whole_lines  # of Scops that come back to the same elements

    yield from filter(None, (in_diagonals(evaluator.proofs, base), in_whole_lines(base)))


def _sharing(evaluator: Evaluator, base: ShapedTree) -> Iterator[ShapedTree]:
    """Nests that go through the rows of one matrix by blocks: few that hide the latency of sums, then twice those."""
    scop = base.scop
    matrices = [{a.array for a in s.accesses if len(a.subscripts) == 2} for s in scop.statements if s.depth == 2]
    shared = frozenset[str]().union(*(one & other for one, other in combinations(matrices, 2)))
    if shared:
        from polyloop.shaping.sharing import sharing_rows  # of Scops that go through a matrix twice

        rows = _rows_in_lanes(evaluator, scop, shared)
        yield from filter(None, (sharing_rows(evaluator.proofs, base, size) for size in (rows, 2 * rows)))


def _rows_in_lanes(evaluator: Evaluator, scop: Scop, arrays: Iterable[str]) -> int:
    """Of a matrix whose rows are summed up in lanes, so many at once as hide the latency of sums."""
    lanes = min(evaluator.target.lanes(scop.array(name).type) for name in arrays)
    return turned_vectors(evaluator.target, lanes) * lanes


def _most_promising_first(evaluator: Evaluator, found: list[Variant]) -> list[Variant]:
    """The variants with most nests that are contractions: a sum in a scalar hides one, and time may not suffice to try
    all of them. Where no statement sums up in a scalar, they stay in order."""
    if not _sums_in_scalars(evaluator.scop):
        return found
    return sorted(found, key=lambda variant: _contractions(evaluator, variant.scop), reverse=True)


def _sums_in_scalars(scop: Scop) -> bool:
    return any(s.reduction and not s.target.subscripts for s in scop.statements)


def _contractions(evaluator: Evaluator, scop: Scop) -> int:
    tree = distributed(scop, original_tree(scop), evaluator.proofs.dependences(scop))
    return sum(is_contraction(scop, nest) for nest in nests(tree))


def _in_outer_lanes(evaluator: Evaluator) -> list[ShapedTree]:
    lanes = _outer_lanes(evaluator, Variant("", evaluator.scop))
    return [] if lanes is None else [lanes]


def _in_lanes(evaluator: Evaluator, outer: list[ShapedTree] | None = None) -> Iterator[ShapedTree]:
    """The original order in lanes: what was unrolled by hand rolled up, searches, with reads first, along outer loops
    that have scalars of their own.

    Args:
        outer: the last, if they are known.
    """
    straight = straightened(evaluator.scop)
    more = (*searched(straight.scop), *read_first(straight.scop))
    yield from _in_order([straight] if straight.steps else [])
    yield from _in_order(straight.then(v.words, v.scop, v.steps) for v in more)
    yield from _in_waves(evaluator, straight)
    for lanes in _in_outer_lanes(evaluator) if outer is None else outer:
        yield from _in_strips(evaluator, lanes)
    yield from _in_blocks(evaluator)
    yield from _with_own_rows(evaluator)


def _in_waves(evaluator: Evaluator, variant: Variant) -> Iterator[ShapedTree]:
    """Lanes along wave fronts of loops that come back to a row."""
    statements = variant.scop.statements
    rows = [s for s in statements if s.depth > 1 and s.target.subscripts]
    again = {
        s.target for s in rows if not any(s.iterators[-2] in subscript.variables() for subscript in s.target.subscripts)
    }
    if any(read.array == row.array and read != row for row in again for s in statements for read in s.reads):
        from polyloop.shaping.waves import in_waves  # of Scops that have such

        yield from filter(None, (in_waves(evaluator.proofs, shortened(variant)),))


def _with_own_rows(evaluator: Evaluator) -> Iterator[ShapedTree]:
    """Lanes along loops around rows that every iteration fills anew: so many as hide the latency of what runs there,
    and before them one vector. Each lane goes through rows of its own in all matrices: in four vectors, solvers of
    1,007 tridiagonal systems of 1,007 took 6.7 ms on a Zen 5 where they took 1.6 in one."""
    scop = evaluator.scop
    rows = [array for array in scop.arrays if len(array.shape) == 1 and array.name in scop.written]
    if rows:
        least = min(evaluator.target.lanes(array.type) for array in rows)
        for block in dict.fromkeys((least, _rows_in_lanes(evaluator, scop, (array.name for array in rows)))):
            yield from filter(None, (_outer_lanes(evaluator, variant) for variant in with_own_rows(scop, block)))


def _in_strips(evaluator: Evaluator, lanes: ShapedTree) -> Iterator[ShapedTree]:
    """Lanes along outer loops, and in strips that these share; by blocks of rows where they go down columns."""
    from polyloop.shaping.row_blocks import in_row_blocks, lanes_apart  # of Scops with such lanes
    from polyloop.shaping.sharing import sharing_strips

    proofs, target = evaluator.proofs, evaluator.target
    yield lanes
    apart = lanes_apart(proofs, lanes)
    if apart is not None:
        yield in_row_blocks(proofs, sharing_strips(proofs, apart, target, 0) or apart, target)
    yield from filter(None, (sharing_strips(proofs, lanes, target, vectors) for vectors in core.STRIPS))


def _in_blocks(evaluator: Evaluator) -> Iterator[ShapedTree]:
    """Sums in order of what is computed in lanes, and what scalars keep, block by block."""
    for variant in (*with_addends(evaluator.scop), *in_blocks(evaluator.scop)):
        apart, together = (_distributed(evaluator, variant, fuse) for fuse in (False, True))
        yield apart
        if together.tree != apart.tree:
            yield together


def _prepared(evaluator: Evaluator) -> Iterator[ShapedTree]:
    """What loops compute again and again computed before them, and the like, then the loops in order, in lanes of outer
    ones, too."""
    variant = prepared(evaluator.scop)
    if variant.steps:
        yield _distributed(evaluator, variant)
        yield from filter(None, (_outer_lanes(evaluator, variant),))


def _between_borders(evaluator: Evaluator) -> Iterator[ShapedTree]:
    """Borders apart, where there are some: loops that share nothing, then lanes along what lies between them."""
    found = list(peeled(evaluator.scop))
    for variant in found[:-1]:
        yield _distributed(evaluator, variant)
    for apart in found[-1:]:
        lanes = _outer_lanes(evaluator, apart)
        if lanes is not None:
            yield lanes
        elif len(found) == 1:
            yield _distributed(evaluator, apart)


def _distributed(evaluator: Evaluator, variant: Variant, fuse_reductions: bool = False) -> ShapedTree:
    scop = variant.scop
    tree = distributed(scop, original_tree(scop), evaluator.proofs.dependences(scop), fuse_reductions)
    words = f"{variant.words}; original order, distributed{', reductions fused' if fuse_reductions else ''}"
    return ShapedTree(words, scop, tree, variant.steps)


def _in_order(found: Iterable[Variant]) -> Iterator[ShapedTree]:
    """Variants in the original order."""
    for variant in found:
        yield ShapedTree(f"{variant.words}; original order", variant.scop, original_tree(variant.scop), variant.steps)


def _outer_lanes(evaluator: Evaluator, variant: Variant) -> ShapedTree | None:
    """Lanes along outer loops, which only scalars stand in the way of, or around recurrences and short loops."""
    scop, written = variant.scop, variant.scop.written
    around = any(r.array == s.target.array and r != s.target for s in scop.statements for r in s.reads)
    around = around or written_out(scop) > len(scop.statements)
    if not around and all(array.shape or array.name not in written for array in scop.arrays):
        return None
    from polyloop.shaping.outer_lanes import outer_lanes  # of Scops that have some

    lanes = outer_lanes(evaluator.proofs, scop)
    if lanes is None:
        return None
    name = "; ".join(filter(None, (variant.words, lanes.name)))
    return replace(lanes, name=name, changes=(*variant.steps, *lanes.changes))


class _Schedules:
    """isl's schedules, each computed once: some take isl seconds. Of so many statements as it has not come to an end
    with, it is asked no more."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._too_many = inf
        self._known: dict[tuple[Scop, Fusion], ScheduleTree | None] = {}

    def get(self, scop: Scop, fusion: Fusion | None) -> ScheduleTree | None:
        """isl's schedule, None if it gives up; the original order if no fusion is named.

        Where everything shares one nest although it was to be separated, no other fusion changes that.
        """
        if fusion is None:
            return original_tree(scop)
        separate = self._known.get((scop, Fusion.SEPARATE))
        if separate is not None and _is_one_nest(separate):
            return separate
        if (scop, fusion) not in self._known:
            self._known[scop, fusion] = self._computed(scop, fusion)
        return self._known[scop, fusion]

    def _computed(self, scop: Scop, fusion: Fusion) -> ScheduleTree | None:
        evaluator = self._evaluator
        if fusion is not Fusion.SEPARATE and self.get(scop, Fusion.SEPARATE) is None:
            return None
        if len(scop.statements) >= self._too_many:
            return None
        arguments = (scop, evaluator.proofs.flow(scop), fusion, evaluator.options.reassociate)
        began = time.monotonic()
        tree = evaluator.scheduled("polyloop.schedules.isl_scheduler:isl_schedule", *arguments)
        if tree is None and time.monotonic() - began >= SCHEDULING_SECONDS[0]:
            self._too_many = len(scop.statements)
        return tree


def _is_one_nest(tree: ScheduleTree) -> bool:
    return isinstance(tree.root, Band) and any(nest.path == () for nest in nests(tree))


def _has_sweeps(scop: Scop, tree: ScheduleTree) -> bool:
    """Whether everything shares one nest, or the deepest statements that come back to the same elements do: others,
    as the last steps of loops whose buffers take turns, stand beside them."""
    return _is_one_nest(tree) or any(len(nest.statements) > 1 and is_sweep(scop, nest) for nest in nests(tree))


def _around_lanes(evaluator: Evaluator, scop: Scop) -> ScheduleTree | None:
    """isl's schedule around vector loops along the stores of the deepest statements, None if there is none."""
    reassociate, dependences = evaluator.options.reassociate, evaluator.proofs.dependences(scop)
    lanes = innermost_lanes(scop, dependences, reassociate)
    if not lanes:
        return None
    arguments = (scop, evaluator.proofs.flow(scop), lanes, Fusion.SEPARATE, reassociate)
    return evaluator.scheduled("polyloop.schedules.isl_scheduler:schedule_around_lanes", *arguments)


def _in_first_shapes(evaluator: Evaluator, base: ShapedTree) -> ShapedTree:
    return with_first_shapes(evaluator.proofs, evaluator.target, base, evaluator.sizes)


def _shapes(evaluator: Evaluator, base: ShapedTree, nest: Nest) -> Iterator[tuple[str, Shape]]:
    return legal_shapes(evaluator.proofs, evaluator.target, base, nest, evaluator.sizes)


def shaped_candidate(evaluator: Evaluator, name: str, scop: Scop, tree: ScheduleTree, deadline: float) -> Candidate:
    """A schedule with the best shapes that are found until a deadline (of `time.monotonic`), not yet measured whole."""
    base = _in_first_shapes(evaluator, ShapedTree(name, scop, tree))
    return as_candidate(evaluator, _reshaped(evaluator, base, deadline))


def evaluate_reshaped(evaluator: Evaluator, base: ShapedTree, deadline: float) -> None:
    """Measure a schedule with the best shapes that are found until a deadline, from those on that it has."""
    _evaluate(evaluator, as_candidate(evaluator, _reshaped(evaluator, base, deadline)))


# --- parts ------------------------------------------------------------------------------------------------------------


def _predicted(evaluator: Evaluator, base: ShapedTree) -> float:
    """Seconds of all parts, one by one."""
    tree = base.shaped(evaluator.proofs.dependences(base.scop))
    return sum(evaluator.part_seconds(base.scop, tree, path) for path in base.parts())


def _reshaped(evaluator: Evaluator, base: ShapedTree, deadline: float) -> ShapedTree:
    """Coordinate descent over the nests, those of the longest part first."""
    tree = base.shaped(evaluator.proofs.dependences(base.scop))
    seconds = {path: evaluator.part_seconds(base.scop, tree, path) for path in base.parts()}
    for part in sorted(seconds, key=lambda path: -seconds[path]):
        if seconds[part] < MATTERS * sum(seconds.values()):
            break  # not even its end would be noticed, and others have a use for the time
        inside = [nest for nest in base.nests() if nest.path[: len(part)] == part]
        for nest in sorted(inside, key=lambda nest: -len(nest.members) - len(nest.around)):
            base = _reshaped_for_speed(evaluator, base, part, nest, deadline)
    return base


def _reshaped_for_speed(evaluator: Evaluator, base: ShapedTree, part: Path, nest: Nest, deadline: float) -> ShapedTree:
    dependences = evaluator.proofs.dependences(base.scop)
    best, seconds, idle = base, evaluator.part_seconds(base.scop, base.shaped(dependences), part), 0
    for name, shape in _shapes(evaluator, base, nest):
        if idle >= PATIENCE or time.monotonic() > deadline:
            break
        changed = best.with_shape(nest, name, shape)
        tree = changed.shaped(dependences)
        if not evaluator.proofs.is_legal(base.scop, tree):
            continue
        measured = evaluator.part_seconds(base.scop, tree, part, cutoff=1.5 * seconds)
        idle = 0 if measured < GAIN * seconds else idle + 1
        if measured < seconds:
            best, seconds = changed, measured
    return best


def _evaluate_next(evaluator: Evaluator, base: ShapedTree, deadline: float) -> None:
    """Measure whole what the longest part was in other shapes, the fastest first: on what others leave for it, branches
    may go another way than on data of its own."""
    tree = base.shaped(evaluator.proofs.dependences(base.scop))
    longest = max(base.parts(), key=lambda path: evaluator.part_seconds(base.scop, tree, path))
    tried: list[tuple[float, ShapedTree]] = []
    for nest in (nest for nest in base.nests() if nest.path[: len(longest)] == longest):
        for name, shape in _shapes(evaluator, base, nest):
            changed = base.with_shape(nest, name, shape)
            seconds = evaluator.known_part(base.scop, changed.shaped(evaluator.proofs.dependences(base.scop)), longest)
            if seconds is None or time.monotonic() > deadline:
                break  # the search has tried them in this order, and no more of them
            if set(changed.chosen) != set(base.chosen):
                tried.append((seconds, changed))
    for _, changed in sorted(tried, key=lambda entry: entry[0])[:NEXT]:
        if time.monotonic() > deadline:
            break
        _evaluate(evaluator, as_candidate(evaluator, changed))


# --- whole candidates -------------------------------------------------------------------------------------------------


def _evaluate(evaluator: Evaluator, candidate: Candidate) -> float:
    return evaluator.evaluate(candidate, 2 * evaluator.best_seconds())


def as_candidate(evaluator: Evaluator, base: ShapedTree, parallel: bool = True) -> Candidate:
    """A base in its shapes, with parallel loops where there are threads for them.

    Args:
        parallel: False: without parallel loops, although there are.
    """
    steps = [f"schedule: {base.name}"]
    for path, name, _ in sorted(base.chosen, key=lambda entry: entry[0]):
        statements = ", ".join(base.tree.statements_at(path))
        steps.append(f"{statements}: {name}")
    tree = base.shaped(evaluator.proofs.dependences(base.scop))
    if not parallel:
        steps.append("in one thread")
    elif evaluator.options.threads > 1:
        tree = parallelized(evaluator.proofs, base.scop, tree, evaluator.options.threads)
    candidate = Candidate("; ".join(steps), base.scop, tree, tuple(steps), changes=base.changes)
    evaluator.bases[candidate.name] = base
    return candidate


def with_rows_ahead(evaluator: Evaluator, candidate: Candidate) -> Candidate | None:
    """A schedule with the rows asked for ahead that its lanes go down, where they come from far away."""
    if candidate.tree is None or not any(_has_loops_in_lanes(band) for _, band in candidate.tree.bands()):
        return None
    if bytes_of(candidate.scop, evaluator.sizes) <= evaluator.target.machine.l2.size:
        return None
    from polyloop.shaping.ahead import rows_ahead  # few have loops in lanes

    words, tree = "rows asked for ahead", rows_ahead(candidate.scop, candidate.tree)
    if tree is None:
        return None
    return replace(candidate, name=f"{candidate.name}; {words}", tree=tree, steps=(*candidate.steps, words))


def _has_loops_in_lanes(band: Band) -> bool:
    return any(member.kind is LoopKind.VECTOR for member in band.members) and has_loops(band.child)


def _for_the_compiler(evaluator: Evaluator, bases: Sequence[ShapedTree], deadline: float) -> None:
    """The Scop's own schedules without shapes: sometimes the compiler's vectoriser does better."""
    for base in bases:
        if base.scop is evaluator.scop and base.tree != original_tree(base.scop) and time.monotonic() < deadline:
            name = f"{base.name}, compiler's vectors"
            _evaluate(evaluator, Candidate(name, base.scop, base.tree, (base.name,), explicit=False))


def _round_otherwise(evaluator: Evaluator) -> None:
    """The best and the original loops with other roundings of multiply-adds, whatever time is left: four runs."""
    for candidate in dict.fromkeys((evaluator.best_so_far().name, evaluator.original.name)):
        for other in with_other_roundings(evaluator.candidates[candidate]):
            _evaluate(evaluator, other)


# --- Roundings --------------------------------------------------------------------------------------------------------
# Candidates that round products by themselves, where the caller leaves the contraction of multiply-adds open.
#
# A fused multiply-add saves an instruction, but in a chain of additions each waits for the whole of it, not only for
# the addition. Which is better is the machine's to say: ``--fp-contract=fast`` lets it.


def with_other_roundings(candidate: Candidate) -> Iterator[Candidate]:
    """The candidate with the multiply-adds of all statements apart, then of those alone that carry a chain."""
    fusing = [s for s in candidate.scop.statements if any(contracted(node) for node in walk(s.value))]
    every, chained = ((s.name for s in chosen) for chosen in (fusing, filter(_is_chain, fusing)))
    for names in dict.fromkeys((frozenset(every), frozenset(chained))):
        if names:
            listed = ", ".join(s.name for s in candidate.scop.statements if s.name in names)
            words = f"multiplied and added apart: {listed}"
            yield replace(
                candidate,
                name=f"{candidate.name}; {words}",
                # The original loops themselves stay what everything is compared with.
                tree=candidate.tree or original_tree(candidate.scop),
                steps=(*(candidate.steps if candidate.tree else ("original order",)), words),
                apart=names,
                source=Source.SCHEDULE,
            )


def _is_chain(statement: Statement) -> bool:
    return any(access.array == statement.target.array for access in statement.reads)
