"""From a region's raw statements to a Scop: rows of linearised arrays, bounds, names, reductions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import combinations, islice
from typing import TYPE_CHECKING, TypeAlias

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, in_own_type, reduction_of, without_cuts
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import TRUE, Affine, And, Condition, Indirect, affine, at_least, equal
from polyloop.frontend.arrays import Entry, Pending, Poly, extents, find_strides, split_terms, subscripts
from polyloop.frontend.integers import Integer
from polyloop.frontend.predicates import guarded, may_be_written_always
from polyloop.frontend.region import Region
from polyloop.frontend.scopes import Place, Refusal, Symbol
from polyloop.frontend.statements import RawStatement
from polyloop.scop.affine_isl import condition_from_ast, condition_set, is_reserved, parameters_of
from polyloop.scop.model import Array, Scop, SourceLocation, SourceRegion, Statement
from polyloop.scop.program import Memory

if TYPE_CHECKING:
    from polyloop.frontend.borders import Use

_LONG = 100
"""Elements of a row that is longer than the offsets inside of subscripts, as a rule."""

_ASKED = 16
"""Uses of an array that are asked for the sizes it is meant for: few have other ends than the first."""


Guards: TypeAlias = tuple[Condition, ...]


class _NoRowsError(Exception):
    """An array has no rows after all."""

    def __init__(self, entry: Entry, refusal: Refusal) -> None:
        super().__init__(str(refusal))
        self.entry, self.refusal = entry, refusal


@dataclass
class _Finisher:
    region: Region
    raw: Sequence[RawStatement]

    def __post_init__(self) -> None:
        self.counters = {name for statement in self.raw for name in statement.iterators}
        self.rows: dict[str, list[Poly]] = {}
        # Most subscripts stand at a place twice and more, and most ways to split one have parts of another's.
        self._split: dict[tuple[int, str, Integer, Guards], list[Affine]] = {}
        self._failing: dict[tuple[int, Condition, Guards], isl.Set | None] = {}
        # Rows that end earlier than accesses do are asked for last: those of what is written may say how long they are.
        self._leaving: list[tuple[Entry, isl.Set, isl.Set]] = []

    @cached_property
    def _places(self) -> list[int]:
        """For every statement the number of the first one that is executed at the same points."""
        found: list[int] = []
        for number, statement in enumerate(self.raw):
            for first in dict.fromkeys(found):
                other = self.raw[first]
                if statement.iterators == other.iterators and statement.points.plain_is_equal(other.points):
                    found.append(first)
                    break
            else:
                found.append(number)
        return found

    def delinearize(self) -> None:
        """Find the rows of all arrays that have a subscript with a product in it."""
        groups: dict[int, list[Pending]] = {}
        for pending in self.region.arrays.pending:
            groups.setdefault(id(pending.entry), []).append(pending)
        for group in groups.values():
            nonlinear = next((p for p in group if not p.subscript.is_linear), None)
            if nonlinear is None:
                continue
            try:
                if group[0].entry.indirect:
                    message = f"some subscripts of {group[0].entry.symbol.name} come from data, so that it has no rows"
                    raise Refusal("non-affine", message, nonlinear.node)
                self._find_rows(group[0].entry, group, nonlinear)
            except Refusal as refusal:
                self._stride(group[0].entry, refusal)

    def _stride(self, entry: Entry, refusal: Refusal) -> None:
        """Subscripts without rows, of an array that nothing writes, are told apart by their strides."""
        from polyloop.frontend.strided import factors, named, of_counters, strides_of  # of few regions

        group = [pending for pending in self.region.arrays.pending if pending.entry is entry]
        # What a condition on products of counters keeps in bounds is not bounded by the ends of the loops.
        asking = [s for s in self.raw if s.predicate is not None and _asks_counters(s.predicate)]
        waiting = (self.region.arrays.waiting(bound.access) for s in asking for bound in s.bounds)
        bounded = all(pending is None or pending.entry is not entry for pending in waiting)
        possible = bounded and _may_overlap(entry) and entry.strides is None
        strides = strides_of(group, self.is_counter) if possible else None
        if strides is None:
            self._compute(entry, refusal)
            return
        entry.rows, entry.first_column, entry.strides = (), affine(0), named(strides)
        self.rows[entry.name] = strides
        moving = factors(of_counters(group, self.is_counter) or ())
        ends = And(tuple(at_least(affine(name), 0) for name in moving))  # lowest and highest, for tests of overlaps
        self.region.assumptions = self.region.assumptions & condition_set((), ends).params()

    def _compute(self, entry: Entry, refusal: Refusal) -> None:
        """Products in the subscripts of an array without rows are computed; raise the refusal where they cannot be."""
        entry.rows, entry.first_column, entry.strides = (), affine(0), None
        self.rows.pop(entry.name, None)
        pending = (p for p in self.region.arrays.pending if p.entry is entry and not p.subscript.is_linear)
        if any(p.value is None for p in pending) or self.region.has_blocks():
            refusal.exact_only = self.region.exact
            raise refusal

    def resolve_all(self) -> list[RawStatement]:
        """All statements with subscripts in the placeholders' places, which stay inside their arrays."""
        while True:
            self._split.clear()
            assumptions, likely = self.region.assumptions, self.region.likely
            try:
                resolved = [self.resolve(*each) for each in zip(self.raw, self._places, strict=True)]
                self._leaving.clear()
                for statement in resolved:
                    self.check_bounds(statement)
                for each in self._leaving:
                    self._overlap(*each)
                alike = set[tuple[object, ...]]()
                for entry in self.region.arrays.entries.values():
                    if entry.strides is not None and not entry.rows:
                        pending = (p.subscript for p in self.region.arrays.pending if p.entry is entry)
                        key = entry.strides, frozenset(pending)
                        if key not in alike:  # many arrays of one statement are often read at the same places
                            self._expect_rows(entry)
                        alike.add(key)
                return resolved
            except _NoRowsError as error:
                self.region.assumptions, self.region.likely = assumptions, likely
                for entry in self.region.arrays.entries.values():
                    entry.strides = None if entry.rows else entry.strides
                self._stride(error.entry, error.refusal)

    def _find_rows(self, entry: Entry, group: list[Pending], nonlinear: Pending) -> None:
        coefficients = []
        for pending in group:
            split = split_terms(pending.subscript, self.is_counter)
            if split is None:
                raise Refusal("non-affine", "not affine: counters are multiplied with each other", pending.node)
            coefficients += list(split[0].values())
        strides = find_strides(coefficients)
        found = extents(strides) if strides is not None else None
        if strides is None or not found:
            message = f"the subscripts of {entry.symbol.name} are not those of rows of one length"
            raise Refusal("non-affine", message, nonlinear.node)
        if len(found) == 1:
            strides, found = self._of_bands(entry, strides, found)
        entry.rows = tuple(found)
        self.rows[entry.name] = strides
        if entry.pointer:
            from polyloop.frontend.borders import first_column, lie_in_front  # of regions with rows behind pointers

            uses = list(self._uses(entry, strides))
            if lie_in_front(uses):
                message = f"the rows of {entry.symbol.name} would lie in front of what it points at"
                raise Refusal("non-affine", message, nonlinear.node)
            entry.first_column = first_column(uses, found)
        for extent in found:
            places = (self.region.parameters[name].place for name in extent.variables())
            if any(place is not None and place.divisor for place in places):
                # A number of pieces; what emitted C asks of rows anyway.
                positive = condition_set((), at_least(extent, 1)).params()
                self.region.assumptions = self.region.assumptions & positive

    def _of_bands(self, entry: Entry, strides: list[Poly], rows: list[Affine]) -> tuple[list[Poly], list[Affine]]:
        """The strides and the length of rows, or those of rows that are one longer or shorter, whose columns count from
        the diagonal: ``a[i * (w + 1) + j - i + w]`` moves by w from row to row, too."""
        from polyloop.frontend.borders import moves_with_rows  # as above

        uses = list(self._uses(entry, strides))
        if not any(map(moves_with_rows, uses)):
            return strides, rows
        best = strides, rows, self._left_out(uses, rows)
        for step in (1, -1):
            if best[2].is_empty():
                break
            wider = dict(strides[0])
            wider[()] = wider.get((), 0) + step
            others = [{monomial: factor for monomial, factor in wider.items() if factor}, strides[1]]
            lengths = extents(others)
            uses = list(self._uses(entry, others))
            if lengths and all(use.splits for use in uses):
                left_out = self._left_out(uses, lengths)
                if left_out.is_strict_subset(best[2]):
                    best = others, lengths, left_out
        return best[0], best[1]

    def _left_out(self, uses: Sequence[Use], rows: Sequence[Affine]) -> isl.Set:
        """The parameters with which some use leaves its row."""
        found = isl.Set("{ : 1 = 0 }")
        for use in uses:
            leaving = (use.leaving(split, rows) for split in use.splits)
            found = found | reduce(lambda best, other: other if other.is_subset(best) else best, leaving)
        return found.intersect(self.region.known)

    def _uses(
        self, entry: Entry, strides: list[Poly], at: Callable[[Integer], Integer] = lambda subscript: subscript
    ) -> Iterator[Use]:
        """Where an array is accessed, and the ways to split its subscripts, or what is made of them."""
        from polyloop.frontend.borders import Use  # as above

        known = set[tuple[int, Integer, Guards]]()
        for statement, place in zip(self.raw, self._places, strict=True):
            for bound in statement.bounds:
                pending = self.region.arrays.waiting(bound.access)
                if pending is not None and pending.entry is entry:
                    key = place, pending.subscript, bound.guards
                    if key in known:
                        continue
                    known.add(key)
                    points = self._where(statement, bound.guards).intersect_params(self.region.known)
                    splits = subscripts(at(pending.subscript), strides, self.is_counter)
                    yield Use(statement.iterators, points, splits)

    def is_counter(self, atom: object) -> bool:
        return bool(Affine(((atom, 1),)).variables() & self.counters)  # type: ignore[arg-type]

    def resolve(self, statement: RawStatement, place: int) -> RawStatement:
        """Replace placeholders by subscripts."""
        guards = {bound.access: bound.guards for bound in statement.bounds}

        def access(old: e.Access) -> e.Access:
            pending = self.region.arrays.waiting(old)
            if pending is None:
                return old
            if pending.entry.name not in self.rows:
                plain = pending.subscript.as_affine() if pending.value is None else pending.value
                return e.Access(old.array, (plain,))
            key = (place, pending.entry.name, pending.subscript, guards.get(old, ()))
            if key not in self._split:
                self._split[key] = self._subscripts(statement, place, pending, key[-1])
            values = self._split[key]
            if not pending.subscript.exact and pending.subscript.type.bits < 64:
                self._limit(statement, pending, values)
            return e.Access(old.array, tuple(values))

        node = e.redirecting(access)
        new = statement.rewritten(node)
        bounds = tuple(replace(b, access=access(e.rewrite_access(b.access, node))) for b in statement.bounds)
        return replace(new, target=access(new.target), bounds=bounds)

    def _subscripts(self, statement: RawStatement, place: int, pending: Pending, guards: Guards) -> list[Affine]:
        """The candidate that stays inside the rows for all parameters where C makes the access; else one that does for
        some."""
        name = pending.entry.symbol.name
        if pending.entry.strides is not None and not pending.entry.rows:
            from polyloop.frontend.strided import subscripts_at  # as above

            return subscripts_at(pending.subscript, self.rows[pending.entry.name], self.is_counter)
        candidates = subscripts(pending.subscript, self.rows[pending.entry.name], self.is_counter)
        possible: list[list[Affine]] = []
        several = False
        for candidate in candidates:
            excluded = self._excluded(statement, place, _inside(candidate, pending.entry), guards)
            if excluded is None:
                continue
            if excluded.is_empty():
                return candidate
            running = self._running(statement)
            if self._is_for_long_rows(pending.entry, running, running - excluded):
                possible.append(candidate)
                several = several or not (self._several_rows - excluded).is_empty()
        if candidates and _may_overlap(pending.entry) and not (possible and several):
            return (possible or candidates)[0]
        if possible and not several and not self._several_rows.is_empty():
            message = f"{name} is one long row here, and many rows in other loops; make a region of each"
            raise Refusal("non-affine", message, pending.node)
        if not possible:
            message = f"the subscript of {name} leaves the rows that its other uses show"
            raise _NoRowsError(pending.entry, Refusal("non-affine", message, pending.node))
        return possible[0]

    def _excluded(self, statement: RawStatement, place: int, inside: Condition, guards: Guards) -> isl.Set | None:
        """The parameters with which a condition fails behind guards; None if the statement runs with no others.

        One operand at a time, which isl is quick with, and once.
        """
        excluded = isl.Set("{ : 1 = 0 }")
        for operand in inside.operands if isinstance(inside, And) else (inside,):
            if (key := (place, operand, guards)) not in self._failing:
                bad = self._where(statement, guards) - self.region.set_of(statement.iterators, operand)
                failing = bad.intersect_params(self.region.known).params()
                always = (self._running(statement) - failing).is_empty()
                self._failing[key] = None if always and not failing.is_empty() else failing
            if (one := self._failing[key]) is None:
                return None
            excluded = excluded | one
        return excluded.coalesce()

    def _where(self, statement: RawStatement, guards: Guards) -> isl.Set:
        points = statement.points
        for guard in guards:
            points = points & self.region.set_of(statement.iterators, guard)
        return points

    def _running(self, statement: RawStatement) -> isl.Set:
        """The parameters with which a statement runs at all."""
        return statement.points.params() & self.region.known

    def _is_for_long_rows(self, entry: Entry, running: isl.Set, left: isl.Set) -> bool:
        """Are subscripts inside where the loops run, and not only where rows are as short as an offset in them?"""
        longer = And(tuple(at_least(x, _LONG) for x in entry.rows if not x.is_constant))
        long_ = self.region.set_of((), longer).params()
        return not left.is_empty() and (not (left & long_).is_empty() or bool((running & long_).is_empty()))

    @cached_property
    def _several_rows(self) -> isl.Set:
        """Where a product of parameters (``rows * columns``) is at least twice each factor."""
        known = self.region.parameters
        places = [(name, symbol.place) for name, symbol in known.items() if symbol.place is not None]
        whole = [(name, place) for name, place in places if not place.divisor and place.multiple == 1]
        terms = [(name, place.polynomial) for name, place in whole if place.polynomial]
        products = [(name, names) for name, ((names, factor), *more) in terms if factor == 1 and not more]
        each = [f"{one} >= 2 and {name} >= 2 * {one}" for name, names in products for one in names if one in known]
        rows = isl.Set(f"[{', '.join(known)}] -> {{ : {' and '.join(each) or '1 = 0'} }}")
        return rows.intersect_params(self.region.known) if each else rows

    def _limit(self, statement: RawStatement, pending: Pending, values: Sequence[Affine]) -> None:
        """A product in a narrow unsigned type must not wrap: assume that every factor has its share of the bits."""
        limit = (1 << (pending.subscript.type.bits // len(values))) - 1
        small = [c for v in values for c in (at_least(v, 0), at_least(limit, v))]
        small += [at_least(limit, extent) for extent in pending.entry.rows]
        bad = statement.points - condition_set(statement.iterators, And(tuple(small)))
        self.region.exclude(bad, statement.points, pending.node, "wraps", "this unsigned subscript always wraps around")

    def check_bounds(self, statement: RawStatement) -> None:
        """Assume parameters for which all subscripts stay inside: then distinct subscripts are distinct memory."""
        region = self.region
        by_guards: dict[Guards, list[Condition]] = {}
        for bound in statement.bounds:
            entry = region.arrays.named(bound.access.array)
            inside = _inside(bound.access.subscripts, entry)
            if inside != And(()):
                known = by_guards.setdefault(bound.guards, [])
                if inside not in known:
                    known.append(inside)
        for guards, conditions in by_guards.items():
            points = self._where(statement, guards)
            bad = points - region.set_of(statement.iterators, And(tuple(conditions)))
            if not region.is_possible(bad):
                continue
            for bound in statement.bounds:
                if bound.guards == guards:
                    self._check_bound(bound.access, points, statement)

    def _check_bound(self, access: e.Access, points: isl.Set, statement: RawStatement) -> None:
        region = self.region
        entry = region.arrays.named(access.array)
        bad = points - region.set_of(statement.iterators, _inside(access.subscripts, entry))
        if entry.name in self.rows and _may_overlap(entry):
            self._leaving.append((entry, bad, points))
            return
        if entry.symbol.strides:  # which are as they are whatever rows have: in loops by 2 as in loops by 1
            bad, points = bad.remove_divs(), points.remove_divs()
        try:
            region.exclude(bad, points, _node_of(statement, access), "out-of-bounds", _outside_message(entry))
        except Refusal as refusal:
            if entry.name in self.rows:
                raise _NoRowsError(entry, refusal) from None
            # A parameter's first extent is a comment in C: what lies beyond it is memory like any other.
            if not entry.pointer or not entry.shape or entry.shape[0] is None:
                raise
            entry.extents = (None, *entry.extents[1:])
            self._check_bound(access, points, statement)

    def _overlap(self, entry: Entry, bad: isl.Set, points: isl.Set) -> None:
        """Nothing is written that subscripts of several rows could both name, so that rows may end where they like."""
        region = self.region
        if not region.is_possible(bad):
            return
        from polyloop.frontend.strided import are_plain, named  # as above

        if not are_plain(self.rows[entry.name]):
            raise _NoRowsError(entry, Refusal("non-affine", _outside_message(entry), entry.node))
        entry.strides = named(self.rows[entry.name])
        filled = And(tuple(at_least(extent, 1) for extent in entry.rows))
        region.assumptions = region.assumptions & condition_set((), filled).params()
        self._expect((region.likely - bad.params().gist(points.params() & region.known)).coalesce())

    def _expect_rows(self, entry: Entry) -> None:
        """Sizes at which some strides are as small as they may be, mostly 1, and the others those of rows that do not
        overlap, are likely."""
        from polyloop.frontend.strided import at_values, factors, units  # as above

        region = self.region
        group = [pending for pending in region.arrays.pending if pending.entry is entry]
        depth = {name: k for statement in self.raw for k, name in enumerate(statement.iterators)}
        bounds = {name for statement in self.raw for name in parameters_of(statement.points)}
        allowed, strides = region.allowed, self.rows[entry.name]
        least = {name: _least(allowed, name) for name in factors(strides)}
        for values, chain in units(group, strides, self.is_counter, depth, bounds, least):
            rows = extents(chain) or []
            fixed = And(tuple(equal(affine(name), value) for name, value in values.items()))
            likely = region.likely & condition_set((), fixed).params()
            for use in islice(self._uses(entry, chain, partial(at_values, values=values)), _ASKED):
                inside = [
                    condition
                    for value, extent in zip(use.splits[0][1:] if use.splits else (), rows, strict=bool(use.splits))
                    for condition in (at_least(value, 0), at_least(extent - 1, value))
                ]
                bad = use.points - region.set_of(use.iterators, And(tuple(inside)))
                likely = (likely - bad.params().gist(use.points.params() & region.known)).coalesce()
            if self._expect(likely):
                return

    def _expect(self, likely: isl.Set) -> bool:
        """These parameters, and not others, if there are such; whether there are."""
        region = self.region
        if (likely & region.allowed).is_empty():
            return False
        region.likely = likely
        return True


def _least(parameters: isl.Set, name: str) -> int:
    """The smallest value of a parameter that is a stride."""
    values = isl.Set.from_params(parameters).add_dims(isl.dim_type.set, 1)
    place = values.find_dim_by_name(isl.dim_type.param, name)
    if place < 0:
        return 1
    values = values.equate(isl.dim_type.param, place, isl.dim_type.set, 0).project_out_all_params()
    least = values.dim_min_val(0)
    return max(1, int(least.to_python())) if least.is_int() else 1


def _asks_counters(predicate: e.Expression) -> bool:
    return any(isinstance(node, e.Index) for node in e.walk_values(predicate))


def _may_overlap(entry: Entry) -> bool:
    return not (entry.written or entry.local or entry.indirect)


def _inside(values: Sequence[Affine], entry: Entry) -> Condition:
    if entry.first_column != affine(0):
        from polyloop.frontend.borders import inside_rows  # of rows with a border

        return And(inside_rows(values[1:], entry.rows, entry.first_column))
    conditions: list[Condition] = []
    for value, extent in zip(values, entry.shape, strict=True):
        if extent is None or any(isinstance(atom, Indirect) for atom, _ in value.terms):
            continue  # what comes from data stays inside, or C says nothing of it
        if value.is_constant and extent.is_constant and 0 <= value.constant < extent.constant:
            continue
        conditions += [at_least(value, 0), at_least(extent - 1, value)]
    return And(tuple(conditions))


def _node_of(statement: RawStatement, access: e.Access) -> c_ast.Node:
    return next((b.node for b in statement.bounds if b.access == access), statement.node)


def _values(entry: Entry, region: Region) -> tuple[e.Literal, ...] | None:
    """What a table of constants holds."""
    if not entry.symbol.constant or entry.symbol.initial is None:
        return None
    from polyloop.frontend.constant_tables import table_values  # of regions with such tables

    return table_values(entry, region)


def _deciding_reads(statement: Statement) -> Iterator[e.Read]:
    """What is read to know which elements to access, and how many."""
    for access in (statement.target, *statement.reads):
        yield from e.reads_of_subscripts(access)
    for node in e.walk(statement.value):
        if isinstance(node, e.Fold):
            yield from (*e.reads(node.lower), *e.reads(node.upper))


def _outside_message(entry: Entry) -> str:
    shape = "".join(f"[{x if x is not None else ''}]" for x in entry.shape)
    return f"a subscript of {entry.symbol.name} always leaves its extents {shape}"


def build_scop(
    name: str,
    region: Region,
    raw: Sequence[RawStatement],
    source: SourceRegion,
    locate: Callable[[c_ast.Node], SourceLocation],
) -> Scop:
    """The Scop of a region that was read.

    Raises:
        Refusal: where subscripts cannot be split into rows, or always leave their array.
    """
    finisher = _Finisher(region, raw)
    finisher.delinearize()
    resolved = [_with_parameters(statement, region) for statement in finisher.resolve_all()]
    resolved = _with_elements(resolved, region)
    if region.outside is not None:
        from polyloop.frontend.outside import Outside  # of regions with calls

        assert isinstance(region.outside, Outside)
        resolved = region.outside.with_effects(resolved)
    parameters = tuple(region.parameters)
    names = statement_names(resolved, region.arrays.names())
    statements = tuple(
        _statement(statement, statement_name, parameters, locate, region.arrays.named(statement.target.array))
        for statement, statement_name in zip(resolved, names, strict=True)
    )
    entries = list(region.arrays.entries.values())
    used = {a.array for s in statements for a in (s.target, *s.reads)}
    entries = [x for x in entries if x.name in used]
    pointers = any(x.pointer and not x.restrict for x in entries)
    places = {read.access.array for s in statements for read in _deciding_reads(s)}
    arrays = tuple(
        Array(
            x.name,
            x.type.scalar,
            x.shape,
            _may_alias(region, x, pointers),
            x.local,
            x.first_column,
            x.strides,
            None if x.name in places else _values(x, region),
        )
        for x in entries
    )
    source = replace(
        source,
        addresses=tuple((x.name, x.address()) for x in entries if not x.local),
        parameter_types=tuple(
            # Values that C computes in 64 bits are tested to be what their types hold.
            (name, e.I64 if symbol.place is not None and symbol.place.value else symbol.type.scalar)
            for name, symbol in region.parameters.items()
            if isinstance(symbol.type, Arithmetic)
        ),
    )
    calls = (n.function for s in statements for n in e.walk(s.value) if isinstance(n, e.OutsideCall))
    source = replace(source, outside=tuple(dict.fromkeys(calls)))
    source = replace(source, memory=_memory(region, [x for x in entries if not x.local], parameters))
    source = replace(source, apart=tuple(_apart(region, entries)))
    context = _aligned(region.context, parameters)
    assumptions = _aligned(region.assumptions, parameters)
    likely = _aligned(_shifting_few(region, statements), parameters)
    scop = Scop(name, parameters, context, arrays, statements, assumptions, source, likely, region.wraps)
    return _with_rows(replace(scop, likely=_inside_structures(scop, entries)), source, region, entries)


def _inside_structures(scop: Scop, entries: Sequence[Entry]) -> isl.Set:
    """The sizes that the loops are meant for: at others they go on behind the end of arrays that lie in structures."""
    likely = scop.likely
    rows = {x.name: x.symbol.place.rows for x in entries if x.symbol.place is not None and x.symbol.place.rows}
    for statement in scop.statements if rows else ():
        for access in statement.accesses:
            if access.array in rows and not e.Access("", access.subscripts[:1]).data:
                reached = scop.access_map(statement, access).range().reset_tuple_id()
                reached = reached.project_out(isl.dim_type.set, 1, len(access.subscripts) - 1)
                behind = reached & isl.Set(f"{{ [row] : row >= {rows[access.array]} }}")
                likely = (likely - behind.params()).coalesce()
    return scop.likely if (likely & scop.known).is_empty() else likely


def _shifting_few(region: Region, statements: Sequence[Statement]) -> isl.Set:
    """The sizes that the loops are meant for; what numbers are shifted by is less than they have bits."""
    bits: dict[str, int] = {}
    for shift in (
        n for s in statements for n in e.walk(s.value) if isinstance(n, e.Binary) and n.operator in ("<<", ">>")
    ):
        for amount in e.walk(shift.right):
            for name in amount.value.variables() if isinstance(amount, e.Index) else ():
                bits[name] = min(shift.type.bits, bits.get(name, shift.type.bits))
    tests = [
        test
        for name, most in bits.items()
        if name in region.parameters
        for test in (at_least(affine(name), 1 - most), at_least(most - 1, affine(name)))
    ]
    likely = region.likely & condition_set((), And(tuple(tests))).params()
    return region.likely if (likely & region.allowed).is_empty() else likely


def check_macros(source: SourceRegion, macros: Collection[str]) -> None:
    """
    Args:
        macros: those that stand for something without parentheses behind them.
    Raises:
        Refusal: where one has a name that is printed: it was read behind the preprocessor, which will see it again.
    """
    for memory in source.memory:
        for text in (memory.text, *(cell for cell, _ in memory.cells), *memory.tests):
            for word in re.findall(r"[A-Za-z_]\w*", text):
                if word in macros:
                    message = f"{text} has the name of a macro in it, {word}, which would be expanded again; rename one"
                    raise Refusal("name", message)


def _with_rows(scop: Scop, source: SourceRegion, region: Region, entries: Sequence[Entry]) -> Scop:
    """The Scop from this source, with where rows are that pointers lead to."""
    for entry in entries:
        if not entry.symbol.strides:
            continue
        from polyloop.frontend.rows import placed, simpler  # of few regions

        memory = next(m for m in source.memory if m.name == entry.name)
        read = _rows_read(region, entry.symbol, scop.parameters)
        try:
            new, address = placed(scop, memory, entry.symbol, read)
        except Refusal:
            for each in simpler(scop, memory.name):
                with suppress(Refusal):
                    new, address = placed(each, memory, entry.symbol, read)
                    scop = each
                    break
            else:
                raise
        others = tuple(m for m in source.memory if m.name not in {known.name for known in new})
        addresses = tuple((name, address if name == entry.name else text) for name, text in source.addresses)
        source = replace(source, memory=(*others, *new), addresses=addresses)
    return replace(scop, source=source)


def _rows_read(region: Region, symbol: Symbol, parameters: tuple[str, ...]) -> isl.Set:
    """The rows of a table that C reads the pointers to in any case, as far as these parameters say."""
    assert symbol.place is not None
    read = region.rows_read.get(symbol.place.text)
    if read is None or not _without_others(read, parameters).is_equal(read):
        return isl.Set("{ [row] : 1 = 0 }")
    return _aligned(_without_others(read, parameters), parameters)


Cells: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"
"""Lvalues, each with the arrays whose stores might change it (see `Memory`)."""


def _memory(region: Region, entries: Sequence[Entry], parameters: tuple[str, ...]) -> tuple[Memory, ...]:
    """What emitted C has to know of the parameters and the arrays that are no plain variables."""
    found: list[Memory] = []
    unread: list[tuple[Place, Refusal]] = []
    for position, (name, symbol) in enumerate(region.parameters.items()):
        place = symbol.place
        assert isinstance(symbol.type, Arithmetic)
        cells = _cells(region, symbol, entries)
        if place is not None:
            read: Condition = TRUE
            try:
                read = _certain(region, symbol, parameters[:position]) if place.behind else TRUE
            except Refusal as refusal:
                if place.value:
                    raise
                unread.append((place, refusal))
            value = Memory(name, place.text, read, cells, place.object, place.tests)
            found.append(replace(value, polynomial=place.polynomial, divisor=place.divisor, multiple=place.multiple))
        elif cells:
            found.append(Memory(name, name, cells=cells))
    if unread:
        why = unread[0][1]
        why.unread, why.exact_only = tuple(place.text for place, _ in unread), region.exact
        raise why
    for entry in entries:
        place = entry.symbol.place
        if place is not None:
            early = place.follows or (place.behind and entry.symbol in region.moved)
            read = _certain(region, entry.symbol, parameters, address=True) if early else TRUE
            cells = _pointer_cells(region, place, entries)
            found.append(Memory(entry.name, place.text, read, cells, place.object, place.tests))
    return tuple(found)


def _pointer_cells(region: Region, place: Place, entries: Sequence[Entry]) -> Cells:
    changed_by = _changed_by(region, entries, None)
    return tuple((pointer, changed_by) for pointer in place.pointers)


def _changed_by(
    region: Region, entries: Sequence[Entry], type_: e.ScalarType | None, behind: bool = False
) -> tuple[str, ...]:
    """The arrays whose stores might change a number of a type, or a pointer: C lets other types not alias, but for
    characters, which may be the bytes of anything that a pointer leads to, unless the compiler is told otherwise."""
    bits = {8} if type_ is None else {8, type_.bits}
    of_any_type = region.all_alias or (behind and type_ is not None and type_.bits == 8)
    return tuple(
        entry.name
        for entry in entries
        if entry.written and not entry.restrict
        if of_any_type or (not entry.type.scalar.is_float and entry.type.scalar.bits in bits)
    )


def _cells(region: Region, symbol: Symbol, entries: Sequence[Entry]) -> Cells:
    """The memory that the value of a parameter comes from, as far as stores may reach it."""
    place = symbol.place
    assert isinstance(symbol.type, Arithmetic)
    if place is None:
        pointers = [entry for entry in entries if entry.pointer]
        changed_by = _changed_by(region, pointers, symbol.type.scalar)
        reachable = symbol.kind == "global" or symbol.name in region.function.address_taken
        return ((symbol.name, changed_by),) if reachable and changed_by else ()
    parts = [part for parts in symbol.parts.values() for part, _ in parts]
    own = () if place.value else ((place.text, _changed_by(region, entries, symbol.type.scalar, place.behind)),)
    others = (cell for part in parts for cell in _cells(region, part, entries))
    return (*_pointer_cells(region, place, entries), *own, *others)


def _certain(region: Region, symbol: Symbol, parameters: tuple[str, ...], address: bool = False) -> Condition:
    """The condition on the parameters before it under which C certainly reads a place, or a part of the structure that
    it lies in; with `address`, of the one that the pointer to it lies in."""
    place = symbol.place
    assert place is not None
    member = re.fullmatch(r"(.*)->\w+", place.pointers[-1]) if address and place.pointers else None
    container = place.container if member is None else f"{member[1]}[0]"
    pointed = re.fullmatch(r"\*(\w+)|(\w+)\[0\]", container)
    if pointed is not None and region.read_before(pointed[1] or pointed[2]):
        return TRUE
    sets = [*region.reached.get(symbol, ()), *_at_home(region, symbol)]
    # What is read for one member shows that the structure is there, and so is the other.
    for other, points in region.reached.items():
        if other.place is not None and other.place.behind and other.place.container == container:
            sets += [*points, *_at_home(region, other)]
    if symbol.strides:
        sets.append(_rows_read(region, symbol, parameters).params())
    known = _without_others(region.known, parameters)
    reached = isl.Set("{ : 1 = 0 }")
    for one in sets:
        if _without_others(one, parameters).is_equal(one):
            reached = reached | one
    if reached.is_empty():
        message = f"it depends on data whether {place.text} is read at all; copy it to a variable before the scop"
        raise Refusal("data-dependent", message)
    universe = isl.Set(f"[{', '.join(parameters)}] -> {{ : }}")
    test = _aligned(reached, parameters).gist_params(known.params()).coalesce()
    own = (
        TRUE
        if universe.is_subset(test)
        else condition_from_ast(isl.AstBuild.from_context(universe).expr_from_set(test))
    )
    parts = {part for parts in symbol.parts.values() for part, _ in parts if part.place and part.place.behind}
    conditions = [own, *(_certain(region, part, parameters) for part in sorted(parts, key=lambda part: part.name))]
    conditions = [condition for condition in dict.fromkeys(conditions) if condition != TRUE]
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))


def _at_home(region: Region, symbol: Symbol) -> list[isl.Set]:
    """Where C always reads a place, as far as rewrites have noted that before they moved it."""
    return [region.bodies[chain] for (_, chain), always in symbol.homes.items() if always and chain in region.bodies]


def _without_others(points: isl.Set, parameters: tuple[str, ...]) -> isl.Set:
    """The set without its conditions on parameters that are none of these."""
    for position in reversed(range(points.dim(isl.dim_type.param))):
        if points.get_dim_name(isl.dim_type.param, position) not in parameters:
            points = points.project_out(isl.dim_type.param, position, 1)
    return points


def _with_parameters(statement: RawStatement, region: Region) -> RawStatement:
    """The statement with scalars that have turned out to be parameters read as such: what only extents of arrays depend
    on is a parameter from the end on, when statements may have read it as a scalar. One name stands for one thing."""
    settled = {
        x.name: x.symbol.name
        for x in region.arrays.entries.values()
        if region.parameters.get(x.symbol.name) is x.symbol
    }

    def node(old: e.Expression) -> e.Expression:
        if isinstance(old, e.Read) and old.access.array in settled:
            return e.Index(affine(settled[old.access.array]), old.type)
        return old

    if not settled:
        return statement
    return statement.rewritten(node)


def _with_elements(statements: list[RawStatement], region: Region) -> list[RawStatement]:
    """The statements with elements of arrays, which are there where C gets to them, in the place of numbers behind
    pointers which C may not read at all: what is a number by itself is read before the loops."""
    parameters = tuple(region.parameters)
    numbers = {
        x.name: x for x in region.arrays.entries.values() if not x.extents and not _is_there(region, x, parameters)
    }
    for entry in numbers.values():
        entry.extents = (None,)

    def access(old: e.Access) -> e.Access:
        return e.Access(old.array, (affine(0),)) if old.array in numbers else old

    changed = (statement.rewritten(e.redirecting(access)) for statement in statements)
    return [replace(new, target=access(new.target)) for new in changed] if numbers else statements


def _is_there(region: Region, entry: Entry, parameters: tuple[str, ...]) -> bool:
    """Is a number there wherever C may come to read it? Variables always are."""
    perhaps = region.perhaps.get(entry.symbol)
    if entry.symbol.place is None or not entry.symbol.place.behind or not perhaps:
        return True
    try:
        certain = _certain(region, entry.symbol, parameters)
    except Refusal:
        return False
    reached = _aligned(condition_set((), certain).params(), parameters)
    return all(_aligned(one & region.known, parameters).is_subset(reached) for one in perhaps)


def _statement(
    raw: RawStatement,
    name: str,
    parameters: tuple[str, ...],
    locate: Callable[[c_ast.Node], SourceLocation],
    entry: Entry,
) -> Statement:
    domain = _aligned(raw.points, parameters)
    for k, iterator in enumerate(raw.iterators):
        domain = domain.set_dim_name(isl.dim_type.set, k, iterator)
    domain = domain.set_tuple_name(name).coalesce()
    value = guarded(raw.predicate, e.Read(raw.target, raw.value.type), raw.value, entry, raw.fresh)
    value = without_cuts(in_own_type(raw.target, value))
    return Statement(
        name,
        raw.iterators,
        domain,
        raw.target,
        value,
        raw.schedule,
        reduction_of(raw.target, value),
        locate(raw.node),
        raw.predicate is not None and not may_be_written_always(entry),
    )


def _aligned(points: isl.Set, parameters: tuple[str, ...]) -> isl.Set:
    """The set over exactly the parameters, in order."""
    model = isl.Set(f"[{', '.join(parameters)}] -> {{ : }}")
    return points.align_params(model.get_space())


def _may_alias(region: Region, entry: Entry, pointers: bool) -> bool:
    """May other names reach the array? Without pointers about, nothing can; see `FunctionNames`."""
    if _is_own_member(region, entry):
        return False
    if entry.pointer:
        return not entry.restrict
    if entry.local or not pointers:
        return False
    symbol = entry.symbol
    if symbol.kind == "global":
        return True
    fewest = region.function.fewest_subscripts.get(symbol.name, len(entry.extents))
    return symbol.name in region.function.address_taken or fewest < len(entry.extents)


def _apart(region: Region, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Pairs of arrays of which one comes through a ``restrict`` parameter, and the other one through another parameter
    that is never set, so that it cannot come from the first (C11, 6.7.3.1); and those of an array of the function's own
    that it has no pointer to, and one that a pointer leads to."""
    function = region.function
    changing = {name for name, _ in function.assignments} | function.address_taken.keys()
    passed = [x for x in entries if x.pointer and x.symbol.kind == "parameter" and x.symbol.place is None]
    passed = [x for x in passed if x.symbol.name not in changing]
    yield from ((a.name, b.name) for a, b in combinations(passed, 2) if a.restrict or b.restrict)
    own = [x for x in entries if x.symbol.kind == "local" and x.symbol.place is None and not x.pointer and x.extents]
    own = [x for x in own if not _may_alias(region, x, True)]
    yield from ((a.name, b.name) for a, b in combinations(entries, 2) if (a in own) != (b in own))


def _is_own_member(region: Region, entry: Entry) -> bool:
    """Whether it is a number in a structure of the function's own, to which nothing points."""
    place = entry.symbol.place
    if place is None or place.behind or place.value or place.pointers or entry.extents:
        return False
    whole = region.scope.lookup(place.object)
    return (
        whole is not None and whole.kind in ("local", "parameter") and whole.name not in region.function.address_taken
    )


def statement_names(raw: Sequence[RawStatement], taken: set[str]) -> list[str]:
    """C labels where there are any, else S and the index; unique among each other and the arrays."""
    labels = {s.label for s in raw if s.label is not None}
    used = set(taken)
    names: list[str] = []
    for index, statement in enumerate(raw):
        base = statement.label or f"S{index}"
        name = base
        suffix = 0
        while name in used or is_reserved(name) or (statement.label is None and name in labels):
            suffix += 1
            name = f"{base}_{suffix}"
        used.add(name)
        names.append(name)
    return names
