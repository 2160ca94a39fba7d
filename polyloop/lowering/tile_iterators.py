"""Numbers of tiles as iterators: what makes isl's AST generator fast where a loop counts sums of tile numbers.

The diagonals of tiles that run in parallel along a wavefront are ``floor(t / 32) + floor((i + 2*t) / 64)``. Each
division hides an integer that isl has to eliminate, at every loop inside of them anew, and it takes 20 seconds for a
stencil of two dimensions over arrays of known extents. If the numbers of the tiles are iterators of the statement,

    S[t, i]  ->  S[t, i, tt, it]  with  32*tt <= t < 32*tt + 32  and  64*it <= i + 2*t < 64*it + 64

the diagonals are ``tt + it``, nothing is hidden, and it takes as long as for the tiles one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import islpy as isl

from polyloop.backend.ir.affine import Affine, Atom, FloorDiv, affine
from polyloop.backend.ir.loop_nest import numbered_name
from polyloop.schedules.isl_trees import loop_name
from polyloop.schedules.tree import Band, Member, Node, ScheduleTree
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.model import Scop, Statement


def with_tile_iterators(scop: Scop, tree: ScheduleTree) -> tuple[Scop, ScheduleTree]:
    """The same instances in the same order; statements that such sums are of have the tiles in these as further
    iterators, behind their own, and loops count those in the place of divisions. Register tiles, which no diagonal is
    made of, stay divisions of the loops inside of them, by which they are known as such."""
    values = [value for _, band in tree.bands() for member in band.members for value in member.values()]
    names: dict[str, dict[FloorDiv, str]] = {}
    for name, value in values:
        for tile in value.divisions if len(value.divisions) > 1 else ():
            known = names.setdefault(name, {})
            known.setdefault(tile, _name(scop, name, tile, known))
    statements = tuple(_extended(scop, s, names[s.name]) if s.name in names else s for s in scop.statements)
    return replace(scop, statements=statements), tree.map_nodes(lambda node: _counting(node, names))


def _name(scop: Scop, statement: str, tile: FloorDiv, known: Mapping[FloorDiv, str]) -> str:
    stem = loop_name(Member(((statement, tile.dividend),), tile.divisor))
    return numbered_name(stem, scop.statement(statement).iterators, scop.parameters, known.values())


def _extended(scop: Scop, statement: Statement, names: Mapping[FloorDiv, str]) -> Statement:
    iterators = (*statement.iterators, *names.values())
    limits = " and ".join(
        f"{tile.divisor}*{name} <= {affine_to_text(tile.dividend)} < {tile.divisor}*{name} + {tile.divisor}"
        for tile, name in names.items()
    )
    own, more = ", ".join(statement.iterators), ", ".join(iterators)
    further = isl.Map(f"[{', '.join(scop.parameters)}] -> {{ {statement.name}[{own}] -> [{more}] : {limits} }}")
    domain = statement.domain.apply(further).set_tuple_name(statement.name)
    return replace(statement, iterators=iterators, domain=domain)


def _counting(node: Node, names: Mapping[str, Mapping[FloorDiv, str]]) -> Node:
    if not isinstance(node, Band):
        return node
    return replace(node, members=tuple(_member(member, names) for member in node.members))


def _member(member: Member, names: Mapping[str, Mapping[FloorDiv, str]]) -> Member:
    def counted(statement: str, value: Affine) -> Affine:
        def iterator(atom: Atom) -> Affine:
            known = names.get(statement, {}).get(atom) if isinstance(atom, FloorDiv) else None
            return Affine(((atom, 1),)) if known is None else affine(known)

        return value.map_atoms(iterator)

    values = member.values()
    rows = tuple((name, counted(name, value)) for name, value in values)
    return member if rows == values else replace(member, rows=rows, divisor=1)
