"""Precompute and Hoist: what loops compute again and again is computed once, before them (loop-invariant code motion).

Compilers move what is the same in all iterations of a loop in front of it, a value at a time. Where it varies with a
loop inside of that one, it takes an array, which is theirs to avoid and a matter of schedules to make.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    ScopTransform,
    bounding_box,
    fresh_name,
    lies_apart,
    names_of,
    nest_rows,
    own_nest,
    place_of,
    redirected,
    takes_long,
    writes_first,
)


@dataclass(frozen=True)
class Precompute(ScopTransform):
    """Compute part of a statement's value before the loops around it, once for what it depends on.

    Rewrite:
        for p:  for k: a[p] = a[p] + f(k) * b[p + k];
        ->  for k: v[k] = f(k);   for p:  for k: a[p] = a[p] + v[k] * b[p + k];

    The value may depend on iterators, parameters, and memory that nothing writes from these loops on. It is computed
    for no iterations but those that would compute it at least once, by the same operations, so that it has the same
    bits. Legal by construction. What is worth it are functions and quotients, and elements that lie apart in memory:
    of the roots of unity of a Fourier transform, ``w[k * step]``, say, each pass reads the same ones for every block.

    Attributes:
        statement: its name.
        node: the number of the part in the statement's value, in the order of `walk`.
    References:
        Allen and Kennedy, "Optimizing Compilers for Modern Architectures", 2002, section 5.2 (scalar expansion), with
        Aho et al., "Compilers", 2007, section 9.5 (loop-invariant code motion), which keeps a scalar.
    """

    statement: str
    node: int

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Functions, quotients and elements that lie apart in the deepest loops that do not depend on all of these,
        with all around them that does not, either."""
        deepest = max((s.depth for s in scop.statements), default=0)
        for statement in scop.statements:
            if statement.depth == deepest:
                for number, node, certain in _parts(statement):
                    if _refusal(scop, statement, node, certain) is None:
                        yield cls(statement.name, number)
                        break  # it changes the others' numbers

    @property
    def action(self) -> str:
        return f"compute part {self.node} of {self.statement} before its loops"

    def changed(self, scop: Scop) -> Scop:
        statement = self.statement_of(scop, self.statement)
        part = next((p for p in _parts(statement) if p[0] == self.node), None)
        if part is None:
            raise self.refused(scop, "there is no such part")
        _, node, certain = part
        if (reason := _refusal(scop, statement, node, certain)) is not None:
            raise self.refused(scop, reason)
        names = names_of(scop)
        name, place = (fresh_name(f"{statement.name}_{end}", names) for end in ("before", "value"))
        levels = _levels(statement, (node,))
        domain = _projected(scop.points(statement), levels)
        cells = _Cells(place, domain, levels)
        if cells.low is None:
            raise self.refused(scop, "the loops never run, or have no bounds that are affine in the parameters")
        iterators = tuple(statement.iterators[level] for level in levels)
        read = e.Read(cells.of(statement), node.type)
        value = e.rewrite(statement.value, lambda inner: read if inner == node else inner)
        first = own_nest(name, iterators, domain, read.access, node, statement.schedule[0].constant)
        changed = tuple(replace(s, value=value) if s is statement else s for s in scop.statements)
        arrays = (*scop.arrays, Array(place, node.type, cells.shape, local=True))
        return replace(scop, arrays=arrays, statements=_with_room(changed, [first], 1))


@dataclass(frozen=True)
class Hoist(ScopTransform):
    """Compute what a scalar sums up in loops of its own before the loops around these that it does not depend on.

    Rewrite:
        for i:  for j: { s = 0;  for k: s += a[j][k] * a[j][k];  b[i][j] = c[i][j] / s; }
        ->  for j: { v[j] = 0;  for k: v[j] += a[j][k] * a[j][k]; }   for i:  for j: b[i][j] = c[i][j] / v[j];

    Every iteration of the loops around has to write the scalar before it reads it, and others read no value of it but
    the last. Nothing it is computed from may be written from these loops on. It is computed for no iterations but those
    that would compute it, by the same operations in the same order. Legal by construction.

    Attributes:
        array: the scalar's name.
    """

    array: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Scalars of their own that loops sum up inside of others, all of which they do not depend on."""
        for array in scop.arrays:
            if array.local and not array.shape and not isinstance(_sum(scop, array.name), str):
                yield cls(array.name)

    @property
    def action(self) -> str:
        return f"compute {self.array} before its loops"

    def changed(self, scop: Scop) -> Scop:
        array = next((a for a in scop.arrays if a.name == self.array and a.local and not a.shape), None)
        found = "there is no such scalar of its own" if array is None else _sum(scop, self.array)
        if array is None or isinstance(found, str):
            raise self.refused(scop, str(found))
        depth, levels, writers = found
        gone = set(range(depth)) - set(levels)
        domains = {s.name: scop.points(s) for s in writers}
        whole = {
            name: _projected(domain, tuple(k for k in range(domain.dim(isl.dim_type.set)) if k not in gone))
            for name, domain in domains.items()
        }
        outer = [_projected(domain, tuple(range(depth))) for domain in domains.values()]
        executed = reduce(isl.Set.union, outer)
        # Else it would be computed in iterations that nobody asks for.
        for name, domain in domains.items():
            if not _lifted(whole[name], gone).intersect(_extended(executed, domain)).is_equal(domain.reset_tuple_id()):
                raise self.refused(scop, f"the iterations of {name} depend on more loops than its values")
        names = names_of(scop)
        place = fresh_name(f"{self.array}_value", names)
        cells = _Cells(place, _projected(executed, levels), levels)
        if cells.low is None:
            raise self.refused(scop, "the loops never run, or have no bounds that are affine in the parameters")
        positions = sorted({s.schedule[2 * depth].constant for s in writers})
        before: list[Statement] = []
        for s in writers:
            name = fresh_name(f"{s.name}_before", names)
            inside = s.schedule[2 * depth :]
            top = s.schedule[0].constant
            if levels:
                rows = (*nest_rows(top, (s.iterators[level] for level in levels))[:-1], *inside)
            else:
                rows = (affine(top + positions.index(inside[0].constant)), *inside[1:])
            kept = tuple(name for level, name in enumerate(s.iterators) if level not in gone)
            moved = cells.read_from(s, self.array)
            before.append(
                replace(moved, name=name, iterators=kept, domain=whole[s.name].set_tuple_name(name), schedule=rows)
            )
        others = tuple(cells.read_from(s, self.array) for s in scop.statements if s not in writers)
        arrays = (*(a for a in scop.arrays if a is not array), replace(array, name=place, shape=cells.shape))
        count = 1 if levels else len(positions)
        return replace(scop, arrays=arrays, statements=_with_room(others, before, count))


class _Cells:
    """Where the values of some loops' iterations are kept.

    Attributes:
        low, shape: the first of them, and how many there are; low is None where that is not known.
    """

    def __init__(self, array: str, iterations: isl.Set, levels: tuple[int, ...]) -> None:
        self.array, self.levels = array, levels
        self.low: tuple[Affine, ...] | None = ()
        self.shape: tuple[Affine, ...] = ()
        if levels:
            self.low, self.shape = bounding_box(iterations) or (None, ())

    def of(self, statement: Statement) -> e.Access:
        """That of the statement's own iteration."""
        iterators = (affine(statement.iterators[level]) for level in self.levels)
        return e.Access(self.array, tuple(i - start for i, start in zip(iterators, self.low or (), strict=True)))

    def read_from(self, statement: Statement, scalar: str) -> Statement:
        """The statement with this in place of a scalar."""
        if scalar not in {a.array for a in statement.accesses}:
            return statement
        cell = self.of(statement)
        new = redirected(statement, lambda access: cell if access == e.Access(scalar) else access)
        return replace(new, target=cell) if statement.target.array == scalar else new


def _with_room(statements: tuple[Statement, ...], before: list[Statement], count: int) -> tuple[Statement, ...]:
    """Statements behind new ones, which stand in so many nests where the first of theirs has been."""
    top = before[0].schedule[0].constant
    late = [s.schedule[0].constant >= top for s in statements]
    at = late.index(True)
    moved = [
        replace(s, schedule=(s.schedule[0] + count * is_late, *s.schedule[1:]))
        for s, is_late in zip(statements, late, strict=True)
    ]
    return (*moved[:at], *before, *moved[at:])


def _sum(scop: Scop, array: str) -> tuple[int, tuple[int, ...], list[Statement]] | str:
    """How many loops all that uses a scalar has in common, the levels of those that its values depend on, and what
    writes it; or why it stays where it is."""
    users = scop.users(array)
    writers = [s for s in users if s.target.array == array]
    depth = min((s.depth for s in users), default=0)
    while depth and len({place_of(s, depth) for s in users}) > 1:
        depth -= 1
    values = [s.value for s in writers]
    # A quotient of a sum is what other sums start from.
    deeper = users if any(takes_long(n) for value in values for n in e.walk(value)) else writers
    if not any(s.depth > depth for s in deeper) or len(users) == len(writers):
        return "no loops of its own sum it up for others"
    if any(isinstance(n, e.Fold | e.Partial | e.OutsideCall) for value in values for n in e.walk(value)):
        return "it holds a loop, or calls what may do anything"
    if not depth:
        return "no loop has all that uses it"
    levels = tuple(sorted({k for s in writers for k in _levels(s, (s.value,)) if k < depth}))
    if len(levels) == depth:
        return "it depends on all loops around it"
    top = writers[0].schedule[0].constant
    written = {s.target.array for s in scop.statements if s.schedule[0].constant >= top} - {array}
    if any(read.access.data or read.access.array in written for value in values for read in e.reads(value)):
        return "what it reads is written, or found by data"
    last = max(s.schedule[2 * depth].constant for s in writers)
    if any(s.schedule[2 * depth].constant <= last for s in users if s not in writers):
        return "others read it before it has its last value"
    if any(s.conditional for s in writers) or not writes_first(scop, array, depth):
        return "it may have a value of another iteration"
    return depth, levels, writers


def _parts(statement: Statement) -> Iterator[tuple[int, e.Expression, bool]]:
    """What the statement's value consists of, from the whole to the parts: its number, and whether evaluating the value
    certainly evaluates it."""
    number = -1

    def visit(node: e.Expression, certain: bool) -> Iterator[tuple[int, e.Expression, bool]]:
        nonlocal number
        number += 1
        yield number, node, certain
        for k, child in enumerate(e.children(node)):
            always = certain and not (isinstance(node, e.Select | e.Logical) and k > 0) and not isinstance(node, e.Fold)
            yield from visit(child, always)

    return visit(statement.value, not statement.conditional)


def _refusal(scop: Scop, statement: Statement, node: e.Expression, certain: bool) -> str | None:
    """Why a part of a statement's value is not computed before; None if nothing is in the way."""
    inside = tuple(e.walk(node))
    if any(isinstance(n, e.Fold | e.Partial | e.OutsideCall) for n in inside):
        return "it holds a loop, or calls what may do anything"
    if not any(takes_long(n) or lies_apart(scop, statement, n) for n in inside):
        return "it is soon computed again"
    if len(_levels(statement, (node,))) == statement.depth:
        return "it depends on all loops around it"
    if node is not statement.value and node.type.is_float and e.factors(node) is not None:
        return "an addition may absorb the product"
    top = statement.schedule[0].constant
    written = {s.target.array for s in scop.statements if s.schedule[0].constant >= top}
    found = e.reads(node)
    if any(read.access.data or read.access.array in written for read in found):
        return "what it reads is written, or found by data"
    traps = any(isinstance(n, e.Binary) and n.operator in ("/", "%") and not n.type.is_float for n in inside)
    if not certain and (traps or any(read.access.subscripts for read in found)):
        return "a condition guards it"
    return None


def _levels(statement: Statement, nodes: tuple[e.Expression, ...]) -> tuple[int, ...]:
    """Of the loops whose iterators the values depend on."""
    used: set[str] = set()
    for inner in (n for node in nodes for n in e.walk(node)):
        if isinstance(inner, e.Index):
            used |= inner.value.variables()
        elif isinstance(inner, e.Read):
            used |= {name for subscript in inner.access.subscripts for name in subscript.variables()}
    return tuple(level for level, name in enumerate(statement.iterators) if name in used)


def _projected(domain: isl.Set, levels: tuple[int, ...]) -> isl.Set:
    """The iterations of some of the loops in which the others have any."""
    for level in reversed(range(domain.dim(isl.dim_type.set))):
        if level not in levels:
            domain = domain.project_out(isl.dim_type.set, level, 1)
    return domain.reset_tuple_id().coalesce()


def _lifted(domain: isl.Set, levels: set[int]) -> isl.Set:
    """The same for whatever iterations of more loops."""
    for level in sorted(levels):
        domain = domain.insert_dims(isl.dim_type.set, level, 1)
    return domain


def _extended(outer: isl.Set, domain: isl.Set) -> isl.Set:
    """Iterations of outer loops, with whatever ones of the other loops of a domain."""
    depth = outer.dim(isl.dim_type.set)
    return outer.insert_dims(isl.dim_type.set, depth, domain.dim(isl.dim_type.set) - depth)
