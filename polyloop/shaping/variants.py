"""Scops that compute the same with other storage or other statements: expanded scalars, copies in another layout,
statements cut at planes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise
from math import prod
from operator import itemgetter

import islpy as isl

from polyloop.backend.ir.expressions import Binary, Select, contracted, walk
from polyloop.schedules.tree import contiguous_iterator
from polyloop.scop.model import Array, Scop, Statement
from polyloop.support.isl_limits import OperationLimitError, limited
from polyloop.transforms.index_set_split import IndexSetSplit, Unfold, alternatives, extent, frees_lanes
from polyloop.transforms.scop_transform import (
    ScopTransform,
    Step,
    first_legal,
    legal_steps,
    lies_apart,
    place_of,
    takes_long,
)

BLOCK = 512
"""Iterations of a block: 4 kB, which stay in the nearest cache of any core, and so many that masks at its ends do not
matter."""

CHAINED = 64
"""The same, where recurrences run through the block before or behind the lanes: so few that a core begins with what
the next block has in lanes while it still waits for these. ``s += 4 / (1 + x * x)`` in blocks of 16, 32, 64 and 512
was 1.86, 1.84, 1.87 and 1.66 times as fast as it stands (Zen 5, AVX-512, gcc 12), a sum of quotients of a running
number 1.14, 1.55, 1.75 and 1.01 times; with AVX2, 64 and 512: 1.77 and 1.47, 1.44 and 1.00."""

FEW = 9
"""Iterations of a loop that fill no vectors, and that lanes around it write out (see `Options.short_loop`)."""

MOST_PARTS = 8
"""How many statements cutting may add."""


@dataclass(frozen=True)
class Variant:
    """A Scop made of another.

    Attributes:
        words: what was done.
        steps: the same, to be replayed.
        freed: whether it was cut for lanes, which nothing else has.
    """

    words: str
    scop: Scop
    steps: tuple[ScopTransform, ...] = ()
    freed: bool = False

    def then(self, words: str, scop: Scop, steps: tuple[ScopTransform, ...], separator: str = "; ") -> Variant:
        """The variant that more steps make of this one."""
        return Variant(separator.join(filter(None, (self.words, words))), scop, (*self.steps, *steps))


def variants(scop: Scop) -> Iterator[Variant]:
    """The Scop itself first, each variant at most once."""
    itself = Variant("", scop)
    yield itself
    seen = {scop.statements}
    if (before := prepared(scop)).steps:
        for variant in variants(before.scop):
            seen.add(variant.scop.statements)
            yield before.then(variant.words, variant.scop, variant.steps)
    split = _in_webs(itself)
    shorter = _substituted(split)
    expanded = list(_expanded(shorter))
    expanded = [*([shorter] if shorter != split else []), *_in_place(expanded[-1:]), *expanded]
    straight = straightened(scop)
    # A scalar of one iteration is only in the way of them.
    whole = [itself] if shorter == split else [shorter, itself]
    # Lanes are worth more than what storage costs: where cutting frees some, it comes before all else.
    freed, cut = ([v for one in whole for v in _cut(one, everywhere)] for everywhere in (False, True))
    # A sum has a contiguous direction only where it is expanded.
    freed += [v for one in expanded for v in _cut(one, everywhere=False)][:1]
    for variant in [itself, *freed, straight, *searched(scop), *expanded, *_sums_apart(itself), *cut]:
        for proposal in (variant, _with_copies(variant)):
            if proposal.scop.statements not in seen:
                seen.add(proposal.scop.statements)
                yield proposal


def least(found: Sequence[Variant]) -> Variant:
    """The first with the fewest statements of those that keep nothing new in memory."""
    known = {array.name for array in found[0].scop.arrays}
    plain = [v for v in found if not any(array.shape and array.name not in known for array in v.scop.arrays)]
    return min(plain, key=lambda variant: len(variant.scop.statements))


@lru_cache(8)  # several kinds of variants begin with it
def _in_webs(variant: Variant) -> Variant:
    """With loops that count their steps, and a name of its own for every unconnected use of a scalar."""
    variant = _counted(variant)
    scop, written = variant.scop, variant.scop.written
    if not any(array.name in written and (array.local or not array.shape) for array in scop.arrays):
        return variant
    from polyloop.transforms.expand import SplitWebs  # of those that write such arrays

    changed, webs = legal_steps(scop, SplitWebs.candidates(scop))
    return variant.then(f"{', '.join(web.array for web in webs)} in webs", changed, webs) if webs else variant


def unfolded(scop: Scop) -> Iterator[Variant]:
    """The Scop with its loops of few iterations written out, what its scalars keep then substituted, the others
    expanded, if there are such loops."""
    variant, count = Variant("", scop), 0
    while (found := legal_steps(variant.scop, Unfold.candidates(variant.scop)))[1]:
        # What one loop keeps for the next is substituted before the loops around them multiply it.
        changed, steps = found
        count += len(steps)
        variant = _substituted(_in_webs(variant.then("", changed, steps)))
    if count:
        words = f"{count} short loop{'s' if count > 1 else ''} unrolled"
        variant = replace(variant, words="; ".join(filter(None, (words, variant.words))))
        variant = next(_expanded(variant), variant)
        yield variant
        for everywhere in (False, True):
            yield from _cut(variant, everywhere)


def written_out(scop: Scop) -> int:
    """Of how many statements the loops of few iterations would consist."""
    return sum(
        prod(max(1, extent(s, level)) for level in range(s.depth) if extent(s, level) <= FEW) for s in scop.statements
    )


def shortened(variant: Variant) -> Variant:
    """Without scalars that are values of one iteration."""
    return _kept(_substituted(_in_webs(variant)))


@lru_cache(8)
def _substituted(variant: Variant) -> Variant:
    """Without the scalars that keep a value for one statement only: it computes that itself."""
    if not any(array.local and not array.shape for array in variant.scop.arrays):
        return variant
    from polyloop.transforms.read_first import Substitute  # of those that have such scalars

    changed, done = _as_long_as(variant.scop, Substitute)
    return variant.then(f"{', '.join(s.array for s in done)} substituted", changed, done) if done else variant


def _as_long_as(scop: Scop, kind: type[Step]) -> tuple[Scop, tuple[Step, ...]]:
    """The Scop after steps of one kind, candidates of one after the other, until none is legal.

    What is refused is asked again when no other one is legal: dozens of scalars would each be proven anew behind every
    step.
    """
    done: list[Step] = []
    refused: set[Step] = set()
    changed = True
    while changed:
        changed = False
        while (found := next(_legal(scop, kind, refused), None)) is not None:
            scop, step = found
            done.append(step)
            changed = True
        refused.clear()
    return scop, tuple(done)


def _legal(scop: Scop, kind: type[Step], refused: set[Step]) -> Iterator[tuple[Scop, Step]]:
    """Legal candidates that have not been refused; others are, from now on."""
    for step in kind.candidates(scop):
        if step not in refused:
            if (found := first_legal(scop, [step])) is not None:
                yield found
            refused.add(step)


def _in_place(expanded: list[Variant]) -> Iterator[Variant]:
    """Expanded scalars kept in the arrays that they are copied from or to."""
    for variant in expanded:
        from polyloop.transforms.relayout import kept_in_place  # of those with scalars

        shared, steps = kept_in_place(variant.scop)
        if steps:
            yield variant.then(f"{', '.join(step.array for step in steps)} in place", shared, steps, ", ")


def prepared(scop: Scop) -> Variant:
    """The Scop with loops of periodic subscripts in blocks of a period, choices between the elements of small arrays
    in place of subscripts from data, and what loops compute again and again computed before them; itself where there
    is nothing of that kind."""
    found = Variant("", scop)
    periodic = any(subscript.divisions for s in scop.statements for a in s.accesses for subscript in a.subscripts)
    if periodic:
        from polyloop.transforms.index_set_split import Strip  # of those with such loops

        changed, strips = _as_long_as(scop, Strip)
        words = f"loops around {', '.join(step.statement for step in strips)} in blocks of a period"
        found = found.then(words, changed, strips) if strips else found
    if any(access.data for s in scop.statements for access in s.accesses):
        from polyloop.transforms.lookup import Lookup  # of those with subscripts from data

        changed, lookups = legal_steps(found.scop, Lookup.candidates(found.scop))
        words = f"elements of {', '.join(step.array for step in lookups)} chosen"
        found = found.then(words, changed, lookups) if lookups else found
    return _precomputed(found)


def _precomputed(itself: Variant) -> Variant:
    """With functions, quotients, sums and copies of elements that lie apart that the deepest loops compute, or read,
    again and again made before them."""
    scop = itself.scop
    deepest = max((s.depth for s in scop.statements), default=0)
    inside = [s for s in scop.statements if s.depth == deepest > 1]
    sums_up = deepest > 2 and any(not s.target.subscripts for s in inside)
    if not sums_up and not any(takes_long(n) or lies_apart(scop, s, n) for s in inside for n in walk(s.value)):
        return itself
    from polyloop.transforms.precompute import Hoist, Precompute  # of those with such values

    found, names = itself, list[str]()
    # What scalars hold copies of is copied once, whoever reads them.
    short = {s.name for s in inside if not any(map(takes_long, walk(s.value)))}
    copied, copies = legal_steps(scop, [step for step in Precompute.candidates(scop) if step.statement in short])
    if copies:
        found, names = itself.then("", copied, copies), [f"parts of {step.statement}" for step in copies]
    while True:
        # What a scalar keeps of one for others is computed where they are, and may be before, too.
        shorter = _substituted(found if names else _in_webs(found))
        changed, parts = _as_long_as(shorter.scop, Precompute)
        changed, sums = _as_long_as(changed, Hoist)
        if not parts and not sums:
            words = f"{', '.join(dict.fromkeys(names))} computed before"
            return itself.then(words, found.scop, found.steps[len(itself.steps) :]) if names else itself
        names += [*(f"parts of {step.statement}" for step in parts), *(step.array for step in sums)]
        found = shorter.then("", changed, (*parts, *sums))


def _sums_apart(variant: Variant) -> Iterator[Variant]:
    """Arrays of sums that a loop around begins anew, with sums of their own for each of its iterations: rows of them
    can then be computed at once."""
    levels = {array.name: _level_of_anew(variant.scop, array) for array in variant.scop.arrays}
    if all(level is None for level in levels.values()):
        return
    from polyloop.transforms.expand import Expand  # of those that have such sums

    changed, done = legal_steps(variant.scop, [Expand(name, (at,)) for name, at in levels.items() if at is not None])
    if done:
        names = ", ".join(step.array for step in done)
        yield variant.then(f"{names} expanded over the loop around", changed, done)


def _level_of_anew(scop: Scop, array: Array) -> int | None:
    """The innermost loop around all writes to an array that none of their subscripts uses, where they sum up and the
    first of them does not read the array; None if there is none."""
    writers = [s for s in scop.statements if s.target.array == array.name]
    if not array.shape or not any(s.reduction for s in writers):
        return None
    first = writers[0]
    if any(access.array == array.name for access in first.reads):
        return None
    from polyloop.shaping.contraction import stores_plainly  # of those that have such sums

    if not stores_plainly(first):
        return None
    free = [
        level
        for level in range(min(s.depth for s in writers))
        if not any(s.iterators[level] in x.variables() for s in writers for x in s.target.subscripts)
    ]
    return free[-1] if free else None


def straightened(scop: Scop) -> Variant:
    """The Scop without what hands have done to its loops, itself where that is nothing."""
    found = _counted(Variant("", scop))
    if _share_a_loop(found.scop):
        from polyloop.transforms.reroll import Reroll  # of those with several statements in a loop

        changed, rolled = legal_steps(found.scop, Reroll.candidates(found.scop))
        if rolled:
            found = found.then(f"{', '.join(step.statement for step in rolled)} rolled up", changed, rolled)
    if any(not statement.target.subscripts for statement in scop.statements):
        from polyloop.transforms.closed_form import ClosedForm  # of those that write scalars

        changed, closed = legal_steps(found.scop, ClosedForm.candidates(found.scop))
        if closed:
            found = found.then(f"{', '.join(step.scalar for step in closed)} in closed form", changed, closed)
    return found


def _counted(variant: Variant) -> Variant:
    """With loops that move in steps counting these."""
    scop = variant.scop
    if all(s.domain.get_stride(level).to_python() == 1 for s in scop.statements for level in range(s.depth)):
        return variant
    from polyloop.transforms.normalise import Normalise  # of such loops

    changed, steps = legal_steps(scop, Normalise.candidates(scop))
    words = f"steps of loops around {', '.join(step.statement for step in steps)} counted"
    return variant.then(words, changed, steps) if steps else variant


def _share_a_loop(scop: Scop) -> bool:
    """Whether the body of some loop has several statements in it, all loops around them the same."""
    places = sorted(place_of(statement, statement.depth) for statement in scop.statements if statement.depth)
    return any(one == other for one, other in pairwise(places))


def searched(scop: Scop) -> Iterator[Variant]:
    """The Scop with every search that there is done in lanes, if there is any: without scalars of one iteration, or
    with blocks of these, where they are in the way."""
    if not any(isinstance(statement.value, Select) for statement in scop.statements):
        return
    from polyloop.transforms.lane_search import LaneSearch  # of those that choose

    itself = Variant("", scop)
    for variant in chain((itself, _substituted(_in_webs(itself))), in_blocks(scop, conditions=False)):
        changed, done = legal_steps(variant.scop, LaneSearch.candidates(variant.scop))
        if done:
            yield variant.then(f"{', '.join(step.statement for step in done)} searched in lanes", changed, done)
            break


def read_first(scop: Scop) -> Iterator[Variant]:
    """The Scop with all that its loops' bodies would overwrite read where they begin, if there is any such."""
    if not _share_a_loop(scop):
        return
    from polyloop.transforms.read_first import ReadFirst  # of those with several statements in a loop

    changed, done = legal_steps(scop, ReadFirst.candidates(scop))
    if done:
        split = Variant(f"{', '.join(str(step.access) for step in done)} read first", changed, done)
        yield next(_expanded(split), split)


def with_addends(scop: Scop) -> Iterator[Variant]:
    """The Scop with what its sums add up computed before, a block at a time, if that takes longer than to add it."""
    shorter = shortened(Variant("", scop))
    sums = [s.value for s in shorter.scop.statements if s.target in s.reads and isinstance(s.value, Binary)]
    if not any(value.operator in ("+", "-") and contracted(value) is None for value in sums):
        return
    from polyloop.transforms.expand import Expand  # of those with sums
    from polyloop.transforms.index_set_split import Strip
    from polyloop.transforms.read_first import Addend

    changed, done = legal_steps(shorter.scop, Addend.candidates(shorter.scop))
    known = {array.name for array in shorter.scop.arrays}
    new = [s for s in changed.statements if s.target.array not in known]
    loops = {place_of(s, s.depth): s.name for s in new}
    changed, strips = legal_steps(changed, (Strip(name, CHAINED) for name in loops.values()))
    changed, expanded = legal_steps(changed, (Expand(s.target.array, (s.depth,)) for s in new))
    if expanded:
        words = f"what {', '.join(step.statement for step in done)} adds up computed before, in blocks of {CHAINED}"
        yield shorter.then(words, changed, (*done, *strips, *expanded))
        sums_of = {step.statement for step in done}
        inside = [s for s in changed.statements if s.name not in sums_of and place_of(s, s.depth - 1) in loops]
        scalars = dict.fromkeys((s.target.array, s.depth - 1) for s in inside if not s.target.subscripts)
        further, others = legal_steps(changed, (Expand(name, (depth,)) for name, depth in scalars))
        if others:
            words += f"; {', '.join(step.array for step in others)} expanded over these"
            yield shorter.then(words, further, (*done, *strips, *expanded, *others))


def in_blocks(scop: Scop, conditions: bool = True) -> Iterator[Variant]:
    """The Scop with scalars expanded over blocks of the loop that computes them, if there are such: the arrays stay in
    the nearest cache, and no call has to find memory for whole loops.

    Args:
        conditions: those that are kept in scalars, too.
    """
    plain = _substituted(_in_webs(Variant("", scop)))
    variant = _kept(plain)
    places: dict[str, tuple[int, ...]] = {}  # of the loops that compute them
    carried: set[tuple[int, ...]] = set()  # those whose scalars loops inside change
    for array in variant.scop.arrays:
        writers = [s for s in variant.scop.statements if s.target.array == array.name and not array.shape]
        if not conditions and any(_is_condition(s) for s in writers):
            continue
        if (depth := min((s.depth for s in writers), default=0)) > 0:
            places[array.name] = place_of(writers[0], depth)
            if any(s.depth > depth for s in writers):
                carried.add(places[array.name])
    # Of loops inside of each other that have scalars of their own, one is in blocks: the first, the next, ... What
    # the innermost have alone comes last: a sum around them, say, stays in order.
    around = {p: sorted({o for o in places.values() if p[: len(o)] == o}, key=len) for p in places.values()}
    found: list[tuple[bool, int, dict[tuple[int, ...], list[str]]]] = []
    for level in range(max(map(len, around.values()), default=0)):
        owners: dict[tuple[int, ...], list[str]] = {}
        for name, place in places.items():
            innermost = all(place not in others[:-1] for others in around.values())
            if level < len(around[place]) or innermost:
                owners.setdefault(around[place][min(level, len(around[place]) - 1)], []).append(name)
        last = level > 0 and all(place not in others[:-1] for place in owners for others in around.values())
        if all(owners.keys() != others.keys() for _, _, others in found):
            found.append((carried.isdisjoint(owners), CHAINED if last or variant is not plain else BLOCK, owners))
    for _, block, owners in sorted(found, key=itemgetter(0)):
        yield from _over_blocks(variant, owners, block)


def _over_blocks(variant: Variant, owners: Mapping[tuple[int, ...], Sequence[str]], block: int) -> Iterator[Variant]:
    """Scalars expanded over blocks of loops, by where these stand."""
    if not owners:
        return
    from polyloop.transforms.expand import Expand  # of those that write scalars
    from polyloop.transforms.index_set_split import Strip

    changed, done, names = variant.scop, list[ScopTransform](), list[str]()
    for place, owned in owners.items():
        level = len(place) - 1
        inside = next(s for s in changed.statements if s.depth > level and place_of(s, level + 1) == place)
        stripped, strips = legal_steps(changed, [Strip(inside.name, block, level)])
        after, expanded = legal_steps(stripped, (Expand(name, (level + 1,)) for name in owned))
        if strips and expanded:
            changed, done = after, [*done, *strips, *expanded]
            names += [step.array for step in expanded]
    if done:
        yield variant.then(f"{', '.join(names)} expanded over blocks of {block}", changed, tuple(done))


def _kept(variant: Variant) -> Variant:
    """With what each iteration makes of the scalars that the next one takes over in scalars of its own, which can be
    expanded over blocks."""
    if not _share_a_loop(variant.scop):
        return variant
    from polyloop.transforms.keep import Keep  # of those with several statements in a loop

    changed, done = legal_steps(variant.scop, Keep.candidates(variant.scop))
    names = ", ".join(f"{step.statement}'s" for step in done)
    return variant.then(f"{names} values kept", changed, done) if done else variant


def _is_condition(statement: Statement) -> bool:
    from polyloop.transforms.lane_search import condition_of  # of what searches

    return condition_of(statement.value) is not None


def with_own_rows(scop: Scop, block: int) -> Iterator[Variant]:
    """The Scop with rows that each iteration of a loop around fills anew, as tridiagonal solvers do, kept for all of a
    block's iterations, and scalars with them, if there are such: then nothing but their own rows orders these."""
    from polyloop.transforms.expand import Expand  # of those that write such rows
    from polyloop.transforms.index_set_split import Strip

    variant = _substituted(_in_webs(Variant("", scop)))
    rows: dict[tuple[int, ...], list[str]] = {}  # by the loops around
    for array in (a for a in variant.scop.arrays if len(a.shape) == 1 and a.name in variant.scop.written):
        users = [s for s in variant.scop.statements if array.name in {a.array for a in (s.target, *s.reads)}]
        subscripts = [a.subscripts[0] for s in users for a in (s.target, *s.reads) if a.array == array.name]
        depth = _common_loop(users)
        inside = {s.iterators[depth - 1] for s in users if depth}
        if inside and not any(inside & subscript.variables() for subscript in subscripts):
            rows.setdefault(place_of(users[0], depth), []).append(array.name)
    for place, names in rows.items():
        level = len(place) - 1
        beside = [s for s in variant.scop.statements if s.depth > level and place_of(s, level + 1) == place]
        scalars = dict.fromkeys(s.target.array for s in beside if not s.target.subscripts)
        stripped, strips = legal_steps(variant.scop, [Strip(beside[0].name, block, level)])
        changed, own = legal_steps(stripped, (Expand(name, (level + 1,)) for name in names))
        if strips and own:
            changed, others = legal_steps(changed, (Expand(name, (level + 1,)) for name in scalars))
            words = f"{', '.join(step.array for step in (*own, *others))} expanded over blocks of {block}"
            yield variant.then(words, changed, (*strips, *own, *others))


def _common_loop(statements: Sequence[Statement]) -> int:
    """In how many loops they all stand together."""
    depth = min(s.depth for s in statements)
    return next((d for d in range(depth, 0, -1) if len({place_of(s, d) for s in statements}) == 1), 0)


def _cut(variant: Variant, everywhere: bool) -> Iterator[Variant]:
    """Statements cut where their contiguous direction is blocked, or in the other directions, too."""
    changed, done = variant.scop, list[IndexSetSplit]()
    while len(changed.statements) < len(variant.scop.statements) + MOST_PARTS:
        chosen = next((s for s in IndexSetSplit.candidates(changed) if everywhere or frees_lanes(changed, s)), None)
        if chosen is None or (found := first_legal(changed, (chosen,))) is None:
            break
        changed, _ = found
        done.append(chosen)
    if done:
        planes = dict.fromkeys(f"{step.plane} = 0" for step in done)
        yield replace(variant.then(f"cut at {', '.join(planes)}", changed, tuple(done)), freed=not everywhere)


def peeled(scop: Scop) -> Iterator[Variant]:
    """The Scop with the borders of images and the like apart from what lies between them, if it has such: with scalars
    expanded over all loops, which leaves register tiles free, then as it is, for lanes around its sums."""
    itself = Variant("", scop)
    borders = chooses(scop) or any(map(_moves, scop.statements))
    if not borders or (apart := _peeled(itself)) is itself:
        return
    expanded = list(_expanded(_substituted(_in_webs(itself))))[-1:]
    yield from map(_peeled, [*_in_place(expanded), *expanded][:1])
    yield apart


def _peeled(variant: Variant) -> Variant:
    from polyloop.transforms.peel import Peel  # of those with choices, or with bounds that move

    scop, done = variant.scop, list[Peel]()
    with suppress(OperationLimitError), limited():
        loops = {(step.statement, step.level) for step in Peel.candidates(scop)}
        while found := first_legal(scop, (p for p in Peel.candidates(scop) if (p.statement, p.level) in loops)):
            scop, step = found
            done.append(step)
    if not done:
        return variant
    around = dict.fromkeys(scop.statement(step.statement).iterators[step.level] for step in done)
    return variant.then(f"borders of {', '.join(around)} apart", scop, tuple(done))


def chooses(scop: Scop) -> bool:
    """Whether comparisons of integers say what statements touch or compute: lanes need them decided."""
    return any(map(alternatives, scop.statements))


def _moves(statement: Statement) -> bool:
    """Whether the bounds of a loop move with another."""
    dimension = isl.dim_type.set
    rows = (row for part in statement.domain.get_basic_sets() for row in part.get_constraints())
    return any(sum(row.involves_dims(dimension, k, 1) for k in range(statement.depth)) > 1 for row in rows)


def _with_copies(variant: Variant) -> Variant:
    """Every strided read of the deepest statements served from a transposed copy."""
    if not any(map(_reads_across, variant.scop.statements)):
        return variant
    from polyloop.transforms.relayout import Relayout  # of those with such reads

    changed, done = legal_steps(variant.scop, Relayout.candidates(variant.scop))
    names = ", ".join(str(relayout.access) for relayout in done)
    return variant.then(f"copies in another layout for {names}", changed, done) if done else variant


def _reads_across(statement: Statement) -> bool:
    """Whether some read goes through rows where the store goes along one."""
    lane = contiguous_iterator(statement)
    return any(lane in subscript.variables() for access in statement.reads for subscript in access.subscripts[:-1])


def _expanded(variant: Variant) -> Iterator[Variant]:
    """All scalars that can be, expanded over the innermost loop of their writes, over the outermost, over all."""
    scop = variant.scop
    depths = {
        a.name: min(s.depth for s in scop.statements if s.target.array == a.name)
        for a in scop.arrays
        if not a.shape and any(s.target.array == a.name for s in scop.statements)
    }
    if not depths:
        return
    from polyloop.transforms.expand import Expand  # of those that write scalars

    seen: set[tuple[tuple[str, tuple[int, ...]], ...]] = set()
    for words, pick in (("innermost loop", slice(-1, None)), ("outermost loop", slice(1)), ("loops", slice(None))):
        chosen = tuple((name, tuple(range(depth)[pick])) for name, depth in depths.items() if depth)
        if chosen in seen:
            continue
        seen.add(chosen)
        changed, done = legal_steps(scop, [Expand(name, loops) for name, loops in chosen])
        if done:
            names = ", ".join(step.array for step in done)
            yield variant.then(f"{names} expanded over the {words}", changed, done)
