"""Sizes and data to run a Scop on when all that is known is the Scop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, inf, prod
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import ENDLESS
from polyloop.errors import PolyloopError
from polyloop.scop.affine_isl import condition_text, fix_parameters
from polyloop.scop.model import Array, Scop, Statement
from polyloop.scop.program import Memory, Polynomial

if TYPE_CHECKING:
    from polyloop.scop.index_data import IndexData

GOAL = 0.05
"""Seconds that one run of the original loops is to take at sizes that nobody gave."""

WORK = GOAL * 1e9
"""Statement instances of such a run as long as nothing was measured: 1 ns each."""

BYTES = 1 << 25
"""Data of a measurement whose sizes nobody gave: larger than a core's own caches, and some copies of it are soon made
(of 128 MiB they took most of a search of 8 s)."""


ORDINARY_INTEGERS, ORDINARY_FLOATS = (1, 7), (0.1, 1.0)
"""What arrays are filled with: small, so that sums and products fit, and without zeros, which may be divisors."""

_HALF = (1 << 15) - 1
"""Two numbers up to here have a product that fits into 32 bits."""
_SOME = 64
"""A size at which one sees which loops run."""
_NEAR = (1, 2, 3)
"""How much larger sizes are at which loops over remainders run."""
_ONCE = _SOME / 2
"""So many times as much work is there where a loop that ran once or twice runs through."""
_WIDE = 48
"""Sizes at which loops hold some vectors, and what is behind the last whole one does not count most."""
_FEW = 4
"""A size of outer loops, as of images or sequences that are worked on at a time."""
_GROUP = 32
"""Elements of a group that has a number of its own: a scale of quantised weights, channels of one head."""
_LOW, _MIDDLE, _HIGH = 2, 4, 6
"""Thresholds for ordinary integers, which are in 1..7."""
_TABLE = 256
"""Elements of a table that data address, in each of its dimensions: bins of a histogram. Fewer, where tables would take
more than `_SHARE` of `BYTES`."""
_SHARE = 1 / 8
_WINDOW = 16
"""Elements of a window that moves over rows or planes: a filter of 16 taps, one of 4 by 4."""
_LONG_RUN = 5000
"""Integers up to here keep loops going that only data end, so that their bodies count; 0 might keep them for good."""
SWEEPS, _STRETCH = 64, 16
"""Sweeps over arrays of given extents, as time steps are, that blocks of several of them need to show what they are
worth; fewer, where a run with as many would take more than so many times as long as the one that is wanted."""
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


class SizeError(PolyloopError):
    """Sizes are missing, unknown, or outside the Scop's context."""


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
    computed = computed_parameters(scop)
    missing = [name for name in scop.parameters if name not in fixed and name not in computed]
    if not missing:
        return SizeChoice(with_computed(scop, fixed), "" if fixed else "the constants of the source")
    known = scop.known
    # Where no extent is a number, large limits are those of products that must not overflow: no sizes that are meant.
    numbers = any(x is not None and x.is_constant for a in scop.arrays if not a.local for x in a.shape)
    largest = _largest(scop, fix_parameters(scop.known, fixed))
    bounds = {name: value for name, value in largest.items() if numbers or value < _HALF}
    declared = {name: value for name, value in bounds.items() if name in missing}
    free = [name for name in missing if name not in declared]
    if not free and _allowed(known, values := with_computed(scop, fixed | declared)):
        return SizeChoice(_ordered(scop, values), "the constants of the array declarations")
    starts = _fitting(scop, _windows(scop, free), fixed | declared)
    starts |= _strides(scop, free) | _distances(scop, free) | _roles(scop, free)
    starts |= _choices(scop, [name for name in free if name not in starts], fixed | starts)
    starts |= _overhangs(scop, [name for name in free if name not in starts], fixed | declared | starts)
    starts |= first_iterations(scop, fixed | declared | starts)
    fixed, free = fixed | starts, [name for name in free if name not in starts]
    chosen = _proportioned(scop, known, free, fixed | declared, most, aim)
    if chosen is None and declared:
        declared, free = {}, missing
        chosen = _proportioned(scop, known, free, fixed, most, aim)
    if chosen is not None:
        values, why = chosen
        values, why = _with_sweeps(scop, known, free, values, most) or chosen
        values = _of_some_variables(scop, values)
        if declared:
            why = f"the constants of the array declarations; {', '.join(free)} {why}"
        return SizeChoice(values, why, aims=True)
    point = fix_parameters(known, fixed).sample_point()
    if point.is_void():
        values = with_computed(scop, fixed | dict.fromkeys(missing, 1))
        return SizeChoice(_ordered(scop, values), "nothing fits the code's context")
    coordinates = (point.get_coordinate_val(isl.dim_type.param, k) for k in range(len(scop.parameters)))
    sizes = {name: int(value.to_python()) for name, value in zip(scop.parameters, coordinates, strict=True)}
    return SizeChoice(with_computed(scop, sizes), "the only kind of sizes that the code's context allows")


def _of_some_variables(scop: Scop, sizes: dict[str, int]) -> dict[str, int]:
    """Sizes near these that values of the function's variables give: ``i % c`` of i below ``n * c * m`` has rows of
    whole numbers of ``m`` only."""
    values = dict(sizes)
    for memory in () if scop.source is None else scop.source.memory:
        unknown = _factors(memory) - values.keys()
        if memory.polynomial and not memory.divisor and memory.name in values and len(unknown) == 1:
            (name,) = unknown
            whole = [(names, factor) for names, factor in memory.polynomial if name in names]
            rest = [(names, factor) for names, factor in memory.polynomial if name not in names]
            if len(whole) == 1 and whole[0][0].count(name) == 1 and len(whole[0][0]) > 1:
                others = [one for one in whole[0][0] if one != name]
                each = whole[0][1] * prod(values[one] for one in others)
                left = values[memory.name] - sum(factor * prod(values[one] for one in names) for names, factor in rest)
                values[name] = max(1, left // each) if each > 0 else 1
    if len(values) == len(sizes):
        return sizes
    made = {memory.name for memory in scop.source.memory if memory.polynomial} if scop.source is not None else set()
    named = {name: value for name, value in values.items() if name not in made}
    found = _ordered(scop, {**sizes, **of_variables(scop, named)})
    return found if _allowed(scop.known, found) else sizes


def first_iterations(scop: Scop, fixed: Mapping[str, int]) -> dict[str, int]:
    """The parameters with which more statements run at a small size than at the value of the others, or a loop more
    than once, and that size: ``for (i = first; i < last; i++)``, windows that are as long as what they move over.
    Where several sizes do, it is the one with the most work, which further small sizes may double."""
    known, computed = scop.known, computed_parameters(scop)
    free = [name for name in scop.parameters if name not in fixed and name not in computed]
    found: dict[str, int] = {}
    points_at = _points_at(scop)

    def running(small: Mapping[str, int]) -> tuple[int, list[float]]:
        values = with_computed(scop, {name: fixed.get(name, small.get(name, _SOME)) for name in scop.parameters})
        sizes: dict[str, int] | None = values
        if not _allowed(known, values):
            # Rows that are longer than what a window leaves of them: no reason to make the window small.
            sizes = sizes_from(scop, _SOME, {**small, **fixed})
        if sizes is None:
            return 0, [0.0]
        points = points_at(sizes)
        return sum(count > 0 for count in points), points

    count, each = running(found)
    most = count, sum(each)
    runs_through = all(n >= _SOME**s.depth / _ONCE for n, s in zip(each, scop.statements, strict=False))
    if (count == len(scop.statements) and runs_through) or len(free) < (1 if fixed else 2):
        return found
    while True:
        # What was chosen last is chosen anew with the next one: of two factors both have to be small.
        before = [{**found, last: value} for last in list(found)[-1:] for value in _SMALL] or [found]
        tried = [{**other, name: value} for other in before for name in free for value in _SMALL]
        runs = [(count, sum(each), small) for small in tried for count, each in [running(small)]]
        if not found and max(run[0] for run in runs) == most[0] < len(scop.statements):
            # Windows of two dimensions: none of their loops runs if one alone is short.
            tried = [dict.fromkeys(pair, value) for pair in combinations(free, 2) for value in _SMALL]
            runs += [(count, sum(each), small) for small in tried for count, each in [running(small)]]
        count, points, small = max(runs, key=lambda run: (run[0], all(run[2].values()), run[1]))
        if count < most[0] or (count == most[0] and points < (2 if found else _ONCE) * most[1]):
            return found
        # Remainders, as of steps that buffers take turns in, want other sizes, not small ones.
        near = (running({name: _SOME + more}) for name in small for more in _NEAR) if not found else ()
        if any((run[0], sum(run[1]) * _ONCE) >= (count, points) for run in near):
            return found
        most, found = (count, points), small


def _overhangs(scop: Scop, free: Sequence[str], fixed: Mapping[str, int]) -> dict[str, int]:
    """Sizes of the parameters that say how far windows hang over edges, ``pad`` in ``0 <= i + k - pad < n``: 1, if the
    work grows more with the others then than it does with all."""

    def growth(small: Mapping[str, int]) -> float:
        sizes = (dict.fromkeys(scop.parameters, some) | {**small, **fixed} for some in (_SOME, 2 * _SOME))
        once, twice = (work(scop, with_computed(scop, values)) for values in sizes)
        return twice / once if once else 0.0

    least = growth({})
    return {name: 1 for name in free if least and growth({name: 1}) > _GROWS * least}


def _ordered(scop: Scop, values: Mapping[str, int]) -> dict[str, int]:
    return {name: values[name] for name in scop.parameters}


def _largest(scop: Scop, known: isl.Set) -> dict[str, int]:
    """The largest value of every parameter that has one, in the Scop's order; ends of types are none."""
    result = {}
    for name in scop.parameters:
        position = known.find_dim_by_name(isl.dim_type.param, name)
        value = isl.Set.from_params(known).move_dims(isl.dim_type.set, 0, isl.dim_type.param, position, 1)
        largest = value.project_out_all_params().dim_max_val(0)
        if largest.is_int() and largest.to_python() < (1 << 31) - 1:
            result[name] = int(largest.to_python())
    return result


def _proportioned(
    scop: Scop, known: isl.Set, free: Sequence[str], fixed: Mapping[str, int], most: float, aim: Aim
) -> tuple[dict[str, int], str] | None:
    """One value for the free parameters, see `_ladder`; where that is small, outer loops get few iterations."""
    chosen = _ladder(scop, known, free, fixed, most, aim)
    depth = max((statement.depth for statement in scop.statements), default=0)
    innermost = {
        name: position
        for position in range(depth)
        for statement in scop.statements
        if statement.depth == depth
        for name in _bounds(scop, statement, position) & set(free)
    }
    for name in sorted(innermost, key=lambda name: innermost[name]):
        if chosen is None or innermost[name] >= depth - 2 or chosen[0][name] >= _WIDE:
            break
        free, fixed = [other for other in free if other != name], {**fixed, name: _FEW}
        chosen = _ladder(scop, known, free, fixed, most, aim) or chosen
    return chosen


def _with_sweeps(
    scop: Scop, known: isl.Set, free: Sequence[str], sizes: dict[str, int], most: float
) -> tuple[dict[str, int], str] | None:
    """These sizes with more sweeps over the same data, if the free parameters are few such; and why so many."""
    for sweeps in range(SWEEPS, min((sizes[name] for name in free), default=SWEEPS), -1):
        more = with_computed(scop, sizes | {name: max(sweeps, sizes[name]) for name in free})
        if work(scop, more) <= _STRETCH * most and _allowed(known, more):
            same = _bytes(scop, more) == _bytes(scop, sizes)
            return (more, f"chosen for {sweeps} sweeps over the arrays") if same else None
    return None


def _strides(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of the parameters that are distances of elements only: 1 of ``s`` in ``x[i * s]``, a row of one; 3 in
    ``x[i * s + 2]``."""
    rows: dict[str, list[tuple[int, str]]] = {}
    for array in scop.arrays:
        for place, extent in enumerate(array.shape):
            for name in extent.variables() if extent is not None else ():
                rows.setdefault(name, []).append((place, array.name))
    accesses = {access for s in scop.statements for access in (s.target, *s.reads)}
    bounds, found = loop_parameters(scop), dict[str, int]()
    for name in set(free).intersection(rows).difference(bounds):
        inside = [a.subscripts[place] for place, array in rows[name] for a in accesses if a.array == array]
        if all(not subscript.variables() and not subscript.terms for subscript in inside):
            found[name] = 1 + max((subscript.constant for subscript in inside), default=0)
    return found


def _small_tables(scop: Scop, tables: Mapping[str, int]) -> dict[str, int]:
    """Extents of tables, halved until these take a small part of the memory: those of three dimensions are short."""
    small = dict(tables)
    while small and max(small.values()) > _WINDOW:
        if _bytes(scop, with_computed(scop, dict.fromkeys(scop.parameters, _SOME) | small)) <= _SHARE * BYTES:
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
    addressed = [datum.value for s in scop.statements for a in (s.target, *s.reads) for datum in a.data]
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
        if name in lengths or scop.is_endless or not any(isinstance(node, e.Read) for node in e.walk(other)):
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
        if any(isinstance(node, e.Read) for node in e.walk(one)):
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
    accesses = (statement.target, *statement.reads)
    whole = (subscript.variables() for a in accesses if a.data for subscript in a.subscripts)
    return frozenset[str]().union(*whole, *(_names(datum.value) for a in accesses for datum in a.data))


def _is_element(value: e.Expression) -> bool:
    """Whether it is an integer from an array, of whatever type."""
    while isinstance(value, e.Cast):
        value = value.operand
    return isinstance(value, e.Read) and not value.type.is_float and bool(value.access.subscripts)


def _is(node: e.Expression, *operators: str) -> TypeGuard[e.Binary]:
    return isinstance(node, e.Binary) and not node.type.is_float and node.operator in operators


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
        accesses = [a for s in scop.statements for a in (s.target, *s.reads) if a.array == array.name]
        used |= _variables(node for access in accesses for datum in access.data for node in e.walk(datum.value))
        each = [frozenset[str]().union(*(subscript.variables() for subscript in a.subscripts)) for a in accesses]
        distances |= frozenset().union(*each) - frozenset.intersection(*each) if each else frozenset()
    # No two of them alike: x[i - near] and x[i - far] are different elements.
    names = [name for name in free if name in distances - used]
    return {name: _SOME * (k + 1) for k, name in enumerate(names)}


def _choices(scop: Scop, free: Sequence[str], fixed: Mapping[str, int]) -> dict[str, int]:
    """Sizes of the parameters that are only compared with numbers: a ``switch`` around statements, options."""
    extents = shape_variables(scop)
    accesses = {access for s in scop.statements for access in (s.target, *s.reads)}
    used = frozenset[str]().union(*(subscript.variables() for access in accesses for subscript in access.subscripts))
    used |= _variables(node for s in scop.statements for node in e.walk_values(s.value))
    used |= _variables(node for access in accesses for datum in access.data for node in e.walk(datum.value))
    used |= extents.union(loop_parameters(scop))
    found: dict[str, int] = {}
    for name in (name for name in free if name not in used):
        numbers = [n for n in sorted(_compared(scop, name)) if _allowed(scop.known, {name: n})]
        if not numbers:
            continue
        others = {**dict.fromkeys(scop.parameters, _SOME), **fixed, **found}
        tried = [(work(scop, with_computed(scop, {**others, name: number})), number) for number in numbers]
        found[name] = max(tried, key=lambda entry: entry[0])[1]
    return found


def shape_variables(scop: Scop) -> frozenset[str]:
    """What the extents of arrays depend on."""
    return frozenset[str]().union(*(x.variables() for a in scop.arrays for x in a.shape if x is not None))


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


def _windows(scop: Scop, free: Sequence[str]) -> dict[str, int]:
    """Sizes of the parameters that bound windows only: loops over ``k`` in ``y[i] += w[k] * x[i + k]``, or over the
    neighbours of an element in a table of indices.

    Where both iterators of such a sum are alike (``r[i] += x[k] * x[i + k]``, products of a signal with itself),
    nothing says which one is the window.
    """
    found: set[str] = set()
    others: set[str] = set()
    deep = 1
    for statement in scop.statements:
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
        windows |= _neighbours(statement, kept)
        for position, iterator in enumerate(statement.iterators):
            bounds = _bounds(scop, statement, position)
            if iterator in windows:
                # What it is cut to where it hangs over an edge ("0 <= x + k - pad < width") is not how long it is.
                found |= _bounds(scop, statement, position, alone=True) or bounds
                deep = max(deep, len(windows.intersection(statement.iterators)))
            elif len(bounds) == 1:  # "i < n - window" says nothing of the window
                others |= bounds
    names = [name for name in free if name in found - others]
    return dict.fromkeys(names, max(3, round(_WINDOW ** (1 / max(deep, len(names)))))) if names else {}


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
    without, within = (any(_leaves(scop, array, values) for array in scop.arrays) for values in sizes)
    return {} if within and not without else windows


def _leaves(scop: Scop, array: Array, sizes: Mapping[str, int]) -> bool:
    return array.shape[:1] == (None,) and _is_surely_negative(scop, array, sizes)


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
    looked_up = [datum for datum in data if any(isinstance(node, e.Read) for node in e.walk(datum.value))]
    whole = Affine(tuple(term for term in subscript.terms if term[0] not in looked_up)).variables()
    rows = [names for datum in data if datum not in looked_up if len(names := datum.variables()) > 1 and names < whole]
    return [whole, *rows]


def _variables(nodes: Iterable[e.Expression]) -> frozenset[str]:
    return frozenset[str]().union(*(node.value.variables() for node in nodes if isinstance(node, e.Index)))


def loop_parameters(scop: Scop) -> list[str]:
    """The parameters that bound loops, but for those that the region computes from others."""
    bounds = {name for s in scop.statements for place in range(s.depth) for name in _bounds(scop, s, place)}
    return [name for name in scop.parameters if name in bounds and name not in computed_parameters(scop)]


def _bounds(scop: Scop, statement: Statement, position: int, alone: bool = False) -> set[str]:
    """The parameters that bound the statement's loop at a position, also through the loops around it; or those that do
    whatever these loops are at."""
    outer = statement.domain.project_out(isl.dim_type.set, position + 1, statement.depth - position - 1)
    rows = [row for part in outer.get_basic_sets() for row in part.get_constraints()]
    mine = [row for row in rows if row.involves_dims(isl.dim_type.set, position, 1)]
    if alone:
        mine = [row for row in mine if not row.involves_dims(isl.dim_type.set, 0, position)]
    found = {
        name
        for place, name in enumerate(scop.parameters)
        if any(row.involves_dims(isl.dim_type.param, place, 1) for row in mine)
    }
    around = [k for k in range(position) if any(row.involves_dims(isl.dim_type.set, k, 1) for row in mine)]
    return found.union(*(_bounds(scop, statement, k) for k in around))


def _ladder(
    scop: Scop, known: isl.Set, free: Sequence[str], fixed: Mapping[str, int], most: float, aim: Aim
) -> tuple[dict[str, int], str] | None:
    """`fixed`, and one value for all free parameters: the largest of a ladder that is allowed and not too much; and
    what it is that would be too much."""
    steps = [round(4 * 1.1**k) for k in range(175)]  # up to 6e7

    def sizes(step: int) -> dict[str, int]:
        return with_computed(scop, {name: fixed.get(name, step) for name in scop.parameters})

    def or_larger(step: int) -> dict[str, int]:
        # Rows that are longer than what is read of them, say: not all parameters can have one value.
        alike = sizes(step)
        return alike if _allowed(known, alike) else sizes_from(scop, step, fixed) or alike

    low, high = 0, len(steps)
    long = why = f"chosen for a run of about {aim.seconds * 1e3:.3g} ms"
    while low < high:
        middle = (low + high) // 2
        if work(scop, sizes(steps[middle])) > most:
            high, why = middle, long
        elif _bytes(scop, or_larger(steps[middle])) > aim.bytes:
            high, why = middle, f"chosen for {aim.bytes / 2**20:.3g} MiB of data"
        else:
            low = middle + 1
    rungs = [*reversed(steps[: max(low, 1)]), 3, 2, 1]
    if work(scop, sizes(rungs[0])) < work(scop, sizes(rungs[-1])):
        # Loops begin at it: the larger it is, the less there is to do.
        rungs.sort(key=lambda rung: work(scop, sizes(rung)), reverse=True)
    for rung in rungs:
        if _allowed(known, sizes(rung)):
            return sizes(rung), why if rung == rungs[0] else "chosen as large as the code's context allows"
        if rung == rungs[0] and _allowed(known, above := or_larger(rung)):
            return above, why
    return None


def sizes_from(scop: Scop, least: int, fixed: Mapping[str, int]) -> dict[str, int] | None:
    """The smallest values that the Scop is written for, none below `least` but those that are fixed, where the smallest
    of all are not out of proportion; None if there are no such."""
    known = isl.Set.from_params(fix_parameters(scop.known, fixed))
    box = known.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, len(scop.parameters))
    for place, name in enumerate(scop.parameters):
        if name not in fixed:
            box = box.lower_bound_val(isl.dim_type.set, place, least)
            box = box.upper_bound_val(isl.dim_type.set, place, 4 * least)
    if box.is_empty():
        return None
    point = box.lexmin().sample_point()
    values = (point.get_coordinate_val(isl.dim_type.set, k) for k in range(len(scop.parameters)))
    found = {name: int(value.to_python()) for name, value in zip(scop.parameters, values, strict=True)}
    sizes = {**with_computed(scop, found), **fixed}
    return sizes if sizes == found or _allowed(scop.known, sizes) else None


def computed_parameters(scop: Scop) -> dict[str, Memory]:
    """The parameters that the region, or what stands before it, computes from others: ``rows * columns``."""
    source, names = scop.source, set(scop.parameters)
    memory = (
        () if source is None else (*(Memory(n, _sum_text(p), polynomial=p) for n, p in source.known), *source.memory)
    )
    computed = [m for m in memory if m.name in names and m.polynomial and m.divisor in ("", *names)]
    return {m.name: m for m in computed if names.issuperset(name for product, _ in m.polynomial for name in product)}


def _sum_text(polynomial: Polynomial) -> str:
    return " + ".join(" * ".join((str(factor), *names)) for names, factor in polynomial)


def with_computed(scop: Scop, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes with the values of all parameters that the region computes from others."""
    values = dict(sizes)
    for name, memory in computed_parameters(scop).items():  # in the order in which they are computed
        values[name] = _computed(memory, values)
    return values


def _computed(memory: Memory, values: Mapping[str, int]) -> int:
    value = sum(factor * prod(values[one] for one in names) for names, factor in memory.polynomial)
    by = memory.multiple * (values[memory.divisor] if memory.divisor else 1)
    return 0 if by <= 0 else value // by if value >= 0 else -(-value // by)


def work(scop: Scop, sizes: Mapping[str, int]) -> float:
    """Statement instances, counted as the boxes around the domains."""
    return sum(instances(scop, s, sizes) for s in scop.statements)


def instances(scop: Scop, statement: Statement, sizes: Mapping[str, int]) -> float:
    """Points in the box around a statement's domain, with some for a loop that only data end."""
    return _box(fix_parameters(statement.domain, sizes), statement.depth)


def _points_at(scop: Scop) -> Callable[[Mapping[str, int]], list[float]]:
    """The instances of every statement at some sizes: most statements run as often as others do, at sizes of a few
    parameters, and are counted once."""
    domains: list[tuple[isl.Set, int, tuple[str, ...]]] = []
    numbers: list[int] = []
    for statement in scop.statements:
        domain = statement.domain.reset_tuple_id()
        same = (k for k, (other, _, _) in enumerate(domains) if other.plain_is_equal(domain))
        number = next(same, len(domains))
        if number == len(domains):
            kind = isl.dim_type.param
            asked = (k for k in range(domain.dim(kind)) if domain.involves_dims(kind, k, 1))
            names = tuple(str(domain.get_dim_name(kind, k)) for k in asked)
            domains.append((domain, statement.depth, names))
        numbers.append(number)
    counted: dict[tuple[int, tuple[int, ...]], float] = {}

    def count(number: int, sizes: Mapping[str, int]) -> float:
        domain, depth, names = domains[number]
        key = number, tuple(sizes[name] for name in names)
        if key not in counted:
            counted[key] = _box(fix_parameters(domain, sizes), depth)
        return counted[key]

    return lambda sizes: [count(number, sizes) for number in numbers]


def _box(domain: isl.Set, depth: int) -> float:
    if domain.is_empty():
        return 0.0
    extents = (domain.dim_max_val(k).sub(domain.dim_min_val(k)).to_python() + 1 for k in range(depth))
    return float(prod(_WINDOW if extent >= ENDLESS else extent for extent in extents))


def _bytes(scop: Scop, sizes: Mapping[str, int]) -> float:
    """Size of all arrays; of those that no data can be made for it does not matter."""
    total = 0.0
    for array in scop.arrays:
        with contextlib.suppress(SizeError):
            total += float(prod(shape_of(scop, array, sizes))) * array.type.bytes
    return total


def of_variables(scop: Scop, given: Mapping[str, int]) -> dict[str, int]:
    """What is given of parameters, and those that follow from what is given of other variables of the function: ``n``
    and ``c`` say how many rows ``x[i % c]`` has."""
    values = dict(given)
    for memory in () if scop.source is None else scop.source.memory:
        if memory.polynomial and memory.name not in given and _factors(memory) <= values.keys():
            values[memory.name] = _computed(memory, values)
    others = variables_of_sizes(scop).difference(scop.parameters)
    return {name: value for name, value in values.items() if name not in others}


def variables_of_sizes(scop: Scop) -> set[str]:
    """The names of parameters, and of variables of the function that some of these are computed from."""
    return {*scop.parameters}.union(*map(_factors, () if scop.source is None else scop.source.memory))


def _factors(memory: Memory) -> set[str]:
    return {name for names, _ in memory.polynomial for name in names} | {*filter(None, (memory.divisor,))}


def sizes_as_given(scop: Scop, sizes: Mapping[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """The sizes with those that somebody has given.

    Raises:
        SizeError: see `checked_sizes`; and where something else was given than the region computes.
    """
    values = checked_sizes(scop, {**sizes, **given})
    for name, value in given.items():
        if values[name] != value:
            memory = () if scop.source is None else scop.source.memory
            texts = {m.name: m.text for m in (*memory, *computed_parameters(scop).values())}
            is_made = f"the code computes {texts[name]}, which is {values[name]} here"
            raise SizeError(f"{name}={value} in {scop.name}: {is_made}; give sizes of what it is computed from")
    return values


def checked_sizes(scop: Scop, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes in the Scop's order of parameters; those that the region computes from others need not be given, and
    are what it computes.

    Raises:
        SizeError: for a missing parameter, an unknown name, or values outside context and assumptions.
    """
    unknown = sorted(set(sizes) - set(scop.parameters))
    computed = computed_parameters(scop)
    missing = [name for name in scop.parameters if name not in sizes and name not in computed]
    if unknown or missing:
        names = ", ".join(scop.parameters) or "none"
        what = f"no size for {', '.join(missing)}" if missing else f"no parameter {', '.join(unknown)}"
        raise SizeError(f"{what} in {scop.name}: its parameters are {names}")
    fractional = [name for name, value in sizes.items() if not isinstance(value, Integral)]
    if fractional:
        raise SizeError(f"{fractional[0]}={sizes[fractional[0]]!r} in {scop.name}: sizes are whole numbers")
    vast = [name for name, value in sizes.items() if not -(2**63) <= value < 2**63]
    if vast:
        raise SizeError(f"{vast[0]}={sizes[vast[0]]} in {scop.name}: sizes have 64 bits at most")
    ordered = _ordered(scop, with_computed(scop, {name: int(value) for name, value in sizes.items()}))
    if not _allowed(scop.known, ordered):
        given = ", ".join(f"{k}={v}" for k, v in ordered.items())
        written_for = condition_text(scop.known)
        raise SizeError(f"{given}: outside what {scop.name} is written for: {written_for}")
    return _of_some_variables(scop, ordered)


def _allowed(known: isl.Set, sizes: Mapping[str, int]) -> bool:
    return not fix_parameters(known, sizes).is_empty()


def shape_of(scop: Scop, array: Array, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Extents at given sizes; an unknown first extent is as large as the accesses need, those in front of what a
    pointer points at included."""
    extents = [0 if extent is None else extent.evaluate(sizes) for extent in array.shape]
    if array.shape and array.shape[0] is None:
        first, behind = _accessed_rows(scop, array, sizes)
        extents[0] = behind - first
    if min(extents, default=0) < 0:
        given = ", ".join(f"{name}={value}" for name, value in sizes.items())
        raise SizeError(f"{given}: {array.name} would have the extents {', '.join(map(str, extents))}")
    return tuple(extents)


def origin_of(scop: Scop, array: Array, sizes: Mapping[str, int]) -> int:
    """The row of its data that an array's pointer points at: ``x[i - k]`` reads rows in front of it, where a signal has
    its history and an image its border."""
    return -_accessed_rows(scop, array, sizes)[0] if array.shape[:1] == (None,) else 0


def _accessed_rows(scop: Scop, array: Array, sizes: Mapping[str, int]) -> tuple[int, int]:
    """The first row that is accessed, if it is in front of row 0, else 0; and the one behind the last."""
    by_data = _index_data(scop, sizes) if _is_indirect(scop) else None
    if by_data is not None and array.name in (extents := dict(by_data.extents)):
        return -dict(by_data.origins).get(array.name, 0), extents[array.name]
    touched = scop.reads_map.union(scop.writes_map).range()
    dims = ", ".join(f"d{k}" for k in range(len(array.shape)))
    space = isl.Set(f"[{', '.join(scop.parameters)}] -> {{ {array.name}[{dims}] }}").get_space()
    mine = fix_parameters(touched.extract_set(space), sizes)
    if mine.is_empty():
        return 0, 1
    first, last = (int(end.to_python()) for end in (mine.dim_min_val(0), mine.dim_max_val(0)))
    in_front = first < 0 and (last < 0 or _is_surely_negative(scop, array, sizes))
    if array.first_column != Affine():
        # Columns in front of the first one lie in the row before.
        first, in_front = first - 1, True
    return min(first, 0) if in_front else 0, max(last, 0) + 1  # an array without elements has no address


def _is_surely_negative(scop: Scop, array: Array, sizes: Mapping[str, int]) -> bool:
    """Whether C accesses an element before the first one whatever it chooses: ``i ? a[i - 1] : 0`` does not."""
    for statement in scop.statements:
        for access in statement.certain:
            if access.array == array.name:
                touched = fix_parameters(scop.access_map(statement, access).range(), sizes)
                if not touched.is_empty() and touched.dim_min_val(0).is_neg():
                    return True
    return False


def _is_indirect(scop: Scop) -> bool:
    """Whether subscripts come from data."""
    return any(access.data for s in scop.statements for access in (s.target, *s.reads))


def _index_data(scop: Scop, sizes: Mapping[str, int]) -> IndexData:
    from polyloop.scop.index_data import IndexDataError, index_data  # of such Scops only

    try:
        return index_data(scop, sizes)
    except IndexDataError as error:
        raise SizeError(str(error)) from error


Kind: TypeAlias = Literal["ordinary", "negative", "signed", "extreme"]
"""Of values. Ordinary ones are for timing, and nothing happens to them on the way; the others are for checks:

negative: floats are the ordinary ones negated, so that sums do not cancel; integers are signed.
signed: numbers around zero, many of them zeros (of floats, of both signs), many equal.
extreme: signed floats, among them infinities, NaNs, the largest and the smallest ones, subnormal ones; of integers,
    anything that the type holds, its ends above all.
"""


@dataclass(frozen=True)
class Fill:
    """Name, type, shape, seed and kind of an array: enough to make it again in another process.

    `limits`: the smallest and the largest number that it may hold, whatever its kind: subscripts come from it.
    `rising`: its numbers are in order.
    `origin`: the row that is row 0 for the code (`origin_of`).
    `scale`: what ordinary floats are multiplied by, at most 1.
    `range`: between which ordinary numbers lie instead, if no limits say so.
    """

    name: str
    type: e.ScalarType
    shape: tuple[int, ...]
    seed: int
    kind: Kind = "ordinary"
    limits: tuple[int, int] | None = None
    rising: bool = False
    origin: int = 0
    scale: float = 1.0
    range: tuple[float, float] | None = None

    @property
    def diagonal(self) -> int:
        """What is added on the diagonal: square matrices get their extent, so that factorisations stay finite."""
        return self.shape[-1] if len(self.shape) >= 2 and self.shape[-1] == self.shape[-2] else 0


def fills(
    scop: Scop,
    sizes: Mapping[str, int],
    seed: int = 0,
    floats: Kind = "ordinary",
    integers: Kind = "ordinary",
    scale: float = 1.0,
) -> tuple[Fill, ...]:
    """How to fill every non-local array of the Scop (0-d for scalars) at given sizes."""
    visible = [a for a in scop.arrays if not a.local]
    indices = _index_data(scop, sizes) if _is_indirect(scop) else None
    limits = {a.name: (1, _LONG_RUN) for a in visible if not a.type.is_float and a.type.bits > 8 and scop.is_endless}
    limits |= dict(indices.limits) if indices is not None else {}
    kinds: dict[str, Kind] = dict.fromkeys(indices.sources, "ordinary") if indices is not None else {}
    return tuple(
        Fill(
            a.name,
            a.type,
            shape_of(scop, a, sizes),
            seed + k,
            kinds.get(a.name, floats if a.type.is_float else integers),
            limits.get(a.name),
            indices is not None and a.name in indices.rising,
            origin_of(scop, a, sizes),
            scale,
        )
        for k, a in enumerate(visible)
    )


def make_data(scop: Scop, sizes: Mapping[str, int], seed: int = 0) -> dict[str, NDArray[np.generic]]:
    """All arrays of the Scop, C-contiguous, filled with ordinary numbers; see `fill`. Where code reads in front of what
    a pointer points at, the array is a view from that row on."""
    return {f.name: from_origin(f, fill(f)) for f in fills(scop, sizes, seed)}


def from_origin(spec: Fill, array: NDArray[np.generic]) -> NDArray[np.generic]:
    """What a pointer to the array's origin is of the whole array."""
    return array[spec.origin :] if spec.origin else array


def fill(spec: Fill) -> NDArray[np.generic]:
    """The array. Ordinary floats lie in [0.1, 1) * `Fill.scale`, integers in 1..7, if `Fill.range` does not say
    otherwise; see `Fill.diagonal`, and `Kind` for the others."""
    rng = np.random.default_rng(spec.seed)
    if not spec.type.is_float:
        return _integers(spec, rng)
    values = np.asarray(_floats(spec, rng), dtype=e.dtype_of(spec.type))
    if spec.diagonal:
        diagonal = np.arange(spec.diagonal)
        values[..., diagonal, diagonal] += -spec.diagonal if spec.kind == "negative" else spec.diagonal
    if spec.kind == "extreme" and spec.shape:
        _sprinkle(values, rng)
    return values


def _floats(spec: Fill, rng: np.random.Generator) -> NDArray[np.float64]:
    if spec.kind == "ordinary" and spec.range is not None and spec.shape:
        return np.asarray(rng.uniform(*spec.range, size=spec.shape))
    if spec.kind in ("ordinary", "negative") or not spec.shape:
        # A scalar stays away from zero: as a factor it would hide all others.
        factor = spec.scale if spec.kind in ("ordinary", "signed") else -spec.scale
        return factor * np.asarray(rng.uniform(*ORDINARY_FLOATS, size=spec.shape))
    values, which = rng.uniform(-1.0, 1.0, size=spec.shape), rng.random(spec.shape)
    values = np.where(which < 0.3, np.rint(4 * values) / 4, values)  # ties; rint keeps the sign of a zero
    return np.where(which > 0.95, np.copysign(0.0, values), values)


def _sprinkle(values: NDArray[Any], rng: np.random.Generator) -> None:
    """Put some numbers at the ends of what the type holds among the others: few in a matrix, for what is computed from
    a NaN is one, and would hide how the rest is computed."""
    limits = np.finfo(values.dtype)
    ends = [np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal]
    count = ceil(values.size / 8 if values.ndim == 1 else values.size**0.5 / 4)
    places = rng.integers(values.size, size=count)
    signs = rng.choice([-1, 1], size=count)
    values.reshape(-1)[places] = np.resize(np.array(ends, values.dtype), count) * signs


def _integers(spec: Fill, rng: np.random.Generator) -> NDArray[np.generic]:
    # Drawn in their own type: as numpy's default one, bytes would take eight times the memory on the way.
    dtype = e.dtype_of(spec.type).type
    low, high = value_range(spec)
    values = rng.integers(int(low), int(high), size=spec.shape, dtype=dtype, endpoint=True)
    if spec.kind == "extreme":
        ends = rng.choice(np.array([low, high, 0, 1, max(low, -1)], dtype), size=spec.shape)
        values = np.where(rng.random(spec.shape) < 0.5, ends, values)
    return np.sort(np.asarray(values), axis=None).reshape(spec.shape) if spec.rising else np.asarray(values)


def value_range(spec: Fill) -> tuple[float, float]:
    """The smallest and the largest value that an array may be filled with; of floats, infinities stand for NaN, too."""
    if spec.limits is not None:
        return spec.limits
    if spec.type.is_float:
        largest = 1.0 + spec.diagonal
        floats: dict[Kind, tuple[float, float]]
        floats = {"ordinary": spec.range or (0.0, largest), "negative": (-largest, 0.0), "signed": (-1.0, largest)}
        return floats.get(spec.kind, (-inf, inf))
    if spec.kind == "extreme":
        half = 1 << (spec.type.bits - 1)
        return (-half, half - 1) if spec.type.kind == "int" else (0, 2 * half - 1)
    if spec.kind == "ordinary" and spec.range is not None:
        return spec.range
    return ORDINARY_INTEGERS if spec.kind == "ordinary" else (-7 if spec.type.kind == "int" else 0, 7)


CACHE_LINE = 64
"""Bytes."""


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that begins at a cache line, as large arrays of careful programs do. Elsewhere every vector would cross
    two lines, and how fast code is would depend on where its data happens to lie."""
    room = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    np.copyto(copy, array)
    return copy
