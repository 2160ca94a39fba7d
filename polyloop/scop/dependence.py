"""Dependences of a Scop: which statement instances have to stay in order.

Two families, for two uses:

* Memory-based: every pair of instances that touch one array element, one of them writing. All of them, the transitive
  ones too: legality is proven against these.
* Value-based (last access): for every read the write whose value it gets, for every write the last write before it and
  the reads since then (Feautrier, "Dataflow Analysis of Array and Scalar References", IJPP 1991). Their transitive
  closure orders everything that the memory-based ones order, and there are far fewer; schedule spaces are built from
  these, one dependence for each basic map.

Reads under a lazy operator (``?:``, ``&&``) count as reads. Contents of local arrays are dead after the Scop, which
makes no difference here.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Literal, TypeAlias

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access, affine_access, reads_of_subscripts
from polyloop.backend.ir.ranges import chooses_exactly
from polyloop.errors import PolyloopError
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.program import Program, Statement
from polyloop.support.isl_limits import OperationLimitError, limited

# --- What statements touch and when, and which of their accesses conflict ---------------------------------------------
# A unit is a statement, or at block granularity adjacent statements seen as one. Conflicts come in no order: the
# original schedule decides below.


Granularity: TypeAlias = Literal["statement", "block"]

MOST_PAIRS = 100_000
"""Pairs of accesses to one array, of which each is a map of isl's to join: some 30 s and 300 MB."""

RAW, WAR, WAW = "RAW", "WAR", "WAW"
_KINDS = {(True, False): RAW, (False, True): WAR, (True, True): WAW}
"""By whether the first and the second access write."""


class TooManyAccessesError(PolyloopError):
    """A region of so many statements that its dependences would take too long."""


@dataclass(frozen=True)
class Unit:
    """A statement, or a block of adjacent ones seen as one: what it touches and when.

    `rows`: the original schedule (see `schedule_of`).
    `folds`: operator and access of a reduction's accumulator, which is both read and written; `reads` has it, too.
    `uncertain`: those of `writes` that may be any of several elements, so that they leave what was there.
    `indirect`: the accesses behind those maps whose subscripts come from data that nothing changes.
    """

    name: str
    iterators: tuple[str, ...]
    reads: tuple[isl.Map, ...]
    writes: tuple[isl.Map, ...]
    rows: tuple[Affine, ...]
    schedule: isl.MultiPwAff
    folds: tuple[str, int] | None = None
    reduction_array: str | None = None
    exact: bool = False
    uncertain: tuple[isl.Map, ...] = ()
    indirect: tuple[tuple[isl.Map, Access], ...] = ()

    def access_of(self, relation: isl.Map) -> Access | None:
        """The indirect access behind a map, by identity."""
        return next((access for known, access in self.indirect if known is relation), None)


def groups_of(scop: Program) -> list[list[Statement]]:
    """Runs of statements that stand next to each other in straight-line code."""
    groups: list[list[Statement]] = []
    for statement in scop.statements:
        if groups and _adjacent(groups[-1][-1], statement):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return groups


def _adjacent(first: Statement, second: Statement) -> bool:
    """Under the same loops with equal domains and next to each other: a gap in the last constants is a condition or a
    loop in between."""
    if first.depth != second.depth or first.iterators != second.iterators:
        return False
    if first.schedule[:-1] != second.schedule[:-1] or second.schedule[-1] - first.schedule[-1] != affine(1):
        return False
    return first.domain.is_equal(second.domain.set_tuple_name(first.name))


def units_of(scop: Program, granularity: Granularity) -> list[Unit]:
    """What dependences are computed between: statements, or groups of adjacent ones."""
    if granularity == "statement":
        return [_unit(scop, [statement]) for statement in scop.statements]
    return [_unit(scop, group) for group in groups_of(scop)]


def _unit(scop: Program, group: list[Statement]) -> Unit:
    """A block reads what its statements read before the block itself has written it (upward-exposed reads)."""
    first = group[0]
    reads: list[isl.Map] = []
    writes: list[isl.Map] = []
    uncertain: list[isl.Map] = []
    indirect: list[tuple[isl.Map, Access]] = []
    written_arrays = scop.written
    own: int | None = None
    for statement in group:
        for access in statement.reads:
            relation = scop.access_map(statement, access).set_tuple_name(isl.dim_type.in_, first.name)
            for written in writes:
                if array_of(written) == access.array and not any(written is one for one in uncertain):
                    relation = relation - written
            if not relation.is_empty():
                own = len(reads) if access == first.target else own
                reads.append(relation)
                indirect += [(relation, access)] * _is_stable(access, written_arrays)
        writes.append(scop.access_map(statement, statement.target).set_tuple_name(isl.dim_type.in_, first.name))
        uncertain += writes[-1:] * (not statement.kills)
        indirect += [(writes[-1], statement.target)] * _is_stable(statement.target, written_arrays)
    unit = Unit(
        first.name,
        first.iterators,
        tuple(reads),
        tuple(writes),
        _schedule_rows(scop, first),
        schedule_of(scop, first),
        uncertain=tuple(uncertain),
        indirect=tuple(indirect),
    )
    if len(group) > 1 or first.reduction is None or own is None:
        return unit
    exact = is_exact(scop, first)
    alone = sum(array_of(relation) == first.target.array for relation in reads) == 1
    array = first.target.array if alone else None
    return replace(unit, folds=(first.reduction, own), reduction_array=array, exact=exact)


def is_exact(scop: Program, statement: Statement) -> bool:
    """Whether a reduction gives the same bits in any order."""
    if not scop.array(statement.target.array).type.is_float:
        return True
    extremum = statement.reduction in ("min", "max")
    return extremum and chooses_exactly(statement.value, statement.target, scop.without_negative_zeros)


def _schedule_rows(scop: Program, statement: Statement) -> tuple[Affine, ...]:
    length = max(len(s.schedule) for s in scop.statements)
    return (*statement.schedule, *[affine(0)] * (length - len(statement.schedule)))


def schedule_of(scop: Program, statement: Statement) -> isl.MultiPwAff:
    """The original schedule, without its last constant for statements shorter than others: no two statements agree
    on all of a shorter one's rows, so zeros may fill the rest."""
    rows = map(affine_to_text, _schedule_rows(scop, statement))
    text = f"[{', '.join(scop.parameters)}] -> {{ {statement.point} -> [{', '.join(rows)}] }}"
    return isl.MultiPwAff.from_multi_aff(isl.MultiAff(text))


Conflicts: TypeAlias = dict[tuple[int, int], dict[tuple[str, bool], dict[str, isl.Map]]]


def conflicts_of(units: list[Unit]) -> Conflicts:
    """(source, target) -> (array, whether both accesses are accumulators of one operator) -> kind -> pairs that touch
    one element, in any order.

    Raises:
        TooManyAccessesError: if there are more than `MOST_PAIRS` to look at.
    """
    touched: dict[tuple[Place, bool], list[tuple[int, int]]] = defaultdict(list)  # which access of which unit
    for number, unit in enumerate(units):
        for writes, accesses in ((False, unit.reads), (True, unit.writes)):
            for position, access in enumerate(accesses):
                touched[_place_of(access), writes].append((number, position))
    near = [
        (_KINDS[ours[1], theirs[1]], touched[ours], touched[theirs])
        for ours in touched
        for theirs in touched
        if (ours[1] or theirs[1]) and _may_meet(ours[0], theirs[0])
    ]
    pairs = sum(len(ours) * len(theirs) for _, ours, theirs in near)
    if pairs > MOST_PAIRS:
        raise TooManyAccessesError(
            f"{len(units)} statements have {pairs} pairs of accesses to the same elements, more than {MOST_PAIRS}: "
            "more than can be proven in reasonable time; mark fewer statements, or mark them in parts"
        )
    found = ((s, t, kind, m, n) for kind, ours, theirs in near for s, m in ours for t, n in theirs)
    result: Conflicts = defaultdict(lambda: defaultdict(dict))
    for s, t, kind, m, n in sorted(found):
        source, target = units[s], units[t]
        first = (source.reads if kind == WAR else source.writes)[m]
        second = (target.reads if kind == RAW else target.writes)[n]
        relation = _same_element(source, first, target, second)
        known = result[s, t][array_of(first), _commute(source, first, target, second)]
        known[kind] = known[kind].union(relation) if kind in known else relation
    return result


def _is_stable(access: Access, written: frozenset[str]) -> bool:
    """Whether its subscripts come from data that are the same whenever they are looked at."""
    return bool(access.data) and all(read.access.array not in written for read in reads_of_subscripts(access))


def _same_element(source: Unit, first: isl.Map, target: Unit, second: isl.Map) -> isl.Map:
    """Pairs of instances whose accesses may be to one element.

    Of two accesses to ``a[ip[i] + j]`` with one i only those with one j are: whatever ip[i] is, it is the same.
    """
    relation = first.apply_range(second.reverse())
    here, there = source.access_of(first), target.access_of(second)
    if here is None or there is None or here.data != there.data:
        return relation
    nothing = [affine(0)] * len(here.data)
    ends = [affine_access(access, nothing) for access in (here, there)]
    if any(a - b != c - d for a, b, c, d in zip(*(x.subscripts for x in (here, ends[0], there, ends[1])), strict=True)):
        return relation
    variables = frozenset[str]().union(*(datum.variables() for datum in here.data))
    parameters = [str(relation.get_dim_name(isl.dim_type.param, k)) for k in range(relation.dim(isl.dim_type.param))]
    mark = next(mark for mark in map("_".__mul__, itertools.count(1)) if not any(mark + "0" in p for p in parameters))
    from_, to = ({n: affine(f"{n}{mark}0{end}") for n in unit.iterators} for unit, end in ((source, 0), (target, 1)))
    shared = [name for name in sorted(variables) if name in from_ and name in to]
    if any(name not in parameters and (name not in from_ or name not in to) for name in variables):
        return relation
    moved = [f"{affine_to_text(from_[name])} != {affine_to_text(to[name])}" for name in shared]
    equal = [
        f"{affine_to_text(a.substitute(from_))} = {affine_to_text(b.substitute(to))}"
        for a, b in zip(ends[0].subscripts, ends[1].subscripts, strict=True)
    ]
    tuples = (f"{u.name}[{', '.join(map(str, names.values()))}]" for u, names in ((source, from_), (target, to)))
    condition = " or ".join([f"({' and '.join(equal)})", *moved])
    return relation & isl.Map(f"[{', '.join(parameters)}] -> {{ {' -> '.join(tuples)} : {condition} }}")


Place: TypeAlias = "tuple[str, tuple[int | None, ...]]"
"""An array, and its subscripts where they are constants: accesses that differ in one of those have nothing in common.
Structures of matrices that are written out, ``lhs[i][j][k][1][0][4]``, have hundreds of those in one array."""


def _place_of(access: isl.Map) -> Place:
    values = (access.plain_get_val_if_fixed(isl.dim_type.out, k) for k in range(access.dim(isl.dim_type.out)))
    return array_of(access), tuple(value.to_python() if value.is_int() else None for value in values)


def _may_meet(first: Place, second: Place) -> bool:
    (array, ours), (other, theirs) = first, second
    return array == other and not any(a != b for a, b in zip(ours, theirs, strict=True) if None not in (a, b))


def _commute(source: Unit, first: isl.Map, target: Unit, second: isl.Map) -> bool:
    """Whether both accesses are accumulators of one operator."""
    if source.folds is None or target.folds is None or source.folds[0] != target.folds[0]:
        return False
    return _is_accumulator(source, first) and _is_accumulator(target, second)


def _is_accumulator(unit: Unit, access: isl.Map) -> bool:
    """Identity matters: another read may have the same element in some instances, or in all of them."""
    assert unit.folds is not None
    return access is unit.writes[0] or access is unit.reads[unit.folds[1]]


def array_of(access: isl.Map) -> str:
    """The name of the array that an access map leads to."""
    return str(access.get_tuple_name(isl.dim_type.out))


# --- Dependences ------------------------------------------------------------------------------------------------------


Family: TypeAlias = 'Literal["memory", "value"]'

FLOW_OPERATIONS = 5_000_000
"""What isl may spend on the last accesses of one kind to one array: a second. Each statement that has to be without
effect for others to be the last one multiplies the cases."""
SUBTRACTION_OPERATIONS = 200_000
"""What isl may spend on flow where its dataflow analysis fails."""


@dataclass(frozen=True)
class Dependence:
    """Instances of `target` that have to run after instances of `source`.

    Attributes:
        source, target: statement names (at block granularity: the block's first statement).
        source_iterators, target_iterators: names of the columns of the relation's two sides.
        relation: isl map ``source[i] -> target[j]``; its canonical text stands for it in comparisons.
        kinds: of "RAW", "WAR", "WAW".
        arrays: the arrays whose elements both touch, in alphabetical order.
        reduction: reduction statements of one operator on their accumulators only, never on what one of them reads
            beside; order is free where reassociation is allowed.
        exact: besides, any order gives the same bits (integers, which wrap); order is always free.
    """

    source: str
    target: str
    source_iterators: tuple[str, ...]
    target_iterators: tuple[str, ...]
    text: str
    relation: isl.Map = field(compare=False, repr=False)
    kinds: frozenset[str]
    arrays: tuple[str, ...]
    reduction: bool = False
    exact: bool = False

    def is_free(self, reassociate: bool) -> bool:
        """Whether the order of the pairs does not matter: only that no two of them run at once."""
        return self.exact or (reassociate and self.reduction)

    def __getstate__(self) -> dict[str, object]:
        """isl's own pickling refuses maps whose two sides share a name."""
        return self.__dict__ | {"relation": str(self.relation)}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state | {"relation": isl.Map(str(state["relation"]))})

    def distance(self) -> tuple[int, ...] | None:
        """target - source where both have as many iterators and the difference is one constant vector, else None."""
        if len(self.source_iterators) != len(self.target_iterators):
            return None
        deltas = self.relation.set_tuple_name(isl.dim_type.in_, "").set_tuple_name(isl.dim_type.out, "").deltas()
        values = [deltas.plain_get_val_if_fixed(isl.dim_type.set, k) for k in range(deltas.dim(isl.dim_type.set))]
        return None if any(v.is_nan() for v in values) else tuple(v.to_python() for v in values)

    @property
    def cause(self) -> str:
        """Like ``RAW/WAW on A``."""
        return f"{'/'.join(k for k in (RAW, WAR, WAW) if k in self.kinds)} on {', '.join(self.arrays)}"

    def pair_text(self) -> str:
        """Like ``S[i,j] -> S[i+1,j-1]`` where the distance is constant, else the whole relation."""
        distance = self.distance()
        if distance is None:
            return self.text
        shifted = (_shifted(i, d) for i, d in zip(self.source_iterators, distance, strict=True))
        ends = (",".join(self.source_iterators), ",".join(shifted))
        first, second = (f"[{end}]" if end else "" for end in ends)
        return f"{self.source}{first} -> {self.target}{second}"

    def __str__(self) -> str:
        return f"{self.pair_text()} ({self.cause})"


def dependences(
    scop: Program, family: Family = "memory", granularity: Granularity = "statement"
) -> tuple[Dependence, ...]:
    """All dependences of one family; see `memory_dependences` and `value_dependences`."""
    return memory_dependences(scop, granularity) if family == "memory" else value_dependences(scop, granularity)


def memory_dependences(scop: Program, granularity: Granularity = "statement") -> tuple[Dependence, ...]:
    """Every pair of conflicting accesses in the original order: one dependence for each source, target and array.

    Pairs of accumulators of one reduction operator stand in a dependence of their own. They commute: any other access
    to the element conflicts with every one of them, so that it stays before or behind the same ones.
    Canonical order: source, target (both textual), array, accumulators last.
    """
    units = units_of(scop, granularity)
    conflicts = conflicts_of(units)
    order = _OriginalOrder()
    found = []
    for (s, t), per_array in sorted(conflicts.items()):
        for (array, folds), per_kind in sorted(per_array.items()):
            kinds = {kind: order.pairs(units[s], units[t], relation) for kind, relation in per_kind.items()}
            present = {kind: relation for kind, relation in kinds.items() if not relation.is_empty()}
            if present:
                whole = _dependence(units[s], units[t], _union(present.values()), frozenset(present), (array,))
                found.append(replace(whole, reduction=folds, exact=folds and units[s].exact))
    return tuple(found)


class _OriginalOrder:
    """Which pairs of instances run in the original order.

    Kept by how the schedules of two statements compare and by the pairs, not by the statements: those of a long body
    share its loops, so that all that matters is which of the two comes first.
    """

    def __init__(self) -> None:
        self._before: dict[object, isl.Map] = {}
        self._pairs: dict[object, isl.Map] = {}

    def pairs(self, source: Unit, target: Unit, relation: isl.Map) -> isl.Map:
        """Those of a relation of which the first instance runs before the second."""
        compared = (source.iterators, target.iterators, *map(_compared, source.rows, target.rows))
        relation = _without_names(relation)
        key = compared, str(relation)
        if key not in self._pairs:
            if compared not in self._before:
                self._before[compared] = _without_names(source.schedule.lex_lt_map(target.schedule))
            self._pairs[key] = (relation & self._before[compared]).coalesce()
        named = self._pairs[key].set_tuple_name(isl.dim_type.in_, source.name)
        return named.set_tuple_name(isl.dim_type.out, target.name)


def _compared(first: Affine, second: Affine) -> tuple[Affine, Affine]:
    """Rows of two schedules; of constants only which is less."""
    if first.is_constant and second.is_constant:
        less = min(first.constant, second.constant)
        return affine(int(first.constant > less)), affine(int(second.constant > less))
    return first, second


def _without_names(relation: isl.Map) -> isl.Map:
    return relation.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out)


def value_dependences(
    scop: Program,
    granularity: Granularity = "statement",
    arrays: Collection[str] | None = None,
    kinds: Collection[str] = (RAW, WAR, WAW),
) -> tuple[Dependence, ...]:
    """Flow, and last-access WAR and WAW, from isl's dataflow analysis; one dependence for each basic map.

    Args:
        arrays: on these alone; None: on all.
        kinds: of these alone.

    The relations of one source and target are united, whatever their kinds and arrays, coalesced and split into basic
    maps. Canonical order: source, target (both textual), text of the map.
    """
    units = units_of(scop, granularity)
    index = {unit.name: k for k, unit in enumerate(units)}
    parts: dict[tuple[int, int], list[tuple[str, str, isl.Map]]] = defaultdict(list)
    touched = {array_of(m) for unit in units for m in (*unit.reads, *unit.writes)}
    for array in sorted(touched if arrays is None else touched.intersection(arrays)):
        for kind, relation in _flow(units, array, kinds):
            for piece in _maps(relation):
                names = (piece.get_tuple_name(isl.dim_type.in_), piece.get_tuple_name(isl.dim_type.out))
                parts[index[str(names[0])], index[str(names[1])]].append((kind, array, piece))
    found = []
    for (s, t), pieces in sorted(parts.items()):
        whole = _union([piece for _, _, piece in pieces]).coalesce()
        split = [
            _dependence(units[s], units[t], relation, *_present(relation, pieces))
            for relation in (isl.Map.from_basic_map(b) for b in whole.get_basic_maps())
        ]
        found.extend(sorted(split, key=lambda d: d.text))
    return tuple(found)


def flow(scop: Program, statement: Statement, access: Access) -> tuple[dict[str, isl.Map], isl.Set]:
    """Where one read gets its values from.

    Returns:
        For each writing statement the map ``writer[i] -> statement[j]``, and the instances that read a value from
        before the Scop.
    Raises:
        OperationLimitError: if isl cannot tell in time.
    """
    reads = scop.access_map(statement, access)
    writers = scop.writers(access.array)
    outer = _settling(scop, statement, access, writers)
    if outer is not None:
        writers = tuple(writer for writer in writers if _share_body(outer, writer))
    # Part by part: most writers are writers of some parts alone, which isl's dataflow analysis takes long to find out.
    parts = [isl.Map.from_basic_map(part) for part in reads.get_basic_maps()] if len(writers) > 1 else [reads]
    sources: dict[str, isl.Map] = {}
    before = isl.Set.empty(reads.domain().get_space())
    for part in parts:
        found, certain = _sources(scop, statement, part, writers, 0 if outer is None else outer.depth)
        for relation in _maps(found):
            name = str(relation.get_tuple_name(isl.dim_type.in_))
            sources[name] = (sources[name].union(relation) if name in sources else relation).coalesce()
        missing = part.domain()
        for relation in _maps(certain):
            missing -= relation.range()
        before = before.union(missing)
    return sources, before.coalesce()


def _settling(scop: Program, statement: Statement, access: Access, writers: Sequence[Statement]) -> Statement | None:
    """The statement with the most loops around it that certainly writes what another reads, earlier in the same body:
    no value comes from other iterations of these loops, which isl's dataflow analysis takes long to find out."""
    found: Statement | None = None
    for writer in () if access.data else writers:
        depth = writer.depth
        if writer is statement or not writer.kills or not _share_body(writer, statement):
            continue
        here = {name: affine(other) for name, other in zip(writer.iterators, statement.iterators, strict=False)}
        if [s.substitute(here) for s in writer.target.subscripts] != list(access.subscripts):
            continue
        if writer.schedule[2 * depth].constant >= statement.schedule[2 * depth].constant:
            continue
        points = scop.access_map(statement, access).domain().reset_tuple_id()
        outer = points.project_out(isl.dim_type.set, depth, statement.depth - depth)
        certain = scop.access_map(writer, writer.target).domain().reset_tuple_id()
        if depth > (0 if found is None else found.depth) and outer.is_subset(certain):
            found = writer
    return found


def _share_body(first: Statement, second: Statement) -> bool:
    """Whether all loops around the first are around the second, too, and run through their counters in order."""
    return second.depth >= first.depth and all(
        first.schedule[2 * k] == second.schedule[2 * k]
        and first.schedule[2 * k + 1] == affine(first.iterators[k])
        and second.schedule[2 * k + 1] == affine(second.iterators[k])
        for k in range(first.depth)
    )


def _sources(
    scop: Program, statement: Statement, reads: isl.Map, writers: Sequence[Statement], depth: int
) -> tuple[isl.UnionMap, isl.UnionMap]:
    """Where reads get their values from, and where they certainly do.

    Args:
        depth: so many loops are around all of them, from other iterations of which no value comes.
    """
    elements = reads.range()
    written = {s: scop.access_map(s, s.target) for s in writers}
    if len(written) > 1:
        written = {s: relation for s, relation in written.items() if not relation.range().is_disjoint(elements)}
    if not written:
        none = isl.UnionMap.empty(reads.get_space())
        return none, none
    schedule = _union_map(isl.Map.from_multi_pw_aff(schedule_of(scop, s)) for s in dict.fromkeys((*written, statement)))
    order = schedule.intersect_domain(scop.domain)
    if depth:  # whose rows are the same for all
        rows = [_inside(relation, depth).project_out(isl.dim_type.out, 0, 2 * depth) for relation in _maps(order)]
        order = _union_map(rows) if rows else order
    writes = _union_map(_inside(relation, depth) for relation in written.values())
    kills = _kills(writes, [_inside(relation, depth) for s, relation in written.items() if not s.kills])
    sink = isl.UnionMap.from_map(_inside(reads, depth))
    found = _exact_last_accesses(writes, sink, kills, order)
    certain = found if kills is writes else _exact_last_accesses(kills, sink, kills, order)
    if not depth:
        return found, certain

    def whole(pairs: isl.UnionMap) -> isl.UnionMap:
        return _union_map([_outside(pair, depth) for pair in _maps(pairs)] or [isl.Map.empty(reads.get_space())])

    return whole(found), whole(certain)


def _inside(relation: isl.Map, depth: int) -> isl.Map:
    """A relation of instances in one iteration of the outermost loops, whose counters are parameters."""
    parameters, instances = isl.dim_type.param, isl.dim_type.in_
    name, first = relation.get_tuple_name(instances), relation.dim(parameters)
    relation = relation.move_dims(parameters, first, instances, 0, depth)
    for k in range(depth):
        relation = relation.set_dim_name(parameters, first + k, f"polyloop_c{k}")
    return relation.set_tuple_name(instances, name)


def _outside(relation: isl.Map, depth: int) -> isl.Map:
    """The opposite, of pairs of instances in one iteration."""
    kinds = isl.dim_type.in_, isl.dim_type.out
    names = [relation.get_tuple_name(kind) for kind in kinds]
    for kind in kinds:
        relation = relation.insert_dims(kind, 0, depth)
    for k in range(depth):
        place = relation.find_dim_by_name(isl.dim_type.param, f"polyloop_c{k}")
        for kind in kinds:
            relation = relation.equate(kind, k, isl.dim_type.param, place)
        relation = relation.project_out(isl.dim_type.param, place, 1)
    for kind, name in zip(kinds, names, strict=True):
        relation = relation.set_tuple_name(kind, name)
    return relation


def basic_blocks(scop: Program) -> tuple[tuple[str, ...], ...]:
    """Names of the statements of each basic block: adjacent assignments under the same loops with one domain."""
    return tuple(tuple(s.name for s in group) for group in groups_of(scop))


def _flow(units: list[Unit], array: str, wanted: Collection[str]) -> Iterator[tuple[str, isl.UnionMap]]:
    """Last-access dependences on one array. For WAR, writes kill: only reads since the last write are sources."""
    reads = [m for unit in units for m in unit.reads if array_of(m) == array]
    writes = [m for unit in units for m in unit.writes if array_of(m) == array]
    if not writes:
        return
    touching = [u for u in units if any(array_of(m) == array for m in (*u.reads, *u.writes))]
    # Coalesced: the dataflow analysis takes a hundred times as long on a domain in many overlapping parts.
    instances = _union_map([*reads, *writes]).domain().coalesce()
    order = _union_map([isl.Map.from_multi_pw_aff(u.schedule) for u in touching]).intersect_domain(instances)
    all_writes = _union_map(writes)
    kills = _kills(all_writes, [m for unit in units for m in unit.uncertain if array_of(m) == array])
    ends = {WAW: (all_writes, all_writes)}
    if reads:
        all_reads = _union_map(reads)
        ends |= {RAW: (all_writes, all_reads), WAR: (all_reads, all_writes)}
    for kind, (sources, sinks) in ends.items():
        if kind in wanted:
            yield kind, _last_accesses(sources, sinks, kills, order)


def _kills(writes: isl.UnionMap, uncertain: list[isl.Map]) -> isl.UnionMap:
    """The writes behind which nothing is left of what was there."""
    return writes.subtract(_union_map(uncertain)) if uncertain else writes


def _last_accesses(
    sources: isl.UnionMap, sinks: isl.UnionMap, kills: isl.UnionMap, order: isl.UnionMap
) -> isl.UnionMap:
    """Pairs of conflicting accesses with no write in between; all conflicting pairs where isl cannot tell in time.

    More pairs than needed only ask more of a schedule, so that every caller stays right.
    """
    try:
        with limited(FLOW_OPERATIONS):
            return _exact_last_accesses(sources, sinks, kills, order)
    except OperationLimitError:
        return _pairs(sources, sinks, order)


def _exact_last_accesses(
    sources: isl.UnionMap, sinks: isl.UnionMap, kills: isl.UnionMap, order: isl.UnionMap
) -> isl.UnionMap:
    """isl's dataflow analysis; where that fails on conditions with several moduli, plain set algebra in its place.

    Raises:
        OperationLimitError: if that takes too long.
    """
    if order.is_empty():
        return _pairs(sources, sinks, order)
    info = isl.UnionAccessInfo.from_sink(sinks).set_schedule(_one_band(order))
    try:
        if sources is kills:
            return info.set_must_source(sources).compute_flow().get_must_dependence()
        return info.set_may_source(sources).set_kill(kills).compute_flow().get_may_dependence()
    except isl.Error as error:
        if "involves some of the domain dimensions" not in str(error):
            raise
    with limited(SUBTRACTION_OPERATIONS):
        overwritten = _pairs(sources, kills, order).apply_range(_pairs(kills, sinks, order))
        return _pairs(sources, sinks, order).subtract(overwritten).coalesce()


def _pairs(sources: isl.UnionMap, sinks: isl.UnionMap, order: isl.UnionMap) -> isl.UnionMap:
    """All pairs that touch one element, the source first."""
    return sources.apply_range(sinks.reverse()).intersect(order.lex_lt_union_map(order))


def _one_band(order: isl.UnionMap) -> isl.Schedule:
    """The schedule as a tree: given a map, isl's dataflow analysis fails on some strided loops (an affine expression
    "involves some of the domain dimensions"). Rows that are the same constant for all statements order nothing, but
    each costs the analysis two levels."""
    maps = _maps(order)
    for row in reversed(range(maps[0].dim(isl.dim_type.out))):
        fixed = [relation.plain_get_val_if_fixed(isl.dim_type.out, row) for relation in maps]
        if all(value.is_int() and value.eq(fixed[0]) for value in fixed):
            maps = [relation.project_out(isl.dim_type.out, row, 1) for relation in maps]
    rows = isl.MultiUnionPwAff.from_union_map(_union_map(maps))
    return isl.Schedule.from_domain(order.domain()).insert_partial_schedule(rows)


def _present(relation: isl.Map, pieces: list[tuple[str, str, isl.Map]]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Kinds and arrays of the pieces that have a part in a relation."""
    parts = [(kind, array) for kind, array, piece in pieces if not relation.is_disjoint(piece)]
    return frozenset(kind for kind, _ in parts), tuple(sorted({array for _, array in parts}))


def _dependence(
    source: Unit, target: Unit, relation: isl.Map, kinds: frozenset[str], arrays: tuple[str, ...]
) -> Dependence:
    reduction = source.name == target.name and arrays == (source.reduction_array,)
    return Dependence(
        source.name, target.name, source.iterators, target.iterators, str(relation), relation, kinds, arrays, reduction
    )


def _union(maps: Collection[isl.Map]) -> isl.Map:
    """One map of several that are coalesced."""
    first, *others = maps
    return reduce(isl.Map.union, others, first).coalesce() if others else first


def _union_map(maps: Iterable[isl.Map]) -> isl.UnionMap:
    result: isl.UnionMap | None = None
    for relation in maps:
        single = isl.UnionMap.from_map(relation)
        result = single if result is None else result.union(single)
    assert result is not None
    return result


def _maps(union: isl.UnionMap) -> list[isl.Map]:
    """Its parts. No function is called back, in which isl would print and forget what ends a search."""
    parts = union.get_map_list()
    return [parts.get_at(k) for k in range(parts.n_map())]


def _shifted(iterator: str, distance: int) -> str:
    return iterator if distance == 0 else f"{iterator}{'+' if distance > 0 else '-'}{abs(distance)}"
