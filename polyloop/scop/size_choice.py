"""Values of parameters that nobody gave: sizes at which all loops run, and one run takes as long as it is to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from typing import TypeAlias, TypeGuard

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.polynomials import Polynomial, variables, with_values
from polyloop.scop.affine_isl import fix_parameters, parameters_of
from polyloop.scop.data import (
    ORDINARY_FLOATS,
    SWEEPS,
    WINDOW,
    bytes_of,
    computed_parameters,
    in_order,
    is_allowed,
    is_indirect,
    is_surely_negative,
    loop_bounds,
    loop_parameters,
    loop_starts,
    not_given,
    of_some_variables,
    of_variables,
    points_at,
    points_in,
    shape_variables,
    sizes_from,
    with_computed,
    with_usual,
    work,
)
from polyloop.scop.index_data import least_extents
from polyloop.scop.model import Scop, Statement
from polyloop.scop.own_uses import own_sizes, turns, without_own_uses

GOAL = 0.05
"""Seconds that one run of the original loops is to take at sizes that nobody gave."""
WORK = GOAL * 1e9
"""Statement instances of such a run as long as nothing was measured: 1 ns each."""
PROGRAM = 1e11
"""Statement instances of all runs of a region together: a program that goes on for minutes says more about what it runs
a million times than a run of 50 ms, which would be one of an hour."""
LEAST_WORK = 1e3
"""And of each of them, so that loops hold some vectors."""
BYTES = 1 << 25
"""Data of a measurement whose sizes nobody gave: larger than a core's own caches, and some copies of it are soon made
(of 128 MiB they took most of a search of 8 s)."""
_LONGER = 4
"""So many times as much work and data is taken where the file itself has it."""
_HALF = (1 << 15) - 1
"""Two numbers up to here have a product that fits into 32 bits."""
_Counting: TypeAlias = Callable[[Mapping[str, int]], list[float]]

_STRIDE = 8
"""A distance of elements, several of which lie on a cache line."""
_OUT_OF_PROPORTION = 4
"""So many times as large as others is more than a size is taken to be without a reason."""
_SOME = 64
"""A size at which one sees which loops run."""
_NEAR = (1, 2, 3)
"""How much larger sizes are at which loops over remainders run."""
_ONCE = _SOME / 2
"""So many times as much work is there where a loop that ran once or twice runs through."""
_WIDE = 40
"""Sizes at which loops hold some vectors, and what is behind the last whole one does not count most."""
_FEW, _FULL = 4, 4
"""A size of outer loops, as of images or sequences that are worked on at a time; and so many times as many they are
where the others leave work for them."""
_GROUP = 32
"""Elements of a group that has a number of its own: a scale of quantised weights, channels of one head."""
_LOW, _MIDDLE, _HIGH = 2, 4, 6
"""Thresholds for ordinary integers, which are in 1..7."""
_TABLE = 256
"""Elements of a table that data address, in each of its dimensions: bins of a histogram. Fewer, where tables would take
more than `_SHARE` of `BYTES`."""
_SHARE = 1 / 8


_TWICE = 2
"""So many times as much work is still about as much."""
_STRETCH = 16
"""So many times as long as the wanted run may one with `SWEEPS` sweeps take; else there are fewer."""
_GROWS = 1.5
"""So much more work is there for twice the size where one more loop has as many iterations."""
_SMALL = (1, 8, 2, 0)
"""Sizes at which a loop may begin, or one inside of it runs, too; zero last, as programs divide by their parameters."""


@dataclass(frozen=True)
class Aim:
    """What sizes are chosen for that nobody gave: how long one run of the original loops is to take, and the most bytes
    of its data."""

    seconds: float = GOAL
    bytes: int = BYTES


@dataclass(frozen=True)
class SizeChoice:
    """Parameter values for a measurement.

    Attributes:
        values: by parameter, in the Scop's order.
        origin: in words, where those come from that nobody gave.
        aims: whether some of them were chosen for how long a run takes, or how much data it has.
    """

    values: dict[str, int]
    origin: str
    aims: bool = False


def default_sizes(
    scop: Scop, given: Mapping[str, int] | None = None, instances: float | None = None, aim: Aim = Aim()
) -> SizeChoice:
    """Sizes for the parameters that nobody gave any.

    Parameters that declared extents bound get the largest value that fits; those that loops begin at a small one,
    where the loops would not run otherwise; windows that move over what is stored are short; the others get one
    value for all, the largest with at most `instances` statement instances on at most `aim.bytes` of data. Where
    that is too small for vectors, as in nests of five loops, the outer loops get few iterations, one after the
    other. Lengths of rows that nothing goes through are as small as can be, distances between accesses short; what only
    chooses among statements chooses those with the most work. What the region computes from others is what it computes.

    Args:
        given: values that stay as they are.
        instances: as many as one run of the wanted length has; None: nothing was measured.
    """
    fixed, most = dict(given or {}), aim.seconds / GOAL * WORK if instances is None else instances
    missing = not_given(scop, fixed)
    if not missing:
        return SizeChoice(with_computed(scop, fixed), "" if fixed else "the constants of the source")
    if own := own_sizes(likely(scop, fixed), fixed, _LONGER * most, _LONGER * aim.bytes):
        choice = default_sizes(without_own_uses(scop), fixed | own, most, aim)
        values = with_usual(scop, choice.values, fixed | own)
        return SizeChoice(values, _of_the_file(scop, own, replace(choice, values=values)), True)
    most = min(most, _once_of_many(scop))
    scop = likely(scop, fixed)
    known = scop.known
    # Large limits that no extent gives are those of products that must not overflow: no sizes that are meant.
    extents = (x.constant for a in scop.arrays if not a.local for x in a.shape if x is not None and x.is_constant)
    meant = max(_HALF, _STRIDE * max(extents, default=0))
    largest = _largest(scop, fix_parameters(scop.known, fixed))
    bounds = {name: value for name, value in largest.items() if value < meant}
    around = {str(counter) for counter, _, _ in turns(scop)}  # of these, the largest values belong to the last turns
    declared = {name: value for name, value in bounds.items() if name in missing and name not in around}
    free = [name for name in missing if name not in declared]
    if not free and is_allowed(known, values := with_computed(scop, fixed | declared)):
        return SizeChoice(in_order(scop, values), "the constants of the array declarations")
    starts = _fitting(scop, _windows(scop, free), fixed | declared)
    starts |= _rows(scop, free) | _strides(scop, free) | _distances(scop, free) | _roles(scop, free)
    starts |= _choices(scop, [name for name in free if name not in starts], fixed | starts)
    starts |= _overhangs(scop, [name for name in free if name not in starts], fixed | declared | starts)
    starts |= first_iterations(scop, fixed | declared | starts)
    fixed, free = fixed | starts, [name for name in free if name not in starts]
    lengths = _least_lengths(scop, free, fixed | declared)
    fixed, free = fixed | lengths, [name for name in free if name not in lengths]
    chosen = _proportioned(scop, known, free, fixed | declared, most, aim)
    if chosen is None and declared:
        declared, free = {}, missing
        chosen = _proportioned(scop, known, free, fixed, most, aim)
    if chosen is not None:
        values, why = chosen
        values, why = _with_sweeps(scop, known, free, values, most) or chosen
        values = of_some_variables(scop, values)
        longer = _with_long_rows(scop, values, set(free) - set(loop_parameters(scop)))
        if longer != values and bytes_of(scop, longer) > aim.bytes and most > LEAST_WORK:
            return default_sizes(scop, given, most / 2, aim)
        values = _in_the_middle(scop, longer, missing)
        if work(scop, values) > _TWICE * max(most, work(scop, longer)) and most > LEAST_WORK:
            return default_sizes(scop, given, most / 2, aim)
        if declared:
            why = f"the constants of the array declarations; {', '.join(free)} {why}"
        return SizeChoice(values, why, aims=True)
    point = fix_parameters(known, fixed).sample_point()
    if point.is_void():
        values = with_computed(scop, fixed | dict.fromkeys(missing, 1))
        return SizeChoice(in_order(scop, values), "nothing fits the code's context")
    coordinates = (point.get_coordinate_val(isl.dim_type.param, k) for k in range(len(scop.parameters)))
    sizes = {name: int(value.to_python()) for name, value in zip(scop.parameters, coordinates, strict=True)}
    return SizeChoice(with_computed(scop, sizes), "the only kind of sizes that the code's context allows")


def _in_the_middle(scop: Scop, sizes: dict[str, int], missing: Collection[str]) -> dict[str, int]:
    """These sizes with counters of loops around the region, ``for (j = 0; j < n; j++)``, halfway between their ends:
    what runs up to them and what runs behind them is as long as it is on average."""
    for counter, first, end in turns(scop):
        if str(counter) in missing:
            halfway = (first.evaluate(sizes) + end.evaluate(sizes)) // 2
            moved = with_computed(scop, {name: sizes[name] for name in not_given(scop, {})} | {str(counter): halfway})
            sizes = moved if is_allowed(scop.known, moved) else sizes
    return sizes


def _once_of_many(scop: Scop) -> float:
    """The most instances of one run, where the program runs the region often, as far as its file tells."""
    often = 1.0 if scop.source is None else scop.source.fewest
    return max(PROGRAM / often, LEAST_WORK) if often > 1 else inf


def _of_the_file(scop: Scop, own: Mapping[str, int], rest: SizeChoice) -> str:
    """Where sizes come from, some of which are the file's own, or smaller."""
    there = of_variables(scop, dict(scop.source.usual)) if scop.source is not None else {}
    smaller = [f"{name}={value} for the {there[name]} there" for name, value in own.items() if value < there[name]]
    same = [name for name, value in own.items() if value == there[name]]
    parts = [f"{', '.join(same)} as the file itself has {'it' if len(same) == 1 else 'them'}"] if same else []
    late = any(own[name] == 0 < there[name] for name in own)
    parts += [f"{', '.join(smaller)}, which would {'begin later, or ' * late}take too long"] if smaller else []
    if rest.aims:
        parts.append(f"{', '.join(name for name in rest.values if name not in own)}: {rest.origin}")
    return "; ".join(parts)


def likely(scop: Scop, fixed: Mapping[str, int]) -> Scop:
    """The Scop at the sizes that it is meant for alone (`Program.likely`), if those that are fixed are such."""
    meant = replace(scop, assumptions=scop.assumptions & scop.likely)
    return scop if fix_parameters(meant.known, fixed).is_empty() else _with_equal_strides(meant)


def _with_equal_strides(scop: Scop) -> Scop:
    """Subscripts as one that go through an array in the same steps, as some strides have one value only: with a stride
    of 1, ``in[x * stride + k]`` is a window that moves over what is read."""
    known, ones = scop.known, dict[str, int]()
    for name in variables(stride for array in scop.arrays for stride in array.strides or ()):
        value = known.plain_get_val_if_fixed(isl.dim_type.param, known.find_dim_by_name(isl.dim_type.param, name))
        if value.is_int():
            ones[name] = int(value.to_python())
    merged: dict[str, dict[Polynomial, list[int]]] = {}
    for array in scop.arrays if ones else ():
        for place, stride in enumerate(array.strides or ()):
            merged.setdefault(array.name, {}).setdefault(with_values(stride, ones), []).append(place)
    if all(len(places) == 1 for strides in merged.values() for places in strides.values()):
        return scop
    # Numbers are the inner ones.
    merged = {
        name: dict(sorted(each.items(), key=lambda entry: not variables(entry[:1]))) for name, each in merged.items()
    }

    def access(old: e.Access) -> e.Access:
        groups = merged[old.array].values() if old.array in merged else [[k] for k in range(len(old.subscripts))]
        return e.Access(old.array, tuple(sum((old.subscripts[k] for k in group), Affine()) for group in groups))

    arrays = (
        replace(array, shape=(None,) * len(merged[array.name]), strides=tuple(merged[array.name]))
        if array.name in merged
        else array
        for array in scop.arrays
    )
    statements = (
        replace(s, target=access(s.target), value=e.rewrite(s.value, e.redirecting(access))) for s in scop.statements
    )
    return replace(scop, arrays=tuple(arrays), statements=tuple(statements))


def first_iterations(scop: Scop, fixed: Mapping[str, int]) -> dict[str, int]:
    """The parameters with which more statements run at a small size than at the value of the others, or a loop more
    than once, and that size: ``for (i = first; i < last; i++)``, windows that are as long as what they move over.
    Where several sizes do, it is the one with the most work, which further small sizes may double."""
    free = not_given(scop, fixed)
    found: dict[str, int] = {}
    allowed, counted = points_in(scop.known), points_at(scop)

    def sizes_at(small: Mapping[str, int]) -> dict[str, int] | None:
        values = with_computed(scop, {name: fixed.get(name, small.get(name, _SOME)) for name in scop.parameters})
        if allowed(values):
            return values
        # Rows that are longer than what a window leaves of them: no reason to make the window small.
        return sizes_from(scop, _SOME, {**small, **fixed}, out_of_proportion(scop, _SOME))

    def running(small: Mapping[str, int], counted: _Counting = counted) -> tuple[int, list[float]]:
        sizes = sizes_at(small)
        if sizes is None:
            return 0, [0.0]
        points = counted(sizes)
        return sum(count > 0 for count in points), points

    count, each = running(found)
    most = count, sum(each)
    runs_through = all(n >= _SOME**s.depth / _ONCE for n, s in zip(each, scop.statements, strict=False))
    if (count == len(scop.statements) and runs_through) or len(free) < (1 if fixed else 2):
        return found
    if sizes_at(found) is not None:
        matter = _of_domains(scop)
        free = [name for name in free if name in matter]
    while free:
        # What was chosen last is chosen anew with the next one: of two factors both have to be small.
        before = [{**found, last: value} for last in list(found)[-1:] for value in _SMALL] or [found]
        tried = [{**other, name: value} for other in before for name in free for value in _SMALL]
        runs = [(count, sum(each), small) for small in tried for count, each in [running(small)]]
        if not found and max(run[0] for run in runs) == most[0] < len(scop.statements):
            # Windows of two dimensions: none of their loops runs if one alone is short.
            tried = [dict.fromkeys(pair, value) for pair in combinations(free, 2) for value in _SMALL]
            runs += [(count, sum(each), small) for small in tried for count, each in [running(small)]]
        count, points, small = max(runs, key=lambda run: (run[0], all(run[2].values()), run[1]))
        if count < most[0] or (count == most[0] and points < 2 * most[1]):
            return found
        # Some loop that ran once has to run often now: all together may not show it, where others run less often.
        if not found and count == most[0]:
            loops = points_at(_loops(scop))
            once, often = (running(sizes, loops)[1] for sizes in (found, small))
            if not any(many >= _ONCE * few for few, many in zip(once, often, strict=True)):
                return found
        # Remainders, as of steps that buffers take turns in, want other sizes, not small ones.
        near = (running({name: _SOME + more}) for name in small for more in _NEAR) if not found else ()
        if any((run[0], sum(run[1]) * _ONCE) >= (count, points) for run in near):
            return found
        most, found = (count, points), small
    return found


def out_of_proportion(scop: Scop, size: int) -> int:
    """What is too large beside such a size: several times as much, for each of the numbers that a structure has in rows
    of such (a step of 5 through ``u[k][j][5 * i + 2]``)."""
    strided = {a.name for a in scop.arrays if any(x is not None and not x.is_constant for x in a.shape[1:])}
    accesses = (access for s in scop.statements for access in s.accesses if access.array in strided)
    steps = (abs(step) for access in accesses for _, step in access.subscripts[-1].terms)
    return _OUT_OF_PROPORTION * max(steps, default=1) * size


def _of_domains(scop: Scop) -> set[str]:
    """The parameters that say how often statements run, and those that these are computed from."""
    found = set[str]().union(*(parameters_of(statement.domain) for statement in scop.statements))
    for name, memory in reversed(computed_parameters(scop).items()):
        if name in found:
            found |= {memory.divisor}.union(*(names for names, _ in memory.polynomial))
    return found


def _loops(scop: Scop) -> Scop:
    """Every loop around every statement as what runs in it once."""
    statements = (
        replace(s, iterators=s.iterators[:level], domain=s.domain.project_out(isl.dim_type.set, level, s.depth - level))
        for s in scop.statements
        for level in range(1, s.depth + 1)
    )
    return replace(scop, statements=tuple(statements))


def _overhangs(scop: Scop, free: Sequence[str], fixed: Mapping[str, int]) -> dict[str, int]:
    """Sizes of the parameters that say how far windows hang over edges, ``pad`` in ``0 <= i + k - pad < n``: 1, if the
    work of some statement grows more with the others then than it does with all."""
    counted = points_at(scop)

    def growth(small: Mapping[str, int]) -> list[float]:
        sizes = (dict.fromkeys(scop.parameters, some) | {**small, **fixed} for some in (_SOME, 2 * _SOME))
        once, twice = (counted(with_computed(scop, values)) for values in sizes)
        return [more / some if some else 0.0 for some, more in zip(once, twice, strict=True)]

    least = growth({})

    def hangs_over(name: str) -> bool:
        return any(few > 0 and more > _GROWS * few for few, more in zip(least, growth({name: 1}), strict=True))

    return {name: 1 for name in free if hangs_over(name)} if any(least) else {}


def _least_lengths(scop: Scop, free: Sequence[str], fixed: Mapping[str, int]) -> dict[str, int]:
    """The smallest lengths that rows may have where all loops' bounds are there already."""
    if not fixed or not set(free) <= shape_variables(scop) - set(loop_parameters(scop)):
        return {}
    found: dict[str, int] = {}
    for name in free:
        least = _values(fix_parameters(scop.known, {**fixed, **found}), name).dim_min_val(0)
        if not least.is_int():
            return {}
        found[name] = int(least.to_python())
    reached = least_extents(scop, {**fixed, **found}, ORDINARY_FLOATS)
    longer = {name: max(length, reached.get(name, 0)) for name, length in found.items()}
    return longer if is_allowed(scop.known, {**fixed, **longer}) else found


def _with_long_rows(scop: Scop, values: dict[str, int], free: Collection[str]) -> dict[str, int]:
    """The sizes with rows as long as what data say which elements of reaches at them."""
    if not free or not is_indirect(scop):
        return values
    reached = least_extents(scop, values, ORDINARY_FLOATS)
    longer = values | {name: max(values[name], reached[name]) for name in free & reached.keys()}
    return longer if longer != values and is_allowed(scop.known, longer) else values


def _values(known: isl.Set, name: str) -> isl.Set:
    """What a parameter may be, whatever the others are."""
    position = known.find_dim_by_name(isl.dim_type.param, name)
    value = isl.Set.from_params(known).move_dims(isl.dim_type.set, 0, isl.dim_type.param, position, 1)
    return value.project_out_all_params()


def _largest(scop: Scop, known: isl.Set) -> dict[str, int]:
    """The largest value of every parameter that has one, in the Scop's order; ends of types are none."""
    result = {}
    for name in scop.parameters:
        largest = _values(known, name).dim_max_val(0)
        if largest.is_int() and largest.to_python() < (1 << 31) - 1:
            result[name] = int(largest.to_python())
    return result


def _proportioned(
    scop: Scop, known: isl.Set, free: Sequence[str], fixed: Mapping[str, int], most: float, aim: Aim
) -> tuple[dict[str, int], str] | None:
    """One value for the free parameters, see `_ladder`; where that is small, outer loops get few iterations."""
    chosen = _ladder(scop, known, fixed, most, aim)
    depth = max((statement.depth for statement in scop.statements), default=0)
    innermost = {
        name: position
        for position in range(depth)
        for statement in scop.statements
        if statement.depth == depth
        for name in loop_bounds(scop, statement, position) & set(free)
    }
    for name in sorted(innermost, key=lambda name: innermost[name]):
        if chosen is None or innermost[name] >= depth - 2 or chosen[0][name] >= _WIDE:
            break
        few = _few_turns(scop, name, fixed)
        before, fixed = fixed, {**fixed, name: few}
        chosen = _ladder(scop, known, fixed, most, aim) or chosen
        # More where the others are still wide then: of four channels register tiles are not full.
        for more in (_FULL * few, _FULL * few // 2):
            fuller = _ladder(scop, known, {**before, name: more}, most, aim)
            others = (fuller[0][other] for other in innermost if other not in fixed) if fuller else ()
            if fuller is not None and min(others, default=0) >= _WIDE:
                chosen = fuller
                break
    return chosen


def _few_turns(scop: Scop, name: str, fixed: Mapping[str, int]) -> int:
    """The size with which an outer loop has `_FEW` iterations: 8 of ``for (k = 2; k < n - 2; k++)``."""
    counted = points_at(scop)

    def points(size: int) -> list[float]:
        return counted(with_computed(scop, {**dict.fromkeys(scop.parameters, _SOME), **fixed, name: size}))

    running = [n > 0 for n in points(_SOME)]
    first = next((size for size in range(1, _SOME) if [n > 0 for n in points(size)] == running), _FEW)
    enough = _FEW * sum(points(first))
    return next((size for size in range(_FEW, _SOME) if sum(points(size)) >= enough), _FEW)


def _with_sweeps(
    scop: Scop, known: isl.Set, free: Sequence[str], sizes: dict[str, int], most: float
) -> tuple[dict[str, int], str] | None:
    """These sizes with more sweeps over the same data, if the free parameters are few such; and why so many."""
    for sweeps in range(SWEEPS, min((sizes[name] for name in free), default=SWEEPS), -1):
        more = with_computed(scop, sizes | {name: max(sweeps, sizes[name]) for name in free})
        if work(scop, more) <= _STRETCH * most and is_allowed(known, more):
            same = bytes_of(scop, more) == bytes_of(scop, sizes)
            return (more, f"chosen for {sweeps} sweeps over the arrays") if same else None
    return None


def _strides(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of the parameters that are distances of elements only: 1 of ``s`` in ``x[i * s]``, a row of one; 3 in
    ``x[i * s + 2]``. What a loop around counts has other values, too, at which nothing runs along rows."""
    counters = scop.source.around if scop.source is not None else ()
    rows: dict[str, list[tuple[int, str]]] = {}
    for array in scop.arrays:
        for place, extent in enumerate(array.shape):
            for name in extent.variables() if extent is not None else ():
                rows.setdefault(name, []).append((place, array.name))
        for place, stride in enumerate(array.strides or ()):
            # The subscripts inside of what lies so far apart.
            inner = range(place + 1, len(array.shape))
            for name in variables([stride]):
                rows.setdefault(name, []).extend((k, array.name) for k in inner)
    accesses = {access for s in scop.statements for access in s.accesses}
    bounds, found = loop_parameters(scop), dict[str, int]()
    for name in set(free).intersection(rows).difference(bounds):
        inside = [a.subscripts[place] for place, array in rows[name] for a in accesses if a.array == array]
        if all(not subscript.variables() and not subscript.terms for subscript in inside):
            found[name] = _STRIDE if name in counters else 1 + max((s.constant for s in inside), default=0)
    return found


def _small_tables(scop: Scop, tables: Mapping[str, int]) -> dict[str, int]:
    """Extents of tables, halved until these take a small part of the memory: those of three dimensions are short."""
    small = dict(tables)
    while small and max(small.values()) > WINDOW:
        if bytes_of(scop, with_computed(scop, dict.fromkeys(scop.parameters, _SOME) | small)) <= _SHARE * BYTES:
            break
        small = {name: size // 2 for name, size in small.items()}
    return small


def _roles(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of the parameters that subscripts and conditions are computed from, and that are no lengths: what they are
    divided by are groups, or short windows where the remainder counts, too; what they are multiplied by are strides,
    and what is added hangs over an edge. ``x * w / n`` scales a length to another, and what is compared is a length;
    compared with an array's integers, it is a threshold: near the end of their range at which more of them are taken;
    compared with what is computed from data, or what subscripts come from, it is the extent of a table, as it is where
    data are multiplied by it.
    """
    computed = computed_parameters(scop).values()
    made_of = {name for memory in computed for product, _ in memory.polynomial for name in product}
    asked = [x.condition for s in scop.statements for x in e.walk_values(s.value) if isinstance(x, e.Select)]
    addressed = [datum.value for s in scop.statements for a in s.accesses for datum in a.data]
    asked += addressed
    nodes = {node for value in asked for node in e.walk(value)}
    divided = [(n.operator, _names(n.left), _names(n.right)) for n in nodes if _is(n, "/", "%")]
    quotients, remainders = (
        {name for sign, _, by in divided if sign == operator for name in by} for operator in ("/", "%")
    )
    bounds = set(loop_parameters(scop))
    groups = {memory.divisor for memory in computed if memory.polynomial} | quotients - bounds
    lengths = shape_variables(scop) | bounds | made_of
    lengths |= {name for _, scaled, by in divided if by & bounds for name in scaled}
    iterators = {name for s in scop.statements for name in s.iterators}
    in_subscripts = {name for s in scop.statements for name in _of_data(s)}
    thresholds: dict[str, int] = {}
    tables: dict[str, int] = {}
    for name, other, at in _limits(nodes, iterators):
        if name in lengths or scop.is_endless or not _reads(other):
            lengths |= {name}
        elif name in in_subscripts or not _is_element(other):
            tables[name] = _TABLE
        else:
            thresholds[name] = at if thresholds.get(name, at) == at else _MIDDLE
    # Data that are multiplied by something choose rows of that length.
    products = [n for value in addressed for n in e.walk(value) if _is(n, "*")]
    for row, one in (
        (n.left, n.right) for n in (*products, *(replace(n, left=n.right, right=n.left) for n in products))
    ):
        if _reads(one):
            tables |= dict.fromkeys(_names(row) - iterators, _TABLE)
    found = {n: size for n, size in (thresholds | _small_tables(scop, tables)).items() if n not in lengths}
    lengths -= found.keys()
    found |= dict.fromkeys(groups - made_of, _GROUP) | dict.fromkeys(remainders - lengths, 3)
    found |= dict.fromkeys({name for value in asked for name in _names(value)} - lengths - found.keys(), 1)
    return {name: size for name, size in found.items() if name in free}


def _limits(nodes: Iterable[e.Expression], iterators: set[str]) -> Iterator[tuple[str, e.Expression, int]]:
    """The parameters that something is compared with, and what; and where most of an array's integers are larger than
    the parameter if they are to be larger, smaller if they are to be smaller."""
    for node in nodes:
        if isinstance(node, e.Comparison):
            ends = {">": (_LOW, _HIGH), "<": (_HIGH, _LOW)}.get(node.operator[0], (_MIDDLE, _MIDDLE))
            for limit, other, at in zip((node.right, node.left), (node.left, node.right), ends, strict=True):
                if not iterators & (names := _names(limit)) and len(names) == 1 and not _is(limit, "*"):
                    yield next(iter(names)), other, at


def _of_data(statement: Statement) -> frozenset[str]:
    """Iterators and parameters that subscripts which come from data are computed from."""
    accesses = statement.accesses
    whole = (subscript.variables() for a in accesses if a.data for subscript in a.subscripts)
    return frozenset[str]().union(*whole, *(_names(datum.value) for a in accesses for datum in a.data))


def _is_element(value: e.Expression) -> bool:
    """Whether it is an integer from an array, of whatever type."""
    while isinstance(value, e.Cast):
        value = value.operand
    return isinstance(value, e.Read) and not value.type.is_float and bool(value.access.subscripts)


def _is(node: e.Expression, *operators: str) -> TypeGuard[e.Binary]:
    return isinstance(node, e.Binary) and not node.type.is_float and node.operator in operators


def _reads(value: e.Expression) -> bool:
    return any(isinstance(node, e.Read) for node in e.walk(value))


def _names(value: e.Expression) -> frozenset[str]:
    """Iterators and parameters in an expression."""
    return _variables(e.walk(value))


def _distances(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of the parameters that only say how far apart accesses to one array are, ``x[i]`` and ``x[i - lag]``: some
    elements. As far as loops go they would be if they were as large as what bounds these."""
    used = shape_variables(scop).union(loop_parameters(scop))
    used |= _variables(node for s in scop.statements for node in e.walk_values(s.value))
    distances: set[str] = set()
    for array in scop.arrays:
        accesses = [a for s in scop.statements for a in s.accesses if a.array == array.name]
        used |= _variables(node for access in accesses for datum in access.data for node in e.walk(datum.value))
        each = [frozenset[str]().union(*(subscript.variables() for subscript in a.subscripts)) for a in accesses]
        distances |= frozenset().union(*each) - frozenset.intersection(*each) if each else frozenset()
    # No two of them alike: x[i - near] and x[i - far] are different elements.
    names = [name for name in free if name in distances - used]
    return {name: _SOME * (k + 1) for k, name in enumerate(names)}


def _choices(scop: Scop, free: Sequence[str], fixed: Mapping[str, int]) -> dict[str, int]:
    """Sizes of the parameters that are only compared with numbers, or computed with: a ``switch`` around statements,
    options, ``if (alpha != 255)``. One that values are computed from is an ordinary integer where that does as much."""
    extents = shape_variables(scop)
    accesses = {access for s in scop.statements for access in s.accesses}
    used = frozenset[str]().union(*(subscript.variables() for access in accesses for subscript in access.subscripts))
    values = {node for s in scop.statements for node in e.walk_values(s.value)}
    used |= _variables(node for access in accesses for datum in access.data for node in e.walk(datum.value))
    # What data are compared with is a threshold, or what a search looks for.
    sides = [(n.left, n.right) for n in values if isinstance(n, e.Comparison)]
    used |= {
        name
        for pair in sides
        if sum(map(_reads, pair)) == 1
        for side in pair
        if not _reads(side)
        for name in _names(side)
    }
    used |= extents.union(loop_parameters(scop))
    found: dict[str, int] = {}
    for name in (name for name in free if name not in used):
        numbers = [_MIDDLE] if name in _variables(values) else []
        numbers += sorted(_compared(scop, name))
        numbers = [n for n in numbers if is_allowed(scop.known, {name: n})]
        if not numbers:
            continue
        others = {**dict.fromkeys(scop.parameters, _SOME), **fixed, **found}
        tried = [(work(scop, with_computed(scop, {**others, name: number})), number) for number in numbers]
        found[name] = max(tried, key=lambda entry: entry[0])[1]
    return found


def _compared(scop: Scop, name: str) -> set[int]:
    """The numbers that domains compare a parameter with, if nothing else."""
    found: set[int] = set()
    position = scop.parameters.index(name)
    for part in (part for s in scop.statements for part in s.domain.get_basic_sets()):
        for row in part.get_constraints():
            own = row.get_coefficient_val(isl.dim_type.param, position).to_python()
            if own == 0:
                continue
            others = any(
                row.involves_dims(kind, place, 1)
                for kind in (isl.dim_type.param, isl.dim_type.set)
                for place in range(row.space.dim(kind))
                if (kind, place) != (isl.dim_type.param, position)
            )
            if others or abs(own) != 1:
                return set()
            found.add(int(-row.get_constant_val().to_python() * own))
    return found


def _rows(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of parameters that are elements of arrays between which loops run, ``first[r]`` and ``first[r + 1]``, or
    ``diagonal[r]``: the entries of one row of a sparse matrix lie between them, which are few."""
    memory = scop.source.memory if scop.source is not None else ()
    elements = {place.name for place in memory if place.text.endswith("]")} & {*free}
    found: dict[str, int] = {}
    for end, start in loop_starts(scop).items() if elements else ():
        if {end, *start.variables()} <= elements and len(start.terms) == 1:
            found |= {**dict.fromkeys(start.variables(), WINDOW), end: 2 * WINDOW}
    return found


def _windows(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of the parameters that bound windows only: loops over ``k`` in ``y[i] += w[k] * x[i + k]``, or over the
    neighbours of an element in a table of indices.

    Where both iterators of such a sum are alike (``r[i] += x[k] * x[i + k]``, products of a signal with itself),
    nothing says which one is the window. A loop whose body stores by its iterator elsewhere goes over the signal, also
    where a filter's weights are adapted in it (``w[k] += e * x[i - k]``).
    """
    found: set[str] = set()
    others: set[str] = set()
    deep = 1
    stored = {
        _loop(s, position)
        for s in scop.statements
        for position, iterator in enumerate(s.iterators)
        if any(iterator in names for _, names in _iterators(s, [s.target]))
    }
    sliding: set[tuple[Affine, ...]] = set()  # what else stands in such a loop, as ``t = w[k];``, runs as often
    for statement in scop.statements:
        windows = _sliding(scop, statement)
        # x[i * n + j] with j < n is an element of a row, and moves over nothing.
        parts = [d.variables() for a in statement.reads for d in a.data if not _looked_up(d)]
        for position, iterator in enumerate(statement.iterators):
            bounds = loop_bounds(scop, statement, position)
            in_row = any(bounds and bounds <= part and iterator not in part for part in parts)
            if iterator in windows and not in_row and _loop(statement, position) not in stored:
                # What it is cut to where it hangs over an edge ("0 <= x + k - pad < width") is not how long it is.
                found |= loop_bounds(scop, statement, position, alone=True) or bounds
                deep = max(deep, len(windows.intersection(statement.iterators)))
                sliding.add(_loop(statement, position))
    for statement in scop.statements:
        accessed = {n for _, names in _iterators(statement, [statement.target, *statement.reads]) for n in names}
        for position, iterator in enumerate(statement.iterators):
            bounds = loop_bounds(scop, statement, position)
            if len(bounds) == 1 and iterator in accessed and _loop(statement, position) not in sliding:
                others |= bounds  # "i < n - window" says nothing of the window
    names = [name for name in free if name in found - others]
    return dict.fromkeys(names, max(3, round(WINDOW ** (1 / max(deep, len(names)))))) if names else {}


def _sliding(scop: Scop, statement: Statement) -> frozenset[str]:
    """The iterators of a statement that move windows, if they are bounded so."""
    kept = _kept(scop, statement)
    read = _iterators(statement, [access for access in statement.reads if access.array != statement.target.array])
    alone = {(name, array) for array, names in read if len(names) == 1 for name in names}
    weighted = {name for name, _ in alone}
    windows = {
        name
        for array, names in read
        if len(names) == 2 and not names <= kept
        for name in names
        if (name, array) not in alone and (names & kept == names - {name} or names & weighted == {name})
    }
    return _neighbours(statement, kept).union(windows)


def _loop(statement: Statement, position: int) -> tuple[Affine, ...]:
    """Which loop of the text is at a position around a statement."""
    return tuple(statement.schedule[: 2 * position + 2 : 2])


def _neighbours(statement: Statement, kept: set[str]) -> frozenset[str]:
    """Iterators over what an element of the result looks up, ``x[column[i][j]]``: few for each."""
    looked_up = {n for a in statement.reads for datum in a.data for node in e.walk(datum.value) for n in _of_read(node)}
    own = frozenset(statement.iterators)
    return own & looked_up - kept if kept & looked_up else frozenset()


def _of_read(node: e.Expression) -> frozenset[str]:
    match node:
        case e.Read(access):
            return frozenset().union(*(subscript.variables() for subscript in access.subscripts))
    return frozenset()


def _kept(scop: Scop, statement: Statement) -> set[str]:
    """The statement's iterators that what it computes is stored by; of a scalar, by whatever stores it on, or what is
    computed from it."""
    stores = [statement]
    if not statement.target.subscripts:
        for store in stores:  # which grows
            names = {store.target.array} if not store.target.subscripts else set()
            readers = (s for s in scop.statements if names.intersection(read.array for read in s.reads))
            stores += [s for s in readers if s not in stores]
    return {one for s in stores for _, names in _iterators(s, [s.target]) for one in names}


def _fitting(scop: Scop, windows: dict[str, int], fixed: Mapping[str, int]) -> dict[str, int]:
    """The windows, if nothing is accessed before an array's first element because of them: a loop may begin as far from
    a window's end as others are long."""
    sizes = [with_computed(scop, {**dict.fromkeys(scop.parameters, _SOME), **fixed, **some}) for some in ({}, windows)]
    unknown = [array for array in scop.arrays if array.shape[:1] == (None,)]
    without, within = (any(is_surely_negative(scop, array, values) for array in unknown) for values in sizes)
    return {} if within and not without else windows


def _iterators(statement: Statement, accesses: Sequence[e.Access]) -> list[tuple[str, frozenset[str]]]:
    """Of every subscript, the array and the iterators of the statement that it depends on, but for those that only say
    which element of data it is; of long ones, those of the rows that a part computes, too."""
    own = frozenset(statement.iterators)
    return [
        (access.array, names & own)
        for access in accesses
        for subscript in access.subscripts
        for names in _computed_from(subscript)
    ]


def _computed_from(subscript: Affine) -> list[frozenset[str]]:
    data = e.Access("", (subscript,)).data
    looked_up = list(filter(_looked_up, data))
    whole = Affine(tuple(term for term in subscript.terms if term[0] not in looked_up)).variables()
    rows = [names for datum in data if datum not in looked_up if len(names := datum.variables()) > 1 and names < whole]
    return [whole, *rows]


def _looked_up(datum: e.Datum) -> bool:
    """Whether it comes from memory, and is not computed from iterators and parameters alone."""
    return _reads(datum.value)


def _variables(nodes: Iterable[e.Expression]) -> frozenset[str]:
    return frozenset[str]().union(*(node.value.variables() for node in nodes if isinstance(node, e.Index)))


def _ladder(
    scop: Scop, known: isl.Set, fixed: Mapping[str, int], most: float, aim: Aim
) -> tuple[dict[str, int], str] | None:
    """`fixed`, and one value for all free parameters: the largest of a ladder that is allowed and not too much; and
    what it is that would be too much."""
    steps = [round(4 * 1.1**k) for k in range(175)]  # up to 6e7

    def sizes(step: int) -> dict[str, int]:
        return with_computed(scop, {name: fixed.get(name, step) for name in scop.parameters})

    def or_larger(step: int) -> dict[str, int]:
        # Rows that are longer than what is read of them, say: not all parameters can have one value.
        alike = sizes(step)
        if is_allowed(known, alike):
            return alike
        return sizes_from(scop, step, fixed, out_of_proportion(scop, step)) or alike

    low, high = 0, len(steps)
    long = why = f"chosen for a run of about {aim.seconds * 1e3:.3g} ms"
    if most == _once_of_many(scop):
        long = why = "chosen for one of very many runs"
    while low < high:
        middle = (low + high) // 2
        if work(scop, sizes(steps[middle])) > most:
            high, why = middle, long
        elif bytes_of(scop, or_larger(steps[middle])) > aim.bytes:
            high, why = middle, f"chosen for {aim.bytes / 2**20:.3g} MiB of data"
        else:
            low = middle + 1
    rungs = [*reversed(steps[: max(low, 1)]), 3, 2, 1]
    if work(scop, sizes(rungs[0])) < work(scop, sizes(rungs[-1])):
        # Loops begin at it: the larger it is, the less there is to do.
        rungs.sort(key=lambda rung: work(scop, sizes(rung)), reverse=True)
    for rung in rungs:
        if is_allowed(known, sizes(rung)):
            return sizes(rung), why if rung == rungs[0] else "chosen as large as the code's context allows"
        if rung == rungs[0] and is_allowed(known, above := or_larger(rung)):
            return above, why
    return None
