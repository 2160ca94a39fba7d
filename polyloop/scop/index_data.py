"""Data for subscripts that come from data: every element that they name has to exist.

An array whose elements become subscripts is filled with numbers of one range, the largest for which everything that is
computed from them stays inside the extents. Extents that are not known are what loops go through beside that, or else
as large as these numbers need.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import prod
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Indirect
from polyloop.backend.ir.polynomials import evaluate
from polyloop.backend.ir.ranges import Known, Range, any_value, bounds_where, value_bounds, value_range
from polyloop.errors import PolyloopError
from polyloop.scop.affine_isl import affine_to_text, ends_of, fix_parameters
from polyloop.scop.dependence import flow
from polyloop.scop.program import Array, Program, Statement
from polyloop.support.isl_limits import OperationLimitError

_LEAST_ELEMENTS = 64
"""Subscripts that come from scalars may be so large at least."""

_LARGEST_START = 8
"""Indices start at 0, or at the first number up to this with which no subscript is negative (Fortran's start at 1)."""

_IN_FRONT = 1 << 24
"""Rows in front of what a pointer points at, at most, where no data keep all subscripts from being negative: conditions
that are not understood may do."""

_FARTHEST = 32
"""So much larger than ordinary ones are floating-point numbers at most that say where something is looked at."""

_TRIPS = 8
"""Loops between numbers in an array have so many iterations on average, or at most."""

_ROUNDS = 8

Path: TypeAlias = "tuple[tuple[e.Expression, bool], ...]"
"""Conditions that hold, or do not."""


class IndexDataError(PolyloopError):
    """No numbers in the arrays keep all subscripts inside."""


@dataclass(frozen=True)
class IndexData:
    """What an array has to hold, and how large it has to be.

    Attributes:
        sources: arrays that subscripts come from.
        limits: of those of integers, the smallest and the largest element.
        rising: those between whose neighbours loops run.
        extents: of arrays whose first extent is not known, and that data address, the rows that all accesses reach.
        origins: of those that are accessed in front of what their pointer points at, how many rows in front.
        ranges: of those of floating-point numbers, between what these lie, where ordinary ones lead in front of arrays:
            the places around which windows are looked at.
    """

    sources: frozenset[str] = frozenset()
    limits: tuple[tuple[str, tuple[int, int]], ...] = ()
    extents: tuple[tuple[str, int], ...] = ()
    rising: frozenset[str] = frozenset()
    origins: tuple[tuple[str, int], ...] = ()
    ranges: tuple[tuple[str, tuple[float, float]], ...] = ()


def index_data(scop: Program, sizes: Mapping[str, int], ordinary: tuple[float, float]) -> IndexData:
    """What subscripts that come from data ask of the arrays at given sizes.

    Args:
        ordinary: between what ordinary floating-point numbers lie.
    Raises:
        IndexDataError: if there are no such numbers, or none can be found.
    """
    given = () if scop.source is None else scop.source.given
    return _index_data(scop, tuple(sizes.items()), given, ordinary)


def least_extents(scop: Program, sizes: Mapping[str, int], ordinary: tuple[float, float]) -> dict[str, int]:
    """Of parameters that are lengths of rows, how long these have to be for what data say which elements of, as far as
    conditions limit it: ``if (k >= 0 && k < n) ... row[k]``."""
    search, found = _Search(scop, dict(sizes), {}, ordinary), dict[str, int]()
    ranges = search.ranges(0, 0) if search.indirect else {}
    for statement, access, path in search.indirect:
        for subscript, extent in zip(access.subscripts, scop.array(access.array).shape, strict=True):
            if extent is not None and extent.constant == 0 and [factor for _, factor in extent.terms] == [1]:
                ends = search.subscript(statement, subscript, path, ranges)
                if ends is not None and ends[1] < _MANY:
                    (name,) = extent.variables()
                    found[name] = max(found.get(name, 1), int(ends[1]) + 1)
    return found


_MANY = 1 << 30
"""Elements of a row: more than that are no row's, but the end of a type."""


@lru_cache(maxsize=256)  # the same at all sizes
def _flow(scop: Program, statement: str, access: e.Access) -> tuple[dict[str, isl.Map], isl.Set]:
    return flow(scop, scop.statement(statement), access)


@lru_cache(maxsize=256)
def _index_data(
    scop: Program, sizes: tuple[tuple[str, int], ...], given: tuple[tuple[str, str], ...], ordinary: tuple[float, float]
) -> IndexData:
    whole = {name: int(text) for name, text in given if re.fullmatch(r"-?[0-9]+", text)}
    return _Search(scop, dict(sizes), whole, ordinary).result()


class _Misfit(NamedTuple):
    """A subscript between ends that its array does not have; `inside`, the array's extent there is known."""

    access: e.Access
    subscript: Affine
    ends: Range
    inside: bool


class _Asked(NamedTuple):
    """The names of the ranges that a statement's value is computed from.

    Attributes:
        to_come: groups of which one is known before anything is of the value.
    """

    names: tuple[str, ...]
    to_come: tuple[frozenset[str], ...]


@dataclass
class _Search:
    """Attributes:
    given: scalars that the function sets to a number before the region.
    ordinary: see `index_data`.
    above: what floating-point numbers are larger by than ordinary ones.
    set: scalars that a statement sets before anything asks for them, in every iteration of the loops around it.
    """

    scop: Program
    sizes: dict[str, int]
    given: dict[str, int]
    ordinary: tuple[float, float]
    in_front: int = 0
    above: int = 0
    _values: dict[tuple[str, Affine], Range | None] = field(default_factory=dict)
    _sources_of: dict[tuple[str, e.Access], tuple[list[str], bool]] = field(default_factory=dict)
    _asked_by: dict[str, _Asked] = field(default_factory=dict)
    _computed_from: dict[tuple[str, tuple[Range | None, ...]], Range] = field(default_factory=dict)

    def __post_init__(self) -> None:
        running = {s.name for s in self.scop.statements if not fix_parameters(s.domain, self.sizes).is_empty()}
        self.running = [(s, a, p) for s in self.scop.statements if s.name in running for a, p in paths(s).items()]
        self.indirect = [(s, a, p) for s, a, p in self.running if a.data]
        self.folds = {x.variable: x for s in self.scop.statements for x in e.walk(s.value) if isinstance(x, e.Fold)}
        ends = [[{r.access.array for r in e.reads(end)} for end in (x.lower, x.upper)] for x in self.folds.values()]
        self.rising = frozenset().union(*(lower & upper for lower, upper in ends))
        self.counts = frozenset().union(*(lower | upper for lower, upper in ends)) - self.rising
        self.sources = self._sources()
        arrays = [array for array in self.scop.arrays if array.name in self.sources]
        self.limited = [array for array in arrays if not array.type.is_float]
        self.floats = [array for array in arrays if array.type.is_float]
        self.reach = self._reach()
        self.set = {array.name: first for array in self.limited if (first := self._set(array)) is not None}
        self.visible = [array for array in self.limited if not array.local and array.name not in self.set]
        self.ways: dict[str, list[int]] = defaultdict(list)
        for statement in self.scop.statements:
            if (step := _step(statement)) is not None:
                since = self.set[statement.target.array].depth if statement.target.array in self.set else 0
                self.ways[statement.target.array].append(step * self._instances(statement, since))
        self.counted = frozenset(self.ways)

    def _reach(self) -> dict[str, int]:
        """Of arrays whose first extent is not known, the rows that loops go through beside what data address: the bins
        of a histogram are set to zero, say."""
        unknown = {array.name for array in self.scop.arrays if array.shape[:1] == (None,)}
        found: dict[str, int] = {}
        for statement, access, _ in self.running:
            if access.array in unknown and not access.data and access.subscripts[0].variables():
                ends = self._affine(statement, access.subscripts[0])
                found[access.array] = max(found.get(access.array, 1), int(ends[1]) + 1 if ends else 1)
        return found

    def _set(self, array: Array) -> Statement | None:
        """What sets a scalar before anything asks for it."""
        users = self.scop.users(array.name)
        if array.shape or not users:
            return None
        first = min(users, key=lambda s: [row.constant for row in s.schedule[::2]])
        loops, depth = first.schedule[: 2 * first.depth : 2], first.depth
        others = [s for s in users if s is not first]
        inside = all(
            s.schedule[: 2 * depth : 2] == loops and s.schedule[2 * depth] != first.schedule[-1] for s in others
        )
        if not inside or first.conditional or any(a.array == array.name for a in first.reads):
            return None
        return first if all(self._is_around(first, s) for s in others) else None

    def _is_around(self, first: Statement, other: Statement) -> bool:
        """Whether a statement runs in every iteration of its loops in which another one does."""
        inner = other.domain.project_out(isl.dim_type.set, first.depth, other.depth - first.depth)
        named = inner.set_tuple_name(first.name) if first.depth else inner
        return not first.depth or bool(named.is_subset(first.domain))

    def _instances(self, statement: Statement, since: int) -> int:
        """Points of the box around the domain in one iteration of the outermost loops, of which there are `since`."""
        domain = fix_parameters(statement.domain, self.sizes)
        if domain.is_empty():
            return 0
        return prod(
            int(domain.dim_max_val(k).to_python()) - int(domain.dim_min_val(k).to_python()) + 1
            for k in range(since, statement.depth)
        )

    def _sources(self) -> frozenset[str]:
        """The arrays that subscripts are computed from, by way of other statements, too; not what only says whether."""
        data = (datum for s in self.scop.statements for access in s.accesses for datum in access.data)
        found = {read.access.array for datum in data for read in e.reads(datum.value)} | self.rising | self.counts
        while True:
            more = {a.array for s in self.scop.statements if s.target.array in found for a in s.operands} - found
            if not more:
                return frozenset(found)
            found |= more

    def _start(self) -> int | _Misfit:
        """The smallest number that all indices may be, or what stands in the way of some."""
        first = self._misfit(0, 0)
        for low in range(1, _LARGEST_START + 1):
            if first is None:
                return low - 1
            before, first = first, self._misfit(low, low)
            # What no index changes, no other one will.
            if low == 1 and first == before == self._misfit(_LARGEST_START, _LARGEST_START):
                return before
        return _LARGEST_START if first is None else first

    def result(self) -> IndexData:
        found = self._start()
        start, inside = (None, found.inside) if isinstance(found, _Misfit) else (found, False)
        if start is None and self.reach and not inside:
            self.reach.clear()
            return self.result()
        if start is None and not self.in_front and not inside:
            self.in_front = _IN_FRONT
            return self.result()
        if start is None and self.floats and self.above < _FARTHEST:
            self.above, self.in_front = 2 * self.above or 1, 0
            return self.result()
        if start is None:
            names = ", ".join(dict.fromkeys(str(access) for _, access, _ in self.indirect))
            raise IndexDataError(f"no data can be made at these sizes for which {names} surely are elements")
        low, high = start, max(start, self._most())
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._misfit(start, middle) is None else (low, middle - 1)
        ranges = self.ranges(start, low)
        limits = tuple((array.name, self._limits(array, start, low, ranges)) for array in self.limited)
        reached = self._reached(ranges).items()
        extents = tuple((name, int(most) + 1) for name, (_, most) in reached)
        origins = tuple((name, -int(least)) for name, (least, _) in reached if least < 0)
        places = {array.name: self._ordinary for array in self.floats if self.above and not array.local}
        return IndexData(self.sources, limits, extents, self.rising, origins, tuple(places.items()))

    @property
    def _ordinary(self) -> tuple[float, float]:
        low, high = self.ordinary
        return low + self.above, high + self.above

    def _limits(self, array: Array, low: int, high: int, ranges: Mapping[str, Range]) -> tuple[int, int]:
        """Scalars that are set hold what they are set to: some loops are timed without what sets them."""
        if array.name not in self.set and array.name in self.given:
            return self.given[array.name], self.given[array.name]
        if array.name not in self.set:
            return low, self._held(array, high)
        first = self.set[array.name]
        value = int(self._value(first.value, first, ranges)[0])
        return value, value

    def _reached(self, ranges: Mapping[str, Range]) -> dict[str, Range]:
        """The first and the last row that is accessed of arrays whose first extent is not known."""
        found: dict[str, Range] = {}
        for array in self.scop.arrays:
            if array.shape[:1] == (None,) and any(access.array == array.name for _, access, _ in self.indirect):
                reached = [
                    self.subscript(s, a.subscripts[0], p, ranges) for s, a, p in self.running if a.array == array.name
                ]
                reach = [ends for ends in reached if ends is not None] or [(0, 0)]
                found[array.name] = min(least for least, _ in reach), max(0, *(most for _, most in reach))
        return found

    def _held(self, array: Array, high: int) -> int:
        if array.name in self.rising:
            high = min(high, _TRIPS * self._elements(array))
        elif array.name in self.counts:
            high = min(high, _TRIPS)
        return min(high, value_range(array.type)[1])

    def _most(self) -> int:
        """As many indices as there are elements to hold them, or as loops between them have iterations."""
        counts = [self._elements(array) - 1 for array in self.limited if array.shape]
        counts += [_TRIPS * self._elements(array) for array in self.limited if array.name in self.rising]
        return max(counts, default=_LEAST_ELEMENTS - 1)

    def _elements(self, array: Array) -> int:
        if array.strides is not None:
            distances = [evaluate(stride, self.sizes) for stride in array.strides]
            accesses = ((s, a) for s, a, _ in self.running if a.array == array.name and not a.data)
            lasts = ([self._affine(s, subscript) for subscript in a.subscripts] for s, a in accesses)
            reached = (sum(by * last[1] for by, last in zip(distances, each, strict=True) if last) for each in lasts)
            return int(max(reached, default=0)) + 1
        extents = [0 if extent is None else extent.evaluate(self.sizes) for extent in array.shape]
        if array.shape and array.shape[0] is None:
            plain = [(s, a.subscripts[0]) for s, a, _ in self.running if a.array == array.name and not a.data]
            extents[0] = int(max([ends[1] for one in plain if (ends := self._affine(*one))], default=0)) + 1
        return prod(extents)

    def _misfit(self, low: int, high: int) -> _Misfit | None:
        """What leads out of an array where the arrays of indices hold numbers of this range."""
        ranges = self.ranges(low, high)
        for statement, access, path in self.indirect:
            shape = self.scop.array(access.array).shape
            for subscript, extent in zip(access.subscripts, shape, strict=True):
                if not any(isinstance(atom, Indirect) for atom, _ in subscript.terms):
                    continue
                ends = self.subscript(statement, subscript, path, ranges)
                limit = self.reach.get(access.array, 1 << 40) if extent is None else extent.evaluate(self.sizes)
                least = -self.in_front if extent is None else 0
                if ends is not None and (ends[0] < least or ends[1] >= limit):
                    return _Misfit(access, subscript, ends, extent is not None)
        return None

    def ranges(self, low: int, high: int) -> dict[str, Range]:
        """What the arrays may hold: at first, and after what the statements write to them."""
        ranges: dict[str, Range] = {a.name: self._moved(a.name, low, self._held(a, high)) for a in self.visible}
        ranges |= {name: self._moved(name, value, value) for name, value in self.given.items() if name in ranges}
        first, last = self._ordinary
        ranges |= {array.name: (first, last + self._diagonal(array)) for array in self.floats if not array.local}
        writers = [s for s in self.scop.statements if s.target.array in self.sources and _step(s) is None]
        for turn in range(1, 4 * _ROUNDS):
            before = dict(ranges)
            for statement in writers:
                if any(ranges.keys().isdisjoint(names) for names in self._asked(statement).to_come):
                    continue
                found, array = self._computed(statement, ranges), statement.target.array
                name = array if array in self.counted else statement.name
                found = self._moved(array, *found)
                known = ranges.get(name, found)
                ranges[name] = min(known[0], found[0]), max(known[1], found[1])
            if ranges == before:
                return ranges
            # What grows without an end, as sums do, keeps nothing else from being known. What is computed from it may
            # have ends of its own, under conditions: it gets as many rounds again.
            if turn % _ROUNDS == 0:
                changed = {name for name, known in ranges.items() if known != before.get(name)}
                sums = {s.name for s in writers if s.name in changed and self._adds_to_itself(s)}
                ranges |= {name: self._anything(name) for name in sums or changed}
        written = {name for s in writers for name in (s.name, s.target.array)}
        return {name: known for name, known in ranges.items() if name not in written}

    def _taken(self, statement: Statement) -> e.Expression:
        """What a statement sets a variable to, where nothing asks for it but under the condition that it has: the
        variable of a block keeps nothing from before it."""
        value, own = statement.value, e.Read(statement.target, statement.value.type)
        if not isinstance(value, e.Select) or value.otherwise != own or not self.scop.array(own.access.array).local:
            return value

        def asks_alike(user: Statement) -> bool:
            match user.value:
                case e.Select(condition, _, otherwise) if condition == value.condition:
                    keeps = user.target == own.access and otherwise == own
                    return own not in e.reads(condition) and (keeps or own not in e.reads(otherwise))
            return own not in e.reads(user.value)

        return value.then if all(map(asks_alike, self.scop.users(own.access.array))) else value

    def _anything(self, name: str) -> Range:
        """All that an array, or what a statement sets, may hold."""
        targets = {s.name: s.target.array for s in self.scop.statements}
        return any_value(self.scop.array(targets.get(name, name)).type)

    def _diagonal(self, array: Array) -> int:
        """What is added on the diagonals of square matrices (see `Fill.diagonal`)."""
        *_, rows, columns = (None, None, *array.shape)
        return 0 if rows is None or columns is None or rows != columns else columns.evaluate(self.sizes)

    def _read(self, statement: Statement, access: e.Access, ranges: Mapping[str, Range]) -> Range | None:
        """What a statement may read: what the last writes before it have left, or what was there at first."""
        if access.array in self.counted or access.array not in self.sources:
            return ranges.get(access.array)
        writers, at_first = self._from(statement, access)
        found = [ranges[name] for name in (*writers, *[access.array] * at_first) if name in ranges]
        return (min(low for low, _ in found), max(high for _, high in found)) if found else None

    def _computed(self, statement: Statement, ranges: Mapping[str, Range]) -> Range:
        """What a statement sets: once for each range of what it reads, which few limits that are tried change."""
        key = statement.name, tuple([ranges.get(name) for name in self._asked(statement).names])
        if key not in self._computed_from:
            self._computed_from[key] = self._value(self._taken(statement), statement, ranges)
        return self._computed_from[key]

    def _asked(self, statement: Statement) -> _Asked:
        """Which ranges say what it sets."""
        if statement.name not in self._asked_by:
            names, to_come = set[str](), list[frozenset[str]]()
            for access in dict.fromkeys(read.access for read in e.reads(statement.value)):
                if access.array in self.counted or access.array not in self.sources:
                    names.add(access.array)
                    continue
                writers, at_first = self._from(statement, access)
                found = frozenset((*writers, *[access.array] * at_first))
                names |= found
                to_come += [found] if writers else []
            self._asked_by[statement.name] = _Asked(tuple(sorted(names)), tuple(to_come))
        return self._asked_by[statement.name]

    def _adds_to_itself(self, statement: Statement) -> bool:
        """Whether what it sets may be computed from what it has set before."""
        return any(
            read.access.array in self.sources and statement.name in self._from(statement, read.access)[0]
            for read in e.reads(statement.value)
        )

    def _from(self, statement: Statement, access: e.Access) -> tuple[list[str], bool]:
        """As `_written_by`, which is asked once."""
        if (statement.name, access) not in self._sources_of:
            self._sources_of[statement.name, access] = self._written_by(statement, access)
        return self._sources_of[statement.name, access]

    def _written_by(self, statement: Statement, access: e.Access) -> tuple[list[str], bool]:
        """The statements whose values it may be, and whether it may be what was there before."""
        everything = [s.name for s in self.scop.writers(access.array)]
        if not everything or access.data:
            return everything, True
        try:
            sources, before = _flow(self.scop, statement.name, access)
        except OperationLimitError:
            return everything, True
        names = [
            name for name, relation in sources.items() if not fix_parameters(relation.domain(), self.sizes).is_empty()
        ]
        return names, not fix_parameters(before, self.sizes).is_empty()

    def _moved(self, array: str, low: float, high: float) -> Range:
        """A range with all the steps that statements move the array's numbers by."""
        return low + sum(min(0, way) for way in self.ways[array]), high + sum(max(0, way) for way in self.ways[array])

    def _value(self, value: e.Expression, statement: Statement, ranges: Mapping[str, Range]) -> Range:
        return value_bounds(value, self._known(statement, ranges))

    def _known(
        self, statement: Statement, ranges: Mapping[str, Range], inner: Mapping[e.Access, Range] = MappingProxyType({})
    ) -> Known:
        """What is known of what a statement reads, from its conditions (`inner`), too."""

        def element(access: e.Access) -> Range | None:
            return inner.get(access) or self._read(statement, access, ranges)

        return Known(element, partial(self._index, statement, ranges=ranges), exact=not self.scop.wraps)

    def _index(self, statement: Statement, value: Affine, ranges: Mapping[str, Range]) -> Range | None:
        """As `_affine`, with variables of folds that run where the arrays' ranges say."""
        plain = Affine(tuple(t for t in value.terms if t[0] not in self.folds), value.constant)
        found = self._affine(statement, plain)
        for name, factor in value.terms:
            if found is not None and isinstance(name, str) and name in self.folds:
                fold = self.folds[name]
                first = self._value(fold.lower, statement, ranges)[0]
                last = self._value(fold.upper, statement, ranges)[1] - 1
                ends = [factor * first, factor * max(first, last)]
                found = found[0] + min(ends), found[1] + max(ends)
        return found

    def subscript(
        self, statement: Statement, subscript: Affine, path: Path, ranges: Mapping[str, Range]
    ) -> Range | None:
        """The range of a subscript where conditions hold; None: they never do."""
        plain = Affine(tuple(t for t in subscript.terms if not isinstance(t[0], Indirect)), subscript.constant)
        low, high = self._affine(statement, plain) or (0, 0)
        for datum, factor in subscript.terms:
            if isinstance(datum, e.Datum):
                found = self._datum(statement, datum.value, path, ranges)
                if found is None:
                    return None
                ends = [factor * end for end in (found[0], max(found))]
                low, high = low + min(ends), high + max(ends)
        return low, high

    def _datum(
        self, statement: Statement, value: e.Expression, path: Path, ranges: Mapping[str, Range]
    ) -> Range | None:
        """The range of a part of a subscript where the conditions of its path hold; None: they never do."""
        inner: dict[e.Access, Range] = {}
        made, left = self._steps(value, statement)
        if isinstance(value, e.Read) and (made or left):
            least, most = self._value(value, statement, ranges)
            inner[value.access] = least + max(0, made) - min(0, left), most + min(0, made) - max(0, left)
        # Conditions say something of numbers that are rounded, ``(int)x < n``, as of what they are rounded from.
        named = {
            node: e.Read(e.Access(f"?{k}"), node.type) for k, node in enumerate(filter(_is_rounded, e.walk(value)))
        }
        if named and not self._narrowed(value, path, statement, ranges, inner):
            return None
        known = self._known(statement, ranges, inner)
        inner |= {read.access: value_bounds(node, known) for node, read in named.items()}
        value = _renamed(value, named)
        path = tuple((_renamed(condition, named), holds) for condition, holds in path) if named else path
        if not self._narrowed(value, path, statement, ranges, inner):
            return None
        low, high = value_bounds(value, self._known(statement, ranges, inner))
        for condition, holds in path:
            if (found := bounds_where(value, condition, holds, self._known(statement, ranges, inner))) is None:
                return None
            low, high = max(low, found[0]), min(high, found[1])
        return low, high

    def _narrowed(
        self,
        value: e.Expression,
        path: Path,
        statement: Statement,
        ranges: Mapping[str, Range],
        inner: dict[e.Access, Range],
    ) -> bool:
        """Adds to `inner` what conditions say of what a value reads; whether they can hold."""
        for condition, holds in path:
            for read in e.reads(value):
                if (found := bounds_where(read, condition, holds, self._known(statement, ranges, inner))) is None:
                    return False
                inner[read.access] = found
        return True

    def _steps(self, value: e.Expression, statement: Statement) -> tuple[int, int]:
        """What a counter that only goes one way has surely moved by where a statement reads it, and what is left:
        the steps before the statement in its loop's body that are made whenever it takes place, and those behind it."""
        if not isinstance(value, e.Read) or value.access.subscripts or not statement.depth:
            return 0, 0
        ways = self.ways[value.access.array]
        if any(way > 0 for way in ways) and any(way < 0 for way in ways):
            return 0, 0
        place, here = statement.schedule[: 2 * statement.depth : 2], statement.schedule[-1].constant
        own = statement.value.condition if isinstance(statement.value, e.Select) and statement.conditional else None
        made = left = 0
        for other in self.scop.statements:
            step = _step(other) if other.target == value.access else None
            together = other.depth == statement.depth and other.schedule[: 2 * other.depth : 2] == place
            if step is None or not together:
                continue
            if (there := other.schedule[-1].constant) >= here:
                left += step
                continue
            asked = other.value.condition if isinstance(other.value, e.Select) else None
            between = (s for s in self.scop.statements if s.schedule[: 2 * other.depth : 2] == place)
            written = {s.target.array for s in between if there <= s.schedule[-1].constant < here}
            if asked is None or (asked == own and not any(read.access.array in written for read in e.reads(asked))):
                made += step
        return made, left

    def _affine(self, statement: Statement, value: Affine) -> Range | None:
        """Smallest and largest value at the statement's points; None where it has none, or no end of them is known."""
        key = statement.name, value
        if key not in self._values:
            to = self.scop.map_to(statement, f"[{affine_to_text(value)}]")
            self._values[key] = ends_of(fix_parameters(statement.domain, self.sizes).apply(to))
        return self._values[key]


def _is_rounded(value: e.Expression) -> bool:
    return isinstance(value, e.Cast) and value.operand.type.is_float and not value.type.is_float


def _renamed(value: e.Expression, names: Mapping[e.Expression, e.Read]) -> e.Expression:
    return e.rewrite(value, lambda node: names.get(node, node)) if names else value


def paths(statement: Statement) -> dict[e.Access, Path]:
    """What a statement may access, and the conditions under which it surely does so alone."""
    found: dict[e.Access, Path] = {}

    def enter(access: e.Access, path: Path) -> None:
        known = found.get(access, path)
        found[access] = tuple(one for one in known if one in path)
        for datum in access.data:
            visit(datum.value, path)

    def visit(value: e.Expression, path: Path) -> None:
        match value:
            case e.Read(access):
                enter(access, path)
            case e.Select(condition, then, otherwise):
                visit(condition, path)
                visit(then, (*path, (condition, True)))
                visit(otherwise, (*path, (condition, False)))
            case e.Logical(operator, left, right):
                visit(left, path)
                visit(right, (*path, (left, operator == "&&")))
            case _:
                for child in e.children(value):
                    visit(child, path)

    value = statement.value
    if isinstance(value, e.Select) and statement.conditional:
        visit(value.condition, ())
        visit(value.then, ((value.condition, True),))
        enter(statement.target, ((value.condition, True),))
    else:
        visit(value, ())
        enter(statement.target, ())
    return found


def _step(statement: Statement) -> int | None:
    """What ``target = target + number`` adds, under a condition or not; None of other statements."""
    own = e.Read(statement.target, statement.value.type)
    match statement.value:
        case e.Select(_, value, otherwise) if otherwise == own:
            pass
        case value:
            pass
    match value:
        case e.Binary("+" | "-" as sign, left, e.Literal(int(number), _)) if left == own:
            return number if sign == "+" else -number
    return None
