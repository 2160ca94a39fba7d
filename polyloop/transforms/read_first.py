"""ReadFirst, Substitute and Addend: where in a loop's body values are read.

What the body would lose is read at its begin (node splitting); what a scalar of one iteration keeps for one statement
is computed there (forward substitution), and what a sum adds up before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.planning.values import is_safe
from polyloop.scop.dependence import flow, memory_dependences
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    ScopTransform,
    beside,
    fresh_name,
    in_place_of,
    names_of,
    order_of,
    reads_own_iteration,
    same_sources,
    takes_long,
    together,
)

_MANY = 8
"""Operations from which on a sum in order waits for what it adds up more than for itself; a function or a quotient is
as many."""
_LONGEST = 500
"""Nodes of an expression that has the value of a scalar more than once: what is made twice of one that is made twice of
a third one has that four times, and so on."""


@dataclass(frozen=True)
class ReadFirst(ScopTransform):
    """Read an element where the innermost loop's body begins.

    Rewrite:
        for i: { a[i] = f(i);  b[i] = g(a[i+1]); }   ->   for i: { r = a[i+1];  a[i] = f(i);  b[i] = g(r); }

    Iterations that run as lanes store all of a before b is computed; with the read in front of that they still load
    what the next iterations will overwrite. The new scalar is private to an iteration.

    Attributes:
        statement: its name.
        access: what it reads, in any iteration.
    References:
        Kuck et al., "Dependence Graphs and Compiler Optimizations", POPL 1981, who call it node splitting.
    """

    statement: str
    access: e.Access

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Reads of elements that a later iteration overwrites in a statement that comes before."""
        for source in scop.statements:
            before = [s for s in scop.statements if _same_loop(source, s) and order_of(s) < order_of(source)]
            for access in _certain(source) if before else ():
                if any(_overwrites(scop, source, access, target) for target in before):
                    yield cls(source.name, access)

    @property
    def action(self) -> str:
        return f"read {self.access} of {self.statement} first"

    def changed(self, scop: Scop) -> Scop:
        statement = self.statement_of(scop, self.statement)
        if not statement.depth or self.access not in _certain(statement):
            raise self.refused(scop, "it does not surely read that in every iteration")
        array, names = scop.array(self.access.array), names_of(scop)
        name, place = fresh_name(f"{statement.name}_first", names), fresh_name(f"{array.name}_first", names)
        inside = [s for s in scop.statements if _same_loop(s, statement)]
        value = e.Read(self.access, array.type)
        places = min(map(order_of, inside)) - 1 - order_of(statement)
        first = beside(statement, name, e.Access(place), value, places)
        read = e.Read(first.target, array.type)
        found = e.rewrite(statement.value, lambda node: read if node == value else node)
        changed = replace(statement, value=found, reduction=None)
        statements: list[Statement] = []
        for other in scop.statements:
            if other is inside[0]:
                statements.append(first)
            statements.append(changed if other is statement else other)
        arrays = (*scop.arrays, Array(place, array.type, (), local=True))
        new = replace(scop, arrays=arrays, statements=tuple(statements))
        if not _same_flow(scop, statement, new, first, self.access):
            raise self.refused(scop, "it is written between there and the statement")
        return new


def _same_loop(one: Statement, other: Statement) -> bool:
    """Whether the same innermost loop has both in its body itself."""
    mine, its = one.schedule, other.schedule
    return 0 < one.depth == other.depth and mine[:-1:2] == its[:-1:2] and one.iterators == other.iterators


def _overwrites(scop: Scop, source: Statement, access: e.Access, target: Statement) -> bool:
    """Whether a later instance of a statement overwrites what another one reads."""
    if access.array != target.target.array or access == target.target:
        return False
    pair = replace(scop, statements=(target, source))
    touched = scop.access_map(source, access).apply_range(scop.access_map(target, target.target).reverse())
    return any(
        (d.source, d.target) == (source.name, target.name) and not (touched & d.relation).is_empty()
        for d in memory_dependences(pair)
    )


def _certain(statement: Statement) -> tuple[e.Access, ...]:
    """What is read whatever data there are."""
    certain = frozenset[e.Access]() if statement.conditional else e.certain_accesses(statement.value)
    return tuple(a for a in statement.reads if a in certain and a.subscripts and not a.data)


# --- Substitute -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Substitute(ScopTransform):
    """Compute a scalar of one iteration in the statement that reads it.

    Rewrite:
        for k: { t = a[i][k] - b[j][k];  s += t * t; }   ->   for k: s += (a[i][k] - b[j][k]) * (a[i][k] - b[j][k]);

    No storage is left between the two, so that what sums up may be tiled as it is, each of several sums by itself.
    Products that C rounds where it assigns them are rounded still. Planning computes what is written twice once.

    Attributes:
        array: the scalar's name.
    """

    array: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Scalars that one statement writes and others, in the same loop, read."""
        for array in scop.arrays:
            if array.local and not array.shape and _uses(scop, array.name) is not None:
                yield cls(array.name)

    @property
    def action(self) -> str:
        return f"substitute {self.array}"

    def changed(self, scop: Scop) -> Scop:
        array = next((a for a in scop.arrays if a.name == self.array), None)
        if array is None or array.shape or not array.local:
            raise self.refused(scop, "there is no such scalar of its own")
        uses = _uses(scop, self.array)
        if uses is None:
            reason = "not one statement alone writes it, or what reads it is outside of the same loop"
            several = "several do that would each take more than one operation for it"
            raise self.refused(scop, f"{reason}, or {several}, or one has it too often")
        source, readers = uses
        for reader in readers:
            if not reads_own_iteration(scop, source, reader):
                raise self.refused(scop, f"{reader.name} may read what its own iteration has not written")

        value = source.value
        # C rounds a product that it assigns: in the sums of its readers it must not be fused.
        if value.type.is_float and e.contracted(e.Binary("+", value, value, value.type)) is not None:
            value = e.apart(value)

        def one(node: e.Expression) -> e.Expression:
            return value if isinstance(node, e.Read) and node.access == source.target else node

        def without(reader: Statement) -> Statement:
            return replace(
                reader,
                value=e.rewrite(_eager(scop, reader), one),
                target=e.rewrite_access(reader.target, one),
                reduction=None if reader.target in source.reads else reader.reduction,
            )

        changed = {reader.name: without(reader) for reader in readers}
        statements = tuple(changed.get(s.name, s) for s in scop.statements if s is not source)
        arrays = tuple(a for a in scop.arrays if a is not array)
        new = replace(scop, arrays=arrays, statements=statements)
        # On its way to the readers nothing that the value is made of may have changed.
        written = {name: _written_between(scop, source, scop.statement(name)) for name in changed}
        for access in source.reads:
            asked = [changed[name] for name, between in written.items() if access.array in between]
            if not all(_same_flow(scop, source, new, reader, access) for reader in asked):
                raise self.refused(scop, f"{access} is written between the two")
        return new


def _uses(scop: Scop, name: str) -> tuple[Statement, list[Statement]] | None:
    """The statement that always writes a scalar and those that read it, in the same loop: one, or several of a value of
    one operation at most, which is soon computed again; None, too, where one has it so often that it would be long."""
    writers = scop.writers(name)
    readers = [s for s in scop.statements if any(access.array == name for access in s.reads)]
    if len(writers) != 1 or not readers or writers[0] in readers or writers[0].conditional:
        return None
    source = writers[0]
    if not all(_same_loop(source, reader) for reader in readers) or len(readers) > 1 < _operations(source.value):
        return None
    if any(_would_be_long(source, reader) for reader in readers):
        return None
    whole = any(isinstance(node, e.Fold | e.OutsideCall) for s in (source, *readers) for node in e.walk(s.value))
    return None if whole else (source, readers)


def _would_be_long(source: Statement, reader: Statement) -> bool:
    times = sum(read.access == source.target for read in e.reads(reader.value))
    return times > 1 and times * _length(source.value) + _length(reader.value) > _LONGEST


def _length(value: e.Expression) -> int:
    return sum(1 for _ in e.walk(value))


def _operations(value: e.Expression) -> int:
    return sum(_MANY if takes_long(n) else not isinstance(n, e.Read | e.Literal | e.Cast) for n in e.walk(value))


def _eager(scop: Scop, reader: Statement) -> e.Expression:
    """A statement's value where choices say that C reads both sides anyway: those that ask for nothing but scalars,
    which may become the elements that these were read from."""
    scalars = {array.name for array in scop.arrays if not array.shape}

    def one(node: e.Expression) -> e.Expression:
        match node:
            case e.Logical(_, _, right):
                sides: tuple[e.Expression, ...] = (right,)
            case e.Select(_, then, otherwise):
                sides = (then, otherwise)
            case _:
                return node
        safe = all(is_safe(side, frozenset(), lambda access: access.array in scalars) for side in sides)
        return replace(node, eager=True) if safe else node

    if not reader.conditional:
        return e.rewrite(reader.value, one)
    # Whether something is stored at all stays a choice.
    return e.with_children(reader.value, tuple(e.rewrite(part, one) for part in e.children(reader.value)))


def _written_between(scop: Scop, first: Statement, last: Statement) -> set[str]:
    """Arrays that something writes between two statements of one iteration of a loop."""
    at, places = 2 * first.depth, (order_of(first), order_of(last))
    inside = together(scop, first, first.depth)
    return {s.target.array for s in inside if min(places) <= s.schedule[at].constant <= max(places)}


def _same_flow(old: Scop, one: Statement, new: Scop, other: Statement, access: e.Access) -> bool:
    """Whether a value read by a statement comes from where it came from for another in the same loop, wherever the
    other one is executed."""
    (sources, before), (found, still) = flow(old, one, access), flow(new, other, access)
    domain = other.domain.set_tuple_name(one.name)
    expected = {name: relation.intersect_range(domain) for name, relation in sources.items()}
    named = {name: relation.set_tuple_name(isl.dim_type.out, one.name) for name, relation in found.items()}
    return same_sources(expected, named) and bool(still.set_tuple_name(one.name).is_equal(before & domain))


# --- Addend -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Addend(ScopTransform):
    """Compute what a sum of floating-point numbers adds up in a statement before it.

    Rewrite:
        for j: s = s + f(j);   ->   for j: { v = f(j);  s = s + v; }

    With v expanded over the loop, the f(j) are computed in lanes and added up in their order, bit for bit. Legal by
    construction: the same operations in the same order, and no addition absorbs a product that it did before.

    Attributes:
        statement: its name.
    References:
        Allen and Kennedy, "Optimizing Compilers for Modern Architectures", 2002, section 5.2 (scalar expansion); here
        the scalar is made first.
    """

    statement: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Sums of what takes longer than an addition: quotients, functions, long expressions."""
        for statement in scop.statements:
            if statement.depth and any(map(_is_long, _addends(statement))):
                yield cls(statement.name)

    @property
    def action(self) -> str:
        return f"compute what {self.statement} adds up first"

    def changed(self, scop: Scop) -> Scop:
        statement = self.statement_of(scop, self.statement)
        addends = _addends(statement)
        if not addends:
            raise self.refused(scop, "there is no such sum of floating-point numbers, or it fuses a product")
        # Of several, those that are short are read where they are added.
        taken = [addend for addend in addends if _is_long(addend)] or addends[-1:]
        names, arrays, first = names_of(scop), list[Array](), list[Statement]()
        reads: dict[int, e.Expression] = {}
        for number, addend in enumerate(taken):
            name = fresh_name(f"{statement.name}_addend", names)
            place = fresh_name(f"{statement.target.array}_addend", names)
            names |= {name, place}
            # What is widened only to be added is kept as it was: twice as many in a vector.
            widened = isinstance(addend, e.Cast) and addend.operand.type.is_float
            kept = addend.operand if isinstance(addend, e.Cast) and widened else addend
            read = e.Read(e.Access(place), kept.type)
            arrays.append(Array(place, kept.type, (), local=True))
            first.append(beside(statement, name, read.access, kept, number))
            reads[id(addend)] = replace(addend, operand=read) if isinstance(addend, e.Cast) and widened else read
        schedule = (*statement.schedule[:-1], statement.schedule[-1] + len(taken))
        total = replace(statement, value=_with_addends(statement.value, reads), schedule=schedule)
        statements = in_place_of(scop.statements, statement, (*first, total), len(taken))
        return replace(scop, arrays=(*scop.arrays, *arrays), statements=statements)


def _addends(statement: Statement) -> list[e.Expression]:
    """What is added to the target, or subtracted from it, one after the other, where that is all that happens to it;
    none where one of them is fused with the addition."""
    value, found = statement.value, list[e.Expression]()
    while isinstance(value, e.Binary) and value.operator in ("+", "-") and value.type.is_float:
        whole = any(isinstance(node, e.Fold | e.OutsideCall) for node in e.walk(value.right))
        own = any(read.access.array == statement.target.array for read in e.reads(value.right))
        if whole or own or e.contracted(value) is not None:
            return []
        found.insert(0, value.right)
        value = value.left
    sums = isinstance(value, e.Read) and value.access == statement.target and not statement.conditional
    return found if sums else []


def _with_addends(value: e.Expression, reads: Mapping[int, e.Expression]) -> e.Expression:
    """The sum, with others of what it adds up."""
    if not isinstance(value, e.Binary):
        return value
    return replace(value, left=_with_addends(value.left, reads), right=reads.get(id(value.right), value.right))


def _is_long(addend: e.Expression) -> bool:
    return _operations(addend) > _MANY or any(map(takes_long, e.walk(addend)))
