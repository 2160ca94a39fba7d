"""What the statements of a Scop touch and when, and which of their accesses conflict.

A unit is a statement, or at block granularity adjacent statements seen as one. Conflicts come in no order: the original
schedule decides in `polyloop.scop.dependence`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import islpy as isl

from polyloop.backend.ir.affine import affine
from polyloop.errors import PolyloopError
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.program import Program, Statement

Granularity: TypeAlias = Literal["statement", "block"]

MOST_PAIRS = 100_000
"""Pairs of accesses to one array, of which each is a map of isl's to join: some 30 s and 300 MB."""

RAW, WAR, WAW = "RAW", "WAR", "WAW"


class TooManyAccessesError(PolyloopError):
    """A region of so many statements that its dependences would take too long."""


@dataclass(frozen=True)
class Unit:
    """A statement, or a block of adjacent ones seen as one: what it touches and when.

    `folds`: operator and access of a reduction's accumulator, which is both read and written; `reads` has it, too.
    """

    name: str
    iterators: tuple[str, ...]
    reads: tuple[isl.Map, ...]
    writes: tuple[isl.Map, ...]
    schedule: isl.MultiPwAff
    folds: tuple[str, int] | None = None
    reduction_array: str | None = None
    exact: bool = False


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
    own: int | None = None
    for statement in group:
        for access in statement.reads:
            relation = scop.access_map(statement, access).set_tuple_name(isl.dim_type.in_, first.name)
            for written in writes:
                if array_of(written) == access.array:
                    relation = relation - written
            if not relation.is_empty():
                own = len(reads) if access == first.target else own
                reads.append(relation)
        writes.append(scop.access_map(statement, statement.target).set_tuple_name(isl.dim_type.in_, first.name))
    unit = Unit(first.name, first.iterators, tuple(reads), tuple(writes), schedule_of(scop, first))
    if len(group) > 1 or first.reduction is None or own is None:
        return unit
    exact = not scop.array(first.target.array).type.is_float
    alone = sum(array_of(relation) == first.target.array for relation in reads) == 1
    array = first.target.array if alone else None
    return replace(unit, folds=(first.reduction, own), reduction_array=array, exact=exact)


def schedule_of(scop: Program, statement: Statement) -> isl.MultiPwAff:
    """The original schedule, without its last constant for statements shorter than others: no two statements agree
    on all of a shorter one's rows, so zeros may fill the rest."""
    length = max(len(s.schedule) for s in scop.statements)
    rows = [affine_to_text(row) for row in statement.schedule] + ["0"] * (length - len(statement.schedule))
    source = f"{statement.name}[{', '.join(statement.iterators)}]"
    text = f"[{', '.join(scop.parameters)}] -> {{ {source} -> [{', '.join(rows)}] }}"
    return isl.MultiPwAff.from_multi_aff(isl.MultiAff(text))


Conflicts: TypeAlias = dict[tuple[int, int], dict[tuple[str, bool], dict[str, isl.Map]]]


def conflicts_of(units: list[Unit]) -> Conflicts:
    """(source, target) -> (array, whether both accesses are accumulators of one operator) -> kind -> pairs that touch
    one element, in any order.

    Raises:
        TooManyAccessesError: if there are more than `MOST_PAIRS` to look at.
    """
    pairs = _pairs_of(units)
    if pairs > MOST_PAIRS:
        raise TooManyAccessesError(
            f"{len(units)} statements have {pairs} pairs of accesses to the same arrays, more than {MOST_PAIRS}: "
            "more than can be proven in reasonable time; mark fewer statements, or mark them in parts"
        )
    result: Conflicts = defaultdict(lambda: defaultdict(dict))
    for s, source in enumerate(units):
        for t, target in enumerate(units):
            for kind, firsts, seconds in (
                (RAW, source.writes, target.reads),
                (WAR, source.reads, target.writes),
                (WAW, source.writes, target.writes),
            ):
                for first in firsts:
                    for second in seconds:
                        if array_of(first) == array_of(second):
                            relation = first.apply_range(second.reverse())
                            known = result[s, t][array_of(first), _commute(source, first, target, second)]
                            known[kind] = known[kind].union(relation) if kind in known else relation
    return result


def _pairs_of(units: list[Unit]) -> int:
    """How many pairs of accesses touch one array, one of them writing."""
    reads = Counter(array_of(access) for unit in units for access in unit.reads)
    writes = Counter(array_of(access) for unit in units for access in unit.writes)
    return sum(count * (2 * reads[array] + count) for array, count in writes.items())


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
