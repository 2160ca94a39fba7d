"""Nests made of nests before they are lowered: simpler bounds, and versions of register tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import gcd

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import (
    Affine,
    And,
    Compare,
    Condition,
    affine,
    at_least,
    condition_variables,
    conjuncts,
    equal,
    maximum,
    minimum,
)
from polyloop.backend.ir.loop_nest import (
    Block,
    Compute,
    Guard,
    Loop,
    LoopKind,
    Node,
    children,
    map_children,
    walk,
    with_body,
)
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import vectors
from polyloop.backend.planning.facts import (
    Facts,
    constant_trips,
    largest_trips,
    lower_operands,
    map_children_with,
    outward,
    proven_trips,
    upper_operands,
)
from polyloop.backend.planning.lanes import computes
from polyloop.backend.planning.values import is_safe
from polyloop.backend.planning.vectors import Options

# --- Simpler bounds ---------------------------------------------------------------------------------------------------
# The same nest with simpler bounds: operands that never decide dropped, conditions turned into bounds.
#
# Rewrites:
#     for i in [max(0, a), b): S, where a >= 0 is known  ->  for i in [a, b): S
#     for i in [a, b): if i >= c && q: S                 ->  for i in [max(a, c), b): if q: S
#     if c: S else T, where c is known                   ->  S


EMPTY = Block(())
LARGEST_TILE = 64
"""Loops that stand for the points of a tile run no more often."""


def simplified(node: Node, facts: Facts) -> Node:
    """The node with what the facts decide decided; what it computes, in which order, stays."""
    match node:
        case Compute():
            return node
        case Block(children):
            return block(tuple(simplified(child, facts) for child in children))
        case Guard(condition, body, orelse):
            if facts.holds(condition):
                return simplified(body, facts)
            if facts.refuted(condition):
                return simplified(orelse, facts)
            first = simplified(body, facts.with_condition(condition))
            second = simplified(orelse, facts.with_condition(condition, holds=False))
            return EMPTY if first == second == EMPTY else Guard(condition, first, second, node.masks)
        case Loop():
            return _loop(_absorb_guard(node), facts)


def block(children: tuple[Node, ...]) -> Node:
    """Blocks flattened; one child stands for itself."""
    flat: list[Node] = []
    for child in children:
        flat.extend(child.children if isinstance(child, Block) else (child,))
    return flat[0] if len(flat) == 1 else Block(tuple(flat))


def _loop(loop: Loop, facts: Facts) -> Node:
    upper = minimum(*_undominated(upper_operands(loop.upper), facts, smallest=True))
    lower = maximum(*_undominated(lower_operands(loop.lower), facts, smallest=False))
    if loop.kind in (LoopKind.UNROLLED, LoopKind.VECTOR) and loop.step == 1:
        upper = _with_limit(loop.kind, lower, upper, facts)
    trips = constant_trips(lower, upper, loop.step)
    if trips == 0 or (trips is None and facts.nonnegative(lower - upper)):
        return EMPTY
    body = simplified(loop.body, facts.with_loop(loop.variable, lower, upper))
    if body == EMPTY:
        return EMPTY
    if (lower, upper) == (loop.lower, loop.upper):
        return with_body(loop, body)
    return replace(loop, lower=lower, upper=upper, body=body)


def _with_limit(kind: LoopKind, lower: Affine, upper: Affine, facts: Facts) -> Affine:
    """Make a constant limit of the trip count visible as an operand of the upper bound: tiles are planned by it.

    Lanes of a tile that is not full are one less than a tile has, at most. They are planned as a tile: of 31 lanes
    there would be a version of their own, and the last rows would not be alike.
    """
    if largest_trips(lower, upper) is not None:
        return upper
    limit = proven_trips(lower, upper, facts, LARGEST_TILE)
    if limit is None:
        return upper
    return minimum(upper, lower + (limit + limit % 2 if kind is LoopKind.VECTOR else limit))


def _undominated(operands: tuple[Affine, ...], facts: Facts, smallest: bool) -> tuple[Affine, ...]:
    """Without operands that another one always undercuts (for a minimum) or exceeds (for a maximum)."""
    kept = list(operands)
    for operand in operands:
        others = [o for o in kept if o != operand]
        if any(facts.nonnegative(operand - o if smallest else o - operand) for o in others):
            kept = others
    return tuple(kept)


def _absorb_guard(loop: Loop) -> Loop:
    """Conditions on the loop's own variable around the whole body narrow its bounds."""
    match loop:
        case Loop(step=1, body=Guard(condition, body, Block(()), "")):
            pass
        case _:
            return loop
    lowers, uppers, rest = [loop.lower], [loop.upper], []
    for conjunct in conjuncts(condition):
        narrowed = _as_bound(conjunct, loop.variable)
        if narrowed is None:
            rest.append(conjunct)
        else:
            (uppers if narrowed[0] else lowers).append(narrowed[1])
    if len(lowers) + len(uppers) == 2:
        return loop
    inner = body if not rest else Guard(rest[0] if len(rest) == 1 else And(tuple(rest)), body)
    return _absorb_guard(replace(loop, lower=maximum(*lowers), upper=minimum(*uppers), body=inner))


def _as_bound(condition: Condition, variable: str) -> tuple[bool, Affine] | None:
    """(False, lower bound) or (True, upper bound, exclusive) that the condition is for the variable."""
    match condition:
        case Compare(left, ">=") if abs(left.coefficient(variable)) == 1:
            rest = left - affine(variable) * left.coefficient(variable)
            if variable in rest.variables():
                return None
            return (False, -rest) if left.coefficient(variable) == 1 else (True, rest + 1)
        case _:
            return None


# --- Versions of register tiles ---------------------------------------------------------------------------------------
# Versions of a register tile for every count of rows, with vectors that are masked where they are partial.
#
# A tile at the border of an iteration space has fewer rows, and its last vector fewer lanes. Where the counts do not
# change during the sequential loop around the tile, they are decided in front of it, and every version is
# straight-line code:
#
#     for k: UNROLLED i in [6*t, min(6*t + 6, n)): S   ->   if n - 6*t >= 6: for k: S six times
#                                                           else if n - 6*t == 5: for k: S five times ...
#
# So partial tiles keep their accumulators in registers, too; a border is never run by a scalar nest. Where a tile has
# no accumulators (stencils), a loop over rows of masked vectors does.


_LARGEST_ROWS = 32


@dataclass(frozen=True)
class TileVersions:
    """Makes versions of sequential loops around partial tiles."""

    target: Target
    options: Options

    def run(self, node: Node, facts: Facts, border: bool = False) -> Node:
        """
        Args:
            border: full tiles run elsewhere.
        """
        match node:
            case Block(inside):
                return self._with_neighbours(list(self._each(inside, facts, border)), inside, facts)
            case Guard(condition, then, orelse, "") if orelse != EMPTY:
                here, there = facts.with_condition(condition), facts.with_condition(condition, holds=False)
                beside = border or _has_full_tiles(then)
                orelse = joined(orelse, there) if beside else orelse
                return Guard(condition, self.run(then, here, border), self.run(orelse, there, beside))
            case Loop(variable, _, _, _, Guard(condition, then, orelse), LoopKind.SEQUENTIAL) if (
                variable not in condition_variables(condition)
            ):
                # Which border it is does not change during the loop: each gets a loop, and versions, of its own.
                return self.run(Guard(condition, _over(node, then), _over(node, orelse)), facts, border)
        if isinstance(node, Loop) and (parts := _cut_behind_full_tiles(node, facts)) is not None:
            return self.run(simplified(parts, facts), facts, border)
        if isinstance(node, Loop) and (whole := self._straight_triangle(node)) is not None:
            full = at_least(node.upper - node.lower, whole.upper - whole.lower)
            straight = simplified(whole, facts.with_condition(full))
            if facts.holds(full):
                return straight
            rest = map_children_with(node, facts, lambda child, here: self.run(child, here, True))
            return Guard(full, straight, rest)
        done = map_children_with(node, facts, lambda child, here: self.run(child, here, border))
        if isinstance(done, Loop) and done.kind is LoopKind.VECTOR:
            return self._with_full_lanes(done, facts)
        if isinstance(done, Loop) and done.kind is LoopKind.SEQUENTIAL:
            if (pair := self._full_and_masked(done, facts, border)) is not None:
                return pair
            done = with_body(
                done, self._with_full_rows(done.body, facts.with_loop(done.variable, done.lower, done.upper))
            )
            return self._versions(done, facts, self.options.body_limit)
        return done

    def _with_full_lanes(self, loop: Loop, facts: Facts) -> Node:
        """A strip of lanes that go through loops together, once for full strips and once for any; several vectors side
        by side have loops of their own anyway."""
        through = (x for x in walk(loop.body) if isinstance(x, Loop) and x.kind is not LoopKind.UNROLLED)
        if not any(through) or vectors.side_by_side(loop, self.target) > 1:
            return loop
        found = _full(loop)
        if found is None or facts.refuted(found[0]):
            return loop
        return Guard(found[0], simplified(found[1], facts.with_condition(found[0])), loop)

    def _straight_triangle(self, loop: Loop) -> Loop | None:
        """A short loop over the columns of a triangle, whose rows, or their vectors, are straight-line code: all of it
        is, where it is full and there are registers for its rows, so that what one column leaves for the next stays in
        them."""
        inside = [node for node in walk(loop.body) if isinstance(node, Loop)]
        rows = [node for node in inside if node.kind is LoopKind.UNROLLED]
        most = largest_trips(loop.lower, loop.upper)
        if loop.kind is not LoopKind.SEQUENTIAL or loop.step != 1 or most is None or not rows:
            return None
        if most > self.target.carried_registers:
            return None
        if any(loop.variable not in row.lower.variables() | row.upper.variables() for row in rows):
            return None
        if any(
            x not in rows and (x.kind is not LoopKind.VECTOR or constant_trips(x.lower, x.upper, 1) is None)
            for x in inside
        ):
            return None
        found = _full(loop)
        lower = loop.lower if found is None else found[1].lower
        whole = replace(loop, lower=lower, upper=lower + most, kind=LoopKind.UNROLLED)
        columns = [whole.lower + number for number in range(most)]
        size = 0
        for row in rows:
            for column in columns:
                ends = row.lower.substitute({loop.variable: column}), row.upper.substitute({loop.variable: column})
                count = largest_trips(*ends)
                if count is None:
                    return None
                size += count * self._size(row.body)
        return whole if size <= self.options.body_limit else None

    def _with_full_rows(self, node: Node, facts: Facts) -> Node:
        """Vector loops over rows whose count changes with every iteration of the loop around, once for all of the rows
        and once for any."""
        match node:
            case Block(inside):
                return block(tuple(self._with_full_rows(child, facts) for child in inside))
            case Guard(condition, then, orelse, "") if _has_own_cells(node):
                here, there = facts.with_condition(condition), facts.with_condition(condition, holds=False)
                return Guard(condition, self._with_full_rows(then, here), self._with_full_rows(orelse, there))
            case Loop(variable, kind=LoopKind.VECTOR, body=Loop(kind=LoopKind.UNROLLED, step=1) as rows):
                found = _full(rows)
                if found is None or variable in rows.lower.variables() | rows.upper.variables():
                    return node
                if self._size(found[1]) > self.options.body_limit:
                    return node
                return Guard(found[0], simplified(with_body(node, found[1]), facts.with_condition(found[0])), node)
            case _:
                return node

    def _with_neighbours(self, nodes: list[Node], before: tuple[Node, ...], facts: Facts) -> Node:
        """Straight-line tiles beside versions of a loop stand in them: the one that sets results to zero knows then,
        too, that a tile is full, and results stay in registers from the first to the last.

        Args:
            before: the nodes before versions of them were made.
        """
        done: list[Node] = []
        waiting = list(zip(nodes, before, strict=True))
        while waiting:
            node, old = waiting.pop(0)
            if isinstance(node, Guard) and isinstance(old, Loop):
                behind = next((n for n, (x, _) in enumerate(waiting) if not self._is_tile(x)), len(waiting))
                ahead = next((n for n, x in enumerate(reversed(done)) if not self._is_tile(x)), len(done))
                first, last = done[len(done) - ahead :], [x for x, _ in waiting[:behind]]
                del done[len(done) - ahead :], waiting[:behind]
                node = self._around(first, node, last, facts)
            done.append(node)
        return block(tuple(done))

    def _around(self, first: list[Node], versions: Node, last: list[Node], facts: Facts) -> Node:
        """Versions with the nodes in front of and behind them inside of each, apart from the smallest ones."""
        match versions:
            case Guard(condition, then, orelse) if first or last:
                full = self._around(first, then, last, facts.with_condition(condition))
                return Guard(condition, full, block((*first, orelse, *last)))
            case _:
                return simplified(block((*first, versions, *last)), facts)

    def _is_tile(self, node: Node) -> bool:
        """Whether all loops become straight-line code, and not much of it."""
        loops = [inner for inner in walk(node) if isinstance(inner, Loop)]
        short = all(x.kind in (LoopKind.UNROLLED, LoopKind.VECTOR) and x.step == 1 for x in loops)
        return bool(loops) and short and self._size(node) <= self.options.body_limit // 8

    def _each(self, inside: tuple[Node, ...], facts: Facts, border: bool) -> Iterator[Node]:
        """Full tiles may run behind a condition of their own, too, that never holds together with this one."""
        full: list[Condition] = []
        for child in inside:
            beside = border
            if isinstance(child, Guard) and child.orelse == EMPTY:
                here = facts.with_condition(child.condition)
                beside = border or any(here.refuted(condition) for condition in full)
                full += [child.condition] if _has_full_tiles(child.body) else []
            yield self.run(child, facts, beside)

    def _versions(self, loop: Loop, facts: Facts, room: int, masked: frozenset[Loop] = frozenset()) -> Node:
        """The loop, once for each trip count of the first tile loop inside whose count varies."""
        tile = self._partial(loop, facts, masked)
        if tile is None:
            return loop
        bound = largest_trips(tile.lower, tile.upper)
        assert bound is not None
        ladder = self._rungs(tile, bound, loop, room)
        count = tile.upper - tile.lower
        result: Node = _with_bounds(loop, tile, None)
        if not ladder:
            result = self._versions(loop, facts, room, masked | {_shape(tile)})
        for least, exact, upper in reversed(ladder):
            condition = equal(count, least) if exact else at_least(count, least)
            if facts.refuted(condition):
                continue
            here = facts.with_condition(condition)
            version = simplified(_with_bounds(loop, tile, upper), here)
            if isinstance(version, Loop):
                # Most of the work is done in full tiles: half of the room is theirs.
                share = room // 2 if least == bound else room // (2 * len(ladder))
                version = self._versions(version, here, share, masked | {_shape(replace(tile, upper=upper))})
            result = Guard(condition, version, result)
        return result

    def _full_and_masked(self, loop: Loop, facts: Facts, border: bool) -> Node | None:
        """Full tiles, and all others with rows and lanes masked; None where masks would not do, or for lack of room."""
        full, here, whole, most = loop, facts, list[Compare](), 0
        while (tile := self._partial(full, here, frozenset())) is not None:
            bound = largest_trips(tile.lower, tile.upper)
            assert bound is not None
            most = max(most, sum(_possible(tile.upper - tile.lower, rows) for rows in range(1, bound)))
            whole.append(at_least(tile.upper - tile.lower, bound))
            here = here.with_condition(whole[-1])
            version = simplified(_with_bounds(full, tile, tile.lower + bound), here)
            if version == EMPTY:  # no tile is full here
                border = True
                break
            if not isinstance(version, Loop):
                return None
            full = version
        rest, done, runs = loop, frozenset[Loop](), list[Compare]()
        while (tile := self._partial(rest, facts, done)) is not None:
            runs.append(at_least(tile.upper - tile.lower, 1))
            done |= {_shape(tile)}
            if _with_bounds(loop, tile, None) != EMPTY:
                return None  # what stands beside the tile runs where the tile is empty, too
            if tile.kind is LoopKind.UNROLLED:
                if not self._is_maskable(rest, tile):
                    return None
                rest = _with_masked_rows(rest, tile)
        if most < 2:  # sizes are known: the one other count is a tile of its own, without masks
            return None
        if not runs or self._size(full) + self._size(rest) > self.options.body_limit:
            return None
        masked = Guard(_every(runs), rest)
        return masked if border else Guard(_every(whole), full, masked)

    def _is_maskable(self, loop: Loop, tile: Loop) -> bool:
        """Whether rows that are not there may be computed, if nothing of them is stored."""
        vectors_around = [x for x in walk(loop) if isinstance(x, Loop) and x.kind is LoopKind.VECTOR]
        if any(vectors.reduced_rows(x) for x in vectors_around):
            return False
        copies = [x for x in walk(loop) if isinstance(x, Loop) and _shape(x) == _shape(tile)]
        # One mask says of one loop's rows whether they are there, not of those of two loops inside of each other.
        masked = [x for x in walk(loop) if isinstance(x, Guard) and x.masks]
        nested = (x in walk(copy) or copy in walk(x) for x in masked for copy in copies)
        return all(_has_harmless_rows(copy) for copy in copies) and not any(nested)

    def _rungs(self, tile: Loop, bound: int, loop: Loop, room: int) -> list[tuple[int, bool, Affine]]:
        """From the full tile down: the least count (or the exact one), and the tile loop's upper bound for it."""
        full = (bound, False, tile.lower + bound)
        if tile.kind is LoopKind.UNROLLED:
            row = self._size(_with_bounds(loop, tile, tile.lower + 1))
            counts = [rows for rows in range(bound - 1, 0, -1) if _possible(tile.upper - tile.lower, rows)]
            if row * (bound + sum(counts)) > room:
                return []
            return [full, *((rows, True, tile.lower + rows) for rows in counts)]
        lanes = vectors.lane_count(tile, self.target)
        count = -(-bound // lanes)
        one = self._size(_with_bounds(loop, tile, tile.lower + lanes))
        if one * (count + count * (count + 1) // 2) > room:
            return [full, (1, False, tile.upper)]
        return [
            full,
            *(
                ((number - 1) * lanes + 1, False, minimum(tile.upper, tile.lower + number * lanes))
                for number in range(count, 0, -1)
            ),
        ]

    def _partial(self, loop: Loop, facts: Facts, masked: frozenset[Loop]) -> Loop | None:
        """The first tile loop inside with a trip count that varies, but not during this loop, and has a small limit."""
        inner = {node.variable for node in walk(loop) if isinstance(node, Loop)}
        for node in _point_loops(loop.body):
            if node.step != 1:
                continue
            bound = largest_trips(node.lower, node.upper)
            if bound is None or constant_trips(node.lower, node.upper, 1) is not None or _shape(node) in masked:
                continue
            if not inner.isdisjoint(node.lower.variables() | node.upper.variables()):
                continue
            if not (_stays(loop, node) or self._sums_in_place(loop, node)):
                continue
            if node.kind is LoopKind.UNROLLED and bound <= _LARGEST_ROWS:
                return node
            if node.kind is LoopKind.VECTOR and self._splits(node, bound, facts):
                return node
        return None

    def _sums_in_place(self, loop: Loop, tile: Loop) -> bool:
        """Whether straight-line code adds up in the tile's cells (a window), and would do so with masks everywhere that
        take registers: full tiles are worth a version without."""
        if tile.kind is not LoopKind.VECTOR or self.target.masks:
            return False
        around = (x for x in _point_loops(loop.body) if x.kind is LoopKind.UNROLLED and tile in walk(x.body))
        return any(_stays(x, tile) for x in around)

    def _splits(self, tile: Loop, bound: int, facts: Facts) -> bool:
        """Whether versions of a vector loop help: not where its bound says already how many vectors there are."""
        lanes = vectors.lane_count(tile, self.target)
        if bound > lanes * self.options.straight_vectors:
            return False
        return not facts.nonnegative(tile.upper - tile.lower - (bound - 1) // lanes * lanes - 1) or bound % lanes == 0

    def _size(self, node: Node) -> int:
        """How much straight-line code the node becomes; a multiply-add with its operands is about 1."""
        match node:
            case Compute():
                return 1 + sum(1 for _ in e.walk(node.value)) // 6
            case Block() | Guard():
                return sum(map(self._size, children(node)))
            case Loop(lower=lower, upper=upper, kind=kind):
                trips = constant_trips(lower, upper, node.step)
                count = trips if trips is not None else largest_trips(lower, upper)
                if kind is LoopKind.VECTOR and count is not None:
                    count = min(-(-count // vectors.lane_count(node, self.target)), self.options.straight_vectors)
                elif kind is not LoopKind.UNROLLED or count is None or count > self.options.unroll_limit:
                    count = 1
                return count * self._size(node.body)


def _cut_behind_full_tiles(loop: Loop, facts: Facts) -> Block | None:
    """Index-set splitting of a loop around straight-line steps with lanes inside, or around lanes whose cells stay, of
    which the last may be fewer.

    Rewrite:
        for t in [a, b):  UNROLLED j in [4*t, min(4*t + 4, n)):  VECTOR i ...
        ->  for t in [a, min(b, floord(n, 4))):  UNROLLED j in [4*t, 4*t + 4): ...
            for t in [max(a, floord(n, 4)), b):  UNROLLED j in [4*t, min(4*t + 4, n)): ...
    """
    tile = loop.body
    if loop.step != 1 or not isinstance(tile, Loop) or tile.step != 1 or not _ends_partially(loop, tile):
        return None
    variable, a, b, lower, upper = loop.variable, loop.lower, loop.upper, tile.lower, tile.upper
    most = largest_trips(lower, upper)
    if most is None or most < 2 or constant_trips(lower, upper, 1) is not None:
        return None
    start = lower - affine(variable) * most
    ends = [operand - start for operand in upper_operands(upper) if operand != lower + most]
    if any(variable in value.variables() for value in ends):
        return None
    full = minimum(*(end // most for end in ends))
    behind = maximum(*_undominated(lower_operands(maximum(a, full)), facts, smallest=False))
    if behind == a:
        return None  # already behind them
    before = replace(loop, upper=minimum(b, full), body=replace(tile, upper=lower + most))
    return Block((before, replace(loop, lower=behind)))


def _ends_partially(loop: Loop, tile: Loop) -> bool:
    """Whether masks in the last iteration of a loop would take those before it their registers."""
    if tile.kind is LoopKind.VECTOR:
        inside = list(computes(tile.body))
        stays = all(loop.variable not in x.variables() for c in inside for x in c.target.subscripts)
        return stays and not any(isinstance(x, Loop) for x in walk(tile.body))
    return tile.kind is LoopKind.UNROLLED and isinstance(tile.body, Loop) and tile.body.kind is LoopKind.VECTOR


def _full(tile: Loop) -> tuple[Compare, Loop] | None:
    """When a loop over the points of a tile runs as often as it can at most, and that loop; None where it always does,
    or nobody knows how often."""
    bound = largest_trips(tile.lower, tile.upper)
    if bound is None or tile.step != 1 or constant_trips(tile.lower, tile.upper, 1) is not None:
        return None
    pairs = product(lower_operands(tile.lower), upper_operands(tile.upper))
    start = next((low for low, high in pairs if high - low == affine(bound)), None)
    if start is None:
        return None
    return at_least(tile.upper - tile.lower, bound), replace(tile, lower=start, upper=start + bound)


def _has_full_tiles(node: Node) -> bool:
    return any(
        constant_trips(x.lower, x.upper, 1) is not None
        for x in walk(node)
        if isinstance(x, Loop) and x.step == 1 and x.kind in (LoopKind.UNROLLED, LoopKind.VECTOR)
    )


def joined(node: Node, facts: Facts) -> Node:
    """The node without Guards whose sides are the same but for bounds that one minimum, or maximum, gives for both."""
    if isinstance(node, Guard) and node.orelse != EMPTY:
        sides = facts.with_condition(node.condition), facts.with_condition(node.condition, holds=False)
        both = _join(node.body, node.orelse, sides)
        return node if both is None else joined(both, facts)
    return map_children_with(node, facts, joined)


def _join(first: Node, second: Node, facts: tuple[Facts, Facts]) -> Node | None:
    """What is `first` where the first facts hold, and `second` where the second do."""
    match first, second:
        case Loop(), Loop() if replace(first, lower=second.lower, upper=second.upper, body=second.body) == second:
            lower = _same_bound(lower_operands, maximum, (first.lower, second.lower), facts)
            upper = _same_bound(upper_operands, minimum, (first.upper, second.upper), facts)
            if lower is None or upper is None:
                return None
            inside = tuple(f.with_loop(first.variable, lower, upper) for f in facts)
            body = _join(first.body, second.body, (inside[0], inside[1]))
            return None if body is None else replace(first, lower=lower, upper=upper, body=body)
        case _:
            return first if first == second else None


def _same_bound(
    operands: Callable[[Affine], tuple[Affine, ...]],
    extreme: Callable[..., Affine],
    bounds: tuple[Affine, Affine],
    facts: tuple[Facts, Facts],
) -> Affine | None:
    """An extremum of some of the bounds' operands that equals each bound where its facts hold."""
    if bounds[0] == bounds[1]:
        return bounds[0]
    every = tuple(dict.fromkeys((*operands(bounds[0]), *operands(bounds[1]))))
    smallest = extreme is minimum

    def decided(value: Affine, here: Facts) -> Affine:
        return extreme(*_undominated(operands(value), here, smallest))

    def equals(value: Affine, bound: Affine, here: Facts) -> bool:
        value, bound = decided(value, here), decided(bound, here)
        return value == bound or (here.nonnegative(value - bound) and here.nonnegative(bound - value))

    for size in (1, 2, 3):
        for chosen in combinations(every, size):
            if all(equals(extreme(*chosen), bound, here) for bound, here in zip(bounds, facts, strict=True)):
                return extreme(*chosen)
    return None


def _every(conditions: list[Compare]) -> Condition:
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))


def _has_own_cells(node: Node) -> bool:
    """Whether every iteration of the straight-line loops inside writes to cells of its own: rows, not steps of sums."""
    rows = (x for x in walk(node) if isinstance(x, Loop) and x.kind is LoopKind.UNROLLED)
    stores = ((x.variable, c.target.subscripts) for x in rows for c in computes(x.body))
    return all(any(variable in s.variables() for s in subscripts) for variable, subscripts in stores)


def _has_harmless_rows(tile: Loop) -> bool:
    """Whether each iteration writes to cells of its own, and what it computes cannot fault."""
    for node in walk(tile.body):
        match node:
            case Guard(masks=other) if other:
                return False
            case Compute(_, target, value, conditional):
                own = set[str]().union(*(s.variables() for s in target.subscripts))
                if conditional or target.data or tile.variable not in own:
                    return False
                if not is_safe(value, frozenset(), lambda access: not access.data):
                    return False
                if any(isinstance(x, e.Select | e.Logical | e.Fold) for x in e.walk(value)):
                    return False
    return True


def _with_masked_rows(node: Node, tile: Loop) -> Loop:
    """The node with every copy of the tile loop run to its limit, the iterations behind its end under a mask."""

    def visit(inner: Node) -> Node:
        if not isinstance(inner, Loop) or _shape(inner) != _shape(tile):
            return map_children(inner, visit)
        limit = largest_trips(inner.lower, inner.upper)
        assert limit is not None
        here = at_least(inner.upper, affine(inner.variable) + 1)
        return replace(inner, upper=inner.lower + limit, body=Guard(here, inner.body, EMPTY, inner.variable))

    result = visit(node)
    assert isinstance(result, Loop)
    return result


def _over(loop: Loop, body: Node) -> Node:
    return EMPTY if body == EMPTY else with_body(loop, body)


def _possible(count: Affine, value: int) -> bool:
    """Whether a minimum can take a value below its largest, as far as remainders say: 123 - 8*t is 3, 11, 19, ..."""
    for operand in upper_operands(outward(count)):
        factor = gcd(*(c for _, c in operand.terms))
        if operand.is_constant and operand.constant != value:
            continue
        if (value - operand.constant) % max(1, factor) == 0:
            return True
    return False


def _point_loops(node: Node) -> Iterator[Loop]:
    """The loops of a tile: unrolled and vector loops with no other loop around them."""
    if isinstance(node, Loop):
        if node.kind not in (LoopKind.UNROLLED, LoopKind.VECTOR):
            return
        yield node
    for child in children(node):
        yield from _point_loops(child)


def _stays(loop: Loop, tile: Loop) -> bool:
    """Whether the tile writes to the same cells in every iteration: then its accumulators are worth versions."""
    bounds: dict[str, frozenset[str]] = {}  # loops that follow each other may share a variable
    for x in walk(loop.body):
        if isinstance(x, Loop):
            bounds[x.variable] = bounds.get(x.variable, frozenset()) | x.lower.variables() | x.upper.variables()
    for compute in computes(tile):
        used = set[str]().union(*(s.variables() for s in compute.target.subscripts))
        while more := set[str]().union(*(bounds[x] for x in used if x in bounds)) - used:
            used |= more
        if loop.variable not in used:
            return True
    return False


def _shape(tile: Loop) -> Loop:
    """What copies of a tile loop have in common."""
    return replace(tile, variable="", body=EMPTY)


def _with_bounds(node: Loop, tile: Loop, upper: Affine | None) -> Node:
    """The loop with every copy of the tile loop's bounds replaced; None: those loops run no iteration."""

    def visit(inner: Node) -> Node:
        match inner:
            case Loop() if _shape(inner) == _shape(tile):
                if upper is None:
                    return EMPTY
                return _rebuilt(replace(inner, upper=upper), visit)
            case Loop():
                return _rebuilt(inner, visit)
            case Block(inside):
                return block(tuple(map(visit, inside)))
            case _:
                return map_children(inner, visit)

    return visit(node)


def _rebuilt(loop: Loop, visit: Callable[[Node], Node]) -> Node:
    body = visit(loop.body)
    return EMPTY if body == EMPTY else with_body(loop, body)
