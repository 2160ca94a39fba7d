"""Neighbouring vectors from one load: a stencil's loads that differ by a few elements share what they have in common.

    for i by 8:  B[i..] = A[i-1..] + A[i..] + A[i+1..]
    ->  before = A[lower-1..], moved into the last lanes
        for i by 8:  next = A[i+1..];  B[i..] = (before, next)[6..13] + (before, next)[7..14] + next;  before = next

Vectors that start anywhere lie across two cache lines mostly, and cost two accesses; shuffles of registers cost less
(Henretty et al., "Data Layout Transformation for Stencil Computations on Short-Vector SIMD Architectures", CC 2011,
change the layout for it). C compilers do so only where they know that nothing overlaps, and gcc not at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least
from polyloop.backend.ir.vector_program import Carried, For, If, Let, Load, Shuffle, Statement, Store, Value, ValueType
from polyloop.backend.planning.emitter import Names

LEAST = 3
"""Neighbours from which on it pays: with two of them there is one load less and one shuffle more."""

_Row: TypeAlias = "tuple[str, tuple[Affine, ...], Affine, ValueType]"


def share_neighbours(body: Iterable[Statement], names: Names) -> tuple[Statement, ...]:
    """The statements with such loops in their new form."""
    result: list[Statement] = []
    for statement in body:
        match statement:
            case For():
                inner = replace(statement, body=share_neighbours(statement.body, names))
                result.append(_shared(inner, names))
            case If(condition, then, orelse):
                result.append(If(condition, share_neighbours(then, names), share_neighbours(orelse, names)))
            case _:
                result.append(statement)
    return tuple(result)


@dataclass(frozen=True)
class _Neighbours:
    """Loads of one row.

    Attributes:
        names: of their values, by the constant part of the last subscript.
        load: of the first vector.
    """

    names: dict[int, list[str]]
    load: Load

    @property
    def first(self) -> int:
        return min(self.names)

    @property
    def last(self) -> int:
        return max(self.names)

    def at(self, offset: int) -> Load:
        array, (*outer, inner), strides = self.load.address
        return Load(v.Address(array, (*outer, inner + (offset - inner.constant)), strides), self.load.type)


def _shared(loop: For, names: Names) -> Statement:
    """The loop, and in front of it what its first iteration needs; the loop as it is where nothing can be shared."""
    groups = _neighbours(loop)
    if not groups:
        return loop
    before: list[Statement] = []
    heads: list[Statement] = []
    carried: list[Carried] = []
    shuffles: dict[str, Shuffle] = {}
    for group in groups:
        type_ = group.load.type
        kept = Value(names.fresh("v"), type_)
        following = Value(group.names[group.last][0], type_)
        before += _entering(loop, group, names)
        last = before[-1]
        assert isinstance(last, Let)
        carried.append(Carried(kept.name, type_, Value(last.name, type_), following, names.fresh("v")))
        heads.append(Let(following.name, group.at(group.last)))
        for offset, values in group.names.items():
            start = type_.lanes - (group.last - offset)
            lanes = tuple(range(start, start + type_.lanes))
            shuffles |= dict.fromkeys(values, Shuffle((kept, following), lanes, type_))
    leaders = {head.name for head in heads if isinstance(head, Let)}
    rest = (
        Let(statement.name, shuffles[statement.name])
        if isinstance(statement, Let) and statement.name in shuffles
        else statement
        for statement in loop.body
        if not (isinstance(statement, Let) and statement.name in leaders)
    )
    changed = replace(loop, body=(*heads, *rest), carried=tuple(carried))
    return If(at_least(loop.upper, loop.lower + 1), (*before, changed))


def _entering(loop: For, group: _Neighbours, names: Names) -> list[Statement]:
    """What the first iteration finds kept: its first vector, moved so that it ends where the last vector begins."""
    type_, load = group.load.type, group.at(group.first)
    subscripts = tuple(s.substitute({loop.variable: loop.lower}) for s in load.address.subscripts)
    first = Value(names.fresh("v"), type_)
    start = type_.lanes - (group.last - group.first)
    lanes = tuple(max(0, lane - start) for lane in range(type_.lanes))
    moved = Load(v.Address(load.address.array, subscripts, load.address.lane_strides), type_)
    return [Let(first.name, moved), Let(names.fresh("v"), Shuffle((first, first), lanes, type_))]


def _neighbours(loop: For) -> list[_Neighbours]:
    """Rows of which the loop loads several neighbouring vectors in every iteration, and that it does not change; none
    where it loads others besides: in planes these were measured to wait for what does not come from shuffles."""
    if loop.carried or loop.parallel or not all(map(_is_plain, loop.body)):
        return []
    stored = {statement.address.array for statement in loop.body if isinstance(statement, Store)}
    rows: dict[_Row, _Neighbours] = {}
    for statement in loop.body:
        match statement:
            case Let(name, Load(address, type_, active) as load) if type_.lanes > 1:
                row = _row(loop, address, type_)
            case _:
                continue
        if row is None or active is not None or address.array in stored:
            return []
        group = rows.setdefault(row, _Neighbours({}, load))
        group.names.setdefault(address.subscripts[-1].constant, []).append(name)
    apart = any(len(g.names) < LEAST or g.last - g.first >= g.load.type.lanes for g in rows.values())
    return [] if apart else list(rows.values())


def _is_plain(statement: Statement) -> bool:
    match statement:
        case Let(_, v.LazyPick()):
            return False
        case Let() | Store() | v.Prefetch():
            return True
        case _:
            return False


def _row(loop: For, address: v.Address, type_: ValueType) -> _Row | None:
    """What neighbouring vectors have in common; None where the loop does not run along them."""
    *outer, inner = address.subscripts or (affine(0),)
    *across, along = address.lane_strides or (0,)
    if type_.lanes < 2 or along != 1 or any(across) or loop.step != type_.lanes:
        return None
    if inner.coefficient(loop.variable) != 1 or loop.variable in (inner - affine(loop.variable)).variables():
        return None
    if any(loop.variable in s.variables() for s in outer):
        return None
    return address.array, tuple(outer), inner - inner.constant, type_
