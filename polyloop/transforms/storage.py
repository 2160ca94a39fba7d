"""Helpers of the transforms that change a Scop: new names, last writes, conflicts over storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import islpy as isl

from polyloop.backend.ir.expressions import Access, Expression, Read, rewrite
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop, Statement


def storage_conflicts(scop: Scop, array: str) -> isl.UnionMap:
    """Pairs ordered by WAR or WAW on one array where no value may pass."""
    conflicts = values = isl.UnionMap.empty(scop.domain.get_space())
    statements = tuple(s for s in scop.statements if array in (s.target.array, *(a.array for a in s.reads)))
    for dependence in memory_dependences(replace(scop, statements=statements)):
        if dependence.arrays == (array,):
            conflicts = conflicts.union(isl.UnionMap.from_map(dependence.relation))
    for statement in statements:
        for access in (a for a in statement.reads if a.array == array):
            for writer in (s for s in statements if s.target.array == array):
                same = scop.access_map(writer, writer.target).apply_range(scop.access_map(statement, access).reverse())
                values = values.union(isl.UnionMap.from_map(same))
    return conflicts.subtract(values)


def last_writes(scop: Scop, array: str) -> Iterator[tuple[Statement, isl.Set]]:
    """For each statement that writes an array the instances whose value nothing overwrites."""
    writers = tuple(s for s in scop.statements if s.target.array == array)
    overwritten = memory_dependences(replace(scop, statements=writers))
    for writer in writers:
        last = writer.domain.intersect_params(scop.context & scop.assumptions)
        for dependence in overwritten:
            if dependence.source == writer.name and dependence.arrays == (array,):
                target = scop.statement(dependence.target)
                same = scop.access_map(writer, writer.target).apply_range(
                    scop.access_map(target, target.target).reverse()
                )
                last = last - (dependence.relation & same).domain()
        yield writer, last


def reads_in_step(old: Statement, new: Statement) -> tuple[Access, ...]:
    """The new statement's access for each of the old one's distinct reads, found by position in the expression."""
    from_old = [node.access for node in _all_reads(old)]
    from_new = [node.access for node in _all_reads(new)]
    return tuple(dict(zip(from_old, from_new, strict=True)).values())


def _all_reads(statement: Statement) -> list[Read]:
    found: list[Read] = []

    def one(node: Expression) -> Expression:
        if isinstance(node, Read):
            found.append(node)
        return node

    rewrite(statement.value, one)
    return found


def names_of(scop: Scop) -> frozenset[str]:
    """Every name that a Scop uses."""
    iterators = (name for s in scop.statements for name in s.iterators)
    arrays, statements = (a.name for a in scop.arrays), (s.name for s in scop.statements)
    return frozenset((*scop.parameters, *arrays, *statements, *iterators))


def fresh_name(name: str, taken: frozenset[str]) -> str:
    """The name, with as many underscores behind it as make it new."""
    while name in taken:
        name += "_"
    return name
