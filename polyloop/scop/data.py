"""Sizes and data to run a Scop on: values of its parameters, what follows from them, and arrays as large as that."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf, prod
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.loop_nest import ENDLESS
from polyloop.backend.ir.polynomials import Polynomial, evaluate, text, variables
from polyloop.errors import PolyloopError
from polyloop.scop.affine_isl import condition_text, fix_parameters, parameters_of
from polyloop.scop.model import Array, Scop, Statement
from polyloop.scop.program import Memory

if TYPE_CHECKING:
    from polyloop.scop.index_data import IndexData

# --- Sizes ------------------------------------------------------------------------------------------------------------

WINDOW = 16
"""Elements of a window that moves over rows or planes: a filter of 16 taps, one of 4 by 4."""
SWEEPS = 64
"""Sweeps over arrays, as time steps are, that blocks of several of them need to show what they are worth."""


class SizeError(PolyloopError):
    """Sizes are missing, unknown, or outside the Scop's context."""


def of_some_variables(scop: Scop, sizes: dict[str, int]) -> dict[str, int]:
    """Sizes near these that values of the function's variables give: ``i % c`` of i below ``n * c * m`` has rows of
    whole numbers of ``m`` only."""
    values = dict(sizes)
    for memory in () if scop.source is None else scop.source.memory:
        unknown = _factors(memory) - values.keys()
        if memory.polynomial and memory.name in values and len(unknown) == 1:
            (name,) = unknown
            whole = [(names, factor) for names, factor in memory.polynomial if name in names]
            rest = [(names, factor) for names, factor in memory.polynomial if name not in names]
            said = sum(factor * prod(values[one] for one in names) for names, factor in rest)
            least = 1
            if memory.divisor == name:  # the step of a loop: (255 + step) / step
                if any(names != (name,) for names, _ in whole):
                    continue
                each, left = memory.multiple * values[memory.name] - sum(factor for _, factor in whole), said
                least = 1 if each > 0 else left + 1
            else:
                if len(whole) != 1 or whole[0][0].count(name) != 1 or (len(whole[0][0]) == 1 and not memory.divisor):
                    continue
                others = [one for one in whole[0][0] if one != name]
                each = whole[0][1] * prod(values[one] for one in others)
                by = memory.multiple * values[memory.divisor] if memory.divisor else 1
                # Of what a quotient leaves open the largest: whole blocks.
                left = values[memory.name] * by + max(by - 1, 0) - said
            values[name] = max(1, left // each) if each > 0 else least
    if len(values) == len(sizes):
        return sizes
    made = {memory.name for memory in scop.source.memory if memory.polynomial} if scop.source is not None else set()
    named = {name: value for name, value in values.items() if name not in made}
    found = in_order(scop, {**sizes, **of_variables(scop, named)})
    return found if is_allowed(scop.known, found) else sizes


def in_order(scop: Scop, values: Mapping[str, int]) -> dict[str, int]:
    return {name: values[name] for name in scop.parameters}


def shape_variables(scop: Scop) -> frozenset[str]:
    """What the extents of arrays depend on."""
    extents = frozenset[str]().union(*(x.variables() for a in scop.arrays for x in a.shape if x is not None))
    return extents.union(*(variables(a.strides or ()) for a in scop.arrays))


def loop_parameters(scop: Scop) -> list[str]:
    """The parameters that bound loops, but for those that the region computes from others."""
    bounds = {name for s in scop.statements for place in range(s.depth) for name in loop_bounds(scop, s, place)}
    return [name for name in scop.parameters if name in bounds and name not in computed_parameters(scop)]


def loop_bounds(scop: Scop, statement: Statement, position: int, alone: bool = False) -> set[str]:
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
    return found.union(*(loop_bounds(scop, statement, k) for k in around))


def loop_starts(scop: Scop) -> dict[str, Affine]:
    """By the parameter that loops end at, the parameters that all of these begin at: only how far apart both are says
    how long they are, ``for (k = row[i]; k < row[i + 1]; k++)``."""
    found: dict[str, set[Affine]] = {}
    for statement in scop.statements:
        for place in range(statement.depth):
            outer = statement.domain.project_out(isl.dim_type.set, place + 1, statement.depth - place - 1)
            for part in outer.get_basic_sets():
                rows = [row for row in part.get_constraints() if row.involves_dims(isl.dim_type.set, place, 1)]
                rows = [row for row in rows if not row.involves_dims(isl.dim_type.set, 0, place)]
                starts = {-_of_parameters(scop, row) for row in rows if _coefficient(row, isl.dim_type.set, place) > 0}
                ends = [_of_parameters(scop, row) for row in rows if _coefficient(row, isl.dim_type.set, place) < 0]
                for (name, factor), *others in (end.terms for end in ends if end.terms):
                    if factor == 1 and not others and isinstance(name, str):
                        found.setdefault(name, set()).update(starts or {affine(0)})
    single = {name: next(iter(starts)) for name, starts in found.items() if len(starts) == 1}
    return {name: start for name, start in single.items() if start.variables() and name not in start.variables()}


def _coefficient(row: isl.Constraint, kind: isl.dim_type, place: int) -> int:
    return int(row.get_coefficient_val(kind, place).to_python())


def _of_parameters(scop: Scop, row: isl.Constraint) -> Affine:
    """What a constraint says of parameters."""
    factors = ((name, _coefficient(row, isl.dim_type.param, k)) for k, name in enumerate(scop.parameters))
    return sum((affine(name) * factor for name, factor in factors if factor), affine(0))


def computed_parameters(scop: Scop) -> dict[str, Memory]:
    """The parameters that the region, or what stands before it, computes from others, ``rows * columns``: in the order
    of computation."""
    source, names = scop.source, set(scop.parameters)
    if source is None:
        return {}
    memory = (*(Memory(n, text(p), polynomial=p) for n, p in source.known), *source.computed, *source.memory)
    computed = {m.name: m for m in memory if m.name in names and m.polynomial and m.divisor in ("", *names)}
    needed = {name: variables((m.polynomial,)) | {*filter(None, (m.divisor,))} for name, m in computed.items()}
    found: dict[str, Memory] = {}
    while ready := [n for n in computed if n not in found and needed[n] <= names - computed.keys() | found.keys()]:
        found |= {name: computed[name] for name in ready}
    return found


def not_given(scop: Scop, given: Mapping[str, int]) -> list[str]:
    """The parameters that nobody gave, and that the region does not compute from others either."""
    computed = computed_parameters(scop)
    return [name for name in scop.parameters if name not in given and name not in computed]


def with_computed(scop: Scop, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes with the values of all parameters that the region computes from others."""
    values = dict(sizes)
    for name, memory in computed_parameters(scop).items():  # in the order in which they are computed
        values[name] = _computed(memory, values)
    return values


def _computed(memory: Memory, values: Mapping[str, int]) -> int:
    value = evaluate(memory.polynomial, values)
    by = memory.multiple * (values[memory.divisor] if memory.divisor else 1)
    return 0 if by <= 0 else value // by if value >= 0 else -(-value // by)


def work(scop: Scop, sizes: Mapping[str, int]) -> float:
    """Statement instances, counted as the boxes around the domains."""
    return sum(instances(s, sizes) for s in scop.statements)


def instances(statement: Statement, sizes: Mapping[str, int]) -> float:
    """Points in the box around a statement's domain, with some for a loop that only data end."""
    return _box(fix_parameters(statement.domain, sizes), statement.depth)


def points_at(scop: Scop) -> Callable[[Mapping[str, int]], list[float]]:
    """The instances of every statement at some sizes: most statements run as often as others do, at sizes of a few
    parameters, and are counted once."""
    domains: list[tuple[isl.Set, int, tuple[str, ...]]] = []
    numbers: list[int] = []
    for statement in scop.statements:
        domain = statement.domain.reset_tuple_id()
        same = (k for k, (other, _, _) in enumerate(domains) if other.plain_is_equal(domain))
        number = next(same, len(domains))
        if number == len(domains):
            domains.append((domain, statement.depth, parameters_of(domain)))
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
    return float(prod(WINDOW if extent >= ENDLESS else extent for extent in extents))


def bytes_of(scop: Scop, sizes: Mapping[str, int]) -> float:
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


def with_usual(scop: Scop, sizes: Mapping[str, int], given: Collection[str]) -> dict[str, int]:
    """The sizes with those that follow from others and from what variables of the function are worth in the file: how
    often ``for (i = 0; i < n; i += length)`` runs.

    Args:
        given: those that stay as they are.
    """
    values, source = dict(sizes), scop.source
    for memory in () if source is None else source.memory:
        known = {**dict(source.usual if source is not None else ()), **values}
        follows = memory.polynomial and memory.name in values and memory.name not in given
        if follows and _factors(memory) <= known.keys():
            values[memory.name] = _computed(memory, known)
    return values if is_allowed(scop.known, values) else dict(sizes)


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
    missing = not_given(scop, sizes)
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
    ordered = in_order(scop, with_computed(scop, {name: int(value) for name, value in sizes.items()}))
    if not is_allowed(scop.known, ordered):
        given = ", ".join(f"{k}={v}" for k, v in ordered.items())
        written_for = condition_text(scop.known)
        raise SizeError(f"{given}: outside what {scop.name} is written for: {written_for}")
    return of_some_variables(scop, ordered)


def is_allowed(known: isl.Set, sizes: Mapping[str, int]) -> bool:
    return not fix_parameters(known, sizes).is_empty()


def points_in(known: isl.Set) -> Callable[[Mapping[str, int]], bool]:
    """Whether values of all parameters are allowed, for many of them: a function is evaluated, and no set is made."""
    inside = isl.PwAff.from_aff(isl.Aff.zero_on_domain(isl.LocalSpace.from_space(known.get_space())))
    inside = inside.intersect_params(known)
    origin = isl.Point.zero(known.get_space())
    names = [str(known.get_dim_name(isl.dim_type.param, k)) for k in range(known.dim(isl.dim_type.param))]

    def is_inside(sizes: Mapping[str, int]) -> bool:
        point = origin
        for place, name in enumerate(names):
            point = point.set_coordinate_val(isl.dim_type.param, place, isl.Val(sizes[name]))
        return not inside.eval(point).is_nan()

    return is_inside


def sizes_from(scop: Scop, least: int, fixed: Mapping[str, int], most: int | None = None) -> dict[str, int] | None:
    """The smallest values that the Scop is written for, none below `least`, nor above `most`, but those that are fixed;
    None if there are no such. What neither loops nor extents ask for, as ``at`` in ``x[i - at]``, may be smaller where
    it has to be."""
    known = isl.Set.from_params(fix_parameters(scop.known, fixed))
    whole = known.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, len(scop.parameters))

    def between(offsets: Collection[str]) -> isl.Set:
        box = whole
        for place, name in enumerate(scop.parameters):
            if name not in fixed:
                box = box.lower_bound_val(isl.dim_type.set, place, 0 if name in offsets else least)
                if most is not None:
                    box = box.upper_bound_val(isl.dim_type.set, place, most)
        return box

    box = between(())
    if box.is_empty():
        box = between(set(scop.parameters).difference(loop_parameters(scop), shape_variables(scop)))
    if box.is_empty():
        return None
    point = box.lexmin().sample_point()
    values = (point.get_coordinate_val(isl.dim_type.set, k) for k in range(len(scop.parameters)))
    found = {name: int(value.to_python()) for name, value in zip(scop.parameters, values, strict=True)}
    sizes = {**with_computed(scop, found), **fixed}
    return sizes if sizes == found or is_allowed(scop.known, sizes) else None


def shape_of(scop: Scop, array: Array, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Extents at given sizes; an unknown first extent is as large as the accesses need, those in front of what a
    pointer points at included."""
    extents = [0 if extent is None else extent.evaluate(sizes) for extent in array.memory]
    if array.memory and array.memory[0] is None:
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
    by_data = subscript_data(scop, sizes) if is_indirect(scop) else None
    if by_data is not None and array.name in (extents := dict(by_data.extents)):
        return -dict(by_data.origins).get(array.name, 0), extents[array.name]
    return _named_rows(scop, array, tuple(sizes.items()))


@lru_cache(1024)  # every run of a check asks for the same ones
def _named_rows(scop: Scop, array: Array, given: tuple[tuple[str, int], ...]) -> tuple[int, int]:
    """The same of an array whose rows no data choose."""
    sizes = dict(given)
    touched = scop.reads_map.union(scop.writes_map).range()
    dims = ", ".join(f"d{k}" for k in range(len(array.shape)))
    space = isl.Set(f"[{', '.join(scop.parameters)}] -> {{ {array.name}[{dims}] }}").get_space()
    mine = fix_parameters(touched.extract_set(space), sizes)
    if mine.is_empty():
        return 0, 1
    if array.strides is not None:
        return _elements_between(array.strides, mine, sizes)
    first, last = (int(end.to_python()) for end in (mine.dim_min_val(0), mine.dim_max_val(0)))
    in_front = first < 0 and (last < 0 or is_surely_negative(scop, array, sizes))
    if array.first_column != Affine():
        # Columns in front of the first one lie in the row before.
        first, in_front = first - 1, True
    return min(first, 0) if in_front else 0, max(last, 0) + 1  # an array without elements has no address


def _elements_between(strides: Sequence[Polynomial], touched: isl.Set, sizes: Mapping[str, int]) -> tuple[int, int]:
    """The first element that is named, if it is in front of element 0, else 0; and the one behind the last."""
    low = high = 0
    for place, stride in enumerate(strides):
        ends = [int(end.to_python()) for end in (touched.dim_min_val(place), touched.dim_max_val(place))]
        least, most = sorted(evaluate(stride, sizes) * end for end in ends)
        low, high = low + least, high + most
    return min(low, 0), max(high, 0) + 1


def is_surely_negative(scop: Scop, array: Array, sizes: Mapping[str, int]) -> bool:
    """Whether C accesses an element before the first one whatever it chooses: ``i ? a[i - 1] : 0`` does not."""
    for statement in scop.statements:
        for access in statement.certain:
            if access.array == array.name:
                touched = fix_parameters(scop.access_map(statement, access).range(), sizes)
                if not touched.is_empty() and touched.dim_min_val(0).is_neg():
                    return True
    return False


def is_indirect(scop: Scop) -> bool:
    """Whether subscripts come from data."""
    return any(access.data for s in scop.statements for access in s.accesses)


def subscript_data(scop: Scop, sizes: Mapping[str, int]) -> IndexData:
    from polyloop.scop.index_data import IndexDataError, index_data  # of such Scops only

    try:
        return index_data(scop, sizes, ORDINARY_FLOATS)
    except IndexDataError as error:
        raise SizeError(str(error)) from error


# --- Data -------------------------------------------------------------------------------------------------------------

ORDINARY_INTEGERS, ORDINARY_FLOATS = (1, 7), (0.1, 1.0)
"""What arrays are filled with: small, so that sums and products fit, and without zeros, which may be divisors."""
_LONG_RUN = 5000
"""Integers up to here keep loops going that only data end, so that their bodies count; 0 might keep them for good."""


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
    `smooth`: ordinary numbers vary slowly from element to element, if no limits say which they are.
    `values`: what it holds instead of all that, in the order of memory.
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
    values: tuple[e.Literal, ...] | None = None
    smooth: bool = False

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
    indices = subscript_data(scop, sizes) if is_indirect(scop) else None
    limits = {a.name: (1, _LONG_RUN) for a in visible if not a.type.is_float and a.type.bits > 8 and scop.is_endless}
    limits |= dict(indices.limits) if indices is not None else {}
    ranges = dict(indices.ranges) if indices is not None else {}
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
            ranges.get(a.name),
            values=a.values,
        )
        for k, a in enumerate(visible)
    )


def make_data(scop: Scop, sizes: Mapping[str, int], seed: int = 0) -> dict[str, NDArray[np.generic]]:
    """All arrays of the Scop, C-contiguous, filled with ordinary numbers; see `fill`. Where code reads in front of what
    a pointer points at, the array is a view from that row on."""
    return {f.name: from_origin(f, fill(f)) for f in fills(scop, sizes, seed)}


def ask_for_memory(data: Collection[Fill], copies: int) -> None:
    """To be called before data are made in a process that nothing limits: the system gives memory that there is not,
    and ends who uses it.

    Raises:
        MemoryError: if so many copies of all arrays together take more than is free.
    """
    needed = copies * sum(prod(each.shape) * each.type.bytes for each in data)
    free = _free_memory() if needed > _SMALL else inf
    if needed > free:
        largest = max(data, key=lambda each: prod(each.shape) * each.type.bytes)
        raise MemoryError(
            f"the data take {needed / 1e9:.3g} GB, with the copies that are compared, and {free / 1e9:.3g} are free; "
            f"{largest.name} alone has {' x '.join(map(str, largest.shape))} elements: choose smaller sizes"
        )


_SMALL = 64 << 20


def _free_memory() -> float:
    """Bytes that the system has left, as far as it says so."""
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo", encoding="ascii") as lines:
        return 1024.0 * next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), inf)
    return inf


def from_origin(spec: Fill, array: NDArray[np.generic]) -> NDArray[np.generic]:
    """What a pointer to the array's origin is of the whole array."""
    return array[spec.origin :] if spec.origin else array


def fill(spec: Fill) -> NDArray[np.generic]:
    """The array. Ordinary floats lie in [0.1, 1) * `Fill.scale`, integers in 1..7, if `Fill.range` does not say
    otherwise; see `Fill.diagonal`, and `Kind` for the others."""
    if spec.values is not None:
        known = np.array([literal.value for literal in spec.values], dtype=e.dtype_of(spec.type))
        return np.resize(known, spec.shape)  # sizes may be such that C would leave the table
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
    if spec.smooth and spec.shape:
        low, high = spec.range or (0.0, spec.scale * ORDINARY_FLOATS[1])
        return _smooth(low, high, spec.shape, rng)
    if spec.kind == "ordinary" and spec.range is not None:
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


_RUN = 32
"""So many elements in a row are alike where there are two kinds, and on one line where numbers are smooth: cells are
walls, and pixels masked, beside others that are, and water is deep beside deep water. Branches on them are predicted,
as they are in programs."""


_QUIET = 4
"""So many runs in a row there is nothing, or something."""


def _smooth(low: float, high: float, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Numbers on lines between ends that are drawn, in the order of memory; half of them are the smallest one, as where
    there is nothing, at the same places in arrays of one length."""
    count = prod(shape)
    ends = rng.uniform(low, high, size=ceil(count / _RUN) + 1)
    drawn = np.random.default_rng(count).random(ends.size // _QUIET + 1)
    ends[drawn.repeat(_QUIET)[: ends.size] < 0.5] = low
    return np.asarray(np.interp(np.arange(count) / _RUN, np.arange(ends.size), ends)).reshape(shape)


def _integers(spec: Fill, rng: np.random.Generator) -> NDArray[np.generic]:
    # Drawn in their own type: as numpy's default one, bytes would take eight times the memory on the way.
    dtype = e.dtype_of(spec.type).type
    low, high = value_range(spec)
    if spec.kind == "ordinary" and spec.range is not None and high == low + 1:
        count = prod(spec.shape)
        kinds = rng.integers(int(low), int(high), size=ceil(count / _RUN), dtype=dtype, endpoint=True)
        return np.repeat(kinds, _RUN)[:count].reshape(spec.shape)
    if spec.smooth and spec.limits is None and spec.shape:
        return np.asarray(np.rint(_smooth(int(low), int(high), spec.shape, rng)), dtype=dtype)
    values = rng.integers(int(low), int(high), size=spec.shape, dtype=dtype, endpoint=True)
    if spec.kind == "extreme":
        ends = rng.choice(np.array([low, high, 0, 1, max(low, -1)], dtype), size=spec.shape)
        values = np.where(rng.random(spec.shape) < 0.5, ends, values)
    return np.sort(np.asarray(values), axis=None).reshape(spec.shape) if spec.rising else np.asarray(values)


def value_range(spec: Fill) -> tuple[float, float]:
    """The smallest and the largest value that an array may be filled with; of floats, infinities stand for NaN, too."""
    if spec.values is not None:
        numbers = [literal.value for literal in spec.values if literal.value == literal.value]
        return (min(numbers), max(numbers)) if len(numbers) == len(spec.values) else (-inf, inf)
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
